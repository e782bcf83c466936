"""Why a move is good, in plain sentences made from an analysis: `explain`.

Every sentence states something that the analysis or the forward model has found: what the move changes at once, what it
costs, whom it hurts against the next best, what is likely to follow, what else there is, and how sure all that is.

>>> import lusatia_ai as la
>>> from lusatia_ai.hints import explain
>>> state = la.State.new(seed=7)
>>> explanation = explain(la.analyse(state, la.Limit(iterations=500), seed=1), state)
>>> explanation.sentences[-1].partition(",")[0]
"Win shares are seat 0's"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from ._tables import Move
from .assessment import MoveAnalysis, PositionAnalysis, child_seed, sample_worlds
from .errors import LusatiaError
from .observation import View
from .search import Observation, SearchResult, as_view
from .show import counted, move_words, player_name, token_words
from .state import State

CLEAR_GAP = 0.02
"""Win share by which a clearly best move is ahead."""
SMALL_GAP = 0.01
"""Win share that hardly matters."""
FEW_GAMES = 30
"""A value that rests on fewer is no basis for a sentence."""
WORLDS = 12
"""Worlds that a view allows in which a sentence must hold."""
MOST_DRAWS = 100
"""Times that such worlds are drawn until the move is legal in one of them."""
MOST_REPLIES = 3
MOST_EQUALS = 3

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What can be said about a move.

    Attributes:
        move: which.
        sureness: "only move", "only one tried", "exact", "clearly best", "probably best", "about as good" (as others)
            or "worse".
        sentences: in order; each stands on its own.
    """

    move: Move
    sureness: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.sentences)


def explain(
    analysis: PositionAnalysis | SearchResult,
    view_or_state: View | State,
    *,
    move: Move | str | None = None,
    names: Sequence[str] | None = None,
) -> Explanation:
    """Explain a move.

    Args:
        analysis: of the position; a search's result will do too.
        view_or_state: what was analysed.
        move: which; by default the best one.
        names: of all players; by default `seat 0` and so on.

    Raises:
        KeyError: if the analysis does not know the move, or no world was found in which it is legal.
        LusatiaError: if there are too few names.
    """
    players = view_or_state.variant.players
    if names is not None and len(names) < players:
        raise LusatiaError(f"names: found {len(names)}; allowed: {players}, one for each player")
    if isinstance(analysis, SearchResult):
        analysis = PositionAnalysis.of_search(analysis)
    entry = analysis.moves[0] if move is None else analysis[move]
    return _Explainer(analysis, entry, view_or_state, names).explanation()


def percent(share: float) -> str:
    """`12.3 %`."""
    return f"{100 * share:.1f} %"


