"""The exact solver against plain recursion, independent cases and the forward model; limits, hidden hands, errors."""

from __future__ import annotations

import _thread
import gzip
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import islice
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import PLAYERS, position, seeds, variants
from reference_solver import (
    Exhaustive,
    Goal,
    TooLargeError,
    as_manual,
    random_positions,
    small_last_rounds,
    small_set,
    with_wealth,
)

import lusatia_ai as la
from lusatia_ai._solver import TECHNIQUES, Solver, farmers_of, model_difference
from lusatia_ai.cli import main

ROOT = Path(__file__).resolve().parents[1]
CASES = Path(os.environ.get("LUSATIA_CASES") or ROOT.parent / "shared" / "cases") / "storing" / "cases.jsonl.gz"

CONCEPTS = [("maxn", "first"), ("maxn", "worst"), ("maxn", "best"), ("paranoid", "first")]
OBJECTIVES = ("favour", "margin", "win")


def goals(humans: int, rng: random.Random, horizons: tuple[str, ...] = ("stage", "round")) -> list[Goal]:
    """One goal for each objective, with concept, ties, horizon and seat drawn."""
    return [
        Goal(
            objective,
            *rng.choice(CONCEPTS)[:1],
            rng.choice(horizons),
            rng.choice(CONCEPTS[:3])[1],
            rng.randrange(humans),
        )
        for objective in OBJECTIVES
    ]


def check_against_recursion(state: la.State, goal: Goal, most_nodes: int, **options: Any) -> bool:
    """Whether the position is small enough to be tried out; if so, values of all moves must be equal."""
    try:
        expected = Exhaustive(goal, most_nodes).moves(state)
    except TooLargeError:
        return False
    solution = la.solve(state, **goal.options(), **options)
    assert solution.status == "exact"
    seats = range(state.variant.humans) if goal.concept == "maxn" else [goal.seat]
    assert [entry.move.text for entry in solution.moves] == list(expected)
    for entry in solution.moves:
        for seat in seats:
            utility, favour = expected[entry.move.text][seat]
            assert entry.values[seat] == pytest.approx(utility, abs=1e-9), (goal, entry, expected)
            if goal.objective == "win":
                assert entry.favour[seat] == pytest.approx(favour, abs=1e-9), (goal, entry, expected)
    check_best(solution, expected, goal)
    return True


def check_best(solution: la.Solution, expected: dict[str, list[tuple[float, float]]], goal: Goal) -> None:
    """The best moves, and the value of the position, follow from the values of the moves."""
    seat = goal.seat if goal.concept == "paranoid" else solution.seat
    choose = min if goal.concept == "paranoid" and solution.seat != goal.seat else max
    best = choose(value[seat] for value in expected.values())
    equal = [text for text, value in expected.items() if value[seat] == pytest.approx(best, abs=1e-9)]
    assert [move.text for move in solution.best] == equal
    assert solution.values[seat] == pytest.approx(best[0], abs=1e-9)


# --- against plain recursion ----------------------------------------------------------------------------


def test_storing_equals_plain_recursion():
    rng, checked = random.Random(1), 0
    for state in islice(random_positions("storing", seed=1), 60):
        checked += sum(check_against_recursion(state, goal, 600) for goal in goals(state.variant.humans, rng))
    assert checked >= 60


def test_choosing_a_card_while_others_are_passed_over():
    """The next chooser is found only after the card, also where a card is being chosen in the position to be solved."""
    checked = 0
    for state in islice(random_positions("storing", 20, humans=3, must=True, round=6), 400):
        if state.decision == "card":
            checked += sum(
                check_against_recursion(state, Goal(objective, horizon="game"), 300) for objective in OBJECTIVES
            )
    assert checked >= 60


def test_tax_collection_equals_plain_recursion():
    rng, checked = random.Random(2), 0
    for state in islice(random_positions("tax_collection", 2, small_set(), humans=3, automas=0), 20):
        checked += sum(check_against_recursion(state, goal, 1_500) for goal in goals(3, rng))
    assert checked >= 20


def test_final_scoring_equals_plain_recursion():
    rng, checked = random.Random(3), 0
    for state in islice(random_positions("final_scoring", seed=3, round=6), 25):
        checked += sum(check_against_recursion(state, goal, 600) for goal in goals(state.variant.humans, rng))
    assert checked >= 60


