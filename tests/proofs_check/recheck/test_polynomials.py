"""The rules for polynomials accept what is true and reject forgeries."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from proofs_check.recheck.rules.polynomials import RULES
from proofs_check.recheck.sequent import Side

from .statements import accepted_polynomial as accepted

F = Fraction
UNIT = Side(F(0), F(1))
LINE = Side()
RIGHT = Side(F(0))
POSITIVE = Side(F(0), open_low=True)
NUMBER = {"rule": "number"}
TERMS = {"rule": "terms"}


def bernstein(*names: str, tree: Any = "c") -> dict[str, Any]:
    return {"rule": "bernstein", "variables": list(names), "tree": tree}


# --- numbers and terms ----------------------------------------------------------------------------
def test_numbers() -> None:
    assert accepted("x - x + 1", NUMBER, strict=True, x=LINE)
    assert accepted("x - x", NUMBER, x=LINE)
    assert not accepted("x - x", NUMBER, strict=True, x=LINE)
    assert not accepted("-1/10**30", NUMBER, x=LINE)
    assert not accepted("x", NUMBER, x=RIGHT)


def test_terms_need_even_powers_or_nonnegative_variables() -> None:
    assert accepted("x**2*y**4 + 2*x**6", TERMS, x=LINE, y=LINE)
    assert accepted("x**2*y + z", TERMS, x=LINE, y=RIGHT, z=Side(F(1), F(2)))
    assert not accepted("x**2*y", TERMS, x=LINE, y=Side(F(-1), F(1)))
    assert not accepted("x**2 - y**2", TERMS, x=LINE, y=LINE)


@pytest.mark.parametrize(
    ("side", "right"), [(POSITIVE, True), (RIGHT, False), (LINE, False), (Side(F(1)), True)]
)
def test_strict_terms_need_a_term_that_is_never_zero(side: Side, right: bool) -> None:
    assert accepted("x**2", TERMS, strict=True, x=side) == right


# --- Bernstein ------------------------------------------------------------------------------------
SPLIT = ["s", 0, "c", "c"]


def test_bernstein_trees() -> None:
    assert accepted("x**2 - x + 1/2", bernstein("x"), strict=False, x=UNIT)
    assert accepted("3*x**2 - 3*x + 1", bernstein("x", tree=SPLIT), strict=True, x=UNIT)
    assert not accepted("3*x**2 - 3*x + 1", bernstein("x"), x=UNIT)
    assert accepted("(3*x - 1)**2", bernstein("x", tree="u"), x=UNIT)
    assert not accepted("(3*x - 1)**2", bernstein("x", tree="u"), strict=True, x=UNIT)
    assert not accepted("(3*x - 1)**3", bernstein("x", tree="u"), x=UNIT)
    assert not accepted("(3*x - 1)**2 - 1/10**30", bernstein("x", tree="u"), x=UNIT)


def test_bernstein_on_half_lines() -> None:
    assert accepted("x - 1", bernstein("x"), x=Side(F(1)))
    assert accepted("-x - 1", bernstein("x"), x=Side(None, F(-1)))
    assert not accepted("x - 1", bernstein("x"), x=Side(F(1, 2)))
    assert not accepted("1000 - x", bernstein("x", tree="u"), x=RIGHT)
    assert not accepted("x**2", bernstein("x"), x=LINE)


def test_bernstein_ends() -> None:
    open_start = Side(F(0), F(1), open_low=True)
    assert accepted("x", bernstein("x"), strict=True, x=open_start)
    assert not accepted("x", bernstein("x"), strict=True, x=UNIT)
    assert not accepted("1 - x", bernstein("x"), strict=True, x=open_start)
    assert accepted("1 - x*y", bernstein("x", "y"), True, x=Side(F(0), F(1), False, True), y=UNIT)
    assert not accepted("1 - x*y", bernstein("x", "y"), True, x=UNIT, y=UNIT)
    # The middle belongs to both halves, and 0 to (-oo, 0].
    assert accepted("(2*x - 1)**2", bernstein("x", tree=SPLIT), x=UNIT)
    assert not accepted("(2*x - 1)**2", bernstein("x", tree=SPLIT), strict=True, x=UNIT)
    assert not accepted("-x", bernstein("x"), strict=True, x=Side(None, F(0)))
    assert accepted("-x", bernstein("x"), strict=True, x=Side(None, F(0), open_high=True))


def test_bernstein_faces() -> None:
    goal = "x + (2*y - 1)**2"
    assert accepted(goal, bernstein("x", "y", tree=["m", 0, 0, "u"]), x=UNIT, y=UNIT)
    assert not accepted(goal, bernstein("x", "y", tree=["m", 0, 1, "u"]), x=UNIT, y=UNIT)
    assert not accepted(goal, bernstein("x", "y", tree=["m", 1, 0, "u"]), x=UNIT, y=UNIT)
    bent = "(y**2 + 1)*x*(1 - x)"
    assert accepted(bent, bernstein("x", "y", tree=["k", 0, "u", "u"]), x=UNIT, y=UNIT)
    turned = "x**2 - x + (2*y - 1)**2"
    assert not accepted(turned, bernstein("x", "y", tree=["k", 0, "u", "u"]), x=UNIT, y=UNIT)
    assert not accepted(
        "(x**2 - x)*y", bernstein("x", "y", tree=["k", 0, "c", "c"]), x=UNIT, y=UNIT
    )
    # Both faces count: the second one is negative.
    tilted = "1 - 3*x**2 + (2*y - 1)**2"
    assert not accepted(tilted, bernstein("x", "y", tree=["k", 0, "u", "u"]), x=UNIT, y=UNIT)


@pytest.mark.parametrize(
    "tree",
    [
        *[None, "x", "cc", [], {}, ["s", 0, "c"], ["s", 1, "c", "c"], ["s", -1, "c", "c"]],
        *[["s", True, "c", "c"], ["s", "0", "c", "c"]],
        *[["m", 0, 2, "c"], ["m", 0, 0.0, "c"], ["m", 0, [], "c"]],
    ],
)
def test_malformed_trees(tree: Any) -> None:
    assert not accepted("x", bernstein("x", tree=tree), x=UNIT)


def test_a_tree_without_end_is_rejected() -> None:
    tree: Any = "c"
    for _ in range(200):
        tree = ["s", 0, tree, tree]
    assert not accepted("(3*x - 1)**2", bernstein("x", tree=tree), x=UNIT)


@pytest.mark.parametrize("names", [[], ["x"], ["x", "x"], ["x", "z"], ["x", 1], ["x", ["y"]]])
def test_bernstein_names_every_variable_once(names: list[Any]) -> None:
    proof = {"rule": "bernstein", "variables": names, "tree": "c"}
    assert not accepted("x + y", proof, x=UNIT, y=UNIT)


# --- factors, discriminants, squares, halves, orders ----------------------------------------------
def factor(of: str, power: Any, **more: Any) -> dict[str, Any]:
    return {"of": of, "power": power, **more}


def factors(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"rule": "polynomial factors", "factors": list(parts)}


def test_factors() -> None:
    plus = {"positive": True, "proof": bernstein("x")}
    minus = {"positive": False, "proof": bernstein("x")}
    square = factor("y - 2*x", 2)
    goal = "x*(y - 2*x)**2"
    assert accepted(goal, factors(factor("x", 1, **plus), square), x=RIGHT, y=LINE)
    assert accepted(
        "-" + goal, factors(factor("x", 1, **minus), square), x=Side(None, F(0)), y=LINE
    )
    assert not accepted(goal, factors(factor("x", 1), square), x=RIGHT, y=LINE)
    assert not accepted("-" + goal, factors(factor("x", 1, **plus), square), x=RIGHT, y=LINE)
    assert not accepted(goal, factors(factor("x", 1, **minus), square), x=RIGHT, y=LINE)
    assert not accepted(goal, factors(factor("x", 1, **plus)), x=RIGHT, y=LINE)
    assert not accepted(
        goal, factors(factor("x", 1, **plus), factor("y - 2*x", 1)), x=RIGHT, y=LINE
    )
    assert not accepted(
        goal + " - 1/10**30", factors(factor("x", 1, **plus), square), x=RIGHT, y=LINE
    )


def test_even_powers_of_negative_factors() -> None:
    left = Side(None, F(0), open_high=True)
    minus = factor("x", 2, positive=False, proof=bernstein("x"))
    assert accepted("x**2", factors(minus), strict=True, x=left)
    assert not accepted("-x**2", factors(minus), x=left)
    assert not accepted("x**2", factors(minus), strict=True, x=Side(None, F(0)))


def test_squares_alone_are_not_positive() -> None:
    assert accepted("(x - y)**2", factors(factor("x - y", 2)), x=LINE, y=LINE)
    assert not accepted("(x - y)**2", factors(factor("x - y", 2)), strict=True, x=LINE, y=LINE)
    assert not accepted("-(x - y)**2", factors(factor("x - y", 2)), x=LINE, y=LINE)


@pytest.mark.parametrize("power", [0, -2, 2.0, True, "2", None, 10**9])
def test_powers_of_factors_are_small_whole_numbers(power: Any) -> None:
    assert not accepted("x**2", factors(factor("x", power)), x=LINE)


def discriminant(name: str, *proofs: Any) -> dict[str, Any]:
    return {"rule": "discriminant", "variable": name, "proofs": list(proofs)}


def test_discriminants() -> None:
    assert accepted("x**2 + x*y + y**2", discriminant("x", NUMBER, TERMS, TERMS), x=LINE, y=LINE)
    assert not accepted(
        "x**2 + 3*x*y + y**2", discriminant("x", NUMBER, TERMS, TERMS), x=LINE, y=LINE
    )
    assert not accepted("-x**2 - 1", discriminant("x", NUMBER, NUMBER, NUMBER), x=LINE)
    assert not accepted("x**2 + 2*x + 1", discriminant("x", *3 * [NUMBER]), strict=True, x=LINE)
    assert not accepted("x + 1", discriminant("x", NUMBER, NUMBER, NUMBER), x=RIGHT)
    assert not accepted("x**2 + 1", discriminant("z", NUMBER, NUMBER, NUMBER), x=LINE)
    assert not accepted("x**2 + 1", discriminant("x", NUMBER, NUMBER), x=LINE)


def test_squares_as_variables() -> None:
    proof = {"rule": "squares", "variables": ["x"], "proof": bernstein("x", tree="u")}
    assert accepted("x**4 - 2*x**2 + 1", proof, x=LINE)
    assert not accepted("x**4 - 2*x**2 + 1", proof, strict=True, x=LINE)
    assert not accepted("x**3", proof, x=LINE)
    assert accepted("x**2", proof, strict=True, x=POSITIVE)
    assert not accepted("x**2", proof, strict=True, x=RIGHT)
    assert not accepted("x**2", proof, strict=True, x=Side(F(-1), F(1)))
    # On [-1, oo) the square runs from 0 too.
    assert not accepted("x**2 - 1", proof, x=Side(F(-1)))


def test_halves() -> None:
    both = {"rule": "halves", "variable": "x", "proofs": 2 * [bernstein("x", tree="u")]}
    assert accepted("x**2 + x + 1", both, strict=True, x=LINE)
    assert accepted("x**2 - x + 1", both, strict=True, x=LINE)
    assert not accepted("x**3 + 1", both, x=LINE)
    assert accepted("x**3 + 8", both, x=Side(F(-2)))
    assert not accepted("x**3 + 8", both, strict=True, x=Side(F(-2)))
    assert not accepted("x**3 + 7", both, x=Side(F(-2)))


ORDERED = {"rule": "ordered"}
TRIPLE = {"x": RIGHT, "y": RIGHT, "z": RIGHT}


def test_successive_differences() -> None:
    assert accepted("x**3 + y**3 + z**3 - 3*x*y*z", ORDERED, **TRIPLE)
    assert accepted("x**2 + 1 - 2*x", ORDERED, x=RIGHT)
    assert not accepted("x**3 + y**3 + z**3 - 3.0001*x*y*z", ORDERED, **TRIPLE)
    assert not accepted("x**3 + y**3 + z**3 - 3*x*y*z", ORDERED, strict=True, **TRIPLE)
    assert not accepted("x**2 + y**2 - 2*x*y", ORDERED, x=RIGHT, y=LINE)
    assert not accepted("y**2 - x**2", ORDERED, x=RIGHT, y=RIGHT)
    assert not accepted("x - 1", ORDERED, x=RIGHT)


# --- quotients ------------------------------------------------------------------------------------
def quotient(top: str, bottom: str, above: Any, below: Any) -> dict[str, Any]:
    return {
        "rule": "quotient",
        "top": top,
        "bottom": bottom,
        "top_proof": above,
        "bottom_proof": below,
    }


def test_quotients() -> None:
    below = bernstein("x")
    assert accepted("1/x", quotient("1", "x", NUMBER, below), x=POSITIVE)
    assert accepted("(x**2 - x)/x**2 + 1/x", quotient("1", "1", NUMBER, NUMBER), x=LINE)
    assert not accepted("1/x", quotient("1", "x", NUMBER, below), x=RIGHT)
    assert not accepted("1/x", quotient("1", "x", NUMBER, below), x=LINE)
    assert not accepted("1/x", quotient("-1", "-x", NUMBER, below), x=POSITIVE)
    assert not accepted("-1/x", quotient("1", "x", NUMBER, below), x=POSITIVE)
    assert not accepted("1/x - 1", quotient("1", "x", NUMBER, below), x=POSITIVE)
    assert not accepted("1/x", quotient("0", "0", NUMBER, below), x=POSITIVE)
    assert not accepted("1/x", NUMBER, x=POSITIVE)


@pytest.mark.parametrize("goal", ["exp(x)", "x**(1/2)", "pi", "x**x", "abs(x)", "0**(-1)", "y"])
@pytest.mark.parametrize("rule", sorted(RULES))
def test_other_goals_and_missing_data(goal: str, rule: str) -> None:
    assert not accepted(goal, {"rule": rule}, x=UNIT)


@pytest.mark.parametrize("rule", [None, 3, "no such rule", "", [], "gram\n"])
def test_unknown_rules_below(rule: Any) -> None:
    proof = {"rule": "squares", "variables": ["x"], "proof": {"rule": rule}}
    assert not accepted("x**2", proof, x=LINE)


# --- against values -------------------------------------------------------------------------------
SIDES = [UNIT, RIGHT, POSITIVE, Side(F(0), F(1), True, True), Side(None, F(1, 2)), Side(F(1), F(3))]


def some_tree(source: random.Random, depth: int = 3) -> Any:
    if depth == 0 or source.random() < 0.4:
        return source.choice("cu")
    kind, axis = source.choice("smmk"), source.randint(0, 1)
    first = source.randint(0, 1) if kind == "m" else some_tree(source, depth - 1)
    return [kind, axis, first, some_tree(source, depth - 1)]


@pytest.mark.parametrize("seed", range(3))
def test_no_tree_proves_what_values_refute(seed: int) -> None:
    source, count = random.Random(seed), 0
    for _ in range(400):
        coefficients = [source.choice([-2, -1, 0, 0, 1, 2, 3]) for _ in range(9)]
        x, y, strict = source.choice(SIDES), source.choice(SIDES), source.random() < 0.5
        goal = " + ".join(f"({c})*x**{k // 3}*y**{k % 3}" for k, c in enumerate(coefficients))
        if not accepted(goal, bernstein("x", "y", tree=some_tree(source)), strict, x=x, y=y):
            continue
        count += 1
        for _ in range(40):
            a, b = inside(x, source), inside(y, source)
            value = sum(c * a ** (k // 3) * b ** (k % 3) for k, c in enumerate(coefficients))
            assert value > 0 or (value == 0 and not strict), (goal, a, b)
    assert count > 3


def inside(side: Side, source: random.Random) -> Fraction:
    """A number in the side: often an end, or near one."""
    ends = [e for e in (side.low, side.high) if e is not None and side.contains(e)]
    if ends and source.random() < 0.3:
        return source.choice(ends)
    step = F(source.randint(1, 99), 100) ** source.randint(1, 3)
    if side.low is not None and side.high is not None:
        return side.low + step * (side.high - side.low)
    far = step / (1 - step)
    return side.low + far if side.low is not None else (side.high or F(0)) - far
