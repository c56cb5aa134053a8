"""Values for the symbols of a claim on one instance, in one field."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from bounds.arithmetic.field import Field
from bounds.claim import Claim
from bounds.errors import ShapeError
from bounds.parameters import Parametrised
from bounds.points import Point

Values = dict[sp.Basic, Any]


def bind(claim: Claim, instance: Any, field: Field) -> Values:
    """The values of the claim's symbols: those of the point, the quantities, and the dimensions.

    A symbol of a point is matched by name; the dimensions of a matrix symbol get their values from
    the matrix itself. Call it inside ``field.context()``.

    Raises:
        ShapeError: a matrix does not have the shape that its symbol and the others say.
        NotRational, UndefinedError, SingularSystemError: as computing a quantity does.
    """
    values = point_values(claim, instance, field)
    for quantity in claim.quantities:
        values[quantity.symbol] = quantity.compute(instance, field)
    for symbol in [key for key in values if isinstance(key, sp.MatrixSymbol)]:
        _bind_shape(symbol, field.shape(values[symbol]), values, field)
    return values


def point_values(claim: Claim, instance: Any, field: Field) -> Values:
    """The symbols to which the instance itself gives a value, by name."""
    point = instance.point if isinstance(instance, Parametrised) else instance
    if not isinstance(point, Point):
        return {}
    given = dict(point.values)
    values: Values = {}
    for symbol in sorted(claim.free_symbols, key=str):
        value = given.get(str(symbol))
        if isinstance(value, Fraction):
            values[symbol] = field.number(value)
        elif value is not None:
            values[symbol] = field.matrix(value)
    return values


def _bind_shape(symbol: Any, shape: tuple[int, int], values: Values, field: Field) -> None:
    for dimension, size in zip(symbol.shape, shape, strict=True):
        known = values.get(dimension)
        if dimension.is_Symbol and known is None:
            values[dimension] = field.number(size)
        elif dimension.is_Symbol and field.equal(known, field.number(size)) is not True:
            raise ShapeError(symbol.name, shape, f"but {dimension} = {field.text(known)}")
