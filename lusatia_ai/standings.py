"""What the games of a match say about its bots: shares of wins, means and ratings, with 95 % intervals.

Games of one block share their draws, so blocks, not games, are taken as independent: standard errors are clustered by
block, and ratings are resampled block by block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, median
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import LusatiaError

if TYPE_CHECKING:
    from .arena import Game

FloatArray = npt.NDArray[np.float64]

LEVEL = 0.95
"""Of all intervals."""
ELO = 400 / math.log(10)
"""Points for each unit of the logarithm of strength, as in the Elo scale."""
RESAMPLES = 100
PRIOR = 0.1
"""Of ratings: keeps them finite for bots that always win or lose; worth about 0.4 wins over each other bot."""


class Estimate(NamedTuple):
    """A number with its 95 % interval; the interval is None where a single block does not tell one."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a bot has done.

    Attributes:
        name: of the bot.
        games: those it took part in.
        win_share: the share of these that it won, all its seats together; a shared win is split.
        even_share: the share that it would win if all players were alike: its share of the seats.
        favour: mean final favour of its seats.
        margin: mean lead in favour of its seats over the best other seat at the table, which may be its own too.
        rank: mean place of its seats, from 1.
        decisions: how many it has made.
        seconds: time for one of them: the median of the games' means, which a machine that pauses does not distort.
    """

    name: str
    games: int
    win_share: Estimate
    even_share: float
    favour: Estimate
    margin: Estimate
    rank: Estimate
    decisions: int
    seconds: float


def standings(games: Sequence[Game]) -> tuple[Standing, ...]:
    """The standings of all bots, the best (by share of wins against the even share) first."""
    names = dict.fromkeys(name for game in games for name in game.seating)
    rows = [_standing(name, [game for game in games if name in game.seating]) for name in names]
    return tuple(sorted(rows, key=lambda row: (-row.win_share.value / row.even_share, row.name)))


def _standing(name: str, games: Sequence[Game]) -> Standing:
    blocks = [game.block for game in games for _ in _seats(game, name)]

    def seat_mean(number: Callable[[Game, int], float]) -> Estimate:
        return estimate(blocks, [number(game, seat) for game in games for seat in _seats(game, name)])

    shares = [sum(seat in game.winners for seat in _seats(game, name)) / len(game.winners) for game in games]
    decisions = sum(game.decisions[seat] for game in games for seat in _seats(game, name))
    seats = [(game, seat) for game in games for seat in _seats(game, name)]
    seconds = [game.seconds[seat] / game.decisions[seat] for game, seat in seats if game.decisions[seat]]
    return Standing(
        name=name,
        games=len(games),
        win_share=estimate([game.block for game in games], shares, share=True),
        even_share=sum(game.seating.count(name) / len(game.seating) for game in games) / len(games),
        favour=seat_mean(lambda game, seat: game.favour[seat]),
        margin=seat_mean(_margin),
        rank=seat_mean(lambda game, seat: game.ranks[seat]),
        decisions=decisions,
        seconds=median(seconds) if seconds else 0.0,
    )


def _seats(game: Game, name: str) -> list[int]:
    return [seat for seat, bot in enumerate(game.seating) if bot == name]


def _margin(game: Game, seat: int) -> float:
    return game.favour[seat] - max(favour for other, favour in enumerate(game.favour) if other != seat)


# --- intervals --------------------------------------------------------------------------------------


def estimate(blocks: Sequence[int], values: Sequence[float], share: bool = False) -> Estimate:
    """The mean of values that come in blocks, which need not be of one size, and its 95 % interval.

    Args:
        blocks: the block of each value.
        values: at least one.
        share: the values lie between 0 and 1, and so shall the interval: Wilson's, for as many independent trials as
            the standard error stands for.
    """
    _, index = np.unique(blocks, return_inverse=True)
    sums, sizes = np.bincount(index, weights=values), np.bincount(index)
    value = float(sums.sum() / sizes.sum())
    count = len(sums)
    if count < 2:
        return Estimate(value, None, None)
    rest = sums - value * sizes
    error = math.sqrt(count / (count - 1) * float(rest @ rest)) / float(sizes.sum())
    quantile = _student(count - 1)
    if share:
        return _wilson(value, error, count, quantile)
    return Estimate(value, value - quantile * error, value + quantile * error)


def _wilson(value: float, error: float, blocks: int, quantile: float) -> Estimate:
    spread = value * (1 - value)
    trials = spread / error**2 if spread > 0 and error > 0 else blocks
    shrink = 1 + quantile**2 / trials
    middle = (value + quantile**2 / (2 * trials)) / shrink
    half = quantile / shrink * math.sqrt(spread / trials + quantile**2 / (4 * trials**2))
    low = max(0.0, middle - half) if value > 0 else 0.0
    return Estimate(value, low, min(1.0, middle + half) if value < 1 else 1.0)


def _student(freedom: int) -> float:
    """The quantile of Student's t distribution that a 95 % interval takes (Abramowitz and Stegun 26.7.5)."""
    z: float = NormalDist().inv_cdf((1 + LEVEL) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return sum((term / freedom**power for power, term in enumerate(terms, start=1)), start=z)


# --- ratings ----------------------------------------------------------------------------------------


def ratings(games: Sequence[Game], seed: int = 0) -> Mapping[str, Estimate]:
    """Plackett-Luce ratings in Elo points around 0: 200 points more finish ahead in 76 of 100 games.

    Fitted to the whole rankings of all games at once (Maystre and Grossglauser 2015, as choix does it); the intervals
    are from a bootstrap over blocks. If some bots have always finished ahead of all others, nothing but a weak prior
    keeps their ratings finite, and there are no intervals.

    Args:
        seed: of the bootstrap, and of the order in which tied seats are taken.

    Raises:
        LusatiaError: if the library choix is missing.
    """
    choix = _choix()
    names = list(dict.fromkeys(name for game in games for name in game.seating))
    if len(names) < 2:
        return {name: Estimate(0.0, None, None) for name in names}
    rng = np.random.default_rng(seed)
    blocks: dict[int, list[list[int]]] = {}
    for game in games:
        blocks.setdefault(game.block, []).append(_ranking(game, names, rng))
    drawn = list(blocks.values())

    def fit(chosen: Iterable[list[list[int]]], start: FloatArray | None, tol: float) -> FloatArray:
        rankings = [ranking for block in chosen for ranking in block]
        strengths: FloatArray = choix.ilsr_rankings(len(names), rankings, PRIOR, initial_params=start, tol=tol)
        return np.asarray(strengths - strengths.mean())

    best = fit(drawn, None, 1e-6)
    if len(drawn) < 2 or not _comparable(len(names), [ranking for block in drawn for ranking in block]):
        return {name: Estimate(ELO * strength, None, None) for name, strength in zip(names, best.tolist(), strict=True)}
    resamples = rng.integers(len(drawn), size=(RESAMPLES, len(drawn)))
    again = [fit([drawn[index] for index in sample], best, 1e-3) for sample in resamples]
    halves = _student(len(drawn) - 1) * np.std(again, axis=0, ddof=1)
    return {
        name: Estimate(ELO * strength, ELO * (strength - half), ELO * (strength + half))
        for name, strength, half in zip(names, best.tolist(), halves.tolist(), strict=True)
    }


def _ranking(game: Game, names: Sequence[str], rng: np.random.Generator) -> list[int]:
    """The bots in the order of their places; tied seats come in a random order."""
    seats = sorted(rng.permutation(len(game.seating)).tolist(), key=lambda seat: game.ranks[seat])
    return [names.index(game.seating[seat]) for seat in seats]


def _comparable(count: int, rankings: Iterable[Sequence[int]]) -> bool:
    """Whether each bot has been ahead of each other, directly or by a chain of others: then strengths are finite."""
    ahead = np.eye(count, dtype=bool)
    for ranking in rankings:
        for place, bot in enumerate(ranking):
            ahead[bot, ranking[place:]] = True
    for _ in range(count):
        ahead = ahead @ ahead
    return bool(ahead.all())


def _choix() -> ModuleType:
    try:
        import choix
    except ImportError:
        raise LusatiaError("ratings need the library choix; install it with: pip install 'lusatia-ai[arena]'") from None
    module: ModuleType = choix
    return module
