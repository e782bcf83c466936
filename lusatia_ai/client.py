"""Clients of the engine for Python: `EngineClient` and, for asyncio, `AsyncEngineClient`.

Queries are the objects of `lusatia_ai.protocol`; the client gives them their ids. Documents may be dicts, or a `State`,
`View` or `Record` itself:

>>> import lusatia_ai as la
>>> from lusatia_ai.protocol import LegalMoves, New
>>> with la.EngineClient() as engine:
...     game = engine.ask(New(seed=7))
...     moves = engine.ask(LegalMoves(position=game.position)).moves
>>> moves[0] in [move.text for move in la.State.new(seed=7).legal_moves()]
True
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import queue
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from .errors import LusatiaError
from .protocol import REPLIES, ErrorReply, FaultReport, Query, Reply, Stop, WarningReply, encode
from .reading import cut

R = TypeVar("R", bound=Reply)

COMMAND = (sys.executable, "-m", "lusatia_ai", "engine")
CLOSING_SECONDS = 5.0
"""Seconds after which an engine that does not end by itself is killed."""


class EngineError(LusatiaError):
    """The engine has answered with an error, or has ended.

    Attributes:
        field: the field of the query at fault, if any.
        faults: all faults of a document that cannot be read.
    """

    def __init__(self, message: str, field: str | None = None, faults: Sequence[FaultReport] = ()) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.faults = tuple(faults)


class _Head(msgspec.Struct):
    """What tells which kind of reply a line is."""

    id: str | None = None
    final: bool = True
    error: str | None = None
    warning: str | None = None


_HEAD = msgspec.json.Decoder(_Head)


def _head(line: bytes) -> _Head:
    """What kind of reply a line is; one that is no reply at all belongs to no query."""
    try:
        return _HEAD.decode(line)
    except msgspec.DecodeError:
        return _Head()


def _read(line: bytes, kind: type[R]) -> R | WarningReply:
    """A reply to a query whose replies are of this kind.

    Raises:
        EngineError: if it is an error, or no reply at all.
    """
    try:
        head = _head(line)
        if head.error is not None:
            error = msgspec.json.decode(line, type=ErrorReply)
            raise EngineError(error.error, error.field, error.faults)
        return msgspec.json.decode(line, type=WarningReply if head.warning is not None else kind)
    except msgspec.DecodeError as error:
        raise EngineError(f"found {cut(line.decode(errors='replace'))!r}; allowed: a reply of an engine") from error


def _kind_of(query: Query[R]) -> type[R]:
    """What the replies to a query are."""
    if not isinstance(query, Query):
        raise TypeError(f"expected a query of lusatia_ai.protocol, such as protocol.New(seed=7), not {query!r}")
    kind: type[R] = REPLIES[type(query)]  # type: ignore[assignment]
    return kind


@contextlib.contextmanager
def _starting(command: Sequence[str]) -> Iterator[None]:
    """Turns what the system says about a command into an error of ours."""
    try:
        yield
    except OSError as error:
        raise EngineError(f"cannot start {command[0]!r}: {error.strerror}") from error


def _ended() -> EngineError:
    return EngineError("the engine has ended")


class Pending(Generic[R]):
    """A query on its way: iterate over it for all its replies, or ask for the `result`.

    Attributes:
        id: of the query.
        warnings: what the engine has warned of so far.
    """

    def __init__(self, client: EngineClient, id: str, kind: type[R]) -> None:
        self.id = id
        self.warnings: list[WarningReply] = []
        self._client = client
        self._kind = kind
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._last: R | EngineError | None = None

    def __iter__(self) -> Iterator[R]:
        """The replies on the way as they come, and at last the final one.

        Raises:
            EngineError: if the engine answers with an error.
        """
        while self._last is None:
            reply = self._next(None)
            if reply is not None:
                yield reply

    def result(self, timeout: float | None = None) -> R:
        """Wait for the final reply.

        Args:
            timeout: seconds to wait for each reply; None for as long as it takes.

        Raises:
            EngineError: if the engine answers with an error.
            TimeoutError: if there is none in time; the query goes on.
        """
        while self._last is None:
            self._next(timeout)
        if isinstance(self._last, EngineError):
            raise self._last
        return self._last

    def stop(self) -> None:
        """End the query early; its `result` is what has been found."""
        self._client.ask(Stop(target=self.id))

    def _next(self, timeout: float | None) -> R | None:
        """The next reply, None for a warning."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"no reply to {self.id} within {timeout} s") from None
        try:
            if line is None:
                raise _ended()
            reply = _read(line, self._kind)
        except EngineError as error:
            self._last = error
            raise
        if isinstance(reply, WarningReply):
            self.warnings.append(reply)
            return None
        if reply.final:
            self._last = reply
        return reply


