"""The engine: an asynchronous server of queries, JSON objects a line, for front ends in any language (docs/engine.md).

The way of a query: `LineReader` cuts the input into lines, `Engine.accept` parses one and answers it at once if that is
quick, or lets it wait for a worker thread; replies go through the `Outbox`, whose thread writes them. Searches release
the interpreter's lock, so that they run beside each other and quick queries are answered meanwhile.

Nothing grows without bound: lines beyond `LONGEST_LINE` are thrown away as they come, no line is read while too many
queries wait, and nobody goes on while the outbox is full. So a reader that stalls makes the engine wait, and loses
nothing.
"""

from __future__ import annotations

import errno
import heapq
import os
import re
import select
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from . import protocol as p
from .answers import Answers, QueryError, Task, fault_reports

LONGEST_LINE = 2**20
"""Bytes of the longest line that is read."""
MOST_WAITING = 10_000
"""Queries that wait for a worker at most."""
MOST_WAITING_BYTES = 64 * 2**20
"""Bytes of their lines."""
MOST_UNREAD = 4 * 2**20
"""Bytes of replies that wait for being read, but for one reply that is longer by itself."""
QUICK_LINE = 2**16
"""Bytes of the longest line that is answered at once."""
QUICK = (p.LegalMoves, p.Apply, p.New, p.Validate, p.Version, p.Capabilities)
"""Queries that take about a millisecond."""
SWITCH_INTERVAL = 0.002
"""Seconds after which a thread at work in Python lets another one go on; the latency of quick queries depends on it."""

