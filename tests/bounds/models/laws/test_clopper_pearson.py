"""The exact interval of a proportion against Arb's incomplete beta function, and SciPy's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from bounds.arithmetic import BallField
from bounds.errors import ParameterError
from bounds.models.laws import clopper_pearson

BALL = BallField(320)


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    with BALL.context():
        yield


def at_least(k: int, n: int, p: Any) -> Any:
    """P(Bin(n, p) >= k) as a regularised incomplete beta function."""
    return arb(p).beta_lower(arb(k), arb(n - k + 1), 1)


CASES = [
    (3, 20, 0.05), (1, 10, 1e-12), (500, 1000, 1e-15), (1, 20000, 1e-18), (2, 10**6, 1e-30),
    (300, 1000, 1e-60), (19000, 20000, 1e-12), (10**6 - 2, 10**6, 1e-9), (1, 2, 0.999),
]  # fmt: skip


@pytest.mark.parametrize(("k", "n", "alpha"), CASES)
def test_both_ends_bracket_the_exact_ones(k: int, n: int, alpha: float) -> None:
    """The tail at the end, moved by 1e-12 of its size (or of its distance from 1), passes alpha."""
    found = clopper_pearson(k, n, 2 * alpha if alpha < 0.5 else alpha)
    level = arb(alpha if alpha < 0.5 else alpha / 2)
    lower, upper, step = arb(found.lower), arb(found.upper), arb("1e-12")
    assert at_least(k, n, lower * (1 - step)) < level < at_least(k, n, lower * (1 + step))
    above, below = upper * (1 + step), upper * (1 - step)
    assert 1 - at_least(k + 1, n, below) > level
    assert above >= 1 or 1 - at_least(k + 1, n, above) < level


@pytest.mark.parametrize("n", [1, 10, 20000])
@pytest.mark.parametrize("alpha", [0.05, 1e-14, 1e-200])
def test_none_and_all(n: int, alpha: float) -> None:
    """0 of n and n of n have closed forms: p^n = alpha."""
    nothing = clopper_pearson(0, n, alpha, sides="upper")
    everything = clopper_pearson(n, n, alpha, sides="lower")
    assert nothing.lower == 0.0
    assert everything.upper == 1.0
    root = (arb(alpha).log() / n).exp()
    assert abs(arb(everything.lower) - root) <= arb("1e-13") * root
    assert abs(arb(nothing.upper) - (1 - root)) <= arb("1e-13") * (1 - root)
    assert clopper_pearson(0, n, alpha).lower == 0.0
    assert clopper_pearson(n, n, alpha).upper == 1.0


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 500), st.floats(1e-9, 0.5), st.data())
def test_symmetry_sides_and_scipy(n: int, alpha: float, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    both = clopper_pearson(k, n, alpha)
    assert both.lower <= k / n <= both.upper
    mirrored = clopper_pearson(n - k, n, alpha)
    assert mirrored.lower == pytest.approx(1 - both.upper, rel=1e-11, abs=1e-15)
    for side in ("lower", "upper"):
        one = clopper_pearson(k, n, alpha / 2, sides=side)
        assert getattr(one, side) == getattr(both, side)
    assert clopper_pearson(k, n, alpha, sides="lower").upper == 1.0
    assert clopper_pearson(k, n, alpha, sides="upper").lower == 0.0
    theirs = binomtest(k, n).proportion_ci(1 - alpha, "exact")
    assert theirs.low == pytest.approx(both.lower, rel=1e-5, abs=1e-8)
    assert theirs.high == pytest.approx(both.upper, rel=1e-5, abs=1e-8)


def test_where_scipys_interval_loses_digits() -> None:
    """The level goes in as 1 - alpha, and the root is sought to an absolute error: 5e-14 is 0."""
    theirs = binomtest(1, 10).proportion_ci(1 - 1e-12, "exact")
    ours = clopper_pearson(1, 10, 1e-12)
    assert theirs.low == 0.0
    assert ours.lower == pytest.approx(5e-14, rel=1e-11)
    exact = at_least(1, 10, ours.lower)
    assert abs(exact - arb(5e-13)) < arb("1e-25")
    assert abs(theirs.high - ours.upper) > 1e-8


@pytest.mark.parametrize(
    ("k", "n", "alpha", "sides", "name"),
    [
        (-1, 5, 0.1, "both", "k"), (6, 5, 0.1, "both", "k"), (1.0, 5, 0.1, "both", "k"),
        (0, 0, 0.1, "both", "n"), (1, True, 0.1, "both", "n"), (1, 5, 0.0, "both", "alpha"),
        (1, 5, 1.0, "both", "alpha"), (1, 5, float("nan"), "both", "alpha"),
        (1, 5, 0.1, "left", "sides"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(k: Any, n: Any, alpha: float, sides: Any, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name} = "):
        clopper_pearson(k, n, alpha, sides=sides)
