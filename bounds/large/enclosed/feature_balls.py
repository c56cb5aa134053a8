r"""Feature space in balls: posterior and predictive law from exact moments, as narrow as asked.

:math:`A = \Phi^T\Phi + \lambda I` is known exactly, so the only widths are those of one inversion
and two products in Arb; the precision doubles until the radius is small enough. Since
:math:`A \succeq \lambda I \succ 0`, some precision always does. Sources: arXiv:2212.14852 (the
law); Johansson, IEEE Trans. Computers 66 (2017), "Arb" (the arithmetic).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq_mat
from numpy.typing import NDArray

from bounds.arithmetic.balls import BallField
from bounds.arithmetic.convert import to_fmpq
from bounds.errors import ParameterError, ShapeError, SingularSystemError
from bounds.large.enclosed.exact_moments import ExactMoments
from bounds.large.enclosed.whole_numbers import power_of_two, whole_features
from bounds.large.inputs import Input
from bounds.large.problem import Predictive
from bounds.large.result import Computed, Route
from bounds.models.linear_gaussian import LinearGaussian

Array = NDArray[np.float64]

ACCURACY = 1e-25
FIRST_PRECISION = 192
LARGEST_PRECISION = 192 * 2**7


@dataclass(frozen=True, eq=False)
class _Solved:
    """A^-1 and zbar^T = A^-1 Phi^T V as balls at one precision, and cond(A) from above.

    ``terms`` (dphi x dv) bounds the sums of sizes |A^-1| |Phi^T V|: they do not cancel.
    """

    inverse: Any
    mean: Any
    terms: Any
    condition: float


def posterior_mean(
    moments: ExactMoments, model: LinearGaussian, *, accuracy: float = ACCURACY
) -> Computed:
    """zbar = V^T Phi A^-1 (dv x dphi), to ``accuracy`` times its largest entry.

    Where all of it cancels, to accuracy^2 times the largest of |A^-1| |Phi^T V|.

    Raises:
        ParameterError: the accuracy is not in (0, 1), or the kernel is not that of the moments.
        SingularSystemError: not certain; no precision allowed reaches the accuracy.
        UndefinedError: the result overflows float64.
    """

    def outcome(solved: _Solved) -> tuple[Any, ...]:
        return (_Candidate(solved.mean.transpose(), solved.terms),)

    (mean,) = _until_narrow(moments, model, accuracy, outcome)
    return mean


def posterior_covariance(
    moments: ExactMoments, model: LinearGaussian, *, accuracy: float = ACCURACY
) -> Computed:
    """sigma^2 A^-1 (dphi x dphi), the covariance of each row of z; raises as the mean does."""

    def outcome(solved: _Solved) -> tuple[Any, ...]:
        covariance = solved.inverse * arb(to_fmpq(model.noise_variance))
        return (_Candidate(covariance, covariance),)

    (covariance,) = _until_narrow(moments, model, accuracy, outcome)
    return covariance


def predictive(
    moments: ExactMoments, model: LinearGaussian, queries: Input, *, accuracy: float = ACCURACY
) -> Predictive:
    """The law of z phi(q) for each query: mean zbar phi(q), variance sigma^2 phi^T A^-1 phi.

    Radii are at most ``accuracy`` times the largest mean, and the largest variance; where all means
    cancel, accuracy^2 times the largest of |Phi_q| |A^-1| |Phi^T V|. Raises as
    :func:`posterior_mean`, and

    Raises:
        ShapeError: queries have another dimension than the keys.
    """
    check_request(moments, model, queries)
    phi_q = exact_features(moments, queries.array)

    def outcome(solved: _Solved) -> tuple[Any, ...]:
        Phi_q = arb_mat(phi_q)
        h = Phi_q * solved.inverse
        noise = arb(to_fmpq(model.noise_variance))
        variance = arb_mat([[noise * x] for x in _row_products(h, Phi_q)])
        mean, terms = Phi_q * solved.mean, _sizes(Phi_q) * solved.terms
        return _Candidate(mean, terms), _Candidate(variance, variance)

    mean, variance = _until_narrow(moments, model, accuracy, outcome)
    column = Computed(
        variance.value[:, 0],
        variance.error[:, 0],
        variance.route,
        variance.condition,
        variance.backward_error,
        balls=variance.balls,
    )
    return Predictive(mean, column)


def exact_features(moments: ExactMoments, points: Array) -> Any:
    """Phi of the rows of ``points``, an ``fmpq_mat``."""
    rows, exponents = whole_features(points, moments.degree)
    units = [power_of_two(exponent) for exponent in exponents]
    return fmpq_mat([[x * u for x, u in zip(row, units, strict=True)] for row in rows])


def check_request(
    moments: ExactMoments, model: LinearGaussian, queries: Input | None = None
) -> None:
    """ParameterError or ShapeError when model or queries do not belong to the moments."""
    if model.kernel != moments.kernel:
        raise ParameterError("kernel", model.kernel, f"the moments are those of {moments.kernel}")
    if queries is not None and queries.columns != moments.dk:
        wanted = f"must have dk = {moments.dk}"
        raise ShapeError("queries", f"{queries.columns} columns", wanted)


def condition_of(A: Any) -> float:
    """|A| |A^-1| in the maximum row sum norm, for an ``fmpq_mat``, from above; may be infinite."""
    precision = FIRST_PRECISION
    while precision <= LARGEST_PRECISION:
        with BallField(precision).context():
            solved = _solved(A, arb_mat(A.nrows(), 1))
        if solved is not None:
            return solved.condition
        precision *= 2
    return math.inf


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A matrix of balls, and a matrix of sizes of the terms it is a sum of."""

    balls: Any
    terms: Any

    def narrow(self, accuracy: float) -> bool:
        entries = self.balls.entries()
        if not all(x.is_finite() for x in entries):
            return False
        size = _largest(self.balls).max(_largest(self.terms) * arb(accuracy))
        widest = arb(0)
        for x in entries:
            widest = widest.max(x.rad())
        return bool(widest <= size * arb(accuracy))


