"""Analyses of positions, reviews of games, and luck."""

from __future__ import annotations

import doctest
import gzip
import importlib
import json
import random
from dataclasses import replace
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lusatia_ai as la
from lusatia_ai.assessment import Prospect, automa_outcomes, child_seed, unfold
from lusatia_ai.game_review import MARKS, STAGES
from lusatia_ai.luck import luck_of
from lusatia_ai.sources import SOURCES, estate_points, favour_sources

SMALL = la.Variant(humans=2, automas=1)
QUICK = la.Limit(iterations=40)


@cache
def random_game(seed: int, variant: la.Variant = SMALL) -> la.Record:
    """A game of random moves, which blunders all the time."""
    record, rng = la.Record.new(variant), np.random.default_rng(seed)
    state = la.State.new(variant, seed=0, chance="manual")
    while not state.is_over:
        moves = state.legal_moves()
        event = state.sample_chance(rng) if state.is_chance else moves[int(rng.integers(len(moves)))]
        record.append(event)
        state.apply(event)
    return record


def positions(record: la.Record, decision: str) -> list[la.State]:
    """Where there is a choice of this kind."""
    states = [state for state, _ in record.replay()]
    return [state for state in states if state.decision == decision and len(state.legal_moves()) > 1]


@cache
def full_review() -> la.GameReview:
    return la.review(random_game(1), QUICK, seed=3, samples=3, luck_iterations=10)


# --- positions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("hands", ["known", "hidden"])
def test_every_legal_move_is_valued_for_every_seat(hands):
    state = la.State.new(la.Variant(humans=3), seed=5)
    analysis = la.analyse(state.view(hands=hands), la.Limit(iterations=300), seed=1)
    assert {entry.move for entry in analysis.moves} == set(state.legal_moves())
    for entry in analysis.moves:
        assert entry.iterations > 0
        assert len(entry.value) == len(entry.favour) == len(entry.rank) == 3
        assert sum(entry.value) == pytest.approx(1, abs=1e-6)
        assert sum(entry.rank) == pytest.approx(6, abs=1e-6)
        assert entry.line[0] == entry.move


def test_losses_are_against_the_best_move_which_comes_first():
    analysis = la.analyse(la.State.new(seed=7), la.Limit(iterations=600), seed=1)
    best = analysis.moves[0]
    assert best.loss == best.favour_loss == best.loss_stderr == 0
    for entry in analysis.moves[1:]:
        assert entry.loss == pytest.approx(max(0, best.value[analysis.seat] - entry.value[analysis.seat]))
        assert entry.favour_loss == pytest.approx(best.favour[analysis.seat] - entry.favour[analysis.seat])


def test_the_same_seed_gives_the_same_analysis_for_any_number_of_threads():
    view = la.State.new(la.Variant(humans=3, automas=1), seed=2).view()
    texts = [
        json.dumps(la.analyse(view, la.Limit(iterations=200), seed=4, n_jobs=jobs).to_json()) for jobs in (None, 2)
    ]
    assert texts[0] == texts[1]
    assert json.dumps(la.analyse(view, la.Limit(iterations=200), seed=5).to_json()) != texts[0]


def test_a_seed_sequence_gives_the_same_analysis_each_time():
    state, seed = la.State.new(seed=2), np.random.SeedSequence(3)
    assert la.analyse(state, QUICK, seed=seed).moves == la.analyse(state, QUICK, seed=seed).moves


def test_the_moves_left_at_the_end_share_most_of_the_effort():
    analysis = la.analyse(la.State.new(la.Variant(humans=5), seed=3), la.Limit(iterations=1000), seed=1)
    effort = [entry.iterations for entry in analysis.moves]
    assert effort[0] == effort[1] > effort[-1]
    assert sum(effort) == analysis.iterations


