"""A belief knows every hand of a game that it has followed, and otherwise never rules out the true one."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import position, random_event, variants

import lusatia_ai as la
from lusatia_ai._belief import Worlds
from lusatia_ai.belief import HIDDEN

Json = dict[str, Any]


@dataclass
class Step:
    """One event of a game: the state before it, what happens, and the state after it."""

    before: la.State
    event: Any
    after: la.State

    @property
    def as_recorded(self) -> Any:
        """The event with its seat, as records write it."""
        seat = self.before.seat_to_act
        return self.event if seat is None else {"seat": seat, "move": self.event}


def steps(variant: la.Variant, seed: int) -> Iterator[Step]:
    """A random game from before its set-up."""
    rng, state = np.random.default_rng(seed), la.State.new(variant, chance="manual")
    while not state.is_over:
        event = random_event(state, rng)
        before = state.clone()
        state.apply(event)
        yield Step(before, event, state.clone())


def true_guards(state: la.State, seat: int) -> list[int]:
    """The guards of all humans as `seat` last knew them: those of others from before the hand-overs of the end."""
    raw = state.raw()
    judged = raw["judged_guards" if state.stage == "final_scoring" else "guards"]
    return [raw["guards"][other] if other == seat else judged[other] for other in range(state.variant.humans)]


# --- following from the start ---------------------------------------------------------------------


@given(variants, st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_who_follows_from_the_start_knows_every_hand_at_every_decision(variant, seed):
    seat = seed % variant.humans
    belief = la.Belief.new_game(variant, seat)
    for step in steps(variant, seed):
        assert belief.seat_to_act == step.before.seat_to_act
        assert belief.is_chance == step.before.is_chance
        assert belief.view().raw() == step.before.view(seat, hands="known").raw()
        if step.before.stage != "final_scoring":
            assert belief.worlds().certain
            assert belief.sample(3) == step.before
        belief.observe(step.event)
    assert belief.is_over
    assert belief.sample(0) == step.after
    hands = belief.hands()
    assert all(hand.known for hand in hands.values())
    assert [hand.guards for hand in hands.values()] == step.after.raw()["guards"][: variant.humans]


def hand_over_game() -> list[Step]:
    """The hand-over decisions of a game with three humans: one of seat 0, and one of another before the last."""
    for seed in range(3000):
        final = [step for step in steps(la.Variant(humans=3), seed) if step.before.stage == "final_scoring"]
        seats = [step.before.seat_to_act for step in final]
        if 0 in seats and any(seat for seat in seats[:-1]) and len(final[0].before.legal_moves()) > 2:
            return final
    raise AssertionError("no such game")


def test_hand_overs_of_others_are_told_when_all_are_made():
    final = hand_over_game()
    belief = la.Belief(final[0].before.view(0, hands="known"))
    unseen = [step for step in final if step.before.seat_to_act != 0]
    for step in final:
        assert belief.view() == step.before.view(0, hands="known")
        belief.observe(step.event if step.before.seat_to_act == 0 else HIDDEN)
    assert not belief.is_over
    assert belief.seat_to_act is None
    assert len(belief.untold) == len(unseen)
    with pytest.raises(la.BeliefError, match="to be told first"):
        belief.worlds()
    for step in unseen:
        belief.observe({"seat": step.before.seat_to_act, "move": step.event})
    assert belief.is_over
    assert belief.sample(0) == final[-1].after


def test_hand_overs_can_be_told_as_players_hear_of_them():
    """The own ones at once, with the seat, and those of others after all are made."""
    final = hand_over_game()
    for seat in range(3):
        belief = la.Belief(final[0].before.view(seat, hands="known"))
        mine = [step for step in final if step.before.seat_to_act == seat]
        for step in mine + [step for step in final if step not in mine]:
            belief.observe(step.as_recorded)
        assert belief.is_over
        assert belief.sample(0) == final[-1].after


def test_a_hand_over_that_is_told_early_changes_nothing_until_all_are_made():
    final = hand_over_game()
    first = final[0].before
    seat = (first.seat_to_act + 1) % 3
    told, untold = (la.Belief(first.view(seat, hands="known")) for _ in range(2))
    told.observe(first.legal_moves()[-1])
    untold.observe(None)
    assert told.view() == untold.view()
    assert [told.sample(n) for n in range(20)] == [untold.sample(n) for n in range(20)]
    assert len({told.sample(n).raw()["guards"][first.seat_to_act] for n in range(60)}) > 1


def test_more_hand_overs_than_guards_are_refused():
    state = hand_over_game()[0].before
    actor = state.seat_to_act
    most = len(state.legal_moves()) - 1
    belief = la.Belief(state.view((actor + 1) % 3, hands="known"))
    with pytest.raises(la.IllegalMoveError, match=f"hand_over:0 to hand_over:{most}"):
        belief.observe(f"hand_over:{most + 1}")
    assert belief.seat_to_act == actor


# --- hidden hands ---------------------------------------------------------------------------------


@given(variants, st.integers(0, 10**6), st.integers(0, 320), st.booleans())
@settings(max_examples=12, deadline=None)
def test_the_true_hands_are_never_ruled_out(variant, seed, start, looking):
    game, seat = list(steps(variant, seed)), seed % variant.humans
    start = min(start, len(game) - 1)
    belief = la.Belief(game[start].before.view(seat))
    for number, step in enumerate(game[start:]):
        hands, guards = belief.hands(samples=1), true_guards(step.before, seat)
        assert all(hands[other].chances.get(guards[other], 0.0) > 0 for other in range(variant.humans))
        if looking and step.before.stage != "final_scoring":
            assert belief.seat_to_act == step.before.seat_to_act
            if number % 9 == 0:
                world = belief.sample(number)
                assert world.check() is None
                assert world.view(seat).to_json() == step.before.view(seat).to_json()
        hand_over = step.before.decision == "hand_over"
        belief.observe(step.as_recorded, step.after.view(seat) if looking and not hand_over else None)
    choices = {(step.before.raw()["seat"], step.before.raw()["token"]): step.event for step in game}
    for choice in belief.untold:  # those made unseen before the belief began
        belief.observe(choices[choice])
    assert belief.is_over


def challenged() -> la.State:
    """Round 3: seat 0 stands at 0 in Goerlitz, and seat 1 is to travel."""
    facts = {"round": 3, "besieged": ["loebau", "bautzen"], "wagons": {0: "goerlitz", 1: "kamenz"}}
    return position(**facts, guards=[6, 5, 5, 5], favour=[6, 6, 6, 6]).apply("go:goerlitz:0")


def guessing(state: la.State, seat: int, other: int, low: int = 0, high: int = 30) -> la.Belief:
    """A belief from the table alone, with a range for another seat's guards."""
    data = state.view(seat).to_json()
    data["players"][other]["guards_range"] = [low, high]
    return la.Belief(la.View.from_json(data))


