"""Results at real sizes say what they are, and refuse what they cannot say."""

import numpy as np
import pytest

from bounds.errors import ParameterError, ShapeError, UndefinedError
from bounds.large.result import Computed, Route, as_route


def computed(value, error, route=Route.FEATURE_QR):
    return Computed(np.array(value), np.array(error), route, 1.0, 0.0)


def test_a_result_is_read_only_and_leaves_the_array_given_alone():
    value = np.array([[1.0, -4.0]])
    found = Computed(value, np.array([[0.5, 0.25]]), Route.FEATURE_QR, 1.0, 0.0)
    with pytest.raises(ValueError, match="read-only"):
        found.value[0, 0] = 2.0
    value[0, 0] = 1.0
    assert found.relative_error == 0.125


@pytest.mark.parametrize(
    ("value", "error", "kind"),
    [
        ([[1.0]], [1.0], ShapeError),
        ([np.nan], [0.0], UndefinedError),
        ([np.inf], [0.0], UndefinedError),
        ([1.0], [np.nan], UndefinedError),
        ([1.0], [-1e-9], UndefinedError),
    ],
)
def test_a_result_is_finite_with_errors_that_are_bounds(value, error, kind):
    with pytest.raises(kind):
        computed(value, error)


def test_relative_error_of_zero():
    assert computed([0.0], [0.0]).relative_error == 0.0
    assert computed([0.0], [1.0]).relative_error == np.inf


def test_which_routes_prove():
    rigorous = {str(route) for route in Route if route.rigorous}
    assert rigorous == {
        "feature-balls", "kernel-residual", "kernel-balls", "rational", "enclosed-softmax",
    }  # fmt: skip
    assert not computed([1.0], [0.0]).rigorous


def test_routes_by_name():
    assert as_route(None) is None
    assert as_route("kernel-balls") is Route.KERNEL_BALLS
    with pytest.raises(ParameterError, match=r"route = 'fast': must be one of feature-qr, "):
        as_route("fast")
