"""All rules by name, and the check of one sequent."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.recheck.kernel import Budget, Data, Proof, Rule
from proofs_check.recheck.rules import (
    basic,
    boxes,
    calculus,
    hypotheses,
    line,
    polynomials,
    regions,
    shapes,
)
from proofs_check.recheck.sequent import Sequent

_PARTS = (basic, regions, hypotheses, calculus, shapes, polynomials, line, boxes)
RULES: Mapping[str, Rule] = MappingProxyType(
    {name: rule for part in _PARTS for name, rule in part.RULES.items()}
)


def check(sequent: Sequent, proof: Data) -> None:
    """Accept silently.

    Raises:
        Rejected: the proof does not prove the sequent; the message leads to the step that fails.
    """
    Proof(proof, RULES, Budget()).check(sequent)
