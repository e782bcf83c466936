"""Component sets: what is printed on the tiles, tokens and cards, as data that the engine plays with.

A set is written as a TOML file or as the same thing in JSON. `ComponentSet.load`, `from_toml` and `from_dict` check it
strictly and report all its faults together, each with its place, so that a set which loads can be played to the end
with any number of players. The shipped set is `complete_edition()`. Whoever owns the game can copy its file, write the
printed values into it and load the copy.

This module has two halves: the dataclasses of the pieces, then what reads and checks them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .errors import ComponentError, Fault
from .frozen import FrozenMap
from .reading import ID, Reader, choice, flawless, listing, one_of, report_repeats, shown, table, whole

GUARDS = "guards"
HORSES = "horses"
ESTATE = "estate"
"""What town sides and token centres show besides goods; therefore no colour of goods may be called so."""

POOLS = ("1-2", "3-4", "5-6")
STAGES = ("1", "2", "3", "4", "5", "6", "immediate", "final")
AUTOMA_ARROWS = ("stay", "clockwise", "counterclockwise")
PROVENANCES = ("rulebook", "reconstructed", "printed")
FORMAT_VERSION = 1
MOST_TOKENS = 64  # of a kind: the engine keeps them as the bits of one word


class GuardExchange(NamedTuple):
    """Guards for favour at the end (rules 8.2): up to `most` guards, `each` so many favour points."""

    most: int
    each: int


@dataclass(frozen=True, slots=True)
class Yield:
    """What one side of a town tile gives (rules 5.3): `kind` is a colour of goods, "guards" or "horses"."""

    kind: str
    amount: int

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}"


@dataclass(frozen=True, slots=True)
class Effects:
    """What a companion does; the engine knows nothing else of it. A default value means that the effect is absent.

    Attributes:
        estate_row_bonus: favour whenever the estate row that the holder chose gets full (rules 6.6).
        grey_cards: grey estate cards taken at once (rules 5.4).
        travel_discount: guards off each journey (rules 3.2).
        slowest_bonus: favour for being last in the storing order (rules 6.2).
        guard_for_good: may give a guard for a piece of any colour (rules 6.3).
        swap_good: may swap a piece for one of another colour (rules 6.3).
        occupy_at_one: may enter a free town at position 1 (rules 3.4).
        half_horses: halves of a horse added to the holder's horses (rules 6.1).
        recruit: guards gained in the clean-up (rules 7.1).
        zero_guard_bonus: favour if the own wagon stands at 0 (rules 4.1).
        produce: colours of which one piece is taken each round (rules 2.4).
        skip_points: favour for handing a piece over instead of choosing a row (rules 6.7).
        per_good: colour -> favour for each such piece that the holder stores (rules 6.5).
        extra_arrows: sides that may be added to the token's arrows (rules 5.2).
        per_four_arrow_token: final favour for each own token with four arrows (rules 8.3).
        per_symbol: estate -> final favour for each symbol (rules 8.5).
        points: final favour (rules 8.3).
        guards_for_points: final exchange of guards for favour (rules 8.2).
        per_dominated_estate: final favour for each estate in which nobody has more symbols (rules 8.5).
        per_poorer_player: final favour for each human with less favour (rules 8.1).
    """

    estate_row_bonus: int = 0
    grey_cards: int = 0
    travel_discount: int = 0
    slowest_bonus: int = 0
    guard_for_good: bool = False
    swap_good: bool = False
    occupy_at_one: bool = False
    half_horses: int = 0
    recruit: int = 0
    zero_guard_bonus: int = 0
    produce: tuple[str, ...] = ()
    skip_points: int = 0
    per_good: Mapping[str, int] = FrozenMap()
    extra_arrows: int = 0
    per_four_arrow_token: int = 0
    per_symbol: Mapping[str, int] = FrozenMap()
    points: int = 0
    guards_for_points: GuardExchange | None = None
    per_dominated_estate: int = 0
    per_poorer_player: int = 0


@dataclass(frozen=True, slots=True)
class Companion:
    """A person on tax tokens. `stage` is the printed label: "1" to "6", "immediate" or "final"."""

    id: str
    stage: str
    provenance: str
    effects: Effects


@dataclass(frozen=True, slots=True)
class Token:
    """A tax token (rules 1.4): `arrows` are sides 0-5 clockwise before any rotation, ascending."""

    id: str
    companion: str
    pool: str
    arrows: tuple[int, ...]
    provenance: str = "reconstructed"


@dataclass(frozen=True, slots=True)
class EasyToken:
    """A token of the easy game (rules 2.5): its centre shows either a yield or an estate, the other one is None."""

    id: str
    centre: Yield | None
    estate: str | None
    arrows: tuple[int, ...]
    provenance: str = "reconstructed"


@dataclass(frozen=True, slots=True)
class Town:
    """A town tile: the six sides of its light and of its dark face, clockwise from the top."""

    id: str
    number: int
    provenance: str
    light: tuple[Yield, ...]
    dark: tuple[Yield, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one piece in a warehouse row, and the favour for filling it (rules 6.5)."""

    colour: str
    points: int

    def __str__(self) -> str:
        return f"{self.colour} {self.points}"


