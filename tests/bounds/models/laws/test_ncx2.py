"""SciPy's noncentral chi-square, checked by three routes of ours, and where it is wrong."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ncx2

from bounds.arithmetic import BallField
from bounds.models.laws import TailProbability, noncentral_chi_square_sf, quadratic_form_tails

BALL = BallField()


def contour(x: float, df: int, nc: float, *, upper: bool) -> TailProbability:
    return quadratic_form_tails(np.ones(df), [nc**0.5] + [0.0] * (df - 1), x, upper=upper)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 10), st.floats(-3, 5), st.floats(-6, 7), st.booleans())
def test_in_its_good_range_scipy_is_right(df: int, log_nc: float, z: float, upper: bool) -> None:
    """Tails above 1e-12: all of them agree to 1e-10."""
    nc = 10.0**log_nc
    x = max(df + nc + z * (2 * df + 4 * nc) ** 0.5, (df + nc) / 10)
    ours = contour(x, df, nc, upper=upper)
    if ours.value < 1e-12:
        return
    theirs = float((ncx2.sf if upper else ncx2.cdf)(x, df, nc))
    assert theirs == pytest.approx(float(ours.value), rel=1e-10)
    with BALL.context():
        ball = noncentral_chi_square_sf(BALL, arb(x), df, arb(nc**0.5) ** 2)
        truth = ball if upper else 1 - ball
        assert abs(arb(float(ours.value)) - truth) <= arb(float(ours.error)) + arb("1e-30")


def folded_normal(b: Fraction, r: Fraction, *, upper: bool) -> arb:
    low, high = (arb(x.numerator) / x.denominator / arb(2).sqrt() for x in (r - b, r + b))
    return (low.erfc() + high.erfc()) / 2 if upper else ((-low).erfc() - high.erfc()) / 2


@pytest.mark.parametrize(
    ("b", "r", "upper"),
    [(Fraction(39, 2), Fraction(3, 4), False), (Fraction(38), Fraction(19, 2), False),
     (Fraction(53, 2), Fraction(115, 2), True)],
)  # fmt: skip
def test_where_scipy_is_wrong(b: Fraction, r: Fraction, upper: bool) -> None:
    """One degree of freedom has a closed form; SciPy 1.17 gives 0 for 1e-78 to 1e-210."""
    with BALL.context():
        truth = folded_normal(b, r, upper=upper)
        ours = contour(float(r * r), 1, float(b) ** 2, upper=upper)
        assert abs(arb(float(ours.value)) - truth) < arb("1e-11") * truth
        assert abs(arb(float(ours.value)) - truth) < arb(float(ours.error))
        theirs = float((ncx2.sf if upper else ncx2.cdf)(float(r * r), 1, float(b) ** 2))
        assert abs(arb(theirs) - truth) > truth / 2
