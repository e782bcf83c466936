"""A position as a person reads it: the board as text, decisions and moves in words.

Everything here reads the JSON of a position (formats.md, "Position"), so that a view with hidden hands is shown in the
same way. The positions must be valid: whoever has one from outside loads it first.

This module goes from small to large: words, the board, tables, and the console that prints them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from io import StringIO
from typing import IO, TYPE_CHECKING, Any

from rich.align import Align
from rich.box import ROUNDED
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from .components import Companion, ComponentSet, EasyToken, Effects, Row, Slot, Token, Town, Yield, builtin

if TYPE_CHECKING:
    from .perft import Bench
    from .search import SearchResult

Position = Mapping[str, Any]

ARROWS = "↑↗↘↓↙↖"
"""The six sides of a tile, clockwise from the top, as arrows that point at them."""

ROMAN = {1: "I", 2: "II"}
NARROWEST, WIDEST = 80, 120
ROOMY = 98
"""From so many columns on, warehouses stand side by side, and gaps are wider."""
MOST = 12
"""The highest position of a guard counter."""

_GOODS_STYLES = {"green": "green", "blue": "bright_blue", "red": "red", "yellow": "yellow"}
_SEAT_STYLES = ("bold cyan", "bold magenta", "bold dark_orange", "bold bright_white", "bold hot_pink", "bold tan")
_STAGES = {
    "setup": "before set-up",
    "round_setup": "round set-up",
    "town_selection": "town selection",
    "tax_collection": "tax collection",
    "storing": "storing",
    "final_scoring": "final scoring",
    "game_over": "game over",
}
_CLEARED = ("final_scoring", "game_over")  # nothing on the table matters any more
_TOKEN_STAGES = {
    "1": "round set-up",
    "2": "town selection",
    "3": "reordering",
    "4": "tax collection",
    "5": "storing",
    "6": "clean-up",
    "immediate": "at once",
    "final": "at the end",
}


# --- words ------------------------------------------------------------------------------------------


def title(name: str) -> str:
    """An id as a title: `kings_jester` is King's Jester, `captain_of_the_guard` Captain of the Guard."""
    words = name.replace("kings_", "king's_").replace("_in_waiting", "-in-Waiting").split("_")
    return " ".join(
        word if at and word in ("of", "the") else word[:1].upper() + word[1:] for at, word in enumerate(words)
    )


def counted(amount: int, singular: str, plural: str = "") -> str:
    """`1 guard`, `2 guards`."""
    return f"{amount} {singular if amount == 1 else plural or singular + 's'}"


def yields(kind: str, amount: int) -> str:
    """An amount of guards, horses or pieces of a colour: `1 guard`, `2 blue`."""
    return counted(amount, kind[:-1]) if kind in ("guards", "horses") else f"{amount} {kind}"


def player_name(position: Position, player: int, names: Sequence[str] | None = None) -> str:
    """What a player is called: by `names`, else `seat 0`, ... and `automa 4`, ..."""
    if names is not None:
        return names[player]
    return f"seat {player}" if position["players"][player]["kind"] == "human" else f"automa {player}"


def components_of(position: Position) -> ComponentSet:
    """The component set that a position names or holds."""
    components = position["components"]
    return builtin(components) if isinstance(components, str) else ComponentSet.from_dict(components)


def token_stage(companion: Companion) -> str:
    """When a companion works, by the label on its token."""
    return _TOKEN_STAGES[companion.stage]


def _per_item(bonuses: Mapping[str, int], each: str) -> str:
    return ", ".join(f"+{bonus} favour for each {name} {each}" for name, bonus in bonuses.items())


_EFFECTS: dict[str, Callable[[Any], str]] = {
    "estate_row_bonus": lambda n: f"+{n} favour whenever an estate row that you chose gets full",
    "grey_cards": lambda n: f"take {counted(n, 'grey estate card')}",
    "travel_discount": lambda n: f"each journey costs {counted(n, 'guard')} less, at least 1",
    "slowest_bonus": lambda n: f"+{n} favour if you are last in the storing order",
    "guard_for_good": lambda _: "once a round give a guard for a piece of any colour",
    "swap_good": lambda _: "once a round swap a piece for one of another colour",
    "occupy_at_one": lambda _: "enter a free town at 1 if you like",
    "half_horses": lambda n: f"+{n / 2:g} {'horse' if n <= 2 else 'horses'}",
    "recruit": lambda n: f"+{counted(n, 'guard')} at the end of each round",
    "zero_guard_bonus": lambda n: f"+{n} favour if your wagon stands at 0",
    "produce": lambda goods: f"one {' or '.join(goods)} piece each round",
    "skip_points": lambda n: f"once a round hand over a piece for {n} favour instead of choosing a row",
    "per_good": lambda bonuses: _per_item(bonuses, "piece that you store"),
    "extra_arrows": lambda n: f"collect from {counted(n, 'more side')} than the token has arrows",
    "per_four_arrow_token": lambda n: f"+{n} favour for each of your tokens with four arrows",
    "per_symbol": lambda bonuses: _per_item(bonuses, "symbol"),
    "points": lambda n: f"+{n} favour",
    "guards_for_points": lambda exchange: f"hand over up to {exchange.most} guards for {exchange.each} favour each",
    "per_dominated_estate": lambda n: f"+{n} favour for each estate in which nobody has more symbols",
    "per_poorer_player": lambda n: f"+{n} favour for each player with less favour",
}


