"""Derivatives of expressions.

``abs``, ``min`` and ``max`` give ``sign`` and ``choose``, whose enclosures at a kink hold every
slope there (Clarke); ``sign`` and ``choose`` themselves, and ``floor``, have no derivative here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import (
    HALF,
    MINUS,
    ONE,
    PI,
    ZERO,
    Expr,
    add,
    call,
    div,
    mul,
    neg,
    num,
    power,
    var,
)

_MOST_NODES = 5_000


def derivative(expression: Expr, name: str) -> Expr:
    """d expression / d name.

    Raises:
        Rejected: a function without a derivative depends on the variable.
    """
    done: dict[Expr, Expr] = {}
    for node in expression.nodes():
        slopes = tuple(done[arg] for arg in node.args)
        if node.op == "var":
            done[node] = ONE if node == var(name) else ZERO
        elif all(slope == ZERO for slope in slopes):
            done[node] = ZERO
        else:
            done[node] = _rule(node, slopes)
    return _limited(done[expression])


def _limited(expression: Expr) -> Expr:
    """An expression that is not too large to go on with."""
    for count, _ in enumerate(expression.nodes()):
        if count > _MOST_NODES:
            raise Rejected(f"a derivative of more than {_MOST_NODES} operations")
    return expression


def _scaled(slope: Expr, *factors: Expr) -> Expr:
    return ZERO if slope == ZERO else mul(slope, *factors)


def _rule(node: Expr, slopes: tuple[Expr, ...]) -> Expr:
    args = node.args
    if node.op == "+":
        return add(*slopes)
    if node.op == "*":
        return add(*(_scaled(s, *args[:i], *args[i + 1 :]) for i, s in enumerate(slopes)))
    if node.op == "^":
        return _power(node, slopes)
    if node.op in ("min", "max"):
        return _choice(node, slopes)
    if node.op == "besseli":
        return _bessel(node, slopes)
    outer = _OUTER.get(node.op)
    if outer is None:
        raise Rejected(f"{node.op} has no derivative here")
    return _scaled(slopes[0], outer(args[0], node))


def _power(node: Expr, slopes: tuple[Expr, ...]) -> Expr:
    base, exponent = node.args
    value = exponent.number
    if value is not None:
        lower = ONE if value == 1 else power(base, num(value - 1))
        return _scaled(slopes[0], exponent, lower)
    grown = _scaled(slopes[1], call("log", base))
    return mul(node, add(grown, _scaled(slopes[0], exponent, power(base, MINUS))))


def _choice(node: Expr, slopes: tuple[Expr, ...]) -> Expr:
    """choose(a, b, s, t) is s where a > b, t where a < b."""
    value, slope = node.args[0], slopes[0]
    for arg, other in zip(node.args[1:], slopes[1:], strict=True):
        picked = (slope, other) if node.op == "max" else (other, slope)
        slope = call("choose", value, arg, *picked)
        value = call(node.op, value, arg)
    return slope


def _bessel(node: Expr, slopes: tuple[Expr, ...]) -> Expr:
    """I_v' = (I_{v-1} + I_{v+1})/2, and I_{-n} = I_n for whole n."""
    order, argument = node.args
    value = order.number
    if value is None:
        raise Rejected("besseli has a derivative only for a rational order")
    lower = abs(value - 1) if value.denominator == 1 else value - 1
    pair = add(call("besseli", num(lower), argument), call("besseli", num(value + 1), argument))
    return _scaled(slopes[1], num(HALF), pair)


_TWO = num(2)
_GAUSS = div(_TWO, power(PI, num(HALF)))


def _inverse_root(x: Expr) -> Expr:
    return power(add(ONE, neg(power(x, _TWO))), num(-HALF))


_OUTER: Mapping[str, Callable[[Expr, Expr], Expr]] = MappingProxyType(
    {
        "exp": lambda x, f: f,
        "log": lambda x, f: power(x, MINUS),
        "cbrt": lambda x, f: div(num(Fraction(1, 3)), power(f, _TWO)),
        "sin": lambda x, f: call("cos", x),
        "cos": lambda x, f: neg(call("sin", x)),
        "tan": lambda x, f: add(ONE, power(f, _TWO)),
        "asin": lambda x, f: _inverse_root(x),
        "acos": lambda x, f: neg(_inverse_root(x)),
        "atan": lambda x, f: power(add(ONE, power(x, _TWO)), MINUS),
        "sinh": lambda x, f: call("cosh", x),
        "cosh": lambda x, f: call("sinh", x),
        "tanh": lambda x, f: add(ONE, neg(power(f, _TWO))),
        "erf": lambda x, f: mul(_GAUSS, call("exp", neg(power(x, _TWO)))),
        "erfc": lambda x, f: neg(mul(_GAUSS, call("exp", neg(power(x, _TWO))))),
        "gamma": lambda x, f: mul(f, call("digamma", x)),
        "loggamma": lambda x, f: call("digamma", x),
        "digamma": lambda x, f: call("trigamma", x),
        "lambertw": lambda x, f: power(add(x, call("exp", f)), MINUS),
        "abs": lambda x, f: call("sign", x),
    }
)
