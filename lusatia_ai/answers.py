"""What the engine answers to each query: one function from a query to its final reply, without threads.

Whatever is slow to import is imported by the query that needs it.
"""

from __future__ import annotations

import time as clock
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from . import protocol as p
from ._core import StateCore
from ._tables import Move, Tables
from .components import builtin_names, complete_edition
from .errors import Fault, FaultsError, LusatiaError
from .limits import Limit, SearchParams
from .observation import View
from .position import read_components
from .reading import Reader
from .record import Record
from .rules import Variant
from .search import DEFAULT_TIME, MoveStats, SearchResult, SearchTree, _Stop
from .state import Result, State, word_from

if TYPE_CHECKING:
    from .assessment import MoveAnalysis

SOLVING_TIME = 10.0
"""Seconds after which solving is given up, without a limit."""
SOLVING_MEMORY = 256 * 2**20
"""Bytes that solving may remember positions in, without a limit: several workers may be solving."""

Position = State | View
Json = dict[str, Any]

OBJECTIVES: Mapping[str, Mapping[str, Any]] = {
    "win": {},
    "favour": {"win": 0.0, "favour": 1.0, "rank": 0.0},
    "rank": {"win": 0.0, "favour": 0.0, "rank": 1.0},
}
"""The weights of `SearchParams` that each objective stands for; its own are those that win most."""


class QueryError(LusatiaError):
    """A query that cannot be answered.

    Attributes:
        field: the field at fault; None for the query as a whole.
        faults: all faults of a document.
    """

    def __init__(self, message: str, field: str | None = None, faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.field = field
        self.faults = tuple(faults)


@dataclass(slots=True)
class Task:
    """What comes with a query on its way to an answer.

    Attributes:
        started: the `time.perf_counter` from which its time counts.
        stop: is set when the query is to end early.
        report: sends a reply on the way.
    """

    started: float = field(default_factory=clock.perf_counter)
    stop: _Stop = field(default_factory=_Stop)
    report: Callable[[p.Reply], None] = lambda reply: None


@contextmanager
def blaming(place: str | None) -> Iterator[None]:
    """Errors of the library become errors of this field; with None, of the one that the first fault names."""
    try:
        yield
    except QueryError:
        raise
    except LusatiaError as error:
        faults = error.faults if isinstance(error, FaultsError) else ()
        raise QueryError(str(error), place or (faults[0].place if faults else "query"), faults) from None


class Documents:
    """Positions read or written lately, so that they are not read again; the oldest are forgotten."""

    MOST = 256
    LONGEST = 65_536  # bytes of a document that is remembered

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Position] = OrderedDict()
        self._lock = Lock()

    def read(self, text: bytes) -> Position:
        """The position or view in a document; it must not be changed.

        Raises:
            PositionError: with every fault found.
        """
        with self._lock:
            position = self._known.get(text)
            if position is not None:
                self._known.move_to_end(text)
                return position
        position = read_position(text)
        self.remember(text, position)
        return position

    def remember(self, text: bytes, position: Position) -> None:
        if len(text) > self.LONGEST:
            return
        with self._lock:
            self._known[text] = position
            if len(self._known) > self.MOST:
                self._known.popitem(last=False)


def read_position(text: bytes) -> Position:
    """A full position or a view, whichever it is."""
    from .position import parse_json

    data = parse_json(text)
    if isinstance(data, Mapping) and "view" in data:
        return View.from_json(data)
    return State.from_json(data, chance="manual")  # nothing is drawn from its stream


