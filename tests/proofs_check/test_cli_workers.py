"""The commands with real worker processes: the file that `init` writes, and Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proofs_check.cli import main

PROGRAM = "import sys; from proofs_check.cli import main; sys.exit(main())"
SLOW_CLAIMS = """
import time
from sympy import Symbol
from bounds import Claim, Quantity, Source, Status, box, between, scalar

x = scalar("x")

def fail(instance, field):
    raise RuntimeError("quick")

def wait(instance, field):
    time.sleep(600)

def claim(name, function):
    return Claim(id=name, title=name, lhs=x, rhs=x + 1, source=Source("s"),
                 instances=box(x=between(0, 1)), quantities=(Quantity(Symbol("y"), "y", function),))

CLAIMS = (claim("quick", fail), claim("slow", wait))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_first_claim_file_verifies(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    code = main(["verify", "my_claims.py", "--jobs", "2"])
    shown = capsys.readouterr().out
    assert code == 0, shown
    assert "2 claims: 2 PROVED; all as expected" in shown


def test_no_mutant_of_the_first_claim_file_is_proved(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init"]) == 0
    assert main(["mutants", "my_claims.py"]) == 0
    assert "2 mutants: 2 refuted with a witness" in capsys.readouterr().out


def test_show_checks_the_claim(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    assert main(["show", "my.push_through", "--file", "my_claims.py"]) == 0
    assert "Verdict  PROVED" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is told otherwise on Windows")
def test_an_interrupt_ends_the_run_promptly(folder: Path) -> None:
    Path("slow.py").write_text(SLOW_CLAIMS, encoding="utf-8")
    command = [sys.executable, "-c", PROGRAM, "verify", "slow.py", "--jobs", "1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        assert "quick" in running.stderr.readline()
        start = time.monotonic()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130
        assert time.monotonic() - start < 20
        assert "Traceback" not in running.stderr.read()
