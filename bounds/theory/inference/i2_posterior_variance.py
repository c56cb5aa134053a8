r"""I2: the posterior variance of an entry of :math:`z\,\phi(q)`.

.. math::
    \tau^2\bigl(\phi^T\phi - \phi^T\Phi^T(\Phi\Phi^T + \lambda I)^{-1}\Phi\phi\bigr)
    = \sigma^2\,\phi^T A^{-1}\phi, \qquad A = \Phi^T\Phi + \lambda I .

A new token with feature :math:`\psi` lowers it by a square over a positive number, so it never
grows; and it is at most :math:`\sigma^2|\phi|^2/(\lambda + \lambda_{\min}(\Phi^T\Phi))`. A new
*value* has sigma^2 more. Source: arXiv:2212.14852, inference (b); constants exact.
"""

from sympy import Inverse, Rational, Trace

from bounds.arrays import POSITIVE, arrays
from bounds.claim import Claim, Mutant
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.status import Status
from bounds.symbols import A, K_lam, Phi, d_phi, lam, matrix, phi, sigma, tau
from bounds.theory.linear_gaussian import (
    INSTANCES,
    LAMBDA_MIN,
    LONG_INSTANCES,
    MODEL,
    MOMENTS,
    NOISE,
    PRIOR,
    REGULARISED,
    VARIANCE,
    lambda_min,
    variance,
)

psi = matrix("psi", d_phi, 1)
feature_form = sigma**2 * Trace(phi.T * Inverse(A) * phi)
kernel_form = tau**2 * (Trace(phi.T * phi) - Trace(phi.T * Phi.T * Inverse(K_lam) * Phi * phi))
with_token = sigma**2 * Trace(phi.T * Inverse(A + psi * psi.T) * phi)
TOKEN_INSTANCES = arrays(Phi, phi, psi, ranges={lam: POSITIVE, sigma: POSITIVE})
SOURCE = ATTENTION_PAPER.at("(b): posterior variance", constants="constants: exact")

KERNEL_FORM = Claim(
    id="I2.kernel_form",
    title="posterior variance: kernel form = feature form",
    lhs=kernel_form,
    rhs=feature_form,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR),
    quantities=(*MODEL, VARIANCE),
    instances=INSTANCES,
    source=SOURCE,
    mutants=(
        Mutant(
            name="new_value",
            rhs=feature_form + sigma**2,
            why="the variance of a new value, not of z phi(q): larger by sigma^2 > 0",
        ),
        Mutant(
            name="prior_scale",
            rhs=tau**2 * Trace(phi.T * Inverse(A) * phi),
            why="differs by the factor lambda, which is not 1 in general",
        ),
    ),
    tags=("posterior", "identity"),
)

UPDATE = Claim(
    id="I2.update",
    title="a new token lowers the variance by a square over a positive number",
    lhs=feature_form - with_token,
    rhs=sigma**2 * Trace(phi.T * Inverse(A) * psi) ** 2 / (1 + Trace(psi.T * Inverse(A) * psi)),
    relation=Relation.IDENTITY,
    hypotheses=(REGULARISED, NOISE),
    instances=TOKEN_INSTANCES,
    source=SOURCE,
    mutants=(
        Mutant(
            name="two_for_one",
            rhs=sigma**2
            * Trace(phi.T * Inverse(A) * psi) ** 2
            / (2 + Trace(psi.T * Inverse(A) * psi)),
            why="lambda = 1, no features, phi = psi = 1: 1/2 against 1/3",
        ),
        Mutant(name="sign", lhs=with_token - feature_form, why="the left side changes its sign"),
    ),
    tags=("posterior", "identity"),
)

MONOTONE = Claim(
    id="I2.monotone",
    title="the posterior variance never grows when a token is added",
    lhs=with_token,
    rhs=feature_form,
    hypotheses=(REGULARISED, NOISE),
    instances=TOKEN_INSTANCES,
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(name="reversed", lhs=feature_form, rhs=with_token, why="phi = psi = 1 lowers it"),
        Mutant(
            name="strictly",
            relation=Relation.LT,
            why="phi orthogonal to psi, or phi = 0, leaves the variance as it is",
        ),
    ),
    tags=("posterior",),
)

bound = sigma**2 * Trace(phi.T * phi) / (lam + lambda_min)

BOUND = Claim(
    id="I2.bound",
    title="posterior variance <= sigma^2 |phi|^2 / (lambda + lambda_min(Phi^T Phi))",
    lhs=variance,
    rhs=bound,
    hypotheses=(NOISE, PRIOR),
    quantities=(*MOMENTS, VARIANCE, LAMBDA_MIN),
    instances=LONG_INSTANCES,
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="halved",
            rhs=bound * Rational(1, 2),
            why="the bound is attained: L = 1, d_phi = 1",
        ),
        Mutant(
            name="lambda_doubled",
            rhs=sigma**2 * Trace(phi.T * phi) / (2 * lam + lambda_min),
            why="L < d_phi and phi orthogonal to the keys: the variance is sigma^2 |phi|^2/lambda",
        ),
    ),
    tags=("posterior", "bound"),
)

CLAIMS = (KERNEL_FORM, UPDATE, MONOTONE, BOUND)
