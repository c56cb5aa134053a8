"""`proofs-check axioms`: the cited results that are taken on trust."""

from __future__ import annotations

from typing import Annotated

import typer

from proofs_check.cli.options import NoPlugins


def axioms(
    claim_id: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="Only those that this claim names.", show_default=False),
    ] = None,
    no_plugins: NoPlugins = False,
) -> int:
    """List the axioms: cited results that are tested but not proved here.

    \b
    Examples:
      proofs-check axioms
      proofs-check axioms I5.wishart
    """
    from bounds.axioms import AXIOMS
    from proofs_check.cli.output import screen
    from proofs_check.cli.targets import select
    from proofs_check.report.explain import axiom_lines

    named = tuple(AXIOMS)
    if claim_id is not None:
        claim = select((), plugins=not no_plugins).catalog[claim_id]
        consumed = {hypothesis.axiom for hypothesis in claim.hypotheses}
        named = tuple(name for name in AXIOMS if name in consumed)
    if named:
        screen().print(axiom_lines(named))
    else:
        typer.echo(f"{claim_id} rests on no axiom")
    return 0