@dataclass(frozen=True, slots=True)
class Row:
    """A warehouse row, slots from left to right. `bonus` is favour (royal) or most symbols of a card (estate)."""

    bonus: int
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class WarehouseTile:
    """A warehouse tile: its rows from top to bottom, side I for rounds 1-3 and side II for 4-6 (rules 1.5)."""

    id: str
    provenance: str
    side_1: tuple[Row, ...]
    side_2: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class AutomaCard:
    """An automa card (rules 9.2, 9.4): where to go, and the counter positions at which the automa raises."""

    id: str
    provenance: str
    arrows: tuple[str, ...]
    early: tuple[int, ...]
    late: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scoring:
    """Points for the first, second, ... place in an estate, for these numbers of humans (rules 8.4)."""

    humans: tuple[int, ...]
    points: tuple[int, ...]
    provenance: str


@dataclass(frozen=True, slots=True)
class EstateCards:
    """The estate cards (rules 1.3): a deck for each number of symbols, and the grey supply."""

    symbols: tuple[int, ...]
    copies_per_estate: int
    grey_symbols: int
    grey_copies_per_estate: int
    provenance: str


@dataclass(frozen=True, slots=True)
class Start:
    """What each human begins with (rules 1.2)."""

    favour: int
    guards: int
    provenance: str


@dataclass(frozen=True, slots=True, repr=False)
class ComponentSet:
    """All components of a game. Sets that `load`, `from_toml` and `from_dict` return are checked and playable."""

    name: str
    version: int
    goods: tuple[str, ...]
    estates: tuple[str, ...]
    tokens: tuple[Token, ...]
    easy_tokens: tuple[EasyToken, ...]
    start: Start
    scoring: tuple[Scoring, ...]
    estate_cards: EstateCards
    towns: tuple[Town, ...]
    warehouse_tiles: tuple[WarehouseTile, ...]
    companions: tuple[Companion, ...]
    automa_cards: tuple[AutomaCard, ...]

    def __hash__(self) -> int:
        return hash((self.name, self.version))  # cheap; equal sets have equal names

    def __repr__(self) -> str:
        return f"<ComponentSet {self.name!r}: {len(self.tokens)} tokens, {len(self.companions)} companions>"

    @classmethod
    def from_dict(cls, data: object, place: str = "") -> ComponentSet:
        """Read and check a set that is given as an object in the layout of the TOML file.

        Args:
            data: what `to_dict`, a JSON reader or a TOML reader returned; anything else is reported, too.
            place: where `data` itself stands; begins the place of each fault.

        Raises:
            ComponentError: with every fault found.
        """
        faults: list[Fault] = []
        result = _component_set(Reader(faults, data, place, "component set", context=_Names()))
        if faults:
            raise ComponentError(faults)
        return result

    @classmethod
    def from_toml(cls, text: str) -> ComponentSet:
        """Read and check the text of a TOML file.

        Raises:
            ComponentError: with the line of the first syntax error, or else with every fault found.
        """
        try:
            data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # TOMLDecodeError, too long a number, or too deep a nesting
            match = _TOML_ERROR.fullmatch(str(error))
            found, place = match.groups() if match else (str(error), "TOML text")
            raise ComponentError([Fault(place, found, "valid TOML")]) from error
        return cls.from_dict(data)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ComponentSet:
        """Read and check a TOML file.

        Raises:
            ComponentError: if the file cannot be read, is no TOML, or with every fault found.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a path that no file can have
            found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise ComponentError([Fault(str(path), found, "a readable TOML file in UTF-8")]) from error
        return cls.from_toml(text)

    def to_dict(self) -> dict[str, Any]:
        """The set in the layout of the TOML file, made of JSON values only; `from_dict` reads it back."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def companion_of(self, token: Token | str) -> Companion:
        """The companion on a token, which may be given by its id.

        Raises:
            KeyError: if the set has no such token or companion.
        """
        if isinstance(token, str):
            token = _by_id(self.tokens, token)
        return _by_id(self.companions, token.companion)

    def scoring_for(self, humans: int) -> Scoring:
        """The estate scoring table for this number of humans, 2-6 (rules 8.4).

        Raises:
            KeyError: if the set has no such table.
        """
        for scoring in self.scoring:
            if humans in scoring.humans:
                return scoring
        raise KeyError(humans)


