"""Weighted means over tokens by the online rule: softmax attention and Nadaraya-Watson.

For weights kernel(q, k_l) = exp(s_l), the mean sum_l exp(s_l) v_l / sum_l exp(s_l) is kept as

    m = max_l s_l,   sum_l exp(s_l - m) [v_l, 1],

and when a block raises m, the sums so far are scaled by exp(m_old - m_new). No exponential
overflows, and memory holds the sums (nq x (dv + 1)) and one tile of scores.
Source: Milakov and Gimelshein, arXiv:1805.02867; Rabe and Staats, arXiv:2112.05682.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from bounds.attention.kernels import ExponentialKernel, GaussianKernel
from bounds.errors import ParameterError
from bounds.large.floats.gram import reciprocal
from bounds.large.inputs import Input
from bounds.large.source import Block

Array = NDArray[np.float64]
Weighting = ExponentialKernel | GaussianKernel

QUERIES = 128  # queries and tokens of a tile of scores, which stays in the cache
_TILE = 51_200  # scores of a tile
_LONGEST = 4096
_FOLD = 16
_LARGEST_SCORE = 2.0**960


@dataclass(frozen=True, eq=False)
class SoftmaxState:
    """The sums over the tokens seen so far; made by :func:`no_tokens`, then :meth:`with_block`.

    Args:
        kernel: ExponentialKernel(temperature) for softmax, GaussianKernel(bandwidth) for
            Nadaraya-Watson; queries: nq x dk; rate: 1/gamma or 1/(2 gamma), rounded.
        count: the number of tokens; unit: the relative uncertainty of the least precise of them.
        shift: m of each query (nq); total: nq x (dv + 1), the last column the sum of weights.
        rescaled: how often the sums of a query were scaled; depth: additions in a row.
        low, high: the least and largest value of each column; largest_key: at least every |k_l|.
    """

    kernel: Weighting
    queries: Input
    rate: float
    count: int
    unit: float
    shift: Array
    total: Array
    rescaled: Array
    depth: int
    low: Array
    high: Array
    largest_key: float

    @property
    def dv(self) -> int:
        """The number of columns of the values."""
        return int(self.total.shape[1]) - 1

    def with_block(self, block: Block, room: Room | None = None) -> SoftmaxState:
        """The state after a block of tokens, checked before; ``room`` is made when not given.

        Raises:
            ParameterError: naming the temperature or bandwidth for which scores may overflow.
        """
        largest = max(self.largest_key, _largest_norm(block.keys))
        self._require_scores(largest)
        room = self.room() if room is None else room
        tiles = [slice(i, i + QUERIES) for i in range(0, self.queries.rows, QUERIES)]
        parts = [self._tile_sums(rows, block, room) for rows in tiles]
        low, high = _extremes(block.values)
        added = replace(
            self,
            count=block.rows,
            unit=block.unit,
            shift=np.concatenate([part[0] for part in parts]),
            total=np.concatenate([part[1] for part in parts]),
            rescaled=np.concatenate([part[2] for part in parts]),
            depth=min(room.width, block.rows) + -(-block.rows // room.width),
            low=low,
            high=high,
            largest_key=largest,
        )
        return self.merged(added)

    def merged(self, other: SoftmaxState) -> SoftmaxState:
        """The state after the tokens of both, for the same kernel and queries."""
        if not (self.count and other.count):
            return self if self.count else other
        shift = np.maximum(self.shift, other.shift)
        mine, theirs = self._shifted(shift), other._shifted(shift)
        return replace(
            self,
            count=self.count + other.count,
            unit=max(self.unit, other.unit),
            shift=shift,
            total=mine[0] + theirs[0],
            rescaled=np.maximum(mine[1], theirs[1]),
            depth=max(self.depth, other.depth) + 1,
            low=np.minimum(self.low, other.low),
            high=np.maximum(self.high, other.high),
            largest_key=max(self.largest_key, other.largest_key),
        )

    def _shifted(self, shift: Array) -> tuple[Array, Array]:
        """The sums relative to a shift at least as large, and how often each was scaled."""
        moved = self.shift != shift
        if not moved.any():
            return self.total, self.rescaled
        return np.exp(self.shift - shift)[:, None] * self.total, self.rescaled + moved

    def _require_scores(self, largest_key: float) -> None:
        """ParameterError when scores may leave float64; norms bound them beforehand."""
        q = np.float64(_largest_norm(self.queries.array))
        with np.errstate(over="ignore"):
            if isinstance(self.kernel, ExponentialKernel):
                name, value = "temperature", self.kernel.temperature
                size = max(q * self.rate, q * self.rate * largest_key)
            else:
                name, value = "bandwidth", self.kernel.bandwidth
                size = np.square(q + largest_key) * max(self.rate, 1.0)
        if not size < _LARGEST_SCORE:
            remedy = f"scores may reach {size:.3g} and overflow; raise it, or scale the data"
            raise ParameterError(name, f"{float(value):.4g}", remedy)

    def room(self) -> Room:
        """Memory for a tile, to be used again for every block."""
        queries = min(self.queries.rows, QUERIES)
        width = min(_LONGEST, _TILE // queries) // 128 * 128
        return Room(width, np.empty(queries * width))

    def _tile_sums(self, rows: slice, block: Block, room: Room) -> tuple[Array, Array, Array]:
        """Shift, sums and number of scalings of some queries over a block."""
        scores = _Scores(self, rows)
        m, n = self.shift[rows], len(scores.queries)
        total, rescaled = np.zeros((n, self.dv + 1)), np.zeros(n)
        for start in range(0, block.rows, room.width):
            K, V = (x[start : start + room.width] for x in (block.keys, block.values))
            s = room.scores[: n * len(K)].reshape(n, len(K))
            scores.fill(K, s)
            largest = np.maximum(m, s.max(axis=1))
            if (largest > m).any():
                if start:
                    rescaled += largest > m
                total *= np.exp(m - largest)[:, None]
                m = largest
            s -= m[:, None]
            np.exp(s, out=s)
            total[:, :-1] += s @ V
            total[:, -1] += s.sum(axis=1)
        return m, total, rescaled


@dataclass(frozen=True, eq=False)
class Room:
    """Working memory: the scores of a tile, for so many tokens (width)."""

    width: int
    scores: Array


def no_tokens(kernel: Weighting, queries: Input, dv: int) -> SoftmaxState:
    """The state before any token, for queries (nq x dk) and values of dv columns."""
    return SoftmaxState(
        kernel=kernel,
        queries=queries,
        rate=rate(kernel),
        count=0,
        unit=0.0,
        shift=np.full(queries.rows, -np.inf),
        total=np.zeros((queries.rows, dv + 1)),
        rescaled=np.zeros(queries.rows),
        depth=0,
        low=np.full(dv, np.inf),
        high=np.full(dv, -np.inf),
        largest_key=0.0,
    )


def rate(kernel: Weighting) -> float:
    """1/gamma or 1/(2 gamma): scores are rate q.k, or -rate |q - k|^2."""
    if isinstance(kernel, ExponentialKernel):
        return reciprocal("temperature", kernel.temperature)
    return reciprocal("bandwidth", kernel.bandwidth) / 2


class _Scores:
    """Scores of some queries against keys, written into a tile."""

    def __init__(self, state: SoftmaxState, rows: slice) -> None:
        queries = state.queries.array[rows]
        self.distances = isinstance(state.kernel, GaussianKernel)
        self.rate = -state.rate if self.distances else state.rate
        self.queries = queries if self.distances else queries * self.rate

    def fill(self, keys: Array, out: Array) -> None:
        if self.distances:
            cdist(self.queries, keys, "sqeuclidean", out=out)
            out *= self.rate
        else:
            np.matmul(self.queries, keys.T, out=out)


def _extremes(values: Array) -> tuple[Array, Array]:
    """The least and largest entry of each column, folded: NumPy is slow along short rows."""
    rows, dv = values.shape
    whole = rows // _FOLD * _FOLD
    if not whole or not values.flags.c_contiguous:
        return values.min(axis=0), values.max(axis=0)
    folded, rest = values[:whole].reshape(-1, _FOLD * dv), values[whole - 1 :]
    low, high = (part.reshape(_FOLD, dv) for part in (folded.min(axis=0), folded.max(axis=0)))
    return (
        np.minimum(low.min(axis=0), rest.min(axis=0)),
        np.maximum(high.max(axis=0), rest.max(axis=0)),
    )


def _largest_norm(points: Array) -> float:
    """At least every norm of the rows, finite whenever the entries are."""
    n = int(points.shape[1])
    with np.errstate(over="ignore"):
        square: float = float(np.einsum("ij,ij->i", points, points).max())
    if 2.0**-960 < square < np.inf:
        return math.sqrt(square) * (1 + (n + 4) * 2.0**-53)
    return float(np.abs(points).max()) * math.sqrt(n) * (1 + 2.0**-50)
