"""The enclosed tail of |Ax + b|^2 against closed forms and series that share no code with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import BallField
from bounds.errors import ParameterError
from bounds.models.laws import enclosed, gaussian_norm_tail, noncentral_chi_square_sf

BALL = BallField()


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    with BALL.context():
        yield


def diagonal(values: Sequence[Any]) -> Any:
    n = len(values)
    return arb_mat([[arb(values[i]) if i == j else arb(0) for j in range(n)] for i in range(n)])


def reflection(n: int) -> Any:
    """I - 2 v v^T/|v|^2 for a rational v: orthogonal, and in balls."""
    v = arb_mat([[arb(i * i + 1) / (i + 2)] for i in range(n)])
    return diagonal([1] * n) - (2 / (v.transpose() * v)[0, 0]) * v * v.transpose()


def tails(S: Any, b: Sequence[Any], t: Any) -> tuple[Any, Any]:
    column = arb_mat([[arb(x)] for x in b])
    upper, lower = (gaussian_norm_tail(S, column, arb(t), upper=side) for side in (True, False))
    assert (upper + lower - 1).contains(0)
    return upper, lower


def relative(x: Any) -> float:
    return float((x.rad() / x.lower()).upper())


def folded_normal(deviation: Any, b: Any, r: Any) -> Any:
    """P(|deviation x + b| > r) by the error function."""
    root = arb(2).sqrt() * arb(deviation)
    return (((arb(r) - b) / root).erfc() + ((arb(r) + b) / root).erfc()) / 2


@pytest.mark.parametrize(
    ("b", "r"), [(0, 3), (0, 13), (0, 38), (1, 6), (1000, 1013), (10**9, 10**9 + 5), (-4, 20)]
)
def test_one_dimension_is_a_folded_normal(b: int, r: int) -> None:
    upper, _ = tails(diagonal([1]), [b], r * r)
    assert upper.overlaps(folded_normal(1, arb(b), r))
    assert relative(upper) < 1e-20


@pytest.mark.parametrize(("b", "r"), [(3, "1e-10"), (8, 1), (20, 2)])
def test_one_dimension_below(b: int, r: Any) -> None:
    _, lower = tails(diagonal([1]), [b], arb(r) ** 2)
    root = arb(2).sqrt()
    expected = (((arb(b) - arb(r)) / root).erfc() - ((arb(b) + arb(r)) / root).erfc()) / 2
    assert lower.overlaps(expected)
    assert relative(lower) < 1e-12


def hypoexponential(values: Sequence[Fraction], t: Any) -> Any:
    """Pairs of equal eigenvalues, no offset: a sum of exponentials, by partial fractions."""
    total = arb(0)
    for i, rate in enumerate(values):
        weight = arb(1)
        for other in (x for j, x in enumerate(values) if j != i):
            weight *= arb(1) / (1 - arb(other.numerator * rate.denominator)
                                / (other.denominator * rate.numerator))  # fmt: skip
        total += weight * (-arb(t) * rate.denominator / (2 * arb(rate.numerator))).exp()
    return total


@pytest.mark.parametrize(
    ("values", "t"),
    [
        ([Fraction(1), Fraction(1, 3)], 5),
        ([Fraction(1), Fraction(1, 3), Fraction(1, 7)], 200),
        ([Fraction(1), Fraction(1, 10**6), Fraction(1, 10**12)], 40),
        ([Fraction(5), Fraction(4), Fraction(3), Fraction(2)], 1000),
    ],
)
@pytest.mark.parametrize("rotated", [False, True])
def test_pairs_of_equal_eigenvalues(values: list[Fraction], t: int, rotated: bool) -> None:
    ctx.prec = 256
    S = diagonal([arb(x.numerator) / x.denominator for x in values for _ in range(2)])
    Q = reflection(2 * len(values))
    expected = hypoexponential(values, t)
    ctx.prec = 128
    upper, lower = tails(Q * S * Q.transpose() if rotated else S, [0] * (2 * len(values)), t)
    assert upper.overlaps(expected)
    assert lower.overlaps(1 - expected)
    assert relative(upper) < 1e-18


@pytest.mark.parametrize(
    ("df", "nc", "x"), [(1, 0, 4), (3, 5, 2), (4, 50, 200), (6, 0, 1), (2, 1000, 700)]
)
def test_equal_eigenvalues_are_a_noncentral_chi_square(df: int, nc: int, x: int) -> None:
    shift = reflection(df) * arb_mat([[arb(nc).sqrt()]] + [[arb(0)]] * (df - 1))
    upper, _ = tails(diagonal([1] * df), [shift[i, 0] for i in range(df)], x)
    expected = noncentral_chi_square_sf(BALL, BALL.number(x), df, BALL.number(nc))
    assert upper.overlaps(expected)
    assert abs(upper - expected) < arb("1e-30")


def ruben(values: Sequence[float], offsets: Sequence[float], t: float) -> mpmath.mpf:
    """Ruben's series (1962): a mixture of central chi-squares, by mpmath at 60 digits."""
    with mpmath.workdps(60):
        lam, shift = [mpmath.mpf(x) for x in values], [mpmath.mpf(x) for x in offsets]
        beta, n = min(lam), len(lam)
        ratios = [1 - beta / x for x in lam]
        nc = [b * b / x for b, x in zip(shift, lam, strict=True)]
        weights = [mpmath.exp(-mpmath.fsum(nc) / 2)]
        weights[0] *= mpmath.fprod(mpmath.sqrt(beta / x) for x in lam)
        steps: list[mpmath.mpf] = []
        for k in range(1, 500):
            steps.append(
                mpmath.fsum(
                    r**k + k * d * (beta / x) * r ** (k - 1)
                    for r, d, x in zip(ratios, nc, lam, strict=True)
                )
                / 2
            )
            pairs = zip(reversed(weights), steps, strict=True)
            weights.append(mpmath.fsum(a * s for a, s in pairs) / k)
        half = mpmath.mpf(t) / (2 * beta)
        return mpmath.fsum(
            w * mpmath.gammainc(mpmath.mpf(n) / 2 + k, half, regularized=True)
            for k, w in enumerate(weights)
        )


