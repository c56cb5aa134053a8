"""A job in a worker: its result, its limits, its death."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from bounds.status import Status
from proofs_check.workers import Job, Workers, perform, run_job


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


def test_workers_persist_and_are_replaced_when_they_end() -> None:
    process = Job("os", "getpid", ())
    with Workers() as workers:
        first = workers.call(process, budget=20)
        assert workers.call(process, budget=20) == first != os.getpid()
        assert workers.verdict(Job("time", "sleep", (60,)), budget=0.2).status is Status.UNDECIDED
        second = workers.call(process, budget=20)
        assert second != first
        assert "died" in workers.verdict(Job("os", "_exit", (7,)), budget=20).summary
        third = workers.call(process, budget=20)
        assert third != second
        assert "memory" in workers.verdict(Job("operator", "mul", (b"x", 2**40)), budget=20).summary
        assert workers.call(process, budget=20) not in (first, second, third)
        assert workers.call(Job("os", "getenv", ("PYTHONHASHSEED",)), budget=20) == "0"


def test_no_worker_is_left_behind() -> None:
    with Workers() as workers:
        number = workers.call(Job("os", "getpid", ()), budget=20)
        os.kill(number, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit address space")
def test_the_memory_limit_is_an_argument() -> None:
    with Workers(memory=2**30) as workers:
        assert workers.verdict(Job("operator", "mul", (b"x", 2**31)), budget=20).summary.startswith(
            "memory limit"
        )


def test_a_proof_of_a_text_does_not_wait_for_sympy() -> None:
    code = (
        "import sys; from proofs_check import prove; print(prove('x*x >= 0').status)\n"
        "print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "PROVED\nFalse\n"


def test_the_environment_is_as_before() -> None:
    before = dict(os.environ)
    run_job(Job("time", "sleep", (0,)), budget=20)
    assert dict(os.environ) == before


def test_many_pools_that_start_at_once_leave_the_environment_as_it_was():
    before = dict(os.environ)
    pools = [Workers() for _ in range(4)]
    try:
        futures = [pool.schedule(os.getpid, budget=60) for pool in pools]
        assert len({future.result() for future in futures}) == 4
    finally:
        for pool in pools:
            pool.close()
    assert dict(os.environ) == before
