"""The noncentral chi-square tail against SciPy, mpmath and closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ncx2

from bounds.arithmetic import BallField, Field, FloatField, RationalField
from bounds.errors import NotRational, ParameterError
from bounds.models.laws import ErrorLaw, error_exceeds, noncentral, noncentral_chi_square_sf

RATIONAL, BALL, FLOAT = RationalField(), BallField(), FloatField()


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    with BALL.context():
        yield


def tail(field: Field, x: Fraction | int, df: int, nc: Fraction | int) -> Any:
    return noncentral_chi_square_sf(field, field.number(x), df, field.number(nc))


def series(x: float, df: int, nc: float) -> mpmath.mpf:
    """The Poisson mixture by mpmath at 60 digits, from j = 0 on, with no recurrence."""
    with mpmath.workdps(60):
        m = mpmath.mpf(nc) / 2
        return mpmath.fsum(
            mpmath.exp(-m)
            * m**j
            / mpmath.factorial(j)
            * mpmath.gammainc(mpmath.mpf(df) / 2 + j, mpmath.mpf(x) / 2, regularized=True)
            for j in range(int(m + 20 * (m + 1) ** 0.5 + 80))
        )


@pytest.mark.parametrize(
    ("x", "df", "nc"), [(3, 2, 1), (10, 5, 0), (0.5, 1, 4), (100, 1, 50), (40, 3, 60), (300, 7, 20)]
)
def test_against_a_series_of_high_precision(x: float, df: int, nc: float) -> None:
    ball = tail(BALL, Fraction(x), df, Fraction(nc))
    expected = arb(mpmath.nstr(series(x, df, nc), 45))
    assert abs(ball - expected) < arb("1e-30")
    approx = tail(FLOAT, Fraction(x), df, Fraction(nc))
    assert not abs(arb(approx.value) - expected) > approx.error
    assert approx.error < 1e-11


@settings(max_examples=40, deadline=None)
@given(st.fractions(0, 200), st.integers(1, 9), st.fractions(0, 100))
def test_against_scipy(x: Fraction, df: int, nc: Fraction) -> None:
    with BALL.context():
        ball = tail(BALL, x, df, nc)
        assert ball.rad() < 1e-30
        expected = float(ncx2.sf(float(x), df, float(nc))) if nc else None
        if expected is not None:
            assert float(ball) == pytest.approx(expected, rel=1e-6, abs=1e-10)
        approx = tail(FLOAT, x, df, nc)
        assert not abs(arb(approx.value) - ball) > approx.error


def test_central_law_is_a_gamma_tail() -> None:
    assert tail(BALL, 10, 4, 0).overlaps(arb(5).gamma_upper(2, 1))
    assert abs(tail(BALL, 10, 4, 0) - arb(-5).exp() * 6) < arb("1e-30")


def test_one_dimension_is_two_gaussian_tails() -> None:
    """df = 1: P(|a + g| > b) by the error function, for small, large and huge a."""
    for a, b in ((1, 2), (1000, 1001), (5000, 4999), (10**8, 10**8 + 1)):
        expected = ((arb(b - a) / arb(2).sqrt()).erfc() + (arb(b + a) / arb(2).sqrt()).erfc()) / 2
        assert abs(tail(BALL, b * b, 1, a * a) - expected) < arb("1e-25")


def test_a_million() -> None:
    """Five reference digits from SciPy; the ball is far narrower."""
    ball = tail(BALL, 1003000, 4, 10**6)
    assert ball.rad() < 1e-20
    assert float(ball) == pytest.approx(float(ncx2.sf(1003000.0, 4, 1e6)), rel=1e-8)


@pytest.mark.parametrize("df", [2, 5])
def test_the_two_methods_agree(df: int) -> None:
    """Just above the longest sum the Gaussian enclosure holds a narrow neighbour's value."""
    summed = tail(BALL, 2 * 10**6, df, 2 * 10**6)
    enclosed = tail(BALL, 2 * 10**6, df, 2 * 10**6 + Fraction(1, 10**6))
    assert enclosed.rad() < 0.01
    assert (enclosed + arb(0, 1e-8)).contains(summed)


def test_huge_noncentrality_is_enclosed() -> None:
    ball = tail(BALL, 10**24 + 2 * 10**12, 4, 10**24)
    expected = (arb(1) / arb(2).sqrt()).erfc() / 2
    assert abs(ball - expected) < 1e-10


