"""Convex: what it accepts, and what it must not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Side

from .statements import (
    CONSTANT,
    HALF_LINE,
    IDENTITY,
    LINE,
    OPEN,
    RANGE,
    SHOWN,
    UNIT,
    ZERO,
    refuses,
    says,
    side,
)


def convex(**more: Any) -> dict[str, Any]:
    proofs = {"bend": RANGE, "face": IDENTITY}
    return {"rule": "convex", "name": "x", "at": "y", **proofs, **more}


RECIPROCAL = {"rule": "rewrite", "goal": "1/x", "proof": RANGE}
YOUNG = "x*log(x) - x + exp(y) - x*y"


def test_a_convex_goal_is_decided_on_the_diagonal() -> None:
    check(says("x*log(x/y) - x + y", x=OPEN, y=OPEN), convex(bend=RECIPROCAL))
    check(says("(x - y)**2", x=UNIT, y=UNIT), convex(bend=CONSTANT))


def test_the_diagonal_must_be_reached() -> None:
    """x in [0, 1], y in [0, 2]: x has to run further, where the goal must have a value."""
    goal = says("(x - y)**2", x=UNIT, y=side(0, 2))
    refuses(goal, convex(bend=CONSTANT))
    wide = ZERO
    wider = ["0", "2", False, False]
    check(goal, convex(bend=CONSTANT, wide=wide, side=wider))
    refuses(goal, convex(bend=CONSTANT, wide=IDENTITY, side=wider))
    refuses(goal, convex(bend=CONSTANT, wide=wide, side=["0", "2", False, True]))
    refuses(goal, convex(bend=CONSTANT, wide=wide, side=["1", "2", False, False]))
    rooted = says("(x - y)**2 + 0*sqrt(1 - x)", x=UNIT, y=side(0, 2))
    refuses(rooted, convex(bend=CONSTANT, wide=wide, side=wider))


@pytest.mark.parametrize(
    "goal",
    [
        "-(x - y)**2",
        "(x - y)**2 - 1",  # negative on the diagonal
        "y**2 - x**2",  # concave
        "(x - y)**2 + x - y",  # the slope is 1 at the diagonal
        "(x - 2*y)**2 - y**2",  # the slope vanishes elsewhere
        "abs(x - y) - (x - y)**2",
    ],
)
def test_goals_without_a_minimum_on_the_diagonal_are_rejected(goal: str) -> None:
    for bend in (RANGE, CONSTANT):
        for face in (IDENTITY, RANGE, LINE):
            refuses(says(goal, x=UNIT, y=UNIT), convex(bend=bend, face=face))


def test_facts_that_the_box_implies_are_no_obstacle() -> None:
    check(says("(x - y)**2", "x + y + 1", x=UNIT, y=UNIT), convex(bend=CONSTANT))


def test_facts_about_the_moved_variable_are_refused() -> None:
    refuses(says("(x - y)**2", "x - y - 1/2", x=UNIT, y=UNIT), convex(bend=CONSTANT))
    refuses(says("(x - y)**2", x=UNIT, y=UNIT), convex(bend=CONSTANT, at="x"))
    refuses(says("0*x", x=UNIT), convex(bend=IDENTITY, at="x"))


def test_a_convex_goal_is_decided_where_its_slope_vanishes() -> None:
    real = Side()
    young = convex(at="exp(y)", bend=RECIPROCAL, value=ZERO)
    check(says(YOUNG, x=OPEN, y=real), young)
    check(says("exp(x) - y - y*x + y*log(y)", x=real, y=OPEN), convex(at="log(y)", value=ZERO))
    check(says("x**2 - 2*x + 1 + y", x=Side(), y=UNIT), convex(at="1", bend=CONSTANT, face=RANGE))
    check(says("x**2 - x*y + y**2/4", x=real, y=real), convex(at="y/2", bend=CONSTANT))


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": "exp(y) + 1"},
        {"at": "exp(-y)"},
        {"at": "1"},
        {"at": "x"},
        {"at": "exp(y) + 0*x"},
        {"at": "exp(z)"},
        {"at": "exp(y) + 0*log(y)"},  # no value where y <= 0
        {"at": "exp(y*log(y)/log(y))"},
        {"at": 1},
        {"at": None},
        {"at": "exp("},
        {"value": IDENTITY},
        {"value": None},
        {"side": ["1", None, False, True]},
        {"side": ["0", None, False, True], "wide": ZERO},  # 0 has no logarithm
        {"side": "all"},
        {"side": ["0", "0", 0, 0]},
        {"bend": IDENTITY},
        {"face": RANGE},
        {"inside": 1},
    ],
)
def test_wrong_places_are_rejected(wrong: dict[str, Any]) -> None:
    right = convex(at="exp(y)", bend=RECIPROCAL, value=ZERO)
    refuses(says(YOUNG, x=OPEN, y=Side()), right | wrong)


def test_the_place_must_have_a_value_at_every_point() -> None:
    claim = says("x**2 + y", x=side(-1, 1), y=UNIT)
    for place in ("0/y", "0*log(y)", "0*sqrt(y - 1/2)"):
        refuses(claim, convex(at=place, bend=CONSTANT, face=RANGE, value=ZERO))
        refuses(claim, convex(at=place, bend=CONSTANT, face=RANGE, value=IDENTITY))
        refuses(claim, convex(at=place, bend=CONSTANT, face=RANGE))
    # false where y <= 0, where the place has no value and its face says nothing
    false = says("x**2 + log(exp(y))", x=side(-1, 1), y=side(-1, 1))
    refuses(false, convex(at="0*log(y)", bend=CONSTANT, face=RANGE, value=IDENTITY))
    logs = {"rule": "rewrite", "goal": "0*log(y)", "proof": IDENTITY}
    refuses(false, convex(at="0*log(y)", bend=CONSTANT, face=RANGE, value=logs))


def test_facts_of_the_other_variables_help_to_reach_the_place() -> None:
    goal = says("exp(x) - y - y*x + y*log(y)", "y - 1", x=Side(), y=Side())
    shown = {
        "of": "y",
        "positive": True,
        "proof": {"rule": "farkas", "multipliers": [["y-1", "1"]]},
    }
    value = {"rule": "define", "needs": [shown], "proof": IDENTITY}
    goal = replace(goal, defined=True)
    check(goal, convex(at="log(y)", value=value))
    refuses(replace(goal, facts=()), convex(at="log(y)", value=value))
    refuses(
        says("(x - 1)**2 - 1/100", "x - 2", x=Side()), convex(at="1", bend=CONSTANT, face=RANGE)
    )
    whole = replace(says("(x - y)**2", x=Side(), y=Side()), integers=frozenset({"x"}))
    refuses(whole, convex(bend=CONSTANT))
    check(replace(whole, integers=frozenset({"y"})), convex(bend=CONSTANT))


def test_the_goal_must_bend_up_all_the_way_to_the_place() -> None:
    """x^4/4 - x^3/3 - x^2 has slope x (x+1) (x-2): -5/12 at -1, but -8/3 at 2."""
    wave = "x**4/4 - x**3/3 - x**2 + 1/2"
    at = {"at": "-1", "face": CONSTANT}
    for x in (side(2, 3), side(-2, 3)):
        for bend in (RANGE, LINE):
            refuses(says(wave, x=x), convex(bend=bend, **at))
            wide = {"side": ["-2", "3", False, False], "wide": ZERO}
            refuses(says(wave, x=x), convex(bend=bend, **at, **wide))
    check(says(wave, x=side(-2, -1)), convex(bend=LINE, **at))
    refuses(says(wave, x=side(2, 3)), convex(bend=LINE, **at))


def test_the_goal_must_have_values_all_the_way_to_the_place() -> None:
    """1/x^2 + 2 x is smallest at 1 among x > 0; beyond the pole it falls without end."""
    pole = says("1/x**2 + 2*x - 3 + 1/10", x=side(-3, -2))
    wide = {"side": ["-3", "1", False, False], "wide": ZERO}
    refuses(pole, convex(at="1", face=CONSTANT, **wide))
    refuses(pole, convex(at="1", face=CONSTANT, side=wide["side"], wide=IDENTITY))
    refuses(pole, convex(at="1", face=CONSTANT, side=wide["side"]))
    refuses(pole, convex(at="1", face=CONSTANT))


def test_a_side_must_hold_the_old_one() -> None:
    """x^4/4 - x^3/3 - x^2 + 1/2 bends up on [-2, -1] and is > 0 there, but not at 2."""
    wave = says("x**4/4 - x**3/3 - x**2 + 1/2", x=side(-2, 3))
    part = convex(at="-1", bend=LINE, face=CONSTANT, side=["-2", "-1", False, False])
    refuses(wave, part)
    check(replace(wave, box=(("x", side(-2, -1)),)), part)


def test_goals_without_values_and_places_too_far_out_are_rejected() -> None:
    refuses(says("(x - y)**2", x=UNIT, y=UNIT, defined=False), convex(bend=CONSTANT))
    refuses(says("(x - y)**2", x=UNIT, y=UNIT, defined=False), convex(bend=CONSTANT, wide=ZERO))
    far = says("(x - exp(1000000))**2", x=Side())
    refuses(far, convex(at="exp(1000000)", bend=CONSTANT, value=SHOWN))


def test_strict_goals_need_more_than_contact() -> None:
    real = Side()
    young = convex(at="exp(y)", bend=RECIPROCAL, value=ZERO)
    refuses(says(YOUNG, x=OPEN, y=real, strict=True), young)
    positive = convex(at="y", bend=CONSTANT, face=RANGE)
    check(says("(x - y)**2 + 1", x=real, y=real, strict=True), positive)
    refuses(says("(x - y)**2 + 0*y", x=real, y=real, strict=True), positive)


def test_kinks_hide_slopes() -> None:
    """x^2 - 4 |x| + x has a least value on both sides of 0, -9/4 at 3/2 and -25/4 at -5/2."""
    real = Side()
    for bend in (RANGE, IDENTITY, CONSTANT):
        valley = says("x**2 - 4*abs(x) + x + 9/4", x=real)
        refuses(valley, convex(at="3/2", bend=bend, face=CONSTANT))
    for bend in (RANGE, IDENTITY, CONSTANT):
        refuses(says("1 - abs(x - 1) + 0*x**2", x=real), convex(at="5", bend=bend, face=RANGE))
        refuses(says("x**2 - 3*abs(x - 1) + 3", x=real), convex(at="0", bend=bend, face=RANGE))
        refuses(says("x**2 - floor(x)", x=real), convex(at="0", bend=bend, face=RANGE))
        refuses(says("max(x, -x) - 2*abs(x)", x=real), convex(at="0", bend=bend, face=RANGE))


def test_slopes_inside_reach_no_end() -> None:
    """x - 2 y sqrt(x) + y^2 is 0 at x = y^2, with an infinite slope at x = 0."""
    opened = says("x - 2*sqrt(x)*y + y**2", x=HALF_LINE, y=OPEN)
    bend = {"rule": "rewrite", "goal": "y/(2*x**(3/2))", "proof": RANGE}
    check(opened, convex(at="y**2", bend=bend, inside=True))
    refuses(opened, convex(at="y**2", bend=bend))
    closed = says("x - 2*sqrt(x)*y + y**2", x=HALF_LINE, y=HALF_LINE)
    refuses(closed, convex(at="y**2", bend=bend, inside=True))


@settings(max_examples=60, deadline=None)
@given(
    a=st.fractions(-2, 2, max_denominator=4),
    b=st.fractions(-2, 2, max_denominator=4),
    c=st.fractions(-1, 1, max_denominator=4),
    place=st.fractions(-3, 3, max_denominator=2),
)
def test_what_convex_accepts_holds(a: Fraction, b: Fraction, c: Fraction, place: Fraction) -> None:
    """a x^2 + b x + c on [-1, 1]."""
    goal = says(f"({a})*x**2 + ({b})*x + ({c})", x=side(-1, 1))
    proof = convex(at=str(place), bend=CONSTANT, face=CONSTANT)
    try:
        check(goal, proof)
    except Rejected:
        lowest = -b / (2 * a) if a > 0 else None
        right = lowest == place and -1 <= place <= 1 and a * place**2 + b * place + c >= 0
        assert not right or a == 0
        return
    assert all(a * x * x + b * x + c >= 0 for x in (Fraction(k, 20) for k in range(-20, 21)))
