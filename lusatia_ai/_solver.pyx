"""Exact solving by exhaustive search with memory: max^n and, for one seat against all, alpha-beta.

Max^n (Luckhardt and Irani 1986): whoever decides takes what is best for themselves, in the knowledge that everybody will.
Two searches share one interface. `rows_...` walks the choosing of rows on the reduced model of `_rows.pxd`, where
nearly all positions are; `tree_...` walks everything around it on whole states, by the forward model.

What is remembered, and why that is exact: keys are compared in full, so no two positions are ever taken for one.

*Factored values.* Where the value is favour and nothing that decides or counts depends on favour already held, two positions
that differ in favour alone have the same best play: the table keeps the favour still to come, and keys leave favour out.

*Endings.* What follows the stage (clean-up, final scoring) depends then only on who has taken which card: it is worked
out once for all ways in which that can go, and equal results share one context of the row search.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from cpython.exc cimport PyErr_CheckSignals

from ._core import require_layout

from time import perf_counter


cdef enum:
    WINDOW = 8               # entries looked at from where a key belongs
    FIRST_SIZE = 1 << 10     # entries of a table before it grows
    LOOK_EVERY = 4096        # nodes between looks at the clock
    MOST_CONTEXTS = 65535    # a context's number has 16 bits in a key
    MOST_ENDINGS = 4096

cdef double SAME = 1e-9      # utilities closer than this are equal: averages over chance are rounded

ctypedef struct Score:
    double main
    double favour

# What a value is known to lie between; equal if it is known exactly.
ctypedef struct Bounds:
    Score low
    Score high


# --- tables -----------------------------------------------------------------------------------------

cdef inline uint64_t hash_words(const uint64_t* key, int words) noexcept nogil:
    cdef uint64_t h = 0x9E3779B97F4A7C15
    cdef int i
    for i in range(words):
        h = (h ^ key[i]) * <uint64_t> 0xBF58476D1CE4E5B9
        h ^= h >> 31
    return h


cdef inline bint same_words(const uint64_t* a, const uint64_t* b, int words) noexcept nogil:
    cdef int i
    for i in range(words):
        if a[i] != b[i]:
            return False
    return True


cdef bint table_open(Table* table, int words, int width, uint64_t bytes) noexcept nogil:
    """Begin small; the table grows up to so many bytes. False if there is no memory."""
    cdef uint64_t stride = words + width
    table.words = words
    table.width = width
    table.stride = <int> stride
    table.most = FIRST_SIZE
    while table.most * 2 * stride * 8 <= bytes:
        table.most *= 2
    table.size = FIRST_SIZE
    table.used = 0
    free(table.entries)
    table.entries = <uint64_t*> calloc(table.size * stride, 8)
    return table.entries != NULL


cdef inline double* table_find(const Table* table, const uint64_t* key) noexcept nogil:
    """The value kept for a key, or NULL."""
    cdef uint64_t at = hash_words(key, table.words)
    cdef const uint64_t* entry
    cdef int i
    for i in range(WINDOW):
        entry = &table.entries[((at + i) & (table.size - 1)) * table.stride]
        if entry[0] == 0:
            return NULL
        if same_words(entry, key, table.words):
            return <double*> &entry[table.words]
    return NULL


cdef double* table_place(Table* table, const uint64_t* key) noexcept nogil:
    """Where to write the value of a key: its entry, an empty one, or one whose content is given up."""
    cdef uint64_t at = hash_words(key, table.words)
    cdef uint64_t* entry
    cdef int i
    for i in range(WINDOW):
        entry = &table.entries[((at + i) & (table.size - 1)) * table.stride]
        if entry[0] == 0:
            table.used += 1
            break
        if same_words(entry, key, table.words):
            break
    else:
        entry = &table.entries[((at + (at >> 32) % WINDOW) & (table.size - 1)) * table.stride]
    memcpy(entry, key, table.words * 8)
    return <double*> &entry[table.words]


cdef void table_grow(Table* table) noexcept nogil:
    """Four times as large, if that is allowed and there is memory; an entry that finds no place is given up."""
    cdef Table larger = table[0]
    cdef uint64_t i
    cdef const uint64_t* entry
    larger.size = table.size * 4 if table.size * 4 <= table.most else table.most
    if larger.size == table.size:
        return
    larger.entries = <uint64_t*> calloc(larger.size * larger.stride, 8)
    if larger.entries == NULL:
        table.most = table.size
        return
    larger.used = 0
    for i in range(table.size):
        entry = &table.entries[i * table.stride]
        if entry[0]:
            memcpy(table_place(&larger, entry), &entry[table.words], table.width * 8)
    free(table.entries)
    table[0] = larger


cdef inline double* table_add(Table* table, const uint64_t* key) noexcept nogil:
    """As `table_place`, in a table with room."""
    if table.used * 2 > table.size and table.size < table.most:
        table_grow(table)
    return table_place(table, key)


cdef uint64_t hash_bytes(const void* data, size_t size) noexcept nogil:
    cdef const uint8_t* bytes = <const uint8_t*> data
    cdef uint64_t h = 0x9E3779B97F4A7C15, word
    cdef size_t done = 0
    while done < size:
        word = 0
        memcpy(&word, bytes + done, 8 if size - done >= 8 else size - done)
        h = (h ^ word) * <uint64_t> 0xBF58476D1CE4E5B9
        h ^= h >> 31
        done += 8
    return h


# --- scores -----------------------------------------------------------------------------------------

cdef inline int compare(Score a, Score b) noexcept nogil:
    """1 if a is better, -1 if b is, 0 if they are equal."""
    if a.main > b.main + SAME:
        return 1
    if b.main > a.main + SAME:
        return -1
    if a.favour > b.favour + SAME:
        return 1
    return -1 if b.favour > a.favour + SAME else 0


cdef inline Score better_of(Score a, Score b) noexcept nogil:
    return b if compare(b, a) > 0 else a


cdef inline Score worse_of(Score a, Score b) noexcept nogil:
    return b if compare(b, a) < 0 else a


cdef inline Score plus(Score a, double favour) noexcept nogil:
    return Score(a.main + favour, a.favour)


# --- boards -----------------------------------------------------------------------------------------

cdef void make_board(Board* board, const GameTables* t, int estate, int royal, int side) noexcept nogil:
    cdef int row, i, mask, slot = 0
    cdef const RowTable* table
    memset(board, 0, sizeof(Board))
    for row in range(ROWS):
        table = &t.rows[estate if row < ROYAL else royal][side][row & 3]
        board.bonus[row] = table.bonus
        for i in range(table.n_slots):
            board.colour[slot] = table.colour[i]
            board.points[slot] = table.points[i]
            board.row_of[slot] = row
            board.row_slots[row] |= <uint64_t> 1 << slot
            for mask in range(16):
                if mask >> table.colour[i] & 1:
                    board.slots_of[mask] |= <uint64_t> 1 << slot
            slot += 1
    board.n_slots = slot


# --- positions ------------------------------------------------------------------------------------------

cdef inline double best_rival(const double* favour, int humans, int seat) noexcept nogil:
    cdef double best = -INFINITY
    cdef int other
    for other in range(humans):
        if other != seat and favour[other] > best:
            best = favour[other]
    return best


cdef inline uint64_t nibbles(uint32_t goods) noexcept nogil:
    """The lower four bits of each lane, in 16 bits."""
    goods &= 0x0F0F0F0F
    goods = (goods | goods >> 4) & 0x00FF00FF
    return (goods | goods >> 8) & 0xFFFF


cdef inline int index_of(const uint8_t* items, int item) noexcept nogil:
    """Where `item` stands in a list that holds it."""
    cdef int i = 0
    while items[i] != item:
        i += 1
    return i


cdef inline int card_code(const GameTables* t, int owners) noexcept nogil:
    """The owners of the cards as one number below (humans + 1) to the fourth."""
    cdef int n = t.humans + 1
    return (owners & 7) + n * ((owners >> 3 & 7) + n * ((owners >> 6 & 7) + n * (owners >> 9)))


cdef inline int owners_of(const GameTables* t, int code) noexcept nogil:
    """The inverse of `card_code`."""
    cdef int deck, owners = 0
    for deck in range(DECKS):
        owners |= code % (t.humans + 1) << 3 * deck
        code //= t.humans + 1
    return owners


cdef inline int used_skips(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    cdef int i, token, used = 0
    for i in range(s.n_companions[seat]):
        token = s.companions[seat][i]
        if t.tokens[token].perks.flags & F_CHAMBERLAIN and s.used >> token & 1:
            used += 1
    return used


cdef void fill_context(RowContext* c, const GameState* s, const GameTables* t, const Board* board) noexcept nogil:
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


cdef int pending_row(const GameState* s, const GameTables* t, const RowContext* c) noexcept nogil:
    """An estate row with the bonus that a card is being chosen for: all that matters of it."""
    cdef int row = 0
    while c.board.bonus[row] != s.pending_card:
        row += 1
    return row


cdef void clear_stage(GameState* s) noexcept nogil:
    """Take off what the clean-up takes away anyway, and what nothing after it looks at."""
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


cdef bint judges_the_poor(const GameState* s, const GameTables* t) noexcept nogil:
    """Whether a human holds, or may still collect, a token that compares favour (rules 8.1)."""
    cdef int seat, i, town
    for seat in range(t.humans):
        for i in range(s.n_companions[seat]):
            if t.tokens[s.companions[seat][i]].per_poorer:
                return True
    for town in range(TOWNS):
        if s.town_token[town] != NONE and not t.easy and t.tokens[s.town_token[town]].per_poorer:
            return True
    return False


cdef double token_most(const GameState* s, const GameTables* t, const TokenTable* token, bint stage) noexcept nogil:
    """The most favour that a token can bring its holder in the storing stage, or in final scoring."""
    cdef int estate, colour, row, most = 0
    if stage:
        most = token.perks.zero_bonus + token.perks.slowest + token.skip_points + 4 * token.perks.estate_row
        for row in range(ROWS):
            for colour in range(GOODS):
                most += count_of(t.rows[s.tile[row >> 2]][s.tile_side][row & 3].need, colour) * count_of(
                    token.perks.per_good, colour)
        return most
    most = (token.points + token.per_four * ROUNDS + token.per_dominated * ESTATES + token.per_poorer * (t.humans - 1)
            + token.hand_most * token.hand_each)
    for estate in range(ESTATES):
        most += token.per_symbol[estate] * 255
    return most


cdef double tokens_most(const GameState* s, const GameTables* t, int seat, bint stage) noexcept nogil:
    """The same for all tokens that a seat holds or may still collect."""
    cdef int i, town
    cdef double most = 0
    for i in range(s.n_companions[seat]):
        most += token_most(s, t, &t.tokens[s.companions[seat][i]], stage)
    for town in range(TOWNS):
        if s.town_token[town] != NONE and not t.easy:
            most += token_most(s, t, &t.tokens[s.town_token[town]], stage)
    return most


cdef double stage_most(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """The most favour that a seat can gain up to the end of the storing stage."""
    cdef int row, slot
    cdef double most = tokens_most(s, t, seat, True)
    cdef const RowTable* table
    for row in range(ROWS):
        table = &t.rows[s.tile[row >> 2]][s.tile_side][row & 3]
        for slot in range(table.n_slots):
            most += table.points[slot]
        if row >= ROYAL and table.n_slots:
            most += table.bonus
    return most


cdef double scoring_most(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """The most favour that a seat can gain in final scoring."""
    return tokens_most(s, t, seat, False) + ESTATES * t.place_points[0]


cdef double rows_most(const RowContext* c, const Rows* r, int seat) noexcept nogil:
    """The most favour that a seat can still gain by choosing rows and by Chamberlains."""
    cdef int row, slot, colour, most = 0, used
    for slot in range(c.board.n_slots):
        colour = c.board.colour[slot]
        if r.empty >> slot & 1 and count_of(r.goods[seat], colour):
            most += c.board.points[slot] + count_of(c.per_good[seat], colour)
    for row in range(ROWS):
        if r.empty & c.board.row_slots[row] and not r.broken >> row & 1:
            most += c.board.bonus[row] if row >= ROYAL else c.estate_row[seat]
    for used in range(skips_used(r, seat), c.n_skips[seat]):
        most += c.skip_points[seat][used]
    return most


cdef void tree_key(const GameState* s, const GameTables* t, bint relative, uint64_t* key) noexcept nogil:
    """All that may differ between positions of one solve and still matters; the rest follows from it.

    Within one solve the order of play, companions, horses and storing order follow from wagons, counters and who has
    collected. Words: one a human, half a one for goods, one for estates and automas, four for what is being decided.
    """
    cdef int i, n = 4
    memset(key, 0, TREE_WORDS * 8)
    key[0] = (1 + s.decision | <uint64_t> s.stage << 8 | <uint64_t> s.seat << 16 | <uint64_t> s.rival << 24
              | <uint64_t> s.token << 32 | <uint64_t> s.evicted_from << 40 | <uint64_t> s.grey_left << 48
              | <uint64_t> s.next_chooser << 56)
    key[1] = s.used
    key[2] = s.to_place | <uint64_t> s.automa_deck << 32
    for i in range(ESTATES):
        key[3] |= <uint64_t> s.grey[i] << (32 + 8 * i)
    for i in range(t.humans):
        key[n] = (<uint64_t> <uint16_t> s.guards[i] | <uint64_t> s.horses[i] << 16 | <uint64_t> (s.position[i] + 1) << 24
                  | <uint64_t> s.wagon[i] << 32)
        if not relative:
            key[n] |= <uint64_t> <uint16_t> s.favour[i] << 48
        n += 1
    for i in range(t.humans, t.players):
        key[3] |= <uint64_t> ((s.position[i] + 1) << 3 | s.wagon[i] & 7) << 7 * (i - t.humans)
    for i in range(t.players):
        key[n + (i >> 1)] |= <uint64_t> s.goods[i] << 32 * (i & 1)
    n += (t.players + 1) >> 1
    for i in range(t.humans):
        key[n + i // 2] |= (s.estates[i][0] | <uint64_t> s.estates[i][1] << 8
                            | <uint64_t> s.estates[i][2] << 16) << 32 * (i & 1)


cdef bint open_tables(Engine* e, uint64_t table_bytes) noexcept nogil:
    cdef int width = 4 if e.paranoid else e.width
    cdef int words = 3 + (e.t.players > 4) + 2 * e.wide + 2
    if not table_open(&e.rows_table, words, width, table_bytes * 3 // 4):
        return False
    words = 4 + e.t.humans + (e.t.players + 1) // 2 + (e.t.humans + 1) // 2
    return table_open(&e.tree_table, words, width, table_bytes // 4)


cdef void forget_contexts(Engine* e) noexcept nogil:
    cdef int32_t i
    for i in range(e.n_endings):
        free(e.endings[i].added)
    e.n_endings = 0
    e.n_contexts = 0

# --- stopping ------------------------------------------------------------------------------------


cdef inline bint enter(Engine* e) noexcept nogil:
    """Count a node; False if the search is to stop."""
    e.nodes += 1
    if e.nodes < e.next_look:
        return not e.stopped
    return look(e)


cdef bint look(Engine* e) noexcept nogil:
    """Look at the clock, the number of nodes, and whether Ctrl-C has been pressed."""
    if e.nodes > e.max_nodes:
        e.stopped = True
    elif not e.quiet:
        with gil:
            look_around(e)
    e.next_look = e.nodes + LOOK_EVERY
    if e.next_look > e.max_nodes and e.nodes <= e.max_nodes:
        e.next_look = e.max_nodes + 1
    return not e.stopped


cdef void look_around(Engine* e) noexcept:
    try:
        PyErr_CheckSignals()
    except KeyboardInterrupt:
        e.interrupted = e.stopped = True
    if perf_counter() >= e.deadline:
        e.stopped = True

# --- values ----------------------------------------------------------------------------------------


cdef inline Score score(Engine* e, const double* value, int seat) noexcept nogil:
    return Score(value[seat], value[e.t.humans + seat] if e.objective == WIN else 0.0)


cdef inline bint takes(Engine* e, const double* value, const double* best, int seat) noexcept nogil:
    """Whether `seat` leaves the move of value `best` for a later one of `value`."""
    cdef int order = compare(score(e, value, seat), score(e, best, seat))
    if order or e.ties == TIES_FIRST:
        return order > 0
    order = compare(score(e, value, e.seat), score(e, best, e.seat))
    return order > 0 if e.ties == TIES_BEST else order < 0


cdef void utilities(Engine* e, const double* favour, const int* guards, double* out) noexcept nogil:
    """What favour and guards at the horizon are worth to each seat (rules 8.6 for a win)."""
    cdef int seat, other, humans = e.t.humans, ahead, level
    for seat in range(humans):
        if e.objective == FAVOUR:
            out[seat] = favour[seat]
        elif e.objective == MARGIN:
            out[seat] = favour[seat] - best_rival(favour, humans, seat)
        else:
            ahead = 0
            level = 0
            for other in range(humans):
                if abs(favour[other] - favour[seat]) <= SAME:
                    ahead += guards[other] > guards[seat]
                    level += guards[other] == guards[seat]
                else:
                    ahead += favour[other] > favour[seat]
            out[seat] = 0.0 if ahead else 1.0 / level
            out[humans + seat] = favour[seat]


cdef void utility_bounds(Engine* e, const double* least, const double* most, double* low, double* high) noexcept nogil:
    """Bounds of the utilities where the favour of each seat lies between `least` and `most`."""
    cdef int seat, other, humans = e.t.humans
    cdef double rival
    for seat in range(humans):
        if e.objective == FAVOUR:
            low[seat] = least[seat]
            high[seat] = most[seat]
        elif e.objective == MARGIN:
            low[seat] = least[seat] - best_rival(most, humans, seat)
            high[seat] = most[seat] - best_rival(least, humans, seat)
        else:
            low[seat] = 1.0 if least[seat] > best_rival(most, humans, seat) else 0.0
            high[seat] = 0.0 if most[seat] < best_rival(least, humans, seat) else 1.0
            low[humans + seat] = least[seat]
            high[humans + seat] = most[seat]


cdef void evaluate(Engine* e, const GameState* s, double* out) noexcept nogil:
    """The value at the horizon."""
    cdef double favour[MAX_PLAYERS]
    cdef int guards[MAX_PLAYERS]
    cdef int seat
    for seat in range(e.t.humans):
        favour[seat] = s.favour[seat]
        guards[seat] = s.guards[seat]
        if e.horizon == END_OF_STAGE and not is_over(s):
            guards[seat] -= s.perks[seat].recruit       # the clean-up has already given them
    if e.leaf != NULL and s.decision == D_ROUND:
        e.leaf(s, e.t, e.leaf_context, favour)
    utilities(e, favour, guards, out)

# --- bounds that need no search --------------------------------------------------------------------


cdef void rows_bounds(Engine* e, const RowContext* c, const Rows* r, double* low, double* high) noexcept nogil:
    """Bounds of the value of a position of choosing rows."""
    cdef double least[MAX_PLAYERS]
    cdef double most[MAX_PLAYERS]
    cdef int seat
    cdef const Ending* ending
    for seat in range(e.t.humans):
        least[seat] = 0
        most[seat] = rows_most(c, r, seat)
        if c.tracked:
            least[seat] += e.endings[c.ending].base.favour[seat] + r.gain[seat]
            most[seat] += e.endings[c.ending].base.favour[seat] + r.gain[seat]
    if c.ending >= 0:
        ending = &e.endings[c.ending]
        for seat in range(e.t.humans):
            if ending.added != NULL:
                least[seat] += ending.least[card_code(e.t, r.owners) * e.t.humans + seat]
                most[seat] += ending.most[card_code(e.t, r.owners) * e.t.humans + seat]
            else:
                later_bounds(e, &ending.base, seat, &least[seat], &most[seat])
    utility_bounds(e, least, most, low, high)


cdef void later_bounds(Engine* e, const GameState* s, int seat, double* least, double* most) noexcept nogil:
    """Add what the time after the storing stage can bring to a seat."""
    if e.leaf != NULL:
        least[0] = -INFINITY
        most[0] = INFINITY
    elif s.round == ROUNDS and e.horizon == END_OF_ROUND:
        most[0] += scoring_most(s, e.t, seat)


cdef void tree_bounds(Engine* e, const GameState* s, double* low, double* high) noexcept nogil:
    """Bounds of the value of any position before the horizon."""
    cdef double least[MAX_PLAYERS]
    cdef double most[MAX_PLAYERS]
    cdef int seat
    for seat in range(e.t.humans):
        least[seat] = 0 if s.stage <= TOWN_SELECTION else s.favour[seat]
        most[seat] = s.favour[seat]
        if s.stage <= STORING:
            most[seat] += stage_most(s, e.t, seat)
            later_bounds(e, s, seat, &least[seat], &most[seat])
        elif s.stage == FINAL_SCORING:
            most[seat] += scoring_most(s, e.t, seat)
    utility_bounds(e, least, most, low, high)

# --- contexts of the row search ----------------------------------------------------------------------


cdef int32_t context_of(Engine* e, const GameState* s) noexcept nogil:
    """The number of the context in which rows are chosen from here; -1 if there is none to be had."""
    cdef RowContext c
    if e.n_contexts == MOST_CONTEXTS or e.n_endings == MOST_ENDINGS:
        forget_contexts(e)
        memset(e.context_index, 0, 2 * (MOST_CONTEXTS + 1) * sizeof(int32_t))
        memset(e.rows_table.entries, 0, e.rows_table.size * e.rows_table.stride * 8)
        e.rows_table.used = 0
    memset(&c, 0, sizeof(RowContext))
    c.tracked = not separable(e, s)
    c.cards = e.horizon == END_OF_ROUND and (e.leaf != NULL or s.round == ROUNDS)
    c.ending = -1
    if c.tracked or c.cards:
        c.ending = ending_of(e, s, c.tracked, c.cards)
        if c.ending < 0:
            return -1
    fill_context(&c, s, e.t, board_of(e, s))
    return keep_context(e, &c)


cdef const Board* board_of(Engine* e, const GameState* s) noexcept nogil:
    cdef Board* board = &e.boards[s.tile[0]][s.tile[1]][s.tile_side]
    if not board.n_slots:
        make_board(board, e.t, s.tile[0], s.tile[1], s.tile_side)
    return board


cdef bint separable(Engine* e, const GameState* s) noexcept nogil:
    """Whether what is still to come does not depend on favour already held: see "Factored values"."""
    if e.objective != FAVOUR:
        return False
    if e.horizon == END_OF_STAGE:
        return True
    return e.leaf == NULL or e.leaf_additive if s.round < ROUNDS else not judges_the_poor(s, e.t)


cdef int32_t keep_context(Engine* e, const RowContext* c) noexcept nogil:
    """The number of an equal context that is kept already, or of a new one."""
    cdef size_t size = <const uint8_t*> &c.id - <const uint8_t*> c
    cdef uint64_t at = hash_bytes(c, size)
    cdef int32_t found
    cdef RowContext* grown
    while True:
        at &= 2 * (MOST_CONTEXTS + 1) - 1
        found = e.context_index[at] - 1
        if found < 0:
            break
        if memcmp(&e.contexts[found], c, size) == 0:
            return found
        at += 1
    if e.n_contexts == e.most_contexts:
        grown = <RowContext*> realloc(e.contexts, (2 * e.most_contexts + 16) * sizeof(RowContext))
        if grown == NULL:
            return -1
        e.contexts = grown
        e.most_contexts = 2 * e.most_contexts + 16
    found = e.n_contexts
    e.n_contexts += 1
    e.contexts[found] = c[0]
    e.contexts[found].id = found + 1
    e.context_index[at] = found + 1
    return found


cdef int32_t ending_of(Engine* e, const GameState* s, bint tracked, bint cards) noexcept nogil:
    """The number of what comes after the stage; -1 if it cannot be worked out."""
    cdef Ending fresh
    cdef Ending* grown
    cdef int32_t i
    memset(&fresh, 0, sizeof(Ending))
    copy_state(&fresh.base, s)
    clear_stage(&fresh.base)
    if not tracked and e.leaf == NULL:
        memset(fresh.base.favour, 0, sizeof(fresh.base.favour))
    fresh.hash = hash_bytes(&fresh.base, sizeof(GameState))
    for i in range(e.n_endings):
        if e.endings[i].hash == fresh.hash and memcmp(&e.endings[i].base, &fresh.base, sizeof(GameState)) == 0:
            return i
    if e.n_endings == e.most_endings:
        grown = <Ending*> realloc(e.endings, (2 * e.most_endings + 4) * sizeof(Ending))
        if grown == NULL:
            return -1
        e.endings = grown
        e.most_endings = 2 * e.most_endings + 4
    if not tracked and not fill_ending(e, &fresh):
        free(fresh.added)
        return -1
    e.endings[e.n_endings] = fresh
    e.n_endings += 1
    return e.n_endings - 1


cdef bint fill_ending(Engine* e, Ending* ending) noexcept nogil:
    """Work out what every way in which the cards can go adds to favour."""
    cdef int humans = e.t.humans, code, codes = 1, deck, seat, owner, step
    cdef double value[WIDTH]
    cdef size_t size
    cdef uint16_t owners
    for deck in range(DECKS):
        codes *= humans + 1
    size = codes * humans
    ending.added = <double*> malloc(3 * size * sizeof(double))
    if ending.added == NULL:
        return False
    ending.least = ending.added + size
    ending.most = ending.least + size
    for code in range(codes - 1, -1, -1):
        owners = owners_of(e.t, code)
        for deck in range(DECKS):
            if owners >> 3 * deck & 7 and ending.base.face_up[deck] == NONE:
                break
        else:
            if not after_stage(e, &ending.base, owners, NULL, value):
                return False
            for seat in range(humans):
                value[seat] -= ending.base.favour[seat]
                ending.added[code * humans + seat] = value[seat]
                ending.least[code * humans + seat] = ending.most[code * humans + seat] = value[seat]
            step = 1
            for deck in range(DECKS):       # those in which one card more is taken have been worked out before
                if not owners >> 3 * deck & 7 and ending.base.face_up[deck] != NONE:
                    for owner in range(1, humans + 1):
                        widen(e, ending, code * humans, (code + owner * step) * humans)
                step *= humans + 1
    return True


cdef inline void widen(Engine* e, Ending* ending, int at, int later) noexcept nogil:
    cdef int seat
    for seat in range(e.t.humans):
        if ending.least[later + seat] < ending.least[at + seat]:
            ending.least[at + seat] = ending.least[later + seat]
        if ending.most[later + seat] > ending.most[at + seat]:
            ending.most[at + seat] = ending.most[later + seat]


cdef bint after_stage(Engine* e, const GameState* base, int owners, const int* gain, double* out) noexcept nogil:
    """The value when the stage has ended with these owners of cards, and so much favour gained."""
    cdef GameState s
    cdef int deck, seat
    copy_state(&s, base)
    for deck in range(DECKS):
        if owners >> 3 * deck & 7:
            s.estates[(owners >> 3 * deck & 7) - 1][s.face_up[deck]] += e.t.symbols[deck]
            s.face_up[deck] = NONE
    if gain != NULL:
        for seat in range(e.t.humans):
            s.favour[seat] += gain[seat]
    end_storing(&s, e.t)
    return tree_value(e, &s, out, False)


cdef bint start_rows(Engine* e, const RowContext* c, const GameState* s, Rows* r) noexcept nogil:
    """The reduced form of a position in which a row or a card is to be chosen. False if keys had to be widened."""
    cdef int row, slot = 0, i, seat, player
    memset(r, 0, sizeof(Rows))
    for row in range(ROWS):
        for i in range(popcount(c.board.row_slots[row])):
            if not s.filled[row] >> i & 1:
                r.empty |= <uint64_t> 1 << slot
                r.needs += piece(c.board.colour[slot])
            slot += 1
    for player in range(e.t.players):
        r.goods[player] = s.goods[player]
    for seat in range(e.t.humans):
        r.skips |= used_skips(s, e.t, seat) << 3 * seat
    r.chooser = index_of(c.cycle, s.storing_order[s.next_chooser])
    if c.cards:
        for i in range(DECKS):
            if s.face_up[i] != NONE:
                r.offered |= 1 << i
        if s.decision == D_CARD:
            r.pending = pending_row(s, e.t, c) + 1
    settle(c, e.t, r)

# --- the search through choices of rows ----------------------------------------------------------------


cdef inline void rows_key(Engine* e, const RowContext* c, const Rows* r, uint64_t* key) noexcept nogil:
    cdef int n = 3
    key[0] = (c.id | <uint64_t> r.chooser << 16 | <uint64_t> r.broken << 19 | <uint64_t> r.pending << 27
              | <uint64_t> r.offered << 30 | <uint64_t> r.owners << 34 | <uint64_t> r.skips << 46)
    key[1] = r.empty
    key[2] = (nibbles(r.goods[0]) | nibbles(r.goods[1]) << 16 | nibbles(r.goods[2]) << 32
              | nibbles(r.goods[3]) << 48)
    if e.t.players > 4:
        key[3] = nibbles(r.goods[4]) | nibbles(r.goods[5]) << 16
        n = 4
    if e.rows_table.words > n:
        rest_of_key(e, c, r, key + n)


cdef void rest_of_key(Engine* e, const RowContext* c, const Rows* r, uint64_t* key) noexcept nogil:
    """What most positions do not need: numbers of pieces above 15, and favour gained."""
    cdef int player
    memset(key, 0, 4 * 8)
    if e.wide:
        for player in range(MAX_PLAYERS):
            key[player >> 2] |= nibbles(r.goods[player] >> 4) << 16 * (player & 3)
        key += 2
    if c.tracked:
        for player in range(MAX_PLAYERS):
            key[player >> 2] |= <uint64_t> <uint16_t> r.gain[player] << 16 * (player & 3)


cdef bint rows_end(Engine* e, const RowContext* c, const Rows* r, double* out) noexcept nogil:
    """The value when the stage is over."""
    cdef int seat
    cdef int gain[MAX_PLAYERS]
    cdef const double* added
    for seat in range(e.t.humans):
        gain[seat] = skips_at_end(c, r, seat)
    if not c.tracked:
        for seat in range(e.t.humans):
            out[seat] = gain[seat]
        if c.ending >= 0:
            added = e.endings[c.ending].added + card_code(e.t, r.owners) * e.t.humans
            for seat in range(e.t.humans):
                out[seat] += added[seat]
        return True
    for seat in range(e.t.humans):
        gain[seat] += r.gain[seat]
    return after_stage(e, &e.endings[c.ending].base, r.owners, gain, out)


cdef bint rows_value(Engine* e, const RowContext* c, const Rows* r, double* out) noexcept nogil:
    """The max^n value; of a context that is not tracked, the favour to come. False if the search has stopped."""
    cdef uint64_t key[ROWS_WORDS]
    cdef double* kept
    if rows_over(r):
        return rows_end(e, c, r, out)
    rows_key(e, c, r, key)
    kept = table_find(&e.rows_table, key)
    if kept != NULL:
        memcpy(out, kept, e.width * sizeof(double))
        return True
    if not rows_expand(e, c, r, out, NULL):
        return False
    memcpy(table_add(&e.rows_table, key), out, e.width * sizeof(double))
    return True


cdef bint rows_expand(Engine* e, const RowContext* c, const Rows* r, double* out, int* best) noexcept nogil:
    """The max^n value by trying the moves; also the number of the move taken, if it is asked for."""
    cdef Move_t moves[MAX_MOVES]
    cdef double value[WIDTH]
    cdef double low[WIDTH]
    cdef double high[WIDTH]
    cdef int i, n = rows_moves(c, e.t, r, moves), seat = seat_of(c, e.t, r)
    if not enter(e):
        rows_bounds(e, c, r, e.low, e.high)
        return False
    for i in range(n):
        if not rows_after(e, c, r, moves[i], value):
            rows_bounds(e, c, r, low, high)
            stop_at(e, seat, out if i else NULL, i + 1 < n, low, high)
            return False
        if i == 0 or takes(e, value, out, seat):
            memcpy(out, value, e.width * sizeof(double))
            if best != NULL:
                best[0] = i
    return True


cdef bint rows_after(Engine* e, const RowContext* c, const Rows* r, Move_t move, double* value) noexcept nogil:
    """The value of a move."""
    cdef Rows child = r[0]
    cdef int gain[MAX_PLAYERS]
    cdef int seat
    memset(gain, 0, sizeof(gain))
    play_rows(c, e.t, &child, move, gain)
    if c.tracked:
        for seat in range(e.t.humans):
            child.gain[seat] += gain[seat]
        return rows_value(e, c, &child, value)
    if rows_value(e, c, &child, value):
        for seat in range(e.t.humans):
            value[seat] += gain[seat]
        return True
    for seat in range(e.t.humans):
        e.low[seat] += gain[seat]
        e.high[seat] += gain[seat]
    return False


cdef void stop_at(Engine* e, int seat, const double* best, bint more, double* low, double* high) noexcept nogil:
    """Bounds of a position whose search stops within a move, whose bounds are `e.low` and `e.high`.

    Args:
        seat: who decides.
        best: the value of the best of the moves searched before, or NULL.
        more: whether there are moves not looked at.
        low, high: bounds of the position that need no search; they are used up.
    """
    cdef int i
    for i in range(e.width):
        if best != NULL:
            if i != seat and best[i] < e.low[i] or i == seat and best[i] > e.low[i]:
                e.low[i] = best[i]
            if best[i] > e.high[i]:
                e.high[i] = best[i]
        if more:
            if i != seat or e.low[i] < low[i]:
                e.low[i] = low[i]
            e.high[i] = high[i]

# --- the search through everything else -----------------------------------------------------------------


cdef bint tree_value(Engine* e, const GameState* s, double* out, bint keep) noexcept nogil:
    """The max^n value of any position before the horizon; `keep`: remember it. False if the search has stopped."""
    cdef uint64_t key[TREE_WORDS]
    cdef double* kept
    cdef int seat
    cdef bint relative
    if s.decision == D_ROUND or is_over(s):
        evaluate(e, s, out)
        return True
    if s.decision == D_ROW or s.decision == D_CARD:
        return rows_root(e, s, out)
    if not keep:
        return tree_expand(e, s, out, NULL, False)
    relative = e.forgets_favour and s.stage >= TAX_COLLECTION
    tree_key(s, e.t, relative, key)
    kept = table_find(&e.tree_table, key)
    if kept != NULL:
        memcpy(out, kept, e.width * sizeof(double))
        if relative:
            for seat in range(e.t.humans):
                out[seat] += s.favour[seat]
        return True
    if not tree_expand(e, s, out, NULL, True):
        return False
    kept = table_add(&e.tree_table, key)
    for seat in range(e.width):
        kept[seat] = out[seat] - (s.favour[seat] if relative else 0)
    return True


cdef bint tree_expand(Engine* e, const GameState* s, double* out, int* best, bint keep) noexcept nogil:
    """The max^n value by trying the moves; also the number of the move taken, if it is asked for."""
    cdef Move_t moves[MAX_MOVES]
    cdef double value[WIDTH]
    cdef double low[WIDTH]
    cdef double high[WIDTH]
    cdef int i, n
    cdef GameState child
    if not enter(e):
        tree_bounds(e, s, e.low, e.high)
        return False
    if is_chance(s):
        return tree_average(e, s, out, keep)
    n = legal_moves(s, e.t, moves)
    for i in range(n):
        copy_state(&child, s)
        apply_move(&child, e.t, moves[i])
        if not tree_value(e, &child, value, keep):
            tree_bounds(e, s, low, high)
            stop_at(e, s.seat, out if i else NULL, i + 1 < n, low, high)
            return False
        if i == 0 or takes(e, value, out, s.seat):
            memcpy(out, value, e.width * sizeof(double))
            if best != NULL:
                best[0] = i
    return True


cdef bint tree_average(Engine* e, const GameState* s, double* out, bint keep) noexcept nogil:
    """The mean over all outcomes of an automa's event, which are equally likely."""
    cdef uint64_t picks = s.automa_deck if s.decision == D_AUTOMA_CARD else towns_for_automa(s, e.t)
    cdef int i, n = popcount(picks)
    cdef double value[WIDTH]
    cdef GameState child
    cdef Outcome outcome
    memset(out, 0, e.width * sizeof(double))
    while picks:
        outcome.pick = lowest_bit(picks)
        picks &= picks - 1
        copy_state(&child, s)
        apply_chance(&child, e.t, &outcome)
        if not tree_value(e, &child, value, keep):
            tree_bounds(e, s, e.low, e.high)
            return False
        for i in range(e.width):
            out[i] += value[i] / n
    return True


