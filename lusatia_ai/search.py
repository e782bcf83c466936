"""Searching a position for the best move: the loop over parallel trees, its result, and analysis in the background.

>>> import lusatia_ai as la
>>> view = la.State.new(seed=7).view(hands="known")
>>> result = la.search(view, la.Limit(iterations=200), seed=1)
>>> result.iterations, result.best == result.moves[0].move
(200, True)
"""

from __future__ import annotations

import queue
import sys
import threading
import time as clock
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np

from ._belief import Worlds
from ._search import NODE_SIZE, Searcher
from ._tables import Move, Tables
from .errors import LusatiaError
from .evaluation import evaluator_for
from .limits import LEAST_MEMORY, Limit, SearchParams
from .reading import cut
from .solver import Concept, Objective, Solution, solve
from .state import Seed, State

DEFAULT_TIME = 1.0
BATCH_TIME = 0.002
"""Seconds between two looks at the clock."""
MARGIN = 0.003
"""Seconds kept back from a time limit for the work after the last batch."""
POOL_COST = 0.012
"""Seconds that a call of joblib takes beyond the work itself; it polls."""
LEAST_FOR_THREADS = 0.06
LEAST_FOR_PROCESSES = 0.6
LEAST_WITHOUT_JOBLIB = 0.4
LEAST_WITHOUT_PROCESSES = 2.0
"""Seconds below which a search stays in the calling thread; the last two, where joblib would have to be imported, and
processes to be started first."""
FIRST_SLICE, MOST_SLICES = 0.3, 8
"""Seconds, and number of parts of the time, after which trees that grow in other processes come back."""
LAST_ROUND = 6
SOLVED_STAGES = ("tax_collection", "storing", "final_scoring")
"""Of the last round: from then on nothing is left to chance."""
SOLVING_SHARE = 0.5
"""Of a time limit, what the solver may take of it."""
SOLVED_EACH = 20
"""Positions that the solver may try for each iteration that the search may do; they take about as long."""
SOLVER_MEMORY = 128 * 2**20
PACE = 60_000
"""Iterations a second, to guess how long a search without a time limit will take."""
PROGRESS_TIME = 0.1
INDEPENDENT_GAMES = 60
"""Independent games that the iterations on one move are worth at most, however many they are: what the tree happens to
prefer early on decides where it looks later. Measured by `benchmarks/errors.py`."""
FIRST_BATCH = 16
"""Iterations before the first look at the clock, also where the time is over already."""
FIRST_CHECK = 256
"""Iterations of each tree before `confidence` is looked at; then after every quarter more."""


class Observation(Protocol):
    """What a search works on: a `View`, or anything that knows as much about a seat, such as a `Belief`."""

    @property
    def seat_to_act(self) -> int | None: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def tables(self) -> Tables: ...
    def worlds(self) -> Worlds: ...


@dataclass(frozen=True, slots=True)
class MoveStats:
    """What a search found out about one move. Tuples are by human seat.

    Attributes:
        move: the move.
        visits: iterations that tried it, those of an earlier search included whose tree was kept.
        availability: iterations in which it was legal at the root.
        value: mean win share after it (0 to 1; a shared win is split).
        favour: mean final favour after it.
        rank: mean final rank after it, from 1.
        stderr: standard error of `value`: how far it would scatter with another seed.
        favour_stderr: standard error of `favour`.
        rank_stderr: standard error of `rank`.
        line: the moves that follow most often, this one first.
    """

    move: Move
    visits: int
    availability: int
    value: tuple[float, ...]
    favour: tuple[float, ...]
    rank: tuple[float, ...]
    stderr: tuple[float, ...]
    favour_stderr: tuple[float, ...]
    rank_stderr: tuple[float, ...]
    line: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer of a search.

    Attributes:
        seat: who decides.
        moves: the moves tried, best (most visited) first; equals by mean value, then in canonical order. Before all
            others the one that the solver has found best, if it has.
        iterations: simulated games of this search.
        elapsed: seconds.
        tree_size: nodes of all trees.
        stopped_by: "time", "iterations", "memory", "confidence", "stop" or "interrupt"; "" on the way;
            "exact" if the best move was known for sure and nothing else was asked for.
        exact: whether the best move is known for sure, by the solver; the statistics are sampled all the same.
    """

    seat: int
    moves: tuple[MoveStats, ...]
    iterations: int
    elapsed: float
    tree_size: int
    stopped_by: str = ""
    exact: bool = False

    @property
    def best(self) -> Move:
        """The move to play."""
        return self.moves[0].move

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search before its limit."""
        return self.stopped_by == "interrupt"

    @property
    def iterations_per_second(self) -> float:
        return self.iterations / self.elapsed if self.elapsed else 0.0


