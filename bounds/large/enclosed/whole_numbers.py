"""Floats as whole numbers of any length on one grid: exact for every range of exponents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat
from numpy.typing import NDArray

Array = NDArray[np.float64]


def whole_numbers(array: Array) -> tuple[list[list[int]], int]:
    """Integers n_ij and e with array_ij = n_ij 2^e, for a finite matrix."""
    mantissas, exponents = np.frexp(array)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = int(exponents[whole != 0].min()) if whole.any() else 53
    shifts = np.where(whole != 0, exponents - lowest, 0)
    rows = [
        [x << n for x, n in zip(row, by, strict=True)]
        for row, by in zip(whole.tolist(), shifts.tolist(), strict=True)
    ]
    return rows, lowest - 53


def monomials(dk: int, degree: int) -> list[tuple[int, ...]]:
    """The factors of each feature of FeatureKernel(degree), in its order."""
    return [
        chosen
        for size in range(degree + 1)
        for chosen in combinations_with_replacement(range(dk), size)
    ]


def whole_features(keys: Array, degree: int | None) -> tuple[list[list[int]], list[int]]:
    """Phi as integers, and the exponent of each column; ``degree`` None is phi(k) = k."""
    rows, exponent = whole_numbers(keys)
    if degree is None:
        return rows, [exponent] * keys.shape[1]
    factors = monomials(keys.shape[1], degree)
    features = [[prod(row[j] for j in chosen) for chosen in factors] for row in rows]
    return features, [exponent * len(chosen) for chosen in factors]


def whole_gram(keys: Array, values: Array, degree: int | None) -> tuple[Any, int]:
    """[Phi, V]^T [Phi, V] as an ``fmpz_mat`` and the exponent of its unit."""
    features, exponents = whole_features(keys, degree)
    outputs, unit = whole_numbers(values)
    columns = exponents + [unit] * values.shape[1]
    rows = [left + right for left, right in zip(features, outputs, strict=True)]
    M = fmpz_mat(rows)
    return on_grid((M.transpose() * M).tolist(), columns)


def on_grid(
    rows: Sequence[Sequence[Any]], exponents: Sequence[int], unit: int = 0
) -> tuple[Any, int]:
    """N and e with N_ij 2^e = rows_ij 2^(exponents_i + exponents_j + unit)."""
    lowest = 2 * min(exponents)
    numerators = [
        [x << (a + b - lowest) for x, b in zip(row, exponents, strict=True)]
        for row, a in zip(rows, exponents, strict=True)
    ]
    return fmpz_mat(numerators), lowest + unit


def power_of_two(exponent: int) -> Any:
    """2^exponent as an ``fmpq``."""
    power = fmpz(2) ** abs(exponent)
    return fmpq(power) if exponent >= 0 else fmpq(1, power)


def exact_matrix_of(array: Array) -> Any:
    """The ``fmpq_mat`` of the numbers that a finite matrix stores."""
    rows, exponent = whole_numbers(array)
    return fmpq_mat(fmpz_mat(rows)) * power_of_two(exponent)