def effect_words(effects: Effects) -> str:
    """What a companion does for its holder, in one line."""
    present = [(field.name, getattr(effects, field.name)) for field in fields(effects)]
    return "; ".join(_EFFECTS[name](value) for name, value in present if value) or "nothing"


def centre_words(token: EasyToken) -> str:
    """What the centre of an easy token gives."""
    return f"a grey card of {token.estate}" if token.centre is None else yields(token.centre.kind, token.centre.amount)


def token_words(components: ComponentSet, token_id: str) -> tuple[str, str]:
    """What a token is called, and what it does."""
    token = _by_id((*components.tokens, *components.easy_tokens), token_id)
    if isinstance(token, EasyToken):
        return title(token.id), f"also {centre_words(token)}"
    companion = components.companion_of(token)
    return title(companion.id), f"{token_stage(companion)}: {effect_words(companion.effects)}"


def decision_words(position: Position, names: Sequence[str] | None = None) -> str:
    """Who decides what, or what is to be drawn, in a sentence without a full stop."""
    to_act = position["to_act"]
    if to_act is None:
        return _ending(position, names)
    if to_act["decision"] == "chance":
        return _chance_words(position, to_act, names)
    who = player_name(position, to_act["seat"], names)
    return f"{who} {_DECISIONS[to_act['decision']](position, to_act, names)}"


def decision_sentence(position: Position, names: Sequence[str] | None = None) -> str:
    """`decision_words` from a capital letter to a full stop."""
    words = decision_words(position, names)
    return f"{words[:1].upper()}{words[1:]}."


def _ending(position: Position, names: Sequence[str] | None) -> str:
    humans = [(player["favour"], player["guards"] or 0) for player in position["players"] if player["kind"] == "human"]
    best = [player_name(position, seat, names) for seat, score in enumerate(humans) if score == max(humans)]
    return f"The game is over: {' and '.join(best)} {'wins' if len(best) == 1 else 'share the win'}"


def _chance_words(position: Position, to_act: Position, names: Sequence[str] | None) -> str:
    event = to_act["event"]
    if event == "setup":
        return "Chance sets up the game"
    if event == "round":
        return f"Chance sets up round {position['round']}"
    drawn = "a town" if event == "automa_town" else "an automa card"
    return f"Chance draws {drawn} for {player_name(position, to_act['automa'], names)}"


def _travel(position: Position, to_act: Position, names: Sequence[str] | None) -> str:
    evicted = position["turn"]["evicted"]
    return f"leaves {title(evicted['from'])} and chooses another town" if evicted else "chooses a town"


def _respond(position: Position, to_act: Position, names: Sequence[str] | None) -> str:
    rival = player_name(position, to_act["rival"], names)
    if to_act["bid"] == MOST:
        return f"must accept {rival}'s bid of {MOST} in {title(to_act['town'])}"
    return f"accepts {rival}'s bid of {to_act['bid']} in {title(to_act['town'])}, or raises"


def _of_token(words: str) -> Callable[[Position, Position, Sequence[str] | None], str]:
    def sentence(position: Position, to_act: Position, names: Sequence[str] | None) -> str:
        return words.format(token_words(components_of(position), to_act["token"])[0])

    return sentence


_DECISIONS: dict[str, Callable[[Position, Position, Sequence[str] | None], str]] = {
    "produce": _of_token("chooses the piece that the {} makes"),
    "travel": _travel,
    "respond": _respond,
    "collect": lambda position, to_act, names: f"turns the token in {title(to_act['town'])} and collects",
    "grey": lambda position, to_act, names: f"takes a grey estate card ({position['turn']['grey_left']} to take)",
    "farmer": _of_token("may give a guard for a piece ({})"),
    "merchant": _of_token("may swap a piece ({})"),
    "row": lambda position, to_act, names: "chooses a warehouse row",
    "card": lambda position, to_act, names: f"takes an estate card of at most {to_act['bonus']} symbols",
    "hand_over": _of_token("hands guards over for favour ({})"),
}


