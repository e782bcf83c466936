"""Positions as JSON: writing them, and reading them strictly (formats.md, "Position" and "Player's view").

Reading goes in three steps, each of which runs only if the one before found no fault: the shape (keys, types, names,
ranges), then the agreement of the parts (`contradictions.py`), then the self-check of the core.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ._core import DECISIONS, STAGES
from ._tables import WAREHOUSES, Tables
from .components import POOLS, ComponentSet, builtin, builtin_names
from .contradictions import NONE, ROAD, Situation, find_contradictions
from .errors import ComponentError, Fault, PositionError, VariantError
from .reading import Reader
from .rules import Variant

CHANCE_EVENTS = DECISIONS[10:14]
MOST_FAVOUR = 9999
MOST_GUARDS = 9999
MOST_GOODS = 60
MOST_HAND_OVERS = 36

Raw = dict[str, Any]


@lru_cache(maxsize=64)
def compile_tables(components: ComponentSet, variant: Variant) -> Tables:
    """The core's tables for a component set and a variant; the same object for equal arguments.

    Raises:
        VariantError: if the variant gives a side to a town that the component set does not have.
    """
    faults: list[Fault] = []
    _check_sides(Reader(faults, variant.sides, "sides", "variant"), components)
    if faults:
        raise VariantError(faults)
    return Tables(components, variant)


def parse_json(text: str | bytes, what: str = "position") -> Any:
    """Parse JSON strictly: no NaN, no key twice, no nesting beyond reason.

    Raises:
        PositionError: where the text is no such JSON, with line and column.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        return json.loads(text, object_pairs_hook=_distinct_keys, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise PositionError([Fault(place, error.msg, f"a {what} as JSON")]) from None
    except UnicodeDecodeError as error:
        raise PositionError([Fault(f"byte {error.start}", "no UTF-8", f"a {what} as JSON in UTF-8")]) from None
    except RecursionError:
        raise PositionError([Fault(what, "nesting without end", f"a {what} as JSON")]) from None
    except ValueError as error:
        raise PositionError([Fault(what, str(error), f"a {what} as JSON")]) from None


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice!r} twice in one object")
    return result


def _no_constant(name: str) -> float:
    raise ValueError(f"{name}, which is no JSON")


@lru_cache(maxsize=64)
def _pools_of(tables: Tables) -> Mapping[str, tuple[str, ...]]:
    """The tokens of each pool; none in the easy game."""
    tokens = () if tables.variant.easy else tables.components.tokens
    return {pool: tuple(token.id for token in tokens if token.pool == pool) for pool in POOLS}


# --- writing --------------------------------------------------------------------------------------


def write_components(components: ComponentSet) -> str | dict[str, Any]:
    """The name of a built-in set, any other set as an object."""
    if components.name in builtin_names() and builtin(components.name) == components:
        return components.name
    return components.to_dict()


def write_position(tables: Tables, raw: Raw) -> dict[str, Any]:
    """The position with these raw fields as formats.md spells it."""
    writer = _Writer(tables, raw)
    return {
        "format": "lusatia-position",
        "version": 1,
        "components": write_components(tables.components),
        "variant": tables.variant.to_json(),
        "ring": writer.ring(),
        "round": raw["round"],
        "stage": STAGES[raw["stage"]],
        "order": None if raw["stage"] == 0 else raw["order"],
        "besieged": writer.besieged(),
        "fort": writer.name(tables.towns, raw["fort"]),
        "tokens": {
            town: tables.tokens[token]
            for town, token in zip(tables.towns, raw["town_token"], strict=True)
            if token != NONE
        },
        "warehouses": writer.warehouses(),
        "face_up": {
            symbols: writer.name(tables.estates, estate)
            for symbols, estate in zip(writer.symbols, raw["face_up"], strict=True)
        },
        "pools": writer.pools(),
        "players": [writer.player(index) for index in range(tables.variant.players)],
        "to_act": writer.to_act(),
        "turn": writer.turn(),
    }


