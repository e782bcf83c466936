"""Why a well-spelled move is not legal, in words of the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import StateCore
from ._tables import Move
from .contradictions import NONE

_DECISION_OF = {
    "produce": "produce",
    "go": "travel",
    "accept": "respond",
    "raise": "respond",
    "collect": "collect",
    "grey": "grey",
    "farmer": "farmer",
    "merchant": "merchant",
    "row": "row",
    "chamberlain": "row",
    "card": "card",
    "hand_over": "hand_over",
}


def why_illegal(state: StateCore, move: Move) -> str:
    """A sentence that says why `move`, which is not legal in `state`, is not."""
    if state.is_over:
        return "the game is over"
    if state.is_chance:
        return "the position waits for chance, not for a move"
    word, _, argument = move.text.partition(":")
    expected = _DECISION_OF.get(word)
    if expected != state.decision and not (word == "pass" and state.decision in ("row", "farmer", "merchant")):
        examples = ", ".join(move.text for move in state.legal_moves()[:3])
        return f"seat {state.seat_to_act} is to decide on {state.decision}, with moves such as {examples}"
    return _REASONS[word](state, argument, state.raw())


def _go(state: StateCore, argument: str, raw: dict[str, Any]) -> str:
    name, _, number = argument.partition(":")
    town, position, seat = state.tables.towns.index(name), int(number), raw["seat"]
    if raw["besieged"] >> town & 1:
        return f"{name} is besieged and cannot be entered (rules 3.2)"
    if town == raw["evicted_from"]:
        return f"an evicted wagon must leave {name} for another town (rules 3.2)"
    cost, wealth = state.travel_costs()[town], raw["guards"][seat] + raw["favour"][seat] // 2
    occupants = [player for player, at in enumerate(raw["wagon"]) if at == town and raw["position"][player] >= 0]
    if cost > wealth:
        return f"the way to {name} costs {cost} guards, and the seat can pay {wealth} (rules 3.3)"
    if not occupants:
        return f"{name} is free: a wagon enters it at 0, or at 1 with a companion for it (rules 3.4)"
    standing = raw["position"][occupants[0]]
    if standing == 12:
        return f"nobody can be outbid at 12, as in {name} (rules 3.5)"
    if position <= standing:
        return f"in {name} player {occupants[0]} stands at {standing}: a bid must be higher (rules 3.5)"
    left = f"after {cost} for the way the seat can pay {wealth - cost}"
    return f"a bid of {position} in {name} cannot be paid: {left} (rules 3.5)"


def _raise(state: StateCore, argument: str, raw: dict[str, Any]) -> str:
    bid, seat = raw["position"][raw["rival"]], raw["seat"]
    if bid == 12:
        return "a bid of 12 must be accepted (rules 3.6)"
    if int(argument) <= bid:
        return f"the standing bid is {bid}: a raise must be above it (rules 3.6)"
    wealth = raw["guards"][seat] + raw["favour"][seat] // 2
    return f"a raise to {argument} cannot be paid: the seat can pay {wealth} (rules 3.6)"


def _collect(state: StateCore, argument: str, raw: dict[str, Any]) -> str:
    token = state.tables.tokens[raw["town_token"][raw["wagon"][raw["seat"]]]]
    return f"no rotation of the token {token} points at the sides {argument} (rules 5.2)"


def _row(state: StateCore, argument: str, raw: dict[str, Any]) -> str:
    if state.tables.variant.chooser_must_contribute:
        return f"the seat has no piece that fits into the row {argument} (rules 6.4, chooser must contribute)"
    return f"nobody has a piece that fits into the row {argument} (rules 6.4)"


def _chamberlain(state: StateCore, argument: str, raw: dict[str, Any]) -> str:
    if not any(move.text.startswith("chamberlain") for move in state.legal_moves()):
        return "the seat has no Chamberlain that is unused this round, or no piece (rules 6.7)"
    return f"the seat has no {argument} piece (rules 6.7)"


def _card(state: StateCore, argument: str, raw: dict[str, Any]) -> str:
    deck = [str(number) for number in state.tables.components.estate_cards.symbols].index(argument)
    if raw["face_up"][deck] == NONE:
        return f"the card with {argument} symbols is no longer on offer (rules 6.6)"
    return f"the row allows at most {raw['pending_card']} symbols (rules 6.6)"


def _pass(state: StateCore, argument: str, raw: dict[str, Any]) -> str:
    return "who can choose a row must choose one (rules 6.4)"


def _hand_over(state: StateCore, argument: str, raw: dict[str, Any]) -> str:
    token, seat = state.tables.tokens[raw["token"]], raw["seat"]
    return f"{token} takes fewer guards, or the seat has only {raw['guards'][seat]} (rules 8.2)"


_REASONS: dict[str, Callable[[StateCore, str, dict[str, Any]], str]] = {
    "produce": lambda state, argument, raw: f"the token does not make {argument} goods (rules 2.4)",
    "go": _go,
    "raise": _raise,
    "collect": _collect,
    "grey": lambda state, argument, raw: f"the supply has no grey card of {argument} left (rules 5.4)",
    "merchant": lambda state, argument, raw: f"the seat has no {argument.partition('>')[0]} piece (rules 6.3)",
    "row": _row,
    "chamberlain": _chamberlain,
    "card": _card,
    "hand_over": _hand_over,
    "pass": _pass,
}
