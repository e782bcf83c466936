"""Positions reduced to what a solver must tell apart: boards, choices of rows, keys; and bounds that need no search."""

from ._core cimport *
from ._rows cimport *
from ._tables cimport *

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    SETTLED = 20000          # a lead that nothing can change any more
    TREE_WORDS = 14          # of the longest key of a position outside the choosing of rows


# --- boards -----------------------------------------------------------------------------------------

cdef inline void make_board(Board* board, const GameTables* t, int estate, int royal, int side) noexcept nogil:
    cdef int row, i, mask, slots, slot = 0
    cdef const RowTable* table
    memset(board, 0, sizeof(Board))
    for row in range(ROWS):
        table = &t.rows[estate if row < ROYAL else royal][side][row & 3]
        board.bonus[row] = table.bonus
        for i in range(table.n_slots):
            board.colour[slot] = table.colour[i]
            board.points[slot] = table.points[i]
            board.row_slots[row] |= <uint64_t> 1 << slot
            board.top[table.colour[i]] = max(board.top[table.colour[i]], table.points[i])
            for mask in range(16):
                if mask >> table.colour[i] & 1:
                    board.slots_of[mask] |= <uint64_t> 1 << slot
            slot += 1
        for i in range(GOODS):
            for slots in range(count_of(table.need, i)):
                board.rows_with_more[i][slots] |= 1 << row
    board.n_slots = slot
    for slot in range(board.n_slots):
        for mask in range(256):
            if mask >> (slot & 7) & 1:
                board.sums[slot >> 3][mask] += board.points[slot]


# --- from positions to rows ------------------------------------------------------------------------------------------

cdef inline uint64_t nibbles(uint32_t goods) noexcept nogil:
    """The lower four bits of each lane, in 16 bits."""
    goods &= 0x0F0F0F0F
    goods = (goods | goods >> 4) & 0x00FF00FF
    return (goods | goods >> 8) & 0xFFFF

cdef inline int card_codes(const GameTables* t) noexcept nogil:
    """How many codes of owners there are."""
    return (t.humans + 1) * (t.humans + 1) * (t.humans + 1) * (t.humans + 1)

cdef inline int owners_of(const GameTables* t, int code) noexcept nogil:
    """3 bits a deck: who has taken its card, plus one; from the code, a number below `card_codes`."""
    cdef int deck, owners = 0
    for deck in range(DECKS):
        owners |= code % (t.humans + 1) << 3 * deck
        code //= t.humans + 1
    return owners

cdef inline int next_owners(const GameTables* t, int owners) noexcept nogil:
    """The owners of the next higher code; those of code 0 after the last."""
    cdef int deck
    for deck in range(DECKS):
        if owners >> 3 * deck & 7 < t.humans:
            return owners + (1 << 3 * deck)
        owners &= ~(7 << 3 * deck)
    return owners

