"""AI opponents and hints for League of Six: Complete Edition."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._tables import Move
from .assessment import MoveAnalysis, PositionAnalysis, analyse
from .belief import Belief, Hand
from .components import ComponentSet, complete_edition
from .errors import (
    BeliefError,
    ComponentError,
    Fault,
    FaultsError,
    IllegalMoveError,
    LimitError,
    LusatiaError,
    MatchError,
    NotationError,
    ParamsError,
    PlayerError,
    PositionError,
    RecordError,
    SolveError,
    VariantError,
)
from .game_review import Decision, GameReview, Thresholds, review
from .limits import Limit, SearchParams
from .luck import Luck
from .observation import View
from .record import Record
from .rules import Variant
from .search import Analysis, MoveStats, SearchResult, SearchTree, analysis, search
from .solver import MoveValue, RoundValue, Solution, solve
from .state import Result, State

if TYPE_CHECKING:
    from . import arena as arena
    from . import hints as hints
    from . import players as players
    from . import report as report
    from . import svg as svg
    from .client import AsyncEngineClient, EngineClient, EngineError

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "AsyncEngineClient",
    "Belief",
    "BeliefError",
    "ComponentError",
    "ComponentSet",
    "Decision",
    "EngineClient",
    "EngineError",
    "Fault",
    "FaultsError",
    "GameReview",
    "Hand",
    "IllegalMoveError",
    "Limit",
    "LimitError",
    "Luck",
    "LusatiaError",
    "MatchError",
    "Move",
    "MoveAnalysis",
    "MoveStats",
    "MoveValue",
    "NotationError",
    "ParamsError",
    "PlayerError",
    "PositionAnalysis",
    "PositionError",
    "Record",
    "RecordError",
    "Result",
    "RoundValue",
    "SearchParams",
    "SearchResult",
    "SearchTree",
    "Solution",
    "SolveError",
    "State",
    "Thresholds",
    "Variant",
    "VariantError",
    "View",
    "analyse",
    "analysis",
    "arena",
    "complete_edition",
    "hints",
    "players",
    "report",
    "review",
    "search",
    "solve",
    "svg",
]

_SUBMODULES = ("arena", "hints", "players", "report", "svg")
_LATE = {"AsyncEngineClient": "client", "EngineClient": "client", "EngineError": "client"}


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def __getattr__(name: str) -> Any:
    """Submodules, and names in them, that are imported when they are first used."""
    if name in _LATE:
        return getattr(import_module(f".{_LATE[name]}", __name__), name)
    if name in _SUBMODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
