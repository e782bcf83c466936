"""The command line `lusatia-ai`: it parses what is asked for and prints what the library answers.

Errors go to standard error as one message with exit code 2; Ctrl-C exits with 130. Whatever is slow to import is
imported by the command that needs it.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time as time_module
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
from click.core import ParameterSource

from . import __version__
from .cli_solve import solve_command
from .errors import FaultsError, LusatiaError, NotationError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from .components import ComponentSet
    from .limits import Limit
    from .observation import View
    from .perft import Bench
    from .play import Bot, Match
    from .search import SearchResult
    from .state import State

Command = TypeVar("Command", bound=Callable[..., Any])

BAD_INPUT = 2
INTERRUPTED = 130
LEAST_SECONDS = 0.05  # that a hint searches, however long the start has taken
CLOSING_SECONDS = 0.05  # for printing and ending

_IMPORTED = time_module.perf_counter()


# --- errors -----------------------------------------------------------------------------------------


class InputError(click.ClickException):
    """Something is wrong with what was given; the message says what, and what is allowed."""

    exit_code = BAD_INPUT


class Commands(click.Group):
    """A group of commands that reports every failure as this module promises."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except BrokenPipeError:
            _give_up_stdout()
        except click.Abort as abort:
            if isinstance(abort.__cause__, KeyboardInterrupt):
                sys.exit(INTERRUPTED)
            _fail("the input has ended")
        except click.ClickException as error:
            _fail(_click_message(error))
        except LusatiaError as error:
            _fail(str(error))
        except OSError as error:
            _fail(f"{error.filename or 'input or output'}: {error.strerror or error}")
        sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
    sys.exit(BAD_INPUT)


def _click_message(error: click.ClickException) -> str:
    message = error.format_message()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{message.rstrip('.')} (see {error.ctx.command_path} --help)"
    return message


def _give_up_stdout() -> NoReturn:
    """Leave quietly when nobody reads the output any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)


# --- reading and writing ----------------------------------------------------------------------------


def read_bytes(path: str) -> bytes:
    """The content of a file, or of standard input for `-`."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"cannot read {path}: {reason}; allowed: a file, or - for standard input") from None


def load(path: str) -> State | View:
    """A position or a view, or the last position of a record."""
    from .observation import View
    from .position import parse_json
    from .state import State

    raw = read_bytes(path)
    try:
        data = parse_json(raw)
        if isinstance(data, Mapping) and data.get("format") == "lusatia-record":
            from .record import Record

            return Record.from_json(data, strict=True).state()
        if isinstance(data, Mapping) and "view" in data:
            return View.from_json(data)
        return State.from_json(data, chance="manual")
    except LusatiaError as error:
        raise InputError(f"{_source(path)}: {error}") from None


def load_full(path: str) -> State:
    """A position that hides nothing."""
    from .state import State

    state = load(path)
    if isinstance(state, State):
        return state
    raise InputError(
        f"{_source(path)} is the view of seat {state.seat}; allowed: a full position, without hidden hands"
    )


def load_decision(path: str) -> State | View:
    """A position or view in which a seat is to decide."""
    state = load(path)
    if state.is_over:
        raise InputError(f"{_source(path)}: the game is over, there is nothing to decide")
    if state.is_chance:
        draw = f"lusatia-ai apply {path} --draw"
        raise InputError(f"{_source(path)} waits for chance, not for a decision; draw it with: {draw}")
    return state


def load_components(path: str | None) -> ComponentSet:
    """A component set from a TOML file, by default the shipped one."""
    from .components import ComponentSet, complete_edition

    if path is None:
        return complete_edition()
    try:
        text = read_bytes(path).decode("utf-8")
        return ComponentSet.from_toml(text)
    except UnicodeDecodeError as error:
        raise InputError(f"{_source(path)}: no UTF-8 at byte {error.start}; allowed: a TOML file in UTF-8") from None
    except FaultsError as error:
        raise InputError(f"{_source(path)}: {error}") from None


def _source(path: str) -> str:
    return "standard input" if path == "-" else path


def write(text: str, output: str | None) -> None:
    """Write to a file, or to standard output."""
    if output is None or output == "-":
        click.echo(text, nl=False)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror or error}") from None


def write_json(data: object) -> None:
    """JSON on standard output."""
    click.echo(json.dumps(data, indent=2))


