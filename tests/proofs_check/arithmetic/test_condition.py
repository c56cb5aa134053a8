"""Conditions: their parts, their symbols, their text."""

from __future__ import annotations

from proofs_check.arithmetic.condition import comparisons, conjuncts, symbols
from proofs_check.arithmetic.grammar import parse_condition


def test_conjuncts_of_chains_and_brackets() -> None:
    condition = parse_condition("0 < x < 1 and (y < 1 or y > 2)")
    assert [str(part) for part in conjuncts(condition)] == ["0 < x", "x < 1", "(y < 1) or (2 < y)"]


def test_symbols_include_those_of_memberships_and_of_every_branch() -> None:
    condition = parse_condition("implies(n in Z and a < 1, not (b == c))")
    assert symbols(condition) == ("a", "b", "c", "n")


def test_comparisons() -> None:
    condition = parse_condition("implies(x < 1, not (y == 1)) or n in N")
    assert [str(part) for part in comparisons(condition)] == ["x < 1", "y == 1"]


def test_text_is_read_back() -> None:
    for text in ["x <= y", "x == 1", "x != 1", "n in N", "not (x < 1)", "implies(x < 1, y < 1)",
                 "(x < 1) or ((y < 1) and (n in Z))"]:  # fmt: skip
        assert str(parse_condition(text)) == text
