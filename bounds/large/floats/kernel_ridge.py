"""The posterior through one L x L matrix: kernel(K,K) + lam I, made and factored in place.

    mean(q)     = V^T (kernel(K,K) + lam I)^-1 kernel(K,q)                              (I2)
    variance(q) = tau^2 (kernel(q,q) - kernel(q,K) (kernel(K,K) + lam I)^-1 kernel(K,q))

The Cholesky factor takes one triangle; the other still holds the kernel, and from it come the
residuals that correct the result and bound its error (:mod:`bounds.large.floats.kernel_residuals`).
Source: arXiv:2212.14852; residual bounds after Rump, Acta Numerica 19 (2010), section 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from bounds.errors import SingularSystemError
from bounds.large.floats.gram import (
    SMALLEST,
    TILE,
    U,
    cross_gram,
    diagonal,
    entry_error,
    feature_error,
    float_features,
    reciprocal,
    scales,
    symmetric_gram,
)
from bounds.large.floats.kernel_residuals import (
    FeatureForm,
    KernelForm,
    Residual,
    tiled_growth,
    tiled_product,
)
from bounds.large.inputs import Input
from bounds.large.memory import require_memory
from bounds.large.problem import Predictive, Problem
from bounds.large.result import Computed, Route
from bounds.models.linear_gaussian import LinearGaussian

Array = NDArray[np.float64]

QUERIES = 512  # solved at a time
_SLACK = 1 + 2.0**-20  # for rounding inside the bounds themselves, which add non-negative terms


@dataclass(frozen=True, eq=False)
class Factored:
    """kernel(K,K) + lam I = C C^T: the factor on and above the diagonal of ``matrix``, by rows.

    Below the diagonal stands the kernel; ``diagonal`` is that of the kernel. ``condition``
    estimates the condition number in the 1-norm, ``norm`` is at most the 2-norm.
    """

    matrix: Array
    diagonal: Array
    condition: float
    norm: float

    def solve(self, B: Array) -> Array:
        """(kernel(K,K) + lam I)^-1 B, rounded (L x m, columns in order)."""
        solution, _ = lapack.dpotrs(self.matrix.T, np.array(B, order="F"), lower=1, overwrite_b=1)
        return np.asarray(solution)


@dataclass(frozen=True, eq=False)
class _Part:
    """The law at some of the queries: mean, error, variance, error; backward error of each."""

    mean: Array
    mean_error: Array
    variance: Array
    variance_error: Array
    backward: float


def kernel_cholesky(given: Problem, queries: Input) -> Predictive:
    """The predictive law at the queries (nq x dk), by the L x L Cholesky factorization.

    Memory: one L x L matrix, and L x 5 (dv + min(nq, 512)) beside. Works for every kernel; where
    the features are finite, the variance is computed without cancellation. Nothing is clipped and
    nothing is added to the diagonal.

    Raises:
        TooLargeError: when the matrix will not fit.
        SingularSystemError: naming lam, when the matrix is not positive definite in float64.
        ParameterError: when the kernel or lam over- or underflows float64.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # Computed refuses what overflowed
        first, *others = _batches(queries)
        solver, part = _started(given, first)
        parts = [part, *(solver.law(batch) for batch in others)]
    condition = solver.factored.condition
    backward = max(part.backward for part in parts)
    unit = max(given.input_unit, queries.unit)

    def computed(value: list[Array], error: list[Array]) -> Computed:
        with np.errstate(over="ignore"):
            bound = np.concatenate(error) * _SLACK
        return Computed(
            np.concatenate(value), bound, Route.KERNEL_CHOLESKY, condition, backward, unit
        )

    return Predictive(
        computed([part.mean for part in parts], [part.mean_error for part in parts]),
        computed([part.variance for part in parts], [part.variance_error for part in parts]),
    )


def factored(model: LinearGaussian, keys: Input) -> Factored:
    """kernel(K,K) + lam I, made and factored in one L x L array.

    Raises:
        TooLargeError, SingularSystemError, ParameterError: as :func:`kernel_cholesky`.
    """
    L, lam = keys.rows, _as_float("lam", model)
    alternative = "use a kernel with finite features and the feature route, or fewer tokens"
    require_memory(f"kernel(K, K) of L = {L} tokens", 8 * L * (L + 4 * TILE), alternative)
    gram = symmetric_gram(model.kernel, keys)
    of_kernel = gram.matrix.diagonal().copy()
    gram.matrix.flat[:: L + 1] += lam
    _, info = lapack.dpotrf(gram.matrix.T, lower=1, overwrite_a=1, clean=0)
    if info:
        raise _singular(lam, gram.one_norm)
    rcond, _ = lapack.dpocon(gram.matrix.T, gram.one_norm + lam, uplo="L")
    return Factored(gram.matrix, of_kernel, 1 / max(rcond, 2.0**-1000), gram.two_norm + lam)


