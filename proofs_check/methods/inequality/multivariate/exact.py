"""Natural interval extension with exact ends: each end is a constant tree, compared in balls.

It settles claims such as 1 - cos(x) exp(-y^2) >= 0, which are tight but follow from the ranges of
the parts; rounding would lose them. Two ends that balls cannot tell apart are compared by the
normal form. Definedness comes for free: a part that may be undefined has no range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from flint import ctx

from bounds.status import Status
from proofs_check.arithmetic.derivative import plus, times
from proofs_check.arithmetic.tape import compile_tape
from proofs_check.arithmetic.tree import ONE, ZERO, E, Node, call, number
from proofs_check.methods.inequality.multivariate.normal import is_zero
from proofs_check.methods.inequality.problem import Problem, literal
from proofs_check.methods.inequality.result import Result

METHOD = "exact ranges"
_BITS = 160
_LARGEST_TREE = 150


class NoRange(Exception):
    """A part may be undefined, or two ends cannot be compared."""


@dataclass(frozen=True)
class Range:
    """Values in [low, high]; None is infinite. Ends are constant trees, perhaps not attained."""

    low: Node | None
    high: Node | None


def sign(node: Node) -> int:
    """The sign of a constant.

    Raises:
        NoRange: neither balls nor the normal form decide.
    """
    value = literal(node)
    if value is not None:
        return (value > 0) - (value < 0)
    with ctx.workprec(_BITS):
        ball = compile_tape([node]).run({})[0]
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
    if ball.is_finite() and is_zero(node, (), {}):
        return 0
    raise NoRange


def _folded(node: Node) -> Node:
    value = literal(node)
    if value is not None:
        return number(value)
    if sum(1 for _ in node.nodes()) > _LARGEST_TREE:
        raise NoRange
    return node


def _less(a: Node, b: Node) -> bool:
    return a != b and sign(a - b) < 0


def ranges(node: Node, box: Mapping[str, Range]) -> Range:
    """The range of a tree over the box.

    Raises:
        NoRange: a part has none.
    """
    done: dict[Node, Range] = {}
    for part in node.nodes():
        found = _rule(part, [done[arg] for arg in part.args], box)
        done[part] = Range(
            None if found.low is None else _folded(found.low),
            None if found.high is None else _folded(found.high),
        )
    return done[node]


def _rule(node: Node, args: list[Range], box: Mapping[str, Range]) -> Range:
    if node.op == "symbol":
        return box[str(node.value)]
    if not node.args:
        return Range(node, node)
    if node.op == "+":
        return _sum(args)
    if node.op == "-":
        return _negated(args[0])
    if node.op == "*":
        if len(args) == 2 and node.args[0] == node.args[1]:
            return _whole_power(args[0], 2)
        result = args[0]
        for arg in args[1:]:
            result = _product(result, arg)
        return result
    if node.op == "/":
        return _product(args[0], _inverse(args[1]))
    if node.op == "^":
        return _power(node, args)
    rule = _RULES.get(node.op)
    if rule is None:
        raise NoRange
    return rule(*args)


def _sum(args: list[Range]) -> Range:
    lows = [arg.low for arg in args]
    highs = [arg.high for arg in args]
    known_low = [low for low in lows if low is not None]
    known_high = [high for high in highs if high is not None]
    return Range(
        plus(*known_low) if len(known_low) == len(lows) else None,
        plus(*known_high) if len(known_high) == len(highs) else None,
    )


def _negated(x: Range) -> Range:
    return Range(
        None if x.high is None else _minus(x.high), None if x.low is None else _minus(x.low)
    )


def _minus(node: Node) -> Node:
    return ZERO if node == ZERO else node.args[0] if node.op == "-" else -node


def _sign_low(x: Range) -> int:
    return -1 if x.low is None else sign(x.low)


def _sign_high(x: Range) -> int:
    return 1 if x.high is None else sign(x.high)


def _product(x: Range, y: Range) -> Range:
    if _is_zero(x) or _is_zero(y):
        return Range(ZERO, ZERO)
    if _sign_high(x) <= 0:
        return _negated(_product(_negated(x), y))
    if _sign_high(y) <= 0:
        return _negated(_product(x, _negated(y)))
    if _sign_low(x) >= 0 and _sign_low(y) >= 0:
        return Range(_times(x.low, y.low), _times(x.high, y.high))
    if _sign_low(x) >= 0:
        return Range(_times(x.high, y.low), _times(x.high, y.high))
    if _sign_low(y) >= 0:
        return Range(_times(y.high, x.low), _times(y.high, x.high))
    return Range(
        _extreme([_times(x.low, y.high), _times(x.high, y.low)], smallest=True),
        _extreme([_times(x.low, y.low), _times(x.high, y.high)], smallest=False),
    )


def _is_zero(x: Range) -> bool:
    return x.low is not None and x.high is not None and sign(x.low) == 0 == sign(x.high)


def _times(a: Node | None, b: Node | None) -> Node | None:
    """A product of ends; 0 times infinity is 0, as the infinite end is not attained."""
    if a is None or b is None:
        known = a if b is None else b
        return ZERO if known is not None and sign(known) == 0 else None
    return times(a, b)


def _extreme(ends: list[Node | None], *, smallest: bool) -> Node | None:
    best = ends[0]
    for end in ends[1:]:
        if best is None or end is None:
            return None
        if _less(end, best) == smallest and end != best:
            best = end
    return best


def _inverse(x: Range) -> Range:
    if _sign_low(x) > 0:
        return Range(
            ZERO if x.high is None else ONE / x.high, None if x.low is None else ONE / x.low
        )
    if _sign_high(x) < 0:
        return _negated(_inverse(_negated(x)))
    raise NoRange


def _power(node: Node, args: list[Range]) -> Range:
    value = literal(node.args[1])
    if value is None:
        raise NoRange
    if value.denominator == 1:
        if value <= 0:
            return _inverse(_whole_power(args[0], -int(value)))
        return _whole_power(args[0], int(value))
    if value < 0 or _sign_low(args[0]) < 0:
        raise NoRange
    return _mapped(args[0], lambda x: ZERO if x == ZERO else x ** number(value))


def _whole_power(x: Range, n: int) -> Range:
    if n == 0:
        raise NoRange
    if n % 2 == 0:
        x = _absolute(x)
    return _mapped(x, lambda end: end if end in (ZERO, ONE) else end ** number(n))


def _mapped(x: Range, function: Callable[[Node], Node]) -> Range:
    return Range(
        None if x.low is None else function(x.low), None if x.high is None else function(x.high)
    )


def _absolute(x: Range) -> Range:
    if _sign_low(x) >= 0:
        return x
    if _sign_high(x) <= 0:
        return _negated(x)
    if x.low is None or x.high is None:
        return Range(ZERO, None)
    return Range(ZERO, _extreme([_minus(x.low), x.high], smallest=False))


def _increasing(op: str, low: Node | None, high: Node | None) -> Callable[[Range], Range]:
    """An increasing function on the whole line, with these limits."""

    def rule(x: Range) -> Range:
        return Range(
            low if x.low is None else _called(op, x.low),
            high if x.high is None else _called(op, x.high),
        )

    return rule


def _called(op: str, end: Node) -> Node:
    if end == ZERO and op in ("exp", "cosh"):
        return ONE
    if end == ZERO:
        return ZERO
    return E if end == ONE and op == "exp" else call(op, end)


def _on_half_line(op: str, strict: bool) -> Callable[[Range], Range]:
    def rule(x: Range) -> Range:
        bottom = _sign_low(x)
        if bottom < 0 or (strict and bottom == 0) or x.low is None:
            raise NoRange
        high = None if x.high is None else _root_or_log(op, x.high)
        return Range(_root_or_log(op, x.low), high)

    return rule


def _root_or_log(op: str, end: Node) -> Node:
    if end == ONE:
        return ZERO if op == "log" else ONE
    return ZERO if end == ZERO else call(op, end)


def _wave(x: Range) -> Range:
    return Range(number(-1), ONE)


def _hyperbolic_cosine(x: Range) -> Range:
    return _increasing("cosh", None, None)(_absolute(x))


def _largest(*values: Range) -> Range:
    best = values[0]
    for value in values[1:]:
        low = (
            best.low
            if value.low is None
            else value.low
            if best.low is None
            else (_extreme([best.low, value.low], smallest=False))
        )
        best = Range(low, _extreme([best.high, value.high], smallest=False))
    return best


def _smallest(*values: Range) -> Range:
    return _negated(_largest(*(_negated(value) for value in values)))


_RULES: Mapping[str, Callable[..., Range]] = MappingProxyType(
    {
        "exp": _increasing("exp", ZERO, None),
        "sinh": _increasing("sinh", None, None),
        "tanh": _increasing("tanh", number(-1), ONE),
        "atan": _increasing("atan", -(Node("pi") / number(2)), Node("pi") / number(2)),
        "erf": _increasing("erf", number(-1), ONE),
        "log": _on_half_line("log", True),
        "sqrt": _on_half_line("sqrt", False),
        "cosh": _hyperbolic_cosine,
        "cos": _wave,
        "sin": _wave,
        "abs": _absolute,
        "max": _largest,
        "min": _smallest,
    }
)


def of_box(problem: Problem) -> dict[str, Range]:
    """The ranges of the variables."""
    return {name: Range(_end(side.low), _end(side.high)) for name, side in problem.box}


def _end(value: Fraction | None) -> Node | None:
    return None if value is None else number(value)


def prove(problem: Problem) -> Result:
    """PROVED when the exact range of the goal lies in [0, oo), or in (0, oo) when strict."""
    try:
        low = ranges(problem.goal, of_box(problem)).low
        good = low is not None and sign(low) >= (1 if problem.strict else 0)
    except (NoRange, ZeroDivisionError):
        return Result(Status.UNDECIDED, METHOD, "the ranges of the parts are too wide", work=1)
    if not good:
        return Result(Status.UNDECIDED, METHOD, "the ranges of the parts are too wide", work=1)
    return Result(
        Status.PROVED,
        METHOD,
        f"the ranges of the parts add up to at least {low}",
        certificate={"rule": "range"},
        work=1,
    )
