"""Goals by their form: abs, min and max, and (from ``rules/forms.py``) products, roots, expansions.

For a part of the goal that is ``abs(g)``, ``max(a, b, ...)`` or ``min(a, b, ...)``::

    test >= 0: the part is `first`; test <= 0: the part is `second`

with test = g, first = g, second = -g for ``abs(g)``; test = a - b, first = max(a, ...), second =
max(b, ...) for the maximum; test = a - b, first = min(b, ...), second = min(a, ...) for the
minimum. Test and alternatives are made of parts of the goal: they have values where it has one, so
a goal that is known to be defined stays so when the part is exchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import KINKS, Expr, call, neg, replaced
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.rules import forms
from proofs_check.recheck.sequent import Fact, Sequent


@dataclass(frozen=True)
class Choice:
    """``node`` is ``first`` where ``test >= 0`` and ``second`` where ``test <= 0``."""

    node: Expr
    test: Expr
    first: Expr
    second: Expr


def choice(node: Expr) -> Choice:
    """The two alternatives of a part."""
    if node.op == "abs":
        (inner,) = node.args
        return Choice(node, inner, inner, neg(inner))
    a, b, *others = node.args
    above, below = (a, b) if node.op == "max" else (b, a)
    return Choice(node, a - b, call(node.op, above, *others), call(node.op, below, *others))


def alternatives(node: Expr) -> tuple[Expr, ...]:
    """Everything that a part may be equal to: g and -g, or each argument."""
    if node.op == "abs":
        return node.args[0], neg(node.args[0])
    return node.args


def part(s: Sequent, p: Proof) -> Expr:
    """The part of the goal that the entry ``node`` names.

    Any part will do for soundness, as its alternatives are read off the part itself. So a text that
    is written in another way than the goal means the only part with its operation.
    """
    named = p.expression("node")
    if named.op not in KINKS:
        raise Rejected("the entry 'node' is no abs, min or max")
    found = [node for node in s.goal.nodes() if node.op == named.op]
    if named in found:
        return named
    if len(found) != 1:
        raise Rejected(f"{str(named)[:80]} is no part of the goal")
    return found[0]


def exchanged(s: Sequent, old: Expr, new: Expr) -> Sequent:
    """The sequent with a part of its goal replaced by one of its alternatives."""
    return replace(s, goal=replaced(s.goal, {old: new}))


def either(s: Sequent, p: Proof) -> None:
    """``{"node": text, "proofs": [...]}``: every alternative holds on the whole region.

    At every point the goal is the goal with one of the alternatives put in. Two proofs for a part
    with more arguments leave out the second one or the first, else there is one for each argument.
    """
    node = part(s, p)
    proofs = p.subs("proofs")
    parts = alternatives(node)
    if len(proofs) == 2 and len(parts) > 2:
        a, b, *others = parts
        parts = (call(node.op, a, *others), call(node.op, b, *others))
    if len(proofs) != len(parts):
        raise Rejected(f"{len(parts)} alternatives need as many proofs, not {len(proofs)}")
    for one, proof in zip(parts, proofs, strict=True):
        proof.check(exchanged(s, node, one))


def branch(s: Sequent, p: Proof) -> None:
    """``{"node": text, "first": bool, "test": proof, "proof": proof}``: one alternative everywhere.

    The proof ``test`` shows that test >= 0 (-test >= 0 if ``first`` is false) on the region; the
    test has a value wherever the goal has one.
    """
    found = choice(part(s, p))
    first = p.get("first")
    if not isinstance(first, bool):
        raise Rejected("the entry 'first' must be true or false")
    test = found.test if first else neg(found.test)
    p.sub("test").check(s.showing(test, False, defined=s.defined))
    p.sub("proof").check(exchanged(s, found.node, found.first if first else found.second))


def cases(s: Sequent, p: Proof) -> None:
    """``{"node": text, "proofs": [above, below]}``: `first` where test >= 0, else `second`.

    Where the goal has a value the test has one, so each such point lies in one of the two parts.
    """
    found = choice(part(s, p))
    above, below = p.subs("proofs", 2)
    above.check(exchanged(s, found.node, found.first).assuming(Fact(found.test, False)))
    below.check(exchanged(s, found.node, found.second).assuming(Fact(neg(found.test), False)))


RULES: Mapping[str, Rule] = MappingProxyType(
    {"either": either, "branch": branch, "cases": cases, **forms.RULES}
)
