"""Matches: the schedule, fair games, files of results, intervals, ratings, and the command."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from joblib import parallel_config

import lusatia_ai as la
from lusatia_ai.arena import Game, Match, MatchResult, all_lineups, named_bots, run_match
from lusatia_ai.cli import main
from lusatia_ai.players import PlayResult, RandomPlayer
from lusatia_ai.standings import ELO, estimate, ratings

THREE = ["random", "automa", "fool=random"]


def untimed(games: tuple[Game, ...]) -> list[Game]:
    """Games without what differs from run to run."""
    return [replace(game, seconds=()) for game in games]


# --- the schedule -----------------------------------------------------------------------------------


def schedule(lineups: list[str], games: int, humans: int = 4) -> list[Any]:
    bots = dict.fromkeys(sorted(set("".join(lineups))), "random")
    match = Match(bots, tuple(map(tuple, lineups)), la.Variant(humans=humans))
    return match.fixtures(games)


@pytest.mark.parametrize(("lineup", "games"), [("ABBB", 4), ("AABB", 6), ("ABCD", 24), ("AABC", 12), ("AAAA", 1)])
def test_every_seating_of_a_lineup_is_played_once_a_cycle(lineup, games):
    fixtures = schedule([lineup], 3 * games)
    assert len(fixtures) == 3 * games
    for cycle in range(3):
        seatings = {"".join(fixture.seating) for fixture in fixtures[cycle * games : (cycle + 1) * games]}
        assert len(seatings) == games
        assert {"".join(sorted(seating)) for seating in seatings} == {lineup}


def test_a_block_holds_the_rotations_of_a_seating_and_has_one_seed():
    fixtures = schedule(["ABCD", "AABB"], 100)
    blocks = [list(block) for _, block in groupby(fixtures, key=lambda fixture: fixture.block)]
    seeds = [{fixture.seed for fixture in block} for block in blocks]
    assert all(len(seed) == 1 for seed in seeds)
    assert len(set().union(*seeds)) == len(blocks)
    for block in blocks:
        seatings = ["".join(fixture.seating) for fixture in block]
        assert set(seatings) == {seatings[0][shift:] + seatings[0][:shift] for shift in range(4)}
        assert len(set(seatings)) == len(seatings)
    assert [fixture.game for fixture in fixtures] == list(range(len(fixtures)))


def test_lineups_are_played_equally_often():
    fixtures = schedule(["ABBB", "AABB", "AAAB"], 36)  # cycles of 12 games for each line-up
    counts = Counter("".join(sorted(fixture.seating)) for fixture in fixtures)
    assert counts == {"ABBB": 12, "AABB": 12, "AAAB": 12}


def test_a_longer_match_begins_like_a_shorter_one_and_ends_with_a_whole_block():
    short, long = schedule(["ABCD"], 9), schedule(["ABCD"], 50)
    assert len(short) == 12
    assert long[:12] == short


def test_without_lineups_every_choice_of_bots_is_played():
    assert all_lineups("ABCDE", 4) == tuple(map(tuple, ["ABCD", "ABCE", "ABDE", "ACDE", "BCDE"]))
    assert all_lineups("AB", 4) == tuple(map(tuple, ["AAAB", "AABB", "ABBB"]))
    assert all_lineups("ABC", 3) == (("A", "B", "C"),)


def test_bots_get_names():
    assert named_bots(["greedy", "ismcts:level=3", "x=ismcts:level=3", "greedy", "greedy"]) == {
        "greedy": "greedy",
        "ismcts:level=3": "ismcts:level=3",
        "x": "ismcts:level=3",
        "greedy#2": "greedy",
        "greedy#3": "greedy",
    }


# --- games ------------------------------------------------------------------------------------------


class Watcher:
    """A random player that keeps what it is told."""

    def __init__(self, seed: int) -> None:
        self.name = "watcher"
        self.views: list[la.View] = []
        self.events: list[Any] = []
        self.first: la.View | None = None
        self.closed = False
        self._random = RandomPlayer(seed)
        WATCHERS.append(self)

    def new_game(self, view: la.View) -> None:
        self.first = view

    def observe(self, event: Any) -> None:
        self.events.append(event)

    def choose(self, view: la.View, limit: la.Limit | None = None) -> PlayResult:
        self.views.append(view)
        self.check(view)
        return self._random.choose(view)

    def check(self, view: la.View) -> None:
        """What is asked must follow from what was told."""

    def close(self) -> None:
        self.closed = True


WATCHERS: list[Watcher] = []


@pytest.fixture
def watchers() -> list[Watcher]:
    WATCHERS.clear()
    return WATCHERS


class Follower(Watcher):
    """Keeps a record of the game as it is told, and compares it with what it is shown."""

    def new_game(self, view: la.View) -> None:
        super().new_game(view)
        self.record = la.Record.new(view.variant)
        self.told_all = True

    def observe(self, event: Any) -> None:
        super().observe(event)
        if self.told_all:
            self.record.append(event.get("move", event), seat=event.get("seat"))

    def check(self, view: la.View) -> None:
        if view.decision == "hand_over":
            self.told_all = False  # what others hand over is told later
        else:
            assert self.record.state().view(view.seat, "known") == view


@pytest.mark.parametrize("hands", ["known", "hidden"])
def test_bots_get_views_of_their_own_seat_alone(watchers, hands):
    result = run_match({"A": Watcher, "B": "automa"}, lineup="ABBB", games=4, hands=hands)
    assert len(watchers) == 4
    for watcher, game in zip(watchers, result.games, strict=True):
        seat = game.seating.index("A")
        assert watcher.closed
        assert watcher.first.seat == seat
        assert len(watcher.views) == game.decisions[seat] > 10
        for view in watcher.views:
            assert type(view) is la.View
            assert view.seat == view.seat_to_act == seat
            others = [entry for other, entry in enumerate(view.to_json()["players"]) if other != seat]
            for entry in others:
                assert (entry["guards"] is None) == (entry["estates"] is None) == (hands == "hidden")


def test_a_player_that_follows_the_game_knows_all_that_is_open(watchers):
    run_match({"A": Follower, "B": "random"}, lineup="ABA", games=3, variant=la.Variant(humans=3, automas=1))
    assert len(watchers) == 6
    for watcher in watchers:
        assert list(watcher.events[0]) == ["setup"]
        assert len(watcher.events) > 60


def test_what_others_hand_over_is_told_when_all_have_chosen(watchers):
    """Rules 8.2: the choices are made independently."""
    told_late = 0
    for seed in range(6):
        watchers.clear()
        run_match({"A": Watcher}, lineup="AAAA", games=1, seed=seed)
        for seat, watcher in enumerate(watchers):
            handed = [event for event in watcher.events if str(event.get("move")).startswith("hand_over")]
            own = [event for event in handed if event["seat"] == seat]
            assert handed[: len(own)] == own
            told_late += len(handed) - len(own)
            assert watcher.events[-len(handed) :] == handed or not handed
    assert told_late > 0


def test_games_of_a_block_begin_alike_and_blocks_differ(watchers):
    run_match({"A": Watcher, "B": "random"}, lineup="ABBB", games=8)
    starts = [json.dumps(watcher.events[:2]) for watcher in watchers]
    assert len(set(starts[:4])) == len(set(starts[4:])) == 1
    assert starts[0] != starts[4]


def test_results_are_those_of_the_game():
    result = run_match(THREE, games=6, seed=3)
    assert len(result.games) == result.planned == 6
    for game in result.games:
        best = max(zip(game.favour, game.guards, strict=True))
        assert game.winners == tuple(seat for seat in range(3) if (game.favour[seat], game.guards[seat]) == best)
        assert sum(game.ranks) == 6
        assert {seat for seat in range(3) if game.ranks[seat] == min(game.ranks)} == set(game.winners)
        assert game.version == la.__version__
        assert dict(zip(game.seating, game.players, strict=True)) == {
            "random": "random",
            "automa": "automa",
            "fool": "random",
        }


@pytest.mark.parametrize(
    "variant", [la.Variant(humans=2, automas=2), la.Variant(humans=6), la.Variant(humans=3, easy=True)], ids=str
)
def test_all_variants_can_be_played(variant):
    lineup = (["A", "B"] * 3)[: variant.humans]
    result = run_match({"A": "automa", "B": "random"}, lineup=lineup, games=2, variant=variant)
    assert all(len(game.favour) == variant.humans for game in result.games)


def test_the_same_seed_gives_the_same_games_and_another_seed_others():
    first, second, other = (run_match(THREE, games=6, seed=seed).games for seed in (1, 1, 2))
    assert untimed(first) == untimed(second)
    assert [game.favour for game in first] != [game.favour for game in other]


def test_the_number_of_jobs_and_the_backend_do_not_matter():
    bots = ["ismcts:iterations=5", "automa", "random"]
    one = run_match(bots, games=9, seed=4)
    two = run_match(bots, games=9, seed=4, jobs=2)
    assert untimed(one.games) == untimed(two.games)
    assert [row.win_share for row in one.standings] == [row.win_share for row in two.standings]
    with parallel_config("threading", n_jobs=2):
        assert untimed(run_match(bots, games=9, seed=4).games) == untimed(one.games)


class Cheat(Watcher):
    def choose(self, view: la.View, limit: la.Limit | None = None) -> PlayResult:
        return PlayResult(view.tables.moves["grey:clergy"])


class Bare(Watcher):
    def choose(self, view: la.View, limit: la.Limit | None = None) -> Any:
        return view.legal_moves()[0]


class Broken(Watcher):
    def choose(self, view: la.View, limit: la.Limit | None = None) -> PlayResult:
        raise ZeroDivisionError("oh")


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (Cheat, r"game 0, round 1, seat \d \(A\): IllegalMoveError: illegal move 'grey:clergy'"),
        (Bare, r"choose returned .* allowed: a la.players.PlayResult\(move\)"),
        (Broken, r"game 0, round 1, seat \d \(A\): ZeroDivisionError: oh"),
        (lambda seed: None, r"player: test_arena:<lambda> gives a NoneType; allowed: an object with a name"),
    ],
)
def test_a_bot_that_fails_ends_the_match_and_is_named(watchers, bot, message):
    with pytest.raises(la.PlayerError, match=message):
        run_match({"A": bot, "B": "random"}, lineup="ABB", games=3)
    assert all(watcher.closed for watcher in watchers)


def test_programs_outside_take_part(tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(
        "import json, sys\n"
        "import lusatia_ai as la\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    move = la.View.from_json(asked['view']).legal_moves()[-1]\n"
        "    print(json.dumps({'id': asked['id'], 'move': move.text}), flush=True)\n"
    )
    spec = f"last=cmd:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"
    result = run_match([spec, "random"], lineup=["last", "random", "random"], games=3, hands="hidden")
    assert len(result.games) == 3
    assert result.standing("last").decisions > 60


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bots": []}, "bots: found none"),
        ({"bots": ["random"], "games": 0}, "games: found 0; allowed: a whole number from 1"),
        ({"bots": ["random"], "seed": -1}, "seed: found -1; allowed: a whole number from 0"),
        ({"bots": ["random"], "hands": "open"}, "hands: found 'open'; allowed: 'hidden' or 'known'"),
        ({"bots": ["rndom"]}, "bots.rndom: found 'rndom'; allowed: a player; player: found 'rndom'"),
        ({"bots": {"A": 3}}, "bots.A: found 3; allowed: a specification, or a callable"),
        ({"bots": ["random"], "lineups": []}, "lineups: found none"),
        ({"bots": {"A": "random"}, "lineup": "AAB"}, "lineups[0]: found 'B'; allowed: one of A"),
        (
            {"bots": {"A": "random"}, "lineup": "AAA", "variant": la.Variant(humans=4)},
            "lineups[0]: found 3 bots (A, A, A); allowed: 4, one for each seat",
        ),
    ],
)
def test_settings_that_do_not_fit_are_told(options, message):
    with pytest.raises(la.MatchError) as caught:
        run_match(**options)
    assert message in str(caught.value)


# --- files of results -------------------------------------------------------------------------------


def play(path: Path, **options: Any) -> MatchResult:
    return run_match(**{"bots": THREE, "games": 6, "seed": 5, "out": path} | options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[MatchResult, bytes]:
    path = tmp_path_factory.mktemp("match") / "results.jsonl"
    return play(path), path.read_bytes()


def test_a_file_holds_the_settings_and_a_game_a_line(whole):
    result, raw = whole
    header, *games = [json.loads(line) for line in raw.splitlines()]
    assert header == result.match.header()
    assert header["bots"] == {"random": "random", "automa": "automa", "fool": "random"}
    assert [Game.from_json(game) for game in games] == list(result.games)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.2, 0.5, 0.99, "but one byte", 1.0])
def test_a_match_stopped_anywhere_is_gone_on_with_to_the_same_end(whole, tmp_path, share):
    result, raw = whole
    kept = len(raw) - 1 if share == "but one byte" else int(share * len(raw))
    path = tmp_path / "results.jsonl"
    path.write_bytes(raw[:kept])
    played: list[int] = []
    again = play(path, on_game=lambda game, done, planned: played.append(game.game))
    assert untimed(again.games) == untimed(result.games)
    assert len(played) == 6 - max(raw[:kept].count(b"\n") - 1, 0)
    lines = path.read_bytes().splitlines(keepends=True)
    assert sorted(json.loads(line)["game"] for line in lines[1:]) == list(range(6))
    assert path.read_bytes().startswith(raw[:kept].rpartition(b"\n")[0])


def test_a_match_can_be_made_longer_and_shown_shorter(whole, tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_bytes(whole[1])
    assert untimed(play(path, games=9).games)[:6] == untimed(whole[0].games)
    assert play(path, games=3).games == whole[0].games[:3]


def started(path: Path, *options: str) -> subprocess.Popen[str]:
    """A long match in a process of its own, of which the file holds some games already."""
    args = [sys.executable, "-m", "lusatia_ai", "arena", *THREE, "--seed", "5", "--games", "30000", "--out", str(path)]
    pipe = subprocess.PIPE
    process = subprocess.Popen([*args, *options], stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    while process.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") > 3):
        time.sleep(0.01)
    return process


def test_a_killed_match_is_gone_on_with(whole, tmp_path):
    path = tmp_path / "results.jsonl"
    process = started(path)
    process.kill()
    process.communicate()
    assert untimed(play(path).games) == untimed(whole[0].games)


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        ({"seed": 6}, ["seed: found 5; allowed: 6 as now, or a new file"]),
        ({"hands": "hidden", "seed": 7}, ["2 faults", 'hands: found "known"; allowed: "hidden"', "seed: found 5"]),
        ({"limit": la.Limit(time=0.1)}, ["limit.time: found nothing; allowed: 0.1 as now, or a new file"]),
        ({"bots": ["random", "automa", "fool=greedy"]}, ['bots.fool: found "random"; allowed: "greedy"']),
        ({"variant": la.Variant(humans=3, easy=True)}, ["variant.easy: found false; allowed: true"]),
    ],
)
def test_the_file_of_another_match_is_refused_and_left_alone(whole, tmp_path, options, messages):
    path = tmp_path / "results.jsonl"
    path.write_bytes(whole[1])
    with pytest.raises(la.MatchError) as caught:
        play(path, **options)
    assert all(message in str(caught.value) for message in messages)
    assert path.read_bytes() == whole[1]


@pytest.mark.parametrize("content", [b"hello\n", b"[]\n", b'{"format": "lusatia-position"}\n', b"\xff\xfe\n", b"\n"])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(la.MatchError, match="line 1: found something else; allowed: a new file"):
        play(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda line: b"oops\n", r"line 3: found b'oops\\n'; allowed: a game"),
        (lambda line: b"{}\n", r"line 3: found b'\{\}\\n'; allowed: a game; an object with the keys game, block"),
        (lambda line: line.replace(b'"game": 1', b'"game": -1'), "line 3: .*; allowed: a game; its number from 0 to"),
        (lambda line: line.replace(b'"game": 1', b'"game": 4'), "line 3: found game 4 of another schedule"),
    ],
)
def test_damage_inside_a_file_is_told(whole, tmp_path, damage, message):
    lines = whole[1].splitlines(keepends=True)
    lines[2] = damage(lines[2])
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"".join(lines))
    with pytest.raises(la.MatchError, match=message):
        play(path)


def test_ctrl_c_keeps_what_is_done(tmp_path):
    def stop(game: Game, done: int, planned: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    path = tmp_path / "results.jsonl"
    result = play(path, on_game=stop)
    assert (result.interrupted, len(result.games), result.planned) == (True, 4, 6)
    assert not play(path).interrupted


# --- intervals and ratings --------------------------------------------------------------------------


def test_independent_values_have_the_classical_interval():
    values = [3.0, 5.0, 8.0, 1.0, 9.0, 4.0]
    found = estimate(range(6), values)
    half = 2.5706 * np.std(values, ddof=1) / math.sqrt(6)  # Student's t with 5 degrees of freedom
    assert found.value == pytest.approx(5)
    assert found.high - found.value == pytest.approx(half, rel=0.01)
    assert found.value - found.low == pytest.approx(half, rel=0.01)


def test_values_that_repeat_in_a_block_tell_nothing_new():
    values = [3.0, 5.0, 8.0, 1.0]
    assert estimate([0, 0, 1, 1, 2, 2, 3, 3], [v for v in values for _ in range(2)]) == estimate(range(4), values)
    assert estimate([0, 0], [1.0, 2.0]) == (1.5, None, None)


def test_shares_have_wilsons_interval():
    found = estimate(range(200), [1.0] * 60 + [0.0] * 140, share=True)
    assert found.value == pytest.approx(0.3)
    assert (found.low, found.high) == pytest.approx((0.2407, 0.3668), abs=0.001)
    none = estimate(range(50), [0.0] * 50, share=True)
    assert (none.value, none.low) == (0, 0)
    assert none.high == pytest.approx(0.0746, abs=0.003)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Shares in blocks of four games that resemble one another."""
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(400):
        chances = rng.beta(2, 6, size=40)  # mean 0.25
        wins = rng.random((40, 4)) < chances[:, None]
        found = estimate(np.repeat(np.arange(40), 4), wins.ravel().astype(float), share=True)
        hits += found.low <= 0.25 <= found.high
    assert 0.92 <= hits / 400 <= 0.98


