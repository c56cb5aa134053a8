"""Taylor coefficients of an expression of one variable, over a ball of arguments.

The k-th coefficient over a ball encloses f^(k)(x)/k! for every x of it; one that is not finite says
nothing. That there are coefficients shows that f is defined and smooth on the whole ball: every
step below refuses arguments that reach a kink, a jump, a pole or the end of a domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from flint import arb, arb_series, ctx

from proofs_check.recheck.balls import Program, exact, hull
from proofs_check.recheck.expression import Expr

Ball = Any
Jet = Any

_LARGEST_POWER = 64


class NoSeries(ArithmeticError):
    """The expression is not smooth on the ball, as far as can be seen."""


class Series:
    """An expression of one variable, made ready to be expanded many times."""

    def __init__(self, expression: Expr) -> None:
        self.output = expression
        self.nodes = list(expression.nodes())
        free: dict[Expr, bool] = {}
        for node in self.nodes:
            free[node] = node.op == "var" or any(free[arg] for arg in node.args)
        self.constants = [node for node in self.nodes if not free[node]]
        self._program = Program(self.constants)
        self._known: dict[int, list[Ball]] = {}

    def coefficients(self, at: Ball, count: int) -> list[Ball]:
        """f^(k)(x)/k! for k < count and all x in ``at`` (finite), at the precision in force.

        Raises:
            NoSeries: f may be undefined or not smooth somewhere on the ball.
        """
        outer = ctx.cap
        ctx.cap = count
        try:
            return self._run(at, count)
        finally:
            ctx.cap = outer

    def _run(self, at: Ball, count: int) -> list[Ball]:
        variable = arb_series([at, 1], prec=count)
        done: dict[Expr, Jet] = dict(zip(self.constants, self._values(), strict=True))
        for node in self.nodes:
            if node not in done:
                args = [done[arg] for arg in node.args]
                found: Jet = variable if node.op == "var" else _apply(node, args, count)
                constant = isinstance(found, arb)
                done[node] = arb_series([found], prec=count) if constant else found
        return _coefficients(done[self.output], count)

    def _values(self) -> list[Ball]:
        if ctx.prec not in self._known:
            self._known[ctx.prec] = [hull(pair) for pair in self._program.run({})]
        if not all(value.is_finite() for value in self._known[ctx.prec]):
            raise NoSeries("a constant may have no value")
        return self._known[ctx.prec]


def _coefficients(value: Jet, count: int) -> list[Ball]:
    if isinstance(value, arb):
        return [value] + [arb(0)] * (count - 1)
    if value.prec < count:
        raise NoSeries("a series lost coefficients")
    return _terms(value, count)


def _terms(value: Jet, count: int) -> list[Ball]:
    found = [value[i] for i in range(min(count, len(value)))]
    return found + [arb(0)] * (count - len(found))


def _apply(node: Expr, args: list[Jet], count: int) -> Jet:
    if node.op in ("+", "*"):
        result = args[0]
        for arg in args[1:]:
            result = result + arg if node.op == "+" else result * arg
        return result
    if node.op == "^":
        return _power(args[0], args[1], node.args[1].number)
    if node.op in ("max", "min"):
        return _chosen(node.op, args)
    if node.op == "besseli":
        return _bessel(node.args[0].number, args[1], count)
    rule = _RULES.get(node.op)
    if rule is None:
        raise NoSeries(f"{node.op} has no Taylor coefficients here")
    return rule(args[0])


def _head(value: Jet) -> Ball:
    return value if isinstance(value, arb) else value[0]


def _inverse(value: Jet) -> Jet:
    head = _head(value)
    if not (head > 0 or head < 0):
        raise NoSeries("a quotient by a ball that holds zero")
    return 1 / value if isinstance(value, arb) else value.inv()


def _positive(value: Jet) -> Jet:
    if not _head(value) > 0:
        raise NoSeries("a function on x > 0 of a ball that reaches zero")
    return value


def _power(base: Jet, exponent: Jet, value: Fraction | None) -> Jet:
    if value is None:
        return (exponent * _positive(base).log()).exp()
    if value.denominator == 1 and abs(value) <= _LARGEST_POWER:
        return _whole_power(base, int(value))
    if value == Fraction(1, 2):
        return _positive(base).sqrt()
    return (exact(value) * _positive(base).log()).exp()


def _whole_power(base: Jet, exponent: int) -> Jet:
    if exponent <= 0:
        # x^0 has no value at 0 either.
        return _whole_power(_inverse(base), -exponent) if exponent else arb(1) + 0 * _inverse(base)
    result: Jet = None
    while exponent:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        base = base * base if exponent else base
    return result


def _chosen(op: str, args: list[Jet]) -> Jet:
    """The argument that is the largest (smallest) on the whole ball."""
    result = args[0]
    for arg in args[1:]:
        x, y = _head(result), _head(arg)
        if not (x > y or x < y):
            raise NoSeries("a kink inside the ball")
        result = result if bool(x > y) == (op == "max") else arg
    return result


def _sided(value: Jet) -> int:
    if value[0] > 0:
        return 1
    if value[0] < 0:
        return -1
    raise NoSeries("a kink or jump inside the ball")


def _floor(value: Jet) -> Jet:
    low, high = value[0].lower().floor(), value[0].upper().floor()
    if low == high:
        return low
    raise NoSeries("a jump inside the ball")


def _with_head(series: Jet, head: Ball) -> Jet:
    """The series with a tighter enclosure of its value."""
    return arb_series([head, *_terms(series, ctx.cap)[1:]], prec=ctx.cap)


def _cosh(value: Jet) -> Jet:
    grown = value.exp()
    return _with_head((grown + grown.inv()) / 2, value[0].cosh())


def _sinh(value: Jet) -> Jet:
    grown = value.exp()
    return _with_head((grown - grown.inv()) / 2, value[0].sinh())


def _tanh(value: Jet) -> Jet:
    """(1 - e^{-2x})/(1 + e^{-2x}), mirrored for x < 0 so that the exponential stays small."""
    if value[0] < 0:
        return -_tanh(-value)
    shrunk = (-2 * value).exp()
    return _with_head((1 - shrunk) * (1 + shrunk).inv(), value[0].tanh())


def _cube_root(value: Jet) -> Jet:
    if value[0] < 0:
        return -_cube_root(-value)
    return (_positive(value).log() / 3).exp()


def _arc(name: str) -> Callable[[Jet], Jet]:
    def run(value: Jet) -> Jet:
        if not (value[0] > -1 and value[0] < 1):
            raise NoSeries("an arc function up to the end of its domain")
        return getattr(value, name)()

    return run


def _tangent(value: Jet) -> Jet:
    cosine = value[0].cos()
    if not (cosine > 0 or cosine < 0):
        raise NoSeries("a tangent near its pole")
    return value.tan()


def _lambert(value: Jet) -> Jet:
    """The principal branch, away from its end -1/e."""
    if not value[0] > -(arb(-1).exp()):
        raise NoSeries("lambertw up to the end of its domain")
    return value.lambertw()


def _composed(outer: list[Ball], inner: Jet) -> Jet:
    """sum outer_k (inner - inner_0)^k by Horner's rule."""
    shift = arb_series([0, *_terms(inner, ctx.cap)[1:]], prec=ctx.cap)
    result: Jet = arb_series([outer[-1]], prec=ctx.cap)
    for value in reversed(outer[:-1]):
        result = result * shift + value
    return result


