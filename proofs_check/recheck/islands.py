"""Tighter enclosures: polynomial parts in which a variable occurs more than once come first.

Such a part (an "island") is enclosed by its range, by its slopes (a variable with a slope of one
sign goes to an end of its side) and by the mean value form; the rest of the expression sees it as a
variable of its own. Polynomials have values and derivatives everywhere, so each of these holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flint import arb

from proofs_check.recheck.balls import Box, Program, exact
from proofs_check.recheck.derivative import derivative
from proofs_check.recheck.enclosures import Pair
from proofs_check.recheck.expression import Expr, add, mul, rebuilt, var
from proofs_check.recheck.horner import shortest

_LARGEST_POWER = 12
_MOST_NODES = 400


@dataclass(frozen=True)
class Island:
    """A polynomial, and its slopes along the variables in it."""

    value: Program
    slopes: Program
    names: tuple[str, ...]

    @classmethod
    def of(cls, polynomial: Expr) -> Island:
        """The programs of a polynomial, in a short form where there is one."""
        names = tuple(sorted(polynomial.variables()))
        value, slopes = shortest(polynomial) or (
            polynomial,
            [derivative(polynomial, name) for name in names],
        )
        return cls(Program([value]), Program(slopes), names)

    def enclose(self, values: Mapping[str, Pair]) -> Pair:
        """All values of the polynomial on a box."""
        low, high = self.value.pairs(values)[0]
        slopes = dict(zip(self.names, self.slopes.pairs(values), strict=True))
        below, above = dict(values), dict(values)
        for name, (a, b) in slopes.items():
            start, end = values[name]
            if a >= 0:
                below[name], above[name] = (start, start), (end, end)
            elif b <= 0:
                below[name], above[name] = (end, end), (start, start)
        first, second = self._mean(below, slopes), self._mean(above, slopes)
        return low.max(first[0]), high.min(second[1])

    def _mean(self, values: Mapping[str, Pair], slopes: Mapping[str, Pair]) -> Pair:
        """Range and mean value form where some variables are points already."""
        low, high = self.value.pairs(values)[0]
        middle, spread = dict(values), arb(0)
        for name, (a, b) in slopes.items():
            start, end = values[name]
            if bool(start == end) or start is end:
                continue
            centre = arb(((start + end) / 2).mid())
            middle[name] = (centre, centre)
            reach = (centre - start).max(end - centre).max(arb(0))
            spread = spread + (-a).max(b) * reach
        if not (spread.is_finite() and bool(spread > 0)):
            return low, high
        value = self.value.pairs(middle)[0]
        return low.max(value[0] - spread), high.min(value[1] + spread)


class Tight:
    """Expressions with their islands; like :class:`Program`, slower and tighter."""

    def __init__(self, expressions: Sequence[Expr]) -> None:
        found: dict[Expr, str] = {}
        outer = [_cut(expression, found) for expression in expressions]
        self.islands = [(name, Island.of(part)) for part, name in found.items()]
        self.outer = Program(outer)

    def run(self, box: Box, *, clamp: bool = False) -> list[Pair]:
        """The pairs of all expressions on a box, at the precision in force."""
        values: dict[str, Pair] = {n: (exact(a), exact(b)) for n, (a, b) in box.items()}
        inner = {name: island.enclose(values) for name, island in self.islands}
        return self.outer.pairs({**values, **inner}, clamp=clamp)


def _cut(root: Expr, found: dict[Expr, str]) -> Expr:
    """The expression with its islands as variables, whose names no certificate can write."""
    whole = _polynomials(root)
    done: dict[Expr, Expr] = {}

    def island(part: Expr) -> Expr:
        if not _repeats(part):
            return part
        return var(found.setdefault(part, f"island {len(found)}"))

    for node in root.nodes():
        if whole[node]:
            done[node] = node
            continue
        inner = [a for a in node.args if whole[a]]
        rest = [done[a] for a in node.args if not whole[a]]
        # Several factors that are sums stay apart: their product may be large.
        sums = sum(a.op not in ("num", "var") for a in inner)
        if node.op == "+" and len(inner) > 1:
            done[node] = add(island(add(*inner)), *rest)
        elif node.op == "*" and len(inner) > 1 and sums < 2:
            done[node] = mul(island(mul(*inner)), *rest)
        else:
            done[node] = rebuilt(node, tuple(island(a) if whole[a] else done[a] for a in node.args))
    return island(root) if whole[root] else done[root]


def _polynomials(root: Expr) -> dict[Expr, bool]:
    """Which parts are polynomials as written."""
    found: dict[Expr, bool] = {}
    for node in root.nodes():
        if node.op in ("num", "var"):
            found[node] = True
        elif node.op in ("+", "*"):
            found[node] = all(found[a] for a in node.args)
        else:
            power = node.args[1].number if node.op == "^" else None
            whole = power is not None and power.denominator == 1 and 0 < power <= _LARGEST_POWER
            found[node] = whole and found[node.args[0]]
    return found


def _repeats(polynomial: Expr) -> bool:
    """Whether a variable occurs more than once, in a part that is not too large."""
    counts: Counter[Expr] = Counter()
    stack, nodes = [polynomial], 0
    while stack:
        node = stack.pop()
        nodes += 1
        if nodes > _MOST_NODES:
            return False
        counts[node] += node.op == "var"
        stack.extend(node.args)
    return any(count > 1 for count in counts.values())
