"""`prove` and `proofs-check prove`: texts and SymPy in, verdict and exit code out."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.arithmetic.grammar import GrammarError
from proofs_check.cli.app import main
from proofs_check.inequalities import prove
from proofs_check.methods.inequality.explain import steps
from proofs_check.methods.inequality.from_sympy import (
    UnsupportedSympy,
    condition_from_sympy,
    expression_from_sympy,
)
from proofs_check.verdict import Strength
from proofs_check.workers import Job, run_job

x, y = sp.symbols("x y", real=True)


def test_texts() -> None:
    verdict = prove("x*(1 - x) <= 1/4")
    assert verdict.status is Status.PROVED
    assert verdict.evidence[0].details["certificate"]
    assert verdict.example is not None


def test_sympy_relations() -> None:
    assert prove(x**2 + y**2 >= 2 * x * y).status is Status.PROVED
    refuted = prove(sp.log(x) <= x / 3, [x > 0])
    assert refuted.status is Status.REFUTED
    assert refuted.witness is not None
    point = Fraction(refuted.witness.instance["x"])
    assert sp.log(sp.Rational(point.numerator, point.denominator)) > sp.Rational(point) / 3
    assert prove(sp.Implies(x > 1, x**2 > x)).status is Status.PROVED
    assert prove(x <= 1, "x <= 1").status is Status.PROVED


def test_a_witness_shows_both_sides() -> None:
    witness = prove("exp(x) > 1 + x").witness
    assert witness is not None
    assert (witness.instance, witness.lhs, witness.rhs) == ({"x": "0"}, "1", "1")
    assert witness.arithmetic == "rational"
    assert witness.failure == "not 1 + x < exp(x)"


@pytest.mark.parametrize(
    ("relation", "hypotheses", "status"),
    [
        ("x < 1 or x > 0", [], Status.PROVED),
        ("x < 0 or x > 0", [], Status.REFUTED),
        ("x != 1", ["x > 2 or x < 0"], Status.PROVED),
        ("(x + 1)**2 == x**2 + 2*x + 1", [], Status.PROVED),
        ("x == 1", ["x <= 1", "x >= 1"], Status.PROVED),
        ("x <= 1", ["x > 2 and x < 1 or x <= 1"], Status.PROVED),
        ("x <= y == 2", ["x == 2", "y >= 2"], Status.REFUTED),
        ("x <= 3", ["x > 2", "x < 1"], Status.ERROR),
        ("x < 0 or x > 5", ["x > 2", "x < 1"], Status.ERROR),
        ("implies(x > 2 and x < 1, x > 7)", [], Status.PROVED),
        ("1/x <= 1 and x <= x", ["x >= 0"], Status.ERROR),
        ("x <= 2", ["not (x > 1)"], Status.PROVED),
    ],
)
def test_logic(relation: str, hypotheses: list[str], status: Status) -> None:
    verdict = prove(relation, hypotheses)
    assert verdict.status is status
    assert (verdict.witness is not None) is (status is Status.REFUTED)
    assert status is not Status.ERROR or verdict.strength is Strength.NONE


@settings(max_examples=12, deadline=None)
@given(st.lists(st.fractions(-3, 3, max_denominator=6), min_size=3, max_size=5), st.integers(0, 2))
def test_squares_are_never_refuted_and_less_is_never_proved(
    coefficients: list[Fraction], kind: int
) -> None:
    square = " + ".join(f"({c})*x**{i}" for i, c in enumerate(coefficients, start=1))
    claim = f"({square})**2 >= " + ("0" if kind else "-1/1000")
    assert prove(claim).status in (Status.PROVED, Status.UNDECIDED)
    below = f"({square})**2 + (x*({coefficients[0]}))**2 > 0"
    assert prove(below).status is Status.REFUTED


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (sp.sqrt(x) / (1 + y), "sqrt(x)/(1 + y)"),
        (sp.exp(-x), "exp(-1*x)"),
        (x ** sp.Rational(-3, 2), "1/x**(3/2)"),
        (sp.Max(x, y) + sp.Abs(x), "abs(x) + max(x, y)"),
        (sp.E**2 * sp.pi, "pi*exp(2)"),
        (sp.besseli(1, x), "besseli(1, x)"),
        (sp.LambertW(x), "lambertw(x)"),
    ],
)
def test_from_sympy(expression: Any, text: str) -> None:
    assert str(expression_from_sympy(expression)) == text


@pytest.mark.parametrize("expression", [sp.Float("0.1") * x, sp.I * x, sp.zeta(x), sp.oo])
def test_what_sympy_has_and_we_have_not(expression: Any) -> None:
    with pytest.raises(UnsupportedSympy, match="no counterpart"):
        expression_from_sympy(expression)


class PrintsAsAnExpression:
    def __str__(self) -> str:
        return "x + 1"


@pytest.mark.parametrize("given", ["x + 1", "__import__('os')", PrintsAsAnExpression()])
def test_a_text_is_never_evaluated_as_sympy(given: object) -> None:
    with pytest.raises(UnsupportedSympy, match="is no SymPy expression"):
        expression_from_sympy(given)


def test_sympy_booleans_that_are_no_relations() -> None:
    with pytest.raises(UnsupportedSympy, match="no relation"):
        condition_from_sympy(x)
    assert prove(sp.true).status is Status.PROVED
    assert prove(sp.false).status is Status.REFUTED


def test_bad_texts_raise() -> None:
    with pytest.raises(GrammarError):
        prove("__import__('os')")


# --- hostile input --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("relation", "hypotheses"),
    [
        ("x**x**x**x >= -1", ["x > 0"]),
        ("exp(exp(exp(exp(x)))) >= 1", []),
        ("x**4000 + y**4000 >= -1", []),
        ("+".join(f"sin({i}*x)" for i in range(1, 150)) + " <= 1000", []),
        ("gamma(gamma(gamma(x))) > 0", ["x >= 3"]),
        ("sin(10**300*x) <= 2", []),
        ("a + b + c + d + e + f + g + h + i + j + k + l <= 1", ["a < 1"]),
        ("((((((((x**9)**9)**9)**9)**9)**9)**9)**9) >= x", ["x >= 1"]),
        ("binomial(n, k) >= 0", ["n in N", "k in N", "k <= n"]),
    ],
)
def test_monsters_end_within_the_budget_and_are_not_wrong(
    relation: str, hypotheses: list[str]
) -> None:
    job = Job("proofs_check.inequalities", "prove", (relation, hypotheses), {"work": 200})
    verdict = run_job(job, budget=2)
    assert verdict.status in (Status.PROVED, Status.UNDECIDED, Status.REFUTED)
    assert (verdict.status is Status.REFUTED) is (relation.startswith("a + b"))


# --- the command ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["x*(1 - x) <= 1/4"], 0),
        (["x**2 >= x", "--where", "x >= 0"], 1),
        (["log(x) <= x"], 3),
        (["x^2 >= 0"], 3),
        (["x <= 1", "--where", "x > 2", "--where", "x < 1"], 3),
        (["x <= 1", "--budget", "-1"], 3),
        (["n in N"], 3),
    ],
)
def test_exit_codes(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", *arguments]) == code
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    if code == 1:
        assert "x = 1/10" in shown.out


def test_a_spent_budget_is_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    claim = "+".join(f"sin({i}*x)*cos({i}*y)" for i in range(1, 40)) + " <= 30"
    code = main(["prove", claim, "--where", "0<=x<=1", "--where", "0<=y<=1", "--budget", "0.05"])
    assert code in (1, 2)
    assert "budget" in capsys.readouterr().out or code == 1


def test_json_and_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "x*y <= 1/4", "-w", "x + y == 1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "proofs-check/proof"
    assert found["verdict"]["status"] == "PROVED"
    assert found["hypotheses"] == ["x + y == 1"]
    assert main(["prove", "log(1 + x) <= x", "-w", "x > -1", "--explain"]) == 0
    text = capsys.readouterr().out
    assert "To show: log(1 + x) <= x, wherever -1 < x" in text
    assert "1 + x > 0" in text


def test_steps_of_an_undecided_claim_do_not_call_it_proved() -> None:
    verdict = prove("sin(1)**2 + cos(1)**2 <= 1")
    assert verdict.status is Status.UNDECIDED
    assert not any(line.startswith("Proof") for line in steps(verdict))


def test_without_asserts_the_answers_are_the_same() -> None:
    code = (
        "from proofs_check.inequalities import prove\n"
        "for r, h in [('log(1+x) <= x', 'x > -1'), ('x**2 >= x', 'x >= 0'), ('log(x) <= x', [])]:\n"
        "    print(prove(r, h).status)\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, *flag, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for flag in ([], ["-O"])
    }
    assert answers == {"PROVED\nREFUTED\nERROR\n"}


def test_the_room_is_enclosed_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "x**2 + 1 >= x", "--no-cache"]) == 0
    assert "room: between 1873/2500 and 0.75" in capsys.readouterr().out
    assert main(["prove", "log(1 + x) <= x", "-w", "x > -1", "--no-cache"]) == 0
    assert "tight: equality at x = 0" in capsys.readouterr().out


def test_a_picture_is_drawn_or_refused_before_any_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "sides.svg"
    assert main(["prove", "x*(1 - x) <= 1/5", "--plot", str(path)]) == 1
    assert path.read_text().startswith("<?xml")
    assert main(["prove", "x <= x + 1", "--plot", str(tmp_path / "sides.gif")]) == 3
    assert "end the name in .png" in capsys.readouterr().err


def test_what_the_checker_does_not_accept_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finder gone wrong: its certificate is for another claim."""
    from proofs_check import inequalities
    from proofs_check.methods.inequality.engine import decide
    from proofs_check.methods.inequality.problem import problem_from_text

    other = decide(problem_from_text("x <= x + 1", {"x": ("-inf", "inf", False, False)}))
    monkeypatch.setattr(inequalities, "decide", lambda *args, **keywords: other)
    verdict = prove("sin(x) <= x")
    assert verdict.status is Status.UNDECIDED
    assert "the checker does not accept it" in verdict.summary
    assert all(one.status is not Status.PROVED for one in verdict.evidence)
