"""The sign of a polynomial in one variable on the unit interval, by Sturm sequences."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from flint import fmpq, fmpz_poly

from proofs_check.recheck.errors import Rejected

HIGHEST_DEGREE = 250
_HALF = fmpq(1, 2)


def holds(poly: fmpz_poly, strict: bool, closed: tuple[bool, bool]) -> bool:
    """Whether poly >= 0 (> 0) on (0, 1), and at the ends 0 and 1 that are closed.

    With the square-free factors f_e of multiplicity e, poly has the sign of its content times the
    product of the f_e with odd e, apart from its zeros: that product must have no zero in (0, 1).
    """
    if poly.degree() < 0:
        return not strict
    if poly.degree() > HIGHEST_DEGREE:
        raise Rejected(f"a degree above {HIGHEST_DEGREE}")
    content, factors = poly.factor_squarefree()
    odd = fmpz_poly([1 if content > 0 else -1])
    for factor, exponent in factors:
        if strict and not _rootless(factor, closed):
            return False
        if exponent % 2:
            odd = odd * factor
    return _rootless(odd, (False, False)) and bool(odd(_HALF) > 0)


def _rootless(poly: Any, closed: tuple[bool, bool]) -> bool:
    """Whether a square-free polynomial has no root in (0, 1), nor at the ends that are closed."""
    if (closed[0] and poly(0) == 0) or (closed[1] and poly(1) == 0):
        return False
    for root in (fmpz_poly([0, 1]), fmpz_poly([1, -1])):
        while poly.degree() > 0 and poly % root == 0:
            poly = poly // root
    return _root_count(poly) == 0


def _root_count(poly: Any) -> int:
    """Number of roots in (0, 1) of a square-free polynomial with no root at 0 and 1."""
    if poly.degree() <= 0:
        return 0
    chain = [poly, poly.derivative()]
    while chain[-1].degree() > 0:
        a, b = chain[-2], chain[-1]
        # An even power of the leading coefficient is positive and makes the remainder whole.
        lift = 2 * ((a.degree() - b.degree() + 2) // 2)
        rest = (a * b[b.degree()] ** lift) % b
        if rest == 0:
            break
        chain.append(-(rest // abs(rest.content())))
    return _changes([p(0) for p in chain]) - _changes([p(1) for p in chain])


def _changes(values: list[Any]) -> int:
    signs = [value > 0 for value in values if value != 0]
    return sum(a != b for a, b in pairwise(signs))
