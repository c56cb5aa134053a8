r"""R3: the posterior is a sufficient representation of the tokens.

:math:`p(x_{L+1} \mid x_{1:L}) = \int p(x_{L+1} \mid z)\,p(z \mid x_{1:L})\,dz`: the conditional of
the joint Gaussian equals the posterior predictive, in mean and covariance. And at fixed keys, for
:math:`y = a^T z + \epsilon` with noise independent of X given z,
:math:`I(y; X) = I(y; \bar z_L)`. With random keys the statistic is the pair
:math:`(\bar z_L, \Phi^T\Phi)`: the posterior mean alone does not do.
Source: arXiv:2212.14852, representation (a).
"""

from collections.abc import Callable
from typing import Any

from sympy import Eq, Inverse, Rational, Trace, log

from bounds.arithmetic.field import Field
from bounds.arrays import POSITIVE, arrays
from bounds.claim import Claim, Mutant
from bounds.derivation import Derivation, Rule, Step
from bounds.hypothesis import assume, on_instances
from bounds.matrices import PseudoInverse
from bounds.models import mean_model
from bounds.models.linear_gaussian import predictive_variance
from bounds.points import Point, Points, Range, point
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.symbols import (
    I_L,
    I_phi,
    L,
    Phi,
    V,
    d_phi,
    matrix,
    ones,
    phi,
    scalar,
    sigma,
    tau,
)
from bounds.theory.linear_gaussian import (
    INSTANCES,
    MODEL,
    NOISE,
    PRIOR,
    TOKENS,
    on_data,
)
from bounds.theory.representation.r1_de_finetti import covariance, data, m, x

SOURCE = ATTENTION_PAPER.at("(a): the posterior is sufficient")
one = ones(L)
TOKEN_INSTANCES = arrays(x, ranges={sigma: POSITIVE, tau: POSITIVE, m: Range()})

MEAN_MODEL_MEAN = Claim(
    id="R3.mean_model_mean",
    title="mean model: conditional mean of the next token = posterior mean",
    lhs=m + tau**2 * Trace(one.T * Inverse(covariance) * (x - m * one)),
    rhs=(sigma**2 * m + tau**2 * Trace(one.T * x)) / (sigma**2 + L * tau**2),
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, TOKENS),
    quantities=(
        Quantity(
            scalar("zbar"),
            "posterior mean of z, by precisions",
            lambda p, field: field.entry(mean_model.posterior_mean(field, data(p)), 0, 0),
            formula=(sigma**2 * m + tau**2 * Trace(one.T * x)) / (sigma**2 + L * tau**2),
        ),
        Quantity(
            scalar("conditional_mean"),
            "conditional mean of token L+1 in the joint Gaussian",
            lambda p, field: field.entry(
                mean_model.conditional_from_joint(field, data(p))[0], 0, 0
            ),
            formula=m + tau**2 * Trace(one.T * Inverse(covariance) * (x - m * one)),
        ),
    ),
    instances=TOKEN_INSTANCES,
    source=SOURCE,
    mutants=(
        Mutant(
            name="average",
            rhs=Trace(one.T * x) / L,
            why="the plain average forgets the prior",
        ),
        Mutant(
            name="swapped",
            rhs=(tau**2 * m + sigma**2 * Trace(one.T * x)) / (sigma**2 + L * tau**2),
            why="prior and noise change places",
        ),
    ),
    tags=("posterior", "identity"),
)

MEAN_MODEL_VARIANCE = Claim(
    id="R3.mean_model_variance",
    title="mean model: conditional variance of the next token = predictive variance",
    lhs=sigma**2 + tau**2 - tau**4 * Trace(one.T * Inverse(covariance) * one),
    rhs=sigma**2 + sigma**2 * tau**2 / (sigma**2 + L * tau**2),
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, TOKENS),
    quantities=(
        Quantity(
            scalar("predictive_variance"),
            "posterior variance of z plus the noise",
            lambda p, field: field.entry(mean_model.predictive_covariance(field, data(p)), 0, 0),
            formula=sigma**2 + sigma**2 * tau**2 / (sigma**2 + L * tau**2),
        ),
    ),
    instances=TOKEN_INSTANCES,
    source=SOURCE,
    mutants=(
        Mutant(
            name="latent_only",
            rhs=sigma**2 * tau**2 / (sigma**2 + L * tau**2),
            why="the variance of z, without the noise of the new token",
        ),
        Mutant(
            name="forgets_L",
            rhs=sigma**2 + sigma**2 * tau**2 / (sigma**2 + tau**2),
            why="correct at L = 1 only",
        ),
    ),
    tags=("posterior", "identity"),
)

joint = tau**2 * Phi * Phi.T + sigma**2 * I_L
A = Phi.T * Phi + sigma**2 / tau**2 * I_phi

