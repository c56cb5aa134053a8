"""Small random rational numbers and arrays, fixed by a seed and an index alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np

from bounds.arithmetic.convert import Row, Rows

Item = TypeVar("Item")

_LARGEST_NUMERATOR = 8
_LARGEST_DENOMINATOR = 4


@dataclass(frozen=True)
class Draw:
    """One stream of draws; numerators in -8..8, denominators in 1..4."""

    stream: np.random.PCG64

    @classmethod
    def at(cls, *entropy: int) -> Draw:
        """The stream of these non-negative numbers, whatever was drawn before."""
        return cls(np.random.PCG64(np.random.SeedSequence(entropy)))

    def integer(self, low: int, high: int) -> int:
        """An integer between low and high, both included.

        Taken from the raw bits: NumPy keeps those the same in every version, but not what its
        Generator makes of them.
        """
        return low + int(self.stream.random_raw()) % (high - low + 1)

    def choice(self, values: Sequence[Item]) -> Item:
        """One of the values."""
        return values[self.integer(0, len(values) - 1)]

    def order(self, length: int) -> list[int]:
        """A permutation of 0..length-1 (Fisher and Yates)."""
        order = list(range(length))
        for last in range(length - 1, 0, -1):
            other = self.integer(0, last)
            order[last], order[other] = order[other], order[last]
        return order

    def number(self) -> Fraction:
        """A rational in [-8, 8]."""
        numerator = self.integer(-_LARGEST_NUMERATOR, _LARGEST_NUMERATOR)
        return Fraction(numerator, self.integer(1, _LARGEST_DENOMINATOR))

    def positive(self) -> Fraction:
        """A rational in [1/4, 8]."""
        numerator = self.integer(1, _LARGEST_NUMERATOR)
        return Fraction(numerator, self.integer(1, _LARGEST_DENOMINATOR))

    def square(self) -> Fraction:
        """The square of a rational in [1/4, 8], so that its root stays rational."""
        return self.positive() ** 2

    def row(self, length: int) -> Row:
        return tuple(self.number() for _ in range(length))

    def rows(self, count: int, length: int) -> Rows:
        return tuple(self.row(length) for _ in range(count))


def scaled(factor: Fraction | int, rows: Rows) -> Rows:
    """factor times every entry."""
    return tuple(tuple(factor * entry for entry in row) for row in rows)


def simpler_numbers(x: Fraction) -> list[Fraction]:
    """0, 1, 2 and rationals near x that take less to write than x; the boldest first.

    What a number takes to write, numerator and denominator added, falls with every step, so
    shrinking ends.
    """
    near = [x.limit_denominator(limit) for limit in (1, 2, 5, 10, 100)]
    candidates = dict.fromkeys((Fraction(0), Fraction(1), Fraction(2), *near))
    return [candidate for candidate in candidates if _length(candidate) < _length(x)]


def _length(x: Fraction) -> int:
    return x.denominator + abs(x.numerator)


def simpler_rows(rows: Rows) -> list[Rows]:
    """The arrays that differ in one entry, which is simpler."""
    return [
        (*rows[:i], (*row[:j], simple, *row[j + 1 :]), *rows[i + 1 :])
        for i, row in enumerate(rows)
        for j, entry in enumerate(row)
        for simple in simpler_numbers(entry)
    ]


def without_row(rows: Rows, i: int) -> Rows:
    """The rows without row i."""
    return (*rows[:i], *rows[i + 1 :])


def without_column(rows: Rows, j: int) -> Rows:
    """The rows without their entry j."""
    return tuple((*row[:j], *row[j + 1 :]) for row in rows)
