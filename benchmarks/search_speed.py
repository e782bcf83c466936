"""The speed, punctuality and memory of the search against their targets: `python benchmarks/search_speed.py`.

Parts can be chosen: `python benchmarks/search_speed.py iterations threads`. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
from collections.abc import Callable
from time import perf_counter, process_time

import numpy as np

import lusatia_ai as la
from lusatia_ai._policy import policy_move
from lusatia_ai._search import NODE_SIZE
from lusatia_ai.evaluation import evaluator_for

KINDS = {
    "uniform, to the end of the game": {"playout": "uniform", "horizon": 0},
    "uniform, to the end of the round": {"playout": "uniform"},
    "MAST, to the end of the round": {"playout": "mast"},
    "greedy, to the end of the game": {"horizon": 0},
    "greedy, to the end of the round (default)": {},
}
ROUNDS = (1, 4, 6)
WANTED_SPEED = 60_000
WANTED_SCALING = 1.85
MOST_LATE = 0.030
CAP = 64 * 2**20


def start_of_round(number: int, humans: int = 4, seed: int = 3) -> la.State:
    """A position that the rule-based policy has reached."""
    state = la.State.new(la.Variant(humans=humans), seed=seed)
    while state.round < number:
        state.apply_code(policy_move(state, evaluator_for(state.tables), 1))
    return state


def iterations() -> bool:
    """Iterations a second of processor time, four players, best of three."""
    print(
        "\nThousand iterations a second, one core, four players, from the start of round " + ", ".join(map(str, ROUNDS))
    )
    met = False
    for name, options in KINDS.items():
        speeds = [speed(start_of_round(number), la.SearchParams(**options)) for number in ROUNDS]
        if name.startswith("uniform, to the end of the game"):
            met = speeds[1] >= WANTED_SPEED
        print(f"  {name:<44}" + "".join(f"{figure / 1000:>8.0f}" for figure in speeds))
    print(f"  from round 4, uniform, to the end of the game, at least {WANTED_SPEED:,}: {'met' if met else 'MISSED'}")
    return met


def speed(state: la.State, params: la.SearchParams, count: int = 20_000) -> float:
    best = 0.0
    for _ in range(3):
        started = process_time()
        la.search(state, la.Limit(iterations=count), seed=1, params=params)
        best = max(best, count / (process_time() - started))
    return best


def threads() -> bool:
    """Iterations of two threads against one in the same time, for the same two trees; medians of several rounds."""
    print("\nTwo threads against one, same time")
    state, params, met = start_of_round(4), la.SearchParams(trees=2), True
    for seconds, rounds in ((0.5, 9), (1.0, 7), (2.0, 7)):
        limit = la.Limit(time=seconds)
        ratios = []
        for seed in range(rounds):
            one, two = (la.search(state, limit, seed=seed, params=params, n_jobs=jobs).iterations for jobs in (1, 2))
            ratios.append(two / one)
        ratio = float(np.median(ratios))
        met &= ratio >= WANTED_SCALING
        print(f"  {seconds:g} s: {ratio:.2f} x ({min(ratios):.2f} to {max(ratios):.2f}); at least {WANTED_SCALING}")
    return met


def overruns() -> bool:
    """How late 200 searches with limits from 0.02 to 5 s come back, the other core being busy."""
    print("\nTime limits, 200 searches of 0.02 to 5 s, the other core busy")
    view = la.State.new(la.Variant(humans=6), seed=3).view()
    limits = np.random.default_rng(1).permutation(np.geomspace(0.02, 5, 200))
    busy = multiprocessing.get_context("spawn").Process(target=burn, daemon=True)
    busy.start()
    late = []
    for seed, seconds in enumerate(limits):
        started = perf_counter()
        la.search(view, la.Limit(time=float(seconds)), seed=seed)
        late.append(perf_counter() - started - seconds)
    busy.kill()
    share = float(np.mean(np.array(late) <= MOST_LATE))
    print(
        f"  late by {1000 * np.median(late):.1f} ms (median), {1000 * max(late):.1f} ms (most);"
        f" {share:.1%} within {1000 * MOST_LATE:.0f} ms, at least 99 %"
    )
    return share >= 0.99


def burn() -> None:
    while True:
        pass


def memory() -> bool:
    """A long search stays under its cap, which it reaches; a thousand hints do not make the process grow."""
    print("\nMemory")
    state = start_of_round(1)
    wide = la.SearchParams(horizon=0, playout="uniform", selection="ucb", memory=CAP)  # trees as large as they get
    la.search(state, la.Limit(iterations=2000), seed=1)
    before = peak()
    tree = la.SearchTree(state, seed=1, params=wide)
    result = tree.search(la.Limit(time=60))
    tree.advance([(state.seat_to_act, result.best)], state)  # what is kept is moved within the cap
    grown = peak() - before
    met = result.tree_size * NODE_SIZE > 0.9 * CAP and grown <= CAP
    print(
        f"  60 s, {result.iterations:,} iterations, {result.tree_size:,} nodes: the process grew by"
        f" {grown / 2**20:.0f} MB; cap {CAP / 2**20:.0f} MB"
    )
    state = start_of_round(4)
    for count in (50, 1000):
        before = peak()
        for seed in range(count):
            la.search(state, la.Limit(iterations=100), seed=seed)
    grown = peak() - before
    met &= grown <= 2**20
    print(f"  1,000 hints: the process grew by {grown / 2**20:.1f} MB, at most 1 MB")
    return met


def peak() -> int:
    """Bytes of the largest resident size so far."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


PARTS: dict[str, Callable[[], bool]] = {
    "iterations": iterations, "threads": threads, "overruns": overruns, "memory": memory,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    wanted = parser.parse_args().parts or list(PARTS)
    if unknown := [part for part in wanted if part not in PARTS]:
        parser.error(f"unknown part {unknown[0]!r}; there are {', '.join(PARTS)}")
    missed = [part for part in wanted if not PARTS[part]()]
    print(f"\nmissed: {', '.join(missed)}" if missed else "\nall met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
