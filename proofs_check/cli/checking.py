"""Running the workers over subjects, with progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from proofs_check.cache import Cache
from proofs_check.checker import Settings
from proofs_check.cli.options import LOCAL, available_cpus
from proofs_check.places import executor_at
from proofs_check.report.rows import Kind, Subject
from proofs_check.scheduling import ignore_part, modules_of, run
from proofs_check.tasks import Task
from proofs_check.verdict import Verdict

Listener = Callable[[Task, Verdict], None]
PartListener = Callable[[Task, int, int], None]


def check_subjects(
    subjects: Sequence[Subject],
    settings: Settings,
    *,
    jobs: int | None,
    budget: float,
    cache: Cache | None = None,
    executor: str = LOCAL,
) -> list[Verdict]:
    """The verdicts on the subjects, in their order; progress is shown while it goes on.

    A variant is checked on as many instances as it says itself, whatever the settings say.

    Raises:
        ClusterError: the cluster cannot be used, or is gone.
    """
    # The folder of the cache is one of this machine.
    kept = cache if executor == LOCAL else None
    tasks = [
        Task(subject.origin, subject.id, _settings_of(subject, settings), kept)
        for subject in subjects
        if subject.origin is not None
    ]
    elsewhere = None
    if executor != LOCAL and tasks:
        elsewhere = executor_at(executor, jobs=jobs, modules=modules_of(tasks))
    with _progress(len(tasks)) as (on_done, on_part):
        return run(
            tasks,
            jobs=jobs or available_cpus(),
            budget=budget,
            executor=elsewhere,
            on_done=on_done,
            on_part=on_part,
        )


def _settings_of(subject: Subject, settings: Settings) -> Settings:
    return replace(settings, instances=None) if subject.kind is Kind.VARIANT else settings


@contextmanager
def _progress(total: int) -> Iterator[tuple[Listener, PartListener]]:
    """A bar on a terminal, plain lines elsewhere (CI keeps those readable in a log)."""
    if not sys.stderr.isatty():
        yield _plain_lines(total), ignore_part
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        job = bar.add_task("checking", total=total)

        def advance(task: Task, verdict: Verdict) -> None:
            bar.update(job, advance=1, description=task.claim_id)

        def mention(task: Task, done: int, parts: int) -> None:
            bar.update(job, description=f"{task.claim_id} {done}/{parts}")

        yield advance, mention


def _plain_lines(total: int) -> Listener:
    done: list[str] = []
    width = len(str(total))

    def line(task: Task, verdict: Verdict) -> None:
        done.append(task.claim_id)
        count = f"[{len(done):>{width}}/{total}]"
        typer.echo(f"{count} {task.claim_id} {verdict.status} {verdict.seconds:.1f} s", err=True)

    return line
