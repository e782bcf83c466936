"""The first information-set MCTS: correct, reproducible, fair, in time, and better than chance."""

from __future__ import annotations

import _thread
import random
import threading
from time import perf_counter

import pytest

import lusatia_ai as la
from lusatia_ai.search import SearchTree


def before_the_last_row() -> la.State:
    """A hand-made end: round 6, storing, where one row fills for 5 points and the other rows give 1 or 2."""
    for seed in range(200):
        state, rng = la.State.new(la.Variant(humans=3), seed=seed), random.Random(seed)
        while not (state.is_over or (state.round == 6 and state.decision == "row" and len(state.legal_moves()) > 2)):
            state.apply(rng.choice(state.legal_moves()))
        if not state.is_over:
            return state
    raise AssertionError("no such game")


def test_the_same_seed_and_iterations_give_the_same_result():
    state = la.State.new(la.Variant(humans=4), seed=3)
    first, second = (la.search(state.view(), la.Limit(iterations=800), seed=9) for _ in range(2))
    assert first.moves == second.moves
    assert la.search(state.view(), la.Limit(iterations=800), seed=10).moves != first.moves


def test_hidden_hands_and_future_chance_cannot_influence_the_search():
    state = la.State.new(la.Variant(humans=3), seed=4)
    data = state.to_json()
    for seat in range(3):
        if seat != state.seat_to_act:
            data["players"][seat]["guards"] = 9
    other = la.State.from_json(data, seed=77)
    results = [la.search(one.view(), la.Limit(iterations=500), seed=1).moves for one in (state, other)]
    assert results[0] == results[1]
    assert la.search(other, la.Limit(iterations=500), seed=1).moves != results[0]  # hands known: not the same


def test_statistics_add_up():
    state = la.State.new(la.Variant(humans=4), seed=3)
    result = la.search(state, la.Limit(iterations=1000), seed=1)
    assert result.iterations == sum(entry.visits for entry in result.moves) == 1000
    assert {entry.move for entry in result.moves} == set(state.legal_moves())
    for entry in result.moves:
        assert sum(entry.value) == pytest.approx(1)
        assert all(-1e-9 <= share <= 1 + 1e-9 for share in entry.value)
        assert entry.visits <= entry.availability <= 1000
    visits = [entry.visits for entry in result.moves]
    assert visits == sorted(visits, reverse=True)
    assert result.best == result.moves[0].move
    assert result.seat == state.seat_to_act


def test_a_won_decision_is_found_in_the_hand_over_at_the_end():
    """Handing over guards for two favour each decides the game here; a search must see it."""
    checked = 0
    for seed in range(400):
        state, rng = la.State.new(la.Variant(humans=3), seed=seed), random.Random(seed)
        while not state.is_over and state.decision != "hand_over":
            state.apply(rng.choice(state.legal_moves()))
        if state.is_over:
            continue
        me = state.seat_to_act
        outcomes = {move: state.clone().apply(move) for move in state.legal_moves()}
        wins = {move: me in after.winners for move, after in outcomes.items() if after.is_over}
        if len(wins) == len(outcomes) and len(set(wins.values())) == 2:
            assert wins[la.search(state, la.Limit(iterations=300), seed=seed).best]
            checked += 1
    assert checked >= 5


def test_other_seats_can_be_looked_over_the_shoulder():
    state = la.State.new(la.Variant(humans=3), seed=4)
    other = (state.seat_to_act + 1) % 3
    result = la.search(state.view(other), la.Limit(iterations=300), seed=1)
    assert result.seat == state.seat_to_act


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3])
def test_a_time_limit_is_kept(seconds):
    view = la.State.new(la.Variant(humans=6), seed=3).view()
    overruns = []
    for seed in range(5):
        started = perf_counter()
        result = la.search(view, la.Limit(time=seconds), seed=seed)
        overruns.append(perf_counter() - started - seconds)
        assert result.iterations > 0
    assert sorted(overruns)[2] < 0.03


def test_progress_is_reported_on_the_way():
    seen = []
    la.search(la.State.new(la.Variant(humans=3), seed=4), la.Limit(time=0.35), seed=1, on_progress=seen.append)
    assert [report.iterations for report in seen] == sorted(report.iterations for report in seen)
    assert len(seen) >= 2


def test_an_interrupt_returns_what_has_been_found():
    def interrupt(report: la.SearchResult) -> None:
        raise KeyboardInterrupt

    result = la.search(la.State.new(seed=4), la.Limit(time=20), seed=1, on_progress=interrupt)
    assert result.interrupted
    assert result.iterations > 0
    assert result.elapsed < 5


