"""Points where f = 0 exactly: recognised, and a whole neighbourhood settled by expansions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from proofs_check.arithmetic.tree import PI, Node, call, number
from proofs_check.methods.inequality.problem import Interval
from proofs_check.methods.inequality.univariate.constants import Constant, Unclear
from proofs_check.methods.inequality.univariate.expansion import argument, expansion
from proofs_check.methods.inequality.univariate.germ import Setting, sign_on
from proofs_check.methods.inequality.univariate.scale import NoExpansion
from proofs_check.methods.inequality.univariate.values import exact_value

Ball = Any

ORDERS = (5, 9, 15)
FEWEST = 3
STEPS = 8


@dataclass(frozen=True)
class Point:
    """An exact point: its expression in the grammar and its exact form."""

    node: Node
    value: Constant

    def low(self) -> Fraction:
        """A rational just below it, or itself."""
        return self.value.rational if self.value.rational is not None else _down(self.value.ball())

    def high(self) -> Fraction:
        """A rational just above it, or itself."""
        return self.value.rational if self.value.rational is not None else _up(self.value.ball())


@dataclass(frozen=True)
class Side:
    """A stretch next to a point (or an infinite end, ``point`` None) on which a function is > 0,
    or exactly ``zero``.

    x = point + direction/X, or x = direction * X, for X >= start; ``order`` is the number of terms
    of the expansion that shows it.
    """

    point: Point | None
    direction: int
    start: Fraction
    order: int
    zero: bool = False


def rational_point(value: Fraction) -> Point:
    """A rational as an exact point."""
    return point_of(number(value))


def point_of(node: Node) -> Point:
    """The exact point of a tree without symbols.

    Raises:
        Unclear: it has no exact form here.
    """
    return Point(node, exact_value(node, {}))


def value_sign(function: Node, name: str, point: Point) -> int | None:
    """The exact sign of f at a point; None if it cannot be told."""
    try:
        return exact_value(function, {name: point.value}).sign()
    except Unclear:
        return None


def positive_side(
    function: Node,
    name: str,
    point: Point | None,
    direction: int,
    starts: list[Fraction],
    *,
    strict: bool = True,
) -> Side | None:
    """The largest stretch of those tried (X >= start, starts growing) on which f > 0,
    or where f is exactly zero unless strict.
    """
    for index, start in enumerate(starts):
        for order in ORDERS:
            found = _tried(function, name, point, direction, Setting(start, order))
            if isinstance(found, Side):
                if strict and found.zero:
                    return None
                longer = starts[1:index][:-1]
                # A short stretch may become longer by more terms.
                better = _first(function, name, point, direction, longer, ORDERS[-1])
                return better or found
            if found == "negative":
                return None
            if found == "hopeless":
                # Fewer terms keep the constants small.
                return _first(function, name, point, direction, starts, FEWEST)
            if found == "fails":
                break
    return None


def _first(
    function: Node,
    name: str,
    point: Point | None,
    direction: int,
    starts: list[Fraction],
    order: int,
) -> Side | None:
    """The first stretch on which this many terms show f > 0."""
    for start in starts:
        found = _tried(function, name, point, direction, Setting(start, order))
        if isinstance(found, Side) and not found.zero:
            return found
    return None


def _tried(
    function: Node, name: str, point: Point | None, direction: int, setting: Setting
) -> Side | str:
    """The side, or ``negative``, ``unclear`` (more terms may help), ``fails`` (they do not),
    ``hopeless`` (no other stretch helps either).
    """
    place = None if point is None else point.value
    try:
        germ = expansion(function, {name: argument(place, direction, setting)}, setting)
        sign = sign_on(germ)
    except NoExpansion as error:
        return "unclear" if "not seen" in str(error) or "unknown" in str(error) else "fails"
    except Unclear:
        # Exact constants do not depend on the stretch, and more terms make them larger.
        return "hopeless" if setting.order == ORDERS[0] else "fails"
    if sign is not None and sign < 0:
        return "negative"
    if sign == 0:
        return Side(point, direction, setting.start, setting.order, zero=True)
    if not sign:
        if germ.terms and germ.terms[0][1].sign() < 0:
            return "negative"
        return "fails" if germ.terms else "unclear"
    return Side(point, direction, setting.start, setting.order)


def starts_for(length: Fraction) -> list[Fraction]:
    """Starts for a finite point: stretches of about ``length`` and eightfold smaller ones."""
    first = Fraction(1)
    while first * length < 1:
        first *= 2
    while first * length > 2 and first > Fraction(1, 64):
        first /= 2
    return [first * 8**k for k in range(STEPS)]


# --- recognition --------------------------------------------------------------------------------


def candidates(low: Fraction, high: Fraction) -> Iterator[Point]:
    """Exact points in [low, high] of a simple kind: q, q pi, sqrt q, log q, exp q, q simple."""
    width = high - low
    for node in _nodes(low, high):
        try:
            point = point_of(node)
        except Unclear:
            continue
        if point.high() >= low - width and point.low() <= high + width:
            yield point


def _nodes(low: Fraction, high: Fraction) -> Iterator[Node]:
    yield number(simplest(low, high))
    interval = _ball(low).union(_ball(high))
    turn = _simple_in(interval / arb.pi())
    if turn:
        yield number(turn) * PI
    side = -1 if high < 0 else 1
    if low > 0 or high < 0:
        square = _simple_in(interval * interval)
        if square is not None and square > 0:
            root = call("sqrt", number(square))
            yield root if side > 0 else -root
        cube = _simple_in(interval**3)
        if cube:
            yield call("cbrt", number(cube))
    grown = _simple_in(interval.exp())
    if grown is not None and grown > 0 and grown != 1:
        yield call("log", number(grown))
    if low > 0:
        shrunk = _simple_in(interval.log())
        if shrunk:
            yield call("exp", number(shrunk))


def _simple_in(interval: Ball) -> Fraction | None:
    if not interval.is_finite():
        return None
    return simplest(_down(interval), _up(interval))


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational of the smallest denominator in [low, high] (Stern-Brocot)."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest(-high, -low)
    whole = -((-low.numerator) // low.denominator)
    if whole <= high:
        return Fraction(whole)
    base = whole - 1
    return base + 1 / simplest(1 / (high - base), 1 / (low - base))


def _ball(value: Fraction) -> Ball:
    return arb(fmpq(value.numerator, value.denominator))


def _down(value: Ball) -> Fraction:
    end = value.lower().fmpq()
    return Fraction(int(end.p), int(end.q))


def _up(value: Ball) -> Fraction:
    end = value.upper().fmpq()
    return Fraction(int(end.p), int(end.q))


def inside(point: Point, interval: Interval) -> bool | None:
    """Whether a point lies in the interval; None if that is not certain."""
    value = point.value.rational
    if value is not None:
        return interval.contains(value)
    ball = point.value.ball()
    above = interval.low is None or bool(ball > _ball(interval.low))
    below = interval.high is None or bool(ball < _ball(interval.high))
    return True if above and below else None
