"""Points, ranges and boxes: inside their ranges, fixed by (seed, index), simpler by shrinking."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.draws import Draw, simpler_numbers
from bounds.errors import ParameterError, ShapeError
from bounds.parameters import Parametrised, data_of, with_parameters
from bounds.points import (
    LARGEST_EXPONENT,
    Box,
    Point,
    Points,
    Range,
    between,
    box,
    choices,
    integers,
    point,
)

NUMBERS = st.fractions(min_value=-1000, max_value=1000, max_denominator=1000)
ENDS = st.sampled_from(["[]", "(]", "[)", "()"])


@st.composite
def ranges(draw):
    """Any range that is not empty, and choices."""
    low = draw(st.none() | NUMBERS)
    width = draw(st.none() | st.fractions(min_value=Fraction(1, 10**9), max_value=10**6))
    high = None if width is None or low is None else low + width
    kind = draw(st.sampled_from(["real", "integer", "below", "choices"]))
    if kind == "integer":
        first = draw(st.none() | st.integers(-50, 50))
        return integers(first, None if first is None else first + draw(st.integers(0, 9)))
    if kind == "choices":
        return choices(*draw(st.lists(NUMBERS, min_size=1, max_size=4)))
    if kind == "below":
        return between(None, draw(NUMBERS), ends=draw(ENDS))
    return between(low, high, ends=draw(ENDS))


SEEDS = st.integers(0, 1000)


@given(ranges(), SEEDS)
@settings(max_examples=200, derandomize=True)
def test_draws_and_corners_lie_in_the_range(allowed, seed):
    draws = Draw.at(seed)
    for value in [*allowed.corners(), *(allowed.draw(draws) for _ in range(20))]:
        assert isinstance(value, Fraction)
        assert allowed.contains(value)
    assert len(set(allowed.corners())) == len(allowed.corners()) or not isinstance(allowed, Range)
    assert allowed.corners(), "no corner would leave the edge untried"


@pytest.mark.parametrize(
    ("allowed", "inside", "outside"),
    [
        (between(0, 1), [0, "1/2", 1], ["-1/1000", "1001/1000"]),
        (between(0, 1, ends="(]"), ["1/1000", 1], [0]),
        (between(0, 1, ends="[)"), [0, "999/1000"], [1]),
        (between(0, 1, ends="()"), ["1/2"], [0, 1, 2, -1]),
        (between(2), [2, 10**9], ["199/100"]),
        (between(None, 2, ends="()"), [-(10**9)], [2, 3]),
        (between(), [0, -1, "1/7"], []),
        (integers(1, 3), [1, 2, 3], [0, 4, "3/2"]),
        (integers(), [0, -5], ["1/2"]),
        (choices(1, "1/2"), [1, "1/2"], ["3/4", 0]),
    ],
)
def test_contains(allowed, inside, outside):
    assert all(allowed.contains(Fraction(v)) for v in inside)
    assert not any(allowed.contains(Fraction(v)) for v in outside)


def test_corners_hold_the_closed_ends_zero_and_one():
    assert set(between(-1, 2).corners()) >= {-1, 0, 1, 2}
    assert set(integers(1, 3).corners()) == {1, 2, 3}
    assert min(between(0, ends="()").corners()) == Fraction(1, 10**LARGEST_EXPONENT)
    assert max(between(0).corners()) == 10**LARGEST_EXPONENT


@pytest.mark.parametrize(
    "bad",
    [
        lambda: between(1, 0),
        lambda: between(1, 1, ends="(]"),
        lambda: between(0, 1, ends="[["),
        lambda: integers(3, 2),
        lambda: between(0, float("nan")),
        lambda: between("zero"),
        lambda: choices(True),
    ],
)
def test_bad_ranges(bad):
    with pytest.raises(ParameterError):
        bad()


BOX = box(60, a=between(0, 1), b=between(0, ends="()"), n=integers(1, 5), c=choices(1, "1/2"))


@given(st.integers(0, 300), SEEDS)
@settings(max_examples=100, derandomize=True)
def test_a_box_depends_on_seed_and_index_alone(index, seed):
    drawn = BOX.draw(index, seed)
    BOX.draw(index + 1, seed)
    assert BOX.draw(index, seed) == drawn
    allowed = dict(BOX.ranges)
    assert [name for name, _ in drawn.values] == list(allowed)
    assert all(allowed[name].contains(value) for name, value in drawn.values)
    assert all(f"{name}={value}" in drawn.label for name, value in drawn.values)


@given(st.integers(0, 60), SEEDS)
@settings(max_examples=60, derandomize=True)
def test_shrinking_stays_in_the_box_and_gets_simpler(index, seed):
    drawn = BOX.draw(index, seed)
    allowed = dict(BOX.ranges)
    for simpler in BOX.shrink(drawn):
        assert all(allowed[name].contains(value) for name, value in simpler.values)
        assert weight(simpler) < weight(drawn)


def weight(instance):
    return sum(v.denominator + abs(v.numerator) for _, v in instance.values)


def test_half_of_a_box_are_corners_and_seeds_differ():
    first, second = ([BOX.draw(i, seed) for i in range(60)] for seed in (0, 1))
    assert first[:30] == second[:30]
    assert first[30:] != second[30:]
    assert len(set(first)) > 50


@given(NUMBERS)
@settings(derandomize=True)
def test_simpler_numbers_take_less_to_write(value):
    for simpler in simpler_numbers(value):
        assert simpler.denominator + abs(simpler.numerator) < value.denominator + abs(
            value.numerator
        )


def test_points():
    single = point({"x": "1/3", "A": [[1, 2], [3, "1/2"]]}, label="special")
    assert single["x"] == Fraction(1, 3)
    assert single.describe() == {"x": "1/3", "A": [["1", "2"], ["3", "1/2"]]}
    assert single.replaced("x", Fraction(2))["x"] == 2
    assert single["x"] == Fraction(1, 3)
    family = Points((single,))
    assert (family.count, family.draw(0, 7), list(family.shrink(single))) == (1, single, [])
    with pytest.raises(ShapeError):
        point({"A": [[1, 2], [3]]})
    with pytest.raises(ParameterError):
        point({"x": float("inf")})


def test_parameters_join_data_and_points():
    base = Points((point({"k": 1}, "one"), point({"k": 2}, "two")))
    family = with_parameters(base, delta=between(0, 1, ends="()"))
    assert family.count == 4
    drawn = [family.draw(i, 0) for i in range(4)]
    assert [d.data["k"] for d in drawn] == [1, 2, 1, 2]
    assert len({d.point for d in drawn}) == 4
    assert drawn[0].label.startswith("one; delta=")
    assert set(drawn[0].describe()) == {"k", "delta"}
    assert data_of(drawn[0]) is drawn[0].data
    assert data_of(drawn[0].data) is drawn[0].data
    for simpler in family.shrink(drawn[2]):
        assert isinstance(simpler, Parametrised)
        assert 0 < simpler.point["delta"] < 1
    assert isinstance(Box((("x", between(0, 1)),)).draw(0, 0), Point)
