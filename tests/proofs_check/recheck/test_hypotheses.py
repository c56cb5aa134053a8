"""Combinations of hypotheses, regions without points, whole numbers: right data and forgeries."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import add, mul, num, var
from proofs_check.recheck.hypotheses import met
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Fact, Sequent, Side

from .statements import PROBE, accepted, handed_down, sequent

REAL = Side()
NONNEGATIVE = Side(low=Fraction(0))
POSITIVE = Side(low=Fraction(0), open_low=True)
RANGE = {"rule": "range"}


def farkas(*multipliers: tuple[str, str], **data: str) -> dict[str, Any]:
    return {"rule": "farkas", "multipliers": [list(m) for m in multipliers], **data}


PLANE = {"x": REAL, "y": NONNEGATIVE}


def test_farkas_adds_facts_and_ends_of_the_box() -> None:
    s = sequent("1 - x", PLANE, "1 - x - y >= 0")
    assert accepted(s, farkas(("1 - x - y", "1"), ("y", "1")))
    assert accepted(s, farkas(("2 - 2*x - 2*y", "1/2"), ("y", "1")))
    assert accepted(
        sequent("2 - x", PLANE, "1 - x - y >= 0"), farkas(("1 - x - y", "1"), ("y", "1"))
    )
    # not affine, by an identity
    t = sequent("1 + log(x)", {"x": POSITIVE}, "2*log(x) + 1 >= 0")
    assert accepted(t, farkas(("1 + 2*log(x)", "1/2"), rest="1/2"))
    assert not accepted(t, farkas(("1 + 2*log(x)", "1/2"), rest="1/3"))
    assert not accepted(t, farkas(("1 + 2*log(x)", "1/2")))


@pytest.mark.parametrize(
    "multipliers",
    [
        [],
        [["1 - x - y", "1"]],
        [["1 - x - y", "1"], ["y", "2"]],
        [["1 - x - y", "1"], ["-y", "-1"]],
        [["1 - x - y", "1"], ["y", "-1"], ["y", "2"]],
        [["1 - x", "1"]],
        [["1 - x - z", "1"], ["z", "1"]],
        [["1 - x - y + 0*z", "1"], ["y", "1"]],
        [["1 - x - y", 1], ["y", 1]],
        [["1 - x - y"], ["y"]],
        [["1 - x - y", "1", "1"], ["y", "1"]],
        [["1 - x - y", "1/0"], ["y", "1"]],
        [["1 - x - y", "nan"], ["y", "1"]],
        [["1 - x - y", "1e400"], ["y", "1"]],
        [["1 - x - y", "٣"], ["y", "1"]],
        [["1 - x - y", "9" * 30_000], ["y", "1"]],
        "1 - x - y",
        None,
    ],
)
def test_farkas_rejects(multipliers: Any) -> None:
    s = sequent("1 - x", PLANE, "1 - x - y >= 0")
    assert not accepted(s, {"rule": "farkas", "multipliers": multipliers})


def test_farkas_is_strict_only_by_a_strict_part() -> None:
    both = farkas(("1 - x - y", "1"), ("y", "1"))
    closed = sequent("1 - x", PLANE, "1 - x - y >= 0", strict=True)
    assert not accepted(closed, both)
    assert accepted(replace(closed, facts=(replace(closed.facts[0], strict=True),)), both)
    assert accepted(closed.with_side("y", POSITIVE), both)
    more = sequent("2 - x", PLANE, "1 - x - y >= 0", strict=True)
    assert accepted(more, both)
    # a strict fact with the multiplier 0 is no help
    idle = sequent("y", {"x": POSITIVE, "y": NONNEGATIVE}, strict=True)
    assert not accepted(idle, farkas(("y", "1"), ("x", "0")))


def test_a_fact_is_taken_as_the_region_has_it() -> None:
    """(|x| + 1)*x/x equals the fact where x != 0, but has no value at 0, where the fact is met."""
    s = sequent("abs(x)", {"x": REAL}, "abs(x) + 1 >= 0")
    found = met(read_expression("(abs(x) + 1)*x/x"), s)
    assert found is None or found == s.facts[0]
    assert met(read_expression("1 + abs(x)"), s) == s.facts[0]


def test_the_opposite_of_a_fact_is_none() -> None:
    s = sequent("x + y", {"x": REAL, "y": REAL}, "-x - y >= 0")
    assert met(read_expression("x + y"), s) is None
    assert not accepted(s, farkas(("x + y", "1")))
    assert accepted(s.showing(read_expression("-2*x - 2*y"), False), farkas(("-x - y", "2")))


small = st.integers(-2, 2)
rows = st.tuples(small, small, small, st.booleans())


@given(st.lists(rows, min_size=1, max_size=3), rows, st.lists(small, min_size=3, max_size=3))
@settings(max_examples=400, deadline=None)
def test_accepted_combinations_hold_at_all_points(
    facts: list[tuple[int, int, int, bool]], goal: tuple[int, int, int, bool], weights: list[int]
) -> None:
    def affine(row: tuple[int, int, int, bool]) -> Any:
        return add(mul(num(row[0]), var("x")), mul(num(row[1]), var("y")), num(row[2]))

    given_facts = tuple(Fact(affine(row), row[3]) for row in facts)
    pairs = list(zip(facts, weights, strict=False))
    # goals that nearly are the combination
    summed = [sum(w * row[i] for row, w in pairs) for i in range(3)]
    shown = (summed[0], summed[1], summed[2] + max(-1, goal[2]), goal[3])
    s = Sequent(affine(shown), goal[3], (("x", REAL), ("y", REAL)), given_facts)
    proof = farkas(*((str(affine(row)), str(w)) for row, w in pairs))
    if accepted(s, proof):
        for x in range(-6, 7):
            for y in range(-6, 7):
                values = [a * x + b * y + c for a, b, c, _ in facts]
                if all(v > 0 or (v == 0 and not f[3]) for v, f in zip(values, facts, strict=True)):
                    at = shown[0] * x + shown[1] * y + shown[2]
                    assert at > 0 or (at == 0 and not goal[3])


# --- empty --------------------------------------------------------------------------------------
def test_empty_regions() -> None:
    empty = {"rule": "empty"}
    assert accepted(sequent("-1", {"x": Side(Fraction(1), Fraction(0))}), empty)
    assert accepted(sequent("-1", {"x": Side(Fraction(1), Fraction(1), open_low=True)}), empty)
    third = Side(Fraction(1, 3), Fraction(2, 3))
    assert accepted(sequent("-1", {"x": third}, whole="x"), empty)
    assert accepted(sequent("-1", {"x": REAL}, "log(2) - 1 >= 0"), empty)
    assert accepted(sequent("-1", {"x": REAL}, "2*log(2) - log(4) > 0"), empty)
    apart = sequent("-1", PLANE, "-x - y - 1 >= 0", "x >= 0")
    assert accepted(apart, {**empty, "multipliers": [["-x - y - 1", "1"], ["x", "1"], ["y", "1"]]})
    square = sequent("-1", {"x": REAL}, "-x**2 - 1 >= 0")
    assert accepted(square, {**empty, "fact": "-x**2 - 1", "proof": RANGE})
    touching = sequent("-1", {"x": REAL}, "-x**2 > 0")
    assert accepted(touching, {**empty, "fact": "-x**2", "proof": RANGE})


@pytest.mark.parametrize(
    ("s", "data"),
    [
        (sequent("-1", {"x": Side(Fraction(1), Fraction(1))}), {}),
        (sequent("-1", {"x": Side(Fraction(1, 3), Fraction(2, 3))}), {}),
        (sequent("-1", {"x": Side(Fraction(1, 3), Fraction(1))}, whole="x"), {}),
        (sequent("-1", {"x": REAL}, whole="x"), {}),
        (sequent("-1", {"x": REAL}, "2*log(2) - log(4) >= 0"), {}),
        (sequent("-1", {"x": REAL}, "-x**2 >= 0"), {"fact": "-x**2", "proof": RANGE}),
        (sequent("-1", {"x": REAL}, "x**2 - 1 >= 0"), {"fact": "x**2 + 1", "proof": RANGE}),
        (sequent("-1", {"x": REAL}, "x**2 - 1 >= 0"), {"fact": "x**2 - 1", "proof": RANGE}),
        (sequent("-1", {"x": REAL}), {"fact": "-x**2 - 1", "proof": RANGE}),
        # the fact must not help to refute itself
        (
            sequent("-1", PLANE, "y - x >= 0"),
            {"fact": "y - x", "proof": farkas(("y - x", "1"))},
        ),
        (sequent("-1", PLANE, "-x - y >= 0"), {"multipliers": [["-x - y", "1"], ["y", "1"]]}),
        (sequent("-1", PLANE, "x - y >= 0"), {"multipliers": [["-x + y - 1", "1"]]}),
        (sequent("-1", PLANE), {"multipliers": []}),
        (sequent("-1", PLANE), {"fact": 1, "proof": 2}),
    ],
)
def test_regions_with_points_are_not_empty(s: Sequent, data: dict[str, Any]) -> None:
    assert not accepted(s, {"rule": "empty", **data})


# --- whole numbers ------------------------------------------------------------------------------
IN_N = Side(low=Fraction(1))


def values(first: Any, last: Any, *proofs: Any, **tails: Any) -> dict[str, Any]:
    base = {"rule": "values", "name": "n", "first": first, "last": last}
    return {**base, "proofs": list(proofs), **tails}


def test_whole_numbers_one_by_one() -> None:
    cubic = sequent("(n - 1)*(n - 2)*(n - 3)", {"n": IN_N}, whole="n")
    zero = {"rule": "put", "name": "n", "proof": RANGE}
    ones = [{**zero, "value": str(k)} for k in (1, 2, 3)]
    above = {"rule": "univariate polynomial"}
    assert accepted(cubic, values(1, 3, *ones, above=above))
    assert not accepted(cubic, values(1, 3, *ones))
    assert not accepted(cubic, values(2, 3, *ones[1:], above=above))
    assert not accepted(cubic, values(1, 3, *ones[:2], above=above))
    assert not accepted(cubic, values(1, 1, *ones[:1], above=above))
    assert not accepted(replace(cubic, integers=frozenset()), values(1, 3, *ones, above=above))


@pytest.mark.parametrize(
    ("side", "first", "last", "needed"),
    [
        (IN_N, 1, 3, {"above"}),
        (Side(), 1, 3, {"below", "above"}),
        (Side(Fraction(1, 2), Fraction(7, 2)), 1, 3, set()),
        (Side(Fraction(0), Fraction(4), True, True), 1, 3, set()),
        (Side(Fraction(0), Fraction(4)), 1, 3, {"below", "above"}),
        (Side(Fraction(0), Fraction(4), True, False), 1, 3, {"above"}),
        (Side(), 5, 3, {"below", "above"}),
    ],
)
def test_no_whole_number_is_left_out(side: Side, first: int, last: int, needed: set[str]) -> None:
    s = sequent("-n**2", {"n": side}, whole="n")
    ones = [PROBE] * max(0, last - first + 1)
    tails = dict.fromkeys(needed, PROBE)
    found = handed_down(s, values(first, last, *ones, **tails))
    for n in range(-20, 21):
        inside = any(sub.side("n").contains(Fraction(n)) for sub in found)
        assert inside or not side.contains(Fraction(n))
    assert not any(sub.integers for sub in found)
    for key in needed:
        less = {k: p for k, p in tails.items() if k != key}
        with pytest.raises(Rejected):
            handed_down(s, values(first, last, *ones, **less))


def test_definedness_is_lost_between_the_whole_numbers() -> None:
    s = replace(sequent("1/(2*n - 1)", {"n": Side()}, whole="n"), defined=True)
    one, below, above = handed_down(s, values(1, 1, PROBE, below=PROBE, above=PROBE))
    assert one.defined
    assert not below.defined
    assert not above.defined


@pytest.mark.parametrize(
    ("first", "last"),
    [("1", 3), (1, 3.0), (True, 3), (1, None), (1, 10**6), (-(10**40), 3), (1, float("nan"))],
)
def test_values_rejects_ends_that_are_no_numbers(first: Any, last: Any) -> None:
    s = sequent("n", {"n": Side(Fraction(1), Fraction(3))}, whole="n")
    assert accepted(s, values(1, 3, RANGE, RANGE, RANGE))
    assert not accepted(s, values(first, last, RANGE, RANGE, RANGE))
