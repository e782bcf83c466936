"""Mutated positions and records must be refused with a list of faults, or be sound.

Valid positions and records of random games are changed in small ways that look plausible: numbers by one, ids moved
from one list to another, keys and entries dropped or doubled, types and bytes changed. A mutation is an offender if
reading it raises anything but the documented error, takes seconds, or accepts something unsound. What is accepted must
be written as it was read, pass the self-check, and play on to the end of the game with the self-check after each event.
`python benchmarks/fuzz.py --mutations 100000` prints a table, and exits with 1 if there are any offenders.

Every mutation follows from the seed and its number, whatever it is run with: `--only 4711` runs that one again. Whole
blocks run in worker processes, so that a crash or a hang is found as well and its mutation named.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import lusatia_ai as la

Json = Any
Path_ = tuple[str | int, ...]

PLAYERS = [(humans, automas) for humans in range(2, 7) for automas in range(5) if 3 <= humans + automas <= 6]
SIDES: list[Any] = ["light", "dark", {"bautzen": "dark", "zittau": "dark"}, {}]
GAMES = 4  # games played on from each accepted position
SECONDS = 3.0  # that one mutation may take, games included
MOST_EVENTS = 3000  # of a game
BASES = 60  # games from which the valid inputs come
BLOCK = 500


@dataclass
class Report:
    """What became of the mutations.

    Attributes:
        verdicts: (kind of input, mutation, verdict) -> count.
        places: places whose change was accepted, without indices -> count.
        offenders: descriptions of mutations that should not have ended as they did.
    """

    verdicts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    offenders: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.verdicts += other.verdicts
        self.places += other.places
        self.offenders += other.offenders


# --- valid inputs ---------------------------------------------------------------------------------


@lru_cache(maxsize=BASES)
def game(seed: int, number: int) -> tuple[list[str], str]:
    """The positions of a random game as texts, and its record as a text."""
    rng = np.random.default_rng([seed, number])
    humans, automas = PLAYERS[number % len(PLAYERS)]
    flags = [bool(rng.integers(2)) for _ in range(3)]
    variant = la.Variant(humans, automas, *flags, SIDES[rng.integers(len(SIDES))])
    state = la.State.new(variant, chance="manual")
    record: dict[str, Any] = {
        "format": "lusatia-record",
        "version": 1,
        "components": "complete-edition",
        "variant": variant.to_json(),
        "names": [f"player {index}" for index in range(variant.players)],
        "events": [],
    }
    positions = []
    stop = int(rng.integers(1, 400))
    while not state.is_over:
        positions.append(json.dumps(state.to_json()))
        if len(record["events"]) < stop:
            seat = state.seat_to_act
            event: Any = random_event(state, rng)
            record["events"].append(event if seat is None else {"seat": seat, "move": event})
        else:
            event = random_event(state, rng)
        state.apply(event)
    if len(record["events"]) == len(positions):
        guards = [player["guards"] for player in state.to_json()["players"] if player["kind"] == "human"]
        record["result"] = {"favour": list(state.favour), "guards": guards, "winners": list(state.winners)}
    positions.append(json.dumps(state.to_json()))
    return positions, json.dumps(record)


def random_event(state: la.State, rng: np.random.Generator) -> Any:
    if state.is_chance:
        return state.sample_chance(rng)
    moves = state.legal_moves()
    return str(moves[rng.integers(len(moves))])


# --- mutations ------------------------------------------------------------------------------------


def walk(data: Json, path: Path_ = ()) -> Iterator[tuple[Path_, Json]]:
    """Every value below the top, with its path."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        yield (*path, key), value
        yield from walk(value, (*path, key))


