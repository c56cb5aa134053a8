"""Cutting an interval where |g|, max, min or sign switch, when they switch at rational points."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpq

from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import Interval
from proofs_check.methods.inequality.univariate.sturm import (
    inner_point,
    rational_function,
    roots_in,
)

MOST_PIECES = 12


@dataclass(frozen=True)
class Piece:
    """An interval on which a choice is its first alternative (its second if not ``first``).

    The alternatives are g and -g for |g|, a and b for max(a, b), b and a for min(a, b); ``goal`` is
    the tree with the alternative put in, equal to the given one on the piece.
    """

    interval: Interval
    first: bool
    goal: Node


@dataclass(frozen=True)
class Pieces:
    """The pieces between the ``cuts``, and the part ``choice`` of the tree that they settle."""

    choice: Node
    cuts: list[Fraction]
    pieces: list[Piece]


def pieces(node: Node, name: str, interval: Interval) -> Pieces | None:
    """Closed or open pieces with a tree without that switch each; None if there is none to cut."""
    for part in node.nodes():
        switch = _switch(part)
        if switch is None:
            continue
        cuts = _rational_zeros(switch, name, interval)
        if cuts is None or len(cuts) > MOST_PIECES:
            continue
        found = []
        for piece in _cut(interval, cuts):
            first = _first(switch, name, inner_point(piece))
            if first is None:
                return None
            chosen = _alternative(part, first)
            found.append(Piece(piece, first, _swapped(node, part, chosen)))
        return Pieces(part, cuts, found)
    return None


def _switch(node: Node) -> Node | None:
    if node.op == "abs":
        return node.args[0]
    if node.op in ("max", "min") and len(node.args) == 2:
        return node.args[0] - node.args[1]
    return None


def _rational_zeros(node: Node, name: str, interval: Interval) -> list[Fraction] | None:
    """The places inside the interval where the sign can change, if all of them are rational."""
    quotient = rational_function(node, name)
    if quotient is None:
        return None
    product = quotient.top * quotient.bottom
    if product.degree() < 1:
        return []
    inside = Interval(interval.low, interval.high, True, True)
    zeros = []
    for factor, _ in product.factor()[1]:
        if factor.degree() == 1:
            root = -factor[0] / factor[1]
            value = Fraction(int(root.p), int(root.q))
            if inside.contains(value):
                zeros.append(value)
        elif roots_in(factor, inside):
            return None
    return sorted(zeros)


def _cut(interval: Interval, cuts: list[Fraction]) -> list[Interval]:
    ends: list[Any] = [interval.low, *cuts, interval.high]
    found: list[Interval] = []
    for low, high in pairwise(ends):
        first, last = low is ends[0] and not found, high is ends[-1] and len(found) == len(cuts)
        found.append(Interval(low, high, interval.open_low and first, interval.open_high and last))
    return found


def _first(switch: Node, name: str, point: Fraction) -> bool | None:
    """Whether the switch is >= 0 at a point."""
    quotient = rational_function(switch, name)
    if quotient is None:
        return None
    at = fmpq(point.numerator, point.denominator)
    return bool(quotient.top(at) * quotient.bottom(at) >= 0)


def _alternative(part: Node, first: bool) -> Node:
    if part.op == "abs":
        return part.args[0] if first else -part.args[0]
    return part.args[0 if first == (part.op == "max") else 1]


def _swapped(node: Node, old: Node, new: Node) -> Node:
    done: dict[Node, Node] = {}
    for part in node.nodes():
        args = tuple(done[arg] for arg in part.args)
        done[part] = part if args == part.args else Node(part.op, args, part.value)
        if part == old:
            done[part] = new
    return done[node]