def _console() -> Console:
    from .show import console_for

    return console_for(sys.stdout)


def _print(*parts: RenderableType) -> None:
    """Print renderables; plain text without trailing blanks where no terminal reads it."""
    console = _console()
    if console.is_terminal:
        console.print(*parts, sep="\n")
        return
    with console.capture() as capture:
        console.print(*parts, sep="\n")
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))


# --- options that several commands share ------------------------------------------------------------

_VARIANT_OPTIONS = (
    click.option("--humans", type=click.IntRange(2, 6), default=4, show_default=True, help="Players who decide."),
    click.option("--automas", type=click.IntRange(0, 4), default=0, show_default=True, help="Automa opponents."),
    click.option("--easy", is_flag=True, help="The easy game, without companions."),
    click.option("--must-contribute", is_flag=True, help="Who chooses a row must store a piece of their own in it."),
    click.option("--score-automas", is_flag=True, help="Automas keep a score, for show."),
    click.option(
        "--sides",
        default="light",
        show_default=True,
        metavar="SIDES",
        help="Sides of the town tiles: light, dark, mixed (at random), or zittau=dark,lauban=dark,...",
    ),
    click.option("--seed", type=click.IntRange(min=0), help="Makes all that is random repeatable."),
    click.option("--components", metavar="FILE", help="A component set as a TOML file; by default the shipped one."),
)


def _variant_options(command: Command) -> Command:
    for option in reversed(_VARIANT_OPTIONS):
        command = option(command)
    return command


def _limit_options(command: Command) -> Command:
    time = click.option(
        "--time",
        type=float,
        metavar="SECONDS",
        help="Time for a search; for a hint, of the whole command.  [default: 1 second of search]",
    )
    iterations = click.option("--iterations", type=int, metavar="N", help="Simulated games for a search.")
    return time(iterations(command))


_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_output_option = click.option("-o", "--output", metavar="FILE", help="Write there instead of to standard output.")
_position_argument = click.argument("position", metavar="POSITION")


def new_game(options: Mapping[str, Any], manual: bool) -> State:
    """A new game with the variant options of the command line."""
    from .rules import Variant
    from .state import State

    components = load_components(options["components"])
    variant = Variant(
        humans=options["humans"],
        automas=options["automas"],
        easy=options["easy"],
        chooser_must_contribute=options["must_contribute"],
        score_automas=options["score_automas"],
        sides=_sides(options["sides"], [town.id for town in components.towns], options["seed"]),
    )
    return State.new(variant, components=components, seed=options["seed"], chance="manual" if manual else "auto")


def _sides(text: str, towns: list[str], seed: int | None) -> str | dict[str, str]:
    """What `--sides` says."""
    if text in ("light", "dark"):
        return text
    if text == "mixed":
        chooser = random.Random(seed)
        return {town: chooser.choice(("light", "dark")) for town in sorted(towns)}
    sides = {}
    for part in text.split(","):
        town, _, side = (word.strip() for word in part.partition("="))
        if town not in towns or side not in ("light", "dark"):
            allowed = f"light, dark, mixed, or TOWN=light|dark,... with the towns {', '.join(towns)}"
            raise click.UsageError(f"Invalid value for '--sides': found {part!r}; allowed: {allowed}")
        sides[town] = side
    return sides


def _limit(time: float | None, iterations: int | None) -> Limit:
    from .limits import Limit
    from .search import DEFAULT_TIME

    return Limit(time=DEFAULT_TIME if time is None and iterations is None else time, iterations=iterations)


def _left_of(limit: Limit) -> Limit:
    """The limit, less the time that this process has taken to start and will take to print and end."""
    from .limits import Limit

    if limit.time is None:
        return limit
    left = limit.time - _seconds_running() - CLOSING_SECONDS
    return Limit(time=max(left, min(limit.time, LEAST_SECONDS)), iterations=limit.iterations)


