"""Whether a condition holds at given values: True, False, or None for "cannot tell"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import sympy as sp
from sympy.assumptions.assume import AppliedPredicate

from bounds.arithmetic.field import Field, Matrix
from bounds.errors import NotRational, SingularSystemError, UndefinedError
from bounds.matrices import permutation
from proofs_check.arithmetic.evaluate import (
    Environment,
    UnsupportedExpression,
    as_scalar,
    evaluate,
)


def truth(condition: sp.Basic, values: Environment, field: Field) -> bool | None:
    """Three-valued truth of a SymPy Boolean: comparisons, And, Or, Not, and matrix predicates.

    Raises:
        UnsupportedExpression: the condition has a part that no rule decides.
    """
    if condition is sp.true or condition is sp.false:
        return condition is sp.true
    if isinstance(condition, sp.And):
        return all_defined(partial(truth, part, values, field) for part in condition.args)
    if isinstance(condition, sp.Or):
        return negated(all_defined(partial(_denied, x, values, field) for x in condition.args))
    if isinstance(condition, sp.Not):
        return negated(truth(condition.args[0], values, field))
    if isinstance(condition, AppliedPredicate):
        return _predicate(condition, values, field)
    compare = _COMPARISONS.get(type(condition))
    if compare is None:
        raise UnsupportedExpression(f"no rule decides {type(condition).__name__}: {condition}")
    left, right = (evaluate(side, values, field) for side in condition.args)
    return compare(left, right, field)


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """True when all are, False when one is, else None."""
    seen = list(answers)
    if False in seen:
        return False
    return None if None in seen else True


def all_defined(questions: Iterable[Callable[[], bool | None]]) -> bool | None:
    """As :func:`all_of`, where one False decides even if other questions have no answer.

    ``x > 0`` and ``log(x) < 1`` is False at x = -1, whichever comes first.

    Raises:
        UndefinedError, SingularSystemError: of a question, when no other answer is False.
    """
    answers: list[bool | None] = []
    undefined: UndefinedError | SingularSystemError | None = None
    for question in questions:
        try:
            answers.append(question())
        except (UndefinedError, SingularSystemError) as error:
            undefined = error
    if undefined is not None and False not in answers:
        raise undefined
    return all_of(answers)


def _denied(condition: sp.Basic, values: Environment, field: Field) -> bool | None:
    return negated(truth(condition, values, field))


def negated(answer: bool | None) -> bool | None:
    """The opposite; None stays None."""
    return None if answer is None else not answer


def equal(left: Any, right: Any, field: Field) -> bool | None:
    """Equality of two scalars, or entry by entry of two matrices of one shape."""
    pairs = entry_pairs(left, right, field)
    if pairs is None:
        return field.equal(as_scalar(left, field), as_scalar(right, field))
    return all_of(field.equal(a, b) for a, b in pairs)


def entry_pairs(left: Any, right: Any, field: Field) -> list[tuple[Any, Any]] | None:
    """Corresponding entries of two matrices; None unless both are matrices of one shape."""
    try:
        shape, other = field.shape(left), field.shape(right)
    except (AttributeError, TypeError):
        return None
    if shape != other:
        raise UnsupportedExpression(f"the sides have shapes {shape} and {other}")
    rows, columns = shape
    return [
        (field.entry(left, i, j), field.entry(right, i, j))
        for i in range(rows)
        for j in range(columns)
    ]


def _less(left: Any, right: Any, field: Field) -> bool | None:
    return field.less(as_scalar(left, field), as_scalar(right, field))


def _less_equal(left: Any, right: Any, field: Field) -> bool | None:
    return field.less_equal(as_scalar(left, field), as_scalar(right, field))


_COMPARISONS: Mapping[type, Callable[[Any, Any, Field], bool | None]] = MappingProxyType(
    {
        sp.StrictLessThan: _less,
        sp.LessThan: _less_equal,
        sp.StrictGreaterThan: lambda a, b, field: _less(b, a, field),
        sp.GreaterThan: lambda a, b, field: _less_equal(b, a, field),
        sp.Equality: equal,
        sp.Unequality: lambda a, b, field: negated(equal(a, b, field)),
    }
)


def _predicate(condition: Any, values: Environment, field: Field) -> bool | None:
    matrix = evaluate(condition.arg, values, field)
    name = condition.function
    if name == sp.Q.symmetric:
        return _symmetric(matrix, field)
    if name == sp.Q.orthogonal:
        return _orthogonal(matrix, field)
    if name == sp.Q.invertible:
        return _invertible(matrix, field)
    if name == sp.Q.positive_definite:
        return all_of((_symmetric(matrix, field), _minors_positive(matrix, field)))
    if name == permutation:
        return all_of((_orthogonal(matrix, field), _zero_one(matrix, field)))
    raise UnsupportedExpression(f"no rule decides the predicate {name}")


def _symmetric(matrix: Matrix, field: Field) -> bool | None:
    return equal(matrix, field.transpose(matrix), field)


def _orthogonal(matrix: Matrix, field: Field) -> bool | None:
    rows, columns = field.shape(matrix)
    if rows != columns:
        return False
    return equal(field.matmul(field.transpose(matrix), matrix), field.identity(rows), field)


def _invertible(matrix: Matrix, field: Field) -> bool | None:
    rows, columns = field.shape(matrix)
    if rows != columns:
        return False
    return negated(field.equal(field.determinant(matrix), field.number(0)))


def _zero_one(matrix: Matrix, field: Field) -> bool | None:
    rows, columns = field.shape(matrix)
    zero, one = field.number(0), field.number(1)
    entries = [field.entry(matrix, i, j) for i in range(rows) for j in range(columns)]
    return all_of(negated(all_of(negated(field.equal(x, y)) for y in (zero, one))) for x in entries)


def _minors_positive(matrix: Matrix, field: Field) -> bool | None:
    """Sylvester's criterion: all leading minors are positive."""
    rows, _ = field.shape(matrix)
    zero = field.number(0)
    answers = []
    for size in range(1, rows + 1):
        block = [[field.entry(matrix, i, j) for j in range(size)] for i in range(size)]
        try:
            minor = field.determinant(field.from_scalars(block))
        except (NotRational, SingularSystemError):
            return None
        answers.append(field.less(zero, minor))
    return all_of(answers)
