"""Expansions beside points and at infinity, with remainders enclosed on whole stretches.

A function of x = p + d/X (or x = d X) is written on X >= start as a sum of exact constants times
scales exp(sum c X^r (log X)^s) X^a (log X)^b, and a remainder: a ball times a scale
(:mod:`~proofs_check.recheck.expansion.germ`). Such an expansion exists only where the function has
a value at every point of the stretch, so that its sign is that of a defined function.
"""

from proofs_check.recheck.expansion.sides import holds_beside

__all__ = ["holds_beside"]
