"""Enclosed attention against balls: huge logits, ties, offsets, lost additions."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, ctx, fmpq

from bounds.attention.kernels import ExponentialKernel, GaussianKernel
from bounds.large.enclosed import softmax as module
from bounds.large.enclosed.softmax import enclosed_softmax
from bounds.large.enclosed.upward import U
from bounds.large.result import Route
from bounds.large.source import tokens

SOFTMAX, NADARAYA = ExponentialKernel(Fraction(3)), GaussianKernel(Fraction(3, 2))


@pytest.fixture(autouse=True)
def precision():
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def balls(X):
    return arb_mat([[float(x) for x in row] for row in X])


def true_attention(kernel, K, V, q):
    """sum w v/sum w in balls, for one query."""
    key, value, query = balls(K), balls(V), balls([q])
    if isinstance(kernel, GaussianKernel):
        rate = arb(fmpq(-kernel.bandwidth.denominator, 2 * kernel.bandwidth.numerator))
        pairs = [[key[i, j] - query[0, j] for j in range(len(q))] for i in range(len(K))]
        scores = [rate * sum((x * x for x in pair), arb(0)) for pair in pairs]
    else:
        rate = arb(fmpq(kernel.temperature.denominator, kernel.temperature.numerator))
        scores = [rate * x for x in (key * query.transpose()).entries()]
    top = max(scores, key=lambda x: float(x.mid()))
    weights = [(x - top).exp() for x in scores]
    total = sum(weights, arb(0))
    return [x / total for x in (arb_mat([weights]) * value).entries()]


def shares(kernel, K, V, Q, block=4096):
    """|value - true|/error, after checking that none is above 1."""
    found = enclosed_softmax(kernel, tokens(K, V, block=block), Q)
    assert found.route == Route.ENCLOSED_SOFTMAX
    assert found.shape == (len(Q), V.shape[1])
    result = np.zeros(found.shape)
    for i, q in enumerate(Q):
        for j, true in enumerate(true_attention(kernel, K, V, q)):
            value, error = float(found.value[i, j]), float(found.error[i, j])
            distance = abs(true - arb(value))
            if error == 0.0:
                assert distance.lower() <= arb(2) ** -300 * abs(true)
                continue
            result[i, j] = float((distance / arb(error)).upper())
    assert result.max() <= 1.0
    return found, result


def data(case, rng, L=60, dk=3):
    K, V, Q = (rng.standard_normal(shape) for shape in ((L, dk), (L, 2), (4, dk)))
    if case == "huge logits":
        return K * 40, V, Q * 25
    if case == "ties":
        return np.repeat(K[:4], 15, axis=0), V, Q
    if case == "one token":
        return K[:1], V[:1], Q
    if case == "one value":
        return K, np.full_like(V, 0.1), Q
    if case == "offset values":
        return K, V + 1e9, Q
    if case == "large values":
        return K, V * 1e300, Q
    if case == "small values":
        return K, V * 1e-305, Q
    if case == "small keys":
        return K * 1e-200, V, Q * 1e-150
    if case == "far queries":
        return K, V, Q * 200
    return K, V, Q


CASES = [
    "plain",
    "huge logits",
    "ties",
    "one token",
    "one value",
    "offset values",
    "large values",
    "small values",
    "small keys",
    "far queries",
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kernel", [SOFTMAX, NADARAYA], ids=["softmax", "nadaraya-watson"])
def test_the_true_attention_is_enclosed(kernel, case):
    K, V, Q = data(case, np.random.default_rng(0))
    for block in (7, 4096):
        found, _ = shares(kernel, K, V, Q, block)
        assert (found.value <= V.max(axis=0)).all()
        assert (found.value >= V.min(axis=0)).all()
    if case in ("one token", "one value"):
        assert not found.error.any()
        assert (found.value == V[0]).all()
    if case == "offset values":
        assert found.error.max() < 4e-7


def test_sorted_scores_move_the_shift_through_all_of_its_range():
    K = np.linspace(-1500.0, 1500.0, 400)[:, None]
    V = np.random.default_rng(1).standard_normal((400, 2))
    shares(SOFTMAX, K, V, np.array([[3.0], [-3.0], [0.0], [200.0], [0.001]]), block=3)
    shares(NADARAYA, K, V, np.array([[0.0], [1500.0], [-700.0]]), block=3)


@pytest.mark.parametrize("kernel", [SOFTMAX, NADARAYA], ids=["softmax", "nadaraya-watson"])
def test_few_tokens_fill_a_good_part_of_the_bound(kernel):
    """A weight close to 1/2, where the quotient feels every error of the scores."""
    rng = np.random.default_rng(2)
    V = np.array([[1.0], [-1.0]])
    best = 0.0
    for _ in range(40):
        K, Q = rng.standard_normal((2, 1)) * 5, rng.standard_normal((30, 1)) * 5
        best = max(best, shares(kernel, K, V, Q)[1].max())
    assert best > 0.1


@pytest.mark.parametrize("kernel", [ExponentialKernel(1), GaussianKernel(Fraction(3, 2))])
def test_close_scores_that_are_large_fill_a_good_part_of_the_bound(kernel):
    """The weights are near 1/2 and move by half of what the scores of 500 are rounded by."""
    rng = np.random.default_rng(3)
    V, best = np.array([[1.0], [-1.0]]), 0.0
    for s in rng.uniform(500, 1000, 200):
        K, Q = np.array([[s], [s + rng.uniform(-0.1, 0.1)]]), rng.random((8, 1))
        if isinstance(kernel, GaussianKernel):
            K, Q = np.array([[s], [-s]]) / 20, (Q - 0.5) * 0.01
        best = max(best, shares(kernel, K, V, Q)[1].max())
    assert best > 0.12


def test_weights_as_wrong_as_they_may_be_fill_the_bound(monkeypatch):
    """Weights of values above the mean too large, the others too small; 1.4 without e_D."""
    exact = module.exp_in_place

    def spoiled(x, shift):
        exact(x, shift)
        x *= np.where(np.arange(x.shape[1]) == 0, 1 + 1e-8, 1 - 1e-8)

    monkeypatch.setattr(module, "exp_in_place", spoiled)
    monkeypatch.setattr(module, "EXP_ERROR", 1e-8)
    K = np.array([[0.0], [0.85], [-200.0]])
    _, found = shares(ExponentialKernel(1), K, np.array([[1.0], [0.0], [-1.0]]), np.ones((1, 1)))
    assert 0.6 < found[0, 0] <= 1.0


def test_small_weights_of_many_blocks_are_not_lost():
    """2000 times 2^-53 is lost beside 1, but for the second part of the sums."""
    K = np.zeros((2002, 1))
    K[1:] = -53 * 0.6931471805599453
    K[-1] = 3.0
    V = np.zeros((2002, 1))
    V[0] = 1.0
    for last in (-1, None):
        found, _ = shares(ExponentialKernel(1), K[:last], V[:last], np.ones((1, 1)), block=1)
        assert found.error.max() < 100 * U


def test_weights_below_all_floats_count_beside_huge_values():
    K, V = np.array([[0.0], [-720.0]]), np.array([[0.0], [1e300]])
    found, _ = shares(ExponentialKernel(1), K, V, np.ones((1, 1)), block=1)
    assert found.error[0, 0] < 1e-6


def test_lost_additions_nearly_fill_the_bound_of_the_sums(monkeypatch):
    """One weight of 1, then many of 2^-53, in pieces of one token: each addition is lost."""
    monkeypatch.setattr(module, "_PIECE", 1)
    n = 4001
    K = np.zeros((n, 1))
    K[1:] = -53 * 0.6931471805599453 + 2.0**-40
    V = np.zeros((n, 1))
    V[0], V[1] = 1.0, -1.0
    found = enclosed_softmax(ExponentialKernel(Fraction(1)), tokens(K, V), [[1.0]])
    w = arb(float(K[1, 0])).exp()
    true = (1 - w) / (1 + (n - 1) * w)
    share = abs(true - arb(float(found.value[0, 0]))) / arb(float(found.error[0, 0]))
    assert 0.3 < float(share.mid()) <= 1.0


def test_the_result_hardly_depends_on_blocks_and_tiles(monkeypatch):
    rng = np.random.default_rng(4)
    K, V, Q = (rng.standard_normal(shape) for shape in ((5000, 4), (5000, 3), (140, 4)))
    whole = enclosed_softmax(SOFTMAX, tokens(K, V, block=5000), Q)
    for block, scores in ((1, 131_072), (99, 131_072), (5000, 2000)):
        monkeypatch.setattr(module, "_SCORES", scores)
        part = enclosed_softmax(SOFTMAX, tokens(K[:600], V[:600], block=block), Q)
        base = enclosed_softmax(SOFTMAX, tokens(K[:600], V[:600]), Q)
        assert (np.abs(part.value - base.value) <= part.error + base.error).all()
        assert part.error.max() < 1e-12
    one = enclosed_softmax(SOFTMAX, tokens(K, V), Q[130:131])
    assert (np.abs(one.value - whole.value[130]) <= one.error + whole.error[130]).all()
    assert whole.error.max() < 2e-13


def test_a_plain_softmax_of_many_tokens_lies_within():
    rng = np.random.default_rng(5)
    K, V, Q = (rng.standard_normal(shape) for shape in ((60_000, 4), (60_000, 2), (3, 4)))
    found = enclosed_softmax(SOFTMAX, tokens(K, V), Q)
    s = (Q.astype("g") @ K.T.astype("g")) / 3
    w = np.exp(s - s.max(axis=1, keepdims=True))
    true = (w @ V.astype("g")) / w.sum(axis=1, keepdims=True)
    assert (np.abs(found.value - true) <= found.error).all()
    assert found.error.max() < 1e-13


def test_a_generator_and_float32_are_taken_as_they_are():
    rng = np.random.default_rng(6)
    K, V, Q = (rng.standard_normal(shape).astype("f4") for shape in ((50, 2), (50, 2), (3, 2)))
    pairs = ((K[i : i + 9], V[i : i + 9]) for i in range(0, 50, 9))
    streamed = enclosed_softmax(SOFTMAX, tokens(pairs), Q)
    double = enclosed_softmax(SOFTMAX, tokens(K.astype("f8"), V.astype("f8")), Q.astype("f8"))
    assert (np.abs(streamed.value - double.value) <= streamed.error + double.error).all()
    assert streamed.input_unit == 0.0
