from __future__ import annotations

from fractions import Fraction

import pytest
from flint import ctx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs_check.recheck.balls import Program, hull
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.normal import Constants, Normal, Unclear, sign, vanishes, written
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Side

from .strategies import boxes, expressions, points

LINE = Side()
POSITIVE = Side(Fraction(0), None, open_low=True)
HALF_LINE = Side(Fraction(0))
NEGATIVE = Side(None, Fraction(0), open_high=True)
UNIT = Side(Fraction(0), Fraction(1), open_low=True, open_high=True)
BALL = Side(Fraction(-1), Fraction(1))


def zero(text: str, side: Side) -> bool:
    expression = read_expression(text)
    return vanishes(expression, dict.fromkeys(expression.variables(), side))


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("(x**2-1)/(x-1)-x-1", LINE),
        ("x**0-1", LINE),
        ("0*log(x)", LINE),
        ("sqrt(x)**2-x", LINE),
        ("sqrt(x**2)-abs(x)", LINE),
        ("sqrt(x**2)-x", HALF_LINE),
        ("sqrt(x**2)+x", NEGATIVE),
        ("cbrt(x)**3-x", LINE),
        ("cbrt(-8*x)+2*cbrt(x)", HALF_LINE),
        ("sqrt(x*y)-sqrt(x)*sqrt(y)", HALF_LINE),
        ("sqrt(1-x)*sqrt(1+x)-sqrt(1-x**2)", BALL),
        ("sqrt(x+1)*(x+1)-(x+1)**(3/2)", LINE),
        ("log(x*y)-log(x)-log(y)", POSITIVE),
        ("log(x**2)-2*log(abs(x))", LINE),
        ("log(x**3)-3*log(x)", LINE),
        ("log((x**2-1)/(x-1))-log(x+1)", Side(Fraction(1), None, True)),
        ("log(6*x)-log(2)-log(3)-log(x)", LINE),
        ("log(1+exp(x))-x-log(1+exp(-x))", LINE),
        ("log(exp(x)+exp(y))-(x+y)/2-log(2)-log(cosh((x-y)/2))", LINE),
        ("exp(x+y)-exp(x)*exp(y)", LINE),
        ("exp(log(x)/2)-sqrt(x)", LINE),
        ("x**y-exp(y*log(x))", POSITIVE),
        ("tanh(x)-(exp(2*x)-1)/(exp(2*x)+1)", LINE),
        ("cosh(x-y)-cosh(x)*cosh(y)+sinh(x)*sinh(y)", LINE),
        ("sin(x)**2+cos(x)**2-1", LINE),
        ("sin(x+y)-sin(x)*cos(y)-cos(x)*sin(y)", LINE),
        ("cos(3*x)-4*cos(x)**3+3*cos(x)", LINE),
        ("tan(x)*cos(x)-sin(x)", LINE),
        ("sin(pi*x+pi/2)-cos(pi*x)", LINE),
        ("cos(atan(x))-1/sqrt(1+x**2)", LINE),
        ("sin(acos(x))-sqrt(1-x**2)", BALL),
        ("sin(x)/x-sin(-x)/(-x)", LINE),
        ("erf(x)+erfc(x)-1", LINE),
        ("loggamma(x+1)-loggamma(x)-log(x)", POSITIVE),
        ("gamma(x+2)-x*(x+1)*gamma(x)", POSITIVE),
        ("digamma(x+1)-digamma(x)-1/x", POSITIVE),
        ("abs(x)*abs(y)-abs(x*y)", LINE),
        ("abs(x)**2-x**2", LINE),
        ("max(x,2)-2", BALL),
        ("min(x,y)+max(-x,-y)", LINE),
        ("x*log(x/y)-x*log(x)+x*log(y)", UNIT),
    ],
)
def test_identities(text: str, side: Side) -> None:
    assert zero(text, side)


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("sqrt(x**2)-x", LINE),
        ("sqrt(x**2)-x", Side(Fraction(-1, 10**9))),
        ("sqrt(1-x)*sqrt(1+x)-sqrt(1-x**2)-10**(-50)", BALL),
        ("log(x**2)-2*log(x)", Side(Fraction(-1), Fraction(5))),
        ("sqrt((x-1)*(y-1))-sqrt(x-1)*sqrt(y-1)", LINE),
        ("x**y-exp(y*log(x))", HALF_LINE),
        ("loggamma(x+1)-loggamma(x)-log(x)+x-x**1.001", POSITIVE),
        ("abs(x)-x", Side(Fraction(-1, 10**6))),
        ("max(x,1/2)-1/2", BALL),
        ("sin(x)-x", LINE),
        ("sin(3.14159265358979*x)", LINE),
        ("exp(x)-2.718281828459045**x", LINE),
        ("(x+1)/(x+1)", LINE),
        ("sqrt(x)+sqrt(-x)+1", LINE),
        ("cbrt(x)-x**(1/3)", Side(Fraction(-1), Fraction(-1, 2))),
        ("tan(x)*cos(x)+sin(x)", LINE),
        ("cos(2*acos(x))-2*x**2-1", BALL),
        ("floor(x)-x", LINE),
        ("z-z**2", LINE),
    ],
)
def test_what_is_not_zero(text: str, side: Side) -> None:
    assert not zero(text, side)


