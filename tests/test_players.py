"""Players: the protocol, each kind of them, programs outside, and specifications."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

import lusatia_ai as la
from lusatia_ai.arena import run_match
from lusatia_ai.players import (
    LEVELS,
    STYLES,
    AutomaLikePlayer,
    GreedyPlayer,
    ISMCTSPlayer,
    Player,
    PlayResult,
    ProcessPlayer,
    RandomPlayer,
    make_player,
    split_specs,
)

VARIANTS = {
    "two with an automa": la.Variant(humans=2, automas=1),
    "two with four automas, easy": la.Variant(humans=2, automas=4, easy=True, score_automas=True),
    "three": la.Variant(humans=3, sides="dark"),
    "four, own pieces": la.Variant(humans=4, chooser_must_contribute=True),
    "five, easy": la.Variant(humans=5, easy=True),
    "six": la.Variant(humans=6),
}
KINDS = set("produce travel respond collect grey farmer merchant row card hand_over".split())
QUICK = ["random", "greedy", "automa", "ismcts:iterations=4", "level1"]


def decisions(variant: la.Variant, seed: int, hands: str = "known") -> Iterator[la.View]:
    """The views of who decides, all through a random game."""
    state, rng = la.State.new(variant, seed=seed), np.random.default_rng(seed)
    while not state.is_over:
        yield state.view(hands=hands)  # type: ignore[arg-type]
        moves = state.legal_moves()
        state.apply(moves[rng.integers(len(moves))])


def a_decision(kind: str, seed: int = 0, variant: la.Variant | None = None) -> la.View:
    """Some view in which this is decided, with several moves."""
    for game in range(seed, seed + 200):
        for view in decisions(variant or la.Variant(humans=3), game):
            if view.decision == kind and len(view.legal_moves()) > 1:
                return view
    raise AssertionError(f"no such {kind}")


# --- the protocol -----------------------------------------------------------------------------------


@pytest.mark.parametrize("hands", ["known", "hidden"])
@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_all_players_decide_every_position_of_a_game_legally(variant, hands):
    players = [make_player(spec, seed=1) for spec in QUICK]
    for view in decisions(variant, seed=2, hands=hands):
        legal = view.legal_moves()
        before = view.to_json()
        for player in players:
            result = player.choose(view, la.Limit(iterations=3))
            assert isinstance(result, PlayResult)
            assert result.move in legal
        assert view.to_json() == before


def test_all_players_decide_every_kind_of_decision():
    views = {kind: a_decision(kind) for kind in KINDS}
    assert set(views) == KINDS
    for spec in QUICK:
        player = make_player(spec, seed=3)
        assert isinstance(player.name, str)
        for view in views.values():
            assert player.choose(view).move in view.legal_moves()


@pytest.mark.parametrize("spec", QUICK)
def test_the_same_seed_and_calls_give_the_same_moves(spec):
    views = list(islice(decisions(la.Variant(humans=3), seed=5), 60))

    def moves(seed: int) -> list[la.Move]:
        player = make_player(spec, seed)
        return [player.choose(view).move for view in views]

    assert moves(7) == moves(7)
    if spec != "greedy":  # chance decides among its equals only
        assert moves(7) != moves(8)


def test_seeds_may_be_seed_sequences_or_missing():
    view = a_decision("travel")
    for player in (RandomPlayer(np.random.SeedSequence(4)), GreedyPlayer(), AutomaLikePlayer(None), ISMCTSPlayer(1)):
        assert player.choose(view, la.Limit(iterations=2)).move in view.legal_moves()


# --- each kind --------------------------------------------------------------------------------------


def test_random_moves_are_equally_likely():
    view, player = a_decision("travel"), RandomPlayer(1)
    legal = view.legal_moves()
    counts = Counter(player.choose(view).move for _ in range(300 * len(legal)))
    assert set(counts) == set(legal)
    assert all(220 < count < 380 for count in counts.values())  # 300, standard deviation at most 17


def test_an_automa_like_player_bids_and_raises_by_as_little_as_it_can():
    player = AutomaLikePlayer(1)
    seen: Counter[str] = Counter()
    for seed in range(8):
        for view in decisions(la.Variant(humans=4), seed):
            if view.decision not in ("travel", "respond"):
                continue
            chosen = player.choose(view).move.text
            stem, _, bid = chosen.rpartition(":")
            alike = [move.text.rpartition(":") for move in view.legal_moves()]
            if chosen != "accept":
                assert int(bid) == min(int(other) for start, _, other in alike if start == stem)
            seen[chosen.partition(":")[0]] += 1
    assert min(seen["go"], seen["raise"], seen["accept"]) >= 5


def test_an_automa_like_player_raises_where_its_card_says_so():
    cards = la.complete_edition().automa_cards
    checked = 0
    for seed in range(12):
        for view in decisions(la.Variant(humans=4), seed):
            if view.decision != "respond" or len(view.legal_moves()) < 2:
                continue
            position = view.to_json()
            stands = position["players"][view.seat]["wagon"]["position"]
            tables = [card.early if position["round"] <= 3 else card.late for card in cards]
            player = AutomaLikePlayer(seed)
            raised = [player.choose(view).move.text != "accept" for _ in cards]  # turns each card of its deck once
            assert sum(raised) == sum(stands in table for table in tables)
            checked += 1
    assert checked >= 8


def test_an_automa_like_player_takes_the_goods_and_keeps_its_guards():
    player = AutomaLikePlayer(1)
    assert player.choose(a_decision("farmer")).move.text == "pass"
    assert player.choose(a_decision("merchant")).move.text == "pass"
    cards = a_decision("card")
    assert player.choose(cards).move == max(cards.legal_moves())
    view = a_decision("collect")
    goods = {}
    for move in view.legal_moves():
        after = view.sample(1).apply(move).to_json()
        goods[move] = sum(after["players"][view.seat]["goods"].values())
        assert after["stage"] == "tax_collection"
    assert goods[player.choose(view).move] == max(goods.values())


def test_levels_are_ten_and_each_thinks_no_longer_than_it_may():
    assert list(LEVELS) == list(range(1, 11))
    caps = [level.iterations for level in LEVELS.values()]
    assert caps[-1] is None
    assert caps[:-1] == sorted(caps[:-1])
    view = a_decision("travel")
    player = ISMCTSPlayer(level=2, seed=1)
    searches = [player.choose(view, la.Limit(iterations=10**6)).search for _ in range(20)]
    assert {search.iterations for search in searches if search} == {LEVELS[2].iterations}
    assert None in searches  # a blunder
    top = ISMCTSPlayer(level=10, seed=1)
    assert top.choose(view, la.Limit(iterations=33)).search.iterations == 33


def test_searching_players_play_the_best_move_they_find_and_low_levels_blunder():
    view = a_decision("travel")
    limit = la.Limit(iterations=60)
    for level, blunders in ((1, True), (10, False)):
        results = [ISMCTSPlayer(level=level, seed=seed).choose(view, limit) for seed in range(40)]
        assert all(result.move == result.search.best for result in results if result.search)
        assert any(result.search is None for result in results) == blunders
        assert not all(result.search is None for result in results)


def test_the_own_limit_of_a_player_goes_before_that_of_the_caller():
    player = make_player("ismcts:iterations=7", 1)
    assert player.choose(a_decision("travel"), la.Limit(iterations=100)).search.iterations == 7


def liked_by(style: str, game: int) -> dict[str, float]:
    """What seat 0 has if it plays in a style, summed over rounds: places back in the order, guards, symbols."""
    state = la.State.new(la.Variant(humans=3), seed=game)
    players = [ISMCTSPlayer(style=style if seat == 0 else "balanced", seed=seat) for seat in range(3)]
    sums, round_ = {"bidder": 0.0, "hoarder": 0.0, "estates_first": 0.0}, 1
    while not state.is_over:
        seat = state.seat_to_act
        assert seat is not None
        state.apply(players[seat].choose(state.view(hands="known"), la.Limit(iterations=40)).move)
        if state.round != round_ or state.is_over:
            round_, raw = state.round, state.raw()
            sums["bidder"] += raw["order"].index(0)
            sums["hoarder"] += raw["guards"][0]
            sums["estates_first"] += sum(raw["estates"][0])
    return sums


@pytest.mark.parametrize("style", [style for style in STYLES if style != "balanced"])
def test_a_style_gets_more_of_what_it_likes(style):
    fond, plain = (sum(liked_by(one, game)[style] for game in range(14)) for one in (style, "balanced"))
    assert fond > 1.05 * plain


@pytest.mark.parametrize("style", STYLES)
def test_every_style_plays(style):
    view = a_decision("travel")
    player = ISMCTSPlayer(level=9, style=style, limit=la.Limit(iterations=30), seed=1)
    assert player.choose(view).move in view.legal_moves()
    assert (style in player.name) == (style != "balanced")


@pytest.mark.parametrize("keep", [True, False])
def test_a_searching_player_that_is_told_the_game_keeps_its_tree(keep):
    state = la.State.new(la.Variant(humans=3), seed=6)
    me = state.seat_to_act
    player = ISMCTSPlayer(seed=1, limit=la.Limit(iterations=2000), keep_tree=keep)
    player.new_game(state.view(me))
    move = player.choose(state.view(hands="known")).move
    while True:
        seat = state.seat_to_act
        state.apply(move)
        player.observe({"seat": seat, "move": move.text})
        if state.seat_to_act == me:
            break
        move = la.search(state, la.Limit(iterations=200), seed=1).best
    found = player.choose(state.view(hands="known"), None).search
    assert found.iterations == 2000
    visits = sum(entry.visits for entry in found.moves)
    assert visits > 2000 if keep else visits == 2000


def test_a_player_that_follows_the_game_plays_as_if_it_saw_all_hands():
    """Attention makes up for hidden hands: the whole game is the same."""

    def games(player: str, hands: str) -> list[tuple[int, ...]]:
        bots = {"A": f"ismcts:iterations=60,keep_tree=false,{player}", "B": "random"}
        match = run_match(bots, lineup=("A", "B", "B"), games=3, seed=5, hands=hands)
        return [game.favour for game in match.games]

    seen = games("follow=true", "known")
    assert games("follow=true", "hidden") == seen
    assert games("follow=false", "hidden") != seen


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, "level: found 0; allowed: 1 to 10"),
        ({"level": True}, "level: found True; allowed: 1 to 10"),
        ({"style": "bold"}, "style: found 'bold'; allowed: balanced, bidder, hoarder, estates_first"),
    ],
)
def test_levels_and_styles_that_do_not_exist_are_refused(options, message):
    with pytest.raises(la.PlayerError, match=message):
        ISMCTSPlayer(**options)


# --- programs outside -------------------------------------------------------------------------------

BOT = """
import json, sys, time
mode = sys.argv[1]
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"id": asked["id"], "move": sys.argv[2] if len(sys.argv) > 2 else None}
    if mode == "die":
        print("something broke", file=sys.stderr)
        sys.exit(3)
    if mode == "sleep":
        time.sleep(60)
    if mode == "echo":
        answer = {"id": asked["id"], "error": json.dumps(asked, sort_keys=True)}
    if mode == "other id":
        answer["id"] = 7
    if mode == "comment":
        answer["comment"] = "I like it"
    print("what?" if mode == "garbage" else "[1]" if mode == "list" else json.dumps(answer), flush=True)
