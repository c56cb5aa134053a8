"""The five things that can be said of a claim."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """What is known of a claim; see *Verdict* in the documentation for the exact meaning.

    PROVED holds for every parameter the hypotheses allow. CONSISTENT held rigorously on every
    instance tried, or statistically at a stated level: evidence, not proof. REFUTED comes with a
    witness. UNDECIDED says that nothing could be shown. ERROR says that the claim is not well posed
    (undefined inside its region, contradictory hypotheses) or that the tool failed on it.
    """

    PROVED = "PROVED"
    CONSISTENT = "CONSISTENT"
    UNDECIDED = "UNDECIDED"
    REFUTED = "REFUTED"
    ERROR = "ERROR"

    @property
    def rank(self) -> int:
        """Position from strongest (0, PROVED) to weakest (4, ERROR)."""
        return list(Status).index(self)


def weakest(statuses: list[Status]) -> Status:
    """Status of a result with several parts: that of its weakest part.

    Raises ValueError when ``statuses`` is empty: nothing was checked, so nothing can be said.
    """
    return max(statuses, key=lambda status: status.rank)
