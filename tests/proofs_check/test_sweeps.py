"""A sweep in parts, here and on a cluster: the bits of one process, though workers are killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from distributed import LocalCluster

from bounds.catalog import load_file
from bounds.status import Status
from proofs_check import cluster as cluster_module
from proofs_check.checker import Settings
from proofs_check.cluster import ClusterExecutor, LocalProcesses
from proofs_check.executors import RUNS, ClusterError
from proofs_check.scheduling import modules_of, run
from proofs_check.tasks import Task, run_task
from proofs_check.verdict import Verdict

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a signal of POSIX")

CLAIMS = """
import os, time
from sympy import Symbol, exp
from bounds import Claim, Quantity, Relation, Sampler, Source, Tail, assume, between, box, scalar

x, X, t = scalar("x"), scalar("X"), scalar("t")
BOX = box(200, x=between(0, 100))

def slow(instance, field):
    time.sleep(0.005)
    return field.number(0)

def hang(instance, field):
    while instance["x"] > 90:
        pass
    return field.number(0)

def die(instance, field):
    open(__file__ + ".deaths", "a").write("x")
    os._exit(7)

def draw(instance, rng, size):
    return rng.exponential(size=size)

def claim(name, rhs, function=None):
    return Claim(
        id=f"s.{name}", title=name, lhs=x, rhs=rhs, source=Source("test"), instances=BOX,
        hypotheses=(assume("positive", x > 0),),
        quantities=() if function is None else (Quantity(Symbol("y"), "y", function),),
    )

TAIL = Claim(
    id="s.tail", title="tail", lhs=X, rhs=t, relation=Relation.TAIL, source=Source("test"),
    tail=Tail(exp(-t), sampler=Sampler(X, "exponential", draw)),
    hypotheses=(assume("positive", t > 0),), instances=box(40, t=between(0, 3)),
)

