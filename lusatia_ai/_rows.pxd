"""The choosing of rows (rules 6.4 to 6.8) as a small model of its own, reduced to what can still matter.

From the first choice of a row to the end of the stage only pieces, slots, the chooser, Chamberlains and cards change.
`Rows` holds that in 64 bytes, so that a solver copies, plays and packs it several times as fast as a whole `GameState`.
Tests compare the model with the forward model on thousands of positions.

Reductions, each with the reason why it changes no value (`settle` makes them):

*Dead slots.* Between helpers and clean-up no piece comes into play or changes colour. A slot whose colour nobody has can
therefore never be filled: it is taken off, and its row marked as `broken`, for it can never get full and pay its bonus.
A row may be chosen if a piece, of anyone's, can be stored in it: exactly if a slot of it is left. A broken row without
slots is as good as no row, so its mark is wiped out.

*Broken rows.* For the same reason a row with more slots of a colour than there are pieces of it can never get full. It is
marked as broken at once, whichever of its slots will be filled.

*Spare pieces.* Of a colour with n slots left at most n pieces of one player can be stored, and a player with k unused
Chamberlains hands over at most k. Pieces beyond n + k are never asked for: they change neither what can be chosen, nor
what is filled, nor what can be handed over; so they are taken off.

*Seats instead of an order.* Choosers follow each other in a circle, so only the cyclic order of the seats counts. What
the Chamberlains bring at the end (rules 6.8) does not depend on who comes first.

*Cards.* What a card is worth is known beforehand only by the solver. While `offered` is 0, choices of cards are left out:
the solver sees to that where no card on offer can make a difference to anybody any more, since cards forbid nothing.
"""

from ._core cimport *
from ._tables cimport *

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

cdef enum:
    SLOTS = 64               # of all rows together
    ROW_MOVES = ROWS + GOODS # in one choice of a row
    EVERY_LANE = 0x01010101

# The two warehouse tiles of a round. The slots of all rows are numbered, row by row, from left to right.
ctypedef struct Board:
    int n_slots
    uint64_t row_slots[ROWS]         # masks of slots; 0: no such row
    uint64_t slots_of[16]            # by mask of colours
    uint8_t colour[SLOTS]
    uint8_t points[SLOTS]
    uint8_t bonus[ROWS]
    uint8_t top[GOODS]               # most points of a slot of a colour
    uint8_t rows_with_more[GOODS][MAX_SLOTS + 1]   # by colour and number: mask of the rows with more slots of it
    uint16_t sums[8][256]           # points of all slots of a mask, by its bytes

# How far favour already held plays a part in what is still to come.
cdef enum Tracking:
    NOTHING                  # not at all
    LEADS                    # by who is ahead of one seat in the end (rules 8.1)
    GAINS                    # in some other way

# What stays the same while rows are chosen. Compared byte by byte: fill with zeros before use.
ctypedef struct RowContext:
    const Board* board
    uint32_t per_good[MAX_PLAYERS]   # packed: favour for each piece stored
    uint8_t cycle[MAX_PLAYERS]       # human seats in storing order, turned so that seat 0 comes first
    uint8_t estate_row[MAX_PLAYERS]  # favour when the own estate row gets full
    uint8_t n_skips[MAX_PLAYERS]     # Chamberlains, used or not
    uint8_t skip_points[MAX_PLAYERS][ROUNDS]   # of each, the used ones first
    uint8_t tracking                 # Tracking
    uint8_t judge                    # LEADS: the seat
    uint8_t unreduced                # whether spare pieces and rows that lack pieces are left as they are
    uint8_t per_poorer               # LEADS: what it gains for each human with less favour
    int32_t ending                   # GAINS: number of what comes after the stage
    uint32_t id                      # not compared

# A position. Zero-filled before use and without padding: equal positions are equal byte by byte.
ctypedef struct Rows:
    uint64_t empty                   # slots that can still be filled
    uint32_t goods[MAX_PLAYERS]      # packed
    uint32_t needs                   # packed: slots in `empty` of each colour
    uint32_t skips                   # 3 bits a seat: Chamberlains used
    int16_t tracked[MAX_PLAYERS]     # GAINS: favour since the context began; LEADS: of the judge over each seat
    uint16_t cards                   # GAINS: 3 bits a deck, who has taken its card, plus one; else the class of the cards
    uint8_t broken                   # rows that have lost a slot and still have another
    uint8_t chooser                  # place in `cycle` of who chooses next (with `pending`: after the card)
    uint8_t pending                  # estate row whose card is being chosen, plus one; or 0
    uint8_t offered                  # mask of decks with a card face up that can make a difference
    uint8_t unused[6]                # what would be padding; always 0


