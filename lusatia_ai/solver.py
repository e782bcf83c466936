"""Exact solving: the best moves and their values where nothing is left to chance, or only automas' events.

>>> import lusatia_ai as la
>>> solution = la.solve(la.State.from_json(open("position.json").read()))  # doctest: +SKIP
>>> solution.status, solution.best, solution.values  # doctest: +SKIP
('exact', (Move('row:royal:1'),), (31.0, 27.0, 22.0))
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal, get_args

from ._solver import Solver, farmers_of
from ._tables import Move
from .errors import Fault, SolveError
from .limits import Limit
from .observation import View
from .state import Seed, State, word_from

Objective = Literal["favour", "margin", "win"]
Concept = Literal["maxn", "paranoid"]
Horizon = Literal["stage", "round", "game"]
Ties = Literal["first", "worst", "best"]
Status = Literal["exact", "bound", "sampled"]

OPTIONS: dict[str, tuple[str, ...]] = {
    "objective": get_args(Objective),
    "concept": get_args(Concept),
    "horizon": get_args(Horizon),
    "ties": get_args(Ties),
}

DEFAULT_MEMORY = 2**30
"""Bytes that a solver may use to remember positions, unless a limit says otherwise."""
MARGIN = 0.002
"""Seconds kept back from a time limit for the work after the search."""
MOST_NODES = 2**63


@dataclass(frozen=True, slots=True)
class RoundValue:
    """A simple linear value of a round's end: favour, and fixed prices for what will bring favour later.

    Attributes:
        guard: favour that a guard in the hand is worth.
        symbol: favour that a symbol on an estate card is worth.
    """

    guard: float = 0.0
    symbol: float = 0.0


@dataclass(frozen=True, slots=True)
class MoveValue:
    """What the solver knows about one legal move.

    Attributes:
        move: the move.
        values: for each human seat, the value after this move (see `Solution.values`).
        bounds: for each human seat, between which bounds its value lies; equal ones if it is exact.
        favour: with the objective "win", for each human seat the favour that comes with the value; otherwise empty.
        errors: if worlds were sampled, for each human seat the standard error of its value; otherwise empty.
        best_share: the share of sampled worlds in which this move is one of the best; 1 or 0 if hands are known.
    """

    move: Move
    values: tuple[float | None, ...]
    bounds: tuple[tuple[float, float], ...]
    favour: tuple[float | None, ...] = ()
    errors: tuple[float, ...] = ()
    best_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer of the solver.

    Attributes:
        seat: who decides.
        status: "exact"; "bound": a limit or Ctrl-C ended the search, and true values lie within `bounds`; "sampled":
            hands are hidden, and all figures are means over worlds, each solved as if its hands were known to all.
        values: for each human seat its value when all play as solved: favour, or margin over the best rival, or share
            of the win (0 to 1). If the status is "bound", the lower bounds. With the concept "paranoid" only one seat
            has a value: what it can be sure of, whatever the others do; the others' entries are None.
        bounds: for each human seat, between which bounds its value lies (minus to plus infinity where there is none).
        favour: with the objective "win", for each human seat the favour that comes with the value; otherwise empty.
        best: all best moves for who decides, in canonical order; if the status is "bound", all that may be best.
        moves: every legal move, in canonical order.
        line: how all play as solved, (seat, move), up to the horizon or the next chance event; empty unless exact.
        nodes: positions whose moves were tried.
        elapsed: seconds.
        worlds: sampled worlds that were solved; 0 if hands are known.
        interrupted: whether Ctrl-C ended the search.
    """

    seat: int
    status: Status
    values: tuple[float | None, ...]
    bounds: tuple[tuple[float, float], ...]
    favour: tuple[float | None, ...]
    best: tuple[Move, ...]
    moves: tuple[MoveValue, ...]
    line: tuple[tuple[int, Move], ...]
    nodes: int
    elapsed: float
    worlds: int = 0
    interrupted: bool = False


