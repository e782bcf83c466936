"""OpenSpiel's searches as players of this game, to be met in the arena.

    python -m benchmarks.openspiel_players [--simulations 300] [--seed 1]

prints how many simulations a second they run. The players:

* `python_ismcts`: `ISMCTSBot` of `open_spiel.python.algorithms.ismcts`;
* `cpp_mcts`: the C++ `MCTSBot.mcts_search`, calling back into the Python game for every move.

Both get what our search gets: the view of the seat to act, hands known. Both estimate by uniformly random games to the
end, and maximise the share of the win. IS-MCTS is given a new world for every simulation. MCTS takes one world a
decision, since it searches a full position: with hands known, only hand-overs of the final scoring that others have
chosen unseen (rules 8.2) differ between worlds.

Where OpenSpiel leaves a choice, it is made in its favour:

* `UCT_C` is among the best of a grid from 0.2 to 3 (by what the moves lose against a search of 30,000 games; 0.35 to 1
  differ by less than the noise); both play the move most visited, the default of the one and all there is in the
  other, which also proves values (`solve`);
* a budget of simulations is run as it is. With it, the Python bot estimates by our compiled random games: they have the
  same distribution, so its moves too, and a match takes a fraction of the time;
* a budget of time is for everything from the call to the answer. The Python bot stops where one more simulation of mean
  length would end late; the C++ bot is given all that is left, and so ends up to one simulation late. Both use
  OpenSpiel's own rollouts; `python_ismcts_100ms_compiled` has ours instead, and many more simulations by that;
* a decision with one legal move takes no search.

Factories take a seed. `python_ismcts_sims(300)` and the like make them; those named below are for command lines.
"""

from __future__ import annotations

import argparse
import random
import sys
import time as clock
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import Evaluator, RandomRolloutEvaluator

import lusatia_ai as la
from benchmarks.openspiel_game import LusatiaGame, LusatiaState, win_shares
from lusatia_ai._belief import Worlds
from lusatia_ai.players import PlayResult
from lusatia_ai.state import Seed, word_from

UCT_C = 0.5  # for utilities from 0 to 1
LEAST = 2  # simulations: the first only expands the root
WITHOUT_END = 10**9  # simulations, where time is the limit
LEAST_TIME = 0.001  # seconds; OpenSpiel takes 0 for no limit of time
MEMORY_MB = 1000

Rollouts = Literal["openspiel", "compiled"]


class OpenSpielPlayer(ABC):
    """A search of OpenSpiel with a budget of simulations or of time for each decision.

    Args:
        name: what it is called in tables.
        seed: of everything it draws.
        simulations: a decision, at least 2; not together with `time`.
        time: seconds a decision. With neither, the limit of each call counts, or else a second.

    Attributes:
        simulations_run: over all decisions so far that were searched.
    """

    def __init__(self, name: str, seed: Seed, simulations: int | None = None, time: float | None = None) -> None:
        if simulations is not None and time is not None:
            raise ValueError("simulations and time: give one of them")
        if simulations is not None and simulations < LEAST:
            raise ValueError(f"simulations is {simulations!r}; allowed: {LEAST} and more")
        self.name = name
        self.simulations, self.time = simulations, time
        self.simulations_run = 0
        self.rng = random.Random(word_from(seed))
        self._tables: object = None

    def choose(self, view: la.View, limit: la.Limit | None = None) -> PlayResult:
        """Decide for the seat to act.

        Args:
            view: of the seat to act, with all hands known.
            limit: counts if the player has no budget of its own; iterations are simulations.

        Raises:
            ValueError: if hands are hidden: OpenSpiel's searches would need a belief about them.
        """
        started = clock.perf_counter()
        if view.hidden_guards or view.hidden_estates:
            raise ValueError(f"{self.name} plays with hands known, and this view hides some")
        moves = {move.code: move for move in view.legal_moves()}
        if len(moves) == 1:
            return PlayResult(move=next(iter(moves.values())), search=None)
        if view.tables is not self._tables:
            self._tables = view.tables
            self.sit_down(LusatiaGame(view.variant, view.tables.components))
        simulations, time = self._budget(limit)
        deadline = None if time is None else started + time
        return PlayResult(move=moves[self.search(view.worlds(), simulations, deadline)], search=None)

    def _budget(self, limit: la.Limit | None) -> tuple[int, float | None]:
        """Simulations, and seconds: these count where they are given."""
        if self.simulations is not None:
            return self.simulations, None
        if self.time is not None:
            return WITHOUT_END, self.time
        if limit is not None and limit.time is None and limit.iterations is not None:
            return max(limit.iterations, LEAST), None
        return WITHOUT_END, (limit and limit.time) or 1.0

    @abstractmethod
    def sit_down(self, game: LusatiaGame) -> None:
        """Begin to play a game of another variant or component set."""

    @abstractmethod
    def search(self, worlds: Worlds, simulations: int, deadline: float | None) -> int:
        """The action chosen, after so many simulations, or by the deadline if there is one."""