@pytest.fixture(scope="module")
def last_rounds() -> list[la.State]:
    """Small ones that can be tried out in less than a second."""

    def small(state: la.State) -> bool:
        plain = Solver(state.tables, horizon=1, plain=True)
        plain.limit(inf, 100_000)
        plain.solve(state)
        return plain.complete and plain.nodes > 2_000

    return list(islice(filter(small, small_last_rounds(seed=4)), 3))


@pytest.mark.parametrize(
    ("humans", "ties", "most_nodes"),
    [(3, 0, 40_000), (3, 1, 40_000), (3, 2, 40_000), (4, 0, 250_000)],
)
def test_the_model_of_bidding_changes_no_value(humans: int, ties: int, most_nodes: int):
    """Whole states, walked bid by bid, against the model: rich and poor, destitute, in and between conflicts."""
    rng, compared = random.Random(ties), 0
    last_rounds = random_positions("town_selection", 7, small_set(), humans=humans, automas=0, round=6)
    for number, state in enumerate(islice(last_rounds, 40)):
        if compared == 8:
            break
        guards, favour = rng.choice([(1, 4), (4, 12), (2, 40)] if humans == 3 else [(0, 3), (1, 4), (2, 6)])
        state = with_wealth(
            state,
            [rng.randint(0, guards) for _ in range(humans)],
            [rng.randint(0, favour) for _ in range(humans)],
        )
        for _ in range(rng.randrange(humans - 2, humans + 2)):
            state.apply(rng.choice(state.legal_moves()))
            if state.stage != "town_selection":
                break
        if state.stage != "town_selection":
            continue
        options = {"horizon": 1, "ties": ties, "seat": number % humans}
        model, plain = Solver(state.tables, **options), Solver(state.tables, **options)
        plain.leave_out("bidding")
        plain.limit(inf, most_nodes)
        expected = plain.solve(state)
        if plain.complete:
            assert model.solve(state) == expected
            assert model.line(state) == plain.line(state)
            compared += 1
    assert compared == 8


@pytest.mark.parametrize(("seed", "wanted"), [(5, 10), (1, 18)])
def test_the_model_of_bidding_keeps_apart_who_has_how_much_favour(seed: int, wanted: int):
    """Early in a game, with little to be stored: many small town selections of seats that differ much in favour."""
    rng, compared = random.Random(seed), 0
    for number, state in enumerate(random_positions("town_selection", seed, small_set(), humans=3, automas=0, round=2)):
        state = with_wealth(state, [rng.randint(0, 3) for _ in range(3)], [rng.randint(0, 40) for _ in range(3)])
        if state.decision != "travel":
            continue
        model, plain = (Solver(state.tables, horizon=1, seat=number % 3) for _ in range(2))
        plain.leave_out("bidding")
        plain.limit(inf, 60_000)
        expected = plain.solve(state)
        if plain.complete:
            assert model.solve(state) == expected
            compared += 1
        if compared == wanted:
            break
    assert compared == wanted


def test_the_poor_are_not_solved_as_if_they_were_rich_at_any_cost():
    """Six players without guards and hardly any favour: few positions can come about, and many with a little more."""
    rng, compared = random.Random(3), 0
    for state in islice(random_positions("town_selection", 3, small_set(), humans=6, automas=0, round=3), 30):
        state = with_wealth(state, [0] * 6, [rng.randint(2, 6) for _ in range(6)])
        while state.stage == "town_selection" and len(state.to_json()["turn"]["to_place"]) > 1:
            state.apply(rng.choice(state.legal_moves()))
        if state.stage != "town_selection":
            continue
        model, plain = (Solver(state.tables, horizon=1) for _ in range(2))
        plain.leave_out("bidding")
        plain.limit(inf, 100_000)
        expected = plain.solve(state)
        model.limit(inf, 10 * plain.nodes + 40_000)
        if plain.complete:
            assert model.solve(state) == expected
            compared += 1
    assert compared == 8