def test_extremes() -> None:
    assert tail(BALL, 0, 3, 5) == 1
    assert tail(RATIONAL, 0, 3, 5) == 1
    assert abs(tail(BALL, 10**9, 3, 2000)) < arb("1e-30")
    assert abs(tail(BALL, Fraction(1, 10**12), 3, 2000) - 1) < arb("1e-20")
    assert tail(FLOAT, 10**8, 3, 2000).error < 1e-9
    with pytest.raises(NotRational):
        tail(RATIONAL, 1, 3, 5)


@pytest.mark.parametrize(
    ("x", "df", "nc", "name"),
    [(-1, 2, 1, "x"), (1, 0, 1, "df"), (1, True, 1, "df"), (1, 2, -1, "noncentrality")],
)
def test_bad_arguments_are_named(x: int, df: int, nc: int, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} = "):
        tail(BALL, x, df, nc)


def law(field: Field, mean: list[int], variance: Fraction | int) -> ErrorLaw:
    return ErrorLaw(field.transpose(field.matrix([mean])), field.number(variance))


@pytest.mark.parametrize("field", [RATIONAL, BALL, FLOAT], ids=lambda field: field.name)
def test_without_noise_the_answer_is_certain(field: Field) -> None:
    exact = law(field, [3, 4], 0)
    cases = [(4, 1), (6, 0), (-1, 1)]
    # At |mean| = threshold floats cannot tell.
    cases += [] if field is FLOAT else [(5, 0)]
    for threshold, expected in cases:
        value = error_exceeds(field, exact, field.number(threshold))
        assert field.equal(value, field.number(expected)) is True


def test_undecided_threshold_gives_the_whole_interval() -> None:
    ball = error_exceeds(BALL, law(BALL, [1], 0), arb(1, 1e-30))
    assert ball.contains(0)
    assert ball.contains(1)


@pytest.mark.parametrize(("threshold", "expected"), [(6, 0), (4, 1)])
def test_a_variance_that_may_be_zero(threshold: int, expected: int) -> None:
    noisy = ErrorLaw(BALL.transpose(BALL.matrix([[3, 4]])), arb(0, 1e-40))
    value = error_exceeds(BALL, noisy, arb(threshold))
    assert value.contains(expected)
    assert value.rad() < 1e-20


def test_with_noise() -> None:
    """mean (3, 4), variance 4, threshold 6: P(chi'^2_2(25/4) > 9)."""
    value = error_exceeds(BALL, law(BALL, [3, 4], 4), arb(6))
    assert value.overlaps(tail(BALL, 9, 2, Fraction(25, 4)))


def test_negative_variance_is_named() -> None:
    with pytest.raises(ParameterError, match=r"^variance = "):
        error_exceeds(BALL, law(BALL, [1], -1), arb(1))


@pytest.mark.parametrize("window", [(20, 30), (0, 3), (24, 24)])
def test_what_a_short_sum_leaves_out_is_enclosed(
    window: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sabotage: far too few terms make the enclosure wide, never wrong."""
    truth = tail(BALL, 60, 3, 50)
    monkeypatch.setattr(noncentral, "_window", lambda m: window)
    for ball in (tail(BALL, 60, 3, 50), arb(*approx_parts(tail(FLOAT, 60, 3, 50)))):
        assert ball.contains(truth)
        assert ball.rad() > 0.01


def approx_parts(approx: Any) -> tuple[float, float]:
    return approx.value, approx.error


@settings(max_examples=30, deadline=None)
@given(st.fractions(1, 200), st.integers(1, 60), st.fractions(1, 100))
def test_gaussian_tails_enclose_the_sum(x: Fraction, df: int, nc: Fraction) -> None:
    with BALL.context():
        truth = tail(BALL, x, df, nc)
        ball = noncentral._between_gaussian_tails(BALL, BALL.number(x), df, BALL.number(nc))
        assert (ball + arb(0, 1e-30)).contains(truth)


def test_one_excess_is_enough_to_be_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sabotage: a bad split of the chi-square part makes the enclosure wide, never wrong."""
    x, nc = BALL.number(80), BALL.number(50)
    truth = noncentral_chi_square_sf(BALL, x, 30, nc)
    for excess in (1, 25, 79):
        monkeypatch.setattr(noncentral, "_excesses", lambda k, s=excess: [Fraction(s)])
        assert noncentral._between_gaussian_tails(BALL, x, 30, nc).contains(truth)
