"""What comes after the storing stage: endings, what cards add to them, and numbers for equal things. Part of `_solver.pyx`."""

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
    return (table_open(&e.rows_table, words, width, e.objective != WIN and e.leaf == NULL, (2 if e.graphs else 16) * share,
                       &e.supply)
            and (not e.graphs or table_open(&e.class_table, 1, e.t.humans, True, 8 * share, &e.supply)
                 and graph_open(&e.row_graph, e.t.humans, 20 * share, &e.supply)))


cdef bint open_tree(Engine* e) noexcept nogil:
    """Empty tables for all other positions."""
    cdef int width = (2 if e.objective != WIN else 4) if e.paranoid else e.width
    cdef int words = 2 + e.t.humans + (e.t.players + 1) // 2 + (e.t.humans + 1) // 2
    cdef bint whole = e.objective != WIN and e.leaf == NULL
    cdef uint64_t share = e.table_bytes // 32
    return (table_open(&e.tree_table, words, width, whole, share if e.graphs else 8 * share, &e.supply)
            and table_open(&e.selection_table, 1 + e.t.humans + (e.t.automas > 0), width, whole and not e.t.automas,
                           (2 if e.graphs else 8) * share, &e.supply))


cdef bint open_taxes(Engine* e) noexcept nogil:
    """An empty graph of tax collection, and tables for it."""
    cdef uint64_t share = e.table_bytes // 32
    return not e.graphs or (table_open(&e.tax_table, 2, e.t.humans, True, 3 * share, &e.supply)
                            and table_open(&e.ending_table, 2, 1, False, share, &e.supply)
                            and tax_open(&e.tax_graph, 4 * share, &e.supply))


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
