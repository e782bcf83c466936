"""The command `lusatia-ai arena`: a match between bots, told as it goes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.table import Table

    from .arena import MatchResult, OnGame
    from .components import ComponentSet
    from .limits import Limit
    from .rules import Variant
    from .standings import Estimate, Standing

SHORT_NAME = 12
"""Longer names of bots may be broken."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@click.command()
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@click.option("--games", type=click.IntRange(min=1), default=100, show_default=True, help="How many, at least.")
@click.option(
    "--lineup",
    "lineups",
    metavar="A,B,B,B",
    multiple=True,
    help="Who shares a table: a letter for each seat, A for the first BOT; repeat it.  [default: every choice]",
)
@click.option("--players", type=click.IntRange(2, 6), help="Seats.  [default: as the line-up, as BOTs if 3 to 6, or 4]")
@click.option("--automas", type=click.IntRange(0, 4), default=0, show_default=True, help="Automa opponents as well.")
@click.option("--easy", is_flag=True, help="The easy game, without companions.")
@click.option("--must-contribute", is_flag=True, help="Who chooses a row must store a piece of their own in it.")
@click.option("--sides", default="light", show_default=True, metavar="SIDES", help="As for lusatia-ai new.")
@click.option("--components", metavar="FILE", help="A component set as a TOML file; by default the shipped one.")
@click.option("--time", type=float, metavar="SECONDS", help="Time for a decision.")
@click.option("--iterations", type=int, metavar="N", help="Simulated games for a decision.")
@click.option(
    "--hands",
    type=click.Choice(["known", "hidden"]),
    default="known",
    show_default=True,
    help="Whether bots know the hands of others, as whoever has watched the game.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all that is random.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Games at a time; -1 for one a core.")