def solve(
    state_or_view: State | View,
    *,
    objective: Objective = "favour",
    concept: Concept = "maxn",
    horizon: Horizon = "stage",
    limit: Limit | None = None,
    ties: Ties = "first",
    seat: int | None = None,
    evaluation: RoundValue | None = None,
    worlds: int = 32,
    seed: Seed = None,
    should_stop: Callable[[], bool] | None = None,
) -> Solution:
    """Solve the decision of the seat to act.

    Args:
        state_or_view: a `State` is solved with all hands known, a `View` with what it shows. If it hides hands that
            matter, sampled worlds are solved instead.
        objective: "favour"; "margin": favour less that of the best rival; "win": the share of the win if the standings
            at the horizon were final (rules 8.6), and among equal shares favour.
        concept: "maxn": each seat takes what is best for itself; "paranoid": all others play against `seat`.
        horizon: "stage": the end of the storing stage, before the clean-up (in final scoring, of the game); "round":
            the start of the next round, in round 6 the end of the game; "game": the end of the game, from round 6 on.
        limit: when to stop, `iterations` being nodes and `memory` bytes to remember positions in; by default never.
        ties: among moves equally good for who decides, the "first" in canonical order, or the "worst" or "best" one
            for `seat` (and of those the first).
        seat: by default the seat to act.
        evaluation: with the horizon "round" before round 6: what the end of the round is worth; by default favour.
        worlds: how many worlds are sampled where hands are hidden, from 1.
        seed: of these worlds.
        should_stop: called every few thousand positions; when it is true, the search ends as at a limit. So another
            thread can end it.

    Events of automas before the horizon count with the mean over all their outcomes.

    Raises:
        SolveError: for an unknown option, or if chance is left that cannot be summed up.
        ValueError: if no seat is to act.
    """
    started = clock.perf_counter()
    decider = state_or_view.seat_to_act
    if decider is None:
        reason = "the game is over" if state_or_view.is_over else "chance is to be drawn"
        raise ValueError(f"nothing to decide here: {reason}")
    question = _Question(objective, concept, horizon, ties, decider if seat is None else seat, evaluation)
    base = state_or_view if isinstance(state_or_view, State) else state_or_view.sample(0)
    question.check(base, worlds)
    budget = _Budget(started, limit, should_stop)
    if isinstance(state_or_view, View) and question.depends_on_hidden(state_or_view, base):
        return _Sampling(question, decider, budget).run(state_or_view, worlds, seed)
    return _solve_one(question, decider, base, budget)


# --- the question and its limits ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked for."""

    objective: Objective
    concept: Concept
    horizon: Horizon
    ties: Ties
    seat: int
    evaluation: RoundValue | None

    def check(self, state: State, worlds: int) -> None:
        """Raise SolveError if it cannot be answered in this position."""
        faults = []
        for name, options in OPTIONS.items():
            if getattr(self, name) not in options:
                faults.append(Fault(name, repr(getattr(self, name)), ", ".join(options)))
        if not _whole(self.seat, 0, state.variant.humans - 1):
            faults.append(Fault("seat", repr(self.seat), f"a human seat, 0 to {state.variant.humans - 1}"))
        if not _whole(worlds, 1, 10**6):
            faults.append(Fault("worlds", repr(worlds), "a whole number from 1 to 1000000"))
        if self.evaluation is not None and not isinstance(self.evaluation, RoundValue):
            faults.append(Fault("evaluation", repr(self.evaluation), "a RoundValue, or None"))
        if self.horizon == "game" and state.round < 6:
            allowed = "'stage' or 'round', since later rounds bring chance that cannot be summed up"
            faults.append(Fault("horizon", f"'game' in round {state.round}", allowed))
        if faults:
            raise SolveError(faults)

    def solver(self, state: State, budget: _Budget) -> Solver:
        solver = Solver(
            state.tables,
            objective=OPTIONS["objective"].index(self.objective),
            horizon=0 if self.horizon == "stage" and state.stage != "final_scoring" else 1,
            paranoid=self.concept == "paranoid",
            ties=OPTIONS["ties"].index(self.ties),
            seat=self.seat,
            table_bytes=budget.memory,
        )
        if self.evaluation is not None and self.horizon == "round":
            solver.value_round_end(float(self.evaluation.guard), float(self.evaluation.symbol))
        return solver

    def depends_on_hidden(self, view: View, world: State) -> bool:
        """Whether hands that the view hides may change the answer."""
        hidden = {*view.hidden_guards, *view.hidden_estates}
        if not hidden and not view.unseen_hand_overs():
            return False
        to_stage = self.horizon == "stage" or (self.horizon == "round" and world.round < 6 and self.evaluation is None)
        if not to_stage or self.objective == "win" or world.stage not in ("tax_collection", "storing"):
            return True
        farmers = farmers_of(world)  # nothing else that is hidden counts before the clean-up
        return any(farmers >> seat & 1 for seat in view.hidden_guards)


