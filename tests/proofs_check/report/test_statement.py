"""Statements as text: the relation is printed, never folded away."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from sympy import Identity, log, oo

from bounds import (
    Claim,
    Derivation,
    Limit,
    Mutant,
    Relation,
    Rule,
    Source,
    Step,
    Tail,
    assume,
    matrix,
    on_instances,
    scalar,
)
from bounds.status import Status
from proofs_check.report.explain import claim_view, latex_view, verdict_view
from proofs_check.report.statement import (
    latex_statement,
    unicode_hypothesis,
    unicode_statement,
)
from proofs_check.verdict import Evidence, Strength, Tightness, Verdict, Witness

x, y, n = scalar("x"), scalar("y"), scalar("n")


def claim(**changes: Any) -> Claim:
    given: dict[str, Any] = {"id": "t.a", "title": "t", "lhs": x, "rhs": y, "source": Source("s")}
    return Claim(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "unicode", "latex"),
    [
        ({}, "x ≤ y", r"x \le y"),
        ({"relation": Relation.LT}, "x < y", "x < y"),
        ({"relation": Relation.IDENTITY, "rhs": x}, "x = x", "x = x"),
        ({"relation": Relation.IFF, "lhs": x > 0, "rhs": y > 0}, "x > 0 ⇔ y > 0", r"\iff"),
        ({"relation": Relation.TAIL, "tail": Tail(n)}, "P(x > y) ≤ n", r"\mathbb{P}"),
        (
            {"relation": Relation.LIMIT, "limit": Limit(x, oo)},
            "lim x→∞  x = y",
            r"\lim_{x \to \infty} x = y",
        ),
    ],
)
def test_every_relation(changes: dict[str, Any], unicode: str, latex: str) -> None:
    assert unicode_statement(claim(**changes)) == unicode
    assert latex in latex_statement(claim(**changes))


def test_a_wide_statement_goes_on_two_levels() -> None:
    wide = claim(lhs=log(1 + x) * log(2 + x), rhs=log(3 + y) * log(4 + y))
    assert "\n\n≤ " in unicode_statement(wide, 30)
    assert "\n" not in unicode_statement(wide, 80)


def test_matrices_keep_their_two_dimensions() -> None:
    X = matrix("X", n, n)
    shown = unicode_statement(claim(lhs=X.T * X + Identity(n), rhs=X, relation=Relation.IDENTITY))
    assert shown.splitlines()[0].strip() == "T"
    assert "= X" in shown


def test_hypotheses_without_a_formula_are_words() -> None:
    assert unicode_hypothesis(on_instances("keys", "keys are distinct")) == "keys are distinct"
    assert unicode_hypothesis(assume("half", x / 2 > 1)) == "x/2 > 1"


def test_the_whole_claim() -> None:
    full = claim(
        hypotheses=(assume("sign", x > 0), on_instances("keys", "keys are [distinct]")),
        derivation=Derivation(x, (Step(y, Rule.ALGEBRA, "by [assumption]", Relation.LE),)),
        mutants=(Mutant(name="free", why="x may be 1, y 0", drop=("sign",)),),
        tags=("tag",),
    )
    buffer = StringIO()
    Console(file=buffer, width=80, color_system=None).print(claim_view(full))
    shown = buffer.getvalue()
    for text in ("x ≤ y", "sign: x > 0", "keys are [distinct]", "by algebra: by [assumption]"):
        assert text in shown
    assert "~free: x may be 1, y 0 (without: sign)" in shown


def test_the_whole_verdict() -> None:
    evidence = (
        Evidence(
            "derivation",
            Status.PROVED,
            Strength.DERIVATION,
            "all steps [checked]",
            {"steps": [{"number": 1, "status": Status.PROVED, "reason": "same normal form"}]},
        ),
        Evidence(
            "instances",
            Status.CONSISTENT,
            Strength.RIGOROUS_INSTANCES,
            "held",
            {"kinds": ["one token", "random 1", "random 2"], "trace": ["side condition"]},
        ),
    )
    verdict = Verdict(
        "t.a",
        Status.PROVED,
        Strength.DERIVATION,
        "it holds",
        evidence,
        tightness=Tightness(0.5, "one token"),
        used=("sign",),
        unneeded=("keys",),
        axioms=("cited",),
        example={"x": "1/2"},
        settings={"seed": 0},
        witness=Witness({"x": "1"}, "3", "1", "rational", "left exceeds right"),
    )
    buffer = StringIO()
    Console(file=buffer, width=80, color_system=None).print(verdict_view(verdict))
    shown = buffer.getvalue()
    for text in (
        "Verdict  PROVED (derivation)",
        "- derivation: PROVED, all steps [checked]",
        "step 1 PROVED: same normal form",
        "side condition",
        "kinds of instances: one token, 2 random",
        "hypotheses used: sign",
        "proved again without: keys",
        "axioms: cited",
        "tightness: 0.5 @ one token",
        "example that satisfies every hypothesis: x: 1/2",
        "left 3, right 1 (rational)",
    ):
        assert text in shown


def test_latex_of_a_whole_claim() -> None:
    shown = latex_view(claim(hypotheses=(assume("sign", x > 0),)))
    assert shown.splitlines()[1:4] == [r"\[", r"x \le y", r"\]"]
    assert r"\item $x > 0$" in shown