def test_an_included_move_is_looked_into_as_deeply_as_the_best():
    state = la.State.new(la.Variant(humans=5), seed=3)
    worst = la.analyse(state, la.Limit(iterations=1000), seed=1).moves[-1].move
    analysis = la.analyse(state, la.Limit(iterations=1000), seed=1, keep=[worst])
    assert analysis[worst].iterations == analysis.moves[0].iterations
    assert analysis[worst.text].loss > 0


def test_a_last_decision_has_exact_values():
    state = next(
        last
        for seed in range(1, 40)
        for last in positions(random_game(seed, la.Variant(humans=3)), "hand_over")[-1:]
        if all(last.clone().apply(move).is_over for move in last.legal_moves())
        if last.view(hands="known").worlds().certain  # nobody has handed over guards in secret before
    )
    analysis = la.analyse(state, QUICK)
    assert analysis.exact
    assert analysis.stopped_by == "known"
    for entry in analysis.moves:
        after = state.clone().apply(entry.move)
        shares = tuple((seat in after.winners) / len(after.winners) for seat in range(3))
        assert (entry.value, entry.favour, entry.iterations) == (shares, after.favour, 0)


def test_a_time_limit_is_kept_and_confidence_ends_early():
    state = la.State.new(la.Variant(humans=3), seed=5)
    timed = la.analyse(state, la.Limit(time=0.1), seed=1)
    assert timed.stopped_by == "time"
    assert timed.elapsed < 2
    sure = la.analyse(state, la.Limit(iterations=100_000, confidence=0.5), seed=1)
    assert sure.stopped_by == "confidence"
    assert sure.iterations < 100_000


def test_an_interrupted_analysis_gives_what_it_has(monkeypatch):
    calls = []
    grow = Prospect.grow

    def interrupted(self, iterations):
        calls.append(iterations)
        if len(calls) == 8:
            raise KeyboardInterrupt
        grow(self, iterations)

    monkeypatch.setattr(Prospect, "grow", interrupted)
    state = la.State.new(la.Variant(humans=5), seed=3)
    analysis = la.analyse(state, la.Limit(iterations=1000), seed=1)
    assert analysis.stopped_by == "interrupt"
    assert len(analysis.moves) == len(state.legal_moves())


def test_an_analysis_says_what_it_cannot_do():
    record = random_game(1)
    with pytest.raises(la.LusatiaError, match="the game is over"):
        la.analyse(record.state())
    with pytest.raises(la.LusatiaError, match="chance is to be drawn"):
        la.analyse(record.state(0))
    with pytest.raises(la.LusatiaError, match="keep: found 'accept'"):
        la.analyse(la.State.new(seed=1), QUICK, keep=["accept"])
    with pytest.raises(KeyError):
        la.analyse(la.State.new(seed=1), QUICK)["accept"]


def test_a_search_can_be_read_as_an_analysis():
    state = la.State.new(seed=7)
    result = la.search(state, la.Limit(iterations=300), seed=1)
    analysis = la.PositionAnalysis.of_search(result)
    assert analysis.best == result.best
    assert [entry.value for entry in analysis.moves] == [entry.value for entry in result.moves]


def test_move_analyses_survive_json():
    state = la.State.new(seed=7)
    entry = la.analyse(state, QUICK, seed=1).moves[1]
    again = la.MoveAnalysis.from_json(json.loads(json.dumps(entry.to_json())), state.parse_move)
    assert again.to_json() == entry.to_json()


def test_an_analysis_changes_neither_state_nor_view():
    state = la.State.new(seed=7)
    view, before = state.view(), state.to_json()
    la.analyse(view, QUICK, seed=1)
    assert state.to_json() == before
    assert view == state.view()


# --- chance -------------------------------------------------------------------------------------------


def automa_events() -> list[la.State]:
    states = [state for state, _ in random_game(1).replay()]
    return [state for state in states if state.chance_event in ("automa_town", "automa_card")]


def test_all_outcomes_of_automa_events_are_found():
    for state in automa_events()[:10]:
        drawn = {json.dumps(state.sample_chance(seed)) for seed in range(60)}
        assert drawn == {json.dumps(outcome) for outcome in automa_outcomes(state)}


