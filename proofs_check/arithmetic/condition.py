"""Conditions on trees: comparisons, and their combination by and, or, implies, not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proofs_check.arithmetic.tree import Node


@dataclass(frozen=True)
class Comparison:
    """``left (sign) right`` with sign one of ``<=``, ``<``, ``=``, ``!=``."""

    sign: str
    left: Node
    right: Node

    def __str__(self) -> str:
        sign = "==" if self.sign == "=" else self.sign
        return f"{self.left} {sign} {self.right}"


@dataclass(frozen=True)
class Membership:
    """``symbol in N`` (1, 2, ...) or ``symbol in Z``."""

    name: str
    integers: str

    def __str__(self) -> str:
        return f"{self.name} in {self.integers}"


@dataclass(frozen=True)
class Combination:
    """``and``, ``or``, ``not`` or ``implies`` of conditions."""

    word: str
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        if self.word == "not":
            return f"not ({self.parts[0]})"
        if self.word == "implies":
            return f"implies({self.parts[0]}, {self.parts[1]})"
        return f" {self.word} ".join(f"({part})" for part in self.parts)


Condition = Comparison | Membership | Combination


def comparisons(condition: Condition) -> Iterator[Comparison]:
    """Every comparison inside a condition."""
    if isinstance(condition, Comparison):
        yield condition
    elif isinstance(condition, Combination):
        for part in condition.parts:
            yield from comparisons(part)


def conjuncts(condition: Condition) -> Iterator[Condition]:
    """The parts of a conjunction, one by one."""
    if isinstance(condition, Combination) and condition.word == "and":
        for part in condition.parts:
            yield from conjuncts(part)
    else:
        yield condition


def symbols(condition: Condition) -> tuple[str, ...]:
    """Names of the symbols in a condition, sorted."""
    names: set[str] = set()
    if isinstance(condition, Membership):
        names.add(condition.name)
    for comparison in comparisons(condition):
        names.update(comparison.left.symbols(), comparison.right.symbols())
    if isinstance(condition, Combination):
        for part in condition.parts:
            names.update(symbols(part))
    return tuple(sorted(names))
