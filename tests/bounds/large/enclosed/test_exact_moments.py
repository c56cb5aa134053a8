"""Exact moments against products of rational matrices, for every range of exponents."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import RationalField
from bounds.attention.kernels import FeatureKernel, GaussianKernel, LinearKernel, PolynomialKernel
from bounds.errors import ParameterError, ShapeError, TooLargeError
from bounds.large.enclosed import moment_accumulator
from bounds.large.enclosed.exact_moments import exact_moments
from bounds.large.enclosed.moment_accumulator import MomentAccumulator
from bounds.large.source import tokens

LINEAR = LinearKernel()
KERNELS = [LINEAR, *(FeatureKernel(degree) for degree in (1, 2, 3, 4))]


def normal(rng, shape):
    return rng.standard_normal(shape)


DATA = {
    "gaussian": normal,
    "whole numbers": lambda rng, shape: rng.integers(-9, 9, shape).astype(float),
    "zero": lambda rng, shape: np.zeros(shape),
    "graded columns": lambda rng, shape: normal(rng, shape) * 1e-40 ** np.arange(shape[1]),
    "forty decades": lambda rng, shape: normal(rng, shape) * 10.0 ** rng.integers(-20, 20, shape),
    "every range": lambda rng, shape: normal(rng, shape) * 10.0 ** rng.integers(-150, 150, shape),
    "subnormal": lambda rng, shape: normal(rng, shape) * 1e-310,
    "from end to end": lambda rng, shape: rng.choice([5e-324, -1e300, 1.0], shape),
    "huge": lambda rng, shape: normal(rng, shape) * 1e300,
    "offset": lambda rng, shape: normal(rng, shape) + 1e10,
    "float32": lambda rng, shape: normal(rng, shape).astype(np.float32),
}


def exact(array):
    return fmpq_mat([[fmpq(*map(int, float(x).as_integer_ratio())) for x in r] for r in array])


def rational_moments(kernel, keys, values):
    Phi, V = kernel.features(RationalField(), exact(keys)), exact(values)
    return Phi.transpose() * Phi, Phi.transpose() * V, V.transpose() * V


def same(left, right):
    return all(
        getattr(left, name) == getattr(right, name)
        for name in ("second_moment", "cross_moment", "value_moment", "count")
    )


def in_pieces(keys, values, *ends):
    starts, ends = (0, *ends), (*ends, len(keys))
    return tokens([(keys[i:j], values[i:j]) for i, j in zip(starts, ends, strict=True)])


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("kind", DATA)
def test_moments_are_those_of_rational_matrices(kernel, kind):
    rng = np.random.default_rng(0)
    keys, values = DATA[kind](rng, (23, 3)), DATA[kind](rng, (23, 2))
    found = exact_moments(kernel, in_pieces(keys, values, 10, 11))
    second, cross, squares = rational_moments(kernel, keys, values)
    assert found.second_moment == second
    assert found.cross_moment == cross
    assert found.value_moment == squares
    assert (found.count, found.dphi, found.dv) == (23, second.nrows(), 2)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 12), st.integers(-300, 300))
def test_neither_blocks_nor_their_order_change_a_number(seed, L, block, power):
    rng = np.random.default_rng(seed)
    keys, values = normal(rng, (L, 2)), normal(rng, (L, 1))
    keys[L // 2 :] *= 10.0**power
    whole = exact_moments(LINEAR, tokens(keys, values))
    order = rng.permutation(L)
    assert same(whole, exact_moments(LINEAR, tokens(keys[order], values[order], block=block)))


@pytest.mark.parametrize("kernel", [LINEAR, FeatureKernel(2), FeatureKernel(4)], ids=str)
def test_moments_of_two_shards_add_exactly(kernel):
    rng = np.random.default_rng(3)
    keys, values = normal(rng, (30, 2)), normal(rng, (30, 2)) * 1e-30
    parts = [exact_moments(kernel, tokens(keys[i], values[i])) for i in np.split(np.arange(30), 3)]
    whole = exact_moments(kernel, tokens(keys, values))
    assert same(whole, parts[0].merged(parts[1]).merged(parts[2]))
    assert same(whole, parts[2].merged(parts[0].merged(parts[1])))


def test_many_blocks_against_integer_arithmetic(monkeypatch):
    """Numbers on a grid of 2^-12 have moments that int64 holds; sums are flushed many times."""
    monkeypatch.setattr(moment_accumulator, "_MOST_SUMMANDS", 5)
    rng = np.random.default_rng(4)
    keys, values = (rng.integers(-(2**15), 2**15, (60_000, n)) for n in (5, 2))
    found = exact_moments(LINEAR, tokens(keys / 4096, values / 4096))
    for matrix, expected in (
        (found.second_moment, keys.T @ keys),
        (found.cross_moment, keys.T @ values),
        (found.value_moment, values.T @ values),
    ):
        assert [[x * 2**24 for x in row] for row in matrix.tolist()] == expected.tolist()


def test_no_sum_overflows_before_it_is_flushed():
    """All summands have one sign and almost 2^53 in size; the first block sets the scale."""
    first, largest = 2.0**19, float(2**21 - 1)
    blocks, rows = 1500, moment_accumulator.ROWS
    start, keys = np.full((1, 1), first), np.full((rows, 1), largest)
    found = exact_moments(LINEAR, tokens([(start, start), *[(keys, keys)] * blocks]))
    square = Fraction(largest) ** 2 * rows * blocks + Fraction(first) ** 2
    assert square > 2**63
    assert found.second_moment[0, 0] == fmpq(square.numerator, square.denominator)


def test_columns_may_leave_the_scale_of_the_first_block():
    rng = np.random.default_rng(5)
    keys = np.concatenate([np.zeros((4, 2)), normal(rng, (4, 2)) * 1e-200, normal(rng, (4, 2))])
    keys = np.concatenate([keys, normal(rng, (4, 2)) * 1e250])
    values = normal(rng, (16, 1))
    found = exact_moments(FeatureKernel(2), in_pieces(keys, values, 4, 8, 12))
    assert found.second_moment == rational_moments(FeatureKernel(2), keys, values)[0]


def test_ordinary_data_need_no_whole_numbers(monkeypatch):
    def refuse(*_):
        raise AssertionError("whole numbers for ordinary data")

    monkeypatch.setattr(moment_accumulator, "whole_gram", refuse)
    rng = np.random.default_rng(6)
    keys = normal(rng, (2500, 3)) * 10.0 ** np.array([-100, 0, 100])
    for kernel in (LINEAR, FeatureKernel(3)):
        assert exact_moments(kernel, tokens(keys, keys)).count == 2500
    with pytest.raises(AssertionError, match="whole numbers"):
        exact_moments(FeatureKernel(4), tokens(keys, keys))


def test_ridge_matrix_adds_lambda_on_the_diagonal():
    found = exact_moments(LINEAR, tokens([[1.0, 2.0]], [[1.0]]))
    third = fmpq(1, 3)
    assert found.ridge_matrix(Fraction(1, 3)) == fmpq_mat([[1 + third, 2], [2, 4 + third]])


def test_memory_is_that_of_a_block():
    rng = np.random.default_rng(7)
    block = normal(rng, (4096, 16)), normal(rng, (4096, 4))

    def peak(count):
        tracemalloc.start()
        exact_moments(LINEAR, tokens(block for _ in range(count)))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(24) < 1.2 * peak(3)


def test_progress_is_told():
    heard = []
    source = tokens(np.ones((10, 1)), np.ones((10, 1)), block=4)
    exact_moments(LINEAR, source.watched(lambda done, total: heard.append((done, total))))
    assert heard == [(4, 10), (8, 10), (10, 10)]


@pytest.mark.parametrize("kernel", [PolynomialKernel(2), GaussianKernel(Fraction(1))], ids=str)
def test_kernels_without_rational_features_are_refused(kernel):
    with pytest.raises(ParameterError, match="exact moments need LinearKernel"):
        exact_moments(kernel, tokens([[1.0]], [[1.0]]))


def test_moments_beyond_memory_are_refused_before_they_are_made():
    with pytest.raises(TooLargeError, match="exact moments of 131115985 features"):
        exact_moments(FeatureKernel(6), tokens(np.ones((1, 64)), np.ones((1, 1))))


def test_what_does_not_fit_is_refused():
    found = exact_moments(LINEAR, tokens([[1.0]], [[1.0]]))
    with pytest.raises(ShapeError, match="dk, dv = 2, 1"):
        found.merged(exact_moments(LINEAR, tokens([[1.0, 2.0]], [[1.0]])))
    with pytest.raises(ParameterError, match="must have the kernel"):
        found.merged(replace(found, kernel=FeatureKernel(1)))
    with pytest.raises(ParameterError, match=r"keys.*must be finite"):
        exact_moments(LINEAR, tokens([[1.0], [np.nan]], [[1.0], [2.0]]))
    with pytest.raises(ShapeError, match="no tokens"):
        exact_moments(LINEAR, tokens(iter(())))
    with pytest.raises(ShapeError, match="keys = 2 columns: must have 1"):
        MomentAccumulator(1, 1, None).extend(np.ones((1, 2)), np.ones((1, 1)))
