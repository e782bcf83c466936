"""Component sets: the shipped one, reading and writing, and every kind of fault with its exact place."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import tomllib
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lusatia_ai.components import (
    ComponentSet,
    Effects,
    GuardExchange,
    Scoring,
    Slot,
    Token,
    Yield,
    builtin,
    builtin_names,
    complete_edition,
)
from lusatia_ai.errors import ComponentError

SHIPPED_TEXT = (resources.files("lusatia_ai") / "data" / "complete_edition.toml").read_text(encoding="utf-8")
SHIPPED: dict[str, Any] = tomllib.loads(SHIPPED_TEXT)


def faults_of(data: object, place: str = "") -> list[Any]:
    with pytest.raises(ComponentError) as raised:
        ComponentSet.from_dict(data, place)
    return list(raised.value.faults)


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = copy.deepcopy(SHIPPED)
    change(data)
    return data


def parent_of(data: Any, path: str) -> tuple[Any, Any]:
    """What holds the thing at a path such as `tokens[3].arrows`, and its key or index there."""
    steps = [int(step) if step.isdigit() else step for step in path.replace("[", ".").replace("]", "").split(".")]
    for step in steps[:-1]:
        data = data[step]
    return data, steps[-1]


def put(path: str, value: object) -> Callable[[dict[str, Any]], object]:
    """A change that sets what stands at a path."""

    def change(data: dict[str, Any]) -> None:
        parent, step = parent_of(data, path)
        parent[step] = value

    return change


def drop(path: str) -> Callable[[dict[str, Any]], object]:
    """A change that takes away what stands at a path."""

    def change(data: dict[str, Any]) -> None:
        parent, step = parent_of(data, path)
        del parent[step]

    return change


class TestShippedSet:
    def test_totals(self) -> None:
        shipped = complete_edition()
        assert (shipped.name, shipped.version) == ("complete-edition", 1)
        assert shipped.goods == ("green", "blue", "red", "yellow")
        assert shipped.estates == ("clergy", "nobles", "burghers")
        assert Counter(token.pool for token in shipped.tokens) == {"1-2": 12, "3-4": 12, "5-6": 12}
        assert (len(shipped.easy_tokens), len(shipped.towns), len(shipped.companions)) == (18, 6, 29)
        assert (len(shipped.warehouse_tiles), len(shipped.automa_cards), len(shipped.scoring)) == (6, 6, 4)

    def test_every_companion_is_on_a_token(self) -> None:
        shipped = complete_edition()
        assert {token.companion for token in shipped.tokens} == {companion.id for companion in shipped.companions}

    def test_pieces_are_read_as_written(self) -> None:
        shipped = complete_edition()
        assert shipped.tokens[1] == Token("advocatus_a", "advocatus", "1-2", (0, 3), "reconstructed")
        assert shipped.towns[1].light[3] == Yield("guards", 3)
        assert shipped.warehouse_tiles[0].side_2[0].slots[0] == Slot("red", 3)
        assert (shipped.easy_tokens[0].centre, shipped.easy_tokens[0].estate) == (None, "clergy")
        assert (shipped.easy_tokens[6].centre, shipped.easy_tokens[6].estate) == (Yield("green", 2), None)
        assert (shipped.start.favour, shipped.start.guards) == (10, 3)
        assert (shipped.estate_cards.symbols, shipped.estate_cards.copies_per_estate) == ((2, 3, 4, 5), 2)
        assert shipped.automa_cards[4].early == ()

    def test_effects_are_read_as_written(self) -> None:
        effects = {companion.id: companion.effects for companion in complete_edition().companions}
        assert effects["innkeeper"] == Effects(produce=("red", "yellow"))
        assert effects["farmer"] == Effects(guard_for_good=True)
        assert effects["hetman"].guards_for_points == (8, 1) == GuardExchange(most=8, each=1)
        assert dict(effects["draper"].per_good) == {"green": 1}
        assert effects["draper"].per_good["green"] == 1
        assert not effects["draper"].per_symbol

    def test_is_read_once_and_found_by_name(self) -> None:
        assert builtin_names() == ("complete-edition",)
        assert builtin("complete-edition") is complete_edition() is complete_edition()

    @pytest.mark.parametrize("name", ["", "complete_edition", "../complete-edition", None, ["complete-edition"]])
    def test_unknown_name(self, name: Any) -> None:
        with pytest.raises(ComponentError, match="complete-edition"):
            builtin(name)


class TestLookUp:
    def test_companion_of_a_token_or_its_id(self) -> None:
        shipped = complete_edition()
        assert shipped.companion_of(shipped.tokens[1]).id == "advocatus"
        assert shipped.companion_of("advocatus_b").effects.grey_cards == 2
        with pytest.raises(KeyError):
            shipped.companion_of("easy_1")

    def test_scoring_for_each_number_of_humans(self) -> None:
        shipped = complete_edition()
        assert shipped.scoring_for(2).points == (7, 2)
        assert shipped.scoring_for(4) is shipped.scoring_for(5)
        assert shipped.scoring_for(6) == Scoring((6,), (10, 7, 5, 3, 1), "reconstructed")
        with pytest.raises(KeyError):
            shipped.scoring_for(7)


class TestValueObjects:
    def test_texts(self) -> None:
        assert (str(Yield("green", 2)), str(Slot("red", 3))) == ("green 2", "red 3")
        assert repr(complete_edition()) == "<ComponentSet 'complete-edition': 36 tokens, 29 companions>"

    def test_cannot_be_changed(self) -> None:
        shipped = complete_edition()
        with pytest.raises(dataclasses.FrozenInstanceError):
            shipped.name = "other"  # type: ignore[misc]
        with pytest.raises(TypeError):
            shipped.companions[13].effects.per_good["green"] = 2  # type: ignore[index]

    def test_equal_sets_have_equal_hashes(self) -> None:
        again = ComponentSet.from_dict(SHIPPED)
        assert again is not complete_edition()
        assert again == complete_edition()
        assert hash(again) == hash(complete_edition())
        assert again != ComponentSet.from_dict(changed(put("start.guards", 4)))

    def test_pickle(self) -> None:
        assert pickle.loads(pickle.dumps(complete_edition())) == complete_edition()


class TestReadingAndWriting:
    def test_to_dict_is_the_shipped_file(self) -> None:
        assert complete_edition().to_dict() == SHIPPED

    def test_round_trip(self) -> None:
        assert ComponentSet.from_dict(complete_edition().to_dict()) == complete_edition()

    def test_sets_of_numbers_are_ascending(self) -> None:
        data = changed(put("tokens[0].arrows", [5, 1, 0]))
        put("automa_cards[0].early", [3, 1])(data)
        read = ComponentSet.from_dict(data)
        assert (read.tokens[0].arrows, read.automa_cards[0].early) == ((0, 1, 5), (1, 3))

    def test_provenance_of_tokens_is_optional(self) -> None:
        data = changed(put("tokens[5].provenance", "rulebook"))
        put("easy_tokens[0].provenance", "printed")(data)
        read = ComponentSet.from_dict(data)
        assert [token.provenance for token in read.tokens[4:6]] == ["reconstructed", "rulebook"]
        assert read.easy_tokens[0].provenance == "printed"
        assert read.to_dict() == data

    @pytest.mark.parametrize(
        ("effects", "stage"),
        [
            ({"travel_discount": 2, "points": 4}, "2"),
            ({"travel_discount": 2, "points": 4}, "final"),
            ({"per_good": {"green": 1, "red": 2}, "produce": ["red"]}, "5"),
            ({"per_symbol": {"clergy": 1, "nobles": 20}, "guards_for_points": {"most": 99, "each": 20}}, "final"),
            ({}, "3"),
        ],
    )
    def test_companions_of_ones_own(self, effects: dict[str, Any], stage: str) -> None:
        data = changed(put("companions[0]", SHIPPED["companions"][0] | {"effects": effects, "stage": stage}))
        assert ComponentSet.from_dict(data).to_dict() == data

    def test_names_of_ones_own(self) -> None:
        data = tomllib.loads(SHIPPED_TEXT.replace("yellow", "amber").replace("clergy", "guilds").replace("farmer", "x"))
        assert ComponentSet.from_dict(data).to_dict() == data

    def test_toml(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(SHIPPED_TEXT, encoding="utf-8")
        assert ComponentSet.load(path) == ComponentSet.load(str(path)) == complete_edition()

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("name = 'x'\nversion = = 1\n", "line 2, column 11"),
            ("name = 'x", "end of document"),
            ("name = " + "[" * 100_000, "TOML text"),
            ("name = " + "1" * 10_000, "TOML text"),
        ],
    )
    def test_toml_syntax(self, text: str, place: str) -> None:
        with pytest.raises(ComponentError) as raised:
            ComponentSet.from_toml(text)
        assert [fault.place for fault in raised.value.faults] == [place]

    def test_unreadable_files(self, tmp_path: Path) -> None:
        no_text = tmp_path / "latin.toml"
        no_text.write_bytes(b"name = '\xe9'")
        for path in (tmp_path / "absent.toml", tmp_path, no_text, "a\0b"):
            with pytest.raises(ComponentError) as raised:
                ComponentSet.load(path)
            assert [fault.place for fault in raised.value.faults] == [str(path)]


FIRST = "companions[0].effects"

# A change of the shipped set, and the places of all faults that it must cause.
CASES: list[tuple[str, Callable[[dict[str, Any]], object], list[str]]] = [
    # Keys
    ("unknown key at the top", put("colour", 1), ["colour"]),
    ("unknown key of a piece", put("towns[2].size", 1), ["towns[2].size"]),
    (
        "unknown key of an inner table",
        put("warehouse_tiles[0].side_1[1].name", "x"),
        ["warehouse_tiles[0].side_1[1].name"],
    ),
    ("unknown key of a single table", put("start.horses", 1), ["start.horses"]),
    ("key that is no text", lambda data: data["start"].update({5: 1}), ["start.5"]),
    ("unknown effect", put(f"{FIRST}.flying", 1), [f"{FIRST}.flying"]),
    *[(f"no {key}", drop(key), [key]) for key in SHIPPED],
    *[(f"no {key} of a token", drop(f"tokens[3].{key}"), [f"tokens[3].{key}"]) for key in SHIPPED["tokens"][3]],
    *[
        (f"no {key} of a companion", drop(f"companions[28].{key}"), [f"companions[28].{key}"])
        for key in ("stage", "provenance", "effects")
    ],
    ("no id of a companion", drop("companions[28].id"), ["companions[28].id"]),
    ("no centre", drop("easy_tokens[3].centre"), ["easy_tokens[3].centre"]),
    ("no side", drop("towns[0].dark"), ["towns[0].dark"]),
    ("no second side", drop("warehouse_tiles[3].side_2"), ["warehouse_tiles[3].side_2"]),
    ("no early table", drop("automa_cards[3].early"), ["automa_cards[3].early"]),
    ("no grey symbols", drop("estate_cards.grey_symbols"), ["estate_cards.grey_symbols"]),
    # Types
    *[
        (f"{value!r} instead of a {kind}", put(path, value), [path])
        for kind, path, values in (
            ("list", "tokens", (None, {}, "tokens", 36, math.nan)),
            ("table", "start", (None, [], "10", 10)),
            ("table in a list", "towns[1]", (None, [], "kamenz", 2)),
            ("number", "start.favour", (None, True, 10.0, math.nan, math.inf, "10", [10], {}, -1, 100, 10**4000)),
            ("text", "companions[28].stage", (None, True, 5, ["5"], {})),
            ("list of numbers", "tokens[0].arrows", (None, 3, "012", {"0": 1})),
            ("yield", "towns[0].light[0]", (None, 2, ["green 2"], {"green": 2})),
        )
        for value in values
    ],
    # Names
    *[(f"name {name!r}", put("name", name), ["name"]) for name in ("", "My set", "Ä", 1)],
    *[(f"version {version!r}", put("version", version), ["version"]) for version in (0, 2, True, "1")],
    *[(f"id {name!r}", put("towns[0].id", name), ["towns[0].id"]) for name in ("", "Görlitz", "a-b", "a b", "a\n", 1)],
    ("long id", put("towns[0].id", "A" * 10_000), ["towns[0].id"]),
    ("town twice", put("towns[3].id", "kamenz"), ["towns[3].id"]),
    (
        "companion twice",
        put("companions[1].id", "guild_master"),
        ["companions[1].id", "tokens[1].companion", "tokens[2].companion"],
    ),
    ("tile twice", put("warehouse_tiles[5].id", "warehouse_1"), ["warehouse_tiles[5].id"]),
    ("card twice", put("automa_cards[1].id", "automa_1"), ["automa_cards[1].id"]),
    ("token twice", put("tokens[2].id", "advocatus_a"), ["tokens[2].id"]),
    ("token and easy token", put("easy_tokens[4].id", "farmer"), ["easy_tokens[4].id"]),
    ("provenance", put("towns[4].provenance", "guess"), ["towns[4].provenance"]),
    ("provenance of a token", put("tokens[4].provenance", None), ["tokens[4].provenance"]),
    # Goods and estates
    ("three goods", drop("goods[3]"), ["goods"]),
    ("five goods", lambda data: data["goods"].append("white"), ["goods"]),
    ("good twice", put("goods[3]", "green"), ["goods[3]"]),
    *[(f"good {name!r}", put("goods[0]", name), ["goods[0]"]) for name in ("guards", "horses", "estate", "Green", 1)],
    ("two estates", drop("estates[2]"), ["estates"]),
    ("estate twice", put("estates[1]", "clergy"), ["estates[1]"]),
    # Tokens
    ("no tokens", put("tokens", []), ["tokens"]),
    ("35 tokens", drop("tokens[0]"), ["tokens"]),
    ("short pool", put("tokens[0].pool", "3-4"), ["tokens"]),
    ("unknown pool", put("tokens[0].pool", "1-3"), ["tokens[0].pool"]),
    (
        "too many tokens",
        lambda data: data["tokens"].extend(dict(data["tokens"][0], id=f"t{i}") for i in range(29)),
        ["tokens"],
    ),
    ("unknown companion", put("tokens[0].companion", "pope"), ["tokens[0].companion"]),
    ("companion that is no text", put("tokens[0].companion", ["farmer"]), ["tokens[0].companion"]),
    ("no arrows", put("tokens[3].arrows", []), ["tokens[3].arrows"]),
    ("seven arrows", put("tokens[3].arrows", [0, 1, 2, 3, 4, 5, 0]), ["tokens[3].arrows"]),
    ("arrow twice", put("tokens[3].arrows", [0, 1, 1]), ["tokens[3].arrows[2]"]),
    ("sixth side", put("tokens[3].arrows", [0, 6]), ["tokens[3].arrows[1]"]),
    (
        "arrows that are no numbers",
        put("tokens[3].arrows", [True, 0.0, -1]),
        [f"tokens[3].arrows[{i}]" for i in range(3)],
    ),
    ("five easy tokens", put("easy_tokens", SHIPPED["easy_tokens"][:5]), ["easy_tokens"]),
    (
        "too many easy tokens",
        lambda data: data["easy_tokens"].extend(dict(data["easy_tokens"][0], id=f"t{i}") for i in range(47)),
        ["easy_tokens"],
    ),
    *[
        (f"centre {centre!r}", put("easy_tokens[0].centre", centre), ["easy_tokens[0].centre"])
        for centre in (
            "estate",
            "estate serfs",
            "estate clergy 1",
            "estate  clergy",
            "clergy 1",
            "green 0",
            "green 6",
            "",
            None,
        )
    ],
    # Towns
    ("five towns", drop("towns[5]"), ["towns"]),
    ("number twice", put("towns[5].number", 1), ["towns[5].number"]),
    *[(f"number {n!r}", put("towns[5].number", n), ["towns[5].number"]) for n in (0, 7, "6", True)],
    ("five sides", drop("towns[0].light[5]"), ["towns[0].light"]),
    ("seven sides", put("towns[0].dark", ["green 1"] * 7), ["towns[0].dark"]),
    *[
        (f"side {side!r}", put("towns[0].dark[1]", side), ["towns[0].dark[1]"])
        for side in (
            "green",
            "green 0",
            "green 6",
            "green 02",
            "green  2",
            " green 2",
            "green 2 ",
            "green 2\n",
            "white 1",
            "estate clergy",
            "green -1",
            "green ٢",
            "green " + "9" * 5000,
        )
    ],
    # Warehouses
    ("five tiles", drop("warehouse_tiles[5]"), ["warehouse_tiles"]),
    ("no rows", put("warehouse_tiles[5].side_1", []), ["warehouse_tiles[5].side_1"]),
    (
        "five rows",
        put("warehouse_tiles[5].side_1", [{"bonus": 1, "slots": ["red 1"]}] * 5),
        ["warehouse_tiles[5].side_1"],
    ),
    ("no slots", put("warehouse_tiles[0].side_2[3].slots", []), ["warehouse_tiles[0].side_2[3].slots"]),
    ("nine slots", put("warehouse_tiles[0].side_2[3].slots", ["red 1"] * 9), ["warehouse_tiles[0].side_2[3].slots"]),
    *[
        (
            f"slot {slot!r}",
            put("warehouse_tiles[0].side_2[3].slots[1]", slot),
            ["warehouse_tiles[0].side_2[3].slots[1]"],
        )
        for slot in ("red", "red 21", "guards 1", "white 1", 1)
    ],
    *[
        (f"bonus {bonus!r}", put("warehouse_tiles[0].side_2[3].bonus", bonus), ["warehouse_tiles[0].side_2[3].bonus"])
        for bonus in (-1, 21, False)
    ],
    # Estate cards
    ("three decks", put("estate_cards.symbols", [2, 3, 4]), ["estate_cards.symbols"]),
    ("decks out of order", put("estate_cards.symbols", [2, 4, 3, 5]), ["estate_cards.symbols"]),
    ("deck twice", put("estate_cards.symbols", [2, 3, 3, 5]), ["estate_cards.symbols[2]"]),
    ("deck of ten", put("estate_cards.symbols", [2, 3, 4, 10]), ["estate_cards.symbols[3]"]),
    ("deck that ends early", put("estate_cards.copies_per_estate", 1), ["estate_cards.copies_per_estate"]),
    ("too many copies", put("estate_cards.copies_per_estate", 21), ["estate_cards.copies_per_estate"]),
    ("grey symbols", put("estate_cards.grey_symbols", 0), ["estate_cards.grey_symbols"]),
    ("grey copies", put("estate_cards.grey_copies_per_estate", 21), ["estate_cards.grey_copies_per_estate"]),
    # Scoring
    ("no table for six", drop("scoring[3]"), ["scoring"]),
    ("two tables for four", put("scoring[1].humans", [3, 4]), ["scoring[2].humans"]),
    ("humans twice in a table", put("scoring[2].humans", [4, 5, 5]), ["scoring[2].humans[2]"]),
    ("seven humans", put("scoring[3].humans", [6, 7]), ["scoring[3].humans[1]"]),
    ("rising points", put("scoring[3].points", [5, 6]), ["scoring[3].points"]),
    ("no points", put("scoring[3].points", []), ["scoring[3].points"]),
    ("seven places", put("scoring[3].points", [1] * 7), ["scoring[3].points"]),
    ("too many points", put("scoring[3].points", [100, 1]), ["scoring[3].points[0]"]),
    # Automa cards
    ("no cards", put("automa_cards", []), ["automa_cards"]),
    (
        "17 cards",
        put("automa_cards", [SHIPPED["automa_cards"][0] | {"id": f"a{i}"} for i in range(17)]),
        ["automa_cards"],
    ),
    ("nowhere to go", put("automa_cards[0].arrows", ["stay", "stay"]), ["automa_cards[0].arrows"]),
    ("no automa arrows", put("automa_cards[0].arrows", []), ["automa_cards[0].arrows"]),
    ("unknown automa arrow", put("automa_cards[0].arrows[0]", "left"), ["automa_cards[0].arrows[0]"]),
    ("position 12", put("automa_cards[0].late", [11, 12]), ["automa_cards[0].late[1]"]),
    ("position twice", put("automa_cards[0].early", [1, 1]), ["automa_cards[0].early[1]"]),
    # Companions and effects
    ("no companions", put("companions", []), ["companions"]),
    ("unknown stage", put("companions[0].stage", "7"), ["companions[0].stage"]),
    ("stage of another effect", put("companions[0].stage", "4"), ["companions[0].stage"]),
    ("final label on a bonus of a stage", put("companions[0].stage", "final"), ["companions[0].stage"]),
    *[
        (f"{effect} {value!r}", put(f"{FIRST}.{effect}", value), [f"{FIRST}.{effect}"])
        for effect, high in {
            "estate_row_bonus": 20,
            "slowest_bonus": 20,
            "half_horses": 20,
            "skip_points": 20,
            "recruit": 20,
            "points": 20,
            "zero_guard_bonus": 20,
            "per_four_arrow_token": 20,
            "per_dominated_estate": 20,
            "per_poorer_player": 20,
            "travel_discount": 5,
            "extra_arrows": 5,
            "grey_cards": 6,
        }.items()
        for value in (0, high + 1, True, 1.0)
    ],
    *[
        (f"{effect} {value!r}", put(f"{FIRST}.{effect}", value), [f"{FIRST}.{effect}"])
        for effect in ("guard_for_good", "swap_good", "occupy_at_one")
        for value in (False, 1, "true")
    ],
    ("produce nothing", put(f"{FIRST}.produce", []), [f"{FIRST}.produce"]),
    ("produce horses", put(f"{FIRST}.produce", ["red", "horses"]), [f"{FIRST}.produce[1]"]),
    ("produce twice the same", put(f"{FIRST}.produce", ["red", "red"]), [f"{FIRST}.produce[1]"]),
    ("bonus for no good", put(f"{FIRST}.per_good", {}), [f"{FIRST}.per_good"]),
    ("bonus for an unknown good", put(f"{FIRST}.per_good", {"white": 1}), [f"{FIRST}.per_good.white"]),
    ("bonus for a good", put(f"{FIRST}.per_good", {"red": 21}), [f"{FIRST}.per_good.red"]),
    ("bonus for goods in a list", put(f"{FIRST}.per_good", ["red"]), [f"{FIRST}.per_good"]),
    ("bonus for an unknown estate", put(f"{FIRST}.per_symbol", {"red": 1}), [f"{FIRST}.per_symbol.red"]),
    ("guards for nothing", put(f"{FIRST}.guards_for_points", {"most": 3}), [f"{FIRST}.guards_for_points.each"]),
    (
        "guards, too many",
        put(f"{FIRST}.guards_for_points", {"most": 100, "each": 1}),
        [f"{FIRST}.guards_for_points.most"],
    ),
    ("guards in a list", put(f"{FIRST}.guards_for_points", [3, 2]), [f"{FIRST}.guards_for_points"]),
    ("two decisions", put(FIRST, {"swap_good": True, "skip_points": 4}), [FIRST]),
]


class TestFaults:
    @pytest.mark.parametrize(("change", "places"), [pytest.param(*case[1:], id=case[0][:60]) for case in CASES])
    def test_place(self, change: Callable[[dict[str, Any]], object], places: list[str]) -> None:
        faults = faults_of(changed(change))
        assert [fault.place for fault in faults] == places
        assert all(0 < len(fault.found) < 120 and fault.allowed for fault in faults)

    def test_message_says_what_and_where_and_whose(self) -> None:
        with pytest.raises(ComponentError) as raised:
            ComponentSet.from_dict(changed(put("tokens[2].arrows", [0, 9])))
        message = (
            "bad component set: tokens[2].arrows[1]: found 9 (in advocatus_b); allowed: a whole number from 0 to 5"
        )
        assert str(raised.value) == message

    def test_several_at_once(self) -> None:
        data = copy.deepcopy(SHIPPED)
        for change in (
            put("goods[0]", "guards"),
            put("companions[3].stage", "6"),
            put("tokens[0].companion", "pope"),
            put("tokens[7].arrows", [0, 0]),
            put("easy_tokens[2].centre", "estate serfs"),
            put("start.luck", 1),
            drop("scoring[0]"),
            put("towns[5].number", 1),
            put("towns[5].dark[0]", "red 9"),
            put("warehouse_tiles[1].side_1[0].bonus", None),
            drop("automa_cards[0].late"),
        ):
            change(data)
        assert [fault.place for fault in faults_of(data)] == [
            "goods[0]",
            "companions[3].stage",
            "tokens[0].companion",
            "tokens[7].arrows[1]",
            "easy_tokens[2].centre",
            "start.luck",
            "scoring",
            "towns[5].number",
            "towns[5].dark[0]",
            "warehouse_tiles[1].side_1[0].bonus",
            "automa_cards[0].late",
        ]

    def test_nothing_at_all(self) -> None:
        assert [fault.place for fault in faults_of({}, "components")] == [
            f"components.{field.name}"
            for field in sorted(dataclasses.fields(ComponentSet), key=lambda field: READING_ORDER.index(field.name))
        ]

    @pytest.mark.parametrize("data", [None, [], "complete-edition", 1, math.nan])
    def test_no_table(self, data: object) -> None:
        assert [fault.place for fault in faults_of(data)] == ["component set"]
        assert [fault.place for fault in faults_of(data, "components")] == ["components"]

    def test_place_of_the_set_begins_each_place(self) -> None:
        faults = faults_of(changed(put("tokens[3].arrows[0]", 6)), "record.components")
        assert [fault.place for fault in faults] == ["record.components.tokens[3].arrows[0]"]

    def test_deep_and_endless_nesting(self) -> None:
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        endless: list[Any] = []
        endless.append(endless)
        for value in (deep, endless):
            for path in ("name", "goods[0]", "towns[0].light[0]", "tokens[0].arrows[0]", FIRST):
                assert [fault.place for fault in faults_of(changed(put(path, value)))] == [path]
        while deep:  # so that it is not freed recursively
            deep = deep[0]

    def test_number_too_long_to_be_written(self) -> None:
        assert [fault.found for fault in faults_of(changed(put("start.guards", 10**5000)))] == ["a huge number"]

    def test_endless_lists_are_cut(self) -> None:
        assert len(faults_of(changed(put("towns", [None] * 1_000_000)))) == 7


READING_ORDER = [
    *("name", "version", "goods", "estates", "companions", "tokens", "easy_tokens", "start", "scoring"),
    *("estate_cards", "towns", "warehouse_tiles", "automa_cards"),
]

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 25)
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        [10**4000, "green 2", "guards 3", "estate clergy", "farmer", "red", "1-2", "5", "stay", "easy_1", ""]
    )
)
KEYS = st.sampled_from(["id", "arrows", "effects", "produce", "points", "bonus", "humans", "green"]) | st.text(
    max_size=4
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)


def mutate(data: Any, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
    """Change, drop, add or repeat one random thing in nested lists and dicts."""
    while True:
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        if not keys:
            return
        key = draw(st.sampled_from(keys))
        inner = data[key]
        if isinstance(inner, (list, dict)) and inner and draw(st.integers(0, 4)):
            data = inner
            continue
        match draw(st.sampled_from(["put", "put", "drop", "add", "repeat"])):
            case "put":
                data[key] = draw(JSON)
            case "drop":
                del data[key]
            case "add" if isinstance(data, dict):
                data[draw(KEYS)] = draw(JSON)
            case "add":
                data.insert(key, draw(JSON))
            case "repeat" if isinstance(data, list):
                data.insert(key, data[draw(st.sampled_from(keys))])
        return


def read_or_refuse(data: object) -> None:
    try:
        read = ComponentSet.from_dict(data)
    except ComponentError as error:
        faults, message = error.faults, str(error)
    else:
        assert ComponentSet.from_dict(read.to_dict()) == read
        return
    assert faults
    assert len(message) < 500 * (len(faults) + 1)


class TestFuzz:
    @settings(max_examples=150, deadline=None)
    @given(st.data())
    def test_damaged_sets(self, data: st.DataObject) -> None:
        damaged = copy.deepcopy(SHIPPED)
        for _ in range(data.draw(st.integers(1, 3))):
            mutate(damaged, data.draw)
        read_or_refuse(damaged)

    @settings(max_examples=100, deadline=None)
    @given(st.dictionaries(st.sampled_from(READING_ORDER), JSON) | JSON)
    def test_any_json(self, data: object) -> None:
        with pytest.raises(ComponentError):
            ComponentSet.from_dict(data)
