"""Plain exhaustive recursion, to check the solver against: no table, no reduction, no pruning, no symmetry.

It knows only `State`: clone, legal moves, apply. Objectives, concepts and the rule for ties are written down once more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import lusatia_ai as la

Values = tuple[float, ...]


@dataclass(frozen=True)
class Goal:
    """What is asked for; see `lusatia_ai.solve`.

    Attributes:
        worth: the favour that a round's end is worth to each seat; favour itself by default.
    """

    objective: str = "favour"
    concept: str = "maxn"
    horizon: str = "stage"
    ties: str = "first"
    seat: int = 0
    worth: Callable[[la.State], Values] | None = None

    def options(self) -> dict[str, Any]:
        """The same for `la.solve`."""
        names = ("objective", "concept", "horizon", "ties", "seat")
        return {name: getattr(self, name) for name in names}


class Exhaustive:
    """The values of all moves of a position, by trying everything.

    A value is a tuple of one pair a seat: utility, and favour to break equal utilities.
    """

    def __init__(self, goal: Goal, most_nodes: int = 100_000) -> None:
        self.goal = goal
        self.nodes = 0
        self.most_nodes = most_nodes
        self.recruits: list[int] = []

    def moves(self, state: la.State) -> dict[str, list[tuple[float, float]]]:
        """By move: the value after it, a pair for each seat."""
        state = as_manual(state)
        if self.goal.horizon == "stage" and state.round == 6 and state.stage != "final_scoring":
            state = in_round_five(state)
        return {move.text: self.value(state.clone().apply(move)) for move in state.legal_moves()}

    def value(self, state: la.State) -> list[tuple[float, float]]:
        if state.is_over or state.chance_event == "round":
            return self.utilities(state)
        self.nodes += 1
        if self.nodes > self.most_nodes:
            raise TooLargeError
        if state.is_chance:
            return self.mean(state)
        values = [self.value(state.clone().apply(move)) for move in state.legal_moves()]
        seat = state.seat_to_act
        assert seat is not None
        if self.goal.concept == "paranoid":
            choose = max if seat == self.goal.seat else min
            return choose(values, key=lambda value: value[self.goal.seat])
        best = max(value[seat] for value in values)
        equal = [value for value in values if close(value[seat], best)]
        if self.goal.ties == "first":
            return equal[0]
        choose = max if self.goal.ties == "best" else min
        return choose(equal, key=lambda value: value[self.goal.seat])

    def mean(self, state: la.State) -> list[tuple[float, float]]:
        deck = state.to_json()["pools"]["automa_cards"]
        values = [self.value(state.clone().apply({"automa_card": card})) for card in deck]
        return [
            (sum(value[seat][0] for value in values) / len(values), sum(v[seat][1] for v in values) / len(values))
            for seat in range(state.variant.humans)
        ]

    def utilities(self, state: la.State) -> list[tuple[float, float]]:
        favour: Values = state.favour
        if self.goal.worth is not None and not state.is_over:
            favour = self.goal.worth(state)
        seats = range(len(favour))
        if self.goal.objective == "favour":
            return [(favour[seat], 0.0) for seat in seats]
        if self.goal.objective == "margin":
            return [(favour[seat] - max(favour[other] for other in seats if other != seat), 0.0) for seat in seats]
        guards = self.guards(state)
        standing = [(favour[seat], guards[seat]) for seat in seats]
        winners = [seat for seat in seats if standing[seat] == max(standing)]
        return [(1 / len(winners) if seat in winners else 0.0, favour[seat]) for seat in seats]

    def guards(self, state: la.State) -> list[int]:
        """At the horizon: at the end of a stage before the clean-up, in which recruits come (rules 7.1)."""
        raw = state.raw()
        if self.goal.horizon != "stage" or state.is_over:
            return list(raw["guards"])
        if not self.recruits:
            self.recruits = recruits_by_token(state)
        return [
            guards - sum(self.recruits[token] for token in tokens)
            for guards, tokens in zip(raw["guards"], raw["companions"], strict=True)
        ]


class TooLargeError(Exception):
    """More positions than allowed."""


def close(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return abs(a[0] - b[0]) < 1e-9 and abs(a[1] - b[1]) < 1e-9


def recruits_by_token(state: la.State) -> list[int]:
    """By number of the token: the guards that it brings in the clean-up."""
    data = state.components.to_dict()
    effect = {entry["id"]: entry["effects"].get("recruit", 0) for entry in data["companions"]}
    companion = {token["id"]: token.get("companion") for token in data["tokens"]}
    return [effect.get(companion.get(token), 0) for token in state.tables.tokens]


def as_manual(state: la.State) -> la.State:
    return la.State.from_loaded(loaded(state, state.raw()))


def in_round_five(state: la.State) -> la.State:
    """The same table in round 5, where the stage is followed by another round instead of by final scoring."""
    twin = as_manual(state)
    twin._load_raw(state.raw() | {"round": 5})
    return twin


def loaded(state: la.State, raw: dict[str, Any]) -> Any:
    from lusatia_ai.position import LoadedPosition

    return LoadedPosition(state.tables, raw, None, {}, ())


# --- positions ----------------------------------------------------------------------------------------


PLAYERS = [(humans, automas) for humans in range(2, 7) for automas in range(5) if 3 <= humans + automas <= 6]


def random_positions(
    stage: str, seed: int, components: la.ComponentSet | None = None, **fixed: Any
) -> Iterator[la.State]:
    """Decisions of a stage in random games, at its start and later, of all variants unless some are fixed."""
    rng = random.Random(f"{stage} {seed}")
    while True:
        wanted = [pair for pair in PLAYERS if pair[0] == fixed.get("humans", pair[0])]
        humans, automas = rng.choice([pair for pair in wanted if pair[1] == fixed.get("automas", pair[1])])
        variant = la.Variant(
            humans=humans,
            automas=automas,
            easy=rng.random() < 0.25,
            chooser_must_contribute=fixed.get("must", rng.random() < 0.4),
            score_automas=rng.random() < 0.2,
            sides=rng.choice(("light", "dark")),
        )
        state = la.State.new(variant, components=components, seed=rng.getrandbits(32))
        target = fixed.get("round", rng.randint(1, 6))
        while not state.is_over and not (state.round == target and state.stage == stage):
            state.apply(rng.choice(state.legal_moves()))
        if not state.is_over:
            yield later_in_stage(state, rng)


def later_in_stage(state: la.State, rng: random.Random) -> la.State:
    """A decision a few random moves later, but of the same stage."""
    for _ in range(rng.choice((0, 0, 1, 2, 3, 4, 5, 6))):
        after = state.clone().apply(rng.choice(state.legal_moves()))
        if after.is_over or after.is_chance or after.stage != state.stage:
            break
        state = after
    return state


@lru_cache(maxsize=1)
def small_set() -> la.ComponentSet:
    """A component set with few goods, slots and rows, so that a whole last round can be tried out."""
    data = la.complete_edition().to_dict()
    data["name"] = "small"
    for number, town in enumerate(data["towns"]):
        colour, other = data["goods"][number % 4], data["goods"][(number + 1) % 4]
        for side in ("light", "dark"):
            town[side] = [f"{colour} 1", "guards 1", f"{other} 1", f"{colour} 1", "horses 1", "guards 2"]
    for number, tile in enumerate(data["warehouse_tiles"]):
        colours = [data["goods"][(number + shift) % 4] for shift in range(4)]
        for side in ("side_1", "side_2"):
            tile[side] = [
                {"bonus": 5, "slots": [f"{colours[0]} 2", f"{colours[1]} 1"]},
                {"bonus": 3, "slots": [f"{colours[2]} 2"]},
                {"bonus": 2, "slots": [f"{colours[3]} 1"]},
            ]
    for token in [*data["tokens"], *data["easy_tokens"]]:
        token["arrows"] = [0, 3]
    return la.ComponentSet.from_dict(data)


def small_last_rounds(seed: int) -> Iterator[la.State]:
    """Town selections of round 6 with the small set, of players too poor for long conflicts."""
    rng = random.Random(seed)
    for state in random_positions("town_selection", seed, small_set(), humans=3, automas=0, round=6):
        poor = with_wealth(state, [rng.randint(0, 2) for _ in range(3)], [rng.randint(1, 6) for _ in range(3)])
        if poor.legal_moves():
            yield poor


def with_wealth(state: la.State, guards: list[int], favour: list[int]) -> la.State:
    """The position with other guards and favour, and manual chance."""
    raw, changed = state.raw(), as_manual(state)
    raw["guards"], raw["favour"] = guards, favour
    assert changed._load_raw(raw) is None
    return changed
