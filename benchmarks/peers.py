"""Our engine and search beside OpenSpiel's C++ games and searches, measured in one run.

    python benchmarks/peers.py [--parts core search] [--seconds 0.5] [--repeats 20] [--games hearts spades ...] [--json]

Part `core`. On both sides the same is measured, from roots dealt by seed (set-up and deal are no part of any
measurement):

* clone, legal, apply: nanoseconds a call from Python, over positions sampled from random games;
* loop: microseconds for a whole random playout with a Python loop over legal moves, random choice and apply;
* call: microseconds for a whole random playout with one call from Python (ours: `State.playout`);
* inside: random moves a second in compiled code, without Python between the moves.

OpenSpiel has no call that plays random games. `MCTSBot.mcts_search` with one simulation does just that: it evaluates
the root with N random rollouts, each of them clone, legal actions, random choice and apply to the end. It doesn't say
how many moves it played, so its moves/s are N times the mean number of moves of random playouts from the same roots,
played in Python beforehand; `moves` shows that mean with its standard error. Our side counts its moves.

What counts as a move is a decision of a player, also one with a single choice. Chance events (dice, draws, our round
set-up) cost time on both sides and are counted on neither; `chance` shows how many a game has. Our `apply` draws the
chance events that follow; OpenSpiel leaves them to the caller.

A measurement is cut into short slices, spread over the whole run, and each slice of theirs has one of ours next to it.
The table shows the best slices, because other work on a machine only ever slows a slice down. The ratios are medians
over the pairs of neighbouring slices, because a machine can run at half its speed for seconds, which hits both of a
pair. The fastest game is the one with the lowest ratio inside. Where a single random game takes long (gin_rummy,
backgammon), a slice holds a few games of random length, and its figures are rough.

OpenSpiel's toys (coin_game, catch, sheriff, ...) have next to no state and run faster than its real games; name them
with `--games` to see them.

Part `search`. Our search of this game with four players, on one core and with uniformly random playouts to the end of
the game, beside OpenSpiel's C++ searches of hearts with random rollouts: IS-MCTS with a new world for every simulation
(its default) and with 100 worlds dealt beforehand, and MCTS, which knows all hands, for comparison. Both from the start
of the game, and from its middle (round 4; half of the 64 moves of hearts). Each run has `--simulations`, and a new
tree. Moves/s are simulations/s times the mean moves of random games from there to the end. That is exact in hearts; in
our game, only the few moves that are chosen in the tree can make a difference. Ratios as above, over `--repeats`.

Exit code: 0 if, of the parts that were run, our moves/s inside the core are above those of the fastest game measured
(by the ratio, and best slice against best slice beside every game), and those inside the search at least 3 times those
of IS-MCTS, dealing in either way and from both roots; 1 if not, 2 if the command line is wrong or our engine is not
built, 3 if open_spiel is not installed.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import platform
import random
import statistics
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

try:
    import pyspiel
except ImportError:
    pyspiel = None

try:
    import lusatia_ai
    from lusatia_ai import Limit, State, Variant
    from lusatia_ai._bench import time_playouts
except ImportError as error:
    time_playouts = None
    OURS_MISSING = str(error)

GAMES = (
    "hearts",
    "spades",
    "euchre",
    "bridge(use_double_dummy_result=false)",  # otherwise a game ends with the bidding
    "oh_hell(players=4)",
    "gin_rummy",
    "backgammon",
    "go(board_size=9)",
    "connect_four",
    "mancala",
    "leduc_poker",
)
ROOTS = 4  # deals that a playout may start from
POOL = 1024  # positions met in random games, of which
POSITIONS = 256  # are cloned, asked for moves and moved in one batch
LENGTH_ERROR = 0.002  # relative standard error at which the mean length of a game is known well enough

PARTS = ("core", "search")
SEARCHED = "hearts"
SEARCH_RATIO = 3.0  # our moves a second inside the search, in those of OpenSpiel's IS-MCTS
LENGTH_GAMES = 200  # random games from a searched root whose mean length counts
HEARTS_MOVES = 64
HEARTS_UCT_C = 2.0  # OpenSpiel's examples have this exploration constant; the speed hardly depends on it
SEARCHES = {"IS-MCTS": -1, "IS-MCTS, 100 worlds": 100, "MCTS, hands known": None}  # worlds dealt; -1: one a simulation

Batch = tuple[float, float]  # operations, seconds
clock = time.perf_counter


@dataclass(frozen=True)
class Metric:
    """One thing that is measured, by the method of `Engine` with its name; samples are seconds an operation."""

    name: str
    title: str
    per_move: bool = False  # whether the ratio is taken by the move, since games differ in length

    def shown(self, cost: float) -> str:
        """A sample in the unit of the title."""
        if self.name == "inside":
            return f"{1 / cost / 1e6:.3f}"
        return f"{cost * 1e6:.1f}" if self.per_move else f"{cost * 1e9:.0f}"

    def ratio(self, ours: Engine, our_cost: float, peer: Engine, peer_cost: float) -> float:
        """Ours / theirs, of times or (inside) of rates."""
        if self.name == "inside":
            return peer_cost / our_cost
        return our_cost / peer_cost * (peer.decisions / ours.decisions if self.per_move else 1)


METRICS = (
    Metric("clone", "clone ns"),
    Metric("legal", "legal ns"),
    Metric("apply", "apply ns"),
    Metric("loop", "loop µs", per_move=True),
    Metric("call", "call µs", per_move=True),
    INSIDE := Metric("inside", "inside M moves/s"),
)


class Engine(ABC):
    """A game with positions to measure on. Methods named after a metric run one batch: operations, seconds.

    Attributes:
        decisions: mean number of decisions of a random playout from the roots.
        chance: mean number of chance events of one; NaN where the engine draws them unseen.
        error: standard error of `decisions`, relative.
        rollouts: how many random playouts from each root one `inside` batch runs.
    """

    name: str
    players: int

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.roots = [self.new_root(seed + i) for i in range(ROOTS)]
        self.positions = self.sample_positions()
        self.moves = [self.rng.choice(self.choices(state)) for state in self.positions]
        self.decisions, self.chance, self.error = 0.0, math.nan, 0.0
        self.rollouts = 1
        self.batches = 0

    @abstractmethod
    def new_root(self, seed: int) -> Any:
        """A new game at its first decision."""

    @abstractmethod
    def choices(self, state: Any) -> Sequence[Any]:
        """The moves at a decision, empty at the end of the game; not timed."""

    @abstractmethod
    def advance(self, state: Any, move: Any) -> None:
        """Apply a move and go on to the next decision; not timed."""

    @abstractmethod
    def play(self, state: Any) -> tuple[int, int]:
        """Play `state` to its end at random, from Python: decisions and chance events met."""

    @abstractmethod
    def legal(self) -> Batch: ...

    @abstractmethod
    def apply(self) -> Batch: ...

    @abstractmethod
    def call(self) -> Batch: ...

    @abstractmethod
    def inside(self) -> Batch: ...

    def sample_positions(self) -> list[Any]:
        """Decisions drawn from those met in random games."""
        pool: list[Any] = []
        while len(pool) < POOL:
            state = self.rng.choice(self.roots).clone()
            while moves := self.choices(state):
                pool.append(state.clone())
                self.advance(state, self.rng.choice(moves))
        return self.rng.sample(pool, POSITIONS)

    def learn_length(self, seconds: float) -> None:
        """Play random games from every root equally often, until their mean length is known or the time is up."""
        rounds: list[int] = []
        chance = 0
        end = clock() + seconds
        while len(rounds) < 8 or (clock() < end and relative_error(rounds) > LENGTH_ERROR):
            played = [self.play(root.clone()) for root in self.roots]
            rounds.append(sum(decisions for decisions, _ in played))
            chance += sum(events for _, events in played)
        self.decisions = statistics.fmean(rounds) / ROOTS
        self.chance = chance / len(rounds) / ROOTS
        self.error = relative_error(rounds)

    def calibrate(self, seconds: float) -> None:
        """Choose `rollouts` such that an `inside` batch takes about `seconds`."""
        while (spent := self.inside()[1]) < seconds / 4:
            self.rollouts *= 2
        self.rollouts = max(1, round(self.rollouts * seconds / spent))

    def next_seed(self) -> int:
        """Another seed for each batch."""
        self.batches += 1
        return self.batches

    def clone(self) -> Batch:
        start = clock()
        for state in self.positions:
            state.clone()
        return len(self.positions), clock() - start

    def loop(self) -> Batch:
        start = clock()
        for root in self.roots:
            self.play(root.clone())
        return ROOTS, clock() - start


class Ours(Engine):
    """Our engine with four humans."""

    name = "lusatia_ai"
    players = 4

    def __init__(self, seed: int) -> None:
        self.counted_games = self.counted_moves = 0
        super().__init__(seed)

    def new_root(self, seed: int) -> Any:
        return State.new(Variant(humans=self.players), seed=seed)

    def choices(self, state: Any) -> Sequence[Any]:
        return state.legal_moves()

    def advance(self, state: Any, move: Any) -> None:
        state.apply(move)

    def play(self, state: Any) -> tuple[int, int]:
        decisions = 0
        choice = self.rng.choice
        while moves := state.legal_moves():
            state.apply(choice(moves))
            decisions += 1
        return decisions, 0

    def learn_length(self, seconds: float) -> None:
        super().learn_length(seconds)
        self.chance = math.nan

    def legal(self) -> Batch:
        start = clock()
        for state in self.positions:
            state.legal_moves()
        return len(self.positions), clock() - start

    def apply(self) -> Batch:
        fresh = [state.clone() for state in self.positions]
        start = clock()
        for state, move in zip(fresh, self.moves, strict=True):
            state.apply(move)
        return len(fresh), clock() - start

    def call(self) -> Batch:
        seed = self.next_seed()
        start = clock()
        for root in self.roots:
            root.playout(seed=seed)
        return ROOTS, clock() - start

    def inside(self) -> Batch:
        moves, spent = 0, 0.0
        for root in self.roots:
            seed = self.next_seed()
            decisions, seconds = time_playouts(root, self.rollouts, seed)
            spent += seconds
            moves += decisions
        self.counted_games += self.rollouts * ROOTS
        self.counted_moves += moves
        return moves, spent

    def count_mismatch(self) -> float:
        """How far the moves counted inside the core are from those counted in Python, a playout, relative."""
        return self.counted_moves / self.counted_games / self.decisions - 1


class Peer(Engine):
    """A C++ game of OpenSpiel, by the string that loads it."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.game = pyspiel.load_game(name)
        self.players = self.game.num_players()
        super().__init__(seed)

    def new_root(self, seed: int) -> Any:
        state = self.game.new_initial_state()
        self.settle(state)
        return state

    def settle(self, state: Any) -> int:
        """Draw chance events until a decision or the end: how many."""
        events = 0
        while state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(self.rng.choices(outcomes, weights)[0])
            events += 1
        return events

    def choices(self, state: Any) -> Sequence[Any]:
        return [] if state.is_terminal() else state.legal_actions()

    def advance(self, state: Any, move: Any) -> None:
        state.apply_action(move)
        self.settle(state)

    def play(self, state: Any) -> tuple[int, int]:
        decisions = chance = 0
        choice = self.rng.choice
        while (player := state.current_player()) != pyspiel.PlayerId.TERMINAL:
            if player == pyspiel.PlayerId.CHANCE:
                chance += self.settle(state)
            else:
                state.apply_action(choice(state.legal_actions()))
                decisions += 1
        return decisions, chance

    def legal(self) -> Batch:
        start = clock()
        for state in self.positions:
            state.legal_actions()
        return len(self.positions), clock() - start

    def apply(self) -> Batch:
        fresh = [state.clone() for state in self.positions]
        start = clock()
        for state, move in zip(fresh, self.moves, strict=True):
            state.apply_action(move)
        return len(fresh), clock() - start

    def bot(self, rollouts: int) -> Any:
        """A bot whose `mcts_search` runs `rollouts` random playouts from the state it is given, and no more."""
        seed = self.next_seed()
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
        uct_c, simulations, memory_mb, solve, verbose = 1.0, 1, 10, False, False
        return pyspiel.MCTSBot(self.game, evaluator, uct_c, simulations, memory_mb, solve, seed, verbose)

    def call(self) -> Batch:
        bot = self.bot(1)
        start = clock()
        for root in self.roots:
            bot.mcts_search(root)
        return ROOTS, clock() - start

    def inside(self) -> Batch:
        bot = self.bot(self.rollouts)
        start = clock()
        for root in self.roots:
            bot.mcts_search(root)
        return self.rollouts * ROOTS * self.decisions, clock() - start


