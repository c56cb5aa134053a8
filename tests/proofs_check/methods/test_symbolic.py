"""Symbolic evidence: definitions put in, hypotheses as facts, and those that are not needed."""

from sympy import Eq, Inverse, sqrt, sympify

from bounds.claim import Claim
from bounds.hypothesis import assume, on_instances, structural
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import matrix, scalar
from proofs_check.methods.symbolic import check_identity, definitions_of, facts_of, put_in, unneeded

x, y, w, n = (scalar(name) for name in "xywn")
A = matrix("A", n, n)
WORK = 50_000
POSITIVE = assume("positive", x > 0)


def zero(instance, field):
    return field.number(0)


def claim(lhs, rhs, relation=Relation.IDENTITY, **rest):
    return Claim(
        id="T.s", title="t", lhs=sympify(lhs), rhs=sympify(rhs), relation=relation,
        source=Source("t"), **rest,
    )  # fmt: skip


def test_only_identities_are_looked_at():
    assert check_identity(claim(x, x, Relation.LE), work=WORK) is None
    assert check_identity(claim(x, x), work=WORK).status is Status.PROVED


def test_definitions_are_put_in_to_any_depth():
    first = Quantity(y, "", zero, formula=x + 1)
    second = Quantity(w, "", zero, formula=y**2)
    nested = claim(w, x**2 + 2 * x + 1, quantities=(first, second))
    assert put_in(w, definitions_of(nested)) == (x + 1) ** 2
    assert check_identity(nested, work=WORK).status is Status.PROVED


def test_definitions_in_a_circle_end():
    circle = {x: y + 1, y: x + 1}
    assert put_in(x, circle).free_symbols <= {x, y}


def test_hypotheses_become_facts_with_definitions_put_in():
    named = claim(
        x, y,
        hypotheses=(
            assume("a", w > 0),
            on_instances("b", "", condition=Eq(x, y)),
            structural("c", "i.i.d."),
            on_instances("d", "", holds=lambda i, f: True),
        ),
        quantities=(Quantity(w, "", zero, formula=x**2),),
    )  # fmt: skip
    assert [(f.name, f.condition) for f in facts_of(named)] == [("a", x**2 > 0), ("b", Eq(x, y))]


def test_used_and_unneeded():
    root = claim(sqrt(x**2), x, hypotheses=(POSITIVE, assume("idle", y > 0)))
    found = check_identity(root, work=WORK)
    assert found.status is Status.PROVED
    assert found.used == {"positive"}
    assert tuple(found.details["unneeded"]) == unneeded(root, work=WORK) == ("idle",)


def test_either_of_two_hypotheses_is_unneeded_alone():
    double = claim(1 / x * x**2, x, hypotheses=(POSITIVE, assume("large", x > 2)))
    assert check_identity(double, work=WORK).status is Status.PROVED


def test_what_is_not_shown_is_undecided_with_a_reason():
    for bad in (claim(sqrt(x**2), x), claim(x, y), claim(Inverse(A), Inverse(A))):
        found = check_identity(bad, work=WORK)
        assert found.status is Status.UNDECIDED
        assert found.summary
