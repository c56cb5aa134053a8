"""What differentiability needs, and whether other forms of a goal have values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.kernel import Budget, Proof
from proofs_check.recheck.presence import show_present
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import RULES
from proofs_check.recheck.sequent import Sequent, Side
from proofs_check.recheck.smoothness import conditions, show_kinks_apart, show_smooth

AROUND = Side(Fraction(-1), Fraction(1))
RANGE = {"rule": "range"}


def says(goal: str) -> Sequent:
    box = (("x", AROUND), ("y", AROUND))
    return Sequent(read_expression(goal), strict=False, box=box, defined=True)


def proof(*smooth: Any) -> Proof:
    return Proof({"smooth": list(smooth)}, RULES, Budget())


@pytest.mark.parametrize(
    ("goal", "needed"),
    [
        ("x**2 + exp(x)/y", []),
        ("sqrt(y) + log(y)*x", []),
        ("sqrt(x)", ["x"]),
        ("x**(2/3)", ["x"]),
        ("x**(5/3) + x**(-1/2)", []),
        ("x**y", ["x"]),
        ("y**x", ["y"]),
        ("cbrt(x)", ["x"]),
        ("asin(x) + acos(x)", ["1 - x**2"]),
        ("lambertw(x)", ["x + exp(-1)"]),
        ("besseli(1/2, x)", ["x"]),
        ("besseli(2, x)", []),
        ("abs(x) + max(x, y)", []),
    ],
)
def test_the_conditions_of_slopes(goal: str, needed: list[str]) -> None:
    found = [one.expression for one in conditions(read_expression(goal), "x")]
    assert [str(e) for e in found] == [str(read_expression(text)) for text in needed]


@pytest.mark.parametrize("goal", ["floor(x)", "sign(x)", "y*floor(exp(x))"])
def test_jumps_have_no_slopes(goal: str) -> None:
    with pytest.raises(Rejected):
        conditions(read_expression(goal), "x")
    assert conditions(read_expression(goal), "y") == []


def test_conditions_are_shown_by_ranges_or_proofs() -> None:
    show_smooth(read_expression("sqrt(x + 2)*abs(x)"), "x", says("x"), proof())
    show_smooth(read_expression("cbrt(x - 2)"), "x", says("x"), proof())
    with pytest.raises(Rejected):
        show_smooth(read_expression("sqrt(x)"), "x", says("x"), proof())
    with pytest.raises(Rejected):
        show_smooth(read_expression("cbrt(x)"), "x", says("x"), proof())


def test_a_root_needs_what_is_under_it_to_be_positive() -> None:
    entry = {"of": "x*y - 2", "positive": False, "proof": RANGE}
    region = says("x")
    # A range over x*y - 2 shows it to be negative: good for a cube root, bad for a square root.
    show_smooth(read_expression("cbrt(x*y - 2)"), "x", region, proof(entry))
    with pytest.raises(Rejected):
        show_smooth(read_expression("sqrt(x*y - 2)"), "x", region, proof(entry))
    with pytest.raises(Rejected):
        show_smooth(read_expression("sqrt(x)"), "x", region, proof({**entry, "of": "x"}))


@pytest.mark.parametrize(
    ("goal", "apart"),
    [
        ("abs(x - y)", True),
        ("abs(x**3 + x)", True),
        ("max(x, y, x)", False),  # max(x, y) - x is 0 where x >= y
        ("max(x, 2*x, y)", True),
        ("abs(x*y - y*x)", False),
        ("abs(y)*x", True),
        ("min(x, x*1)", False),
        ("abs(exp(x) + 1)", True),
    ],
)
def test_kinks_stand_apart(goal: str, apart: bool) -> None:
    if apart:
        show_kinks_apart(read_expression(goal), "x", says(goal))
        return
    with pytest.raises(Rejected):
        show_kinks_apart(read_expression(goal), "x", says(goal))


@pytest.mark.parametrize(
    ("goal", "form"),
    [
        ("log(x)", "log(x) + sqrt(x)"),
        ("log(x)", "1/x + x**y"),
        ("log(x + y - y)", "log(x)"),
        ("gamma(x + y - y)", "gamma(x)*y"),
        ("x", "sqrt(x + 1) + exp(y)/(3 - x)"),
        ("y/x", "x**(-2)"),
        ("x**y", "x**(y + 0)"),
    ],
)
def test_forms_with_values(goal: str, form: str) -> None:
    show_present(read_expression(form), says(goal))


@pytest.mark.parametrize(
    ("goal", "form"),
    [
        ("sqrt(x)", "log(x)"),
        ("sqrt(x)", "1/x"),
        ("1/x", "sqrt(x)"),
        ("gamma(x)", "log(x)"),
        ("gamma(x)", "gamma(y)"),
        ("loggamma(x)", "log(x)"),
        ("log(x)", "log(log(x))"),
        ("x**y", "log(x)"),  # 0^y is 0
        ("x**y", "x**x"),
        ("besseli(1/2, x)", "log(x)"),
        ("asin(x + 1)", "sqrt(x)"),
        ("x", "z"),
        ("x", "floor(z) + x"),
    ],
)
def test_forms_that_may_have_no_value(goal: str, form: str) -> None:
    with pytest.raises(Rejected):
        show_present(read_expression(form), says(goal))
