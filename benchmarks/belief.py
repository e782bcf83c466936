"""How well hidden guards are guessed: `python benchmarks/belief.py`.

In games among equal players an observer who knows only the table when round 3 begins guesses the guards of the others:
all numbers from the lowest possible one to 8 more alike; by the prior; and by a belief that has followed the game from
there, with and without looking at the table after each event. Log loss: mean of -log of the chance given to the true
number, in nats. Error: mean distance of the expected number from the true one.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping
from math import log

import lusatia_ai as la
from lusatia_ai.players import make_player

VARIANTS = (la.Variant(humans=4), la.Variant(humans=3), la.Variant(humans=3, automas=1))
FROM_ROUND = 3
EVERY = 3  # events between two guesses that are counted

Chances = Mapping[int, float]
Scores = dict[str, list[tuple[float, float]]]


def alike(view: la.View, seat: int) -> Chances:
    """The lowest possible number and 8 more, the rest sharing a hundredth."""
    low, high = view.guard_bounds(seat)
    near = range(low, min(low + 8, high) + 1)
    return defaultdict(lambda: 1e-3, {number: 0.99 / len(near) for number in near})


def by_prior(view: la.View, seat: int) -> Chances:
    possible, _ = view.guards_of(seat)
    total = sum(weight for _, _, weight in possible)
    return {guards: weight / total for guards, _, weight in possible}


def note(scores: Scores, name: str, chances: Chances, true: int) -> None:
    expected = sum(number * chance for number, chance in chances.items())
    scores[name].append((-log(max(chances[true], 1e-12)), abs(expected - true)))


def play(scores: Scores, spec: str, limit: la.Limit, game: int) -> None:
    variant = VARIANTS[game % len(VARIANTS)]
    state = la.State.new(variant, chance="manual")
    players = [make_player(spec, 10 * game + seat) for seat in range(variant.humans)]
    observer, events, beliefs = game % variant.humans, 0, []
    while state.stage != "final_scoring" and not state.is_over:
        if not beliefs and state.round == FROM_ROUND and state.stage == "town_selection":
            beliefs = [la.Belief(state.view(observer)) for _ in range(2)]
        seat = state.seat_to_act
        if seat is None:
            event = told = state.sample_chance(1000 * game + events)
        else:
            moves = state.legal_moves()
            event = moves[0] if len(moves) == 1 else players[seat].choose(state.view(hands="known"), limit).move
            told = {"seat": seat, "move": event.text}
        state.apply(event)
        events += 1
        if state.stage == "final_scoring" or not beliefs:
            continue
        view = state.view(observer)
        beliefs[0].observe(told, view)
        beliefs[1].observe(told)
        if events % EVERY == 0 and not state.is_chance:
            for other in view.hidden_guards:
                true = state.raw()["guards"][other]
                note(scores, "alike", alike(view, other), true)
                note(scores, "prior", by_prior(view, other), true)
                for name, belief in zip(("followed, looking", "followed"), beliefs, strict=True):
                    note(scores, name, defaultdict(float, belief.hands(1)[other].chances), true)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", default="ismcts", help="as for lusatia-ai arena")
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--games", type=int, default=15)
    parser.add_argument("--seed", type=int, default=10_000, help="of the first game")
    arguments = parser.parse_args()
    scores: Scores = defaultdict(list)
    for game in range(arguments.games):
        play(scores, arguments.player, la.Limit(iterations=arguments.iterations), arguments.seed + game)
    for name, entries in scores.items():
        losses, errors = zip(*entries, strict=True)
        print(f"{name:18} log loss {sum(losses) / len(losses):.2f} nats, error {sum(errors) / len(errors):.2f} guards")
    print(f"{len(scores['prior'])} guesses in {arguments.games} games of {arguments.player}")


if __name__ == "__main__":
    main()
