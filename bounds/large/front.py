"""The one door to exact quantities at real sizes: it picks the route, or takes the one asked for.

    predictive(model, keys, values, queries)         law of z phi(q): mean (CME attention), variance
    posterior(model, keys, values)                   law of z: mean and covariance
    cme_attention(keys, values, queries, ...)        the mean alone, from kernel and lam
    softmax_attention(keys, values, queries, ...)    V^T softmax(K q/gamma)
    nadaraya_watson(keys, values, queries, ...)      weights exp(-|q - k|^2/(2 gamma))

Tokens are rows: keys L x dk, values L x dv, queries nq x dk, outputs nq x dv. In place of arrays
keys and values may be memory maps or paths of .npy files, or keys alone an iterable of (keys,
values) blocks; such tokens are streamed. Formulas: arXiv:2212.14852 (I1-I3, I10).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bounds.attention.kernels import ExponentialKernel, GaussianKernel, Kernel, positive
from bounds.errors import ParameterError, ShapeError
from bounds.large.choice import (
    best_by_features,
    by_cholesky,
    by_qr,
    fits_features,
    refuse,
    require_features,
)
from bounds.large.enclosed import feature_balls, rationals
from bounds.large.enclosed.exact_moments import ExactMoments, exact_moments
from bounds.large.enclosed.kernel_balls import kernel_balls
from bounds.large.enclosed.kernel_residual import kernel_residual
from bounds.large.enclosed.softmax import enclosed_softmax
from bounds.large.floats.feature_ridge import FeaturePosterior
from bounds.large.floats.kernel_ridge import kernel_cholesky
from bounds.large.floats.online_softmax import online_softmax
from bounds.large.floats.streaming import PosteriorStream, posterior_stream
from bounds.large.inputs import Input, matrix_input
from bounds.large.problem import Predictive, Problem, problem, query_input
from bounds.large.result import Computed, Route, as_route
from bounds.large.source import BLOCK, Matrix, Pairs, Progress, Tokens, no_progress, tokens
from bounds.models.linear_gaussian import LinearGaussian


@dataclass(frozen=True, eq=False)
class Posterior:
    """z given the tokens: each row of z is N(row of ``mean``, ``covariance``).

    ``mean`` is zbar = V^T Phi A^-1 (dv x dphi), ``covariance`` is sigma^2 A^-1 (dphi x dphi).
    """

    mean: Computed
    covariance: Computed


def predictive(
    model: LinearGaussian,
    keys: Matrix | Pairs,
    values: Matrix | None,
    queries: ArrayLike,
    *,
    route: str | Route | None = None,
    block: int = BLOCK,
    on_progress: Progress = no_progress,
) -> Predictive:
    """The law of z phi(q) given the tokens, at each query.

    Without ``route``: tokens that are streamed, or whose features would not fit in memory, take
    streaming-qr; kernels without finite features, and more features than tokens, kernel-cholesky;
    the others feature-cholesky while the condition of A is at most 100, and feature-qr above.

    Args:
        route: a name of :class:`~bounds.large.result.Route`; those that prove their errors are
            feature-balls, kernel-residual, kernel-balls and rational.
        block, on_progress: for streamed tokens, as in :func:`bounds.large.source.tokens`.

    >>> import numpy as np
    >>> found = predictive(LinearGaussian(1, "1/4"), np.eye(2), np.ones((2, 1)), [[1.0, 1.0]])
    >>> found.mean.value.round(12), str(found.mean.route)
    (array([[1.6]]), 'feature-cholesky')

    Raises:
        ShapeError, ParameterError: naming the array or parameter at fault, or a route that does
            not exist or cannot do this.
        SingularSystemError: float64 cannot bound the error; names lam, condition and remedy.
        TooLargeError: an array will not fit in memory; names its size and the alternative.
    """
    source = _Source(keys, values, block, on_progress)
    chosen = as_route(route)
    if chosen in _FROM_BLOCKS or (chosen is None and source.streamed):
        asked = matrix_input("queries", queries)
        return _FROM_BLOCKS[chosen or Route.STREAMING_QR](model, source.tokens(), asked)
    if chosen is not None and chosen not in _FROM_ARRAYS:
        refuse(chosen, (*_FROM_ARRAYS, *_FROM_BLOCKS))
    given = problem(model, *source.arrays(chosen))
    asked = query_input(given, queries)
    if chosen is not None:
        return _FROM_ARRAYS[chosen](given, asked)
    fits = fits_features(model, given.L, given.keys.columns)
    if fits is None:
        return kernel_cholesky(given, asked)
    if not fits:
        return _by_stream(model, source.tokens(), asked)
    return best_by_features(given).predictive(asked)


def posterior(
    model: LinearGaussian,
    keys: Matrix | Pairs,
    values: Matrix | None = None,
    *,
    route: str | Route | None = None,
    block: int = BLOCK,
    on_progress: Progress = no_progress,
) -> Posterior:
    """The law of z given the tokens; the kernel must have finite features.

    Without ``route``: streaming-qr for tokens that are streamed or whose features would not fit in
    memory, else feature-cholesky or feature-qr as in :func:`predictive`. feature-balls and rational
    prove their errors.

    Raises:
        As :func:`predictive` does.
    """
    source = _Source(keys, values, block, on_progress)
    chosen = as_route(route)
    if chosen in _MOMENT_ROUTES:
        exact = _MOMENT_ROUTES[chosen]
        moments = _moments(model, source.tokens())
        return Posterior(
            exact.posterior_mean(moments, model), exact.posterior_covariance(moments, model)
        )
    if chosen is Route.STREAMING_QR or (chosen is None and source.streamed):
        return _law(_stream(model, source.tokens()).posterior())
    if chosen is not None and chosen not in _POSTERIORS:
        refuse(chosen, (*_POSTERIORS, Route.STREAMING_QR, *_MOMENT_ROUTES))
    given = problem(model, *source.arrays(chosen))
    require_features(model, given.keys.columns, chosen or Route.FEATURE_QR)
    if chosen is not None:
        return _law(_POSTERIORS[chosen](given))
    if fits_features(model, given.L, given.keys.columns) is False:
        return _law(_stream(model, source.tokens()).posterior())
    return _law(best_by_features(given))


def cme_attention(
    keys: Matrix | Pairs,
    values: Matrix | None,
    queries: ArrayLike,
    *,
    kernel: Kernel,
    lam: object,
    route: str | Route | None = None,
    block: int = BLOCK,
    on_progress: Progress = no_progress,
) -> Computed:
    """attn_CME(q, K, V) = V^T (kernel(K,K) + lam I)^-1 kernel(K,q) at each query (nq x dv).

    It is the mean of :func:`predictive` for sigma^2 = lam, tau^2 = 1 (I1), and raises as that does.
    """
    model = LinearGaussian(positive("prior_variance", 1), positive("lam", lam), kernel)
    options: dict[str, Any] = {"route": route, "block": block, "on_progress": on_progress}
    return predictive(model, keys, values, queries, **options).mean


def softmax_attention(
    keys: Matrix | Pairs,
    values: Matrix | None,
    queries: ArrayLike,
    *,
    gamma: object,
    route: str | Route | None = None,
    block: int = BLOCK,
    on_progress: Progress = no_progress,
) -> Computed:
    """V^T softmax(K q/gamma) at each query (nq x dv), block by block over any number of tokens.

    Routes: online-softmax (chosen without ``route``), and enclosed-softmax, which proves its error.

    Raises:
        ShapeError, ParameterError, TooLargeError, UndefinedError: naming the array or parameter.
    """
    kernel = ExponentialKernel(positive("gamma", gamma))
    return _weighted(kernel, _Source(keys, values, block, on_progress), queries, as_route(route))


def nadaraya_watson(
    keys: Matrix | Pairs,
    values: Matrix | None,
    queries: ArrayLike,
    *,
    gamma: object,
    route: str | Route | None = None,
    block: int = BLOCK,
    on_progress: Progress = no_progress,
) -> Computed:
    """The mean of the values with weights exp(-|q - k|^2/(2 gamma)) (I10); else as softmax."""
    kernel = GaussianKernel(positive("gamma", gamma))
    return _weighted(kernel, _Source(keys, values, block, on_progress), queries, as_route(route))


@dataclass(frozen=True, eq=False)
class _Source:
    """The tokens as the caller gave them."""

    keys: Any
    values: Any
    block: int
    on_progress: Progress

    @property
    def streamed(self) -> bool:
        """Whether the tokens are not held in memory."""
        given = (self.keys, self.values)
        held = all(hasattr(x, "__array__") or isinstance(x, (list, tuple)) for x in given)
        return not held or any(isinstance(x, np.memmap) for x in given)

    def tokens(self) -> Tokens:
        if isinstance(self.keys, Tokens):
            return self.keys
        return tokens(self.keys, self.values, block=self.block, on_progress=self.on_progress)

    def arrays(self, route: Route | None) -> tuple[Any, Any]:
        """The two arrays, for a route that holds all tokens at once; files are read."""
        source = self.tokens()
        if source.held is None:
            remedy = "holds all tokens at once; give keys and values as arrays or files"
            raise ParameterError("route", str(route), remedy)
        return source.held


def _weighted(
    kernel: ExponentialKernel | GaussianKernel,
    source: _Source,
    queries: ArrayLike,
    chosen: Route | None,
) -> Computed:
    if chosen is None or chosen is Route.ONLINE_SOFTMAX:
        return online_softmax(kernel, queries, source.tokens())
    if chosen is Route.ENCLOSED_SOFTMAX:
        return enclosed_softmax(kernel, source.tokens(), queries)
    return refuse(chosen, (Route.ONLINE_SOFTMAX, Route.ENCLOSED_SOFTMAX))


def _stream(model: LinearGaussian, source: Tokens) -> PosteriorStream:
    found: PosteriorStream | None = None
    for block in source:
        if found is None:
            found = posterior_stream(model, block.keys.shape[1], block.values.shape[1])
        found = found.extended_by((block,))
    if found is None:
        raise ShapeError("keys", "no tokens", "must hold at least one token")
    return found


def _moments(model: LinearGaussian, source: Tokens) -> ExactMoments:
    return exact_moments(model.kernel, source)


def _law(found: FeaturePosterior) -> Posterior:
    return Posterior(found.mean, found.covariance)


def _by_stream(model: LinearGaussian, source: Tokens, queries: Input) -> Predictive:
    return _stream(model, source).posterior().predictive(queries)


def _by_balls(model: LinearGaussian, source: Tokens, queries: Input) -> Predictive:
    return feature_balls.predictive(_moments(model, source), model, queries)


def _by_features(
    found: Callable[[Problem], FeaturePosterior], route: Route
) -> Callable[[Problem, Input], Predictive]:
    def law(given: Problem, queries: Input) -> Predictive:
        require_features(given.model, given.keys.columns, route)
        return found(given).predictive(queries)

    return law


_POSTERIORS: Mapping[Route, Callable[[Problem], FeaturePosterior]] = MappingProxyType(
    {Route.FEATURE_QR: by_qr, Route.FEATURE_CHOLESKY: by_cholesky}
)
_MOMENT_ROUTES: Mapping[Route | None, Any] = MappingProxyType(
    {Route.FEATURE_BALLS: feature_balls, Route.RATIONAL: rationals}
)
_FROM_ARRAYS: Mapping[Route, Callable[[Problem, Input], Predictive]] = MappingProxyType(
    {
        **{route: _by_features(found, route) for route, found in _POSTERIORS.items()},
        Route.KERNEL_CHOLESKY: kernel_cholesky,
        Route.KERNEL_RESIDUAL: lambda given, queries: kernel_residual(given, queries.array),
        Route.KERNEL_BALLS: lambda given, queries: kernel_balls(given, queries.array),
        Route.RATIONAL: rationals.predictive,
    }
)
_FROM_BLOCKS: Mapping[Route | None, Callable[[LinearGaussian, Tokens, Input], Predictive]] = (
    MappingProxyType({Route.STREAMING_QR: _by_stream, Route.FEATURE_BALLS: _by_balls})
)
