"""Scalars and matrices of a field as balls, and balls as scalars of that field.

For functions that are enclosed in balls only; the rational field has no enclosures and refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flint import arb, arb_mat

from bounds.arithmetic.approx import Approx
from bounds.arithmetic.balls import BallField
from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.floats import FloatField
from bounds.arithmetic.linear import entries
from bounds.arithmetic.mixed import MixedField
from bounds.arithmetic.separation import Real, ball_of
from bounds.errors import NotRational

_FLOAT_BITS = 96


@contextmanager
def ball_precision(field: Field) -> Iterator[None]:
    """The precision for balls that stand for this field: its own, or 96 bits for floats."""
    with BallField(_FLOAT_BITS).context() if isinstance(field, FloatField) else field.context():
        yield


def to_ball(field: Field, x: Scalar) -> Any:
    """The ``arb`` that encloses a scalar of the field, as narrow as the scalar is known."""
    if isinstance(field, FloatField):
        return arb(x.value, x.error)
    return ball_of(x)


def to_ball_matrix(field: Field, M: Matrix) -> Any:
    """The ``arb_mat`` that encloses a matrix of the field."""
    return arb_mat([[to_ball(field, x) for x in row] for row in entries(field, M)])


def from_ball(field: Field, x: Any, *, what: str) -> Scalar:
    """The scalar of the field that encloses a ball.

    Raises:
        NotRational: in the rational field, naming ``what``.
    """
    if isinstance(field, BallField):
        return x
    if isinstance(field, MixedField):
        return Real(x)
    if isinstance(field, FloatField):
        balls = BallField(_FLOAT_BITS)
        return Approx(balls.to_float(x), balls.error(x))
    raise NotRational(what)
