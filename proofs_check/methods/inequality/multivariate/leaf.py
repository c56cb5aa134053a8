"""Checks of single boxes in ball arithmetic: the only thing that counts in a box search.

Each check names the argument by which goal >= 0 (> 0) follows on the box, perhaps from what is
known elsewhere. ``slope``: the goal strictly decreases along an axis towards the inside of the
region, so no minimum over the whole region lies in the box. Dropping: the goal is monotone towards
a face of the region, and that face remains to be shown.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from proofs_check.arithmetic.tree import Node, number
from proofs_check.methods.inequality.multivariate.exact import NoRange, sign
from proofs_check.methods.inequality.multivariate.interval import finite
from proofs_check.methods.inequality.multivariate.program import Program
from proofs_check.methods.inequality.multivariate.task import Box, Task

Ball = Any
Pair = tuple[Any, Any]


def good(value: Pair, strict: bool) -> bool:
    """Whether every number of the interval is >= 0 (> 0)."""
    return finite(value) and bool(value[0] > 0 if strict else value[0] >= 0)


def enclose(program: Program, box: Box, tight: bool) -> list[Pair]:
    """Enclosures of all outputs, quick or tight."""
    return program.tight(box) if tight else program.balls(box)


def outside(task: Task, values: list[Pair]) -> bool:
    """Whether a constraint certainly fails on the whole box."""
    for constraint, value in zip(task.constraints, values[1:], strict=True):
        if finite(value) and (value[1] < 0 or (constraint.strict and value[1] <= 0)):
            return True
    return False


def inside(values: list[Pair]) -> bool:
    """Whether all constraints hold strictly on the whole box."""
    return all(finite(value) and bool(value[0] > 0) for value in values[1:])


def check(task: Task, box: Box, hint: str = "") -> str | None:
    """The name of the argument that settles the box, or None; ``hint`` says what to try first."""
    with ctx.workprec(task.bits):
        if all(a == b for a, b in box):
            return _point(task, box)
        quick = enclose(task.values, box, False)
        found = _by_range(task, quick) or _hinted(task, box, quick, hint)
        if found is not None:
            return found
        sharp = enclose(task.values, box, True)
        found = _by_range(task, sharp)
        if found is not None or not finite(sharp[0]):
            return found
        for tight in (False, True):
            found = _by_slopes(task, box, sharp, tight) or _by_peels(task, box, tight)
            if found is not None:
                return found
    return None


def _by_range(task: Task, values: list[Pair]) -> str | None:
    if outside(task, values):
        return "outside"
    return "range" if good(values[0], task.strict) else None


def _hinted(task: Task, box: Box, values: list[Pair], hint: str) -> str | None:
    """One slope alone is much cheaper than all."""
    if not finite(values[0]):
        return None
    face = _on_face(task, box)
    if face is not None or not hint.startswith("slope") or task.slopes is None:
        return face
    if not inside(values):
        return None
    axis = int(hint.split()[1])
    for tight in (False, True):
        slope = enclose(task.slope(axis), box, tight)[0]
        if _escapes(task, box, axis, slope):
            return hint
    return None


def _on_face(task: Task, box: Box) -> str | None:
    for axis, end in sorted(task.faces):
        if box[axis][0] == box[axis][1] == task.domain[axis][end]:
            return f"face {axis} {end}"
    return None


def _by_slopes(task: Task, box: Box, values: list[Pair], tight: bool) -> str | None:
    if task.slopes is None:
        return None
    slopes = enclose(task.slopes, box, tight)
    low = _tangent(task.values, box, slopes)
    if good((low, low), task.strict):
        return "mean value"
    return _escape(task, box, slopes) if inside(values) else None


def exact(value: Fraction) -> Ball:
    """The ball of a rational number."""
    return arb(fmpq(value.numerator, value.denominator))


def _escape(task: Task, box: Box, slopes: list[Pair]) -> str | None:
    """A slope that is never zero, with room to go down inside the region."""
    for axis, slope in enumerate(slopes):
        if _escapes(task, box, axis, slope):
            return f"slope {axis}"
    return None


def _escapes(task: Task, box: Box, axis: int, slope: Pair) -> bool:
    low, high = task.domain[axis]
    a, b = box[axis]
    if a == b or not finite(slope):
        return False
    return bool((slope[0] > 0 and a > low) or (slope[1] < 0 and b < high))


def may_drop(task: Task, box: Box, axes: tuple[tuple[int, int], ...]) -> bool:
    """Whether the goal is monotone on the box towards the faces (axis, end) of the region."""
    with ctx.workprec(task.bits):
        return any(_drops(task, box, axes, tight) for tight in (False, True))


def _drops(task: Task, box: Box, axes: tuple[tuple[int, int], ...], tight: bool) -> bool:
    values = enclose(task.values, box, tight)
    if task.slopes is None or not finite(values[0]) or not inside(values):
        return False
    for axis, end in axes:
        slope = enclose(task.slope(axis), box, tight)[0]
        if box[axis][end] != task.domain[axis][end] or not finite(slope):
            return False
        if not (slope[1] <= 0 if end else slope[0] >= 0):
            return False
    return True


def _by_peels(task: Task, box: Box, tight: bool) -> str | None:
    """The goal as an iterated integral from faces: its integrand is >= 0 up to the faces."""
    if task.strict:
        return None
    for index, peel in enumerate(task.peels):
        hull = [list(side) for side in box]
        for axis, end in peel.faces:
            hull[axis][end] = task.domain[axis][end]
        whole = tuple((a, b) for a, b in hull)
        if _integrand_good(task, index, whole, tight) and finite(
            enclose(task.values, whole, tight)[0]
        ):
            return f"peel {index}"
    return None


def _integrand_good(task: Task, index: int, box: Box, tight: bool) -> bool:
    program, slopes = task.integrand(index)
    if good(enclose(program, box, tight)[0], False):
        return True
    if slopes is None:
        return False
    low = _tangent(program, box, enclose(slopes, box, tight))
    return good((low, low), False)


def _tangent(program: Program, box: Box, slopes: list[Pair]) -> Ball:
    """The lower end of the mean value form."""
    middle = tuple(((a + b) / 2, (a + b) / 2) for a, b in box)
    total, _ = program.balls(middle)[0]
    for (below, above), (a, b) in zip(slopes, box, strict=True):
        if a != b:
            total = total - (-below).max(above) * exact((b - a) / 2)
    return total.lower()


def _point(task: Task, box: Box) -> str | None:
    """The exact sign at a point; a point where a constraint fails needs none."""
    if outside(task, task.values.balls(box)):
        return "outside"
    values = {n: number(a) for n, (a, _) in zip(task.names, box, strict=True)}
    found = point_sign(task.goal, values)
    fine = found is not None and (found > 0 or (found == 0 and not task.strict))
    return "point" if fine else None


def point_sign(goal: Node, values: dict[str, Node]) -> int | None:
    """The sign of the goal at an exact point, None when unknown."""
    try:
        return sign(goal.replaced(values))
    except (NoRange, ZeroDivisionError):
        return None
