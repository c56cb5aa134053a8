"""What z3 says next to a verdict on an inequality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bounds.status import Status
from proofs_check.methods.inequality.cases import Goal
from proofs_check.methods.second_opinion import Opinion, second_opinion
from proofs_check.verdict import Evidence, Strength, Verdict
from proofs_check.witnesses import witness_of

METHOD = "z3"


def with_second_opinion(verdict: Verdict, goals: Sequence[Goal]) -> Verdict:
    """The verdict with z3's opinion on every part among the evidence.

    Agreement changes nothing, as z3 gives no proof that can be checked. A confirmed counterexample
    refutes what was undecided; next to a proof it is an ERROR of this package.

    Raises:
        SolverMissing: z3 is not installed.
    """
    for goal in goals:
        for problem in goal.problems:
            opinion = second_opinion(problem)
            verdict = replace(verdict, evidence=(*verdict.evidence, _evidence(opinion)))
            if opinion.point is not None:
                return _contradicted(verdict, goal, opinion)
    return verdict


def _evidence(opinion: Opinion) -> Evidence:
    status = {"agrees": Status.CONSISTENT, "counterexample": Status.REFUTED}
    found = status.get(opinion.word, Status.UNDECIDED)
    return Evidence(METHOD, found, Strength.NONE, opinion.reason, {"opinion": opinion.word})


def _contradicted(verdict: Verdict, goal: Goal, opinion: Opinion) -> Verdict:
    witness = witness_of(goal.comparison, opinion.point or {})
    if verdict.status is Status.PROVED:
        reason = f"proved, and refuted by z3 at a confirmed point: {verdict.summary}"
        return replace(verdict, status=Status.ERROR, summary=reason, witness=witness)
    if verdict.status is Status.UNDECIDED:
        strength = Strength.SYMBOLIC if witness.arithmetic == "rational" else Strength.ENCLOSURE
        return replace(
            verdict,
            status=Status.REFUTED,
            strength=strength,
            summary=opinion.reason,
            witness=witness,
        )
    return verdict
