"""The command line: what it prints, what it says about bad input, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import lusatia_ai as la
from lusatia_ai.cli import main
from lusatia_ai.show import position_text

EXAMPLES = Path(__file__).parents[1] / "examples" / "positions"
CONFLICT = str(EXAMPLES / "conflict.json")
HIDDEN = str(EXAMPLES / "hidden_hands.json")
QUICK = ["--iterations", "20"]


def run(*args: str, stdin: str | bytes = "") -> Result:
    """Run a command inside this process."""
    result = CliRunner().invoke(main, args, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result


def printed(*args: str, stdin: str | bytes = "") -> str:
    """What a command prints if all is well."""
    result = run(*args, stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def error(*args: str, stdin: str | bytes = "") -> str:
    """What a command says about bad input: one message on standard error, nothing else, exit code 2."""
    result = run(*args, stdin=stdin)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("Error:") == 1
    assert "Traceback" not in result.stderr
    return result.stderr


def start(*args: str, **options: Any) -> subprocess.Popen[str]:
    """Start a command in a process of its own."""
    environment = dict(os.environ) | options.pop("env", {})
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "lusatia_ai", *args]
    return subprocess.Popen(command, text=True, encoding="utf-8", env=environment, **pipes | options)


@pytest.fixture
def waiting(tmp_path: Path) -> str:
    """A position that waits for its set-up."""
    path = tmp_path / "waiting.json"
    path.write_text(position_text(la.State.new(chance="manual").to_json()))
    return str(path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A game that is over."""
    state = la.State.new(la.Variant(humans=3), seed=1)
    while not state.is_over:
        state.apply(state.legal_moves()[0])
    path = tmp_path_factory.mktemp("finished") / "finished.json"
    path.write_text(position_text(state.to_json()))
    return str(path)


# --- what is the same for all commands --------------------------------------------------------------

COMMANDS = [
    ["new"],
    ["show"],
    ["moves"],
    ["apply"],
    ["hint"],
    ["play"],
    ["perft"],
    ["bench"],
    ["components", "check"],
    ["components", "show"],
]
READERS: dict[str, Sequence[str]] = {
    "show": (),
    "moves": (),
    "apply": ("accept",),
    "hint": QUICK,
    "perft": ("1",),
}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(command):
    text = printed(*command, "--help")
    assert re.search(r"Examples?:\n\s+lusatia-ai " + " ".join(command), text)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_wrong_option_is_one_message(command):
    assert "No such option '--frobnicate'" in error(*command, "--frobnicate")


def test_help_lists_every_command():
    text = printed("--help")
    assert all(f"\n  {command[0]} " in text for command in COMMANDS)
    assert printed() == text


def test_the_version_is_printed():
    assert la.__version__ in printed("--version")


def test_a_wrong_command_is_one_message():
    assert "No such command 'frobnicate'" in error("frobnicate")
    assert "No such command 'frobnicate'" in error("components", "frobnicate")


@pytest.mark.parametrize("command", READERS)
def test_a_missing_file_is_one_message(command):
    message = error(command, "nowhere.json", *READERS[command])
    assert message == (
        "Error: cannot read nowhere.json: No such file or directory; allowed: a file, or - for standard input\n"
    )


@pytest.mark.parametrize("command", READERS)
def test_a_missing_argument_is_one_message(command):
    assert "Missing argument" in error(command)


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1, column 1: found Expecting value"),
        ("{", "line 1, column 2"),
        ("[1]", "allowed: "),
        ("{}", "faults:\n  format: found nothing; allowed: one of lusatia-position"),
        (b"\xff\xfe", "found no UTF-8"),
        ('{"format": "lusatia-record"}', "bad record"),
        ('{"view": 0}', "format: found nothing"),
        ("[" * 100_000, "nesting"),
        ('{"a": NaN}', "NaN"),
    ],
)
def test_what_is_no_position_is_one_message(command, content, message):
    text = error(command, "-", *READERS[command], stdin=content)
    assert text.startswith("Error: standard input: bad ")
    assert message in text


