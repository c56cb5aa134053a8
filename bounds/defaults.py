"""Instances for a claim that names none: arrays and points for its free symbols."""

from __future__ import annotations

from sympy import MatrixSymbol, Symbol

from bounds.arrays import Arrays
from bounds.claim import Claim
from bounds.points import Range

DEFAULT_COUNT = 200


def default_instances(claim: Claim) -> Arrays:
    """Exact values for every free symbol that no quantity computes: whole dimensions, any scalar.

    Values that violate a hypothesis are passed over, so this serves claims whose region is not
    thin; a claim with an equality among its hypotheses needs instances of its own.
    """
    symbols = claim.free_symbols
    computed = {quantity.symbol for quantity in claim.quantities}
    matrices = sorted((s for s in symbols - computed if isinstance(s, MatrixSymbol)), key=str)
    sizes = {d for matrix in matrices for d in matrix.shape}
    scalars = sorted((s for s in symbols - computed - sizes if isinstance(s, Symbol)), key=str)
    return Arrays(
        tuple(matrices),
        ranges=tuple((s.name, Range()) for s in scalars),
        count=DEFAULT_COUNT,
    )
