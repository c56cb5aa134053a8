"""The tree of a cover: how its boxes came from each other, written for the checker.

A text treats a box from left to right: ``A`` halves it along axis 0 (``B`` along axis 1, ...) and
goes on with the lower, then with the upper half; ``<A`` (``>A``) leaves the face at its low (high)
end; ``a`` is a box without a least value, as the goal falls along axis 0; ``.`` any other leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from proofs_check.methods.inequality.multivariate.task import Box

MOST_AXES = 26


class Tree:
    """Nodes by number; the first ones are the boxes that a search starts with.

    ``kinds`` are the arguments that settled leaves.
    """

    def __init__(self, start: int) -> None:
        self._signs = ["."] * start
        self._children: list[tuple[int, ...]] = [()] * start
        self.kinds: set[str] = set()

    def _new(self) -> int:
        self._signs.append(".")
        self._children.append(())
        return len(self._signs) - 1

    def split(self, node: int, axis: int) -> tuple[int, int]:
        """Halve a box: the lower and the upper half."""
        self._signs[node] = _letter(axis)
        self._children[node] = (self._new(), self._new())
        return self._children[node][0], self._children[node][1]

    def drop(self, node: int, axes: Sequence[tuple[int, int]]) -> int:
        """Leave the face at the ends (axis, 0 or 1) of a box."""
        self._signs[node] = "".join("<>"[end] + _letter(axis) for axis, end in axes)
        self._children[node] = (self._new(),)
        return self._children[node][0]

    def settle(self, node: int, kind: str) -> None:
        """A leaf by the name of its argument."""
        self.kinds.add(kind)
        word, *rest = kind.split()
        self._signs[node] = _letter(int(rest[0])).lower() if word == "slope" else "."

    def text(self, node: int) -> str:
        """A node with all below it."""
        written, pending = [], [node]
        while pending:
            node = pending.pop()
            written.append(self._signs[node])
            pending.extend(reversed(self._children[node]))
        return "".join(written)


def _letter(axis: int) -> str:
    return chr(ord("A") + axis)


def carved(
    names: Sequence[str], box: Box, wells: Sequence[Box], pieces: Sequence[Any]
) -> tuple[Any, list[Box]]:
    """(tree, boxes): a box cut into the pieces outside the wells and parts of the wells.

    The pieces, in the order of the boxes, are the given nodes.
    """
    rest = iter(pieces)
    boxes: list[Box] = []

    def treated(box: Box, first: int) -> Any:
        for index in range(first, len(wells)):
            if all(a < d and c < b for (a, b), (c, d) in zip(box, wells[index], strict=True)):
                return cut(box, index, 0)
        boxes.append(box)
        return next(rest, None)

    def cut(box: Box, index: int, axis: int) -> Any:
        if axis == len(box):
            return ["well", index]
        (a, b), (c, d) = box[axis], wells[index][axis]
        before, after = box[:axis], box[axis + 1 :]
        if a < c:
            low = treated((*before, (a, c), *after), index + 1)
            return split(axis, c, low, cut((*before, (c, b), *after), index, axis))
        if d < b:
            high = treated((*before, (d, b), *after), index + 1)
            return split(axis, d, cut((*before, (a, d), *after), index, axis + 1), high)
        return cut(box, index, axis + 1)

    def split(axis: int, at: Fraction, low: Any, high: Any) -> Any:
        return ["split", names[axis], str(at), low, high]

    return treated(box, 0), boxes
