"""Whether the search finds the best move where it is known: `python benchmarks/right.py`.

All ends of games of `tests/data/small_ends.jsonl.gz` and all traps of `tests/data/traps`, whose values come from trying
everything. Exit code 1 if fewer than 99 of 100 are answered by a best move.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import lusatia_ai as la

DATA = Path(__file__).parents[1] / "tests" / "data"
WANTED = 0.99


def entries() -> list[dict[str, Any]]:
    lines = gzip.decompress((DATA / "small_ends.jsonl.gz").read_bytes()).decode().splitlines()
    traps = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((DATA / "traps").glob("*.json"))]
    return [json.loads(line) for line in lines[1:]] + traps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=1, help="searches of each position")
    parser.add_argument("--exploration", type=float, default=la.SearchParams().exploration)
    options = parser.parse_args()
    params = la.SearchParams(win=0.8, favour=0.2, exploration=options.exploration)
    asked, right = Counter[str](), Counter[str]()
    lost = 0.0
    for number, entry in enumerate(entries()):
        kind = f"trap {entry['trap']}" if "trap" in entry else f"end of a game, favour {entry['favour']}"
        state = la.State.from_json(entry["position"], chance="manual")
        for seed in range(options.seeds):
            best = la.search(
                state, la.Limit(iterations=options.iterations), seed=1000 * number + seed, params=params
            ).best.text
            asked[kind] += 1
            right[kind] += best in entry["best"]
            lost += entry["values"][entry["best"][0]][0] - entry["values"][best][0]
            if best not in entry["best"]:
                print(f"missed: {kind}, number {number}, seed {seed}: {best}, best {', '.join(entry['best'])}")
    for kind in asked:
        print(f"{kind:32} {right[kind]:4} of {asked[kind]:4}")
    share = right.total() / asked.total()
    print(f"{options.iterations} iterations: best in {share:.2%}, mean loss {lost / asked.total():.5f} of a win")
    return 0 if share >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