class Pairing:
    """The samples of one peer and those of ours taken next to them, in seconds an operation."""

    def __init__(self, ours: Ours, peer: Peer) -> None:
        self.ours, self.peer = ours, peer
        self.samples: dict[str, tuple[list[float], list[float]]] = {metric.name: ([], []) for metric in METRICS}

    def measure(self, metric: Metric, seconds: float, peer_first: bool) -> None:
        """One slice of `seconds` on each side."""
        sides = list(zip((self.ours, self.peer), self.samples[metric.name], strict=True))
        for engine, samples in reversed(sides) if peer_first else sides:
            samples.append(slice_cost(getattr(engine, metric.name), seconds))

    def best(self, metric: Metric) -> tuple[float, float]:
        """The best slice of ours and of theirs."""
        ours, theirs = self.samples[metric.name]
        return min(ours), min(theirs)

    def ratio(self, metric: Metric) -> float:
        """Ours / theirs, the median over neighbouring slices."""
        pairs = zip(*self.samples[metric.name], strict=True)
        return statistics.median(metric.ratio(self.ours, ours, self.peer, theirs) for ours, theirs in pairs)


def slice_cost(batch: Callable[[], Batch], seconds: float) -> float:
    """Repeat a batch for `seconds`: seconds an operation."""
    operations, spent = 0.0, 0.0
    while spent < seconds:
        done, took = batch()
        operations += done
        spent += took
    return spent / operations


