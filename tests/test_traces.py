"""Whole games replay: those of an independent implementation, where they are at hand, and the project's own."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from positions import PLAYERS, canonical, differences

import lusatia_ai as la

ROOT = Path(__file__).resolve().parents[1]
CASES = Path(os.environ.get("LUSATIA_CASES") or ROOT.parent / "shared" / "cases")
TRACES = sorted((CASES / "traces").glob("*.jsonl.gz"))
PLAYTHROUGHS = sorted((ROOT / "tests" / "data" / "playthroughs").glob("*.jsonl.gz"))
LOADED = 7  # every so many positions one is also loaded from its JSON, which takes longest


def lines_of(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def replay(path: Path) -> None:
    """Play a game again: legal moves, positions as canonical JSON, and result are the same after each event."""
    header, *steps, last = lines_of(path)
    first = steps[0]["position"]
    state = la.State.from_json(first, chance="manual")
    assert state.variant == la.Variant.from_json(header["variant"])
    if first["stage"] == "setup":
        assert state == la.State.new(state.variant, components=state.components, chance="manual")
    for number, step in enumerate(steps):
        where = f"{path.name}, line {number + 2}, before {step['event']}"
        same_position(state, step["position"], where)
        found = None if state.is_chance else [str(move) for move in state.legal_moves()]
        assert found == step["legal"], where
        assert state.seat_to_act == step["seat"], where
        if number % LOADED == 0:
            loaded = la.State.from_json(step["position"], chance="manual")
            assert loaded == state, where
            assert loaded.hash == state.hash, where
        state.apply(step["event"])
        assert state.check() is None, where
    same_position(state, last["position"], f"{path.name}, the end")
    assert state.is_over
    guards = [player["guards"] for player in last["position"]["players"] if player["kind"] == "human"]
    result = {"favour": list(state.favour), "guards": guards, "winners": list(state.winners)}
    assert result == last["result"], path.name


def same_position(state: la.State, expected: dict[str, Any], where: str) -> None:
    found = state.to_json()
    if canonical(found) != canonical(expected):
        pytest.fail("\n  ".join([f"another position: {where}", *differences(found, expected)]))


@pytest.mark.skipif(not TRACES, reason=f"no traces in {CASES / 'traces'}; LUSATIA_CASES names another folder of cases")
@pytest.mark.parametrize("path", TRACES or [Path("absent")], ids=lambda path: path.name.partition(".")[0])
def test_trace_replays(path: Path) -> None:
    replay(path)


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.name.partition(".")[0])
def test_playthrough_replays(path: Path) -> None:
    replay(path)


def test_playthroughs_cover_the_variants() -> None:
    variants = [lines_of(path)[0]["variant"] for path in PLAYTHROUGHS]
    assert {(variant["humans"], variant["automas"]) for variant in variants} == set(PLAYERS)
    for flag in ("easy", "chooser_must_contribute", "score_automas"):
        assert {variant[flag] for variant in variants} == {False, True}
    assert {variant["sides"] if isinstance(variant["sides"], str) else "mixed" for variant in variants} == {
        "light",
        "dark",
        "mixed",
    }