class _Explainer:
    """Makes the sentences about one move."""

    def __init__(
        self, analysis: PositionAnalysis, entry: MoveAnalysis, view_or_state: View | State, names: Sequence[str] | None
    ) -> None:
        self.analysis, self.entry, self.names = analysis, entry, names
        self.seat = analysis.seat
        self.position = view_or_state.to_json()
        self.others = [other for other in analysis.moves if other is not entry]
        worlds = _worlds_with(entry.move, as_view(view_or_state))
        self.pairs = [(world, world.clone().apply(entry.move)) for world in worlds]
        self.before, self.after = self.pairs[0]
        self.hidden = {seat for seat, player in enumerate(self.position["players"]) if player.get("guards", 0) is None}

    def explanation(self) -> Explanation:
        sureness = self.sureness()
        parts = (
            self.verdict(sureness), self.gains(), self.costs(), self.rivals(), self.hurt(), self.replies(),
            self.alternative(sureness), self.scale(sureness),
        )  # fmt: skip
        return Explanation(self.entry.move, sureness, tuple(part for part in parts if part))

    # how sure it is

    def sureness(self) -> str:
        if not self.others:
            return "only move" if all(len(before.legal_moves()) == 1 for before, _ in self.pairs) else "only one tried"
        if self.entry is not self.analysis.moves[0]:
            return "about as good" if self.equal(self.entry) else "worse"
        if self.analysis.solved:
            return "exact"
        rival = min(self.others, key=lambda other: other.loss)
        if self.equal(rival):
            return "about as good"
        if self.analysis.exact:
            return "exact"
        tried = [other for other in self.others if self.looked_into(other)]
        surely = bool(tried) and all(other.loss >= 2 * other.loss_stderr for other in tried)
        return "clearly best" if rival.loss >= CLEAR_GAP and surely else "probably best"

    def equal(self, other: MoveAnalysis) -> bool:
        """Whether a move is about as good as the best: the difference is small, or may be chance."""
        if self.analysis.exact:
            return other.loss == 0
        return other.loss < SMALL_GAP or (self.looked_into(other) and other.loss < other.loss_stderr)

    def looked_into(self, other: MoveAnalysis) -> bool:
        return other.exact or other.iterations >= FEW_GAMES

    def verdict(self, sureness: str) -> str:
        words = self.words(self.entry.move)
        value = self.measured(self.entry)
        if sureness == "only move":
            return f"{_capital(words)}: it is the only move, with a win share of {value}."
        if sureness == "only one tried":
            return f"{_capital(words)}: a win share of {value}; there was no time to try another move."
        if sureness == "worse":
            best = self.analysis.moves[0]
            better = f"{percent(self.entry.loss)} less than to {self.brief(best.move)} ({self.measured(best)})"
            return f"{_capital(words)} gives {self.who(self.seat)} a win share of {value}, {better}."
        if sureness == "about as good":
            equals = [other for other in self.others if self.equal(other)]
            listed = _listed([self.brief(other.move) for other in equals[:MOST_EQUALS]], "or to")
            left = len(equals) - MOST_EQUALS
            more = f", or {counted(left, 'more move')}" if left > 0 else ""
            return f"{_capital(words)}: a win share of {value}, about as good as to {listed}{more}."
        judged = "the best move, and that is exact" if sureness == "exact" else f"{sureness}"
        return f"{_capital(words)}: {judged}, with a win share of {value} for {self.who(self.seat)}."

    def measured(self, entry: MoveAnalysis) -> str:
        value = percent(entry.value[self.seat])
        return f"{value} (exact)" if entry.exact else f"{value} ± {percent(entry.stderr[self.seat])}"

    # what happens at once

    def gains(self) -> str:
        gained = [words for amount, words in self.certain_changes if amount > 0]
        tokens = [" ".join(self.token(token)) for token in self.new_tokens()]
        gained += [f"the companion {token}" for token in tokens]
        return f"At once it brings {_listed(gained, 'and')}." if gained else ""

    def costs(self) -> str:
        lost = [words for amount, words in self.certain_changes if amount < 0]
        return f"It costs {_listed(lost, 'and')}." if lost else ""

    @cached_property
    def certain_changes(self) -> list[tuple[int, str]]:
        """The changes that are the same in all worlds: how much is paid in guards may depend on hidden ones."""
        return _common([list(self.changes(before, after)) for before, after in self.pairs])

    def changes(self, before: State, after: State) -> Iterator[tuple[int, str]]:
        """(change, amount in words) of what the deciding seat has, as far as the rules do not clear it away."""
        mine, mine_after = (state.to_json()["players"][self.seat] for state in (before, after))
        pairs = [("favour", mine["favour"], mine_after["favour"]), ("guards", mine["guards"], mine_after["guards"])]
        pairs += [(f"{estate} symbols", n, mine_after["estates"][estate]) for estate, n in mine["estates"].items()]
        if after.round == before.round and after.stage == before.stage:
            pairs += [(f"{colour} pieces", n, mine_after["goods"][colour]) for colour, n in mine["goods"].items()]
            pairs.append(("horses", mine["horses"], mine_after["horses"]))
        for name, had, has in pairs:
            if had != has:
                amount = abs(has - had)
                single = name if name == "favour" else name.removesuffix("s")
                yield has - had, f"{amount:g} {single if amount == 1 else name}"

    def new_tokens(self) -> list[str]:
        held, now = (state.to_json()["players"][self.seat]["companions"] for state in (self.before, self.after))
        return [token for token in now if token not in held]

    def token(self, token: str) -> tuple[str, str]:
        name, words = token_words(self.before.components, token)
        return name, f"({words})"

    def rivals(self) -> str:
        """What it changes at once for others, as far as the seat can know that: in all worlds alike."""
        words = _common([self.changes_for_others(before, after) for before, after in self.pairs])
        return f"It means {_listed(words, 'and')}." if words else ""

    def changes_for_others(self, before: State, after: State) -> list[str]:
        words = [
            f"{new - old:+d} favour for {self.who(seat)}"
            for seat, (old, new) in enumerate(zip(before.favour, after.favour, strict=True))
            if seat != self.seat and old != new
        ]
        players = zip(before.to_json()["players"], after.to_json()["players"], strict=True)
        for seat, (mine, then) in enumerate(players):
            visible = seat != self.seat and seat not in self.hidden and mine["kind"] == "human"
            if visible and mine["guards"] != then["guards"]:
                change = then["guards"] - mine["guards"]
                words.append(f"{change:+d} {'guard' if abs(change) == 1 else 'guards'} for {self.who(seat)}")
        return words

    # what follows

    def hurt(self) -> str:
        """Whose win share suffers most, against the next best move."""
        tried = [other for other in self.others if self.looked_into(other)]
        if not tried or len(self.entry.value) < 3:
            return ""
        other = min(tried, key=lambda entry: entry.loss)
        if not self.analysis.exact and abs(self.entry.loss - other.loss) < other.loss_stderr:
            return ""  # what may be chance is no basis for saying whom it hurts
        changes = [mine - theirs for mine, theirs in zip(self.entry.value, other.value, strict=True)]
        rivals = [seat for seat in range(len(changes)) if seat != self.seat]
        worst, best = min(rivals, key=changes.__getitem__), max(rivals, key=changes.__getitem__)
        found = []
        if changes[worst] <= -SMALL_GAP:
            found.append(
                f"takes most from {self.who(worst)} ({percent(-changes[worst])} of {self.who(worst)}'s win share)"
            )
        if changes[best] >= SMALL_GAP:
            found.append(f"helps {self.who(best)} most ({percent(changes[best])})")
        return f"Compared with the choice to {self.brief(other.move)}, it {' and '.join(found)}." if found else ""

    def replies(self) -> str:
        """The principal variation, as far as no chance comes between and it is legal in all worlds."""
        states, told = [after.clone() for _, after in self.pairs], list[str]()
        for move in self.entry.line[1:]:
            seat = states[0].seat_to_act
            legal = all(state.seat_to_act == seat and state.is_legal(move) for state in states if seat is not None)
            if seat is None or len(told) == MOST_REPLIES or not legal:
                break
            if any(len(state.legal_moves()) > 1 for state in states):
                told.append(f"{self.who(seat)}: {brief_words(states[0].to_json(), move.text, self.names)}")
            for state in states:
                state.apply(move)
        return f"Likely next: {'; '.join(told)}." if told else ""

    def alternative(self, sureness: str) -> str:
        """The best of the moves that are not about as good."""
        if sureness == "worse":
            best = self.analysis.moves[0].favour[self.seat]
            return f"At the end it gives {self.entry.favour[self.seat]:.1f} favour, the better move {best:.1f}."
        rest = [other for other in self.others if not self.equal(other)]
        if not rest:
            return ""
        rest = [entry for entry in rest if self.looked_into(entry)]
        if not rest:
            return "The other moves looked so much worse that they were hardly tried."
        other = min(rest, key=lambda entry: entry.loss)
        return f"To {self.brief(other.move)} instead gives {self.measured(other)}: {self.gap(self.entry, other)}"

    def gap(self, better: MoveAnalysis, worse: MoveAnalysis) -> str:
        share = better.value[self.seat] - worse.value[self.seat]
        favour = better.favour[self.seat] - worse.favour[self.seat]
        more = f"{max(favour, 0):.1f} less favour" if favour > -0.05 else f"but {-favour:.1f} more favour"
        return f"{_capital(percent(share))} less win share, and {more} at the end.".replace("and but", "but")

    def scale(self, sureness: str) -> str:
        whose = f"Win shares are {self.whose}, 0 % to 100 %, a shared win split"
        if self.analysis.exact:
            return f"{whose}; they are exact."
        games = f"{self.analysis.iterations:,} simulated games"
        return f"{whose}; they rest on {games}, and ± is one standard error."

    # words

    @property
    def whose(self) -> str:
        return f"{self.who(self.seat)}'s"

    def who(self, player: int) -> str:
        return player_name(self.position, player, self.names)

    def words(self, move: Move) -> str:
        words = move_words(self.position, move.text, self.names)
        return f"collect {words}" if move.text.startswith("collect:") else words

    def brief(self, move: Move) -> str:
        return brief_words(self.position, move.text, self.names)


def _common(lists: Sequence[list[_T]]) -> list[_T]:
    """What is in all of the lists, in the order of the first."""
    first, *others = lists
    return [entry for entry in first if all(entry in other for other in others)]


def _worlds_with(move: Move, view: Observation) -> list[State]:
    """Worlds in which the move is legal, up to `WORLDS`: another seat's high bid may need many guards."""
    for draw in range(MOST_DRAWS):
        worlds = [world for world in sample_worlds(view, child_seed(draw)) if world.is_legal(move)]
        if worlds:
            return worlds[:WORLDS]
    raise KeyError(str(move))


def brief_words(position: Mapping[str, Any], move: str, names: Sequence[str] | None = None) -> str:
    """What a move means, as an order, in few words: `fill royal row 2`, `go to Zittau and stand at 0`."""
    kind, _, argument = move.partition(":")
    if kind == "row":
        return "fill {} row {}".format(*argument.split(":"))
    words = move_words(position, move, names)
    return f"collect {words}" if kind == "collect" else words.partition(" (")[0]


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _listed(words: Sequence[str], last: str) -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


__all__ = ["Explanation", "brief_words", "explain", "percent"]
