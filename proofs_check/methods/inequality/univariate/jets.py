"""Taylor coefficients in balls: of every function of the grammar, and of whole trees.

All coefficients over a wide ball enclose those at every point of it, which gives remainders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from flint import arb, arb_series, ctx, fmpq

from bounds.errors import BoundsError
from proofs_check.arithmetic.tape import Tape

Ball = Any
Jet = Any


class NoJet(BoundsError, ArithmeticError):
    """A function has no Taylor coefficients over a ball (a kink, a pole, a jump)."""


def jet(tape: Tape, at: Ball, count: int) -> list[Ball]:
    """f^(k)(x)/k! for k < count, enclosed for all x in ``at``; the tape has one symbol.

    Raises:
        NoJet: f is not smooth on the ball, as far as can be seen.
    """
    outer = ctx.cap
    ctx.cap = count
    try:
        return _run(tape, at, count)
    finally:
        ctx.cap = outer


def _run(tape: Tape, at: Ball, count: int) -> list[Ball]:
    variable = arb_series([at, 1], prec=count)
    results: list[Jet] = []
    steps = tape.instructions
    for step in steps:
        if step.op == "symbol":
            results.append(variable)
        elif step.op == "number" and isinstance(step.value, Fraction):
            results.append(arb(fmpq(step.value.numerator, step.value.denominator)))
        else:
            args = [results[i] for i in step.args]
            if all(isinstance(arg, arb) for arg in args):
                results.append(_constant(step.op, args, steps, step.args))
            else:
                results.append(_apply(step.op, args, count))
    return coefficients(results[tape.outputs[0]], count)


def coefficients(value: Jet, count: int) -> list[Ball]:
    """The first coefficients of a series or a constant."""
    if isinstance(value, arb):
        return [value] + [arb(0)] * (count - 1)
    if value.prec < count:
        raise NoJet("a series lost coefficients")
    found = [value[i] for i in range(min(count, len(value)))]
    return found + [arb(0)] * (count - len(found))


def _constant(op: str, args: list[Ball], steps: Any, positions: tuple[int, ...]) -> Ball:
    from proofs_check.arithmetic.tape import Instruction

    chosen = []
    for i, arg in enumerate(args):
        step = steps[positions[i]]
        # A literal exponent must stay one, or a power of a negative number is not understood.
        chosen.append(step if step.op == "number" else Instruction("symbol", (), str(i)))
        del arg
    call = Instruction(op, tuple(range(len(args))), None)
    tape = Tape((*chosen, call), (len(args),), True)
    return tape.run({str(i): arg for i, arg in enumerate(args)})[0]


def _apply(op: str, args: list[Jet], count: int) -> Jet:
    if op == "+":
        return _folded(args, lambda a, b: a + b)
    if op == "*":
        return _folded(args, lambda a, b: a * b)
    if op == "-":
        return -args[0]
    if op == "/":
        return args[0] * _inverse(args[1])
    if op == "^":
        return _power(args[0], args[1])
    if op in ("max", "min"):
        return _folded(args, lambda a, b: _chosen(op, a, b))
    if op == "besseli":
        return _bessel(args, count)
    rule = _RULES.get(op)
    if rule is None:
        raise NoJet(f"{op} has no Taylor coefficients here")
    return rule(args[0])


def _folded(args: list[Jet], function: Callable[[Jet, Jet], Jet]) -> Jet:
    result = args[0]
    for arg in args[1:]:
        result = function(result, arg)
    return result


def _head(value: Jet) -> Ball:
    return value if isinstance(value, arb) else value[0]


def _inverse(value: Jet) -> Jet:
    head = _head(value)
    if not (head > 0 or head < 0):
        raise NoJet("a quotient by a ball that holds zero")
    return 1 / value if isinstance(value, arb) else value.inv()


def _positive(value: Jet) -> Jet:
    if not value[0] > 0:
        raise NoJet("a root or logarithm of a ball that reaches zero")
    return value


def _power(base: Jet, exponent: Jet) -> Jet:
    value = _rational(exponent)
    if value is None:
        if isinstance(base, arb):
            if not base > 0:
                raise NoJet("a power of a ball that reaches zero")
            return (exponent * base.log()).exp()
        return (exponent * _positive(base).log()).exp()
    if value.denominator == 1 and abs(value) <= 64:
        return _whole_power(base, int(value))
    if value == Fraction(1, 2):
        return _positive(base).sqrt()
    return (exponent * _positive(base).log()).exp()


def _rational(exponent: Jet) -> Fraction | None:
    if not isinstance(exponent, arb) or not exponent.is_exact():
        return None
    value = exponent.fmpq()
    return Fraction(int(value.p), int(value.q))


def _whole_power(base: Jet, exponent: int) -> Jet:
    if exponent < 0:
        return _inverse(_whole_power(base, -exponent))
    result: Jet = arb(1)
    square = base
    while exponent:
        if exponent & 1:
            result = result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return result


def _chosen(op: str, a: Jet, b: Jet) -> Jet:
    x, y = _head(a), _head(b)
    if not (x > y or x < y):
        raise NoJet("a kink inside the ball")
    return a if (x > y) == (op == "max") else b


def _absolute(value: Jet) -> Jet:
    if value[0] > 0:
        return value
    if value[0] < 0:
        return -value
    raise NoJet("a kink inside the ball")


def _sign(value: Jet) -> Jet:
    if value[0] > 0 or value[0] < 0:
        return arb(1) if value[0] > 0 else arb(-1)
    raise NoJet("a jump inside the ball")


def _floor(value: Jet) -> Jet:
    low, high = value[0].lower().floor(), value[0].upper().floor()
    if low == high:
        return low
    raise NoJet("a jump inside the ball")


def _cosh(value: Jet) -> Jet:
    grown = value.exp()
    return (grown + grown.inv()) / 2


def _sinh(value: Jet) -> Jet:
    grown = value.exp()
    return _with_head((grown - grown.inv()) / 2, value[0].sinh())


def _tanh(value: Jet) -> Jet:
    """1 - 2/(e^{2x}+1), or its mirror, so that no infinite exponential is met."""
    if value[0] < 0:
        return -_tanh(-value)
    shrunk = (-2 * value).exp()
    return _with_head((1 - shrunk) * (1 + shrunk).inv(), value[0].tanh())


def _with_head(series: Jet, head: Ball) -> Jet:
    """The series with its constant coefficient replaced by a tighter enclosure of the same."""
    count = len(series)
    return arb_series([head] + [series[i] for i in range(1, count)], prec=ctx.cap)


def _cube_root(value: Jet) -> Jet:
    if value[0] < 0:
        return -_cube_root(-value)
    return (_positive(value).log() / 3).exp()


def _arc(function: Callable[[Jet], Jet]) -> Callable[[Jet], Jet]:
    def run(value: Jet) -> Jet:
        if not (value[0] > -1 and value[0] < 1):
            raise NoJet("an arc function up to the end of its domain")
        return function(value)

    return run


def _tangent(value: Jet) -> Jet:
    cosine = value[0].cos()
    if not (cosine > 0 or cosine < 0):
        raise NoJet("a tangent near its pole")
    return value.tan()


def _gamma(function: Callable[[Jet], Jet]) -> Callable[[Jet], Jet]:
    return lambda value: function(_positive(value))


def _composed(outer: list[Ball], inner: Jet) -> Jet:
    """sum outer_k (inner - inner_0)^k by Horner's rule."""
    shift = inner - inner[0]
    shift = arb_series([0] + [shift[i] for i in range(1, len(shift))], prec=ctx.cap)
    result: Jet = arb_series([outer[-1]], prec=ctx.cap)
    for value in reversed(outer[:-1]):
        result = result * shift + value
    return result