PREDICTIVE_MEAN = Claim(
    id="R3.predictive_mean",
    title="linear-Gaussian model: conditional mean of a new value = posterior predictive mean",
    lhs=tau**2 * V.T * Inverse(joint) * Phi * phi,
    rhs=V.T * Phi * Inverse(A) * phi,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR),
    quantities=MODEL,
    instances=INSTANCES,
    source=SOURCE,
    derivation=Derivation(
        start=tau**2 * V.T * Inverse(joint) * Phi * phi,
        steps=(
            Step(
                V.T * Inverse(Phi * Phi.T + sigma**2 / tau**2 * I_L) * Phi * phi,
                Rule.ALGEBRA,
                "divide the joint covariance by tau^2: lambda = sigma^2/tau^2",
            ),
            Step(V.T * Phi * Inverse(A) * phi, Rule.ALGEBRA, "push-through"),
        ),
    ),
    mutants=(
        Mutant(
            name="without_prior",
            lhs=V.T * Inverse(joint) * Phi * phi,
            why="the covariance of new and old values is tau^2 Phi phi",
        ),
        Mutant(
            name="inverse_lambda",
            rhs=V.T * Phi * Inverse(Phi.T * Phi + tau**2 / sigma**2 * I_phi) * phi,
            why="lambda is sigma^2/tau^2",
        ),
    ),
    tags=("posterior", "identity"),
)

predictive = sigma**2 + sigma**2 * Trace(phi.T * Inverse(A) * phi)

PREDICTIVE_VARIANCE = Claim(
    id="R3.predictive_variance",
    title="linear-Gaussian model: conditional variance of a new value = predictive variance",
    lhs=sigma**2
    + tau**2 * Trace(phi.T * phi)
    - tau**4 * Trace(phi.T * Phi.T * Inverse(joint) * Phi * phi),
    rhs=predictive,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR),
    quantities=(
        *MODEL,
        Quantity(
            scalar("predictive_variance"),
            "variance of each entry of a new value at the query",
            on_data(predictive_variance),
            formula=predictive,
        ),
    ),
    instances=INSTANCES,
    source=SOURCE,
    mutants=(
        Mutant(
            name="latent_only",
            rhs=sigma**2 * Trace(phi.T * Inverse(A) * phi),
            why="the variance of z phi, without the noise of the new value",
        ),
        Mutant(
            name="prior_scale",
            rhs=sigma**2 + tau**2 * Trace(phi.T * Inverse(A) * phi),
            why="the posterior covariance is sigma^2 A^-1",
        ),
    ),
    tags=("posterior", "identity"),
)

a = matrix("a", d_phi, 1)
noise_y = scalar("sigma_y")
NOISE_Y = assume("noise_y", noise_y > 0)
statistic_covariance = Inverse(A) * Phi.T * joint * Phi * Inverse(A)
given_tokens = (
    noise_y**2 + tau**2 * Trace(a.T * a) - tau**4 * Trace(a.T * Phi.T * Inverse(joint) * Phi * a)
)
cross = statistic_covariance * a
given_statistic = (
    noise_y**2
    + tau**2 * Trace(a.T * a)
    - Trace(cross.T * PseudoInverse(statistic_covariance) * cross)
)
total = noise_y**2 + tau**2 * Trace(a.T * a)
REGRESSION_INSTANCES = arrays(Phi, a, ranges={sigma: POSITIVE, tau: POSITIVE, noise_y: POSITIVE})

REGRESSION = Claim(
    id="R3.regression",
    title="y and X covary through the posterior mean only: Cov(y, zbar) = a^T Cov(zbar)",
    lhs=tau**2 * a.T * Phi.T * Phi * Inverse(A),
    rhs=a.T * statistic_covariance,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR),
    instances=REGRESSION_INSTANCES,
    source=SOURCE,
    mutants=(
        Mutant(
            name="noise_scale",
            lhs=sigma**2 * a.T * Phi.T * Phi * Inverse(A),
            why="the prior scale tau^2 stands in Cov(y, X)",
        ),
        Mutant(
            name="prior_covariance",
            rhs=tau**2 * a.T,
            why="that is Cov(y, z): zbar has a smaller covariance than z",
        ),
    ),
    tags=("sufficiency", "identity"),
)

# It follows from sigma_y > 0, as the rest of the variance is never negative; it is stated to help
# the prover, which finds the sign of this form only when told.
NOT_DETERMINED = assume("not_determined", given_tokens > 0)

INFORMATION = Claim(
    id="R3.information",
    title="I(y; X) = I(y; zbar_L) at fixed keys",
    lhs=log(total / given_tokens) * Rational(1, 2),
    rhs=log(total / given_statistic) * Rational(1, 2),
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, NOISE_Y, NOT_DETERMINED),
    instances=arrays(
        Phi,
        a,
        ranges={sigma: POSITIVE, tau: POSITIVE, noise_y: POSITIVE},
    ),
    source=SOURCE,
    mutants=(
        Mutant(
            name="raw_statistic",
            rhs=log(total / (noise_y**2 + sigma**2 * Trace(a.T * a))) * Rational(1, 2),
            why="a noisy copy of z is not the posterior mean",
        ),
        Mutant(
            name="without_noise",
            rhs=log(tau**2 * Trace(a.T * a) / given_statistic) * Rational(1, 2),
            why="the variance of y has its own noise",
            add=(assume("seen", Trace(a.T * a) > 0),),
        ),
    ),
    tags=("sufficiency", "information", "identity"),
)

