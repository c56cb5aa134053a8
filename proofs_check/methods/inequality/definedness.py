"""Definedness first: every logarithm, root, quotient and power must have a value on the region.

The obligations are read off the tree as it was written, inner ones first, and shown by a prover
that the caller hands in; simple ones are settled here by ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from flint import ctx

from bounds.status import Status
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import ONE, E, Node, call
from proofs_check.methods.inequality import ball_ranges
from proofs_check.methods.inequality.problem import Interval, Problem, literal
from proofs_check.methods.inequality.result import Result

Proof = Mapping[str, Any]
Need = dict[str, Any]  # {"of": text, "positive": whether it or minus it is shown, "proof": tree}
Prove = Callable[[Node, bool], Any]

_MOST_SAMPLES = 400
# Their conditions are sufficient only: these functions have values at some negative arguments too.
_DEFINED_BEYOND = frozenset({"gamma", "digamma", "trigamma", "binomial"})


@dataclass(frozen=True)
class Obligation:
    """``expression >= 0``, ``> 0`` when strict, ``!= 0`` when ``nonzero``; ``source`` needs it."""

    expression: Node
    strict: bool
    source: Node
    nonzero: bool = False

    def __str__(self) -> str:
        sign = "!=" if self.nonzero else ">" if self.strict else ">="
        return f"{self.expression} {sign} 0"


def obligations(node: Node) -> list[Obligation]:
    """What must hold for the tree to have a value, inner conditions before outer ones.

    Earlier obligations may be taken as shown while later ones are proved.
    """
    found: dict[tuple[Node, bool, bool], Obligation] = {}
    for part in node.nodes():
        for one in _needs(part):
            found.setdefault((one.expression, one.strict, one.nonzero), one)
    return list(found.values())


def _needs(node: Node) -> Iterator[Obligation]:
    op, args = node.op, node.args
    if op in ("log", "loggamma", "digamma", "trigamma"):
        yield from _positive(args[0], node)
    elif op == "sqrt":
        yield from _nonnegative(args[0], node)
    elif op in ("asin", "acos"):
        yield Obligation(ONE - args[0], False, node)
        yield Obligation(ONE + args[0], False, node)
    elif op == "/":
        yield from _nonzero(args[1], node)
    elif op == "^":
        yield from _power(node)
    elif op == "lambertw":
        yield Obligation(args[0] + ONE / E, False, node)
    elif op == "tan":
        yield from _nonzero(call("cos", args[0]), node)
    elif op == "gamma":
        yield from _positive(args[0], node)
    elif op == "binomial":
        yield Obligation(args[0] + ONE, True, node)
        yield Obligation(args[1] + ONE, True, node)
        yield Obligation(args[0] - args[1] + ONE, True, node)
    elif op == "besseli" and not _whole(args[0]):
        yield from _positive(args[1], node)


def _whole(node: Node) -> bool:
    value = literal(node)
    return value is not None and value.denominator == 1


def _positive(node: Node, source: Node) -> Iterator[Obligation]:
    value = literal(node)
    if value is None or value <= 0:
        yield Obligation(node, True, source)


def _nonnegative(node: Node, source: Node) -> Iterator[Obligation]:
    value = literal(node)
    if value is None or value < 0:
        yield Obligation(node, False, source)


def _power(node: Node) -> Iterator[Obligation]:
    base, exponent = node.args
    value = literal(exponent)
    if value is None:
        if base == E:
            return
        if not exponent.symbols() and _plainly_positive(exponent):
            yield from _nonnegative(base, node)
        else:
            yield from _positive(base, node)
    elif value.denominator == 1:
        # x^0 is 1 for every x but 0, where it has no agreed value.
        if value <= 0:
            yield from _nonzero(base, node)
    elif value > 0:
        yield from _nonnegative(base, node)
    else:
        yield from _positive(base, node)


def _plainly_positive(constant: Node) -> bool:
    return ball_ranges.range_of(constant, {}).positive


def _nonzero(node: Node, source: Node) -> Iterator[Obligation]:
    """``node != 0``, split over products, powers and quotients as far as this is equivalent."""
    value = literal(node)
    if (value is not None and value != 0) or node.op in ("exp", "cosh", "pi", "e", "gamma"):
        return
    if node.op == "*":
        for arg in node.args:
            yield from _nonzero(arg, source)
    elif node.op in ("-", "/", "abs", "cbrt") or (node.op == "^" and _whole(node.args[1])):
        yield from _nonzero(node.args[0], source)
    elif node.op == "sqrt" or (node.op == "^" and literal(node.args[1]) is not None):
        yield Obligation(node.args[0], True, source)
    else:
        yield Obligation(node, True, source, nonzero=True)


def show_defined(problem: Problem, prove: Prove, needs: list[Need] | None = None) -> Result | None:
    """None when goal and constraints have values on the whole region; else why not.

    ``prove(expression, strict)`` hands back a proof that ``expression >= 0`` (``> 0``) on the
    region, or None; sub-expressions of earlier obligations are then known to be defined. The proofs
    that the goal needs are added to ``needs``, as the rule ``define`` of the checker wants them.
    ERROR names an exact point of the region without a value; UNDECIDED the condition that resists.
    """
    needs = [] if needs is None else needs
    box = {name: ball_ranges.of_interval(interval) for name, interval in problem.box}
    known: dict[Node, ball_ranges.Range] = {}
    roots = [problem.goal, *(constraint.expression for constraint in problem.constraints)]
    for one in dict.fromkeys(needed for root in roots for needed in obligations(root)):
        with ctx.workprec(64):
            easy = _by_range(one, ball_ranges.range_of(one.expression, box, known))
        need = None if easy else _proved(one, prove)
        if need is not None:
            needs.append(need)
        if easy or need is not None:
            continue
        point = _violation(one, problem)
        if point is not None:
            return _undefined(one, point)
        return Result(
            Status.UNDECIDED,
            "definedness",
            f"could not show that {one.source} has a value: it needs {one}; add it as a hypothesis",
        )
    return None


def _by_range(one: Obligation, found: ball_ranges.Range) -> bool:
    if one.nonzero:
        return found.positive or found.negative
    return found.positive if one.strict else found.nonnegative


def _proved(one: Obligation, prove: Prove) -> Need | None:
    shown, positive = prove(one.expression, one.strict or one.nonzero), True
    if not shown and one.nonzero:
        shown, positive = prove(-one.expression, True), False
    return {"of": str(one.expression), "positive": positive, "proof": shown} if shown else None


def _undefined(one: Obligation, point: Mapping[str, Fraction]) -> Result:
    place = ", ".join(f"{name} = {value}" for name, value in point.items())
    return Result(
        Status.ERROR,
        "definedness",
        f"undefined inside the region: {one.source} has no value at {place}, where {one} fails",
        witness=point,
    )


def _violation(one: Obligation, problem: Problem) -> dict[str, Fraction] | None:
    """A point of the region where the obligation certainly fails, among simple rationals."""
    tape = compile_tape([one.expression, *(c.expression for c in problem.constraints)])
    names = problem.names
    choices = [_samples(interval, name in problem.integers) for name, interval in problem.box]
    with ctx.workprec(128):
        for count, values in enumerate(product(*choices)):
            if count >= _MOST_SAMPLES:
                return None
            balls = {n: ball(v, v) for n, v in zip(names, values, strict=True)}
            value, *others = tape.run(balls)
            if _fails(one, value) and all(
                other > 0 or (other >= 0 and not c.strict)
                for other, c in zip(others, problem.constraints, strict=True)
            ):
                return dict(zip(names, values, strict=True))
    return None


def _fails(one: Obligation, value: ball_ranges.Ball) -> bool:
    if one.nonzero:
        return bool(value == 0)
    if one.source.op in _DEFINED_BEYOND:
        return False
    return bool(value < 0) or (one.strict and bool(value <= 0))


def _samples(interval: Interval, whole: bool) -> list[Fraction]:
    """A few simple points of an interval: ends, small whole numbers, fractions of its length."""
    low = interval.low if interval.low is not None else (interval.high or Fraction(0)) - 10
    high = interval.high if interval.high is not None else low + 20
    points = [low, high, (low + high) / 2, *(Fraction(n) for n in (0, 1, -1, 2, -2))]
    points += [low + (high - low) * Fraction(k, 16) for k in range(1, 16)]
    points += [low + (high - low) / 10**6, high - (high - low) / 10**6]
    kept = dict.fromkeys(p for p in points if interval.contains(p))
    return [p for p in kept if not whole or p.denominator == 1]
