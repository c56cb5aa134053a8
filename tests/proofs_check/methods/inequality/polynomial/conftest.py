"""The independent checker on problems of the finder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from proofs_check.methods.inequality.problem import Problem
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.kernel import Budget, Proof
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.rules.polynomials import RULES
from proofs_check.recheck.sequent import Fact, Sequent, Side


@pytest.fixture
def accepted() -> Callable[[Problem, Mapping[str, Any]], bool]:
    """Whether the checker accepts a proof by its rules for polynomials."""

    def accepts(made: Problem, certificate: Mapping[str, Any]) -> bool:
        box = tuple(
            (name, Side(side.low, side.high, side.open_low, side.open_high))
            for name, side in made.box
        )
        facts = tuple(Fact(read_expression(str(c.expression)), c.strict) for c in made.constraints)
        statement = Sequent(read_expression(str(made.goal)), made.strict, box, facts)
        try:
            Proof(certificate, RULES, Budget()).check(statement)
        except Rejected:
            return False
        return True

    return accepts
