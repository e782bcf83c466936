"""The examples run, and show what they promise."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lusatia_ai as la

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(*command: str) -> str:
    """What a program prints."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def game_in_python(seed: int) -> dict[str, list[int] | list[str]]:
    """The game of `node_client.mjs`, played without the engine."""
    state = la.State.new(la.Variant(humans=3), seed=seed)
    moves: list[str] = []
    while not state.is_over:
        seat = state.seat_to_act
        assert seat is not None
        player = la.players.ISMCTSPlayer(level=5, seed=seed + len(moves))
        move = player.choose(state.view(seat, "hidden"), la.Limit(iterations=30)).move
        moves.append(f"{seat} {move}")
        state.apply(move)
    return {"moves": moves, "favour": list(state.favour), "winners": list(state.winners)}


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("seed", [7, 8])
def test_a_game_from_node_is_the_same_game_in_python(seed: int) -> None:
    engine = [sys.executable, "-m", "lusatia_ai", "engine"]
    printed = run("node", str(EXAMPLES / "node_client.mjs"), str(seed), *engine)
    assert json.loads(printed.splitlines()[-1]) == game_in_python(seed)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_node_client_reports_an_engine_that_cannot_be_started() -> None:
    command = ["node", str(EXAMPLES / "node_client.mjs"), "7", "no-such-engine"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode != 0
    assert "no-such-engine" in done.stderr


def test_a_tournament() -> None:
    assert "level5" in run(sys.executable, str(EXAMPLES / "tournament.py")).splitlines()[0]


def test_a_bot_in_ten_lines() -> None:
    path = EXAMPLES / "bot_in_ten_lines.py"
    bot = path.read_text(encoding="utf-8").partition("class ")[2].partition("if __name__")[0]
    code = [line for line in bot.splitlines() if line.strip() and '"""' not in line]
    assert len(code) <= 10
    printed = run(sys.executable, str(path))
    assert "tallyman" in printed
    assert "wins" in printed


def test_following_a_table() -> None:
    printed = run(sys.executable, str(EXAMPLES / "follow_a_table.py"))
    assert "the search would play" in printed
    assert "A slip is noticed: illegal chance event" in printed
