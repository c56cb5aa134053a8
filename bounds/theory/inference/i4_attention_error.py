r"""I4: the exact law of the attention error at fixed keys, and its tail.

With :math:`h = A^{-1}\phi(q)` and noise rows E (L x d_v), so that :math:`V = \Phi z^T + E`,

.. math:: \mathrm{attn}_{CME} - z\,\phi(q) = -\lambda\,z\,h + E^T\Phi h
          \sim N(-\lambda z h,\ \sigma^2 h^T\Phi^T\Phi h\, I),

so with probability at least :math:`1 - \delta` the error is at most
:math:`\lambda|zh| + \sigma\sqrt{h^T\Phi^T\Phi h}\,(\sqrt{d_v} + \sqrt{2\log(1/\delta)})`.
The true tail is a noncentral chi-square, so coverage is computed, not sampled.
Source: arXiv:2212.14852, inference (b); rate: the paper, constants: derived here.
"""

from typing import Any

from sympy import Inverse, Rational, Trace, log, sqrt

from bounds.arithmetic.field import Field
from bounds.arrays import POSITIVE, UNIT_INTERVAL, arrays
from bounds.claim import Claim, Mutant
from bounds.hypothesis import assume, structural
from bounds.models.laws import error_exceeds
from bounds.models.linear_gaussian import attention_error_law
from bounds.parameters import data_of, with_parameters
from bounds.quantity import Law
from bounds.relation import Relation, Tail
from bounds.source import ATTENTION_PAPER
from bounds.status import Status
from bounds.symbols import A, L, Phi, d_v, delta, lam, matrix, phi, scalar, sigma, z
from bounds.theory.linear_gaussian import (
    LATENT,
    LONG_INSTANCES,
    MOMENTS,
    NOISE,
    PRIOR,
    REGULARISED,
    SECOND_MOMENT,
)

SOURCE = ATTENTION_PAPER.at(
    "(b): approximation error", constants="rate: the paper; constants: derived here"
)
E = matrix("E", L, d_v)
h = Inverse(A) * phi
attention = (Phi * z.T + E).T * Phi * h

LAW = Claim(
    id="I4.law",
    title="attention error = bias + linear image of the noise",
    lhs=attention - z * phi,
    rhs=-lam * z * h + E.T * Phi * h,
    relation=Relation.IDENTITY,
    hypotheses=(REGULARISED,),
    instances=arrays(Phi, phi, z, E, ranges={lam: POSITIVE}),
    source=SOURCE,
    mutants=(
        Mutant(
            name="bias_sign",
            rhs=lam * z * h + E.T * Phi * h,
            why="no noise, z = phi = Phi = lambda = 1: -1/2 against 1/2",
        ),
        Mutant(
            name="no_bias",
            rhs=E.T * Phi * h,
            why="no noise, z = phi = Phi = lambda = 1: -1/2 against 0",
        ),
    ),
    tags=("attention", "error", "identity"),
)

bias = lam * sqrt(Trace((z * h).T * (z * h)))
spread = sigma * sqrt(Trace(h.T * Phi.T * Phi * h))
error = scalar("error")
FAILURE = assume("failure", (delta > 0) & (delta < 1))
GAUSSIAN = structural("gaussian", r"the noise $e_\ell$ is i.i.d. $N(0, \sigma^2 I)$ given the keys")


def exceeds(instance: Any, field: Field, threshold: Any) -> Any:
    """P(|attn_CME - z phi(q)| > threshold) given keys and latent: noncentral chi-square."""
    return error_exceeds(field, attention_error_law(field, data_of(instance)), threshold)


EXACT_LAW = Law(error, "noncentral chi-square of the attention error", exceeds)
TAIL_BOUND = bias + spread * (sqrt(d_v) + sqrt(2 * log(1 / delta)))

TAIL = Claim(
    id="I4.tail",
    title="attention error at fixed keys, with probability 1 - delta",
    lhs=error,
    rhs=TAIL_BOUND,
    relation=Relation.TAIL,
    tail=Tail(failure=delta, law=EXACT_LAW),
    hypotheses=(NOISE, PRIOR, FAILURE, GAUSSIAN),
    quantities=(*MOMENTS, SECOND_MOMENT, LATENT),
    instances=with_parameters(LONG_INSTANCES, delta=UNIT_INTERVAL),
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="noise_halved",
            rhs=bias + spread * (sqrt(d_v) + sqrt(2 * log(1 / delta))) * Rational(1, 2),
            why="no bias, d_v = 1, delta = 1/2: P(|N(0,1)| > 1.09) = 0.28, but at "
            "delta = 1e-6 P(|N| > 3.13) = 1.8e-3",
        ),
        Mutant(
            name="without_bias",
            rhs=spread * (sqrt(d_v) + sqrt(2 * log(1 / delta))),
            why="lambda = 1e12: the error is the bias |z phi|, almost without noise",
        ),
        Mutant(
            name="variance_for_deviation",
            rhs=bias + spread**2 * (sqrt(d_v) + sqrt(2 * log(1 / delta))),
            why="wrong scale: too small as soon as the deviation is far below 1",
        ),
    ),
    tags=("attention", "error", "tail"),
)

CLAIMS = (LAW, TAIL)
