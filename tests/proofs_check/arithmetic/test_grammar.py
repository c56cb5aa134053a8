"""The grammar: what is read, what is refused with its place, and that nothing is executed."""

from __future__ import annotations

import warnings
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.condition import Combination, Comparison, Membership
from proofs_check.arithmetic.grammar import GrammarError, parse_condition, parse_expression
from proofs_check.arithmetic.tree import Node, call, number, symbol

X, Y = symbol("x"), symbol("y")


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3)), ("2.50", Fraction(5, 2)), ("-7", -7),
     ("1e3", 1000), ("1.5E-2", Fraction(3, 200)), (".5", Fraction(1, 2)), ("5.", 5)],
)  # fmt: skip
def test_numbers_are_exact(text: str, value: Fraction) -> None:
    assert parse_expression(text) == number(value)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x - y + 1", Node("+", (X, -Y, number(1)))),
        ("x*y*2", Node("*", (X, Y, number(2)))),
        ("x/y/2", (X / Y) / number(2)),
        ("-x**2", -(X ** number(2))),
        ("x**y**x", X ** (Y**X)),
        ("x**(1/3)", X ** number(Fraction(1, 3))),
        ("x**-2", X ** number(-2)),
        ("Abs(x) + ln(y)", call("abs", X) + call("log", Y)),
        ("log2(x)", call("log", X) / call("log", number(2))),
        ("x/x", X / X),
        ("gamma + gamma(x)", symbol("gamma") + call("gamma", X)),
        ("Max(x, y, 1)", call("max", X, Y, number(1))),
    ],
)
def test_trees(text: str, tree: Node) -> None:
    assert parse_expression(text) == tree


def test_conditions() -> None:
    assert parse_condition("x >= y") == Comparison("<=", Y, X)
    chain = parse_condition("0 < x <= 1 and n in N")
    assert isinstance(chain, Combination)
    assert chain.parts[1] == Membership("n", "N")
    assert parse_condition("implies(x < 1, not (y < 1))").word == "implies"


@pytest.mark.parametrize(
    ("text", "column", "part"),
    [
        ("x^2", 1, "write ** for powers"),
        ("2x + 1", 1, "write 2*x"),
        ("1 + f(x)", 5, "unknown function f"),
        ("x + exp", 5, "needs an argument"),
        ("exp(x, y)", 1, "takes 1"),
        ("x ≤ 1", 3, "write <="),
        ("x + 'a'", 5, "unknown"),
        ("x[0]", 2, "unknown"),
        ("x.real", 1, "Attribute"),
        (") + x", 1, "not an expression"),
        ("", 1, "nothing is written"),
        ("lambda: x", 7, "unknown"),
        ("x if y else z", 1, "IfExp"),
        ("True", 1, "not a number"),
        ("x**100000", 1, "exponent beyond"),
        ("2**(10**10)", 1, "exponent beyond"),
        ("1e99999", 1, "not a number"),
        ("0x1F", 1, "no number"),
        ("1_000", 1, "no number"),
        ("9" * 500, 1, "more than 400 characters"),
    ],
)
def test_refusals_name_place_and_remedy(text: str, column: int, part: str) -> None:
    with pytest.raises(GrammarError, match=r"column \d+") as error:
        parse_expression(text)
    assert error.value.column == column
    assert part in error.value.cause


@pytest.mark.parametrize(
    "text", ["x", "x < 1 < ", "(x < 1) < 2", "x in R", "1 in N", "x not in N", "x is y", "x = 1",
             "x < 1 or", "implies(x < 1)", "not x"]
)  # fmt: skip
def test_conditions_refused(text: str) -> None:
    with pytest.raises(GrammarError):
        parse_condition(text)


@pytest.mark.parametrize(
    "text",
    ["+".join(["x"] * 10_000), "*".join(["x"] * 9_000), "-" * 5_000 + "x", "(" * 5_000 + "x",
     "(" * 150 + "x" + ")" * 150, "/".join(["x"] * 500), "**".join(["x"] * 500),
     "exp(" * 130 + "x" + ")" * 130, "x" * 30_000, "x\x00", "max(" + ",".join("x" * 6000) + ")"],
)  # fmt: skip
def test_monsters_are_refused_at_once(text: str) -> None:
    with pytest.raises(GrammarError):
        parse_expression(text)


def test_long_sums_are_read() -> None:
    assert len(parse_expression("+".join(["x"] * 2_000)).args) == 2_000


@pytest.mark.parametrize(
    "text", ["__import__('os').system('x')", "exec('1')", "open('x')", "x.__class__", "(x := 1)",
             "[y for y in x]", "f'{x}'", "x; y", "max(*x)", "exp(x=1)", "().a", "print(x)"]
)  # fmt: skip
def test_nothing_is_executed(text: str) -> None:
    with pytest.raises(GrammarError):
        parse_expression(text)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="xyn0123456789.+-*/()<=>!, eEpi^'[]{}:_logsqrtexpandin", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for parse in (parse_expression, parse_condition):
            try:
                found = parse(text)
            except GrammarError:
                continue
            assert parse(str(found)) == found