@dataclass(frozen=True, eq=False)
class _Solver:
    """A factored problem with the solution alpha of (kernel(K,K) + lam I) alpha = V."""

    given: Problem
    factored: Factored
    form: KernelForm | FeatureForm
    dual: Residual

    def law(self, queries: Input) -> _Part:
        right = cross_gram(self.given.model.kernel, queries, self.given.keys).T
        W = self.factored.solve(right)
        product = self.form.products(W) if isinstance(self.form, KernelForm) else W
        return self.law_of(queries, right, W, product)

    def law_of(self, queries: Input, right: Array, W: Array, product: Array) -> _Part:
        """The law from kernel(K, Q), the solution W for it, and kernel(K, K) W."""
        kernel = self.given.model.kernel
        s = scales(kernel, queries)
        if isinstance(self.form, FeatureForm):
            features = float_features(kernel, queries)
            found, E = self.form.query_residual(np.asarray(features), s, W)
            variance, error = self.form.variance(found, E)
        else:
            found = self.form.residual(right, s, W, product)
            at_query = diagonal(kernel, queries)
            variance, error = self.form.variance(at_query, right, s, found)
        mean, mean_error = self._mean(found)
        tau2 = _as_float("prior_variance", self.given.model)
        rounding = 4 * U * np.abs(tau2 * variance) + SMALLEST
        backward = self._backward(right, found)
        return _Part(mean, mean_error, tau2 * variance, tau2 * error + rounding, backward)

    def _mean(self, found: Residual) -> tuple[Array, Array]:
        """W^T V + R^T alpha (nq x dv) and its error."""
        V, W, alpha, R = self.given.values, found.solution, self.dual.solution, found.value
        value = tiled_product(W.T, V.array) + tiled_product(R.T, alpha)
        absolute, sizes = np.abs(W).T, np.abs(V.array)
        explained = absolute @ sizes
        gamma = tiled_growth(V.rows)
        error = gamma * (explained + np.abs(R).T @ np.abs(alpha))
        error = error + 2 * SMALLEST * V.rows
        error = error + found.pairing(self.dual) + np.outer(found.energy, self.dual.energy)
        if V.unit:
            # V itself moves by unit |V|, and (K + lam I)^-1 kernel(K,q) is W up to energy/lam^(1/2)
            root = np.sqrt(_as_float("lam", self.given.model))
            moved = np.outer(found.energy / root, np.linalg.norm(V.array, axis=0))
            error = error + V.unit * (explained + moved)
        return value, error

    def _backward(self, right: Array, found: Residual) -> float:
        """The largest |R|/(|A| |x| + |b|) over the systems solved, plus the unit roundoff."""
        largest, norm = 0.0, self.factored.norm
        for b, solved in ((right, found), (self.given.values.array, self.dual)):
            size = norm * np.linalg.norm(solved.solution, axis=0) + np.linalg.norm(b, axis=0)
            residual = np.linalg.norm(solved.value, axis=0)
            ratios = residual[size > 0] / size[size > 0]
            largest = max(largest, float(ratios.max(initial=0.0)))
        return largest + U


def _started(given: Problem, queries: Input) -> tuple[_Solver, _Part]:
    """The solver, and the law at the first queries: solved for together with the values."""
    model, keys, V = given.model, given.keys, given.values.array
    made, s, lam = factored(model, keys), scales(model.kernel, keys), _as_float("lam", model)
    right = cross_gram(model.kernel, queries, keys).T
    X = made.solve(np.hstack([V, right]))
    dv, Phi = V.shape[1], float_features(model.kernel, keys)
    if Phi is not None:
        features = FeatureForm(Phi, s, feature_error(model.kernel, keys), lam)
        solver = _Solver(given, made, features, features.value_residual(V, X[:, :dv]))
        return solver, solver.law_of(queries, right, X[:, dv:], X[:, dv:])
    form = KernelForm(made.matrix, made.diagonal, s, entry_error(model.kernel, keys, keys), lam)
    product = form.products(X)
    solver = _Solver(given, made, form, form.residual(V, None, X[:, :dv], product[:, :dv]))
    return solver, solver.law_of(queries, right, X[:, dv:], product[:, dv:])


def _batches(queries: Input) -> Iterator[Input]:
    for i in range(0, queries.rows, QUERIES):
        yield Input(queries.name, queries.array[i : i + QUERIES], queries.unit)


def _as_float(name: str, model: LinearGaussian) -> float:
    value = getattr(model, name)
    reciprocal(name, value)
    return float(value)


def _singular(lam: float, one_norm: float) -> SingularSystemError:
    reason = (
        f"not positive definite in float64 with lam = {lam:.3g} (condition up to "
        f"{one_norm / lam + 1:.3g}); take route='kernel-balls', fewer tokens, or a larger noise "
        "variance"
    )
    return SingularSystemError("kernel(K, K) + lam I", reason, certain=False)
