"""The exact solver: right against plain recursion, its speed, how time grows, what each technique gains.

`python benchmarks/solver.py` runs everything (`--help` lists the parts). Times are those of one core, CPU time of the
thread. Exit code 1 if a value differs or a target is missed.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product
from math import inf
from pathlib import Path
from statistics import mean, median
from time import thread_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from reference_solver import random_positions, small_last_rounds, small_set

import lusatia_ai as la
from lusatia_ai._solver import TECHNIQUES, Solver

MEMORY = 2**30
LONGEST = 60.0
"""Seconds after which a solve that is timed is given up."""
CONCEPTS = ((False, 0), (False, 1), (False, 2), (True, 0))  # paranoid, ties
OBJECTIVES = ("favour", "margin", "win")


# --- right ----------------------------------------------------------------------------------------------


def compare(scale: float) -> bool:
    """All objectives, concepts, ties and horizons, values of every move included, against the plain search."""
    parts = [
        ("storing", 2000, 50_000, (0, 1), random_positions("storing", 101)),
        ("tax collection", 200, 150_000, (0, 1), random_positions("tax_collection", 102, small_set())),
        ("tax collection, shipped components", 100, 300_000, (0, 1), tax_positions(103)),
        ("small last rounds", 30, 1_000_000, (1,), small_last_rounds(104)),
    ]
    right = True
    for name, n, cap, horizons, source in parts:
        right = compare_part(name, round(n * scale), cap, horizons, source) and right
    return right


def tax_positions(seed: int) -> Iterator[la.State]:
    """Of three players; half of them at the last collector, so that many are small enough."""
    for state in random_positions("tax_collection", seed, humans=3, automas=0):
        while state.decision == "collect" and len(state.to_json()["tokens"]) > 1 + state.variant.easy * 2:
            state.apply(state.legal_moves()[seed % len(state.legal_moves())])
        if state.stage == "tax_collection":
            yield state


def compare_part(name: str, wanted: int, cap: int, horizons: Sequence[int], source: Iterable[la.State]) -> bool:
    """So many positions whose plain search needs at most `cap` nodes."""
    started, compared, skipped, wrong, plain_nodes, nodes = thread_time(), 0, 0, 0, 0, 0
    for number, state in enumerate(source):
        if compared == wanted:
            break
        if state.is_chance or not small(state, cap):
            skipped += 1
            continue
        compared += 1
        for objective, (paranoid, ties), horizon in product(range(3), CONCEPTS, horizons):
            seat = number % state.variant.humans
            options = {"objective": objective, "paranoid": paranoid, "ties": ties, "horizon": horizon, "seat": seat}
            solver, plain = Solver(state.tables, **options), Solver(state.tables, plain=True, **options)
            expected = plain.solve(state)
            if not same(solver.solve(state), expected) or solver.line(state) != plain.line(state):
                wrong += 1
                print(f"  differs: {name} number {number}, {state}, {options}")
            plain_nodes += plain.nodes
            nodes += solver.nodes
    print(
        f"{name}: {compared} positions ({skipped} too large ones left out), {wrong} differences; "
        f"{plain_nodes:,} positions tried plainly, {nodes:,} by the solver; {thread_time() - started:.0f} s",
        flush=True,
    )
    return wrong == 0


def small(state: la.State, cap: int) -> bool:
    plain = Solver(state.tables, horizon=1, plain=True)
    plain.limit(inf, cap)
    plain.solve(state)
    return plain.complete


def same(
    found: list[tuple[int, list[float], list[float]]], expected: list[tuple[int, list[float], list[float]]]
) -> bool:
    """Equal moves with equal, exact values (means over automa cards may be rounded differently)."""
    return all(
        code == other and low == high and all(abs(a - b) < 1e-9 for a, b in zip(low, value, strict=True))
        for (code, low, high), (other, value, _) in zip(found, expected, strict=True)
    )


# --- fast -----------------------------------------------------------------------------------------------------


def starts(stage: str, humans: int, n: int, seed: int, rounds: Sequence[int] = (1, 2, 3, 4, 5, 6)) -> list[la.State]:
    """First decisions of a stage in games of a light search against each other, the rounds taken in turn."""
    return list(islice(played_to(stage, humans, seed, rounds), n))


def played_to(stage: str, humans: int, seed: int, rounds: Sequence[int]) -> Iterator[la.State]:
    rng, number = random.Random(f"{stage} {humans} {seed}"), 0
    while True:
        state = la.State.new(la.Variant(humans=humans), seed=rng.getrandbits(32))
        target = rounds[number % len(rounds)]
        number += 1
        while not (state.is_over or (state.round == target and state.stage == stage)):
            state.apply(light_move(state, rng))
        if not state.is_over:
            yield state


def light_move(state: la.State, rng: random.Random) -> la.Move:
    """A random move in bidding and collecting mostly; otherwise what a short search finds."""
    if rng.random() < 0.5:
        return rng.choice(state.legal_moves())
    return la.search(state, la.Limit(iterations=60), seed=rng.getrandbits(32)).best


def timed(state: la.State, horizon: str) -> tuple[float, la.Solution]:
    """Infinite if it takes too long."""
    started = thread_time()
    solution = la.solve(state, horizon=horizon, limit=la.Limit(time=LONGEST))
    return thread_time() - started if solution.status == "exact" else inf, solution


def speed(scale: float) -> bool:
    """Against the targets."""
    met = True
    for name, stage, humans, n, rounds, horizon, targets in (
        ("storing, three players", "storing", 3, 300, (1, 2, 3, 4, 5, 6), "stage", (0.001, 0.2)),
        ("storing, four players", "storing", 4, 300, (1, 2, 3, 4, 5, 6), "stage", (0.010, 0.2)),
        ("tax collection on, three players", "tax_collection", 3, 40, (1, 2, 3, 4, 5, 6), "stage", (0.2, inf)),
        ("tax collection on, four players", "tax_collection", 4, 12, (1, 2, 3, 4, 5, 6), "stage", (8.0, inf)),
        ("last round, three players", "town_selection", 3, 5, (6,), "game", (5.0, inf)),
    ):
        times = sorted(timed(state, horizon)[0] for state in starts(stage, humans, max(3, round(n * scale)), 1, rounds))
        high = times[min(len(times) - 1, int(0.99 * len(times)))]
        reached = median(times) <= targets[0] and high <= targets[1]
        met = met and reached
        allowed = f"median {targets[0]:g} s" + (f", 99th percentile {targets[1]:g} s" if targets[1] < inf else "")
        unsolved = sum(seconds == inf for seconds in times)
        if unsolved:
            allowed += f"; {unsolved} not solved in {LONGEST:g} s"
        print(
            f"{name:34} n {len(times):4}  median {median(times):9.4f} s  99th percentile {high:9.4f} s  "
            f"({allowed}: {'met' if reached else 'MISSED'})",
            flush=True,
        )
    return met


# --- games played well ---------------------------------------------------------------------------------------------


def played(scale: float) -> bool:
    """Last rounds in games of the search, from the first choice of a town and from the first tax collector."""
    for number, (state, helpers) in enumerate(islice(last_rounds(), max(1, round(20 * scale)))):
        whole, _ = timed(state, "game")
        later = state.clone()
        play_to(later, "tax_collection", random.Random(number))
        collecting, _ = timed(later, "game")
        print(f"{number:3}  {whole:6.1f} s  {collecting:6.2f} s  {' '.join(helpers)}", flush=True)
    return True


def last_rounds() -> Iterator[tuple[la.State, list[str]]]:
    """Of three players, with the tokens, held or to be had, that make much work."""
    rng = random.Random("real a")
    while True:
        state = la.State.new(la.Variant(humans=3), seed=rng.getrandbits(32))
        play_to(state, "town_selection", rng)
        data = state.to_json()
        tokens = [*data["tokens"].values(), *(token for player in data["players"] for token in player["companions"])]
        yield state, [name for name in ("kings_gamekeeper", "merchant", "farmer", "chamberlain") if name in tokens]


def play_to(state: la.State, stage: str, rng: random.Random) -> None:
    """On to this stage of the last round."""
    while not (state.round == 6 and state.stage == stage):
        state.apply(la.search(state, la.Limit(iterations=500), seed=rng.getrandbits(32)).best)


# --- how it grows ------------------------------------------------------------------------------------------------


def growth(scale: float) -> bool:
    """Time and size of storing by players, by goods, and of final rounds by guards."""
    n = max(5, round(40 * scale))
    print("players  rounds  median ms   mean ms  median nodes")
    by_goods: dict[int, list[float]] = defaultdict(list)
    for humans, rounds in product(range(3, 7), ((1, 2, 3), (4, 5, 6))):
        times, nodes = [], []
        for state in starts("storing", humans, n, 2, rounds):
            seconds, solution = timed(state, "stage")
            times.append(1000 * seconds)
            nodes.append(solution.nodes)
            if humans == 4:
                by_goods[goods_of(state) // 4 * 4].append(1000 * seconds)
        print(
            f"{humans:7}  {rounds[0]}-{rounds[-1]:<4} {median(times):10.2f} {mean(times):9.2f} {median(nodes):13,.0f}"
        )
    print("goods (four players)  positions  median ms")
    for goods, times in sorted(by_goods.items()):
        print(f"{goods:9}-{goods + 3:<10} {len(times):9} {median(times):10.2f}")
    print(f"guards of each (three players, last round)  seconds (inf: more than {LONGEST:g})  nodes")
    simple = (state for state, helpers in last_rounds() if not {"kings_gamekeeper", "farmer"} & set(helpers))
    positions = list(islice(simple, max(1, round(3 * scale))))
    for guards in (0, 1, 2, 4, 8):
        times, nodes = [], []
        for state in positions:
            data = state.to_json()
            for player in data["players"]:
                player["guards"] = guards
            seconds, solution = timed(la.State.from_json(data), "game")
            times.append(seconds)
            nodes.append(solution.nodes)
        print(f"{guards:12} {median(times):29.2f} {median(nodes):,.0f}", flush=True)
    return True


def goods_of(state: la.State) -> int:
    return sum(sum(player["goods"].values()) for player in state.to_json()["players"])


# --- what each technique gains -------------------------------------------------------------------------------------


def techniques(scale: float) -> bool:
    """Time and nodes without one technique, over those with all; a hundred times as many nodes is the most."""
    n = max(3, round(12 * scale))
    last = starts("storing", 3, n, 5, (6,))
    collection = starts("tax_collection", 3, max(2, n // 4), 6, (6,))
    whole = starts("town_selection", 3, 3, 1, (6,))[2:]  # one that is solved in seconds
    parts: dict[str, tuple[list[la.State], dict[str, int], Sequence[str]]] = {
        "storing to the end of the stage": (starts("storing", 3, n, 4), {"horizon": 0}, TECHNIQUES),
        "storing to the end of the game": (last, {"horizon": 1}, TECHNIQUES),
        "the same, paranoid": (last, {"horizon": 1, "paranoid": True}, TECHNIQUES),
        "tax collection to the end of the game": (collection, {"horizon": 1}, TECHNIQUES),
        "a whole last round": (whole, {"horizon": 1}, ("levelling", "bidding", "graphs")),
    }
    for name, (states, options, names) in parts.items():
        base = [run(state, options) for state in states]
        print(f"{name}: {sum(b[1] for b in base):,} nodes, {sum(b[0] for b in base):.2f} s with all techniques")
        for technique in names:
            found = [run(s, options, technique, 100 * b[1]) for s, b in zip(states, base, strict=True)]
            more = "more than " if any(not complete for *_, complete in found) else ""
            time = sum(f[0] for f in found) / sum(b[0] for b in base)
            nodes = sum(f[1] for f in found) / sum(b[1] for b in base)
            print(
                f"  without {technique:11} {more}{nodes:6.2f} times the nodes, {more}{time:6.2f} times the time",
                flush=True,
            )
    return True


def run(state: la.State, options: dict[str, int], technique: str = "", most: int = 2**62) -> tuple[float, int, bool]:
    solver = Solver(state.tables, table_bytes=MEMORY, **options)
    if technique:
        solver.leave_out(technique)
    solver.limit(inf, most)
    started = thread_time()
    solver.solve(state)
    return thread_time() - started, solver.nodes, solver.complete


PARTS: dict[str, Callable[[float], bool]] = {
    "compare": compare,
    "speed": speed,
    "played": played,
    "growth": growth,
    "techniques": techniques,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to run; everything by default")
    parser.add_argument("--scale", type=float, default=1.0, help="this share of the positions")
    arguments = parser.parse_args()
    right = [PARTS[name](arguments.scale) for name in arguments.parts or PARTS]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
