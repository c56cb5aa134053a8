"""Proofs in several variables by reduction and box search."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import flint
import pytest

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.arithmetic.tree import number
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.multivariate import prover
from proofs_check.methods.inequality.polynomial import method as polynomial
from proofs_check.methods.inequality.problem import Problem, make_problems, problem_from_text
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Fact, Sequent, Side

F = Fraction
DATA = Path(__file__).parents[4] / "data" / "inequalities.json"


def problem(claim: str, *hypotheses: str) -> Problem:
    parts = [parse_condition(h) for h in hypotheses]
    (made,) = make_problems(parse_condition(claim), parts)
    return made


def from_data(entry: dict) -> Problem:
    shut = [False, False]
    ranges = {
        name: (low, high, *entry.get("open", {}).get(name, shut))
        for name, (low, high) in entry["vars"].items()
    }
    return problem_from_text(entry["claim"], ranges)


ENTRIES = [e for e in json.loads(DATA.read_text()) if len(e["vars"]) > 1]
# Proved as well, but each takes a second or more.
SLOW = {"fs_5490182221", "fs_7067938795", "fb_hartman6", "fb_hartman3", "lt_kl_chi2", "dl_4323"}
COSTLY_TO_GIVE_UP = {"cl_cauchy", "pb_schwefel_tight", "dr_goldstein", "dr_beale"}
QUICK = [e for e in ENTRIES if e["id"] not in SLOW]


def proved(made: Problem, work: int = prover.WORK) -> bool:
    if polynomial.prove(made, work=min(work, 4_000)).status is Status.PROVED:
        return True
    return prover.prove(made, work=work).status is Status.PROVED


@pytest.mark.parametrize("entry", QUICK, ids=lambda e: e["id"])
def test_the_benchmark_in_several_variables(entry: dict) -> None:
    assert proved(from_data(entry), 12_000) == (entry["truth"] is not False)


@pytest.mark.parametrize(
    "entry",
    [e for e in QUICK if e["truth"] == "tight" and e["id"] not in COSTLY_TO_GIVE_UP],
    ids=lambda e: e["id"],
)
def test_tight_claims_moved_past_the_optimum_are_not_proved(entry: dict) -> None:
    made = from_data(entry)
    assert not proved(replace(made, goal=made.goal - number(F(1, 10**7))), 1_500)


BOX = ["-3 <= x", "x <= 3", "-3 <= y", "y <= 3"]
OTHERS = [
    ("log(1-p+p*exp(h))-h*p <= h**2/8", ["0 <= p", "p <= 1", "-5 <= h", "h <= 5"]),
    ("p*log(p/q)+(1-p)*log((1-p)/(1-q)) >= 2*(p-q)**2", ["0<p", "p<1", "0<q", "q<1"]),
    ("a*log(a/b) >= a-b", ["a > 0", "b > 0"]),
    ("log(exp(x)+exp(y)) <= Max(x,y)+log(2)", BOX),
    ("abs(tanh(x)-tanh(y)) <= abs(x-y)", BOX),
    ("abs(sin(x)-sin(y)) <= abs(x-y)", BOX),
    ("sqrt(x**2+y**2) <= abs(x)+abs(y)", BOX),
    ("sqrt(x**2+y**2) >= (x+y)/sqrt(2)", BOX),
    ("sqrt(a*b)+sqrt(c*d) <= sqrt((a+c)*(b+d))", ["a > 0", "b > 0", "c > 0", "d > 0"]),
    ("x*y <= x**3/3+2*y**1.5/3", ["x >= 0", "y >= 0"]),
    ("x*exp(-x)+y*exp(-y) <= 2/E", ["0 <= x", "x <= 5", "0 <= y", "y <= 5"]),
    ("x*y*z <= 1/27", ["x >= 0", "y >= 0", "z >= 0", "x+y+z <= 1"]),
    ("exp(t*x) <= cosh(t)+x*sinh(t)", ["-1 <= x", "x <= 1", "-3 <= t", "t <= 3"]),
    ("log(1+x)*log(1+y) <= x*y", ["0 <= x", "x <= 5", "0 <= y", "y <= 5"]),
    ("erf(x)+erf(y) >= erf(x+y)", ["0 <= x", "x <= 3", "0 <= y", "y <= 3"]),
]


@pytest.mark.parametrize(("claim", "hypotheses"), OTHERS)
def test_claims_with_contact(claim: str, hypotheses: list[str]) -> None:
    made = problem(claim, *hypotheses)
    assert proved(made)
    assert not proved(replace(made, goal=made.goal - number(F(1, 10**6))), 1_500)


FALSE = [
    ("log(1-p+p*exp(h))-h*p <= h**2/8.01", ["0 <= p", "p <= 1", "-5 <= h", "h <= 5"]),
    ("p*log(p/q)+(1-p)*log((1-p)/(1-q)) >= 2.01*(p-q)**2", ["0<p", "p<1", "0<q", "q<1"]),
    ("x*y <= 0.2499", ["x >= 0", "y >= 0", "x+y <= 1"]),
    ("exp(x+y) > 1+x+y", BOX),
    ("log(exp(x)+exp(y)) > (x+y)/2+log(2)", BOX),
    ("x*floor(y) >= -4", ["0 <= x", "x <= 2", "-3 <= y", "y <= 1"]),
    ("sign(x)*y >= -0.9", ["-1 <= x", "x <= 1", "0 <= y", "y <= 1"]),
]


@pytest.mark.parametrize(("claim", "hypotheses"), FALSE)
def test_false_claims_are_not_proved(claim: str, hypotheses: list[str]) -> None:
    assert not proved(problem(claim, *hypotheses), 3_000)


def test_an_undefined_goal_is_not_proved() -> None:
    made = problem("log(x-y)-log(x-y)+1 >= 0", "0 <= x", "x <= 1", "0 <= y", "y <= 1")
    assert decide(made).status is Status.ERROR


REDUCTIONS = [
    ("exp(x-y) >= 1+x-y", ["x >= y"], "gap"),
    ("Max(x,y,z) >= (x+y+z)/3", [], "cases"),
    ("Max(0,1-x*y) <= exp(-x*y)", ["x >= 0", "y >= 0"], "either"),
    ("sqrt(1+x*y) <= 1+x*y/2", ["x >= 0", "y >= 0"], "unrooted"),
    ("sqrt(x-y) <= sqrt(x)", ["x >= y", "y >= 0"], "gap"),
    ("x*log(1+y) <= x*y", ["x >= 0", "y >= 0"], "monotone"),
    ("a*log(a/b) >= a-b", ["a > 0", "b > 0"], "convex"),
    ("(1+s)**r >= 1+r*s", ["s > -1", "r >= 1"], "convex"),
    ("x*y <= x*log(x)-x+exp(y)", ["x > 0"], "convex"),
    ("exp(x) >= y+y*x-y*log(y)", ["y > 0"], "convex"),
    ("x**p/p+1-1/p >= x", ["x > 0", "p >= 1"], "convex"),
    ("x**p/p+y**(p/(p-1))*(p-1)/p >= x*y", ["x > 0", "y > 0", "p > 1"], "convex"),
    ("log(1+exp(x)) >= p*x-p*log(p)-(1-p)*log(1-p)", ["0 < p", "p < 1"], "convex"),
    ("(1+x)**n >= 1+n*x", ["x > -1", "n in N"], "convex"),
    ("exp(t*x) <= cosh(t)+x*sinh(t)", ["-1 <= x", "x <= 1", "-3 <= t", "t <= 3"], "concave"),
    ("erf(x)+erf(y) >= erf(x+y)", ["0 <= x", "x <= 3", "0 <= y", "y <= 3"], "integrated"),
    ("sqrt(a*b)+sqrt(c) <= sqrt((a+c)*(b+1))", ["a > 0", "b > 0", "c > 0"], "unrooted"),
    ("cbrt(x)*y <= y", ["0 <= x", "x <= 1", "0 <= y", "y <= 1"], "integrated"),
    ("n*x <= n*exp(x)", ["x >= 0", "n in N"], "monotone"),
]


@pytest.mark.parametrize(("claim", "hypotheses", "rule"), REDUCTIONS)
def test_proof_trees_are_accepted(claim: str, hypotheses: list[str], rule: str) -> None:
    made = problem(claim, *hypotheses)
    found = decide(made)
    assert found.status is Status.PROVED
    assert rule in _rules(found.certificate)
    check(_statement(made), json.loads(json.dumps(found.certificate)))
    closer = replace(made, goal=made.goal - number(F(1, 10**6)))
    with pytest.raises(Rejected):
        check(_statement(closer), found.certificate)


def _statement(made: Problem) -> Sequent:
    box = tuple((n, Side(s.low, s.high, s.open_low, s.open_high)) for n, s in made.box)
    facts = tuple(Fact(read_expression(str(c.expression)), c.strict) for c in made.constraints)
    goal = read_expression(str(made.goal))
    return Sequent(goal, made.strict, box, facts, made.integers, total=True)


def _rules(tree: object) -> set[object]:
    if isinstance(tree, list):
        return set().union(*map(_rules, tree)) if tree else set()
    if not isinstance(tree, dict):
        return set()
    return {tree.get("rule")}.union(*map(_rules, tree.values()))


def test_the_precision_is_left_alone_and_work_decides() -> None:
    made = problem("sin(x)*y+x*cos(y) <= 7", *BOX)
    before = flint.ctx.prec
    first, second = prover.prove(made), prover.prove(made)
    assert flint.ctx.prec == before
    assert (first.status, first.work) == (second.status, second.work)
    assert first.status is Status.PROVED


def test_certificates_are_json() -> None:
    made = problem("x*exp(-x)+y*exp(-y) <= 2/E", "0 <= x", "x <= 5", "0 <= y", "y <= 5")
    result = prover.prove(made)
    assert json.loads(json.dumps(result.certificate))["rule"]
