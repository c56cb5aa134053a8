"""Products of sines and cosines of the same angle as sums, so that their bounds are sharp."""

from __future__ import annotations

from fractions import Fraction

from proofs_check.recheck.expression import HALF, ONE, Expr, add, call, mul, neg, num, rebuilt

_TWO = num(2)


def without_products(expression: Expr) -> Expr:
    """sin a cos a = sin(2a)/2, sin^2 a = (1 - cos 2a)/2, cos^2 a = (1 + cos 2a)/2."""
    done: dict[Expr, Expr] = {}
    for node in expression.nodes():
        same = rebuilt(node, tuple(done[arg] for arg in node.args))
        if same.op == "*":
            same = _product(same.args)
        elif same.op == "^" and same.args[1].number == Fraction(2) and _wave(same.args[0]):
            same = _joined(same.args[0], same.args[0])
        done[node] = same
    return done[expression]


def _wave(node: Expr) -> bool:
    return node.op in ("sin", "cos")


def _product(factors: tuple[Expr, ...]) -> Expr:
    kept: list[Expr] = []
    for factor in factors:
        same = (k for k in kept if _wave(k) and _wave(factor) and k.args == factor.args)
        partner = next(same, None)
        if partner is None:
            kept.append(factor)
        else:
            kept.remove(partner)
            kept.append(_joined(partner, factor))
    return mul(*kept)


def _joined(first: Expr, second: Expr) -> Expr:
    """The product of two."""
    double = mul(_TWO, first.args[0])
    if first.op != second.op:
        return mul(num(HALF), call("sin", double))
    cosine = call("cos", double)
    return mul(num(HALF), add(ONE, cosine if first.op == "cos" else neg(cosine)))