def relative_error(values: Sequence[float]) -> float:
    """The standard error of the mean, relative to the mean."""
    return statistics.stdev(values) / math.sqrt(len(values)) / statistics.fmean(values) if len(values) > 1 else math.inf


def prepare(engine: Engine, seconds: float, repeats: int) -> None:
    """Learn how long the games are and how many rollouts fit in half a slice."""
    engine.learn_length(4 * seconds)
    engine.calibrate(seconds / repeats / 2)


def run(games: Sequence[str], seconds: float, repeats: int, seed: int) -> list[Pairing]:
    """Measure our engine beside each of the games; every measurement takes `seconds`, in slices over the whole run."""
    least = len(games) * seconds * 2 * len(METRICS)
    print(f"measuring for {least:.0f} s, and half as long again around it", file=sys.stderr, flush=True)
    ours = Ours(seed)
    prepare(ours, seconds, repeats)
    pairings = [Pairing(ours, Peer(name, seed)) for name in games]
    for pairing in pairings:
        prepare(pairing.peer, seconds, repeats)
    gc.collect()
    gc.disable()
    try:
        for repeat in range(repeats):
            for pairing in pairings:
                for metric in METRICS:
                    pairing.measure(metric, seconds / repeats, peer_first=repeat % 2 == 1)
    finally:
        gc.enable()
    return pairings


