"""Positions as JSON: they survive the way out and back, and whatever is wrong in one is found and named."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from positions import (
    DROP,
    ESTATES,
    PLAYERS,
    TOWNS,
    Json,
    canonical,
    changed,
    faults_of,
    play,
    position,
    position_json,
    random_game,
    seeds,
    variants,
)

import lusatia_ai as la

SOME = settings(max_examples=12, deadline=None)


# --- out and back ---------------------------------------------------------------------------------


class TestRoundTrip:
    @given(variants, seeds)
    @SOME
    def test_every_position_of_a_game(self, variant: la.Variant, seed: int) -> None:
        for number, (state, _) in enumerate(random_game(variant, seed)):
            data = state.to_json()
            if number % 4 == seed % 4 or state.is_over:
                loaded = la.State.from_json(data, chance="manual")
                assert loaded == state
                assert loaded.hash == state.hash
                assert loaded.check() is None
                assert canonical(loaded.to_json()) == canonical(data)
                assert loaded.legal_moves() == state.legal_moves()

    @given(variants, seeds)
    @SOME
    def test_a_loaded_game_goes_on_in_the_same_way(self, variant: la.Variant, seed: int) -> None:
        twin = None
        for number, (state, event) in enumerate(random_game(variant, seed)):
            if number % 25 == 0:
                twin = la.State.from_json(json.dumps(state.to_json()), chance="manual")
            assert twin == state
            if event:
                twin.apply(event)

    @pytest.mark.parametrize("players", PLAYERS)
    def test_as_text_and_bytes(self, players: tuple[int, int]) -> None:
        state = la.State.new(la.Variant(*players), seed=1)
        text = json.dumps(state.to_json())
        assert la.State.from_json(text) == la.State.from_json(text.encode()) == state
        assert la.State.from_json("\n " + text + "\n") == state

    def test_what_is_read_is_not_changed(self) -> None:
        data = la.State.new(seed=1).to_json()
        text = canonical(data)
        state = la.State.from_json(data)
        state.apply(state.legal_moves()[0])
        assert canonical(data) == text

    def test_nothing_is_drawn_in_reading(self) -> None:
        data = la.State.new(chance="manual").to_json()
        state = la.State.from_json(data, chance="auto", seed=3)
        assert state.chance_event == "setup"
        state.draw_chance()
        assert state.decision == "travel"

    def test_what_is_written_is_independent(self) -> None:
        state = la.State.new(seed=1)
        data = state.to_json()
        data["players"][0]["goods"]["red"] = 5
        data["variant"]["humans"] = 2
        data["order"].clear()
        assert la.State.from_json(state.to_json()) == state

    def test_missing_flags_of_the_variant_are_false_and_written(self) -> None:
        data = la.State.new(seed=1).to_json()
        short = changed(data, {"variant": {"humans": 4}})
        assert la.State.from_json(short).to_json() == data

    def test_sides_are_kept_as_given(self) -> None:
        for sides in ("light", "dark", {}, {"zittau": "dark"}, {"zittau": "light"}):
            data = la.State.new(la.Variant(3, sides=sides), seed=1).to_json()
            assert data["variant"]["sides"] == sides
            assert la.State.from_json(data).to_json() == data

    def test_halves_of_horses(self) -> None:
        """Whole numbers are whole numbers, halves end in .5."""
        data = position_json(
            stage="storing", round=2, companions={0: ["stableman"]}, horses={0: 2.5, 1: 2}, goods={0: {"red": 1}}
        )
        written = la.State.from_json(data).to_json()
        assert [json.dumps(player["horses"]) for player in written["players"]] == ["2.5", "2", "0", "0"]

    def test_keys_of_a_position(self) -> None:
        """As the formats page lists them, for a human and for both kinds of automas."""
        data = la.State.new(la.Variant(2, 1, score_automas=True), seed=1).to_json()
        assert set(data) == {
            *("format", "version", "components", "variant", "ring", "round", "stage", "order", "besieged", "fort"),
            *("tokens", "warehouses", "face_up", "pools", "players", "to_act", "turn"),
        }
        human, _, automa = data["players"]
        assert set(human) == {"kind", "favour", "guards", "estates", "companions", "goods", "horses", "wagon"}
        assert set(automa) == {"kind", "favour", "goods", "wagon"}
        plain = la.State.new(la.Variant(2, 1), seed=1).to_json()["players"][2]
        assert set(plain) == {"kind", "goods", "wagon"}

    def test_a_game_before_its_set_up(self) -> None:
        data = la.State.new(la.Variant(3, 1), chance="manual").to_json()
        assert (data["ring"], data["order"], data["round"], data["stage"]) == (None, None, 0, "setup")
        assert (data["warehouses"], data["tokens"], data["besieged"], data["fort"]) == (None, {}, [], None)
        assert data["to_act"] == {"seat": None, "decision": "chance", "event": "setup"}
        assert data["turn"] == {
            "used": [],
            "to_place": [],
            "evicted": None,
            "storing_order": [],
            "next_chooser": 0,
            "pending_card": None,
            "grey_left": 0,
        }


# --- texts that are no position -------------------------------------------------------------------


class TestSyntax:
    @pytest.mark.parametrize(
        ("text", "place", "found"),
        [
            ("", "line 1, column 1", "Expecting value"),
            ("{", "line 1, column 2", ""),
            ('{"format": "lusatia-position",\n "version": }', "line 2, column 13", "Expecting value"),
            ('{"a": 1} x', "line 1, column 10", "Extra data"),
            ("{'a': 1}", "line 1, column 2", ""),
            ('{"a": 01}', "line 1", ""),
            ("nul", "line 1, column 1", "Expecting value"),
            ("{}{}", "line 1, column 3", "Extra data"),
            ('"\x01"', "line 1, column 2", "control character"),
        ],
    )
    def test_faults_of_syntax_have_line_and_column(self, text: str, place: str, found: str) -> None:
        (fault,) = faults_of(text)
        assert fault.place.startswith(place)
        assert found in fault.found
        assert "JSON" in fault.allowed

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
    def test_numbers_that_are_no_json(self, number: str) -> None:
        text = json.dumps(la.State.new(seed=1).to_json()).replace('"round": 1', f'"round": {number}')
        (fault,) = faults_of(text)
        assert number in fault.found

    @pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
    def test_such_numbers_in_a_dict(self, number: float) -> None:
        data = la.State.new(seed=1).to_json()
        for path in ("round", "players[0].favour", "players[1].horses", "version"):
            assert [fault.place for fault in faults_of(changed_in_place(data, path, number))] == [path]

    def test_a_key_twice(self) -> None:
        text = json.dumps(la.State.new(seed=1).to_json())
        (fault,) = faults_of(text.replace('"round": 1', '"round": 1, "round": 1'))
        assert "'round' twice" in fault.found
        (fault,) = faults_of(text.replace('"favour": 10', '"favour": 10, "favour": 10', 1))
        assert "'favour' twice" in fault.found

    @pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"ring": ' + "[" * 5000 + "]" * 5000 + "}"])
    def test_deep_nesting(self, text: str) -> None:
        assert len(faults_of(text)) >= 1

    @pytest.mark.parametrize(
        "path", ["ring", "components", "players[0].goods", "variant", "variant.sides", "variant.humans", "turn.used"]
    )
    def test_deep_nesting_in_a_dict(self, path: str) -> None:
        deep: Any = []
        for _ in range(5000):
            deep = [deep]
        assert faults_of(changed_in_place(la.State.new(seed=1).to_json(), path, deep))

    @pytest.mark.parametrize("path", ["format", "variant", "variant.sides", "variant.humans", "variant.easy", "stage"])
    def test_messages_stay_short(self, path: str) -> None:
        for value in ("x" * 100_000, list(range(100_000)), dict.fromkeys(map(str, range(1000)), "x" * 100)):
            faults = faults_of(changed(la.State.new(seed=1).to_json(), {path: value}))
            assert faults
            assert all(len(str(fault)) < 1000 for fault in faults)

    def test_keys_of_any_length_are_cut(self) -> None:
        data = la.State.new(seed=1).to_json()
        for path in ("", "variant.", "players[0].", "tokens."):
            faults = faults_of(changed(data, {f"{path}{'x' * 100_000}": 1}))
            assert faults
            assert all(len(str(fault)) < 1000 for fault in faults)

    def test_numbers_with_thousands_of_digits(self) -> None:
        text = json.dumps(la.State.new(seed=1).to_json())
        for digits in (30, 4000, 10_000):
            faults = faults_of(text.replace('"round": 1', '"round": ' + "9" * digits))
            assert len(faults) == 1
            assert len(str(faults[0])) < 300

    def test_bytes_that_are_no_text(self) -> None:
        (fault,) = faults_of(b'{"format": "\xff"}')
        assert (fault.place, fault.found) == ("byte 12", "no UTF-8")

    def test_half_of_a_pair_of_surrogates(self) -> None:
        data = changed(la.State.new(seed=1).to_json(), {"stage": "\ud800"})
        assert "stage" in [fault.place for fault in faults_of(data)]
        assert all(str(fault) for fault in faults_of(data))

    def test_an_unknown_stage_is_one_fault(self) -> None:
        """And no reason to ask for a position before set-up."""
        data = changed(la.State.new(seed=1).to_json(), {"stage": "round_set_up"})
        assert [fault.place for fault in faults_of(data)] == ["stage"]

    @pytest.mark.parametrize("data", [None, 3, True, 1.5, [], ["lusatia-position"], "3", "null", "[]", b"true"])
    def test_other_values_than_objects(self, data: Any) -> None:
        (fault,) = faults_of(data)
        assert fault.place == "position"
        assert "format" in fault.allowed

    def test_an_empty_object_lacks_what_tells_the_game(self) -> None:
        assert [fault.place for fault in faults_of({})] == ["format", "version", "components", "variant"]

    @pytest.mark.parametrize("end", range(0, 2400, 97))
    def test_a_text_that_was_cut_off(self, end: int) -> None:
        assert faults_of(json.dumps(la.State.new(seed=1).to_json())[:end])


def changed_in_place(data: Json, path: str, value: object) -> Json:
    """As `changed`, for values that are no JSON."""
    mark = "the value that is no JSON"
    result = changed(data, {path: mark})

    def put(at: Any) -> Any:
        if at == mark:
            return value
        if isinstance(at, dict):
            return {key: put(entry) for key, entry in at.items()}
        return [put(entry) for entry in at] if isinstance(at, list) else at

    return put(result)  # type: ignore[no-any-return]


# --- keys and types -------------------------------------------------------------------------------

TRAVEL = position_json(round=2, guards=[5, 4, 3, 2])
STORING = position_json(
    humans=3, round=4, stage="storing", horses={0: 3, 1: 2, 2: 1}, goods={0: {"red": 2}, 1: {"blue": 1}},
    companions={0: ["chamberlain", "farmer"], 1: ["merchant"], 2: ["innkeeper"]},
)  # fmt: skip
CONFLICT = position_json(
    round=2, order=[1, 0, 2, 3], to_place=[3], wagons={0: ("zittau", 2), 1: ("kamenz", 0), 2: ("zittau", 4)},
    guards=[9] * 4, to_act={"seat": 0, "decision": "respond", "town": "zittau", "rival": 2, "bid": 4},
)  # fmt: skip
EVICTED = position_json(
    round=2, order=[1, 0, 2, 3], to_place=[3], wagons={0: "zittau", 1: ("kamenz", 0), 2: ("zittau", 4)},
    to_act={"seat": 0, "decision": "travel"}, evicted={"seat": 0, "from": "zittau"},
)  # fmt: skip
COLLECT = position_json(humans=3, stage="tax_collection", round=3, companions={1: ["advocatus_a"]})
GREY_CARD = (
    position(humans=3, stage="tax_collection", round=2, tokens={"zittau": "advocatus_a"}).apply("collect:03").to_json()
)
CARD = position(
    humans=3, stage="storing", horses={0: 3}, goods={0: {"red": 5, "yellow": 5}}
).apply("row:estate:4").to_json()  # fmt: skip
BETWEEN = position_json(stage="round_setup", round=3)
SIX = position_json(humans=6, fort="lauban", round=2)
AUTOMAS = position_json(
    humans=2, automas=2, round=2, scored=True, to_place=[1, 3], wagons={0: ("zittau", 0)},
    to_act={"seat": None, "decision": "chance", "event": "automa_card", "automa": 2},
)  # fmt: skip
ANSWER = position_json(
    humans=2, automas=1, round=2, besieged=TOWNS[3:], to_place=[],
     wagons={0: ("kamenz", 0), 1: ("zittau", 4), 2: ("zittau", 2)},
    guards=[9, 9], to_act={"seat": None, "decision": "chance", "event": "automa_card", "automa": 2},
)  # fmt: skip
EASY = position_json(humans=5, easy=True, stage="tax_collection", round=3)
HAND_OVER = position_json(
    humans=3, stage="final_scoring", round=6, companions={0: ["hetman"], 1: ["captain_of_the_guard", "the_queen"]},
    to_act={"seat": 1, "decision": "hand_over", "token": "captain_of_the_guard"},
)  # fmt: skip
SETUP = la.State.new(la.Variant(3, 1), chance="manual").to_json()
OVER = play(la.State.from_json(HAND_OVER), "hand_over:0").to_json()
PRODUCE_STATE = position(humans=3, stage="round_setup", round=4, companions={1: ["innkeeper"]})
PRODUCE = PRODUCE_STATE.apply(PRODUCE_STATE.sample_chance(1)).to_json()

SOUND = {
    name: value
    for name, value in globals().copy().items()
    if isinstance(value, dict) and value.get("format") == "lusatia-position"
}


@pytest.mark.parametrize("name", SOUND)
def test_the_positions_that_are_spoilt_below_are_sound(name: str) -> None:
    assert faults_of(SOUND[name]) == []
    state = la.State.from_json(SOUND[name])
    assert state.check() is None
    assert canonical(state.to_json()) == canonical(SOUND[name])


def paths_of(data: Any, place: str = "") -> list[str]:
    """The paths of all keys in a position, the component set left out."""
    if isinstance(data, list):
        return [path for index, entry in enumerate(data) for path in paths_of(entry, f"{place}[{index}]")]
    if not isinstance(data, dict) or place == "components":
        return []
    here = [f"{place}.{key}".lstrip(".") for key in data]
    return here + [path for key, entry in data.items() for path in paths_of(entry, f"{place}.{key}".lstrip("."))]


def value_at(data: Any, path: str) -> Any:
    for step in path.replace("[", ".").replace("]", "").split("."):
        data = data[int(step)] if isinstance(data, list) else data[step]
    return data


def positions_of_games() -> dict[str, Json]:
    """A position of each decision and chance event, from random games with the shipped components."""
    found: dict[str, Json] = {}
    for variant in (
        la.Variant(3, 2, score_automas=True),
        la.Variant(6),
        la.Variant(4, easy=True, sides={"zittau": "dark"}),
    ):
        for seed in range(4):
            for state, _ in random_game(variant, seed):
                found.setdefault(f"{state.chance_event or state.decision or 'over'}", state.to_json())
    return found


GAMES = positions_of_games()
OPTIONAL = {f"variant.{key}" for key in ("automas", "easy", "chooser_must_contribute", "score_automas", "sides")}
OTHER_VALUES = [None, True, "zittau", -1, 2.0, 1.5, [], {}, [None], {"zittau": 1}, 10**30, "", 10**3000]


class TestKeys:
    def test_all_decisions_are_there(self) -> None:
        assert len(GAMES) == 15

    @pytest.mark.parametrize("decision", GAMES)
    def test_every_key_is_needed(self, decision: str) -> None:
        data = GAMES[decision]
        for path in paths_of(data):
            if path in OPTIONAL or path.startswith("variant.sides."):
                continue
            faults = faults_of(changed(data, {path: DROP}))
            if path.startswith("tokens."):  # which of them are there depends on the rest of the position
                assert any(fault.place == path for fault in faults), path
            else:
                assert any(fault.place == path and fault.found.startswith("nothing") for fault in faults), path

    @pytest.mark.parametrize("decision", GAMES)
    def test_no_key_may_be_added(self, decision: str) -> None:
        data = GAMES[decision]
        for table in {path.rpartition(".")[0] for path in paths_of(data)}:
            path = f"{table}.surplus".lstrip(".")
            faults = faults_of(changed(data, {path: 1}))
            assert any(fault.place == path and fault.found.startswith("an unknown key") for fault in faults), path

    @pytest.mark.parametrize("decision", GAMES)
    @pytest.mark.parametrize("shift", range(3))
    def test_no_value_may_have_another_type(self, decision: str, shift: int) -> None:
        """Each path gets some of the values; whatever is accepted is written as it was read."""
        data = GAMES[decision]
        for number, path in enumerate(paths_of(data)):
            value = OTHER_VALUES[(number + 5 * shift) % len(OTHER_VALUES)]
            spoilt = changed_in_place(data, path, value)
            faults = faults_of(spoilt)
            if not faults:
                assert canonical(la.State.from_json(spoilt).to_json()) == canonical(spoilt), f"{path}: {value!r}"
            for fault in faults:
                assert fault.place
                assert fault.found
                assert fault.allowed
                assert len(str(fault)) < 1500

    @pytest.mark.parametrize("decision", GAMES)
    def test_null_only_where_it_is_allowed(self, decision: str) -> None:
        data = GAMES[decision]
        for path in paths_of(data):
            if value_at(data, path) is not None and not path.startswith("face_up"):
                assert faults_of(changed(data, {path: None})), path

    @pytest.mark.parametrize(
        ("path", "value", "allowed"),
        [
            ("version", True, "the number 1"),
            ("version", 2, "the number 1"),
            ("format", "lusatia-record", "one of lusatia-position"),
            ("round", 2.0, "a whole number from 0 to 6"),
            ("round", True, "a whole number from 0 to 6"),
            ("round", 7, "a whole number from 0 to 6"),
            ("players[0].guards", True, "a whole number from 0 to "),
            ("players[0].guards", -1, "a whole number from 0 to "),
            ("players[0].favour", -1, "a whole number from 0 to "),
            ("players[0].favour", 10**9, "a whole number from 0 to "),
            ("players[0].favour", "10", "a whole number from 0 to "),
            ("players[0].horses", 1.25, "whole or ending in .5"),
            ("players[0].horses", 0.0, "whole or ending in .5"),
            ("players[0].horses", -0.5, "whole or ending in .5"),
            ("players[0].kind", "automa", "one of human"),
            ("players[0].wagon.position", 13, "a whole number from 0 to 12"),
            ("players[0].wagon.town", "prague", "one of bautzen, goerlitz"),
            ("players[0].goods.red", 1000, "a whole number from 0 to "),
            ("stage", "storage", "one of setup, round_setup"),
            ("order", [0, 1, 2, 2], "another value than at order[2]"),
            ("order", [0, 1, 2], "a list of exactly 4"),
            ("order", [0, 1, 2, 4], "a whole number from 0 to 3"),
            ("ring[0].side", "dark", "light, as the variant says"),
            ("ring[1].town", "goerlitz", "another value than at ring[0]"),
            ("besieged", ["lauban", "bautzen"], "towns sorted by their numbers"),
            ("pools.warehouse_tiles", ["warehouse_4", "warehouse_3"], "ids in plain string order"),
            ("components", "second-edition", "one of complete-edition"),
            ("variant.humans", 1, "a whole number from 2 to 6"),
            ("variant.automas", 3, "3 to 6 players in all"),
            ("variant.sides", "bright", "light, dark"),
            ("variant.sides", {"prague": "dark"}, "one of goerlitz, kamenz"),
            ("to_act.decision", "go", "one of produce, travel"),
            ("turn.next_chooser", 4, "a whole number from 0 to 3"),
        ],
    )
    def test_a_fault_says_where_what_and_what_else(self, path: str, value: Any, allowed: str) -> None:
        faults = faults_of(changed(TRAVEL, {path: value}))
        assert any(fault.place.startswith(path) and allowed in fault.allowed for fault in faults), faults
        assert any(repr(value)[:8].lower() in fault.found.lower() for fault in faults) or isinstance(
            value, (list, dict)
        )

    def test_several_faults_at_once(self) -> None:
        data = changed(
            TRAVEL,
            {
                "round": "two",
                "players[0].guards": -1,
                "players[3].goods.red": 2.0,
                "players[1].surplus": 1,
                "ring[2].town": DROP,
                "turn.used": {},
            },
        )
        assert {fault.place for fault in faults_of(data)} >= {
            *("round", "players[0].guards", "players[3].goods.red", "players[1].surplus", "ring[2].town", "turn.used")
        }
        with pytest.raises(
            la.PositionError, match=r"bad position, \d+ faults:\n  round: found 'two'; allowed: a whole"
        ):
            la.State.from_json(data)

    def test_faults_of_a_component_set_have_their_place(self) -> None:
        places = [fault.place for fault in faults_of(changed(TRAVEL, {"components.towns[2].light": []}))]
        assert places == ["components.towns[2].light"]


# --- contradictions -------------------------------------------------------------------------------

# A name, a sound position, what is changed in it, and where the fault is to be found.
CONTRADICTIONS: list[tuple[str, Json, dict[str, Any], str]] = [
    # round, stage, decision
    ("round 0 in play", TRAVEL, {"round": 0}, "round"),
    ("a round before set-up", SETUP, {"round": 1}, "round"),
    ("the end before round 6", OVER, {"round": 5}, "round"),
    ("final scoring before round 6", HAND_OVER, {"round": 5}, "round"),
    ("a later round with the pools of this one", TRAVEL, {"round": 3}, "players[0].companions"),
    ("another stage than the decision's", TRAVEL, {"stage": "storing"}, "to_act"),
    ("a decision of another stage", TRAVEL, {"to_act": {"seat": 0, "decision": "row"}}, "to_act"),
    ("nobody to act", TRAVEL, {"to_act": None}, "to_act"),
    ("somebody to act after the end", OVER, {"to_act": {"seat": 0, "decision": "travel"}}, "to_act"),
    ("an automa's town drawn after round 1", AUTOMAS, {"to_act.event": "automa_town"}, "to_act.event"),
    ("set-up again", BETWEEN, {"to_act.event": "setup"}, "to_act"),
    ("a ring before set-up", SETUP, {"ring": TRAVEL["ring"]}, "ring"),
    ("an order before set-up", SETUP, {"order": [0, 1, 2]}, "order"),
    ("no ring", TRAVEL, {"ring": None}, "ring"),
    ("no order", TRAVEL, {"order": None}, "order"),
    # siege and fort
    ("too few besieged towns", TRAVEL, {"besieged": ["lauban"]}, "besieged"),
    ("too many besieged towns", TRAVEL, {"besieged": ["loebau", "bautzen", "lauban"]}, "besieged"),
    ("besieged towns with six players", SIX, {"besieged": ["lauban"]}, "besieged"),
    ("a fort with four players", TRAVEL, {"fort": "lauban"}, "fort"),
    ("no fort with six players", SIX, {"fort": None}, "fort"),
    ("a fort between rounds", position_json(humans=6, stage="round_setup", round=2), {"fort": "lauban"}, "fort"),
    ("a siege between rounds", BETWEEN, {"besieged": ["bautzen", "lauban"]}, "besieged"),
    ("another town besieged than those without token", TRAVEL, {"besieged": ["loebau", "lauban"]}, "tokens"),
    # the table between rounds
    ("tokens on towns between rounds", BETWEEN, {"tokens": {"zittau": "chamberlain"}}, "tokens.zittau"),
    ("warehouses between rounds", BETWEEN, {"warehouses": COLLECT["warehouses"]}, "warehouses"),
    ("no warehouses in a round", TRAVEL, {"warehouses": None}, "warehouses"),
    ("cards on offer between rounds", BETWEEN, {"face_up.4": "clergy"}, "face_up"),
    ("goods between rounds", BETWEEN, {"players[1].goods.blue": 1}, "players[1].goods"),
    ("horses between rounds", BETWEEN, {"players[1].horses": 1}, "players[1].horses"),
    ("tokens decided on between rounds", BETWEEN, {"turn.used": ["plain_1_0"]}, "turn.used"),
    ("a wagon on a counter between rounds", BETWEEN, {"players[0].wagon.position": 0}, "players[0].wagon.position"),
    ("the table not clear at the end", OVER, {"players[0].goods.red": 1}, "players[0].goods"),
    # warehouses
    ("one tile in both warehouses", TRAVEL, {"warehouses.estate.tile": "warehouse_1"}, "warehouses"),
    ("a tile on the table and in the pool", TRAVEL, {"warehouses.estate.tile": "warehouse_3"}, "warehouses"),
    ("side II before round 4", TRAVEL, {"warehouses.royal.side": 2}, "warehouses.royal.side"),
    ("side I after round 3", STORING, {"warehouses.royal.side": 1}, "warehouses.royal.side"),
    ("a tile too many in the pool", TRAVEL, {"pools.warehouse_tiles": ["warehouse_3", "warehouse_4", "warehouse_5"]},
     "pools.warehouse_tiles"),
    ("a tile too few in the pool", TRAVEL, {"pools.warehouse_tiles": ["warehouse_3"]}, "pools.warehouse_tiles"),
    ("a tile twice in the pool", TRAVEL, {"pools.warehouse_tiles": ["warehouse_3", "warehouse_3"]},
     "pools.warehouse_tiles[1]"),
    ("a slot filled before storing", TRAVEL, {"warehouses.royal.filled[0][0]": True}, "warehouses"),
    ("a slot too many in a row", STORING, {"warehouses.royal.filled[3]": [False] * 4}, "warehouses.royal.filled[3]"),
    ("a row too few", STORING, {"warehouses.royal.filled[3]": DROP}, "warehouses.royal.filled"),
    # estate cards
    ("a card too many in a deck", TRAVEL, {"pools.estate_cards.3.burghers": 2, "pools.estate_cards.3.clergy": 2},
     "pools.estate_cards.3"),
    ("a card too few in a deck", TRAVEL, {"pools.estate_cards.3.burghers": 0}, "pools.estate_cards.3"),
    ("three cards of an estate in a deck", TRAVEL, {"pools.estate_cards.3.burghers": 3},
     "pools.estate_cards.3.burghers"),
    ("a card on offer that is also in the deck", TRAVEL, {"face_up.3": "burghers"}, "face_up.3"),
    ("a card gone before storing", TRAVEL, {"face_up.3": None}, "face_up"),
    ("symbols that nobody can hold", TRAVEL, {"players[1].estates.burghers": 4}, "players[].estates.burghers"),
    ("a symbol alone", STORING, {"players[1].estates.clergy": 1}, "players[].estates.clergy"),
    ("a grey card that nobody holds", COLLECT, {"players[1].estates.clergy": 2}, "players[].estates.clergy"),
    ("a grey card too many in the supply", COLLECT, {"pools.grey_cards.clergy": 1}, "pools.grey_cards"),
    ("a grey card too few in the supply", COLLECT, {"pools.grey_cards.nobles": 1}, "pools.grey_cards"),
    ("symbols before set-up", SETUP, {"players[0].estates.nobles": 2}, "players[].estates.nobles"),
    # tokens
    ("a token on two towns", TRAVEL, {"tokens.zittau": TRAVEL["tokens"]["kamenz"]}, "tokens.zittau"),
    ("a token on a town and in the pool", TRAVEL, {"tokens.zittau": TRAVEL["pools"]["tokens"]["1-2"][0]},
     "tokens.zittau"),
    ("a token on a town and in a hand", TRAVEL, {"tokens.zittau": TRAVEL["players"][0]["companions"][0]},
     "players[0].companions[0]"),
    ("a token in two hands", TRAVEL, {"players[1].companions": TRAVEL["players"][0]["companions"]},
     "players[1].companions[0]"),
    ("a token twice in a hand", BETWEEN, {"players[1].companions[1]": BETWEEN["players"][1]["companions"][0]},
     "players[1].companions[1]"),
    ("a token missing from the pool", TRAVEL, {"pools.tokens.1-2[3]": DROP}, "pools.tokens.1-2"),
    ("a token missing from the last pool", TRAVEL, {"pools.tokens.5-6[3]": DROP}, "pools.tokens.5-6"),
    ("a pool that should be empty", BETWEEN, {"pools.tokens.1-2": ["beggar"]}, "pools.tokens.1-2"),
    ("a token of another pool in a pool", TRAVEL, {"pools.tokens.3-4[0]": "advocatus_a"}, "pools.tokens.3-4[0]"),
    ("a token of another pool on a town", TRAVEL, {"tokens.zittau": TRAVEL["pools"]["tokens"]["3-4"][0]},
     "tokens.zittau"),
    ("no token on an open town", TRAVEL, {"tokens.zittau": DROP}, "tokens.zittau"),
    ("a token on a besieged town", TRAVEL, {"tokens.lauban": "beggar"}, "tokens.lauban"),
    ("a token on a town where it was taken", STORING, {"tokens": {"zittau": "chamberlain_b"}}, "tokens.zittau"),
    ("a companion too few", TRAVEL, {"players[2].companions": []}, "players[2].companions"),
    ("a companion too many", TRAVEL, {"players[2].companions": ["plain_1_2", "beggar"]}, "players[2].companions"),
    ("companions in an order that cannot be", STORING,
     {"players[0].companions": [*STORING["players"][0]["companions"][2:], *STORING["players"][0]["companions"][:2]]},
     "players[0].companions[0]"),
    ("a companion in the easy game", EASY, {"players[0].companions": ["easy_1"]}, "players[0].companions"),
    ("a bag in the normal game", TRAVEL, {"pools.easy_bag": ["easy_1"]}, "pools.easy_bag"),
    ("a used pile in the normal game", TRAVEL, {"pools.easy_used": ["easy_1"]}, "pools.easy_used"),
    ("an easy token missing", EASY, {"pools.easy_used[0]": DROP}, "pools.easy_used"),
    ("an easy token in the bag and on the pile", EASY, {"pools.easy_bag[0]": EASY["pools"]["easy_used"][0]}, "pools"),
    ("normal tokens in the easy game", EASY, {"pools.tokens.1-2": ["beggar"]}, "pools.tokens.1-2"),
    # used tokens
    ("a token used that nobody has", TRAVEL, {"turn.used": ["beggar"]}, "turn.used"),
    ("a token used that asks for no decision", STORING, {"turn.used": ["farmer", "innkeeper", "merchant", "plain_1_0"]},
     "turn.used"),
    ("a producer that has not been decided on", STORING, {"turn.used": ["farmer", "merchant"]}, "turn.used"),
    ("a producer used before its turn", PRODUCE, {"turn.used": ["innkeeper"]}, "turn.used"),
    ("a Farmer passed over", STORING, {"turn.used": ["innkeeper", "merchant"]}, "to_act"),
    ("a Merchant passed over", STORING, {"turn.used": ["farmer", "innkeeper"]}, "to_act"),
    ("a Farmer used in town selection", TRAVEL, {"turn.used": [TRAVEL["players"][0]["companions"][0]]}, "turn.used"),
    ("a token used twice", STORING, {"turn.used": ["farmer", "farmer", "innkeeper", "merchant"]}, "turn.used[1]"),
    ("production of a token that makes nothing", PRODUCE, {"to_act.token": "chamberlain"}, "to_act.token"),
    ("production of somebody else's token", PRODUCE, {"to_act.seat": 0}, "to_act.token"),
    # automas
    ("no automa cards left", AUTOMAS, {"pools.automa_cards": []}, "pools.automa_cards"),
    ("automa cards without automas", TRAVEL, {"pools.automa_cards": ["automa_1"]}, "pools.automa_cards"),
    ("cards turned before set-up", SETUP, {"pools.automa_cards": ["automa_1"]}, "pools.automa_cards"),
    ("an automa event without automas", TRAVEL,
     {"to_act": {"seat": None, "decision": "chance", "event": "automa_card", "automa": 3}}, "to_act"),
    ("an automa event of a human", AUTOMAS, {"to_act.automa": 0}, "to_act.automa"),
    ("an automa event out of turn", AUTOMAS, {"to_act.automa": 3}, "to_act"),
    ("guards of an automa", AUTOMAS, {"players[2].guards": 3}, "players[2].guards"),
    ("favour of an automa that keeps no score", ANSWER, {"players[2].favour": 10}, "players[2].favour"),
    ("no favour of an automa that keeps a score", AUTOMAS, {"players[2].favour": DROP}, "players[2].favour"),
    ("an automa asked without a human above it", ANSWER, {"players[1].wagon.position": 1}, "to_act"),
    ("an automa asked with the human level", ANSWER, {"players[1].wagon.position": 2}, "to_act"),
    ("a human above an automa who cannot pay", ANSWER, {"players[1].guards": 0, "players[1].favour": 7},
     "players[1].wagon.position"),
    # wagons
    ("a wagon in a besieged town", CONFLICT, {"players[1].wagon.town": "lauban"}, "players[1].wagon"),
    ("two wagons on a counter without a conflict", CONFLICT, {"players[1].wagon.town": "zittau"}, "players[1].wagon"),
    ("two wagons from the same town", TRAVEL, {"players[1].wagon.town": "goerlitz"}, "players[1].wagon"),
    ("no wagon after round 1", TRAVEL, {"players[1].wagon": None}, "players[1].wagon"),
    ("a wagon on the road in round 1", position_json(), {"players[1].wagon": {"town": "zittau", "position": None}},
     "players[1].wagon"),
    ("a wagon before set-up", SETUP, {"players[1].wagon": {"town": "zittau", "position": 0}}, "players[1].wagon"),
    ("a wagon on a counter before its turn", TRAVEL, {"players[2].wagon.position": 0}, "players[2].wagon.position"),
    ("a placed wagon on the road", CONFLICT, {"players[1].wagon.position": None}, "players[1].wagon.position"),
    ("a wagon on the road in storing", STORING, {"players[1].wagon.position": None}, "players[1].wagon.position"),
    # town selection
    ("the wrong player's turn", TRAVEL, {"to_act.seat": 1}, "to_act"),
    ("players in another order", TRAVEL, {"turn.to_place": [2, 1, 3]}, "turn.to_place"),
    ("a player left out", TRAVEL, {"turn.to_place": [1, 3]}, "turn.to_place"),
    ("a player twice", TRAVEL, {"turn.to_place": [1, 1, 3]}, "turn.to_place[1]"),
    ("players to place in storing", STORING, {"turn.to_place": [1]}, "turn.to_place"),
    ("an evicted player who does not travel", CONFLICT, {"turn.evicted": {"seat": 0, "from": "zittau"}},
     "turn.evicted"),
    ("another evicted seat than the traveller", EVICTED, {"turn.evicted.seat": 1}, "turn.evicted"),
    ("evicted from another town", EVICTED, {"turn.evicted.from": "kamenz"}, "turn.evicted.from"),
    ("evicted by nobody", EVICTED, {"players[2].wagon.town": "goerlitz"}, "turn.evicted.from"),
    ("an evicted wagon on the counter", EVICTED, {"players[0].wagon.position": 2}, "players[0].wagon.position"),
    ("a bid below the rival's", CONFLICT, {"players[0].wagon.position": 5}, "players[2].wagon.position"),
    ("a bid level with the rival's", CONFLICT, {"players[0].wagon.position": 4}, "players[2].wagon.position"),
    ("another bid than the rival's position", CONFLICT, {"to_act.bid": 5}, "to_act.bid"),
    ("another town than the wagons'", CONFLICT, {"to_act.town": "kamenz"}, "to_act.town"),
    ("a rival elsewhere", CONFLICT, {"to_act.rival": 1}, "to_act.rival"),
    ("oneself as rival", CONFLICT, {"to_act.rival": 0}, "to_act.rival"),
    ("a bid that cannot be paid", CONFLICT, {"players[2].guards": 0, "players[2].favour": 7},
     "players[2].wagon.position"),
    # tax collection
    ("another town than the collector's", COLLECT, {"to_act.town": "kamenz"}, "to_act.town"),
    ("the wrong collector", COLLECT, {"to_act.seat": 0, "to_act.town": "goerlitz"}, "players["),
    ("another order than that of the wagons", COLLECT, {"order": [0, 2, 1]}, "order"),
    ("another order than that of the positions", COLLECT, {"players[0].wagon.position": 1}, "order"),
    ("goods before collecting", COLLECT, {"players[2].goods.red": 2}, "players[2].goods"),
    ("goods in town selection without a producer", TRAVEL, {"players[0].goods.red": 1}, "players[0].goods"),
    ("goods of an automa before tax collection", AUTOMAS, {"players[2].goods.blue": 1}, "players[2].goods"),
    ("horses before collecting", COLLECT, {"players[2].horses": 2}, "players[2].horses"),
    ("half a horse before storing", COLLECT, {"players[2].horses": 0.5}, "players[2].horses"),
    ("grey cards left at another decision", COLLECT, {"turn.grey_left": 1}, "turn.grey_left"),
    ("more grey cards left than the token gives", GREY_CARD, {"turn.grey_left": 3}, "turn.grey_left"),
    ("no grey card left to take", GREY_CARD, {"turn.grey_left": 0}, "turn.grey_left"),
    # storing
    ("another storing order than that of the horses", STORING, {"turn.storing_order": [1, 0, 2]}, "turn.storing_order"),
    ("horses that contradict the storing order", STORING, {"players[2].horses": 4}, "turn.storing_order"),
    ("no storing order", STORING, {"turn.storing_order": []}, "turn.storing_order"),
    ("a storing order outside storing", TRAVEL, {"turn.storing_order": [0, 1, 2, 3]}, "turn.storing_order"),
    ("half a horse without a Stableman", STORING, {"players[0].horses": 3.5}, "players[0].horses"),
    ("the wrong next chooser", STORING, {"turn.next_chooser": 1}, "turn.next_chooser"),
    ("a next chooser outside storing", TRAVEL, {"turn.next_chooser": 1}, "turn.next_chooser"),
    ("a pending card at another decision", STORING, {"turn.pending_card": 3}, "turn.pending_card"),
    ("no pending card at a card's choice", CARD, {"turn.pending_card": None}, "turn.pending_card"),
    ("another bonus than that of a full row", CARD, {"turn.pending_card": 4, "to_act.bonus": 4}, "to_act.bonus"),
    ("two different bonuses", CARD, {"to_act.bonus": 5}, "turn.pending_card"),
    ("a card to choose, and no row is full", CARD, {"warehouses.estate.filled[3][0]": False}, "to_act.bonus"),
    ("a row to choose, and nobody has a piece", STORING,
     {"players[0].goods.red": 0, "players[1].goods.blue": 0, "turn.used": ["farmer", "innkeeper", "merchant"]},
     "to_act"),
    ("a Farmer's decision without guards",
     position_json(humans=3, round=2, stage="storing", companions={2: ["farmer"]}, used=[], goods={0: {"red": 1}},
                   to_act={"seat": 2, "decision": "farmer", "token": "farmer"}),
     {"players[2].guards": 0}, "to_act.token"),
    ("a Merchant's decision without goods",
     position_json(humans=3, round=2, stage="storing", companions={2: ["merchant"]}, used=[], goods={2: {"red": 1}},
                   to_act={"seat": 2, "decision": "merchant", "token": "merchant"}),
     {"players[2].goods.red": 0}, "to_act.token"),
    # final scoring
    ("guards handed over to a token of somebody else", HAND_OVER, {"to_act.token": "hetman"}, "to_act.token"),
    ("guards handed over to a token that takes none", HAND_OVER, {"to_act.token": "the_queen"}, "to_act.token"),
]  # fmt: skip


class TestContradictions:
    @pytest.mark.parametrize("seat", range(3))
    @pytest.mark.parametrize("name", ["COLLECT", "GREY_CARD", "STORING", "CARD"])
    def test_a_wagon_missing_after_town_selection(self, name: str, seat: int) -> None:
        faults = faults_of(changed(SOUND[name], {f"players[{seat}].wagon": None}))
        assert any(fault.place == f"players[{seat}].wagon" for fault in faults)

    def test_a_hand_missing_at_the_choice_of_a_grey_card(self) -> None:
        assert any(
            fault.place == "players[2].companions"
            for fault in faults_of(changed(GREY_CARD, {"players[2].companions": []}))
        )

    @pytest.mark.parametrize("humans", [3, 4, 5])
    def test_players_of_other_kinds_than_the_variant_says(self, humans: int) -> None:
        for data in (AUTOMAS, ANSWER):
            assert faults_of(changed(data, {"variant.humans": humans}))

    def test_warehouses_missing_at_the_choice_of_a_card(self) -> None:
        assert any(fault.place == "warehouses" for fault in faults_of(changed(CARD, {"warehouses": None})))

    @pytest.mark.parametrize(("name", "data", "changes", "place"), CONTRADICTIONS, ids=[c[0] for c in CONTRADICTIONS])
    def test_is_found(self, name: str, data: Json, changes: dict[str, Any], place: str) -> None:
        assert faults_of(data) == []
        faults = faults_of(changed(data, changes))
        assert any(fault.place.startswith(place) for fault in faults), faults

    def test_several_at_once(self) -> None:
        data = changed(
            CONFLICT,
            {"to_act.bid": 5, "pools.warehouse_tiles": [], "fort": None, "turn.grey_left": 1, "turn.next_chooser": 1},
        )
        places = {fault.place for fault in faults_of(data)}
        assert places >= {"to_act.bid", "pools.warehouse_tiles", "turn.grey_left", "turn.next_chooser"}

    def test_a_view_is_no_full_position(self) -> None:
        (fault,) = faults_of(changed(TRAVEL, {"view": 1}))
        assert fault.place == "view"
        assert "View.from_json" in fault.allowed
        assert any(
            fault.place == "players[2].guards" for fault in faults_of(changed(TRAVEL, {"players[2].guards": None}))
        )


# Contradictions that take some knowledge of the rules: what they say is in the name.
SUBTLE: list[tuple[str, Json, dict[str, Any]]] = [
    ("an automa that answers stands one above the human (9.3, 9.4)",
     position_json(humans=2, automas=1, round=2, besieged=TOWNS[3:], to_place=[],
                   wagons={0: ("kamenz", 0), 1: ("zittau", 2), 2: ("zittau", 3)},
                   to_act={"seat": 1, "decision": "respond", "town": "zittau", "rival": 2, "bid": 3}),
     {"players[2].wagon.position": 5, "to_act.bid": 5}),
    ("who evicted somebody has bid at least 1 (3.5)", EVICTED, {"players[2].wagon.position": 0}),
    ("a card that is gone from the offer is in a hand (6.6)", STORING, {"face_up.5": None}),
    ("a later seat's Farmer is decided on later (6.3)",
     position_json(humans=3, round=2, stage="storing", horses={0: 3, 1: 2}, goods={0: {"red": 1}},
                   companions={0: ["merchant"], 1: ["farmer"]}, used=[],
                   to_act={"seat": 0, "decision": "merchant", "token": "merchant"}),
     {"turn.used": ["farmer"]}),
    ("a seat's Farmer comes before its Merchant (6.3)",
     position_json(humans=3, round=3, stage="storing", horses={0: 3, 1: 2}, goods={0: {"red": 1}},
                   companions={0: ["merchant", "farmer"]}, used=[],
                   to_act={"seat": 0, "decision": "farmer", "token": "farmer"}),
     {"turn.used": ["merchant"]}),
    ("the stage is over when no piece can be stored (6.8)",
     position_json(humans=3, round=4, stage="storing", horses={0: 3}, goods={0: {"red": 1}, 1: {"blue": 1}},
                   companions={0: ["chamberlain"]},
                   filled={"royal": ["x...", "xx..", "...", ".x."], "estate": [".x..", "x...", ".x.", "..x"]}),
     {"players[1].goods.blue": 0}),
    ("the stage is over when no human's piece can be stored, with chooser_must_contribute (6.8)",
     position_json(humans=3, round=4, must=True, stage="storing", horses={0: 3}, goods={0: {"red": 1}, 1: {"blue": 1}},
                   companions={0: ["chamberlain"]},
                   filled={"royal": ["x...", "xx..", "...", ".x."], "estate": [".x..", "x...", ".x.", "..x"]}),
     {"players[1].goods.blue": 0}),
    ("a town shows only so many horses (5.3)", STORING, {"players[0].horses": 40}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "changes"), SUBTLE, ids=[case[0] for case in SUBTLE])
def test_a_subtle_contradiction_is_found(name: str, data: Json, changes: dict[str, Any]) -> None:
    assert faults_of(data) == []
    assert faults_of(changed(data, changes))


# --- hands ----------------------------------------------------------------------------------------


class TestHands:
    @pytest.mark.parametrize("symbols", range(30))
    def test_symbols_must_be_those_of_cards(self, symbols: int) -> None:
        """After six rounds all cards are gone: two each of 2, 3, 4 and 5 symbols make any sum but 1 and 27."""
        data = changed(HAND_OVER, {"players[0].estates.clergy": symbols})
        assert (not faults_of(data)) == (symbols <= 28 and symbols not in (1, 27))

    def test_hands_share_the_cards(self) -> None:
        """28 symbols of an estate are all there are."""
        for hands, possible in (([14, 14, 0], True), ([14, 14, 2], False), ([26, 2, 0], True), ([26, 1, 1], False)):
            data = changed(HAND_OVER, {f"players[{seat}].estates.nobles": n for seat, n in enumerate(hands)})
            assert (not faults_of(data)) == possible, hands

    def test_grey_cards_are_all_in_hands(self) -> None:
        data = position_json(
            humans=3, stage="final_scoring", round=6,
            companions={0: ["hetman", "advocatus_a"]}, grey={0: ["clergy"] * 2},
            to_act={"seat": 0, "decision": "hand_over", "token": "hetman"},
        )  # fmt: skip
        assert faults_of(data) == []
        assert data["players"][0]["estates"] == {"clergy": 4, "nobles": 0, "burghers": 0}
        for symbols in (0, 2, 3):
            assert faults_of(changed(data, {"players[0].estates.clergy": symbols}))
        assert faults_of(changed(data, {"players[1].estates.clergy": 2})) == []
        for estate in ESTATES[1:]:
            moved = {"pools.grey_cards.clergy": 1, f"pools.grey_cards.{estate}": 1}
            assert faults_of(changed(data, moved))
            assert not faults_of(
                changed(data, moved | {"players[0].estates.clergy": 2, f"players[0].estates.{estate}": 2})
            )
