"""Values for the symbols of a claim on one instance, in one field."""

from __future__ import annotations

import traceback
from fractions import Fraction
from typing import Any

import sympy as sp

from bounds.arithmetic.field import Field
from bounds.claim import Claim
from bounds.errors import BoundsError, ClaimDefinitionError, ShapeError
from bounds.parameters import Parametrised
from bounds.points import Point
from proofs_check.arithmetic.evaluate import factors

Values = dict[sp.Basic, Any]
_NO_VALUES = (bool, int, float, Fraction, str, list, tuple, dict, type(None))


def bind(claim: Claim, instance: Any, field: Field) -> Values:
    """The values of the claim's symbols: those of the point, the quantities, and the dimensions.

    A symbol of a point is matched by name; the dimensions of a matrix symbol get their values from
    the matrix itself. Call it inside ``field.context()``.

    Raises:
        ClaimDefinitionError: a quantity returns something that is no value of the field.
        ShapeError: a matrix does not have the shape that its symbol and the others say.
        NotRational, UndefinedError, SingularSystemError: as computing a quantity does.
    """
    values = point_values(claim, instance, field)
    for quantity in claim.quantities:
        value = calling(f"quantity {quantity.symbol}", quantity.compute, instance, field)
        _check_value(quantity.symbol, value, field)
        values[quantity.symbol] = value
    for symbol in [key for key in values if isinstance(key, sp.MatrixSymbol)]:
        _bind_shape(symbol, field.shape(values[symbol]), values, field)
    return values


def calling(name: str, function: Any, *arguments: Any) -> Any:
    """What an author's function returns; whatever it raises by mistake is reported with its name.

    Raises:
        ClaimDefinitionError: the function raised something that is no error of this library.
    """
    try:
        return function(*arguments)
    except BoundsError:
        raise
    except Exception as error:  # the border to the author's code
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{name} raised {type(error).__name__}: {error} (at {where.filename}:{where.lineno})"
        raise ClaimDefinitionError(text) from error


def _check_value(symbol: sp.Basic, value: Any, field: Field) -> None:
    """Refuse what a function returns by mistake: a list, a float, nothing, no matrix."""
    if isinstance(value, _NO_VALUES):
        raise ClaimDefinitionError(
            f"quantity {symbol} returned the {type(value).__name__} {value!r}; return a value of "
            "the field, such as field.number(Fraction(1, 2)) or field.matrix(rows)"
        )
    if bool(symbol.is_Matrix) != _is_matrix(value, field):
        wanted = "a matrix" if symbol.is_Matrix else "a scalar"
        raise ClaimDefinitionError(f"quantity {symbol} must return {wanted} of the field")


def _is_matrix(value: Any, field: Field) -> bool:
    try:
        field.shape(value)
    except (AttributeError, TypeError):
        return False
    return True


def check_symbols(claim: Claim, instance: Any, values: Values) -> None:
    """Every symbol of the two sides has a value.

    Raises:
        ClaimDefinitionError: names the symbol, and the names to which the instance gives values.
    """
    wanted = set().union(*(_symbols(side, values) for side in (claim.lhs, claim.rhs)))
    missing = sorted(str(symbol) for symbol in wanted - values.keys())
    if missing:
        point = _point(instance)
        given = "none by name" if point is None else ", ".join(name for name, _ in point.values)
        raise ClaimDefinitionError(
            f"symbol {missing[0]} has no value: add it to `instances` under that name or give it a "
            f"Quantity (the instances give values to: {given})"
        )


def _symbols(expression: sp.Basic, values: Values) -> set[sp.Basic]:
    """Free symbols outside the sub-expressions that have a value as a whole."""
    if expression in values:
        return set()
    if isinstance(expression, (sp.Symbol, sp.MatrixSymbol)):
        return {expression}
    if isinstance(expression, (sp.Lambda, sp.Integral)):
        return set(expression.free_symbols)
    product = isinstance(expression, sp.MatMul)
    parts = factors(expression, values) if product else expression.args
    return set().union(*(_symbols(part, values) for part in parts))


def _point(instance: Any) -> Point | None:
    point = instance.point if isinstance(instance, Parametrised) else instance
    return point if isinstance(point, Point) else None


def point_values(claim: Claim, instance: Any, field: Field) -> Values:
    """The symbols to which the instance itself gives a value, by name."""
    point = _point(instance)
    if point is None:
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