def _seconds_running() -> float:
    """How long this process has been running, the start of Python included where the system tells it."""
    since_import = time_module.perf_counter() - _IMPORTED
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return time_module.clock_gettime(time_module.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return since_import


def _hands_option(default: str, help: str) -> Callable[[Command], Command]:
    return click.option(
        "--hands", type=click.Choice(["hidden", "known"]), default=default, show_default=True, help=help
    )


# --- commands ---------------------------------------------------------------------------------------


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="lusatia-ai")
@click.pass_context
def main(ctx: click.Context) -> None:
    """AI opponents, hints and analysis for the board game League of Six: Complete Edition.

    A POSITION is a JSON file, or - for standard input; a record stands for its last position.

    \b
    Examples:
      lusatia-ai play --humans 4
      lusatia-ai new --humans 2 --automas 1 --seed 7 -o game.json
      lusatia-ai show game.json
      lusatia-ai hint game.json --time 2
      lusatia-ai apply game.json go:zittau:0 | lusatia-ai show -
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a question mark
    _help_if_alone(ctx)


def _help_if_alone(ctx: click.Context) -> None:
    """What a group prints if no command of it is named."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


main.add_command(solve_command)


@main.command()
@_variant_options
@click.option("--manual", is_flag=True, help="Draw nothing: wait for the set-up as the first chance event.")
@_output_option
def new(manual: bool, output: str | None, **options: Any) -> None:
    """Set up a new game and write its position.

    \b
    Examples:
      lusatia-ai new --humans 4 --seed 7 -o game.json
      lusatia-ai new --humans 2 --automas 1 --sides mixed | lusatia-ai show -
    """
    from .show import position_text

    write(position_text(new_game(options, manual).to_json()), output)


@main.command()
@_position_argument
@click.option("--seat", type=int, help="Show what this seat may see.")
@_hands_option("hidden", "With --seat: whether the other players' hands are hidden.")
@_json_option
def show(position: str, seat: int | None, hands: str, as_json: bool) -> None:
    """Show the table.

    \b
    Examples:
      lusatia-ai show game.json
      lusatia-ai show game.json --seat 1
      lusatia-ai show game.json --seat 1 --json > view.json
    """
    from .show import board, position_text

    data = load(position).to_json() if seat is None else _view(load_full(position), seat, hands).to_json()
    if as_json:
        write(position_text(data), None)
    else:
        _print(board(data, width=_console().width))


def _view(state: State, seat: int, hands: str) -> View:
    humans = state.variant.humans
    if not 0 <= seat < humans:
        raise click.UsageError(f"Invalid value for '--seat': found {seat}; allowed: a human seat, 0 to {humans - 1}")
    return state.view(seat, "known" if hands == "known" else "hidden")


@main.command()
@_position_argument
@_json_option
def moves(position: str, as_json: bool) -> None:
    """List all legal moves.

    \b
    Example:
      lusatia-ai moves game.json
    """
    state = load_decision(position)
    try:
        legal = [move.text for move in state.legal_moves()]
    except LusatiaError:
        raise
    except ValueError as error:  # a view that hides what they depend on
        raise InputError(f"{_source(position)}: {error}") from None
    if as_json:
        write_json(legal)
        return
    from .show import moves_table

    _print(moves_table(state.to_json(), legal))


@main.command()
@_position_argument
@click.argument("events", metavar="MOVE...", nargs=-1)
@click.option("--draw", is_flag=True, help="Draw chance wherever it is waited for.")
@click.option("--seed", type=click.IntRange(min=0), help="Draw chance with this seed.")
@_output_option
def apply(position: str, events: tuple[str, ...], draw: bool, seed: int | None, output: str | None) -> None:
    """Carry out moves, and write the position that results.

    A MOVE is spelled as `moves` prints it; at a chance event it is a chance object in JSON. Without --draw or --seed
    the game stops where chance is to be drawn.

    \b
    Examples:
      lusatia-ai apply game.json go:zittau:0
      lusatia-ai apply examples/positions/storing.json row:estate:2 row:royal:1
      lusatia-ai apply game.json --draw --seed 3 -o next.json
    """
    from .show import position_text

    if not events and not draw and seed is None:
        raise click.UsageError("Missing argument 'MOVE...': give moves, chance objects in JSON, or --draw")
    state = load_full(position)
    _apply_all(state, events, _drawer(seed) if draw or seed is not None else None)
    write(position_text(state.to_json()), output)


def _drawer(seed: int | None) -> Callable[[State], None]:
    """What draws all chance that a state waits for."""
    import numpy as np

    rng = np.random.default_rng(seed)

    def draw(state: State) -> None:
        while state.is_chance:
            state.apply(state.sample_chance(rng))

    return draw