def move_words(position: Position, move: str, names: Sequence[str] | None = None) -> str:
    """What a legal move means in this position, as an order: `go to Zittau and stand at 0 (costs 2 guards)`."""
    kind, _, argument = move.partition(":")
    return _MOVES[kind](position, argument, names)


def _go_words(position: Position, argument: str, names: Sequence[str] | None) -> str:
    town, _, number = argument.partition(":")
    seat = position["to_act"]["seat"]
    cost = travel_cost(position, seat, town)
    way = f" ({counted(cost, 'guard')} for the way)" if cost else ""
    here = [player for player, at in _on_counter(position, town) if player != seat]
    if here:
        return f"go to {title(town)} and bid {number} against {player_name(position, here[0], names)}{way}"
    return f"go to {title(town)} and stand at {number}{way}"


def _accept_words(position: Position, argument: str, names: Sequence[str] | None) -> str:
    to_act = position["to_act"]
    return f"take {counted(to_act['bid'], 'guard')} and leave {title(to_act['town'])}"


def _collect_words(position: Position, argument: str, names: Sequence[str] | None) -> str:
    return ", ".join(yields(kind, amount) for kind, amount in collected(position, argument).items())


def _row_words(position: Position, argument: str, names: Sequence[str] | None) -> str:
    warehouse, _, number = argument.partition(":")
    row, filled = _rows(position, warehouse)[int(number) - 1]
    pieces = filling(position, warehouse, int(number))
    chooser, stored = position["to_act"]["seat"], []
    for player in dict.fromkeys(pieces.values()):
        slots = ", ".join(
            f"{row.slots[index].colour} for {row.slots[index].points}"
            for index, owner in pieces.items()
            if owner == player
        )
        stored.append(slots if player == chooser else f"{player_name(position, player, names)} {slots}")
    if len(pieces) + sum(filled) == len(row.slots):
        stored.append(f"full: +{row.bonus} favour" if warehouse == "royal" else f"full: a card of at most {row.bonus}")
    return f"fill {warehouse} row {number}: {'; '.join(stored)}"


def _chamberlain_words(position: Position, argument: str, names: Sequence[str] | None) -> str:
    components, player = components_of(position), position["players"][position["to_act"]["seat"]]
    unused = [token for token in player["companions"] if token not in position["turn"]["used"]]
    points = [components.companion_of(token).effects.skip_points for token in unused]
    return f"hand over a {argument} piece for {next(filter(None, points), 0)} favour"


def _hand_over_words(position: Position, argument: str, names: Sequence[str] | None) -> str:
    exchange = components_of(position).companion_of(position["to_act"]["token"]).effects.guards_for_points
    each = exchange.each if exchange else 0
    return f"hand over {counted(int(argument), 'guard')} for {int(argument) * each} favour"


def _merchant_words(position: Position, argument: str, names: Sequence[str] | None) -> str:
    given, _, taken = argument.partition(">")
    return f"swap a {given} piece for a {taken} one"


_MOVES: dict[str, Callable[[Position, str, Sequence[str] | None], str]] = {
    "produce": lambda position, argument, names: f"take a {argument} piece",
    "go": _go_words,
    "accept": _accept_words,
    "raise": lambda position, argument, names: f"raise to {argument}",
    "collect": _collect_words,
    "grey": lambda position, argument, names: f"take a grey card of {argument}",
    "farmer": lambda position, argument, names: f"give a guard for a {argument} piece",
    "merchant": _merchant_words,
    "pass": lambda position, argument, names: "pass",
    "row": _row_words,
    "chamberlain": _chamberlain_words,
    "card": lambda position, argument, names: f"take the card of {argument} {position['face_up'][argument]}",
    "hand_over": _hand_over_words,
}


def travel_cost(position: Position, seat: int, town: str) -> int:
    """Guards for the way of a seat to a town (rules 3.2), whether or not it can pay them."""
    wagon = position["players"][seat]["wagon"]
    if wagon is None:
        return 0
    ring = [entry["town"] for entry in position["ring"]]
    start, end = ring.index(wagon["town"]), ring.index(town)
    fort = ring.index(position["fort"]) if position["fort"] else None
    there, back = (end - start) % 6, (start - end) % 6
    clockwise = there + any((start + step) % 6 == fort for step in range(there))
    counterclockwise = back + any((end + step) % 6 == fort for step in range(back))
    components = components_of(position)
    companions = position["players"][seat]["companions"] if not position["variant"]["easy"] else ()
    discount = sum(components.companion_of(token).effects.travel_discount for token in companions)
    return max(1, (min(clockwise, counterclockwise) or 1) - discount)


