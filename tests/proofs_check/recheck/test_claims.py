"""What a claim means to the checker, and that a forged proof of a false claim is refused."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.inequalities import prove
from proofs_check.methods.inequality.cases import as_condition, goals
from proofs_check.recheck.claims import check_claim, meets, sequents
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import num, replaced, var
from proofs_check.recheck.sequent import Sequent

RANGE = {"rule": "define", "proof": {"rule": "range"}}
STURM = {"rule": "define", "proof": {"rule": "univariate polynomial"}}


def accepted(claim: str, hypotheses: list[str], proofs: list[Any]) -> bool:
    try:
        check_claim(claim, hypotheses, proofs)
    except Rejected:
        return False
    return True


@pytest.mark.parametrize(
    ("claim", "hypotheses", "proofs"),
    [
        ("x**2 >= 0", [], [RANGE]),
        ("0 <= x <= 1", ["0 <= x", "x <= 1"], [RANGE, RANGE]),
        ("x == x", [], [RANGE, RANGE]),
        ("x != 2", ["x >= 3"], [RANGE]),
        ("x >= 1", ["x >= 2 or x >= 1"], [RANGE, RANGE]),
        ("x**2 >= 1", ["x != 0", "x in Z"],
         [{"rule": "weaken", "integers": [], "box": {"x": [None, "-1", False, False]},
           "proof": STURM}] * 2),
    ],
)  # fmt: skip
def test_sequents_in_order(claim: str, hypotheses: list[str], proofs: list[Any]) -> None:
    found = sequents(claim, hypotheses)
    assert len(found) == len(proofs)
    assert all(s.total and not s.defined for s in found)
    if "Z" not in str(hypotheses):
        assert accepted(claim, hypotheses, proofs)
        assert not accepted(claim, hypotheses, proofs[:-1])
        assert not accepted(claim, hypotheses, [*proofs, RANGE])


TEXTS = [
    ("log(1 + x) <= x", ["x > -1"]),
    ("x*y <= 1/4", ["x + y == 1"]),
    ("3*x + 2*y <= 12", ["x + y <= 4", "x <= 4", "x >= 0", "y >= 0"]),
    ("log(4) <= 2*log(2)", []),
    ("exp(pi*sqrt(163)) < 262537412640768744", []),
    ("x <= 1", ["u**2 <= 4", "x <= 1"]),
    ("n*(n - 1)*(n - 2) >= 0", ["n in N"]),
    ("m*(m - 1) + n*(n - 1) >= 0", ["m in Z", "n in Z", "0 <= m <= 3", "0 <= n <= 3"]),
    ("x <= 0 or log(x) <= x", []),
    ("log(x) <= 0 or x > 1", ["x > 0"]),
    ("1/x <= 1 or x < 1", ["x != 0"]),
    ("x == 1 or x != 1", []),
    ("x/2**2 == 1 or 4 != x", []),
    ("abs(x) == x", ["x >= 0"]),
    ("implies(x > 1, x**2 > 1)", []),
    ("not (x < 0)", ["x >= 0"]),
    ("x >= 0", ["x**2 >= 1 or x >= 0", "x >= -1/2"]),
    ("x**n >= -1", ["-1 <= x <= 1", "n in N", "n <= 4"]),
    ("x <= 2", ["x > 1", "log(x) <= log(2)"]),
    ("n >= 2", ["n in N", "n != 1"]),
    ("sqrt(x - y) >= 0", ["x >= y"]),
    ("log(x*y) == log(x) + log(y)", ["x > 0", "y > 0"]),
]


@pytest.mark.parametrize(("claim", "hypotheses"), TEXTS)
def test_what_the_finder_proves_is_accepted(claim: str, hypotheses: list[str]) -> None:
    verdict = prove(claim, hypotheses)
    assert verdict.status is Status.PROVED
    certificate: Any = verdict.certificate
    check_claim(claim, hypotheses, certificate["proofs"])
    assert meets(claim, hypotheses, certificate["example"])


@pytest.mark.parametrize(("claim", "hypotheses"), TEXTS)
def test_finder_and_checker_read_the_same_statements(claim: str, hypotheses: list[str]) -> None:
    """Values of goals and facts at points: the same, one by one."""
    mine = sequents(claim, hypotheses)
    shown = goals(as_condition(claim), [as_condition(h) for h in hypotheses])
    problems = [p for goal in shown for p in (*goal.valued, *goal.problems)]
    assert [s.strict for s in mine] == [p.strict for p in problems]
    assert [s.names for s in mine] == [tuple(sorted(s.names)) for s in mine]
    assert [s.integers for s in mine] == [p.integers for p in problems]


# --- logic --------------------------------------------------------------------------------------
ATOMS = ("x <= 1", "x < y", "y == 0", "x != y", "y >= 2", "x + y > 1")
conditions = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.builds("(({}) and ({}))".format, inner, inner),
        st.builds("(({}) or ({}))".format, inner, inner),
        st.builds("(not ({}))".format, inner),
        st.builds("implies({}, {})".format, inner, inner),
    ),
    max_leaves=4,
)
GRID = [Fraction(k, 2) for k in range(-2, 6)]


@given(conditions, st.lists(conditions, max_size=2))
@settings(max_examples=60, deadline=None)
def test_the_sequents_hold_together_exactly_where_the_claim_does(
    claim: str, hypotheses: list[str]
) -> None:
    try:
        found = sequents(claim, hypotheses)
    except Rejected:
        assume(False)
    for x, y in itertools.product(GRID, GRID):
        point = {"x": str(x), "y": str(y)}
        wanted = meets(claim, [claim], point) or not meets(claim, hypotheses, point)
        assert wanted == all(_holds(s, {"x": x, "y": y}) for s in found), (claim, hypotheses, point)


@given(conditions)
@settings(max_examples=40, deadline=None)
def test_a_condition_or_its_denial_is_met(condition: str) -> None:
    for x, y in itertools.product(GRID, GRID):
        point = {"x": str(x), "y": str(y)}
        yes, no = (meets("x <= y", [text], point) for text in (condition, f"not ({condition})"))
        assert yes != no


def _holds(s: Sequent, point: dict[str, Fraction]) -> bool:
    """Whether a statement on polynomials is true at a point."""
    values = {var(name): num(value) for name, value in point.items()}
    if not all(s.side(name).contains(point[name]) for name in s.names):
        return True
    facts = [(replaced(f.expression, values).number, f.strict) for f in s.facts]
    if not all(v is not None and (v > 0 or (v == 0 and not strict)) for v, strict in facts):
        return True
    goal = replaced(s.goal, values).number
    return goal is not None and (goal > 0 or (goal == 0 and not s.strict))


# --- definedness --------------------------------------------------------------------------------
def test_parts_of_an_or_must_have_values_where_nothing_else_holds() -> None:
    # At x = 0 neither part is true: log(x) has no value there.
    claim = "log(x) <= 0 or x > 1"
    first = {"rule": "define", "proof": {"rule": "identity"}}
    assert len(sequents(claim, ["x >= 0"])) == 2
    assert len(sequents("x**2 <= 1 or x > 1", ["x >= 0"])) == 1
    assert not accepted(claim, ["x >= 0"], [first, RANGE])
    # the second statement alone is vacuous at 0, and would have been accepted
    shown = sequents(claim, ["x >= 0"])[0]
    assert shown.total
    # 0 >= x excuses the logarithm
    excused = "x <= 0 or log(x) <= 10 or x > 1"
    assert sequents(excused, [])[0].side("x").low == 0


def test_terms_must_have_values() -> None:
    assert not accepted("sqrt(x) >= 0", ["x >= -1"], [RANGE])
    assert not accepted("x/x == 1", [], [{"rule": "define", "proof": {"rule": "identity"}}] * 2)
    assert accepted("sqrt(x) >= 0", ["x >= 0"], [RANGE])
    assert not accepted("sqrt(x) >= 0", ["x >= 0"], [{"rule": "range"}])


def test_natural_numbers_start_at_one() -> None:
    assert accepted("n >= 1", ["n in N"], [RANGE])
    assert not accepted("n >= 2", ["n in N"], [RANGE])
    assert not accepted("n >= 1", ["n in Z"], [RANGE])


# --- forgeries ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("claim", "hypotheses", "wrong"),
    [
        ("log(1 + x) <= x", ["x > -1"], "log(1 + x) < x"),
        ("log(1 + x) <= x", ["x > -1"], "log(1 + x) <= x - 1/10**30"),
        ("log(1 + x) <= x", ["x > -1"], "log(1 + x) >= x"),
        ("x*y <= 1/4", ["x + y == 1"], "x*y <= 1/5"),
        ("3*x + 2*y <= 12", ["x + y <= 4", "x <= 4", "x >= 0", "y >= 0"], "3*x + 2*y < 12"),
        ("n*(n - 1)*(n - 2) >= 0", ["n in N"], "n*(n - 1)*(n - 2) > 0"),
        ("x <= 0 or log(x) <= x", [], "x <= 0 or log(x) <= x - 1"),
        ("1/x <= 1 or x < 1", ["x != 0"], "1/x < 1 or x < 1"),
        ("x <= 1", ["u**2 <= 4", "x <= 1"], "x < 1"),
    ],
)
def test_proofs_do_not_serve_neighbours_that_are_false(
    claim: str, hypotheses: list[str], wrong: str
) -> None:
    certificate: Any = prove(claim, hypotheses).certificate
    assert accepted(claim, hypotheses, certificate["proofs"])
    assert not accepted(wrong, hypotheses, certificate["proofs"])


@pytest.mark.parametrize(
    ("claim", "hypotheses", "weaker"),
    [
        ("x*y <= 1/4", ["x + y == 1"], ["x + y >= 1"]),
        ("x*y <= 1/4", ["x + y == 1"], ["x + y == 2"]),
        ("x**2 <= y**2", ["x >= 0", "y >= x"], ["y >= x"]),
        ("sqrt(x - y) >= 0", ["x >= y"], ["x >= y - 1"]),
        ("n*(n - 1)*(n - 2) >= 0", ["n in N"], ["n in Z"]),
        ("n*(n - 1)*(n - 2) >= 0", ["n in N"], ["n >= 1"]),
        ("x > 1", ["x > 1"], ["x >= 1"]),
    ],
)
def test_proofs_do_not_serve_weaker_hypotheses(
    claim: str, hypotheses: list[str], weaker: list[str]
) -> None:
    certificate: Any = prove(claim, hypotheses).certificate
    assert accepted(claim, hypotheses, certificate["proofs"])
    assert not accepted(claim, weaker, certificate["proofs"])


@pytest.mark.parametrize(
    ("claim", "hypotheses", "proofs"),
    [
        ("x in N", [], [RANGE]),
        ("x <= 1", ["not (n in N)"], [RANGE]),
        ("n in N or x**2 >= 0", [], [RANGE]),
        ("x", [], [RANGE]),
        ("", [], [RANGE]),
        (None, [], [RANGE]),
        ("x**2 >= 0", "x >= 1", [RANGE]),
        ("x**2 >= 0", [None], [RANGE]),
        ("x**2 >= 0", ["x > 0"] * 1000, [RANGE]),
        ("x**2 >= 0", [], RANGE),
        ("x**2 >= 0", [], None),
        ("x**2 >= 0", [], ["range"]),
        ("x**2 >= 0", [], [{}]),
        ("x**2 >= 0", [], [{"rule": ["range"]}]),
        (" and ".join(["(x >= 0 or y >= 0)"] * 100), [], [RANGE]),
        (" or ".join(["(x**2 >= 0 and y**2 >= 0)"] * 100), [], [RANGE]),
        ("(" * 10_000, [], [RANGE]),
        ("not " * 10_000 + "x >= 0", [], [RANGE]),
    ],
)
def test_malformed_claims(claim: Any, hypotheses: Any, proofs: Any) -> None:
    assert not accepted(claim, hypotheses, proofs)


# --- examples -----------------------------------------------------------------------------------
def test_examples_are_checked_exactly() -> None:
    assert meets("x <= y", ["x > 0", "y == x**2"], {"x": "3/2", "y": "9/4"})
    assert not meets("x <= y", ["x > 0", "y == x**2"], {"x": "3/2", "y": "2"})
    assert not meets("x <= y", ["x > 0"], {"x": "1"})  # y is missing
    assert not meets("x <= y", ["x > 0"], {"x": "0", "y": "0"})
    assert not meets("x <= 0", ["log(x) <= 0 or 1/x > 0"], {"x": "0"})
    assert meets("x <= 0", ["n in N or n in Z"], {"x": "0", "n": "-1"})
    assert not meets("x <= 0", ["n in N"], {"x": "0", "n": "0"})
    assert not meets("x <= 0", ["n in Z"], {"x": "0", "n": "1/2"})
    assert meets("x <= 0", ["log(4) == 2*log(2)"], {"x": "0"})
    assert not meets("x <= 0", ["log(4) < 2*log(2)"], {"x": "0"})
    for wrong in ("1/0", "nan", "inf", "x", "", "1.5", "--1"):
        with pytest.raises(Rejected):
            meets("x <= 0", [], {"x": wrong})
    assert not meets("x <= 0", [], None)  # type: ignore[arg-type]