L2 = scalar("L_2")
Phi2 = matrix("Phi_2", L2, d_phi)
x2 = matrix("x_2", L2, 1)
A2 = Phi2.T * Phi2 + sigma**2 / tau**2 * I_phi
posterior_mean = Inverse(A) * Phi.T * x
posterior_mean2 = Inverse(A2) * Phi2.T * x2
spread_y = noise_y**2 + sigma**2 * Trace(a.T * Inverse(A) * a)
spread_y2 = noise_y**2 + sigma**2 * Trace(a.T * Inverse(A2) * a)

P = matrix("P", L, L)


def second(name: str) -> Callable[[Point, Field], Any]:
    """NAME_2: what the instance gives, or else the tokens permuted, ``P NAME``."""

    def compute(instance: Point, field: Field) -> Any:
        given: dict[str, Any] = dict(instance.values)
        if f"{name}_2" in given:
            return field.matrix(given[f"{name}_2"])
        return field.matmul(field.matrix(given["P"]), field.matrix(given[name]))

    return compute


# The claims hold for every second data set with the same pair; a permuted one has it. Phi_2 and
# x_2 have no formula, so that a proof may use nothing but the hypotheses.
SECOND = (
    Quantity(Phi2, "features of the second data set, L_2 x d_phi", second("Phi")),
    Quantity(x2, "tokens of the second data set, L_2 x 1", second("x")),
)
SAME_GRAM = on_instances(
    "same_gram", r"$\Phi^T\Phi = \Phi_2^T\Phi_2$", condition=Eq(Phi2.T * Phi2, Phi.T * Phi)
)
SAME_MEAN = on_instances(
    "same_mean", "equal posterior means", condition=Eq(posterior_mean2, posterior_mean)
)
PAIR_INSTANCES = arrays(
    Phi,
    x,
    a,
    P,
    kinds={P: "permutation"},
    ranges={sigma: POSITIVE, tau: POSITIVE, noise_y: POSITIVE},
)


def one_pair(label: str, **data: list[list[int]]) -> Points:
    """Two data sets named by hand, with a = 1 and all scales 1."""
    return Points((point({**data, "a": [[1]], "sigma": 1, "tau": 1, "sigma_y": 1}, label=label),))


PAIR_VARIANCE = Claim(
    id="R3.random_keys_variance",
    title="random keys: equal pairs (zbar, Phi^T Phi) give y the same predictive variance",
    lhs=spread_y,
    rhs=spread_y2,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, NOISE_Y, SAME_GRAM, SAME_MEAN),
    quantities=SECOND,
    instances=PAIR_INSTANCES,
    source=SOURCE,
    mutants=(
        Mutant(
            name="mean_alone",
            drop=("same_gram",),
            instances=one_pair(
                "all values 0: equal means, different keys",
                Phi=[[1]], x=[[0]], Phi_2=[[2]], x_2=[[0]],
            ),
            why="all values 0 give zbar = 0 whatever the keys: variances 1 + 1/2 and 1 + 1/5",
        ),
        Mutant(
            name="noise_twice",
            rhs=spread_y2 + noise_y**2,
            why="the noise of y counts once",
        ),
    ),
    tags=("sufficiency", "random keys", "identity"),
)  # fmt: skip

PAIR_MEAN = Claim(
    id="R3.random_keys_mean",
    title="random keys: equal posterior means zbar give y the same predictive mean a^T zbar",
    lhs=a.T * posterior_mean,
    rhs=a.T * posterior_mean2,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, SAME_MEAN),
    quantities=SECOND,
    instances=PAIR_INSTANCES,
    source=SOURCE,
    mutants=(
        Mutant(
            name="gram_alone",
            drop=("same_mean",),
            add=(SAME_GRAM,),
            instances=one_pair(
                "equal keys, different values",
                Phi=[[1]], x=[[0]], Phi_2=[[1]], x_2=[[2]],
            ),
            why="Phi = Phi_2 = 1, values 0 and 2: means 0 and 1",
        ),
        Mutant(
            name="raw_statistic",
            rhs=a.T * Phi2.T * x2,
            why="Phi^T x is A zbar; all 1: means 1/2 and 1",
        ),
    ),
    tags=("sufficiency", "random keys", "identity"),
)  # fmt: skip

CLAIMS = (
    MEAN_MODEL_MEAN,
    MEAN_MODEL_VARIANCE,
    PREDICTIVE_MEAN,
    PREDICTIVE_VARIANCE,
    REGRESSION,
    INFORMATION,
    PAIR_VARIANCE,
    PAIR_MEAN,
)
