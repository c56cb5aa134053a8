"""What a claim with hypotheses means: the sequents that imply it together, and the check of all.

For every real point that meets all hypotheses (whole where they say so) the claim is true and its
terms have values. ``or``, ``not`` and ``implies`` are taken apart: the hypotheses into cases, the
claim into clauses, and of a clause the last part is shown where the others fail. A condition
without a value is neither true nor false: as a hypothesis it is not met; as a part of an ``or`` in
the claim it must have a value wherever no part with polynomial terms holds, since nothing would be
shown at the other points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from proofs_check.recheck import normal
from proofs_check.recheck.affine import tidied
from proofs_check.recheck.definedness import GAMMA_KIN, conditions, met
from proofs_check.recheck.entries import fraction
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import SLOPES_AT_KINKS, ZERO, Expr, num, power, replaced, var
from proofs_check.recheck.ranges import Ranges
from proofs_check.recheck.reader import Compound, Condition, Relation, Whole, read_condition
from proofs_check.recheck.registry import check
from proofs_check.recheck.rules.regions import valued
from proofs_check.recheck.sequent import Fact, Sequent, Side, everywhere

MOST_CASES = 64
_MOST_HYPOTHESES = 200

Clause = tuple[Condition, ...]


def check_claim(claim: str, hypotheses: Sequence[str], proofs: Sequence[Any]) -> None:
    """Accept silently that the claim holds wherever the hypotheses do, and has values there.

    ``proofs`` are proofs of :func:`sequents`, in that order.

    Raises:
        Rejected: they do not prove the claim; the message leads to the step that fails.
    """
    wanted = sequents(claim, hypotheses)
    if not isinstance(proofs, list | tuple) or len(proofs) != len(wanted):
        raise Rejected(f"the claim needs {len(wanted)} proofs")
    for number, (sequent, proof) in enumerate(zip(wanted, proofs, strict=True), 1):
        if not isinstance(proof, Mapping):
            raise Rejected("a proof must be an object with a rule")
        try:
            check(sequent, proof)
        except Rejected as error:
            raise error.inside(f"part {number} of {len(wanted)}") from None


def sequents(claim: str, hypotheses: Sequence[str]) -> list[Sequent]:
    """Statements that imply the claim together; each demands that its goal has a value.

    By case of the hypotheses, clause of the claim, denial of the other parts: the definedness of
    these other parts first, then the inequalities of the last part.

    Raises:
        Rejected: a text is no condition, or there are too many cases.
    """
    relation, given = _read(claim, hypotheses)
    found: list[Sequent] = []
    for case in _cases(Compound("and", given)):
        for *others, last in _clauses(relation):
            found += _definedness(others, last, case)
            for denied in _cases(Compound("and", tuple(map(_denial, others)))):
                region = _region((*case, *denied), last)
                found += [region.showing(*goal) for goal in _goals(last)]
    return [replace(one, total=True) for one in found]


def _read(claim: str, hypotheses: Sequence[str]) -> tuple[Condition, tuple[Condition, ...]]:
    if not isinstance(hypotheses, list | tuple) or len(hypotheses) > _MOST_HYPOTHESES:
        raise Rejected(f"hypotheses must be a list of at most {_MOST_HYPOTHESES} texts")
    conditions = tuple(map(read_condition, (claim, *hypotheses)))
    for node in (node for one in conditions for term in _terms(one) for node in term.nodes()):
        if node.op in SLOPES_AT_KINKS:
            raise Rejected(f"{node.op} cannot stand in a claim; it has no agreed value at jumps")
    return conditions[0], conditions[1:]


def _terms(condition: Condition) -> list[Expr]:
    """Both sides of all comparisons."""
    if isinstance(condition, Relation):
        return [condition.left, condition.right]
    parts = condition.parts if isinstance(condition, Compound) else ()
    return [term for part in parts for term in _terms(part)]


def _names(condition: Condition) -> set[str]:
    if isinstance(condition, Whole):
        return {condition.name}
    if isinstance(condition, Relation):
        return set(condition.left.variables() | condition.right.variables())
    return set().union(*map(_names, condition.parts))


def _goals(condition: Condition) -> list[tuple[Expr, bool]]:
    """(goal, strict) of one comparison: two for an equality, a != b as (a - b)^2 > 0."""
    if not isinstance(condition, Relation):
        raise Rejected("only comparisons can be claimed")
    gap = condition.right - condition.left
    if condition.sign == "!=":
        return [(power(condition.left - condition.right, num(2)), True)]
    both = [(gap, condition.sign == "<")]
    if condition.sign == "=":
        both.append((condition.left - condition.right, False))
    return both


def _definedness(others: Sequence[Condition], last: Condition, case: Clause) -> list[Sequent]:
    """That the parts denied have values, where the parts with polynomial terms fail."""
    plain = [c for c in (*others, last) if _polynomial(c) and _relation(c).sign in ("<", "<=")]
    region = (*case, *map(_denial, plain))
    terms = [_relation(c) for c in others if not _polynomial(c)]
    return [valued(term.right - term.left, _region(region, term)) for term in terms]


def _relation(condition: Condition) -> Relation:
    if not isinstance(condition, Relation):
        raise Rejected("`n in N` and `n in Z` can only be hypotheses")
    return condition


def _polynomial(condition: Condition) -> bool:
    relation = _relation(condition)
    return everywhere(relation.left) and everywhere(relation.right)


def _region(conditions: Clause, shown: Condition) -> Sequent:
    """The points that meet all conditions, with a goal about ``shown`` still to be set.

    Variables of other cases are left out: nothing here depends on them.
    """
    names = sorted(_names(Compound("and", (*conditions, shown))))
    facts: list[Fact] = []
    whole: set[str] = set()
    box = dict.fromkeys(names, Side())
    for part in conditions:
        if isinstance(part, Whole):
            whole.add(part.name)
            if part.integers == "N":
                box[part.name] = box[part.name].meet(Side(low=Fraction(1)))
        else:
            relation = _relation(part)
            facts.append(Fact(relation.right - relation.left, relation.sign == "<"))
            if relation.sign == "=":
                facts.append(Fact(relation.left - relation.right, strict=False))
    region = tidied(Sequent(ZERO, False, tuple(box.items()), tuple(facts), frozenset(whole)))
    _check_domains(region)
    return region


def _check_domains(region: Sequent) -> None:
    """Facts without a value count as not met, so a function must not have values beyond those that
    the rules know: gamma and its kin must be seen to have arguments > 0.
    """
    ranges = Ranges(dict(region.box))
    for fact in region.facts:
        for node in fact.expression.nodes():
            needs = conditions(node) if node.op in GAMMA_KIN else ()
            if not all(met(one, ranges.of(one.expression)) for one in needs):
                raise Rejected(f"{node.op} in a hypothesis needs ranges that keep it defined")


# --- logic --------------------------------------------------------------------------------------
def _denial(condition: Condition) -> Condition:
    """What holds exactly where the condition is false."""
    if isinstance(condition, Whole):
        raise Rejected("`n in N` and `n in Z` cannot be denied")
    if isinstance(condition, Relation):
        left, right = condition.left, condition.right
        if condition.sign in ("=", "!="):
            return Relation("!=" if condition.sign == "=" else "=", left, right)
        return Relation("<" if condition.sign == "<=" else "<=", right, left)
    if condition.word == "not":
        return condition.parts[0]
    if condition.word == "implies":
        return Compound("and", (condition.parts[0], _denial(condition.parts[1])))
    word = "or" if condition.word == "and" else "and"
    return Compound(word, tuple(map(_denial, condition.parts)))


def _cases(condition: Condition) -> list[Clause]:
    """Disjunctive normal form: the condition holds exactly where all of one clause does."""
    if isinstance(condition, Relation) and condition.sign == "!=":
        left, right = condition.left, condition.right
        return [(Relation("<", left, right),), (Relation("<", right, left),)]
    return _normal_form(condition, "or", _cases)


def _clauses(condition: Condition) -> list[Clause]:
    """Conjunctive normal form: the condition holds exactly where one part of every clause does."""
    return _normal_form(condition, "and", _clauses)


def _normal_form(condition: Condition, listed: str, form: Any) -> list[Clause]:
    if not isinstance(condition, Compound):
        return [(condition,)]
    if condition.word == "not":
        return list(form(_denial(condition.parts[0])))
    if condition.word == "implies":
        first, second = condition.parts
        return list(form(Compound("or", (_denial(first), second))))
    parts = [form(part) for part in condition.parts]
    if condition.word == listed:
        return _limited([clause for part in parts for clause in part])
    joined: list[Clause] = [()]
    for part in parts:
        joined = _limited([first + second for first, second in product(joined, part)])
    return joined


def _limited(clauses: list[Clause]) -> list[Clause]:
    if len(clauses) > MOST_CASES:
        raise Rejected(f"more than {MOST_CASES} cases of `or`")
    return clauses


# --- an example ---------------------------------------------------------------------------------
def meets(claim: str, hypotheses: Sequence[str], point: Mapping[str, str]) -> bool:
    """Whether a rational point, given by texts p/q, certainly meets all hypotheses.

    Some point must, or the claim says nothing; it gives a value to each variable of the claim and
    the hypotheses.

    Raises:
        Rejected: a text is no condition, or no number.
    """
    relation, given = _read(claim, hypotheses)
    names = _names(Compound("and", (relation, *given)))
    if not isinstance(point, Mapping) or not names <= set(point):
        return False
    values = {name: fraction(point[name]) for name in names}
    return all(_true(part, values) for part in given)


def _true(condition: Condition, point: Mapping[str, Fraction]) -> bool:
    """True only where the condition certainly holds."""
    if isinstance(condition, Whole):
        value = point[condition.name]
        return value.denominator == 1 and (condition.integers == "Z" or value >= 1)
    if isinstance(condition, Relation):
        return _compares(condition, point)
    if condition.word == "not":
        return _true(_denial(condition.parts[0]), point)
    if condition.word == "implies":
        first, second = condition.parts
        return _true(_denial(first), point) or _true(second, point)
    return (all if condition.word == "and" else any)(_true(part, point) for part in condition.parts)


def _compares(relation: Relation, point: Mapping[str, Fraction]) -> bool:
    values = {var(name): num(value) for name, value in point.items()}
    sign = normal.sign(replaced(relation.right - relation.left, values))
    if sign is None:
        return False
    return {"<": sign > 0, "<=": sign >= 0, "=": sign == 0, "!=": sign != 0}[relation.sign]
