"""What the tests share: variants, random games, and `position`, which builds a position from the few facts that matter.

A position that is not the start of a game has a past: companions gained, tokens and cards gone. `position` makes up one
that agrees with what it is told. For that it plays with `PLAIN_SET`: the shipped components and tokens without any
effect besides, which fill the hands of those of whom nothing else is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import cycle
from typing import Any

import numpy as np
from hypothesis import strategies as st

import lusatia_ai as la

Json = dict[str, Any]

TOWNS = ("goerlitz", "kamenz", "zittau", "loebau", "bautzen", "lauban")  # by number, 1 to 6
ESTATES = ("clergy", "nobles", "burghers")
GOODS = ("green", "blue", "red", "yellow")
POOLS = ("1-2", "3-4", "5-6")
SYMBOLS = ("2", "3", "4", "5")
TILES = tuple(f"warehouse_{number}" for number in range(1, 7))
MIXED = {"bautzen": "dark", "lauban": "dark", "zittau": "dark", "goerlitz": "light"}
PLAYERS = tuple((humans, automas) for humans in range(2, 7) for automas in range(5) if 3 <= humans + automas <= 6)

# The colours of the rulebook's examples, by seat: each sits to the left of the one before.
TURQUOISE, ORANGE, VIOLET, GREY = range(4)


# --- variants and random games --------------------------------------------------------------------

variants = st.builds(
    lambda players, easy, must, scored, sides: la.Variant(*players, easy, must, scored, sides),
    st.sampled_from(PLAYERS),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["light", "dark", MIXED]),
)
seeds = st.integers(0, 2**32 - 1)


def canonical(data: object) -> str:
    """JSON in which equal data have equal texts, and `2` and `2.0` do not."""
    return json.dumps(data, sort_keys=True)


def differences(found: object, expected: object, place: str = "") -> list[str]:
    """Where two JSON values differ, for a message that a person can read."""
    if isinstance(found, dict) and isinstance(expected, dict):
        keys = sorted(found.keys() | expected.keys())
        pairs = [(found.get(key, "(missing)"), expected.get(key, "(missing)"), f"{place}.{key}") for key in keys]
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = [(a, b, f"{place}[{index}]") for index, (a, b) in enumerate(zip(found, expected, strict=True))]
    else:
        return [] if canonical(found) == canonical(expected) else [f"{place}: {found!r}, expected {expected!r}"]
    return [text for a, b, at in pairs for text in differences(a, b, at)]


def random_event(state: la.State, rng: np.random.Generator) -> str | Json:
    """A random legal move, or at a chance event a random outcome."""
    if state.is_chance:
        return state.sample_chance(rng)
    moves = state.legal_moves()
    return str(moves[rng.integers(len(moves))])


def random_game(
    variant: la.Variant, seed: int, components: la.ComponentSet | None = None
) -> Iterator[tuple[la.State, str | Json]]:
    """A game with random moves and manual chance: the state, and what is about to happen to it, before each event.

    At the end the finished state with an empty event.
    """
    rng = np.random.default_rng(seed)
    state = la.State.new(variant, components=components, chance="manual")
    while not state.is_over:
        event = random_event(state, rng)
        yield state, event
        state.apply(event)
    yield state, ""


# --- a component set with plain tokens ------------------------------------------------------------


@lru_cache
def plain_set() -> Json:
    """The shipped set with 28 tokens more (64 are the most): of a companion without effects, and some second copies."""
    data = la.complete_edition().to_dict()
    data["name"] = "with-plain-tokens"
    data["companions"].append({"id": "nobody", "stage": "final", "provenance": "reconstructed", "effects": {}})
    for pool, names in _MORE_TOKENS.items():
        for name in names:
            companion = "nobody" if name.startswith("plain") else name[:-2]
            data["tokens"].append({"id": name, "companion": companion, "pool": pool, "arrows": [0]})
    return data


_MORE_TOKENS = {
    "1-2": ["farmer_b", "wagon_driver_b", *(f"plain_1_{number}" for number in range(6))],
    "3-4": ["chamberlain_b", "town_councillor_c", *(f"plain_3_{number}" for number in range(6))],
    "5-6": ["kings_gamekeeper_b", "astrologist_b", *(f"plain_5_{number}" for number in range(10))],
}

# Where plain tokens are not enough (five and six players): tokens that do nothing in most tests.
_MILD = (
    *("wagon_driver", "centurion", "guild_master", "guild_master_b", "beggar", "wagon_driver_b"),
    *("draper", "viticulturist", "artisan", "artisan_b", "innkeeper", "innkeeper_b"),
    *("hetman", "captain_of_the_guard"),
)


# --- building a position --------------------------------------------------------------------------


def position(**facts: Any) -> la.State:
    """The position that `position_json` builds, with manual chance."""
    return la.State.from_json(position_json(**facts), chance="manual")


def position_json(
    *,
    humans: int = 4,
    automas: int = 0,
    stage: str = "town_selection",
    round: int = 1,
    easy: bool = False,
    must: bool = False,
    scored: bool = False,
    sides: str | dict[str, str] = "light",
    ring: Sequence[str] = TOWNS,
    besieged: Sequence[str] | None = None,
    fort: str | None = None,
    order: Sequence[int] | None = None,
    wagons: Mapping[int, Any] | None = None,
    tokens: Mapping[str, str] | None = None,
    royal: str = "warehouse_1",
    estate: str = "warehouse_2",
    filled: Mapping[str, Sequence[str]] | None = None,
    face_up: Mapping[str, str | None] | None = None,
    guards: Sequence[int] | None = None,
    favour: Sequence[int] | None = None,
    goods: Mapping[int, Mapping[str, int]] | None = None,
    horses: Mapping[int, float] | None = None,
    companions: Mapping[int, Sequence[str]] | None = None,
    cards: Mapping[int, Sequence[str]] | None = None,
    grey: Mapping[int, Sequence[str]] | None = None,
    automa_cards: Sequence[str] | None = None,
    easy_bag: Sequence[str] | None = None,
    to_place: Sequence[int] | None = None,
    to_act: Json | None = None,
    **turn: Any,
) -> Json:
    """A position in which the given facts hold, everything else being as plain as it can be.

    Args:
        besieged: by default the towns with the highest numbers in which no wagon is.
        order: by default by seats; after town selection it follows from the wagons.
        wagons: player -> `(town, position)` on a counter, or a town on whose road it is. By default in rounds 2 to 6
            each on the road of the open town with the player's number, and after town selection there at 0.
        tokens: tokens on towns; the others get plain ones.
        filled: "royal" or "estate" -> a text a row, `x` for a filled slot and `.` for an empty one.
        face_up: estate cards on offer, by symbols; None for a card that is gone (someone must hold it).
        companions: seat -> tokens; they are brought in an order in which their rounds agree, plain ones between them.
        cards: seat -> estate cards in hand, such as "clergy 4".
        grey: seat -> grey cards in hand, by their estate. By default those that the companions brought, clergy first.
        to_place: in town selection, who comes after the player to act; by default all others.
        to_act: by default the first decision of the stage: the first journey, the first tax collection, or the first
            row to choose, when all Farmers and Merchants have passed.
        turn: entries of `turn` that differ from what follows from the rest.
    """
    spec = _Spec(**{name: value for name, value in locals().items() if name != "turn"}, turn=turn)
    return spec.build()


class _Spec:
    """The facts given, and what is made up to go with them."""

    def __init__(self, **facts: Any) -> None:
        self.given = facts
        self.humans, self.automas = facts["humans"], facts["automas"]
        self.players = self.humans + self.automas
        self.stage, self.round, self.easy = facts["stage"], facts["round"], facts["easy"]
        self.clear = self.stage in ("round_setup", "final_scoring")
        self.cleaned = 6 if self.stage == "final_scoring" else self.round - 1
        self.drawn = self.round - (self.stage == "round_setup")
        self.on_counters = self.stage in ("tax_collection", "storing")
        self.data = plain_set()
        self.effects = {entry["id"]: entry["effects"] for entry in self.data["companions"]}
        self.tokens = {entry["id"]: entry for entry in self.data["tokens"]}
        self.numbers = {town: number for number, town in enumerate(TOWNS, 1)}
        self.companions = self._companions()
        self.wagons = self._wagons()
        self.order = self._order()
        self.town_tokens = self._town_tokens()

    def effect(self, token: str, name: str) -> Any:
        return self.effects[self.tokens[token]["companion"]].get(name)

    def _companions(self) -> list[list[str]]:
        count = 0 if self.easy else self.cleaned + (self.stage == "storing")
        wanted = self.given["companions"] or {}
        reserved = {token for tokens in wanted.values() for token in tokens}
        reserved |= set((self.given["tokens"] or {}).values())
        spare = {
            pool: iter(
                [id for id in self.tokens if id.startswith(f"plain_{pool[0]}")]
                + [id for id in _MILD if self.tokens[id]["pool"] == pool and id not in reserved]
            )
            for pool in POOLS
        }
        hands = []
        for seat in range(self.humans):
            own = {pool: [t for t in wanted.get(seat, ()) if self.tokens[t]["pool"] == pool] for pool in POOLS}
            hand = []
            for index in range(count):
                pool = POOLS[index // 2]
                hand.append(own[pool].pop(0) if own[pool] else next(spare[pool]))
            assert not any(own.values()), f"no room for {own} in round {self.round}"
            hands.append(hand)
        return hands

    def _open_towns(self) -> list[str]:
        return [town for town in TOWNS if town not in self.besieged]

    @property
    def besieged(self) -> list[str]:
        if self.clear:
            return []
        if self.given["besieged"] is not None:
            return sorted(self.given["besieged"], key=TOWNS.index)
        wagons = (self.given["wagons"] or {}).values()
        taken = {wagon[0] if isinstance(wagon, tuple) else wagon for wagon in wagons}
        free = [town for town in TOWNS if town not in taken]
        return sorted(free[self.players - 6 :], key=TOWNS.index) if self.players < 6 else []

    def _wagons(self) -> list[Json | None]:
        wanted = self.given["wagons"] or {}
        taken = {wagon[0] if isinstance(wagon, tuple) else wagon for wagon in wanted.values()}
        free = iter([town for town in self._open_towns() if town not in taken])
        wagons: list[Json | None] = []
        for player in range(self.players):
            wagon = wanted.get(player)
            if isinstance(wagon, tuple):
                wagons.append({"town": wagon[0], "position": wagon[1]})
            elif wagon is not None:
                wagons.append({"town": wagon, "position": None})
            elif self.on_counters:
                wagons.append({"town": next(free), "position": 0})
            else:
                wagons.append({"town": next(free), "position": None} if self.round > 1 else None)
        return wagons

    def _order(self) -> list[int]:
        if self.on_counters:
            return sorted(range(self.humans), key=lambda s: (self.wagons[s]["position"], self._number(s)))  # type: ignore[index]
        return list(self.given["order"] or range(self.humans))

    def _number(self, player: int) -> int:
        wagon = self.wagons[player]
        assert wagon is not None
        return self.numbers[wagon["town"]]

    def _town_tokens(self) -> dict[str, str]:
        if self.clear or (self.stage == "storing" and not self.easy):
            return {}
        given = dict(self.given["tokens"] or {})
        pool = self.data["easy_tokens"] if self.easy else [t for t in self.data["tokens"] if t["pool"] == self._pool]
        used = {token for hand in self.companions for token in hand} | set(given.values())
        free = iter([token["id"] for token in reversed(pool) if token["id"] not in used])
        towns = self._open_towns()
        if not self.easy and self.stage == "tax_collection":
            towns = [town for town in towns if town not in self._automa_towns()]
        return {town: given[town] if town in given else next(free) for town in towns}

    @property
    def _pool(self) -> str:
        return POOLS[(self.round - 1) // 2]

    def _automa_towns(self) -> list[str]:
        return [wagon["town"] for wagon in self.wagons[self.humans :] if wagon]

    def build(self) -> Json:
        given = self.given
        variant = {"humans": self.humans, "automas": self.automas, "easy": self.easy, "sides": given["sides"]}
        flags = {"chooser_must_contribute": given["must"], "score_automas": given["scored"]}
        return {
            "format": "lusatia-position",
            "version": 1,
            "components": self.data,
            "variant": variant | flags,
            "ring": [{"town": town, "side": self._side(town)} for town in given["ring"]],
            "round": self.round,
            "stage": self.stage,
            "order": self.order,
            "besieged": self.besieged,
            "fort": given["fort"],
            "tokens": self.town_tokens,
            "warehouses": self._warehouses(),
            "face_up": self._face_up(),
            "pools": self._pools(),
            "players": [self._player(index) for index in range(self.players)],
            "to_act": self._to_act(),
            "turn": self._turn(),
        }

    def _side(self, town: str) -> str:
        sides = self.given["sides"]
        return sides if isinstance(sides, str) else sides.get(town, "light")

    def _warehouses(self) -> Json | None:
        return None if self.clear else {name: self._warehouse(name) for name in ("royal", "estate")}

    def _warehouse(self, name: str) -> Json:
        tile = next(tile for tile in self.data["warehouse_tiles"] if tile["id"] == self.given[name])
        side = 1 + (self.round > 3)
        filled = [[False] * len(row["slots"]) for row in tile[f"side_{side}"]]
        for index, row in enumerate((self.given["filled"] or {}).get(name, ())):
            filled[index] = [slot == "x" for slot in row]
        return {"tile": tile["id"], "side": side, "filled": filled}

    def _face_up(self) -> Json:
        if self.clear:
            return dict.fromkeys(SYMBOLS)
        return dict.fromkeys(SYMBOLS, ESTATES[(self.round - 1) % 3]) | (self.given["face_up"] or {})

    def _pools(self) -> Json:
        tiles = [tile for tile in TILES if self.clear or tile not in (self.given["royal"], self.given["estate"])]
        halves = self.drawn - 3 * (self.cleaned >= 3) if self.cleaned < 6 else 3
        bag, used = self._easy_pools()
        cards = [card["id"] for card in self.data["automa_cards"]] if self.automas else []
        return {
            "tokens": {pool: self._token_pool(index) for index, pool in enumerate(POOLS)},
            "easy_bag": bag,
            "easy_used": used,
            "warehouse_tiles": tiles[: 6 - 2 * halves],
            "estate_cards": {symbols: self._deck(symbols) for symbols in SYMBOLS},
            "grey_cards": self._grey_pool(),
            "automa_cards": sorted(self.given["automa_cards"] or cards),
        }

    def _token_pool(self, pool: int) -> list[str]:
        if self.easy or (pool < 2 and self.cleaned >= 2 * pool + 2):
            return []
        gone = {token for hand in self.companions for token in hand} | set(self.town_tokens.values())
        tokens = [token["id"] for token in self.data["tokens"] if token["pool"] == POOLS[pool]]
        drawn = min(max(self.drawn - 2 * pool, 0), 2) * self.players
        whole = len(tokens) if pool < 2 else 2 * self.players
        return sorted([token for token in tokens if token not in gone][: whole - drawn])

    def _easy_pools(self) -> tuple[list[str], list[str]]:
        if not self.easy:
            return [], []
        tokens = [token["id"] for token in self.data["easy_tokens"]]
        bag, used = len(tokens), 0
        for number in range(1, self.drawn + 1):
            if bag < self.players:
                bag, used = bag + used, 0
            bag -= self.players
            used += self.players if number <= self.cleaned else 0
        free = [token for token in tokens if token not in self.town_tokens.values()]
        in_bag = list(self.given["easy_bag"] or free[:bag])
        return sorted(in_bag), sorted([token for token in free if token not in in_bag][:used])

    def _deck(self, symbols: str) -> dict[str, int]:
        """What is left of a deck: gone are the card on offer, those in hands, and others to make up the number."""
        left = dict.fromkeys(ESTATES, 2)
        gone = [card.split()[0] for hand in (self.given["cards"] or {}).values() for card in hand if symbols in card]
        on_offer = self._face_up()[symbols]
        gone += [on_offer] if on_offer else []
        for estate in gone:
            left[estate] -= 1
        for estate in cycle(ESTATES):
            if sum(left.values()) <= 6 - self.drawn:
                return left
            left[estate] -= left[estate] > 0
        raise AssertionError

    def _grey_hands(self) -> dict[int, list[str]]:
        if self.given["grey"] is not None:
            return {seat: list(estates) for seat, estates in self.given["grey"].items()}
        supply = iter([estate for estate in ESTATES for _ in range(2)])
        due = [sum(self.effect(token, "grey_cards") or 0 for token in hand) for hand in self.companions]
        return {seat: [next(supply) for _ in range(count)] for seat, count in enumerate(due)}

    def _grey_pool(self) -> dict[str, int]:
        taken = [estate for hand in self._grey_hands().values() for estate in hand]
        return {estate: 2 - taken.count(estate) for estate in ESTATES}

    def _player(self, index: int) -> Json:
        given = self.given
        player: Json = {
            "kind": "human" if index < self.humans else "automa",
            "goods": dict.fromkeys(GOODS, 0) | (given["goods"] or {}).get(index, {}),
            "wagon": self.wagons[index],
        }
        favour = given["favour"] or [10] * self.players
        if index >= self.humans:
            return player | ({"favour": favour[index]} if given["scored"] else {})
        return player | {
            "favour": favour[index],
            "guards": (given["guards"] or [3] * self.humans)[index],
            "estates": self._estates(index),
            "companions": self.companions[index],
            "horses": self._horses(index),
        }

    def _horses(self, seat: int) -> float:
        """By default what companions and fort alone bring."""
        given = (self.given["horses"] or {}).get(seat)
        if given is not None or self.stage != "storing":
            return given or 0
        halves = sum(self.effect(token, "half_horses") or 0 for token in self.companions[seat])
        wagon, ring, fort = self.wagons[seat], list(self.given["ring"]), self.given["fort"]
        assert wagon is not None
        if fort and wagon["town"] in (fort, ring[(ring.index(fort) + 1) % 6]):
            halves += 2
        return halves / 2 if halves % 2 else halves // 2

    def _estates(self, seat: int) -> dict[str, int]:
        hand = dict.fromkeys(ESTATES, 0)
        for card in (self.given["cards"] or {}).get(seat, ()):
            estate, symbols = card.split()
            hand[estate] += int(symbols)
        for estate in self._grey_hands().get(seat, ()):
            hand[estate] += 2
        return hand

    def _storing_order(self) -> list[int]:
        return sorted(range(self.humans), key=lambda seat: (-self._horses(seat), -self._number(seat)))

    def _to_act(self) -> Json:
        if self.given["to_act"]:
            return dict(self.given["to_act"])
        if self.stage == "round_setup":
            return {"seat": None, "decision": "chance", "event": "round"}
        if self.stage == "town_selection":
            return {"seat": self.order[0], "decision": "travel"}
        if self.stage == "tax_collection":
            seat = self.order[-1]
            return {"seat": seat, "decision": "collect", "town": self.wagons[seat]["town"]}  # type: ignore[index]
        return {"seat": self._storing_order()[0], "decision": "row"}

    def _turn(self) -> Json:
        blank: Json = {"used": [], "to_place": [], "evicted": None, "storing_order": [], "next_chooser": 0}
        blank |= {"pending_card": None, "grey_left": 0}
        if not self.clear:
            rounds = range(self.humans)
            blank["used"] = [t for seat in rounds for t in self.companions[seat][: self.cleaned] if self._makes(t)]
        if self.stage == "town_selection":
            automas = list(range(self.humans, self.players))
            sequence = self.order[:1] + automas[:1] + self.order[1:] + automas[1:]
            waiting = self.given["to_place"]
            blank["to_place"] = sequence[1:] if waiting is None else list(waiting)
        if self.stage == "storing":
            blank["storing_order"] = self._storing_order()
            decision, seat = self._to_act()["decision"], self._to_act()["seat"]
            if decision == "row":
                blank["next_chooser"] = blank["storing_order"].index(seat)
                blank["used"] += [token for hand in self.companions for token in hand if self._helps(token)]
        blank["used"] = sorted(blank["used"])
        return blank | self.given["turn"]

    def _makes(self, token: str) -> bool:
        return bool(self.effect(token, "produce"))

    def _helps(self, token: str) -> bool:
        return bool(self.effect(token, "guard_for_good") or self.effect(token, "swap_good"))


# --- reading a state in tests ---------------------------------------------------------------------


def moves(state: la.State) -> list[str]:
    """The legal moves as texts."""
    return [str(move) for move in state.legal_moves()]


def play(state: la.State, *events: str | Json) -> la.State:
    """Apply moves and chance objects one after the other."""
    for event in events:
        state.apply(event)
    return state


def play_until(state: la.State, reached: Callable[[la.State], bool], seed: int = 0) -> la.State:
    """Random events until something is reached, at the latest the end of the game."""
    rng = np.random.default_rng(seed)
    while not (reached(state) or state.is_over):
        state.apply(random_event(state, rng))
    return state


def player(state: la.State, index: int) -> Json:
    """A player as the position shows them."""
    return state.to_json()["players"][index]  # type: ignore[no-any-return]


def guards(state: la.State) -> list[int]:
    """Guards in each human's hand."""
    return [entry["guards"] for entry in state.to_json()["players"] if entry["kind"] == "human"]