def _polygamma(order: int) -> Callable[[Jet], Jet]:
    """digamma (order 0) and trigamma (1), the derivatives of log gamma."""

    def run(value: Jet) -> Jet:
        count, head = ctx.cap, _positive(value)[0]
        ctx.cap = count + order + 1
        series = arb_series([head, 1], prec=count + order + 1).lgamma()
        outer = _terms(series, count + order + 1)
        ctx.cap = count
        for _ in range(order + 1):
            outer = [(k + 1) * outer[k + 1] for k in range(len(outer) - 1)]
        return _composed(outer, value)

    return run


def _bessel(order: Fraction | None, value: Jet, count: int) -> Jet:
    """I_v^(k) = 2^-k sum_j C(k, j) I_{v-k+2j} for a rational order."""
    if order is None or isinstance(value, arb):
        raise NoSeries("besseli needs a rational order here")
    head = value[0]
    orders = [order - count + j for j in range(2 * count + 1)]
    known = {n: _bessel_ball(n, head) for n in {_folded(n) for n in orders}}
    outer = []
    for k in range(count):
        total = arb(0)
        for j in range(k + 1):
            total += arb(k).bin(j) * known[_folded(orders[count - k + 2 * j])]
        outer.append(total / (arb(2) ** k * arb(k).fac()))
    return _composed(outer, value)


def _folded(order: Fraction) -> Fraction:
    """I_{-n} = I_n for whole n."""
    return abs(order) if order.denominator == 1 else order


def _bessel_ball(order: Fraction, x: Ball) -> Ball:
    """I_v over a ball: increasing on x >= 0 for v >= 0, other orders by the recurrence."""
    if order.denominator != 1 and not x > 0:
        raise NoSeries("a Bessel function of fractional order at zero")
    v = exact(order)
    if x.is_exact() or not x >= 0:
        return x.bessel_i(v)
    if order >= 0:
        return x.lower().bessel_i(v).union(x.upper().bessel_i(v))
    return _bessel_ball(order + 2, x) + 2 * (v + 1) / x * _bessel_ball(order + 1, x)


_RULES: Mapping[str, Callable[[Jet], Jet]] = MappingProxyType(
    {
        "exp": lambda x: x.exp(),
        "log": lambda x: _positive(x).log(),
        "cbrt": _cube_root,
        "sin": lambda x: x.sin(),
        "cos": lambda x: x.cos(),
        "tan": _tangent,
        "asin": _arc("asin"),
        "acos": _arc("acos"),
        "atan": lambda x: x.atan(),
        "sinh": _sinh,
        "cosh": _cosh,
        "tanh": _tanh,
        "erf": lambda x: x.erf(),
        "erfc": lambda x: x.erfc(),
        "gamma": lambda x: _positive(x).gamma(),
        "loggamma": lambda x: _positive(x).lgamma(),
        "digamma": _polygamma(0),
        "trigamma": _polygamma(1),
        "lambertw": _lambert,
        "abs": lambda x: x if _sided(x) > 0 else -x,
        "sign": lambda x: arb(_sided(x)),
        "floor": _floor,
    }
)
