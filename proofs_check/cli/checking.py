"""Running the workers over subjects, with progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from proofs_check.cache import Cache
from proofs_check.checker import Settings
from proofs_check.cli.options import available_cpus
from proofs_check.executors import Task, run
from proofs_check.report.rows import Subject
from proofs_check.verdict import Verdict

Listener = Callable[[Task, Verdict], None]


def check_subjects(
    subjects: Sequence[Subject],
    settings: Settings,
    *,
    jobs: int | None,
    budget: float,
    cache: Cache | None = None,
) -> list[Verdict]:
    """The verdicts on the subjects, in their order; progress is shown while it goes on."""
    tasks = [Task(s.origin, s.id, settings, cache) for s in subjects if s.origin is not None]
    with _progress(len(tasks)) as on_done:
        return run(tasks, jobs=jobs or available_cpus(), budget=budget, on_done=on_done)


@contextmanager
def _progress(total: int) -> Iterator[Listener]:
    """A bar on a terminal, plain lines elsewhere (CI keeps those readable in a log)."""
    if not sys.stderr.isatty():
        yield _plain_lines(total)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        job = bar.add_task("checking", total=total)

        def advance(task: Task, verdict: Verdict) -> None:
            bar.update(job, advance=1, description=task.claim_id)

        yield advance


def _plain_lines(total: int) -> Listener:
    done: list[str] = []
    width = len(str(total))

    def line(task: Task, verdict: Verdict) -> None:
        done.append(task.claim_id)
        count = f"[{len(done):>{width}}/{total}]"
        typer.echo(f"{count} {task.claim_id} {verdict.status} {verdict.seconds:.1f} s", err=True)

    return line
