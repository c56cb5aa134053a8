"""A goal that is the smallest of several: f = min(f_1, ..., f_k), shown part by part.

|g| = max(g, -g) where the goal decreases in it, max likewise, min where it increases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import literal

MOST_PARTS = 16


@dataclass(frozen=True)
class Parts:
    """A goal, or a choice in it (abs, min or max) with the goals for each of its alternatives."""

    goal: Node
    choice: Node | None = None
    branches: tuple[Parts, ...] = ()

    def goals(self) -> Iterator[Node]:
        """Trees whose minimum is the goal."""
        if self.choice is None:
            yield self.goal
        for branch in self.branches:
            yield from branch.goals()


def parts(goal: Node, others: int = 0) -> Parts:
    """The goal split as often as possible; ``others`` counts the parts beside it."""
    choice = _choice(goal, 1) if others < MOST_PARTS else None
    if choice is None:
        return Parts(goal)
    first, *rest = _alternatives(choice)
    branches = [parts(_with(goal, choice, first, 1), others + len(rest))]
    for index, one in enumerate(rest):
        count = sum(len(list(branch.goals())) for branch in branches) + len(rest) - 1 - index
        branches.append(parts(_with(goal, choice, one, 1), others + count))
    return Parts(goal, choice, tuple(branches))


def _alternatives(choice: Node) -> list[Node]:
    return [choice.args[0], -choice.args[0]] if choice.op == "abs" else list(choice.args)


def _choice(node: Node, side: int) -> Node | None:
    """The first part that can be split; the goal rises (side 1) or falls with the node."""
    if _splits(node, side):
        return node
    for index, sign in _monotone(node):
        found = _choice(node.args[index], side * sign)
        if found is not None:
            return found
    return None


def _splits(node: Node, side: int) -> bool:
    return node.op == ("min" if side > 0 else "max") or (node.op == "abs" and side < 0)


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


def _with(node: Node, choice: Node, one: Node, side: int) -> Node:
    """The node with an alternative in all places where the choice may be split."""
    if node == choice and _splits(node, side):
        return one
    args = list(node.args)
    for index, sign in _monotone(node):
        args[index] = _with(args[index], choice, one, side * sign)
    return Node(node.op, tuple(args), node.value)
