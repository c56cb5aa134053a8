r"""I1: the posterior mean of the latent model is attention.

For tokens :math:`v_\ell = z\,\phi(k_\ell) + e_\ell` and a query q,

.. math::
    E[v \mid q, K, V] = \mathrm{attn}_{CME}(q, K, V)
    = V^T (\Phi\Phi^T + \lambda I)^{-1} \Phi\,\phi(q)
    = V^T \Phi\,(\Phi^T\Phi + \lambda I)^{-1} \phi(q), \qquad \lambda = \sigma^2/\tau^2 .

The two forms differ by the push-through identity. Source: arXiv:2212.14852, inference (b).
"""

from sympy import Inverse, MatMul

from bounds.claim import Claim, Mutant
from bounds.derivation import Derivation, Rule, Step
from bounds.models.attention import attn_cme
from bounds.models.linear_gaussian import predictive_mean
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.symbols import I_L, A, K_lam, Phi, V, d_v, lam, matrix, phi
from bounds.theory.linear_gaussian import INSTANCES, MODEL, NOISE, PRIOR, on_data

# MatMul(...) keeps A next to its inverse, where the operator * would cancel them in silence.
kernel_form = V.T * Inverse(K_lam) * Phi * phi
feature_form = V.T * Phi * Inverse(A) * phi

POSTERIOR_MEAN = Quantity(
    matrix("zbar_phi", d_v, 1),
    "posterior mean of z phi(q), d_v x 1",
    on_data(predictive_mean),
    formula=feature_form,
)
ATTENTION = Quantity(
    matrix("attn", d_v, 1),
    "CME attention in kernel space, d_v x 1",
    on_data(lambda field, data: attn_cme(field, data, route="kernel")),
    formula=kernel_form,
)

PUSH_THROUGH = Claim(
    id="I1.push_through",
    title="the posterior mean is CME attention",
    lhs=feature_form,
    rhs=kernel_form,
    relation=Relation.IDENTITY,
    hypotheses=(NOISE, PRIOR),
    quantities=(*MODEL, POSTERIOR_MEAN, ATTENTION),
    instances=INSTANCES,
    source=ATTENTION_PAPER.at("(b): attention as posterior mean"),
    derivation=Derivation(
        start=feature_form,
        steps=(
            Step(
                MatMul(V.T, Inverse(K_lam), K_lam, Phi, Inverse(A), phi),
                Rule.ALGEBRA,
                "insert the identity: Phi Phi^T + lambda I is positive definite",
            ),
            Step(
                MatMul(V.T, Inverse(K_lam), Phi, A, Inverse(A), phi),
                Rule.ALGEBRA,
                "(Phi Phi^T + lambda I) Phi = Phi (Phi^T Phi + lambda I)",
            ),
            Step(kernel_form, Rule.ALGEBRA, "cancel A with its inverse"),
        ),
    ),
    mutants=(
        Mutant(
            name="no_prior_in_kernel",
            rhs=V.T * Inverse(Phi * Phi.T + I_L) * Phi * phi,
            why="lambda = 4, one key 1, value 1, query 1: 1/5 against 1/2",
        ),
        Mutant(
            name="lambda_doubled",
            rhs=V.T * Inverse(Phi * Phi.T + 2 * lam * I_L) * Phi * phi,
            why="one key 1, value 1, query 1, lambda = 1: 1/2 against 1/3",
        ),
        Mutant(
            name="sign",
            rhs=-kernel_form,
            why="one key 1, value 1, query 1, lambda = 1: 1/2 against -1/2",
        ),
    ),
    tags=("posterior", "attention", "identity"),
)

CLAIMS = (PUSH_THROUGH,)
