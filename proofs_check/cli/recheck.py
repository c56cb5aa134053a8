"""`proofs-check recheck`: certificate files, checked by the small separate checker alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proofs_check.cli.options import Budget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from proofs_check.recheck.file import Finding
    from proofs_check.workers import Workers

DEFAULT_BUDGET = 20.0
MEMORY = 4 * 2**30  # bytes of address space
NOT_ACCEPTED, UNREADABLE = 1, 2


def recheck(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="As `prove --certificate` writes them."),
    ],
    json: Annotated[bool, typer.Option("--json", help="Write the findings as JSON.")] = False,
    budget: Budget = DEFAULT_BUDGET,
) -> int:
    """Check certificates again, with nothing of what found the proofs.

    The checker shares only ball and rational arithmetic (python-flint) with the prover. Each file
    is read in a process that is ended when it spends its time or memory.

    \b
    Examples:
      proofs-check prove "exp(x) >= 1 + x" --certificate proof.json
      proofs-check recheck proof.json

    \b
    Exit codes:
      0  every certificate is accepted
      1  one is rejected, damaged, or no certificate at all
      2  a file cannot be read, or wrong use
    """
    found = _findings(files, budget)
    if json:
        typer.echo(_as_json(found))
    else:
        from proofs_check.cli.output import screen

        screen().print(_table(found))
    return exit_code(found)


def exit_code(findings: Sequence[Finding]) -> int:
    """See :func:`recheck`."""
    from proofs_check.recheck.file import ACCEPTED, MISSING

    statuses = {finding.status for finding in findings}
    if MISSING in statuses:
        return UNREADABLE
    return 0 if statuses <= {ACCEPTED} else NOT_ACCEPTED


def _findings(files: Sequence[Path], budget: float) -> list[Finding]:
    from proofs_check.workers import Workers

    modules = ("proofs_check.recheck.file", "proofs_check.recheck.claims")
    with Workers(modules=modules, memory=MEMORY) as workers:
        return [_finding(str(file), budget, workers) for file in files]


def _finding(file: str, budget: float, workers: Workers) -> Finding:
    from concurrent.futures.process import BrokenProcessPool

    from pebble import ProcessExpired

    from proofs_check.recheck.file import REJECTED, Finding
    from proofs_check.workers import Job

    try:
        found: Finding = workers.call(
            Job("proofs_check.recheck.file", "recheck_file", (file,)), budget=budget
        )
    except TimeoutError:
        reason = f"time budget of {budget:g} s spent; raise --budget"
        return Finding(file, REJECTED, reason=reason, seconds=budget)
    except MemoryError:
        return Finding(file, REJECTED, reason=f"it needs more than {MEMORY // 2**30} GB of memory")
    except (ProcessExpired, BrokenProcessPool) as death:
        return Finding(file, REJECTED, reason=f"the process that checked it died ({death})")
    return found


def _as_json(findings: Sequence[Finding]) -> str:
    import json
    from dataclasses import asdict

    from proofs_check.cli.app import tool_version

    document = {
        "format": "proofs-check/recheck",
        "version": 1,
        "tool": {"name": "proofs-check", "version": tool_version()},
        "exit_code": exit_code(findings),
        "findings": [asdict(finding) for finding in findings],
    }
    return json.dumps(document, indent=2, sort_keys=True)


def _table(findings: Sequence[Finding]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from proofs_check.recheck.file import ACCEPTED

    table = Table(box=box.HORIZONTALS, show_edge=False, pad_edge=False)
    for title in ("file", "claim", "checker"):
        table.add_column(title, overflow="fold")
    table.add_column("time", justify="right", no_wrap=True)
    for finding in findings:
        good = finding.status == ACCEPTED
        claim = finding.claim if len(finding.claim) <= 200 else f"{finding.claim[:197]}..."
        if finding.hypotheses:
            claim += f"  where {' and '.join(finding.hypotheses)}"[:200]
        said = Text(finding.status, style="green" if good else "bold red")
        if finding.reason:
            said.append(f": {' > '.join((*finding.where, finding.reason))}", style="not bold")
        table.add_row(Text(finding.file), Text(claim), said, f"{finding.seconds:.2f} s")
    return table
