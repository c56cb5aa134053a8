r"""The inversion integral of a Gaussian quadratic form by the trapezoid rule on a hyperbola.

The path, for real u, with the saddle point c, the width a and the half-angle :math:`\varphi`, is

.. math:: s(u) = c + a\,[\cos\varphi\,(\cosh u - 1) + i \sin\varphi \sinh u].

It crosses the axis at c and bends to the right, where :math:`e^{-st}` falls. Shifting u by iv gives
the hyperbola of half-angle :math:`\varphi + v` round the same centre, so with strip width v the
trapezoid rule of step h is off by at most (Trefethen and Weideman 2014, Theorem 5.1)

.. math:: \frac{M_+ + M_-}{2\pi\,(e^{2\pi v/h} - 1)},\qquad
          M_\pm = \int |e^{k(s)}/s|\,|ds| \text{ on the two shifted paths.}

All three paths keep to angles in [60, 90] degrees from their crossing points c', where by the lemma
of :mod:`bounds.models.laws.enclosed` the modulus of the integrand at distance r has the envelope

.. math:: |e^{k(s)}| \le \exp\bigl(k(c') - \cos\theta\,[k(c' - r) - k(c')]\bigr).

It bounds what lies beyond the last node, and :math:`M_\pm`, whose integrals of the envelope are
taken by a trapezoid sum and doubled. Source of such paths: Weideman and Trefethen 2007.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.models.laws.saddle import Floats, Forms, Mask

HALF_ANGLE = np.radians(75.0)
STRIP = np.radians(13.0)
STEP = 0.04
_FALL = 42.0
_LONGEST = 60.0
_MOST_NODES = 2000
_ENVELOPE_NODES = 96
_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class DataError:
    """How far the factor A and the rotated offset may be off, in operator norm and length.

    Arrays of length m. ``whole`` says of a row that its gap is t - |b|^2, with the unrotated b,
    plus the squares of the terms that are kept.
    """

    factor: Floats
    offset: Floats
    whole: Mask


@dataclass(frozen=True, eq=False)
class Integrated:
    """The logarithm of the tail, its relative error (may be infinite), and Chernoff's bound."""

    log_value: Floats
    relative_error: Floats
    log_bound: Floats


def integrate(c: Floats, forms: Forms, data: DataError) -> Integrated:
    """P(Q > t) for rows with saddle point c > 0, P(Q <= t) for those with c < 0."""
    at_c, at_start = forms.exponent(c)
    at_start = 8 * _UNIT * at_start
    width = 2 / np.sqrt(forms.curvature(c) + 1 / c**2)
    end = _end(forms, c, width)
    nodes = int(min(_MOST_NODES, np.ceil(end.max() / STEP)))
    step = end / nodes
    total, rounding = _sum(forms, data, c, width, step, nodes)
    strips = sum(
        _strip_integral(forms, c, width, end, HALF_ANGLE + shift) for shift in (STRIP, -STRIP)
    )
    error = rounding + strips / (2 * np.pi * np.expm1(2 * np.pi * STRIP / step))
    error = error + _beyond(forms, c, width, end)
    value = np.where(c > 0, total, -total)
    known = value > error
    safe = np.where(known, value, 1.0)
    log_value = np.where(known, at_c + np.log(safe), -np.inf)
    relative = error / np.where(known, safe - error, 1.0)
    relative = relative + at_start + 4 * _UNIT * np.abs(np.where(known, log_value, 0.0))
    return Integrated(log_value, np.where(known, relative, np.inf), at_c + 8 * at_start)


def _path(width: Floats, u: Floats, angle: float) -> tuple[Floats, Floats]:
    """Re and Im of s(u) less the crossing point, of the hyperbola of this half-angle."""
    x = width[:, None] * np.cos(angle) * 2 * np.sinh(u / 2) ** 2
    y = width[:, None] * np.sin(angle) * np.sinh(u)
    return x, y


def _fall(forms: Forms, c: Floats, x: Floats, y: Floats) -> Floats:
    """By how much the envelope of Re k has fallen at c + x + iy."""
    r = np.hypot(x, y)
    fall: Floats = x / np.where(r > 0, r, 1.0) * forms.rise(c, -r)
    return fall


def _end(forms: Forms, c: Floats, width: Floats) -> Floats:
    """The u at which the integrand has fallen by e^-42, by bisection."""
    low, high = np.full(c.shape, 0.5), np.full(c.shape, _LONGEST)
    for _ in range(12):
        u = (low + high) / 2
        far = _fall(forms, c, *_path(width, u[:, None], HALF_ANGLE))[:, 0] >= _FALL
        low, high = np.where(far, low, u), np.where(far, u, high)
    return high


