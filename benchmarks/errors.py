"""Are standard errors honest? `python benchmarks/errors.py` compares them with the scatter of analyses made again.

Positions of games of a light search are analysed, and searched, with several seeds. For the moves that matter, the
table has the root mean squares of the standard errors stated and of the standard deviations found, and their ratio,
which should be about 1. Exit code 1 if one is outside of 0.5 to 2.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from itertools import product
from math import sqrt
from statistics import mean, stdev

import lusatia_ai as la
from lusatia_ai.hints import FEW_GAMES


def positions(n: int, seed: int) -> list[la.State]:
    """Decisions with a choice in rounds 1 to 5, of 3 to 5 players."""
    found: list[la.State] = []
    rng = random.Random(seed)
    while len(found) < n:
        state = la.State.new(la.Variant(humans=3 + len(found) % 3), seed=rng.getrandbits(32))
        for _ in range(rng.randint(20, 130)):
            if not state.is_over:
                state.apply(la.search(state, la.Limit(iterations=30), seed=rng.getrandbits(32)).best)
        if state.round <= 5 and not state.is_over and len(state.legal_moves()) > 1:
            found.append(state)
    return found


def searched(state: la.State, limit: la.Limit, *, seed: int) -> la.PositionAnalysis:
    return la.PositionAnalysis.of_search(la.search(state, limit, seed=seed))


SOURCES: dict[str, Callable[..., la.PositionAnalysis]] = {"analyse": la.analyse, "search": searched}


def pairs(source: str, state: la.State, iterations: int, seeds: int) -> dict[str, list[tuple[float, float]]]:
    """By figure: (scatter found, standard error stated) for each of the moves that some analysis has among its best.

    Moves that have hardly been looked into are left out.
    """
    analyses = [SOURCES[source](state, la.Limit(iterations=iterations), seed=seed) for seed in range(seeds)]
    seat = analyses[0].seat
    rows: dict[str, list[tuple[float, float]]] = {"win share": [], "favour": [], "loss": []}
    for move in sorted({entry.move.text for analysis in analyses for entry in analysis.moves[:3]}):
        entries = [entry for analysis in analyses for entry in analysis.moves if entry.move.text == move]
        if len(entries) < seeds or any(entry.iterations < FEW_GAMES for entry in entries):
            continue
        for name, values, errors in (
            ("win share", [e.value[seat] for e in entries], [e.stderr[seat] for e in entries]),
            ("favour", [e.favour[seat] for e in entries], [e.favour_stderr[seat] for e in entries]),
            ("loss", [e.loss for e in entries], [e.loss_stderr for e in entries]),
        ):
            if stdev(values) > 0:
                rows[name].append((stdev(values), sqrt(mean(error**2 for error in errors))))
    return rows


def root_mean_square(values: list[float]) -> float:
    return sqrt(mean(value**2 for value in values))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    honest = True
    found = positions(options.positions, options.seed)
    print("of       iterations  figure      moves    found   stated  stated / found")
    for source, iterations in product(SOURCES, (1000, 4000, 16_000)):
        every = [pairs(source, state, iterations, options.seeds) for state in found]
        for name in ("win share", "favour", "loss"):
            rows = [row for part in every for row in part[name]]
            scatter, stated = (root_mean_square([row[i] for row in rows]) for i in (0, 1))
            honest = honest and 0.5 <= stated / scatter <= 2
            print(
                f"{source:8} {iterations:10,}  {name:10} {len(rows):6} {scatter:8.4f} {stated:8.4f}"
                f" {stated / scatter:15.2f}",
                flush=True,
            )
    return 0 if honest else 1


if __name__ == "__main__":
    sys.exit(main())
