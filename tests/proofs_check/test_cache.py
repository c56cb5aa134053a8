"""Stored proofs: checked again, never trusted, and replaced when they are bad."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sympy import log

from bounds import Claim, Source, assume, between, box, scalar
from bounds.status import Status
from proofs_check.cache import Cache, default_folder
from proofs_check.certificate import Certificate, of_document
from proofs_check.checker import check
from proofs_check.cli import main
from proofs_check.inequalities import prove
from proofs_check.recheck.file import canonical, digest

CLAIM, GIVEN = "x*(1 - x) <= 1/4", ["x >= 0"]
x = scalar("x")
LOGARITHM = Claim(
    id="t.log",
    title="log",
    lhs=log(1 + x),
    rhs=x,
    source=Source("s"),
    hypotheses=(assume("domain", x > -1),),
    instances=box(x=between(0, 1)),
)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "proofs")


@pytest.fixture
def entry(cache: Cache) -> Path:
    """The file of a proof just stored."""
    assert prove(CLAIM, GIVEN, cache=cache).status is Status.PROVED
    return cache.path(CLAIM, GIVEN)


def methods(cache: Cache) -> list[str]:
    verdict = prove(CLAIM, GIVEN, cache=cache)
    assert verdict.status is Status.PROVED
    return [evidence.method for evidence in verdict.evidence]


def test_a_stored_proof_is_rechecked(cache: Cache, entry: Path) -> None:
    cold, warm = prove(CLAIM, GIVEN), prove(CLAIM, GIVEN, cache=cache)
    assert (warm.status, warm.strength, warm.claim_id, warm.example) == (
        cold.status,
        cold.strength,
        cold.claim_id,
        cold.example,
    )
    assert warm.certificate == cold.certificate
    assert "re-checked" in warm.summary
    assert methods(cache) == ["re-checked"]


def forged(**changes: Any) -> Any:
    def write(entry: Path) -> None:
        document = {**json.loads(entry.read_text()), **changes}
        entry.write_bytes(canonical({**document, "digest": digest(document)}))

    return write


@pytest.mark.parametrize(
    "tamper",
    [
        lambda entry: entry.write_text("{"),
        lambda entry: entry.write_bytes(entry.read_bytes()[:-40]),
        lambda entry: entry.write_text(entry.read_text().replace("1/4", "1/3")),
        forged(claim="x*(1 - x) <= 1/3"),
        forged(hypotheses=[]),
        forged(proofs=[{"rule": "because"}]),
        forged(example={"x": "-1"}),
        forged(version=7),
    ],
)
def test_a_bad_entry_is_removed_and_proved_again(cache: Cache, entry: Path, tamper: Any) -> None:
    good = entry.read_bytes()
    tamper(entry)
    assert cache.find(CLAIM, GIVEN) is None
    assert not entry.exists()
    entry.write_bytes(good)
    tamper(entry)
    assert methods(cache) != ["re-checked"]
    assert entry.read_bytes() == good
    assert methods(cache) == ["re-checked"]


def test_a_false_claim_is_not_proved_by_a_forged_entry(cache: Cache, entry: Path) -> None:
    false = "x*(1 - x) <= 6/25"
    stored = of_document(json.loads(entry.read_text()))
    cache.keep(replace(stored, claim=false))
    assert cache.path(false, GIVEN).exists()
    assert prove(false, GIVEN, cache=cache).status is Status.REFUTED
    assert not cache.path(false, GIVEN).exists()


def test_the_key_is_claim_and_hypotheses(cache: Cache) -> None:
    paths = {
        cache.path("x <= 1", []),
        cache.path("x <= 1", ["x <= 1"]),
        cache.path("x <= 1", ["x", "<= 1"]),
        cache.path("x <= 2", []),
    }
    assert len(paths) == 4
    assert cache.path("x <= 1", ()) == cache.path("x <= 1", [])


def test_many_writers_at_a_time_leave_a_whole_entry(cache: Cache, entry: Path) -> None:
    stored = of_document(json.loads(entry.read_text()))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: (cache.keep(stored), cache.find(CLAIM, GIVEN)), range(64)))
    assert cache.find(CLAIM, GIVEN) == stored
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    cache = Cache(blocked / "inside")
    assert prove(CLAIM, cache=cache).status is Status.PROVED
    assert cache.find(CLAIM, []) is None


def test_claims_of_the_catalogue_are_rechecked_too(cache: Cache) -> None:
    cold = check(LOGARITHM, cache=cache)
    warm = check(LOGARITHM, cache=cache)
    assert (cold.status, cold.strength, cold.used) == (warm.status, warm.strength, warm.used)
    assert cold.status is Status.PROVED
    assert "re-checked" not in cold.summary
    assert "re-checked" in warm.summary


def test_the_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "proofs-check"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_folder().is_absolute()
    assert "relative" not in str(default_folder())


# --- the commands -----------------------------------------------------------------------------
def test_prove_uses_the_cache(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["prove", CLAIM, "--cache", str(tmp_path / "kept")]
    assert main(arguments) == 0
    assert "re-checked" not in capsys.readouterr().out
    assert main(arguments) == 0
    assert "re-checked" in capsys.readouterr().out
    assert main(["prove", CLAIM, "--no-cache"]) == 0
    assert "re-checked" not in capsys.readouterr().out


def test_verify_uses_the_cache(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "mine.py")]) == 0
    capsys.readouterr()
    arguments = ["verify", str(tmp_path / "mine.py"), "--cache", str(tmp_path / "kept")]
    found = []
    for _ in range(2):
        assert main([*arguments, "--format", "json", "--jobs", "1"]) == 0
        found.append({v["id"]: v for v in json.loads(capsys.readouterr().out)["verdicts"]})
    cold, warm = found
    assert {k: v["status"] for k, v in cold.items()} == {k: v["status"] for k, v in warm.items()}
    assert "re-checked" in warm["my.log"]["summary"]


@pytest.mark.parametrize("options", [["--cache", "{}/file/inside"], ["--cache", "x", "--no-cache"]])
def test_a_cache_that_cannot_be(
    tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    given = [option.format(tmp_path) for option in options]
    assert main(["prove", CLAIM, *given]) == 3
    assert "--cache" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_cache_without_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o500)
    assert main(["prove", CLAIM, "--cache", str(tmp_path)]) == 3
    assert "permission" in capsys.readouterr().err


def test_a_certificate_stays_as_it_is(cache: Cache, entry: Path) -> None:
    found = cache.find(CLAIM, GIVEN)
    assert isinstance(found, Certificate)
    assert found.made_by["proofs-check"]
