"""A goal that is the smallest of several, where abs, min or max stand in its sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import KINKS, Expr, rebuilt
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.rules.shapes import alternatives
from proofs_check.recheck.sequent import Sequent


def smallest(s: Sequent, p: Proof) -> None:
    """``{"node": text, "proofs": [...]}``: the goal with each alternative put in, for some places.

    ``node`` is an abs, min or max that is a term of the goal, or a term in a sum that is one, up to
    numbers as factors; in these places only it is replaced, if the goal falls with it (|g| and
    max) or rises with it (min). At every point the goal is one of the goals proved, whose parts are
    parts of the goal, so that they have values where it has one.
    """
    places = dict.fromkeys(_places(s.goal, 1))
    node = p.expression("node")
    if node not in places:
        if len(places) != 1:
            raise Rejected("the part named is no term that can be split")
        node = next(iter(places))
    parts = alternatives(node)
    for one, proof in zip(parts, p.subs("proofs", len(parts)), strict=True):
        proof.check(replace(s, goal=_exchanged(s.goal, node, one, 1)))


def _splits(node: Expr, side: int) -> bool:
    return node.op in KINKS and (node.op == "min") == (side > 0)


def _terms(node: Expr, side: int) -> list[tuple[Expr, int]]:
    """The arguments that the node is a sum or multiple of, with the direction it goes with them."""
    if node.op == "+":
        return [(arg, side) for arg in node.args]
    number = node.args[0].number if node.op == "*" and len(node.args) == 2 else None
    if not number:
        return []
    return [(node.args[0], side), (node.args[1], side if number > 0 else -side)]


def _places(node: Expr, side: int) -> Iterator[Expr]:
    if _splits(node, side):
        yield node
    for arg, direction in _terms(node, side):
        yield from _places(arg, direction)


def _exchanged(node: Expr, old: Expr, new: Expr, side: int) -> Expr:
    if node == old and _splits(node, side):
        return new
    terms = _terms(node, side)
    return rebuilt(node, tuple(_exchanged(a, old, new, d) for a, d in terms)) if terms else node


RULES: Mapping[str, Rule] = MappingProxyType({"smallest": smallest})
