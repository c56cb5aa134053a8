r"""The posterior in feature space, with an error bound from the measured backward error.

With :math:`A = \Phi^T\Phi + \lambda I`, a computed triangle R and solution :math:`\hat X`, the
numbers :math:`\varepsilon` and :math:`|R^{-T} g|` are measured
(:mod:`bounds.large.floats.backward_error`). Then

.. math:: |\phi^T(X - \hat X)| = |\phi^T A^{-1} g|
          \le \frac{|R^{-T}\phi|\,|R^{-T} g|}{1-\varepsilon}, \qquad
          \Bigl|\phi^T A^{-1}\phi - |R^{-T}\phi|^2\Bigr|
          \le \frac{\varepsilon}{1-\varepsilon}|R^{-T}\phi|^2 .

The variance :math:`\sigma^2|R^{-T}\phi|^2` does not cancel (I2; arXiv:2212.14852).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, lapack, solve_triangular

from bounds.errors import ShapeError, SingularSystemError
from bounds.large.floats.backward_error import Factor, Measured, by_moments, by_second_pass, lengths
from bounds.large.floats.gram import (
    SMALLEST,
    feature_error,
    float_features,
    reciprocal,
    rounding_growth,
)
from bounds.large.floats.triangle import Triangle
from bounds.large.inputs import Input
from bounds.large.problem import Predictive
from bounds.large.result import Computed, Route
from bounds.models.linear_gaussian import LinearGaussian

Array = NDArray[np.float64]

_SLACK = 1 + 2.0**-20  # for rounding inside the bounds themselves, which add non-negative terms


@dataclass(frozen=True, eq=False)
class FeaturePosterior:
    """z given the tokens: each row is N(row of zbar, sigma^2 A^-1), with A about R^T R.

    ``X`` (dphi x dv) is zbar^T. Built by :func:`by_tokens` or :func:`by_state`.
    """

    model: LinearGaussian
    route: Route
    factor: Factor
    X: Array
    measured: Measured
    input_unit: float

    @property
    def condition(self) -> float:
        """The condition number of A, estimated in the 1-norm."""
        return _condition(self.factor.R)

    @property
    def mean(self) -> Computed:
        """zbar = V^T Phi A^-1 (dv x dphi)."""
        rows = lengths(self.factor.inverse.T) * self.factor.stretch
        return self._computed(self.X.T.copy(), np.outer(self._residual, rows))

    @property
    def covariance(self) -> Computed:
        """sigma^2 A^-1 (dphi x dphi): the covariance of each row of z."""
        inverse, stretch = self.factor.inverse, self.factor.stretch
        sigma2 = float(self.model.noise_variance)
        rows = lengths(inverse.T) * stretch
        skew = self.factor.skew * stretch
        growth = rounding_growth(len(rows) + 4) + 2 * skew + skew**2
        error = sigma2 * ((self._doubt + growth) * np.outer(rows, rows) + len(rows) * SMALLEST)
        return self._computed(sigma2 * (inverse @ inverse.T), error)

    def predictive(self, queries: Input) -> Predictive:
        """The law of z phi(q) at the queries (nq x dk).

        Raises:
            ShapeError: queries have another dimension than the keys.
            ParameterError: the features of the queries overflow.
        """
        phi = np.asarray(float_features(self.model.kernel, queries))
        if phi.shape[1] != len(self.X):
            raise ShapeError("queries", f"{queries.columns} columns", "must have those of the keys")
        known = feature_error(self.model.kernel, queries)
        d, sigma2 = len(self.X), float(self.model.noise_variance)
        half = solve_triangular(self.factor.R, phi.T, trans="T", check_finite=False)
        length, missed = self._lengths(half, np.abs(phi), known)
        value = phi @ self.X
        sizes = np.abs(phi) @ np.abs(self.X)
        error = np.outer(length + missed, self._residual)
        error += (rounding_growth(d) + known) * sizes + (d + 4) * SMALLEST
        squares = np.einsum("ij,ij->j", half, half)
        spread = (length + missed) ** 2
        lost = self._doubt * spread + 2 * length * missed + missed**2
        lost += rounding_growth(d + 6) * spread + (d + 6) * SMALLEST
        return Predictive(
            self._computed(value, error, queries.unit),
            self._computed(sigma2 * squares, sigma2 * lost, queries.unit),
        )

    def _lengths(self, half: Array, sizes: Array, known: float) -> tuple[Array, Array]:
        """|R^-T phi| as computed, and how much it may miss: the solve, and phi itself."""
        R, d = self.factor.R, len(self.X)
        solved = rounding_growth(2 * d) * (np.abs(R).T @ np.abs(half)) + known * sizes.T
        lost = 2 * d * SMALLEST  # by products that underflow
        missed = self.factor.reach @ (solved + lost) * self.factor.stretch + lost
        return lengths(half), lengths(missed)

    @property
    def _residual(self) -> Array:
        return np.asarray(self.measured.residual / (1 - self.measured.epsilon))

    @property
    def _doubt(self) -> float:
        return self.measured.epsilon / (1 - self.measured.epsilon)

    def _computed(self, value: Array, error: Array, unit: float = 0.0) -> Computed:
        bound = error * _SLACK + SMALLEST
        backward, known = self.measured.backward, max(self.input_unit, unit)
        return Computed(value, bound, self.route, self.condition, backward, known)


def by_tokens(model: LinearGaussian, keys: Input, values: Input) -> FeaturePosterior:
    """The posterior by QR of [Phi; lam^(1/2) I], its error measured in a second pass.

    Raises:
        SingularSystemError: naming lam and the condition, when float64 cannot bound the error.
        ParameterError: lam or the features are too small or large for float64.
    """
    lam = _regularisation(model)
    Phi = np.asarray(float_features(model.kernel, keys))
    state = Triangle.empty(Phi.shape[1], values.columns, moments=False)
    R, Y = state.with_rows(Phi, values.array).with_prior(np.sqrt(lam))
    factor, X = _solved(R, Y, lam)
    error = max(feature_error(model.kernel, keys), values.unit)
    measured = by_second_pass(Phi, values.array, factor, X, lam, error)
    _require_certain(measured, R, lam)
    unit = max(keys.unit, values.unit)
    return FeaturePosterior(model, Route.FEATURE_QR, factor, X, measured, unit)


def by_state(model: LinearGaussian, state: Triangle, route: Route) -> FeaturePosterior:
    """The posterior of tokens met before: by their triangle or, without one, by Cholesky.

    Raises:
        SingularSystemError: as :func:`by_tokens`; here the condition of A counts, not its root.
        ParameterError: lam is too small or large for float64.
    """
    lam = _regularisation(model)
    R, Y = _triangle(state, lam)
    factor, X = _solved(R, Y, lam)
    measured = by_moments(state, factor, X, lam)
    _require_certain(measured, R, lam)
    return FeaturePosterior(model, route, factor, X, measured, state.input_unit)


def _regularisation(model: LinearGaussian) -> float:
    reciprocal("lam", model.lam)
    reciprocal("noise_variance", model.noise_variance)
    return float(model.lam)


def _solved(R: Array, Y: Array, lam: float) -> tuple[Factor, Array]:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        inverse = solve_triangular(R, np.eye(len(R)), check_finite=False)
        skew = rounding_growth(2 * len(R)) * np.linalg.norm(np.abs(R) @ np.abs(inverse))
    if not skew < 0.25:
        raise _singular(lam, R)
    return Factor(R, inverse, float(skew)), solve_triangular(R, Y, check_finite=False)


def _triangle(state: Triangle, lam: float) -> tuple[Array, Array]:
    if state.R is not None:
        return state.with_prior(np.sqrt(lam))
    m = state.moments
    try:
        R = cholesky(m.second + m.second_low + lam * np.eye(state.dphi), check_finite=False)
    except np.linalg.LinAlgError:
        name, reason = "Phi^T Phi + lam I", "not positive definite in float64"
        remedy = f"{reason} with lam = {lam:.3g}; take route='feature-qr' or 'feature-balls'"
        raise SingularSystemError(name, remedy, certain=False) from None
    cross = m.cross + m.cross_low
    return R, solve_triangular(R, cross, trans="T", check_finite=False)


def _require_certain(measured: Measured, R: Array, lam: float) -> None:
    if not measured.epsilon < 0.25:
        raise _singular(lam, R)


def _condition(R: Array) -> float:
    """The condition number of R^T R, estimated in the 1-norm."""
    rcond, _ = lapack.dtrcon(np.asfortranarray(R), norm="1", uplo="U", diag="N")
    return float(1 / max(rcond, 2.0**-500)) ** 2


def _singular(lam: float, R: Array) -> SingularSystemError:
    reason = (
        f"condition about {_condition(R):.1e} with lam = {lam:.3g}: float64 cannot bound the "
        "error; take route='feature-balls', or a larger noise variance"
    )
    return SingularSystemError("Phi^T Phi + lam I", reason, certain=False)
