"""Enclosures of expressions over boxes: a pair (low, high) of balls for every part.

``run`` gives numbers that bound all values on the box. With ``clamp`` an argument outside the
domain is ignored (it has no value there, and so nothing to bound); without it such a part has no
enclosure, so a finite result shows that the expression has a value on the whole box.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from proofs_check.recheck import enclosures
from proofs_check.recheck.enclosures import NAN, Pair
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr

Ball = Any
Box = Mapping[str, tuple[Fraction, Fraction]]


def exact(value: Fraction) -> Ball:
    """The ball of a rational number."""
    return arb(fmpq(value.numerator, value.denominator))


def finite(pair: Pair) -> bool:
    """Whether both ends are finite."""
    return bool(pair[0].is_finite() and pair[1].is_finite())


def good(pair: Pair, strict: bool) -> bool:
    """Whether every value is certainly >= 0 (> 0)."""
    return finite(pair) and bool(pair[0] > 0 if strict else pair[0] >= 0)


def hull(pair: Pair) -> Ball:
    """One ball around all values."""
    return pair[0].union(pair[1])


Values = Mapping[str, Pair]
Step = Callable[[list[Pair], Values, bool], Pair]


def whole_power(base: Ball, exponent: int) -> Ball:
    """base^exponent by products: Arb's own power may give nothing on balls round 0."""
    if exponent < 0:
        return 1 / whole_power(base, -exponent)
    result = arb(1)
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        base = base * base if exponent else base
    return result


class Program:
    """Expressions compiled to a list of steps, each part once."""

    def __init__(self, expressions: Sequence[Expr]) -> None:
        places: dict[Expr, int] = {}
        self._steps: list[tuple[Step, tuple[int, ...]]] = []
        for expression in expressions:
            for node in expression.nodes():
                if node not in places:
                    places[node] = len(self._steps)
                    # Equal factors are one factor with a power.
                    args = tuple(dict.fromkeys(node.args)) if node.op == "*" else node.args
                    self._steps.append((_step(node), tuple(places[arg] for arg in args)))
        self.outputs = [places[expression] for expression in expressions]
        self.variables = sorted({str(n.value) for n in places if n.op == "var"})

    def run(self, box: Box, *, clamp: bool = False) -> list[Pair]:
        """The pairs of all expressions on a box, at the precision in force."""
        return self.pairs({n: (exact(a), exact(b)) for n, (a, b) in box.items()}, clamp=clamp)

    def pairs(self, values: Values, *, clamp: bool = False) -> list[Pair]:
        """The same for variables given as pairs."""
        found: list[Pair] = []
        for step, places in self._steps:
            args = [found[i] for i in places]
            # atan and the like are bounded: what has no value must not get one in passing
            valued = clamp or all(map(finite, args))
            found.append(step(args, values, clamp) if valued else NAN)
        return [found[i] for i in self.outputs]


def _step(node: Expr) -> Step:
    """The rule of one operation, with what is known of it beforehand."""
    if node.number is not None:
        number = fmpq(node.number.numerator, node.number.denominator)
        return lambda args, values, clamp: (arb(number), arb(number))
    if node.op == "var":
        return _variable(str(node.value))
    if node.op == "pi":
        return lambda args, values, clamp: (arb.pi(), arb.pi())
    if node.op == "+":
        return lambda args, values, clamp: enclosures.total(args)
    if node.op == "*":
        counts = tuple(Counter(node.args).values())
        return lambda args, values, clamp: enclosures.product(counts, args)
    if node.op == "^":
        exponent = node.args[1].number
        return lambda args, values, clamp: enclosures.power(exponent, args[0], args[1], clamp)
    rule = enclosures.RULES.get(node.op)
    if rule is None:
        return lambda args, values, clamp: NAN
    return lambda args, values, clamp: rule(args, clamp)


def _variable(name: str) -> Step:
    def step(args: list[Pair], values: Values, clamp: bool) -> Pair:
        if name not in values:
            raise Rejected(f"the variable {name} has no range")
        return values[name]

    return step


def value(expression: Expr) -> Ball:
    """The ball of an expression without variables; not finite where it has no value."""
    return hull(Program([expression]).run({})[0])
