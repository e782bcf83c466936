"""The exceptions of the library.

Three of them follow python-chess: a text that is no move at all (`NotationError`), a move that the rules forbid here
(`IllegalMoveError`), and a position that cannot be (`PositionError`). Files with many statements are read to the end,
and all their faults are reported together: see `FaultsError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in an input.

    Attributes:
        place: where it is, as a path: `players[2].guards`.
        found: what stands there, in words or as `repr`.
        allowed: what could stand there instead.
    """

    place: str
    found: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.place}: found {self.found}; allowed: {self.allowed}"


class LusatiaError(ValueError):
    """Base of all errors that bad input causes; catch this one to catch them all."""


class NotationError(LusatiaError):
    """A text or object that is not the notation of any move or chance event."""


class IllegalMoveError(LusatiaError):
    """A well-spelled move that the rules do not allow in this position; the message says which rule forbids it."""


class BeliefError(LusatiaError):
    """An observation that no hidden hands can explain; the message names the contradiction."""


class FaultsError(LusatiaError):
    """An input with one or more faults, all of them listed.

    Attributes:
        faults: every fault found, in the order of the input.
    """

    subject = "input"

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        super().__init__(self.faults)

    def __str__(self) -> str:
        if len(self.faults) == 1:
            return f"bad {self.subject}: {self.faults[0]}"
        lines = "".join(f"\n  {fault}" for fault in self.faults)
        return f"bad {self.subject}, {len(self.faults)} faults:{lines}"


class PositionError(FaultsError):
    """A position that is malformed or contradicts itself."""

    subject = "position"


class RecordError(FaultsError):
    """A game record that is malformed or whose events do not follow from one another."""

    subject = "record"


class ComponentError(FaultsError):
    """A component set that lacks something which the rules need."""

    subject = "component set"


class VariantError(FaultsError):
    """A combination of options that the rules do not provide for."""

    subject = "variant"


class LimitError(FaultsError):
    """A search limit outside its range."""

    subject = "limit"


class ParamsError(FaultsError):
    """A search parameter outside its range."""

    subject = "search parameters"


class PlayerError(LusatiaError):
    """A player that cannot be made, or that gave no legal move; the message says what was asked and answered."""


class MatchError(FaultsError):
    """Settings of a match that do not go together, or a file of results that does not fit them."""

    subject = "match"


class SolveError(FaultsError):
    """A question that the solver cannot answer exactly, or an option that it does not know."""

    subject = "question to the solver"
