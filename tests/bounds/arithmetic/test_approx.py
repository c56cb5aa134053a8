"""The stated error of a float is a true bound: checked against exact rationals."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bounds.arithmetic.approx import Approx
from bounds.arithmetic.approx_matrix import ApproxMatrix
from bounds.arithmetic.convert import to_fmpq
from bounds.arithmetic.floats import FloatField
from bounds.errors import BoundsError, ParameterError, ShapeError, UndefinedError

FIELD = FloatField()


@st.composite
def numbers(draw: st.DrawFn) -> tuple[Fraction, Approx]:
    """A rational of any size, and an enclosure of it that is not centred on it."""
    size = draw(st.sampled_from([0, 0, 0, -30, 30, -310, -160, 150]))
    truth = draw(st.fractions(-1000, 1000, max_denominator=10**6)) * Fraction(10) ** size
    shift = draw(st.sampled_from([Fraction(0), Fraction(1, 10**12), Fraction(-1, 3)]))
    nearby = Approx.enclosing(truth * (1 + shift))
    distance = abs(Fraction(nearby.value) - truth)
    error = Approx.enclosing(distance)
    return truth, Approx(nearby.value, error.high)


def contains(approx: Approx, truth: Fraction) -> bool:
    return abs(Fraction(approx.value) - truth) <= Fraction(approx.error)


@settings(max_examples=250, deadline=None)
@given(numbers(), numbers(), st.sampled_from(["add", "sub", "mul", "truediv"]))
def test_arithmetic_encloses(
    first: tuple[Fraction, Approx], second: tuple[Fraction, Approx], name: str
) -> None:
    operation: Callable[..., object] = getattr(operator, name)
    assume(name != "truediv" or second[0] != 0)
    try:
        result = operation(first[1], second[1])
    except UndefinedError:
        return
    truth = operation(first[0], second[0])
    assert isinstance(result, Approx)
    assert isinstance(truth, Fraction)
    assert contains(result, truth)


@given(numbers(), numbers())
def test_extremes_and_decisions(
    first: tuple[Fraction, Approx], second: tuple[Fraction, Approx]
) -> None:
    (x, a), (y, b) = first, second
    assert contains(FIELD.maximum(a, b), max(x, y))
    assert contains(FIELD.minimum(a, b), min(x, y))
    assert contains(FIELD.absolute(a), abs(x))
    assert contains(FIELD.hull(a, b), x)
    assert contains(FIELD.hull(a, b), (x + y) / 2)
    assert FIELD.less_equal(a, b) in (None, x <= y)
    assert FIELD.less(a, b) in (None, x < y)
    assert FIELD.equal(a, b) in (None, x == y)


@settings(max_examples=300, deadline=None)
@given(numbers(), st.sampled_from(["sqrt", "sqrt_nonnegative", "exp", "log", "log_gamma"]))
def test_functions_enclose(number: tuple[Fraction, Approx], name: str) -> None:
    truth, approx = number
    assume(name == "exp" or truth > 0)
    try:
        result = getattr(FIELD, name)(approx)
    except UndefinedError:
        return
    with ctx.workprec(300):
        x = arb(to_fmpq(truth))
        reference = {"sqrt_nonnegative": x.sqrt, "log_gamma": x.lgamma}.get(name)
        expected = reference() if reference else getattr(x, name)()
        # The reference is known to 300 bits, so only a true miss lies certainly outside.
        assert not abs(arb(result.value) - expected) > arb(result.error)


@settings(max_examples=200, deadline=None)
@given(
    numbers(),
    st.sampled_from([Fraction(2), Fraction(-3), Fraction(1, 3), Fraction(-5, 2), Fraction(0)]),
)
def test_powers_enclose(number: tuple[Fraction, Approx], exponent: Fraction) -> None:
    truth, approx = number
    assume(truth > 0 or (exponent.denominator == 1 and truth != 0))
    try:
        result = FIELD.power(approx, exponent)
    except UndefinedError:
        return
    with ctx.workprec(400):
        x = arb(to_fmpq(truth))
        whole = exponent.denominator == 1
        expected = x ** (int(exponent) if whole else arb(to_fmpq(exponent)))
        assert not abs(arb(result.value) - expected) > arb(result.error)


def exact_product(A: list[list[Fraction]], B: list[list[Fraction]]) -> list[list[Fraction]]:
    columns = list(zip(*B, strict=True))
    return [[sum(map(operator.mul, row, c), Fraction(0)) for c in columns] for row in A]


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 2), st.integers(1, 3), st.integers(1, 2))
def test_matrix_operations_enclose(data: st.DataObject, n: int, m: int, p: int) -> None:
    def table(rows: int, columns: int) -> list[list[tuple[Fraction, Approx]]]:
        return [[data.draw(numbers()) for _ in range(columns)] for _ in range(rows)]

    tables = table(n, m), table(m, p), table(n, m)
    A, B, C = ([[x for x, _ in row] for row in t] for t in tables)
    fA, fB, fC = (ApproxMatrix.from_scalars([[a for _, a in row] for row in t]) for t in tables)
    factor, f_factor = data.draw(numbers())
    cases: list[tuple[Callable[[], ApproxMatrix], list[list[Fraction]]]] = [
        (lambda: fA @ fB, exact_product(A, B)),
        (lambda: fA - fC, [list(map(operator.sub, *rows)) for rows in zip(A, C, strict=True)]),
        (lambda: fA.scaled(f_factor), [[factor * x for x in row] for row in A]),
    ]
    for compute, truth in cases:
        try:
            result = compute()
        except UndefinedError:
            continue
        for i, row in enumerate(truth):
            for j, x in enumerate(row):
                assert contains(result.entry(i, j), x)


def test_a_missing_rounding_error_is_noticed() -> None:
    """Sabotage: 1/10 + 2/10 without its rounding is not within the stated error."""
    honest = Approx.enclosing(Fraction(1, 10)) + Approx.enclosing(Fraction(2, 10))
    dishonest = Approx(honest.value, 0.0)
    assert contains(honest, Fraction(3, 10))
    assert not contains(dishonest, Fraction(3, 10))


def test_exact_zeros_stay_exact() -> None:
    zeros = FIELD.zeros(2, 2) @ FIELD.matrix([[Fraction(1, 3), 2], [3, Fraction(1, 7)]])
    assert np.array_equal(zeros.errors, np.zeros((2, 2)))
    assert (Approx(0.0) * Approx(0.1, 0.1)).is_zero()


def test_underflow_keeps_an_error() -> None:
    tiny = FIELD.number(Fraction(1, 10**200))
    assert contains(tiny * tiny, Fraction(1, 10**400))
    assert FIELD.exp(FIELD.number(-(10**6))).error > 0
    wide = FIELD.exp(Approx(-800.0, 790.0))
    assert wide.value + wide.error >= math.exp(-10)


@pytest.mark.parametrize(
    "compute",
    [
        lambda: FIELD.number(10**308) * FIELD.number(10),
        lambda: FIELD.number(1) / FIELD.number(0),
        lambda: FIELD.number(1) / Approx(0.0, 1.0),
        lambda: FIELD.exp(FIELD.number(10**5)),
        lambda: FIELD.log(Approx(1.0, 1.0)),
        lambda: FIELD.sqrt(Approx(0.5, 0.6)),
        lambda: FIELD.power(FIELD.number(-2), Fraction(1, 3)),
        lambda: FIELD.matrix([[10**200]]) @ FIELD.matrix([[10**200]]),
        lambda: Approx(math.nan),
        lambda: Approx(1.0, -1.0),
        lambda: ApproxMatrix.exact(np.array([[math.inf]])),
    ],
)
def test_nothing_is_nan_or_infinite(compute: Callable[[], object]) -> None:
    with pytest.raises(UndefinedError):
        compute()


def test_a_number_too_large_is_named() -> None:
    with pytest.raises(ParameterError, match="value = 1000"):
        FIELD.number(10**400)


def test_shapes_are_checked() -> None:
    with pytest.raises(ShapeError):
        FIELD.identity(2) + FIELD.identity(3)
    with pytest.raises(ShapeError):
        ApproxMatrix(np.zeros(2), np.zeros(2))
    with pytest.raises(BoundsError):
        ApproxMatrix(np.zeros((1, 1)), -np.ones((1, 1)))
