"""The command line. Importing it is cheap: SymPy, SciPy and ``bounds`` load inside the commands."""

from proofs_check.cli.app import app, main

__all__ = ["app", "main"]
