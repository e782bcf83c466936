"""Records: what is written is read again, what does not follow is left out and told."""

from __future__ import annotations

import json

import pytest

import lusatia_ai as la


@pytest.fixture(scope="module")
def game() -> la.Record:
    """A whole game, three humans and an automa."""
    record = la.Record.new(la.Variant(humans=3, automas=1)).draw_chance(1)
    while not record.state().is_over:
        record.append(record.state().legal_moves()[0]).draw_chance(len(record.events))
    return record


def copy_of(record: la.Record) -> dict:
    return json.loads(json.dumps(record.to_json()))


def test_a_record_survives_json(game):
    assert la.Record.from_json(json.dumps(game.to_json()), strict=True).to_json() == game.to_json()


def test_a_record_survives_a_file(game, tmp_path):
    game.save(tmp_path / "game.json")
    assert la.Record.load(tmp_path / "game.json", strict=True).to_json() == game.to_json()
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


def test_the_result_is_there_once_the_game_is_over(game):
    state = game.state()
    assert game.to_json()["result"] == {
        "favour": list(state.favour),
        "guards": state.raw()["guards"][:3],
        "winners": list(state.winners),
    }
    assert "result" not in la.Record.new().to_json()


def test_replay_gives_the_position_before_each_event(game):
    positions = [state for state, _ in game.replay()]
    assert len(positions) == len(game.events)
    assert positions[0].chance_event == "setup"
    for turns in (0, 1, 17, len(game.events) - 1):
        assert positions[turns] == game.state(turns)


def test_states_of_a_record_are_independent_copies(game):
    before = game.state(5).to_json()
    state = game.state(5)
    while state.is_chance:
        state.apply(state.sample_chance(1))
    state.apply(state.legal_moves()[0])
    assert game.state(5).to_json() == before


def test_an_event_that_is_not_possible_leaves_the_record_unchanged(game):
    record = la.Record.from_json(copy_of(game))
    before = record.to_json()
    with pytest.raises(la.IllegalMoveError, match="over"):
        record.append("accept")
    with pytest.raises(la.NotationError):
        record.append("jump")
    with pytest.raises(la.NotationError, match="event"):
        record.append(7)
    assert record.to_json() == before


def test_a_move_of_another_seat_is_refused():
    record = la.Record.new(la.Variant(humans=3)).draw_chance(1)
    state = record.state()
    with pytest.raises(la.LusatiaError, match="waits for seat"):
        record.append(state.legal_moves()[0], seat=(state.seat_to_act + 1) % 3)


def test_comment_and_time_are_kept():
    record = la.Record.new(la.Variant(humans=3)).draw_chance(1)
    record.append(record.state().legal_moves()[0], comment="a quiet start", time=2.5)
    again = la.Record.from_json(record.to_json(), strict=True)
    assert again.events[-1]["comment"] == "a quiet start"
    assert again.events[-1]["time"] == 2.5


@pytest.mark.parametrize(
    "bad",
    [{"seat": 0, "move": "jump"}, {"seat": 0}, {"move": 3, "seat": 1}, 5, None, {"round": {}}, {"x": 1, "y": 2}, []],
)
def test_a_bad_event_ends_the_record_there_and_is_told(game, bad):
    data = copy_of(game)
    data["events"][30] = bad
    record = la.Record.from_json(data)
    assert record.events == game.events[:30]
    assert record.faults[0].place.startswith("events[30]")
    with pytest.raises(la.RecordError, match=r"events\[30\]"):
        la.Record.from_json(data, strict=True)


def test_a_wrong_result_is_told(game):
    data = copy_of(game)
    data["result"]["favour"][0] += 1
    record = la.Record.from_json(data)
    assert [fault.place for fault in record.faults] == ["result"]
    assert record.result == game.result


def test_a_result_before_the_end_is_told(game):
    data = copy_of(game)
    del data["events"][-1]
    assert [fault.place for fault in la.Record.from_json(data).faults] == ["result"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"format": "chess"}, "format"),
        ({"version": 2}, "version"),
        ({"components": "other"}, "components"),
        ({"variant": {"humans": 9}}, "variant.humans"),
        ({"variant": {"humans": 3, "sides": {"atlantis": "dark"}}}, "variant.sides.atlantis"),
    ],
)
def test_what_is_no_record_raises_with_its_place(game, change, place):
    with pytest.raises(la.RecordError) as error:
        la.Record.from_json(copy_of(game) | change)
    assert place in [fault.place for fault in error.value.faults]


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", '{"format": NaN}', b"\xff\xfe", "[" * 100_000])
def test_what_is_no_json_raises(text):
    with pytest.raises(la.RecordError):
        la.Record.from_json(text)


def test_a_missing_file_raises(tmp_path):
    with pytest.raises(la.RecordError, match="nowhere"):
        la.Record.load(tmp_path / "nowhere.json")


def test_names_have_a_default_and_a_check():
    assert la.Record.new(la.Variant(humans=2, automas=1)).names == ["Player 1", "Player 2", "Automa 1"]
    with pytest.raises(la.RecordError, match="names"):
        la.Record.new(la.Variant(humans=3), names=["only one"])


def test_any_kind_of_mapping_can_be_appended():
    from types import MappingProxyType

    record = la.Record.new(la.Variant(humans=3))
    event = record.state().sample_chance(1)
    record.append(MappingProxyType(event))
    assert record.events == [event]
    assert record.state().chance_event == "round"
