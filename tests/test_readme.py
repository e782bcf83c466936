"""The examples of the README, and those in Python of docs/, run as they stand."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
DOCS = [
    pytest.param(code, id=f"{page.stem} {number}")
    for page in sorted((ROOT / "docs").glob("*.md"))
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
]
COMMANDS = re.findall(r"^\$ (lusatia-ai .*)$", README, re.MULTILINE)
CLI = [sys.executable, "-m", "lusatia_ai"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the commands run: with the examples, and with a component set of the user's own."""
    path = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "examples", path / "examples")
    text = (ROOT / "lusatia_ai" / "data" / "complete_edition.toml").read_text(encoding="utf-8")
    (path / "my_edition.toml").write_text(
        text.replace('name = "complete-edition"', 'name = "my-edition"'), encoding="utf-8"
    )
    return path


def test_there_are_examples():
    assert len(PYTHON) >= 4
    assert len(COMMANDS) >= 9


@pytest.mark.parametrize("code", [*PYTHON, *DOCS])
def test_python_examples_run(code, folder):
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command, folder):
    """In their order: later ones use the files of earlier ones."""
    output = None
    for part in command.split(" | "):
        arguments = shlex.split(part)[1:]
        text = "quit\n" if arguments[0] == "play" else output
        done = subprocess.run(
            CLI + arguments, cwd=folder, input=text, capture_output=True, timeout=60, check=True, encoding="utf-8"
        )
        output = done.stdout
    assert output or "-o" in command


def test_the_hint_shown_is_the_hint_given(folder):
    """Line by line in 80 columns, but for the last line, which tells the time."""
    shown = README.partition(f"$ {COMMANDS[0]}\n")[2].partition("```")[0].rstrip().splitlines()
    command = shlex.split(COMMANDS[0])[1:]
    done = subprocess.run(
        CLI + command,
        cwd=folder,
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        timeout=60,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.rstrip().splitlines()[:-1] == shown[:-1]