def in_last_round(stage: str, humans: int, seed: int) -> Iterator[la.State]:
    """Positions of the last round in which guards, of which there may be none, and cards matter."""
    rng = random.Random(f"{stage} {humans} {seed}")
    for state in random_positions(stage, seed, small_set() if seed % 2 else None, humans=humans, automas=0, round=6):
        least = 1 if state.decision == "farmer" else 0
        guards = [rng.randint(least, rng.choice((least, 2, 4, 40))) for _ in range(humans)]
        yield with_wealth(state, guards, [rng.randint(0, 30) for _ in range(humans)])


def holds(
    bounds: list[tuple[int, list[float], list[float]]], exact: list[tuple[int, list[float], list[float]]]
) -> bool:
    """Whether all exact values lie within the bounds found."""
    return all(
        low <= value <= high
        for (_, lows, highs), (_, values, _) in zip(bounds, exact, strict=True)
        for low, value, high in zip(lows, values, highs, strict=True)
    )


@pytest.mark.parametrize(
    ("stage", "humans", "wanted"), [("tax_collection", 3, 12), ("storing", 3, 25), ("storing", 4, 12)]
)
def test_graphs_change_no_value(stage: str, humans: int, wanted: int):
    """Moves played once for all guards and classes of cards; with memory for all, for some and for next to nothing."""
    compared = without_guards = 0
    for number, state in enumerate(in_last_round(stage, humans, 9)):
        if compared == wanted:
            break
        options = {"horizon": 1, "ties": number % 3, "seat": number % humans}
        plain = Solver(state.tables, **options)
        plain.leave_out("graphs")
        plain.limit(inf, 60_000)
        expected = plain.solve(state)
        if not plain.complete:
            continue
        compared += 1
        without_guards += min(player["guards"] for player in state.to_json()["players"]) == 0
        for memory in (1, 2**17, 2**28):
            limited, solver = (Solver(state.tables, table_bytes=memory, **options) for _ in range(2))
            limited.limit(inf, plain.nodes // 3)
            assert holds(limited.solve(state), expected), (memory, state)
            assert solver.solve(state) == expected, (memory, state)
        assert solver.line(state) == plain.line(state)
    assert without_guards >= 3


def test_graphs_know_who_can_pay_a_farmer():
    """The same position with and without a guard for the Farmer is solved one after the other by one solver."""
    compared = 0
    for state in islice(random_positions("tax_collection", 31, small_set(), humans=3, automas=0, round=6), 80):
        holders = farmers_of(state)
        if not holders or state.decision != "collect":
            continue
        shared = Solver(state.tables, horizon=1)
        for guards in (0, 1, 3):
            state = with_wealth(state, [guards] * 3, [10, 10, 10])
            plain = Solver(state.tables, horizon=1, plain=True)
            plain.limit(inf, 150_000)
            expected = plain.solve(state)
            if plain.complete:
                assert shared.solve(state) == expected, guards
                compared += 1
    assert compared >= 6


def test_what_has_been_found_out_is_found_again_when_tables_have_grown():
    state = next(islice(random_positions("storing", 3, humans=4, automas=0, round=3), 3, None))
    solver = Solver(state.tables)
    first = solver.solve(state)
    nodes = solver.nodes
    assert nodes > 4 * 1024
    assert solver.solve(state) == first
    assert solver.nodes - nodes < 0.01 * nodes


def exchanges(state: la.State) -> int:
    """How many companions of humans change guards for favour at the end."""
    held = [token for player in state.to_json()["players"] for token in player.get("companions", [])]
    return sum(token.startswith(("captain", "hetman")) for token in held)


def test_exchanges_of_guards_are_decided_as_in_the_plain_search():
    """Final scoring by tables, with two exchanges or more, for which guards are kept back or not."""
    storing = random_positions("storing", 21, humans=3, automas=0, round=6)
    rng, compared = random.Random(21), 0
    for state in islice((state for state in storing if exchanges(state) >= 2), 12):
        state = with_wealth(state, [rng.randint(0, 9) for _ in range(3)], [10, 10, 10])
        for paranoid, ties in ((False, 0), (False, 1), (False, 2), (True, 0)):
            options = {"horizon": 1, "ties": ties, "paranoid": paranoid, "seat": 1}
            plain = Solver(state.tables, plain=True, **options)
            plain.limit(inf, 150_000)
            expected = plain.solve(state)
            if plain.complete:
                assert Solver(state.tables, **options).solve(state) == expected
                compared += 1
    assert compared >= 12


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("concept", "ties"), CONCEPTS)
def test_small_last_rounds_equal_the_plain_search(last_rounds: list[la.State], objective: str, concept: str, ties: str):
    """From town selection to the end of the game; the plain search in C is itself checked below."""
    options = {"objective": OBJECTIVES.index(objective), "horizon": 1, "paranoid": concept == "paranoid", "seat": 1}
    options["ties"] = ("first", "worst", "best").index(ties)
    for state in last_rounds:
        solver, plain = Solver(state.tables, **options), Solver(state.tables, plain=True, **options)
        assert solver.solve(state) == plain.solve(state)
        assert solver.line(state) == plain.line(state)