def test_chance_unfolds_to_decisions_with_weights_that_add_up_to_one():
    for state in automa_events()[:10]:
        leaves, _ = unfold(state, np.random.default_rng(1))
        assert sum(weight for weight, *_ in leaves) == pytest.approx(1)
        assert all(leaf.chance_event in (None, "round") for *_, leaf in leaves)


def test_luck_of_events_with_few_outcomes_adds_up_to_nothing_over_all_of_them():
    state = automa_events()[3]
    seed = np.random.SeedSequence(1)
    terms = [luck_of(state, outcome, seed, iterations=20).win_luck for outcome in automa_outcomes(state)]
    for seat in range(2):
        assert sum(luck[seat] for luck in terms) == pytest.approx(0, abs=1e-9)


def test_luck_of_round_set_ups_has_mean_nothing():
    state = random_game(1).state(1)
    assert state.chance_event == "round"
    found = []
    for number in range(60):
        event = state.sample_chance(np.random.default_rng(child_seed(number, 7)))
        luck = luck_of(state, event, child_seed(number), samples=2, iterations=5)
        found.append((luck.win_luck[0], luck.favour_luck[0]))
        assert sum(luck.win_luck) == pytest.approx(0, abs=1e-9)
    means, errors = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / sqrt(len(found))
    assert (np.abs(means) < 3 * errors).all()


# --- reviews ------------------------------------------------------------------------------------------


def test_a_review_covers_every_decision_and_chance_event():
    record, review = random_game(1), full_review()
    events = list(record.replay())
    assert [entry.turn for entry in review.luck] == [turn for turn, (state, _) in enumerate(events) if state.is_chance]
    for decision in review.decisions:
        state, event = events[decision.turn]
        assert (decision.seat, decision.move) == (event["seat"], event["move"])
        assert decision.choices == len(state.legal_moves())
        assert decision.stage in STAGES
        assert decision.forced or decision.played.move.text == decision.move
    assert len(review.decisions) + len(review.luck) == len(events)
    assert review.complete


def test_forced_decisions_are_not_counted_and_stages_add_up():
    review = full_review()
    for seat in review.seats:
        mine = [decision for decision in review.decisions if decision.seat == seat]
        total, stages = review.summary(seat), [review.summary(seat, stage) for stage in STAGES]
        assert total.decisions == sum(not decision.forced for decision in mine)
        assert total.forced == sum(decision.forced for decision in mine)
        assert total.decisions == sum(stage.decisions for stage in stages)
        assert total.loss == pytest.approx(sum(stage.loss for stage in stages))
        assert total.marked == sum(review.mark(decision) != "" for decision in mine)
    assert all(review.mark(decision) == "" for decision in review.decisions if decision.forced)


def test_random_moves_are_marked_and_best_moves_are_not():
    review = full_review()
    assert review.marked
    assert all(decision.loss >= 0.02 for decision in review.marked)
    best = [d for d in review.decisions if not d.forced and d.played is d.best]
    assert best
    assert not any(review.mark(decision) for decision in best)


def test_thresholds_can_be_set():
    review = full_review()
    strict = review.with_thresholds(la.Thresholds(0.001, 0.002, 0.003, sureness=0))
    assert len(strict.marked) > len(review.marked)
    assert la.Thresholds().mark(0.2, 0.21) == ""
    assert [la.Thresholds().mark(loss, 0.0) for loss in (0.01, 0.02, 0.05, 0.1)] == ["", *MARKS]
    for shares in [(0, 0.1, 0.2), (0.2, 0.1, 0.3), (0.1, 0.2, 1.5), ("a", 1, 1)]:
        with pytest.raises(la.ParamsError, match="thresholds"):
            la.Thresholds(*shares)
    with pytest.raises(la.ParamsError, match="sureness"):
        la.Thresholds(sureness=-1)