cdef bint rows_root(Engine* e, const GameState* s, double* out) noexcept nogil:
    """The value of a position in which a row or card is to be chosen."""
    cdef Rows r
    cdef int32_t number = context_of(e, s)
    cdef int seat
    cdef const RowContext* c
    if number < 0:
        e.stopped = True
        tree_bounds(e, s, e.low, e.high)
        return False
    c = &e.contexts[number]
    start_rows(e, c, s, &r)
    if not rows_value(e, c, &r, out):
        if not c.tracked:
            for seat in range(e.t.humans):
                e.low[seat] += s.favour[seat]
                e.high[seat] += s.favour[seat]
        return False
    if not c.tracked:
        for seat in range(e.t.humans):
            out[seat] += s.favour[seat]
    return True


cdef void root_moves(Engine* e, const GameState* s, const Move_t* moves, int n, double[WIDTH]* low,
                     double[WIDTH]* high) noexcept nogil:
    cdef int i
    cdef GameState child
    for i in range(n):
        copy_state(&child, s)
        apply_move(&child, e.t, moves[i])
        if tree_value(e, &child, low[i], True):
            memcpy(high[i], low[i], e.width * sizeof(double))
        else:
            memcpy(low[i], e.low, sizeof(e.low))
            memcpy(high[i], e.high, sizeof(e.high))


