r"""Posterior and predictive law in exact rationals, for rational kernels and small systems.

In feature space the system has dphi unknowns, whatever L is, and comes from exact moments:
:math:`A = \Phi^T\Phi + \lambda I`. In kernel space it has L: mean
:math:`V^T(\kappa(K,K) + \lambda I)^{-1}\kappa(K,q)` and variance
:math:`\tau^2(\kappa(q,q) - \kappa(q,K)(\kappa(K,K) + \lambda I)^{-1}\kappa(K,q))`, where nothing
cancels, because nothing is rounded. Source: arXiv:2212.14852.

Solutions of n unknowns from numbers of b bits have about n b bits, so the work is some
n^3 r b bit operations for r right sides; beyond ``MOST_WORK``, about a minute, it is refused.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray

from bounds.arithmetic.convert import float_above, to_fmpq, to_fraction
from bounds.arithmetic.rationals import RationalField
from bounds.attention.kernels import Kernel
from bounds.errors import ParameterError, TooLargeError, UndefinedError
from bounds.large.enclosed.exact_moments import ExactMoments, exact_moments
from bounds.large.enclosed.feature_balls import check_request, condition_of, exact_features
from bounds.large.enclosed.whole_numbers import exact_matrix_of
from bounds.large.inputs import Input
from bounds.large.problem import Predictive, Problem
from bounds.large.result import Computed, Route
from bounds.large.source import tokens
from bounds.models.linear_gaussian import LinearGaussian

Array = NDArray[np.float64]

MOST_WORK = 2 * 10**10


def posterior_mean(moments: ExactMoments, model: LinearGaussian) -> Computed:
    """zbar = V^T Phi A^-1 (dv x dphi); ``balls`` holds the exact ``fmpq_mat``.

    Raises:
        TooLargeError: the numbers would be too long; said before the work starts.
        UndefinedError: the result overflows float64.
    """
    check_request(moments, model)
    A = moments.ridge_matrix(model.lam)
    return _computed(_solve(A, moments.cross_moment).transpose(), condition_of(A))


def posterior_covariance(moments: ExactMoments, model: LinearGaussian) -> Computed:
    """sigma^2 A^-1 (dphi x dphi), the covariance of each row of z; raises as the mean does."""
    check_request(moments, model)
    A, n = moments.ridge_matrix(model.lam), moments.dphi
    identity = fmpq_mat([[fmpq(int(i == j)) for j in range(n)] for i in range(n)])
    return _computed(_solve(A, identity) * to_fmpq(model.noise_variance), condition_of(A))


def predictive_from_moments(
    moments: ExactMoments, model: LinearGaussian, queries: Input
) -> Predictive:
    """The law of z phi(q) for each query, in feature space; raises as the posterior mean does."""
    check_request(moments, model, queries)
    A, Phi_q = moments.ridge_matrix(model.lam), exact_features(moments, queries.array)
    solved = _solve(A, _beside(moments.cross_moment, Phi_q.transpose()))
    zbar, h = _columns(solved, 0, moments.dv), _columns(solved, moments.dv, None)
    noise = to_fmpq(model.noise_variance)
    variance = [noise * x for x in _row_products(Phi_q, h.transpose())]
    condition = condition_of(A)
    return Predictive(_computed(Phi_q * zbar, condition), _computed_column(variance, condition))


def predictive(given: Problem, queries: Input) -> Predictive:
    """The law of z phi(q) for each query, in the smaller of feature space and kernel space.

    ``balls`` of the results hold the exact ``fmpq_mat``.

    Raises:
        ParameterError: the kernel maps rational points to irrational numbers.
        TooLargeError: the numbers would be too long; said before the work starts.
        UndefinedError: the result overflows float64.
    """
    kernel = given.model.kernel
    if not kernel.rational:
        remedy = "is not rational; use the route kernel-balls or kernel-residual"
        raise ParameterError("kernel", repr(kernel), remedy)
    dphi = kernel.feature_dimension(given.keys.columns)
    if dphi is not None and dphi <= given.L:
        moments = exact_moments(kernel, tokens(given.keys.array, given.values.array))
        return predictive_from_moments(moments, given.model, queries)
    return _in_kernel_space(given, queries)


def _in_kernel_space(given: Problem, queries: Input) -> Predictive:
    model, field = given.model, RationalField()
    K, V, Q = (exact_matrix_of(x.array) for x in (given.keys, given.values, queries))
    # Before the Gram matrix, whose entries are no shorter than the keys.
    _require_work(given.L, V.ncols() + Q.nrows(), _bits(K))
    lam = to_fmpq(model.lam)
    gram = model.kernel.gram(field, K, K)
    ridge = [[lam if i == j else fmpq(0) for j in range(given.L)] for i in range(given.L)]
    A, k_q = gram + fmpq_mat(ridge), model.kernel.gram(field, K, Q)
    solved = _solve(A, _beside(V, k_q))
    weights, h = _columns(solved, 0, V.ncols()), _columns(solved, V.ncols(), None)
    explained = _row_products(k_q.transpose(), h.transpose())
    prior = to_fmpq(model.prior_variance)
    at_queries = _at_queries(model.kernel, field, Q)
    variance = [prior * (k - x) for k, x in zip(at_queries, explained, strict=True)]
    condition = condition_of(A)
    mean = k_q.transpose() * weights
    return Predictive(_computed(mean, condition), _computed_column(variance, condition))


def _at_queries(kernel: Kernel, field: RationalField, Q: Any) -> list[Any]:
    rows = [fmpq_mat([row]) for row in Q.tolist()]
    return [kernel.gram(field, row, row)[0, 0] for row in rows]


def _solve(A: Any, B: Any) -> Any:
    """A^-1 B for positive definite A."""
    _require_work(A.nrows(), B.ncols(), _bits(A))
    return A.solve(B)


def _bits(M: Any) -> int:
    """The length of the largest numerator over the common denominator."""
    numerators, _ = M.numer_denom()
    return max(int(x).bit_length() for x in numerators.entries())


def _require_work(unknowns: int, sides: int, bits: int) -> None:
    work = unknowns**3 * sides * bits
    if work > MOST_WORK:
        what = f"exact rationals: {unknowns} unknowns, {sides} right sides, {bits} bits"
        alternative = "use the routes feature-balls or kernel-balls"
        needed, most = f"{work:.1e} bit operations", f"{MOST_WORK:.1e}"
        raise TooLargeError(what, needed, most, alternative)


def _computed(exact: Any, condition: float) -> Computed:
    rows = [[_nearest(x) for x in row] for row in exact.tolist()]
    value = np.array([[x[0] for x in row] for row in rows])
    error = np.array([[x[1] for x in row] for row in rows])
    return Computed(value, error, Route.RATIONAL, condition, 0.0, balls=exact)


def _computed_column(exact: list[Any], condition: float) -> Computed:
    pairs = [_nearest(x) for x in exact]
    value, error = (np.array([pair[i] for pair in pairs]) for i in (0, 1))
    balls = fmpq_mat([[x] for x in exact])
    return Computed(value, error, Route.RATIONAL, condition, 0.0, balls=balls)


def _nearest(x: Any) -> tuple[float, float]:
    """The float nearest to a rational, and its distance rounded up."""
    exact = to_fraction(x)
    try:
        value = float(exact)
    except OverflowError:
        message = "the rational route overflows float64; scale the data"
        raise UndefinedError(message) from None
    return value, float_above(abs(exact - Fraction(value)))


def _beside(A: Any, B: Any) -> Any:
    return fmpq_mat([a + b for a, b in zip(A.tolist(), B.tolist(), strict=True)])


def _columns(M: Any, first: int, last: int | None) -> Any:
    return fmpq_mat([row[first:last] for row in M.tolist()])


def _row_products(A: Any, B: Any) -> list[Any]:
    """The inner products of row i of A with row i of B."""
    return [
        sum((x * y for x, y in zip(a, b, strict=True)), fmpq(0))
        for a, b in zip(A.tolist(), B.tolist(), strict=True)
    ]
