r"""Real numbers made with roots, and the bound below which such a number can only be zero.

A number is held as a ball with a *separation*: :math:`E = U/L` with algebraic integers U, L all of
whose conjugates are at most :math:`2^u` and :math:`2^l`, in an extension of degree at most D. If
:math:`E \ne 0` the norm of U is a nonzero integer, so :math:`|U| \ge 2^{-u(D-1)}` and

.. math:: |E| \ge 2^{-(u (D-1) + l)} .

A ball round 0 that is narrower than this proves E = 0: this is how ties between sums of roots are
decided. Source: C. Burnikel, R. Fleischer, K. Mehlhorn, S. Schirra, *A strong and easily computable
separation bound for arithmetic expressions involving radicals*, Algorithmica 27 (2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

from flint import arb, fmpq

# A bound from a larger degree is out of reach of every precision, and too large for a float.
LARGEST_DEGREE = 2**64

Roots: TypeAlias = frozenset[tuple[object, int]]


@dataclass(frozen=True)
class Separation:
    """Logarithms u and l of the conjugate bounds, and the roots taken (key, index)."""

    u: float
    l: float  # noqa: E741  (the letter of the source)
    roots: Roots = frozenset()

    @property
    def bits(self) -> float:
        """Unless it is 0, the number exceeds 2^-bits in size."""
        degree = math.prod(index for _, index in self.roots)
        if degree > LARGEST_DEGREE:
            return math.inf
        return self.u * (degree - 1) + self.l

    def plus(self, other: Separation) -> Separation:
        u = max(self.u + other.l, self.l + other.u) + 1
        return Separation(u, self.l + other.l, self.roots | other.roots)

    def times(self, other: Separation) -> Separation:
        return Separation(self.u + other.u, self.l + other.l, self.roots | other.roots)

    def over(self, other: Separation) -> Separation:
        return Separation(self.u + other.l, self.l + other.u, self.roots | other.roots)

    def root(self, index: int, key: object) -> Separation:
        """The root of U/L as the root of the algebraic integer U L^(index-1), over L."""
        u = (self.u + (index - 1) * self.l) / index
        return Separation(u, self.l, self.roots | {(key, index)})


def rational_separation(value: Any) -> Separation:
    """The separation of a rational p/q (or an integer): u = log |p|, l = log q, rounded up."""
    exact = fmpq(value)
    p, q = abs(int(exact.p)), int(exact.q)
    return Separation(float(p.bit_length()), float(q.bit_length()))


@dataclass(frozen=True, eq=False)
class Real:
    """A ball that encloses a real number; ``separation`` is None for a transcendental one.

    ``power`` says that the number is a root: (x, k) when its k-th power is the rational x.
    """

    ball: Any
    separation: Separation | None = None
    power: tuple[Any, int] | None = None

    def __neg__(self) -> Real:
        return Real(-self.ball, self.separation)

    def __add__(self, other: Any) -> Any:
        return _combine(self, other, self.ball + ball_of(other), Separation.plus)

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        return _combine(self, other, self.ball - ball_of(other), Separation.plus)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if is_rational(other) and other == 0:
            return other
        return _combine(self, other, self.ball * ball_of(other), Separation.times)

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        return _combine(self, other, self.ball / ball_of(other), Separation.over)

    def __rtruediv__(self, other: Any) -> Any:
        left = Real(arb(other), rational_separation(other))
        return _combine(left, self, left.ball / self.ball, Separation.over)

    def sign(self) -> int | None:
        """-1, 0 or 1; None when the ball cannot tell and is too wide for the separation bound."""
        if self.ball > 0:
            return 1
        if self.ball < 0:
            return -1
        size = self.ball.abs_upper()
        if size == 0:
            return 0
        if self.separation is None or not self.ball.is_finite():
            return None
        bits = self.separation.bits
        return 0 if bits < math.inf and size < arb(2) ** -math.ceil(bits + 1) else None


def is_rational(x: Any) -> bool:
    """Whether a scalar is an exact rational rather than a :class:`Real`."""
    return isinstance(x, fmpq)


def ball_of(x: Any) -> Any:
    """The ball of a scalar of either kind."""
    return x.ball if isinstance(x, Real) else arb(x)


def separation_of(x: Any) -> Separation | None:
    """The separation of a scalar of either kind."""
    return x.separation if isinstance(x, Real) else rational_separation(x)


def _combine(left: Any, right: Any, ball: Any, rule: Any) -> Real:
    first, second = separation_of(left), separation_of(right)
    known = None if first is None or second is None else rule(first, second)
    return Real(ball, known)
