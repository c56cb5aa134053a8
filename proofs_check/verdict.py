"""What is said of a claim, and on what evidence: plain data that a machine can read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NoReturn

from bounds.status import Status


class Strength(StrEnum):
    """By what a verdict was reached, strongest first."""

    SYMBOLIC = "symbolic"
    DERIVATION = "derivation"
    ENCLOSURE = "enclosure"
    RIGOROUS_INSTANCES = "rigorous instances"
    AGREEMENT = "agreement to 400 bits"
    STATISTICS = "statistics"
    NONE = "none"


@dataclass(frozen=True)
class Witness:
    """An exact instance at which the claim fails, re-evaluated before anyone is told.

    ``instance`` is exact text (rationals), ``lhs`` and ``rhs`` the two sides there, ``arithmetic``
    how they were decided (``rational`` or ``ball, 256 bits``), ``failure`` what went wrong.
    """

    instance: Mapping[str, Any]
    lhs: str
    rhs: str
    arithmetic: str
    failure: str


@dataclass(frozen=True)
class Tightness:
    """The largest left/right ratio met, and the label of the instance where it was met."""

    ratio: float
    where: str


@dataclass(frozen=True)
class Evidence:
    """What one method found. ``status`` is its own conclusion; ``details`` is JSON-able.

    ``capping`` marks a failed derivation step: it caps the verdict at UNDECIDED.
    """

    method: str
    status: Status
    strength: Strength
    summary: str
    details: Mapping[str, Any] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    witness: Witness | None = None
    tightness: Tightness | None = None
    example: Mapping[str, Any] | None = None
    capping: bool = False


@dataclass(frozen=True)
class Verdict:
    """The verdict on one claim.

    ``used`` are the hypotheses that occur in the proof, ``unneeded`` those without which it was
    proved again; ``example`` is one exact point or instance that satisfies every hypothesis;
    ``axioms`` are the cited results the proof rests on. ``certificate`` is the document of
    docs/certificates.md, for an inequality that is PROVED.
    """

    claim_id: str
    status: Status
    strength: Strength
    summary: str
    evidence: tuple[Evidence, ...] = ()
    witness: Witness | None = None
    tightness: Tightness | None = None
    used: tuple[str, ...] = ()
    unneeded: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    example: Mapping[str, Any] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    certificate: Mapping[str, Any] | None = None

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a Verdict is neither true nor false: compare verdict.status, for example "
            "`verdict.status is Status.PROVED`"
        )


def error_verdict(claim_id: str, summary: str) -> Verdict:
    """The verdict on a claim that could not be checked at all."""
    return Verdict(claim_id, Status.ERROR, Strength.NONE, summary)