SHORT_LINE: int = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe which is ready for writing takes without blocking."""
WORKER_NICENESS = 5
"""Of the worker threads: 95 % of quick queries took 0.5 ms instead of 3.5 on a busy machine."""


class LineReader:
    """Lines from a file descriptor, in bounded memory.

    Args:
        fd: where to read.
        longest: bytes of a line, without its end, beyond which only its beginning is kept.
    """

    CHUNK = 2**16

    def __init__(self, fd: int, longest: int = LONGEST_LINE) -> None:
        self.fd = fd
        self.longest = longest

    def __iter__(self) -> Iterator[tuple[bytes, bool]]:
        """Each line, and whether it is whole. A last line without an end counts as well."""
        parts: list[bytes] = []
        size = 0
        while chunk := self._chunk():
            *ended, rest = chunk.split(b"\n")
            for piece in ended:
                yield self._line([*parts, piece], size + len(piece))
                parts, size = [], 0
            if rest and size <= self.longest:
                parts.append(rest)
            size += len(rest)
        if size:
            yield self._line(parts, size)

    def _line(self, parts: list[bytes], size: int) -> tuple[bytes, bool]:
        return b"".join(parts)[: self.longest], size <= self.longest

    def _chunk(self) -> bytes:
        while True:
            try:
                return os.read(self.fd, self.CHUNK)
            except BlockingIOError:
                select.select([self.fd], [], [])


class Outbox:
    """Lines on their way to a file descriptor, in the order in which they were put; a thread of its own writes them.

    Args:
        fd: where to write.
        most: bytes that may wait; whoever puts more has to wait.
        on_broken: called once if nobody reads any more.
    """

    def __init__(self, fd: int, most: int = MOST_UNREAD, on_broken: Callable[[], None] = lambda: None) -> None:
        self.fd = fd
        self.most = most
        self.broken = False
        self._on_broken = on_broken
        self._lines: deque[bytes] = deque()
        self._size = 0
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write_all, name="outbox", daemon=True)
        self._thread.start()

    def put(self, line: bytes, droppable: bool = False) -> bool:
        """Send a line as soon as there is room for it.

        Args:
            droppable: rather leave it out than wait.

        Returns:
            Whether it was taken; always, unless it is droppable or nobody reads any more.
        """
        with self._changed:
            while self._size and self._size + len(line) > self.most and not self.broken:
                if droppable:
                    return False
                self._changed.wait()
            if self.broken:
                return False
            left = line if self._size else line[self._write_at_once(line) :]
            if left:
                self._lines.append(left)
                self._size += len(left)
                self._changed.notify_all()
            return True

    def _write_at_once(self, line: bytes) -> int:
        """Write a short line in this thread, if there is room for it; returns the bytes written.

        Waking the writing thread may take 4 ms where all processors are busy.
        """
        if len(line) <= SHORT_LINE:
            with suppress(OSError, ValueError):  # whatever is wrong, the writing thread will meet it, too
                if select.select([], [self.fd], [], 0)[1]:
                    return os.write(self.fd, line)
        return 0

    def close(self) -> None:
        """Write what is left, and end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _write_all(self) -> None:
        while True:
            with self._changed:
                while not self._lines and not self._closed:
                    self._changed.wait()
                if not self._lines:
                    return
                line = self._lines.popleft()
            try:
                self._write(line)
            except OSError:
                self._give_up()
                return
            with self._changed:
                self._size -= len(line)
                self._changed.notify_all()

    def _write(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            try:
                left = left[os.write(self.fd, left) :]
            except BlockingIOError:
                select.select([], [self.fd], [])

    def _give_up(self) -> None:
        with self._changed:
            self.broken = True
            self._lines.clear()
            self._size = 0
            self._changed.notify_all()
        self._on_broken()


@dataclass(order=True, slots=True)
class Job:
    """An accepted query that has no final reply yet. Jobs are ordered by who is to be begun first."""

    rank: tuple[int, int]
    query: p.Query[Any] = field(compare=False)
    size: int = field(compare=False)  # bytes of its line
    waiting: bool = field(default=False, compare=False)
    task: Task = field(default_factory=Task, compare=False)


class Engine:
    """Accepts lines, and sends a final reply for each query that it accepts.

    Args:
        send: takes a line of output, and whether it may be left out rather than waited for; several threads call it.
        workers: queries that are worked on at a time, besides quick ones; by default as many as processors, at least 2.
    """

    def __init__(self, send: Callable[[bytes, bool], object], workers: int | None = None) -> None:
        self.workers = workers or default_workers()
        self._send = send
        self._answers = Answers(self.workers, LONGEST_LINE, MOST_WAITING)
        self._jobs: dict[str, Job] = {}  # by id, those without a final reply
        self._waiting: list[Job] = []  # a heap; jobs that were stopped meanwhile have `waiting` off
        self._waiting_count = 0
        self._waiting_bytes = 0
        self._accepted = 0
        self._closing = False
        self._changed = threading.Condition()
        self._quit_id: str | None = None
        self._threads = [
            threading.Thread(target=self._work, name=f"worker {number}", daemon=True) for number in range(self.workers)
        ]
        for thread in self._threads:
            thread.start()

    # --- what comes in --------------------------------------------------------------------------------

    def accept(self, line: bytes, whole: bool = True) -> bool:
        """Take one line, blank ones apart.

        Args:
            line: without its end.
            whole: whether this is all of it, or the beginning of a line that is too long.

        Returns:
            Whether more lines are wanted: not after `quit`.
        """
        line = line.strip()
        if not line:
            return True
        if not whole:
            self._refuse(line, f"found a line that is too long; allowed: {LONGEST_LINE} bytes")
            return True
        try:
            query, unknown = p.decode_query(line)
        except p.MessageError as error:
            if error.id is None:
                self._refuse(line, str(error), error.field)
            else:
                self._reply(p.ErrorReply(id=error.id, error=str(error), field=_field_of(error, self._jobs)))
            return True
        return self._take(query, unknown, len(line))

    def _refuse(self, line: bytes, error: str, field: str | None = None) -> None:
        """Report a line that is no query, under its id if it begins with one that is free."""
        id = None if field == "id" else id_at_front(line)
        self._reply(p.ErrorReply(id=None if id in self._jobs else id, error=error, field=field))

    def _take(self, query: p.Query[Any], unknown: list[str], size: int) -> bool:
        job = self._enter(query, size)
        if job is None:
            error = f"found {query.id!r} of a query that has no final reply yet; allowed: another id"
            self._reply(p.ErrorReply(id=query.id, error=error, field="id"))
            return True
        for name in unknown:
            self._reply(p.WarningReply(id=query.id, warning="an unknown field is ignored", field=name))
        if isinstance(query, p.Quit):
            self._quit_id = query.id
            return False
        if isinstance(query, p.Stop):
            self._finish(job, self._stop_asked(query))
        elif isinstance(query, QUICK) and size <= QUICK_LINE:
            self._answer(job)
        else:
            self._queue(job)
        return True

    def _enter(self, query: p.Query[Any], size: int) -> Job | None:
        """Note a query as accepted; None if its id is taken."""
        with self._changed:
            if query.id in self._jobs:
                return None
            self._accepted += 1
            job = Job((-query.priority, self._accepted), query, size)
            self._jobs[query.id] = job
            return job

    def _queue(self, job: Job) -> None:
        """Let a job wait for a worker, as soon as not too many do."""
        with self._changed:
            while self._waiting_count >= MOST_WAITING or self._waiting_bytes + job.size > MOST_WAITING_BYTES:
                self._changed.wait()
            job.waiting = True
            self._waiting_count += 1
            self._waiting_bytes += job.size
            heapq.heappush(self._waiting, job)
            self._changed.notify_all()

    # --- work -----------------------------------------------------------------------------------------

    def _work(self) -> None:
        _be_nice()
        while (job := self._next()) is not None:
            self._answer(job)

    def _next(self) -> Job | None:
        """The next job to begin; None when there will be no more."""
        with self._changed:
            while True:
                while self._waiting:
                    job = heapq.heappop(self._waiting)
                    if job.waiting:
                        self._leave_queue(job)
                        return job
                if self._closing:
                    return None
                self._changed.wait()

    def _leave_queue(self, job: Job) -> None:
        job.waiting = False
        self._waiting_count -= 1
        self._waiting_bytes -= job.size
        self._changed.notify_all()

    def _answer(self, job: Job) -> None:
        """Find the final reply to a job, and send it."""
        job.task = Task(stop=job.task.stop, report=lambda reply: self._reply(reply, droppable=True))
        if job.task.stop:
            self._finish(job, self._answers.stopped(job.query))
            return
        try:
            reply = self._answers.answer(job.query, job.task)
        except QueryError as error:
            faults = fault_reports(error.faults)
            reply = p.ErrorReply(id=job.query.id, error=str(error), field=error.field, faults=faults)
        except Exception as error:  # whatever a query brings about, the engine lives on
            traceback.print_exc(file=sys.stderr)
            reply = p.ErrorReply(id=job.query.id, error=f"internal error: {type(error).__name__}: {error}")
        self._finish(job, reply)

    # --- what goes out --------------------------------------------------------------------------------

    def _finish(self, job: Job, reply: p.Reply) -> None:
        """Send the final reply; from then on the id is free."""
        line = _encoded(reply)
        with self._changed:
            del self._jobs[job.query.id]
        self._send(line, False)

    def _reply(self, reply: p.Reply, droppable: bool = False) -> None:
        self._send(_encoded(reply), droppable)

    # --- stopping -------------------------------------------------------------------------------------

    def _stop_asked(self, query: p.Stop) -> p.Reply:
        if (query.target is None) != query.all:
            error = "found both or neither; allowed: one of target and all"
            return p.ErrorReply(id=query.id, error=error, field="target")
        return p.StopReply(id=query.id, stopping=self._stop(query.target, but=query.id))

    def _stop(self, target: str | None, but: str | None = None) -> list[str]:
        """Stop a query, or all; those that wait are answered at once."""
        with self._changed:
            chosen = list(self._jobs.values()) if target is None else [self._jobs.get(target)]
            jobs = [job for job in chosen if job is not None and job.query.id != but]
            idle = [job for job in jobs if job.waiting]
            for job in idle:
                self._leave_queue(job)
            for job in jobs:
                job.task.stop.set()
        for job in idle:
            self._finish(job, self._answers.stopped(job.query))
        return [job.query.id for job in jobs]

    def stop_all(self) -> None:
        """End all queries early; each is answered with what it has found."""
        self._stop(None, but=self._quit_id)

    def close(self) -> None:
        """Answer all that has been accepted, and end; `quit` is answered last."""
        if self._quit_id is not None:
            self.stop_all()
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        if self._quit_id is not None:
            self._finish(self._jobs[self._quit_id], p.QuitReply(id=self._quit_id))


def _be_nice() -> None:
    """Let the threads that read and answer go before this one; only Linux knows niceness by thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), WORKER_NICENESS)


def default_workers() -> int:
    """As many as there are processors for this process, but at least 2."""
    with suppress(AttributeError):
        return max(2, len(os.sched_getaffinity(0)))
    return max(2, os.cpu_count() or 1)


_ID_AT_FRONT = re.compile(rb'\s*\{\s*"id"\s*:\s*("(?:[^"\\\x00-\x1f]|\\.){1,1200}")')


def id_at_front(line: bytes) -> str | None:
    """The id with which a line begins that is no query, or too long; None if there is none."""
    found = _ID_AT_FRONT.match(line[:4096])
    return p.decode_id(found[1]) if found else None


def _field_of(error: p.MessageError, jobs: dict[str, Job]) -> str | None:
    """The field at fault; it is the id if that of another query was used."""
    return "id" if error.id in jobs else error.field


def _encoded(reply: p.Reply) -> bytes:
    try:
        return p.encode(reply)
    except (TypeError, ValueError, RecursionError) as error:
        return p.encode(p.ErrorReply(id=reply.id, error=f"internal error: the reply cannot be written: {error}"))


# --- on standard input and output -------------------------------------------------------------------


def serve(workers: int | None = None) -> int:
    """Answer the queries on standard input until it ends, or until `quit`; the exit code.

    Standard output carries replies only: whatever else prints in this process, prints to standard error.
    """
    source, target = _claim_standard_streams()
    sys.setswitchinterval(SWITCH_INTERVAL)
    return run(source, target, workers)


def run(source: int, target: int, workers: int | None = None) -> int:
    """Answer the queries from one file descriptor on another one.

    Returns:
        0, or 1 if the replies were not read to the end, or 130 after Ctrl-C, which stops everything.
    """
    outbox = Outbox(target)
    engine = Engine(outbox.put, workers)
    outbox._on_broken = engine.stop_all
    warm_up = threading.Thread(target=Answers.warm_up, name="warm up", daemon=True)
    warm_up.start()
    code = 0
    try:
        for line, whole in LineReader(source):
            if not engine.accept(line, whole) or outbox.broken:
                break
    except KeyboardInterrupt:
        code = 130
        engine.stop_all()
    except OSError as error:
        if error.errno != errno.EIO:  # a terminal that has gone
            raise
    if outbox.broken:  # for queries that came in meanwhile
        engine.stop_all()
    engine.close()
    outbox.close()
    warm_up.join()
    return 1 if outbox.broken else code


def _claim_standard_streams() -> tuple[int, int]:
    """Standard input and output for the protocol alone: their places are taken by nothing and by standard error."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, target
