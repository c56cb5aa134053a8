"""`proofs-check list`: what there is to check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from proofs_check.cli.errors import TOOL_ERROR, complain
from proofs_check.cli.options import NoPlugins, PlainFormat, Targets

if TYPE_CHECKING:
    from rich.table import Table

    from bounds.catalog import Catalog


def list_claims(
    targets: Targets = None,
    format: Annotated[PlainFormat, typer.Option(help="How it is written.")] = PlainFormat.TABLE,
    no_plugins: NoPlugins = False,
) -> int:
    """List claims: id, title, relation, expected status, tags. Nothing is checked.

    \b
    Examples:
      proofs-check list
      proofs-check list 'I*' --format json
      proofs-check list my_claims.py
    """
    from proofs_check.cli.output import screen
    from proofs_check.cli.targets import select

    selection = select(targets or (), plugins=not no_plugins)
    if format is PlainFormat.JSON:
        typer.echo(_as_json(selection.catalog))
    else:
        screen().print(_table(selection.catalog))
    for row in selection.broken:
        complain(row.verdict.summary)
    return TOOL_ERROR if selection.broken else 0


def _table(catalog: Catalog) -> Table:
    from rich.text import Text

    from proofs_check.report.terminal import empty_table, status_text

    table = empty_table("id", "title", [claim.id for claim in catalog])
    for name in ("relation", "expected", "tags"):
        table.add_column(name, overflow="fold")
    for claim in catalog:
        table.add_row(
            Text(claim.id),
            Text(claim.title),
            Text(str(claim.relation)),
            status_text(claim.expected),
            Text(", ".join(claim.tags)),
        )
    return table


def _as_json(catalog: Catalog) -> str:
    import json

    claims = [
        {
            "id": claim.id,
            "title": claim.title,
            "relation": str(claim.relation),
            "expected": str(claim.expected),
            "tags": list(claim.tags),
        }
        for claim in catalog
    ]
    found = {"format": "proofs-check/claims", "version": 1, "claims": claims}
    return json.dumps(found, indent=2, sort_keys=True)