def simulated(strengths: dict[str, float], seating: str, blocks: int, seed: int = 0) -> list[Game]:
    """Games whose rankings are drawn from a Plackett-Luce model."""
    rng = np.random.default_rng(seed)
    games = []
    for number in range(4 * blocks):
        seats = seating[number % 4 :] + seating[: number % 4]
        drawn = [strengths[name] + rng.gumbel() for name in seats]
        ranks = tuple(float(1 + sum(other > score for other in drawn)) for score in drawn)
        winners = (ranks.index(1.0),)
        zeros = (0,) * len(seats)
        games.append(
            Game(number, number // 4, 0, tuple(seats), tuple(seats), zeros, zeros, winners, ranks, zeros, ranks, "0")
        )
    return games


@pytest.mark.parametrize("seating", ["ABCD", "AABC", "ABBB"])
def test_ratings_find_the_strengths_that_games_were_drawn_from(seating):
    pytest.importorskip("choix")
    strengths = {"A": 0.7, "B": 0.0, "C": -0.2, "D": -0.5}
    names = sorted(set(seating))
    found = ratings(simulated(strengths, seating, blocks=40))
    middle = np.mean([strengths[name] for name in names])
    for name in names:
        truth = ELO * (strengths[name] - middle)
        half = found[name].high - found[name].value
        assert 15 < half < 60
        assert abs(found[name].value - truth) < 1.5 * half  # three standard errors


def test_ratings_are_repeatable_and_finite():
    pytest.importorskip("choix")
    games = simulated({"A": 50.0, "B": 0.0}, "ABBB", blocks=5)
    found = ratings(games)
    assert found == ratings(games)
    assert 100 < found["A"].value < 1500
    assert (found["A"].low, found["B"].high) == (None, None)  # A is always ahead: there is no upper bound
    tied = [replace(game, ranks=(2.5,) * 4) for game in simulated({"A": 0.0, "B": 0.0}, "ABBB", blocks=20)]
    assert abs(ratings(tied)["A"].value) < 90


def test_ratings_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "choix", None)
    with pytest.raises(la.LusatiaError, match=r"ratings need the library choix; install it .*lusatia-ai\[arena\]"):
        _ = run_match(THREE, games=3).ratings