class Mutator:
    """Changes to a JSON value in place; each returns the paths that it has changed, none if it found nothing to do."""

    def __init__(self, data: Json, rng: random.Random) -> None:
        self.data = data
        self.rng = rng
        self.all = list(walk(data))

    def parent(self, path: Path_) -> Any:
        at = self.data
        for step in path[:-1]:
            at = at[step]
        return at

    def put(self, path: Path_, value: Json) -> None:
        self.parent(path)[path[-1]] = value

    def pick(self, *types: type) -> tuple[Path_, Json] | None:
        """A random value of these types, from a random part of the data so that long lists do not take all."""
        found = [(path, value) for path, value in self.all if type(value) in types]
        if not found:
            return None
        head = self.rng.choice(sorted({str(path[0]) for path, _ in found}))
        return self.rng.choice([entry for entry in found if str(entry[0][0]) == head])

    def step_number(self) -> list[Path_]:
        picked = self.pick(int, float)
        if picked is None:
            return []
        path, value = picked
        self.put(path, value + self.rng.choice([-1, 1, -1, 1, -2, 2, 10, -0.5, 0.5]))
        return [path]

    def swap_two(self) -> list[Path_]:
        picked = self.pick(int, str, bool, float)
        if picked is None:
            return []
        path, value = picked
        others = [entry for entry in self.all if type(entry[1]) is type(value) and entry[1] != value]
        near = [entry for entry in others if entry[0][0] == path[0] and entry[0][-1] == path[-1]]
        if not others:
            return []
        other, their_value = self.rng.choice(near or others)
        self.put(path, their_value)
        self.put(other, value)
        return [path, other]

    def copy_value(self) -> list[Path_]:
        """What stands somewhere else in the data, in the same type."""
        picked = self.pick(int, str, bool, dict, list)
        if picked is None:
            return []
        path, value = picked
        others = [entry for entry in self.all if type(entry[1]) is type(value) and entry[1] != value]
        near = [entry for entry in others if entry[0][-1] == path[-1] and entry[0][0] == path[0]]
        if not others:
            return []
        _, their_value = self.rng.choice(near if near and self.rng.random() < 0.6 else others)
        self.put(path, json.loads(json.dumps(their_value)))
        return [path]

    def move_entry(self) -> list[Path_]:
        """An entry of a list into another list, in the right place of it if that is sorted."""
        lists = [(path, value) for path, value in self.all if isinstance(value, list)]
        full = [(path, value) for path, value in lists if value]
        if not full:
            return []
        source, entries = self.rng.choice(full)
        goal, other = self.rng.choice(lists)
        if self.rng.random() < 0.7:  # into one that holds the like, if there is any
            like = [
                (path, value)
                for path, value in lists
                if value is not entries and value and type(value[0]) is type(entries[0]) and path[0] == source[0]
            ]
            goal, other = self.rng.choice(like or lists)
        entry = entries.pop(self.rng.randrange(len(entries)))
        was_sorted = all(isinstance(value, str) for value in other) and other == sorted(other)
        other.insert(self.rng.randint(0, len(other)), entry)
        if was_sorted and isinstance(entry, str):
            other.sort()
        return [source, goal]

    def shuffle_list(self) -> list[Path_]:
        found = [(path, value) for path, value in self.all if isinstance(value, list) and len(value) > 1]
        if not found:
            return []
        path, value = self.rng.choice(found)
        self.rng.shuffle(value)
        return [path]

    def drop(self) -> list[Path_]:
        picked = self.rng.choice(self.all)
        del self.parent(picked[0])[picked[0][-1]]
        return [picked[0]]

    def double(self) -> list[Path_]:
        """An entry twice in its list, or a value under a second key."""
        path, value = self.rng.choice(self.all)
        parent = self.parent(path)
        copy = json.loads(json.dumps(value))
        if isinstance(parent, list):
            parent.insert(self.rng.randint(0, len(parent)), copy)
        else:
            keys = [str(entry[0][-1]) for entry in self.all if isinstance(entry[0][-1], str)]
            parent[self.rng.choice([*keys, f"{path[-1]}_", "", "view"])] = copy
        return [path]

    def change_type(self) -> list[Path_]:
        path, value = self.rng.choice(self.all)
        numbers = [0, 1, -1, 2.0, 0.5, 255, 256, 2**31, 2**64, 10**40, 1e300]
        texts = ["", "0", str(value)[:50], "\ud800", "zittau", "clergy", "beggar"]
        self.put(path, self.rng.choice([None, True, False, *numbers, *texts, [], {}, [value], {"0": value}]))
        return [path]

    def flip(self) -> list[Path_]:
        picked = self.pick(bool)
        if picked is None:
            return []
        self.put(picked[0], not picked[1])
        return [picked[0]]

    def clear(self) -> list[Path_]:
        """Null, or nothing in it."""
        picked = self.pick(dict, list, str, int)
        if picked is None:
            return []
        path, value = picked
        self.put(path, self.rng.choice([None, type(value)()]))
        return [path]


