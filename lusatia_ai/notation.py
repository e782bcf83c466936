"""Moves and chance objects as text and JSON (formats.md, "Position" and "Chance objects")."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ._core import StateCore
from ._tables import Move, Tables
from .components import POOLS
from .contradictions import NONE
from .errors import Fault, IllegalMoveError, NotationError
from .position import CHANCE_EVENTS, mask_of, names_in
from .reading import ID, Reader, cut, one_of, shown

_PATTERNS = {
    "go": "go:TOWN:POSITION, such as go:{town}:0",
    "raise": "raise:BID with a bid from 1 to 12, such as raise:5",
    "accept": "accept",
    "pass": "pass",
    "collect": "collect:SIDES with ascending sides 0-5, such as collect:0235",
    "grey": "grey:ESTATE, such as grey:{estate}",
    "produce": "produce:COLOUR, such as produce:{good}",
    "farmer": "farmer:COLOUR, such as farmer:{good}",
    "merchant": "merchant:GIVEN>TAKEN with two colours, such as merchant:{good}>{other}",
    "row": "row:WAREHOUSE:ROW with estate or royal and a row from 1, such as row:royal:1",
    "chamberlain": "chamberlain:COLOUR, such as chamberlain:{good}",
    "card": "card:SYMBOLS, such as card:{symbols}",
    "hand_over": "hand_over:GUARDS, such as hand_over:2",
}


def parse_move(tables: Tables, text: str) -> Move:
    """The move that a text spells.

    Raises:
        NotationError: if no move of this component set is spelled so; the message shows how this kind is spelled.
    """
    move: Move | None = tables.moves.get(text)
    if move is not None:
        return move
    word = text.partition(":")[0]
    names = {
        "town": tables.towns[0],
        "estate": tables.estates[0],
        "good": tables.goods[0],
        "other": tables.goods[1],
        "symbols": tables.components.estate_cards.symbols[0],
    }
    town = text.split(":")[1] if text.count(":") == 2 else ""
    if word == "go" and town not in tables.towns and ID.fullmatch(town):
        allowed = f"go:TOWN:POSITION with {one_of(tables.towns)}"
        raise NotationError(f"bad notation {cut(text)!r}: no town {cut(town)!r}; allowed is {allowed}")
    if word in _PATTERNS:
        raise NotationError(f"bad notation {cut(text)!r}: allowed is {_PATTERNS[word].format(**names)}")
    raise NotationError(f"bad notation {cut(text)!r}: a move begins with one of {', '.join(_PATTERNS)}")


# --- chance objects ---------------------------------------------------------------------------------


def write_chance(tables: Tables, event: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The chance object of an outcome that the core has drawn."""
    if event == "automa_card":
        return {event: tables.cards[raw["pick"]]}
    if event == "automa_town":
        return {event: tables.towns[raw["pick"]]}
    if event == "setup":
        ring = [tables.towns[town] for town in raw["ring"]]
        return {event: {"ring": ring, "order": raw["order"], "display": names_in(tables.tokens, raw["display"])}}
    symbols = tables.components.estate_cards.symbols
    numbers = {town.id: town.number for town in tables.components.towns}
    drawn = {
        "besieged": sorted(names_in(tables.towns, raw["besieged"]), key=numbers.__getitem__),
        "fort": None if raw["fort"] == NONE else tables.towns[raw["fort"]],
        "tokens": {
            town: tables.tokens[token] for town, token in zip(tables.towns, raw["tokens"], strict=True) if token != NONE
        },
        "face_up": {
            str(number): tables.estates[estate] for number, estate in zip(symbols, raw["face_up"], strict=True)
        },
        "royal": tables.tiles[raw["tile"][1]],
        "estate": tables.tiles[raw["tile"][0]],
    }
    return {event: drawn}


