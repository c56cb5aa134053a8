"""The univariate prover on the benchmark, on other problems, and on their false neighbours."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.arithmetic.tree import number
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.problem import (
    Problem,
    ProblemError,
    make_problems,
    problem_from_text,
)
from proofs_check.methods.inequality.univariate.method import prove

DATA = Path(__file__).parents[4] / "data" / "inequalities.json"
ENTRIES = [e for e in json.loads(DATA.read_text()) if len(e["vars"]) == 1]
SLOW = {"sf_amos_hi", "dl_562", "dl_561_lo", "ci_geodesic", "sf_amos_lo"}


def benchmark(entry: dict[str, Any]) -> Problem:
    ((name, (low, high)),) = entry["vars"].items()
    open_low, open_high = entry.get("open", {}).get(name, [False, False])
    ends = (low, high, open_low or low == "-inf", open_high or high == "inf")
    return problem_from_text(entry["claim"], {name: ends})


def problem(claim: str, where: str = "") -> Problem:
    return make_problems(parse_condition(claim), [parse_condition(where)] if where else [])[0]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: str(e["id"]))
def test_benchmark(entry: dict[str, Any]) -> None:
    result = prove(benchmark(entry))
    assert (result.status is Status.PROVED) == (entry["truth"] in (True, "tight")), result.reason
    json.dumps(result.certificate)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: str(e["id"]))
def test_just_past_the_constant_is_never_proved(entry: dict[str, Any]) -> None:
    if entry["truth"] == "tight":
        loss = Fraction(1, 10**9)
    elif entry["truth"] is True and entry["id"] not in SLOW:
        loss = Fraction(str(entry["sampled_min_gap"])) * Fraction(1001, 1000)
    else:
        return
    whole = benchmark(entry)
    assert prove(replace(whole, goal=whole.goal - number(loss))).status is not Status.PROVED


TRUE = [
    ("tan(x) >= x + x**3/3", "0 <= x and x < pi/2"),
    ("sin(x) >= 2*x/pi", "0 <= x and x <= pi/2"),
    ("x**x >= exp(-1/E)", "x > 0"),
    ("log(x) <= x/E", "x > 0"),
    ("2**x >= x**2", "x >= 4"),
    ("E**x >= x**E", "x >= 0"),
    ("asin(x) <= pi*x/2", "0 <= x <= 1"),
    ("cbrt(x) <= (x + 2)/3", "x >= -8"),
    ("abs(x) + abs(1 - x) >= 1", "-10 <= x <= 10"),
    ("abs(abs(x) - 1) <= abs(x - 1)", "-5 <= x <= 5"),
    ("max(x, 1/x) >= 1", "x > 0"),
    ("erfc(x) < exp(-x**2)/(x*sqrt(pi))", "x > 0"),
    ("loggamma(x) <= (x - 1/2)*log(x) - x + log(2*pi)/2 + 1/(12*x)", "x > 0"),
    ("gamma(x) >= 0.8856", "x > 0"),
    ("(1 + 1/x)**(x + 1/2) > E", "x > 0"),
    ("log(cosh(x)) >= abs(x) - log(2)", ""),
    ("exp(x) - 3*x + 3*log(3) - 3 >= 0", "-5 <= x <= 20"),
    ("sin(x)**2 + cos(x)**2 <= 1", "0 <= x <= 7"),
    ("atan(x) + atan(1/x) <= pi/2", "x > 0"),
    ("sin(x) <= 1", ""),
    ("x - floor(x) < 1", "0 <= x <= 3"),
    ("(x**3 - 2)**2*log(2 + x) >= 0", "0 <= x <= 3"),
    ("besseli(0, x) <= exp(x**2/4)", "0 <= x <= 4"),
    ("x <= 2", "x**2 <= 4"),
    ("log(x) >= 0", "x**2 >= 1 and x > 0"),
]
FALSE = [
    ("tan(x) >= x + 0.334*x**3", "0 <= x and x < pi/2"),
    ("sin(x) >= 2.0001*x/pi", "0 <= x and x <= pi/2"),
    ("log(x) <= x/2.7183", "x > 0"),
    ("2**x >= x**2", "x >= 3.99"),
    ("cbrt(x) <= (x + 2)/3", "x >= -8.01"),
    ("abs(x) + abs(1 - x) > 1", "-10 <= x <= 10"),
    ("loggamma(x) <= (x - 1/2)*log(x) - x + log(2*pi)/2 + 1/(12.01*x)", "x > 0"),
    ("(1 + 1/x)**(x + 0.499) > E", "x > 0"),
    ("log(cosh(x)) > abs(x) - log(2) + exp(-2*abs(x))", ""),
    ("sin(x) < 1", ""),
    ("x - floor(x) < 0.99", "0 <= x <= 3"),
    ("x < 2", "x**2 <= 4"),
    ("x >= 1", "x >= 0 and x**2 <= -1"),
    ("x**4 - 2*x**2 + 1 > 0", ""),
    ("1/x <= 1", "-1 <= x <= 1"),
    ("(pi - tanh(x)*x**2)**2 > 0", "x >= -3"),
]


@pytest.mark.parametrize(("claim", "where"), TRUE)
def test_true(claim: str, where: str) -> None:
    result = prove(problem(claim, where))
    assert result.status is Status.PROVED, result.reason


@pytest.mark.parametrize(("claim", "where"), FALSE)
def test_false_or_vacuous(claim: str, where: str) -> None:
    assert prove(problem(claim, where)).status is not Status.PROVED


def test_a_failing_point_is_certified() -> None:
    result = prove(problem("log(1 + x) <= x - x**2/2", "0 <= x <= 1"))
    assert result.status is Status.UNDECIDED
    assert result.witness is not None


def test_undefined_is_an_error() -> None:
    assert decide(problem("x/x >= 1", "0 <= x <= 1")).status is Status.ERROR


def test_two_variables_are_refused() -> None:
    with pytest.raises(ProblemError, match="one variable"):
        prove(problem("x*y <= x**2 + y**2", "x > 0 and y > 0"))


def test_precision_is_left_as_it_was() -> None:
    before = ctx.prec, ctx.cap
    prove(problem("exp(x) >= 1 + x"))
    assert (ctx.prec, ctx.cap) == before


def test_small_budgets_are_kept() -> None:
    result = prove(problem("sin(x) <= x", "1 <= x <= 50"), work=1)
    assert result.status is Status.UNDECIDED
    assert result.work <= 25


_POINTS = st.fractions(min_value=-3, max_value=3, max_denominator=6)


@settings(max_examples=25, deadline=None)
@given(_POINTS, _POINTS, st.sampled_from(["exp(x)", "cosh(x)", "1 + x**2", "2 + sin(x)"]))
def test_squares_touch_and_their_neighbours_fail(a: Fraction, b: Fraction, factor: str) -> None:
    claim = f"(x - ({a}))**2*({factor})"
    where = f"{min(a, b) - 1} <= x and x <= {max(a, b) + 1}"
    assert prove(problem(f"{claim} >= 0", where)).status is Status.PROVED
    assert prove(problem(f"{claim} > 0", where)).status is not Status.PROVED
    assert prove(problem(f"{claim} >= 1/10**12", where)).status is not Status.PROVED
