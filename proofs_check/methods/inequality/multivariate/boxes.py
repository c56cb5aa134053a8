"""Box search for one problem: faces on which the goal vanishes, integrals from them, wells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from proofs_check.arithmetic.derivative import NoDerivative, derivative
from proofs_check.arithmetic.tree import Node, number, symbol
from proofs_check.methods.inequality.multivariate import contact, reduce
from proofs_check.methods.inequality.multivariate.cover_tree import carved
from proofs_check.methods.inequality.multivariate.search import Cover, cover, outside_wells
from proofs_check.methods.inequality.multivariate.task import Box, Peel, Task, Well
from proofs_check.methods.inequality.polynomial import method as polynomial
from proofs_check.methods.inequality.polynomial.bernstein import Work
from proofs_check.methods.inequality.polynomial.rational import NotRational, rational_function
from proofs_check.methods.inequality.problem import Interval, Problem

Certificate = Any
Cut = Node | tuple[str, Fraction]
_HIGHEST_ORDER = 4
_MOST_WELLS = 6
_JUMPS = frozenset({"sign", "floor"})
_KINKS = frozenset({"abs", "min", "max"})


@dataclass(frozen=True)
class Search:
    """The outcome of a box search; ``reason`` says what resists."""

    certificate: Certificate | None
    boxes: int
    reason: str = ""
    negative: bool = False


@lru_cache(maxsize=32)
def task_of(problem: Problem, bits: int) -> Task:
    """The task with its vanishing faces and the integrals from them."""
    task = Task(
        problem.names,
        tuple(side for _, side in problem.box),
        problem.goal,
        problem.strict,
        problem.constraints,
        bits=bits,
    )
    if problem.strict:
        return task
    faces = frozenset(
        (axis, end)
        for axis in range(len(task.names))
        for end in (0, 1)
        if _vanishes_on(problem, task, problem.goal, axis, end)
    )
    peels = tuple(p for p in (_peel(problem, task, f, faces) for f in sorted(faces)) if p)
    return replace(task, faces=faces, peels=peels)


def _vanishes_on(problem: Problem, task: Task, node: Node, axis: int, end: int) -> bool:
    value = number(task.domain[axis][end])
    return reduce.vanishes(node.replaced({task.names[axis]: value}), problem)


def _peel(
    problem: Problem, task: Task, first: tuple[int, int], faces: frozenset[tuple[int, int]]
) -> Peel | None:
    """Differentiate along a face's axis as long as the result vanishes on the face; then others."""
    slope = problem.goal
    used: dict[tuple[int, int], int] = {}
    others = sorted(f for f in faces if f[0] != first[0])
    try:
        for axis, end in (first, *others):
            if any(axis == a for a, _ in used):
                continue
            order = 0
            while order < _HIGHEST_ORDER and _vanishes_on(problem, task, slope, axis, end):
                slope = derivative(slope, task.names[axis])
                slope = -slope if end else slope
                order += 1
            if order:
                used[axis, end] = order
    except NoDerivative:
        return None
    kinds = {node.op for node in problem.goal.nodes()}
    if kinds & _JUMPS or (kinds & _KINKS and sum(used.values()) > 1):
        return None
    return Peel(slope, tuple(used), tuple(used.values()))


def face_slopes(problem: Problem) -> Iterator[tuple[str, int, Node]]:
    """(variable, end, k-th derivative) where the goal and its first k-1 derivatives vanish on the
    face; the sign is that of an integral away from the face."""
    task = task_of(problem, 64)
    for axis, end in sorted(task.faces):
        peel = _peel(problem, task, (axis, end), frozenset())
        if peel is not None:
            yield task.names[axis], end, peel.slope


def search(problem: Problem, limit: int, bits: int) -> Search:
    """Cover the region: first without wells, then with them where minima near zero are found."""
    task = task_of(problem, bits)
    first = cover(task, min(limit, 150))
    if first.proved:
        return Search(_certificate(task, first), first.boxes)
    if first.negative:
        return Search(None, first.boxes, f"negative near {_text(task, first)}", True)
    if limit <= 150:
        return Search(None, first.boxes, f"{_text(task, first)} resists; split the region there")
    found = lowest(problem)
    if found is not None and found.values[0] < -1e-9 * (1 + found.scale):
        where = f"negative near {_point(task, found.points[0])}"
        return Search(None, first.boxes, where, True)
    wells = () if found is None else _wells(task, found)
    task = replace(task, wells=wells, cache={})
    exact = _by_algebra(task)
    if exact is not None:
        return Search(exact, first.boxes + 10)
    second = cover(task, limit)
    boxes = first.boxes + second.boxes
    if second.proved:
        return Search(_certificate(task, second), boxes)
    where = f"{_text(task, second)} resists; split the region there"
    return Search(None, boxes, where, second.negative)


@lru_cache(maxsize=32)
def lowest(problem: Problem) -> contact.Minima | None:
    """The least values that a search in doubles finds."""
    return contact.minima(task_of(problem, 64))


def promising(problem: Problem) -> bool:
    """Whether a box search alone should do: no contact was found, or only on faces with integrals
    from them, or at isolated points."""
    if problem.integers or not all(side.bounded for _, side in problem.box):
        return False
    found = lowest(problem)
    if found is None:
        return False
    task = task_of(problem, 64)
    near = found.points[np.abs(found.values) <= 1e-6 * found.scale]
    return not len(_off_faces(task, near)) or _few(task, near)


