"""Makes the traps of this folder: `PYTHONPATH=. python tests/data/traps/make.py`.

Positions are made up, tried out completely by `tests/exhaustive.py`, and kept where exactly
the temptation is there that the trap is about. Everything is drawn from fixed seeds.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from exhaustive import TooLargeError, Truth, truth  # noqa: E402
from make_small_ends import DECISIVE, levelled  # noqa: E402
from positions import GOODS, TILES, TOWNS, position_json  # noqa: E402

import lusatia_ai as la  # noqa: E402

MOST = 20_000
LITTLE = 0.004
"""Utility that players may give away: two points of favour."""
EACH = 3
"""Traps of a kind."""
Found = Iterator[tuple[la.State, Truth]]

WORTH_A_FIGHT = ("the_queen", "lady_in_waiting", "captain_of_the_guard", "hetman", "bishop")


# --- town selection -------------------------------------------------------------------------------


def last_journey(seed: int, rich: bool = False, prize: bool = False) -> la.State:
    """Round 6, three players, two of them in towns; the third chooses where to go.

    If `rich`, one town is held with many guards; if `prize`, the Queen is to be had there.

    To keep what follows small, tokens have arrows at all sides, so that there is one way to collect, and two of the
    towns have one piece of goods each to give; and nobody has much to offer, favour included.
    """
    rng = random.Random(seed)
    towns = rng.sample(TOWNS, 3)
    order = rng.sample(range(3), 3)
    tokens = [rng.choice(WORTH_A_FIGHT), *rng.sample(["plain_5_8", "plain_5_9"], 2)]
    guards = [rng.randrange(5) for _ in range(3)]
    standing = rng.randrange(3)
    if rich:
        guards[order[0]], guards[order[2]], standing = 9 + rng.randrange(4), 11 + rng.randrange(4), 9 + rng.randrange(3)
    offers = rng.sample(towns, 3)
    if prize:
        tokens[0], offers[0], standing = "the_queen", towns[0], 0
        offers[1:] = towns[1:]
        guards[order[0]] += 2
    data = position_json(
        humans=3,
        stage="town_selection",
        round=6,
        besieged=[town for town in TOWNS if town not in towns],
        order=order,
        wagons={order[0]: (towns[0], standing), order[1]: (towns[1], rng.randrange(3)), order[2]: towns[2]},
        tokens=dict(zip(offers, tokens, strict=True)),
        royal=TILES[rng.randrange(3)],
        estate=TILES[3 + rng.randrange(3)],
        guards=guards,
        favour=[rng.randrange(7) for _ in range(3)],
        to_act={"seat": order[2], "decision": "travel"},
        to_place=[],
    )
    for token in data["components"]["tokens"]:
        if token["id"] in tokens:
            token["arrows"] = [0, 1, 2, 3, 4, 5]
    for town in data["components"]["towns"]:
        good = f"{rng.choice(GOODS)} 1" if town["id"] in towns[:2] else "horses 1"
        town["light"] = [good, f"guards {rng.randint(1, 3)}", "horses 1", "horses 1", "horses 1", "guards 1"]
    return la.State.from_json(data, chance="manual")


def tried(state: la.State, most: int = MOST) -> Truth | None:
    """Its truth if it decides the game, whatever players do to whom little is at stake.

    Without the latter, many of these positions would hang on a player who loses anyway and chooses the winner.
    """
    try:
        known = truth(state, most)
        if not known.clear or known.gap < DECISIVE:
            return None
        careless = truth(state, most, slack=LITTLE)
    except TooLargeError:
        return None
    return known if careless.gap >= DECISIVE and set(careless.best) <= set(known.best) else None


def answers(first: int, raised: bool) -> Found:
    """A bid for the town of the seat to act, which must be raised or must be accepted."""
    for seed in count(first):
        start = last_journey(seed, prize=raised)
        for move in start.legal_moves():
            state = start.clone().apply(move)
            if state.decision == "respond" and len(state.legal_moves()) > 2:
                known = tried(state, MOST // 3)
                if known and ("accept" not in known.best if raised else known.best == ("accept",)):
                    yield state, known
                    break


def twelves(best: bool) -> Found:
    """Twelve guards can be offered, and that wins or loses."""
    for seed in count(20_000):
        state = last_journey(seed, rich=True)
        twelve = [move.text for move in state.legal_moves() if move.text.endswith(":12")]
        if twelve:
            known = tried(state)
            if (
                known
                and all(move in twelve for move in known.best) == best
                and (best or not set(twelve) & set(known.best))
            ):
                yield state, known


def accepted_twelves() -> Found:
    """Twelve guards have been offered: there is nothing to do but accept."""
    for seed in count(30_000):
        start = last_journey(seed, rich=True)
        for move in start.legal_moves():
            state = start.clone().apply(move)
            if move.text.endswith(":12") and state.decision == "respond":
                with suppress(TooLargeError):
                    yield state, truth(state, MOST)
                break


# --- storing --------------------------------------------------------------------------------------


def last_rows(seed: int, companion: str) -> la.State:
    """Round 6, storing, three players with a few goods each; the first to choose holds a companion.

    Every second position has many empty slots and hardly any pieces, the others the other way round.
    """
    rng = random.Random(seed)
    royal, estate = rng.sample(TILES, 2)
    slots = {"royal": (4, 4, 3, 3), "estate": (4, 4, 3, 3)}
    goods = {seat: {good: rng.choice((0, 1, 1) if seat else (0, 0, 1)) for good in GOODS} for seat in range(3)}
    if seed % 2:
        goods = {seat: dict.fromkeys(rng.sample(GOODS, 1 if seat == 0 else rng.randint(1, 2)), 1) for seat in range(3)}
    data = position_json(
        humans=3,
        stage="storing",
        round=6,
        royal=royal,
        estate=estate,
        filled={
            tile: ["".join(rng.choice("x..." if seed % 2 else "xx.") for _ in range(n)) for n in rows]
            for tile, rows in slots.items()
        },
        goods=goods,
        horses={0: 3, 1: rng.choice((1, 2)), 2: 0},
        companions={0: [companion]},
        favour=[40, 40, 40],
    )
    return la.State.from_json(data, chance="manual")


def ends(companion: str, suits: Callable[[la.State], bool]) -> Found:
    """Decisions between rows that decide a game."""
    for seed in count():
        try:
            state = last_rows(seed, companion)
        except la.PositionError:  # no piece finds a slot
            continue
        if state.decision == "row" and len(state.legal_moves()) > 2 and suits(state):
            with suppress(TooLargeError):
                state = levelled(state, seed)
                known = tried(state)
                if known:
                    yield state, known


def rows_not_to_open() -> Found:
    """The row that brings the most at once loses, and the next player answers it by filling a row for the bonus.

    That row is another one: what one pass leaves empty nobody has a piece for (rules 6.5).
    """
    for state, known in ends("draper", lambda state: tempting(state) is not None):
        row = tempting(state)
        after = state.clone().apply(row)  # type: ignore[arg-type]
        if row not in known.best and after.decision == "row" and after.seat_to_act != state.seat_to_act:
            answers = truth(after, MOST).best
            if all(answer.startswith("row:") and is_full(after.clone().apply(answer), answer) for answer in answers):
                yield state, known


def tempting(state: la.State) -> str | None:
    """The row that brings more at once than every other one."""
    seat = state.seat_to_act
    assert seat is not None
    gains = {move.text: gain(state, move.text, seat) for move in state.legal_moves() if move.text.startswith("row:")}
    most = [row for row, favour in gains.items() if favour == max(gains.values())]
    return most[0] if len(most) == 1 else None


def gain(state: la.State, row: str, seat: int) -> int:
    """Favour that choosing a row brings at once."""
    return state.clone().apply(row).favour[seat] - state.favour[seat]


def is_full(state: la.State, row: str) -> bool:
    _, warehouse, number = row.split(":")
    return state.is_over or all(state.to_json()["warehouses"][warehouse]["filled"][int(number) - 1])


def chamberlains(now: bool) -> Found:
    """The Chamberlain's four points are best taken now, or best left for later."""
    for state, known in ends("chamberlain", lambda state: bool(uses(state))):
        using = uses(state)
        if set(known.best) <= using if now else not using & set(known.best):
            yield state, known


