"""Identity, range, constant, define, atoms: what they accept, and forgeries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Fact, Sequent, Side

IDENTITY, RANGE, CONSTANT = {"rule": "identity"}, {"rule": "range"}, {"rule": "constant"}
POLYNOMIAL = {"rule": "univariate polynomial"}
LINE, POSITIVE, HALF_LINE = Side(), Side(Fraction(0), None, open_low=True), Side(Fraction(0))
UNIT = Side(Fraction(0), Fraction(1))


def says(goal: str, *facts: str, strict: bool = False, total: bool = False, **box: Side) -> Sequent:
    met = tuple(Fact(read_expression(fact), strict=False) for fact in facts)
    return Sequent(read_expression(goal), strict, tuple(box.items()), met, total=total)


def refuses(sequent: Sequent, proof: Mapping[str, Any]) -> None:
    with pytest.raises(Rejected):
        check(sequent, proof)


# --- identity, range, constant -------------------------------------------------------------------
def test_identity() -> None:
    check(says("log(x*y)-log(x)-log(y)", x=POSITIVE, y=POSITIVE), IDENTITY)
    refuses(says("log(x*y)-log(x)-log(y)", strict=True, x=POSITIVE, y=POSITIVE), IDENTITY)
    refuses(says("sqrt(x**2)-x", x=Side(Fraction(-1), Fraction(100))), IDENTITY)
    refuses(says("1/10**40", x=LINE), IDENTITY)
    refuses(says("exp(x)-1-x", x=LINE), IDENTITY)


def test_range() -> None:
    check(says("1-cos(x)*exp(-y**2)", x=LINE, y=LINE), RANGE)
    check(says("x", strict=True, x=POSITIVE), RANGE)
    refuses(says("x", strict=True, x=HALF_LINE), RANGE)
    refuses(says("1-cos(x)*exp(-y**2)", strict=True, x=LINE, y=LINE), RANGE)
    refuses(says("x+1/10**30", x=Side(Fraction(-1, 10**29))), RANGE)
    refuses(says("x*y", x=LINE, y=POSITIVE), RANGE)
    refuses(says("1/x", x=Side(Fraction(-1), Fraction(1))), RANGE)


def test_constant() -> None:
    check(says("sqrt(2)+sqrt(3)-3", strict=True), CONSTANT)
    check(says("sqrt(6)-sqrt(2)*sqrt(3)"), CONSTANT)
    refuses(says("sqrt(6)-sqrt(2)*sqrt(3)", strict=True), CONSTANT)
    refuses(says("3-sqrt(2)-sqrt(3)"), CONSTANT)
    refuses(says("x", x=POSITIVE), CONSTANT)
    refuses(says("sqrt(-1)"), CONSTANT)
    refuses(says("0/0"), CONSTANT)


# --- define ------------------------------------------------------------------------------------
def define(proof: Any, *needs: Any) -> dict[str, Any]:
    return {"rule": "define", "needs": list(needs), "proof": proof}


def need(of: str, proof: Any, *, positive: bool = True) -> dict[str, Any]:
    return {"of": of, "positive": positive, "proof": proof}


def test_define_shows_the_easy_conditions_by_itself() -> None:
    check(says("sqrt(x)+exp(log(1+x))", total=True, x=HALF_LINE), define(RANGE))
    refuses(says("sqrt(x)", total=True, x=LINE), define(RANGE))
    refuses(says("sqrt(x)", total=True, x=LINE), RANGE)
    refuses(says("x**0", total=True, x=LINE), define(RANGE))
    refuses(says("0*log(x)", total=True, x=HALF_LINE), define(RANGE))
    refuses(says("x/x", total=True, x=LINE), define(RANGE))
    refuses(says("exp(1/0)", total=True, x=LINE), define(RANGE))


def test_define_takes_proofs_of_the_other_conditions() -> None:
    inner = need("x**2-x+1", POLYNOMIAL)
    check(says("sqrt(x**2-x+1)", total=True, x=LINE), define(RANGE, inner))
    check(says("sqrt(x**2-x+1)", total=True, x=LINE), define(RANGE, need("1-x+x*x", POLYNOMIAL)))
    check(says("1/(x**2-x+1)**2", total=True, x=LINE), define(RANGE, inner))
    below = need("x-x**2-1", POLYNOMIAL, positive=False)
    check(says("1/(x-x**2-1)**2", total=True, x=LINE), define(RANGE, below))
    refuses(says("sqrt(x**2-x+1)", total=True, x=LINE), define(RANGE, need("x**2-x", POLYNOMIAL)))
    refuses(says("sqrt(x**2-x)", total=True, x=LINE), define(RANGE, need("x**2-x", POLYNOMIAL)))
    # >= 0 is not enough where > 0 or != 0 is needed
    square = need("x**2-2*x+1", POLYNOMIAL)
    check(says("sqrt(x**2-2*x+1)", total=True, x=LINE), define(RANGE, square))
    refuses(says("exp(log(x**2-2*x+1))", total=True, x=LINE), define(RANGE, square))
    refuses(says("1/(x**2-2*x+1)**2", total=True, x=LINE), define(RANGE, square))
    wrong = need("x-x**2-1", POLYNOMIAL, positive=True)
    refuses(says("1/(x-x**2-1)**2", total=True, x=LINE), define(RANGE, wrong))


def test_inner_conditions_must_hold_before_outer_ones_are_used() -> None:
    # log(log(x)) needs log(x) > 0, which says nothing where x <= 0
    refuses(
        says("exp(log(log(x)))", total=True, x=Side(Fraction(-1), Fraction(1, 2))),
        define(RANGE, need("log(x)", RANGE)),
    )
    side = Side(Fraction(-2), Fraction(-1))
    refuses(
        says("sqrt(sqrt(x))", total=True, x=side),
        define(RANGE, need("sqrt(x)", RANGE), need("x", RANGE)),
    )


def test_define_uses_facts_only_where_they_are() -> None:
    fact = "x**2-x"
    farkas = need("x**2-x", {"rule": "farkas", "facts": [["0", "1"]], "ends": []})
    refuses(says("sqrt(x**2-x)", total=True, x=LINE), define(RANGE, farkas))
    refuses(says("sqrt(x**2-x)-1", fact, total=True, x=LINE), define(RANGE, farkas))


@pytest.mark.parametrize(
    "proof",
    [
        {"rule": "define"},
        {"rule": "define", "needs": None, "proof": RANGE},
        {"rule": "define", "needs": [RANGE], "proof": RANGE},
        {"rule": "define", "needs": ["x"], "proof": RANGE},
        define(RANGE, {"of": "x", "positive": "yes", "proof": RANGE}),
        define(RANGE, {"of": 3, "positive": True, "proof": RANGE}),
        define(RANGE, {"of": "y", "positive": True, "proof": RANGE}),
        define(RANGE, need("x", {"rule": "no such rule"})),
        define("range"),
        define(RANGE, *[need("x", RANGE)] * 300),
    ],
)
def test_malformed_needs_are_refused(proof: Any) -> None:
    refuses(says("sqrt(x)", total=True, x=LINE), proof)


# --- atoms ---------------------------------------------------------------------------------------
def atoms(top: str, bottom: str, top_proof: Any, bottom_proof: Any, **data: Any) -> dict[str, Any]:
    proofs = {"top_proof": top_proof, "bottom_proof": bottom_proof}
    return {"rule": "atoms", "top": top, "bottom": bottom, **proofs, **data}


def test_atoms() -> None:
    square = {"rule": "weaken", "variables": ["x"], "proof": POLYNOMIAL}
    proof = atoms("2*u**2-u+2", "2", square, RANGE, atoms={"u": "exp(x)"})
    check(says("exp(2*x)-exp(x)/2+1", strict=True, x=LINE), proof)
    proof = atoms("u", "1+u", RANGE, RANGE, atoms={"u": "exp(x)"})
    check(says("exp(x)/(1+exp(x))", strict=True, x=LINE), proof)
    check(says("x/(1+x)", x=HALF_LINE), atoms("x", "1+x", RANGE, RANGE))
    sides = {"u": ["0", None, False, True]}
    check(says("exp(x)", x=LINE), atoms("u", "1", RANGE, RANGE, atoms={"u": "exp(x)"}, sides=sides))


@pytest.mark.parametrize(
    ("goal", "proof"),
    [
        ("x-exp(x)", atoms("u-x", "1", RANGE, RANGE, atoms={"u": "exp(x)"})),
        ("exp(x)-1", atoms("u-1", "1", RANGE, RANGE, atoms={"u": "exp(x)"})),
        ("exp(x)-1", atoms("u", "1", RANGE, RANGE, atoms={"u": "exp(x)"})),
        ("-exp(x)", atoms("u", "-1", RANGE, RANGE, atoms={"u": "exp(x)"})),
        ("-exp(x)", atoms("0*u", "0", RANGE, RANGE, atoms={"u": "exp(x)"})),
        ("-1", atoms("0", "x-x", RANGE, RANGE)),
        # the atom has no value for x <= 0, where the goal is negative
        ("x", atoms("x", "1", {"rule": "weaken", "variables": [], "proof": RANGE}, RANGE,
                    atoms={"u": "log(x)"})),
        ("x", atoms("u**2", "1", RANGE, RANGE, atoms={"u": "sqrt(x)"})),
        ("x", atoms("x", "u", RANGE, RANGE, atoms={"u": "x**0"})),
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"u": "exp(log(x))"})),
        ("x", atoms("x*u", "u", RANGE, RANGE, atoms={"u": "1/x"})),
        # top or bottom with no value at points of the region
        ("x", atoms("exp(log(x))", "1", RANGE, RANGE)),
        ("x", atoms("x*exp(log(x))", "exp(log(x))", RANGE, RANGE)),
        ("x", atoms("x", "1+0*log(x)", RANGE, RANGE)),
        ("x", atoms("x/1+0*sqrt(x)", "1", RANGE, RANGE)),
        # ranges that are too small
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"u": "x"},
                    sides={"u": ["0", None, False, False]})),
        ("exp(x)-1/2", atoms("u-1/2", "1", RANGE, RANGE, atoms={"u": "exp(x)"},
                             sides={"u": ["1/2", None, False, False]})),
        # names that are taken
        ("-x**2", atoms("x", "1", RANGE, RANGE, atoms={"x": "-x**2"})),
        ("x", atoms("pi", "1", RANGE, RANGE, atoms={"pi": "x"})),
        ("x", atoms("E", "1", RANGE, RANGE, atoms={"E": "x"})),
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"u": "y"})),
        ("x", atoms("v", "1", RANGE, RANGE, atoms={"u": "x"})),
        # malformed
        ("x", atoms("u", "1", RANGE, RANGE, atoms=["u"])),
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"u": 1})),
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"": "x"})),
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"u": "x"}, sides={"u": ["0"]})),
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"u": "x"},
                    sides={"u": ["a", None, True, True]})),
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"u": "x"}, sides={"u": [0, None, 1, 1]})),
        ("x", atoms("u", "1", RANGE, RANGE, atoms={"u": "x"}, sides=[])),
        ("x", {"rule": "atoms", "top": "x"}),
    ],
)  # fmt: skip
def test_forged_atoms(goal: str, proof: Any) -> None:
    for strict in (False, True):
        refuses(says(goal, strict=strict, x=LINE), proof)
        refuses(replace(says(goal, strict=strict, x=LINE), defined=True), proof)


def test_the_top_is_as_strict_as_the_goal() -> None:
    proof = atoms("u", "1", RANGE, RANGE, atoms={"u": "x**2"})
    check(says("x**2", x=LINE), proof)
    refuses(says("x**2", strict=True, x=LINE), proof)


def test_a_part_of_the_goal_may_be_an_atom_wherever_it_has_values() -> None:
    check(says("log(x)**2", x=LINE), atoms("u**2", "1", RANGE, RANGE, atoms={"u": "log(x)"}))
    proof = atoms("u**2", "1", RANGE, RANGE, atoms={"u": "log(x-1)"})
    refuses(says("log(x)**2", x=LINE), proof)
