"""Arrays of tokens at the border: checked once, float64 from then on, precision remembered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.errors import ParameterError, ShapeError

Array = NDArray[np.float64]
_LARGEST_EXACT_INTEGER = 2**53
_HALF_ULP = {4: 2.0**-24, 2: 2.0**-11}  # by bytes


@dataclass(frozen=True, eq=False)
class Input:
    """A finite float64 matrix, rows stacked, and the relative uncertainty of its entries.

    ``unit`` is 0 when the entries are the numbers given, 2^-24 for float32 (each stands for a
    number known to half a unit in the last place), 2^-11 for float16.
    """

    name: str
    array: Array
    unit: float

    @property
    def rows(self) -> int:
        return int(self.array.shape[0])

    @property
    def columns(self) -> int:
        return int(self.array.shape[1])


def matrix_input(name: str, value: ArrayLike, *, columns: int | None = None) -> Input:
    """A matrix argument, without copying float64 arrays and memory maps.

    float32 is computed in float64 and remembered as float32: its rounding stands in every error
    bound made from it.

    Raises:
        ShapeError: naming the argument that is not a non-empty matrix (of ``columns`` columns).
        ParameterError: naming the argument, and the first entry that is not finite, or the type.
    """
    try:
        given = value if isinstance(value, np.ndarray) else np.asarray(value)
    except ValueError:
        raise ShapeError(name, "ragged", "all rows must have the same length") from None
    if given.ndim != 2 or 0 in given.shape:
        remedy = "must be a matrix with at least one row and one column"
        raise ShapeError(name, f"an array of shape {given.shape}", remedy)
    if columns is not None and given.shape[1] != columns:
        raise ShapeError(name, f"{given.shape[1]} columns", f"must have {columns} columns")
    array, unit = _as_float64(name, given)
    require_finite(name, array)
    return Input(name, array, unit)


def require_same_rows(first: Input, second: Input) -> None:
    """ShapeError naming both when they do not hold one row a token each."""
    if first.rows != second.rows:
        shapes = f"{first.rows} and {second.rows} rows"
        raise ShapeError(f"{first.name}, {second.name}", shapes, "need one row a token each")


def require_finite(name: str, array: Array, *, first_row: int = 0) -> None:
    """ParameterError naming the first entry that is NaN or infinite."""
    # A sum is finite only if every entry is; it may also overflow, so then look at each.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum()):
            return
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        i, j = (int(x) for x in bad[0])
        where = f"{name}[{first_row + i}, {j}]"
        raise ParameterError(where, array[i, j], f"must be finite ({len(bad)} entries are not)")


def _as_float64(name: str, given: NDArray[np.generic]) -> tuple[Array, float]:
    kind, size = given.dtype.kind, given.dtype.itemsize
    if kind == "f" and size == 8:
        return np.asarray(given, dtype=np.float64), 0.0
    if kind == "f" and size < 8:
        return given.astype(np.float64), _HALF_ULP[size]
    if kind == "f":
        remedy = "holds more digits than float64 can; round it yourself with .astype(np.float64)"
        raise ParameterError(name, f"type {given.dtype}", remedy)
    if kind in "iu":
        if max(int(given.max()), -int(given.min())) > _LARGEST_EXACT_INTEGER:
            raise ParameterError(name, given.dtype, "integers above 2^53 are no float64 numbers")
        return given.astype(np.float64), 0.0
    raise ParameterError(name, f"type {given.dtype}", "must hold real numbers, such as float64")
