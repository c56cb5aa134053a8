r"""I10: on the unit sphere softmax attention is the Gaussian-kernel (Nadaraya-Watson) estimate.

With :math:`|q| = |k_\ell| = 1`, :math:`|q - k|^2 = 2 - 2 q^T k`, so the weights
:math:`e^{q^Tk_\ell/\gamma}` and :math:`e^{-|q-k_\ell|^2/(2\gamma)}` differ by the factor
:math:`e^{1/\gamma}` and are the same once normalised. Source: arXiv:2212.14852, inference (b).
"""

from typing import Any

from sympy import Eq, Trace, exp

from bounds.arithmetic.field import Field
from bounds.arrays import POSITIVE, arrays
from bounds.attention.softmax import nadaraya_watson, softmax_attention
from bounds.claim import Claim, Mutant
from bounds.hypothesis import assume, on_instances
from bounds.points import Point, integers
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.symbols import K, L, V, d_v, gamma, matrix, ones, q, scalar

raw = scalar("raw")
RAW_KEYS = matrix("raw_keys", L, raw)
RAW_QUERY = matrix("raw_query", 1, raw)
squared_norms = matrix("norms", L, 1)


def on_sphere(field: Field, rows: Any) -> Any:
    """Rational points of the unit sphere, one a row, by inverse stereographic projection."""
    points = []
    for row in rows:
        square = sum(entry * entry for entry in row)
        point = [2 * entry / (square + 1) for entry in row] + [(square - 1) / (square + 1)]
        points.append(point)
    return field.matrix(points)


def keys(instance: Point, field: Field) -> Any:
    """The keys of the instance, L x d_k, on the unit sphere."""
    return on_sphere(field, instance["raw_keys"])


def query(instance: Point, field: Field) -> Any:
    """The query of the instance, d_k x 1, on the unit sphere."""
    return field.transpose(on_sphere(field, instance["raw_query"]))


def squared_key_norms(instance: Point, field: Field) -> Any:
    """The column of squared key norms."""
    rows = keys(instance, field)
    tokens, dimension = field.shape(rows)
    return field.from_scalars(
        [[sum((field.entry(rows, i, j) * field.entry(rows, i, j) for j in range(dimension)),
              field.number(0))] for i in range(tokens)]
    )  # fmt: skip


def attention_by(function: Any) -> Any:
    """A quantity's function from one of the attention functions of (field, K, V, q, gamma)."""
    return lambda instance, field: function(
        field,
        keys(instance, field),
        field.matrix(instance["V"]),
        query(instance, field),
        field.number(instance["gamma"]),
    )


def weighted(weights: Any) -> Any:
    """Values averaged with unnormalised weights (L x 1)."""
    return V.T * weights / Trace(ones(L).T * weights)


softmax_form = weighted((K * q / gamma).applyfunc(exp))
minus_half_distances = K * q - (squared_norms + Trace(q.T * q) * ones(L)) / 2
kernel_form = weighted((minus_half_distances / gamma).applyfunc(exp))

UNIT_KEYS = on_instances("unit_keys", r"$|k_\ell| = 1$", condition=Eq(squared_norms, ones(L)))
UNIT_QUERY = on_instances("unit_query", "$|q| = 1$", condition=Eq(Trace(q.T * q), 1))
QUANTITIES = (
    Quantity(K, "keys on the unit sphere, L x d_k", keys),
    Quantity(q, "query on the unit sphere, d_k x 1", query),
    Quantity(squared_norms, "squared norms of the keys, L x 1", squared_key_norms),
    Quantity(
        matrix("attn_softmax", d_v, 1),
        "softmax attention, d_v x 1",
        attention_by(softmax_attention),
        formula=softmax_form,
    ),
    Quantity(
        matrix("nadaraya_watson", d_v, 1),
        "Gaussian-kernel estimate, d_v x 1",
        attention_by(nadaraya_watson),
        formula=kernel_form,
    ),
)

SPHERE = Claim(
    id="I10.sphere",
    title="on the unit sphere softmax attention is the Gaussian-kernel estimate",
    lhs=softmax_form,
    rhs=kernel_form,
    relation=Relation.IDENTITY,
    hypotheses=(assume("tokens", L >= 1), assume("temperature", gamma > 0), UNIT_KEYS, UNIT_QUERY),
    quantities=QUANTITIES,
    instances=arrays(RAW_KEYS, RAW_QUERY, V, sizes={L: integers(1, 5)}, ranges={gamma: POSITIVE}),
    source=ATTENTION_PAPER.at("(b): softmax attention as kernel density estimate"),
    mutants=(
        Mutant(
            name="half_distance",
            rhs=weighted((minus_half_distances / (2 * gamma)).applyfunc(exp)),
            why="the wrong bandwidth: two different keys get other weights",
        ),
        Mutant(
            name="opposite",
            rhs=weighted((-minus_half_distances / gamma).applyfunc(exp)),
            why="the sign prefers the farthest key",
        ),
    ),
    tags=("attention", "softmax", "identity"),
)

CLAIMS = (SPHERE,)