def fastest(pairings: Sequence[Pairing]) -> Pairing:
    """The peer with the most moves a second inside C++, measured against ours in the slices next to it."""
    return min(pairings, key=lambda pairing: pairing.ratio(INSIDE))


def verdict(pairings: Sequence[Pairing]) -> tuple[bool, str]:
    """Whether ours is faster inside than the fastest peer, and a sentence that says so."""
    pairing = fastest(pairings)
    ratio = pairing.ratio(INSIDE)
    ours, theirs = (1 / cost / 1e6 for cost in pairing.best(INSIDE))
    faster = ratio > 1 and all(ours < theirs for ours, theirs in (each.best(INSIDE) for each in pairings))
    return faster, (
        f"Inside the core, ours is {'faster' if faster else 'NOT faster'} than the fastest peer, {pairing.peer.name}: "
        f"ratio {ratio:.2f}; best slices {ours:.2f} against {theirs:.2f} million moves/s."
    )


def length_shown(engine: Engine) -> str:
    """Mean moves of a game, with its standard error where that is not negligible."""
    error = engine.decisions * engine.error
    return f"{engine.decisions:.1f}" + (f" ±{error:.1f}" if error >= 0.05 else "")


def measured_rows(pairings: Sequence[Pairing]) -> list[list[str]]:
    """Ours (the median of its bests beside each peer, which are as many slices as theirs), then the peers."""
    costs = [statistics.median(pairing.best(metric)[0] for pairing in pairings) for metric in METRICS]
    rows = [engine_row(pairings[0].ours, costs)]
    return rows + [engine_row(pairing.peer, [pairing.best(metric)[1] for metric in METRICS]) for pairing in pairings]


