"""Exact solving by exhaustive search with memory: max^n and, for one seat against all, alpha-beta.

Max^n (Luckhardt and Irani 1986): whoever decides takes what is best for themselves, in the knowledge that everybody will.
Searches work hand in hand. `rows_...` walks the choosing of rows on the reduced model of `_rows.pxd`; `tree_...` walks
everything around it on whole states, by the forward model. For favour in the last round, where nearly all time goes, graphs of
both keep moves that have been played: `class_...` on `_rowgraph.pxd`, `tax_...` on `_taxgraph.pxd`; and `_bidding.pyx` has
town selection. What is left out of keys and positions, and why, is written in `_rows.pxd`, `_reduce.pxd` and `_guards.pxd`.
What the searches themselves leave out:

*Factored values.* Where the value is favour and nothing that decides or counts depends on favour already held, two
positions that differ in favour alone have the same best play: tables keep the favour still to come, and keys leave
favour out. Where Gamekeepers (rules 8.1) compare favour at the end, only who will be poorer than the holder plays a part.
For other objectives favour is part of the key.

*Classes of cards.* What follows the stage depends, besides, only on who has taken which card. What each way in which the
cards can go adds to favour is worked out once (`Ending`). Two ways are of one class if from there on cards can only be
taken for the same rows and with the same changes of favour: then the rest of the game is the same but for a constant, so
keys hold the class instead of the owners.

*Moves that cannot be taken.* Who decides takes the move that is best for them. A move that cannot bring them more than one
already known, or as much only where the other wins ties, does not change the value, whatever it is worth to others.
So, other than with shallow pruning, every value found is exact and can be kept.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from cpython.exc cimport PyErr_CheckSignals

from ._core import require_layout

from time import perf_counter

try:
    import resource
except ImportError:              # not on this system
    resource = None


cdef enum:
    LOOK_EVERY = 4096        # nodes between looks at the clock
    MOST_NUMBERED = 50000    # contexts and classes have numbers of 16 bits in keys; one ending can add 10,000 classes
    MOST_PROFILES = 1000
    ROW_OPTIONS = ROWS + GOODS + ROYAL * (DECKS - 1)   # with the card taken

cdef double SAME = 1e-9      # utilities closer than this are equal: averages over chance are rounded

ctypedef struct Score:
    double main
    double favour

cdef Score LOWEST = Score(-INFINITY, -INFINITY)
cdef Score HIGHEST = Score(INFINITY, INFINITY)

# A move in a choice of rows.
ctypedef struct Branch:
    Rows after
    double gain[MAX_PLAYERS]         # by seat: what it adds to favour
    double most                      # that it can bring to who decides
    uint64_t key[ROWS_WORDS]
    uint64_t at                      # hash of the key

# A move in a position of the graph, and the card taken with it.
ctypedef struct Option:
    int32_t after            # as of `RowEdge`
    uint16_t cards           # class after it
    int16_t gain[MAX_PLAYERS]
    int16_t most             # that it can bring to who decides
    uint64_t key
    uint64_t at              # hash of the key

# What a value is known to lie between; equal if it is known exactly.
ctypedef struct Bounds:
    Score low
    Score high


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


# --- stopping ---------------------------------------------------------------------------------------------

cdef inline bint enter(Engine* e) noexcept nogil:
    """Count a node; False if the search is to stop."""
    if e.stopped:
        return False
    e.nodes += 1
    return e.nodes < e.next_look or look(e)


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
    if e.should_stop != NULL and (<object> e.should_stop)():
        e.stopped = True
    cdef double left = e.deadline - perf_counter()
    if left <= 0:
        e.stopped = True
    table_settle(&e.rows_table, left)
    table_settle(&e.class_table, left)
    table_settle(&e.selection_table, left)
    table_settle(&e.tree_table, left)
    table_settle(&e.tax_table, left)
    table_settle(&e.ending_table, left)
    table_settle(&e.bidding.positions, left)
    table_settle(&e.bidding.versions, left)
    table_settle(&e.bidding.outcomes, left)

# --- values ----------------------------------------------------------------------------------------


cdef inline Score score(const Engine* e, const double* value, int seat) noexcept nogil:
    return Score(value[seat], value[e.t.humans + seat] if e.objective == WIN else 0.0)


cdef inline bint takes(const Engine* e, const double* value, const double* best, int seat, bint earlier) noexcept nogil:
    """Whether `seat` leaves the move of value `best` for a later one of `value`."""
    cdef int order = compare(score(e, value, seat), score(e, best, seat))
    if order or e.ties == TIES_FIRST:
        return order > 0 or order == 0 and earlier
    order = compare(score(e, value, e.seat), score(e, best, e.seat))
    return order == 0 and earlier or (order > 0 if e.ties == TIES_BEST else order < 0)


cdef inline double best_rival(const double* favour, int humans, int seat) noexcept nogil:
    cdef double best = -INFINITY
    cdef int other
    for other in range(humans):
        if other != seat and favour[other] > best:
            best = favour[other]
    return best


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
    """Bounds of the value of a position of choosing rows; as `rows_value`, of the favour to come if gains are untracked."""
    cdef double least[MAX_PLAYERS]
    cdef double most[MAX_PLAYERS]
    cdef int seat
    cdef const GameState* base = &e.endings[c.ending].base
    cdef const CardClass* cards = &e.classes[0 if c.tracking == GAINS else r.cards]
    for seat in range(e.t.humans):
        least[seat] = 0
        most[seat] = rows_most(c, e.t, r, seat)
        if c.tracking == GAINS:
            least[seat] = base.favour[seat] + r.tracked[seat]
            most[seat] += base.favour[seat] + r.tracked[seat]
            later_bounds(e, base, seat, &least[seat], &most[seat])
        else:
            least[seat] += cards.least[seat]
            most[seat] += cards.most[seat]
    if c.tracking == LEADS:
        most[c.judge] += c.per_poorer * (e.t.humans - 1)
    utility_bounds(e, least, most, low, high)


cdef void later_bounds(const Engine* e, const GameState* s, int seat, double* least, double* most) noexcept nogil:
    """Add what the time after the storing stage can bring to a seat."""
    if e.horizon == END_OF_ROUND and s.round == ROUNDS:
        most[0] += scoring_most(s, e.t, seat)
    elif e.leaf != NULL:
        least[0] = -INFINITY
        most[0] = INFINITY


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


include "_solver_endings.pxi"
include "_solver_rows.pxi"


# --- the search through everything else -----------------------------------------------------------------


cdef bint tree_value(Engine* e, const GameState* s, double* out, bint keep) noexcept nogil:
    """The max^n value of any position before the horizon; `keep`: remember it. False if the search has stopped."""
    cdef uint64_t key[TREE_WORDS]
    cdef uint64_t at
    cdef int seat
    cdef bint relative
    cdef GameState reduced
    if e.collects and (s.stage == TAX_COLLECTION or s.stage == STORING) and s.decision != D_ROW and s.decision != D_CARD:
        if tax_root(e, s, out):
            return True
        if e.collects:
            return False
    if not e.plain:
        s = reduce_position(e, s, &reduced)
    if s.decision == D_ROUND or is_over(s):
        evaluate(e, s, out)
        return True
    if (s.decision == D_ROW or s.decision == D_CARD) and not e.plain:
        return rows_root(e, s, out)
    if e.bids and s.stage == TOWN_SELECTION:
        return bidding_root(e, s, out)
    if not keep or e.plain or e.left_out & MEMORY:
        return tree_expand(e, s, out, NULL, keep)
    relative = e.forgets_favour and s.stage >= TAX_COLLECTION
    position_key(s, e.t, relative, key)
    at = table_hash(table_for(e, s), key)
    if table_find(table_for(e, s), key, at, out):
        if relative:
            for seat in range(e.t.humans):
                out[seat] += s.favour[seat]
        return True
    if not tree_expand(e, s, out, NULL, True):
        return False
    for seat in range(e.t.humans):
        out[seat] -= s.favour[seat] if relative else 0
    table_keep(table_for(e, s), key, at, out)
    for seat in range(e.t.humans):
        out[seat] += s.favour[seat] if relative else 0
    return True


cdef inline const GameState* reduce_position(const Engine* e, const GameState* s, GameState* reduced) noexcept nogil:
    """A position of equal value; either `s` or `reduced`.

    In town selection, moves made between which there is no choice; and of who answers a bid the place on the counter is
    forgotten, since they either leave it or move up (rules 3.6, 3.7). After it, differences of counters and guards that
    cannot matter any more.
    """
    cdef Move_t moves[MAX_MOVES]
    while s.stage == TOWN_SELECTION and not is_chance(s) and legal_moves(s, e.t, moves) == 1:
        s = copied(s, reduced)
        apply_move(reduced, e.t, moves[0])
    if e.left_out & LEVELLING:
        return s
    if s.decision == D_RESPOND:
        s = copied(s, reduced)
        reduced.position[s.seat] = ROAD
    elif s.decision == D_COLLECT or s.decision == D_GREY or s.decision == D_FARMER or s.decision == D_MERCHANT:
        s = copied(s, reduced)
        forget_counters(reduced, e.t)
        if e.leaf == NULL or s.round == ROUNDS:
            level_guards(reduced, e.t, comparison(e, s), guards_used(e, s))
    return s


cdef inline const GameState* copied(const GameState* s, GameState* copy) noexcept nogil:
    """The copy, which may be `s` already."""
    if s != copy:
        copy_state(copy, s)
    return copy


cdef bint tree_expand(Engine* e, const GameState* s, double* out, int* best, bint keep) noexcept nogil:
    """The max^n value by trying the moves; also the number of the move taken, if it is asked for."""
    cdef Move_t moves[MAX_MOVES]
    cdef double value[WIDTH]
    cdef double low[WIDTH]
    cdef double high[WIDTH]
    cdef int i, n, only
    cdef GameState child
    if not enter(e):
        tree_bounds(e, s, e.low, e.high)
        return False
    if is_chance(s):
        return tree_average(e, s, out, keep)
    n = legal_moves(s, e.t, moves)
    only = only_move(e, s, moves, n) if best == NULL else -1
    for i in range(n):
        if only >= 0 and i != only:
            continue
        copy_state(&child, s)
        apply_move(&child, e.t, moves[i])
        if not tree_value(e, &child, value, keep):
            tree_bounds(e, s, low, high)
            stop_at(e, s.seat, out if i and only < 0 else NULL, i + 1 < n, low, high)
            return False
        if i == 0 or only >= 0 or takes(e, value, out, s.seat, False):
            memcpy(out, value, e.width * sizeof(double))
            if best != NULL:
                best[0] = i
    return True


cdef inline int only_move(const Engine* e, const GameState* s, const Move_t* moves, int n) noexcept nogil:
    """The number of the one move that need be looked at for the value of a position; -1 if there is none such.

    Let the value be favour. Who hands over guards (rules 8.2) and is level in no estate with anybody changes nothing but
    their own favour and guards, for guards count only among those with equally many symbols; and those who decide later
    do not ask for the favour of others. Each guard handed over adds favour, and the dearer exchange comes first, so
    handing over the most, now and later, is best. Another choice that is as good hands over as many guards at each price,
    if in another exchange, so it leaves everybody with the same: the value is the same whichever is taken.
    """
    cdef int i, most = 0
    if s.decision != D_HAND_OVER or e.objective != FAVOUR or e.plain or e.left_out & LEVELLING:
        return -1
    if e.paranoid and s.seat != e.seat:
        return -1
    if level_in_some_estate(s, e.t, s.seat):
        return -1
    for i in range(1, n):
        if move_argument(moves[i]) > move_argument(moves[most]):
            most = i
    return most


cdef inline bint level_in_some_estate(const GameState* s, const GameTables* t, int seat) noexcept nogil:
    """Whether another human has as many symbols of an estate, and at least one."""
    cdef int estate
    for estate in range(ESTATES):
        if level_seats(s, t, estate) >> seat & 1:
            return True
    return False


cdef bint tree_average(Engine* e, const GameState* s, double* out, bint keep) noexcept nogil:
    """The mean over all outcomes of an automa's event, which are equally likely."""
    cdef uint64_t picks = picks_of(s, e.t)
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


