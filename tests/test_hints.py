"""Explanations in words."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from test_analysis import positions, random_game

import lusatia_ai as la
from lusatia_ai.hints import brief_words, explain

QUICK = la.Limit(iterations=60)
CONFLICT = Path(__file__).parents[1] / "examples" / "positions" / "conflict.json"


def entry(move, value, loss, stderr=0.001, favour=50.0, exact=False, line=()):
    """A hand-made analysis of one move, for seat 0 of two."""
    values = (value, 1 - value)
    return la.MoveAnalysis(
        move,
        values,
        (favour, 50.0),
        (1.5, 1.5),
        (stderr,) * 2,
        (0.5,) * 2,
        (0.1,) * 2,
        loss,
        0.0,
        stderr,
        (move, *line),
        100,
        exact,
    )


def two_moves(gap, stderr=0.001, exact=False):
    """A position of seat 0 and an analysis in which its first two moves differ by a gap."""
    state = next(state for state in positions(random_game(1), "collect") if state.seat_to_act == 0)
    first, second = state.legal_moves()[:2]
    moves = (entry(first, 0.6, 0.0, stderr, exact=exact), entry(second, 0.6 - gap, gap, stderr, 48.5, exact))
    return state, la.PositionAnalysis(0, moves, 200, 0.1)


@pytest.mark.parametrize(
    ("gap", "stderr", "exact", "sureness"),
    [
        (0.2, 0.001, False, "clearly best"),
        (0.015, 0.001, False, "probably best"),
        (0.2, 0.15, False, "probably best"),
        (0.002, 0.001, False, "about as good"),
        (0.2, 0.3, False, "about as good"),
        (0.2, 0.0, True, "exact"),
        (0.0, 0.0, True, "about as good"),
    ],
)
def test_sureness_follows_from_gap_and_error(gap, stderr, exact, sureness):
    state, analysis = two_moves(gap, stderr, exact)
    assert explain(analysis, state).sureness == sureness


def test_a_move_that_was_hardly_tried_is_never_about_as_good():
    state, analysis = two_moves(0.2, stderr=0.6)
    best, other = analysis.moves
    analysis = replace(analysis, moves=(best, replace(other, iterations=1)))
    explanation = explain(analysis, state)
    assert explanation.sureness == "probably best"
    assert "hardly tried" in str(explanation)


def test_the_move_that_the_solver_found_is_exact_though_values_are_sampled():
    state, analysis = two_moves(0.015)
    explanation = explain(replace(analysis, solved=True), state)
    assert explanation.sureness == "exact"
    assert "that is exact" in explanation.sentences[0]


def test_what_depends_on_hidden_hands_is_not_stated():
    state = la.State.from_json(CONFLICT.read_text(encoding="utf-8"))
    known, hidden = (state.view(hands=hands) for hands in ("known", "hidden"))
    costs = {world.clone().apply("accept").favour[1] - world.favour[1] for world in map(hidden.sample, range(40))}
    assert len(costs) > 1, "what seat 1 pays depends on its hidden guards"
    assert "favour for seat 1" in str(explain(la.analyse(known, QUICK, seed=1), known, move="accept"))
    assert "favour for seat 1" not in str(explain(la.analyse(hidden, QUICK, seed=1), hidden, move="accept"))


def test_the_words_hold_the_values_with_their_seat_and_scale():
    state, analysis = two_moves(0.2)
    text = str(explain(analysis, state, names=["Ann", "Bob", "Automa"]))
    assert "clearly best, with a win share of 60.0 % ± 0.1 % for Ann." in text
    assert "instead gives 40.0 % ± 0.1 %: 20.0 % less win share, and 1.5 less favour at the end." in text
    assert "Win shares are Ann's, 0 % to 100 %, a shared win split" in text
    assert "200 simulated games" in text


def test_exact_values_are_called_exact():
    text = str(explain(two_moves(0.2, 0.0, True)[1], two_moves(0.2)[0]))
    assert "the best move, and that is exact, with a win share of 60.0 % (exact)" in text
    assert "±" not in text


def test_gains_and_costs_are_what_the_move_changes():
    for kind in ("farmer", "merchant", "collect", "card", "row"):
        for state in positions(random_game(1), kind)[:2]:
            seat = state.seat_to_act
            explanation = explain(la.analyse(state, QUICK, seed=1), state)
            after = state.clone().apply(explanation.move)
            text = str(explanation)
            gained = after.favour[seat] - state.favour[seat]
            assert (f"{gained} favour" in text) == (gained > 0)
            guards = after.raw()["guards"][seat] - state.raw()["guards"][seat]
            if guards > 0:
                assert f"At once it brings {guards} guard" in text or f", {guards} guard" in text
            if kind == "farmer" and explanation.move.text != "pass":
                assert "It costs 1 guard." in text


def test_a_worse_move_is_compared_with_the_best():
    state, analysis = two_moves(0.2)
    worse = explain(analysis, state, move=analysis.moves[1].move)
    assert worse.sureness == "worse"
    assert "gives seat 0 a win share of 40.0 %" in worse.sentences[0]
    assert "20.0 % less than to " in worse.sentences[0]
    with pytest.raises(KeyError):
        explain(analysis, state, move="accept")


def test_who_is_hurt_is_named_with_three_players():
    state = next(state for state in positions(random_game(2, la.Variant(humans=3)), "row") if state.seat_to_act == 0)
    first, second = state.legal_moves()[:2]
    alike = ((50.0,) * 3, (2.0,) * 3, (0.001,) * 3, (0.1,) * 3, (0.1,) * 3)
    moves = (
        la.MoveAnalysis(first, (0.5, 0.1, 0.4), *alike, 0, 0, 0, (first,), 90),
        la.MoveAnalysis(second, (0.4, 0.3, 0.3), *alike, 0.1, 0, 0.001, (second,), 90),
    )
    text = str(explain(la.PositionAnalysis(0, moves, 180, 0.1), state))
    assert "it takes most from seat 1 (20.0 % of seat 1's win share) and helps seat 2 most (10.0 %)." in text


def test_likely_replies_come_from_the_principal_variation():
    state = next(state for state in positions(random_game(1), "respond") if "accept" in map(str, state.legal_moves()))
    analysis = la.analyse(state, la.Limit(iterations=400), seed=1)
    entries = [move for move in analysis.moves if len(move.line) > 1]
    assert entries
    for found in entries[:3]:
        after = state.clone()
        told = str(explain(analysis, state, move=found.move))
        after.apply(found.line[0])
        if after.seat_to_act is not None and len(after.legal_moves()) > 1:
            assert f"Likely next: seat {after.seat_to_act}: {brief_words(after.to_json(), found.line[1].text)}" in told


def test_the_only_move_is_called_so():
    states = [state for state, _ in random_game(1).replay()]
    state = next(state for state in states if not state.is_chance and len(state.legal_moves()) == 1)
    explanation = explain(la.analyse(state, QUICK, seed=1), state)
    assert explanation.sureness == "only move"
    assert "it is the only move" in explanation.sentences[0]


def test_every_kind_of_decision_can_be_explained_with_hidden_hands():
    seen = set()
    for seed in (1, 2, 3):
        for state, _ in random_game(seed, la.Variant(humans=3)).replay():
            if state.decision not in seen and not state.is_chance and not state.is_over:
                seen.add(state.decision)
                view = state.view(hands="hidden")
                sentences = explain(la.analyse(view, la.Limit(iterations=30), seed=1), view).sentences
                assert all(sentence.endswith(".") and sentence[0] != " " for sentence in sentences)
    assert {"travel", "respond", "collect", "row", "card"} <= seen


def test_hidden_guards_of_others_are_not_told():
    state = next(state for state in positions(random_game(2, la.Variant(humans=3)), "respond"))
    view = state.view(hands="hidden")
    analysis = la.analyse(view, QUICK, seed=1)
    for found in analysis.moves:
        text = str(explain(analysis, view, move=found.move))
        assert "guard for seat" not in text
        assert "guards for seat" not in text


def test_a_search_result_can_be_explained():
    state = la.State.new(seed=7)
    result = la.search(state, la.Limit(iterations=300), seed=1)
    assert explain(result, state).move == result.best


def test_brief_words_leave_out_details():
    state = positions(random_game(1), "row")[0]
    move = next(move.text for move in state.legal_moves() if move.text.startswith("row:"))
    _, warehouse, number = move.split(":")
    assert brief_words(state.to_json(), move) == f"fill {warehouse} row {number}"


def test_a_move_that_few_hidden_hands_allow_is_explained():
    state, rng = la.State.new(la.Variant(humans=3), seed=9), random.Random(9)
    for _ in range(rng.randrange(5, 90)):
        state.apply(rng.choice(state.legal_moves()))
    assert state.decision == "travel"
    observer = next(seat for seat in range(3) if seat != state.seat_to_act)
    view = state.view(observer, hands="hidden")
    analysis = la.analyse(view, la.Limit(iterations=3000), seed=1)
    explanation = explain(analysis, view, move="go:bautzen:12")  # legal in hardly one of 64 worlds
    assert explanation.sentences


def test_the_only_move_that_was_tried_is_not_called_the_only_one():
    state = la.State.new(la.Variant(humans=3), seed=4)
    assert len(state.legal_moves()) > 1
    assert explain(la.search(state, la.Limit(iterations=1), seed=1), state).sureness == "only one tried"


def test_what_hidden_guards_pay_is_not_told():
    state, rng = la.State.new(la.Variant(humans=3), seed=10), random.Random(10)
    while state.round < 2 or state.decision != "travel":
        state.apply(rng.choice(state.legal_moves()))
    view = state.view((state.seat_to_act + 1) % 3, hands="hidden")
    sentences = explain(la.search(view, la.Limit(iterations=20), seed=1), view).sentences
    assert not any("guard" in sentence for sentence in sentences if sentence.startswith("It costs"))


def test_too_few_names_are_refused():
    state = la.State.new(la.Variant(humans=3), seed=4)
    with pytest.raises(la.LusatiaError, match=r"names: found 2; allowed: 3"):
        explain(la.search(state, QUICK, seed=1), state, names=["Ann", "Bob"])