def engine_row(engine: Engine, costs: Sequence[float]) -> list[str]:
    """The cells of an engine in the table of what was measured."""
    chance = "-" if math.isnan(engine.chance) else f"{engine.chance:.1f}"
    cells = [metric.shown(cost) for metric, cost in zip(METRICS, costs, strict=True)]
    return [engine.name, str(engine.players), length_shown(engine), chance, *cells]


def ratio_rows(pairings: Sequence[Pairing]) -> list[list[str]]:
    """The ratios ours / theirs beside each peer."""
    return [[pairing.peer.name, *(f"{pairing.ratio(metric):.3g}" for metric in METRICS)] for pairing in pairings]


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table, by rich where it is installed."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print_plain(title, header, rows)
        return
    table = Table(title=title, title_justify="left")
    for column, name in enumerate(header):
        table.add_column(name, justify="right" if column else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    width = sum(column_widths(header, rows)) + 3 * len(header) + 1  # with rich's padding and lines: never cut a number
    Console(width=max(Console().width, width)).print(table)


def print_plain(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table in columns padded with spaces."""
    first, *others = column_widths(header, rows)
    print(title)
    for name, *cells in (header, *rows):
        print("  ".join([name.ljust(first), *map(str.rjust, cells, others)]))
    print()


def column_widths(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The longest cell of each column, in characters."""
    return [max(map(len, column)) for column in zip(header, *rows, strict=True)]


def print_report(pairings: Sequence[Pairing]) -> None:
    """Both tables."""
    titles = [metric.title for metric in METRICS]
    header = ["game", "players", "moves", "chance", *titles]
    print_table("Best slices", header, measured_rows(pairings))
    title = "Ours / theirs, median of pairs (times: below 1 is faster; inside: above 1; loop, call: by the move)"
    print_table(title, ["game", *(metric.name for metric in METRICS)], ratio_rows(pairings))


def engine_json(engine: Engine) -> dict[str, Any]:
    """What is known of an engine besides its times."""
    return {
        "players": engine.players,
        "moves_a_game": engine.decisions,
        "moves_a_game_relative_error": engine.error,
        "chance_events_a_game": None if math.isnan(engine.chance) else engine.chance,
    }


def pairing_json(pairing: Pairing) -> dict[str, Any]:
    """A peer with every sample (seconds an operation; inside: a move) and the ratios."""
    return engine_json(pairing.peer) | {
        "seconds": {name: {"ours": ours, "theirs": theirs} for name, (ours, theirs) in pairing.samples.items()},
        "ratios": {metric.name: pairing.ratio(metric) for metric in METRICS},
    }


def report_json(pairings: Sequence[Pairing], searches: Sequence[SearchPairing]) -> dict[str, Any]:
    """The whole run."""
    report: dict[str, Any] = {"python": platform.python_version(), "open_spiel": metadata.version("open_spiel")}
    if pairings:
        faster, sentence = verdict(pairings)
        report |= {
            "ours": engine_json(pairings[0].ours),
            "peers": {pairing.peer.name: pairing_json(pairing) for pairing in pairings},
            "fastest": fastest(pairings).peer.name,
            "faster": faster,
            "verdict": sentence,
        }
    if searches:
        met, sentence = search_verdict(searches)
        report["search"] = {"pairs": [each.json() for each in searches], "met": met, "verdict": sentence}
    return report


class SearchSide(ABC):
    """A search of one root.

    Attributes:
        name: of the search.
        moves: mean moves of random games from the root to the end.
    """

    name: str
    moves: float

    @abstractmethod
    def run(self, simulations: int, seed: int) -> float:
        """Search with a new tree: the seconds it took."""


class OurSearch(SearchSide):
    """Our search on one core, from the start of a round of a random game with four players."""

    def __init__(self, round_number: int, seed: int) -> None:
        self.name = f"round {round_number}"
        rng = random.Random(seed)
        state = State.new(Variant(humans=4), seed=seed)
        while state.round < round_number or len(state.legal_moves()) == 1:
            state.apply(rng.choice(state.legal_moves()))
        self.view = state.view(hands="known")
        decisions, _ = time_playouts(state, 100 * LENGTH_GAMES, seed)
        self.moves = decisions / (100 * LENGTH_GAMES)
        self.options = {"n_jobs": 1, "params": lusatia_ai.SearchParams(playout="uniform", horizon=0)}

    def run(self, simulations: int, seed: int) -> float:
        limit = Limit(iterations=simulations)
        start = clock()
        lusatia_ai.search(self.view, limit, seed=seed, **self.options)
        return clock() - start


class PeerSearch(SearchSide):
    """A C++ search of OpenSpiel on hearts, after so many random moves.

    Args:
        worlds: how many IS-MCTS deals beforehand, -1 for a new one each simulation; None for MCTS with hands known.
    """

    def __init__(self, name: str, worlds: int | None, moves_made: int, seed: int) -> None:
        self.name, self.worlds = name, worlds
        self.peer = peer = Peer(SEARCHED, seed)
        self.root = peer.roots[0]
        for _ in range(moves_made):
            peer.advance(self.root, peer.rng.choice(peer.choices(self.root)))
        while len(peer.choices(self.root)) == 1:
            peer.advance(self.root, peer.choices(self.root)[0])
        self.moves = statistics.fmean(peer.play(self.root.clone())[0] for _ in range(LENGTH_GAMES))

    def run(self, simulations: int, seed: int) -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        if self.worlds is None:
            memory_mb, solve, verbose = 1000, False, False
            search = pyspiel.MCTSBot(
                self.peer.game, evaluator, HEARTS_UCT_C, simulations, memory_mb, solve, seed, verbose
            ).mcts_search
        else:
            search = pyspiel.ISMCTSBot(seed, evaluator, HEARTS_UCT_C, simulations, self.worlds).step
        start = clock()
        search(self.root)
        return clock() - start


class SearchPairing:
    """Runs of one search of theirs, each next to one of ours; samples are moves a second."""

    def __init__(self, ours: OurSearch, theirs: PeerSearch) -> None:
        self.ours, self.theirs = ours, theirs
        self.samples: tuple[list[float], list[float]] = ([], [])

    def measure(self, simulations: int, seed: int) -> None:
        """One run on each side, ours first every other time."""
        sides = list(zip((self.ours, self.theirs), self.samples, strict=True))
        for side, samples in sides if seed % 2 else reversed(sides):
            samples.append(simulations * side.moves / side.run(simulations, seed))

    def ratio(self) -> float:
        """Ours / theirs, the median over neighbouring runs."""
        return statistics.median(ours / theirs for ours, theirs in zip(*self.samples, strict=True))

    @property
    def counts(self) -> bool:
        """Whether this is the search that ours is to be compared with."""
        return self.theirs.worlds is not None

    def row(self) -> list[str]:
        """The cells of this pairing in the table."""
        cells = [self.theirs.name, self.ours.name]
        for side, samples in zip((self.ours, self.theirs), self.samples, strict=True):
            cells += [f"{side.moves:.1f}", f"{max(samples) / side.moves:,.0f}", f"{max(samples) / 1e6:.2f}"]
        return [*cells, f"{self.ratio():.2f}"]

    def json(self) -> dict[str, Any]:
        """Every sample, and the ratio."""
        sides = {"ours": self.ours, "theirs": self.theirs}
        return {
            "names": {key: side.name for key, side in sides.items()},
            "moves_to_the_end": {key: side.moves for key, side in sides.items()},
            "moves_per_second": dict(zip(sides, self.samples, strict=True)),
            "ratio": self.ratio(),
        }


def run_searches(simulations: int, repeats: int, seed: int) -> list[SearchPairing]:
    """Measure our search beside theirs, from the start and from the middle of the games."""
    print(f"searching {2 * len(SEARCHES) * repeats} pairs of {simulations:,} simulations", file=sys.stderr, flush=True)
    pairings = [
        SearchPairing(ours, PeerSearch(name, worlds, moves_made, seed))
        for ours, moves_made in ((OurSearch(1, seed), 0), (OurSearch(4, seed), HEARTS_MOVES // 2))
        for name, worlds in SEARCHES.items()
    ]
    for repeat in range(repeats):
        for pairing in pairings:
            pairing.measure(simulations, repeat)
    return pairings


def search_verdict(pairings: Sequence[SearchPairing]) -> tuple[bool, str]:
    """Whether ours is faster enough than IS-MCTS wherever it was measured, and a sentence that says so."""
    pairing = min((each for each in pairings if each.counts), key=SearchPairing.ratio)
    met = pairing.ratio() >= SEARCH_RATIO
    return met, (
        f"Inside the search, ours plays {pairing.ratio():.2f} times the moves of OpenSpiel's C++ {pairing.theirs.name} "
        f"on {SEARCHED}, where it is least (from {pairing.ours.name}); {SEARCH_RATIO:g} wanted: "
        f"{'met' if met else 'MISSED'}."
    )


def print_searches(pairings: Sequence[SearchPairing]) -> None:
    """The table of the searches."""
    side = ("moves", "simulations/s", "M moves/s")
    header = [f"theirs, on {SEARCHED}", "ours from", *side, *(f"their {title}" for title in side), "ratio"]
    title = "Searches: moves to the end and best runs, ours and theirs; ours / theirs as the median of pairs"
    print_table(title, header, [pairing.row() for pairing in pairings])


def print_reports(pairings: Sequence[Pairing], searches: Sequence[SearchPairing]) -> None:
    """The tables of what was measured."""
    if pairings:
        print_report(pairings)
    if searches:
        print_searches(searches)


def positive(kind: Callable[[str], float]) -> Callable[[str], float]:
    """A type for argparse: a number above 0."""

    def read(text: str) -> float:
        value = kind(text)
        if not 0 < value < math.inf:
            raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
        return value

    read.__name__ = kind.__name__
    return read


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description="Our engine and search beside OpenSpiel's, in one run.")
    result.add_argument("--seconds", type=positive(float), default=0.5, help="a measurement and side (%(default)s)")
    result.add_argument("--repeats", type=positive(int), default=20, help="slices of each measurement (%(default)s)")
    result.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what is measured (%(default)s)")
    result.add_argument("--simulations", type=positive(int), default=10_000, help="of a search (%(default)s)")
    result.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME", help="OpenSpiel game strings")
    result.add_argument("--seed", type=int, default=7, help="of the deals and random choices (%(default)s)")
    result.add_argument("--json", action="store_true", help="print everything as JSON; the verdict goes to stderr")
    return result


def game_fault(name: str) -> str | None:
    """Why a game cannot be measured, or None. Python games are not C++, and a C++ bot crashes on some of them."""
    short = name.partition("(")[0]
    if short not in pyspiel.registered_names() or short.startswith("python_"):
        return f"{name!r} is no C++ game of this OpenSpiel"
    try:
        kind = pyspiel.load_game(name).get_type()
    except (RuntimeError, IndexError) as error:  # SpielError is a RuntimeError
        return f"{name!r} does not load: {str(error).splitlines()[0]}"
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        return f"{name!r} has simultaneous moves, which OpenSpiel's rollouts cannot play"
    if kind.reward_model != pyspiel.GameType.RewardModel.TERMINAL:
        return f"{name!r} has rewards before the end, which OpenSpiel's rollouts cannot play"
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    command = parser()
    options = command.parse_args(arguments)
    if pyspiel is None:
        print('open_spiel is not installed: pip install "lusatia-ai[peers]"', file=sys.stderr)
        return 3
    if time_playouts is None:
        print(f"lusatia_ai is not built ({OURS_MISSING}): pip install -e .", file=sys.stderr)
        return 2
    if faults := [fault for name in options.games if (fault := game_fault(name))]:
        command.error("; ".join(faults))
    pairings = run(options.games, options.seconds, options.repeats, options.seed) if "core" in options.parts else []
    searches = run_searches(options.simulations, options.repeats, options.seed) if "search" in options.parts else []
    if pairings and abs(mismatch := pairings[0].ours.count_mismatch()) > 0.05:
        print(f"warning: the core counts {mismatch:+.0%} moves a game against Python's count", file=sys.stderr)
    if options.json:
        print(json.dumps(report_json(pairings, searches), indent=1))
    else:
        print_reports(pairings, searches)
    verdicts = [verdict(pairings)] if pairings else []
    verdicts += [search_verdict(searches)] if searches else []
    for _, sentence in verdicts:
        print(sentence, file=sys.stderr if options.json else sys.stdout)
    return 0 if all(met for met, _ in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
