"""How far a weighted mean by the online rule can be off.

Let p_l be the weights, normalised, that the computed scores define exactly, and suppose the true
(or the computed) ones are p_l exp(d_l), normalised. With o = sum_l p_l v_l, max |d_l| <= D,

    |o' - o| <= exp(2 D) sum_l p_l |d_l| |v_l - o|,

and sum_l p_l |v_l - o| <= (max v - min v) min(1/2, 2 t) with t = 1 - max_l p_l. The d_l come from

- scores: gamma |q| |k_l| rate for q.k (Cauchy-Schwarz), gamma |s_l| for distances;
- s_l - m rounded and m_old - m_new rounded, together at most 2 u y_l with y_l = m - s_l >= 0;
- exponentials: two units in the last place each, one more for each scaling.

Where d_l grows with y_l, its mean is small: sum_l p_l y_l = H(p) - log(sum_l exp(-y_l)), and the
entropy of n weights is at most log(n) and at most t (1 - log(t) + log(n)) (Fano). As the largest
weight is exp(0) = 1 before it is normalised, 1/(1 - t) is the sum of weights. Summation adds
gamma_depth (sum_l p_l |v_l| + |o|).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.attention.kernels import ExponentialKernel
from bounds.errors import UndefinedError
from bounds.large.floats.gram import EXP_ERROR, SMALLEST, U, rounding_growth
from bounds.large.floats.softmax_state import SoftmaxState
from bounds.large.result import Computed, Route

Array = NDArray[np.float64]

_NEGLIGIBLE = 746.0  # exp(-y) is below every float64 number from there on
_SLACK = 1 + 2.0**-20  # rounding of the bound itself
_TRUSTED = 0.1  # larger d_l: only the range of the values is certain


@dataclass(frozen=True, eq=False)
class _Perturbation:
    """By query: ``weight`` >= sum_l p_l |d_l| |v_l - o|/(max v - min v), ``largest`` >= |d_l|.

    ``condition``: how much d_l grows with the relative error of a score.
    """

    weight: Array
    largest: Array
    condition: Array


def result(state: SoftmaxState) -> Computed:
    """The weighted means (nq x dv) over the tokens seen, with their error.

    ``condition`` is 1 + the largest |q| |k| rate (softmax) or mean |s_l| (Nadaraya-Watson):
    relative errors of scores move a result by at most so many times the range of the values.

    Raises:
        UndefinedError: when no token was seen, or values overflow.
    """
    if not state.count:
        raise UndefinedError("the mean over no tokens; extend the state first")
    mass = state.total[:, -1:]
    with np.errstate(over="ignore", invalid="ignore"):
        value = state.total[:, :-1] / mass
        size = np.maximum(np.abs(state.low), np.abs(state.high))
        spread = state.high - state.low
    found = _perturbation(state)
    unit = max(state.unit, state.queries.unit)
    growth = rounding_growth(state.depth + 8) + 2 * U * state.rescaled
    with np.errstate(over="ignore", invalid="ignore"):
        rounding = np.outer(2 * growth, size) + 4 * SMALLEST * state.count * (1 + size)
        weights = np.exp(2 * np.minimum(found.largest, 1.0)) * found.weight
        weights = np.where(found.largest <= _TRUSTED, np.minimum(weights, 1.0), 1.0)
        error = np.outer(weights, spread) + rounding + 2 * state.unit * size
    condition = 1 + float(found.condition.max())
    backward = rounding_growth(state.depth + state.queries.columns + 16)
    backward += float(state.rescaled.max()) * 6 * U
    return Computed(value, error * _SLACK, Route.ONLINE_SOFTMAX, condition, backward, unit)


def _perturbation(state: SoftmaxState) -> _Perturbation:
    norms = _norms(state.queries.array)
    exponential = EXP_ERROR * (1 + state.rescaled)
    tail, y = _concentration(state, exponential)
    if isinstance(state.kernel, ExponentialKernel):
        constant, condition = _dot_scores(state, norms)
        mean = largest = np.zeros(len(y))
    else:
        constant, mean, largest, condition = _distance_scores(state, norms, y)
    constant = constant + exponential
    mean, largest = mean + 2 * U * y, largest + 2 * U * _NEGLIGIBLE
    weight = constant * np.minimum(0.5, 2 * tail) + mean
    return _Perturbation(weight, constant + largest, condition)


def _concentration(state: SoftmaxState, exponential: Array) -> tuple[Array, Array]:
    """Bounds of 1 - max_l p_l and of the mean of y_l, from the sum of weights."""
    mass = state.total[:, -1]
    error = exponential + rounding_growth(state.depth) + U * (2 * _NEGLIGIBLE + state.rescaled)
    tail = np.minimum(np.maximum(mass - 1, 0.0) / mass + error, 1.0)
    n = np.log(state.count)
    entropy = np.minimum(n, tail * (1 - np.log(tail) + n))
    return tail, np.maximum(entropy - np.log(mass) + 2 * error + 16 * U * (1 + n), 0.0)


def _dot_scores(state: SoftmaxState, norms: Array) -> tuple[Array, Array]:
    """The constant part of d_l, and the condition."""
    dk, unit = state.queries.columns, max(state.unit, state.queries.unit)
    scores = norms * state.largest_key * state.rate
    underflow = SMALLEST * (dk + 4) * (1 + state.largest_key)
    relative = rounding_growth(dk + 4) + unit * (2 + unit)
    return relative * scores + underflow, scores


def _distance_scores(
    state: SoftmaxState, norms: Array, y: Array
) -> tuple[Array, Array, Array, Array]:
    """The constant part of d_l, the mean and the largest of what grows with y_l, the condition.

    With |s_l| = y_l + |m|: gamma |s_l| by rounding; inputs known to a unit move |q - k_l| by
    h = unit (|q| + |k_l|), hence s_l by rate (2 h |q - k_l| + h^2), where the mean of
    |q - k_l| = (|s_l|/rate)^(1/2) is at most the root of the mean (Jensen).
    """
    per, gamma = state.rate, rounding_growth(state.queries.columns + 6)
    nearest = np.abs(state.shift)
    constant = gamma * nearest + SMALLEST * (state.queries.columns + 8) * (1 + per)
    mean, largest = gamma * y, np.full(len(y), gamma * _NEGLIGIBLE)
    unit = max(state.unit, state.queries.unit)
    if unit:
        h = unit * (norms + state.largest_key)
        mean = mean + per * (2 * h * np.sqrt((y + nearest) / per) + h * h)
        furthest = np.sqrt((_NEGLIGIBLE + nearest) / per)
        largest = largest + per * (2 * h * furthest + h * h)
    return constant, mean, largest, nearest + y


def _norms(points: Array) -> Array:
    """|q| of every row, rounded up, without overflow."""
    scale = np.abs(points).max(axis=1)
    safe = np.where(scale > 0, scale, 1.0)
    norms = safe * np.linalg.norm(points / safe[:, None], axis=1) * (1 + points.shape[1] * 2.0**-50)
    return np.asarray(np.where(scale > 0, norms, 0.0))
