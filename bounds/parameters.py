"""A model's instances together with points for the free parameters of a claim (delta, t, ...)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bounds.models.strategy import Strategy
from bounds.points import Box, Choices, Point, Range


@dataclass(frozen=True)
class Parametrised:
    """A model instance ``data`` and a ``point`` that gives the claim's parameters their values."""

    data: Any
    point: Point

    @property
    def label(self) -> str:
        """The label of the data, with the parameters."""
        values = ", ".join(f"{name}={value}" for name, value in self.point.values)
        return f"{self.data.label}; {values}"

    def describe(self) -> dict[str, Any]:
        """Data and parameters as exact text."""
        return {**self.data.describe(), **self.point.describe()}


@dataclass(frozen=True)
class WithParameters:
    """The strategy that draws data from ``base`` and parameters from a box, both by index."""

    base: Strategy[Any]
    parameters: Box

    @property
    def count(self) -> int:
        """As many as the base visits, twice over, so that each data set meets two points."""
        return 2 * self.base.count

    def draw(self, index: int, seed: int) -> Parametrised:
        """Data number ``index`` modulo the base's count with parameter point ``index``."""
        data = self.base.draw(index % self.base.count, seed)
        return Parametrised(data, self.parameters.draw(index, seed))

    def shrink(self, instance: Parametrised) -> Iterator[Parametrised]:
        """Simpler data first, then simpler parameters."""
        for data in self.base.shrink(instance.data):
            yield Parametrised(data, instance.point)
        for simpler in self.parameters.shrink(instance.point):
            yield Parametrised(instance.data, simpler)


def with_parameters(base: Strategy[Any], **ranges: Range | Choices) -> WithParameters:
    """``with_parameters(LINEAR_GAUSSIAN, delta=UNIT_INTERVAL)``."""
    return WithParameters(base, Box(tuple(ranges.items())))


def data_of(instance: Any) -> Any:
    """The model data of an instance, with or without parameters."""
    return instance.data if isinstance(instance, Parametrised) else instance
