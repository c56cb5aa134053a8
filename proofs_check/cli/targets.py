"""From what was named on the command line to the claims that are meant."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

from bounds.catalog import Catalog, builtin_catalog, load_file, plugin_catalog, plugin_points
from bounds.errors import ClaimFileError
from proofs_check.cli.errors import CommandError
from proofs_check.outcome import Outcome
from proofs_check.report.rows import Kind, Row, Subject
from proofs_check.verdict import error_verdict


@dataclass(frozen=True)
class Selection:
    """The claims meant, and a row for every claim file or plug-in that could not be read."""

    catalog: Catalog
    broken: tuple[Row, ...] = ()


def is_file_name(target: str) -> bool:
    """Whether a target names a claim file rather than claims of the catalogue."""
    return target.endswith(".py") or "/" in target or "\\" in target


def select(targets: Sequence[str], *, plugins: bool = True) -> Selection:
    """The claims of all targets together; all of the catalogue when there are none.

    Patterns look in the shipped theory and the plug-ins; a file gives all of its claims.

    Raises:
        CommandError: a target is a file that is no Python file.
        UnknownClaimError: a pattern matches nothing.
        ClaimDefinitionError: two files define the same id.
    """
    for target in targets:
        if not is_file_name(target) and Path(target).is_file():
            raise CommandError(f"{target} is not a claim file: its name must end in .py")
    patterns = [target for target in targets if not is_file_name(target)]
    files = [target for target in targets if is_file_name(target)]
    catalog = Catalog(())
    broken: list[Row] = []
    if patterns or not files:
        catalog, broken = _installed(plugins)
        catalog = catalog.select(patterns) if patterns else catalog
    for path in _distinct(files):
        try:
            catalog += load_file(path)
        except ClaimFileError as error:
            broken.append(_broken_row(path, "claim file", str(error)))
    return Selection(catalog, tuple(broken))


def _distinct(files: Sequence[str]) -> list[str]:
    """Each file once, under the first name that was given for it."""
    by_path = {Path(name).resolve(): name for name in reversed(files)}
    return [name for name in dict.fromkeys(files) if by_path[Path(name).resolve()] == name]


def _installed(plugins: bool) -> tuple[Catalog, list[Row]]:
    """The shipped theory with the plug-ins; a plug-in that raises takes no other claim with it."""
    catalog = builtin_catalog()
    broken: list[Row] = []
    for plugin in plugin_points() if plugins else ():
        try:
            catalog += plugin_catalog(plugin)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the border to foreign code
            broken.append(_broken_plugin(plugin, error))
    return catalog, broken


def _broken_plugin(plugin: EntryPoint, error: BaseException) -> Row:
    where = traceback.extract_tb(error.__traceback__)[-1]
    cause = f"{type(error).__name__}: {error} (at {where.filename}:{where.lineno})"
    remedy = "correct or uninstall the package, or use --no-plugins"
    message = f"plug-in {plugin.name} = {plugin.value}: {cause}; {remedy}"
    return _broken_row(f"plug-in {plugin.name}", f"installed plug-in {plugin.value}", message)


def _broken_row(name: str, title: str, message: str) -> Row:
    subject = Subject(kind=Kind.FILE, id=name, title=title, result="")
    return Row(subject, error_verdict(name, message), Outcome.BROKEN)