class Answers:
    """Answers queries, all but `stop` and `quit`.

    Args:
        workers, longest_line, most_waiting: what `capabilities` says of the engine around.
    """

    def __init__(self, workers: int, longest_line: int, most_waiting: int) -> None:
        self.workers = workers
        self.longest_line = longest_line
        self.most_waiting = most_waiting
        self.documents = Documents()

    def answer(self, query: p.Query[Any], task: Task | None = None) -> p.Reply:
        """The final reply.

        Raises:
            QueryError: if there is none.
        """
        return self._WAYS[type(query)](self, query, task or Task())

    @staticmethod
    def warm_up() -> None:
        """Import and read what the first search needs, so that it need not wait for that."""
        from .evaluation import evaluator_for
        from .position import compile_tables

        _levels_and_styles()
        evaluator_for(compile_tables(complete_edition(), Variant()))

    @staticmethod
    def stopped(query: p.Query[Any]) -> p.Reply:
        """The reply to a query that was stopped before anything was found."""
        if isinstance(query, (p.Analyse, p.Play, p.Solve, p.Render)):
            return p.REPLIES[type(query)](id=query.id, stopped=True)  # type: ignore[call-arg]
        return p.ErrorReply(id=query.id, error="stopped before it was begun")

    # --- positions ------------------------------------------------------------------------------------

    def _document(self, query: p.Positioned[Any]) -> tuple[str, bytes]:
        """The document that a query is about: the name of its field, and its text."""
        fields = ("position", "view", "record")
        given = [(name, bytes(raw)) for name in fields if (raw := getattr(query, name)) is not UNSET]
        given = [(name, text) for name, text in given if text != b"null"]
        if len(given) != 1:
            found = ", ".join(name for name, _ in given) or "none of them"
            raise QueryError(f"found {found}; allowed: one of position, view and record", "position")
        name, text = given[0]
        if query.turns is not None and name != "record":
            raise QueryError("found it without a record; allowed: with a record only", "turns")
        return name, text

    def _position(self, query: p.Positioned[Any]) -> Position:
        """The position that a query is about; it must not be changed."""
        name, text = self._document(query)
        if name == "record":
            return self._record(text, query.turns).state()
        with blaming(name):
            position = self.documents.read(text)
        if name == "view" and isinstance(position, State):
            raise QueryError("found a full position; allowed: a view, with the key `view`", name)
        return position

    @staticmethod
    def _record(text: bytes, turns: int | None) -> Record:
        """The record in a document, up to an event."""
        with blaming("record"):
            record = Record.from_json(text, strict=True)
        if turns is None or turns == len(record.events):
            return record
        if turns > len(record.events):
            raise QueryError(f"found {turns}; allowed: 0 to {len(record.events)}, the events of the record", "turns")
        earlier = Record.new(record.variant, components=record.components, names=record.names)
        for event in record.events[:turns]:
            _append(earlier, event)
        return earlier

    def _view(self, query: p.Observed[Any]) -> View:
        """What the deciding seat, or the one asked for, sees."""
        position = self._position(query)
        if position.is_over or position.is_chance:
            found = "a finished game" if position.is_over else "a position that waits for chance"
            raise QueryError(f"found {found}; allowed: a position in which a seat decides", self._document(query)[0])
        return _seen(position, query.seat, query.hands)

    # --- queries --------------------------------------------------------------------------------------

    def _analyse(self, query: p.Analyse, task: Task) -> p.Reply:
        view = self._view(query)
        params = SearchParams(**OBJECTIVES[query.objective], trees=query.trees)
        tree = SearchTree(view, seed=query.seed, params=params, root_moves=_root_moves(view, query))
        progress = _reporter(query, task) if query.report_every is not None else None
        result = tree._run(_limit(query.limit), query.trees, progress, task.started, task.stop)
        reply = _report(query, result)
        if query.explain and result.moves:
            from .hints import explain

            reply.hint = list(explain(result, view).sentences)
        return reply

    def _play(self, query: p.Play, task: Task) -> p.Reply:
        view = self._view(query)
        player = _player(query, task)
        with blaming("limit"):
            limit = query.limit and _limit(query.limit)
        chosen = player.choose(view, limit)
        return p.PlayReply(
            id=query.id,
            move=chosen.move.text,
            iterations=chosen.search.iterations if chosen.search else 0,
            comment=chosen.comment,
            stopped=chosen.search is not None and chosen.search.stopped_by == "stop",
        )

    def _legal_moves(self, query: p.LegalMoves, task: Task) -> p.Reply:
        position = self._position(query)
        return p.LegalMovesReply(
            id=query.id,
            seat=position.seat_to_act,
            decision=position.decision,
            event=_event(position),
            moves=[move.text for move in _legal_moves(position)],
        )

    def _new(self, query: p.New, task: Task) -> p.Reply:
        faults: list[Fault] = []
        components = read_components(Reader(faults, query.components, "components", "components"))
        if components is None or faults:
            raise QueryError("; ".join(map(str, faults)), "components", faults)
        with blaming("variant"):
            variant = Variant(**(msgspec.to_builtins(query.variant) if query.variant else {}))
            state = State.new(variant, components=components, seed=query.seed, chance="manual")
        events = _draw(state) if query.chance == "auto" else []
        return self._game(query, state, events, query.chance == "auto")

    def _apply(self, query: p.Apply, task: Task) -> p.Reply:
        name, text = self._document(query)
        record = self._record(text, query.turns) if name == "record" else None
        position = record.state() if record is not None else self._position(query)
        if isinstance(position, View):
            raise QueryError("found a view; allowed: a full position", name)
        state = position.clone()
        auto = query.chance == "auto"
        if auto:
            state.stream = _stream(state.tables, query)
        events: list[Json] = []
        for number, event in enumerate(query.moves):
            if auto and not _is_chance_object(event):
                events += _draw(state)
            with blaming(f"moves[{number}]"):
                events.append(_carry_out(state, event))
        events += _draw(state) if auto else []
        if record is not None:
            for event in events:
                _append(record, event)
        return self._game(query, state, events, auto, record)

    def _game(
        self, query: p.Query[p.GameReply], state: State, events: list[Json], auto: bool, record: Record | None = None
    ) -> p.Reply:
        position = state.to_json()
        self.documents.remember(msgspec.json.encode(position), state)
        return p.GameReply(
            id=query.id,
            position=position,
            events=events,
            stream="".join(f"{word:016x}" for word in state.stream) if auto else None,
            seat=state.seat_to_act,
            decision=state.decision,
            event=state.chance_event,
            result=_result(state),
            record=record.to_json() if record is not None else None,
        )

    def _validate(self, query: p.Validate, task: Task) -> p.Reply:
        name, text = self._document(query)
        faults: Sequence[Fault] = ()
        try:
            if name == "record":
                faults = Record.from_json(text).faults
            else:
                position = read_position(text)
                name = "view" if isinstance(position, View) else name
                if query.view is not UNSET and isinstance(position, State):
                    faults = [Fault("view", "nothing", "the seat that looks")]
        except FaultsError as error:
            faults = error.faults
        return p.ValidateReply(id=query.id, valid=not faults, kind=name, faults=fault_reports(faults))  # type: ignore[arg-type]

    def _solve(self, query: p.Solve, task: Task) -> p.Reply:
        from .solver import solve

        view = self._view(query)
        limit = _limit(query.limit, SOLVING_TIME)
        limit = limit if limit.memory is not None else replace(limit, memory=SOLVING_MEMORY)
        names = ("objective", "concept", "horizon", "worlds", "seed")
        options = {name: getattr(query, name) for name in names}
        with blaming(None):
            solution = solve(view, limit=limit, should_stop=task.stop.__bool__, **options)
        return p.SolveReply(id=query.id, solution=msgspec.to_builtins(solution, enc_hook=str), stopped=bool(task.stop))

    def _render(self, query: p.Render, task: Task) -> p.Reply:
        position = self._position(query)
        if query.seat is not None:
            position = _seen(position, query.seat, query.hands)
        if query.format == "text":
            from .show import board_text

            text = board_text(position.to_json(), query.width)
            return p.RenderReply(id=query.id, content=text, media_type="text/plain")
        from . import svg

        return p.RenderReply(id=query.id, content=str(svg.board(position)))

    def _version(self, query: p.Version, task: Task) -> p.Reply:
        from . import __version__

        return p.VersionReply(id=query.id, name="lusatia-ai", version=__version__, protocol=p.PROTOCOL)

    def _capabilities(self, query: p.Capabilities, task: Task) -> p.Reply:
        levels, styles = _levels_and_styles()
        return p.CapabilitiesReply(
            id=query.id,
            queries=list(p.QUERIES),
            formats=["svg", "text"],
            levels=levels,
            styles=styles,
            objectives=list(OBJECTIVES),
            components=list(builtin_names()),
            workers=self.workers,
            longest_line=self.longest_line,
            most_waiting=self.most_waiting,
        )

    _WAYS: Mapping[type[p.Query[Any]], Callable[..., p.Reply]] = {
        p.Analyse: _analyse,
        p.Play: _play,
        p.LegalMoves: _legal_moves,
        p.New: _new,
        p.Apply: _apply,
        p.Validate: _validate,
        p.Solve: _solve,
        p.Render: _render,
        p.Version: _version,
        p.Capabilities: _capabilities,
    }


