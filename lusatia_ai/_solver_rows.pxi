"""The search through choices of rows, on the reduced model and on its graph. Part of `_solver.pyx`."""

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
        r = with_cards(e, &row_node(&e.row_graph, number).rows, cards)
        done = rows_expand(e, c, &r, whole, NULL)
        for k in range(e.t.humans):
            out[k] = <int16_t> whole[k]
        return done
    if not enter(e):
        r = with_cards(e, &row_node(&e.row_graph, number).rows, cards)
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
        edge = row_edge(&e.row_graph, node.first + i)
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
    option.most = edge.most + e.steps[option.cards].most[seat]
    for other in range(e.t.humans):
        option.gain[other] = edge.gain[other]
        if shift != NULL:
            option.gain[other] += <int16_t> shift[other]
    if shift != NULL:
        option.most += <int16_t> shift[seat]
    option.key = class_key(option.after, option.cards)
    option.at = table_hash(&e.class_table, &option.key)
    while j and options[order[j - 1]].most < option.most:
        order[j] = order[j - 1]
        j -= 1
    order[j] = n


cdef inline Rows with_cards(const Engine* e, const Rows* without, int cards) noexcept nogil:
    """A position of a class of cards."""
    cdef Rows r = without[0]
    r.cards = cards
    r.offered = e.classes[cards].offered
    return r


cdef void stop_in_graph(Engine* e, const RowContext* c, int32_t number, int cards, const int16_t* best, bint more,
                        const int16_t* gain) noexcept nogil:
    """As `stop_in_rows`."""
    cdef double found[WIDTH]
    cdef double added[MAX_PLAYERS]
    cdef Rows r = with_cards(e, &row_node(&e.row_graph, number).rows, cards)
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