@pytest.mark.parametrize("command", READERS)
def test_all_faults_of_a_position_are_listed(command, tmp_path):
    data = json.loads(Path(CONFLICT).read_text())
    data["players"][2]["guards"] = -1
    data["players"][1]["favour"] = "many"
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(data))
    message = error(command, str(path), *READERS[command])
    assert message.startswith(f"Error: {path}: bad position, 2 faults:\n")
    assert "players[2].guards: found -1; allowed: a whole number from 0 to 999" in message
    assert "players[1].favour: found 'many'" in message


@pytest.mark.parametrize("command", ["moves", "hint", "perft"])
def test_a_position_at_chance_says_what_to_do(command, waiting):
    message = error(command, waiting, *READERS[command])
    assert f"waits for chance, not for a decision; draw it with: lusatia-ai apply {waiting} --draw" in message


@pytest.mark.parametrize("command", ["moves", "hint", "perft"])
def test_a_finished_game_leaves_nothing_to_decide(command, finished):
    assert "the game is over, there is nothing to decide" in error(command, finished, *READERS[command])


# --- new --------------------------------------------------------------------------------------------


def test_new_writes_a_position():
    data = json.loads(printed("new", "--humans", "2", "--automas", "1", "--score-automas", "--sides", "dark"))
    state = la.State.from_json(data)
    assert state.variant == la.Variant(2, 1, score_automas=True, sides="dark")
    assert state.seat_to_act is not None


def test_new_is_repeatable_by_its_seed():
    assert printed("new", "--seed", "3", "--sides", "mixed") == printed("new", "--seed", "3", "--sides", "mixed")
    assert printed("new", "--seed", "3") != printed("new", "--seed", "4")


def test_new_takes_the_side_of_each_town():
    data = json.loads(printed("new", "--sides", "zittau=dark, lauban=dark"))
    assert data["variant"]["sides"] == {"zittau": "dark", "lauban": "dark"}


def test_new_can_wait_for_the_set_up():
    assert json.loads(printed("new", "--manual"))["stage"] == "setup"


def test_new_writes_to_a_file(tmp_path):
    path = tmp_path / "game.json"
    assert printed("new", "-o", str(path)) == ""
    assert la.State.from_json(path.read_text()).round == 1


def test_new_plays_with_a_component_set_of_ones_own(tmp_path):
    path = _component_file(tmp_path, 'name = "mine"')
    data = json.loads(printed("new", "--components", path, "--easy"))
    assert data["components"]["name"] == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--humans", "9"], "'--humans': 9 is not in the range 2<=x<=6"),
        (["--humans", "two"], "'--humans': 'two' is not a valid integer"),
        (["--humans", "2"], "found 2 humans and 0 automas; allowed: 3 to 6 players in all"),
        (["--automas", "3"], "found 4 humans and 3 automas"),
        (["--sides", "blue"], "'--sides': found 'blue'; allowed: light, dark, mixed, or TOWN=light|dark"),
        (["--sides", "zittau=blue"], "found 'zittau=blue'"),
        (["--sides", "prag=dark"], "with the towns goerlitz, kamenz, zittau"),
        (["--seed", "-1"], "'--seed': -1 is not in the range"),
        (["--components", "nowhere.toml"], "cannot read nowhere.toml"),
        (["-o", "/nonexistent/game.json"], "cannot write /nonexistent/game.json"),
        (["game.json"], "Got unexpected extra argument"),
    ],
)
def test_new_refuses_wrong_options(options, message):
    assert message in error("new", *options)


# --- show -------------------------------------------------------------------------------------------


def test_show_prints_the_table():
    text = printed("show", CONFLICT)
    assert "Round 4 of 6 · town selection" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "\033[" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_show_keeps_to_the_width_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, printed("show", CONFLICT).splitlines())) <= 80


