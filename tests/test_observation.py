"""Views hide what they must, and worlds reproduce the view they are drawn from."""

from __future__ import annotations

import json
import random
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lusatia_ai as la
from lusatia_ai.prior import FIRST_JOURNEY, guards_key, load_prior, read_prior

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


@settings(deadline=None)
@given(positions, st.integers(0, 5))
def test_states_that_differ_in_hidden_guards_give_the_same_view(state, seat):
    seat %= state.variant.humans
    other = with_other_hands(state, seat)
    if other is None or state.stage == "final_scoring":  # there a loaded position lacks what has been handed over
        return
    assert other.view(seat, hands="known") != state.view(seat, hands="known")
    assert other.view(seat) == state.view(seat)
    assert json.dumps(other.view(seat).to_json()) == json.dumps(state.view(seat).to_json())


@settings(deadline=None)
@given(positions, st.integers(0, 2**64 - 1))
def test_states_that_differ_in_their_future_chance_give_the_same_view(state, word):
    other = state.clone()
    other.stream = (word, 1, 2, 3)
    assert other.view() == state.view()


@settings(deadline=None)
@given(positions, st.integers(0, 5), st.integers(0, 10**6))
def test_a_world_is_a_sound_position_that_gives_the_same_view(state, seat, seed):
    view = state.view(seat % state.variant.humans)
    world = view.sample(seed)
    assert world.check() is None
    assert world.view(view.seat).to_json() == view.to_json()
    assert la.State.from_json(world.to_json()) == world


@settings(deadline=None)
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


def while_storing() -> la.State:
    """A state of round 4 with four players in which nobody has to be able to pay anything."""
    for seed in range(100):
        state, rng = la.State.new(la.Variant(humans=4), seed=seed), random.Random(seed)
        while state.round < 4 or state.decision != "row":
            state.apply(rng.choice(state.legal_moves()))
        if not any("farmer" in state.tables.tokens[token] for hand in state.raw()["companions"] for token in hand):
            return state
    raise AssertionError("no such game")


def test_a_wide_range_of_guards_is_used_as_it_is_given():
    data = while_storing().view(0).to_json()
    data["players"][1]["guards_range"] = [20, 30]
    view = la.View.from_json(data)
    drawn = {world["guards"][1] for world in raw_worlds(view, 5000)}
    assert drawn <= set(range(20, 31))
    assert drawn >= set(range(20, 26))


@pytest.mark.parametrize(("low", "high"), [(0, 9999), (3, 5), (60, 200), (200, 9999), (9990, 9999)])
def test_no_number_of_guards_in_the_range_is_thought_impossible(low, high):
    data = while_storing().view(0).to_json()
    data["players"][1]["guards_range"] = [low, high]
    view = la.View.from_json(data)
    possible, most = view.guards_of(1)
    assert [guards for guards, _, _ in possible] == list(range(low, min(high, low + 63) + 1))
    assert most == high
    assert min(weight for _, _, weight in possible) / sum(weight for _, _, weight in possible) > 1e-8
    assert all(low <= view.sample(seed).raw()["guards"][1] <= high for seed in range(20))


def raw_worlds(view: la.View, count: int) -> list[dict[str, Any]]:
    """The raw fields of so many worlds, from one source of them."""
    worlds, state, raws = view.worlds(), la.State(), []
    state._setup(view.tables, False, 0)
    for seed in range(count):
        worlds.sample_into(state, seed * 7919 + 1)
        raws.append(state.raw())
    return raws


def test_hidden_guards_are_drawn_by_the_prior():
    """Chi-square, for numbers that are to be expected five times or more."""
    view = while_storing().view()
    worlds = raw_worlds(view, 3000)
    for seat in view.hidden_guards:
        possible, _ = view.guards_of(seat)
        total = sum(weight for _, _, weight in possible)
        statistic, terms = 0.0, 0
        for guards, _, weight in possible:
            expected = len(worlds) * weight / total
            if expected >= 5:
                found = sum(world["guards"][seat] == guards for world in worlds)
                statistic += (found - expected) ** 2 / expected
                terms += 1
        assert terms > 8
        assert statistic < 2 * terms


