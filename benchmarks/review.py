"""Does a review find blunders, and is luck-adjustment fair?

1. Planted blunders: a searcher plays against itself; now and then its move is replaced by the worst one of an analysis
   of its own, if that loses at least `PLANTED_LOSS` of win share. The review, which knows nothing of this, should mark
   the planted moves and leave the others alone.
2. Luck: fast games among equals. Luck must have mean 0, and the luck-adjusted win share the mean of the win share: one
   divided by the number of players, since seats are alike.

Prints its figures, and ends with exit code 1 if they miss the mark.

    python benchmarks/review.py [--games 20] [--fast-games 500] [--iterations 3000] [--jobs 1]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import joblib
import numpy as np

import lusatia_ai as la
from lusatia_ai.assessment import child_seed

SEARCHER = 1000
"""Iterations of the searcher that plays."""
PLANTER = 4000
"""Iterations of the analysis that finds the worst move."""
PLANTED_LOSS = 0.10
CHANCE_OF_PLANTING = 0.1
VARIANTS = (
    la.Variant(humans=4),
    la.Variant(humans=3),
    la.Variant(humans=2, automas=1),
    la.Variant(humans=5, easy=True),
)
FAST = 4
"""Iterations of the players of fast games."""
LUCK_ITERATIONS, LUCK_SAMPLES = 64, 12

Player = Callable[[la.State, np.random.SeedSequence], la.Move]


def play(variant: la.Variant, seed: np.random.SeedSequence, player: Player) -> la.Record:
    """A game in which one player plays all seats."""
    record = la.Record.new(variant)
    state = la.State.new(variant, seed=0, chance="manual")
    rng = np.random.default_rng(child_seed(seed, 0))
    turn = 0
    while not state.is_over:
        turn += 1
        if state.is_chance:
            event = state.sample_chance(rng)
        else:
            legal = state.legal_moves()
            event = legal[0] if len(legal) == 1 else player(state, child_seed(seed, turn))
        record.append(event)
        state.apply(event)
    return record


# --- planted blunders ---------------------------------------------------------------------------------------


def planted_game(number: int) -> tuple[la.Record, set[int]]:
    """A game with planted blunders, and at which turns they are."""
    seed = np.random.SeedSequence([5, number])
    rng = np.random.default_rng(child_seed(seed, 0, 1))
    planted: set[int] = set()

    def player(state: la.State, seed: np.random.SeedSequence) -> la.Move:
        if rng.random() < CHANCE_OF_PLANTING:
            worst = max(
                la.analyse(state, la.Limit(iterations=PLANTER), seed=child_seed(seed, 1)).moves,
                key=lambda entry: entry.loss - entry.loss_stderr,
            )
            if worst.loss - worst.loss_stderr >= PLANTED_LOSS:
                moves_planted.append(len(moves_made))
                moves_made.append(worst.move)
                return worst.move
        move = la.search(state, la.Limit(iterations=SEARCHER), seed=seed).best
        moves_made.append(move)
        return move

    moves_made: list[la.Move] = []
    moves_planted: list[int] = []
    record = play(VARIANTS[number % len(VARIANTS)], seed, player)
    free = [
        turn for turn, (state, _) in enumerate(record.replay()) if not state.is_chance and len(state.legal_moves()) > 1
    ]
    planted.update(free[index] for index in moves_planted)
    return record, planted


def reviewed(number: int, iterations: int) -> tuple[int, int, int, int, dict[str, int]]:
    """Planted, of these marked, others, of these marked; marks of the planted ones."""
    record, planted = planted_game(number)
    review = la.review(record, la.Limit(iterations=iterations), seed=1000 + number, luck=False)
    free = [decision for decision in review.decisions if not decision.forced]
    marks = [review.mark(decision) for decision in free if decision.turn in planted]
    others = [review.mark(decision) for decision in free if decision.turn not in planted]
    return (
        len(marks),
        sum(map(bool, marks)),
        len(others),
        sum(map(bool, others)),
        {m: marks.count(m) for m in set(marks)},
    )


def blunders(games: int, iterations: int, jobs: int) -> bool:
    rows = joblib.Parallel(n_jobs=jobs)(joblib.delayed(reviewed)(number, iterations) for number in range(games))
    planted, found, others, false = (sum(row[i] for row in rows) for i in range(4))
    marks: dict[str, int] = {}
    for row in rows:
        for mark, count in row[4].items():
            marks[mark or "none"] = marks.get(mark or "none", 0) + count
    print(f"{games} games, {planted + others} decisions that were not forced, {iterations} iterations each")
    print(f"planted blunders marked: {found} of {planted} ({found / max(1, planted):.1%}); as {marks}")
    print(f"other decisions marked:  {false} of {others} ({false / max(1, others):.1%})")
    return found >= 0.95 * planted and false <= 0.05 * others


# --- luck ---------------------------------------------------------------------------------------------------


def fast_game(number: int) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Result and luck-adjusted result, in win share and in favour, by seat."""
    seed = np.random.SeedSequence([6, number])
    record = play(VARIANTS[0], seed, lambda state, seed: la.search(state, la.Limit(iterations=FAST), seed=seed).best)
    review = la.review(record, seats=[], seed=number, samples=LUCK_SAMPLES, luck_iterations=LUCK_ITERATIONS)
    assert review.result is not None
    assert review.adjusted is not None
    assert review.favour is not None
    assert review.adjusted_favour is not None
    return review.result, review.adjusted, tuple(map(float, review.favour)), review.adjusted_favour