# --- positions and moves ----------------------------------------------------------------------------


def _seen(position: Position, seat: int | None, hands: p.Hands) -> View:
    """The view of a seat, by default of who decides."""
    if isinstance(position, View):
        if seat is not None and seat != position.seat:
            raise QueryError(f"found {seat}; allowed: {position.seat}, whose view it is", "seat")
        return position
    humans = position.variant.humans
    if seat is not None and seat >= humans:
        raise QueryError(f"found {seat}; allowed: a human seat, 0 to {humans - 1}", "seat")
    return position.view(seat, hands)


def _legal_moves(position: Position) -> list[Move]:
    if position.is_over or position.is_chance:
        return []
    try:
        return position.legal_moves()
    except ValueError as error:  # a view that hides what they depend on
        raise QueryError(str(error), "view") from None


def _event(position: Position) -> str | None:
    """The chance event that is waited for."""
    if isinstance(position, State):
        return position.chance_event
    to_act = position.to_json()["to_act"] or {}
    event: str | None = to_act.get("event")
    return event


def _root_moves(view: View, query: p.Analyse) -> list[Move] | None:
    """The moves that an analysis is restricted to."""
    if query.include is None and not query.exclude:
        return None
    legal = {move.text: move for move in _legal_moves(view)}
    for name, texts in (("include", query.include or []), ("exclude", query.exclude)):
        for number, text in enumerate(texts):
            if text not in legal:
                raise QueryError(f"found {text!r}; allowed: {', '.join(legal)}", f"{name}[{number}]")
    chosen = legal if query.include is None else query.include
    left = [legal[text] for text in dict.fromkeys(chosen) if text not in query.exclude]
    if not left:
        raise QueryError("found no move that is left to search; allowed: at least one", "include")
    return left


