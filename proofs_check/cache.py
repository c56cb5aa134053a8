"""Proofs kept from one run to the next. A stored proof is checked again, never trusted.

An entry is a certificate file named by the SHA-256 of claim, hypotheses and format version. What
is damaged, rejected or about another claim is removed, and the claim is proved again; so a cache
can make a verdict quicker, never wrong. Several processes may write to one folder at a time.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bounds.files import replacing
from proofs_check.certificate import Certificate, of_document, text_of
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.file import MOST_BYTES, VERSION, Unusable, canonical, read, recheck


@dataclass(frozen=True)
class Cache:
    """A folder of certificates.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     print(Cache(Path(folder)).find("x <= x", []))
    None
    """

    folder: Path

    def find(self, claim: str, hypotheses: Sequence[str]) -> Certificate | None:
        """The stored proof of a claim if the checker accepts it now; a bad one is removed."""
        path = self.path(claim, hypotheses)
        try:
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except OSError:
            return None
        try:
            document = read(content)
            found = of_document(document)
            if (found.claim, found.hypotheses) != (claim, tuple(hypotheses)):
                raise Rejected("the entry is about another claim")
            recheck(document)
        except (Unusable, Rejected):
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return None
        return found

    def keep(self, certificate: Certificate) -> None:
        """Store a certificate, replacing an older one as a whole.

        A full disk or a folder without permission only means that the claim is proved again.
        """
        path = self.path(certificate.claim, certificate.hypotheses)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as temporary:
                temporary.chmod(0o600)  # claims may be unpublished
                temporary.write_text(text_of(certificate), encoding="ascii", newline="\n")

    def path(self, claim: str, hypotheses: Sequence[str]) -> Path:
        """Where the entry of a claim lies; versions of libraries are no part of the key."""
        key = hashlib.sha256(canonical([VERSION, claim, list(hypotheses)])).hexdigest()
        return self.folder / key[:2] / f"{key[2:]}.json"


def default_folder() -> Path:
    """Where the platform keeps what can be made again: ``~/.cache/proofs-check`` on Linux."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if named and Path(named).is_absolute():  # the specification says to ignore relative ones
        return Path(named) / "proofs-check"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", "")
        return (Path(local) if local else Path.home() / "AppData/Local") / "proofs-check/cache"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/proofs-check"
    return Path.home() / ".cache/proofs-check"
