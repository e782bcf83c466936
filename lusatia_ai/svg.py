"""A position as a picture: `board`.

The picture is one SVG of 500 units width: the ring of towns, the warehouses, the cards, the players. It reads the JSON
of a position, as `show` does, so hidden hands are shown as such. Seats and goods differ by shape or number too, not by
colour alone; it follows the light or dark scheme of the reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import cos, pi, sin
from typing import Any

from .components import ComponentSet, EasyToken, Slot, Yield
from .observation import View
from .show import ROMAN, components_of, decision_sentence, player_name, sides_of, title, token_words
from .state import State

Position = Mapping[str, Any]

WIDTH = 500
CENTRE = (250, 262)
RING, TOWN, WAGONS = 168, 77, 68
SEAT_COLOURS = ("#0b7285", "#a61e4d", "#d9480f", "#5f3dc4", "#2b8a3e", "#7c5c2e")
GOODS_COLOURS = {"green": "#37a34a", "blue": "#2f7fd6", "red": "#d63c3c", "yellow": "#e3b505"}

STYLE = """<style>
.lai{--ink:#22252b;--soft:#6b7280;--paper:#fbfaf7;--tile:#ece7db;--line:#b9b2a3;--mark:#b45309}
@media (prefers-color-scheme:dark){
.lai{--ink:#e8e6e1;--soft:#a0a4ad;--paper:#1b1d22;--tile:#2a2d34;--line:#565b66;--mark:#fbbf24}}
.lai{background:var(--paper);font-family:system-ui,sans-serif;font-size:12px}
.lai text{fill:var(--ink)}.lai .m{text-anchor:middle}.lai .e{text-anchor:end}.lai .b{font-weight:700}
.lai .s{font-size:10px}.lai .soft{fill:var(--soft)}.lai .w{fill:#fff;font-weight:700;font-size:11px;text-anchor:middle}
.lai .t{fill:var(--tile);stroke:var(--line)}.lai .off{opacity:.35}.lai .l{stroke:var(--line);stroke-width:3;fill:none}
.lai .a{fill:var(--mark)}.lai .g{fill:var(--soft)}.lai .o{stroke:var(--ink);stroke-width:.6}.lai .f{opacity:.25}
</style>"""
"""For `.lai`; a page that holds many boards needs it once. Pages may set its colours, `--ink` and so on."""


def board(view_or_state: View | State | Position, names: Sequence[str] | None = None, *, style: bool = True) -> str:
    """The whole table as an SVG image.

    Args:
        view_or_state: a state, a view, or the JSON of one.
        names: of all players; by default `seat 0` and so on.
        style: whether the image holds its own style sheet. Without it the page around it must hold `STYLE`.
    """
    position = view_or_state if isinstance(view_or_state, Mapping) else view_or_state.to_json()
    return _Board(position, names).render(style)


def _text(x: float, y: float, words: object, kind: str = "", colour: str = "") -> str:
    attributes = (f' class="{kind}"' if kind else "") + (f' style="fill:{colour}"' if colour else "")
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(str(words))}</text>'


def _points(corners: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _towards(centre: tuple[float, float], side: float, distance: float) -> tuple[float, float]:
    """The point at a distance in the direction of a side; side 0 is up, then clockwise."""
    angle = pi / 3 * side - pi / 2
    return centre[0] + distance * cos(angle), centre[1] + distance * sin(angle)


def seat_colour(seat: int) -> str:
    """The colour of a seat in pictures."""
    return SEAT_COLOURS[seat % len(SEAT_COLOURS)]


def _piece(index: int, colour: str, x: float, y: float, size: float = 4.5, extra: str = "") -> str:
    """A piece of goods; each colour has a shape of its own."""
    fill = f'class="o{extra}" style="fill:{GOODS_COLOURS.get(colour, colour)}"'
    r = size
    if index % 4 == 0:
        return f'<rect x="{x - r:g}" y="{y - r:g}" width="{2 * r:g}" height="{2 * r:g}" {fill}/>'
    if index % 4 == 1:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" {fill}/>'
    if index % 4 == 2:
        corners = [(x, y - r * 1.2), (x + r * 1.15, y + r * 0.9), (x - r * 1.15, y + r * 0.9)]
    else:
        corners = [(x, y - r * 1.3), (x + r * 1.3, y), (x, y + r * 1.3), (x - r * 1.3, y)]
    return f'<polygon points="{_points(corners)}" {fill}/>'


def _guard(x: float, y: float) -> str:
    body, head = (
        f"M{x - 4:.1f} {y + 5:.1f}q0-6 4-6q4 0 4 6z",
        f"M{x - 2.5:.1f} {y - 3:.1f}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0",
    )
    return f'<path class="g" d="{body}{head}"/>'


class _Board:
    """The parts of the picture, from top to bottom."""

    def __init__(self, position: Position, names: Sequence[str] | None) -> None:
        self.position, self.names = position, names
        self.components: ComponentSet = components_of(position)
        pieces = self.components.easy_tokens if position["variant"]["easy"] else self.components.tokens
        self.tokens = {token.id: token for token in pieces}
        self.on_table = position["ring"] is not None and position["stage"] not in ("final_scoring", "game_over")

    def render(self, style: bool) -> str:
        parts: list[str] = []
        bottom = 22.0
        for draw in (self.ring, self.warehouses, self.cards, self.players):
            lines, bottom = draw(bottom)
            parts += lines
        words = decision_sentence(self.position, self.names)
        parts.append(_text(10, bottom + 6, words, "b"))
        height = bottom + 18
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="lai" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" role="img" aria-label="{escape(self.label(words))}">'
        )
        return head + (STYLE if style else "") + self.heading() + "".join(parts) + "</svg>"

    def label(self, words: str) -> str:
        """What a screen reader says."""
        players = [entry for entry in enumerate(self.position["players"]) if entry[1]["kind"] == "human"]
        favour = ", ".join(f"{self.name(seat)} {player['favour']}" for seat, player in players)
        return f"The table in round {self.position['round']}. Favour: {favour}. {words}"

    def name(self, player: int) -> str:
        return player_name(self.position, player, self.names)

    def heading(self) -> str:
        stage = self.position["stage"].replace("_", " ")
        seen = f", seen by {self.name(self.position['view'])}" if "view" in self.position else ""
        return _text(10, 17, f"Round {self.position['round']} of 6 · {stage}{seen}", "b")

    # the ring of towns

    def ring(self, top: float) -> tuple[list[str], float]:
        if not self.on_table:
            return [], top
        corners = [_towards(CENTRE, index, RING) for index in range(6)]
        parts = [f'<polygon class="l" points="{_points(corners)}"/>']
        if self.position["fort"]:
            parts.append(self.fort())
        for index, entry in enumerate(self.position["ring"]):
            parts += self.town(corners[index], entry["town"])
            parts += self.wagons(_towards(CENTRE, index, WAGONS), entry["town"])
        return parts, CENTRE[1] + RING + TOWN * 0.87 + 14

    def fort(self) -> str:
        """Between the town that was drawn and the next."""
        start = [entry["town"] for entry in self.position["ring"]].index(self.position["fort"])
        x, y = _towards(CENTRE, start + 0.5, RING * 0.87)
        box = f'x="{x - 9:.1f}" y="{y - 9:.1f}" width="18" height="18" rx="2"'
        return f'<rect class="a" {box}><title>wagon fort</title></rect>'

    def town(self, at: tuple[float, float], town_id: str) -> Iterator[str]:
        besieged = town_id in self.position["besieged"]
        x, y = at
        corners = [_towards(at, side + 0.5, TOWN) for side in range(6)]
        yield '<g class="off">' if besieged else "<g>"
        yield f'<polygon class="t" points="{_points(corners)}"/>'
        for side, entry in enumerate(sides_of(self.position, town_id)):
            yield self.gain(entry, *_towards(at, side, 54))
        token = self.tokens.get(self.position["tokens"].get(town_id, ""))
        for side in token.arrows if token else ():
            tip, left, right = _towards(at, side, 43), _towards(at, side - 0.17, 35), _towards(at, side + 0.17, 35)
            yield f'<polygon class="a" points="{_points([tip, left, right])}"/>'
        yield _text(x, y - 1, title(town_id), "m b")
        words = "besieged" if besieged else self.token_name(token.id) if token else ""
        for number, line in enumerate(_broken(words, 15)):
            yield _text(x, y + 10 + 9 * number, line, "m s soft")
        yield "</g>"

    def token_name(self, token_id: str) -> str:
        token = self.tokens[token_id]
        return token_words(self.components, token_id)[1][5:] if isinstance(token, EasyToken) else title(token.companion)

    def gain(self, entry: Yield, x: float, y: float) -> str:
        """What a side of a town gives."""
        parts = [f"<title>{escape(str(entry))}</title>"]
        for number in range(entry.amount):
            at = x + 11 * (number - (entry.amount - 1) / 2)
            if entry.kind == "guards":
                parts.append(_guard(at, y))
            elif entry.kind == "horses":
                parts.append(_text(at, y + 5, "♞", "m"))
            else:
                parts.append(_piece(self.goods_index(entry.kind), entry.kind, round(at, 1), round(y, 1)))
        return f"<g>{''.join(parts)}</g>"

    def goods_index(self, colour: str) -> int:
        return list(self.components.goods).index(colour)

    def wagons(self, at: tuple[float, float], town_id: str) -> Iterator[str]:
        """Those on the counter with their position, those on the road faint."""
        here = [
            (entry["wagon"]["position"], player)
            for player, entry in enumerate(self.position["players"])
            if entry["wagon"] and entry["wagon"]["town"] == town_id
        ]
        x, y = at
        left = x - 13 * (len(here) - 1)
        for number, (place, player) in enumerate(sorted(here, key=lambda entry: (entry[0] is None, entry[0] or 0))):
            yield self.wagon(left + 26 * number, y, player, place)

    def wagon(self, x: float, y: float, player: int, place: int | None) -> str:
        automa = self.position["players"][player]["kind"] == "automa"
        colour = f'style="fill:{"#495057" if automa else seat_colour(player)}"'
        shape = (
            f'<rect x="{x - 10:.1f}" y="{y - 10:.1f}" width="20" height="20" rx="3" {colour}/>'
            if automa
            else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="11" {colour}/>'
        )
        where = "on the road" if place is None else f"at {place}"
        words = f"<title>{escape(self.name(player))} {where}</title>"
        label = _text(round(x, 1), round(y + 4, 1), "" if place is None else place, "w")
        label += _text(round(x, 1), round(y + 21, 1), _cut(self.name(player), 6), "m s")
        return f"<g{' class=off' if place is None else ''}>{words}{shape}{label}</g>".replace(
            "class=off", 'class="off"'
        )

    # warehouses and cards

    def warehouses(self, top: float) -> tuple[list[str], float]:
        if self.position["warehouses"] is None:
            return [], top
        parts: list[str] = []
        bottom = top
        for column, (name, mark) in enumerate((("royal", "+"), ("estate", "≤"))):
            entry = self.position["warehouses"][name]
            tile = next(tile for tile in self.components.warehouse_tiles if tile.id == entry["tile"])
            x, y = 10 + 250 * column, top + 14
            parts.append(_text(x, y, f"{title(name)} warehouse {ROMAN[entry['side']]}", "b"))
            rows = tile.side_1 if entry["side"] == 1 else tile.side_2
            for number, (row, filled) in enumerate(zip(rows, entry["filled"], strict=True), start=1):
                y += 24
                parts.append(_text(x, y + 4, number, "soft"))
                parts.append(_text(x + 12, y + 4, f"{mark}{row.bonus}", "b"))
                for index, (slot, full) in enumerate(zip(row.slots, filled, strict=True)):
                    parts.append(self.slot(slot, full, x + 50 + 31 * index, y))
            bottom = max(bottom, y + 18)
        return parts, bottom

    def slot(self, slot: Slot, full: bool, x: float, y: float) -> str:
        words = f"<title>{escape(slot.colour)} {slot.points}{', full' if full else ''}</title>"
        piece = _piece(self.goods_index(slot.colour), slot.colour, x, y, 7, "" if full else " f")
        points = "" if full else _text(x + 10, y + 4, slot.points, "s")
        return f"<g>{words}{piece}{points}</g>"

    def cards(self, top: float) -> tuple[list[str], float]:
        if not self.on_table:
            return [], top
        face_up = [f"{estate} {symbols}" for symbols, estate in self.position["face_up"].items() if estate]
        grey = [f"{estate} {left}" for estate, left in self.position["pools"]["grey_cards"].items()]
        lines = [f"Estate cards: {', '.join(face_up) or 'none'}", f"Grey cards left: {', '.join(grey)}"]
        if not self.position["variant"]["easy"]:
            lines += [
                line
                for entry in self.position["ring"]
                if entry["town"] in self.position["tokens"]
                for line in [": ".join(token_words(self.components, self.position["tokens"][entry["town"]]))]
            ]
        parts = []
        for line in lines:
            for number, piece in enumerate(_broken(line, 82)):
                top += 13
                parts.append(_text(10 + 10 * (number > 0), top, piece, "s"))
        return parts, top + 8

    # the players

    def players(self, top: float) -> tuple[list[str], float]:
        columns = ["favour", "guards", *self.components.estates, *self.components.goods, "horses"]
        xs = [148 + 38 * index for index in range(len(columns))]
        y = top + 12
        parts = [_text(x, y, _abbreviated(name), "e s soft") for x, name in zip(xs, columns, strict=True)]
        acting = (self.position["to_act"] or {}).get("seat")
        for index, player in enumerate(self.position["players"]):
            y += 20
            human = player["kind"] == "human"
            colour = seat_colour(index) if human else "#495057"
            parts.append(f'<circle cx="16" cy="{y - 4:g}" r="6" style="fill:{colour}"/>')
            parts.append(_text(28, y, _cut(self.name(index), 13), "b" if index == acting else ""))
            for x, words in zip(xs, self.cells(player), strict=True):
                parts.append(_text(x, y, words, "e" + " soft" * (words in ("0", ""))))
        order = self.position["order"]
        if order is not None:
            y += 20
            parts.append(_text(10, y, f"Guard scale: {' → '.join(map(self.name, order))}", "s soft"))
        held = [
            self.companions(index) for index, player in enumerate(self.position["players"]) if player.get("companions")
        ]
        for line in held:
            for number, piece in enumerate(_broken(line, 82)):
                y += 13
                parts.append(_text(10 + 10 * (number > 0), y, piece, "s soft"))
        return parts, y + 16

    def companions(self, player: int) -> str:
        tokens = self.position["players"][player]["companions"]
        return f"{self.name(player)} has {', '.join(map(self.token_name, tokens))}"

    def cells(self, player: Mapping[str, Any]) -> list[str]:
        human = player["kind"] == "human"
        guards = player.get("guards")
        cells = [str(player.get("favour", ""))]
        cells.append("" if not human else "?" if guards is None else str(guards))
        for estate in self.components.estates:
            cells.append("" if not human else "?" if player["estates"] is None else str(player["estates"][estate]))
        cells += [str(player["goods"][colour]) for colour in self.components.goods]
        cells.append(f"{player['horses']:g}" if human else "")
        return cells


def _abbreviated(name: str) -> str:
    return name if len(name) <= 6 else name[:5] + "."


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def _broken(words: str, most: int) -> list[str]:
    """Lines of about so many letters."""
    lines: list[str] = []
    for word in words.split():
        if lines and len(lines[-1]) + len(word) < most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


__all__ = ["STYLE", "board", "seat_colour"]
