"""Polynomials written with few operations, for tighter enclosures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr, add, mul, num, power, var
from proofs_check.recheck.polynomial import polynomial, ring

Terms = Mapping[tuple[int, ...], Fraction]
_MOST_TERMS = 150


def shortest(expression: Expr) -> tuple[Expr, list[Expr]] | None:
    """A polynomial with its slopes in the order of its sorted variables; None if too large.

    It is written as given or by taking out the most frequent variable again and again (Horner),
    whichever needs fewer operations.
    """
    names = sorted(expression.variables())
    try:
        poly = polynomial(expression, ring(names))
    except Rejected:
        return None
    if len(poly) > _MOST_TERMS:
        return None
    short = horner(poly, names)
    kept = short if _size(short) < _size(expression) else expression
    return kept, [horner(poly.derivative(i), names) for i in range(len(names))]


def horner(poly: Any, names: Sequence[str]) -> Expr:
    """The polynomial with the most frequent variable taken out first."""
    terms = {
        tuple(map(int, exponents)): Fraction(int(c.p), int(c.q))
        for exponents, c in poly.to_dict().items()
    }
    return _written(terms, [var(name) for name in names])


def _written(terms: Terms, leaves: Sequence[Expr]) -> Expr:
    counts = [sum(1 for e in terms if e[i]) for i in range(len(leaves))]
    if not terms or not counts or max(counts) == 0:
        return num(sum(terms.values(), Fraction(0)))
    i = counts.index(max(counts))
    least = min(e[i] for e in terms if e[i])
    inner = {(*e[:i], e[i] - least, *e[i + 1 :]): c for e, c in terms.items() if e[i]}
    rest = {e: c for e, c in terms.items() if not e[i]}
    product = mul(_written(inner, leaves), power(leaves[i], num(least)))
    return add(product, _written(rest, leaves)) if rest else product


def _size(expression: Expr) -> int:
    return sum(max(1, len(node.args)) for node in expression.nodes())
