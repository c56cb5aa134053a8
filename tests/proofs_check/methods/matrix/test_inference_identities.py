"""I1-I4, I7 and I10: attention as posterior mean, its variance, source condition, softmax."""

import pytest
from sympy import (
    Eq,
    Identity,
    MatrixSymbol,
    OneMatrix,
    Trace,
    exp,
    log,
    symbols,
)
from sympy.matrices.expressions.applyfunc import ElementwiseApplyFunction

from proofs_check.methods.matrix import Fact, prove_identity, verify_certificate

L, dphi, dv = symbols("L d_phi d_v", real=True)
sigma, tau, lam, mu, gamma, r = symbols("sigma tau lambda mu gamma r", real=True)
Phi, V = MatrixSymbol("Phi", L, dphi), MatrixSymbol("V", L, dv)
phi, psi = MatrixSymbol("phi", dphi, 1), MatrixSymbol("psi", dphi, 1)
z, E = MatrixSymbol("z", dv, dphi), MatrixSymbol("E", L, dv)
K, q = MatrixSymbol("K", L, dphi), MatrixSymbol("q", dphi, 1)
one, norms = OneMatrix(L, 1), MatrixSymbol("n", L, 1)
IL, Iphi = Identity(L), Identity(dphi)
A = Phi.T * Phi + lam * Iphi
G = Phi * Phi.T + lam * IL

SIGMA, TAU = Fact("sigma", sigma > 0), Fact("tau", tau > 0)
LAM, LENGTH = Fact("lam", lam > 0), Fact("L", L >= 1)
NOISE = Fact("noise", Eq(lam, sigma**2 / tau**2))
MU, MU_POSITIVE = Fact("mu", Eq(mu, lam / L)), Fact("mu > 0", mu > 0)
GAMMA = Fact("gamma", gamma > 0)
R_LOW, R_HIGH = Fact("0 < r", r > 0), Fact("r < 1", r < 1)
NORMS, NORM = Fact("norms", Eq(norms, one)), Fact("norm", Eq(Trace(q.T * q), 1))


def e(argument):
    return ElementwiseApplyFunction(exp, argument)


def quadratic(vector, matrix):
    return Trace(vector.T * matrix * vector)


def normalised(weights):
    return weights / Trace(one.T * weights)


source = r * mu / (1 - r)
distances = (2 * K * q - norms - Trace(q.T * q) * one) / (2 * gamma)
kernel_variance = quadratic(phi, Identity(dphi)) - quadratic(phi, Phi.T * G.I * Phi)
CASES = {
    "I1": (V.T * G.I * Phi * phi, V.T * Phi * A.I * phi, [LAM], {"lam"}),
    "I2": (
        tau**2 * kernel_variance,
        sigma**2 * quadratic(phi, A.I),
        [SIGMA, TAU, LAM, NOISE],
        {"tau", "noise"},
    ),
    "I2 one more token": (
        quadratic(phi, A.I) - quadratic(phi, (A + psi * psi.T).I),
        Trace(phi.T * A.I * psi) ** 2 / (1 + quadratic(psi, A.I)),
        [LAM],
        {"lam"},
    ),
    "I3": (
        (V.T * Phi / L) * (Phi.T * Phi / L + mu * Iphi).I * phi,
        V.T * Phi * A.I * phi,
        [LAM, LENGTH, MU],
        {"lam", "L", "mu"},
    ),
    "I3 written out": (
        (V.T * Phi / L) * (Phi.T * Phi / L + lam / L * Iphi).I * phi,
        V.T * Phi * A.I * phi,
        [LAM, LENGTH],
        {"lam", "L"},
    ),
    "I4": (
        (Phi * z.T + E).T * Phi * A.I * phi - z * phi,
        -lam * z * A.I * phi + E.T * Phi * A.I * phi,
        [LAM],
        {"lam"},
    ),
    "I7": (
        mu * source**r / (source + mu),
        r**r * (1 - r) ** (1 - r) * mu**r,
        [R_LOW, R_HIGH, MU_POSITIVE],
        {"0 < r", "r < 1", "mu > 0"},
    ),
    "I7 logarithm": (
        log(mu * source**r / (source + mu)),
        log(r**r * (1 - r) ** (1 - r) * mu**r),
        [R_LOW, R_HIGH, MU_POSITIVE],
        {"0 < r", "r < 1", "mu > 0"},
    ),
    "I10": (
        normalised(e(distances)),
        normalised(e(K * q / gamma)),
        [GAMMA, LENGTH, NORMS, NORM],
        {"gamma", "L", "norms"},
    ),
}

MUTANTS = {
    "I1": [V.T * Phi * A.I * phi * 2, V.T * Phi * (Phi.T * Phi + 2 * lam * Iphi).I * phi],
    "I2": [tau**2 * quadratic(phi, A.I), sigma * quadratic(phi, A.I)],
    "I2 one more token": [
        Trace(phi.T * A.I * psi) / (1 + quadratic(psi, A.I)),
        Trace(phi.T * A.I * psi) ** 2 / (2 + quadratic(psi, A.I)),
        -(Trace(phi.T * A.I * psi) ** 2) / (1 + quadratic(psi, A.I)),
    ],
    "I3": [V.T * Phi * (Phi.T * Phi + mu * Iphi).I * phi, V.T * Phi * A.I * phi / L],
    "I4": [
        lam * z * A.I * phi + E.T * Phi * A.I * phi,
        -z * A.I * phi + E.T * Phi * A.I * phi,
        -lam * z * A.I * phi - E.T * Phi * A.I * phi,
    ],
    "I7": [r**r * (1 - r) ** (1 - r) * mu ** (2 * r), r**r * (1 - r) ** r * mu**r, mu**r],
    "I7 logarithm": [log(r**r * mu**r), log(mu**r)],
    "I10": [normalised(e(K * q)), normalised(e(2 * K * q / gamma)), e(K * q / gamma)],
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


def test_the_kernel_weights_differ_when_the_keys_have_other_norms():
    lhs, rhs, _, _ = CASES["I10"]
    facts = [GAMMA, LENGTH, NORM, Fact("norms", Eq(norms, 2 * norms - K * q))]
    assert not prove_identity(lhs, rhs, facts).proved


def test_an_unneeded_fact_is_not_reported():
    lhs, rhs, facts, _ = CASES["I1"]
    proof = prove_identity(lhs, rhs, [*facts, SIGMA, NORMS, NORM])
    assert proof.used == {"lam"}
