"""Covers of boxes: what is accepted, and what plausible but wrong certificates get."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.recheck.cover import Cover
from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.kernel import Budget
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.registry import check
from proofs_check.recheck.sequent import Fact, Sequent, Side

UNIT = Side(Fraction(0), Fraction(1))
SQUARE = {"x": UNIT, "y": UNIT}


def sequent(
    goal: str, box: dict[str, Side] = SQUARE, facts: tuple[str, ...] = (), strict: bool = False
) -> Sequent:
    """Facts are texts, those with ``> `` in front strict."""
    read = tuple(Fact(read_expression(f.removeprefix(">")), f.startswith(">")) for f in facts)
    return Sequent(read_expression(goal), strict, tuple(box.items()), read)


def proof(s: Sequent, tree: Any, **more: Any) -> dict[str, Any]:
    box = [[name, str(side.low), str(side.high)] for name, side in s.box]
    return {"rule": "boxes", "box": box, "tree": tree, **more}


def accepted(s: Sequent, tree: Any, **more: Any) -> bool:
    try:
        check(s, proof(s, tree, **more))
    except Rejected:
        return False
    return True


def side(low: str, high: str, *, open_low: bool = False, open_high: bool = False) -> Side:
    return Side(Fraction(low), Fraction(high), open_low, open_high)


# --- what is accepted ---------------------------------------------------------------------------
TRUE = [
    ("range", sequent("exp(x) - y"), "."),
    ("range after a cut", sequent("x*y - x - y + 2"), "A.."),
    ("mean value", sequent("exp(x) - 1 - x + y/10 + 1/100"), "AA..A.."),
    ("monotone to a corner", sequent("x*y + x - y + 1"), "."),
    ("face", sequent("x*(exp(x*y) - 1)*(1 + y)"), "<A."),
    ("slope on the upper half", sequent("x - 1/4 + y", {"x": side("1/4", "2"), "y": UNIT}), "A.a"),
    ("dropped to an edge", sequent("x + sin(y)"), "<A."),
    ("dropped to a corner", sequent("x + sin(y)"), "<A<B."),
    ("outside the facts", sequent("x + y - 1/2", facts=("x + y - 1",)), "AB.B..B.."),
    (
        "slope and face within facts",
        sequent("sin(x) + y", {"x": UNIT, "y": side("1/2", "1")}, ("x + y - 1/3",)),
        "B<B.b",
    ),
    (
        "an isolated point in the closure of a strict fact",
        sequent("x - 9/20 + y", facts=(">x*x*(x - 1/2)",)),
        "A.A.a",
    ),
    ("a kink", sequent("abs(x - 1/3) + y - x + 34/100"), "AB..B.."),
    ("undefined on a part", sequent("2 - sqrt(x - 1/3)/(1 + y)"), "A.."),
    ("an explicit cut", sequent("(x - 1/3)**2 + 1/1000"), ["split", "x", "1/3", ".", "."]),
    ("a proof of its own", sequent("x**2 + y"), {"rule": "terms"}),
]


@pytest.mark.parametrize(("s", "tree"), [t[1:] for t in TRUE], ids=[t[0] for t in TRUE])
def test_right_covers_are_accepted(s: Sequent, tree: Any) -> None:
    check(s, proof(s, tree))


PEELED = [
    ("one face", "x*exp(y)", [["x", 0, 1]]),
    ("order two", "exp(x) - 1 - x", [["x", 0, 2]]),
    ("the high end", "(1 - x)*exp(y)", [["x", 1, 1]]),
    ("two faces", "exp(x*y) - 1 - x*y", [["x", 0, 2]]),
    ("two variables", "sinh(x)*sinh(y)", [["x", 0, 1], ["y", 0, 1]]),
    ("a kink, once", "abs(x)*exp(y)", [["x", 0, 1]]),
]


@pytest.mark.parametrize(("goal", "ends"), [t[1:] for t in PEELED], ids=[t[0] for t in PEELED])
def test_integrals_from_faces_are_accepted(goal: str, ends: list[Any]) -> None:
    s = sequent(goal)
    check(s, proof(s, ".", peels=[ends]))


# --- forgeries ----------------------------------------------------------------------------------
LINE = {"x": UNIT}
FALSE = [
    ("too low", sequent("x - 1/2", LINE)),
    ("too low in the middle", sequent("(x - 1/2)**2 - 1/10**6", LINE)),
    ("only a point is wrong", sequent("x", LINE, strict=True)),
    ("touches, strict", sequent("(x - 1/2)**2", LINE, strict=True)),
    ("jumps down", sequent("floor(x) - x + 1/2", LINE)),
    ("jumps down at the end", sequent("x - floor(x) - 1/4*x", LINE)),
    ("a sign", sequent("sign(x - 1/2) + 1/2 + x/10", LINE)),
    ("a pole", sequent("1/x", {"x": side("-1", "1")})),
    ("minus infinity at an open end", sequent("log(x) + 20", {"x": side("0", "1", open_low=True)})),
    ("a square root", sequent("x - sqrt(x)", LINE)),
    ("a kink", sequent("abs(x - 1/2) - 1/100", LINE)),
    ("a cut-off kink", sequent("max(x, 1/2) - 51/100", LINE)),
    ("above a fact", sequent("x + y - 5/4", facts=("x + y - 1",))),
    (
        "an isolated point in the closure",
        sequent("x - 11/10", {"x": side("0", "2")}, (">x*x*(x - 1)",)),
    ),
    ("at the edge of a strict fact", sequent("x + y - 1", facts=("x + y - 1",), strict=True)),
    ("where a fact is just met", sequent("x + y - 1/2", facts=("-x*y",))),
    ("steeper down than up", sequent("x**2 - 49/50*x + 2301/10**4", {"x": side("0", "1/2")})),
    ("a fact without value", sequent("x - 1/2", LINE, ("log(x - 1/4) + 2",))),
]
TREES = [".", "a", "<A.", ">A.", "A..", "Aa.", "A.a", "Aaa", "A<A..", "A>A.a", "AAaa.", "Aa<A."]
TREES += ["AA..Aa.", "AA>A..>A<A.", "A" * 3 + "a" * 4]


@pytest.mark.parametrize("s", [t[1] for t in FALSE], ids=[t[0] for t in FALSE])
@pytest.mark.parametrize("tree", TREES)
def test_no_tree_proves_what_is_false(s: Sequent, tree: str) -> None:
    peels = [[], [[["x", 0, 1]]], [[["x", 1, 1]]], [[["x", 0, 2]]]]
    for peel in peels:
        assert not accepted(s, tree, peels=peel)


@pytest.mark.parametrize("tree", ["<A.", "A<A..", "Aa.", "B<A.<A.", "B<Aaa", "<A<B."])
def test_a_face_must_be_reached_within_the_facts(tree: str) -> None:
    # On the face x = 0 the fact never holds, and so says nothing about the goal.
    s = sequent("x - 9/10", {"x": UNIT, "y": side("1/2", "1")}, ("x + y - 11/10",))
    assert not accepted(s, tree)


def test_a_slope_box_needs_room() -> None:
    s = sequent("x + 1", LINE)
    assert accepted(s, "a")  # settled by its range
    assert not accepted(sequent("x - 1/8", LINE), "AAa..")


def test_global_boxes_need_values_and_facts_throughout() -> None:
    box = {"x": (Fraction(0), Fraction(1)), "y": (Fraction(1, 2), Fraction(1))}
    domain = {"x": (Fraction(0), Fraction(1)), "y": (Fraction(0), Fraction(1))}
    for goal, facts, fine in [
        ("y + exp(x)", (), True),
        ("y + log(x)", (), False),
        ("y + sqrt(x - 1/9)", (), False),
        ("y + floor(x)", (), False),
        ("y + exp(x)", ("x*y + 1/9",), True),
        ("y + exp(x)", ("x*y",), False),
        ("y + exp(x)", ("log(x) + 9",), False),
    ]:
        cover = Cover(sequent(goal, facts=facts), domain, Budget())
        assert cover.inner(box) is fine
        assert cover.escapes(box, "y") is fine
        assert cover.falls_to(box, "y", 0) is fine


def test_slope_boxes_alone_prove_nothing() -> None:
    s = sequent("x + y - 5", {"x": side("0", "1"), "y": side("0", "1")})
    for tree in ("AaBab", "ABaab", "BAabAab", "AB.aBba"):
        assert not accepted(s, tree)


def test_the_wrong_face() -> None:
    s = sequent("1/2 - x", LINE)
    assert not accepted(s, "<A.")
    assert not accepted(s, "A.>A.")


BAD_PEELS = [
    ("the integrand changes sign", "x*(y - 1/2)", [["x", 0, 1]]),
    ("the integrand is negative", "-x*y", [["x", 0, 1]]),
    ("the wrong sign at the high end", "(x - 1)*y", [["x", 1, 1]]),
    ("no zero on the face", "x - 1/2", [["x", 0, 1]]),
    ("the other face", "x - 1", [["x", 0, 1]]),
    ("the derivative does not vanish", "x*(x - 1/2)", [["x", 0, 2]]),
    ("a variable twice", "x*(x - 1)", [["x", 0, 1], ["x", 1, 1]]),
    ("order zero", "x - 1/2", [["x", 0, 0]]),
    ("no face", "x - 1/2", []),
    ("a kink, twice", "abs(x - 1/2)*x - x/4", [["x", 0, 1], ["y", 0, 1]]),
]


@pytest.mark.parametrize(
    ("goal", "ends"), [t[1:] for t in BAD_PEELS], ids=[t[0] for t in BAD_PEELS]
)
def test_wrong_integrals_are_rejected(goal: str, ends: list[Any]) -> None:
    for tree in (".", "A..", "AB..B.."):
        assert not accepted(sequent(goal), tree, peels=[ends])


def test_an_integral_may_not_cross_a_pole() -> None:
    box = {"x": side("-1", "1")}
    s = sequent("-(x + 1)/x", box)  # 0 at x = -1, its slope 1/x**2 > 0, negative for x > 0
    assert not accepted(s, "A..", peels=[[["x", 0, 1]]])


def test_strict_claims_have_no_faces() -> None:
    assert accepted(sequent("x*y"), "<A.")
    assert not accepted(sequent("x*y", strict=True), "<A.")
    assert not accepted(sequent("x*y", strict=True), ".", peels=[[["x", 0, 1]]])


def test_a_proof_of_a_part_counts_for_that_part_only() -> None:
    s = sequent("x - 1/2", LINE)
    half = {"rule": "terms"}
    assert not accepted(s, ["split", "x", "1/2", half, "."])
    assert not accepted(s, ["split", "x", "0", ".", "."])
    for at in ("-1", "2", "1/0", "x", 1, None, "pi"):
        assert not accepted(sequent("x + 1", LINE), ["split", "x", at, ".", "."])


def test_the_box_must_hold_the_region() -> None:
    s = sequent("x - 1/2", LINE)
    for low, high in (("1/2", "1"), ("1/2", "2"), ("1", "0")):
        with pytest.raises(Rejected, match="box"):
            check(s, {"rule": "boxes", "box": [["x", low, high]], "tree": "."})
    check(sequent("x", LINE), {"rule": "boxes", "box": [["x", "-5", "5"]], "tree": "A.."})
    for box in ([], [["y", "0", "1"]], [["x", "0", "1"], ["x", "0", "1"]]):
        with pytest.raises(Rejected):
            check(sequent("x", LINE), {"rule": "boxes", "box": box, "tree": "."})


def test_unbounded_regions_are_rejected() -> None:
    s = sequent("x + 1", {"x": Side(low=Fraction(0))})
    with pytest.raises(Rejected, match="bounded"):
        check(s, {"rule": "boxes", "box": [["x", "0", "1"]], "tree": "."})


WRONG = ["", "..", "A.", "A...", "B..", "<", "<a.", "<B.", "1", "ß", "ſ", "aa", "A" * 2000]
WRONG += [
    "é",
    "\x00",
    None,
    1,
    [],
    {},
    ["split"],
    ["split", "y", "0", ".", "."],
    ["well", 0],
    ["well", True],
]
WRONG += [["split", "x", "1/2", "."], [["split"]], {"rule": 1}, {"rule": "unknown"}, 0.5]


@pytest.mark.parametrize("tree", WRONG, ids=lambda t: repr(t)[:20])
def test_malformed_trees_are_rejected(tree: Any) -> None:
    s = sequent("x + 1", LINE)
    with pytest.raises(Rejected):
        check(s, proof(s, tree))


@pytest.mark.parametrize(
    "more",
    [
        {"bits": 0}, {"bits": 10**9}, {"bits": "64"}, {"bits": True}, {"bits": float("nan")},
        {"peels": 1}, {"peels": [1]}, {"peels": [[["x", 2, 1]]]}, {"peels": [[["x", 0, 10**9]]]},
        {"peels": [[["z", 0, 1]]]}, {"peels": [[["x", True, 1]]]}, {"peels": [[]] * 100},
        {"wells": [1]}, {"wells": {}}, {"wells": [{}]}, {"box": {}}, {"box": [["x", 0, 1]]},
        {"box": [["x", "0", "1", "2"]]}, {"box": [["x", "log(2)", "1"]]}, {"box": [None]},
        {"box": [["x", "nan", "1"]]}, {"box": "x"}, {"box": [[["x"], "0", "1"]]},
    ],
    ids=repr,
)  # fmt: skip
def test_malformed_data_are_rejected(more: dict[str, Any]) -> None:
    s = sequent("x + 1", LINE)
    with pytest.raises(Rejected):
        check(s, {**proof(s, "."), **more})


def test_deep_trees_end() -> None:
    s = sequent("x + 1", LINE)
    tree: Any = "."
    for _ in range(300):
        tree = ["split", "x", "1/2", tree, "."]
    assert not accepted(s, tree)


# --- acceptance against values ------------------------------------------------------------------
GOALS = {
    "x*y - x/2 + y/3": lambda x, y: x * y - x / 2 + y / 3,
    "exp(x - y) - x*y - 1": lambda x, y: math.exp(x - y) - x * y - 1,
    "abs(x - y) - x*(1 - y)": lambda x, y: abs(x - y) - x * (1 - y),
    "sin(3*x) + (y - 1/3)**2": lambda x, y: math.sin(3 * x) + (y - 1 / 3) ** 2,
    "max(x, y) - x**2 - y/2": lambda x, y: max(x, y) - x**2 - y / 2,
    "sqrt(x)*y - x": lambda x, y: math.sqrt(x) * y - x,
}
FACTS = {"x + y - 1": lambda x, y: x + y - 1, "y - x**2": lambda x, y: y - x**2}
GRID = [(i / 40, j / 40) for i in range(41) for j in range(41)]


@st.composite
def texts(draw: st.DrawFn, depth: int = 0) -> str:
    """A random tree over two axes."""
    sign = draw(st.sampled_from("AB<>." if depth < 4 else ".ab"))
    if sign in "<>":
        return sign + draw(st.sampled_from("AB")) + draw(texts(depth + 1))
    if sign in "AB":
        return sign + draw(texts(depth + 1)) + draw(texts(depth + 1))
    return draw(st.sampled_from(".ab"))


@settings(max_examples=150, deadline=None)
@given(
    goal=st.sampled_from(sorted(GOALS)),
    shift=st.integers(-12, 24),
    fact=st.sampled_from([None, *sorted(FACTS)]),
    tree=texts(),
    strict=st.booleans(),
)
def test_what_is_accepted_is_true(
    goal: str, shift: int, fact: str | None, tree: str, strict: bool
) -> None:
    s = sequent(f"{goal} + {shift}/20", facts=(fact,) if fact else (), strict=strict)
    if accepted(s, tree):
        for x, y in GRID:
            if fact is None or FACTS[fact](x, y) >= 0:
                assert GOALS[goal](x, y) + shift / 20 >= -1e-12
