"""What one seat knows and guesses of a game that it follows event by event (rules 10).

>>> import lusatia_ai as la
>>> state = la.State.new(seed=7, chance="manual")
>>> belief = la.Belief.new_game(state.variant, seat=1)
>>> for _ in range(4):
...     event = state.sample_chance(1) if state.is_chance else state.legal_moves()[0]
...     _ = belief.observe(event), state.apply(event)
>>> belief.sample() == state
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._belief import (
    GuardFilter,
    Worlds,
    carry_on,
    most_handed_over,
    pass_over_farmers,
    pass_over_farmers_until,
    reveal_hand_over,
    set_hand,
)
from ._tables import Move, Tables
from .components import ComponentSet, complete_edition
from .errors import BeliefError, IllegalMoveError, NotationError
from .evaluation import evaluator_for
from .legality import why_illegal
from .notation import parse_move, read_chance
from .observation import View
from .position import MOST_GUARDS, LoadedPosition
from .prior import load_prior
from .reading import shown
from .rules import Variant
from .state import Seed, State, word_from

HIDDEN = "hidden"
"""As an event: another seat has decided on a hand-over, unseen (rules 8.2)."""

Event = Move | str | Mapping[str, Any] | None
HandOver = tuple[int, int]  # seat, token


@dataclass(frozen=True, slots=True)
class Hand:
    """What is known or guessed of a hand.

    Attributes:
        known: nothing about it is guessed.
        guards: the expected number of guards.
        chances: of each number of guards that is not all but impossible.
        estates: expected symbols of each estate, in the order of the component set's sorted ids.
    """

    known: bool
    guards: float
    chances: dict[int, float]
    estates: tuple[float, ...]

    def __str__(self) -> str:
        symbols = "/".join(f"{count:.3g}" for count in self.estates)
        return f"{self.guards:.3g} guards, symbols {symbols}" + ("" if self.known else " (guessed)")


class Belief:
    """Follows a game as an attentive player does.

    All gains and payments are open. So who starts from known hands (`new_game`, or a view with `hands="known"`) knows
    every hand ever after. Who starts from a view that hides hands guesses them: estate cards by a prior from self-play,
    guards by such a prior, by what each event rules out, and by how likely a player of that wealth would have made each
    move. A seat's guards depend on nothing that is hidden elsewhere; so each seat's possibilities are followed one by
    one and exactly, and none is lost by chance.

    Searches take a belief as they take a `View`. What a belief says never depends on a hand that its seat cannot know.

    Args:
        view: what is seen at the start.
        seed: of what `sample` draws when it is given no seed.

    Attributes:
        seat: the seat that follows the game.
        tables: the component set and variant, compiled.
    """

    def __init__(self, view: View, *, seed: Seed = None) -> None:
        self.seat: int = view.seat
        self.tables: Tables = view.tables
        self._raw_start = view.raw()
        self._cards = view.hidden_cards()
        self._hidden_estates = view.hidden_estates
        self._table = State()
        self._table._setup(self.tables, True, 0)
        self._table._load_raw(self._raw_start)
        self._filters: dict[int, GuardFilter] = {}
        for seat in view.hidden_guards:
            possible, most = view.guards_of(seat)
            evaluator = evaluator_for(self.tables)
            self._filters[seat] = GuardFilter(self._table, seat, possible, most, load_prior().tail, evaluator)
        self._unseen: list[HandOver] = view.unseen_hand_overs()
        self._told: dict[HandOver, int] = {}
        self._last: int | None = None  # the last hand-over, as a move, while choices are still to be told
        self._draws = np.random.SeedSequence(word_from(seed))
        self._assume()

    @classmethod
    def new_game(
        cls, variant: Variant | None = None, seat: int = 0, *, components: ComponentSet | None = None, seed: Seed = None
    ) -> Belief:
        """A belief of a seat from before the set-up, which knows all hands.

        Args:
            variant: the rules in force; four humans by default.
            seat: the human seat that follows the game.
            components: the component set; `complete_edition()` by default.
            seed: as for `Belief`.
        """
        start = State.new(variant, components=components or complete_edition(), seed=0, chance="manual")
        return cls(start.view(seat, hands="known"), seed=seed)

    # Following the game

    def observe(self, event: Event = None, view: View | None = None) -> Belief:
        """Take in what happens next.

        Args:
            event: a move (a `Move`, its text, or as in records `{"seat": 2, "move": "pass"}`) or a chance object.
                `HIDDEN` or None when another seat decides on a hand-over: these choices are seen when all are made.
                Told earlier they are kept back till then; those that are missing then have to be told one by one, as
                moves. (Before a hand-over of the own seat, given with its seat, HIDDEN can be left out.) None
                together with a view just looks at the table.
            view: what the seat sees after the event. Where hands are known it is not needed. With hidden hands it tells
                what events alone do not: the favour of who paid with the king's help, and which Farmers were not asked
                for want of guards. (Without it a `pass` is taken as that of a Farmer that may have been asked; an event
                with its seat says more.)

        Returns:
            The belief itself. After an error it is unchanged.

        Raises:
            NotationError: if the event is none.
            IllegalMoveError: if it is not possible here, whatever the hidden hands.
            BeliefError: if no hand that the seat can have allows it, or if it contradicts the view.
        """
        before = self._saved()
        try:
            if event is not None or view is None:
                self._take(event)
            if view is not None:
                self._look(view)
            self._assume()
        except BaseException:
            self._restore(before)
            raise
        return self

    def _saved(self) -> tuple[Any, ...]:
        filters = {seat: possible.clone() for seat, possible in self._filters.items()}
        return self._table.clone(), filters, list(self._unseen), dict(self._told), self._last

    def _restore(self, saved: tuple[Any, ...]) -> None:
        self._table, self._filters, self._unseen, self._told, self._last = saved

    def _take(self, event: Event) -> None:
        if isinstance(event, Mapping) and "move" not in event:
            self._take_chance(event)
            return
        seat: Any = None
        if isinstance(event, Mapping):
            seat, event = event.get("seat"), event["move"]
            if not isinstance(seat, int) or isinstance(seat, bool):
                raise NotationError(f"bad event: seat {shown(seat)} of the move {shown(event)}; allowed is a seat")
        if event is None or event == HIDDEN:
            self._take_unseen(seat)
        elif isinstance(event, (Move, str)):
            self._take_move(parse_move(self.tables, str(event)), seat)
        else:
            raise NotationError(f"bad event {shown(event)}: allowed is a move, a chance object, or {HIDDEN!r}")

    def _take_chance(self, event: Mapping[str, Any]) -> None:
        pass_over_farmers(self._table, self._mask, -1, 0)
        outcome = read_chance(self._table, event)
        for seat, possible in self._filters.items():
            possible.follow_chance(outcome, self._mask)
            self._require(possible, f"chance decides ({next(iter(event))}), but seat {seat} must have been asked first")
        self._table._apply_outcome(outcome)

    def _take_unseen(self, seat: int | None) -> None:
        table = self._table
        if self._last is not None or table.decision != "hand_over" or table.seat_to_act == self.seat:
            raise IllegalMoveError("only another seat's decision on a hand-over is made unseen (rules 8.2)")
        self._require_actor(seat)
        self._hand_over(None)

    def _take_move(self, move: Move, seat: int | None) -> None:
        table = self._table
        if table.decision == "hand_over" and seat == self.seat and self._last is None:
            while table.seat_to_act not in (seat, None) and self._last is None:  # the others have chosen meanwhile
                self._hand_over(None)
        if self._last is not None or (table.seat_to_act != seat and seat in [other for other, _ in self.untold]):
            self._tell(move, seat)
            return
        pass_over_farmers(table, self._mask, -1 if seat is None else seat, move.code)
        actor = self._require_actor(seat)
        others_choice = table.decision == "hand_over" and actor != self.seat
        if others_choice:
            self._check_hand_over(move, (actor, table.raw()["token"]))
        elif actor not in self._filters and not table.is_legal_code(move.code):
            raise IllegalMoveError(f"illegal move {move.text!r}: {why_illegal(table, move)}")
        if table.decision == "hand_over":
            self._hand_over(move.code)
        else:
            self._follow(actor, move)

    def _require_actor(self, seat: int | None) -> int:
        """The seat to act, which must be `seat` if that is given."""
        actor = self._table.seat_to_act
        if actor is None:
            waits = "the game is over" if self.is_over else "the position waits for chance, not for a move"
            raise IllegalMoveError(waits)
        if seat is not None and seat != actor:
            raise IllegalMoveError(f"seat {seat} cannot move: seat {actor} is to decide on {self._table.decision}")
        return actor

    def _follow(self, actor: int, move: Move) -> None:
        """Carry on with a move that is seen; the filter of the actor tells first whether it can be made."""
        for seat in sorted(self._filters, key=lambda seat: seat != actor):
            possible, before = self._filters[seat], self._bounds(seat)
            possible.follow(actor, move.code, False, self._mask)
            if possible.most < 0:
                if seat == actor:
                    self._explain(seat, move, *before)
                raise BeliefError(f"seat {actor} moves {move.text!r}, but seat {seat} must have been asked before that")
        carry_on(self._table, move.code)

    def _explain(self, seat: int, move: Move, low: int, high: int) -> None:
        """Raise the error for a move that none of `low` to `high` guards of the seat allows."""
        table, favour = self._table, self._table.raw()["favour"][seat]
        set_hand(table, seat, MOST_GUARDS, favour)
        if not table.is_legal_code(move.code):
            raise IllegalMoveError(f"illegal move {move.text!r}: {why_illegal(table, move)}")
        set_hand(table, seat, high, favour)
        reason = "" if table.is_legal_code(move.code) else f": {why_illegal(table, move)}"
        had = f"at most {high}" if reason else f"only {low} to {high}"
        raise BeliefError(f"seat {seat} moves {move.text!r}, but can have had {had} guards and {favour} favour{reason}")

    # Hand-overs (rules 8.2)

    def _hand_over(self, code: int | None) -> None:
        """The seat to act decides; another one's choice counts as 0 guards until all are made."""
        table, raw = self._table, self._table.raw()
        choice: HandOver = (raw["seat"], raw["token"])
        nothing = self.tables.moves["hand_over:0"].code
        carried_out = code if choice[0] == self.seat and code is not None else nothing
        if choice[0] != self.seat:
            self._unseen.append(choice)
            if code is not None:
                self._told[choice] = code & 0xFF
        after = table.clone()
        carry_on(after, carried_out)
        if after.is_over:
            self._last = carried_out
            self._finish()
        else:
            carry_on(table, carried_out)
            for possible in self._filters.values():
                possible.follow(choice[0], carried_out, True, self._mask)

    def _tell(self, move: Move, seat: int | None) -> None:
        """A choice that was made unseen is told: the first one, or the first one of this seat."""
        choices = [choice for choice in self.untold if seat in (None, choice[0])]
        if not choices:
            missing = self.untold[0][0]
            raise IllegalMoveError(f"seat {seat} has nothing to tell: the hand-over of seat {missing} is to be told")
        choice = choices[0]
        self._check_hand_over(move, choice)
        self._told[choice] = move.code & 0xFF
        if self._last is not None:
            self._finish()

    def _check_hand_over(self, move: Move, choice: HandOver) -> None:
        """Whether another seat may have handed over so many guards, those that it has told already being gone."""
        seat, token = choice
        high = self._bounds(seat)[1] if seat in self._filters else self._table.raw()["guards"][seat]
        high -= sum(guards for (other, _), guards in self._told.items() if other == seat)
        most = min(most_handed_over(self._table, token), high)
        if not move.text.startswith("hand_over:") or move.code & 0xFF > most:
            raise IllegalMoveError(
                f"illegal move {move.text!r}: seat {seat} hands over to {self.tables.tokens[token]}, "
                f"hand_over:0 to hand_over:{most}"
            )

    def _finish(self) -> None:
        """Once every choice is told, all take place, and the game is over."""
        if self.untold:
            return
        for seat, token in self._unseen:
            guards = self._told[seat, token]
            for possible in self._filters.values():
                possible.reveal(seat, token, guards)
            reveal_hand_over(self._table, seat, token, guards)
        assert self._last is not None
        carry_on(self._table, self._last)
        self._unseen, self._told, self._last = [], {}, None

    @property
    def untold(self) -> list[HandOver]:
        """Hand-overs (seat, token number) of which it is not known how many guards were given, in order."""
        return [choice for choice in self._unseen if choice not in self._told]

    # Looking at the table

    def _look(self, view: View) -> None:
        """Take in what a view shows beyond the events."""
        if view.seat != self.seat or not view.tables.same_game(self.tables):
            raise BeliefError(f"a view of seat {view.seat} or of another game; expected is this game, seat {self.seat}")
        seen, strict = view.raw(), self._favour_is_followed()
        pass_over_farmers_until(self._table, self._mask, view.core)
        for seat, possible in self._filters.items():
            low, high = view.guard_bounds(seat) if seat in view.hidden_guards else (seen["guards"][seat],) * 2
            least, most = self._bounds(seat)
            favour, favours = seen["favour"][seat], sorted(self._favours(seat))
            possible.keep(view.core, low, high, favour if strict else -1, self._mask)
            self._require(
                possible,
                f"the view shows seat {seat} with {favour} favour and {low} to {high} guards at {view.decision!r}; "
                f"after the events it can have {favours} favour and {least} to {most} guards",
            )
            possible.settle(favour)
            self._table_hand(seat, favour)
        self._compare(view, seen)

    def _favours(self, seat: int) -> set[int]:
        return {favour for _, favour, _ in self._filters[seat].possible()}

    def _favour_is_followed(self) -> bool:
        """Whether each seat's favour follows from the events and its own hand: not once Gamekeepers may have compared
        what was not known (rules 8.1), and not after the scoring of hidden hands."""
        if self._table.stage == "final_scoring":
            return all(len(self._favours(seat)) == 1 for seat in self._filters)
        return not self.is_over

    def _compare(self, view: View, seen: Mapping[str, Any]) -> None:
        """Whatever is open must be on the table as the events have led there."""
        skipped = {"judged_favour", "judged_guards", "judged_after", "guards", "estates"}
        guessed = bool(self._filters or self._hidden_estates)
        if view.is_over and guessed:  # the scores at the end depend on hidden hands
            for seat, favour in enumerate(seen["favour"]):
                self._table_hand(seat, favour)
        table = self._table.raw()
        for key, value in table.items():
            if key not in skipped and seen[key] != value:
                raise BeliefError(f"the view shows {key} {seen[key]}; after the events it is {value}")
        for key, hidden_here, hidden_there in (
            ("guards", tuple(self._filters), tuple(view.hidden_guards)),
            ("estates", self._hidden_estates, view.hidden_estates),
        ):
            for seat, value in enumerate(table[key]):
                if seat not in (*hidden_here, *hidden_there) and seen[key][seat] != value:
                    raise BeliefError(
                        f"the view shows {key} of seat {seat} as {seen[key][seat]}; after the events they are {value}"
                    )

    def _table_hand(self, seat: int, favour: int) -> None:
        set_hand(self._table, seat, self._table.raw()["guards"][seat], favour)

    @staticmethod
    def _require(possible: GuardFilter, contradiction: str) -> None:
        if possible.most < 0:
            raise BeliefError(contradiction)

    # What is believed

    @property
    def _mask(self) -> int:
        return sum(1 << seat for seat in self._filters)

    def _bounds(self, seat: int) -> tuple[int, int]:
        """The fewest and the most guards that a seat with hidden guards can have."""
        possible = self._filters[seat]
        return possible.possible()[0][0], possible.most

    def _assume(self) -> None:
        """Give the table, and each filter for the other seats, a likely hand in the place of the hidden ones.

        Who may have a guard is given one, so that its Farmers are asked; in storing, as many as it may have.
        """
        for seat, possible in self._filters.items():
            left = possible.possible()
            guards = round(sum(number * weight for number, _, weight in left))
            most = left[-1][0]
            guards = most if self._table.stage == "storing" else min(max(guards, 1), most)
            favour = max(left, key=lambda entry: entry[2])[1]
            if not self.is_over:
                set_hand(self._table, seat, guards, favour)
                for other, filter_ in self._filters.items():
                    if other != seat:
                        filter_.assume(seat, guards, favour)

    @property
    def variant(self) -> Variant:
        """The rules in force."""
        variant: Variant = self.tables.variant
        return variant

    @property
    def seat_to_act(self) -> int | None:
        """The seat that decides; None at a chance event, when the game is over, and when hand-overs are to be told."""
        return None if self._last is not None else self._table.seat_to_act

    @property
    def decision(self) -> str | None:
        """What is decided; `chance` at a chance event, None when the game is over."""
        return self._table.decision

    @property
    def is_over(self) -> bool:
        return self._table.is_over

    @property
    def is_chance(self) -> bool:
        """Whether the position waits for a chance event."""
        return self._table.is_chance

    @property
    def certain(self) -> bool:
        """Whether nothing is guessed."""
        return not (self._filters or self._hidden_estates or self._unseen)

    def worlds(self) -> Worlds:
        """The source of worlds that searches draw from.

        Raises:
            BeliefError: if hand-overs are still to be told, or if the game is over and hands are guessed.
        """
        if self._last is not None:
            raise BeliefError(f"the hand-over of seat {self.untold[0][0]} is to be told first")
        if self.is_over and not self.certain:
            raise BeliefError("the game is over: there is nothing to guess any more")
        prior = load_prior()
        guards = [
            (seat, possible.possible_at(self._table), possible.most, prior.tail)
            for seat, possible in self._filters.items()
        ]
        return Worlds(self._table, guards, *self._cards, self._unseen, prior.hand_over_all)

    def sample(self, seed: Seed = None) -> State:
        """A world: a full position that is believed possible, hidden hands and future chance drawn by `seed`."""
        if seed is None:
            seed = self._draws.spawn(1)[0]
        state = State()
        state._setup(self.tables, False, 0)
        self.worlds().sample_into(state, word_from(seed))
        return state

    def view(self) -> View:
        """What the seat sees now, its own conclusions about guards as ranges."""
        raw = self._table.raw()
        for seat in self._filters:
            raw["guards"][seat] = 0
        for seat in self._hidden_estates:
            raw["estates"][seat] = [0] * 3
        raw["judged_after"] = self._raw_start.get("judged_after", 0)
        del raw["judged_favour"], raw["judged_guards"]
        ranges = {seat: self._bounds(seat) for seat in self._filters}
        return View(LoadedPosition(self.tables, raw, self.seat, ranges, self._hidden_estates))

    def hands(self, samples: int = 1000) -> dict[int, Hand]:
        """What each human seat is believed to hold.

        Args:
            samples: worlds from which expected estate symbols are estimated where they are guessed; always the same.
        """
        raw = self._table.raw()
        estates = {seat: tuple(map(float, raw["estates"][seat])) for seat in range(self.variant.humans)}
        if self._hidden_estates and not self.is_over and self._last is None:
            estates |= self._expected_estates(samples)
        hands = {}
        for seat in range(self.variant.humans):
            chances = self._chances(seat) if seat in self._filters else {raw["guards"][seat]: 1.0}
            guards = sum(number * chance for number, chance in chances.items())
            known = len(chances) == 1 and seat not in self._hidden_estates
            known = known and all(seat != unseen for unseen, _ in self._unseen)
            hands[seat] = Hand(known, guards, chances, estates[seat])
        return hands

    def _chances(self, seat: int) -> dict[int, float]:
        possible, tail = self._filters[seat], load_prior().tail
        chances: dict[int, float] = {}
        guards = weight = 0.0
        for guards, _, weight in possible.possible():
            chances[int(guards)] = chances.get(int(guards), 0.0) + weight
        for number in range(int(guards) + 1, possible.most + 1):
            weight *= tail
            if weight < 1e-9:
                break
            chances[number] = weight
        total = sum(chances.values())
        return {number: chance / total for number, chance in chances.items()}

    def _expected_estates(self, samples: int) -> dict[int, tuple[float, ...]]:
        state, worlds = State(), self.worlds()
        state._setup(self.tables, False, 0)
        totals = np.zeros((self.variant.players, 3))
        for word in np.random.SeedSequence(0).generate_state(samples, np.uint64):
            worlds.sample_into(state, int(word))
            totals += state.raw()["estates"]
        return {seat: tuple((totals[seat] / samples).tolist()) for seat in self._hidden_estates}

    def __repr__(self) -> str:
        hidden = sorted(self._filters) or sorted(self._hidden_estates)
        hands = f"hands of {hidden} guessed" if hidden else "hands known"
        return f"<Belief of seat {self.seat}: round {self._table.round}, {self.decision}, {hands}>"
