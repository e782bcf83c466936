"""AI opponents and hints for League of Six: Complete Edition."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._tables import Move
from .assessment import MoveAnalysis, PositionAnalysis, analyse
from .components import ComponentSet, complete_edition
from .errors import (
    ComponentError,
    Fault,
    FaultsError,
    IllegalMoveError,
    LimitError,
    LusatiaError,
    NotationError,
    ParamsError,
    PositionError,
    RecordError,
    VariantError,
)
from .game_review import Decision, GameReview, Thresholds, review
from .limits import Limit, SearchParams
from .luck import Luck
from .observation import View
from .record import Record
from .rules import Variant
from .search import Analysis, MoveStats, SearchResult, SearchTree, analysis, search
from .state import Result, State

if TYPE_CHECKING:
    from . import hints, report, svg

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "ComponentError",
    "ComponentSet",
    "Decision",
    "Fault",
    "FaultsError",
    "GameReview",
    "IllegalMoveError",
    "Limit",
    "LimitError",
    "Luck",
    "LusatiaError",
    "Move",
    "MoveAnalysis",
    "MoveStats",
    "NotationError",
    "ParamsError",
    "PositionAnalysis",
    "PositionError",
    "Record",
    "RecordError",
    "Result",
    "SearchParams",
    "SearchResult",
    "SearchTree",
    "State",
    "Thresholds",
    "Variant",
    "VariantError",
    "View",
    "analyse",
    "analysis",
    "complete_edition",
    "hints",
    "report",
    "review",
    "search",
    "svg",
]

_LATER = ("hints", "report", "svg")
"""Modules that are imported when they are first used, since they take longer."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