MUTATIONS = {
    "step a number": (6, Mutator.step_number),
    "swap two values": (4, Mutator.swap_two),
    "copy a value": (4, Mutator.copy_value),
    "move an entry": (4, Mutator.move_entry),
    "shuffle a list": (1, Mutator.shuffle_list),
    "drop": (1, Mutator.drop),
    "double": (1, Mutator.double),
    "change a type": (2, Mutator.change_type),
    "flip a flag": (1, Mutator.flip),
    "clear": (1, Mutator.clear),
}
SPLICE = "splice bytes"
_WEIGHTS = [weight for weight, _ in MUTATIONS.values()]


def splice(text: str, rng: random.Random) -> bytes:
    """Bytes dropped, doubled, changed or moved."""
    data = bytearray(text.encode())
    for _ in range(rng.choice([1, 1, 2, 5])):
        start = rng.randrange(len(data))
        piece = data[start : start + rng.choice([1, 1, 2, 10, 100])]
        goal = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[start] = rng.choice(b'0123456789-.,:{}[]" \\enul\xff\x00')
        elif kind == 1:
            del data[start : start + len(piece)]
        elif kind == 2:
            data[goal:goal] = piece
        else:
            data[goal : goal + len(piece)] = piece
        data = data or bytearray(b"{")
    return bytes(data)


@dataclass(frozen=True)
class Mutation:
    """One input: `data` is a dict or a text, `base` the valid text that it came from."""

    kind: str
    name: str
    base: str
    data: Any
    places: tuple[str, ...]


def mutation(seed: int, index: int, kinds: tuple[str, ...], bases: int = BASES) -> Mutation:
    """The mutation with this number, of something from one of the first `bases` games."""
    rng = random.Random(f"{seed}:{index}")
    kind = kinds[0] if len(kinds) == 1 or rng.random() < 0.8 else kinds[1]
    positions, record = game(seed, rng.randrange(bases))
    base = rng.choice(positions) if kind == "position" else record
    if rng.random() < 0.04:
        return Mutation(kind, SPLICE, base, splice(base, rng), ("(bytes)",))
    data = json.loads(base)
    name, places = "", []
    for _ in range(rng.choice([1, 1, 1, 1, 2, 3])):
        name = rng.choices(list(MUTATIONS), _WEIGHTS)[0]
        places += MUTATIONS[name][1](Mutator(data, rng))
    return Mutation(kind, name, base, data, tuple(sorted({general(path) for path in places})))