def read_chance(state: StateCore, data: object) -> dict[str, Any]:
    """The raw outcome that a chance object gives for the pending event of `state`.

    Raises:
        NotationError: if it is no chance object at all.
        IllegalMoveError: if this outcome is not possible here.
    """
    event = _event_of(data)
    if event != state.chance_event:
        waits = f"the chance event {state.chance_event}" if state.is_chance else _decision_words(state)
        raise IllegalMoveError(f"illegal chance event {event}: the position waits for {waits}")
    faults: list[Fault] = []
    reader = Reader(faults, data, "", "chance object")[event]
    raw = _READERS[event](state, reader)
    if faults:
        raise NotationError("bad chance object:" + _listed(map(str, faults)))
    problems = list(_PROBLEMS[event](state, raw))
    if problems:
        raise IllegalMoveError(f"illegal chance event {event}:{_listed(problems)}")
    return raw


def _listed(lines: Iterable[str]) -> str:
    """One line behind a space, several one below the other."""
    listed = list(lines)
    return f" {listed[0]}" if len(listed) == 1 else "".join(f"\n  {line}" for line in listed)


def _event_of(data: object) -> str:
    if not isinstance(data, Mapping) or len(data) != 1 or next(iter(data)) not in CHANCE_EVENTS:
        found = shown(data) if not isinstance(data, Mapping) else cut(json.dumps(list(data), default=str))
        raise NotationError(
            f"bad chance object {found}: allowed is an object with one key of {', '.join(CHANCE_EVENTS)}"
        )
    return str(next(iter(data)))


def _decision_words(state: StateCore) -> str:
    if state.is_over:
        return "nothing: the game is over"
    return f"a move: seat {state.seat_to_act} decides ({state.decision})"


def _read_setup(state: StateCore, reader: Reader) -> dict[str, Any]:
    tables = state.tables
    reader.keys(("ring", "order", "display"))
    ring = [entry.choice(tables.towns) for entry in reader["ring"].entries(6, 6, "towns")]
    reader["ring"].distinct()
    humans = tables.variant.humans
    order = [entry.whole(0, humans - 1) for entry in reader["order"].entries(humans, humans, "seats of humans")]
    reader["order"].distinct()
    size = 0 if tables.variant.easy else 2 * tables.variant.players
    pool = [token.id for token in tables.components.tokens if token.pool == POOLS[2]]
    display = [entry.choice(pool) for entry in reader["display"].entries(size, size, f"tokens of the pool {POOLS[2]}")]
    reader["display"].distinct()
    return {
        "ring": [tables.towns.index(town) for town in ring if town],
        "order": order,
        "display": mask_of(tables.tokens, display),
    }


def _read_round(state: StateCore, reader: Reader) -> dict[str, Any]:
    tables = state.tables
    symbols = [str(number) for number in tables.components.estate_cards.symbols]
    reader.keys(("besieged", "fort", "tokens", "face_up", "royal", "estate"))
    count = 6 - tables.variant.players
    besieged = [entry.choice(tables.towns) for entry in reader["besieged"].entries(count, count, "towns")]
    reader["besieged"].distinct()
    if count:
        reader["fort"].null("with fewer than six players")
        fort = ""
    else:
        fort = reader["fort"].choice(tables.towns)
    open_towns = [town for town in tables.towns if town not in besieged]
    reader["tokens"].keys(open_towns)
    pool, refill = drawable_tokens(state)
    drawable = names_in(tables.tokens, pool | refill)
    tokens = {town: reader["tokens"][town].choice(tables.tokens, told=drawable) for town in open_towns}
    reader["face_up"].keys(symbols)
    face_up = [reader["face_up"][key].choice(tables.estates) for key in symbols]
    tiles = [reader[name].choice(tables.tiles) for name in ("estate", "royal")]
    return {
        "besieged": mask_of(tables.towns, besieged),
        "fort": tables.towns.index(fort) if fort else NONE,
        "tokens": [_index_or_none(tables.tokens, tokens.get(town, "")) for town in tables.towns],
        "face_up": [_index_or_none(tables.estates, estate) for estate in face_up],
        "tile": [_index_or_none(tables.tiles, tile) for tile in tiles],
    }