def wagon(state: la.State, index: int) -> tuple[str, int | None] | None:
    """Town and counter position of a player's wagon."""
    at = player(state, index)["wagon"]
    return None if at is None else (at["town"], at["position"])


def towns_of(moves: Sequence[str]) -> set[str]:
    """The towns to which these moves go."""
    return {move.split(":")[1] for move in moves if move.startswith("go:")}


# --- changing JSON --------------------------------------------------------------------------------

DROP = object()  # as a value: take the key or entry away


def changed(data: Any, changes: Mapping[str, Any]) -> Any:
    """A copy with other values at paths such as `players[2].wagon.town`."""
    data = json.loads(json.dumps(data))
    for path, value in changes.items():
        *steps, last = [int(s) if s.isdigit() and f"[{s}]" in path else s for s in _steps(path)]
        at = data
        for step in steps:
            at = at[step]
        if value is DROP:
            del at[last]
        else:
            at[last] = value
    return data


def _steps(path: str) -> list[str]:
    return path.replace("[", ".").replace("]", "").split(".")


def faults_of(data: object) -> list[la.Fault]:
    """The faults for which a position is refused; none if it is accepted."""
    try:
        la.State.from_json(data)  # type: ignore[arg-type]
    except la.PositionError as error:
        return list(error.faults)
    return []
