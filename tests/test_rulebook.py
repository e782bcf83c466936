"""The rulebook's examples and statements, and the rulings of the project's rules page, section by section.

The examples follow the facts of the rulebook's text; where a sentence of it is out of place, the order in which all its
numbers come out right.
"""

from __future__ import annotations

from typing import Any

import pytest
from positions import (
    ESTATES,
    GOODS,
    GREY,
    ORANGE,
    PLAYERS,
    POOLS,
    SYMBOLS,
    TILES,
    TOWNS,
    TURQUOISE,
    VIOLET,
    guards,
    moves,
    play,
    play_until,
    player,
    position,
    towns_of,
    wagon,
)

import lusatia_ai as la


def decision(state: la.State) -> tuple[int | None, str | None]:
    return state.seat_to_act, state.decision


def goods(state: la.State, index: int) -> dict[str, int]:
    """A player's goods, without those of which there are none."""
    return {colour: count for colour, count in player(state, index)["goods"].items() if count}


def estates(state: la.State, seat: int) -> dict[str, int]:
    return {estate: count for estate, count in player(state, seat)["estates"].items() if count}


def draw(state: la.State, **given: Any) -> la.State:
    """Set up the round at random, but for what is given."""
    drawn = state.sample_chance(1)["round"]
    tokens = given.pop("tokens", {})
    if tokens:
        rest = [token for token in drawn["tokens"].values() if token not in tokens.values()]
        drawn["tokens"] = {town: tokens.get(town) or rest.pop() for town in drawn["tokens"]}
    return state.apply({"round": drawn | given})


# --- set-up ---------------------------------------------------------------------------------------


class TestSetup:
    @pytest.mark.parametrize("players", PLAYERS)
    def test_what_everybody_starts_with(self, players: tuple[int, int]) -> None:
        at = la.State.new(la.Variant(*players), chance="manual").to_json()
        for entry in at["players"][: players[0]]:
            assert (entry["favour"], entry["guards"], entry["companions"], entry["horses"]) == (10, 3, [], 0)
            assert set(entry["estates"].values()) == set(entry["goods"].values()) == {0}
        for entry in at["players"][players[0] :]:
            assert entry == {"kind": "automa", "goods": dict.fromkeys(GOODS, 0), "wagon": None}

    def test_estate_cards(self) -> None:
        pools = la.State.new(chance="manual").to_json()["pools"]
        assert pools["estate_cards"] == {symbols: dict.fromkeys(ESTATES, 2) for symbols in SYMBOLS}
        assert pools["grey_cards"] == dict.fromkeys(ESTATES, 2)

    @pytest.mark.parametrize(("players", "displayed"), [((3, 0), 6), ((4, 0), 8), ((5, 0), 10), ((2, 4), 12)])
    def test_the_last_tokens_are_displayed_from_the_start(self, players: tuple[int, int], displayed: int) -> None:
        """Ruling 1.4: two for each open town, the rest is out of the game."""
        state = la.State.new(la.Variant(*players), chance="manual")
        event = state.sample_chance(1)
        assert len(event["setup"]["display"]) == displayed
        state.apply(event)
        assert state.to_json()["pools"]["tokens"]["5-6"] == sorted(event["setup"]["display"])

    def test_two_humans_need_an_automa(self) -> None:
        with pytest.raises(la.VariantError, match="two humans need an automa"):
            la.Variant(2)

    @pytest.mark.parametrize("players", [(1, 2), (7, 0), (6, 1), (5, 2), (2, 5), (3, -1), (2, 0)])
    def test_three_to_six_players(self, players: tuple[int, int]) -> None:
        with pytest.raises(la.VariantError):
            la.Variant(*players)

    def test_town_tiles_lie_on_the_side_that_was_chosen(self) -> None:
        state = la.State.new(la.Variant(4, sides={"zittau": "dark"}), seed=1)
        sides = {entry["town"]: entry["side"] for entry in state.to_json()["ring"]}
        assert sides == dict.fromkeys(TOWNS, "light") | {"zittau": "dark"}


# --- 1) round set-up ------------------------------------------------------------------------------


