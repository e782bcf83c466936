"""The state of a game: the Python face of the forward model, meant to feel like python-chess.

>>> import lusatia_ai as la
>>> state = la.State.new(la.Variant(humans=4), seed=7)
>>> state.decision, state.seat_to_act
('travel', 2)
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ._core import StateCore
from ._tables import Move, Tables
from .components import ComponentSet, complete_edition
from .errors import Fault, IllegalMoveError, PositionError
from .legality import why_illegal
from .notation import parse_move, read_chance, write_chance
from .position import LoadedPosition, compile_tables, parse_json, read_position, write_position
from .rules import Variant

if TYPE_CHECKING:
    from .observation import View

Seed = int | np.random.SeedSequence | None
Chance = Literal["auto", "manual"]


class Result(NamedTuple):
    """How a game ended.

    Attributes:
        favour: final favour of each human seat.
        winners: the winning seats, ascending; several share the win (rules 8.6).
    """

    favour: tuple[int, ...]
    winners: tuple[int, ...]


class State(StateCore):
    """A full position of one game, hidden hands included, that moves and chance events carry on.

    Make one with `State.new` or `State.from_json`. What a player may know of it is its `view`.

    With `chance="auto"` every chance event is drawn from the state's own seeded stream as soon as it comes up, so that
    the state always waits for a decision (but for a position loaded at a chance event: `draw_chance` goes on from
    there). With `chance="manual"` the state stops at each chance event, and `apply` is given what happened.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def new(
        cls,
        variant: Variant | None = None,
        *,
        components: ComponentSet | None = None,
        seed: Seed = None,
        chance: Chance = "auto",
    ) -> State:
        """A new game.

        Args:
            variant: the rules in force; four humans by default.
            components: the component set; `complete_edition()` by default.
            seed: of the stream of chance; None takes fresh entropy from the system.
            chance: "auto" draws all chance up to the first decision, "manual" waits at the set-up.
        """
        state = cls()
        tables = compile_tables(components or complete_edition(), variant or Variant())
        state._setup(tables, _is_manual(chance), word_from(seed))
        if not state.manual:
            state.draw_chance()
        return state

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str | bytes, *, seed: Seed = None, chance: Chance = "auto") -> State:
        """Read a position, strictly.

        Args:
            data: a dict as formats.md describes it, or its text. It is not changed, and nothing is drawn.
            seed: of the stream of chance that later draws come from; None takes fresh entropy.
            chance: as in `new`.

        Raises:
            PositionError: with every fault found: its place, what was found, what is allowed.
        """
        loaded = read_position(parse_json(data) if isinstance(data, (str, bytes)) else data)
        if loaded.view is not None:
            allowed = "a full position; a view is read by View.from_json"
            raise PositionError([Fault("view", str(loaded.view), allowed)])
        return cls.from_loaded(loaded, seed=seed, chance=chance)

    @classmethod
    def from_loaded(cls, loaded: LoadedPosition, *, seed: Seed = None, chance: Chance = "manual") -> State:
        """A state from fields that `read_position` has read.

        Raises:
            PositionError: if the self-check of the core finds a fault in them.
        """
        state = cls()
        state._setup(loaded.tables, _is_manual(chance), word_from(seed))
        label = state._load_raw(loaded.raw)
        if label is not None:
            raise PositionError([Fault("position", label, "a position that the rules can bring about")])
        return state

    def to_json(self) -> dict[str, Any]:
        """The position as a dict, exactly as formats.md describes it; it can be dumped as JSON."""
        return write_position(self.tables, self.raw())

    @property
    def variant(self) -> Variant:
        """The rules in force."""
        variant: Variant = self.tables.variant
        return variant

    @property
    def components(self) -> ComponentSet:
        """The component set that is played with."""
        components: ComponentSet = self.tables.components
        return components

    def parse_move(self, text: str) -> Move:
        """The move that a text spells, legal or not.

        Raises:
            NotationError: if it spells none.
        """
        return parse_move(self.tables, text)

    def is_legal(self, move: Move | str) -> bool:
        """Whether the seat to act may make this move now.

        Raises:
            NotationError: if a text spells no move.
        """
        text = move.text if isinstance(move, Move) else move
        return bool(self.is_legal_code(parse_move(self.tables, text).code))

    def apply(self, event: Move | str | Mapping[str, Any]) -> State:
        """Carry out a move, or at a chance event what happened there, in place.

        Args:
            event: a `Move`, its text, or a chance object such as `{"automa_card": "automa_3"}`.

        Returns:
            The state itself, so that calls can be chained.

        Raises:
            NotationError: if it spells no move and no chance event.
            IllegalMoveError: if it is not possible here; the message says why. The state is unchanged.
        """
        if self.tables is None:
            raise TypeError("this state is empty: make states with State.new, State.from_json or clone")
        if isinstance(event, str):
            move = self.tables.moves.get(event) or parse_move(self.tables, event)
        elif isinstance(event, Move):  # its code counts only among moves of the same component set
            move = self.tables.moves.get(event.text) or parse_move(self.tables, event.text)
        elif isinstance(event, Mapping):
            self._apply_outcome(read_chance(self, event))
            return self
        else:
            raise TypeError(f"expected a Move, a text or a chance object, not {event!r}")
        if not self.apply_code(move.code):
            raise IllegalMoveError(f"illegal move {move.text!r}: {why_illegal(self, move)}")
        return self

    def sample_chance(self, rng: np.random.Generator | int | None = None) -> dict[str, Any]:
        """Draw an outcome of the pending chance event, without applying it.

        Args:
            rng: a generator or a seed to draw from; None goes on with the state's own stream, so that a state with
                `chance="manual"` that is given what it has sampled plays the game of `chance="auto"` and the same seed.

        Returns:
            A chance object for `apply`; all outcomes that the pools allow are equally likely draws.

        Raises:
            IllegalMoveError: if the position waits for no chance event.
        """
        event = self.chance_event
        if event is None:
            waits = "the game is over" if self.is_over else f"seat {self.seat_to_act} is to move"
            raise IllegalMoveError(f"no chance event to sample: {waits}")
        return write_chance(self.tables, event, self._sample_outcome(None if rng is None else word_from(rng)))

    def playout(self, seed: int | None = None) -> Result:
        """Play a copy to the end with uniformly random moves.

        Args:
            seed: of moves and chance, 0 to 2**64 - 1; None goes on with the state's own stream, the same each time.
        """
        return Result(*super().playout(seed))

    def view(self, seat: int | None = None, hands: Literal["hidden", "known"] = "hidden") -> View:
        """What one seat may know of this position (rules 10).

        Args:
            seat: a human seat; by default the one to act.
            hands: "hidden" for an observer who sees only the table, "known" for one who has followed all gains and
                payments from the start.
        """
        from .observation import View

        if seat is None:
            seat = self.seat_to_act
            if seat is None:
                raise ValueError("no seat is to act here: say whose view is meant")
        return View.of(self, seat, hands)

    def _repr_svg_(self) -> str:
        """The table as a picture, for notebooks."""
        from .svg import board

        return board(self)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position of the same game; streams of chance do not matter."""
        return isinstance(other, State) and bool(self.same_position(other))

    def __repr__(self) -> str:
        if self.tables is None:
            return "<State: empty>"
        if self.is_over:
            return f"<State: game over, favour {self.favour}, winners {self.winners}>"
        waits = f"chance: {self.chance_event}" if self.is_chance else f"seat {self.seat_to_act}: {self.decision}"
        return f"<State: round {self.round}, {self.stage}, {waits}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.tables, self.raw(), self.stream, self.manual)


def _rebuild(cls: type[State], tables: Tables, raw: dict[str, Any], stream: tuple[int, ...], manual: bool) -> State:
    state = cls()
    state._setup(tables, manual, 0)
    state._load_raw(raw)
    state.stream = stream
    return state


def word_from(seed: Seed | np.random.Generator) -> int:
    """64 bits from a seed, through `numpy.random.SeedSequence`; a Generator gives its next ones."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**64, dtype=np.uint64))
    if seed is None:
        return secrets.randbits(64)  # what SeedSequence() would start from, without its cost
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return int(sequence.generate_state(1, np.uint64)[0])


def _is_manual(chance: str) -> bool:
    if chance not in ("auto", "manual"):
        raise ValueError(f"chance is {chance!r}; allowed: 'auto' or 'manual'")
    return chance == "manual"
