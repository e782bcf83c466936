"""Limits and search parameters: what they accept, and that each does what it says."""

from __future__ import annotations

import pickle
from dataclasses import fields

import pytest

import lusatia_ai as la
from lusatia_ai._search import NODE_SIZE


@pytest.mark.parametrize(
    "arguments",
    [
        {"time": 0},
        {"time": -1.0},
        {"time": float("nan")},
        {"time": "1"},
        {"iterations": 0},
        {"iterations": 2.5},
        {"iterations": True},
        {"memory": 1000},
        {"confidence": 1.0},
        {"confidence": 0.4},
        {"confidence": [0.9]},
    ],
)
def test_bad_limits_are_refused(arguments):
    (name,) = arguments
    with pytest.raises(la.LimitError, match=f"{name}: found .*; allowed"):
        la.Limit(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"algorithm": "alphabeta"},
        {"algorithm": ["so"]},
        {"selection": None},
        {"exploration": -0.1},
        {"backup": "minimax"},
        {"epsilon": 1.5},
        {"playout": "best"},
        {"horizon": 7},
        {"horizon": 1.0},
        {"chance_nodes": True},
        {"prior_temperature": 0},
        {"widening": -1},
        {"worlds": 0},
        {"trees": 65},
        {"memory": 1},
        {"taste": {"goods": 1.0}},
        {"taste": {"bid": 11}},
        {"taste": "bid"},
    ],
)
def test_bad_parameters_are_refused(arguments):
    (name,) = arguments
    with pytest.raises(la.ParamsError, match=f"{name}.*found .*; allowed"):
        la.SearchParams(**arguments)


def test_a_utility_needs_a_weight():
    with pytest.raises(la.ParamsError, match="at least one weight above 0"):
        la.SearchParams(win=0, favour=0, rank=0)


def test_all_faults_are_reported_together():
    with pytest.raises(la.ParamsError) as caught:
        la.SearchParams(algorithm="x", trees=0, taste={"y": 1})
    assert [fault.place for fault in caught.value.faults] == ["algorithm", "trees", "taste.y"]


def test_parameters_can_be_pickled_and_compared():
    params = la.SearchParams(trees=3, taste={"bid": 0.5})
    assert pickle.loads(pickle.dumps(params)) == params
    assert params != la.SearchParams(trees=3)


def test_every_parameter_is_explained():
    text = la.SearchParams.__doc__ or ""
    missing = [field.name for field in fields(la.SearchParams) if f"{field.name}:" not in text]
    assert set(missing) <= {"win", "favour", "rank"}  # explained together


def start() -> la.State:
    return la.State.new(la.Variant(humans=3), seed=4)


def test_the_search_stops_at_the_first_limit():
    result = la.search(start(), la.Limit(time=30, iterations=50, memory=10**8, confidence=0.99), seed=1)
    assert result.iterations == 50
    assert result.stopped_by == "iterations"


def test_a_memory_limit_ends_the_search_when_the_trees_are_full():
    limit = la.Limit(time=30, memory=300_000)
    result = la.search(start(), limit, seed=1, params=la.SearchParams(trees=2))
    assert result.stopped_by == "memory"
    assert 0.8 * 300_000 < result.tree_size * NODE_SIZE <= 300_000


def test_a_full_tree_goes_on_counting():
    params = la.SearchParams(memory=65_536)
    result = la.search(start(), la.Limit(iterations=5000), seed=1, params=params)
    assert result.stopped_by == "iterations"
    assert result.iterations == 5000
    assert 1000 < result.tree_size <= 65_536 // NODE_SIZE


def test_a_search_that_is_sure_stops():
    """Handing over guards for two favour each, where nothing else counts any more, is settled soon."""
    state = start()
    limit = la.Limit(iterations=10**6, confidence=0.5)
    result = la.search(state, limit, seed=1)
    assert result.stopped_by == "confidence"
    assert 256 <= result.iterations < 10**6
    best, *others = result.moves
    assert all(best.value[result.seat] >= other.value[result.seat] for other in others)


def test_more_confidence_takes_longer():
    counts = [
        la.search(start(), la.Limit(iterations=60_000, confidence=c), seed=1).iterations for c in (0.5, 0.9, 0.999)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_without_a_limit_the_search_takes_a_second():
    assert la.search(start(), seed=1).elapsed == pytest.approx(1, abs=0.3)


def test_a_search_that_ends_with_its_memory_is_the_same_each_time():
    limit = la.Limit(iterations=400_000, memory=2**18)
    params = la.SearchParams(trees=2)
    first, second = (la.search(start(), limit, seed=1, params=params, n_jobs=jobs) for jobs in (1, 2))
    assert first.stopped_by == "memory"
    assert (first.iterations, first.moves) == (second.iterations, second.moves)


@pytest.mark.parametrize("ask", [la.search, la.analyse])
def test_a_bare_number_is_no_limit_and_a_dict_no_position(ask):
    with pytest.raises(TypeError, match=r"limit: expected a Limit, such as la.Limit\(time=1\), not 0.2"):
        ask(start(), 0.2)
    with pytest.raises(TypeError, match="expected a State, a View or a Belief"):
        ask({"format": "lusatia-position"})