def _sum(
    forms: Forms,
    data: DataError,
    c: Floats,
    width: Floats,
    step: Floats,
    nodes: int,
) -> tuple[Floats, Floats]:
    """The trapezoid sum and its error from rounding and data, both over e^{k(c)}."""
    u = step[:, None] * np.arange(nodes + 1)
    x, y = _path(width, u, HALF_ANGLE)
    h = x + 1j * y
    derivative = width[:, None] * (
        np.cos(HALF_ANGLE) * np.sinh(u) + 1j * np.sin(HALF_ANGLE) * np.cosh(u)
    )
    rest, error = _log_integrand(forms, data, c, h)
    terms = np.exp(rest) * derivative / (c[:, None] + h)
    terms[:, 0] /= 2
    scale = step / np.pi
    weight = np.abs(terms)
    total = scale * terms.imag.sum(axis=1)
    rounding = scale * (weight * (error + 16 * _UNIT)).sum(axis=1)
    return total, rounding


def _log_integrand(
    forms: Forms, data: DataError, c: Floats, h: NDArray[np.complex128]
) -> tuple[NDArray[np.complex128], Floats]:
    r"""k(c + h) - k(c), and a bound on its error from rounding and from what is not known of A, b.

    With :math:`z_j = 1 - 2c\lambda_j` the offsets add, besides their slope at c, the terms
    :math:`2h^2\lambda_j\beta_j^2/(z_j^2 (z_j - 2h\lambda_j))`, which do not cancel.
    """
    start = (1 - 2 * c[:, None] * forms.eigenvalues)[:, None]
    moved = 2 * h[..., None] * forms.eigenvalues[:, None]
    z = start - moved
    curved = (moved * h[..., None]) * (forms.squares[:, None] / start / start / z)
    slope, sizes = forms.offset_slope(c)
    total = (curved - np.log(z / start) / 2).sum(axis=-1) + slope[:, None] * h
    size, count = np.abs(curved), z.shape[-1]
    # 1 - 2 c lambda is known to a rounding of its larger term.
    unsure = (1 + np.abs(1 - start)) / start + (start + np.abs(moved)) / np.abs(z)
    roundings = (unsure * (1 + size) + count * size).sum(axis=-1)
    roundings = 2 + roundings + (count * sizes)[:, None] * np.abs(h)
    from_data = _from_data(forms, data, np.abs(c[:, None] + h), np.abs(z))
    return total, 8 * _UNIT * roundings + from_data


def _from_data(forms: Forms, data: DataError, size: Floats, distance: Floats) -> Floats:
    """What the errors of A and b change in k(s), to first order, with half as much again."""
    if not (data.factor.any() or data.offset.any()):
        return np.zeros(size.shape)
    eigenvalues = forms.eigenvalues[:, None]
    inverse = forms.squares[:, None] / distance**2
    moved, carried = inverse.sum(axis=-1), (eigenvalues * inverse).sum(axis=-1)
    turned = (eigenvalues**2 * inverse).sum(axis=-1)
    spread, inverted = (np.sqrt(eigenvalues) / distance).sum(axis=-1), (1 / distance).sum(axis=-1)
    dA, db = data.factor[:, None], data.offset[:, None]
    known = size * dA * (2 * spread + dA * inverted)
    known = known + 2 * size**2 * dA * (2 * np.sqrt(moved * carried) + moved * dA)
    direct = 2 * size * np.sqrt(moved)
    known = known + db * np.where(data.whole[:, None], 4 * size**2 * np.sqrt(turned), direct)
    widened: Floats = 1.5 * known
    return widened


def _strip_integral(forms: Forms, c: Floats, width: Floats, end: Floats, angle: float) -> Floats:
    """Twice the trapezoid sum for the envelope's integral on a shifted path, over e^{k(c)}."""
    u = (end[:, None] + 3) * np.linspace(0.0, 1.0, _ENVELOPE_NODES)
    crossing = c + width * (np.cos(angle) - np.cos(HALF_ANGLE))
    rise = forms.rise(c, (crossing - c)[:, None])
    x, y = _path(width, u, angle)
    speed = width[:, None] * np.hypot(np.cos(angle) * np.sinh(u), np.sin(angle) * np.cosh(u))
    fall = _fall(forms, crossing, x, y)
    envelope = np.exp(rise - fall)
    envelope = envelope * speed / np.hypot(crossing[:, None] + x, y)
    half: Floats = u[:, 1] * envelope.sum(axis=1)
    return 4 * half


def _beyond(forms: Forms, c: Floats, width: Floats, end: Floats) -> Floats:
    r"""The part beyond the last node: with slope :math:`\kappa = [k(c-R)-k(c)]/R`, at most

    .. math:: \frac{e^{-\kappa x}\coth u}{\pi\,\kappa\,a \sin\varphi\cos\varphi \sinh u}.
    """
    x, y = _path(width, end[:, None], HALF_ANGLE)
    fall = _fall(forms, c, x, y)[:, 0]
    edge = np.sin(HALF_ANGLE) * np.cos(HALF_ANGLE) * np.sinh(end) * np.tanh(end)
    slope = fall / x[:, 0]
    beyond: Floats = np.exp(-fall) / (np.pi * slope * width * edge)
    return np.where(fall > 0, beyond, np.inf)
