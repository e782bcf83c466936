"""Players: whoever decides for a seat, told only what the seat may see.

A player has a `name` and answers `choose(view, limit)` with a `PlayResult`. What it decides depends on its seed and on
the calls so far alone, so that the same seed plays the same game (a limit of time apart). Players that follow a game
may also have these, which the arena calls:

    new_game(view)     before the set-up of a game, with the view of the player's own seat
    observe(event)     after each event, as a record writes it; what others hand over at the end (rules 8.2) stays out
                       until all have chosen
    close()            when the player is not needed any more
"""

from __future__ import annotations

import json
import os
import queue
import re
import shlex
import shutil
import subprocess
import threading
import time as clock
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, fields, replace
from importlib import import_module
from typing import IO, Any, Protocol, TypeVar

import numpy as np

from ._policy import policy_move
from ._tables import Move
from .belief import HIDDEN, Belief
from .components import AutomaCard
from .errors import LusatiaError, PlayerError
from .evaluation import evaluator_for
from .limits import Limit, SearchParams
from .observation import View
from .search import SearchResult, SearchTree
from .state import Seed, State

Json = dict[str, Any]
Choice = TypeVar("Choice")


@dataclass(frozen=True, slots=True)
class PlayResult:
    """What a player decides.

    Attributes:
        move: a legal move of the view.
        search: what a searching player has found out, the move played not always being its best.
        comment: what the player says about it.
    """

    move: Move
    search: SearchResult | None = None
    comment: str | None = None


class Player(Protocol):
    """Whoever decides for a seat."""

    @property
    def name(self) -> str:
        """What to call the player."""

    def choose(self, view: View, limit: Limit | None = None) -> PlayResult:
        """Decide for the seat to act, whose view this is.

        Args:
            view: what the seat may see; it has at least one legal move.
            limit: how long to think; None leaves it to the player.
        """


# --- players that do not search ---------------------------------------------------------------------


class RandomPlayer:
    """Plays any legal move, all equally likely.

    Args:
        seed: of its choices; None takes fresh entropy.
    """

    def __init__(self, seed: Seed = None, name: str = "random") -> None:
        self.name = name
        self._rng = np.random.default_rng(seed)

    def choose(self, view: View, limit: Limit | None = None) -> PlayResult:
        """See `Player.choose`; the limit does not matter."""
        return PlayResult(_pick(self._rng, view.legal_moves()))


class GreedyPlayer:
    """Plays by rules of thumb, at once.

    Args:
        seed: of its choices among equals; None takes fresh entropy.
    """

    def __init__(self, seed: Seed = None, name: str = "greedy") -> None:
        self.name = name
        self._rng = np.random.default_rng(seed)

    def choose(self, view: View, limit: Limit | None = None) -> PlayResult:
        """See `Player.choose`; the limit does not matter."""
        return PlayResult(_greedy(view, _word(self._rng)))


def _greedy(view: View, seed: int) -> Move:
    """What the rule-based policy plays in a world that the view allows."""
    code = policy_move(view.sample(seed), evaluator_for(view.tables), seed)
    move: Move = view.tables.move(code)
    return move


