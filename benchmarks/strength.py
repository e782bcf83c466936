"""How strong the players are: `python -m benchmarks.strength`, or some of its matches: `... greedy levels`.

Each match has its seeds, and appends its games to a file in `benchmarks/results/strength`, so that a stopped run goes
on where it was. `--table` writes the results so far into docs/strength.md. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

import lusatia_ai as la
from lusatia_ai.arena import Game, Hands, MatchResult, run_match
from lusatia_ai.players import LEVELS, STYLES
from lusatia_ai.standings import Standing, standings

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "strength"
PAGE = ROOT / "docs" / "strength.md"
SEED = 2026
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"

FIRST = "selection=ucb,exploration=0.7,playout=uniform,horizon=0,win=0.9,favour=0.1"
"""The parameters that make the search what its first version was: UCB1, random playouts to the end of the game."""

OPTIONS = {
    "new-tree": "keep_tree=false",
    "four-trees": "trees=4",
    "widening": "widening=2",
    "history": "history=0.1",
    "mast": "playout=mast",
    "paranoid": "backup=paranoid",
    "own": "backup=own",
    "two-rounds": "horizon=2",
    "rank": "win=0.4,favour=0.1,rank=0.5",
    "chance-nodes": "horizon=2,chance_nodes=all",
}
"""Changes of one option each, to say what it brings."""


@dataclass(frozen=True)
class Contest:
    """One match of A against B.

    Attributes:
        name: of the match and its file.
        group: what it belongs to, a word of the command line.
        a, b: specifications of players.
        lineup: who sits at the table, of four seats.
        games: at least so many.
        limit: for each decision; None leaves it to the players.
        hands: what the players see of each other.
        wanted: the win share that A must reach at least; None: none.
    """

    name: str
    group: str
    a: str
    b: str
    lineup: str = "ABBB"
    games: int = 200
    limit: la.Limit | None = None
    hands: Hands = "known"
    wanted: float | None = None

    @property
    def fair(self) -> float:
        """The win share of A if both were equally strong."""
        return self.lineup.count("A") / len(self.lineup)

    @property
    def file(self) -> Path:
        return RESULTS / f"{self.name}.jsonl"

    def play(self, jobs: int) -> MatchResult:
        """Play what is not on file yet."""
        with Progress(disable=not sys.stderr.isatty(), console=Console(stderr=True)) as progress:
            task = progress.add_task(self.name, total=self.games)
            return run_match(
                {"A": self.a, "B": self.b},
                lineup=tuple(self.lineup),
                games=self.games,
                limit=self.limit,
                hands=self.hands,
                seed=SEED,
                jobs=jobs,
                out=self.file,
                on_game=lambda _, done, total: progress.update(task, completed=done, total=total),
            )


def contests() -> Iterator[Contest]:
    """All matches, the quick ones first."""
    tenth = la.Limit(time=0.1)
    yield Contest("greedy-random", "greedy", "greedy", "random", wanted=0.95)
    yield Contest("search-greedy", "greedy", "ismcts", "greedy", limit=tenth, wanted=0.80)
    yield Contest("search-first", "first", "ismcts", f"ismcts:{FIRST}", limit=tenth, wanted=0.45)
    for few in (500, 1000, 2000, 4000, 8000):
        a, b = f"ismcts:iterations={2 * few}", f"ismcts:iterations={few}"
        yield Contest(f"iterations-{2 * few}-{few}", "iterations", a, b, "AABB", 200, wanted=0.5)
    so, limit = "ismcts:algorithm=so", la.Limit(iterations=1000)
    for other in ("determinized", "mo"):
        for hands in ("known", "hidden"):
            if (other, hands) != ("mo", "known"):  # the same search, see tests/test_search_options.py
                name = f"so-{other}-{hands}"
                yield Contest(name, "algorithms", so, f"ismcts:algorithm={other}", "AABB", 200, limit, hands)
    for name, options in OPTIONS.items():
        a = f"ismcts:{options}"
        yield Contest(f"option-{name}", "options", a, "ismcts", "AABB", 100, la.Limit(iterations=200))
    for style in STYLES:
        if style != "balanced":
            yield Contest(
                f"style-{style}", "styles", f"ismcts:style={style}", "ismcts", "AABB", 100, la.Limit(iterations=500)
            )
    for level in range(1, len(LEVELS)):
        a, b = f"level{level + 1}", f"level{level}"
        yield Contest(f"level-{level + 1}-{level}", "levels", a, b, "AABB", 200, tenth, wanted=0.55)
    peers = "benchmarks.openspiel_players"
    for peer in ("python_ismcts", "cpp_mcts"):
        a, b = "ismcts:iterations=50", f"{peers}:{peer}_50"
        yield Contest(f"{peer}-simulations", "peers", a, b, wanted=0.40)
        yield Contest(f"{peer}-time", "peers", "ismcts", f"{peers}:{peer}_100ms", limit=tenth, wanted=0.80)


def played(contest: Contest) -> list[Game]:
    """The games on file."""
    if not contest.file.exists():
        return []
    lines = contest.file.read_text(encoding="utf-8").splitlines()[1:]
    return [Game.from_json(json.loads(text)) for text in lines]


def share_of_a(games: list[Game]) -> Standing:
    return next(row for row in standings(games) if row.name == "A")


def met(contest: Contest, games: list[Game]) -> bool:
    return contest.wanted is None or share_of_a(games).win_share.value >= contest.wanted


def row(contest: Contest, games: list[Game]) -> str:
    """A row of the table."""
    standing = share_of_a(games)
    value, low, high = standing.win_share
    interval = "" if low is None or high is None else f" ({low:.1%}-{high:.1%})"
    target = "" if contest.wanted is None else f"{contest.wanted:.0%}, {'met' if met(contest, games) else 'missed'}"
    cells = (
        f"`{contest.a}`",
        f"`{contest.b}`",
        contest.lineup,
        contest.hands,
        str(len(games)),
        f"{value:.1%}{interval}",
        f"{contest.fair:.0%}",
        target,
        f"{1000 * standing.seconds:.0f} ms",
    )
    return f"| {' | '.join(cells)} |"


HEADER = (
    "| A | B | seats | hands | games | wins of A (95 %) | if equal | wanted | A's decision |\n"
    "|---|---|---|---|---:|---:|---:|---|---:|"
)


def table() -> str:
    """The results that are on file, by group."""
    parts = []
    for group in dict.fromkeys(contest.group for contest in contests()):
        rows = [row(one, played(one)) for one in contests() if one.group == group and played(one)]
        if rows:
            parts.append(f"### {group.capitalize()}\n\n{HEADER}\n" + "\n".join(rows))
    return "\n\n".join(parts)


def write_table() -> None:
    """Put the table into the page, between its two marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matches", nargs="*", metavar="MATCH", help="groups or names; all by default")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time; not more than there are idle cores")
    parser.add_argument("--list", action="store_true", help="name the matches, and stop")
    parser.add_argument("--table", action="store_true", help=f"write what is on file into {PAGE.name}, and stop")
    options = parser.parse_args()
    every = list(contests())
    if options.list:
        print("\n".join(f"{contest.group:<12}{contest.name}" for contest in every))
        return 0
    if options.table:
        write_table()
        return 0
    words = {word for contest in every for word in (contest.group, contest.name)}
    if unknown := [word for word in options.matches if word not in words]:
        parser.error(f"no match {unknown[0]!r}; see --list")
    chosen = [one for one in every if not options.matches or {one.group, one.name} & set(options.matches)]
    RESULTS.mkdir(parents=True, exist_ok=True)
    missed = []
    for contest in chosen:
        result = contest.play(options.jobs)
        print(row(contest, list(result.games)), flush=True)
        if result.interrupted:
            return 130
        missed += [] if met(contest, list(result.games)) else [contest.name]
    print(f"missed: {', '.join(missed)}" if missed else "all met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
