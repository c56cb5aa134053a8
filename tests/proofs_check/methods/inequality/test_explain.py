"""Certificates in words."""

import pytest

from proofs_check.inequalities import prove
from proofs_check.methods.inequality.explain import _TOLD, outline, steps
from proofs_check.recheck.registry import RULES


def test_every_rule_has_its_words():
    assert set(_TOLD) == set(RULES)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_rule_without_data_is_still_told(rule):
    lines = list(outline({"rule": rule, "proofs": [{"rule": "identity"}]}))
    assert lines
    assert all(line.strip() for line in lines)


def test_the_pieces_of_a_line_are_told_in_order():
    lines = steps(prove("log(1+x) <= x", "x > -1", margin=True))
    places = [i for i, line in enumerate(lines) if "To the right of -1" in line or "At 0" in line]
    assert len(places) == 2
    assert any("Beyond" in line and "to infinity" in line for line in lines)
    assert any("equality holds at x = 0" in line for line in lines)


def test_steps_below_steps_are_indented():
    lines = steps(prove("x*y <= 1/4", "x + y == 1"))
    assert any(line.startswith("- ") and "put it in" in line for line in lines)
    assert any(line.startswith("  - ") and "Sturm" in line for line in lines)


def test_a_deep_tree_is_cut():
    tree = {"rule": "identity"}
    for _ in range(60):
        tree = {"rule": "halves", "variable": "x", "proofs": [tree, {"rule": "identity"}]}
    lines = list(outline(tree))
    assert any(line.strip() == "..." for line in lines)
    assert len(lines) < 100
