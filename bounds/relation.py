"""The relations a claim can state between its two sides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bounds.quantity import Law, Sampler


class Relation(StrEnum):
    """How ``lhs`` and ``rhs`` are related; the sides are kept apart so nothing is folded away."""

    LE = "<="
    LT = "<"
    IDENTITY = "="
    IFF = "<=>"
    TAIL = "tail"
    LIMIT = "limit"


@dataclass(frozen=True)
class Tail:
    r"""A statement :math:`P(\mathrm{lhs} > \mathrm{rhs}) \le \mathrm{failure}`.

    ``failure`` is the probability allowed (usually :math:`\delta`). ``law`` gives the exact
    probability of failure on an instance where it is known; ``sampler`` draws the random
    symbol where it is not, and then the verdict is statistical.
    """

    failure: Any
    law: Law | None = None
    sampler: Sampler | None = None


@dataclass(frozen=True)
class Limit:
    r"""A statement :math:`\lim_{x \to \mathrm{point}} \mathrm{lhs} = \mathrm{rhs}`."""

    variable: Any
    point: Any
