"""Exact solving by exhaustive search with memory: max^n and, for one seat against all, alpha-beta.

Max^n (Luckhardt and Irani 1986): whoever decides takes what is best for themselves, in the knowledge that everybody will.
Two searches work hand in hand. `rows_...` walks the choosing of rows on the reduced model of `_rows.pxd`, where nearly all
positions are; `tree_...` walks everything around it on whole states, by the forward model. What is left out of keys and
positions, and why, is written in `_rows.pxd`, `_reduce.pxd` and `_guards.pxd`. What the searches themselves leave out:

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


# --- numbers for equal things --------------------------------------------------------------------------

cdef int32_t number_context(Engine* e, RowContext* c) noexcept nogil:
    cdef size_t compared = <const uint8_t*> &c.id - <const uint8_t*> c
    cdef int32_t number = index_find(&e.context_index, e.contexts, sizeof(RowContext), c, compared)
    cdef void* items
    if number >= 0:
        return number
    items = with_room(e.contexts, sizeof(RowContext), e.n_contexts, &e.most_contexts)
    if items == NULL:
        return -1
    e.contexts = <RowContext*> items
    c.id = e.n_contexts + 1
    e.contexts[e.n_contexts] = c[0]
    if not index_add(&e.context_index, e.contexts, sizeof(RowContext), compared, e.n_contexts):
        return -1
    e.n_contexts += 1
    return e.n_contexts - 1


cdef int32_t number_class(Engine* e, const CardClass* cards) noexcept nogil:
    cdef size_t size = sizeof(CardClass)
    cdef int32_t number = index_find(&e.class_index, e.classes, size, cards, size)
    cdef void* items
    cdef uint32_t room
    if number >= 0:
        return number
    room = e.most_classes
    items = with_room(e.steps, sizeof(ClassSteps), e.n_classes, &room)
    if items == NULL:
        return -1
    e.steps = <ClassSteps*> items
    items = with_room(e.classes, size, e.n_classes, &e.most_classes)
    if items == NULL:
        return -1
    e.classes = <CardClass*> items
    e.classes[e.n_classes] = cards[0]
    e.steps[e.n_classes] = steps_of(e, cards, e.n_classes)
    if not index_add(&e.class_index, e.classes, size, size, e.n_classes):
        return -1
    e.n_classes += 1
    return e.n_classes - 1


cdef ClassSteps steps_of(const Engine* e, const CardClass* cards, int number) noexcept nogil:
    cdef ClassSteps steps
    cdef int rows, seat
    for rows in range(1 << ROYAL):
        steps.within[rows] = number
        if cards.rows & ~rows:
            steps.within[rows] = e.steps[cards.without[lowest_bit(cards.rows & ~rows)]].within[rows]
    for seat in range(MAX_PLAYERS):
        steps.most[seat] = <int16_t> cards.most[seat] if e.graphs else 0
    return steps


cdef bint open_rows(Engine* e) noexcept nogil:
    """Empty tables for positions of choosing rows."""
    cdef int words = 3 + (e.t.players > 4) + 2 * e.wide + 2 * e.tracks
    cdef int width = (2 if e.objective != WIN else 4) if e.paranoid else e.width
    cdef uint64_t share = e.table_bytes // 32
    return (table_open(&e.rows_table, words, width, e.objective != WIN and e.leaf == NULL, (4 if e.graphs else 16) * share)
            and table_open(&e.class_table, 1, e.t.humans, True, 5 * share if e.graphs else 0)
            and graph_open(&e.row_graph, 4 * share if e.graphs else 0))


cdef bint open_tree(Engine* e) noexcept nogil:
    """Empty tables for all other positions."""
    cdef int width = (2 if e.objective != WIN else 4) if e.paranoid else e.width
    cdef int words = 2 + e.t.humans + (e.t.players + 1) // 2 + (e.t.humans + 1) // 2
    cdef bint whole = e.objective != WIN and e.leaf == NULL
    cdef uint64_t share = e.table_bytes // 32
    return (table_open(&e.tree_table, words, width, whole, share if e.graphs else 8 * share)
            and table_open(&e.selection_table, 1 + e.t.humans + (e.t.automas > 0), width, whole and not e.t.automas,
                           (4 if e.graphs else 8) * share))


cdef bint open_taxes(Engine* e) noexcept nogil:
    """An empty graph of tax collection, and tables for it."""
    cdef uint64_t share = e.table_bytes // 32
    return (table_open(&e.tax_table, 2, e.t.humans, True, 2 * share if e.graphs else 0)
            and table_open(&e.ending_table, 2, 1, False, share if e.graphs else 0)
            and tax_open(&e.tax_graph, share if e.graphs else 0))


cdef inline Table* table_for(Engine* e, const GameState* s) noexcept nogil:
    return &e.tree_table if s.stage >= TAX_COLLECTION else &e.selection_table


cdef int32_t number_no_shift(Engine* e) noexcept nogil:
    """Make sure that shift 0 is none."""
    cdef Profile none
    cdef double added[MAX_PLAYERS]
    memset(added, 0, sizeof(added))
    none.added = added
    return number_shift(e, &none, 0, 0)


cdef bint open_contexts(Engine* e) noexcept nogil:
    """Forget all contexts, endings and classes. Class 0 is the one in which no card matters."""
    cdef CardClass nothing
    cdef uint32_t i
    for i in range(e.n_profiles):
        free(e.profiles[i].added)
    e.n_contexts = e.n_endings = e.n_classes = e.n_shifts = e.n_profiles = 0
    if not (index_open(&e.context_index) and index_open(&e.ending_index)
            and index_open(&e.class_index) and index_open(&e.shift_index)):
        return False
    memset(&nothing, 0, sizeof(CardClass))
    return number_class(e, &nothing) == 0 and number_no_shift(e) == 0


# --- what comes after the stage -------------------------------------------------------------------------

cdef int32_t number_ending(Engine* e, const GameState* s, int tracking) noexcept nogil:
    """The number of what comes after the stage; -1 if it cannot be worked out."""
    cdef Ending fresh
    memset(&fresh, 0, sizeof(Ending))
    if e.leaf != NULL and s.round < ROUNDS:
        copy_state(&fresh.base, s)
        clear_stage(&fresh.base)
    else:
        copy_lasting(&fresh.base, s, e.t)
        if e.horizon == END_OF_ROUND:
            recruit(&fresh.base, e.t)
        if not e.left_out & LEVELLING:
            level_guards(&fresh.base, e.t, comparison(e, s), guards_used(e, s) & ~FARMERS)
        if tracking != GAINS:
            memset(fresh.base.favour, 0, sizeof(fresh.base.favour))
    return same_ending(e, &fresh, board_of(e, s), tracking != GAINS)


cdef int32_t same_ending(Engine* e, Ending* fresh, const Board* board, bint worked_out) noexcept nogil:
    """The number of an ending, to be worked out if it is new. -1 if that cannot be done."""
    cdef int32_t number = index_find(&e.ending_index, e.endings, sizeof(Ending), fresh, sizeof(GameState))
    cdef void* items
    if number >= 0:
        return number
    if worked_out and not work_out_ending(e, fresh, board):
        return -1
    items = with_room(e.endings, sizeof(Ending), e.n_endings, &e.most_endings)
    if items == NULL:
        return -1
    e.endings = <Ending*> items
    e.endings[e.n_endings] = fresh[0]
    if not index_add(&e.ending_index, e.endings, sizeof(Ending), sizeof(GameState), e.n_endings):
        return -1
    e.n_endings += 1
    return e.n_endings - 1


cdef inline bint may_be_taken(const Profile* profile, int owners) noexcept nogil:
    """Whether there is a card in each deck from which one has been taken."""
    cdef int deck
    for deck in range(DECKS):
        if owners >> 3 * deck & 7 and not profile.face_up >> deck & 1:
            return False
    return True


cdef inline int taken_by(const GameTables* t, int code) noexcept nogil:
    """How many cards are taken."""
    cdef int deck, n = 0, owners = owners_of(t, code)
    for deck in range(DECKS):
        n += (owners >> 3 * deck & 7) != 0
    return n


cdef bint work_out_ending(Engine* e, Ending* ending, const Board* board) noexcept nogil:
    """What every way in which the cards can go adds to favour. False if it cannot be done."""
    cdef int humans = e.t.humans, codes = card_codes(e.t), code, owners = 0, seat, deck
    cdef double value[WIDTH]
    cdef Profile fresh
    cdef Scoring scoring
    cdef bint tabled, done = True
    memset(&fresh, 0, sizeof(Profile))
    memcpy(fresh.bonus, board.bonus, sizeof(fresh.bonus))
    for deck in range(DECKS):
        fresh.face_up |= (ending.base.face_up[deck] != NONE) << deck
    fresh.added = <double*> calloc(codes * humans, sizeof(double))
    if fresh.added == NULL:
        return False
    tabled = e.leaf == NULL and open_scoring(&scoring, &ending.base, e.t)
    for code in range(codes):
        if done and may_be_taken(&fresh, owners):
            if tabled:
                scoring_value(e, &scoring, &ending.base, owners, value)
            else:
                done = after_stage(e, &ending.base, owners, NULL, value)
            for seat in range(humans):
                if code == 0:
                    ending.added[seat] = value[seat] - ending.base.favour[seat]
                fresh.added[code * humans + seat] = value[seat] - ending.base.favour[seat] - ending.added[seat]
        owners = next_owners(e.t, owners)
    if tabled:
        close_scoring(&scoring)
    if not done:
        free(fresh.added)
        return False
    fresh.hash = hash_bytes(fresh.added, codes * humans * sizeof(double))
    ending.profile = number_profile(e, &fresh)
    return ending.profile >= 0


cdef int32_t number_profile(Engine* e, Profile* fresh) noexcept nogil:
    """The number of an equal profile, which there are few of, or of this one; its memory is taken over."""
    cdef size_t size = card_codes(e.t) * e.t.humans * sizeof(double)
    cdef const Profile* other
    cdef uint32_t i
    cdef void* items
    for i in range(e.n_profiles):
        other = &e.profiles[i]
        if (other.hash == fresh.hash and other.face_up == fresh.face_up
                and memcmp(other.bonus, fresh.bonus, sizeof(other.bonus)) == 0
                and memcmp(other.added, fresh.added, size) == 0):
            free(fresh.added)
            return i
    items = with_room(e.profiles, sizeof(Profile), e.n_profiles, &e.most_profiles)
    if items != NULL:
        e.profiles = <Profile*> items
    if items == NULL or not classify(e, fresh):
        free(fresh.added)
        return -1
    e.profiles[e.n_profiles] = fresh[0]
    e.n_profiles += 1
    return e.n_profiles - 1


cdef bint classify(Engine* e, Profile* profile) noexcept nogil:
    """Find the classes of all ways in which cards can have gone, with all sets of estate rows that can still get full."""
    cdef int codes = card_codes(e.t), code, rows
    cdef int32_t number
    cdef uint16_t* classes = <uint16_t*> calloc(codes << ROYAL, sizeof(uint16_t))
    if classes == NULL:
        return False
    for code in range(codes - 1, -1, -1):              # with one card more taken, or one row less: before
        for rows in range(1 << ROYAL):
            if may_be_taken(profile, owners_of(e.t, code)) and taken_by(e.t, code) + popcount(rows) <= ROYAL:
                number = class_of(e, profile, code, rows, classes)
                if number < 0:
                    free(classes)
                    return False
                classes[code << ROYAL | rows] = number
    memcpy(profile.cards, classes, sizeof(profile.cards))
    free(classes)
    return True


cdef int32_t class_of(Engine* e, const Profile* profile, int code, int rows, const uint16_t* classes) noexcept nogil:
    """The class where the cards of `code` have been taken and these rows can still get full."""
    cdef CardClass cards
    cdef int row, deck, owner, step = 1, later, left = profile.face_up, owners = owners_of(e.t, code)
    cdef int32_t number
    cdef bint matters = False
    memset(&cards, 0, sizeof(CardClass))
    if e.left_out & CLASSES:
        cards.code = code
    for deck in range(DECKS):
        if owners >> 3 * deck & 7:
            left &= ~(1 << deck)
    for row in range(ROYAL):
        if rows >> row & 1:
            cards.without[row] = classes[code << ROYAL | rows & ~(1 << row)]
            widen_bounds(e, &cards, cards.without[row], NULL)
    for deck in range(DECKS):
        for row in range(ROYAL):
            if rows >> row & 1 and left >> deck & 1 and e.t.symbols[deck] <= profile.bonus[row]:
                cards.rows |= 1 << row
                cards.offered |= 1 << deck
                for owner in range(e.t.humans):
                    later = code + (owner + 1) * step
                    number = number_shift(e, profile, code, later)
                    if number < 0:
                        return -1
                    cards.shift[deck][owner] = number
                    cards.next[row][deck][owner] = classes[later << ROYAL | rows & ~(1 << row)]
                    matters |= number != 0 or cards.next[row][deck][owner] != 0
                    widen_bounds(e, &cards, cards.next[row][deck][owner], e.shifts[number])
        step *= e.t.humans + 1
    for row in range(ROYAL):
        if rows & ~cards.rows & 1 << row:
            return cards.without[row]                  # a row that can buy nothing makes no difference
    return number_class(e, &cards) if matters else 0


cdef int32_t number_shift(Engine* e, const Profile* profile, int code, int later) noexcept nogil:
    """The number of what a card adds to the favour of each seat."""
    cdef double shift[MAX_PLAYERS]
    cdef int32_t number
    cdef int seat
    cdef void* items
    memset(shift, 0, sizeof(shift))
    for seat in range(e.t.humans):
        shift[seat] = profile.added[later * e.t.humans + seat] - profile.added[code * e.t.humans + seat]
    number = index_find(&e.shift_index, e.shifts, sizeof(shift), shift, sizeof(shift))
    if number >= 0:
        return number
    items = with_room(e.shifts, sizeof(shift), e.n_shifts, &e.most_shifts)
    if items == NULL or e.n_shifts >= MOST_NUMBERED:
        return -1
    e.shifts = <double (*)[MAX_PLAYERS]> items
    memcpy(e.shifts[e.n_shifts], shift, sizeof(shift))
    if not index_add(&e.shift_index, e.shifts, sizeof(shift), sizeof(shift), e.n_shifts):
        return -1
    e.n_shifts += 1
    return e.n_shifts - 1


cdef inline void widen_bounds(const Engine* e, CardClass* cards, int later, const double* shift) noexcept nogil:
    """The bounds hold for what a change to the class `later` brings, too."""
    cdef int seat
    cdef double added
    for seat in range(e.t.humans):
        added = 0 if shift == NULL else shift[seat]
        cards.least[seat] = min(cards.least[seat], added + e.classes[later].least[seat])
        cards.most[seat] = max(cards.most[seat], added + e.classes[later].most[seat])


cdef inline void settle_cards(const Engine* e, const RowContext* c, Rows* r) noexcept nogil:
    """Forget the rows that cannot get full any more, and the choice of a card that makes no difference."""
    r.cards = e.steps[r.cards].within[rows_to_fill(c, r)]
    r.offered = e.classes[r.cards].offered
    if r.pending and not cards_for(e.t, r, c.board.bonus[r.pending - 1]):
        r.pending = 0
        settle(c, e.t, r)


cdef bint after_stage(Engine* e, const GameState* base, int owners, const int* gain, double* out) noexcept nogil:
    """The value when the stage has ended with these owners of cards, and so much favour gained."""
    cdef GameState s
    cdef int deck, seat
    cdef Bounds bounds
    cdef double unused[WIDTH]
    cdef bint done
    copy_state(&s, base)
    for deck in range(DECKS):
        if owners >> 3 * deck & 7:
            s.estates[(owners >> 3 * deck & 7) - 1][s.face_up[deck]] += e.t.symbols[deck]
            s.face_up[deck] = NONE
    if gain != NULL:
        for seat in range(e.t.humans):
            s.favour[seat] += gain[seat]
    end_storing(&s, e.t)
    if not e.paranoid:
        return tree_value(e, &s, out, False)
    done = tree_search(e, &s, LOWEST, HIGHEST, &bounds, False)
    write_bounds(e, &bounds, out, unused)
    return done


cdef void scoring_value(Engine* e, Scoring* c, const GameState* base, int owners, double* out) noexcept nogil:
    """As `after_stage` for favour in the last round, from what has been tabled."""
    cdef int by_estate[ESTATES]
    cdef double exchanged[WIDTH]
    cdef int16_t* points
    cdef uint8_t* state
    cdef int estate, seat, n_open = 0, opened = 0
    owners_by_estate(c, base, owners, by_estate)
    for estate in range(ESTATES):
        if c.state[estate][by_estate[estate]] != CLOSED:
            opened |= 1 << estate
            n_open += 1
    for seat in range(e.t.humans):
        out[seat] = c.fixed[seat] + (0 if n_open else c.handed[seat])
    if n_open > 1:
        work_out_exchanges(e, c, base, by_estate, opened, exchanged)
        for seat in range(e.t.humans):
            out[seat] += exchanged[seat]
    for estate in range(ESTATES):
        points = c.points[estate] + by_estate[estate] * e.t.humans
        state = c.state[estate] + by_estate[estate]
        for seat in range(e.t.humans):
            if n_open > 1 and state[0] != CLOSED:
                out[seat] += symbol_points(&c.after, e.t, seat, estate)
                continue
            if state[0] == OPEN:
                work_out_exchanges(e, c, base, by_estate, opened, exchanged)
                add_exchanges(e, points, exchanged)
                state[0] = WORKED_OUT
            out[seat] += points[seat]
    for seat in range(e.t.humans):
        if e.paranoid and seat != e.seat:
            out[seat] = 0


cdef inline void add_exchanges(const Engine* e, int16_t* points, const double* exchanged) noexcept nogil:
    cdef int seat
    for seat in range(e.t.humans):
        points[seat] += <int16_t> exchanged[seat]


cdef void work_out_exchanges(Engine* e, Scoring* c, const GameState* base, const int* by_estate, int estates,
                             double* out) noexcept nogil:
    """What exchanges bring, together with the points for places in these estates."""
    cdef int favour[MAX_PLAYERS]
    cdef int estate, level = 0
    memset(favour, 0, sizeof(favour))
    memcpy(c.after.guards, base.guards, sizeof(base.guards))
    for estate in range(ESTATES):
        if estates >> estate & 1:
            share_cards(&c.after, base, e.t, estate, by_estate[estate])
            level |= level_seats(&c.after, e.t, estate)
    exchange_value(e, c, estates, level, 0, favour, out)


cdef void exchange_value(Engine* e, Scoring* c, int estates, int level, int i, int* favour, double* out) noexcept nogil:
    """The value of the i-th exchange and all later ones, by trying how many guards to hand over.

    Args:
        estates: mask of those whose points count.
        level: mask of the seats that are level with another in one of them; others hand over all they can (`only_move`).
        favour: by seat, for what has been handed over before; left as it is, as the guards in `c.after` are.
    """
    cdef double value[WIDTH]
    cdef int seat, estate, n, most, taken = -1
    cdef const Exchange* exchange = &c.exchanges[i]
    cdef int16_t* guards = c.after.guards
    if i == c.n_exchanges:
        for seat in range(e.t.humans):
            out[seat] = favour[seat]
            for estate in range(ESTATES):
                if estates >> estate & 1:
                    out[seat] += estate_points(&c.after, e.t, seat, estate)
        return
    seat = exchange.seat
    most = min(<int> exchange.most, <int> guards[seat])
    for n in range(0 if level >> seat & 1 else most, most + 1):
        guards[seat] -= n
        favour[seat] += n * exchange.each
        exchange_value(e, c, estates, level, i + 1, favour, value)
        guards[seat] += n
        favour[seat] -= n * exchange.each
        if taken < 0 or prefers(e, value, out, seat, first_as_text(n, taken)):
            memcpy(out, value, e.t.humans * sizeof(double))
            taken = n


cdef inline bint prefers(const Engine* e, const double* value, const double* best, int seat, bint earlier) noexcept nogil:
    """As `takes`, where one seat plays against all others, too."""
    if not e.paranoid:
        return takes(e, value, best, seat, earlier)
    return value[e.seat] > best[e.seat] if seat == e.seat else value[e.seat] < best[e.seat]


# --- contexts of the row search -------------------------------------------------------------------------

cdef inline void open_context(Engine* e, const GameState* s, RowContext* c) noexcept nogil:
    """What stays the same while rows are chosen, but for the number of the ending."""
    cdef int seat
    memset(c, 0, sizeof(RowContext))
    fill_context(c, s, e.t, board_of(e, s))
    c.tracking = tracking_of(e, s)
    c.unreduced = (e.left_out & REDUCTION) != 0
    if c.tracking == LEADS:
        for seat in range(e.t.humans):
            if poorer_points(s, e.t, seat):
                c.judge = seat
                c.per_poorer = poorer_points(s, e.t, seat)


cdef bint begin_rows(Engine* e, const GameState* s, const RowContext** context, Rows* r, double* added) noexcept nogil:
    """The reduced form of a position in which a row or a card is to be chosen.

    Args:
        added: what the value of `r` leaves out: favour held, and what comes after the stage if no card is taken.

    Returns:
        False if there is no memory for it, or the search has stopped in the meantime.
    """
    cdef RowContext c
    cdef int32_t number, ending = -1
    cdef int seat
    if is_crowded(e) and not forget(e):
        return False
    open_context(e, s, &c)
    if c.tracking == GAINS or ends_later(e, s):
        ending = number_ending(e, s, c.tracking)
        if ending < 0:
            return False
    c.ending = ending if c.tracking == GAINS else 0
    number = number_context(e, &c)
    if number < 0:
        return False
    context[0] = &e.contexts[number]
    fill_rows(context[0], s, e.t, r)
    if ending >= 0 and s.decision == D_CARD:
        r.pending = pending_row(s, context[0]) + 1     # it is not yet the next chooser's turn
    settle(context[0], e.t, r)
    if ending >= 0:
        offer_cards(e, &e.endings[ending], context[0], s, r)
    for seat in range(e.t.humans):
        added[seat] = 0 if c.tracking == GAINS else s.favour[seat]
        if ending >= 0 and c.tracking != GAINS:
            added[seat] += e.endings[ending].added[seat]
        if c.tracking == LEADS:
            r.tracked[seat] = s.favour[c.judge] - s.favour[seat]
    if c.tracking == LEADS:
        settle_leads(context[0], e.t, r)
    return e.wide or not has_many(r, e.t) or widen(e)


cdef inline bint is_crowded(const Engine* e) noexcept nogil:
    """Whether there may soon be no more numbers for contexts, endings and classes."""
    return max(e.n_contexts, e.n_endings, e.n_classes, e.n_shifts) >= MOST_NUMBERED or e.n_profiles >= MOST_PROFILES


cdef bint forget(Engine* e) noexcept nogil:
    """Begin anew with all that holds such numbers. False if there is no memory."""
    e.crowded = False
    return open_contexts(e) and open_rows(e) and open_taxes(e)


cdef inline bint has_many(const Rows* r, const GameTables* t) noexcept nogil:
    """Whether somebody has more than 15 pieces of a colour."""
    cdef int player
    for player in range(t.players):
        if r.goods[player] & 0x70707070:
            return True
    return False


cdef bint widen(Engine* e) noexcept nogil:
    """From now on, keys hold larger numbers of pieces."""
    e.wide = True
    return open_rows(e) and open_taxes(e)


cdef const Board* board_of(Engine* e, const GameState* s) noexcept nogil:
    cdef Board* board = &e.boards[s.tile[0]][s.tile[1]][s.tile_side]
    if not board.n_slots:
        make_board(board, e.t, s.tile[0], s.tile[1], s.tile_side)
    return board


cdef inline bint ends_later(const Engine* e, const GameState* s) noexcept nogil:
    """Whether what comes after the stage counts, so that cards may make a difference."""
    return e.horizon == END_OF_ROUND and (e.leaf != NULL or s.round == ROUNDS)


cdef inline Comparison comparison(const Engine* e, const GameState* s) noexcept nogil:
    """Which seats may be compared by their guards before the horizon, or at it."""
    if e.objective == WIN:
        return EVERYBODY
    return LEVEL_IN_ESTATES if ends_later(e, s) else NOBODY


cdef inline int guards_used(const Engine* e, const GameState* s) noexcept nogil:
    """Mask of what guards can be spent on and gained by before the horizon."""
    if e.horizon == END_OF_STAGE:
        return FARMERS
    return FARMERS | RECRUITS | (EXCHANGES if s.round == ROUNDS else 0)


cdef inline bint forgets_favour(const Engine* e, const GameState* s) noexcept nogil:
    """Whether favour plays no part in any position that can follow, from tax collection on."""
    if e.horizon == END_OF_ROUND and s.round == ROUNDS and s.stage <= STORING and judges_the_poor(s, e.t):
        return False
    return tracking_of(e, s) == NOTHING


cdef int tracking_of(const Engine* e, const GameState* s) noexcept nogil:
    """How far favour already held plays a part: see "Factored values"."""
    cdef int seat, judges = 0
    if e.objective != FAVOUR or e.left_out & FACTORING:
        return GAINS
    if e.horizon == END_OF_STAGE:
        return NOTHING
    if s.round < ROUNDS:
        return NOTHING if e.leaf == NULL or e.leaf_additive else GAINS
    for seat in range(e.t.humans):
        if not e.paranoid or seat == e.seat:
            judges += poorer_points(s, e.t, seat) > 0
    return GAINS if judges > 1 else LEADS if judges else NOTHING


cdef inline bint can_graph(const Engine* e, const GameState* s) noexcept nogil:
    """Whether choices of rows can be solved on the graph: of whole numbers of favour, which cards change."""
    return (e.objective == FAVOUR and not e.paranoid and not e.plain and e.leaf == NULL and ends_later(e, s)
            and not e.left_out & (GRAPHS | MEMORY))


cdef void offer_cards(Engine* e, const Ending* ending, const RowContext* c, const GameState* s, Rows* r) noexcept nogil:
    """After `settle`: which cards there are that can make a difference."""
    cdef int deck
    if c.tracking == GAINS:
        for deck in range(DECKS):
            if ends_later(e, s) and s.face_up[deck] != NONE:
                r.offered |= 1 << deck
        if not r.offered and r.pending:
            r.pending = 0
            settle(c, e.t, r)
    else:
        r.cards = e.profiles[ending.profile].cards[rows_to_fill(c, r)]
        settle_cards(e, c, r)


# --- the search through choices of rows -------------------------------------------------------------------

cdef inline void rows_key(const Engine* e, const RowContext* c, const Rows* r, uint64_t* key) noexcept nogil:
    """All of a position: which cards are offered follows from `cards` and the context."""
    key[0] = (c.id | <uint64_t> r.chooser << 16 | <uint64_t> r.broken << 19 | <uint64_t> r.pending << 27
              | <uint64_t> r.cards << 30 | <uint64_t> r.skips << 46)
    key[1] = r.empty
    key[2] = (nibbles(r.goods[0]) | nibbles(r.goods[1]) << 16 | nibbles(r.goods[2]) << 32
              | nibbles(r.goods[3]) << 48)
    if e.rows_table.words > 3:
        rest_of_key(e, c, r, key + 3)


cdef void rest_of_key(const Engine* e, const RowContext* c, const Rows* r, uint64_t* key) noexcept nogil:
    """What most positions do not need."""
    cdef int player
    memset(key, 0, (ROWS_WORDS - 3) * 8)
    if e.t.players > 4:
        key[0] = nibbles(r.goods[4]) | nibbles(r.goods[5]) << 16
        key += 1
    if e.wide:
        for player in range(MAX_PLAYERS):
            key[player >> 2] |= nibbles(r.goods[player] >> 4) << 16 * (player & 3)
        key += 2
    if e.tracks:
        for player in range(MAX_PLAYERS):
            key[player >> 2] |= <uint64_t> <uint16_t> r.tracked[player] << 16 * (player & 3)


cdef inline void rows_after(const Engine* e, const RowContext* c, Rows* r, Move_t move, double* gain) noexcept nogil:
    """Carry out a move; `gain`: what it adds to the favour of each seat, if the value is favour still to come."""
    cdef int points[MAX_PLAYERS]
    cdef int seat, owner = seat_of(c, e.t, r), deck = move_argument(move), row = r.pending - 1
    cdef const CardClass* cards = &e.classes[r.cards]
    memset(points, 0, sizeof(points))
    play_rows(c, e.t, r, move, points)
    if c.tracking == GAINS:
        for seat in range(e.t.humans):
            gain[seat] = 0
            r.tracked[seat] += points[seat]
        if move_kind(move) == M_CARD:
            r.cards |= (owner + 1) << 3 * deck
        return
    for seat in range(e.t.humans):
        gain[seat] = points[seat]
    if move_kind(move) == M_CARD:
        for seat in range(e.t.humans):
            gain[seat] += e.shifts[cards.shift[deck][owner]][seat]
        r.cards = cards.next[row][deck][owner]
    if r.cards or r.offered:
        settle_cards(e, c, r)
    if c.tracking == LEADS:
        track_leads(c, e.t, r, points)


cdef bint rows_end(Engine* e, const RowContext* c, const Rows* r, double* out) noexcept nogil:
    """The value when the stage is over."""
    cdef int seat
    cdef int gain[MAX_PLAYERS]
    memset(gain, 0, sizeof(gain))
    end_rows(c, e.t, r, gain)
    for seat in range(e.t.humans):
        out[seat] = gain[seat]
        gain[seat] += r.tracked[seat]
    return c.tracking != GAINS or after_stage(e, &e.endings[c.ending].base, r.cards, gain, out)


cdef inline bint rows_value(Engine* e, const RowContext* c, const Rows* r, double* out) noexcept nogil:
    """The max^n value; unless gains are tracked, in favour still to come. False if the search has stopped."""
    cdef uint64_t key[ROWS_WORDS]
    if rows_over(r):
        return rows_end(e, c, r, out)
    rows_key(e, c, r, key)
    return rows_value_of(e, c, r, key, table_hash(&e.rows_table, key), out)


cdef bint rows_value_of(Engine* e, const RowContext* c, const Rows* r, const uint64_t* key, uint64_t at,
                        double* out) noexcept nogil:
    """The same for a position whose key has been made."""
    cdef int32_t number
    if rows_over(r):
        return rows_end(e, c, r, out)
    if e.graphs and r.cards and not r.pending and c.tracking != GAINS:
        number = graph_number(&e.row_graph, c, e.t, r)
        if number >= 0:
            return graph_value(e, c, number, r.cards, out)
    if table_find(&e.rows_table, key, at, out):
        return True
    if not rows_expand(e, c, r, out, NULL):
        return False
    if not e.left_out & MEMORY:
        table_keep(&e.rows_table, key, at, out)
    return True


cdef bint rows_expand(Engine* e, const RowContext* c, const Rows* r, double* out, int* best) noexcept nogil:
    """The max^n value by trying the moves; also the number of the move taken, if it is asked for."""
    cdef Move_t moves[ROW_MOVES]
    cdef Branch branches[ROW_MOVES]
    cdef uint8_t order[ROW_MOVES]
    cdef double value[WIDTH]
    cdef int i, j, k, n = rows_moves(c, e.t, r, moves), seat = seat_of(c, e.t, r), taken = -1
    cdef Branch* branch
    if not enter(e):
        rows_bounds(e, c, r, e.low, e.high)
        return False
    for i in range(n):
        branch = &branches[i]
        branch.after = r[0]
        rows_after(e, c, &branch.after, moves[i], branch.gain)
        if not rows_over(&branch.after):
            rows_key(e, c, &branch.after, branch.key)
            branch.at = table_hash(&e.rows_table, branch.key)
        branch.most = INFINITY if c.tracking == GAINS else most_after(e, c, branch, seat)
        j = i
        while j and branches[order[j - 1]].most < branch.most:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
    for j in range(n):
        i = order[j]
        branch = &branches[i]
        if taken >= 0 and cannot_be_taken(e, branch.most, out[seat], i > taken):
            continue
        if not rows_value_of(e, c, &branch.after, branch.key, branch.at, value):
            stop_in_rows(e, c, r, out if taken >= 0 else NULL, j + 1 < n, branch.gain)
            return False
        for k in range(e.t.humans):
            value[k] += branch.gain[k]
        if taken < 0 or takes(e, value, out, seat, i < taken):
            memcpy(out, value, e.width * sizeof(double))
            taken = i
    if best != NULL:
        best[0] = taken
    return True


cdef bint graph_value(Engine* e, const RowContext* c, int32_t number, int cards, double* out) noexcept nogil:
    """The max^n value of a position of the graph, in favour still to come. False if the search has stopped."""
    cdef int16_t value[MAX_PLAYERS]
    cdef uint64_t key = class_key(number, cards)
    cdef int seat
    if not class_value(e, c, number, cards, key, table_hash(&e.class_table, &key), value):
        return False
    for seat in range(e.t.humans):
        out[seat] = value[seat]
    return True


cdef inline uint64_t class_key(int32_t number, int cards) noexcept nogil:
    return <uint64_t> (number + 1) << 16 | cards


cdef bint class_value(Engine* e, const RowContext* c, int32_t number, int cards, uint64_t key, uint64_t at,
                      int16_t* out) noexcept nogil:
    """The same, where the key and its hash have been made."""
    cdef const uint64_t* entry = table_entry(&e.class_table, &key, at)
    if entry != NULL:
        memcpy(out, entry + 1, e.t.humans * sizeof(int16_t))
        return True
    if not class_expand(e, c, number, cards, out):
        return False
    memcpy(table_room(&e.class_table, &key, at), out, e.t.humans * sizeof(int16_t))
    return True


cdef bint class_expand(Engine* e, const RowContext* c, int32_t number, int cards, int16_t* out) noexcept nogil:
    """By trying the moves; where the graph has no room for them, on `Rows`."""
    cdef Option options[ROW_OPTIONS]
    cdef uint8_t order[ROW_OPTIONS]
    cdef double whole[WIDTH]
    cdef int16_t value[MAX_PLAYERS]
    cdef Option* option
    cdef Rows r
    cdef int i, j, k, n, seat = row_node(&e.row_graph, number).seat, taken = -1
    cdef bint done
    if not graph_expand(&e.row_graph, c, e.t, number):
        r = rows_of_node(e, number, cards)
        done = rows_expand(e, c, &r, whole, NULL)
        for k in range(e.t.humans):
            out[k] = <int16_t> whole[k]
        return done
    if not enter(e):
        r = rows_of_node(e, number, cards)
        rows_bounds(e, c, &r, e.low, e.high)
        return False
    n = list_options(e, c, number, cards, options, order)
    for j in range(n):
        i = order[j]
        option = &options[i]
        if taken >= 0 and cannot_be_taken(e, option.most, out[seat], i > taken):
            continue
        memset(value, 0, sizeof(value))
        if option.after != STAGE_OVER and not class_value(e, c, option.after, option.cards, option.key, option.at, value):
            stop_in_graph(e, c, number, cards, out if taken >= 0 else NULL, j + 1 < n, option.gain)
            return False
        for k in range(e.t.humans):
            value[k] += option.gain[k]
        if taken < 0 or takes_whole(e, value, out, seat, i < taken):
            memcpy(out, value, sizeof(value))
            taken = i
    return True


cdef inline bint takes_whole(const Engine* e, const int16_t* value, const int16_t* best, int seat, bint earlier) noexcept nogil:
    """As `takes`, for whole numbers of favour."""
    cdef int order = value[seat] - best[seat]
    if order == 0 and e.ties != TIES_FIRST:
        order = value[e.seat] - best[e.seat] if e.ties == TIES_BEST else best[e.seat] - value[e.seat]
    return order > 0 or order == 0 and earlier


cdef inline int list_options(Engine* e, const RowContext* c, int32_t number, int cards, Option* options,
                             uint8_t* order) noexcept nogil:
    """The moves in canonical order, each with every card that it can be followed by; `order`: the most promising first."""
    cdef const RowNode* node = row_node(&e.row_graph, number)
    cdef const RowEdge* edge
    cdef const CardClass* before
    cdef int i, deck, row, n = 0, seat = node.seat
    cdef bint bought
    for i in range(node.n_edges):
        edge = row_edges(&e.row_graph, node) + i
        bought = False
        if edge.card_for:
            row = edge.card_for - 1
            before = &e.classes[e.steps[cards].within[edge.fillable | 1 << row]]
            for deck in range(DECKS):
                if before.offered >> deck & 1 and e.t.symbols[deck] <= c.board.bonus[row]:
                    add_option(e, edge, seat, before.next[row][deck][seat], e.shifts[before.shift[deck][seat]], options, order, n)
                    bought = True
                    n += 1
        if not bought:
            add_option(e, edge, seat, cards, NULL, options, order, n)
            n += 1
    return n


cdef inline void add_option(const Engine* e, const RowEdge* edge, int seat, int cards, const double* shift,
                            Option* options, uint8_t* order, int n) noexcept nogil:
    """Add the n-th option; `shift`: what the card taken adds to favour, or NULL."""
    cdef Option* option = &options[n]
    cdef int other, j = n
    option.after = edge.after
    option.cards = e.steps[cards].within[edge.fillable]
    memcpy(option.gain, edge.gain, sizeof(edge.gain))
    option.most = edge.most + e.steps[option.cards].most[seat]
    if shift != NULL:
        for other in range(e.t.humans):
            option.gain[other] += <int16_t> shift[other]
        option.most += <int16_t> shift[seat]
    option.key = class_key(option.after, option.cards)
    option.at = table_hash(&e.class_table, &option.key)
    while j and options[order[j - 1]].most < option.most:
        order[j] = order[j - 1]
        j -= 1
    order[j] = n


cdef inline Rows rows_of_node(const Engine* e, int32_t number, int cards) noexcept nogil:
    """A position of the graph, with its cards again."""
    cdef Rows r = row_node(&e.row_graph, number).rows
    r.cards = cards
    r.offered = e.classes[cards].offered
    return r


cdef void stop_in_graph(Engine* e, const RowContext* c, int32_t number, int cards, const int16_t* best, bint more,
                        const int16_t* gain) noexcept nogil:
    """As `stop_in_rows`."""
    cdef double found[WIDTH]
    cdef double added[MAX_PLAYERS]
    cdef Rows r = rows_of_node(e, number, cards)
    cdef int seat
    for seat in range(e.t.humans):
        added[seat] = gain[seat]
        found[seat] = best[seat] if best != NULL else 0
    stop_in_rows(e, c, &r, found if best != NULL else NULL, more, added)


cdef inline double most_after(const Engine* e, const RowContext* c, const Branch* branch, int seat) noexcept nogil:
    """The most favour that a move and what can follow it bring to a seat."""
    cdef double most = branch.gain[seat] + rows_most(c, e.t, &branch.after, seat) + e.classes[branch.after.cards].most[seat]
    if c.tracking == LEADS and seat == c.judge:
        most += c.per_poorer * (e.t.humans - 1)
    return most


cdef inline bint cannot_be_taken(const Engine* e, double most, double best, bint later) noexcept nogil:
    """Whether a move need not be looked at: it cannot bring more than another, or as much only where that one wins ties."""
    if e.left_out & BOUNDS:
        return False
    return most < best - SAME or e.ties == TIES_FIRST and later and most <= best + SAME


cdef void stop_in_rows(Engine* e, const RowContext* c, const Rows* r, const double* best, bint more,
                       const double* gain) noexcept nogil:
    """As `stop_at`, for a move that has brought `gain`."""
    cdef double low[WIDTH]
    cdef double high[WIDTH]
    cdef int seat
    for seat in range(e.t.humans):
        e.low[seat] += gain[seat]
        e.high[seat] += gain[seat]
    rows_bounds(e, c, r, low, high)
    stop_at(e, seat_of(c, e.t, r), best, more, low, high)


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

cdef inline uint64_t picks_of(const GameState* s, const GameTables* t) noexcept nogil:
    """Mask of the outcomes of an automa's event, which are equally likely."""
    return s.automa_deck if s.decision == D_AUTOMA_CARD else towns_for_automa(s, t)


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


