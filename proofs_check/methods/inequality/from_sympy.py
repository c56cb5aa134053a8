"""SymPy relations and Booleans as conditions on our trees. Nothing is simplified or evaluated.

SymPy has folded away some definedness when it built the expression (x/x is 1 there); what is
converted is the expression as SymPy holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import sympy as sp

from bounds.errors import BoundsError
from proofs_check.arithmetic.condition import Combination, Comparison, Condition
from proofs_check.arithmetic.tree import FUNCTIONS, ONE, PI, ZERO, E, Node, call, number, symbol


class UnsupportedSympy(BoundsError, TypeError):
    """A part of a SymPy object without a counterpart here; the message names it."""


def expression_from_sympy(expression: Any) -> Node:
    """The tree of a scalar SymPy expression.

    Raises:
        UnsupportedSympy: a function, a float or a constant that has no counterpart.
    """
    # Strict: a text, or an object that only prints as one, would be evaluated otherwise.
    try:
        root = sp.sympify(expression, strict=True)
    except sp.SympifyError:
        raise UnsupportedSympy(f"{expression!r} is no SymPy expression") from None
    done: dict[Any, Node] = {}
    for part in sp.postorder_traversal(root):
        if part not in done:
            done[part] = _node(part, done)
    return done[root]


def _node(part: Any, done: Mapping[Any, Node]) -> Node:
    args = [done[arg] for arg in part.args]
    if isinstance(part, sp.Rational):
        return number(Fraction(int(part.p), int(part.q)))
    if isinstance(part, sp.Symbol):
        return symbol(str(part.name))
    constant = _CONSTANTS.get(type(part))
    if constant is not None:
        return constant
    if isinstance(part, sp.Add):
        return Node("+", tuple(args))
    if isinstance(part, sp.Mul):
        return _product(part, args)
    if isinstance(part, sp.Pow):
        return _power(args)
    rule = _RULES.get(part.func)
    if rule is not None:
        return rule(*args)
    name = _NAMES.get(str(part.func), str(part.func))
    wanted = FUNCTIONS.get(name, -1)
    if wanted is None or wanted == len(args):
        return call(name, *args)
    remedy = "; floats are not exact, write sympy.Rational" if isinstance(part, sp.Float) else ""
    raise UnsupportedSympy(f"{part} ({type(part).__name__}) has no counterpart here{remedy}")


def _product(part: Any, args: list[Node]) -> Node:
    """SymPy writes a/b as a*b**-1; the quotient is read back."""
    top = [arg for arg in args if not _is_inverse(arg)]
    below = [arg.args[1] for arg in args if _is_inverse(arg)]
    upper = _joined(top)
    return upper / _joined(below) if below else upper


def _is_inverse(node: Node) -> bool:
    return node.op == "/" and node.args[0] == ONE


def _joined(factors: list[Node]) -> Node:
    if not factors:
        return ONE
    return factors[0] if len(factors) == 1 else Node("*", tuple(factors))


def _power(args: list[Node]) -> Node:
    base, exponent = args
    if base == E:
        return call("exp", exponent)
    if exponent.value == Fraction(1, 2):
        return call("sqrt", base)
    if isinstance(exponent.value, Fraction) and exponent.value < 0:
        if exponent.value == -1:
            return ONE / base
        return ONE / _power([base, number(-exponent.value)])
    return base**exponent


_CONSTANTS: Mapping[type, Node] = MappingProxyType({type(sp.pi): PI, type(sp.E): E})
_NAMES = MappingProxyType(
    {"Abs": "abs", "Min": "min", "Max": "max", "LambertW": "lambertw", "sinh": "sinh"}
)
_RULES: Mapping[Any, Callable[..., Node]] = MappingProxyType(
    {
        sp.log: lambda x, *base: call("log", x) / call("log", *base) if base else call("log", x),
        sp.sec: lambda x: ONE / call("cos", x),
        sp.cot: lambda x: call("cos", x) / call("sin", x),
    }
)


def condition_from_sympy(condition: Any) -> Condition:
    """The condition of a SymPy relation, And, Or, Not, Implies, true or false.

    Raises:
        UnsupportedSympy: another Boolean, or a part that has no counterpart.
    """
    if condition is sp.true or condition is True:
        return Comparison("<=", ZERO, ZERO)
    if condition is sp.false or condition is False:
        return Comparison("<", ZERO, ZERO)
    word = _WORDS.get(type(condition))
    if word is not None:
        return Combination(word, tuple(condition_from_sympy(part) for part in condition.args))
    sign = _SIGNS.get(type(condition))
    if sign is None:
        raise UnsupportedSympy(f"{condition} ({type(condition).__name__}) is no relation")
    left, right = (expression_from_sympy(side) for side in condition.args)
    return Comparison(sign[0], right, left) if sign[1] else Comparison(sign[0], left, right)


_WORDS: Mapping[type, str] = MappingProxyType(
    {sp.And: "and", sp.Or: "or", sp.Not: "not", sp.Implies: "implies"}
)
_SIGNS: Mapping[type, tuple[str, bool]] = MappingProxyType(
    {
        sp.LessThan: ("<=", False),
        sp.StrictLessThan: ("<", False),
        sp.GreaterThan: ("<=", True),
        sp.StrictGreaterThan: ("<", True),
        sp.Equality: ("=", False),
        sp.Unequality: ("!=", False),
    }
)
