"""Binomial coefficients written out agree with those of Python."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from proofs_check.arithmetic.exact_value import exact_value
from proofs_check.arithmetic.expand import expanded
from proofs_check.arithmetic.grammar import parse_expression


@pytest.mark.parametrize("lower", [0, 1, 2, 5, 40])
def test_values(lower: int) -> None:
    tree = expanded(parse_expression(f"1 + binomial(n, {lower})"))
    assert all(part.op != "binomial" for part in tree.nodes())
    for n in (0, 1, 3, 41):
        assert exact_value(tree, {"n": Fraction(n)}) == 1 + comb(n, lower)


@pytest.mark.parametrize("text", ["binomial(n, k)", "binomial(n, 1/2)", "binomial(n, -1)"])
def test_others_stay(text: str) -> None:
    tree = parse_expression(text)
    assert expanded(tree) is tree
