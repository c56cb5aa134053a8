"""Wells: boxes round a minimum of the goal, on which it is convex or monotone.

Along the *end* variables the goal is monotone on the box and least at an end of their sides, so its
least value lies on the face where they are at these ends. On that face the Hessian in the other,
*free* variables is positive definite, so the goal is convex there and above its tangents. With a
point c of the face

    goal(x) >= goal(c) + sum_i goal_i(c) (x_i - c_i)      (i free),

and either goal and free slopes are exactly 0 at c, or c is rational and the right side stays > 0 on
the whole box. All derivatives are enclosed on the whole box or face without leaving out points, so
the goal is smooth there in the free variables (a kink has no second derivative) and has a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proofs_check.recheck import normal
from proofs_check.recheck.balls import Program, exact, finite, hull
from proofs_check.recheck.cover import Box, Cover, everywhere, slopes_of
from proofs_check.recheck.enclosures import Pair
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr, num, replaced, var
from proofs_check.recheck.islands import Tight


@dataclass(frozen=True)
class Well:
    """``ends``: 0 (low) or 1 (high) for the end variables; ``point``: the free ones of c."""

    box: Box
    ends: Mapping[str, int]
    point: Mapping[str, Expr]


def check_well(cover: Cover, well: Well) -> None:
    """goal >= 0 (> 0) at every point of the well.

    Raises:
        Rejected: some step fails.
    """
    if set(well.ends) | set(well.point) != set(well.box) or set(well.ends) & set(well.point):
        raise Rejected("each variable of a well is free or at an end")
    if any(a > b for a, b in well.box.values()):
        raise Rejected("a well without points")
    if cover.gradient is None:
        raise Rejected("a well needs derivatives")
    if not _defined(cover, well.box):
        raise Rejected("the goal is not known to have values on the well")
    for name, end in well.ends.items():
        if not _monotone(cover, well.box, name, end):
            raise Rejected(f"the goal is not monotone in {name} on the well")
    face = {n: (s[well.ends[n]],) * 2 if n in well.ends else s for n, s in well.box.items()}
    if well.point and not _convex(cover, face, tuple(well.point)):
        raise Rejected("the goal is not convex on the well")
    if not (_stays_positive(cover, face, well.point) or _touches(cover, face, well.point)):
        raise Rejected("neither contact nor a positive tangent at the point of the well")


def _defined(cover: Cover, box: Box) -> bool:
    enclosures = (cover.values, cover.sharp)
    return everywhere(box, box, lambda part: any(finite(e.run(part)[0]) for e in enclosures))


def _monotone(cover: Cover, box: Box, name: str, end: int) -> bool:
    def steep(part: Box) -> bool:
        cover.budget.spend()
        slopes = (enclosure.run(part)[0] for enclosure in cover.single[name])
        return any(finite(s) and bool(s[1] <= 0 if end else s[0] >= 0) for s in slopes)

    return everywhere(box, box, steep)


def _convex(cover: Cover, face: Box, free: tuple[str, ...]) -> bool:
    """Whether the Hessian in the free variables is positive definite on the whole face."""
    slopes = slopes_of(cover.goal, free)
    if slopes is None:
        return False
    bends = []
    for row, slope in enumerate(slopes):
        found = slopes_of(slope, free[: row + 1])
        if found is None:
            return False
        bends += found
    programs = (Program([*slopes, *bends]), Tight([*slopes, *bends]))

    def bent(part: Box) -> bool:
        cover.budget.spend()
        return any(_definite(program.run(part), len(free)) for program in programs)

    return everywhere(face, face, bent)


def _definite(pairs: list[Pair], size: int) -> bool:
    """Slopes finite and second derivatives (rows up to the diagonal) positive definite."""
    if not all(map(finite, pairs)):
        return False
    entries = iter(pairs[size:])
    matrix: list[list[Any]] = [[None] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            matrix[i][j] = matrix[j][i] = hull(next(entries))
    return _positive_pivots(matrix)


def _positive_pivots(matrix: list[list[Any]]) -> bool:
    """Symmetric elimination on balls: every symmetric matrix inside has positive pivots."""
    size = len(matrix)
    for k in range(size):
        pivot = matrix[k][k]
        if not pivot > 0:
            return False
        for i in range(k + 1, size):
            for j in range(k + 1, i + 1):
                # A square keeps its sign in balls only when it is written as one.
                step = matrix[i][k] ** 2 if i == j else matrix[i][k] * matrix[j][k]
                matrix[i][j] = matrix[j][i] = matrix[i][j] - step / pivot
    return True


def _stays_positive(cover: Cover, face: Box, point: Mapping[str, Expr]) -> bool:
    """Whether the tangent at a rational point is > 0 on the whole face."""
    place = dict(face)
    for name, value in point.items():
        known = value.number
        if known is None or not face[name][0] <= known <= face[name][1]:
            return False
        place[name] = (known, known)
    total = cover.values.run(place)[0][0]
    for name in point:
        below, above = cover.single[name][0].run(place)[0]
        (a, b), (c, _) = face[name], place[name]
        total = total - (-below).max(above) * exact(max(b - c, c - a))
    return bool(total > 0)


def _touches(cover: Cover, face: Box, point: Mapping[str, Expr]) -> bool:
    """Whether the point lies on the face, and goal and free slopes are exactly 0 there."""
    if cover.strict or cover.gradient is None:
        return False
    values = {var(name): num(side[0]) for name, side in face.items()}
    for name, place in point.items():
        low, high = face[name]
        if place.variables() or normal.sign(place - num(low)) not in (0, 1):
            return False
        if normal.sign(num(high) - place) not in (0, 1):
            return False
        values[var(name)] = place
    gradient = dict(zip(cover.names, cover.gradient, strict=True))
    parts = [cover.goal, *(gradient[name] for name in point)]
    return all(normal.sign(replaced(part, values)) == 0 for part in parts)
