r"""The moments of the tokens, exactly: whole numbers times a power of two, whatever the size of L.

:math:`\Phi^T\Phi`, :math:`\Phi^T V` and :math:`V^T V` are all that posterior and predictive law
need of the tokens. Float64 data are whole numbers times powers of two, so their moments are too:
BLAS multiplies digits without rounding (:mod:`bounds.large.enclosed.splitting`), integers add them
up.

No range of exponents is refused: a block whose entries range too far for digits goes through whole
numbers of any length, and so do monomials of degree above 3; both are exact, and far slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from flint import fmpq, fmpq_mat, fmpz_mat

from bounds.attention.kernels import FeatureKernel, Kernel, LinearKernel
from bounds.errors import ParameterError, ShapeError
from bounds.large.enclosed.moment_accumulator import MomentAccumulator, sum_of
from bounds.large.enclosed.whole_numbers import power_of_two
from bounds.large.source import Tokens


@dataclass(frozen=True, eq=False)
class ExactMoments:
    """[Phi, V]^T [Phi, V] = ``numerators`` 2^``exponent`` (an ``fmpz_mat``), over ``count`` tokens.

    Moments of two sets of tokens add: :meth:`merged`.
    """

    kernel: Kernel
    dk: int
    dv: int
    count: int
    numerators: Any
    exponent: int

    @property
    def degree(self) -> int | None:
        """The degree of the monomials that are the features; None when they are the keys."""
        return _degree(self.kernel)

    @property
    def dphi(self) -> int:
        """The number of features."""
        return int(self.numerators.nrows()) - self.dv

    @property
    def second_moment(self) -> Any:
        """Phi^T Phi (dphi x dphi), an ``fmpq_mat``."""
        return self._part(slice(0, self.dphi), slice(0, self.dphi))

    @property
    def cross_moment(self) -> Any:
        """Phi^T V (dphi x dv), an ``fmpq_mat``."""
        return self._part(slice(0, self.dphi), slice(self.dphi, None))

    @property
    def value_moment(self) -> Any:
        """V^T V (dv x dv), an ``fmpq_mat``."""
        return self._part(slice(self.dphi, None), slice(self.dphi, None))

    def ridge_matrix(self, lam: Fraction) -> Any:
        """A = Phi^T Phi + lam I (dphi x dphi), an ``fmpq_mat``."""
        n, ridge = self.dphi, fmpq(lam.numerator, lam.denominator)
        diagonal = fmpq_mat([[ridge if i == j else 0 for j in range(n)] for i in range(n)])
        return self.second_moment + diagonal

    def merged(self, other: ExactMoments) -> ExactMoments:
        """The moments of both sets of tokens together, exactly.

        Raises:
            ParameterError, ShapeError: the kernels or the dimensions differ.
        """
        if self.kernel != other.kernel:
            raise ParameterError("other", other.kernel, f"must have the kernel {self.kernel}")
        if (self.dk, self.dv) != (other.dk, other.dv):
            shapes = f"dk, dv = {other.dk}, {other.dv}"
            raise ShapeError("other", shapes, f"must have dk, dv = {self.dk}, {self.dv}")
        left, right = ((x.numerators, x.exponent) for x in (self, other))
        return ExactMoments(
            self.kernel, self.dk, self.dv, self.count + other.count, *sum_of(left, right)
        )

    def _part(self, rows: slice, columns: slice) -> Any:
        cut = [row[columns] for row in self.numerators.tolist()[rows]]
        return fmpq_mat(fmpz_mat(cut)) * power_of_two(self.exponent)


def exact_moments(kernel: Kernel, source: Tokens) -> ExactMoments:
    """The moments of the tokens of a source, in memory O((dphi + dv)^2) and a block.

    float32 data are taken as the numbers they store.

    Raises:
        ParameterError: the kernel has no rational features.
        TooLargeError: the moments would not fit in memory.
        ShapeError, ParameterError: as reading the source does.
    """
    degree = _degree(kernel)
    blocks = iter(source)
    first = next(blocks)
    found = MomentAccumulator(first.keys.shape[1], first.values.shape[1], degree)
    for block in chain((first,), blocks):
        found.extend(block.keys, block.values)
    return ExactMoments(kernel, found.dk, found.dv, found.count, *found.total())


def _degree(kernel: Kernel) -> int | None:
    """The degree of the monomials that are the features; None when they are the keys."""
    if isinstance(kernel, LinearKernel):
        return None
    if isinstance(kernel, FeatureKernel):
        return kernel.degree
    remedy = "exact moments need LinearKernel() or FeatureKernel(degree)"
    raise ParameterError("kernel", repr(kernel), remedy)
