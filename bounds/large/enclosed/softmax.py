"""Softmax attention and the Nadaraya-Watson estimate over any number of tokens, enclosed.

For scores x_l (q.k_l/gamma, or -|q - k_l|^2/(2 gamma)), any integer m and any vector c,

    sum_l e^(x_l) v_l / sum_l e^(x_l) = c + N/D,
    N = sum_l p_l (v_l - c),    D = sum_l p_l,    p_l = 2^-m e^(x_l).

The sums are kept by the online rule (Milakov and Gimelshein, arXiv:1805.02867), with powers of 2
for shifts, so that a change of shift rounds nothing. Beside them run bounds on their errors:

- of a weight: p_l (t + t^2 + EXP_ERROR) with t the error of its score, gamma_(dk+3) |q| |k|/gamma
  or gamma_(dk+5) |x|, taken at its largest in each tile; TINY when 2^-m e^x is below that;
- of a tile's sums: gamma_n of sum p |v - c|, with n = 256 + the number of pieces of 256;
- from tile to tile: the error of each addition is added up beside the sum (Knuth's TwoSum).

With errors e_N and e_D the quotient is wrong by at most (e_N + |N/D| e_D)/(D - e_D). The result is
a weighted mean, so it is cut with the range of the values. Assumptions: those of
:mod:`bounds.large.enclosed.upward`, and for the Gaussian kernel that of
:mod:`bounds.large.enclosed.gram`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from bounds.attention.kernels import ExponentialKernel, GaussianKernel
from bounds.errors import ParameterError, ShapeError, UndefinedError
from bounds.large.enclosed.exponential import EXP_ERROR, LARGEST_SHIFT, LARGEST_SIZE, exp_in_place
from bounds.large.enclosed.upward import (
    TINY,
    Array,
    U,
    blocks,
    float_interval,
    gamma,
    row_norms,
    upward,
)
from bounds.large.inputs import Input, matrix_input
from bounds.large.result import Computed, Route
from bounds.large.source import Block

Weighting: TypeAlias = ExponentialKernel | GaussianKernel

_LOG2_E = 1.4426950408889634
_PIECE = 256
_QUERIES = 128
_SCORES = 131_072  # of a tile: it stays in the cache
# Sums scaled by so much are 0 in float64.
_FORGOTTEN = -5000.0
_REACH = 709.0  # scores further below the largest underflow


def enclosed_softmax(kernel: Weighting, tokens: Iterable[Block], queries: ArrayLike) -> Computed:
    """sum_l kernel(q, k_l) v_l/sum_l kernel(q, k_l) for each query (nq x dv), with proved errors.

    Args:
        kernel: ExponentialKernel(gamma) for V^T softmax(K q/gamma), GaussianKernel(gamma) for
            Nadaraya-Watson.
        tokens: blocks of keys and values, as from :func:`bounds.large.source.tokens`; memory
            holds one block and one tile of scores.
        queries: nq x dk. float32 data are taken as the numbers they store.

    Raises:
        ShapeError, ParameterError: naming the array or kernel at fault.
        UndefinedError: when a score exceeds 2^19, or all those of a query are below -2^19; when
            their rounding reaches 1; when the sums overflow float64.
    """
    Q = matrix_input("queries", queries)
    scores = _scores(kernel, Q)
    sums: _Sums | None = None
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for block in tokens:
            if block.keys.shape[1] != Q.columns:
                found = f"{Q.columns} columns"
                raise ShapeError("queries", found, f"must have {block.keys.shape[1]} columns")
            if sums is None:
                sums = _empty(Q.rows, block.values)
            sums.add(scores, block)
        if sums is None:
            raise ShapeError("keys", "no tokens", "must hold at least one token")
        value, error = sums.mean()
    return Computed(value, error, Route.ENCLOSED_SOFTMAX, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class _Scores:
    """Queries whose scores against keys are known within ``slope`` times a size, plus ``lost``.

    The size is |q| |k| (exponential) or the score itself (Gaussian).
    """

    gaussian: bool
    queries: Array
    norms: Array
    rate: float
    slope: Array
    lost: float

    def fill(self, rows: slice, keys: Array, out: Array) -> None:
        """The scores of some queries (rows) against keys (columns)."""
        if self.gaussian:
            cdist(self.queries[rows], keys, "sqeuclidean", out=out)
            np.multiply(out, -self.rate, out=out)
        else:
            np.matmul(self.queries[rows], keys.T, out=out)

    def error(self, rows: slice, largest_key: float, largest: Array) -> Array:
        """A bound on the errors of scores of at most ``largest`` in size, one a query."""
        size = largest if self.gaussian else self.norms[rows] * largest_key
        return upward(self.slope * upward(size, 2) + self.lost * (1.0 + largest_key), 4)


def _scores(kernel: Weighting, Q: Input) -> _Scores:
    dk = Q.columns
    if isinstance(kernel, GaussianKernel):
        _, rate = float_interval("1/(2 bandwidth)", 1 / (2 * kernel.bandwidth))
        slope, queries = np.array(gamma(dk + 6)), Q.array
    elif isinstance(kernel, ExponentialKernel):
        _, rate = float_interval("1/temperature", 1 / kernel.temperature)
        slope = upward(np.array(gamma(dk + 4) * rate), 1)
        with np.errstate(over="ignore", under="ignore"):
            queries = Q.array * rate
    else:
        raise ParameterError("kernel", repr(kernel), "must be an Exponential- or GaussianKernel")
    lost = 4.0 * (dk + 2) * 2.0**-1074 * max(rate, 1.0)
    gaussian = isinstance(kernel, GaussianKernel)
    return _Scores(gaussian, queries, row_norms(Q.array), rate, slope, lost)


@dataclass(eq=False)
class _Sums:
    """Running sums of p [v - c, 1], one row a query, in two parts, and bounds on their errors.

    Args:
        centre: c; shift: m, a column; high, low: the sums; error: bounds, short of rounding up.
        least, most: the range of each column of the values; count, steps: tokens, tiles so far.
    """

    centre: Array
    shift: Array
    high: Array
    low: Array
    error: Array
    least: Array
    most: Array
    count: int = 0
    steps: int = 0

    def add(self, scores: _Scores, block: Block) -> None:
        """Take in the tokens of a block, tile by tile."""
        np.minimum(self.least, block.values.min(axis=0), out=self.least)
        np.maximum(self.most, block.values.max(axis=0), out=self.most)
        self.count += block.rows
        nq = len(self.shift)
        width = max(1024, min(8192, _SCORES // min(nq, _QUERIES)))
        for columns in blocks(block.rows, width):
            keys, weighed = block.keys[columns], self._weighed(block.values[columns])
            largest_key = float(row_norms(keys).max())
            for rows in blocks(nq, _QUERIES):
                self._tile(scores, rows, keys, weighed, largest_key)
            self.steps += 1

    def _weighed(self, values: Array) -> Array:
        """[v - c, 1, |v - c|]: what the weights are multiplied with."""
        b, dv = values.shape
        found = np.ones((b, 2 * dv + 1))
        np.subtract(values, self.centre, out=found[:, :dv])
        np.abs(found[:, :dv], out=found[:, dv + 1 :])
        return found

    def _tile(
        self, scores: _Scores, rows: slice, keys: Array, weighed: Array, largest_key: float
    ) -> None:
        x = np.empty((rows.stop - rows.start, len(keys)))
        scores.fill(rows, keys, x)
        tops = x.max(axis=1, keepdims=True)
        if not (tops <= LARGEST_SIZE).all():
            worst = f"a score of {tops.max():.4g} is beyond 2^19"
            raise UndefinedError(f"{worst}; scale the keys or raise gamma")
        # Lower ones are as good as 0, unless all are: then the sum of weights is not certain.
        tops = np.maximum(tops, -LARGEST_SIZE)
        self._raise_shift(rows, tops)
        least = x.min(axis=1, keepdims=True) if scores.gaussian else tops
        shift = self.shift[rows]
        # Scores clipped by the exponential count as TINY, whatever their error.
        floor = shift / _LOG2_E - _REACH
        tops, least = np.maximum(tops, floor), np.maximum(least, floor)
        t = scores.error(rows, largest_key, np.maximum(np.abs(tops), np.abs(least))[:, 0])
        if not float(t.max()) <= 1.0:
            message = "the scores are so large that their rounding reaches 1"
            raise UndefinedError(f"{message}; scale the keys or raise gamma", certain=False)
        exp_in_place(x, shift)
        self._take(rows, _pieces(x, weighed), t, len(keys))

    def _raise_shift(self, rows: slice, tops: Array) -> None:
        """Let the shift follow the largest score; scaling by powers of 2 is exact."""
        wanted = np.maximum(self.shift[rows], np.rint(tops * _LOG2_E))
        if (wanted > self.shift[rows]).any():
            step = np.maximum(self.shift[rows] - wanted, _FORGOTTEN).astype(np.int64)
            for sums in (self.high, self.low, self.error):
                sums[rows] = np.ldexp(sums[rows], step)
            self.shift[rows] = wanted

    def _take(self, rows: slice, sums: Array, t: Array, tokens: int) -> None:
        """Add the sums of a tile, and the bound on their error."""
        dv = len(self.centre)
        relative = t + t * t
        relative += 1.01 * EXP_ERROR + gamma(min(tokens, _PIECE) + -(-tokens // _PIECE)) + U
        sizes = np.concatenate((sums[:, dv + 1 :], sums[:, dv : dv + 1]), axis=1)
        error = self.error[rows]
        error += relative[:, None] * sizes
        high = self.high[rows]
        added = sums[:, : dv + 1]
        total = high + added
        virtual = total - high
        rest = (high - (total - virtual)) + (added - virtual)
        self.high[rows] = total
        self.low[rows] += rest
        error += U * np.abs(self.low[rows])

    def mean(self) -> tuple[Array, Array]:
        """c + N/D and its error, cut with the range of the values."""
        total = self.high + self.low
        clipped = upward(np.array(float(self.count)), 0) * TINY
        reach = upward(
            np.maximum(np.abs(self.most - self.centre), np.abs(self.least - self.centre)), 1
        )
        error = self.error + U * np.abs(total) + clipped
        error[:, :-1] += upward(clipped * reach, 2)
        error = upward(error, 4 * self.steps + _PIECE + 64)
        N, D, e_N, e_D = total[:, :-1], total[:, -1:], error[:, :-1], error[:, -1:]
        # Subtraction may round up by u, so the divisor is taken a little smaller.
        divisor = (D - e_D) * (1 - 4 * U)
        if not (divisor > 0).all():
            message = "the weights are not certainly above 0: rounding swamps the scores"
            raise UndefinedError(f"{message}; scale the keys or raise gamma", certain=False)
        r = N / D
        value = self.centre + r
        wrong = upward(e_N + upward(np.abs(r), 1) * e_D, 3) / divisor
        wrong += U * (np.abs(r) + np.abs(value))
        return self._cut(value, upward(wrong, 6))

    def _cut(self, value: Array, error: Array) -> tuple[Array, Array]:
        low = np.maximum(np.nextafter(value - error, -np.inf), self.least)
        high = np.minimum(np.nextafter(value + error, np.inf), self.most)
        middle = np.minimum(np.maximum(low / 2 + high / 2, low), high)
        half = upward(np.maximum(high - middle, middle - low), 1)
        return middle, np.where(low == high, 0.0, half)


def _empty(nq: int, values: Array) -> _Sums:
    """No tokens yet; the centre is near the middle of the first block, whatever it rounds to."""
    dv = values.shape[1]
    centre = values.min(axis=0) / 2 + values.max(axis=0) / 2
    high, low, error = (np.zeros((nq, dv + 1)) for _ in range(3))
    least, most = np.full(dv, np.inf), np.full(dv, -np.inf)
    return _Sums(centre, np.full((nq, 1), -LARGEST_SHIFT), high, low, error, least, most)


def _pieces(weights: Array, weighed: Array) -> Array:
    """weights @ weighed, summed over pieces of 256 tokens."""
    total = np.zeros((len(weights), weighed.shape[1]))
    for piece in blocks(len(weighed), _PIECE):
        total += weights[:, piece] @ weighed[piece]
    return total