def _read_automa_town(state: StateCore, reader: Reader) -> dict[str, Any]:
    return {"pick": _index_or_none(state.tables.towns, reader.choice(state.tables.towns))}


def _read_automa_card(state: StateCore, reader: Reader) -> dict[str, Any]:
    return {"pick": _index_or_none(state.tables.cards, reader.choice(state.tables.cards))}


def _index_or_none(names: Sequence[str], name: str) -> int:
    return names.index(name) if name else NONE


def _round_problems(state: StateCore, raw: Mapping[str, Any]) -> Iterator[str]:
    """Why the pools do not allow this round."""
    tables, now = state.tables, state.raw()
    yield from _token_problems(state, [token for token in raw["tokens"] if token != NONE])
    for deck, estate in enumerate(raw["face_up"]):
        if not now["decks"][deck][estate]:
            symbols = tables.components.estate_cards.symbols[deck]
            yield f"the deck of {symbols} symbols has no card of {tables.estates[estate]} left"
    if raw["tile"][0] == raw["tile"][1]:
        yield f"{tables.tiles[raw['tile'][0]]} cannot lie in both warehouses"
    for tile in sorted(set(raw["tile"])):
        if not now["tiles_left"] >> tile & 1:
            left = ", ".join(names_in(tables.tiles, now["tiles_left"]))
            yield f"{tables.tiles[tile]} has been used in this half of the game; left are {left}"


def _token_problems(state: StateCore, tokens: list[int]) -> Iterator[str]:
    tables = state.tables
    pool, refill = drawable_tokens(state)
    if len(set(tokens)) < len(tokens):
        yield "a token lies on two towns"
    short = bin(pool).count("1") < len(tokens)
    allowed = pool | (refill if short else 0)
    for token in sorted(set(tokens)):
        if not allowed >> token & 1:
            left = ", ".join(names_in(tables.tokens, allowed))
            yield f"the token {tables.tokens[token]} is not among those still to be drawn: {left}"
    if short and pool & ~sum(1 << token for token in set(tokens)):
        yield "the rest of the bag must be drawn before the used pile is (rules 2.5)"


def drawable_tokens(state: StateCore) -> tuple[int, int]:
    """Masks of the tokens that this round may draw, and of those that come next if they do not suffice (rules 2.5)."""
    tables, now = state.tables, state.raw()
    if tables.variant.easy:
        return now["token_pool"], now["easy_used"]
    of_round = POOLS[(now["round"] - 1) // 2]
    names = [token.id for token in tables.components.tokens if token.pool == of_round]
    return now["token_pool"] & mask_of(tables.tokens, names), 0


def _automa_town_problems(state: StateCore, raw: Mapping[str, Any]) -> Iterator[str]:
    if not state.towns_for_automa() >> raw["pick"] & 1:
        yield f"{state.tables.towns[raw['pick']]} is closed to the automa (rules 9.2)"


def _automa_card_problems(state: StateCore, raw: Mapping[str, Any]) -> Iterator[str]:
    if not state.raw()["automa_deck"] >> raw["pick"] & 1:
        card = state.tables.cards[raw["pick"]]
        yield f"{card} is not in the deck: it comes again when the deck is shuffled (rules 9.1)"


_READERS: dict[str, Callable[[StateCore, Reader], dict[str, Any]]] = {
    "setup": _read_setup,
    "round": _read_round,
    "automa_town": _read_automa_town,
    "automa_card": _read_automa_card,
}
_PROBLEMS: dict[str, Callable[[StateCore, Mapping[str, Any]], Iterable[str]]] = {
    "setup": lambda state, raw: (),
    "round": _round_problems,
    "automa_town": _automa_town_problems,
    "automa_card": _automa_card_problems,
}
