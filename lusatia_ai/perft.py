"""Counting move sequences, and the seeded benchmark whose signature tells whether the forward model has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import _bench
from ._core import StateCore
from .rules import Variant
from .state import State

MOST_DEPTH = 20
UNINTERRUPTED = 4  # decisions that are counted in one call of the core

BENCH_VARIANTS = (
    Variant(humans=3),
    Variant(humans=4),
    Variant(humans=5),
    Variant(humans=6),
    Variant(humans=2, automas=1),
    Variant(humans=2, automas=2, sides="dark", score_automas=True),
    Variant(humans=3, automas=2, chooser_must_contribute=True),
    Variant(humans=2, automas=4, easy=True),
    Variant(humans=4, easy=True, chooser_must_contribute=True, sides="dark"),
    Variant(humans=3, sides={"zittau": "dark", "kamenz": "dark"}, chooser_must_contribute=True),
)


def perft(state: State, depth: int) -> int:
    """The number of sequences of `depth` decisions from here, a standard test of move generators.

    Chance events on the way are drawn by the position's hash, so that the count is the same in every run. A sequence
    ends early where the game does.

    Args:
        state: waits for a decision.
        depth: 0 to 20.
    """
    _check(state, depth)
    return _count(state, depth)


def _count(state: StateCore, depth: int) -> int:
    """Deep counts are split in Python, so that Ctrl-C is heard in between."""
    if depth <= UNINTERRUPTED or state.is_over:
        return _bench.perft(state, depth)
    return sum(_count(_bench.after(state, move.code), depth - 1) for move in state.legal_moves())


def perft_divide(state: State, depth: int) -> dict[str, int]:
    """As `perft`, by the first move, in canonical order; `depth` is at least 1."""
    _check(state, depth, lowest=1)
    return {move.text: _count(_bench.after(state, move.code), depth - 1) for move in state.legal_moves()}


def _check(state: State, depth: int, lowest: int = 0) -> None:
    if not lowest <= depth <= MOST_DEPTH:
        raise ValueError(f"depth is {depth}; allowed: {lowest} to {MOST_DEPTH}")
    if state.seat_to_act is None:
        raise ValueError("perft needs a position that waits for a decision")


@dataclass(frozen=True, slots=True)
class BenchRow:
    """The benchmark of one variant.

    Attributes:
        variant: the variant, played from `State.new(variant, seed=1)`.
        perft: sequences of four decisions.
        signature: over all positions of 200 random games.
        decisions: decisions in the timed random games.
        seconds: that these took.
    """

    variant: Variant
    perft: int
    signature: int
    decisions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Bench:
    """The whole benchmark; the signature is the same on every little-endian machine."""

    rows: tuple[BenchRow, ...]

    @property
    def signature(self) -> str:
        """16 hexadecimal digits over all rows: it changes if any rule does."""
        total = 0
        for row in self.rows:
            total = (total * 0x9E3779B97F4A7C15 + (row.signature ^ row.perft)) % 2**64
        return f"{total:016x}"

    @property
    def decisions(self) -> int:
        return sum(row.decisions for row in self.rows)

    @property
    def seconds(self) -> float:
        return sum(row.seconds for row in self.rows)


def bench(playouts: int = 5_000) -> Bench:
    """Run the benchmark on all its variants, with so many timed random games each."""
    return Bench(tuple(bench_rows(playouts)))


def bench_rows(playouts: int = 5_000) -> Iterator[BenchRow]:
    """The rows of the benchmark one by one, as they get ready."""
    for variant in BENCH_VARIANTS:
        state = State.new(variant, seed=1)
        counted, signature = perft(state, 4), _bench.signature(state, 200, 1)
        decisions, seconds = _bench.time_playouts(state, playouts, 1)
        yield BenchRow(variant, counted, signature, decisions, seconds)