class AutomaLikePlayer:
    """Travels and bids in the way of an automa (rules 9.2-9.4), and takes what lies at hand otherwise.

    It has a deck of automa cards of its own. For a journey it turns a card and follows the arrows to the nearest town
    that it can enter, at the lowest bid; where no arrow leads to one, it takes the lowest bid of all. Whether it raises
    a standing bid is up to another card's table, and it raises by as little as it can. Evicted, it goes the way of the
    card that made it give in. It collects the sides with most goods, keeps its guards from Farmers and leaves
    Merchants alone, chooses the row that gains it most at once and the card with most symbols, and hands over
    at the end all guards it may. The rest it leaves to chance.

    Args:
        seed: of the shuffled deck and of its choices among equals; None takes fresh entropy.
    """

    def __init__(self, seed: Seed = None, name: str = "automa") -> None:
        self.name = name
        self._rng = np.random.default_rng(seed)
        self._deck: list[AutomaCard] = []
        self._turned: AutomaCard | None = None

    def choose(self, view: View, limit: Limit | None = None) -> PlayResult:
        """See `Player.choose`; the limit does not matter."""
        moves = view.legal_moves()
        decide = self._WAYS.get(str(view.decision), AutomaLikePlayer._any)
        return PlayResult(decide(self, view, moves))

    def _turn_card(self, view: View) -> AutomaCard:
        if not self._deck:
            cards = view.tables.components.automa_cards
            self._deck = [cards[index] for index in self._rng.permutation(len(cards))]
        self._turned = self._deck.pop()
        return self._turned

    def _travel(self, view: View, moves: Sequence[Move]) -> Move:
        entries: dict[str, Move] = {}  # the cheapest way into each town
        for move in sorted(moves, key=_height):
            entries.setdefault(move.text.split(":")[1], move)
        position = view.to_json()
        wagon = position["players"][view.seat_to_act]["wagon"]
        if wagon is None:
            return entries[_pick(self._rng, sorted(entries))]
        ring = [town["town"] for town in position["ring"]]
        evicted = position["turn"]["evicted"] is not None
        card = self._turned if evicted and self._turned is not None else self._turn_card(view)
        for arrow in card.arrows:
            for town in _towns_along(ring, wagon["town"], arrow):
                if town in entries and not (evicted and arrow == "stay"):
                    return entries[town]
        return next(iter(entries.values()))

    def _respond(self, view: View, moves: Sequence[Move]) -> Move:
        position = view.to_json()
        card = self._turn_card(view)
        table = card.early if position["round"] <= 3 else card.late
        stands = position["players"][view.seat_to_act]["wagon"]["position"]
        raises = sorted((move for move in moves if move.text != "accept"), key=_height)
        if raises and stands in table:
            return raises[0]
        return next((move for move in moves if move.text == "accept"), raises[0] if raises else moves[0])

    def _collect(self, view: View, moves: Sequence[Move]) -> Move:
        position = view.to_json()
        place = position["to_act"]["town"]
        town = next(town for town in view.tables.components.towns if town.id == place)
        sides = town.light if view.variant.side_of(place) == "light" else town.dark
        worth = {str(side): (2 if got.kind in view.tables.goods else 0) * got.amount for side, got in enumerate(sides)}
        return max(moves, key=lambda move: sum(worth[side] for side in move.text.partition(":")[2]))

    def _row(self, view: View, moves: Sequence[Move]) -> Move:
        world = view.sample(_word(self._rng))
        seat = view.seat
        return max(moves, key=lambda move: world.clone().apply(move).favour[seat])

    def _highest(self, view: View, moves: Sequence[Move]) -> Move:
        return max(moves, key=_height)

    def _pass(self, view: View, moves: Sequence[Move]) -> Move:
        return next((move for move in moves if move.text == "pass"), moves[0])

    def _any(self, view: View, moves: Sequence[Move]) -> Move:
        return _pick(self._rng, moves)

    _WAYS: Mapping[str, Callable[[AutomaLikePlayer, View, Sequence[Move]], Move]] = {
        "travel": _travel,
        "respond": _respond,
        "collect": _collect,
        "farmer": _pass,
        "merchant": _pass,
        "row": _row,
        "card": _highest,
        "hand_over": _highest,
    }


def _towns_along(ring: Sequence[str], town: str, arrow: str) -> list[str]:
    """The towns that an automa tries for one arrow, in turn."""
    at = ring.index(town)
    if arrow == "stay":
        return [town]
    step = 1 if arrow == "clockwise" else -1
    return [ring[(at + step * count) % len(ring)] for count in range(1, len(ring))]


def _height(move: Move) -> int:
    """The number at the end of a move: its bid, symbols or guards."""
    last = move.text.rpartition(":")[2]
    return int(last) if last.isdigit() else -1


def _pick(rng: np.random.Generator, choices: Sequence[Choice]) -> Choice:
    return choices[int(rng.integers(len(choices)))]


def _word(rng: np.random.Generator) -> int:
    return int(rng.integers(2**63))


# --- players that search ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Level:
    """How strong an `ISMCTSPlayer` is.

    Attributes:
        name: in words.
        iterations: simulated games a decision at most; None for as many as the limit allows.
        blunders: the share of decisions in which it plays any legal move.
    """

    name: str
    iterations: int | None
    blunders: float


