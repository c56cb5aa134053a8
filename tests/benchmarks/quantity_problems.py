"""The problems of the comparison at real sizes, by seed, and their answers to high accuracy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Problem:
    """``kind`` names the tools that can solve it; ``make(L)`` gives their arguments.

    ``size`` is the L at which time and memory are measured, ``accuracy_size`` the one at which the
    answers are compared with the true ones.
    """

    kind: str
    title: str
    size: int
    accuracy_size: int
    make: Callable[[int], tuple[Any, ...]]


def graded_features(condition: float, *, rotated: bool) -> Callable[[int], tuple[Any, ...]]:
    """64 features with singular values from 1 to condition^(-1/2), values from a true z."""

    def make(L: int) -> tuple[Any, ...]:
        rng = np.random.default_rng(1)
        Phi = rng.normal(size=(L, 64)) / np.sqrt(L)
        scales = np.geomspace(1.0, condition**-0.5, 64)
        turn = np.linalg.qr(rng.normal(size=(64, 64)))[0] if rotated else np.eye(64)
        Phi = np.ascontiguousarray(Phi * scales @ turn)
        queries = rng.normal(size=(100, 64)) * scales @ turn
        V = Phi @ rng.normal(size=(64, 16)) + 1e-3 * rng.normal(size=(L, 16))
        return Phi, V, queries, 1.0 / condition

    return make


def small_ridge(L: int) -> tuple[Any, ...]:
    """64 independent features; the condition of Phi Phi^T + lam I is 1e12."""
    rng = np.random.default_rng(2)
    Phi, queries = rng.normal(size=(L, 64)), rng.normal(size=(100, 64))
    V = Phi @ rng.normal(size=(64, 16)) + rng.normal(size=(L, 16))
    return Phi, V, queries, L * 1e-12


def gaussian_kernel(lam: float, offset: float) -> Callable[[int], tuple[Any, ...]]:
    """Keys N(0, I) in R^16, moved by ``offset``, bandwidth 16."""

    def make(L: int) -> tuple[Any, ...]:
        rng = np.random.default_rng(3)
        K, queries = rng.normal(size=(L, 16)), rng.normal(size=(100, 16))
        V = np.sin(K @ rng.normal(size=(16, 16))) + 0.1 * rng.normal(size=(L, 16))
        return K + offset, V, queries + offset, lam, 16.0

    return make


def attention(largest_score: float) -> Callable[[int], tuple[Any, ...]]:
    """Keys N(0, I) in R^16, scores up to about ``largest_score``."""

    def make(L: int) -> tuple[Any, ...]:
        rng = np.random.default_rng(4)
        K, queries = rng.normal(size=(L, 16)), rng.normal(size=(100, 16))
        V = rng.normal(size=(L, 16))
        return K, V, queries, float(np.abs(queries @ K[:1000].T).max() / largest_score)

    return make


PROBLEMS: Mapping[str, Problem] = {
    "features": Problem(
        "features", "64 features, condition of K + lam I 1e12", 20_000, 20_000, small_ridge
    ),
    "features, graded": Problem(
        "features",
        "64 features, condition of A 1e12, graded columns",
        20_000,
        20_000,
        graded_features(1e12, rotated=False),
    ),
    "features, rotated": Problem(
        "features",
        "64 features, condition of A 1e12, no column stands out",
        20_000,
        20_000,
        graded_features(1e12, rotated=True),
    ),
    "kernel": Problem(
        "kernel", "Gaussian kernel, lam = 1e-2", 5_000, 400, gaussian_kernel(1e-2, 0.0)
    ),
    "kernel, offset": Problem(
        "kernel",
        "Gaussian kernel, lam = 1e-6, keys moved by 1e4",
        5_000,
        400,
        gaussian_kernel(1e-6, 1e4),
    ),
    "softmax": Problem("softmax", "scores up to 10", 1_000_000, 400, attention(10.0)),
    "softmax, sharp": Problem("softmax", "scores up to 1000", 1_000_000, 400, attention(1e3)),
}


def truth(kind: str, arguments: tuple[Any, ...]) -> tuple[Array, Array | None]:
    """The answers by a route that encloses them far below float64."""
    if kind == "softmax":
        return _softmax_in_balls(*arguments), None
    from bounds.attention.kernels import GaussianKernel, LinearKernel
    from bounds.large import predictive
    from bounds.models.linear_gaussian import LinearGaussian

    K, V, queries, lam, *bandwidth = arguments
    kernel = GaussianKernel(*bandwidth) if bandwidth else LinearKernel()
    route = "kernel-balls" if bandwidth else "feature-balls"
    found = predictive(LinearGaussian(1, lam, kernel), K, V, queries, route=route)
    return found.mean.value, found.variance.value


def _softmax_in_balls(K: Array, V: Array, queries: Array, gamma: float) -> Array:
    from fractions import Fraction

    from bounds.arithmetic.balls import BallField
    from bounds.attention.softmax import softmax_attention
    from bounds.large.enclosed.kernel_balls import ball_matrix

    field = BallField(192)
    with field.context():
        keys, values = ball_matrix(K), ball_matrix(V)
        rate = field.number(Fraction(gamma))
        columns = [
            softmax_attention(field, keys, values, ball_matrix(q[:, None]), rate) for q in queries
        ]
        return np.array([[float(x.mid()) for x in column.entries()] for column in columns])
