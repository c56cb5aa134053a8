"""Exact constants: zero is recognised, and a form never lies about its sign."""

from __future__ import annotations

from random import Random

import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.grammar import parse_expression
from proofs_check.arithmetic.tape import compile_tape
from proofs_check.arithmetic.tree import PI, E, Node, call, number
from proofs_check.methods.inequality.univariate.constants import Unclear
from proofs_check.methods.inequality.univariate.values import exact_value

ZEROS = [
    "sqrt(2)*sqrt(8) - 4",
    "log(4) - 2*log(2)",
    "exp(log(3)/2) - sqrt(3)",
    "1/(2 + sqrt(2)) - (2 - sqrt(2))/2",
    "sin(pi/3)**2 - 3/4",
    "sqrt(1 + sqrt(2))**2 - 1 - sqrt(2)",
    "gamma(5/2) - 3*sqrt(pi)/4",
    "tanh(1) - (E**2 - 1)/(E**2 + 1)",
    "log(2 + 2*sqrt(2)) - log(2) - log(1 + sqrt(2))",
    "sin(1)**2 + cos(1)**2 - 1",
    "atan(1) - pi/4",
    "acos(1/2) - pi/3",
    "lambertw(E) - 1",
    "erfc(2) + erf(2) - 1",
    "besseli(-1, 2) - besseli(1, 2)",
    "digamma(3) - digamma(1) - 3/2",
    "2**(1/log(2)) - E",
]
NEARLY = [
    ("log(2) - 0.6931471805599453094172321214581765680755", 1),
    ("exp(pi*sqrt(163)) - 262537412640768744", -1),
    ("22/7 - pi", 1),
    ("sqrt(2) - 1.41421356237309504880168872420969807856967", 1),
]


@pytest.mark.parametrize("text", ZEROS)
def test_zero_is_recognised(text: str) -> None:
    with ctx.workprec(128):
        assert exact_value(parse_expression(text), {}).sign() == 0


@pytest.mark.parametrize(("text", "sign"), NEARLY)
def test_nearly_zero_is_not_zero(text: str, sign: int) -> None:
    with ctx.workprec(128):
        assert exact_value(parse_expression(text), {}).sign() == sign


@pytest.mark.parametrize("text", ["log(-1)", "sqrt(-2)", "1/(sqrt(2)**2 - 2)", "log(1 - 1)"])
def test_no_value_is_unclear(text: str) -> None:
    with ctx.workprec(128), pytest.raises(Unclear):
        exact_value(parse_expression(text), {})


def random_constant(random: Random, depth: int) -> Node:
    if depth == 0:
        return random.choice([number(random.randint(-3, 5)), PI, E, number(1) / number(3)])
    first, second = random_constant(random, depth - 1), random_constant(random, depth - 1)
    names = ["exp", "log", "sqrt", "sin", "cos", "atan", "tanh", "erf", "abs", "cbrt", "sinh"]
    choices = [first + second, first - second, first * second, first / second]
    choices += [call(random.choice(names), first) for _ in range(4)]
    return random.choice([*choices, first ** number(2), call("max", first, second)])


@settings(max_examples=150, deadline=None)
@given(st.integers(min_value=0, max_value=10**9))
def test_forms_agree_with_balls(seed: int) -> None:
    node = random_constant(Random(seed), 3)
    with ctx.workprec(128):
        try:
            form = exact_value(node, {})
            sign = form.sign()
        except Unclear:
            return
        own = form.ball()
    with ctx.workprec(500):
        truth = compile_tape([node]).run({})[0]
        if not truth.is_finite():
            return
        assert own.overlaps(truth), str(node)
        assert not (sign == 0 and not truth.contains(0)), str(node)
        assert not (sign > 0 and truth < 0), str(node)
        assert not (sign < 0 and truth > 0), str(node)
