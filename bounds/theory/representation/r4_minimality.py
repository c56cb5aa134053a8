r"""R4: the posterior is a minimal representation (the Lehmann-Scheffe ratio).

:math:`\log p(x \mid z) - \log p(x' \mid z)` is constant in z iff the posteriors given x and x'
agree. With precision :math:`\Lambda` and mean :math:`\bar z` of each posterior, the ratio is

.. math:: \log\frac{p(x\mid z)}{p(x'\mid z)} - \log\frac{p(x\mid 0)}{p(x'\mid 0)}
   = \langle z, \Lambda\bar z - \Lambda'\bar z'\rangle
   - \tfrac12 \langle z, (\Lambda-\Lambda') z\rangle,

so it is constant iff :math:`\Lambda = \Lambda'` and :math:`\Lambda\bar z = \Lambda'\bar z'`.
Source: arXiv:2212.14852, representation (a); Lehmann and Scheffe 1950.
"""

from typing import Any

from sympy import And, Eq, Inverse, Trace

from bounds.arithmetic.field import Field
from bounds.arithmetic.linear import ridge
from bounds.arrays import POSITIVE, arrays
from bounds.claim import Claim, Mutant
from bounds.hypothesis import on_instances
from bounds.matrices import permutation
from bounds.points import Point, Range, integers
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import LEHMANN_SCHEFFE
from bounds.status import Status
from bounds.symbols import I_phi, L, Phi, V, d_phi, d_v, matrix, ones, scalar, sigma, tau, z
from bounds.theory.linear_gaussian import NOISE, PRIOR
from bounds.theory.representation.r1_de_finetti import m, x

SOURCE = LEHMANN_SCHEFFE.at("minimal sufficiency by the likelihood ratio")
L2 = scalar("L_2")
x2 = matrix("x_2", L2, 1)
level = scalar("z")


def log_likelihood(tokens: Any, size: Any, latent: Any) -> Any:
    """log p(x | z) in the mean model, up to a constant that does not depend on z."""
    residual = tokens - latent * ones(size)
    return -Trace(residual.T * residual) / (2 * sigma**2)


def precision(size: Any) -> Any:
    """Posterior precision in the mean model."""
    return size / sigma**2 + 1 / tau**2


def mean(tokens: Any, size: Any) -> Any:
    """Posterior mean in the mean model."""
    return (sigma**2 * m + tau**2 * Trace(ones(size).T * tokens)) / (sigma**2 + size * tau**2)


def against_zero(log_ratio: Any, latent: Any, zero: Any) -> Any:
    """The part of the log ratio that depends on z."""
    return log_ratio(latent) - log_ratio(zero)


def mean_model_ratio(latent: Any) -> Any:
    """log p(x | z) - log p(x' | z) in the mean model."""
    return log_likelihood(x, L, latent) - log_likelihood(x2, L2, latent)


SIZES = on_instances("tokens", "L, L' >= 1", condition=And(L >= 1, L2 >= 1))

MEAN_MODEL = Claim(
    id="R4.mean_model",
    title="mean model: the likelihood ratio depends on z through the posteriors only",
    lhs=against_zero(mean_model_ratio, level, 0),
    rhs=level * (precision(L) * mean(x, L) - precision(L2) * mean(x2, L2))
    - level**2 * (precision(L) - precision(L2)) / 2,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, SIZES),
    instances=arrays(x, x2, ranges={sigma: POSITIVE, tau: POSITIVE, m: Range(), level: Range()}),
    source=SOURCE,
    mutants=(
        Mutant(
            name="same_precision",
            rhs=level * (precision(L) * mean(x, L) - precision(L2) * mean(x2, L2)),
            why="different numbers of tokens have different precisions",
        ),
        Mutant(
            name="averages",
            rhs=level * (Trace(ones(L).T * x) / L - Trace(ones(L2).T * x2) / L2) / sigma**2
            - level**2 * (precision(L) - precision(L2)) / 2,
            why="sums of tokens, not their averages, stand in the likelihood",
        ),
    ),
    tags=("minimality", "identity"),
)

Phi2 = matrix("Phi_2", L2, d_phi)
V2 = matrix("V_2", L2, d_v)


def values_log_likelihood(features: Any, values: Any, latent: Any) -> Any:
    """log p(V | z, Phi) up to a constant that does not depend on z."""
    residual = values - features * latent.T
    return -Trace(residual.T * residual) / (2 * sigma**2)


def regularised(features: Any) -> Any:
    """A = Phi^T Phi + (sigma^2/tau^2) I."""
    return features.T * features + sigma**2 / tau**2 * I_phi