def search(
    view_or_state: Observation | State,
    limit: Limit | None = None,
    *,
    seed: Seed = None,
    params: SearchParams | None = None,
    root_moves: Sequence[Move] | None = None,
    n_jobs: int | None = None,
    on_progress: Callable[[SearchResult], None] | None = None,
) -> SearchResult:
    """Search the decision of the seat to act by information-set MCTS.

    Args:
        view_or_state: what the searcher knows: a `View` or a `Belief`. A `State` is first turned into the view of the
            seat to act, hands known.
        limit: when to stop; by default after one second.
        seed: the same seed, parameters and iterations give the same result, bit by bit, on every backend and for
            every number of workers.
        params: how to search.
        root_moves: the moves to choose from; None for all. In worlds where none of them is legal, all are tried.
        n_jobs: workers for `params.trees` trees, as joblib counts them: None is one, or what `joblib.parallel_config`
            says; -1 is all processors. Threads, unless `parallel_config` selects another backend. One tree, the
            default, grows in the calling thread, whatever is said here.
        on_progress: called with what has been found so far: about ten times a second, twice where several threads work,
            more seldom where processes do.

    Ctrl-C ends the search early and returns what has been found.

    Raises:
        LusatiaError: if no seat is to act.
        LimitError, ParamsError: for limits and parameters out of their ranges.
    """
    started = clock.perf_counter()
    tree = SearchTree(view_or_state, seed=seed, params=params, root_moves=root_moves)
    return tree.search(limit, n_jobs=n_jobs, on_progress=on_progress, started=started)


def or_default(limit: Limit | None) -> Limit:
    """The limit; a second if there is none, or one that never stops.

    Raises:
        TypeError: if it is something else, such as a bare number of seconds.
    """
    if limit is not None and not isinstance(limit, Limit):
        raise TypeError(f"limit: expected a Limit, such as la.Limit(time=1), not {limit!r}")
    return limit if limit and limit != Limit() else Limit(time=DEFAULT_TIME)


def as_view(view_or_state: Observation | State) -> Observation:
    """The view itself, or that of the seat to act with all hands known.

    Raises:
        LusatiaError: if no seat is to act.
        TypeError: if it is something else.
    """
    if not hasattr(view_or_state, "seat_to_act"):
        raise TypeError(f"expected a State, a View or a Belief, not {cut(repr(view_or_state))}")
    if view_or_state.seat_to_act is None:
        reason = "the game is over" if view_or_state.is_over else "chance is to be drawn"
        raise LusatiaError(f"nothing to decide here: {reason}")
    return view_or_state.view(hands="known") if isinstance(view_or_state, State) else view_or_state