if mode == "stay":
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bots") / "bot.py"
    path.write_text(BOT)
    return f"{shlex.quote(sys.executable)} -S -E {shlex.quote(str(path))}"


def test_a_program_outside_decides(bot):
    view = a_decision("travel")
    move = view.legal_moves()[1]
    with ProcessPlayer(f"{bot} comment {move}", name="outsider") as player:
        assert player.name == "outsider"
        for _ in range(3):
            assert player.choose(view, la.Limit(time=0.1)) == PlayResult(move, comment="I like it")


def test_a_program_outside_is_told_its_view_and_the_limit(bot):
    state = la.State.new(la.Variant(humans=3), seed=1)
    view = state.view(hands="hidden")
    with ProcessPlayer(f"{bot} echo") as player, pytest.raises(la.PlayerError) as caught:
        player.choose(view, la.Limit(time=0.5, iterations=9))
    told = json.loads(str(caught.value).partition("the program reports: ")[2].splitlines()[0])
    assert told == {"id": "1", "query": "play", "view": view.to_json(), "limit": {"time": 0.5, "iterations": 9}}


def test_a_program_outside_is_told_seeds_that_follow_from_its_own(bot):
    told = []
    for seed in (5, 5, 6):
        with make_player(f"cmd:{bot} echo", seed=seed) as player, pytest.raises(la.PlayerError) as caught:
            player.choose(a_decision("travel"))
        told.append(json.loads(str(caught.value).partition("the program reports: ")[2].splitlines()[0])["seed"])
    assert told[0] == told[1] != told[2]
    assert all(0 <= seed < 2**32 for seed in told)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("garbage", "the answer is no JSON; allowed: one JSON object a line"),
        ("list", "the answer is no JSON object"),
        ("other id", "id: found 7; allowed: '1', as asked"),
        ("die", "the program has ended with exit code 3"),
        ("move accept", "illegal move 'accept': "),
        ("move go:nowhere:0", "bad notation 'go:nowhere:0'"),
        ("move", "move: found None; allowed: the text of a move"),
    ],
)
def test_bad_answers_of_a_program_are_told_with_what_was_sent(bot, mode, message):
    mode = "'other id'" if mode == "other id" else mode
    with ProcessPlayer(f"{bot} {mode}", name="outsider") as player, pytest.raises(la.PlayerError) as caught:
        player.choose(a_decision("travel"))
    told = str(caught.value)
    assert told.startswith(f"outsider: {message}")
    assert '\n  sent: {"id": "1", "query": "play"' in told
    assert ("something broke" in told) == (mode == "die")
    assert ("\n  received: " in told) == (mode != "die")


