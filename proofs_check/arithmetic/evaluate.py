"""The value of a SymPy expression in a field: rational, ball or float with a stated error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from types import MappingProxyType
from typing import Any

import sympy as sp
from flint import fmpq
from sympy.matrices.expressions.applyfunc import ElementwiseApplyFunction
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.matrices.expressions.special import OneMatrix

from bounds.arithmetic.convert import to_fraction
from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.errors import BoundsError, ShapeError, UndefinedError
from bounds.matrices import PseudoInverse

Environment = Mapping[sp.Basic, Any]


class UnsupportedExpression(BoundsError):
    """The evaluator has no rule for a part of an expression, or a symbol has no value."""


def evaluate(expression: sp.Basic, values: Environment, field: Field) -> Any:
    """The value of ``expression``: a scalar of ``field``, or a matrix for a matrix expression.

    ``values`` gives every symbol its value in ``field``; a whole sub-expression may be a key too,
    which is how a quantity stands for an integral. Call it inside ``field.context()``.

    Raises:
        UnsupportedExpression: names the symbol without a value, or the part without a rule.
        NotRational, UndefinedError, SingularSystemError: as the field's operations do.
    """
    if expression in values:
        return values[expression]
    for kind in type(expression).__mro__:
        rule = _RULES.get(kind)
        if rule is not None:
            return rule(expression, values, field)
    if isinstance(expression, (sp.Symbol, sp.MatrixSymbol)):
        raise UnsupportedExpression(f"symbol {expression} has no value; give it a quantity")
    known = ", ".join(sorted({rule.__name__ for rule in _RULES}))
    raise UnsupportedExpression(
        f"no rule evaluates {type(expression).__name__} in {expression}; make it a symbol and "
        f"compute it by a Quantity (evaluated here: {known})"
    )


def dimension(expression: Any, values: Environment, field: Field) -> int:
    """The whole number that a symbolic dimension stands for."""
    value = evaluate(sp.sympify(expression, strict=True), values, field)
    whole = round(field.to_float(value))
    if field.equal(value, field.number(whole)) is not True:
        raise ShapeError(str(expression), field.text(value), "a dimension must be a whole number")
    return whole


def as_scalar(value: Any, field: Field, name: str = "value") -> Scalar:
    """The scalar itself, or the one entry of a 1 x 1 matrix; else ShapeError with ``name``."""
    try:
        shape = field.shape(value)
    except (AttributeError, TypeError):
        return value
    if shape != (1, 1):
        raise ShapeError(name, shape, "a scalar or a 1 x 1 matrix is needed here")
    return field.entry(value, 0, 0)


def _rational(expression: Any, _: Environment, field: Field) -> Scalar:
    return field.number(Fraction(int(expression.p), int(expression.q)))


def _float(expression: Any, _: Environment, __: Field) -> Scalar:
    raise UnsupportedExpression(
        f"the float {expression} is not exact; write sympy.Rational or sympify('1/10')"
    )


def _infinite(expression: Any, _: Environment, __: Field) -> Scalar:
    raise UndefinedError(f"{expression} is not a number")


def _add(expression: Any, values: Environment, field: Field) -> Any:
    return reduce(lambda a, b: a + b, (evaluate(x, values, field) for x in expression.args))


def _mul(expression: Any, values: Environment, field: Field) -> Scalar:
    return reduce(lambda a, b: a * b, (evaluate(x, values, field) for x in expression.args))


def _power(expression: Any, values: Environment, field: Field) -> Scalar:
    base, exponent = expression.args
    if base is sp.E:
        return field.exp(evaluate(exponent, values, field))
    value = evaluate(base, values, field)
    if isinstance(exponent, sp.Rational):
        return field.power(value, Fraction(int(exponent.p), int(exponent.q)))
    power = evaluate(exponent, values, field)
    exact = _as_fraction(power, field)
    if exact is not None:
        return field.power(value, exact)
    return field.exp(power * field.log(value))


def _as_fraction(value: Scalar, field: Field) -> Fraction | None:
    """The short rational number that a scalar certainly is, so that x**2 is exact for any x."""
    if isinstance(value, fmpq):
        return to_fraction(value)
    try:
        guess = Fraction(field.to_float(value)).limit_denominator(10**9)
    except UndefinedError:  # too large for a float
        return None
    return guess if field.equal(value, field.number(guess)) is True else None


def _logarithm(expression: Any, values: Environment, field: Field) -> Scalar:
    return field.log(evaluate(expression.args[0], values, field))


def _exponential(expression: Any, values: Environment, field: Field) -> Scalar:
    return field.exp(evaluate(expression.args[0], values, field))


def _absolute(expression: Any, values: Environment, field: Field) -> Scalar:
    return field.absolute(evaluate(expression.args[0], values, field))


def _maximum(expression: Any, values: Environment, field: Field) -> Scalar:
    return reduce(field.maximum, (evaluate(x, values, field) for x in expression.args))


def _minimum(expression: Any, values: Environment, field: Field) -> Scalar:
    return reduce(field.minimum, (evaluate(x, values, field) for x in expression.args))


def _trace(expression: Any, values: Environment, field: Field) -> Scalar:
    value = evaluate(expression.arg, values, field)
    rows, columns = field.shape(value)
    if rows != columns:
        raise ShapeError(str(expression.arg), (rows, columns), "a trace needs a square matrix")
    return reduce(lambda a, b: a + b, (field.entry(value, i, i) for i in range(rows)))


def _determinant(expression: Any, values: Environment, field: Field) -> Scalar:
    return field.determinant(evaluate(expression.arg, values, field))


def _element(expression: Any, values: Environment, field: Field) -> Scalar:
    matrix = evaluate(expression.args[0], values, field)
    row, column = (dimension(index, values, field) for index in expression.args[1:])
    return field.entry(matrix, row, column)


def factors(product: sp.MatMul, values: Environment) -> list[sp.Basic]:
    """The factors of a matrix product; neighbours whose product has a value are taken together.

    So Phi^T Phi may have a value where Phi, with its 10^5 rows, has none.
    """
    known = {key.args for key in values if isinstance(key, sp.MatMul)}
    left, found = list(product.args), []
    while left:
        size = next((n for n in range(len(left), 1, -1) if tuple(left[:n]) in known), 1)
        found.append(sp.MatMul(*left[:size]) if size > 1 else left[0])
        left = left[size:]
    return found


def _matmul(expression: Any, values: Environment, field: Field) -> Matrix:
    result: Any = None
    factor: Any = field.number(1)
    for part in factors(expression, values):
        value = evaluate(part, values, field)
        if not getattr(part, "is_Matrix", False):
            factor = factor * value
        else:
            result = value if result is None else field.matmul(result, value)
    return field.scale(factor, result)


def _matrix_power(expression: Any, values: Environment, field: Field) -> Matrix:
    if not isinstance(expression.args[1], sp.Integer):
        raise UnsupportedExpression(f"the matrix power {expression} has no whole exponent")
    base, exponent = evaluate(expression.args[0], values, field), int(expression.args[1])
    factor = field.inverse(base) if exponent < 0 else base
    result = field.identity(field.shape(base)[0])
    for _ in range(abs(exponent)):
        result = field.matmul(result, factor)
    return result


def _transpose(expression: Any, values: Environment, field: Field) -> Matrix:
    return field.transpose(evaluate(expression.arg, values, field))


def _inverse(expression: Any, values: Environment, field: Field) -> Matrix:
    return field.inverse(evaluate(expression.arg, values, field))


def _pseudo_inverse(expression: Any, values: Environment, field: Field) -> Matrix:
    return field.pseudo_inverse(evaluate(expression.arg, values, field))


def _identity(expression: Any, values: Environment, field: Field) -> Matrix:
    return field.identity(dimension(expression.shape[0], values, field))


def _shape(expression: Any, values: Environment, field: Field) -> tuple[int, int]:
    rows, columns = expression.shape
    return dimension(rows, values, field), dimension(columns, values, field)


def _ones(expression: Any, values: Environment, field: Field) -> Matrix:
    return field.ones(*_shape(expression, values, field))


def _zeros(expression: Any, values: Environment, field: Field) -> Matrix:
    return field.zeros(*_shape(expression, values, field))


def _elementwise(expression: Any, values: Environment, field: Field) -> Matrix:
    matrix = evaluate(expression.expr, values, field)
    variable, body = expression.function.variables[0], expression.function.expr
    rows, columns = field.shape(matrix)
    return field.from_scalars(
        [
            [evaluate(body, {**values, variable: field.entry(matrix, i, j)}, field)
             for j in range(columns)]
            for i in range(rows)
        ]
    )  # fmt: skip


def _diagonal(expression: Any, values: Environment, field: Field) -> Matrix:
    vector = evaluate(expression.args[0], values, field)
    rows, columns = field.shape(vector)
    if columns != 1:
        raise ShapeError(str(expression), (rows, columns), "DiagMatrix needs a column vector")
    zero = field.number(0)
    return field.from_scalars(
        [[field.entry(vector, i, 0) if i == j else zero for j in range(rows)] for i in range(rows)]
    )


_RULES: Mapping[type, Callable[[Any, Environment, Field], Any]] = MappingProxyType(
    {
        sp.Rational: _rational,
        sp.Float: _float,
        type(sp.oo): _infinite,
        type(-sp.oo): _infinite,
        type(sp.zoo): _infinite,
        type(sp.nan): _infinite,
        type(sp.pi): lambda _, __, field: field.pi(),
        type(sp.E): lambda _, __, field: field.exp(field.number(1)),
        sp.Add: _add,
        sp.Mul: _mul,
        sp.Pow: _power,
        sp.log: _logarithm,
        sp.exp: _exponential,
        sp.Abs: _absolute,
        sp.Max: _maximum,
        sp.Min: _minimum,
        sp.Trace: _trace,
        sp.Determinant: _determinant,
        MatrixElement: _element,
        sp.MatAdd: _add,
        sp.MatMul: _matmul,
        sp.MatPow: _matrix_power,
        sp.Transpose: _transpose,
        sp.Inverse: _inverse,
        PseudoInverse: _pseudo_inverse,
        sp.Identity: _identity,
        OneMatrix: _ones,
        sp.ZeroMatrix: _zeros,
        ElementwiseApplyFunction: _elementwise,
        sp.DiagMatrix: _diagonal,
    }
)
