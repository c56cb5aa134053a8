"""The engine: what it decides, and what it must not."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.methods.inequality import engine, linear
from proofs_check.methods.inequality.best_constant import NoConstant, best_constant
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.points import refutes
from proofs_check.methods.inequality.problem import Problem, make_problems
from proofs_check.methods.inequality.result import Result


def problem(claim: str, *hypotheses: str) -> Problem:
    (found,) = make_problems(parse_condition(claim), [parse_condition(h) for h in hypotheses])
    return found


@pytest.mark.parametrize(
    ("claim", "hypotheses"),
    [
        ("log(1 + x) <= x", ["x > -1"]),
        ("x*(1 - x) <= 1/4", []),
        ("x*y <= 1/4", ["x + y == 1"]),
        ("exp(x) >= 1 + x + x**2/2", ["x >= 0"]),
        ("x**x >= 1/2", ["x > 0"]),
        ("x**2 <= y**2", ["x >= 0", "y >= x"]),
        ("3*x + 2*y <= 12", ["x + y <= 4", "x <= 4", "x >= 0", "y >= 0"]),
        ("log(4) <= 2*log(2)", []),
        ("exp(pi*sqrt(163)) < 262537412640768744", []),
        ("x <= 1", ["u**2 <= 4", "x <= 1"]),
    ],
)
def test_proved(claim: str, hypotheses: list[str]) -> None:
    assert decide(problem(claim, *hypotheses)).status is Status.PROVED


@pytest.mark.parametrize(
    ("claim", "hypotheses"),
    [
        ("log(1 + x) < x", ["x > -1"]),
        ("x*y <= 1/4 - 1/10**9", ["x + y == 1"]),
        ("x**2 < y**2", ["x >= 0", "y >= x"]),
        ("3*x + 2*y < 12", ["x + y <= 4", "x <= 4", "x >= 0", "y >= 0"]),
        ("floor(x) <= 5", ["x > 0"]),
        ("abs(x) <= x", ["x >= -1/10**9"]),
        ("n**2 > n", ["n in N"]),
    ],
)
def test_refuted_with_a_witness_of_the_problem_given(claim: str, hypotheses: list[str]) -> None:
    given = problem(claim, *hypotheses)
    result = decide(given)
    assert result.status is Status.REFUTED
    assert result.witness is not None
    assert set(result.witness) == set(given.names)
    assert refutes(given, result.witness)


@pytest.mark.parametrize(
    ("claim", "hypotheses", "part"),
    [
        ("log(x) <= x", ["x >= 0"], "undefined"),
        ("x <= 2", ["x > 1", "x < 0"], "contradictory"),
        ("x <= 2", ["x >= y", "x <= y - 1"], "contradictory"),
        ("x <= 2", ["x == 1/2", "x in Z"], "contradictory"),
        ("x <= 2", ["x**2 <= -1"], "contradictory"),
        ("x <= 2", ["x + y == 1", "x + y == 2"], "contradictory"),
    ],
)
def test_errors(claim: str, hypotheses: list[str], part: str) -> None:
    result = decide(problem(claim, *hypotheses))
    assert result.status is Status.ERROR
    assert part in result.reason


def test_no_proof_without_a_point_that_meets_the_hypotheses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A method that proves all it is given must not make a vacuous claim PROVED."""
    eager = Result(Status.PROVED, "eager", "always")
    monkeypatch.setattr(engine, "run_methods", lambda *_: replace(eager))
    monkeypatch.setattr(engine, "_contradiction", lambda *_: None)
    result = decide(problem("x <= 7", "x**2 + y**2 <= -1"))
    assert result.status is Status.UNDECIDED
    assert "no point was found" in result.reason


def test_a_refutation_by_a_method_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Result(Status.REFUTED, "wrong", "", witness={"x": Fraction(5)})
    monkeypatch.setattr(engine, "_methods", lambda *_: iter([lambda *_, **__: wrong]))
    assert decide(problem("exp(x) >= 1 + x")).status is Status.UNDECIDED


@pytest.mark.parametrize(
    ("claim", "hypotheses"),
    [
        ("n**2 >= n", ["n in Z"]),
        ("n*(n - 1)*(n - 2) >= 0", ["n in N"]),
        ("(1 + 1/n)**n <= E", ["n in N"]),
        ("2**n >= n + 1", ["n in N"]),
        ("n <= 3", ["n in Z", "2*n <= 7"]),
        ("k*(3 - k) <= 2", ["k in Z"]),
        ("m*(m - 1) + n*(n - 1) >= 0", ["m in Z", "n in Z", "0 <= m <= 3", "0 <= n <= 3"]),
    ],
)
def test_whole_numbers(claim: str, hypotheses: list[str]) -> None:
    assert decide(problem(claim, *hypotheses)).status is Status.PROVED
    reals = [h for h in hypotheses if " in " not in h]
    relaxed = decide(problem(claim, *reals)) if reals else None
    assert relaxed is None or relaxed.status is not Status.ERROR