@click.option("-o", "--out", metavar="FILE", help="Add each game to this file, or go on with the match in it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def arena(
    bots: tuple[str, ...],
    games: int,
    lineups: tuple[str, ...],
    time: float | None,
    iterations: int | None,
    hands: str,
    seed: int,
    jobs: int,
    out: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Let bots play a match against each other.

    Each line-up is played in all seatings, and all rotations of the seats get the same draws. Without --time and
    --iterations levels think as far as they go, and the search itself for a second. The same seed gives the same games,
    however many jobs, as long as no time is limited. Ctrl-C ends a match early and shows how it stands.

    \b
    A BOT is one of these; NAME=BOT gives it a name:
      random                    any legal move
      greedy                    rules of thumb
      automa                    in the way of an automa
      ismcts                    the search, as strong as it gets
      level5, ismcts:5          the search at a level from 1 to 10
      ismcts:KEY=VALUE,...      level, style, time, iterations, or a parameter of the search
      PACKAGE.MODULE:FACTORY    a Python callable that makes a player from a seed
      cmd:COMMAND               a program that answers JSON lines

    "wins" is the share of games that a bot wins, all its seats together, with its 95 % interval; "even" is the share
    that equal bots would win. "lead" is the favour above the best other seat, "place" the mean place, and "ms" the mean
    time of a decision. Ratings are Plackett-Luce, in Elo points.

    \b
    Examples:
      lusatia-ai arena level3 greedy automa random --games 200 --out match.jsonl
      lusatia-ai arena ismcts greedy --lineup A,B,B,B --time 0.1 --jobs 2
      lusatia-ai arena level5 level4 --lineup A,A,B,B --games 300
      lusatia-ai arena new=ismcts:iterations=500 'old=cmd:python old_bot.py' --players 3 --hands hidden
    """
    from .arena import named_bots, run_match
    from .cli import INTERRUPTED, write_json

    named = named_bots(bots)
    tables = [_lineup(text, list(named)) for text in lineups]
    variant, components = _game(options, seats=len(tables[0]) if tables else len(named), seed=seed)
    with _progress() as on_game:
        result = run_match(
            named,
            lineups=tables or None,
            games=games,
            variant=variant,
            components=components,
            limit=_limit(time, iterations),
            seed=seed,
            hands="known" if hands == "known" else "hidden",
            jobs=jobs,
            out=out,
            on_game=on_game,
        )
    ratings = _ratings(result)
    if as_json:
        write_json(_result_json(result, ratings))
    else:
        _print_result(result, ratings)
    if result.interrupted:
        sys.exit(INTERRUPTED)


# --- what is asked for ------------------------------------------------------------------------------


def _lineup(text: str, names: list[str]) -> tuple[str, ...]:
    """The names that the letters of a line-up mean."""
    letters = dict(zip(LETTERS, names, strict=False))
    lineup = [word.strip() for word in text.split(",")]
    for word in lineup:
        if word not in letters:
            meant = ", ".join(f"{letter} ({name})" for letter, name in letters.items())
            raise click.UsageError(f"Invalid value for '--lineup': found {word!r}; allowed: {meant}, between commas")
    return tuple(letters[word] for word in lineup)


def _game(options: dict[str, Any], seats: int, seed: int) -> tuple[Variant, ComponentSet]:
    """Variant and components of the match; `seats` are played if nothing is said of them."""
    from .cli import new_game

    if options["players"] is None:
        fits = seats >= 2 and 3 <= seats + options["automas"] <= 6
        options["players"] = seats if fits else 4
    given = options | {"humans": options["players"], "score_automas": False, "seed": seed}
    state = new_game(given, manual=True)
    return state.variant, state.components


def _limit(time: float | None, iterations: int | None) -> Limit | None:
    from .limits import Limit

    return None if time is None and iterations is None else Limit(time=time, iterations=iterations)


@contextmanager
def _progress() -> Iterator[OnGame | None]:
    """A bar with the time left, where a terminal shows it; what it yields is to be called after each game."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    words, left = TextColumn("{task.description}"), TextColumn("time left")
    columns = (words, BarColumn(), MofNCompleteColumn(), left, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Playing", total=None)
        yield lambda game, played, planned: progress.update(task, completed=played, total=planned)


# --- what is told -----------------------------------------------------------------------------------


def _ratings(result: MatchResult) -> dict[str, Estimate]:
    """Ratings, if there are games and the library for them."""
    if not result.games:
        return {}
    from .errors import LusatiaError

    try:
        return dict(result.ratings)
    except LusatiaError as error:
        click.echo(f"Note: {error}", err=True)
        return {}


def _result_json(result: MatchResult, ratings: dict[str, Estimate]) -> dict[str, Any]:
    return {
        "match": result.match.header(),
        "games": len(result.games),
        "planned": result.planned,
        "interrupted": result.interrupted,
        "standings": [_standing_json(row, ratings.get(row.name)) for row in result.standings],
    }


def _standing_json(row: Standing, rating: Estimate | None) -> dict[str, Any]:
    from .standings import Estimate

    entries = {entry.name: getattr(row, entry.name) for entry in fields(row)} | {"rating": rating}
    return {key: value._asdict() if isinstance(value, Estimate) else value for key, value in entries.items()}


def _print_result(result: MatchResult, ratings: dict[str, Estimate]) -> None:
    from rich.text import Text

    from .cli import _console, _print
    from .show import counted

    blocks = len({game.block for game in result.games})
    words = f"{len(result.games)} of {result.planned} games in {counted(blocks, 'block')}, seed {result.match.seed}"
    end = Text(words + ", interrupted" * result.interrupted, style="dim")
    if result.games:
        _print(_table(result.standings, ratings, _console().width), "", end)
    else:
        _print(end)


def _table(standings: Sequence[Standing], ratings: dict[str, Estimate], width: int) -> Table:
    from rich.table import Table
    from rich.text import Text

    from .show import ROOMY

    table = Table(box=None, pad_edge=False, padding=(0, 2 if width >= ROOMY else 1, 0, 0), header_style="dim")
    table.add_column("bot", overflow="fold", min_width=min(SHORT_NAME, max(len(row.name) for row in standings)))
    headings = ("games", "wins", "even", "favour", "lead", "place", *["rating"] * bool(ratings), "ms")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in standings:
        table.add_row(
            Text(row.name, style="bold"),
            f"{row.games:,}",
            _share(row.win_share),
            f"{row.even_share:.0%}",
            _spread(row.favour, ".1f"),
            _spread(row.margin, "+.1f"),
            f"{row.rank.value:.2f}",
            *([_spread(ratings[row.name], "+.0f")] if ratings else []),
            f"{1000 * row.seconds:.3g}",
        )
    return table


def _share(share: Estimate) -> str:
    """A share of wins with its interval in percent."""
    if share.low is None or share.high is None:
        return f"{share.value:.1%}"
    return f"{share.value:.1%} ({100 * share.low:.0f}-{100 * share.high:.0f})"


def _spread(estimate: Estimate, form: str) -> str:
    """A number with the half of its interval."""
    if estimate.high is None:
        return f"{estimate.value:{form}}"
    return f"{estimate.value:{form}}±{estimate.high - estimate.value:{form.lstrip('+')}}"
