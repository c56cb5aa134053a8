"""Exact points: the sign of a tree at a rational point, and simple rationals near floats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from flint import ctx

from proofs_check.arithmetic.exact_value import exact_value
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import Interval, Problem

Point = Mapping[str, Fraction]

_DENOMINATORS = (1, 2, 4, 10, 100, 1000, 10**4, 10**6, 10**9, 10**12)
FIRST_BITS, MOST_BITS = 64, 1024


def sign_at(node: Node, point: Point, *, bits: int = MOST_BITS) -> int | None:
    """-1, 0 or 1, certainly, at a rational point; None: undefined there, or too close to 0.

    Exactly where the value is rational, else in balls of growing precision; 0 needs exact
    arithmetic, since no ball can tell 0 from something smaller than its radius.
    """
    tape = compile_tape([node])
    precision = FIRST_BITS
    while precision <= bits:
        with ctx.workprec(precision):
            (value,) = tape.run({name: ball(x, x) for name, x in point.items()})
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
            if value == 0:
                return 0
        if precision == FIRST_BITS:
            exact = exact_value(node, point)
            if exact is not None:
                return (exact > 0) - (exact < 0)
        if not value.is_finite() and precision > FIRST_BITS:
            return None  # undefined, or at the very edge of a domain
        precision *= 2
    return None


def has_value(node: Node, point: Point) -> bool:
    """Whether the tree certainly has a value at the point."""
    with ctx.workprec(256):
        (value,) = compile_tape([node]).run({name: ball(x, x) for name, x in point.items()})
        return bool(value.is_finite()) or exact_value(node, point) is not None


def inside(problem: Problem, point: Point) -> bool:
    """Whether the point certainly meets every hypothesis."""
    for name, interval in problem.box:
        value = point[name]
        if not interval.contains(value) or (name in problem.integers and value.denominator != 1):
            return False
    return all(
        _meets(sign_at(c.expression, point, bits=256), c.strict) for c in problem.constraints
    )


def _meets(sign: int | None, strict: bool) -> bool:
    return sign == 1 or (sign == 0 and not strict)


def fails(problem: Problem, point: Point, *, bits: int = MOST_BITS) -> bool:
    """Whether the goal certainly fails at the point (which is not checked to lie inside)."""
    sign = sign_at(problem.goal, point, bits=bits)
    return sign == -1 or (sign == 0 and problem.strict)


def refutes(problem: Problem, point: Point) -> bool:
    """Whether the point certainly lies in the region and the goal certainly fails there."""
    return inside(problem, point) and fails(problem, point)


def simple_points(problem: Problem, x: Iterable[float]) -> Iterator[dict[str, Fraction]]:
    """Rational points of the box near floats, simplest first; the last is the floats themselves."""
    exact = [Fraction(float(value)) for value in x]
    seen: set[tuple[Fraction, ...]] = set()
    for bound in (*_DENOMINATORS, None):
        values = tuple(
            _near(value, interval, bound, whole=name in problem.integers)
            for value, (name, interval) in zip(exact, problem.box, strict=True)
        )
        if values not in seen and all(
            interval.contains(v) for v, (_, interval) in zip(values, problem.box, strict=True)
        ):
            seen.add(values)
            yield dict(zip(problem.names, values, strict=True))


def _near(value: Fraction, interval: Interval, bound: int | None, *, whole: bool) -> Fraction:
    """``value`` with a small denominator, moved into the interval where rounding left it."""
    if whole:
        return Fraction(round(value))
    found = value if bound is None else value.limit_denominator(bound)
    if interval.contains(found):
        return found
    end = interval.low if interval.low is not None and found <= interval.low else interval.high
    if end is None:
        return found
    if interval.contains(end):
        return end
    step = Fraction(1, bound or 2**60)  # an open end: a little way off
    if interval.low is not None and interval.high is not None:
        step = min(step, (interval.high - interval.low) / 1024)
    return end + step if end == interval.low else end - step


def simplified(problem: Problem, point: Point) -> dict[str, Fraction]:
    """A refuting point made simpler, one coordinate after the other, while it still refutes."""
    best = dict(point)
    for name in problem.names:
        for bound in _DENOMINATORS:
            value = best[name].limit_denominator(bound)
            if value == best[name]:
                break
            trial = {**best, name: value}
            if refutes(problem, trial):
                best = trial
                break
    return best
