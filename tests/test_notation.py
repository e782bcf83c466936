"""Moves and chance objects as text and JSON: bad notation is told from illegal moves, and both say why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from positions import Json, changed, moves, play, position, random_game

import lusatia_ai as la

# --- spelling -------------------------------------------------------------------------------------


class TestSpelling:
    @pytest.mark.parametrize(
        ("text", "allowed"),
        [
            ("go:zittau", "go:TOWN:POSITION"),
            ("go:zittau:13", "go:TOWN:POSITION"),
            ("go:zittau:-1", "go:TOWN:POSITION"),
            ("go:zittau:00", "go:TOWN:POSITION"),
            ("go:zittau:0 ", "go:TOWN:POSITION"),
            ("go:Zittau:0", "go:TOWN:POSITION"),
            ("go:prague:0", "go:TOWN:POSITION"),
            ("go:zittau:0:0", "go:TOWN:POSITION"),
            ("go:zittau:٣", "go:TOWN:POSITION"),
            ("go:", "go:TOWN:POSITION"),
            ("go", "go:TOWN:POSITION"),
            ("raise:0", "raise:BID"),
            ("raise:05", "raise:BID"),
            ("raise:13", "raise:BID"),
            ("raise:+5", "raise:BID"),
            ("raise", "raise:BID"),
            ("accept:", "accept"),
            ("pass:1", "pass"),
            ("collect:", "collect:SIDES"),
            ("collect:20", "collect:SIDES"),
            ("collect:00", "collect:SIDES"),
            ("collect:6", "collect:SIDES"),
            ("grey:peasants", "grey:ESTATE"),
            ("produce:orange", "produce:COLOUR"),
            ("farmer:", "farmer:COLOUR"),
            ("merchant:red>red", "merchant:GIVEN>TAKEN"),
            ("merchant:red", "merchant:GIVEN>TAKEN"),
            ("row:royal:0", "row:WAREHOUSE:ROW"),
            ("row:royal:5", "row:WAREHOUSE:ROW"),
            ("row:1", "row:WAREHOUSE:ROW"),
            ("row:noble:1", "row:WAREHOUSE:ROW"),
            ("chamberlain:gold", "chamberlain:COLOUR"),
            ("card:6", "card:SYMBOLS"),
            ("card:1", "card:SYMBOLS"),
            ("hand_over:", "hand_over:GUARDS"),
            ("hand_over:01", "hand_over:GUARDS"),
            ("hand_over:100", "hand_over:GUARDS"),
        ],
    )
    def test_says_how_this_kind_of_move_is_spelled(self, text: str, allowed: str) -> None:
        state = la.State.new(seed=1)
        before = state.clone()
        with pytest.raises(la.NotationError) as raised:
            state.apply(text)
        assert repr(text) in str(raised.value)
        assert f"allowed is {allowed}" in str(raised.value)
        with pytest.raises(la.NotationError):
            state.is_legal(text)
        assert state == before

    @pytest.mark.parametrize("text", ["", " ", "Accept", "accept ", "\n", "e2e4", "GO:zittau:0", ":", "travel:zittau"])
    def test_says_what_moves_begin_with(self, text: str) -> None:
        with pytest.raises(la.NotationError, match=r"a move begins with one of go, raise, accept"):
            la.State.new(seed=1).apply(text)

    def test_a_long_text_is_cut(self) -> None:
        with pytest.raises(la.NotationError) as raised:
            la.State.new(seed=1).apply("go:" + "z" * 100_000)
        assert len(str(raised.value)) < 300

    def test_bad_notation_comes_before_legality(self) -> None:
        """Also where no move is possible at all."""
        for state in (la.State.new(chance="manual"), over()):
            with pytest.raises(la.NotationError):
                state.apply("raise:05")

    @given(st.text(max_size=20))
    @example("\ud800")
    @settings(deadline=None)
    def test_any_text_is_a_move_or_bad_notation(self, text: str) -> None:
        state = la.State.new(seed=1)
        if text in state.tables.moves:
            assert str(state.parse_move(text)) == text
        else:
            with pytest.raises(la.NotationError):
                state.parse_move(text)

    def test_all_moves_of_a_game_can_be_parsed(self) -> None:
        for state, _ in random_game(la.Variant(3, 1), 8):
            for move in state.legal_moves():
                assert state.parse_move(str(move)) == move
                assert repr(move) == f"Move({str(move)!r})"

    def test_moves_compare_by_their_text(self) -> None:
        state = la.State.new(seed=1)
        one, other = state.parse_move("raise:10"), state.parse_move("raise:5")
        assert one < other
        assert one == la.State.new(la.Variant(3), seed=1).parse_move("raise:10")
        assert len({one, other, state.parse_move("raise:5")}) == 2


def over() -> la.State:
    state = position(
        humans=3, stage="final_scoring", round=6, companions={0: ["hetman"]},
        to_act={"seat": 0, "decision": "hand_over", "token": "hetman"},
    )  # fmt: skip
    return state.apply("hand_over:0")


# --- legality -------------------------------------------------------------------------------------

STORING = {"humans": 3, "round": 4, "stage": "storing", "horses": {0: 3, 1: 2, 2: 1}}


class TestIllegalMoves:
    """A well-spelled move that is not legal: the message says which rule forbids it."""

    @pytest.mark.parametrize(
        ("facts", "events", "move", "why"),
        [
            ({}, [], "go:lauban:0", r"lauban is besieged and cannot be entered \(rules 3.2\)"),
            ({}, [], "go:zittau:1", r"zittau is free: a wagon enters it at 0, or at 1 with a companion"),
            ({}, ["go:zittau:0"], "go:zittau:0", r"in zittau player 0 stands at 0: a bid must be higher \(rules 3.5\)"),
            ({}, ["go:zittau:0"], "go:zittau:9", r"a bid of 9 in zittau cannot be paid: .* can pay 8 \(rules 3.5\)"),
            ({"guards": [20] * 4}, ["go:zittau:0", "go:zittau:12", "accept", "go:kamenz:0"], "go:zittau:12",
             r"nobody can be outbid at 12, as in zittau \(rules 3.5\)"),
            ({}, ["go:zittau:0", "go:zittau:1", "accept"], "go:zittau:2",
             r"an evicted wagon must leave zittau for another town \(rules 3.2\)"),
            ({"round": 2, "guards": [1] * 4, "favour": [1] * 4}, [], "go:loebau:0",
             r"the way to loebau costs 3 guards, and the seat can pay 1 \(rules 3.3\)"),
            ({}, ["go:zittau:0", "go:zittau:3"], "raise:3",
             r"the standing bid is 3: a raise must be above it \(rules 3.6\)"),
            ({}, ["go:zittau:0", "go:zittau:3"], "raise:9",
             r"a raise to 9 cannot be paid: the seat can pay 8 \(rules 3.6\)"),
            ({"guards": [20] * 4}, ["go:zittau:0", "go:zittau:12"], "raise:12",
             r"a bid of 12 must be accepted \(rules 3.6\)"),
            ({}, [], "accept", r"seat 0 is to decide on travel, with moves such as go:goerlitz:0"),
            ({}, [], "pass", r"seat 0 is to decide on travel"),
            ({"stage": "tax_collection"}, [], "collect:01",
             r"no rotation of the token \w+ points at the sides 01 \(rules 5.2\)"),
            ({"stage": "tax_collection", "round": 3, "tokens": {"loebau": "town_councillor_c"},
             "companions": {0: ["advocatus_a"]}},
             ["collect:0"], "grey:clergy", r"the supply has no grey card of clergy left \(rules 5.4\)"),
            (STORING | {"goods": {0: {"red": 1}}}, [], "row:royal:3",
             r"nobody has a piece that fits into the row royal:3 \(rules 6.4\)"),
            (STORING | {"goods": {0: {"red": 1}, 1: {"blue": 1}}, "must": True}, [], "row:royal:3",
             r"the seat has no piece that fits into the row royal:3 \(rules 6.4, chooser must contribute\)"),
            (STORING | {"goods": {0: {"red": 1}}}, [], "chamberlain:red",
             r"the seat has no Chamberlain that is unused"),
            (STORING | {"goods": {0: {"red": 1}}, "companions": {0: ["chamberlain"]}}, [], "chamberlain:blue",
             r"the seat has no blue piece \(rules 6.7\)"),
            (STORING | {"goods": {0: {"red": 1}}}, [], "pass", r"who can choose a row must choose one \(rules 6.4\)"),
            (STORING | {"goods": {0: {"red": 9, "yellow": 9, "blue": 9}}}, ["row:estate:4"], "card:3",
             r"the row allows at most 2 symbols \(rules 6.6\)"),
            (STORING | {"goods": {0: {"red": 9, "yellow": 9, "blue": 9, "green": 9}}},
             ["row:estate:3", "card:2", "row:estate:1"],
             "card:2", r"the card with 2 symbols is no longer on offer \(rules 6.6\)"),
            (STORING | {"goods": {0: {"red": 1}}, "companions": {0: ["merchant"]}, "used": [],
                        "to_act": {"seat": 0, "decision": "merchant", "token": "merchant"}}, [], "merchant:blue>red",
             r"the seat has no blue piece \(rules 6.3\)"),
            ({"humans": 3, "stage": "final_scoring", "round": 6, "companions": {0: ["hetman"]}, "guards": [3, 3, 3],
              "to_act": {"seat": 0, "decision": "hand_over", "token": "hetman"}}, [], "hand_over:4",
             r"hetman takes fewer guards, or the seat has only 3 \(rules 8.2\)"),
        ],
    )  # fmt: skip
    def test_says_why(self, facts: Json, events: list[str], move: str, why: str) -> None:
        state = play(position(**facts), *events)
        before = state.clone()
        with pytest.raises(la.IllegalMoveError, match=f"^illegal move '{move}': {why}"):
            state.apply(move)
        assert state == before

    def test_of_producers(self) -> None:
        state = position(humans=3, stage="round_setup", round=4, companions={1: ["innkeeper"]})
        state.apply(state.sample_chance(1))
        with pytest.raises(la.IllegalMoveError, match=r"the token does not make green goods \(rules 2.4\)"):
            state.apply("produce:green")

    def test_at_chance(self) -> None:
        with pytest.raises(la.IllegalMoveError, match="the position waits for chance, not for a move"):
            la.State.new(chance="manual").apply("accept")

    def test_when_the_game_is_over(self) -> None:
        with pytest.raises(la.IllegalMoveError, match="the game is over"):
            over().apply("accept")
        with pytest.raises(la.IllegalMoveError, match="waits for nothing: the game is over"):
            over().apply({"automa_card": "automa_1"})


# --- chance objects -------------------------------------------------------------------------------


def before_round(**facts: Any) -> tuple[la.State, Json]:
    state = position(**({"stage": "round_setup", "round": 3} | facts))
    return state, state.sample_chance(1)


class TestMalformedChance:
    @pytest.mark.parametrize(
        "event",
        [
            {},
            {"dice": 3},
            {"setup": {}, "round": {}},
            {"Setup": {}},
            {3: 4},
            {None: {}},
            {("round",): {}},
            {"travel": 1},
        ],
    )
    def test_not_one_known_key(self, event: Any) -> None:
        state = la.State.new(chance="manual")
        with pytest.raises(la.NotationError, match="an object with one key of setup, round, automa_town, automa_card"):
            state.apply(event)

    @pytest.mark.parametrize("value", [None, 3, "zittau", [], [1], True, float("nan"), {}])
    def test_other_contents_than_an_object(self, value: Any) -> None:
        for state, key in ((la.State.new(chance="manual"), "setup"), (before_round()[0], "round")):
            with pytest.raises(la.NotationError, match=rf"bad chance object:\s+{key}"):
                state.apply({key: value})

    @pytest.mark.parametrize(
        ("path", "value", "place"),
        [
            ("setup.ring[0]", "prague", r"setup.ring\[0\]"),
            ("setup.ring", ["zittau"], "setup.ring: found a list of 1; allowed: a list of exactly 6 towns"),
            ("setup.order", [0, 1, 2, 3, 0], "setup.order"),
            ("setup.order[0]", 4, r"setup.order\[0\]: found 4; allowed: a whole number from 0 to 3"),
            ("setup.order[0]", True, r"setup.order\[0\]: found true"),
            ("setup.order[0]", 0.0, r"setup.order\[0\]: found 0.0"),
            ("setup.display", [], "setup.display: found a list of 0; allowed: a list of exactly 8"),
            ("setup.display[2]", "beggar", r"setup.display\[2\]: found 'beggar'"),
            ("setup.seed", 3, "setup.seed: found an unknown key"),
        ],
    )
    def test_set_up(self, path: str, value: Any, place: str) -> None:
        state = la.State.new(chance="manual")
        before = state.clone()
        with pytest.raises(la.NotationError, match=place):
            state.apply(changed(state.sample_chance(1), {path: value}))
        assert state == before

    @pytest.mark.parametrize("key", ["ring", "order", "display"])
    def test_every_key_of_set_up_is_needed(self, key: str) -> None:
        state = la.State.new(chance="manual")
        event = state.sample_chance(1)
        del event["setup"][key]
        with pytest.raises(la.NotationError, match=f"setup.{key}: found nothing"):
            state.apply(event)

    @pytest.mark.parametrize("key", ["ring", "order", "display"])
    def test_nothing_twice_in_set_up(self, key: str) -> None:
        state = la.State.new(chance="manual")
        event = state.sample_chance(1)
        event["setup"][key][1] = event["setup"][key][0]
        with pytest.raises(la.NotationError, match=rf"setup.{key}\[1\]: found .* again"):
            state.apply(event)

    @pytest.mark.parametrize("key", ["besieged", "fort", "tokens", "face_up", "royal", "estate"])
    def test_every_key_of_a_round_is_needed(self, key: str) -> None:
        state, event = before_round()
        del event["round"][key]
        with pytest.raises(la.NotationError, match=f"round.{key}: found nothing"):
            state.apply(event)

    @pytest.mark.parametrize(
        ("path", "value", "place"),
        [
            ("round.besieged", [], "round.besieged: found a list of 0; allowed: a list of exactly 2 towns"),
            ("round.fort", "zittau", "round.fort: found 'zittau'; allowed: null with fewer than six players"),
            ("round.royal", "warehouse_7", "round.royal: found 'warehouse_7'"),
            ("round.face_up.2", "peasants", "round.face_up.2: found 'peasants'"),
            ("round.face_up.6", "clergy", "round.face_up.6: found an unknown key"),
            ("round.face_up", {}, "round.face_up.2: found nothing"),
            ("round.tokens", {}, "round.tokens.bautzen: found nothing"),
            ("round.weather", "rain", "round.weather: found an unknown key"),
        ],
    )
    def test_round(self, path: str, value: Any, place: str) -> None:
        state, event = before_round()
        before = state.clone()
        event["round"] |= {"besieged": ["goerlitz", "lauban"]}
        tokens = list(event["round"]["tokens"].values())
        event["round"]["tokens"] = dict(zip(("kamenz", "zittau", "loebau", "bautzen"), tokens, strict=True))
        with pytest.raises(la.NotationError, match=place):
            state.apply(changed(event, {path: value}))
        assert state == before

    def test_several_faults_at_once(self) -> None:
        state, event = before_round()
        with pytest.raises(la.NotationError, match=r"(?s)round\.fort.*round\.face_up\.3.*round\.royal"):
            state.apply(changed(event, {"round.royal": 3, "round.fort": 3, "round.face_up.3": 3}))

    @pytest.mark.parametrize("value", [3, None, "prague", ["zittau"], {"town": "zittau"}, True])
    def test_automas(self, value: Any) -> None:
        card = {"seat": None, "decision": "chance", "event": "automa_card", "automa": 2}
        turn = position(humans=2, automas=1, round=2, wagons={0: ("zittau", 0)}, to_place=[1], to_act=card)
        with pytest.raises(
            la.NotationError, match=r"bad chance object: automa_card: found .*; allowed: one of automa_1"
        ):
            turn.apply({"automa_card": value})
        town = position(humans=2, automas=1).apply("go:zittau:0")
        with pytest.raises(
            la.NotationError, match=r"bad chance object: automa_town: found .*; allowed: one of bautzen"
        ):
            town.apply({"automa_town": value})

    def test_deep_nesting_and_huge_numbers(self) -> None:
        deep: Any = []
        for _ in range(5000):
            deep = [deep]
        state = la.State.new(chance="manual")
        for value in (deep, 10**5000, "x" * 100_000, [deep] * 6):
            with pytest.raises(la.NotationError) as raised:
                state.apply({"setup": value})
            assert len(str(raised.value)) < 3000
            with pytest.raises(la.NotationError):
                state.apply({"setup": {"ring": value, "order": value, "display": value}})


class TestImpossibleChance:
    """Well-formed outcomes that the pools, or the position, do not allow."""

    def test_another_event_than_the_pending_one(self) -> None:
        state = la.State.new(chance="manual")
        for event in ({"round": {}}, {"automa_card": "automa_1"}, {"automa_town": None}):
            with pytest.raises(
                la.IllegalMoveError, match=f"chance event {next(iter(event))}: the position waits for the "
            ):
                state.apply(event)

    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"tokens.kamenz": "chamberlain", "tokens.zittau": "chamberlain"}, "a token lies on two towns"),
            ({"tokens.kamenz": "beggar"}, "the token beggar is not among those still to be drawn"),
            ({"tokens.kamenz": "bishop"}, "the token bishop is not among those still to be drawn"),
            ({"face_up.4": "clergy"}, "the deck of 4 symbols has no card of clergy left"),
            ({"royal": "warehouse_1", "estate": "warehouse_1"}, "warehouse_1 cannot lie in both warehouses"),
            ({"estate": "warehouse_6"}, "warehouse_6 has been used in this half of the game"),
        ],
    )
    def test_round(self, changes: Json, why: str) -> None:
        state, event = before_round(cards={0: ["clergy 4"], 1: ["clergy 4"]})
        tokens = list(event["round"]["tokens"].values())
        event["round"] |= {"besieged": ["goerlitz", "lauban"]}
        event["round"]["tokens"] = dict(zip(("kamenz", "zittau", "loebau", "bautzen"), tokens, strict=True))
        event["round"] |= {"royal": "warehouse_1", "estate": "warehouse_2"}
        state.clone().apply(event)
        before = state.clone()
        with pytest.raises(la.IllegalMoveError, match=f"illegal chance event round: {why}"):
            state.apply(changed(event, {f"round.{path}": value for path, value in changes.items()}))
        assert state == before

    def test_a_token_that_was_already_taken(self) -> None:
        state, event = before_round(round=4, companions={0: ["artisan"]})
        town = next(iter(event["round"]["tokens"]))
        with pytest.raises(la.IllegalMoveError, match="the token artisan is not among those still to be drawn"):
            state.apply(changed(event, {f"round.tokens.{town}": "artisan"}))

    def test_the_rest_of_the_easy_bag_comes_first(self) -> None:
        state, event = before_round(humans=5, easy=True, round=4)
        pools = state.to_json()["pools"]
        tokens = dict(zip(event["round"]["tokens"], pools["easy_used"], strict=False))
        with pytest.raises(
            la.IllegalMoveError, match=r"the rest of the bag must be drawn before the used pile is \(rules 2.5\)"
        ):
            state.apply(changed(event, {"round.tokens": tokens}))

    def test_the_used_pile_while_the_bag_lasts(self) -> None:
        state, event = before_round(humans=5, easy=True, round=3)
        pools = state.to_json()["pools"]
        town = next(iter(event["round"]["tokens"]))
        with pytest.raises(la.IllegalMoveError, match="is not among those still to be drawn"):
            state.apply(changed(event, {f"round.tokens.{town}": pools["easy_used"][0]}))

    def test_a_town_closed_to_the_automa(self) -> None:
        state = position(humans=2, automas=1).apply("go:zittau:0")
        besieged = state.to_json()["besieged"][0]
        with pytest.raises(la.IllegalMoveError, match=rf"{besieged} is closed to the automa \(rules 9.2\)"):
            state.apply({"automa_town": besieged})

    def test_a_card_that_is_not_in_the_deck(self) -> None:
        state = position(
            humans=2, automas=1, round=2, wagons={0: ("zittau", 0)}, to_place=[1], automa_cards=["automa_2"],
            to_act={"seat": None, "decision": "chance", "event": "automa_card", "automa": 2},
        )  # fmt: skip
        with pytest.raises(la.IllegalMoveError, match=r"automa_3 is not in the deck: .* \(rules 9.1\)"):
            state.apply({"automa_card": "automa_3"})


class TestChanceObjects:
    def test_sets_may_come_in_any_order(self) -> None:
        state, event = before_round()
        backwards = changed(event, {"round.besieged": event["round"]["besieged"][::-1]})
        assert state.clone().apply(event) == state.clone().apply(backwards)

    def test_they_are_json(self) -> None:
        for state, event in random_game(la.Variant(2, 2, easy=True), 4):
            if state.is_chance:
                again = json.loads(json.dumps(event))
                assert again == event
                assert state.clone().apply(again) == state.clone().apply(event)

    def test_besieged_towns_are_written_by_number(self) -> None:
        numbers = {town.id: town.number for town in la.complete_edition().towns}
        state, _ = before_round(humans=3)
        for seed in range(30):
            besieged = state.sample_chance(seed)["round"]["besieged"]
            assert besieged == sorted(besieged, key=numbers.__getitem__)

    def test_an_event_with_one_outcome_occurs_all_the_same(self) -> None:
        state, event = before_round(round=6)
        assert state.chance_event == "round"
        assert event["round"]["royal"] != event["round"]["estate"]
        state = position(
            humans=2, automas=1, round=2, wagons={0: ("zittau", 0)}, to_place=[1], automa_cards=["automa_2"],
            to_act={"seat": None, "decision": "chance", "event": "automa_card", "automa": 2},
        )  # fmt: skip
        assert state.sample_chance(1) == {"automa_card": "automa_2"}
        assert moves(state) == []


def test_all_that_is_impossible_about_a_round_is_told_together() -> None:
    state = la.State.new(la.Variant(3), seed=1, chance="manual")
    state.apply(state.sample_chance(1))
    event = state.sample_chance(1)
    town = next(iter(event["round"]["tokens"]))
    event["round"]["tokens"][town] = "chamberlain"
    event["round"]["royal"] = event["round"]["estate"]
    with pytest.raises(la.IllegalMoveError) as error:
        state.apply(event)
    assert "chamberlain is not among those still to be drawn" in str(error.value)
    assert "cannot lie in both warehouses" in str(error.value)
    assert "innkeeper" not in str(error.value)  # of another pool


def test_a_missing_token_is_told_with_those_that_can_be_drawn() -> None:
    state = la.State.new(la.Variant(3), seed=1, chance="manual")
    state.apply(state.sample_chance(1))
    event = state.sample_chance(1)
    del event["round"]["tokens"][next(iter(event["round"]["tokens"]))]
    with pytest.raises(la.NotationError, match="farmer") as error:
        state.apply(event)
    assert "bishop" not in str(error.value)
