"""Streaming: blocks, shards and interruptions change nothing beyond the stated error."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.attention.kernels import FeatureKernel, GaussianKernel
from bounds.errors import CheckpointError, ParameterError, ShapeError
from bounds.large.floats.streaming import posterior_stream
from bounds.large.source import tokens
from bounds.models.linear_gaussian import LinearGaussian

from ..problems import Exact

RNG = np.random.default_rng(1)
K, Z = RNG.normal(size=(1500, 4)), RNG.normal(size=(2, 4))
V = K @ Z.T + RNG.normal(size=(1500, 2))
QUERIES = RNG.normal(size=(3, 4))
MODEL = LinearGaussian(1, Fraction(1, 10))
EMPTY = posterior_stream(MODEL, dk=4, dv=2)
TRUE = Exact(K, V, MODEL.lam).predictive(QUERIES)


def assert_right(stream):
    found = stream.predictive(QUERIES)
    assert stream.count == len(K)
    assert str(found.mean.route) == "streaming-qr"
    for computed, true in zip((found.mean, found.variance), TRUE, strict=True):
        assert (abs(computed.value - true) <= computed.error).all()
        assert computed.relative_error < 1e-11
        assert np.allclose(computed.value, true, rtol=1e-14, atol=0)


@given(block=st.integers(1, 1600))
@settings(max_examples=20, deadline=None)
def test_the_block_size_changes_nothing_beyond_the_error(block):
    assert_right(EMPTY.extended_by(tokens(K, V, block=max(block, 40))))


@given(cuts=st.lists(st.integers(1, 1499), unique=True, min_size=1, max_size=5), data=st.data())
@settings(max_examples=20, deadline=None)
def test_shards_merge_in_any_order_and_the_prior_counts_once(cuts, data):
    ends = [0, *sorted(cuts), len(K)]
    pairs = pairwise(ends)
    shards = [EMPTY.extended(K[i:j], V[i:j]) for i, j in pairs]
    merged = EMPTY
    for shard in data.draw(st.permutations(shards)):
        merged = merged.merged(shard)
    assert_right(merged)


def test_a_step_leaves_the_stream_before_it_alone():
    first = EMPTY.extended(K[:700], V[:700])
    before = first.predictive(QUERIES).mean.value.copy()
    first.extended(K[700:], V[700:])
    assert (first.predictive(QUERIES).mean.value == before).all()
    assert EMPTY.count == 0


def test_a_resumed_run_gives_the_same_bits(tmp_path):
    path = tmp_path / "posterior.ckpt"
    half = EMPTY.extended(K[:700], V[:700])
    half.save(path)
    resumed = EMPTY.resumed(path).extended(K[700:], V[700:])
    whole = half.extended(K[700:], V[700:])
    found, expected = resumed.predictive(QUERIES), whole.predictive(QUERIES)
    for name in ("value", "error"):
        assert (getattr(found.mean, name) == getattr(expected.mean, name)).all()
        assert (getattr(found.variance, name) == getattr(expected.variance, name)).all()
    assert_right(resumed)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (posterior_stream(LinearGaussian(1, 1), 4, 2), "noise_variance = '1/10', and here"),
        (posterior_stream(LinearGaussian(2, "1/10"), 4, 2), "prior_variance = '1'"),
        (posterior_stream(MODEL, 3, 2), "dk = 4, and here it is 3"),
        (posterior_stream(MODEL, 4, 1), "dv = 2, and here it is 1"),
        (posterior_stream(replace(MODEL, kernel=FeatureKernel(2)), 4, 2), "kernel = 'LinearKer"),
    ],
)
def test_checkpoints_of_other_problems(other, message, tmp_path):
    EMPTY.extended(K, V).save(tmp_path / "c")
    with pytest.raises(CheckpointError, match=message):
        other.resumed(tmp_path / "c")


@pytest.mark.parametrize(
    ("name", "value"), [("count", 0), ("count", 1.5), ("entry_error", -1.0), ("input_unit", "x")]
)
def test_forged_numbers_are_refused(name, value, tmp_path):
    from bounds.large.checkpoint import load, save

    path = tmp_path / "c"
    EMPTY.extended(K, V).save(path)
    found = load(path, "posterior", {})
    save(path, replace(found, parameters={**found.parameters, name: value}))
    with pytest.raises(CheckpointError, match="numbers that no posterior has"):
        EMPTY.resumed(path)
    save(path, replace(found, arrays={"R": np.eye(4)}))
    with pytest.raises(CheckpointError, match="other arrays"):
        EMPTY.resumed(path)
    bad = {**found.arrays, "Y": np.full((4, 2), np.nan)}
    save(path, replace(found, arrays=bad))
    with pytest.raises(CheckpointError, match="numbers that no posterior has"):
        EMPTY.resumed(path)


def test_wrong_use_is_named():
    with pytest.raises(ShapeError, match="keys = 3 columns: must have 4"):
        EMPTY.extended(K[:, :3], V)
    with pytest.raises(ShapeError, match="keys, values = 3 and 2 rows"):
        EMPTY.extended(K[:3], V[:2])
    with pytest.raises(ShapeError, match="3 and 2 columns: must have 4 and 2"):
        EMPTY.extended_by(tokens(K[:, :3], V))
    with pytest.raises(ShapeError, match="no tokens"):
        EMPTY.predictive(QUERIES)
    with pytest.raises(ParameterError, match=r"other = .*must have the model"):
        EMPTY.merged(posterior_stream(LinearGaussian(1, 1), 4, 2))
    with pytest.raises(ParameterError, match="count = 1500: resume from an empty stream"):
        EMPTY.extended(K, V).resumed("anywhere")
    with pytest.raises(ParameterError, match="has no finite features"):
        posterior_stream(LinearGaussian(1, 1, GaussianKernel(1)), 4, 2)
    with pytest.raises(ParameterError, match="dk = 0"):
        posterior_stream(MODEL, 0, 2)


def test_memory_holds_a_block_and_the_state_only():
    def blocks(count):
        rng = np.random.default_rng(0)
        for _ in range(count):
            yield rng.normal(size=(1000, 8)), rng.normal(size=(1000, 1))

    peaks = []
    for count in (20, 200):
        tracemalloc.start()
        posterior_stream(MODEL, 8, 1).extended_by(tokens(blocks(count)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0] < 2**20


def test_float32_blocks_count_as_float32():
    stream = EMPTY.extended(K.astype("f4"), V).predictive(QUERIES)
    assert stream.mean.input_unit == 2.0**-24
    assert 1e-8 < stream.mean.relative_error < 1e-4
    assert (abs(stream.mean.value - TRUE[0]) <= stream.mean.error).all()
