"""Tight enclosures and short forms of polynomials against values at points."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.balls import Program, exact, finite
from proofs_check.recheck.derivative import derivative
from proofs_check.recheck.expression import num, replaced, var
from proofs_check.recheck.horner import shortest
from proofs_check.recheck.islands import Tight
from proofs_check.recheck.reader import read_expression

TEXTS = [
    "x - x**2 + y*x",
    "(x + y)*(x - y)**2 - 3*x*y + 1/3",
    "exp(x*y - x) + x*y*(x - 1)",
    "sqrt(1 + x**2 - x) - (x + y - 1)*(x - y)*log(2 + x*y - y)",
    "(x - y)**3*(x**2 - x + 1) + atan(x*x - y*y - x)",
    "abs(x - y*x) + max(x*y - x, y**2 - y, 0)",
]
numbers = st.fractions(-2, 2, max_denominator=16)


@settings(max_examples=150, deadline=None)
@given(text=st.sampled_from(TEXTS), ends=st.lists(numbers, min_size=4, max_size=4),
       at=st.lists(st.fractions(0, 1, max_denominator=7), min_size=2, max_size=2))  # fmt: skip
def test_every_value_is_enclosed(text: str, ends: list[Fraction], at: list[Fraction]) -> None:
    expression = read_expression(text)
    a, b, c, d = ends
    box = {"x": (min(a, b), max(a, b)), "y": (min(c, d), max(c, d))}
    point = {n: low + t * (high - low) for (n, (low, high)), t in zip(box.items(), at, strict=True)}
    value = Program([expression]).run({n: (v, v) for n, v in point.items()})[0]
    found = Tight([expression]).run(box)[0]
    if finite(found) and finite(value):
        assert not found[0] > value[1]
        assert not found[1] < value[0]


def test_islands_are_tighter_than_single_operations() -> None:
    expression = read_expression("exp(x - x**2)")
    box = {"x": (Fraction(0), Fraction(1, 4))}
    low = Tight([expression]).run(box)[0][0]
    assert low > exact(Fraction(99, 100))
    assert not Program([expression]).run(box)[0][0] > exact(Fraction(99, 100))


def test_undefined_parts_stay_undefined() -> None:
    tight = Tight([read_expression("sqrt(x - x**2 - 1) + x - x**2")])
    assert not finite(tight.run({"x": (Fraction(0), Fraction(1))})[0])


@pytest.mark.parametrize("text", TEXTS[:2])
@given(x=numbers, y=numbers)
@settings(max_examples=25, deadline=None)
def test_short_forms_have_the_same_values(text: str, x: Fraction, y: Fraction) -> None:
    expression = read_expression(text)
    found = shortest(expression)
    assert found is not None
    point = {var("x"): num(x), var("y"): num(y)}
    pairs = [(found[0], expression)]
    pairs += [(s, derivative(expression, n)) for s, n in zip(found[1], "xy", strict=True)]
    for short, long in pairs:
        assert replaced(short, point).number == replaced(long, point).number


def test_what_is_no_polynomial_has_no_short_form() -> None:
    assert shortest(read_expression("1/x")) is None
    assert shortest(read_expression("exp(x)")) is None
