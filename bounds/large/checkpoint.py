"""Checkpoints: arrays and what they mean in one file, replaced as a whole, checked when read.

Layout: the magic line, the length of the header (8 bytes, little endian), the header (JSON: format,
kind, parameters, shapes), the arrays (float64, little endian, row by row), and the SHA-256 of all
before it. Nothing in the file is run.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import CheckpointError
from bounds.files import replacing

Array = NDArray[np.float64]

_MAGIC = b"proofs-check checkpoint\n"
_FORMAT = 1
_DIGEST = hashlib.sha256().digest_size
_LONGEST_HEADER = 1_000_000
LARGEST = 2**30  # bytes; states have dphi^2 or nq dv entries, not L


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """``kind`` names what was computed, ``parameters`` (JSON) for which problem, ``arrays`` it."""

    kind: str
    parameters: Mapping[str, Any]
    arrays: Mapping[str, Array]


def save(path: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint; an older file stays until the new one is whole.

    Raises:
        CheckpointError: the file cannot be written; says why.
    """
    shapes = {name: list(array.shape) for name, array in checkpoint.arrays.items()}
    header = {
        "format": _FORMAT,
        "kind": checkpoint.kind,
        "parameters": dict(checkpoint.parameters),
        "arrays": shapes,
    }
    text = json.dumps(header, allow_nan=False).encode("utf-8")
    parts = [_MAGIC, len(text).to_bytes(8, "little"), text]
    parts += [np.ascontiguousarray(a, dtype="<f8").tobytes() for a in checkpoint.arrays.values()]
    digest = hashlib.sha256()
    try:
        with replacing(path) as temporary, temporary.open("wb") as file:
            for part in parts:
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
    except OSError as error:
        reason = error.strerror or str(error)
        raise CheckpointError(str(path), f"cannot be written ({reason})") from error


def load(path: Path, kind: str, parameters: Mapping[str, Any]) -> Checkpoint:
    """Read the checkpoint of a computation of this kind with these parameters.

    ``parameters`` are compared with those of the file; keys that only the file has are returned
    with it (counts, say).

    Raises:
        CheckpointError: the file cannot be read, is cut short or changed, or belongs to another
            computation; says which, and how to go on.
    """
    content = _content(path)
    header, start = _header(path, content)
    if header.get("kind") != kind:
        raise CheckpointError(str(path), f"is a checkpoint of {header.get('kind')!r}, not {kind!r}")
    found = header["parameters"]
    for name, value in parameters.items():
        if found.get(name) != value:
            cause = f"was made with {name} = {found.get(name)!r}, and here it is {value!r}"
            raise CheckpointError(str(path), f"{cause}; use another file")
    return Checkpoint(kind, found, _arrays(path, content[start:-_DIGEST], header["arrays"]))


def _content(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise CheckpointError(str(path), f"has {size} bytes, no checkpoint has over {LARGEST}")
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(str(path), f"cannot be read ({error.strerror or error})") from error
    if not content.startswith(_MAGIC):
        raise CheckpointError(str(path), "is no checkpoint of this program")
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        cause = "is cut short or was changed; start again without it"
        raise CheckpointError(str(path), cause)
    return content


def _header(path: Path, content: bytes) -> tuple[dict[str, Any], int]:
    """The header and where the arrays begin. The digest fits, yet anyone can make a digest."""
    begin = len(_MAGIC) + 8
    length = int.from_bytes(content[len(_MAGIC) : begin], "little")
    if not 0 < length <= min(_LONGEST_HEADER, len(content) - begin - _DIGEST):
        raise CheckpointError(str(path), "has a header of impossible length")
    try:
        header = json.loads(content[begin : begin + length].decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise CheckpointError(str(path), "has a header that is no JSON") from error
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        cause = f"has another format than {_FORMAT}; it was written by another version"
        raise CheckpointError(str(path), cause)
    if not isinstance(header.get("parameters"), dict) or not isinstance(header.get("arrays"), dict):
        raise CheckpointError(str(path), "has a header without parameters or arrays")
    return header, begin + length


def _arrays(path: Path, data: bytes, shapes: Mapping[str, Any]) -> dict[str, Array]:
    arrays, start = {}, 0
    for name, shape in shapes.items():
        if not isinstance(shape, list) or not all(_is_size(n) for n in shape):
            raise CheckpointError(str(path), f"has an array {name!r} without a shape")
        size = 8 * math.prod(shape)
        if start + size > len(data):
            raise CheckpointError(str(path), f"ends before its array {name!r}")
        flat = np.frombuffer(data, dtype="<f8", count=size // 8, offset=start)
        arrays[name] = flat.astype(np.float64).reshape(shape)
        start += size
    if start != len(data):
        raise CheckpointError(str(path), "holds more than its arrays")
    return arrays


def _is_size(n: Any) -> bool:
    return isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= LARGEST