def test_the_adjusted_result_is_the_result_less_all_luck():
    review = full_review()
    assert review.result is not None
    assert review.adjusted is not None
    assert sum(review.adjusted) == pytest.approx(1)
    for seat in range(2):
        luck = sum(entry.win_luck[seat] for entry in review.luck)
        assert review.adjusted[seat] == pytest.approx(review.result[seat] - luck)
        assert review.adjusted_favour[seat] == pytest.approx(review.favour[seat] - review.favour_luck(seat)[0])


def test_the_timeline_goes_from_the_set_up_to_the_result():
    timeline = full_review().timeline()
    turns = [turn for turn, _ in timeline]
    assert turns == sorted(set(turns))
    assert timeline[0][1] == pytest.approx((0.5, 0.5), abs=0.05)
    assert timeline[-1] == (len(random_game(1).events), full_review().result)


def test_only_my_decisions():
    review = la.review(random_game(1), la.Limit(iterations=20), seats=[1], luck=False)
    assert {decision.seat for decision in review.decisions} == {1}
    assert review.luck == ()
    assert review.adjusted is None
    with pytest.raises(la.LusatiaError, match="seats: found 2; allowed: human seats, 0 to 1"):
        la.review(random_game(1), seats=[2])


def test_reviews_are_the_same_for_any_number_of_workers():
    record = la.Record.new(SMALL)
    for event in random_game(1).events[:12]:
        record.append(event.get("move", event))
    reviews = [
        la.review(record, la.Limit(iterations=20), seed=1, samples=2, luck_iterations=5, n_jobs=n) for n in (1, 2)
    ]
    assert reviews[0] == reviews[1]
    assert reviews[0].result is None
    assert reviews[0].adjusted is None


def test_mistakes_are_looked_at_again_if_asked_for():
    record = la.Record.new(SMALL)
    for event in random_game(1).events[:40]:
        record.append(event.get("move", event))
    plain = la.review(record, la.Limit(iterations=20), luck=False)
    deeper = la.review(record, la.Limit(iterations=20), luck=False, deepen=True)
    marked = {decision.turn for decision in plain.marked}
    assert marked
    assert {decision.turn for decision in deeper.decisions if decision.deepened} == marked
    before = {decision.turn: decision for decision in plain.decisions}
    for decision in deeper.decisions:
        if decision.deepened:
            assert decision.best.iterations >= before[decision.turn].best.iterations
        else:
            assert decision == before[decision.turn]


def test_an_interrupted_review_goes_on_from_its_file(tmp_path):
    record, notes = random_game(1), tmp_path / "notes"
    options = {"limit": la.Limit(iterations=10), "samples": 2, "luck_iterations": 5, "seats": [0]}

    def stop_at_ten(done, total):
        if done == 10:
            raise KeyboardInterrupt

    first = la.review(record, **options, resume=notes, on_progress=stop_at_ten)
    assert not first.complete
    assert len(first.decisions) + len(first.luck) == 10
    assert first.adjusted is None
    with notes.open("ab") as file:
        file.write(b'{"turn": 99, "deci')  # what a crash may leave
    seen = []
    second = la.review(record, **options, resume=notes, on_progress=lambda done, total: seen.append(done))
    assert seen[0] == 10
    assert second == la.review(record, **options)


def test_ctrl_c_within_a_decision_keeps_nothing_of_it(tmp_path, monkeypatch):
    record, notes = random_game(1), tmp_path / "notes"
    options = {"limit": la.Limit(iterations=10), "luck": False, "seats": [0]}
    calls = []

    def cut_short(*args, **more):
        calls.append(args)
        found = la.analyse(*args, **more)
        return replace(found, stopped_by="interrupt") if len(calls) == 3 else found

    with monkeypatch.context() as patch:
        patch.setattr("lusatia_ai.game_review.analyse", cut_short)
        broken = la.review(record, **options, resume=notes)
    assert not broken.complete
    assert sum(not decision.forced for decision in broken.decisions) == 2
    assert la.review(record, **options, resume=notes) == la.review(record, **options)


