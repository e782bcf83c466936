"""Which game is played: the number of players and the optional rules (rules 1.1 and the variants of the rulebook)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from .errors import Fault, VariantError
from .frozen import FrozenMap
from .reading import Reader, key_text, shown

SIDES = ("light", "dark")

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
        faults: list[Fault] = []
        options = {field.name: getattr(self, field.name) for field in fields(self)}
        _check(Reader(faults, options, "", "variant"), list(options))
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
        faults = len(reader.faults)
        present = reader.present([field.name for field in fields(cls)])
        if isinstance(reader.value, Mapping):
            _check(reader, {"humans", *present})
        values: dict[str, Any] = {name: reader[name].value for name in present}
        return cls(**values) if len(reader.faults) == faults else None


def _check(reader: Reader, names: Collection[str]) -> None:
    """Note what is wrong with the options of these names."""
    faults = len(reader.faults)
    ranges = {"humans": (2, 6), "automas": (0, 4)}
    counts = {name: reader[name].whole(*bounds) for name, bounds in ranges.items() if name in names}
    for name in _FLAGS:
        if name in names:
            reader[name].flag()
    if "sides" in names:
        _check_sides(reader["sides"])
    if len(reader.faults) == faults and not 3 <= sum(counts.values()) <= 6:
        found = f"{counts['humans']} humans and {counts.get('automas', 0)} automas"
        reader["automas"].fault(found, "3 to 6 players in all (two humans need an automa)")


def _check_sides(reader: Reader) -> None:
    if isinstance(reader.value, Mapping):
        for town, side in reader.value.items():
            if not (isinstance(town, str) and isinstance(side, str) and side in SIDES):
                reader.faults.append(Fault(f"{reader.place}.{key_text(town)}", shown(side), "light or dark"))
    elif not (isinstance(reader.value, str) and reader.value in SIDES):
        reader.reject("light, dark, or an object town id -> light or dark")
