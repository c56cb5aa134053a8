"""The program ``proofs-check``: its commands, its version, and its exit codes."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer

from proofs_check.cli import axioms, init, listing, mutants, prove, recheck, show, verify
from proofs_check.cli.errors import ABORTED, INTERRUPTED, TOOL_ERROR, complain, is_user_error

# Typer keeps Click's error classes private in some versions, and BadParameter public in all.
ClickException: Any = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="proofs-check",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.command("verify")(verify.verify)
app.command("prove")(prove.prove)
app.command("recheck")(recheck.recheck)
app.command("mutants")(mutants.mutants)
app.command("list")(listing.list_claims)
app.command("show")(show.show)
app.command("axioms")(axioms.axioms)
app.command("init")(init.init)


def tool_version() -> str:
    """The version of the installed distribution."""
    with suppress(PackageNotFoundError):
        return version("proofs-check")
    return "unknown (not installed)"


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"proofs-check {tool_version()}")
        raise typer.Exit


@app.callback()
def options(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Check whether the bounds of a theory are true.

    Start with `proofs-check verify` (the theory this tool ships with), or with
    `proofs-check init` and `proofs-check verify my_claims.py` (claims of your own).
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; see :mod:`proofs_check.outcome`.

    Wrong use and errors of the tool give 3, Ctrl-C gives 130. Only an error of the tool itself
    shows a traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows "?"
    try:
        given = None if arguments is None else list(arguments)
        code = app(args=given, prog_name="proofs-check", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except ClickException as error:
        return _explain_usage(error)
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted; every worker has been ended")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        return ABORTED  # Rich and Typer exit by themselves when nobody reads on
    except Exception as error:  # noqa: BLE001 - the border of the program
        if is_user_error(error):
            complain(str(error))
        else:
            traceback.print_exc()
            complain(f"internal error ({type(error).__name__}): a bug of proofs-check, not yours")
        return TOOL_ERROR


def _explain_usage(error: Exception) -> int:
    """Print what Click has to say about wrong arguments; a missing command gets the help text.

    `recheck` has no statuses to tell apart and gives 2, as most programs do.
    """
    show_error = getattr(error, "show", None)
    if show_error is not None:
        show_error()
    else:
        complain(str(error))
    command = getattr(getattr(error, "ctx", None), "info_name", "")
    return recheck.UNREADABLE if command == "recheck" else TOOL_ERROR
