"""Where each seat's favour came from, found by replaying a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .record import Record
from .show import components_of, filling
from .state import State

SOURCES = ("start", "payments", "slots", "rows", "companions", "estates")
"""The start; what was paid for travel and bids (below 0); slots filled; bonuses of full royal rows; companions, guards
handed over to them included; symbols at the end."""

Favour = dict[str, int]


def favour_sources(record: Record) -> list[Favour]:
    """Favour by source for each human seat; its sum is the favour that the seat has."""
    humans = record.variant.humans
    start = record.state(0).favour
    ledger = [dict.fromkeys(SOURCES, 0) | {"start": start[seat]} for seat in range(humans)]
    before: State | None = None
    event: Mapping[str, Any] = {}
    for state, following in record.replay():
        if before is not None:
            _enter(ledger, before, event, state)
        before, event = state, following
    if before is not None:
        _enter(ledger, before, event, record.state())
    return ledger


def _enter(ledger: list[Favour], before: State, event: Mapping[str, Any], after: State) -> None:
    """Enter what one event changed; what has no other source comes from companions."""
    changes = [new - old for old, new in zip(before.favour, after.favour, strict=True)][: len(ledger)]
    known = [dict.fromkeys(SOURCES, 0) for _ in ledger]
    move = str(event.get("move", ""))
    if move.startswith("row:"):
        _enter_row(known, before.to_json(), move)
    if before.chance_event == "setup":
        for seat, change in enumerate(changes):
            known[seat]["start"] = change
    if before.stage == "town_selection":
        bonuses = _zero_bonuses(before, after)
        for seat, change in enumerate(changes):
            known[seat]["payments"] = change - bonuses[seat]
    if after.is_over and not before.is_over:
        for seat, points in enumerate(estate_points(after.to_json())):
            known[seat]["estates"] = points
    for seat, change in enumerate(changes):
        known[seat]["companions"] += change - sum(known[seat].values())
        for source, amount in known[seat].items():
            ledger[seat][source] += amount


def _enter_row(known: list[Favour], position: Mapping[str, Any], move: str) -> None:
    """Rules 6.5 and 6.6."""
    _, warehouse, number = move.split(":")
    entry = position["warehouses"][warehouse]
    components = components_of(position)
    tile = next(tile for tile in components.warehouse_tiles if tile.id == entry["tile"])
    row = (tile.side_1 if entry["side"] == 1 else tile.side_2)[int(number) - 1]
    pieces = filling(position, warehouse, int(number))
    for index, player in pieces.items():
        if player < len(known):
            known[player]["slots"] += row.slots[index].points
    full = len(pieces) + sum(entry["filled"][int(number) - 1]) == len(row.slots)
    if full and warehouse == "royal":
        known[position["to_act"]["seat"]]["rows"] += row.bonus


def _zero_bonuses(before: State, after: State) -> list[int]:
    """What Beggars got when the stage ended with this event (rules 4.1)."""
    bonuses = [0] * before.variant.humans
    if after.stage == "town_selection" or before.variant.easy:
        return bonuses
    for seat, player in enumerate(after.to_json()["players"][: len(bonuses)]):
        if player["wagon"]["position"] == 0:
            effects = (before.components.companion_of(token).effects for token in player["companions"])
            bonuses[seat] = sum(effect.zero_guard_bonus for effect in effects)
    return bonuses


def estate_points(position: Mapping[str, Any]) -> list[int]:
    """What each human's estate symbols score with the guards that they have now (rules 8.4)."""
    components = components_of(position)
    humans = [player for player in position["players"] if player["kind"] == "human"]
    table = next(entry.points for entry in components.scoring if len(humans) in entry.humans)
    points = [0] * len(humans)
    for estate in components.estates:
        scores = [(player["estates"][estate], player["guards"]) for player in humans]
        for seat, score in enumerate(scores):
            lowest = sum(other >= score for other in scores) - 1  # tied players share the lowest place
            if score[0] and lowest < len(table):
                points[seat] += table[lowest]
    return points


__all__ = ["SOURCES", "estate_points", "favour_sources"]
