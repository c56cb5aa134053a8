"""Looking claims up, and reading claim files that are wrong in every way."""

import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

import bounds.catalog as module
from bounds.catalog import (
    Catalog,
    Entry,
    Origin,
    builtin_catalog,
    load,
    load_file,
    load_package,
    neighbours_of,
    plugin_catalog,
    plugin_points,
)
from bounds.errors import ClaimDefinitionError, ClaimFileError, UnknownClaimError

CATALOG = builtin_catalog()
GOOD = """
from bounds import Claim, Source, scalar
x = scalar("x")
ONE = Claim(id="U1.one", title="one", lhs=x, rhs=x + 1, source=Source("me"), tags=("mine",))
CLAIMS = (ONE,)
"""


@pytest.fixture(autouse=True)
def clean_modules():
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("proofs_check_claims_"):
            del sys.modules[name]


@pytest.fixture
def claim_file(tmp_path):
    def write(text, name="claims.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def ids(catalog):
    return [claim.id for claim in catalog]


def test_order_and_length():
    letters = [claim.result[0] for claim in CATALOG]
    assert letters == sorted(letters, key="RIGSF".index)
    assert len(CATALOG) == len(ids(CATALOG)) == len(set(ids(CATALOG)))
    results = [claim.result for claim in CATALOG]
    assert results.index("I2") < results.index("I10"), "by number, not by letters"


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["I1.push_through"], ["I1.push_through"]),
        (["I3"], ["I3.embedding"]),
        (["I1*"], ["I1.push_through", "I10.sphere"]),
        (["I1.*"], ["I1.push_through"]),
        (["I1"], ["I1.push_through"]),
        (["minimality"], ["R4.mean_model", "R4.linear_gaussian", "R4.iff"]),
        (["I3", "I1.push_through", "I3.embedding"], ["I1.push_through", "I3.embedding"]),
        ([], []),
    ],
)
def test_select(patterns, expected):
    assert ids(CATALOG.select(patterns)) == expected


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [("I2.bond", "I2.bound"), ("i2.bound", "I2.bound"), ("posterier", "posterior")],
)
def test_an_unknown_name_gets_the_nearest(wanted, nearest):
    with pytest.raises(UnknownClaimError, match="did you mean") as caught:
        CATALOG.select([wanted])
    assert nearest in caught.value.nearest
    assert str(caught.value) == caught.value.message


def test_an_unknown_name_far_from_all():
    with pytest.raises(UnknownClaimError) as caught:
        CATALOG.entry("qqqqqqqq")
    assert caught.value.nearest == ()
    assert "did you mean" not in str(caught.value)
    with pytest.raises(UnknownClaimError):
        CATALOG.select(["I1", "nothing*"])


def test_mutants_and_variants_are_found_by_their_ids():
    for claim in (CATALOG["I1.push_through"], CATALOG["S2.rows"], CATALOG["I4.tail"]):
        for neighbour in neighbours_of(claim):
            found = CATALOG.entry(neighbour.id)
            assert found.claim.id == neighbour.id
            assert found.origin == CATALOG.entry(claim.id).origin
    assert CATALOG["S2.rows@printed"].expected.value == "REFUTED"
    assert "~" in neighbours_of(CATALOG["I1.push_through"])[0].id


def test_a_doubled_id_is_refused_naming_both_origins(claim_file):
    claim = CATALOG["I1.push_through"]
    entries = (Entry(claim, Origin("first.module")), Entry(claim, Origin("second.module")))
    with pytest.raises(ClaimDefinitionError, match=r"first\.module.*second\.module"):
        Catalog(entries)
    origin = Origin("same.module")
    with pytest.raises(ClaimDefinitionError, match="twice"):
        Catalog((Entry(claim, origin), Entry(replace(claim, title="other"), origin)))
    path = claim_file(GOOD.replace("(ONE,)", "(ONE, ONE)"))
    with pytest.raises(ClaimFileError, match="twice"):
        load_file(path)
    one = load_file(claim_file(GOOD))
    with pytest.raises(ClaimDefinitionError, match="twice"):
        one + one


