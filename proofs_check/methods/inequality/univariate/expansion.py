"""The functions of the grammar on expansions: Taylor at finite values, asymptotics at infinite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from proofs_check.arithmetic.tree import Node, symbol
from proofs_check.methods.inequality.problem import literal
from proofs_check.methods.inequality.univariate import elementary, special
from proofs_check.methods.inequality.univariate.constants import Constant, rational
from proofs_check.methods.inequality.univariate.germ import (
    Germ,
    Setting,
    collected,
    monomial,
    of_constant,
    raised,
    sign_on,
)
from proofs_check.methods.inequality.univariate.scale import NoExpansion, Scale
from proofs_check.methods.inequality.univariate.values import exact_value

Ball = Any


def expansion(node: Node, values: Mapping[str, Germ], setting: Setting) -> Germ:
    """The expansion of a tree whose symbols have expansions.

    Raises:
        NoExpansion: none of the kind known here, or not on this half-line.
        Unclear: a constant whose sign matters is not decided.
    """
    done: dict[Node, Germ] = {}
    for part in node.nodes():
        if part.op == "symbol":
            done[part] = values[str(part.value)]
        elif part.op == "number" and isinstance(part.value, Fraction):
            done[part] = of_constant(rational(part.value), setting)
        else:
            done[part] = _apply(part, [done[arg] for arg in part.args], setting)
    return done[node]


def _apply(node: Node, args: list[Germ], setting: Setting) -> Germ:
    fixed = [arg.constant for arg in args]
    known = [value for value in fixed if value is not None]
    if len(known) == len(args):
        probe = Node(node.op, tuple(symbol(str(i)) for i in range(len(args))))
        values = {str(i): value for i, value in enumerate(known)}
        return of_constant(exact_value(probe, values), setting)
    if node.op == "+":
        terms = [term for arg in args for term in arg.terms]
        return collected(terms, [arg.rest for arg in args if arg.rest is not None], setting)
    if node.op == "*":
        result = args[0]
        for arg in args[1:]:
            result = result * arg
        return result
    if node.op == "-":
        return -args[0]
    if node.op == "/":
        return args[0] * raised(args[1], Fraction(-1))
    if node.op == "^":
        return _power(node, args)
    if node.op == "besseli":
        return elementary.function(node.op, args[1], fixed[0])
    if node.op in ("max", "min"):
        return _largest(args, 1 if node.op == "max" else -1)
    if node.op == "binomial":
        raise NoExpansion("binomial has no expansion here")
    rule = _RULES.get(node.op)
    return rule(args[0]) if rule is not None else elementary.function(node.op, args[0])


def _power(node: Node, args: list[Germ]) -> Germ:
    exponent = literal(node.args[1])
    if exponent is None and args[1].constant is not None:
        exponent = args[1].constant.rational
    if exponent is not None:
        if exponent.denominator != 1 and sign_on(args[0]) not in (0, 1):
            raise NoExpansion("a fractional power of what may be negative")
        return raised(args[0], exponent)
    return elementary.exp(args[1] * elementary.log(args[0]))


def _largest(args: list[Germ], side: int) -> Germ:
    best = args[0]
    for arg in args[1:]:
        sign = sign_on(arg - best)
        if sign is None:
            raise NoExpansion("the larger of two functions is not seen")
        best = arg if sign * side > 0 else best
    return best


_RULES: Mapping[str, Callable[[Germ], Germ]] = MappingProxyType(
    {
        "exp": elementary.exp,
        "log": elementary.log,
        "sqrt": elementary.sqrt,
        "cbrt": elementary.cbrt,
        "sin": lambda x: elementary.trigonometric(x, 0),
        "cos": lambda x: elementary.trigonometric(x, 1),
        "tan": elementary.tangent,
        "asin": elementary.arc_sine,
        "acos": elementary.arc_cosine,
        "atan": elementary.atan,
        "sinh": elementary.sinh,
        "cosh": elementary.cosh,
        "tanh": elementary.tanh,
        "erf": special.erf,
        "erfc": special.erfc,
        "gamma": special.gamma,
        "loggamma": special.loggamma,
        "digamma": special.digamma,
        "trigamma": special.trigamma,
        "abs": elementary.absolute,
        "sign": lambda x: of_constant(rational(elementary.signed(x)), x.setting),
        "floor": elementary.floor,
    }
)


def argument(point: Constant | None, side: int, setting: Setting) -> Germ:
    """x = point + side/X, or x = side * X at an infinite end (point None)."""
    if point is None:
        return monomial(Scale(Fraction(1)), rational(side), setting)
    step = monomial(Scale(Fraction(-1)), rational(side), setting)
    return of_constant(point, setting) + step
