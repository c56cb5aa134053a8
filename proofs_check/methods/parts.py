"""How the instances of a claim are split into parts that any worker can check alone.

The split depends on the number of instances and on nothing else, and every random stream goes by
seed and index; so what is found does not depend on who checks which part, or in what order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

# A false claim mostly fails at once: the first part is short, and the others wait for it.
FIRST = 5
EACH = 10


@dataclass(frozen=True)
class Part:
    """The instances from ``start`` to ``stop`` (excluded); of samples, one batch on each."""

    start: int
    stop: int
    batch: int = 0

    @property
    def indices(self) -> range:
        """The numbers of its instances."""
        return range(self.start, self.stop)


def split(count: int, batches: int = 1) -> tuple[Part, ...]:
    """The parts of ``count`` instances, in the order in which they decide."""
    starts = [0, *range(FIRST, count, EACH)] if count > 0 else []
    ends = [*starts[1:], count]
    return tuple(
        Part(start, end, batch)
        for start, end in zip(starts, ends, strict=False)
        for batch in range(batches)
    )


def groups(parts: Iterable[Part]) -> Iterator[tuple[Part, ...]]:
    """The parts that belong together: all batches on the same instances."""
    for _, group in groupby(parts, key=lambda part: part.start):
        yield tuple(group)