cdef inline int index_of(const uint8_t* items, int item) noexcept nogil:
    """Where `item` stands in a list that holds it."""
    cdef int i = 0
    while items[i] != item:
        i += 1
    return i

cdef inline int colours_of(uint32_t packed) noexcept nogil:
    """Mask of the colours of which there is a piece."""
    return ((occupied_lanes(packed) >> 7) * <uint32_t> 0x01020408) >> 24 & 15

cdef inline uint32_t whole_lanes(uint32_t top_bits) noexcept nogil:
    """Each lane whose top bit is set, filled with ones."""
    return (top_bits >> 7) * <uint32_t> 255

cdef inline uint32_t least_of_lanes(uint32_t a, uint32_t b) noexcept nogil:
    """The smaller number in each lane; all are below 128."""
    cdef uint32_t take_b = whole_lanes(((a | TOP_LANES) - b) & TOP_LANES)
    return (b & take_b) | (a & ~take_b)

cdef inline int pieces_of(uint32_t packed) noexcept nogil:
    return count_of(packed, 0) + count_of(packed, 1) + count_of(packed, 2) + count_of(packed, 3)

cdef inline int skips_used(const Rows* r, int seat) noexcept nogil:
    return r.skips >> 3 * seat & 7

cdef inline bint may_skip(const RowContext* c, const Rows* r, int seat) noexcept nogil:
    """Rules 6.7."""
    return r.goods[seat] != 0 and skips_used(r, seat) < c.n_skips[seat]

cdef inline int place_before(const GameTables* t, int place) noexcept nogil:
    return place - 1 if place else t.humans - 1

cdef inline int seat_of(const RowContext* c, const GameTables* t, const Rows* r) noexcept nogil:
    """Who decides."""
    return c.cycle[place_before(t, r.chooser) if r.pending else r.chooser]

cdef inline bint rows_over(const Rows* r) noexcept nogil:
    """Whether the stage has ended: no piece is storable (rules 6.8)."""
    return r.empty == 0 and r.pending == 0

cdef inline void to_next_chooser(const GameTables* t, Rows* r) noexcept nogil:
    r.chooser = r.chooser + 1 if r.chooser + 1 < t.humans else 0

cdef inline int cards_for(const GameTables* t, const Rows* r, int bonus) noexcept nogil:
    """Mask of the decks whose card a bonus of an estate row can buy (rules 6.6)."""
    cdef int deck, mask = 0
    for deck in range(DECKS):
        if r.offered >> deck & 1 and t.symbols[deck] <= bonus:
            mask |= 1 << deck
    return mask

cdef inline void drop_slots(const RowContext* c, Rows* r, uint64_t dead) noexcept nogil:
    """Take off slots that can never be filled."""
    cdef int row
    r.empty &= ~dead
    for row in range(ROWS):
        if dead & c.board.row_slots[row]:
            if r.empty & c.board.row_slots[row]:
                r.broken |= 1 << row
            else:
                r.broken &= ~(1 << row)

cdef inline uint32_t supply_of(const GameTables* t, const Rows* r) noexcept nogil:
    """Packed: how many pieces of a colour there are; more than 20 of one player count as 20."""
    cdef uint32_t supply = 0
    cdef int player
    for player in range(t.players):
        supply += least_of_lanes(r.goods[player], 20 * EVERY_LANE)
    return supply

cdef inline bint has_more(uint64_t mask, int n) noexcept nogil:
    """Whether a mask has more than n bits, n being small."""
    while n and mask:
        mask &= mask - 1
        n -= 1
    return mask != 0