def test_without_a_decision_there_is_nothing_to_search():
    with pytest.raises(ValueError, match="chance"):
        la.search(la.State.new(seed=1, chance="manual"))


@pytest.mark.parametrize(("variant", "games"), [(la.Variant(humans=3), 12), (la.Variant(humans=2, automas=1), 6)])
def test_the_search_beats_random_players(variant, games):
    """The long matches are in benchmarks/strength.py."""
    wins = 0.0
    for seed in range(games):
        state, rng, me = la.State.new(variant, seed=seed), random.Random(seed), seed % variant.humans
        while not state.is_over:
            if state.seat_to_act == me:
                state.apply(la.search(state.view(), la.Limit(iterations=150), seed=seed).best)
            else:
                state.apply(rng.choice(state.legal_moves()))
        wins += (me in state.winners) / len(state.winners)
    assert wins >= 0.75 * games


def test_the_last_rows_of_a_game_are_stored_well():
    """Against the exact answer of trying everything, at the end of a game where that is possible."""
    state = before_the_last_row()
    me = state.seat_to_act
    result = la.search(state, la.Limit(iterations=4000), seed=1)
    assert best_for(state, me, result.best.text) >= max(best_for(state, me, m.text) for m in state.legal_moves()) - 2


def best_for(state: la.State, seat: int, move: str) -> float:
    """Final favour of `seat` after `move` when everybody maximises their own (max^n)."""
    after = state.clone().apply(move)
    return max_n(after)[seat]


def max_n(state: la.State) -> tuple[int, ...]:
    if state.is_over:
        return state.favour
    seat = state.seat_to_act
    return max((max_n(state.clone().apply(move)) for move in state.legal_moves()), key=lambda favour: favour[seat])


def test_a_player_that_knows_the_best_move_does_not_use_up_its_time():
    state = before_the_last_row()
    result = SearchTree(state, seed=1).search(la.Limit(time=20), settle=True)
    assert (result.exact, result.stopped_by) == (True, "exact")
    assert result.best == la.solve(state, objective="margin", horizon="game").best[0]
    assert len(result.moves[0].favour) == state.variant.humans
    assert result.elapsed < 5


def test_a_search_can_be_restricted_to_some_moves():
    state = la.State.new(la.Variant(humans=4), seed=3)
    wanted = state.legal_moves()[1:3]
    result = la.search(state, la.Limit(iterations=400), seed=1, root_moves=wanted)
    assert {entry.move for entry in result.moves} == set(wanted)
    assert sum(entry.visits for entry in result.moves) == 400


def test_a_restricted_tree_is_not_kept_for_the_next_decision():
    state = la.State.new(la.Variant(humans=4), seed=3)
    tree = la.SearchTree(state, seed=1, root_moves=state.legal_moves()[:1])
    tree.search(la.Limit(iterations=50))
    assert not tree.advance([], state)
    assert len(tree.search(la.Limit(iterations=400)).moves) == len(state.legal_moves())


def tax_collection_of_the_last_round() -> la.State:
    """Where the solver is asked first, and is busy for long."""
    rng, state = random.Random(2), la.State.new(la.Variant(humans=5), seed=2)
    while (state.round, state.decision) != (6, "collect"):
        state.apply(rng.choice(state.legal_moves()))
    return state


def test_an_interrupt_ends_the_solver_too():
    state, started = tax_collection_of_the_last_round(), perf_counter()
    threading.Timer(0.5, _thread.interrupt_main).start()
    result = la.search(state, la.Limit(time=30), seed=1)
    assert perf_counter() - started < 10
    assert result.interrupted
    assert state.is_legal(result.best)


def test_stopping_ends_the_solver_too_and_leaves_a_move():
    state, started = tax_collection_of_the_last_round(), perf_counter()
    with la.analysis(state, la.Limit(time=30), seed=1) as run:
        run.stop()
        assert state.is_legal(run.wait().best)
    assert perf_counter() - started < 10


def test_a_taste_decides_but_is_not_reported():
    state = la.State.new(la.Variant(humans=3), seed=5)
    params = la.SearchParams(taste={"guards": 10.0}, horizon=1)
    plain, fond = (la.search(state, la.Limit(iterations=300), seed=1, params=p) for p in (None, params))
    assert abs(fond.moves[0].favour[fond.seat] - plain.moves[0].favour[plain.seat]) < 30  # 10 guards would be 100
