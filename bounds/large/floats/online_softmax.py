r"""Softmax attention and Nadaraya-Watson over tokens that arrive in blocks, in little memory.

.. math:: \mathrm{attn}(q, K, V) = \frac{\sum_l \kappa(q, k_l)\, v_l}{\sum_l \kappa(q, k_l)},

with :math:`\kappa(q, k) = \exp(q \cdot k/\gamma)` for softmax attention (I12) and
:math:`\exp(-|q - k|^2/(2\gamma))` for Nadaraya-Watson. The online rule:
:mod:`bounds.large.floats.softmax_state`; the error: :mod:`bounds.large.floats.softmax_error`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from bounds.attention.kernels import ExponentialKernel, GaussianKernel
from bounds.errors import CheckpointError, ParameterError, ShapeError
from bounds.large.checkpoint import Checkpoint, load, save
from bounds.large.floats.softmax_error import result
from bounds.large.floats.softmax_state import SoftmaxState, Weighting, no_tokens
from bounds.large.inputs import Array, Input, matrix_input, require_same_rows
from bounds.large.memory import require_memory
from bounds.large.result import Computed
from bounds.large.source import Block

_KIND = "softmax"
_ARRAYS = ("shift", "total", "rescaled", "low", "high")
_NUMBERS = ("count", "unit", "depth", "largest_key")


@dataclass(frozen=True, eq=False)
class SoftmaxStream:
    """The tokens met so far; frozen, so every step gives a new one.

    >>> import numpy as np
    >>> stream = softmax_stream(ExponentialKernel(1), np.zeros((1, 2)), dv=1)
    >>> stream = stream.extended(np.eye(2), np.array([[1.0], [3.0]]))
    >>> stream.result().value
    array([[2.]])
    """

    state: SoftmaxState

    @property
    def count(self) -> int:
        """The number of tokens met."""
        return self.state.count

    def extended(self, keys: ArrayLike, values: ArrayLike) -> SoftmaxStream:
        """With the tokens of one block: keys b x dk, values b x dv.

        Raises:
            ShapeError, ParameterError: naming the array that does not fit or is not finite, or the
                temperature or bandwidth for which scores may overflow.
        """
        K = matrix_input("keys", keys, columns=self.state.queries.columns)
        V = matrix_input("values", values, columns=self.state.dv)
        require_same_rows(K, V)
        block = Block(K.array, V.array, self.count, max(K.unit, V.unit))
        return replace(self, state=self.state.with_block(block))

    def extended_by(self, blocks: Iterable[Block]) -> SoftmaxStream:
        """With all tokens of a source, see :func:`bounds.large.source.tokens`.

        Raises:
            ShapeError, ParameterError: as reading the source and :meth:`extended` do.
        """
        state, room = self.state, self.state.room()
        for block in blocks:
            _require_widths(state, block)
            state = state.with_block(block, room)
        return replace(self, state=state)

    def merged(self, other: SoftmaxStream) -> SoftmaxStream:
        """With the tokens of another stream of the same kernel and queries: two shards of one mean.

        Raises:
            ParameterError: the other stream has another kernel, other queries or another dv.
        """
        mine, theirs = _identity(self.state), _identity(other.state)
        for name, value in mine.items():
            if theirs[name] != value:
                raise ParameterError(f"other: {name}", theirs[name], f"must be {value}, as here")
        return replace(self, state=self.state.merged(other.state))

    def result(self) -> Computed:
        """The weighted means at the queries (nq x dv), with their error.

        Raises:
            ShapeError: no tokens were met.
            UndefinedError: the sums overflow.
        """
        if self.count == 0:
            raise ShapeError("keys", "no tokens", "must hold at least one token")
        return result(self.state)

    def save(self, path: str | PathLike[str]) -> None:
        """Keep the state in a file, replaced as a whole; CheckpointError when it cannot be."""
        if self.count == 0:
            raise CheckpointError(str(path), "would hold no tokens; extend the stream first")
        arrays = {name: getattr(self.state, name) for name in _ARRAYS}
        numbers = {name: getattr(self.state, name) for name in _NUMBERS}
        save(Path(path), Checkpoint(_KIND, {**_identity(self.state), **numbers}, arrays))

    def resumed(self, path: str | PathLike[str]) -> SoftmaxStream:
        """The stream kept in a file, for the kernel and the queries of this (empty) one.

        Raises:
            CheckpointError: no checkpoint of this problem is there, or it is damaged.
            ParameterError: this stream has met tokens already; merge instead.
        """
        if self.count:
            raise ParameterError("count", self.count, "resume from an empty stream, then merge")
        found = load(Path(path), _KIND, _identity(self.state))
        return replace(self, state=_state(str(path), found, self.state))


def softmax_stream(kernel: Weighting, queries: ArrayLike | Input, dv: int) -> SoftmaxStream:
    """The stream that has met no tokens, for queries (nq x dk) and values of dv columns.

    Args:
        kernel: ExponentialKernel(temperature) for softmax attention, GaussianKernel(bandwidth) for
            Nadaraya-Watson.

    Raises:
        ParameterError: the kernel is neither, its parameter is outside float64, a query is not
            finite, or dv is no positive whole number.
        ShapeError: the queries are no matrix.
        TooLargeError: nq x dv numbers will not fit in memory.
    """
    if not isinstance(kernel, (ExponentialKernel, GaussianKernel)):
        remedy = "must be ExponentialKernel(temperature) or GaussianKernel(bandwidth)"
        raise ParameterError("kernel", repr(kernel), remedy)
    if isinstance(dv, bool) or not isinstance(dv, int) or dv < 1:
        raise ParameterError("dv", dv, "must be a whole number, at least 1")
    Q = queries if isinstance(queries, Input) else matrix_input("queries", queries)
    sums = f"the sums of nq = {Q.rows} queries"
    require_memory(sums, 48 * Q.rows * (dv + 1), "take fewer queries at a time")
    return SoftmaxStream(no_tokens(kernel, Q, dv))


def online_softmax(
    kernel: Weighting, queries: ArrayLike | Input, blocks: Iterable[Block]
) -> Computed:
    """The weighted means at the queries (nq x dv) over all tokens of a source.

    Raises:
        ShapeError, ParameterError, TooLargeError, UndefinedError: as :class:`SoftmaxStream` does.
    """
    blocks = iter(blocks)
    first = next(blocks, None)
    if first is None:
        raise ShapeError("keys", "no tokens", "must hold at least one token")
    stream = softmax_stream(kernel, queries, first.values.shape[1])
    return stream.extended_by(chain((first,), blocks)).result()


def _require_widths(state: SoftmaxState, block: Block) -> None:
    widths = (block.keys.shape[1], block.values.shape[1])
    wanted = (state.queries.columns, state.dv)
    if widths != wanted:
        remedy = f"must have {wanted[0]} and {wanted[1]} columns"
        raise ShapeError("keys, values", f"{widths[0]} and {widths[1]} columns", remedy)


def _identity(state: SoftmaxState) -> dict[str, str | int | float]:
    """What two states of one computation have in common."""
    content = np.ascontiguousarray(state.queries.array).tobytes()
    return {
        "kernel": repr(state.kernel),
        "nq": state.queries.rows,
        "dk": state.queries.columns,
        "dv": state.dv,
        "queries": sha256(content).hexdigest(),
        "query_unit": state.queries.unit,
    }


def _state(path: str, found: Checkpoint, empty: SoftmaxState) -> SoftmaxState:
    shapes = {name: getattr(empty, name).shape for name in _ARRAYS}
    if {name: array.shape for name, array in found.arrays.items()} != shapes:
        raise CheckpointError(path, "holds other arrays than the sums of these queries")
    numbers = {name: found.parameters.get(name) for name in _NUMBERS}
    finite = all(np.isfinite(array).all() for array in found.arrays.values())
    if not (finite and _possible_numbers(numbers) and _possible_arrays(found.arrays)):
        raise CheckpointError(path, "holds numbers that no sums have")
    return replace(empty, **numbers, **found.arrays)  # type: ignore[arg-type]


def _possible_numbers(numbers: Mapping[str, object]) -> bool:
    whole = (numbers["count"], numbers["depth"])
    if not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in whole):
        return False
    real = (numbers["unit"], numbers["largest_key"])
    return all(isinstance(x, float) and 0 <= x < float("inf") for x in real)


def _possible_arrays(arrays: Mapping[str, Array]) -> bool:
    positive = (arrays["total"][:, -1] > 0).all() and (arrays["rescaled"] >= 0).all()
    return bool(positive and (arrays["low"] <= arrays["high"]).all())
