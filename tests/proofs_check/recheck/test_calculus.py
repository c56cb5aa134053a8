"""Monotone, concave, convex, homogeneous, integrated: what they accept, and what they must not."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Fact, Side

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


def monotone(end: str, slope: Any = RANGE, face: Any = RANGE, **more: Any) -> dict[str, Any]:
    return {"rule": "monotone", "name": "x", "end": end, "slope": slope, "face": face, **more}


# --- monotone -----------------------------------------------------------------------------------
def test_a_rising_goal_is_decided_at_its_low_end() -> None:
    check(says("exp(x) + x*y - 1", x=UNIT, y=UNIT), monotone("low"))
    check(says("exp(-x) + y - exp(-1)", x=UNIT, y=UNIT), monotone("high"))
    check(says("exp(x) - 1", x=side(0, 1, "l")), monotone("low", face=ZERO))


@pytest.mark.parametrize(
    ("goal", "end", "x"),
    [
        ("exp(x) - 1 + y", "high", UNIT),  # it rises, so the high end decides nothing
        ("1 - exp(x) + y", "low", UNIT),  # false: it falls
        ("exp(x) - 1 + y", "low", side(None, 1)),  # no low end
        ("exp(x) - 1 + y", "low", side(-1, 1)),  # the face is negative
        ("2 - exp(x)/2 + y", "up", UNIT),
    ],
)
def test_wrong_ends_are_rejected(goal: str, end: str, x: Side) -> None:
    refuses(says(goal, x=x, y=UNIT), monotone(end))


def test_a_goal_not_known_to_be_defined_has_no_segments() -> None:
    refuses(says("exp(x) - 1", x=UNIT, defined=False), monotone("low"))
    refuses(says("exp(x) - 1", x=UNIT, defined=False), monotone("low", face=SHOWN))


def test_an_open_end_needs_a_goal_that_has_a_value_there() -> None:
    # log(x) rises on (0, 1], but nothing follows from its face at 0, where it has no value.
    goal = says("log(x) + 1", x=side(0, 1, "l"))
    refuses(goal, monotone("low"))
    refuses(goal, monotone("low", face=SHOWN))
    # The face of 1/x at 0 is no statement about points with x > 0 either.
    falling = says("1 - 1/x", x=side(0, 1, "l"))
    refuses(falling, monotone("low", face=SHOWN))
    with pytest.raises(Rejected, match="must be shown to have a value"):
        check(says("exp(x) - 1", x=side(0, 1, "l")), monotone("low", face=RANGE))
    # Without the duty to show definedness the face would be without points, as 0 is not > 0.
    refuses(says("x - 1", x=side(0, 1, "l")), monotone("low", face=RANGE))
    refuses(
        says("x - 1", x=side(0, 1, "l")), monotone("low", face={"rule": "empty", "proof": RANGE})
    )


def test_a_slope_without_values_shows_nothing() -> None:
    """sqrt(x^2 - x*x) is 0 everywhere, so the goal is -x; its formal slope has no value."""
    refuses(says("sqrt(x**2 - x*x) - x", x=UNIT), monotone("low"))
    refuses(says("cbrt(x**2 - x*x) - x", x=UNIT), monotone("low"))
    refuses(says("abs(x**2 - x*x) - x", x=UNIT), monotone("low", IDENTITY))
    refuses(says("max(x**2, x*x) - x**2 - x", x=UNIT), monotone("low", IDENTITY))
    refuses(says("x + abs(x*y - y*x)", x=UNIT, y=UNIT), monotone("low"))
    refuses(says("(x**2 - x*x)**(1/3) - x", x=UNIT), monotone("low", inside=True))
    refuses(says("asin(1 + x**2 - x*x) - asin(1) - x", x=UNIT), monotone("low"))


def test_roots_have_slopes_inside() -> None:
    goal = says("sqrt(x) + y", x=UNIT, y=UNIT)
    check(goal, monotone("low", inside=True))
    refuses(goal, monotone("low"))
    refuses(goal, monotone("low", inside=1))


def test_kinks_that_stand_apart_do_no_harm() -> None:
    check(says("abs(x - 1/2)/2 + x - 1/4 + y", x=UNIT, y=UNIT), monotone("low"))
    check(says("max(x, 2*x - 1/2) + y", x=UNIT, y=UNIT), monotone("low"))


def test_jumps_are_not_seen_by_slopes() -> None:
    refuses(says("-floor(x)", x=UNIT), monotone("low", IDENTITY, IDENTITY))
    refuses(says("-floor(2*x)*y", x=UNIT, y=UNIT), monotone("low"))


def test_facts_must_hold_all_the_way() -> None:
    # x*(1-y) >= 0 rises in x; moving down keeps 1 - x - y >= 0, but not x + y - 1 >= 0.
    check(says("x*(1 - y)", "1 - x - y", x=UNIT, y=UNIT), monotone("low"))
    rising = says("x + y/2 - 1/2", "x + y - 1", x=UNIT, y=UNIT)
    refuses(rising, monotone("low", RANGE, LINE))
    # At the face x = 0 the fact says y >= 1: the false claim 2*x + y - 1 >= x must not pass.
    refuses(says("x + y - 1 - x/2", "x + y - 1", x=UNIT, y=UNIT), monotone("low", RANGE, LINE))
    refuses(says("x - y", "y*x - 1/4", x=UNIT, y=UNIT), monotone("low"))


def test_facts_that_the_box_implies_do_not_bind_at_an_open_end() -> None:
    """x + y > 0 says nothing on (0, 1] x [0, 1], but it would make y > 0 on the face x = 0."""
    strict = says("y", strict=True, x=side(0, 1, "l"), y=UNIT)
    strict = replace(strict, facts=(Fact(read_expression("x + y"), strict=True),))
    refuses(strict, monotone("low", RANGE, SHOWN))


def test_facts_that_the_box_implies_are_no_obstacle() -> None:
    plain = "x + y + 1"
    check(says("exp(x) - 1 + y", plain, x=UNIT, y=UNIT), monotone("low"))
    check(says("x*(1 - x) + y", plain, x=UNIT, y=UNIT), concave(bend=CONSTANT))
    check(says("x**2 + y**2 - 2*x*y", plain, x=HALF_LINE, y=OPEN), homogeneous())
    check(says("exp(x*y) - 1 - x*y", plain, x=UNIT, y=UNIT), integrated(2))


def test_whole_variables_have_no_slopes() -> None:
    goal = replace(says("exp(x) - 1", x=UNIT), integers=frozenset({"x"}))
    refuses(goal, monotone("low"))
    refuses(goal, monotone("low", face=SHOWN))


def test_conditions_for_slopes_can_be_proved() -> None:
    """x - y + 1/2 > 0 under x >= y is beyond exact ranges over the box."""
    falling = says("2 - sqrt(x - y + 1/2)", "x - y", x=UNIT, y=UNIT)
    needed = {"rule": "farkas", "multipliers": [["x - y", "1"]]}
    need = {"of": "1/2 - y + x", "positive": True, "proof": needed}
    refuses(falling, monotone("high"))
    check(falling, monotone("high", smooth=[need]))
    for wrong in ({"positive": False}, {"of": "x"}, {"proof": RANGE}, {"proof": 1}, {"of": 1}):
        refuses(falling, monotone("high", smooth=[need | wrong]))
    refuses(falling, monotone("high", smooth="all"))
    refuses(falling, monotone("high", smooth=["all"]))


# --- concave ------------------------------------------------------------------------------------
def concave(**more: Any) -> dict[str, Any]:
    faces = {"bend": RANGE, "low": RANGE, "high": RANGE}
    return {"rule": "concave", "name": "x", **faces, **more}


def test_a_concave_goal_is_decided_at_both_ends() -> None:
    check(says("x*(1 - x) + y", x=UNIT, y=UNIT), concave(bend=CONSTANT, low=RANGE, high=RANGE))
    check(says("sqrt(x) - x", x=UNIT), concave(inside=True, low=CONSTANT, high=CONSTANT))


@pytest.mark.parametrize(
    ("goal", "x"),
    [
        ("x**2 - 1/8", UNIT),  # convex, and false between the ends
        ("(x - 1/2)**2 - 1/8", UNIT),
        ("x*(1 - x) - 1/8", UNIT),  # false at the ends
        ("abs(x - 1/2) - 1/4", UNIT),  # second derivative 0 but for the kink
        ("x*(1 - x) + 1", side(0, None)),
        ("log(x) + 5", side(0, 1, "l")),  # -oo at the open end
    ],
)
def test_goals_that_are_not_concave_are_rejected(goal: str, x: Side) -> None:
    for bend in (RANGE, CONSTANT, IDENTITY):
        for low in (CONSTANT, {"rule": "define", "needs": [], "proof": CONSTANT}):
            refuses(says(goal, x=x), concave(bend=bend, low=low, high=CONSTANT))
            refuses(says(goal, x=x), concave(bend=bend, low=low, high=CONSTANT, inside=True))


def test_facts_cut_segments() -> None:
    """Under x >= y the ends of the segment are not those of the box."""
    refuses(says("x - y", "x - y", x=UNIT, y=UNIT), concave(bend=IDENTITY))
    # A second derivative that holds only under a fact: between the ends x (1-x) bends otherwise.
    refuses(says("x*(x - 1)*(y - 1/2)", "1/2 - y", "y - x", x=UNIT, y=UNIT), concave())


# --- homogeneous --------------------------------------------------------------------------------
def homogeneous(proof: Any = LINE, **more: Any) -> dict[str, Any]:
    return {"rule": "homogeneous", "unit": "y", "degree": "2", "proof": proof, **more}


def test_one_variable_of_a_homogeneous_goal_is_1() -> None:
    check(says("x**2 + y**2 - 2*x*y", x=HALF_LINE, y=OPEN), homogeneous())
    check(says("x + y - 2*sqrt(x*y)", x=HALF_LINE, y=OPEN), homogeneous(
        {"rule": "factors", "factors": [["sqrt(x) - 1", 2, "square"]]}, degree="1"
    ))  # fmt: skip


def test_what_is_not_homogeneous_is_rejected() -> None:
    refuses(says("x**2 + y**2 - 2*x*y", x=HALF_LINE, y=HALF_LINE), homogeneous())
    refuses(says("x**2 + y**2 - 2*x*y", x=HALF_LINE, y=UNIT), homogeneous())
    refuses(says("x**2 + y**2 - 2*x*y", x=side(-1, None), y=OPEN), homogeneous())
    refuses(says("x**2 + y**2 - 2*x*y", x=HALF_LINE, y=OPEN), homogeneous(degree="1"))
    refuses(says("x**2 + y**2 - 2*x*y", x=HALF_LINE, y=OPEN), homogeneous(degree="x"))
    refuses(says("x**2 - y**2", x=HALF_LINE, y=OPEN), homogeneous())
    refuses(says("x**2 + y - 2*x*y", x=HALF_LINE, y=OPEN), homogeneous())
    # true at y = 1, false at y = 3
    refuses(says("x**2 - x*y + y*(1 - y/4 + 0)", x=HALF_LINE, y=OPEN), homogeneous())
    refuses(says("x**2 + y**2 - 2*x*y", "x - y", x=HALF_LINE, y=OPEN), homogeneous())
    refuses(says("abs(x*y) - abs(x*y)", x=HALF_LINE, y=OPEN), homogeneous(IDENTITY))


# --- integrated ---------------------------------------------------------------------------------
def integrated(order: Any, end: str = "low", slope: Any = RANGE, **more: Any) -> dict[str, Any]:
    return {
        "rule": "integrated", "name": "x", "end": end, "order": order, "slope": slope, **more
    }  # fmt: skip


def test_a_goal_that_vanishes_at_the_end_with_its_slopes() -> None:
    check(says("cosh(x) - 1 - x**2/2", x=UNIT), integrated(4))
    check(says("exp(x*y) - 1 - x*y", x=UNIT, y=UNIT), integrated(2))
    check(says("x - 1 - log(x)", x=side(0, 1, "l")), integrated(2, "high"))
    check(says("-(x - 1)**3", x=UNIT), integrated(3, "high"))


@pytest.mark.parametrize(
    ("goal", "order", "end"),
    [
        ("1 - cos(x)", 3, "low"),  # the second derivative is 1 at 0
        ("x - exp(x) + 1", 2, "low"),  # false
        ("exp(x) - 1 - x + y", 2, "low"),  # not 0 at the end
        ("(x - 1)**3", 3, "high"),  # false: odd order from above
        ("exp(x) - 1 - x", 0, "low"),
        ("exp(x) - 1 - x", True, "low"),
        ("exp(x) - 1 - x", 10**9, "low"),
        ("exp(x) - 1 - x", "2", "low"),
    ],
)
def test_wrong_orders_and_ends_are_rejected(goal: str, order: Any, end: str) -> None:
    refuses(says(goal, x=UNIT, y=UNIT), integrated(order, end))


def test_integrals_must_not_leave_the_facts() -> None:
    refuses(says("exp(x) - 1 + 0*y", "x - y", x=UNIT, y=UNIT), integrated(1))
    check(says("exp(x) - 1 + 0*y", "y - x", x=UNIT, y=UNIT), integrated(1))


def test_integrals_need_smooth_goals_up_to_the_end() -> None:
    refuses(says("abs(x)", x=UNIT), integrated(1))
    refuses(says("sqrt(x)", x=UNIT), integrated(1))
    refuses(says("-x**3*floor(x)", x=UNIT), integrated(1, slope=IDENTITY))
    refuses(says("exp(x) - 1", strict=True, x=UNIT), integrated(1))
    opened = says("exp(x) - 1", x=side(0, 1, "l"))
    refuses(opened, integrated(1))
    check(opened, integrated(1, closed=ZERO))
    # x^2/x is x, but has no value at the end that is put in
    closed = ZERO
    refuses(says("x**2/x", x=side(0, 1, "l")), integrated(1, slope=CONSTANT, closed=closed))


@pytest.mark.parametrize("key", ["rule", "name", "end", "slope", "face"])
@pytest.mark.parametrize("value", [None, 3, [], {}, "", "z", float("nan")])
def test_malformed_data_is_rejected(key: str, value: Any) -> None:
    refuses(says("exp(x) - 1 + y", x=UNIT, y=UNIT), monotone("low") | {key: value})


# --- against values -----------------------------------------------------------------------------
@settings(max_examples=60, deadline=None)
@given(
    a=st.integers(-4, 4),
    b=st.integers(-4, 4),
    c=st.integers(-4, 4),
    end=st.sampled_from(["low", "high"]),
)
def test_what_is_accepted_holds_at_points(a: int, b: int, c: int, end: str) -> None:
    """a exp(x) + b x + c on [-1, 2] by each rule with each sub-proof: accepted ones are true."""
    goal = says(f"({a})*exp(x) + ({b})*x + ({c})", x=side(-1, 2))
    least = min(a * exp(t / 20) + b * t / 20 + c for t in range(-20, 41))
    for proof in (
        monotone(end, RANGE, CONSTANT),
        concave(low=CONSTANT, high=CONSTANT),
        integrated(1, end),
        integrated(2, end),
    ):
        try:
            check(goal, proof)
        except Rejected:
            continue
        assert least >= 0
