"""Binomial coefficients with a whole lower entry, written out as polynomials."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from proofs_check.arithmetic.tree import ONE, Node, literal, number

_LARGEST = 40


def expanded(node: Node) -> Node:
    """The tree with binomial(n, k) = n(n-1)...(n-k+1)/k! for literal whole k from 0 to 40.

    That is its value for every real n, also where the quotient of gamma functions has none.
    """
    done: dict[Node, Node] = {}
    for part in node.nodes():
        args = tuple(done[arg] for arg in part.args)
        done[part] = part if args == part.args else Node(part.op, args, part.value)
        if part.op == "binomial":
            lower = literal(args[1])
            if lower is not None and lower.denominator == 1 and 0 <= lower <= _LARGEST:
                done[part] = _falling(args[0], int(lower))
    return done[node]


def _falling(upper: Node, lower: int) -> Node:
    if lower == 0:
        return ONE
    factors = (upper, *(upper - number(i) for i in range(1, lower)))
    share = number(Fraction(1, factorial(lower)))
    return Node("*", (share, *factors)) if lower > 1 else upper