@dataclass(frozen=True, slots=True)
class _Writer:
    """The parts of a position, from its raw fields."""

    tables: Tables
    raw: Raw

    @property
    def symbols(self) -> list[str]:
        return [str(symbols) for symbols in self.tables.components.estate_cards.symbols]

    @staticmethod
    def name(names: tuple[str, ...], index: int) -> str | None:
        return None if index == NONE else names[index]

    def ring(self) -> list[dict[str, str]] | None:
        if self.raw["stage"] == 0:
            return None
        towns = [self.tables.towns[town] for town in self.raw["ring"]]
        return [{"town": town, "side": self.tables.variant.side_of(town)} for town in towns]

    def besieged(self) -> list[str]:
        numbers = {town.id: town.number for town in self.tables.components.towns}
        return sorted(names_in(self.tables.towns, self.raw["besieged"]), key=numbers.__getitem__)

    def warehouses(self) -> dict[str, Any] | None:
        if self.raw["tile"][0] == NONE:
            return None
        return {name: self._warehouse(index) for index, name in enumerate(WAREHOUSES)}

    def _warehouse(self, index: int) -> dict[str, Any]:
        tile = self.tables.tiles[self.raw["tile"][index]]
        rows = rows_of(self.tables, self.raw["tile"][index], self.raw["tile_side"])
        masks = self.raw["filled"][4 * index : 4 * index + len(rows)]
        filled = [
            [bool(mask >> slot & 1) for slot in range(len(row.slots))] for mask, row in zip(masks, rows, strict=True)
        ]
        return {"tile": tile, "side": self.raw["tile_side"] + 1, "filled": filled}

    def pools(self) -> dict[str, Any]:
        tables, raw = self.tables, self.raw
        undrawn = names_in(tables.tokens, raw["token_pool"])
        return {
            "tokens": {pool: [id for id in undrawn if id in names] for pool, names in _pools_of(tables).items()},
            "easy_bag": undrawn if tables.variant.easy else [],
            "easy_used": names_in(tables.tokens, raw["easy_used"]),
            "warehouse_tiles": names_in(tables.tiles, raw["tiles_left"]),
            "estate_cards": {
                symbols: dict(zip(tables.estates, deck, strict=True))
                for symbols, deck in zip(self.symbols, raw["decks"], strict=True)
            },
            "grey_cards": dict(zip(tables.estates, raw["grey"], strict=True)),
            "automa_cards": names_in(tables.cards, raw["automa_deck"]),
        }

    def player(self, index: int) -> dict[str, Any]:
        tables, raw = self.tables, self.raw
        human = index < tables.variant.humans
        player: dict[str, Any] = {"kind": "human" if human else "automa"}
        if human or tables.variant.score_automas:
            player["favour"] = raw["favour"][index]
        player["goods"] = dict(zip(tables.goods, raw["goods"][index], strict=True))
        player["wagon"] = self._wagon(index)
        if human:
            player["guards"] = raw["guards"][index]
            player["estates"] = dict(zip(tables.estates, raw["estates"][index], strict=True))
            player["companions"] = [tables.tokens[token] for token in raw["companions"][index]]
            halves = raw["horses"][index]
            player["horses"] = halves / 2 if halves % 2 else halves // 2
        return player

    def _wagon(self, index: int) -> dict[str, Any] | None:
        if self.raw["wagon"][index] == NONE:
            return None
        position = self.raw["position"][index]
        town = self.tables.towns[self.raw["wagon"][index]]
        return {"town": town, "position": None if position == ROAD else position}

    def to_act(self) -> dict[str, Any] | None:
        raw = self.raw
        decision = DECISIONS[raw["decision"]]
        if decision == "over":
            return None
        if decision in CHANCE_EVENTS:
            chance = {"seat": None, "decision": "chance", "event": decision}
            return chance | {"automa": raw["seat"]} if decision.startswith("automa") else chance
        to_act: dict[str, Any] = {"seat": raw["seat"], "decision": decision}
        if decision in ("produce", "farmer", "merchant", "hand_over"):
            to_act["token"] = self.tables.tokens[raw["token"]]
        elif decision == "collect":
            to_act["town"] = self.tables.towns[raw["wagon"][raw["seat"]]]
        elif decision == "card":
            to_act["bonus"] = raw["pending_card"]
        elif decision == "respond":
            town = self.tables.towns[raw["wagon"][raw["seat"]]]
            to_act |= {"town": town, "rival": raw["rival"], "bid": raw["position"][raw["rival"]]}
        return to_act

    def turn(self) -> dict[str, Any]:
        raw = self.raw
        evicted = None
        if raw["evicted_from"] != NONE:
            evicted = {"seat": raw["seat"], "from": self.tables.towns[raw["evicted_from"]]}
        return {
            "used": names_in(self.tables.tokens, raw["used"]),
            "to_place": raw["to_place"],
            "evicted": evicted,
            "storing_order": raw["storing_order"] if STAGES[raw["stage"]] == "storing" else [],
            "next_chooser": raw["next_chooser"],
            "pending_card": None if raw["pending_card"] == NONE else raw["pending_card"],
            "grey_left": raw["grey_left"],
        }