def test_farkas_is_exact() -> None:
    found = linear.prove(problem("x - y <= 1/3", "2*x - 3*y <= 1", "x >= -y/7", "x <= 3/4"))
    assert found.status in (Status.PROVED, Status.UNDECIDED)
    assert linear.prove(problem("x <= 1", "x + y <= 1", "y >= 0")).status is Status.PROVED
    assert linear.prove(problem("x < 1", "x + y <= 1", "y >= 0")).status is Status.UNDECIDED
    assert linear.prove(problem("x < 1", "x + y <= 1", "y > 0")).status is Status.PROVED
    almost = "x <= 1 - 1/10**15"
    assert linear.prove(problem(almost, "x + y <= 1", "y >= 0")).status is Status.UNDECIDED


def test_false_neighbours_are_never_proved() -> None:
    """True claims with a known smallest margin of 0, moved by a little."""
    rng = random.Random(7)
    tight = ["exp(x) >= 1 + x + {}", "x**2 + 1/4 >= x + {}", "x - log(x) >= 1 + {}",
             "cosh(x) - 1 >= {}", "abs(x - 1/3) >= {}",
             "max(x, -x) + min(x, 0)**2 >= {}"]  # fmt: skip
    for claim in tight:
        amount = Fraction(1, 10 ** rng.randint(2, 30))
        given = problem(claim.format(f"({amount})"), "0 < x <= 2" if "log" in claim else "x <= 2")
        assert decide(given).status is not Status.PROVED, claim


@pytest.mark.parametrize(
    ("relation", "region", "value"),
    [
        ("x*(1 - x) <= c", ["0 <= x <= 1"], Fraction(1, 4)),
        ("a*b <= c*(a**2 + b**2)", [], Fraction(1, 2)),
        ("1 - cos(x) <= c*x**2", ["x > 0"], Fraction(1, 2)),
        ("tanh(x) <= c", [], Fraction(1)),
    ],
)
def test_best_constants(relation: str, region: list[str], value: Fraction) -> None:
    found = best_constant(relation, "c", region)
    assert found.low <= value == found.high
    assert value - found.low <= Fraction(2, 10**6)


def test_best_constants_without_a_rational_form() -> None:
    found = best_constant("x*exp(-x) <= c", "c", ["x >= 0"])
    assert str(found.exact) == "1/E"
    assert found.low < found.high
    other = best_constant("log(1 + x) <= c*sqrt(x)", "c", ["x >= 0"])
    assert Fraction(80473, 10**5) < other.low < other.high < Fraction(80476, 10**5)


@pytest.mark.parametrize(
    ("relation", "region"),
    [("x <= c", ["x > 0"]), ("x <= c**2", []), ("x == c", []), ("x <= c*x", []), ("x <= 1", [])],
)
def test_no_best_constant(relation: str, region: list[str]) -> None:
    with pytest.raises(NoConstant):
        best_constant(relation, "c", region)


@pytest.mark.parametrize(
    ("claim", "hypotheses"),
    [
        ("floor(x) <= 5", ["x > 0"]),
        ("floor(x) >= -900000000", []),
        ("x >= abs(x)", ["-1 <= x <= 2"]),
        ("max(x, 1 - x) >= 0.51", ["0 <= x <= 1"]),
        ("min(x, 1 - x) <= 0.49", ["0 <= x <= 1"]),
        ("sign(x) >= 0", ["-1 <= x <= 1"]),
        ("sin(x)**2 <= 1 - 1/10**9", ["x > 0"]),
        ("abs(x - y) >= 1/10**9", ["0 <= x <= 1", "0 <= y <= 1"]),
        ("x**2 + y**2 >= 1/10**12", ["-1 <= x <= 1", "-1 <= y <= 1"]),
        ("cosh(x - y) > 1", ["-1 <= x <= 1", "-1 <= y <= 1"]),
    ],
)
def test_no_method_proves_what_is_false_without_help_from_refutation(
    claim: str, hypotheses: list[str]
) -> None:
    result = engine.run_methods(problem(claim, *hypotheses), engine.Effort())
    assert result.status is not Status.PROVED


def test_a_hypothesis_that_says_nothing_does_no_harm() -> None:
    given = problem("log(1 + x**2)*x < 30", "0*x + 0 <= 0", "0 <= x < 2", "x**2 <= 3")
    assert decide(given, work=800).status is Status.PROVED


def test_a_fixed_variable_must_lie_in_its_range() -> None:
    given = problem("x + y <= 1", "-1 <= y <= 2", "0*x + y == -4", "x <= 0")
    result = decide(given)
    assert result.status is Status.ERROR
    assert "contradictory" in result.reason


@pytest.mark.parametrize(
    "hypotheses",
    [
        ["x - 1 >= 1", "0 < x < 5", "x in Z"],
        ["x + y == 1", "2*x - y == 7/3"],
        ["1 <= n <= 9", "n in Z", "n**2 >= 49", "n*x == 1/3"],
        ["y >= x + 1000", "x >= 10**9"],
    ],
)
def test_an_example_meets_all_hypotheses(hypotheses: list[str]) -> None:
    from proofs_check.methods.inequality.example import example
    from proofs_check.methods.inequality.points import inside

    given = problem("x <= x", *hypotheses)
    found = example(given)
    assert found is not None
    assert inside(given, found)
