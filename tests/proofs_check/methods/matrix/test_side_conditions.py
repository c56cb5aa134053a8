"""What must not be proved: side conditions that do not follow, and false laws of algebra."""

import pytest
from sympy import (
    Abs,
    Determinant,
    DiagMatrix,
    Eq,
    Identity,
    Integral,
    Inverse,
    MatMul,
    MatrixSymbol,
    Mul,
    Ne,
    OneMatrix,
    Or,
    Pow,
    Q,
    Rational,
    S,
    Symbol,
    Trace,
    exp,
    log,
    oo,
    pi,
    sqrt,
    symbols,
)
from sympy.matrices.expressions.applyfunc import ElementwiseApplyFunction

from bounds.matrices import PseudoInverse, permutation
from proofs_check.methods.matrix import Fact, prove_identity

X, Y, W, k, z, n = symbols("X Y W k z n", real=True)
A, B, C, P = (MatrixSymbol(name, n, n) for name in "ABCP")
u, v, w = (MatrixSymbol(name, n, 1) for name in "uvw")
one, unit, U = OneMatrix(n, 1), Identity(n), MatrixSymbol("U", n, k)


def e(argument):
    return ElementwiseApplyFunction(exp, argument)


def prove(lhs, rhs, *conditions):
    facts = [Fact(f"h{i}", condition) for i, condition in enumerate(conditions)]
    return prove_identity(lhs, rhs, facts)


