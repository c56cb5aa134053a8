"""Exact proofs for polynomials and rational functions in several variables."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.arithmetic.tree import Node, number, symbol
from proofs_check.methods.inequality.polynomial import method as polynomial
from proofs_check.methods.inequality.polynomial.bernstein import (
    Fails,
    Work,
    halves,
    show,
    univariate,
)
from proofs_check.methods.inequality.polynomial.rational import bernstein, horner, ring
from proofs_check.methods.inequality.problem import Interval, Problem, make_problems

F = Fraction


def problem(claim: str, *hypotheses: str) -> Problem:
    (made,) = make_problems(parse_condition(claim), [parse_condition(h) for h in hypotheses])
    return made


TRUE = [
    ("x**3+y**3+z**3 >= 3*x*y*z", ["x >= 0", "y >= 0", "z >= 0"]),
    ("(a**2+b**2)*(c**2+d**2) >= (a*c+b*d)**2", []),
    ("a/(b+c)+b/(c+a)+c/(a+b) >= 3/2", ["a > 0", "b > 0", "c > 0"]),
    ("a/(b+2*c)+b/(c+2*a)+c/(a+2*b) >= 1", ["a > 0", "b > 0", "c > 0"]),
    ("x**2*y**4+x**4*y**2+1 >= 3*x**2*y**2", []),
    ("x**4+y**4+z**4 >= x*y*z*(x+y+z)", []),
    ("2*x**2-1.05*x**4+x**6/6+x*y+y**2 >= 0", []),
    ("x/(x+y) <= 4/5", ["1 <= x", "x <= 4", "1 <= y", "y <= 4"]),
    ("x*y < 1", ["0 <= x", "x < 1", "0 <= y", "y <= 1"]),
    ("100*(y-x**2)**2+(1-x)**2 >= 0", []),
]

FALSE = [
    ("x**3+y**3+z**3 >= 3.001*x*y*z", ["x >= 0", "y >= 0", "z >= 0"]),
    ("(a**2+b**2)*(c**2+d**2) >= 1.0001*(a*c+b*d)**2", []),
    ("a/(b+c)+b/(c+a)+c/(a+b) > 3/2", ["a > 0", "b > 0", "c > 0"]),
    ("x**2*y**4+x**4*y**2+1 >= 3.0001*x**2*y**2", []),
    ("x*y < 1", ["0 <= x", "x <= 1", "0 <= y", "y <= 1"]),
    ("1/(x-y) >= -100", ["0 <= x", "x <= 1", "0 <= y", "y <= 1"]),
    ("x/x >= 1", ["-1 <= x", "x <= 1"]),
]


@pytest.mark.parametrize(("claim", "hypotheses"), TRUE)
def test_true_claims_are_proved_with_a_certificate(
    claim: str, hypotheses: list[str], accepted: Callable[..., bool]
) -> None:
    made = problem(claim, *hypotheses)
    result = polynomial.prove(made)
    assert result.status is Status.PROVED
    assert json.loads(json.dumps(result.certificate)) == result.certificate
    assert accepted(made, result.certificate)


@pytest.mark.parametrize(("claim", "hypotheses"), FALSE)
def test_false_or_undefined_claims_are_not_proved(claim: str, hypotheses: list[str]) -> None:
    assert polynomial.prove(problem(claim, *hypotheses)).status is Status.UNDECIDED


@pytest.mark.parametrize(("claim", "hypotheses"), [t for t in TRUE if "<" not in t[0]])
def test_a_constant_past_the_optimum_is_not_proved(claim: str, hypotheses: list[str]) -> None:
    made = problem(claim, *hypotheses)
    worse = replace(made, goal=made.goal - number(F(1, 10**9)))
    assert polynomial.prove(worse, work=3000).status is Status.UNDECIDED


def test_functions_are_left_to_others() -> None:
    assert polynomial.prove(problem("exp(x) >= x")).status is Status.UNDECIDED


def test_halving_keeps_the_polynomial() -> None:
    (x,) = ring(["x"]).gens()
    table = bernstein(3 * x**3 - 2 * x + 5, [0], [Interval(F(0), F(1))])
    first, second = halves(table, 0)
    assert first[-1] == second[0]
    assert F(int(first[-1]), int(first[0])) == (3 * F(1, 8) - 1 + 5) / 5


def test_univariate_signs_are_exact() -> None:
    (x,) = ring(["x"]).gens()
    box = [Interval(F(0), F(1))]
    touching = bernstein((3 * x - 1) ** 2, [0], box)
    assert univariate(touching, False, (True, True), Work(10)) == "u"
    with pytest.raises(Fails):
        univariate(touching, True, (True, True), Work(10))
    with pytest.raises(Fails):
        univariate(bernstein((3 * x - 1) ** 3, [0], box), False, (True, True), Work(10))


def test_strictness_at_open_corners() -> None:
    x, y = ring(["x", "y"]).gens()
    table = bernstein(x + y, [0, 1], [Interval(F(0), F(1))] * 2)
    assert show(table, True, ((False, True), (True, True)), Work(50)) is not None
    with pytest.raises(Fails):
        show(table, True, ((True, True), (True, True)), Work(50))


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3), st.integers(0, 3)), max_size=6))
def test_horner_writes_the_same_polynomial(terms: list[tuple[int, int, int]]) -> None:
    context = ring(["x", "y"])
    x, y = context.gens()
    poly = context.constant(0)
    for c, i, j in terms:
        poly = poly + c * x**i * y**j
    tree = horner(poly, [symbol("x"), symbol("y")])
    wanted = poly(_rational(2, 3), _rational(-3, 5))
    assert _value(tree, {"x": F(2, 3), "y": F(-3, 5)}) == F(str(wanted))


def _rational(a: int, b: int) -> object:
    from flint import fmpq

    return fmpq(a, b)


def _value(tree: Node, at: dict[str, Fraction]) -> Fraction:
    from proofs_check.methods.inequality.problem import literal

    found = literal(tree.replaced({n: number(v) for n, v in at.items()}))
    if found is None:
        raise AssertionError("no number")
    return found


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-4, 4), min_size=6, max_size=6),
    st.lists(st.integers(-4, 4), min_size=6, max_size=6),
    st.integers(1, 50),
)
def test_squares_with_a_negative_offset_are_never_proved(
    a: list[int], b: list[int], offset: int
) -> None:
    """p^2 + q^2 - c has a negative value at a common zero of p and q inside the box."""
    x, y = symbol("x"), symbol("y")

    def poly(c: list[int]) -> Node:
        # Vanishes at (1/2, -1/3).
        u, v = x - number(F(1, 2)), y + number(F(1, 3))
        return number(c[0]) * u + number(c[1]) * v + number(c[2]) * u * v + number(c[3]) * u * u

    goal = poly(a) * poly(a) + poly(b) * poly(b) - number(F(1, 10**offset))
    side = Interval(F(-1), F(1))
    made = Problem(goal, False, (("x", side), ("y", side)))
    assert polynomial.prove(made, work=300).status is Status.UNDECIDED
