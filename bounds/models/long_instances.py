"""Linear-Gaussian instances of many tokens: drawn by seed, exact through their moments.

Phi^T Phi and Phi^T V are all that the posterior needs of the tokens (sufficiency), so an instance
of 10^6 tokens costs little more in any field than one of six, once its moments are known. Keys and
values are whole multiples of 2^-12 below 8 in size, so the moments are sums of integers below
2^30 L and exact in 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from bounds.arithmetic.convert import Row, Rows, texts
from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.linear import quadratic
from bounds.attention.kernels import LinearKernel
from bounds.draws import Draw
from bounds.errors import ParameterError
from bounds.models.instances import LinearGaussianInstances
from bounds.models.linear_gaussian import LinearGaussian, LinearGaussianData
from bounds.models.strategy import Description

_GRID = 2**12
_LARGEST = 8 * _GRID - 1
_BLOCK = 2**14
_LONGEST = 2**30  # 2^30 products below 2^30 each still fit into 64 bits
_WRITTEN_OUT = 6

Integers = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class LongTokens:
    """L tokens with phi(k) = k, fixed by (L, dk, entropy, model, latent): a possible witness.

    Keys are N(0, 1) and values z k + e with e ~ N(0, sigma^2), both rounded to multiples of 2^-12
    and kept within (-8, 8); the first tokens do not depend on L. It offers what
    :mod:`bounds.models.linear_gaussian` asks of its data, but no matrix of the tokens.

    Raises:
        ParameterError: L is not from 1 to 2^30.
    """

    model: LinearGaussian
    L: int
    query: Row
    latent: Rows
    entropy: tuple[int, ...]
    label: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.L <= _LONGEST:
            raise ParameterError("L", self.L, f"must be from 1 to {_LONGEST}")

    @property
    def dk(self) -> int:
        """The dimension of the keys."""
        return len(self.query)

    @property
    def dphi(self) -> int:
        """The dimension of the features, that of the keys."""
        return len(self.query)

    @property
    def dv(self) -> int:
        """The dimension of the values."""
        return len(self.latent)

    def blocks(self) -> Iterator[tuple[Integers, Integers]]:
        """Keys and values times 2^12, as whole numbers, block by block."""
        z = np.array([[float(x) for x in row] for row in self.latent])
        noise = float(self.model.noise_variance) ** 0.5
        for number, start in enumerate(range(0, self.L, _BLOCK)):
            rng = np.random.default_rng([*self.entropy, number])
            keys = _on_grid(rng.standard_normal((_BLOCK, self.dk)))
            errors = noise * rng.standard_normal((_BLOCK, self.dv))
            values = _on_grid((keys / _GRID) @ z.T + errors)
            size = min(_BLOCK, self.L - start)
            yield keys[:size], values[:size]

    @cached_property
    def _moments(self) -> tuple[Integers, Integers]:
        second = np.zeros((self.dk, self.dk), dtype=np.int64)
        cross = np.zeros((self.dk, self.dv), dtype=np.int64)
        for keys, values in self.blocks():
            second += keys.T @ keys
            cross += keys.T @ values
        return second, cross

    def second_moment(self, field: Field) -> Matrix:
        """Phi^T Phi (dphi x dphi), exact in every field."""
        return field.matrix(_rational(self._moments[0], _GRID**2))

    def cross_moment(self, field: Field) -> Matrix:
        """Phi^T V (dphi x dv), exact in every field."""
        return field.matrix(_rational(self._moments[1], _GRID**2))

    def squared_response(self, field: Field, h: Matrix) -> Scalar:
        """|Phi h|^2 for a dphi x 1 column h; never below 0."""
        found = quadratic(field, h, self.second_moment(field))
        return field.maximum(found, field.number(0))

    def feature_query(self, field: Field) -> Matrix:
        """phi(q) (dphi x 1)."""
        return field.transpose(field.matrix([self.query]))

    def describe(self) -> Description:
        """What fixes the tokens, and their moments, as exact text."""
        second, cross = (texts(_rational(moment, _GRID**2)) for moment in self._moments)
        return {
            "label": self.label,
            "L": str(self.L),
            "entropy": [str(number) for number in self.entropy],
            "prior_variance": str(self.model.prior_variance),
            "noise_variance": str(self.model.noise_variance),
            "query": [str(entry) for entry in self.query],
            "latent": texts(self.latent),
            "second_moment": second,
            "cross_moment": cross,
        }

    def written_out(self) -> LinearGaussianData:
        """The same instance with every token as exact numbers; for few tokens."""
        blocks = list(self.blocks())
        keys, values = (_rational(np.concatenate([b[i] for b in blocks]), _GRID) for i in (0, 1))
        return LinearGaussianData(self.model, keys, values, self.query, self.latent, self.label)


def _on_grid(numbers: Any) -> Integers:
    whole: Integers = np.clip(np.rint(numbers * _GRID), -_LARGEST, _LARGEST).astype(np.int64)
    return whole


def _rational(whole: Integers, unit: int) -> Rows:
    return tuple(tuple(Fraction(x, unit) for x in row) for row in whole.tolist())


@dataclass(frozen=True)
class WithLongInstances:
    """A strategy: the instances of ``few``, then ``repeats`` of each of the ``lengths``.

    A failing instance of many tokens is made shorter, until its tokens are few enough to be
    written out and simplified one by one.
    """

    few: LinearGaussianInstances
    lengths: tuple[int, ...]
    repeats: int

    @property
    def count(self) -> int:
        """How many indices a full run visits."""
        return self.few.count + len(self.lengths) * self.repeats

    def draw(self, index: int, seed: int) -> LinearGaussianData | LongTokens:
        """The instance (index, seed)."""
        if index < self.few.count:
            return self.few.draw(index, seed)
        draw = Draw.at(self.few.seed, seed, index)
        length = self.lengths[(index - self.few.count) % len(self.lengths)]
        dk, dv = draw.integer(1, 3), draw.integer(1, 3)
        model = LinearGaussian(draw.square(), draw.square() / 4, LinearKernel())
        latent = tuple(tuple(x / 8 for x in draw.row(dk)) for _ in range(dv))
        entropy = (self.few.seed, seed, index)
        return LongTokens(model, length, draw.row(dk), latent, entropy, _label(length, dk, dv))

    def shrink(self, instance: Any) -> Iterator[Any]:
        """Fewer tokens; once they are few, the simplifications of small instances."""
        if isinstance(instance, LinearGaussianData):
            yield from self.few.shrink(instance)
            return
        if instance.L <= _WRITTEN_OUT:
            yield instance.written_out()
        for shorter in dict.fromkeys((1, 2, instance.L // 10, instance.L // 2)):
            if 1 <= shorter < instance.L:
                label = _label(shorter, instance.dk, instance.dv)
                yield replace(instance, L=shorter, label=label)


def _label(L: int, dk: int, dv: int) -> str:
    return f"{L} tokens, dk = {dk}, dv = {dv}"


def with_long_instances(
    few: LinearGaussianInstances,
    *,
    lengths: tuple[int, ...] = (100, 10_000, 1_000_000),
    repeats: int = 2,
) -> WithLongInstances:
    """The instances of ``few`` (with phi(k) = k), then others of up to 10^6 tokens.

    Raises:
        ParameterError: the kernel of ``few`` is another, or there is no length.
    """
    if not isinstance(few.kernel, LinearKernel):
        raise ParameterError("few", few.kernel, "long instances have the LinearKernel()")
    if not lengths or repeats < 1:
        raise ParameterError("lengths", (lengths, repeats), "need a length and a repeat")
    return WithLongInstances(few, lengths, repeats)
