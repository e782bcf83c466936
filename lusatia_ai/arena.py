"""Matches between players: the schedule, the games, and the file of their results.

A *bot* is a player with a name in the match, a *line-up* says which bots share a table, and a *seating* which of them
has which seat. Seatings come in *blocks*: all rotations of one round of bots, each played with the same draws (the same
set-up, and the same draws later as far as the pools allow), so that luck strikes every bot alike.
"""

from __future__ import annotations

import json
import math
import signal
import threading
import time as clock
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import combinations, combinations_with_replacement, count, permutations
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import numpy as np

from .components import ComponentSet, complete_edition
from .errors import Fault, MatchError, PlayerError
from .limits import Limit
from .players import Player, PlayResult, checked, close_player, make_player
from .position import write_components
from .rules import Variant
from .standings import Estimate, Standing, ratings, standings
from .state import State

Json = dict[str, Any]
Bot = str | Callable[[int], Player]
Hands = Literal["hidden", "known"]

MOST_GAMES = 10**6


# --- what is played ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game to be played.

    Attributes:
        game: its number in the match, from 0.
        block: the number of its block.
        seed: of all that is random in it; games of a block share it.
        seating: the bot of each seat.
    """

    game: int
    block: int
    seed: int
    seating: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """A game that has been played. All but the first three and `winners` have one entry a seat.

    Attributes:
        game, block, seed, seating: as in the `Fixture`.
        players: what made the players, as `Match.bots` has it.
        favour, guards: at the end.
        winners: the winning seats.
        ranks: places from 1; seats that are tied in favour and guards share the mean of their places.
        decisions: how many the player was asked for: those with more than one legal move.
        seconds: how long it thought, in all.
        version: of this library.
    """

    game: int
    block: int
    seed: int
    seating: tuple[str, ...]
    players: tuple[str, ...]
    favour: tuple[int, ...]
    guards: tuple[int, ...]
    winners: tuple[int, ...]
    ranks: tuple[float, ...]
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    version: str

    @classmethod
    def from_json(cls, data: object) -> Game:
        """Read what `asdict` has written.

        Raises:
            ValueError: if it is something else.
        """
        names = [entry.name for entry in fields(cls)]
        if not isinstance(data, Mapping) or set(data) != set(names):
            raise ValueError(f"an object with the keys {', '.join(names)}")
        if not isinstance(data["game"], int) or not 0 <= data["game"] < MOST_GAMES:
            raise ValueError(f"its number from 0 to {MOST_GAMES - 1}")
        values: Json = {name: tuple(data[name]) if isinstance(data[name], list) else data[name] for name in names}
        return cls(**values)


@dataclass(frozen=True)
class Match:
    """Who plays whom, and how; the schedule follows from it.

    Attributes:
        bots: for each name a specification for `make_player`, or a callable that makes a player from a seed.
        lineups: which bots share a table, one entry a seat in any order. Every line-up is played equally often, and in
            all its seatings.
        variant: the game that is played; its humans are the seats.
        components: the component set that is played with.
        limit: for each decision; None leaves it to the players. What a specification says goes before it.
        seed: of the match.
        hands: what bots see of the hands of others: "known" as whoever has watched the game, or "hidden".

    Raises:
        MatchError: with every setting that does not fit.
    """

    bots: Mapping[str, Bot]
    lineups: tuple[tuple[str, ...], ...]
    variant: Variant = field(default_factory=Variant)
    components: ComponentSet = field(default_factory=complete_edition)
    limit: Limit | None = None
    seed: int = 0
    hands: Hands = "known"

    def __post_init__(self) -> None:
        faults = [*self._setting_faults(), *self._lineup_faults(), *self._bot_faults()]
        if faults:
            raise MatchError(faults)

    def _setting_faults(self) -> Iterator[Fault]:
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            yield Fault("seed", repr(self.seed), "a whole number from 0")
        if self.hands not in ("hidden", "known"):
            yield Fault("hands", repr(self.hands), "'hidden' or 'known'")

    def _lineup_faults(self) -> Iterator[Fault]:
        seats = self.variant.humans
        if not self.lineups:
            yield Fault("lineups", "none", "at least one line-up")
        for index, lineup in enumerate(self.lineups):
            place = f"lineups[{index}]"
            if len(lineup) != seats:
                yield Fault(place, f"{len(lineup)} bots ({', '.join(lineup)})", f"{seats}, one for each seat")
            for name in sorted(set(lineup) - set(self.bots)):
                yield Fault(place, repr(name), f"one of {', '.join(self.bots)}")

    def _bot_faults(self) -> Iterator[Fault]:
        for name, bot in self.bots.items():
            try:
                if isinstance(bot, str):
                    close_player(make_player(bot, 0))
                elif not callable(bot):
                    yield Fault(f"bots.{name}", repr(bot), "a specification, or a callable that takes a seed")
            except PlayerError as error:
                yield Fault(f"bots.{name}", repr(bot), f"a player; {error}")

    def fixtures(self, games: int) -> list[Fixture]:
        """The first games of the schedule: at least as many as asked for, in whole blocks."""
        fixtures: list[Fixture] = []
        for block, seatings in enumerate(self._blocks()):
            if len(fixtures) >= games:
                break
            seed = _spawned(self.seed, block)
            fixtures += [
                Fixture(number, block, seed, seating) for number, seating in enumerate(seatings, start=len(fixtures))
            ]
        return fixtures

    def _blocks(self) -> Iterator[list[tuple[str, ...]]]:
        """Blocks of seatings without end, in cycles that hold every line-up equally often, each in a new order."""
        rounds = [_rounds(lineup) for lineup in self.lineups]
        sizes = [sum(map(len, blocks)) for blocks in rounds]
        games = math.lcm(*sizes)
        cycle = [block for blocks, size in zip(rounds, sizes, strict=True) for block in blocks * (games // size)]
        for number in count():
            order = np.random.default_rng([self.seed, number]).permutation(len(cycle))
            yield from (cycle[index] for index in order)

    def play(self, fixture: Fixture) -> Game:
        """Play one game.

        Raises:
            PlayerError: if a bot fails or plays an illegal move.
        """
        players: list[Player] = []
        with ExitStack() as stack:
            for seat, name in enumerate(fixture.seating):
                players.append(self._make(name, _spawned(fixture.seed, _PLAYERS, seat)))
                stack.callback(close_player, players[-1])
            return _Table(self, fixture, players).play()

    def _make(self, name: str, seed: int) -> Player:
        bot = self.bots[name]
        return make_player(bot, seed) if isinstance(bot, str) else checked(bot(seed), _bot_text(bot))

    def header(self) -> Json:
        """All settings, as the first line of a file of results keeps them."""
        return {
            "format": "lusatia-match",
            "version": 1,
            "package": _version(),
            "bots": {name: _bot_text(bot) for name, bot in self.bots.items()},
            "lineups": [list(lineup) for lineup in self.lineups],
            "variant": self.variant.to_json(),
            "components": write_components(self.components),
            "limit": {key: value for key, value in asdict(self.limit or Limit()).items() if value is not None},
            "seed": self.seed,
            "hands": self.hands,
        }


_PLAYERS, _CHANCE = 0, 1  # what the seed of a game is spawned for


def _spawned(seed: int, *key: int) -> int:
    """A seed that follows from another one; any reader of JSON keeps its 53 bits."""
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0] >> np.uint64(11))


def _rounds(lineup: Sequence[str]) -> list[list[tuple[str, ...]]]:
    """All seatings of a line-up, in blocks of those that are rotations of one another."""
    left = sorted(set(permutations(lineup)))
    blocks = []
    while left:
        first = left[0]
        blocks.append(list(dict.fromkeys(first[shift:] + first[:shift] for shift in range(len(first)))))
        left = [seating for seating in left if seating not in blocks[-1]]
    return blocks


def all_lineups(names: Sequence[str], seats: int) -> tuple[tuple[str, ...], ...]:
    """The line-ups of a match that names none: every choice of bots that fills the seats.

    With fewer bots than seats, every way to fill them that leaves out no bot.
    """
    if len(names) >= seats:
        return tuple(combinations(names, seats))
    return tuple(each for each in combinations_with_replacement(names, seats) if len(set(each)) == len(names))


def named_bots(bots: Iterable[Bot]) -> dict[str, Bot]:
    """Bots with their names: of `NAME=SPEC` the name, or else the specification; equal ones are numbered.

    >>> named_bots(["greedy", "strong=ismcts:iterations=500", "greedy"])
    {'greedy': 'greedy', 'strong': 'ismcts:iterations=500', 'greedy#2': 'greedy'}
    """
    named: dict[str, Bot] = {}
    for bot in bots:
        name, spec = _bot_text(bot), bot
        if isinstance(bot, str) and "=" in bot.partition(":")[0]:
            name, _, spec = bot.partition("=")
        number = 1 + sum(other.partition("#")[0] == name for other in named)
        named[name if number == 1 else f"{name}#{number}"] = spec
    return named


def _bot_text(bot: Bot) -> str:
    return bot if isinstance(bot, str) else f"{bot.__module__}:{getattr(bot, '__qualname__', type(bot).__qualname__)}"


def _version() -> str:
    from . import __version__

    return __version__


# --- one game ---------------------------------------------------------------------------------------


class _Table:
    """A game while it is played."""

    def __init__(self, match: Match, fixture: Fixture, players: Sequence[Player]) -> None:
        self.match, self.fixture, self.players = match, fixture, players
        self.state = State.new(match.variant, components=match.components, seed=fixture.seed, chance="manual")
        self.drawn: Counter[str] = Counter()
        self.decisions = [0] * len(players)
        self.seconds = [0.0] * len(players)
        self.untold: list[tuple[int, Json]] = []  # what was handed over, until all have chosen (rules 8.2)

    def play(self) -> Game:
        for seat, player in enumerate(self.players):
            if hasattr(player, "new_game"):
                player.new_game(self.state.view(seat, self.match.hands))
        while not self.state.is_over:
            actor = self.state.seat_to_act
            if actor is None:
                self._draw()
            else:
                self._decide(actor)
        for actor, event in self.untold:
            self._tell(event, but=actor)
        return self._game()

    def _draw(self) -> None:
        """Draw chance, by seeds for each kind of event, so that what one bot does disturbs few later draws."""
        kind = str(self.state.chance_event)
        seed = _spawned(self.fixture.seed, _CHANCE, _KINDS.index(kind), self.drawn[kind])
        self.drawn[kind] += 1
        event = self.state.sample_chance(seed)
        self.state.apply(event)
        self._tell(event)

    def _decide(self, seat: int) -> None:
        legal = self.state.legal_moves()
        secret = self.state.decision == "hand_over"
        move = legal[0] if len(legal) == 1 else self._ask(seat).move
        event = {"seat": seat, "move": move.text}
        self.state.apply(move)
        if secret:
            self._tell(event, to=seat)
            self.untold.append((seat, event))
        else:
            self._tell(event)

    def _ask(self, seat: int) -> PlayResult:
        view = self.state.view(seat, self.match.hands)
        start = clock.perf_counter()
        try:
            result = self.players[seat].choose(view, self.match.limit)
            self.seconds[seat] += clock.perf_counter() - start
            self.decisions[seat] += 1
            if not isinstance(result, PlayResult):
                raise TypeError(f"choose returned {result!r}; allowed: a la.players.PlayResult(move)")
            if not self.state.is_legal(result.move):
                self.state.clone().apply(result.move)  # raises what is wrong with it
        except Exception as error:
            raise PlayerError(f"{self._who(seat)}: {_told(error)}") from error
        if result.search is not None and result.search.interrupted:
            raise KeyboardInterrupt
        return result

    def _who(self, seat: int) -> str:
        return f"game {self.fixture.game}, round {self.state.round}, seat {seat} ({self.fixture.seating[seat]})"

    def _tell(self, event: Json, to: int | None = None, but: int | None = None) -> None:
        for seat, player in enumerate(self.players):
            if hasattr(player, "observe") and seat != but and to in (None, seat):
                player.observe(event)

    def _game(self) -> Game:
        favour = self.state.favour
        guards = tuple(self.state.raw()["guards"][: len(favour)])
        return Game(
            game=self.fixture.game,
            block=self.fixture.block,
            seed=self.fixture.seed,
            seating=self.fixture.seating,
            players=tuple(_bot_text(self.match.bots[name]) for name in self.fixture.seating),
            favour=favour,
            guards=guards,
            winners=self.state.winners,
            ranks=_ranks(list(zip(favour, guards, strict=True))),
            decisions=tuple(self.decisions),
            seconds=tuple(round(seconds, 6) for seconds in self.seconds),
            version=_version(),
        )


_KINDS = ("setup", "round", "automa_town", "automa_card")


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, PlayerError) else f"{type(error).__name__}: {error}"


def _ranks(scores: Sequence[tuple[int, int]]) -> tuple[float, ...]:
    """Places from 1, the highest score first; equal scores share the mean of their places."""
    return tuple(
        1 + sum(other > score for other in scores) + (sum(other == score for other in scores) - 1) / 2
        for score in scores
    )


# --- the file of results ----------------------------------------------------------------------------


class ResultFile:
    """The games of a match in a file, one JSON object a line, after a line with the settings of the match.

    A file that exists is gone on with, if it is of the same match. A last line that was not written to its end is cut
    off, and its game played again.

    Attributes:
        games: what the file holds, by number.

    Raises:
        MatchError: if the file holds something else.
        OSError: if it cannot be read or written.
    """

    def __init__(self, path: str | PathLike[str], match: Match) -> None:
        self._path = Path(path)
        self._match = match
        self.games: dict[int, Game] = {}
        kept = self._read() if self._path.exists() else 0
        self._file = open(self._path, "ab")  # noqa: SIM115 - closed with this object
        self._file.truncate(kept)
        if not kept:
            self._write(match.header())

    def append(self, game: Game) -> None:
        """Add a game; it is in the file when this returns."""
        self._write(asdict(game))
        self.games[game.game] = game

    def _write(self, data: Json) -> None:
        self._file.write(json.dumps(data).encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> ResultFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> int:
        """Read the games; returns how many bytes of the file are sound."""
        raw = self._path.read_bytes()
        header = json.dumps(self._match.header()).encode() + b"\n"
        if header.startswith(raw) and raw != header:
            return 0  # empty, or stopped in its first line
        lines = raw.splitlines(keepends=True)
        self._compare(_parsed(lines[0]))
        kept = len(lines[0])
        for number, line in enumerate(lines[1:], start=2):
            try:
                game = Game.from_json(json.loads(line))
                if not line.endswith(b"\n"):
                    raise ValueError("the line has no end")
            except ValueError as error:
                if number == len(lines):
                    return kept
                raise self._error(f"line {number}", f"{line[:60]!r}", f"a game; {error}") from None
            self._check(game, number)
            self.games[game.game] = game
            kept += len(line)
        return kept

    def _compare(self, found: object) -> None:
        """Refuse the file of another match."""
        if not isinstance(found, dict) or found.get("format") != "lusatia-match":
            raise self._error("line 1", "something else", "a new file, or the results of this match")
        theirs, ours = (
            {key: json.dumps(value) for key, value in _flat(header).items()} for header in (found, self._match.header())
        )
        differing = [key for key in ours | theirs if theirs.get(key) != ours.get(key)]
        if differing:
            place = f"{self._path}: "
            raise MatchError(
                [
                    Fault(place + key, theirs.get(key, "nothing"), f"{ours.get(key, 'nothing')} as now, or a new file")
                    for key in differing
                ]
            )

    def _check(self, game: Game, line: int) -> None:
        """A game must be in the schedule."""
        if game.game >= len(self._schedule):
            self._schedule = self._match.fixtures(2 * game.game + 1)
        known = self._schedule[game.game]
        if (game.block, game.seed, game.seating) != (known.block, known.seed, known.seating):
            found = f"game {game.game} of another schedule"
            raise self._error(f"line {line}", found, f"block {known.block}, {', '.join(known.seating)}")

    _schedule: Sequence[Fixture] = ()

    def _error(self, place: str, found: str, allowed: str) -> MatchError:
        return MatchError([Fault(f"{self._path}: {place}", found, allowed)])


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _flat(data: Mapping[str, Any]) -> Json:
    """Settings with the entries of objects in them named as `bots.greedy`."""
    flat: Json = {}
    for key, value in data.items():
        flat |= {f"{key}.{inner}": entry for inner, entry in value.items()} if isinstance(value, dict) else {key: value}
    return flat


# --- the match --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatchResult:
    """What a match has brought.

    Attributes:
        match: what was played.
        games: the games played, in the order of the schedule.
        planned: how many there were to be.
        interrupted: whether Ctrl-C has ended it before.
    """

    match: Match
    games: tuple[Game, ...]
    planned: int
    interrupted: bool = False

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """How each bot has done, the best first."""
        return standings(self.games)

    @cached_property
    def ratings(self) -> Mapping[str, Estimate]:
        """Plackett-Luce ratings, see `lusatia_ai.standings.ratings`."""
        return ratings(self.games, self.match.seed)

    def standing(self, name: str) -> Standing:
        """How one bot has done.

        Raises:
            KeyError: if it has not played.
        """
        for row in self.standings:
            if row.name == name:
                return row
        raise KeyError(name)


OnGame = Callable[[Game, int, int], None]


def run_match(
    bots: Sequence[Bot] | Mapping[str, Bot] | None = None,
    *,
    lineup: Sequence[str] | None = None,
    lineups: Sequence[Sequence[str]] | None = None,
    games: int = 100,
    variant: Variant | None = None,
    components: ComponentSet | None = None,
    limit: Limit | None = None,
    seed: int = 0,
    hands: Hands = "known",
    jobs: int | None = None,
    out: str | PathLike[str] | None = None,
    on_game: OnGame | None = None,
) -> MatchResult:
    """Play a match.

    >>> run_match({"A": "automa", "B": "random"}, lineup=("A", "B", "B", "B"), games=4).standing("A").games
    4

    Args:
        bots: by name, or as a sequence of specifications (see `named_bots`); by default those that the line-ups name.
        lineup: which bots share the table, a name for each seat; they change seats from game to game.
        lineups: several of them. By default every choice of bots is played (`all_lineups`).
        games: at least how many; the block of the last one is played to its end.
        variant: by default the game for as many as the line-up has; without one, for as many as there are bots if that
            is 3 to 6, or else for four.
        components: the component set; `complete_edition()` by default.
        limit: for each decision; by default players think as long as they like: levels as far as they go, the search
            itself for a second.
        seed: the same seed gives the same games, however many jobs, if no decision is limited by time.
        hands: see `Match`.
        jobs: how many games at a time, as joblib counts them: in processes, or in what `joblib.parallel_config` has
            chosen. None takes its number, which is one if nothing is chosen.
        out: a file to which each game is added when it ends; games that it holds already are not played again.
        on_game: called after each game, with the game, the number of games so far and of all.

    Ctrl-C ends the match early and returns what has been played.

    Raises:
        MatchError: for settings that do not fit, or a file of another match.
        PlayerError: if a bot fails or plays an illegal move.
        OSError: if the file cannot be used.
    """
    match = _match(bots, [lineup] if lineup is not None else lineups, variant, components, limit, seed, hands)
    if not isinstance(games, int) or isinstance(games, bool) or not 1 <= games <= MOST_GAMES:
        raise MatchError([Fault("games", repr(games), f"a whole number from 1 to {MOST_GAMES}")])
    fixtures = match.fixtures(games)
    with ExitStack() as stack:
        file = None if out is None else stack.enter_context(ResultFile(out, match))
        numbers = {fixture.game for fixture in fixtures}
        played = {} if file is None else {number: game for number, game in file.games.items() if number in numbers}
        interrupted = False
        try:
            missing = [fixture for fixture in fixtures if fixture.game not in played]
            for game in stack.enter_context(closing(_results(match, missing, jobs))):
                if file is not None:
                    file.append(game)
                played[game.game] = game
                if on_game is not None:
                    on_game(game, len(played), len(fixtures))
        except KeyboardInterrupt:
            interrupted = True
    return MatchResult(match, tuple(played[number] for number in sorted(played)), len(fixtures), interrupted)


def _match(
    bots: Sequence[Bot] | Mapping[str, Bot] | None,
    lineups: Sequence[Sequence[str]] | None,
    variant: Variant | None,
    components: ComponentSet | None,
    limit: Limit | None,
    seed: int,
    hands: Hands,
) -> Match:
    if bots is None:
        bots = list(dict.fromkeys(name for lineup in lineups or () for name in lineup))
    named = dict(bots) if isinstance(bots, Mapping) else named_bots(bots)
    if not named:
        raise MatchError([Fault("bots", "none", "bots, or a line-up of them")])
    if variant is None:
        seats = len(lineups[0]) if lineups else len(named)
        variant = Variant(humans=seats if 3 <= seats <= 6 else 4)
    chosen = all_lineups(list(named), variant.humans) if lineups is None else tuple(map(tuple, lineups))
    components = components or complete_edition()
    return Match(named, chosen, variant, components, limit, seed, hands)


def _results(match: Match, fixtures: Sequence[Fixture], jobs: int | None) -> Generator[Game, None, None]:
    """The games as they end."""
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    with _ctrl_c_unheard():
        games = parallel(delayed(match.play)(fixture) for fixture in fixtures)
    yield from games


@contextmanager
def _ctrl_c_unheard() -> Iterator[None]:
    """Processes that start in here ignore Ctrl-C, which is for this process alone: it ends them itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
