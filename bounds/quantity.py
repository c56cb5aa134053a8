"""A symbol with a meaning, and the way to compute it on an instance in any field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import Basic

if TYPE_CHECKING:
    import numpy as np

    from bounds.arithmetic.field import Field


@dataclass(frozen=True)
class Quantity:
    r"""A scalar or matrix symbol that is computed from an instance.

    Args:
        symbol: the SymPy ``Symbol`` or ``MatrixSymbol`` used in the claim's two sides.
        meaning: one line for the reader, with units or shape.
        function: ``function(instance, field)``, written once for all fields.
        formula: the definition as a SymPy expression in other symbols of the claim, if it has one.
            The provers work on the formula; instance checks compare it with ``function``.
    """

    symbol: Basic
    meaning: str
    function: Callable[[Any, Field], Any]
    formula: Basic | None = None

    def compute(self, instance: Any, field: Field) -> Any:
        """Value on ``instance`` in ``field``: a scalar or a matrix of that field.

        Raises:
            NotRational: the exact field cannot express the value.
            SingularSystemError: a linear system is singular, or too ill-conditioned for the field.
        """
        with field.context():
            return self.function(instance, field)


@dataclass(frozen=True)
class Law:
    r"""The exact law of a random symbol, which is the left side of a tail claim.

    ``exceeds(instance, field, threshold)`` is :math:`P(\mathrm{symbol} > \mathrm{threshold})`,
    enclosed in the field. A claim with another left side is refused: the law would say nothing of
    it.
    """

    symbol: Basic
    meaning: str
    exceeds: Callable[[Any, Field, Any], Any]


@dataclass(frozen=True)
class Sampler:
    r"""Draws the random symbol of a tail claim whose law is not known.

    ``draw(instance, rng, size)`` returns ``size`` independent values of ``symbol``, floats; the
    checker evaluates :math:`\mathrm{lhs} > \mathrm{rhs}` on them. Its randomness comes from
    ``rng`` alone, so a seed fixes the outcome.
    """

    symbol: Basic
    meaning: str
    draw: Callable[[Any, np.random.Generator, int], np.ndarray[Any, np.dtype[np.float64]]]