# --- events -----------------------------------------------------------------------------------------


def _stream(tables: Tables, query: p.Apply) -> tuple[int, ...]:
    """Where chance is drawn from."""
    if query.stream is None:
        fresh = StateCore()
        fresh._setup(tables, True, word_from(query.seed))
        return fresh.stream
    if query.seed is not None:
        raise QueryError("found it together with stream; allowed: one of them", "seed")
    words = tuple(int(query.stream[at : at + 16], 16) for at in range(0, 64, 16))
    if not any(words):
        raise QueryError("found zeros only; allowed: the stream of the last reply", "stream")
    return words


def _draw(state: State) -> list[Json]:
    """Draw chance up to the next decision; what happened."""
    events = []
    while state.is_chance:
        events.append(state.sample_chance())
        state.apply(events[-1])
    return events


def _is_chance_object(event: str | Json) -> bool:
    return not isinstance(event, str) and "move" not in event and "seat" not in event


def _carry_out(state: State, event: str | Json) -> Json:
    """Apply a move or a chance object, and give it as a record writes it."""
    if isinstance(event, str):
        event = {"move": event}
    elif _is_chance_object(event):
        state.apply(event)
        return event
    actor, move = state.seat_to_act, event.get("move")
    seat = event.get("seat", actor)
    if not isinstance(move, str) or isinstance(seat, bool) or set(event) - {"seat", "move", "comment", "time"}:
        raise LusatiaError("found no event; allowed: a move, a chance object or an event of a record")
    if seat != actor:
        raise LusatiaError(f"found seat {seat!r}; allowed: {'no seat' if actor is None else actor}, who is to act")
    state.apply(move)
    return event | {"seat": actor}


