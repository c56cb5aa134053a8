"""Values for symbols: by name from the point, by quantity, and dimensions from the matrices."""

from fractions import Fraction

import pytest

from bounds.arithmetic.rationals import RationalField
from bounds.claim import Claim
from bounds.errors import ShapeError
from bounds.hypothesis import assume
from bounds.parameters import Parametrised
from bounds.points import point
from bounds.quantity import Quantity
from bounds.relation import Relation, Tail
from bounds.source import Source
from bounds.symbols import matrix, scalar
from proofs_check.methods.binding import bind, point_values

FIELD = RationalField()
n, m, x, delta = scalar("n"), scalar("m"), scalar("x"), scalar("delta")
A, b = matrix("A", n, m), matrix("b", m, 1)


def claim(lhs=A, rhs=b, **rest):
    return Claim(id="T.b", title="t", lhs=lhs, rhs=rhs, source=Source("t"), **rest)


def test_matrices_give_the_dimensions():
    values = bind(claim(), point({"A": [[1, 2, 3], [4, 5, 6]], "b": [[1], [2], [3]]}), FIELD)
    assert (values[n], values[m]) == (2, 3)
    assert FIELD.shape(values[A]) == (2, 3)


@pytest.mark.parametrize(
    "values",
    [
        {"A": [[1, 2]], "b": [[1], [2], [3]]},
        {"A": [[1, 2]], "b": [[1, 2]]},
        {"A": [[1, 2]], "b": [[1], [2]], "m": 3},
    ],
)
def test_shapes_must_fit(values):
    whole = claim(hypotheses=(assume("m", m >= 1),))
    with pytest.raises(ShapeError):
        bind(whole, point(values), FIELD)


def test_every_part_of_a_claim_gets_its_values():
    whole = claim(
        x, x, relation=Relation.TAIL, tail=Tail(delta), hypotheses=(assume("n", n > 0),),
        quantities=(Quantity(scalar("q"), "", lambda p, f: f.number(9), formula=m + 1),),
    )  # fmt: skip
    values = bind(whole, point({"x": 1, "delta": "1/2", "n": 4, "m": 5, "unused": 6}), FIELD)
    assert {str(k): Fraction(str(v)) for k, v in values.items()} == {
        "x": 1, "delta": Fraction(1, 2), "n": 4, "m": 5, "q": 9,
    }  # fmt: skip


def test_a_quantity_outweighs_the_point_and_parameters_are_read():
    whole = claim(x, n, quantities=(Quantity(x, "", lambda p, f: f.number(7)),))
    assert bind(whole, point({"x": 1, "n": 1}), FIELD)[x] == 7
    inside = Parametrised(data=object(), point=point({"n": 3}))
    assert point_values(whole, inside, FIELD) == {n: 3}
    assert point_values(whole, object(), FIELD) == {}
