"""Goals by their form: either, branch, cases, rewrite, factors, unrooted, expanded, abstracted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Fact, Sequent, Side

RANGE, IDENTITY, CONSTANT = {"rule": "range"}, {"rule": "identity"}, {"rule": "constant"}
LINE = {"rule": "univariate polynomial"}
UNIT = Side(Fraction(0), Fraction(1))
AROUND = Side(Fraction(-1), Fraction(1))


def says(
    goal: str, *facts: str, strict: bool = False, defined: bool = True, **box: Side
) -> Sequent:
    """goal >= 0 on a box under facts >= 0, known to have a value."""
    met = tuple(Fact(read_expression(fact), strict=False) for fact in facts)
    return Sequent(read_expression(goal), strict, tuple(box.items()), met, defined=defined)


def refuses(sequent: Sequent, proof: Mapping[str, Any]) -> None:
    with pytest.raises(Rejected):
        check(sequent, proof)


# --- either, branch, cases ----------------------------------------------------------------------
def either(node: str, *proofs: Any) -> dict[str, Any]:
    return {"rule": "either", "node": node, "proofs": list(proofs)}


def branch(node: str, test: Any, proof: Any, *, first: bool = True) -> dict[str, Any]:
    return {"rule": "branch", "node": node, "first": first, "test": test, "proof": proof}


def cases(node: str, *proofs: Any) -> dict[str, Any]:
    return {"rule": "cases", "node": node, "proofs": list(proofs)}


def test_either_asks_for_every_alternative() -> None:
    check(says("2 - abs(x)", x=AROUND), either("abs(x)", RANGE, RANGE))
    check(says("max(x, 1 - x, 2)", x=UNIT), either("max(x, 1 - x, 2)", RANGE, RANGE, RANGE))
    nested = either("max(x, 2)", RANGE, RANGE), either("max(1 - x, 2)", RANGE, RANGE)
    check(says("max(x, 1 - x, 2)", x=UNIT), either("max(x, 1 - x, 2)", *nested))
    refuses(says("abs(x) - x - 1/2", x=UNIT), either("abs(x)", RANGE, RANGE))
    refuses(says("2 - abs(x)", x=AROUND), either("abs(x)", RANGE))
    refuses(says("2 - abs(x)", x=AROUND), either("abs(x)", RANGE, RANGE, RANGE))
    # The maximum of three: two of them are not enough.
    refuses(says("2 - max(x, 1 - x, 3)", x=UNIT), either("max(x, 1 - x, 3)", RANGE, RANGE))


def test_the_part_must_be_one_of_the_goal() -> None:
    refuses(says("x", x=UNIT), either("abs(x)", RANGE, RANGE))
    refuses(says("abs(x) + abs(1 - x)", x=UNIT), either("abs(2*x)", RANGE, RANGE))
    refuses(says("1 - exp(x)", x=UNIT), either("exp(x)", RANGE))
    refuses(says("1 - exp(x)", x=UNIT), branch("exp(x)", RANGE, RANGE))
    check(
        says("3 - abs(x) - abs(1 - x)", x=UNIT),
        either("abs(x)", *[either("abs(1 - x)", RANGE, RANGE)] * 2),
    )
    # Another writing of the only part: its alternatives are read off the goal.
    check(says("2 - abs(x + x - x)", x=AROUND), either("abs(x)", RANGE, RANGE))
    refuses(says("1/2 - abs(x + x)", x=AROUND), either("abs(0)", RANGE, RANGE))


def test_branch_needs_its_test() -> None:
    check(says("abs(x)", x=UNIT), branch("abs(x)", RANGE, RANGE))
    check(says("abs(x - 2)", x=UNIT), branch("abs(x - 2)", RANGE, RANGE, first=False))
    check(says("min(x, 2) - x", x=UNIT), branch("min(x, 2)", RANGE, IDENTITY, first=False))
    check(says("max(x, 2) - 2", x=UNIT), branch("max(x, 2)", RANGE, IDENTITY, first=False))
    refuses(says("abs(x) - x", x=AROUND), branch("abs(x)", RANGE, IDENTITY))
    refuses(says("min(x, 1/2) - x", x=UNIT), branch("min(x, 1/2)", RANGE, IDENTITY))
    refuses(says("min(x, 1/2) - x", x=UNIT), branch("min(x, 1/2)", RANGE, IDENTITY, first=False))
    refuses(says("min(x, 2) - 2", x=UNIT), branch("min(x, 2)", RANGE, IDENTITY))
    refuses(says("abs(x)", x=UNIT), branch("abs(x)", RANGE, RANGE) | {"first": 1})


def test_cases_cut_the_region() -> None:
    check(says("abs(x)", x=AROUND), cases("abs(x)", RANGE, RANGE))
    check(says("max(x, y) - x", x=UNIT, y=UNIT), cases("max(x, y)", IDENTITY, {
        "rule": "farkas", "multipliers": [["y - x", "1"]]
    }))  # fmt: skip
    check(says("x - min(x, y)", x=UNIT, y=UNIT), cases("min(x, y)", {
        "rule": "farkas", "multipliers": [["x - y", "1"]]
    }, IDENTITY))  # fmt: skip
    # The facts of the one case do not help in the other.
    refuses(says("x", x=AROUND), cases("abs(x)", RANGE, RANGE))
    refuses(says("x + 0*abs(x)", x=AROUND), cases("abs(x)", RANGE, RANGE))
    refuses(says("max(x, y) - x - 1/9", x=UNIT, y=UNIT), cases("max(x, y)", RANGE, RANGE))


# --- rewrite ------------------------------------------------------------------------------------
def rewrite(goal: str, proof: Any = RANGE) -> dict[str, Any]:
    return {"rule": "rewrite", "goal": goal, "proof": proof}


def test_a_goal_may_be_written_in_another_way() -> None:
    check(says("x + y - x", x=AROUND, y=UNIT), rewrite("y"))
    refuses(says("x + y - x", x=UNIT, y=AROUND), rewrite("y"))
    refuses(says("y", x=UNIT, y=AROUND), rewrite("y"))
    check(says("log(x*y) - log(x)", x=Side(Fraction(1)), y=Side(Fraction(1))), rewrite("log(y)"))
    check(says("log(x + y - x)", x=UNIT, y=Side(Fraction(1))), rewrite("log(y)"))
    check(says("loggamma(x + y - x)*0 + x", x=UNIT, y=UNIT), rewrite("x + 0*loggamma(y)"))


@pytest.mark.parametrize(
    ("goal", "other"),
    [
        ("x**2", "x**2 + 1"),
        ("x**2", "x**2 + 10**(-30)"),
        ("x**2", "sqrt(x)**4"),  # no value where x < 0
        ("x**2", "exp(log(x))**2"),
        ("x**2", "x**2*y**2/y**2"),
        ("x**2", "x**2 + 0*log(y)**2"),
        ("x**2", "x**2 + 0*gamma(x)"),
        ("gamma(x)**2*0 + x**2", "x**2 + 0*log(x)**2"),  # gamma has values beyond x > 0
        ("sqrt(x)*0 + x**2", "x**2 + 0*log(x)**2"),
        ("x**2", "x**2 + 0*z**2"),
        ("x**2", "x**2 +"),
    ],
)
def test_forms_that_are_not_the_goal_everywhere_are_rejected(goal: str, other: str) -> None:
    check(says(goal, x=AROUND, y=AROUND), RANGE)
    refuses(says(goal, x=AROUND, y=AROUND), rewrite(other))


# --- factors ------------------------------------------------------------------------------------
def factors(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"rule": "factors", "factors": list(parts), **more}


def test_products_of_known_signs() -> None:
    goal = says("x*(x - 2)*(1 - exp(x))", x=UNIT)
    below = [["x", 1, "+", RANGE], ["x - 2", 1, "-", RANGE], ["1 - exp(x)", 1, "-", RANGE]]
    check(goal, factors(*below))
    check(says("2*x**3/(1 + x)", x=UNIT), factors(
        ["x", 3, "+", RANGE], ["1 + x", -1, "+", RANGE], constant="2"
    ))  # fmt: skip
    check(says("(x - y)**2*exp(x)", x=AROUND, y=AROUND), factors(
        ["x - y", 2, "square"], ["exp(x)", 1, "+", RANGE]
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "parts", "more"),
    [
        ("-x", [["x", 1, "+", RANGE]], {"constant": "-1"}),
        ("-x", [["x", 1, "+", RANGE]], {"constant": "1"}),
        ("x - 2", [["x - 2", 1, "-", RANGE]], {}),  # one negative factor
        ("x*(x - 2)", [["x", 1, "+", RANGE], ["x - 2", 1, "+", RANGE]], {}),
        ("x", [["x", 1, "square"]], {}),
        ("x**3", [["x", 3, "square"]], {}),
        ("x**2", [["x", 2, "cube"]], {}),
        ("-x", [["-x", 1, "cube", RANGE]], {}),
        ("x", [["x", True, "+", RANGE]], {}),
        ("x", [["x", 1.0, "+", RANGE]], {}),
        ("x", [["x", 1, "+"]], {}),
        ("x", [["x", 10**9, "+", RANGE]], {}),
        ("x", [["x", 1, "+", RANGE]], {"constant": "y"}),
        ("x", ["x"], {}),
        ("x", [[["x"], 1, "+", RANGE]], {}),
        ("x - 1/2", [["x - 1/2", 1, "+", IDENTITY]], {}),
        ("x", [["x*y", 1, "+", RANGE], ["y", -1, "+", RANGE]], {}),  # no value at y = 0
        ("0*x - 1", [["-1", 1, "+", CONSTANT]], {}),
    ],
)
def test_wrong_factors_are_rejected(goal: str, parts: list[Any], more: dict[str, Any]) -> None:
    refuses(says(goal, x=UNIT, y=UNIT), factors(*parts, **more))


def test_strict_products_need_strict_factors() -> None:
    refuses(says("x**2", strict=True, x=UNIT), factors(["x", 2, "square"]))
    refuses(says("x*y", strict=True, x=UNIT, y=UNIT), factors(
        ["x", 1, "+", RANGE], ["y", 1, "+", RANGE]
    ))  # fmt: skip
    check(says("(x - 2)**2", strict=True, x=UNIT), factors(["x - 2", 2, "-", RANGE]))


# --- unrooted -----------------------------------------------------------------------------------
def unrooted(rest: str, factor: str, radicand: str, *proofs: Any, **more: Any) -> dict[str, Any]:
    data = {"rest": rest, "factor": factor, "radicand": radicand, "bottom": "1", "root": False}
    return {"rule": "unrooted", **data, "positive": CONSTANT, "proofs": list(proofs), **more}


def test_a_root_taken_apart() -> None:
    short = rewrite("x**2/4")
    goal = says("1 + x/2 - sqrt(1 + x)", x=UNIT)
    check(goal, unrooted("1 + x/2", "-1", "1 + x", short, CONSTANT, RANGE))
    other = says("sqrt(1 + x) - 1", x=UNIT)
    check(other, unrooted("-1", "1", "1 + x", rewrite("x"), CONSTANT, root=True))


def test_wrong_roots_are_rejected() -> None:
    false = says("1 + x/3 - sqrt(1 + x)", x=UNIT)
    for first in (RANGE, LINE, IDENTITY):
        refuses(false, unrooted("1 + x/3", "-1", "1 + x", first, CONSTANT, RANGE))
        refuses(false, unrooted("1 + x/3", "-1", "1 + x", first, CONSTANT, root=True))
    # P^2 >= Q^2 R is not enough when P < 0.
    negative = says("-2 - sqrt(1 + x)", x=UNIT)
    refuses(negative, unrooted("-2", "-1", "1 + x", LINE, CONSTANT, CONSTANT))
    refuses(negative, unrooted("-2", "-1", "1 + x", LINE, CONSTANT))
    # Q^2 R >= P^2 is not enough when Q < 0.
    refuses(
        says("1/2 - sqrt(1 + x)", x=UNIT), unrooted("1/2", "-1", "1 + x", LINE, CONSTANT, root=True)
    )
    # The bottom must be > 0.
    turned = says("(1 + x/2 - sqrt(1 + x))/(-1)", x=UNIT)
    proof = unrooted("1 + x/2", "-1", "1 + x", rewrite("x**2/4"), CONSTANT, RANGE)
    refuses(turned, proof | {"bottom": "-1"})
    refuses(turned, proof)
    refuses(says("1 + x/2 - sqrt(1 + x)", strict=True, x=UNIT), proof)
    refuses(says("1 + x/2 - sqrt(1 + x)", x=UNIT), proof | {"root": None})
    # The form must have a value wherever the goal has one.
    refuses(says("x", x=AROUND), unrooted("x", "0", "x", RANGE, CONSTANT, RANGE))
    refuses(says("x", x=AROUND), unrooted("sqrt(x)**2", "0", "1", RANGE, CONSTANT, RANGE))


# --- expanded -----------------------------------------------------------------------------------
def expanded(start: str, coefficients: list[str], *proofs: Any, **more: Any) -> dict[str, Any]:
    data = {"atom": "exp(x)", "start": start, "coefficients": coefficients, "bottom": "1"}
    return {"rule": "expanded", **data, "positive": CONSTANT, "proofs": list(proofs), **more}


def test_an_expansion_with_coefficients_of_one_sign() -> None:
    goal = says("exp(2*x) - exp(x)", x=UNIT)
    check(goal, expanded("1", ["0", "1", "1"], CONSTANT, CONSTANT, CONSTANT))
    for wrong in (
        expanded("2", ["2", "3", "1"], CONSTANT, CONSTANT, CONSTANT),  # exp(x) may be < 2
        expanded("1", ["0", "1", "2"], CONSTANT, CONSTANT, CONSTANT),
        expanded("0", ["0", "-1", "1"], CONSTANT, CONSTANT, CONSTANT),
        expanded("1", ["0", "1", "1"], CONSTANT, CONSTANT),
        expanded("1", [], []),
        expanded("1", ["0", "-1", "-1"], *[CONSTANT] * 3, bottom="-1"),
        expanded("one", ["0", "1", "1"], *[CONSTANT] * 3),
        expanded("1", ["0", "1 + 0*log(x - 2)", "1"], CONSTANT, RANGE, CONSTANT),
    ):
        refuses(goal, wrong)
    turned = expanded("1", ["0", "1", "1"], *[CONSTANT] * 3, bottom="-1")
    refuses(says("exp(x) - exp(2*x)", x=UNIT), turned)
    refuses(replace(goal, strict=True), expanded("1", ["0", "1", "1"], *[CONSTANT] * 3))
    refuses(says("0*x", strict=True, x=UNIT), expanded("1", []))
    refuses(says("0*x", strict=True, x=UNIT), expanded("1", ["0"], CONSTANT))


# --- abstracted ---------------------------------------------------------------------------------
def abstracted(inner: str, side: list[Any], proof: Any = RANGE) -> dict[str, Any]:
    return {"rule": "abstracted", "name": "x", "inner": inner, "side": side, "proof": proof}


def test_a_function_as_a_new_variable() -> None:
    goal = says("exp(x)**2 - 2*exp(x) + 1", x=AROUND)
    check(goal, abstracted("exp(x)", ["1/4", "3", False, False], LINE))
    check(says("exp(x) - 1", x=UNIT), abstracted("exp(x)", ["1", None, False, False]))
    check(says("exp(x) - 1", strict=True, x=Side(Fraction(0), None, True)), abstracted(
        "exp(x)", ["1", None, True, False]
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("inner", "side"),
    [
        ("exp(x)", ["1", "2", False, False]),  # exp(1) > 2
        ("exp(x)", ["1", "3", True, False]),  # 1 is a value
        ("exp(x)", ["3/2", "3", False, False]),
        ("exp(x)", [1, 3, False, False]),
        ("exp(x)", ["1", "3", False]),
        ("exp(x)*y", ["1", "3", False, False]),
        ("x**2", ["0", "1", False, False]),
        ("1", ["1", "3", False, False]),
    ],
)
def test_wrong_ranges_of_the_new_variable_are_rejected(inner: str, side: list[Any]) -> None:
    refuses(says("exp(x) - 1", x=UNIT, y=UNIT), abstracted(inner, side))


def test_the_old_variable_must_be_gone() -> None:
    refuses(says("exp(x) - 1 - x", x=UNIT), abstracted("exp(x)", ["1", "3", False, False]))
    # exp(x) + x with u = exp(x) named x must not become 2*x, nor facts speak of the new variable
    refuses(says("exp(x) + x - 2", x=UNIT), abstracted("exp(x)", ["1", "3", False, False], LINE))
    fact = says("3/2 - exp(x)", "3/2 - 2*x", x=UNIT)
    refuses(fact, abstracted("exp(x)", ["1", "3", False, False], LINE))


def test_definedness_does_not_come_along() -> None:
    """On the wider side log(u - 1) has no value; a rule along segments must ask for it again."""
    goal = says("sqrt(exp(x) - 1)", x=UNIT)
    up = {"rule": "monotone", "name": "x", "end": "low", "inside": True, "slope": RANGE}
    refuses(goal, abstracted("exp(x)", ["1/2", "3", False, False], up | {"face": RANGE}))


# --- against values -----------------------------------------------------------------------------
@settings(max_examples=80, deadline=None)
@given(
    a=st.integers(-3, 3), b=st.integers(-3, 3), op=st.sampled_from(["abs", "min", "max"]),
    kind=st.sampled_from(["either", "branch", "other", "cases"]),
)  # fmt: skip
def test_what_is_accepted_holds_at_points(a: int, b: int, op: str, kind: str) -> None:
    args = f"2*x - {a}" if op == "abs" else f"x + {a}, 2*x - 1"
    node = f"{op}({args})"
    proof = {
        "either": either(node, LINE, LINE),
        "branch": branch(node, LINE, LINE),
        "other": branch(node, LINE, LINE, first=False),
        "cases": cases(node, LINE, LINE),
    }[kind]
    try:
        check(says(f"{node} + ({b})*x + 1", x=AROUND), proof)
    except Rejected:
        return
    places = [Fraction(k, 16) for k in range(-16, 17)]
    for x in places:
        choice = {"min": min, "max": max}.get(op)
        value = abs(2 * x - a) if choice is None else choice(x + a, 2 * x - 1)
        assert value + b * x + 1 >= 0