def collected(position: Position, sides: str) -> dict[str, int]:
    """What the deciding seat gets by `collect:SIDES` (rules 5.3): amounts by kind, in a steady order."""
    components, town = components_of(position), position["to_act"]["town"]
    gains = [side for index, side in enumerate(sides_of(position, town)) if str(index) in sides]
    if position["variant"]["easy"]:
        token = _by_id(components.easy_tokens, position["tokens"][town])
        gains.append(token.centre or Yield(f"grey card of {token.estate}", 1))
    kinds = dict.fromkeys((*components.goods, "guards", "horses", *(gain.kind for gain in gains)), 0)
    for gain in gains:
        kinds[gain.kind] += gain.amount
    return {kind: amount for kind, amount in kinds.items() if amount}


def filling(position: Position, warehouse: str, number: int) -> dict[int, int]:
    """Who stores a piece in which slot if the deciding seat chooses this row (rules 6.5): slot -> player."""
    row, filled = _rows(position, warehouse)[number - 1]
    players, chooser = position["players"], position["to_act"]["seat"]
    humans = position["variant"]["humans"]
    others = [(chooser + step) % humans for step in range(1, humans)]
    automas = list(range(humans, len(players)))
    result: dict[int, int] = {}
    for player in (chooser, *automas[:1], *others, *automas[1:]):
        left = dict(players[player]["goods"])
        for index, slot in enumerate(row.slots):
            if not filled[index] and index not in result and left[slot.colour]:
                left[slot.colour] -= 1
                result[index] = player
    return result


def sides_of(position: Position, town: str) -> tuple[Yield, ...]:
    """The six sides of a town as its tile lies, clockwise from the top."""
    tile: Town = _by_id(components_of(position).towns, town)
    return tile.dark if _side(position, town) == "dark" else tile.light


def _side(position: Position, town: str) -> str:
    return next(str(entry["side"]) for entry in position["ring"] if entry["town"] == town)


def _on_counter(position: Position, town: str) -> list[tuple[int, int]]:
    """(player, counter position) of the wagons on the counter of a town."""
    wagons = [(player, entry["wagon"]) for player, entry in enumerate(position["players"])]
    return [
        (player, wagon["position"])
        for player, wagon in wagons
        if wagon and wagon["town"] == town and wagon["position"] is not None
    ]


def _rows(position: Position, warehouse: str) -> list[tuple[Row, list[bool]]]:
    """The rows of a warehouse with what is filled of each."""
    entry = position["warehouses"][warehouse]
    tile = _by_id(components_of(position).warehouse_tiles, entry["tile"])
    return list(zip(tile.side_1 if entry["side"] == 1 else tile.side_2, entry["filled"], strict=True))


def _by_id(pieces: Sequence[Any], wanted: str) -> Any:
    return next(piece for piece in pieces if piece.id == wanted)


# --- the board --------------------------------------------------------------------------------------


def board(position: Position, names: Sequence[str] | None = None, width: int = 100) -> RenderableType:
    """The whole table, for `rich` to print.

    Args:
        position: a position or a view, as valid JSON.
        names: of all players; by default `seat 0` and so on.
        width: columns, from 80 on; more than 120 are not used.
    """
    return _Board(position, names, min(max(width, NARROWEST), WIDEST)).render()


def board_text(position: Position, width: int = 100, colour: bool = False, names: Sequence[str] | None = None) -> str:
    """The whole table as text: see `board`. With `colour` it holds the codes that terminals understand."""
    file = StringIO()
    console = Console(
        file=file,
        width=min(max(width, NARROWEST), WIDEST),
        force_terminal=colour,
        color_system="256" if colour else None,
        highlight=False,
        legacy_windows=False,
    )
    console.print(board(position, names, width))
    lines = file.getvalue().splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def goods_style(colour: str) -> str:
    """The style in which a colour of goods is written."""
    return _GOODS_STYLES.get(colour, "")


def seat_style(seat: int) -> str:
    """The style in which a player's name is written."""
    return _SEAT_STYLES[seat % len(_SEAT_STYLES)]


def arrows_text(sides: Sequence[int]) -> str:
    """The arrows of a token, each in its place: `↑↗·↓··`."""
    return "".join(arrow if side in sides else "·" for side, arrow in enumerate(ARROWS))


