"""The options for sweeps: where tasks run, how many instances, in how many parts."""

from __future__ import annotations

import builtins
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bounds.status import Status
from proofs_check.cli import checking, main
from proofs_check.tasks import Task
from proofs_check.verdict import Verdict, error_verdict
from proofs_check.workers import Job, perform

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    "place", ["dask", "dask://", "dask://host", "dask://host:99x", "tcp://host:1", "dask://a b:1"]
)
def test_a_place_that_is_none_is_named(claim_file: str, place: str, capsys: Captured) -> None:
    assert main(["verify", claim_file, "--executor", place]) == 3
    assert "neither `local` nor of the form dask://HOST:PORT" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["verify", "mutants"])
def test_without_dask_the_extra_is_named(
    claim_file: str, command: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "proofs_check.cluster":
            raise ModuleNotFoundError("No module named 'distributed'")
        return genuine(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main([command, claim_file, "--executor", "dask://localhost:9"]) == 3
    assert "install it with the extra `cluster`" in capsys.readouterr().err


def test_a_sweep_is_one_of_the_claims_and_not_of_their_variants(
    claim_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, int | None] = {}

    def note(tasks: Sequence[Task], **_: Any) -> list[Verdict]:
        seen.update({task.claim_id: task.settings.instances for task in tasks})
        return [error_verdict(task.claim_id, "not run") for task in tasks]

    monkeypatch.setattr(checking, "run", note)
    assert main(["verify", claim_file, "--instances", "33"]) == 3
    assert seen == {"t.proved": 33, "t.proved@printed": None, "u.consistent": 33}


def test_instances_stand_in_the_report(claim_file: str, capsys: Captured) -> None:
    assert main(["verify", claim_file, "--instances", "33", "--jobs", "2", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["settings"]["instances"] == 33
    assert '"held": 33' in json.dumps(report)


def test_parts_of_a_region_by_any_number_of_processes(tmp_path: Path, capsys: Captured) -> None:
    relation = "exp(-x**2-y**2) + x*y/20 <= 1.05 + sin(3*x*y)/50"
    where = [f"--where={n} {sign}" for n in "xy" for sign in (">= -2", "<= 2")]
    proofs = []
    for jobs in ("1", "2"):
        path = tmp_path / f"{jobs}.json"
        options = ["--parts", "4", "--jobs", jobs, "--no-cache", "--budget", "60"]
        assert main(["prove", relation, *where, *options, "--certificate", str(path)]) == 0
        proofs.append(path.read_bytes())
        assert main(["recheck", str(path)]) == 0
    assert "PROVED" in capsys.readouterr().out
    assert proofs[0] == proofs[1]


def test_a_scheduler_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = pytest.importorskip("proofs_check.cluster")
    monkeypatch.setattr(cluster, "SCHEDULER_WAIT", 0.5)
    given = "x*y <= 1", [], "dask://localhost:9", None, {"parts": 2}
    verdict = perform(Job("proofs_check.places", "prove_in_parts", given))
    assert verdict.status is Status.ERROR
    assert "no dask scheduler answers at dask://localhost:9" in verdict.summary
