"""Prime powers of rational numbers, as far as they are cheap to find, and powers of balls."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb, fmpz

Ball = Any


@lru_cache(maxsize=1024)
def _factored(n: int) -> tuple[tuple[int, int], ...]:
    """Prime powers of n > 0; a cofactor too large to split stands as if it were prime."""
    found = []
    for p in (*range(2, 60), 61, 67, 71, 73, 79, 83, 89, 97):
        count = 0
        while n % p == 0:
            n //= p
            count += 1
        if count:
            found.append((p, count))
    if 1 < n < 10**30:
        found += [(int(p), int(k)) for p, k in fmpz(n).factor()]
    elif n > 1:
        found.append((n, 1))
    return tuple(found)


def rational_powers(value: Fraction) -> dict[int, int]:
    """Prime -> exponent of a positive rational; large cofactors stand as they are."""
    powers = dict(_factored(value.numerator))
    for p, k in _factored(value.denominator):
        powers[p] = powers.get(p, 0) - k
    return powers


def whole_power(base: Ball, exponent: int) -> Ball:
    """base^exponent by products: Arb's own power gives nothing on balls round 0 or below."""
    if exponent < 0:
        return 1 / whole_power(base, -exponent)
    result = arb(1)
    while exponent:
        if exponent & 1:
            result *= base
        base = base * base
        exponent >>= 1
    return result