LEVELS: Mapping[int, Level] = {
    1: Level("beginner", 10, 0.5),
    2: Level("novice", 10, 0.3),
    3: Level("learner", 10, 0.15),
    4: Level("casual", 10, 0.05),
    5: Level("regular", 20, 0.0),
    6: Level("skilled", 50, 0.0),
    7: Level("strong", 150, 0.0),
    8: Level("expert", 500, 0.0),
    9: Level("master", 2000, 0.0),
    10: Level("as strong as it gets", None, 0.0),
}
"""The levels of `ISMCTSPlayer`, from 1 to 10; docs/strength.md has the matches between neighbours."""

STYLES: Mapping[str, Mapping[str, float]] = {
    "balanced": {},
    "bidder": {"bid": 1.4},
    "hoarder": {"guards": 0.7},
    "estates_first": {"symbols": 0.7},
}
"""What the styles of `ISMCTSPlayer` like beyond what it is worth, as `SearchParams.taste`."""


class ISMCTSPlayer:
    """Plays what an information-set Monte Carlo tree search finds (`lusatia_ai.search`).

    If it is told the events of a game, it keeps the part of its tree that matches what has been played.

    Args:
        level: 1-10, see `LEVELS`.
        style: one of `STYLES`: what it is fond of.
        params: how it searches (`SearchParams`); the style's taste is added.
        limit: its own limit, used instead of what `choose` is given.
        seed: of searches and of blunders; None takes fresh entropy.
        n_jobs: threads of a search, for `params.trees` trees.
        keep_tree: whether a tree is kept from one decision to the next; with chance nodes, or another algorithm than
            "so", it always begins anew.
        follow: whether it keeps count of all hands, as far as it is told the events of a game; where views hide
            nothing, it makes no difference.

    Raises:
        PlayerError: for a level or style that does not exist.
    """

    def __init__(
        self,
        level: int = 10,
        style: str = "balanced",
        params: SearchParams | None = None,
        limit: Limit | None = None,
        seed: Seed = None,
        name: str | None = None,
        n_jobs: int | None = 1,
        keep_tree: bool = True,
        follow: bool = False,
    ) -> None:
        if level not in LEVELS or isinstance(level, bool):
            raise PlayerError(f"level: found {level!r}; allowed: 1 to {len(LEVELS)}")
        if style not in STYLES:
            raise PlayerError(f"style: found {style!r}; allowed: {', '.join(STYLES)}")
        self.level = LEVELS[level]
        self.limit = limit
        self.params = _tasteful(params, STYLES[style])
        self.name = name or f"ismcts level {level}" + (f", {style}" if STYLES[style] else "")
        self.n_jobs = n_jobs
        self.keep_tree = keep_tree
        self.follow = follow
        self._belief: Belief | None = None
        self._rng = np.random.default_rng(seed)
        self._tree: SearchTree | None = None
        self._played: list[tuple[int, Move]] | None = None  # since the tree's root; None: not told

    def new_game(self, view: View) -> None:
        """Forget the game before."""
        self._tree = None
        self._played = []
        if self.follow and view.hidden_guards:
            self._belief = Belief.new_game(view.variant, view.seat, components=view.tables.components)

    def observe(self, event: Mapping[str, Any]) -> None:
        """Take in what has happened, as a record writes it."""
        if self._tree is not None and self._played is not None and "move" in event:
            self._played.append((event["seat"], self._tree.tables.moves[event["move"]]))
        if self._belief is not None:
            self._belief.observe(event)

    def choose(self, view: View, limit: Limit | None = None) -> PlayResult:
        """See `Player.choose`. Without any limit it thinks as long as its level says, at the top level for a second."""
        started = clock.perf_counter()
        blunders = self._rng.random() < self.level.blunders
        seed = _word(self._rng)
        if blunders:
            self._tree = None
            return PlayResult(_pick(self._rng, _moves_of(view)))
        tree = self._tree_for(self._knowledge(view), seed)
        result = tree.search(self._limit(limit), n_jobs=self.n_jobs, started=started, settle=True)
        return PlayResult(result.best, result)

    def _knowledge(self, view: View) -> View | Belief:
        """The view, or what has been learned from all events."""
        belief = self._belief
        if belief is None or belief.seat != view.seat:
            return view
        while belief.decision == "hand_over" and belief.seat_to_act != view.seat:
            belief.observe(HIDDEN)  # others have chosen unseen (rules 8.2)
        return belief

    def _tree_for(self, view: View | Belief, seed: int) -> SearchTree:
        """The tree kept, moved on to this view, or a new one."""
        if self._tree is not None and self._played and self._tree.tables is view.tables:
            self._tree.advance(self._played, view)
        else:
            self._tree = SearchTree(view, seed=seed, params=self.params)
        tree, self._played = self._tree, None if self._played is None else []
        if not self.keep_tree:
            self._tree = None
        return tree

    def _limit(self, given: Limit | None) -> Limit | None:
        limit, most = self.limit or given, self.level.iterations
        if most is None:
            return limit
        limit = limit or Limit(iterations=most)
        return replace(limit, iterations=min(most, limit.iterations or most))


