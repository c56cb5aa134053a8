"""Instances for a claim that names none: arrays and points for its free symbols."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sympy import (
    And,
    GreaterThan,
    LessThan,
    MatrixSymbol,
    Rational,
    StrictGreaterThan,
    StrictLessThan,
    Symbol,
    preorder_traversal,
)
from sympy.matrices.expressions import MatrixExpr

from bounds.arithmetic.convert import exact
from bounds.arrays import Arrays
from bounds.claim import Claim
from bounds.points import Range, integers

DEFAULT_COUNT = 200
SIZES = integers(1, 4)


def default_instances(claim: Claim) -> Arrays:
    """Exact values for every free symbol that no quantity computes: whole dimensions, any scalar.

    A dimension of any matrix expression is whole, also of ``Identity(n)`` where no matrix symbol
    has it: 1 to 4.
    A scalar runs through the range that hypotheses of the form ``x > 0`` or ``x <= 1`` leave it,
    its ends included where they belong to it. What violates another hypothesis is passed over, so
    a claim with an equality among its hypotheses needs instances of its own.
    """
    symbols = claim.free_symbols - {quantity.symbol for quantity in claim.quantities}
    matrices = sorted((s for s in symbols if isinstance(s, MatrixSymbol)), key=str)
    sizes = {d for matrix in matrices for d in matrix.shape}
    scalars = sorted((s for s in symbols - sizes if isinstance(s, Symbol)), key=str)
    whole = dimensions(claim)
    return Arrays(
        tuple(matrices),
        ranges=tuple((s.name, SIZES if s in whole else range_of(claim, s)) for s in scalars),
        count=DEFAULT_COUNT,
    )


def dimensions(claim: Claim) -> frozenset[Symbol]:
    """The symbols in the shape of any matrix expression of the claim or matrix it computes."""
    parts = [*claim.parts(), *(quantity.symbol for quantity in claim.quantities)]
    nodes = (node for part in parts for node in preorder_traversal(part))
    shapes = (node.shape for node in nodes if isinstance(node, MatrixExpr))
    return frozenset().union(*(d.free_symbols for shape in shapes for d in shape))


def range_of(claim: Claim, symbol: Symbol) -> Range:
    """The range that the hypotheses comparing ``symbol`` with a rational number leave it."""
    low: tuple[Fraction | None, bool] = (None, False)
    high: tuple[Fraction | None, bool] = (None, False)
    for bound, is_open, from_below in _bounds(claim, symbol):
        if from_below and (low[0] is None or (bound, is_open) > (low[0], low[1])):
            low = (bound, is_open)
        if not from_below and (high[0] is None or (-bound, is_open) > (-high[0], high[1])):
            high = (bound, is_open)
    if low[0] is not None and high[0] is not None and low[0] >= high[0]:
        return Range()  # one point or none: the checker will say that nothing satisfies it
    return Range(low[0], high[0], low[1], high[1])


def _bounds(claim: Claim, symbol: Symbol) -> Iterator[tuple[Fraction, bool, bool]]:
    """(bound, whether it is open, whether it bounds from below) of every such hypothesis."""
    for condition in (h.condition for h in claim.hypotheses):
        for part in condition.args if isinstance(condition, And) else (condition,):
            if not isinstance(part, _ORDERED):
                continue
            small, large = part.lts, part.gts
            is_open = isinstance(part, StrictLessThan | StrictGreaterThan)
            if large == symbol and isinstance(small, Rational):
                yield _fraction(small), is_open, True
            if small == symbol and isinstance(large, Rational):
                yield _fraction(large), is_open, False


_ORDERED = (LessThan, GreaterThan, StrictLessThan, StrictGreaterThan)


def _fraction(value: Any) -> Fraction:
    return exact("bound", str(value))
