"""The separation bound: it must lie below every number that is not 0, and must find every 0."""

import math
import sys
from fractions import Fraction

import mpmath
import pytest
from flint import arb, fmpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bounds.arithmetic.mixed import MixedField
from bounds.arithmetic.separation import Real, Separation, ball_of, rational_separation
from bounds.errors import UndefinedError

FIELD = MixedField(2048)
DIGITS = 200
SMALL = st.integers(-9, 9)
# An expression is an integer, or (operation, expression, expression or index).
EXPRESSIONS = st.recursive(
    SMALL,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+-*/"), inner, inner),
        st.tuples(st.just("root"), inner, st.integers(2, 3)),
    ),
    max_leaves=6,
)


class Undefined(Exception):
    """A quotient by 0 or a root of a negative number."""


def in_field(e):
    """The expression in the mixed field."""
    if isinstance(e, int):
        return FIELD.number(e)
    kind, left, right = e
    a = in_field(left)
    if kind == "root":
        return FIELD.power(a, Fraction(1, right))
    b = in_field(right)
    if kind == "/" and FIELD.equal(b, FIELD.number(0)) is not False:
        raise Undefined
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[kind]()


def in_digits(e):
    """The expression in mpmath with 200 digits; what is below 10^-150 counts as 0."""
    if isinstance(e, int):
        return mpmath.mpf(e)
    kind, left, right = e
    a = in_digits(left)
    if kind == "root":
        return mpmath.mpf(0) if abs(a) < mpmath.mpf(10) ** -150 else mpmath.root(a, right)
    b = in_digits(right)
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[kind]()


def sign(x):
    """The sign that the field gives a scalar of either kind."""
    return x.sign() if isinstance(x, Real) else (x > 0) - (x < 0)


@given(EXPRESSIONS)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_signs_agree_with_200_digits(e):
    with FIELD.context(), mpmath.workdps(DIGITS):
        try:
            value = in_field(e)
        except (UndefinedError, Undefined):
            assume(False)
        near = in_digits(e)
        expected = 0 if abs(near) < mpmath.mpf(10) ** -150 else int(mpmath.sign(near))
        # With 2048 bits the bound may be out of reach, but a wrong sign is never right.
        assert sign(value) in (expected, None if expected == 0 else expected)
        if isinstance(value, Real) and expected and value.separation.bits < 10**6:
            assert mpmath.log(abs(near), 2) >= -value.separation.bits


@given(st.integers(1, 30), st.integers(1, 30), st.integers(-9, 9), st.integers(1, 9))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_what_is_zero_by_construction_is_found(a, b, p, q):
    with FIELD.context():
        number, root = FIELD.number, FIELD.sqrt
        x, y = root(number(a)), number(Fraction(p, q)) * root(number(b))
        zeros = (
            (x + y) * (x + y) - x * x - 2 * x * y - y * y,
            (x + y) * (x - y) - (x * x - y * y),
            root(number(a)) * root(number(b)) - root(number(a * b)),
            root(number(a)) + root(number(b)) - root(a + b + 2 * root(number(a * b))),
        )
        for zero in zeros:
            assert sign(zero) == 0
            tiny = number(Fraction(1, 10**80))
            assert sign(zero + tiny) == 1
            assert sign(zero - tiny) == -1


@pytest.mark.parametrize("digits", [20, 40, 100, 300])
def test_near_ties_with_a_rational(digits):
    with mpmath.workdps(digits + 20):
        scaled = int(mpmath.floor((mpmath.sqrt(2) + mpmath.sqrt(3)) * 10**digits))
    with FIELD.context():
        total = FIELD.sqrt(FIELD.number(2)) + FIELD.sqrt(FIELD.number(3))
        below, above = (FIELD.number(Fraction(scaled + i, 10**digits)) for i in (0, 1))
        assert FIELD.less(below, total) is True
        assert FIELD.less_equal(total, below) is False
        assert FIELD.less(total, above) is True
        assert FIELD.less_equal(above, total) is False
        assert FIELD.equal(total, above) is False


def test_too_little_precision_gives_no_answer_rather_than_a_wrong_one():
    field = MixedField(64)
    with field.context():
        total = field.sqrt(field.number(2)) + field.sqrt(field.number(3))
        near = field.number(Fraction(round(Fraction(field.to_float(total)) * 10**40), 10**40))
        close = near + total - near  # as the sum, and a wider ball
        assert field.less(total, close) is None
        assert field.equal(total, close) is None


def test_transcendental_numbers_have_no_bound():
    with FIELD.context():
        e = FIELD.exp(FIELD.number(1))
        for zero in (e - e, FIELD.pi() - FIELD.pi(), e * FIELD.sqrt(FIELD.number(2)) - e):
            assert zero.separation is None
        assert (e - e).sign() is None
        assert (e - FIELD.pi()).sign() == -1


def test_a_quotient_by_an_unknown_zero_stays_undecided():
    with FIELD.context():
        nothing = FIELD.pi() - FIELD.pi()
        for quotient in (1 / nothing, FIELD.number(1) / nothing, FIELD.pi() / nothing):
            assert quotient.sign() is None


def test_the_rules_of_the_bound():
    two, half = rational_separation(fmpq(2)), rational_separation(fmpq(1, 2))
    assert (two.u, two.l) == (2, 1)
    assert (half.u, half.l) == (1, 2)
    assert two.times(half) == Separation(3, 3)
    assert two.over(half) == Separation(4, 2)
    assert two.plus(half) == Separation(max(2 + 2, 1 + 1) + 1, 3)
    root = two.root(2, "2")
    assert root.u == (2 + 1) / 2
    assert root.roots == frozenset({("2", 2)})
    assert root.plus(root).roots == root.roots  # the same root twice is one extension
    assert root.bits == root.u * (2 - 1) + root.l


@given(st.fractions(max_denominator=10**9))
@settings(derandomize=True, max_examples=100)
def test_a_rational_exceeds_its_bound(value):
    assume(value != 0)
    x = fmpq(value.numerator, value.denominator)
    assert abs(value) >= Fraction(1, 2 ** math.ceil(rational_separation(x).bits))


@pytest.mark.parametrize("count", [70, 1200])
def test_many_roots_are_undecided_and_no_crash(count):
    field = MixedField(128)
    with field.context():
        total = sum((field.sqrt(field.number(k * k + 1)) for k in range(1, count)), field.number(0))
        assert (total - total).sign() is None
        assert total.sign() == 1
    assert sys.getrecursionlimit() >= 1000


def test_a_ball_of_zero_width_is_exact():
    assert Real(arb(0)).sign() == 0
    assert Real(arb("nan")).sign() is None
    assert Real(arb(0, 1), Separation(0, 0)).sign() is None
    assert ball_of(fmpq(1, 4)) == arb("0.25")