def test_a_bid_rules_out_hands_that_could_not_pay_it():
    state = challenged()
    belief = guessing(state, 0, 1)
    before = belief.hands()[1]
    belief.observe("go:goerlitz:9")
    after = belief.hands()[1]
    assert min(before.chances) == 0
    assert min(after.chances) == 9 - 6 // 2  # after 1 guard for the way
    assert after.guards > before.guards
    assert sum(after.chances.values()) == pytest.approx(1)
    assert belief.view().hidden_guards[1] == (6, 29)


def test_a_bid_tells_more_than_what_it_rules_out():
    """Of the hands that can pay, those are likelier for which the bid is a sensible one."""
    belief = guessing(challenged(), 0, 1, 12, 30)
    before = belief.hands()[1].chances
    after = belief.observe("go:goerlitz:1").hands()[1].chances
    assert [number - 1 for number in before] == list(after)  # 1 guard for the way
    assert any(abs(before[number] - after[number - 1]) > 1e-6 for number in before)


def test_favour_that_the_king_has_taken_tells_the_guards():
    """Seat 1 pays 5 with 3 guards and 4 favour: whoever sees the favour knows that no guard is left."""
    state = position(round=1, besieged=["loebau", "bautzen"], guards=[5, 3, 5, 5], favour=[6, 6, 6, 6])
    state.apply("go:goerlitz:0")
    belief = guessing(state, 0, 1)
    for event in ("go:goerlitz:5", "accept"):
        belief.observe(event)
        state.apply(event)
    assert len(belief.hands()[1].chances) > 5
    belief.observe(None, state.view(0))
    assert belief.hands()[1].chances == {0: 1.0}


def test_gains_and_payments_are_followed():
    state = challenged()
    belief = guessing(state, 0, 1, 8, 20)
    belief.observe("go:goerlitz:5").observe("accept")
    assert min(belief.hands()[1].chances) == 8 - 1 - 5
    assert max(belief.hands()[1].chances) == 20 - 1 - 5
    assert belief.hands()[0].chances == {6 - 1 + 5: 1.0}  # it stays for 1


