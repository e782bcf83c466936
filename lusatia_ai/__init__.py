"""AI opponents and hints for League of Six: Complete Edition."""

from ._tables import Move
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
from .limits import Limit, SearchParams
from .observation import View
from .record import Record
from .rules import Variant
from .search import Analysis, MoveStats, SearchResult, SearchTree, analysis, search
from .state import Result, State

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "ComponentError",
    "ComponentSet",
    "Fault",
    "FaultsError",
    "IllegalMoveError",
    "Limit",
    "LimitError",
    "LusatiaError",
    "Move",
    "MoveStats",
    "NotationError",
    "ParamsError",
    "PositionError",
    "Record",
    "RecordError",
    "Result",
    "SearchParams",
    "SearchResult",
    "SearchTree",
    "State",
    "Variant",
    "VariantError",
    "View",
    "analysis",
    "complete_edition",
    "search",
]
