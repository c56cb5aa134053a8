from __future__ import annotations

from fractions import Fraction

import pytest

from proofs_check.recheck.balls import Program, finite
from proofs_check.recheck.definedness import implied, obligations, unshown
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Side

LINE, POSITIVE = Side(), Side(Fraction(0), None, open_low=True)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x**2+exp(x)", []),
        ("log(x)", ["x > 0"]),
        ("sqrt(x)", ["x >= 0"]),
        ("x**(-1/2)", ["x > 0"]),
        ("1/sqrt(x)", ["x >= 0", "x > 0"]),
        ("1/x", ["x != 0"]),
        ("x**0", ["x != 0"]),
        ("1/(x*y**2)", ["x != 0", "y != 0"]),
        ("1/exp(x)", []),
        ("x**y", ["x > 0"]),
        ("x**sqrt(2)", ["x >= 0"]),
        ("x**(1-sqrt(2))", ["x > 0"]),
        ("1/0", ["0 != 0"]),
        ("log(0)", ["0 > 0"]),
        ("gamma(x)+binomial(x,y)", ["x > 0", "(x + 1) > 0", "(y + 1) > 0",
                                    "(x + (-1 * y) + 1) > 0"]),
        ("tan(x)", ["cos(x) != 0"]),
        ("asin(x)", ["((-1 * x) + 1) >= 0", "(x + 1) >= 0"]),
        ("besseli(2,x)", []),
        ("besseli(1/2,x)", ["x > 0"]),
        ("log(log(x))", ["x > 0", "log(x) > 0"]),
        ("cbrt(x)+abs(x)+floor(x)+max(x,y)", []),
    ],
)  # fmt: skip
def test_obligations_inner_ones_first(text: str, wanted: list[str]) -> None:
    assert list(map(str, obligations(read_expression(text)))) == wanted


def test_ranges_show_the_easy_ones() -> None:
    def shown(text: str, side: Side) -> bool:
        return not unshown(read_expression(text), {"x": side})

    assert shown("log(1+x)/sqrt(1+x**2)", Side(Fraction(-1), None, open_low=True))
    assert shown("asin(x)", Side(Fraction(-1), Fraction(1)))
    assert shown("1/sin(x)", Side(Fraction(0), Fraction(3), open_low=True))
    assert not shown("log(1+x)", Side(Fraction(-1)))
    assert not shown("1/sin(x)", Side(Fraction(0), Fraction(22, 7), open_low=True))
    assert not shown("sqrt(log(x))", POSITIVE)
    assert not shown("log(x-x)", LINE)
    (left,) = unshown(read_expression("log(x)+sqrt(x**2-x+1)"), {"x": POSITIVE})
    assert str(left).endswith(">= 0")


def test_conditions_that_are_not_necessary_are_not_implied() -> None:
    for text in ("gamma(x)", "digamma(x)", "binomial(x,y)", "x**y"):
        assert not implied(read_expression(text))
    assert any(str(one) == "x > 0" for one in implied(read_expression("log(x)")))


@pytest.mark.parametrize(
    "text",
    ["cos(asin(x))", "atan(1/(x-1))", "exp(-1/(x-1)**2)", "tanh(log(x-1))", "min(1/(x-1),3)",
     "sign(log(x-3))", "floor(sqrt(x-3))", "erf(1/(1-x))", "1/(1/(x-1))", "max(3,log(x-4))"],
)  # fmt: skip
def test_a_strict_enclosure_is_finite_only_where_there_is_a_value(text: str) -> None:
    expression = read_expression(text)
    box = {"x": (Fraction(1), Fraction(2))}
    assert not finite(Program([expression]).run(box)[0])