cdef inline void break_rows(const RowContext* c, const GameTables* t, Rows* r) noexcept nogil:
    """Mark the rows that need more pieces of a colour than there are."""
    cdef uint32_t supply = supply_of(t, r)
    cdef int colour, row, pieces, rows
    for colour in range(GOODS):
        pieces = count_of(supply, colour)
        if pieces >= MAX_SLOTS:
            continue
        rows = c.board.rows_with_more[colour][pieces] & ~r.broken
        while rows:
            row = lowest_bit(rows)
            rows &= rows - 1
            if has_more(r.empty & c.board.row_slots[row] & c.board.slots_of[1 << colour], pieces):
                r.broken |= 1 << row

cdef inline void settle(const RowContext* c, const GameTables* t, Rows* r) noexcept nogil:
    """Bring into the reduced form, and find who chooses next unless a card is to be chosen first."""
    cdef uint32_t of_humans = 0, of_all
    cdef int player, left, present
    cdef uint64_t dead
    for player in range(t.humans):
        of_humans |= r.goods[player]
    of_all = of_humans
    for player in range(t.humans, t.players):
        of_all |= r.goods[player]
    present = colours_of(of_all)
    dead = r.empty & ~c.board.slots_of[present]
    if t.must_contribute and not r.empty & c.board.slots_of[colours_of(of_humans)]:
        dead = r.empty
    if dead:
        drop_slots(c, r, dead)
        r.needs = r.needs & whole_lanes(occupied_lanes(of_all)) if r.empty else 0
    if r.empty and not c.unreduced:
        break_rows(c, t, r)
    for player in range(0 if c.unreduced else t.players):
        left = c.n_skips[player] - skips_used(r, player)
        r.goods[player] = least_of_lanes(r.goods[player], r.needs + left * EVERY_LANE)
    if t.must_contribute and not r.pending and r.empty:
        while not (r.empty & c.board.slots_of[colours_of(r.goods[c.cycle[r.chooser]])]
                   or may_skip(c, r, c.cycle[r.chooser])):
            to_next_chooser(t, r)

cdef inline int fill_row(const RowContext* c, Rows* r, int player, int row) noexcept nogil:
    """Rules 6.5 for one player; returns the points."""
    cdef uint64_t slots = r.empty & c.board.row_slots[row] & c.board.slots_of[colours_of(r.goods[player])]
    cdef int slot, colour, points = 0
    while slots:
        slot = lowest_bit(slots)
        colour = c.board.colour[slot]
        if count_of(r.goods[player], colour):
            r.goods[player] -= piece(colour)
            r.needs -= piece(colour)
            r.empty ^= <uint64_t> 1 << slot
            points += c.board.points[slot] + count_of(c.per_good[player], colour)
        slots &= slots - 1
    return points

cdef inline void choose_row(const RowContext* c, const GameTables* t, Rows* r, int row, int* gain) noexcept nogil:
    """Rules 6.5 and 6.6."""
    cdef int chooser = c.cycle[r.chooser], i, player
    for i in range(t.players):
        player = t.fill_order[chooser][i]
        gain[player] += fill_row(c, r, player, row)
        if not r.empty & c.board.row_slots[row]:
            break
    to_next_chooser(t, r)
    if r.empty & c.board.row_slots[row]:
        return
    if r.broken >> row & 1:
        r.broken &= ~(1 << row)
    elif row >= ROYAL:
        gain[chooser] += c.board.bonus[row]
    else:
        gain[chooser] += c.estate_row[chooser]
        if cards_for(t, r, c.board.bonus[row]):
            r.pending = row + 1

cdef inline void hand_over_piece(const RowContext* c, const GameTables* t, Rows* r, int colour,
                                 int* gain) noexcept nogil:
    """Rules 6.7."""
    cdef int seat = c.cycle[r.chooser]
    r.goods[seat] -= piece(colour)
    gain[seat] += c.skip_points[seat][skips_used(r, seat)]
    r.skips += 1 << 3 * seat
    to_next_chooser(t, r)

cdef inline void play_rows(const RowContext* c, const GameTables* t, Rows* r, Move_t move, int* gain) noexcept nogil:
    """Carry out a legal move, adding the favour that it brings to `gain`, by player. Who takes a card is not noted."""
    cdef int kind = move_kind(move), argument = move_argument(move)
    if kind == M_ROW:
        choose_row(c, t, r, argument, gain)
    elif kind == M_CARD:
        r.offered &= ~(1 << argument)
        r.pending = 0
    elif kind == M_CHAMBERLAIN:
        hand_over_piece(c, t, r, argument, gain)
    else:
        to_next_chooser(t, r)
    settle(c, t, r)