def names_in(names: tuple[str, ...], mask: int) -> list[str]:
    """The names whose bits are set, in plain string order."""
    return [name for index, name in enumerate(names) if mask >> index & 1]


def rows_of(tables: Tables, tile: int, side: int) -> Any:
    """The rows of a warehouse tile, top first."""
    entry = next(entry for entry in tables.components.warehouse_tiles if entry.id == tables.tiles[tile])
    return entry.side_2 if side else entry.side_1


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoadedPosition:
    """What a position's JSON says.

    Attributes:
        tables: of its components and variant.
        raw: its raw fields; hidden guards and estates are 0 there.
        view: the seat whose view it is, or None for a full position.
        hidden_guards: for each seat whose guards are hidden, the range in which they lie.
        hidden_estates: the seats whose estate symbols are hidden.
    """

    tables: Tables
    raw: Raw
    view: int | None
    hidden_guards: dict[int, tuple[int, int]]
    hidden_estates: tuple[int, ...]


_KEYS = [
    "format",
    "version",
    "components",
    "variant",
    "ring",
    "round",
    "stage",
    "order",
    "besieged",
    "fort",
    "tokens",
    "warehouses",
    "face_up",
    "pools",
    "players",
    "to_act",
    "turn",
]
_HUMAN_KEYS = ["kind", "favour", "guards", "estates", "companions", "goods", "horses", "wagon"]
_EXTRA_KEYS = {
    "produce": ("token",),
    "respond": ("town", "rival", "bid"),
    "collect": ("town",),
    "farmer": ("token",),
    "merchant": ("token",),
    "card": ("bonus",),
    "hand_over": ("token",),
}


def read_position(data: object) -> LoadedPosition:
    """Read a position or a view.

    Raises:
        PositionError: with all faults of the first step that finds any.
    """
    faults: list[Fault] = []
    root = Reader(faults, data, "", "position")
    root.keys((*_KEYS, "view", *(["hand_overs_shown"] if root.has("view") else [])))
    if not isinstance(data, Mapping):
        raise PositionError(faults)
    root["format"].choice(["lusatia-position"])
    root["version"].whole(1, 1)
    tables = _read_tables(root)
    if tables is None:
        raise PositionError(faults)
    shape = _Shape(tables, root)
    raw = shape.read()
    if not faults:
        hands = shape.hidden_guards, frozenset(shape.hidden_estates)
        faults += find_contradictions(Situation(tables, raw, data, *hands))
    if faults:
        raise PositionError(faults)
    return LoadedPosition(tables, raw, shape.view, shape.hidden_guards, tuple(shape.hidden_estates))


def _read_tables(root: Reader) -> Tables | None:
    components = read_components(root["components"])
    variant = read_variant(root["variant"], components)
    return compile_tables(components, variant) if components is not None and variant is not None else None


def read_components(reader: Reader) -> ComponentSet | None:
    """A component set by its name, or as an object."""
    if isinstance(reader.value, Mapping):
        try:
            return ComponentSet.from_dict(reader.value, reader.place)
        except ComponentError as error:
            reader.faults.extend(error.faults)
            return None
    name = reader.choice(builtin_names(), or_else=", or a component set as an object")
    return builtin(name) if name else None


def read_variant(reader: Reader, components: ComponentSet | None) -> Variant | None:
    """A variant whose `sides` name only towns of the component set."""
    faults = len(reader.faults)
    variant = Variant.read(reader)
    if variant is not None and components is not None:
        _check_sides(reader["sides"], components)
    return variant if len(reader.faults) == faults else None


def _check_sides(reader: Reader, components: ComponentSet) -> None:
    """Sides by town may name only towns of the component set."""
    if isinstance(reader.value, Mapping):
        reader.keys([town.id for town in components.towns])


