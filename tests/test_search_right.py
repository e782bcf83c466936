"""The search against the truth: ends of games and traps in which everything has been tried out.

`benchmarks/right.py` goes through all of them with more seeds.
"""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path
from typing import Any

import make_golden_trees
import pytest
from exhaustive import PARAMS, SAME, TooLargeError, truth, utility

import lusatia_ai as la

DATA = Path(__file__).with_name("data")
TRAPS = sorted((DATA / "traps").glob("*.json"))
LIMIT = la.Limit(iterations=5000)
QUICK = 1500
"""Positions up to which the tests try everything again."""


def small_ends() -> list[dict[str, Any]]:
    lines = gzip.decompress((DATA / "small_ends.jsonl.gz").read_bytes()).decode().splitlines()
    return [json.loads(line) for line in lines[1:]]


def is_best(entry: dict[str, Any], seed: int) -> bool:
    """Whether the search finds a best move."""
    state = la.State.from_json(entry["position"], chance="manual")
    return la.search(state, LIMIT, seed=seed, params=PARAMS).best.text in entry["best"]


def assert_true(entry: dict[str, Any]) -> None:
    """Try everything again, and compare."""
    known = truth(la.State.from_json(entry["position"], chance="manual"))
    assert list(known.best) == entry["best"]
    assert known.positions == entry["tried"]
    assert {move: pytest.approx(bounds, abs=1e-6) for move, bounds in known.values.items()} == {
        move: tuple(bounds) for move, bounds in entry["values"].items()
    }


def test_the_values_of_the_small_ends_are_true():
    entries = [entry for entry in small_ends() if entry["tried"] <= QUICK]
    for entry in islice(entries, 0, None, 8):
        assert_true(entry)


def test_the_small_ends_are_clear_and_half_of_them_decide_the_game():
    entries = small_ends()
    assert len(entries) == 300
    for entry in entries:
        others = [high for move, (_, high) in entry["values"].items() if move not in entry["best"]]
        gap = entry["values"][entry["best"][0]][0] - max(others)
        assert gap >= (0.1 if entry["favour"] == "levelled" else 0.002) - 2e-6
    assert sum(entry["favour"] == "levelled" for entry in entries) >= 120


def test_small_ends_are_played_best():
    entries = small_ends()[::3]
    missed = [entry["game"] for seed, entry in enumerate(entries) if not is_best(entry, seed)]
    assert len(missed) <= len(entries) // 100, missed


@pytest.mark.parametrize("path", TRAPS, ids=lambda path: path.stem)
def test_the_values_of_the_traps_are_true(path):
    assert_true(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", TRAPS, ids=lambda path: path.stem)
def test_traps_are_avoided(path):
    entry = json.loads(path.read_text(encoding="utf-8"))
    assert all(is_best(entry, seed) for seed in range(3)), entry["text"]


def test_there_are_traps_of_every_kind():
    kinds = {json.loads(path.read_text(encoding="utf-8"))["trap"] for path in TRAPS}
    assert kinds == {
        *("raise", "accept", "offer_twelve", "do_not_offer_twelve", "accept_twelve"),
        *("leave_closed", "chamberlain_now", "chamberlain_later"),
    }


# --- the exhaustive search itself -------------------------------------------------------------------


def test_trying_everything_agrees_with_plain_recursion():
    """Without memory and intervals, on decisions where no tie matters."""
    entries = [entry for entry in small_ends() if entry["tried"] <= 60]
    for entry in entries[:20]:
        state = la.State.from_json(entry["position"], chance="manual")
        seat = state.seat_to_act
        for move, (low, high) in entry["values"].items():
            assert low - 1e-6 <= plain_max_n(state.clone().apply(move))[seat] <= high + 1e-6


def plain_max_n(state: la.State) -> tuple[float, ...]:
    if state.is_over:
        return utility(state)
    seat = state.seat_to_act
    assert seat is not None
    return max((plain_max_n(state.clone().apply(move)) for move in state.legal_moves()), key=lambda value: value[seat])


def test_utilities_are_those_of_the_search():
    """After a last decision a search knows the end: its win share and favour make up the utility of the truth."""
    entry = next(entry for entry in small_ends() if entry["tried"] == len(entry["values"]))
    state = la.State.from_json(entry["position"], chance="manual")
    for found in la.search(state, la.Limit(iterations=50), seed=1, params=PARAMS).moves:
        rival = max(favour for seat, favour in enumerate(found.favour) if seat != state.seat_to_act)
        margin = found.favour[state.seat_to_act] - rival
        value = 0.8 * found.value[state.seat_to_act] + 0.2 * (0.5 + 0.01 * margin)
        assert value == pytest.approx(entry["values"][found.move.text][0], abs=1e-6)


def test_too_large_an_end_is_refused():
    entry = max(small_ends(), key=lambda entry: entry["tried"])
    state = la.State.from_json(entry["position"], chance="manual")
    with pytest.raises(TooLargeError):
        truth(state, most=entry["tried"] - 1)
    assert truth(state, most=entry["tried"]).gap >= SAME


# --- golden trees -------------------------------------------------------------------------------------

TREES = json.loads((DATA / "search_trees.json").read_text(encoding="utf-8"))["trees"]


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree["name"])
def test_search_trees_grow_as_before(tree):
    """If this fails after a change that is meant to change trees: `python tests/make_golden_trees.py`."""
    assert make_golden_trees.grown(tree, tree["position"]) == tree["tree"]


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree["name"])
def test_visits_in_search_trees_add_up(tree):
    """A node passes no more visits on than it has, and no move is visited oftener than it was legal."""

    def check(children: list[Any], visits: int) -> None:
        moves = [child for child in children if not child[0].startswith("edge")]  # edges of chance count no visits
        assert sum(own for _, own, _, _ in moves) <= visits
        for label, own, available, below in children:
            assert own <= available or label.startswith("edge")
            check(below, visits if label.startswith("edge") else own)

    if tree["name"] != "multiple observers":  # there, what is seen of others counts for the visits of their trees
        for root in tree["tree"]["nodes"]:
            check(root, 300)
