"""Token sources: the same tokens from arrays, maps, files and generators; faults are named."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.errors import ParameterError, ShapeError
from bounds.large.source import tokens

RNG = np.random.default_rng(0)
K, V = RNG.normal(size=(23, 3)), RNG.normal(size=(23, 2))


def joined(source):
    blocks = list(source)
    starts = [block.start for block in blocks]
    sizes = [block.rows for block in blocks]
    assert starts == np.concatenate([[0], np.cumsum(sizes)[:-1]]).tolist()
    return (np.concatenate([getattr(b, name) for b in blocks]) for name in ("keys", "values"))


def assert_all_there(source):
    keys, values = joined(source)
    assert (keys == K).all()
    assert (values == V).all()


@given(st.integers(1, 30), st.lists(st.integers(1, 22), max_size=4))
@settings(max_examples=50, deadline=None)
def test_every_source_gives_the_same_tokens_whatever_the_blocks(block, cuts):
    ends = [0, *sorted(set(cuts)), len(K)]
    pairs = ((K[i:j], V[i:j]) for i, j in pairwise(ends))
    for source in (tokens(K, V, block=block), tokens(pairs, block=block)):
        blocks = list(source)
        assert max(b.rows for b in blocks) <= block
        assert_all_there(blocks)


def test_files_are_mapped_and_may_be_read_again(tmp_path):
    for name, array in (("keys", K), ("values", V)):
        np.save(tmp_path / f"{name}.npy", array)
    source = tokens(tmp_path / "keys.npy", str(tmp_path / "values.npy"), block=10)
    assert isinstance(source.pairs.keys, np.memmap)
    assert source.total == 23
    assert_all_there(source)
    assert_all_there(source)


def test_progress_is_told():
    heard = []
    source = tokens(K, V, block=10).watched(lambda done, total: heard.append((done, total)))
    assert_all_there(source)
    assert heard == [(10, 23), (20, 23), (23, 23)]
    heard.clear()
    list(tokens(iter([(K, V)]), on_progress=lambda *told: heard.append(told)))
    assert heard == [(23, None)]


def test_precision_is_remembered():
    (block,) = tokens(K.astype("f4"), V)
    assert block.unit == 2.0**-24


def changed(array, row, value):
    array = array.copy()
    array[row, 1] = value
    return array


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: tokens(K, V[:5]), ShapeError, "keys, values = 23 and 5 rows"),
        (lambda: tokens(K[:0], V[:0]), ShapeError, r"keys = an array of shape \(0, 3\)"),
        (lambda: tokens(K, V[:, 0]), ShapeError, r"values = an array of shape \(23,\)"),
        (lambda: tokens(K), ParameterError, "must come with values"),
        (lambda: tokens(3), ParameterError, "must come with values"),
        (lambda: tokens("no.npy", V), ParameterError, "keys = no.npy: .*No such file"),
        (lambda: tokens(K, V, block=0), ParameterError, "block = 0"),
        (lambda: tokens(K, V, block=True), ParameterError, "block = True"),
        (lambda: tokens(iter([])), ShapeError, "keys = no tokens"),
        (lambda: tokens([K]), ParameterError, r"block 0 = ndarray: must be \(keys, values\)"),
        (lambda: tokens([(K, V[:5])]), ShapeError, "23 and 5 rows"),
        (lambda: tokens([(K, V), (K[:, :2], V)]), ShapeError, "from token 23 on = 2 columns"),
        (lambda: tokens([(K, V), (K, V[:, :1])]), ShapeError, "values of the block from token 23"),
        (lambda: tokens(changed(K, 1, np.nan), V), ParameterError, r"keys\[1, 1\] = nan"),
        (
            lambda: tokens(K, changed(V, 15, np.inf), block=10),
            ParameterError,
            r"values\[5, 1\] of the block from token 10 on = inf",
        ),
        (lambda: tokens([(K * 1j, V)]), ParameterError, "complex128"),
    ],
)
def test_faults_are_named(make, kind, message):
    with pytest.raises(kind, match=message):
        list(make())


def test_files_that_are_no_matrices(tmp_path):
    (tmp_path / "text.npy").write_text("hello")
    np.savez(tmp_path / "two.npz", K=K, V=V)
    np.save(tmp_path / "objects.npy", np.array([[{}, 1]], dtype=object))
    for name, message in [
        ("text.npy", "cannot be read as a .npy file"),
        ("two.npz", "is an archive"),
        ("objects.npy", "cannot be read as a .npy file"),
    ]:
        with pytest.raises(ParameterError, match=f"{re.escape(name)}: {message}"):
            tokens(tmp_path / name, V)