def test_a_better_bot_stands_above_a_worse_one():
    result = run_match({"A": "automa", "B": "random"}, lineup="ABBB", games=24)
    best, worst = result.standings
    assert (best.name, best.even_share, worst.even_share) == ("A", 0.25, 0.75)
    assert best.win_share.low > 0.3
    assert best.win_share.value + worst.win_share.value == pytest.approx(1)
    assert best.favour.value > worst.favour.value
    assert best.rank.value < worst.rank.value
    assert best.games == worst.games == 24
    pytest.importorskip("choix")
    assert result.ratings["A"].value > 100 > result.ratings["B"].value


def test_two_against_two_share_what_they_win():
    rows = run_match({"A": "random", "B": "random"}, lineup="AABB", games=12).standings
    assert [row.even_share for row in rows] == [0.5, 0.5]
    assert sum(row.win_share.value for row in rows) == pytest.approx(1)
    with pytest.raises(KeyError):
        run_match(["random"], lineup=["random"] * 3, games=1).standing("nobody")


# --- the page -----------------------------------------------------------------------------------------


def test_the_examples_of_the_page_run():
    page = Path(__file__).parents[1] / "docs" / "players.md"
    examples = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 3
    for example in examples:
        exec(example, {"__name__": "example"})


# --- the command ------------------------------------------------------------------------------------