unfolded = Mul(X, Pow(X, -1), evaluate=False)
root = Pow(X**2, S.Half, evaluate=False)
fold = MatMul(Inverse(A), A, evaluate=False)
gauss = Integral(exp(-k * z**2), (z, -oo, oo))
inv_ab = (Q.invertible(A), Q.invertible(B))
gram, mirror = unit - A * A.T, unit - A.T * A
TRUE = {
    "x/x": (unfolded, S.One, Ne(X, 0)),
    "cancel": ((X**2 + X) / X, X + 1, X < 0),
    "log of a product": (log(X * Y), log(X) + log(Y), X > 0, Y > 0),
    "log of two negatives": (log(X * Y), log(-X) + log(-Y), X < 0, Y < 0),
    "log of a square": (log(X**2), 2 * log(X), X > 0),
    "sqrt of a square": (root, X, X > 0),
    "square of sqrt": (sqrt(1 + X) ** 2, 1 + X, X > 0),
    "roots": (X ** Rational(1, 3) * X ** Rational(1, 6), sqrt(X), X > 0),
    "exponents": (X**Y * X**W, X ** (Y + W), X > 0),
    "iterated power": ((X**Y) ** W, X ** (Y * W), X > 0),
    "exp": (exp(X / 2) * exp(X / 3) * exp(X / 6) * exp(1), exp(X + 1)),
    "log exp": (log(exp(X)), X),
    "absolute value": (Abs(X), -X, X <= 0),
    "shifted bounds": (Mul(X + Y, Pow(X + Y, -1), evaluate=False), S.One, X > -1, Y > 1),
    "A^-1 A": (fold, unit, Q.invertible(A)),
    "inverse of a product": ((A * B).I, B.I * A.I, *inv_ab),
    "inverse of a transpose": (A.T.I, A.I.T, Q.invertible(A)),
    "resolvent": (A.I - B.I, A.I * (B - A) * B.I, *inv_ab),
    "push-through": (gram.I * A, A * mirror.I, Q.invertible(gram), Q.invertible(mirror)),
    "scaled identity": ((X * unit).I, unit / X, Ne(X, 0)),
    "definite": (MatMul((A + u * u.T).I, A + u * u.T), unit, Q.positive_definite(A)),
    "cyclic trace": (Trace(A * B * C), Trace(B * C * A)),
    "trace of a transpose": (Trace(A * B * C), Trace(C.T * B.T * A.T)),
    "symmetric trace": (
        Trace(A * B * C),
        Trace(A * C * B),
        Q.symmetric(A) & Q.symmetric(B) & Q.symmetric(C),
    ),
    "rank one": (u * v.T * w, Trace(w.T * v) * u),
    "Sylvester": (Determinant(X * unit + u * v.T), X**n * (1 + Trace(v.T * u) / X), X > 0),
    "det of a product": (Determinant(A * B), Determinant(B) * Determinant(A.T)),
    "Gaussian integral": (gauss, sqrt(pi / k), k > 0),
    "pseudo-inverse": (PseudoInverse(A), A.I, Q.invertible(A)),
    "pseudo-inverse of Gram": (PseudoInverse(A.T * A) * A.T, PseudoInverse(A)),
    "exp of a permutation": (e(P * A * P.T), P * e(A) * P.T, permutation(P)),
    "exp of a shift": (e(X * one + u), exp(X) * e(u)),
    "diagonal": (DiagMatrix(u + v) * one, u + v),
    "diagonal inverse": (MatMul(DiagMatrix(e(u)).I, DiagMatrix(e(u)), evaluate=False), unit),
    "two ridges": (
        (A.T * A + X * unit).I - (A.T * A + Y * unit).I,
        (Y - X) * (A.T * A + X * unit).I * (A.T * A + Y * unit).I,
        (X > 0) & (Y > 0),
    ),
    "Woodbury": (
        (A + U * U.T).I,
        A.I - A.I * U * (Identity(k) + U.T * A.I * U).I * U.T * A.I,
        Q.positive_definite(A),
    ),
    "projection": (Trace(U * (U.T * U).I * U.T), k, Q.invertible(U.T * U)),
    "unexpanded square": (
        (unit + (A * A + B) * (A * A + B).T).I.T,
        (unit + (A * A + B) * (A.T * A.T + B.T)).I,
    ),
    "det of a quotient": (Determinant(A * B.I), Determinant(A) / Determinant(B), Q.invertible(B)),
    "centering": ((unit - one * one.T / n) ** 2, unit - one * one.T / n, n >= 1),
    "power zero": (Pow(X, 0, evaluate=False), S.One, Ne(X, 0)),
}
FALSE = {
    "x/x": (unfolded, S.One),
    "cancel": ((X**2 + X) / X, X + 1),
    "power zero": (Pow(X, 0, evaluate=False), S.One),
    "two ridges": (
        (A.T * A + X * unit).I - (A.T * A + Y * unit).I,
        (X - Y) * (A.T * A + X * unit).I * (A.T * A + Y * unit).I,
        (X > 0) & (Y > 0),
    ),
    "Woodbury": (
        (A + U * U.T).I,
        A.I + A.I * U * (Identity(k) + U.T * A.I * U).I * U.T * A.I,
        Q.positive_definite(A),
    ),
    "projection": (Trace(U * (U.T * U).I * U.T), n, Q.invertible(U.T * U)),
    "no square": ((unit + (A + B) * (A.T - B.T)).I, (unit + (A + B) * (A.T - B.T)).I),
    "det of a quotient": (Determinant(A * B.I), Determinant(B) / Determinant(A), *inv_ab),
    "centering": ((unit - one * one.T / n) ** 2, unit - one * one.T / n),
    "log of a product": (log(X * Y), log(X) + log(Y)),
    "log of a positive product": (log(X * Y), log(X) + log(Y), X * Y > 0),
    "log of two negatives": (log(X * Y), log(X) + log(Y), X < 0, Y < 0),
    "log of a square": (log(X**2), 2 * log(X), Ne(X, 0)),
    "sqrt of a square": (root, X, Ne(X, 0)),
    "folded sqrt": (sqrt(X**2), X),
    "product of roots": (sqrt(X) * sqrt(Y), sqrt(X * Y), X * Y > 0),
    "exponents": (X**Y * X**W, X ** (Y + W)),
    "iterated power": ((X**Y) ** W, X ** (Y * W)),
    "exp": (exp(X / 2) ** 3, exp(X)),
    "absolute value": (Abs(X), X, X >= -1),
    "shift keeps its meaning": (1 / (Y - X), 1 / (Y - X), X > 1, Y > X - 1),
    "inverse": (A.I, A.I),
    "inverse of a symmetric matrix": ((unit + A).I, (unit + A).I, Q.symmetric(A)),
    "A^-1 A": (fold, unit),
    "order of inverses": ((A * B).I, A.I * B.I, *inv_ab),
    "inverse of a transpose": (A.T.I, A.I, Q.invertible(A)),
    "inverse of a sum": ((A + B).I, A.I + B.I, *inv_ab, Q.invertible(A + B)),
    "push-through": (gram.I * A, A * mirror.I),
    "scaled identity": ((X * unit).I, unit / X),
    "commuting": (A * B, B * A, Q.symmetric(A), Q.symmetric(B)),
    "transpose": (A, A.T),
    "trace order": (Trace(A * B * C), Trace(A * C * B)),
    "trace of a square": (Trace(A * A), Trace(A * A.T)),
    "definite form": (1 / Trace(u.T * A * u), 1 / Trace(u.T * A * u), Q.positive_definite(A)),
    "outer product": (u * v.T, v * u.T),
    "det of a multiple": (Determinant(2 * A), 2 * Determinant(A)),
    "det without sign": (Determinant(X * unit + u * v.T), X**n * (1 + Trace(v.T * u) / X)),
    "Gaussian integral": (gauss, sqrt(pi / k)),
    "Gaussian integral of the wrong sign": (gauss, sqrt(pi / k), k < 0),
    "integral of z": (Integral(z * exp(-k * z**2), (z, -oo, oo)), S.Zero, k > 0),
    "hidden z": (
        Integral(exp(-k * z**2 + z * log(1 + z**2)), (z, -oo, oo)),
        sqrt(pi / k),
        k > 0,
    ),
    "bound symbol": (Integral(exp(-z * z**0), (z, -oo, oo)), S.One, z > 0),
    "pseudo-inverse": (PseudoInverse(A) * A, unit),
    "pseudo-inverse of a product": (
        PseudoInverse(A * B),
        PseudoInverse(B) * PseudoInverse(A),
    ),
    "exp under orthogonal": (e(P * u), P * e(u), Q.orthogonal(P)),
    "exp of another product": (e(A * u), A * e(u), permutation(P)),
    "exp the other way": (e(P * A * P.T), P.T * e(A) * P, permutation(P)),
    "exp of a multiple": (e(X * u), exp(X) * e(u)),
    "exp of the identity": (e(X * unit + A), exp(X) * e(A)),
    "exp of a transpose": (e(A.T), e(A)),
    "diagonal": (DiagMatrix(A * u), A * DiagMatrix(u)),
    "diagonal inverse": (MatMul(DiagMatrix(u).I, DiagMatrix(u) + 0 * A), unit),
    "empty softmax": (e(u) / Trace(one.T * e(u)), e(u) / Trace(one.T * e(u))),
    "no cancelling of X": (A, B, Eq(X * A, X * B)),
    "no cancelling of A": (B, C, Eq(A * B, A * C)),
    "no roots of equations": (X, S.One, Eq(X**2, 1)),
    "not real": (Symbol("c") + X, X + Symbol("c")),
    "shapes": (A, MatrixSymbol("A", n + 1, n + 1)),
    "same name, other shape": (MatrixSymbol("D", n, X), MatrixSymbol("D", n, Y)),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_laws_are_proved(name):
    proof = prove(*TRUE[name])
    assert proof.proved, proof.reason


@pytest.mark.parametrize("name", FALSE)
def test_false_laws_are_not_proved(name):
    proof = prove(*FALSE[name])
    assert not proof.proved
    assert proof.reason
    assert proof.certificate == {}
    assert proof.used == frozenset()


CONTRADICTIONS = {
    "scalar": (Eq(X, 1), Eq(X, 0)),
    "sign": (Eq(Trace(u.T * u), -1),),
    "words": (Eq(u, v), Eq(Trace(u.T * v), 1), Eq(Trace(u.T * u), 2)),
    "matrices": (Eq(A * B, unit), Eq(A * B, 2 * unit)),
    "false": (S.false,),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictory_hypotheses_prove_nothing(name):
    proof = prove(C, A * C, *CONTRADICTIONS[name])
    assert not proof.proved
    assert proof.reason == "hypotheses are contradictory"


def test_opposite_signs_do_not_prove_a_false_identity():
    assert not prove(C, A * C, X > 0, X < 0).proved
    assert not prove(X, Y, X > 0, Eq(X, 0)).proved


def test_an_unsupported_hypothesis_is_left_out_and_said():
    proof = prove(A + B, B + A, Or(X > 0, Y > 0))
    assert proof.proved
    assert any("h0 left out" in line for line in proof.trace)


def test_a_hypothesis_that_is_not_defined_is_left_out():
    proof = prove(B, A.I, Eq(B, A.I))
    assert not proof.proved
    assert "invertible" in proof.reason


def test_the_budget_ends_the_search_with_a_reason():
    lhs, rhs, *conditions = TRUE["push-through"]
    facts = [Fact(f"h{i}", condition) for i, condition in enumerate(conditions)]
    proof = prove_identity(lhs, rhs, facts, work=20)
    assert not proof.proved
    assert proof.reason == "work budget of 20 spent"


def test_the_same_question_has_the_same_answer():
    first, second = prove(*TRUE["pseudo-inverse of Gram"]), prove(*TRUE["pseudo-inverse of Gram"])
    assert first == second
