"""Goals in one variable: exact algebra, and covers by stretches, exact points and expansions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from flint import ctx

from proofs_check.recheck import normal
from proofs_check.recheck.derivative import derivative
from proofs_check.recheck.entries import fraction
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expansion.sides import holds_beside
from proofs_check.recheck.expression import Expr, neg, num, replaced, var
from proofs_check.recheck.frontier import Frontier, Piece, before, end_of
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.ranges import range_of
from proofs_check.recheck.rules import minimum
from proofs_check.recheck.sequent import Sequent, Side
from proofs_check.recheck.stretch import Stretch
from proofs_check.recheck.univariate import rational_holds

_BITS = 128
_POINT_COST = 20
_LARGEST_ORDER = 40
# With domains that are open, and smooth on them.
_SMOOTH = frozenset(
    {"num", "var", "pi", "+", "*", "exp", "log", "sin", "cos", "tan", "atan", "sinh", "cosh"}
    | {"tanh", "erf", "erfc", "loggamma"}
)


def rational_function(s: Sequent, p: Proof) -> None:
    """The goal is a rational function of one variable: its sign by Sturm's theorem, exactly.

    Facts are left aside (the region only grows), and nothing is said where a denominator is 0.
    """
    ((name, side),) = _single(s)
    if not rational_holds(s.goal, name, side, strict=s.strict):
        raise Rejected(f"the goal fails somewhere on the range of {name}")


def split(s: Sequent, p: Proof) -> None:
    """The range of a variable cut at numbers, every closed piece proved by itself.

    Whatever the numbers are, the pieces (-oo, c_1], [c_1, c_2], ..., [c_k, oo) leave nothing out.
    """
    name = p.variable("name", s)
    cuts: list[Fraction | None] = [None, *(fraction(one) for one in p.items("at")), None]
    proofs = p.subs("proofs", len(cuts) - 1)
    for (low, high), proof in zip(pairwise(cuts), proofs, strict=True):
        proof.check(s.narrowed(name, Side(low, high)))


def level(s: Sequent, p: Proof) -> None:
    """``{"point": number}``: the goal is constant on the range of the variable, and 0 at a point.

    The goal has a value on the whole range, which is connected, and it is made of functions that
    are smooth wherever they have a value, as their derivatives then have. So a derivative that is
    zero wherever it has a value shows that the goal is constant.
    """
    ((name, side),) = _single(s)
    point = fraction(p.get("point"))
    if s.strict or s.facts or s.integers or not s.defined or not side.contains(point):
        raise Rejected("a goal with values on the whole range and a point of it are needed")
    if not all(_smooth(node) for node in s.goal.nodes()):
        raise Rejected("the goal may be not smooth somewhere")
    if not normal.vanishes(derivative(s.goal, name), dict(s.box)):
        raise Rejected("the derivative is not seen to be 0")
    if normal.sign(replaced(s.goal, {var(name): num(point)})) != 0:
        raise Rejected(f"the goal is not seen to be 0 at {point}")


def _smooth(node: Expr) -> bool:
    if node.op == "^":
        exponent = node.args[1].number
        return exponent is not None and exponent.denominator == 1
    return node.op in _SMOOTH


def line(s: Sequent, p: Proof) -> None:
    """Pieces in order from left to right that cover the range of the variable.

    ``[low, high, ...]`` are ends of adjacent closed stretches. Objects are a ``point``, the stretch
    beside a point (``direction``, ``start``, ``order``: the numbers point + direction/X, X >=
    start), or a tail without ``point`` (the numbers direction*X), with ``fact`` for a stretch
    where not the goal holds but a fact fails. Nothing is shown for pieces outside the range.
    """
    ((_, side),) = _single(s)
    with ctx.workprec(_BITS):
        cover = _Cover(s, p)
        frontier = Frontier(side)
        for item in p.items("pieces"):
            for piece in cover.checked(item):
                frontier.add(piece)
        frontier.finish()


def _single(s: Sequent) -> tuple[tuple[str, Side]]:
    if len(s.box) != 1 or s.goal.variables() - set(s.names):
        raise Rejected("the rule is for one variable")
    return (s.box[0],)


class _Cover:
    """The check of single pieces."""

    def __init__(self, s: Sequent, p: Proof) -> None:
        self.s, self.p = s, p
        self.name, self.side = s.box[0]
        self.stretch = Stretch(s, p.budget.spend)

    def checked(self, item: Any) -> list[Piece]:
        """The pieces of one entry, after their check."""
        if isinstance(item, list):
            return self._stretches([fraction(one) for one in item])
        if not isinstance(item, Mapping):
            raise Rejected("a piece must be a list of ends or an object")
        self.p.budget.spend(_POINT_COST)
        entry = self.p.of(item)
        if "direction" not in item:
            return [self._point(entry.expression("point"))]
        if "point" in item:
            return [self._beside(entry, entry.expression("point"))]
        return [self._tail(entry)]

    def _stretches(self, ends: list[Fraction]) -> list[Piece]:
        for low, high in pairwise(ends):
            within = Side(low, high).meet(self.side)
            if not within.empty and within.low is not None and within.high is not None:
                self.stretch.check(within.low, within.high)
        return [Piece(end_of(low), end_of(high)) for low, high in pairwise(ends)]

    def _point(self, point: Expr) -> Piece:
        end = end_of(point)
        piece = Piece(end, end)
        if self._outside(piece):
            return piece
        values = {var(self.name): point}
        sign = normal.sign(replaced(self.s.goal, values))
        if sign is None or sign < 0 or (sign == 0 and self.s.strict):
            self._failing_fact(values, point)
        return piece

    def _failing_fact(self, values: Mapping[Expr, Expr], point: Expr) -> None:
        for fact in self.s.facts:
            sign = normal.sign(replaced(fact.expression, values))
            if sign is not None and (sign < 0 or (sign == 0 and fact.strict)):
                return
        raise Rejected(f"the goal is not seen to hold at {point}")

    def _beside(self, entry: Proof, point: Expr) -> Piece:
        direction, start = _direction(entry), _start(entry)
        end = end_of(point)
        reach = end.moved(direction / start)
        piece = (
            Piece(end, reach, open_low=True) if direction > 0 else Piece(reach, end, open_high=True)
        )
        if not self._outside(piece):
            self._expanded(entry, point, direction, start)
        return piece

    def _tail(self, entry: Proof) -> Piece:
        direction, start = _direction(entry), _start(entry)
        piece = Piece(end_of(start), None) if direction > 0 else Piece(None, end_of(-start))
        if self._outside(piece):
            return piece
        if "order" in entry.data:
            self._expanded(entry, None, direction, start)
        elif not self._by_range(direction, start):
            raise Rejected(f"the goal is not seen to hold beyond {direction * start}")
        return piece

    def _expanded(self, entry: Proof, point: Expr | None, direction: int, start: Fraction) -> None:
        order = entry.get("order")
        if not isinstance(order, int) or not 0 < order <= _LARGEST_ORDER:
            raise Rejected("the order must be a small natural number")
        where = (self.name, point, direction, start, order)
        if entry.data.get("fact") is not True:
            if holds_beside(self.s.goal, *where, self.s.strict):
                return
        elif any(holds_beside(neg(fact.expression), *where, True) for fact in self.s.facts):
            return
        raise Rejected(f"no expansion settles the stretch beside {point or 'infinity'}")

    def _by_range(self, direction: int, start: Fraction) -> bool:
        beyond = Side(low=start) if direction > 0 else Side(high=-start)
        box = {self.name: beyond.meet(self.side)}
        found = range_of(self.s.goal, box)
        if found.positive or (not self.s.strict and found.nonnegative):
            return True
        return any(range_of(fact.expression, box).negative for fact in self.s.facts)

    def _outside(self, piece: Piece) -> bool:
        """Whether no point of the piece lies in the range of the variable."""
        low, high = self.side.low, self.side.high
        if low is not None and piece.high is not None:
            end = end_of(low)
            touching = end == piece.high and (self.side.open_low or piece.open_high)
            if touching or before(piece.high, end) is True:
                return True
        if high is not None and piece.low is not None:
            end = end_of(high)
            touching = end == piece.low and (self.side.open_high or piece.open_low)
            return touching or before(end, piece.low) is True
        return False


def _direction(entry: Proof) -> int:
    found = entry.get("direction")
    if found not in (1, -1) or isinstance(found, bool):
        raise Rejected("the direction must be 1 or -1")
    return int(found)


def _start(entry: Proof) -> Fraction:
    start = fraction(entry.get("start"))
    if start <= 0:
        raise Rejected("the start must be positive")
    return start


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "line": line,
        "level": level,
        "split": split,
        "univariate polynomial": rational_function,
        **minimum.RULES,
    }
)