def test_a_branch_that_differs_away_from_the_sample_is_no_identity() -> None:
    # the difference is 0 for x > 0, where the sample lies, and -2x for x < 0
    assert not zero("abs(x)-x", Side(Fraction(-1), Fraction(100)))
    assert not zero("max(x,0)-x", Side(Fraction(-1), Fraction(100)))
    assert not zero("sign(x)-1", Side(Fraction(-1), Fraction(100)))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0", 0),
        ("sqrt(6)-sqrt(2)*sqrt(3)", 0),
        ("1/(1+sqrt(2))-sqrt(2)+1", 0),
        ("sin(pi/3)-sqrt(3)/2", 0),
        ("cos(pi/12)**2-(2+sqrt(3))/4", None),
        ("sin(pi/5)*cos(3*pi/10)-sin(pi/5)*sin(pi/5)", 0),
        ("atan(1)-pi/4", 0),
        ("gamma(5/2)-3*sqrt(pi)/4", 0),
        ("digamma(3)-digamma(1)-3/2", 0),
        ("lambertw(E)-1", 0),
        ("log(sqrt(2))-log(2)/2", 0),
        ("E**pi-pi**E", 1),
        ("sqrt(2)-1.4142135623730951", -1),
        ("exp(-10**6)", 1),
        ("erfc(10)", 1),
        ("floor(pi)-3", 0),
        ("besseli(0,0)-1", 0),
        ("log(-1)", None),
        ("1/0", None),
        ("0**0", None),
        ("(-8)**(1/3)", None),
        ("(-8)**(log(8)/log(2))", None),
        ("1/(sqrt(6)-sqrt(2)*sqrt(3))", None),
        ("asin(2)", None),
        ("gamma(0)", None),
        ("tan(pi/2)", None),
        ("lambertw(-1)", None),
        ("x-x", None),
        ("sqrt(3+2*sqrt(2))-1-sqrt(2)", None),
    ],
)
def test_signs_of_constants(text: str, wanted: int | None) -> None:
    assert sign(read_expression(text)) == wanted


def test_numbers_that_are_too_large_are_refused_quickly() -> None:
    tower = "10**4000"
    for _ in range(4):
        tower = f"({tower})**4000"
    for text in (tower, f"sqrt({tower})", "exp(exp(exp(exp(9))))", "(x+y+z+1)**300-1"):
        assert not zero(text, LINE)


def test_numbers_know_their_values() -> None:
    constants = Constants()
    root = constants.of(read_expression("sqrt(2)"))
    assert (root * root).rational == 2
    assert (root.inverse() * root - constants.number(1)).zero
    assert root.power(Fraction(-2)).rational == Fraction(1, 2)
    assert (root.apply("log") - constants.number(2).apply("log").scaled(Fraction(1, 2))).zero
    assert constants.number(Fraction(7, 2)).apply("gamma").sign() == 1
    assert constants.number(3).apply("hurwitz", constants.number(1)).sign() == 1
    with ctx.workprec(100):
        assert root.ball() ** 2 > 1.9999999999
    for name in ("log", "gamma", "digamma"):
        with pytest.raises(Unclear):
            constants.number(-1).apply(name)
    with pytest.raises(Unclear):
        constants.number(0).inverse()
    with pytest.raises(Unclear):
        constants.number(2).apply("no such function")


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(expressions, boxes, st.data())
def test_a_form_has_the_value_of_the_expression(
    expression: Expr, box: dict[str, Side], data: st.DataObject
) -> None:
    try:
        form = written(Normal(box).of(expression))
    except Unclear:
        return
    program = Program([expression, form])
    with ctx.workprec(200):
        for _ in range(4):
            point = data.draw(points(box))
            here, there = map(hull, program.run({n: (v, v) for n, v in point.items()}))
            if here.is_finite() and there.is_finite():
                assert here.overlaps(there)
