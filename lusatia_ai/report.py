"""A review for people: as one page of HTML that needs nothing else, or as text for the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from . import svg
from .assessment import MoveAnalysis, PositionAnalysis
from .game_review import STAGES, Decision, GameReview
from .hints import brief_words, explain, percent
from .record import Record
from .show import seat_style
from .sources import SOURCES, favour_sources
from .state import State

MARK_SIGNS = {"": "", "inaccuracy": "?!", "mistake": "?", "blunder": "??"}
_MARK_STYLES = {"": "", "inaccuracy": "yellow", "mistake": "dark_orange", "blunder": "bold red"}
_EVENTS = {"setup": "set-up", "round": "round set-up", "automa_town": "town of an automa", "automa_card": "automa card"}


def _signed(share: float) -> str:
    return f"{100 * share:+.1f} %"


def _luck_words(share: float, error: float) -> str:
    return f"{_signed(share)} ± {percent(error)}"


def scale_words(review: GameReview) -> list[str]:
    """What the numbers of a review mean, sentence by sentence."""
    limits = review.thresholds
    sentences = [
        "Win share: the share of the win that a seat can expect, 0 % to 100 %; a shared win is split.",
        "Loss: win share that the deciding seat gave away against the best move that was found.",
        f"Marks by loss: inaccuracy {MARK_SIGNS['inaccuracy']} from {percent(limits.inaccuracy)}, mistake "
        f"{MARK_SIGNS['mistake']} from {percent(limits.mistake)}, blunder {MARK_SIGNS['blunder']} from "
        f"{percent(limits.blunder)}; losses below {limits.sureness:g} x their standard error do not count.",
        "Decisions with a single legal move are not counted.",
    ]
    if review.luck:
        sentences += [
            "Luck: the value after a chance event, less its mean over what might have happened; ± is a standard error.",
            "Luck-adjusted: the result less all luck. It may leave 0 % to 100 %, for only its mean over many games is "
            "a win share.",
        ]
    return sentences


# --- as text ----------------------------------------------------------------------------------------------


def text(review: GameReview, record: Record, top: int = 10) -> RenderableType:
    """The review for `rich` to print.

    Args:
        review: of this record.
        record: the game.
        top: how many decisions are listed, those that lost most.
    """
    parts: list[RenderableType] = [_standings_table(review), Padding(_summary_table(review), (1, 0, 0, 0))]
    worst = sorted(review.marked, key=lambda decision: -decision.loss)[:top]
    heading = f"{len(worst)} of {len(review.marked)} marked decisions, those that lost most first"
    if worst:
        parts.append(Padding(Group(Text(heading, style="bold"), _decisions_table(review, record, worst)), (1, 0, 0, 0)))
    else:
        parts.append(Padding(Text("No decision is marked."), (1, 0, 0, 0)))
    if not review.complete:
        parts.append(Text(f"Interrupted: {review.pending} events are still to be reviewed.", style="yellow"))
    parts.append(Padding(Text("\n".join(scale_words(review)), style="dim"), (1, 0, 0, 0)))
    return Group(*parts)


def _name(review: GameReview, seat: int) -> Text:
    return Text(review.names[seat], style=seat_style(seat))


def _standings_table(review: GameReview) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("player")
    for heading, *_ in _standings(review, 0):
        table.add_column(heading, justify="right")
    for seat in range(review.humans):
        table.add_row(_name(review, seat), *(value for _, value in _standings(review, seat)))
    return table


def _standings(review: GameReview, seat: int) -> Iterator[tuple[str, str]]:
    """Headings and values: how the game went for a seat."""
    if review.favour is not None and review.result is not None:
        yield "favour", str(review.favour[seat])
        yield "won", percent(review.result[seat])
    if review.luck:
        yield "luck", _luck_words(*review.win_luck(seat))
        points, error = review.favour_luck(seat)
        yield "luck in favour", f"{points:+.1f} ± {error:.1f}"
    if review.adjusted is not None and review.adjusted_favour is not None:
        yield "luck-adjusted", percent(review.adjusted[seat])
        yield "adjusted favour", f"{review.adjusted_favour[seat]:.1f}"


_SUMMARY_HEADINGS = ("player", "stage", "decisions", "loss", "favour", "?!", "?", "??")


def _summary_rows(review: GameReview) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(seat, cells): for each seat a row for all, then one for each stage."""
    for seat in review.seats:
        for stage in (None, *STAGES):
            found = review.summary(seat, stage)
            if found.decisions or stage is None:
                counts = [str(count) if count else "·" for count in found.marks.values()]
                yield (
                    seat,
                    (stage or "all", str(found.decisions), percent(found.loss), f"{found.favour_loss:.1f}", *counts),
                )


