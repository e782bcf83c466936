"""AI opponents, hints, analysis and an exact solver for League of Six: Complete Edition."""

from ._tables import Move
from .components import ComponentSet, complete_edition
from .errors import (
    ComponentError,
    Fault,
    FaultsError,
    IllegalMoveError,
    LusatiaError,
    NotationError,
    PositionError,
    RecordError,
    VariantError,
)
from .rules import Variant
from .state import Result, State

__version__ = "0.1.0"
