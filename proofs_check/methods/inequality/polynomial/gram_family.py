"""All Gram matrices of a polynomial: the solutions of the equations between coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from proofs_check.methods.inequality.polynomial import semidefinite
from proofs_check.methods.inequality.polynomial.gram_parts import Part
from proofs_check.methods.inequality.polynomial.rational import Poly

Matrix = list[list[Any]]

_MOST_UNKNOWNS = 900
_MOST_FREE = 100


@dataclass(frozen=True)
class Family:
    """All Gram matrices: entries (part, i, j), the free ones, and the others in terms of them."""

    sizes: tuple[int, ...]
    entries: tuple[tuple[int, int, int], ...]
    free: tuple[int, ...]
    # entry -> constant and coefficients of the free entries
    bound: dict[int, tuple[Any, dict[int, Any]]]
    # What turns the matrices for the scaled polynomial into those for the one given.
    scales: tuple[Any, ...]

    def matrices(self, values: Sequence[Any], zero: Any) -> list[Matrix]:
        """The matrices for given free entries."""
        every = dict(zip(self.free, values, strict=True))
        for entry, (constant, slopes) in self.bound.items():
            total = constant
            for k, slope in slopes.items():
                total = total + slope * values[k]
            every[entry] = total
        found = [[[zero] * n for _ in range(n)] for n in self.sizes]
        for entry, (part, i, j) in enumerate(self.entries):
            found[part][i][j] = found[part][j][i] = every[entry]
        return found

    def blocks(self) -> list[semidefinite.Block]:
        """The same in doubles."""
        constants = [np.zeros((n, n)) for n in self.sizes]
        directions = [np.zeros((len(self.free), n, n)) for n in self.sizes]
        for k, entry in enumerate(self.free):
            part, i, j = self.entries[entry]
            directions[part][k, i, j] = directions[part][k, j, i] = 1.0
        for entry, (constant, slopes) in self.bound.items():
            part, i, j = self.entries[entry]
            constants[part][i, j] = constants[part][j, i] = double(constant)
            for k, slope in slopes.items():
                directions[part][k, i, j] = directions[part][k, j, i] = double(slope)
        return [semidefinite.Block(c, d) for c, d in zip(constants, directions, strict=True)]


def family_of(poly: Poly, parts: list[Part]) -> Family | None:
    """The solutions of the linear equations between coefficients; None when there are none."""
    scale = max(abs(c) for c in poly.coeffs())
    entries: list[tuple[int, int, int]] = []
    # One equation for each monomial, and one that the multiplier is not 0.
    rows: dict[Any, dict[int, Any]] = {}
    for number, part in enumerate(parts):
        for i, j, product in part.products(poly / scale):
            for exponents, value in product.to_dict().items():
                rows.setdefault(tuple(map(int, exponents)), {})[len(entries)] = value
            if part.multiplies and i == j:
                rows.setdefault("trace", {})[len(entries)] = fmpq(1)
            entries.append((number, i, j))
    wanted: dict[Any, Any] = {tuple(map(int, e)): c / scale for e, c in poly.to_dict().items()}
    if any(part.multiplies for part in parts):
        wanted = {"trace": fmpq(1)}
    if len(entries) > _MOST_UNKNOWNS or set(wanted) - set(rows):
        return None
    table = fmpq_mat(len(rows), len(entries) + 1)
    for i, (exponents, row) in enumerate(rows.items()):
        for j, value in row.items():
            table[i, j] = value
        table[i, len(entries)] = wanted.get(exponents, fmpq(0))
    solved, rank = table.rref()
    scales = tuple(fmpq(1) if part.multiplies else scale for part in parts)
    sizes = tuple(len(part.basis) for part in parts)
    return _read_off(solved, int(rank), tuple(entries), sizes, scales)


def _read_off(
    solved: Any,
    rank: int,
    entries: tuple[tuple[int, int, int], ...],
    sizes: tuple[int, ...],
    scales: tuple[Any, ...],
) -> Family | None:
    count = len(entries)
    lines = solved.tolist()[:rank]
    pivots = [next(j for j, value in enumerate(line) if value != 0) for line in lines]
    if pivots and pivots[-1] == count:
        return None
    taken = set(pivots)
    free = tuple(j for j in range(count) if j not in taken)
    if len(free) > _MOST_FREE:
        return None
    bound = {
        pivot: (line[count], {k: -line[j] for k, j in enumerate(free) if line[j] != 0})
        for pivot, line in zip(pivots, lines, strict=True)
    }
    return Family(sizes, entries, free, bound, scales)


def double(value: Any) -> float:
    """A rational number in doubles."""
    return int(value.p) / int(value.q)


def pivots_of(matrix: Matrix) -> list[Any] | None:
    """The pivots of the elimination of a semidefinite matrix, else None."""
    rest, pivots = matrix, []
    while rest:
        first, pivot = rest[0], rest[0][0]
        if pivot < 0 or (pivot == 0 and any(v != 0 for v in first)):
            return None
        pivots.append(pivot)
        rest = [
            [v - row[0] / pivot * top for v, top in zip(row[1:], first[1:], strict=True)]
            if row[0] != 0
            else row[1:]
            for row in rest[1:]
        ]
    return pivots
