r"""R1: de Finetti's representation in the Gaussian case.

Tokens :math:`x_\ell \mid z \sim N(z, \sigma^2)` with :math:`z \sim N(m, \tau^2)` have the joint law

.. math:: \int \prod_{\ell=1}^L N(x_\ell; z, \sigma^2)\, N(z; m, \tau^2)\, dz
          = N(x;\ m\mathbf 1,\ \sigma^2 I + \tau^2 \mathbf 1\mathbf 1^T)

for every L. It uses the determinant :math:`\sigma^{2L}(1 + L\tau^2/\sigma^2)` and Sherman-Morrison.
Source: arXiv:2212.14852, representation (a).
"""

from fractions import Fraction
from typing import Any

from sympy import Determinant, Integral, Inverse, Rational, Trace, exp, log, oo, pi

from bounds.arithmetic.field import Field
from bounds.arrays import POSITIVE, arrays
from bounds.claim import Claim, Mutant
from bounds.derivation import Derivation, Rule, Step
from bounds.hypothesis import assume
from bounds.models.mean_model import MeanModel, MeanModelData, log_marginal
from bounds.points import Point, Range, between
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.symbols import I_L, L, matrix, ones, scalar, sigma, tau

SOURCE = ATTENTION_PAPER.at("(a): exchangeability and the latent variable (de Finetti)")
x = matrix("x", L, 1)
m, z = scalar("m"), scalar("z")
one = ones(L)
covariance = sigma**2 * I_L + tau**2 * one * one.T
NOISE = assume("noise", sigma > 0)
PRIOR = assume("prior", tau > 0)
TOKENS = assume("tokens", L >= 1)
POINTS = arrays(x, ranges={sigma: POSITIVE, tau: POSITIVE, m: Range()})
# Scales whose determinants stay readable; the corners of POSITIVE are tried above.
GENTLE = arrays(x, ranges={sigma: between("1/10", 10), tau: between("1/10", 10), m: between(-5, 5)})

INVERSE = Claim(
    id="R1.inverse",
    title="Sherman-Morrison for the exchangeable covariance",
    lhs=Inverse(covariance),
    rhs=(I_L - tau**2 / (sigma**2 + L * tau**2) * one * one.T) / sigma**2,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, TOKENS),
    instances=POINTS,
    source=SOURCE,
    mutants=(
        Mutant(
            name="forgets_L",
            rhs=(I_L - tau**2 / (sigma**2 + tau**2) * one * one.T) / sigma**2,
            why="correct at L = 1 only",
        ),
        Mutant(
            name="sign",
            rhs=(I_L + tau**2 / (sigma**2 + L * tau**2) * one * one.T) / sigma**2,
            why="L = 1, sigma = tau = 1: 1/2 against 3/2",
        ),
    ),
    tags=("exchangeability", "identity"),
)

DETERMINANT = Claim(
    id="R1.determinant",
    title="log determinant of the exchangeable covariance",
    lhs=log(Determinant(covariance)),
    rhs=L * log(sigma**2) + log(1 + L * tau**2 / sigma**2),
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, TOKENS),
    instances=GENTLE,
    source=SOURCE,
    mutants=(
        Mutant(
            name="power",
            rhs=L * log(sigma) + log(1 + L * tau**2 / sigma**2),
            why="sigma^L for sigma^(2L): wrong unless sigma = 1",
        ),
        Mutant(
            name="forgets_L",
            rhs=L * log(sigma**2) + log(1 + tau**2 / sigma**2),
            why="correct at L = 1 only",
        ),
    ),
    tags=("exchangeability", "identity"),
)

residual = x - z * one
centred = x - m * one
likelihood = (2 * pi * sigma**2) ** (-L / 2) * exp(-Trace(residual.T * residual) / (2 * sigma**2))
prior = (2 * pi * tau**2) ** Rational(-1, 2) * exp(-((z - m) ** 2) / (2 * tau**2))
mixture = Integral(likelihood * prior, (z, -oo, oo))
log_density = (
    -L * log(2 * pi) / 2
    - log(Determinant(covariance)) / 2
    - Trace(centred.T * Inverse(covariance) * centred) / 2
)


def data(point: Point) -> MeanModelData:
    """The mean model in one dimension, with the tokens of an instance."""
    variances = (((point["tau"] ** 2,),), ((point["sigma"] ** 2,),))
    return MeanModelData(MeanModel((point["m"],), *variances), point["x"])


def one_token_at_a_time(point: Point, field: Field) -> Any:
    r"""The mixture by the chain rule :math:`\prod_\ell p(x_\ell \mid x_{<\ell})`, each a posterior
    predictive: a route that neither integrates nor inverts.
    """
    mean, variance, noise = point["m"], point["tau"] ** 2, point["sigma"] ** 2
    density = field.number(1)
    for (token,) in point["x"]:
        spread = variance + noise
        exponent = field.exp(field.number(-((token - mean) ** 2) / (2 * spread)))
        scale = field.sqrt(field.number(2 * spread) * field.pi())
        density = density * exponent / scale
        gain = variance / spread
        mean, variance = mean + gain * (token - mean), variance * (Fraction(1) - gain)
    return density


# The exponent is -precision z^2/2 + slope z + ...; completing the square integrates it.
precision = L / sigma**2 + 1 / tau**2
slope = Trace(one.T * x) / sigma**2 + m / tau**2
completed_square = (
    -L * log(2 * pi * sigma**2) / 2
    - log(2 * pi * tau**2) / 2
    + log(2 * pi / precision) / 2
    + slope**2 / (2 * precision)
    - (Trace(x.T * x) / sigma**2 + m**2 / tau**2) / 2
)

MIXTURE = Claim(
    id="R1.mixture",
    title="the mixture of i.i.d. Gaussian tokens is an exchangeable Gaussian, any L",
    lhs=log(mixture),
    rhs=log_density,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, TOKENS),
    quantities=(
        Quantity(mixture, "density of the mixture, by the chain rule", one_token_at_a_time),
        Quantity(
            scalar("log_marginal"),
            "log density from the joint covariance",
            lambda point, field: log_marginal(field, data(point)),
            formula=log_density,
        ),
    ),
    instances=GENTLE,
    source=SOURCE,
    derivation=Derivation(
        start=log(mixture),
        steps=(
            Step(completed_square, Rule.ALGEBRA, "complete the square in z and integrate"),
            Step(log_density, Rule.ALGEBRA, "Sherman-Morrison and the determinant, for any L"),
        ),
    ),
    mutants=(
        Mutant(
            name="independent",
            rhs=log_density.xreplace({covariance: (sigma**2 + tau**2) * I_L}),
            why="the tokens are not independent: L = 2 shows the covariance tau^2",
        ),
        Mutant(
            name="normaliser",
            rhs=log_density - log(2) / 2,
            why="the density would not integrate to 1",
        ),
    ),
    tags=("exchangeability", "identity"),
)

CLAIMS = (INVERSE, DETERMINANT, MIXTURE)
