"""Learn from self-play what hidden hands hold: `python benchmarks/learn_prior.py`.

Plays games of several variants, counts the guards of every seat at every decision by round, phase and favour, and which
estate cards are taken, and writes the distributions to `lusatia_ai/data/prior.toml`, with how they were made. The same
arguments give the same file, as long as the library plays the same. The prior in place before has hardly a part in it:
hands are known in these games, and only what others have handed over unseen at the very end is guessed. Run this again
when the players have changed.

A player is whatever `lusatia-ai arena` takes: ismcts, greedy, random, MODULE:FACTORY.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from pathlib import Path

import lusatia_ai as la
from lusatia_ai.players import make_player
from lusatia_ai.prior import FIRST_JOURNEY, PHASES, Prior, guards_key

VARIANTS = (
    la.Variant(humans=4),
    la.Variant(humans=3),
    la.Variant(humans=3, automas=1),
    la.Variant(humans=4),
    la.Variant(humans=3),
    la.Variant(humans=5),
    la.Variant(humans=4, easy=True),
    la.Variant(humans=2, automas=2),
    la.Variant(humans=4),
    la.Variant(humans=6),
)
VALUES = 40
"""Numbers of guards that are counted one by one."""

POOLED = 500.0
"""How many observations the distribution of a phase over all rounds weighs against those of one round."""

TARGET = Path(__file__).parents[1] / "lusatia_ai" / "data" / "prior.toml"


@dataclass
class Counts:
    """What is counted."""

    guards: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    taken: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))  # players -> deck
    rounds: Counter[int] = field(default_factory=Counter)  # players -> rounds played
    hand_overs: Counter[bool] = field(default_factory=Counter)  # as many guards as possible?


def play(counts: Counts, variant: la.Variant, spec: str, limit: la.Limit, seed: int) -> None:
    """One game, all seats the same player with hands known."""
    state = la.State.new(variant, seed=seed)
    players = [make_player(spec, seed * variant.humans + seat) for seat in range(variant.humans)]
    while not state.is_over:
        moves, raw = state.legal_moves(), state.raw()
        for seat in range(variant.humans):
            counts.guards[guards_key(raw, seat, state.components.start.favour)][raw["guards"][seat]] += 1
        move = moves[0]
        if len(moves) > 1:
            move = players[raw["seat"]].choose(state.view(hands="known"), limit).move
        if state.decision == "card":
            counts.taken[variant.players][move.code & 0xFF] += 1
        if state.decision == "hand_over" and len(moves) > 1:
            counts.hand_overs[int(move.text.partition(":")[2]) == len(moves) - 1] += 1
        state.apply(move)
    counts.rounds[variant.players] += 6


def distributions(counts: Counts) -> dict[str, list[float]]:
    """Chances of each number of guards by key, those of rare keys drawn towards those of their phase."""
    pools: dict[str, Counter[int]] = defaultdict(Counter)
    for key, counter in counts.guards.items():
        pools[key.split()[1]].update(counter)
    result = {}
    for round_ in range(1, 7):
        for phase in PHASES:
            for wealth in ("rich", "poor"):
                key = f"{round_} {phase} {wealth}"
                if f"{round_} {phase}" == FIRST_JOURNEY or (phase == "end" and round_ < 6):
                    continue
                result[key] = smoothed(counts.guards[key], pools[phase])
    return result


def smoothed(counter: Mapping[int, int], pool: Mapping[int, int]) -> list[float]:
    weight, size = POOLED / max(sum(pool.values()), 1), sum(counter.values()) + POOLED
    chances = [round((counter.get(n, 0) + weight * pool.get(n, 0)) / size, 4) for n in range(VALUES)]
    while chances and not chances[-1]:
        chances.pop()
    return chances


def tail_of(counts: Counts) -> float:
    """The ratio of a geometric distribution with twice the mean of all guards counted: others may hoard more."""
    total = sum(sum(counter.values()) for counter in counts.guards.values())
    guards = sum(n * times for counter in counts.guards.values() for n, times in counter.items())
    mean = 2 * guards / total
    return round(mean / (1 + mean), 3)


def held(counts: Counts) -> dict[int, list[float]]:
    """By players and deck, the share of cards taken, each count begun with half a card taken and half one left."""
    return {
        players: [round((counts.taken[players][deck] + 0.5) / (rounds + 1), 4) for deck in range(4)]
        for players, rounds in sorted(counts.rounds.items())
    }


def log_loss(chances: Mapping[str, list[float]], tail: float, counts: Counts) -> float:
    """Mean surprise, in nats, of the guards counted at decisions where the distributions say something."""
    prior = Prior({key: tuple(row) for key, row in chances.items()}, tail, {}, 0.5)
    loss = total = 0.0
    for key, counter in counts.guards.items():
        if key == FIRST_JOURNEY:
            continue
        weights = prior.guard_weights(key, 3, 0, 200)
        for guards, times in counter.items():
            loss -= times * log(weights[guards] / sum(weights))
            total += times
    return loss / total


def toml(counts: Counts, arguments: argparse.Namespace) -> str:
    overs = counts.hand_overs
    lines = [
        "# What hidden hands hold, as found in self-play. Written by benchmarks/learn_prior.py; do not edit.",
        f"tail = {tail_of(counts)}",
        f"hand_over_all = {(overs[True] + 1) / (overs.total() + 2):.4f}",
        "",
        "[provenance]",
        f'player = "{arguments.player}"',
        f"iterations = {arguments.iterations}",
        f"games = {arguments.games}",
        f"seed = {arguments.seed}",
        f"positions = {sum(counter.total() for counter in counts.guards.values())}",
        f'library = "{la.__version__}"',
        "",
        "[held]  # by players: chance that the card of each deck is taken",
        *(f"{players} = {row}" for players, row in held(counts).items()),
        "",
        "[guards]  # by round, phase and favour (rich: the start favour or more): chances of 0, 1, 2, ... guards",
        *(f'"{key}" = {row}' for key, row in distributions(counts).items()),
    ]
    return "\n".join(lines) + "\n"


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", default="ismcts", help="as for lusatia-ai arena")
    parser.add_argument("--iterations", type=int, default=100, help="of a searching player for each decision")
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first game")
    parser.add_argument("--test-games", type=int, default=0, help="further games on which the result is measured")
    parser.add_argument("--output", type=Path, default=TARGET)
    arguments = parser.parse_args(given)
    counts, test = Counts(), Counts()
    for game in range(arguments.games + arguments.test_games):
        into = counts if game < arguments.games else test
        variant, limit = VARIANTS[game % len(VARIANTS)], la.Limit(iterations=arguments.iterations)
        play(into, variant, arguments.player, limit, arguments.seed + game)
    arguments.output.write_text(toml(counts, arguments), encoding="utf-8")
    print(f"{arguments.output}: {arguments.games} games")
    if arguments.test_games:
        loss = log_loss(distributions(counts), tail_of(counts), test)
        print(f"log loss of guards on {arguments.test_games} other games: {loss:.3f} nats")
    return 0


if __name__ == "__main__":
    sys.exit(main())
