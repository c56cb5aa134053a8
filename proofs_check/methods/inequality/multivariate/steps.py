"""Parts of proof trees: the rules of the checker that lead from a problem to smaller ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from proofs_check.arithmetic.tree import Node, literal, number
from proofs_check.methods.inequality.multivariate.forms import Expansion, RootParts
from proofs_check.methods.inequality.multivariate.gaps import Gap
from proofs_check.methods.inequality.multivariate.reduce import Choice
from proofs_check.methods.inequality.problem import Interval, Problem

Certificate = Any
Need = tuple[Node, bool]


def rewritten(plain: Node, short: Node, proof: Certificate) -> Certificate:
    """The goal ``plain`` written as ``short``, for which the proof is."""
    if plain == short:
        return proof
    return {"rule": "rewrite", "goal": str(short), "proof": proof}


def defined(needs: Sequence[Certificate], proof: Certificate) -> Certificate:
    """The goal is shown to have a value, and then proved."""
    return {"rule": "define", "needs": list(needs), "proof": proof}


def form(goal: Node, proof: Certificate) -> Certificate:
    """The goal, which the checker finds by itself, in the form in which it was proved."""
    return {"rule": "rewrite", "goal": str(goal), "proof": proof}


def prepared(
    given: Problem, points: Mapping[str, Fraction], problem: Problem, proof: Certificate
) -> Certificate:
    """From a problem to the one without variables that have one value or do not occur."""
    unused = sorted(set(given.names) - set(points) - set(problem.names))
    if unused:
        proof = {"rule": "weaken", "variables": unused, "proof": proof}
    if points:
        put = given.goal.replaced({name: number(value) for name, value in points.items()})
        proof = rewritten(put, problem.goal, proof)
    for name, value in reversed(list(points.items())):
        proof = {"rule": "put", "name": name, "value": str(value), "proof": proof}
    return proof


def branch(choice: Choice, first: bool, test: Certificate, rest: Certificate) -> Certificate:
    """One alternative of abs, min or max everywhere; a single argument is no choice."""
    if choice.single:
        return rest
    data = {"node": str(choice.node), "first": first, "test": test}
    return {"rule": "branch", **data, "proof": rest}


def either(choice: Choice, both: Sequence[Certificate]) -> Certificate:
    """Both alternatives everywhere, in the order of the arguments."""
    if choice.single:
        return both[0]
    proofs = list(reversed(both)) if choice.node.op == "min" else list(both)
    return {"rule": "either", "node": str(choice.node), "proofs": proofs}


def cases(choice: Choice, above: Certificate, below: Certificate) -> Certificate:
    """Each alternative where it applies."""
    if choice.single:
        return above
    return {"rule": "cases", "node": str(choice.node), "proofs": [above, below]}


def gap(made: Gap, proof: Certificate, *, free: bool) -> Certificate:
    """A constraint as a new variable; ``free``: the other constraints are given up."""
    proof = rewritten(made.plain, made.problem.goal, proof)
    if free:
        proof = {"rule": "weaken", "facts": [], "proof": proof}
    high = made.problem.interval(made.new).high
    data = {
        "name": made.old,
        "new": made.new,
        "fact": str(made.constraint.expression),
        "value": str(made.value),
        "high": None if high is None else str(high),
    }
    return {"rule": "gap", **data, "proof": proof}


def expanded(one: Expansion, positive: Certificate, shown: Sequence[Certificate]) -> Certificate:
    """A polynomial in E - start with coefficients >= 0."""
    data = {"atom": str(one.atom), "start": str(one.start), "bottom": str(one.bottom)}
    coefficients = [str(node) for node in one.coefficients]
    proofs = {"positive": positive, "proofs": list(shown)}
    return {"rule": "expanded", **data, "coefficients": coefficients, **proofs}


def unrooted(
    parts: RootParts, root: bool, positive: Certificate, shown: Sequence[Certificate]
) -> Certificate:
    """(P + Q sqrt(R))/B >= 0; ``root`` says that Q sqrt(R) is the larger part."""
    data = {
        "rest": str(parts.rest),
        "factor": str(parts.factor),
        "radicand": str(parts.radicand),
        "bottom": str(parts.bottom),
    }
    return {"rule": "unrooted", **data, "root": root, "positive": positive, "proofs": list(shown)}


def side(interval: Interval) -> list[Any]:
    """An interval as data."""
    ends = [None if end is None else str(end) for end in (interval.low, interval.high)]
    return [*ends, interval.open_low, interval.open_high]


def smooth_needs(node: Node, name: str) -> list[Need]:
    """What must be > 0 (only != 0 if the flag says so) for slopes in a variable to exist.

    Kinks need nothing: their slopes are written with ``sign`` and ``choose``.
    """
    found: dict[Need, None] = {}
    moving: dict[Node, bool] = {}
    for part in node.nodes():
        moves = part.value == name if part.op == "symbol" else any(moving[a] for a in part.args)
        moving[part] = moves
        for need in _needs(part) if moves else ():
            found.setdefault(need)
    return list(found)


def _needs(node: Node) -> list[Need]:
    op, args = node.op, node.args
    if op == "sqrt":
        return [(args[0], False)]
    if op == "^" and args[0].op != "e":
        value = literal(args[1])
        return [(args[0], False)] if value is None or 0 < value < 1 else []
    if op == "cbrt":
        return [(args[0], True)]
    if op in ("asin", "acos"):
        one = Node("number", value=Fraction(1))
        return [(one - args[0] * args[0], False)]
    if op == "lambertw":
        minus = Node("number", value=Fraction(-1))
        return [(args[0] + Node("exp", (minus,)), False)]
    if op == "besseli":
        order = literal(args[0])
        return [(args[1], False)] if order is None or order.denominator != 1 else []
    return []
