"""What two machines must share for their results to be the same bits."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("proofs-check", "numpy", "scipy", "sympy", "mpmath", "python-flint")
SOURCES = ("bounds", "proofs_check")


@dataclass(frozen=True)
class Fingerprint:
    """The versions of Python and of what computes, and a digest of this package's own files."""

    versions: tuple[tuple[str, str], ...]
    sources: str


def fingerprint() -> Fingerprint:
    """That of this process."""
    python = platform.python_version()
    versions = (("Python", python), *((name, version(name)) for name in PACKAGES))
    return Fingerprint(versions, source_digest(SOURCES))


def source_digest(packages: tuple[str, ...]) -> str:
    """SHA-256 of the names and contents of all Python files of the packages, in order."""
    found = hashlib.sha256()
    for package in packages:
        spec = find_spec(package)
        for folder in sorted((spec.submodule_search_locations or ()) if spec else ()):
            for path in sorted(Path(folder).rglob("*.py")):
                content = path.read_bytes()
                name = f"{package}/{path.relative_to(folder).as_posix()}"
                found.update(f"{name} {len(content)}\n".encode())
                found.update(content)
    return found.hexdigest()


def differences(here: Fingerprint, there: Fingerprint) -> str:
    """What differs, for people; empty when nothing does.

    >>> differences(Fingerprint((("numpy", "2.1"),), "a"), Fingerprint((("numpy", "2.2"),), "a"))
    'numpy 2.1 here, 2.2 there'
    """
    ours, theirs = dict(here.versions), dict(there.versions)
    found = [
        f"{name} {ours.get(name, 'none')} here, {theirs.get(name, 'none')} there"
        for name in dict.fromkeys((*ours, *theirs))
        if ours.get(name) != theirs.get(name)
    ]
    if not found and here.sources != there.sources:
        digests = f"{here.sources[:12]} here, {there.sources[:12]} there"
        found = [f"the files of {' and '.join(SOURCES)} differ (digest {digests})"]
    return "; ".join(found)
