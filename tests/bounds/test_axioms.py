r"""The axiom on the inverse Wishart mean, tried in two ways that do not use it.

At p = 1 it says E[1/(c chi^2_n)] = 1/(c (n - 2)), an integral; for p > 1 samples must agree.
"""

import math

import mpmath
import numpy as np
import pytest

from bounds.axioms import AXIOMS, INVERSE_WISHART_MEAN
from bounds.catalog import builtin_catalog

SAMPLES = 40_000


def inverse_moment(n):
    """E 1/chi^2_n by quadrature of the density."""
    with mpmath.workdps(30):
        constant = mpmath.power(2, mpmath.mpf(n) / 2) * mpmath.gamma(mpmath.mpf(n) / 2)
        value = mpmath.quad(
            lambda t: mpmath.power(t, mpmath.mpf(n) / 2 - 2) * mpmath.exp(-t / 2) / constant,
            [0, 1, n, 4 * n, mpmath.inf],
        )
        return float(value)


@pytest.mark.parametrize("n", [3, 4, 7, 12, 30])
def test_one_dimension_by_quadrature(n):
    assert inverse_moment(n) == pytest.approx(1 / (n - 2), rel=1e-9)
    for wrong in (1 / n, 1 / (n - 1), 1 / (n - 3) if n > 3 else math.inf):
        assert inverse_moment(n) != pytest.approx(wrong, rel=1e-3)


@pytest.mark.parametrize(("n", "p"), [(8, 2), (12, 3), (20, 5)])
def test_more_dimensions_by_samples(n, p):
    rng = np.random.default_rng([0, n, p])
    half = np.eye(p) + rng.uniform(-0.5, 0.5, (p, p))
    covariance = half @ half.T
    rows = rng.standard_normal((SAMPLES, n, p)) @ half.T
    inverses = np.linalg.inv(np.swapaxes(rows, 1, 2) @ rows)
    mean, error = inverses.mean(0), inverses.std(0) / math.sqrt(SAMPLES)
    claimed = np.linalg.inv(covariance) / (n - p - 1)
    assert np.all(np.abs(mean - claimed) < 6 * error)
    for wrong in (n - p, n - p - 2, n):
        other = np.linalg.inv(covariance) / wrong
        assert np.any(np.abs(mean - other) > 6 * error)


def test_the_list_is_closed_and_every_axiom_is_tested_here():
    assert set(AXIOMS) == {INVERSE_WISHART_MEAN.id}
    for key, axiom in AXIOMS.items():
        assert key == axiom.id
        assert axiom.statement
        assert str(axiom.source)
        assert axiom.tested_by == "tests/bounds/test_axioms.py"
    with pytest.raises(TypeError):
        AXIOMS["mine"] = INVERSE_WISHART_MEAN


def test_the_catalogue_uses_axioms_of_the_list_alone():
    used = {h.axiom for claim in builtin_catalog() for h in claim.hypotheses if h.axiom}
    assert used == set(AXIOMS)
