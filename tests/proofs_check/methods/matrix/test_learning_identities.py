"""G8 and G9: least squares on the posterior mean, and the condition number."""

import pytest
from sympy import (
    Eq,
    Identity,
    Inverse,
    MatrixSymbol,
    Ne,
    Q,
    Trace,
    ZeroMatrix,
    symbols,
)

from bounds.matrices import PseudoInverse
from proofs_check.methods.matrix import Fact, prove_identity, verify_certificate

L, dphi, p, n, k = symbols("L d_phi p n k", real=True)
sigma, tau, s2 = symbols("sigma tau s_2", real=True)
Phi = MatrixSymbol("Phi", L, dphi)
C, Z = MatrixSymbol("C", p, p), MatrixSymbol("Z", n, p)
B = MatrixSymbol("B", k, dphi)
a, c, x = (MatrixSymbol(name, dphi, 1) for name in "acx")
A = Phi.T * Phi + sigma**2 / tau**2 * Identity(dphi)
S = tau**2 * Phi * Phi.T + sigma**2 * Identity(L)
W = Inverse(Z.T * Z)
G = PseudoInverse(B.T * B)
kappa, e = Trace(a.T * G * a), G * a
N = Identity(dphi) - PseudoInverse(B) * B
gap = x - (Trace(a.T * x) / kappa) * e


def square(vector):
    return Trace(vector.T * vector)


SIGMA, TAU = Fact("sigma", sigma > 0), Fact("tau", tau > 0)
PD, MORE = Fact("C", Q.positive_definite(C)), Fact("n", n > p + 1)
FULL_RANK = Fact("rank", Q.invertible(Z.T * Z))
ROW_SPACE = Fact("row space", Eq(a, B.T * B * c))
CASES = {
    "G8 trace": (
        s2 * Trace(C * (C.I / (n - p - 1))),
        s2 * p / (n - p - 1),
        [PD, MORE],
        {"n"},
    ),
    "G8 covariance": (
        tau**2 * Identity(dphi) - sigma**2 * A.I,
        A.I * Phi.T * S * Phi * A.I,
        [SIGMA, TAU],
        {"sigma", "tau"},
    ),
    "G8 conditional risk": (
        Trace(C * W * Z.T * (s2 * Identity(n)) * Z * W),
        s2 * Trace(C * W),
        [FULL_RANK],
        {"rank"},
    ),
    "G9 extremal": (Trace(a.T * e) ** 2, kappa * square(B * e), [ROW_SPACE], set()),
    "G9 gap": (
        kappa * square(B * x) - Trace(a.T * x) ** 2,
        kappa * square(B * gap),
        [ROW_SPACE, Fact("kappa", Ne(kappa, 0))],
        {"row space", "kappa"},
    ),
    "G9 gap, kappa positive": (
        kappa * square(B * x) - Trace(a.T * x) ** 2,
        kappa * square(B * gap),
        [ROW_SPACE, Fact("kappa", kappa > 0)],
        {"row space", "kappa"},
    ),
    "G9 invisible": (B * N * a, ZeroMatrix(k, 1), [], set()),
    "G9 loss": (Trace(a.T * N * a), square(N * a), [], set()),
}
MUTANTS = {
    "G8 trace": [s2 * p / (n - p), s2 * n / (n - p - 1), p / (n - p - 1)],
    "G8 covariance": [
        A.I * Phi.T * Phi * A.I,
        A.I * Phi.T * (tau * Phi * Phi.T + sigma**2 * Identity(L)) * Phi * A.I,
    ],
    "G8 conditional risk": [s2**2 * Trace(C * W), s2 * Trace(C), s2 * Trace(C * W * W)],
    "G9 extremal": [square(B * e), kappa * square(e), 2 * kappa * square(B * e)],
    "G9 gap": [square(B * gap), kappa * square(gap), kappa * square(B * (x - e))],
    "G9 invisible": [B * a],
    "G9 loss": [square(a), square(N * a) / 2, square(B * N * a)],
}


@pytest.mark.parametrize("name", CASES)
def test_identity_is_proved(name):
    lhs, rhs, facts, needed = CASES[name]
    proof = prove_identity(lhs, rhs, facts)
    assert proof.proved, proof.reason
    assert needed <= proof.used
    assert verify_certificate(proof.certificate)


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_not_proved(name):
    lhs, _, facts, _ = CASES[name]
    for mutant in MUTANTS[name]:
        assert not prove_identity(lhs, mutant, facts).proved


@pytest.mark.parametrize("name", CASES)
def test_every_needed_fact_is_needed(name):
    lhs, rhs, facts, needed = CASES[name]
    for dropped in needed:
        kept = [fact for fact in facts if fact.name != dropped]
        assert not prove_identity(lhs, rhs, kept).proved, dropped


def test_n_greater_than_p_is_not_enough():
    lhs, rhs, _, _ = CASES["G8 trace"]
    assert not prove_identity(lhs, rhs, [PD, Fact("n", n > p)]).proved
