"""Stretches beside points and at infinity: right ones are accepted, false ones are refused."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.balls import Program, exact, hull, value
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expansion import holds_beside
from proofs_check.recheck.expansion.germ import Germ, Stretch
from proofs_check.recheck.expansion.scale import Scale
from proofs_check.recheck.expansion.sides import expansion
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.reader import read_expression


def beside(
    goal: str,
    point: str | None,
    direction: int,
    start: str | int,
    order: int = 5,
    *,
    strict: bool = True,
) -> bool:
    where = None if point is None else read_expression(point)
    return holds_beside(
        read_expression(goal), "x", where, direction, Fraction(start), order, strict
    )


# goal, point, direction, start
TRUE: list[tuple[str, str | None, int, str | int]] = [
    ("x - sin(x)", "0", 1, 1),
    ("sin(x) - x", "0", -1, 1),
    ("1 - cos(x)", "0", -1, 1),
    ("1 - x**2/6 - sin(x)/x + x**4/120", "0", 1, 1),
    ("tan(x) - x - x**3/3", "0", 1, 2),
    ("x - log(1 + x)", "0", 1, 2),
    ("exp(x) - exp(1)*x", "1", -1, 1),
    ("(exp(x) - 3)**2", "log(3)", 1, 1),
    ("(x**2 - 2)**2", "sqrt(2)", -1, 2),
    ("sqrt(2 + x) - sqrt(2) - x/(2*sqrt(2)) + x**2/(16*sqrt(2))", "0", 1, 1),
    ("1 - sin(x)", "pi/2", 1, 1),
    ("cos(x)", "pi/2", -1, 1),
    ("x**x - x + x**2/2 - 1/2", "1", 1, 4),
    ("1 + x*log(x)", "0", 1, 4),
    ("x**(1/3) - log(x)", "0", 1, 2),
    ("acos(x) - sqrt(2 - 2*x)", "1", -1, 2),
    ("pi/2 - asin(x)", "1", -1, 2),
    ("asin(x) - x", "0", 1, 2),
    ("x - tanh(x)", "0", 1, 16),
    ("x - atan(x)", "0", 1, 2),
    ("x - erf(x)*sqrt(pi)/2", "0", 1, 1),
    ("x - lambertw(x)", "0", 1, 16),
    ("besseli(0, x) - 1 - x**2/4", "0", -1, 1),
    ("besseli(3/2, x) - besseli(5/2, x)", "1", 1, 8),
    ("gamma(x) - 1/x + 1", "0", 1, 4),
    ("trigamma(x) - 1/x**2 - 1", "0", 1, 16),
    ("digamma(x) - log(x) + 1/x", "1", 1, 4),
    ("abs(x - 1) - (1 - x)/2", "1", -1, 1),
    ("max(x, x**2) - x", "1", 1, 2),
    ("floor(x) - x + 1", "2", 1, 2),
    ("x - floor(x)", "2", -1, 2),
    ("1 + sign(x)*x", "0", -1, 2),
    ("cbrt(x)**2", "0", -1, 1),
    ("exp(x) - x**3", None, 1, 64),
    ("1/x - exp(-x)", None, 1, 4),
    ("sqrt(x) - log(x)**2", None, 1, 2**16),
    ("exp(1) - (1 + 1/x)**x", None, 1, 4),
    ("(1 + 1/x)**(x + 1/2) - exp(1)", None, 1, 4),
    ("sqrt(x + 1) - sqrt(x) - 1/(2*sqrt(x + 1))", None, 1, 4),
    ("atan(x) - pi/2 + 1/x", None, 1, 4),
    ("atan(x) + pi/2", None, -1, 4),
    ("1 - tanh(x)", None, 1, 4),
    ("x - log(cosh(x))", None, 1, 4),
    ("log(1 + exp(x)) - x", None, 1, 4),
    ("exp(-x**2)/(x*sqrt(pi)) - erfc(x)", None, 1, 4),
    ("erf(x) + 1", None, -1, 4),
    ("loggamma(x) - (x - 1/2)*log(x) + x - log(2*pi)/2", None, 1, 4),
    ("log(x) - digamma(x) - 1/(2*x)", None, 1, 4),
    ("trigamma(x) - 1/x - 1/(2*x**2)", None, 1, 4),
    ("gamma(x + 1) - x**x*exp(-x)*sqrt(2*pi*x)", None, 1, 16),
    ("2**x - x**10", None, 1, 64),
    ("x**pi - x**3", None, 1, 16),
    ("1 - sin(x)*cos(x)", None, 1, 4),
    ("2 + sin(x) + cos(x)/x", None, 1, 4),
    ("floor(x) - x + 2", None, 1, 4),
    ("exp(sqrt(x)) - x**3", None, 1, 512),
    ("cosh(x) - 1 - x**2/2", None, -1, 4),
]


@pytest.mark.parametrize(("goal", "point", "direction", "start"), TRUE)
def test_true_stretches_are_accepted(
    goal: str, point: str | None, direction: int, start: str | int
) -> None:
    assert any(beside(goal, point, direction, start, order) for order in (5, 9))


@pytest.mark.parametrize(("goal", "point", "direction", "start"), TRUE)
def test_their_negatives_are_refused(
    goal: str, point: str | None, direction: int, start: str | int
) -> None:
    for order in (1, 3, 5, 9):
        assert not beside(f"-({goal})", point, direction, start, order, strict=False)


FALSE: list[tuple[str, str | None, int, str | int]] = [
    # false on a part of the stretch that is too long, or far away only
    ("x - x**2", "0", 1, 1),
    ("x - 2*x**2", "0", 1, 1),
    ("1 - x", "0", 1, "1/2"),
    ("sin(x)", "0", 1, "1/4"),
    ("exp(x) - x**3", None, 1, 2),
    ("sqrt(x) - log(x)**2", None, 1, 16),
    ("x - 1000", None, 1, 4),
    ("1000 - log(x)", None, 1, 4),
    ("1 - x/10**30", None, 1, 4),
    # the other side of the point, or another point
    ("x - sin(x)", "0", -1, 1),
    ("x**3 - 3*x + 2 - (x - 1)**2", "-2", 1, 4),
    ("log(x) - log(2)", "2", -1, 2),
    ("x - sqrt(2)", "1414213562373095048801688724209698078569/10**39", 1, 8),
    ("x - pi", "3141592653589793238462643383279502884197/10**39", 1, 8),
    # a tiny constant too low
    ("x - sin(x) - 1/10**60", "0", 1, 1),
    ("(x**2 - 2)**2 - 1/10**80", "sqrt(2)", -1, 2),
    ("exp(1) - (1 + 1/x)**x - 1/10**50", None, 1, 4),
    ("1/x - exp(-x) - 1/10**50", None, 1, 4),
    # wrong constants in the leading terms
    ("exp(x) - (1 + 1/10**40)*x*exp(1)", "1", 1, 1),
    ("x - (1 + 1/10**20)*sin(x)", "0", 1, 1),
    ("pi/4 + 1/10**40 - atan(x)", "1", 1, 1),
    # oscillation
    ("sin(x)", None, 1, 4),
    ("1 - 2*sin(x)**2", None, 1, 4),
    ("1/x + sin(x)", None, 1, 4),
    ("1/2 - x + floor(x)", None, 1, 4),
    ("sin(1/x) + x", "0", 1, 4),
    # no value on a part of the stretch
    ("2 + log(x)*0", "0", -1, 4),
    ("1 + sqrt(x)", "0", -1, 4),
    ("1 + (x - 1/3)*(x - 1/3)**(-1)", "0", 1, 2),
    ("x**0", "1/3", -1, 2),
    ("1 + acos(x)", "1", 1, 4),
    ("2 + asin(1/x)", "1", -1, 4),
    ("2 + tan(x)*0", "pi/4", 1, 1),
    ("2 + 1/sin(x)**2", None, 1, 4),
    ("gamma(x) + 10**9", "0", -1, 4),
    ("2 + log(log(x))*0", "1", -1, 4),
    ("x**(x - x + 1/3) + 2", None, -1, 4),
    ("(-x)**sqrt(2)", None, 1, 4),
    ("lambertw(x) + 2", "-1/exp(1)", -1, 4),
    ("1 + sqrt(sin(x))", None, 1, 4),
    ("log(x + 1) + 100", "-1", -1, 4),
    # jumps
    ("floor(x) - 1", "2", -1, "1/2"),
    ("2 - floor(x)", "2", 1, "1/2"),
    ("floor(x) - 2", "5/2", -1, 1),
    ("2 - floor(x)", "5/2", 1, 1),
    ("floor(2*x) - 1", "sqrt(2)/2", -1, 1),
    ("sign(x)", "1", -1, "1/2"),
    ("floor(x) - 3/2", "2", -1, 4),
]


@pytest.mark.parametrize(("goal", "point", "direction", "start"), FALSE)
def test_false_stretches_are_refused(
    goal: str, point: str | None, direction: int, start: str | int
) -> None:
    for order in (1, 2, 5, 9, 15):
        assert not beside(goal, point, direction, start, order, strict=False)


@pytest.mark.parametrize(
    ("goal", "point"),
    [
        ("sin(x)**2 + cos(x)**2 - 1", None),
        ("exp(log(x)) - x", "1"),
        ("(x - x)*log(x)", "1"),
        ("lambertw(x) - lambertw(x)", "1"),
        ("x**0 - 1", "1"),
    ],
)
def test_zero_throughout_is_not_positive(goal: str, point: str | None) -> None:
    assert not beside(goal, point, 1, 4)


@pytest.mark.parametrize("goal", ["x - x", "(x + 1)**2 - x**2 - 2*x - 1", "x**0 - 1"])
def test_zero_throughout_is_nonnegative(goal: str) -> None:
    assert beside(goal, "1", 1, 4, strict=False)
    assert not beside(goal, "1", 1, 4, strict=True)


@pytest.mark.parametrize(
    ("direction", "start", "order"),
    [(0, 4, 5), (2, 4, 5), (1, 0, 5), (1, -4, 5), (1, 4, 0), (1, 4, -3), (1, 4, 10**6)],
)
def test_senseless_data_are_refused(direction: int, start: int, order: int) -> None:
    assert not beside("1 + x**2", "0", direction, start, order)


def test_a_huge_start_and_other_variables_are_refused() -> None:
    assert not beside("1 + x**2", "0", 1, 10**2000)
    assert not beside("1 + y**2", "0", 1, 4)
    assert not beside("1 + x**2", "y", 1, 4)
    assert not beside("binomial(x, x) + choose(x, x, x, x)", "1", 1, 4)


def test_the_precision_in_force_is_restored() -> None:
    bits, cap = ctx.prec, ctx.cap
    beside("x - lambertw(x)", "0", 1, 4)
    beside("1/sin(x)", "0", 1, "1/64")
    assert (ctx.prec, ctx.cap) == (bits, cap)


def test_waves_of_a_wide_ball_are_bounded_at_once() -> None:
    wide = arb(0, 10**30)
    low, high = Program([read_expression("sin(x)")]).pairs({"x": (wide, wide)})[0]
    assert low <= -1
    assert high >= 1


@pytest.mark.parametrize("order", [5, 9, 15])
def test_constants_that_grow_without_end_are_given_up(order: int) -> None:
    began = time.process_time()
    beside("gamma(erf(x**2 - 2))/besseli(0, log(1/x))", "sqrt(2)", 1, 32, order)
    assert time.process_time() - began < 20


# --- the expansions themselves -------------------------------------------------------------------


def _scale_ball(scale: Scale, x: Fraction) -> arb:
    log = exact(x).log()
    exponent = arb(0)
    for (r, s), coefficient in scale.rates:
        exponent += coefficient.ball() * exact(x) ** exact(r) * log**s
    return exponent.exp() * exact(x) ** exact(scale.power) * log**scale.logs


def _encloses(germ: Germ, x: Fraction, truth: arb) -> bool:
    total = arb(0)
    for scale, coefficient in germ.terms:
        total += coefficient.ball() * _scale_ball(scale, x)
    if germ.rest is not None:
        total += germ.rest[1] * _scale_ball(germ.rest[0], x)
    return bool(total.overlaps(truth))


def _truth(goal: Expr, point: Expr | None, direction: int, x: Fraction) -> arb:
    """The value, at a precision that sees it; 1 - tanh(x) needs many bits."""
    for bits in (400, 4_000):
        with ctx.workprec(bits):
            place = direction * exact(x) if point is None else value(point) + direction / exact(x)
            found = hull(Program([goal]).pairs({"x": (place, place)})[0])
        if found.is_finite():
            break
    return found


def _expanded(goal: Expr, point: Expr | None, direction: int, stretch: Stretch) -> Germ | None:
    power = Scale(Fraction(1 if point is None else -1))
    variable = Germ(((power, stretch.number(direction)),), None, stretch)
    try:
        if point is not None:
            variable = variable.plus(stretch.table.of(point))
        return expansion(goal, variable)
    except (Rejected, ArithmeticError):
        return None


def _check(goal: str, point: str | None, direction: int, stretch: Stretch) -> bool:
    """Whether there is an expansion; it then has to hold at points of the whole stretch."""
    node = read_expression(goal)
    where = None if point is None else read_expression(point)
    germ = _expanded(node, where, direction, stretch)
    if germ is None:
        return False
    for factor in ("1", "1000001/1000000", "9/8", "3/2", "2", "7", "100", "12345"):
        x = stretch.start * Fraction(factor)
        truth = _truth(node, where, direction, x)
        if not truth.is_finite():
            # log(tanh(X)) or the like for a large X needs more bits than there are.
            assert any(name in goal for name in ("tanh", "erf", "exp", "sinh", "cosh")), (goal, x)
            continue
        assert _encloses(germ, x, truth), (goal, x)
    return True


@pytest.mark.parametrize(("goal", "point", "direction", "start"), TRUE)
@pytest.mark.parametrize("order", [1, 3, 6])
def test_expansions_hold_on_the_whole_stretch(
    goal: str, point: str | None, direction: int, start: str | int, order: int
) -> None:
    with ctx.workprec(600):
        _check(goal, point, direction, Stretch(Fraction(start), order))


_POINTS: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "zero": ("0", ("x", "2*x", "1 + x", "x**2 + x", "1/x", "x/(1 + x)", "sqrt(2) - x")),
    "one": ("1", ("x", "x - 1", "x**2 - 1", "2 - x", "1/(x - 1)", "x/3", "pi*x")),
    "root": ("sqrt(2)", ("x", "x - sqrt(2)", "x**2 - 2", "x**2 - 1", "1/x", "x/2")),
    "infinity": (None, ("x", "1/x", "x/(1 + x)", "x**2", "sqrt(x)", "3 - x", "1 + 1/x", "x + 2")),
}
_OUTER = (
    *("exp", "log", "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh"),
    *("tanh", "erf", "erfc", "gamma", "loggamma", "digamma", "trigamma", "lambertw"),
    *("abs", "sign", "floor"),
)
_JOINED = ("({a}) + ({b})", "({a})*({b})", "({a})/({b})", "max({a}, {b})", "({a})**({b})", "{a}")


@st.composite
def _cases(draw: st.DrawFn) -> tuple[str, str | None, int, Fraction, int]:
    point, inner = _POINTS[draw(st.sampled_from(sorted(_POINTS)))]
    parts = []
    for _ in range(2):
        text = draw(st.sampled_from(inner))
        for _ in range(draw(st.integers(0, 2))):
            text = f"{draw(st.sampled_from(_OUTER))}({text})"
        if draw(st.integers(0, 5)) == 0:
            order = draw(st.sampled_from(["0", "1", "2", "1/2", "5/2"]))
            text = f"besseli({order}, {text})"
        parts.append(text)
    goal = draw(st.sampled_from(_JOINED)).format(a=parts[0], b=parts[1])
    start = draw(st.sampled_from([Fraction(n, 2) for n in (1, 2, 4, 9, 16, 64, 1000)]))
    return goal, point, draw(st.sampled_from([1, -1])), start, draw(st.integers(1, 7))


@settings(max_examples=300, deadline=None)
@given(_cases())
def test_expansions_of_composed_functions_hold(
    case: tuple[str, str | None, int, Fraction, int],
) -> None:
    goal, point, direction, start, order = case
    with ctx.workprec(400):
        _check(goal, point, direction, Stretch(start, order))
