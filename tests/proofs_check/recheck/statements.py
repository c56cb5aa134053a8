"""Statements as tests write them, and whether the checker accepts proofs of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.kernel import Budget, Proof
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import RULES, check
from proofs_check.recheck.rules.polynomials import RULES as POLYNOMIAL_RULES
from proofs_check.recheck.sequent import Fact, Sequent, Side

RANGE, IDENTITY, CONSTANT = {"rule": "range"}, {"rule": "identity"}, {"rule": "constant"}
LINE = {"rule": "univariate polynomial"}
SHOWN = {"rule": "define", "needs": [], "proof": RANGE}
ZERO = {"rule": "define", "needs": [], "proof": IDENTITY}
UNIT, HALF_LINE, OPEN = (
    Side(Fraction(0), Fraction(1)),
    Side(Fraction(0)),
    Side(Fraction(0), None, True),
)


def says(
    goal: str, *facts: str, strict: bool = False, defined: bool = True, **box: Side
) -> Sequent:
    """goal >= 0 on a box under facts >= 0, known to have a value."""
    met = tuple(Fact(read_expression(fact), strict=False) for fact in facts)
    return Sequent(read_expression(goal), strict, tuple(box.items()), met, defined=defined)


def side(low: int | None, high: int | None, opened: str = "") -> Side:
    """A side with whole ends; ``opened`` holds l and h for open ones."""
    first, last = (None if end is None else Fraction(end) for end in (low, high))
    return Side(first, last, "l" in opened, "h" in opened)


def refuses(sequent: Sequent, proof: Mapping[str, Any]) -> None:
    with pytest.raises(Rejected):
        check(sequent, proof)


def sequent(
    goal: str, box: Mapping[str, Side], *facts: str, strict: bool = False, whole: str = ""
) -> Sequent:
    """Facts are texts ``f >= 0`` or ``f > 0``."""
    parts = [fact.rsplit(" ", 2) for fact in facts]
    found = tuple(Fact(read_expression(text), sign == ">") for text, sign, _ in parts)
    return Sequent(
        read_expression(goal), strict, tuple(box.items()), found, frozenset(whole.split())
    )


def accepted(s: Sequent, proof: Any) -> bool:
    try:
        check(s, proof)
    except Rejected:
        return False
    return True


def accepted_as_json(s: Sequent, proof: Mapping[str, Any]) -> bool:
    """The same for a proof that has been written to a file and read again."""
    return accepted(s, json.loads(json.dumps(proof)))


def accepted_polynomial(
    goal: str, proof: Any, strict: bool = False, facts: Any = (), **box: Side
) -> bool:
    known = tuple(Fact(read_expression(text), is_strict) for text, is_strict in facts)
    statement = Sequent(read_expression(goal), strict, tuple(box.items()), known)
    try:
        Proof(proof, POLYNOMIAL_RULES, Budget()).check(statement)
    except Rejected:
        return False
    return True


def handed_down(s: Sequent, proof: Mapping[str, Any]) -> list[Sequent]:
    """The sequents that the rule leaves to the sub-proofs called ``probe``."""
    found: list[Sequent] = []
    rules = {**RULES, "probe": lambda sub, _: found.append(sub)}
    Proof(proof, rules, Budget()).check(s)
    return found


PROBE = {"rule": "probe"}
