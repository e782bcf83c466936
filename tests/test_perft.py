"""Counts and the signature of the forward model: a change of any rule changes them.

If a change of `tests/data/signature.json` is meant, make the file anew and say in the commit why:
`lusatia-ai bench --json > tests/data/signature.json` (times in it are not compared).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lusatia_ai as la
from lusatia_ai.perft import BENCH_VARIANTS, bench, perft, perft_divide

GOLDEN = Path(__file__).parent / "data" / "signature.json"


def slow_perft(state: la.State, depth: int) -> int:
    """The same count by Python calls; only valid as long as no chance event is reached."""
    if depth == 0:
        return 1
    return sum(slow_perft(state.clone().apply(move), depth - 1) for move in state.legal_moves())


def test_the_signature_is_the_golden_one():
    golden, found = json.loads(GOLDEN.read_text()), bench(playouts=1)
    rows = [
        {"variant": row.variant.to_json(), "perft": row.perft, "signature": f"{row.signature:016x}"}
        for row in found.rows
    ]
    expected = [{key: row[key] for key in ("variant", "perft", "signature")} for row in golden["rows"]]
    assert rows == expected
    assert found.signature == golden["signature"]


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_perft_counts_what_python_calls_count(depth):
    state = la.State.new(la.Variant(humans=5), seed=2)
    assert perft(state, depth) == slow_perft(state, depth)


@pytest.mark.parametrize("variant", BENCH_VARIANTS)
def test_the_parts_of_perft_add_up(variant):
    state = la.State.new(variant, seed=2)
    divided = perft_divide(state, 4)
    assert list(divided) == [move.text for move in state.legal_moves()]
    assert sum(divided.values()) == perft(state, 4)


def test_perft_ends_with_the_game():
    state = la.State.new(la.Variant(humans=3), seed=2)
    while state.round < 6 or state.decision != "row":
        state.apply(state.legal_moves()[-1])
    assert perft(state, 20) == perft(state, 19) > 0


@pytest.mark.parametrize("depth", [-1, 21])
def test_a_depth_out_of_range_is_refused(depth):
    with pytest.raises(ValueError, match="allowed"):
        perft(la.State.new(seed=1), depth)


def test_a_position_at_chance_is_refused():
    with pytest.raises(ValueError, match="decision"):
        perft(la.State.new(seed=1, chance="manual"), 2)
