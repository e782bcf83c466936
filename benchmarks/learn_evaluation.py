"""Learn the weights of `lusatia_ai/data/evaluation.toml`: `python benchmarks/learn_evaluation.py --write`.

Games are played by the rule-based policy, or with `--iterations` by the search; some moves are random, so that many
kinds of positions occur. At the beginning of each round the features of every seat are noted. Ridge regression of the
final favour gives the weights, maximum likelihood of the winners the temperatures.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import joblib
import numpy as np

import lusatia_ai as la
from lusatia_ai._evaluation import FEATURE_NAMES, features_of
from lusatia_ai._policy import policy_move
from lusatia_ai.evaluation import ROUNDS, evaluator_for

TARGET = Path(la.__file__).parent / "data" / "evaluation.toml"
RANDOM_MOVES = 0.03
RIDGE = 20.0
BLOCK = 50


def play(
    humans: int, automas: int, seed: int, iterations: int
) -> list[tuple[int, list, tuple[int, ...], tuple[int, ...]]]:
    """The features of each round of one game: (rounds completed, features by seat, final favour, winners)."""
    rng = random.Random(seed)
    state = la.State.new(la.Variant(humans=humans, automas=automas), seed=seed, chance="manual")
    evaluator = evaluator_for(state.tables)
    notes = []
    while not state.is_over:
        if state.is_chance:
            if state.chance_event == "round":
                notes.append((state.round - 1, features_of(state)))
            state.apply(state.sample_chance())
        elif rng.random() < RANDOM_MOVES:
            state.apply_code(rng.choice(state.legal_moves()).code)
        elif iterations and len(state.legal_moves()) > 1:
            limit = la.Limit(iterations=iterations)
            state.apply(la.search(state.view(hands="known"), limit, seed=rng.getrandbits(63)).best)
        else:
            state.apply_code(policy_move(state, evaluator, rng.getrandbits(63)))
    return [(rounds, features, state.favour, state.winners) for rounds, features in notes]


def play_block(humans: int, automas: int, seeds: range, iterations: int) -> list:
    return [note for seed in seeds for note in play(humans, automas, seed, iterations)]


def learn(humans: int, games: int, iterations: int, seed: int, jobs: int) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Weights (rounds x features), temperatures, and the standard error of the estimates for each round."""
    automas = 1 if humans == 2 else 0
    blocks = [range(seed + i, seed + min(games, i + BLOCK)) for i in range(0, games, BLOCK)]
    calls = (joblib.delayed(play_block)(humans, automas, block, iterations) for block in blocks)
    notes = [note for block in joblib.Parallel(n_jobs=jobs)(calls) for note in block]
    tables = la.State.new(la.Variant(humans=humans, automas=automas), seed=0).tables
    before = np.array(evaluator_for(tables).weights)
    weights, temperatures, errors = np.zeros((ROUNDS, len(FEATURE_NAMES))), np.ones(ROUNDS), []
    for rounds in range(ROUNDS):
        x = np.array([features for number, features, _, _ in notes if number == rounds])
        y = np.array([favour for number, _, favour, _ in notes if number == rounds], dtype=float)
        won = np.array(
            [
                [(seat in winners) / len(winners) for seat in range(humans)]
                for number, _, _, winners in notes
                if number == rounds
            ]
        )
        weights[rounds] = regression(x, y, before[rounds])
        estimates = x @ weights[rounds]
        temperatures[rounds] = best_temperature(estimates, won)
        errors.append(float(np.sqrt(np.mean((estimates - y) ** 2))))
    return weights, temperatures, errors


def regression(x: np.ndarray, y: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Ridge regression within games: what tells the seats of one game apart is what matters; the bias adds the rest.

    Args:
        x: games x seats x features, the first feature being 1.
        y: games x seats, final favour.
        before: the weights so far, which the ridge holds on to.
    """
    inner = (x - x.mean(axis=1, keepdims=True))[..., 1:].reshape(-1, x.shape[-1] - 1)
    outcome = (y - y.mean(axis=1, keepdims=True)).ravel()
    ridge = RIDGE * np.eye(inner.shape[1])
    weights = np.linalg.solve(inner.T @ inner + ridge, inner.T @ outcome + ridge @ before[1:])
    return np.concatenate([[np.mean(y - x[..., 1:] @ weights)], weights])


def best_temperature(estimates: np.ndarray, won: np.ndarray) -> float:
    """The temperature whose softmax makes the winners likeliest."""

    def loss(temperature: float) -> float:
        scaled = (estimates - estimates.max(axis=1, keepdims=True)) / temperature
        return -float(np.mean(np.sum(won * (scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))), axis=1)))

    return float(min(np.geomspace(1, 60, 120), key=loss))


def section(humans: int, weights: np.ndarray, temperatures: np.ndarray, provenance: str) -> str:
    rows = [f"{name} = [{', '.join(f'{x:.3f}' for x in weights[:, i])}]" for i, name in enumerate(FEATURE_NAMES)]
    temperature = ", ".join(f"{x:.2f}" for x in temperatures)
    body = "\n".join(rows)
    return (
        f'[[evaluation]]\nhumans = {humans}\nprovenance = "{provenance}"\ntemperature = [{temperature}]\n\n'
        f"[evaluation.weights]\n{body}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--humans", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--games", type=int, default=4000, help="for each number of humans")
    parser.add_argument(
        "--iterations", type=int, default=0, help="of the search for each decision; 0: the policy plays"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"write {TARGET.name}")
    options = parser.parse_args()
    who = f"the search with {options.iterations} iterations" if options.iterations else "the rule-based policy"
    provenance = (
        f"learned from {options.games} games of {who}, seeds from {options.seed}, "
        f"{RANDOM_MOVES:.0%} random moves, ridge {RIDGE:g}"
    )
    text = (
        "# The estimate of final favour between two rounds, for each number of humans: weights for 0 to 5 rounds\n"
        "# completed, and the temperatures (favour) of the win shares. Made by benchmarks/learn_evaluation.py.\n"
    )
    for humans in options.humans:
        weights, temperatures, errors = learn(humans, options.games, options.iterations, options.seed, options.jobs)
        text += "\n" + section(humans, weights, temperatures, provenance)
        print(
            f"{humans} humans: standard error {', '.join(f'{x:.1f}' for x in errors)} favour;"
            f" temperatures {', '.join(f'{x:.1f}' for x in temperatures)}"
        )
    if options.write:
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
