"""The noncentral chi-square law: its tail as a Poisson mixture, rigorously summed.

SciPy's ``ncx2`` agrees to 2e-12 while the tail is above 1e-12, loses up to 7e-9 between 1e-12 and
1e-40, and beyond that is sometimes 0 where the tail is 1e-75 (measured with SciPy 1.17; one degree
of freedom, noncentrality 383, x = 0.557, lower tail).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from bounds.arithmetic.field import Field, Scalar
from bounds.errors import ParameterError

# Above this noncentrality the sum would be too long, and two Gaussian tails are close enough.
_LONGEST_SUM_AT = 2e6
# P(chi^2 in excess) is below e^-60 by Laurent and Massart's bound k + 2 sqrt(60 k) + 120.
_EXCESS_EXPONENT = 60


def noncentral_chi_square_sf(field: Field, x: Scalar, df: int, noncentrality: Scalar) -> Scalar:
    r"""P(chi'^2_df(nc) > x), enclosed, for x >= 0 and noncentrality nc >= 0.

    .. math:: \sum_j e^{-nc/2} \frac{(nc/2)^j}{j!}\, Q(df/2 + j,\ x/2)

    The sum runs over a window round its largest weights. Each Q lies in [0, 1], so the terms left
    out add between 0 and the missing weight, below 1e-36, which is enclosed with the result. Above
    nc = 2e6 the law is enclosed between Gaussian tails instead.

    Raises:
        ParameterError: when df < 1, or x or nc is certainly negative.
        UndefinedError: when the enclosure of x or of a large nc is not certainly >= 0.
    """
    zero = field.number(0)
    if isinstance(df, bool) or not isinstance(df, int) or df < 1:
        raise ParameterError("df", df, "must be an integer >= 1")
    for name, value in (("x", x), ("noncentrality", noncentrality)):
        if field.less(value, zero):
            raise ParameterError(name, field.text(value), "must be >= 0")
    if field.equal(x, zero):
        return field.number(1)
    if field.to_float(noncentrality) + field.error(noncentrality) > _LONGEST_SUM_AT:
        return _between_gaussian_tails(field, x, df, noncentrality)
    half = field.number(Fraction(1, 2))
    return _poisson_mixture(field, half * x, df, half * noncentrality)


def _poisson_mixture(field: Field, x: Scalar, df: int, m: Scalar) -> Scalar:
    """sum_j w_j Q(df/2 + j, x), w_j the Poisson(m) weights, with Q(a+1, x) = Q(a, x) + step_a.

    Q grows with its first argument, so its last value caps every tail and step: a step far out
    that floats lose to underflow cannot grow back into a large error.
    """
    first, last = _window(max(field.to_float(m), 0.0))
    one = field.number(1)
    cap = field.gamma_upper(field.number(Fraction(df, 2) + last + 1), x)
    shape = Fraction(df, 2) + first
    weight = _poisson_weight(field, m, Fraction(first))
    step = _between(field, _poisson_weight(field, x, shape), cap)
    tail = field.gamma_upper(field.number(shape), x)
    total = mass = field.number(0)
    for j in range(first, last + 1):
        total, mass = total + weight * tail, mass + weight
        tail = _between(field, tail + step, cap)
        shape += 1
        step = _between(field, step * (x / field.number(shape)), cap)
        weight = _between(field, weight * (m / field.number(j + 1)), one)
    missing = field.maximum(one - mass, field.number(0))
    return _probability(field, total + field.hull(field.number(0), missing))


def _window(m: float) -> tuple[int, int]:
    """Indices outside of which a Poisson(m) variable lies with probability below e^-90."""
    reach = 14 * math.sqrt(m) + 100
    return max(0, math.floor(m - reach)), math.ceil(m + reach)


def _poisson_weight(field: Field, m: Scalar, a: Fraction) -> Scalar:
    """m^a e^-m/Gamma(a + 1), a number in [0, 1]."""
    if a == 0:
        return field.exp(-m)
    if field.less(field.number(0), m) is not True:
        return _probability(field, field.power(m, a) * field.exp(-m))
    exponent = field.number(a) * field.log(m) - m - field.log_gamma(field.number(a + 1))
    return _probability(field, field.exp(exponent))


def _probability(field: Field, p: Scalar) -> Scalar:
    """The part of an enclosure inside [0, 1], for a number known to lie there."""
    return _between(field, p, field.number(1))


def _between(field: Field, p: Scalar, cap: Scalar) -> Scalar:
    """The part of an enclosure inside [0, cap], for a number known to lie there."""
    return field.minimum(field.maximum(p, field.number(0)), cap)


def _between_gaussian_tails(field: Field, x: Scalar, df: int, nc: Scalar) -> Scalar:
    r"""P(|a e_1 + g|^2 > x) for a = sqrt(nc), from its first coordinate and the rest.

    With b = sqrt(x) and T(s) = P(|a + g_1| > sqrt(x - s)), it lies between T(0) and
    T(s) + P(chi^2_{df-1} > s); at df = 1 it is T(0).
    """
    one, a = field.number(1), field.sqrt(nc)
    lower = _two_sided_tail(field, a, field.sqrt(x))
    if df == 1:
        return _probability(field, lower)
    upper = one
    for excess in _excesses(df - 1):
        s = field.number(excess)
        if field.less(s, x):
            half_df, half_s = field.number(Fraction(df - 1, 2)), field.number(excess / 2)
            inside = _two_sided_tail(field, a, field.sqrt(x - s))
            upper = field.minimum(upper, inside + field.gamma_upper(half_df, half_s))
    return _probability(field, field.hull(lower, upper))


def _excesses(k: int) -> Iterator[Fraction]:
    """Trial values of the chi-square part: k + 2 sqrt(k c) + 2 c for growing c, rounded up."""
    c = 1
    while c <= _EXCESS_EXPONENT:
        yield Fraction(math.ceil(k + 2 * math.sqrt(k * c) + 2 * c))
        c *= 2
    yield Fraction(math.ceil(k + 2 * math.sqrt(k * _EXCESS_EXPONENT) + 2 * _EXCESS_EXPONENT))


def _two_sided_tail(field: Field, a: Scalar, b: Scalar) -> Scalar:
    """P(|a + g| > b) = P(g > b - a) + P(g > b + a) for a standard Gaussian g."""
    return _gaussian_tail(field, b - a) + _gaussian_tail(field, b + a)


def _gaussian_tail(field: Field, t: Scalar) -> Scalar:
    """P(g > t) = Q(1/2, t^2/2)/2 for t >= 0, and 1 less that of -t for t <= 0."""
    half, zero = field.number(Fraction(1, 2)), field.number(0)
    if field.equal(t, zero):
        return half
    if field.less(zero, t):
        return half * field.gamma_upper(half, half * t * t)
    if field.less(t, zero):
        return field.number(1) - half * field.gamma_upper(half, half * t * t)
    # The sign of t is open: |P(g > t) - 1/2| <= |t|/sqrt(2 pi) <= |t|/2.
    reach = half * field.absolute(t)
    return field.hull(_probability(field, half - reach), _probability(field, half + reach))
