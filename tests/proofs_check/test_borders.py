"""What an author may get wrong at the borders never ends in a wrong verdict."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Eq, Inverse, Q, Trace, log, oo, sqrt

from bounds import (
    Claim,
    Limit,
    Quantity,
    Relation,
    Source,
    Status,
    assume,
    box,
    matrix,
    on_instances,
    scalar,
    structural,
)
from bounds.axioms import INVERSE_WISHART_MEAN, inverse_wishart_mean
from bounds.errors import ClaimDefinitionError
from bounds.points import between, choices
from proofs_check.checker import check
from proofs_check.verdict import Strength

x, y, L = scalar("x"), scalar("y"), scalar("L")
n, p = scalar("n"), scalar("p")
M, C = matrix("M", p, p), matrix("C", p, p)
AXIOM = INVERSE_WISHART_MEAN.id
ENOUGH = assume("enough", n > p + 1)
POSITIVE = on_instances("positive", "C > 0", condition=Q.positive_definite(C))


def claim(**changes: Any) -> Claim:
    base = {"id": "T.x", "title": "t", "lhs": x, "rhs": y, "source": Source("s")}
    return Claim(**(base | changes))


def on_axiom(condition: Any, *others: Any) -> Claim:
    cited = structural("cited", "as the axiom says", condition=condition, axiom=AXIOM)
    return claim(lhs=Trace(C * M), rhs=p, hypotheses=(cited, *others))


@pytest.mark.parametrize("condition", [Eq(x, y), Eq(M, Inverse(C) / (n - p)), Eq(M, C), None])
def test_an_axiom_gives_what_it_says_and_nothing_else(condition: Any) -> None:
    with pytest.raises(ClaimDefinitionError, match="is not what the axiom says"):
        on_axiom(condition, ENOUGH, POSITIVE)


@pytest.mark.parametrize("others", [(), (ENOUGH,), (POSITIVE,), (assume("few", n > p), POSITIVE)])
def test_an_axiom_needs_its_hypotheses(others: tuple[Any, ...]) -> None:
    with pytest.raises(ClaimDefinitionError, match="needs the hypotheses"):
        on_axiom(inverse_wishart_mean(M, C, n), *others)


def test_an_axiom_with_its_hypotheses_is_welcome() -> None:
    good = on_axiom(inverse_wishart_mean(M, C, n), ENOUGH, POSITIVE)
    assert good.hypotheses[0].axiom == AXIOM


@pytest.mark.parametrize(
    "term", [log(x), sqrt(x), 1 / x, Trace(Inverse(C))], ids=["log", "sqrt", "1/x", "inverse"]
)
def test_a_limit_whose_left_side_may_be_undefined_is_not_proved(term: Any) -> None:
    limit = {"relation": Relation.LIMIT, "limit": Limit(L, oo)}
    assert check(claim(lhs=(L + term) / L, rhs=1, **limit)).status is not Status.PROVED


def test_a_limit_that_is_defined_is_proved() -> None:
    limit = {"relation": Relation.LIMIT, "limit": Limit(L, oo)}
    positive = assume("positive", x > 0)
    good = claim(lhs=(L + log(x)) / L, rhs=1, hypotheses=(positive,), **limit)
    assert check(good).status is Status.PROVED
    holds = on_instances("short", "L <= 10", holds=lambda _, field: True)
    tied = claim(lhs=(L + x) / L, rhs=1, hypotheses=(positive, holds), **limit)
    assert check(tied).status is Status.UNDECIDED


@pytest.mark.parametrize("answer", ["no", 1, [True], 0])
def test_a_hypothesis_says_true_false_or_none(answer: Any) -> None:
    odd = on_instances("odd", "odd", holds=lambda _, field: answer)
    verdict = check(claim(lhs=x, rhs=x, relation=Relation.IDENTITY, hypotheses=(odd,)))
    assert verdict.status is Status.ERROR
    assert "hypothesis odd must say True, False or None" in verdict.summary


def test_agreement_is_told_from_certainty() -> None:
    tiny = claim(
        lhs=log(x),
        rhs=log(x) + y,
        relation=Relation.IDENTITY,
        instances=box(20, x=choices(2, 3), y=choices("1e-170")),
    )
    verdict = check(tiny)
    assert verdict.status is Status.CONSISTENT
    assert verdict.strength is Strength.AGREEMENT
    assert "only to 400 bits" in verdict.summary


@pytest.mark.parametrize("fault", [KeyError("z"), TypeError("t"), RuntimeError("r")])
def test_what_a_quantity_raises_is_an_error_that_names_it(fault: Exception) -> None:
    def function(_instance: Any, _field: Any) -> Any:
        raise fault

    broken = claim(quantities=(Quantity(y, "y", function),), instances=box(5, x=between(0, 1)))
    verdict = check(broken)
    assert verdict.status is Status.ERROR
    assert f"quantity y raised {type(fault).__name__}" in verdict.summary
