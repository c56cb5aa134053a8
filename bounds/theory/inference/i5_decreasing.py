r"""I5: the Bayes error falls like 1/L, and random keys make it so.

If :math:`\Phi^T\Phi \succeq c L I` then
:math:`d_v\sigma^2\phi^T A^{-1}\phi \le d_v\sigma^2|\phi|^2/(\lambda + cL)`. For keys
:math:`N(0, s^2 I)` and :math:`\phi(k) = k`,
:math:`\lambda_{\min}(\Phi^T\Phi) \ge s^2(\sqrt L - \sqrt{d_\phi} - t)_+^2` with probability at
least :math:`1 - e^{-t^2/2}` (Davidson, Szarek 2001).
Source: arXiv:2212.14852, inference (b); rate: the paper, constants: derived here.
"""

from typing import Any

import numpy as np
from sympy import Max, Rational, Trace, exp, oo, sqrt

from bounds.claim import Claim, Mutant
from bounds.hypothesis import assume, structural
from bounds.parameters import with_parameters
from bounds.points import Point, between, box, integers
from bounds.quantity import Quantity, Sampler
from bounds.relation import Limit, Relation, Tail
from bounds.source import ATTENTION_PAPER, DAVIDSON_SZAREK
from bounds.status import Status
from bounds.symbols import L, d_phi, d_v, lam, phi, scalar, sigma
from bounds.theory.linear_gaussian import (
    INSTANCES,
    LAMBDA_MIN,
    MODEL,
    NOISE,
    PRIOR,
    REGULARISED,
    VARIANCE,
    lambda_min,
    smallest_eigenvalue,
    variance,
)

SOURCE = ATTENTION_PAPER.at(
    "(b): error falls with L", constants="rate: the paper; constants: derived here"
)
c = scalar("c")
bound = d_v * sigma**2 * Trace(phi.T * phi) / (lam + c * L)
SPREAD_KEYS = assume("spread_keys", c * L <= lambda_min)
SPREAD = Quantity(
    c,
    "how well the keys spread: a share of lambda_min(Phi^T Phi)/L",
    lambda instance, field: (
        field.number(instance.point["share"] / instance.data.L)
        * smallest_eigenvalue(field, instance.data)
    ),
)

BOUND = Claim(
    id="I5.bound",
    title="Bayes error <= d_v sigma^2 |phi|^2 / (lambda + c L)",
    lhs=d_v * variance,
    rhs=bound,
    hypotheses=(NOISE, PRIOR, SPREAD_KEYS),
    quantities=(*MODEL, VARIANCE, LAMBDA_MIN, SPREAD),
    instances=with_parameters(INSTANCES, share=between(0, "99/100")),
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="halved",
            rhs=bound * Rational(1, 2),
            why="one key, d_phi = 1, c = k^2: attained, so half of it is too small",
        ),
        Mutant(
            name="quadratic_rate",
            rhs=d_v * sigma**2 * Trace(phi.T * phi) / (lam + 2 * c * L**2),
            why="L equal keys 1, d_phi = 1, c near 1: sigma^2/(lambda + L) is the exact error",
        ),
    ),
    tags=("error", "bound", "rate"),
)

size = scalar("phi2")

RATE = Claim(
    id="I5.rate",
    title="the bound falls exactly like 1/L",
    lhs=L * d_v * sigma**2 * size / (lam + c * L),
    rhs=d_v * sigma**2 * size / c,
    relation=Relation.LIMIT,
    limit=Limit(L, oo),
    hypotheses=(REGULARISED, assume("spread", c > 0)),
    source=SOURCE,
    mutants=(
        Mutant(
            name="faster",
            lhs=L**2 * d_v * sigma**2 * size / (lam + c * L),
            why="multiplied by L^2 the bound tends to infinity",
        ),
        Mutant(
            name="constant",
            rhs=d_v * sigma**2 * size / (lam + c),
            why="lambda drops out of the limit",
        ),
        Mutant(name="no_spread", drop=("spread",), why="at c = 0 the bound does not fall at all"),
    ),
    tags=("error", "rate"),
)

s, t = scalar("s"), scalar("t")
LARGEST_BATCH = 4_000_000


def eigenvalue_too_small(
    instance: Point, rng: np.random.Generator, samples: int
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether lambda_min(Phi^T Phi) < s^2 (sqrt L - sqrt d - t)_+^2, for keys N(0, s^2 I)."""
    tokens, dimension = int(instance["L"]), int(instance["d_phi"])
    deviation, shift = float(instance["s"]), float(instance["t"])
    edge = max(0.0, np.sqrt(tokens) - np.sqrt(dimension) - shift) * deviation
    batch = max(1, LARGEST_BATCH // (tokens * dimension))
    failed = []
    for start in range(0, samples, batch):
        count = min(batch, samples - start)
        keys = deviation * rng.standard_normal((count, tokens, dimension))
        second_moment = np.swapaxes(keys, 1, 2) @ keys
        failed.append(np.linalg.eigvalsh(second_moment)[:, 0] < edge**2)
    return np.concatenate(failed)


GAUSSIAN_KEYS = structural("gaussian_keys", r"the keys are i.i.d. $N(0, s^2 I)$ and $\phi(k) = k$")

WISHART = Claim(
    id="I5.wishart",
    title="random keys spread: lambda_min(Phi^T Phi) >= s^2 (sqrt L - sqrt d_phi - t)_+^2",
    lhs=s**2 * Max(0, sqrt(L) - sqrt(d_phi) - t) ** 2,
    rhs=lambda_min,
    relation=Relation.TAIL,
    tail=Tail(
        failure=exp(-(t**2) / 2),
        sampler=Sampler("the smallest eigenvalue of Phi^T Phi falls short", eigenvalue_too_small),
    ),
    hypotheses=(assume("scale", s > 0), assume("deviation", t >= 0), GAUSSIAN_KEYS),
    instances=box(
        count=24,
        L=integers(1, 40),
        d_phi=integers(1, 5),
        s=between(0, 3, ends="(]"),
        t=between(0, 3),
    ),
    source=DAVIDSON_SZAREK.at("Theorem II.13"),
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="failure_squared",
            tail=Tail(
                failure=exp(-4 * t**2),
                sampler=Sampler("the eigenvalue falls short", eigenvalue_too_small),
            ),
            why="d_phi = 1, L = 40: P(chi_40 < sqrt 40 - 2) is about 2e-3, not e^-16",
        ),
    ),
    tags=("random keys", "tail"),
)

CLAIMS = (BOUND, RATE, WISHART)
