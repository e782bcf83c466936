"""The engine under bad input, with a reader that stalls, and against the clock.

`python benchmarks/engine.py` prints a table, and exits with 1 if a target is missed:

- fuzz: of 10,000 lines (broken JSON, huge numbers, deep nesting, wrong encodings, lines of 10 MB, ids twice, stop
  before start, all kinds of real queries) each well-formed id gets its final replies, the engine lives, its memory is
  bounded;
- stall: nothing is lost or reordered, and memory stays bounded, while nobody reads;
- latency: `legal_moves` within 2 ms while an analysis runs: 95 % of 500 calls for a position that the engine has met or
  made, the median for positions that are new to it;
- play: `play` at level 5 within its limit of time + 30 ms (99 % of 200 calls);
- start: from the start of the process to its first answer, 0.7 s (median of 5).

Times depend on what else the machine is doing; --slack 3 multiplies their targets by 3. The table shows what the bare
interpreter with numpy needs to start, for comparison.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lusatia_ai as la
from lusatia_ai.protocol import Analyse, LegalMoves, Play, SearchLimit, Version

Json = dict[str, Any]
COMMAND = [sys.executable, "-m", "lusatia_ai", "engine"]
MOST_MEMORY = 400  # MB that the process may ever take; about 100 are the libraries
TEN_MB = 10 * 2**20

Row = tuple[str, str, str, bool]
"""What is measured, the figure, its target, and whether that is met."""


def positions(count: int, seed: int) -> list[Json]:
    """Positions of random games, each with its decision."""
    rng = random.Random(seed)
    found: list[Json] = []
    while len(found) < count:
        humans = rng.randint(3, 6)
        state = la.State.new(la.Variant(humans=humans), seed=rng.randrange(2**32))
        for _ in range(rng.randrange(60)):
            if not state.is_over:
                state.apply(rng.choice(state.legal_moves()))
        if not state.is_over:
            found.append(state.to_json())
    return found


def memory_peak(process: int) -> float:
    """MB that a process has taken at most; 0 where the system does not tell."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return 0.0


# --- fuzz -------------------------------------------------------------------------------------------