@cache
def complete_edition() -> ComponentSet:
    """The shipped components of League of Six: Complete Edition, read once."""
    return builtin("complete-edition")


_LEARNED = ("evaluation.toml", "prior.toml")
"""Files in `data` that hold no component set."""


@cache
def builtin_names() -> tuple[str, ...]:
    """The names of all shipped sets, sorted."""
    files = (resources.files("lusatia_ai") / "data").iterdir()
    names = [file.name[:-5] for file in files if file.name.endswith(".toml") and file.name not in _LEARNED]
    return tuple(sorted(name.replace("_", "-") for name in names))


def builtin(name: str) -> ComponentSet:
    """The shipped set of this name, read once.

    Raises:
        ComponentError: if there is no such set.
    """
    names = builtin_names()
    if not isinstance(name, str) or name not in names:
        raise ComponentError([Fault("name", shown(name), one_of(names))])
    return _load_builtin(name)


@cache
def _load_builtin(name: str) -> ComponentSet:
    file = resources.files("lusatia_ai") / "data" / f"{name.replace('-', '_')}.toml"
    return ComponentSet.from_toml(file.read_text(encoding="utf-8"))


_Named = TypeVar("_Named", Token, Companion)


def _by_id(pieces: Iterable[_Named], wanted: str) -> _Named:
    for piece in pieces:
        if piece.id == wanted:
            return piece
    raise KeyError(wanted)


def _plain(value: Any) -> Any:
    """`value` in JSON types. Fields at their default are left out."""
    if isinstance(value, (Yield, Slot)):
        return str(value)
    if isinstance(value, GuardExchange):
        return value._asdict()
    if isinstance(value, (tuple, list)):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return dict(value)
    if not is_dataclass(value):
        return value
    present = [(field.name, getattr(value, field.name), field.default) for field in fields(value)]
    plain = {name: _plain(content) for name, content, default in present if content != default}
    if isinstance(value, EasyToken):
        estate = plain.pop("estate")
        plain["centre"] = plain["centre"] or f"{ESTATE} {estate}"
    return plain


# Reading and checking: the grammar of a set, built from the readers of `reading.py`.

_SET_NAME = re.compile("[a-z0-9_-]+")
_TOML_ERROR = re.compile(r"(.*) \(at (.*)\)", re.DOTALL)


@dataclass(slots=True)
class _Names:
    """What the pieces of a set may refer to.

    Names in which there were faults are left empty, and then any name is taken: no fault is reported twice.
    """

    goods: tuple[str, ...] = ()
    estates: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()


def _known(reader: Reader, names: Collection[str]) -> str:
    return reader.choice(names) if names else reader.name()


_id = Reader.name
_provenance = choice(PROVENANCES)


# The grammar of companions

_bonus = whole(1, 20)


def _flag(reader: Reader) -> bool:
    if reader.value is not True:
        reader.reject("true; leave the key out otherwise")
    return True


def _good(reader: Reader) -> str:
    return _known(reader, reader.context.goods)


def _bonuses(reader: Reader, names: Collection[str]) -> FrozenMap[int]:
    """A table from some of the names, or from any if there are none, to favour points."""
    table = reader.value if isinstance(reader.value, Mapping) else None
    if table is not None and not table:
        reader.reject("at least one key, " + one_of(names))
    keys = reader.present(names or [key for key in table or () if isinstance(key, str)])
    return FrozenMap({key: _bonus(reader[key]) for key in keys})


