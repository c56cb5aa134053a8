"""How an attempt ends early: each exception carries the reason that the report shows."""

from __future__ import annotations

from bounds.errors import BoundsError


class NotProved(BoundsError):
    """The identity is not proved; the message says why."""


class Unsupported(NotProved):
    """An expression of a kind that the normal form does not know."""

    def __init__(self, what: str) -> None:
        super().__init__(f"unsupported: {what}")


class SideConditionError(NotProved):
    """A side condition (positive, nonzero, invertible) cannot be shown from the facts."""

    def __init__(self, what: str, condition: str) -> None:
        super().__init__(f"cannot show that {what} is {condition}")


class ContradictionError(NotProved):
    """The hypotheses imply 1 = 0."""

    def __init__(self) -> None:
        super().__init__("hypotheses are contradictory")


class WorkSpentError(NotProved):
    """The work budget is used up."""

    def __init__(self, budget: int) -> None:
        super().__init__(f"work budget of {budget} spent")
