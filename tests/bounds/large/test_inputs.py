"""Arrays at the border: what is refused is named, and no precision is made up."""

from fractions import Fraction

import numpy as np
import pytest

from bounds.errors import ParameterError, ShapeError
from bounds.large.inputs import matrix_input, require_finite, require_same_rows


def test_float64_is_taken_as_it_is_without_a_copy():
    given = np.arange(6.0).reshape(3, 2)
    found = matrix_input("keys", given)
    assert np.shares_memory(found.array, given)
    assert (found.rows, found.columns, found.unit) == (3, 2, 0.0)


@pytest.mark.parametrize(("dtype", "unit"), [("f4", 2.0**-24), ("f2", 2.0**-11), ("i8", 0.0)])
def test_other_types_are_converted_and_remembered(dtype, unit):
    found = matrix_input("keys", np.array([[1, 3]], dtype=dtype))
    assert (found.array.dtype, found.unit) == (np.float64, unit)
    assert found.array.tolist() == [[1.0, 3.0]]


@pytest.mark.parametrize("dtype", ["f4", "f2"])
def test_the_unit_is_half_an_ulp_relative(dtype):
    one = np.array(1.0, dtype=dtype)
    step = float(np.nextafter(one, np.array(2.0, dtype=dtype)) - one)
    assert matrix_input("x", np.array([[1.0]], dtype=dtype)).unit == step / 2


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], r"keys = an array of shape \(0,\)"),
        (np.zeros((0, 2)), r"keys = an array of shape \(0, 2\)"),
        (np.zeros(3), r"keys = an array of shape \(3,\)"),
        ([[1.0], [1.0, 2.0]], "keys = ragged"),
        ([[1.0]], "keys = 1 columns: must have 2 columns"),
    ],
)
def test_wrong_shapes_name_the_argument(value, message):
    with pytest.raises(ShapeError, match=message):
        matrix_input("keys", value, columns=2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1.0, np.nan]], r"keys\[0, 1\] = nan: must be finite"),
        ([[1.0, 2.0], [-np.inf, np.inf]], r"keys\[1, 0\] = -inf: must be finite \(2 entries"),
        ([[1j, 2]], "type complex128"),
        ([[True, False]], "type bool"),
        ([["1", "2"]], "type <U1"),
        ([[Fraction(1), 2]], "type object"),
        ([[2**53 + 1, 0]], "integers above 2\\^53"),
        (np.ones((1, 2), dtype="g"), "type longdouble|type float128"),
    ],
)
def test_wrong_entries_name_the_argument(value, message):
    with pytest.raises(ParameterError, match=message):
        matrix_input("keys", value)


def test_a_sum_that_overflows_is_no_reason_to_refuse():
    require_finite("values", np.array([[1e308, 1e308]]))


def test_rows_must_agree():
    keys, values = matrix_input("keys", np.ones((3, 1))), matrix_input("values", np.ones((2, 1)))
    with pytest.raises(ShapeError, match="keys, values = 3 and 2 rows"):
        require_same_rows(keys, values)