class PythonISMCTSPlayer(OpenSpielPlayer):
    """OpenSpiel's Python IS-MCTS.

    Args:
        rollouts: "openspiel" plays random games in Python, "compiled" in our core; by default "compiled" if the budget
            is one of simulations.
    """

    def __init__(
        self,
        seed: Seed,
        simulations: int | None = None,
        time: float | None = None,
        uct_c: float = UCT_C,
        rollouts: Rollouts | None = None,
    ) -> None:
        super().__init__(f"OpenSpiel ISMCTSBot, {budget_shown(simulations, time)}", seed, simulations, time)
        self.uct_c = uct_c
        compiled = rollouts == "compiled" or (rollouts is None and simulations is not None)
        draws = np.random.RandomState(self.rng.getrandbits(32))
        self.evaluator = CompiledRollouts(self.rng) if compiled else RandomRolloutEvaluator(1, draws)

    def sit_down(self, game: LusatiaGame) -> None:
        self.game = game
        draws = np.random.RandomState(self.rng.getrandbits(32))
        self.bot = TimedISMCTSBot(game, self.evaluator, self.uct_c, WITHOUT_END, random_state=draws)

    def search(self, worlds: Worlds, simulations: int, deadline: float | None) -> int:
        self.bot.set_resampler(lambda state, player: self.world(worlds))
        self.bot.begin(simulations, deadline)
        action = int(self.bot.step(self.world(worlds)))
        self.simulations_run += self.bot.simulations_run
        return action

    def world(self, worlds: Worlds) -> LusatiaState:
        return self.game.world(worlds, self.rng.getrandbits(64))


class TimedISMCTSBot(ISMCTSBot):  # type: ignore[misc]
    """OpenSpiel's bot with its own loop, tree and choice of the move, that can end its loop early."""

    def begin(self, simulations: int, deadline: float | None) -> None:
        """Set the budget of the next search."""
        self._max_simulations = simulations
        self.deadline = deadline
        self.started = clock.perf_counter()
        self.simulations_run = 0

    def run_search(self, state: LusatiaState) -> list[tuple[int, float]]:
        try:
            return super().run_search(state)  # type: ignore[no-any-return]
        except TimeUp:
            return self.get_final_policy(state, self._root_node)  # type: ignore[no-any-return]

    def sample_root_state(self, state: LusatiaState) -> LusatiaState:
        if self.deadline is not None and self.simulations_run >= LEAST:
            now = clock.perf_counter()
            if now + (now - self.started) / self.simulations_run > self.deadline:
                raise TimeUp
        self.simulations_run += 1
        return super().sample_root_state(state)


class TimeUp(Exception):  # noqa: N818 - no error
    """Another simulation would end after the deadline."""


class CompiledRollouts(Evaluator):  # type: ignore[misc]
    """`RandomRolloutEvaluator` with random games played in our core; what they draw has the same distribution."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def evaluate(self, state: LusatiaState) -> np.ndarray[Any, Any]:
        result = state.core.playout(self.rng.getrandbits(64))
        return np.array(win_shares(result.winners, len(result.favour)))

    def prior(self, state: LusatiaState) -> list[tuple[int, float]]:
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


class CppMCTSPlayer(OpenSpielPlayer):
    """OpenSpiel's C++ MCTS."""

    def __init__(
        self, seed: Seed, simulations: int | None = None, time: float | None = None, uct_c: float = UCT_C
    ) -> None:
        super().__init__(f"OpenSpiel C++ MCTSBot, {budget_shown(simulations, time)}", seed, simulations, time)
        self.uct_c = uct_c

    def sit_down(self, game: LusatiaGame) -> None:
        self.game = game

    def search(self, worlds: Worlds, simulations: int, deadline: float | None) -> int:
        root = self.game.world(worlds, self.rng.getrandbits(64))
        left = -1.0 if deadline is None else max(deadline - clock.perf_counter(), LEAST_TIME)
        node = self.bot(simulations, left).mcts_search(root)
        self.simulations_run += node.explore_count
        if not node.children:  # the time was up before the root was expanded
            return self.rng.choice(root.legal_actions())
        return int(node.best_child().action)

    def bot(self, simulations: int, seconds: float) -> Any:
        """A bot that runs so many simulations, or for so many seconds if these are not negative."""
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.rng.getrandbits(31))
        solve, verbose = True, False
        return pyspiel.MCTSBot(
            self.game,
            evaluator,
            self.uct_c,
            simulations,
            MEMORY_MB,
            solve,
            self.rng.getrandbits(31),
            verbose,
            max_wall_clock_time=seconds,
        )


