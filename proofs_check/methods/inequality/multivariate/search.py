"""Box search: thousands of boxes at a time in NumPy propose a cover, balls check every piece.

A piece is settled when its range is >= 0, when the mean value form says so, when a constraint fails
on it, when the goal has a slope that leaves room to go down (no minimum there), or through what the
task knows (proved faces, wells, integrals from faces). Where the goal is monotone towards a face
of the region only the face remains.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from proofs_check.methods.inequality.multivariate import leaf
from proofs_check.methods.inequality.multivariate.cover_tree import MOST_AXES, Tree, carved
from proofs_check.methods.inequality.multivariate.task import Box, Task

Array = Any
_BATCH = 2048
_SMALLEST = 2.0**-40


Axes = tuple[tuple[int, int], ...]


@dataclass
class Cover:
    """The outcome: the tree of a cover, or the box that resists.

    ``pending`` are proposed leaves and ``drops`` proposed steps to faces, with their nodes.
    """

    tree: Tree
    proved: bool = False
    boxes: int = 0
    pending: list[tuple[Box, str, int]] = field(default_factory=list)
    drops: list[tuple[Box, Axes]] = field(default_factory=list)
    resisting: Box | None = None
    negative: bool = False
    scale: float = 0.0


@dataclass
class _State:
    task: Task
    low: Array
    high: Array
    nodes: Array
    domain_low: Array
    domain_high: Array


def cover(task: Task, work: int) -> Cover:
    """Try to cover the region with at most ``work`` boxes; every piece is checked in balls."""
    start = outside_wells(task)
    domain = task.domain
    found = Cover(Tree(len(start)))
    if len(domain) > MOST_AXES:
        return found
    if not task.values.vectorised:
        return _in_balls(task, start, work, found)
    low = np.array([[float(a) for a, _ in box] for box in start]).reshape(-1, len(domain))
    high = np.array([[float(b) for _, b in box] for box in start]).reshape(-1, len(domain))
    state = _State(
        task,
        low,
        high,
        np.arange(len(start)),
        np.array([float(a) for a, _ in domain]),
        np.array([float(b) for _, b in domain]),
    )
    exact = _Exact(task, start)
    while len(state.low) and found.boxes < work:
        take = min(_BATCH, len(state.low))
        found.boxes += take
        if not _advance(state, take, found, exact):
            return found
    if len(state.low):
        found.resisting = exact.box(state.low[-1], state.high[-1])
        return found
    found.proved = _validated(task, found)
    return found


def _validated(task: Task, found: Cover) -> bool:
    """Every drop and every leaf that the search proposed, in balls."""
    for box, axes in found.drops:
        if not leaf.may_drop(task, box, axes):
            found.resisting = box
            return False
    return all(_settle(task, box, found, node, hint) for box, hint, node in found.pending)


class _Exact:
    """Ends as exact numbers: doubles are exact, save the ends of the domain and of the wells."""

    def __init__(self, task: Task, start: list[Box]) -> None:
        self.known = [
            {float(x): x for box in (*start, task.domain) for x in box[axis]}
            for axis in range(len(task.names))
        ]

    def box(self, low: Array, high: Array) -> Box:
        """The exact box."""
        return tuple(
            (known.get(float(a), Fraction(float(a))), known.get(float(b), Fraction(float(b))))
            for known, a, b in zip(self.known, low, high, strict=True)
        )


def _advance(state: _State, take: int, found: Cover, exact: _Exact) -> bool:
    """Work on the last ``take`` boxes; False when the search cannot succeed."""
    task = state.task
    low, high, nodes = state.low[-take:], state.high[-take:], state.nodes[-take:]
    state.low, state.high = state.low[:-take], state.high[:-take]
    state.nodes = state.nodes[:-take]
    points = (low == high).all(axis=1)
    settled, inner = _ranges(task, low, high, found)
    open_ = ~settled & ~points
    slopes = _slopes(task, low[open_], high[open_])
    if points.any() and _negative(task.values.at(low[points]), found):
        first = int(np.flatnonzero(points)[0])
        found.resisting = exact.box(low[first], high[first])
        return False
    kinds = settled | points
    rest = np.flatnonzero(open_)
    escaped, drop_low, drop_high = _monotone(state, low[rest], high[rest], slopes, inner[rest])
    middle = task.values.at((low[rest] + high[rest]) / 2)
    if _negative(middle, found):
        found.resisting = exact.box(*_middle_of_worst(low[rest], high[rest], middle[0]))
        return False
    proved = _mean_value(middle[0], low[rest], high[rest], slopes)
    kinds[rest[(escaped >= 0) | proved]] = True
    axes = np.full(take, -1)
    axes[rest] = escaped
    dropping = ~kinds[rest] & (drop_low | drop_high).any(axis=1)
    for k in np.flatnonzero(kinds):
        hint = f"slope {axes[k]}" if axes[k] >= 0 else ""
        found.pending.append((exact.box(low[k], high[k]), hint, int(nodes[k])))
    keep = np.flatnonzero(~kinds[rest])
    children = _children(
        task,
        low,
        high,
        nodes[rest[keep]],
        rest[keep],
        dropping[keep],
        drop_low[keep],
        drop_high[keep],
        None if slopes is None else [(a[keep], b[keep]) for a, b in slopes],
        found,
        exact,
    )
    if children is None:
        return False
    state.low = np.concatenate([state.low, children[0]])
    state.high = np.concatenate([state.high, children[1]])
    state.nodes = np.concatenate([state.nodes, children[2]])
    return True


def _ranges(task: Task, low: Array, high: Array, found: Cover) -> tuple[Array, Array]:
    """(settled by range, constraint, face or integral; all constraints hold strictly)."""
    values = task.values.many(low, high)
    settled = values[0][0] > 0
    inner = np.ones(len(low), dtype=bool)
    for constraint, (a, b) in zip(task.constraints, values[1:], strict=True):
        settled |= (b <= 0) if constraint.strict else (b < 0)
        inner &= a > 0
    finite = np.isfinite(values[0][0]) & np.isfinite(values[0][1])
    if finite.any():
        # The size of the goal before cancellation: what rounding errors are measured by.
        found.scale = max(found.scale, float(np.abs(values[0][1][finite]).max()))
    domain = task.domain
    for axis, end in task.faces:
        edge = float(domain[axis][end])
        settled |= finite & (low[:, axis] == edge) & (high[:, axis] == edge)
    for k in range(len(task.peels)):
        left = np.flatnonzero(finite & ~settled)
        settled[left] |= _integrated(task, k, low[left], high[left])
    return settled, inner & finite


def _integrated(task: Task, index: int, low: Array, high: Array) -> Array:
    """Whether the integrand of a peel is positive up to the faces, by range or mean value."""
    hull_low, hull_high = low.copy(), high.copy()
    for axis, end in task.peels[index].faces:
        (hull_high if end else hull_low)[:, axis] = float(task.domain[axis][end])
    value, slopes = task.integrand(index)
    if not len(low) or not value.vectorised:
        return np.zeros(len(low), dtype=bool)
    good = np.asarray(value.many(hull_low, hull_high)[0][0] > 0)
    if slopes is None or not slopes.vectorised:
        return good
    left = np.flatnonzero(~good)
    hull_low, hull_high = hull_low[left], hull_high[left]
    middle = value.at((hull_low + hull_high) / 2)[0]
    good[left] = _mean_value(middle, hull_low, hull_high, slopes.many(hull_low, hull_high))
    return good


def _slopes(task: Task, low: Array, high: Array) -> list[tuple[Array, Array]] | None:
    if task.slopes is None or not task.slopes.vectorised:
        return None
    return task.slopes.many(low, high)


def _negative(values: list[Array], found: Cover) -> bool:
    """Whether the goal is clearly negative at a point of the region: no use to go on."""
    inside = np.isfinite(values[0])
    for other in values[1:]:
        inside &= other > 0
    if not inside.any():
        return False
    found.scale = max(found.scale, float(np.abs(values[0][inside]).max()))
    found.negative = bool((values[0][inside] < -1e-12 - 1e-11 * found.scale).any())
    return found.negative


def _middle_of_worst(low: Array, high: Array, values: Array) -> tuple[Array, Array]:
    k = int(np.nanargmin(values))
    middle = (low[k] + high[k]) / 2
    return middle, middle


def _mean_value(
    middle: Array, low: Array, high: Array, slopes: list[tuple[Array, Array]] | None
) -> Array:
    if slopes is None or not len(low):
        return np.zeros(len(low), dtype=bool)
    value = middle
    with np.errstate(all="ignore"):
        for axis, (a, b) in enumerate(slopes):
            size = np.maximum(np.abs(a), np.abs(b)) * (high[:, axis] - low[:, axis]) / 2
            value = value - np.where(high[:, axis] > low[:, axis], size * (1 + 1e-12), 0)
    return np.asarray(value > 0)


def _monotone(
    state: _State, low: Array, high: Array, slopes: list[tuple[Array, Array]] | None, inner: Array
) -> tuple[Array, Array, Array]:
    """(axis that excludes a minimum or -1, axes to drop to the low end, to the high end)."""
    escaped = np.full(len(low), -1)
    drop_low, drop_high = np.zeros(low.shape, dtype=bool), np.zeros(low.shape, dtype=bool)
    if slopes is None:
        return escaped, drop_low, drop_high
    for axis, (a, b) in enumerate(slopes):
        wide = inner & (high[:, axis] > low[:, axis]) & np.isfinite(a) & np.isfinite(b)
        at_low = low[:, axis] == state.domain_low[axis]
        at_high = high[:, axis] == state.domain_high[axis]
        leaving = wide & (((a > 0) & ~at_low) | ((b < 0) & ~at_high))
        escaped[leaving & (escaped < 0)] = axis
        drop_low[:, axis] = wide & (a >= 0) & at_low
        drop_high[:, axis] = wide & (b <= 0) & at_high & ~drop_low[:, axis]
    return escaped, drop_low, drop_high


def _settle(task: Task, box: Box, found: Cover, node: int, hint: str = "", depth: int = 0) -> bool:
    """Check in balls; a piece that just fails there is split once or twice."""
    kind = leaf.check(task, box, hint)
    if kind is not None:
        found.tree.settle(node, kind)
        return True
    found.boxes += 1
    if depth >= 6 or all(a == b for a, b in box):
        found.resisting = box
        found.negative = all(a == b for a, b in box)
        return False
    return all(
        _settle(task, half, found, part, hint, depth + 1)
        for half, part in _halves(task, box, found.tree, node)
    )


def _halves(task: Task, box: Box, tree: Tree, node: int) -> list[tuple[Box, int]]:
    """Both halves along the side that is longest relative to the region, with their nodes."""
    lengths = [
        (b - a) / (high - low) if high > low else Fraction(0)
        for (a, b), (low, high) in zip(box, task.domain, strict=True)
    ]
    axis = lengths.index(max(lengths))
    a, b = box[axis]
    middle = Fraction(float(a + b) / 2)
    if not a < middle < b:
        middle = (a + b) / 2
    first, second = tree.split(node, axis)
    low = (*box[:axis], (a, middle), *box[axis + 1 :])
    return [(low, first), ((*box[:axis], (middle, b), *box[axis + 1 :]), second)]


def _children(
    task: Task,
    low: Array,
    high: Array,
    nodes: Array,
    rest: Array,
    dropping: Array,
    drop_low: Array,
    drop_high: Array,
    slopes: list[tuple[Array, Array]] | None,
    found: Cover,
    exact: _Exact,
) -> tuple[Array, Array, Array] | None:
    """Dropped boxes and halves of the others; None when a box has become too small."""
    lows, highs = low[rest].copy(), high[rest].copy()
    confirmed = np.zeros(len(rest), dtype=bool)
    faces = []
    for k in np.flatnonzero(dropping):
        axes = tuple((int(i), 0) for i in np.flatnonzero(drop_low[k])) + tuple(
            (int(i), 1) for i in np.flatnonzero(drop_high[k])
        )
        found.drops.append((exact.box(lows[k], highs[k]), axes))
        faces.append(found.tree.drop(int(nodes[k]), axes))
        confirmed[k] = True
    dropped_low = np.where(drop_high & confirmed[:, None], highs, lows)
    dropped_high = np.where(drop_low & confirmed[:, None], lows, highs)
    split = ~confirmed
    axis = _widest(task, lows, highs, slopes)
    index = np.arange(len(rest))
    width = highs[index, axis] - lows[index, axis]
    scale = np.maximum(1e-300, np.array([float(b - a) for a, b in task.domain]))
    if (split & (width <= _SMALLEST * scale[axis])).any():
        worst = int(np.flatnonzero(split & (width <= _SMALLEST * scale[axis]))[0])
        found.resisting = exact.box(lows[worst], highs[worst])
        return None
    middle = (lows[index, axis] + highs[index, axis]) / 2
    first_high, second_low = highs.copy(), lows.copy()
    first_high[index, axis], second_low[index, axis] = middle, middle
    halves = [found.tree.split(int(nodes[k]), int(axis[k])) for k in np.flatnonzero(split)]
    made = [*faces, *(first for first, _ in halves), *(second for _, second in halves)]
    return (
        np.concatenate([dropped_low[confirmed], lows[split], second_low[split]]),
        np.concatenate([dropped_high[confirmed], first_high[split], highs[split]]),
        np.array(made, dtype=int),
    )


def _widest(task: Task, low: Array, high: Array, slopes: list[tuple[Array, Array]] | None) -> Array:
    """The axis with the largest slope times width (relative width where slopes are unknown)."""
    width = high - low
    scale = np.maximum(1e-300, np.array([float(b - a) for a, b in task.domain]))
    relative = width / scale
    if slopes is None:
        return np.argmax(relative, axis=1)
    with np.errstate(all="ignore"):
        smear = np.stack(
            [np.maximum(np.abs(a), np.abs(b)) * width[:, i] for i, (a, b) in enumerate(slopes)], 1
        )
    known = np.isfinite(smear).all(axis=1)[:, None]
    # A little of the relative width keeps every side shrinking.
    top = np.maximum(np.where(known, smear, 0).max(axis=1, keepdims=True), 1e-300)
    mixed = np.where(known, smear / top + 0.05 * relative, relative)
    return np.argmax(np.where(width > 0, mixed, -1.0), axis=1)


def outside_wells(task: Task) -> list[Box]:
    """The region without the wells, as boxes."""
    return carved(task.names, task.domain, [well.box for well in task.wells], ())[1]


def _in_balls(task: Task, start: list[Box], work: int, found: Cover) -> Cover:
    """The same search box by box in balls, for functions without a vectorised rule."""
    stack = list(zip(start, range(len(start)), strict=True))
    while stack:
        box, node = stack.pop()
        found.boxes += 1
        if found.boxes > work // 10:
            found.resisting = box
            return found
        kind = leaf.check(task, box)
        if kind is not None:
            found.tree.settle(node, kind)
        elif all(a == b for a, b in box):
            found.resisting, found.negative = box, True
            return found
        else:
            stack.extend(_halves(task, box, found.tree, node))
    found.proved = True
    return found
