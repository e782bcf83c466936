"""A game in the terminal: one or several persons at one device, against bots.

`Match` is the game with its history and knows nothing of terminals. `Game` tells it, and reads what the persons want.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ._tables import Move
from .errors import LusatiaError, NotationError
from .observation import View
from .players import PlayResult
from .position import parse_json
from .record import Record
from .search import SearchResult
from .show import (
    board,
    decision_sentence,
    hint_table,
    move_words,
    moves_table,
    player_name,
    position_text,
    seat_style,
    title,
    token_words,
)
from .state import State

HELP = """\
A move can be cut short: zit 3 is go:zittau:3, royal 2 is row:royal:2, 7 raise:7.
An empty line lists the moves again, or plays the only one.

  show         the table
  moves        all moves, one a line
  hint         what a search thinks of them
  companions   what everybody's companions do
  undo         take your last move back, as long as nobody else has acted and nothing was drawn
  save FILE    keep the game
  resume FILE  go on with a game that was kept
  quit         leave"""

Event = dict[str, Any]
Seeker = Callable[[View], SearchResult]
Bot = Callable[[View], PlayResult]


# --- the match --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Match:
    """A game with what has happened in it.

    Attributes:
        state: the position; its chance is manual, so that each event can be told and kept.
        events: all events since the set-up, as in a record; None if the match did not begin there.
        names: of all players; None for `seat 0` and so on.
    """

    state: State
    events: list[Event] | None = None
    names: list[str] | None = None
    _undo: list[State] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.events is None and self.state.stage == "setup":
            self.events = []

    def act(self, event: Mapping[str, Any] | str) -> State:
        """Carry out a move or a chance event; returns the position before it."""
        before = self.state.clone()
        self.state.apply(event)
        if self._undo and self._undo[-1].seat_to_act != before.seat_to_act:
            self._undo.clear()
        self._undo.append(before)
        if self.events is not None:
            self.events.append({"seat": before.seat_to_act, "move": event} if isinstance(event, str) else dict(event))
        return before

    def take_back(self) -> None:
        """Undo the last move of the seat to act, if nothing was revealed since: nobody acted, nothing was drawn.

        Raises:
            LusatiaError: if something was.
        """
        if not self._undo:
            raise LusatiaError("nothing to take back: no move has been made")
        if self._undo[-1].seat_to_act != self.state.seat_to_act:
            raise LusatiaError("nothing to take back: since your last move somebody else has acted, or chance has")
        self.state = self._undo.pop()
        if self.events is not None:
            self.events.pop()

    def save(self, path: str | Path) -> None:
        """Write the match as a record, or as a mere position if it did not begin with the set-up.

        Raises:
            LusatiaError: if the file holds something else than a record or position.
        """
        if not _may_write(Path(path)):
            raise LusatiaError(f"{path} holds something else; allowed: a new file, or a saved game or position")
        if self.events is None:
            Path(path).write_text(position_text(self.state.to_json()), encoding="utf-8")
        else:
            self.record().save(path)

    def named_persons(self) -> tuple[int, ...]:
        """The seats of humans with a name of their own, as a saved game keeps them."""
        names = (self.names or [])[: self.state.variant.humans]
        return tuple(seat for seat, name in enumerate(names) if not _NO_NAME.fullmatch(name))

    def record(self) -> Record:
        """The match as a record; it must have begun with the set-up."""
        position = self.state.to_json()
        names = [player_name(position, player, self.names) for player in range(len(position["players"]))]
        record = Record.new(self.state.variant, components=self.state.components, names=names)
        for event in self.events or ():
            record.append(event.get("move", event), seat=event.get("seat"))
        return record

    @classmethod
    def load(cls, path: str | Path) -> Match:
        """Read a match from a record or a position.

        Raises:
            OSError: if the file cannot be read.
            LusatiaError: with what is wrong in it.
        """
        data = parse_json(Path(path).read_bytes(), "record or position")
        if isinstance(data, Mapping) and data.get("format") == "lusatia-record":
            record = Record.from_json(data, strict=True)
            return cls(record.state(), [dict(event) for event in record.events], record.names)
        if isinstance(data, Mapping) and "view" in data:
            raise LusatiaError("this is a view with hidden hands; allowed: a full position, or a record")
        return cls(State.from_json(data, chance="manual"))


_NO_NAME = re.compile(r"((seat|player|automa) ?\d+)?", re.IGNORECASE)


def _may_write(path: Path) -> bool:
    """Whether nothing is lost if the file is written: it is new, or one of ours."""
    if not path.exists():
        return True
    try:
        data = parse_json(path.read_bytes(), "record or position")
    except LusatiaError:
        return False
    return isinstance(data, Mapping) and str(data.get("format")).startswith("lusatia-")


# --- short spellings --------------------------------------------------------------------------------


def find_move(line: str, moves: Sequence[Move]) -> Move | None:
    """The move that a line means: its words begin those of the move, the first of which may be left out.

    Raises:
        NotationError: if several moves are meant.
    """
    found = matching(line, moves)
    if len(found) > 1:
        several = ", ".join(move.text for move in found[:6]) + ", ..." * (len(found) > 6)
        raise NotationError(f"{line!r} may mean {several}")
    return found[0] if found else None


def matching(line: str, moves: Sequence[Move]) -> list[Move]:
    """All moves that a line may mean; only the very move if it is spelled in full."""
    words = re.findall(r"\w+", line.lower())
    exact = [move for move in moves if move.text == line]
    return exact or [move for move in moves if words and _fits(words, re.findall(r"\w+", move.text))]


def _fits(words: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether each word begins the part in its place; numbers must be whole. The first part may be left out."""
    return any(
        len(words) <= len(rest) and all(_begins(word, part) for word, part in zip(words, rest, strict=False))
        for rest in (parts, parts[1:])
    )


