"""Expressions and trees with shared parts: compared once, not once for every path."""

import pytest

from proofs_check.arithmetic.tree import Node, symbol
from proofs_check.recheck.expression import Expr, var


def tower(leaf, join, height):
    for _ in range(height):
        leaf = join(leaf)
    return leaf


@pytest.mark.parametrize(
    ("leaf", "join"),
    [(symbol, lambda x: Node("+", (x, x))), (var, lambda x: Expr("^", (x, x)))],
    ids=["finder", "checker"],
)
def test_shared_parts_are_compared_once(leaf, join):
    """With a path for each of 2^200 leaves this would never end."""
    first, second = tower(leaf("x"), join, 200), tower(leaf("x"), join, 200)
    assert first == second
    assert hash(first) == hash(second)
    assert first != tower(leaf("y"), join, 200)
    assert first != tower(leaf("x"), join, 199)
    assert first != "x"
