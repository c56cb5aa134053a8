r"""R2: the posterior and every attention output forget the order of the tokens.

For a fixed query and no mask, permuting the pairs :math:`(k_\ell, v_\ell)` changes nothing; with
the tokens themselves as queries the outputs are permuted along. Each side of a claim is the output
for permuted tokens and for the tokens as they are, with a permutation matrix P of any size.
Source: arXiv:2212.14852, representation (a).
"""

from typing import Any

from sympy import DiagMatrix, Inverse, Q, Trace, exp
from sympy.matrices.expressions import MatrixExpr

from bounds.arithmetic.field import Field
from bounds.arrays import POSITIVE, arrays
from bounds.attention.cme import cme_attention_features
from bounds.attention.softmax import self_softmax_attention, softmax_attention
from bounds.claim import Claim, Mutant
from bounds.hypothesis import assume, on_instances
from bounds.matrices import permutation
from bounds.points import Point, between
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.symbols import I_L, I_phi, K, L, Phi, V, d_v, gamma, lam, matrix, ones, phi, q

SOURCE = ATTENTION_PAPER.at("(a): permutation invariance")
P = matrix("P", L, L)
M = matrix("M", L, L)
PERMUTATION = on_instances("permutation", "P is a permutation matrix", condition=permutation(P))
ORTHOGONAL = on_instances("orthogonal", "P^T P = I", condition=Q.orthogonal(P))
REGULARISED = assume("regularised", lam > 0)
TOKENS = assume("tokens", L >= 1)
TEMPERATURE = assume("temperature", gamma > 0)
NOT_A_PERMUTATION = arrays(K, V, q, P, Phi, phi, ranges={gamma: between(1, 5), lam: POSITIVE})


def given(name: str) -> Any:
    """The field's matrix for a symbol of the instance."""
    return lambda point, field: field.matrix(point[name])


def cme(features: MatrixExpr, values: MatrixExpr) -> MatrixExpr:
    """CME attention for these features and values."""
    return values.T * features * Inverse(features.T * features + lam * I_phi) * phi


def softmax(keys: MatrixExpr, values: MatrixExpr) -> MatrixExpr:
    """Softmax attention for these keys and values."""
    weights = (keys * q / gamma).applyfunc(exp)
    return values.T * weights / Trace(ones(L).T * weights)


def self_cme(features: MatrixExpr, values: MatrixExpr) -> MatrixExpr:
    """CME attention with the tokens as queries, one output a row (L x d_v)."""
    gram = features * features.T
    return gram * Inverse(gram + lam * I_L) * values


def self_softmax(keys: MatrixExpr, values: MatrixExpr) -> MatrixExpr:
    """Softmax attention with the tokens as queries, one output a row (L x d_v)."""
    weights = (keys * keys.T / gamma).applyfunc(exp)
    return Inverse(DiagMatrix(weights * ones(L))) * weights * values


def _cme_of(point: Point, field: Field) -> Any:
    Phi_, phi_, V_ = (field.matrix(point[name]) for name in ("Phi", "phi", "V"))
    return cme_attention_features(field, Phi_, phi_, V_, field.number(point["lambda"]))


def _softmax_of(point: Point, field: Field) -> Any:
    K_, V_, q_ = (field.matrix(point[name]) for name in ("K", "V", "q"))
    return softmax_attention(field, K_, V_, q_, field.number(point["gamma"]))


def _self_softmax_of(point: Point, field: Field) -> Any:
    K_, V_ = (field.matrix(point[name]) for name in ("K", "V"))
    return field.transpose(self_softmax_attention(field, K_, V_, field.number(point["gamma"])))


CME = Claim(
    id="R2.cme",
    title="the posterior mean forgets the order of the tokens",
    lhs=cme(P * Phi, P * V),
    rhs=cme(Phi, V),
    relation=Relation.IDENTITY,
    hypotheses=(REGULARISED, ORTHOGONAL),
    quantities=(
        Quantity(matrix("attn", d_v, 1), "CME attention, d_v x 1", _cme_of, formula=cme(Phi, V)),
    ),
    instances=arrays(Phi, V, phi, P, kinds={P: "permutation"}, ranges={lam: POSITIVE}),
    source=SOURCE,
    mutants=(
        Mutant(
            name="values_only",
            lhs=cme(Phi, P * V),
            why="permuting the values without their keys pairs them wrongly",
        ),
        Mutant(
            name="any_matrix",
            drop=("orthogonal",),
            instances=NOT_A_PERMUTATION,
            why="P = 2: features and values doubled, lambda not",
        ),
    ),
    tags=("exchangeability", "attention", "identity"),
)

