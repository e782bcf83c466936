from collections.abc import Sequence

from ._core import StateCore
from ._tables import Tables

class Worlds:
    @property
    def tables(self) -> Tables: ...
    def __init__(
        self,
        view: StateCore,
        guards: Sequence[tuple[int, int, int]],
        estates: Sequence[int],
        rests: Sequence[Sequence[tuple[int, tuple[int, ...], int]]],
        taken: int,
        exchanges: Sequence[tuple[int, int]],
    ) -> None: ...
    def sample_into(self, state: StateCore, seed: int) -> None: ...