_EFFECTS: Mapping[str, tuple[str, Callable[[Reader], object]]] = {
    "produce": ("1", flawless(1, 4, _good, "different goods")),
    "travel_discount": ("2", whole(1, 5)),
    "occupy_at_one": ("2", _flag),
    "zero_guard_bonus": ("3", _bonus),
    "extra_arrows": ("4", whole(1, 5)),
    "estate_row_bonus": ("5", _bonus),
    "slowest_bonus": ("5", _bonus),
    "guard_for_good": ("5", _flag),
    "swap_good": ("5", _flag),
    "half_horses": ("5", _bonus),
    "skip_points": ("5", _bonus),
    "per_good": ("5", lambda reader: _bonuses(reader, reader.context.goods)),
    "recruit": ("6", _bonus),
    "grey_cards": ("immediate", whole(1, 6)),
    "per_four_arrow_token": ("final", _bonus),
    "per_symbol": ("final", lambda reader: _bonuses(reader, reader.context.estates)),
    "points": ("final", _bonus),
    "guards_for_points": ("final", table(GuardExchange, most=whole(1, 99), each=_bonus)),
    "per_dominated_estate": ("final", _bonus),
    "per_poorer_player": ("final", _bonus),
}
"""Each effect with the stage in which it works, and the grammar of its value."""

_DECISIONS = ("produce", "guard_for_good", "swap_good", "skip_points")
"""Effects that ask for a decision during a round. A position marks a token, not an effect, as used (rules 6.7)."""


def _effects(reader: Reader) -> Effects:
    values: dict[str, Any] = {effect: _EFFECTS[effect][1](reader[effect]) for effect in reader.present(_EFFECTS)}
    decisions = [effect for effect in _DECISIONS if effect in values]
    if len(decisions) > 1:
        reader.fault(" and ".join(decisions), "at most one of " + ", ".join(_DECISIONS))
    return Effects(**values)


_companion_table = table(Companion, id=_id, stage=choice(STAGES), provenance=_provenance, effects=_effects)


def _companion(reader: Reader) -> Companion:
    """A companion, whose printed stage must be one in which its effects work, if it has any."""
    companion = _companion_table(reader)
    effects = reader["effects"].value
    stages = {stage for effect, (stage, _) in _EFFECTS.items() if isinstance(effects, Mapping) and effect in effects}
    if companion.stage and stages and companion.stage not in stages:
        reader["stage"].fault(
            shown(companion.stage), " or ".join(sorted(stages)) + ", the stage in which its effects work"
        )
    return companion


# The grammar of tokens, towns and warehouses


def _yield(reader: Reader, or_else: str = "") -> Yield:
    goods = reader.context.goods
    return Yield(*reader.counted((*goods, GUARDS, HORSES) if goods else (), 1, 5, or_else))


def _centre(reader: Reader) -> Yield | str:
    """A yield such as "green 2", or the name of an estate, written "estate clergy"."""
    estates = reader.context.estates
    if isinstance(reader.value, str):
        word, _, estate = reader.value.partition(" ")
        if word == ESTATE and (estate in estates or (not estates and ID.fullmatch(estate))):
            return estate
    return _yield(reader, f', or "{ESTATE} NAME" with NAME {one_of(estates)}')


def _arrows(reader: Reader) -> tuple[int, ...]:
    return tuple(sorted(flawless(1, 6, whole(0, 5), "different sides 0 to 5")(reader)))


def _token_provenance(reader: Reader) -> str:
    """Where a token's arrows come from; the file need not say it of each."""
    return "reconstructed" if reader.is_missing else _provenance(reader)


def _build_easy_token(centre: Yield | str, **values: Any) -> EasyToken:
    if isinstance(centre, Yield):
        return EasyToken(centre=centre, estate=None, **values)
    return EasyToken(centre=None, estate=centre, **values)


_token = table(
    Token,
    id=_id,
    companion=lambda reader: _known(reader, reader.context.companions),
    pool=choice(POOLS),
    arrows=_arrows,
    provenance=_token_provenance,
)
_easy_token = table(_build_easy_token, id=_id, centre=_centre, arrows=_arrows, provenance=_token_provenance)