def _polygamma(order: int) -> Callable[[Jet], Jet]:
    """psi and psi' from the coefficients k >= 1 of log gamma."""

    def run(value: Jet) -> Jet:
        count, head = ctx.cap, _positive(value)[0]
        ctx.cap = count + order + 1
        series = arb_series([head, 1], prec=count + order + 1).lgamma()
        ctx.cap = count
        outer = [series[k] for k in range(count + order + 1)]
        for _ in range(order + 1):
            outer = [(k + 1) * outer[k + 1] for k in range(len(outer) - 1)]
        return _composed(outer, value)

    return run


def _bessel(args: list[Jet], count: int) -> Jet:
    """I_nu^(k) = 2^-k sum_j C(k, j) I_{nu-k+2j} for a rational order."""
    order = args[0].fmpq() if isinstance(args[0], arb) and args[0].is_exact() else None
    if order is None:
        raise NoJet("besseli needs an order that is a binary fraction here")
    head = args[1][0]
    nu = Fraction(int(order.p), int(order.q))
    orders = [nu - count + j for j in range(2 * count + 1)]
    orders = [abs(n) if n.denominator == 1 else n for n in orders]
    known = {n: _bessel_ball(n, head) for n in set(orders)}
    values = [known[n] for n in orders]
    outer = []
    for k in range(count):
        total = arb(0)
        for j in range(k + 1):
            total += arb(k).bin(j) * values[count - k + 2 * j]
        outer.append(total / (arb(2) ** k * arb(k).fac()))
    return _composed(outer, args[1])


def _bessel_ball(order: Fraction, x: Ball) -> Ball:
    """I_nu on a ball: increasing on x >= 0 for nu >= 0, others by the recurrence."""
    if order.denominator == 1:
        order = abs(order)
    nu = arb(fmpq(order.numerator, order.denominator))
    if order.denominator != 1 and not x > 0:
        raise NoJet("a Bessel function of fractional order at zero")
    if x.is_exact() or not x >= 0:
        return x.bessel_i(nu)
    if order >= 0:
        return x.lower().bessel_i(nu).union(x.upper().bessel_i(nu))
    return _bessel_ball(order + 2, x) + 2 * (nu + 1) / x * _bessel_ball(order + 1, x)


_RULES: Mapping[str, Callable[[Jet], Jet]] = MappingProxyType(
    {
        "exp": lambda x: x.exp(),
        "log": lambda x: _positive(x).log(),
        "sqrt": lambda x: _positive(x).sqrt(),
        "cbrt": _cube_root,
        "sin": lambda x: x.sin(),
        "cos": lambda x: x.cos(),
        "tan": _tangent,
        "asin": _arc(lambda x: x.asin()),
        "acos": _arc(lambda x: x.acos()),
        "atan": lambda x: x.atan(),
        "sinh": _sinh,
        "cosh": _cosh,
        "tanh": _tanh,
        "erf": lambda x: x.erf(),
        "erfc": lambda x: x.erfc(),
        "gamma": _gamma(lambda x: x.gamma()),
        "loggamma": _gamma(lambda x: x.lgamma()),
        "digamma": _polygamma(0),
        "trigamma": _polygamma(1),
        "lambertw": lambda x: x.lambertw(),
        "abs": _absolute,
        "sign": _sign,
        "floor": _floor,
    }
)