def _begins(word: str, part: str) -> bool:
    return word == part if part[0].isdigit() else part.startswith(word)


def brief_moves(
    position: Mapping[str, Any], moves: Sequence[Move], names: Sequence[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Spellings with their meaning; bids that differ only in their height are one line."""
    for _, alike in groupby(sorted(moves, key=_bid_order), key=_without_bid):
        texts = [move.text for move in alike]
        words = move_words(position, texts[0], names)
        if len(texts) > 1:
            highest = texts[-1].rpartition(":")[2]
            yield f"{texts[0]} .. {highest}", f"{words}, or up to {highest}"
        else:
            yield texts[0], words


def _without_bid(move: Move) -> str:
    kind = move.text.partition(":")[0]
    return move.text.rpartition(":")[0] if kind in ("go", "raise") else move.text


def _bid_order(move: Move) -> tuple[str, int]:
    stem = _without_bid(move)
    return stem, int(move.text.rpartition(":")[2]) if stem != move.text else 0


# --- the game in the terminal -----------------------------------------------------------------------


class Quit(Exception):  # noqa: N818 - no error
    """The person at the device wants to leave."""


@dataclass(slots=True)
class Game:
    """A match and the persons at the device.

    Attributes:
        match: what is played.
        persons: the seats that persons play.
        console: where everything is printed.
        ask: reads a line after a prompt; raises EOFError at the end of the input.
        seek: searches a view, for hints, and for the seats that neither persons nor bots play.
        bots: who decides at other seats.
        hands: whether persons and bots see the others' guards and estate cards.
        rng: what chance is drawn from.
    """

    match: Match
    persons: frozenset[int]
    console: Console
    ask: Callable[[str], str]
    seek: Seeker
    bots: Mapping[int, Bot] = field(default_factory=dict)
    hands: Literal["hidden", "known"] = "hidden"
    rng: np.random.Generator = field(default_factory=np.random.default_rng)
    _news: dict[int, list[Text]] = field(default_factory=dict)  # what each person has not been told yet
    _at_device: int | None = None
    _stale: bool = True  # whether the table has changed since the person at the device saw it
    _last_decision: str | None = None

    @property
    def state(self) -> State:
        return self.match.state

    def run(self) -> None:
        """Play until the game is over or a person quits."""
        try:
            while not self.state.is_over:
                self._step()
            self._print("", board(self.state.to_json(), self.match.names, self.console.width))
        except (Quit, EOFError):
            self._print("Good-bye.")

    def _step(self) -> None:
        seat = self.state.seat_to_act
        if seat is None:
            self._act(self.state.sample_chance(self.rng))
        elif seat in self.persons:
            self._turn(seat)
        else:
            self._act(self._bot_move(seat))

    def _act(self, event: Mapping[str, Any] | str) -> None:
        before = self.match.act(event)
        self._stale = self._stale or before.seat_to_act != self._at_device or before.stage != self.state.stage
        self._tell(self._words(before, event), before.seat_to_act)

    def _bot_move(self, seat: int) -> str:
        moves = self.state.legal_moves()
        if len(moves) == 1:
            return moves[0].text
        doing = f"{self._called(seat)} is thinking"
        if seat not in self.bots:
            return self._search(doing).best.text
        with self._status(doing):
            result = self.bots[seat](self.state.view(hands=self.hands))
        if result.search is not None and result.search.interrupted:
            raise KeyboardInterrupt
        return result.move.text

    def _search(self, doing: str) -> SearchResult:
        with self._status(doing):
            result = self.seek(self.state.view(hands=self.hands))
        if result.interrupted:
            raise KeyboardInterrupt
        return result

    def _status(self, doing: str) -> AbstractContextManager[object]:
        return self.console.status(doing) if self.console.is_terminal else nullcontext()

    # telling what happens

    def _tell(self, words: Text, actor: int | None) -> None:
        """Tell who acted and a lonely person at once, other persons when they get the device."""
        if len(self.persons) < 2 or actor in self.persons:
            self._print(words)
        if len(self.persons) > 1:
            for person in self.persons - {actor}:
                self._news.setdefault(person, []).append(words)

    def _words(self, before: State, event: Mapping[str, Any] | str) -> Text:
        if isinstance(event, str):
            return self._move_words(before, event)
        (kind, outcome), *_ = event.items()
        if kind == "setup":
            return Text(f"The towns, clockwise: {', '.join(map(title, outcome['ring']))}")
        if kind == "round":
            besieged = ", ".join(map(title, outcome["besieged"])) or "no town"
            return Text(f"Round {self.state.round} begins; besieged: {besieged}", style="bold")
        return self._automa_words(before, kind, outcome)

    def _move_words(self, before: State, move: str) -> Text:
        name = self._name(before.seat_to_act)
        if before.decision == "hand_over":  # rules 8.2: nobody learns it before all have chosen
            return name.append(" has chosen", style="default")
        return Text.assemble(name, f": {move_words(before.to_json(), move, self.match.names)}", self._change(before))

    def _automa_words(self, before: State, kind: str, outcome: str) -> Text:
        automa = before.to_json()["to_act"]["automa"]
        wagon = self.state.to_json()["players"][automa]["wagon"]
        turned = f" turns the card {outcome} and" if kind == "automa_card" else ""
        if wagon is None or wagon["position"] is None:
            return Text.assemble(self._name(automa), f"{turned} waits")
        where = f"{turned} stands in {title(wagon['town'])} at {wagon['position']}"
        return Text.assemble(self._name(automa), where, self._change(before))

    def _change(self, before: State) -> tuple[str, str]:
        """How the favour of the players has changed."""
        pairs = enumerate(zip(before.favour, self.state.favour, strict=True))
        changes = [f"{self._called(seat)} {new - old:+d}" for seat, (old, new) in pairs if new != old]
        return (f"  (favour: {', '.join(changes)})" if changes else "", "dim")

    # a person's turn

    def _turn(self, seat: int) -> None:
        if self._at_device != seat:
            self._hand_device_to(seat)
        for words in self._news.pop(seat, ()):
            self._print(words)
        bidding_goes_on = self.state.decision == self._last_decision == "respond"
        if self._stale and not bidding_goes_on:
            self._show("")  # ends with who decides what
        else:
            self._print("", Text(decision_sentence(self._position(), self.match.names), style="bold"))
        self._last_decision = self.state.decision
        self._list_moves()
        while not self._obey(self.ask(f"{self._called(seat)}> ").strip()):
            pass

    def _hand_device_to(self, seat: int) -> None:
        if len(self.persons) > 1:
            self._clear_screen()
            self.ask(f"Pass the device to {self._called(seat)}, who presses Enter. ")
            self._clear_screen()
        self._at_device, self._stale, self._last_decision = seat, True, None

    def _clear_screen(self) -> None:
        """Wipe the screen with all that can be scrolled back to."""
        if self.console.is_terminal:
            self.console.clear()
            self.console.file.write("\033[3J")

    def _obey(self, line: str) -> bool:
        """Do what a line says; returns whether the decision is made or gone."""
        word, _, argument = line.partition(" ")
        command = _COMMANDS.get(word.lower())
        before = self.state
        try:
            if command is None:
                return self._play(line)
            command(self, argument.strip())
        except LusatiaError as error:
            self._print(str(error))
        except OSError as error:
            self._print(f"cannot use {argument.strip()}: {error.strerror or error}")
        return self.state is not before

    def _play(self, line: str) -> bool:
        legal = self.state.legal_moves()
        if not line and len(legal) > 1:
            self._list_moves()
            return False
        move = find_move(line, legal) if line else legal[0]
        if move is None:
            kinds = {move.text.partition(":")[0] for move in legal}
            alike = [other for other in self.state.tables.moves.values() if other.text.partition(":")[0] in kinds]
            self.state.clone().apply(next(iter(matching(line, alike)), line))  # raises what is wrong with it
            return False
        self._act(move.text)
        return True

    def _list_moves(self) -> None:
        table = Table.grid(padding=(0, 2, 0, 0))
        for spelling, words in brief_moves(self._position(), self.state.legal_moves(), self.match.names):
            table.add_row("", Text(spelling, style="bold", no_wrap=True), words)
        self._print(table)

    # commands

    def _show(self, argument: str) -> None:
        self._print("", board(self._position(), self.match.names, self.console.width))
        self._stale = False

    def _moves(self, argument: str) -> None:
        moves = [move.text for move in self.state.legal_moves()]
        self._print(moves_table(self._position(), moves, self.match.names))

    def _hint(self, argument: str) -> None:
        result = self._search("Searching")
        self._print(hint_table(result, self._position(), 5, self.match.names))

    def _companions(self, argument: str) -> None:
        owned = [
            (player, token)
            for player, entry in enumerate(self._position()["players"])
            for token in entry.get("companions", ())
        ]
        for player, token in owned:
            name, words = token_words(self.state.components, token)
            self._print(Text.assemble(self._name(player), "  ", (name, "italic"), f"  {words}"))
        if not owned:
            self._print("nobody has a companion yet")

    def _undo(self, argument: str) -> None:
        seat = self.state.seat_to_act
        self.match.take_back()
        self._stale = True
        self._tell(Text.assemble(self._name(seat), " takes that back"), seat)

    def _save(self, argument: str) -> None:
        if not argument:
            raise NotationError("save what? allowed: save FILE")
        self.match.save(argument)
        self._print(f"kept in {argument}")

    def _resume(self, argument: str) -> None:
        if not argument:
            raise NotationError("resume what? allowed: resume FILE")
        match = Match.load(argument)
        humans = match.state.variant.humans
        if max(self.persons) >= humans:
            raise LusatiaError(f"{argument} is a game of {humans} humans, which has no seat {max(self.persons)}")
        self.match = match
        self._news.clear()
        self._at_device, self._stale, self._last_decision = None, True, None

    def _help(self, argument: str) -> None:
        self._print(HELP)

    def _quit(self, argument: str) -> None:
        raise Quit

    # small helpers

    def _position(self) -> dict[str, Any]:
        """The table as the person at the device may see it."""
        return self.state.view(self._at_device, self.hands).to_json()

    def _called(self, player: int) -> str:
        return player_name(self.state.to_json(), player, self.match.names)

    def _name(self, player: int | None) -> Text:
        return Text() if player is None else Text(self._called(player), style=seat_style(player))

    def _print(self, *parts: RenderableType) -> None:
        for part in parts:
            self.console.print(part)


_COMMANDS: dict[str, Callable[[Game, str], None]] = {
    "show": Game._show,
    "moves": Game._moves,
    "hint": Game._hint,
    "companions": Game._companions,
    "undo": Game._undo,
    "save": Game._save,
    "resume": Game._resume,
    "help": Game._help,
    "?": Game._help,
    "quit": Game._quit,
    "exit": Game._quit,
}
