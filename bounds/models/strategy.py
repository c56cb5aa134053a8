"""What a family of test instances offers: numbered draws and simpler neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

# JSON-able: exact text, or nested lists of exact texts.
Description = dict[str, "str | list[str] | list[list[str]]"]


class Instance(Protocol):
    """One exact, rational instance of a model: a possible witness."""

    @property
    def label(self) -> str:
        """What is special about this instance, in words."""

    def describe(self) -> Description:
        """Every number of the instance as exact text, ready for JSON."""


InstanceT = TypeVar("InstanceT", bound=Instance)


class Strategy(Protocol[InstanceT]):
    """A deterministic family of instances: (index, seed) fixes the draw, whatever ran before."""

    @property
    def count(self) -> int:
        """How many indices a full run visits; larger indices are allowed."""

    def draw(self, index: int, seed: int) -> InstanceT:
        """The instance number ``index`` (from 0) of the stream ``seed``."""

    def shrink(self, instance: InstanceT) -> Iterator[InstanceT]:
        """Simpler neighbours of an instance, the boldest simplification first."""
