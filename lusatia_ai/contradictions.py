"""Whether the parts of a well-formed position agree with one another and with what the rules can bring about.

Each check is a function of the position that yields faults. `STEPS` lists them; the first step that finds faults is the
last, since the next ones rely on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ._core import DECISIONS, STAGES
from ._tables import WAREHOUSES, Tables
from .components import POOLS
from .errors import Fault

NONE = 255  # in raw fields: no seat, town, token, card or tile
ROAD = -1  # in raw fields: the counter position of a wagon on the road

Faults = Iterator[Fault]
Cards = tuple[int, ...]


@dataclass
class Situation:
    """A well-formed position, and what follows from it.

    Attributes:
        tables: its component set and variant.
        raw: its raw fields.
        data: its JSON, for the few things that raw fields do not repeat.
        hidden_guards: the seats whose guards a view hides, with the range that it gives for them.
        hidden_estates: the seats whose estates it hides.
    """

    tables: Tables
    raw: dict[str, Any]
    data: Mapping[str, Any]
    hidden_guards: Mapping[int, tuple[int, int]]
    hidden_estates: frozenset[int]

    def __post_init__(self) -> None:
        variant = self.tables.variant
        self.humans, self.players = variant.humans, variant.players
        self.stage: str = STAGES[self.raw["stage"]]
        self.decision: str = DECISIONS[self.raw["decision"]]
        self.round: int = self.raw["round"]
        self.seat: int = self.raw["seat"]

    @property
    def clear(self) -> bool:
        """Whether the table is clear: before a round is set up, and after the last one."""
        return self.decision in ("setup", "round", "hand_over", "over")

    @property
    def rounds_drawn(self) -> int:
        """How many rounds have been set up."""
        return self.round - (self.decision == "round") if self.round else 0

    @property
    def rounds_cleaned(self) -> int:
        """How many rounds are over."""
        return max(self.round - 1, 0) + (self.stage in ("final_scoring", "game_over"))

    @cached_property
    def open_towns(self) -> list[int]:
        return [town for town in range(6) if not self.raw["besieged"] >> town & 1]

    @cached_property
    def sequence(self) -> list[int]:
        """The players in the order of town selection (rules 3.1)."""
        order: list[int] = self.raw["order"]
        automas = list(range(self.humans, self.players))
        return order[:1] + automas[:1] + order[1:] + automas[1:]

    @property
    def numbers(self) -> list[int]:
        """The number of each town."""
        return town_numbers(self.tables)

    def has_collected(self, player: int) -> bool:
        """Whether the player has taken this round's token (the seat at a `grey` decision has)."""
        if self.stage == "tax_collection":
            if player >= self.humans:
                return True
            order: list[int] = self.raw["order"]
            place, current = order.index(player), order.index(self.seat)
            return place > current or (place == current and self.decision == "grey")
        return self.stage == "storing"

    def effects(self, token: int) -> Any:
        return self.tables.effects[token]

    def wealth(self, seat: int) -> int:
        return int(self.raw["guards"][seat] + self.raw["favour"][seat] // 2)

    def tokens_with(self, seat: int, effect: str, rounds: int = 6) -> list[int]:
        """The seat's tokens with an effect, of those from the first `rounds` rounds, as acquired."""
        return [token for token in self.raw["companions"][seat][:rounds] if getattr(self.effects(token), effect)]

    def is_used(self, token: int) -> bool:
        return bool(self.raw["used"] >> token & 1)

    def town(self, index: int) -> str:
        return self.tables.towns[index]


# What follows from components and variant alone is worked out once.


@lru_cache(maxsize=64)
def town_numbers(tables: Tables) -> list[int]:
    """The number of each town."""
    number = {town.id: town.number for town in tables.components.towns}
    return [number[town] for town in tables.towns]


@lru_cache(maxsize=64)
def pools_of_tokens(tables: Tables) -> list[int]:
    """Of each token with a companion the pool that it is drawn from."""
    pool = {token.id: POOLS.index(token.pool) for token in tables.components.tokens}
    return [pool[token] for token in tables.tokens]


@lru_cache(maxsize=64)
def most_horses(tables: Tables) -> int:
    """The most horses that any town, with an easy token in it, can give; which one a seat chose is not looked at."""
    components = tables.components
    sides = [side for town in components.towns for side in (town.light, town.dark)]
    shown = max(sum(entry.amount for entry in side if entry.kind == "horses") for side in sides)
    centres = [token.centre for token in components.easy_tokens if token.centre and token.centre.kind == "horses"]
    return shown + max((centre.amount for centre in centres if tables.variant.easy), default=0)


def ones(mask: int) -> list[int]:
    """The places of the bits that are set, ascending."""
    return [place for place, bit in enumerate(reversed(bin(mask)[2:])) if bit == "1"]


def find_contradictions(situation: Situation) -> list[Fault]:
    """All faults of the position, as far as what they build on holds."""
    faults: list[Fault] = []
    for checks in STEPS:
        for check in checks:
            faults += check(situation)
        if faults:
            break
    return faults


# --- foundations: round, stage, who decides -------------------------------------------------------

_STAGE_OF = {
    "produce": "round_setup",
    "travel": "town_selection",
    "respond": "town_selection",
    "automa_town": "town_selection",
    "automa_card": "town_selection",
    "collect": "tax_collection",
    "grey": "tax_collection",
    "farmer": "storing",
    "merchant": "storing",
    "row": "storing",
    "card": "storing",
    "hand_over": "final_scoring",
    "setup": "setup",
    "round": "round_setup",
    "over": "game_over",
}


def _stage(at: Situation) -> Faults:
    if _STAGE_OF[at.decision] != at.stage:
        allowed = [decision for decision, stage in _STAGE_OF.items() if stage == at.stage]
        found = "null" if at.decision == "over" else at.decision
        named = ["null" if decision == "over" else decision for decision in allowed]
        yield Fault("to_act", f"{found} in the stage {at.stage}", "one of " + ", ".join(named))
    low, high = {"setup": (0, 0), "final_scoring": (6, 6), "game_over": (6, 6)}.get(at.stage, (1, 6))
    if not low <= at.round <= high:
        yield Fault("round", f"{at.round} in the stage {at.stage}", f"{low}" if low == high else f"{low} to {high}")
    if at.decision == "automa_town" and at.round != 1:
        yield Fault("to_act.event", f"automa_town in round {at.round}", "automa_card after round 1")


def _siege(at: Situation) -> Faults:
    besieged = 0 if at.clear else 6 - at.players
    found = bin(at.raw["besieged"]).count("1")
    if found != besieged:
        yield Fault(
            "besieged", f"{found} towns", f"{besieged} towns, with {at.players} players in the stage {at.stage}"
        )
    fort = not at.clear and at.players == 6
    if (at.raw["fort"] != NONE) != fort:
        allowed = "a town, in a round of six players" if fort else "null, but for a round of six players"
        yield Fault("fort", repr(at.data["fort"]), allowed)


def _presence(at: Situation) -> Faults:
    """Whether there are warehouses, and wagons with a town, where later checks look at them."""
    if (at.raw["tile"][0] == NONE) != at.clear:
        found, allowed = ("null", "two tiles during a round") if not at.clear else ("two tiles", "null between rounds")
        yield Fault("warehouses", found, allowed)
    for player in range(at.players):
        if (at.raw["wagon"][player] != NONE) != _has_town(at, player):
            place = f"players[{player}].wagon"
            if at.raw["wagon"][player] == NONE:
                yield Fault(place, "null", "a town")
            else:
                yield Fault(place, "a town", "null until the wagon is placed")


# --- what lies on the table -----------------------------------------------------------------------


def _clear_table(at: Situation) -> Faults:
    """Between rounds and at the end nothing lies on the table (formats.md, `stage`)."""
    if not at.clear:
        if at.stage != "storing" and NONE in at.raw["face_up"]:
            yield Fault("face_up", "a deck without a card", "a card from each deck before storing")
        return
    if at.raw["face_up"] != [NONE] * 4:
        yield Fault("face_up", "cards", "four nulls between rounds")
    for player in range(at.players):
        if any(at.raw["goods"][player]):
            yield Fault(f"players[{player}].goods", "goods", "none between rounds")
        if at.raw["horses"][player]:
            yield Fault(f"players[{player}].horses", "horses", "0 between rounds")


def _warehouses(at: Situation) -> Faults:
    tiles, left = at.raw["tile"], at.raw["tiles_left"]
    drawn = (at.rounds_drawn - 3 * (at.rounds_cleaned >= 3)) if at.rounds_cleaned < 6 else 3
    if bin(left).count("1") != 6 - 2 * drawn:
        yield Fault("pools.warehouse_tiles", f"{bin(left).count('1')} tiles", f"{6 - 2 * drawn} in this round")
    if tiles[0] == NONE:
        return
    if tiles[0] == tiles[1]:
        yield Fault("warehouses", f"{at.tables.tiles[tiles[0]]} twice", "two different tiles")
    for name, tile in zip(WAREHOUSES, tiles, strict=True):
        if left >> tile & 1:
            yield Fault(
                f"warehouses.{name}.tile", f"{at.tables.tiles[tile]}, which is also in the pool", "a drawn tile"
            )
    if at.stage != "storing" and any(at.raw["filled"]):
        yield Fault("warehouses", "filled slots", "none before storing")


def _estate_decks(at: Situation) -> Faults:
    cards = at.tables.components.estate_cards
    for deck, symbols in enumerate(cards.symbols):
        counts = list(at.raw["decks"][deck])
        place = f"pools.estate_cards.{symbols}"
        left = 3 * cards.copies_per_estate - at.rounds_drawn
        if sum(counts) != left:
            yield Fault(place, f"{sum(counts)} cards", f"{left}, one less for each round that was set up")
        face_up = at.raw["face_up"][deck]
        if face_up != NONE and counts[face_up] >= cards.copies_per_estate:
            yield Fault(
                f"face_up.{symbols}", f"{at.tables.estates[face_up]}, of which the deck holds all cards", "a drawn card"
            )


def _hands(at: Situation) -> Faults:
    """Hands must consist of cards that have left decks and supply, and all grey cards that did are in hands."""
    grey_symbols = at.tables.components.estate_cards.grey_symbols
    held_decks = {0}  # masks of decks of which some hand holds a card, for each way in which the hands can be made up
    for estate, name in enumerate(at.tables.estates):
        gone, grey = cards_gone(at.tables, at.raw, estate)
        hands = [at.raw["estates"][seat][estate] for seat in range(at.humans) if seat not in at.hidden_estates]
        rests = rests_of(hands, gone, grey, grey_symbols)
        if not any(at.hidden_estates or greys == 0 for greys, _ in rests):
            yield Fault(
                f"players[].estates.{name}",
                f"{hands} symbols",
                f"hands made of the {sum(gone.values())} cards gone from the decks and all {grey} gone from the supply",
            )
        held = {decks_held(gone, cards) for greys, cards in rests if greys == 0}
        held_decks = {before | more for before in held_decks for more in held}
    taken = decks_taken(at.raw)
    if held_decks and not at.hidden_estates and not any(decks & taken == taken for decks in held_decks):
        yield Fault("face_up", "a card gone that no hand can hold", "cards on offer, but for those taken (rules 6.6)")
    if not at.tables.variant.easy:
        yield from _grey_cards(at)


def decks_held(gone: Mapping[int, int], rest: Cards) -> int:
    """Mask of the decks from which cards have gone that are not among the rest."""
    return sum(1 << deck for deck, count in enumerate(gone.values()) if rest[deck] < count)


def decks_taken(raw: Mapping[str, Any]) -> int:
    """Mask of the decks whose card of this round has been taken from the offer, and so is in a hand (rules 6.6)."""
    on_offer = raw["tile"][0] != NONE
    return sum(1 << deck for deck, estate in enumerate(raw["face_up"]) if on_offer and estate == NONE)


def cards_gone(tables: Tables, raw: Mapping[str, Any], estate: int) -> tuple[dict[int, int], int]:
    """How many cards of an estate have left the decks, by their symbols, and how many grey ones the supply.

    A coloured card that has gone is in a hand or was discarded; a grey one is in a hand.
    """
    cards = tables.components.estate_cards
    gone = {
        symbols: cards.copies_per_estate - raw["decks"][deck][estate] - (raw["face_up"][deck] == estate)
        for deck, symbols in enumerate(cards.symbols)
    }
    return gone, cards.grey_copies_per_estate - raw["grey"][estate]


def rests_of(hands: list[int], gone: Mapping[int, int], grey: int, grey_symbols: int) -> set[tuple[int, Cards]]:
    """All that can be left of the cards of an estate when hands with these numbers of symbols are taken out.

    Args:
        hands: symbols in each of the hands.
        gone: how many cards there are, by their symbols.
        grey: how many grey cards there are besides.
        grey_symbols: symbols on a grey card.

    Returns:
        Pairs of grey cards left and coloured cards left (in the order of `gone`); none if the hands are impossible.
    """
    rests: set[tuple[int, Cards]] = {(grey, tuple(gone.values()))}
    for wanted in hands:
        rests = {rest for left, cards in rests for rest in _hand_taken(wanted, left, cards, tuple(gone), grey_symbols)}
    return rests


@lru_cache(maxsize=1 << 12)
def _hand_taken(
    wanted: int, grey: int, cards: Cards, symbols: Cards, grey_symbols: int
) -> frozenset[tuple[int, Cards]]:
    """What can be left of the cards after a hand of exactly `wanted` symbols."""
    partial: set[tuple[int, int, Cards]] = {(wanted - n * grey_symbols, grey - n, ()) for n in range(grey + 1)}
    for index, value in enumerate(symbols):
        partial = {
            (need - n * value, left, (*kept, cards[index] - n))
            for need, left, kept in partial
            for n in range(cards[index] + 1)
            if n * value <= need
        }
    return frozenset((left, kept) for need, left, kept in partial if need == 0)


def _grey_cards(at: Situation) -> Faults:
    """Rules 5.4: with companions, the number of grey cards taken is known."""
    cards = at.tables.components.estate_cards
    due = sum(at.effects(token).grey_cards for tokens in at.raw["companions"] for token in tokens)
    supply = 3 * cards.grey_copies_per_estate
    left = max(supply - (due - at.raw["grey_left"]), 0)
    if sum(at.raw["grey"]) != left:
        yield Fault("pools.grey_cards", f"{sum(at.raw['grey'])} cards", f"{left}, by the companions that took some")


# --- tokens ---------------------------------------------------------------------------------------


def _tokens_once(at: Situation) -> Faults:
    """Each token lies in one place."""
    lying = ones(at.raw["token_pool"]) + ones(at.raw["easy_used"])
    lying += [token for token in at.raw["town_token"] if token != NONE]
    lying += [token for tokens in at.raw["companions"] for token in tokens]
    if len(set(lying)) == len(lying):
        return
    places: dict[int, str] = {}
    for place, token in _token_places(at):
        if token in places:
            yield Fault(place, f"{at.tables.tokens[token]}, which is also in {places[token]}", "each token once")
        places.setdefault(token, place)


def _token_places(at: Situation) -> Iterator[tuple[str, int]]:
    for pool in ("token_pool", "easy_used"):
        for token in ones(at.raw[pool]):
            yield {"token_pool": "pools", "easy_used": "pools.easy_used"}[pool], token
    for town, token in enumerate(at.raw["town_token"]):
        if token != NONE:
            yield f"tokens.{at.town(town)}", token
    for seat, tokens in enumerate(at.raw["companions"]):
        for index, token in enumerate(tokens):
            yield f"players[{seat}].companions[{index}]", token


def _town_tokens(at: Situation) -> Faults:
    """On which towns a token lies (rules 2.1, 5.3, 5.5), and from which pool."""
    easy = at.tables.variant.easy
    emptied = {at.raw["wagon"][player] for player in range(at.players) if at.has_collected(player)}
    for town, token in enumerate(at.raw["town_token"]):
        expected = not at.clear and town in at.open_towns and (easy or town not in emptied)
        place = f"tokens.{at.town(town)}"
        if (token != NONE) != expected:
            found = "nothing" if token == NONE else at.tables.tokens[token]
            yield Fault(place, found, "a token" if expected else "no token here now")
        elif token != NONE and not easy and (at.round - 1) // 2 != pools_of_tokens(at.tables)[token]:
            yield Fault(place, at.tables.tokens[token], f"a token of the pool {POOLS[(at.round - 1) // 2]}")


def _token_pools(at: Situation) -> Faults:
    if at.tables.variant.easy:
        yield from _easy_pools(at)
        return
    pool_of = pools_of_tokens(at.tables)
    undrawn = [pool_of[token] for token in ones(at.raw["token_pool"])]
    for pool in range(3):
        left = undrawn.count(pool)
        drawn = min(max(at.rounds_drawn - 2 * pool, 0), 2) * at.players
        whole = pool_of.count(pool) if pool < 2 or at.stage == "setup" else 2 * at.players
        expected = whole - drawn if pool == 2 or at.rounds_cleaned < 2 * pool + 2 else 0
        if left != expected:
            yield Fault(f"pools.tokens.{POOLS[pool]}", f"{left} tokens", f"{expected} in this round")


def _easy_pools(at: Situation) -> Faults:
    """Rules 2.5; the sizes of bag and used pile follow from the number of rounds."""
    bag, used = len(at.tables.tokens), 0
    for number in range(1, at.rounds_drawn + 1):
        if bag < at.players:
            bag, used = bag + used, 0
        bag -= at.players
        if number <= at.rounds_cleaned:
            used += at.players
    for key, pool, expected in (("easy_bag", "token_pool", bag), ("easy_used", "easy_used", used)):
        found = bin(at.raw[pool]).count("1")
        if found != expected:
            yield Fault(f"pools.{key}", f"{found} tokens", f"{expected} in this round")


def _companions(at: Situation) -> Faults:
    """A human gains one token a round, from the pool of that round (rules 5.3)."""
    if at.tables.variant.easy:
        return
    for seat in range(at.humans):
        tokens = at.raw["companions"][seat]
        expected = at.rounds_cleaned + at.has_collected(seat)
        if len(tokens) != expected:
            yield Fault(
                f"players[{seat}].companions", f"{len(tokens)} tokens", f"{expected}, one for each tax collection"
            )
        for index, token in enumerate(tokens):
            if pools_of_tokens(at.tables)[token] != index // 2:
                place = f"players[{seat}].companions[{index}]"
                yield Fault(place, at.tables.tokens[token], f"a token of the pool {POOLS[index // 2]}")


def _used(at: Situation) -> Faults:
    """Which tokens have been decided on this round (rules 2.4, 6.3, 6.7)."""
    producers = [token for seat in at.raw["order"] for token in at.tokens_with(seat, "produce", at.round - 1)]
    if at.clear:
        expected = set()
    elif at.decision == "produce":
        expected = set(producers[: producers.index(at.raw["token"])]) if at.raw["token"] in producers else set()
    else:
        expected = set(producers)
    used = set(ones(at.raw["used"]))
    allowed = expected | (_helpers(at) if at.stage == "storing" else set())
    for token in sorted(used - allowed):
        yield Fault("turn.used", at.tables.tokens[token], "only tokens that have been decided on this round")
    for token in sorted(expected - used):
        yield Fault("turn.used", f"no {at.tables.tokens[token]}", "every token that has been decided on this round")


def _helpers(at: Situation) -> set[int]:
    kinds = ("guard_for_good", "swap_good", "skip_points")
    return {token for seat in range(at.humans) for kind in kinds for token in at.tokens_with(seat, kind)}


def _automa_cards(at: Situation) -> Faults:
    if at.tables.variant.automas and not at.raw["automa_deck"]:
        yield Fault(
            "pools.automa_cards", "no card", "at least one: the deck is full again when its last card is turned"
        )
    if at.stage == "setup" and at.tables.variant.automas and at.raw["automa_deck"] != 2 ** len(at.tables.cards) - 1:
        yield Fault("pools.automa_cards", "some cards", "all cards before set-up")


# --- wagons ---------------------------------------------------------------------------------------


def _wagons(at: Situation) -> Faults:
    """Where each wagon may be: nowhere, on the road, or on a counter (rules 3, 7.2)."""
    for player in range(at.players):
        place = f"players[{player}].wagon"
        found = at.data["players"][player]["wagon"]
        if (at.raw["wagon"][player] == NONE) != (not _has_town(at, player)):
            yield Fault(
                place, "null" if found is None else "a town", "a town" if found is None else "null until placed"
            )
        elif found is not None and (at.raw["position"][player] != ROAD) != _on_counter(at, player):
            allowed = "0 to 12, on the counter" if _on_counter(at, player) else "null, on the road"
            yield Fault(f"{place}.position", repr(found["position"]), allowed)
        elif at.raw["position"][player] != ROAD and at.raw["besieged"] >> at.raw["wagon"][player] & 1:
            yield Fault(place, f"a wagon in {found['town']}, which is besieged", "a town that is not besieged")


def _is_evicted(at: Situation, player: int) -> bool:
    return bool(at.raw["evicted_from"] != NONE) and player == at.seat


def _is_waiting(at: Situation, player: int) -> bool:
    """Whether the player is still to be placed in this town selection, the one being placed included."""
    if player in at.raw["to_place"]:
        return True
    being_placed = at.decision == "travel" or (at.decision == "automa_card" and at.raw["rival"] == NONE)
    return (being_placed or at.decision == "automa_town") and player == at.seat and not _is_evicted(at, player)


def _has_town(at: Situation, player: int) -> bool:
    if at.round > 1:
        return True
    return _on_counter(at, player) or _is_evicted(at, player)


def _on_counter(at: Situation, player: int) -> bool:
    if at.stage == "town_selection":
        return not _is_waiting(at, player) and not _is_evicted(at, player)
    return at.stage in ("tax_collection", "storing")


def _wagons_apart(at: Situation) -> Faults:
    """One wagon on each counter, but for a conflict; wagons on the road come from different towns (rules 3.9, 7.2)."""
    for player in range(at.players):
        for other in range(player):
            if at.raw["wagon"][player] != at.raw["wagon"][other] or at.raw["wagon"][player] == NONE:
                continue
            on_counter = [at.raw["position"][index] != ROAD for index in (player, other)]
            waiting = [
                not flag and not _is_evicted(at, index) for index, flag in zip((player, other), on_counter, strict=True)
            ]
            if (all(on_counter) and {player, other} != {at.seat, at.raw["rival"]}) or all(waiting):
                found = f"two wagons in {at.town(at.raw['wagon'][player])}, with players[{other}]"
                yield Fault(f"players[{player}].wagon", found, "a town for each wagon")


# --- stages ---------------------------------------------------------------------------------------


def _to_place(at: Situation) -> Faults:
    """Rules 3.1: who is still to act is the end of the acting order."""
    waiting = at.raw["to_place"]
    if at.stage != "town_selection":
        if waiting:
            yield Fault("turn.to_place", repr(waiting), "an empty list outside town selection")
        return
    sequence = at.sequence
    if waiting != sequence[len(sequence) - len(waiting) :]:
        yield Fault("turn.to_place", repr(waiting), f"the end of the acting order {sequence}")
        return
    current = sequence[len(sequence) - len(waiting) - 1]
    placed = sequence[: len(sequence) - len(waiting)]
    being_placed = at.raw["rival"] == NONE and at.raw["evicted_from"] == NONE
    if (being_placed and at.seat != current) or at.seat not in placed:
        yield Fault("to_act", f"player {at.seat}", f"player {current}, before those in turn.to_place")


def _evicted(at: Situation) -> Faults:
    evicted = at.data["turn"]["evicted"]
    if evicted is None:
        return
    if at.decision != "travel" or evicted["seat"] != at.seat:
        yield Fault("turn.evicted", f"seat {evicted['seat']}", "null, or the seat whose `travel` it is")
    elif at.raw["wagon"][at.seat] != at.raw["evicted_from"]:
        yield Fault("turn.evicted.from", evicted["from"], "the town on whose road the wagon stands")
    elif at.raw["evicted_from"] not in [at.raw["wagon"][player] for player in _bidders(at)]:
        found = f"{evicted['from']}, where nobody stands at 1 or more"
        yield Fault("turn.evicted.from", found, "the town of who stayed with the higher bid")


def _bidders(at: Situation) -> list[int]:
    return [player for player in range(at.players) if at.raw["position"][player] > 0]


def _conflict(at: Situation) -> Faults:
    """Rules 3.5, 3.6, 9.3, 9.4: the rival stands above on the same counter, and can pay."""
    seat, rival = at.seat, at.raw["rival"]
    wagons, positions = at.raw["wagon"], at.raw["position"]
    if at.decision == "respond":
        to_act = at.data["to_act"]
        if rival == seat or wagons[rival] != wagons[seat] or ROAD in (positions[rival], positions[seat]):
            yield Fault("to_act.rival", f"player {rival}", "the player on the counter of the same town")
            return
        if at.tables.towns[wagons[seat]] != to_act["town"]:
            yield Fault("to_act.town", to_act["town"], f"{at.town(wagons[seat])}, where both wagons stand")
        if to_act["bid"] != positions[rival]:
            yield Fault("to_act.bid", str(to_act["bid"]), f"{positions[rival]}, where the rival's wagon stands")
        if positions[rival] <= positions[seat]:
            found = f"a bid of {positions[rival]} against {positions[seat]}"
            yield Fault(f"players[{rival}].wagon.position", found, "more than the position of who responds")
        if rival >= at.humans and positions[rival] != positions[seat] + 1:
            yield Fault(f"players[{rival}].wagon.position", f"{positions[rival]}", f"{positions[seat] + 1}, one above")
    if at.decision == "automa_card" and rival == NONE and positions[seat] != ROAD:
        yield Fault("to_act.automa", f"player {seat}, above whom no human stands", "an automa that is to answer")
    if rival != NONE and rival < at.humans and _most_wealth(at, rival) < positions[rival]:
        found = f"a bid of {positions[rival]} with a wealth of {_most_wealth(at, rival)}"
        yield Fault(f"players[{rival}].wagon.position", found, "a bid that can be paid (guards + favour // 2)")


def _most_wealth(at: Situation, seat: int) -> int:
    return at.wealth(seat) + (at.hidden_guards[seat][1] if seat in at.hidden_guards else 0)


def _guard_ranges(at: Situation) -> Faults:
    """What Farmers tell of hidden guards: who is asked has one, who was passed over has none (rules 6.3)."""
    for seat, (low, high) in at.hidden_guards.items():
        place = f"players[{seat}].guards_range"
        if at.decision == "farmer" and seat == at.seat and high < 1:
            yield Fault(place, f"{low} to {high}", "at least 1 guard for a Farmer that can be used")
        elif low > 0 and farmer_passed_over(at.tables, at.raw, seat):
            yield Fault(place, f"{low} to {high}", "0 guards, since a Farmer was passed over for want of them")


def farmer_passed_over(tables: Tables, raw: Mapping[str, Any], seat: int) -> bool:
    """Whether a Farmer of the seat has been passed over this round for want of guards (rules 6.3)."""
    if STAGES[raw["stage"]] != "storing":
        return False
    decision, order = DECISIONS[raw["decision"]], raw["storing_order"]
    if decision in ("farmer", "merchant"):
        behind = order.index(seat) < order.index(raw["seat"])
        if not behind and not (seat == raw["seat"] and decision == "merchant"):
            return False
    unused = [tables.tokens[token] for token in raw["companions"][seat] if not raw["used"] >> token & 1]
    return any(tables.components.companion_of(token).effects.guard_for_good for token in unused)


def _produce(at: Situation) -> Faults:
    if at.decision == "produce" and at.raw["token"] not in at.tokens_with(at.seat, "produce", at.round - 1):
        yield _bad_token(at, "a token of the seat that produces")


def _bad_token(at: Situation, allowed: str) -> Fault:
    return Fault("to_act.token", at.tables.tokens[at.raw["token"]], allowed)


def _collection(at: Situation) -> Faults:
    if at.decision == "collect" and at.data["to_act"]["town"] != at.town(at.raw["wagon"][at.seat]):
        yield Fault("to_act.town", at.data["to_act"]["town"], f"{at.town(at.raw['wagon'][at.seat])}, where the seat is")
    left = at.raw["grey_left"]
    if at.decision != "grey":
        if left:
            yield Fault("turn.grey_left", str(left), "0 but for a `grey` decision")
        return
    tokens = at.raw["companions"][at.seat]
    most = at.effects(tokens[-1]).grey_cards if tokens else 0
    if not 1 <= left <= most:
        yield Fault(
            "turn.grey_left",
            str(left),
            f"1 to {most}, as the token just taken allows" if most else "no grey cards to take",
        )
    if not any(at.raw["grey"]):
        yield Fault("to_act", "grey", "another decision: no grey cards are left")


def _order_after_selection(at: Situation) -> Faults:
    """Rules 4.2."""
    if at.stage not in ("tax_collection", "storing"):
        return
    wagons, positions = at.raw["wagon"], at.raw["position"]
    expected = sorted(range(at.humans), key=lambda seat: (positions[seat], at.numbers[wagons[seat]]))
    if at.raw["order"] != expected:
        yield Fault("order", repr(at.raw["order"]), f"{expected}, by positions and town numbers")


def _goods(at: Situation) -> Faults:
    """Before a player's tax collection only producing companions can have brought goods (rules 2.4, 5.3)."""
    if at.clear or at.stage == "storing":
        return
    for player in range(at.players):
        if at.has_collected(player):
            continue
        sources = [set(at.effects(token).produce) for token in at.raw["companions"][player] if at.is_used(token)]
        sources = [colours for colours in sources if colours]
        held = dict(zip(at.tables.goods, at.raw["goods"][player], strict=True))
        pieces = [colour for colour, count in held.items() for _ in range(count)]
        if len(pieces) != len(sources) or not _can_come_from(pieces, sources):
            place = f"players[{player}].goods"
            yield Fault(place, f"{len(pieces)} pieces", f"{len(sources)} of producing companions, before collecting")


def _can_come_from(pieces: list[str], sources: list[set[str]]) -> bool:
    """Whether each piece can be given a source of its own, one that makes its colour."""
    if not pieces:
        return True
    first, rest = pieces[0], pieces[1:]
    return any(
        first in colours and _can_come_from(rest, sources[:index] + sources[index + 1 :])
        for index, colours in enumerate(sources)
    )


def _horses(at: Situation) -> Faults:
    most = most_horses(at.tables)
    for seat in range(at.humans):
        place, halves = f"players[{seat}].horses", at.raw["horses"][seat]
        if at.stage == "storing":
            symbols = halves - sum(at.effects(token).half_horses for token in at.raw["companions"][seat])
            symbols -= 2 * (at.raw["fort"] != NONE and at.raw["wagon"][seat] in _fort_towns(at))
            if symbols % 2 or not 0 <= symbols // 2 <= most:
                yield Fault(place, f"{halves / 2:g}", "symbols collected, and what companions and fort add (rules 6.1)")
        elif halves % 2 or halves // 2 > (most if at.has_collected(seat) else 0):
            yield Fault(place, f"{halves / 2:g}", "symbols that a town can show, and 0 before collecting (rules 5.3)")


def _fort_towns(at: Situation) -> tuple[int, int]:
    ring, fort = at.raw["ring"], at.raw["fort"]
    return fort, ring[(ring.index(fort) + 1) % 6]


def _storing(at: Situation) -> Faults:
    listed = at.data["turn"]["storing_order"]
    if at.stage != "storing":
        if listed:
            yield Fault("turn.storing_order", repr(listed), "an empty list outside storing")
        if at.raw["next_chooser"]:
            yield Fault("turn.next_chooser", str(at.raw["next_chooser"]), "0 outside storing")
        return
    key = [-(8 * at.raw["horses"][seat] + at.numbers[at.raw["wagon"][seat]]) for seat in range(at.humans)]
    expected = sorted(range(at.humans), key=key.__getitem__)
    if listed != expected:
        yield Fault("turn.storing_order", repr(listed), f"{expected}, by horses and town numbers")
        return
    yield from _helper_decision(at)
    chooser = expected.index(at.seat)
    turns = {"row": chooser, "card": (chooser + 1) % at.humans}.get(at.decision, 0)
    if at.raw["next_chooser"] != turns:
        yield Fault("turn.next_chooser", str(at.raw["next_chooser"]), f"{turns} at this decision")


def _helper_decision(at: Situation) -> Faults:
    """Rules 6.3: Farmers and Merchants are decided on in order, and before the rows."""
    yield from _helpers_in_order(at)
    expected = next(_open_helpers(at), None)
    if at.decision in ("row", "card"):
        if expected is not None:
            helper = at.tables.tokens[expected[2]]
            yield Fault("to_act", at.decision, f"a decision on {helper} first, or the token in turn.used")
    elif expected != (at.decision, at.seat, at.raw["token"]):
        yield _bad_token(at, "the next Farmer or Merchant that can be used")


def _helpers_in_order(at: Situation) -> Faults:
    """Of the tokens of a kind that a seat holds the first acquired is used first, and no token before its turn."""
    in_order: list[int] = []
    for seat in at.raw["storing_order"]:
        for kind in ("guard_for_good", "swap_good"):
            in_order += at.tokens_with(seat, kind)
    asking = at.decision in ("farmer", "merchant") and at.raw["token"] in in_order
    too_early = in_order[in_order.index(at.raw["token"]) :] if asking else []
    for seat in range(at.humans):
        for kind in ("guard_for_good", "swap_good", "skip_points"):
            tokens = at.tokens_with(seat, kind)
            unused = [index for index, token in enumerate(tokens) if not at.is_used(token)]
            first = 0 if asking and kind == "skip_points" else (unused[0] if unused else len(tokens))
            too_early += tokens[first:]
    for token in sorted(set(too_early)):
        if at.is_used(token):
            yield Fault("turn.used", at.tables.tokens[token], "only tokens whose turn has come (rules 6.3, 6.7)")


def _open_helpers(at: Situation) -> Iterator[tuple[str, int, int]]:
    """Decisions on Farmers and Merchants that are still to come as things stand.

    Hidden guards count as none (raw fields hold 0), but for a seat that is being asked about its Farmer.
    """
    for seat in at.raw["storing_order"]:
        asked = at.decision == "farmer" and seat == at.seat and seat in at.hidden_guards
        for token in at.tokens_with(seat, "guard_for_good"):
            if not at.is_used(token) and (at.raw["guards"][seat] or asked):
                yield "farmer", seat, token
        for token in at.tokens_with(seat, "swap_good"):
            if not at.is_used(token) and any(at.raw["goods"][seat]):
                yield "merchant", seat, token


def _rows(at: Situation) -> Faults:
    """Rules 6.4 to 6.6: a row can be chosen, or a card taken for a row that is full."""
    pending = at.raw["pending_card"]
    if at.decision == "card":
        if pending != at.data["to_act"]["bonus"]:
            yield Fault("turn.pending_card", repr(at.data["turn"]["pending_card"]), "the bonus in to_act")
        if pending not in _bonuses_of_full_rows(at):
            yield Fault("to_act.bonus", str(pending), "the bonus of an estate row that is full")
        if not any(
            estate != NONE and symbols <= pending
            for estate, symbols in zip(at.raw["face_up"], at.tables.components.estate_cards.symbols, strict=True)
        ):
            yield Fault("to_act", "card", "another decision: no card on offer has so few symbols")
    elif pending != NONE:
        yield Fault("turn.pending_card", str(pending), "null but for a `card` decision")
    if at.decision == "row" and not _storable(at):
        yield Fault("to_act", "row", "another decision: the stage is over when no piece is storable (rules 6.8)")


def _storable(at: Situation) -> bool:
    """Whether some player has a piece that some row has an empty slot for (rules 6.4, 6.8)."""
    players = at.humans if at.tables.variant.chooser_must_contribute else at.players
    held = {
        colour
        for index in range(players)
        for colour, n in zip(at.tables.goods, at.raw["goods"][index], strict=True)
        if n
    }
    return any(
        slot.colour in held and not mask >> place & 1
        for half in range(2)
        for row, mask in zip(_rows_of(at, half), at.raw["filled"][4 * half :], strict=False)
        for place, slot in enumerate(row.slots)
    )


def _rows_of(at: Situation, half: int) -> Any:
    """The rows of the tile in the estate (0) or royal (1) warehouse."""
    name = at.tables.tiles[at.raw["tile"][half]]
    tile = next(entry for entry in at.tables.components.warehouse_tiles if entry.id == name)
    return (tile.side_1, tile.side_2)[at.raw["tile_side"]]


def _bonuses_of_full_rows(at: Situation) -> list[int]:
    rows = zip(_rows_of(at, 0), at.raw["filled"], strict=False)
    return [row.bonus for row, mask in rows if mask == 2 ** len(row.slots) - 1]


def _hand_over(at: Situation) -> Faults:
    if at.decision == "hand_over" and at.raw["token"] not in at.tokens_with(at.seat, "guards_for_points"):
        yield _bad_token(at, "a token of the seat that takes guards for favour")


STEPS = (
    (_stage,),
    (_siege, _presence),
    (
        _clear_table,
        _warehouses,
        _estate_decks,
        _hands,
        _tokens_once,
        _town_tokens,
        _token_pools,
        _companions,
        _used,
        _automa_cards,
        _wagons,
        _wagons_apart,
        _to_place,
        _evicted,
        _conflict,
        _guard_ranges,
        _produce,
        _collection,
        _order_after_selection,
        _goods,
        _horses,
        _storing,
        _rows,
        _hand_over,
    ),
)
"""The checks. Those of a step rely on what the steps before have established."""
