"""Polynomials as weighted sums of squares: p = sum_j w_j z_j^T Q_j z_j, Q_j positive semidefinite.

Also m p may be the sum, with a multiplier m > 0 that is such a sum itself and is found with it.

The w_j are 1 and products of polynomials that are >= 0 on the region. Doubles propose the Q_j; the
free entries are rounded, the others follow exactly from the identity, and definiteness is checked
in rational numbers. Where p has zeros every Q_j is singular: the vectors that all Q_j must
annihilate are guessed, and the bases shortened to what is orthogonal to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from scipy.optimize import minimize

from proofs_check.methods.inequality.polynomial import semidefinite
from proofs_check.methods.inequality.polynomial.bernstein import Exhausted, Work
from proofs_check.methods.inequality.polynomial.gram_family import (
    Family,
    Matrix,
    double,
    family_of,
    pivots_of,
)
from proofs_check.methods.inequality.polynomial.gram_parts import Given, Part, ends, relaxations
from proofs_check.methods.inequality.polynomial.rational import Poly, rational, text
from proofs_check.methods.inequality.problem import Interval

Certificate = Any
Array = Any

_LARGEST_BLOCK = 36
_POINTS = 400
_DESCENTS = 3
_FAR = 1e6
_MOST_REDUCTIONS = 5
_DENOMINATORS = (1, 2, 12, 120, 2**10, 2**17, 2**27, 2**40)


def prove(
    poly: Poly, strict: bool, box: Sequence[Interval], facts: Sequence[Given], work: Work
) -> Certificate | None:
    """A proof tree of poly >= 0 (> 0) where all facts hold, or None."""
    if poly.is_zero():
        return None
    with np.errstate(all="ignore"):
        return _by_relaxations(poly, strict, box, [*ends(poly, box), *facts], work)


def _by_relaxations(
    poly: Poly, strict: bool, box: Sequence[Interval], givens: Sequence[Given], work: Work
) -> Certificate | None:
    if _negative_somewhere(poly, box, givens):
        return None
    try:
        for parts in relaxations(poly, givens):
            work.spend(100)
            found = _solved(poly, strict, parts)
            if found is not None:
                return found
    except (Exhausted, _OnlyWeak):
        return None
    return None


class _OnlyWeak(Exception):
    """p >= 0 is shown where > 0 is wanted: p has zeros, as a rule, and more work is in vain."""


def _negative_somewhere(poly: Poly, box: Sequence[Interval], givens: Sequence[Given]) -> bool:
    """Whether some points of the region make the polynomial negative, as doubles tell."""
    random = np.random.default_rng(0)
    spread = np.tan(random.uniform(0.01, 1.5, (len(box), _POINTS)))
    columns = []
    for side, distance in zip(box, spread, strict=True):
        if side.low is not None and side.high is not None:
            part = random.uniform(0, 1, _POINTS)
            columns.append(float(side.low) + part * float(side.high - side.low))
        elif side.low is None and side.high is None:
            columns.append(distance * random.choice([-1, 1], _POINTS))
        else:
            columns.append(
                float(side.low) + distance
                if side.low is not None
                else float(side.high or 0) - distance
            )
    points = np.array(columns)
    for given in givens:
        points = points[:, _values(given.poly, points)[0] > 0]
    values, sizes = _values(poly, points)
    order = np.argsort(values / (sizes + 1))[:_DESCENTS]
    lowest = [_descended(poly, givens, points[:, k]) for k in order]
    points = np.column_stack([points, *lowest])
    for given in givens:
        points = points[:, _values(given.poly, points)[0] >= 0]
    values, sizes = _values(poly, points)
    return bool((values < -1e-8 * sizes).any())


def _descended(poly: Poly, givens: Sequence[Given], start: Array) -> Array:
    """A point of lower value, as far as a local search comes from the start."""

    def value(of: Poly, point: Array) -> float:
        return float(_values(of, point[:, None])[0][0])

    found = minimize(
        lambda point: value(poly, point),
        start,
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda point, of=given.poly: value(of, point) - 1e-9}
            for given in givens
        ],
        options={"maxiter": 60, "ftol": 1e-14},
    )
    return found.x if np.isfinite(found.x).all() and np.abs(found.x).max() < _FAR else start


def _values(poly: Poly, points: Array) -> tuple[Array, Array]:
    """Values in doubles, and the sums of the sizes of the terms."""
    values, sizes = np.zeros(points.shape[1]), np.zeros(points.shape[1])
    for exponents, coefficient in poly.to_dict().items():
        powers = np.array([int(e) for e in exponents])[:, None]
        term = double(coefficient) * np.prod(points**powers, axis=0)
        values, sizes = values + term, sizes + np.abs(term)
    return values, sizes


# --- the search ---------------------------------------------------------------------------------
def _solved(poly: Poly, strict: bool, parts: list[Part]) -> Certificate | None:
    weak = False
    for _ in range(_MOST_REDUCTIONS):
        parts = [part for part in parts if part.basis]
        if not parts or max(len(part.basis) for part in parts) > _LARGEST_BLOCK:
            break
        family = family_of(poly, parts)
        if family is None:
            break
        found = semidefinite.centre(family.blocks(), len(family.free))
        if found is None:
            break
        for exact in _rounded(family, found.y):
            certificate = _certificate(strict, parts, exact)
            if certificate is not None:
                return certificate
            weak = strict
        if found.inside:
            break
        shorter = _reduced(parts, [block.at(found.y) for block in family.blocks()])
        if shorter is None:
            break
        parts = shorter
    if weak:
        raise _OnlyWeak
    return None


# --- from doubles to rational numbers -----------------------------------------------------------
def _rounded(family: Family, y: Array) -> Iterator[list[Matrix]]:
    for denominator in _DENOMINATORS:
        values = [fmpq(round(float(v) * denominator), denominator) for v in y]
        matrices = family.matrices(values, fmpq(0))
        if all(_semidefinite(matrix) for matrix in matrices):
            yield [
                [[v * scale for v in row] for row in m]
                for m, scale in zip(matrices, family.scales, strict=True)
            ]


def _semidefinite(matrix: Matrix) -> bool:
    """By exact elimination, after a look in doubles."""
    doubles = np.array([[double(v) for v in row] for row in matrix])
    if np.linalg.eigvalsh(doubles)[0] < -1e-9 * max(1.0, float(np.abs(doubles).max())):
        return False
    return pivots_of(matrix) is not None


def _reduced(parts: list[Part], matrices: list[Array]) -> list[Part] | None:
    """The parts with shorter bases, orthogonal to what all semidefinite matrices annihilate."""
    shorter, changed = [], False
    for part, matrix in zip(parts, matrices, strict=True):
        values, vectors = np.linalg.eigh(matrix)
        null = vectors[:, values < max(1e-5, 1e-5 * float(values[-1]))].T
        rows = _rational_complement(null) if len(null) else None
        if rows is None:
            shorter.append(part)
            continue
        changed = True
        shorter.append(replace(part, basis=tuple(_combined(row, part.basis) for row in rows)))
    return shorter if changed else None


def _combined(row: Sequence[Fraction], basis: Sequence[Poly]) -> Poly:
    total = basis[0] * 0
    for value, element in zip(row, basis, strict=True):
        if value:
            total = total + element * rational(value)
    return total


def _rational_complement(null: Array) -> list[list[Fraction]] | None:
    """Rational vectors orthogonal to the rows, whose echelon form must look rational."""
    table = np.array(null)
    size = table.shape[1]
    pivots: list[int] = []
    for k in range(len(table)):
        j = int(np.argmax(np.abs(table[k:]).max(axis=0)))
        i = k + int(np.argmax(np.abs(table[k:, j])))
        if abs(table[i, j]) < 1e-6:
            return None
        table[[k, i]] = table[[i, k]]
        table[k] /= table[k, j]
        for other in range(len(table)):
            if other != k:
                table[other] -= table[other, j] * table[k]
        pivots.append(j)
    rows = []
    for j in range(size):
        if j in pivots:
            continue
        row = [Fraction(0)] * size
        row[j] = Fraction(1)
        for k, pivot in enumerate(pivots):
            value = float(table[k, j])
            guess = Fraction(value).limit_denominator(64)
            if abs(float(guess) - value) > 1e-3:
                return None
            row[pivot] = -guess
        rows.append(row)
    return rows


def _certificate(strict: bool, parts: list[Part], matrices: list[Matrix]) -> Certificate | None:
    chosen = {
        multiplies: [
            (p, m) for p, m in zip(parts, matrices, strict=True) if p.multiplies == multiplies
        ]
        for multiplies in (False, True)
    }
    if strict and not any(_positive(part, matrix) for part, matrix in chosen[False]):
        return None
    found: dict[str, Any] = {"rule": "gram", "terms": _terms(chosen[False])}
    if not chosen[True]:
        return found
    found["multiplier"] = _terms(chosen[True])
    if not any(_positive(part, matrix) for part, matrix in chosen[True]):
        if strict or any(given.fact for part in parts for given in part.factors):
            return None
        found["dense"] = True
    return found


def _positive(part: Part, matrix: Matrix) -> bool:
    definite = all(pivot > 0 for pivot in pivots_of(matrix) or [0])
    return part.strict and definite and any(z.is_constant() for z in part.basis)


def _terms(chosen: list[tuple[Part, Matrix]]) -> list[Certificate]:
    return [
        {
            "weight": [text(given.poly) for given in part.factors],
            "basis": [text(element) for element in part.basis],
            "matrix": [[str(v) for v in row[: i + 1]] for i, row in enumerate(matrix)],
        }
        for part, matrix in chosen
        if any(value != 0 for row in matrix for value in row)
    ]
