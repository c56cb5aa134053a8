"""Processes of this machine behind the interface: what is returned, and how ends are told."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool

import pytest

from proofs_check.executors import LocalExecutor, WorkerDied, cause, ending


@pytest.fixture(scope="module")
def executor() -> Iterator[LocalExecutor]:
    with LocalExecutor(1) as running:
        yield running


def test_a_value_and_an_error(executor: LocalExecutor) -> None:
    assert ending(executor.submit(math.gcd, 12, 18, budget=60)) == 6
    with pytest.raises(TypeError):
        ending(executor.submit(math.gcd, "12", budget=60))


def test_a_budget_that_is_spent(executor: LocalExecutor) -> None:
    with pytest.raises(TimeoutError):
        ending(executor.submit(time.sleep, 60, budget=0.3))
    assert ending(executor.submit(math.gcd, 4, 6, budget=60)) == 2


def test_a_process_that_dies(executor: LocalExecutor) -> None:
    with pytest.raises(WorkerDied, match="exit code 5"):
        ending(executor.submit(os._exit, 5, budget=60))
    assert ending(executor.submit(math.gcd, 4, 6, budget=60)) == 2


def test_an_idle_process_that_is_killed_is_replaced(executor: LocalExecutor) -> None:
    pid = ending(executor.submit(os.getpid, budget=60))
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.5)
    others = [ending(executor.submit(os.getpid, budget=60)) for _ in range(3)]
    assert pid not in others


def test_workers_end_with_the_block() -> None:
    before = multiprocessing.active_children()
    with LocalExecutor(2) as two:
        assert two.at_once >= 2
        slow = two.submit(time.sleep, 60, budget=60)
        wait([two.submit(os.getpid, budget=60)], timeout=60)
        assert not slow.done()
    assert set(multiprocessing.active_children()) <= set(before)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BrokenProcessPool("no fork"), "no worker process could be kept running: no fork"),
        (CancelledError(), "cancelled"),
    ],
)
def test_other_ends(error: BaseException, said: str) -> None:
    future: Future[None] = Future()
    future.set_exception(error)
    with pytest.raises(WorkerDied, match=said):
        ending(future)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (3, "exit code 3"),
        (-signal.SIGKILL, "out of memory is the usual cause"),
        (-signal.SIGSEGV, "ended by SIGSEGV"),
        (-250, "killed by signal 250"),
    ],
)
def test_exit_codes_in_words(code: int, said: str) -> None:
    assert said in cause(code)
