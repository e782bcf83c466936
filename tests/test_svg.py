"""Boards as pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest
from test_analysis import random_game

import lusatia_ai as la

SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def words(picture: str) -> str:
    return " ".join(text for text in parsed(picture).itertext())


VARIANTS = [
    la.Variant(humans=2, automas=1),
    la.Variant(humans=4, easy=True),
    la.Variant(humans=6),
    la.Variant(humans=3, automas=2, score_automas=True, sides="dark"),
]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_position_of_a_game_can_be_drawn(variant):
    record = random_game(1, variant)
    states = [state for state, _ in record.replay()] + [record.state()]
    for state in states[:10] + states[10:-5:7] + states[-5:]:
        root = parsed(la.svg.board(state))
        assert root.tag == f"{SVG}svg"
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        for text in root.iter(f"{SVG}text"):
            assert 0 <= float(text.attrib["x"]) <= width
            assert 0 <= float(text.attrib["y"]) <= height


def test_the_table_is_all_there():
    state = la.State.new(la.Variant(humans=3), seed=4)
    picture = la.svg.board(state, ["Ann", "Bob <b>", "Cleo"])
    text, position = words(picture), state.to_json()
    for entry in position["ring"]:
        assert entry["town"].title().replace("_", " ") in text
    assert "besieged" in text
    assert "Royal warehouse I" in text
    assert all(name in text for name in ("Ann", "Bob <b>", "Cleo"))
    assert "Bob &lt;b&gt;" in picture
    titles = Counter(title.text for title in parsed(picture).iter(f"{SVG}title"))
    tiles = {tile.id: tile for tile in state.components.warehouse_tiles}
    rows = [row for entry in position["warehouses"].values() for row in tiles[entry["tile"]].side_1]
    assert not Counter(f"{slot.colour} {slot.points}" for row in rows for slot in row.slots) - titles


def test_views_hide_hands_and_never_show_more_than_their_json():
    state = la.State.new(la.Variant(humans=3), seed=4)
    hidden = la.svg.board(state.view(0))
    assert words(hidden).count("?") == 2 * (1 + 3)  # guards and three estates of two others
    assert hidden == la.svg.board(state.view(0).to_json())
    assert "?" not in words(la.svg.board(state))


def test_notebooks_draw_states_and_views():
    state = la.State.new(seed=4)
    assert state._repr_svg_() == la.svg.board(state)
    assert state.view()._repr_svg_() == la.svg.board(state.view())


def test_a_picture_has_a_label_and_can_do_without_its_style():
    state = la.State.new(seed=4)
    picture = la.svg.board(state)
    assert "Favour: seat 0 10" in parsed(picture).attrib["aria-label"]
    assert "<style>" in picture
    assert la.svg.board(state, style=False) == picture.replace(la.svg.STYLE, "")


def test_drawing_is_repeatable():
    state = la.State.new(seed=4)
    assert la.svg.board(state) == la.svg.board(state.clone())
