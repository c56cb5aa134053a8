"""Pictures of inequalities."""

import sys
from fractions import Fraction

import numpy as np
import pytest

from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.report.plot import CannotPlot, _values, _window, check_format, draw, picture

pytest.importorskip("matplotlib")


def made(relation, *hypotheses, marked=None):
    return picture(parse_condition(relation), [parse_condition(h) for h in hypotheses], marked)


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_one_variable(tmp_path, ending):
    path = tmp_path / f"picture{ending}"
    draw(made("log(1+x) <= x", "x > -1", marked={"x": Fraction(0)}), path)
    assert path.stat().st_size > 1000
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_two_variables(tmp_path):
    path = tmp_path / "picture.svg"
    draw(made("x*y <= 1/4", "x + y <= 1", "0 <= x <= 1", "0 <= y <= 1"), path)
    text = path.read_text()
    assert text.startswith("<?xml")


def test_the_values_are_those_of_both_sides():
    shown = made("x*(1 - x) <= 1/4", "0 <= x <= 1")
    x = np.array([0.0, 0.25, 0.5])
    left, right, inside = _values(shown, {"x": x})
    assert np.allclose(left, x * (1 - x))
    assert np.allclose(right, 0.25)
    assert inside.all()


def test_where_a_hypothesis_fails_nothing_is_drawn():
    shown = made("x*y <= 1/4", "x + y <= 1")
    _, _, inside = _values(shown, {"x": np.array([0.0, 2.0]), "y": np.array([0.0, 2.0])})
    assert inside.tolist() == [True, False]


def test_a_fixed_variable_is_filled_in():
    shown = made("x + y <= z**2", "z == 3", "0 <= x <= 1")
    assert shown.names == ("x", "y")
    _, right, _ = _values(shown, {"x": np.zeros(2), "y": np.zeros(2)})
    assert right.tolist() == [9.0, 9.0]


def test_infinite_ends_are_cut_beyond_the_marked_point():
    shown = made("x**2 >= x", "x >= 0", marked={"x": Fraction(100)})
    low, high = _window(shown.problem.interval("x"), shown.marked, "x")
    assert low == 0
    assert high > 100


@pytest.mark.parametrize(
    ("relation", "hypotheses", "message"),
    [
        ("1 <= 2", (), "one or two variables, not 0"),
        ("x + y + z <= 1", (), "one or two variables, not 3"),
        ("x != 1", (), "no margin"),
        ("x <= 1", ("x > 0 or x < -1",), "cannot draw these hypotheses"),
    ],
)
def test_what_cannot_be_drawn_is_said(relation, hypotheses, message):
    with pytest.raises(CannotPlot, match=message):
        made(relation, *hypotheses)


def test_the_ending_must_be_known(tmp_path):
    with pytest.raises(CannotPlot, match=r"end the name in \.png"):
        check_format(tmp_path / "picture.jpeg2")


def test_the_remedy_is_named_where_matplotlib_is_missing(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(CannotPlot, match=r"proofs-check\[notebook\]"):
        draw(made("x <= x + 1"), tmp_path / "picture.png")
    assert not list(tmp_path.iterdir())
