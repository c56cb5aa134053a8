"""The rule ``line``: covers are accepted, and every forgery of one is refused."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.status import Status
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.methods.inequality.problem import Problem, make_problems
from proofs_check.methods.inequality.univariate.method import prove
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Fact, Sequent, Side

from .statements import accepted_as_json as accepted

UNIT = Side(Fraction(0), Fraction(1))
LINE = Side()


def sequent(
    goal: str,
    side: Side = UNIT,
    *,
    strict: bool = False,
    facts: tuple[tuple[str, bool], ...] = (),
    defined: bool = False,
) -> Sequent:
    kept = tuple(Fact(read_expression(text), flag) for text, flag in facts)
    box = (("x", side),)
    return Sequent(read_expression(goal), strict, box, kept, frozenset(), defined=defined)


def pieces(*items: Any) -> dict[str, Any]:
    return {"rule": "line", "pieces": list(items)}


def problem(claim: str, where: str) -> Problem:
    return make_problems(parse_condition(claim), [parse_condition(where)] if where else [])[0]


def statement_of(one: Problem, *, defined: bool = True) -> Sequent:
    sides = {n: Side(i.low, i.high, i.open_low, i.open_high) for n, i in one.box}
    facts = tuple(Fact(read_expression(str(c.expression)), c.strict) for c in one.constraints)
    goal = read_expression(str(one.goal))
    return Sequent(goal, one.strict, tuple(sides.items()), facts, frozenset(), defined=defined)


def right(point: str, start: str, order: int = 5, **more: Any) -> dict[str, Any]:
    return {"point": point, "direction": 1, "start": start, "order": order, **more}


def left(point: str, start: str, order: int = 5, **more: Any) -> dict[str, Any]:
    return {"point": point, "direction": -1, "start": start, "order": order, **more}


def tail(direction: int, start: str, **more: Any) -> dict[str, Any]:
    return {"direction": direction, "start": start, **more}


# --- boxes ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("goal", "strict"),
    [
        ("1 + x", True),
        ("x", False),
        ("exp(x) - x", True),
        ("x*(1 - x) + 1/1000", True),
        ("abs(x - 1/2)", False),
        ("floor(x)", False),
        ("sqrt(x)", False),
        ("2 - sqrt(x - 1/2)", True),
        ("besseli(0, x) - 1/2", True),
        ("trigamma(1 + x) + digamma(1 + x)", True),
        ("max(x, 1/2) - min(x, 1/2) + 1/9", True),
        ("tanh(x) - x/2 + lambertw(x) + 1/9", True),
    ],
)
def test_stretches_are_accepted(goal: str, strict: bool) -> None:
    assert accepted(sequent(goal, strict=strict), pieces(["0", "1"]))


@pytest.mark.parametrize(
    ("goal", "side", "strict"),
    [
        ("x - 1/2", UNIT, False),
        ("x", UNIT, True),
        ("x", Side(Fraction(-1), Fraction(1)), False),
        ("1 - x**2 - 1/10**9", UNIT, False),
        ("floor(x) - x + 1/2", UNIT, False),
        ("x**2 - x + 1/4", UNIT, True),
        ("1/(x - 1/2)", UNIT, False),
        ("abs(x - 1/2) - 1/10**12", UNIT, False),
        ("exp(x) - 1 - x - 1/10**15", UNIT, False),
        ("sqrt(x) - 1/10**6", UNIT, False),
        ("tan(2*x)", UNIT, False),
    ],
)
def test_false_goals_are_refused_on_stretches(goal: str, side: Side, strict: bool) -> None:
    assert side.low is not None
    assert side.high is not None
    ends = [str(side.low), str(side.high)]
    assert not accepted(sequent(goal, side, strict=strict), pieces(ends))
    grid = [str(side.low + (side.high - side.low) * Fraction(k, 64)) for k in range(65)]
    assert not accepted(sequent(goal, side, strict=strict), pieces(grid))


def test_ranges_without_points_need_nothing() -> None:
    empty = Side(Fraction(1), Fraction(0))
    assert accepted(sequent("-1", empty), pieces())
    half_open = Side(Fraction(1), Fraction(1), open_low=True)
    assert accepted(sequent("-1", half_open), pieces())
    assert not accepted(sequent("-1", Side(Fraction(1), Fraction(1))), pieces())


# --- the cover --------------------------------------------------------------------------------
GAPS: list[tuple[Any, ...]] = [
    (),
    (["0", "1/2"],),
    (["1/2", "1"],),
    (
        ["0", "1/2"],
        ["1/2000001/1000000"],
    ),
    (["0", "1/2"], ["500001/1000000", "1"]),
    (["1/2", "1"], ["0", "1/2"]),
    (["1", "0"],),
    (["0"], ["1"]),
    ({"point": "0"}, {"point": "1"}),
    (
        ["0", "1/2"],
        right("1/2", "2"),
    )[1:],
    (tail(1, "1/2"),),
    (tail(-1, "1"),),
]


@pytest.mark.parametrize("items", GAPS)
def test_gaps_are_refused(items: tuple[Any, ...]) -> None:
    assert not accepted(sequent("2 + x"), pieces(*items))


def test_open_and_closed_ends_of_pieces() -> None:
    beside = right("0", "1")
    assert accepted(sequent("x", UNIT), pieces({"point": "0"}, beside))
    assert not accepted(sequent("x", UNIT), pieces(beside))
    open_side = Side(Fraction(0), Fraction(1), open_low=True)
    assert accepted(sequent("x", open_side, strict=True), pieces(beside))
    assert not accepted(sequent("x", UNIT, strict=True), pieces({"point": "0"}, beside))
    # The stretch ends before 1/2 and the next begins beyond it: the point itself is missing.
    middle = "(x - 1/2)**2"
    two = [left("1/2", "2"), right("1/2", "2")]
    assert not accepted(sequent(middle, UNIT), pieces(*two))
    assert accepted(sequent(middle, UNIT), pieces(two[0], {"point": "1/2"}, two[1]))


def test_irrational_points() -> None:
    side = Side(Fraction(0), Fraction(2))
    near = [left("sqrt(2)", "1"), {"point": "sqrt(2)"}, right("sqrt(2)", "1")]
    whole = [["0", "1/2"], *near]
    goal = "(x**2 - 2)**2"
    assert accepted(sequent(goal, side), pieces(*whole))
    assert not accepted(sequent(goal, side, strict=True), pieces(*whole))
    assert not accepted(sequent(goal, side), pieces(["0", "1/3"], *near))
    assert not accepted(sequent(goal, side), pieces(["0", "1/2"], near[0], near[2]))
    assert not accepted(sequent(goal, Side(Fraction(0), Fraction(5, 2))), pieces(*whole))
    # sqrt(2) is not this number, however close it is.
    wrong = {"point": "141421356237309504880168872420969807856967/10**41"}
    assert not accepted(sequent(goal, side), pieces(["0", "1/2"], near[0], wrong, near[2]))
    assert not accepted(sequent("x**2 - 2", side), pieces(*whole))


@pytest.mark.parametrize("point", ["y", "x", "log(-1)", "1/(pi - pi)", "sign(0)", "sqrt(0 - 1)"])
def test_points_must_be_numbers(point: str) -> None:
    items = [["0", "1/2"], {"point": point}, ["1/2", "1"]]
    assert not accepted(sequent("2 + x"), pieces(*items))


def test_values_at_points_are_exact() -> None:
    only = Side(Fraction(1), Fraction(1))
    assert accepted(sequent("log(x)", only), pieces({"point": "1"}))
    assert not accepted(sequent("log(x)", only, strict=True), pieces({"point": "1"}))
    assert not accepted(sequent("log(x) - 1/10**60", only), pieces({"point": "1"}))
    assert not accepted(sequent("1/(x - 1)", only), pieces({"point": "1"}))
    # A point outside the range shows nothing for the range.
    assert not accepted(sequent("1 - x", only.meet(UNIT), strict=True), pieces({"point": "0"}))


# --- stretches beside points and tails ----------------------------------------------------------
def test_tails() -> None:
    both = pieces(tail(-1, "4", order=5), ["-4", "4"], tail(1, "4", order=5))
    assert accepted(sequent("exp(x) - x", LINE), both)
    assert accepted(sequent("2 + sin(x)", LINE), pieces(tail(-1, "1"), ["-1", "1"], tail(1, "1")))
    assert not accepted(sequent("exp(x) - x", LINE), pieces(*both["pieces"][1:]))
    assert not accepted(sequent("exp(x) - x", LINE), pieces(*both["pieces"][:2]))
    late = pieces(tail(-1, "4", order=5), ["-4", "4"], tail(1, "5", order=5))
    assert not accepted(sequent("exp(x) - x", LINE), late)
    assert not accepted(sequent("x - 5", Side(Fraction(4))), pieces(tail(1, "4", order=5)))
    assert not accepted(sequent("sin(x)", LINE), both)
    assert not accepted(sequent("sin(x) + 1", LINE, strict=True), both)
    assert not accepted(sequent("1/x", Side(Fraction(4))), pieces(tail(-1, "4", order=5)))


@pytest.mark.parametrize(
    "change",
    [
        {"direction": -1},
        {"direction": 2},
        {"direction": True},
        {"direction": "1"},
        {"start": "0"},
        {"start": "-4"},
        {"start": 4},
        {"start": "1/16"},
        {"start": "1e2"},
        {"order": 0},
        {"order": -5},
        {"order": 10**9},
        {"order": "5"},
        {"point": "1/2"},
        {"point": "log(2)"},
        {"fact": True},
    ],
)
def test_forged_stretches(change: dict[str, Any]) -> None:
    goal = sequent("x - x**2 - x**2*(1 - x)", Side(Fraction(0), Fraction(1, 4)))
    right_one = right("0", "4")
    assert accepted(goal, pieces({"point": "0"}, right_one))
    assert not accepted(goal, pieces({"point": "0"}, {**right_one, **change}))


def test_kinks_and_jumps_beside_points() -> None:
    side = Side(Fraction(0), Fraction(2))
    cover = [["0", "1/2"], left("1", "2"), {"point": "1"}, right("1", "1")]
    jumps = [*cover[:3], right("1", "2"), left("2", "2"), {"point": "2"}]
    assert accepted(sequent("floor(x) + 1 - x", side, strict=True), pieces(*jumps))
    assert not accepted(sequent("x - floor(x)", side, strict=True), pieces(*cover))
    assert accepted(sequent("abs(x - 1)", side), pieces(*cover))
    assert not accepted(sequent("abs(x - 1) - (x - 1)/2 - 1/100", side), pieces(*cover))


# --- facts ------------------------------------------------------------------------------------
def test_facts_take_stretches_out_of_the_region() -> None:
    side = Side(Fraction(0), Fraction(2))
    facts = (("x**2 - 1", False),)
    near = [left("1", "1", fact=True), {"point": "1"}, right("1", "1")]
    assert accepted(sequent("x - 1", side, facts=facts), pieces({"point": "0"}, *near))
    assert not accepted(sequent("x - 1", side), pieces({"point": "0"}, *near))
    assert not accepted(
        sequent("x - 1", side, facts=facts, strict=True), pieces({"point": "0"}, *near)
    )
    strict = (("x**2 - 1", True),)
    assert accepted(
        sequent("x - 1", side, facts=strict, strict=True), pieces({"point": "0"}, *near)
    )
    honest = [left("1", "1"), *near[1:]]
    assert not accepted(sequent("x - 1", side, facts=facts), pieces({"point": "0"}, *honest))


def test_facts_met_at_a_single_point_of_a_stretch() -> None:
    side = Side(Fraction(-1), Fraction(1))
    whole = pieces(["-1", "0", "1"])
    assert not accepted(sequent("-1", side, facts=(("-x**2", False),)), whole)
    assert accepted(sequent("-1", side, facts=(("-x**2", True),)), whole)
    assert accepted(sequent("-1", side, facts=(("-x**2 - 1/9", False),)), whole)
    # A fact without a value is not met.
    assert accepted(sequent("-1", side, facts=(("sqrt(x - 2) - 1", False),)), whole)
    assert not accepted(sequent("-1", side, facts=(("sqrt(x)", False),)), whole)


def test_facts_about_the_variable_alone_belong_to_its_range() -> None:
    side = Side(Fraction(0), Fraction(2))
    facts = (("2*x - 2", False),)
    near = [left("1", "1", fact=True), {"point": "1"}, right("1", "1")]
    assert accepted(sequent("x**2 - x", side, facts=facts), pieces(*near))
    assert not accepted(sequent("x**2 - x - 1/9", side, facts=facts), pieces(*near))


# --- malformed data -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "proof",
    [
        {"rule": "line"},
        {"rule": "line", "pieces": {}},
        {"rule": "line", "pieces": [None]},
        {"rule": "line", "pieces": [["0", 1]]},
        {"rule": "line", "pieces": [["0", "nan", "1"]]},
        {"rule": "line", "pieces": [["0", "1/0", "1"]]},
        {"rule": "line", "pieces": [["0", "1e400000000"]]},
        {"rule": "line", "pieces": [{}]},
        {"rule": "line", "pieces": [{"point": 3}]},
        {"rule": "line", "pieces": [{"point": "0", "direction": 1}]},
        {"rule": "line", "pieces": [tail(1, "4", order=None)]},
    ],
)
def test_malformed_covers(proof: dict[str, Any]) -> None:
    assert not accepted(sequent("-1 - x"), proof)


def test_other_numbers_of_variables_are_refused() -> None:
    box = (("x", UNIT), ("y", UNIT))
    two = Sequent(read_expression("x + y + 1"), False, box)
    for rule in ({"rule": "univariate polynomial"}, pieces(["0", "1"])):
        assert not accepted(two, rule)
    stray = Sequent(read_expression("x + y"), False, (("x", UNIT),))
    assert not accepted(stray, pieces(["0", "1"]))


# --- proofs of the finder, and what is left of them for false neighbours ------------------------
TRUE = [
    ("log(1 + x) <= x", "x > -1"),
    ("tan(x) >= x + x**3/3", "0 <= x and x < pi/2"),
    ("sin(x) >= 2*x/pi", "0 <= x and x <= pi/2"),
    ("x**x >= exp(-1/E)", "x > 0"),
    ("cbrt(x) <= (x + 2)/3", "x >= -8"),
    ("x - floor(x) < 1", "0 <= x <= 3"),
    ("log(x) >= 0", "x**2 >= 1 and x > 0"),
    ("sqrt(x) <= (1 + x)/2", "x >= 0"),
    ("x*exp(-x) <= 1/E", ""),
    ("sin(x) > 0", "x > 0 and x < pi"),
]


@pytest.mark.parametrize(("claim", "where"), TRUE)
def test_covers_of_the_finder(claim: str, where: str) -> None:
    one = problem(claim, where)
    found = prove(one)
    assert found.status is Status.PROVED
    assert accepted(statement_of(one), found.certificate)


@pytest.mark.parametrize(("claim", "where"), TRUE)
@pytest.mark.parametrize("loss", ["1/50", "1/10**10", "1/10**30"])
def test_covers_do_not_prove_tight_goals_lowered(claim: str, where: str, loss: str) -> None:
    one = problem(claim, where)
    found = prove(one)
    whole = statement_of(one)
    lowered = read_expression(f"({whole.goal}) - {loss}")
    if one.strict and "floor" not in claim:
        # Positive up to open ends: lowered by any constant it is false next to them.
        assert not accepted(whole.showing(lowered, False), found.certificate)
        return
    assert not accepted(whole.showing(lowered, False), found.certificate)


@pytest.mark.parametrize(("claim", "where"), TRUE)
def test_every_piece_is_needed(claim: str, where: str) -> None:
    """Dropping a piece leaves a gap, or the piece lay within others."""
    one = problem(claim, where)
    proof = json.loads(json.dumps(prove(one).certificate))
    whole = statement_of(one)
    lost = 0
    for index in range(len(proof["pieces"])):
        fewer = copy.deepcopy(proof)
        del fewer["pieces"][index]
        lost += not accepted(whole, fewer)
    assert lost >= len(proof["pieces"]) - 1


_ROOT = st.fractions(min_value=Fraction(1, 8), max_value=Fraction(7, 8), max_denominator=50)
_WAYS = [
    "exp(x)",
    "1 + x**2",
    "2 + sin(5*x)",
    "sqrt(1 + x)",
    "abs(x - 1/3) + 1/9",
    "3 - log(2 + x)",
]


@settings(max_examples=60, deadline=None)
@given(_ROOT, st.fractions(min_value=0, max_value=1, max_denominator=40), st.sampled_from(_WAYS))
def test_only_true_signs_are_accepted(root: Fraction, cut: Fraction, factor: str) -> None:
    """(x - root) * positive >= 0 on [cut, 1] exactly if cut >= root."""
    goal = f"(x - ({root}))*({factor})"
    side = Side(cut, Fraction(1))
    start = str(1 / (1 - root) / 2)
    cover = [{"point": str(root)}, right(str(root), start, 9), [str(max(root, cut)), "1"]]
    found = accepted(sequent(goal, side), pieces(*cover)) or accepted(
        sequent(goal, side), pieces([str(cut), "1"])
    )
    assert not found or cut >= root
