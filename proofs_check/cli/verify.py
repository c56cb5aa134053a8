"""`proofs-check verify`: check claims and their variants, and say whether all is as expected."""

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
    CacheFolder,
    Executor,
    Format,
    Instances,
    Jobs,
    NoCache,
    NoPlugins,
    Output,
    Precision,
    Seed,
    Targets,
    chosen_cache,
)

if TYPE_CHECKING:
    from proofs_check.cache import Cache
    from proofs_check.checker import Settings
    from proofs_check.cli.targets import Selection
    from proofs_check.report.rows import Report


def verify(
    targets: Targets = None,
    format: Annotated[Format, typer.Option(help="How the report is written.")] = Format.TABLE,
    output: Output = None,
    seed: Seed = 0,
    precision: Precision = DEFAULT_PRECISION,
    budget: Budget = DEFAULT_BUDGET,
    jobs: Jobs = None,
    executor: Executor = LOCAL,
    instances: Instances = None,
    require_proof: Annotated[
        bool, typer.Option("--require-proof", help="Only PROVED will do: CONSISTENT gives exit 2.")
    ] = False,
    no_plugins: NoPlugins = False,
    cache: CacheFolder = None,
    no_cache: NoCache = False,
) -> int:
    """Check claims and their variants.

    \b
    Examples:
      proofs-check verify                      the shipped theory and plug-ins
      proofs-check verify 'I*' R1              by glob and by result
      proofs-check verify my_claims.py         claims of your own (the file is run)
      proofs-check verify --format junit -o report.xml
      proofs-check verify I2 --instances 2000 --executor dask://HOST:8786

    \b
    Exit codes:
      0  every claim and variant is as expected
      1  something is refuted that should hold
      2  something is undecided or weaker than expected
      3  an error, of a claim, of the tool or in its use
    Where several apply: 3, then 1, then 2.
    """
    from proofs_check.checker import Settings
    from proofs_check.cli.output import require_writable
    from proofs_check.cli.targets import select

    require_writable(output)
    kept = chosen_cache(cache, without=no_cache)
    selection = select(targets or (), plugins=not no_plugins)
    report = _run(
        selection,
        Settings(seed=seed, precision=precision, instances=instances),
        jobs=jobs,
        budget=budget,
        require_proof=require_proof,
        cache=kept,
        executor=executor,
    )
    _deliver(report, format, output)
    return report.exit_code


def _run(
    selection: Selection,
    settings: Settings,
    *,
    jobs: int | None,
    budget: float,
    require_proof: bool,
    cache: Cache | None,
    executor: str,
) -> Report:
    from dataclasses import asdict, replace

    from proofs_check.checker import shared_alpha
    from proofs_check.cli.checking import check_subjects
    from proofs_check.outcome import judge
    from proofs_check.report.rows import Kind, Report, Row, subject_of, variants_of

    entries = selection.catalog.entries
    subjects = [s for entry in entries for s in (subject_of(entry), *variants_of(entry))]
    if not subjects and not selection.broken:
        raise CommandError("there is no claim to check; put one into CLAIMS of the file named")
    claims = [
        claim
        for entry in entries
        for claim in (entry.claim, *map(entry.claim.as_printed, entry.claim.variants))
    ]
    each = replace(settings, alpha=shared_alpha(claims, settings.alpha))
    start = time.perf_counter()
    verdicts = check_subjects(
        subjects, each, jobs=jobs, budget=budget, cache=cache, executor=executor
    )
    rows = []
    for subject, verdict in zip(subjects, verdicts, strict=True):
        strict = require_proof and subject.kind is Kind.CLAIM
        expected = subject.expected or verdict.status
        rows.append(Row(subject, verdict, judge(expected, verdict.status, require_proof=strict)))
    return Report(
        (*rows, *selection.broken),
        {**asdict(settings), "budget": budget, "require_proof": require_proof},
        time.perf_counter() - start,
    )


def _deliver(report: Report, format: Format, output: Output) -> None:
    """To standard output; with a file, the report goes there and its closing lines are shown."""
    from rich.console import Group

    from proofs_check.cli.output import screen, write_text
    from proofs_check.report.terminal import closing_lines, verify_view

    if output is not None:
        write_text(output, _as_text(report, format))
        screen().print(Group(*closing_lines(report)))
        typer.echo(f"wrote {len(report.rows)} verdicts to {output}", err=True)
    elif format is Format.TABLE:
        console = screen()
        console.print(verify_view(report, width=console.width))
    else:
        typer.echo(_as_text(report, format), nl=False)


def _as_text(report: Report, format: Format) -> str:
    from proofs_check.cli.app import tool_version
    from proofs_check.cli.output import as_plain_text
    from proofs_check.report import json, junit
    from proofs_check.report.terminal import verify_view

    if format is Format.JSON:
        return json.render(report, tool_version())
    if format is Format.JUNIT:
        return junit.render(report)
    return as_plain_text(verify_view(report))
