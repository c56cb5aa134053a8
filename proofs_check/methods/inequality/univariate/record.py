"""Certificates of covers: pieces in order from left to right, as the rule ``line`` reads them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from proofs_check.methods.inequality.univariate.contact import Point, Side
from proofs_check.methods.inequality.univariate.infinity import Tail

# Where a piece starts (None: at -infinity), whether it starts beyond that number, and its data.
Piece = tuple[Fraction | None, bool, Any]
Box = tuple[Fraction, Fraction]


def line(
    tails: Iterable[tuple[Tail, bool]],
    boxes: Iterable[Box] = (),
    points: Iterable[Point] = (),
    sides: Iterable[tuple[Side, bool]] = (),
) -> dict[str, Any]:
    """The proof by a cover; a flag beside a tail or side says that a constraint fails there."""
    sides = list(sides)
    beside = [_stretch(side) for side, _ in sides]
    pieces = [_tail(tail, fails) for tail, fails in tails]
    pieces += [
        (low, False, [str(low), str(high)])
        for low, high in boxes
        # Boxes that were settled before the point beside them was found.
        if not any(start <= low and high <= end for start, end in beside)
    ]
    pieces += [(point.low(), False, {"point": str(point.node)}) for point in points]
    pieces += [_side(side, fails) for side, fails in sides]
    pieces.sort(key=lambda piece: (piece[0] is not None, piece[0] or 0, piece[1]))
    return {"rule": "line", "pieces": _joined([data for *_, data in pieces])}


def _joined(pieces: list[Any]) -> list[Any]:
    """Neighbouring boxes as one list of ends."""
    found: list[Any] = []
    for piece in pieces:
        runs = bool(found) and isinstance(piece, list) and isinstance(found[-1], list)
        if runs and found[-1][-1] == piece[0]:
            found[-1].append(piece[1])
        else:
            found.append(piece)
    return found


def _tail(tail: Tail, fails: bool) -> Piece:
    data: dict[str, Any] = {"direction": tail.direction, "start": str(tail.start)}
    if tail.order is not None:
        data["order"] = tail.order
    return (tail.start if tail.direction > 0 else None), False, _marked(data, fails)


def _side(side: Side, fails: bool) -> Piece:
    data = {
        "point": str(_point(side).node),
        "direction": side.direction,
        "start": str(side.start),
        "order": side.order,
    }
    right = side.direction > 0
    low = _point(side).low() if right else _stretch(side)[0]
    return low, right, _marked(data, fails)


def _stretch(side: Side) -> Box:
    """Rational numbers between which the side has all numbers, apart from its point."""
    point = _point(side)
    if side.direction > 0:
        return point.high(), point.low() + 1 / side.start
    return point.high() - 1 / side.start, point.low()


def _point(side: Side) -> Point:
    if side.point is None:
        raise ValueError("a tail is no stretch beside a point")
    return side.point


def _marked(data: dict[str, Any], fails: bool) -> dict[str, Any]:
    return {**data, "fact": True} if fails else data