def command(*args: str) -> Result:
    result = CliRunner().invoke(main, ["arena", *args])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result


def test_the_command_prints_a_table():
    result = command("random", "strong=automa", "--lineup", "B,A,A", "--games", "6", "--seed", "2")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split()[:4] == ["bot", "games", "wins", "even"]
    assert {line.split()[0] for line in lines[1:3]} == {"strong", "random"}
    assert lines[-1] == "6 of 6 games in 2 blocks, seed 2"


def test_the_command_prints_json_with_the_same_figures_as_the_library(tmp_path):
    pytest.importorskip("choix")
    out = tmp_path / "match.jsonl"
    options = ["--games", "6", "--hands", "hidden", "--iterations", "7", "--json", "--out", str(out)]
    told = json.loads(command(*THREE, *options).stdout)
    result = run_match(THREE, games=6, hands="hidden", limit=la.Limit(iterations=7), out=out)
    assert (told["games"], told["planned"], told["interrupted"]) == (6, 6, False)
    assert told["match"] == result.match.header()
    for row, standing in zip(told["standings"], result.standings, strict=True):
        assert row["name"] == standing.name
        assert row["win_share"] == standing.win_share._asdict()
        assert row["rating"] == result.ratings[standing.name]._asdict()
        assert set(row) == {*asdict(standing), "rating"}


