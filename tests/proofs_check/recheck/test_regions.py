"""Rules that change the region: what they accept, and forgeries that they must not."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from proofs_check.methods.inequality.problem import Problem
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import num as number
from proofs_check.recheck.expression import replaced, var
from proofs_check.recheck.kernel import Budget, Proof
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import RULES
from proofs_check.recheck.sequent import Sequent, Side

from .statements import PROBE, accepted, handed_down, sequent

REAL = Side()
POSITIVE = Side(low=Fraction(0), open_low=True)
NONNEGATIVE = Side(low=Fraction(0))
UNIT = Side(Fraction(0), Fraction(1))
RANGE = {"rule": "range"}
EMPTY = {"rule": "empty"}
DEFINED = {"rule": "define", "proof": RANGE}


# --- put ----------------------------------------------------------------------------------------
def put(name: str, value: str, proof: Any = RANGE) -> dict[str, Any]:
    return {"rule": "put", "name": name, "value": value, "proof": proof}


EQUAL = ("y - x**2 >= 0", "x**2 - y >= 0")


def test_put_uses_an_equality_or_a_single_point() -> None:
    box = {"x": REAL, "y": REAL}
    assert accepted(sequent("y", box, *EQUAL), put("y", "x**2"))
    assert accepted(sequent("y", box, "2*y - 2*x**2 >= 0", "x**2/3 - y/3 >= 0"), put("y", "x**2"))
    point = Side(Fraction(2), Fraction(2))
    assert accepted(sequent("x - 2", {"x": point}), put("x", "2", {"rule": "constant"}))
    # the range of the variable goes over to its value
    (sub,) = handed_down(sequent("y", {"x": REAL, "y": UNIT}, *EQUAL), put("y", "x**2", PROBE))
    assert [f.strict for f in sub.facts] == [False, False]
    assert sub.names == ("x",)


@pytest.mark.parametrize(
    ("facts", "value"),
    [
        (EQUAL, "x**2 + 1"),  # another value
        (EQUAL[:1], "x**2"),  # only one half of the equality
        (("y - x**2 >= 0", "y - x**2 >= 0"), "x**2"),  # the same half twice
        (("y - x**2 >= 0", "1 + x**2 - y >= 0"), "x**2"),  # a strip
        (EQUAL, "y"),  # the variable itself
        (EQUAL, "z**2"),  # no variable there
        (EQUAL, "x**3/x"),  # no value at x = 0
        (EQUAL, "sqrt(x)**4"),  # no value for x < 0
    ],
)
def test_put_rejects(facts: tuple[str, ...], value: str) -> None:
    s = sequent("y", {"x": REAL, "y": REAL}, *facts)
    for proof in (RANGE, PROBE):
        with pytest.raises(Rejected):
            handed_down(s, put("y", value, proof))


@pytest.mark.parametrize(
    "side",
    [
        Side(Fraction(1), Fraction(2)),
        Side(low=Fraction(2)),
        Side(),
    ],
)
def test_put_needs_the_point(side: Side) -> None:
    assert not accepted(sequent("x - 2", {"x": side}), put("x", "2", {"rule": "constant"}))


def test_put_hands_definedness_down_only_on_the_same_region() -> None:
    box = {"x": REAL, "y": REAL, "z": REAL}
    whole = replace(sequent("y/z", box, *EQUAL, "z**2 - 1 >= 0"), defined=True)
    assert handed_down(whole, put("y", "x**2", PROBE))[0].defined
    # where a fact has a value is lost with the fact: z != 0 here
    holed = replace(sequent("y/z", box, "y - x**2 + z/z - 1 >= 0", EQUAL[1]), defined=True)
    assert not handed_down(holed, put("y", "x**2", PROBE))[0].defined


def test_put_of_a_whole_number_forgets_definedness() -> None:
    """1/(2*y - 1) has values at whole y only; x takes all values after y = x is put in."""
    box = {"x": REAL, "y": REAL}
    s = sequent("1/(2*y - 1)", box, "y - x >= 0", "x - y >= 0", whole="y")
    (sub,) = handed_down(replace(s, defined=True), put("y", "x", PROBE))
    assert not sub.defined
    real = replace(s, defined=True, integers=frozenset())
    assert real.put("y", var("x")).defined
    assert not real.put("y", read_expression("sqrt(x)")).defined


# --- gap ----------------------------------------------------------------------------------------
def gap(**data: Any) -> dict[str, Any]:
    base = {"rule": "gap", "name": "y", "new": "t", "fact": "y - x", "value": "x + t"}
    return {**base, "proof": RANGE, **data}


def test_gap_makes_a_fact_a_variable() -> None:
    box = {"x": NONNEGATIVE, "y": REAL}
    assert accepted(sequent("y", box, "y - x >= 0"), gap())
    twice = sequent("y", box, "2*y - 2*x >= 0")
    assert accepted(twice, gap(fact="y - x", value="x + t"))
    assert accepted(twice, gap(fact="2*y - 2*x", value="x + t/2"))
    assert not accepted(twice, gap(fact="y - x", value="x + t/2"))
    # a fact that became an end of the side of y
    assert accepted(sequent("y", box, "y + 0*x - 1 >= 0"), gap(fact="y - 1 + 0*x", value="1 + t"))
    s = sequent("y", {"x": UNIT, "y": UNIT}, "y - x > 0")
    (sub,) = handed_down(s, gap(high="1", proof=PROBE))
    assert sub.side("t") == Side(Fraction(0), Fraction(1), True, False)
    assert [str(f.expression) for f in sub.facts] == ["((-1 * (x + t)) + 1)"]  # y >= 0 is implied


@pytest.mark.parametrize(
    "data",
    [
        {"value": "x - t"},
        {"value": "x"},
        {"value": "x + t + z"},
        {"value": "y"},
        {"value": "x + t*x/x"},
        {"fact": "y - 2*x"},
        {"new": "x"},
        {"new": "y"},
        {"new": "pi"},
        {"new": "1"},
        {"new": ""},
        {"name": "z"},
        {"high": "1/2"},
        {"high": "nan"},
        {"high": 1},
        {"high": "1/0"},
    ],
)
def test_gap_rejects(data: dict[str, Any]) -> None:
    s = sequent("y", {"x": UNIT, "y": UNIT}, "y - x >= 0")
    assert accepted(s, gap(high="1"))
    with pytest.raises(Rejected):
        handed_down(s, gap(**{"proof": PROBE, **data}))


def test_gap_is_as_open_as_its_fact() -> None:
    box = {"x": NONNEGATIVE, "y": REAL}
    assert accepted(sequent("y", box, "y - x > 0", strict=True), gap())
    assert not accepted(sequent("y", box, "y - x >= 0", strict=True), gap())


def test_gap_keeps_definedness_if_no_point_is_new() -> None:
    s = replace(sequent("log(y)", {"x": POSITIVE, "y": REAL}, "y - x >= 0"), defined=True)
    assert handed_down(s, gap(proof=PROBE))[0].defined
    whole = replace(s, integers=frozenset({"y"}))
    assert not handed_down(whole, gap(proof=PROBE))[0].defined


# --- weaken -------------------------------------------------------------------------------------
def weaken(proof: Any = RANGE, **data: Any) -> dict[str, Any]:
    return {"rule": "weaken", **data, "proof": proof}


def test_weaken_forgets() -> None:
    box = {"x": NONNEGATIVE, "y": REAL}
    s = sequent("x", box, "y**2 - 1 >= 0", "x**2 - 2 >= 0", whole="x y")
    kept = weaken(facts=["x**2 - 2"], variables=["y"], integers=["x"], proof=PROBE)
    (sub,) = handed_down(s, kept)
    assert sub.names == ("x",)
    assert len(sub.facts) == 1
    assert sub.integers == {"x"}
    assert accepted(s, weaken(box={"x": ["-1", None, False, True]}, proof=weaken())) is False
    assert accepted(s, weaken(box={"x": ["0", None, False, True]}))


@pytest.mark.parametrize(
    "data",
    [
        {"variables": ["x"]},  # in the goal
        {"variables": ["y"]},  # in a fact that is kept
        {"variables": ["z"]},
        {"variables": [["y"]]},
        {"variables": "y"},
        {"facts": ["y**2 - 4"]},
        {"facts": [0]},
        {"integers": ["y"]},  # x alone is whole
        {"box": {"x": ["1", None, False, True]}},  # narrower
        {"box": {"x": ["0", None, True, True]}},  # open where it was closed
        {"box": {"z": ["0", None, False, True]}},
        {"box": [["0", None]]},
        {"box": {"x": ["0", None]}},
        {"box": {"x": [0, None, False, False]}},
        {"box": {"x": ["0", None, 0, 0]}},
    ],
)
def test_weaken_rejects(data: dict[str, Any]) -> None:
    s = sequent("x", {"x": NONNEGATIVE, "y": REAL}, "y**2 - 1 >= 0", whole="x")
    assert accepted(s, weaken())
    assert not accepted(s, weaken(**data))


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        ({}, True),
        ({"facts": []}, False),
        ({"integers": []}, False),
        ({"box": {"x": [None, None, False, False]}}, False),
        ({"variables": ["z"]}, True),
        ({"variables": ["e"]}, False),  # an empty side: nothing was known
    ],
)
def test_weaken_keeps_definedness_only_without_new_points(data: Any, kept: bool) -> None:
    empty = Side(Fraction(1), Fraction(0))
    box = {"x": POSITIVE, "y": REAL, "z": UNIT, "e": empty}
    s = replace(sequent("log(x)", box, "y - x**2 >= 0", whole="x"), defined=True)
    assert handed_down(s, weaken(PROBE, **data))[0].defined is kept


# --- tighten and cut ----------------------------------------------------------------------------
def test_tighten_bounds_variables_by_facts() -> None:
    s = sequent("2 - x", {"x": NONNEGATIVE, "y": NONNEGATIVE}, "2 - x - y >= 0")
    assert not accepted(s, RANGE)
    assert accepted(s, {"rule": "tighten", "proof": RANGE})
    below = sequent("1 - x", {"x": NONNEGATIVE, "y": NONNEGATIVE}, "2 - x - y >= 0")
    assert not accepted(below, {"rule": "tighten", "proof": RANGE})
    free = sequent("2 - x", {"x": NONNEGATIVE, "y": REAL}, "2 - x - y >= 0")
    assert not accepted(free, {"rule": "tighten", "proof": RANGE})


def test_cut_needs_both_parts_and_a_test_with_values() -> None:
    # x*(x - y) + y*(y - x) = (x - y)^2, shown on both sides of x = y
    s = sequent("abs(x - y)", {"x": REAL, "y": REAL})
    parts = handed_down(s, {"rule": "cut", "test": "x - y", "proofs": [PROBE, PROBE]})
    assert [str(part.facts[0].expression) for part in parts] == [
        "(x + (-1 * y))",
        "(-1 * (x + (-1 * y)))",
    ]
    low, high = {"rule": "cut", "test": "x"}, sequent("x", {"x": REAL})
    assert not accepted(high, {**low, "proofs": [RANGE, RANGE]})
    assert not accepted(high, {**low, "proofs": [RANGE]})
    holed = sequent("-1/x**2", {"x": REAL})
    for test in ("1/x", "log(x)", "z", "sqrt(x)"):
        cut = {"rule": "cut", "test": test, "proofs": [PROBE, PROBE]}
        with pytest.raises(Rejected):
            handed_down(holed, cut)
    shown = {"rule": "define", "proof": {"rule": "identity"}}
    cut = {"rule": "cut", "test": "exp(x) - 1", "defined": shown, "proofs": [PROBE, PROBE]}
    assert len(handed_down(holed, cut)) == 2


# --- totality -----------------------------------------------------------------------------------
def test_only_define_shows_that_a_goal_has_values() -> None:
    s = replace(sequent("sqrt(x)", {"x": REAL}), total=True)
    assert not accepted(s, RANGE)
    assert not accepted(s, DEFINED)
    assert not accepted(s, weaken(RANGE))
    assert not accepted(s, weaken(weaken(DEFINED)))
    good = replace(s, box=(("x", NONNEGATIVE),))
    assert not accepted(good, RANGE)
    assert accepted(good, DEFINED)
    assert accepted(good, weaken(DEFINED))


@pytest.mark.parametrize(
    "proof",
    [
        put("y", "x", PROBE),
        gap(proof=PROBE),
        weaken(PROBE),
        {"rule": "tighten", "proof": PROBE},
        {"rule": "cut", "test": "x", "proofs": [PROBE, PROBE]},
        {"rule": "values", "name": "n", "first": 1, "last": 1, "proofs": [PROBE],
         "below": PROBE, "above": PROBE},
    ],
)  # fmt: skip
def test_every_rule_for_regions_hands_the_duty_down(proof: dict[str, Any]) -> None:
    box = {"x": REAL, "y": REAL, "n": REAL}
    s = replace(sequent("log(x)", box, "y - x >= 0", "x - y >= 0", whole="n"), total=True)
    found: list[Sequent] = []
    rules = {**RULES, "define": lambda sub, _: found.append(sub)}
    with pytest.raises(Rejected, match="have a value"):
        Proof(proof, {**rules, "probe": RULES["range"]}, Budget()).check(s)
    assert not found


# --- against points -----------------------------------------------------------------------------
def test_no_tree_of_these_rules_proves_what_fails_at_a_point() -> None:
    """Random trees over random small statements: what is accepted holds at all points tried."""
    rng = random.Random(5)
    held = 0
    for _ in range(3_000):
        s = _statement(rng)
        if accepted(s, _tree(rng, 3)):
            held += 1
            assert not list(_failures(s)), s
    assert held > 100


EXPRESSIONS = ("x", "y", "x - y", "y - x", "x + y - 1", "1 - x", "y - x**2", "x**2 - y",
               "x*y", "x**2 + y**2", "1 + x", "2 - y")  # fmt: skip


def _statement(rng: random.Random) -> Sequent:
    sides = (REAL, NONNEGATIVE, UNIT, POSITIVE, Side(Fraction(-1), Fraction(1)),
             Side(Fraction(1), Fraction(1)))  # fmt: skip
    facts = [f"{rng.choice(EXPRESSIONS)} {rng.choice(('>=', '>'))} 0" for _ in range(3)]
    box = {"x": rng.choice(sides), "y": rng.choice(sides)}
    goal = rng.choice((*EXPRESSIONS, "abs(x) - x", "x/y", "1/x"))
    whole = rng.choice(("", "x", "y", "x y"))
    return sequent(goal, box, *facts[: rng.randint(0, 3)], strict=rng.random() < 0.3, whole=whole)


def _tree(rng: random.Random, depth: int) -> dict[str, Any]:
    name, value = rng.choice("xy"), rng.choice(("0", "1", *EXPRESSIONS))
    facts = [[rng.choice(EXPRESSIONS), rng.choice(("1", "2", "1/2"))] for _ in range(2)]
    leaves: list[dict[str, Any]] = [
        RANGE,
        {"rule": "identity"},
        {"rule": "farkas", "multipliers": facts[: rng.randint(0, 2)], "rest": "0"},
        {"rule": "empty", "multipliers": facts},
    ]
    if depth == 0:
        return rng.choice(leaves)
    sub, other = _tree(rng, depth - 1), _tree(rng, depth - 1)
    trees: list[dict[str, Any]] = [
        put(name, value, sub),
        gap(name=name, fact=rng.choice(EXPRESSIONS), value=rng.choice(("x + t", "y - t", "t")),
            proof=sub),
        weaken(sub, facts=rng.sample(EXPRESSIONS, 4)),
        weaken(sub, variables=[name], integers=[]),
        {"rule": "tighten", "proof": sub},
        {"rule": "cut", "test": rng.choice(EXPRESSIONS), "proofs": [sub, other]},
        {"rule": "values", "name": name, "first": 0, "last": 1, "proofs": [sub, other],
         "below": sub, "above": other},
        {"rule": "empty", "fact": rng.choice(EXPRESSIONS), "proof": sub},
    ]  # fmt: skip
    return rng.choice((*trees, *leaves))


def _failures(s: Sequent) -> Any:
    steps = [Fraction(k, 4) for k in range(-12, 13)]
    for x in steps:
        for y in steps:
            point = {"x": x, "y": y}
            if not all(s.side(n).contains(point[n]) for n in s.names):
                continue
            if any(point[n].denominator != 1 for n in s.integers):
                continue
            values = {var(n): number(v) for n, v in point.items()}
            facts = [(_value(f.expression, values), f.strict) for f in s.facts]
            if all(v is not None and (v > 0 or (v == 0 and not strict)) for v, strict in facts):
                goal = _value(s.goal, values)
                if goal is not None and (goal < 0 or (goal == 0 and s.strict)):
                    yield point


def _value(expression: Any, values: Any) -> Fraction | None:
    found = replaced(expression, values)
    if found.op == "abs":
        return abs(found.args[0].number)
    if found.op == "+":  # |x| - x
        return sum((_value(a, {}) for a in found.args), Fraction(0))
    if found.op == "*" and found.args[-1].op == "abs":
        return found.args[0].number * _value(found.args[-1], {})
    return found.number


def test_the_finder_and_the_checker_agree_on_regions(
    refused: Callable[[Problem], str | None],
) -> None:
    from proofs_check.arithmetic.grammar import parse_condition
    from proofs_check.methods.inequality.problem import make_problems

    for claim, hypotheses in [
        ("x*y <= 1/4", ["x + y == 1"]),
        ("x**2 <= y**2", ["x >= 0", "y >= x"]),
        ("x <= 1", ["u**2 <= 4", "x <= 1"]),
        ("n*(n - 1)*(n - 2) >= 0", ["n in N"]),
        ("(1 + 1/n)**n <= E", ["n in N"]),
        ("x**n >= -1", ["-1 <= x <= 1", "n in N", "n <= 4"]),
        ("x/y <= 1", ["x <= y", "y > 0"]),
    ]:
        given = [parse_condition(text) for text in hypotheses]
        for problem in make_problems(parse_condition(claim), given):
            assert refused(problem) is None, claim