def last_traveller(seed: int) -> la.State:
    """Round 2 of a random game, where the last player is to choose a town."""
    rng, state = random.Random(seed), la.State.new(la.Variant(humans=3), seed=seed)
    while state.round < 2 or state.decision != "travel" or state.to_json()["turn"]["to_place"]:
        state.apply(rng.choice(state.legal_moves()))
    return state


@pytest.mark.parametrize("seed", [9, 10, 11, 12, 13])
def test_what_is_guaranteed_by_a_move_is_guaranteed_after_it(seed: int):
    """Moves without a choice lead from town selection into tax collection, from where keys leave favour out."""
    state = last_traveller(seed)
    before = la.solve(state, concept="paranoid")
    for entry in before.moves:
        after = state.clone().apply(entry.move)
        if after.stage in ("town_selection", "tax_collection"):
            found = la.solve(after, concept="paranoid", seat=before.seat)
            assert found.values[before.seat] == entry.values[before.seat]


def test_the_plain_search_equals_plain_recursion():
    rng, checked = random.Random(5), 0
    for state in islice(random_positions("storing", seed=5, humans=3), 12):
        for goal in goals(3, rng, ("round",)):
            try:
                expected = Exhaustive(goal, 600).moves(state)
            except TooLargeError:
                continue
            plain = Solver(
                state.tables,
                objective=OBJECTIVES.index(goal.objective),
                horizon=1,
                paranoid=goal.concept == "paranoid",
                ties=("first", "worst", "best").index(goal.ties),
                seat=goal.seat,
                plain=True,
            )
            for (_, low, high), value in zip(plain.solve(state), expected.values(), strict=True):
                seat_values = range(3) if goal.concept == "maxn" else [goal.seat]
                assert low == high
                assert [low[seat] for seat in seat_values] == pytest.approx([value[seat][0] for seat in seat_values])
            checked += 1
    assert checked >= 15


def test_automas_in_town_selection_count_with_their_mean():
    checked = 0
    for state in islice(random_positions("town_selection", 6, small_set(), humans=2, automas=1, round=6), 12):
        if state.is_chance:
            continue
        checked += check_against_recursion(state, Goal("favour", horizon="game"), 15_000)
    assert checked >= 2


def test_a_round_can_be_solved_with_a_value_for_its_end():
    def worth(state: la.State) -> tuple[float, ...]:
        players = state.to_json()["players"][: state.variant.humans]
        return tuple(p["favour"] + 0.5 * p["guards"] + 0.75 * sum(p["estates"].values()) for p in players)

    evaluation, checked = la.RoundValue(guard=0.5, symbol=0.75), 0
    for number, state in enumerate(islice(random_positions("storing", seed=7, round=4), 30)):
        goal = Goal(OBJECTIVES[number % 2], CONCEPTS[number % 4][0], "round", worth=worth)
        checked += check_against_recursion(state, goal, 600, evaluation=evaluation)
    assert checked >= 10


