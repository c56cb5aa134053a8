"""R1-R4: the Gaussian mixture, permutations of the tokens, sufficiency and minimality."""

from dataclasses import dataclass, field

import pytest
from sympy import (
    Determinant,
    DiagMatrix,
    Eq,
    Identity,
    Integral,
    MatrixSymbol,
    OneMatrix,
    Q,
    Rational,
    Trace,
    exp,
    log,
    oo,
    pi,
    symbols,
)
from sympy.matrices.expressions.applyfunc import ElementwiseApplyFunction

from bounds.matrices import PseudoInverse, permutation
from proofs_check.methods.matrix import Fact, prove_identity, verify_certificate

L, L1, L2, dphi, dv = symbols("L L_1 L_2 d_phi d_v", real=True)
sigma, tau, lam, gamma, m, z = symbols("sigma tau lambda gamma m z", real=True)
FACTS = {
    "sigma": Fact("sigma", sigma > 0),
    "tau": Fact("tau", tau > 0),
    "lam": Fact("lam", lam > 0),
    "gamma": Fact("gamma", gamma > 0),
    "L": Fact("L", L >= 1),
}
one, x = OneMatrix(L, 1), MatrixSymbol("x", L, 1)
Phi, V = MatrixSymbol("Phi", L, dphi), MatrixSymbol("V", L, dv)
phi, a = MatrixSymbol("phi", dphi, 1), MatrixSymbol("a", dphi, 1)
K, q = MatrixSymbol("K", L, dphi), MatrixSymbol("q", dphi, 1)
P = MatrixSymbol("P", L, L)
IL, Iphi = Identity(L), Identity(dphi)
PERMUTATION = {**FACTS, "P": Fact("P", permutation(P))}
ORTHOGONAL = {**FACTS, "P": Fact("P", Q.orthogonal(P))}

Sigma = sigma**2 * IL + tau**2 * one * one.T
A = Phi.T * Phi + sigma**2 / tau**2 * Iphi
C = tau**2 * Phi * Phi.T + sigma**2 * IL
Z = A.I * Phi.T * C * Phi * A.I
Zt = MatrixSymbol("Zt", dphi, dv)
y = x - m * one


def e(argument):
    return ElementwiseApplyFunction(exp, argument)


def cme(values, features):
    return values.T * features * (features.T * features + lam * Iphi).I * phi


def kernel_form(values, features):
    return values.T * (features * features.T + lam * IL).I * features * phi


def softmax(values, keys):
    weights = e(keys * q / gamma)
    return values.T * weights / Trace(one.T * weights)


def self_cme(values, features):
    return features * (features.T * features + lam * Iphi).I * features.T * values


def self_softmax(values, keys):
    weights = e(keys * keys.T / gamma)
    return DiagMatrix(weights * one).I * weights * values


def score(values, features):
    return (features.T * values - features.T * features * Zt) / sigma**2


def posterior_score(values, features):
    precision = (features.T * features + sigma**2 / tau**2 * Iphi) / sigma**2
    mean = (features.T * features + sigma**2 / tau**2 * Iphi).I * features.T * values
    return precision * mean - precision * Zt


Phi1, V1 = MatrixSymbol("Phi1", L1, dphi), MatrixSymbol("V1", L1, dv)
Phi2, V2 = MatrixSymbol("Phi2", L2, dphi), MatrixSymbol("V2", L2, dv)

likelihood = (2 * pi * sigma**2) ** (-L / 2) * exp(
    -Trace((x - z * one).T * (x - z * one)) / (2 * sigma**2)
)
prior = (2 * pi * tau**2) ** Rational(-1, 2) * exp(-((z - m) ** 2) / (2 * tau**2))


def log_normal(covariance, deviation):
    square = Trace(deviation.T * covariance.I * deviation)
    return -L / 2 * log(2 * pi) - log(Determinant(covariance)) / 2 - square / 2


@dataclass
class Case:
    lhs: object
    rhs: object
    facts: dict = field(default_factory=lambda: FACTS)
    needed: frozenset = frozenset()
    mutants: tuple = ()