def test_show_reads_standard_input():
    assert printed("show", "-", stdin=Path(CONFLICT).read_text()) == printed("show", CONFLICT)


def test_show_hides_hands_from_a_seat():
    assert "seen by seat 1" in printed("show", CONFLICT, "--seat", "1")
    view = la.View.from_json(printed("show", CONFLICT, "--seat", "1", "--json"))
    assert (view.seat, set(view.hidden_guards)) == (1, {0, 2, 3})
    known = la.View.from_json(printed("show", CONFLICT, "--seat", "1", "--hands", "known", "--json"))
    assert not known.hidden_guards


def test_show_prints_a_position_as_json():
    assert json.loads(printed("show", CONFLICT, "--json")) == json.loads(Path(CONFLICT).read_text())


def test_show_shows_the_last_position_of_a_record(tmp_path):
    path = tmp_path / "game.json"
    la.Record.new(la.Variant(humans=5)).draw_chance(1).save(path)
    assert "5 humans" in printed("show", str(path))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([CONFLICT, "--seat", "4"], "'--seat': found 4; allowed: a human seat, 0 to 3"),
        ([CONFLICT, "--seat", "x"], "'--seat': 'x' is not a valid integer"),
        ([CONFLICT, "--hands", "open"], "'open' is not one of 'hidden', 'known'"),
        ([HIDDEN, "--seat", "0"], "is the view of seat 5; allowed: a full position"),
        ([str(EXAMPLES)], "Is a directory"),
    ],
)
def test_show_refuses_wrong_options(args, message):
    assert message in error("show", *args)


# --- moves ------------------------------------------------------------------------------------------


def test_moves_lists_all_moves_with_their_meaning():
    lines = printed("moves", CONFLICT).splitlines()
    assert lines[0].split() == ["move", "meaning"]
    assert lines[1].split(maxsplit=1) == ["accept", "take 7 guards and leave Lauban"]
    assert len(lines) == 7


def test_moves_as_json_are_texts():
    moves = json.loads(printed("moves", CONFLICT, "--json"))
    assert moves == ["accept", "raise:10", "raise:11", "raise:12", "raise:8", "raise:9"]


def test_moves_that_a_view_hides_cannot_be_listed(tmp_path):
    view = printed("show", CONFLICT, "--seat", "0", "--json")
    assert "the moves of seat 3 depend on guards that this view hides" in error("moves", "-", stdin=view)


# --- apply ------------------------------------------------------------------------------------------


def test_apply_carries_out_moves_one_after_the_other():
    state = la.State.from_json(printed("apply", CONFLICT, "raise:8", "accept"))
    expected = la.State.from_json(Path(CONFLICT).read_text(), chance="manual")
    assert state == expected.apply("raise:8").apply("accept")


def test_apply_takes_chance_objects(waiting):
    setup = la.State.new(chance="manual").sample_chance(1)
    data = json.loads(printed("apply", waiting, json.dumps(setup)))
    assert data["to_act"] == {"seat": None, "decision": "chance", "event": "round"}


def test_apply_stops_at_chance_unless_it_may_draw(waiting):
    drawn = json.loads(printed("apply", waiting, "--draw"))
    assert drawn["to_act"]["decision"] == "travel"
    assert printed("apply", waiting, "--seed", "1") == printed("apply", waiting, "--seed", "1", "--draw")


