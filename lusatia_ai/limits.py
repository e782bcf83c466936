"""When a search stops, and how it searches: `Limit` and `SearchParams`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ._search import ALGORITHMS, BACKUPS, CHANCE_NODES, NODE_SIZE, PLAYOUTS, SELECTIONS
from .errors import Fault, LimitError, ParamsError

TASTES = ("bid", "guards", "symbols")
LEAST_MEMORY = 65_536
MOVING = 4
"""Bytes that a node takes besides while a tree is moved on to the next decision."""


def _number(low: float, high: float) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search stops: at the first of these that is reached. Without any, after one second.

    Attributes:
        time: seconds, from 0.001 to 86,400.
        iterations: simulated games, from 1 to 10**9.
        memory: bytes that the trees may take, from 65,536. Whatever is given here, the trees never grow beyond
            `SearchParams.memory`; but only this limit ends the search there.
        confidence: the search stops when it is so sure that no other move is better than its best one, from 0.5 to
            0.9999. By the standard errors of the mean win shares, whatever a deeper search would see.
    """

    time: float | None = None
    iterations: int | None = None
    memory: int | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        checks = (
            ("time", _number(0.001, 86_400), "seconds from 0.001 to 86400"),
            ("iterations", _whole(1, 10**9), "a whole number from 1 to 1000000000"),
            ("memory", _whole(LEAST_MEMORY, 2**40), f"bytes, a whole number from {LEAST_MEMORY} to {2**40}"),
            ("confidence", _number(0.5, 0.9999), "a number from 0.5 to 0.9999"),
        )
        faults = _faults(self, checks, optional=True)
        if faults:
            raise LimitError(faults)


