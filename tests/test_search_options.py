"""The algorithms, selections, backups, utilities and playouts of the search, and trees that are kept."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

import lusatia_ai as la
from lusatia_ai.evaluation import evaluator_for

LIMIT = la.Limit(iterations=400)

OPTIONS = [
    {"algorithm": "mo"},
    {"algorithm": "determinized", "worlds": 4},
    {"selection": "ucb"},
    {"selection": "ucb_tuned"},
    {"backup": "paranoid"},
    {"backup": "own"},
    {"win": 0.0, "favour": 1.0},
    {"win": 0.0, "rank": 1.0},
    {"win": 0.5, "favour": 0.3, "rank": 0.2},
    {"playout": "uniform"},
    {"playout": "uniform", "horizon": 0},
    {"playout": "mast", "epsilon": 0.2},
    {"horizon": 0},
    {"horizon": 2},
    {"chance_nodes": "automa"},
    {"chance_nodes": "all", "horizon": 2},
    {"widening": 0.2},
    {"widening": 1.0, "selection": "ucb"},
    {"history": 0.5},
    {"taste": {"bid": 1.0, "guards": 0.5, "symbols": -0.5}},
]
VARIANTS = [la.Variant(humans=4), la.Variant(humans=2, automas=2), la.Variant(humans=3, easy=True)]


def after_moves(variant: la.Variant, seed: int, moves: int) -> la.State:
    state, rng = la.State.new(variant, seed=seed), random.Random(seed)
    for _ in range(moves):
        state.apply(rng.choice(state.legal_moves()))
    return state


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_option_searches_soundly(options):
    for seed, variant in enumerate(VARIANTS):
        state = after_moves(variant, seed, 25 * seed)
        for view in (state.view(), state.view(hands="known")):
            result = la.search(view, LIMIT, seed=seed, params=la.SearchParams(**options))
            assert result.iterations == 400
            assert sum(entry.visits for entry in result.moves) == 400
            assert {entry.move for entry in result.moves} <= set(state.legal_moves())
            for entry in result.moves:
                assert sum(entry.value) == pytest.approx(1)
                assert sum(entry.rank) == pytest.approx(sum(range(1, variant.humans + 1)), abs=1e-6)
                assert entry.visits <= entry.availability <= 400
                assert entry.line[0] == entry.move
            assert la.search(view, LIMIT, seed=seed, params=la.SearchParams(**options)).moves == result.moves


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_option_changes_the_search(options):
    state = after_moves(la.Variant(humans=3, automas=1), 1, 2)
    plain, other = (
        la.search(state.view(), LIMIT, seed=1, params=params).moves
        for params in (la.SearchParams(), la.SearchParams(**options))
    )
    assert plain != other


def test_with_known_hands_many_observers_see_what_one_sees():
    """No move is hidden before the hand-overs, so both algorithms walk the same trees."""
    state = after_moves(la.Variant(humans=4), 3, 10)
    one, many = (
        la.search(state, la.Limit(iterations=1500), seed=2, params=la.SearchParams(algorithm=algorithm))
        for algorithm in ("so", "mo")
    )
    assert [(m.move, m.visits, m.value, m.line) for m in one.moves] == [
        (m.move, m.visits, m.value, m.line) for m in many.moves
    ]
    assert many.tree_size > one.tree_size


def test_lines_can_be_played():
    state = after_moves(la.Variant(humans=4), 5, 12)
    result = la.search(state, la.Limit(iterations=3000), seed=1)
    longest = max(result.moves, key=lambda entry: entry.visits).line
    assert len(longest) >= 2
    for move in longest:
        if state.is_chance or not state.is_legal(move):  # chance may have gone another way
            break
        state.apply(move)
    else:
        return
    assert state.round > 1 or state.is_chance


def test_tastes_pull_the_play_their_way():
    """A bidder ends further back in the order than one who shuns it."""
    places = {}
    for weight in (-3.0, 3.0):
        state = la.State.new(la.Variant(humans=3), seed=8)
        params = {0: la.SearchParams(taste={"bid": weight})}
        total = 0
        while not state.is_over:
            seat, before = state.seat_to_act, state.round
            state.apply(la.search(state, la.Limit(iterations=120), seed=1, params=params.get(seat)).best)
            if state.round != before:
                total += state.to_json()["order"].index(0)
        places[weight] = total
    assert places[3.0] > places[-3.0]


def test_standard_errors_shrink_with_iterations():
    state = after_moves(la.Variant(humans=4), 2, 3)
    few, many = (la.search(state, la.Limit(iterations=n), seed=1).moves[0] for n in (300, 6000))
    assert all(0 < b < a for a, b in zip(few.stderr, many.stderr, strict=True))
    assert all(0 < b < a for a, b in zip(few.favour_stderr, many.favour_stderr, strict=True))


class TestKeptTrees:
    def played_on(self, params: la.SearchParams | None = None) -> tuple[la.SearchTree, bool, la.State]:
        state = la.State.new(la.Variant(humans=3), seed=6)
        me = state.seat_to_act
        tree = la.SearchTree(state, seed=1, params=params)
        move = tree.search(la.Limit(iterations=3000)).best
        played = []
        while True:
            seat = state.seat_to_act
            played.append((seat, move))
            state.apply(move)
            if state.seat_to_act == me:
                break
            move = la.search(state, la.Limit(iterations=300), seed=2).best
        return tree, tree.advance(played, state), state

    def test_the_matching_part_goes_on(self):
        tree, kept, state = self.played_on()
        assert kept
        result = tree.search(la.Limit(iterations=500))
        assert result.iterations == 500
        assert sum(entry.visits for entry in result.moves) > 500
        assert {entry.move for entry in result.moves} <= set(state.legal_moves())

    def test_values_are_of_this_search_alone(self):
        tree, _, _ = self.played_on()
        for entry in tree.search(la.Limit(iterations=500)).moves:
            assert sum(entry.value) == pytest.approx(1)

    @pytest.mark.parametrize("options", [{"algorithm": "determinized"}, {"algorithm": "mo"}, {"chance_nodes": "all"}])
    def test_where_nothing_can_be_kept_the_tree_is_new(self, options):
        tree, kept, _ = self.played_on(la.SearchParams(**options))
        assert not kept
        assert sum(entry.visits for entry in tree.search(la.Limit(iterations=200)).moves) == 200

    def test_a_move_that_was_never_looked_at_begins_a_new_tree(self):
        state = la.State.new(la.Variant(humans=3), seed=6)
        tree = la.SearchTree(state, seed=1)
        tree.search(la.Limit(iterations=50))
        other = (state.seat_to_act, state.parse_move("hand_over:7"))
        assert not tree.advance([other], state)

    def test_searching_twice_goes_on_with_the_same_tree(self):
        state = la.State.new(la.Variant(humans=3), seed=6)
        tree = la.SearchTree(state, seed=1)
        tree.search(la.Limit(iterations=300))
        again = tree.search(la.Limit(iterations=800))
        assert again.moves == la.SearchTree(state, seed=1).search(la.Limit(iterations=800)).moves


class TestAnalysis:
    def test_progress_comes_until_the_end(self):
        with la.analysis(la.State.new(seed=4), la.Limit(time=0.4), seed=1) as run:
            counts = [result.iterations for result in run]
        assert len(counts) >= 2
        assert all(a <= b for a, b in pairwise(counts))
        assert not run.running

    def test_it_can_be_stopped(self):
        run = la.analysis(la.State.new(seed=4), seed=1)
        for _ in run:
            run.stop()
        result = run.wait()
        assert result.stopped_by == "stop"
        assert result.iterations > 0
        assert run.latest == result

    def test_leaving_the_block_ends_it(self):
        with la.analysis(la.State.new(seed=4), seed=1) as run:
            next(iter(run))
        assert not run.running

    def test_it_gives_what_the_search_gives(self):
        state = la.State.new(seed=4)
        with la.analysis(state, la.Limit(iterations=600), seed=3) as run:
            result = run.wait()
        assert result.moves == la.search(state, la.Limit(iterations=600), seed=3).moves

    def test_its_errors_come_out(self):
        with pytest.raises(la.LusatiaError, match="nothing to decide"):
            la.analysis(la.State.new(seed=1, chance="manual"))


class TestEvaluation:
    def test_win_shares_add_up_and_follow_favour(self):
        state = la.State.new(la.Variant(humans=4), seed=3, chance="manual")
        rng = random.Random(1)
        while not (state.chance_event == "round" and state.round == 5):
            state.apply(
                state.sample_chance(rng.getrandbits(32)) if state.is_chance else rng.choice(state.legal_moves())
            )
        evaluator = evaluator_for(state.tables)
        favour, wins = evaluator.favour(state), evaluator.wins(state)
        assert sum(wins) == pytest.approx(1)
        assert sorted(range(4), key=favour.__getitem__) == sorted(range(4), key=wins.__getitem__)
        assert min(favour) > max(state.favour) / 2

    def test_it_wants_a_position_between_rounds(self):
        state = la.State.new(la.Variant(humans=4), seed=3)
        with pytest.raises(ValueError, match="beginning of a round"):
            evaluator_for(state.tables).favour(state)
        with pytest.raises(ValueError, match="another game"):
            evaluator_for(la.State.new(la.Variant(humans=3), seed=3).tables).favour(state)
