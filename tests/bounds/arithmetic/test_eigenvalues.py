"""Extreme eigenvalues: exact where rational, certified in balls, with a true error in floats."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import BallField, FloatField, RationalField
from bounds.arithmetic.approx import Approx
from bounds.errors import SingularSystemError

RATIONAL, BALL, FLOAT = RationalField(), BallField(), FloatField()
TINY = Fraction(1, 10**12)


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    with BALL.context():
        yield


@pytest.mark.parametrize(
    ("rows", "smallest", "largest"),
    [
        ([[5]], 5, 5),
        ([[2, 1], [1, 2]], 1, 3),
        ([[1, 2], [2, 1]], -1, 3),
        ([[1, 1, 1]] * 3, 0, 3),
        ([[0, 0], [0, 0]], 0, 0),
        ([[TINY, 0], [0, 10**12]], TINY, 10**12),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, 1),
        ([[Fraction(1, 3), Fraction(1, 7)], [Fraction(1, 7), Fraction(1, 3)]], "4/21", "10/21"),
        ([[1 + TINY, 1], [1, 1 + TINY]], TINY, 2 + TINY),
    ],
)
def test_known_eigenvalues(
    rows: list[list[Fraction | int]], smallest: Fraction | str, largest: Fraction | str
) -> None:
    for name, number in (("lambda_min", smallest), ("lambda_max", largest)):
        expected = Fraction(number)
        value = getattr(RATIONAL, name)(RATIONAL.matrix(rows))
        assert value == RATIONAL.number(expected)
        ball = getattr(BALL, name)(BALL.matrix(rows))
        assert ball.overlaps(BALL.number(expected))
        assert ball.rad() < 1e-20 * max(1, float(Fraction(largest)))
        approx = getattr(FLOAT, name)(FLOAT.matrix(rows))
        assert abs(Fraction(approx.value) - expected) <= Fraction(approx.error)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 5), st.integers(1, 5))
def test_gram_matrices(data: st.DataObject, n: int, m: int) -> None:
    """Random B B^T, singular when m < n: balls and floats agree."""
    entry = st.fractions(-8, 8, max_denominator=4)
    rows = data.draw(st.lists(st.lists(entry, min_size=m, max_size=m), min_size=n, max_size=n))
    with BALL.context():
        for field in (BALL, FLOAT):
            B = field.matrix(rows)
            low = field.lambda_min(field.matmul(B, field.transpose(B)))
            assert field.less(low, field.number(0)) is not True
            assert field.error(low) <= 1e-9 * (1 + n * m * 64)
            if m < n:
                assert field.less(field.number(0), low) is not True
        exact = BALL.lambda_min(BALL.matrix(rows) * BALL.matrix(rows).transpose())
        assert exact.rad() < 1e-25
        assert abs(arb(low.value) - exact) < arb(low.error) + exact.rad() + arb("1e-30")


@pytest.mark.parametrize("width", [1e-10, 1e-3, 0.1])
def test_every_member_of_a_wide_matrix_is_enclosed(width: float) -> None:
    random = np.random.default_rng(0)
    for _ in range(6):
        n = int(random.integers(2, 5))
        M = random.normal(size=(n, n))
        M = (M + M.T) / 2
        A = arb_mat([[arb(float(x), width) for x in row] for row in M])
        F = FLOAT.from_scalars([[Approx(float(x), width) for x in row] for row in M])
        ball, approx = BALL.lambda_min(A), FLOAT.lambda_min(F)
        for _ in range(20):
            signs = np.triu(random.choice([-1.0, 0.0, 1.0], size=(n, n)))
            member = np.linalg.eigvalsh(M + width * (np.triu(signs) + np.triu(signs, 1).T))[0]
            assert ball.lower() - 1e-13 <= member <= ball.upper() + 1e-13
            assert abs(approx.value - member) <= approx.error + 1e-13


def test_an_infinite_entry_is_refused() -> None:
    with pytest.raises(SingularSystemError, match="not finite"):
        BALL.lambda_min(arb_mat([[arb(0, float("inf")), 1], [1, 2]]))


def test_forty_dimensions() -> None:
    random = np.random.default_rng(1)
    B = random.integers(-8, 9, size=(40, 40))
    gram = [[int(x) for x in row] for row in B @ B.T]
    ball = BALL.lambda_min(BALL.matrix(gram))
    approx = FLOAT.lambda_min(FLOAT.matrix(gram))
    assert ball.rad() < 1e-20
    assert not abs(arb(approx.value) - ball) > approx.error


def test_huge_entries() -> None:
    ball = BALL.lambda_min(BALL.matrix([[0, 10**400], [10**400, 0]]))
    assert (ball / arb(10) ** 400 + 1).contains(0)
