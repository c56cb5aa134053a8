"""Tokens in blocks: from arrays, memory maps, files and generators, checked block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bounds.errors import ParameterError, ShapeError
from bounds.large.inputs import Array, matrix_input

Progress: TypeAlias = Callable[[int, "int | None"], None]
Pairs: TypeAlias = Iterable[tuple[ArrayLike, ArrayLike]]
Matrix: TypeAlias = "ArrayLike | str | PathLike[str]"

BLOCK = 16_384


def no_progress(done: int, total: int | None) -> None:
    """The listener of a run that nobody watches."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some tokens that follow each other: keys b x dk, values b x dv, ``start`` the first's number.

    ``unit`` is the relative uncertainty of the least precise entry, as in
    :class:`bounds.large.inputs.Input`.
    """

    keys: Array
    values: Array
    start: int
    unit: float

    @property
    def rows(self) -> int:
        """The number of tokens."""
        return len(self.keys)


@dataclass(frozen=True, eq=False)
class Tokens:
    """A source of tokens, read block by block so that memory holds one block at a time.

    Built by :func:`tokens`. Every block is checked when it is read: its errors name the rows by
    their numbers in the whole source. ``total`` is the number of tokens where it is known before.
    A source made of arrays or files can be read again; one made of a generator only once.
    """

    pairs: Pairs
    total: int | None
    block: int = BLOCK
    on_progress: Progress = no_progress
    again: bool = True

    def __iter__(self) -> Iterator[Block]:
        """The blocks.

        Raises:
            ShapeError, ParameterError: a block is no matrix, is not finite, has another number of
                columns than the first or not one value a key, or there are no tokens at all.
        """
        done, widths = 0, None
        for keys, values in self.pairs:
            found = _checked(keys, values, done, widths)
            widths = (found.keys.shape[1], found.values.shape[1])
            yield found
            done += found.rows
            self.on_progress(done, self.total)
        if done == 0:
            raise ShapeError("keys", "no tokens", "must hold at least one token")

    @property
    def held(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] | None:
        """Keys and values as two arrays; None when they come from an iterable."""
        return (self.pairs.keys, self.pairs.values) if isinstance(self.pairs, _Slices) else None

    def watched(self, on_progress: Progress) -> Tokens:
        """The same source, with a listener that hears (tokens done, total or None)."""
        return replace(self, on_progress=on_progress)


def tokens(
    keys: Matrix | Pairs,
    values: Matrix | None = None,
    *,
    block: int = BLOCK,
    on_progress: Progress = no_progress,
) -> Tokens:
    """The tokens of keys (L x dk) and values (L x dv), or of an iterable of pairs of blocks.

    Args:
        keys, values: arrays, memory maps or paths of .npy files (mapped, not read); or, with
            ``values`` left out, an iterable of (keys, values) blocks, such as a generator.
        block: the number of tokens read at once. Blocks of an iterable come as they are, and are
            cut when they are longer.
        on_progress: called as (tokens done, total or None) after each block.

    Raises:
        ParameterError: ``block`` is no positive whole number, or a file is no .npy file of numbers.
        ShapeError: an array is no matrix, or the arrays differ in their number of rows.
    """
    if isinstance(block, bool) or not isinstance(block, int) or block < 1:
        raise ParameterError("block", block, "must be a whole number of tokens, at least 1")
    if values is None:
        pairs = _iterable(keys)
        return Tokens(_cut(pairs, block), None, block, on_progress, again=False)
    K, V = _opened("keys", keys), _opened("values", values)
    if len(K) != len(V):
        raise ShapeError("keys, values", f"{len(K)} and {len(V)} rows", "need one row a token each")
    return Tokens(_Slices(K, V, block), len(K), block, on_progress)


@dataclass(frozen=True, eq=False)
class _Slices:
    """The pairs of blocks of two arrays; may be read any number of times."""

    keys: np.ndarray[Any, Any]
    values: np.ndarray[Any, Any]
    block: int

    def __iter__(self) -> Iterator[tuple[ArrayLike, ArrayLike]]:
        for start in range(0, len(self.keys), self.block):
            rows = slice(start, start + self.block)
            yield self.keys[rows], self.values[rows]


def _opened(name: str, given: Any) -> np.ndarray[Any, Any]:
    """An array, or the memory map of a file; checked for its shape only."""
    if isinstance(given, (str, PathLike)):
        array = _mapped(name, fspath(given))
    elif isinstance(given, np.ndarray):
        array = given
    else:
        array = matrix_input(name, given).array
    if array.ndim != 2 or 0 in array.shape:
        remedy = "must be a matrix with at least one row and one column"
        raise ShapeError(name, f"an array of shape {array.shape}", remedy)
    return array


def _mapped(name: str, path: str) -> np.ndarray[Any, Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        cause = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise ParameterError(name, path, f"cannot be read as a .npy file ({cause})") from error
    if not isinstance(array, np.ndarray):
        array.close()
        raise ParameterError(name, path, "is an archive; give a .npy file with one matrix")
    return array


def _iterable(given: Any) -> Pairs:
    if isinstance(given, (str, PathLike, np.ndarray)) or not isinstance(given, Iterable):
        remedy = "must come with values, or be an iterable of (keys, values) blocks"
        raise ParameterError("keys", type(given).__name__, remedy)
    return given


def _cut(pairs: Pairs, block: int) -> Iterator[tuple[ArrayLike, ArrayLike]]:
    for number, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ParameterError(f"block {number}", type(pair).__name__, "must be (keys, values)")
        keys, values = (np.asarray(part) for part in pair)
        if keys.ndim != 2 or values.ndim != 2 or len(keys) != len(values) or len(keys) <= block:
            yield keys, values  # what is wrong with it is said where it is checked
            continue
        yield from _Slices(keys, values, block)


def _checked(
    keys: ArrayLike, values: ArrayLike, start: int, widths: tuple[int, int] | None
) -> Block:
    dk, dv = widths or (None, None)
    try:
        K = matrix_input("keys", keys, columns=dk)
        V = matrix_input("values", values, columns=dv)
    except (ShapeError, ParameterError) as error:
        if start == 0:
            raise
        kind = type(error)
        name = f"{error.name} of the block from token {start} on"
        raise kind(name, error.value, error.requirement) from None
    if K.rows != V.rows:
        where = f"keys, values of the block from token {start} on"
        raise ShapeError(where, f"{K.rows} and {V.rows} rows", "need one row a token each")
    return Block(K.array, V.array, start, max(K.unit, V.unit))
