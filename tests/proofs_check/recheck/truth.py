"""An evaluator of claims at points that shares nothing with the tool: Fractions and mpmath."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath

DIGITS = 60
CLOSE = mpmath.mpf(10) ** -40
Point = Mapping[str, Fraction]

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": mpmath.exp, "log": mpmath.log, "sqrt": mpmath.sqrt, "sin": mpmath.sin,
    "cos": mpmath.cos, "tanh": mpmath.tanh, "cosh": mpmath.cosh, "sinh": mpmath.sinh,
    "atan": mpmath.atan, "abs": abs, "min": min, "max": max,
}  # fmt: skip


class Undefined(Exception):
    """There is no real value."""


def counterexample(claim: str, hypotheses: Sequence[str], seed: int = 0) -> Point | None:
    """A point that certainly meets all hypotheses and at which the claim certainly is not true."""
    names = sorted(set(re.findall(r"[A-Za-z_]\w*", " ".join((claim, *hypotheses)))) - _WORDS)
    with mpmath.workdps(DIGITS):
        for point in _points(names, claim, hypotheses, seed):
            met = [_holds(h, point) for h in hypotheses]
            if all(one is True for one in met) and _holds(claim, point) is False:
                return point
    return None


_WORDS = {*_FUNCTIONS, "and", "or", "not", "in", "N", "Z", "pi", "E", "implies"}


def _points(
    names: Sequence[str], claim: str, hypotheses: Sequence[str], seed: int
) -> Iterator[dict[str, Fraction]]:
    choose = random.Random(f"{seed} {claim} {hypotheses}")
    written = re.findall(r"(?<![\w.])\d+(?:/\d+)?", " ".join((claim, *hypotheses)))
    special = [Fraction(n) for n in written if not n.endswith("/0") and len(n) < 8]
    special += [-n for n in special] + [Fraction(n) for n in (0, 1, 2, 3, -1, -5, 40)]
    special += [n + e for n in special[:] for e in (Fraction(1, 100), Fraction(-1, 100))]
    if not names:
        yield {}
    for _ in range(150 * len(names)):
        yield {
            name: choose.choice(special)
            if choose.random() < 0.6
            else Fraction(round(choose.gauss(0, 3) * 64), 64)
            for name in names
        }


def _holds(text: str, point: Point) -> bool | None:
    """True or False where that is certain; no value counts as False."""
    try:
        return _truth(ast.parse(text, mode="eval").body, point)
    except (Undefined, ZeroDivisionError, OverflowError):
        return False


def _truth(node: ast.expr, point: Point) -> bool | None:
    if isinstance(node, ast.BoolOp):
        found = [_truth(part, point) for part in node.values]
        decided = isinstance(node.op, ast.Or)
        if decided in found:
            return decided
        return None if None in found else not decided
    if isinstance(node, ast.UnaryOp):
        inner = _truth(node.operand, point)
        return None if inner is None else not inner
    if not isinstance(node, ast.Compare):
        raise TypeError(ast.dump(node))
    sides = [node.left, *node.comparators]
    links = zip(sides[:-1], node.ops, sides[1:], strict=True)
    found = [_compared(left, sign, right, point) for left, sign, right in links]
    return False if False in found else None if None in found else True


def _compared(left: ast.expr, sign: ast.cmpop, right: ast.expr, point: Point) -> bool | None:
    a = _value(left, point)
    if isinstance(sign, ast.In):
        return a.denominator == 1 and (right.id == "Z" or a >= 1)  # type: ignore[attr-defined]
    b = _value(right, point)
    if isinstance(sign, (ast.Gt, ast.GtE)):
        a, b = b, a
    gap = _operation(ast.Sub(), b, a)
    exact = isinstance(gap, Fraction)
    if not exact and abs(gap) <= CLOSE * (1 + abs(_real(a)) + abs(_real(b))):
        return None
    if isinstance(sign, (ast.Eq, ast.NotEq)):
        return (gap == 0) is isinstance(sign, ast.Eq)
    return bool(gap > 0 or (gap == 0 and isinstance(sign, (ast.LtE, ast.GtE))))


def _value(node: ast.expr, point: Point) -> Any:
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if isinstance(node, ast.Name):
        return {"pi": mpmath.pi(), "E": mpmath.e()}[node.id] if node.id in "pi E" else (
            point[node.id]
        )  # fmt: skip
    if isinstance(node, ast.UnaryOp):
        inner = _value(node.operand, point)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.Call):
        args = [_real(_value(arg, point)) for arg in node.args]
        return _defined(_FUNCTIONS[node.func.id](*args))  # type: ignore[attr-defined]
    if isinstance(node, ast.BinOp):
        return _operation(node.op, _value(node.left, point), _value(node.right, point))
    raise TypeError(ast.dump(node))


def _operation(sign: ast.operator, a: Any, b: Any) -> Any:
    if isinstance(sign, ast.Pow):
        return _power(a, b)
    if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
        a, b = _real(a), _real(b)
    if isinstance(sign, ast.Add):
        return a + b
    if isinstance(sign, ast.Sub):
        return a - b
    return a * b if isinstance(sign, ast.Mult) else a / b


def _power(a: Any, b: Any) -> Any:
    if isinstance(b, Fraction) and b.denominator == 1 and abs(b) <= 200:
        return a ** int(b)
    if a < 0:
        raise Undefined
    return _defined(mpmath.power(_real(a), _real(b)))


def _real(value: Any) -> Any:
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return value


def _defined(value: Any) -> Any:
    if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
        raise Undefined
    return value
