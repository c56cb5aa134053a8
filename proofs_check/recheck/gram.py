"""Weighted sums of squares: p = sum_j w_j z_j^T Q_j z_j, w_j >= 0, Q_j positive semidefinite.

Each w_j is a product of polynomials that are >= 0 on the region: x - low, high - x, and the facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from flint import fmpq

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.kernel import Proof
from proofs_check.recheck.polynomial import (
    Poly,
    Statement,
    polynomial,
    rational,
    times,
)

_MOST_TERMS = 60
_LARGEST_BASIS = 40
_LONGEST_NUMBER = 600
_RATIONAL = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")


def check(s: Statement, p: Proof) -> None:
    """Accept silently {"terms": [{"weight": [texts], "basis": [texts], "matrix": rows}, ...]}.

    The matrix is given by the rows of its lower triangle, numbers as texts. For > 0 one term must
    be > 0: factors of its weight that are, the basis with the number 1, and Q positive definite.

    With {"multiplier": [more such terms]} the sum is one of m p, where m is the sum of those: m > 0
    is needed, or ``"dense": true``. Then facts are left out, p >= 0 is shown on a box with inner
    points, and m is not the zero polynomial: m > 0 on a dense set, and p is continuous.

    Raises:
        Rejected: the identity fails, a weight is not known to be >= 0, or Q not semidefinite.
    """
    wanted = s.poly
    if "multiplier" in p.data:
        dense = p.data.get("dense") is True
        if dense:
            _check_dense(s)
            s = s.on(s.poly, {})
        multiplier, nowhere_zero = _sum(s, p.subs("multiplier"))
        if multiplier.is_zero() or not (dense or nowhere_zero):
            raise Rejected("the multiplier may vanish")
        wanted = times(multiplier, s.poly)
    total, positive = _sum(s, p.subs("terms"))
    if total != wanted:
        raise Rejected("the sum is another polynomial")
    if s.strict and not positive:
        raise Rejected("the sum may vanish")


def _check_dense(s: Statement) -> None:
    if s.strict or any(side.low is not None and side.low == side.high for side in s.sides.values()):
        raise Rejected("a multiplier that may vanish is for >= 0 on a box with inner points")


def _sum(s: Statement, terms: list[Proof]) -> tuple[Poly, bool]:
    """The sum of the terms, which is >= 0, and whether it is > 0 by one of them."""
    if len(terms) > _MOST_TERMS:
        raise Rejected(f"more than {_MOST_TERMS} terms")
    context = s.poly.context()
    total, positive = context.constant(0), False
    for term in terms:
        weight, strict = _weight(s, term)
        basis = [polynomial(term.read(text), context) for text in term.items("basis")]
        matrix = _matrix(term, len(basis))
        term.budget.spend(1 + len(basis) ** 3 // 20)
        definite = _definite(matrix)
        one = any(element.is_constant() and not element.is_zero() for element in basis)
        positive |= strict and definite and one
        total = total + times(weight, _form(matrix, basis, context.constant(0)))
    return total, positive


def _weight(s: Statement, term: Proof) -> tuple[Poly, bool]:
    """The product of the factors, and whether all of them are > 0."""
    context = s.poly.context()
    total, strict = context.constant(1), True
    for text in term.items("weight"):
        factor = polynomial(term.read(text), context)
        strict &= _sign(s, factor)
        total = times(total, factor)
    return total, strict


def _sign(s: Statement, factor: Poly) -> bool:
    """Whether a factor that is >= 0 on the region is even > 0.

    Raises:
        Rejected: it is no positive multiple of a fact or of the distance from an end of a side.
    """
    found = [strict for known, strict in _known(s) if _proportional(factor, known)]
    if not found:
        raise Rejected("a factor of a weight is not known to be >= 0")
    return any(found)


def _known(s: Statement) -> Iterator[tuple[Poly, bool]]:
    yield from s.facts
    context = s.poly.context()
    for name, gen in zip(context.names(), context.gens(), strict=True):
        side = s.sides[name]
        if side.low is not None:
            yield gen - rational(side.low), side.open_low
        if side.high is not None:
            yield rational(side.high) - gen, side.open_high


def _proportional(a: Poly, b: Poly) -> bool:
    """Whether a = c b with a number c > 0."""
    if a.is_zero() or b.is_zero():
        return False
    ratio = a.leading_coefficient() / b.leading_coefficient()
    return bool(ratio > 0) and a == b * ratio


def _matrix(term: Proof, size: int) -> list[list[Any]]:
    """The symmetric matrix of which the lower triangle is given."""
    rows = term.items("matrix")
    if not 1 <= size <= _LARGEST_BASIS or len(rows) != size:
        raise Rejected(f"the matrix must have as many rows as the basis, at most {_LARGEST_BASIS}")
    lower = []
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != i + 1:
            raise Rejected("row i of the lower triangle has i + 1 entries")
        lower.append([_number(text) for text in row])
    return [[lower[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)]


def _number(text: Any) -> Any:
    if not isinstance(text, str) or len(text) > _LONGEST_NUMBER or not _RATIONAL.fullmatch(text):
        raise Rejected("an entry must be a rational number as text")
    top, _, bottom = text.partition("/")
    return fmpq(int(top), int(bottom or "1"))


def _definite(matrix: list[list[Any]]) -> bool:
    """Whether a semidefinite matrix is even definite, by exact elimination.

    A symmetric matrix is semidefinite if and only if its first entry is > 0 and what is left after
    eliminating it is semidefinite, or its first row is 0 and the rest is semidefinite.

    Raises:
        Rejected: it is not semidefinite.
    """
    rest, definite = matrix, True
    while rest:
        first, pivot = rest[0], rest[0][0]
        if pivot < 0 or (pivot == 0 and any(first)):
            raise Rejected("a matrix is not positive semidefinite")
        definite &= bool(pivot > 0)
        rest = [
            [value - (row[0] / pivot) * top for value, top in zip(row[1:], first[1:], strict=True)]
            if pivot > 0 and row[0] != 0
            else row[1:]
            for row in rest[1:]
        ]
    return definite


def _form(matrix: list[list[Any]], basis: list[Poly], zero: Poly) -> Poly:
    """z^T Q z."""
    total = zero
    for row, element in zip(matrix, basis, strict=True):
        inner = zero
        for value, other in zip(row, basis, strict=True):
            if value != 0:
                inner = inner + other * value
        total = total + times(element, inner)
    return total
