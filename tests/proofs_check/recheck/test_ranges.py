from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs_check.recheck.balls import Program, hull
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.ranges import EVERYTHING, Range, range_of
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Side

from .strategies import boxes, expressions, points

F = Fraction
LINE, POSITIVE, HALF_LINE = Side(), Side(F(0), None, open_low=True), Side(F(0))
UNIT = Side(F(0), F(1), open_low=True, open_high=True)


def found(text: str, side: Side) -> Range:
    expression = read_expression(text)
    return range_of(expression, dict.fromkeys(expression.variables(), side))


@pytest.mark.parametrize(
    ("text", "side", "low", "high", "opened"),
    [
        ("1-cos(x)*exp(-y**2)", LINE, 0, 2, "[]"),
        ("x*x", LINE, 0, None, "[)"),
        ("1+x", Side(F(-1), None, True), 0, None, "()"),
        ("x-x", LINE, 0, 0, "[]"),
        ("x/(1+x)", POSITIVE, 0, None, "()"),
        ("1/x", Side(F(0), F(2)), F(1, 2), None, "[)"),
        ("1/x**2", Side(F(-1), F(2)), F(1, 4), None, "[)"),
        ("log(x)", Side(F(-1), F(1)), None, 0, "(]"),
        ("sqrt(x)", Side(F(-4), F(4), False, True), 0, 2, "[)"),
        ("x**(1/2)*x**(1/2)", LINE, 0, None, "[)"),
        ("x*y", Side(F(0), None), 0, None, "[)"),
        ("x*y", UNIT, 0, 1, "()"),
        ("exp(x)", LINE, 0, None, "()"),
        ("tanh(x)", LINE, -1, 1, "()"),
        ("sin(pi*x)", Side(F(0), F(1)), 0, 1, "[]"),
        ("cos(pi*x)", UNIT, -1, 1, "[]"),
        ("abs(x)", Side(F(-1), F(1, 2), True, True), 0, 1, "[)"),
        ("abs(x)", Side(F(-1), F(1), True, False), 0, 1, "[]"),
        ("sin(x)", Side(F(0), F(10)), -1, 1, "[]"),
        ("x*y", Side(F(-1), F(1), True, False), -1, 1, "(]"),
        ("max(x,1)", LINE, 1, None, "[)"),
        ("min(x,1)", UNIT, 0, 1, "()"),
        ("cosh(x)", LINE, 1, None, "[)"),
        ("x**x", Side(F(0), F(1)), 0, 1, "[]"),
        ("floor(x)", Side(F(1, 2), F(5, 2)), 0, 2, "[]"),
        ("erfc(x)", LINE, 0, 2, "()"),
        ("besseli(0,x)", LINE, 1, None, "[)"),
        ("sign(x)", POSITIVE, 1, 1, "[]"),
    ],
)
def test_ranges(
    text: str, side: Side, low: Fraction | None, high: Fraction | None, opened: str
) -> None:
    one = found(text, side)
    assert (None if one.low is None else one.low.rational) == low
    assert (None if one.high is None else one.high.rational) == high
    assert one.low is None or one.open_low == (opened[0] == "(")
    assert one.high is None or one.open_high == (opened[1] == ")")


@pytest.mark.parametrize(
    ("text", "side"),
    [("1/x", LINE), ("tan(x)", LINE), ("tan(x)", Side(F(0), F(2))), ("gamma(x)", Side(None, F(0))),
     ("log(x)", Side(F(-2), F(-1))), ("besseli(x,x)", POSITIVE), ("z", LINE)],
)  # fmt: skip
def test_nothing_is_known(text: str, side: Side) -> None:
    box = {"x": side}
    assert range_of(read_expression(text), box) == EVERYTHING


def test_what_is_not_positive_everywhere_is_not_called_so() -> None:
    for text, side in [("x", HALF_LINE), ("sin(x)", Side(F(0), F(22, 7))), ("x-1/10**30", POSITIVE),
                       ("exp(x)-1", HALF_LINE), ("log(x)", Side(F(1))), ("1-x", Side(F(0), F(1))),
                       ("gamma(x)-8857/10000", POSITIVE), ("1-cos(x)", LINE)]:  # fmt: skip
        assert not found(text, side).positive
    assert not found("x", Side(F(-1, 10**30))).nonnegative


def test_outward_ends_hold_the_range_and_are_open_where_they_lie_beyond() -> None:
    side = found("atan(x)", LINE).outward()
    assert side.low is not None
    assert side.high is not None
    with ctx.workprec(300):
        half = arb.pi() / 2
        assert side.high.numerator >= half * side.high.denominator
        assert side.low.numerator <= -half * side.low.denominator
    assert side.open_low
    assert side.open_high
    closed = found("sqrt(x)", Side(F(2), F(4))).outward()
    assert (closed.open_low, closed.open_high, closed.high) == (True, False, 2)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(expressions, boxes, st.data())
def test_no_value_lies_outside_the_range(
    expression: Expr, box: dict[str, Side], data: st.DataObject
) -> None:
    one = range_of(expression, box)
    program = Program([expression])
    with ctx.workprec(200):
        low = None if one.low is None else one.low.ball()
        high = None if one.high is None else one.high.ball()
        for _ in range(5):
            point = data.draw(points(box))
            value = hull(program.run({n: (v, v) for n, v in point.items()})[0])
            if not value.is_finite():
                continue
            if low is not None:
                assert not (value <= low if one.open_low else value < low)
            if high is not None:
                assert not (value >= high if one.open_high else value > high)