def _summary_table(review: GameReview) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for index, heading in enumerate(_SUMMARY_HEADINGS):
        table.add_column(heading, justify="right" if index > 1 else "left")
    for seat, (stage, *cells) in _summary_rows(review):
        table.add_row(_name(review, seat) if stage == "all" else "", stage, *cells)
    return table


def _decisions_table(review: GameReview, record: Record, decisions: Sequence[Decision]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for heading in ("#", "round", "player", "played", "better", "loss", "mark"):
        table.add_column(heading, justify="right" if heading in ("#", "loss") else "left", no_wrap=heading == "loss")
    states = {turn: state for turn, (state, _) in enumerate(record.replay())}
    for decision in decisions:
        position, mark = states[decision.turn].to_json(), review.mark(decision)
        played = brief_words(position, decision.move, record.names)
        better = brief_words(position, decision.best.move.text, record.names)
        table.add_row(
            str(decision.turn), str(decision.round), _name(review, decision.seat), played, better,
            percent(decision.loss), Text(f"{MARK_SIGNS[mark]} {mark}", style=_MARK_STYLES[mark]),
        )  # fmt: skip
    return table


# --- as a page --------------------------------------------------------------------------------------------


def html(review: GameReview, record: Record) -> str:
    """The review as one page that needs no network: plot, tables, and a board for each decision.

    Args:
        review: of this record.
        record: the game.
    """
    template = resources.files("lusatia_ai.data").joinpath("report.html").read_text(encoding="utf-8")
    parts = _Page(review, record).parts()
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)


PLOT_WIDTH, PLOT_HEIGHT = 480, 260
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 14, 30