def test_the_command_shows_the_table_without_ratings_and_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "choix", None)
    result = command(*THREE, "--games", "3")
    assert result.exit_code == 0
    assert "rating" not in result.stdout
    assert result.stderr == "Note: ratings need the library choix; install it with: pip install 'lusatia-ai[arena]'\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["rndom", "random", "random"], "bots.rndom: found 'rndom'"),
        (["random", "automa", "--lineup", "A,C,B"], "found 'C'; allowed: A (random), B (automa), between commas"),
        (["random", "automa", "--lineup", "A,B"], "lineups[0]: found 2 bots (random, automa); allowed: 4"),
        (["random", "automa", "--players", "2"], "2 humans and 0 automas"),
        (["random", "automa", "--time", "0"], "time: found 0.0"),
        (["random", "automa", "--sides", "up"], "found 'up'"),
        ([], "Missing argument 'BOT...'"),
    ],
)
def test_the_command_tells_what_is_wrong(args, message):
    result = command(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr


def test_the_command_plays_the_variant_that_is_asked_for():
    options = "--games 2 --players 2 --automas 1 --easy --must-contribute --sides zittau=dark --json".split()
    told = json.loads(command("random", "automa", *options).stdout)
    expected = la.Variant(humans=2, automas=1, easy=True, chooser_must_contribute=True, sides={"zittau": "dark"})
    assert told["match"]["variant"] == expected.to_json()


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_shows_how_the_match_stands(tmp_path, jobs):
    process = started(tmp_path / "match.jsonl", "--jobs", jobs)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to the workers too
    try:
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert stdout.rstrip().endswith("interrupted")
    assert stdout.startswith("bot ")
    assert "Traceback" not in stderr
