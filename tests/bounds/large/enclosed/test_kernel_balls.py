"""Kernel space in balls against exact rationals, a determinant formula, and the residual route."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpq_mat

from bounds.arithmetic.balls import BallField
from bounds.arithmetic.rationals import RationalField
from bounds.attention.kernels import (
    ExponentialKernel,
    FeatureKernel,
    GaussianKernel,
    LinearKernel,
    PolynomialKernel,
)
from bounds.errors import ParameterError, ShapeError, SingularSystemError
from bounds.large.enclosed import kernel_balls as module
from bounds.large.enclosed.kernel_balls import LARGEST_L, ball_gram, ball_matrix, kernel_balls
from bounds.large.enclosed.kernel_residual import kernel_residual
from bounds.large.problem import problem
from bounds.large.result import Route
from bounds.models.linear_gaussian import (
    LinearGaussian,
    LinearGaussianData,
    posterior_variance_kernel,
    predictive_mean,
)

RATIONAL = RationalField()
EXACT_KERNELS = [LinearKernel(), FeatureKernel(2), PolynomialKernel(3, Fraction(1, 3))]
KERNELS = [GaussianKernel(Fraction(2)), ExponentialKernel(Fraction(2)), *EXACT_KERNELS]


def rows(X):
    return tuple(tuple(Fraction(float(x)) for x in row) for row in X)


def tokens(seed, L=7, d=2, scale=1.0, offset=0.0):
    rng = np.random.default_rng(seed)
    K, V, Q = (rng.standard_normal(shape) for shape in ((L, d), (L, 2), (3, d)))
    return offset + scale * K, V, offset + scale * Q


def holds(computed, i, true):
    """Whether float and ball hold the exact number of entry i."""
    with BallField(4000).context():
        exact = arb(true)
        value, error = computed.value.flat[i], computed.error.flat[i]
        return bool(
            computed.balls.entries()[i].contains(exact)
            and abs(exact - arb(float(value))) <= arb(float(error))
        )


@pytest.mark.parametrize("lam", [Fraction(1, 100), Fraction(1, 10**40), Fraction(10**20)])
@pytest.mark.parametrize("kernel", EXACT_KERNELS, ids=repr)
def test_rational_kernels_hold_the_exact_law(kernel, lam):
    K, V, Q = tokens(0)
    model = LinearGaussian(Fraction(3, 2), Fraction(3, 2) * lam, kernel)
    law = kernel_balls(problem(model, K, V), Q)
    for i in range(len(Q)):
        data = LinearGaussianData(model, rows(K), rows(V), rows(Q)[i])
        mean = predictive_mean(RATIONAL, data)
        assert all(holds(law.mean, 2 * i + j, mean[j, 0]) for j in range(2))
        assert holds(law.variance, i, posterior_variance_kernel(RATIONAL, data))
    assert law.mean.route == Route.KERNEL_BALLS
    assert law.mean.rigorous


@pytest.mark.parametrize(
    ("scale", "offset"), [(1.0, 0.0), (1e-9, 1.0), (1.0, 1e9), (1e-170, 0.0), (1e-3, -1e6)]
)
@pytest.mark.parametrize("kernel", KERNELS[:2], ids=repr)
def test_entries_of_the_gram_matrix_agree_with_their_formula(kernel, scale, offset):
    A, _, B = tokens(1, scale=scale, offset=offset)
    if isinstance(kernel, ExponentialKernel) and abs(offset) > 1:
        A, B = A - offset, B - offset
    field, wide = BallField(100), BallField(3000)
    with field.context():
        for left, right in ((A, A), (A, B)):
            found = ball_gram(field, kernel, left, right)
            with wide.context():
                true = kernel.gram(wide, ball_matrix(left), ball_matrix(right))
                pairs = list(zip(found.entries(), true.entries(), strict=True))
                assert all(f.overlaps(t) for f, t in pairs)
                assert all(f.rad() <= arb(2) ** -90 * abs(f.mid()) for f, _ in pairs)


def test_distances_of_coordinates_of_all_sizes_do_not_cancel():
    A, _, _ = tokens(7)
    A = A * [1e-3, 1e-9] + [1e9, 1e-7]
    field, wide = BallField(100), BallField(3000)
    with field.context():
        found = ball_gram(field, KERNELS[0], A, A)
        with wide.context():
            true = KERNELS[0].gram(wide, ball_matrix(A), ball_matrix(A))
            for f, t in zip(found.entries(), true.entries(), strict=True):
                assert f.overlaps(t)
                assert f.rad() <= arb(2) ** -90


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_residual_route_holds_the_same_law(kernel):
    K, V, Q = tokens(2, L=60)
    given = problem(LinearGaussian(Fraction(1), Fraction(1, 50), kernel), K, V)
    narrow, wide = kernel_balls(given, Q), kernel_residual(given, Q)
    for a, b in ((narrow.mean, wide.mean), (narrow.variance, wide.variance)):
        assert (np.abs(a.value - b.value) <= a.error + b.error).all()
        assert a.error.max() < 1e-3 * b.error.max() + 1e-15


def test_duplicated_tokens_with_hardly_any_noise():
    K, V, Q = np.zeros((40, 2)), np.arange(40.0)[:, None], np.zeros((1, 2))
    lam = Fraction(1, 10**30)
    law = kernel_balls(problem(LinearGaussian(Fraction(1), lam, KERNELS[0]), K, V), Q)
    assert holds(law.mean, 0, fmpq(780 * 10**30, 40 * 10**30 + 1))
    assert holds(law.variance, 0, fmpq(1, 40 * 10**30 + 1))
    assert law.mean.condition == pytest.approx(4e31)


def test_the_precision_is_raised_until_the_balls_are_narrow():
    K, V, Q = tokens(3, L=30)
    given = problem(LinearGaussian(Fraction(1), Fraction(1, 10**30), KERNELS[0]), K, V)
    law, again = kernel_balls(given, Q, precision=20), kernel_balls(given, Q, precision=2000)
    for a, b in ((law.mean, again.mean), (law.variance, again.variance)):
        assert all(x.overlaps(y) for x, y in zip(a.balls.entries(), b.balls.entries(), strict=True))
        largest = max(abs(x).upper() for x in a.balls.entries())
        assert all(x.rad() <= largest * arb(2) ** -64 for x in a.balls.entries())
        assert (a.error <= 2.0**-52 * np.abs(a.value)).all()


def test_the_global_precision_is_left_alone():
    before = ctx.prec
    K, V, Q = tokens(4)
    kernel_balls(problem(LinearGaussian(Fraction(1), Fraction(1), KERNELS[0]), K, V), Q)
    assert ctx.prec == before


def test_zero_values_and_a_zero_query_give_exact_zeros():
    K, V, _ = tokens(5)
    given = problem(LinearGaussian(Fraction(1), Fraction(1), LinearKernel()), K, 0 * V)
    law = kernel_balls(given, np.zeros((1, 2)))
    assert not law.mean.value.any()
    assert not law.mean.error.any()
    assert law.variance.value[0] == 0.0


def test_too_many_tokens_name_the_alternative():
    K = np.zeros((LARGEST_L + 1, 1))
    given = problem(LinearGaussian(Fraction(1), Fraction(1), KERNELS[0]), K, K)
    with pytest.raises(ParameterError, match=r"401 tokens.*use kernel-residual"):
        kernel_balls(given, K[:1])


def test_bad_input_is_named(monkeypatch):
    K, V, Q = tokens(6)
    given = problem(LinearGaussian(Fraction(1), Fraction(1, 10**40), KERNELS[0]), K, V)
    with pytest.raises(ShapeError, match="queries"):
        kernel_balls(given, Q[:, :1])
    with pytest.raises(ParameterError, match="precision"):
        kernel_balls(given, Q, precision=1)
    monkeypatch.setattr(module, "_LARGEST_PRECISION", 30)
    with pytest.raises(SingularSystemError, match="30 bits") as caught:
        kernel_balls(given, Q, precision=20)
    assert not caught.value.certain


def test_rationals_come_out_of_flint_as_they_should():
    assert fmpq_mat([[fmpq(1, 3)]])[0, 0] == fmpq(1, 3)
