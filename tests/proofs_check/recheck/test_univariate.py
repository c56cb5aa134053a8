"""Rational functions of one variable, goals split by abs, min and max, and constant goals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.methods.inequality.problem import make_problems
from proofs_check.methods.inequality.univariate.method import prove
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Fact, Sequent, Side

from .statements import accepted_as_json as accepted

RATIONAL = {"rule": "univariate polynomial"}
UNIT = Side(Fraction(0), Fraction(1))


def sequent(goal: str, side: Side = UNIT, *, strict: bool = False, defined: bool = True) -> Sequent:
    box = (("x", side),)
    return Sequent(read_expression(goal), strict, box, (), frozenset(), defined=defined)


# --- rational functions -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("goal", "side", "strict", "truth"),
    [
        ("x**2 - 2*x + 1", Side(), False, True),
        ("x**2 - 2*x + 1", Side(), True, False),
        ("x**2 - 2*x + 1", Side(Fraction(0), Fraction(1), False, True), True, True),
        ("x**2 - 2*x + 0.999999999999999999999", Side(), False, False),
        ("x**3", UNIT, False, True),
        ("x**3", UNIT, True, False),
        ("x**3", Side(Fraction(0), None, True), True, True),
        ("-x", UNIT, False, False),
        ("x - 1", Side(Fraction(1)), True, False),
        ("x - 1", Side(Fraction(1)), False, True),
        ("1 - x", Side(None, Fraction(1)), True, False),
        ("1 - x", Side(None, Fraction(1), False, True), True, True),
        ("x**2 - 2", Side(Fraction(7, 5)), False, False),
        ("x**2 - 2", Side(Fraction(3, 2)), True, True),
        ("x**2 - 2", Side(None, Fraction(-3, 2)), True, True),
        ("(x**2 - 2)**2*(x**2 + 1)/(1 + x**4)", Side(), False, True),
        ("1/x", Side(Fraction(-1), Fraction(1)), False, False),
        ("1/x", Side(Fraction(0), Fraction(1), True), True, True),
        ("1/x**2", Side(Fraction(-1), Fraction(1)), True, True),
        ("1/(x - 1/2)", UNIT, False, False),
        ("x*(1 - x)", UNIT, False, True),
        ("x*(1 - x)", UNIT, True, False),
        ("1 - x", Side(Fraction(1), Fraction(1)), False, True),
        ("1 - x", Side(Fraction(1), Fraction(1)), True, False),
        ("x - x", Side(), False, True),
        ("x - x", Side(), True, False),
        ("-1", Side(Fraction(1), Fraction(0)), True, True),
    ],
)
def test_decisions(goal: str, side: Side, strict: bool, truth: bool) -> None:
    assert accepted(sequent(goal, side, strict=strict), RATIONAL) is truth


@pytest.mark.parametrize("goal", ["exp(x)", "sqrt(x)", "abs(x)", "pi*x", "x**x", "x**500"])
def test_others_are_refused(goal: str) -> None:
    assert not accepted(sequent(goal), RATIONAL)


_ROOTS = st.lists(st.fractions(-2, 2, max_denominator=4), min_size=1, max_size=5)


@settings(max_examples=150, deadline=None)
@given(_ROOTS, _ROOTS, st.booleans(), st.booleans(), st.booleans(), st.sampled_from("ABCD"))
def test_quotients_of_known_zeros(
    roots: list[Fraction], poles: list[Fraction], closed: bool, strict: bool, lower: bool, kind: str
) -> None:
    low = None if kind in "BD" else Fraction(-1)
    high = None if kind in "CD" else Fraction(1)
    side = Side(low, high, not closed, not closed)
    tops = "*".join(f"(x - ({r}))" for r in roots)
    bottoms = "*".join(f"(x - ({r}))" for r in poles)
    goal = ("-1*" if lower else "") + f"{tops}/({bottoms})"
    truth = True
    places = sorted({*roots, *poles, Fraction(-1), Fraction(1), Fraction(-9), Fraction(9)})
    for x in [*places, *((a + b) / 2 for a, b in pairwise(places))]:
        if side.contains(x) and x not in poles:
            value = Fraction(-1 if lower else 1)
            for root in roots:
                value *= x - root
            for pole in poles:
                value /= x - pole
            truth = truth and (value > 0 or (value == 0 and not strict))
    found = accepted(sequent(goal, side, strict=strict), RATIONAL)
    # A factor that cancels may be refused for its zero, where the goal has no value.
    assert found is truth or (strict and truth and set(roots) & set(poles))


# --- split --------------------------------------------------------------------------------------
def test_split_pieces_are_closed() -> None:
    goal, side = "(x - 1/3)**2*exp(x)", UNIT
    one = {"rule": "line", "pieces": [["0", "1"]]}
    halves = {"rule": "split", "name": "x", "at": ["1/3"], "proofs": [one, one]}
    assert not accepted(sequent(f"{goal} + 0*x - 1/10**9", side), halves)
    assert accepted(sequent("1 + x", side), halves)
    assert not accepted(sequent("abs(x - 1/3)", side, strict=True), halves)


@pytest.mark.parametrize(
    "change",
    [
        {"proofs": []},
        {"proofs": [RATIONAL]},
        {"proofs": [RATIONAL] * 3},
        {"at": ["0.5"]},
        {"at": [1]},
        {"at": "1/2"},
        {"name": "y"},
        {"name": 3},
        {"at": []},
    ],
)
def test_forged_splits(change: dict[str, Any]) -> None:
    proof = {"rule": "split", "name": "x", "at": ["1/2"], "proofs": [RATIONAL, RATIONAL]}
    assert accepted(sequent("x"), proof)
    assert not accepted(sequent("x"), {**proof, **change})


@given(st.lists(st.fractions(-2, 2, max_denominator=3), max_size=4))
def test_no_cuts_hide_a_false_goal(cuts: list[Fraction]) -> None:
    proofs = [RATIONAL] * (len(cuts) + 1)
    proof = {"rule": "split", "name": "x", "at": [str(c) for c in cuts], "proofs": proofs}
    assert not accepted(sequent("(x - 1/7)**2 - 1/10**6", Side(Fraction(-1), Fraction(1))), proof)
    assert accepted(sequent("(x - 1/7)**2", Side(Fraction(-1), Fraction(1))), proof)


# --- smallest -----------------------------------------------------------------------------------
def smallest(node: str, *proofs: Any) -> dict[str, Any]:
    return {"rule": "smallest", "node": node, "proofs": list(proofs)}


def test_only_terms_that_lower_the_goal_are_split() -> None:
    side = Side(Fraction(-1), Fraction(1))
    proof = smallest("abs(x)", RATIONAL, RATIONAL)
    assert accepted(sequent("1 - abs(x)", side), proof)
    assert not accepted(sequent("1 - abs(x)", side, strict=True), proof)
    assert not accepted(sequent("1/2 - abs(x)", side), proof)
    assert not accepted(sequent("abs(x)", side), proof)
    assert not accepted(sequent("1 - x*abs(x) - 1/9", side), proof)
    # In the other place |x| stays: exp(x) - |x| alone would not tell.
    mixed = sequent("exp(abs(x)) - abs(x) - 1/2", side)
    line = {"rule": "line", "pieces": [["-1", "1"]]}
    assert accepted(mixed, smallest("abs(x)", line, line))
    assert not accepted(
        sequent("exp(abs(x)) - 3*abs(x) - 1/2", side), smallest("abs(x)", line, line)
    )


def test_every_alternative_needs_its_proof() -> None:
    side = Side(Fraction(0), Fraction(3))
    three = sequent("min(x, 1, 5 - x)", side)
    node = "min(x, 1, 5 - x)"
    assert accepted(three, smallest(node, RATIONAL, RATIONAL, RATIONAL))
    assert not accepted(three, smallest(node, RATIONAL, RATIONAL))
    assert not accepted(sequent("min(x, 1, 2 - x)", side), smallest(node, *[RATIONAL] * 3))
    assert not accepted(sequent("-min(x, 1, 5 - x)", side), smallest(node, *[RATIONAL] * 3))
    assert accepted(sequent("4 - max(x, 1)", side), smallest("max(x, 1)", RATIONAL, RATIONAL))
    assert not accepted(sequent("max(x, 1) - 1", side), smallest("max(x, 1)", RATIONAL, RATIONAL))
    twice = sequent("4 - abs(x) - abs(x - 1)", side)
    assert not accepted(twice, smallest("abs(y)", RATIONAL, RATIONAL))


# --- level --------------------------------------------------------------------------------------
LEVEL = {"rule": "level", "point": "1"}
RIGHT = Side(Fraction(0), None, open_low=True)
ANGLES = "atan(x) + atan(1/x) - pi/2"


def test_a_goal_with_the_slope_zero() -> None:
    assert accepted(sequent(ANGLES, RIGHT), LEVEL)
    assert accepted(sequent(f"-({ANGLES})", RIGHT), LEVEL)
    assert not accepted(sequent(ANGLES, RIGHT, strict=True), LEVEL)
    assert not accepted(sequent(ANGLES, RIGHT, defined=False), LEVEL)
    assert not accepted(sequent(f"{ANGLES} - 1/10**30", RIGHT), LEVEL)
    assert not accepted(sequent(f"{ANGLES} + 1/10**30", RIGHT), LEVEL)
    assert not accepted(sequent(ANGLES, RIGHT), {"rule": "level", "point": "-1"})
    assert not accepted(sequent(ANGLES, RIGHT), {"rule": "level", "point": "x"})
    assert not accepted(sequent("x - 1", RIGHT), LEVEL)
    assert not accepted(sequent("(x - 1)**2", RIGHT), LEVEL)
    # Slope zero except where it has none.
    for jump in ("floor(x) - 1", "sign(x - 1/2) - 1", "abs(x)/x - 1", "max(x, 1) - max(1, x) + 0"):
        assert not accepted(sequent(jump, Side()), LEVEL)


def test_facts_may_part_the_range() -> None:
    """On x^2 >= 1/4 the range falls apart, and the goal has another value on the other side."""
    whole = Sequent(
        read_expression(ANGLES),
        False,
        (("x", Side()),),
        (Fact(read_expression("x**2 - 1/4"), False),),
        frozenset(),
        defined=True,
    )
    assert not accepted(whole, LEVEL)
    integers = Sequent(
        read_expression(ANGLES), False, (("x", Side()),), (), frozenset({"x"}), defined=True
    )
    assert not accepted(integers, LEVEL)


# --- proofs of the finder -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("abs(x) + abs(1 - x) >= 1", "-10 <= x <= 10"),
        ("abs(abs(x) - 1) <= abs(x - 1)", "-5 <= x <= 5"),
        ("max(x, 1/x) >= 1", "x > 0"),
        ("log(cosh(x)) >= abs(x) - log(2)", ""),
        ("min(x, 1, 2 - x) <= 1", "-2 <= x <= 3"),
        ("-abs(x) + exp(abs(x)) >= 1", "-2 <= x <= 2"),
        ("exp(-abs(x)) <= 1", ""),
        ("(x**2 - 3)**2*exp(x) >= 0", "-2 <= x <= 2"),
        ("x**4*exp(x)/(1 + x**2) >= 0", ""),
        ("(log(x) - 1)**2*abs(x) >= 0", "x > 0"),
        ("atan(x) + atan(1/x) <= pi/2", "x > 0"),
        ("sin(x)**2 + cos(x)**2 <= 1", "0 <= x <= 7"),
    ],
)
def test_shapes_of_the_finder(claim: str, where: str) -> None:
    one = make_problems(parse_condition(claim), [parse_condition(where)] if where else [])[0]
    found = prove(one)
    assert found.status is Status.PROVED
    ((_, interval),) = one.box
    side = Side(interval.low, interval.high, interval.open_low, interval.open_high)
    whole = sequent(str(one.goal), side)
    assert accepted(whole, found.certificate)
    lowered = sequent(f"({one.goal}) - 1/10**12", side)
    assert claim.startswith("exp") or not accepted(lowered, found.certificate)