cdef inline int rows_moves(const RowContext* c, const GameTables* t, const Rows* r, Move_t* moves) noexcept nogil:
    """The legal moves in canonical order; of pieces that have been taken off, none."""
    cdef int i, n = 0, cards, seat = seat_of(c, t, r)
    cdef uint64_t slots = r.empty
    if r.pending:
        cards = cards_for(t, r, c.board.bonus[r.pending - 1])
        for i in range(DECKS):
            if cards >> i & 1:
                moves[n] = make_move(M_CARD, i)
                n += 1
        return n
    if t.must_contribute:
        slots &= c.board.slots_of[colours_of(r.goods[seat])]
    if may_skip(c, r, seat):
        for i in range(GOODS):
            if count_of(r.goods[seat], i):
                moves[n] = make_move(M_CHAMBERLAIN, i)
                n += 1
        if not slots:
            moves[n] = make_move(M_PASS, 0)
            return n + 1
    for i in range(ROWS):
        if slots & c.board.row_slots[i]:
            moves[n] = make_move(M_ROW, i)
            n += 1
    return n

cdef inline int skips_at_end(const RowContext* c, const Rows* r, int seat) noexcept nogil:
    """The favour that unused Chamberlains bring at the end of the stage (rules 6.8)."""
    cdef int used = skips_used(r, seat), pieces = pieces_of(r.goods[seat]), points = 0
    while used < c.n_skips[seat] and pieces:
        points += c.skip_points[seat][used]
        used += 1
        pieces -= 1
    return points

cdef inline int points_of(const Board* board, uint64_t slots) noexcept nogil:
    """The points of all slots of a mask."""
    cdef int i, points = 0
    for i in range((board.n_slots + 7) >> 3):
        points += board.sums[i][slots >> 8 * i & 255]
    return points

cdef inline int choices_left(const RowContext* c, const GameTables* t, const Rows* r, int seat) noexcept nogil:
    """At least as many rows as a seat can still choose.

    Each choice stores a piece, and seats choose in turn. Only a Chamberlain, or a seat passed over, lets others choose
    earlier; then every number is allowed.
    """
    cdef uint32_t supply
    cdef int colour, player, storable = 0, before
    if t.must_contribute:
        return ROWS
    for player in range(t.humans):
        if skips_used(r, player) < c.n_skips[player]:
            return ROWS
    supply = supply_of(t, r)
    for colour in range(GOODS):
        storable += min(count_of(supply, colour), count_of(r.needs, colour))
    before = index_of(c.cycle, seat) - r.chooser
    if before < 0:
        before += t.humans
    return (storable - before + t.humans - 1) // t.humans if storable > before else 0

cdef inline int rows_most(const RowContext* c, const GameTables* t, const Rows* r, int seat) noexcept nogil:
    """At least as much favour as a seat can still gain by choosing rows and by Chamberlains.

    No seat stores more pieces of a colour than it has or than there are slots, none for more than the best slot's
    points, and all together for no more than the points of all slots in which a piece of theirs fits. It gets no more
    bonuses than it has choices.
    """
    cdef uint32_t stored = least_of_lanes(r.goods[seat], r.needs)
    cdef int colour, row, used, bonus, i, n = 0, most = 0, per_good = 0
    cdef int bonuses[ROWS]
    for colour in range(GOODS):
        most += count_of(stored, colour) * c.board.top[colour]
        per_good += count_of(stored, colour) * count_of(c.per_good[seat], colour)
    most = min(most, points_of(c.board, r.empty & c.board.slots_of[colours_of(r.goods[seat])])) + per_good
    for row in range(ROWS):
        bonus = c.board.bonus[row] if row >= ROYAL else c.estate_row[seat]
        if bonus and r.empty & c.board.row_slots[row] and not r.broken >> row & 1:
            i = n
            while i and bonuses[i - 1] < bonus:
                bonuses[i] = bonuses[i - 1]
                i -= 1
            bonuses[i] = bonus
            n += 1
    if n:
        n = min(n, choices_left(c, t, r, seat))
    for i in range(n):
        most += bonuses[i]
    for used in range(skips_used(r, seat), c.n_skips[seat]):
        most += c.skip_points[seat][used]
    return most
