"""The sign oracle never claims a sign that a point allowed by the facts contradicts."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Eq, Identity, MatrixSymbol, Ne, OneMatrix, Q, Trace, symbols

from proofs_check.methods.matrix import Fact
from proofs_check.methods.matrix.facts import FactReader
from proofs_check.methods.matrix.identity import new_engine

X, Y, W, n = symbols("X Y W n", real=True)
A, u = MatrixSymbol("A", n, n), MatrixSymbol("u", n, 1)


def oracle(*conditions):
    engine = new_engine(50_000)
    reader = FactReader(engine)
    reader.read([Fact(f"h{i}", condition) for i, condition in enumerate(conditions)])
    return engine


def signs(expr, *conditions):
    engine = oracle(*conditions)
    return engine.functions.signs.of(engine.scalar(expr)).signs


KNOWN = [
    (X**2 + 1, (), {1}),
    (X**2, (), {0, 1}),
    (X**2, (Ne(X, 0),), {1}),
    (X * Y, (X < 0, Y < 0), {1}),
    (X * Y, (X * Y > 0,), {1}),
    (X - 1, (X >= 1,), {0, 1}),
    (1 - X, (X < 1,), {1}),
    (2 * X + Y, (X > 1, Y > -2), {1}),
    (n - X, (n > X + 1,), {1}),
    (X / (1 - X), (X > 0, X < 1), {1}),
    (X, (Y > 0, Eq(X, 1 / Y)), {1}),
    (Y - W, (X > W, Y > X + 1), {1}),
    (1 + Trace(u.T * u), (), {1}),
    (Trace(u.T * A * u), (Q.positive_definite(A),), {0, 1}),
    (Trace(OneMatrix(n, 1).T * OneMatrix(n, 1)), (n >= 1,), {1}),
]
UNKNOWN = [
    (X, ()),
    (X - 1, (X > 0,)),
    (X * Y, (X > 0,)),
    (X + Y, (X > 0, Y > -1)),
    (n - X - 1, (n > X,)),
    (Trace(u.T * A * u), (Q.symmetric(A),)),
    (X, (X**2 > 1,)),
]


@pytest.mark.parametrize(("expr", "facts", "expected"), KNOWN)
def test_signs_that_follow(expr, facts, expected):
    assert signs(expr, *facts) == expected


@pytest.mark.parametrize(("expr", "facts"), UNKNOWN)
def test_signs_that_do_not_follow(expr, facts):
    assert {-1, 1} <= signs(expr, *facts)


def test_only_the_facts_used_are_named():
    engine = oracle(X > 0, Y > 0, W > 0)
    assert engine.functions.signs.positive(engine.scalar(X + X * Y)) == {"h0", "h1"}


def test_definite_matrices():
    engine = oracle(X > 0, Q.positive_definite(A))
    definite = engine.letters.positive_definite
    assert definite(engine.matrix(X * Identity(n) + A * A.T)) is not None
    assert definite(engine.matrix(A + 2 * u * u.T)) == {"h1"}
    assert definite(engine.matrix(A * A.T)) is None
    assert definite(engine.matrix(X * Identity(n) - A * A.T)) is None
    assert definite(engine.matrix(A - Identity(n))) is None
    assert definite(engine.matrix(Y * Identity(n) + A * A.T)) is None


CONDITIONS = [X > 0, X >= 1, X < 2, Y > X, Y <= 3, W > -1, W < Y - X, Ne(W, 0), X * Y > 1, W >= 1]
small = st.fractions(-4, 4, max_denominator=4)
monomials = st.tuples(st.integers(-3, 3), *[st.integers(0, 2)] * 3)


def allows(condition, point):
    # Every condition is a rational relation, decided exactly by SymPy at a rational point.
    return bool(condition.subs(point))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(monomials, min_size=1, max_size=4),
    st.lists(st.sampled_from(CONDITIONS), max_size=4, unique=True),
    st.lists(st.tuples(small, small, small), min_size=5, max_size=5),
)
def test_no_allowed_point_contradicts_the_oracle(terms, conditions, points):
    expr = sum((c * X**i * Y**j * W**k for c, i, j, k in terms), 0 * X)
    claimed = signs(expr, *conditions)
    for values in points:
        point = dict(zip((X, Y, W), values, strict=True))
        if all(allows(condition, point) for condition in conditions):
            value = Fraction(str(expr.subs(point)))
            assert (value > 0) - (value < 0) in claimed
