"""Signs of polynomials on the unit cube by exact Bernstein coefficients and subdivision.

Coefficients are Python integers: p >= 0 on the cube if all are >= 0. Along an axis on which all
first differences have one sign p is monotone, so that one face decides; where all second
differences are <= 0 it is concave, and both faces decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import comb
from typing import Any

import numpy as np
from flint import fmpq, fmpz_poly

Array = Any
Certificate = Any
# (start closed, end closed) for each axis
Ends = tuple[tuple[bool, bool], ...]
DEEPEST = 60


class Fails(Exception):
    """The polynomial is certainly negative somewhere (or zero where > 0 is wanted)."""


class Exhausted(Exception):
    """The work limit is reached."""


@dataclass
class Work:
    """Counts boxes; ``spend`` raises when the limit is passed."""

    limit: int
    spent: int = 0
    notes: list[str] = field(default_factory=list)

    def spend(self, units: int = 1) -> None:
        """Count some units.

        Raises:
            Exhausted: more than the limit.
        """
        self.spent += units
        if self.spent > self.limit:
            raise Exhausted


def corners(ends: Ends) -> Iterator[tuple[Any, ...]]:
    """Index of the smallest faces that hold points: 0 or -1 at closed ends, all if none is."""
    choices: list[list[Any]] = []
    for start, end in ends:
        closed: list[Any] = ([0] if start else []) + ([-1] if end else [])
        choices.append(closed or [slice(None)])
    return product(*choices)


def settled(table: Array, strict: bool, ends: Ends) -> bool:
    """Whether the coefficients alone show p >= 0 (p > 0) on the cube."""
    if table.ndim == 0:
        value = table.item()
        return bool(value > 0 or (value == 0 and not strict))
    if min(table.flat) < 0:
        return False
    return not strict or all(np.max(table[corner]) > 0 for corner in corners(ends))


def _check_corners(table: Array, strict: bool, ends: Ends) -> None:
    """Values at corners are coefficients: a negative one ends the attempt, open ends included."""
    for corner in product((0, -1), repeat=table.ndim):
        value = table[corner]
        if value < 0:
            raise Fails
        closed = all(end[-index] for end, index in zip(ends, corner, strict=True))
        if strict and closed and value == 0:
            raise Fails


def show(table: Array, strict: bool, ends: Ends, work: Work, depth: int = 0) -> Certificate:
    """A proof of p >= 0 (> 0) on the cube as a tree of nested lists.

    ``"c"``: the coefficients show it; ``"u"``: :func:`univariate`; ``["s", axis, first, second]``:
    halves; ``["m", axis, end, face]`` and ``["k", axis, low, high]``: see :func:`_reduced`.

    Raises:
        Fails: p is certainly negative somewhere.
        Exhausted: the work limit or the depth limit is reached.
    """
    work.spend(1 + table.size // 500)
    if depth > DEEPEST:
        raise Exhausted
    if settled(table, strict, ends):
        return "c"
    if table.ndim == 0:
        raise Fails
    _check_corners(table, strict, ends)
    if table.ndim == 1:
        return univariate(table, strict, ends[0], work)
    reduced = _reduced(table, strict, ends, work, depth)
    if reduced is not None:
        return reduced
    axis = _longest(table)
    first, second = halves(table, axis)
    start, end = ends[axis]
    before, after = ends[:axis], ends[axis + 1 :]
    one = show(first, strict, (*before, (start, True), *after), work, depth + 1)
    other = show(second, strict, (*before, (True, end), *after), work, depth + 1)
    return ["s", axis, one, other]


def _reduced(table: Array, strict: bool, ends: Ends, work: Work, depth: int) -> Certificate | None:
    """Monotone and concave axes are dropped; an open end makes a strict claim stay strict.

    At an open end p need only be >= 0 in the limit: p is larger inside if the slope is not zero
    everywhere, which strictness there does not use, so the end is treated as closed.
    """
    for axis in range(table.ndim):
        steps = np.diff(table, axis=axis)
        rest = (*ends[:axis], *ends[axis + 1 :])
        if steps.size == 0 or min(steps.flat) >= 0:
            return ["m", axis, 0, show(np.take(table, 0, axis), strict, rest, work, depth)]
        if max(steps.flat) <= 0:
            return ["m", axis, 1, show(np.take(table, -1, axis), strict, rest, work, depth)]
        bends = np.diff(steps, axis=axis)
        if bends.size == 0 or max(bends.flat) <= 0:
            first = show(np.take(table, 0, axis), strict, rest, work, depth)
            return ["k", axis, first, show(np.take(table, -1, axis), strict, rest, work, depth)]
    return None


def _longest(table: Array) -> int:
    """The axis along which the coefficients differ most."""
    spread = [
        float(np.abs(np.diff(table, axis=axis)).max() / (np.abs(table).max() + 1))
        * (table.shape[axis] - 1)
        for axis in range(table.ndim)
    ]
    return int(np.argmax(spread))


def halves(table: Array, axis: int) -> tuple[Array, Array]:
    """Coefficients on both halves (de Casteljau at 1/2), scaled by 2^degree to stay whole."""
    rows = np.moveaxis(table, axis, 0)
    degree = rows.shape[0] - 1
    first, second = np.empty_like(rows), np.empty_like(rows)
    current = rows.copy()
    for k in range(degree + 1):
        first[k] = current[0] * 2 ** (degree - k)
        second[degree - k] = current[-1] * 2 ** (degree - k)
        current = current[:-1] + current[1:]
    return np.moveaxis(first, 0, axis), np.moveaxis(second, 0, axis)


def univariate(table: Array, strict: bool, ends: tuple[bool, bool], work: Work) -> Certificate:
    """Exact decision in one variable: the square-free part of odd multiplicity has no root inside.

    Raises:
        Fails: the sign is wrong somewhere.
    """
    poly = _power_basis(table)
    if poly == 0:
        if strict:
            raise Fails
        return "u"
    content, factors = poly.factor_squarefree()
    odd = fmpz_poly([1 if content > 0 else -1])
    for factor, exponent in factors:
        if strict and not _rootless(factor, ends):
            raise Fails
        if exponent % 2:
            odd = odd * factor
    if not _rootless(odd, (False, False)) or _sign_inside(odd) < 0:
        raise Fails
    work.spend()
    return "u"


def _power_basis(table: Array) -> Any:
    """The integer polynomial sum b_k binom(d,k) t^k (1-t)^(d-k)."""
    degree = len(table) - 1
    rest, t = fmpz_poly([1, -1]), fmpz_poly([0, 1])
    total = fmpz_poly([])
    for k, value in enumerate(table):
        total += int(value) * comb(degree, k) * t**k * rest ** (degree - k)
    return total


def _rootless(poly: Any, ends: tuple[bool, bool]) -> bool:
    """Whether a square-free polynomial has no root in (0, 1), nor at the ends that are closed."""
    if (ends[0] and poly(0) == 0) or (ends[1] and poly(1) == 0):
        return False
    for root in (fmpz_poly([0, 1]), fmpz_poly([1, -1])):
        while poly.degree() > 0 and poly % root == 0:
            poly = poly // root
    return _root_count(poly) == 0


def _root_count(poly: Any) -> int:
    """Number of roots in (0, 1) of a square-free polynomial, by its Sturm sequence."""
    if poly.degree() <= 0:
        return 0
    chain = [poly, poly.derivative()]
    while chain[-1].degree() > 0:
        a, b = chain[-2], chain[-1]
        # Multiplying by an even power of the leading coefficient keeps signs and makes it whole.
        lift = 2 * ((a.degree() - b.degree() + 2) // 2)
        rest = (a * b[b.degree()] ** lift) % b
        if rest == 0:
            break
        chain.append(-(rest // abs(rest.content())) if rest.content() != 0 else -rest)
    return _changes([p(0) for p in chain]) - _changes([p(1) for p in chain])


def _changes(values: list[Any]) -> int:
    signs = [1 if v > 0 else -1 for v in values if v != 0]
    return sum(a != b for a, b in pairwise(signs))


def _sign_inside(poly: Any) -> int:
    """The sign in (0, 1) of a polynomial without roots there."""
    value = poly(fmpq(1, 2))
    return 1 if value > 0 else -1
