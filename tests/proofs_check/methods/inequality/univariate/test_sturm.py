"""Polynomials and rational functions: the exact decision agrees with dense evaluation."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.grammar import parse_expression
from proofs_check.methods.inequality.problem import Interval
from proofs_check.methods.inequality.univariate.pieces import pieces
from proofs_check.methods.inequality.univariate.split import parts
from proofs_check.methods.inequality.univariate.sturm import nonnegative, rational_function
from proofs_check.methods.inequality.univariate.waves import without_products

LINE = Interval()
UNIT = Interval(Fraction(0), Fraction(1))


def decided(text: str, interval: Interval, *, strict: bool = False) -> bool:
    quotient = rational_function(parse_expression(text), "x")
    assert quotient is not None
    return nonnegative(quotient, interval, strict=strict)


@pytest.mark.parametrize(
    ("text", "interval", "strict", "truth"),
    [
        ("x**2 - 2*x + 1", LINE, False, True),
        ("x**2 - 2*x + 1", LINE, True, False),
        ("x**2 - 2*x + 1", Interval(Fraction(0), Fraction(1), False, True), True, True),
        ("x**2 - 2*x + 0.9999999999", LINE, False, False),
        ("x**3", UNIT, False, True),
        ("x**3", Interval(Fraction(0), None, True, True), True, True),
        ("-x", UNIT, False, False),
        ("(x**2 - 2)**2*(x**2 + 1)/(1 + x**4)", LINE, False, True),
        ("1/x", UNIT, False, False),
        ("1/x", Interval(Fraction(0), Fraction(1), True, False), True, True),
        ("x*(1 - x)", UNIT, False, True),
        ("x*(1 - x)", UNIT, True, False),
        ("1 - x", Interval(Fraction(1), Fraction(1)), False, True),
        ("1 - x", Interval(Fraction(1), Fraction(1)), True, False),
        ("x - x", LINE, False, True),
        ("x - x", LINE, True, False),
    ],
)
def test_decisions(text: str, interval: Interval, strict: bool, truth: bool) -> None:
    assert decided(text, interval, strict=strict) is truth


@pytest.mark.parametrize("text", ["exp(x)", "sqrt(x)", "x**(1/2)", "x**500", "2**x", "x*y"])
def test_others_are_no_rational_functions(text: str) -> None:
    assert rational_function(parse_expression(text), "x") is None


_ROOTS = st.lists(st.fractions(-2, 2, max_denominator=4), min_size=1, max_size=5)


@settings(max_examples=80, deadline=None)
@given(_ROOTS, st.booleans(), st.booleans(), st.booleans())
def test_products_of_known_roots(
    roots: list[Fraction], closed: bool, strict: bool, negative: bool
) -> None:
    interval = Interval(Fraction(-1), Fraction(1), not closed, not closed)
    text = ("-1*" if negative else "") + "*".join(f"(x - ({r}))" for r in roots)
    places = sorted({*roots, Fraction(-1), Fraction(1)})
    between = [(a + b) / 2 for a, b in pairwise(places)]
    truth = True
    for x in [*places, *between]:
        if interval.contains(x):
            value = Fraction(-1 if negative else 1)
            for root in roots:
                value *= x - root
            truth = truth and (value > 0 or (value == 0 and not strict))
    assert decided(text, interval, strict=strict) is truth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 - abs(x)", ["1 - x", "1 - -x"]),
        ("1 - 2*max(x, -x**2)", ["1 - 2*x", "1 - 2*(-x**2)"]),
        ("min(x, 2) + 1", ["x + 1", "2 + 1"]),
        ("abs(x) - 1", ["abs(x) - 1"]),
        ("1 - abs(x)*x", ["1 - abs(x)*x"]),
        ("1 + -3*abs(x)", ["1 + -3*x", "1 + -3*(-x)"]),
        ("-abs(x) - abs(x) + exp(abs(x))", ["-x - x + exp(abs(x))", "-(-x) - -x + exp(abs(x))"]),
        ("min(1 - abs(x), 2)", ["1 - x", "1 - -x", "2"]),
    ],
)
def test_minima_are_split(text: str, expected: list[str]) -> None:
    assert [str(parse_expression(str(p))) for p in parts(parse_expression(text)).goals()] == [
        str(parse_expression(e)) for e in expected
    ]


def test_pieces_are_cut_at_rational_kinks() -> None:
    node = parse_expression("abs(x - 1/3) + sin(x)")
    found = pieces(node, "x", UNIT)
    assert found is not None
    assert [(p.interval.low, p.interval.high, p.first) for p in found.pieces] == [
        (Fraction(0), Fraction(1, 3), False),
        (Fraction(1, 3), Fraction(1), True),
    ]
    assert found.cuts == [Fraction(1, 3)]
    assert pieces(parse_expression("abs(x**2 - 1/2)"), "x", UNIT) is None


def test_waves_become_sums() -> None:
    assert str(without_products(parse_expression("sin(x)*cos(x)"))) == "1/2*sin(2*x)"
    assert str(without_products(parse_expression("sin(x)**2"))) == "1/2*(1 - cos(2*x))"
