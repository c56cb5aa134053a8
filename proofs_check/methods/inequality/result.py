"""What a method of the inequality engine found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from bounds.status import Status


@dataclass(frozen=True)
class Result:
    """The outcome of one method on one problem.

    ``witness`` is an exact point inside the region where the goal certainly fails; ``certificate``
    is a tree of rules (:mod:`proofs_check.recheck.rules`) from which the separate checker confirms
    the proof: for PROVED, and for an ERROR that says that the region has no point; ``work`` counts
    the units (boxes, splits) that decided the outcome. For UNDECIDED ``reason`` names what resists.
    """

    status: Status
    method: str
    reason: str
    witness: Mapping[str, Fraction] | None = None
    certificate: Mapping[str, Any] = field(default_factory=dict)
    work: int = 0
