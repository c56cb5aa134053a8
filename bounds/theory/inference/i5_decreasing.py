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
    LAMBDA_MIN,
    LONG_INSTANCES,
    MOMENTS,
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
SHARE = assume("share", c >= 0)
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
    hypotheses=(NOISE, PRIOR, SPREAD_KEYS, SHARE),
    quantities=(*MOMENTS, VARIANCE, LAMBDA_MIN, SPREAD),
    instances=with_parameters(LONG_INSTANCES, share=between(0, 1)),
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
        Mutant(
            name="negative_share",
            drop=("share",),
            instances=with_parameters(LONG_INSTANCES, share=between(-2, -1)),
            why="c L = -2 lambda_min below -lambda: the bound is negative, the error is not",
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
    ),
    tags=("error", "rate"),
)

s, t = scalar("s"), scalar("t")
LARGEST_BATCH = 4_000_000


def smallest_eigenvalues(
    instance: Point, rng: np.random.Generator, samples: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """lambda_min(Phi^T Phi)/s^2 for keys N(0, s^2 I), in batches of bounded memory."""
    tokens, dimension = int(instance["L"]), int(instance["d_phi"])
    batch = max(1, LARGEST_BATCH // (tokens * dimension))
    found = []
    for start in range(0, samples, batch):
        keys = rng.standard_normal((min(batch, samples - start), tokens, dimension))
        found.append(np.linalg.eigvalsh(np.swapaxes(keys, 1, 2) @ keys)[:, 0])
    return np.concatenate(found)


def draw_lambda_min(
    instance: Point, rng: np.random.Generator, samples: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """lambda_min(Phi^T Phi); rounding may give a value below 0, where no eigenvalue lies."""
    eigenvalues = smallest_eigenvalues(instance, rng, samples).clip(min=0.0)
    scale = np.float64(instance["s"]) ** 2
    values: np.ndarray[Any, np.dtype[np.float64]] = eigenvalues * scale
    return values


GAUSSIAN_KEYS = structural("gaussian_keys", r"the keys are i.i.d. $N(0, s^2 I)$ and $\phi(k) = k$")

WISHART = Claim(
    id="I5.wishart",
    title="random keys spread: lambda_min(Phi^T Phi) >= s^2 (sqrt L - sqrt d_phi - t)_+^2",
    lhs=s**2 * Max(0, sqrt(L) - sqrt(d_phi) - t) ** 2,
    rhs=lambda_min,
    relation=Relation.TAIL,
    tail=Tail(
        failure=exp(-(t**2) / 2),
        sampler=Sampler(lambda_min, "the smallest eigenvalue of Phi^T Phi", draw_lambda_min),
    ),
    hypotheses=(
        assume("tokens", L >= 1),
        assume("dimension", d_phi >= 1),
        assume("scale", s > 0),
        assume("deviation", t >= 0),
        GAUSSIAN_KEYS,
    ),
    instances=box(
        count=60,
        L=integers(1, 40),
        d_phi=integers(1, 5),
        s=between(0, 3, ends="(]"),
        t=between(0, 3),
    ),
    source=DAVIDSON_SZAREK.at("Theorem II.13"),
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="forgets_dimension",
            lhs=s**2 * Max(0, sqrt(L) - t) ** 2,
            why="d_phi = 4: lambda_min is near s^2 (sqrt L - 2)^2, below s^2 L almost surely",
        ),
        Mutant(
            name="largest_eigenvalue",
            lhs=s**2 * (sqrt(L) + sqrt(d_phi)) ** 2,
            why="that is where the largest eigenvalue lies",
        ),
    ),
    tags=("random keys", "tail"),
)

CLAIMS = (BOUND, RATE, WISHART)
