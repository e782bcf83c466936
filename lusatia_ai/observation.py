"""What one seat sees of a position, and the worlds that this allows (rules 10; formats.md, "Player's view")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import product
from math import comb, prod
from typing import Any, Literal

from ._belief import Worlds
from ._core import STAGES, StateCore
from ._tables import Move, Tables
from .contradictions import Cards, cards_gone, decks_held, decks_taken, farmer_passed_over, rests_of
from .errors import Fault, PositionError
from .position import MOST_GUARDS, LoadedPosition, Raw, parse_json, read_position, write_position
from .prior import guards_key, load_prior
from .rules import Variant
from .state import Seed, State, word_from

Rest = tuple[float, tuple[int, ...], tuple[Cards, ...], int]
"""A way in which known hands can be made up, as `Worlds` takes it."""

MOST_WAYS = 16
"""So many ways to make up the known hands are looked at for each estate, the likeliest ones."""

HiddenCards = tuple[list[tuple[int, int]], list[Rest], list[float], int]

VALUES = 64
"""So many numbers of hidden guards have a weight of their own; more are ever less likely."""


class View:
    """A position as one seat sees it. Bots and searches get this, never a `State`.

    Make one with `State.view` or `View.from_json`.

    Attributes:
        seat: the seat that looks.
        tables: the component set and variant, compiled.
    """

    __slots__ = ("_core", "_raw", "hidden_estates", "hidden_guards", "seat", "tables")

    def __init__(self, loaded: LoadedPosition) -> None:
        if loaded.view is None:
            raise ValueError("a full position is no view")
        self.seat: int = loaded.view
        self.tables: Tables = loaded.tables
        self.hidden_guards: dict[int, tuple[int, int]] = dict(loaded.hidden_guards)
        self.hidden_estates: tuple[int, ...] = loaded.hidden_estates
        self._raw: Raw = loaded.raw
        self._core = StateCore()
        self._core._setup(loaded.tables, True, 0)
        self._core._load_raw(loaded.raw)

    @classmethod
    def of(cls, state: State, seat: int, hands: Literal["hidden", "known"]) -> View:
        """See `State.view`."""
        humans = state.variant.humans
        if not isinstance(seat, int) or isinstance(seat, bool) or not 0 <= seat < humans:
            raise ValueError(f"seat is {seat!r}; allowed: a human seat, 0 to {humans - 1}")
        if hands not in ("hidden", "known"):
            raise ValueError(f"hands is {hands!r}; allowed: 'hidden' or 'known'")
        raw = state.raw()
        others = [other for other in range(humans) if other != seat]
        if STAGES[raw["stage"]] == "final_scoring":
            for other in others:
                raw["favour"][other], raw["guards"][other] = raw["judged_favour"][other], raw["judged_guards"][other]
        del raw["judged_favour"], raw["judged_guards"]
        hidden = others if hands == "hidden" else []
        for other in hidden:
            raw["guards"][other], raw["estates"][other] = 0, [0] * 3
        ranges = dict.fromkeys(hidden, (0, MOST_GUARDS))
        return cls(LoadedPosition(state.tables, raw, seat, ranges, tuple(hidden)))

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str | bytes) -> View:
        """Read a view, strictly.

        Raises:
            PositionError: with every fault found.
        """
        loaded = read_position(parse_json(data) if isinstance(data, (str, bytes)) else data)
        if loaded.view is None:
            raise PositionError(
                [Fault("view", "nothing", "the seat that looks; a full position is read by State.from_json")]
            )
        view = cls(loaded)
        shown, made = loaded.raw.get("judged_after", 0), len(view.core._decided_exchanges())
        if shown > made:
            raise PositionError([Fault("hand_overs_shown", str(shown), f"at most {made}, which have been decided on")])
        label = view.sample(0).check()
        if label is not None:
            raise PositionError([Fault("position", label, "a position that the rules can bring about")])
        return view

    def to_json(self) -> dict[str, Any]:
        """The view as a dict, as formats.md describes it."""
        position = write_position(self.tables, self._raw) | {"view": self.seat}
        for seat, bounds in self.hidden_guards.items():
            position["players"][seat]["guards"] = None
            if bounds != (0, MOST_GUARDS):
                position["players"][seat]["guards_range"] = list(bounds)
        for seat in self.hidden_estates:
            position["players"][seat]["estates"] = None
        if self._raw.get("judged_after"):
            position["hand_overs_shown"] = self._raw["judged_after"]
        return position

    def raw(self) -> Raw:
        """The raw fields of the position, as `State.raw` gives them; hidden guards and estates are 0."""
        return deepcopy(self._raw)

    @property
    def core(self) -> StateCore:
        """The position in the core; hidden guards and estates are 0."""
        return self._core

    @property
    def variant(self) -> Variant:
        """The rules in force."""
        variant: Variant = self.tables.variant
        return variant

    @property
    def seat_to_act(self) -> int | None:
        """The seat that decides, or None at a chance event and when the game is over."""
        return self._core.seat_to_act

    @property
    def decision(self) -> str | None:
        """What is decided; `chance` at a chance event, None when the game is over."""
        return self._core.decision

    @property
    def is_over(self) -> bool:
        return self._core.is_over

    @property
    def is_chance(self) -> bool:
        return self._core.is_chance

    def legal_moves(self) -> list[Move]:
        """The legal moves in canonical order, where the view shows enough to know them.

        Raises:
            ValueError: if the seat to act is another one, whose guards are hidden.
        """
        unseen = self.seat_to_act != self.seat and any(seat == self.seat_to_act for seat, _ in self.unseen_hand_overs())
        if self.seat_to_act in self.hidden_guards or unseen:
            raise ValueError(f"the moves of seat {self.seat_to_act} depend on guards that this view hides")
        return self._core.legal_moves()

    def sample(self, seed: Seed = None) -> State:
        """A world: a full position that this view allows, its hidden hands and its future chance drawn by `seed`."""
        state = State()
        state._setup(self.tables, False, 0)
        self.worlds().sample_into(state, word_from(seed))
        return state

    def worlds(self) -> Worlds:
        """The source of worlds that searches draw from: hidden hands by a prior that was learned from self-play."""
        guards = [(seat, *self.guards_of(seat), load_prior().tail) for seat in self.hidden_guards]
        exchanges = self.unseen_hand_overs()
        hand_over_all = load_prior().hand_over_all if exchanges else 0.0
        return Worlds(self._core, guards, *self.hidden_cards(), exchanges, hand_over_all)

    def guards_of(self, seat: int) -> tuple[list[tuple[int, int, float]], int]:
        """What a seat whose guards are hidden can have: possibilities (guards, favour, weight), and the most guards.

        The possibilities are the first `VALUES` from the lowest number on; those up to the most follow with ever less
        weight.
        """
        low, high = self.guard_bounds(seat)
        start, favour = self.tables.components.start, self._raw["favour"][seat]
        key = guards_key(self._raw, seat, start.favour)
        weights = load_prior().guard_weights(key, start.guards, low, min(high, low + VALUES - 1))
        return [(low + index, favour, weight) for index, weight in enumerate(weights)], high

    def hidden_cards(self) -> HiddenCards:
        """What `Worlds` takes as `estates`, `rests`, `held` and `taken`."""
        if not self.hidden_estates:
            return [], [], [0.0] * 4, 0
        chances = load_prior().held[self.variant.players]
        share = len(self.hidden_estates) / self.variant.humans
        held = [chance * share / (chance * share + 1 - chance) for chance in chances]
        estates = [(seat, self._grey_due(seat)) for seat in self.hidden_estates]
        return estates, self._ways_to_make_up_hands(chances), held, decks_taken(self._raw)

    def _grey_due(self, seat: int) -> int:
        """Grey cards that the companions of a seat have brought it, as far as the supply reached (rules 5.4)."""
        if self.tables.variant.easy:
            return 0
        names = [self.tables.tokens[token] for token in self._raw["companions"][seat]]
        due: int = sum(self.tables.components.companion_of(name).effects.grey_cards for name in names)
        taking = self.decision == "grey" and self._raw["seat"] == seat
        return due - (self._raw["grey_left"] if taking else 0)

    def _ways_to_make_up_hands(self, chances: Sequence[float]) -> list[Rest]:
        """The ways in which the known hands can be made up of cards, with their weights and what they leave."""
        ways = list(product(*(self._ways_of_estate(estate, chances) for estate in range(3))))
        due = sum(self._grey_due(seat) for seat in self.hidden_estates)
        fitting = [way for way in ways if sum(grey for _, grey, _, _ in way) == due]
        rests = []
        for way in fitting or ways:
            weights, grey, cards, decks = zip(*way, strict=True)
            rests.append((prod(weights), grey, cards, decks[0] | decks[1] | decks[2]))
        return rests

    def _ways_of_estate(self, estate: int, chances: Sequence[float]) -> list[tuple[float, int, Cards, int]]:
        """The likeliest ways for the cards of an estate: (weight, grey cards left, coloured cards left, decks held)."""
        known = [hand[estate] for seat, hand in enumerate(self._raw["estates"]) if seat not in self.hidden_estates]
        gone, grey = cards_gone(self.tables, self._raw, estate)
        share = 1 - len(self.hidden_estates) / self.variant.humans
        ways = []
        for grey_left, left in rests_of(known, gone, grey, self.tables.components.estate_cards.grey_symbols):
            weight = float(comb(grey, grey_left))
            for cards, rest, chance in zip(gone.values(), left, chances, strict=True):
                weight *= comb(cards, rest) * (chance * share) ** (cards - rest) * (1 - chance * share) ** rest
            ways.append((weight, grey_left, left, decks_held(gone, left)))
        return sorted(ways, reverse=True)[:MOST_WAYS]

    def guard_bounds(self, seat: int) -> tuple[int, int]:
        """Between which numbers the hidden guards of a seat lie, by the view's range and by what is on the table."""
        raw = self._raw
        low, high = self.hidden_guards[seat]
        if raw["rival"] == seat:
            low = max(low, raw["position"][seat] - raw["favour"][seat] // 2)  # a standing bid can be paid (rules 3.5)
        if farmer_passed_over(self.tables, raw, seat):
            high = min(high, 0)
        elif self.decision == "farmer" and raw["seat"] == seat:
            low = max(low, 1)
        return low, max(low, high)

    def unseen_hand_overs(self) -> list[tuple[int, int]]:
        """Hand-over decisions that others have made already, which the view does not show (rules 8.2)."""
        hidden = self._core._decided_exchanges()[self._raw.get("judged_after", 0) :]
        return [(seat, token) for seat, token in hidden if seat != self.seat]

    def _repr_svg_(self) -> str:
        """The table as a picture, for notebooks."""
        from .svg import board

        return board(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        hidden = f"hands of {sorted(self.hidden_guards)} hidden" if self.hidden_guards else "hands known"
        return f"<View of seat {self.seat}: round {self._raw['round']}, {self.decision}, {hidden}>"

    def __reduce__(self) -> tuple[Any, ...]:
        loaded = LoadedPosition(self.tables, self._raw, self.seat, self.hidden_guards, self.hidden_estates)
        return View, (loaded,)
