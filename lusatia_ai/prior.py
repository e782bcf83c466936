"""What hidden hands hold before anything else is known of them, as it was found in self-play (`data/prior.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from ._core import DECISIONS, STAGES

PHASES = ("travel", "evicted", "free", "bid", "conflict", "collected_free", "collected_bid", "end")
"""Where a seat is in the course of a round, as far as it tells something about its guards; see `phase_of`."""

SURPRISE = 0.02
"""Share of each distribution of guards that is spread over all numbers, so that none is thought impossible."""

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prior:
    """Distributions found in self-play.

    Attributes:
        guards: by key (see `guards_key`) the chances of 0, 1, 2, ... guards.
        tail: chance of each number of guards beyond these, as a share of that of the number before.
        held: by players (humans and automas) the chance that an estate card which has left the offer was taken, for
            each deck from the fewest symbols to the most.
        hand_over_all: the chance that who may hand over guards at the end hands over as many as possible.
    """

    guards: Mapping[str, tuple[float, ...]]
    tail: float
    held: Mapping[int, tuple[float, ...]]
    hand_over_all: float

    def guard_weights(self, key: str, start: int, low: int, high: int) -> list[float]:
        """Weights, none of them 0, of `low` to `high` guards; only their ratios mean something.

        Args:
            key: from `guards_key`.
            start: guards at the start of the game, which a seat has until its first journey.
            low, high: at least one number, `high` not below `low`.
        """
        known = (0.0,) * start + (1.0,) if key == FIRST_JOURNEY else self.guards[key]
        if low >= len(known):
            return [self.tail ** (guards - low) for guards in range(low, high + 1)]
        spread = SURPRISE * (1 - self.tail)
        return [
            (1 - SURPRISE) * (known[guards] if guards < len(known) else 0.0) + spread * self.tail**guards
            for guards in range(low, high + 1)
        ]


FIRST_JOURNEY = "1 travel"


def guards_key(raw: Raw, seat: int, rich_from: int) -> str:
    """What the guards of a seat are judged by: round, phase, and in most of them whether it has much favour.

    Args:
        raw: raw fields of a position, of which those are read that everybody sees.
        rich_from: favour at the start of the game.
    """
    phase = phase_of(raw, seat)
    if raw["round"] <= 1 and phase == "travel":
        return FIRST_JOURNEY
    wealth = "rich" if raw["favour"][seat] >= rich_from else "poor"
    return f"{raw['round']} {phase} {wealth}"


def phase_of(raw: Raw, seat: int) -> str:
    """Which of `PHASES` a human seat is in.

    `travel`: before its journey of this round. `evicted`: it chooses where to go. `free`, `bid`: it stands at 0, or
    higher, and has not collected. `conflict`: it stands there against a rival. `collected_free`, `collected_bid`: it
    has collected. `end`: the rounds are over.
    """
    stage = STAGES[raw["stage"]]
    if stage in ("final_scoring", "game_over"):
        return "end"
    if raw["evicted_from"] != _NONE and seat == raw["seat"]:
        return "evicted"
    if raw["position"][seat] < 0:
        return "travel"
    if raw["rival"] != _NONE and seat in (raw["seat"], raw["rival"]):
        return "conflict"
    side = "bid" if raw["position"][seat] > 0 else "free"
    return f"collected_{side}" if _has_collected(raw, seat, stage) else side


def _has_collected(raw: Raw, seat: int, stage: str) -> bool:
    if stage != "tax_collection":
        return stage == "storing"
    place, current = raw["order"].index(seat), raw["order"].index(raw["seat"])
    return bool(place > current or (place == current and DECISIONS[raw["decision"]] == "grey"))


_NONE = 255


@lru_cache(maxsize=1)
def load_prior() -> Prior:
    """The prior that comes with the library, read once."""
    return read_prior(resources.files("lusatia_ai.data").joinpath("prior.toml").read_text(encoding="utf-8"))


def read_prior(text: str) -> Prior:
    """A prior from the text of a file that `benchmarks/learn_prior.py` has written."""
    data = tomllib.loads(text)
    return Prior(
        guards={key: tuple(chances) for key, chances in data["guards"].items()},
        tail=data["tail"],
        held={int(players): tuple(chances) for players, chances in data["held"].items()},
        hand_over_all=data["hand_over_all"],
    )
