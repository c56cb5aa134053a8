"""Witnesses of a comparison: an exact point with both sides evaluated there."""

from __future__ import annotations

from flint import ctx

from proofs_check.arithmetic.condition import Comparison
from proofs_check.arithmetic.exact_value import exact_value
from proofs_check.arithmetic.expand import expanded
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.points import Point
from proofs_check.verdict import Witness


def witness_of(comparison: Comparison, point: Point) -> Witness:
    """The point with both sides evaluated there."""
    left, how_left = value_text(comparison.left, point)
    right, how_right = value_text(comparison.right, point)
    arithmetic = how_left if how_left == how_right else f"{how_left} and {how_right}"
    return Witness(
        {name: str(value) for name, value in point.items()},
        left,
        right,
        arithmetic,
        f"not {comparison}",
    )


def value_text(node: Node, point: Point) -> tuple[str, str]:
    """The value at a point as text, and how it was computed."""
    node = expanded(node)
    exact = exact_value(node, point)
    if exact is not None and len(str(exact)) <= 40:
        return str(exact), "rational"
    with ctx.workprec(256):
        (value,) = compile_tape([node]).run({name: ball(x, x) for name, x in point.items()})
        return str(value.str(20, radius=True)), "ball, 256 bits"
