"""The posterior from tokens that arrive in blocks: merged, kept in a file, and resumed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from bounds.errors import CheckpointError, ParameterError, ShapeError
from bounds.large.checkpoint import Checkpoint, load, save
from bounds.large.floats.feature_ridge import FeaturePosterior, by_state
from bounds.large.floats.gram import feature_error, float_features
from bounds.large.floats.triangle import Moments, Triangle
from bounds.large.inputs import Input, matrix_input
from bounds.large.memory import require_memory
from bounds.large.problem import Predictive
from bounds.large.result import Route
from bounds.large.source import Block
from bounds.models.linear_gaussian import LinearGaussian

_KIND = "posterior"
_NUMBERS = ("count", "entry_error", "input_unit")


@dataclass(frozen=True, eq=False)
class PosteriorStream:
    """The tokens met so far, as a :class:`~bounds.large.floats.triangle.Triangle`.

    Frozen: every step gives a new one, and an old one stays what it was.

    >>> import numpy as np
    >>> from bounds.models.linear_gaussian import LinearGaussian
    >>> stream = posterior_stream(LinearGaussian(1, "1/4"), dk=2, dv=1)
    >>> stream = stream.extended(np.eye(2), np.ones((2, 1)))
    >>> stream.predictive(np.ones((1, 2))).mean.value.round(12)
    array([[1.6]])
    """

    model: LinearGaussian
    dk: int
    state: Triangle

    @property
    def count(self) -> int:
        """The number of tokens met."""
        return self.state.count

    def extended(self, keys: ArrayLike, values: ArrayLike) -> PosteriorStream:
        """With the tokens of one block: keys b x dk, values b x dv.

        Raises:
            ShapeError, ParameterError: naming the array that does not fit or is not finite.
        """
        K = matrix_input("keys", keys, columns=self.dk)
        V = matrix_input("values", values, columns=self.state.Y.shape[1])
        if K.rows != V.rows:
            rows = f"{K.rows} and {V.rows} rows"
            raise ShapeError("keys, values", rows, "need one row a token each")
        return self._with(K, V)

    def extended_by(self, blocks: Iterable[Block]) -> PosteriorStream:
        """With all tokens of a source, see :func:`bounds.large.source.tokens`.

        Raises:
            ShapeError, ParameterError: as reading the source does.
        """
        found = self
        for block in blocks:
            widths = (block.keys.shape[1], block.values.shape[1])
            if widths != (self.dk, self.state.Y.shape[1]):
                wanted = f"must have {self.dk} and {self.state.Y.shape[1]} columns"
                raise ShapeError("keys, values", f"{widths[0]} and {widths[1]} columns", wanted)
            keys = Input("keys", block.keys, block.unit)
            found = found._with(keys, Input("values", block.values, block.unit))
        return found

    def _with(self, keys: Input, values: Input) -> PosteriorStream:
        Phi = np.asarray(float_features(self.model.kernel, keys))
        error = max(feature_error(self.model.kernel, keys), values.unit)
        unit = max(keys.unit, values.unit)
        return replace(self, state=self.state.with_rows(Phi, values.array, error, unit))

    def merged(self, other: PosteriorStream) -> PosteriorStream:
        """With the tokens of another stream of the same model: two shards of one posterior.

        Raises:
            ParameterError: the other stream has another model or other dimensions.
        """
        if (self.model, self.dk) != (other.model, other.dk):
            remedy = f"must have the model and dk of this stream, {self.model} and {self.dk}"
            raise ParameterError("other", (other.model, other.dk), remedy)
        return replace(self, state=self.state.merged(other.state))

    def posterior(self) -> FeaturePosterior:
        """The posterior of z given the tokens met.

        Raises:
            ShapeError: there are none.
            SingularSystemError: lam is too small for float64.
        """
        if self.count == 0:
            raise ShapeError("keys", "no tokens", "must hold at least one token")
        return by_state(self.model, self.state, Route.STREAMING_QR)

    def predictive(self, queries: ArrayLike) -> Predictive:
        """The law of z phi(q) at the queries (nq x dk), given the tokens met."""
        return self.posterior().predictive(matrix_input("queries", queries, columns=self.dk))

    def save(self, path: str | PathLike[str]) -> None:
        """Keep the state in a file, replaced as a whole; CheckpointError when it cannot be."""
        m, state = self.state.moments, self.state
        arrays = {
            "R": np.asarray(state.R),
            "Y": state.Y,
            "second": m.second,
            "second_low": m.second_low,
            "cross": m.cross,
            "cross_low": m.cross_low,
            "value_squares": m.value_squares,
        }
        numbers = {name: getattr(state, name) for name in _NUMBERS}
        save(Path(path), Checkpoint(_KIND, {**_identity(self), **numbers}, arrays))

    def resumed(self, path: str | PathLike[str]) -> PosteriorStream:
        """The stream kept in a file, for the model and the dimensions of this (empty) one.

        Raises:
            CheckpointError: no checkpoint of this model is there, or it is damaged.
            ParameterError: this stream has met tokens already; merge instead.
        """
        if self.count:
            raise ParameterError("count", self.count, "resume from an empty stream, then merge")
        found = load(Path(path), _KIND, _identity(self))
        return replace(self, state=_state(path, found, self.state))


def posterior_stream(model: LinearGaussian, dk: int, dv: int) -> PosteriorStream:
    """The stream that has met no tokens.

    Raises:
        ParameterError: a dimension is no positive whole number, or the kernel has no finite
            features (then there are no sufficient statistics of fixed size).
        TooLargeError: dphi^2 numbers will not fit in memory.
    """
    for name, size in (("dk", dk), ("dv", dv)):
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ParameterError(name, size, "must be a whole number, at least 1")
    dphi = model.kernel.feature_dimension(dk)
    if dphi is None:
        remedy = "has no finite features, so its tokens cannot be streamed; use kernel-cholesky"
        raise ParameterError("kernel", model.kernel, remedy)
    alternative = "use fewer features, or a kernel route for few tokens"
    require_memory(f"the triangle of dphi = {dphi} features", 40 * dphi * (dphi + dv), alternative)
    return PosteriorStream(model, dk, Triangle.empty(dphi, dv))


def _identity(stream: PosteriorStream) -> dict[str, str | int]:
    """What two states of one computation have in common."""
    model = stream.model
    return {
        "prior_variance": str(model.prior_variance),
        "noise_variance": str(model.noise_variance),
        "kernel": repr(model.kernel),
        "dk": stream.dk,
        "dv": int(stream.state.Y.shape[1]),
    }


def _state(path: str | PathLike[str], found: Checkpoint, empty: Triangle) -> Triangle:
    dphi, dv = empty.Y.shape
    square, wide = (dphi, dphi), (dphi, dv)
    shapes = {
        "R": square, "Y": wide, "second": square, "second_low": square, "cross": wide,
        "cross_low": wide, "value_squares": (dv,),
    }  # fmt: skip
    arrays = dict(found.arrays)
    if {name: array.shape for name, array in arrays.items()} != shapes:
        raise CheckpointError(str(path), "holds other arrays than a posterior of this size")
    numbers = [found.parameters.get(name) for name in _NUMBERS]
    count, entry_error, input_unit = numbers
    fine = isinstance(count, int) and count > 0
    fine = fine and all(isinstance(x, float) and 0 <= x < 1 for x in (entry_error, input_unit))
    if not fine or not all(np.isfinite(array).all() for array in arrays.values()):
        raise CheckpointError(str(path), "holds numbers that no posterior has")
    R, Y = (np.asfortranarray(arrays.pop(name)) for name in ("R", "Y"))
    return Triangle(R, Y, Moments(**arrays), count, entry_error, input_unit)  # type: ignore[arg-type]
