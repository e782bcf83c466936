"""What chance did for each seat: the value after a chance event, less its mean over what might have happened.

Luck terms work like control variates. Each has mean 0 whatever the estimate of value is worth, because the outcome that
came up and those it is compared with are valued alike, with the same random numbers, and are drawn alike. So the result
of a game less the luck in it has the same mean as the result, and spreads less the better the estimate is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance
from typing import Any

import numpy as np

from .assessment import Prospect, automa_outcomes, child_seed
from .limits import Limit, SearchParams
from .state import State

DEFAULT_SAMPLES = 16
"""Outcomes that a round set-up is compared with."""
DEFAULT_ITERATIONS = 100
"""Simulated games for each outcome."""
NODES_PER_ITERATION = 8


@dataclass(frozen=True, slots=True)
class Luck:
    """One chance event. Tuples are by human seat; win shares run from 0 to 1, favour is final favour.

    Attributes:
        turn: the event's index in the record.
        round: the round it belongs to; 0 for the set-up of the game.
        event: "setup", "round", "automa_town" or "automa_card".
        value, favour: what can be expected after it.
        win_luck, favour_luck: what it brought, against the mean over all that might have happened.
        stderr: standard error of `win_luck`, from looking at some outcomes only; 0 where all have been looked at.
        favour_stderr: the same of `favour_luck`.
        outcomes: outcomes that were looked at, the real one included.
    """

    turn: int
    round: int
    event: str
    value: tuple[float, ...]
    favour: tuple[float, ...]
    win_luck: tuple[float, ...]
    favour_luck: tuple[float, ...]
    stderr: tuple[float, ...]
    favour_stderr: tuple[float, ...]
    outcomes: int

    def to_json(self) -> dict[str, Any]:
        """As a dict for JSON; win shares to 6 places, favour to 4."""
        shares = {name: [round(x, 6) for x in getattr(self, name)] for name in ("value", "win_luck", "stderr")}
        favours = {
            name: [round(x, 4) for x in getattr(self, name)] for name in ("favour", "favour_luck", "favour_stderr")
        }
        head = {"turn": self.turn, "round": self.round, "event": self.event, "outcomes": self.outcomes}
        return head | shares | favours

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Luck:
        """What `to_json` wrote."""
        names = ("value", "favour", "win_luck", "favour_luck", "stderr", "favour_stderr")
        tuples: dict[str, Any] = {name: tuple(map(float, data[name])) for name in names}
        return cls(turn=data["turn"], round=data["round"], event=data["event"], outcomes=data["outcomes"], **tuples)


def luck_of(
    before: State,
    event: Mapping[str, Any],
    seed: np.random.SeedSequence,
    *,
    turn: int = 0,
    samples: int = DEFAULT_SAMPLES,
    iterations: int = DEFAULT_ITERATIONS,
    params: SearchParams | None = None,
) -> Luck:
    """The luck in one chance event.

    Args:
        before: the position that waits for it, in manual mode.
        event: the chance object that came up.
        seed: of the other outcomes and of their valuation. It must not depend on `event`.
        turn: kept in the result.
        samples: so many other outcomes are drawn, at least 2. Automa events have so few that all are looked at.
        iterations: simulated games for each outcome.
        params: how to search.
    """
    params = params or SearchParams()
    outcome_seed, value_seed = child_seed(seed, 0), child_seed(seed, 1)
    kind = str(before.chance_event)
    values = _valuation(before, iterations, params, value_seed)
    mine = values(event)
    if kind in ("automa_town", "automa_card"):
        outcomes = automa_outcomes(before)
        others = [mine if outcome == event else values(outcome) for outcome in outcomes]
        deviations, errors = _against_all(mine, others)
    else:
        rng = np.random.default_rng(outcome_seed)
        others = [values(before.sample_chance(rng)) for _ in range(samples)]
        deviations, errors = _against_drawn(mine, others)
    humans = before.variant.humans
    return Luck(
        turn, before.round, kind, mine[:humans], mine[humans:], deviations[:humans], deviations[humans:],
        errors[:humans], errors[humans:], len(others) + (kind in ("setup", "round")),
    )  # fmt: skip


Values = tuple[float, ...]
"""Win shares by seat, then favour by seat."""


def _valuation(
    before: State, iterations: int, params: SearchParams, seed: np.random.SeedSequence
) -> Callable[[Mapping[str, Any]], Values]:
    """What values an outcome: always in the same way, with the same random numbers."""
    horizon = params.horizon or 6
    last_round = 0 if before.chance_event == "setup" else before.round + horizon - 1
    nodes = min(params.nodes_for(Limit()), NODES_PER_ITERATION * iterations)

    def values(outcome: Mapping[str, Any]) -> Values:
        prospect = Prospect([before.clone().apply(outcome)], 0, last_round, params, nodes, seed, average=True)
        prospect.grow(iterations)
        found = prospect.standings()
        return found.value + found.favour

    return values


def _against_all(mine: Values, others: Sequence[Values]) -> tuple[Values, Values]:
    means = tuple(map(fmean, zip(*others, strict=True)))
    return tuple(x - mean for x, mean in zip(mine, means, strict=True)), (0.0,) * len(mine)


def _against_drawn(mine: Values, others: Sequence[Values]) -> tuple[Values, Values]:
    columns = list(zip(*others, strict=True))
    deviations = tuple(x - fmean(column) for x, column in zip(mine, columns, strict=True))
    return deviations, tuple(sqrt(variance(column) / len(column)) for column in columns)


__all__ = ["Luck", "luck_of"]
