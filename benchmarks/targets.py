"""The speed of the forward model, and of a hint, against their targets: `python benchmarks/targets.py`.

Each figure of the forward model is the best of several runs on one core. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from timeit import repeat

import lusatia_ai as la
from lusatia_ai import _bench

POSITIONS = Path(__file__).parents[1] / "examples" / "positions"
REPEATS = 7
N = 1_000_000
PLAYOUTS = 5_000


@dataclass(frozen=True)
class Target:
    """A figure, and the value that it must reach: at most, or at least if `more` is better."""

    name: str
    figure: float
    unit: str
    wanted: float
    more: bool = False

    @property
    def met(self) -> bool:
        return self.figure >= self.wanted if self.more else self.figure <= self.wanted

    def __str__(self) -> str:
        bound = "at least" if self.more else "at most"
        verdict = "met" if self.met else "MISSED"
        return f"{self.name:42}{self.figure:12,.1f} {self.unit:22}{bound} {self.wanted:9,.0f}   {verdict}"


def best(measure) -> float:
    return min(measure() for _ in range(REPEATS))


def targets() -> list[Target]:
    state = la.State.new(la.Variant(humans=4), seed=1)
    worlds = state.view().worlds()
    clone = best(lambda: _bench.time_clones(state, N)) / N * 1e9
    world = best(lambda: _bench.time_worlds(worlds, N, 1)) / N * 1e9
    python_clone = min(repeat(state.clone, number=N // 5, repeat=REPEATS)) / (N // 5) * 1e9
    return [
        Target("clone, in C", clone, "ns", 12),
        Target("clone, from Python", python_clone, "ns", 100),
        Target("clone and new hidden hands, in C", world, "ns", 250),
        *playout_targets(state),
        *hint_targets(),
    ]


def playout_targets(state: la.State) -> list[Target]:
    runs = [_bench.time_playouts(state, PLAYOUTS, seed) for seed in range(REPEATS)]
    decisions = max(count / seconds for count, seconds in runs)
    games = max(PLAYOUTS / seconds for _, seconds in runs)
    return [
        Target("random decisions, four players", decisions / 1e6, "million a second", 10, more=True),
        Target("random games, four players", games, "a second", 55_000, more=True),
    ]


def hint_targets() -> list[Target]:
    """How much longer than its time limit the whole command takes, in the worst of its examples at their median."""
    overruns = []
    for path in sorted(POSITIONS.glob("*.json")):
        command = [sys.executable, "-m", "lusatia_ai", "hint", str(path), "--time", "1"]
        overruns.append(median(seconds_of(command) - 1 for _ in range(3)) * 1e3)
    return [Target("lusatia-ai hint --time 1, over its limit", max(overruns), "ms", 50)]


def seconds_of(command: list[str]) -> float:
    started = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return perf_counter() - started


def main() -> int:
    found = targets()
    print(*found, sep="\n")
    return 0 if all(target.met for target in found) else 1


if __name__ == "__main__":
    sys.exit(main())
