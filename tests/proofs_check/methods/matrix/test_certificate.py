"""The checker of certificates accepts what the prover writes and nothing that was tampered with."""

import copy
import json

import pytest
from sympy import Eq, Identity, MatrixSymbol, Q, Trace, symbols

from proofs_check.methods.matrix import Fact, prove_identity, verify_certificate

L, d, lam, X = symbols("L d lambda X", real=True)
Phi = MatrixSymbol("Phi", L, d)
phi, psi = MatrixSymbol("phi", d, 1), MatrixSymbol("psi", d, 1)
A, B = MatrixSymbol("A", d, d), MatrixSymbol("B", d, d)
POSITIVE = Fact("lam", lam > 0)
ridge = Phi.T * Phi + lam * Identity(d)


@pytest.fixture(scope="module")
def certificate():
    lhs = (Phi * Phi.T + lam * Identity(L)).I * Phi
    return dict(prove_identity(lhs, Phi * ridge.I, [POSITIVE]).certificate)


@pytest.fixture(scope="module")
def scalar_certificate():
    drop = Trace(phi.T * ridge.I * phi) - Trace(phi.T * (ridge + psi * psi.T).I * phi)
    square = Trace(phi.T * ridge.I * psi) ** 2 / (1 + Trace(psi.T * ridge.I * psi))
    return dict(prove_identity(drop, square, [POSITIVE]).certificate)


def first_derived(data):
    return next(i for i, line in enumerate(data["lines"]) if line["terms"])


def test_it_survives_json(certificate, scalar_certificate):
    for data in (certificate, scalar_certificate):
        assert verify_certificate(json.loads(json.dumps(data)))


def test_traces_are_checked():
    facts = [Fact("commute", Eq(A * B, B * A)), Fact("symmetric", Q.symmetric(A))]
    proof = prove_identity(Trace(A * B * A.T), Trace(A * A * B), facts)
    assert proof.proved
    assert any(term["traced"] for line in proof.certificate["lines"] for term in line["terms"])
    assert verify_certificate(proof.certificate)


def double_a_coefficient(data):
    term = data["lines"][first_derived(data)]["terms"][0]
    term["coefficient"][0][0][0] = "17"


def drop_a_term(data):
    data["lines"][-1]["terms"].pop()


def swap_left_and_right(data):
    for line in data["lines"]:
        for term in line["terms"]:
            term["left"], term["right"] = term["right"], term["left"]


def change_the_claim(data):
    data["rhs"]["terms"][0][1][0][0][0] = "2"


def rest_on_itself(data):
    data["lines"][-1]["terms"][0]["line"] = len(data["lines"]) - 1


def take_the_goal_as_given(data):
    data["lines"][-1]["terms"] = []


def forget_the_lines(data):
    data["lines"] = []


def trace_a_term(data):
    for term in data["lines"][-1]["terms"]:
        term["traced"] = True


def zero_denominator(data):
    data["lines"][-1]["terms"][0]["coefficient"][1] = []


def unknown_letter(data):
    data["lines"][-1]["terms"][0]["left"] = [999]


def other_shape(data):
    data["lines"][-1]["polynomial"]["rows"] = 0


SABOTAGE = [
    double_a_coefficient,
    drop_a_term,
    swap_left_and_right,
    change_the_claim,
    rest_on_itself,
    take_the_goal_as_given,
    forget_the_lines,
    trace_a_term,
    zero_denominator,
    unknown_letter,
    other_shape,
]


@pytest.mark.parametrize("sabotage", SABOTAGE, ids=lambda f: f.__name__)
def test_tampering_is_noticed(certificate, sabotage):
    data = copy.deepcopy(certificate)
    sabotage(data)
    assert not verify_certificate(data)


def test_a_scalar_may_not_be_renamed(scalar_certificate):
    data = copy.deepcopy(scalar_certificate)
    words = [i for i, atom in enumerate(data["atoms"]) if atom["word"]]
    first, second = words[:2]
    data["atoms"][first], data["atoms"][second] = data["atoms"][second], data["atoms"][first]
    assert not verify_certificate(data)


@pytest.mark.parametrize("data", [{}, {"letters": 3}, {"letters": [], "atoms": [], "lines": [{}]}])
def test_nonsense_is_refused(data):
    assert not verify_certificate(data)
