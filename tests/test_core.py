"""The forward model as a whole: what holds in every game, of every variant and component set."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import (
    ESTATES,
    MIXED,
    PLAYERS,
    SYMBOLS,
    TOWNS,
    Json,
    canonical,
    moves,
    play,
    play_until,
    position,
    random_event,
    random_game,
    seeds,
    variants,
)

import lusatia_ai as la

MANY = settings(max_examples=40, deadline=None)
FEW = settings(max_examples=10, deadline=None)


# --- invariants -----------------------------------------------------------------------------------


def token_places(at: Json) -> list[str]:
    """All tokens that are still in the game."""
    pools = at["pools"]
    piles = [*pools["tokens"].values(), pools["easy_bag"], pools["easy_used"], at["tokens"].values()]
    piles += [player.get("companions", []) for player in at["players"]]
    return [token for pile in piles for token in pile]


class Ledger:
    """Follows the estate cards of a game by its events alone."""

    def __init__(self) -> None:
        self.hands: Counter[tuple[int, str]] = Counter()

    def note(self, before: Json, event: str | Json, after: Json) -> None:
        act = before["to_act"]
        if act["decision"] == "card":
            symbols = str(event).partition(":")[2]
            self.hands[act["seat"], before["face_up"][symbols]] += int(symbols)
        elif act["decision"] == "grey":
            self.hands[act["seat"], str(event).partition(":")[2]] += 2
        elif act["decision"] == "collect" and before["variant"]["easy"]:
            for estate in ESTATES:
                gone = before["pools"]["grey_cards"][estate] - after["pools"]["grey_cards"][estate]
                self.hands[act["seat"], estate] += 2 * gone

    def agrees(self, at: Json) -> None:
        drawn = at["round"] - (at["to_act"] is not None and at["to_act"].get("event") == "round")
        for symbols in SYMBOLS:
            assert sum(at["pools"]["estate_cards"][symbols].values()) == 6 - max(drawn, 0)
        for seat in range(at["variant"]["humans"]):
            for estate in ESTATES:
                assert at["players"][seat]["estates"][estate] == self.hands[seat, estate]


class TestInvariants:
    @given(variants, seeds)
    @MANY
    def test_hold_after_every_event(self, variant: la.Variant, seed: int) -> None:
        for state, _ in random_game(variant, seed):
            assert state.check() is None
            assert min(state.favour) >= 0
            assert state.is_chance + state.is_over + bool(state.legal_moves()) == 1
            assert (state.seat_to_act is None) == (state.is_chance or state.is_over)

    @given(variants, seeds)
    @FEW
    def test_one_wagon_in_each_open_town_after_town_selection(self, variant: la.Variant, seed: int) -> None:
        rounds = set()
        for state, _ in random_game(variant, seed):
            if state.stage in ("tax_collection", "storing"):
                at = state.to_json()
                rounds.add(state.round)
                wagons = [player["wagon"] for player in at["players"]]
                assert all(0 <= wagon["position"] <= 12 for wagon in wagons)
                assert sorted(wagon["town"] for wagon in wagons) == sorted(set(TOWNS) - set(at["besieged"]))
        assert rounds == {1, 2, 3, 4, 5, 6}

    @given(variants, seeds)
    @FEW
    def test_estate_and_grey_cards_are_conserved(self, variant: la.Variant, seed: int) -> None:
        ledger, before, last = Ledger(), {}, None
        for state, event in random_game(variant, seed):
            at = state.to_json()
            if before:
                ledger.note(before, last, at)
                ledger.agrees(at)
            before, last = at, event

    @given(variants, seeds)
    @FEW
    def test_tokens_are_conserved(self, variant: la.Variant, seed: int) -> None:
        before: set[str] | None = None
        for state, _ in random_game(variant, seed):
            tokens = token_places(state.to_json())
            assert len(tokens) == len(set(tokens))
            if variant.easy:
                assert len(tokens) == 18
            assert before is None or set(tokens) <= before
            before = set(tokens)
        if not variant.easy:
            assert len(before or ()) == 6 * variant.humans

    @given(variants, seeds)
    @FEW
    def test_moves_come_in_plain_string_order_and_once(self, variant: la.Variant, seed: int) -> None:
        for state, _ in random_game(variant, seed):
            texts = moves(state)
            assert texts == sorted(set(texts))
            assert [state.tables.moves[text] for text in texts] == state.legal_moves()
            assert all(move.code == state.tables.moves[str(move)].code for move in state.legal_moves())

    def test_all_stages_of_all_rounds_are_seen(self) -> None:
        seen = {(state.round, state.stage) for state, _ in random_game(la.Variant(3, 1), 5)}
        rounds = {(round, stage) for round in range(1, 7) for stage in ("round_setup", "town_selection", "storing")}
        assert seen >= rounds | {(0, "setup"), (6, "game_over")}


# --- moves that are not legal ---------------------------------------------------------------------


class TestRefusal:
    @pytest.mark.parametrize("players", PLAYERS)
    @pytest.mark.parametrize("easy", [False, True])
    def test_every_other_move_is_refused_and_changes_nothing(self, players: tuple[int, int], easy: bool) -> None:
        variant = la.Variant(*players, easy=easy, chooser_must_contribute=sum(players) % 2 == 0, sides=MIXED)
        decisions = set()
        for number, (state, _) in enumerate(random_game(variant, 10 * sum(players) + players[0])):
            if state.decision not in decisions or number % 40 == 0 or state.is_over:
                decisions.add(state.decision)
                self.refuses_all_but_the_legal(state)
        assert decisions >= {"travel", "respond", "collect", "row", "card", "chance", None}

    @staticmethod
    def refuses_all_but_the_legal(state: la.State) -> None:
        before, stream, legal = state.clone(), state.stream, set(moves(state))
        for text, move in state.tables.moves.items():
            if text in legal:
                assert state.is_legal(text)
                continue
            assert not state.is_legal(move)
            with pytest.raises(la.IllegalMoveError, match=r"illegal move '.+': \w.{10,}"):
                state.apply(text)
            with pytest.raises(la.IllegalMoveError):
                state.apply(move)
        assert state == before
        assert state.stream == stream
        assert state.to_json() == before.to_json()

    def test_chance_objects_are_refused_at_decisions(self) -> None:
        state = la.State.new(la.Variant(3, 1), seed=1)
        before = state.clone()
        for event in ({"automa_card": "automa_1"}, {"automa_town": "zittau"}, {"round": {}}, {"setup": {}}):
            with pytest.raises(la.IllegalMoveError, match="the position waits for a move: seat"):
                state.apply(event)
        assert state == before

    @pytest.mark.parametrize("event", [None, 3, b"accept", ["accept"], 2.5, ("go:zittau:0",), True])
    def test_other_types_are_refused(self, event: Any) -> None:
        state = la.State.new(seed=1)
        before = state.clone()
        with pytest.raises(TypeError, match="expected a Move, a text or a chance object"):
            state.apply(event)
        assert state == before

    def test_a_move_of_another_component_set_is_read_by_its_text(self) -> None:
        other = renamed_set()
        there = la.State.new(la.Variant(3), components=other, seed=1)
        here = la.State.new(la.Variant(3), seed=1)
        with pytest.raises(la.NotationError):
            here.apply(there.legal_moves()[0])


# --- copies ---------------------------------------------------------------------------------------


class TestCopies:
    @pytest.mark.parametrize("copied", [la.State.clone, copy.copy, copy.deepcopy])
    @given(variants, seeds, st.integers(0, 250))
    @FEW
    def test_are_independent(
        self, copied: Callable[[la.State], la.State], variant: la.Variant, seed: int, events: int
    ) -> None:
        rng = np.random.default_rng(seed)
        state = la.State.new(variant, seed=seed)
        for _ in range(events):
            if not state.is_over:
                state.apply(random_event(state, rng))
        twin = copied(state)
        before = canonical(state.to_json())
        assert type(twin) is la.State
        assert twin == state
        assert (twin.stream, twin.manual, twin.variant) == (state.stream, state.manual, state.variant)
        for _ in range(10):
            if not twin.is_over:
                twin.apply(random_event(twin, rng))
        assert canonical(state.to_json()) == before
        after = canonical(twin.to_json())
        state.draw_chance()
        state.next_word()
        for _ in range(5):
            if not state.is_over:
                state.apply(random_event(state, rng))
        assert canonical(twin.to_json()) == after

    def test_draw_the_same_chance(self) -> None:
        state = la.State.new(la.Variant(2, 2), seed=3)
        twin = state.clone()
        for _ in range(200):
            if not state.is_over:
                move = moves(state)[-1]
                assert state.apply(move) == twin.apply(move)

    @given(variants, seeds, st.integers(0, 250), st.sampled_from(["auto", "manual"]))
    @FEW
    def test_pickling(self, variant: la.Variant, seed: int, events: int, chance: Any) -> None:
        state = la.State.new(variant, seed=seed, chance=chance)
        rng = np.random.default_rng(seed)
        for _ in range(events):
            if not state.is_over:
                state.apply(random_event(state, rng))
        again = pickle.loads(pickle.dumps(state))
        assert type(again) is la.State
        assert again == state
        assert (again.hash, again.stream, again.manual) == (state.hash, state.stream, state.manual)
        assert again.tables is state.tables
        assert again.check() is None
        assert again.playout() == state.playout()

    def test_pickling_of_another_component_set(self) -> None:
        state = la.State.new(la.Variant(3), components=renamed_set(), seed=1)
        again = pickle.loads(pickle.dumps(state))
        assert again == state
        assert moves(again) == moves(state)
        assert pickle.loads(pickle.dumps(state.legal_moves())) == state.legal_moves()

    def test_cannot_be_used_as_keys(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(la.State.new(seed=1))

    def test_an_empty_state_says_how_states_are_made(self) -> None:
        for use in (la.State.legal_moves, la.State.clone, la.State.check, lambda state: state.favour):
            with pytest.raises(TypeError, match=r"State\.new"):
                use(la.State())


# --- hash and equality ----------------------------------------------------------------------------


class TestHash:
    @given(variants, seeds)
    @FEW
    def test_is_equal_for_equal_positions_alone(self, variant: la.Variant, seed: int) -> None:
        hash_of: dict[str, int] = {}
        for game in range(2):
            for state, _ in random_game(variant, seed + game):
                text = canonical(state.to_json())
                assert hash_of.setdefault(text, state.hash) == state.hash
        assert len(set(hash_of.values())) == len(hash_of)

    def test_another_way_to_the_same_position(self) -> None:
        """A conflict that ends at the same bids: 1, 5, 6 or 3, 5, 6."""
        start = position(guards=[9, 9, 9, 9])
        one = play(start.clone(), "go:zittau:0", "go:zittau:1", "raise:5", "raise:6")
        other = play(start.clone(), "go:zittau:0", "go:zittau:3", "raise:5", "raise:6")
        assert one == other
        assert one.hash == other.hash
        assert one.hash != play(start.clone(), "go:zittau:0", "go:zittau:3", "raise:5", "raise:7").hash

    def test_the_order_of_a_set_in_a_chance_object_does_not_matter(self) -> None:
        state = la.State.new(la.Variant(3), chance="manual")
        event = state.sample_chance(1)
        backwards = {"setup": event["setup"] | {"display": event["setup"]["display"][::-1]}}
        one, other = state.clone().apply(event), state.clone().apply(backwards)
        assert one == other
        event = one.sample_chance(1)
        backwards = {"round": event["round"] | {"besieged": event["round"]["besieged"][::-1]}}
        one.apply(event)
        other.apply(backwards)
        assert one == other
        assert one.hash == other.hash

    def test_streams_of_chance_do_not_matter(self) -> None:
        state = la.State.new(seed=1)
        twin = state.clone()
        twin.next_word()
        assert twin.stream != state.stream
        assert twin == state
        assert twin.hash == state.hash

    def test_equality_does_not_depend_on_what_else_was_played(self) -> None:
        """Tables are compiled once and kept, but not for ever."""
        state = la.State.new(la.Variant(3), seed=1)
        data, pickled = state.to_json(), pickle.dumps(state)
        for players in PLAYERS:
            for number in range(8):
                flags = [bool(number & bit) for bit in (1, 2, 4)]
                la.State.new(la.Variant(*players, *flags), chance="manual")
        assert la.State.from_json(data).hash == state.hash
        assert la.State.from_json(data) == state
        assert pickle.loads(pickled) == state

    def test_positions_of_different_games_are_different(self) -> None:
        state = la.State.new(la.Variant(3), chance="manual")
        other = la.State.new(la.Variant(3, chooser_must_contribute=True), chance="manual")
        assert state != other
        assert state != la.State.new(la.Variant(3), components=renamed_set(), chance="manual")
        assert state != state.to_json()

    def test_every_number_of_a_position_counts(self) -> None:
        state = position(stage="storing", round=2, goods={0: {"red": 1}})
        seen = {state.hash}
        for change in (
            {"favour": [11, 10, 10, 10]},
            {"guards": [3, 3, 3, 4]},
            {"goods": {0: {"red": 2}}},
            {"horses": {0: 1}},
            {"royal": "warehouse_3"},
            {"filled": {"royal": ["..x."]}},
            {"wagons": {0: ("goerlitz", 1)}},
            {"ring": TOWNS[1:] + TOWNS[:1]},
        ):
            seen.add(position(**({"stage": "storing", "round": 2, "goods": {0: {"red": 1}}} | change)).hash)
        assert len(seen) == 9


# --- chance ---------------------------------------------------------------------------------------


def events_between(state: la.State, target: la.State) -> list[Json] | None:
    """Chance objects that lead from `state`, which waits for chance, to `target`; None if there are none."""
    if not state.is_chance:
        return [] if state == target else None
    for event in possible_events(state, target.to_json()):
        rest = events_between(state.clone().apply(event), target)
        if rest is not None:
            return [event, *rest]
    return None


def possible_events(state: la.State, target: Json) -> list[Json]:
    if state.chance_event == "setup":
        ring = [entry["town"] for entry in target["ring"]]
        display = target["pools"]["tokens"]["5-6"]
        return [{"setup": {"ring": ring, "order": target["order"], "display": display}}]
    if state.chance_event == "round":
        tiles = {name: target["warehouses"][name]["tile"] for name in ("royal", "estate")}
        return [{"round": {key: target[key] for key in ("besieged", "fort", "tokens", "face_up")} | tiles}]
    if state.chance_event == "automa_card":
        return [{"automa_card": card} for card in state.to_json()["pools"]["automa_cards"]]
    towns = [town for index, town in enumerate(state.tables.towns) if state.towns_for_automa() >> index & 1]
    return [{"automa_town": town} for town in towns]


def wilson_hilferty(statistic: float, freedom: int) -> float:
    """A chi-square value as a standard normal one, nearly."""
    spread = 2 / (9 * freedom)
    return float(((statistic / freedom) ** (1 / 3) - 1 + spread) / spread**0.5)


def assert_uniform(counts: Counter[Any], outcomes: list[Any], weights: list[int] | None = None) -> None:
    """All outcomes come up as often as they should; one seed in 30,000 would fail by bad luck."""
    assert set(counts) <= set(outcomes)
    weights = weights or [1] * len(outcomes)
    total = sum(counts.values())
    expected = [total * weight / sum(weights) for weight in weights]
    statistic = sum((counts[o] - e) ** 2 / e for o, e in zip(outcomes, expected, strict=True))
    assert wilson_hilferty(statistic, len(outcomes) - 1) < 4, dict(counts)


class TestChance:
    @pytest.mark.parametrize("players", PLAYERS)
    def test_manual_chance_replays_automatic_chance_exactly(self, players: tuple[int, int]) -> None:
        variant = la.Variant(*players, easy=players[0] == 3, score_automas=True)
        auto = la.State.new(variant, seed=9)
        manual = la.State.new(variant, chance="manual")
        rng = np.random.default_rng(4)
        while True:
            events = events_between(manual, auto)
            assert events is not None, auto
            play(manual, *events)
            assert manual == auto
            if auto.is_over:
                return
            move = random_event(auto, rng)
            auto.apply(move)
            manual.apply(move)

    @given(variants, seeds)
    @FEW
    def test_the_same_seed_draws_the_same_game(self, variant: la.Variant, seed: int) -> None:
        one = la.State.new(variant, seed=seed)
        other = la.State.new(variant, seed=np.random.SeedSequence(seed))
        late = la.State.new(variant, seed=seed, chance="manual")
        while not one.is_over:
            late.draw_chance()
            assert one == other == late
            move = one.legal_moves()[len(one.legal_moves()) // 2]
            for state in (one, other, late):
                state.apply(move)

    def test_sampling_applies_nothing(self) -> None:
        state = la.State.new(chance="manual")
        before = state.clone()
        assert state.sample_chance(5) == state.sample_chance(5) != state.sample_chance(6)
        assert state.stream == before.stream
        assert state.sample_chance() != state.sample_chance()
        assert state == before

    def test_sampling_needs_a_chance_event(self) -> None:
        with pytest.raises(la.IllegalMoveError, match="no chance event to sample: seat"):
            la.State.new(seed=1).sample_chance()
        over = play_until(la.State.new(seed=1), lambda state: False)
        with pytest.raises(la.IllegalMoveError, match="the game is over"):
            over.sample_chance()

    @staticmethod
    def samples(state: la.State, count: int, seed: int = 1) -> list[Json]:
        rng = np.random.default_rng(seed)
        return [next(iter(state.sample_chance(rng).values())) for _ in range(count)]

    def test_set_up_is_uniform(self) -> None:
        samples = self.samples(la.State.new(la.Variant(4), chance="manual"), 4000)
        assert_uniform(Counter(tuple(drawn["order"]) for drawn in samples), list(permutations(range(4))))
        neighbours = Counter((drawn["ring"][0], drawn["ring"][1]) for drawn in samples)
        assert_uniform(neighbours, list(permutations(TOWNS, 2)))
        last = Counter((drawn["ring"][4], drawn["ring"][2]) for drawn in samples)
        assert_uniform(last, list(permutations(TOWNS, 2)))
        pool = [token.id for token in la.complete_edition().tokens if token.pool == "5-6"]
        assert_uniform(Counter(token for drawn in samples for token in drawn["display"]), pool)
        left_out = [sorted(set(pool) - set(drawn["display"])) for drawn in samples]
        assert {len(tokens) for tokens in left_out} == {4}

    @pytest.mark.parametrize("humans", [3, 4, 5])
    def test_besieged_towns_are_uniform(self, humans: int) -> None:
        samples = self.samples(position(humans=humans, stage="round_setup", round=2), 3000)
        sets = list(combinations(TOWNS, 6 - humans))
        assert_uniform(Counter(tuple(drawn["besieged"]) for drawn in samples), sets)

    def test_the_wagon_fort_is_uniform(self) -> None:
        samples = self.samples(position(humans=6, stage="round_setup", round=1), 2000)
        assert_uniform(Counter(drawn["fort"] for drawn in samples), list(TOWNS))

    def test_tokens_are_uniform(self) -> None:
        state = la.State.new(la.Variant(6), chance="manual")
        samples = self.samples(state.apply(state.sample_chance(1)), 3000)
        pool = [token.id for token in la.complete_edition().tokens if token.pool == "1-2"]
        for town in ("kamenz", "lauban"):
            assert_uniform(Counter(drawn["tokens"][town] for drawn in samples), pool)
        pairs = Counter(tuple(sorted((drawn["tokens"]["zittau"], drawn["tokens"]["bautzen"]))) for drawn in samples)
        assert_uniform(pairs, list(combinations(sorted(pool), 2)))

    def test_warehouse_tiles_are_uniform(self) -> None:
        samples = self.samples(position(stage="round_setup", round=2), 3000)
        tiles = Counter((drawn["royal"], drawn["estate"]) for drawn in samples)
        assert_uniform(tiles, list(permutations([f"warehouse_{number}" for number in range(1, 5)], 2)))

    def test_estate_cards_are_drawn_as_they_lie_in_the_decks(self) -> None:
        state = position(stage="round_setup", round=4)
        decks = state.to_json()["pools"]["estate_cards"]
        samples = self.samples(state, 2000)
        for symbols in SYMBOLS:
            estates = [estate for estate in ESTATES if decks[symbols][estate]]
            counts = Counter(drawn["face_up"][symbols] for drawn in samples)
            assert_uniform(counts, estates, [decks[symbols][estate] for estate in estates])

    @pytest.mark.parametrize("deck", [["automa_2", "automa_3", "automa_6"], None])
    def test_automa_cards_are_uniform(self, deck: list[str] | None) -> None:
        state = position(
            humans=2, automas=1, round=2, automa_cards=deck, wagons={0: ("zittau", 0)}, to_place=[1],
            to_act={"seat": None, "decision": "chance", "event": "automa_card", "automa": 2},
        )  # fmt: skip
        samples = self.samples(state, 2000)
        assert_uniform(Counter(samples), deck or [f"automa_{number}" for number in range(1, 7)])

    def test_the_first_town_of_an_automa_is_uniform(self) -> None:
        state = la.State.new(la.Variant(3, 2), chance="manual")
        play_until(state, lambda state: state.decision == "travel")
        state.apply(moves(state)[0])
        assert state.chance_event == "automa_town"
        besieged = state.to_json()["besieged"]
        open_towns = [town for town in TOWNS if town not in besieged]
        assert_uniform(Counter(self.samples(state, 2000)), open_towns)

    def test_an_easy_bag_that_runs_out(self) -> None:
        """All that is left is drawn, the rest from the used pile; which town gets which is chance as well."""
        state = position(humans=5, easy=True, stage="round_setup", round=4)
        pools = state.to_json()["pools"]
        assert (len(pools["easy_bag"]), len(pools["easy_used"])) == (3, 15)
        samples = self.samples(state, 3000)
        for drawn in samples[:50]:
            assert set(pools["easy_bag"]) < set(drawn["tokens"].values())
        anywhere = pools["easy_bag"] + pools["easy_used"]
        weights = [3 * 15 if token in pools["easy_bag"] else 2 * 3 for token in anywhere]
        for town in ("bautzen", "zittau"):
            counts = Counter(drawn["tokens"][town] for drawn in samples if town in drawn["tokens"])
            assert_uniform(counts, anywhere, weights)


# --- playouts -------------------------------------------------------------------------------------


class TestPlayout:
    @given(variants, seeds, st.integers(0, 250))
    @FEW
    def test_is_reproducible_and_leaves_the_state_alone(self, variant: la.Variant, seed: int, events: int) -> None:
        rng = np.random.default_rng(seed)
        state = la.State.new(variant, seed=seed)
        for _ in range(events):
            if not state.is_over:
                state.apply(random_event(state, rng))
        before, stream = state.clone(), state.stream
        result = state.playout(seed=1)
        assert result == state.playout(seed=1) == before.playout(seed=1)
        assert state.playout() == state.playout()
        assert state == before
        assert state.stream == stream
        assert len(result.favour) == variant.humans
        assert max(result.favour) == result.favour[result.winners[0]]
        assert all(result.favour[seat] == max(result.favour) for seat in result.winners)

    def test_different_seeds_give_different_games(self) -> None:
        state = la.State.new(seed=1)
        assert len({state.playout(seed=seed) for seed in range(30)}) > 25

    def test_of_a_finished_game_is_its_result(self) -> None:
        state = play_until(la.State.new(seed=1), lambda state: False)
        assert state.playout(seed=5) == (state.favour, state.winners)

    def test_takes_every_move_and_every_outcome(self) -> None:
        """From the last decision of a game all results that a move can have come up, each about as often."""
        state = position(
            humans=3, stage="final_scoring", round=6, favour=[10, 20, 30], guards=[3, 3, 3],
            companions={0: ["hetman"]}, to_act={"seat": 0, "decision": "hand_over", "token": "hetman"},
        )  # fmt: skip
        results = Counter(state.playout(seed=seed).favour[0] for seed in range(2000))
        assert_uniform(results, [10, 11, 12, 13])


# --- other component sets -------------------------------------------------------------------------

NAMES = {
    "green": "cloth", "blue": "ore", "red": "ale", "yellow": "rye",
    "clergy": "monks", "nobles": "lords", "burghers": "guilds",
    "goerlitz": "abbey", "kamenz": "yard", "zittau": "bridge",
    "loebau": "xanten", "bautzen": "castle", "lauban": "mill",
}  # fmt: skip


def renamed(data: Any) -> Any:
    """The same data with other names of goods, estates and towns."""
    if isinstance(data, dict):
        return {NAMES.get(key, key): renamed(value) for key, value in data.items()}
    if isinstance(data, list):
        return [renamed(entry) for entry in data]
    return " ".join(NAMES.get(word, word) for word in data.split(" ")) if isinstance(data, str) else data


def renamed_set() -> la.ComponentSet:
    return la.ComponentSet.from_dict(renamed(la.complete_edition().to_dict() | {"name": "renamed"}))


def mutated_set(seed: int) -> la.ComponentSet:
    """Another game: other names, arrows, tiles, rows, cards and numbers, two more tokens, and one automa card alone."""
    rng = random.Random(seed)
    data = renamed(la.complete_edition().to_dict())
    goods, estates = data["goods"], data["estates"]
    rng.shuffle(goods)
    rng.shuffle(estates)
    data["name"] = f"mutated-{seed}"
    for pool in ("1-2", "5-6"):
        companion = rng.choice(data["companions"])["id"]
        data["tokens"].append({"id": f"extra_{pool[0]}", "companion": companion, "pool": pool, "arrows": [0]})
    for token in data["tokens"]:
        token["companion"] = rng.choice(data["companions"])["id"]
    for token in data["tokens"] + data["easy_tokens"]:
        token["arrows"] = sorted(rng.sample(range(6), rng.randint(1, 6)))
    for town, number in zip(data["towns"], rng.sample(range(1, 7), 6), strict=True):
        town["number"] = number
        for side in ("light", "dark"):
            town[side] = [f"{rng.choice([*goods, 'guards', 'horses'])} {rng.randint(1, 5)}" for _ in range(6)]
    for tile in data["warehouse_tiles"]:
        for side in ("side_1", "side_2"):
            tile[side] = [
                {
                    "bonus": rng.randint(0, 9),
                    "slots": [f"{rng.choice(goods)} {rng.randint(0, 4)}" for _ in range(rng.randint(1, 8))],
                }
                for _ in range(rng.randint(1, 4))
            ]
    for companion in data["companions"]:
        for name, value in companion["effects"].items():
            if isinstance(value, int) and not isinstance(value, bool):
                companion["effects"][name] = rng.randint(1, 5)
    data["companions"][0]["effects"] |= {"travel_discount": 2, "zero_guard_bonus": 3, "recruit": 1, "points": 2}
    arrows = [rng.choice(["stay", "clockwise", "counterclockwise"]) for _ in range(rng.randint(0, 3))]
    positions = [sorted(rng.sample(range(12), rng.randint(0, 12))) for _ in range(2)]
    card = {"id": "only", "provenance": "printed", "arrows": [*arrows, rng.choice(["clockwise", "counterclockwise"])]}
    data["automa_cards"] = [card | {"early": positions[0], "late": positions[1]}]
    data["estate_cards"] |= {
        "symbols": sorted(rng.sample(range(1, 10), 4)),
        "copies_per_estate": rng.randint(2, 4),
        "grey_symbols": rng.randint(1, 3),
        "grey_copies_per_estate": rng.randint(0, 3),
    }
    data["start"] |= {"favour": rng.randint(0, 12), "guards": rng.randint(0, 8)}
    return la.ComponentSet.from_dict(data)


class TestOtherComponents:
    @pytest.mark.parametrize("seed", range(12))
    def test_play_through_random_games(self, seed: int) -> None:
        components = mutated_set(seed)
        rng = np.random.default_rng(seed)
        for players in PLAYERS:
            flags = [bool(rng.integers(2)) for _ in range(3)]
            sides = ["light", "dark", {"mill": "dark", "abbey": "dark"}][rng.integers(3)]
            variant = la.Variant(*players, *flags, sides)
            for number, (state, _) in enumerate(random_game(variant, seed, components)):
                assert state.check() is None
                if number % 60 == 0 or state.is_over:
                    texts = moves(state)
                    assert texts == sorted(set(texts))
                    loaded = la.State.from_json(state.to_json(), chance="manual")
                    assert loaded == state
                    assert loaded.hash == state.hash
            assert min(state.favour) >= 0

    def test_names_do_not_matter(self) -> None:
        """A game with other names is the same game, as far as their alphabetical order is not asked for."""
        state = la.State.new(la.Variant(3, 1), chance="manual")
        other = la.State.new(la.Variant(3, 1), components=renamed_set(), chance="manual")
        rng = np.random.default_rng(2)
        while not state.is_over:
            event = random_event(state, rng)
            state.apply(event)
            other.apply(renamed_event(event))
            assert other.favour == state.favour
            assert (other.decision, other.seat_to_act) == (state.decision, state.seat_to_act)
            assert sorted(map(renamed_event, moves(state))) == moves(other)
        assert other.winners == state.winners

    def test_positions_say_the_whole_set(self) -> None:
        components = mutated_set(3)
        state = la.State.new(la.Variant(3), components=components, seed=1)
        data = state.to_json()
        assert data["components"] == components.to_dict()
        loaded = la.State.from_json(data)
        assert loaded.components == components
        assert loaded.tables is state.tables

    def test_numbers_that_the_core_cannot_hold_are_refused(self) -> None:
        with pytest.raises(la.ComponentError, match="favour for a player"):
            la.ComponentSet.from_dict(large_set(20))

    def test_the_largest_numbers_fit(self) -> None:
        """Every effect on every token, and numbers as large as the loader allows: nothing overflows in play."""
        size = max(size for size in range(1, 21) if loads(large_set(size)))
        components = la.ComponentSet.from_dict(large_set(size))
        for seed in range(6):
            variant = la.Variant(2, 1, easy=seed == 5, score_automas=True)
            favour = [0, 0]
            for state, _ in random_game(variant, seed, components):
                assert state.check() is None
                assert all(now >= before - 80 for now, before in zip(state.favour, favour, strict=True))
                favour = list(state.favour)
                after = state
            assert la.State.from_json(after.to_json()) == after


def renamed_event(event: Any) -> Any:
    if isinstance(event, dict):
        return renamed(event)
    for old, new in NAMES.items():
        event = event.replace(old, new)
    return event


def loads(data: Json) -> bool:
    try:
        la.ComponentSet.from_dict(data)
    except la.ComponentError:
        return False
    return True


def large_set(size: int) -> Json:
    """Every companion has all effects at this size, and towns and rows are full of green goods."""
    data = la.complete_edition().to_dict()
    data["name"] = f"large-{size}"
    effects = {
        "produce": ["green"], "travel_discount": 5, "occupy_at_one": True, "zero_guard_bonus": size, "extra_arrows": 5,
        "estate_row_bonus": size, "slowest_bonus": size, "half_horses": 20, "recruit": 20, "grey_cards": 6,
        "per_good": dict.fromkeys(data["goods"], size), "per_symbol": dict.fromkeys(data["estates"], size),
        "per_four_arrow_token": size, "points": size, "guards_for_points": {"most": 99, "each": size},
        "per_dominated_estate": size, "per_poorer_player": size,
    }  # fmt: skip
    for companion in data["companions"]:
        companion |= {"stage": "5", "effects": effects}
    for token in data["tokens"] + data["easy_tokens"]:
        token["arrows"] = [0, 1, 2, 3]
    for token in data["easy_tokens"]:
        token["centre"] = "green 5"
    for town in data["towns"]:
        town["light"] = ["green 5"] * 5 + ["horses 5"]
    for tile in data["warehouse_tiles"]:
        for side in ("side_1", "side_2"):
            tile[side] = [{"bonus": size, "slots": [f"green {size}"] * 8} for _ in range(4)]
    data["estate_cards"] |= {"symbols": [1, 2, 3, 4], "copies_per_estate": 6, "grey_symbols": 2}
    data["start"] |= {"favour": 99, "guards": 99}
    return data


@pytest.mark.parametrize("make", [la.State.new, la.Record.new])
def test_a_side_for_a_town_that_there_is_not_is_refused(make: Any) -> None:
    with pytest.raises(la.VariantError, match="zitau"):
        make(la.Variant(3, sides={"zitau": "dark"}))


class TestMisuse:
    """Python can reach into the core, but not past its bounds."""

    @pytest.mark.parametrize("raw", [{"ring": [0] * 300}, {"tile": [0, 1, 2]}])
    def test_too_long_an_outcome(self, raw: Any) -> None:
        with pytest.raises(ValueError, match="too long"):
            la.State.new(seed=1, chance="manual")._apply_outcome(raw)

    def test_an_outcome_where_no_chance_is_due(self) -> None:
        with pytest.raises(ValueError, match="no chance event"):
            la.State.new(seed=1)._apply_outcome({})

    def test_travel_costs_where_nobody_travels(self) -> None:
        with pytest.raises(ValueError, match="travels"):
            la.State.new(seed=1, chance="manual").travel_costs()

    def test_an_empty_state(self) -> None:
        with pytest.raises(TypeError, match="empty"):
            la.State().apply("accept")

    def test_a_search_tree_that_cannot_be(self) -> None:
        from lusatia_ai._search import Searcher
        from lusatia_ai.evaluation import evaluator_for

        view, settings = la.State.new(seed=1).view(), la.SearchParams().settings()
        evaluator = evaluator_for(view.tables)
        for observer, nodes in ((0, 5), (4, 1000), (-1, 1000)):
            with pytest.raises(ValueError, match="allowed"):
                Searcher(view.worlds(), evaluator, observer, 1, settings, nodes)
        other = evaluator_for(la.State.new(la.Variant(humans=3), seed=1).tables)
        with pytest.raises(ValueError, match="another game"):
            Searcher(view.worlds(), other, 0, 1, settings, 1000)

    def test_sides_cannot_be_changed_under_a_game(self) -> None:
        variant = la.Variant(3, sides={"zittau": "dark"})
        with pytest.raises(TypeError):
            variant.sides["zittau"] = "light"  # type: ignore[index]
        assert pickle.loads(pickle.dumps(variant)) == variant


def test_chance_that_is_sampled_and_given_plays_the_game_of_automatic_chance():
    variant, rng = la.Variant(humans=2, automas=2), random.Random(2)
    drawn, given = la.State.new(variant, seed=5), la.State.new(variant, seed=5, chance="manual")
    while not drawn.is_over:
        while given.is_chance:
            given.apply(given.sample_chance())
        assert given == drawn
        assert given.stream == drawn.stream
        move = rng.choice(drawn.legal_moves())
        drawn.apply(move)
        given.apply(move)
