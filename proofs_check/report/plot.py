"""An inequality as a picture: both sides over one variable, or their difference over two.

Values are floats; a picture is for the eye and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from bounds.errors import BoundsError
from bounds.files import replacing
from proofs_check.arithmetic.condition import Comparison, Condition, comparisons
from proofs_check.arithmetic.expand import expanded
from proofs_check.arithmetic.floats import Floats, compile_floats, to_float
from proofs_check.methods.inequality.problem import Interval, Problem, make_problems

FORMATS = (".png", ".svg", ".pdf")
_POINTS = 600
_GRID = 160
_REACH = 10.0
# Okabe and Ito's colours, told apart with any colour vision.
_BLUE, _ORANGE, _BLACK = "#0072B2", "#D55E00", "#000000"


class CannotPlot(BoundsError, ValueError):
    """No picture: the message says why and what to do."""


@dataclass(frozen=True)
class Picture:
    """What is drawn: one comparison ``left (sign) right`` over the ranges of its variables.

    ``marked`` is a point to show, such as a counterexample or where both sides meet.
    """

    comparison: Comparison
    problem: Problem
    marked: Mapping[str, Fraction] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables of the two sides that may vary."""
        sides = (*self.comparison.left.symbols(), *self.comparison.right.symbols())
        fixed = {n for n, side in self.problem.box if side.bounded and side.low == side.high}
        return tuple(n for n in self.problem.names if n in sides and n not in fixed)


def check_format(path: Path) -> None:
    """Raises CannotPlot: the ending of the file is not one that can be drawn."""
    if path.suffix.lower() not in FORMATS:
        raise CannotPlot(f"{path}: cannot draw {path.suffix or 'a file without ending'}; "
                         f"end the name in {', '.join(FORMATS)}")  # fmt: skip


def picture(
    relation: Condition, hypotheses: Sequence[Condition], marked: Mapping[str, Fraction] | None
) -> Picture:
    """The first comparison of a relation, ready to be drawn.

    Raises:
        CannotPlot: it has no variable or more than two, or the hypotheses hold an ``or``.
    """
    comparison = next(comparisons(relation), None)
    if comparison is None:
        raise CannotPlot("there is no comparison to draw")
    if comparison.sign == "!=":
        raise CannotPlot(f"{comparison} has no margin to draw; draw <= or < instead")
    try:
        problem = make_problems(comparison, list(hypotheses))[0]
    except BoundsError as error:
        raise CannotPlot(f"cannot draw these hypotheses: {error}") from None
    found = Picture(comparison, problem, marked)
    if not 1 <= len(found.names) <= 2:
        count = len(found.names)
        raise CannotPlot(f"a picture needs one or two variables, not {count}: "
                         "fix the others with --where, such as 'z == 1'")  # fmt: skip
    return found


def draw(shown: Picture, path: Path) -> None:
    """Write the picture; the file appears only when it is whole.

    Raises:
        CannotPlot: matplotlib is missing, or the ending is not one that can be drawn.
    """
    check_format(path)
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise CannotPlot('matplotlib is missing; pip install "proofs-check[notebook]"') from error
    figure = Figure(figsize=(7.0, 4.5), layout="constrained")
    axes = figure.subplots()
    if len(shown.names) == 1:
        _line(shown, axes)
    else:
        _map(shown, figure, axes)
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150)


def _line(shown: Picture, axes: Any) -> None:
    """Both sides over one variable."""
    (name,) = shown.names
    x = _axis(shown, name, _POINTS)
    left, right, inside = _values(shown, {name: x})
    comparison = shown.comparison
    axes.plot(x, np.where(inside, left, np.nan), color=_BLUE, label=_short(comparison.left))
    axes.plot(
        x, np.where(inside, right, np.nan), color=_ORANGE, ls="--", label=_short(comparison.right)
    )
    if shown.marked is not None and name in shown.marked:
        place = to_float(shown.marked[name])
        axes.axvline(place, color=_BLACK, lw=0.8, ls=":", label=f"{name} = {shown.marked[name]}")
    axes.set_xlabel(name)
    axes.set_ylabel("value of each side")
    axes.set_title(_title(comparison))
    axes.legend()


def _map(shown: Picture, figure: Any, axes: Any) -> None:
    """right - left over two variables, with the line where it is zero."""
    first, second = shown.names
    x, y = np.meshgrid(_axis(shown, first, _GRID), _axis(shown, second, _GRID))
    left, right, inside = _values(shown, {first: x, second: y})
    margin = np.ma.masked_invalid(np.where(inside, right - left, np.nan))
    image = axes.pcolormesh(x, y, margin, cmap="cividis", shading="auto", rasterized=True)
    figure.colorbar(image, ax=axes, label="right side minus left side")
    if margin.count() and margin.min() < 0 < margin.max():
        axes.contour(x, y, margin.filled(np.nan), levels=[0.0], colors=_ORANGE)
    if shown.marked is not None and {first, second} <= set(shown.marked):
        place = [to_float(shown.marked[name]) for name in (first, second)]
        axes.plot(*place, marker="o", color=_ORANGE, markeredgecolor=_BLACK)
    axes.set_xlabel(first)
    axes.set_ylabel(second)
    axes.set_title(_title(shown.comparison))


def _axis(shown: Picture, name: str, count: int) -> Floats:
    low, high = _window(shown.problem.interval(name), shown.marked, name)
    found: Floats = np.linspace(low, high, count)
    return found


def _window(
    side: Interval, marked: Mapping[str, Fraction] | None, name: str
) -> tuple[float, float]:
    """The range to draw: an infinite end is cut off, a little beyond the marked point."""
    place = to_float(marked[name]) if marked is not None and name in marked else 0.0
    reach = max(_REACH, 2 * min(abs(place), 1e6))
    low = None if side.low is None else to_float(side.low)
    high = None if side.high is None else to_float(side.high)
    if low is None and high is None:
        return -reach, reach
    if low is None and high is not None:
        return high - reach, high
    if high is None and low is not None:
        return low, low + reach
    return float(low or 0.0), float(high or 0.0)


def _values(shown: Picture, values: Mapping[str, Floats]) -> tuple[Floats, Floats, Floats]:
    """Both sides, and whether the hypotheses hold; variables with a single value are filled in."""
    shape = next(iter(values.values())).shape
    full = dict(values)
    for name, side in shown.problem.box:
        if name not in full:
            full[name] = np.full(shape, to_float(side.low if side.low is not None else Fraction(0)))
    constraints = [c.expression for c in shown.problem.constraints]
    sides = [expanded(shown.comparison.left), expanded(shown.comparison.right)]
    left, right, *others = compile_floats([*sides, *constraints])(full)
    inside = np.ones(shape, dtype=bool)
    for other in others:
        inside &= other >= 0
    return left, right, inside


def _title(comparison: Comparison) -> str:
    sign = {"<=": "≤", "<": "<", "=": "="}[comparison.sign]
    return f"{_short(comparison.left)} {sign} {_short(comparison.right)}"


def _short(node: Any) -> str:
    text = str(node)
    return text if len(text) <= 40 else text[:37] + "..."
