"""Exit codes of failures, and how a failure is told: one line on stderr."""

from __future__ import annotations

import typer

TOOL_ERROR = 3
INTERRUPTED = 130
ABORTED = 141  # as if killed by SIGPIPE: whoever read the output has gone


class CommandError(Exception):
    """Something the user can put right; the message names cause, place and remedy."""


def is_user_error(error: Exception) -> bool:
    """Whether the message alone tells the user what to do, without a traceback."""
    if isinstance(error, CommandError):
        return True
    from bounds.errors import BoundsError

    return isinstance(error, BoundsError)


def complain(message: str) -> None:
    """Print an error message on stderr."""
    typer.echo(f"proofs-check: {message}", err=True)
