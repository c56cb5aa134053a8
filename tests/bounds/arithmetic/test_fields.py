"""The three fields agree, decide three-valued, and refuse what they cannot do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, arb_mat, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import BallField, Field, FloatField, RationalField
from bounds.arithmetic.balls import whole_power
from bounds.arithmetic.convert import to_fraction
from bounds.arithmetic.linear import entries
from bounds.errors import (
    NotRational,
    ParameterError,
    ShapeError,
    SingularSystemError,
    UndefinedError,
)

RATIONAL, BALL, FLOAT = RationalField(), BallField(), FloatField()
FIELDS: tuple[Field, ...] = (RATIONAL, BALL, FLOAT)
small = st.fractions(-8, 8, max_denominator=4)


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    with BALL.context():
        yield


def ends(ball: Any) -> tuple[Fraction, Fraction]:
    lower, upper = (end.man_exp() for end in (ball.lower(), ball.upper()))
    return tuple(Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (lower, upper))  # type: ignore[return-value]


def assert_agree(compute: Callable[[Field], Any]) -> None:
    """The rational matrix lies in the ball and within the stated error of the float."""
    truth, balls, floats = (entries(field, compute(field)) for field in FIELDS)
    for exact_row, ball_row, float_row in zip(truth, balls, floats, strict=True):
        for x, ball, approx in zip(exact_row, ball_row, float_row, strict=True):
            low, high = ends(ball)
            assert low <= to_fraction(x) <= high
            assert abs(to_fraction(x) - Fraction(approx.value)) <= Fraction(approx.error)


@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(1, 4))
def test_linear_algebra_agrees(data: st.DataObject, n: int, m: int) -> None:
    rows = data.draw(st.lists(st.lists(small, min_size=m, max_size=m), min_size=n, max_size=n))

    def spd(field: Field) -> Any:
        A = field.matrix(rows)
        return field.matmul(A, field.transpose(A)) + field.identity(n)

    assert_agree(lambda field: field.solve(spd(field), field.matrix(rows)))
    assert_agree(lambda field: field.inverse(spd(field)))
    assert_agree(lambda field: field.from_scalars([[field.determinant(spd(field))]]))
    assert_agree(lambda field: -field.scale(field.number(Fraction(1, 3)), field.matrix(rows)))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.data())
def test_general_systems_agree_or_are_refused(n: int, data: st.DataObject) -> None:
    square = st.lists(st.lists(small, min_size=n, max_size=n), min_size=n, max_size=n)
    rows = data.draw(square)
    if RATIONAL.determinant(RATIONAL.matrix(rows)) != 0:
        assert_agree(lambda field: field.inverse(field.matrix(rows)))
        return
    for field in FIELDS:
        with pytest.raises(SingularSystemError, match="A: "):
            field.inverse(field.matrix(rows))


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(1, 4))
def test_penrose_equations(data: st.DataObject, n: int, m: int) -> None:
    rows = data.draw(st.lists(st.lists(small, min_size=m, max_size=m), min_size=n, max_size=n))
    A = RATIONAL.matrix(rows)
    P = RATIONAL.pseudo_inverse(A)
    assert A * P * A == A
    assert P * A * P == P
    assert (A * P).transpose() == A * P
    assert (P * A).transpose() == P * A
    if A.rank() == min(n, m):
        assert_agree(lambda field: field.pseudo_inverse(field.matrix(rows)))
    else:
        for field in (BALL, FLOAT):
            with pytest.raises(SingularSystemError, match="full rank not certain"):
                field.pseudo_inverse(field.matrix(rows))


def test_floats_name_the_condition() -> None:
    nearly: list[list[Fraction | int]] = [[1, 1], [1, 1 + Fraction(1, 10**15)]]
    with pytest.raises(SingularSystemError, match="condition about"):
        FLOAT.inverse(FLOAT.matrix(nearly))
    corner = BALL.entry(BALL.inverse(BALL.matrix(nearly)), 1, 1)
    assert abs(corner - 10**15) < arb("1e-5")


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_scalars_that_are_rational(field: Field) -> None:
    number = field.number
    cases = [
        (field.sqrt(number(Fraction(4, 9))), Fraction(2, 3)),
        (field.sqrt_nonnegative(number(0)), Fraction(0)),
        (field.power(number(Fraction(8, 27)), Fraction(-2, 3)), Fraction(9, 4)),
        (field.power(number(-2), Fraction(3)), Fraction(-8)),
        (field.power(number(0), Fraction(1, 2)), Fraction(0)),
        (field.exp(number(0)), Fraction(1)),
        (field.log(number(1)), Fraction(0)),
        (field.log_gamma(number(2)), Fraction(0)),
        (field.gamma_upper(number(3), number(0)), Fraction(1)),
        (field.maximum(number(1), number(2)), Fraction(2)),
        (field.minimum(number(1), number(2)), Fraction(1)),
        (field.absolute(number(-3)), Fraction(3)),
    ]
    for value, expected in cases:
        assert abs(Fraction(field.to_float(value)) - expected) <= Fraction(field.error(value))
        assert field.equal(value, number(expected)) is not False
        assert field.error(value) < 1e-14


@pytest.mark.parametrize(
    "compute",
    [
        lambda: RATIONAL.sqrt(RATIONAL.number(2)),
        lambda: RATIONAL.exp(RATIONAL.number(1)),
        lambda: RATIONAL.log(RATIONAL.number(2)),
        lambda: RATIONAL.pi(),
        lambda: RATIONAL.power(RATIONAL.number(Fraction(4, 3)), Fraction(1, 2)),
        lambda: RATIONAL.gamma_upper(RATIONAL.number(1), RATIONAL.number(1)),
        lambda: RATIONAL.log_gamma(RATIONAL.number(3)),
        lambda: RATIONAL.hull(RATIONAL.number(0), RATIONAL.number(1)),
        lambda: RATIONAL.lambda_min(RATIONAL.matrix([[1, 1], [1, 3]])),
    ],
)
def test_leaving_the_rationals_is_an_error(compute: Callable[[], object]) -> None:
    with pytest.raises(NotRational):
        compute()


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_undefined_is_an_error(field: Field) -> None:
    zero, minus = field.number(0), field.number(-4)
    for compute in (
        lambda: field.sqrt(minus),
        lambda: field.sqrt_nonnegative(minus),
        lambda: field.log(zero),
        lambda: field.power(zero, Fraction(-1)),
        lambda: field.power(minus, Fraction(1, 2)),
        lambda: field.gamma_upper(zero, field.number(1)),
        lambda: field.gamma_upper(field.number(1), minus),
        lambda: field.log_gamma(zero),
    ):
        with pytest.raises(UndefinedError):
            compute()


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_bad_shapes_are_named(field: Field) -> None:
    I2, I3 = field.identity(2), field.identity(3)
    with pytest.raises(ShapeError, match="A B = 2 x 2 times 3 x 3"):
        field.matmul(I2, I3)
    with pytest.raises(ShapeError, match="B = 3 x 3"):
        field.solve(I2, I3)
    with pytest.raises(ShapeError, match="A = 1 x 2"):
        field.determinant(field.ones(1, 2))
    with pytest.raises(ParameterError, match=r"A\[1, 0\] = .*must be symmetric"):
        field.lambda_min(field.matrix([[1, 2], [3, 4]]))


def test_decisions_are_three_valued() -> None:
    third, near = BALL.number(Fraction(1, 3)), BALL.number(Fraction(1, 3) + Fraction(1, 10**60))
    assert BALL.less(third, near) is None
    assert BALL.less_equal(third, near) is None
    assert BALL.equal(third, third) is None
    assert BALL.less_equal(BALL.number(1), BALL.number(1)) is True
    assert BALL.less(BALL.number(1), BALL.number(1)) is False
    assert BALL.equal(BALL.number(1), BALL.number(1)) is True
    assert BALL.less(arb("nan"), third) is None
    assert BALL.equal(arb("nan"), arb("nan")) is None
    f_third = FLOAT.number(Fraction(1, 3))
    assert FLOAT.less_equal(f_third, f_third) is None
    assert FLOAT.less_equal(FLOAT.number(1), FLOAT.number(1)) is True


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@given(number=st.fractions(-(10**6), 10**6))
def test_error_bounds_the_float(field: Field, number: Fraction) -> None:
    with field.context():
        scalar = field.number(number)
        assert abs(number - Fraction(field.to_float(scalar))) <= Fraction(field.error(scalar))


def test_precision_is_restored_even_after_an_error() -> None:
    before = ctx.prec
    with BallField(300).context():
        assert ctx.prec == 300
        with pytest.raises(SingularSystemError), BallField(500).context():
            BALL.inverse(arb_mat([[1, 1], [1, 1]]))
        assert ctx.prec == 300
        BALL.lambda_min(BALL.matrix([[2, 1], [1, 2]]))
        assert ctx.prec == 300
    assert ctx.prec == before


@pytest.mark.parametrize("precision", [0, -5, 1.5, True, "128"])
def test_bad_precision_is_named(precision: Any) -> None:
    with pytest.raises(ParameterError, match="precision = "):
        BallField(precision)


def test_wide_gamma_tail_is_monotone() -> None:
    value = BALL.gamma_upper(arb(2), arb(5, 4.5))
    assert 0 < value.lower() < value.upper() < 1.0
    assert value.contains(arb(5).gamma_upper(2, 1))


def test_square_root_of_a_straddling_ball() -> None:
    straddling = arb(0, 1e-30)
    with pytest.raises(UndefinedError):
        BALL.sqrt(straddling)
    assert BALL.sqrt_nonnegative(straddling).contains(arb("1e-15"))


def test_text_shows_the_kind_of_number() -> None:
    third = Fraction(1, 3)
    assert RATIONAL.text(RATIONAL.number(third)) == "1/3"
    assert "+/-" in BALL.text(BALL.number(third))
    assert "+/-" in FLOAT.text(FLOAT.number(third))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, -1])
@pytest.mark.parametrize("x", [(0, 1), (0.5, 1), (-0.25, 1), (3, 1), (0, 0), (-2, 0)])
def test_whole_powers_of_balls_that_hold_zero_are_as_narrow_as_they_can_be(x, n):
    ball = arb(*x)
    if n < 0 and ball.contains(0):
        assert not whole_power(ball, n).is_finite()
        return
    found = whole_power(ball, n)
    ends = [float(x[0]) - x[1], float(x[0]) + x[1]]
    values = [end**n for end in ends] + ([0.0] if ball.contains(0) and n > 0 else [])
    assert all(found.contains(arb(value)) for value in values)
    if ball.contains(0):
        assert float(found.rad()) <= (max(values) - min(values)) / 2 + 1e-6 * max(map(abs, values))
