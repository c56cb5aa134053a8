"""An inequality in normal form: f >= 0 (or f > 0) on a box, under further constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import BoundsError
from proofs_check.arithmetic.condition import (
    Comparison,
    Condition,
    Membership,
    conjuncts,
    symbols,
)
from proofs_check.arithmetic.expand import expanded
from proofs_check.arithmetic.tree import Node, literal

__all__ = [
    "Constraint",
    "Interval",
    "Problem",
    "ProblemError",
    "literal",
    "make_problems",
    "problem_from_text",
]


class ProblemError(BoundsError, ValueError):
    """A relation and hypotheses that do not make a problem; the message says what to write."""


@dataclass(frozen=True)
class Interval:
    """Real numbers from ``low`` to ``high``; None is an infinite end, always open."""

    low: Fraction | None = None
    high: Fraction | None = None
    open_low: bool = False
    open_high: bool = False

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

    def contains(self, value: Fraction) -> bool:
        """Whether ``value`` lies in it."""
        above = self.low is None or value > self.low or (value == self.low and not self.open_low)
        below = (
            self.high is None or value < self.high or (value == self.high and not self.open_high)
        )
        return above and below

    def intersected(self, other: Interval) -> Interval:
        """The numbers in both; an end is open if it is open in the one that sets it."""
        low, open_low = _tighter(
            (self.low, self.open_low), (other.low, other.open_low), upwards=True
        )
        high, open_high = _tighter(
            (self.high, self.open_high), (other.high, other.open_high), upwards=False
        )
        return Interval(low, high, open_low, open_high)


End = tuple[Fraction | None, bool]


def _tighter(first: End, second: End, *, upwards: bool) -> End:
    (a, a_open), (b, b_open) = first, second
    if a is None or b is None:
        return second if a is None else first
    if a == b:
        return a, a_open or b_open
    return first if (a > b) == upwards else second


@dataclass(frozen=True)
class Constraint:
    """``expression >= 0``, or ``> 0`` when strict: a hypothesis that is no plain range."""

    expression: Node
    strict: bool

    def __str__(self) -> str:
        return f"{self.expression} {'>' if self.strict else '>='} 0"


@dataclass(frozen=True)
class Problem:
    """Show ``goal >= 0`` (``> 0`` when strict) for all variables in the box that meet all
    constraints; ``integers`` names the variables that run through whole numbers only.
    """

    goal: Node
    strict: bool
    box: tuple[tuple[str, Interval], ...]
    constraints: tuple[Constraint, ...] = ()
    integers: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the box."""
        return tuple(name for name, _ in self.box)

    def interval(self, name: str) -> Interval:
        """The range of one variable."""
        return dict(self.box)[name]


def make_problems(relation: Condition, hypotheses: Sequence[Condition]) -> tuple[Problem, ...]:
    """The problems whose conjunction is the relation (an equality makes two, a chain several).

    Hypotheses that compare a variable with a rational number go into the box, the others become
    constraints; ``or`` and ``implies`` are not covered here.

    Raises:
        ProblemError: a part of the relation or of a hypothesis is not covered.
    """
    parts = [part for hypothesis in hypotheses for part in conjuncts(hypothesis)]
    names = sorted({n for c in (relation, *parts) for n in symbols(c)})
    box: dict[str, Interval] = dict.fromkeys(names, Interval())
    constraints: list[Constraint] = []
    integers: set[str] = set()
    for part in parts:
        if isinstance(part, Membership):
            integers.add(part.name)
            if part.integers == "N":
                box[part.name] = box[part.name].intersected(Interval(low=Fraction(1)))
        elif isinstance(part, Comparison) and part.sign != "!=":
            _add_comparison(part, box, constraints)
        else:
            raise ProblemError(f"the hypothesis {part} is not covered; give comparisons and `and`")
    return tuple(
        Problem(goal, strict, tuple(box.items()), tuple(constraints), frozenset(integers))
        for goal, strict in _goals(relation)
    )


def _goals(relation: Condition) -> Iterable[tuple[Node, bool]]:
    for part in conjuncts(relation):
        if not isinstance(part, Comparison) or part.sign == "!=":
            raise ProblemError(f"{part} is not an inequality; write <=, <, >=, > or ==")
        left, right = expanded(part.left), expanded(part.right)
        yield right - left, part.sign == "<"
        if part.sign == "=":
            yield left - right, False


def _add_comparison(
    part: Comparison, box: dict[str, Interval], constraints: list[Constraint]
) -> None:
    ranges = _as_range(part)
    if ranges is not None:
        name, interval = ranges
        box[name] = box[name].intersected(interval)
        return
    left, right = expanded(part.left), expanded(part.right)
    constraints.append(Constraint(right - left, part.sign == "<"))
    if part.sign == "=":
        constraints.append(Constraint(left - right, False))


def _as_range(part: Comparison) -> tuple[str, Interval] | None:
    """(name, interval) of a comparison between a variable and a rational number."""
    strict = part.sign == "<"
    left, right = literal(part.left), literal(part.right)
    if part.left.op == "symbol" and right is not None:
        low = right if part.sign == "=" else None
        return str(part.left.value), Interval(low, right, False, strict)
    if part.right.op == "symbol" and left is not None:
        high = left if part.sign == "=" else None
        return str(part.right.value), Interval(left, high, strict, False)
    return None


def problem_from_text(claim: str, ranges: Mapping[str, tuple[str, str, bool, bool]]) -> Problem:
    """A problem from a relation as text and ``{name: (low, high, open_low, open_high)}``.

    ``inf`` and ``-inf`` are infinite ends. Raises ProblemError when the text holds several goals.
    """
    from proofs_check.arithmetic.grammar import parse_condition

    box = {
        name: Interval(_end(low), _end(high), open_low, open_high)
        for name, (low, high, open_low, open_high) in ranges.items()
    }
    goals = list(_goals(parse_condition(claim)))
    if len(goals) != 1:
        raise ProblemError(f"{claim} holds {len(goals)} inequalities; give one")
    ((goal, strict),) = goals
    return Problem(goal, strict, tuple(box.items()))


def _end(text: str) -> Fraction | None:
    return None if text in ("inf", "-inf") else Fraction(text)
