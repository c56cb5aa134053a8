"""`proofs-check mutants`: check that no false neighbour of a claim comes out PROVED."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from proofs_check.cli.errors import CommandError
from proofs_check.cli.options import (
    DEFAULT_BUDGET,
    DEFAULT_PRECISION,
    LOCAL,
    Budget,
    Executor,
    Jobs,
    NoPlugins,
    PlainFormat,
    Precision,
    Seed,
    Targets,
)

if TYPE_CHECKING:
    from proofs_check.report.rows import Report


def mutants(
    targets: Targets = None,
    format: Annotated[PlainFormat, typer.Option(help="How it is written.")] = PlainFormat.TABLE,
    seed: Seed = 0,
    precision: Precision = DEFAULT_PRECISION,
    budget: Budget = DEFAULT_BUDGET,
    jobs: Jobs = None,
    executor: Executor = LOCAL,
    no_plugins: NoPlugins = False,
) -> int:
    """Run the mutants (false neighbours) of claims: none may be PROVED.

    Exit code 1 if one is, 3 if one cannot be checked (ERROR) or claims cannot be read, else 0.
    How many were refuted with a witness and how many merely not proved is shown.

    \b
    Examples:
      proofs-check mutants                     of every claim
      proofs-check mutants I2                  of one result
      proofs-check mutants my_claims.py --format json
    """
    from dataclasses import asdict, replace

    from proofs_check.checker import Settings, shared_alpha
    from proofs_check.cli.checking import check_subjects
    from proofs_check.cli.targets import select
    from proofs_check.outcome import judge_mutant
    from proofs_check.report.rows import Report, Row, mutants_of

    selection = select(targets or (), plugins=not no_plugins)
    entries = selection.catalog.entries
    subjects = [s for entry in entries for s in mutants_of(entry)]
    if not subjects and not selection.broken:
        raise CommandError("the claims named have no mutants; declare one with Claim(mutants=...)")
    settings = Settings(seed=seed, precision=precision)
    claims = [entry.claim.mutated(m) for entry in entries for m in entry.claim.mutants]
    each = replace(settings, alpha=shared_alpha(claims, settings.alpha))
    start = time.perf_counter()
    verdicts = check_subjects(subjects, each, jobs=jobs, budget=budget, executor=executor)
    rows = [
        Row(subject, verdict, judge_mutant(verdict.status))
        for subject, verdict in zip(subjects, verdicts, strict=True)
    ]
    report = Report(
        (*rows, *selection.broken),
        {**asdict(settings), "budget": budget},
        time.perf_counter() - start,
    )
    _deliver(report, format)
    return report.exit_code


def _deliver(report: Report, format: PlainFormat) -> None:
    from proofs_check.cli.app import tool_version
    from proofs_check.cli.output import screen
    from proofs_check.report import json
    from proofs_check.report.terminal import mutants_view

    if format is PlainFormat.JSON:
        typer.echo(json.render(report, tool_version()), nl=False)
    else:
        screen().print(mutants_view(report))
