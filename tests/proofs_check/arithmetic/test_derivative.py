"""Derivatives: a difference quotient lies in the derivative's enclosure over the interval."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.derivative import NoDerivative, derivative
from proofs_check.arithmetic.grammar import parse_expression
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import ONE, ZERO, Node, call, number, symbol

SMOOTH = (
    "exp", "log", "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "erf", "erfc", "gamma", "loggamma", "digamma", "lambertw", "abs",
)  # fmt: skip
NUMBERS = st.fractions(min_value=-3, max_value=3, max_denominator=6)
LEAVES = st.just(symbol("x")) | NUMBERS.map(number)


def _extended(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(st.sampled_from(["+", "*", "/", "^", "min", "max"]), pairs).map(
            lambda made: Node(made[0], made[1])
        ),
        st.tuples(st.sampled_from(SMOOTH), inner).map(lambda made: call(*made)),
        st.tuples(inner, NUMBERS).map(lambda made: made[0] ** number(made[1])),
        inner.map(lambda x: call("besseli", ONE, x)),
    )


@settings(max_examples=150, deadline=None)
@given(st.recursive(LEAVES, _extended, max_leaves=6), NUMBERS, st.sampled_from([1, 8, 64]))
def test_the_mean_value_theorem_holds(node: Node, low: Fraction, parts: int) -> None:
    high = low + Fraction(1, parts)
    _check_mean_value(node, low, high)


@settings(max_examples=80, deadline=None)
@given(st.recursive(LEAVES, _extended, max_leaves=5), NUMBERS, st.sampled_from([2, 16]))
def test_so_it_does_for_second_derivatives(node: Node, low: Fraction, parts: int) -> None:
    _check_mean_value(derivative(node, "x"), low, low + Fraction(1, parts))


def _check_mean_value(node: Node, low: Fraction, high: Fraction) -> None:
    """(f(b) - f(a))/(b - a) is f'(c); for kinks, lies between the slopes."""
    try:
        slope = derivative(node, "x")
    except NoDerivative:
        return
    with ctx.workprec(128):
        tape = compile_tape([node, slope])
        value, slopes = tape.run({"x": ball(low, high)})
        first, last = (tape.run({"x": ball(x, x)})[0] for x in (low, high))
        if value.is_finite() and slopes.is_finite() and not _has_slope_of_kink(node):
            assert slopes.overlaps((last - first) / ball(high - low, high - low)), str(node)


def _has_slope_of_kink(node: Node) -> bool:
    """At an end where a kink sits, sign and choose stand for many slopes, not for a value."""
    return any(part.op in ("sign", "choose") for part in node.nodes())


@pytest.mark.parametrize("text", ["abs(x)", "max(x, -x)", "x*abs(x) + max(x, 0)"])
def test_a_second_derivative_never_reaches_across_a_kink(text: str) -> None:
    """A Taylor form of order 2 over [-1, 1] would call abs(x) linear, and prove x >= abs(x)."""
    second = derivative(derivative(parse_expression(text), "x"), "x")
    tape = compile_tape([second])
    assert not tape.run({"x": arb(0, 1)})[0].is_finite()
    assert not tape.run({"x": arb(0)})[0].is_finite()
    assert tape.run({"x": arb(2, 1)})[0].is_finite()


def test_the_sign_function_is_not_taken_for_constant() -> None:
    slope = derivative(parse_expression("sign(x)"), "x")
    assert not compile_tape([slope]).run({"x": arb(0, 1)})[0].is_finite()


def test_zeros_and_ones_are_folded() -> None:
    assert derivative(parse_expression("y*exp(z)"), "x") == ZERO
    assert derivative(parse_expression("x"), "x") == ONE
    assert str(derivative(parse_expression("x**3"), "x")) == "3*x**2"
    assert derivative(parse_expression("x**(1/2)"), "x") == number(Fraction(1, 2)) * (
        symbol("x") ** number(Fraction(-1, 2))
    )


@pytest.mark.parametrize("text", ["floor(x)", "binomial(x, 2)", "besseli(x, 1)", "trigamma(x)"])
def test_what_has_no_derivative_says_so(text: str) -> None:
    with pytest.raises(NoDerivative, match=r"has no derivative"):
        derivative(parse_expression(text), "x")


@pytest.mark.parametrize("text", ["floor(y) + x", "besseli(1/2, x)", "besseli(0, x)"])
def test_constants_do_no_harm(text: str) -> None:
    slope = derivative(parse_expression(text), "x")
    assert compile_tape([slope]).run({"x": arb(2), "y": arb(1)})[0].is_finite()
