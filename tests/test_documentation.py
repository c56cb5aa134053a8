"""README and docs show only what runs: their Python is run, their commands give what is shown."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
VARYING = re.compile(r"\d+\.\d s|\s+|─+")


def blocks(page: Path, language: str) -> list[str]:
    return [code for kind, code in BLOCK.findall(page.read_text("utf-8")) if kind == language]


def python_blocks() -> Iterator[object]:
    for page in PAGES:
        for number, code in enumerate(blocks(page, "python")):
            yield pytest.param(code, id=f"{page.name}-{number}")


@pytest.mark.parametrize("code", list(python_blocks()))
def test_python_blocks_run(code: str, tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def run_command(line: str, folder: Path) -> str:
    """The output of a documented command, with the width of the documentation."""
    words = shlex.split(line)
    assert words[0] == "proofs-check", line
    done = subprocess.run(
        [sys.executable, "-m", "proofs_check", *words[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"COLUMNS": "100", "PYTHONUTF8": "1", "PATH": "", "XDG_CACHE_HOME": str(folder)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def squeezed(text: str) -> str:
    """Text without what varies from run to run (times) and without layout."""
    return VARYING.sub("", text)


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """(command, the lines shown under it) of a console block."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, *shown = part.splitlines()
        yield line, [text for text in shown if text.strip()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_transcripts_are_real(page: Path, tmp_path: Path) -> None:
    """Every line shown under a command occurs in its output; files the page shows are there."""
    for code in blocks(page, "python"):
        named = re.match(r"# (\w+\.py)\n", code)
        if named:
            (tmp_path / named[1]).write_text(code, "utf-8")
    for block in blocks(page, "console"):
        for line, shown in commands(block):
            output = squeezed(run_command(line, tmp_path))
            for text in shown:
                assert squeezed(text) in output, text


def test_the_readme_has_the_two_commands_each_once() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    starts = [line for line in lines if line.startswith("python3 -m venv .venv && ")]
    assert [line.split(".venv/bin/")[-1] for line in starts] == ["proofs-check verify", "pytest"]


def test_every_page_that_is_linked_exists() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    done = subprocess.run(
        [sys.executable, "-m", "proofs_check", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert project["version"] in done.stdout