@pytest.mark.parametrize(
    ("values", "offsets", "t"),
    [([1, 0.5, 0.25], [1, -2, 0.5], 20), ([2, 1], [0, 3], 40), ([1, 0.75, 0.5, 0.5], [1] * 4, 1)],
)
def test_against_rubens_series(values: list[float], offsets: list[float], t: float) -> None:
    upper, lower = tails(diagonal(values), offsets, t)
    expected = arb(mpmath.nstr(ruben(values, offsets, t), 40))
    assert abs(upper - expected) < arb("1e-25")
    assert abs(lower - (1 - expected)) < arb("1e-25")


def test_far_below_1e_39() -> None:
    upper, _ = tails(diagonal([1, 0.5, 0.2]), [1, 2, 3], 10**4)
    assert upper < arb("1e-1000")
    assert upper > 0
    assert relative(upper) < 1e-20


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 4), st.floats(0.1, 30))
def test_singular_covariances_against_one_less_rotation(
    seed: int, rows: int, columns: int, t: float
) -> None:
    """S = A A^T of any rank against its own rotation, which leaves the law of |.|^2 alone."""
    with BALL.context():
        rng = np.random.default_rng(seed)
        A = arb_mat(rng.integers(-3, 4, size=(rows, columns)).tolist())
        b = arb_mat([[int(x)] for x in rng.integers(-2, 3, size=rows)])
        S, Q = A * A.transpose(), reflection(rows)
        first = gaussian_norm_tail(S, b, arb(t), upper=True)
        turned = gaussian_norm_tail(Q * S * Q.transpose(), Q * b, arb(t), upper=True)
        assert first.overlaps(turned)
        norms = np.sum(
            (rng.normal(size=(4000, columns)) @ np.array([[float(A[i, j]) for i in range(rows)]
             for j in range(columns)]) + [float(x) for x in b.entries()]) ** 2, axis=1
        )  # fmt: skip
        assert float(first) == pytest.approx(float(np.mean(norms > t)), abs=0.06)