def test_apply_draws_between_moves():
    position = printed("new", "--humans", "2", "--automas", "1", "--seed", "1")
    move = json.loads(printed("moves", "-", "--json", stdin=position))[0]
    assert json.loads(printed("apply", "-", move, stdin=position))["to_act"]["event"] == "automa_town"
    assert json.loads(printed("apply", "-", move, "--seed", "1", stdin=position))["to_act"]["seat"] is not None


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (["raise:7"], "illegal move 'raise:7': the standing bid is 7: a raise must be above it"),
        (["go:zittau:0"], "illegal move 'go:zittau:0': seat 3 is to decide on respond"),
        (["rise:8"], "bad notation 'rise:8': a move begins with one of go, raise"),
        (["raise:08"], "bad notation 'raise:08': allowed is raise:BID"),
        ([""], "bad notation ''"),
        (["raise:8", "raise:8"], "move 2: illegal move 'raise:8'"),
        (['{"automa_card": "automa_1"}'], "the position waits for a move: seat 3 decides"),
        (['{"automa_card": '], "bad chance object: line 1, column"),
        (['{"frobnicate": 1}'], "bad chance object"),
        ([], "Missing argument 'MOVE...'"),
        (["accept", "--seed", "x"], "'--seed': 'x' is not a valid integer"),
        (["accept", "-o", "/nonexistent/game.json"], "cannot write /nonexistent/game.json"),
    ],
)
def test_apply_refuses_wrong_moves_and_options(moves, message):
    assert message in error("apply", CONFLICT, *moves)


def test_apply_says_how_to_draw_chance(waiting):
    assert "draw it with --draw, or give what happened as a chance object" in error("apply", waiting, "go:zittau:0")


def test_apply_needs_a_full_position():
    assert "allowed: a full position, without hidden hands" in error("apply", HIDDEN, "go:zittau:0")


# --- hint -------------------------------------------------------------------------------------------


def test_hint_ranks_the_moves_of_the_deciding_seat():
    lines = printed("hint", CONFLICT, "--iterations", "300", "--top", "3", "--seed", "1").splitlines()
    assert lines[0] == "Seat 3 accepts seat 1's bid of 7 in Lauban, or raises."
    assert lines[2].split() == ["move", "meaning", "wins", "favour", "visits"]
    assert [line.split()[0] for line in lines[3:6]] == ["1", "2", "3"]
    assert lines[-1].startswith("300 games in ")


def test_hint_as_json_holds_the_words_too():
    data = json.loads(printed("hint", CONFLICT, "--iterations", "200", "--seed", "1", "--json"))
    assert data["hint"]["sentences"][-1].startswith("Win shares are seat")
    assert data["hint"]["sureness"]
    assert data["scale"]["value"] == "win share, 0 to 1, by seat"
    assert all({"stderr", "rank", "loss", "line"} <= entry.keys() for entry in data["moves"])


def test_hint_as_json_holds_what_the_search_found():
    data = json.loads(printed("hint", CONFLICT, "--iterations", "200", "--seed", "1", "--top", "2", "--json"))
    assert (data["seat"], data["iterations"], data["interrupted"]) == (3, 200, False)
    assert data["best"] == data["moves"][0]["move"]
    assert len(data["moves"]) == 2
    assert all(len(entry["value"]) == len(entry["favour"]) == 4 for entry in data["moves"])


def test_hint_is_repeatable_by_its_seed():
    def moves(seed: str) -> Any:
        return json.loads(printed("hint", CONFLICT, "--iterations", "200", "--seed", seed, "--json"))["moves"]

    assert moves("5") == moves("5")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_hint_answers_for_every_example(path):
    assert "wins" in printed("hint", str(path), *QUICK)


def test_hint_takes_a_view_of_another_seat():
    view = printed("show", CONFLICT, "--seat", "0", "--json")
    assert "Seat 3 accepts" in printed("hint", "-", *QUICK, stdin=view)


def test_hint_can_do_without_the_hands_of_others():
    assert "wins" in printed("hint", CONFLICT, *QUICK, "--hands", "hidden")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--time", "0"], "bad limit: time: found 0.0; allowed: seconds from 0.001"),
        (["--time", "nan"], "bad limit: time: found nan"),
        (["--time", "soon"], "'--time': 'soon' is not a valid float"),
        (["--iterations", "0"], "bad limit: iterations: found 0"),
        (["--iterations", "1.5"], "'--iterations': '1.5' is not a valid integer"),
        (["--top", "0"], "'--top': 0 is not in the range"),
        (["--seat", "1"], "'--seat': found 1; allowed: 3, the seat that is to decide"),
        (["--hands", "open"], "'open' is not one of"),
        (["--seed", "-4"], "'--seed': -4 is not in the range"),
    ],
)
def test_hint_refuses_wrong_options(options, message):
    assert message in error("hint", CONFLICT, *options)


