"""Ranges, identities, numbers, definedness, and goals as quotients over atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from proofs_check.recheck.definedness import Kind, Obligation, unshown
from proofs_check.recheck.entries import side_of
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr, mul, neg, replaced, var
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.normal import sign, vanishes
from proofs_check.recheck.presence import show_present
from proofs_check.recheck.ranges import Ranges
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Sequent, everywhere

_MOST_NEEDS = 200
_MOST_ATOMS = 40


def identity(s: Sequent, p: Proof) -> None:
    """``{}``: the goal is 0 wherever it has a value on the box."""
    if s.strict:
        raise Rejected("a goal that is 0 is not > 0")
    if not vanishes(s.goal, dict(s.box)):
        raise Rejected("the goal is not seen to be 0")


def exact_range(s: Sequent, p: Proof) -> None:
    """``{}``: the exact range of the goal over the box has no number < 0 (<= 0)."""
    found = Ranges(dict(s.box)).of(s.goal)
    if not (found.positive if s.strict else found.nonnegative):
        raise Rejected("the ranges of the parts are too wide")


def constant(s: Sequent, p: Proof) -> None:
    """``{}``: a goal without variables, by its exact sign."""
    if s.goal.variables():
        raise Rejected("the goal has variables")
    found = sign(s.goal)
    if found is None or found < (1 if s.strict else 0):
        raise Rejected("the number has not the right sign")


# --- definedness --------------------------------------------------------------------------------
def define(s: Sequent, p: Proof) -> None:
    """``{"needs": [{"of": text, "positive": bool, "proof": tree}], "proof": tree}``.

    The conditions for the goal to have a value are computed here. Those that the ranges of parts
    do not show need an entry of ``needs``: a proof that the expression ``of`` is >= 0, or > 0, as
    the condition asks; for a condition ``!= 0`` that it is > 0 (``positive``) or that minus it is.
    A condition's own expression has a value by the conditions before it.
    """
    entries = _entries(p)
    for one in unshown(s.goal, dict(s.box)):
        _show(one, s, entries, p)
    p.sub("proof").check(replace(s, defined=True))


def _entries(p: Proof) -> list[tuple[Expr, bool, Proof]]:
    needs = p.items("needs") if "needs" in p.data else []
    if len(needs) > _MOST_NEEDS:
        raise Rejected(f"more than {_MOST_NEEDS} entries under 'needs'")
    found = []
    for need in needs:
        entry = p.of(need)
        positive = entry.get("positive")
        if not isinstance(positive, bool):
            raise Rejected("'positive' must be true or false")
        found.append((entry.expression("of"), positive, entry.sub("proof")))
    return found


def _show(one: Obligation, s: Sequent, entries: list[tuple[Expr, bool, Proof]], p: Proof) -> None:
    """Try the entries that are about the condition's expression."""
    reason = Rejected(f"nothing shows that {one}")
    for positive, proof in _fitting(one, s, entries, p):
        flipped = one.kind is Kind.NONZERO and not positive
        goal = neg(one.expression) if flipped else one.expression
        strict = one.kind is not Kind.NONNEGATIVE
        try:
            proof.check(s.showing(goal, strict, defined=True))
        except Rejected as error:
            reason = error.inside(f"that {one}")
            continue
        return
    raise reason


def _fitting(
    one: Obligation, s: Sequent, entries: list[tuple[Expr, bool, Proof]], p: Proof
) -> Iterator[tuple[bool, Proof]]:
    """Entries about the same expression as written, then those about an equal one."""
    others = []
    for expression, positive, proof in entries:
        if expression == one.expression:
            yield positive, proof
        else:
            others.append((expression, positive, proof))
    for expression, positive, proof in others:
        p.budget.spend(5)
        if not expression.variables() <= set(s.names):
            continue
        if vanishes(expression - one.expression, dict(s.box)):
            yield positive, proof


# --- quotients over atoms -----------------------------------------------------------------------
def atoms(s: Sequent, p: Proof) -> None:
    """``{"atoms": {name: text}, "sides"?: {name: [low, high, open, open]}, "top": text,
    "bottom": text, "top_proof": tree, "bottom_proof": tree}``.

    goal * bottom = top with the atoms put in, wherever the goal has a value; there every atom has
    one too, and top and bottom are polynomials in the variables and the atoms. Each point of the
    region goes to a point of the larger one in which the atoms run through their ranges as further
    variables; bottom > 0 and top >= 0 (> 0) there give the goal its sign.
    """
    table = _table(s, p)
    top, bottom = p.expression("top"), p.expression("bottom")
    names = {*s.names, *table}
    for part in (top, bottom):
        if not everywhere(part) or not part.variables() <= names:
            raise Rejected("'top' and 'bottom' must be polynomials in variables and atoms")
    values = {var(name): expression for name, expression in table.items()}
    written = mul(s.goal, replaced(bottom, values)) - replaced(top, values)
    if not vanishes(written, dict(s.box)):
        raise Rejected("the goal is not seen to be top/bottom")
    region = _extended(s, p, table)
    p.sub("bottom_proof").check(region.showing(bottom, strict=True, defined=True))
    p.sub("top_proof").check(region.showing(top, s.strict, defined=True))


def _table(s: Sequent, p: Proof) -> dict[str, Expr]:
    found = p.data.get("atoms", {})
    if not isinstance(found, Mapping) or len(found) > _MOST_ATOMS:
        raise Rejected(f"'atoms' must be an object with at most {_MOST_ATOMS} entries")
    table: dict[str, Expr] = {}
    for name, text in found.items():
        expression = p.read(text)
        if not isinstance(name, str) or name in s.names or read_expression(name) != var(name):
            raise Rejected("an atom needs a name that is not taken")
        show_present(expression, s)
        table[name] = expression
    return table


def _extended(s: Sequent, p: Proof, table: Mapping[str, Expr]) -> Sequent:
    ranges = Ranges(dict(s.box))
    sides = p.data.get("sides", {})
    if not isinstance(sides, Mapping):
        raise Rejected("'sides' must be an object")
    box = []
    for name, expression in table.items():
        found = ranges.of(expression)
        side = found.outward() if name not in sides else side_of(sides[name])
        if name in sides and not ranges.within(found, side):
            raise Rejected(f"the atom {name[:40]} has a larger range than the one given")
        box.append((name, side))
    return replace(s, box=(*s.box, *box), total=False)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "identity": identity,
        "range": exact_range,
        "constant": constant,
        "define": define,
        "atoms": atoms,
    }
)
