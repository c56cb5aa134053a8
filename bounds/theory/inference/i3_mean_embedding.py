r"""I3: CME attention is the empirical conditional mean embedding applied to the query.

With :math:`\hat C_{VK} = V^T\Phi/L`, :math:`\hat C_{KK} = \Phi^T\Phi/L` and
:math:`\mu = \lambda/L`,

.. math:: \mathrm{attn}_{CME}(q) = \hat C_{VK}(\hat C_{KK} + \mu I)^{-1}\phi(q) .

Source: arXiv:2212.14852, inference (b).
"""

from sympy import Inverse

from bounds.attention.cme import empirical_cme
from bounds.claim import Claim, Mutant
from bounds.derivation import Derivation, Rule, Step
from bounds.models.linear_gaussian import feature_query, features
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.symbols import A, I_phi, L, Phi, V, d_v, lam, matrix, mu, phi
from bounds.theory.linear_gaussian import INSTANCES, MODEL, NOISE, PRIOR, TOKENS, on_data

MU = Quantity(
    mu,
    "regularisation of the covariance, lambda/L",
    on_data(lambda field, data: field.number(data.model.lam / data.L)),
    formula=lam / L,
)
embedding = V.T * Phi / L * Inverse(Phi.T * Phi / L + mu * I_phi) * phi
EMBEDDING = Quantity(
    matrix("cme", d_v, 1),
    "empirical conditional mean embedding at the query, d_v x 1",
    on_data(
        lambda field, data: empirical_cme(
            field,
            features(field, data),
            feature_query(field, data),
            field.matrix(data.values),
            field.number(data.model.lam / data.L),
        )
    ),
    formula=embedding,
)

EMPIRICAL = Claim(
    id="I3.embedding",
    title="CME attention is the empirical conditional mean embedding",
    lhs=V.T * Phi * Inverse(A) * phi,
    rhs=embedding,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR, TOKENS),
    quantities=(*MODEL, MU, EMBEDDING),
    instances=INSTANCES,
    source=ATTENTION_PAPER.at("(b): conditional mean embedding"),
    derivation=Derivation(
        start=V.T * Phi * Inverse(A) * phi,
        steps=(
            Step(V.T * Phi / L * Inverse(A / L) * phi, Rule.ALGEBRA, "(A/L)^-1 = L A^-1"),
            Step(embedding, Rule.ALGEBRA, "A/L is the sample covariance plus mu I"),
        ),
    ),
    mutants=(
        Mutant(
            name="mu_is_lambda",
            rhs=V.T * Phi / L * Inverse(Phi.T * Phi / L + lam * I_phi) * phi,
            why="at L = 2 the regularisation is twice too large",
        ),
        Mutant(
            name="value_sum",
            rhs=V.T * Phi * Inverse(Phi.T * Phi / L + mu * I_phi) * phi,
            why="at L = 2 the result is twice too large",
        ),
    ),
    tags=("attention", "identity"),
)

CLAIMS = (EMPIRICAL,)
