"""The claim file that the tests of the command line share; their cache is a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

CLAIMS = """
from bounds import Claim, Mutant, Source, Status, Variant, assume, scalar

x = scalar("x")
SOURCE = Source("A [red]paper[/red]")
VARIANT = Variant(name="printed", why="sign", rhs=-x, source=SOURCE, expected=Status.REFUTED)
CLAIMS = (
    Claim(id="t.proved", title="one", lhs=x, rhs=x + 1, source=SOURCE, tags=("tagged",),
          hypotheses=(assume("positive", x > 0),), variants=(VARIANT,),
          mutants=(Mutant(name="half", why="x = 4", rhs=x / 2),)),
    Claim(id="u.consistent", title="two", lhs=x, rhs=x + 2, source=SOURCE,
          expected=Status.CONSISTENT),
)
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def claim_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("claims.py").write_text(CLAIMS, encoding="utf-8")
    return "claims.py"
