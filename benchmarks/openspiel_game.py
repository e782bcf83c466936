"""This game as a Python game of OpenSpiel, so that OpenSpiel's bots can play it: a thin adapter, no more.

What OpenSpiel's searches need is mapped one to one:

* actions are the codes of moves, players are human seats, and the utility of a seat is its share of the win, 0 to 1;
* hands are known, as to a player who has followed every gain and payment, so an information state is the position. It
  hides one thing: what others have chosen in the final scoring, as long as that is secret (rules 8.2);
* chance is explicit. A round set-up has millions of outcomes, and OpenSpiel's searches can only draw from a list, so a
  chance node lists `OUTCOMES` equally likely ones: outcome k is what the state's own stream of chance draws once the
  position and k are mixed into it. The same history has the same outcomes, which MCTS relies on, others have others.
  Sampled chance (`SAMPLED_STOCHASTIC`) is no way out: OpenSpiel's MCTS keeps the moves that a node had when it was
  expanded, and tries illegal ones after another draw.

The game is not registered by name: OpenSpiel holds what is registered until after Python has ended, and aborts then.
"""

from __future__ import annotations

import json
from typing import Any

import pyspiel

import lusatia_ai as la
from lusatia_ai._belief import Worlds

OUTCOMES = 64  # of a chance node; more than a node is visited at the budgets compared
CHANCE = [(k, 1 / OUTCOMES) for k in range(OUTCOMES)]
CHANCE_PLAYER, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
ACTIONS = 13 * 256  # codes of moves are below
LONGEST = 1000  # moves and chance events of a game, a generous bound
WORD = 2**64 - 1

TYPE = pyspiel.GameType(
    short_name="python_lusatia",
    long_name="League of Six: Complete Edition",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.CONSTANT_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    min_num_players=2,
    max_num_players=6,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
)


class LusatiaGame(pyspiel.Game):  # type: ignore[misc]
    """The game in one variant and component set.

    Args:
        variant: the rules in force; four humans by default.
        components: the component set; the complete edition by default.
    """

    def __init__(self, variant: la.Variant | None = None, components: la.ComponentSet | None = None) -> None:
        self.start = la.State.new(variant, components=components, seed=0, chance="manual")
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=OUTCOMES,
            num_players=self.start.variant.humans,
            min_utility=0.0,
            max_utility=1.0,
            utility_sum=1.0,
            max_game_length=LONGEST,
        )
        super().__init__(TYPE, info, {})

    def new_initial_state(self) -> LusatiaState:
        return LusatiaState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Observer:
        return Observer()

    def world(self, worlds: Worlds, word: int) -> LusatiaState:
        """One of the `worlds` of a view: what it hides, and all future chance, is drawn by 64 bits."""
        state = LusatiaState(self)
        state.core._setup(worlds.tables, True, 0)
        worlds.sample_into(state.core, word)
        return state


class LusatiaState(pyspiel.State):  # type: ignore[misc]
    """A position. OpenSpiel clones it by copying `core`, its only attribute."""

    def __init__(self, game: LusatiaGame) -> None:
        super().__init__(game)
        self.core = game.start.clone()

    def current_player(self) -> int:
        seat = self.core.seat_to_act
        if seat is None:
            return TERMINAL if self.core.is_over else CHANCE_PLAYER
        return seat

    def is_terminal(self) -> bool:
        return self.core.is_over

    def _legal_actions(self, player: int) -> list[int]:
        return sorted([move.code for move in self.core.legal_moves()])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return CHANCE

    def _apply_action(self, action: int) -> None:
        core = self.core
        if core.is_chance:
            position = core.hash
            core.stream = tuple(hash((word, position, action)) & WORD for word in core.stream)
            core.draw_chance()
        elif not core.apply_code(action):
            raise ValueError(f"illegal action {action} in {core!r}")

    def returns(self) -> list[float]:
        return win_shares(self.core.winners if self.core.is_over else (), self.core.variant.humans)

    def information_state(self, player: int) -> str:
        """What a player knows of the position, as a key: equal if and only if the player cannot tell the difference."""
        if self.core.stage == "final_scoring":
            return json.dumps(self.core.view(player, hands="known").to_json())
        return str(self.core.hash)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE_PLAYER:
            return f"chance:{action}"
        return next(move.text for move in self.core.tables.moves.values() if move.code == action)

    def __str__(self) -> str:
        return repr(self.core)


def win_shares(winners: tuple[int, ...], humans: int) -> list[float]:
    """The utility of each human seat: a shared win is split; without winners nobody has any."""
    shares = [0.0] * humans
    for seat in winners:
        shares[seat] = 1 / len(winners)
    return shares


class Observer:
    """How OpenSpiel asks for the information state of a player."""

    tensor = None
    dict: dict[str, Any] = {}  # noqa: RUF012

    def set_from(self, state: LusatiaState, player: int) -> None:
        """Nothing: there is no tensor."""

    def string_from(self, state: LusatiaState, player: int) -> str:
        return state.information_state(player)
