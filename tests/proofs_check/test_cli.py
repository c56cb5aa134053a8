"""The commands, with a stand-in for the workers: exit codes, messages and files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import proofs_check.cli.checking
import proofs_check.cli.targets
from bounds.catalog import load_file
from bounds.status import Status
from proofs_check.cli import main
from proofs_check.tasks import Task
from proofs_check.verdict import Strength, Verdict

AS_EXPECTED = {
    "t.proved": Status.PROVED,
    "t.proved@printed": Status.REFUTED,
    "u.consistent": Status.CONSISTENT,
    "t.proved~half": Status.UNDECIDED,
}


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """So wide that no message is wrapped, however long the temporary folder's name is."""
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Status]:
    """Statuses that the stand-in for the workers gives; change them to change the run."""
    statuses = dict(AS_EXPECTED)

    def run(tasks: Sequence[Task], *, on_done: Callable[..., None], **_: Any) -> list[Verdict]:
        found = []
        for task in tasks:
            status = statuses[task.claim_id]
            found.append(Verdict(task.claim_id, status, Strength.NONE, "the reason"))
            on_done(task, found[-1])
        return found

    monkeypatch.setattr(proofs_check.cli.checking, "run", run)
    return statuses


class TestExitCodes:
    def test_all_as_expected(self, claim_file: str, verdicts: dict[str, Status]) -> None:
        assert main(["verify", claim_file]) == 0

    @pytest.mark.parametrize(
        ("name", "status", "code"),
        [
            ("t.proved", Status.REFUTED, 1),
            ("t.proved@printed", Status.PROVED, 1),
            ("t.proved@printed", Status.CONSISTENT, 1),
            ("t.proved", Status.CONSISTENT, 2),
            ("t.proved", Status.UNDECIDED, 2),
            ("t.proved@printed", Status.UNDECIDED, 2),
            ("u.consistent", Status.PROVED, 0),
            ("u.consistent", Status.ERROR, 3),
        ],
    )
    def test_one_surprise(
        self, claim_file: str, verdicts: dict[str, Status], name: str, status: Status, code: int
    ) -> None:
        verdicts[name] = status
        assert main(["verify", claim_file]) == code

    def test_the_gravest_wins(self, claim_file: str, verdicts: dict[str, Status]) -> None:
        verdicts["u.consistent"] = Status.UNDECIDED
        verdicts["t.proved"] = Status.REFUTED
        assert main(["verify", claim_file]) == 1

    def test_require_proof(self, claim_file: str, verdicts: dict[str, Status]) -> None:
        assert main(["verify", claim_file, "--require-proof"]) == 2

    def test_mutants(self, claim_file: str, verdicts: dict[str, Status]) -> None:
        assert main(["mutants", claim_file]) == 0
        verdicts["t.proved~half"] = Status.PROVED
        assert main(["mutants", claim_file]) == 1

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                ["verify", "--precision", "5"],
                "'--precision': 5 is not a whole number from 32 to 100000",
            ),
            (["verify", "--precision", "100001"], "100001 is not a whole number"),
            (["verify", "--precision", "1e9"], "'--precision': 1e9 is not a whole number"),
            (["verify", "--budget", "soon"], "'--budget': soon is not a positive number"),
            (["verify", "--jobs", "0"], "'--jobs': 0 is not a whole number at least 1"),
            (["verify", "--seed", "-1"], "'--seed': -1 is not a whole number"),
            (["verify", "--budget", "0"], "'--budget': 0 is not a positive number of seconds"),
            (["verify", "--budget", "nan"], "nan is not a positive number of seconds"),
            (["verify", "--budget", "inf"], "inf is not a positive number of seconds"),
            (["verify", "--format", "yaml"], "--format"),
            (["verify", "--no-such-option"], "--no-such-option"),
            (["no-such-command"], "no-such-command"),
            (["show"], "ID"),
        ],
    )
    def test_wrong_use_is_three_and_says_what(
        self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(arguments) == 3
        told = capsys.readouterr().err
        assert message in told
        assert "Traceback" not in told

    def test_a_bug_of_the_tool_is_three(
        self,
        claim_file: str,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        def fail(*_: Any, **__: Any) -> None:
            raise ZeroDivisionError("oops")

        monkeypatch.setattr(proofs_check.cli.checking, "run", fail)
        assert main(["verify", claim_file]) == 3
        assert "internal error (ZeroDivisionError)" in capsys.readouterr().err

    def test_an_interrupt_is_130(self, claim_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: Any, **__: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(proofs_check.cli.checking, "run", fail)
        assert main(["verify", claim_file]) == 130


class TestTargets:
    def test_a_broken_file_is_an_error_and_the_others_run(
        self, claim_file: str, verdicts: dict[str, Status], capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("bad.py").write_text("x = 1\nraise RuntimeError('at line 2')\n", encoding="utf-8")
        assert main(["verify", "bad.py", claim_file, "missing.py"]) == 3
        shown = capsys.readouterr().out
        assert "bad.py:2: RuntimeError: at line 2" in shown
        assert "missing.py: cannot be read" in shown
        assert "2 claims: 1 PROVED, 1 CONSISTENT" in shown

    def test_a_file_without_claims_is_not_a_success(
        self, claim_file: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("empty.py").write_text("CLAIMS = ()\n", encoding="utf-8")
        assert main(["verify", "empty.py"]) == 3
        assert "no claim to check" in capsys.readouterr().err

    def test_a_file_named_twice_is_read_once(
        self, claim_file: str, verdicts: dict[str, Status], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["verify", claim_file, f"./{claim_file}"]) == 0
        assert "2 claims" in capsys.readouterr().out

    @pytest.fixture
    def installed(self, claim_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
        catalog = load_file(claim_file)
        monkeypatch.setattr(proofs_check.cli.targets, "builtin_catalog", lambda: catalog)
        monkeypatch.setattr(proofs_check.cli.targets, "plugin_points", lambda: ())

    @pytest.mark.parametrize("pattern", ["t.proved", "t", "t.*", "tagged"])
    def test_patterns(
        self, installed: None, verdicts: dict[str, Status], pattern: str, capsys: Any
    ) -> None:
        assert main(["verify", pattern]) == 0
        shown = capsys.readouterr().out
        assert "t.proved" in shown
        assert "u.consistent" not in shown

    def test_an_unknown_id_gets_the_nearest(
        self, installed: None, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["verify", "t.prooved"]) == 3
        assert "no claim matches 't.prooved'; did you mean t.proved" in capsys.readouterr().err

    def test_a_broken_plugin_can_be_switched_off(
        self,
        installed: None,
        verdicts: dict[str, Status],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        missing = EntryPoint("mine", "no_such_plugin:CLAIMS", "proofs_check.claims")
        monkeypatch.setattr(proofs_check.cli.targets, "plugin_points", lambda: (missing,))
        assert main(["verify"]) == 3
        shown = capsys.readouterr().out
        assert "plug-in mine" in shown
        assert "ModuleNotFoundError: No module named 'no_such_plugin'" in shown
        assert "2 claims" in shown
        assert main(["verify", "--no-plugins"]) == 0


class TestOutput:
    def test_json_and_junit_on_standard_output(
        self, claim_file: str, verdicts: dict[str, Status], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["verify", claim_file, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["counts"] == {"PROVED": 1, "CONSISTENT": 1}
        assert main(["verify", claim_file, "--format", "junit"]) == 0
        cases = ET.fromstring(capsys.readouterr().out).iter("testcase")
        assert [c.get("name") for c in cases] == ["t.proved", "t.proved@printed", "u.consistent"]

    def test_plain_progress_lines_on_stderr(
        self, claim_file: str, verdicts: dict[str, Status], capsys: pytest.CaptureFixture[str]
    ) -> None:
        main(["verify", claim_file])
        assert "[1/3] t.proved PROVED 0.0 s" in capsys.readouterr().err

    def test_a_file_is_replaced_as_a_whole(
        self, claim_file: str, verdicts: dict[str, Status]
    ) -> None:
        target = Path("report.json")
        target.write_text("old", encoding="utf-8")
        target.chmod(0o640)
        assert main(["verify", claim_file, "--format", "json", "--output", str(target)]) == 0
        assert json.loads(target.read_text(encoding="utf-8"))["exit_code"] == 0
        assert target.stat().st_mode & 0o777 == 0o640
        assert sorted(os.listdir()) == ["claims.py", "report.json"]

    @pytest.mark.parametrize("broken", ["replace", "fsync"])
    def test_a_failed_write_leaves_the_old_file(
        self,
        claim_file: str,
        verdicts: dict[str, Status],
        broken: str,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        def fail(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        Path("report.xml").write_text("old", encoding="utf-8")
        monkeypatch.setattr(os, broken, fail)
        assert main(["verify", claim_file, "--format", "junit", "-o", "report.xml"]) == 3
        assert Path("report.xml").read_text(encoding="utf-8") == "old"
        assert sorted(os.listdir()) == ["claims.py", "report.xml"]
        assert "No space left on device" in capsys.readouterr().err

    @pytest.mark.parametrize("target", ["missing/report.txt", "."])
    def test_a_hopeless_file_is_refused_before_the_work(
        self, claim_file: str, target: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["verify", claim_file, "-o", target]) == 3
        assert target in capsys.readouterr().err

    def test_a_table_in_a_file_has_no_colours(
        self, claim_file: str, verdicts: dict[str, Status], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert main(["verify", claim_file, "-o", "report.txt"]) == 0
        text = Path("report.txt").read_text(encoding="utf-8")
        assert "t.proved@printed  REFUTED, as expected" in text
        assert "\x1b" not in text
