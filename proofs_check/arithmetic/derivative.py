"""Exact symbolic derivatives of trees, kept small by the rules for 0 and 1 only.

``abs``, ``min`` and ``max`` have kinks: their derivative is written with ``sign`` and ``choose``,
whose enclosures cover every slope at the kink (Clarke's derivative), so that mean-value forms stay
valid. ``sign`` and ``choose`` jump: their own derivative carries a quotient 0/x that has no value
at the jump, so that no Taylor form can reach across it. ``floor`` has no derivative here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from bounds.errors import BoundsError
from proofs_check.arithmetic.tree import ONE, PI, TWO, ZERO, Node, call, number


class NoDerivative(BoundsError, ValueError):
    """A function without a derivative in this grammar."""


def plus(*terms: Node) -> Node:
    """The sum, without zeros."""
    kept = tuple(term for term in terms if term != ZERO)
    if not kept:
        return ZERO
    return kept[0] if len(kept) == 1 else Node("+", kept)


def times(*factors: Node) -> Node:
    """The product, without ones; 0 if a factor is 0."""
    if ZERO in factors:
        return ZERO
    kept = tuple(factor for factor in factors if factor != ONE)
    if not kept:
        return ONE
    return kept[0] if len(kept) == 1 else Node("*", kept)


def minus(term: Node) -> Node:
    """The negative, with numbers folded."""
    if term.op == "number" and isinstance(term.value, Fraction):
        return number(-term.value)
    return term.args[0] if term.op == "-" else -term


def power(base: Node, exponent: Fraction | int) -> Node:
    """base^exponent for a rational exponent, 1 and 0 folded."""
    if exponent == 0:
        return ONE
    return base if exponent == 1 else base ** number(exponent)


def over(top: Node, bottom: Node) -> Node:
    """top/bottom with 0/x and x/1 folded."""
    if top == ZERO or bottom == ONE:
        return top
    return top / bottom


def derivative(node: Node, name: str) -> Node:
    """d node/d name.

    Raises:
        NoDerivative: names the function that has none.
    """
    done: dict[Node, Node] = {}
    for part in node.nodes():
        if part.op == "symbol":
            done[part] = ONE if part.value == name else ZERO
        elif not part.args or all(done[arg] == ZERO for arg in part.args):
            done[part] = ZERO
        else:
            done[part] = _rule(part, tuple(done[arg] for arg in part.args))
    return done[node]


def _rule(node: Node, slopes: tuple[Node, ...]) -> Node:
    if node.op == "+":
        return plus(*slopes)
    if node.op == "-":
        return minus(slopes[0])
    if node.op == "*":
        return _product(node.args, slopes)
    if node.op == "/":
        bottom = node.args[1]
        grown = over(slopes[0], bottom)
        if slopes[1] == ZERO:
            return grown
        return plus(grown, minus(times(node, over(slopes[1], bottom))))
    if node.op == "^":
        return _power(node, slopes)
    if node.op in ("min", "max"):
        return _choice(node, slopes)
    if node.op == "choose":
        first, second = node.args[:2]
        return Node("choose", (first, second, *slopes[2:])) + ZERO / (first - second)
    if node.op == "besseli":
        return _bessel(node, slopes)
    outer = _OUTER.get(node.op)
    if outer is None:
        raise NoDerivative(f"{node.op} has no derivative here")
    return times(outer(node.args[0], node), slopes[0])


def _product(args: tuple[Node, ...], slopes: tuple[Node, ...]) -> Node:
    terms = [
        times(slope, *args[:i], *args[i + 1 :]) for i, slope in enumerate(slopes) if slope != ZERO
    ]
    return plus(*terms)


def _power(node: Node, slopes: tuple[Node, ...]) -> Node:
    base, exponent = node.args
    if exponent.op == "number" and isinstance(exponent.value, Fraction):
        return times(exponent, power(base, exponent.value - 1), slopes[0])
    if exponent.op == "-" and isinstance(exponent.args[0].value, Fraction):
        value = -exponent.args[0].value
        return times(number(value), power(base, value - 1), slopes[0])
    inner = plus(times(slopes[1], call("log", base)), over(times(exponent, slopes[0]), base))
    return times(node, inner)


def _choice(node: Node, slopes: tuple[Node, ...]) -> Node:
    """max(a, b) has the slope of the larger: choose(a, b, a', b'); min: choose(a, b, b', a')."""
    value, slope = node.args[0], slopes[0]
    for arg, other in zip(node.args[1:], slopes[1:], strict=True):
        picked = (slope, other) if node.op == "max" else (other, slope)
        slope = Node("choose", (value, arg, *picked))
        value = Node(node.op, (value, arg))
    return slope


def _bessel(node: Node, slopes: tuple[Node, ...]) -> Node:
    """d I_nu(x) = (I_{nu-1} + I_{nu+1})/2 dx for a constant order nu."""
    order, argument = node.args
    if slopes[0] != ZERO or not isinstance(order.value, Fraction):
        raise NoDerivative("besseli has no derivative in its order here")
    below = call("besseli", number(abs(order.value - 1)), argument)
    if order.value.denominator != 1 and order.value < 1:
        below = call("besseli", number(order.value - 1), argument)
    above = call("besseli", number(order.value + 1), argument)
    return times(over(plus(below, above), TWO), slopes[1])


_HALF = number(Fraction(1, 2))
_OUTER: Mapping[str, Callable[[Node, Node], Node]] = MappingProxyType(
    {
        "exp": lambda x, f: f,
        "log": lambda x, f: ONE / x,
        "sqrt": lambda x, f: _HALF / f,
        "cbrt": lambda x, f: number(Fraction(1, 3)) / power(f, 2),
        "sin": lambda x, f: call("cos", x),
        "cos": lambda x, f: -call("sin", x),
        "tan": lambda x, f: plus(ONE, power(f, 2)),
        "asin": lambda x, f: ONE / call("sqrt", ONE - power(x, 2)),
        "acos": lambda x, f: -(ONE / call("sqrt", ONE - power(x, 2))),
        "atan": lambda x, f: ONE / plus(ONE, power(x, 2)),
        "sinh": lambda x, f: call("cosh", x),
        "cosh": lambda x, f: call("sinh", x),
        "tanh": lambda x, f: ONE - power(f, 2),
        "erf": lambda x, f: (TWO / call("sqrt", PI)) * call("exp", -power(x, 2)),
        "erfc": lambda x, f: -((TWO / call("sqrt", PI)) * call("exp", -power(x, 2))),
        "gamma": lambda x, f: f * call("digamma", x),
        "loggamma": lambda x, f: call("digamma", x),
        "digamma": lambda x, f: call("trigamma", x),
        "lambertw": lambda x, f: ONE / (x + call("exp", f)),
        "abs": lambda x, f: call("sign", x),
        "sign": lambda x, f: ZERO / x,
    }
)
