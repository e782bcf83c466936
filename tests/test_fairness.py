"""Nothing that a seat cannot know has any influence on what it is shown, on its worlds, or on its search."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import pytest

import lusatia_ai as la

POSITIONS = 200
VARIANTS = [
    la.Variant(humans=4),
    la.Variant(humans=3, automas=1, score_automas=True),
    la.Variant(humans=2, automas=1, easy=True),
    la.Variant(humans=6, sides="dark"),
    la.Variant(humans=3, chooser_must_contribute=True),
]
LIMIT = la.Limit(iterations=30)


def played(variant: la.Variant, seed: int, moves: int) -> la.State:
    """A state after so many random moves, or before the last move of the game."""
    state, rng = la.State.new(variant, seed=seed), random.Random(seed)
    for _ in range(moves):
        before = state.clone()
        state.apply(rng.choice(state.legal_moves()))
        if state.is_over:
            return before
    return state


def twin(state: la.State, seat: int, seed: int) -> la.State:
    """A true state that differs from another only in what `seat` cannot know: hidden hands and the chance to come."""
    return state.view(seat).sample(seed)


@lru_cache(maxsize=1)
def pairs() -> tuple[tuple[la.State, la.State, int], ...]:
    """Pairs of true states that look the same to the seat to act."""
    return tuple(_pairs())


def _pairs() -> Iterator[tuple[la.State, la.State, int]]:
    rng = random.Random(1)
    for number in range(POSITIONS):
        state = played(VARIANTS[number % len(VARIANTS)], number, rng.randrange(10, 200))
        seat = state.seat_to_act
        yield state, twin(state, seat, number), seat


def bits(state: la.State) -> tuple[object, ...]:
    """All of a state, its stream of chance included."""
    return state.raw(), state.stream


def test_the_pairs_differ_in_hidden_hands_and_in_the_chance_to_come():
    differ = 0
    for state, other, seat in pairs():
        assert other.check() is None
        assert other.stream != state.stream
        mine, theirs = state.to_json(), other.to_json()
        differ += mine["players"] != theirs["players"]
        for data in (mine, theirs):
            for number, player in enumerate(data["players"]):
                if number != seat:
                    player.pop("guards", None)
                    player.pop("estates", None)
        if state.stage != "final_scoring":  # there the favour of who has handed over guards is hidden as well
            assert mine == theirs
    assert differ > 0.9 * POSITIONS


def test_both_give_the_same_view():
    for state, other, seat in pairs():
        assert other.view(seat) == state.view(seat)
        assert json.dumps(other.view(seat).to_json()) == json.dumps(state.view(seat).to_json())


def test_both_give_the_same_worlds_bit_by_bit():
    for number, (state, other, seat) in enumerate(pairs()):
        mine, theirs = state.view(seat).sample(number), other.view(seat).sample(number)
        assert bits(mine) == bits(theirs)


def test_worlds_reproduce_the_view_and_differ_from_each_other():
    differ = 0
    for state, _, seat in pairs():
        worlds = [state.view(seat).sample(seed) for seed in range(6)]
        assert all(world.view(seat).to_json() == state.view(seat).to_json() for world in worlds)
        differ += len({world.hash for world in worlds}) > 1
    assert differ > 0.95 * POSITIONS


def test_both_give_the_same_search_bit_by_bit():
    for number, (state, other, seat) in enumerate(pairs()):
        results = [la.search(one.view(seat), LIMIT, seed=number) for one in (state, other)]
        assert results[0].moves == results[1].moves
        assert results[0].iterations == results[1].iterations == LIMIT.iterations


def test_both_give_the_same_search_to_who_follows_from_there():
    """A belief that starts from the table and sees the next events of one and the same game."""
    checked = 0
    for number, (state, other, seat) in enumerate(pairs()[:60]):
        shared = [move for move in state.legal_moves() if other.is_legal(move)]
        beliefs = [la.Belief(one.view(seat)) for one in (state, other)]
        move = shared[number % len(shared)]
        for belief in beliefs:
            belief.observe(move)
        if beliefs[0].seat_to_act is None:
            continue
        assert bits(beliefs[0].sample(number)) == bits(beliefs[1].sample(number))
        results = [la.search(belief, LIMIT, seed=number) for belief in beliefs]
        assert results[0].moves == results[1].moves
        checked += 1
    assert checked > 30


@pytest.mark.parametrize("hands", ["hidden", "known"])
def test_the_future_chance_of_a_state_is_not_searched_with(hands):
    for number, (state, _, seat) in enumerate(pairs()[:40]):
        other = state.clone()
        other.stream = tuple(int(word) for word in np.random.SeedSequence(number).generate_state(4, np.uint64))
        results = [la.search(one.view(seat, hands=hands), LIMIT, seed=number).moves for one in (state, other)]
        assert results[0] == results[1]
