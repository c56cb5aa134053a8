r"""G8: supervised learning on the posterior mean, exactly.

Features :math:`\bar z_L` (the posterior mean), targets :math:`y = a^T z + \epsilon`, the same
keys in all n samples, no intercept. With :math:`P_L = \sigma^2 A^{-1}` the posterior covariance and
:math:`s_L^2 = \sigma_y^2 + a^T P_L a`, least squares has expected excess risk

.. math:: s_L^2\,\frac{p}{n - p - 1}, \qquad n > p + 1,\quad
          p = \mathrm{rank}\,\mathrm{Cov}(\bar z_L) = \min(L, d_\phi),

independent of :math:`L \ge d_\phi` up to :math:`s_L^2`, which falls with L; and at most
:math:`2(\sigma_y^2 + |a|^2\tau^2)p/n` for :math:`n \ge 2p + 2`.
Source: arXiv:2212.14852, learning (c); constants: derived here.
"""

from typing import Any

from sympy import Identity, Inverse, Min, Q, Trace

from bounds.arithmetic.field import Field
from bounds.arrays import POSITIVE, arrays
from bounds.axioms import INVERSE_WISHART_MEAN, inverse_wishart_mean
from bounds.claim import Claim, Mutant
from bounds.errors import NotRational
from bounds.hypothesis import assume, on_instances, structural
from bounds.points import Point, between, integers
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.status import Status
from bounds.symbols import I_L, I_phi, L, Phi, d_phi, matrix, n, p, scalar, sigma, tau
from bounds.theory.linear_gaussian import NOISE, PRIOR

SOURCE = ATTENTION_PAPER.at("(c): supervised learning", constants="constants: derived here")
A = Phi.T * Phi + sigma**2 / tau**2 * I_phi
posterior_covariance = sigma**2 * Inverse(A)
statistic_covariance = (
    Inverse(A) * Phi.T * (tau**2 * Phi * Phi.T + sigma**2 * I_L) * Phi * Inverse(A)
)
a = matrix("a", d_phi, 1)
noise_y = scalar("sigma_y")
NOISE_Y = assume("noise_y", noise_y >= 0)
REGRESSION = arrays(Phi, a, ranges={sigma: POSITIVE, tau: POSITIVE, noise_y: POSITIVE}, count=80)

COVARIANCE = Claim(
    id="G8.covariance",
    title="Cov(zbar_L) = tau^2 I - P_L: total variance",
    lhs=statistic_covariance,
    rhs=tau**2 * I_phi - posterior_covariance,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR),
    instances=REGRESSION,
    source=SOURCE,
    mutants=(
        Mutant(
            name="sign",
            rhs=tau**2 * I_phi + posterior_covariance,
            why="no features: Cov(zbar) = 0 and P_L = tau^2 I",
        ),
        Mutant(
            name="prior",
            rhs=tau**2 * I_phi,
            why="zbar varies less than z unless the noise is 0",
        ),
    ),
    tags=("supervised", "identity"),
)

residual_variance = (
    noise_y**2
    + tau**2 * Trace(a.T * a)
    - 2 * tau**2 * Trace(a.T * Phi.T * Phi * Inverse(A) * a)
    + Trace(a.T * statistic_covariance * a)
)
noise_level = noise_y**2 + sigma**2 * Trace(a.T * Inverse(A) * a)

NOISE_LEVEL = Claim(
    id="G8.noise_level",
    title="Var(y - a.zbar_L) = sigma_y^2 + a^T P_L a",
    lhs=residual_variance,
    rhs=noise_level,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR),
    instances=REGRESSION,
    source=SOURCE,
    mutants=(
        Mutant(
            name="noise_only",
            rhs=noise_y**2,
            why="what zbar does not know of z adds a^T P_L a > 0",
        ),
        Mutant(
            name="prior_covariance",
            rhs=noise_y**2 + tau**2 * Trace(a.T * a),
            why="that is Var(y): the features explain a part of it",
        ),
    ),
    tags=("supervised", "identity"),
)

