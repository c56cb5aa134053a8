"""Certificates: a claim with its proofs as a document that the checker accepts or rejects.

Nothing of the search is trusted: a claim is called proved only if :func:`rejection` is None, that
is, if the separate checker accepts the document exactly as it would be written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bounds.status import Status
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.file import (
    FORMAT,
    VERSION,
    Unusable,
    canonical,
    check_form,
    digest,
    parsed,
    recheck,
)
from proofs_check.verdict import Evidence, Strength, Verdict

_PROGRAMS = ("proofs-check", "python-flint")


@dataclass(frozen=True)
class Certificate:
    """A claim, its hypotheses, a point that meets them, and the proofs of its parts in order.

    ``made_by`` is provenance (versions, how it was found); the checker does not read it.
    """

    claim: str
    hypotheses: tuple[str, ...]
    example: Mapping[str, str]
    proofs: tuple[Mapping[str, Any], ...]
    made_by: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """What a file holds: plain JSON values with format, version and digest.

        Raises:
            TypeError, ValueError, Unusable: a proof holds what a certificate has no form for.
        """
        plain = {
            "format": FORMAT,
            "version": VERSION,
            "claim": self.claim,
            "hypotheses": list(self.hypotheses),
            "example": dict(self.example),
            "proofs": list(self.proofs),
            "made_by": dict(self.made_by),
        }
        found: dict[str, Any] = parsed(canonical(plain))
        return {**found, "digest": digest(found)}

    @property
    def said(self) -> str:
        """What is told of a stored proof that the checker has accepted again."""
        argument = self.made_by.get("argument", "")
        return f"a stored proof was re-checked: {argument}".rstrip(": ")


def made(
    claim: str,
    hypotheses: Sequence[str],
    example: Mapping[str, Fraction],
    proofs: Sequence[Mapping[str, Any]],
    **provenance: str,
) -> Certificate:
    """A certificate with the versions of the programs that made it."""
    point = {name: str(value) for name, value in example.items()}
    return Certificate(
        claim, tuple(hypotheses), point, tuple(proofs), {**_versions(), **provenance}
    )


def _versions() -> dict[str, str]:
    found = {}
    for program in _PROGRAMS:
        with suppress(PackageNotFoundError):
            found[program] = version(program)
    return found


def of_document(document: Mapping[str, Any]) -> Certificate:
    """The certificate in a document that :func:`proofs_check.recheck.file.read` has returned."""
    return Certificate(
        document["claim"],
        tuple(document["hypotheses"]),
        document["example"],
        tuple(document["proofs"]),
        {str(key): str(value) for key, value in document["made_by"].items()},
    )


def text_of(certificate: Certificate) -> str:
    """The content of a file: one line of canonical JSON."""
    return canonical(certificate.document).decode("ascii") + "\n"


def rejection(certificate: Certificate) -> Rejected | None:
    """Why the checker does not accept, or None when it does."""
    try:
        document = certificate.document
        check_form(document)
        recheck(document)
    except Rejected as error:
        return error
    except (TypeError, ValueError, Unusable) as error:
        return Rejected(f"it cannot be written: {error}", ("document",))
    return None


def confirmed(verdict: Verdict, certificate: Certificate) -> Verdict:
    """The verdict if the checker accepts the certificate for it, else UNDECIDED, saying why not."""
    error = rejection(certificate)
    if error is None:
        return verdict
    return replace(
        verdict,
        status=Status.UNDECIDED,
        strength=Strength.NONE,
        summary=doubt(verdict.summary, error),
        evidence=tuple(_doubted(one) for one in verdict.evidence),
        example=None,
    )


def doubt(argument: str, error: Rejected) -> str:
    """What is said of an argument that the checker does not accept."""
    return f"an argument was found ({argument}), but the checker does not accept it: {error}"


def _doubted(evidence: Evidence) -> Evidence:
    if evidence.status is not Status.PROVED:
        return evidence
    return replace(evidence, status=Status.UNDECIDED, strength=Strength.NONE)
