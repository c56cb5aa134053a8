"""Single boxes of a cover: why the goal is >= 0 on one, or why its least value is elsewhere.

*Local* arguments show goal >= 0 (> 0) at every point of the closed box where the goal has a value
and the facts hold, whatever happens elsewhere. *Global* boxes may only be used in a cover of the
whole region (see the rule ``boxes``): on a *global* box all facts hold with > and the goal is
continuous, by enclosures that allow no undefined point; it is a ``slope`` box, which holds no least
value of the goal, or is ``dropped`` to a face.

Slopes of abs, min and max enclose all slopes at a kink (Clarke), so that mean values and the
direction of descent hold there; a goal with jumps (floor, sign, choose) has no slopes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from proofs_check.recheck import normal
from proofs_check.recheck.balls import Program, exact, finite, good
from proofs_check.recheck.derivative import derivative
from proofs_check.recheck.enclosures import Pair
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import JUMPS, KINKS, Expr, neg, num, replaced, var
from proofs_check.recheck.islands import Tight
from proofs_check.recheck.kernel import Budget
from proofs_check.recheck.sequent import Sequent, Side

Box = dict[str, tuple[Fraction, Fraction]]
_DEEPEST = 7
_HIGHEST_ORDER = 6
_Enclosure = Program | Tight


def halves(box: Box, scale: Box) -> Iterator[Box]:
    """Both halves along the side that is longest beside ``scale``; none for a point."""
    sides = {n: (a, b, scale[n][1] - scale[n][0]) for n, (a, b) in box.items() if a < b}
    lengths = {n: (b - a) / size if size else b - a for n, (a, b, size) in sides.items()}
    if lengths:
        name = max(lengths, key=lambda n: lengths[n])
        a, b = box[name]
        middle = (a + b) / 2
        yield {**box, name: (a, middle)}
        yield {**box, name: (middle, b)}


def everywhere(box: Box, scale: Box, test: Callable[[Box], bool], depth: int = _DEEPEST) -> bool:
    """Whether a test succeeds on the pieces of a box, which is halved where it does not."""
    if test(box):
        return True
    parts = list(halves(box, scale)) if depth else []
    return bool(parts) and all(everywhere(part, scale, test, depth - 1) for part in parts)


@dataclass(frozen=True)
class Peel:
    """The goal as an iterated integral: ``steps`` are what must have values, ``last`` be >= 0."""

    ends: tuple[tuple[str, int], ...]
    steps: Program
    last: Expr

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables of the integrand."""
        return tuple(sorted(self.last.variables()))

    @cached_property
    def slopes(self) -> tuple[Program, Tight] | None:
        """First derivatives of the integrand."""
        found = slopes_of(self.last, self.names)
        return None if found is None else (Program(found), Tight(found))

    @cached_property
    def plain(self) -> Program:
        """The integrand alone."""
        return Program([self.last])

    @cached_property
    def tight(self) -> Tight:
        """The integrand alone, tighter."""
        return Tight([self.last])


def slopes_of(expression: Expr, names: Sequence[str]) -> list[Expr] | None:
    """First derivatives; None where there are none or the expression may jump."""
    if any(node.op in JUMPS for node in expression.nodes()):
        return None
    try:
        return [derivative(expression, name) for name in names]
    except Rejected:
        return None


def lowest_part_good(
    values: Program, sharp: Tight, box: Box, slopes: dict[str, Pair], *, strict: bool
) -> bool:
    """Whether a function is >= 0 (> 0) on a box on which it has values and these slopes.

    It is least where the variables with a slope of one sign are at an end; there the mean value
    form from the middle, or the range, decides.
    """
    if not all(finite(slope) for name, slope in slopes.items() if box[name][0] < box[name][1]):
        return False
    part = dict(box)
    for name, (below, above) in slopes.items():
        a, b = box[name]
        if below >= 0:
            part[name] = (a, a)
        elif above <= 0:
            part[name] = (b, b)
    total = values.run({n: ((a + b) / 2, (a + b) / 2) for n, (a, b) in part.items()})[0][0]
    for name, (below, above) in slopes.items():
        a, b = part[name]
        if a < b:
            total = total - (-below).max(above) * exact((b - a) / 2)
    if good((total, total), strict):
        return True
    return part != box and good(sharp.run(part)[0], strict)


