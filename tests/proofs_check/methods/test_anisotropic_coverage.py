"""A tail claim on an error with a full covariance, decided by its exact law."""

from sympy import MatrixSymbol, Rational, Trace, log, sqrt

from bounds.arrays import UNIT_INTERVAL, arrays
from bounds.claim import Claim, Mutant
from bounds.hypothesis import assume
from bounds.models.laws import GaussianVectorLaw, error_exceeds
from bounds.quantity import Law
from bounds.relation import Relation, Tail
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import d_v, delta, scalar
from proofs_check.checker import check
from proofs_check.verdict import Strength

error, m = scalar("error"), MatrixSymbol("m", d_v, 1)
F = MatrixSymbol("F", d_v, d_v)


def exceeds(instance, field, threshold):
    law = GaussianVectorLaw.of_factor(
        field, field.matrix(instance["m"]), field.matrix(instance["F"])
    )
    return error_exceeds(field, law, threshold)


BIAS, SPREAD = sqrt(Trace(m.T * m)), sqrt(Trace(F.T * F))
CLAIM = Claim(
    id="T.vector",
    title="error F x + m with probability 1 - delta, by Gaussian concentration",
    lhs=error,
    rhs=BIAS + SPREAD * (1 + sqrt(2 * log(1 / delta))),
    relation=Relation.TAIL,
    tail=Tail(delta, law=Law(error, "generalized chi-square", exceeds)),
    hypotheses=(assume("failure", (delta > 0) & (delta < 1)),),
    instances=arrays(F, m, ranges={delta: UNIT_INTERVAL}, count=10),
    source=Source("t"),
    mutants=(
        Mutant(
            name="noise_halved",
            rhs=BIAS + SPREAD * (1 + sqrt(2 * log(1 / delta))) * Rational(1, 2),
            why="F of rank one, no bias: P(|N(0, 1)| > (1 + sqrt(2 log(1/delta)))/2) > delta",
        ),
        Mutant(name="no_bias", rhs=SPREAD * (1 + sqrt(2 * log(1 / delta))), why="F = 0, m not 0"),
    ),
)


def test_the_bound_is_consistent_and_its_mutants_are_refuted():
    found = check(CLAIM)
    assert (found.status, found.strength) == (Status.CONSISTENT, Strength.RIGOROUS_INSTANCES)
    assert 0 < found.tightness.ratio < 1
    for mutant in CLAIM.mutants:
        broken = check(CLAIM.mutated(mutant))
        assert broken.status is Status.REFUTED
        assert "more often than allowed" in broken.witness.failure