def _whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


@dataclass(slots=True)
class _Budget:
    """What is left of a limit."""

    started: float
    limit: Limit | None
    should_stop: Callable[[], bool] | None = None
    nodes: int = 0

    @property
    def memory(self) -> int:
        return getattr(self.limit, "memory", None) or DEFAULT_MEMORY

    @property
    def deadline(self) -> float:
        if self.limit is None or self.limit.time is None:
            return inf
        return self.started + self.limit.time - MARGIN

    @property
    def nodes_left(self) -> int:
        if self.limit is None or self.limit.iterations is None:
            return MOST_NODES
        return max(self.limit.iterations - self.nodes, 0)

    @property
    def elapsed(self) -> float:
        return clock.perf_counter() - self.started


# --- one position -------------------------------------------------------------------------------------------------

Entry = tuple[int, list[float], list[float]]


def _solve_one(question: _Question, decider: int, state: State, budget: _Budget) -> Solution:
    solver, entries = _search(question, state, budget)
    exact = solver.complete and all(low == high for _, low, high in entries)
    verdict = _Verdict(question, decider, state.variant.humans, entries)
    line: tuple[tuple[int, Move], ...] = ()
    if exact:
        line = tuple((seat, state.tables.move(code)) for seat, code in solver.line(state))
    low, high = verdict.root()
    best = verdict.best()
    return Solution(
        seat=decider,
        status="exact" if exact else "bound",
        values=verdict.values(low),
        bounds=verdict.bounds(low, high),
        favour=verdict.favour(low),
        best=tuple(state.tables.move(entries[i][0]) for i in best),
        moves=tuple(
            MoveValue(
                move=state.tables.move(code),
                values=verdict.values(below),
                bounds=verdict.bounds(below, above),
                favour=verdict.favour(below),
                best_share=float(i in best),
            )
            for i, (code, below, above) in enumerate(entries)
        ),
        line=line,
        nodes=solver.nodes,
        elapsed=budget.elapsed,
        interrupted=solver.interrupted,
    )


