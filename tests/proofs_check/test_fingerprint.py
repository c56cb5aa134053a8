"""What two machines must share: every version, and every byte of the sources."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from proofs_check.fingerprint import differences, fingerprint, source_digest


def test_a_process_agrees_with_itself() -> None:
    found = fingerprint()
    assert differences(found, fingerprint()) == ""
    assert {"Python", "proofs-check", "python-flint"} <= set(dict(found.versions))


def test_a_version_or_a_source_that_differs_is_named() -> None:
    here = fingerprint()
    changed = tuple((n, "0.0" if n == "sympy" else v) for n, v in here.versions)
    assert differences(here, replace(here, versions=changed)).endswith("here, 0.0 there")
    assert "sympy none there" not in differences(here, replace(here, versions=()))
    assert "none there" in differences(here, replace(here, versions=()))
    assert "files of bounds and proofs_check differ" in differences(here, replace(here, sources=""))


def test_the_digest_sees_names_and_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    home = tmp_path / "a_package_of_sources"
    home.mkdir()
    (home / "__init__.py").write_text("")
    (home / "one.py").write_text("x = 1\n")
    seen = [source_digest((home.name,))]
    (home / "one.py").write_text("x = 2\n")
    seen.append(source_digest((home.name,)))
    (home / "one.py").rename(home / "two.py")
    seen.append(source_digest((home.name,)))
    (home / "notes.txt").write_text("no source")
    assert len(set(seen)) == 3
    assert source_digest((home.name,)) == seen[-1]
    assert source_digest(("no_such_package_at_all",)) == source_digest(())
