from collections.abc import Sequence
from typing import Any, Final

from ._belief import Worlds
from ._evaluation import Evaluator

ALGORITHMS: Final[tuple[str, ...]]
SELECTIONS: Final[tuple[str, ...]]
BACKUPS: Final[tuple[str, ...]]
PLAYOUTS: Final[tuple[str, ...]]
CHANCE_NODES: Final[tuple[str, ...]]
NODE_SIZE: Final[int]

class Searcher:
    def __init__(
        self,
        worlds: Worlds,
        evaluator: Evaluator,
        observer: int,
        seed: int,
        settings: dict[str, Any],
        max_nodes: int,
        only: tuple[int, ...] | None = None,
    ) -> None: ...
    @property
    def iterations(self) -> int: ...
    @property
    def reused(self) -> int: ...
    @property
    def tree_size(self) -> int: ...
    @property
    def full(self) -> bool: ...
    def run(self, iterations: int, until_full: bool = False) -> None: ...
    def moves(self) -> dict[int, tuple[int, int, float, int, tuple[tuple[float, ...], ...]]]: ...
    def line(self, code: int) -> list[tuple[int, int]]: ...
    def advance(self, played: Sequence[tuple[int, int]], worlds: Worlds) -> bool: ...