def _apply_all(state: State, events: tuple[str, ...], draw: Callable[[State], None] | None) -> None:
    for number, text in enumerate(events, start=1):
        try:
            event = _event(text)
            if draw and isinstance(event, str):
                draw(state)
            state.apply(event)
        except LusatiaError as error:
            place = f"move {number}: " if len(events) > 1 else ""
            advice = "; draw it with --draw, or give what happened as a chance object" if state.is_chance else ""
            raise InputError(f"{place}{error}{advice}") from None
    if draw:
        draw(state)


def _event(text: str) -> str | Mapping[str, Any]:
    """A move, or a chance object."""
    if not text.lstrip().startswith("{"):
        return text
    from .position import parse_json

    try:
        event: Mapping[str, Any] = parse_json(text, "chance object")
    except FaultsError as error:
        raise NotationError(f"bad chance object: {error.faults[0]}") from None
    return event


@main.command()
@_position_argument
@_limit_options
@click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="How many moves to show.")
@click.option("--seed", type=click.IntRange(min=0), help="Makes a search by --iterations repeatable.")
@click.option("--seat", type=int, help="Insist that this seat is the one to decide.")
@_hands_option("known", "Whether the other players' hands in a full POSITION may be used.")
@_json_option
def hint(
    position: str,
    time: float | None,
    iterations: int | None,
    top: int,
    seed: int | None,
    seat: int | None,
    hands: str,
    as_json: bool,
) -> None:
    """Search for the best move, rank the moves, and say why.

    POSITION is a full position, or the view of one seat. "wins" is the share of simulated games that the deciding
    seat wins, "favour" its mean final favour.

    \b
    Examples:
      lusatia-ai hint game.json
      lusatia-ai hint game.json --time 5 --top 10
      lusatia-ai hint view.json --iterations 20000 --seed 1 --json
    """
    limit = _limit(time, iterations)
    state = load_decision(position)
    decider = state.seat_to_act
    if seat is not None and seat != decider:
        raise click.UsageError(
            f"Invalid value for '--seat': found {seat}; allowed: {decider}, the seat that is to decide"
        )
    from . import hints, show  # noqa: F401  (imported now, since the time limit includes it)

    result = _search(_known(state, hands), limit if time is None else _left_of(limit), seed)
    if as_json:
        write_json(_hint_json(result, _known(state, hands), top))
    else:
        _print_hint(result, _known(state, hands), state.to_json(), top)
    if result.interrupted:
        sys.exit(INTERRUPTED)


def _known(state: State | View, hands: str) -> View:
    from .state import State

    return state.view(hands="known" if hands == "known" else "hidden") if isinstance(state, State) else state


def _search(view: View, limit: Limit, seed: int | None) -> SearchResult:
    """Search, with a sign of life on a terminal."""
    from .search import search

    if not sys.stderr.isatty():
        return search(view, limit, seed=seed)
    from rich.console import Console

    with Console(stderr=True).status("Searching") as status:
        return search(
            view, limit, seed=seed, on_progress=lambda now: status.update(f"Searching: {now.iterations:,} games")
        )


def _hint_json(result: SearchResult, view: View, top: int) -> dict[str, Any]:
    from .assessment import PositionAnalysis
    from .hints import explain

    analysis = PositionAnalysis.of_search(result)
    hint = explain(analysis, view)
    pairs = list(zip(result.moves, analysis.moves, strict=True))[:top]
    return analysis.to_json() | {
        "elapsed": round(result.elapsed, 4),
        "interrupted": result.interrupted,
        "exact": result.exact,
        "hint": {"sureness": hint.sureness, "sentences": list(hint.sentences)},
        "moves": [
            judged.to_json() | {"visits": entry.visits, "availability": entry.availability} for entry, judged in pairs
        ],
    }


def _print_hint(result: SearchResult, view: View, position: Mapping[str, Any], top: int) -> None:
    from rich.text import Text

    from .hints import explain
    from .show import decision_sentence, hint_table

    speed = f"{result.iterations:,} games in {result.elapsed:.2f} s ({result.iterations_per_second:,.0f} a second)"
    end = Text(speed + ", interrupted" * result.interrupted, style="dim")
    why = [Text(sentence) for sentence in explain(result, view).sentences]
    _print(Text(decision_sentence(position), style="bold"), "", hint_table(result, position, top), "", *why, "", end)