def _append(record: Record, event: Json) -> None:
    """Add an event as a record writes it."""
    if "move" in event:
        with blaming("moves"):
            record.append(event["move"], seat=event["seat"], comment=event.get("comment"), time=event.get("time"))
    else:
        record.append(event)


def _result(state: State) -> p.GameResult | None:
    if not state.is_over:
        return None
    result = Result(state.favour, state.winners)
    return p.GameResult(favour=list(result.favour), winners=list(result.winners))


# --- searching --------------------------------------------------------------------------------------


def _limit(limit: p.SearchLimit | None, seconds: float = DEFAULT_TIME) -> Limit:
    """The limit that is asked for; without any, so many seconds."""
    given = msgspec.structs.asdict(limit) if limit is not None else {}
    if all(value is None for value in given.values()):
        return Limit(time=seconds)
    return Limit(**given)


def _reporter(query: p.Analyse, task: Task) -> Callable[[SearchResult], None]:
    """Sends what has been found so far, every now and then."""
    every = query.report_every or 0.0
    due = clock.perf_counter() + every

    def progress(result: SearchResult) -> None:
        nonlocal due
        now = clock.perf_counter()
        if now >= due:
            due = now + every
            task.report(_report(query, result, final=False))

    return progress


def _report(query: p.Analyse, result: SearchResult, final: bool = True) -> p.AnalyseReply:
    from .assessment import PositionAnalysis

    judged = PositionAnalysis.of_search(result).moves if result.moves else ()
    return p.AnalyseReply(
        id=query.id,
        final=final,
        seat=result.seat,
        best=result.best.text if result.moves else None,
        moves=[_move_report(entry, one) for entry, one in list(zip(result.moves, judged, strict=True))[: query.top]],
        iterations=result.iterations,
        elapsed=round(result.elapsed, 6),
        tree_size=result.tree_size,
        stopped_by=result.stopped_by,
        exact=result.exact,
        stopped=result.stopped_by == "stop",
    )


def _move_report(entry: MoveStats, judged: MoveAnalysis) -> p.MoveReport:
    return p.MoveReport(
        move=entry.move.text,
        visits=entry.visits,
        availability=entry.availability,
        value=list(entry.value),
        favour=list(entry.favour),
        rank=list(entry.rank),
        stderr=list(judged.stderr),
        favour_stderr=list(judged.favour_stderr),
        rank_stderr=list(judged.rank_stderr),
        line=[move.text for move in entry.line],
        loss=judged.loss,
        favour_loss=judged.favour_loss,
        loss_stderr=judged.loss_stderr,
    )


def _player(query: p.Play, task: Task) -> Any:
    """The player that is asked for; its searches count their time from the query, and can be stopped."""
    from .players import ISMCTSPlayer

    class Tree(SearchTree):
        def _run(
            self, limit: Limit, n_jobs: int | None, on_progress: Any, started: float, stop: _Stop, settle: bool = False
        ) -> SearchResult:
            return super()._run(limit, n_jobs, on_progress, task.started, task.stop, settle)

    class Stoppable(ISMCTSPlayer):
        def _tree_for(self, view: Any, seed: int) -> SearchTree:
            return Tree(view, seed=seed, params=self.params)

    with blaming("style"):
        return Stoppable(level=query.level, style=query.style, seed=query.seed)


def _levels_and_styles() -> tuple[dict[str, str], list[str]]:
    from .players import LEVELS, STYLES

    return {str(number): level.name for number, level in LEVELS.items()}, list(STYLES)


# --- the rest ---------------------------------------------------------------------------------------


def fault_reports(faults: Sequence[Fault]) -> list[p.FaultReport]:
    return [p.FaultReport(place=fault.place, found=fault.found, allowed=fault.allowed) for fault in faults]
