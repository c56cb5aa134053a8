"""Enclosures of expressions over boxes: a pair (low, high) of balls for every part.

``run`` gives numbers that bound all values on the box. With ``clamp`` an argument outside the
domain is ignored (it has no value there, and so nothing to bound); without it such a part has no
enclosure, so a finite result shows that the expression has a value on the whole box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class Program:
    """Expressions compiled to a list of steps, each part once."""

    def __init__(self, expressions: Sequence[Expr]) -> None:
        places: dict[Expr, int] = {}
        self.steps: list[tuple[Expr, tuple[int, ...]]] = []
        for expression in expressions:
            for node in expression.nodes():
                if node not in places:
                    places[node] = len(self.steps)
                    self.steps.append((node, tuple(places[arg] for arg in node.args)))
        self.outputs = [places[expression] for expression in expressions]
        self.variables = sorted({str(n.value) for n, _ in self.steps if n.op == "var"})

    def run(self, box: Box, *, clamp: bool = False) -> list[Pair]:
        """The pairs of all expressions on a box, at the precision in force."""
        return self.pairs({n: (exact(a), exact(b)) for n, (a, b) in box.items()}, clamp=clamp)

    def pairs(self, values: Mapping[str, Pair], *, clamp: bool = False) -> list[Pair]:
        """The same for variables given as pairs."""
        found: list[Pair] = []
        for node, places in self.steps:
            found.append(_step(node, [found[i] for i in places], values, clamp))
        return [found[i] for i in self.outputs]


def _step(node: Expr, args: list[Pair], values: Mapping[str, Pair], clamp: bool) -> Pair:
    if node.op == "num":
        value = exact(node.value)  # type: ignore[arg-type]
        return value, value
    if node.op == "var":
        if node.value not in values:
            raise Rejected(f"the variable {node.value} has no range")
        return values[str(node.value)]
    if node.op == "pi":
        return arb.pi(), arb.pi()
    if node.op == "+":
        return enclosures.total(args)
    if node.op == "*":
        return enclosures.product(node, args)
    if node.op == "^":
        return enclosures.power(node.args[1].number, args[0], args[1], clamp)
    rule = enclosures.RULES.get(node.op)
    return rule(args, clamp) if rule is not None else NAN


def value(expression: Expr) -> Ball:
    """The ball of an expression without variables; not finite where it has no value."""
    return hull(Program([expression]).run({})[0])
