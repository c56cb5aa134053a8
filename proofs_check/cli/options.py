"""The options that several commands share, with their checks."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proofs_check.cli.errors import CommandError

if TYPE_CHECKING:
    from proofs_check.cache import Cache

DEFAULT_BUDGET = 60.0
DEFAULT_PRECISION = 128
LOCAL = "local"
CLUSTER_ADDRESS = re.compile(r"dask://(\[[0-9A-Fa-f:.]+\]|[\w.-]+):\d{1,5}")


class Format(StrEnum):
    """How a report is written."""

    TABLE = "table"
    JSON = "json"
    JUNIT = "junit"


class PlainFormat(StrEnum):
    """How a list is written."""

    TABLE = "table"
    JSON = "json"


def available_cpus() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _whole(low: int, high: int | None = None) -> Callable[[object], int]:
    """A parser of whole numbers; Typer's own message does not name the value at fault."""
    allowed = f"at least {low}" if high is None else f"from {low} to {high}"

    def parse(text: object) -> int:
        try:
            value = int(str(text))
        except ValueError:
            value = low - 1
        if value < low or (high is not None and value > high):
            raise typer.BadParameter(f"{text} is not a whole number {allowed}")
        return value

    return parse


def _seconds(text: object) -> float:
    try:
        value = float(str(text))
    except ValueError:
        value = math.nan
    if not (value > 0 and math.isfinite(value)):
        raise typer.BadParameter(f"{text} is not a positive number of seconds, such as 60")
    return value


def _place(text: object) -> str:
    """Where tasks run; whether anyone answers there is found out later."""
    place = str(text)
    if place != LOCAL and not CLUSTER_ADDRESS.fullmatch(place):
        raise typer.BadParameter(f"{place} is neither `local` nor of the form dask://HOST:PORT")
    return place


Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TARGET",
        help="What to take: I2.bound, 'I*', a tag, a result (I2), or a claim file, which is run. "
        "Without any: the shipped theory and installed plug-ins.",
        show_default=False,
    ),
]
NoPlugins = Annotated[
    bool, typer.Option("--no-plugins", help="Leave claims of installed packages out.")
]
Seed = Annotated[
    int, typer.Option(metavar="N", parser=_whole(0), help="Seed of every random stream.")
]
Precision = Annotated[
    int,
    typer.Option(
        metavar="BITS", parser=_whole(32, 100_000), help="Precision at which balls start."
    ),
]
Budget = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        parser=_seconds,
        help="Time for each claim; a claim that spends it is UNDECIDED. Where instances are "
        "checked in parts: for each part of 10 and for the proof, each alone.",
    ),
]
ProofBudget = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", parser=_seconds, help="Time for the whole; what spends it is UNDECIDED."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N", parser=_whole(1), help="Worker processes.", show_default="one a processor"
    ),
]
Executor = Annotated[
    str,
    typer.Option(
        "--executor",
        metavar="WHERE",
        parser=_place,
        help="`local`: processes here; `dask://HOST:PORT`: the workers of a dask cluster (extra "
        "`cluster`), with --jobs as the most tasks at a time.",
    ),
]
Instances = Annotated[
    int | None,
    typer.Option(
        "--instances",
        metavar="N",
        parser=_whole(1),
        help="Try N instances of each claim (variants keep their own).",
        show_default="as many as the claim says",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the report to a file (replaced as a whole, or not at all).",
        show_default=False,
    ),
]
CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Where proofs are kept; they are checked again, never trusted.",
        show_default="the platform's cache folder",
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Prove everything anew.")]


def chosen_cache(folder: Path | None, *, without: bool) -> Cache | None:
    """The cache that the options ask for.

    Raises:
        CommandError: both options are given, or the folder named cannot be used.
    """
    if without and folder is not None:
        raise CommandError("--cache and --no-cache exclude each other; leave one out")
    if without:
        return None
    from proofs_check.cache import Cache, default_folder

    if folder is None:
        with suppress(RuntimeError):  # no home folder: there is no place by default
            return Cache(default_folder())
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(f"--cache {folder}: no such folder can be made ({reason})") from error
    if not os.access(folder, os.W_OK):
        raise CommandError(f"--cache {folder}: no permission to write in it; name another")
    return Cache(folder.resolve())
