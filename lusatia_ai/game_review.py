"""The review of a whole game: what every decision lost, and what chance did.

>>> import lusatia_ai as la
>>> record = la.Record.new(la.Variant(humans=2, automas=1)).draw_chance(1)
>>> record = record.append(record.state().legal_moves()[0])
>>> review = la.review(record, la.Limit(iterations=200), seed=1)
>>> [decision.stage for decision in review.decisions], [entry.event for entry in review.luck]
(['bidding'], ['setup', 'round'])
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import sqrt
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ._tables import Move
from .assessment import SCALES, MoveAnalysis, analyse, child_seed
from .errors import Fault, LusatiaError, ParamsError, RecordError
from .limits import Limit, SearchParams
from .luck import DEFAULT_ITERATIONS, DEFAULT_SAMPLES, Luck, luck_of
from .record import Record
from .state import State

DEFAULT_DECISION_ITERATIONS = 4000
DEEPENING = 8
"""Decisions that are looked at again get so many times the effort."""
KEPT_MOVES = 5
"""So many of the best moves are kept of each decision, and the one that was played."""

MARKS = ("inaccuracy", "mistake", "blunder")
STAGES = ("bidding", "taxes", "storing", "final")
_STAGE_OF = {
    "travel": "bidding", "respond": "bidding",
    "produce": "taxes", "collect": "taxes", "grey": "taxes",
    "farmer": "storing", "merchant": "storing", "row": "storing", "card": "storing",
    "hand_over": "final",
}  # fmt: skip

Hands = Literal["hidden", "known"]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which loss of win share on a decision gets a mark.

    Attributes:
        inaccuracy, mistake, blunder: win share (0 to 1), ascending.
        sureness: a loss counts only if it is at least so many of its standard errors, 0 to 10.
    """

    inaccuracy: float = 0.02
    mistake: float = 0.05
    blunder: float = 0.10
    sureness: float = 1.0

    def __post_init__(self) -> None:
        shares = (self.inaccuracy, self.mistake, self.blunder)
        if not all(_is_number(share) for share in shares) or not 0 < shares[0] <= shares[1] <= shares[2] <= 1:
            raise ParamsError([Fault("thresholds", repr(shares), "ascending win shares above 0, at most 1")])
        if not _is_number(self.sureness) or not 0 <= self.sureness <= 10:
            raise ParamsError([Fault("sureness", repr(self.sureness), "standard errors, a number from 0 to 10")])

    def mark(self, loss: float, stderr: float) -> str:
        """The mark for a loss of win share with this standard error; "" for none."""
        if loss < self.sureness * stderr:
            return ""
        reached = [loss >= self.inaccuracy, loss >= self.mistake, loss >= self.blunder]
        return MARKS[sum(reached) - 1] if reached[0] else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of the game.

    Attributes:
        turn: the event's index in the record.
        round: 1 to 6.
        seat: who decided.
        stage: "bidding", "taxes", "storing" or "final".
        decision: its kind, as in a position.
        move: what was played.
        choices: how many moves were legal.
        moves: the best moves, best first, and the one that was played; none if it was forced.
        deepened: whether it has been looked at again, with more effort.
    """

    turn: int
    round: int
    seat: int
    stage: str
    decision: str
    move: str
    choices: int
    moves: tuple[MoveAnalysis, ...]
    deepened: bool = False

    @property
    def forced(self) -> bool:
        """Whether there was nothing to decide; such decisions are not counted."""
        return self.choices == 1

    @property
    def played(self) -> MoveAnalysis:
        """What is known about the move that was played.

        Raises:
            ValueError: if it was forced.
        """
        for entry in self.moves:
            if entry.move.text == self.move:
                return entry
        raise ValueError("a forced decision is not analysed")

    @property
    def best(self) -> MoveAnalysis:
        """What is known about the best move; not of a forced decision."""
        return self.moves[0]

    @property
    def loss(self) -> float:
        """Win share that the decision lost; 0 if it was forced."""
        return 0.0 if self.forced else self.played.loss

    @property
    def favour_loss(self) -> float:
        """Expected favour that the decision lost; 0 if it was forced, below 0 if it gained some."""
        return 0.0 if self.forced else self.played.favour_loss

    def to_json(self) -> dict[str, Any]:
        """As a dict for JSON."""
        plain = {name: getattr(self, name) for name in self.__slots__ if name != "moves"}
        return plain | {"moves": [entry.to_json() for entry in self.moves]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], parse: Callable[[str], Move]) -> Decision:
        """What `to_json` wrote."""
        fields: dict[str, Any] = dict(data)
        fields["moves"] = tuple(MoveAnalysis.from_json(entry, parse) for entry in data["moves"])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Summary:
    """The decisions of one seat in one stage, or in all.

    Attributes:
        decisions: how many were not forced: what all else refers to.
        forced: how many were, and are not counted.
        loss: win share lost in all.
        favour_loss: expected favour lost in all.
        marks: how many decisions got each mark.
    """

    decisions: int
    forced: int
    loss: float
    favour_loss: float
    marks: Mapping[str, int]

    @property
    def marked(self) -> int:
        return sum(self.marks.values())


@dataclass(frozen=True)
class GameReview:
    """What a review has found.

    Attributes:
        names: of all players.
        humans: how many of them decide.
        seats: whose decisions were asked for.
        decisions: what has been reviewed of them, in order.
        luck: chance events, in order; none if they were not asked for.
        result: win share of each seat at the end; None as long as the game goes on.
        favour: final favour of each seat, or None.
        events: of the record.
        pending: decisions and chance events that are still to be reviewed, since it was interrupted.
        thresholds: for marks; `with_thresholds` gives the same review with others.
        settings: what it was made with.
    """

    names: tuple[str, ...]
    humans: int
    seats: tuple[int, ...]
    decisions: tuple[Decision, ...]
    luck: tuple[Luck, ...]
    result: tuple[float, ...] | None
    favour: tuple[int, ...] | None
    events: int
    pending: int
    thresholds: Thresholds
    settings: Mapping[str, Any]

    @property
    def complete(self) -> bool:
        """Whether all that was asked for has been reviewed."""
        return self.pending == 0

    def with_thresholds(self, thresholds: Thresholds) -> GameReview:
        """The same review with other thresholds."""
        return replace(self, thresholds=thresholds)

    def mark(self, decision: Decision) -> str:
        """Its mark: "inaccuracy", "mistake", "blunder", or "" for none."""
        if decision.forced:
            return ""
        return self.thresholds.mark(decision.loss, decision.played.loss_stderr)

    @property
    def marked(self) -> tuple[Decision, ...]:
        """Decisions with a mark."""
        return tuple(decision for decision in self.decisions if self.mark(decision))

    def summary(self, seat: int, stage: str | None = None) -> Summary:
        """The decisions of a seat in a stage, by default in all."""
        mine = [d for d in self.decisions if d.seat == seat and stage in (None, d.stage)]
        free = [decision for decision in mine if not decision.forced]
        marks = [self.mark(decision) for decision in free]
        return Summary(
            len(free),
            len(mine) - len(free),
            sum(decision.loss for decision in free),
            sum(decision.favour_loss for decision in free),
            {mark: marks.count(mark) for mark in MARKS},
        )

    def win_luck(self, seat: int) -> tuple[float, float]:
        """Win share that chance brought a seat in all, and the standard error of that."""
        return sum(entry.win_luck[seat] for entry in self.luck), _root([entry.stderr[seat] for entry in self.luck])

    def favour_luck(self, seat: int) -> tuple[float, float]:
        """Favour that chance brought a seat in all, and the standard error of that."""
        total = sum(entry.favour_luck[seat] for entry in self.luck)
        return total, _root([entry.favour_stderr[seat] for entry in self.luck])

    @cached_property
    def adjusted(self) -> tuple[float, ...] | None:
        """Luck-adjusted result: win share less luck, for each seat. It may lie outside 0 to 1; only its mean over many
        games means what it says. None if the game is not over or luck is not known."""
        if self.result is None or not self.luck or not self.complete:
            return None
        return tuple(share - self.win_luck(seat)[0] for seat, share in enumerate(self.result))

    @cached_property
    def adjusted_favour(self) -> tuple[float, ...] | None:
        """Final favour less luck, for each seat; None as for `adjusted`."""
        if self.favour is None or self.adjusted is None:
            return None
        return tuple(points - self.favour_luck(seat)[0] for seat, points in enumerate(self.favour))

    def timeline(self) -> list[tuple[int, tuple[float, ...]]]:
        """Win shares over the game: (events so far, value by seat), ascending, the result last.

        Before a decision the value is that of its best move; after a chance event it is what the luck was measured by.
        """
        points = {decision.turn: decision.best.value for decision in self.decisions if not decision.forced}
        points = {entry.turn + 1: entry.value for entry in self.luck} | points
        if self.result is not None:
            points[self.events] = self.result
        return sorted(points.items())

    def to_json(self) -> dict[str, Any]:
        """As a dict for JSON: `docs/analysis.md` describes it."""
        return {
            "format": "lusatia-review",
            "version": 1,
            "names": list(self.names),
            "seats": list(self.seats),
            "settings": dict(self.settings),
            "scale": SCALES | {"luck": "what a chance event brought, by seat: win share, favour"},
            "thresholds": asdict(self.thresholds),
            "complete": self.complete,
            "result": None if self.result is None else list(self.result),
            "favour": None if self.favour is None else list(self.favour),
            "adjusted": None if self.adjusted is None else [round(x, 6) for x in self.adjusted],
            "adjusted_favour": None if self.adjusted_favour is None else [round(x, 4) for x in self.adjusted_favour],
            "summary": [self._summary_json(seat) for seat in self.seats],
            "decisions": [
                decision.to_json() | {"loss": round(decision.loss, 6), "mark": self.mark(decision)}
                for decision in self.decisions
            ],
            "luck": [entry.to_json() for entry in self.luck],
        }

    def _summary_json(self, seat: int) -> dict[str, Any]:
        stages = {stage: asdict(self.summary(seat, stage)) for stage in STAGES}
        luck, error = self.win_luck(seat)
        points, points_error = self.favour_luck(seat)
        found = {"win_luck": luck, "stderr": error, "favour_luck": points, "favour_stderr": points_error}
        return {"seat": seat, "all": asdict(self.summary(seat)), "stages": stages} | (found if self.luck else {})


def _root(errors: Sequence[float]) -> float:
    return sqrt(sum(error * error for error in errors))


# --- reviewing --------------------------------------------------------------------------------------------


def review(
    record: Record,
    limit: Limit | None = None,
    *,
    seats: Iterable[int] | None = None,
    seed: int = 0,
    params: SearchParams | None = None,
    hands: Hands = "known",
    thresholds: Thresholds | None = None,
    luck: bool = True,
    samples: int = DEFAULT_SAMPLES,
    luck_iterations: int = DEFAULT_ITERATIONS,
    deepen: bool = False,
    n_jobs: int | None = None,
    resume: str | PathLike[str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> GameReview:
    """Review a game.

    Args:
        record: the game; it may stop anywhere.
        limit: for each decision; by default 4000 iterations.
        seats: whose decisions are reviewed; by default all.
        seed: with a limit of iterations, the same seed gives the same review, for any number of workers.
        params: how to search.
        hands: what the deciding seat is taken to know: "known" for one who has followed the game, "hidden" for one who
            sees only the table.
        thresholds: for marks.
        luck: whether to measure the luck of chance events.
        samples, luck_iterations: see `luck_of`.
        deepen: whether to look again, with 8 times the effort, at decisions that got a mark.
        n_jobs: processes, as joblib counts them; by default one.
        resume: a file that keeps what has been found, event by event. If it exists, the review goes on from there.
        on_progress: called with the number of events done and of all.

    Ctrl-C ends the review early and returns what has been found: see `GameReview.pending`.

    Raises:
        LusatiaError: for seats that there are not, or a file of another review.
    """
    limit = limit if limit not in (None, Limit()) else Limit(iterations=DEFAULT_DECISION_ITERATIONS)
    assert limit is not None
    wanted = _seats(record, seats)
    params = params or SearchParams()
    _check_samples(samples, luck_iterations)
    job = _Job(limit, seed, params, hands, samples, luck_iterations)
    thresholds = thresholds or Thresholds()
    tasks = _tasks(record, wanted, luck)
    with _Notebook(resume, _fingerprint(record, job)) as notebook:
        run = _Run(job, tasks, notebook, n_jobs, on_progress)
        finished = run.all_tasks()
        review = _gathered(record, wanted, run.found, len(tasks) - run.done, thresholds, job)
        if deepen and finished:
            marked = {decision.turn for decision in review.marked if not decision.deepened}
            again = [replace(task, deepen=True) for task in tasks if task.turn in marked]
            deeper = _Run(job, again, notebook, n_jobs, on_progress, run.found, fresh=True)
            deeper.all_tasks()
            review = _gathered(record, wanted, deeper.found, len(again) - deeper.done, thresholds, job)
    return review


def _seats(record: Record, seats: Iterable[int] | None) -> tuple[int, ...]:
    humans = record.variant.humans
    if seats is None:
        return tuple(range(humans))
    wanted = sorted(set(seats))
    for seat in wanted:
        if not isinstance(seat, int) or isinstance(seat, bool) or not 0 <= seat < humans:
            raise LusatiaError(f"seats: found {seat!r}; allowed: human seats, 0 to {humans - 1}")
    return tuple(wanted)


def _check_samples(samples: int, iterations: int) -> None:
    for name, number, least in (("samples", samples, 2), ("luck_iterations", iterations, 1)):
        if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= 1_000_000:
            raise ParamsError([Fault(name, repr(number), f"a whole number from {least} to 1000000")])


@dataclass(frozen=True, slots=True)
class _Job:
    """What every event is reviewed with."""

    limit: Limit
    seed: int
    params: SearchParams
    hands: Hands
    samples: int
    luck_iterations: int

    def to_json(self) -> dict[str, Any]:
        params = {name: getattr(self.params, name) for name in self.params.__slots__}
        return {
            "limit": asdict(self.limit),
            "seed": self.seed,
            "hands": self.hands,
            "samples": self.samples,
            "luck_iterations": self.luck_iterations,
            "params": params | {"taste": dict(self.params.taste)},
        }


@dataclass(frozen=True, slots=True)
class _Task:
    """An event to review, and the position before it."""

    turn: int
    before: State
    event: Mapping[str, Any]
    deepen: bool = False

    def run(self, job: _Job) -> dict[str, Any]:
        """What is found, as JSON."""
        seed = child_seed(np.random.SeedSequence(job.seed), self.turn, int(self.deepen))
        if self.before.is_chance:
            found = luck_of(
                self.before, self.event, seed, turn=self.turn,
                samples=job.samples, iterations=job.luck_iterations, params=job.params,
            )  # fmt: skip
            return {"luck": found.to_json()}
        return {"decision": self._decision(job, seed).to_json()}

    def _decision(self, job: _Job, seed: np.random.SeedSequence) -> Decision:
        state, move = self.before, str(self.event["move"])
        choices = len(state.legal_moves())
        moves: tuple[MoveAnalysis, ...] = ()
        if choices > 1:
            limit = _times(job.limit, DEEPENING) if self.deepen else job.limit
            view = state.view(hands=job.hands)
            analysis = analyse(view, limit, seed=seed, params=job.params, keep=[move])
            if analysis.stopped_by == "interrupt":
                raise KeyboardInterrupt  # what is known of a decision cut short is not kept
            best = analysis.moves[:KEPT_MOVES]
            moves = best if analysis[move] in best else (*best, analysis[move])
        seat, decision = state.seat_to_act, state.decision
        assert seat is not None
        assert decision is not None
        stage = _STAGE_OF[decision]
        return Decision(self.turn, state.round, seat, stage, decision, move, choices, moves, self.deepen)


def _times(limit: Limit, factor: int) -> Limit:
    time = None if limit.time is None else min(86_400.0, limit.time * factor)
    iterations = None if limit.iterations is None else min(10**9, limit.iterations * factor)
    return replace(limit, time=time, iterations=iterations)


def _tasks(record: Record, seats: tuple[int, ...], luck: bool) -> list[_Task]:
    """The events that are to be reviewed."""
    tasks = []
    for turn, (before, event) in enumerate(record.replay()):
        if luck if before.is_chance else before.seat_to_act in seats:
            tasks.append(_Task(turn, before, event))
    return tasks


class _Run:
    """Tasks on their way, and what they have found."""

    def __init__(
        self,
        job: _Job,
        tasks: Sequence[_Task],
        notebook: _Notebook,
        n_jobs: int | None,
        on_progress: Callable[[int, int], None] | None,
        found: dict[int, dict[str, Any]] | None = None,
        fresh: bool = False,
    ) -> None:
        self.job, self.tasks, self.notebook, self.n_jobs, self.on_progress = job, tasks, notebook, n_jobs, on_progress
        self.found = dict(found) if found is not None else dict(notebook.entries)
        turns = {task.turn for task in tasks}
        self.left = list(tasks) if fresh else [task for task in tasks if task.turn not in self.found]
        self.found = {turn: entry for turn, entry in self.found.items() if fresh or turn in turns}

    @property
    def done(self) -> int:
        return len(self.tasks) - len(self.left)

    def all_tasks(self) -> bool:
        """Work through them; returns whether that was finished, not interrupted."""
        waiting = {task.turn: task for task in self.left}
        try:
            self._report(len(waiting))
            for turn, entry in self._results(list(waiting.values())):
                del waiting[turn]
                self.found[turn] = entry
                self.notebook.add(turn, entry)
                self._report(len(waiting))
        except KeyboardInterrupt:
            pass
        self.left = list(waiting.values())
        return not self.left

    def _results(self, tasks: Sequence[_Task]) -> Iterator[tuple[int, dict[str, Any]]]:
        import joblib  # as late as possible: it takes long to import

        if joblib.effective_n_jobs(self.n_jobs) == 1 or len(tasks) < 2:
            for task in tasks:
                yield task.turn, task.run(self.job)
            return
        parallel = joblib.Parallel(n_jobs=self.n_jobs, return_as="generator", batch_size=1)
        jobs = (joblib.delayed(_Task.run)(task, self.job) for task in tasks)
        yield from zip((task.turn for task in tasks), parallel(jobs), strict=True)

    def _report(self, waiting: int) -> None:
        if self.on_progress is not None:
            self.on_progress(len(self.tasks) - waiting, len(self.tasks))


def _gathered(
    record: Record,
    seats: tuple[int, ...],
    found: Mapping[int, Mapping[str, Any]],
    pending: int,
    thresholds: Thresholds,
    job: _Job,
) -> GameReview:
    parse = record.state(0).parse_move
    entries = [found[turn] for turn in sorted(found)]
    result = record.result
    favour = shares = None
    if result is not None:
        winners = result["winners"]
        shares = tuple((seat in winners) / len(winners) for seat in range(record.variant.humans))
        favour = tuple(result["favour"][: record.variant.humans])
    return GameReview(
        names=tuple(record.names),
        humans=record.variant.humans,
        seats=seats,
        decisions=tuple(Decision.from_json(entry["decision"], parse) for entry in entries if "decision" in entry),
        luck=tuple(Luck.from_json(entry["luck"]) for entry in entries if "luck" in entry),
        result=shares,
        favour=favour,
        events=len(record.events),
        pending=pending,
        thresholds=thresholds,
        settings=job.to_json(),
    )


# --- keeping what is done -----------------------------------------------------------------------------------


def _fingerprint(record: Record, job: _Job) -> str:
    """Tells whether a file belongs to this game and these settings."""
    data = record.to_json()
    events = [{key: event[key] for key in event if key not in ("comment", "time")} for event in data["events"]]
    text = json.dumps([data["components"], data["variant"], events, job.to_json()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class _Notebook:
    """A file with a line of JSON for each event reviewed, after one that says which review it belongs to.

    Lines are only ever added, so that an interruption costs the last one at most.
    """

    def __init__(self, path: str | PathLike[str] | None, fingerprint: str) -> None:
        self.entries: dict[int, dict[str, Any]] = {}
        self._file = None
        if path is None:
            return
        path = Path(path)
        head = json.dumps({"format": "lusatia-review-notes", "version": 1, "fingerprint": fingerprint})
        try:
            whole = self._read(path, head) if path.exists() and path.stat().st_size else 0
            self._file = path.open("r+b" if whole else "wb")
        except OSError as error:
            raise RecordError(
                [Fault(str(path), error.strerror or str(error), "a file to keep the review in")]
            ) from None
        self._file.truncate(whole)
        self._file.seek(whole)
        if not whole:
            self._write(head)

    def _read(self, path: Path, head: str) -> int:
        """Take over the whole lines; returns how many bytes they are."""
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].decode("utf-8", "replace").splitlines()
        if lines and lines[0] != head:
            allowed = "the notes of this game, made with these settings, or a new file"
            raise RecordError([Fault(str(path), f"other content: {lines[0][:80]!r}", allowed)])
        if not lines:
            raise RecordError([Fault(str(path), "other content", "notes of a review, or a new file")])
        for number, line in enumerate(lines[1:], start=2):
            try:
                entry = json.loads(line)
                self.entries[entry.pop("turn")] = entry
            except (ValueError, KeyError, AttributeError, TypeError):
                raise RecordError([Fault(f"{path}, line {number}", repr(line[:80]), "an event reviewed")]) from None
        return whole

    def add(self, turn: int, entry: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._write(json.dumps({"turn": turn} | dict(entry)))

    def _write(self, line: str) -> None:
        assert self._file is not None
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def __enter__(self) -> _Notebook:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


__all__ = ["MARKS", "STAGES", "Decision", "GameReview", "Summary", "Thresholds", "review"]
