"""Looking claims up: the shipped theory, installed plug-ins and claim files, by id, glob and tag.

A module that holds claims has a tuple ``CLAIMS``; nothing is registered at import time. Every claim
is kept with its *origin*, by which a worker process finds it again without unpickling functions.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import pkgutil
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from bounds.claim import Claim
from bounds.errors import ClaimDefinitionError, ClaimFileError, UnknownClaimError

ENTRY_POINT_GROUP = "proofs_check.claims"
THEORY = "bounds.theory"


@dataclass(frozen=True)
class Origin:
    """Where a claim was read: an importable module, or a file with the digest of its content."""

    name: str
    digest: str | None = None

    @property
    def is_file(self) -> bool:
        """Whether the claim comes from a file rather than from an importable module."""
        return self.digest is not None


@dataclass(frozen=True)
class Entry:
    """A claim and its origin."""

    claim: Claim
    origin: Origin


@dataclass(frozen=True)
class Catalog:
    """An ordered collection of claims with unique ids.

    Raises:
        ClaimDefinitionError: two claims have the same id; the message names both origins.
    """

    entries: tuple[Entry, ...]

    def __post_init__(self) -> None:
        seen: dict[str, Origin] = {}
        for entry in self.entries:
            if entry.claim.id in seen:
                raise ClaimDefinitionError(
                    f"claim {entry.claim.id!r} is defined twice: "
                    f"in {seen[entry.claim.id].name} and in {entry.origin.name}"
                )
            seen[entry.claim.id] = entry.origin

    def __iter__(self) -> Iterator[Claim]:
        return (entry.claim for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, claim_id: str) -> Claim:
        return self.entry(claim_id).claim

    def __add__(self, other: Catalog) -> Catalog:
        return Catalog(self.entries + other.entries)

    def entry(self, claim_id: str) -> Entry:
        """The entry with exactly this id, also of a mutant ``ID~name`` or variant ``ID@name``.

        Raises:
            UnknownClaimError: no such claim; the error offers the nearest ids.
        """
        for entry in self.entries:
            if entry.claim.id == claim_id:
                return entry
            if claim_id.startswith((f"{entry.claim.id}~", f"{entry.claim.id}@")):
                for neighbour in neighbours_of(entry.claim):
                    if neighbour.id == claim_id:
                        return Entry(neighbour, entry.origin)
        raise UnknownClaimError(claim_id, self._nearest(claim_id), self._why_not(claim_id))

    def select(self, patterns: Iterable[str]) -> Catalog:
        """Claims matching any pattern: an id, a result (``I2``), a glob (``I*``) or a tag.

        Raises:
            UnknownClaimError: a pattern matches nothing.
        """
        chosen: set[str] = set()
        for pattern in patterns:
            found = {c.id for c in self if _matches(c, pattern)}
            if not found:
                raise UnknownClaimError(pattern, self._nearest(pattern), self._why_not(pattern))
            chosen |= found
        return Catalog(tuple(e for e in self.entries if e.claim.id in chosen))

    def _why_not(self, wanted: str) -> str:
        """What to write instead, where the id names a result, or a neighbour of a known claim."""
        parts = [claim.id for claim in self if claim.result == wanted]
        if parts:
            return f"it is a result; its parts are {', '.join(parts)}"
        base = re.split("[~@]", wanted)[0]
        claim = next((claim for claim in self if claim.id == base != wanted), None)
        if claim is None:
            return ""
        names = [neighbour.id for neighbour in neighbours_of(claim)]
        if wanted in names:
            return f"mutants and variants are looked at with `show {wanted}` or `mutants {base}`"
        return f"the neighbours of {base} are {', '.join(names) or 'none'}"

    def _nearest(self, wanted: str) -> tuple[str, ...]:
        names = {name for c in self for name in (c.id, c.result, *c.tags)}
        by_case = {name.lower(): name for name in sorted(names)}
        close = difflib.get_close_matches(wanted.lower(), list(by_case), n=3, cutoff=0.5)
        return tuple(by_case[name] for name in close)


def neighbours_of(claim: Claim) -> tuple[Claim, ...]:
    """The mutants and variants of a claim as claims of their own."""
    mutants = tuple(claim.mutated(mutant) for mutant in claim.mutants)
    return mutants + tuple(claim.as_printed(variant) for variant in claim.variants)


def _matches(claim: Claim, pattern: str) -> bool:
    return (
        claim.id == pattern
        or claim.result == pattern
        or pattern in claim.tags
        or fnmatchcase(claim.id, pattern)
    )


def from_module(module: ModuleType, origin: Origin) -> Catalog:
    """The claims in ``module.CLAIMS``.

    Raises:
        ClaimDefinitionError: ``CLAIMS`` is missing or holds something that is not a claim.
    """
    claims = getattr(module, "CLAIMS", None)
    if claims is None:
        raise ClaimDefinitionError(f"{origin.name} has no CLAIMS; end it with CLAIMS = (...)")
    if not isinstance(claims, (tuple, list)):
        raise ClaimDefinitionError(
            f"{origin.name}: CLAIMS is no tuple; write CLAIMS = (CLAIM,) with the comma"
        )
    for item in claims:
        if not isinstance(item, Claim):
            raise ClaimDefinitionError(f"{origin.name}: CLAIMS holds {item!r}, which is no Claim")
    return Catalog(tuple(Entry(claim, origin) for claim in claims))


def load_package(name: str) -> Catalog:
    """The claims of a module, or of every module in a package and its subpackages."""
    module = importlib.import_module(name)
    found = Catalog(())
    if hasattr(module, "CLAIMS"):
        found += from_module(module, Origin(name))
    for info in pkgutil.walk_packages(getattr(module, "__path__", []), f"{name}."):
        part = importlib.import_module(info.name)
        if hasattr(part, "CLAIMS"):
            found += from_module(part, Origin(info.name))
    return found


def builtin_catalog() -> Catalog:
    """The theory this package ships with (:mod:`bounds.theory`), in the order of its ids."""
    entries = load_package(THEORY).entries
    return Catalog(tuple(sorted(entries, key=lambda entry: _reading_order(entry.claim))))


def _reading_order(claim: Claim) -> tuple[int, int]:
    letter, number = claim.result[:1], claim.result[1:]
    return ("RIGSF".find(letter), int(number) if number.isdigit() else 0)


def plugin_points() -> tuple[EntryPoint, ...]:
    """The entry points of installed packages in the group ``proofs_check.claims``, unread."""
    return tuple(entry_points(group=ENTRY_POINT_GROUP))


def plugin_catalog(plugin: EntryPoint) -> Catalog:
    """The claims of one entry point; one at a time, so that a broken one drops no other.

    Raises:
        ClaimDefinitionError: ``CLAIMS`` is wrong, or two claims have the same id.
        Exception: whatever the foreign module raises while it is imported.
    """
    return load_package(plugin.module)


def load_file(path: Path | str) -> Catalog:
    """The claims of a Python file. The file is *run*: name only files that you trust.

    Raises:
        ClaimFileError: the file is missing, raises, or has no ``CLAIMS``; names the line.
    """
    resolved = Path(path).resolve()
    try:
        content = resolved.read_bytes()
    except OSError as error:
        raise ClaimFileError(str(path), None, f"cannot be read: {error.strerror}") from error
    origin = Origin(str(resolved), hashlib.sha256(content).hexdigest())
    try:
        return from_module(_run(resolved, content, origin), origin)
    except ClaimDefinitionError as error:
        raise ClaimFileError(str(path), None, str(error)) from error


def _run(path: Path, content: bytes, origin: Origin) -> ModuleType:
    """Run a claim file as a module of its own; whatever it raises is reported with its line."""
    name = f"proofs_check_claims_{(origin.digest or '')[:16]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses and pickling look a class's module up by name
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise ClaimFileError(str(path), error.lineno, f"SyntaxError: {error.msg}") from error
    except (Exception, SystemExit) as error:  # the border to trusted but foreign code
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == str(path)), None)
        cause = f"{type(error).__name__}: {error}{_remedy(error)}"
        raise ClaimFileError(str(path), line, cause) from error
    return module


def _remedy(error: BaseException) -> str:
    """What to write instead, for the mistake that Python's own message does not explain."""
    if "truth value of Relational" in str(error):
        return "; write (x > 0) & (y > 0) for `and`, (0 < x) & (x < 1) for a chain"
    return ""


def load(origin: Origin) -> Catalog:
    """Read the claims of an origin again, in another process.

    Raises:
        ClaimFileError: the file is missing, or not the one of which the origin was made.
    """
    if not origin.is_file:
        return from_module(importlib.import_module(origin.name), origin)
    found = load_file(origin.name)
    if any(entry.origin != origin for entry in found.entries):
        raise ClaimFileError(
            origin.name,
            None,
            "changed while the run was going on, or is another file on this machine; run it again",
        )
    return found