@dataclass(frozen=True)
class _Board:
    """The parts of the table, from top to bottom."""

    position: Position
    names: Sequence[str] | None
    width: int

    @property
    def roomy(self) -> bool:
        return self.width >= ROOMY

    @cached_property
    def components(self) -> ComponentSet:
        return components_of(self.position)

    @cached_property
    def tokens(self) -> dict[str, Token | EasyToken]:
        easy = self.position["variant"]["easy"]
        return {token.id: token for token in (self.components.easy_tokens if easy else self.components.tokens)}

    def render(self) -> RenderableType:
        parts = [self.heading(), self.ring(), self.tokens_on_offer(), self.warehouses(), self.cards(), self.players()]
        parts += [self.companions(), self.order(), self.decision()]
        return Group(*(part for part in parts if part is not None))

    def name(self, player: int) -> Text:
        return Text(player_name(self.position, player, self.names), style=seat_style(player))

    def heading(self) -> RenderableType:
        position, words = self.position, list(_variant_words(self.position["variant"]))
        if "view" in position:
            words.append(f"seen by {player_name(position, position['view'], self.names)}")
        where = f"Round {position['round']} of 6" if position["round"] else "League of Six"
        table = Table.grid(expand=True)
        table.add_column()
        table.add_column(justify="right", style="dim")
        left = Text.assemble((where, "bold"), f" · {_STAGES[position['stage']]}")
        table.add_row(left, " · ".join(words))
        return Group(table, Rule(style="dim"))

    # the ring of towns

    def ring(self) -> RenderableType | None:
        if self.position["ring"] is None or self.position["stage"] in _CLEARED:
            return None
        gap = 3 if self.roomy else 1
        box = (self.width - 2 * gap) // 3
        town = [self.town(entry["town"], box) for entry in self.position["ring"]]
        table = Table.grid()
        for column_width in (box, gap, box, gap, box):
            table.add_column(width=column_width, vertical="middle", justify="center")
        table.add_row(town[0], self.road(0, "→"), town[1], self.road(1, "→"), town[2])
        table.add_row(self.road(5, "↑"), "", self.fort_words(box), "", self.road(2, "↓"))
        table.add_row(town[5], self.road(4, "←"), town[4], self.road(3, "←"), town[3])
        return table

    def road(self, start: int, arrow: str) -> Text:
        """The road from a town to the next one clockwise."""
        fort = self.position["fort"] == self.position["ring"][start]["town"]
        return Text("♜", style="bold red") if fort else Text(arrow, style="dim")

    def fort_words(self, width: int) -> Text:
        return Text("♜ wagon fort", style="red") if self.position["fort"] else Text("the ring, clockwise", style="dim")

    def town(self, town_id: str, width: int) -> Panel:
        tile: Town = _by_id(self.components.towns, town_id)
        besieged = town_id in self.position["besieged"]
        lines = [self.token_line(town_id, besieged), *self.wagons(town_id)]
        name = Text.assemble((f"{tile.number} {title(town_id)}", "bold"), f" · {_side(self.position, town_id)}")
        return Panel(
            Group(self.hexagon(town_id, besieged), *map(_centred, lines)),
            title=name,
            title_align="left",
            box=ROUNDED,
            width=width,
            height=7 + self.most_wagon_lines,
            padding=(0, 1 if width > 28 else 0),
            border_style="dim" if besieged else "",
        )

    def hexagon(self, town_id: str, besieged: bool) -> RenderableType:
        """The six sides around the token's arrows, side 0 on top."""
        token = self.tokens.get(self.position["tokens"].get(town_id, ""))
        arrows = [arrow if token and side in token.arrows else "·" for side, arrow in enumerate(ARROWS)]
        side = [_yield_text(entry, besieged) for entry in sides_of(self.position, town_id)]
        table = Table.grid(expand=True, padding=(0, 1))
        table.add_column(justify="right", ratio=1)
        table.add_column(justify="center", width=5)
        table.add_column(justify="left", ratio=1)
        style = "dim" if token is None else "bold"
        table.add_row(side[5], Text(" ".join((arrows[5], arrows[0], arrows[1])), style=style), side[1])
        table.add_row(side[4], Text(" ".join((arrows[4], arrows[3], arrows[2])), style=style), side[2])
        return Group(Align.center(side[0]), table, Align.center(side[3]))

    def token_line(self, town_id: str, besieged: bool) -> Text:
        token = self.position["tokens"].get(town_id)
        if token is None:
            return Text("besieged", style="bold red") if besieged else Text("no token", style="dim")
        return Text(self.token_name(token), style="italic")

    def token_name(self, token_id: str) -> str:
        token = self.tokens[token_id]
        if isinstance(token, EasyToken):
            return f"centre: {centre_words(token)}"
        return title(token.companion)

    def wagons(self, town_id: str) -> list[Text]:
        """A line for each wagon on the counter, lowest first, then one for those on the road."""
        standing = sorted(_on_counter(self.position, town_id), key=lambda entry: entry[1])
        lines = [Text.assemble(("● ", seat_style(player)), self.name(player), f" at {at}") for player, at in standing]
        road = {"town": town_id, "position": None}
        waiting = [self.name(player) for player, entry in enumerate(self.position["players"]) if entry["wagon"] == road]
        if waiting:
            lines.append(Text.assemble(("on the road: ", "dim"), Text(", ").join(waiting)))
        return lines

    @cached_property
    def most_wagon_lines(self) -> int:
        return max(1, *(len(self.wagons(entry["town"])) for entry in self.position["ring"]))

    def tokens_on_offer(self) -> RenderableType | None:
        if not self.position["tokens"] or self.position["variant"]["easy"]:
            return None
        table = _grid("Tokens")
        for entry in self.position["ring"]:
            token = self.position["tokens"].get(entry["town"])
            if token is not None:
                name, words = token_words(self.components, token)
                table.add_row(Text(name, style="italic"), Text(words))
        return Padding(table, (1, 0, 0, 0))

    # warehouses and cards

    def warehouses(self) -> RenderableType | None:
        if self.position["warehouses"] is None:
            return None
        both = [self.warehouse("royal", "favour when full"), self.warehouse("estate", "symbols when full")]
        if not self.roomy:
            return Padding(Group(*both), (1, 0, 0, 0))
        table = Table.grid(expand=True, padding=(0, 2, 0, 0))
        table.add_row(*both)
        return Padding(table, (1, 0, 0, 0))

    def warehouse(self, name: str, meaning: str) -> RenderableType:
        side = ROMAN[self.position["warehouses"][name]["side"]]
        table = Table.grid(padding=(0, 1, 0, 0))
        for number, (row, filled) in enumerate(_rows(self.position, name), start=1):
            bonus = f"+{row.bonus}" if name == "royal" else f"≤{row.bonus}"
            slots = [_slot_text(slot, full) for slot, full in zip(row.slots, filled, strict=True)]
            table.add_row(Text(str(number), style="dim"), Text(bonus, style="bold"), *slots)
        mark = "+" if name == "royal" else "≤"
        heading = Text.assemble((f"{title(name)} warehouse {side}", "bold"), (f"  {mark}n {meaning}", "dim"))
        return Group(heading, table)

    def cards(self) -> RenderableType | None:
        position = self.position
        if position["ring"] is None or position["stage"] in _CLEARED:
            return None
        face_up = [f"{estate} {symbols}" for symbols, estate in position["face_up"].items() if estate]
        grey = [f"{left} of {estate}" for estate, left in position["pools"]["grey_cards"].items()]
        symbols = self.components.estate_cards.grey_symbols
        table = _grid("")
        if face_up:
            table.add_row(Text("Estate cards", style="bold"), Text(", ".join(face_up)))
        table.add_row(Text("Grey cards", style="bold"), Text(f"{', '.join(grey)} ({counted(symbols, 'symbol')} each)"))
        displayed = [self.token_name(token) for token in position["pools"]["tokens"]["5-6"]]
        if displayed:
            table.add_row(Text("Rounds 5-6", style="bold"), Text(", ".join(displayed)))
        return Padding(table, (1, 0, 0, 0))

    # the players

    def players(self) -> RenderableType:
        table = Table(box=None, pad_edge=False, padding=(0, 2 if self.roomy else 1, 0, 0), header_style="dim")
        table.add_column("")
        table.add_column("Player", no_wrap=True)
        for heading in ("favour", "guards", *self.components.estates):
            table.add_column(heading, justify="right")
        for colour in self.components.goods:
            table.add_column(Text(colour, style=goods_style(colour)), justify="right")
        table.add_column("horses", justify="right")
        acting = (self.position["to_act"] or {}).get("seat")
        for index, player in enumerate(self.position["players"]):
            table.add_row(Text("▶" if index == acting else " ", style="bold"), self.name(index), *self.cells(player))
        return Padding(table, (1, 0, 0, 0))

    def cells(self, player: Mapping[str, Any]) -> Iterator[Text]:
        human = player["kind"] == "human"
        yield Text(str(player.get("favour", "")))
        yield Text(_guards_words(player) if human else "")
        for estate in self.components.estates:
            yield _amount("?" if player["estates"] is None else player["estates"][estate]) if human else Text("")
        for colour in self.components.goods:
            yield _amount(player["goods"][colour], goods_style(colour))
        yield _amount(player["horses"]) if human else Text("")

    def companions(self) -> RenderableType | None:
        """Who has which companions, in the order acquired; those used up this round in brackets."""
        table = _grid("")
        used = self.position["turn"]["used"]
        for index, player in enumerate(self.position["players"]):
            names = [self.token_name(token) for token in player.get("companions", ())]
            shown = [
                f"({name})" if token in used else name
                for name, token in zip(names, player.get("companions", ()), strict=True)
            ]
            if shown:
                table.add_row(self.name(index), Text(", ".join(shown)))
        if not table.row_count:
            return None
        heading = Text.assemble(("Companions", "bold"), ("  (used this round)" if used else "", "dim"))
        return Padding(Group(heading, table), (1, 0, 0, 0))

    def order(self) -> RenderableType | None:
        position = self.position
        if position["order"] is None or position["stage"] == "game_over":
            return None
        table = _grid("")
        table.add_row(Text("Guard scale", style="bold"), self.chain(position["order"]))
        if position["turn"]["to_place"]:
            table.add_row(Text("Still to act", style="bold"), self.chain(position["turn"]["to_place"]))
        if position["turn"]["storing_order"]:
            table.add_row(Text("Storing order", style="bold"), self.chain(position["turn"]["storing_order"]))
        return Padding(table, (1, 0, 0, 0))

    def chain(self, players: Sequence[int]) -> Text:
        return Text(" → ").join(self.name(player) for player in players)

    def decision(self) -> RenderableType:
        return Group(Rule(style="dim"), Text(f"▶ {decision_sentence(self.position, self.names)}", style="bold"))


