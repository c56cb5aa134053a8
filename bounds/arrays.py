"""Instances for claims about matrices of any shape: exact rational arrays, the nasty ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from sympy import MatrixSymbol

from bounds.arithmetic.convert import Rows
from bounds.draws import (
    Draw,
    scaled,
    simpler_numbers,
    simpler_rows,
    without_column,
    without_row,
)
from bounds.errors import ParameterError
from bounds.points import Choices, Point, Range, between, integers, labelled

Maker = Callable[[Draw, int, int], Rows]


def _zero(_: Draw, rows: int, columns: int) -> Rows:
    return ((Fraction(0),) * columns,) * rows


def _repeated(draw: Draw, rows: int, columns: int) -> Rows:
    return draw.rows(1, columns) * rows


def _rank_one(draw: Draw, rows: int, columns: int) -> Rows:
    left, right = draw.row(rows), draw.row(columns)
    return tuple(tuple(x * y for y in right) for x in left)


def _zero_one(draw: Draw, rows: int, columns: int) -> Rows:
    return tuple(tuple(Fraction(draw.integer(0, 1)) for _ in range(columns)) for _ in range(rows))


def _scaled(factor: Fraction) -> Maker:
    return lambda draw, rows, columns: scaled(factor, draw.rows(rows, columns))


def _permutation(draw: Draw, rows: int, _: int) -> Rows:
    return tuple(tuple(Fraction(int(i == j)) for j in range(rows)) for i in draw.order(rows))


def _symmetric(draw: Draw, rows: int, _: int) -> Rows:
    half = draw.rows(rows, rows)
    return tuple(tuple(half[i][j] + half[j][i] for j in range(rows)) for i in range(rows))


def _positive_definite(draw: Draw, rows: int, _: int) -> Rows:
    half = draw.rows(rows, rows)
    return tuple(
        tuple(
            sum((x * y for x, y in zip(left, right, strict=True)), Fraction(int(i == j), 4))
            for j, right in enumerate(half)
        )
        for i, left in enumerate(half)
    )


_STYLES: tuple[tuple[str, Maker], ...] = (
    ("general", Draw.rows),
    ("zero", _zero),
    ("repeated rows", _repeated),
    ("rank one", _rank_one),
    ("zeros and ones", _zero_one),
    ("tiny entries", _scaled(Fraction(1, 10**6))),
    ("huge entries", _scaled(Fraction(10**6))),
)
_KINDS: Mapping[str, Maker] = MappingProxyType(
    {
        "permutation": _permutation,
        "symmetric": _symmetric,
        "positive definite": _positive_definite,
    }
)


@dataclass(frozen=True)
class Arrays:
    """The strategy for matrix claims: exact arrays for matrix symbols of symbolic shape.

    ``kinds`` marks symbols that are permutations, symmetric or positive definite. Dimensions run
    through ``sizes`` (default 1..4), scalars through ``ranges``. A third of the arrays are
    special: zero, repeated rows, rank one, zeros and ones, tiny, huge. The points of ``first``
    come first, then two instances with all sizes 1.
    """

    matrices: tuple[MatrixSymbol, ...]
    kinds: tuple[tuple[str, str], ...] = ()
    sizes: tuple[tuple[str, Range], ...] = ()
    ranges: tuple[tuple[str, Range | Choices], ...] = ()
    first: tuple[Point, ...] = ()
    count: int = 60

    def __post_init__(self) -> None:
        for name, kind in self.kinds:
            if kind not in _KINDS:
                raise ParameterError(f"kinds[{name}]", kind, f"must be one of {sorted(_KINDS)}")

    def draw(self, index: int, seed: int) -> Point:
        """The instance number ``index``; it depends on (seed, index) and on nothing else."""
        if index < len(self.first):
            return self.first[index]
        index -= len(self.first)
        draw = Draw.at(seed, index)
        style, make = _STYLES[(index // 2) % len(_STYLES) if index % 3 else 0]
        size = {name: self._size(name, index, draw) for name in self._dimension_names()}
        values: dict[str, Any] = {name: Fraction(value) for name, value in size.items()}
        for place, (name, allowed) in enumerate(self.ranges):
            corner = _corner(allowed, index // 4, place) if index % 4 == 1 else None
            values[name] = allowed.draw(draw) if corner is None else corner
        kinds = dict(self.kinds)
        for symbol in self.matrices:
            rows, columns = (self._whole(d, size) for d in symbol.shape)
            maker = _KINDS[kinds[symbol.name]] if symbol.name in kinds else make
            values[symbol.name] = maker(draw, rows, columns)
        if not self.matrices:
            return labelled(values.items())
        shape = ", ".join(f"{name}={value}" for name, value in size.items())
        return Point(tuple(values.items()), label=f"{style}, {shape}" if shape else style)

    def shrink(self, instance: Point) -> Iterator[Point]:
        """Simpler instances: one row or column less, then simpler entries and scalars."""
        allowed = dict(self.ranges)
        special = dict(self.kinds)
        sizes = self._dimension_names()
        for dimension in sizes:
            yield from self._smaller(instance, dimension)
        for name, value in instance.values:
            if name in sizes or name in special:
                continue
            if isinstance(value, Fraction):
                for number in simpler_numbers(value):
                    if name not in allowed or allowed[name].contains(number):
                        yield instance.replaced(name, number)
            else:
                for simpler in simpler_rows(value):
                    yield instance.replaced(name, simpler)

    def _smaller(self, instance: Point, dimension: str) -> Iterator[Point]:
        """The instance without one index of one dimension, where that is allowed."""
        low = dict(self.sizes).get(dimension, integers(1)).low or 1
        permuted = {name for name, kind in self.kinds if kind == "permutation"}
        fixed = any(
            str(d) == dimension for m in self.matrices if m.name in permuted for d in m.shape
        )
        given: dict[str, Any] = dict(instance.values)
        size = given.get(dimension, Fraction(0))
        if size <= low or fixed:
            return
        for index in reversed(range(int(size))):
            smaller = {**given, dimension: size - 1}
            for symbol in self.matrices:
                if symbol.name in given:
                    axes = [str(d) == dimension for d in symbol.shape]
                    smaller[symbol.name] = _without(given[symbol.name], index, *axes)
            yield Point(tuple(smaller.items()), instance.label.split(",")[0])

    def _dimension_names(self) -> tuple[str, ...]:
        names = [d.name for m in self.matrices for d in m.shape if d.is_Symbol]
        return tuple(dict.fromkeys(names))

    def _size(self, name: str, index: int, draw: Draw) -> int:
        allowed = dict(self.sizes).get(name, integers(1, 4))
        low = int(allowed.low) if allowed.low is not None else 1
        high = int(allowed.high) if allowed.high is not None else low + 3
        return low if index < 2 else draw.integer(low, high)

    @staticmethod
    def _whole(dimension: Any, size: Mapping[str, int]) -> int:
        return size[dimension.name] if dimension.is_Symbol else int(dimension)


def _corner(allowed: Range | Choices, turn: int, place: int) -> Fraction | None:
    """Every corner in turn; two scalars meet in other pairs each time round."""
    corners = allowed.corners()
    if not corners:
        return None
    round_ = turn // len(corners)
    return corners[(turn + place * (1 + round_)) % len(corners)]


def _without(rows: Rows, index: int, from_rows: bool, from_columns: bool) -> Rows:
    kept = without_row(rows, index) if from_rows else rows
    return without_column(kept, index) if from_columns else kept


def arrays(
    *matrices: MatrixSymbol,
    kinds: Mapping[MatrixSymbol, str] = MappingProxyType({}),
    sizes: Mapping[Any, Range] = MappingProxyType({}),
    ranges: Mapping[Any, Range | Choices] = MappingProxyType({}),
    first: tuple[Point, ...] = (),
    count: int = 60,
) -> Arrays:
    """Arrays by keyword, with symbols as keys: ``arrays(Phi, V, ranges={lam: POSITIVE})``."""
    return Arrays(
        matrices,
        tuple((symbol.name, kind) for symbol, kind in kinds.items()),
        tuple((str(symbol), allowed) for symbol, allowed in sizes.items()),
        tuple((str(symbol), allowed) for symbol, allowed in ranges.items()),
        first,
        count,
    )


POSITIVE = between(0, ends="()")
UNIT_INTERVAL = between(0, 1, ends="()")
