"""The engine: exactly one final reply for each query, whatever comes in; fields, schema and documents that agree."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_search import before_the_last_row
from transcripts import FOLDER, answered, ask_all, read

import lusatia_ai as la
from lusatia_ai import engine as engine_module
from lusatia_ai import protocol, schema
from lusatia_ai.engine import LONGEST_LINE, Engine, LineReader, Outbox, id_at_front
from lusatia_ai.protocol import Analyse, Apply, LegalMoves, New, Play, SearchLimit, VariantOptions

Json = dict[str, Any]
DOCS = Path(__file__).parent.parent / "docs"
GAME = Path(__file__).parents[1] / "examples" / "games" / "three_players.json"
STATE = la.State.new(la.Variant(humans=3), seed=7)
POSITION = STATE.to_json()
RECORD = json.loads(GAME.read_text(encoding="utf-8"))
TRANSCRIPTS = sorted(FOLDER.glob("*.jsonl"))
LONG = {"time": 30}


def ask(*queries: Json | str | bytes, workers: int = 2) -> list[Json]:
    """The replies of an engine to these lines, as they come."""
    lines = [query if isinstance(query, (str, bytes)) else json.dumps(query) for query in queries]
    text = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    replies, code = ask_all(text, workers)
    assert code == 0
    return [json.loads(reply) for reply in replies]


def final(replies: list[Json], id: str) -> Json:
    """The only final reply to a query."""
    (reply,) = [reply for reply in replies if reply["id"] == id and reply.get("final", True)]
    return reply


class Collected:
    """An engine in this process whose replies are kept."""

    def __init__(self, workers: int = 1) -> None:
        self.replies: list[Json] = []
        self.engine = Engine(lambda line, droppable: self.replies.append(json.loads(line)), workers)

    def accept(self, **query: Any) -> None:
        self.engine.accept(json.dumps(query).encode())

    def wait_for(self, id: str, final: bool = True) -> Json:
        """The first reply with this id."""
        ends = time.monotonic() + 30
        while time.monotonic() < ends:
            for reply in list(self.replies):
                if reply["id"] == id and (reply.get("final", True) or not final):
                    return reply
            time.sleep(0.005)
        raise AssertionError(f"no reply to {id}: {self.replies}")


class TestTranscripts:
    @pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
    def test_golden_transcripts_are_what_the_engine_answers(self, path: Path) -> None:
        inputs, expected = read(path)
        assert len(expected) >= len(inputs)
        assert answered(inputs) == expected, "if this is meant: python tests/transcripts.py"

    @pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
    def test_their_messages_satisfy_the_schema(self, path: Path) -> None:
        inputs, outputs = read(path)
        document = schema.json_schema()
        validator = jsonschema.Draft202012Validator(document)
        query_of = {line["id"]: line["query"] for line in inputs if isinstance(line, dict) and "query" in line}
        refused = {reply["id"] for reply in outputs if "error" in reply or "warning" in reply}
        for line in inputs:
            if isinstance(line, dict) and line["id"] not in refused:
                validator.validate(line)
        for reply in outputs:
            validator.validate(reply)
            if "error" not in reply and "warning" not in reply:
                part = document["replies"][query_of[reply["id"]]] | {"$defs": document["$defs"]}
                jsonschema.Draft202012Validator(part).validate(reply)


class TestDocuments:
    def test_the_published_schema_is_the_current_one(self) -> None:
        jsonschema.Draft202012Validator.check_schema(schema.json_schema())
        published = json.loads((DOCS / "engine.schema.json").read_text(encoding="utf-8"))
        assert published == schema.json_schema(), "lusatia-ai engine --schema > docs/engine.schema.json"

    def test_the_reference_lists_every_field_as_defined(self) -> None:
        text = (DOCS / "engine.md").read_text(encoding="utf-8")
        assert text.endswith(schema.field_tables()), "its end is what `lusatia-ai engine --fields` prints"

    def test_the_examples_in_the_reference_are_what_the_engine_answers(self) -> None:
        text = (DOCS / "engine.md").read_text(encoding="utf-8")
        (asked, replied) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)[:2]
        assert answered([json.loads(line) for line in asked.splitlines()]) == [
            json.loads(line) for line in replied.splitlines()
        ]

    def test_ranges_are_those_of_the_library(self) -> None:
        for name, field in schema.json_schema()["$defs"]["SearchLimit"]["properties"].items():
            (part,) = [part for part in field["anyOf"] if part["type"] != "null"]
            low, high = part["minimum"], part["maximum"]
            for good in (low, high):
                la.Limit(**{name: good})
            for bad in (low - (1 if part["type"] == "integer" else 0.0001), high * 2):
                with pytest.raises(la.LimitError):
                    la.Limit(**{name: bad})

    def test_every_query_has_a_reply_and_a_handler(self) -> None:
        from lusatia_ai.answers import Answers

        assert set(protocol.REPLIES) == set(protocol.QUERIES.values())
        assert set(protocol.REPLIES) - set(Answers._WAYS) == {protocol.Stop, protocol.Quit}


class TestQueries:
    def test_a_game_is_that_of_a_state_with_the_same_seed(self) -> None:
        state = la.State.new(la.Variant(humans=2, automas=1), seed=5)
        with la.EngineClient() as engine:
            game = engine.ask(New(variant=VariantOptions(humans=2, automas=1), seed=5))
            events = list(game.events)
            while game.result is None:
                assert game.position == state.to_json()
                assert engine.ask(LegalMoves(position=game.position)).moves == [str(m) for m in state.legal_moves()]
                move = str(state.legal_moves()[-1])
                state.apply(move)
                game = engine.ask(Apply(position=game.position, stream=game.stream, moves=[move]))
                events += game.events
        assert (game.result.favour, game.result.winners) == (list(state.favour), list(state.winners))
        record = la.Record.new(la.Variant(humans=2, automas=1)).to_json() | {"events": events}
        assert la.Record.from_json(record, strict=True).state() == state

    def test_play_is_what_the_player_of_the_library_plays(self) -> None:
        view = STATE.view(hands="hidden")
        for level, style in ((1, "balanced"), (5, "bidder"), (9, "hoarder")):
            player = la.players.ISMCTSPlayer(level=level, style=style, seed=3)
            expected = player.choose(view, la.Limit(iterations=80)).move.text
            query = {"query": "play", "level": level, "style": style, "seed": 3, "limit": {"iterations": 80}}
            replies = ask(
                query | {"id": "view", "view": view.to_json()},
                query | {"id": "position", "position": POSITION, "hands": "hidden"},
            )
            assert {final(replies, id)["move"] for id in ("view", "position")} == {expected}

    def test_play_does_not_use_up_its_time_where_the_best_move_is_known(self) -> None:
        state = before_the_last_row()
        started = time.monotonic()
        reply = final(
            ask({"id": "p", "query": "play", "level": 10, "position": state.to_json(), "limit": {"time": 20}}), "p"
        )
        assert time.monotonic() - started < 10
        solution = la.solve(state, objective="margin", horizon="game")
        assert reply["move"] == solution.best[0].text

    def test_analysis_is_the_search_of_the_library(self) -> None:
        result = la.search(STATE, la.Limit(iterations=150), seed=2)
        query = {"id": "a", "query": "analyse", "position": POSITION, "limit": {"iterations": 150}, "seed": 2, "top": 2}
        reply = final(ask(query), "a")
        assert reply["best"] == result.best.text
        assert [(m["move"], m["visits"], tuple(m["value"])) for m in reply["moves"]] == [
            (entry.move.text, entry.visits, entry.value) for entry in result.moves[:2]
        ]
        assert "stopped" not in reply

    def test_included_and_excluded_moves(self) -> None:
        legal = [str(move) for move in STATE.legal_moves()]
        query = {"query": "analyse", "position": POSITION, "limit": {"iterations": 50}}
        replies = ask(query | {"id": "in", "include": legal[:2]}, query | {"id": "out", "exclude": legal[:2]})
        assert {entry["move"] for entry in final(replies, "in")["moves"]} == set(legal[:2])
        assert {entry["move"] for entry in final(replies, "out")["moves"]} == set(legal[2:])

    def test_a_record_grows_by_what_is_applied(self) -> None:
        record = la.Record.new(la.Variant(humans=3)).draw_chance(1)
        move = str(record.state().legal_moves()[0])
        query = {"id": "a", "query": "apply", "record": record.to_json(), "moves": [move], "seed": 1}
        grown = la.Record.from_json(final(ask(query), "a")["record"], strict=True)
        assert grown.events[: len(record.events)] == record.events
        assert grown.events[len(record.events)]["move"] == move

    def test_turns_choose_the_position_of_a_record(self) -> None:
        record = la.Record.new(la.Variant(humans=3)).draw_chance(1)
        record.append(record.state().legal_moves()[0])
        for turns in range(len(record.events) + 1):
            query = {"id": "m", "query": "legal_moves", "record": record.to_json(), "turns": turns}
            expected = record.state(turns)
            assert final(ask(query), "m")["seat"] == expected.seat_to_act

    def test_a_view_never_shows_the_full_position(self) -> None:
        """A search over hidden hands does not depend on them."""
        other = json.loads(json.dumps(POSITION))
        for seat in range(3):
            if seat != STATE.seat_to_act:
                other["players"][seat]["guards"] = 9
        query = {"query": "analyse", "hands": "hidden", "limit": {"iterations": 100}, "seed": 1}
        replies = ask(query | {"id": "a", "position": POSITION}, query | {"id": "b", "position": other})
        assert final(replies, "a")["moves"] == final(replies, "b")["moves"]


class TestAsynchronously:
    def test_reports_on_the_way_are_not_final(self) -> None:
        query = {"id": "a", "query": "analyse", "position": POSITION, "limit": {"time": 0.6}, "report_every": 0.1}
        replies = ask(query)
        assert [reply.get("final", True) for reply in replies] == [False] * (len(replies) - 1) + [True]
        assert len(replies) >= 2
        counts = [reply["iterations"] for reply in replies]
        assert counts == sorted(counts)

    def test_an_analysis_tells_losses_and_explains_its_best_move(self) -> None:
        query = {"query": "analyse", "position": POSITION, "limit": {"iterations": 300}, "seed": 1}
        plain, told = ask(query | {"id": "a"})[0], ask(query | {"id": "b", "explain": True})[0]
        assert "hint" not in plain
        assert told["hint"][-1].startswith("Win shares are seat")
        best, *others = told["moves"]
        assert best["loss"] == 0.0
        for entry in others:
            lost = best["value"][told["seat"]] - entry["value"][told["seat"]]
            assert entry["loss"] == pytest.approx(max(0.0, lost))
            assert entry["loss_stderr"] > 0

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ({"query": "solve", "position": POSITION, "horizon": "game"}, "horizon"),
            ({"query": "analyse", "record": RECORD}, "record"),
            ({"query": "legal_moves", "record": RECORD, "turns": 9999}, "turns"),
        ],
    )
    def test_errors_name_the_field_at_fault(self, query: dict[str, Any], field: str) -> None:
        (reply,) = ask(query | {"id": "a"})
        assert reply["field"] == field

    def test_a_stopped_analysis_answers_with_what_it_has_found(self) -> None:
        run = Collected()
        run.accept(id="a", query="analyse", position=POSITION, limit=LONG, report_every=0.1)
        run.wait_for("a", final=False)
        run.accept(id="s", query="stop", target="a")
        reply = run.wait_for("a")
        run.engine.close()
        assert reply["stopped"]
        assert reply["best"] in [str(move) for move in STATE.legal_moves()]
        assert run.wait_for("s")["stopping"] == ["a"]
        assert reply["elapsed"] < 20

    def test_a_move_is_played_with_what_was_found_until_stopped(self) -> None:
        run = Collected(workers=1)
        run.accept(id="p", query="play", position=POSITION, limit=LONG)
        time.sleep(0.5)
        run.accept(id="s", query="stop", target="p")
        reply = run.wait_for("p")
        run.engine.close()
        assert reply["stopped"]
        assert reply.get("move") in [None, *(str(move) for move in STATE.legal_moves())]

    def test_a_solution_is_given_with_bounds_when_stopped(self) -> None:
        large = la.State.new(la.Variant(humans=6), seed=3)
        run = Collected(workers=1)
        run.accept(id="s", query="solve", position=large.to_json(), limit=LONG)
        time.sleep(0.5)
        run.accept(id="stop", query="stop", target="s")
        reply = run.wait_for("s")
        run.engine.close()
        assert reply["stopped"]
        assert reply["solution"]["status"] == "bound"
        assert reply["solution"]["best"]
        assert reply["solution"]["elapsed"] < 20

    def test_a_query_can_be_stopped_before_it_begins(self) -> None:
        run = Collected(workers=1)
        run.accept(id="a", query="analyse", position=POSITION, limit=LONG)
        run.accept(id="b", query="play", position=POSITION)
        run.accept(id="s", query="stop", target="b")
        assert run.wait_for("b") == {"id": "b", "stopped": True}
        run.accept(id="all", query="stop", all=True)
        assert run.wait_for("a")["stopped"]
        run.engine.close()
        assert Counter(reply["id"] for reply in run.replies) == {"a": 1, "b": 1, "s": 1, "all": 1}

    def test_stop_before_there_is_anything_to_stop(self) -> None:
        assert ask({"id": "s", "query": "stop", "target": "a"}) == [{"id": "s", "stopping": []}]

    def test_priority_goes_first(self) -> None:
        run = Collected(workers=1)
        run.accept(id="busy", query="analyse", position=POSITION, limit=LONG)
        short = {"query": "analyse", "position": POSITION, "limit": {"iterations": 1}}
        for id, priority in (("low", -5), ("first", 0), ("second", 0), ("high", 7)):
            run.accept(id=id, priority=priority, **short)
        run.accept(id="s", query="stop", target="busy")
        run.engine.close()
        order = [reply["id"] for reply in run.replies if reply["id"] not in ("s", "busy")]
        assert order == ["high", "first", "second", "low"]

    def test_quick_queries_are_answered_while_all_workers_search(self) -> None:
        run = Collected(workers=1)
        run.accept(id="a", query="analyse", position=POSITION, limit=LONG)
        run.accept(id="m", query="legal_moves", position=POSITION)
        assert run.wait_for("m")["moves"]
        assert [reply["id"] for reply in run.replies] == ["m"]
        run.engine.stop_all()
        run.engine.close()

    def test_an_id_in_flight_is_refused(self) -> None:
        run = Collected()
        run.accept(id="a", query="analyse", position=POSITION, limit=LONG)
        run.accept(id="a", query="version")
        assert run.wait_for("a")["field"] == "id"
        run.engine.stop_all()
        run.engine.close()
        assert [reply.get("stopped", False) for reply in run.replies] == [False, True]

    def test_an_id_is_free_after_the_final_reply(self) -> None:
        replies = ask({"id": "a", "query": "version"}, {"id": "a", "query": "version"})
        assert [reply.get("name") for reply in replies] == ["lusatia-ai"] * 2

    def test_the_end_of_input_finishes_the_queue(self) -> None:
        query = {"query": "analyse", "position": POSITION, "limit": {"iterations": 40}}
        replies = ask(*(query | {"id": str(number)} for number in range(30)))
        assert Counter(reply["id"] for reply in replies) == {str(number): 1 for number in range(30)}
        assert all(reply["iterations"] == 40 for reply in replies)

    def test_quit_stops_everything_and_is_answered_last(self) -> None:
        queries = [{"id": str(n), "query": "analyse", "position": POSITION, "limit": LONG} for n in range(5)]
        started = time.monotonic()
        replies = ask(*queries, {"id": "q", "query": "quit"}, {"id": "after", "query": "version"})
        assert time.monotonic() - started < 20
        assert replies[-1] == {"id": "q"}
        assert sorted(reply["id"] for reply in replies) == ["0", "1", "2", "3", "4", "q"]
        assert all(reply["stopped"] for reply in replies[:-1])

    def test_an_error_inside_is_answered_and_the_engine_lives_on(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise ZeroDivisionError("oops")

        monkeypatch.setattr("lusatia_ai.answers.SearchTree", fail)
        replies = ask({"id": "a", "query": "analyse", "position": POSITION}, {"id": "v", "query": "version"})
        assert final(replies, "a")["error"] == "internal error: ZeroDivisionError: oops"
        assert final(replies, "v")["name"] == "lusatia-ai"
        assert "ZeroDivisionError" in capsys.readouterr().err


class TestLines:
    def test_a_line_without_an_end_counts(self) -> None:
        replies, _ = ask_all(b'\r\n{"id": "v", "query": "version"}\r\n\n  \n{"id": "w", "query": "version"}')
        assert [json.loads(reply)["id"] for reply in replies] == ["v", "w"]

    def test_a_line_too_long_is_refused_by_its_id(self) -> None:
        long = b'{"id": "long", "query": "legal_moves", "position": "' + b"x" * (10 * 2**20) + b'"}'
        replies = ask(long, {"id": "v", "query": "version"})
        assert "too long" in final(replies, "long")["error"]
        assert final(replies, "v")["name"] == "lusatia-ai"

    def test_only_the_beginning_of_a_long_line_is_kept(self) -> None:
        source, feed = os.pipe()
        threading.Thread(target=lambda: (os.write(feed, b"a" * 5000 + b"\nbcd\n" + b"e" * 10), os.close(feed))).start()
        assert list(LineReader(source, longest=10)) == [(b"a" * 10, False), (b"bcd", True), (b"e" * 10, True)]
        os.close(source)

    def test_wrong_encodings_are_refused(self) -> None:
        lines = [b'{"id": "\xff", "query": "version"}', '{"id": "ü", "query": "version"}'.encode("utf-16")]
        replies = ask(*lines, '{"id": "ü", "query": "version"}', '{"id": "\\ud800", "query": "version"}')
        assert final(replies, "ü")["name"] == "lusatia-ai"
        assert all("error" in reply for reply in replies if reply["id"] is None)
        assert len(replies) >= 4

    @pytest.mark.parametrize(
        ("line", "id"),
        [
            (b'{"id":"a1", "query"', "a1"),
            (b' { "id" : "q\\"\\u00fc" ,', 'q"ü'),
            (b'{"query": "play", "id": "a"', None),
            (b'{"id": ""', None),
            (b'{"id": 7', None),
            (b'{"id": "' + b"x" * 201 + b'"', None),
            (b'{"id": "\xff"', None),
        ],
    )
    def test_the_id_at_the_front_of_a_broken_line(self, line: bytes, id: str | None) -> None:
        assert id_at_front(line) == id

    values = st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=8)
        | st.just(POSITION),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=6,
    )
    keys = st.sampled_from(
        "position view record turns seat hands moves seed stream variant components target all priority limit".split()
    )

    @settings(max_examples=80, deadline=None)
    @given(
        query=st.sampled_from([name for name in protocol.QUERIES if name not in ("quit", "analyse", "play", "solve")]),
        fields=st.dictionaries(keys, values, max_size=4),
    )
    def test_any_fields_are_answered_once(self, query: str, fields: Json) -> None:
        run = Collected(workers=1)
        run.accept(**fields | {"id": "x", "query": query})
        run.accept(id="v", query="version")
        run.engine.close()
        finals = Counter(reply["id"] for reply in run.replies if reply.get("final", True))
        assert finals == {"x": 1, "v": 1}
        assert not any("internal" in reply.get("error", "") for reply in run.replies)

    @settings(max_examples=80, deadline=None)
    @given(line=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
    def test_any_bytes_are_survived(self, line: bytes) -> None:
        run = Collected(workers=1)
        run.engine.accept(line.replace(b"\n", b" "))
        run.accept(id="v", query="version")
        run.engine.close()
        assert run.wait_for("v")["name"] == "lusatia-ai"


class TestOutbox:
    def test_a_stalling_reader_loses_nothing_and_memory_is_bounded(self) -> None:
        answers, target = os.pipe()
        outbox = Outbox(target, most=10_000)
        lines = [f"{number:05d}".encode() * 200 + b"\n" for number in range(400)]
        put = []
        thread = threading.Thread(target=lambda: put.extend(outbox.put(line) for line in lines))
        thread.start()
        time.sleep(0.2)
        assert outbox._size <= 10_000
        assert len(put) < 100  # the pipe's own buffer included
        assert not outbox.put(b"a report\n" * 200, droppable=True)
        received = []
        reader = threading.Thread(target=lambda: received.extend(open(answers, "rb")))  # noqa: SIM115
        reader.start()
        thread.join()
        outbox.close()
        os.close(target)
        reader.join()
        assert received == lines

    def test_a_short_line_waits_for_no_other_thread(self) -> None:
        answers, target = os.pipe()
        outbox = Outbox(target)
        os.set_blocking(answers, False)
        for _ in range(100):
            outbox.put(b"short\n")
            assert os.read(answers, 100) == b"short\n"
        outbox.close()

    def test_a_line_beyond_the_bound_is_sent_alone(self) -> None:
        answers, target = os.pipe()
        outbox = Outbox(target, most=10)
        outbox.put(b"x" * 100 + b"\n")
        outbox.close()
        assert os.read(answers, 200) == b"x" * 100 + b"\n"

    def test_a_reader_that_has_gone_stops_the_engine(self) -> None:
        (source, feed), (answers, target) = os.pipe(), os.pipe()
        os.close(answers)
        os.write(feed, b'{"id": "v", "query": "version"}\n')
        codes: list[int] = []
        thread = threading.Thread(target=lambda: codes.append(engine_module.run(source, target, 1)))
        thread.start()
        time.sleep(0.1)
        os.write(
            feed, json.dumps({"id": "a", "query": "analyse", "position": POSITION, "limit": LONG}).encode() + b"\n"
        )
        os.close(feed)
        thread.join(20)
        assert codes == [1]


class TestProcess:
    def test_standard_output_carries_the_protocol_only(self) -> None:
        program = (
            "import lusatia_ai.answers as a, lusatia_ai.engine as e, os, sys\n"
            "way = a.Answers._WAYS[a.p.Version]\n"
            "def loud(*args):\n"
            "    print('stray'); os.write(1, b'bytes'); os.system('echo child')\n"
            "    return way(*args)\n"
            "a.Answers._WAYS[a.p.Version] = loud\n"
            "sys.exit(e.serve(1))\n"
        )
        line = b'{"id": "v", "query": "version"}\n'
        done = subprocess.run([sys.executable, "-c", program], input=line, capture_output=True, timeout=60)
        assert [json.loads(reply)["id"] for reply in done.stdout.splitlines()] == ["v"]
        assert all(word in done.stderr for word in (b"stray", b"bytes", b"child"))
        assert done.returncode == 0

    def test_what_is_slow_to_import_is_not_imported(self) -> None:
        program = "import lusatia_ai.cli, lusatia_ai.engine, sys; print([m for m in sys.modules if '.' not in m])"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        assert not {"rich", "joblib", "asyncio", "choix", "scipy"} & set(eval(done.stdout))

    def test_the_command_prints_the_schema(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "lusatia_ai", "engine", "--schema"], capture_output=True, text=True, timeout=60
        )
        assert json.loads(done.stdout) == schema.json_schema()


class TestClients:
    def test_several_queries_at_once(self) -> None:
        with la.EngineClient() as engine:
            game = engine.ask(New(seed=1))
            limit = SearchLimit(iterations=30)
            pending = [engine.start(Play(position=game.position, level=5, limit=limit, seed=n)) for n in range(8)]
            moves = [one.result(timeout=60).move for one in pending]
            assert set(moves) <= set(engine.ask(LegalMoves(position=game.position)).moves)

    def test_documents_can_be_objects_of_the_library(self) -> None:
        with la.EngineClient() as engine:
            assert engine.ask(LegalMoves(position=STATE)).moves == engine.ask(LegalMoves(view=STATE.view())).moves

    def test_reports_and_stopping(self) -> None:
        with la.EngineClient() as engine:
            query = Analyse(position=POSITION, limit=SearchLimit(time=30), report_every=0.1)
            pending = engine.start(query)
            reports = iter(pending)
            assert not next(reports).final
            pending.stop()
            assert pending.result(timeout=30).stopped

    def test_errors_are_raised_with_their_field(self) -> None:
        with la.EngineClient() as engine:
            with pytest.raises(la.EngineError, match="sides") as caught:
                engine.ask(New(variant=VariantOptions(sides={"paris": "dark"})))
            assert caught.value.field == "variant"
            with pytest.raises(la.EngineError, match="limit"):
                engine.ask(Analyse(position=POSITION, limit=SearchLimit(time=-1)))
            assert engine.ask(New(seed=1)).seat is not None

    def test_an_engine_that_dies_is_told(self) -> None:
        command = [sys.executable, "-c", "import sys; sys.stdin.readline()"]
        with la.EngineClient(command) as engine:
            with pytest.raises(la.EngineError, match="ended"):
                engine.ask(New())
            with pytest.raises(la.EngineError, match="ended"):
                engine.ask(New())

    def test_the_asynchronous_client(self) -> None:
        async def session() -> None:
            async with la.AsyncEngineClient() as engine:
                game = await engine.ask(New(seed=1))
                plays = [Play(position=game.position, level=3, seed=n) for n in range(4)]
                replies = await asyncio.gather(*map(engine.ask, plays))
                assert all(reply.move for reply in replies)
                long = Analyse(position=game.position, limit=SearchLimit(time=30), report_every=0.1)
                async for report in engine.replies(long):
                    assert not report.final
                    break
                with pytest.raises(la.EngineError, match="view"):
                    await engine.ask(LegalMoves(view=game.position))

        asyncio.run(session())

    def test_an_engine_that_dies_is_told_asynchronously(self) -> None:
        async def session() -> None:
            async with la.AsyncEngineClient([sys.executable, "-c", "input()"]) as engine:
                for _ in range(2):
                    with pytest.raises(la.EngineError, match="ended"):
                        await engine.ask(New())

        asyncio.run(session())

    def test_an_engine_can_sit_at_a_table_of_the_arena(self) -> None:
        command = [sys.executable, "-m", "lusatia_ai", "engine"]
        with la.players.ProcessPlayer(command) as player:
            chosen = player.choose(STATE.view(), la.Limit(iterations=20))
        assert chosen.move in STATE.legal_moves()


def test_long_lines_are_those_of_the_documents() -> None:
    assert f"{LONGEST_LINE:,}" in (DOCS / "engine.md").read_text(encoding="utf-8")


class TestClientFaults:
    def test_what_is_no_query_is_refused(self) -> None:
        with la.EngineClient() as engine, pytest.raises(TypeError, match=r"expected a query of lusatia_ai\.protocol"):
            engine.ask({"query": "new"})  # type: ignore[call-overload]

    def test_an_engine_that_is_not_there_is_an_error(self) -> None:
        with pytest.raises(la.EngineError, match="cannot start 'no-such-engine'"):
            la.EngineClient(["no-such-engine"])

    def test_a_program_that_is_no_engine_is_an_error(self) -> None:
        program = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
        failure = pytest.raises(la.EngineError, match="allowed: a reply of an engine")
        with la.EngineClient([sys.executable, "-c", program]) as echo, failure:
            echo.ask(protocol.Version(), timeout=20)


@pytest.mark.parametrize("seed", range(12))
def test_even_a_blunder_for_a_seat_that_does_not_act_is_a_move(seed: int) -> None:
    state = la.State.new(seed=1)
    other = (state.seat_to_act + 1) % 4
    query = {"id": "p", "query": "play", "level": 1, "seed": seed, "hands": "hidden", "seat": other}
    assert final(ask(query | {"position": state.to_json()}), "p")["move"]