def _moves_of(view: View) -> list[Move]:
    """The legal moves; where they depend on hands that the view hides, those of a world that it allows."""
    return view.legal_moves() if view.seat == view.seat_to_act else view.sample(0).legal_moves()


def _tasteful(params: SearchParams | None, taste: Mapping[str, float]) -> SearchParams | None:
    """The parameters with a style's taste."""
    if not taste:
        return params
    params = params or SearchParams()
    return replace(params, taste=dict(params.taste) | dict(taste))


# --- players outside --------------------------------------------------------------------------------


class ProcessPlayer:
    """A program outside that is asked over JSON lines: one request a line, answered by one line.

    Asked is `{"id": "1", "query": "play", "view": {...}, "limit": {"time": 1.0}}`, the view as formats.md describes it,
    and `limit` with what is set in the `Limit`; with a seed of its own, also `"seed": 123`, another number for each
    question, from which the program should draw whatever is random in its answer. The answer is
    `{"id": "1", "move": "go:zittau:0"}`, optionally with a `comment`, or `{"id": "1", "error": "why not"}`. What it
    writes to standard error appears in error messages only.

    The program starts with the first question and ends with `close`: its input ends, and if it does not leave within a
    second, it is stopped.

    Args:
        command: the program with its arguments, as a shell would split it or as a list; no shell is used.
        name: by default the command.
        grace: seconds that an answer may take beyond the limit of time.
        patience: seconds that an answer may take without a limit of time.
        seed: of the seeds that the program is told; None tells it none.

    Raises:
        PlayerError: if there is no such program.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        name: str | None = None,
        *,
        grace: float = 5.0,
        patience: float = 120.0,
        seed: Seed = None,
    ) -> None:
        self._command = _split(command) if isinstance(command, str) else list(command)
        if not self._command or shutil.which(self._command[0]) is None:
            raise PlayerError(f"cmd: found {shlex.join(self._command)!r}; allowed: a program that can be started")
        self.name = name or shlex.join(self._command)
        self.grace = grace
        self.patience = patience
        self._rng = None if seed is None else np.random.default_rng(seed)
        self._asked = 0
        self._running: _Program | None = None

    def choose(self, view: View, limit: Limit | None = None) -> PlayResult:
        """See `Player.choose`.

        Raises:
            PlayerError: if the answer is late, malformed or illegal, or none comes; the program is stopped then.
        """
        if self._running is None:
            self._running = _Program(self._command)
        self._asked += 1
        given = {field.name: getattr(limit, field.name) for field in fields(Limit)} if limit else {}
        limits = {key: value for key, value in given.items() if value is not None}
        number = str(self._asked)
        request: Json = {"id": number, "query": "play", "view": view.to_json(), "limit": limits}
        if self._rng is not None:
            request["seed"] = int(self._rng.integers(2**32))
        wait = self.patience if limits.get("time") is None else limits["time"] + self.grace
        sent = json.dumps(request)
        received = None
        try:
            received = self._running.ask(sent, wait)
            return _read_answer(received, number, view)
        except PlayerError as error:
            said = self._running.last_words()
            self.close()
            answer = "" if received is None else f"\n  received: {_cut(received)}"
            errors = "".join(f"\n  on standard error: {_cut(line)}" for line in said)
            raise PlayerError(f"{self.name}: {error}\n  sent: {_cut(sent)}{answer}{errors}") from None

    def close(self) -> None:
        """End the program; the next `choose` starts it anew."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def __enter__(self) -> ProcessPlayer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Program:
    """A running program: lines go in, and lines come out, for which one can wait a while."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8", errors="replace"
            )
        except OSError as error:
            raise PlayerError(f"{shlex.join(command)} does not start: {error.strerror or error}") from None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=5)
        out = threading.Thread(target=_pump, args=(self._process.stdout, self._lines.put), daemon=True)
        err = threading.Thread(target=_pump, args=(self._process.stderr, self._hear), daemon=True)
        self._readers = (out, err)
        for reader in self._readers:
            reader.start()
        self._end = weakref.finalize(self, _stop, self._process, self._readers)

    def _hear(self, line: str | None) -> None:
        if line is not None and line.strip():
            self._errors.append(line.rstrip())

    def ask(self, request: str, wait: float) -> str:
        """Send a line, and return the next one that comes.

        Raises:
            PlayerError: if none comes in time.
        """
        assert self._process.stdin
        with suppress(OSError):  # whoever has gone does not answer either
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        try:
            answer = self._lines.get(timeout=wait)
        except queue.Empty:
            raise PlayerError(f"no answer within {wait:.4g} s") from None
        if answer is None:
            code = self._process.wait(_CLOSING_SECONDS) if self._ends_soon() else None
            raise PlayerError("the program has ended" + (f" with exit code {code}" if code is not None else ""))
        return answer

    def _ends_soon(self) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSING_SECONDS)
        return self._process.poll() is not None

    def last_words(self) -> list[str]:
        """What it has written to standard error last."""
        if self._process.poll() is not None:
            self._readers[1].join(_CLOSING_SECONDS)
        return list(self._errors)

    def close(self) -> None:
        self._end()


_CLOSING_SECONDS = 1.0
_LONGEST_LINE = 1_000_000


def _pump(stream: IO[str], tell: Callable[[str | None], None]) -> None:
    """Pass lines on until the stream ends, and then None."""
    with suppress(ValueError, OSError):  # closed meanwhile
        while line := stream.readline(_LONGEST_LINE):
            tell(line)
    tell(None)


def _stop(process: subprocess.Popen[str], readers: Sequence[threading.Thread]) -> None:
    """End a process: by the end of its input, or else by force."""
    with suppress(OSError, ValueError):
        process.stdin.close()  # type: ignore[union-attr]
    for force in (process.terminate, process.kill, None):
        try:
            process.wait(_CLOSING_SECONDS)
            break
        except subprocess.TimeoutExpired:
            if force is not None:
                force()
    for reader in readers:
        reader.join(_CLOSING_SECONDS)
    for stream in (process.stdout, process.stderr):
        with suppress(OSError, ValueError):
            if stream is not None and not any(reader.is_alive() for reader in readers):
                stream.close()


def _read_answer(line: str, asked: str, view: View) -> PlayResult:
    """The move in an answer.

    Raises:
        PlayerError: if it is malformed or illegal.
    """
    try:
        answer = json.loads(line)
    except ValueError:
        raise PlayerError("the answer is no JSON; allowed: one JSON object a line") from None
    if not isinstance(answer, Mapping):
        raise PlayerError("the answer is no JSON object")
    if answer.get("id") != asked:
        raise PlayerError(f"id: found {answer.get('id')!r}; allowed: {asked!r}, as asked")
    if "error" in answer:
        raise PlayerError(f"the program reports: {answer['error']}")
    text, comment = answer.get("move"), answer.get("comment")
    if not isinstance(text, str):
        raise PlayerError(f"move: found {text!r}; allowed: the text of a move")
    if comment is not None and not isinstance(comment, str):
        raise PlayerError(f"comment: found {comment!r}; allowed: a text")
    for move in view.legal_moves():
        if move.text == text:
            return PlayResult(move, comment=comment)
    raise PlayerError(_why_not(view.sample(0), text))


def _why_not(world: State, text: str) -> str:
    try:
        world.apply(text)
    except LusatiaError as error:
        return str(error)
    return f"illegal move {text!r}"


def _cut(text: str, most: int = 400) -> str:
    text = text.rstrip("\n")
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise PlayerError(f"cmd: found {command!r}; {error}") from None


# --- players by their specification -----------------------------------------------------------------

_OWN_KEYS = ("level", "style", "keep_tree", "follow", "time", "iterations")
_SIMPLE: Mapping[str, Callable[[Seed], Player]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "automa": AutomaLikePlayer,
}


def make_player(spec: str, seed: Seed = None) -> Player:
    """The player that a specification means.

    Args:
        spec: `random`, `greedy`, `automa`; `ismcts`, `ismcts:5` or `level5`, `ismcts:level=7,style=bidder,time=0.1` (or
            any field of `SearchParams`); `package.module:factory`, a Python callable that is given the seed;
            `cmd:COMMAND`, a program for `ProcessPlayer`.
        seed: of all that is random in it.

    Raises:
        PlayerError: if it means none; the message says what is allowed.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind in _SIMPLE and not rest:
        return _SIMPLE[kind](seed)
    if kind == "ismcts":
        return _ismcts(spec, rest, seed)
    if (level := re.fullmatch(r"level(\d+)", kind)) and not rest:
        return ISMCTSPlayer(level=int(level[1]), seed=seed, name=spec)
    if kind == "cmd":
        return ProcessPlayer(rest, name=spec, seed=seed)
    if rest and re.fullmatch(r"[\w.]+:[\w.]+", spec.strip()) and kind not in _SIMPLE:
        return _imported(kind, rest, seed)
    allowed = "random, greedy, automa, ismcts, level1 to level10, ismcts:KEY=VALUE,..., MODULE:FACTORY, cmd:COMMAND"
    raise PlayerError(f"player: found {spec!r}; allowed: {allowed}")


