"""The exponential against Arb, and its error analysis run in rationals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from bounds.errors import UndefinedError
from bounds.large.enclosed import exponential
from bounds.large.enclosed.exponential import EXP_ERROR, LARGEST_LOGIT, exp_ball, exp_in_place
from bounds.large.enclosed.upward import TINY, U

REACH = Fraction(3466, 10000)


@pytest.fixture(autouse=True)
def precision():
    before, ctx.prec = ctx.prec, 160
    yield
    ctx.prec = before


def exp_of(x, shift=0.0):
    found = np.array(x, dtype=np.float64).reshape(1, -1)
    exp_in_place(found, None if shift == 0 else np.array([[float(shift)]]))
    return found[0]


def relative_errors(x, found, shift=0):
    """In units of u, for points that are not clipped."""
    scale = arb(2) ** -shift
    return [
        float(abs(arb(float(y)) / (arb(float(t)).exp() * scale) - 1).upper()) / U
        for t, y in zip(x, found, strict=True)
    ]


def ends_of_reduction():
    """Points round the odd multiples of ln 2/2, where |r| is largest, and round the even ones."""
    points = []
    for n in range(-2040, 2047):
        middle = float((arb(n) * arb(2).log() / 2).mid())
        points += [middle, math.nextafter(middle, -math.inf), math.nextafter(middle, math.inf)]
    return np.array([p for p in points if -708 < p < LARGEST_LOGIT])


@pytest.mark.parametrize(
    "x",
    [
        np.random.default_rng(0).uniform(-708, LARGEST_LOGIT, 60_000),
        np.random.default_rng(1).uniform(-0.35, 0.35, 60_000),
        np.random.default_rng(2).choice([-1, 1], 4000) * 2.0 ** -(np.arange(4000.0) ** 0.83),
        np.array([0.0, -0.0, 5e-324, -5e-324, -708.0, LARGEST_LOGIT, 1.0, -1.0]),
        ends_of_reduction(),
    ],
    ids=["wide", "reduced", "tiny", "special", "ends"],
)
def test_the_bound_holds_against_arb(x):
    errors = relative_errors(x, exp_of(x))
    assert max(errors) <= EXP_ERROR / U


def test_the_bound_is_half_reached():
    x = np.random.default_rng(5).uniform(-0.3466, -0.33, 60_000)
    assert max(relative_errors(x, exp_of(x))) > 0.45 * EXP_ERROR / U


def test_a_million_points_agree_with_the_library():
    x = np.random.default_rng(6).uniform(-708, LARGEST_LOGIT, (10, 100_000))
    found = x.copy()
    exp_in_place(found)
    assert np.abs(found / np.exp(x) - 1).max() <= EXP_ERROR + 4 * U


def horner_error(r):
    """Step 4 of the proof: the bound on the error of the polynomial at r, relative, in u."""
    u = Fraction(1, 2**53)
    c = [Fraction(1, math.factorial(k)) for k in range(14)]
    p, error = c[13], u * c[13]
    for k in range(12, -1, -1):
        product = abs(r) * error + u * abs(r) * (p + error)
        p = c[k] + r * p
        stored = 0 if k <= 2 else u * c[k]
        error = product + stored + u * (p + product + stored)
    return error / p / u


def test_the_analysis_gives_the_constants_of_the_proof():
    worst = max(horner_error(REACH * i / 200) for i in range(-200, 201))
    assert worst < Fraction(21, 10)
    taylor = REACH**14 / math.factorial(14) * Fraction(142, 100) * 2**53
    assert taylor < Fraction(6, 100)
    assert float(worst + taylor) + 0.26 < 2.5 < EXP_ERROR / U


def test_the_constants_split_the_logarithm_of_2():
    first, second = exponential._C1, exponential._C2
    assert first * 2.0**32 == int(first * 2.0**32)
    rest = arb(2).log() - arb(first) - arb(second)
    assert abs(rest) < arb(2) ** -86
    assert 0 < second < 2.0**-32
    assert abs(arb(exponential._INVERSE_LN2) * arb(2).log() - 1) < arb(2) ** -53


@given(st.integers(-(750_000), 750_000), st.floats(-700, 700))
def test_a_shift_is_exact(shift, rest):
    x = shift * math.log(2) + rest
    if abs(x) > 2**19:
        return  # refused, as another test says
    found = exp_of([x], shift)
    true = (arb(x) - arb(shift) * arb(2).log()).exp()
    assert abs(arb(float(found[0])) - true) <= arb(EXP_ERROR) * true + arb(TINY)


def test_what_underflows_is_between_0_and_tiny():
    found = exp_of([-708.1, -745.0, -1e300, -np.inf, -708.0])
    assert ((found > 0) & (found <= TINY)).all()
    assert arb(-708).exp() < arb(TINY)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (70, 300), (2, 20_000)])
def test_any_shape_and_rows_of_their_own_shift(shape):
    x = np.random.default_rng(7).uniform(-30, 30, shape)
    shift = np.arange(-(shape[0] // 2), shape[0] - shape[0] // 2, dtype=np.float64)[:, None]
    wide = np.zeros((shape[0], shape[1] + 3))
    wide[:, 1:-2] = x
    exp_in_place(wide[:, 1:-2], shift)
    np.testing.assert_allclose(wide[:, 1:-2], np.exp(x) * 2.0**-shift, rtol=1e-15)
    assert not wide[:, 0].any()
    assert not wide[:, -2:].any()


@pytest.mark.parametrize("bad", [709.79, np.inf, np.nan, 1e300])
def test_overflow_is_refused(bad):
    with pytest.raises(UndefinedError, match="exp"):
        exp_of([0.0, bad, 1.0])


@pytest.mark.parametrize("shift", [0.5, 800_001.0, np.nan])
def test_a_shift_must_be_a_small_integer(shift):
    with pytest.raises(UndefinedError, match="shift"):
        exp_of([0.0], shift)


def test_a_large_logit_is_refused_under_any_shift():
    with pytest.raises(UndefinedError, match="overflows"):
        exp_of([2.0**19 + 1], 2**19)


@pytest.mark.parametrize("width", [0.0, 1e-15, 1e-3, 0.7, 1.0, 3.0, 400.0])
def test_a_ball_goes_to_a_ball(width):
    x = np.random.default_rng(8).uniform(-720, 300, (1, 200))
    value, error = exp_ball(x, np.full_like(x, width))
    for t, y, d in zip(x[0], value[0], error[0], strict=True):
        for end in (-1, 1):
            true = (arb(float(t)) + end * arb(width)).exp()
            assert abs(true - arb(float(y))) <= arb(float(d))


def test_a_ball_is_not_wider_than_it_must_be():
    value, error = exp_ball(np.array([[2.0]]), np.array([[0.01]]))
    assert error[0, 0] <= 1.02 * (math.exp(2.01) - math.exp(2.0))
    assert value[0, 0] == pytest.approx(math.exp(2.0))


@pytest.mark.parametrize("error", [np.nan, -1.0, 1e3])
def test_a_bad_error_of_the_exponent_is_refused(error):
    with pytest.raises(UndefinedError, match="exp"):
        exp_ball(np.array([[600.0]]), np.array([[error]]))


def test_rationals_and_floats_mean_the_same_point():
    assert arb(0.1) == arb(fmpq(*(0.1).as_integer_ratio()))
