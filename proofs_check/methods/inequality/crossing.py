"""Zeros and minima at high precision: where a denominator vanishes, where a goal is lowest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, arb_mat, ctx

from proofs_check.arithmetic.derivative import NoDerivative, derivative
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.points import Point, sign_at
from proofs_check.methods.inequality.problem import Problem

_HALVINGS = 40
_BITS = 400
_ROUNDINGS = (24, 50, 90, 180, 320)
_MOST_VARIABLES = 6
_LARGEST = 10**60
_JUMPS = frozenset({"floor", "sign", "choose"})


def zero_between(
    node: Node, low: Point, high: Point
) -> tuple[dict[str, Fraction] | None, str] | None:
    """A zero of ``node`` on the segment from ``low`` (where it is negative) to ``high`` (positive).

    The first item is the exact point if it is a simple rational, the second its place in words.
    None unless the zero is certain: the signs at the ends are, and a finite enclosure over the
    whole small segment shows that the tree is continuous there.
    """
    if sign_at(node, low, bits=256) != -1 or sign_at(node, high, bits=256) != 1:
        return None
    if any(part.op in _JUMPS for part in node.nodes()):
        return None
    first, last = Fraction(0), Fraction(1)
    for _ in range(_HALVINGS):
        middle = _simplest(first, last)
        sign = sign_at(node, _between(low, high, middle), bits=256)
        if sign is None:
            return None
        if sign == 0:
            point = _between(low, high, middle)
            return point, ", ".join(f"{name} = {value}" for name, value in point.items())
        first, last = (middle, last) if sign < 0 else (first, middle)
    with ctx.workprec(256):
        ends = (_between(low, high, first), _between(low, high, last))
        balls = {n: ball(*sorted((ends[0][n], ends[1][n]))) for n in low}
        (value,) = compile_tape([node]).run(balls)
        if not value.is_finite():
            return None
    place = ", ".join(f"{name} = {float(value):.9g}..." for name, value in ends[0].items())
    return None, f"{place} (a change of sign)"


def _between(low: Point, high: Point, share: Fraction) -> dict[str, Fraction]:
    return {name: low[name] + (high[name] - low[name]) * share for name in low}


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """A rational near the middle with a small denominator, strictly between."""
    middle, width = (low + high) / 2, high - low
    found = middle.limit_denominator(max(2, int(2 / width)))
    return found if low + width / 8 < found < high - width / 8 else middle


def newton_minimum(problem: Problem, start: Point) -> Iterator[dict[str, Fraction]]:
    """Points near a zero of the gradient, rounded to more and more bits.

    Coordinates at an end of their range stay there. Nothing is certified here.
    """
    free = [name for name, interval in problem.box if _is_free(problem, name, start[name])]
    if not free or len(free) > _MOST_VARIABLES:
        return
    try:
        slopes = [derivative(problem.goal, name) for name in free]
        curvatures = [derivative(slope, name) for slope in slopes for name in free]
    except NoDerivative:
        return
    tape = compile_tape([*slopes, *curvatures])
    with ctx.workprec(_BITS):
        values = {name: ball(value, value) for name, value in start.items()}
        for _ in range(9):
            step = _step(tape.run(values), len(free))
            if step is None:
                break
            for name, change in zip(free, step, strict=True):
                values[name] = (values[name] - change).mid()
        ends = {name: values[name].mid() for name in free}
        rounded = [{n: _rounded(x, bits) for n, x in ends.items()} for bits in _ROUNDINGS]
    for point in rounded:
        yield {**start, **point}


def _is_free(problem: Problem, name: str, value: Fraction) -> bool:
    interval = problem.interval(name)
    return name not in problem.integers and value not in (interval.low, interval.high)


def _step(results: Sequence[Any], size: int) -> list[Any] | None:
    middle = [value.mid() for value in results if value.is_finite()]
    if len(middle) < len(results):
        return None
    try:
        found = arb_mat(size, size, middle[size:]).solve(arb_mat(size, 1, middle[:size]))
    except ZeroDivisionError:
        return None
    return [found[i, 0].mid() for i in range(size)]


def _rounded(value: Any, bits: int) -> Fraction:
    if not abs(value) < _LARGEST:  # a step that went astray; its digits may not fit into memory
        return Fraction(0)
    scaled = (value * arb(2) ** bits).mid().floor().unique_fmpz()
    return Fraction(int(scaled or 0), 2**bits)
