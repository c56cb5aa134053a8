"""Sums of squares: what they prove, what they must not prove, and that the checker accepts."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.methods.inequality.polynomial import gram
from proofs_check.methods.inequality.polynomial import method as polynomial
from proofs_check.methods.inequality.polynomial.bernstein import Work
from proofs_check.methods.inequality.polynomial.gram_parts import Given
from proofs_check.methods.inequality.polynomial.rational import rational_function
from proofs_check.methods.inequality.problem import Interval, Problem, make_problems

Accepts = Callable[..., bool]
MOTZKIN = "x**4*y**2 + x**2*y**4 + 1 - 3*x**2*y**2"
TRUE = [
    ("x**4 + y**4 + z**4 + 1 >= 4*x*y*z", []),
    ("x**6 + y**6 >= x**4*y**2", []),
    ("(x**2 + y**2 + z**2)**2 >= 3*(x**3*y + y**3*z + z**3*x)", []),
    ("x**4 - x**2*y**2 + y**4 - x*y + 1 > 0", []),
    ("x**4 + y**4 + z**4 + w**4 + x*y + z*w + x*z >= -1", []),
    (f"{MOTZKIN} >= 0", []),
    ("x**4*y**2 + x**2*y**4 + z**6 >= 3*x**2*y**2*z**2", []),
    ("x + y >= 2", ["x*y >= 1", "x > 0", "y > 0"]),
    ("x**2 + y**2 >= 2", ["x*y >= 1"]),
    ("x + y <= 2", ["x**2 + y**2 <= 2"]),
    ("x*y + y*z + z*x <= 1/3", ["x + y + z == 1"]),
    ("x + y**2 >= 0", ["x >= y**4"]),
    ("x*y >= 0", ["x + y >= 0", "x**2 + y**2 <= 2*x*y"]),
    ("x**3 + y**3 + z**3 >= 3*x*y*z", ["x >= 0", "y >= 0", "z >= 0"]),
]
FALSE = [
    ("x**4 + y**4 + z**4 + 1 >= 4.0001*x*y*z", []),
    ("x**6 + y**6 >= 2.6*x**4*y**2", []),
    ("(x**2 + y**2 + z**2)**2 >= 3.0001*(x**3*y + y**3*z + z**3*x)", []),
    (f"{MOTZKIN} > 0", []),
    ("x + y >= 2.0001", ["x*y >= 1", "x > 0", "y > 0"]),
    ("x + y > 2", ["x*y >= 1", "x > 0", "y > 0"]),
    ("x + y >= 2", ["x*y >= 1"]),
    ("x**2 + y**2 > 2", ["x*y >= 1"]),
    ("x + y < 2", ["x**2 + y**2 <= 2"]),
    ("x >= 0", ["x**2 >= 0"]),
]


def problem(claim: str, *hypotheses: str) -> Problem:
    (made,) = make_problems(parse_condition(claim), [parse_condition(h) for h in hypotheses])
    return made


def by_squares(made: Problem) -> Any:
    facts = [
        Given(rational_function(c.expression, made.names).top, c.strict) for c in made.constraints
    ]
    poly = rational_function(made.goal, made.names).top
    return gram.prove(poly, made.strict, [side for _, side in made.box], facts, Work(2_000))


@pytest.mark.parametrize(("claim", "hypotheses"), TRUE)
def test_true_claims_have_sums_of_squares(
    claim: str, hypotheses: list[str], accepted: Accepts
) -> None:
    made = problem(claim, *hypotheses)
    found = by_squares(made)
    assert isinstance(found, dict)
    assert accepted(made, found)


@pytest.mark.parametrize(("claim", "hypotheses"), FALSE)
def test_false_claims_have_none(claim: str, hypotheses: list[str]) -> None:
    assert by_squares(problem(claim, *hypotheses)) is None


def test_they_come_last_and_serve_constraints(accepted: Accepts) -> None:
    made = problem("1/(x + y) <= 1/2", "x*y >= 1", "x > 0", "y > 0")
    result = polynomial.prove(made)
    assert result.status is Status.PROVED
    assert accepted(made, result.certificate)
    without = Problem(made.goal, made.strict, made.box)
    assert polynomial.prove(without).status is Status.UNDECIDED
    assert not accepted(without, result.certificate)


@pytest.mark.parametrize("seed", range(12))
def test_random_sums_of_squares(seed: int, accepted: Accepts) -> None:
    """Sums of squares of quadratic forms that vanish together at (1, -2, 3), or not."""
    source = random.Random(seed)
    names = ["x", "y", "z"][: 2 + seed % 2]
    monomials = ["1", *names, *(f"{a}*{b}" for a in names for b in names if a <= b)]
    squares = []
    for _ in range(len(monomials) - 2):
        chosen = source.sample(monomials, 3)
        inner = " + ".join(f"({source.randint(-3, 3)})*{m}" for m in chosen)
        shift = eval_at(inner) if seed % 3 else 0
        squares.append(f"({inner} - ({shift}))**2")
    made = problem(" + ".join(squares) + " >= 0")
    if rational_function(made.goal, made.names).top.is_constant():
        return
    found = by_squares(made)
    assert isinstance(found, dict)
    assert accepted(made, found)


def eval_at(text: str) -> int:
    """The value at (1, -2, 3)."""
    tree = rational_function(problem(f"{text} >= 0").goal, ["x", "y", "z"])
    return int(tree.top(1, -2, 3).p)


def test_the_region_of_a_half_line_is_used() -> None:
    (x,) = rational_function(problem("x >= 0").goal, ["x"]).top.context().gens()
    poly = x**3 - 3 * x + 2
    assert gram.prove(poly, False, [Interval()], [], Work(2_000)) is None
    assert gram.prove(poly, False, [Interval(Fraction(0))], [], Work(2_000)) is not None