@main.command()
@click.argument("file", metavar="[FILE]", required=False)
@_variant_options
@click.option(
    "--seat",
    "seats",
    type=int,
    multiple=True,
    help="A seat that a person plays; repeat it.  [default: those with a name in a saved game, or 0]",
)
@click.option("--name", "names", multiple=True, help="The name of that person; repeat it in the same order.")
@click.option(
    "--bots",
    metavar="BOT,...",
    help="Who plays the other seats, in turn: level1 to level10, greedy, ..., as for arena.  [default: ismcts]",
)
@_limit_options
@_hands_option("hidden", "Whether you and the bots see the hands of others.")
def play(
    file: str | None,
    seats: tuple[int, ...],
    names: tuple[str, ...],
    bots: str | None,
    time: float | None,
    iterations: int | None,
    hands: str,
    **options: Any,
) -> None:
    """Play in the terminal, alone or with others at the same device, against bots.

    FILE is a saved game or any position to go on from; without it a new game begins. Type help in the game.

    \b
    Examples:
      lusatia-ai play
      lusatia-ai play --humans 3 --seat 0 --name Ann --seat 2 --name Bob --time 0.5
      lusatia-ai play --bots level5,level3,greedy
      lusatia-ai play saved.json
    """
    import numpy as np

    from .play import Game
    from .search import search

    with suppress(ImportError):
        import readline  # noqa: F401 - lets people edit their lines
    limit = _limit(time, iterations)
    match = _match_from(file, options)
    seats = seats or match.named_persons() or (0,)
    _check_persons(match, seats, names)
    console = _console()
    if file is not None:
        console.print(f"Played by persons: {_persons_words(match, seats)}. Other seats are taken with --seat.")
    with _bots(bots, seats, limit, options["seed"]) as others:
        console.print("Type help to see what you can do.", style="dim")
        Game(
            match=match,
            persons=frozenset(seats),
            console=console,
            ask=input,
            seek=lambda view: search(view, limit),
            bots=others,
            hands="known" if hands == "known" else "hidden",
            rng=np.random.default_rng(options["seed"]),
        ).run()


@contextmanager
def _bots(specs: str | None, persons: tuple[int, ...], limit: Limit, seed: int | None) -> Iterator[dict[int, Bot]]:
    """The bots of a list of specifications, for the seats of no person one after the other."""
    import numpy as np

    from .players import close_player, make_player, split_specs

    chosen = split_specs(specs) if specs is not None else []
    seats = [seat for seat in range(6) if seat not in persons] if chosen else []
    seeds = np.random.SeedSequence(seed).spawn(6)
    with ExitStack() as stack:
        others: dict[int, Bot] = {}
        for index, seat in enumerate(seats):
            player = make_player(chosen[index % len(chosen)], seeds[seat])
            stack.callback(close_player, player)
            others[seat] = partial(player.choose, limit=limit)
        yield others


def _match_from(file: str | None, options: Mapping[str, Any]) -> Match:
    from .play import Match

    if file is None:
        return Match(new_game(options, manual=True))
    source = click.get_current_context().get_parameter_source
    given = [name for name in options if name != "seed" and source(name) == ParameterSource.COMMANDLINE]
    if given:
        option = f"--{given[0].replace('_', '-')}"
        raise click.UsageError(f"'{option}' is for a new game only: the saved game {file} has its own rules")
    try:
        return Match.load(file)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}; allowed: a saved game") from None
    except LusatiaError as error:
        raise InputError(f"{file}: {error}") from None


def _persons_words(match: Match, seats: tuple[int, ...]) -> str:
    from .show import player_name

    position = match.state.to_json()
    names = {seat: player_name(position, seat, match.names) for seat in seats}
    return ", ".join(name if name == f"seat {seat}" else f"{name} (seat {seat})" for seat, name in names.items())


def _check_persons(match: Match, seats: tuple[int, ...], names: tuple[str, ...]) -> None:
    """Seats and names must fit the game; the names are given to the players."""
    from .show import player_name

    humans = match.state.variant.humans
    for seat in seats:
        if not 0 <= seat < humans:
            raise click.UsageError(f"Invalid value for '--seat': found {seat}; allowed: 0 to {humans - 1}")
    if len(names) > len(seats):
        raise click.UsageError(f"Invalid value for '--name': found {len(names)} names; allowed: one for each --seat")
    if names:
        position = match.state.to_json()
        match.names = [player_name(position, player, match.names) for player in range(len(position["players"]))]
        for seat, name in zip(seats, names, strict=False):
            match.names[seat] = name


