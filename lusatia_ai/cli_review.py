"""The command `lusatia-ai review`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .cli import (
    INTERRUPTED,
    InputError,
    _hands_option,
    _print,
    _source,
    read_bytes,
    write,
    write_json,
)
from .errors import FaultsError, RecordError

if TYPE_CHECKING:
    from .game_review import GameReview
    from .limits import Limit
    from .record import Record

_MARKS = (("inaccuracy", 2.0), ("mistake", 5.0), ("blunder", 10.0))


def _threshold_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for name, default in reversed(_MARKS):
        help = f"Win share, in per cent, from which a loss is marked as {name}."
        command = click.option(f"--{name}", type=float, default=default, show_default=True, help=help)(command)
    return command


@click.command()
@click.argument("record", metavar="RECORD")
@click.option("--html", "page", metavar="FILE", help="Write a page with plot, tables and boards.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--seat", "seats", type=int, multiple=True, help="Only decisions of this seat; repeat it.")
@click.option("--time", type=float, metavar="SECONDS", help="Time for each decision.")
@click.option("--iterations", type=int, metavar="N", help="Simulated games for each decision.  [default: 4000]")
@click.option("--deepen", is_flag=True, help="Look again, with 8 times the effort, at decisions that get a mark.")
@click.option("--resume", metavar="FILE", help="Keep what is done in this file, and go on from what is in it.")
@click.option("--luck/--no-luck", default=True, show_default=True, help="Measure the luck of chance events.")
@click.option("--top", type=click.IntRange(min=0), default=10, show_default=True, help="Marked decisions to list.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of everything random.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes; -1 is one for each processor.")
@_hands_option("known", "Whether the deciding seat is taken to know the other players' hands.")
@_threshold_options
def review(
    record: str,
    page: str | None,
    as_json: bool,
    seats: tuple[int, ...],
    time: float | None,
    iterations: int | None,
    deepen: bool,
    resume: str | None,
    luck: bool,
    top: int,
    seed: int,
    jobs: int,
    hands: str,
    **shares: float,
) -> None:
    """Review a game: what each decision lost, and what chance did.

    RECORD is a saved game. Ctrl-C stops the review; what is done is shown, and with --resume it is kept.

    \b
    Examples:
      lusatia-ai review saved.json
      lusatia-ai review saved.json --seat 0 --deepen --html review.html
      lusatia-ai review saved.json --time 1 --resume saved.notes --json > review.json
    """
    from . import report
    from .game_review import Thresholds
    from .game_review import review as run

    if jobs == 0:
        raise click.UsageError("Invalid value for '--jobs': found 0; allowed: 1 or more, or -1")
    game = _record(record)
    thresholds = Thresholds(*(shares[name] / 100 for name, _ in _MARKS))
    with _progress() as on_progress:
        found = run(
            game, _limit(time, iterations), seats=seats or None, seed=seed, thresholds=thresholds, luck=luck,
            hands="known" if hands == "known" else "hidden", deepen=deepen, n_jobs=jobs, resume=resume,
            on_progress=on_progress,
        )  # fmt: skip
    if page is not None:
        write(report.html(found, game), page)
    if as_json:
        write_json(report.as_json(found, game))
    elif page != "-":
        _print(report.text(found, game, top))
    _end(found, page, resume)


def _record(path: str) -> Record:
    from .record import Record

    try:
        return Record.from_json(read_bytes(path), strict=True)
    except FaultsError as error:
        wrong_kind = [fault for fault in error.faults if fault.place == "format"]
        raise InputError(f"{_source(path)}: {RecordError(wrong_kind or error.faults)}") from None


def _limit(time: float | None, iterations: int | None) -> Limit | None:
    from .limits import Limit

    return None if time is None and iterations is None else Limit(time=time, iterations=iterations)


def _end(found: GameReview, page: str | None, resume: str | None) -> None:
    if page not in (None, "-"):
        click.echo(f"The page is in {page}.", err=True)
    if not found.complete:
        advice = f"go on with --resume {resume}" if resume else "with --resume FILE it would go on from here"
        click.echo(f"Interrupted, {found.pending} events left; {advice}.", err=True)
        sys.exit(INTERRUPTED)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Reviewing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reviewing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