def posterior_mean(name: str, features: Any, values: Any) -> Quantity:
    """The posterior mean A^-1 Phi^T V (d_phi x d_v) of one of the two data sets."""

    def compute(point: Point, field: Field) -> Any:
        Phi_, V_ = field.matrix(point[features.name]), field.matrix(point[values.name])
        lam = field.number((point["sigma"] / point["tau"]) ** 2)
        A = ridge(field, field.matmul(field.transpose(Phi_), Phi_), lam)
        return field.solve(A, field.matmul(field.transpose(Phi_), V_))

    mean = Inverse(regularised(features)) * features.T * values
    meaning = f"posterior mean given {features}, {values}, d_phi x d_v"
    return Quantity(matrix(name, d_phi, d_v), meaning, compute, formula=mean)


MEAN = posterior_mean("zbar", Phi, V)
MEAN2 = posterior_mean("zbar_2", Phi2, V2)
natural_mean = regularised(Phi) / sigma**2 * MEAN.symbol
natural_mean2 = regularised(Phi2) / sigma**2 * MEAN2.symbol


zero_part = -(Trace(V.T * V) - Trace(V2.T * V2)) / (2 * sigma**2)

LINEAR_GAUSSIAN = Claim(
    id="R4.linear_gaussian",
    title="linear-Gaussian model: the likelihood ratio depends on z through the posteriors only",
    lhs=values_log_likelihood(Phi, V, z) - values_log_likelihood(Phi2, V2, z) - zero_part,
    rhs=Trace(z * (natural_mean - natural_mean2))
    - Trace(z * (regularised(Phi) - regularised(Phi2)) * z.T) / (2 * sigma**2),
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR),
    quantities=(MEAN, MEAN2),
    instances=arrays(Phi, V, Phi2, V2, z, ranges={sigma: POSITIVE, tau: POSITIVE}),
    source=SOURCE,
    mutants=(
        Mutant(
            name="mean_only",
            rhs=Trace(z * (natural_mean - natural_mean2)),
            why="the Gram matrices Phi^T Phi are part of the statistic",
        ),
        Mutant(
            name="without_precision",
            rhs=Trace(z * (Phi.T * V - Phi2.T * V2))
            - Trace(z * (regularised(Phi) - regularised(Phi2)) * z.T) / (2 * sigma**2),
            why="Phi^T V is sigma^2 times precision times mean",
        ),
    ),
    tags=("minimality", "identity"),
)

P = matrix("P", L, L)
changed_features, changed_values = scalar("changed_Phi"), scalar("changed_V")
Phi3, V3 = matrix("Phi_3", L, d_phi), matrix("V_3", L, d_v)


def other(name: str) -> Any:
    """A second data set: the tokens permuted, and ``changed_NAME`` added to its first entry."""

    def compute(point: Point, field: Field) -> Any:
        rows = [list(row) for row in point[name]]
        order = [row.index(1) for row in point["P"]]
        moved = [rows[i] for i in order]
        moved[0][0] += point[f"changed_{name}"]
        return field.matrix(moved)

    return compute


IFF = Claim(
    id="R4.iff",
    title="the natural parameters agree iff the posteriors do",
    lhs=And(Eq(Phi.T * Phi, Phi3.T * Phi3), Eq(Phi.T * V, Phi3.T * V3)),
    rhs=And(
        Eq(Inverse(regularised(Phi)), Inverse(regularised(Phi3))),
        Eq(
            Inverse(regularised(Phi)) * Phi.T * V,
            Inverse(regularised(Phi3)) * Phi3.T * V3,
        ),
    ),
    relation=Relation.IFF,
    hypotheses=(
        NOISE,
        PRIOR,
        on_instances("permutation", "P is a permutation", condition=permutation(P)),
    ),
    quantities=(
        Quantity(Phi3, "features of the second data set", other("Phi")),
        Quantity(V3, "values of the second data set", other("V")),
    ),
    instances=arrays(
        Phi,
        V,
        P,
        kinds={P: "permutation"},
        ranges={
            sigma: POSITIVE,
            tau: POSITIVE,
            changed_features: integers(0, 1),
            changed_values: integers(0, 1),
        },
        count=100,
    ),
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="values_alone",
            lhs=Eq(Phi.T * V, Phi3.T * V3),
            why="values 0: Phi^T V agrees although the Gram matrices differ",
        ),
        Mutant(
            name="data_themselves",
            lhs=And(Eq(Phi, Phi3), Eq(V, V3)),
            why="permuted data have the same posterior: the data are not minimal",
        ),
    ),
    tags=("minimality",),
)

CLAIMS = (MEAN_MODEL, LINEAR_GAUSSIAN, IFF)