def _search(question: _Question, state: State, budget: _Budget) -> tuple[Solver, list[Entry]]:
    solver = question.solver(state, budget)
    solver.limit(budget.deadline, budget.nodes_left, budget.should_stop)
    entries = solver.solve(state)
    budget.nodes += solver.nodes
    return solver, entries


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What the bounds of all moves say about the position.

    A value is a list: a utility for each seat, then (if the objective is "win") a favour for each seat.
    """

    question: _Question
    decider: int
    humans: int
    entries: list[Entry]

    @property
    def sign(self) -> int:
        """-1 if who decides plays against the seat whose value is meant."""
        return -1 if self.question.concept == "paranoid" and self.decider != self.question.seat else 1

    def judged(self, value: Sequence[float], seat: int | None = None) -> tuple[float, float]:
        """How good a value is for who decides (or for another seat): larger is better."""
        if seat is None:
            seat = self.question.seat if self.question.concept == "paranoid" else self.decider
        favour = value[self.humans + seat] if self.question.objective == "win" else 0.0
        return self.sign * round(value[seat], 9), self.sign * round(favour, 9)

    def best(self) -> list[int]:
        """The numbers of the moves that may be best: all best ones, if values are exact."""
        pairs = [(low, high) if self.sign > 0 else (high, low) for _, low, high in self.entries]
        sure = max(self.judged(worst) for worst, _ in pairs)
        return [i for i, (_, most) in enumerate(pairs) if self.judged(most) >= sure]

    def root(self) -> tuple[list[float], list[float]]:
        """Bounds of the value of the position."""
        best = self.best()
        if all(self.entries[i][1] == self.entries[i][2] for i in best):
            taken = self.entries[self.taken(best)]
            return taken[1], taken[2]
        lows = [self.entries[i][1] for i in best]
        highs = [self.entries[i][2] for i in best]
        low, high = [min(column) for column in zip(*lows, strict=True)], [max(c) for c in zip(*highs, strict=True)]
        seat = self.question.seat if self.question.concept == "paranoid" else self.decider
        if self.sign > 0:
            low[seat] = max(value[seat] for value in lows)
        else:
            high[seat] = min(value[seat] for value in highs)
        return low, high

    def taken(self, best: list[int]) -> int:
        """Which of the best moves is taken by the rule for ties."""
        if self.question.ties == "first" or self.question.concept == "paranoid":
            return best[0]
        choose = max if self.question.ties == "best" else min
        return choose(best, key=lambda i: self.judged(self.entries[i][1], self.question.seat))

    def _shown(self, seat: int) -> bool:
        return self.question.concept == "maxn" or seat == self.question.seat

    def values(self, value: Sequence[float]) -> tuple[float | None, ...]:
        return tuple(value[seat] if self._shown(seat) else None for seat in range(self.humans))

    def favour(self, value: Sequence[float]) -> tuple[float | None, ...]:
        if self.question.objective != "win":
            return ()
        return tuple(value[self.humans + seat] if self._shown(seat) else None for seat in range(self.humans))

    def bounds(self, low: Sequence[float], high: Sequence[float]) -> tuple[tuple[float, float], ...]:
        return tuple((low[seat], high[seat]) if self._shown(seat) else (-inf, inf) for seat in range(self.humans))


# --- sampled worlds -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sampling:
    """Means over worlds, each of them solved exactly."""

    question: _Question
    decider: int
    budget: _Budget

    def run(self, view: View, worlds: int, seed: Seed) -> Solution:
        legal = [move.code for move in view.legal_moves()]
        first = word_from(seed)
        solved: list[list[Entry]] = []
        interrupted = False
        for number in range(worlds):
            solver, entries = _search(self.question, view.sample((first + number) % 2**64), self.budget)
            interrupted = solver.interrupted
            if not solver.complete:
                break
            solved.append(entries)
        return self.summary(view, legal, solved, interrupted)

    def summary(self, view: View, legal: list[int], solved: list[list[Entry]], interrupted: bool) -> Solution:
        """What the worlds say together; without any, nothing but that every move may be best."""
        humans = view.variant.humans
        width = humans * (2 if self.question.objective == "win" else 1)
        columns = [[world[i][1] for world in solved] for i in range(len(legal))]
        means = [_means(values, width) for values in columns]
        entries: list[Entry] = [
            (code, mean if solved else [-inf] * width, mean if solved else [inf] * width)
            for code, mean in zip(legal, means, strict=True)
        ]
        verdict = _Verdict(self.question, self.decider, humans, entries)
        best_in = [set(_Verdict(self.question, self.decider, humans, world).best()) for world in solved]
        best = verdict.best()
        low, _ = verdict.root()
        move = view.tables.move
        return Solution(
            seat=self.decider,
            status="sampled" if solved else "bound",
            values=verdict.values(low),
            bounds=verdict.bounds([-inf] * width, [inf] * width),
            favour=verdict.favour(low),
            best=tuple(move(legal[i]) for i in best),
            moves=tuple(
                MoveValue(
                    move=move(code),
                    values=verdict.values(below),
                    bounds=verdict.bounds([-inf] * width, [inf] * width),
                    favour=verdict.favour(below),
                    errors=_standard_errors(columns[i], humans) if solved else (),
                    best_share=sum(i in chosen for chosen in best_in) / len(solved) if solved else 1.0,
                )
                for i, (code, below, _) in enumerate(entries)
            ),
            line=(),
            nodes=self.budget.nodes,
            elapsed=self.budget.elapsed,
            worlds=len(solved),
            interrupted=interrupted,
        )


def _means(values: list[list[float]], width: int) -> list[float]:
    return [sum(value[i] for value in values) / len(values) if values else 0.0 for i in range(width)]


def _standard_errors(values: list[list[float]], humans: int) -> tuple[float, ...]:
    n = len(values)
    means = _means(values, humans)
    if n < 2:
        return (inf,) * humans
    squares = [sum((value[i] - means[i]) ** 2 for value in values) for i in range(humans)]
    return tuple(sqrt(square / (n - 1) / n) for square in squares)