psi = matrix("psi", d_phi, 1)

FALLS = Claim(
    id="G8.falls",
    title="s_L^2 does not grow when a token is added",
    lhs=noise_y**2 + sigma**2 * Trace(a.T * Inverse(A + psi * psi.T) * a),
    rhs=noise_level,
    hypotheses=(NOISE, PRIOR),
    instances=arrays(
        Phi, a, psi, ranges={sigma: POSITIVE, tau: POSITIVE, noise_y: POSITIVE}, count=80
    ),
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="reversed",
            lhs=noise_level,
            rhs=noise_y**2 + sigma**2 * Trace(a.T * Inverse(A + psi * psi.T) * a),
            why="a = psi = 1 lowers it",
        ),
        Mutant(
            name="to_half",
            rhs=noise_level / 2,
            why="psi = 0 leaves it as it is",
        ),
    ),
    tags=("supervised", "bound"),
)

Z = matrix("Z", n, p)
C = matrix("C", p, p)
level = scalar("s_L")
hat = Inverse(Z.T * Z) * Z.T
PLENTY = on_instances("full_rank", "$Z^T Z$ is invertible", condition=Q.invertible(Z.T * Z))

CONDITIONAL_RISK = Claim(
    id="G8.conditional_risk",
    title="excess risk of least squares given the features Z: s_L^2 tr(C (Z^T Z)^-1)",
    lhs=Trace(C * hat * (level**2 * Identity(n)) * hat.T),
    rhs=level**2 * Trace(C * Inverse(Z.T * Z)),
    relation=Relation.IDENTITY,
    hypotheses=(PLENTY,),
    instances=arrays(
        Z,
        C,
        kinds={C: "positive definite"},
        sizes={n: integers(3, 7), p: integers(1, 3)},
        ranges={level: POSITIVE},
        count=80,
    ),
    source=SOURCE,
    mutants=(
        Mutant(
            name="deviation",
            rhs=level * Trace(C * Inverse(Z.T * Z)),
            why="the noise enters by its variance",
        ),
        Mutant(
            name="no_inverse",
            rhs=level**2 * Trace(C * Z.T * Z),
            why="more data would hurt",
        ),
    ),
    tags=("supervised", "identity"),
)

M = matrix("M", p, p)
INVERSE_MEAN = structural(
    "gaussian_features",
    r"$M = \mathbb{E}(Z^T Z)^{-1}$ for n i.i.d. rows $N(0, C)$",
    condition=inverse_wishart_mean(M, C, n),
    axiom=INVERSE_WISHART_MEAN.id,
)
COVARIANCE_POSITIVE = on_instances(
    "covariance", "C is positive definite", condition=Q.positive_definite(C)
)
ENOUGH = assume("samples", n > p + 1)
excess = level**2 * p / (n - p - 1)


def mean_inverse_gram(point: Point, field: Field) -> Any:
    """E (Z^T Z)^-1 = C^-1/(n - p - 1) for n Gaussian rows of covariance C."""
    rows = len(point["C"])
    samples = point["n"]
    return field.scale(
        field.number(1 / (samples - rows - 1)), field.inverse(field.matrix(point["C"]))
    )


RISK = Claim(
    id="G8.risk",
    title="expected excess risk of least squares: s_L^2 p/(n-p-1)",
    lhs=level**2 * Trace(C * M),
    rhs=excess,
    relation=Relation.IDENTITY,
    hypotheses=(ENOUGH, COVARIANCE_POSITIVE, INVERSE_MEAN),
    quantities=(Quantity(M, "E (Z^T Z)^-1, p x p", mean_inverse_gram),),
    instances=arrays(
        C,
        kinds={C: "positive definite"},
        ranges={level: POSITIVE, n: integers(7, 40)},
    ),
    source=SOURCE,
    mutants=(
        Mutant(
            name="fixed_design",
            rhs=level**2 * p / n,
            why="random features cost more: n - p - 1, not n",
        ),
        Mutant(
            name="off_by_one",
            rhs=level**2 * p / (n - p),
            why="p = 1: E 1/chi^2_n = 1/(n-2)",
        ),
    ),
    tags=("supervised", "identity"),
)

