"""Evaluation of expressions in the fields, against SymPy's and NumPy's own values."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.matrices.expressions.special import OneMatrix

from bounds.arithmetic.balls import BallField
from bounds.arithmetic.mixed import MixedField
from bounds.arithmetic.rationals import RationalField
from bounds.errors import NotRational, ShapeError, UndefinedError
from bounds.matrices import PseudoInverse
from bounds.symbols import matrix, scalar
from proofs_check.arithmetic.evaluate import UnsupportedExpression, as_scalar, dimension, evaluate

EXACT, BALLS, MIXED = RationalField(), BallField(128), MixedField(128)
x, y, n, m = (scalar(name) for name in "xynm")
A, B, v = matrix("A", n, m), matrix("B", n, n), matrix("v", n, 1)
ROWS = {"A": ((1, 2, 3), (4, 5, 7)), "B": ((2, 1), (1, 3)), "v": ((1,), (-2,))}


def values(field):
    given = {x: field.number(Fraction(2, 3)), y: field.number(3),
             n: field.number(2), m: field.number(3)}  # fmt: skip
    return given | {s: field.matrix(ROWS[s.name]) for s in (A, B, v)}


EXPLICIT = {s: sp.ImmutableMatrix(ROWS[s.name]) for s in (A, B, v)}
SCALARS = [
    x + y - 1, x * y / 7, x**3, x**-2, y**x, sp.sqrt(x * y), (x / y) ** sp.Rational(2, 3),
    sp.log(x), sp.exp(-x), sp.pi * x, sp.E ** y, sp.Abs(-x), sp.Max(x, y, 1), sp.Min(x, y, 1),
    sp.sqrt(2) * sp.exp(1),
]  # fmt: skip


@pytest.mark.parametrize("expression", SCALARS, ids=str)
@pytest.mark.parametrize("field", [BALLS, MIXED], ids=["balls", "mixed"])
def test_scalars(field, expression):
    with field.context():
        found = field.to_float(evaluate(expression, values(field), field))
    expected = float(expression.subs({x: sp.Rational(2, 3), y: 3}).evalf(30))
    assert found == pytest.approx(expected, rel=1e-14)


MATRICES = [
    A.T * A, B * v, 2 * B + sp.Identity(n), sp.Inverse(B), B**3, B**-2, B - B.T, x * A,
    sp.Trace(B * B), sp.Determinant(B), A[0, 2] * x, v.T * B * v, OneMatrix(n, m) + A,
    A * sp.ZeroMatrix(m, n), A.applyfunc(sp.Lambda(y, y**2 + x)), sp.DiagMatrix(v) * B,
    PseudoInverse(A), PseudoInverse(B) * v,
]  # fmt: skip


def by_sympy(expression):
    """The same expression from explicit matrices, as a NumPy array."""
    number = {x: sp.Rational(2, 3), y: 3}
    names = {n: 2, m: 3}
    if isinstance(expression, PseudoInverse):
        return np.linalg.pinv(np.array(EXPLICIT[expression.arg].tolist(), dtype=float))
    direct = {
        2 * B + sp.Identity(n): 2 * np.array(ROWS["B"]) + np.eye(2),
        x * A: 2 / 3 * np.array(ROWS["A"]),
        OneMatrix(n, m) + A: np.array(ROWS["A"]) + 1,
    }
    if expression in direct:
        return direct[expression]
    if expression == PseudoInverse(B) * v:
        return np.linalg.solve(np.array(ROWS["B"]), np.array(ROWS["v"]))
    if expression == sp.DiagMatrix(v) * B:
        return np.diag([1, -2]) @ np.array(ROWS["B"])
    if expression == A.applyfunc(sp.Lambda(y, y**2 + x)):
        return np.array(ROWS["A"]) ** 2 + 2 / 3
    if expression == A * sp.ZeroMatrix(m, n):
        return np.zeros((2, 2))
    found = expression.subs(names).xreplace({s.subs(names): EXPLICIT[s] for s in EXPLICIT})
    found = found.doit().subs(number)
    return np.array(found.tolist(), dtype=float) if hasattr(found, "tolist") else float(found)


@pytest.mark.parametrize("expression", MATRICES, ids=str)
def test_matrices(expression):
    for field in (EXACT, BALLS, MIXED):
        with field.context():
            found = evaluate(expression, values(field), field)
            try:
                rows, columns = field.shape(found)
                got = [
                    [field.to_float(field.entry(found, i, j)) for j in range(columns)]
                    for i in range(rows)
                ]
            except AttributeError:
                got = field.to_float(found)
        assert np.array(got) == pytest.approx(by_sympy(expression), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("expression", "error", "words"),
    [
        (scalar("w") + 1, UnsupportedExpression, "symbol w has no value"),
        (sp.sin(x), UnsupportedExpression, "no rule evaluates sin"),
        (x * 0.1, UnsupportedExpression, "is not exact"),
        (sp.Float("1e-30") * x, UnsupportedExpression, "is not exact"),
        (sp.oo * y, UndefinedError, "not a number"),
        (sp.nan + 0, UndefinedError, "not a number"),
        (1 / (x - sp.Rational(2, 3)), UndefinedError, "undefined"),
        (sp.log(x - y), UndefinedError, "log"),
        (sp.sqrt(-x), UndefinedError, "undefined"),
        (sp.sqrt(x), NotRational, "not a rational"),
        (sp.pi, NotRational, "pi"),
        (sp.Trace(B) + matrix("w", n, 1)[0, 0], UnsupportedExpression, "w has no value"),
    ],
)
def test_what_has_no_value(expression, error, words):
    with pytest.raises(error, match=words):
        evaluate(expression, values(EXACT), EXACT)


def test_shapes_are_checked():
    wrong = values(EXACT) | {B: EXACT.matrix([[1, 2]])}
    for expression in (sp.Trace(B), sp.DiagMatrix(v) * B):
        with pytest.raises(ShapeError):
            evaluate(expression, wrong, EXACT)
    with pytest.raises(ShapeError):
        as_scalar(EXACT.matrix([[1, 2]]), EXACT)
    assert as_scalar(EXACT.matrix([[7]]), EXACT) == 7
    with pytest.raises(ShapeError, match="whole number"):
        dimension(x, values(EXACT), EXACT)
    assert dimension(n + 1, values(EXACT), EXACT) == 3


def test_a_whole_expression_may_be_a_key():
    integral = sp.Integral(sp.exp(-(x**2)), (x, -sp.oo, sp.oo))
    assert evaluate(integral + 1, {integral: EXACT.number(5)}, EXACT) == 6
    with pytest.raises(UnsupportedExpression, match="Integral"):
        evaluate(integral, values(EXACT), EXACT)


@given(st.fractions(min_value=0, max_value=50, max_denominator=20), st.integers(-6, 6))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_symbolic_exponents_are_exact(base, exponent):
    given = {x: EXACT.number(base), y: EXACT.number(exponent)}
    if base == 0 and exponent < 0:
        with pytest.raises(UndefinedError):
            evaluate(x**y, given, EXACT)
        return
    assert evaluate(x**y, given, EXACT) == EXACT.number(base**exponent)


def test_zero_to_a_tiny_power_and_powers_too_long_to_write():
    tiny = {x: MIXED.number(0), y: MIXED.number(Fraction(1, 10**12))}
    huge = {x: MIXED.number(2), y: MIXED.number(10**12)}
    with MIXED.context():
        assert evaluate(x**y, tiny, MIXED) == 0
        assert MIXED.less(MIXED.number(10**9), evaluate(x**y, huge, MIXED)) is True
    with pytest.raises(NotRational):
        evaluate(x**y, {x: EXACT.number(2), y: EXACT.number(10**12)}, EXACT)
    assert evaluate(x**y, {x: EXACT.number(-1), y: EXACT.number(10**12)}, EXACT) == 1