POSTERIOR_COVARIANCE = Claim(
    id="R2.covariance",
    title="the posterior covariance forgets the order of the tokens",
    lhs=Inverse((P * Phi).T * (P * Phi) + lam * I_phi),
    rhs=Inverse(Phi.T * Phi + lam * I_phi),
    relation=Relation.IDENTITY,
    hypotheses=(REGULARISED, ORTHOGONAL),
    instances=arrays(Phi, P, kinds={P: "permutation"}, ranges={lam: POSITIVE}),
    source=SOURCE,
    mutants=(
        Mutant(
            name="any_matrix",
            drop=("orthogonal",),
            instances=NOT_A_PERMUTATION,
            why="P = 2 makes the Gram matrix four times as large",
        ),
        Mutant(
            name="columns",
            lhs=Inverse((M * Phi).T * (P * Phi) + lam * I_phi),
            instances=arrays(
                Phi,
                P,
                M,
                kinds={P: "permutation", M: "permutation"},
                ranges={lam: between(200, 300)},
            ),
            why="two different permutations do not cancel",
        ),
    ),
    tags=("exchangeability", "posterior", "identity"),
)

SOFTMAX = Claim(
    id="R2.softmax",
    title="softmax attention forgets the order of the tokens",
    lhs=softmax(P * K, P * V),
    rhs=softmax(K, V),
    relation=Relation.IDENTITY,
    hypotheses=(TOKENS, TEMPERATURE, PERMUTATION),
    quantities=(
        Quantity(
            matrix("attn", d_v, 1), "softmax attention, d_v x 1", _softmax_of, formula=softmax(K, V)
        ),
    ),
    instances=arrays(K, V, q, P, kinds={P: "permutation"}, ranges={gamma: POSITIVE}),
    source=SOURCE,
    mutants=(
        Mutant(
            name="orthogonal_only",
            drop=("permutation",),
            add=(ORTHOGONAL,),
            instances=arrays(K, V, q, P, ranges={gamma: between(1, 5)}, count=400),
            why="P = -1 is orthogonal: softmax of one token is its value, which changes sign",
        ),
        Mutant(
            name="keys_only",
            lhs=softmax(P * K, V),
            why="permuting the keys without their values pairs them wrongly",
        ),
    ),
    tags=("exchangeability", "softmax", "identity"),
)

SELF_CME = Claim(
    id="R2.self_cme",
    title="CME self-attention is equivariant under permutations",
    lhs=self_cme(P * Phi, P * V),
    rhs=P * self_cme(Phi, V),
    relation=Relation.IDENTITY,
    hypotheses=(REGULARISED, ORTHOGONAL),
    instances=arrays(Phi, V, P, kinds={P: "permutation"}, ranges={lam: POSITIVE}),
    source=SOURCE,
    mutants=(
        Mutant(
            name="invariant",
            rhs=self_cme(Phi, V),
            why="the outputs move with the tokens: equivariant, not invariant",
        ),
        Mutant(
            name="inverse_order",
            rhs=P.T * self_cme(Phi, V),
            why="a cycle of three tokens is not its own inverse",
        ),
    ),
    tags=("exchangeability", "attention", "identity"),
)

SELF_SOFTMAX = Claim(
    id="R2.self_softmax",
    title="softmax self-attention is equivariant under permutations",
    lhs=self_softmax(P * K, P * V),
    rhs=P * self_softmax(K, V),
    relation=Relation.IDENTITY,
    hypotheses=(TOKENS, TEMPERATURE, PERMUTATION),
    quantities=(
        Quantity(
            matrix("self_attn", L, d_v),
            "softmax self-attention, L x d_v",
            _self_softmax_of,
            formula=self_softmax(K, V),
        ),
    ),
    instances=arrays(K, V, P, kinds={P: "permutation"}, ranges={gamma: between(1, 20)}, count=60),
    source=SOURCE,
    mutants=(
        Mutant(
            name="invariant",
            rhs=self_softmax(K, V),
            why="the outputs move with the tokens: equivariant, not invariant",
        ),
        Mutant(
            name="values_only",
            lhs=self_softmax(K, P * V),
            why="permuting the values without their keys pairs them wrongly",
        ),
    ),
    tags=("exchangeability", "softmax", "identity"),
)

CLAIMS = (CME, POSTERIOR_COVARIANCE, SOFTMAX, SELF_CME, SELF_SOFTMAX)
