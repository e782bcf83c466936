"""Golden transcripts of the engine: `python tests/transcripts.py` writes what the engine answers now into all of them.

A transcript is a list of lines `{"in": query}`, or `{"in": text}` for a line that is no JSON object, followed by the
replies `{"out": reply}`, ordered by id. Times are written as 0.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from lusatia_ai.engine import run

FOLDER = Path(__file__).parent / "data" / "transcripts"
Json = dict[str, Any]


def ask_all(lines: bytes, workers: int = 1) -> tuple[list[bytes], int]:
    """All lines that an engine in this process answers to this input, and its exit code."""
    (source, feed), (answers, target) = os.pipe(), os.pipe()
    codes: list[int] = []

    def serve() -> None:
        codes.append(run(source, target, workers))
        os.close(target)

    def send() -> None:
        left = memoryview(lines)
        while left:
            left = left[os.write(feed, left) :]
        os.close(feed)

    threads = [threading.Thread(target=work) for work in (serve, send)]
    for thread in threads:
        thread.start()
    with open(answers, "rb") as stream:
        replies = stream.read().splitlines()
    for thread in threads:
        thread.join()
    os.close(source)
    return replies, codes[0]


def read(path: Path) -> tuple[list[Any], list[Json]]:
    """What goes in and what comes out."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line["in"] for line in lines if "in" in line], [line["out"] for line in lines if "out" in line]


def answered(inputs: list[Any]) -> list[Json]:
    """The replies of an engine, ordered by id."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in inputs]
    replies, _ = ask_all("".join(f"{text}\n" for text in texts).encode())
    return sorted((_timeless(json.loads(reply)) for reply in replies), key=lambda reply: reply["id"] or "")


def _timeless(reply: Json) -> Json:
    return reply | {"elapsed": 0} if "elapsed" in reply else reply


def _write(path: Path) -> None:
    inputs, _ = read(path)
    lines = [{"in": line} for line in inputs] + [{"out": reply} for reply in answered(inputs)]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    for transcript in sorted(FOLDER.glob("*.jsonl")):
        _write(transcript)