cdef inline int used_skips(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    cdef int i, token, used = 0
    for i in range(s.n_companions[seat]):
        token = s.companions[seat][i]
        if t.tokens[token].perks.flags & F_CHAMBERLAIN and s.used >> token & 1:
            used += 1
    return used

cdef inline void fill_context(RowContext* c, const GameState* s, const GameTables* t, const Board* board) noexcept nogil:
    cdef int seat, i, used, token, start = index_of(s.storing_order, 0)
    c.board = board
    for seat in range(t.humans):
        c.per_good[seat] = s.perks[seat].per_good
        c.estate_row[seat] = s.perks[seat].estate_row
        c.cycle[seat] = s.storing_order[(start + seat) % t.humans]
        for used in range(1, -1, -1):
            for i in range(s.n_companions[seat]):
                token = s.companions[seat][i]
                if t.tokens[token].perks.flags & F_CHAMBERLAIN and <int> (s.used >> token & 1) == used:
                    c.skip_points[seat][c.n_skips[seat]] = t.tokens[token].skip_points
                    c.n_skips[seat] += 1

cdef inline void fill_rows(const RowContext* c, const GameState* s, const GameTables* t, Rows* r) noexcept nogil:
    """Pieces, slots, the chooser and used Chamberlains of a position; cards and what is tracked stay zero."""
    cdef int row, i, seat, slot = 0
    memset(r, 0, sizeof(Rows))
    for row in range(ROWS):
        for i in range(popcount(c.board.row_slots[row])):
            if not s.filled[row] >> i & 1:
                r.empty |= <uint64_t> 1 << slot
                r.needs += piece(c.board.colour[slot])
            slot += 1
    memcpy(r.goods, s.goods, sizeof(r.goods))
    for seat in range(t.humans):
        r.skips |= used_skips(s, t, seat) << 3 * seat
    r.chooser = index_of(c.cycle, s.storing_order[s.next_chooser])

cdef inline int pending_row(const GameState* s, const RowContext* c) noexcept nogil:
    """A full estate row with the bonus for which a card is being chosen: all that matters of it."""
    cdef int row = 0
    while c.board.bonus[row] != s.pending_card or s.need[row]:
        row += 1
    return row

cdef inline void settle_leads(const RowContext* c, const GameTables* t, Rows* r) noexcept nogil:
    """Replace each lead that the rest of the stage cannot turn by one number: then it matters only that it is settled."""
    cdef int seat
    for seat in range(t.humans):
        if seat == c.judge:
            r.tracked[seat] = 0
        elif -SETTLED < r.tracked[seat] < SETTLED:
            if r.tracked[seat] > rows_most(c, t, r, seat):
                r.tracked[seat] = SETTLED
            elif r.tracked[seat] + rows_most(c, t, r, c.judge) <= 0:
                r.tracked[seat] = -SETTLED

cdef inline void track_leads(const RowContext* c, const GameTables* t, Rows* r, const int* gain) noexcept nogil:
    """After a move that has brought so much favour to each seat."""
    cdef int seat
    for seat in range(t.humans):
        if -SETTLED < r.tracked[seat] < SETTLED:
            r.tracked[seat] += gain[c.judge] - gain[seat]
    settle_leads(c, t, r)

cdef inline void end_rows(const RowContext* c, const GameTables* t, const Rows* r, int* gain) noexcept nogil:
    """Add the favour that the end of the stage brings (rules 6.8), and to who judges who is poorer (rules 8.1)."""
    cdef int skips[MAX_PLAYERS]
    cdef int seat
    for seat in range(t.humans):
        skips[seat] = skips_at_end(c, r, seat)
        gain[seat] += skips[seat]
    if c.tracking == LEADS:
        for seat in range(t.humans):
            if seat != c.judge and (r.tracked[seat] >= SETTLED or -SETTLED < r.tracked[seat]
                                    and r.tracked[seat] + skips[c.judge] - skips[seat] > 0):
                gain[c.judge] += c.per_poorer

cdef inline void order_exchanges(GameState* base, const GameState* s, const GameTables* t) noexcept nogil:
    """Who hands over guards (rules 8.2) as in the order of play, then the others: from here on it decides nothing else."""
    cdef int i, seat, n = 0
    for i in range(t.humans):
        if s.perks[s.order[i]].flags & F_HAND_OVER:
            base.order[n] = s.order[i]
            n += 1
    for seat in range(t.humans):
        if not s.perks[seat].flags & F_HAND_OVER:
            base.order[n] = seat
            n += 1

cdef inline void copy_lasting(GameState* base, const GameState* s, const GameTables* t) noexcept nogil:
    """What the clean-up leaves and the final scoring looks at."""
    memset(base, 0, sizeof(GameState))
    base.stage = STORING
    base.round = s.round
    memcpy(base.favour, s.favour, sizeof(s.favour))
    memcpy(base.guards, s.guards, sizeof(s.guards))
    order_exchanges(base, s, t)
    memcpy(base.estates, s.estates, sizeof(s.estates))
    memcpy(base.face_up, s.face_up, sizeof(s.face_up))
    memcpy(base.companions, s.companions, sizeof(s.companions))
    memcpy(base.n_companions, s.n_companions, sizeof(s.n_companions))
    memcpy(base.perks, s.perks, sizeof(s.perks))

cdef inline void clear_stage(GameState* s) noexcept nogil:
    """Take off what the clean-up takes away anyway."""
    memset(s.goods, 0, sizeof(s.goods))
    memset(s.horses, 0, sizeof(s.horses))
    memset(s.filled, 0, sizeof(s.filled))
    memset(s.need, 0, sizeof(s.need))
    memset(s.storing_order, 0, sizeof(s.storing_order))
    memset(s.position, ROAD, sizeof(s.position))
    memset(s.occupant, NONE, sizeof(s.occupant))
    s.used = 0
    s.next_chooser = 0
    s.pending_card = NONE
    s.decision = D_ROW
    s.seat = s.token = NONE

cdef inline void recruit(GameState* s, const GameTables* t) noexcept nogil:
    """Give what recruits bring now instead of in the clean-up (rules 7.1)."""
    cdef int seat
    for seat in range(t.humans):
        s.guards[seat] += s.perks[seat].recruit
        s.perks[seat].recruit = 0

cdef inline void forget_counters(GameState* s, const GameTables* t) noexcept nogil:
    """Where wagons stand on their counters counts, once the order is made, only for the order."""
    cdef int i
    for i in range(t.humans):
        s.position[s.order[i]] = i

cdef inline int poorer_points(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """What a seat gains for each human with less favour (rules 8.1)."""
    cdef int i, points = 0
    for i in range(s.n_companions[seat]):
        points += t.tokens[s.companions[seat][i]].per_poorer
    return points

cdef inline bint judges_the_poor(const GameState* s, const GameTables* t) noexcept nogil:
    """Whether a human holds, or may still collect, a token that compares favour (rules 8.1)."""
    cdef int seat, town
    for seat in range(t.humans):
        if poorer_points(s, t, seat):
            return True
    for town in range(TOWNS):
        if s.town_token[town] != NONE and not t.easy and t.tokens[s.town_token[town]].per_poorer:
            return True
    return False

cdef inline int symbols_most(const GameState* s, const GameTables* t, int seat, int estate) noexcept nogil:
    """The most symbols of an estate that a seat can come to have this round."""
    cdef int deck, most = s.estates[seat][estate] + s.grey[estate] * t.grey_symbols
    for deck in range(DECKS):
        if s.face_up[deck] == estate:
            most += t.symbols[deck]
    return most

cdef inline double stage_token_most(const GameState* s, const GameTables* t, const TokenTable* token) noexcept nogil:
    """The most favour that a token can bring its holder up to the end of the storing stage."""
    cdef int colour, row, most
    most = token.perks.zero_bonus + token.perks.slowest + token.skip_points + ROYAL * token.perks.estate_row
    for row in range(ROWS):
        for colour in range(GOODS):
            most += count_of(t.rows[s.tile[row >> 2]][s.tile_side][row & 3].need, colour) * count_of(
                token.perks.per_good, colour)
    return most

cdef inline double final_token_most(const GameState* s, const GameTables* t, const TokenTable* token,
                                    int seat) noexcept nogil:
    """The most favour that a token can bring its holder in final scoring."""
    cdef int estate, most
    most = (token.points + token.per_four * ROUNDS + token.per_dominated * ESTATES + token.per_poorer * (t.humans - 1)
            + token.hand_most * token.hand_each)
    for estate in range(ESTATES):
        most += token.per_symbol[estate] * symbols_most(s, t, seat, estate)
    return most

cdef inline double tokens_most(const GameState* s, const GameTables* t, int seat, bint final) noexcept nogil:
    """The same for all tokens that a seat holds, and the best of those that it may still collect."""
    cdef int i, town
    cdef double most = 0, one, best = 0
    for i in range(s.n_companions[seat]):
        most += (final_token_most(s, t, &t.tokens[s.companions[seat][i]], seat) if final
                 else stage_token_most(s, t, &t.tokens[s.companions[seat][i]]))
    for town in range(TOWNS):
        if s.stage <= TAX_COLLECTION and s.town_token[town] != NONE and not t.easy:
            one = (final_token_most(s, t, &t.tokens[s.town_token[town]], seat) if final
                   else stage_token_most(s, t, &t.tokens[s.town_token[town]]))
            best = max(best, one)
    return most + best

cdef inline double stage_most(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """The most favour that a seat can gain up to the end of the storing stage."""
    cdef int row, slot
    cdef double most = tokens_most(s, t, seat, False)
    cdef const RowTable* table
    for row in range(ROWS):
        table = &t.rows[s.tile[row >> 2]][s.tile_side][row & 3]
        for slot in range(table.n_slots):
            most += table.points[slot]
        if row >= ROYAL and table.n_slots:
            most += table.bonus
    return most

cdef inline double scoring_most(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """The most favour that a seat can gain in final scoring."""
    return tokens_most(s, t, seat, True) + ESTATES * t.place_points[0]

cdef inline void position_key(const GameState* s, const GameTables* t, bint relative, uint64_t* key) noexcept nogil:
    """All that may differ between positions of one solve and still matters; the rest follows from it.

    Within one solve the order of play, companions, horses, the storing order and the supply of grey cards follow from
    wagons, counters, estates and who has collected; the helpers used follow from the one that is decided on, since they
    come in a fixed order. `relative`: favour is left out.
    """
    if s.stage >= TAX_COLLECTION:
        tree_key(s, t, relative, key)
    else:
        selection_key(s, t, key)

cdef inline void selection_key(const GameState* s, const GameTables* t, uint64_t* key) noexcept nogil:
    """Up to town selection: no more than six pieces of a colour (one a companion), and nothing has been collected."""
    cdef int i
    cdef uint64_t places = 0
    for i in range(MAX_PLAYERS - 1, -1, -1):
        places = places << 3 | s.to_place >> 4 * i & 7
    key[0] = (1 + s.decision | (s.seat & 7) << 5 | (s.rival & 7) << 8 | (s.evicted_from & 7) << 11
              | <uint64_t> s.token << 14 | places << 22)
    for i in range(t.humans):
        key[1 + i] = (<uint64_t> <uint16_t> s.guards[i] | <uint64_t> <uint16_t> s.favour[i] << 16
                      | nibbles(s.goods[i]) << 32 | <uint64_t> (s.position[i] + 1) << 48
                      | <uint64_t> (s.wagon[i] & 7) << 52)
    if t.automas:
        key[1 + t.humans] = s.automa_deck
        for i in range(t.humans, t.players):
            key[1 + t.humans] |= <uint64_t> ((s.position[i] + 1) << 3 | s.wagon[i] & 7) << (16 + 7 * (i - t.humans))

cdef inline void tree_key(const GameState* s, const GameTables* t, bint relative, uint64_t* key) noexcept nogil:
    """After town selection. Words: two for what is decided, one a human, half a one for goods and for estates."""
    cdef int i, n = 2
    memset(key, 0, TREE_WORDS * 8)
    key[0] = (1 + s.decision | <uint64_t> s.stage << 8 | <uint64_t> s.seat << 16 | <uint64_t> s.token << 24
              | <uint64_t> s.grey_left << 32)
    for i in range(t.humans, t.players):
        key[1] |= <uint64_t> (s.wagon[i] & 7) << 3 * i
    for i in range(t.humans):
        key[n] = (<uint64_t> <uint16_t> s.guards[i] | <uint64_t> s.horses[i] << 16 | <uint64_t> (s.position[i] + 1) << 24
                  | <uint64_t> s.wagon[i] << 32)
        if not relative:
            key[n] |= <uint64_t> <uint16_t> s.favour[i] << 48
        n += 1
    for i in range(t.players):
        key[n + (i >> 1)] |= <uint64_t> s.goods[i] << 32 * (i & 1)
    n += (t.players + 1) >> 1
    for i in range(t.humans):
        key[n + i // 2] |= (s.estates[i][0] | <uint64_t> s.estates[i][1] << 8
                            | <uint64_t> s.estates[i][2] << 16) << 32 * (i & 1)
