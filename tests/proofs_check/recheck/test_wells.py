"""Wells: contact at exact points, positive minima, and forgeries of both."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Sequent, Side


def accepted(
    goal: str,
    box: dict[str, tuple[str, str]],
    *,
    ends: Any = None,
    point: Any = None,
    strict: bool = False,
    well: dict[str, tuple[str, str]] | None = None,
) -> bool:
    """Whether a well (the whole box unless said) proves the goal on the whole box."""
    sides = tuple((n, Side(Fraction(a), Fraction(b))) for n, (a, b) in box.items())
    written = [[n, a, b] for n, (a, b) in (well or box).items()]
    data = {
        "rule": "boxes",
        "box": [[n, a, b] for n, (a, b) in box.items()],
        "wells": [{"box": written, "ends": ends or {}, "point": point or {}}],
        "tree": ["well", 0],
    }
    try:
        check(Sequent(read_expression(goal), strict, sides), data)
    except Rejected:
        return False
    return True


X = {"x": ("0", "1")}
XY = {"x": ("0", "1"), "y": ("0", "1")}
BOTH = {"x": ("-1", "1"), "y": ("-1", "1")}
ROOT2 = "x**2 - 2*sqrt(2)*x + 2"
RIGHT: list[Any] = [
    ("a square", "(x - 1/3)**2", X, {}, {"x": "1/3"}, False),
    ("an irrational contact", ROOT2, {"x": ("1", "2")}, {}, {"x": "sqrt(2)"}, False),
    ("a logarithm", "exp(x) - 2*x - 2 + 2*log(2)", X, {}, {"x": "log(2)"}, False),
    ("positive", "(x - 1/3)**2 + 1/1000", X, {}, {"x": "333/1000"}, True),
    ("two variables", "x**2 - x*y + y**2", BOTH, {}, {"x": "0", "y": "0"}, False),
    ("one at an end", "x + (y - 1/2)**2", XY, {"x": 0}, {"y": "1/2"}, False),
    ("one at the high end", "(1 - x)*(2 + y) + (y - 1/2)**2", XY, {"x": 1}, {"y": "1/2"}, False),
    ("a corner", "x + y", XY, {"x": 0, "y": 0}, {}, False),
    ("a kink at an end", "abs(x + 1/9) - 1/9 + (y - 1/2)**2", XY, {"x": 0}, {"y": "1/2"}, False),
]  # fmt: skip


@pytest.mark.parametrize("case", RIGHT, ids=[case[0] for case in RIGHT])
def test_right_wells_are_accepted(case: Any) -> None:
    _, goal, box, ends, point, strict = case
    assert accepted(goal, box, ends=ends, point=point, strict=strict)


WRONG: list[Any] = [
    ("strict contact", "(x - 1/3)**2", X, {}, {"x": "1/3"}, True),
    ("below zero", "(x - 1/3)**2 - 1/10**9", X, {}, {"x": "1/3"}, False),
    ("below zero beside the point", "(x - 1/3)**2 - 1/10**9", X, {}, {"x": "1/4"}, False),
    ("a slope at the point", "(x - 1/3)*(x - 1/4)", X, {}, {"x": "1/3"}, False),
    ("concave", "-(x - 1/3)**2", X, {}, {"x": "1/3"}, False),
    ("a saddle", "(x - 1/2)**2 - (y - 1/2)**2", XY, {}, {"x": "1/2", "y": "1/2"}, False),
    ("an indefinite form", "x**2 - 3*x*y + y**2", BOTH, {}, {"x": "0", "y": "0"}, False),
    ("a cubic", "x**3", {"x": ("-1", "1")}, {}, {"x": "0"}, False),
    ("not convex far away", "x**2 - 2*x**4", {"x": ("-1", "1")}, {}, {"x": "0"}, False),
    ("the point outside", "x**2 + 4*x + 4 - 9*x*x", X, {}, {"x": "-2"}, False),
    ("the wrong end", "1 - x + (y - 1/2)**2 - 1/2", XY, {"x": 0}, {"y": "1/2"}, False),
    ("not monotone to the end", "x*(x - 1/2) + (y - 1/2)**2", XY, {"x": 0}, {"y": "1/2"}, False),
    ("a kink", "abs(x - 1/2) - (x - 1/2)**2*4", X, {}, {"x": "1/2"}, False),
    ("a jump", "(x - 1/2)**2 - floor(x)", X, {}, {"x": "1/2"}, False),
    ("a pole", "(x - 1/2)**2/(x - 1/4)", X, {}, {"x": "1/2"}, False),
    ("a root", "(x - 1/2)**2 - sqrt(x)/10**6", X, {}, {"x": "1/2"}, False),
    ("no point", "x - 1/2", X, {"x": 0}, {}, False),
    ("positive outside", "-1/2 - cos(3*x - 3/2)", X, {}, {"x": "15472/10000"}, False),
    ("contact outside", "-(x - 2)**2*(x + 1)", {"x": ("0", "1/2")}, {}, {"x": "2"}, False),
    ("a point with a variable", "(x - 1/3)**2 - 1/100", X, {}, {"x": "x"}, False),
]  # fmt: skip


@pytest.mark.parametrize("case", WRONG, ids=[case[0] for case in WRONG])
def test_wrong_wells_are_rejected(case: Any) -> None:
    _, goal, box, ends, point, strict = case
    assert not accepted(goal, box, ends=ends, point=point, strict=strict)


def test_a_well_proves_only_itself() -> None:
    small = {"x": ("1/4", "1/2")}
    assert accepted("(x - 1/3)**2", X, point={"x": "1/3"})
    assert not accepted("(x - 1/3)**2", X, point={"x": "1/3"}, well=small)


@pytest.mark.parametrize(
    ("ends", "point"),
    [
        ({}, {}),
        ({"x": 0}, {"x": "1/3"}),
        ({"x": 2}, {}),
        ({"x": True}, {}),
        ({"x": "0"}, {}),
        ({"y": 0}, {"x": "1/3"}),
        ([], {"x": "1/3"}),
        ({"x": 0}, ["x"]),
        ({}, {"x": 1}),
        ({}, {"x": "1/0"}),
        ({}, {"x": "log(0)"}),
        ({}, {"x": "("}),
    ],
)
def test_malformed_wells_are_rejected(ends: Any, point: Any) -> None:
    data = {
        "rule": "boxes",
        "box": [["x", "0", "1"]],
        "wells": [{"box": [["x", "0", "1"]], "ends": ends, "point": point}],
        "tree": ["well", 0],
    }
    s = Sequent(read_expression("(x - 1/3)**2"), False, (("x", Side(Fraction(0), Fraction(1))),))
    with pytest.raises(Rejected):
        check(s, data)