@dataclass(frozen=True, slots=True)
class SearchParams:
    """How the search goes about it. The defaults are what measured best; `docs/search-notes.md` says what was tried.

    Attributes:
        algorithm: "so" (one tree of moves, SO-ISMCTS), "mo" (a tree for each seat, MO-ISMCTS), both of Cowling, Powley
            and Whitehouse (2012), or "determinized" (perfect-information Monte Carlo over `worlds` fixed worlds).
        selection: "ucb" (UCB1 with availability counts), "ucb_tuned" (UCB1-tuned) or "puct" (with the rule-based policy
            as a prior).
        exploration: the constant of the selection formula, for utilities of about 0 to 1; 0 to 10.
        backup: "maxn" (every seat wants its own utility), "paranoid" (the others want the searcher to fail) or "own"
            (the others want favour).
        win, favour, rank: weights of win share (shared wins split), favour margin over the best rival (0.01 a point)
            and final rank in the utility; 0 to 1, normalised to add up to 1.
        playout: "greedy" (the rule-based policy), "uniform" (random moves) or "mast" (moves that did well anywhere).
        epsilon: share of random moves in "greedy" and "mast" playouts, 0 to 1.
        horizon: rounds that are looked ahead, the present one included, before the standings are estimated; 0 to 6, 0
            meaning the end of the game.
        chance_nodes: "none" (open loop), "automa" (branch on automa draws) or "all" (on round set-ups too).
        prior_temperature: favour; how much the prior spreads over worse moves; 0.05 to 100.
        widening: if above 0, a position with n visits shows at most 1 + widening * sqrt(n) of its moves, in the order
            of the prior; 0 to 100.
        history: weight of what a move did anywhere in the tree (progressive history); 0 to 10.
        worlds: fixed worlds for each tree of "determinized"; 1 to 64.
        trees: independent trees, whose results are added up (root parallelism); 1 to 64. Results depend on it, not on
            the number of workers.
        memory: bytes that all trees together never exceed; they stop growing, and the search goes on.
        solve: positions that the exact solver may try before the search, from the last round's tax collection on and
            where all hands are known: nothing is left to chance there, and the best move can be found for sure. At most
            20 for each iteration of the limit, and half of its time; 0: none; at most 10**9.
        taste: favour that the searcher imagines for each place back in the order ("bid"), guard ("guards") and estate
            symbol ("symbols") it has at the horizon: styles of play; -10 to 10.
    """

    algorithm: str = "so"
    selection: str = "puct"
    exploration: float = 0.3
    backup: str = "maxn"
    win: float = 0.9
    favour: float = 0.1
    rank: float = 0.0
    playout: str = "greedy"
    epsilon: float = 0.2
    horizon: int = 1
    chance_nodes: str = "none"
    prior_temperature: float = 1.0
    widening: float = 0.0
    history: float = 0.0
    worlds: int = 8
    trees: int = 1
    memory: int = 256 * 2**20
    solve: int = 5_000_000
    taste: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        share = (_number(0, 1), "a number from 0 to 1")
        checks = (
            ("algorithm", ALGORITHMS.__contains__, f"one of {', '.join(ALGORITHMS)}"),
            ("selection", SELECTIONS.__contains__, f"one of {', '.join(SELECTIONS)}"),
            ("exploration", _number(0, 10), "a number from 0 to 10"),
            ("backup", BACKUPS.__contains__, f"one of {', '.join(BACKUPS)}"),
            ("win", *share),
            ("favour", *share),
            ("rank", *share),
            ("playout", PLAYOUTS.__contains__, f"one of {', '.join(PLAYOUTS)}"),
            ("epsilon", *share),
            ("horizon", _whole(0, 6), "rounds, a whole number from 0 to 6"),
            ("chance_nodes", CHANCE_NODES.__contains__, f"one of {', '.join(CHANCE_NODES)}"),
            ("prior_temperature", _number(0.05, 100), "favour, a number from 0.05 to 100"),
            ("widening", _number(0, 100), "a number from 0 to 100"),
            ("history", _number(0, 10), "a number from 0 to 10"),
            ("worlds", _whole(1, 64), "a whole number from 1 to 64"),
            ("trees", _whole(1, 64), "a whole number from 1 to 64"),
            ("memory", _whole(LEAST_MEMORY, 2**40), f"bytes, a whole number from {LEAST_MEMORY} to {2**40}"),
            ("solve", _whole(0, 10**9), "a whole number from 0 to 1000000000"),
        )
        faults = _faults(self, checks)
        if not faults and self.win + self.favour + self.rank <= 0:
            faults.append(Fault("win, favour, rank", "all 0", "at least one weight above 0"))
        faults += _taste_faults(self.taste)
        if faults:
            raise ParamsError(faults)
        object.__setattr__(self, "taste", MappingProxyType(dict(self.taste)))

    def settings(self) -> dict[str, Any]:
        """The fields of the C struct `Settings`."""
        total = self.win + self.favour + self.rank
        return {
            "algorithm": ALGORITHMS.index(self.algorithm),
            "selection": SELECTIONS.index(self.selection),
            "backup": BACKUPS.index(self.backup),
            "playout": PLAYOUTS.index(self.playout),
            "chance_nodes": CHANCE_NODES.index(self.chance_nodes),
            "horizon": self.horizon,
            "worlds": self.worlds,
            "exploration": self.exploration,
            "win_weight": self.win / total,
            "favour_weight": self.favour / total,
            "rank_weight": self.rank / total,
            "prior_temperature": self.prior_temperature,
            "epsilon": self.epsilon,
            "widening": self.widening,
            "history": self.history,
            "taste": [self.taste.get(name, 0.0) for name in TASTES],
        }

    def nodes_for(self, limit: Limit) -> int:
        """Nodes that each tree may have."""
        most = self.memory if limit.memory is None else min(self.memory, limit.memory)
        return min(most // self.trees // (NODE_SIZE + MOVING), 2**31 - 1)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return _params_from, (values | {"taste": dict(self.taste)},)


def _params_from(values: dict[str, Any]) -> SearchParams:
    return SearchParams(**values)


Check = tuple[str, Callable[[Any], bool], str]


def _faults(values: Any, checks: tuple[Check, ...], optional: bool = False) -> list[Fault]:
    found = ((name, getattr(values, name), allowed, holds) for name, holds, allowed in checks)
    return [
        Fault(name, repr(value), allowed)
        for name, value, allowed, holds in found
        if not (optional and value is None) and not (_hashable(value) and holds(value))
    ]


def _hashable(value: Any) -> bool:
    return getattr(value, "__hash__", None) is not None


def _taste_faults(taste: Any) -> list[Fault]:
    if not isinstance(taste, Mapping):
        return [Fault("taste", repr(taste), f"a mapping with {', '.join(TASTES)}")]
    faults = [Fault(f"taste.{name}", "it", f"one of {', '.join(TASTES)}") for name in taste if name not in TASTES]
    holds = _number(-10, 10)
    return faults + [
        Fault(f"taste.{name}", repr(value), "favour, a number from -10 to 10")
        for name, value in taste.items()
        if name in TASTES and not holds(value)
    ]
