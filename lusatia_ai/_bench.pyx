"""Loops in C that count and measure: perft, the signature of the forward model, and how fast its parts are."""

from time import perf_counter

from ._belief cimport *
from ._core cimport *
from ._tables cimport *

from ._core import require_layout


cdef unsigned long long count_leaves(const GameState* s, const GameTables* t, int depth) noexcept nogil:
    """Sequences of `depth` decisions. Chance is drawn by the hash of its position: the same on every way to it."""
    cdef Move_t moves[MAX_MOVES]
    cdef unsigned long long leaves = 0
    cdef int i, n
    if depth == 0 or is_over(s):
        return 1
    n = legal_moves(s, t, moves)
    if depth == 1:
        return n
    for i in range(n):
        leaves += count_after(s, t, moves[i], depth - 1)
    return leaves


cdef unsigned long long count_after(const GameState* s, const GameTables* t, Move_t move, int depth) noexcept nogil:
    cdef GameState child
    copy_state(&child, s)
    play_and_draw(&child, t, move)
    return count_leaves(&child, t, depth)


cdef void play_and_draw(GameState* s, const GameTables* t, Move_t move) noexcept nogil:
    cdef Rng rng
    apply_move(s, t, move)
    if is_chance(s):
        rng_seed(&rng, hash_state(s))
        draw_until_decision(s, t, &rng)


def perft(StateCore state not None, int depth):
    """The number of sequences of `depth` decisions from a state that waits for one (a game's end ends a sequence)."""
    cdef GameState s
    cdef unsigned long long leaves
    cdef const GameTables* t = state.table()
    if depth < 0:
        raise ValueError(f"depth is {depth}; allowed: 0 or more")
    copy_state(&s, &state.s)
    with nogil:
        leaves = count_leaves(&s, t, depth)
    return leaves


def after(StateCore state not None, int move):
    """A copy of the state after a legal move, chance being drawn as `perft` does."""
    if not state.is_legal_code(move):
        raise ValueError(f"no legal move has the code {move}")
    cdef StateCore child = state.clone()
    play_and_draw(&child.s, state.table(), move)
    return child


def signature(StateCore state not None, int games, uint64_t seed):
    """A number over all positions of so many random games from a state, which any change of the rules changes."""
    cdef GameState s
    cdef Rng rng
    cdef uint64_t result = 0
    cdef const GameTables* t = state.table()
    rng_seed(&rng, seed)
    with nogil:
        for _ in range(games):
            copy_state(&s, &state.s)
            draw_until_decision(&s, t, &rng)
            while not is_over(&s):
                apply_move(&s, t, random_move(&s, t, &rng))
                draw_until_decision(&s, t, &rng)
                result = rotate_left(result, 7) ^ hash_state(&s)
    return result


def time_playouts(StateCore state not None, int n, uint64_t seed):
    """Random games to the end; returns (decisions, seconds)."""
    cdef GameState s
    cdef Rng rng
    cdef unsigned long long decisions = 0
    cdef const GameTables* t = state.table()
    rng_seed(&rng, seed)
    started = perf_counter()
    with nogil:
        for _ in range(n):
            copy_state(&s, &state.s)
            decisions += random_playout(&s, t, &rng)
    return decisions, perf_counter() - started


def time_draws(int n):
    """Draws of the random generator, the yardstick for the other times; returns seconds."""
    cdef Rng rng
    cdef uint64_t kept = 0
    rng_seed(&rng, 1)
    started = perf_counter()
    with nogil:
        for _ in range(n):
            kept |= rng_next(&rng)
    seconds = perf_counter() - started
    return seconds if kept else 0.0


def time_clones(StateCore state not None, int n):
    """Copies of a state into 64 places in turn, as a search makes them; returns seconds."""
    cdef GameState copies[64]
    cdef int i
    cdef uint64_t kept = 0
    state.table()
    started = perf_counter()
    with nogil:
        for i in range(n):
            copy_state(&copies[i & 63], &state.s)
            kept += copies[(i * 7) & i & 63].round
    seconds = perf_counter() - started
    return seconds if kept == <uint64_t> state.s.round * n else -1.0


def time_worlds(Worlds worlds not None, int n, uint64_t seed):
    """Copies of a view with new hidden hands; returns seconds."""
    cdef GameState s
    cdef Rng rng
    cdef uint64_t kept = 0
    rng_seed(&rng, seed)
    started = perf_counter()
    with nogil:
        for _ in range(n):
            sample_world(&worlds.source, &s, &worlds.tables.c, &rng)
            kept += s.guards[0] + s.guards[1]
    seconds = perf_counter() - started
    return seconds if kept < <uint64_t> -1 else -1.0


def time_legal_moves(StateCore state not None, int n):
    """Move lists of a state; returns seconds."""
    cdef Move_t moves[MAX_MOVES]
    cdef unsigned long long kept = 0
    cdef const GameTables* t = state.table()
    started = perf_counter()
    with nogil:
        for _ in range(n):
            kept += legal_moves(&state.s, t, moves)
    seconds = perf_counter() - started
    return seconds if kept else 0.0


def time_random_moves(StateCore state not None, int n, uint64_t seed):
    """Choices of a random move of a state; returns seconds."""
    cdef Rng rng
    cdef unsigned long long kept = 0
    cdef const GameTables* t = state.table()
    if state.s.decision >= D_SETUP:
        raise ValueError("the state waits for no decision")
    rng_seed(&rng, seed)
    started = perf_counter()
    with nogil:
        for _ in range(n):
            kept += random_move(&state.s, t, &rng)
    seconds = perf_counter() - started
    return seconds if kept else 0.0


def time_applies(StateCore state not None, int n):
    """Copies of a state with its first legal move applied; returns seconds."""
    cdef GameState s
    cdef Move_t moves[MAX_MOVES]
    cdef unsigned long long kept = 0
    cdef const GameTables* t = state.table()
    if not legal_moves(&state.s, t, moves):
        raise ValueError("the state waits for no decision")
    started = perf_counter()
    with nogil:
        for _ in range(n):
            copy_state(&s, &state.s)
            apply_move(&s, t, moves[0])
            kept += s.decision
    seconds = perf_counter() - started
    return seconds if kept < <unsigned long long> n * D_OVER + 1 else -1.0


def time_chance(StateCore state not None, int n, uint64_t seed):
    """Copies of a state with its chance event drawn and applied; returns seconds."""
    cdef GameState s
    cdef Rng rng
    cdef Outcome outcome
    cdef unsigned long long kept = 0
    cdef const GameTables* t = state.table()
    if not is_chance(&state.s):
        raise ValueError("the state waits for no chance event")
    rng_seed(&rng, seed)
    started = perf_counter()
    with nogil:
        for _ in range(n):
            copy_state(&s, &state.s)
            draw_chance(&s, t, &rng, &outcome)
            apply_chance(&s, t, &outcome)
            kept += s.besieged
    seconds = perf_counter() - started
    return seconds if kept < <unsigned long long> n * 64 else -1.0


require_layout("lusatia_ai._bench", sizeof(GameState), sizeof(GameTables))
