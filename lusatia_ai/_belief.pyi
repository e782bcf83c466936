from collections.abc import Sequence
from typing import Any

from ._core import StateCore
from ._tables import Tables

class Worlds:
    @property
    def tables(self) -> Tables: ...
    @property
    def certain(self) -> bool: ...
    def __init__(
        self,
        view: StateCore,
        guards: Sequence[tuple[int, int, int, Sequence[float], float]],
        estates: Sequence[tuple[int, int]],
        rests: Sequence[tuple[float, Sequence[int], Sequence[Sequence[int]], int]],
        held: Sequence[float],
        taken: int,
        exchanges: Sequence[tuple[int, int]],
        hand_over_all: float,
    ) -> None: ...
    @staticmethod
    def of_particles(
        states: Sequence[StateCore],
        weights: Sequence[float],
        exchanges: Sequence[tuple[int, int]] = ...,
        hand_over_all: float = ...,
    ) -> Worlds: ...
    def sample_into(self, state: StateCore, seed: int) -> None: ...

def rebuild_worlds(tables: Tables, source: bytes, arrays: tuple[Any, ...]) -> Worlds: ...