class Fuzzer:
    """Lines of all kinds, and which ids they oblige the engine to answer."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.positions = positions(40, seed)
        self.owed: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self._numbers = 0
        self._ways: list[tuple[int, Callable[[], bytes]]] = [
            (30, self.query), (14, self.changed_query), (10, self.broken), (6, self.huge_number), (3, self.deep),
            (6, self.wrong_encoding), (8, self.id_again), (8, self.stop), (5, self.unknown_field), (5, self.wrong_type),
            (4, self.bytes), (1, self.long_text),
        ]  # fmt: skip

    def lines(self, count: int, long: int) -> Iterator[bytes]:
        """So many lines, of which `long` have 10 MB."""
        at = set(self.rng.sample(range(count), long))
        weights, ways = zip(*self._ways, strict=True)
        for number in range(count):
            way = self.ten_mb if number in at else self.rng.choices(ways, weights)[0]
            self.kinds[way.__name__] += 1
            yield way()

    def _id(self) -> str:
        self._numbers += 1
        id = f"{self._numbers}" + self.rng.choice(["", "ü", " x", '"', "\\", "\u2028"])
        self.owed[id] += 1
        return id

    def _fields(self) -> Json:
        rng = self.rng
        position = rng.choice(self.positions)
        limit = {"iterations": rng.randint(1, 40)}
        return rng.choice(
            [
                {"query": "legal_moves", "position": position},
                {"query": "apply", "position": position, "moves": ["accept"], "seed": 1},
                {"query": "analyse", "position": position, "limit": limit, "report_every": 0.1},
                {"query": "play", "position": position, "level": rng.randint(1, 10), "limit": limit},
                {"query": "new", "seed": rng.randrange(100), "variant": {"humans": rng.randint(0, 7)}},
                {"query": "validate", "position": position},
                {"query": "version"},
                {"query": "capabilities"},
                {"query": "solve", "position": position, "limit": {"time": 0.01}},
                {"query": "render", "position": position, "format": "text"},
            ]
        )

    def query(self) -> bytes:
        return json.dumps({"id": self._id(), **self._fields()}).encode()

    def changed_query(self) -> bytes:
        """A query in whose position something has become something else."""
        fields = json.loads(json.dumps(self._fields()))
        target = fields.get("position", fields)
        key = self.rng.choice([key for key in target if key != "query"] or ["seed"])
        target[key] = self.rng.choice([None, -1, "x", [], {}, 2**70, 1e308, [[]], True])
        return json.dumps({"id": self._id(), **fields}).encode()

    def broken(self) -> bytes:
        """JSON that ends too early; its id is not well-formed, so nothing is owed."""
        text = json.dumps({"query": "version", "id": "broken", **self._fields()})
        return text[: self.rng.randrange(1, len(text) - 1)].encode()

    def huge_number(self) -> bytes:
        number = self.rng.choice(["1" * 5000, "1e400", "-1e999", "0." + "3" * 5000, "9" * 25, "-0"])
        id = json.dumps(self._id())
        return f'{{"id": {id}, "query": "legal_moves", "turns": {number}, "priority": {number}}}'.encode()

    def deep(self) -> bytes:
        opened = self.rng.choice(["[", '{"a":'])
        id = json.dumps(self._id())
        return f'{{"id": {id}, "query": "legal_moves", "position": {opened * self.rng.randint(100, 50_000)}'.encode()

    def wrong_encoding(self) -> bytes:
        text = json.dumps({"query": "version", "id": "encoding"})
        return self.rng.choice(
            [
                text.encode("utf-16").replace(b"\n", b" "),
                text.replace("encoding", "\udcff").encode("utf-8", "surrogateescape"),
                b"\xef\xbb\xbf" + text.encode(),
                text.replace("encoding", "\\ud800").encode(),
                text.encode("utf-32").replace(b"\n", b" "),
            ]
        )

    def id_again(self) -> bytes:
        """An id that has been used; the query is answered or refused, in any case once."""
        id = str(self.rng.randint(1, max(1, self._numbers)))
        self.owed[id] += 1
        return json.dumps({"id": id, "query": "version"}).encode()

    def stop(self) -> bytes:
        """Of queries that run, wait, have been answered, are to come, or never will."""
        target = str(self._numbers + self.rng.randint(-5, 5))
        everything = self.rng.random() < 0.1
        wanted: Json = {"all": True} if everything else {"target": target}
        return json.dumps({"id": self._id(), "query": "stop", **wanted}).encode()

    def unknown_field(self) -> bytes:
        return json.dumps({"id": self._id(), **self._fields(), "colour": "blue", "": None}).encode()

    def wrong_type(self) -> bytes:
        fields = self._fields()
        key = self.rng.choice([*fields, "limit", "moves", "seat", "hands", "level", "target", "query"])
        value = self.rng.choice([None, 7, "x", [7], {"a": {}}, -1e9, False])
        return json.dumps({**fields, key: value, "id": self._id()}).encode()

    def bytes(self) -> bytes:
        return self.rng.randbytes(self.rng.randint(1, 200)).replace(b"\n", b"")

    def long_text(self) -> bytes:
        fields = {"query": "apply", "position": self.positions[0], "moves": ["x" * 90] * 5000}
        return json.dumps({"id": self._id(), **fields}).encode()

    def ten_mb(self) -> bytes:
        id = json.dumps(self._id()).encode()
        return b'{"id": ' + id + b', "query": "version", "x": "' + b"y" * TEN_MB + b'"}'


def fuzz(count: int, seed: int) -> list[Row]:
    """Send lines of all kinds, and count what comes back."""
    fuzzer = Fuzzer(seed)
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    errors: list[bytes] = []
    peak = 0.0

    def send() -> None:
        nonlocal peak
        with contextlib.suppress(BrokenPipeError):
            for line in fuzzer.lines(count, max(1, count // 500)):
                process.stdin.write(line + b"\n")  # type: ignore[union-attr]
            process.stdin.write(b'{"id": "last", "query": "version"}\n')  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            peak = memory_peak(process.pid)
            process.stdin.close()  # type: ignore[union-attr]

    threads = [threading.Thread(target=send), threading.Thread(target=lambda: errors.append(process.stderr.read()))]
    for thread in threads:
        thread.start()
    finals: Counter[str] = Counter()
    bad = internal = anonymous = 0
    for line in process.stdout:
        try:
            reply = json.loads(line)
        except ValueError:
            bad += 1
            continue
        internal += "internal error" in reply.get("error", "")
        anonymous += reply["id"] is None
        if reply["id"] is not None and reply.get("final", True):
            finals[reply["id"]] += 1
    for thread in threads:
        thread.join()
    code = process.wait()
    fuzzer.owed["last"] += 1
    finals.pop("encoding", None)
    wrong = {id: (finals[id], owed) for id, owed in fuzzer.owed.items() if finals[id] != owed}
    kinds = ", ".join(f"{name} {number}" for name, number in sorted(fuzzer.kinds.items()))
    print(f"fuzzed lines: {kinds}; {anonymous} errors without an id", file=sys.stderr)
    for id, (found, owed) in list(wrong.items())[:5]:
        print(f"id {id!r}: {found} final replies, {owed} owed", file=sys.stderr)
    if internal or code:
        print(errors[0][-3000:].decode("utf-8", "replace"), file=sys.stderr)
    return [
        (f"fuzz: ids of {count:,} lines not answered as owed", f"{len(wrong)} of {len(fuzzer.owed):,}", "0", not wrong),
        ("fuzz: lines of output that are no JSON", str(bad), "0", not bad),
        ("fuzz: internal errors; exit code", f"{internal}; {code}", "0; 0", not internal and not code),
        ("fuzz: peak memory", f"{peak:.0f} MB", f"{MOST_MEMORY} MB", peak < MOST_MEMORY),
    ]


def stall(seconds: float, seed: int) -> list[Row]:
    """Send much, and read nothing for a while."""
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    game = positions(1, seed)[0]
    count = 6000
    sent = 0

    def send() -> None:
        nonlocal sent
        for number in range(count):
            line = {"id": str(number), "query": "apply", "position": game, "moves": [], "seed": number}
            process.stdin.write(json.dumps(line).encode() + b"\n")  # type: ignore[union-attr]
            sent = number
        process.stdin.close()  # type: ignore[union-attr]

    thread = threading.Thread(target=send)
    thread.start()
    time.sleep(seconds)
    stalled, peak = sent, memory_peak(process.pid)
    ids, whole = [], 0
    for line in process.stdout:
        reply = json.loads(line)
        ids.append(int(reply["id"]))
        whole += reply["position"] == game
    thread.join()
    process.wait()
    right = ids == list(range(count)) and whole == count
    return [
        (f"stall: replies whole and in order, after {seconds:.0f} s unread", f"{whole:,} of {count:,}", "all", right),
        ("stall: queries taken meanwhile", f"{stalled:,}", f"below {count:,}", stalled < count - 1),
        ("stall: peak memory", f"{peak:.0f} MB", f"{MOST_MEMORY} MB", peak < MOST_MEMORY),
    ]


# --- time -------------------------------------------------------------------------------------------


def latency(seed: int, slack: float, count: int = 500) -> list[Row]:
    """`legal_moves` while an analysis runs: of positions just met, and of new ones."""
    rows = []
    games = positions(count, seed)
    with la.EngineClient() as engine:
        engine.ask(LegalMoves(position=games[0]))
        running = engine.start(Analyse(position=games[0], limit=SearchLimit(time=86_400)))
        for name, chosen in (("a position met before", [games[0]] * count), ("new positions", games)):
            taken = sorted(_milliseconds(engine, LegalMoves(position=position)) for position in chosen)
            middle, most = statistics.median(taken), taken[int(0.95 * count)]
            good = (most if chosen is not games else middle) <= 2 * slack
            rows.append(
                (f"latency: legal_moves of {name}", f"{middle:.2f}, 95 % {most:.2f} ms", f"{2 * slack:g} ms", good)
            )
        running.stop()
        running.result()
    echo = _echo(count)
    figure = f"{statistics.median(echo):.2f}, 95 % {echo[int(0.95 * count)]:.2f} ms"
    return [*rows, ("latency: a bare echo in Python, for comparison", figure, "", True)]


def _echo(count: int) -> list[float]:
    """Milliseconds that a line takes to a process that does nothing and back, sorted."""
    program = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    taken = []
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for _ in range(count + 1):
            started = time.perf_counter()
            process.stdin.write(b"x" * 3000 + b"\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            process.stdout.readline()  # type: ignore[union-attr]
            taken.append(1000 * (time.perf_counter() - started))
        process.stdin.close()  # type: ignore[union-attr]
    return sorted(taken[1:])


def _milliseconds(engine: la.EngineClient, query: Any) -> float:
    started = time.perf_counter()
    engine.ask(query)
    return 1000 * (time.perf_counter() - started)


def play(seed: int, slack: float, count: int = 200, seconds: float = 0.1) -> list[Row]:
    """Whole calls of `play` against their limit of time."""
    with la.EngineClient() as engine:
        engine.ask(Version())  # the start of the process is measured elsewhere
        limit = SearchLimit(time=seconds)
        late = sorted(
            _milliseconds(engine, Play(position=position, level=5, limit=limit, seed=number)) - 1000 * seconds
            for number, position in enumerate(positions(count, seed))
        )
        late10 = sorted(
            _milliseconds(engine, Play(position=position, level=10, limit=limit, seed=number)) - 1000 * seconds
            for number, position in enumerate(positions(count // 4, seed))
        )
    within = sum(one <= 30 * slack for one in late) / count
    within10 = sum(one <= 30 * slack for one in late10) / len(late10)
    target = f"99 % within {seconds * 1000:.0f} + {30 * slack:g} ms"
    return [
        ("play: level 5", f"{within:.1%}, at worst {late[-1]:+.0f} ms", target, within >= 0.99),
        (
            "play: level 10, which uses its time",
            f"{within10:.1%}, at worst {late10[-1]:+.0f} ms",
            target,
            within10 >= 0.99,
        ),
    ]


def start(slack: float, count: int = 5) -> list[Row]:
    """From the start of the process to its first answer."""
    answer = statistics.median(_first_answer(COMMAND) for _ in range(count))
    bare = statistics.median(
        _first_answer([sys.executable, "-c", "import numpy; print(input())"]) for _ in range(count)
    )
    target = 0.7 * slack
    return [
        ("start: to the first answer", f"{answer:.2f} s", f"{target:g} s", answer < target),
        ("start: Python with numpy alone, for comparison", f"{bare:.2f} s", "", True),
    ]


def _first_answer(command: list[str]) -> float:
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b'{"id": "new", "query": "new"}\n')  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        process.stdout.readline()  # type: ignore[union-attr]
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=10_000, help="fuzzed lines")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slack", type=float, default=1.0, help="factor on targets of time, for a busy machine")
    options = parser.parse_args()
    rows = [
        *start(options.slack),
        *latency(options.seed, options.slack),
        *play(options.seed, options.slack),
        *stall(3.0, options.seed),
        *fuzz(options.lines, options.seed),
    ]
    for name, figure, target, good in rows:
        print(f"{'ok ' if good else 'BAD'}  {name:62}  {figure:26}  {target}")
    sys.exit(not all(good for *_, good in rows))


if __name__ == "__main__":
    main()
