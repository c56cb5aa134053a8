"""The smallest constant with which an inequality holds, as a certified enclosure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx

from bounds.errors import BoundsError
from bounds.status import Status
from proofs_check.arithmetic.condition import Comparison
from proofs_check.arithmetic.derivative import derivative
from proofs_check.arithmetic.floats import Floats
from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import PI, TWO, ZERO, E, Node, call, number
from proofs_check.methods.inequality.cases import as_condition
from proofs_check.methods.inequality.engine import decide
from proofs_check.methods.inequality.points import Point, sign_at, simple_points
from proofs_check.methods.inequality.problem import Problem, make_problems
from proofs_check.methods.inequality.search import descend, landscape, polish, starts

_DENOMINATORS = (1, 2, 4, 10, 100, 1000)
_CLOSE = 1e-7  # how far a simple constant may be from the one that the search finds, relatively
_WIDENINGS = 18
_UNBOUNDED = 1e8


class NoConstant(BoundsError, ValueError):
    """The inequality is not of the form lhs <= c rhs with rhs >= 0, or no constant was proved."""


@dataclass(frozen=True)
class BestConstant:
    """``low <= c* <= high`` for the smallest constant c*; ``exact`` is a tree with
    the value of ``high`` when that is a closed form; ``attained`` an exact point with
    lhs = c rhs > 0 for c = ``exact``, which shows c* = ``exact``; ``refuting`` one where ``low``
    fails.
    """

    low: Fraction
    high: Fraction
    exact: Node | None
    attained: Point | None
    refuting: Point | None


def best_constant(
    relation: Any,
    symbol: str = "c",
    region: Sequence[Any] = (),
    *,
    width: Fraction = Fraction(1, 10**6),
    seed: int = 0,
    work: int | None = None,
) -> BestConstant:
    """The smallest c for which ``lhs <= c*rhs`` holds on the region.

    >>> print(best_constant("x*(1 - x) <= c", region=["0 <= x <= 1"]).exact)
    1/4

    Args:
        relation: one comparison as text, SymPy relation or condition, in which ``symbol`` occurs
            to the first power on the larger side.
        width: relative width of the enclosure aimed at, where the constant has no simple form.

    Raises:
        NoConstant: the form is another, rhs may be negative, or no constant could be proved.
    """
    claim = as_condition(relation)
    if not isinstance(claim, Comparison) or claim.sign == "=":
        raise NoConstant(f"{claim} is not one inequality; write lhs <= {symbol}*rhs")
    slope = _slope(claim, symbol)
    hypotheses = [as_condition(one) for one in region]
    asker = _Asker(claim, symbol, tuple(hypotheses), seed, work)
    if decide(asker.plain(slope), seed=seed, work=work).status is not Status.PROVED:
        raise NoConstant(f"could not show that {slope} >= 0: the claim may fail for large {symbol}")
    guess, places = asker.largest_ratio(slope)
    return asker.enclosure(slope, guess, places, width)


def _slope(claim: Comparison, symbol: str) -> Node:
    slope = derivative(claim.right - claim.left, symbol)
    if slope == ZERO or symbol in slope.symbols():
        raise NoConstant(f"{symbol} must occur to the first power in {claim}")
    return slope


@dataclass(frozen=True)
class _Asker:
    """The claim with its constant still open."""

    claim: Comparison
    symbol: str
    hypotheses: tuple[Any, ...]
    seed: int
    work: int | None

    def problem(self, constant: Node) -> Problem:
        """The claim with a constant put in."""
        values = {self.symbol: constant}
        left, right = self.claim.left.replaced(values), self.claim.right.replaced(values)
        found = make_problems(Comparison(self.claim.sign, left, right), self.hypotheses)
        return found[0]

    def plain(self, goal: Node) -> Problem:
        """``goal >= 0`` on the region."""
        return replace(self.problem(ZERO), goal=goal, strict=False)

    def holds(self, constant: Node) -> bool:
        """Whether the claim is proved with the constant."""
        result = decide(self.problem(constant), seed=self.seed, work=self.work)
        return result.status is Status.PROVED

    def refuting(self, constant: Fraction) -> Point | None:
        """A certain counterexample to the claim with the constant."""
        result = decide(self.problem(number(constant)), seed=self.seed, work=self.work)
        return result.witness if result.status is Status.REFUTED else None

    def largest_ratio(self, slope: Node) -> tuple[float, Floats]:
        """The supremum of lhs/rhs that the search finds, and the points where it is largest."""
        problem = self.problem(ZERO)
        if not problem.box:
            raise NoConstant("the relation has no variable besides the constant")
        ratio = -problem.goal / slope
        land = landscape(problem, -ratio)
        rng = np.random.default_rng(self.seed)
        t = starts(land, 1024, rng)
        values = land.values(land.points(t))
        t = t[np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable")[:32]]
        t, _ = descend(land, t, rounds=60, rng=rng)
        t = np.concatenate([polish(land, t[:6]), t])
        x = land.points(t)
        x = x[np.argsort(np.where(np.isfinite(v := land.values(x)), v, np.inf), kind="stable")]
        ratios = [(_at(ratio, problem, row), i) for i, row in enumerate(x)]
        checked = [(value, i) for value, i in ratios if value is not None]
        if not checked:
            raise NoConstant("no point with a positive factor of the constant was found")
        checked.sort(key=lambda one: -one[0])
        if checked[0][0] > _UNBOUNDED:
            raise NoConstant(f"the constant needed seems to grow without bound, near {x[0]}")
        return checked[0][0], x[[i for _, i in checked]]

    def enclosure(self, slope: Node, guess: float, places: Floats, width: Fraction) -> BestConstant:
        """From a guess to certified ends: simple constants near it first, then wider ones."""
        step = width * max(abs(Fraction(guess)), Fraction(1, 10**6))
        for candidate in _simple_constants(guess):
            if self.holds(candidate):
                attained = self.attained(candidate, slope, places)
                high = _upper(candidate)
                if attained is not None and isinstance(candidate.value, Fraction):
                    return BestConstant(high, high, candidate, attained, None)
                low, point = self.lower(high, step)
                return BestConstant(low, high, candidate, attained, point)
        for i in range(_WIDENINGS):
            high = (Fraction(guess) + step * 2**i).limit_denominator(10**12)
            if self.holds(number(high)):
                low, point = self.lower(Fraction(guess), step)
                return BestConstant(low, high, None, None, point)
        raise NoConstant(f"no constant near {guess:.6g} could be proved; give a smaller region")

    def lower(self, near: Fraction, step: Fraction) -> tuple[Fraction, Point | None]:
        """A constant below ``near`` that is certainly too small, and the point that shows it."""
        for i in range(_WIDENINGS):
            low = (near - step * 2**i).limit_denominator(10**12)
            point = self.refuting(low)
            if point is not None:
                return low, point
        raise NoConstant(f"no constant below {float(near):.6g} could be refuted")

    def attained(self, constant: Node, slope: Node, places: Floats) -> Point | None:
        """An exact point with lhs = c rhs and rhs > 0."""
        problem = self.problem(constant)
        for row in places[:5]:
            for point in simple_points(problem, row):
                if sign_at(problem.goal, point) == 0 and sign_at(slope, point) == 1:
                    return point
        return None


def _at(ratio: Node, problem: Problem, row: Floats) -> float | None:
    """The ratio at the floats themselves, in balls: cancellation makes floats useless here."""
    point = list(simple_points(problem, row))[-1:]
    with ctx.workprec(256):
        for one in point:
            (value,) = compile_tape([ratio]).run({n: ball(x, x) for n, x in one.items()})
            if value.is_finite() and value.rad() < 1e-12:
                return float(value)
    return None


def _simple_constants(guess: float) -> Iterator[Node]:
    """Closed forms close to a float, simplest first."""
    exact = Fraction(guess)
    tried: set[Fraction] = set()
    for bound in _DENOMINATORS:
        value = exact.limit_denominator(bound)
        if abs(value - exact) <= _CLOSE * max(1e-3, abs(guess)) and value not in tried:
            tried.add(value)
            yield number(value)
    for unit, size in _units():
        share = Fraction(guess / size).limit_denominator(24)
        if share and abs(float(share) * size - guess) <= 1e-9 * abs(guess):
            yield unit if share == 1 else number(share) * unit


def _units() -> list[tuple[Node, float]]:
    roots = [call("sqrt", number(n)) for n in (2, 3, 5)]
    units = [PI, E, call("log", TWO), call("sqrt", PI), *roots]
    units += [number(1) / unit for unit in (PI, E, call("log", TWO), call("sqrt", PI))]
    tape = compile_tape(units)
    return [(unit, float(value)) for unit, value in zip(units, tape.run({}), strict=True)]


def _upper(constant: Node) -> Fraction:
    """A rational that is certainly not smaller."""
    if isinstance(constant.value, Fraction):
        return constant.value
    with ctx.workprec(128):
        (value,) = compile_tape([constant]).run({})
        digits = (value * 10**24).ceil().upper().floor().unique_fmpz()
        return Fraction(int(digits) + 1, 10**24)