def _variant_words(variant: Mapping[str, Any]) -> Iterator[str]:
    yield counted(variant["humans"], "human")
    if variant["automas"]:
        yield counted(variant["automas"], "automa")
    if variant["easy"]:
        yield "easy game"
    if variant["chooser_must_contribute"]:
        yield "chooser must contribute"
    if variant["score_automas"]:
        yield "automas score"
    yield f"{variant['sides']} sides" if isinstance(variant["sides"], str) else "mixed sides"


def _grid(heading: str) -> Table:
    """Two columns, names and words, under a heading."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    if heading:
        table.title = Text(heading, style="bold")
        table.title_justify = "left"
    return table


def _centred(line: Text) -> RenderableType:
    """One centred line, cut if it is too long."""
    line.no_wrap, line.overflow = True, "ellipsis"
    return Align.center(line)


def _yield_text(entry: Yield, dim: bool) -> Text:
    return Text(str(entry), style="dim" if dim else goods_style(entry.kind))


def _slot_text(slot: Slot, full: bool) -> Text:
    if full:
        return Text(f"■ {slot.colour}", style="dim")
    return Text(f"□ {slot.colour} {slot.points}", style=goods_style(slot.colour))


def _amount(amount: int | float | str, style: str = "") -> Text:
    """A number in a table; zero is a dot."""
    return Text(str(amount), style=style) if amount else Text("·", style="dim")


def _guards_words(player: Mapping[str, Any]) -> str:
    if player["guards"] is not None:
        return str(player["guards"])
    return "-".join(map(str, player["guards_range"])) if "guards_range" in player else "?"


# --- tables -----------------------------------------------------------------------------------------


def moves_table(position: Position, moves: Sequence[str], names: Sequence[str] | None = None) -> Table:
    """Moves with what each means."""
    table = _columns("move", "meaning")
    for move in moves:
        table.add_row(Text(move, style="bold"), Text(move_words(position, move, names)))
    return table


def hint_table(result: SearchResult, position: Position, top: int, names: Sequence[str] | None = None) -> Table:
    """The best moves that a search found, for the seat that decides."""
    table = _columns("", "move", "meaning")
    for heading in ("wins", "favour", "visits"):
        table.add_column(heading, justify="right", no_wrap=True)
    for rank, entry in enumerate(result.moves[:top], start=1):
        wins, favour = entry.value[result.seat], entry.favour[result.seat]
        numbers = Text(f"{wins:.1%}"), Text(f"{favour:.1f}"), Text(f"{entry.visits:,}", style="dim")
        move = entry.move.text
        style = "bold green" if rank == 1 else "bold"
        table.add_row(str(rank), Text(move, style=style), Text(move_words(position, move, names)), *numbers)
    return table


def bench_table(bench: Bench) -> Table:
    """The rows of a benchmark."""
    table = _columns("variant")
    for heading in ("perft 4", "signature", "decisions", "million/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in bench.rows:
        words = ", ".join(_variant_words(row.variant.to_json()))
        speed = f"{row.decisions / row.seconds / 1e6:.2f}" if row.seconds else ""
        table.add_row(words, f"{row.perft:,}", f"{row.signature:016x}", f"{row.decisions:,}", speed)
    return table


def components_tables(components: ComponentSet) -> RenderableType:
    """A component set as tables, each value with where it comes from."""
    tables = (_towns, _tokens, _easy_tokens, _companions, _tiles, _automa_cards, _rest)
    parts: list[RenderableType] = [Text(f"Component set {components.name}, version {components.version}", style="bold")]
    parts += [Padding(table(components), (1, 0, 0, 0)) for table in tables]
    return Group(*parts)


def _towns(components: ComponentSet) -> Table:
    table = _columns("town", "face", *(f"side {index} {arrow}" for index, arrow in enumerate(ARROWS)), "from")
    for town in components.towns:
        for face, sides in (("light", town.light), ("dark", town.dark)):
            first = f"{town.number} {town.id}" if face == "light" else ""
            table.add_row(first, face, *(_yield_text(side, False) for side in sides), _source(town.provenance))
    return table


def _tokens(components: ComponentSet) -> Table:
    table = _columns("token", "rounds", "arrows", "companion", "from")
    for token in components.tokens:
        arrows = arrows_text(token.arrows)
        table.add_row(token.id, token.pool, arrows, title(token.companion), _source(token.provenance))
    return table


def _easy_tokens(components: ComponentSet) -> Table:
    table = _columns("easy token", "arrows", "centre", "from")
    for token in components.easy_tokens:
        table.add_row(token.id, arrows_text(token.arrows), centre_words(token), _source(token.provenance))
    return table


def _companions(components: ComponentSet) -> Table:
    table = _columns("companion", "works", "effect", "from")
    for entry in components.companions:
        table.add_row(entry.id, token_stage(entry), effect_words(entry.effects), _source(entry.provenance))
    return table


def _tiles(components: ComponentSet) -> Table:
    table = _columns("warehouse tile", "side", "bonus", "slots", "from")
    for tile in components.warehouse_tiles:
        for side, rows in ((1, tile.side_1), (2, tile.side_2)):
            for number, row in enumerate(rows):
                first = (tile.id if side == 1 else "", ROMAN[side]) if number == 0 else ("", "")
                slots = Text("  ").join(Text(str(slot), style=goods_style(slot.colour)) for slot in row.slots)
                table.add_row(*first, str(row.bonus), slots, _source(tile.provenance))
    return table


def _automa_cards(components: ComponentSet) -> Table:
    table = _columns("automa card", "goes", "raises at", "raises late at", "from")
    for card in components.automa_cards:
        early, late = (" ".join(map(str, positions)) or "-" for positions in (card.early, card.late))
        table.add_row(card.id, ", ".join(card.arrows), early, late, _source(card.provenance))
    return table


def _rest(components: ComponentSet) -> Table:
    table = _columns("other", "value", "from")
    start, cards = components.start, components.estate_cards
    table.add_row("start", f"{start.favour} favour, {counted(start.guards, 'guard')}", _source(start.provenance))
    symbols = ", ".join(map(str, cards.symbols))
    each = f"{cards.copies_per_estate} of each estate with {symbols} symbols"
    grey = f"{cards.grey_copies_per_estate} grey ones with {cards.grey_symbols}"
    table.add_row("estate cards", f"{each}; {grey}", _source(cards.provenance))
    for scoring in components.scoring:
        humans = " or ".join(map(str, scoring.humans))
        points = " / ".join(map(str, scoring.points))
        table.add_row(f"estate scoring, {humans} humans", points, _source(scoring.provenance))
    return table


_UNBROKEN = ("move", "town", "token", "rounds", "easy token", "companion", "arrows", "automa card", "raises at", "from")
"""Columns that others make room for where the terminal is narrow."""


def _columns(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in headings:
        table.add_column(heading, no_wrap=heading in _UNBROKEN)
    return table


def _source(provenance: str) -> Text:
    return Text(provenance, style={"reconstructed": "yellow", "printed": "green"}.get(provenance, ""))


# --- printing ---------------------------------------------------------------------------------------


def position_text(position: Position) -> str:
    """A position as JSON that a person can read and compare: one line a key, and one a player."""
    lines = [f"  {json.dumps(key)}: {_lines(value)}" for key, value in position.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _lines(value: object) -> str:
    """JSON; lists of objects with a line for each."""
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return "[\n" + ",\n".join(f"    {json.dumps(entry)}" for entry in value) + "\n  ]"
    return json.dumps(value)


def console_for(file: IO[str], width: int | None = None) -> Console:
    """A console that writes to `file`: in colour only on a terminal, and 100 columns wide where nobody can say."""
    if width is None and not file.isatty() and not os.environ.get("COLUMNS"):
        width = 100
    return Console(file=file, width=width, highlight=False, soft_wrap=False, emoji=False, markup=False)
