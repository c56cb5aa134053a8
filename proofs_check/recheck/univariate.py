"""Rational functions of one variable: the sign on a side, decided exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq_poly, fmpz_poly

from proofs_check.recheck import sturm
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.polynomial import quotient, rational, ring
from proofs_check.recheck.sequent import Side

# fmpq_poly
Poly = Any


def rational_holds(goal: Expr, name: str, side: Side, *, strict: bool) -> bool:
    """Whether goal >= 0 (> 0) at every point of the side where it has a value.

    There goal = top/bottom with bottom != 0, which has the sign of top*bottom; it is 0 only where
    top is.

    Raises:
        Rejected: the goal is no rational function of the variable, or too large.
    """
    top, bottom = (_dense(p) for p in quotient(goal, ring([name])))
    if not _nonnegative(top * bottom, side, strict=False):
        return False
    return not strict or (top != 0 and _nonnegative(top * top, side, strict=True))


def _dense(poly: Any) -> Poly:
    found = fmpq_poly([0])
    for (exponent,), value in poly.to_dict().items():
        found += fmpq_poly([0, 1]) ** int(exponent) * value
    return found


def _nonnegative(poly: Poly, side: Side, *, strict: bool) -> bool:
    """Whether a polynomial is >= 0 (> 0) on a side, which is carried to the unit interval."""
    if side.empty:
        return True
    if side.low is None and side.high is None:
        right = Side(low=Fraction(0))
        return all(_nonnegative(p, right, strict=strict) for p in (poly, _mirrored(poly)))
    if side.low is None:
        mirror = Side(low=-side.high, open_low=side.open_high)  # type: ignore[operator]
        return _nonnegative(_mirrored(poly), mirror, strict=strict)
    start = rational(side.low)
    if side.high is None:
        # x = start - 1 + 1/u for u in (0, 1], times u^degree.
        shifted = poly(fmpq_poly([start - 1, 1]))
        unit = fmpq_poly([shifted[i] for i in range(shifted.degree(), -1, -1)])
        return sturm.holds(_whole(unit), strict, (False, not side.open_low))
    if side.low == side.high:
        value = poly(start)
        return bool(value > 0 if strict else value >= 0)
    unit = poly(fmpq_poly([start, rational(side.high) - start]))
    return sturm.holds(_whole(unit), strict, (not side.open_low, not side.open_high))


def _mirrored(poly: Poly) -> Poly:
    return poly(fmpq_poly([0, -1]))


def _whole(poly: Poly) -> fmpz_poly:
    """A positive multiple with whole coefficients."""
    return fmpq_poly(poly).numer()
