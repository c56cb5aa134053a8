"""The reference in balls of many bits for what is computed in float64: errors, rounded up."""

from fractions import Fraction

import numpy as np
from flint import arb

from bounds.arithmetic.balls import BallField
from bounds.attention.kernels import ExponentialKernel
from bounds.attention.softmax import nadaraya_watson, softmax_attention


def rows_of(array):
    return [[Fraction(float(x)) for x in row] for row in np.asarray(array, dtype=np.float64)]


def distance(value, exact):
    """|value - exact| entry by entry, rounded up, for a matrix of balls."""
    value = np.atleast_2d(value)
    return np.array(
        [
            [float((exact[i, j] - arb(float(x))).abs_upper()) for j, x in enumerate(row)]
            for i, row in enumerate(value)
        ]
    )


def gram_errors(kernel, A, B, value, bits=400):
    field = BallField(bits)
    with field.context():
        exact = kernel.gram(field, field.matrix(rows_of(A)), field.matrix(rows_of(B)))
        return distance(value, exact)


def law_errors(model, K, V, Q, mean, variance, bits=500):
    """The errors of a mean (nq x dv) and a variance (nq), by the L x L system in balls."""
    field = BallField(bits)
    with field.context():
        keys, queries = field.matrix(rows_of(K)), field.matrix(rows_of(Q))
        A = model.kernel.gram(field, keys, keys)
        lam = field.number(model.lam)
        for i in range(len(K)):
            A[i, i] = A[i, i] + lam
        k = model.kernel.gram(field, keys, queries)
        W = A.solve(k)
        at_query = model.kernel.gram(field, queries, queries)
        explained = k.transpose() * W
        exact = field.from_scalars(
            [
                [
                    field.number(model.prior_variance) * (at_query[i, i] - explained[i, i])
                    for i in range(len(Q))
                ]
            ]
        )
        of_mean = distance(mean, W.transpose() * field.matrix(rows_of(V)))
        return of_mean, distance(variance, exact)[0]


def weighted_mean_errors(kernel, Q, K, V, value, bits=300):
    """The errors of softmax attention, or Nadaraya-Watson, at every query."""
    field = BallField(bits)
    with field.context():
        keys, values = field.matrix(rows_of(K)), field.matrix(rows_of(V))
        softmax = isinstance(kernel, ExponentialKernel)
        mean = softmax_attention if softmax else nadaraya_watson
        gamma = field.number(kernel.temperature if softmax else kernel.bandwidth)
        errors = []
        for q, row in zip(rows_of(Q), value, strict=True):
            exact = mean(field, keys, values, field.matrix([[x] for x in q]), gamma)
            errors.append(distance(row, exact.transpose())[0])
        return np.array(errors)