def test_a_late_program_is_stopped(bot):
    player = ProcessPlayer(f"{bot} sleep", grace=0.3)
    with pytest.raises(la.PlayerError, match=r"no answer within 0\.4 s"):
        player.choose(a_decision("travel"), la.Limit(time=0.1))
    assert player._running is None


def test_a_program_that_does_not_leave_is_stopped(bot):
    view = a_decision("travel")
    player = ProcessPlayer(f"{bot} stay {view.legal_moves()[0]}")
    player.choose(view)
    process = player._running._process
    player.close()
    assert process.returncode is not None
    assert player.choose(view).move == view.legal_moves()[0]  # starts anew
    player.close()
    player.close()


@pytest.mark.parametrize("command", ["no-such-program --fast", "", "'unbalanced"])
def test_a_program_that_does_not_exist_is_refused(command):
    with pytest.raises(la.PlayerError, match="cmd: found"):
        ProcessPlayer(command)


# --- specifications ---------------------------------------------------------------------------------


def make_first(seed: int) -> Player:
    """A factory for specifications."""
    return First()


def make_nothing(seed: int) -> object:
    return object()


class First:
    name = "first"

    def choose(self, view: la.View, limit: la.Limit | None = None) -> PlayResult:
        return PlayResult(view.legal_moves()[0])


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("random", RandomPlayer),
        ("greedy", GreedyPlayer),
        ("automa", AutomaLikePlayer),
        ("ismcts", ISMCTSPlayer),
        ("ismcts:5", ISMCTSPlayer),
        ("level5", ISMCTSPlayer),
        ("ismcts:level=7,style=balanced,iterations=500,time=0.1", ISMCTSPlayer),
        (f"cmd:{shlex.quote(sys.executable)} bot.py", ProcessPlayer),
        ("test_players:make_first", First),
    ],
)
def test_specifications_make_players(spec, kind):
    assert type(make_player(spec, 1)) is kind