def test_who_is_passed_over_with_a_farmer_has_no_guards():
    found = 0
    for seed in range(60):
        game = list(steps(la.Variant(humans=3), seed))
        for index, step in enumerate(game):
            raw, after = step.before.raw(), step.after
            entering = step.before.stage == "tax_collection" and after.stage == "storing"
            if not entering or after.decision != "row":
                continue
            for holder in range(3):
                names = [step.before.tables.tokens[token] for token in raw["companions"][holder]]
                if "farmer" not in names or after.raw()["guards"][holder] or holder == raw["seat"]:
                    continue
                seat = (holder + 1) % 3
                belief = la.Belief(step.before.view(seat))
                belief.observe(step.as_recorded, after.view(seat))
                assert belief.hands(samples=1)[holder].chances == {0: 1.0}
                blind = la.Belief(step.before.view(seat)).observe(step.as_recorded)
                assert blind.decision == "farmer"
                blind.observe(game[index + 1].as_recorded)
                assert blind.hands(samples=1)[holder].chances == {0: 1.0}
                found += 1
    assert found >= 2


# --- contradictions -------------------------------------------------------------------------------


def test_a_bid_that_no_hand_can_pay_names_what_the_seat_can_have_had():
    belief = guessing(challenged(), 0, 1, 0, 5)
    with pytest.raises(la.BeliefError, match=r"seat 1 .*'go:goerlitz:9'.* at most 5 guards and 6 favour"):
        belief.observe("go:goerlitz:9")
    assert belief.seat_to_act == 1
    assert max(belief.hands()[1].chances) == 5
    belief.observe("go:goerlitz:7")


@pytest.mark.parametrize(
    ("event", "error", "message"),
    [
        ("go:loebau:0", la.IllegalMoveError, "besieged"),
        ("row:royal:1", la.IllegalMoveError, "travel"),
        ("go:nowhere:0", la.NotationError, "nowhere"),
        ({"automa_card": "automa_1"}, la.IllegalMoveError, "seat 1 decides"),
        ({"seat": 2, "move": "go:kamenz:0"}, la.IllegalMoveError, "seat 2 cannot move"),
        ({"seat": "1", "move": "go:kamenz:0"}, la.NotationError, "seat"),
        (HIDDEN, la.IllegalMoveError, "unseen"),
        (7, la.NotationError, "bad event"),
    ],
)
def test_events_that_cannot_be_are_refused_and_change_nothing(event, error, message):
    for belief in (guessing(challenged(), 0, 1), la.Belief(challenged().view(0, hands="known"))):
        before = belief.view()
        with pytest.raises(error, match=message):
            belief.observe(event)
        assert belief.view() == before
        belief.observe("go:kamenz:0")


def test_a_view_that_the_events_do_not_lead_to_is_refused():
    state = challenged()
    belief = guessing(state, 0, 1, 0, 9)
    state.apply("go:kamenz:0")
    data = state.view(0).to_json()
    data["players"][1]["favour"] = 7
    with pytest.raises(la.BeliefError, match=r"seat 1 with 7 favour.* \[4, 6\] favour and 0 to 8 guards"):
        belief.observe("go:kamenz:0", la.View.from_json(data))
    data = state.view(0).to_json()
    data["players"][0]["guards"] = 4
    with pytest.raises(la.BeliefError, match="guards of seat 0 as 4; after the events they are 5"):
        belief.observe("go:kamenz:0", la.View.from_json(data))
    with pytest.raises(la.BeliefError, match="after the events"):
        belief.observe("go:zittau:0", state.view(0))
    with pytest.raises(la.BeliefError, match="seat 0"):
        belief.observe("go:kamenz:0", state.view(2))
    belief.observe("go:kamenz:0", state.view(0))


# --- what comes out of it -------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_worlds():
    state = challenged()
    for seed in (None, 5):
        first, second = (guessing(state, 0, 1).observe("go:goerlitz:4") for _ in range(2))
        assert [first.sample(seed or n) for n in range(10)] == [second.sample(seed or n) for n in range(10)]
    drawn = [la.Belief(state.view(0), seed=8).sample() for _ in range(2)]
    assert drawn[0] == drawn[1]
    belief = la.Belief(state.view(0), seed=8)
    assert len({belief.sample().hash for _ in range(20)}) > 5