class EngineClient:
    """An engine in a process of its own. Use it as a context manager, or `close` it; threads may share it.

    Args:
        command: the engine with its arguments; by default `lusatia-ai engine` of this very installation.

    Raises:
        EngineError: if it cannot be started.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        pipe = subprocess.PIPE
        with _starting(command):
            self._process = subprocess.Popen(list(command), stdin=pipe, stdout=pipe, bufsize=0)
        self._ids = itertools.count(1)
        self._pending: dict[str, Pending[Any]] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._ended = False
        self._reader = threading.Thread(target=self._read_all, name="engine replies", daemon=True)
        self._reader.start()

    def start(self, query: Query[R]) -> Pending[R]:
        """Send a query, without waiting for its reply.

        Raises:
            EngineError: if the engine has ended.
        """
        kind = _kind_of(query)
        id = query.id or str(next(self._ids))
        pending: Pending[R] = Pending(self, id, kind)
        with self._lock:
            if self._ended:
                raise _ended()
            if id in self._pending:
                raise EngineError(f"found {id!r} of a query without a final reply; allowed: another id", "id")
            self._pending[id] = pending
        self._write(encode(msgspec.structs.replace(query, id=id)))
        return pending

    def ask(self, query: Query[R], timeout: float | None = None) -> R:
        """Send a query, and wait for its final reply.

        Raises:
            EngineError: if the engine answers with an error, or has ended.
            TimeoutError: if there is no reply within `timeout` seconds.
        """
        return self.start(query).result(timeout)

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        left = memoryview(line)
        with self._writing, contextlib.suppress(OSError, ValueError):  # an engine that has gone: its reader tells
            while left:
                left = left[self._process.stdin.write(left) or 0 :]

    def _read_all(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in _lines(self._process.stdout):
                self._deliver(line)
        with self._lock:
            self._ended = True
            left = list(self._pending.values())
            self._pending.clear()
        for pending in left:
            pending._lines.put(None)

    def _deliver(self, line: bytes) -> None:
        head = _head(line)
        with self._lock:
            pending = self._pending.get(head.id or "")
            if pending is not None and head.final:
                del self._pending[pending.id]
        if pending is not None:
            pending._lines.put(line)

    def close(self) -> None:
        """End the engine; whatever it is at, ends early."""
        if self._process.poll() is None:
            self._write(b'{"id":"close","query":"quit"}\n')
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(CLOSING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdout.close()  # type: ignore[union-attr]

    def __enter__(self) -> EngineClient:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _lines(stream: Any) -> Iterator[bytes]:
    """The lines of an unbuffered stream."""
    parts: list[bytes] = []
    while chunk := stream.read(2**16):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            yield b"".join([*parts, piece])
            parts = []
        parts.append(rest)


class AsyncEngineClient:
    """The same for asyncio:

        async with la.AsyncEngineClient() as engine:
            game = await engine.ask(New(seed=7))
            async for reply in engine.replies(Analyse(position=game.position, report_every=0.5)):
                print(reply.best)

    Args:
        command: as for `EngineClient`.
    """

    LONGEST_REPLY = 2**26

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = list(command)
        self._ids = itertools.count(1)
        self._pending: dict[str, asyncio.Queue[bytes | None]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._ended = False

    async def __aenter__(self) -> AsyncEngineClient:
        pipe = asyncio.subprocess.PIPE
        with _starting(self._command):
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=pipe, stdout=pipe, limit=self.LONGEST_REPLY
            )
        self._reader = asyncio.create_task(self._read_all(self._process))
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._reader is not None
        with contextlib.suppress(EngineError):
            await self._write(b'{"id":"close","query":"quit"}\n')
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), CLOSING_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reader

    async def _read_all(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            head = _head(line)
            lines = self._pending.get(head.id or "")
            if lines is not None:
                lines.put_nowait(line)
        self._ended = True
        for lines in self._pending.values():
            lines.put_nowait(None)

    async def replies(self, query: Query[R]) -> AsyncIterator[R]:
        """Send a query, and give its replies as they come, the final one last; warnings are left out.

        If the iteration is broken off, the query is stopped.

        Raises:
            EngineError: if the engine answers with an error, or has ended.
        """
        kind = _kind_of(query)
        id = query.id or str(next(self._ids))
        if id in self._pending:
            raise EngineError(f"found {id!r} of a query without a final reply; allowed: another id", "id")
        lines = self._pending[id] = asyncio.Queue()
        final = False
        try:
            await self._write(encode(msgspec.structs.replace(query, id=id)))
            while not final:
                line = await lines.get()
                if line is None:
                    final = True
                    raise _ended()
                final = _head(line).final
                reply = _read(line, kind)
                if not isinstance(reply, WarningReply):
                    yield reply
        finally:
            del self._pending[id]
            if not final and not self._ended:
                await self._write(encode(Stop(id=f"stop {id}"[:200], target=id)))

    async def ask(self, query: Query[R]) -> R:
        """Send a query, and wait for its final reply; if the task is cancelled, the query is stopped.

        Raises:
            EngineError: as for `replies`.
        """
        last: R | None = None
        async for reply in self.replies(query):
            last = reply
        assert last is not None
        return last

    async def _write(self, line: bytes) -> None:
        assert self._process is not None, "use the client with `async with`"
        assert self._process.stdin is not None
        if self._ended:
            raise _ended()
        try:
            self._process.stdin.write(line)
            await self._process.stdin.drain()
        except ConnectionError:
            raise _ended() from None
