"""Write the golden playthroughs beside this file: `python tests/data/playthroughs/make.py` (see README.md)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

import lusatia_ai as la

MIXED = {"bautzen": "dark", "goerlitz": "light", "kamenz": "dark", "lauban": "light", "loebau": "dark"}

# One game for each number of humans and automas; the other options are spread over them.
GAMES = {
    "2h1a-light": la.Variant(2, 1),
    "2h2a-mixed-scored": la.Variant(2, 2, score_automas=True, sides=MIXED),
    "2h3a-dark-must": la.Variant(2, 3, chooser_must_contribute=True, sides="dark"),
    "2h4a-light-easy-scored": la.Variant(2, 4, easy=True, score_automas=True),
    "3h-dark": la.Variant(3, sides="dark"),
    "3h1a-mixed-easy": la.Variant(3, 1, easy=True, sides=MIXED),
    "3h2a-light-must-scored": la.Variant(3, 2, chooser_must_contribute=True, score_automas=True),
    "3h3a-dark-scored": la.Variant(3, 3, score_automas=True, sides="dark"),
    "4h-mixed": la.Variant(4, sides=MIXED),
    "4h1a-dark-easy-must": la.Variant(4, 1, easy=True, chooser_must_contribute=True, sides="dark"),
    "4h2a-mixed": la.Variant(4, 2, sides=MIXED),
    "5h-light-easy": la.Variant(5, easy=True),
    "5h1a-dark-scored": la.Variant(5, 1, score_automas=True, sides="dark"),
    "6h-light-must": la.Variant(6, chooser_must_contribute=True),
}


def weight(move: str) -> int:
    """How much more likely than others a move is: conflicts and rare moves, so that a short game shows much."""
    word, _, rest = move.partition(":")
    if word == "go":
        return 1 if rest.endswith(":0") else 2
    return {"raise": 2, "chamberlain": 4, "farmer": 3, "accept": 6}.get(word, 3)


def play(variant: la.Variant, seed: int) -> list[dict[str, Any]]:
    """The lines of one game."""
    rng = np.random.default_rng(seed)
    state = la.State.new(variant, chance="manual")
    lines: list[dict[str, Any]] = [
        {
            "format": "lusatia-trace",
            "version": 1,
            "variant": variant.to_json(),
            "seed": seed,
            "policy": "lively",
        }
    ]
    while not state.is_over:
        position = state.to_json()
        if state.is_chance:
            legal, event = None, state.sample_chance(rng)
        else:
            legal = [str(move) for move in state.legal_moves()]
            weights = np.array([weight(move) for move in legal])
            event = legal[int(np.searchsorted(weights.cumsum(), rng.integers(weights.sum()), side="right"))]
        lines.append({"position": position, "legal": legal, "event": event, "seat": state.seat_to_act})
        state.apply(event)
    position = state.to_json()
    guards = [player["guards"] for player in position["players"] if player["kind"] == "human"]
    result = {"favour": list(state.favour), "guards": guards, "winners": list(state.winners)}
    return [*lines, {"position": position, "result": result}]


def main() -> None:
    """Write all games; the same bytes each time, as long as rules and random streams stay the same."""
    for seed, (name, variant) in enumerate(GAMES.items(), 1):
        text = "".join(json.dumps(line, sort_keys=True) + "\n" for line in play(variant, seed))
        path = Path(__file__).with_name(f"{name}.jsonl.gz")
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