include "_solver_tax.pxi"


# --- town selection -------------------------------------------------------------------------------------

cdef bint bidding_root(Engine* e, const GameState* s, double* out) noexcept nogil:
    """The value of a position of town selection."""
    if bidding_value(&e.bidding, s, out):
        return True
    tree_bounds(e, s, e.low, e.high)
    return False


cdef bint value_collection(void* engine, const GameState* s, double* out) noexcept nogil:
    """A `CollectionValue`."""
    return tree_value(<Engine*> engine, s, out, True)


cdef bint visit(void* engine) noexcept nogil:
    """A `Visit`."""
    return enter(<Engine*> engine)


cdef inline bint can_bid(const Engine* e, const GameState* s) noexcept nogil:
    """Whether town selection can be solved on its own model: favour may count only by what it pays."""
    return (e.objective == FAVOUR and e.forgets_favour and e.leaf == NULL and not e.paranoid and not e.plain
            and not e.left_out & (BIDDING | MEMORY) and fits_bidding(s, e.t))


cdef bint prepare_bidding(Engine* e, const GameState* s) noexcept nogil:
    """Begin with a position, unless it is the one begun with last. False if there is no memory."""
    cdef Bidding* b = &e.bidding
    if not e.bids or (b.positions.entries != NULL and b.outcomes.entries != NULL
                      and memcmp(&b.start, s, sizeof(GameState)) == 0):
        return True
    b.nodes = &e.nodes
    begin_bidding(b, s, e.t)
    b.engine = e
    b.collection_value = value_collection
    b.visit = visit
    b.ties, b.judge = e.ties, e.seat
    return open_bidding(b, e.table_bytes // 32 * 8, &e.supply)


cdef bint rows_root(Engine* e, const GameState* s, double* out) noexcept nogil:
    """The value of a position in which a row or card is to be chosen."""
    cdef Rows r
    cdef const RowContext* c
    cdef double added[MAX_PLAYERS]
    cdef int seat
    if not begin_rows(e, s, &c, &r, added):
        e.stopped = True
        tree_bounds(e, s, e.low, e.high)
        return False
    if not rows_value(e, c, &r, out):
        for seat in range(e.t.humans):
            e.low[seat] += added[seat]
            e.high[seat] += added[seat]
        return False
    for seat in range(e.t.humans):
        out[seat] += added[seat]
    return True


include "_solver_paranoid.pxi"


# --- the root ---------------------------------------------------------------------------------------------

cdef bint bounds_after(Engine* e, const GameState* s, double* low, double* high) noexcept nogil:
    """Bounds of the value of a position; equal ones unless the search has stopped."""
    cdef Bounds bounds
    cdef bint done
    if e.paranoid:
        done = tree_search(e, s, LOWEST, HIGHEST, &bounds, True)
        write_bounds(e, &bounds, low, high)
        return done
    done = tree_value(e, s, low, True)
    take_bounds(e, done, low, high)
    return done


cdef inline void take_bounds(const Engine* e, bint done, double* low, double* high) noexcept nogil:
    """From a value, or from where a search that has stopped has left them."""
    if not done:
        memcpy(low, e.low, sizeof(e.low))
        memcpy(high, e.high, sizeof(e.high))
    else:
        memcpy(high, low, e.width * sizeof(double))


cdef void write_bounds(const Engine* e, const Bounds* bounds, double* low, double* high) noexcept nogil:
    """As values, in which only the entries of `e.seat` count."""
    memset(low, 0, e.width * sizeof(double))
    memset(high, 0, e.width * sizeof(double))
    low[e.seat] = bounds.low.main
    high[e.seat] = bounds.high.main
    if e.objective == WIN:
        low[e.t.humans + e.seat] = bounds.low.favour
        high[e.t.humans + e.seat] = bounds.high.favour


cdef bint rows_bounds_after(Engine* e, const RowContext* c, const Rows* r, double* low, double* high) noexcept nogil:
    """As `bounds_after`."""
    cdef Bounds bounds
    cdef bint done
    if e.paranoid:
        done = rows_search(e, c, r, LOWEST, HIGHEST, &bounds)
        write_bounds(e, &bounds, low, high)
        return done
    done = rows_value(e, c, r, low)
    take_bounds(e, done, low, high)
    return done


cdef void root_moves(Engine* e, const GameState* s, const Move_t* moves, int n, double[WIDTH]* low,
                     double[WIDTH]* high) noexcept nogil:
    """Bounds of the value of every move."""
    cdef GameState child
    cdef int i
    if (s.decision == D_ROW or s.decision == D_CARD) and not e.plain:
        root_rows(e, s, moves, n, low, high)
        return
    for i in range(n):
        copy_state(&child, s)
        apply_move(&child, e.t, moves[i])
        bounds_after(e, &child, low[i], high[i])


cdef void root_rows(Engine* e, const GameState* s, const Move_t* moves, int n, double[WIDTH]* low,
                    double[WIDTH]* high) noexcept nogil:
    """The same where a row or card is to be chosen: in one context, so that the moves share what is remembered."""
    cdef Rows r, child
    cdef const RowContext* c
    cdef double added[MAX_PLAYERS]
    cdef double gain[MAX_PLAYERS]
    cdef int i, seat
    if not begin_rows(e, s, &c, &r, added):
        e.stopped = True
        for i in range(n):
            tree_bounds(e, s, low[i], high[i])
        return
    for i in range(n):
        child = r
        memset(gain, 0, sizeof(gain))
        if s.decision == D_ROW or r.pending:       # else no card makes a difference
            rows_after(e, c, &child, moves[i], gain)
        rows_bounds_after(e, c, &child, low[i], high[i])
        for seat in range(e.t.humans):
            if not e.paranoid or seat == e.seat:
                low[i][seat] += added[seat] + gain[seat]
                high[i][seat] += added[seat] + gain[seat]


cdef int best_move(Engine* e, const GameState* s, bint keep) noexcept nogil:
    """The number of the move that is taken in a position, other than one of choosing rows; -1 if the search has stopped."""
    cdef double value[WIDTH]
    cdef double high[WIDTH]
    cdef Bounds bounds
    cdef int best = 0
    if not e.paranoid:
        return best if tree_expand(e, s, value, &best, keep) else -1
    tree_bounds(e, s, value, high)
    bounds = bounds_of(e, value, high)
    return best if tree_try(e, s, LOWEST, HIGHEST, &bounds, keep, &best) else -1


cdef int best_row(Engine* e, const RowContext* c, const Rows* r) noexcept nogil:
    """The same where a row or card is to be chosen."""
    cdef double value[WIDTH]
    cdef double high[WIDTH]
    cdef Bounds bounds
    cdef int best = 0
    if not e.paranoid:
        return best if rows_expand(e, c, r, value, &best) else -1
    rows_bounds(e, c, r, value, high)
    bounds = bounds_of(e, value, high)
    return best if rows_try(e, c, r, LOWEST, HIGHEST, &bounds, &best) else -1


cdef bint play_best_rows(Engine* e, GameState* s, Move_t* line, uint8_t* seats, int* n, int room) noexcept nogil:
    """Play on until no row or card is to be chosen any more. False if the search has stopped, or there is no room."""
    cdef Rows r
    cdef const RowContext* c
    cdef Move_t moves[MAX_MOVES]
    cdef double added[MAX_PLAYERS]
    cdef double gain[MAX_PLAYERS]
    cdef int best
    if not begin_rows(e, s, &c, &r, added):
        return False
    while s.decision == D_ROW or s.decision == D_CARD:
        best = 0
        legal_moves(s, e.t, moves)
        if s.decision == D_ROW or r.pending:
            best = best_row(e, c, &r)
            if best < 0:
                return False
            rows_after(e, c, &r, moves[best], gain)
        if not note_move(s, moves[best], line, seats, n, room):
            return False
        apply_move(s, e.t, moves[best])
    return True


cdef inline bint note_move(const GameState* s, Move_t move, Move_t* line, uint8_t* seats, int* n, int room) noexcept nogil:
    if n[0] == room:
        return False
    if line != NULL:
        line[n[0]] = move
        seats[n[0]] = s.seat
    n[0] += 1
    return True


cdef bint play_best(Engine* e, GameState* s, Move_t* line, uint8_t* seats, int* n, int room) noexcept nogil:
    """Play on as solved, up to the horizon or the next chance event.

    Args:
        line, seats: where to write the moves and who makes them, or NULL.
        n: how many moves there are; counted on.
        room: the most moves to be made.

    Returns:
        False if the search has stopped, or there is no room.
    """
    cdef Move_t moves[MAX_MOVES]
    cdef int best
    while not is_chance(s) and not is_over(s):
        if (s.decision == D_ROW or s.decision == D_CARD) and not e.plain:
            if not play_best_rows(e, s, line, seats, n, room):
                return False
            continue
        best = best_move(e, s, s.stage != FINAL_SCORING or e.scoring_root)
        legal_moves(s, e.t, moves)
        if best < 0 or not note_move(s, moves[best], line, seats, n, room):
            return False
        apply_move(s, e.t, moves[best])
    return True


cdef bint solve_storing(Engine* e, GameState* s, uint64_t max_nodes) noexcept nogil:
    """Play on to the end of the storing stage as solved (what the clean-up and, in round 6, the final scoring do at once
    included), with at most so many nodes. The solver's goal must be favour at the end of the stage by max^n.

    Returns:
        Whether it has been done. If not, some moves may have been made, each of them right.
    """
    cdef GameState twin
    cdef Move_t moves[MAX_MOVES]
    cdef int best, n = 0
    start_work(e, e.nodes + max_nodes, True)
    while s.stage == STORING:
        if s.decision == D_ROW or s.decision == D_CARD:
            if not play_best_rows(e, s, NULL, NULL, &n, 1000):
                return False
            continue
        copy_state(&twin, s)
        as_between_rounds(&twin)
        best = best_move(e, &twin, False)
        if best < 0:
            return False
        legal_moves(s, e.t, moves)
        apply_move(s, e.t, moves[best])
    return True


cdef inline void as_between_rounds(GameState* s) noexcept nogil:
    """Let the last round's storing be followed by another round, so that the game stops at the end of the stage."""
    if s.round == ROUNDS and s.stage <= STORING:
        s.round = ROUNDS - 1


cdef inline void start_work(Engine* e, uint64_t max_nodes, bint quiet) noexcept nogil:
    """Before a search: nothing has stopped it yet."""
    e.max_nodes = max_nodes
    e.quiet = quiet
    e.stopped = e.interrupted = False
    e.next_look = 0


cdef void price_holdings(const GameState* s, const GameTables* t, void* context, double* value) noexcept nogil:
    """A simple `Leaf`: favour, guards and symbols of estates at fixed prices."""
    cdef const double* prices = <const double*> context
    cdef int seat
    for seat in range(t.humans):
        value[seat] = s.favour[seat] + prices[0] * s.guards[seat] + prices[1] * (
            s.estates[seat][0] + s.estates[seat][1] + s.estates[seat][2])


# --- the solver in Python ---------------------------------------------------------------------------

TECHNIQUES = ("memory", "factoring", "reduction", "classes", "levelling", "bounds", "alpha-beta", "bidding", "graphs")


def farmers_of(StateCore state not None):
    """Mask of the seats that may still decide on a Farmer this round, with tokens held or still to be collected."""
    cdef const GameState* s = &state.s
    cdef const GameTables* t = state.table()
    cdef int seat, i, town, token, seats = 0
    for seat in range(t.humans):
        for i in range(s.n_companions[seat]):
            token = s.companions[seat][i]
            if t.tokens[token].perks.flags & F_FARMER and not s.used >> token & 1:
                seats |= 1 << seat
        town = s.wagon[seat]
        if not t.easy and town != NONE and s.town_token[town] != NONE:
            if t.tokens[s.town_token[town]].perks.flags & F_FARMER:
                seats |= 1 << seat
    return seats


def model_difference(StateCore state not None, uint64_t seed):
    """Play random moves to the end of the storing stage, on whole states and on the reduced model; compare every step.

    Args:
        state: a position in which a row or a card is to be chosen, before round 6.

    Returns:
        What differs first, or None; and the number of steps compared.
    """
    cdef Solver solver = Solver(state.tables)
    cdef GameState s
    cdef Rows r
    cdef const RowContext* c
    cdef Rng rng
    cdef Move_t moves[MAX_MOVES]
    cdef Move_t reduced[MAX_MOVES]
    cdef double gain[MAX_PLAYERS]
    cdef double total[MAX_PLAYERS]
    cdef int n, pick, seat, steps = 0
    rng_seed(&rng, seed)
    solver.prepare(state, &s)
    if not begin_rows(&solver.e, &s, &c, &r, total):
        raise MemoryError("no memory for a solver")
    while s.decision == D_ROW or s.decision == D_CARD:
        n = legal_moves(&s, solver.e.t, moves)
        pick = rng_below(&rng, n)
        if s.decision == D_ROW:                        # cards are left out up to the end of the stage
            if s.seat != seat_of(c, solver.e.t, &r) or n != rows_moves(c, solver.e.t, &r, reduced):
                return "who decides, or how many moves there are", steps
            if memcmp(moves, reduced, n * sizeof(Move_t)):
                return "legal moves", steps
            rows_after(&solver.e, c, &r, moves[pick], gain)
            for seat in range(solver.e.t.humans):
                total[seat] += gain[seat]
        apply_move(&s, solver.e.t, moves[pick])
        steps += 1
        for seat in range(solver.e.t.humans):
            if s.stage == STORING and total[seat] != s.favour[seat]:
                return f"favour of seat {seat}", steps
    if not rows_over(&r):
        return "where the stage ends", steps
    for seat in range(solver.e.t.humans):
        if total[seat] + skips_at_end(c, &r, seat) != s.favour[seat]:
            return f"favour of seat {seat} at the end", steps
    return None, steps


def address_space_left():
    """How many bytes more the process may map, where the system limits that (`ulimit -v`); else more than there are."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0] if resource else -1
    if limit < 0:
        return 1 << 62
    try:
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        used = limit // 2
    return max(0, limit - used)


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
        plain: try every move on whole states by the forward model, without any of the techniques of this module; slow,
            to check the results against.
    """

    def __cinit__(self, Tables tables not None, int objective=0, int horizon=0, bint paranoid=False, int ties=0,
                  int seat=0, uint64_t table_bytes=1 << 28, bint plain=False):
        cdef Engine* e = &self.e
        if not (0 <= objective <= 2 and 0 <= horizon <= 1 and 0 <= ties <= 2 and 0 <= seat < tables.c.humans):
            raise ValueError("objective, horizon, ties or seat out of range")
        self.tables = tables
        e.t = &tables.c
        e.objective, e.horizon, e.paranoid, e.ties, e.seat = objective, horizon, paranoid, ties, seat
        e.width = (2 if objective == WIN else 1) * tables.c.humans
        e.table_bytes = min(table_bytes, <uint64_t> address_space_left() // 3)    # more is reserved; half is for the stack and others
        e.supply = e.table_bytes
        e.plain = plain
        if not (forget(e) and open_tree(e)):
            raise MemoryError("no memory for a solver")
        e.max_nodes = <uint64_t> -1
        e.deadline = INFINITY

    def __dealloc__(self):
        cdef uint32_t i
        close_bidding(&self.e.bidding)
        table_close(&self.e.rows_table)
        table_close(&self.e.selection_table)
        table_close(&self.e.tree_table)
        free(self.e.context_index.numbers)
        free(self.e.ending_index.numbers)
        free(self.e.class_index.numbers)
        free(self.e.shift_index.numbers)
        for i in range(self.e.n_profiles):
            free(self.e.profiles[i].added)
        free(self.e.profiles)
        free(self.e.shifts)
        free(self.e.contexts)
        free(self.e.classes)
        free(self.e.steps)
        table_close(&self.e.class_table)
        graph_close(&self.e.row_graph)
        table_close(&self.e.tax_table)
        table_close(&self.e.ending_table)
        tax_close(&self.e.tax_graph)
        free(self.e.endings)

    @property
    def nodes(self):
        """Positions whose moves have been tried."""
        return self.e.nodes

    @property
    def complete(self):
        """Whether the last call came to its end."""
        return not self.e.stopped

    @property
    def interrupted(self):
        """Whether Ctrl-C ended the last call."""
        return bool(self.e.interrupted)

    def limit(self, double deadline, unsigned long long nodes, should_stop=None):
        """Stop when `perf_counter` reaches the deadline (infinity: never), or after so many nodes in all.

        Args:
            should_stop: called now and then while the search runs, without arguments; it stops if that is true.
        """
        self.e.deadline = deadline
        self.e.max_nodes = nodes
        self.should_stop = should_stop
        self.e.should_stop = NULL if should_stop is None else <void*> should_stop

    @property
    def remembered(self):
        """How many positions are remembered: up to town selection, after it, and of choosing rows."""
        cdef Engine* e = &self.e
        return (e.selection_table.used + e.bidding.positions.used, e.tree_table.used + e.tax_table.used,
                e.rows_table.used + e.class_table.used)

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

    def leave_out(self, *names):
        """Do without some of TECHNIQUES from the start, to measure what they gain."""
        for name in names:
            self.e.left_out |= 1 << TECHNIQUES.index(name)

    def value_round_end(self, double guard, double symbol):
        """Take the end of a round as worth favour, plus so much for each guard and for each symbol of an estate."""
        self.prices[0], self.prices[1] = guard, symbol
        self.set_leaf(price_holdings, &self.prices, True)

    cdef int set_leaf(self, Leaf leaf, void* context, bint additive) except -1:
        """Value the end of a round by `leaf`, and forget everything.

        Args:
            context: passed on to it; must live as long as the solver.
            additive: whether its value for a seat is the seat's favour, plus what does not depend on favour.
        """
        self.e.leaf, self.e.leaf_context, self.e.leaf_additive = leaf, context, additive
        if not (forget(&self.e) and open_tree(&self.e)):
            raise MemoryError("no memory for a solver")
        return 0

    def finish_storing(self, StateCore state not None, unsigned long long max_nodes):
        """A copy of a position of the storing stage, played on as `solve_storing` does; and whether that could be done."""
        cdef StateCore after = state.clone()
        cdef bint done
        if state.tables is not self.tables:
            raise ValueError("the state is of another game")
        with nogil:
            done = solve_storing(&self.e, &after.s, max_nodes)
        self.e.max_nodes = <uint64_t> -1
        return after, bool(done)

    def line(self, StateCore state not None, int room=256):
        """The moves from here to the horizon as solved, or to the next chance event: (seat, move code)."""
        cdef GameState s
        cdef Move_t line[256]
        cdef uint8_t seats[256]
        cdef int i, n = 0
        self.prepare(state, &s)
        with nogil:
            play_best(&self.e, &s, line, seats, &n, min(room, 256))
        return [(seats[i], line[i]) for i in range(n)]

    cdef int prepare(self, StateCore state, GameState* s) except -1:
        """Copy the position. Where the horizon is the end of the stage, the game goes on after it as after a round."""
        cdef bint graphs
        if state.tables is not self.tables:
            raise ValueError("the state is of another game")
        copy_state(s, &state.s)
        if self.e.horizon == END_OF_STAGE:
            as_between_rounds(s)
        self.e.forgets_favour = forgets_favour(&self.e, s)
        self.e.bids = can_bid(&self.e, s)
        graphs = can_graph(&self.e, s)
        if graphs != self.e.graphs:
            self.e.graphs = graphs
            if not (forget(&self.e) and open_tree(&self.e)):
                raise MemoryError("no memory for a solver")
        if not self.e.forgets_favour and not self.e.tracks:
            self.e.tracks = True
            if not (open_rows(&self.e) and open_taxes(&self.e)):
                raise MemoryError("no memory for a solver")
        self.e.collects = graphs and self.e.forgets_favour and not self.e.left_out & LEVELLING
        if not prepare_bidding(&self.e, s):
            raise MemoryError("no memory for a solver")
        start_work(&self.e, self.e.max_nodes, False)
        self.e.scoring_root = s.stage == FINAL_SCORING
        return 0


require_layout("lusatia_ai._solver", sizeof(GameState), sizeof(GameTables))