def _ismcts(spec: str, rest: str, seed: Seed) -> ISMCTSPlayer:
    given: Json = {}
    params = _params()
    keys = [*_OWN_KEYS, *params]
    for part in filter(None, rest.split(",")):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals and key.isdigit():
            key, value = "level", key
        if key not in keys:
            raise PlayerError(f"{spec}: found {key!r}; allowed: {', '.join(keys)}")
        if key in given:
            raise PlayerError(f"{spec}: {key} is given twice")
        given[key] = _value(spec, key, value, params)
    limits = {key: given.pop(key) for key in ("time", "iterations") if key in given}
    own = {key: given.pop(key) for key in ("level", "style", "keep_tree", "follow") if key in given}
    try:
        limit = Limit(**limits) if limits else None
        chosen = SearchParams(**given) if given else None
        return ISMCTSPlayer(**own, params=chosen, limit=limit, seed=seed, name=spec)
    except LusatiaError as error:
        raise PlayerError(f"{spec}: {error}") from None


def _params() -> dict[str, Any]:
    """The fields of `SearchParams` that a specification can set, with their defaults."""
    kinds = (str, int, float)
    return {field.name: _default(field) for field in fields(SearchParams) if isinstance(_default(field), kinds)}


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _value(spec: str, key: str, text: str, params: Mapping[str, Any]) -> Any:
    """A value as the kind of its key wants it."""
    own = {"level": 0, "iterations": 0, "time": 0.0, "style": "", "keep_tree": True, "follow": False}
    default = own.get(key, params.get(key))
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text in ("true", "false"):
            return text == "true"
        raise PlayerError(f"{spec}: {key}: found {text!r}; allowed: true or false")
    try:
        return int(text) if isinstance(default, int) else float(text)
    except ValueError:
        allowed = "a whole number" if isinstance(default, int) else "a number"
        raise PlayerError(f"{spec}: {key}: found {text!r}; allowed: {allowed}") from None