class _Shape:
    """Reads the raw fields of a position, noting whatever is malformed; values that are malformed become 0 or empty."""

    def __init__(self, tables: Tables, root: Reader) -> None:
        self.tables = tables
        self.root = root
        self.humans = tables.variant.humans
        self.players = tables.variant.players
        self.view: int | None = root["view"].whole(0, self.humans - 1) if root.has("view") else None
        self.hidden_guards: dict[int, tuple[int, int]] = {}
        self.hidden_estates: list[int] = []

    def read(self) -> Raw:
        root = self.root
        stage = root["stage"].choice(STAGES)
        raw: Raw = {"stage": STAGES.index(stage or "setup"), "round": root["round"].whole(0, 6)}
        before_setup = stage == "setup" or (not stage and root["ring"].is_null())
        raw["ring"] = self._ring(root["ring"], before_setup)
        raw["order"] = self._order(root["order"], before_setup)
        raw["besieged"] = self._besieged(root["besieged"])
        raw["fort"] = self._optional(root["fort"], self.tables.towns)
        raw["town_token"] = self._town_tokens(root["tokens"])
        raw |= self._warehouses(root["warehouses"], raw["round"])
        raw["face_up"] = self._face_up(root["face_up"])
        raw |= self._pools(root["pools"])
        raw |= self._players(root["players"])
        raw |= self._to_act(root["to_act"])
        self._find_rival(raw)
        raw |= self._turn(root["turn"])
        if root.has("hand_overs_shown") and self.view is not None:
            final = stage == "final_scoring"
            raw["judged_after"] = root["hand_overs_shown"].whole(0, MOST_HAND_OVERS if final else 0)
        return raw

    def _ring(self, reader: Reader, before_setup: bool) -> list[int]:
        if before_setup:
            reader.null("before set-up")
            return [0] * 6
        ring = []
        for entry in reader.entries(6, 6, "towns with their sides"):
            entry.keys(("town", "side"))
            town = entry["town"].choice(self.tables.towns)
            side = self.tables.variant.side_of(town)
            if town and entry["side"].choice(("light", "dark")) not in ("", side):
                entry["side"].reject(f"{side}, as the variant says")
            ring.append(self._index(self.tables.towns, town))
        reader.distinct("town")
        return ring + [0] * (6 - len(ring))

    def _order(self, reader: Reader, before_setup: bool) -> list[int]:
        if before_setup:
            reader.null("before set-up")
            return [0] * self.humans
        return self._seats(reader, self.humans, self.humans)

    def _seats(self, reader: Reader, low: int, high: int) -> list[int]:
        """Distinct human seats."""
        seats = [entry.whole(0, self.humans - 1) for entry in reader.entries(low, high, "seats of humans")]
        reader.distinct()
        return seats + [0] * (low - len(seats))

    def _besieged(self, reader: Reader) -> int:
        entries = reader.entries(0, 3, "besieged towns")
        towns = [entry.choice(self.tables.towns) for entry in entries]
        reader.distinct()
        numbers = {town.id: town.number for town in self.tables.components.towns}
        if all(towns) and towns != sorted(towns, key=numbers.__getitem__):
            reader.fault(", ".join(towns), "towns sorted by their numbers")
        return mask_of(self.tables.towns, towns)

    def _town_tokens(self, reader: Reader) -> list[int]:
        reader.keys(self.tables.towns)
        return [
            self._index(self.tables.tokens, reader[town].choice(self.tables.tokens)) if reader.has(town) else NONE
            for town in self.tables.towns
        ]

    def _warehouses(self, reader: Reader, round_: int) -> Raw:
        side = int(round_ > 3)
        raw: Raw = {"tile": [NONE, NONE], "tile_side": side, "filled": [0] * 8}
        if reader.is_null():
            return raw
        reader.keys(WAREHOUSES)
        for index, name in enumerate(WAREHOUSES):
            entry = reader[name]
            entry.keys(("tile", "side", "filled"))
            tile = entry["tile"].choice(self.tables.tiles)
            entry["side"].whole(side + 1, side + 1)
            if tile:
                raw["tile"][index] = self.tables.tiles.index(tile)
                raw["filled"][4 * index : 4 * index + 4] = self._filled(entry["filled"], raw["tile"][index], side)
        return raw

    def _filled(self, reader: Reader, tile: int, side: int) -> list[int]:
        rows = rows_of(self.tables, tile, side)
        masks = [0] * 4
        for index, entry in enumerate(reader.entries(len(rows), len(rows), "rows")):
            slots = len(rows[index].slots)
            for slot, flag in enumerate(entry.flags(slots, "slots")):
                masks[index] |= flag << slot
        return masks

    def _face_up(self, reader: Reader) -> list[int]:
        symbols = [str(symbols) for symbols in self.tables.components.estate_cards.symbols]
        reader.keys(symbols)
        return [self._optional(reader[key], self.tables.estates) for key in symbols]

    def _pools(self, reader: Reader) -> Raw:
        tables = self.tables
        easy = tables.variant.easy
        reader.keys(
            ["tokens", "easy_bag", "easy_used", "warehouse_tiles", "estate_cards", "grey_cards", "automa_cards"]
        )
        reader["tokens"].keys(POOLS)
        undrawn = reader["easy_bag"].ids(tables.tokens if easy else (), "easy tokens")
        for pool, names in _pools_of(tables).items():
            undrawn += reader["tokens"][pool].ids(names, "tokens of this pool")
        cards = tables.components.estate_cards
        symbols = [str(symbols) for symbols in cards.symbols]
        reader["estate_cards"].keys(symbols)
        return {
            "token_pool": mask_of(tables.tokens, undrawn),
            "easy_used": mask_of(tables.tokens, reader["easy_used"].ids(tables.tokens if easy else (), "easy tokens")),
            "tiles_left": mask_of(tables.tiles, reader["warehouse_tiles"].ids(tables.tiles, "warehouse tiles")),
            "decks": [
                reader["estate_cards"][key].wholes(tables.estates, 0, cards.copies_per_estate) for key in symbols
            ],
            "grey": reader["grey_cards"].wholes(tables.estates, 0, cards.grey_copies_per_estate),
            "automa_deck": mask_of(
                tables.cards,
                reader["automa_cards"].ids(tables.cards if tables.variant.automas else (), "automa cards"),
            ),
        }

    def _players(self, reader: Reader) -> Raw:
        raw: Raw = {
            key: [] for key in ["favour", "guards", "estates", "companions", "goods", "horses", "wagon", "position"]
        }
        for index, entry in enumerate(reader.entries(self.players, self.players, "players")):
            human = index < self.humans
            for key, value in (self._human(entry, index) if human else self._automa(entry)).items():
                raw[key].append(value)
            wagon = entry["wagon"]
            town, position = self._wagon(wagon)
            raw["wagon"].append(town)
            raw["position"].append(position)
            raw["goods"].append(entry["goods"].wholes(self.tables.goods, 0, MOST_GOODS))
        return raw

    def _human(self, entry: Reader, index: int) -> Raw:
        hidden = self.view is not None and self.view != index
        entry.keys(_HUMAN_KEYS + ["guards_range"] * hidden)
        entry["kind"].choice(["human"])
        guards, estates, companions = entry["guards"], entry["estates"], entry["companions"]
        if hidden and estates.is_null():
            self.hidden_estates.append(index)
        if hidden and guards.is_null():
            self.hidden_guards[index] = self._guards_range(entry)
        elif entry.has("guards_range"):
            entry["guards_range"].fault("a range", "no range where the guards are known")
        names = () if self.tables.variant.easy else self.tables.tokens
        tokens = [token.choice(names) for token in companions.entries(0, 6, "companions")]
        companions.distinct()
        return {
            "favour": entry["favour"].whole(0, MOST_FAVOUR),
            "guards": 0 if index in self.hidden_guards else guards.whole(0, MOST_GUARDS),
            "estates": [0] * 3 if index in self.hidden_estates else estates.wholes(self.tables.estates, 0, 255),
            "companions": [self.tables.tokens.index(token) for token in tokens if token],
            "horses": entry["horses"].halves(0, 100),
        }

    def _guards_range(self, entry: Reader) -> tuple[int, int]:
        if not entry.has("guards_range"):
            return 0, MOST_GUARDS
        bounds = [bound.whole(0, MOST_GUARDS) for bound in entry["guards_range"].entries(2, 2, "bounds")]
        if len(bounds) == 2 and bounds[0] > bounds[1]:
            entry["guards_range"].fault(f"{bounds[0]} before {bounds[1]}", "the lower bound first")
        return (bounds[0], bounds[1]) if len(bounds) == 2 else (0, MOST_GUARDS)

    def _automa(self, entry: Reader) -> Raw:
        scored = self.tables.variant.score_automas
        entry.keys(["kind", "goods", "wagon"] + ["favour"] * scored)
        entry["kind"].choice(["automa"])
        favour = entry["favour"].whole(0, MOST_FAVOUR) if scored else 0
        return {"favour": favour, "guards": 0, "estates": [0] * 3, "companions": [], "horses": 0}

    def _wagon(self, reader: Reader) -> tuple[int, int]:
        if reader.is_null():
            return NONE, ROAD
        reader.keys(("town", "position"))
        town = self._index(self.tables.towns, reader["town"].choice(self.tables.towns))
        if reader["position"].is_null():
            return town, ROAD
        return town, reader["position"].whole(0, 12)

    def _to_act(self, reader: Reader) -> Raw:
        raw: Raw = {"decision": DECISIONS.index("over"), "seat": NONE, "rival": NONE, "token": NONE}
        if reader.is_null() or not reader.is_table(("seat", "decision", "null when the game is over")):
            return raw
        decision = reader["decision"].choice((*_MOVE_DECISIONS, "chance"))
        if decision == "chance":
            return raw | self._chance(reader)
        extra = _EXTRA_KEYS.get(decision, ())
        reader.keys(("seat", "decision", *extra))
        raw["seat"] = reader["seat"].whole(0, self.humans - 1)
        raw["decision"] = self._index(DECISIONS, decision)
        if "token" in extra:
            raw["token"] = self._index(self.tables.tokens, reader["token"].choice(self.tables.tokens))
        if "town" in extra:
            reader["town"].choice(self.tables.towns)
        if "rival" in extra:
            raw["rival"] = reader["rival"].whole(0, self.players - 1)
            reader["bid"].whole(0, 12)
        if "bonus" in extra:
            reader["bonus"].whole(0, 20)
        return raw

    def _chance(self, reader: Reader) -> Raw:
        event = reader["event"].choice(CHANCE_EVENTS)
        automa = event.startswith("automa")
        reader.keys(("seat", "decision", "event") + ("automa",) * automa)
        reader["seat"].null("at a chance event")
        raw = {"decision": self._index(DECISIONS, event)}
        if not automa:
            return raw
        if not self.tables.variant.automas:
            reader["event"].reject("an event of a game with automas")
            return raw
        raw["seat"] = reader["automa"].whole(self.humans, self.players - 1)
        return raw

    def _find_rival(self, raw: Raw) -> None:
        """An automa that answers stands on a counter, below a human: the other party of the conflict."""
        automa = raw["seat"]
        if DECISIONS[raw["decision"]] != "automa_card" or not self.humans <= automa < len(raw["position"]):
            return
        if raw["position"][automa] != ROAD:
            above = [
                human
                for human in range(self.humans)
                if raw["wagon"][human] == raw["wagon"][automa] and raw["position"][human] > raw["position"][automa]
            ]
            raw["rival"] = above[0] if above else NONE

    def _turn(self, reader: Reader) -> Raw:
        reader.keys(["used", "to_place", "evicted", "storing_order", "next_chooser", "pending_card", "grey_left"])
        evicted, pending = reader["evicted"], reader["pending_card"]
        raw: Raw = {"evicted_from": NONE}
        if not evicted.is_null():
            evicted.keys(("seat", "from"))
            evicted["seat"].whole(0, self.humans - 1)
            raw["evicted_from"] = self._index(self.tables.towns, evicted["from"].choice(self.tables.towns))
        tokens = () if self.tables.variant.easy else self.tables.tokens
        raw["used"] = mask_of(self.tables.tokens, reader["used"].ids(tokens, "tokens"))
        to_place = reader["to_place"].entries(0, self.players - 1, "players")
        raw["to_place"] = [entry.whole(0, self.players - 1) for entry in to_place]
        reader["to_place"].distinct()
        order = reader["storing_order"]
        raw["storing_order"] = [0] * self.humans if order.value == [] else self._seats(order, self.humans, self.humans)
        raw["next_chooser"] = reader["next_chooser"].whole(0, self.humans - 1)
        raw["pending_card"] = NONE if pending.is_null() else pending.whole(0, 20)
        raw["grey_left"] = reader["grey_left"].whole(0, 6)
        return raw

    @staticmethod
    def _index(names: tuple[str, ...], name: str) -> int:
        return names.index(name) if name else 0

    def _optional(self, reader: Reader, names: tuple[str, ...]) -> int:
        """The index of a name, NONE for null."""
        if reader.is_null():
            return NONE
        return self._index(names, reader.choice(names, or_else=", or null"))


_MOVE_DECISIONS = DECISIONS[:10]


def mask_of(names: tuple[str, ...], chosen: Iterable[str]) -> int:
    """A mask with the bits of these names; empty names are passed over."""
    bits = _bits_of(names)
    mask = 0
    for name in chosen:
        mask |= bits.get(name, 0)
    return mask


@lru_cache(maxsize=256)
def _bits_of(names: tuple[str, ...]) -> Mapping[str, int]:
    return {name: 1 << index for index, name in enumerate(names)}
