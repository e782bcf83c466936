"""Game records: what happened in a game, event by event (formats.md, "Record")."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ._tables import Move
from .components import ComponentSet, complete_edition
from .errors import Fault, LusatiaError, NotationError, PositionError, RecordError
from .position import parse_json, read_components, read_variant, write_components
from .reading import Reader, shown
from .rules import Variant
from .state import State

_KEYS = ("format", "version", "components", "variant", "names", "events", "result")
_EVENT_KEYS = ("seat", "move", "comment", "time")

Event = dict[str, Any]


class Record:
    """A game from its set-up on, which may stop anywhere.

    A record that is read is replayed at once. Whatever does not follow from the events before it is left out with all
    that comes after, and noted in `faults`: so the rest of a damaged file can still be used, as python-chess does it.

    Attributes:
        variant, components: the game that is played.
        names: one for each player, automas included.
        events: chance objects, and moves as `{"seat": n, "move": text}` with optional `comment` and `time` (seconds).
        faults: what was wrong in the input; empty for a sound record.
    """

    def __init__(self, variant: Variant, components: ComponentSet, names: Sequence[str]) -> None:
        self.variant = variant
        self.components = components
        self.names: list[str] = list(names)
        self.events: list[Event] = []
        self.faults: list[Fault] = []
        self._state = State.new(variant, components=components, seed=0, chance="manual")

    @classmethod
    def new(
        cls,
        variant: Variant | None = None,
        *,
        components: ComponentSet | None = None,
        names: Sequence[str] | None = None,
    ) -> Record:
        """An empty record; its state waits for the set-up.

        Args:
            names: one for each player, automas included; by default "Player 1", ..., "Automa 1", ...
        """
        variant = variant or Variant()
        names = list(names) if names is not None else _default_names(variant)
        if len(names) != variant.players or not all(isinstance(name, str) for name in names):
            raise RecordError([Fault("names", repr(names), f"{variant.players} texts, one for each player")])
        return cls(variant, components or complete_edition(), names)

    # Reading and writing

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str | bytes, *, strict: bool = False) -> Record:
        """Read a record from a dict or from its text.

        Args:
            strict: raise also for faults that leave a usable record.

        Raises:
            RecordError: if it is no record at all, or with `strict` for any fault, all of them listed.
        """
        if isinstance(data, (str, bytes)):
            try:
                data = parse_json(data, "record")
            except PositionError as error:
                raise RecordError(error.faults) from None
        faults: list[Fault] = []
        root = Reader(faults, data, "", "record")
        record = cls._from_head(root)
        if record is None:
            raise RecordError(faults)
        record.faults = faults
        record._read_events(root["events"])
        record._read_result(root)
        if strict and faults:
            raise RecordError(faults)
        return record

    @classmethod
    def _from_head(cls, root: Reader) -> Record | None:
        """The record without its events; None if it cannot be told which game it is of."""
        root.keys(_KEYS)
        known = root["format"].choice(["lusatia-record"]) and root["version"].whole(1, 1)
        components = read_components(root["components"])
        variant = read_variant(root["variant"], components)
        if not known or components is None or variant is None:
            return None
        names = [entry.value for entry in root["names"].entries(variant.humans, variant.players, "names")]
        for index, name in enumerate(names):
            if not isinstance(name, str):
                root["names"].at(index).reject("a text")
        given = [name if isinstance(name, str) else "" for name in names]
        return cls(variant, components, given + _default_names(variant)[len(given) :])

    def _read_events(self, reader: Reader) -> None:
        for entry in reader.entries(0, 100_000, "events"):
            try:
                self._read_event(entry)
            except LusatiaError as error:
                left_out = len(reader.value) - len(self.events) if isinstance(reader.value, (list, tuple)) else 0
                entry.fault(str(error), f"an event that follows from those before it ({left_out} events are left out)")
                return

    def _read_event(self, entry: Reader) -> None:
        if not entry.has("move") and not entry.has("seat"):
            self.append(entry.value)
            return
        entry.keys(_EVENT_KEYS)
        seat, move = entry["seat"].value, entry["move"].value
        if not isinstance(move, str) or not isinstance(seat, int):
            raise LusatiaError("an event without a seat or a move")
        comment = _given(entry["comment"])
        time = _given(entry["time"])
        self.append(move, seat=seat, comment=comment, time=time)

    def _read_result(self, root: Reader) -> None:
        if not root.has("result") or any(fault.place.startswith("events") for fault in self.faults):
            return  # with events left out, the result cannot be told
        expected = self.result
        if expected is None:
            root["result"].fault("a result", "none before the game is over")
        elif root["result"].value != expected:
            root["result"].fault(json.dumps(root["result"].value, default=str)[:200], json.dumps(expected))

    def to_json(self) -> dict[str, Any]:
        """The record as a dict, as formats.md describes it."""
        data: dict[str, Any] = {
            "format": "lusatia-record",
            "version": 1,
            "components": write_components(self.components),
            "variant": self.variant.to_json(),
            "names": list(self.names),
            "events": [dict(event) for event in self.events],
        }
        return data if self.result is None else data | {"result": self.result}

    @classmethod
    def load(cls, path: str | PathLike[str], *, strict: bool = False) -> Record:
        """Read a file; see `from_json`.

        Raises:
            RecordError: also if the file cannot be read.
        """
        try:
            data = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise RecordError([Fault(str(path), found, "a readable file")]) from None
        return cls.from_json(data, strict=strict)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the record to a file, as a whole or not at all."""
        path = Path(path)
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(self.to_json(), indent=1) + "\n", encoding="utf-8")
        part.replace(path)

    # Playing on

    def append(
        self,
        event: Move | str | Mapping[str, Any] | object,
        *,
        seat: int | None = None,
        comment: str | None = None,
        time: float | None = None,
    ) -> Record:
        """Add a move or a chance object, if it is possible after the events so far.

        Args:
            event: as for `State.apply`.
            seat: who moves; checked if given.
            comment, time: kept with a move.

        Raises:
            NotationError, IllegalMoveError: as for `State.apply`; the record is unchanged.
            LusatiaError: if another seat is to act, or a comment or time is none.
        """
        if not isinstance(event, (Move, str)):
            if not isinstance(event, Mapping):
                raise NotationError(f"bad event {shown(event)}: allowed is a move or a chance object")
            kept = _plain(event)
            self._state.apply(kept)
            self.events.append(kept)
            return self
        actor = self._state.seat_to_act
        if seat is not None and (seat != actor or isinstance(seat, bool)):
            raise LusatiaError(f"seat {seat!r} cannot move: the position waits for {self._waits_for()}")
        extras = _extras(comment, time)
        self._state.apply(event)
        self.events.append({"seat": actor, "move": str(event)} | extras)
        return self

    def draw_chance(self, rng: np.random.Generator | int) -> Record:
        """Draw and add all chance events up to the next decision."""
        generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
        while self._state.is_chance:
            self.append(self._state.sample_chance(generator))
        return self

    def _waits_for(self) -> str:
        if self._state.is_over:
            return "nothing, the game being over"
        return "chance" if self._state.is_chance else f"seat {self._state.seat_to_act}"

    def state(self, turns: int | None = None) -> State:
        """The position after the first `turns` events, by default after all; an independent copy in manual mode."""
        if turns is None or turns >= len(self.events):
            return self._state.clone()
        if turns < 0:
            raise ValueError(f"turns is {turns}; allowed: 0 to {len(self.events)}")
        state = State.new(self.variant, components=self.components, seed=0, chance="manual")
        for event in self.events[:turns]:
            state.apply(event.get("move", event))
        return state

    def replay(self) -> Iterator[tuple[State, Event]]:
        """Each event with the position before it (an independent copy)."""
        state = self.state(0)
        for event in self.events:
            yield state.clone(), event
            state.apply(event.get("move", event))

    @property
    def result(self) -> dict[str, list[int]] | None:
        """Final favour and guards of the humans, and who won; None as long as the game goes on."""
        if not self._state.is_over:
            return None
        guards = self._state.raw()["guards"][: self.variant.humans]
        return {"favour": list(self._state.favour), "guards": guards, "winners": list(self._state.winners)}

    def __repr__(self) -> str:
        return f"<Record: {len(self.events)} events, {self._state!r}>"


def _default_names(variant: Variant) -> list[str]:
    humans = [f"Player {index + 1}" for index in range(variant.humans)]
    return humans + [f"Automa {index + 1}" for index in range(variant.automas)]


def _plain(value: Any) -> Any:
    """The same in dicts and lists, whatever kinds of mapping and sequence the caller uses."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _given(reader: Reader) -> Any:
    """The value of an optional key; None if it is missing, and null is no value for it."""
    if reader.is_null():
        raise LusatiaError(f"null at {reader.place}")
    return None if reader.is_missing else reader.value


def _extras(comment: str | None, time: float | None) -> Event:
    """The optional keys of a move's event."""
    extras: Event = {}
    if comment is not None:
        if not isinstance(comment, str):
            raise LusatiaError(f"comment {comment!r}: allowed is a text")
        extras["comment"] = comment
    if time is not None:
        if not isinstance(time, (int, float)) or isinstance(time, bool) or not 0 <= time < 1e9:
            raise LusatiaError(f"time {time!r}: allowed are seconds from 0")
        extras["time"] = time
    return extras
