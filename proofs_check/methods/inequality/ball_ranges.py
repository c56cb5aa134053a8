"""Ranges of expressions over boxes whose sides may be open, closed or infinite.

A range is a pair of ends (exact Arb numbers or infinities) with a flag each that says that the end
is certainly not attained. Cheap and wide, but it copes with half-lines, which a ball cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from flint import arb, fmpq

from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import Interval

Ball = Any
_INF = arb.pos_inf()
_MINUS_INF = arb.neg_inf()


@dataclass(frozen=True)
class Range:
    """All values lie in [low, high]; a flag says that they stay off that end."""

    low: Ball
    high: Ball
    open_low: bool = False
    open_high: bool = False

    @property
    def positive(self) -> bool:
        """Whether every value is certainly > 0."""
        return bool(self.low > 0) or (bool(self.low == 0) and self.open_low)

    @property
    def nonnegative(self) -> bool:
        """Whether every value is certainly >= 0."""
        return bool(self.low >= 0)

    @property
    def negative(self) -> bool:
        """Whether every value is certainly < 0."""
        return bool(self.high < 0) or (bool(self.high == 0) and self.open_high)

    @property
    def finite(self) -> bool:
        """Whether both ends are finite."""
        return bool(self.low.is_finite()) and bool(self.high.is_finite())

    def ball(self) -> Ball:
        """The ball round it; only for finite ranges."""
        return self.low.union(self.high)


EVERYTHING = Range(_MINUS_INF, _INF)


def of_interval(interval: Interval) -> Range:
    """The range of a variable."""
    low = _MINUS_INF if interval.low is None else _exact(interval.low).lower()
    high = _INF if interval.high is None else _exact(interval.high).upper()
    # An end that is no binary fraction was moved outwards, so it is not attained either way.
    return Range(
        low,
        high,
        interval.low is None or interval.open_low or bool(low < _exact(interval.low)),
        interval.high is None or interval.open_high or bool(high > _exact(interval.high)),
    )


def range_of(node: Node, box: Mapping[str, Range], known: dict[Node, Range] | None = None) -> Range:
    """The range of a tree over a box, provided that the tree is defined on all of it.

    ``known`` may hold ranges of sub-trees that were found by other means; it is filled.
    """
    done: dict[Node, Range] = {} if known is None else known
    for part in node.nodes():
        if part not in done:
            done[part] = _value(part, [done[arg] for arg in part.args], box)
    return done[node]


def _exact(value: Fraction) -> Ball:
    return arb(fmpq(value.numerator, value.denominator))


def _of_ball(ball: Ball) -> Range:
    if not ball.is_finite():
        return EVERYTHING
    return Range(ball.lower(), ball.upper())


def _value(node: Node, args: list[Range], box: Mapping[str, Range]) -> Range:
    if node.op == "symbol":
        return box[str(node.value)]
    if node.op == "number" and isinstance(node.value, Fraction):
        return _of_ball(_exact(node.value))
    if node.op == "^":
        return _power(node, args)
    if node.op == "*" and len(node.args) == 2 and node.args[0] == node.args[1]:
        return _even_power(args[0], 2)
    rule = _RULES.get(node.op)
    return rule(*args) if rule is not None else _by_ball(node.op, args)


def _by_ball(op: str, args: list[Range]) -> Range:
    """Functions without a rule of their own: the ball rule on finite arguments."""
    from proofs_check.arithmetic.tape import Instruction, Tape

    if not all(arg.finite for arg in args):
        return EVERYTHING
    steps = [Instruction("symbol", (), str(i)) for i in range(len(args))]
    tape = Tape((*steps, Instruction(op, tuple(range(len(args))), None)), (len(args),), True)
    return _of_ball(tape.run({str(i): arg.ball() for i, arg in enumerate(args)})[0])


def _add(*terms: Range) -> Range:
    low = sum((term.low for term in terms[1:]), terms[0].low)
    high = sum((term.high for term in terms[1:]), terms[0].high)
    return Range(
        _MINUS_INF if low.is_nan() else low.lower(),
        _INF if high.is_nan() else high.upper(),
        any(term.open_low for term in terms) and bool(low.is_exact()),
        any(term.open_high for term in terms) and bool(high.is_exact()),
    )


def _negated(x: Range) -> Range:
    return Range(-x.high, -x.low, x.open_high, x.open_low)


def _product(a: Ball, b: Ball) -> Ball:
    return arb(0) if a == 0 or b == 0 else a * b


def _multiply(*factors: Range) -> Range:
    result = factors[0]
    for factor in factors[1:]:
        result = _times(result, factor)
    return result


def _times(a: Range, b: Range) -> Range:
    ends = [_product(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    if any(end.is_nan() for end in ends):
        return EVERYTHING
    low, high = ends[0].lower(), ends[0].upper()
    for end in ends[1:]:
        low = end.lower() if end.lower() < low else low
        high = end.upper() if end.upper() > high else high
    zero_low = low == 0 and ((a.positive and b.positive) or (a.negative and b.negative))
    zero_high = high == 0 and ((a.positive and b.negative) or (a.negative and b.positive))
    return Range(low, high, bool(zero_low), bool(zero_high))


def _divide(a: Range, b: Range) -> Range:
    if b.nonnegative:
        high = _INF if b.low == 0 else (1 / b.low).upper()
        low = arb(0) if not b.high.is_finite() else (1 / b.high).lower()
        return _times(a, Range(low, high, bool(low == 0), False))
    if b.high <= 0:
        return _negated(_divide(a, _negated(b)))
    return EVERYTHING


def _power(node: Node, args: list[Range]) -> Range:
    from proofs_check.methods.inequality.problem import literal

    base, exponent = args
    value = literal(node.args[1])
    if value is None:
        if not base.positive:
            return EVERYTHING
        return _RULES["exp"](_times(exponent, _RULES["log"](base)))
    if value.denominator == 1:
        return _whole_power(base, int(value))
    if not base.nonnegative:
        return EVERYTHING
    if value < 0:
        return _divide(Range(arb(1), arb(1)), _root_power(base, -value))
    return _root_power(base, value)


def _root_power(base: Range, value: Fraction) -> Range:
    exponent = _exact(value)
    low = base.low if base.low == 0 else (base.low**exponent).lower()
    high = base.high if not base.high.is_finite() else (base.high**exponent).upper()
    high = arb(0) if base.high == 0 else high
    return Range(low, high, base.open_low and bool(base.low == 0), False)


def _whole_power(base: Range, exponent: int) -> Range:
    if exponent < 0:
        return _divide(Range(arb(1), arb(1)), _whole_power(base, -exponent))
    if exponent == 0:
        return Range(arb(1), arb(1))
    if exponent % 2 == 0:
        return _even_power(base, exponent)
    low, high = base.low**exponent, base.high**exponent
    return Range(
        low.lower(),
        high.upper(),
        base.open_low and bool(base.low == 0),
        base.open_high and bool(base.high == 0),
    )


def _even_power(base: Range, exponent: int) -> Range:
    size = _absolute(base)
    low, high = size.low**exponent, size.high**exponent
    return Range(low.lower(), high.upper(), size.open_low and bool(size.low == 0), False)


def _absolute(x: Range) -> Range:
    if x.nonnegative:
        return x
    if x.high <= 0:
        return _negated(x)
    return Range(arb(0), -x.low if -x.low > x.high else x.high)


def _increasing(
    function: Callable[[Ball], Ball],
    at_low: Ball | None = None,
    at_high: Ball | None = None,
    *,
    low: Ball | None = None,
    high: Ball | None = None,
) -> Callable[[Range], Range]:
    """The rule of an increasing function on [low, high] with these limits (open) at the ends."""
    start = _MINUS_INF if low is None else low
    end = _INF if high is None else high

    def run(x: Range) -> Range:
        below, above = x.low <= start, x.high >= end
        bottom = at_low if below else function(x.low)
        top = at_high if above else function(x.high)
        if bottom is None or bottom.is_nan():
            bottom = _MINUS_INF
        if top is None or top.is_nan():
            top = _INF
        opened = (
            bool(below)
            and bool(bottom.is_exact())
            and (low is None or (x.open_low and bool(x.low == start)))
        )
        opened_high = (
            bool(above)
            and bool(top.is_exact())
            and (high is None or (x.open_high and bool(x.high == end)))
        )
        return Range(bottom.lower(), top.upper(), opened, opened_high)

    return run


def _decreasing(rule: Callable[[Range], Range]) -> Callable[[Range], Range]:
    """The rule of f from the rule of -f, an increasing function."""
    return lambda x: _negated(rule(x))


def _cosh(x: Range) -> Range:
    size = _absolute(x)
    high = _INF if not size.high.is_finite() else size.high.cosh().upper()
    return Range(size.low.cosh().lower(), high)


def _wave(function: Callable[[Ball], Ball]) -> Callable[[Range], Range]:
    def run(x: Range) -> Range:
        if not x.finite:
            return Range(arb(-1), arb(1))
        value = function(x.ball())
        low, high = value.lower(), value.upper()
        return Range(low if low > -1 else arb(-1), high if high < 1 else arb(1))

    return run


def _growing_gamma(function: Callable[[Ball], Ball]) -> Callable[[Range], Range]:
    """gamma and its logarithm increase from 1.4617 on."""

    def run(x: Range) -> Range:
        if x.low >= arb("1.5"):
            high = function(x.high).upper() if x.high.is_finite() else _INF
            return Range(function(x.low).lower(), high)
        return _of_ball(function(x.ball())) if x.finite and x.low > 0 else EVERYTHING

    return run


def _bessel(order: Range, x: Range) -> Range:
    """I_nu increases on x >= 0 for nu >= 0."""
    if not (order.finite and bool(order.low == order.high) and order.nonnegative):
        return EVERYTHING
    if not x.nonnegative:
        return _of_ball(x.ball().bessel_i(order.low)) if x.finite else EVERYTHING
    low = x.low.bessel_i(order.low).lower()
    high = x.high.bessel_i(order.low).upper() if x.high.is_finite() else _INF
    return Range(low, high)


def _largest(*values: Range) -> Range:
    low, high = values[0].low, values[0].high
    for value in values[1:]:
        low = value.low if value.low > low else low
        high = value.high if value.high > high else high
    return Range(low, high)


def _smallest(*values: Range) -> Range:
    return _negated(_largest(*(_negated(value) for value in values)))


_HALF_PI = arb.pi() / 2
_RULES: Mapping[str, Callable[..., Range]] = MappingProxyType(
    {
        "pi": lambda: _of_ball(arb.pi()),
        "e": lambda: _of_ball(arb.const_e()),
        "+": _add,
        "*": _multiply,
        "-": _negated,
        "/": _divide,
        "exp": _increasing(lambda x: x.exp(), arb(0), _INF),
        "log": _increasing(lambda x: x.log(), _MINUS_INF, _INF, low=arb(0)),
        "sqrt": _increasing(lambda x: x.sqrt(), arb(0), _INF, low=arb(0)),
        "sinh": _increasing(lambda x: x.sinh(), _MINUS_INF, _INF),
        "tanh": _increasing(lambda x: x.tanh(), arb(-1), arb(1)),
        "atan": _increasing(lambda x: x.atan(), -_HALF_PI, _HALF_PI),
        "erf": _increasing(lambda x: x.erf(), arb(-1), arb(1)),
        "erfc": _decreasing(_increasing(lambda x: -x.erfc(), arb(-2), arb(0))),
        "asin": _increasing(lambda x: x.asin(), -_HALF_PI, _HALF_PI, low=arb(-1), high=arb(1)),
        "acos": _decreasing(
            _increasing(lambda x: -x.acos(), -arb.pi(), arb(0), low=arb(-1), high=arb(1))
        ),
        "digamma": _increasing(lambda x: x.digamma(), _MINUS_INF, _INF, low=arb(0)),
        "lambertw": _increasing(lambda x: x.lambertw(), None, _INF, low=(-arb(-1).exp()).upper()),
        "cosh": _cosh,
        "sin": _wave(lambda x: x.sin()),
        "cos": _wave(lambda x: x.cos()),
        "gamma": _growing_gamma(lambda x: x.gamma()),
        "loggamma": _growing_gamma(lambda x: x.lgamma()),
        "besseli": _bessel,
        "abs": _absolute,
        "max": _largest,
        "min": _smallest,
    }
)
