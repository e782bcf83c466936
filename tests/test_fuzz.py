"""A few hundred mutated positions and records; `benchmarks/fuzz.py` tries as many as one likes."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

BASES = 14  # one game for each number of players


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("fuzz", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(4))
def test_mutated_inputs_are_refused_or_sound(fuzz: ModuleType, seed: int) -> None:
    report = fuzz.run(seed, range(200), BASES)
    told = [(offender["index"], offender["problem"], offender["places"]) for offender in report.offenders]
    assert not told, (
        f"python benchmarks/fuzz.py --bases {BASES} --seed {seed} --only {told[0][0]} shows the first: {told}"
    )
    assert sum(report.verdicts.values()) == 200
    assert sum(count for (_, _, verdict), count in report.verdicts.items() if verdict == "refused") > 60


def test_a_mutation_follows_from_seed_and_number(fuzz: ModuleType) -> None:
    kinds = fuzz.input_kinds()
    for index in range(30):
        one, other = fuzz.mutation(5, index, kinds), fuzz.mutation(5, index, kinds)
        assert one == other
    assert len({fuzz.mutation(5, index, kinds).base for index in range(30)}) > 10


def test_the_inputs_that_are_mutated_are_sound(fuzz: ModuleType) -> None:
    for number in range(6):
        positions, record = fuzz.game(3, number)
        for text in [*positions[::20], positions[-1]]:
            same = fuzz.Mutation("position", "none", text, json.loads(text), ())
            assert fuzz.position_verdict(same, fuzz.random.Random(1)) == "accepted unchanged"
        if "record" in fuzz.input_kinds():
            same = fuzz.Mutation("record", "none", record, json.loads(record), ())
            assert fuzz.record_verdict(same, fuzz.random.Random(1)) == "accepted unchanged"
