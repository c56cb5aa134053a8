"""Trees: structure, size, text and back."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.exact_value import exact_value
from proofs_check.arithmetic.grammar import parse_condition, parse_expression
from proofs_check.arithmetic.tree import ONE, ZERO, Node, call, literal, number, symbol

DATA = Path(__file__).parents[2] / "data" / "inequalities.json"
X, Y = symbol("x"), symbol("y")
LEAVES = st.sampled_from([X, Y, Node("pi"), Node("e")]) | st.fractions(
    min_value=-9, max_value=9, max_denominator=9
).map(number)


def _extended(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.tuples(st.sampled_from(["+", "*", "max"]), several).map(lambda made: Node(*made)),
        st.tuples(inner, inner).map(lambda pair: pair[0] / pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] ** pair[1]),
        inner.map(lambda node: -node),
        inner.map(lambda node: call("exp", node)),
    )


@settings(max_examples=200, deadline=None)
@given(st.recursive(LEAVES, _extended, max_leaves=10))
def test_text_is_read_back_to_the_same_text_and_value(node: Node) -> None:
    read = parse_expression(str(node))
    assert parse_expression(str(read)) == read
    point = {"x": Fraction(2, 3), "y": Fraction(-5, 4)}
    value = exact_value(node, point)
    if value is not None and exact_value(read, point) is not None:
        assert exact_value(read, point) == value


def test_benchmark_relations_survive_text() -> None:
    for problem in json.loads(DATA.read_text(encoding="utf-8")):
        relation = parse_condition(problem["claim"])
        assert parse_condition(str(relation)) == relation


def test_nothing_is_folded_away() -> None:
    assert X / X != ONE
    assert X - X != ZERO
    assert (X**ZERO).op == "^"


def test_nodes_come_arguments_first_and_once() -> None:
    node = call("exp", X * Y) + call("exp", X * Y)
    order = list(node.nodes())
    assert order.count(X * Y) == 1
    assert order.index(X) < order.index(X * Y) < order.index(node)


def test_replaced_shares_what_does_not_change() -> None:
    node = call("exp", X) + Y
    assert node.replaced({"y": ONE}).args[0] is node.args[0]
    assert node.replaced({"x": Y}).symbols() == ("y",)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 + 2*3", 7), ("2**10", 1024), ("2**-2", Fraction(1, 4)), ("-(1/2 - 1)", Fraction(1, 2)),
     ("0**0", None), ("1/0", None), ("0**-1", None), ("x", None), ("exp(0)", None),
     ("2**(1/2)", None), ("(((2**4000)**4000)**4000)", None)],
)  # fmt: skip
def test_literal(text: str, value: Fraction | None) -> None:
    assert literal(parse_expression(text)) == value


def test_deep_and_shared_trees_stay_cheap() -> None:
    node = X
    for _ in range(60):
        node = node * node + node  # 3^60 nodes when written out
    assert len(list(node.nodes())) == 121
    assert node.symbols() == ("x",)
    assert literal(node) is None
