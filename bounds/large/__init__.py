"""Exact quantities at real sizes: float64 with a bound on the error, and enclosures that prove it.

The routes: :class:`bounds.large.result.Route`. Tokens are rows: keys L x dk, values L x dv, queries
nq x dk; outputs nq x dv.

>>> import numpy as np
>>> from bounds.large import softmax_attention
>>> found = softmax_attention(np.eye(2), np.array([[0.0], [1.0]]), [[0.0, 0.0]], gamma=1)
>>> found.value
array([[0.5]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bounds.large.floats.online_softmax import SoftmaxStream, softmax_stream
    from bounds.large.floats.streaming import PosteriorStream, posterior_stream
    from bounds.large.front import (
        Posterior,
        cme_attention,
        nadaraya_watson,
        posterior,
        predictive,
        softmax_attention,
    )
    from bounds.large.problem import Predictive
    from bounds.large.result import Computed, Route
    from bounds.large.source import Tokens, tokens

_HOME = {
    "Computed": "bounds.large.result",
    "Posterior": "bounds.large.front",
    "PosteriorStream": "bounds.large.floats.streaming",
    "Predictive": "bounds.large.problem",
    "Route": "bounds.large.result",
    "SoftmaxStream": "bounds.large.floats.online_softmax",
    "Tokens": "bounds.large.source",
    "cme_attention": "bounds.large.front",
    "nadaraya_watson": "bounds.large.front",
    "posterior": "bounds.large.front",
    "posterior_stream": "bounds.large.floats.streaming",
    "predictive": "bounds.large.front",
    "softmax_attention": "bounds.large.front",
    "softmax_stream": "bounds.large.floats.online_softmax",
    "tokens": "bounds.large.source",
}
__all__ = [
    "Computed",
    "Posterior",
    "PosteriorStream",
    "Predictive",
    "Route",
    "SoftmaxStream",
    "Tokens",
    "cme_attention",
    "nadaraya_watson",
    "posterior",
    "posterior_stream",
    "predictive",
    "softmax_attention",
    "softmax_stream",
    "tokens",
]


def __getattr__(name: str) -> Any:
    """Import on first use: each route needs only its own part."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """The names above, imported or not."""
    return __all__
