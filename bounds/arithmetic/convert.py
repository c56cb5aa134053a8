"""Inputs become exact rational numbers at the border, or an error that names the argument."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq, fmpz

from bounds.errors import ParameterError, ShapeError

Row: TypeAlias = tuple[Fraction, ...]
Rows: TypeAlias = tuple[Row, ...]

# Four exponent digits at most: "1e999999999" would fill the memory.
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4}|/\d+)?\s*", re.ASCII)
_LONGEST_TEXT = 2000


def exact(name: str, value: object) -> Fraction:
    """The rational number that ``value`` is, without rounding.

    Accepts ``int``, ``Fraction``, ``float`` and ``numpy`` numbers (taken as the dyadic number
    they store), ``Decimal``, flint's ``fmpz``/``fmpq``, and texts such as ``"1/3"`` or ``"0.1"``.

    Raises:
        ParameterError: naming the argument, when it is none of these, or is NaN or infinite.
    """
    if isinstance(value, (bool, np.bool_)):
        raise ParameterError(name, value, "give a number, not a truth value")
    if isinstance(value, (Fraction, int)):
        return Fraction(value)
    if isinstance(value, (fmpq, fmpz)):
        return to_fraction(value)
    if isinstance(value, str):
        return _from_text(name, value)
    if isinstance(value, Decimal):
        return _from_text(name, str(value))
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ParameterError(name, value, "must be finite")
        return Fraction(*value.as_integer_ratio())
    if isinstance(value, (Rational, np.integer)):
        return Fraction(int(value.numerator), int(value.denominator))
    raise ParameterError(name, repr(value), "is not a number; give an int, Fraction, float or text")


def _from_text(name: str, text: str) -> Fraction:
    if len(text) > _LONGEST_TEXT:
        raise ParameterError(name, text[:40] + "...", f"longer than {_LONGEST_TEXT} characters")
    if not _NUMBER.fullmatch(text) or ("/" in text and "." in text):
        raise ParameterError(name, repr(text), 'is not a number; write it like "1/3" or "0.1"')
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ParameterError(name, repr(text), "has denominator 0") from None


def exact_vector(name: str, value: object) -> Row:
    """The exact entries of a one-dimensional sequence; ShapeError naming it otherwise."""
    entries = _sequence(name, value, "a vector")
    _check_depth(name, entries, "a vector")
    return tuple(exact(f"{name}[{i}]", entry) for i, entry in enumerate(entries))


def exact_matrix(name: str, value: object) -> Rows:
    """The exact rows of a two-dimensional, non-empty, rectangular array.

    Raises:
        ShapeError: naming the argument, when it is one-dimensional, ragged or empty.
        ParameterError: naming the entry, when that is not a finite number.
    """
    rows = [_sequence(name, row, "a matrix") for row in _sequence(name, value, "a matrix")]
    widths = sorted({len(row) for row in rows})
    if len(widths) > 1:
        raise ShapeError(name, f"rows of lengths {widths}", "all rows must have the same length")
    for row in rows:
        _check_depth(name, row, "a matrix")
    return tuple(
        tuple(exact(f"{name}[{i}, {j}]", entry) for j, entry in enumerate(row))
        for i, row in enumerate(rows)
    )


def _sequence(name: str, value: object, wanted: str) -> Sequence[Any]:
    if isinstance(value, np.ndarray):
        value = list(value) if value.ndim else value.item()
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise ShapeError(name, repr(value), f"must be {wanted} (a sequence at every level)")
    if not value:
        raise ShapeError(name, "empty", f"must be {wanted} with at least one entry")
    return value


def _check_depth(name: str, entries: Sequence[Any], wanted: str) -> None:
    if any(isinstance(entry, (list, tuple, np.ndarray)) for entry in entries):
        raise ShapeError(name, "nested too deeply", f"must be {wanted} of numbers")


def texts(rows: Rows) -> list[list[str]]:
    """The entries as exact texts, which :func:`exact` reads back."""
    return [[str(entry) for entry in row] for row in rows]


def to_fraction(value: Any) -> Fraction:
    """The Fraction equal to a flint ``fmpq`` or ``fmpz``."""
    if isinstance(value, fmpz):
        return Fraction(int(value))
    return Fraction(int(value.p), int(value.q))


def to_fmpq(value: Fraction | int) -> Any:
    """The flint ``fmpq`` equal to a Fraction."""
    return fmpq(value.numerator, value.denominator)


def float_above(value: Fraction) -> float:
    """A float >= a non-negative rational; infinity when it is too large."""
    try:
        rounded = float(value)
    except OverflowError:
        return math.inf
    return rounded if Fraction(rounded) >= value else math.nextafter(rounded, math.inf)
