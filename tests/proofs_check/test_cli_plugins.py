"""Installed plug-ins are read one by one: a broken one is a row of its own and drops no other."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from bounds.catalog import Catalog
from proofs_check.cli import targets
from proofs_check.outcome import Outcome

GOOD = """
from bounds import Claim, Source, scalar
x = scalar("x")
CLAIMS = (Claim(id="v.one", title="one", lhs=x, rhs=x + 1, source=Source("me")),)
"""
MODULES = {
    "raising": "1 / 0\n",
    "good": GOOD,
    "leaving": "raise SystemExit(0)\n",
    "copy": GOOD,
    "empty": "CLAIMS = 5\n",
    "last": GOOD.replace("v.one", "w.one"),
}


@pytest.fixture(autouse=True)
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Entry points of all modules above and of one that is missing; no shipped theory."""
    for name, text in MODULES.items():
        (tmp_path / f"cli_{name}_plugin.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = tuple(
        EntryPoint(name, f"cli_{name}_plugin", "proofs_check.claims")
        for name in ("missing", *MODULES)
    )
    malformed = EntryPoint("malformed", "no module at all", "proofs_check.claims")
    monkeypatch.setattr(targets, "builtin_catalog", lambda: Catalog(()))
    monkeypatch.setattr(targets, "plugin_points", lambda: (malformed, *found))
    yield tmp_path
    for name in MODULES:
        sys.modules.pop(f"cli_{name}_plugin", None)


def test_a_broken_plugin_drops_no_other() -> None:
    assert [claim.id for claim in targets.select(()).catalog] == ["v.one", "w.one"]
    assert [claim.id for claim in targets.select(["w"]).catalog] == ["w.one"]


def test_every_broken_plugin_has_a_row_that_names_it() -> None:
    causes = {
        "malformed": "no module at all",
        "missing": "ModuleNotFoundError",
        "raising": "ZeroDivisionError: division by zero",
        "leaving": "SystemExit: 0",
        "copy": "'v.one' is defined twice: in cli_good_plugin and in cli_copy_plugin",
        "empty": "CLAIMS is no tuple",
    }
    rows = targets.select(()).broken
    assert [row.id for row in rows] == [f"plug-in {name}" for name in causes]
    for row, (name, cause) in zip(rows, causes.items(), strict=True):
        assert row.outcome is Outcome.BROKEN
        assert f"plug-in {name} = " in row.verdict.summary
        assert cause in row.verdict.summary
        assert "--no-plugins" in row.verdict.summary


def test_plugins_are_not_read_when_switched_off() -> None:
    selection = targets.select((), plugins=False)
    assert len(selection.catalog) == len(selection.broken) == 0
    assert "cli_good_plugin" not in sys.modules


def test_an_interrupt_is_not_swallowed(plugins: Path) -> None:
    (plugins / "cli_raising_plugin.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        targets.select(())
