"""Makes `data/small_ends.jsonl.gz`: ends of games with the value of every move, by trying everything.

`python tests/make_small_ends.py` plays games, rule-based and random moves mixed, and goes back from their ends for as
long as `exhaustive.truth` can try everything. Of each game it keeps the earliest decision that is clear, and one
drawn from all of them with favour changed so that it decides who wins: in most games that is settled earlier. It
prints how many decisions were dropped, and why; the first line of the file repeats it.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from exhaustive import CLEAR, FAVOUR, WIN, TooLargeError, Truth, hidden_choices, truth

import lusatia_ai as la
from lusatia_ai._policy import policy_move
from lusatia_ai.evaluation import evaluator_for

FILE = Path(__file__).with_name("data") / "small_ends.jsonl.gz"
WANTED = 300
MOST = 4000
"""Positions that are tried for one decision."""
DECISIVE = 0.1
"""Utility that a decision must be worth to decide a game: much more than favour alone can bring."""
RANDOM_MOVES = (0.1, 0.4, 1.0)
"""Shares of random moves, one game after the other."""
VARIANTS = (
    la.Variant(2, 1),
    la.Variant(3),
    la.Variant(4),
    la.Variant(3, chooser_must_contribute=True),
    la.Variant(2, 2, sides="dark"),
    la.Variant(3, easy=True),
    la.Variant(3, 1, score_automas=True),
    la.Variant(4, sides="dark", chooser_must_contribute=True),
    la.Variant(5),
    la.Variant(2, 1, easy=True),
)


def last_decisions(seed: int) -> list[la.State]:
    """The decisions with a choice after the town selection of round 6, in the order of one game."""
    state = la.State.new(VARIANTS[seed % len(VARIANTS)], seed=seed)
    rng, evaluator = random.Random(seed), evaluator_for(state.tables)
    share = RANDOM_MOVES[seed // len(VARIANTS) % len(RANDOM_MOVES)]
    decisions = []
    while not state.is_over:
        moves = state.legal_moves()
        if state.round == 6 and state.stage != "town_selection" and len(moves) > 1:
            decisions.append(state.clone())
        if rng.random() < share:
            state.apply(rng.choice(moves))
        else:
            state.apply_code(policy_move(state, evaluator, rng.getrandbits(32)))
    return decisions


def clear_decisions(seed: int, dropped: Counter[str]) -> list[tuple[la.State, Truth]]:
    """Those of one game that can be tried out and have clear best moves, latest first."""
    found = []
    for state in reversed(last_decisions(seed)):
        if hidden_choices(state):
            dropped["two seats will hand over guards unseen"] += 1
            break
        try:
            known = truth(state, MOST)
        except TooLargeError:
            dropped["games whose earlier decisions are too large"] += 1
            break
        if len(known.best) == len(known.values):
            dropped["all moves are equal"] += 1
        elif not known.clear:
            dropped["not clear"] += 1
        else:
            found.append((state, known))
    return found


def levelled(state: la.State, seed: int) -> la.State:
    """The same position with favour such that best play ends within two points: the decision may decide the game."""
    rng, end = random.Random(seed), state.clone()
    while not end.is_over:
        end.apply(truth(end, MOST).best[0])
    data = state.to_json()
    for seat, final in enumerate(end.favour):
        data["players"][seat]["favour"] += max(end.favour) - final + rng.randrange(3)
    return la.State.from_json(data, chance="manual")


def decisive(found: list[tuple[la.State, Truth]], seed: int, dropped: Counter[str]) -> tuple[la.State, Truth] | None:
    """One of these decisions, made to decide the game."""
    rng = random.Random(seed)
    for state, _ in rng.sample(found, len(found)):
        even = levelled(state, seed)
        known = truth(even, MOST)
        if known.clear and known.gap >= DECISIVE:
            return even, known
        dropped["levelled, and not clear or not decisive"] += 1
    return None


def entries(dropped: Counter[str]) -> Iterator[dict[str, Any]]:
    seed = 0
    while True:
        found = clear_decisions(seed, dropped)
        dropped["clear, but later in the same game"] += max(0, len(found) - 1)
        for kind, pair in (("as played", found[-1] if found else None), ("levelled", decisive(found, seed, dropped))):
            if pair is not None:
                yield entry(seed, kind, *pair)
        seed += 1


def entry(seed: int, kind: str, state: la.State, known: Truth) -> dict[str, Any]:
    return {
        "game": seed,
        "favour": kind,
        "position": state.to_json(),
        "best": list(known.best),
        "values": {move: [round(value, 6) for value in bounds] for move, bounds in known.values.items()},
        "tried": known.positions,
    }


def main() -> int:
    dropped: Counter[str] = Counter()
    source = entries(dropped)
    kept = [next(source) for _ in range(WANTED)]
    head = {
        "what": "decisions near the end of the game; by move the least and the most utility for the seat to act",
        "how": f"tests/make_small_ends.py, by max^n over at most {MOST} positions",
        "utility": {"win": WIN, "favour": FAVOUR},
        "clear": CLEAR,
        "decisions": len(kept),
        "dropped": dict(sorted(dropped.items())),
    }
    text = "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in [head, *kept])
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(json.dumps(head, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
