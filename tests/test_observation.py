"""Views hide what they must, and worlds reproduce the view they are drawn from."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lusatia_ai as la

VARIANTS = [
    la.Variant(humans=4),
    la.Variant(humans=3, automas=1, score_automas=True),
    la.Variant(humans=2, automas=1, easy=True),
    la.Variant(humans=6, sides="dark"),
    la.Variant(humans=3, chooser_must_contribute=True),
]


def played(variant: la.Variant, seed: int, moves: int) -> la.State:
    """A state after so many random moves, or before the last move of the game."""
    state, rng = la.State.new(variant, seed=seed), random.Random(seed)
    for _ in range(moves):
        before = state.clone()
        state.apply(rng.choice(state.legal_moves()))
        if state.is_over:
            return before
    return state


def with_other_hands(state: la.State, seat: int) -> la.State | None:
    """The same position with one guard more or less in each other hand, where the rules allow it."""
    data = state.to_json()
    for other in range(state.variant.humans):
        if other != seat:
            data["players"][other]["guards"] += 1
    try:
        return la.State.from_json(data)
    except la.PositionError:
        return None


positions = st.builds(played, st.sampled_from(VARIANTS), st.integers(0, 10**6), st.integers(0, 250))


@given(positions, st.integers(0, 5))
def test_states_that_differ_in_hidden_guards_give_the_same_view(state, seat):
    seat %= state.variant.humans
    other = with_other_hands(state, seat)
    if other is None or state.stage == "final_scoring":  # there a loaded position lacks what has been handed over
        return
    assert other.view(seat, hands="known") != state.view(seat, hands="known")
    assert other.view(seat) == state.view(seat)
    assert json.dumps(other.view(seat).to_json()) == json.dumps(state.view(seat).to_json())


@given(positions, st.integers(0, 2**64 - 1))
def test_states_that_differ_in_their_future_chance_give_the_same_view(state, word):
    other = state.clone()
    other.stream = (word, 1, 2, 3)
    assert other.view() == state.view()


@given(positions, st.integers(0, 5), st.integers(0, 10**6))
def test_a_world_is_a_sound_position_that_gives_the_same_view(state, seat, seed):
    view = state.view(seat % state.variant.humans)
    world = view.sample(seed)
    assert world.check() is None
    assert world.view(view.seat).to_json() == view.to_json()
    assert la.State.from_json(world.to_json()) == world


@given(positions, st.integers(0, 5))
def test_a_view_survives_json(state, seat):
    view = state.view(seat % state.variant.humans)
    assert la.View.from_json(json.dumps(view.to_json())) == view


def test_worlds_of_a_hidden_view_differ():
    view = played(la.Variant(humans=4), 3, 150).view()
    worlds = [json.dumps(view.sample(seed).to_json()["players"]) for seed in range(20)]
    assert len(set(worlds)) > 10


def test_with_known_hands_every_world_is_the_position_itself():
    state = played(la.Variant(humans=4), 3, 100)
    assert all(state.view(hands="known").sample(seed) == state for seed in range(5))


def test_own_hand_is_shown_and_the_others_are_null():
    state = played(la.Variant(humans=4), 3, 150)
    players = state.view(2).to_json()["players"]
    assert [player["guards"] is None for player in players] == [True, True, False, True]
    assert [player["estates"] is None for player in players] == [True, True, False, True]
    assert players[2] == state.to_json()["players"][2]


def test_a_standing_bid_can_be_paid_in_every_world():
    state = la.State.new(la.Variant(humans=3), seed=5)
    first = state.legal_moves()[0].text.split(":")[1]
    state.apply(f"go:{first}:0").apply(f"go:{first}:8")
    bidder = state.raw()["rival"]
    guards = [state.view().sample(seed).raw()["guards"][bidder] for seed in range(30)]
    assert min(guards) >= 8 - 10 // 2
    assert len(set(guards)) > 1


def test_a_given_range_bounds_the_guards_of_every_world():
    data = la.State.new(la.Variant(humans=3), seed=5).view(0).to_json()
    data["players"][1]["guards_range"] = [4, 5]
    view = la.View.from_json(data)
    assert {view.sample(seed).raw()["guards"][1] for seed in range(30)} == {4, 5}
    assert view.to_json() == data


def hand_over_state() -> la.State:
    """The second of two hand-over decisions of different seats, the first having given what it could."""
    for seed in range(3000):
        state, rng = la.State.new(la.Variant(humans=3), seed=seed), random.Random(seed)
        first = None
        while not state.is_over:
            if state.decision == "hand_over":
                if first is not None and state.seat_to_act != first:
                    return state
                first = state.seat_to_act
                if state.raw()["guards"][first] < 2:
                    break
                state.apply(state.legal_moves()[-1])
            else:
                state.apply(rng.choice(state.legal_moves()))
    raise AssertionError("no such game")


def test_hand_over_decisions_of_others_are_not_seen_until_all_are_made():
    state = hand_over_state()
    decided = state.raw()["order"][0]
    for token_holder in range(3):
        raw = state.raw()
        if raw["judged_guards"][token_holder] != raw["guards"][token_holder]:
            decided = token_holder
    raw, seen = state.raw(), state.view(hands="known").to_json()["players"][decided]
    assert raw["guards"][decided] < raw["judged_guards"][decided] == seen["guards"]
    assert raw["favour"][decided] > raw["judged_favour"][decided] == seen["favour"]


def test_worlds_guess_the_hand_over_decisions_of_others():
    view = hand_over_state().view(hands="known")
    assert len({view.sample(seed).raw()["favour"] == view.sample(0).raw()["favour"] for seed in range(40)}) == 2


def test_moves_of_a_seat_with_hidden_guards_are_not_told():
    state = la.State.new(la.Variant(humans=3), seed=5)
    other = (state.seat_to_act + 1) % 3
    with pytest.raises(ValueError, match="hides"):
        state.view(other).legal_moves()
    assert state.view().legal_moves() == state.legal_moves()


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_a_view_of_no_human_seat_is_refused(seat):
    with pytest.raises(ValueError, match="allowed"):
        la.State.new(la.Variant(humans=3), seed=5).view(seat)


def test_views_and_positions_are_not_taken_for_one_another():
    state = la.State.new(la.Variant(humans=3), seed=5)
    with pytest.raises(la.PositionError, match="view"):
        la.State.from_json(state.view().to_json())
    with pytest.raises(la.PositionError, match="view"):
        la.View.from_json(state.to_json())


def test_a_view_with_hands_that_no_cards_make_up_is_refused():
    data = played(la.Variant(humans=4), 3, 150).view(0, hands="known").to_json()
    data["players"][1]["estates"] = None
    data["players"][2]["estates"]["clergy"] += 40
    with pytest.raises(la.PositionError, match="clergy"):
        la.View.from_json(data)


def test_a_wide_range_of_guards_is_used_as_it_is_given():
    data = la.State.new(la.Variant(humans=3), seed=5).view(0).to_json()
    data["players"][1]["guards_range"] = [0, 30]
    view = la.View.from_json(data)
    assert max(view.sample(seed).raw()["guards"][1] for seed in range(200)) > 20


def test_a_range_that_cannot_pay_the_standing_bid_is_refused():
    state = la.State.new(la.Variant(humans=3), seed=5)
    town = state.legal_moves()[0].text.split(":")[1]
    state.apply(f"go:{town}:0").apply(f"go:{town}:8")
    bidder = state.raw()["rival"]
    data = state.view().to_json()
    data["players"][bidder]["guards_range"] = [0, 2]
    with pytest.raises(la.PositionError, match="can be paid"):
        la.View.from_json(data)


def test_a_position_loaded_in_final_scoring_is_not_handed_over_from_twice():
    state = hand_over_state()
    loaded = la.State.from_json(state.to_json())
    view = loaded.view(hands="known")
    assert all(view.sample(seed) == loaded for seed in range(20))


def test_what_is_handed_over_after_loading_is_hidden_again():
    for seed in range(3000):
        state, rng = la.State.new(la.Variant(humans=3), seed=seed), random.Random(seed)
        while not state.is_over and state.decision != "hand_over":
            state.apply(rng.choice(state.legal_moves()))
        if state.is_over or len(state.legal_moves()) < 3:
            continue
        loaded, first = la.State.from_json(state.to_json()), state.seat_to_act
        results = [loaded.clone().apply(move) for move in loaded.legal_moves()[:2]]
        if all(not result.is_over and result.seat_to_act != first for result in results):
            assert results[0].view() == results[1].view()
            assert results[0] != results[1]
            return
    raise AssertionError("no such game")


def test_moves_of_a_seat_whose_hand_over_is_not_seen_are_not_told():
    for seed in range(6000):
        state, rng = la.State.new(la.Variant(humans=3), seed=seed), random.Random(seed)
        while not state.is_over and state.decision != "hand_over":
            state.apply(rng.choice(state.legal_moves()))
        if state.is_over:
            continue
        first = state.seat_to_act
        state.apply(state.legal_moves()[-1])
        if not state.is_over and state.seat_to_act == first:
            with pytest.raises(ValueError, match="hides"):
                state.view((first + 1) % 3, hands="known").legal_moves()
            assert state.view(first).legal_moves() == state.legal_moves()
            return
    raise AssertionError("no such game")


@pytest.mark.parametrize("seat", [True, "zz", None])
def test_a_view_of_no_seat_at_all_is_refused(seat):
    state = la.State.new(la.Variant(humans=3), seed=5, chance="manual")
    with pytest.raises(ValueError, match=r"allowed|whose view"):
        state.view(seat)
