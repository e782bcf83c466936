"""Searching a position for the best move: limits, the search loop and its result."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass

from ._search import Searcher
from ._tables import Move
from .errors import Fault, LimitError
from .observation import View
from .state import Seed, State, word_from

DEFAULT_TIME = 1.0
BATCH = 32
MARGIN = 0.002
"""Seconds kept back from a time limit for the work after the last batch."""


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search stops: at the first of these that is reached. Without any, after one second.

    Attributes:
        time: seconds, from 0.001 to 86,400.
        iterations: simulated games, from 1 to 10**9.
    """

    time: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        faults = []
        number = isinstance(self.time, (int, float)) and not isinstance(self.time, bool)
        if self.time is not None and not (number and 0.001 <= self.time <= 86_400):
            faults.append(Fault("time", repr(self.time), "seconds from 0.001 to 86400"))
        whole = isinstance(self.iterations, int) and not isinstance(self.iterations, bool)
        if self.iterations is not None and not (whole and 1 <= self.iterations <= 10**9):
            faults.append(Fault("iterations", repr(self.iterations), "a whole number from 1 to 1000000000"))
        if faults:
            raise LimitError(faults)


@dataclass(frozen=True, slots=True)
class MoveStats:
    """What a search found out about one move.

    Attributes:
        move: the move.
        visits: iterations that tried it.
        availability: iterations in which it was legal at the root.
        value: for each human seat, mean win share after it (0 to 1; a shared win is split).
        favour: for each human seat, mean final favour after it.
    """

    move: Move
    visits: int
    availability: int
    value: tuple[float, ...]
    favour: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer of a search.

    Attributes:
        seat: who decides.
        moves: the moves tried, best (most visited) first; equals by mean value, then in canonical order.
        iterations: simulated games.
        elapsed: seconds.
        tree_size: nodes of the tree.
        interrupted: whether Ctrl-C ended the search before its limit.
    """

    seat: int
    moves: tuple[MoveStats, ...]
    iterations: int
    elapsed: float
    tree_size: int
    interrupted: bool = False

    @property
    def best(self) -> Move:
        """The move to play."""
        return self.moves[0].move

    @property
    def iterations_per_second(self) -> float:
        return self.iterations / self.elapsed if self.elapsed else 0.0


def search(
    view_or_state: View | State,
    limit: Limit | None = None,
    *,
    seed: Seed = None,
    on_progress: Callable[[SearchResult], None] | None = None,
) -> SearchResult:
    """Search the decision of the seat to act by information-set MCTS.

    Args:
        view_or_state: what the searcher knows. A `State` is first turned into the view of the seat to act, hands known.
        limit: when to stop; by default after one second.
        seed: the same seed and number of iterations give the same result, bit by bit.
        on_progress: called about ten times a second with what has been found so far.

    Ctrl-C ends the search early and returns what has been found, if anything has.

    Raises:
        ValueError: if no seat is to act.
        LimitError: for a limit out of its range.
    """
    started = clock.perf_counter()
    seat = view_or_state.seat_to_act
    if seat is None:
        reason = "the game is over" if view_or_state.is_over else "chance is to be drawn"
        raise ValueError(f"nothing to decide here: {reason}")
    view = as_view(view_or_state)
    limit = limit or Limit()
    searcher = Searcher(view.worlds(), word_from(seed))
    run = _Run(view, seat, searcher, started)
    try:
        run.until(limit, on_progress)
    except KeyboardInterrupt:
        if not searcher.iterations:
            raise
        return run.result(interrupted=True)
    return run.result()


def as_view(view_or_state: View | State) -> View:
    """The view itself, or that of the seat to act with all hands known."""
    return view_or_state.view(hands="known") if isinstance(view_or_state, State) else view_or_state


@dataclass(slots=True)
class _Run:
    """One search on its way."""

    view: View
    seat: int
    searcher: Searcher
    started: float

    def until(self, limit: Limit, on_progress: Callable[[SearchResult], None] | None) -> None:
        """Iterate in batches, between which the clock is read, progress reported and Ctrl-C heard."""
        seconds = limit.time if limit.time is not None else (DEFAULT_TIME if limit.iterations is None else None)
        deadline = None if seconds is None else self.started + seconds - MARGIN
        report_at = self.started + 0.1
        while True:
            now = clock.perf_counter()
            if deadline is not None and now >= deadline and self.searcher.iterations:
                return
            left = BATCH if limit.iterations is None else limit.iterations - self.searcher.iterations
            if left <= 0:
                return
            if on_progress is not None and now >= report_at and self.searcher.iterations:
                on_progress(self.result())
                report_at = now + 0.1
            self.searcher.run(min(left, BATCH if self.searcher.iterations else 1))

    def result(self, interrupted: bool = False) -> SearchResult:
        stats = [
            MoveStats(self.view.tables.move(code), visits, available, value, favour)
            for code, visits, available, value, favour in self.searcher.moves()
        ]
        stats.sort(key=lambda entry: (-entry.visits, -entry.value[self.seat], entry.move.text))
        elapsed = clock.perf_counter() - self.started
        return SearchResult(
            self.seat, tuple(stats), self.searcher.iterations, elapsed, self.searcher.tree_size, interrupted
        )