# --- tax collection and helpers on the graph ------------------------------------------------------------

cdef bint tax_root(Engine* e, const GameState* s, double* out) noexcept nogil:
    """The value of a position in which somebody collects or decides on a helper.

    False if the search has stopped; or if it takes too much room for the graph, which is not used any more then (`collects`).
    """
    cdef int16_t value[MAX_PLAYERS]
    cdef int seat
    cdef int again
    for again in range(2):
        e.crowded = is_crowded(e)
        if (not e.crowded or forget(e)) and tax_value(
                e, tax_number(&e.tax_graph, s, e.t, comparison(e, s), guards_used(e, s)), s.guards, value):
            for seat in range(e.t.humans):
                out[seat] = s.favour[seat] + value[seat]
            return True
        if e.stopped:
            for seat in range(e.t.humans):
                e.low[seat] += s.favour[seat]
                e.high[seat] += s.favour[seat]
            return False
        forget(e)
    e.collects = False
    return False


cdef inline void guards_key(uint32_t number, int humans, const int16_t* guards, uint64_t* key) noexcept nogil:
    """The key of something together with guards."""
    cdef int seat
    key[0] = number + 1
    key[1] = 0
    for seat in range(humans):
        key[(seat + 2) >> 2] |= <uint64_t> <uint16_t> guards[seat] << 16 * ((seat + 2) & 3)


