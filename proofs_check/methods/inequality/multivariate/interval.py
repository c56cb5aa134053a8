"""Rigorous intervals with ball arithmetic at their ends: tighter than balls on wide boxes.

A ball for exp([-5, 5]) reaches far below 0, since its radius is symmetric; here increasing
functions are evaluated at both ends, each rounded outwards. NaN ends say: perhaps undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from flint import arb, fmpq

from proofs_check.arithmetic.tape import Instruction, Tape

Ball = Any
Pair = tuple[Ball, Ball]
_NAN = (arb.nan(), arb.nan())


def run(tape: Tape, values: Mapping[str, Pair]) -> list[Pair]:
    """Enclosures of all outputs, at the precision in force."""
    results: list[Pair] = []
    for function, args, literal in _compiled(tape):
        if function is not None:
            results.append(function(*[results[i] for i in args]))
        elif isinstance(literal, str):
            results.append(values[literal])
        else:
            results.append((literal.lower(), literal.upper()))
    return [results[i] for i in tape.outputs]


Step = tuple[Callable[..., Pair] | None, tuple[int, ...], Any]


def _compiled(tape: Tape) -> tuple[Step, ...]:
    """A function for each step; numbers as rationals, rounded only when they are used."""
    return _steps(_Same(tape))


class _Same:
    """A tape compared by identity: hashing all its instructions each time would be slow."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def __hash__(self) -> int:
        return id(self.tape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.tape is self.tape


@lru_cache(maxsize=256)
def _steps(same: _Same) -> tuple[Step, ...]:
    return tuple(_compile(step, same.tape) for step in same.tape.instructions)


def _compile(step: Instruction, tape: Tape) -> Step:
    if step.op == "symbol":
        return None, (), str(step.value)
    if step.op == "number":
        exact = fmpq(*Fraction(str(step.value)).as_integer_ratio())
        return (lambda: _constant(exact)), (), None
    if step.op == "^":
        exponent = _literal(step.args[1], tape)
        if exponent is not None and exponent.denominator == 1 and exponent > 0:
            n = int(exponent)
            return (lambda x: _whole_power(x, n)), step.args[:1], None
        return (lambda x, y: _power(x, y, exponent)), step.args, None
    if step.op == "*" and len(step.args) == 2 and step.args[0] == step.args[1]:
        return (lambda x: _whole_power(x, 2)), step.args[:1], None
    increasing = _INCREASING.get(step.op)
    if increasing is not None:
        return (lambda x: (increasing(x[0]).lower(), increasing(x[1]).upper())), step.args, None
    rule = _RULES.get(step.op)
    if rule is not None:
        return rule, step.args, None
    return (lambda *args: _by_ball(step, args)), step.args, None


def _constant(value: Any) -> Pair:
    ball = arb(value)
    return ball.lower(), ball.upper()


def pair(low: Fraction, high: Fraction) -> Pair:
    """The interval [low, high], rounded outwards."""
    return (
        arb(fmpq(low.numerator, low.denominator)).lower(),
        arb(fmpq(high.numerator, high.denominator)).upper(),
    )


def finite(x: Pair) -> bool:
    """Whether both ends are finite."""
    return bool(x[0].is_finite()) and bool(x[1].is_finite())


def _literal(position: int, tape: Tape) -> Fraction | None:
    step = tape.instructions[position]
    if step.op == "number":
        return Fraction(str(step.value))
    if step.op == "-":
        inner = _literal(step.args[0], tape)
        return None if inner is None else -inner
    return None


def _by_ball(step: Instruction, args: Sequence[Pair]) -> Pair:
    """Other functions: the ball rule."""
    if not all(finite(arg) for arg in args):
        return _NAN
    inputs = [Instruction("symbol", (), str(i)) for i in range(len(args))]
    own = Instruction(step.op, tuple(range(len(args))), step.value)
    tape = Tape((*inputs, own), (len(args),), True)
    value = tape.run({str(i): a.union(b) for i, (a, b) in enumerate(args)})[0]
    return (value.lower(), value.upper()) if value.is_finite() else _NAN


def _add(*terms: Pair) -> Pair:
    low, high = terms[0]
    for a, b in terms[1:]:
        low, high = low + a, high + b
    return low.lower(), high.upper()


def _negated(x: Pair) -> Pair:
    return -x[1], -x[0]


def _times(x: Pair, y: Pair) -> Pair:
    (a, b), (c, d) = x, y
    if a >= 0 and c >= 0:
        return (a * c).lower(), (b * d).upper()
    ends = [a * c, a * d, b * c, b * d]
    low, high = ends[0], ends[0]
    for end in ends[1:]:
        low, high = low.min(end), high.max(end)
    return (low.lower(), high.upper()) if low.is_finite() and high.is_finite() else _NAN


def _product(*factors: Pair) -> Pair:
    result = factors[0]
    for factor in factors[1:]:
        result = _times(result, factor)
    return result


def _divide(x: Pair, y: Pair) -> Pair:
    if not (y[0] > 0 or y[1] < 0):
        return _NAN
    return _times(x, ((1 / y[1]).lower(), (1 / y[0]).upper()))


def _power(x: Pair, y: Pair, exponent: Fraction | None) -> Pair:
    if not finite(x) or not finite(y):
        return _NAN
    if exponent is None:
        if not x[0] > 0:
            return _NAN
        low, high = _times(y, (x[0].log().lower(), x[1].log().upper()))
        return low.exp().lower(), high.exp().upper()
    if exponent.denominator == 1:
        n = int(exponent)
        return _whole_power(x, n) if n >= 0 else _divide((arb(1), arb(1)), _whole_power(x, -n))
    return _root_power(x, exponent)


def _root_power(x: Pair, exponent: Fraction) -> Pair:
    if not (x[0] > 0 or (x[1] >= 0 and exponent > 0)):
        return _NAN
    value = arb(fmpq(exponent.numerator, exponent.denominator))
    low = (x[0] ** value).lower() if x[0] > 0 else arb(0)
    high = (x[1] ** value).upper() if x[1] > 0 else arb(0)
    if exponent < 0:
        return (x[1] ** value).lower(), (x[0] ** value).upper()
    return low, high


def _whole_power(x: Pair, n: int) -> Pair:
    if n % 2 == 0:
        x = _absolute(x)
    return (x[0] ** n).lower(), (x[1] ** n).upper()


def _absolute(x: Pair) -> Pair:
    if not finite(x):
        return _NAN
    if x[0] >= 0:
        return x
    return (-x[1], -x[0]) if x[1] <= 0 else (arb(0), (-x[0]).max(x[1]))


def _square_root(x: Pair) -> Pair:
    """Clipped: definedness is shown elsewhere."""
    if not finite(x) or not x[1] >= 0:
        return _NAN
    return (x[0].sqrt().lower() if x[0] > 0 else arb(0)), x[1].sqrt().upper()


def _logarithm(x: Pair) -> Pair:
    return (x[0].log().lower(), x[1].log().upper()) if x[0] > 0 else _NAN


def _hyperbolic_cosine(x: Pair) -> Pair:
    if not finite(x):
        return _NAN
    low, high = _absolute(x)
    return low.cosh().lower(), high.cosh().upper()


def _wave(function: Callable[[Ball], Ball]) -> Callable[[Pair], Pair]:
    """Ball rule cut to [-1, 1]."""

    def rule(x: Pair) -> Pair:
        if not finite(x):
            return _NAN
        value = function(x[0].union(x[1]))
        return value.lower().max(arb(-1)), value.upper().min(arb(1))

    return rule


def _largest(*values: Pair) -> Pair:
    if not all(finite(value) for value in values):
        return _NAN
    low, high = values[0]
    for a, b in values[1:]:
        low, high = low.max(a), high.max(b)
    return low, high


def _smallest(*values: Pair) -> Pair:
    if not all(finite(value) for value in values):
        return _NAN
    low, high = values[0]
    for a, b in values[1:]:
        low, high = low.min(a), high.min(b)
    return low, high


_INCREASING: Mapping[str, Callable[[Ball], Ball]] = MappingProxyType(
    {
        "exp": lambda x: x.exp(),
        "atan": lambda x: x.atan(),
        "sinh": lambda x: x.sinh(),
        "tanh": lambda x: x.tanh(),
        "erf": lambda x: x.erf(),
    }
)
_RULES: Mapping[str, Callable[..., Pair]] = MappingProxyType(
    {
        "+": _add,
        "*": _product,
        "-": _negated,
        "/": _divide,
        "sqrt": _square_root,
        "log": _logarithm,
        "cosh": _hyperbolic_cosine,
        "sin": _wave(lambda x: x.sin()),
        "cos": _wave(lambda x: x.cos()),
        "abs": _absolute,
        "max": _largest,
        "min": _smallest,
    }
)
