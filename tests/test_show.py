"""The table and the moves in words: nothing is left out, nothing hidden is shown, and what is foretold comes true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from positions import MIXED, Json, position, random_event, random_game

import lusatia_ai as la
from lusatia_ai import show
from lusatia_ai.components import Effects

EXAMPLES = sorted((Path(__file__).parents[1] / "examples" / "positions").glob("*.json"))

VARIANTS = [
    la.Variant(humans=3),
    la.Variant(humans=6, sides=MIXED),
    la.Variant(humans=2, automas=1, score_automas=True, sides="dark"),
    la.Variant(humans=4, easy=True),
    la.Variant(humans=3, automas=3, chooser_must_contribute=True),
]


@pytest.fixture(params=VARIANTS, ids=str)
def game(request: pytest.FixtureRequest) -> Iterator[tuple[la.State, str | Json]]:
    """A random game: each position with what happens next."""
    return random_game(request.param, seed=5)


# --- the board --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_positions_of_a_game_fit_the_width(game, width):
    for state, _ in islice(game, 0, None, 9):
        text = show.board_text(state.to_json(), width)
        assert max(map(len, text.splitlines())) <= width


def test_less_than_80_columns_are_taken_as_80():
    data = la.State.new(seed=1).to_json()
    assert show.board_text(data, 20) == show.board_text(data, 80)


def test_the_board_shows_all_that_is_on_the_table():
    text = show.board_text(json.loads(_example("conflict").read_text()))
    for words in ["Round 4 of 6", "town selection", "4 humans", "2 Kamenz · light", "besieged", "Chamberlain"]:
        assert words in text
    for words in ["● seat 1 at 7", "on the road: seat 2", "yellow 3", "Royal warehouse II", "nobles 3", "Rounds 5-6"]:
        assert words in text
    for words in ["Guard scale   seat 3 → seat 1", "Still to act  seat 2 → seat 0", "(Artisan)"]:
        assert words in text
    assert text.endswith("▶ Seat 3 accepts seat 1's bid of 7 in Lauban, or raises.\n")


def test_players_have_their_numbers_in_a_row():
    text = show.board_text(json.loads(_example("conflict").read_text()))
    assert _row(text, 3) == ["21", "11", "·", "4", "3", "·", "1", "·", "·", "·"]


def test_the_arrows_of_a_token_stand_around_its_centre():
    text = show.board_text(position(wagons={}, tokens={"kamenz": "advocatus_b"}).to_json())  # arrows 0 and 2
    assert "green 1 · ↑ · yellow 2" in text
    assert "blue 2 · · ↘ red 1" in text


def test_filled_and_empty_slots_can_be_told_apart():
    filled = {"royal": ["xx..", "....", "...", ".."]}
    state = position(stage="storing", royal="warehouse_1", filled=filled, goods={0: {"blue": 1}})
    text = " ".join(show.board_text(state.to_json()).split())
    assert "1 +5 ■ yellow ■ red □ blue 1 □ red 1" in text


def test_the_wagon_fort_lies_on_its_road():
    text = show.board_text(position(humans=6, fort="goerlitz").to_json())
    assert "♜ wagon fort" in text
    assert "│ ♜ │" in text  # between the first two towns
    assert "♜" not in show.board_text(position(humans=5).to_json())


def test_names_replace_seats():
    text = show.board_text(position(humans=3).to_json(), names=["Ann", "Bob", "Cleo"])
    assert "Ann → Bob → Cleo" in text
    assert "seat" not in text


def test_the_winners_are_named():
    state = la.State.new(la.Variant(humans=3), seed=3)
    rng = np.random.default_rng(3)
    while not state.is_over:
        state.apply(random_event(state, rng))
    winners = " and ".join(f"seat {seat}" for seat in state.winners)
    assert f"The game is over: {winners} " in show.board_text(state.to_json())


def test_a_game_before_its_set_up_can_be_shown():
    text = show.board_text(la.State.new(chance="manual").to_json())
    assert "League of Six · before set-up" in text
    assert "Chance sets up the game." in text


def test_a_component_set_of_ones_own_is_shown():
    data = la.complete_edition().to_dict() | {"name": "mine", "goods": ["green", "blue", "red", "yellow"]}
    state = la.State.new(la.Variant(humans=3), components=la.ComponentSet.from_dict(data), seed=1)
    assert "Royal warehouse" in show.board_text(state.to_json())


def test_colour_only_if_asked_for():
    data = la.State.new(seed=1).to_json()
    assert "\033[" not in show.board_text(data)
    assert "\033[" in show.board_text(data, colour=True)


# --- what a view hides ------------------------------------------------------------------------------


def test_hidden_hands_are_question_marks():
    state = position(humans=3, guards=[4, 5, 6])
    text = show.board_text(state.view(0).to_json())
    assert "seen by seat 0" in text
    assert _row(text, 0)[:2] == ["10", "4"]
    assert _row(text, 1)[:5] == ["10", "?", "?", "?", "?"]


def test_two_positions_that_differ_in_what_is_hidden_look_alike():
    poor, rich = position(humans=3, guards=[4, 5, 6]), position(humans=3, guards=[4, 50, 60])
    assert show.board_text(poor.view(0).to_json()) == show.board_text(rich.view(0).to_json())
    assert show.board_text(poor.to_json()) != show.board_text(rich.to_json())


def test_a_range_of_guards_is_shown():
    data = position(humans=3).view(0).to_json()
    data["players"][1]["guards_range"] = [2, 5]
    assert "2-5" in show.board_text(data)


# --- moves in words ---------------------------------------------------------------------------------


def test_every_move_and_decision_of_a_game_has_words(game):
    for state, _ in game:
        data = state.to_json()
        assert show.decision_sentence(data).endswith(".")
        for move in state.legal_moves():
            words = show.move_words(data, move.text)
            assert words or move.text == "collect:"


def test_the_way_costs_what_is_said(game):
    for state, _ in game:
        if state.decision == "travel":
            data = state.to_json()
            towns = [town for town in state.tables.towns if town not in data["besieged"]]
            said = {town: show.travel_cost(data, state.seat_to_act, town) for town in towns}
            costs = dict(zip(state.tables.towns, state.travel_costs(), strict=True))
            assert said == {town: costs[town] for town in towns}


def test_the_gains_of_a_tax_collection_come_true(game):
    for state, event in game:
        if state.decision == "collect":
            data, seat = state.to_json(), state.seat_to_act
            after = state.clone().apply(event).to_json()["players"][seat]
            before, gains = data["players"][seat], show.collected(data, event.partition(":")[2])
            for colour, amount in before["goods"].items():
                if after["goods"] != dict.fromkeys(after["goods"], 0):
                    assert after["goods"][colour] == amount + gains.get(colour, 0)
            assert after["guards"] == before["guards"] + gains.get("guards", 0)


def test_the_pieces_that_fill_a_row_are_foretold(game):
    for state, event in game:
        if state.decision == "row" and event.startswith("row:"):
            _, warehouse, number = event.split(":")
            data, after = state.to_json(), state.clone().apply(event).to_json()
            if after["warehouses"] is None:
                continue
            row = int(number) - 1
            filled = zip(*(entry["warehouses"][warehouse]["filled"][row] for entry in (data, after)), strict=True)
            newly = {slot for slot, (was, is_now) in enumerate(filled) if is_now and not was}
            assert set(show.filling(data, warehouse, int(number))) == newly


def test_bids_name_the_rival_and_the_way():
    data = json.loads(_example("two_and_an_automa").read_text())
    assert show.move_words(data, "go:lauban:3") == "go to Lauban and bid 3 against automa 2 (2 guards for the way)"


def test_a_row_tells_who_stores_what():
    state = position(humans=3, stage="storing", royal="warehouse_1", goods={0: {"green": 1}, 1: {"red": 2}, 2: {}})
    words = show.move_words(state.to_json(), "row:royal:4")  # slots red 2 and green 1; seat 2 chooses
    assert state.seat_to_act == 2
    assert words == "fill royal row 4: seat 0 green for 1; seat 1 red for 2; full: +2 favour"


def test_all_effects_have_words():
    assert set(show._EFFECTS) == {field.name for field in fields(Effects)}
    assert show.effect_words(Effects()) == "nothing"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kings_jester", "King's Jester"),
        ("captain_of_the_guard", "Captain of the Guard"),
        ("the_queen", "The Queen"),
        ("lady_in_waiting", "Lady-in-Waiting"),
        ("goerlitz", "Goerlitz"),
    ],
)
def test_ids_become_titles(name, words):
    assert show.title(name) == words


# --- positions as text, and the examples ------------------------------------------------------------


def test_the_text_of_a_position_is_its_json_with_a_line_for_each_player(game):
    for state, _ in game:
        data = state.to_json()
        text = show.position_text(data)
        assert json.loads(text) == data
        assert sum(line.startswith('    {"kind"') for line in text.splitlines()) == len(data["players"])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_sound_and_wait_for_a_choice(path):
    data = json.loads(path.read_text())
    loaded = la.View.from_json(data) if "view" in data else la.State.from_json(data)
    assert len(loaded.legal_moves()) > 2
    assert loaded.to_json() == data


def test_there_are_examples_of_each_kind():
    assert {path.stem for path in EXAMPLES} >= {"conflict", "storing", "two_and_an_automa", "hidden_hands"}


def _example(name: str) -> Path:
    return next(path for path in EXAMPLES if path.stem == name)


def _row(text: str, seat: int) -> list[str]:
    """What stands behind a seat in the table of the players."""
    rows = [line for line in text.splitlines() if line[3:].startswith(f"seat {seat} ")]
    return rows[0][3:].split()[2:]
