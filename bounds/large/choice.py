"""Which route computes the posterior when the caller leaves it open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

import numpy as np

from bounds.errors import ParameterError, SingularSystemError
from bounds.large.floats.feature_ridge import FeaturePosterior, by_state, by_tokens
from bounds.large.floats.gram import feature_error, float_features
from bounds.large.floats.triangle import Triangle
from bounds.large.memory import available_memory
from bounds.large.problem import Problem
from bounds.large.result import Route
from bounds.models.linear_gaussian import LinearGaussian

# Cholesky squares the condition of [Phi; lam^(1/2) I]; up to here it is as accurate as QR.
CHOLESKY_CONDITION = 100.0


def fits_features(model: LinearGaussian, L: int, dk: int) -> bool | None:
    """Whether Phi fits in memory; None when the kernel has no finite features, or more than L."""
    dphi = model.kernel.feature_dimension(dk)
    if dphi is None or dphi > L:
        return None
    available = available_memory()
    return available is None or 16 * L * dphi <= available


def best_by_features(given: Problem) -> FeaturePosterior:
    """By Cholesky while the condition of A is at most 100, else by QR.

    Raises:
        SingularSystemError, ParameterError: as by_tokens of
            :mod:`bounds.large.floats.feature_ridge` does.
    """
    try:
        found = by_cholesky(given)
    except SingularSystemError:
        return by_qr(given)
    return found if found.condition <= CHOLESKY_CONDITION else by_qr(given)


def by_cholesky(given: Problem) -> FeaturePosterior:
    """The posterior by the Cholesky factor of Phi^T Phi + lam I."""
    kernel, keys, values = given.model.kernel, given.keys, given.values
    Phi = np.asarray(float_features(kernel, keys))
    error = max(feature_error(kernel, keys), values.unit)
    empty = Triangle.empty(Phi.shape[1], values.columns, reflect=False)
    state = empty.with_rows(Phi, values.array, error, given.input_unit)
    return by_state(given.model, state, Route.FEATURE_CHOLESKY)


def by_qr(given: Problem) -> FeaturePosterior:
    """The posterior by QR of [Phi; lam^(1/2) I]."""
    return by_tokens(given.model, given.keys, given.values)


def require_features(model: LinearGaussian, dk: int, route: Route) -> None:
    """ParameterError when a route needs finite features and the kernel has none."""
    if model.kernel.feature_dimension(dk) is None:
        remedy = f"{model.kernel} has no finite features; take a kernel route"
        raise ParameterError("route", str(route), remedy)


def refuse(route: Route, possible: Iterable[Route | None]) -> NoReturn:
    """ParameterError for a route that cannot do what is asked; names those that can."""
    names = ", ".join(str(name) for name in possible)
    raise ParameterError("route", str(route), f"must be one of {names} here")
