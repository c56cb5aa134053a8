"""A claim put together wrongly is refused, and the message says which part and what to write."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Eq, Symbol

from bounds import (
    Claim,
    Mutant,
    Quantity,
    Relation,
    Source,
    Status,
    assume,
    matrix,
    on_instances,
    scalar,
)
from bounds.errors import ClaimDefinitionError
from bounds.hypothesis import Hypothesis, HypothesisKind
from bounds.quantity import Law, Sampler
from bounds.relation import Tail

x, y, z = scalar("x"), scalar("y"), scalar("z")
n, m = scalar("n"), scalar("m")


def claim(**changes: Any) -> Claim:
    return Claim(
        **({"id": "T.x", "title": "t", "lhs": x, "rhs": y, "source": Source("s")} | changes)
    )


def two(_instance: Any, _field: Any) -> None: ...


def one(_instance: Any) -> None: ...


def three(_instance: Any, _field: Any, _size: Any) -> Any: ...


def random(*, law: Any = None, sampler: Any = None, failure: Any = m, **rest: Any) -> Any:
    return {"relation": Relation.TAIL, "tail": Tail(failure, law, sampler), **rest}


FALSE_KIND = Hypothesis("p", HypothesisKind.SCALAR, "p", condition=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"relation": "="}, r"relation is '='; give a Relation, such as Relation\.IDENTITY"),
        ({"relation": None}, "relation is None"),
        ({"expected": "PROVED"}, r"give a Status, such as Status\.CONSISTENT"),
        ({"source": "paper"}, "give a Source"),
        ({"lhs": "x"}, "lhs is 'x', not a SymPy expression"),
        ({"rhs": 0.5}, "rhs is 0.5"),
        ({"hypotheses": assume("a", x > 0)}, r"needs a comma: hypotheses=\(item,\)"),
        ({"hypotheses": ("x > 0",)}, "make it with assume"),
        ({"mutants": Mutant(name="a", why="b")}, "mutants must be a tuple"),
        ({"mutants": ("a",)}, "make it with Mutant"),
        ({"hypotheses": (FALSE_KIND,)}, r"'p' is True, not a SymPy condition; write Eq\(x, 1\)"),
        ({"mutants": (Mutant(name="a", why="b", drop=("no",)),)}, r"unknown hypotheses \['no'\]"),
        ({"relation": Relation.IFF}, "both sides of IFF are conditions"),
        ({"relation": Relation.TAIL}, "go together"),
        ({"relation": Relation.LIMIT}, "go together"),
        ({"lhs": Symbol("x", positive=True)}, "x: state signs"),
        ({"lhs": matrix("A", n, m), "rhs": matrix("A", m, n)}, "are named A; rename one"),
        ({"lhs": matrix("x", n, m) * x}, "are named x; rename one"),
        ({"quantities": (Quantity(x, "x", one),)}, r"quantity x must take \(instance, field\)"),  # type: ignore[arg-type]
        ({"hypotheses": (on_instances("h", "h", holds=one),)}, "hypothesis h must take"),  # type: ignore[arg-type]
        (
            {"relation": Relation.TAIL, "tail": Tail(y, law=Law(x, "l", two))},  # type: ignore[arg-type]
            r"the law must take \(instance, field, threshold\)",
        ),
        (
            {"relation": Relation.TAIL, "tail": Tail(y, sampler=Sampler(x, "l", two))},  # type: ignore[arg-type]
            r"the sampler must take \(instance, rng, size\)",
        ),
        (random(lhs=2 * x, law=Law(x, "l", three)), "the law is that of x, but lhs is 2"),
        (random(law=Law(y, "l", three)), "the law is that of y, but lhs is x"),
        (random(rhs=x / 2, law=Law(x, "l", three)), "rhs contains the law's symbol x"),
        (
            random(sampler=Sampler(z, "l", three)),
            "neither lhs nor rhs contains the sampler's symbol z",
        ),
        (random(sampler=Sampler(x + y, "l", three)), r"make it with scalar\(name\)"),
        (random(failure=x, sampler=Sampler(x, "l", three)), "x is random"),
        (random(sampler=Sampler(x, "l", three), hypotheses=(assume("h", x > 0),)), "x is random"),
        (random(law=Law(x, "l", three), quantities=(Quantity(x, "x", two),)), "x is random"),
    ],
)
def test_faults_are_named_with_the_remedy(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ClaimDefinitionError, match=message) as caught:
        claim(**changes)
    assert str(caught.value).startswith("claim 'T.x': ")


def test_whole_numbers_are_taken_as_sides() -> None:
    assert claim(lhs=0, rhs=1).rhs == 1
    with pytest.raises(ClaimDefinitionError, match="lhs is True"):
        claim(lhs=True)


def test_what_is_right_is_accepted() -> None:
    good = claim(
        relation=Relation.IFF,
        lhs=Eq(x, y),
        rhs=Eq(y, x),
        hypotheses=(assume("both", (x > 0) & (y > 0)), on_instances("h", "h", holds=two)),  # type: ignore[arg-type]
        quantities=(Quantity(y, "y", two),),
        expected=Status.CONSISTENT,
    )
    assert good.relation is Relation.IFF
