"""Signs of polynomials on the unit cube from their Bernstein coefficients, along a given tree.

b_k >= 0 for all k gives p = sum b_k B_k >= 0, as the B_k are >= 0 on the cube. Nodes of the tree:
``"c"`` the coefficients alone show it; ``"u"`` one variable is left, decided by Sturm;
``["s", axis, first, second]`` both halves of an axis; ``["m", axis, end, face]`` p is monotone
along the axis, so that the face where it is least decides; ``["k", axis, low, high]`` p is concave
along the axis, so that both faces decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import comb, lcm, prod
from operator import add, sub
from typing import Any

from flint import fmpz_poly

from proofs_check.recheck import sturm
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.polynomial import Poly, composed, rational
from proofs_check.recheck.sequent import Side

MOST_COEFFICIENTS = 60_000
DEEPEST = 100
Spend = Callable[[int], None]
# (start closed, end closed) for each axis
Ends = tuple[tuple[bool, bool], ...]


@dataclass(frozen=True)
class Table:
    """Integers b[k_1, ..., k_n] with the signs of the Bernstein coefficients, last axis fastest."""

    shape: tuple[int, ...]
    values: list[int]

    def rows(self, axis: int) -> list[list[int]]:
        """The slices along an axis, each flat."""
        count, inner = self.shape[axis], prod(self.shape[axis + 1 :])
        if inner == 1:
            return [self.values[k::count] for k in range(count)]
        found: list[list[int]] = [[] for _ in range(count)]
        for start in range(0, len(self.values), inner):
            found[(start // inner) % count] += self.values[start : start + inner]
        return found

    def joined(self, axis: int, rows: Sequence[list[int]]) -> Table:
        """The table of the same shape with other slices along an axis."""
        inner = prod(self.shape[axis + 1 :])
        values: list[int] = []
        for start in range(0, len(rows[0]), inner):
            for row in rows:
                values += row[start : start + inner]
        return Table(self.shape, values)

    def face(self, axis: int, rows: Sequence[list[int]], end: int) -> Table:
        """The face at the start (0) or the end (-1) of an axis with the given slices."""
        return Table((*self.shape[:axis], *self.shape[axis + 1 :]), rows[end])


def table_of(poly: Poly, positions: Sequence[int], sides: Sequence[Side]) -> Table:
    """Coefficients of the polynomial on the box, one axis for each position, up to a factor > 0.

    [a, b] becomes t in [0, 1]; on [a, oo) x = a + t/(1-t), on (-oo, b] x = b - t/(1-t), and the
    polynomial is multiplied by the positive (1-t)^d, so that t = 1 stands for infinity.

    Raises:
        Rejected: a side is the whole line, or the table is too large.
    """
    # The zero polynomial has the degree -1.
    degrees = [max(int(poly.degrees()[i]), 0) for i in positions]
    if prod(d + 1 for d in degrees) > MOST_COEFFICIENTS:
        raise Rejected("too many Bernstein coefficients")
    gens = poly.context().gens()
    images = {i: _image(gens[i], side) for i, side in zip(positions, sides, strict=True)}
    terms = composed(poly, images).to_dict()
    scale = lcm(1, *(int(value.q) for value in terms.values()))
    shape = tuple(d + 1 for d in degrees)
    values = [0] * prod(shape)
    for exponents, value in terms.items():
        index = 0
        for i, count in zip(positions, shape, strict=True):
            index = index * count + int(exponents[i])
        values[index] = int(value.p) * (scale // int(value.q))
    table = Table(shape, values)
    for axis, side in enumerate(sides):
        table = _from_powers(table, axis, side.bounded)
    return table


def _image(gen: Poly, side: Side) -> Poly:
    if side.low is not None:
        width = 1 if side.high is None else side.high - side.low
        return gen * rational(width) + rational(side.low)
    if side.high is not None:
        return rational(side.high) - gen
    raise Rejected("a side is the whole line")


def _from_powers(table: Table, axis: int, bounded: bool) -> Table:
    """From coefficients of powers t^k (of t^k (1-t)^(d-k) unless bounded) along one axis."""
    rows = table.rows(axis)
    degree = len(rows) - 1
    scale = lcm(*(comb(degree, k) for k in range(degree + 1)))
    rows = [[v * (scale // comb(degree, k)) for v in row] for k, row in enumerate(rows)]
    if bounded:
        for step in range(1, degree + 1):
            for k in range(degree, step - 1, -1):
                rows[k] = list(map(add, rows[k], rows[k - 1]))
    return table.joined(axis, rows)


def closed_ends(side: Side) -> tuple[bool, bool]:
    """Which ends of [0, 1] stand for points of the side, in the order of t."""
    if side.low is None:
        return (not side.open_high, False)
    return (not side.open_low, side.high is not None and not side.open_high)


def check(table: Table, strict: bool, ends: Ends, tree: Any, spend: Spend, depth: int = 0) -> None:
    """Accept silently when the tree shows p >= 0 (> 0) on the cube, open ends left out.

    Raises:
        Rejected: it does not.
    """
    spend(1 + _cost(table) // 5_000)
    if depth > DEEPEST:
        raise Rejected(f"a tree deeper than {DEEPEST}")
    if tree == "c":
        _settled(table, strict, ends)
    elif tree == "u":
        _by_sturm(table, strict, ends)
    elif isinstance(tree, list) and len(tree) == 4 and tree[0] in ("s", "m", "k"):
        axis = tree[1]
        if type(axis) is not int or not 0 <= axis < len(table.shape):
            raise Rejected("no such axis")
        step = _BELOW[tree[0]](table, ends, axis, tree)
        for part, part_ends, part_tree in step:
            check(part, strict, part_ends, part_tree, spend, depth + 1)
    else:
        raise Rejected("no such node of a tree of Bernstein coefficients")


def _cost(table: Table) -> int:
    """Operations on words for a node: halving an axis takes its degree in additions."""
    words = 1 + max(map(abs, table.values), default=0).bit_length() // 64
    return len(table.values) * words * max(table.shape, default=1)


Part = tuple[Table, Ends, Any]


def _settled(table: Table, strict: bool, ends: Ends) -> None:
    """b >= 0, and for > 0 some b_k > 0 on every smallest face that holds points."""
    if min(table.values) < 0:
        raise Rejected("a Bernstein coefficient is negative")
    if not strict:
        return
    choices: list[list[int | None]] = []
    for at_start, at_end in ends:
        closed: list[int | None] = []
        closed += [0] * at_start
        closed += [-1] * at_end
        choices.append(closed or [None])
    for corner in product(*choices):
        part = table
        for axis in range(len(corner) - 1, -1, -1):
            end = corner[axis]
            if end is not None:
                part = part.face(axis, part.rows(axis), end)
        if max(part.values) <= 0:
            raise Rejected("the polynomial may vanish at a corner")


def _by_sturm(table: Table, strict: bool, ends: Ends) -> None:
    if len(table.shape) != 1:
        raise Rejected("more than one variable is left")
    degree = table.shape[0] - 1
    rest, t = fmpz_poly([1, -1]), fmpz_poly([0, 1])
    total = fmpz_poly([])
    for k, value in enumerate(table.values):
        total += value * comb(degree, k) * t**k * rest ** (degree - k)
    if not sturm.holds(total, strict, ends[0]):
        raise Rejected("the sign is wrong somewhere")


def _split(table: Table, ends: Ends, axis: int, tree: Any) -> list[Part]:
    """de Casteljau at 1/2, scaled by 2^degree; the middle is closed in both halves."""
    current = table.rows(axis)
    degree = len(current) - 1
    first, second = list(current), list(current)
    for k in range(degree + 1):
        first[k] = [v << (degree - k) for v in current[0]]
        second[degree - k] = [v << (degree - k) for v in current[-1]]
        current = [list(map(add, a, b)) for a, b in pairwise(current)]
    start, end = ends[axis]
    before, after = ends[:axis], ends[axis + 1 :]
    return [
        (table.joined(axis, first), (*before, (start, True), *after), tree[2]),
        (table.joined(axis, second), (*before, (True, end), *after), tree[3]),
    ]


def _steps(rows: Sequence[list[int]]) -> list[list[int]]:
    return [list(map(sub, b, a)) for a, b in pairwise(rows)]


def _monotone(table: Table, ends: Ends, axis: int, tree: Any) -> list[Part]:
    """The face where p is least, counted as closed: enough also where that end is open."""
    rows, end = table.rows(axis), tree[2]
    if type(end) is not int or end not in (0, 1):
        raise Rejected("a face is at the end 0 or 1")
    for step in _steps(rows):
        if min(step) < 0 if end == 0 else max(step) > 0:
            raise Rejected("the polynomial may not be monotone")
    return [(table.face(axis, rows, -end), (*ends[:axis], *ends[axis + 1 :]), tree[3])]


def _concave(table: Table, ends: Ends, axis: int, tree: Any) -> list[Part]:
    """Both faces, counted as closed."""
    rows = table.rows(axis)
    if any(max(bend) > 0 for bend in _steps(_steps(rows))):
        raise Rejected("the polynomial may not be concave")
    rest = (*ends[:axis], *ends[axis + 1 :])
    return [(table.face(axis, rows, end), rest, tree[2 - end]) for end in (0, -1)]


_BELOW: dict[str, Callable[[Table, Ends, int, Any], list[Part]]] = {
    "s": _split,
    "m": _monotone,
    "k": _concave,
}