def test_more_than_fifteen_pieces_of_a_colour():
    goods = {0: {"green": 40, "blue": 17}, 1: {"green": 16, "red": 1}, 2: {"yellow": 2}}
    companions = {1: ["chamberlain"]}
    for target, horizon in ((5, 0), (6, 1)):
        state = position(humans=3, stage="storing", round=target, goods=goods, companions=companions)
        plain, solver = Solver(state.tables, horizon=horizon, plain=True), Solver(state.tables, horizon=horizon)
        plain.limit(inf, 3_000_000)
        expected = plain.solve(state)
        assert plain.complete
        assert solver.solve(state) == expected


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_no_technique_changes_a_value(technique: str):
    for state in islice(random_positions("storing", seed=8, humans=3, automas=0, round=6), 4):
        for paranoid in (False, True):
            with_all = Solver(state.tables, horizon=1, paranoid=paranoid)
            without = Solver(state.tables, horizon=1, paranoid=paranoid)
            without.leave_out(technique)
            without.limit(inf, 400_000)
            values = without.solve(state)
            if without.complete:
                assert with_all.solve(state) == values


# --- against independent cases, and the forward model -----------------------------------------------------


@pytest.mark.skipif(not CASES.exists(), reason=f"no {CASES}; LUSATIA_CASES names another folder of cases")
def test_independent_cases():
    with gzip.open(CASES, "rt", encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    for number, case in enumerate(cases):
        state = la.State.from_json(case["position"], chance="manual")
        solution = la.solve(state)
        gains = [value - before for value, before in zip(solution.values, state.favour, strict=True)]
        assert gains == case["gains"], number
        assert [{"seat": seat, "move": move.text} for seat, move in solution.line] == case["line"], number


@settings(max_examples=150, deadline=None)
@given(variants, seeds, st.integers(1, 5))
def test_the_reduced_model_of_choosing_rows_plays_as_the_forward_model(variant: la.Variant, seed: int, target: int):
    rng, state = random.Random(seed), la.State.new(variant, seed=seed)
    while state.round < target or state.decision not in ("row", "card"):
        state.apply(rng.choice(state.legal_moves()))
        if state.is_over or state.round > target:
            return
    for again in range(20):
        assert model_difference(state, seed + again)[0] is None


def test_a_line_is_legal_and_leads_to_the_values():
    for state in islice(random_positions("storing", seed=9, round=3), 10):
        solution, game = la.solve(state), state.clone()
        for seat, move in solution.line:
            assert game.seat_to_act == seat
            game.apply(move)
        assert game.round == 4
        assert game.favour == solution.values


def test_storing_can_be_played_to_its_end_within_a_search():
    for state in islice(random_positions("storing", seed=18), 20):
        solver, line = Solver(state.tables), la.solve(state).line
        after, done = solver.finish_storing(state, 10**7)
        assert done
        expected = as_manual(state)
        for _, move in line:
            expected.apply(move)
        assert after.same_position(expected)
    start = next(random_positions("storing", seed=19, humans=3))
    assert not Solver(start.tables).finish_storing(start, 1)[1]


@pytest.mark.parametrize("players", PLAYERS)
def test_the_guaranteed_value_is_at_most_that_of_best_play(players: tuple[int, int]):
    humans, automas = players
    for state in islice(random_positions("storing", seed=10, humans=humans, automas=automas), 3):
        for objective in OBJECTIVES[:2]:
            free = la.solve(state, objective=objective, limit=la.Limit(iterations=50_000))
            sure = la.solve(state, objective=objective, concept="paranoid", limit=la.Limit(iterations=50_000))
            if "bound" in (free.status, sure.status):
                continue
            value, guaranteed = free.values[free.seat], sure.values[sure.seat]
            assert value is not None
            assert guaranteed is not None
            assert guaranteed <= value


# --- limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("concept", ["maxn", "paranoid"])
def test_a_limited_solve_gives_bounds_that_hold(objective: str, concept: str):
    bounded = 0
    for stage, rounds in (("storing", 6), ("storing", 3), ("tax_collection", 2), ("tax_collection", 6)):
        components = small_set() if stage == "tax_collection" else None
        for state in islice(random_positions(stage, 11, components, humans=3, round=rounds), 4):
            options: dict[str, Any] = {"objective": objective, "concept": concept, "horizon": "round"}
            exact = la.solve(state, **options)
            for nodes in (1, 7, 50, 300):
                limited = la.solve(state, **options, limit=la.Limit(iterations=nodes))
                bounded += limited.status == "bound"
                check_bounds(limited, exact)
    assert bounded >= 20


def check_bounds(limited: la.Solution, exact: la.Solution) -> None:
    assert set(exact.best) <= set(limited.best)
    for found, true in [(limited, exact), *zip(limited.moves, exact.moves, strict=True)]:
        for (low, high), value in zip(found.bounds, true.values, strict=True):
            assert value is None or low - 1e-9 <= value <= high + 1e-9


def large_position() -> la.State:
    """A round that takes long to solve."""
    return la.State.new(la.Variant(humans=6), seed=3)


@pytest.mark.parametrize("seconds", [0.02, 0.2])
def test_a_time_limit_is_kept(seconds: float):
    overruns = []
    for _ in range(3):
        started = perf_counter()
        solution = la.solve(large_position(), limit=la.Limit(time=seconds))
        overruns.append(perf_counter() - started - seconds)
        assert solution.status == "bound"
        assert solution.line == ()
    assert sorted(overruns)[1] < 0.05


def test_an_interrupt_returns_bounds():
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    started = perf_counter()
    solution = la.solve(large_position(), limit=la.Limit(time=30))
    timer.join()
    assert solution.interrupted
    assert solution.status == "bound"
    assert perf_counter() - started < 5


def test_another_thread_can_stop_it():
    asked = threading.Event()
    timer = threading.Timer(0.2, asked.set)
    timer.start()
    solution = la.solve(large_position(), limit=la.Limit(time=30), should_stop=asked.is_set)
    timer.join()
    assert solution.status == "bound"
    assert not solution.interrupted
    assert solution.elapsed < 5


def test_little_memory_changes_no_value():
    for state in islice(random_positions("storing", seed=12, humans=3, automas=0, round=6), 3):
        small, large = Solver(state.tables, horizon=1, table_bytes=1), Solver(state.tables, horizon=1)
        assert small.solve(state) == large.solve(state)
        assert small.nodes >= large.nodes


def test_graphs_take_the_memory_that_tables_leave():
    """A graph that has no room is begun anew, which costs nodes."""
    state = next(islice(in_last_round("tax_collection", 3, 10), 5, None))
    little, plenty = (Solver(state.tables, horizon=1, table_bytes=size) for size in (2**25, 2**28))
    assert little.solve(state) == plenty.solve(state)
    assert little.nodes == plenty.nodes > 100_000


def test_memory_is_given_back_when_tables_are_opened_anew():
    """The same two positions in turn, with graphs and without: it never takes more nodes than the first time."""
    rng, found = random.Random(5), {}
    state = la.State.new(la.Variant(humans=3), seed=1)
    while not (state.round == 6 and state.stage == "storing"):
        found.setdefault((state.round, state.stage), state.clone())
        state.apply(rng.choice(state.legal_moves()))
    solver = Solver(state.tables, horizon=1, table_bytes=2**22)
    nodes = []
    for _ in range(8):
        for start in ((3, "storing"), (6, "tax_collection")):
            before = solver.nodes
            solver.solve(found[start])
            nodes.append(solver.nodes - before)
    assert nodes[1] > 10_000
    assert nodes == nodes[:2] * 8


def test_nodes_are_the_same_in_every_process():
    """Equal positions are found to be equal, wherever memory is: a limit on nodes gives the same bounds."""
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from itertools import islice
from test_solver import in_last_round
from lusatia_ai._solver import Solver
state = next(islice(in_last_round("tax_collection", 3, 10), 13, None))
solver = Solver(state.tables, horizon=1)
solver.solve(state)
print(solver.nodes)
"""
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    nodes = {run.communicate()[0] for run in runs}
    assert [run.returncode for run in runs] == [0] * 4
    assert len(nodes) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are those of Linux")
def test_a_limit_of_address_space_leaves_room_for_all_else():
    program = """
import resource
import lusatia_ai as la
from lusatia_ai._solver import address_space_left
assert address_space_left() > 2**60
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, resource.RLIM_INFINITY))
assert address_space_left() <= 2**28
state = la.State.new(la.Variant(humans=3), seed=1)
while not (state.round == 6 and state.stage == "town_selection"):
    state.apply(state.legal_moves()[0])
