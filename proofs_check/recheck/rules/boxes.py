"""Covers of a box in several variables: ranges, mean values, faces, wells, integrals.

The certificate of the rule ``boxes``::

    {"rule": "boxes", "box": [[name, low, high], ...], "bits": 64,
     "peels": [[[name, end, order], ...], ...],
     "wells": [{"box": [...], "ends": {name: 0 or 1}, "point": {name: text}}, ...],
     "tree": node}

A *node* treats a closed box, at first the whole ``box``, whose order of names numbers the axes:

- ``["split", name, at, node, node]`` cuts it at a number;
- ``["well", index]`` says that it lies in a well;
- ``{"rule": ...}`` proves the sequent on it;
- a text treats it from left to right: ``A`` halves it along axis 0 (``B`` along axis 1, ...), after
  which the text goes on with the lower and then with the upper half; ``<A`` (``>A``) leaves only
  the face at the low (high) end of axis 0, towards which the goal falls; ``a`` says that no least
  value of the goal lies in it, as the goal falls along axis 0; ``.`` that it is settled by itself.

Why this is enough. Let D be the closed region of the box, P the points of D where all facts hold.
Boxes settled by themselves (``.``, wells, proofs) show goal >= 0 (> 0) at each of their points in P
where the goal has a value. Let G be the union of the other, *global* boxes met first on each path
from the root: those of ``a``, and those from which ``<A`` leaves a face. On these all facts hold
with >, so G is in P, and the goal is continuous. G is compact, so if it is not empty the goal has a
least value m on G. Let it be attained at y. Where a face was left, the foot of y on it is in the
same box of G and has a value <= m, so it may be taken for y; thus y ends up in a box settled by
itself, and then m >= 0 (> 0), or in a box of ``a``. In the latter case, if y also is in a box
settled by itself or outside the facts, again m >= 0 (> 0), as y is in P. If it is in none, a whole
neighbourhood of y in D belongs to G, and y can be moved a little in the direction in which the goal
falls at y, for which there is room in D: but no value on G is below m. So goal >= 0 (> 0) on P.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType
from typing import Any

from flint import ctx

from proofs_check.recheck.balls import exact
from proofs_check.recheck.cover import Box, Cover, everywhere
from proofs_check.recheck.entries import fraction
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.kernel import Proof, Rule
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Sequent, Side
from proofs_check.recheck.wells import Well, check_well

_MOST_BITS = 512
_MOST_WELLS = 40
_MOST_PEELS = 40
_MOST_PENDING = 1_500
_DEEPEST = 80


def boxes(s: Sequent, p: Proof) -> None:
    """Every box of a tree that covers the region is settled; integrality is not used."""
    root = _box(p.get("box"))
    domain = _domain(s, root)
    if domain is None:
        return
    with ctx.workprec(_bits(p)):
        cover = Cover(replace(s, integers=frozenset()), domain, p.budget)
        for ends in _limited(p, "peels", _MOST_PEELS):
            cover.add_peel(_ends(ends, root))
        tree = _Tree(cover, s, p, tuple(root), _wells(p, cover))
        tree.node(p.get("tree"), root, 0)


def _domain(s: Sequent, root: Box) -> Box | None:
    """The closed sides of the region, all within the root; None when the region is empty."""
    used = s.goal.variables().union(*(fact.expression.variables() for fact in s.facts))
    domain = {}
    for name, side in s.box:
        if side.empty:
            return None
        if name not in root:
            if name in used:
                raise Rejected(f"no range for {name}")
            continue
        if side.low is None or side.high is None:
            raise Rejected(f"{name} is not bounded")
        low, high = root[name]
        if not low <= side.low <= side.high <= high:
            raise Rejected(f"the box does not hold all of {name}")
        domain[name] = (side.low, side.high)
    if set(domain) != set(root):
        raise Rejected("the box has variables that are not there")
    return {name: domain[name] for name in root}


@dataclass(frozen=True)
class _Tree:
    """The walk over the tree; boxes are cut down to the domain when they are settled."""

    cover: Cover
    sequent: Sequent
    proof: Proof
    names: tuple[str, ...]
    wells: tuple[Box, ...]

    def node(self, node: Any, box: Box, depth: int) -> None:
        """Settle a box."""
        if depth > _DEEPEST:
            raise Rejected(f"boxes nested deeper than {_DEEPEST}")
        if isinstance(node, str):
            self.text(node, box)
        elif isinstance(node, Mapping):
            self.proved(self.proof.of(node), box)
        elif isinstance(node, list) and len(node) == 2 and node[0] == "well":
            self.in_well(node[1], box)
        elif isinstance(node, list) and len(node) == 5 and node[0] == "split":
            name, at = self.axis(node[1]), fraction(node[2])
            low, high = box[name]
            if not low <= at <= high:
                raise Rejected(f"the cut of {name} lies outside the box")
            self.node(node[3], {**box, name: (low, at)}, depth + 1)
            self.node(node[4], {**box, name: (at, high)}, depth + 1)
        else:
            raise Rejected("no node of a cover")

    def axis(self, name: Any) -> str:
        """A variable of the box."""
        if not isinstance(name, str) or name not in self.names:
            raise Rejected("a cut needs a variable of the box")
        return name

    def inside(self, box: Box) -> Box | None:
        """The part of the box in the domain."""
        found = {}
        for name, (a, b) in box.items():
            low, high = self.cover.domain[name]
            found[name] = (max(a, low), min(b, high))
            if found[name][0] > found[name][1]:
                return None
        return found

    def proved(self, proof: Proof, box: Box) -> None:
        """A proof on the closed box, which may be more than the part of it in the region."""
        part = self.inside(box)
        if part is None:
            return
        s = self.sequent
        sides = {n: Side(a, b) for n, (a, b) in part.items()}
        within = all(n not in sides or sides[n].within(side) for n, side in s.box)
        sides = {n: sides.get(n, side) for n, side in s.box}
        defined = s.defined and within and not s.integers
        smaller = replace(s, box=tuple(sides.items()), integers=frozenset(), defined=defined)
        proof.check(smaller)

    def in_well(self, index: Any, box: Box) -> None:
        """The box lies in a well."""
        if type(index) is not int or not 0 <= index < len(self.wells):
            raise Rejected("no such well")
        part, well = self.inside(box), self.wells[index]
        if part is not None and not _within(part, well):
            raise Rejected("a box that should lie in a well does not")

    def text(self, text: str, box: Box) -> None:
        """Settle a box by a text."""
        pending = [box]
        signs = iter(text)
        for sign in signs:
            if not pending:
                raise Rejected("the text of a cover is too long")
            box = pending.pop()
            if sign in "<>":
                pending.append(self.dropped(box, self.axis_of(next(signs, "")), sign == ">"))
            elif sign in ascii_uppercase:
                name = self.axis_of(sign)
                low, high = box[name]
                middle = (low + high) / 2
                pending.append({**box, name: (middle, high)})
                pending.append({**box, name: (low, middle)})
            else:
                self.settled(box, sign)
            if len(pending) > _MOST_PENDING:
                raise Rejected("the text of a cover cuts too often")
        if pending:
            raise Rejected("the text of a cover is too short")

    def axis_of(self, letter: str) -> str:
        """The variable of a capital letter."""
        index = ascii_uppercase.find(letter) if len(letter) == 1 else -1
        if not 0 <= index < len(self.names):
            raise Rejected("a letter of a cover that is no variable")
        return self.names[index]

    def dropped(self, box: Box, name: str, high: bool) -> Box:
        """The face that remains."""
        part = self.inside(box)
        if part is None:
            return box
        if not self.cover.falls_to(part, name, int(high)):
            raise Rejected(f"the goal does not fall towards the face of {name} on {_said(box)}")
        end = part[name][int(high)]
        return {**part, name: (end, end)}

    def settled(self, box: Box, sign: str) -> None:
        """A box at the end of the tree."""
        part = self.inside(box)
        if part is None:
            return
        cover = self.cover
        if sign == ".":
            fine = cover.holds(part)
        else:
            name = self.axis_of(sign.upper() if sign in ascii_lowercase else "")
            fine = everywhere(
                part, cover.domain, lambda b: cover.escapes(b, name) or cover.settles(b)
            )
        if not fine:
            raise Rejected(f"nothing settles the box {_said(part)}")


def _within(box: Box, other: Box) -> bool:
    return all(other[n][0] <= a and b <= other[n][1] for n, (a, b) in box.items())


def _said(box: Box) -> str:
    def short(value: Fraction) -> str:
        return str(exact(value).str(6, radius=False))

    return ", ".join(f"{short(a)} <= {n} <= {short(b)}" for n, (a, b) in box.items())


# --- reading ----------------------------------------------------------------------------------
def _wells(p: Proof, cover: Cover) -> tuple[Box, ...]:
    found = []
    for data in _limited(p, "wells", _MOST_WELLS):
        if not isinstance(data, Mapping):
            raise Rejected("a well must be an object")
        box, ends, point = _box(data.get("box")), data.get("ends"), data.get("point")
        if set(box) != set(cover.names):
            raise Rejected("a well needs the variables of the box")
        if not isinstance(ends, Mapping) or not isinstance(point, Mapping):
            raise Rejected("a well needs ends and a point")
        if any(type(end) is not int or end not in (0, 1) for end in ends.values()):
            raise Rejected("an end is 0 or 1")
        places = {str(name): read_expression(text) for name, text in point.items()}
        check_well(cover, Well(box, ends, places))
        found.append(box)
    return tuple(found)


def _limited(p: Proof, key: str, most: int) -> list[Any]:
    found = p.items(key) if key in p.data else []
    if len(found) > most:
        raise Rejected(f"more than {most} {key}")
    return found


def _ends(data: Any, root: Box) -> list[tuple[str, int, int]]:
    if not isinstance(data, list):
        raise Rejected("a list of faces is needed")
    found = []
    for one in data:
        good = isinstance(one, list) and len(one) == 3 and isinstance(one[0], str)
        if not good or one[0] not in root or type(one[1]) is not int or type(one[2]) is not int:
            raise Rejected("a face is a variable, an end and an order")
        if one[1] not in (0, 1):
            raise Rejected("an end is 0 or 1")
        found.append((one[0], one[1], one[2]))
    return found


def _bits(p: Proof) -> int:
    found = p.data.get("bits", 64)
    if type(found) is not int or not 53 <= found <= _MOST_BITS:
        raise Rejected("the precision is no small whole number")
    return found


def _box(data: Any) -> Box:
    if not isinstance(data, list):
        raise Rejected("a box must be a list of sides")
    box: Box = {}
    for side in data:
        if not isinstance(side, list) or len(side) != 3 or not isinstance(side[0], str):
            raise Rejected("a side is a name and two ends")
        if side[0] in box:
            raise Rejected(f"two sides of {side[0][:40]}")
        box[side[0]] = (fraction(side[1]), fraction(side[2]))
    return box


RULES: Mapping[str, Rule] = MappingProxyType({"boxes": boxes})
