"""Root parallelism: the same seed, trees and iterations give the same bits, whoever does the work."""

from __future__ import annotations

import _thread
import os
import pickle
import subprocess
import sys
import threading

import joblib
import pytest

import lusatia_ai as la

SEARCH_MODULE = sys.modules["lusatia_ai.search"]  # `la.search` is the function
PARAMS = la.SearchParams(trees=5)
LIMIT = la.Limit(iterations=1203)


@pytest.fixture(autouse=True)
def budgets_long_enough_for_pools(monkeypatch):
    """Short searches stay in the calling thread otherwise."""
    monkeypatch.setattr(SEARCH_MODULE, "LEAST_FOR_THREADS", 0.0)
    monkeypatch.setattr(SEARCH_MODULE, "LEAST_FOR_PROCESSES", 0.0)


def position() -> la.View:
    return la.State.new(la.Variant(humans=3), seed=5).view()


@pytest.fixture(scope="module")
def alone() -> la.SearchResult:
    return la.search(position(), LIMIT, seed=11, params=PARAMS)


def run(n_jobs: int) -> la.SearchResult:
    return la.search(position(), LIMIT, seed=11, params=PARAMS, n_jobs=n_jobs)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_threads_give_the_same_bits(alone, n_jobs):
    assert run(n_jobs).moves == alone.moves


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_processes_give_the_same_bits(alone, n_jobs):
    with joblib.parallel_config("loky"):
        result = run(n_jobs)
    assert result.moves == alone.moves
    assert result.tree_size == alone.tree_size


def test_a_dask_cluster_gives_the_same_bits(alone):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        result = run(2)
    assert result.moves == alone.moves


def test_hash_seeds_do_not_matter(alone):
    program = (
        "import lusatia_ai as la; view = la.State.new(la.Variant(humans=3), seed=5).view()\n"
        "result = la.search(view, la.Limit(iterations=1203), seed=11, params=la.SearchParams(trees=5))\n"
        "print([(m.move.text, m.visits, m.value, m.favour, [x.text for x in m.line]) for m in result.moves])"
    )
    expected = str([(m.move.text, m.visits, m.value, m.favour, [x.text for x in m.line]) for m in alone.moves])
    for hash_seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
        assert done.stdout.strip() == expected, done.stderr


def test_progress_reports_do_not_change_the_result(alone):
    seen = []
    result = la.search(position(), LIMIT, seed=11, params=PARAMS, n_jobs=2, on_progress=seen.append)
    assert result.moves == alone.moves


def test_trees_share_the_iterations_out(alone):
    assert alone.iterations == 1203
    assert sum(entry.visits for entry in alone.moves) == 1203


def test_more_trees_are_another_search(alone):
    assert la.search(position(), LIMIT, seed=11, params=la.SearchParams(trees=4)).moves != alone.moves


@pytest.mark.parametrize("algorithm", ["so", "mo", "determinized"])
@pytest.mark.parametrize("playout", ["greedy", "mast"])
def test_a_pickled_tree_grows_on_as_the_original(algorithm, playout):
    tree = la.SearchTree(position(), seed=3, params=la.SearchParams(algorithm=algorithm, playout=playout))
    tree.search(la.Limit(iterations=200))
    copy = pickle.loads(pickle.dumps(tree))
    first, second = (one.search(la.Limit(iterations=700)) for one in (tree, copy))
    assert first.moves == second.moves
    assert first.iterations == 700


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_time_limit_ends_the_search_with_workers(backend):
    params = la.SearchParams(trees=2)
    with joblib.parallel_config(backend):
        la.search(position(), la.Limit(time=0.2), seed=1, params=params, n_jobs=2)  # the pool gets warm
        result = la.search(position(), la.Limit(time=0.5), seed=1, params=params, n_jobs=2)
    assert result.stopped_by == "time"
    assert 0.2 < result.elapsed < 2  # the machine may be busy; benchmarks/search_speed.py measures the overrun


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_ends_all_threads_and_returns_what_they_have_found(n_jobs):
    threading.Timer(0.3, _thread.interrupt_main).start()
    tree = la.SearchTree(position(), seed=1, params=la.SearchParams(trees=2))
    result = tree.search(la.Limit(time=30), n_jobs=n_jobs)
    assert result.stopped_by == "interrupt"
    assert result.iterations == sum(entry.visits for entry in result.moves) > 0
    assert tree.iterations == result.iterations  # nobody works on
    assert result.elapsed < 10


def test_confidence_stops_at_the_same_iteration_everywhere():
    limit = la.Limit(iterations=200_000, confidence=0.6)
    results = [la.search(position(), limit, seed=2, params=la.SearchParams(trees=2), n_jobs=n) for n in (1, 2)]
    assert results[0].moves == results[1].moves
    assert results[0].stopped_by in ("confidence", "iterations")