def uses(state: la.State) -> set[str]:
    return {move.text for move in state.legal_moves() if move.text.startswith("chamberlain:")}


# --- files ----------------------------------------------------------------------------------------

TRAPS: dict[str, tuple[Callable[[], Found], str]] = {
    "raise": (
        lambda: answers(0, raised=True),
        "A bid that must be raised. Another player offers guards for the town where the mover stands and the Queen "
        "is to be had. To accept brings these guards and costs the game.",
    ),
    "accept": (
        lambda: answers(10_000, raised=False),
        "A bid that must be accepted. The mover could outbid the rival, but every raise costs the game.",
    ),
    "offer_twelve": (
        lambda: twelves(True),
        "Twelve guards, which cannot be outbid, must be offered: a lower bid loses, and so does any other town.",
    ),
    "do_not_offer_twelve": (
        lambda: twelves(False),
        "Twelve guards could be offered for a town, which its occupant must accept; but the price costs the game.",
    ),
    "accept_twelve": (
        accepted_twelves,
        "Twelve guards have been offered. They must be accepted: no other move is legal.",
    ),
    "leave_closed": (
        rows_not_to_open,
        "A row that must not be opened. It brings the mover more at once than any other row, but the next player then "
        "fills a row for its bonus, and more is lost than won.",
    ),
    "chamberlain_now": (
        lambda: chamberlains(True),
        "The Chamberlain's four points must be taken now: whatever row is chosen instead, the piece is stored for less "
        "before the stage ends.",
    ),
    "chamberlain_later": (
        lambda: chamberlains(False),
        "The Chamberlain's four points can wait or be left: taking them now gives away the turn, and a piece left "
        "at the end brings them anyway.",
    ),
}


def main() -> int:
    for name in sys.argv[1:] or TRAPS:
        find, text = TRAPS[name]
        games: set[str] = set()
        for state, known in find():
            if len(games) == EACH:
                break
            entry = described(name, text, state, known)
            if json.dumps(entry["values"]) not in games:
                games.add(json.dumps(entry["values"]))
                path = HERE / f"{name}_{len(games)}.json"
                path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")
                print(path.name, entry["best"], entry["tried"], round(known.gap, 3), flush=True)
    return 0


HOW = (
    "max^n over every position that can follow (tests/exhaustive.py); utility 0.8 * win share + 0.2 * (0.5 + 0.01 * "
    "favour margin). Values are by move the least and the most that the seat to act gets, however ties are broken. If "
    "there is a choice, the best moves stay better by 0.1 also if players give away up to 0.004."
)


def described(name: str, text: str, state: la.State, known: Truth) -> dict[str, Any]:
    return {
        "trap": name,
        "text": text,
        "best": list(known.best),
        "values": {move: [round(value, 6) for value in bounds] for move, bounds in known.values.items()},
        "tried": known.positions,
        "how": HOW,
        "position": state.to_json(),
    }


if __name__ == "__main__":
    sys.exit(main())