def test_beliefs_and_worlds_can_be_pickled():
    belief = guessing(challenged(), 0, 1).observe("go:goerlitz:4")
    copy = pickle.loads(pickle.dumps(belief))
    for one in (belief, copy):
        one.observe("raise:5")
    assert [copy.sample(n) for n in range(10)] == [belief.sample(n) for n in range(10)]
    assert copy.hands() == belief.hands()
    worlds = pickle.loads(pickle.dumps(belief.worlds()))
    assert pickle.dumps(worlds) == pickle.dumps(belief.worlds())
    mine, theirs = la.State.new(la.Variant()), la.State.new(la.Variant())
    mine._setup(belief.tables, False, 0)
    theirs._setup(worlds.tables, False, 0)
    for seed in range(10):
        belief.worlds().sample_into(mine, seed)
        worlds.sample_into(theirs, seed)
        assert mine == theirs
        assert mine.stream == theirs.stream


def test_pickled_worlds_of_another_build_are_refused():
    belief = guessing(challenged(), 0, 1)
    rebuild, (tables, source, values, *more) = belief.worlds().__reduce__()
    for bad in ((tables, source[:-8], values, *more), (tables, source, values[:-8], *more)):
        with pytest.raises(ValueError, match="another version"):
            rebuild(*bad)


def test_a_search_takes_a_belief_as_it_takes_a_view():
    state = challenged()
    limit = la.Limit(iterations=60)
    known = la.Belief(state.view(1, hands="known"))
    moves = la.search(known, limit, seed=3).moves
    assert moves == la.search(state.view(1, hands="known"), limit, seed=3).moves
    guessed = la.search(la.Belief(state.view(1)), limit, seed=3)
    assert guessed.moves == la.search(state.view(1), limit, seed=3).moves
    assert guessed.best in state.legal_moves()


def test_expected_estates_are_near_what_the_cards_allow():
    game = list(steps(la.Variant(humans=3), 5))
    state = next(step.before for step in game if step.before.round == 5 and step.before.decision == "travel")
    hands = la.Belief(state.view(0)).hands()
    assert hands[0].estates == tuple(map(float, state.raw()["estates"][0]))
    assert not hands[1].known
    assert "guessed" in str(hands[1])
    assert 0 < sum(hands[1].estates) < 40


def test_the_repr_says_what_is_guessed():
    state = challenged()
    assert "hands of [1, 2, 3] guessed" in repr(la.Belief(state.view(0)))
    assert "hands known" in repr(la.Belief(state.view(0, hands="known")))


def frequencies(worlds: Worlds, seat: int, draws: int) -> dict[int, int]:
    """How often a seat has each number of guards in worlds."""
    state = la.State()
    state._setup(worlds.tables, False, 0)
    counts: dict[int, int] = {}
    for word in np.random.SeedSequence(1).generate_state(draws, np.uint64):
        worlds.sample_into(state, int(word))
        guards = state.raw()["guards"][seat]
        counts[guards] = counts.get(guards, 0) + 1
    return counts


def chi_square(counts: dict[int, int], weights: dict[int, float]) -> tuple[float, int]:
    """The statistic over numbers that are to be expected 5 times or more, and how many those are."""
    draws, total = sum(counts.values()), sum(weights.values())
    expected = {number: draws * weight / total for number, weight in weights.items()}
    terms = [(counts.get(n, 0) - mean) ** 2 / mean for n, mean in expected.items() if mean >= 5]
    return sum(terms), len(terms)


def test_guards_are_drawn_by_weight_and_beyond_the_table_geometrically():
    core = challenged()
    worlds = Worlds(core, [(1, [(2, 6, 1.0), (3, 6, 3.0)], 9, 0.5)], [], [], [0.0] * 4, 0, [], 0.0)
    weights = {2: 1.0} | {3 + n: 3 * 0.5**n for n in range(7)}
    counts = frequencies(worlds, 1, 6000)
    assert counts.keys() == weights.keys()
    statistic, terms = chi_square(counts, weights)
    assert statistic < 2.5 * terms


def test_worlds_follow_what_is_believed():
    belief = guessing(challenged(), 0, 1).observe("go:goerlitz:4")
    statistic, terms = chi_square(frequencies(belief.worlds(), 1, 6000), belief.hands(1)[1].chances)
    assert terms > 8
    assert statistic < 2 * terms