def test_a_good_file(claim_file):
    path = claim_file(GOOD)
    found = load_file(path)
    assert ids(found) == ["U1.one"]
    origin = found.entries[0].origin
    assert origin.is_file
    assert origin.name == str(path.resolve())
    assert ids(load(origin)) == ["U1.one"]
    assert ids(load_file(str(path))) == ["U1.one"]


def test_a_changed_file_is_noticed(claim_file):
    path = claim_file(GOOD)
    origin = load_file(path).entries[0].origin
    claim_file(GOOD.replace("x + 1", "x + 2"))
    with pytest.raises(ClaimFileError, match="changed"):
        load(origin)
    claim_file(GOOD + "\n# a comment\n")
    with pytest.raises(ClaimFileError, match="changed"):
        load(origin)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x = 1\ny = (\n", 2, "SyntaxError"),
        ("x = 1\n\nraise ValueError('bad number')\n", 3, "ValueError: bad number"),
        ("def f():\n    return 1 / 0\n\nf()\n", 2, "ZeroDivisionError"),
        ("import does_not_exist_at_all\n", 1, "ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
        ("import json\njson.loads('{')\n", 2, "JSONDecodeError"),
        ("x = 1\n", None, "no CLAIMS"),
        ("", None, "no CLAIMS"),
        ("CLAIMS = (1, 2)\n", None, "holds 1, which is no Claim"),
        (GOOD + "CLAIMS = (ONE)\n", None, "with the comma"),
        (GOOD + "CLAIMS = {ONE.id: ONE}\n", None, "with the comma"),
        ("CLAIMS = 5\n", None, "with the comma"),
        ("x = '\x00'\n", None, "null bytes"),
        (GOOD.replace("U1.one", "not an id"), 4, "an id looks like"),
    ],
)
def test_bad_files(claim_file, text, line, words):
    path = claim_file(text)
    with pytest.raises(ClaimFileError) as caught:
        load_file(path)
    assert caught.value.line == line
    assert words in caught.value.cause
    assert caught.value.path == str(path)
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "missing.py", tmp_path):
        with pytest.raises(ClaimFileError, match="cannot be read"):
            load_file(path)


def test_an_interrupt_is_not_swallowed(claim_file):
    with pytest.raises(KeyboardInterrupt):
        load_file(claim_file("raise KeyboardInterrupt\n"))


def test_plugins_are_found_through_their_entry_points(tmp_path, monkeypatch):
    (tmp_path / "my_theory_plugin.py").write_text(GOOD)
    (tmp_path / "my_broken_plugin.py").write_text("raise ValueError('broken')\n")
    monkeypatch.syspath_prepend(tmp_path)

    def entry_points(*, group):
        assert group == "proofs_check.claims"
        return [
            EntryPoint("bad", "my_broken_plugin", group),
            EntryPoint("mine", "my_theory_plugin:CLAIMS [extra]", group),
        ]

    monkeypatch.setattr(module, "entry_points", entry_points)
    bad, mine = plugin_points()
    with pytest.raises(ValueError, match="broken"):
        plugin_catalog(bad)
    found = plugin_catalog(mine)
    assert ids(found) == ["U1.one"]
    assert found.entries[0].origin == Origin("my_theory_plugin")
    assert not found.entries[0].origin.is_file
    assert ids(load(found.entries[0].origin)) == ["U1.one"]
    monkeypatch.setattr(module, "entry_points", lambda *, group: [])
    assert plugin_points() == ()


def test_a_module_is_read_again_by_its_name():
    for entry in CATALOG.entries[:3]:
        assert entry.claim.id in ids(load(entry.origin))
    assert ids(load_package("bounds.theory.inference.i1_posterior_mean")) == ["I1.push_through"]
    with pytest.raises(ClaimDefinitionError, match="no CLAIMS"):
        load(Origin("bounds.symbols"))