class SearchTree:
    """The trees of a search, which can be kept from one decision to the next.

    Args:
        view_or_state, seed, params, root_moves: as for `search`.
    """

    def __init__(
        self,
        view_or_state: Observation | State,
        *,
        seed: Seed = None,
        params: SearchParams | None = None,
        root_moves: Sequence[Move] | None = None,
    ) -> None:
        self.params = params or SearchParams()
        self._only = None if root_moves is None else tuple(move.code for move in root_moves)
        self._seeds = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self._trees: list[Searcher] = []
        self._nodes = 0
        self._solved: Move | None = None
        self._look_at(view_or_state)

    def _look_at(self, view_or_state: Observation | State) -> None:
        self.view = as_view(view_or_state)
        self.seat: int = self.view.seat_to_act  # type: ignore[assignment]  # as_view has looked
        self.tables: Tables = self.view.tables

    def _plant(self, limit: Limit) -> None:
        """Make the trees, unless they have been kept."""
        nodes = self.params.nodes_for(limit)
        if self._trees and nodes == self._nodes:
            return
        self._nodes = nodes
        worlds, evaluator, settings = self.view.worlds(), evaluator_for(self.tables), self.params.settings()
        words = [int(child.generate_state(1, np.uint64)[0]) for child in self._seeds.spawn(self.params.trees)]
        self._trees = [Searcher(worlds, evaluator, self.seat, word, settings, nodes, self._only) for word in words]

    def _tree_of(self, move: Move) -> Searcher:
        """A look at one move alone, for figures of a move that the search has not come to."""
        evaluator, settings = evaluator_for(self.tables), self.params.settings()
        tree = Searcher(self.view.worlds(), evaluator, self.seat, 0, settings, LEAST_MEMORY // NODE_SIZE, (move.code,))
        return grow(tree, 1, None, _Stop())

    def advance(self, played: Sequence[tuple[int, Move]], view_or_state: Observation | State) -> bool:
        """Go on to a later decision of the same seat, and keep what matches it of the trees.

        Args:
            played: (seat, move) for every move since the last position searched, in order.
            view_or_state: what the searcher knows now.

        Returns:
            Whether all trees could keep something.
        """
        seat, restricted = self.seat, self._only is not None
        self._look_at(view_or_state)
        self._only = None
        if not self._trees or self.seat != seat or restricted:
            self._trees = []
            return False
        worlds = self.view.worlds()
        codes = [(mover, move.code) for mover, move in played]
        kept = [tree.advance(codes, worlds) for tree in self._trees]
        return all(kept)

    def search(
        self,
        limit: Limit | None = None,
        *,
        n_jobs: int | None = None,
        on_progress: Callable[[SearchResult], None] | None = None,
        started: float | None = None,
        settle: bool = False,
    ) -> SearchResult:
        """Search on, as `lusatia_ai.search` does.

        Args:
            started: the `time.perf_counter` from which the time counts.
            settle: whether a best move that is known for sure is all that is wanted: then only it is looked at.
        """
        limit = or_default(limit)
        return self._run(limit, n_jobs, on_progress, started or clock.perf_counter(), _Stop(), settle)

    def _run(
        self,
        limit: Limit,
        n_jobs: int | None,
        on_progress: Callable[[SearchResult], None] | None,
        started: float,
        stop: _Stop,
        settle: bool = False,
    ) -> SearchResult:
        self._plant(limit)
        try:
            self._solved = None
            self._solved = self._solve(limit, stop)
            if settle and self._solved is not None:
                return self.result(started, "exact")
            reason = _Run(self, limit, n_jobs, on_progress, started, stop).until_limit()
        except KeyboardInterrupt:
            stop.set_and_wait()
            for tree in self._trees:  # some may have found nothing, or not be back from elsewhere
                grow(tree, FIRST_BATCH, None, stop)
            reason = "interrupt"
        return self.result(started, reason)

    def _solve(self, limit: Limit, stop: _Stop) -> Move | None:
        """The best move, where the rest of the game is certain and small enough to be tried out.

        A larger margin over the best rival is never a smaller utility, as long as rank has no weight in it, but for
        games that end level, where guards decide (rules 8.6).
        """
        params, worlds = self.params, self.view.worlds()
        if params.rank or self._only or not worlds.certain:
            return None
        state = State()
        state._setup(self.tables, True, 0)
        worlds.sample_into(state, 0)
        seconds = None if limit.time is None else max(0.001, limit.time * SOLVING_SHARE)
        objective: Objective = "favour" if params.backup == "own" else "margin" if params.favour else "win"
        concept: Concept = "paranoid" if params.backup == "paranoid" else "maxn"
        most = None if limit.iterations is None else SOLVED_EACH * limit.iterations
        memory = (limit.memory or params.memory) - sum(tree.tree_size for tree in self._trees) * NODE_SIZE
        within = Limit(time=seconds, iterations=most, memory=max(LEAST_MEMORY, min(SOLVER_MEMORY, memory)))
        solution = solve_rest(state, params, within, objective, concept, stop.__bool__)
        return solution.best[0] if solution else None

    @property
    def iterations(self) -> int:
        """Iterations of this search."""
        return sum(tree.iterations for tree in self._trees)

    def result(self, started: float, stopped_by: str = "") -> SearchResult:
        """What all trees together have found."""
        stats = [self._stats(code, parts) for code, parts in self._merged().items()]
        solved = self._solved
        stats.sort(
            key=lambda entry: (entry.move is not solved, -entry.visits, -entry.value[self.seat], entry.move.text)
        )
        exact = bool(stats) and stats[0].move is solved
        elapsed = clock.perf_counter() - started
        size = sum(tree.tree_size for tree in self._trees)
        return SearchResult(self.seat, tuple(stats), self.iterations, elapsed, size, stopped_by, exact)

    def _merged(self) -> dict[int, list[tuple[Any, ...]]]:
        merged: dict[int, list[tuple[Any, ...]]] = {}
        for tree in self._trees:
            for code, entry in tree.moves().items():
                merged.setdefault(code, []).append((*entry, tree))
        if self._solved is not None and self._solved.code not in merged:
            tree = self._tree_of(self._solved)
            merged[self._solved.code] = [(*tree.moves()[self._solved.code], tree)]
        return merged

    def _stats(self, code: int, parts: list[tuple[Any, ...]]) -> MoveStats:
        n = sum(part[3] for part in parts)
        columns = [
            tuple(sum(by_tree) for by_tree in zip(*(part[4][i] for part in parts), strict=True)) for i in range(6)
        ]
        win, favour, rank, *squares = (tuple(total / n for total in column) for column in columns)
        deepest: Searcher = max(parts, key=lambda part: part[0])[5]
        line = tuple(self._move(follower) for _, follower in deepest.line(code))
        return MoveStats(
            self._move(code),
            sum(part[0] for part in parts),
            sum(part[1] for part in parts),
            win,
            favour,
            rank,
            standard_errors(win, squares[0], n, INDEPENDENT_GAMES),
            standard_errors(favour, squares[1], n, INDEPENDENT_GAMES),
            standard_errors(rank, squares[2], n, INDEPENDENT_GAMES),
            line,
        )

    def _move(self, code: int) -> Move:
        move: Move = self.tables.move(code)
        return move


def solve_rest(
    state: State,
    params: SearchParams,
    limit: Limit,
    objective: Objective,
    concept: Concept = "maxn",
    should_stop: Callable[[], bool] | None = None,
) -> Solution | None:
    """Best play to the end of the game, where nothing is left to chance and the solver finds it in time.

    Args:
        limit: of the solver, besides `params.solve` positions.

    Raises:
        KeyboardInterrupt: if Ctrl-C ended the solver.
    """
    if not params.solve or state.round < LAST_ROUND or state.stage not in SOLVED_STAGES:
        return None
    limit = replace(limit, iterations=min(params.solve, limit.iterations or params.solve))
    solution = solve(state, objective=objective, concept=concept, horizon="game", limit=limit, should_stop=should_stop)
    if solution.interrupted:
        raise KeyboardInterrupt
    return solution if solution.status == "exact" else None


def standard_errors(means: Sequence[float], squares: Sequence[float], n: int, independent: int) -> tuple[float, ...]:
    """Standard errors of means over n iterations; of a single one, the mean itself.

    Args:
        means, squares: the means, and those of the squares.
        independent: how many independent iterations all of them are worth at most.
    """
    if n < 2:
        return tuple(abs(mean) for mean in means)
    pairs, share = zip(means, squares, strict=True), _share_of_variance(n, independent)
    return tuple(sqrt(max(0.0, square - mean * mean) * share) for mean, square in pairs)


def _share_of_variance(n: int, independent: int = INDEPENDENT_GAMES) -> float:
    """What the square of a standard error is of the variance, for a mean over n iterations."""
    return 1 / max(n - 1, 1) + 1 / independent


class _Stop:
    """Ends all threads of a search, and knows when they have ended. It does not reach other processes."""

    def __init__(self) -> None:
        self._wanted = False
        self._working = 0
        self._changed = threading.Condition()

    def set(self) -> None:
        self._wanted = True

    def __bool__(self) -> bool:
        return self._wanted

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Around the work of one thread."""
        with self._changed:
            self._working += 1
        try:
            yield
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def set_and_wait(self) -> None:
        """End all threads; come back when none of them touches a tree any more."""
        self.set()
        with self._changed:
            self._changed.wait_for(lambda: not self._working)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Stop, ()


@dataclass(slots=True)
class _Run:
    """One search on its way: slices of work, between which progress is reported and limits are looked at."""

    forest: SearchTree
    limit: Limit
    n_jobs: int | None
    on_progress: Callable[[SearchResult], None] | None
    started: float
    stop: _Stop
    overhead: float = 0.0  # seconds that the last slice in other processes took beyond the work

    def until_limit(self) -> str:
        """Search until a limit is reached; returns which."""
        wanted = self._shares(self.limit.iterations) if self.limit.iterations is not None else None
        check = FIRST_CHECK
        while True:
            goal = wanted
            if self.limit.confidence is not None:
                goal = [min(check, most) for most in wanted or [check] * len(self.forest._trees)]
            self._grow_to(goal)
            reason = self._reason(wanted)
            if reason:
                return reason
            if self.limit.confidence is not None and self._reached(goal):
                if self._settled(self.limit.confidence):
                    return "confidence"
                check += check // 4
            if self.on_progress is not None:
                self.on_progress(self.forest.result(self.started))

    def _shares(self, iterations: int) -> list[int]:
        """Iterations for each tree."""
        trees = len(self.forest._trees)
        return [iterations // trees + (i < iterations % trees) for i in range(trees)]

    def _reached(self, goal: list[int] | None) -> bool:
        trees = self.forest._trees
        return goal is not None and all(tree.iterations >= most for tree, most in zip(trees, goal, strict=True))

    def _reason(self, wanted: list[int] | None) -> str:
        if self.stop:
            return "stop"
        if self._reached(wanted):
            return "iterations"
        if self._left() is not None and self._left() <= MARGIN and self.forest.iterations:  # type: ignore[operator]
            return "time"
        if self.limit.memory is not None and all(tree.full for tree in self.forest._trees):
            return "memory"
        return ""

    def _left(self) -> float | None:
        """Seconds until the time limit."""
        if self.limit.time is None:
            return None
        return self.started + self.limit.time - clock.perf_counter()

    def _grow_to(self, goal: list[int] | None) -> None:
        """One slice of work: towards `goal` iterations of each tree, for as long as a slice may take."""
        left = self._left()
        guess = left if left is not None else 1e9
        if goal is not None:
            guess = min(guess, (sum(goal) - self.forest.iterations) / PACE)
        if guess < (LEAST_FOR_THREADS if "joblib" in sys.modules else LEAST_WITHOUT_JOBLIB):
            return self._grow_here(goal)
        workers, shared = _workers(self.n_jobs, len(self.forest._trees))
        least = 0.0 if shared else LEAST_FOR_PROCESSES if _warm.is_set() else LEAST_WITHOUT_PROCESSES
        if workers == 1 or guess < least:
            return self._grow_here(goal)
        if not shared and not self.overhead:
            self._warm_up(workers)
        return self._grow_apart(goal, workers, shared)

    def _warm_up(self, workers: int) -> None:
        """Start the processes, which may take long, before it is settled how much time there is for a slice."""
        import joblib

        joblib.Parallel(n_jobs=self.n_jobs, batch_size=1)(joblib.delayed(_import_this)() for _ in range(workers))
        self.overhead = 3 * POOL_COST
        _warm.set()

    def _grow_here(self, goal: list[int] | None) -> None:
        trees, left = self.forest._trees, self._left()
        ends = clock.perf_counter() + (min(PROGRESS_TIME, left - MARGIN) if left is not None else PROGRESS_TIME)
        share = (ends - clock.perf_counter()) / len(trees)
        for i, tree in enumerate(trees):
            grow(tree, goal[i] if goal else None, share, self.stop, self._until_full)

    def _grow_apart(self, goal: list[int] | None, workers: int, shared: bool) -> None:
        """In threads or processes; from these trees come back after each slice, so that not all is lost by Ctrl-C."""
        import joblib

        trees, left = self.forest._trees, self._left()
        turns = -(-len(trees) // workers)
        seconds = PROGRESS_TIME * (5 if shared else 10) if self._sliced() or not shared else None
        if left is not None:
            most = left - MARGIN - (POOL_COST if shared else 2 * self.overhead)
            if not shared and seconds is not None:
                seconds = max(seconds, most / MOST_SLICES) if self.forest.iterations else FIRST_SLICE
            seconds = most if seconds is None or most < 1.5 * seconds else seconds
        share = None if seconds is None else max(0.001, seconds / turns)
        jobs = (
            joblib.delayed(grow)(tree, goal[i] if goal else None, share, self.stop, self._until_full)
            for i, tree in enumerate(trees)
        )
        began = clock.perf_counter()
        self.forest._trees = joblib.Parallel(n_jobs=self.n_jobs, prefer="threads", batch_size=1)(jobs)
        self.overhead = max(3 * POOL_COST, clock.perf_counter() - began - (share or 0.0) * turns)

    @property
    def _until_full(self) -> bool:
        return self.limit.memory is not None

    def _sliced(self) -> bool:
        """Whether somebody wants to hear of it before the end."""
        return self.on_progress is not None or self.limit.memory is not None or self.limit.time is None

    def _settled(self, confidence: float) -> bool:
        """Whether every other move is worse than the best one, with this confidence.

        The games on a move that was hardly tried may be alike by chance: they are taken to vary as the best one's do.
        """
        best, *others = self.forest.result(self.started).moves
        seat, z = self.forest.seat, NormalDist().inv_cdf(confidence)
        square = best.stderr[seat] ** 2
        variance = square / _share_of_variance(best.visits)
        return all(
            best.value[seat] - other.value[seat]
            >= z * sqrt(square + max(other.stderr[seat] ** 2, variance * _share_of_variance(other.visits)))
            for other in others
        )


def grow(tree: Searcher, goal: int | None, seconds: float | None, stop: _Stop, until_full: bool = False) -> Searcher:
    """Let one tree grow up to `goal` iterations, for at most so many seconds, and `until_full` as long as it has room.

    A tree without iterations does some, whatever else holds: there is always something found.

    Returns:
        The tree: the same object in a thread, a copy from another process.
    """
    with stop.watching():
        _grow(tree, goal, seconds, stop, until_full)
    return tree


def _grow(tree: Searcher, goal: int | None, seconds: float | None, stop: _Stop, until_full: bool) -> None:
    now = clock.perf_counter()
    ends = None if seconds is None else now + seconds
    batch = FIRST_BATCH
    while True:
        left = batch if goal is None else min(batch, goal - tree.iterations)
        over = stop or (ends is not None and now >= ends) or (until_full and tree.full)
        if left <= 0 or (over and tree.iterations):
            break
        tree.run(left, until_full)
        then, now = now, clock.perf_counter()
        pace = left / max(now - then, 1e-6)
        batch = max(1, min(2 * batch, int(pace * BATCH_TIME)))


_warm = threading.Event()
"""Set once this process has used others."""


def _import_this() -> None:
    """The work by which another process shows that it is ready."""


def _workers(n_jobs: int | None, trees: int) -> tuple[int, bool]:
    """How many trees can grow at a time on the backend that joblib would use, and whether it shares memory."""
    if trees == 1:
        return 1, True
    import joblib  # it takes as long to import as everything else here

    parallel = joblib.Parallel(n_jobs=n_jobs, prefer="threads")
    workers = min(trees, joblib.effective_n_jobs(n_jobs))
    return workers, bool(getattr(parallel._backend, "supports_sharedmem", False))


class Analysis:
    """A search in the background: iterate over it for its progress, `stop` it, or use it as a context manager.

    Made by `analysis`. Iterating gives a `SearchResult` as often as `search` calls `on_progress`, and ends with it.

    Attributes:
        latest: the last result so far, or None before the first.
    """

    def __init__(self, tree: SearchTree, limit: Limit, n_jobs: int | None) -> None:
        self.latest: SearchResult | None = None
        self._stop = _Stop()
        self._queue: queue.SimpleQueue[SearchResult | BaseException | None] = queue.SimpleQueue()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, args=(tree, limit, n_jobs), daemon=True)
        self._thread.start()

    def _work(self, tree: SearchTree, limit: Limit, n_jobs: int | None) -> None:
        try:
            self._report(tree._run(limit, n_jobs, self._report, clock.perf_counter(), self._stop))
        except BaseException as error:
            self._error = error
        self._queue.put(None)

    def _report(self, result: SearchResult) -> None:
        self.latest = result
        self._queue.put(result)

    def __iter__(self) -> Iterator[SearchResult]:
        while True:
            result = self._queue.get()
            if not isinstance(result, SearchResult):
                self._queue.put(None)
                break
            yield result
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """End the search; `wait` gives what it has found."""
        self._stop.set()

    def wait(self) -> SearchResult:
        """The final result, when the search has ended."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self.latest is not None
        return self.latest

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()


def analysis(
    view_or_state: Observation | State,
    limit: Limit | None = None,
    *,
    seed: Seed = None,
    params: SearchParams | None = None,
    n_jobs: int | None = None,
) -> Analysis:
    """Begin a search in the background, as python-chess does; arguments as for `search`.

    Without a limit it goes on until it is stopped.

    >>> import lusatia_ai as la
    >>> with la.analysis(la.State.new(seed=7), la.Limit(iterations=500), seed=1) as run:
    ...     for result in run:
    ...         best = result.best
    >>> run.wait().iterations
    500
    """
    return Analysis(SearchTree(view_or_state, seed=seed, params=params), limit or Limit(), n_jobs)
