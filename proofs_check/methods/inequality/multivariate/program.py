"""Enclosures of several trees at once: quickly in balls, tightly, or over many boxes in NumPy.

Polynomial parts in which a variable occurs more than once ("islands") are enclosed first, by their
ranges, their slopes (monotone variables go to an end) and the mean value form; the rest of the
tree sees them as variables of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from proofs_check.arithmetic.tape import Tape, ball, compile_tape
from proofs_check.arithmetic.tree import Node, symbol
from proofs_check.methods.inequality.multivariate import interval, vector
from proofs_check.methods.inequality.polynomial.rational import (
    NotRational,
    horner,
    rational_function,
    used,
)
from proofs_check.methods.inequality.problem import literal

Box = Sequence[tuple[Fraction, Fraction]]
Array = Any
Pair = tuple[Any, Any]
_MOST_TERMS = 150


@dataclass(frozen=True)
class Island:
    """A polynomial with the slopes along the variables in it."""

    value: Tape
    slopes: Tape
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """Trees in the given variables; ``islands`` are replaced by symbols in ``outer``."""

    roots: tuple[Node, ...]
    names: tuple[str, ...]

    @cached_property
    def plain(self) -> Tape:
        """All trees as they are."""
        return compile_tape(self.roots, trusted=True)

    @cached_property
    def parts(self) -> tuple[tuple[Island, ...], Tape]:
        """Islands and the tape over variables and islands."""
        found: dict[Node, str] = {}
        islands: list[Island] = []
        for node in _islands(self.roots):
            made = _island(node, self.names)
            if made is not None:
                found[node] = f"island {len(islands)}"
                islands.append(made)
        outer = tuple(_cut(root, found) for root in self.roots)
        return tuple(islands), compile_tape(outer, trusted=True)

    @cached_property
    def vectorised(self) -> bool:
        """Whether NumPy rules exist for every operation."""
        return vector.supported(self.plain)

    def balls(self, box: Box) -> list[Pair]:
        """Ends of ball enclosures, at the precision in force."""
        values = {n: ball(a, b) for n, (a, b) in zip(self.names, box, strict=True)}
        return [(v.lower(), v.upper()) for v in self.plain.run(values)]

    def tight(self, box: Box) -> list[Pair]:
        """Enclosures by intervals and islands."""
        islands, outer = self.parts
        values = {n: interval.pair(a, b) for n, (a, b) in zip(self.names, box, strict=True)}
        inner = [_island_pair(island, values, self.names) for island in islands]
        named = {f"island {k}": value for k, value in enumerate(inner)}
        return interval.run(outer, {**values, **named})

    def at(self, points: Array) -> list[Array]:
        """Values at points in doubles (a search only)."""
        return [(a + b) / 2 for a, b in vector.run(self.plain, points, points, self.names)]

    def many(self, low: Array, high: Array) -> list[Pair]:
        """Enclosures over many boxes in doubles (a search only)."""
        islands, outer = self.parts
        names = (*self.names, *(f"island {k}" for k in range(len(islands))))
        if islands:
            columns = [_island_many(island, low, high, self.names) for island in islands]
            low = np.column_stack([low, *(c[0] for c in columns)])
            high = np.column_stack([high, *(c[1] for c in columns)])
        return vector.run(outer, low, high, names)


def _is_polynomial(node: Node, known: Mapping[Node, bool]) -> bool:
    if node.op in ("number", "symbol"):
        return True
    if node.op in ("+", "-", "*"):
        return all(known[arg] for arg in node.args)
    if node.op == "^":
        exponent = literal(node.args[1])
        whole = exponent is not None and exponent.denominator == 1 and 0 < exponent <= 12
        return known[node.args[0]] and whole
    return False


def _islands(roots: Sequence[Node]) -> list[Node]:
    """Maximal polynomial parts in which some variable occurs more than once."""
    known: dict[Node, bool] = {}
    order: dict[Node, None] = {}
    for root in roots:
        for node in root.nodes():
            if node not in known:
                known[node] = _is_polynomial(node, known)
                for arg in node.args:
                    if known[arg] and not known[node]:
                        order[arg] = None
        if known[root]:
            order[root] = None
    return [node for node in order if _repeats(node)]


def _repeats(node: Node) -> bool:
    counts: dict[Node, dict[str, int]] = {}
    for part in node.nodes():
        own: dict[str, int] = {str(part.value): 1} if part.op == "symbol" else {}
        for arg in part.args:
            for name, count in counts[arg].items():
                own[name] = own.get(name, 0) + count
        counts[part] = own
    return any(count > 1 for count in counts[node].values())


def _island(node: Node, names: tuple[str, ...]) -> Island | None:
    try:
        poly = rational_function(node, names).top
    except NotRational:
        return None
    if len(poly) > _MOST_TERMS or poly.is_zero():
        return None
    axes = tuple(i for i in used(poly) if i < len(names))
    leaves = [symbol(name) for name in names]
    short = horner(poly, leaves)
    if sum(1 for _ in short.nodes()) < sum(1 for _ in node.nodes()):
        node = short
    slopes = [horner(poly.derivative(i), leaves) for i in axes]
    return Island(compile_tape([node]), compile_tape(slopes), axes)


def _cut(root: Node, found: Mapping[Node, str]) -> Node:
    done: dict[Node, Node] = {}
    for node in root.nodes():
        if node in found:
            done[node] = symbol(found[node])
        else:
            args = tuple(done[arg] for arg in node.args)
            done[node] = node if args == node.args else Node(node.op, args, node.value)
    return done[root]


def _island_pair(island: Island, values: Mapping[str, Pair], names: Sequence[str]) -> Pair:
    low, high = interval.run(island.value, values)[0]
    slopes = interval.run(island.slopes, values)
    below, above = dict(values), dict(values)
    for axis, (a, b) in zip(island.axes, slopes, strict=True):
        name = names[axis]
        start, end = values[name]
        if a >= 0:
            below[name], above[name] = (start, start), (end, end)
        elif b <= 0:
            below[name], above[name] = (end, end), (start, start)
    first = _best(island, below, slopes, names)
    second = _best(island, above, slopes, names)
    return low.max(first[0]), high.min(second[1])


def _best(
    island: Island, sides: Mapping[str, Pair], slopes: Sequence[Pair], names: Sequence[str]
) -> Pair:
    """Range and mean value form on a box whose monotone sides are points already."""
    low, high = interval.run(island.value, sides)[0]
    open_ = [(names[i], s) for i, s in zip(island.axes, slopes, strict=True)]
    open_ = [(n, s) for n, s in open_ if not bool(sides[n][0] == sides[n][1])]
    if not open_:
        return low, high
    middle, spread = dict(sides), arb(0)
    for name, (a, b) in open_:
        start, end = sides[name]
        centre = ((start + end) / 2).mid()
        if not (start <= centre and centre <= end):
            centre = start
        middle[name] = (centre, centre)
        spread = spread + (-a).max(b) * (centre - start).max(end - centre)
    value = interval.run(island.value, middle)[0]
    return low.max((value[0] - spread).lower()), high.min((value[1] + spread).upper())


def _island_many(island: Island, low: Array, high: Array, names: Sequence[str]) -> Pair:
    natural = vector.run(island.value, low, high, names)[0]
    slopes = vector.run(island.slopes, low, high, names)
    a_low, a_high = low.copy(), high.copy()
    b_low, b_high = low.copy(), high.copy()
    for axis, (a, b) in zip(island.axes, slopes, strict=True):
        up, down = a >= 0, b <= 0
        a_high[:, axis] = np.where(up, low[:, axis], a_high[:, axis])
        a_low[:, axis] = np.where(down & ~up, high[:, axis], a_low[:, axis])
        b_low[:, axis] = np.where(up, high[:, axis], b_low[:, axis])
        b_high[:, axis] = np.where(down & ~up, low[:, axis], b_high[:, axis])
    first = _best_many(island, a_low, a_high, slopes, names)
    second = _best_many(island, b_low, b_high, slopes, names)
    return np.maximum(natural[0], first[0]), np.minimum(natural[1], second[1])


def _best_many(
    island: Island, low: Array, high: Array, slopes: Sequence[Pair], names: Sequence[str]
) -> Pair:
    natural = vector.run(island.value, low, high, names)[0]
    middle = (low + high) / 2
    value = vector.run(island.value, middle, middle, names)[0]
    spread = np.zeros(len(low))
    for axis, (a, b) in zip(island.axes, slopes, strict=True):
        radius = (high[:, axis] - low[:, axis]) / 2
        spread = spread + np.maximum(np.abs(a), np.abs(b)) * radius * (1 + 1e-12)
    return np.maximum(natural[0], value[0] - spread), np.minimum(natural[1], value[1] + spread)
