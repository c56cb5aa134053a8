"""Products of sines and cosines written as sums, so that their bounds at infinity are sharp."""

from __future__ import annotations

from fractions import Fraction

from proofs_check.arithmetic.tree import ONE, TWO, Node, call, number

_HALF = number(Fraction(1, 2))


def without_products(node: Node) -> Node:
    """sin a cos a = sin(2a)/2, sin^2 a = (1 - cos 2a)/2, cos^2 a = (1 + cos 2a)/2."""
    done: dict[Node, Node] = {}
    for part in node.nodes():
        args = tuple(done[arg] for arg in part.args)
        same = part if args == part.args else Node(part.op, args, part.value)
        if same.op == "*":
            same = _product(same.args)
        elif same.op == "^" and same.args[1] == TWO and same.args[0].op in ("sin", "cos"):
            same = _square(same.args[0].op, same.args[0].args[0])
        done[part] = same
    return done[node]


def _product(args: tuple[Node, ...]) -> Node:
    factors = [f for arg in args for f in (arg.args if arg.op == "*" else (arg,))]
    kept: list[Node] = []
    for factor in factors:
        partner = next((k for k in kept if _match(k, factor)), None)
        if partner is None:
            kept.append(factor)
            continue
        kept.remove(partner)
        kept.append(_joined(partner, factor))
    return kept[0] if len(kept) == 1 else Node("*", tuple(kept))


def _match(first: Node, second: Node) -> bool:
    waves = ("sin", "cos")
    return first.op in waves and second.op in waves and first.args == second.args


def _joined(first: Node, second: Node) -> Node:
    angle = first.args[0]
    if first.op == second.op:
        return _square(first.op, angle)
    return _HALF * call("sin", TWO * angle)


def _square(op: str, angle: Node) -> Node:
    double = call("cos", TWO * angle)
    return _HALF * (ONE + double if op == "cos" else ONE - double)
