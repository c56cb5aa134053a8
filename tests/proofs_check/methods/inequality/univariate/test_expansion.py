"""Expansions, jets and ranges must enclose the function they stand for, on random trees."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.arithmetic.tape import ball, compile_tape
from proofs_check.arithmetic.tree import PI, E, Node, call, number, symbol
from proofs_check.methods.inequality.ball_ranges import of_interval, range_of
from proofs_check.methods.inequality.problem import Interval
from proofs_check.methods.inequality.univariate.constants import Unclear, rational
from proofs_check.methods.inequality.univariate.expansion import argument, expansion
from proofs_check.methods.inequality.univariate.germ import Germ, Setting, sign_on
from proofs_check.methods.inequality.univariate.jets import NoJet, jet
from proofs_check.methods.inequality.univariate.scale import NoExpansion, Scale

X = symbol("x")
UNARY = (
    *("exp", "log", "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh"),
    *("tanh", "erf", "erfc", "gamma", "loggamma", "digamma", "trigamma", "abs", "floor", "sign"),
)


def random_tree(random: Random, depth: int) -> Node:
    if depth == 0 or random.random() < 0.1:
        choices = [X, X, X, number(Fraction(random.randint(-4, 4), random.randint(1, 3))), PI, E]
        return random.choice(choices)
    kind = random.random()
    first = random_tree(random, depth - 1)
    if kind < 0.45:
        return call(random.choice(UNARY), first)
    if kind < 0.55:
        return first ** number(random.choice([2, 3, -1, -2, Fraction(1, 2), Fraction(-2, 3)]))
    second = random_tree(random, depth - 1)
    if kind < 0.6:
        return call(random.choice(["max", "min"]), first, second)
    return random.choice([first + second, first - second, first * second, first / second])


def value(node: Node, at: Fraction) -> Any:
    with ctx.workprec(600):
        return compile_tape([node]).run({"x": ball(at, at)})[0]


def scale_ball(scale: Scale, x: Fraction) -> Any:
    big = arb(fmpq(x.numerator, x.denominator))
    total = arb(0)
    for (r, s), constant in scale.rates:
        total += constant.ball() * big ** arb(fmpq(r.numerator, r.denominator)) * big.log() ** s
    power = arb(fmpq(scale.power.numerator, scale.power.denominator))
    return total.exp() * big**power * big.log() ** scale.logs


def germ_ball(germ: Germ, x: Fraction) -> Any:
    total = arb(0)
    for scale, constant in germ.terms:
        total += constant.ball() * scale_ball(scale, x)
    if germ.rest is not None:
        total += germ.rest[1] * scale_ball(germ.rest[0], x)
    return total


def check_germ(node: Node, point: Fraction | None, side: int, start: Fraction, order: int) -> bool:
    """Whether there was an expansion; fails if it does not enclose the function."""
    setting = Setting(start, order)
    place = None if point is None else rational(point)
    with ctx.workprec(128):
        try:
            germ = expansion(node, {"x": argument(place, side, setting)}, setting)
            sign = sign_on(germ)
        except (NoExpansion, Unclear):
            return False
    for factor in (Fraction(1), Fraction(11, 10), Fraction(3), Fraction(40)):
        x = start * factor
        at = side * x if point is None else point + side / x
        truth = value(node, at)
        if not truth.is_finite() or not truth.rad() < 1:
            continue
        with ctx.workprec(300):
            assert germ_ball(germ, x).overlaps(truth), (str(node), point, side, start, at)
            assert sign is None or not (truth > 0 and sign <= 0), (str(node), at)
            assert sign is None or not (truth < 0 and sign >= 0), (str(node), at)
    return True


@settings(max_examples=60, deadline=None)
@given(st.integers(min_value=0, max_value=10**9))
def test_expansions_enclose(seed: int) -> None:
    random = Random(seed)
    node = random_tree(random, random.randint(1, 4))
    point = random.choice([None, Fraction(0), Fraction(1), Fraction(-1), Fraction(2, 3)])
    start = random.choice([Fraction(1, 2), Fraction(2), Fraction(4), Fraction(50)])
    check_germ(node, point, random.choice([1, -1]), start, random.choice([3, 6]))


@pytest.mark.parametrize("op", [op for op in UNARY if op not in ("floor", "sign")])
@pytest.mark.parametrize("point", [Fraction(1, 3), Fraction(0), None])
def test_every_function_has_an_expansion_somewhere(op: str, point: Fraction | None) -> None:
    if point is None and op in ("tan", "asin", "acos"):
        return
    if point == 0 and op in ("log", "loggamma", "gamma", "digamma", "trigamma"):
        assert check_germ(call(op, X), point, 1, Fraction(8), 5)
        return
    assert check_germ(call(op, X), point, 1, Fraction(8), 5)


@settings(max_examples=60, deadline=None)
@given(st.integers(min_value=0, max_value=10**9))
def test_jets_and_ranges_enclose(seed: int) -> None:
    random = Random(seed)
    node = random_tree(random, random.randint(1, 4))
    low = Fraction(random.randint(-8, 8), random.choice([1, 3, 4]))
    high = low + random.choice([Fraction(1, 100), Fraction(1, 2), Fraction(3)])
    check_range(node, low, high)
    check_jet(node, low, high)


def check_range(node: Node, low: Fraction, high: Fraction) -> None:
    interval = Interval(low, high, open_low=True, open_high=False)
    with ctx.workprec(64):
        found = range_of(node, {"x": of_interval(interval)})
    inner = [low + (high - low) * Fraction(k, 7) for k in range(1, 8)]
    truths = [value(part, at) for at in inner for part in node.nodes()]
    if not all(t.is_finite() for t in truths):
        return
    for at in inner:
        truth = value(node, at)
        with ctx.workprec(700):
            assert not truth < found.low, (str(node), at)
            assert not truth > found.high, (str(node), at)
            assert not (found.positive and truth <= 0), (str(node), at)
            assert not (found.negative and truth >= 0), (str(node), at)


def check_jet(node: Node, low: Fraction, high: Fraction) -> None:
    with ctx.workprec(128):
        try:
            wide = jet(compile_tape([node]), ball(low, high), 4)
        except NoJet:
            return
    for at in (low, (low + high) / 2, high):
        with ctx.workprec(600):
            try:
                narrow = jet(compile_tape([node]), ball(at, at), 4)
            except NoJet:
                return
            for one, other in zip(wide, narrow, strict=True):
                assert not one.is_finite() or not other.is_finite() or one.overlaps(other), str(
                    node
                )
            truth = value(node, at)
            assert not truth.is_finite() or not wide[0].is_finite() or wide[0].overlaps(truth)
