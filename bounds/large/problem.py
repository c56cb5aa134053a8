"""A linear-Gaussian model with tokens held in arrays, and the law it predicts."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from bounds.errors import ShapeError
from bounds.large.inputs import Input, matrix_input, require_same_rows
from bounds.large.result import Computed
from bounds.models.linear_gaussian import LinearGaussian


@dataclass(frozen=True, eq=False)
class Problem:
    """Model, keys (L x dk) and values (L x dv) of a posterior; built by :func:`problem`."""

    model: LinearGaussian
    keys: Input
    values: Input

    @property
    def L(self) -> int:
        """The number of tokens."""
        return self.keys.rows

    @property
    def input_unit(self) -> float:
        """The relative uncertainty of the least precise input."""
        return max(self.keys.unit, self.values.unit)


@dataclass(frozen=True, eq=False)
class Predictive:
    """The law of z phi(q) given the tokens, for each query q (I1, I2; arXiv:2212.14852).

    ``mean`` is nq x dv: row i is attn_CME(q_i, K, V). ``variance``, of length nq, is that of every
    entry of z phi(q_i); a new value v at q_i adds sigma^2.
    """

    mean: Computed
    variance: Computed

    def __post_init__(self) -> None:
        if self.variance.shape != self.mean.shape[:1]:
            shapes = f"{self.mean.shape} and {self.variance.shape}"
            raise ShapeError("mean, variance", shapes, "need one row a query each")


def problem(model: LinearGaussian, keys: ArrayLike, values: ArrayLike) -> Problem:
    """The problem of a model and its tokens.

    Raises:
        ShapeError, ParameterError: naming the array that is empty, ragged, not finite, of another
            number of tokens, or not of real numbers.
    """
    K, V = matrix_input("keys", keys), matrix_input("values", values)
    require_same_rows(K, V)
    return Problem(model, K, V)


def query_input(given: Problem, queries: ArrayLike) -> Input:
    """The queries (nq x dk), checked against the keys."""
    return matrix_input("queries", queries, columns=given.keys.columns)
