"""The data of a box search: goal, derivatives, constraints, and what is proved already."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from proofs_check.arithmetic.derivative import NoDerivative, derivative
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.multivariate.program import Program
from proofs_check.methods.inequality.problem import Constraint, Interval

Box = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class Peel:
    """f is the iterated integral of ``slope`` from the faces (axis, 0 for low or 1 for high).

    f, and after each differentiation the derivative so far, vanishes identically on the face from
    which the next integral starts; the sign of an integral from a high face is in ``slope``.
    ``orders`` says how often it is differentiated for each face.
    """

    slope: Node
    faces: tuple[tuple[int, int], ...]
    orders: tuple[int, ...]


@dataclass(frozen=True)
class Well:
    """A box on which the goal is proved by a point, at ends (0 or 1) of some of its sides."""

    box: Box
    ends: tuple[int | None, ...]
    point: tuple[Node, ...]


@dataclass(frozen=True)
class Task:
    """Show goal >= 0 (> 0) on the closed box under constraints.

    ``faces`` (axis, end) are faces of the box on which the goal is proved; ``wells`` hold boxes
    in which it is proved.
    """

    names: tuple[str, ...]
    sides: tuple[Interval, ...]
    goal: Node
    strict: bool
    constraints: tuple[Constraint, ...] = ()
    faces: frozenset[tuple[int, int]] = frozenset()
    peels: tuple[Peel, ...] = ()
    wells: tuple[Well, ...] = ()
    bits: int = 64
    cache: dict[Any, Any] = field(default_factory=dict, compare=False)

    @property
    def domain(self) -> Box:
        """The exact ends; every side is bounded."""
        return tuple((s.low or Fraction(0), s.high or Fraction(0)) for s in self.sides)

    @cached_property
    def values(self) -> Program:
        """Goal, then the constraints."""
        return Program((self.goal, *(c.expression for c in self.constraints)), self.names)

    @cached_property
    def gradient(self) -> tuple[Node, ...] | None:
        """First derivatives, None when there are none or the goal may jump."""
        if any(node.op in ("sign", "floor") for node in self.goal.nodes()):
            return None
        try:
            return tuple(derivative(self.goal, name) for name in self.names)
        except NoDerivative:
            return None

    @cached_property
    def slopes(self) -> Program | None:
        """The first derivatives."""
        slopes = self.gradient
        return None if slopes is None else Program(slopes, self.names)

    def slope(self, axis: int) -> Program:
        """One first derivative."""
        key = ("slope", axis)
        if key not in self.cache and self.gradient is not None:
            self.cache[key] = Program((self.gradient[axis],), self.names)
        return self.cache[key]  # type: ignore[no-any-return]

    @cached_property
    def bends(self) -> Program | None:
        """Second derivatives, row by row up to the diagonal."""
        if self.gradient is None:
            return None
        try:
            rows = [
                derivative(slope, name)
                for i, slope in enumerate(self.gradient)
                for name in self.names[: i + 1]
            ]
        except NoDerivative:
            return None
        return Program(tuple(rows), self.names)

    def integrand(self, index: int) -> tuple[Program, Program | None]:
        """One integrand, and its first derivatives where there are any."""
        key = ("integrand", index)
        if key not in self.cache:
            node = self.peels[index].slope
            try:
                slopes = tuple(derivative(node, name) for name in self.names)
            except NoDerivative:
                slopes = ()
            nested = Program(slopes, self.names) if slopes else None
            self.cache[key] = (Program((node,), self.names), nested)
        return self.cache[key]  # type: ignore[no-any-return]