# --- play -------------------------------------------------------------------------------------------


def test_play_begins_a_game_and_ends_with_the_input():
    text = printed("play", "--humans", "3", "--seed", "1", *QUICK)
    assert "Type help" in text
    assert "Round 1 begins" in text
    assert text.endswith("Good-bye.\n")


def test_play_goes_on_from_a_position():
    text = printed("play", CONFLICT, "--seat", "3", "--name", "Ann", *QUICK, stdin="show\nquit\n")
    assert "Ann accepts seat 1's bid of 7 in Lauban, or raises." in text


def test_play_takes_bots_of_ones_choice():
    def first_moves(*options: str) -> list[str]:
        args = ["play", "--humans", "4", "--seed", "1", *QUICK, *options]
        return [printed(*args, "--seat", str(seat)) for seat in range(4)]

    random = first_moves("--bots", "random")
    assert random == first_moves("--bots", "random")
    assert random != first_moves("--bots", "automa,level1")


def test_play_saves_and_resumes(tmp_path):
    path = str(tmp_path / "saved.json")
    first = printed("play", "--humans", "3", "--seed", "2", *QUICK, stdin=f"save {path}\nquit\n")
    again = printed("play", path, *QUICK, stdin="show\nquit\n")
    board = first.split("Round 1 of 6")[1].split("▶ Seat")[0]
    assert board in again


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere.json"], "cannot read nowhere.json: No such file or directory; allowed: a saved game"),
        ([HIDDEN], "this is a view with hidden hands"),
        ([str(Path(__file__))], "bad position: line 1"),
        ([CONFLICT, "--humans", "3"], "'--humans' is for a new game only"),
        (["--seat", "4"], "'--seat': found 4; allowed: 0 to 3"),
        (["--name", "Ann", "--name", "Bob"], "'--name': found 2 names; allowed: one for each --seat"),
        (["--humans", "7"], "'--humans': 7 is not in the range"),
        (["--time", "-1"], "bad limit: time"),
        (["--sides", "x"], "'--sides': found 'x'"),
        (["--bots", "level5,rndom"], "player: found 'rndom'; allowed: random, greedy"),
    ],
)
def test_play_refuses_wrong_files_and_options(args, message):
    assert message in error("play", *args)


def test_play_explains_a_wrong_move_and_goes_on():
    text = printed("play", CONFLICT, "--seat", "3", *QUICK, stdin="raise:3\nquit\n")
    assert "illegal move 'raise:3': the standing bid is 7" in text


# --- perft and bench --------------------------------------------------------------------------------


def test_perft_counts_sequences_of_moves():
    assert printed("perft", CONFLICT, "0") == "1\n"
    assert printed("perft", CONFLICT, "1") == "6\n"


def test_perft_divides_by_the_first_move():
    lines = printed("perft", CONFLICT, "2", "--divide").splitlines()
    assert [line.split(":")[0] for line in lines[:6]] == ["accept", *["raise"] * 5]
    assert sum(int(line.rpartition(" ")[2]) for line in lines[:-1]) == int(lines[-1])
    assert printed("perft", CONFLICT, "2") == lines[-1] + "\n"


def test_perft_as_json():
    data = json.loads(printed("perft", CONFLICT, "1", "--divide", "--json"))
    assert (data["depth"], data["count"], data["moves"]["accept"]) == (1, 6, 1)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([CONFLICT, "x"], "'DEPTH': 'x' is not a valid integer"),
        ([CONFLICT, "21"], "'DEPTH': 21 is not in the range"),
        ([CONFLICT, "0", "--divide"], "'DEPTH': found 0; allowed with --divide: 1 to 20"),
        ([HIDDEN, "1"], "allowed: a full position"),
    ],
)
def test_perft_refuses_wrong_arguments(args, message):
    assert message in error("perft", *args)