def test_the_prior_knows_round_phase_and_favour():
    """Who has paid for a bid has fewer guards than who was paid to leave; before the first journey all have as many."""
    prior = load_prior()

    def mean(key: str) -> float:
        weights = prior.guard_weights(key, 3, 0, 100)
        return sum(guards * weight for guards, weight in enumerate(weights)) / sum(weights)

    assert mean("3 bid rich") < mean("3 evicted rich")
    assert mean("3 bid poor") < mean("3 bid rich")
    weights = prior.guard_weights(FIRST_JOURNEY, 7, 0, 100)
    assert weights[7] > 0.97 * sum(weights)
    assert min(weights) > 0


def test_every_situation_has_a_prior():
    prior, seen = load_prior(), set()
    for number, variant in enumerate(VARIANTS * 2):
        state, rng = la.State.new(variant, seed=number), random.Random(number)
        while not state.is_over:
            for seat in range(variant.humans):
                key = guards_key(state.raw(), seat, 10)
                assert len(prior.guard_weights(key, 3, 0, 9)) == 10
                seen.add(key)
            state.apply(rng.choice(state.legal_moves()))
    assert len(seen) > 50
    assert set(prior.held) == {3, 4, 5, 6}


def test_the_prior_can_be_learned_again(tmp_path, capsys):
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "learn_prior.py"
    learn = run_path(str(path))["main"]
    texts = []
    for name in ("a.toml", "b.toml"):
        target = tmp_path / name
        arguments = ["--player", "random", "--games", "5", "--test-games", "1", "--output", str(target)]
        assert learn(arguments) == 0
        texts.append(target.read_text())
    assert texts[0] == texts[1]
    assert 'player = "random"' in texts[0]
    prior = read_prior(texts[0])
    assert prior.guards.keys() == load_prior().guards.keys()
    assert all(abs(sum(chances) - 1) < 0.02 for chances in prior.guards.values())
    assert "nats" in capsys.readouterr().out


def test_cards_that_left_the_offer_are_held_as_often_as_the_prior_says():
    """The symbols in hidden hands, over many worlds, are those of all cards gone, each with its chance."""
    view = while_storing().view(0)
    _, rests, held, taken = view.hidden_cards()
    weights = [weight for weight, _, _, _ in rests]
    expected = 0.0
    for weight, grey, cards, _ in rests:
        symbols = 2 * sum(grey) + sum(
            symbols * chance * sum(row[deck] for row in cards)
            for deck, (symbols, chance) in enumerate(zip((2, 3, 4, 5), held, strict=True))
        )
        expected += symbols * weight / sum(weights)
    worlds = raw_worlds(view, 2000)
    found = sum(sum(map(sum, world["estates"][1:])) for world in worlds) / len(worlds)
    assert found == pytest.approx(expected, rel=0.03 if not taken else 0.3)


def test_grey_cards_are_in_the_hands_whose_companions_brought_them():
    checked = 0
    for seed in range(12):
        state = played(la.Variant(humans=4), seed, 170)
        view = state.view()
        for seat, due in view.hidden_cards()[0]:
            assert all(sum(world["estates"][seat]) >= 2 * due for world in raw_worlds(view, 5))
            checked += due > 0
    assert checked > 5


def test_worlds_are_certain_only_where_nothing_is_hidden():
    state = while_storing()
    assert state.view(hands="known").worlds().certain
    assert not state.view().worlds().certain
    data = state.view(0).to_json()
    for seat in (1, 2, 3):
        data["players"][seat]["guards_range"] = [seat, seat]
        data["players"][seat]["estates"] = state.to_json()["players"][seat]["estates"]
    view = la.View.from_json(data)
    assert view.worlds().certain
    assert view.sample(1).raw()["guards"][1:] == [1, 2, 3]


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
    again = la.View.from_json(json.dumps(view.to_json()))
    assert again == view
    assert all(again.sample(seed) == loaded for seed in range(20))


@pytest.mark.parametrize("shown", [9, -1, "x"])
def test_hand_overs_that_cannot_be_shown_are_refused(shown):
    loaded = la.State.from_json(hand_over_state().to_json())
    data = loaded.view(hands="known").to_json() | {"hand_overs_shown": shown}
    with pytest.raises(la.PositionError, match="hand_overs_shown"):
        la.View.from_json(data)
    full = loaded.to_json() | {"hand_overs_shown": 1}
    with pytest.raises(la.PositionError, match="hand_overs_shown"):
        la.State.from_json(full)


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
