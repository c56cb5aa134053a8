"""The public inequalities: how many are decided, how fast, and that nobody is ever wrong.

Run ``python tests/benchmarks/test_inequalities.py`` for the whole table.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bounds.status import Status
from proofs_check.arithmetic.tree import number
from proofs_check.certificate import of_document, rejection
from proofs_check.inequalities import prove
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.points import refutes
from proofs_check.methods.inequality.problem import Problem, problem_from_text
from proofs_check.workers import Job, Workers

DATA = Path(__file__).parents[1] / "data" / "inequalities.json"
BUDGET = 20.0


def entries() -> list[dict[str, Any]]:
    """The problems of the data file."""
    found: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))
    return found


def problem_of(entry: dict[str, Any]) -> Problem:
    """An entry as a problem."""
    open_ends = entry.get("open") or {}
    ranges = {
        name: (ends[0], ends[1], *open_ends.get(name, (False, False)))
        for name, ends in entry["vars"].items()
    }
    return problem_from_text(entry["claim"], ranges)


def hypotheses_of(entry: dict[str, Any]) -> list[str]:
    """The ranges of an entry as hypotheses in text."""
    open_ends = entry.get("open") or {}
    found = []
    for name, (low, high) in entry["vars"].items():
        open_low, open_high = open_ends.get(name, (False, False))
        if low != "-inf":
            found.append(f"{name} {'>' if open_low else '>='} {low}")
        if high != "inf":
            found.append(f"{name} {'<' if open_high else '<='} {high}")
    return found


def perturbed(entry: dict[str, Any]) -> Iterator[Problem]:
    """False neighbours of a tight problem: the goal lowered by a constant where 0 is attained."""
    problem = problem_of(entry)
    for amount in (Fraction(1, 100), Fraction(1, 10**8)):
        yield Problem(problem.goal - number(amount), False, problem.box)


@pytest.mark.parametrize("entry", entries(), ids=[entry["id"] for entry in entries()])
def test_every_problem_is_decided_rightly(entry: dict[str, Any]) -> None:
    """True ones with a certificate that the checker accepts, false ones with an exact point."""
    verdict = prove(entry["claim"], hypotheses_of(entry))
    if entry["truth"] is False:
        assert verdict.status is Status.REFUTED
        assert verdict.witness is not None
        point = {name: Fraction(text) for name, text in verdict.witness.instance.items()}
        assert refutes(problem_of(entry), point)
    else:
        assert verdict.status is Status.PROVED
        assert verdict.certificate is not None
        assert rejection(of_document(verdict.certificate)) is None


TIGHT = [entry for entry in entries() if entry["truth"] == "tight"]


@pytest.mark.slow
@pytest.mark.parametrize("entry", TIGHT, ids=[entry["id"] for entry in TIGHT])
def test_no_false_neighbour_is_proved(entry: dict[str, Any]) -> None:
    for problem in perturbed(entry):
        assert decide(problem, work=200).status is not Status.PROVED


def run_all(budget: float = BUDGET) -> int:
    """Print a line for each problem and the totals; the number of wrong answers."""
    with Workers(modules=("proofs_check.inequalities",)) as workers:
        return _run_all(workers, budget)


def _run_all(workers: Workers, budget: float) -> int:
    wrong, decided, times = 0, 0, []
    for entry in entries():
        started = time.perf_counter()
        job = Job("proofs_check.inequalities", "prove", (entry["claim"], hypotheses_of(entry)))
        verdict = workers.verdict(job, budget=budget)
        wanted = Status.REFUTED if entry["truth"] is False else Status.PROVED
        right = verdict.status is wanted
        bad = verdict.status in (Status.PROVED, Status.REFUTED) and not right
        wrong += bad
        decided += right
        times.append(verdict.seconds)
        note = "" if right else verdict.summary[:90]
        spent = time.perf_counter() - started
        line = f"{entry['id']:<22}{verdict.status:<10}{verdict.seconds:8.3f} s {spent:6.1f} s"
        print(f"{line} {note}")
    print(f"decided {decided} of {len(times)}, wrong {wrong}, "
          f"median {statistics.median(times) * 1000:.0f} ms, total {sum(times):.1f} s")  # fmt: skip
    return wrong


if __name__ == "__main__":
    sys.exit(run_all())
