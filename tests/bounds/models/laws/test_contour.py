"""The float contour against the enclosed tail: its stated error holds, and is small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import BallField
from bounds.errors import ParameterError, ShapeError, UndefinedError
from bounds.models.laws import (
    TailProbability,
    gaussian_norm_tail,
    gaussian_norm_tails,
    hyperbola,
    quadratic_form_tails,
)

BALL = BallField()


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    with BALL.context():
        yield


def enclosed(values: Sequence[float], b: Sequence[float], t: float, upper: bool) -> Any:
    n = len(values)
    S = arb_mat([[arb(values[i]) if i == j else arb(0) for j in range(n)] for i in range(n)])
    return gaussian_norm_tail(S, arb_mat([[arb(x)] for x in b]), arb(t), upper=upper)


def assert_right(found: TailProbability, truth: Any, within: float) -> None:
    distance = abs(arb(float(found.value)) - truth)
    assert distance <= arb(float(found.error)) + truth.rad()
    assert distance <= within * truth + truth.rad()


CASES = [
    ([1.0], [0.0], 9.0),
    ([1.0], [0.0], 170.0),
    ([1.0], [3.0], 1e-20),
    ([1.0, 0.5, 0.2], [1.0, 2.0, 3.0], 100.0),
    ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], 180.0),
    ([1.0, 1e-12], [1.0, 1e3], 1e6 + 200),
    ([1.0] * 4, [1e3, 0.0, 0.0, 0.0], 1e6 + 2.6e4),
    ([1.0] * 8, [0.0] * 8, 1e-6),
    ([1.0, 0.0, 0.0], [0.0, 1.0, 2.0], 6.0),
    ([1.0, 0.0], [1e12, 0.0], 1e24 + 4e12),
    ([1.0, 1e-6, 1e-12], [0.0] * 3, 1e-14),
    ([1e-300, 1e-290], [0.0] * 2, 1e-289),
    ([1e300, 1e290], [0.0] * 2, 1e302),
    ([0.3, 0.7, 0.1], [5.0, -3.0, 2.0], 1.0),
    ([1e-12] * 100 + [1.0], [0.0] * 101, 0.99e-10),
]


@pytest.mark.parametrize(("values", "b", "t"), CASES)
@pytest.mark.parametrize("upper", [True, False])
def test_nasty_cases(values: list[float], b: list[float], t: float, upper: bool) -> None:
    found = quadratic_form_tails(values, b, t, upper=upper)
    assert_right(found, enclosed(values, b, t, upper), 1e-12)
    assert found.relative_error < 1e-9


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 5), st.floats(0, 12), st.floats(-3, 6), st.booleans())
def test_random_laws(seed: int, n: int, decades: float, size: float, upper: bool) -> None:
    with BALL.context():
        rng = np.random.default_rng(seed)
        values = 10.0 ** rng.uniform(-decades, 0, n)
        b = rng.normal(size=n) * 10.0**size
        mean, var = values.sum() + b @ b, 2 * values @ values + 4 * values @ (b * b)
        t = max(mean + np.sqrt(var) * rng.uniform(-6, 10), mean / 50)
        truth = enclosed(values.tolist(), b.tolist(), float(t), upper)
        found = quadratic_form_tails(values, b, t, upper=upper)
        assert abs(arb(float(found.value)) - truth) <= arb(float(found.error)) + truth.rad()
        if truth > arb("1e-39"):
            assert found.relative_error < 1e-9


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 5), st.floats(-2, 3))
def test_from_a_factor(seed: int, d: int, m: int, size: float) -> None:
    """The singular values are rounded; the stated error covers that too."""
    with BALL.context():
        rng = np.random.default_rng(seed)
        A, b = rng.normal(size=(d, m)), rng.normal(size=d) * 10.0**size
        t = float(b @ b + (A**2).sum() * rng.uniform(0.5, 9))
        exact = arb_mat(A.tolist())
        column = arb_mat([[float(x)] for x in b])
        truth = gaussian_norm_tail(exact * exact.transpose(), column, arb(t), upper=True)
        found = gaussian_norm_tails(A, b, t)
        assert abs(arb(float(found.value)) - truth) <= arb(float(found.error)) + truth.rad()
        assert found.error < 1e-6


@pytest.mark.parametrize("size", [1e3, 1e6])
@pytest.mark.parametrize("seed", range(6))
def test_a_large_offset_that_the_factor_does_not_reach(size: float, seed: int) -> None:
    """A rounding of the singular vectors turns some of the offset into the range of A."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 1))
    b = size * np.cross(A[:, 0], rng.normal(size=3)) + A[:, 0]
    t = float(b @ b + 5 * (A**2).sum())
    exact, column = arb_mat(A.tolist()), arb_mat([[float(x)] for x in b])
    truth = gaussian_norm_tail(exact * exact.transpose(), column, arb(t), upper=True)
    found = gaussian_norm_tails(A, b, t)
    assert abs(arb(float(found.value)) - truth) <= arb(float(found.error)) + truth.rad()
    assert found.error < 1e-4


