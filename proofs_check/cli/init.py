"""`proofs-check init`: a commented claim file to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proofs_check.cli.errors import CommandError
from proofs_check.templates import CLAIM_FILE


def init(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file to write.")] = Path(
        "my_claims.py"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> int:
    """Write a commented claim file with two claims that verify.

    \b
    Example:
      proofs-check init my_claims.py
      proofs-check verify my_claims.py
    """
    from proofs_check.cli.output import require_writable, write_text

    if path.suffix != ".py":
        better = path.with_suffix(".py")
        raise CommandError(f"{path}: a claim file is a Python file; name it {better}")
    if path.exists() and not force:
        raise CommandError(f"{path} exists; use --force to replace it, or name another file")
    require_writable(path)
    write_text(path, CLAIM_FILE)
    typer.echo(f"wrote {path}; check it with: proofs-check verify {path}")
    return 0
