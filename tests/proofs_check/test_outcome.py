"""Exit codes follow from what was expected and what was found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.outcome import Outcome, exit_code, judge, judge_mutant

P, C, U, R, E = Status
MET, CONTRADICTED, WEAKER, BROKEN = Outcome


@pytest.mark.parametrize(
    ("expected", "status", "outcome"),
    [
        (P, P, MET),
        (P, C, WEAKER),
        (P, U, WEAKER),
        (P, R, CONTRADICTED),
        (P, E, BROKEN),
        (C, P, MET),
        (C, C, MET),
        (C, U, WEAKER),
        (U, U, MET),
        (U, C, MET),
        (U, R, CONTRADICTED),
        (R, R, MET),
        (R, P, CONTRADICTED),
        (R, C, CONTRADICTED),
        (R, U, WEAKER),
        (R, E, BROKEN),
        (E, E, MET),
        (E, P, CONTRADICTED),
        (E, R, CONTRADICTED),
    ],
)
def test_every_pair(expected: Status, status: Status, outcome: Outcome) -> None:
    assert judge(expected, status) is outcome


@pytest.mark.parametrize(
    ("expected", "status", "outcome"),
    [(C, C, WEAKER), (U, U, WEAKER), (C, P, MET), (R, R, MET), (C, R, CONTRADICTED)],
)
def test_require_proof(expected: Status, status: Status, outcome: Outcome) -> None:
    assert judge(expected, status, require_proof=True) is outcome


@given(st.sampled_from(Status), st.sampled_from(Status))
def test_requiring_proof_never_forgives(expected: Status, status: Status) -> None:
    if judge(expected, status) is not MET:
        assert judge(expected, status, require_proof=True) is not MET


@given(st.sampled_from((P, C, U)), st.sampled_from(Status))
def test_a_failure_is_never_met_by_a_claim_that_should_hold(
    expected: Status, status: Status
) -> None:
    if status in (R, E):
        assert judge(expected, status) is not MET


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([], 0),
        ([MET], 0),
        ([MET, WEAKER], 2),
        ([WEAKER, CONTRADICTED], 1),
        ([CONTRADICTED, BROKEN, WEAKER], 3),
    ],
)
def test_the_gravest_outcome_decides(outcomes: list[Outcome], code: int) -> None:
    assert exit_code(outcomes) == code


@pytest.mark.parametrize("status", list(Status))
def test_a_mutant_must_not_be_proved_and_must_be_checked(status: Status) -> None:
    expected = {P: CONTRADICTED, Status.ERROR: BROKEN}
    assert judge_mutant(status) is expected.get(status, MET)
