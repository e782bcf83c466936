"""Which game is played: the number of players and the optional rules (rules 1.1 and the variants of the rulebook)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from .errors import Fault, VariantError
from .frozen import FrozenMap
from .reading import Reader, key_text, shown

SIDES = ("light", "dark")
HUMANS = "a whole number from 2 to 6"

_FLAGS = ("easy", "chooser_must_contribute", "score_automas")


@dataclass(frozen=True, eq=True)
class Variant:
    """The rules in force, fixed for a whole game.

    Attributes:
        humans: 2-6 players who decide.
        automas: 0-4 automa opponents (rules 9); humans and automas together are 3-6.
        easy: the easy game with its 18 tokens without companions (rules 2.5, 5.3).
        chooser_must_contribute: who chooses a row must store a piece of their own in it (rules 6.4).
        score_automas: automas keep a score for show (rules 9.5).
        sides: "light", "dark", or a mapping town id -> side, in which a missing town is light.

    Raises:
        VariantError: with every option that is out of its range.
    """

    humans: int = 4
    automas: int = 0
    easy: bool = False
    chooser_must_contribute: bool = False
    score_automas: bool = False
    sides: str | Mapping[str, str] = "light"

    def __post_init__(self) -> None:
        faults = list(_faults({field.name: getattr(self, field.name) for field in fields(self)}))
        if faults:
            raise VariantError(faults)
        if isinstance(self.sides, Mapping):
            object.__setattr__(self, "sides", FrozenMap(self.sides))

    def __hash__(self) -> int:
        sides = self.sides if isinstance(self.sides, str) else tuple(sorted(self.sides.items()))
        return hash((self.humans, self.automas, self.easy, self.chooser_must_contribute, self.score_automas, sides))

    @property
    def players(self) -> int:
        """Humans and automas together, which is also the number of open towns a round (rules 1.6)."""
        return self.humans + self.automas

    def side_of(self, town: str) -> str:
        """The side, "light" or "dark", on which the tile of `town` lies."""
        return self.sides if isinstance(self.sides, str) else self.sides.get(town, "light")

    def to_json(self) -> dict[str, Any]:
        """All six keys, as the position format writes them."""
        sides = self.sides if isinstance(self.sides, str) else dict(self.sides)
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"sides": sides}

    @classmethod
    def from_json(cls, data: object, place: str = "variant") -> Variant:
        """Read the `variant` object of a position or record; `humans` is needed, a missing flag is false.

        Raises:
            VariantError: with every fault, its place beginning with `place`.
        """
        faults: list[Fault] = []
        variant = cls.read(Reader(faults, data, place, "variant"))
        if variant is None:
            raise VariantError(faults)
        return variant

    @classmethod
    def read(cls, reader: Reader) -> Variant | None:
        """As `from_json`, faults being noted in the reader; None if there are any."""
        names = [field.name for field in fields(cls)]
        present = reader.keys(names)
        if not reader.is_table(names, quiet=True):
            return None
        faults = len(reader.faults)
        values: dict[str, Any] = {name: reader[name].value for name in present}
        if "humans" not in values:
            reader["humans"].reject(HUMANS)
        for fault in _faults({"humans": 3, "automas": 0} | values):
            reader.faults.append(Fault(f"{reader.place}.{fault.place}", fault.found, fault.allowed))
        return cls(**values) if len(reader.faults) == faults else None


def _faults(values: Mapping[str, Any]) -> list[Fault]:
    """What is wrong with these options (only those present are looked at)."""
    faults = []
    for name, low, high in (("humans", 2, 6), ("automas", 0, 4)):
        if name in values and not _is_int(values[name], low, high):
            faults.append(Fault(name, shown(values[name]), f"a whole number from {low} to {high}"))
    for name in _FLAGS:
        if name in values and not isinstance(values[name], bool):
            faults.append(Fault(name, shown(values[name]), "true or false"))
    faults += _sides_faults(values.get("sides", "light"))
    if not faults and not 3 <= values["humans"] + values["automas"] <= 6:
        found = f"{values['humans']} humans and {values['automas']} automas"
        faults.append(Fault("automas", found, "3 to 6 players in all (two humans need an automa)"))
    return faults


def _sides_faults(sides: object) -> list[Fault]:
    if isinstance(sides, Mapping):
        return [
            Fault(f"sides.{key_text(town)}", shown(side), "light or dark")
            for town, side in sides.items()
            if not (isinstance(town, str) and isinstance(side, str) and side in SIDES)
        ]
    if isinstance(sides, str) and sides in SIDES:
        return []
    return [Fault("sides", shown(sides), "light, dark, or an object town id -> light or dark")]


def _is_int(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