ST = frozenset({"sigma", "tau"})
shrunk = tau**2 / (sigma**2 + L * tau**2)
mean = sigma**2 * m + tau**2 * Trace(one.T * x)
CASES = {
    "Sherman-Morrison": Case(
        Sigma.I,
        (IL - shrunk * one * one.T) / sigma**2,
        needed=frozenset({"sigma"}),
        mutants=(
            (IL + shrunk * one * one.T) / sigma**2,
            (IL - tau**2 / (sigma**2 + tau**2) * one * one.T) / sigma**2,
            IL - shrunk * one * one.T,
        ),
    ),
    "log det": Case(
        log(Determinant(Sigma)),
        L * log(sigma**2) + log(1 + L * tau**2 / sigma**2),
        needed=frozenset({"sigma", "L"}),
        mutants=(
            L * log(sigma) + log(1 + L * tau**2 / sigma**2),
            L * log(sigma**2) + log(1 + tau**2 / sigma**2),
            L * log(sigma**2) + log(L * tau**2 / sigma**2),
        ),
    ),
    "R1 mixture": Case(
        log(Integral(likelihood * prior, (z, -oo, oo))),
        log_normal(Sigma, y),
        needed=ST,
        mutants=(
            log_normal(Sigma, x),
            log_normal(sigma**2 * IL + tau * one * one.T, y),
            log_normal(Sigma, x + m * one),
            log_normal(Sigma, y) + log(2),
        ),
    ),
    "R2 posterior": Case(
        cme(P * V, P * Phi),
        cme(V, Phi),
        PERMUTATION,
        frozenset({"P", "lam"}),
        (cme(P * V, Phi), 2 * cme(V, Phi)),
    ),
    "R2 posterior, orthogonal": Case(
        cme(P * V, P * Phi), cme(V, Phi), ORTHOGONAL, frozenset({"P", "lam"}), (cme(V, P * Phi),)
    ),
    "R2 kernel form": Case(
        kernel_form(P * V, P * Phi),
        kernel_form(V, Phi),
        ORTHOGONAL,
        frozenset({"P", "lam"}),
        (kernel_form(P.T * V, Phi),),
    ),
    "R2 softmax": Case(
        softmax(P * V, P * K),
        softmax(V, K),
        PERMUTATION,
        frozenset({"P", "L"}),
        (softmax(P * V, K), softmax(V, P * K), softmax(V, K) / 2),
    ),
    "R2 self-attention, CME": Case(
        self_cme(P * V, P * Phi),
        P * self_cme(V, Phi),
        PERMUTATION,
        frozenset({"P", "lam"}),
        (self_cme(V, Phi), P.T * self_cme(V, Phi)),
    ),
    "R2 self-attention, softmax": Case(
        self_softmax(P * V, P * K),
        P * self_softmax(V, K),
        PERMUTATION,
        frozenset({"P", "L"}),
        (self_softmax(V, K), P.T * self_softmax(V, K)),
    ),
    "R3 mean": Case(
        m + tau**2 * Trace(one.T * Sigma.I * y),
        mean / (sigma**2 + L * tau**2),
        needed=frozenset({"sigma"}),
        mutants=(mean / (sigma**2 + tau**2), -mean / (sigma**2 + L * tau**2)),
    ),
    "R3 variance": Case(
        sigma**2 + tau**2 - tau**4 * Trace(one.T * Sigma.I * one),
        sigma**2 + sigma**2 * tau**2 / (sigma**2 + L * tau**2),
        needed=frozenset({"sigma"}),
        mutants=(sigma**2 * tau**2 / (sigma**2 + L * tau**2),),
    ),
    "R3 linear mean": Case(
        tau**2 * phi.T * Phi.T * C.I * V,
        phi.T * A.I * Phi.T * V,
        needed=ST,
        mutants=(tau**2 * phi.T * A.I * Phi.T * V, phi.T * (Phi.T * Phi + Iphi).I * Phi.T * V),
    ),
    "R3 linear variance": Case(
        sigma**2 + tau**2 * Trace(phi.T * phi) - tau**4 * Trace(phi.T * Phi.T * C.I * Phi * phi),
        sigma**2 + sigma**2 * Trace(phi.T * A.I * phi),
        needed=ST,
        mutants=(sigma**2 + tau**2 * Trace(phi.T * A.I * phi),),
    ),
    "R3 covariance": Case(
        tau**2 * a.T * Phi.T * Phi * A.I,
        a.T * Z,
        needed=ST,
        mutants=(2 * a.T * Z, a.T * Z * Z),
    ),
    "R3 information": Case(
        tau**4 * Trace(a.T * Phi.T * C.I * Phi * a),
        Trace((Z * a).T * PseudoInverse(Z) * (Z * a)),
        needed=ST,
        mutants=(Trace((Z * a).T * (Z * a)), Trace(a.T * PseudoInverse(Z) * a)),
    ),
    "R4 score": Case(
        score(V, Phi),
        posterior_score(V, Phi) + Zt / tau**2,
        needed=ST,
        mutants=(posterior_score(V, Phi), posterior_score(V, Phi) - Zt / tau**2),
    ),
    "R4 two data sets": Case(
        score(V1, Phi1) - score(V2, Phi2),
        posterior_score(V1, Phi1) - posterior_score(V2, Phi2),
        needed=ST,
        mutants=(posterior_score(V1, Phi1) + posterior_score(V2, Phi2),),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_identity_is_proved(name):
    case = CASES[name]
    proof = prove_identity(case.lhs, case.rhs, list(case.facts.values()))
    assert proof.proved, proof.reason
    assert case.needed <= proof.used
    assert verify_certificate(proof.certificate)


@pytest.mark.parametrize("name", CASES)
def test_mutants_are_not_proved(name):
    case = CASES[name]
    for mutant in case.mutants:
        proof = prove_identity(case.lhs, mutant, list(case.facts.values()))
        assert not proof.proved
        assert proof.reason


@pytest.mark.parametrize("name", CASES)
def test_every_needed_fact_is_needed(name):
    case = CASES[name]
    for dropped in case.needed:
        facts = [fact for key, fact in case.facts.items() if key != dropped]
        assert not prove_identity(case.lhs, case.rhs, facts).proved, dropped


def test_a_permutation_is_needed_where_orthogonal_is_not_enough():
    lhs, rhs = softmax(P * V, P * K), softmax(V, K)
    assert not prove_identity(lhs, rhs, list(ORTHOGONAL.values())).proved


def test_scalars_that_are_zero_by_a_fact_contradict_a_positive_one():
    facts = [*FACTS.values(), Fact("zero", Eq(sigma, 0))]
    assert not prove_identity(Sigma.I, (IL - shrunk * one * one.T) / sigma**2, facts).proved
