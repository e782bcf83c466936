"""Tax collection and helpers, searched on their graph. Part of `_solver.pyx`."""

# --- tax collection and helpers on the graph ------------------------------------------------------------

cdef bint tax_root(Engine* e, const GameState* s, double* out) noexcept nogil:
    """The value of a position in which somebody collects or decides on a helper.

    False if the search has stopped; or if it takes too much room for the graph, which is not used any more then (`collects`).
    """
    cdef int16_t value[MAX_PLAYERS]
    cdef int32_t number
    cdef int seat, again
    for again in range(2):
        e.crowded = is_crowded(e)
        number = -1
        if not e.crowded or forget(e):
            number = tax_number(&e.tax_graph, s, e.t, comparison(e, s), guards_used(e, s))
        if number >= 0 and tax_value(e, number, s.guards, value):
            for seat in range(e.t.humans):
                out[seat] = s.favour[seat] + value[seat]
            return True
        if e.stopped and number < 0:
            tree_bounds(e, s, e.low, e.high)
            return False
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
    cdef int32_t number
    cdef TaxGraph* g = &e.tax_graph
    open_context(e, s, &c)
    number = number_context(e, &c)
    if number < 0:
        return -1
    start.context = number
    fill_rows(&e.contexts[number], s, e.t, &start.rows)
    settle(&e.contexts[number], e.t, &start.rows)
    if has_many(&start.rows, e.t) and not e.wide:
        e.wide = True                                  # tables are opened anew when there is no room
        return -1
    start.node = graph_number(&e.row_graph, &e.contexts[number], e.t, &start.rows)
    number = aftermath_number(g, s, e.t, comparison(e, s), guards_used(e, s) & ~FARMERS)
    if number < 0:
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
    cards = e.profiles[e.endings[ending].profile].cards[rows_to_fill(c, &start.rows)]
    if cards and start.node >= 0:
        done = graph_value(e, c, start.node, cards, whole)
    else:
        r = with_cards(e, &start.rows, cards)
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
        level[seat] = guards[seat] + a.base.guards[seat]
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
