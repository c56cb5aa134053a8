"""Numbers and sides as certificates write them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.sequent import Side

_LONGEST_NUMBER = 20_000


def fraction(text: Any) -> Fraction:
    """A rational number given as text ``p/q``.

    Raises:
        Rejected: it is none, or too long.
    """
    if not isinstance(text, str) or len(text) > _LONGEST_NUMBER:
        raise Rejected("a number must be a text p/q")
    digits = text.removeprefix("-")
    top, slash, bottom = digits.partition("/")
    if not (top.isascii() and top.isdigit()) or (slash and not _positive(bottom)):
        raise Rejected("a number must be a text p/q")
    try:
        found = Fraction(int(top), int(bottom) if slash else 1)
    except ValueError:
        raise Rejected("a number is too long") from None
    return -found if text.startswith("-") else found


def _positive(digits: str) -> bool:
    return digits.isascii() and digits.isdigit() and bool(digits.strip("0"))


def side_of(data: Any) -> Side:
    """A side from [low, high, open_low, open_high]; ends are texts or null.

    Raises:
        Rejected: it is none.
    """
    if not isinstance(data, list) or len(data) != 4 or not all(type(o) is bool for o in data[2:]):
        raise Rejected("a side must be [low, high, open_low, open_high]")
    low, high = (None if end is None else fraction(end) for end in data[:2])
    return Side(low, high, data[2], data[3])
