"""The commands that check nothing: list, show, axioms, init, help and version."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from proofs_check.cli import main


def test_list(claim_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", claim_file]) == 0
    assert "tagged" in capsys.readouterr().out
    assert main(["list", claim_file, "--format", "json"]) == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert claims[1] == {
        "id": "u.consistent",
        "title": "two",
        "relation": "<=",
        "expected": "CONSISTENT",
        "tags": [],
    }


@pytest.mark.parametrize("name", ["t.proved", "t.proved~half", "t.proved@printed"])
def test_show_without_a_check(
    claim_file: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", name, "--file", claim_file, "--no-check"]) == 0
    shown = capsys.readouterr().out
    assert name in shown
    assert "positive: x > 0" in shown
    assert "[red]paper[/red]" in shown


def test_show_latex(claim_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "t.proved", "--file", claim_file, "--latex"]) == 0
    assert r"x \le x + 1" in capsys.readouterr().out


def test_show_offers_the_nearest(claim_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "t.proof", "--file", claim_file]) == 3
    assert "did you mean t.proved" in capsys.readouterr().err


def test_axioms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["axioms"]) == 0
    assert "inverse-wishart-mean" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("proofs-check ")


def test_every_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("verify", "mutants", "list", "show", "axioms", "init"):
        assert main([command, "--help"]) == 0
        assert f"proofs-check {command}" in capsys.readouterr().out.split("Example")[1]


def test_init_refuses_to_overwrite(claim_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path(claim_file).read_text(encoding="utf-8")
    assert main(["init", claim_file]) == 3
    assert "--force" in capsys.readouterr().err
    assert Path(claim_file).read_text(encoding="utf-8") == before
    assert main(["init", claim_file, "--force"]) == 0
    assert Path(claim_file).read_text(encoding="utf-8") != before


def test_the_command_line_loads_no_mathematics() -> None:
    code = (
        "import sys, proofs_check.cli; "
        "print([m for m in ('sympy', 'scipy', 'numpy', 'flint', 'bounds') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