def test_errors_do_not_shrink_beyond_what_a_search_is_worth():
    state = la.State.new(la.Variant(humans=4), seed=7)
    few, many = (la.analyse(state, la.Limit(iterations=n), seed=1)[state.legal_moves()[0]] for n in (4000, 16_000))
    assert many.stderr[0] > 0.7 * few.stderr[0]


def test_notes_of_another_review_are_refused(tmp_path):
    record, notes = random_game(1), tmp_path / "notes"
    la.review(record, la.Limit(iterations=5), seats=[], luck=False, resume=notes)
    with pytest.raises(la.RecordError, match="the notes of this game, made with these settings"):
        la.review(record, la.Limit(iterations=6), seats=[], luck=False, resume=notes)
    notes.write_text("something else")
    with pytest.raises(la.RecordError, match="other content"):
        la.review(record, la.Limit(iterations=5), seats=[], luck=False, resume=notes)
    with pytest.raises(la.RecordError, match="a file to keep the review in"):
        la.review(record, seats=[], luck=False, resume=tmp_path)


def test_a_review_can_be_written_as_json():
    data = json.loads(json.dumps(full_review().to_json()))
    assert data["format"] == "lusatia-review"
    assert len(data["decisions"]) == len(full_review().decisions)
    assert data["summary"][0]["all"]["decisions"] == full_review().summary(0).decisions


# --- favour by source ---------------------------------------------------------------------------------


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6), st.booleans())
def test_favour_by_source_adds_up(seed, humans, easy):
    variant = la.Variant(humans=humans, automas=1 if humans == 2 else 0, easy=easy)
    record = random_game(seed, variant)
    ledger = favour_sources(record)
    assert [sum(entry.values()) for entry in ledger] == record.result["favour"][:humans]
    for entry in ledger:
        assert tuple(entry) == SOURCES
        assert entry["payments"] <= 0 <= min(entry[source] for source in SOURCES if source != "payments")
        assert not easy or entry["companions"] == 0  # there are none, so nothing may be left for them


def test_estates_score_by_place_and_ties_by_the_lowest_place():
    position = random_game(1, la.Variant(humans=3)).state().to_json()
    hands = [({"clergy": 5, "nobles": 0, "burghers": 3}, 1), ({"clergy": 5, "nobles": 0, "burghers": 3}, 2),
             ({"clergy": 1, "nobles": 2, "burghers": 3}, 2)]  # fmt: skip
    for player, (estates, guards) in zip(position["players"], hands, strict=True):
        player |= {"estates": estates, "guards": guards}
    table = next(entry.points for entry in la.complete_edition().scoring if 3 in entry.humans)
    places = [*table, 0, 0, 0][:3]
    clergy, burghers = [places[1], places[0], places[2]], [places[2], places[1], places[1]]
    nobles = [0, 0, places[0]]
    assert estate_points(position) == [sum(points) for points in zip(clergy, nobles, burghers, strict=True)]


def test_random_is_not_touched():
    before = random.getstate()
    la.analyse(la.State.new(seed=7), QUICK, seed=1)
    assert random.getstate() == before


@pytest.mark.parametrize("name", ["assessment", "game_review", "hints"])
def test_the_examples_of_the_modules_hold(name):
    tried = doctest.testmod(importlib.import_module(f"lusatia_ai.{name}"))
    assert tried.attempted > 2
    assert tried.failed == 0


def test_the_last_storing_stage_is_exact():
    """Every value of a small end is known (`tests/exhaustive.py`); an analysis finds it without sampling."""
    path = Path(__file__).with_name("data") / "small_ends.jsonl.gz"
    entries = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()[1:]]
    exact = 0
    for entry in entries[::30]:
        state = la.State.from_json(entry["position"], chance="manual")
        found = la.analyse(state, la.Limit(iterations=200), seed=1)
        exact += found.exact
        if found.exact:
            assert found.best.text in entry["best"]
            assert "exact" in str(la.hints.explain(found, state))
    assert exact >= 8