cdef bint tax_value(Engine* e, int32_t number, const int16_t* guards, int16_t* out) noexcept nogil:
    """The max^n value of a position of the graph, in favour still to come. False if the search has stopped, or is crowded."""
    cdef int16_t level[MAX_PLAYERS]
    cdef uint64_t key[2]
    cdef uint64_t at
    cdef const uint64_t* entry
    if number < 0:
        return False
    memcpy(level, guards, sizeof(level))
    level_by(&tax_node(&e.tax_graph, number).rules, e.t.humans, level)
    guards_key(number, e.t.humans, level, key)
    at = table_hash(&e.tax_table, key)
    entry = table_entry(&e.tax_table, key, at)
    if entry != NULL:
        memcpy(out, entry + 2, e.t.humans * sizeof(int16_t))
        return True
    if not tax_expand(e, number, level, out):
        return False
    memcpy(table_room(&e.tax_table, key, at), out, e.t.humans * sizeof(int16_t))
    return True


cdef bint tax_expand(Engine* e, int32_t number, const int16_t* guards, int16_t* out) noexcept nogil:
    """By trying the moves."""
    cdef int16_t value[MAX_PLAYERS]
    cdef int16_t left[MAX_PLAYERS]
    cdef TaxEdge edge
    cdef int i, j, n, seat = tax_node(&e.tax_graph, number).base.seat
    cdef bint made = False
    if not enter(e):
        stop_in_tax(e, number, guards, NULL, True, NULL)
        return False
    if not find_edges(e, number):
        e.crowded = True
        return False
    n = tax_node(&e.tax_graph, number).n_edges
    memset(left, 0, sizeof(left))
    for i in range(n):
        edge = tax_edges(&e.tax_graph, tax_node(&e.tax_graph, number))[i]
        if not can_pay(&edge, e.t.humans, guards, left):
            continue
        if not value_after(e, number, &edge, guards, left, value):
            if e.stopped:
                stop_in_tax(e, number, guards, out if made else NULL, i + 1 < n, edge.favour)
            return False
        for j in range(e.t.humans):
            value[j] += edge.favour[j]
        if not made or takes_whole(e, value, out, seat, False):
            memcpy(out, value, sizeof(value))
            made = True
    return True


