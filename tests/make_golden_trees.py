"""Makes `data/search_trees.json`: small search trees, node by node, which later versions must grow again bit by bit.

`python tests/make_golden_trees.py`. Each tree says with which parameters, position, seed and iterations it was grown. A
change of the search, the policy, the evaluation or the random streams changes the trees; then they are made anew, and
the change has to be explained.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import lusatia_ai as la
from lusatia_ai._search import ALGORITHMS, NODE_SIZE

FILE = Path(__file__).with_name("data") / "search_trees.json"
DEPTH = 3

TREES: dict[str, dict[str, Any]] = {
    "single observer, puct": {"variant": {"humans": 3}, "game": 1, "moves": 5, "params": {}},
    "single observer, ucb": {
        "variant": {"humans": 4},
        "game": 2,
        "moves": 60,
        "params": {"selection": "ucb", "exploration": 0.7, "playout": "uniform", "horizon": 0},
    },
    "multiple observers": {"variant": {"humans": 3}, "game": 3, "moves": 45, "params": {"algorithm": "mo"}},
    "determinized": {
        "variant": {"humans": 2, "automas": 1},
        "game": 4,
        "moves": 40,
        "params": {"algorithm": "determinized", "worlds": 2, "selection": "ucb_tuned"},
    },
    "chance nodes": {
        "variant": {"humans": 2, "automas": 2},
        "game": 5,
        "moves": 2,
        "params": {"chance_nodes": "automa", "playout": "mast", "epsilon": 0.2, "win": 0.6, "favour": 0.4},
    },
}
SEED, ITERATIONS = 11, 300

NODE = np.dtype(
    {
        "names": ["label", "first_child", "next_sibling", "visits", "available"],
        "formats": ["u4", "i4", "i4", "u4", "u4"],
        "offsets": [16, 20, 24, 28, 32],
        "itemsize": NODE_SIZE,
    }
)
"""What is read of a node, as the struct `Node` of `_search.pyx` has it."""


def start(recipe: dict[str, Any]) -> la.State:
    """The position at the root: so many moves into a game, each the first legal move or, one time in two, the last."""
    state = la.State.new(la.Variant(**recipe["variant"]), seed=recipe["game"])
    for number in range(recipe["moves"]):
        moves = state.legal_moves()
        state.apply(moves[0] if number % 2 else moves[-1])
    return state


def grown(recipe: dict[str, Any], position: dict[str, Any]) -> dict[str, Any]:
    """The tree of a search: what it found at the root, and its nodes."""
    state = la.State.from_json(position, chance="manual")
    tree = la.SearchTree(state, seed=SEED, params=la.SearchParams(**recipe["params"]))
    result = tree.search(la.Limit(iterations=ITERATIONS))
    return {
        "best": result.best.text,
        "size": result.tree_size,
        "root": {
            found.move.text: {
                "visits": found.visits,
                "availability": found.availability,
                "value": [round(value, 6) for value in found.value],
                "favour": [round(value, 6) for value in found.favour],
                "line": [move.text for move in found.line][:DEPTH],
            }
            for found in sorted(result.moves, key=lambda found: found.move.text)
        },
        "nodes": nodes(tree),
    }


def nodes(tree: la.SearchTree) -> list[Any]:
    """For each root, its children down to a depth as `[label, visits, availability, children]`, in string order."""
    (searcher,) = tree._trees
    _, (args, arena, *_) = searcher.__reduce__()
    settings = args[4]
    roots = {"so": 1, "mo": tree.tables.variant.humans, "determinized": settings["worlds"]}[
        ALGORITHMS[settings["algorithm"]]
    ]
    found = np.frombuffer(arena, NODE)
    return [below(tree, found, root, DEPTH) for root in range(roots)]


def below(tree: la.SearchTree, found: np.ndarray, node: int, depth: int) -> list[Any]:
    """The children of a node; labels are `seat move`, or a number for chance and for what a seat does not see."""
    children, child = [], int(found[node]["first_child"])
    while depth and child >= 0:
        label, visits, available = (int(found[child][field]) for field in ("label", "visits", "available"))
        text = f"edge {label:08x}" if label >> 30 else f"{label >> 16} {tree.tables.move(label & 0xFFFF).text}"
        children.append([text, visits, available, below(tree, found, child, depth - 1)])
        child = int(found[child]["next_sibling"])
    return sorted(children, key=lambda entry: entry[0])


def main() -> int:
    data = {
        "what": "search trees to depth 3: for each node its label, visits, availability and children",
        "source": "tests/make_golden_trees.py, with this project's own search",
        "seed": SEED,
        "iterations": ITERATIONS,
        "trees": [],
    }
    for name, recipe in TREES.items():
        position = start(recipe).to_json()
        data["trees"].append({"name": name, **recipe, "position": position, "tree": grown(recipe, position)})
    FILE.write_text(json.dumps(data, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