def test_bench_prints_the_signature():
    text = printed("bench", "--playouts", "1")
    data = json.loads(printed("bench", "--playouts", "1", "--json"))
    assert f"signature  {data['signature']}" in text
    assert len(data["rows"]) > 5


@pytest.mark.parametrize("options", [["--playouts", "0"], ["--playouts", "many"], ["file.json"]])
def test_bench_refuses_wrong_options(options):
    error("bench", *options)


# --- components -------------------------------------------------------------------------------------


def test_a_sound_component_set_is_confirmed(tmp_path):
    path = _component_file(tmp_path, 'name = "mine"')
    assert f"{path}: mine, version 1, is sound: 6 towns, 36 tokens" in printed("components", "check", path)
    data = json.loads(printed("components", "check", path, "--json"))
    assert (data["name"], data["counts"]["towns"]) == ("mine", 6)


def test_all_faults_of_a_component_set_are_listed(tmp_path):
    path = _component_file(tmp_path, 'name = "mine"', ("favour = 10", "favour = -1"), ("number = 6", "number = 5"))
    message = error("components", "check", path)
    assert "2 faults:" in message
    assert "start.favour: found -1" in message
    assert "towns[5].number" in message


@pytest.mark.parametrize("command", ["check", "show"])
@pytest.mark.parametrize(
    ("content", "message"),
    [(b"frobnicate", "allowed: valid TOML"), (b"\xff", "no UTF-8 at byte 0"), (b"", "faults:")],
)
def test_what_is_no_component_set_is_one_message(command, content, message, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    assert message in error("components", command, str(path))


@pytest.mark.parametrize("command", ["check", "show"])
def test_a_missing_component_file_is_one_message(command):
    assert "cannot read nowhere.toml: No such file" in error("components", command, "nowhere.toml")


def test_components_show_where_each_value_comes_from():
    text = printed("components", "show")
    tables = re.split(r"\n\n", text)
    assert len(tables) == 8
    for table in tables[1:]:
        assert table.splitlines()[0].endswith("from")
        assert re.search(r"(rulebook|reconstructed|printed)$", table.splitlines()[1])


def test_components_show_as_json_can_be_read_again():
    assert la.ComponentSet.from_dict(json.loads(printed("components", "show", "--json"))) == la.complete_edition()


def _component_file(folder: Path, name: str, *changes: tuple[str, str]) -> str:
    """The shipped set under another name, with some changes."""
    text = (Path(la.__file__).parent / "data" / "complete_edition.toml").read_text(encoding="utf-8")
    for old, new in (('name = "complete-edition"', name), *changes):
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


# --- as a process of its own ------------------------------------------------------------------------


def test_the_module_can_be_run():
    out, err = start("show", "-").communicate(Path(CONFLICT).read_text())
    assert "Round 4 of 6" in out
    assert err == ""


def test_bad_input_exits_with_2():
    process = start("show", "nowhere.json")
    out, err = process.communicate()
    assert (process.returncode, out) == (2, "")
    assert err.startswith("Error: cannot read nowhere.json")


def test_a_reader_that_stops_reading_is_no_error():
    process = start("components", "show", "--json")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait() in (0, 1)


def test_output_that_nobody_reads_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    process = start("show", CONFLICT, stdout=writer)
    os.close(writer)
    assert process.communicate()[1] == ""
    assert process.returncode in (0, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("args", [["hint", CONFLICT, "--time", "30"], ["play", "--humans", "3", "--time", "30"]])
def test_ctrl_c_exits_with_130(args):
    process = start(*args)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err.strip() in ("", "Aborted!")


def test_a_terminal_without_the_characters_gets_question_marks():
    out, err = start("show", CONFLICT, env={"PYTHONIOENCODING": "ascii"}).communicate()
    assert "Kamenz" in out
    assert err == ""