cdef inline bint value_after(Engine* e, int32_t number, const TaxEdge* edge, const int16_t* guards, const int16_t* left,
                             int16_t* value) noexcept nogil:
    """The value after a move, without what it brings; `left`: the guards after it."""
    if edge.next == TO_POSITION:
        return tax_value(e, edge.after, left, value)
    if edge.next == TO_ROWS:
        return start_value(e, edge.after, left, value)
    return end_value(e, number, edge, guards, value)


cdef bint end_value(Engine* e, int32_t number, const TaxEdge* edge, const int16_t* guards, int16_t* value) noexcept nogil:
    """The same where nothing can be stored."""
    cdef GameState s = with_guards(e, number, guards)
    cdef double whole[WIDTH]
    cdef int seat
    apply_move(&s, e.t, edge.move)
    if not tree_value(e, &s, whole, False):
        return False
    for seat in range(e.t.humans):
        value[seat] = <int16_t> whole[seat]
    return True


cdef inline GameState with_guards(const Engine* e, int32_t number, const int16_t* guards) noexcept nogil:
    """A position of the graph, with its guards again."""
    cdef GameState s
    copy_state(&s, &tax_node(&e.tax_graph, number).base)
    memcpy(s.guards, guards, e.t.humans * sizeof(int16_t))
    return s