@main.command()
@_position_argument
@click.argument("depth", metavar="DEPTH", type=click.IntRange(0, 20))
@click.option("--divide", is_flag=True, help="Count for each first move.")
@_json_option
def perft(position: str, depth: int, divide: bool, as_json: bool) -> None:
    """Count the sequences of DEPTH decisions, a test of the forward model.

    \b
    Examples:
      lusatia-ai perft game.json 4
      lusatia-ai perft game.json 3 --divide
    """
    from .perft import perft as count
    from .perft import perft_divide
    from .state import State

    if divide and depth == 0:
        raise click.UsageError("Invalid value for 'DEPTH': found 0; allowed with --divide: 1 to 20")
    state = load_decision(position)
    if not isinstance(state, State):
        state = load_full(position)
    counts = perft_divide(state, depth) if divide else {}
    total = sum(counts.values()) if divide else count(state, depth)
    if as_json:
        write_json({"depth": depth, "count": total} | ({"moves": counts} if divide else {}))
        return
    for move, number in counts.items():
        click.echo(f"{move}: {number}")
    click.echo(str(total))


@main.command()
@click.option("--playouts", type=click.IntRange(min=1), default=5_000, show_default=True, help="Timed games a variant.")
@_json_option
def bench(playouts: int, as_json: bool) -> None:
    """Measure the forward model, and print the signature that tells whether any rule has changed.

    \b
    Example:
      lusatia-ai bench
    """
    from .perft import bench as run

    with _working("Playing games"):
        result = run(playouts)
    if as_json:
        write_json(_bench_json(result))
    else:
        _print_bench(result)


@contextmanager
def _working(doing: str) -> Iterator[None]:
    """A sign of life on a terminal while something takes long."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(doing):
        yield


def _bench_json(result: Bench) -> dict[str, Any]:
    rows = [asdict(row) for row in result.rows]
    for entry, row in zip(rows, result.rows, strict=True):
        entry |= {"variant": row.variant.to_json(), "signature": f"{row.signature:016x}"}
    return {
        "signature": result.signature,
        "decisions": result.decisions,
        "seconds": result.seconds,
        "rows": rows,
    }


def _print_bench(result: Bench) -> None:
    from .show import bench_table

    speed = result.decisions / result.seconds if result.seconds else 0
    end = f"signature  {result.signature}\nspeed      {speed:,.0f} random decisions a second"
    _print(bench_table(result), "", end)


@main.group(cls=Commands, invoke_without_command=True)
@click.pass_context
def components(ctx: click.Context) -> None:
    """Check and show component sets: what is printed on tiles, tokens and cards.

    \b
    Examples:
      lusatia-ai components show
      lusatia-ai components check my_edition.toml
    """
    _help_if_alone(ctx)


@components.command()
@click.argument("file", metavar="FILE")
@_json_option
def check(file: str, as_json: bool) -> None:
    """Check a component set, and report all its faults.

    \b
    Example:
      lusatia-ai components check my_edition.toml
    """
    found = load_components(file)
    counts = {
        "towns": len(found.towns),
        "tokens": len(found.tokens),
        "easy_tokens": len(found.easy_tokens),
        "companions": len(found.companions),
        "warehouse_tiles": len(found.warehouse_tiles),
        "automa_cards": len(found.automa_cards),
    }
    if as_json:
        write_json({"name": found.name, "version": found.version, "counts": counts})
        return
    pieces = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items())
    click.echo(f"{_source(file)}: {found.name}, version {found.version}, is sound: {pieces}")


@components.command("show")
@click.argument("file", metavar="[FILE]", required=False)
@_json_option
def show_components(file: str | None, as_json: bool) -> None:
    """Show a component set, by default the shipped one, and where each of its values comes from.

    \b
    Examples:
      lusatia-ai components show
      lusatia-ai components show my_edition.toml --json
    """
    found = load_components(file)
    if as_json:
        write_json(found.to_dict())
        return
    from .show import components_tables

    _print(components_tables(found))


from .cli_arena import arena  # noqa: E402 - it uses what stands above
from .cli_engine import engine  # noqa: E402
from .cli_review import review  # noqa: E402

main.add_command(arena)
main.add_command(engine)
main.add_command(review)

if __name__ == "__main__":
    main()
