r"""The tail of :math:`|Ax + b|^2` for standard Gaussian x, enclosed in balls.

With :math:`S = AA^T` and :math:`k(s) = \log E\,e^{s(|Ax+b|^2 - t)}`, for any real c in
:math:`(0, 1/(2\lambda_{\max}(S)))`, and :math:`\omega = e^{i\pi/3}`,

.. math:: P(|Ax+b|^2 > t) = \frac1\pi \operatorname{Im}\int_0^\infty
          \frac{e^{k(c + r\omega)}}{c + r\omega}\,\omega\,dr,

and minus the same with c < 0 is :math:`P(|Ax+b|^2 \le t)` (inversion of the Laplace transform,
Imhof 1961 and Davies 1973, on a path bent towards the side where the integrand falls). The
integral up to R is taken by Petras' method, rigorously (``acb.integral``). What lies beyond R is
bounded by a lemma: for :math:`\theta \in [\pi/3, \pi/2]` and r >= 0

.. math:: \tfrac{d}{dr} \operatorname{Re} k(c + r e^{i\theta}) \le \cos\theta\; k'(c - r).

Proof: k is a sum over eigenvalues; put :math:`\rho = 2\lambda r/(1 - 2c\lambda)` and
:math:`C = \cos\theta \le \tfrac12`. The logarithm needs
:math:`(C - \rho)(1 + \rho) \le C(1 - 2C\rho + \rho^2)`, whose sides differ by
:math:`(1 - 2C)(1 + C)\rho + (1 + C)\rho^2`, and the offset
:math:`(C - 2\rho + C\rho^2)(1 + \rho)^2 \le C (1 - 2C\rho + \rho^2)^2`, whose sides differ by
:math:`2(1 - 2C)(1 + C)(\rho + \rho^3) + (4C^3 + 4)\rho^2`; all terms are >= 0.
As k is convex, with :math:`\Delta = k(c - R) - k(c) > 0` the part beyond R is at most
:math:`e^{k(c) - \Delta/2}\, 2/(\pi \sin(\pi/3)\, \Delta)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import acb, arb, ctx

from bounds.errors import ParameterError
from bounds.models.laws.diagonal import NearlyDiagonal, nearly_diagonal
from bounds.models.laws.saddle import Floats, Mask, saddle_points

_GUARD_BITS = 24
_WIDE = 2.0**-20
_DOUBLINGS = 64
# The integrand falls by half of this at the end of the path.
_FALL_PER_BIT = 2.0
# Work units for acb.integral; a law known well needs a few thousand.
_EVALUATIONS = 40_000
# Below e^-2^30 the digits of the exponent itself would be lost; Chernoff's bound says enough.
_SMALLEST_EXPONENT = -(2.0**30)


@dataclass(frozen=True)
class _Exponent:
    """k(s) for scaled data S = D + E, b and t in balls; ``gap`` as in :class:`saddle.Forms`."""

    form: NearlyDiagonal
    kept: tuple[bool, ...]
    gap: Any

    def real(self, s: Any) -> Any:
        """k(s) at a real s; not finite unless I - 2 s S is certainly positive definite."""
        total = -s * self.gap
        for D, beta, kept in zip(self.form.diagonal, self.form.offsets, self.kept, strict=True):
            z = 1 - 2 * s * D
            total += beta * beta * (s if kept else 2 * s * s * D) / z - z.log() / 2
        return total + self.unknown(s, abs(s))

    def around(self, c: Any) -> _Around:
        """What k(c + h) - k(c) needs: only differences of size h^2 remain from the offsets."""
        slope, starts, curved = -self.gap, [], []
        for D, beta, kept in zip(self.form.diagonal, self.form.offsets, self.kept, strict=True):
            z, turned = 1 - 2 * c * D, c * D
            shift = beta / z
            square = shift * shift
            slope += square * (1 if kept else 4 * turned * (1 - turned))
            starts.append(z)
            curved.append(2 * D * square)
        return _Around(self, c, slope, tuple(starts), tuple(curved))

    def unknown(self, s: Any, size: Any) -> Any:
        r"""A ball round 0 for what E changes: with :math:`\eta = \max_j |2s/z_j|\,|E| < 1`,

        .. math:: \tfrac n2 \tfrac{\eta}{1-\eta} + \tfrac{2|s|^2 |E|}{1-\eta} \sum_j |b_j/z_j|^2.
        """
        if not self.form.off > 0:
            return arb(0)
        eta, moved = arb(0), arb(0)
        for D, beta in zip(self.form.diagonal, self.form.offsets, strict=True):
            distance = abs(1 - 2 * s * D)
            eta = eta.max(2 * size * self.form.off / distance)
            shift = beta / distance
            moved += shift * shift
        if not eta < 1:
            return arb.nan()
        half_n = arb(len(self.form.diagonal)) / 2
        bound = (half_n * eta + 2 * size * size * self.form.off * moved) / (1 - eta)
        return arb(0, bound.abs_upper())


@dataclass(frozen=True)
class _Around:
    r"""The integrand over :math:`e^{k(c)}` as a function of h = s - c.

    With :math:`z_j = 1 - 2c\lambda_j`,

    .. math:: k(c+h) - k(c) = \alpha h + \sum_j \Bigl[\frac{2\lambda_j\beta_j^2}{z_j^2}
              \frac{h^2}{z_j - 2h\lambda_j} - \tfrac12\log\frac{z_j - 2h\lambda_j}{z_j}\Bigr].
    """

    exponent: _Exponent
    c: Any
    slope: Any
    starts: tuple[Any, ...]
    curved: tuple[Any, ...]

    def __call__(self, h: Any, analytic: bool) -> Any:
        form = self.exponent.form
        s = self.c + h
        root, rest, square = 1 / s, self.slope * h, h * h
        for D, start, curved in zip(form.diagonal, self.starts, self.curved, strict=True):
            z = start - 2 * D * h
            # start > 0, so the principal root of the quotient is the right one.
            root = root * (z / start).rsqrt(analytic=analytic)
            rest = rest + curved * square / z
        if form.off > 0:
            error = self.exponent.unknown(s, abs(s)) + self.exponent.unknown(self.c, abs(self.c))
            rest = rest + acb(error, error)
        return root * rest.exp()


def gaussian_norm_tail(S: Any, b: Any, t: Any, *, upper: bool) -> Any:
    r"""P(|e|^2 > t) if ``upper`` else P(|e|^2 <= t), for e ~ N(b, S), as an ``arb``.

    S is n x n (symmetric, positive semidefinite, of any rank) and b is n x 1, both ``arb_mat``. The
    precision is that of the context. Data that are wide, or an event on the edge of the support,
    give an enclosure as wide as they deserve, [0, 1] at worst.

    Raises:
        ParameterError: when S is certainly not positive semidefinite.
    """
    for i in range(S.nrows()):
        if S[i, i] < 0:
            raise ParameterError("covariance", str(S[i, i]), "must be positive semidefinite")
    if t.rad() > abs(t.mid()) * _WIDE:
        # The tail is monotone in t, so its values at the two ends enclose it much more tightly.
        ends = (arb(t.lower()), arb(t.upper()))
        return _union(gaussian_norm_tail(S, b, end, upper=upper) for end in ends)
    above = _trivially_above(S, b, t)
    if above is None:
        with _more_precision(_GUARD_BITS):
            above, below = _both_tails(S, b, t)
    else:
        below = 1 - above
    return _clipped(above if upper else below)


def _trivially_above(S: Any, b: Any, t: Any) -> Any:
    """P(|e|^2 > t) where it needs no integral, else None."""
    if t < 0:
        return arb(1)
    if not all(x.is_finite() for x in (*S.entries(), *b.entries(), t)):
        return arb(0).union(1)
    if all(x == 0 for x in S.entries()):
        size = (b.transpose() * b)[0, 0]
        return arb(1) if size > t else arb(0) if size <= t else arb(0).union(1)
    if t > 0:
        return None
    moves = t == 0 and any(S[i, i] > 0 for i in range(S.nrows()))
    return arb(1) if moves else arb(0).union(1)


def _both_tails(S: Any, b: Any, t: Any) -> tuple[Any, Any]:
    """(P(|e|^2 > t), P(|e|^2 <= t)); the smaller one is integrated."""
    S, b, t = _scaled(S, b, t)
    form = nearly_diagonal(S, b)
    for D in form.diagonal:
        if D < 0:
            raise ParameterError("covariance", str(D), "must be positive semidefinite")
    gap = t - (b.transpose() * b)[0, 0]
    upper = bool(gap.mid() >= sum(form.diagonal, arb(0)).mid())
    found = _saddle(form, b, t, upper)
    part = arb(0).union(1) if found is None else _clipped(_one_tail(*found, upper))
    return (part, 1 - part) if upper else (1 - part, part)


def _scaled(S: Any, b: Any, t: Any) -> tuple[Any, Any, Any]:
    """S, b and t in units of a power of 4 near the largest variance, which changes no event."""
    largest = arb(0)
    for i in range(S.nrows()):
        largest = largest.max(S[i, i].abs_upper())
    _, power = largest.mid().man_exp()
    bits = int(largest.mid().man_exp()[0]).bit_length() + int(power)
    half = bits // 2
    scale = arb(2) ** (-half)
    return S * (scale * scale), b * scale, t * (scale * scale)


def _one_tail(k: _Exponent, c: Any, upper: bool) -> Any:
    """The tail on one side, or its Chernoff bound where the integral cannot be had."""
    at_c = k.real(c)
    path = _end_of_path(k, c, at_c) if at_c > _SMALLEST_EXPONENT else None
    if path is None:
        return arb(0).union(_chernoff(k, c))
    end, fall = path
    integral = _integral(k, c, at_c, end)
    beyond = 2 * (-fall / 2).exp() / (arb(3).sqrt() / 2 * fall)
    total = (integral + arb(0, beyond.abs_upper())) * at_c.exp() / arb.pi()
    tail = total if upper else -total
    usable = tail.is_finite() and tail.rad() < at_c.exp().upper()
    return tail if usable else arb(0).union(_chernoff(k, c))


def _saddle(form: NearlyDiagonal, b: Any, t: Any, upper: bool) -> tuple[_Exponent, Any] | None:
    """The exponent and an exact ball near its saddle point on one side of the pole."""
    values = np.array([[max(float(D.mid()), 0.0) for D in form.diagonal]])
    squares = np.array([[float(beta.mid()) ** 2 for beta in form.offsets]])
    if not (np.isfinite(squares).all() and values.max() > 0):
        return None

    def gap(kept: Mask) -> Any:
        if not kept.any():
            return t - (b.transpose() * b)[0, 0]
        pairs = zip(form.offsets, kept[0], strict=True)
        return t - sum((beta * beta for beta, taken in pairs if not taken), arb(0))

    def float_gap(kept: Mask) -> Floats:
        return np.array([float(gap(kept).mid())])

    with np.errstate(all="ignore"):
        points, forms = saddle_points(values, squares, np.array([upper]), float_gap)
    c = float(points[0])
    if not (math.isfinite(c) and c != 0):
        return None
    return _Exponent(form, tuple(bool(x) for x in forms.kept[0]), gap(forms.kept)), arb(c)


def _end_of_path(k: _Exponent, c: Any, at_c: Any) -> tuple[Any, Any] | None:
    """(R, a lower bound of k(c - R) - k(c)) so that the rest is negligible; None if there is none.

    The integrand has fallen by half of that difference at R.
    """
    R = abs(c)
    for _ in range(_DOUBLINGS):
        fall = (k.real(c - R) - at_c).lower()
        if not fall.is_finite():
            return None
        if fall > _FALL_PER_BIT * ctx.prec:
            return R, fall
        R = 2 * R
    return None


def _integral(k: _Exponent, c: Any, at_c: Any, R: Any) -> Any:
    """Im of the integral from 0 to R, of the integrand over e^{k(c)}."""
    omega, around = acb(arb(1) / 2, arb(3).sqrt() / 2), k.around(c)

    def integrand(r: Any, analytic: bool) -> Any:
        return around(r * omega, analytic) * omega

    goal = arb(2) ** (_GUARD_BITS - 8 - ctx.prec)
    # No narrower than what the data leave open, or the whole budget goes for nothing.
    relative = goal + 4 * arb(at_c.rad())
    value = acb.integral(integrand, 0, R, rel_tol=relative, abs_tol=goal, eval_limit=_EVALUATIONS)
    return value.imag


def _chernoff(k: _Exponent, c: Any) -> Any:
    """An upper bound of the tail: the least e^{k(s)} over trial points s on the side of c."""
    best = arb(1)
    for doubling in range(-8, _DOUBLINGS * 16, 8):
        trial = k.real(c * arb(2) ** (-doubling)) if doubling else k.real(c)
        if trial.is_finite():
            best = best.min(trial.exp().upper())
    return best


def _clipped(p: Any) -> Any:
    """The part of an enclosure inside [0, 1], for a number known to lie there."""
    return p.max(arb(0)).min(arb(1)) if p.is_finite() else arb(0).union(1)


def _union(balls: Iterator[Any]) -> Any:
    first, *others = balls
    for other in others:
        first = first.union(other)
    return first


@contextmanager
def _more_precision(bits: int) -> Iterator[None]:
    before = ctx.prec
    ctx.prec = before + bits
    try:
        yield
    finally:
        ctx.prec = before
