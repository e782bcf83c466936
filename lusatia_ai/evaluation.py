"""The learned estimate of the final standings between two rounds; see `_evaluation.pyx` for what it adds up.

The weights stand in `data/evaluation.toml`, one section for each number of humans, made by
`benchmarks/learn_evaluation.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from ._evaluation import FEATURE_NAMES, Evaluator
from ._tables import Tables

ROUNDS = 6
Weights = Mapping[str, tuple[float, ...]]


@lru_cache(maxsize=64)
def evaluator_for(tables: Tables) -> Evaluator:
    """The evaluator with the shipped weights for this number of humans, or for the next one that has some."""
    humans = tables.variant.humans
    section = min(_sections(), key=lambda entry: abs(entry["humans"] - humans))
    return make_evaluator(tables, section["weights"], section["temperature"])


def make_evaluator(tables: Tables, weights: Weights, temperatures: tuple[float, ...]) -> Evaluator:
    """An evaluator from weights by name of feature.

    Args:
        tables: the component set and variant.
        weights: for each of `FEATURE_NAMES`, its weight for 0 to 5 rounds completed; features left out weigh nothing.
        temperatures: favour, for 0 to 5 rounds completed.
    """
    unknown = sorted(set(weights) - set(FEATURE_NAMES))
    if unknown:
        raise ValueError(f"unknown features {unknown}; allowed: {', '.join(FEATURE_NAMES)}")
    zeros = (0.0,) * ROUNDS
    columns = [weights.get(name, zeros) for name in FEATURE_NAMES]
    return Evaluator(tables, [tuple(column[i] for column in columns) for i in range(ROUNDS)], temperatures)


@cache
def _sections() -> list[dict[str, Any]]:
    text = resources.files("lusatia_ai.data").joinpath("evaluation.toml").read_text(encoding="utf-8")
    sections: list[dict[str, Any]] = tomllib.loads(text)["evaluation"]
    return sections
