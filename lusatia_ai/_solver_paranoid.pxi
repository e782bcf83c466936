"""One seat against all others: alpha-beta. Part of `_solver.pyx`."""

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
