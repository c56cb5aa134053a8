"""The statements that rules prove: goal >= 0 on a region."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from proofs_check.recheck.expression import Expr, add, neg, num, replaced, var


@dataclass(frozen=True)
class Side:
    """Real numbers from ``low`` to ``high``; None is an infinite end, which is always open."""

    low: Fraction | None = None
    high: Fraction | None = None
    open_low: bool = False
    open_high: bool = False

    def contains(self, value: Fraction) -> bool:
        """Whether ``value`` lies in it."""
        above = self.low is None or value > self.low or (value == self.low and not self.open_low)
        below = (
            self.high is None or value < self.high or (value == self.high and not self.open_high)
        )
        return above and below

    def within(self, other: Side) -> bool:
        """Whether every number of it lies in ``other``."""
        low = other.low is None or (
            self.low is not None
            and (
                self.low > other.low
                or (self.low == other.low and (self.open_low or not other.open_low))
            )
        )
        high = other.high is None or (
            self.high is not None
            and (
                self.high < other.high
                or (self.high == other.high and (self.open_high or not other.open_high))
            )
        )
        return low and high

    def meet(self, other: Side) -> Side:
        """The numbers in both."""
        low, open_low = _end(self.low, self.open_low, other.low, other.open_low, upper=False)
        high, open_high = _end(self.high, self.open_high, other.high, other.open_high, upper=True)
        return Side(low, high, open_low, open_high)

    @property
    def empty(self) -> bool:
        """Whether no number lies in it."""
        if self.low is None or self.high is None:
            return False
        if self.low == self.high:
            return self.open_low or self.open_high
        return self.low > self.high

    @property
    def bounded(self) -> bool:
        """Whether both ends are finite."""
        return self.low is not None and self.high is not None


def _end(
    a: Fraction | None, a_open: bool, b: Fraction | None, b_open: bool, *, upper: bool
) -> tuple[Fraction | None, bool]:
    if a is None or b is None:
        return (b, b_open) if a is None else (a, a_open)
    if a == b:
        return a, a_open or b_open
    return (a, a_open) if (a < b) == upper else (b, b_open)


@dataclass(frozen=True)
class Fact:
    """A hypothesis ``expression >= 0`` (``> 0`` when strict); undefined means not met."""

    expression: Expr
    strict: bool


@dataclass(frozen=True)
class Sequent:
    """At every point of the region where the goal has a value: goal >= 0 (> 0 when strict).

    The region: each variable in its side of the box, the variables named in ``integers`` whole, all
    facts met. ``defined`` says that the goal is known to have a value at every point of the region;
    only the rule ``define`` sets it, and rules that need it ask for it. ``total`` adds to the
    statement that the goal has a value at every point of the region; ``define`` shows that.

    A region without points makes the statement true; that is why a certificate also carries a point
    that meets all hypotheses.
    """

    goal: Expr
    strict: bool
    box: tuple[tuple[str, Side], ...]
    facts: tuple[Fact, ...] = ()
    integers: frozenset[str] = frozenset()
    defined: bool = False
    total: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(name for name, _ in self.box)

    def side(self, name: str) -> Side:
        """The range of a variable."""
        return dict(self.box)[name]

    def showing(self, goal: Expr, strict: bool, *, defined: bool = False) -> Sequent:
        """Another goal on the same region."""
        return replace(self, goal=goal, strict=strict, defined=defined, total=False)

    def narrowed(self, name: str, side: Side) -> Sequent:
        """The part of the region where a variable lies in ``side`` too."""
        box = tuple((n, s.meet(side) if n == name else s) for n, s in self.box)
        return replace(self, box=box)

    def with_side(self, name: str, side: Side) -> Sequent:
        """Another range for a variable; definedness is forgotten unless the region shrinks."""
        shrinks = side.within(self.side(name))
        box = tuple((n, side if n == name else s) for n, s in self.box)
        return replace(self, box=box, defined=self.defined and shrinks)

    def assuming(self, *facts: Fact) -> Sequent:
        """The part of the region where more facts hold."""
        return replace(self, facts=(*self.facts, *facts))

    def put(self, name: str, value: Expr) -> Sequent:
        """The sequent with a variable replaced by an expression in the others, its range as facts.

        It implies this one at all points where the variable has that value. Definedness carries
        over when the value is a polynomial and the variable was not whole: the region is the same.
        """
        values = {var(name): value}
        ends = [Fact(replaced(f.expression, values), f.strict) for f in self.facts]
        ends += range_facts(value, self.side(name))
        box = tuple((n, s) for n, s in self.box if n != name)
        goal = replaced(self.goal, values)
        same = self.defined and name not in self.integers and everywhere(value)
        whole = self.integers - {name}
        return Sequent(goal, self.strict, box, tuple(ends), whole, defined=same, total=self.total)


def range_facts(value: Expr, side: Side) -> list[Fact]:
    """That a value lies in a side; without what is plain from a number."""
    found = []
    if side.low is not None:
        found.append(Fact(add(value, num(-side.low)), side.open_low))
    if side.high is not None:
        found.append(Fact(add(num(side.high), neg(value)), side.open_high))
    return [fact for fact in found if not _plain(fact)]


def _plain(fact: Fact) -> bool:
    known = fact.expression.number
    return known is not None and (known > 0 or (known == 0 and not fact.strict))


def everywhere(value: Expr) -> bool:
    """Whether an expression is a polynomial, which has a value everywhere."""
    return all(
        node.op in ("num", "var", "pi", "+", "*")
        or (node.op == "^" and _natural(node.args[1].number))
        for node in value.nodes()
    )


def _natural(exponent: Fraction | None) -> bool:
    return exponent is not None and exponent.denominator == 1 and exponent > 0
