"""Where a report goes: standard output, or a file that is replaced as a whole or not at all."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

from rich.console import Console, RenderableType

from bounds.files import replacing
from proofs_check.cli.errors import CommandError

FILE_WIDTH = 120


def require_writable(path: Path | None) -> None:
    """Refuse a hopeless output file before the long work, not after it.

    Raises:
        CommandError: the file is a folder, or its folder does not exist or cannot be written in.
    """
    if path is None:
        return
    folder = path.resolve().parent
    if path.is_dir():
        raise CommandError(f"{path}: is a folder; name a file in it")
    if not folder.is_dir():
        raise CommandError(f"{path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"{path}: no permission to write in {folder}; name another")


def write_text(path: Path, text: str) -> None:
    """Write a file through a temporary one in the same folder: the old one stays until the end.

    Raises:
        CommandError: it cannot be written; the old file, if any, is as it was.
    """
    target = path.resolve()  # a symbolic link stays one
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")  # a pipe or device cannot be replaced
        else:
            _replace(target, text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(
            f"{path}: cannot be written ({reason}); an old file is left as it was"
        ) from error


def _replace(target: Path, text: str) -> None:
    with (
        replacing(target) as temporary,
        open(temporary, "w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def as_plain_text(view: RenderableType, width: int = FILE_WIDTH) -> str:
    """A view as text without colours, for a file."""
    buffer = StringIO()
    console = Console(file=buffer, width=width, color_system=None, highlight=False)
    console.print(view)
    return buffer.getvalue()


def screen() -> Console:
    """Standard output. Where it is no terminal, lines are not broken at 80 columns."""
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal or "COLUMNS" in os.environ:
        return console
    return Console(highlight=False, markup=False, emoji=False, width=FILE_WIDTH)
