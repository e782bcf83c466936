from ._belief import Worlds

class Searcher:
    def __init__(
        self,
        worlds: Worlds,
        seed: int,
        exploration: float = 0.7,
        favour_weight: float = 0.1,
        max_nodes: int = 2_000_000,
    ) -> None: ...
    @property
    def iterations(self) -> int: ...
    @property
    def tree_size(self) -> int: ...
    def run(self, iterations: int) -> None: ...
    def moves(self) -> list[tuple[int, int, int, tuple[float, ...], tuple[float, ...]]]: ...