rank = scalar("rank")


def statistic_covariance_of(point: Point, field: Field) -> Any:
    """Cov(zbar_L) = tau^2 I - sigma^2 A^-1 of an instance."""
    prior, noise = field.number(point["tau"] ** 2), field.number(point["sigma"] ** 2)
    features = field.matrix(point["Phi"])
    gram = field.matmul(field.transpose(features), features)
    identity = field.identity(field.shape(gram)[0])
    inverse = field.inverse(gram + field.scale(noise / prior, identity))
    return field.scale(prior, identity) - field.scale(noise, inverse)


def full_rank(point: Point, field: Field) -> bool:
    """Whether the smaller Gram matrix of the features is invertible."""
    features = field.matrix(point["Phi"])
    rows, columns = field.shape(features)
    other = field.transpose(features)
    small = field.matmul(features, other) if rows < columns else field.matmul(other, features)
    return rank_of(small, field) == min(rows, columns)


def rank_of(symmetric: Any, field: Field) -> int:
    """Rank of a square matrix by elimination.

    Raises:
        NotRational: in a field that is not exact, where no zero can be told from a small number.
    """
    if not field.exact:
        raise NotRational("a rank")
    size, _ = field.shape(symmetric)
    rows = [[field.entry(symmetric, i, j) for j in range(size)] for i in range(size)]
    found = 0
    for column in range(size):
        pivot = next((r for r in range(found, size) if rows[r][column] != 0), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for r in range(found + 1, size):
            factor = rows[r][column] / rows[found][column]
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[found], strict=True)]
        found += 1
    return found


RANK = Claim(
    id="G8.rank",
    title="p = rank Cov(zbar_L) = min(L, d_phi) for keys in general position",
    lhs=rank,
    rhs=Min(L, d_phi),
    relation=Relation.IDENTITY,
    hypotheses=(
        NOISE,
        PRIOR,
        on_instances(
            "general_position",
            r"$\Phi$ has full rank",
            holds=full_rank,
        ),
    ),
    quantities=(
        Quantity(
            rank,
            "rank of Cov(zbar_L)",
            lambda point, field: field.number(
                rank_of(statistic_covariance_of(point, field), field)
            ),
        ),
    ),
    instances=REGRESSION,
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(name="always_d_phi", rhs=d_phi, why="L = 1 with d_phi = 2 has rank 1"),
        Mutant(
            name="collinear",
            drop=("general_position",),
            why="collinear keys: rank 1 whatever L and d_phi",
        ),
    ),
    tags=("supervised",),
)  # fmt: skip

weights_size = Trace(a.T * a)

BOUND = Claim(
    id="G8.bound",
    title="excess risk <= 2 (sigma_y^2 + |a|^2 tau^2) p/n for n >= 2p + 2",
    lhs=noise_level * p / (n - p - 1),
    rhs=2 * (noise_y**2 + weights_size * tau**2) * p / n,
    hypotheses=(
        NOISE,
        PRIOR,
        NOISE_Y,
        assume("features", p >= 1),
        assume("samples", n >= 2 * p + 2),
    ),
    instances=arrays(
        Phi,
        a,
        ranges={
            sigma: between("1/100", 100),
            tau: between("1/100", 100),
            noise_y: between(0, 10),
            p: integers(1, 10),
            n: integers(4, 60),
        },
        count=150,
    ),
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="constant_one",
            rhs=(noise_y**2 + weights_size * tau**2) * p / n,
            why="no features: the ratio is n/(n-p-1) > 1",
        ),
        Mutant(
            name="few_samples",
            drop=("samples",),
            add=(assume("samples", n > p + 1),),
            why="n = p + 2: the excess is p s_L^2, the bound 2p/(p+2)",
        ),
    ),
    tags=("supervised", "bound"),
)

CLAIMS = (COVARIANCE, NOISE_LEVEL, FALLS, CONDITIONAL_RISK, RISK, RANK, BOUND)
