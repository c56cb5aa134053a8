"""Inputs become exact rationals, or an error that names the argument."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from bounds.arithmetic.convert import exact, exact_matrix, exact_vector, float_above, to_fmpq
from bounds.errors import ParameterError, ShapeError


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Fraction(3)),
        ("1/3", Fraction(1, 3)),
        ("0.1", Fraction(1, 10)),
        (" -2.5e-3 ", Fraction(-1, 400)),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        (np.float32(0.5), Fraction(1, 2)),
        (np.int8(-3), Fraction(-3)),
        (Decimal("1.25"), Fraction(5, 4)),
        (fmpq(2, 3), Fraction(2, 3)),
        (fmpz(7), Fraction(7)),
    ],
)
def test_exact_value(value: object, expected: Fraction) -> None:
    assert exact("x", value) == expected


@pytest.mark.parametrize(
    "value",
    [
        True,
        math.nan,
        math.inf,
        np.float64("nan"),
        Decimal("NaN"),
        Decimal("1e999999"),
        "nan",
        "1/0",
        "1e99999",
        "1_000",
        "1.5/2",
        "__import__('os')",
        "9" * 3000,
        None,
        1j,
        [1],
        b"1",
    ],
)
def test_not_a_number_names_the_argument(value: object) -> None:
    with pytest.raises(ParameterError, match=r"^gamma = ") as caught:
        exact("gamma", value)
    assert caught.value.name == "gamma"


@pytest.mark.parametrize(
    "value",
    [[1, 2], [[1], [1, 2]], [], [[]], "ab", b"ab", np.zeros(3), np.zeros((2, 2, 2)), [[[1]]], 5],
)
def test_not_a_matrix_names_the_argument(value: object) -> None:
    with pytest.raises(ShapeError, match=r"^keys = "):
        exact_matrix("keys", value)


def test_bad_entry_is_located() -> None:
    with pytest.raises(ParameterError, match=r"keys\[0, 1\] = nan"):
        exact_matrix("keys", [[1.0, math.nan]])
    with pytest.raises(ParameterError, match=r"query\[2\] = inf"):
        exact_vector("query", [1, 2, math.inf])


def test_vector_of_vectors_is_refused() -> None:
    with pytest.raises(ShapeError, match="query"):
        exact_vector("query", [[1, 2]])


def test_numpy_matrix_is_read_exactly() -> None:
    matrix = exact_matrix("M", np.array([[0.5, 0.1], [1, 2]]))
    assert matrix == ((Fraction(1, 2), Fraction(0.1)), (Fraction(1), Fraction(2)))


@given(st.fractions())
def test_round_trip_through_flint(number: Fraction) -> None:
    assert exact("x", to_fmpq(number)) == number
    assert exact("x", str(number)) == number


@given(st.fractions(min_value=0) | st.fractions(min_value=0).map(lambda x: x / 10**330))
def test_float_above_is_above(number: Fraction) -> None:
    bound = float_above(number)
    assert Fraction(bound) >= number
    assert bound <= float(number) or math.nextafter(bound, 0) <= float(number)


def test_float_above_of_a_huge_number() -> None:
    assert float_above(Fraction(10**400)) == math.inf
