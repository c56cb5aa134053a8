"""Certificates as files: written, read, damaged, rejected, and told apart; the command for them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bounds.status import Status
from proofs_check.certificate import Certificate, confirmed, of_document, rejection, text_of
from proofs_check.cli import main
from proofs_check.inequalities import prove
from proofs_check.recheck.file import (
    ACCEPTED,
    DAMAGED,
    FOREIGN,
    MISSING,
    REJECTED,
    canonical,
    digest,
    recheck_file,
)

CLAIM = "x*(1 - x) <= 1/4"


@pytest.fixture(scope="module")
def genuine() -> Certificate:
    document = prove(CLAIM, ["x >= 0"]).certificate
    assert document is not None
    return of_document(document)


@pytest.fixture
def file(tmp_path: Path, genuine: Certificate) -> Path:
    path = tmp_path / "proof.json"
    path.write_text(text_of(genuine))
    return path


def rewritten(file: Path, **changes: Any) -> None:
    """The file with other entries and a digest to match, as a forger writes it."""
    document = {**json.loads(file.read_text()), **changes}
    file.write_bytes(canonical({**document, "digest": digest(document)}))


def test_what_is_written_is_read_and_accepted(file: Path, genuine: Certificate) -> None:
    assert rejection(genuine) is None
    found = recheck_file(str(file))
    assert (found.status, found.claim, found.hypotheses) == (ACCEPTED, CLAIM, ("x >= 0",))
    assert of_document(json.loads(file.read_text())) == genuine


def test_white_space_and_the_order_of_keys_do_not_matter(file: Path) -> None:
    document = dict(reversed(json.loads(file.read_text()).items()))
    file.write_text(json.dumps(document, indent=4))
    assert recheck_file(str(file)).status == ACCEPTED


@pytest.mark.parametrize(
    ("changes", "status", "part"),
    [
        ({"claim": "x*(1 - x) <= 6/25"}, REJECTED, ""),
        ({"claim": "x*(1 - x) < 1/4"}, REJECTED, ""),
        ({"claim": "x**"}, REJECTED, ""),
        ({"claim": 3}, FOREIGN, "'claim' must be a text"),
        ({"example": {"x": "-1"}}, REJECTED, "meet the hypotheses"),
        ({"example": {}}, REJECTED, "meet the hypotheses"),
        ({"example": {"x": "1/0"}}, REJECTED, "p/q"),
        ({"example": {"x": 1}}, FOREIGN, "must be texts"),
        ({"proofs": []}, REJECTED, "1 proof"),
        ({"proofs": [{"rule": "because"}]}, REJECTED, "unknown rule 'because'"),
        ({"proofs": [3]}, FOREIGN, "must be an object"),
        ({"format": "other"}, FOREIGN, "proofs-check certificate"),
        ({"version": 2}, FOREIGN, "version 2"),
        ({"version": True}, FOREIGN, "version True"),
        ({"more": 1}, FOREIGN, "'more'"),
    ],
)
def test_a_forged_file_is_told_apart(
    file: Path, changes: dict[str, Any], status: str, part: str
) -> None:
    rewritten(file, **changes)
    found = recheck_file(str(file))
    assert found.status == status, found
    assert part in found.reason


@pytest.mark.parametrize(
    ("content", "status", "part"),
    [
        (b"", DAMAGED, "line 1"),
        (b"\xff{}", DAMAGED, "byte 0 is no UTF-8"),
        (b"[1, 2]", FOREIGN, "no object"),
        (b'{"format": 1, "format": 2}', FOREIGN, "same key twice"),
        (b'{"version": NaN}', FOREIGN, "NaN is not whole"),
        (b'{"version": 1e999}', FOREIGN, "is not whole"),
        (b'{"version": ' + b"9" * 5000 + b"}", FOREIGN, "digits"),
        (b"[" * 100_000, FOREIGN, "nested"),
    ],
)
def test_what_is_no_certificate(tmp_path: Path, content: bytes, status: str, part: str) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    found = recheck_file(str(path))
    assert found.status == status, found
    assert part in found.reason


def test_no_depth_of_nesting_crashes(file: Path) -> None:
    document = json.loads(file.read_text())
    for depth in (50, 300, 900, 960, 990, 5000):
        inner = "[" * depth + "]" * depth
        text = json.dumps({**document, "proofs": [{"rule": "range", "data": "HERE"}]})
        file.write_text(text.replace('"HERE"', inner))
        assert recheck_file(str(file)).status in (DAMAGED, FOREIGN)


def test_a_change_without_a_new_digest_is_damage(file: Path) -> None:
    file.write_text(file.read_text().replace("1/4", "1/3"))
    found = recheck_file(str(file))
    assert found.status == DAMAGED
    assert "digest" in found.reason


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert recheck_file(str(tmp_path / "none.json")).status == MISSING
    assert recheck_file(str(tmp_path)).status == MISSING
    assert recheck_file("a\0b").status == MISSING


def test_too_large_a_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs_check.recheck.file.MOST_BYTES", 100)
    found = recheck_file(str(file))
    assert (found.status, "larger than" in found.reason) == (FOREIGN, True)


# --- before a claim is called proved ----------------------------------------------------------
def test_only_what_the_checker_accepts_is_confirmed(genuine: Certificate) -> None:
    verdict = prove(CLAIM, ["x >= 0"])
    assert confirmed(verdict, genuine) == verdict
    false = replace(genuine, claim="x*(1 - x) <= 6/25")
    doubted = confirmed(verdict, false)
    assert doubted.status is Status.UNDECIDED
    assert doubted.summary.startswith("an argument was found (")
    assert "but the checker does not accept it: part 1 of 1" in doubted.summary
    assert all(one.status is Status.UNDECIDED for one in doubted.evidence)


@pytest.mark.parametrize("thing", [float("nan"), 0.5, {1, 2}, b"x", object()])
def test_a_proof_that_cannot_be_written_is_not_accepted(genuine: Certificate, thing: Any) -> None:
    error = rejection(replace(genuine, proofs=({"rule": "range", "data": thing},)))
    assert error is not None


# --- the command ------------------------------------------------------------------------------
def test_prove_writes_what_recheck_accepts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "proof.json"
    assert main(["prove", CLAIM, "--certificate", str(path)]) == 0
    assert main(["recheck", str(path)]) == 0
    assert "accepted" in capsys.readouterr().out
    rewritten(path, claim="x*(1 - x) <= 6/25")
    assert main(["recheck", "--json", str(path)]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["status"] == REJECTED
    assert found["where"][0] == "part 1 of 1"
    assert found["reason"]


def test_what_is_not_proved_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "proof.json"
    path.write_text("old")
    assert main(["prove", "x**2 >= x", "--certificate", str(path)]) == 1
    assert path.read_text() == "old"
    assert "not proved" in capsys.readouterr().err


def test_exit_codes_of_recheck(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "none.json")
    assert main(["recheck", str(file), missing]) == 2
    assert main(["recheck"]) == 2
    assert main(["recheck", "--nonsense", str(file)]) == 2
    shown = capsys.readouterr()
    assert "cannot be read" in shown.out
    assert "Traceback" not in shown.err
    file.write_text("{")
    assert main(["recheck", str(file)]) == 1


def test_the_checker_imports_nothing_of_the_finder() -> None:
    code = (
        "import sys, proofs_check.recheck.claims, proofs_check.recheck.file\n"
        "names = [n for n in sys.modules if n.split('.')[0] in ('proofs_check', 'bounds')]\n"
        "print([n for n in names if n != 'proofs_check' and '.recheck' not in n])\n"
        "print([n for n in ('sympy', 'numpy', 'scipy', 'mpmath') if n in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[]\n"