def budget_shown(simulations: int | None, time: float | None) -> str:
    """A budget in words."""
    if simulations is not None:
        return f"{simulations:,} simulations"
    return "limit of the match" if time is None else f"{time * 1000:g} ms"


python_ismcts = PythonISMCTSPlayer
cpp_mcts = CppMCTSPlayer


def python_ismcts_sims(simulations: int) -> Callable[[Seed], OpenSpielPlayer]:
    """A factory of IS-MCTS players with so many simulations a decision."""
    return partial(PythonISMCTSPlayer, simulations=simulations)


def python_ismcts_time(seconds: float, rollouts: Rollouts = "openspiel") -> Callable[[Seed], OpenSpielPlayer]:
    """A factory of IS-MCTS players with so many seconds a decision."""
    return partial(PythonISMCTSPlayer, time=seconds, rollouts=rollouts)


def cpp_mcts_sims(simulations: int) -> Callable[[Seed], OpenSpielPlayer]:
    """A factory of C++ MCTS players with so many simulations a decision."""
    return partial(CppMCTSPlayer, simulations=simulations)


def cpp_mcts_time(seconds: float) -> Callable[[Seed], OpenSpielPlayer]:
    """A factory of C++ MCTS players with so many seconds a decision."""
    return partial(CppMCTSPlayer, time=seconds)


python_ismcts_50 = python_ismcts_sims(50)
python_ismcts_100 = python_ismcts_sims(100)
python_ismcts_300 = python_ismcts_sims(300)
python_ismcts_1000 = python_ismcts_sims(1000)
python_ismcts_100ms = python_ismcts_time(0.1)
python_ismcts_100ms_compiled = python_ismcts_time(0.1, "compiled")
cpp_mcts_50 = cpp_mcts_sims(50)
cpp_mcts_100 = cpp_mcts_sims(100)
cpp_mcts_300 = cpp_mcts_sims(300)
cpp_mcts_1000 = cpp_mcts_sims(1000)
cpp_mcts_100ms = cpp_mcts_time(0.1)


def decision_in(round_number: int, seed: int) -> la.State:
    """The first decision with a choice in a round of a random four-player game."""
    state, rng = la.State.new(la.Variant(humans=4), seed=seed), random.Random(seed)
    while state.round < round_number or len(state.legal_moves()) == 1:
        state.apply(rng.choice(state.legal_moves()))
    return state


def speed(player: OpenSpielPlayer, round_number: int, seed: int, positions: int = 5) -> float:
    """Simulations a second of processor time (both searches have one thread), over decisions of several games."""
    views = [decision_in(round_number, seed + i).view(hands="known") for i in range(positions)]
    player.choose(views[0])
    before, started = player.simulations_run, clock.process_time()
    for view in views:
        player.choose(view)
    return (player.simulations_run - before) / (clock.process_time() - started)


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulations a second of OpenSpiel's searches of this game.")
    parser.add_argument("--simulations", type=int, default=300, help="a decision (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    players: dict[str, OpenSpielPlayer] = {
        "ISMCTSBot": python_ismcts(options.seed, options.simulations, rollouts="openspiel"),
        "ISMCTSBot, compiled rollouts": python_ismcts(options.seed, options.simulations, rollouts="compiled"),
        "C++ MCTSBot": cpp_mcts(options.seed, options.simulations),
    }
    print(f"{'simulations a second from round':30}{1:>8}{3:>8}{6:>8}")
    for name, player in players.items():
        figures = [speed(player, round_number, options.seed) for round_number in (1, 3, 6)]
        print(f"{name:30}" + "".join(f"{figure:8,.0f}" for figure in figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
