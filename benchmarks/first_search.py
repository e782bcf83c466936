"""The search against uniformly random players: `python benchmarks/first_search.py`.

Seat-rotated games, one searcher among random players. Exit code 1 if it wins fewer than 90 of 100 three-player games at
500 iterations a decision.
"""

from __future__ import annotations

import argparse
import random
import sys
from math import sqrt

import lusatia_ai as la


def play(variant: la.Variant, seed: int, iterations: int) -> tuple[float, float]:
    """One game; returns the searcher's share of the win, and its favour above the mean of the others."""
    state, rng, me = la.State.new(variant, seed=seed), random.Random(seed), seed % variant.humans
    while not state.is_over:
        if state.seat_to_act == me:
            state.apply(la.search(state.view(hands="known"), la.Limit(iterations=iterations), seed=seed).best)
        else:
            state.apply(rng.choice(state.legal_moves()))
    others = [favour for seat, favour in enumerate(state.favour) if seat != me]
    return (me in state.winners) / len(state.winners), state.favour[me] - sum(others) / len(others)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--humans", type=int, default=3)
    parser.add_argument("--automas", type=int, default=0)
    options = parser.parse_args()
    variant = la.Variant(humans=options.humans, automas=options.automas)
    results = [play(variant, seed, options.iterations) for seed in range(options.games)]
    wins, margin = (sum(column) for column in zip(*results, strict=True))
    share = wins / options.games
    error = 1.96 * sqrt(share * (1 - share) / options.games)
    print(f"{options.humans} humans, {options.automas} automas, {options.iterations} iterations, {options.games} games")
    print(
        f"won {wins:g} of {options.games} ({share:.1%} +- {error:.1%}), {margin / options.games:+.1f} favour on average"
    )
    return 0 if share >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
