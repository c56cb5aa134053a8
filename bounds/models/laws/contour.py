r"""Tails of :math:`|Ax + b|^2` for standard Gaussian x in float64, in bulk, with a stated error.

.. math:: P(|Ax+b|^2 > t) = \frac{1}{2\pi i}\int \prod_j (1-2s\lambda_j)^{-1/2}
          \exp\Bigl(\frac{s\beta_j^2}{1-2s\lambda_j}\Bigr)\,e^{-st}\,\frac{ds}{s},

where :math:`AA^T = U \mathrm{diag}(\lambda) U^T` and :math:`\beta = U^T b` (generalized chi-square;
Imhof 1961, Davies 1973). The integral is taken by :mod:`bounds.models.laws.hyperbola`; the smaller
of the two tails is integrated, so that neither is found as one less the other when it is small.
The error is a bound under the usual model of rounding; for an enclosure that is a proof use
:func:`bounds.models.laws.enclosed.gaussian_norm_tail`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from bounds.errors import ParameterError, ShapeError, UndefinedError
from bounds.models.laws.hyperbola import DataError, Integrated, integrate
from bounds.models.laws.saddle import Floats, Mask, saddle_points

_UNIT = 2.0**-53
# Rows times eigenvalues worked on at once: some 30 MB with all nodes.
_AT_ONCE = 2**14
_LARGEST_OFFSET = 1e150


@dataclass(frozen=True, eq=False)
class TailProbability:
    """Probabilities with ``|true - value| <= error``, arrays of one shape.

    ``log_value`` and ``relative_error`` say the same where the value itself underflows; where the
    sum loses all digits ``relative_error`` is infinite, and value and error are half of a Chernoff
    bound.
    """

    value: Floats
    error: Floats
    log_value: Floats
    relative_error: Floats


def quadratic_form_tails(
    eigenvalues: ArrayLike, offsets: ArrayLike, limits: ArrayLike, *, upper: bool = True
) -> TailProbability:
    r"""P(Q > t), or P(Q <= t) unless ``upper``, for standard Gaussian x and

    .. math:: Q = \sum_j (\sqrt{\lambda_j}\,x_j + \beta_j)^2.

    Args:
        eigenvalues: lambda_j >= 0, shape (..., n); a zero leaves the constant beta_j^2.
        offsets: beta_j, shape (..., n).
        limits: t, shape (...). All three broadcast, and are taken as the exact numbers they store.

    Raises:
        ParameterError: an entry is not finite or an eigenvalue is negative.
        ShapeError: the shapes do not fit.
        UndefinedError: offsets above 1e150 standard deviations; use gaussian_norm_tail.
    """
    values, shifts = _finite("eigenvalues", eigenvalues), _finite("offsets", offsets)
    t = _finite("limits", limits)
    if values.ndim < 1 or shifts.ndim < 1 or values.shape[-1] != shifts.shape[-1]:
        shapes = f"{values.shape} and {shifts.shape}"
        raise ShapeError("eigenvalues, offsets", shapes, "must end in the same dimension n")
    if values.shape[-1] < 1:
        raise ShapeError("eigenvalues", values.shape, "must have n >= 1")
    if (values < 0).any():
        raise ParameterError("eigenvalues", values.min(), "must be >= 0")
    try:
        batch = np.broadcast_shapes(values.shape[:-1], shifts.shape[:-1], t.shape)
    except ValueError:
        shapes = f"{values.shape}, {shifts.shape} and {t.shape}"
        raise ShapeError("eigenvalues, offsets, limits", shapes, "must broadcast") from None
    n = values.shape[-1]
    shifts = np.broadcast_to(shifts, (*batch, n)).reshape(-1, n)
    none = np.zeros(shifts.shape[0])
    spread = np.broadcast_to(values, (*batch, n)).reshape(-1, n)
    rows = _Rows(spread, shifts, np.broadcast_to(t, batch).reshape(-1), shifts, none, none)
    return _tails(rows, upper, batch)


def gaussian_norm_tails(
    A: ArrayLike, b: ArrayLike, limits: ArrayLike, *, upper: bool = True
) -> TailProbability:
    """P(|A x + b|^2 > t), or P(... <= t) unless ``upper``, for x ~ N(0, I) and every t in limits.

    A is d x m and b has length d. The error includes that of the singular value decomposition, so
    it grows when b is huge in directions that A does not reach.

    Raises:
        ParameterError, ShapeError, UndefinedError: as :func:`quadratic_form_tails`.
    """
    factor, shift, t = _finite("A", A), _finite("b", b), _finite("limits", limits)
    if factor.ndim != 2 or 0 in factor.shape:
        raise ShapeError("A", factor.shape, "must be a matrix d x m")
    if shift.shape != factor.shape[:1]:
        raise ShapeError("b", shift.shape, f"must have length d = {factor.shape[0]}")
    U, singular, _ = np.linalg.svd(factor)
    d = factor.shape[0]
    padded = np.zeros(d)
    padded[: singular.size] = singular**2
    rotated, size = U.T @ shift, float(np.linalg.norm(shift))
    unit = 8 * max(factor.shape) * _UNIT
    rows = _Rows(
        np.tile(padded, (t.size, 1)),
        np.tile(rotated, (t.size, 1)),
        t.reshape(-1),
        np.tile(shift, (t.size, 1)),
        np.full(t.size, unit * singular[0]),
        np.full(t.size, unit * size),
    )
    return _tails(rows, upper, t.shape)


def _finite(name: str, value: ArrayLike) -> Floats:
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise ParameterError(name, array.dtype, "must hold real numbers")
    floats = array.astype(np.float64)
    if not np.isfinite(floats).all():
        raise ParameterError(name, floats[~np.isfinite(floats)].flat[0], "must be finite")
    return floats


@dataclass(frozen=True, eq=False)
class _Rows:
    """m forms to evaluate; ``original`` has the offsets before rotation, the errors length m."""

    eigenvalues: Floats
    offsets: Floats
    limits: Floats
    original: Floats
    factor_error: Floats
    offset_error: Floats

    def part(self, rows: slice) -> _Rows:
        return _Rows(*(getattr(self, field.name)[rows] for field in fields(self)))

    def scaled(self) -> _Rows:
        """In units of a power of 4 near the largest eigenvalue: exact, and it changes no event."""
        top = self.eigenvalues.max(axis=1)
        half = np.where(top > 0, np.frexp(np.where(top > 0, top, 1.0))[1] // 2, 0)
        return _Rows(
            np.ldexp(self.eigenvalues, -2 * half[:, None]),
            np.ldexp(self.offsets, -half[:, None]),
            np.ldexp(self.limits, -2 * half),
            np.ldexp(self.original, -half[:, None]),
            np.ldexp(self.factor_error, -half),
            np.ldexp(self.offset_error, -half),
        )


def _tails(rows: _Rows, upper: bool, shape: tuple[int, ...]) -> TailProbability:
    """The tails of all rows, some at a time so that memory stays small."""
    count = max(1, _AT_ONCE // rows.eigenvalues.shape[1])
    starts = range(0, max(rows.limits.size, 1), count)
    parts = [_part(rows.part(slice(start, start + count)).scaled(), upper) for start in starts]
    arrays = (np.concatenate(columns).reshape(shape) for columns in zip(*parts, strict=True))
    return TailProbability(*arrays)


def _part(rows: _Rows, upper: bool) -> tuple[Floats, Floats, Floats, Floats]:
    if rows.limits.size == 0:
        return (rows.limits,) * 4
    if np.abs(rows.original).max() > _LARGEST_OFFSET:
        raise UndefinedError("an offset is above 1e150 deviations; use gaussian_norm_tail")
    sure, above = _certain(rows)
    answer = np.where(above == upper, 1.0, 0.0)
    with np.errstate(all="ignore"):
        open_rows = _Rows(*(getattr(rows, field.name)[~sure] for field in fields(rows)))
        columns = [answer, np.zeros(answer.size), np.log(answer), np.zeros(answer.size)]
        if not sure.all():
            for column, found in zip(columns, _integrated(open_rows, upper), strict=True):
                column[~sure] = found
    return columns[0], columns[1], columns[2], columns[3]


def _certain(rows: _Rows) -> tuple[Mask, Mask]:
    """(rows that need no integral, whether Q > t there).

    They have t <= 0, or t below the part of b that no noise moves, or no noise at all.
    """
    still = rows.eigenvalues.max(axis=1) == 0
    gap = _gaps(rows, np.zeros(rows.offsets.shape, dtype=bool), rows.original)
    unmoved = np.where(rows.eigenvalues == 0, rows.offsets, 0.0)
    under = (rows.factor_error == 0) & (
        _gaps(rows, np.zeros(rows.offsets.shape, dtype=bool), unmoved) <= 0
    )
    above = np.where(still, gap < 0, (rows.limits <= 0) | under)
    return still | (rows.limits <= 0) | under, above | (rows.limits < 0)


def _integrated(rows: _Rows, upper: bool) -> tuple[Floats, Floats, Floats, Floats]:
    squares = rows.offsets**2
    none = np.zeros(squares.shape, dtype=bool)
    whole_gap = _gaps(rows, none, rows.original)
    side = whole_gap >= rows.eigenvalues.sum(axis=1)

    def gap_without(kept: Mask) -> Floats:
        whole, direct = _gaps(rows, kept, rows.original), _gaps(rows, none, rows.offsets * ~kept)
        return np.where(_whole(squares, kept), whole, direct)

    c, forms = saddle_points(rows.eigenvalues, squares, side, gap_without)
    whole = _whole(squares, forms.kept)
    found = integrate(c, forms, DataError(rows.factor_error, rows.offset_error, whole))
    return _on_side(found, side == upper)


def _whole(squares: Floats, kept: Mask) -> Mask:
    """Whether less is added back to t - |b|^2 than would be taken from t."""
    added, taken = (np.where(mask, squares, 0.0).sum(axis=1) for mask in (kept, ~kept))
    whole: Mask = added <= taken
    return whole


def _gaps(rows: _Rows, kept: Mask, offsets: Floats) -> Floats:
    """t - |offsets|^2 + the squares of the terms kept, each rounded once."""
    found = []
    for limit, minus, plus in zip(rows.limits, offsets, rows.offsets * kept, strict=True):
        taken, added = _exact_squares(minus), _exact_squares(plus)
        found.append(math.fsum((float(limit), *(-x for x in taken), *added)))
    return np.array(found)


def _exact_squares(x: Floats) -> list[float]:
    """Floats whose exact sum is |x|^2: products split without error (Dekker 1971)."""
    x = x[x != 0]
    high = x * 134217729.0
    high = high - (high - x)
    low, square = x - high, x * x
    rest = ((high * high - square) + 2 * high * low) + low * low
    return [*square.tolist(), *rest.tolist()]


def _on_side(found: Integrated, asked: Mask) -> tuple[Floats, Floats, Floats, Floats]:
    """Value, error, logarithm and relative error of the tail asked for, from the one integrated."""
    bound = np.minimum(np.exp(found.log_bound), 1.0)
    known = (found.relative_error < 1) & np.isfinite(found.log_value)
    bound = np.where(np.isfinite(bound), bound, 1.0)
    part = np.where(known, np.exp(found.log_value), bound / 2)
    error = np.where(known, part * found.relative_error, bound / 2) + 2.0**-1074
    log_part = np.where(known, found.log_value, np.log(part))
    relative = np.where(known, found.relative_error, np.inf)
    rest, rest_error = 1 - part, error + _UNIT
    gap = np.where(rest > rest_error, rest - rest_error, 1.0)
    return (
        np.where(asked, part, rest),
        np.where(asked, error, rest_error),
        np.where(asked, log_part, np.log1p(-part)),
        np.where(asked, relative, np.where(rest > rest_error, rest_error / gap, np.inf)),
    )
