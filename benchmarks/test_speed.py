"""How fast the forward model is: `python -m pytest benchmarks`.

The Python rows are measured by pytest-benchmark. The rows in C run in loops inside the extension; so that they can be
guarded on machines of any speed, their time is compared with that of the random generator in the same run.
"""

from __future__ import annotations

import itertools

import pytest

import lusatia_ai as la
from lusatia_ai import _bench

N = 100_000

GAMES = {
    "3 players": la.Variant(humans=3),
    "4 players": la.Variant(humans=4),
    "5 players": la.Variant(humans=5),
    "6 players": la.Variant(humans=6),
    "2 + 1 automa": la.Variant(humans=2, automas=1),
}


@pytest.fixture(params=GAMES.values(), ids=GAMES.keys())
def state(request):
    return la.State.new(request.param, seed=1)


@pytest.fixture
def at_chance(state):
    waiting = la.State.new(state.variant, seed=1, chance="manual")
    return waiting.apply(waiting.sample_chance(1))


# From Python


def test_clone(benchmark, state):
    assert benchmark(state.clone) == state


def test_legal_moves(benchmark, state):
    assert benchmark(state.legal_moves)


def test_clone_and_apply(benchmark, state):
    move = state.legal_moves()[0]
    assert benchmark(lambda: state.clone().apply(move)) != state


def test_clone_and_chance(benchmark, at_chance):
    words = itertools.count()
    assert not benchmark(lambda: at_chance.clone().apply(at_chance.sample_chance(next(words)))).is_chance


def test_whole_random_playout(benchmark, state):
    words = itertools.count()
    assert benchmark(lambda: state.playout(next(words))).winners


# In C, in draws of the random generator. The limits leave twice the time that was measured.

DRAW_LIMITS = {"clone": 20, "clone with new hidden hands": 130, "legal moves": 80, "random move": 90, "decision": 170}

ATTEMPTS = 5
"""A machine that is busy with something else can double a figure; code that has got slow is slow each time."""


def draws(measure, repeats=15):
    """The time of one unit of `measure` in draws of the random generator: both at their best of alternating runs."""
    pairs = [(measure(), _bench.time_draws(N) / N) for _ in range(repeats)]
    return min(unit for unit, _ in pairs) / min(draw for _, draw in pairs)


def decision_seconds(state):
    decisions, seconds = _bench.time_playouts(state, 500, 1)
    return seconds / decisions


@pytest.mark.parametrize("what", DRAW_LIMITS)
def test_costs_in_c(what, state):
    measures = {
        "clone": lambda: _bench.time_clones(state, N) / N,
        "clone with new hidden hands": lambda: _bench.time_worlds(state.view().worlds(), N, 1) / N,
        "legal moves": lambda: _bench.time_legal_moves(state, N) / N,
        "random move": lambda: _bench.time_random_moves(state, N, 1) / N,
        "decision": lambda: decision_seconds(state),
    }
    tries = (draws(measures[what]) for _ in range(ATTEMPTS))
    assert any(found < DRAW_LIMITS[what] for found in tries)
