"""The exact solver against plain exhaustive recursion, and against cases of an independent implementation."""

from __future__ import annotations

import gzip
import json
import os
from itertools import islice, product
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from reference_solver import Exhaustive, Goal, TooLargeError, random_positions, small_set

import lusatia_ai as la

ROOT = Path(__file__).resolve().parents[1]
CASES = Path(os.environ.get("LUSATIA_CASES") or ROOT.parent / "shared" / "cases") / "storing" / "cases.jsonl.gz"
OBJECTIVES = ("favour", "margin", "win")
CONCEPTS = ("maxn", "paranoid")
TIES = ("first", "worst", "best")


def assert_solved(state: la.State, goal: Goal, most_nodes: int = 1500) -> bool:
    """Compare every move's values with the reference; False if that would take too long."""
    try:
        expected = Exhaustive(goal, most_nodes).moves(state)
    except TooLargeError:
        return False
    solution = la.solve(state, **goal.options())
    assert solution.status == "exact"
    seats = [goal.seat] if goal.concept == "paranoid" else range(state.variant.humans)
    for found in solution.moves:
        for seat in seats:
            assert found.values[seat] == pytest.approx(expected[found.move.text][seat][0]), (goal, found.move, seat)
    mine = {move: values[solution.seat] for move, values in expected.items()}
    best = (min if goal.concept == "paranoid" and solution.seat != goal.seat else max)(
        [values[goal.seat] for values in expected.values()] if goal.concept == "paranoid" else mine.values()
    )
    chosen = expected if goal.concept == "paranoid" else None
    reached = [chosen[m][goal.seat] if chosen else mine[m] for m in (move.text for move in solution.best)]
    assert all(value == pytest.approx(best) for value in reached)
    return True


@pytest.mark.parametrize(("objective", "concept"), list(product(OBJECTIVES, CONCEPTS)))
def test_storing_is_solved_as_by_trying_everything(objective, concept):
    solved = 0
    for number, state in enumerate(islice(random_positions("storing", 7), 30)):
        goal = Goal(objective, concept, "stage", TIES[number % 3], state.seat_to_act)
        solved += assert_solved(state, goal)
    assert solved >= 6


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_tax_collection_is_solved_as_by_trying_everything(objective):
    solved = 0
    for number, state in enumerate(islice(random_positions("tax_collection", 3, small_set(), humans=3, automas=0), 6)):
        goal = Goal(objective, CONCEPTS[number % 2], "stage", "first", state.seat_to_act)
        solved += assert_solved(state, goal)
    assert solved >= 1


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_end_of_the_game_is_solved_as_by_trying_everything(objective):
    solved = 0
    for state in islice(random_positions("storing", 11, round=6), 30):
        solved += assert_solved(state, Goal(objective, "maxn", "game", "first", state.seat_to_act))
    assert solved >= 4


def cases() -> list[dict[str, Any]]:
    with gzip.open(CASES, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.skipif(not CASES.exists(), reason=f"no cases at {CASES}; LUSATIA_CASES names another folder of cases")
def test_cases_of_an_independent_implementation_agree():
    for case in cases():
        state = la.State.from_json(case["position"], chance="manual")
        before = state.favour
        solution = la.solve(state)
        gains = [value - had for value, had in zip(solution.values, before, strict=False)]
        assert gains == case["gains"][: len(gains)]
        assert [str(move) for _, move in solution.line] == [entry["move"] for entry in case["line"]]


def open_position() -> la.State:
    """The first decision of a storing stage with many goods."""
    return next(
        state for state in random_positions("storing", 2, humans=4, automas=0, round=5) if state.seat_to_act >= 0
    )


def test_a_limited_solve_gives_bounds_that_hold():
    for state in islice(random_positions("tax_collection", 5, humans=3, automas=0), 6):
        exact = la.solve(state, limit=la.Limit(iterations=3_000_000))
        limited = la.solve(state, limit=la.Limit(iterations=300))
        if exact.status != "exact":
            continue
        assert limited.status in ("bound", "exact")
        seat = state.seat_to_act
        for known, bounded in zip(exact.moves, limited.moves, strict=True):
            low, high = bounded.bounds[seat]
            assert low - 1e-9 <= known.values[seat] <= high + 1e-9
        assert set(exact.best) <= set(limited.best)


def test_a_time_limit_is_kept():
    state = next(random_positions("tax_collection", 5, humans=5, automas=0, round=5))
    started = perf_counter()
    la.solve(state, limit=la.Limit(time=0.1))
    assert perf_counter() - started < 1  # the machine may be busy


def test_the_line_is_what_best_play_brings():
    state = open_position()
    solution = la.solve(state)
    after = state.clone()
    for seat, move in solution.line:
        assert after.seat_to_act == seat
        after.apply(move)
    assert solution.line[0][1] == solution.best[0]


def test_hidden_hands_that_matter_are_sampled():
    """At the end of the game guards break ties and estate symbols score."""
    state = next(random_positions("storing", 9, small_set(), humans=3, automas=0, round=6))
    solution = la.solve(state.view(), horizon="game", worlds=8, seed=1)
    assert solution.status == "sampled"
    assert solution.worlds == 8
    assert la.solve(state.view(hands="known"), horizon="game").status == "exact"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "points"}, "objective"),
        ({"concept": "minimax"}, "concept"),
        ({"horizon": "week"}, "horizon"),
        ({"ties": "any"}, "ties"),
        ({"seat": 9}, "seat"),
    ],
)
def test_questions_that_mean_nothing_are_refused(options, message):
    with pytest.raises(la.SolveError, match=f"{message}.*found .*; allowed"):
        la.solve(open_position(), **options)


def test_positions_with_too_much_chance_are_refused():
    with pytest.raises(la.SolveError, match="allowed"):
        la.solve(la.State.new(seed=1), horizon="game")
    with pytest.raises(ValueError, match="nothing to decide"):
        la.solve(la.State.new(seed=1, chance="manual"))
