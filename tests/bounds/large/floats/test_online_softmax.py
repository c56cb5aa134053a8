"""Softmax attention and Nadaraya-Watson by the online rule, against balls."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.attention.kernels import ExponentialKernel, GaussianKernel, LinearKernel
from bounds.errors import CheckpointError, ParameterError, ShapeError, UndefinedError
from bounds.large.checkpoint import load, save
from bounds.large.floats import softmax_state
from bounds.large.floats.online_softmax import online_softmax, softmax_stream
from bounds.large.result import Route
from bounds.large.source import tokens

from ..ball_reference import weighted_mean_errors

RNG = np.random.default_rng(5)
K, V, Q = RNG.normal(size=(90, 3)), RNG.normal(size=(90, 2)), RNG.normal(size=(3, 3))
SOFTMAX, NEAREST = ExponentialKernel(1), GaussianKernel(1)
BOTH = pytest.mark.parametrize("kernel", [SOFTMAX, NEAREST], ids=["softmax", "nadaraya-watson"])


def found_and_errors(kernel, queries, keys, values, block=37):
    found = online_softmax(kernel, queries, tokens(keys, values, block=block))
    return found, weighted_mean_errors(kernel, queries, keys, values, found.value)


@pytest.mark.parametrize("make", [ExponentialKernel, GaussianKernel])
@pytest.mark.parametrize("gamma", [Fraction(1000), Fraction(1), Fraction(1, 30)])
@pytest.mark.parametrize("dk", [1, 16])
def test_errors_hold_and_are_not_idle(make, gamma, dk):
    keys, queries = RNG.normal(size=(150, dk)), RNG.normal(size=(3, dk))
    values = RNG.normal(size=(150, 2))
    found, errors = found_and_errors(make(gamma), queries, keys, values)
    assert (errors <= found.error).all()
    assert found.error.max() <= 1e4 * max(errors.max(), 1e-16)
    assert found.route is Route.ONLINE_SOFTMAX


def test_logits_of_a_thousand_stay_accurate():
    keys = RNG.normal(size=(150, 4))
    queries = 1000 * keys[:3] / (keys[:3] ** 2).sum(axis=1)[:, None]
    found, errors = found_and_errors(SOFTMAX, queries, keys, RNG.normal(size=(150, 2)))
    assert (errors <= found.error).all()
    assert errors.max() <= 1.4e-13
    assert found.condition >= 1001


@BOTH
@pytest.mark.parametrize(
    "change",
    [
        lambda: (Q + 1e3, K + 1e3, V),
        lambda: (Q + 1e6, K, V),
        lambda: (Q, K, V + 1e8),
        lambda: (Q, K[:1], V[:1]),
        lambda: (Q, np.repeat(K[:5], 18, axis=0), V),
        lambda: (Q * 1e-200, K * 1e-200, V * 1e-300),
        lambda: (Q, K, V * 1e-322),
        lambda: (Q, K, V * 1e306),
        lambda: (0 * Q, 0 * K, 0 * V),
        lambda: (10 + 0 * Q, np.sort(K, axis=0), V),
        lambda: (Q * 1e-40, K * 1e40, V),
    ],
    ids=[
        "offset",
        "far",
        "values",
        "one",
        "equal",
        "tiny",
        "denormal",
        "huge",
        "zero",
        "rising",
        "scales",
    ],
)
def test_errors_hold_on_nasty_tokens(kernel, change):
    queries, keys, values = change()
    found, errors = found_and_errors(kernel, queries, keys, values, block=7)
    assert (errors <= found.error).all()


@BOTH
def test_errors_hold_over_many_tiles_of_rising_scores(kernel, monkeypatch):
    monkeypatch.setattr(softmax_state, "_TILE", 3 * 128)
    keys = np.sort(RNG.normal(size=(600, 3)), axis=0)
    found, errors = found_and_errors(kernel, 4 + Q, keys, RNG.normal(size=(600, 2)), block=600)
    assert (errors <= found.error).all()
    assert errors.max() < 1e-13


@pytest.mark.parametrize(
    ("kernel", "queries", "keys"),
    [
        (SOFTMAX, [[1e7 / 3, 1.0]], [[1.1, 0.3], [1.1, 0.7]]),
        (SOFTMAX, [[1e9 / 7, -1e9 / 7, 1.0]], [[1.1, 1.1, 0.3], [1.3, 1.3, 0.7]]),
        (NEAREST, [[1e5 / 3, 0.3]], [[0.1, 0.5], [0.1, -1.1]]),
    ],
)
def test_errors_hold_where_large_scores_nearly_tie(kernel, queries, keys):
    # the error of the scores themselves, 1e-10 and more, is all that counts
    queries, keys, values = np.array(queries), np.array(keys), np.array([[1.0], [-1.0]])
    found, errors = found_and_errors(kernel, queries, keys, values)
    assert (errors <= found.error).all()
    assert errors.max() > 1e-11


@pytest.mark.parametrize("shape", [(1, 3), (15, 1), (16, 2), (17, 2), (64, 1), (100, 5)])
def test_extremes_are_those_of_the_columns(shape):
    for _ in range(20):
        values = RNG.normal(size=shape)
        low, high = softmax_state._extremes(values)
        assert (low == values.min(axis=0)).all()
        assert (high == values.max(axis=0)).all()


def test_float32_values_alone_count():
    values = V[:1].astype(np.float32)
    found = online_softmax(SOFTMAX, Q, tokens(np.zeros((1, 3)), values))
    assert (np.abs(found.value - V[:1]) <= found.error).all()


@BOTH
def test_float32_tokens_are_known_to_their_rounding_only(kernel):
    data = [x.astype(np.float32) for x in (Q, K, V)]
    found = online_softmax(kernel, data[0], tokens(data[1], data[2]))
    assert (weighted_mean_errors(kernel, Q, K, V, found.value) <= found.error).all()
    assert found.input_unit == 2.0**-24
    assert found.error.max() > 1e-8


@BOTH
@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 100), st.integers(1, 100), st.integers(0, 90), st.floats(1e-3, 1e3), st.randoms()
)
def test_blocks_and_shards_change_nothing_beyond_the_error(kernel, one, two, cut, size, random):
    keys = size * K
    first = online_softmax(kernel, Q, tokens(keys, V, block=one))
    shards = [part for part in ((keys[:cut], V[:cut]), (keys[cut:], V[cut:])) if len(part[0])]
    random.shuffle(shards)
    merged = softmax_stream(kernel, Q, 2)
    for shard in shards:
        part = softmax_stream(kernel, Q, 2).extended_by(tokens(*shard, block=two))
        merged = merged.merged(part)
    second = merged.result()
    assert (np.abs(first.value - second.value) <= first.error + second.error).all()
    assert merged.count == 90


def test_more_queries_than_a_tile():
    queries = RNG.normal(size=(300, 3))
    found = online_softmax(SOFTMAX, queries, tokens(K, V))
    scores = queries @ K.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert np.allclose(found.value, weights @ V / weights.sum(axis=1, keepdims=True), atol=1e-14)


def test_memory_does_not_grow_with_the_tokens():
    keys, values = RNG.normal(size=(60_000, 16)), RNG.normal(size=(60_000, 16))
    tracemalloc.start()
    try:
        online_softmax(SOFTMAX, RNG.normal(size=(100, 16)), tokens(keys, values))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * 2**20


@BOTH
def test_a_resumed_stream_goes_on_to_the_same_numbers(kernel, tmp_path):
    path = tmp_path / "sums"
    half = softmax_stream(kernel, Q, 2).extended(K[:50], V[:50])
    half.save(path)
    resumed = softmax_stream(kernel, Q, 2).resumed(path)
    one, two = (s.extended(K[50:], V[50:]).result() for s in (half, resumed))
    assert resumed.count == 50
    assert (one.value == two.value).all()
    assert (one.error == two.error).all()


def test_a_checkpoint_of_another_problem_or_damaged_is_refused(tmp_path):
    path = tmp_path / "sums"
    stream = softmax_stream(SOFTMAX, Q, 2)
    stream.extended(K, V).save(path)
    others = (softmax_stream(NEAREST, Q, 2), softmax_stream(SOFTMAX, Q + 1, 2))
    for other in (*others, softmax_stream(SOFTMAX, Q, 3)):
        with pytest.raises(CheckpointError, match="was made with"):
            other.resumed(path)
    kept = load(path, "softmax", {})
    for name, value in {"count": 0, "depth": -1, "unit": -1.0, "largest_key": "x"}.items():
        save(path, type(kept)(kept.kind, {**kept.parameters, name: value}, kept.arrays))
        with pytest.raises(CheckpointError, match="no sums have"):
            stream.resumed(path)
    for name, change in {"total": -1.0, "shift": np.nan, "rescaled": -1.0, "low": 1e9}.items():
        arrays = {**kept.arrays, name: np.full_like(kept.arrays[name], change)}
        save(path, type(kept)(kept.kind, kept.parameters, arrays))
        with pytest.raises(CheckpointError, match="no sums have"):
            stream.resumed(path)
    with pytest.raises(CheckpointError, match="no tokens"):
        stream.save(path)
    with pytest.raises(ParameterError, match="empty stream"):
        stream.extended(K, V).resumed(path)


@pytest.mark.parametrize(
    ("kernel", "keys", "name"),
    [
        (ExponentialKernel(Fraction(1, 10**280)), K * 1e20, "temperature"),
        (ExponentialKernel(Fraction(1, 10**400)), K, "temperature"),
        (GaussianKernel(Fraction(1)), K * 1e200, "bandwidth"),
        (LinearKernel(), K, "kernel"),
        (SOFTMAX, np.full((90, 3), np.nan), "keys[0, 0]"),
    ],
)
def test_what_cannot_be_computed_is_refused_by_name(kernel, keys, name):
    with pytest.raises(ParameterError) as caught:
        online_softmax(kernel, Q, tokens(keys, V))
    assert caught.value.name == name


def test_shapes_are_checked():
    stream = softmax_stream(SOFTMAX, Q, 2)
    for keys, values in ((K[:, :2], V), (K, V[:, :1]), (K, V[:5])):
        with pytest.raises(ShapeError):
            stream.extended(keys, values)
    with pytest.raises(ShapeError, match="3 and 2 columns"):
        stream.extended_by(tokens(K[:, :2], V))
    with pytest.raises(ShapeError, match="no tokens"):
        stream.result()
    with pytest.raises(ShapeError, match="no tokens"):
        online_softmax(SOFTMAX, Q, [])
    with pytest.raises(ParameterError, match="other: queries"):
        stream.merged(softmax_stream(SOFTMAX, Q + 1, 2))
    for dv in (0, True, 2.0):
        with pytest.raises(ParameterError, match=r"^dv"):
            softmax_stream(SOFTMAX, Q, dv)
    with pytest.raises(UndefinedError, match="overflows"):
        stream.extended(K[:2], np.array([[1e308, 1], [-1e308, 1]])).result()