def _all_tokens(root: Reader) -> tuple[tuple[Token, ...], tuple[EasyToken, ...]]:
    """Both kinds of tokens. Six players need twelve of each pool, six in each of its two rounds (rules 1.4, 1.6)."""
    entries = root["tokens"].entries(36, MOST_TOKENS, "tokens, at least 12 of each pool")
    easy_entries = root["easy_tokens"].entries(6, MOST_TOKENS, "tokens")
    report_repeats(entry["id"] for entry in entries + easy_entries)
    tokens = tuple(_token(entry) for entry in entries)
    pools = [token.pool for token in tokens]
    if len(pools) >= 36 and "" not in pools:
        for pool in POOLS:
            if pools.count(pool) < 12:
                root["tokens"].fault(f"{pools.count(pool)} tokens of pool {pool}", "at least 12, for six players")
    return tokens, tuple(_easy_token(entry) for entry in easy_entries)


_sides = listing(6, 6, _yield, "sides")
_town = table(Town, id=_id, number=whole(1, 6), provenance=_provenance, light=_sides, dark=_sides)

_slots = listing(1, 8, lambda slot: Slot(*slot.counted(slot.context.goods, 0, 20)), "slots")
_rows = listing(1, 4, table(Row, bonus=whole(0, 20), slots=_slots), "rows")
_warehouse_tile = table(WarehouseTile, id=_id, provenance=_provenance, side_1=_rows, side_2=_rows)


# The grammar of the rest


def _automa_arrows(reader: Reader) -> tuple[str, ...]:
    """An automa that leaves skips `stay`, so that each card must show a direction (rules 9.4)."""
    arrows = flawless(1, 6, choice(AUTOMA_ARROWS), "arrows", distinct=False)(reader)
    if set(arrows) == {"stay"}:
        reader.fault("only stay", "clockwise or counterclockwise at least once")
    return arrows


def _positions(reader: Reader) -> tuple[int, ...]:
    """Counter positions of an automa with a human above it, who stands at 12 at most."""
    return tuple(sorted(flawless(0, 12, whole(0, 11), "different positions 0 to 11")(reader)))


def _place_points(reader: Reader) -> tuple[int, ...]:
    points = flawless(1, 6, whole(0, 99), "numbers 0 to 99", distinct=False)(reader)
    if list(points) != sorted(points, reverse=True):
        reader.fault(", ".join(map(str, points)), "no more points for a place than for the place before it")
    return points


def _symbols(reader: Reader) -> tuple[int, ...]:
    symbols = flawless(4, 4, whole(1, 9), "different numbers 1 to 9")(reader)
    if list(symbols) != sorted(symbols):
        reader.fault(", ".join(map(str, symbols)), "ascending numbers")
    return symbols


_automa_card = table(
    AutomaCard, id=_id, provenance=_provenance, arrows=_automa_arrows, early=_positions, late=_positions
)
_humans = flawless(1, 5, whole(2, 6), "different numbers 2 to 6")
_scoring_table = table(Scoring, humans=_humans, points=_place_points, provenance=_provenance)
_estate_cards = table(
    EstateCards,
    symbols=_symbols,
    copies_per_estate=whole(2, 20),  # with three estates at least one card a round (rules 2.1)
    grey_symbols=whole(1, 9),
    grey_copies_per_estate=whole(0, 20),
    provenance=_provenance,
)
_start = table(Start, favour=whole(0, 99), guards=whole(0, 99), provenance=_provenance)


def _scoring(reader: Reader) -> tuple[Scoring, ...]:
    """The scoring tables, which together name each number of humans once."""
    entries = reader.entries(1, 5, "tables")
    tables = tuple(_scoring_table(entry) for entry in entries)
    named: set[int] = set()
    for entry, scoring in zip(entries, tables, strict=True):
        for humans in sorted(named.intersection(scoring.humans)):
            entry["humans"].fault(f"{humans} again", "numbers of humans that no table before it names")
        named.update(scoring.humans)
    if tables and all(scoring.humans for scoring in tables):
        for humans in sorted({2, 3, 4, 5, 6} - named):
            reader.fault(f"no table for {humans} humans", "one table for each number of humans from 2 to 6")
    return tables


def _colour(reader: Reader) -> str:
    """The name of a colour of goods; town sides and token centres show other things besides."""
    if isinstance(reader.value, str) and reader.value in (GUARDS, HORSES, ESTATE):
        reader.reject(f"a colour other than {GUARDS}, {HORSES}, {ESTATE}")
        return ""
    return reader.name()


