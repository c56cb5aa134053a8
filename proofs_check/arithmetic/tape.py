"""Trees compiled to a list of instructions, shared sub-expressions once, and run on balls.

A ball result encloses the value for *every* point of the argument balls, or is not finite: then
the expression may be undefined somewhere in them, and nothing is concluded. Nodes whose argument is
known to be in the domain (see ``definedness``) are clipped to it, so that rounding at the very end
of a domain does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from flint import arb, fmpq

from bounds.arithmetic.balls import whole_power
from proofs_check.arithmetic.tree import Node

Ball = Any


@dataclass(frozen=True)
class Instruction:
    """One operation: its arguments are positions of earlier results."""

    op: str
    args: tuple[int, ...]
    value: Fraction | str | None


@dataclass(frozen=True)
class Tape:
    """Instructions for several trees at once; ``outputs`` are the positions of their roots.

    ``trusted`` says that every sub-expression is defined on the whole region of the problem.
    """

    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]
    trusted: bool = False

    def run(self, values: Mapping[str, Ball]) -> list[Ball]:
        """Enclosures of all outputs over the argument balls, at the precision in force."""
        results: list[Ball] = []
        rules = _TRUSTED if self.trusted else _PLAIN
        for step in self.instructions:
            if step.op == "symbol":
                results.append(values[str(step.value)])
            elif step.op == "number":
                results.append(_literal(step.value))
            elif step.op == "^":
                results.append(_power(results, step, self.instructions, self.trusted))
            else:
                results.append(rules[step.op](*[results[i] for i in step.args]))
        return [results[i] for i in self.outputs]


def compile_tape(roots: Sequence[Node], *, trusted: bool = False) -> Tape:
    """The tape of several trees; equal sub-trees are computed once."""
    position: dict[Node, int] = {}
    instructions: list[Instruction] = []
    for root in roots:
        for node in root.nodes():
            if node not in position:
                args = tuple(position[arg] for arg in node.args)
                position[node] = len(instructions)
                instructions.append(Instruction(node.op, args, node.value))
    return Tape(tuple(instructions), tuple(position[root] for root in roots), trusted)


def ball(low: Fraction, high: Fraction) -> Ball:
    """The ball that encloses [low, high]."""
    first = arb(fmpq(low.numerator, low.denominator))
    return first if low == high else first.union(arb(fmpq(high.numerator, high.denominator)))


def _literal(value: Any) -> Ball:
    return arb(fmpq(value.numerator, value.denominator))


def _power(
    results: list[Ball], step: Instruction, tape: tuple[Instruction, ...], trusted: bool
) -> Ball:
    base, exponent = (results[i] for i in step.args)
    value = _exact_exponent(step.args[1], tape)
    if value is None:
        return _symbolic_power(base, exponent, trusted)
    if value.denominator == 1:
        if not value and base.contains(0) and not trusted:
            return arb.nan()  # 0^0 has no agreed value
        return whole_power(base, int(value))
    if base > 0:
        return base ** arb(fmpq(value.numerator, value.denominator))
    if value > 0 and (base >= 0 or (trusted and base.upper() >= 0)):
        top = base.upper() ** arb(fmpq(value.numerator, value.denominator))
        return arb(0).union(top)
    return arb.nan()


def _symbolic_power(base: Ball, exponent: Ball, trusted: bool) -> Ball:
    """b^p = exp(p log b) for b > 0; b = 0 is allowed where p > 0, and there the value is 0."""
    if base > 0:
        return (exponent * base.log()).exp()
    if exponent > 0 and (base >= 0 or (trusted and base.upper() >= 0)):
        top = base.upper()
        if top > 0:  # the largest b^p of the ball lies at its largest b
            return arb(0).union((exponent * top.log()).exp())
        return arb(0)
    return arb.nan()


def _exact_exponent(position: int, tape: tuple[Instruction, ...]) -> Fraction | None:
    step = tape[position]
    if step.op == "number" and isinstance(step.value, Fraction):
        return step.value
    if step.op == "-":
        inner = _exact_exponent(step.args[0], tape)
        return None if inner is None else -inner
    return None


def _trigamma(x: Ball) -> Ball:
    return arb(2).zeta(x) if x > 0 else arb.nan()


def _positive(function: Callable[[Ball], Ball]) -> Callable[[Ball], Ball]:
    return lambda x: function(x) if x > 0 else arb.nan()


def _sign(x: Ball) -> Ball:
    """The slopes of abs: all of [-1, 1] where the ball meets 0, also where it is 0 exactly."""
    if x > 0:
        return arb(1)
    if x < 0:
        return arb(-1)
    return x if x.is_nan() else arb(0, 1)


def _choose(a: Ball, b: Ball, if_a: Ball, if_b: Ball) -> Ball:
    """The slope of max(a, b): that of the larger, both where that is not certain."""
    if a > b:
        return if_a
    if b > a:
        return if_b
    return if_a.union(if_b) if not (a - b).is_nan() else arb.nan()


def _fold(function: Callable[[Ball, Ball], Ball]) -> Callable[..., Ball]:
    def run(first: Ball, *others: Ball) -> Ball:
        for other in others:
            first = function(first, other)
        return first

    return run


def _absolute(x: Ball) -> Ball:
    return abs(x) if not x.contains(0) else arb(0).union(x.abs_upper())


def _floor(x: Ball) -> Ball:
    low, high = x.lower().floor(), x.upper().floor()
    return low if low == high else low.union(high)


def _cube_root(x: Ball) -> Ball:
    """The odd real root, monotone, so the ends give the enclosure."""
    if x > 0:
        return x.root(3)
    if x < 0:
        return -((-x).root(3))
    if x.is_nan():
        return x
    low = -((-x.lower()).root(3)) if x.lower() < 0 else arb(0)
    high = x.upper().root(3) if x.upper() > 0 else arb(0)
    return low.union(high)


def _bessel(order: Ball, x: Ball) -> Ball:
    return x.bessel_i(order)


def _lambertw(x: Ball) -> Ball:
    """The principal branch; Arb gives an infinite ball, not NaN, where x reaches below -1/e."""
    return x.lambertw() if x > -(arb(-1).exp()) else arb.nan()


def _clipped_lambertw(x: Ball) -> Ball:
    """Increasing from -1 at -1/e, so the part of the ball in the domain has its ends as bounds."""
    if x > -(arb(-1).exp()):
        return x.lambertw()
    top = x.upper()
    return arb(-1).union(top.lambertw()) if top > -(arb(-1).exp()) else arb.nan()


def _binomial(n: Ball, k: Ball) -> Ball:
    return (n + 1).gamma() / ((k + 1).gamma() * (n - k + 1).gamma())


def _clipped_sqrt(x: Ball) -> Ball:
    return x.sqrt() if x > 0 else arb(0).union(x.upper().sqrt()) if x.upper() >= 0 else arb.nan()


def _clipped_arc(function: Callable[[Ball], Ball]) -> Callable[[Ball], Ball]:
    """asin or acos, monotone, of the part of the ball inside [-1, 1]."""

    def run(x: Ball) -> Ball:
        low = x.lower() if x.lower() > -1 else arb(-1)
        high = x.upper() if x.upper() < 1 else arb(1)
        return function(low).union(function(high))

    return run


_PLAIN: Mapping[str, Callable[..., Ball]] = MappingProxyType(
    {
        "pi": arb.pi,
        "e": arb.const_e,
        "+": _fold(lambda a, b: a + b),
        "*": _fold(lambda a, b: a * b),
        "-": lambda x: -x,
        "/": lambda a, b: a / b,
        "exp": lambda x: x.exp(),
        "log": lambda x: x.log() if x > 0 else arb.nan(),
        "sqrt": lambda x: x.sqrt(),
        "cbrt": _cube_root,
        "sin": lambda x: x.sin(),
        "cos": lambda x: x.cos(),
        "tan": lambda x: x.tan(),
        "asin": lambda x: x.asin(),
        "acos": lambda x: x.acos(),
        "atan": lambda x: x.atan(),
        "sinh": lambda x: x.sinh(),
        "cosh": lambda x: x.cosh(),
        "tanh": lambda x: x.tanh(),
        "erf": lambda x: x.erf(),
        "erfc": lambda x: x.erfc(),
        "gamma": lambda x: x.gamma(),
        "loggamma": _positive(lambda x: x.lgamma()),
        "digamma": _positive(lambda x: x.digamma()),
        "trigamma": _trigamma,
        "binomial": _binomial,
        "besseli": _bessel,
        "lambertw": _lambertw,
        "abs": _absolute,
        "sign": _sign,
        "choose": _choose,
        "min": _fold(lambda a, b: a.min(b)),
        "max": _fold(lambda a, b: a.max(b)),
        "floor": _floor,
    }
)
_TRUSTED: Mapping[str, Callable[..., Ball]] = MappingProxyType(
    {
        **_PLAIN,
        "sqrt": _clipped_sqrt,
        "lambertw": _clipped_lambertw,
        "asin": _clipped_arc(lambda x: x.asin()),
        "acos": _clipped_arc(lambda x: x.acos()),
    }
)