class _Page:
    """The parts of the page."""

    def __init__(self, review: GameReview, record: Record) -> None:
        self.review, self.record = review, record
        self.decisions = [decision for decision in review.decisions if not decision.forced]
        self.states = {turn: state for turn, (state, _) in enumerate(record.replay())}
        self.events = max(1, review.events)

    def parts(self) -> dict[str, str]:
        review, variant = self.review, self.record.variant
        humans = f"{variant.humans} players" + (f", {variant.automas} automa(s)" if variant.automas else "")
        seats = " and ".join(review.names[seat] for seat in review.seats) or "nobody"
        limit = {name: value for name, value in review.settings["limit"].items() if value is not None}
        effort = ", ".join(f"{name} {value:g}" for name, value in limit.items())
        return {
            "title": f"Review: {escape(', '.join(review.names))}",
            "subtitle": escape(
                f"League of Six: Complete Edition, {humans}, {review.events} events; decisions of {seats}; "
                f"each analysed with {effort}, seed {review.settings['seed']}."
            ),
            "notice": self.notice(),
            "board_style": svg.STYLE,
            "standings": self.standings(),
            "plot": self.plot(),
            "summary": self.summary(),
            "sources": self.sources(),
            "luck": self.luck(),
            "player_options": "".join(
                f'<option value="{seat}">{escape(review.names[seat])}</option>' for seat in review.seats
            ),
            "rows": "".join(self.row(decision) for decision in self.decisions),
            "turns": "".join(self.turn(decision) for decision in self.decisions) or "<p>No decisions to show.</p>",
            "explanation": "".join(f"<p>{escape(sentence)}</p>" for sentence in scale_words(review)),
        }

    def notice(self) -> str:
        if self.review.complete:
            return ""
        return f"<p><strong>Interrupted: {self.review.pending} events are still to be reviewed.</strong></p>"

    def name(self, seat: int) -> str:
        dot = f'<span class="dot" style="background:{svg.seat_colour(seat)}"></span>'
        return f'<span class="who">{dot}{escape(self.review.names[seat])}</span>'

    def mark(self, decision: Decision) -> str:
        mark = self.review.mark(decision)
        return f'<span class="mark {mark}">{MARK_SIGNS[mark]}<span class="word"> {mark}</span></span>' if mark else ""

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 1) -> str:
        """A table whose columns are numbers from `numbers` on. Cells are HTML."""

        def line(cells: Sequence[str], tag: str) -> str:
            filled = "".join(
                f"<{tag}{' class=n' if index >= numbers else ''}>{cell}</{tag}>" for index, cell in enumerate(cells)
            )
            return f"<tr>{filled}</tr>"

        body = "".join(line(row, "td") for row in rows)
        return f'<div class="scroll"><table><thead>{line(headings, "th")}</thead><tbody>{body}</tbody></table></div>'

    # the game as a whole

    def standings(self) -> str:
        headings = [heading for heading, _ in _standings(self.review, 0)]
        if not headings:
            return ""
        rows = [
            [self.name(seat), *(value for _, value in _standings(self.review, seat))]
            for seat in range(self.review.humans)
        ]
        return self.table(["player", *headings], rows)

    def summary(self) -> str:
        rows = []
        for seat, (stage, *cells) in _summary_rows(self.review):
            rows.append([self.name(seat) if stage == "all" else "", stage, *cells])
        return self.table(_SUMMARY_HEADINGS, rows, 2)

    def sources(self) -> str:
        ledger = favour_sources(self.record)
        most = max(abs(amount) for entry in ledger for amount in entry.values()) or 1
        rows = []
        for seat, entry in enumerate(ledger):
            cells = [self.bar(entry[source], most) for source in SOURCES]
            rows.append([self.name(seat), *cells, f"<strong>{sum(entry.values())}</strong>"])
        return self.table(["player", *SOURCES, "in all"], rows)

    def bar(self, amount: int, most: int) -> str:
        minus = " minus" if amount < 0 else ""
        return f'{amount}<span class="bar{minus}" style="width:{100 * abs(amount) / most:.0f}%"></span>'

    def luck(self) -> str:
        if not self.review.luck:
            return ""
        rows = []
        for entry in self.review.luck:
            pairs = zip(entry.win_luck, entry.stderr, strict=True)
            rows.append(
                [str(entry.turn), str(entry.round), _EVENTS[entry.event], *(_luck_words(*pair) for pair in pairs)]
            )
        names = [self.name(seat) for seat in range(self.review.humans)]
        table = self.table(["#", "round", "event", *names], rows, 3)
        return f"<h2>Luck, in win share</h2><details><summary>{len(rows)} chance events</summary>{table}</details>"

    def x(self, turn: int) -> float:
        return LEFT + (PLOT_WIDTH - LEFT - RIGHT) * turn / self.events

    def y(self, share: float) -> float:
        return TOP + (PLOT_HEIGHT - TOP - BOTTOM) * (1 - share)

    def plot(self) -> str:
        parts = []
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            y = f"{self.y(share):.1f}"
            parts.append(f'<line class="grid" x1="{LEFT}" x2="{PLOT_WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
            parts.append(f'<text x="{LEFT - 5}" y="{self.y(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>')
        for turn, state in self.states.items():
            if state.chance_event == "round":
                x = f"{self.x(turn):.1f}"
                parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP}" y2="{PLOT_HEIGHT - BOTTOM}"/>')
                parts.append(f'<text x="{self.x(turn) + 3:.1f}" y="{PLOT_HEIGHT - 12}">R{state.round}</text>')
        timeline = self.review.timeline()
        for seat in range(self.review.humans):
            points = " ".join(f"{self.x(turn):.1f},{self.y(value[seat]):.1f}" for turn, value in timeline)
            label = f"<title>{escape(self.review.names[seat])}</title>"
            if points:
                parts.append(f'<path d="M{points}" style="stroke:{svg.seat_colour(seat)}">{label}</path>')
        for decision in self.review.marked:
            parts.append(self.plot_mark(decision))
        parts.append(f'<line class="now" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{PLOT_HEIGHT - BOTTOM}"/>')
        legend = " ".join(self.name(seat) for seat in range(self.review.humans))
        label = "Win share of each player over the events of the game; the decisions below say the same in numbers"
        box = f'viewBox="0 0 {PLOT_WIDTH} {PLOT_HEIGHT}" role="img" aria-label="{label}"'
        return f'<svg class="plot" {box}>{"".join(parts)}</svg><p>{legend}</p>'

    def plot_mark(self, decision: Decision) -> str:
        """A dot for a marked decision, as a link to it."""
        mark = self.review.mark(decision)
        x, y = self.x(decision.turn), self.y(decision.best.value[decision.seat])
        words = f"<title>{escape(self.review.names[decision.seat])}: {mark}, {percent(decision.loss)}</title>"
        colours = f"fill:{svg.seat_colour(decision.seat)};stroke:var(--{mark});stroke-width:2"
        dot = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" style="{colours}">{words}</circle>'
        return f'<a href="#t{decision.turn}" tabindex="-1">{dot}</a>'

    # decisions

    def row(self, decision: Decision) -> str:
        position = self.states[decision.turn].to_json()
        words = escape(brief_words(position, decision.move, self.record.names))
        mark = self.review.mark(decision)
        data = f'data-turn="t{decision.turn}" data-player="{decision.seat}" data-mark="{mark}"'
        data += f' data-x="{self.x(decision.turn):.1f}"'
        return (
            f'<tr {data}><td class="n">{decision.turn}</td><td class="wide">{decision.round}</td>'
            f'<td>{self.name(decision.seat)}</td><td><a href="#t{decision.turn}">{words}</a></td>'
            f'<td class="n">{percent(decision.loss)}</td><td>{self.mark(decision)}</td></tr>'
        )

    def turn(self, decision: Decision) -> str:
        state = self.states[decision.turn]
        heading = f"Event {decision.turn}, round {decision.round}: {escape(self.review.names[decision.seat])}"
        sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences(decision, state))
        board = svg.board(state.view(hands=self.review.settings["hands"]), self.record.names, style=False)
        comment = self.record.events[decision.turn].get("comment")
        said = f"<p><em>{escape(comment)}</em></p>" if comment else ""
        return (
            f'<section class="turn" id="t{decision.turn}"><h3>{heading} {self.mark(decision)}</h3>{said}'
            f"{sentences}{self.moves(decision, state)}{board}</section>"
        )

    def sentences(self, decision: Decision, state: State) -> tuple[str, ...]:
        """Why the move was good or not."""
        games = sum(entry.iterations for entry in decision.moves)
        analysis = PositionAnalysis(decision.seat, decision.moves, games, 0.0)
        view = state.view(hands=self.review.settings["hands"])
        return explain(analysis, view, move=decision.move, names=self.record.names).sentences

    def moves(self, decision: Decision, state: State) -> str:
        position = state.to_json()
        rows = [self.move(entry, decision, position) for entry in decision.moves]
        whose = escape(self.review.names[decision.seat])
        count = f'<p class="soft">The best of {decision.choices} legal moves; numbers are those of {whose}.</p>'
        return self.table(["move", "win share", "favour", "rank"], rows) + count

    def move(self, entry: MoveAnalysis, decision: Decision, position: Mapping[str, Any]) -> list[str]:
        seat = decision.seat
        words = escape(brief_words(position, entry.move.text, self.record.names))
        words = f"<strong>{words}</strong> (played)" if entry.move.text == decision.move else words
        error = "" if entry.exact else f" ± {100 * entry.stderr[seat]:.1f}"
        share = f"{100 * entry.value[seat]:.1f}{error} %"
        return [words, share, f"{entry.favour[seat]:.1f}", f"{entry.rank[seat]:.2f}"]


def as_json(review: GameReview, record: Record) -> dict[str, Any]:
    """The review as a dict for JSON, with the favour by source."""
    return review.to_json() | {"sources": favour_sources(record)}


__all__ = ["as_json", "html", "scale_words", "text"]
