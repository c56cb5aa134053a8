"""Instances for claims without a model: points that give each symbol an exact rational value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from bounds.arithmetic.convert import Rows, exact, exact_matrix, exact_vector
from bounds.draws import Draw, simpler_numbers
from bounds.errors import ParameterError

LARGEST_EXPONENT = 12


@dataclass(frozen=True)
class Point:
    """An exact rational point: symbol names with their values, fractions or rows of fractions."""

    values: tuple[tuple[str, Fraction | Rows], ...]
    label: str = ""

    def describe(self) -> dict[str, Any]:
        """The point as exact text; a matrix is a list of rows."""
        return {name: _text(value) for name, value in self.values}

    def __getitem__(self, name: str) -> Any:
        return dict(self.values)[name]

    def replaced(self, name: str, value: Fraction | Rows) -> Point:
        """The same point with another value for one symbol."""
        changed = tuple((key, value if key == name else old) for key, old in self.values)
        return Point(changed, self.label)


def _text(value: Fraction | Rows) -> str | list[list[str]]:
    if isinstance(value, Fraction):
        return str(value)
    return [[str(entry) for entry in row] for row in value]


@dataclass(frozen=True)
class Range:
    """The values one symbol may take: an interval with open or closed ends, or its integers.

    ``high=None`` means unbounded above, ``low=None`` unbounded below.

    Raises:
        ParameterError: the interval is empty.
    """

    low: Fraction | None = None
    high: Fraction | None = None
    open_low: bool = False
    open_high: bool = False
    integer: bool = False

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ParameterError("high", self.high, f"must be at least low = {self.low}")
        if self.low is not None and self.low == self.high and (self.open_low or self.open_high):
            raise ParameterError("high", self.high, "an open interval needs low < high")

    def contains(self, value: Fraction) -> bool:
        """Whether ``value`` lies in the range."""
        if self.integer and value.denominator != 1:
            return False
        if self.low is not None and (value < self.low or (self.open_low and value == self.low)):
            return False
        at_or_past = self.high is not None and value >= self.high
        return not at_or_past or (value == self.high and not self.open_high)

    def corners(self) -> tuple[Fraction, ...]:
        """The closed ends, and points very near to the open and far along the unbounded ones."""
        tiny, far = Fraction(1, 10**LARGEST_EXPONENT), Fraction(10**LARGEST_EXPONENT)
        low = -far if self.low is None else self.low
        high = far if self.high is None else self.high
        narrow = self.low is not None and self.high is not None
        step = Fraction(1) if self.integer else min(tiny, (high - low) / 4) if narrow else tiny
        inner = [low + step] if self.low is not None else []
        inner += [high - step] if self.high is not None else []
        candidates = (low, *inner, high, Fraction(0), Fraction(1))
        return tuple(dict.fromkeys(c for c in candidates if self.contains(c)))

    def draw(self, draw: Draw) -> Fraction:
        """A random rational: uniform in a bounded range, spread over decades otherwise."""
        size = Fraction(draw.integer(1, 999), 100) * Fraction(10) ** draw.integer(
            -LARGEST_EXPONENT // 4, LARGEST_EXPONENT // 4
        )
        if self.low is not None and self.high is not None:
            value = self.low + (self.high - self.low) * Fraction(draw.integer(1, 999), 1000)
        elif self.low is not None:
            value = self.low + size
        elif self.high is not None:
            value = self.high - size
        else:
            value = size if draw.integer(0, 1) else -size
        return Fraction(round(value)) if self.integer else value


@dataclass(frozen=True)
class Choices:
    """A range of a few exact values, such as the exponents of norms."""

    values: tuple[Fraction, ...]

    def contains(self, value: Fraction) -> bool:
        """Whether ``value`` is one of them."""
        return value in self.values

    def corners(self) -> tuple[Fraction, ...]:
        """All of them."""
        return self.values

    def draw(self, draw: Draw) -> Fraction:
        """One of them."""
        return draw.choice(self.values)


def choices(*values: Any) -> Choices:
    """A range of a few values: ``choices(0, "1/2", 1)``."""
    return Choices(exact_vector("values", values))


def between(low: Any = None, high: Any = None, *, ends: str = "[]") -> Range:
    """A range of reals, with ``ends`` one of ``[]``, ``(]``, ``[)``, ``()``; None is unbounded."""
    if ends not in ("[]", "(]", "[)", "()"):
        raise ParameterError("ends", ends, "must be one of [], (], [), ()")
    low_end = None if low is None else exact("low", low)
    high_end = None if high is None else exact("high", high)
    return Range(low_end, high_end, ends[0] == "(", ends[1] == ")")


def integers(low: int | None = None, high: int | None = None) -> Range:
    """The integers from ``low`` to ``high``, both included; None is unbounded."""
    first = None if low is None else exact("low", low)
    last = None if high is None else exact("high", high)
    return Range(first, last, integer=True)


@dataclass(frozen=True)
class Box:
    """The strategy for scalar claims: corners of the ranges first, then random rational points.

    Points outside the claim's hypotheses are passed over by the checker, so a box may be larger
    than the region the hypotheses allow.
    """

    ranges: tuple[tuple[str, Range | Choices], ...]
    count: int = 100

    def draw(self, index: int, seed: int) -> Point:
        """The point number ``index``; it depends on (seed, index) and on nothing else."""
        names = [name for name, _ in self.ranges]
        for corner, values in enumerate(product(*(r.corners() for _, r in self.ranges))):
            if corner >= self.count // 2:
                break
            if corner == index:
                return labelled(zip(names, values, strict=True))
        draw = Draw.at(seed, index)
        drawn = []
        for name, allowed in self.ranges:
            value = allowed.draw(draw)
            while not allowed.contains(value):
                value = allowed.draw(draw)
            drawn.append((name, value))
        return labelled(drawn)

    def shrink(self, instance: Point) -> Iterator[Point]:
        """Simpler points of the box: each value rounded to fewer digits."""
        for name, allowed in self.ranges:
            for value in simpler_numbers(instance[name]):
                if allowed.contains(value):
                    yield labelled(instance.replaced(name, value).values)


def labelled(values: Iterable[tuple[str, Any]]) -> Point:
    """A point that carries its own values as its label."""
    pairs = tuple(values)
    return Point(pairs, ", ".join(f"{name}={value}" for name, value in pairs))


@dataclass(frozen=True)
class Points:
    """The strategy that visits a few named points and nothing else."""

    points: tuple[Point, ...]

    @property
    def count(self) -> int:
        """The number of points."""
        return len(self.points)

    def draw(self, index: int, seed: int) -> Point:
        """The point number ``index``; ``seed`` plays no part."""
        return self.points[index]

    def shrink(self, instance: Point) -> Iterator[Point]:
        """Nothing: the points are as simple as their author made them."""
        return iter(())


def box(count: int = 100, **ranges: Range | Choices) -> Box:
    """A box by keyword: ``box(n=integers(1, 100), delta=between(0, 1, ends="()"))``."""
    return Box(tuple(ranges.items()), count)


def point(values: Mapping[str, Any], label: str = "") -> Point:
    """A single exact point, for witnesses and tests; nested sequences are matrices."""
    return Point(
        tuple(
            (name, exact_matrix(name, v) if isinstance(v, (list, tuple)) else exact(name, v))
            for name, v in values.items()
        ),
        label,
    )
