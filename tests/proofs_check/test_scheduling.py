"""Workers can hang, die, raise and run out of memory; the other claims are still checked."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bounds.catalog import Entry, Origin, load_file
from bounds.status import Status
from proofs_check.checker import Settings
from proofs_check.scheduling import run
from proofs_check.tasks import Task, run_task
from proofs_check.verdict import Verdict

CLAIMS = """
import os
from sympy import Symbol
from bounds import Claim, Quantity, Source, Status, assume, between, box, scalar

x = scalar("x")

def hang(instance, field):
    while True:
        pass

def die(instance, field):
    os._exit(7)

def boom(instance, field):
    raise RuntimeError("this is line 16")

def leave(instance, field):
    raise SystemExit("left")

def hog(instance, field):
    return bytearray(9 * 2**30)

def tell(instance, field):
    raise RuntimeError("threads " + os.environ["OPENBLAS_NUM_THREADS"])

def claim(name, function=None):
    return Claim(
        id=f"t.{name}", title=name, lhs=x, rhs=x + 1, source=Source("test"),
        hypotheses=(assume("positive", x > 0),), instances=box(x=between(0, 1), count=4),
        quantities=() if function is None else (Quantity(Symbol("y"), "y", function),),
        expected=Status.CONSISTENT,
    )

CLAIMS = (
    claim("first"), claim("hang", hang), claim("die", die), claim("boom", boom),
    claim("leave", leave), claim("hog", hog), claim("tell", tell), claim("last"),
)
"""

Run = tuple[list[Task], dict[str, Verdict], list[str]]


def tasks_of(entries: tuple[Entry, ...]) -> list[Task]:
    return [Task(entry.origin, entry.claim.id, Settings()) for entry in entries]


@pytest.fixture(scope="module")
def claim_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("claims") / "claims.py"
    path.write_text(CLAIMS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def finished(claim_file: Path) -> Run:
    tasks = tasks_of(load_file(claim_file).entries)
    heard: list[str] = []
    before = dict(os.environ)
    verdicts = run(tasks, jobs=2, budget=2, on_done=lambda task, _: heard.append(task.claim_id))
    assert dict(os.environ) == before
    assert [verdict.claim_id for verdict in verdicts] == [task.claim_id for task in tasks]
    return tasks, {verdict.claim_id: verdict for verdict in verdicts}, heard


def test_the_budget_ends_a_claim_undecided(finished: Run) -> None:
    verdict = finished[1]["t.hang"]
    assert verdict.status is Status.UNDECIDED
    assert verdict.summary == "time budget of 2 s spent"
    assert verdict.settings["budget"] == 2


def test_a_dead_worker_is_an_error_that_names_its_end(finished: Run) -> None:
    verdict = finished[1]["t.die"]
    assert verdict.status is Status.ERROR
    assert "died (exit code 7)" in verdict.summary


def test_an_exception_names_its_line(finished: Run, claim_file: Path) -> None:
    verdict = finished[1]["t.boom"]
    assert verdict.status is Status.ERROR
    assert verdict.summary.endswith(
        f"raised RuntimeError: this is line 16 (at {claim_file.resolve()}:16)"
    )
    assert finished[1]["t.leave"].summary.startswith("SystemExit: left")


def test_memory_is_limited(finished: Run) -> None:
    pytest.importorskip("resource")
    assert finished[1]["t.hog"].status is Status.ERROR
    assert "MemoryError" in finished[1]["t.hog"].summary


def test_one_blas_thread(finished: Run) -> None:
    assert "threads 1" in finished[1]["t.tell"].summary


def test_the_others_still_run(finished: Run) -> None:
    for name in ("t.first", "t.last"):
        assert finished[1][name].status is Status.PROVED


def test_every_end_is_heard_once(finished: Run) -> None:
    assert sorted(finished[2]) == sorted(task.claim_id for task in finished[0])


def test_no_tasks_no_workers() -> None:
    assert run([], jobs=2, budget=1) == []


def test_the_number_of_workers_changes_nothing(finished: Run) -> None:
    harmless = [t for t in finished[0] if t.claim_id in ("t.first", "t.boom", "t.last")]
    alone = run(harmless, jobs=1, budget=30)
    together = [finished[1][task.claim_id] for task in harmless]
    assert [replace(v, seconds=0) for v in alone] == [replace(v, seconds=0) for v in together]


def test_an_interrupt_ends_every_worker(claim_file: Path) -> None:
    def interrupt(task: Task, verdict: Verdict) -> None:
        raise KeyboardInterrupt

    tasks = tasks_of(load_file(claim_file).entries[:2])
    with pytest.raises(KeyboardInterrupt):
        run(tasks, jobs=2, budget=60, on_done=interrupt)
    assert multiprocessing.active_children() == []


def test_a_changed_file_is_not_checked_silently(tmp_path: Path) -> None:
    path = tmp_path / "claims.py"
    path.write_text(CLAIMS, encoding="utf-8")
    task = tasks_of(load_file(path).entries)[0]
    path.write_text(CLAIMS.replace("rhs=x + 1", "rhs=x - 1"), encoding="utf-8")
    verdict = run_task(task)
    assert verdict.status is Status.ERROR
    assert "changed while the run was going on" in verdict.summary


def test_an_unknown_claim_or_module_is_an_error(claim_file: Path) -> None:
    task = tasks_of(load_file(claim_file).entries)[0]
    assert "no claim matches 't.frist'" in run_task(replace(task, claim_id="t.frist")).summary
    lost = run_task(replace(task, origin=Origin("no_such_module_of_claims")))
    assert lost.status is Status.ERROR
    assert "ModuleNotFoundError" in lost.summary
