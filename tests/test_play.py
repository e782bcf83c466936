"""The game in the terminal: played with prepared answers, printed into a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from io import StringIO
from typing import Any

import numpy as np
import pytest
from positions import position
from rich.console import Console

import lusatia_ai as la
from lusatia_ai.play import _COMMANDS, HELP, Game, Match, brief_moves, find_move
from lusatia_ai.players import PlayResult
from lusatia_ai.search import Limit, search

MINE = "seat 0> "


class Table:
    """A game whose persons answer from a list; at its end the input ends."""

    def __init__(self, state: la.State, answers: Iterable[str], persons: Iterable[int] = (0,), **options: Any) -> None:
        self.out = StringIO()
        self.prompts: list[str] = []
        self.answers = iter(answers)
        options.setdefault("seek", lambda view: search(view, Limit(iterations=8), seed=1))
        console = Console(file=self.out, width=100, highlight=False, markup=False)
        self.game = Game(
            match=Match(state),
            persons=frozenset(persons),
            console=console,
            ask=self.ask,
            rng=np.random.default_rng(1),
            **options,
        )

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        self.out.write(prompt)
        try:
            answer = next(self.answers)
        except StopIteration:
            raise EOFError from None
        self.out.write(answer + "\n")
        return answer

    def run(self) -> str:
        self.game.run()
        return self.out.getvalue()

    @property
    def state(self) -> la.State:
        return self.game.state


def first_moves(table: Callable[[], Table]) -> Iterable[str]:
    """Always the first legal move, and Enter where the device is passed on."""
    while True:
        here = table()
        yield "" if here.prompts[-1].startswith("Pass") else here.state.legal_moves()[0].text


def respond_position(**facts: Any) -> la.State:
    """Seat 0 stands in Zittau at 0, and seat 1 has just bid 2."""
    wagons = {0: ("zittau", 0), 1: ("zittau", 2)}
    to_act = {"seat": 0, "decision": "respond", "town": "zittau", "rival": 1, "bid": 2}
    return position(humans=3, wagons=wagons, to_act=to_act, to_place=[2], **facts)


def two_guards_for_goods() -> la.State:
    """Seat 0, first in the storing order, may use a Farmer and then a Merchant."""
    token = {"seat": 0, "decision": "farmer", "token": "farmer"}
    return position(
        humans=3,
        round=3,
        stage="storing",
        companions={0: ["farmer", "merchant"]},
        goods={0: {"green": 1}, 1: {"red": 1}, 2: {"blue": 1}},
        horses={0: 3},
        guards=[3, 3, 3],
        to_act=token,
        used=[],
    )


# --- spelling ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("go:zittau:0", "go:zittau:0"),
        ("zit", "go:zittau:0"),
        ("go zit 0", "go:zittau:0"),
        ("KAM 3", "go:kamenz:3"),
        ("kamenz:12", "go:kamenz:12"),
        ("nowhere", None),
        ("kamenz 4", None),
    ],
)
def test_a_move_can_be_cut_short(line, move):
    moves = [la.Move(0, text) for text in ("go:zittau:0", "go:kamenz:1", "go:kamenz:12", "go:kamenz:3")]
    found = find_move(line, moves)
    assert (None if found is None else found.text) == move


@pytest.mark.parametrize(
    ("line", "move"),
    [("7", "raise:7"), ("a", "accept"), ("royal 2", "row:royal:2"), ("green red", "merchant:green>red")],
)
def test_the_kind_of_a_move_may_be_left_out(line, move):
    moves = [la.Move(0, text) for text in ("accept", "raise:7", "row:royal:2", "row:royal:1", "merchant:green>red")]
    assert find_move(line, moves) == la.Move(0, move)


def test_a_number_is_never_cut_short():
    assert find_move("1", [la.Move(0, "raise:10"), la.Move(0, "raise:12")]) is None


def test_a_line_with_several_meanings_lists_them():
    moves = [la.Move(0, f"go:kamenz:{bid}") for bid in range(1, 10)]
    with pytest.raises(la.NotationError, match=r"'kam' may mean go:kamenz:1, .*, \.\.\."):
        find_move("kam", moves)


def test_bids_of_different_height_are_one_line():
    state = respond_position(guards=[5, 5, 5], favour=[0, 10, 10])
    lines = list(brief_moves(state.to_json(), state.legal_moves()))
    assert [spelling for spelling, _ in lines] == ["accept", "raise:3 .. 5"]


# --- a person's turn --------------------------------------------------------------------------------


def test_a_move_is_played_and_told():
    table = Table(respond_position(), ["acc"])
    assert "seat 0: take 2 guards and leave Zittau" in table.run()
    assert table.state.decision == "travel"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("frobnicate", "bad notation 'frobnicate': a move begins with one of"),
        ("2", "illegal move 'raise:2': the standing bid is 2"),
        ("raise", "may mean raise:3, raise:4"),
        ("go:zittau:0", "illegal move 'go:zittau:0': seat 0 is to decide on respond"),
        ("undo", "no move has been made"),
        ("save", "save what? allowed: save FILE"),
        ("resume", "resume what? allowed: resume FILE"),
        ("save /nonexistent/file", "cannot use /nonexistent/file: No such file"),
        ("resume /nonexistent/file", "cannot use /nonexistent/file: No such file"),
    ],
)
def test_a_wrong_line_is_explained_and_changes_nothing(line, message):
    state = respond_position()
    table = Table(state.clone(), [line])
    assert message in table.run()
    assert table.state == state
    assert table.prompts == [MINE, MINE]


def test_enter_plays_the_only_move():
    table = Table(respond_position(guards=[2, 5, 5], favour=[0, 10, 10]), [""])
    table.run()
    assert table.state.decision == "travel"


def test_enter_lists_the_moves_if_there_are_several():
    table = Table(respond_position(), [""])
    assert table.run().count("take 2 guards and leave Zittau") == 2
    assert table.state == respond_position()


def test_help_knows_every_command():
    table = Table(respond_position(), ["help"])
    assert HELP.splitlines()[0] in table.run()
    named = {line.split()[0] for line in HELP.splitlines() if line.startswith("  ")}
    assert named == set(_COMMANDS) - {"help", "?", "exit"}


def test_quit_leaves_the_game():
    table = Table(respond_position(), ["quit", "accept"])
    assert table.run().endswith("Good-bye.\n")
    assert table.state == respond_position()


def test_the_end_of_the_input_leaves_the_game():
    assert Table(respond_position(), []).run().endswith("Good-bye.\n")


def test_a_hint_ranks_the_moves():
    out = Table(respond_position(), ["hint"]).run()
    assert re.search(r"1  (accept|raise:\d+) .*%", out)


def test_moves_are_listed_with_their_meaning():
    out = Table(respond_position(), ["moves"]).run()
    assert all(move.text in out for move in respond_position().legal_moves())


def test_companions_are_explained():
    out = Table(two_guards_for_goods(), ["companions"]).run()
    assert "seat 0  Farmer  storing: once a round give a guard for a piece of any colour" in out


# --- taking back ------------------------------------------------------------------------------------


def test_a_move_within_the_own_turn_can_be_taken_back():
    table = Table(two_guards_for_goods(), ["red", "undo"])
    out = table.run()
    assert "seat 0 takes that back" in out
    assert table.state == two_guards_for_goods()


def test_several_moves_can_be_taken_back():
    table = Table(two_guards_for_goods(), ["red", "pass", "undo", "undo"])
    table.run()
    assert table.state == two_guards_for_goods()


def test_a_move_cannot_be_taken_back_when_another_player_has_acted():
    match = Match(respond_position())
    match.act("raise:3")
    match.act("raise:4")
    with pytest.raises(la.LusatiaError, match="nothing to take back"):
        match.take_back()


def test_a_move_cannot_be_taken_back_when_chance_has_acted():
    match = Match(la.State.new(la.Variant(humans=2, automas=1), seed=1, chance="manual"))
    rng = np.random.default_rng(1)
    while match.state.is_chance:
        match.act(match.state.sample_chance(rng))
    match.act(match.state.legal_moves()[0].text)
    assert match.state.chance_event == "automa_town"
    match.act(match.state.sample_chance(rng))
    with pytest.raises(la.LusatiaError, match="nothing to take back"):
        match.take_back()


def test_what_is_taken_back_is_not_in_the_record():
    match = Match(la.State.new(la.Variant(humans=3), chance="manual"))
    rng = np.random.default_rng(1)
    while not (match.events and len(match.events) > 1 and _repeats_seat(match)):
        state = match.state
        match.act(
            state.sample_chance(rng) if state.is_chance else str(rng.choice([m.text for m in state.legal_moves()]))
        )
    before = len(match.events)
    match.take_back()
    assert len(match.events) == before - 1
    assert match.record().state() == match.state


def _repeats_seat(match: Match) -> bool:
    """Whether the seat to act made the last move, too."""
    assert match.events is not None
    return match.state.seat_to_act is not None and match.events[-1].get("seat") == match.state.seat_to_act


# --- saving and resuming ----------------------------------------------------------------------------


def test_a_game_from_its_set_up_is_saved_as_a_record_and_resumed(tmp_path):
    path = tmp_path / "game.json"
    table = Table(la.State.new(la.Variant(humans=3), chance="manual"), [f"save {path}"])
    assert f"kept in {path}" in table.run().replace("\n", "")
    assert json.loads(path.read_text())["format"] == "lusatia-record"
    resumed = Match.load(path)
    assert resumed.state == table.state
    assert resumed.events == table.game.match.events


def test_a_game_from_a_position_is_saved_as_a_position_and_resumed(tmp_path):
    path = tmp_path / "game.json"
    Table(respond_position(), [f"save {path}"]).run()
    assert json.loads(path.read_text()) == respond_position().to_json()
    table = Table(two_guards_for_goods(), [f"resume {path}"])
    table.run()
    assert table.state == respond_position()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format": "lusatia-record"}', "\udcff"])
def test_a_bad_file_leaves_the_game_as_it_is(tmp_path, content):
    path = tmp_path / "bad.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    table = Table(respond_position(), [f"resume {path}"])
    assert re.search("bad (position|record)", table.run())
    assert table.state == respond_position()


def test_a_view_cannot_be_resumed(tmp_path):
    path = tmp_path / "view.json"
    path.write_text(json.dumps(respond_position().view(0).to_json()))
    assert "a view with hidden hands" in Table(respond_position(), [f"resume {path}"]).run()


def test_a_game_with_too_few_seats_cannot_be_resumed(tmp_path):
    path = tmp_path / "three.json"
    path.write_text(json.dumps(respond_position().to_json()))
    table = Table(la.State.new(la.Variant(humans=4), seed=1, chance="manual"), ["", f"resume {path}"], persons=[0, 3])
    assert "which has no seat 3" in " ".join(table.run().split())


# --- secrets ----------------------------------------------------------------------------------------


def test_a_person_does_not_see_the_hands_of_others():
    poor, rich = respond_position(guards=[3, 5, 4]), respond_position(guards=[3, 50, 40])
    assert Table(poor, ["show"]).run() == Table(rich, ["show"]).run()


def test_known_hands_are_shown_if_asked_for():
    out = Table(respond_position(guards=[3, 57, 4]), [], hands="known").run()
    assert " 57 " in out


def test_bots_and_hints_see_no_more_than_their_seat():
    seen = []

    def seek(view: la.View) -> Any:
        seen.append(view)
        return search(view, Limit(iterations=2), seed=1)

    Table(respond_position(), ["hint", "3"], seek=seek).run()
    assert seen
    for view in seen:
        assert view.seat == view.seat_to_act
        assert set(view.hidden_guards) == {0, 1, 2} - {view.seat}


def test_bots_of_ones_choice_play_their_seats_and_see_no_more():
    seen = []

    def last(view: la.View) -> PlayResult:
        seen.append(view.seat)
        assert set(view.hidden_guards) == {0, 1, 2} - {view.seat}
        return PlayResult(view.legal_moves()[-1])

    state = la.State.new(la.Variant(humans=3), seed=1, chance="manual")
    table = Table(state, [], persons=(), bots=dict.fromkeys(range(3), last))
    table.run()
    assert table.state.is_over
    assert set(seen) == {0, 1, 2}


def test_what_others_hand_over_is_not_told():
    state = position(
        humans=3,
        round=6,
        stage="final_scoring",
        companions={0: ["captain_of_the_guard"], 1: ["hetman"]},
        guards=[3, 3, 3],
        to_act={"seat": 0, "decision": "hand_over", "token": "captain_of_the_guard"},
    )
    table = Table(state, ["", "hand_over:3", "", "quit"], persons=[0, 1])
    news = table.run().split("Pass the device to seat 1")[1]
    assert "seat 0 has chosen" in news
    assert "hand over 3" not in news.split("▶")[0]


# --- several persons --------------------------------------------------------------------------------


def test_the_device_is_passed_on():
    table = Table(respond_position(), ["", "3", "", "accept"], persons=[0, 1])
    out = table.run()
    assert "Pass the device to seat 1, who presses Enter." in out
    assert "seat 0: raise to 3" in out.split("Pass the device to seat 1")[1]


def test_a_lonely_person_keeps_the_device():
    table = Table(respond_position(), ["3"])
    assert "Pass the device" not in table.run()


def test_names_are_used():
    table = Table(respond_position(), [])
    table.game.match.names = ["Ann", "Bob", "Cleo"]
    out = table.run()
    assert "Ann accepts Bob's bid of 2 in Zittau, or raises." in out
    assert table.prompts == ["Ann> "]


# --- whole games ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "persons"),
    [
        (la.Variant(humans=3), [1]),
        (la.Variant(humans=2, automas=2, score_automas=True), [0, 1]),
        (la.Variant(humans=4, easy=True), [0, 2]),
        (la.Variant(humans=6), []),
    ],
)
def test_a_whole_game_is_played_to_its_end(variant, persons):
    holder: list[Table] = []
    state = la.State.new(variant, chance="manual")
    table = Table(state, first_moves(lambda: holder[0]), persons=persons)
    holder.append(table)
    out = table.run()
    assert table.state.is_over
    assert "The game is over: " in out
    assert table.game.match.record().state() == table.state


def test_a_file_that_holds_something_else_is_not_overwritten(tmp_path):
    match = Match(la.State.new(la.Variant(3), seed=1, chance="manual"))
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("years of work")
    with pytest.raises(la.LusatiaError, match="something else"):
        match.save(thesis)
    assert thesis.read_text() == "years of work"
    match.save(tmp_path / "game.json")
    match.save(tmp_path / "game.json")


def test_a_saved_game_knows_which_seats_have_names_of_their_own(tmp_path):
    match = Match(la.State.new(la.Variant(3), seed=1, chance="manual"), names=["seat 0", "Player 2", "Bob"])
    match.save(tmp_path / "bob.json")
    assert Match.load(tmp_path / "bob.json").named_persons() == (2,)
