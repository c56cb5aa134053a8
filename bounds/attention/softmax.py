"""Softmax attention and the Nadaraya-Watson estimate, safe from overflow."""

from __future__ import annotations

from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.linear import column, entries
from bounds.attention.kernels import squared_distances
from bounds.errors import ParameterError


def softmax(field: Field, scores: Matrix) -> Matrix:
    """exp(s_l)/sum_m exp(s_m) for an L x 1 column of scores.

    Every score is taken relative to one of the largest, which changes nothing, so no exponential
    overflows; the weight of that score itself is exactly exp(0) = 1. In the rationals this is
    defined for equal scores only (else NotRational).
    """
    values = [row[0] for row in entries(field, scores)]
    top = max(range(len(values)), key=lambda i: field.to_float(values[i]))
    weights = [
        field.number(1) if i == top else field.exp(value - values[top])
        for i, value in enumerate(values)
    ]
    total = weights[0]
    for weight in weights[1:]:
        total = total + weight
    return column(field, [weight / total for weight in weights])


def softmax_attention(field: Field, K: Matrix, V: Matrix, q: Matrix, gamma: Scalar) -> Matrix:
    """V^T softmax(K q/gamma), dv x 1, for keys L x d, values L x dv and a query d x 1."""
    rate = _rate(field, gamma)
    scores = field.scale(rate, field.matmul(K, q))
    return field.matmul(field.transpose(V), softmax(field, scores))


def nadaraya_watson(field: Field, K: Matrix, V: Matrix, q: Matrix, gamma: Scalar) -> Matrix:
    """sum_l w_l v_l/sum_l w_l with w_l = exp(-|q - k_l|^2/(2 gamma)), dv x 1."""
    rate = -_rate(field, gamma) / field.number(2)
    distances = squared_distances(field, K, field.transpose(q))
    return field.matmul(field.transpose(V), softmax(field, field.scale(rate, distances)))


def self_softmax_attention(field: Field, K: Matrix, V: Matrix, gamma: Scalar) -> Matrix:
    """Softmax attention with every key as a query: dv x L, column l for the query k_l."""
    columns = []
    for row in entries(field, K):
        output = softmax_attention(field, K, V, column(field, row), gamma)
        columns.append([entry[0] for entry in entries(field, output)])
    return field.transpose(field.from_scalars(columns))


def _rate(field: Field, gamma: Scalar) -> Scalar:
    if field.less(field.number(0), gamma) is not True:
        raise ParameterError("gamma", field.text(gamma), "the temperature must be certainly > 0")
    return field.number(1) / gamma