# --- the solver in Python ---------------------------------------------------------------------------

cdef class Solver:
    """Solves positions of one game for one goal, and remembers what it has found out.

    Args:
        tables: the game.
        objective: 0 favour, 1 margin over the best rival, 2 win share and then favour.
        horizon: 0 end of the storing stage, 1 end of the round (in round 6, of the game).
        paranoid: whether all others play against `seat`, instead of max^n.
        ties: 0 first move, 1 worst and 2 best for `seat`, among moves equally good for who decides.
        seat: whose guaranteed value is wanted (paranoid), or whom ties are judged by.
        table_bytes: most memory for what is remembered.
    """

    def __cinit__(self, Tables tables not None, int objective=0, int horizon=0, bint paranoid=False, int ties=0,
                  int seat=0, uint64_t table_bytes=1 << 28):
        cdef Engine* e = &self.e
        if not (0 <= objective <= 2 and 0 <= horizon <= 1 and 0 <= ties <= 2 and 0 <= seat < tables.c.humans):
            raise ValueError("objective, horizon, ties or seat out of range")
        self.tables = tables
        e.t = &tables.c
        e.objective, e.horizon, e.paranoid, e.ties, e.seat = objective, horizon, paranoid, ties, seat
        e.width = (2 if objective == WIN else 1) * tables.c.humans
        e.context_index = <int32_t*> calloc(2 * (MOST_CONTEXTS + 1), sizeof(int32_t))
        if e.context_index == NULL or not open_tables(e, table_bytes):
            raise MemoryError("no memory for a solver")
        e.max_nodes = <uint64_t> -1
        e.deadline = INFINITY

    def __dealloc__(self):
        forget_contexts(&self.e)
        free(self.e.rows_table.entries)
        free(self.e.tree_table.entries)
        free(self.e.contexts)
        free(self.e.context_index)
        free(self.e.endings)

    @property
    def nodes(self):
        """Positions whose moves have been tried."""
        return self.e.nodes

    def solve(self, StateCore state not None):
        """The legal moves of a decision: (move code, low, high), each a bound of the value after it.

        Equal bounds are exact values. A value has an entry for each seat, and for WIN another for each seat's favour.
        """
        cdef GameState s
        cdef Move_t moves[MAX_MOVES]
        cdef double low[MAX_MOVES][WIDTH]
        cdef double high[MAX_MOVES][WIDTH]
        cdef int i, n, width = self.e.width
        self.prepare(state, &s)
        n = legal_moves(&s, self.e.t, moves)
        with nogil:
            root_moves(&self.e, &s, moves, n, low, high)
        return [(moves[i], [low[i][j] for j in range(width)], [high[i][j] for j in range(width)]) for i in range(n)]

    cdef int prepare(self, StateCore state, GameState* s) except -1:
        """Copy the position. Where the horizon is the end of the stage, the game goes on after it as after a round."""
        if state.tables is not self.tables:
            raise ValueError("the state is of another game")
        copy_state(s, &state.s)
        if self.e.horizon == END_OF_STAGE and s.round == ROUNDS and s.stage <= STORING:
            s.round = ROUNDS - 1
        self.e.forgets_favour = separable(&self.e, s)
        self.e.stopped = self.e.interrupted = False
        self.e.next_look = 0
        return 0


require_layout("lusatia_ai._solver", sizeof(GameState), sizeof(GameTables))
