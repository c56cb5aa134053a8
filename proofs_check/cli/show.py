"""`proofs-check show`: one claim in full, and the verdict on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proofs_check.cli.errors import TOOL_ERROR
from proofs_check.cli.options import (
    DEFAULT_BUDGET,
    DEFAULT_PRECISION,
    Budget,
    NoPlugins,
    Precision,
    Seed,
)

if TYPE_CHECKING:
    from bounds.catalog import Catalog, Entry
    from proofs_check.checker import Settings
    from proofs_check.verdict import Verdict


def show(
    claim_id: Annotated[
        str,
        typer.Argument(metavar="ID", help="A claim, its mutant (ID~name) or variant (ID@name)."),
    ],
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE.py", help="Look in this claim file.", show_default=False),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX only; no check.")] = False,
    no_check: Annotated[bool, typer.Option("--no-check", help="Do not check the claim.")] = False,
    seed: Seed = 0,
    precision: Precision = DEFAULT_PRECISION,
    budget: Budget = DEFAULT_BUDGET,
    no_plugins: NoPlugins = False,
) -> int:
    """Show a claim: statement, hypotheses, quantities, derivation, source, and its verdict.

    Exit code 0, whatever the status; 3 if the claim cannot be checked (ERROR).

    \b
    Examples:
      proofs-check show I2.bound
      proofs-check show I2.bound --latex
      proofs-check show my.log~half --file my_claims.py
    """
    from bounds.status import Status
    from proofs_check.checker import Settings
    from proofs_check.cli.output import screen
    from proofs_check.report.explain import claim_view, latex_view, verdict_view

    entry = _catalog(file, no_plugins).entry(claim_id)
    if latex:
        typer.echo(latex_view(entry.claim))
        return 0
    console = screen()
    console.print(claim_view(entry.claim, width=console.width))
    if no_check:
        return 0
    verdict = _verdict(entry, Settings(seed=seed, precision=precision), budget)
    console.print(verdict_view(verdict))
    return TOOL_ERROR if verdict.status is Status.ERROR else 0


def _catalog(file: Path | None, no_plugins: bool) -> Catalog:
    from bounds.catalog import load_file
    from proofs_check.cli.errors import complain
    from proofs_check.cli.targets import select

    if file is not None:
        return load_file(file)
    selection = select((), plugins=not no_plugins)
    for row in selection.broken:
        complain(row.verdict.summary)
    return selection.catalog


def _verdict(entry: Entry, settings: Settings, budget: float) -> Verdict:
    from proofs_check.scheduling import run
    from proofs_check.tasks import Task

    task = Task(entry.origin, entry.claim.id, settings)
    return run([task], jobs=1, budget=budget)[0]