def _no_beginnings(readers: Iterable[Reader]) -> None:
    """Reject an id that another one begins with: then the order of the ids would not be that of their moves.

    `a` comes before `a1`, but `go:a:0` after `go:a1:0`, since moves are ordered as plain strings.
    """
    readers = list(readers)
    for reader in readers:
        for other in readers:
            longer, own = other.value, reader.value
            if isinstance(longer, str) and isinstance(own, str) and longer != own and own and longer.startswith(own):
                reader.fault(f"{shown(own)}, with which {shown(longer)} begins", "an id with which no other one begins")


def _towns(reader: Reader) -> tuple[Town, ...]:
    towns = listing(6, 6, _town, "towns", ["id", "number"])(reader)
    _no_beginnings(reader.at(index)["id"] for index in range(len(towns)))
    return towns


def _most_symbols(cards: EstateCards) -> int:
    """Symbols of one estate that a player could come to hold."""
    return min(cards.copies_per_estate, 6) * sum(cards.symbols) + cards.grey_symbols * cards.grey_copies_per_estate


def _most_favour(found: ComponentSet) -> int:
    """A bound on the favour that a player could come to have, who holds six tokens at most (rules 4.1, 6, 8)."""

    def best(worth: Callable[[Effects], int]) -> int:
        return sum(sorted(worth(found.companion_of(token).effects) for token in found.tokens)[-6:])

    piece = best(lambda effects: max(effects.per_good.values(), default=0))
    row_bonus = best(lambda effects: effects.estate_row_bonus)
    tile = max(
        sum(row.bonus + row_bonus + sum(slot.points + piece for slot in row.slots) for row in side)
        for entry in found.warehouse_tiles
        for side in (entry.side_1, entry.side_2)
    )
    a_round = 2 * tile + best(lambda effects: effects.zero_guard_bonus + effects.slowest_bonus + effects.skip_points)
    end = best(lambda effects: _most_final_favour(effects, _most_symbols(found.estate_cards)))
    return found.start.favour + 6 * a_round + end + 3 * max(max(table.points) for table in found.scoring)


def _most_final_favour(effects: Effects, symbols: int) -> int:
    most, each = effects.guards_for_points or (0, 0)
    fixed = effects.points + 6 * effects.per_four_arrow_token + 3 * effects.per_dominated_estate
    return fixed + 5 * effects.per_poorer_player + most * each + symbols * sum(effects.per_symbol.values())


def _fits_the_engine(root: Reader, found: ComponentSet) -> None:
    """What a player can come to have must fit into the engine's numbers, and into the limits of a position."""
    symbols, favour = _most_symbols(found.estate_cards), _most_favour(found)
    if symbols > 255:
        allowed = "cards with 255 symbols of an estate at most"
        root["estate_cards"].fault(f"up to {symbols} symbols of an estate in a hand", allowed)
    if favour > 9999:
        root.fault(f"up to {favour} favour for a player", "effects, bonuses and points that come to 9999 at most")


def _component_set(root: Reader) -> ComponentSet:
    """The whole set; goods, estates and companions come before the pieces that name them."""
    names: _Names = root.context
    root.keys([field.name for field in fields(ComponentSet)])
    name, version = root["name"].name(_SET_NAME), root["version"].whole(FORMAT_VERSION, FORMAT_VERSION)
    names.goods = flawless(4, 4, _colour, "different names")(root["goods"])
    _no_beginnings(root["goods"].at(index) for index in range(len(names.goods)))
    names.estates = flawless(3, 3, _id, "different names")(root["estates"])
    companions = listing(1, MOST_TOKENS, _companion, "companions", ["id"])(root["companions"])
    ids = tuple(companion.id for companion in companions)
    names.companions = () if "" in ids else ids
    tokens, easy_tokens = _all_tokens(root)
    found = ComponentSet(
        name=name,
        version=version,
        goods=names.goods,
        estates=names.estates,
        tokens=tokens,
        easy_tokens=easy_tokens,
        start=_start(root["start"]),
        scoring=_scoring(root["scoring"]),
        estate_cards=_estate_cards(root["estate_cards"]),
        towns=_towns(root["towns"]),
        warehouse_tiles=listing(6, 6, _warehouse_tile, "tiles", ["id"])(root["warehouse_tiles"]),
        companions=companions,
        automa_cards=listing(1, 16, _automa_card, "cards", ["id"])(root["automa_cards"]),
    )
    if not root.faults:
        _fits_the_engine(root, found)
    return found