def test_a_batch_is_its_rows_and_probabilities_fall() -> None:
    values, b = np.array([[1.0, 0.5], [2.0, 0.0]]), np.array([1.0, -1.0])
    t = np.linspace(0.5, 300, 40)
    found = quadratic_form_tails(values[:, None], b, t)
    assert found.value.shape == (2, 40)
    for i in range(2):
        alone = quadratic_form_tails(values[i], b, t)
        assert (np.abs(alone.value - found.value[i]) <= alone.error + found.error[i]).all()
    assert (np.diff(found.value) < 0).all()
    assert quadratic_form_tails(values, b, np.zeros((0, 2))).value.shape == (0, 2)


def test_logarithms_go_on_where_values_underflow() -> None:
    found = quadratic_form_tails([1.0], [0.0], 2e4)
    truth = (arb(10**4).sqrt()).erfc()
    assert found.value == 0.0
    assert abs(arb(float(found.log_value)) - truth.log()) < found.relative_error < 1e-9


def test_what_is_certain() -> None:
    found = quadratic_form_tails(
        [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
        [[3.0, 4.0], [3.0, 4.0], [0.0, 2.0], [0.0, 2.0], [0.0, 0.0]],
        [25.0, 24.0, 4.0, -1.0, 0.0],
    )
    assert found.value.tolist() == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert not found.error.any()


def test_lost_digits_are_said() -> None:
    """Far below the smallest float nothing is known but that it is tiny."""
    found = quadratic_form_tails([1e-40], [3.0], 9.5)
    assert found.value + found.error < 1e-300
    assert np.isinf(found.relative_error)


@pytest.mark.parametrize("step", [0.2, 0.5, 1.0])
def test_a_coarse_rule_says_so(step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sabotage of the step: the bound on the discretisation grows along with the error."""
    monkeypatch.setattr(hyperbola, "STEP", step)
    for values, b, t in (CASES[0], CASES[1], *CASES[3:7]):
        found = quadratic_form_tails(values, b, t)
        truth = enclosed(values, b, t, True)
        assert abs(arb(float(found.value)) - truth) <= arb(float(found.error)) + truth.rad()
        assert found.relative_error > 1e-11


def test_a_path_cut_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyperbola, "_FALL", 5.0)
    for values, b, t in (CASES[0], CASES[1], *CASES[3:7]):
        found = quadratic_form_tails(values, b, t)
        truth = enclosed(values, b, t, True)
        assert abs(arb(float(found.value)) - truth) <= arb(float(found.error)) + truth.rad()
        assert found.relative_error > 1e-6


@pytest.mark.parametrize(
    ("arguments", "kind", "name"),
    [
        (([1.0, np.nan], [0.0, 0.0], 1.0), ParameterError, "eigenvalues"),
        (([1.0, -1.0], [0.0, 0.0], 1.0), ParameterError, "eigenvalues"),
        (([1.0], [np.inf], 1.0), ParameterError, "offsets"),
        (([1.0], [0.0], np.nan), ParameterError, "limits"),
        (([1.0], ["a"], 1.0), ParameterError, "offsets"),
        (([1.0, 1.0], [0.0], 1.0), ShapeError, "eigenvalues, offsets"),
        (([], [], 1.0), ShapeError, "eigenvalues"),
        (([[1.0], [1.0]], [0.0], [1.0, 2.0, 3.0]), ShapeError, "eigenvalues, offsets, limits"),
    ],
)
def test_bad_arguments_are_named(arguments: Any, kind: type[Exception], name: str) -> None:
    with pytest.raises(kind, match=f"^{name} = "):
        quadratic_form_tails(*arguments)


def test_bad_factors_are_named() -> None:
    with pytest.raises(ShapeError, match=r"^A = "):
        gaussian_norm_tails([1.0], [1.0], 1.0)
    with pytest.raises(ShapeError, match=r"^b = "):
        gaussian_norm_tails([[1.0]], [1.0, 2.0], 1.0)
    with pytest.raises(UndefinedError, match="gaussian_norm_tail"):
        quadratic_form_tails([1e-200], [1e100], 1.0)
