"""Arrays: shapes, kinds, ranges and corners, shrinking; and the instances by default."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Determinant, Identity, OneMatrix, Trace, ZeroMatrix

from bounds.arrays import POSITIVE, UNIT_INTERVAL, arrays
from bounds.claim import Claim
from bounds.defaults import default_instances
from bounds.errors import ParameterError
from bounds.hypothesis import assume
from bounds.points import Range, between, choices, integers, point
from bounds.quantity import Quantity
from bounds.relation import Relation, Tail
from bounds.source import Source
from bounds.symbols import matrix, scalar

n, m, s, t = (scalar(name) for name in "nmst")
A, B, x = matrix("A", n, m), matrix("B", n, n), matrix("x", m, 1)
INDICES, SEEDS = st.integers(0, 120), st.integers(0, 200)
FAMILY = arrays(A, x, ranges={s: POSITIVE, t: UNIT_INTERVAL}, sizes={n: integers(1, 3)})


def shape(rows):
    assert len({len(row) for row in rows}) == 1
    return len(rows), len(rows[0])


@given(INDICES, SEEDS)
@settings(max_examples=80, derandomize=True, deadline=None)
def test_shapes_fit_and_draws_repeat(index, seed):
    drawn = FAMILY.draw(index, seed)
    FAMILY.draw(index + 3, seed + 1)
    assert FAMILY.draw(index, seed) == drawn
    assert shape(drawn["A"]) == (drawn["n"], drawn["m"])
    assert shape(drawn["x"]) == (drawn["m"], 1)
    assert 1 <= drawn["n"] <= 3
    assert 1 <= drawn["m"] <= 4
    assert all(isinstance(v, Fraction) for row in drawn["A"] for v in row)
    assert drawn["s"] > 0
    assert 0 < drawn["t"] < 1
    assert index >= 2 or drawn["n"] == drawn["m"] == 1


@given(st.sampled_from(["permutation", "symmetric", "positive definite"]), INDICES, SEEDS)
@settings(max_examples=80, derandomize=True, deadline=None)
def test_kinds_are_what_they_say(kind, index, seed):
    values = np.array(arrays(B, kinds={B: kind}).draw(index, seed)["B"], dtype=object)
    size = len(values)
    if kind == "permutation":
        assert (values.sum(0) == 1).all()
        assert (values.sum(1) == 1).all()
        assert set(values.flat) <= {0, 1}
    else:
        assert (values == values.T).all()
    if kind == "positive definite":
        assert np.linalg.eigvalsh(values.astype(float)).min() > 0.2
        assert values.shape == (size, size)


def test_special_arrays_are_among_the_first_sixty():
    drawn = [FAMILY.draw(i, 0) for i in range(60)]
    labels = {d.label.split(",")[0] for d in drawn}
    assert labels == {
        "general", "zero", "repeated rows", "rank one", "zeros and ones", "tiny entries",
        "huge entries",
    }  # fmt: skip
    for d in drawn:
        values = np.array(d["A"], dtype=float)
        if d.label.startswith("zero,"):
            assert not values.any()
        if d.label.startswith("rank one"):
            assert np.linalg.matrix_rank(values) <= 1
        if d.label.startswith("repeated rows"):
            assert (values == values[0]).all()


@pytest.mark.parametrize("allowed", [Range(), POSITIVE, UNIT_INTERVAL, integers(1, 6), between(0)])
def test_every_corner_of_every_scalar_is_tried(allowed):
    family = arrays(ranges={s: allowed, t: allowed})
    drawn = [family.draw(i, 0) for i in range(60)]
    for name in ("s", "t"):
        assert {d[name] for d in drawn} >= set(allowed.corners()), name
    pairs = {(d["s"], d["t"]) for d in drawn[1::4]}
    assert len(pairs) > len(allowed.corners()), "the corners never meet in another way"


def test_a_narrow_open_range_is_no_crash():
    family = arrays(ranges={s: between(0, Fraction(1, 10**9), ends="()")})
    assert all(0 < family.draw(i, 0)["s"] < Fraction(1, 10**9) for i in range(40))


@given(INDICES, SEEDS)
@settings(max_examples=30, derandomize=True, deadline=None)
def test_shrinking_stays_inside(index, seed):
    family = arrays(
        A, B, x, kinds={B: "permutation"}, ranges={s: POSITIVE, t: choices(0, 1)},
        sizes={m: integers(2, 4)},
    )  # fmt: skip
    drawn = family.draw(index, seed)
    for simpler in family.shrink(drawn):
        assert simpler != drawn
        assert shape(simpler["A"]) == (simpler["n"], simpler["m"])
        assert simpler["n"] == drawn["n"], "a permutation keeps its size"
        assert simpler["B"] == drawn["B"]
        assert simpler["m"] >= 2
        assert simpler["s"] > 0
        assert simpler["t"] in (0, 1)


def test_shrinking_ends_in_the_simplest():
    family = arrays(A, ranges={s: POSITIVE})
    instance, steps = family.draw(7, 0), 0
    while (simpler := next(family.shrink(instance), None)) is not None:
        instance, steps = simpler, steps + 1
        assert steps < 500
    assert instance.describe() == {"n": "1", "m": "1", "s": "1", "A": [["0"]]}


def test_first_points_come_first():
    special = point({"A": [[7]], "n": 1, "m": 1})
    family = arrays(A, first=(special,))
    assert family.draw(0, 5) is special
    assert family.draw(1, 5) == arrays(A).draw(0, 5)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match=r"kinds\[B\]"):
        arrays(B, kinds={B: "unitary"})


# --- instances by default -----------------------------------------------------------------------
def claim(lhs, **rest):
    return Claim(id="T.x", title="t", lhs=lhs, rhs=s, source=Source("t"), **rest)


def names(family):
    return {name for name, _ in family.draw(0, 0).values}


def test_defaults_give_every_symbol_a_value():
    family = default_instances(claim(Determinant(B), hypotheses=(assume("h", t > 0),)))
    assert names(family) == {"n", "s", "t", "B"}
    assert family.count == 200


def test_defaults_leave_out_what_a_quantity_computes_and_take_what_its_formula_needs():
    computed = Quantity(t, "", lambda p, field: field.number(0), formula=2 * m)
    assert names(default_instances(claim(t, quantities=(computed,)))) == {"s", "m"}


def test_defaults_know_the_failure_probability():
    tail = claim(t, relation=Relation.TAIL, tail=Tail(scalar("delta")))
    assert names(default_instances(tail)) == {"s", "t", "delta"}


@pytest.mark.parametrize(
    "lhs",
    [
        Trace(Identity(n)),
        Trace(OneMatrix(n, n)),
        Trace(ZeroMatrix(n, m) * OneMatrix(m, n)),
        Trace(Identity(2 * n + 1)),
    ],
)
def test_a_dimension_is_whole_without_a_matrix_symbol(lhs):
    family = default_instances(claim(lhs))
    drawn = [family.draw(i, 0) for i in range(family.count)]
    assert {d["n"] for d in drawn} == {1, 2, 3, 4}
    assert any(d["s"].denominator > 1 for d in drawn), "other scalars stay real"
    assert all(simpler["n"] in (1, 2, 3, 4) for d in drawn for simpler in family.shrink(d))


def test_a_dimension_in_a_hypothesis_or_of_a_computed_matrix_is_whole():
    seen = claim(t * n, hypotheses=(assume("h", Trace(Identity(n)) > t),))
    computed = Quantity(matrix("C", n, n), "", lambda p, field: field.matrix([[1]]))
    for stated in (seen, claim(n * Determinant(computed.symbol), quantities=(computed,))):
        family = default_instances(stated)
        assert {family.draw(i, 0)["n"] for i in range(200)} == {1, 2, 3, 4}


def test_a_dimension_that_a_matrix_symbol_has_is_drawn_once():
    family = default_instances(claim(Trace(B) + Trace(Identity(n))))
    assert "n" not in dict(family.ranges)
    for i in range(20):
        drawn = family.draw(i, 0)
        assert shape(drawn["B"]) == (drawn["n"], drawn["n"])
