"""A goal that is the smallest of several: f = min(f_1, ..., f_k), shown part by part.

|g| = max(g, -g) where the goal decreases in it, max likewise, min where it increases.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import literal

MOST_PARTS = 16


def parts(goal: Node) -> list[Node]:
    """Trees whose minimum is the goal; the goal itself where nothing can be split."""
    done: list[Node] = []
    pending = [goal]
    while pending:
        node = pending.pop()
        split = _split(node, 1) if len(done) + len(pending) < MOST_PARTS else None
        if split is None:
            done.append(node)
        else:
            pending += reversed(split)
    return done


def _split(node: Node, side: int) -> list[Node] | None:
    """The alternatives of the first such sub-tree; the goal rises (side 1) or falls with node."""
    if node.op == "abs" and side < 0:
        return [node.args[0], -node.args[0]]
    if node.op == ("min" if side > 0 else "max"):
        return list(node.args)
    for index, sign in _monotone(node):
        found = _split(node.args[index], side * sign)
        if found is not None:
            return [_with(node, index, one) for one in found]
    return None


def _monotone(node: Node) -> list[tuple[int, int]]:
    """The arguments in which the node is monotone whatever the others are, with the direction."""
    if node.op == "+":
        return [(i, 1) for i in range(len(node.args))]
    if node.op == "-":
        return [(0, -1)]
    if node.op in ("*", "/"):
        return _scaled(node)
    return []


def _scaled(node: Node) -> list[tuple[int, int]]:
    values = [literal(arg) for arg in node.args]
    free = [i for i, value in enumerate(values) if value is None]
    if len(free) != 1 or (node.op == "/" and free != [0]):
        return []
    factor = Fraction(1)
    for value in values:
        factor *= 1 if value is None else value
    return [(free[0], 1 if factor > 0 else -1)] if factor else []


def _with(node: Node, index: int, arg: Node) -> Node:
    args = (*node.args[:index], arg, *node.args[index + 1 :])
    return Node(node.op, args, node.value)
