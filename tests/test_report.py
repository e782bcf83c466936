"""The report: as a page in a browser, as text, and on the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_analysis import SMALL, full_review, random_game

import lusatia_ai as la
from lusatia_ai import report
from lusatia_ai.cli import main
from lusatia_ai.show import console_for

BROWSER = os.environ.get("LUSATIA_BROWSER") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
WAIT = 120_000  # milliseconds; a busy machine takes long to lay out a page


@cache
def short_game() -> la.Record:
    record = la.Record.new(SMALL, names=["Ann", "Bob & <Co>", "Automa"])
    for event in random_game(1).events[:45]:
        record.append(event.get("move", event), comment="why not?" if "move" in event else None)
    return record


@cache
def short_review() -> la.GameReview:
    return la.review(short_game(), la.Limit(iterations=20), samples=2, luck_iterations=5)


@cache
def page_text() -> str:
    return report.html(short_review(), short_game())


# --- the page -------------------------------------------------------------------------------------------


def test_the_page_needs_no_network():
    page = page_text()
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert not re.search(r"@import|url\(", page)
    assert set(re.findall(r"https?://[^\"<\s]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "{{" not in page


def test_the_page_escapes_names_and_comments():
    assert "Bob &amp; &lt;Co&gt;" in page_text()
    assert "<Co>" not in page_text()
    assert "<em>why not?</em>" in page_text()


def test_every_free_decision_has_a_row_a_board_and_its_mark():
    page, review = page_text(), short_review()
    free = [decision for decision in review.decisions if not decision.forced]
    assert page.count('<section class="turn"') == page.count("data-turn=") == len(free)
    assert page.count('class="lai"') == len(free)
    for decision in free:
        assert f'data-turn="t{decision.turn}" data-player="{decision.seat}" data-mark="{review.mark(decision)}"' in page


def test_an_empty_or_interrupted_review_still_makes_a_page():
    record = la.Record.new(SMALL)
    assert "No decisions to show." in report.html(la.review(record), record)

    def stop(done, total):
        raise KeyboardInterrupt

    broken = la.review(short_game(), la.Limit(iterations=20), on_progress=stop)
    assert f"Interrupted: {len(short_game().events)} events" in report.html(broken, short_game())


# --- in a browser ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install .[browser]")
    if BROWSER is None:
        pytest.skip("no Chromium found: install it, or name it in LUSATIA_BROWSER")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"], timeout=WAIT)
        yield running
        running.close()


class Opened:
    """The page in a window, and what it said on the console."""

    def __init__(self, browser: Any, path: Path, width: int, scheme: str = "light") -> None:
        path.write_text(page_text(), encoding="utf-8")
        self.page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page.set_default_timeout(WAIT)
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("requestfailed", lambda request: self.said.append(request.url))
        self.page.goto(path.as_uri(), timeout=WAIT)

    def shown(self) -> str:
        """The turn whose board is shown; there is one at a time."""
        shown = self.page.locator("section.turn:visible")
        assert shown.count() == 1
        return str(shown.get_attribute("id"))


def test_plot_and_board_are_seen_and_the_console_is_silent(browser, tmp_path):
    opened = Opened(browser, tmp_path / "page.html", 1200)
    plot = opened.page.locator("svg.plot")
    assert plot.bounding_box()["height"] > 100
    for path in plot.locator("path").all():
        assert path.evaluate("path => path.getTotalLength()") > 100
    board = opened.page.locator("section.turn:visible svg.lai")
    assert board.bounding_box()["width"] > 300
    assert board.bounding_box()["height"] > 300
    assert opened.said == []


def test_the_keyboard_goes_through_the_decisions(browser, tmp_path):
    opened = Opened(browser, tmp_path / "page.html", 1200)
    page, review = opened.page, short_review()
    free = [f"t{decision.turn}" for decision in review.decisions if not decision.forced]
    marked = [f"t{decision.turn}" for decision in review.marked]
    assert opened.shown() == marked[0]
    page.keyboard.press("ArrowRight")
    assert opened.shown() == marked[1]
    page.keyboard.press("ArrowLeft")
    assert opened.shown() == marked[0]
    page.keyboard.press("ArrowDown")
    assert opened.shown() == free[free.index(marked[0]) + 1]
    assert page.evaluate("document.activeElement.getAttribute('aria-current')") == "true"
    page.locator("#decisions tbody a").first.focus()
    page.keyboard.press("Enter")
    assert opened.shown() == free[0]
    page.keyboard.press("ArrowUp")
    assert opened.shown() == free[0]
    assert opened.said == []


def test_decisions_are_filtered_by_player_and_mark(browser, tmp_path):
    opened = Opened(browser, tmp_path / "page.html", 1200)
    page, review = opened.page, short_review()
    page.select_option("#player", "1")
    mine = [decision for decision in review.decisions if decision.seat == 1 and not decision.forced]
    assert page.locator("#decisions tbody tr:visible").count() == len(mine)
    page.check("#marked")
    wanted = sum(review.mark(decision) != "" for decision in mine)
    assert page.locator("#decisions tbody tr:visible").count() == wanted
    assert f"{wanted} of " in page.locator("#count").inner_text()
    assert opened.said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_on_a_narrow_screen(browser, tmp_path, scheme):
    opened = Opened(browser, tmp_path / "page.html", 380, scheme)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    board = page.locator("section.turn:visible svg.lai").bounding_box()
    assert 280 < board["width"] <= 380
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('section.turn.shown svg.lai text')]"
        ".filter(text => text.textContent).map(text => text.getBoundingClientRect().height))"
    )
    assert smallest >= 7
    assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 16
    light, dark = (
        page.evaluate(f"getComputedStyle(document.body).{name}").removeprefix("rgb(").split(",")
        for name in (("backgroundColor", "color") if scheme == "light" else ("color", "backgroundColor"))
    )
    assert int(light[0]) > 200 > 60 > int(dark[0])
    assert opened.said == []


# --- as text --------------------------------------------------------------------------------------------


def test_the_text_holds_summary_marks_and_scale():
    file = StringIO()
    console_for(file, 110).print(report.text(full_review(), random_game(1), top=4))
    text = file.getvalue()
    review = full_review()
    assert f"4 of {len(review.marked)} marked decisions" in text
    assert "luck-adjusted" in text
    assert "blunder ?? from 10.0 %" in text
    assert "Decisions with a single legal move are not counted." in text
    total = review.summary(0)
    assert re.search(rf"Player 1\s+all\s+{total.decisions}\s+{100 * total.loss:.1f} %", text)


# --- on the command line --------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> str:
    short_game().save(tmp_path / "game.json")
    return str(tmp_path / "game.json")


def run(*args: str) -> Any:
    return CliRunner().invoke(main, ["review", *args])


def test_review_prints_a_table_and_writes_a_page(saved, tmp_path):
    page = tmp_path / "review.html"
    result = run(saved, "--iterations", "10", "--seat", "0", "--no-luck", "--html", str(page))
    assert result.exit_code == 0
    assert "Ann" in result.stdout
    assert f"The page is in {page}." in result.stderr
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_review_as_json_is_repeatable_and_goes_on_from_its_file(saved, tmp_path):
    args = (saved, "--iterations", "10", "--seat", "1", "--no-luck", "--json", "--seed", "4")
    first, second = run(*args), run(*args, "--resume", str(tmp_path / "notes"))
    assert first.stdout == second.stdout == run(*args, "--resume", str(tmp_path / "notes")).stdout
    data = json.loads(first.stdout)
    assert data["seats"] == [1]
    assert sum(data["sources"][0].values()) == short_game().state().favour[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seat", "5"], "seats: found 5; allowed: human seats, 0 to 1"),
        (["--inaccuracy", "20"], "ascending win shares"),
        (["--iterations", "0"], "bad limit"),
        (["--jobs", "0"], "allowed: 1 or more, or -1"),
    ],
)
def test_review_refuses_wrong_options(saved, options, message):
    result = run(saved, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_review_refuses_what_is_no_record(tmp_path):
    path = tmp_path / "position.json"
    path.write_text(json.dumps(la.State.new(seed=1).to_json()))
    result = run(str(path))
    assert result.exit_code == 2
    assert "found 'lusatia-position'; allowed: one of lusatia-record" in result.stderr
    assert len(result.stderr.splitlines()) == 1


# --- examples -------------------------------------------------------------------------------------------

EXAMPLES = Path(__file__).parent.parent / "examples"


def run_example(name: str, *args: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_hint_and_review_runs(tmp_path):
    page = tmp_path / "page.html"
    text = run_example("hint_and_review.py", str(EXAMPLES / "games" / "three_players.json"), "15", str(page))
    assert "chooses a town." in text
    assert "Luck brought" in text
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_example_of_plots_runs(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install .[examples]")
    run_example("plots.py", str(tmp_path), "10")
    for name in ("win_share.png", "favour.png", "losses.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
