"""z3 next to a verdict: it adds evidence, refutes what was undecided, and never proves."""

import pytest

from bounds.status import Status
from proofs_check.cli import main
from proofs_check.inequalities import prove
from proofs_check.methods.inequality.cases import as_condition, goals
from proofs_check.second_opinions import with_second_opinion
from proofs_check.verdict import Strength, Verdict

pytest.importorskip("z3")


def verdict(status):
    return Verdict("x <= 1", status, Strength.NONE, "by hand")


def shown(relation, *hypotheses):
    return goals(as_condition(relation), [as_condition(h) for h in hypotheses])


def test_agreement_is_only_evidence():
    found = with_second_opinion(verdict(Status.UNDECIDED), shown("x*(1 - x) <= 1/4"))
    assert found.status is Status.UNDECIDED
    assert found.evidence[-1].details["opinion"] == "agrees"


def test_a_counterexample_refutes_what_was_undecided():
    found = with_second_opinion(verdict(Status.UNDECIDED), shown("x*(1 - x) <= 1/5"))
    assert found.status is Status.REFUTED
    assert found.witness is not None


def test_a_counterexample_next_to_a_proof_is_an_error():
    found = with_second_opinion(verdict(Status.PROVED), shown("x*(1 - x) <= 1/5"))
    assert found.status is Status.ERROR
    assert "refuted by z3" in found.summary


def test_from_python_and_from_the_command_line(capsys):
    found = prove("x**2 + 1 >= x", second_opinion=True)
    assert found.status is Status.PROVED
    assert found.evidence[-1].method == "z3"
    assert main(["prove", "x**2 + 1 >= x", "--second-opinion", "--no-cache"]) == 0
    assert "second opinion: z3 finds that no counterexample exists" in capsys.readouterr().out