class TestRoundSetup:
    @pytest.mark.parametrize("players", PLAYERS)
    def test_towns_under_siege(self, players: tuple[int, int]) -> None:
        state = la.State.new(la.Variant(*players), seed=2)
        at = state.to_json()
        assert len(at["besieged"]) == {3: 3, 4: 2, 5: 1, 6: 0}[sum(players)]
        assert (at["fort"] is not None) == (sum(players) == 6)
        assert set(at["tokens"]) == set(TOWNS) - set(at["besieged"])

    def test_tokens_of_the_round(self) -> None:
        """Tokens marked 1-2 in rounds 1 and 2, and so on; those left over go after each second round."""
        state = la.State.new(la.Variant(4), seed=3, chance="manual")
        pool_of = {token.id: token.pool for token in la.complete_edition().tokens}
        for number in range(1, 7):
            play_until(state, lambda state, number=number: state.decision == "travel" and state.round == number)
            at = state.to_json()
            assert {pool_of[token] for token in at["tokens"].values()} == {POOLS[(number - 1) // 2]}
            left = [len(at["pools"]["tokens"][pool]) for pool in POOLS]
            assert left == [[8, 12, 8], [4, 12, 8], [0, 8, 8], [0, 4, 8], [0, 0, 4], [0, 0, 0]][number - 1]

    def test_warehouse_tiles(self) -> None:
        """All six are used in rounds 1 to 3 with side I, and again in rounds 4 to 6 with side II."""
        state = la.State.new(la.Variant(3), seed=4, chance="manual")
        for half in (1, 2):
            tiles = []
            for number in range(3 * half - 2, 3 * half + 1):
                play_until(state, lambda state, number=number: state.decision == "travel" and state.round == number)
                for warehouse in state.to_json()["warehouses"].values():
                    assert warehouse["side"] == half
                    tiles.append(warehouse["tile"])
            assert sorted(tiles) == list(TILES)

    def test_six_estate_cards_of_each_deck_in_six_rounds(self) -> None:
        state = play_until(la.State.new(la.Variant(3), chance="manual"), lambda state: state.is_over)
        assert state.to_json()["pools"]["estate_cards"] == {symbols: dict.fromkeys(ESTATES, 0) for symbols in SYMBOLS}

    def test_innkeeper(self) -> None:
        state = draw(position(humans=3, stage="round_setup", round=4, companions={1: ["innkeeper"]}))
        assert decision(state) == (1, "produce")
        assert state.to_json()["to_act"]["token"] == "innkeeper"
        assert moves(state) == ["produce:red", "produce:yellow"]
        assert goods(play(state, "produce:yellow"), 1) == {"yellow": 1}
        assert decision(state) == (0, "travel")

    def test_artisan(self) -> None:
        state = draw(position(humans=3, stage="round_setup", round=4, companions={2: ["artisan"]}))
        assert moves(state) == ["produce:blue", "produce:green"]
        assert goods(play(state, "produce:green"), 2) == {"green": 1}

    def test_stage_1_companions_work_from_the_following_round_on_in_each_round(self) -> None:
        state = position(
            humans=3, stage="tax_collection", round=3, wagons={2: ("zittau", 1)}, tokens={"zittau": "artisan"}
        )
        assert goods(play(state, "collect:023"), 2).get("green", 0) < 2
        for number in (4, 5, 6):
            play_until(state, lambda state, number=number: state.round == number and state.decision == "produce")
            assert state.seat_to_act == 2
        assert state.round == 6

    def test_order_of_producers_is_that_of_the_guard_scale(self) -> None:
        """Ruling 2.4: a holder of several decides in the order in which they were acquired."""
        hands = {0: ["innkeeper"], 1: ["innkeeper_b", "artisan"], 2: ["artisan_b"]}
        state = draw(position(humans=3, stage="round_setup", round=5, order=[2, 1, 0], companions=hands))
        seen = []
        while state.decision == "produce":
            seen.append((state.seat_to_act, state.to_json()["to_act"]["token"]))
            state.apply(moves(state)[0])
        assert seen == [(2, "artisan_b"), (1, "innkeeper_b"), (1, "artisan"), (0, "innkeeper")]
        assert state.to_json()["turn"]["used"] == sorted(token for _, token in seen)
        assert goods(state, 1) == {"red": 1, "blue": 1}


# --- 2) town selection ----------------------------------------------------------------------------

# Lauban lies between Zittau and Kamenz, as in the example of the first round.
EXAMPLE_RING = ("lauban", "zittau", "goerlitz", "loebau", "bautzen", "kamenz")


class TestTownSelection:
    def test_example_of_the_first_round(self) -> None:
        state = position(ring=EXAMPLE_RING, besieged=["goerlitz", "bautzen"], order=[TURQUOISE, VIOLET, GREY, ORANGE])
        play(state, "go:lauban:0", "go:zittau:0", "go:zittau:2")
        assert decision(state) == (VIOLET, "respond")
        act = state.to_json()["to_act"]
        assert (act["town"], act["rival"], act["bid"]) == ("zittau", GREY, 2)
        state.apply("accept")
        assert (guards(state)[VIOLET], guards(state)[GREY]) == (5, 1)
        state.apply("go:lauban:1")
        assert guards(state)[VIOLET] == 4
        assert decision(state) == (TURQUOISE, "respond")
        play(state, "raise:3", "accept")
        assert (guards(state)[VIOLET], guards(state)[TURQUOISE]) == (7, 0)
        state.apply("go:kamenz:0")
        assert guards(state)[VIOLET] == 6
        assert decision(state) == (ORANGE, "travel")
        assert [move for move in moves(state) if move.startswith("go:loebau")] == ["go:loebau:0"]
        assert towns_of(moves(state)) == {"loebau", "kamenz", "lauban", "zittau"}
        state.apply("go:loebau:0")
        assert [wagon(state, seat) for seat in (TURQUOISE, ORANGE, VIOLET, GREY)] == [
            ("lauban", 3),
            ("loebau", 0),
            ("kamenz", 0),
            ("zittau", 2),
        ]
        assert state.favour == (10, 10, 10, 10)

    def test_the_first_placement_is_free_and_goes_anywhere(self) -> None:
        state = position(besieged=["zittau", "bautzen"])
        assert moves(state) == ["go:goerlitz:0", "go:kamenz:0", "go:lauban:0", "go:loebau:0"]
        assert guards(state.apply("go:goerlitz:0")) == [3, 3, 3, 3]

    @pytest.mark.parametrize("steps", range(6))
    def test_a_guard_for_each_step_and_one_for_staying(self, steps: int) -> None:
        goal = TOWNS[(2 + steps) % 6]
        besieged = next(town for town in TOWNS if town not in ("zittau", goal))
        state = position(humans=5, round=2, wagons={0: "zittau"}, besieged=[besieged])
        state.apply(f"go:{goal}:0")
        assert guards(state)[0] == 3 - [1, 1, 2, 3, 2, 1][steps]

    def test_besieged_towns_can_be_passed_and_not_entered(self) -> None:
        state = position(humans=3, round=2, wagons={0: "goerlitz"}, besieged=["kamenz", "lauban", "bautzen"])
        assert towns_of(moves(state)) == {"goerlitz", "zittau", "loebau"}
        assert guards(state.apply("go:zittau:0"))[0] == 1

    def test_wagons_on_the_road_cause_no_conflict(self) -> None:
        state = position(humans=3, round=2, wagons={0: "goerlitz", 1: "kamenz", 2: "zittau"})
        state.apply("go:kamenz:0")
        assert decision(state) == (1, "travel")

    @pytest.mark.parametrize(
        ("guards_before", "favour_before", "after"),
        [(2, 10, (0, 8)), (0, 10, (0, 4)), (0, 7, (0, 1)), (0, 6, (0, 0)), (3, 5, (0, 5)), (4, 5, (1, 5))],
    )
    def test_the_king_helps_for_two_favour_a_guard(
        self, guards_before: int, favour_before: int, after: tuple[int, int]
    ) -> None:
        state = position(
            humans=3, round=2, wagons={0: "goerlitz"}, besieged=["kamenz", "lauban", "bautzen"],
            guards=[guards_before, 3, 3], favour=[favour_before, 10, 10],
        )  # fmt: skip
        state.apply("go:loebau:0")
        assert (guards(state)[0], state.favour[0]) == after

    def test_an_offer_is_above_the_occupant_and_within_the_means(self) -> None:
        """Three guards and seven favour are six guards; one of them goes for the way."""
        state = position(
            round=2, wagons={0: ("zittau", 2), 1: "kamenz", 2: "loebau", 3: "goerlitz"}, to_place=[2, 3],
            favour=[10, 7, 10, 10], to_act={"seat": 1, "decision": "travel"},
        )  # fmt: skip
        assert [move for move in moves(state) if "zittau" in move] == ["go:zittau:3", "go:zittau:4", "go:zittau:5"]

    def test_an_offer_is_paid_only_when_it_is_accepted(self) -> None:
        state = play(position(), "go:zittau:0", "go:zittau:3")
        assert guards(state) == [3, 3, 3, 3]
        assert guards(state.apply("accept")) == [6, 0, 3, 3]

    def test_the_payment_is_the_payers_own_position(self) -> None:
        """Who stood at 1 and is outbid at 5 gets five; if the newcomer gives way to a raise, they get the raise."""
        state = play(position(guards=[9, 9, 9, 9]), "go:zittau:0", "go:zittau:2", "raise:5")
        assert decision(state) == (1, "respond")
        state.apply("accept")
        assert guards(state) == [4, 14, 9, 9]
        assert wagon(state, 0) == ("zittau", 5)
        assert wagon(state, 1) == ("zittau", None)

    def test_a_raise_is_above_the_bid_and_within_the_means(self) -> None:
        state = play(position(favour=[7, 10, 10, 10]), "go:zittau:0", "go:zittau:3")
        assert moves(state) == ["accept", "raise:4", "raise:5", "raise:6"]

    def test_nobody_bids_what_they_cannot_pay(self) -> None:
        state = play(position(guards=[0, 9, 9, 9], favour=[3, 9, 9, 9]), "go:zittau:0", "go:zittau:1")
        assert moves(state) == ["accept"]

    def test_twelve_cannot_be_turned_down(self) -> None:
        state = play(position(guards=[20] * 4), "go:zittau:0", "go:zittau:12")
        assert moves(state) == ["accept"]
        state.apply("accept")
        assert guards(state)[:2] == [32, 8]

    def test_a_town_held_at_twelve_cannot_be_entered(self) -> None:
        state = play(position(guards=[20] * 4), "go:zittau:0", "go:zittau:12", "accept", "go:kamenz:0")
        assert decision(state) == (2, "travel")
        assert towns_of(moves(state)) == {"goerlitz", "kamenz", "loebau"}

    def test_who_accepts_travels_at_once_to_another_town(self) -> None:
        state = play(position(ring=EXAMPLE_RING), "go:zittau:0", "go:zittau:3", "accept")
        assert decision(state) == (0, "travel")
        assert state.to_json()["turn"]["evicted"] == {"seat": 0, "from": "zittau"}
        assert towns_of(moves(state)) == {"goerlitz", "kamenz", "loebau"}
        assert guards(state.apply("go:kamenz:0"))[0] == 6 - 2

    def test_who_is_evicted_may_evict_in_turn_before_the_next_player(self) -> None:
        state = play(position(), "go:zittau:0", "go:kamenz:0", "go:zittau:3", "accept", "go:kamenz:1")
        assert decision(state) == (1, "respond")
        play(state, "accept", "go:goerlitz:0")
        assert decision(state) == (3, "travel")
        assert [wagon(state, seat) for seat in range(3)] == [("kamenz", 1), ("goerlitz", 0), ("zittau", 3)]

    def test_coming_back_to_a_town_that_one_left(self) -> None:
        state = play(position(guards=[9] * 4), "go:zittau:0", "go:kamenz:0", "go:zittau:1", "accept")
        play(state, "go:kamenz:1", "raise:2", "accept", "go:zittau:2")
        assert decision(state) == (2, "respond")
        assert guards(state)[:3] == [9 + 1 - 1 + 2 - 1, 7, 8]

    def test_a_wagon_keeps_its_position_when_it_wins(self) -> None:
        """Stays where it stands until the round ends, also against the next newcomer."""
        state = play(position(guards=[9] * 4), "go:zittau:0", "go:zittau:4", "accept", "go:kamenz:0")
        offers = {int(move.rpartition(":")[2]) for move in moves(state) if "zittau" in move}
        assert offers == {5, 6, 7, 8, 9, 10, 11, 12}

    def test_centurion(self) -> None:
        state = position(humans=3, round=2, wagons={0: "goerlitz"}, companions={0: ["centurion"]})
        assert moves(state) == [f"go:{town}:{at}" for town in ("goerlitz", "kamenz", "zittau") for at in (0, 1)]
        state.apply("go:kamenz:1")
        assert guards(state)[0] == 2
        assert wagon(state, 0) == ("kamenz", 1)

    def test_centurion_helps_into_free_towns_only(self) -> None:
        wagons = {0: "goerlitz", 1: ("kamenz", 0), 2: ("zittau", 4)}
        state = position(
            humans=3, round=2, wagons=wagons, order=[1, 2, 0], to_place=[], guards=[3, 3, 9], favour=[0, 9, 9],
            companions={0: ["centurion"]}, to_act={"seat": 0, "decision": "travel"},
        )  # fmt: skip
        assert moves(state) == ["go:goerlitz:0", "go:goerlitz:1", "go:kamenz:1", "go:kamenz:2"]

    def test_centurion_helps_when_evicted_too(self) -> None:
        state = position(humans=3, round=2, wagons={0: "goerlitz", 1: "kamenz"}, companions={0: ["centurion"]})
        play(state, "go:goerlitz:1", "go:goerlitz:2", "accept")
        assert {"go:kamenz:0", "go:kamenz:1"} <= set(moves(state))

    @pytest.mark.parametrize(("drivers", "costs"), [(0, [1, 1, 2, 3]), (1, [1, 1, 1, 2]), (2, [1, 1, 1, 1])])
    def test_wagon_driver(self, drivers: int, costs: list[int]) -> None:
        """One guard less each journey, but at least one is paid; two drivers take two off (ruling 8.7)."""
        start = position(
            humans=4, round=3, wagons={0: "goerlitz"}, besieged=["bautzen", "lauban"],
            companions={0: ["wagon_driver", "wagon_driver_b"][:drivers]},
        )  # fmt: skip
        for town, cost in zip(("goerlitz", "kamenz", "zittau", "loebau"), costs, strict=True):
            assert guards(start.clone().apply(f"go:{town}:0"))[0] == 3 - cost

    def test_wagon_driver_helps_on_each_journey(self) -> None:
        state = position(
            humans=3, round=2, wagons={0: "goerlitz", 1: "loebau", 2: "kamenz"}, companions={0: ["wagon_driver"]},
            besieged=["bautzen", "lauban", "zittau"],
        )  # fmt: skip
        play(state, "go:goerlitz:0", "go:goerlitz:1")  # 1 from 4, and seat 1 comes for 3 guards' way
        assert decision(state) == (0, "respond")
        play(state, "accept", "go:loebau:0")
        assert guards(state)[0] == 3 - 1 + 1 - 2

    def test_wagon_driver_does_not_lower_offers(self) -> None:
        state = position(humans=3, round=2, wagons={0: "goerlitz", 1: "kamenz"}, companions={1: ["wagon_driver"]})
        play(state, "go:goerlitz:0", "go:goerlitz:2", "accept")
        assert guards(state)[:2] == [3 - 1 + 2, 3 - 1 - 2]

    def test_stage_2_companions_do_not_work_in_the_round_of_their_token(self) -> None:
        """Their token comes in stage 4, and only the next town selection follows it."""
        state = position(humans=3, stage="tax_collection", wagons={2: ("zittau", 1)}, tokens={"zittau": "centurion"})
        play(state, "collect:013")
        play_until(state, lambda state: state.decision == "travel" and state.seat_to_act == 2)
        assert state.round == 2
        assert any(move.endswith(":1") for move in moves(state))


class TestDestitute:
    """Ruling 3.8: who can afford no destination."""

    def test_any_free_town_on_the_road(self) -> None:
        state = position(round=2, wagons={0: "goerlitz", 1: "kamenz"}, guards=[0, 3, 3, 3], favour=[1, 10, 10, 10])
        assert moves(state) == ["go:goerlitz:0", "go:kamenz:0", "go:loebau:0", "go:zittau:0"]
        state.apply("go:loebau:0")
        assert (guards(state)[0], state.favour[0]) == (0, 1)

    @pytest.mark.parametrize(
        ("guards_before", "favour_before", "goal", "favour_after"),
        [(1, 1, "loebau", 1), (0, 3, "loebau", 1), (0, 2, "zittau", 0), (1, 0, "zittau", 0)],
    )
    def test_pays_what_there_is(self, guards_before: int, favour_before: int, goal: str, favour_after: int) -> None:
        state = position(
            humans=3, round=2, wagons={0: "goerlitz", 1: "zittau", 2: "loebau"},
            besieged=["goerlitz", "kamenz", "lauban"],
            guards=[guards_before, 3, 3], favour=[favour_before, 10, 10],
        )  # fmt: skip
        assert moves(state) == ["go:bautzen:0", "go:loebau:0", "go:zittau:0"]
        state.apply(f"go:{goal}:0")
        assert (guards(state)[0], state.favour[0]) == (0, favour_after)

    def test_not_as_long_as_something_can_be_afforded(self) -> None:
        state = position(
            humans=3, round=2, wagons={0: "goerlitz", 1: "zittau", 2: "loebau"},
            besieged=["goerlitz", "kamenz", "lauban"], guards=[1, 3, 3], favour=[2, 10, 10],
        )  # fmt: skip
        assert moves(state) == ["go:bautzen:0", "go:zittau:0"]

    @pytest.mark.parametrize(
        ("tokens", "expected"),
        [
            ([], ["go:loebau:0", "go:zittau:0"]),
            (["centurion"], ["go:loebau:0", "go:loebau:1", "go:zittau:0", "go:zittau:1"]),
        ],
    )
    def test_an_evicted_wagon_leaves_all_the_same(self, tokens: list[str], expected: list[str]) -> None:
        """The neighbour can be reached, but nothing is left to offer there."""
        state = position(
            round=2, order=[1, 0, 2, 3], to_place=[3], besieged=["bautzen", "lauban"],
            wagons={0: "goerlitz", 1: ("goerlitz", 1), 2: ("kamenz", 0), 3: "zittau"},
            guards=[1, 3, 3, 3], favour=[0, 10, 10, 10], companions={0: tokens},
            to_act={"seat": 0, "decision": "travel"}, evicted={"seat": 0, "from": "goerlitz"},
        )  # fmt: skip
        assert moves(state) == expected
        state.apply("go:loebau:0")
        assert guards(state)[0] == 0
        assert decision(state) == (3, "travel")


# --- six-player game ------------------------------------------------------------------------------

FORT_RING = ("goerlitz", "kamenz", "bautzen", "zittau", "loebau", "lauban")


class TestSixPlayerGame:
    def test_example_of_the_wagon_fort(self) -> None:
        """The fort lies between Kamenz and Bautzen; the orange player comes from two sections away."""
        orange, grey = 0, 1
        state = position(
            humans=6, round=2, ring=FORT_RING, fort="kamenz", guards=[5] * 6,
            wagons={orange: "goerlitz", grey: "zittau"},
        )  # fmt: skip
        state.apply("go:bautzen:0")
        assert guards(state)[orange] == 5 - 3
        state.apply("go:bautzen:3")
        assert guards(state)[grey] == 5 - 1
        assert decision(state) == (orange, "respond")
        state.apply("accept")
        assert guards(state)[:2] == [5 - 3 + 3, 5 - 1 - 3]
        state.apply("go:kamenz:0")
        assert guards(state)[orange] == 5 - 3 + 3 - 2

    @pytest.mark.parametrize(
        ("fort", "costs"),
        [
            ("goerlitz", [1, 2, 3, 3, 2, 1]),  # the other way round is as long for the third town
            ("kamenz", [1, 1, 3, 3, 2, 1]),
            ("zittau", [1, 1, 2, 3, 2, 1]),
            ("lauban", [1, 1, 2, 3, 3, 2]),
            ("loebau", [1, 1, 2, 3, 3, 1]),
        ],
    )
    def test_crossing_costs_a_guard_in_either_direction(self, fort: str, costs: list[int]) -> None:
        """From Goerlitz to each town of the ring, staying first; the cheaper way round is taken."""
        start = position(humans=6, round=2, ring=FORT_RING, fort=fort, guards=[9] * 6, wagons={0: "goerlitz"})
        found = [9 - guards(start.clone().apply(f"go:{town}:0"))[0] for town in FORT_RING]
        assert found == costs

    def test_wagon_driver_and_fort(self) -> None:
        state = position(
            humans=6, round=2, ring=FORT_RING, fort="goerlitz", wagons={0: "goerlitz"},
            companions={0: ["wagon_driver"]},
        )  # fmt: skip
        assert guards(state.apply("go:kamenz:0"))[0] == 2

    def test_a_horse_for_the_neighbours_of_the_fort(self) -> None:
        state = position(
            humans=6, stage="tax_collection", ring=FORT_RING, fort="lauban",
            wagons={seat: (town, 0) for seat, town in enumerate(FORT_RING)},
        )  # fmt: skip
        while state.decision == "collect":
            side = {"kamenz": 1, "loebau": 1}.get(state.to_json()["to_act"]["town"], 0)  # horses in Loebau alone
            state.apply(f"collect:{side}")
        assert [player(state, seat)["horses"] for seat in range(6)] == [1, 0, 0, 0, 1, 1]
        assert state.to_json()["turn"]["storing_order"] == [5, 4, 0, 2, 3, 1]

    def test_no_town_is_besieged_with_automas_counted(self) -> None:
        """Ruling 2.3."""
        state = la.State.new(la.Variant(2, 4), seed=1)
        assert state.to_json()["besieged"] == []
        assert state.to_json()["fort"] in TOWNS


# --- 3) reordering --------------------------------------------------------------------------------


class TestReordering:
    def test_example(self) -> None:
        """Turquoise stands at three, grey at two, violet and orange at none, in towns number 2 and 4."""
        state = position(order=[TURQUOISE, VIOLET, GREY, ORANGE], ring=EXAMPLE_RING, besieged=["goerlitz", "bautzen"])
        play(state, "go:lauban:0", "go:zittau:0", "go:zittau:2", "accept", "go:lauban:1", "raise:3", "accept")
        play(state, "go:kamenz:0", "go:loebau:0")
        assert state.to_json()["order"] == [VIOLET, ORANGE, GREY, TURQUOISE]
        assert decision(state) == (TURQUOISE, "collect")

    def test_the_lower_town_number_comes_first_among_equals(self) -> None:
        state = play(position(), "go:loebau:0", "go:goerlitz:0", "go:zittau:0", "go:kamenz:0")
        assert state.to_json()["order"] == [1, 3, 2, 0]

    @pytest.mark.parametrize(("town", "gain"), [("goerlitz:0", 1), ("kamenz:1", 0)])
    def test_beggar(self, town: str, gain: int) -> None:
        state = position(
            humans=3, round=2, order=[1, 2, 0], wagons={0: "goerlitz", 1: ("kamenz", 0), 2: ("zittau", 0)},
            to_place=[], companions={0: ["beggar"]}, to_act={"seat": 0, "decision": "travel"}, guards=[9, 9, 9],
        )  # fmt: skip
        state.apply(f"go:{town}")
        if state.decision == "respond":
            play(state, "accept", "go:goerlitz:0")
        assert state.stage == "tax_collection"
        assert state.favour == (10 + gain, 10, 10)


# --- 4) tax collection ----------------------------------------------------------------------------


class TestTaxCollection:
    def test_example(self) -> None:
        """In Bautzen the grey player turns the Farmer so that only the yellow side gets no arrow."""
        state = position(stage="tax_collection", wagons={GREY: ("bautzen", 2)}, tokens={"bautzen": "farmer"})
        assert decision(state) == (GREY, "collect")
        assert moves(state) == [
            *("collect:01234", "collect:01235", "collect:01245"),
            *("collect:01345", "collect:02345", "collect:12345"),
        ]
        state.apply("collect:01234")
        grey = player(state, GREY)
        assert (grey["guards"], grey["horses"], grey["companions"]) == (3 + 2, 2, ["farmer"])
        assert goods(state, GREY) == {"green": 1, "blue": 1, "red": 2}
        assert "bautzen" not in state.to_json()["tokens"]

    def test_the_highest_position_collects_first(self) -> None:
        state = position(
            stage="tax_collection",
            wagons={0: ("goerlitz", 2), 1: ("kamenz", 0), 2: ("zittau", 7), 3: ("loebau", 0)},
        )
        seats = []
        while state.decision == "collect":
            seats.append(state.seat_to_act)
            state.apply(moves(state)[0])
        assert seats == [2, 0, 3, 1]

    @pytest.mark.parametrize(
        ("token", "sides"),
        [
            ("advocatus_a", ["03", "14", "25"]),
            ("recruiting_officer", ["024", "135"]),
            ("wagon_driver", ["0134", "0235", "1245"]),
            ("plain_1_0", ["0", "1", "2", "3", "4", "5"]),
        ],
    )
    def test_rotations_that_choose_the_same_sides_are_one_move(self, token: str, sides: list[str]) -> None:
        state = position(stage="tax_collection", wagons={0: ("zittau", 2)}, tokens={"zittau": token})
        assert moves(state) == [f"collect:{mask}" for mask in sides]

    def test_head_tax_collector_at_once(self) -> None:
        """With two opposite arrows: three rotations, each alone or with one of the four other sides."""
        state = position(
            round=3, stage="tax_collection", wagons={0: ("zittau", 2)}, tokens={"zittau": "head_tax_collector"}
        )
        found = [move.partition(":")[2] for move in moves(state)]
        assert len(found) == 15
        assert {mask for mask in found if len(mask) == 2} == {"03", "14", "25"}
        assert {mask for mask in found if len(mask) == 3} == {
            "".join(sorted(pair + side)) for pair in ("03", "14", "25") for side in "012345" if side not in pair
        }

    def test_head_tax_collector_in_later_rounds(self) -> None:
        state = position(
            round=5, stage="tax_collection", wagons={0: ("zittau", 2)}, tokens={"zittau": "captain_of_the_guard"},
            companions={0: ["head_tax_collector"]},
        )  # fmt: skip
        assert len(moves(state)) == 7
        assert moves(state)[1] == "collect:012345"

    def test_advocatus(self) -> None:
        state = position(stage="tax_collection", wagons={0: ("zittau", 2)}, tokens={"zittau": "advocatus_a"})
        state.apply("collect:03")
        assert decision(state) == (0, "grey")
        assert moves(state) == ["grey:burghers", "grey:clergy", "grey:nobles"]
        play(state, "grey:clergy")
        assert decision(state) == (0, "grey")
        assert state.to_json()["turn"]["grey_left"] == 1
        play(state, "grey:clergy")
        assert estates(state, 0) == {"clergy": 4}
        assert state.to_json()["pools"]["grey_cards"] == {"clergy": 0, "nobles": 2, "burghers": 2}
        assert state.seat_to_act == 3

    def test_town_councillor(self) -> None:
        state = position(
            round=3, stage="tax_collection", wagons={0: ("zittau", 2)}, tokens={"zittau": "town_councillor_b"}
        )
        play(state, "collect:024", "grey:nobles")
        assert estates(state, 0) == {"nobles": 2}
        assert decision(state) == (3, "collect")

    def test_grey_cards_that_are_gone_cannot_be_taken(self) -> None:
        state = position(
            round=3, stage="tax_collection", wagons={0: ("zittau", 2)}, tokens={"zittau": "town_councillor_b"},
            companions={1: ["advocatus_a"]}, grey={1: ["nobles", "nobles"]},
        )  # fmt: skip
        assert moves(state.apply("collect:024")) == ["grey:burghers", "grey:clergy"]

    def test_without_grey_cards_nothing_is_chosen(self) -> None:
        state = position(
            round=4, stage="tax_collection", wagons={0: ("zittau", 2)}, tokens={"zittau": "town_councillor_c"},
            companions={0: ["town_councillor_a"], 1: ["advocatus_a", "town_councillor_b"], 2: ["advocatus_b"]},
        )  # fmt: skip
        assert state.to_json()["pools"]["grey_cards"] == dict.fromkeys(ESTATES, 0)
        assert decision(state.apply("collect:0")) == (3, "collect")


# --- 5) storing -----------------------------------------------------------------------------------


def collected(state: la.State) -> la.State:
    """All taxes collected, one arrow each."""
    while state.stage == "tax_collection":
        state.apply(moves(state)[0])
    return state


class TestHorses:
    def storing_order(self, state: la.State) -> list[int]:
        order: list[int] = state.to_json()["turn"]["storing_order"]
        return order

    def start(self, **facts: Any) -> la.State:
        """Three players collect one side each: in Goerlitz, Kamenz and Zittau, from Zittau on."""
        return position(
            humans=3, stage="tax_collection", wagons={0: ("goerlitz", 0), 1: ("kamenz", 0), 2: ("zittau", 0)}, **facts
        )

    def test_the_fastest_store_first(self) -> None:
        """Kamenz has two horses on a side, Goerlitz two, Zittau one; ties go to the higher number."""
        state = self.start(tokens={"goerlitz": "guild_master_b"})
        play(state, "collect:5", "collect:0", "collect:023")
        assert [player(state, seat)["horses"] for seat in range(3)] == [2, 2, 1]
        assert self.storing_order(state) == [1, 0, 2]
        assert decision(state) == (1, "row")

    def test_without_horses_the_higher_town_number_is_faster(self) -> None:
        assert self.storing_order(play(self.start(), "collect:0", "collect:1", "collect:0")) == [2, 1, 0]

    @pytest.mark.parametrize(
        ("number", "token", "sides", "horses"),
        [(1, "stableman", "0134", 2.5), (1, "stableman", "1245", 0.5), (3, "head_stableman", "123", 3.5)],
    )
    def test_stablemen_count_from_the_round_of_their_token_on(
        self, number: int, token: str, sides: str, horses: float
    ) -> None:
        """On side 3 of Goerlitz are two horses."""
        state = self.start(round=number, tokens={"goerlitz": token})
        play(state, "collect:0", "collect:1", f"collect:{sides}")
        assert player(state, 0)["horses"] == horses
        assert self.storing_order(state)[0] == 0

    def test_half_a_horse_is_faster(self) -> None:
        state = self.start(round=3, companions={0: ["stableman"]})
        play(state, "collect:0", "collect:1", "collect:0")
        assert player(state, 0)["horses"] == 0.5
        assert self.storing_order(state) == [0, 2, 1]

    @pytest.mark.parametrize(("holder", "gain"), [(0, 1), (1, 0), (2, 0)])
    def test_kings_jester(self, holder: int, gain: int) -> None:
        """Without horses, Goerlitz, town number 1, is last."""
        state = self.start(round=3, companions={holder: ["kings_jester"]})
        play(state, "collect:0", "collect:1", "collect:0")
        assert state.favour[holder] == 10 + gain


class TestStoring:
    # One slot after the other in the rows of the examples, both on side I:
    # royal row 1 of warehouse_1: yellow 2, red 2, blue 1, red 1, bonus 5
    # estate row 2 of warehouse_2: red 2, green 2, blue 1, yellow 1, bonus 4

    def example(self) -> la.State:
        return position(
            stage="storing",
            horses={TURQUOISE: 3, GREY: 2, VIOLET: 1},
            goods={
                TURQUOISE: {"yellow": 2, "green": 1},
                ORANGE: {"red": 1, "blue": 1},
                GREY: {"red": 2, "green": 1, "blue": 1},
            },
            face_up={"4": "nobles"},
        )

    def test_example_of_the_first_row(self) -> None:
        state = self.example()
        assert decision(state) == (TURQUOISE, "row")
        state.apply("row:royal:1")
        assert state.favour == (10 + 2 + 5, 10 + 3, 10, 10 + 1)
        assert goods(state, TURQUOISE) == {"yellow": 1, "green": 1}
        assert goods(state, ORANGE) == {}
        assert goods(state, GREY) == {"red": 1, "green": 1, "blue": 1}

    def test_example_of_the_second_row(self) -> None:
        state = play(self.example(), "row:royal:1")
        assert decision(state) == (GREY, "row")
        state.apply("row:estate:2")
        assert state.favour == (17 + 1, 13, 10, 11 + 5)
        assert (goods(state, GREY), goods(state, TURQUOISE)) == ({}, {"green": 1})
        assert decision(state) == (GREY, "card")
        assert moves(state) == ["card:2", "card:3", "card:4"]
        state.apply("card:4")
        assert estates(state, GREY) == {"nobles": 4}
        assert state.to_json()["face_up"]["4"] is None
        assert decision(state) == (VIOLET, "row")

    def test_after_the_last_the_first_chooses_again(self) -> None:
        state = position(
            humans=3, stage="storing", horses={0: 3, 1: 2, 2: 1}, goods={0: {"red": 5}, 1: {"blue": 5}}
        )  # fmt: skip
        seats = []
        for row in ("row:royal:2", "row:royal:3", "row:estate:3", "row:royal:1"):
            seats.append(state.seat_to_act)
            state.apply(row)
        assert seats == [0, 1, 2, 0]

    def test_every_slot_that_can_be_filled_must_be(self) -> None:
        """Yellow 2, red 2, blue 1, red 1: from left to right, until the goods or the slots run out."""
        state = position(humans=3, stage="storing", horses={0: 3}, goods={0: {"red": 3, "yellow": 1}})
        state.apply("row:royal:1")
        assert state.favour[0] == 10 + 2 + 2 + 1
        assert goods(state, 0) == {"red": 1}
        assert state.to_json()["warehouses"]["royal"]["filled"][0] == [True, True, False, True]

    def test_slots_are_filled_from_the_left(self) -> None:
        state = position(humans=3, stage="storing", horses={0: 3}, goods={0: {"red": 1}, 1: {"red": 1}})
        state.apply("row:royal:1")
        assert state.favour[:2] == (10 + 2, 10 + 1)

    def test_the_chooser_fills_first_and_then_to_the_left(self) -> None:
        state = position(
            humans=4, stage="storing", horses={2: 3}, goods={0: {"red": 1}, 1: {"red": 1}, 3: {"red": 1}}
        )  # fmt: skip
        state.apply("row:royal:1")
        assert state.favour == (10 + 1, 10, 10, 10 + 2)

    def test_a_row_stays_as_it_is_for_who_chooses_it_next(self) -> None:
        state = position(
            humans=3, stage="storing", horses={0: 3, 1: 2}, filled={"royal": ["xx.x"]}, goods={1: {"blue": 1}}
        )  # fmt: skip
        state.apply("row:royal:1")
        assert state.favour == (10 + 5, 10 + 1, 10)

    def test_the_bonus_goes_to_who_chose_without_giving(self) -> None:
        state = position(humans=3, stage="storing", horses={0: 3}, goods={2: {"red": 1, "green": 1}})
        state.apply("row:royal:4")
        assert state.favour == (10 + 2, 10, 10 + 2 + 1)

    def test_no_bonus_for_a_row_that_is_not_full(self) -> None:
        state = position(humans=3, stage="storing", horses={0: 3}, goods={0: {"red": 1}})
        assert state.apply("row:royal:4").favour[0] == 10 + 2

    @pytest.mark.parametrize(("row", "cards"), [(1, 4), (2, 3), (3, 2), (4, 1)])
    def test_estate_rows_give_a_card_up_to_their_number(self, row: int, cards: int) -> None:
        everything = dict.fromkeys(GOODS, 5)
        state = position(humans=3, stage="storing", horses={0: 3}, goods={0: everything})
        state.apply(f"row:estate:{row}")
        assert moves(state) == [f"card:{symbols}" for symbols in SYMBOLS[:cards]]

    def test_a_lower_card_may_be_taken_and_is_not_replaced(self) -> None:
        everything = dict.fromkeys(GOODS, 5)
        state = position(humans=3, stage="storing", horses={0: 3, 1: 2}, goods={0: everything})
        deck = state.to_json()["pools"]["estate_cards"]["3"]
        play(state, "row:estate:1", "card:3")
        assert state.to_json()["face_up"]["3"] is None
        assert state.to_json()["pools"]["estate_cards"]["3"] == deck
        assert moves(state.apply("row:estate:2")) == ["card:2", "card:4"]

    def test_no_card_if_all_that_are_left_show_too_much(self) -> None:
        state = position(
            humans=3, stage="storing", horses={0: 3, 1: 2}, goods={0: {"red": 2, "yellow": 1}},
            face_up={"2": None}, cards={1: ["clergy 2"]}, filled={"estate": ["....", "....", "xxx"]},
        )  # fmt: skip
        state.apply("row:estate:4")
        assert state.favour[0] == 10 + 2 + 1
        assert decision(state) == (1, "row")

    def test_goods_that_no_slot_takes_are_lost(self) -> None:
        """The stage ends when no piece can be stored, and nothing is kept for the next round."""
        state = position(humans=3, stage="storing", horses={0: 3}, goods={0: {"red": 20}})
        while state.stage == "storing":
            state.apply(moves(state)[0])
        assert state.round == 2
        assert goods(state, 0) == {}

    def test_a_row_must_take_a_piece_of_somebody(self) -> None:
        """Ruling 6.4: rows without an empty slot for anyone's piece cannot be chosen."""
        state = position(humans=3, stage="storing", horses={0: 3}, goods={1: {"blue": 1}})
        assert moves(state) == ["row:estate:1", "row:estate:2", "row:estate:3", "row:royal:1", "row:royal:3"]

    def test_without_goods_the_stage_is_over_at_once(self) -> None:
        state = position(
            humans=3, stage="tax_collection", wagons={0: ("goerlitz", 0), 1: ("kamenz", 0), 2: ("zittau", 0)}
        )
        play(state, "collect:5", "collect:0", "collect:1")
        assert (state.stage, state.round) == ("round_setup", 2)


NO_RED = {"royal": ["x...", "xx..", "...", ".x."], "estate": [".x..", "x...", ".x.", "..x"]}
"""Slots filled so that no red one is left on side II of the tiles that `position` lays out."""


class TestChooserMustContribute:
    def test_rows_without_an_own_piece_cannot_be_chosen(self) -> None:
        state = position(humans=3, must=True, stage="storing", horses={0: 3}, goods={0: {"red": 1}, 1: {"blue": 1}})
        royal = [f"row:royal:{row}" for row in (1, 2, 3, 4)]
        assert moves(state) == ["row:estate:2", "row:estate:4", *royal]

    def test_others_still_fill_the_row(self) -> None:
        state = position(humans=3, must=True, stage="storing", horses={0: 3}, goods={0: {"red": 1}, 1: {"blue": 1}})
        assert state.apply("row:royal:1").favour == (10 + 2, 10 + 1, 10)

    def test_who_has_nothing_to_store_is_passed_over(self) -> None:
        state = position(
            humans=3, must=True, stage="storing", horses={0: 3, 1: 2, 2: 1}, goods={0: {"red": 1}, 2: {"blue": 1}}
        )  # fmt: skip
        assert decision(state.apply("row:royal:4")) == (2, "row")

    def test_with_a_chamberlain_one_may_pass(self) -> None:
        state = position(
            humans=3, must=True, round=4, stage="storing", horses={0: 3, 1: 2, 2: 1}, filled=NO_RED,
            goods={0: {"red": 1}, 1: {"blue": 1}}, companions={0: ["chamberlain"]},
        )  # fmt: skip
        assert moves(state) == ["chamberlain:red", "pass"]
        one, other = state.clone().apply("pass"), state.clone().apply("chamberlain:red")
        assert decision(one) == decision(other) == (1, "row")
        assert (one.favour[0], other.favour[0]) == (10, 14)

    def test_who_can_choose_cannot_pass(self) -> None:
        state = position(
            humans=3, must=True, round=4, stage="storing", horses={0: 3}, goods={0: {"red": 1, "blue": 1}},
            companions={0: ["chamberlain"]}, filled=NO_RED,
        )  # fmt: skip
        assert moves(state)[:2] == ["chamberlain:blue", "chamberlain:red"]
        assert "pass" not in moves(state)

    def test_the_stage_ends_when_no_human_can_store(self) -> None:
        """The automa's piece alone does not keep it going."""
        state = position(
            humans=2, automas=1, must=True, scored=True, stage="storing", horses={0: 3},
            goods={0: {"red": 1}, 2: {"blue": 1}},
        )  # fmt: skip
        state.apply("row:royal:2")
        assert (state.stage, state.round) == ("round_setup", 2)


class TestStoringCompanions:
    def test_guild_master(self) -> None:
        """One favour when the estate row that its holder chose gets full, whoever filled it."""
        state = position(
            humans=3, round=2, stage="storing", horses={0: 3, 1: 2}, companions={0: ["guild_master"]},
            goods={2: {"red": 3, "yellow": 1, "green": 1}},
        )  # fmt: skip
        state.apply("row:estate:4")
        assert state.favour == (11, 10, 13)
        play(state, "card:2", "row:royal:4")
        assert state.favour == (11, 12, 16)

    def test_guild_master_without_a_card(self) -> None:
        state = position(
            humans=3, round=2, stage="storing", horses={0: 3}, companions={0: ["guild_master"]},
            face_up={"2": None}, cards={1: ["clergy 2"]}, filled={"estate": ["....", "....", "xxx"]},
            goods={0: {"red": 1, "yellow": 1, "blue": 1}},
        )  # fmt: skip
        assert state.apply("row:estate:4").favour[0] == 10 + 3 + 1

    def test_guild_master_not_for_rows_of_others(self) -> None:
        state = position(
            humans=3, round=2, stage="storing", horses={0: 3}, companions={1: ["guild_master"]},
            goods={1: {"red": 1, "yellow": 1}},
        )  # fmt: skip
        assert state.apply("row:estate:4").favour == (10, 13, 10)

    def farmer(self, **facts: Any) -> la.State:
        facts = {"guards": [3, 3, 3], "used": [], "companions": {1: ["farmer"]}, "token": "farmer"} | facts
        token = facts.pop("token")
        kind = "merchant" if token == "merchant" else "farmer"
        return position(
            humans=3, round=2, stage="storing", horses={0: 3, 1: 2, 2: 1}, goods={1: {"red": 1}, 2: {"blue": 1}},
            to_act={"seat": 1, "decision": kind, "token": token}, **facts,
        )  # fmt: skip

    def test_farmer(self) -> None:
        state = self.farmer()
        assert moves(state) == ["farmer:blue", "farmer:green", "farmer:red", "farmer:yellow", "pass"]
        one, other = state.clone().apply("farmer:yellow"), state.clone().apply("pass")
        assert (guards(one)[1], goods(one, 1)) == (2, {"red": 1, "yellow": 1})
        assert (guards(other)[1], goods(other, 1)) == (3, {"red": 1})
        for state in (one, other):
            assert decision(state) == (0, "row")
            assert state.to_json()["turn"]["used"] == ["farmer"]

    def test_farmer_takes_a_guard_from_the_hand_not_from_the_king(self) -> None:
        state = position(
            humans=3, round=2, stage="tax_collection", guards=[0, 0, 0], companions={0: ["farmer"]},
            wagons={0: ("goerlitz", 0), 1: ("kamenz", 0), 2: ("zittau", 0)},
        )  # fmt: skip
        play(state, "collect:0", "collect:1", "collect:0")
        assert state.decision == "row"
        assert state.to_json()["turn"]["used"] == []

    def test_farmer_works_in_the_round_of_its_token(self) -> None:
        state = position(humans=3, stage="tax_collection", wagons={2: ("bautzen", 1)}, tokens={"bautzen": "farmer"})
        play(state, "collect:01234")
        assert decision(collected(state)) == (2, "farmer")

    def test_merchant(self) -> None:
        state = self.farmer(companions={1: ["merchant"]}, token="merchant")
        assert moves(state) == ["merchant:red>blue", "merchant:red>green", "merchant:red>yellow", "pass"]
        assert goods(state.apply("merchant:red>green"), 1) == {"green": 1}
        assert decision(state) == (0, "row")

    def test_merchant_needs_a_piece(self) -> None:
        state = position(
            humans=3, round=2, stage="tax_collection", companions={0: ["merchant"]},
            wagons={0: ("goerlitz", 0), 1: ("kamenz", 0), 2: ("zittau", 0)},
        )  # fmt: skip
        play(state, "collect:0", "collect:1", "collect:1")  # the guards of Goerlitz
        assert state.decision == "row"

    def test_farmers_come_before_merchants_and_help_them(self) -> None:
        """Ruling 6.3: in storing order, seat by seat; what the Farmer brought can be swapped."""
        state = position(
            humans=3, round=3, stage="tax_collection", companions={0: ["merchant", "farmer"], 2: ["farmer_b"]},
            wagons={0: ("goerlitz", 0), 1: ("kamenz", 0), 2: ("zittau", 0)},
        )  # fmt: skip
        play(state, "collect:0", "collect:1", "collect:1")
        assert (decision(state), state.to_json()["to_act"]["token"]) == ((2, "farmer"), "farmer_b")
        play(state, "pass")
        assert (decision(state), state.to_json()["to_act"]["token"]) == ((0, "farmer"), "farmer")
        play(state, "farmer:blue")
        assert decision(state) == (0, "merchant")
        assert goods(state.apply("merchant:blue>red"), 0) == {"red": 1}

    def test_two_farmers_are_two_decisions(self) -> None:
        state = position(
            humans=3, round=3, stage="tax_collection", companions={0: ["farmer", "farmer_b"]},
            wagons={0: ("goerlitz", 0), 1: ("kamenz", 0), 2: ("zittau", 0)},
        )  # fmt: skip
        play(state, "collect:0", "collect:1", "collect:0", "pass")
        assert state.to_json()["to_act"]["token"] == "farmer_b"

    @pytest.mark.parametrize(("token", "colour"), [("draper", "green"), ("viticulturist", "red")])
    def test_draper_and_viticulturist(self, token: str, colour: str) -> None:
        """One favour for each such piece stored, in the own rows and in those of others, by the holder alone."""
        state = position(
            humans=3, round=4, stage="storing", horses={0: 3}, companions={1: [token]},
            goods={1: {"green": 1, "red": 1}, 2: {"green": 1, "red": 1}},
        )  # fmt: skip
        state.apply("row:royal:1")  # red 3, green 2, blue 2, green 1
        assert state.favour == (10, 10 + 3 + 2 + 1, 10 + 1)

    def chamberlain(self, **facts: Any) -> la.State:
        facts = {"companions": {0: ["chamberlain"]}, "goods": {0: {"red": 2}, 1: {"blue": 1}}} | facts
        return position(humans=3, round=4, stage="storing", horses={0: 3, 1: 2, 2: 1}, **facts)

    def test_chamberlain(self) -> None:
        state = self.chamberlain()
        assert moves(state)[0] == "chamberlain:red"
        state.apply("chamberlain:red")
        assert state.favour[0] == 14
        assert goods(state, 0) == {"red": 1}
        assert decision(state) == (1, "row")

    def test_chamberlain_once_a_round(self) -> None:
        state = self.chamberlain(goods={0: {"red": 3}, 1: {"blue": 3}})
        play(state, "chamberlain:red", "row:royal:3", "row:estate:4")
        assert decision(state) == (0, "row")
        assert all(move.startswith("row:") for move in moves(state))

    def test_two_chamberlains_work_twice(self) -> None:
        state = self.chamberlain(
            companions={0: ["chamberlain", "chamberlain_b"]}, goods={0: {"red": 3}, 1: {"blue": 3}}
        )
        play(state, "chamberlain:red", "row:royal:3", "row:estate:4")
        assert decision(state) == (0, "row")
        assert state.apply("chamberlain:red").favour[0] == 10 + 4 + 1 + 4
        assert state.to_json()["turn"]["used"] == ["chamberlain", "chamberlain_b"]

    def test_chamberlain_takes_what_cannot_be_stored(self) -> None:
        state = self.chamberlain(filled=NO_RED)
        assert moves(state)[0] == "chamberlain:red"

    def test_chamberlain_after_all_goods_have_been_stored(self) -> None:
        """Ruling 6.8: at the end of the stage it is used without being asked for."""
        state = self.chamberlain(filled=NO_RED)
        state.apply("row:royal:3")
        assert (state.stage, state.round) == ("round_setup", 5)
        assert state.favour[:2] == (14, 10 + 1)

    def test_chamberlain_at_the_end_works_for_every_holder_and_token(self) -> None:
        state = self.chamberlain(
            filled=NO_RED,
            companions={0: ["chamberlain", "chamberlain_b"], 2: []},
            goods={0: {"red": 3}, 1: {"blue": 1}},
        )
        assert state.apply("row:royal:3").favour[0] == 18
        assert state.to_json()["turn"]["used"] == []

    def test_chamberlain_needs_a_piece(self) -> None:
        state = self.chamberlain(goods={1: {"blue": 1}})
        assert not any(move.startswith("chamberlain") for move in moves(state))
        assert state.apply("row:royal:3").favour[0] == 10


# --- 6) clean-up ----------------------------------------------------------------------------------


def end_stage(state: la.State) -> la.State:
    """Store whatever there is, up to the end of the stage."""
    while state.stage == "storing":
        state.apply(moves(state)[-1])
    return state


class TestCleanUp:
    def test_the_table_is_cleared(self) -> None:
        state = end_stage(position(stage="storing", round=2, horses={0: 1}, goods={0: {"red": 1}}))
        at = state.to_json()
        assert (state.round, state.stage, state.chance_event) == (3, "round_setup", "round")
        assert (at["besieged"], at["fort"], at["tokens"], at["warehouses"]) == ([], None, {}, None)
        assert at["face_up"] == dict.fromkeys(SYMBOLS)
        for seat, town in enumerate(TOWNS[:4]):
            assert wagon(state, seat) == (town, None)
            assert (player(state, seat)["horses"], goods(state, seat)) == (0, {})

    @pytest.mark.parametrize(
        ("tokens", "gain"),
        [
            (["recruiting_officer"], 1),
            (["head_recruiting_officer"], 2),
            (["recruiting_officer", "head_recruiting_officer"], 3),
        ],
    )
    @pytest.mark.parametrize("number", [4, 6])
    def test_recruiting_officers(self, tokens: list[str], gain: int, number: int) -> None:
        """In round 6, too (ruling 7.1)."""
        state = position(humans=3, stage="storing", round=number, companions={1: tokens}, goods={0: {"red": 1}})
        assert guards(end_stage(state)) == [3, 3 + gain, 3]


# --- the end of the game --------------------------------------------------------------------------


def final(**facts: Any) -> la.State:
    """Round 6 is over but for a yellow piece, which brings seat 0 the last of its favour points; then it is stored."""
    facts = {"humans": 3} | facts
    favour = list(facts.pop("favour", [20] * (facts["humans"] + facts.get("automas", 0))))
    favour[0] -= 1
    state = position(stage="storing", round=6, favour=favour, goods={0: {"yellow": 1}}, **facts)
    return state.apply("row:royal:2")


def gains(state: la.State, before: int = 20) -> tuple[int, ...]:
    return tuple(favour - before for favour in state.favour)


class TestEstates:
    @pytest.mark.parametrize(
        ("humans", "points"),
        [(2, [7, 2]), (3, [6, 4, 2]), (4, [9, 6, 4, 2]), (5, [9, 6, 4, 2, 0])],
    )
    def test_tables(self, humans: int, points: list[int]) -> None:
        """By the number of humans, in each estate; with five, the fifth gets nothing."""
        hands = {seat: [f"{estate} {5 - seat}" for estate in ESTATES] for seat in range(min(humans, 4))}
        if humans == 5:
            hands[4] = []
        state = final(humans=humans, automas=int(humans == 2), cards=hands)
        assert gains(state) == tuple(3 * place for place in points)

    def test_table_for_six(self) -> None:
        """Reconstructed: 10, 7, 5, 3, 1."""
        hands = {seat: [f"nobles {5 - seat}"] for seat in range(4)} | {4: [], 5: ["nobles 5", "nobles 4"]}
        state = final(humans=6, fort="lauban", cards=hands, companions={4: ["bishop"]})
        while not state.is_over:
            state.apply("hand_over:0")
        assert gains(state) == (7, 5, 3, 1, 0, 10)

    def test_no_symbols_no_points(self) -> None:
        assert gains(final(humans=4, cards={2: ["clergy 2"]})) == (0, 0, 9, 0)

    def test_ties_are_broken_by_guards(self) -> None:
        state = final(humans=4, cards={0: ["clergy 5"], 1: ["clergy 5"], 2: ["clergy 4"]}, guards=[1, 2, 9, 9])
        assert gains(state) == (6, 9, 4, 0)

    @pytest.mark.parametrize(
        ("hands", "points"),
        [
            ([["5"], ["5"], ["4"], ["3"]], (6, 6, 4, 2)),  # two share the first place
            ([["5", "4"], ["5"], ["3", "2"], ["3", "2"]], (9, 2, 2, 2)),  # three the second, and get the fourth
            ([["5"], ["5"], ["3", "2"], ["3", "2"]], (2, 2, 2, 2)),
            ([["5"], ["4"], ["4"], []], (9, 4, 4, 0)),
            ([[], ["2"], ["2"], []], (0, 6, 6, 0)),
        ],
    )
    def test_who_stays_tied_gets_the_lowest_of_the_places(
        self, hands: list[list[str]], points: tuple[int, ...]
    ) -> None:
        cards = {seat: [f"clergy {symbols}" for symbols in hand] for seat, hand in enumerate(hands)}
        assert gains(final(humans=4, cards=cards)) == points

    def test_a_tie_beyond_the_table_brings_nothing(self) -> None:
        five = {0: ["clergy 5"], 1: ["clergy 5", "clergy 2"], 2: ["clergy 4"], 3: ["clergy 3"], 4: ["clergy 3"]}
        assert gains(final(humans=5, cards=five)) == (6, 9, 4, 0, 0)

    def test_grey_cards_count(self) -> None:
        state = final(
            humans=3, companions={0: ["advocatus_a"]}, grey={0: ["nobles", "nobles"]}, cards={1: ["nobles 3"]}
        )
        assert gains(state) == (6, 4, 0)


class TestFinalCompanions:
    @pytest.mark.parametrize(
        ("token", "gain"),
        [("lady_in_waiting", 3), ("lady_in_waiting_b", 3), ("the_queen", 5)],
    )
    def test_points(self, token: str, gain: int) -> None:
        assert gains(final(companions={1: [token]})) == (0, gain, 0)

    def test_kings_gamekeeper(self) -> None:
        """Two for each human with less favour; equals do not count."""
        state = final(humans=4, companions={1: ["kings_gamekeeper"]}, favour=[19, 20, 20, 3])
        assert state.favour == (19, 24, 20, 3)

    def test_gamekeepers_are_judged_on_the_same_standings(self) -> None:
        """Rules 8.1: not on what the other one has just brought."""
        tokens = {0: ["kings_gamekeeper"], 1: ["kings_gamekeeper_b"]}
        state = final(humans=3, companions=tokens, favour=[20, 21, 3])
        assert state.favour == (22, 25, 3)

    def test_gamekeeper_comes_first(self) -> None:
        """Before the Queen, so that her points do not count for it."""
        state = final(humans=3, companions={0: ["kings_gamekeeper", "the_queen"]}, favour=[20, 22, 3])
        assert state.favour == (20 + 2 + 5, 22, 3)

    @pytest.mark.parametrize(("tokens", "gain"), [(["astrologist"], 2), (["astrologist", "merchant", "farmer"], 4)])
    def test_astrologist(self, tokens: list[str], gain: int) -> None:
        """Two for each own token with exactly four arrows, itself included; the Farmer has five."""
        assert gains(final(companions={0: tokens})) == (gain, 0, 0)

    def test_an_astrologist_without_four_arrows(self) -> None:
        assert gains(final(companions={0: ["astrologist_b", "merchant"]})) == (2, 0, 0)

    @pytest.mark.parametrize(("token", "estate"), [("bishop", 0), ("kings_herald", 1), ("mayor", 2)])
    def test_one_point_for_each_symbol(self, token: str, estate: int) -> None:
        hand = [f"{ESTATES[estate]} 5", f"{ESTATES[estate]} 2", f"{ESTATES[(estate + 1) % 3]} 3"]
        assert gains(final(companions={0: [token]}, cards={0: hand})) == (6 + 6 + 7, 0, 0)

    def test_chancellor(self) -> None:
        """Three for each estate in which nobody has more and the holder has any: ties count (ruling 8.5)."""
        state = final(
            companions={0: ["chancellor"]},
            cards={0: ["clergy 5", "nobles 4"], 1: ["nobles 4"], 2: ["burghers 2"]},
        )
        assert gains(state) == (6 + 4 + 3 + 3, 4, 6)

    def test_chancellor_without_symbols(self) -> None:
        assert gains(final(companions={0: ["chancellor"]})) == (0, 0, 0)

    def test_captain_of_the_guard(self) -> None:
        state = final(companions={1: ["captain_of_the_guard"]}, guards=[3, 5, 3])
        assert decision(state) == (1, "hand_over")
        assert moves(state) == ["hand_over:0", "hand_over:1", "hand_over:2", "hand_over:3"]
        state.apply("hand_over:3")
        assert (gains(state), guards(state)) == ((0, 6, 0), [3, 2, 3])

    def test_hetman(self) -> None:
        state = final(companions={1: ["hetman"]}, guards=[3, 20, 3])
        assert moves(state) == [f"hand_over:{number}" for number in range(9)]
        assert gains(state.apply("hand_over:8")) == (0, 8, 0)
        assert guards(state) == [3, 12, 3]

    def test_not_more_than_there_are(self) -> None:
        assert moves(final(companions={1: ["hetman"]}, guards=[3, 2, 3])) == [
            "hand_over:0",
            "hand_over:1",
            "hand_over:2",
        ]

    def test_the_choice_is_made_without_guards_too(self) -> None:
        """Ruling 8.2: with one move, so that nobody learns anything."""
        assert moves(final(companions={1: ["hetman"]}, guards=[3, 0, 3])) == ["hand_over:0"]

    def test_the_dearer_exchange_comes_first_and_players_in_order(self) -> None:
        """Ruling 8.2: equal ones in the order in which they were acquired."""
        tokens = {0: ["hetman"], 2: ["captain_of_the_guard_b", "captain_of_the_guard"]}
        state = final(companions=tokens, wagons={0: ("goerlitz", 1), 1: ("kamenz", 1), 2: ("zittau", 0)})
        seen = []
        while not state.is_over:
            seen.append((state.seat_to_act, state.to_json()["to_act"]["token"]))
            state.apply("hand_over:0")
        assert seen == [(2, "captain_of_the_guard_b"), (2, "captain_of_the_guard"), (0, "hetman")]
        state = final(companions={1: ["hetman", "captain_of_the_guard"]})
        assert state.to_json()["to_act"]["token"] == "captain_of_the_guard"

    def test_guards_handed_over_do_not_break_ties(self) -> None:
        hands = {0: ["clergy 5"], 1: ["clergy 5"]}
        state = final(companions={1: ["hetman"]}, guards=[2, 3, 0], cards=hands)
        one, other = state.clone().apply("hand_over:0"), state.clone().apply("hand_over:2")
        assert gains(one) == (4, 6, 0)
        assert gains(other) == (6, 2 + 4, 0)

    def test_guards_recruited_in_round_6_can_be_handed_over(self) -> None:
        state = final(companions={1: ["hetman", "head_recruiting_officer"]}, guards=[3, 0, 3])
        assert moves(state) == ["hand_over:0", "hand_over:1", "hand_over:2"]


class TestWinner:
    @pytest.mark.parametrize(
        ("favour", "hands", "winners"),
        [
            ([20, 21, 19], [3, 3, 3], (1,)),
            ([20, 20, 19], [3, 4, 9], (1,)),
            ([20, 20, 20], [4, 4, 3], (0, 1)),
            ([20, 20, 20], [3, 3, 3], (0, 1, 2)),
            ([1, 1, 0], [0, 0, 9], (0, 1)),
        ],
    )
    def test_most_favour_then_most_guards_then_shared(
        self, favour: list[int], hands: list[int], winners: tuple[int, ...]
    ) -> None:
        state = final(favour=favour, guards=hands)
        assert state.is_over
        assert state.winners == winners

    def test_guards_handed_over_do_not_count(self) -> None:
        state = final(companions={0: ["hetman"]}, favour=[18, 20, 0], guards=[3, 1, 0])
        assert state.clone().apply("hand_over:2").winners == (0, 1)
        assert state.clone().apply("hand_over:1").winners == (1,)
        assert state.clone().apply("hand_over:3").winners == (0,)

    def test_nobody_has_won_before_the_end(self) -> None:
        assert la.State.new(seed=1).winners == ()

    def test_automas_do_not_win(self) -> None:
        state = final(humans=2, automas=1, scored=True, favour=[20, 10, 99])
        assert state.winners == (0,)
        assert state.favour == (20, 10)


# --- easy game ------------------------------------------------------------------------------------


class TestEasyGame:
    def collect(self, token: str, **facts: Any) -> la.State:
        state = position(
            humans=3, easy=True, stage="tax_collection", wagons={0: ("zittau", 2)}, tokens={"zittau": token}, **facts
        )
        return state.apply(moves(state)[0])

    def test_two_clergy_symbols_in_the_centre(self) -> None:
        state = self.collect("easy_1")
        assert estates(state, 0) == {"clergy": 2}
        assert state.to_json()["pools"]["grey_cards"]["clergy"] == 1

    def test_two_shields_in_the_centre(self) -> None:
        """Sides 0, 1, 2 and 4 of Zittau show three guards."""
        state = self.collect("easy_15")
        assert guards(state)[0] == 3 + 3 + 2

    def test_a_red_piece_in_the_centre(self) -> None:
        """Sides 0, 1, 3 and 4 of Zittau show red 2, blue 1, green 1 and yellow 1."""
        assert goods(self.collect("easy_13"), 0) == {"red": 3, "blue": 1, "green": 1, "yellow": 1}

    def test_horses_in_the_centre(self) -> None:
        assert player(self.collect("easy_18"), 0)["horses"] == 2

    def test_an_estate_of_which_no_grey_card_is_left(self) -> None:
        state = self.collect("easy_1", round=3, grey={1: ["clergy", "clergy"]}, easy_bag=None)
        assert estates(state, 0) == {}
        assert decision(state)[1] == "collect"

    def test_tokens_stay_in_town_until_the_clean_up(self) -> None:
        state = self.collect("easy_13")
        assert state.to_json()["tokens"]["zittau"] == "easy_13"
        assert player(state, 0)["companions"] == []
        tokens = sorted(state.to_json()["tokens"].values())
        play_until(state, lambda state: state.round == 2)
        assert state.to_json()["tokens"] == {}
        assert state.to_json()["pools"]["easy_used"] == tokens

    def test_the_bag_is_filled_again_when_it_runs_out(self) -> None:
        """Ruling 2.5: with five players, three tokens are left after three rounds, and two more come from the pile."""
        state = position(humans=5, easy=True, stage="round_setup", round=4)
        before = state.to_json()["pools"]
        assert (len(before["easy_bag"]), len(before["easy_used"])) == (3, 15)
        state.apply(state.sample_chance(1))
        at = state.to_json()
        assert set(before["easy_bag"]) < set(at["tokens"].values())
        assert at["pools"]["easy_used"] == []
        assert sorted([*at["pools"]["easy_bag"], *at["tokens"].values()]) == sorted(
            before["easy_bag"] + before["easy_used"]
        )

    def test_a_bag_that_is_just_enough_is_not_filled(self) -> None:
        state = position(humans=3, automas=3, easy=True, stage="round_setup", round=3)
        before = state.to_json()["pools"]
        assert (len(before["easy_bag"]), len(before["easy_used"])) == (6, 12)
        state.apply(state.sample_chance(1))
        after = state.to_json()["pools"]
        assert (after["easy_bag"], after["easy_used"]) == ([], before["easy_used"])

    def test_no_companions(self) -> None:
        state = play_until(la.State.new(la.Variant(3, easy=True), seed=1), lambda state: state.is_over)
        assert all(player(state, seat)["companions"] == [] for seat in range(3))


# --- automas --------------------------------------------------------------------------------------

CARD = {"seat": None, "decision": "chance", "event": "automa_card"}


class TestAutomaTownSelection:
    def test_the_automa_acts_second(self) -> None:
        state = position(humans=3, automas=1)
        assert state.to_json()["turn"]["to_place"] == [3, 1, 2]
        state.apply(moves(state)[0])
        assert state.chance_event == "automa_town"

    def test_further_automas_act_last(self) -> None:
        state = position(humans=2, automas=4, fort="zittau", order=[1, 0])
        assert state.to_json()["turn"]["to_place"] == [2, 0, 3, 4, 5]

    def test_the_first_town_is_drawn(self) -> None:
        state = position(humans=2, automas=1, besieged=TOWNS[:3]).apply("go:loebau:0")
        towns = {state.sample_chance(seed)["automa_town"] for seed in range(60)}
        assert towns == {"loebau", "bautzen", "lauban"}
        state.apply({"automa_town": "lauban"})
        assert wagon(state, 2) == ("lauban", 0)

    def test_a_drawn_town_that_is_taken_leads_to_a_conflict(self) -> None:
        state = position(humans=2, automas=1, besieged=TOWNS[:3]).apply("go:loebau:0")
        state.apply({"automa_town": "loebau"})
        assert wagon(state, 2) == ("loebau", 1)
        assert decision(state) == (0, "respond")

    def placing(self, card: str, home: str = "goerlitz", **facts: Any) -> la.State:
        """The automa of a game of three, about to be placed after the first human."""
        facts = {"wagons": {0: ("zittau", 0), 1: "kamenz", 2: home}, "besieged": TOWNS[3:]} | facts
        state = position(humans=2, automas=1, round=2, to_place=[1], to_act=CARD | {"automa": 2}, **facts)
        return state.apply({"automa_card": card})

    def test_the_first_arrow_says_stay(self) -> None:
        assert wagon(self.placing("automa_1"), 2) == ("goerlitz", 0)

    @pytest.mark.parametrize(("card", "goal"), [("automa_1", "kamenz"), ("automa_2", "loebau")])
    def test_the_second_arrow_counts_if_its_town_is_besieged(self, card: str, goal: str) -> None:
        """To the nearest town that is not besieged: clockwise the next one, the other way past two of them."""
        state = self.placing(card, besieged=["goerlitz", "bautzen", "lauban"])
        assert wagon(state, 2) == (goal, 0)

    @pytest.mark.parametrize(("card", "goal"), [("automa_3", "kamenz"), ("automa_4", "zittau")])
    def test_a_direction_leads_away_from_home(self, card: str, goal: str) -> None:
        """Even if it could stay; wagons on the road do not count."""
        assert wagon(self.placing(card), 2) == (goal, int(goal == "zittau"))

    def test_a_human_at_home_is_challenged(self) -> None:
        state = self.placing("automa_1", home="zittau", wagons={0: ("zittau", 3), 1: "kamenz", 2: "zittau"})
        assert wagon(state, 2) == ("zittau", 4)
        assert decision(state) == (0, "respond")

    def test_a_human_at_twelve_closes_the_town(self) -> None:
        wagons = {0: ("zittau", 12), 1: "kamenz", 2: "zittau"}
        assert wagon(self.placing("automa_1", wagons=wagons), 2) == ("goerlitz", 0)

    def last_automa(self, wagons: dict[int, Any], card: str, **facts: Any) -> la.State:
        state = position(
            humans=2, automas=2, round=2, besieged=["bautzen", "lauban"], to_place=[], wagons=wagons,
            to_act=CARD | {"automa": 3}, **facts,
        )  # fmt: skip
        return state.apply({"automa_card": card})

    def test_another_automa_closes_the_town(self) -> None:
        """There is never a conflict of two automas."""
        wagons = {0: ("zittau", 0), 1: ("loebau", 0), 2: ("kamenz", 0), 3: "goerlitz"}
        assert wagon(self.last_automa(wagons, "automa_3"), 3) == ("zittau", 1)

    def test_an_automa_that_no_arrow_leads_anywhere_stays(self) -> None:
        """Ruling 9.2: all other towns are closed, and the card does not say stay."""
        wagons = {0: ("zittau", 12), 1: ("loebau", 12), 2: ("kamenz", 0), 3: "goerlitz"}
        state = self.last_automa(wagons, "automa_3")
        assert wagon(state, 3) == ("goerlitz", 0)
        assert state.stage == "tax_collection"

    def test_the_deck_is_shuffled_when_its_last_card_is_turned(self) -> None:
        state = self.placing("automa_5", automa_cards=["automa_5"])
        assert len(state.to_json()["pools"]["automa_cards"]) == 6
        state = self.placing("automa_5", automa_cards=["automa_2", "automa_5"])
        assert state.to_json()["pools"]["automa_cards"] == ["automa_2"]


class TestAutomaConflict:
    def meeting(self, automa: int, human: int, *, number: int = 2, scored: bool = False, **facts: Any) -> la.State:
        """In Zittau the orange player (seat 1) has come at `human` to an automa at `automa`."""
        facts = {"guards": [12, 12], "favour": [10, 10, 10]} | facts
        return position(
            humans=2, automas=1, scored=scored, round=number, besieged=TOWNS[3:], to_place=[],
            wagons={0: ("kamenz", 0), 1: ("zittau", human), 2: ("zittau", automa)}, to_act=CARD | {"automa": 2},
            **facts,
        )  # fmt: skip

    def test_example(self) -> None:
        """In round 2 the automa stands at 2; a card raises at 2 and 3: the automa goes to 5, above the human's 4."""
        state = position(
            humans=2, automas=1, round=2, besieged=TOWNS[3:], to_place=[],
            wagons={0: ("kamenz", 0), ORANGE: "goerlitz", 2: ("zittau", 2)}, guards=[3, 9],
            to_act={"seat": ORANGE, "decision": "travel"},
        )  # fmt: skip
        state.apply("go:zittau:4")
        assert state.to_json()["to_act"] == CARD | {"automa": 2}
        state.apply({"automa_card": "automa_2"})
        assert wagon(state, 2) == ("zittau", 5)
        assert decision(state) == (ORANGE, "respond")
        assert state.to_json()["to_act"]["bid"] == 5
        assert moves(state)[0] == "accept"
        assert "raise:6" in moves(state)

    @pytest.mark.parametrize("position_", range(11))
    def test_the_upper_part_of_the_transcribed_card(self, position_: int) -> None:
        """Rounds 1 to 3: raise at 1 and 2, leave at 0, 3 and above."""
        state = self.meeting(position_, position_ + 1)
        state.apply({"automa_card": "automa_1"})
        raised = wagon(state, 2) == ("zittau", position_ + 2)
        assert raised == (position_ in (1, 2))

    @pytest.mark.parametrize("position_", [0, 1, 2, 3, 4, 5, 7, 8, 9, 10])
    def test_the_lower_part_of_the_transcribed_card(self, position_: int) -> None:
        """Rounds 4 to 6: leave at 0 to 4, raise at 5 and from 7 on (6 is not on the card)."""
        state = self.meeting(position_, position_ + 1, number=4)
        state.apply({"automa_card": "automa_1"})
        raised = wagon(state, 2) == ("zittau", position_ + 2)
        assert raised == (position_ in (5, 7, 8, 9, 10))

    def test_a_human_who_leaves_is_paid_from_the_reserve(self) -> None:
        state = self.meeting(2, 4).apply({"automa_card": "automa_2"})
        assert guards(state.apply("accept")) == [12, 12 + 5]
        assert decision(state) == (1, "travel")
        assert "zittau" not in towns_of(moves(state))

    def test_an_automa_that_leaves_is_not_paid_but_the_human_pays(self) -> None:
        state = self.meeting(3, 5).apply({"automa_card": "automa_1"})
        assert guards(state) == [12, 12 - 5]
        assert wagon(state, 1) == ("zittau", 5)

    def test_an_automa_leaves_by_the_same_card_without_staying(self) -> None:
        """Clockwise from Zittau: the besieged towns are passed, Goerlitz is free."""
        state = self.meeting(3, 5).apply({"automa_card": "automa_1"})
        assert wagon(state, 2) == ("goerlitz", 0)
        state = self.meeting(0, 5).apply({"automa_card": "automa_5"})
        assert wagon(state, 2) == ("goerlitz", 0)

    def test_an_automa_that_leaves_may_meet_the_next_human(self) -> None:
        """The other way round from Zittau lies Kamenz, where the first human stands at 0."""
        state = self.meeting(4, 5).apply({"automa_card": "automa_2"})
        assert wagon(state, 2) == ("kamenz", 1)
        assert decision(state) == (0, "respond")

    def test_with_the_human_at_twelve_it_leaves_whatever_the_card_says(self) -> None:
        """Rules 9.4: the card raises at 4, but there is nothing above 12."""
        state = self.meeting(4, 12).apply({"automa_card": "automa_4"})
        assert guards(state) == [12, 0]
        assert wagon(state, 2) != ("zittau", 13)
        assert wagon(state, 2) == ("kamenz", 1)

    def test_it_bids_up_to_twelve(self) -> None:
        state = self.meeting(4, 11).apply({"automa_card": "automa_4"})
        assert wagon(state, 2) == ("zittau", 12)
        assert moves(state) == ["accept"]
        assert guards(state.apply("accept")) == [12, 24]


class TestAutomaTaxAndStoring:
    def test_takes_all_goods_whatever_the_arrows(self) -> None:
        """Lauban, light: yellow 2, green, blue and red 1, and besides horses and guards, which it leaves."""
        state = position(
            humans=2, automas=1, round=2, order=[0, 1], besieged=TOWNS[2:5], to_place=[],
            wagons={0: ("goerlitz", 0), 1: "kamenz", 2: ("lauban", 0)}, to_act={"seat": 1, "decision": "travel"},
            tokens={"lauban": "plain_1_3"},
        )  # fmt: skip
        state.apply("go:kamenz:0")
        assert goods(state, 2) == {"yellow": 2, "green": 1, "blue": 1, "red": 1}
        assert player(state, 2).keys() == {"kind", "goods", "wagon"}
        assert "lauban" not in state.to_json()["tokens"]
        assert decision(state) == (1, "collect")

    def test_fills_second(self) -> None:
        """After the chooser, before the other human, from left to right."""
        state = position(
            humans=2, automas=1, stage="storing", horses={0: 3}, goods={1: {"red": 2}, 2: {"red": 1}}
        )  # fmt: skip
        state.apply("row:royal:1")
        assert state.favour == (10, 10 + 1)
        assert (goods(state, 1), goods(state, 2)) == ({"red": 1}, {})

    def test_further_automas_fill_last(self) -> None:
        state = position(
            humans=2, automas=2, stage="storing", horses={0: 3}, goods={1: {"red": 1}, 2: {"red": 1}, 3: {"red": 1}}
        )  # fmt: skip
        state.apply("row:royal:1")
        assert goods(state, 3) == {"red": 1}
        assert state.favour == (10, 11)

    def test_chooses_no_row(self) -> None:
        state = position(humans=2, automas=1, stage="storing", horses={0: 3}, goods={2: {"red": 9, "blue": 9}})
        seats = set()
        while state.stage == "storing":
            seats.add(state.seat_to_act)
            state.apply(moves(state)[-1])
        assert seats == {0, 1}

    def test_its_goods_keep_the_stage_going(self) -> None:
        state = position(humans=2, automas=1, stage="storing", horses={0: 3}, goods={0: {"red": 1}, 2: {"blue": 1}})
        state.apply("row:royal:2")
        assert decision(state) == (1, "row")


class TestAutomaScoring:
    def test_starts_with_ten(self) -> None:
        state = la.State.new(la.Variant(2, 2, score_automas=True), chance="manual")
        assert [player(state, index)["favour"] for index in (2, 3)] == [10, 10]

    @pytest.mark.parametrize("hand", [12, 2])
    def test_a_point_for_each_guard_that_humans_pay(self, hand: int) -> None:
        """Also for what is paid in favour (ruling 9.5)."""
        state = TestAutomaConflict().meeting(3, 5, scored=True, guards=[12, hand])
        state.apply({"automa_card": "automa_1"})
        assert state.favour[1] == 10 - 2 * max(5 - hand, 0)
        assert player(state, 2)["favour"] == 10 + 5 + 2  # and two shields in Goerlitz, where it ends

    def test_no_point_for_what_it_gives(self) -> None:
        state = TestAutomaConflict().meeting(2, 4, scored=True).apply({"automa_card": "automa_2"}).apply("accept")
        assert player(state, 2)["favour"] == 10

    def test_points_of_the_slots_that_it_fills(self) -> None:
        state = position(
            humans=2, automas=1, scored=True, stage="storing", horses={0: 3}, goods={2: {"red": 2, "yellow": 1}}
        )  # fmt: skip
        state.apply("row:royal:1")
        assert player(state, 2)["favour"] == 10 + 2 + 2 + 1

    def test_easy_centres_give_goods_and_no_points(self) -> None:
        """Ruling 9.5: shields of the town tile alone count."""
        for token, extra in (("easy_15", {}), ("easy_9", {"red": 2})):
            state = position(
                humans=2, automas=1, easy=True, scored=True, round=2, besieged=TOWNS[2:5], to_place=[],
                wagons={0: ("goerlitz", 0), 1: "kamenz", 2: ("lauban", 0)},
                to_act={"seat": 1, "decision": "travel"}, tokens={"lauban": token},
            )  # fmt: skip
            state.apply("go:kamenz:0")
            assert player(state, 2)["favour"] == 10 + 2
            assert goods(state, 2)["red"] == 1 + extra.get("red", 0)
            assert state.to_json()["tokens"]["lauban"] == token
