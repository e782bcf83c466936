"""The exact value of small ends of games: plain max^n over whole states, with a memory and nothing else.

Max^n (Luckhardt and Irani 1986): whoever decides takes what is best for themselves. Where two moves are equally good
for the one who decides, they may differ for the others, and max^n says nothing about which is made. So a value here
is an interval for each seat: what it gets whatever is done at ties. Where both ends agree the value is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import lusatia_ai as la

WIN, FAVOUR = 0.8, 0.2
"""Weights of win share and favour margin, here and in `PARAMS`."""
PARAMS = la.SearchParams(win=WIN, favour=FAVOUR)
CLEAR = 0.002
"""Utility by which the best moves must be better than all others: one favour point of margin."""
SAME = 1e-9

Utility = tuple[float, ...]
Bounds = tuple[Utility, Utility]


class TooLargeError(Exception):
    """More positions than were allowed."""


def utility(state: la.State) -> Utility:
    """What each seat has of a finished game: the utility of the search, written anew."""
    favour, winners = state.favour, state.winners
    return tuple(
        WIN * (seat in winners) / len(winners)
        + FAVOUR * (0.5 + 0.01 * (own - max(other for i, other in enumerate(favour) if i != seat)))
        for seat, own in enumerate(favour)
    )


class MaxN:
    """Values by trying everything.

    Args:
        most: positions that may be looked at, in all; more raise `TooLargeError`.
        slack: utility by which moves may differ and still count as equally good. Above 0, bounds also hold for
            players who do not care about so little, such as one who has lost and can only choose who wins.

    Attributes:
        known: the bounds of every position looked at, by its hash.
    """

    def __init__(self, most: int = 30_000, slack: float = 0.0) -> None:
        self.most = most
        self.slack = slack
        self.known: dict[int, Bounds] = {}

    def bounds(self, state: la.State) -> Bounds:
        """The least and the most that each seat gets, over all ways to break ties.

        A move may be made if it can be as good for the mover as the surest other one; the bounds are then those over
        all such moves. They are never too narrow.
        """
        known = self.known.get(state.hash)
        if known is None:
            known = self._look(state)
            if len(self.known) >= self.most:
                raise TooLargeError
            self.known[state.hash] = known
        return known

    def _look(self, state: la.State) -> Bounds:
        if state.is_over:
            return utility(state), utility(state)
        mover = state.seat_to_act
        if mover is None:
            raise ValueError(f"max^n knows no chance: {state.chance_event}")
        after = [self.bounds(state.clone().apply(move)) for move in state.legal_moves()]
        sure = max(low[mover] for low, _ in after)
        lows, highs = zip(*((low, high) for low, high in after if high[mover] >= sure - self.slack - SAME), strict=True)
        low = [min(column) for column in zip(*lows, strict=True)]
        high = [max(column) for column in zip(*highs, strict=True)]
        low[mover] = max(low[mover], sure - self.slack)
        return tuple(low), tuple(high)


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a decision.

    Attributes:
        best: the moves that are best, as texts.
        values: by move, the least and the most utility that it brings the mover.
        positions: how many different ones were looked at.
    """

    best: tuple[str, ...]
    values: dict[str, tuple[float, float]]
    positions: int

    @property
    def gap(self) -> float:
        """By how much the best moves are better than all others at least; 0 if all are best."""
        others = [high for move, (_, high) in self.values.items() if move not in self.best]
        return max(low for low, _ in self.values.values()) - max(others) if others else 0.0

    @property
    def clear(self) -> bool:
        """Whether the best moves are known exactly, and the others are worse by `CLEAR` whatever is done at ties."""
        exact = all(self.values[move][1] - self.values[move][0] <= SAME for move in self.best)
        return exact and self.gap >= CLEAR - SAME


def truth(state: la.State, most: int = 30_000, slack: float = 0.0) -> Truth:
    """Try every move, and everything after it; arguments as for `MaxN`.

    Raises:
        TooLargeError: if more than `most` positions would have to be looked at.
    """
    tree, seat = MaxN(most, slack), state.seat_to_act
    assert seat is not None
    values = {}
    for move in state.legal_moves():
        low, high = tree.bounds(state.clone().apply(move))
        values[move.text] = low[seat], high[seat]
    most_sure = max(low for low, _ in values.values())
    best = tuple(move for move, (low, _) in values.items() if low >= most_sure - SAME)
    return Truth(best, values, len(tree.known))


def hidden_choices(state: la.State) -> bool:
    """Whether two seats will hand over guards at the end, unseen by each other (rules 8.2): not a case for max^n."""
    players = state.to_json()["players"]
    data = state.components.to_dict()
    effects = {entry["id"]: entry["effects"] for entry in data["companions"]}
    hands = {token["id"] for token in data["tokens"] if "guards_for_points" in effects[token["companion"]]}
    return sum(any(token in hands for token in player.get("companions", ())) for player in players) > 1
