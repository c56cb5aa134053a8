"""A job in a worker: its result, its limits, its death."""

from __future__ import annotations

import os
import time

import pytest

from bounds.status import Status
from proofs_check.workers import Job, perform, run_job


def test_a_job_returns_its_verdict() -> None:
    job = Job("proofs_check.inequalities", "prove", ("x*x >= 0", []), {"work": 100})
    assert perform(job).status is Status.PROVED
    assert run_job(job, budget=20).status is Status.PROVED


def test_a_job_that_spends_its_budget_is_undecided_and_ended() -> None:
    started = time.perf_counter()
    verdict = run_job(Job("time", "sleep", (60,)), budget=0.2)
    assert verdict.status is Status.UNDECIDED
    assert "budget of 0.2 s" in verdict.summary
    assert time.perf_counter() - started < 30


@pytest.mark.parametrize(
    ("job", "part"),
    [
        (Job("os", "_exit", (7,)), "died"),
        (Job("os", "kill", (os.getpid(), "no signal")), "TypeError"),
        (Job("proofs_check.inequalities", "prove", ("x^2 >= 0",)), "write ** for powers"),
    ],
)
def test_failures_are_errors_that_say_why(job: Job, part: str) -> None:
    verdict = run_job(job, budget=20)
    assert verdict.status is Status.ERROR
    assert part in verdict.summary


def test_memory_has_a_limit() -> None:
    verdict = run_job(Job("operator", "mul", (b"x", 2**40)), budget=20)
    assert verdict.status is Status.UNDECIDED
    assert "memory" in verdict.summary


def test_the_environment_is_as_before() -> None:
    before = dict(os.environ)
    run_job(Job("time", "sleep", (0,)), budget=20)
    assert dict(os.environ) == before
