"""Taylor coefficients over balls hold those at single points, and refuse what is not smooth."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.balls import Program, exact, hull
from proofs_check.recheck.derivative import derivative
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.series import NoSeries, Series

COUNT = 5
SMOOTH = [
    "exp(x)",
    "log(x)",
    "sqrt(x)",
    "cbrt(x)",
    "cbrt(x - 9)",
    "sin(x)",
    "cos(x)",
    "tan(x/4)",
    "asin(x/4)",
    "acos(x/4)",
    "atan(x)",
    "sinh(x)",
    "cosh(x)",
    "tanh(x)",
    "tanh(-x)",
    "erf(x)",
    "erfc(x)",
    "gamma(x)",
    "loggamma(x)",
    "digamma(x)",
    "lambertw(x)",
    "besseli(2, x)",
    "besseli(1/2, x)",
    "x**(-3)",
    "x**(2/3)",
    "x**x",
    "2**x",
    "x**70",
    "(x**2 + 1)/(x - 9)",
    "3 + 0*x",
    "log(2)*exp(-x**2) + pi",
    "abs(x)",
    "abs(x - 9)",
    "max(x, x - 1, -3)",
    "min(x, 9)",
    "digamma(x + exp(x))",
]
BALLS = [(Fraction(1), Fraction(3, 2)), (Fraction(2), Fraction(9, 4)), (Fraction(5, 2),) * 2]


def derivatives(expression: Expr, count: int) -> list[Expr]:
    found = [expression]
    for _ in range(count - 1):
        found.append(derivative(found[-1], "x"))
    return found


@pytest.mark.parametrize("text", SMOOTH)
@pytest.mark.parametrize("ends", BALLS)
def test_coefficients_hold_those_at_points(text: str, ends: tuple[Fraction, Fraction]) -> None:
    expression = read_expression(text)
    low, high = ends
    series = Series(expression)
    with ctx.workprec(128):
        wide = series.coefficients(exact(low).union(exact(high)), COUNT)
        for k in range(9):
            point = low + (high - low) * Fraction(k, 8)
            found = series.coefficients(exact(point), COUNT)
            assert all(value.is_finite() for value in found)
            pairs = zip(wide, found, strict=True)
            assert all(a.overlaps(b) for a, b in pairs if a.is_finite())
            try:
                slopes = derivatives(expression, COUNT)
            except Rejected:
                continue
            values = Program(slopes).run({"x": (point, point)})
            for index, pair in enumerate(values):
                value = hull(pair)
                if value.is_finite():
                    assert (value / factorial(index)).overlaps(found[index])
                    assert value.rad() > 1 or found[index].rad() < 1


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("log(x)", "0", "1"),
        ("log(x)", "-1", "1"),
        ("log(x)", "-2", "-1"),
        ("sqrt(x)", "0", "1"),
        ("cbrt(x)", "-1", "1"),
        ("cbrt(x)", "0", "1"),
        ("x**(3/2)", "0", "1"),
        ("x**x", "0", "1"),
        ("1/x", "-1", "1"),
        ("x**0", "-1", "1"),
        ("x**(-2)", "0", "1"),
        ("tan(x)", "1", "2"),
        ("asin(x)", "0", "1"),
        ("acos(x)", "-1", "0"),
        ("gamma(x)", "-1/2", "1/2"),
        ("loggamma(x)", "-3/2", "-5/4"),
        ("digamma(x)", "-1/2", "1"),
        ("lambertw(x)", "-1", "0"),
        ("besseli(1/2, x)", "0", "1"),
        ("besseli(x, 1)", "1", "2"),
        ("abs(x)", "-1", "1"),
        ("abs(x)", "0", "1"),
        ("max(x, 1 - x)", "0", "1"),
        ("min(x, 0)", "0", "1"),
        ("sign(x)", "0", "1"),
        ("floor(x)", "0", "1"),
        ("floor(x)", "1/2", "3/2"),
        ("binomial(x, 1/2)", "1", "2"),
        ("0*log(x)", "-1", "1"),
        ("(x - x)*log(x)", "-2", "-1"),
        ("choose(x, 1, x, x)", "2", "3"),
        ("x + 0*log(-1)", "2", "3"),
        ("x + 0/(pi - pi)", "2", "3"),
    ],
)
def test_what_is_not_smooth_is_refused(text: str, low: str, high: str) -> None:
    ball = exact(Fraction(low)).union(exact(Fraction(high)))
    with pytest.raises(NoSeries):
        Series(read_expression(text)).coefficients(ball, COUNT)


def test_steps_are_constants_away_from_jumps() -> None:
    ball = arb(2.25).union(arb(2.75))
    found = Series(read_expression("exp(floor(x)) + sign(x) + x")).coefficients(ball, COUNT)
    assert found[0].contains(arb(2).exp() + 1 + arb(2.5))
    assert found[1] == 1
    assert found[2] == 0


def test_the_number_of_terms_is_left_as_it_was() -> None:
    before = ctx.cap, ctx.prec
    series = Series(read_expression("digamma(log(x))"))
    series.coefficients(arb(9), 7)
    with pytest.raises(NoSeries):
        series.coefficients(arb(0), 7)
    assert (ctx.cap, ctx.prec) == before


@settings(max_examples=80, deadline=None)
@given(
    st.fractions(min_value=-4, max_value=4, max_denominator=20),
    st.fractions(min_value=0, max_value=1, max_denominator=20),
    st.fractions(min_value=0, max_value=1, max_denominator=30),
    st.sampled_from(
        ["sinh(x)*cos(x)", "tanh(x)**2", "erf(x)/(x**2 + 1)", "exp(sin(x))", "atan(x)"]
    ),
)
def test_remainders_hold(low: Fraction, width: Fraction, part: Fraction, text: str) -> None:
    """f(m + h) lies in sum_{k<n} c_k h^k + w_n h^n."""
    expression = read_expression(text)
    series, middle = Series(expression), low + width / 2
    point = low + width * part
    wide = series.coefficients(exact(low).union(exact(low + width)), COUNT)
    centre = series.coefficients(exact(middle), COUNT)
    value = hull(Program([expression]).run({"x": (point, point)})[0])
    step = exact(point - middle)
    for n in range(1, COUNT):
        total = wide[n]
        for k in range(n - 1, -1, -1):
            total = centre[k] + total * step
        assert total.overlaps(value)
