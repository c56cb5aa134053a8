"""A goal in parts: the parts cover the region, and the joined proof convinces the checker."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.arithmetic.condition import Comparison
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.inequalities import prove
from proofs_check.methods.inequality.problem import Problem, problem_from_text
from proofs_check.methods.inequality.result import Result
from proofs_check.methods.inequality.split import cut, pieces, prove_in_parts, prove_part

SQUARE = {"x": ("0", "4", False, False), "y": ("0", "3", False, True)}
HARD = "exp(-x**2-y**2) + x*y/20 <= 1.05 + sin(3*x*y)/50"
WHERE = ["x >= -2", "x <= 2", "y >= -2", "y <= 2"]


def of(claim: str, ranges: dict[str, tuple[str, str, bool, bool]]) -> Problem:
    return problem_from_text(claim, ranges)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40))
def test_the_parts_cover_the_region_and_are_as_many_as_asked_for(parts: int) -> None:
    problem = of("x + y >= 0", SQUARE)
    found = pieces(cut(problem, parts))
    assert len(found) == parts
    grid = [Fraction(n, 7) for n in range(29)]
    for x, y in product(grid, grid):
        holding = [p for p in found if p.interval("x").contains(x) and p.interval("y").contains(y)]
        assert bool(holding) is (y < 3)


def test_the_side_halved_least_often_and_widest_comes_first() -> None:
    first, second = pieces(cut(of("x + y >= 0", SQUARE), 2))
    assert (first.interval("x").low, second.interval("x").high) == (2, 2)
    sides = {(p.interval("x").low, p.interval("y").low) for p in pieces(cut(first, 4))}
    assert len(sides) == 4


@pytest.mark.parametrize(
    "ranges",
    [
        {"x": ("0", "inf", False, True), "y": ("-inf", "inf", True, True)},
        {"x": ("1", "1", False, False), "y": ("2", "2", False, False)},
    ],
)
def test_what_has_no_bounded_side_stays_whole(
    ranges: dict[str, tuple[str, str, bool, bool]],
) -> None:
    problem = of("x + y >= 0", ranges)
    assert pieces(cut(problem, 8)) == (problem,)
    assert prove_in_parts(problem, 8, lambda parts, work: [], None) is None


@pytest.mark.parametrize("parts", [2, 3, 8])
def test_the_joined_proof_is_accepted(parts: int) -> None:
    verdict = prove(HARD, WHERE, parts=parts)
    assert verdict.status is Status.PROVED
    assert verdict.summary == f"shown by cutting the region into {parts} parts"
    assert verdict.certificate is not None, "only what the checker accepts has one"
    assert verdict.settings["parts"] == parts
    again = prove(HARD, WHERE, parts=parts)
    assert replace(again, seconds=verdict.seconds) == verdict


def test_a_false_goal_and_easy_ones_are_decided_as_ever() -> None:
    assert prove(HARD.replace("1.05", "0.99"), WHERE, parts=8).status is Status.REFUTED
    assert prove("x**2 + y**2 >= 2*x*y", parts=8).status is Status.PROVED


def test_where_a_part_resists_the_whole_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Problem] = []

    def resists(problem: Problem, work: int | None) -> Result:
        asked.append(problem)
        return Result(Status.UNDECIDED, "branch and bound", "resists", work=7)

    monkeypatch.setattr("proofs_check.inequalities.prove_part", resists)
    verdict = prove(HARD, WHERE, parts=4)
    assert len(asked) == 4
    assert verdict.status is Status.PROVED
    assert "parts" not in verdict.summary


def test_a_part_that_is_wrongly_called_shown_is_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lies(problem: Problem, work: int | None) -> Result:
        return Result(Status.PROVED, "branch and bound", "", certificate={"rule": "identity"})

    monkeypatch.setattr("proofs_check.inequalities.prove_part", lies)
    verdict = prove(HARD, WHERE, parts=4)
    assert verdict.status is Status.PROVED
    assert "parts" not in verdict.summary, "the whole was tried in their place"


def test_what_the_parts_may_spend_is_counted() -> None:
    problem = pieces(cut(of(HARD, {"x": ("-2", "2", False, False), "y": SQUARE["x"]}), 2))[0]
    assert prove_part(problem, 1).status is Status.UNDECIDED
    shown = prove_in_parts(
        problem, 3, lambda parts, work: [prove_part(p, work) for p in parts], None
    )
    assert shown is not None
    assert shown.work == sum(prove_part(p, None).work for p in pieces(cut(problem, 3)))


def test_an_expression_sent_to_another_process_is_equal_to_one_made_there() -> None:
    condition = parse_condition("exp(x) >= 1 + x")
    assert isinstance(condition, Comparison)
    code = (
        "import pickle, sys; from proofs_check.arithmetic.grammar import parse_condition\n"
        "sent = pickle.loads(sys.stdin.buffer.read())\n"
        "made = parse_condition('exp(x) >= 1 + x')\n"
        "print(sent == made and hash(sent) == hash(made))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(condition),
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == b"True"
