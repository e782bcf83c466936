"""Makes `data/small_ends.jsonl.gz`: ends of games with the value of every move, by trying everything.

`python tests/make_small_ends.py` plays games, rule-based and random moves mixed, and goes back from their ends for as long
as `exhaustive.truth` can try everything. Of each game it keeps the earliest decision that is clear and one drawn from the
later ones. It prints how many decisions were dropped, and why; the first line of the file repeats it.
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


def entries(dropped: Counter[str]) -> Iterator[dict[str, Any]]:
    seed = 0
    while True:
        found = clear_decisions(seed, dropped)
        kept = found[-1:] + ([found[random.Random(seed).randrange(len(found) - 1)]] if len(found) > 1 else [])
        dropped["clear, but beyond two of a game"] += len(found) - len(kept)
        for state, known in kept:
            yield {
                "game": seed,
                "position": state.to_json(),
                "best": list(known.best),
                "values": {move: [round(value, 6) for value in bounds] for move, bounds in known.values.items()},
                "tried": known.positions,
            }
        seed += 1


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
