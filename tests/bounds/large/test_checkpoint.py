"""Checkpoints: what is written comes back, and nothing else is taken for it."""

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.errors import CheckpointError
from bounds.large import checkpoint as module
from bounds.large.checkpoint import Checkpoint, load, save

STATE = Checkpoint(
    "posterior",
    {"lam": "1/3", "count": 7},
    {"R": np.array([[1.5, -0.0], [5e-324, 1e308]]), "none": np.zeros((0, 3))},
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "state.ckpt"
    save(path, STATE)
    return path


def test_what_is_written_comes_back_bit_by_bit(file):
    found = load(file, "posterior", {"lam": "1/3"})
    assert found.parameters == STATE.parameters
    assert list(found.arrays) == list(STATE.arrays)
    for name, array in STATE.arrays.items():
        assert found.arrays[name].shape == array.shape
        assert found.arrays[name].tobytes() == array.tobytes()


def test_the_same_state_gives_the_same_bytes(file, tmp_path):
    save(tmp_path / "again", STATE)
    assert (tmp_path / "again").read_bytes() == file.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"state.ckpt", "again"}


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_any_changed_or_missing_byte_is_found(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("c") / "state"
    save(path, STATE)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    else:
        del content[place:]
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"state: is (no checkpoint|cut short)"):
        load(path, "posterior", {})


def test_of_another_computation(file):
    with pytest.raises(CheckpointError, match="a checkpoint of 'posterior', not 'softmax'"):
        load(file, "softmax", {})
    with pytest.raises(CheckpointError, match="made with lam = '1/3', and here it is '1/2'"):
        load(file, "posterior", {"lam": "1/2"})


def test_files_that_cannot_be_used(tmp_path, monkeypatch):
    with pytest.raises(CheckpointError, match=r"cannot be read .No such file"):
        load(tmp_path / "none", "posterior", {})
    with pytest.raises(CheckpointError, match="cannot be read"):
        load(tmp_path, "posterior", {})
    with pytest.raises(CheckpointError, match="cannot be written"):
        save(tmp_path / "no folder" / "state", STATE)
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        load(tmp_path / "empty", "posterior", {})
    save(tmp_path / "state", STATE)
    monkeypatch.setattr(module, "LARGEST", 10)
    with pytest.raises(CheckpointError, match="no checkpoint has over 10"):
        load(tmp_path / "state", "posterior", {})


HEADER = {"format": 1, "kind": "posterior", "parameters": {}, "arrays": {"R": [1, 1]}}


def forged(header, data=b"\0" * 8, length=None):
    """A file whose digest fits, as an attacker would write it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = len(text) if length is None else length
    body = module._MAGIC + size.to_bytes(8, "little") + text + data
    return body + hashlib.sha256(body).digest()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (forged(HEADER, length=2**62), "impossible length"),
        (forged(HEADER, length=0), "impossible length"),
        (forged(b"{nonsense"), "no JSON"),
        (forged(b"[" * 100_000), "no JSON|impossible"),
        (forged([1]), "another format"),
        (forged({**HEADER, "format": 2}), "another format"),
        (forged({**HEADER, "parameters": 3}), "without parameters"),
        (forged({**HEADER, "arrays": {"R": [2**40, 2**40]}}), "without a shape"),
        (forged({**HEADER, "arrays": {"R": [-1]}}), "without a shape"),
        (forged({**HEADER, "arrays": {"R": [1, True]}}), "without a shape"),
        (forged({**HEADER, "arrays": {"R": [2**30, 2**30]}}), "ends before its array 'R'"),
        (forged(HEADER, data=b"\0" * 7), "ends before"),
        (forged(HEADER, data=b"\0" * 16), "holds more than its arrays"),
    ],
)
def test_forged_files_are_refused(content, message, tmp_path):
    path = tmp_path / "state"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=message):
        load(path, "posterior", {})
    path.write_bytes(forged(HEADER))
    assert load(path, "posterior", {}).arrays["R"] == [[0.0]]