def _imported(module: str, path: str, seed: Seed) -> Player:
    """What a factory in a Python module makes."""
    try:
        factory: Any = import_module(module)
    except ImportError as error:
        raise PlayerError(f"player: {module}:{path} cannot be imported: {error}") from None
    for part in path.split("."):
        factory = getattr(factory, part, None)
    if not callable(factory):
        raise PlayerError(f"player: {module} has no callable {path}")
    return checked(factory(seed), f"{module}:{path}")


def checked(player: Any, source: str) -> Player:
    """The player itself, if it is one.

    Raises:
        PlayerError: if it has no `choose` or no `name`.
    """
    if not callable(getattr(player, "choose", None)) or not isinstance(getattr(player, "name", None), str):
        found = type(player).__name__
        raise PlayerError(f"player: {source} gives a {found}; allowed: an object with a name and choose(view, limit)")
    made: Player = player
    return made


def close_player(player: Player) -> None:
    """Let a player go, if it has anything to close."""
    close = getattr(player, "close", None)
    if close is not None:
        close()


def split_specs(text: str) -> list[str]:
    """The specifications in a list with commas; `KEY=VALUE` goes on with the one before it."""
    specs: list[str] = []
    for part in text.split(","):
        if specs and re.fullmatch(r"\s*\w+\s*=[^:]*", part):
            specs[-1] += f",{part}"
        else:
            specs.append(part.strip())
    return specs
