"""The three fields: exact rationals, balls, and floats with a stated error."""

from bounds.arithmetic.balls import BallField
from bounds.arithmetic.convert import exact, exact_matrix, exact_vector
from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.floats import FloatField
from bounds.arithmetic.rationals import RationalField

__all__ = [
    "BallField",
    "Field",
    "FloatField",
    "Matrix",
    "RationalField",
    "Scalar",
    "exact",
    "exact_matrix",
    "exact_vector",
]