print(la.solve(state, horizon="game", limit=la.Limit(iterations=200_000)).status)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("exact", "bound")


# --- views ---------------------------------------------------------------------------------------------------


def test_a_view_with_known_hands_is_solved_exactly():
    for state in islice(random_positions("storing", seed=13, round=6), 5):
        view = state.view(hands="known")
        assert la.solve(view, horizon="game").moves == la.solve(state, horizon="game").moves


def test_hidden_hands_that_cannot_matter_leave_the_answer_exact():
    checked = 0
    for state in islice(random_positions("storing", seed=14), 20):
        if state.decision == "row":
            assert la.solve(state.view()).moves == la.solve(state).moves
            checked += 1
    assert checked >= 5


def test_hidden_hands_that_matter_are_sampled():
    state = next(random_positions("storing", seed=15, humans=3, automas=0, round=6))
    view = state.view()
    first, again = (la.solve(view, horizon="game", worlds=8, seed=3) for _ in range(2))
    assert first.moves == again.moves
    assert (first.status, first.worlds, first.line) == ("sampled", 8, ())
    assert sum(entry.best_share for entry in first.moves) >= 1
    assert all(len(entry.errors) == 3 for entry in first.moves)
    assert la.solve(view, horizon="game", worlds=8, seed=4).moves != first.moves
    values = [la.solve(view.sample((la.state.word_from(3) + i) % 2**64), horizon="game") for i in range(8)]
    for number, entry in enumerate(first.moves):
        found = [world.moves[number].values[0] for world in values]
        assert entry.values[0] == pytest.approx(sum(value for value in found if value is not None) / 8)