def luck(games: int, jobs: int) -> bool:
    rows = joblib.Parallel(n_jobs=jobs)(joblib.delayed(fast_game)(number) for number in range(games))
    result, adjusted, favour, adjusted_favour = (np.array([row[i] for row in rows]) for i in range(4))
    share = 1 / result.shape[1]
    print(f"{games} fast games of {result.shape[1]} equal players; means with their 95 % intervals")
    fair = True
    for seat in range(result.shape[1]):
        lines = (
            ("win share", result[:, seat], share),
            ("luck-adjusted win share", adjusted[:, seat], share),
            ("luck in win share", (result - adjusted)[:, seat], 0.0),
            ("luck in favour", (favour - adjusted_favour)[:, seat], 0.0),
        )
        for name, values, true in lines:
            mean, half = values.mean(), 1.96 * values.std(ddof=1) / np.sqrt(games)
            inside = abs(mean - true) <= half
            fair &= bool(inside) or name == "win share" or seat > 0
            print(
                f"  seat {seat} {name:24} {mean:8.4f} ± {half:.4f}  true {true:.4f} {'inside' if inside else 'OUTSIDE'}"
            )
    _, joint = joint_test(result - adjusted)
    print(f"  all seats together: luck in win share differs from 0 with p = {joint:.2f}")
    ratio = adjusted.var(axis=0, ddof=1).mean() / result.var(axis=0, ddof=1).mean()
    ratio_favour = adjusted_favour.var(axis=0, ddof=1).mean() / favour.var(axis=0, ddof=1).mean()
    print(f"variance of the adjusted result: {ratio:.0%} of that of the result; in favour {ratio_favour:.0%}")
    return fair and joint >= 0.05


def joint_test(luck: np.ndarray) -> tuple[float, float]:
    """Hotelling's statistic that all means are 0, and its p by signs drawn at random. Luck adds up to 0, so one seat
    is left out."""
    parts = luck[:, 1:]

    def statistic(values: np.ndarray) -> float:
        mean = values.mean(axis=0)
        return float(len(values) * mean @ np.linalg.solve(np.cov(values.T), mean))

    rng = np.random.default_rng(0)
    found = statistic(parts)
    drawn = [statistic(parts * rng.choice((-1, 1), size=(len(parts), 1))) for _ in range(999)]
    return found, (1 + sum(value >= found for value in drawn)) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--fast-games", type=int, default=500)
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()
    good = [blunders(options.games, options.iterations, options.jobs)] if options.games else []
    print(f"{time.perf_counter() - started:.0f} s", flush=True)
    good += [luck(options.fast_games, options.jobs)] if options.fast_games else []
    print(f"{time.perf_counter() - started:.0f} s")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