def general(path: Path_) -> str:
    """A path without indices and names of towns and seats."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
    text = re.sub(r"\[\d+\]", "[]", text)
    return re.sub(r"^(tokens|variant\.sides)\.\w+", r"\1.*", text)


# --- verdicts -------------------------------------------------------------------------------------


def run(seed: int, indices: range, bases: int = BASES, current: Any = None) -> Report:
    """Try these mutations in this process; `current.value` always is the one being tried."""
    report = Report()
    for index in indices:
        if current is not None:
            current.value = index
        tried = mutation(seed, index, input_kinds(), bases)
        start = time.perf_counter()
        try:
            verdict = VERDICTS[tried.kind](tried, random.Random(f"{seed}:{index}:play"))
        except Offence as offence:
            verdict = "OFFENDER"
            report.offenders.append(describe(seed, index, tried, str(offence)))
        except Exception as error:
            verdict = "OFFENDER"
            report.offenders.append(describe(seed, index, tried, f"{type(error).__name__}: {error}"[:300]))
        seconds = time.perf_counter() - start
        if seconds > SECONDS:
            verdict = "OFFENDER"
            report.offenders.append(describe(seed, index, tried, f"took {seconds:.1f} seconds"))
        report.verdicts[tried.kind, tried.name, verdict] += 1
        if verdict == "accepted changed":
            report.places.update(tried.places)
    return report


class Offence(Exception):  # noqa: N818 - an input that should not have been accepted, no error of this program
    """Something unsound was accepted."""


def describe(seed: int, index: int, tried: Mutation, problem: str) -> dict[str, Any]:
    data = tried.data.decode("utf-8", "backslashreplace") if isinstance(tried.data, bytes) else tried.data
    told = {"seed": seed, "index": index, "kind": tried.kind, "mutation": tried.name, "places": tried.places}
    return told | {"problem": problem, "base": json.loads(tried.base), "data": data}


def canonical(data: Json) -> str:
    return json.dumps(data, sort_keys=True)


def position_verdict(tried: Mutation, rng: random.Random) -> str:
    try:
        state = la.State.from_json(tried.data, chance="manual")
    except la.PositionError as error:
        if not error.faults or not all(fault.place and fault.found and fault.allowed for fault in error.faults):
            raise Offence(f"a fault without a place or words: {error}") from None
        if len(str(error)) > 100_000:
            raise Offence(f"a message of {len(str(error))} characters") from None
        return "refused"
    given = json.loads(tried.data) if isinstance(tried.data, bytes) else tried.data
    written = state.to_json()
    if canonical(written) != canonical(complete(given)):
        raise Offence("written otherwise than it was read")
    again = la.State.from_json(written, chance="manual")
    if again != state or again.hash != state.hash:
        raise Offence("another position when it is read again")
    if state.check() is not None:
        raise Offence(f"self-check: {state.check()}")
    for number in range(GAMES - 1):
        play_on(state.clone(), np.random.default_rng([rng.randrange(2**31), number]))
    state.playout(seed=rng.randrange(2**31))
    return "accepted unchanged" if canonical(given) == canonical(json.loads(tried.base)) else "accepted changed"


def complete(given: Json) -> Json:
    """The position as it has to be written: with all keys of the variant."""
    defaults = {"automas": 0, "easy": False, "chooser_must_contribute": False, "score_automas": False, "sides": "light"}
    return given | {"variant": defaults | given["variant"]}


def play_on(state: la.State, rng: np.random.Generator) -> None:
    for _ in range(MOST_EVENTS):
        if state.is_over:
            return
        event = random_event(state, rng)
        state.apply(event)
        if state.check() is not None:
            raise Offence(f"self-check after {event}: {state.check()}")
    raise Offence(f"a game of more than {MOST_EVENTS} events")


def record_verdict(tried: Mutation, rng: random.Random) -> str:
    try:
        record = la.Record.from_json(tried.data)
    except la.RecordError as error:
        if not error.faults:
            raise Offence("an error without a fault") from None
        return "refused"
    try:
        la.Record.from_json(tried.data, strict=True)
        strict = True
    except la.RecordError:
        strict = False
    if strict != (not record.faults):
        raise Offence(f"strict: {strict}, faults: {record.faults}")
    for fault in record.faults:
        if not (fault.place and fault.found and fault.allowed) or len(str(fault)) > 5000:
            raise Offence(f"a fault without a place or words, or too many: {str(fault)[:300]}")
    written = record.to_json()
    json.dumps(written)
    again = la.Record.from_json(written, strict=True)
    if canonical(again.to_json()) != canonical(written):
        raise Offence("another record when it is read again")
    state = record.state()
    if state.check() is not None:
        raise Offence(f"self-check: {state.check()}")
    play_on(state, np.random.default_rng(rng.randrange(2**31)))
    if not strict:
        return "read in part"
    given = json.loads(tried.data) if isinstance(tried.data, bytes) else tried.data
    full = complete(given)
    full["names"] = given["names"] + written["names"][len(given["names"]) :]  # automas need not be named
    full |= {"result": written["result"]} if "result" in written and "result" not in given else {}
    if canonical(written) != canonical(full):
        raise Offence("written otherwise than it was read")
    return "accepted unchanged" if canonical(given) == canonical(json.loads(tried.base)) else "accepted changed"


VERDICTS = {"position": position_verdict, "record": record_verdict}


def input_kinds() -> tuple[str, ...]:
    return ("position", "record") if hasattr(la, "Record") else ("position",)


# --- in worker processes --------------------------------------------------------------------------


def _work(seed: int, indices: range, bases: int, current: Any, sender: Any) -> None:
    sender.send(run(seed, indices, bases, current))


def run_isolated(seed: int, indices: range, bases: int = BASES) -> Report:
    """As `run`, in a process of its own; a mutation at which that crashes or hangs is an offender, the rest goes on."""
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    total = Report()
    while indices:
        current = context.Value("q", indices.start, lock=False)
        receiver, sender = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(seed, indices, bases, current, sender))
        worker.start()
        sender.close()
        report = _received(receiver, worker, current)
        worker.join(5)
        if report is not None:
            total.add(report)
            return total
        at = int(current.value)
        tried = mutation(seed, at, input_kinds(), bases)
        problem = f"the process ended with code {worker.exitcode}" if worker.exitcode is not None else "a hang"
        if worker.is_alive():
            worker.kill()
            worker.join()
        total.offenders.append(describe(seed, at, tried, problem))
        total.verdicts[tried.kind, tried.name, "OFFENDER"] += 1
        if at > indices.start:
            total.add(run(seed, range(indices.start, at), bases))
        indices = range(at + 1, indices.stop)
    return total


def _received(receiver: Any, worker: Any, current: Any) -> Report | None:
    """What the worker sends; None if it dies, or stays at one mutation for a long time."""
    last, since = current.value, time.monotonic()
    while time.monotonic() - since < 20 * SECONDS:
        if receiver.poll(0.5):
            try:
                report: Report = receiver.recv()
            except EOFError:
                return None
            return report
        if not worker.is_alive():
            return None
        if current.value != last:
            last, since = current.value, time.monotonic()
    return None


def _isolated(task: tuple[int, range, int]) -> Report:
    return run_isolated(*task)


def table(report: Report) -> str:
    """The summary as text."""
    verdicts = ("refused", "read in part", "accepted unchanged", "accepted changed", "OFFENDER")
    lines = [f"{'input':9} {'mutation':17}" + "".join(f"{verdict:>20}" for verdict in verdicts)]
    names = sorted({(kind, name) for kind, name, _ in report.verdicts})
    for kind, name in names:
        counts = [report.verdicts[kind, name, verdict] for verdict in verdicts]
        lines.append(f"{kind:9} {name:17}" + "".join(f"{count:20}" for count in counts))
    sums = [sum(n for key, n in report.verdicts.items() if key[2] == verdict) for verdict in verdicts]
    lines.append(f"{'all':27}" + "".join(f"{count:20}" for count in sums))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--mutations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bases", type=int, default=BASES, help="random games from which the valid inputs come")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--only", type=int, help="try the mutation with this number alone, in this process")
    parser.add_argument("--places", action="store_true", help="also list the places whose change was accepted")
    parser.add_argument("--offenders", type=Path, default=Path("fuzz-offenders.jsonl"), help="file to write them to")
    options = parser.parse_args()
    start = time.monotonic()
    if options.only is not None:
        report = run(options.seed, range(options.only, options.only + 1), options.bases)
    else:
        report = Report()
        limits = range(0, options.mutations, BLOCK)
        parts = [range(low, min(low + BLOCK, options.mutations)) for low in limits]
        blocks = [(options.seed, part, options.bases) for part in parts]
        with ThreadPoolExecutor(options.jobs) as pool:
            for done, future in enumerate(as_completed([pool.submit(_isolated, block) for block in blocks]), 1):
                report.add(future.result())
                tried, seconds = sum(report.verdicts.values()), time.monotonic() - start
                line = f"\r{tried} of {options.mutations}, {seconds:.0f} s, {len(report.offenders)} offenders"
                print(line, end="\n" if done == len(blocks) else "", file=sys.stderr, flush=True)
    print(table(report))
    if options.places:
        print("\naccepted changes, by place:")
        for place, count in report.places.most_common():
            print(f"{count:7} {place}")
    if report.offenders:
        lines = [json.dumps(offender) for offender in report.offenders]
        options.offenders.write_text("\n".join(lines) + "\n", encoding="utf-8")
        problems = Counter(re.sub(r"\d+", "N", offender["problem"])[:110] for offender in report.offenders)
        print(f"\n{len(lines)} offenders, written to {options.offenders}:")
        for problem, count in problems.most_common(20):
            print(f"{count:7} {problem}")
    return 1 if report.offenders else 0


if __name__ == "__main__":
    sys.exit(main())