def test_no_time_for_any_world_claims_nothing():
    view = next(random_positions("town_selection", seed=16, humans=3, automas=0, round=6)).view()
    solution = la.solve(view, horizon="game", limit=la.Limit(iterations=5))
    assert (solution.status, solution.worlds) == ("bound", 0)
    assert solution.bounds == ((-inf, inf),) * 3
    assert len(solution.best) == len(solution.moves)


# --- errors and the command line --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"objective": "fame"}, "objective"),
        ({"concept": "trust"}, "concept"),
        ({"horizon": "life"}, "horizon"),
        ({"horizon": "game"}, "horizon"),
        ({"ties": "coin"}, "ties"),
        ({"seat": 4}, "seat"),
        ({"seat": True}, "seat"),
        ({"worlds": 0}, "worlds"),
        ({"evaluation": 3}, "evaluation"),
    ],
)
def test_what_cannot_be_answered_is_refused(options: dict[str, Any], place: str):
    with pytest.raises(la.SolveError) as error:
        la.solve(la.State.new(seed=1), **options)
    assert [fault.place for fault in error.value.faults] == [place]


def test_nothing_to_decide_is_refused():
    state = la.State.new(seed=1, chance="manual")
    with pytest.raises(ValueError, match="chance is to be drawn"):
        la.solve(state)


def test_another_game_is_refused():
    solver = Solver(la.State.new(la.Variant(humans=3), seed=1).tables)
    with pytest.raises(ValueError, match="another game"):
        solver.solve(la.State.new(la.Variant(humans=4), seed=1))


def test_the_command_prints_the_solution(tmp_path: Path):
    state = next(random_positions("storing", seed=17, humans=3))
    file = tmp_path / "position.json"
    file.write_text(json.dumps(state.to_json()))
    solution = la.solve(state)
    printed = CliRunner().invoke(main, ["solve", str(file)])
    assert printed.exit_code == 0
    assert "exact: favour at the end of the stage" in printed.output
    assert solution.best[0].text in printed.output
    found = json.loads(CliRunner().invoke(main, ["solve", str(file), "--json"]).output)
    assert found["status"] == "exact"
    assert found["best"] == [move.text for move in solution.best]
    assert [entry["move"] for entry in found["moves"]] == [entry.move.text for entry in solution.moves]


def test_the_command_says_what_it_cannot_answer(tmp_path: Path):
    file = tmp_path / "position.json"
    file.write_text(json.dumps(la.State.new(seed=1).to_json()))
    refused = CliRunner().invoke(main, ["solve", str(file), "--horizon", "game"])
    assert refused.exit_code == 2
    assert "horizon: found 'game' in round 1" in refused.output
    limited = CliRunner().invoke(main, ["solve", str(file), "--nodes", "10"])
    assert limited.exit_code == 0
    assert "bounds only" in limited.output