def _few(task: Task, points: Any) -> bool:
    """Whether the points gather in few places."""
    width = np.array([float(b - a) for a, b in task.domain])
    width = np.where(width > 0, width, 1.0)
    places = {tuple(np.round((point / width) * 50).astype(int)) for point in points}
    return len(places) <= 4


def _wells(task: Task, found: contact.Minima) -> tuple[Well, ...]:
    """Wells round the minima that are small beside the usual size of the goal."""
    wells: list[Well] = []
    for point, value in zip(found.points, found.values, strict=True):
        if len(wells) >= _MOST_WELLS or value > 1e-2 * found.scale:
            break
        inside = any(
            all(float(a) <= x <= float(b) for x, (a, b) in zip(point, well.box, strict=True))
            for well in wells
        )
        if inside:
            continue
        touching = abs(value) <= 1e-6 * found.scale
        made = contact.well(task, list(point), touching)
        if made is None and touching:
            made = contact.well(task, list(point), False)
        if made is None:
            return tuple(wells)
        wells.append(made)
    return tuple(wells)


def _by_algebra(task: Task) -> Certificate | None:
    """A rational goal outside the wells, piece by piece."""
    if not task.wells or task.constraints:
        return None
    try:
        quotient = rational_function(task.goal, task.names)
    except NotRational:
        return None
    pieces = []
    for piece in outside_wells(task):
        sides = [Interval(a, b) for a, b in piece]
        found = polynomial.prove_rational(quotient, task.strict, sides, Work(2_000))
        if found is None:
            return None
        pieces.append({"rule": "quotient", **found})
    return _proof(task, pieces)


def _text(task: Task, found: Cover) -> str:
    if found.resisting is None:
        return "the region"
    sides = (
        f"{float(a):.6g} <= {n} <= {float(b):.6g}"
        for n, (a, b) in zip(task.names, found.resisting, strict=True)
    )
    return "the box " + ", ".join(sides)


def _point(task: Task, point: Any) -> str:
    return ", ".join(f"{n} = {float(x):.6g}" for n, x in zip(task.names, point, strict=True))


def _proof(task: Task, pieces: Sequence[Any], peels: Sequence[Peel] = ()) -> Certificate:
    """The proof tree; ``pieces`` treat the boxes outside the wells."""
    boxes = [well.box for well in task.wells]
    proof: dict[str, Any] = {"rule": "boxes", "box": _written(task, task.domain)}
    if task.bits != 64:
        proof["bits"] = task.bits
    if peels:
        proof["peels"] = [
            [[task.names[axis], end, n] for (axis, end), n in zip(p.faces, p.orders, strict=True)]
            for p in peels
        ]
    if task.wells:
        proof["wells"] = [_well(task, well) for well in task.wells]
    return {**proof, "tree": carved(task.names, task.domain, boxes, pieces)[0]}


def _certificate(task: Task, found: Cover) -> Certificate:
    """The proof tree of a cover, with the integrals that it uses."""
    pieces = [found.tree.text(node) for node in range(len(outside_wells(task)))]
    used = [p for k, p in enumerate(task.peels) if f"peel {k}" in found.tree.kinds]
    return _proof(task, pieces, used)


def _well(task: Task, well: Well) -> Certificate:
    named = list(zip(task.names, well.ends, well.point, strict=True))
    return {
        "box": _written(task, well.box),
        "ends": {name: end for name, end, _ in named if end is not None},
        "point": {name: str(place) for name, end, place in named if end is None},
    }


def _written(task: Task, box: Box) -> list[list[str]]:
    return [[n, str(a), str(b)] for n, (a, b) in zip(task.names, box, strict=True)]


# --- contact ----------------------------------------------------------------------------------
def contact_cuts(problem: Problem) -> Iterator[Cut]:
    """Where to cut: x - y when all contact lies on the diagonal, (x, c) when on a plane inside."""
    task = task_of(problem, 64)
    found = lowest(problem)
    if found is None:
        return
    points = found.points[np.abs(found.values) <= 1e-7 * found.scale]
    points = _off_faces(task, points)
    if len(points) < 3:
        return
    width = np.array([float(b - a) for a, b in task.domain])
    near = 1e-2 * width
    for i in range(len(task.names)):
        if np.ptp(points[:, i]) <= near[i]:
            value = _plain(float(np.median(points[:, i])), float(near[i]))
            low, high = task.domain[i]
            if value is not None and low < value < high:
                yield task.names[i], value
    for i in range(len(task.names)):
        for j in range(i):
            if (np.abs(points[:, i] - points[:, j]) <= np.minimum(near[i], near[j])).all():
                yield symbol(task.names[i]) - symbol(task.names[j])
            elif (np.abs(points[:, i] + points[:, j]) <= np.minimum(near[i], near[j])).all():
                yield symbol(task.names[i]) + symbol(task.names[j])


def _plain(value: float, near: float) -> Fraction | None:
    for denominator in (1, 2, 3, 4, 5, 6, 8, 10, 12):
        simple = Fraction(value).limit_denominator(denominator)
        if abs(float(simple) - value) <= near:
            return simple
    return None


def _off_faces(task: Task, points: Any) -> Any:
    """Without the points on faces on which the goal is known to vanish."""
    kept = np.ones(len(points), dtype=bool)
    for axis, end in task.faces:
        low, high = task.domain[axis]
        edge = float((low, high)[end])
        kept &= np.abs(points[:, axis] - edge) > 1e-2 * float(high - low)
    return points[kept]
