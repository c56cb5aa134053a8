"""What the checker says when it does not accept."""

from __future__ import annotations


class Rejected(Exception):
    """A certificate that does not prove what it claims.

    ``where`` is the path through the tree of rules, outermost first; the message says at which rule
    and why.
    """

    def __init__(self, reason: str, where: tuple[str, ...] = ()) -> None:
        self.reason, self.where = reason, where
        super().__init__(reason)

    def __str__(self) -> str:
        place = " > ".join(self.where)
        return f"{place}: {self.reason}" if place else self.reason

    def inside(self, rule: str) -> Rejected:
        """The same, seen from the rule around."""
        return Rejected(self.reason, (rule, *self.where))