cdef void stop_in_tax(Engine* e, int32_t number, const int16_t* guards, const int16_t* best, bint more,
                      const int16_t* gain) noexcept nogil:
    """As `stop_at`; `gain`: what the move brings, NULL if none has been begun."""
    cdef GameState s = with_guards(e, number, guards)
    cdef double low[WIDTH]
    cdef double high[WIDTH]
    cdef double found[WIDTH]
    cdef int seat
    tree_bounds(e, &s, low, high)
    for seat in range(e.t.humans):
        e.low[seat] = low[seat] if gain == NULL else e.low[seat] + gain[seat]
        e.high[seat] = high[seat] if gain == NULL else e.high[seat] + gain[seat]
        found[seat] = best[seat] if best != NULL else 0
    stop_at(e, s.seat, found if best != NULL else NULL, more, low, high)


cdef bint find_edges(Engine* e, int32_t number) noexcept nogil:
    """Work out the moves of a position of the graph, unless that has been done. False if there is no room for it."""
    cdef Move_t moves[MAX_MOVES]
    cdef GameState base, after
    cdef TaxEdge edge
    cdef int i, n, seat
    cdef int32_t first
    if tax_node(&e.tax_graph, number).n_edges:
        return True
    copy_state(&base, &tax_node(&e.tax_graph, number).base)
    n = legal_moves(&base, e.t, moves)
    first = pool_take(&e.tax_graph.edges, n)
    if first < 0:
        return False
    for i in range(n):
        memset(&edge, 0, sizeof(TaxEdge))
        copy_state(&after, &base)
        apply_move(&after, e.t, moves[i])
        edge.move = moves[i]
        if after.decision == D_ROW or after.decision == D_CARD:
            edge.next = TO_ROWS
            edge.after = rows_start(e, &after)
        elif after.stage == TAX_COLLECTION or after.stage == STORING:
            edge.next = TO_POSITION
            edge.after = tax_number(&e.tax_graph, &after, e.t, comparison(e, &after), guards_used(e, &after))
        else:
            edge.next = TO_END
        if edge.after < 0:
            return False
        for seat in range(e.t.humans if edge.next != TO_END else 0):
            edge.guards[seat] = after.guards[seat] - PLENTY
            edge.favour[seat] = after.favour[seat]
        (<TaxEdge*> e.tax_graph.edges.items)[first + i] = edge
    tax_node(&e.tax_graph, number).first = first
    tax_node(&e.tax_graph, number).n_edges = n
    return True