def _until_narrow(
    moments: ExactMoments,
    model: LinearGaussian,
    accuracy: float,
    outcome: Callable[[_Solved], tuple[_Candidate, ...]],
) -> tuple[Computed, ...]:
    if not 0.0 < accuracy < 1.0:
        raise ParameterError("accuracy", accuracy, "must lie between 0 and 1")
    check_request(moments, model)
    A, cross = moments.ridge_matrix(model.lam), moments.cross_moment
    precision = FIRST_PRECISION
    while precision <= LARGEST_PRECISION:
        field = BallField(precision)
        with field.context():
            solved = _solved(A, cross)
            if solved is not None:
                found = outcome(solved)
                if all(candidate.narrow(accuracy) for candidate in found):
                    return tuple(_computed(field, c.balls, solved.condition) for c in found)
        precision *= 2
    reason = (
        f"no {accuracy:.1g} relative accuracy with {LARGEST_PRECISION} bits (lam = "
        f"{float(model.lam):.3g}); ask for less, or scale the data"
    )
    raise SingularSystemError("A = Phi^T Phi + lam I", reason, certain=False)


def _solved(A: Any, cross: Any) -> _Solved | None:
    matrix = arb_mat(A)
    try:
        inverse = matrix.inv()
    except ZeroDivisionError:  # not certainly invertible at this precision
        return None
    if not all(x.is_finite() for x in inverse.entries()):
        return None
    condition = _infinity_norm(matrix) * _infinity_norm(inverse)
    moment = arb_mat(cross)
    terms = _sizes(inverse) * _sizes(moment)
    return _Solved(inverse, inverse * moment, terms, float(condition))


def _computed(field: BallField, balls: Any, condition: float) -> Computed:
    rows, columns = balls.nrows(), balls.ncols()
    value, error = np.empty((rows, columns)), np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            value[i, j], error[i, j] = field.to_float(balls[i, j]), field.error(balls[i, j])
    return Computed(value, error, Route.FEATURE_BALLS, condition, 0.0, balls=balls)


def _row_products(A: Any, B: Any) -> list[Any]:
    """The inner products of row i of A with row i of B."""
    return [
        sum((x * y for x, y in zip(a, b, strict=True)), arb(0))
        for a, b in zip(A.tolist(), B.tolist(), strict=True)
    ]


def _sizes(M: Any) -> Any:
    return arb_mat([[x.abs_upper() for x in row] for row in M.tolist()])


def _largest(M: Any) -> Any:
    largest = arb(0)
    for x in M.entries():
        largest = largest.max(x.abs_upper())
    return largest


def _infinity_norm(M: Any) -> Any:
    norm = arb(0)
    for row in M.tolist():
        norm = norm.max(sum((x.abs_upper() for x in row), arb(0)))
    return norm.upper()