def test_the_part_that_no_noise_moves() -> None:
    S = diagonal([1, 0, 0])
    upper, _ = tails(S, [0, 1, 2], 6)
    assert upper.overlaps(folded_normal(1, arb(0), 1))
    assert tails(S, [0, 1, 2], "4.9")[1] < arb("1e-100")
    assert tails(S, [0, 1, 2], 5)[0] > 1 - arb("1e-30")


def test_without_noise_and_at_or_below_zero() -> None:
    nothing = diagonal([0, 0])
    assert tails(nothing, [3, 4], 24)[0] == 1
    assert tails(nothing, [3, 4], 25)[0] == 0
    assert tails(nothing, [3, 4], 26)[0] == 0
    assert tails(diagonal([1]), [0], 0)[0] == 1
    assert tails(diagonal([1]), [0], -1)[0] == 1


def test_wide_data_give_wide_enclosures_that_hold() -> None:
    narrow = [tails(diagonal([x]), [1], 9)[0] for x in ("0.99", 1, "1.01")]
    wide = tails(diagonal([arb(1, "0.01")]), [1], 9)[0]
    assert all(wide.contains(x) for x in narrow)
    threshold = tails(diagonal([1]), [1], arb(9, 1))[0]
    assert threshold.contains(tails(diagonal([1]), [1], "8.1")[0])
    assert threshold.contains(tails(diagonal([1]), [1], "9.9")[0])
    unknown = tails(diagonal([arb(0, 1)]), [1], 9)[0]
    assert unknown.contains(0)
    hopeless = gaussian_norm_tail(diagonal([arb.nan()]), arb_mat([[1]]), arb(1), upper=True)
    assert hopeless.contains(0)
    assert hopeless.contains(1)


def test_negative_variances_are_named() -> None:
    with pytest.raises(ParameterError, match=r"^covariance = "):
        tails(diagonal([1, -1]), [0, 0], 1)
    with pytest.raises(ParameterError, match=r"^covariance = "):
        tails(arb_mat([[1, 2], [2, 1]]), [0, 0], 1)


@pytest.mark.parametrize("evaluations", [10, 300])
def test_an_integral_cut_short_is_wide_never_wrong(
    evaluations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = tails(diagonal([1, 0.5]), [1, 1], 30)[0]
    monkeypatch.setattr(enclosed, "_EVALUATIONS", evaluations)
    assert tails(diagonal([1, 0.5]), [1, 1], 30)[0].contains(truth)


@pytest.mark.parametrize("reach", [0.005, 0.05, 0.2])
@pytest.mark.parametrize("t", [1, 30, 100])
def test_a_path_cut_short_is_wide_never_wrong(
    reach: float, t: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound on what lies beyond the end of the path is large here, and is needed."""
    truth = tails(diagonal([1, 0.5]), [1, 1], t)[0]
    monkeypatch.setattr(enclosed, "_FALL_PER_BIT", reach)
    short = tails(diagonal([1, 0.5]), [1, 1], t)[0]
    assert short.contains(truth)
    assert short.rad() > 1000 * truth.rad()


@pytest.mark.parametrize("t", [1, 5, 60])
def test_unknown_correlations_are_enclosed(t: int) -> None:
    """An off-diagonal entry known to 1e-4: the enclosure holds the tail for every value in it."""
    unknown = arb(0, "1e-4")
    wide = tails(arb_mat([[1, unknown], [unknown, arb("0.5")]]), [2, -1], t)[0]
    for entry in ("1e-4", "-1e-4", "3e-5"):
        S = arb_mat([[1, arb(entry)], [arb(entry), arb("0.5")]])
        assert wide.contains(tails(S, [2, -1], t)[0])
    assert wide.rad() < 0.1 * wide
