"""The command `solve` of the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from .solver import Concept, Horizon, MoveValue, Objective, Solution, Ties

OBJECTIVES = {"favour": "favour", "margin": "margin over the best rival", "win": "share of the win"}
SOLVING_TIME = 60.0
"""Seconds, unless a limit is given."""
HORIZONS = {"stage": "at the end of the stage", "round": "at the end of the round", "game": "at the end of the game"}


@click.command("solve")
@click.argument("position", metavar="POSITION")
@click.option("--objective", type=click.Choice(["favour", "margin", "win"]), default="favour", show_default=True)
@click.option("--concept", type=click.Choice(["maxn", "paranoid"]), default="maxn", show_default=True)
@click.option("--horizon", type=click.Choice(["stage", "round", "game"]), default="stage", show_default=True)
@click.option("--ties", type=click.Choice(["first", "worst", "best"]), default="first", show_default=True)
@click.option("--seat", type=int, help="Whose guaranteed value, or whose ties.  [default: the seat to act]")
@click.option("--time", type=float, metavar="SECONDS", help="Stop after this time, with bounds.  [default: 60]")
@click.option("--nodes", type=int, metavar="N", help="Stop after so many positions instead, with bounds.")
@click.option("--worlds", type=click.IntRange(1), default=32, show_default=True, help="Samples of hidden hands.")
@click.option("--seed", type=click.IntRange(min=0), help="Makes the samples repeatable.")
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True, help="How many moves to show.")
@click.option(
    "--hands",
    type=click.Choice(["hidden", "known"]),
    default="known",
    show_default=True,
    help="Whether the other players' hands in a full POSITION may be used.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def solve_command(
    position: str,
    objective: Objective,
    concept: Concept,
    horizon: Horizon,
    ties: Ties,
    seat: int | None,
    time: float | None,
    nodes: int | None,
    worlds: int,
    seed: int | None,
    top: int,
    hands: str,
    as_json: bool,
) -> None:
    """Solve a position: the exact best moves and their values.

    Nothing is random from tax collection to the end of the round, so there, and in final scoring, best play can be
    computed. "maxn": everybody takes what is best for themselves; "paranoid": all others play against one seat.

    \b
    Examples:
      lusatia-ai solve examples/positions/storing.json
      lusatia-ai solve last_round.json --horizon game --objective win --time 10
      lusatia-ai solve game.json --concept paranoid --seat 2 --json
    """
    from rich.console import Console

    from . import cli
    from .limits import Limit
    from .solver import solve

    state = cli.load_decision(position)
    console = Console(stderr=True)
    with console.status("solving; Ctrl-C shows what is known so far") if console.is_terminal else nullcontext():
        solution = solve(
            cli._known(state, hands) if hands == "hidden" else state,
            objective=objective,
            concept=concept,
            horizon=horizon,
            limit=Limit(time=SOLVING_TIME if time is None and nodes is None else time, iterations=nodes),
            ties=ties,
            seat=seat,
            worlds=worlds,
            seed=seed,
        )
    if as_json:
        cli.write_json(solution_json(solution))
    else:
        _print_solution(solution, state.to_json(), f"{OBJECTIVES[objective]} {HORIZONS[horizon]}", top)
    if solution.interrupted:
        sys.exit(cli.INTERRUPTED)


def solution_json(solution: Solution) -> dict[str, Any]:
    """A solution as plain data; unbounded ends of bounds are null."""
    return {
        "seat": solution.seat,
        "status": solution.status,
        "values": _finite(solution.values),
        "bounds": [_finite(pair) for pair in solution.bounds],
        "favour": _finite(solution.favour),
        "best": [move.text for move in solution.best],
        "moves": [
            {
                "move": entry.move.text,
                "values": _finite(entry.values),
                "bounds": [_finite(pair) for pair in entry.bounds],
                "favour": _finite(entry.favour),
                "errors": _finite(entry.errors),
                "best_share": entry.best_share,
            }
            for entry in solution.moves
        ],
        "line": [{"seat": seat, "move": move.text} for seat, move in solution.line],
        "nodes": solution.nodes,
        "elapsed": round(solution.elapsed, 4),
        "worlds": solution.worlds,
        "interrupted": solution.interrupted,
    }


def _finite(values: Sequence[float | None]) -> list[float | None]:
    return [value if value is not None and isfinite(value) else None for value in values]


def _print_solution(solution: Solution, position: dict[str, Any], meaning: str, top: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from .cli import _print
    from .show import decision_sentence

    table = Table(box=None, pad_edge=False)
    table.add_column("move")
    for seat in range(len(solution.values)):
        table.add_column(f"seat {seat}", justify="right")
    best = {move.text for move in solution.best}
    order = sorted(solution.moves, key=lambda entry: entry.move.text not in best)
    for entry in order[:top]:
        style = "bold" if entry.move.text in best else ""
        table.add_row(entry.move.text, *(_cell(entry, solution.status, seat) for seat in _seats(solution)), style=style)
    parts: list[Any] = [Text(decision_sentence(position), style="bold"), "", f"{_status(solution)}: {meaning}", table]
    if solution.line:
        moves = " ".join(f"{seat}:{move.text}" for seat, move in solution.line)
        parts += ["", f"play goes on: {moves}"]
    parts += ["", Text(f"{solution.nodes:,} positions in {solution.elapsed:.2f} s", style="dim")]
    _print(*parts)


def _seats(solution: Solution) -> range:
    return range(len(solution.values))


def _status(solution: Solution) -> str:
    if solution.status == "sampled":
        return f"sampled, the mean of {solution.worlds} worlds"
    return "bounds only, stopped early" if solution.status == "bound" else "exact"


def _cell(entry: MoveValue, status: str, seat: int) -> str:
    value, (low, high) = entry.values[seat], entry.bounds[seat]
    if value is None:
        return ""
    if status == "bound" and low != high:
        return f"{low:g} to {high:g}"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{text} ± {entry.errors[seat]:.2f}" if entry.errors else text