def test_what_a_specification_says_is_done():
    player = make_player("ismcts:level=7,iterations=500,time=0.1", 1)
    assert (player.level, player.limit) == (LEVELS[7], la.Limit(time=0.1, iterations=500))
    assert make_player("level3").level == make_player("ismcts:3").level == LEVELS[3]
    assert make_player("ismcts").level == LEVELS[10]
    assert make_player("level3").name == "level3"


def test_specifications_set_parameters_of_the_search():
    player = make_player("ismcts:playout=uniform,exploration=0.5,trees=2,style=bidder")
    assert (player.params.playout, player.params.exploration, player.params.trees) == ("uniform", 0.5, 2)
    assert player.params.taste["bid"] == STYLES["bidder"]["bid"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rndom", "player: found 'rndom'; allowed: random, greedy, automa, ismcts, level1 to level10"),
        ("", "player: found ''; allowed: random"),
        ("random:3", "player: found 'random:3'; allowed: random"),
        ("level11", "level: found 11; allowed: 1 to 10"),
        ("ismcts:0", "level: found 0; allowed: 1 to 10"),
        ("ismcts:speed=3", "found 'speed'; allowed: level, style, keep_tree, follow, time, iterations"),
        ("ismcts:level=high", "level: found 'high'; allowed: a whole number"),
        ("ismcts:time=soon", "time: found 'soon'; allowed: a number"),
        ("ismcts:iterations=0", "iterations: found 0; allowed: a whole number from 1"),
        ("ismcts:level=3,level=4", "level is given twice"),
        ("no_such_module:make", "no_such_module:make cannot be imported"),
        ("test_players:make_none", "test_players has no callable make_none"),
        ("test_players:make_nothing", "gives a object; allowed: an object with a name and choose"),
        ("cmd:no-such-program", "cmd: found 'no-such-program'; allowed: a program that can be started"),
    ],
)
def test_bad_specifications_are_told(spec, message):
    with pytest.raises(la.PlayerError) as caught:
        make_player(spec, 1)
    assert message in str(caught.value)


def test_lists_of_specifications_are_split_where_a_new_one_begins():
    assert split_specs("level5, greedy") == ["level5", "greedy"]
    assert split_specs("ismcts:level=7,style=bidder,greedy,ismcts:time=1") == [
        "ismcts:level=7,style=bidder",
        "greedy",
        "ismcts:time=1",
    ]


def test_players_are_reachable_from_the_package():
    assert la.players.RandomPlayer is RandomPlayer
    assert not hasattr(la, "RandomPlayer")
    with pytest.raises(AttributeError, match="has no attribute 'playrs'"):
        la.playrs  # noqa: B018