cdef int32_t rows_start(Engine* e, const GameState* s) noexcept nogil:
    """The number of a place where the choosing of rows begins. -1 if there is no room for it."""
    cdef RowsStart start
    cdef RowContext c
    cdef Rows r
    cdef int32_t number
    cdef TaxGraph* g = &e.tax_graph
    open_context(e, s, &c)
    number = number_context(e, &c)
    if number < 0:
        return -1
    start.context = number
    fill_rows(&e.contexts[number], s, e.t, &r)
    settle(&e.contexts[number], e.t, &r)
    if has_many(&r, e.t) and not e.wide:
        e.wide = True                                  # tables are opened anew when there is no room
        return -1
    start.node = graph_number(&e.row_graph, &e.contexts[number], e.t, &r)
    number = aftermath_number(g, s, e.t, comparison(e, s), guards_used(e, s) & ~FARMERS)
    if start.node < 0 or number < 0:
        return -1
    start.aftermath = number
    number = pool_take(&g.starts, 1)
    if number >= 0:
        (<RowsStart*> g.starts.items)[number] = start
    return number


cdef bint start_value(Engine* e, int32_t number, const int16_t* guards, int16_t* out) noexcept nogil:
    """The value where the choosing of rows begins."""
    cdef const RowsStart* start = <const RowsStart*> e.tax_graph.starts.items + number
    cdef const RowContext* c = &e.contexts[start.context]
    cdef int32_t ending = ending_with(e, start.aftermath, c.board, guards)
    cdef Rows r
    cdef int cards, seat
    cdef double whole[WIDTH]
    cdef bint done
    if ending < 0:
        e.crowded = True
        return False
    cards = e.profiles[e.endings[ending].profile].cards[row_node(&e.row_graph, start.node).fillable]
    if cards:
        done = graph_value(e, c, start.node, cards, whole)
    else:
        r = row_node(&e.row_graph, start.node).rows
        done = rows_value(e, c, &r, whole)
    for seat in range(e.t.humans):
        if done:
            out[seat] = <int16_t> (whole[seat] + e.endings[ending].added[seat])
        else:
            e.low[seat] += e.endings[ending].added[seat]
            e.high[seat] += e.endings[ending].added[seat]
    return done


