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
    PositionError,
    RecordError,
    SolveError,
    VariantError,
)
from .observation import View
from .record import Record
from .rules import Variant
from .search import Limit, MoveStats, SearchResult, search
from .solver import MoveValue, RoundValue, Solution, solve
from .state import Result, State

__version__ = "0.1.0"

__all__ = [
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
    "MoveValue",
    "NotationError",
    "PositionError",
    "Record",
    "RecordError",
    "Result",
    "RoundValue",
    "SearchResult",
    "Solution",
    "SolveError",
    "State",
    "Variant",
    "VariantError",
    "View",
    "complete_edition",
    "search",
    "solve",
]