CLAIMS = (
    claim("slow", x + 1, slow), claim("false", 99 - x / 100), TAIL, claim("hang", x + 1, hang),
    claim("die", x + 1, die),
)
"""

SAFE = ("s.slow", "s.false", "s.tail")


def tasks_of(path: Path, *names: str) -> list[Task]:
    found = load_file(path)
    return [Task(found.entry(name).origin, name, Settings(seed=3)) for name in names]


def timeless(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Without the seconds, which are the only thing that may differ."""
    return [replace(verdict, seconds=0.0) for verdict in verdicts]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sweep") / "sweep.py"
    path.write_text(CLAIMS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def alone(path: Path) -> list[Verdict]:
    """The verdicts of one process that takes all parts in turn."""
    found = [run_task(task) for task in tasks_of(path, *SAFE)]
    statuses = [Status.CONSISTENT, Status.REFUTED, Status.CONSISTENT]
    assert [verdict.status for verdict in found] == statuses
    return timeless(found)


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    options = {"processes": True, "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as running:
        yield running


def address(cluster: LocalCluster) -> str:
    return str(cluster.scheduler_address).replace("tcp://", "dask://")


def killing(pids: Callable[[], list[int]], at: Sequence[int]) -> Callable[..., None]:
    """A listener that kills a process when the sweep has come so far."""
    heard: list[Any] = []

    def listen(task: Task, done: int, total: int) -> None:
        heard.append(task)
        if len(heard) in at:
            os.kill(pids()[0], signal.SIGKILL)

    return listen


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_number_of_processes_changes_no_bit(
    path: Path, alone: list[Verdict], jobs: int
) -> None:
    assert timeless(run(tasks_of(path, *SAFE), jobs=jobs, budget=60)) == alone


def test_a_process_killed_in_the_middle_loses_nothing(path: Path, alone: list[Verdict]) -> None:
    others = set(multiprocessing.active_children())

    def pids() -> list[int]:
        return [p.pid for p in multiprocessing.active_children() if p not in others and p.pid]

    listen = killing(pids, (3, 6))
    verdicts = run(tasks_of(path, *SAFE), jobs=2, budget=60, on_part=listen)
    assert timeless(verdicts) == alone


def test_a_task_that_kills_its_process_is_given_up(path: Path) -> None:
    verdict = run(tasks_of(path, "s.die"), jobs=1, budget=60)[0]
    assert verdict.status is Status.ERROR
    assert "died (exit code 7) in each of 3 runs" in verdict.summary
    assert len(path.with_name("sweep.py.deaths").read_text()) == RUNS


def test_a_part_out_of_time_is_named(path: Path) -> None:
    verdict = run(tasks_of(path, "s.hang"), jobs=2, budget=1)[0]
    assert verdict.status is Status.UNDECIDED
    assert verdict.summary == "time budget of 1 s spent"


def test_a_worker_of_a_cluster_killed_in_the_middle_loses_nothing(
    path: Path, alone: list[Verdict], cluster: LocalCluster
) -> None:
    tasks = tasks_of(path, *SAFE)

    def pids() -> list[int]:
        return [nanny.process.pid for nanny in cluster.workers.values() if nanny.process.pid]

    before = pids()
    executor = ClusterExecutor(address(cluster), modules=modules_of(tasks))
    verdicts = run(tasks, budget=60, executor=executor, on_part=killing(pids, (3,)))
    assert timeless(verdicts) == alone
    assert not set(before) <= set(pids()), "no worker was killed"


def test_a_budget_holds_on_a_cluster(path: Path, cluster: LocalCluster) -> None:
    tasks = tasks_of(path, "s.hang", "s.false")
    started = time.monotonic()
    with ClusterExecutor(address(cluster), jobs=2) as executor:
        hung, false = run(tasks, budget=1, executor=executor)
    assert (hung.status, false.status) == (Status.UNDECIDED, Status.REFUTED)
    assert "time budget of 1 s spent" in hung.summary
    assert time.monotonic() - started < 40


def test_a_claim_file_that_differs_there_is_an_error(tmp_path: Path, cluster: LocalCluster) -> None:
    here = tmp_path / "there.py"
    here.write_text(CLAIMS, encoding="utf-8")
    changed, missing = tasks_of(here, "s.slow")[0], tasks_of(here, "s.slow")[0]
    missing = replace(missing, origin=replace(missing.origin, name=str(tmp_path / "no.py")))
    here.write_text(CLAIMS + "\n", encoding="utf-8")
    first, second = run([changed, missing], budget=60, executor=ClusterExecutor(address(cluster)))
    assert (first.status, second.status) == (Status.ERROR, Status.ERROR)
    assert str(here) in first.summary
    assert "another file on this machine" in first.summary
    assert "no.py: cannot be read" in second.summary


def test_other_software_there_is_an_error(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(cluster_module.fingerprint(), sources="0" * 64)
    monkeypatch.setattr(cluster_module, "fingerprint", lambda: other)
    with pytest.raises(ClusterError, match=r"worker tcp://.* the files of .* install the same"):
        ClusterExecutor(address(cluster))


def test_processes_without_tasks_end_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "PeriodicCallback", Mock())
    plugin = LocalProcesses("p", cluster_module.fingerprint(), ())
    plugin.setup(Mock(**{"state.nthreads": 1, "periodic_callbacks": {}}))
    outcome = plugin.perform(os.getpid, (), 60, lambda: True)
    plugin.end_if_idle()
    assert plugin.perform(os.getpid, (), 60, lambda: True) == outcome
    monkeypatch.setattr(cluster_module, "IDLE", 0.0)
    plugin.end_if_idle()
    with pytest.raises(ProcessLookupError):
        os.kill(outcome.value, 0)
    plugin.teardown(Mock(periodic_callbacks={}))


def test_no_scheduler_and_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "SCHEDULER_WAIT", 0.5)
    with pytest.raises(ClusterError, match=r"no dask scheduler answers at dask://localhost:9 "):
        ClusterExecutor("dask://localhost:9")
    with pytest.raises(ClusterError, match="write dask://HOST:PORT"):
        ClusterExecutor("tcp://localhost:9")