class Cover:
    """The goal of a sequent on the closed box ``domain``."""

    def __init__(self, sequent: Sequent, domain: Box, budget: Budget) -> None:
        self.goal, self.strict = sequent.goal, sequent.strict
        self.sequent, self.domain, self.budget = sequent, domain, budget
        self.names = tuple(domain)
        parts = [self.goal, *(fact.expression for fact in sequent.facts)]
        self.values = Program(parts)
        self.sharp = Tight(parts)
        self.peels: list[Peel] = []
        self._vanishing: dict[tuple[Expr, str, Fraction], bool] = {}

    @cached_property
    def gradient(self) -> list[Expr] | None:
        """First derivatives, None where the goal may jump or has no derivative."""
        return slopes_of(self.goal, self.names)

    @cached_property
    def slopes(self) -> tuple[Program, Tight] | None:
        """Enclosures of all first derivatives."""
        return None if self.gradient is None else (Program(self.gradient), Tight(self.gradient))

    @cached_property
    def single(self) -> dict[str, tuple[Program, Tight]]:
        """Enclosures of each first derivative alone."""
        pairs = zip(self.names, self.gradient or (), strict=False)
        return {name: (Program([slope]), Tight([slope])) for name, slope in pairs}

    # --- local arguments ---------------------------------------------------------------------
    def holds(self, box: Box) -> bool:
        """Whether a local argument settles the box or, after bisection, all its parts."""
        return everywhere(box, self.domain, self.settles)

    def settles(self, box: Box) -> bool:
        """Whether a local argument settles the box as it is; cheap ones first."""
        self.budget.spend()
        if self.by_range(self.values, box) or self.on_face(box):
            return True
        if all(a == b for a, b in box.values()):
            return self.at_point(box)
        if self.by_peel(box, sharp=False) or self.by_slopes(box, sharp=False):
            return True
        return (
            self.by_range(self.sharp, box)
            or self.by_slopes(box, sharp=True)
            or self.by_peel(box, sharp=True)
        )

    def by_range(self, enclosure: _Enclosure, box: Box) -> bool:
        """A fact fails on the whole box, or the goal is good wherever it has a value."""
        goal, *facts = enclosure.run(box, clamp=True)
        return good(goal, self.strict) or self.fails(facts)

    def fails(self, facts: list[Pair]) -> bool:
        """Whether a fact is false at every point where it has a value."""
        for fact, (_, high) in zip(self.sequent.facts, facts, strict=True):
            if high.is_finite() and bool(high <= 0 if fact.strict else high < 0):
                return True
        return False

    def on_face(self, box: Box) -> bool:
        """The box lies in a plane on which the goal is 0 wherever it has a value."""
        if self.strict:
            return False
        ends = [(n, a) for n, (a, b) in box.items() if a == b and a in self.domain[n]]
        return any(self.vanishes(self.goal, name, place) for name, place in ends)

    def vanishes(self, expression: Expr, name: str, place: Fraction) -> bool:
        """Whether an expression is 0 for name = place, within the closed domain."""
        key = (expression, name, place)
        if key not in self._vanishing:
            sides = {n: Side(a, b) for n, (a, b) in self.domain.items() if n != name}
            put = replaced(expression, {var(name): num(place)})
            self._vanishing[key] = normal.vanishes(put, sides)
        return self._vanishing[key]

    def at_point(self, box: Box) -> bool:
        """The exact sign of the goal at a point."""
        values = {var(name): num(a) for name, (a, _) in box.items()}
        found = normal.sign(replaced(self.goal, values))
        return found is not None and (found > 0 or (found == 0 and not self.strict))

    def by_slopes(self, box: Box, *, sharp: bool) -> bool:
        """Monotone variables at their ends, the mean value form in the others."""
        enclosure = self.sharp if sharp else self.values
        if self.slopes is None or not finite(enclosure.run(box)[0]):
            return False
        slopes = dict(zip(self.names, self.slopes[sharp].run(box), strict=True))
        return lowest_part_good(self.values, self.sharp, box, slopes, strict=self.strict)

    # --- integrals from faces ----------------------------------------------------------------
    def add_peel(self, ends: Sequence[tuple[str, int, int]]) -> None:
        """The goal and its derivatives along a variable vanish on a face, and so on.

        ``ends`` are (variable, 0 for the low or 1 for the high end, order): the expression so far
        and its first order-1 derivatives in the variable are 0 on the face; then it is an iterated
        integral, from the face, of the derivative of that order, wherever all of them are
        continuous; from a high end each integral changes the sign.

        Raises:
            Rejected: something does not vanish, or has no derivative.
        """
        kinds = {node.op for node in self.goal.nodes()}
        if self.strict or kinds & JUMPS or (kinds & KINKS and sum(n for _, _, n in ends) != 1):
            raise Rejected("an integral from a face needs a smooth goal and >=")
        steps, last = [], self.goal
        if len({name for name, _, _ in ends}) < len(ends) or not ends:
            raise Rejected("an integral needs different variables")
        for name, end, order in ends:
            if not 0 < order <= _HIGHEST_ORDER:
                raise Rejected("the order of an integral must be small and positive")
            for _ in range(order):
                if not self.vanishes(last, name, self.domain[name][end]):
                    raise Rejected(f"no integral from a face of {name}: not 0 there")
                steps.append(last)
                last = derivative(last, name)
                last = neg(last) if end else last
        pairs = tuple((name, end) for name, end, _ in ends)
        self.peels.append(Peel(pairs, Program([*steps, last]), last))

    def by_peel(self, box: Box, *, sharp: bool) -> bool:
        """Whether the integrand of a peel is >= 0 from the faces up to the box."""
        for peel in self.peels:
            hull = dict(box)
            for name, end in peel.ends:
                a, b = box[name]
                hull[name] = (a, self.domain[name][1]) if end else (self.domain[name][0], b)
            if self._integrand(peel, hull, sharp):
                return True
        return False

    def _integrand(self, peel: Peel, hull: Box, sharp: bool) -> bool:
        found = peel.steps.run(hull)
        if not all(map(finite, found)):
            return False
        if good(found[-1], strict=False) or (sharp and good(peel.tight.run(hull)[0], strict=False)):
            return True
        if peel.slopes is None:
            return False
        slopes = dict(zip(peel.names, peel.slopes[sharp].run(hull), strict=True))
        return lowest_part_good(peel.plain, peel.tight, hull, slopes, strict=False)

    # --- global arguments --------------------------------------------------------------------
    def inner(self, box: Box) -> bool:
        """All facts hold with > on the box and the goal has a value throughout, without jumps."""
        if self.gradient is None:
            return False
        self.budget.spend()
        for enclosure in (self.values, self.sharp):
            goal, *facts = enclosure.run(box)
            if finite(goal) and all(good(fact, strict=True) for fact in facts):
                return True
        return False

    def escapes(self, box: Box, name: str) -> bool:
        """The goal falls along a variable, with room to follow it inside the domain."""
        if not self.inner(box):
            return False
        (a, b), (low, high) = box[name], self.domain[name]
        for enclosure in self.single[name]:
            slope = enclosure.run(box)[0]
            if finite(slope) and bool((slope[0] > 0 and a > low) or (slope[1] < 0 and b < high)):
                return True
        return False

    def falls_to(self, box: Box, name: str, end: int) -> bool:
        """The goal is monotone in a variable on the box, and least at an end of its side."""

        def steep(part: Box) -> bool:
            slopes = (enclosure.run(part)[0] for enclosure in self.single[name])
            return any(finite(s) and bool(s[1] <= 0 if end else s[0] >= 0) for s in slopes)

        return self.inner(box) and everywhere(box, self.domain, steep, 3)
