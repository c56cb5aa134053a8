"""Enclosures contain the value that mpmath finds with 60 digits; undefined stays undefined."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.floats import compile_floats
from proofs_check.arithmetic.grammar import parse_expression
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import Node, call, number, symbol

UNARY = (
    "exp", "log", "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "erf", "erfc", "gamma", "loggamma", "digamma", "trigamma", "lambertw", "abs", "floor",
)  # fmt: skip
RATIONALS = st.fractions(min_value=-4, max_value=4, max_denominator=12)
LEAVES = st.sampled_from([symbol("x"), symbol("y"), Node("pi"), Node("e")]) | RATIONALS.map(number)
EXPONENTS = st.sampled_from([Fraction(k, 6) for k in (-12, -6, -3, -2, 0, 2, 3, 6, 9, 12, 18)])


def _extended(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(st.sampled_from(["+", "*", "/", "^", "min", "max"]), pairs).map(
            lambda made: Node(made[0], made[1])
        ),
        st.tuples(st.sampled_from(UNARY), inner).map(lambda made: call(*made)),
        st.tuples(inner, EXPONENTS).map(lambda made: made[0] ** number(made[1])),
        inner.map(lambda node: -node),
    )


EXPRESSIONS = st.recursive(LEAVES, _extended, max_leaves=8)


class _Undefined(Exception):
    pass


def reference(node: Node, values: dict[str, Fraction]) -> Any:
    """The value by mpmath; raises _Undefined outside the domain, and where digits may be lost."""
    if node.op == "symbol":
        node = number(values[str(node.value)])
    if isinstance(node.value, Fraction):
        return mpmath.mpf(node.value.numerator) / node.value.denominator
    args = [reference(arg, values) for arg in node.args]
    try:
        found = _by_mpmath(node, args)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
        raise _Undefined from error
    if isinstance(found, mpmath.mpc) or not mpmath.isfinite(found) or abs(found) > 1e30:
        raise _Undefined
    if node.op != "+" and 0 < abs(found) < 1e-30:  # the digits of a later sum would be lost
        raise _Undefined
    return found


def _by_mpmath(node: Node, args: list[Any]) -> Any:
    op = node.op
    positive = op in ("log", "loggamma", "digamma", "trigamma")
    if (positive and args[0] <= 0) or (op == "sqrt" and args[0] < 0):
        raise _Undefined
    if op == "^":
        whole = node.args[1].value
        is_whole = isinstance(whole, Fraction) and whole.denominator == 1
        if not is_whole and (args[0] < 0 or (args[0] == 0 and args[1] <= 0)):
            raise _Undefined
        return mpmath.power(*args)
    table = {
        "pi": lambda: +mpmath.pi, "e": lambda: +mpmath.e, "+": lambda *a: mpmath.fsum(a),
        "*": lambda *a: mpmath.fprod(a), "-": lambda a: -a, "/": lambda a, b: a / b,
        "min": min, "max": max, "abs": abs, "floor": mpmath.floor,
        "cbrt": lambda a: mpmath.sign(a) * mpmath.cbrt(abs(a)),
        "digamma": mpmath.digamma, "trigamma": lambda a: mpmath.psi(1, a),
    }  # fmt: skip
    return table[op](*args) if op in table else getattr(mpmath, op)(*args)


POINTS = st.fixed_dictionaries({"x": RATIONALS, "y": RATIONALS})


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS, POINTS, st.sampled_from([Fraction(0), Fraction(1, 1000), Fraction(1, 3)]))
def test_the_enclosure_contains_the_value(
    node: Node, point: dict[str, Fraction], radius: Fraction
) -> None:
    with ctx.workprec(96), mpmath.workdps(60):
        balls = {name: ball(x - radius, x + radius / 2) for name, x in point.items()}
        (found,) = compile_tape([node]).run(balls)
        try:
            value = reference(node, point)
        except _Undefined:
            return
        if found.is_finite():
            slip = mpmath.nstr(abs(value) * 1e-40 + 1e-40, 5)
            near = arb(mpmath.nstr(value, 45), slip)
            assert found.overlaps(near), (str(node), point, found, value)


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS, POINTS)
def test_floats_are_near_the_enclosure(node: Node, point: dict[str, Fraction]) -> None:
    import numpy as np

    with ctx.workprec(256):
        (found,) = compile_tape([node]).run({n: ball(x, x) for n, x in point.items()})
        (value,) = compile_floats([node])({n: np.array([float(x)]) for n, x in point.items()})
        jumps = any(part.op in ("floor", "/", "tan", "gamma", "^") for part in node.nodes())
        if found.is_finite() and np.isfinite(value[0]) and not jumps:
            size = abs(float(found))
            assert abs(float(found) - value[0]) <= 1e-6 * (1 + size) or size > 1e8


@pytest.mark.parametrize(
    "text",
    ["log(x)", "sqrt(x)", "1/x", "x**(-1)", "x**(1/2)", "x**(-1/2)", "asin(x)", "acos(2 + x)",
     "gamma(x)", "loggamma(x)", "digamma(x)", "trigamma(x)", "lambertw(x)", "tan(2*x)", "x**y",
     "atan(abs(log(x)))", "tanh(cbrt(log(x)))", "atan(lambertw(x))", "sin(log(x)**2)",
     "max(log(x), 1)", "min(1, sqrt(x))", "log(x)**0", "x**0",
     "erf(floor(log(x)))", "cos(sqrt(x))"],
)  # fmt: skip
def test_no_finite_enclosure_where_the_ball_leaves_the_domain(text: str) -> None:
    values = {"x": arb(0, 1), "y": arb(0, 1)}
    (found,) = compile_tape([parse_expression(text)]).run(values)
    assert not found.is_finite()


@pytest.mark.parametrize("text", ["sqrt(x)", "x**(1/3)", "asin(1 + x)", "lambertw(x - exp(-1))"])
def test_trusted_tapes_clip_to_the_domain(text: str) -> None:
    node = parse_expression(text)
    straddling = {"x": arb(0, 2**-40)}
    assert not compile_tape([node]).run(straddling)[0].is_finite()
    (found,) = compile_tape([node], trusted=True).run(straddling)
    assert found.is_finite()
    inside = {"x": arb(2**-41) if "asin" not in text else -arb(2**-41)}
    assert found.overlaps(compile_tape([node]).run(inside)[0])


def test_slopes_of_abs_and_max_cover_the_kink() -> None:
    kink = compile_tape([call("sign", symbol("x"))])
    assert kink.run({"x": arb(0)})[0].contains(1)
    choose = Node("choose", (symbol("x"), number(0), number(1), number(-1)))
    (slopes,) = compile_tape([choose]).run({"x": arb(0, 1)})
    assert slopes.contains(1)
    assert slopes.contains(-1)


def test_equal_parts_are_computed_once() -> None:
    node = parse_expression("exp(x + y)**2 + exp(x + y)")
    assert sum(step.op == "exp" for step in compile_tape([node, node]).instructions) == 1


def test_huge_values_come_quickly_and_unharmed() -> None:
    for text in ["exp(exp(exp(x)))", "x**x**x", "gamma(10**300 + x)", "sin((2**4000)**4000 + x)"]:
        compile_tape([parse_expression(text)]).run({"x": ball(Fraction(9), Fraction(10))})