cdef int32_t ending_with(Engine* e, int32_t after, const Board* board, const int16_t* guards) noexcept nogil:
    """The number of an ending: what an aftermath comes to with these guards. -1 if there is no room for it."""
    cdef int16_t level[MAX_PLAYERS]
    cdef uint64_t key[2]
    cdef uint64_t at
    cdef double number
    cdef int seat
    cdef const Aftermath* a = aftermath(&e.tax_graph, after)
    cdef Ending fresh
    for seat in range(e.t.humans):
        level[seat] = guards[seat] + a.recruits[seat]
    level_by(&a.rules, e.t.humans, level)
    guards_key(after, e.t.humans, level, key)
    at = table_hash(&e.ending_table, key)
    if table_find(&e.ending_table, key, at, &number):
        return <int32_t> number
    if is_crowded(e):
        return -1
    memset(&fresh, 0, sizeof(Ending))
    copy_state(&fresh.base, &a.base)
    memcpy(fresh.base.guards, level, e.t.humans * sizeof(int16_t))
    number = same_ending(e, &fresh, board, True)
    if number >= 0:
        table_keep(&e.ending_table, key, at, &number)
    return <int32_t> number


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
    return open_bidding(b, e.table_bytes // 32 * 10)


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


# --- one seat against all: alpha-beta ---------------------------------------------------------------------

cdef inline Bounds point(Score score) noexcept nogil:
    return Bounds(score, score)


cdef inline Bounds shifted(Bounds bounds, double favour) noexcept nogil:
    return Bounds(plus(bounds.low, favour), plus(bounds.high, favour))


cdef inline bint decided(const Bounds* bounds, Score alpha, Score beta) noexcept nogil:
    """Whether it does not matter any more where between its bounds a value lies."""
    return (compare(bounds.low, bounds.high) >= 0 or compare(bounds.low, beta) >= 0
            or compare(bounds.high, alpha) <= 0)


cdef inline void narrow(Bounds* bounds, Bounds other) noexcept nogil:
    """Both hold."""
    bounds.low = better_of(bounds.low, other.low)
    bounds.high = worse_of(bounds.high, other.high)


cdef inline Bounds bounds_of(const Engine* e, const double* low, const double* high) noexcept nogil:
    return Bounds(score(e, low, e.seat), score(e, high, e.seat))


cdef inline void begin_moves(bint mine, Bounds* found) noexcept nogil:
    """Before any move has been tried: worse than everything for who decides."""
    found.low = found.high = LOWEST if mine else HIGHEST


cdef inline bint add_move(bint mine, Bounds* found, Bounds move, Score* alpha, Score* beta) noexcept nogil:
    """Take a move into account, narrowing the window; whether it is better than those before for who decides."""
    cdef bint better
    if mine:
        better = compare(move.low, found.low) > 0
        found.low = better_of(found.low, move.low)
        found.high = better_of(found.high, move.high)
        alpha[0] = better_of(alpha[0], found.low)
    else:
        better = compare(move.high, found.high) < 0
        found.low = worse_of(found.low, move.low)
        found.high = worse_of(found.high, move.high)
        beta[0] = worse_of(beta[0], found.high)
    return better


cdef inline void end_moves(bint mine, Bounds* found, Bounds* bounds, bint all) noexcept nogil:
    """What the moves tried say about the position; `all`: no other has been left out."""
    if not all and mine:
        found.high = HIGHEST
    elif not all:
        found.low = LOWEST
    narrow(bounds, found[0])


cdef bint read_bounds(const Engine* e, const Table* table, const uint64_t* key, Bounds* bounds) noexcept nogil:
    cdef double kept[4]
    kept[2] = kept[3] = 0
    if not table_find(table, key, key_hash(key, table.words), kept):
        return False
    narrow(bounds, Bounds(Score(kept[0], kept[2]), Score(kept[1], kept[3])))
    return True


cdef void keep_bounds(Table* table, const uint64_t* key, const Bounds* bounds) noexcept nogil:
    cdef double kept[4]
    kept[0], kept[1], kept[2], kept[3] = bounds.low.main, bounds.high.main, bounds.low.favour, bounds.high.favour
    table_keep(table, key, key_hash(key, table.words), kept)


cdef bint rows_search(Engine* e, const RowContext* c, const Rows* r, Score alpha, Score beta,
                      Bounds* bounds) noexcept nogil:
    """Bounds of the value for `e.seat`: exact if it lies between alpha and beta, else on one side of both.

    Unless gains are tracked, of the favour still to come. False if the search has stopped: then the bounds may be wide.
    """
    cdef uint64_t key[ROWS_WORDS]
    cdef double low[WIDTH]
    cdef double high[WIDTH]
    cdef bint done
    if rows_over(r):
        if rows_end(e, c, r, low):
            bounds[0] = point(score(e, low, e.seat))
            return True
        rows_bounds(e, c, r, low, high)
        bounds[0] = bounds_of(e, low, high)
        return False
    rows_bounds(e, c, r, low, high)
    bounds[0] = bounds_of(e, low, high)
    if decided(bounds, alpha, beta) and not e.left_out & BOUNDS:
        return True
    if e.left_out & ALPHA_BETA:
        alpha, beta = LOWEST, HIGHEST
    rows_key(e, c, r, key)
    if read_bounds(e, &e.rows_table, key, bounds) and decided(bounds, alpha, beta):
        return True
    done = rows_try(e, c, r, alpha, beta, bounds, NULL)
    if not e.left_out & MEMORY:
        keep_bounds(&e.rows_table, key, bounds)
    return done


cdef bint rows_try(Engine* e, const RowContext* c, const Rows* r, Score alpha, Score beta, Bounds* bounds,
                   int* best) noexcept nogil:
    """Narrow the bounds by trying the moves; also the number of the best one, if it is asked for."""
    cdef Move_t moves[MAX_MOVES]
    cdef double gain[MAX_PLAYERS]
    cdef Rows child
    cdef Bounds found, move
    cdef int i, n = rows_moves(c, e.t, r, moves)
    cdef bint mine = seat_of(c, e.t, r) == e.seat, done = enter(e), tried = 0
    if not done:
        return False
    begin_moves(mine, &found)
    for i in range(n):
        child = r[0]
        rows_after(e, c, &child, moves[i], gain)
        done = rows_search(e, c, &child, plus(alpha, -gain[e.seat]), plus(beta, -gain[e.seat]), &move)
        if add_move(mine, &found, shifted(move, gain[e.seat]), &alpha, &beta) and best != NULL:
            best[0] = i
        if not done or compare(alpha, beta) >= 0 and not e.left_out & ALPHA_BETA:
            end_moves(mine, &found, bounds, i + 1 == n)
            return done
    end_moves(mine, &found, bounds, True)
    return True


cdef bint tree_search(Engine* e, const GameState* s, Score alpha, Score beta, Bounds* bounds, bint keep) noexcept nogil:
    """As `rows_search`, for any position before the horizon; `keep`: remember it."""
    cdef uint64_t key[TREE_WORDS]
    cdef double low[WIDTH]
    cdef double high[WIDTH]
    cdef double favour
    cdef bint done
    cdef GameState reduced
    if not e.plain:
        s = reduce_position(e, s, &reduced)
    favour = s.favour[e.seat] if e.forgets_favour and s.stage >= TAX_COLLECTION else 0
    if s.decision == D_ROUND or is_over(s):
        evaluate(e, s, low)
        bounds[0] = bounds_of(e, low, low)
        return True
    if (s.decision == D_ROW or s.decision == D_CARD) and not e.plain:
        return rows_root_search(e, s, alpha, beta, bounds)
    tree_bounds(e, s, low, high)
    bounds[0] = bounds_of(e, low, high)
    if e.plain or e.left_out & ALPHA_BETA:
        alpha, beta = LOWEST, HIGHEST
    if e.plain:
        return tree_try(e, s, alpha, beta, bounds, False, NULL)
    if decided(bounds, alpha, beta):
        return True
    if not keep:
        return tree_try(e, s, alpha, beta, bounds, False, NULL)
    position_key(s, e.t, e.forgets_favour and s.stage >= TAX_COLLECTION, key)
    bounds[0] = shifted(bounds[0], -favour)
    done = read_bounds(e, table_for(e, s), key, bounds)
    bounds[0] = shifted(bounds[0], favour)
    if done and decided(bounds, alpha, beta):
        return True
    done = tree_try(e, s, alpha, beta, bounds, True, NULL)
    bounds[0] = shifted(bounds[0], -favour)
    keep_bounds(table_for(e, s), key, bounds)
    bounds[0] = shifted(bounds[0], favour)
    return done


cdef bint tree_try(Engine* e, const GameState* s, Score alpha, Score beta, Bounds* bounds, bint keep,
                   int* best) noexcept nogil:
    """As `rows_try`."""
    cdef Move_t moves[MAX_MOVES]
    cdef GameState child
    cdef Bounds found, move
    cdef int i, n, only
    cdef bint mine = s.seat == e.seat, done = enter(e)
    if not done:
        return False
    if is_chance(s):
        return average_search(e, s, bounds, keep)
    begin_moves(mine, &found)
    n = legal_moves(s, e.t, moves)
    only = only_move(e, s, moves, n) if best == NULL else -1
    for i in range(n):
        if only >= 0 and i != only:
            continue
        copy_state(&child, s)
        apply_move(&child, e.t, moves[i])
        done = tree_search(e, &child, alpha, beta, &move, keep)
        if add_move(mine, &found, move, &alpha, &beta) and best != NULL:
            best[0] = i
        if not done or compare(alpha, beta) >= 0 and not (e.plain or e.left_out & ALPHA_BETA):
            end_moves(mine, &found, bounds, i + 1 == n or only >= 0)
            return done
    end_moves(mine, &found, bounds, True)
    return True


cdef bint average_search(Engine* e, const GameState* s, Bounds* bounds, bint keep) noexcept nogil:
    """The mean over the outcomes of an automa's event, each of which is searched in full."""
    cdef uint64_t picks = picks_of(s, e.t)
    cdef Bounds sum = point(Score(0, 0)), move
    cdef GameState child
    cdef Outcome outcome
    cdef bint done = True
    cdef double n = popcount(picks)
    while picks:
        outcome.pick = lowest_bit(picks)
        picks &= picks - 1
        copy_state(&child, s)
        apply_chance(&child, e.t, &outcome)
        done &= tree_search(e, &child, LOWEST, HIGHEST, &move, keep)
        sum.low = Score(sum.low.main + move.low.main / n, sum.low.favour + move.low.favour / n)
        sum.high = Score(sum.high.main + move.high.main / n, sum.high.favour + move.high.favour / n)
    narrow(bounds, sum)
    return done


cdef bint rows_root_search(Engine* e, const GameState* s, Score alpha, Score beta, Bounds* bounds) noexcept nogil:
    """As `rows_root`."""
    cdef Rows r
    cdef const RowContext* c
    cdef double added[MAX_PLAYERS]
    cdef double low[WIDTH]
    cdef double high[WIDTH]
    cdef bint done
    if not begin_rows(e, s, &c, &r, added):
        e.stopped = True
        tree_bounds(e, s, low, high)
        bounds[0] = bounds_of(e, low, high)
        return False
    done = rows_search(e, c, &r, plus(alpha, -added[e.seat]), plus(beta, -added[e.seat]), bounds)
    bounds[0] = shifted(bounds[0], added[e.seat])
    return done


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
        e.table_bytes = table_bytes
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
        return self.e.selection_table.used + self.e.bidding.positions.used, self.e.tree_table.used, self.e.rows_table.used

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
