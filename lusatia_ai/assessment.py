"""Every move of a position, valued at comparable effort: `analyse`.

A search spends its iterations on good moves and knows little of the others. An analysis instead searches what follows
each move on its own, gives every move its share, and narrows down to the best by halves (sequential halving, Karnin,
Koren and Somekh 2013). So a bad move has an honest value too.

>>> import lusatia_ai as la
>>> analysis = la.analyse(la.State.new(seed=7), la.Limit(iterations=2000), seed=1)
>>> analysis.seat, analysis.moves[0].loss
(0, 0.0)
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from ._belief import Worlds
from ._evaluation import Evaluator
from ._search import Searcher
from ._tables import Move
from .errors import LusatiaError
from .evaluation import evaluator_for
from .limits import Limit, SearchParams
from .search import (
    SOLVER_MEMORY,
    Observation,
    SearchResult,
    as_view,
    or_default,
    solve_rest,
    standard_errors,
)
from .state import Seed, State, word_from

WORLDS = 64
"""Worlds that stand for a view with hidden hands."""
LEAVES = 12
"""Ways in which chance may go on that are told apart; if there are more, so many are drawn."""
LEAST_NODES = 256
SOLVED_POSITIONS = 50_000
"""Positions that the solver may try to find the end of the game after one move."""
INDEPENDENT_SHARES, INDEPENDENT_FAVOURS = 12, 30
"""Independent games that a search is worth at most, for win shares and for favour, however many it simulates: what its
tree happens to prefer early on decides where it looks later. Measured by `benchmarks/errors.py`."""
STEP = 32
"""Iterations between two looks at the clock."""

SCALES = {
    "value": "win share, 0 to 1, by seat",
    "favour": "final favour, by seat",
    "rank": "from 1, by seat",
    "loss": "win share of the deciding seat, 0 to 1",
    "favour_loss": "favour of the deciding seat",
}
"""What the figures of an analysis mean, for JSON."""

Columns = tuple[tuple[float, ...], ...]


# --- what an analysis says --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MoveAnalysis:
    """What is known about one move. Tuples are by human seat.

    Attributes:
        move: the move.
        value: expected win share (0 to 1; a shared win is split).
        favour: expected final favour.
        rank: expected final rank, from 1; tied seats share the mean of their places.
        stderr, favour_stderr, rank_stderr: standard errors of `value`, `favour` and `rank`: how far they scatter
            between analyses, taking no account of what all of them overlook or of the estimate at the horizon.
        loss: win share that the deciding seat loses against the best move, 0 or more.
        favour_loss: expected favour that it loses against the best move; below 0 if this move brings more favour.
        loss_stderr: standard error of `loss`.
        line: the moves that are likely to follow, this one first, up to where chance is drawn or the search is unsure.
        iterations: simulated games that `value` rests on.
        exact: whether the values are exact, not sampled.
    """

    move: Move
    value: tuple[float, ...]
    favour: tuple[float, ...]
    rank: tuple[float, ...]
    stderr: tuple[float, ...]
    favour_stderr: tuple[float, ...]
    rank_stderr: tuple[float, ...]
    loss: float
    favour_loss: float
    loss_stderr: float
    line: tuple[Move, ...]
    iterations: int
    exact: bool = False

    def to_json(self) -> dict[str, Any]:
        """As a dict for JSON; win shares to 6 places, favour to 4."""
        return {
            "move": self.move.text,
            "value": _rounded(self.value, 6),
            "favour": _rounded(self.favour, 4),
            "rank": _rounded(self.rank, 4),
            "stderr": _rounded(self.stderr, 6),
            "favour_stderr": _rounded(self.favour_stderr, 4),
            "rank_stderr": _rounded(self.rank_stderr, 4),
            "loss": round(self.loss, 6),
            "favour_loss": round(self.favour_loss, 4),
            "loss_stderr": round(self.loss_stderr, 6),
            "line": [move.text for move in self.line],
            "iterations": self.iterations,
            "exact": self.exact,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], parse: Callable[[str], Move]) -> MoveAnalysis:
        """What `to_json` wrote; `parse` makes moves of their texts."""
        fields: dict[str, Any] = dict(data) | {"move": parse(data["move"]), "line": tuple(map(parse, data["line"]))}
        for name in ("value", "favour", "rank", "stderr", "favour_stderr", "rank_stderr"):
            fields[name] = tuple(map(float, data[name]))
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class PositionAnalysis:
    """All moves of a position.

    Attributes:
        seat: who decides; `loss` is of this seat's win share.
        moves: the moves, best first: by how long they stayed in the race, then by win share, then favour. The values of
            moves that were set aside early are brought up to the effort of the best one.
        iterations: simulated games in all.
        elapsed: seconds.
        stopped_by: "iterations", "time", "confidence", or "interrupt"; "known" if nothing had to be simulated.
        solved: whether the first move is known to be best for sure, even if values are sampled.
    """

    seat: int
    moves: tuple[MoveAnalysis, ...]
    iterations: int
    elapsed: float
    stopped_by: str = ""
    solved: bool = False

    @property
    def best(self) -> Move:
        """The move to play."""
        return self.moves[0].move

    @property
    def value(self) -> tuple[float, ...]:
        """Expected win share of each seat if the best move is played."""
        return self.moves[0].value

    @property
    def exact(self) -> bool:
        """Whether all values are exact."""
        return all(entry.exact for entry in self.moves)

    def __getitem__(self, move: Move | str) -> MoveAnalysis:
        """What is known about a move.

        Raises:
            KeyError: if it is not among the moves.
        """
        for entry in self.moves:
            if entry.move.text == str(move):
                return entry
        raise KeyError(str(move))

    def to_json(self) -> dict[str, Any]:
        """As a dict for JSON. It leaves out the time taken, so that equal searches give equal texts."""
        return {
            "seat": self.seat,
            "scale": dict(SCALES),
            "best": self.best.text,
            "iterations": self.iterations,
            "stopped_by": self.stopped_by,
            "moves": [entry.to_json() for entry in self.moves],
        }

    @classmethod
    def of_search(cls, result: SearchResult) -> PositionAnalysis:
        """The same of a search that has been made already: moves it hardly visited have wide standard errors."""
        best = result.moves[0]
        entries = [
            MoveAnalysis(
                entry.move, entry.value, entry.favour, entry.rank,
                entry.stderr, entry.favour_stderr, entry.rank_stderr,
                0.0, 0.0, 0.0, entry.line, entry.visits,
            )
            for entry in result.moves
        ]  # fmt: skip
        moves = _with_losses(entries, result.seat, best.move)
        return cls(result.seat, moves, result.iterations, result.elapsed, result.stopped_by, result.exact)


def _rounded(values: Iterable[float], places: int) -> list[float]:
    return [round(value, places) for value in values]


# --- what can be expected of a position ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standings:
    """Expected final standings, by human seat: see `MoveAnalysis`."""

    value: tuple[float, ...]
    favour: tuple[float, ...]
    rank: tuple[float, ...]
    stderr: tuple[float, ...]
    favour_stderr: tuple[float, ...]
    rank_stderr: tuple[float, ...]


class Prospect:
    """What can be expected after something has happened. More iterations make it surer.

    Args:
        worlds: equally likely positions, in manual mode: those that the observer takes for possible.
        observer: the seat that searches.
        last_round: the search looks ahead to the end of this round.
        params: how to search.
        nodes: of all trees together.
        seed: of everything random here. Prospects with one seed share their random numbers as far as that is possible.
        average: whether the value is the mean over all simulated games, not over those with the main reply; that is
            less sharp, but less noisy.
    """

    def __init__(
        self,
        worlds: Sequence[State],
        observer: int,
        last_round: int,
        params: SearchParams,
        nodes: int,
        seed: np.random.SeedSequence,
        average: bool = False,
    ) -> None:
        groups = _alike(worlds, seed, last_round)
        self.iterations = 0
        self._branches: list[_Branch] = []
        for group in groups:
            self._branches.append(_branch(group, observer, last_round, params, nodes // len(groups), word_from(seed)))
        self.exact = all(isinstance(branch, _Known) and branch.exact for branch in self._branches)
        self._drawn = any(group.drawn for group in groups)
        if average:
            for branch in self._branches:
                if isinstance(branch, _Searched):
                    branch.main_reply = False

    @property
    def known(self) -> bool:
        """Whether more iterations would change nothing."""
        return all(isinstance(branch, _Known) for branch in self._branches)

    def grow(self, iterations: int) -> None:
        """Search for about so many iterations more, at least one for each branch."""
        for branch in self._branches:
            self.iterations += branch.grow(max(1, round(iterations * branch.weight)))

    def standings(self) -> Standings:
        """What is expected now; `grow` first."""
        parts = [(branch.weight, branch.standings()) for branch in self._branches]
        means = [
            tuple(sum(w * getattr(part, name)[seat] for w, part in parts) for seat in range(len(parts[0][1].value)))
            for name in ("value", "favour", "rank")
        ]
        value, favour, rank = means
        errors = [self._errors(parts, name) for name in ("value", "favour", "rank")]
        return Standings(value, favour, rank, *errors)

    def _errors(self, parts: Sequence[tuple[float, Standings]], name: str) -> tuple[float, ...]:
        """Of the weighted mean; what chance drew counts too where not all of it is looked at."""
        error = "stderr" if name == "value" else f"{name}_stderr"
        result = []
        for seat in range(len(parts[0][1].value)):
            square = sum((w * getattr(part, error)[seat]) ** 2 for w, part in parts)
            if self._drawn and len(parts) > 1:
                mean = sum(w * getattr(part, name)[seat] for w, part in parts)
                spread = sum(w * (getattr(part, name)[seat] - mean) ** 2 for w, part in parts)
                square += spread / (len(parts) - 1)
            result.append(sqrt(square))
        return tuple(result)

    def line(self) -> list[int]:
        """Codes of the moves that are likely to follow; none where chance comes first."""
        return self._branches[0].line() if len(self._branches) == 1 else []


@dataclass(slots=True)
class _Group:
    """Positions that look the same to everybody, searched together."""

    states: list[State]
    weights: list[float]
    drawn: bool


def _alike(worlds: Sequence[State], seed: np.random.SeedSequence, last_round: int) -> list[_Group]:
    """Draw automa events up to the next decision, and put together what looks the same then."""
    rng = np.random.default_rng(seed)
    certain = len(worlds) == 1
    groups: dict[tuple[Any, ...], _Group] = {}
    for world in worlds:
        leaves, drawn = unfold(world, rng) if certain else ([_drawn_on(world, rng)], True)
        for weight, path, leaf in leaves:
            key = (path, leaf.seat_to_act, leaf.decision, leaf.is_over)
            group = groups.setdefault(key, _Group([], [], drawn and bool(path)))
            group.states.append(leaf)
            group.weights.append(weight / len(worlds))
    return list(groups.values())


Leaf = tuple[float, tuple[str, ...], State]
"""A weight, what chance has drawn, and the position after it."""


def unfold(state: State, rng: np.random.Generator) -> tuple[list[Leaf], bool]:
    """All ways in which automa events may go on to the next decision, or so many drawn ones if they are many.

    Returns:
        The leaves, whose weights add up to 1, and whether they are drawn.
    """
    leaves: list[Leaf] = [(1.0, (), state)]
    while any(_waits_for_automa(leaf) for *_, leaf in leaves):
        grown: list[Leaf] = []
        for weight, path, leaf in leaves:
            if not _waits_for_automa(leaf):
                grown.append((weight, path, leaf))
                continue
            outcomes = automa_outcomes(leaf)
            for outcome in outcomes:
                grown.append((weight / len(outcomes), (*path, str(outcome)), leaf.clone().apply(outcome)))
        if len(grown) > LEAVES:
            drawn = [_drawn_on(state, rng) for _ in range(LEAVES)]
            return [(1 / LEAVES, path, leaf) for _, path, leaf in drawn], True
        leaves = grown
    return leaves, False


def _waits_for_automa(state: State) -> bool:
    return state.chance_event in ("automa_town", "automa_card")


def _drawn_on(state: State, rng: np.random.Generator) -> Leaf:
    """One way in which automa events may go on."""
    path: tuple[str, ...] = ()
    state = state.clone()
    while _waits_for_automa(state):
        outcome = state.sample_chance(rng)
        path = (*path, str(outcome))
        state.apply(outcome)
    return 1.0, path, state


def automa_outcomes(state: State) -> list[dict[str, Any]]:
    """All outcomes of the automa event that a position waits for; they are equally likely (rules 9.2)."""
    position = state.to_json()
    if state.chance_event == "automa_card":
        return [{"automa_card": card} for card in position["pools"]["automa_cards"]]
    towns = [{"automa_town": entry["town"]} for entry in position["ring"]]
    return [outcome for outcome in towns if _is_possible(state, outcome)]


def _is_possible(state: State, outcome: dict[str, Any]) -> bool:
    try:
        state.clone().apply(outcome)
    except LusatiaError:
        return False
    return True


@dataclass(slots=True)
class _Known:
    """A branch that needs no search: the game is over, the horizon is reached, or the rest of the game is solved."""

    weight: float
    result: Standings
    exact: bool
    moves: list[int] = field(default_factory=list)

    def grow(self, iterations: int) -> int:
        return 0

    def standings(self) -> Standings:
        return self.result

    def line(self) -> list[int]:
        return self.moves


@dataclass(slots=True)
class _Searched:
    """A branch that a search tree looks into."""

    weight: float
    tree: Searcher
    main_reply: bool  # whether the value is that of the main reply, not the mean over all that were tried

    def grow(self, iterations: int) -> int:
        self.tree.run(iterations)
        return iterations

    def standings(self) -> Standings:
        entries = list(self.tree.moves().values())
        if self.main_reply:
            entries = [max(entries, key=lambda entry: entry[0])]
        n = sum(entry[3] for entry in entries)
        win, favour, rank, win_square, favour_square, rank_square = (
            [sum(by_move) / n for by_move in zip(*(entry[4][i] for entry in entries), strict=True)] for i in range(6)
        )
        return Standings(
            tuple(win),
            tuple(favour),
            tuple(rank),
            standard_errors(win, win_square, n, INDEPENDENT_SHARES),
            standard_errors(favour, favour_square, n, INDEPENDENT_FAVOURS),
            standard_errors(rank, rank_square, n, INDEPENDENT_SHARES),
        )

    def line(self) -> list[int]:
        replies = self.tree.moves()
        main = max(replies, key=lambda code: replies[code][0])
        return [code for _, code in self.tree.line(main)]


_Branch = _Known | _Searched


def _branch(group: _Group, observer: int, last_round: int, params: SearchParams, nodes: int, word: int) -> _Branch:
    weight, first = sum(group.weights), group.states[0]
    if first.is_over:
        results = [_final(state) for state in group.states]
        return _Known(weight, _mean_standings(results, group.weights), len(results) == 1)
    evaluator = evaluator_for(first.tables)
    if first.chance_event == "round" and first.round > last_round:
        results = [_estimated(state, evaluator) for state in group.states]
        return _Known(weight, _mean_standings(results, group.weights), False)
    solved = _solved(first, params) if len(group.states) == 1 else None
    if solved is not None:
        end, moves = solved
        return _Known(weight, _final(end), True, moves)
    settings = params.settings() | {"horizon": max(1, last_round - first.round + 1) if params.horizon else 0}
    worlds = Worlds.of_particles(group.states, group.weights)
    tree = Searcher(worlds, evaluator, observer, word, settings, max(LEAST_NODES, nodes))
    return _Searched(weight, tree, worlds.certain and not first.is_chance)


def _solved(state: State, params: SearchParams) -> tuple[State, list[int]] | None:
    """The end of the game by best play, and the moves that lead there, where the solver soon finds them."""
    solution = solve_rest(state, params, Limit(iterations=SOLVED_POSITIONS, memory=SOLVER_MEMORY), "margin")
    if solution is None:
        return None
    end = state.clone()
    for _, move in solution.line:
        end.apply(move)
    return end, [move.code for _, move in solution.line]


def _final(state: State) -> Standings:
    """The standings of a game that is over (rules 8.6)."""
    humans = state.variant.humans
    guards = state.raw()["guards"][:humans]
    scores = list(zip(state.favour[:humans], guards, strict=True))
    share = 1 / len(state.winners)
    win = tuple(share if seat in state.winners else 0.0 for seat in range(humans))
    rank = tuple(
        1 + sum((other > score) + (other == score) * 0.5 for other in scores) - 0.5 for score in scores
    )  # a score equals itself
    zeros = (0.0,) * humans
    return Standings(win, tuple(map(float, state.favour[:humans])), rank, zeros, zeros, zeros)


def _estimated(state: State, evaluator: Evaluator) -> Standings:
    """The standings that are estimated between two rounds."""
    favour = evaluator.favour(state)
    temperature = evaluator.temperatures[state.round - 1]
    rank = tuple(
        1 + sum(1 / (1 + exp((mine - other) / temperature)) for i, other in enumerate(favour) if i != seat)
        for seat, mine in enumerate(favour)
    )
    zeros = (0.0,) * len(favour)
    return Standings(evaluator.wins(state), favour, rank, zeros, zeros, zeros)


def _mean_standings(results: Sequence[Standings], weights: Sequence[float]) -> Standings:
    total = sum(weights)
    columns = [
        tuple(
            sum(w * x for w, x in zip(weights, by_world, strict=True)) / total
            for by_world in zip(*(getattr(result, name) for result in results), strict=True)
        )
        for name in ("value", "favour", "rank")
    ]
    zeros = (0.0,) * len(columns[0])
    return Standings(columns[0], columns[1], columns[2], zeros, zeros, zeros)


# --- analysing a position --------------------------------------------------------------------------------


def analyse(
    view_or_state: Observation | State,
    limit: Limit | None = None,
    *,
    seed: Seed = None,
    params: SearchParams | None = None,
    n_jobs: int | None = None,
    keep: Sequence[Move | str] = (),
) -> PositionAnalysis:
    """Value every legal move.

    Args:
        view_or_state: as for `search`: what the analyst knows. A `State` is turned into the view of the seat to act,
            hands known.
        limit: when to stop; by default after one second. Iterations are of all moves together, and every move has at
            least one. `confidence` is looked at whenever half of the moves are set aside.
        seed: the same seed, parameters and iterations give the same analysis, bit by bit, for any number of workers.
        params: how to search what follows each move; "trees" does not matter here.
        n_jobs: threads, as joblib counts them.
        keep: moves that are looked into as deeply as the best, such as the one that was played.

    Ctrl-C ends it early and returns what has been found, if anything has.

    Raises:
        LusatiaError: if no seat is to act, or a move of `keep` is not legal.
        LimitError, ParamsError: for limits and parameters out of their ranges.
    """
    started = clock.perf_counter()
    limit = or_default(limit)
    race = _Race(as_view(view_or_state), limit, params or SearchParams(), seed, n_jobs, keep, started)
    return race.run()


class _Race:
    """Moves that share the iterations, and are set aside by halves."""

    def __init__(
        self,
        view: Observation,
        limit: Limit,
        params: SearchParams,
        seed: Seed,
        n_jobs: int | None,
        keep: Sequence[Move | str],
        started: float,
    ) -> None:
        seat: int = view.seat_to_act  # type: ignore[assignment]  # as_view has looked
        self.seat, self.limit, self.n_jobs, self.started = seat, limit, n_jobs, started
        seed = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        worlds_seed, move_seed = child_seed(seed, 0), child_seed(seed, 1)
        self.worlds = sample_worlds(view, worlds_seed)
        by_move = _worlds_by_move(self.worlds)
        self.kept = {str(move) for move in keep}
        unknown = self.kept - {move.text for move in by_move}
        if unknown:
            raise LusatiaError(f"keep: found {sorted(unknown)[0]!r}; allowed: the legal moves")
        round_now = self.worlds[0].round
        last_round = round_now + params.horizon - 1 if params.horizon else 6
        nodes = params.nodes_for(limit) // len(by_move)
        self.runners = {
            move: Prospect(after, seat, last_round, params, nodes, move_seed) for move, after in by_move.items()
        }
        self.looks: list[dict[Move, Standings]] = []

    def run(self) -> PositionAnalysis:
        racing = list(self.runners)
        rounds = max(1, (len(racing) - 1).bit_length())
        known = all(runner.known for runner in self.runners.values())
        reason = "known" if known else "iterations" if self.limit.iterations else "time"
        try:
            for number in range(rounds):
                self._grow([move for move in racing if not self.runners[move].known], number, rounds)
                self._look(racing)
                if self._settled(racing):
                    reason = "confidence"
                    break
                racing = self._better_half(racing)
        except KeyboardInterrupt:
            if not all(runner.known or runner.iterations for runner in self.runners.values()):
                raise
            self._look(racing)
            reason = "interrupt"
        return self._result(reason)

    def _look(self, racing: list[Move]) -> None:
        """Note how all that are still racing stand, at equal effort."""
        self.looks.append({move: self.runners[move].standings() for move in racing})

    def _grow(self, racing: list[Move], number: int, rounds: int) -> None:
        """One round of the race: the same share for every move."""
        share = None
        if self.limit.iterations is not None:
            spent = sum(runner.iterations for runner in self.runners.values())
            share = max(1, (self.limit.iterations - spent) // (rounds - number) // max(1, len(racing)))
        ends = None
        if self.limit.time is not None:
            ends = self.started + self.limit.time * (0.05 + 0.95 * (number + 1) / rounds)
        if ends is None and share is not None:
            if self.n_jobs in (None, 1):
                for move in racing:
                    self.runners[move].grow(share)
            else:
                import joblib  # as late as possible: it takes long to import

                grow = joblib.delayed(Prospect.grow)
                jobs = [grow(self.runners[move], share) for move in racing]
                joblib.Parallel(n_jobs=self.n_jobs, require="sharedmem")(jobs)
            return
        self._grow_until(racing, share, ends)

    def _grow_until(self, racing: list[Move], share: int | None, ends: float | None) -> None:
        left = share
        while racing and (left is None or left > 0):
            step = STEP if left is None else min(STEP, left)
            for move in racing:
                if ends is None or clock.perf_counter() < ends or not self.runners[move].iterations:
                    self.runners[move].grow(step)
            if ends is not None and clock.perf_counter() >= ends:
                return
            if left is not None:
                left -= step

    def _better_half(self, racing: list[Move]) -> list[Move]:
        """The better half, two moves at least, and those that are to be kept."""
        order = self._ranked(racing)
        stay = max(2, (len(order) + 1) // 2)
        return order[:stay] + [move for move in order[stay:] if move.text in self.kept]

    def _ranked(self, racing: Iterable[Move]) -> list[Move]:
        """Best first, by the last look."""
        look, seat = self.looks[-1], self.seat
        return sorted(racing, key=lambda move: (-look[move].value[seat], -look[move].favour[seat], move.text))

    def _settled(self, racing: list[Move]) -> bool:
        """Whether the best is surely better than all others, if that is asked for."""
        if self.limit.confidence is None:
            return False
        z = NormalDist().inv_cdf(self.limit.confidence)
        first, *rest = [self.looks[-1][move] for move in self._ranked(racing)]
        seat = self.seat
        return all(
            first.value[seat] - entry.value[seat] >= z * sqrt(first.stderr[seat] ** 2 + entry.stderr[seat] ** 2)
            for entry in rest
        )

    def _result(self, reason: str) -> PositionAnalysis:
        best = self._ranked(self.looks[-1])[0]
        standings = {move: self._brought_up(move, best) for move in self.runners}
        stayed = {move: sum(move in look for look in self.looks) for move in self.runners}
        order = sorted(
            self.runners,
            key=lambda move: (-stayed[move], -standings[move].value[self.seat], -standings[move].favour[self.seat]),
        )
        order.sort(key=lambda move: move != best)  # first among equals
        moves = _with_losses([self._entry(move, standings[move]) for move in order], self.seat, best)
        iterations = sum(runner.iterations for runner in self.runners.values())
        return PositionAnalysis(self.seat, moves, iterations, clock.perf_counter() - self.started, reason)

    def _brought_up(self, move: Move, best: Move) -> Standings:
        """The standings of a move as if it had been looked into as deeply as the best one.

        Values drift while a search deepens, much alike for all moves. So a move is compared with the best at equal
        effort: when the move was seen last.
        """
        look = next(look for look in reversed(self.looks) if move in look)
        mine, then, now = look[move], look[best], self.looks[-1][best]
        if self.runners[move].known or self.runners[best].known:
            return mine
        columns = [
            tuple(m + n - t for m, n, t in zip(*(getattr(part, name) for part in (mine, now, then)), strict=True))
            for name in ("value", "favour", "rank")
        ]
        value = tuple(min(1.0, max(0.0, share)) for share in columns[0])
        return Standings(value, columns[1], columns[2], mine.stderr, mine.favour_stderr, mine.rank_stderr)

    def _entry(self, move: Move, found: Standings) -> MoveAnalysis:
        runner = self.runners[move]
        tables = self.worlds[0].tables
        line = (move, *(tables.move(code) for code in runner.line()))
        exact = runner.exact and len(self.worlds) == 1
        return MoveAnalysis(
            move, found.value, found.favour, found.rank, found.stderr, found.favour_stderr, found.rank_stderr,
            0.0, 0.0, 0.0, line, runner.iterations, exact,
        )  # fmt: skip


def _with_losses(entries: Sequence[MoveAnalysis], seat: int, best: Move) -> tuple[MoveAnalysis, ...]:
    """The same entries, each with what it loses against the best."""
    first = next(entry for entry in entries if entry.move == best)
    return tuple(
        replace(
            entry,
            loss=max(0.0, first.value[seat] - entry.value[seat]),
            favour_loss=first.favour[seat] - entry.favour[seat],
            loss_stderr=0.0 if entry is first else sqrt(first.stderr[seat] ** 2 + entry.stderr[seat] ** 2),
        )
        for entry in entries
    )


def child_seed(seed: Seed, *key: int) -> np.random.SeedSequence:
    """A seed made of another one and some numbers; unlike `spawn`, the same each time."""
    parent = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return np.random.SeedSequence(parent.entropy, spawn_key=(*parent.spawn_key, *key))


def sample_worlds(view: Observation, seed: np.random.SeedSequence) -> list[State]:
    """Positions that a view allows, in manual mode: the only one, or `WORLDS` drawn ones."""
    source, rng = view.worlds(), np.random.default_rng(seed)
    states = []
    for _ in range(1 if source.certain else WORLDS):
        state = State()
        state._setup(view.tables, True, 0)
        source.sample_into(state, word_from(rng))
        states.append(state)
    return states


def _worlds_by_move(worlds: Sequence[State]) -> dict[Move, list[State]]:
    """For each move that is legal in some world, the positions after it. In canonical order of moves."""
    after: dict[Move, list[State]] = {}
    for world in worlds:
        for move in world.legal_moves():
            after.setdefault(move, []).append(world.clone().apply(move))
    return dict(sorted(after.items(), key=lambda entry: entry[0].text))


__all__ = ["MoveAnalysis", "PositionAnalysis", "Prospect", "Standings", "analyse"]
