"""log, exp, powers and the Gaussian integral: the normal form has the value of the expression."""

import math

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Integral, Rational, exp, log, oo, pi, sqrt, symbols

from proofs_check.methods.matrix import Fact, prove_identity
from proofs_check.methods.matrix.facts import FactReader
from proofs_check.methods.matrix.identity import new_engine
from proofs_check.methods.matrix.outcome import NotProved

X, Y, r, z = symbols("X Y r z", real=True)
FACTS = [Fact("X", X > 0), Fact("Y", Y > 1), Fact("r", r < 0)]
POINT = {X: 0.7, Y: 1.9, r: -0.45}
PIECES = [X, Y, r, X + Y, 1 - r, Y - 1, 2 * X, X * Y, Rational(3, 2), X**2 / Y]


def engine_with_facts():
    engine = new_engine(50_000)
    FactReader(engine).read(FACTS)
    return engine


def value_of(engine, ratio):
    """The value of a rational function of atoms at POINT, in floating point."""

    def atom_value(index):
        atom = engine.algebra.atoms[index]
        if atom.kind == "symbol":
            return next(v for k, v in POINT.items() if str(k) == atom.text)
        if atom.kind == "constant":
            return {"pi": math.pi, "E": math.e}[atom.text]
        inner = value_of(engine, atom.data)
        if atom.kind == "log":
            return math.log(inner)
        return math.exp(inner / atom.degree) if atom.kind == "exp" else inner ** (1 / atom.degree)

    def polynomial_value(polynomial):
        total = 0.0
        for exponents, coefficient in polynomial.to_dict().items():
            powers = [atom_value(i) ** int(e) for i, e in enumerate(exponents) if e]
            total += int(coefficient.p) / int(coefficient.q) * math.prod(powers)
        return total

    return polynomial_value(ratio.num) / polynomial_value(ratio.den)


scalars = st.recursive(
    st.sampled_from(PIECES),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        inner.map(lambda e: e**-1),
        inner.map(lambda e: exp(e / 3)),
        inner.map(log),
        inner.map(Abs),
        st.tuples(inner, st.sampled_from([Rational(1, 2), Rational(-2, 3), r, X - Y])).map(
            lambda p: p[0] ** p[1]
        ),
    ),
    max_leaves=5,
)


@settings(max_examples=100, deadline=None)
@given(scalars)
def test_a_scalar_keeps_its_value(expr):
    engine = engine_with_facts()
    try:
        ratio = engine.functions.reduced(engine.scalar(expr))
    except NotProved:
        return
    expected = complex(expr.subs(POINT).evalf(30))
    if abs(expected) > 1e8:
        return
    assert math.isclose(expected.imag, 0, abs_tol=1e-9)
    assert math.isclose(value_of(engine, ratio), expected.real, rel_tol=1e-6, abs_tol=1e-6)


@settings(max_examples=40, deadline=None)
@given(*[st.fractions(-3, 3, max_denominator=3)] * 2)
def test_gaussian_integrals(b, c):
    b, c = sympy.Rational(str(b)), sympy.Rational(str(c))
    lhs = Integral(exp(-X * z**2 / 2 + b * z + c), (z, -oo, oo))
    rhs = sqrt(2 * pi / X) * exp(b**2 / (2 * X) + c)
    assert prove_identity(lhs, rhs, FACTS).proved
    assert not prove_identity(lhs, rhs * 2, FACTS).proved


def test_the_bound_symbol_is_not_the_free_one():
    lhs = z * Integral(exp(-X * z**2), (z, -oo, oo))
    assert prove_identity(lhs, z * sqrt(pi / X), FACTS).proved
    assert not prove_identity(lhs, sqrt(pi / X), FACTS).proved


@pytest.mark.parametrize(
    "limits", [(z, 0, oo), (z, -oo, 0), (z, 0, 1), (z,)], ids=["right", "left", "unit", "none"]
)
def test_only_the_whole_line_is_supported(limits):
    proof = prove_identity(Integral(exp(-X * z**2), limits), sqrt(pi / X), FACTS)
    assert not proof.proved
    assert "whole line" in proof.reason


def test_large_powers_are_refused_and_not_expanded():
    proof = prove_identity((X + Y + 1) ** 5000, X, FACTS)
    assert "5000" in proof.reason
