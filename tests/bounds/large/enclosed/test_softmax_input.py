"""What enclosed attention refuses, and how it says so."""

from fractions import Fraction

import numpy as np
import pytest

from bounds.attention.kernels import ExponentialKernel, GaussianKernel, LinearKernel
from bounds.errors import ParameterError, ShapeError, UndefinedError
from bounds.large.enclosed.softmax import enclosed_softmax
from bounds.large.source import tokens

SOFTMAX, NADARAYA = ExponentialKernel(Fraction(3)), GaussianKernel(Fraction(3, 2))


@pytest.mark.parametrize("kernel", [SOFTMAX, NADARAYA], ids=["softmax", "nadaraya-watson"])
@pytest.mark.parametrize("scale", [1e4, 1e9, 1e200])
def test_logits_beyond_reach_are_refused(kernel, scale):
    K = np.array([[1.0, 2.0], [2.0, -1.0]])
    with pytest.raises(UndefinedError, match="scale the keys or raise gamma"):
        enclosed_softmax(kernel, tokens(K * scale, K), [[1.5 * scale, 2.0 * scale]])


def test_scores_swamped_by_rounding_are_refused():
    K, Q = np.array([[1e9, 0.0], [0.0, 1.0]]), np.array([[0.0, 1e9 / 3]]) * 1e-3
    with pytest.raises(UndefinedError, match="rounding reaches 1") as caught:
        enclosed_softmax(SOFTMAX, tokens(K * [[1e6], [1e-6]], K), Q)
    assert not caught.value.certain


def test_values_that_overflow_are_refused():
    V = np.array([[1.7e308], [-1.7e308]])
    with pytest.raises(UndefinedError, match="overflow"):
        enclosed_softmax(SOFTMAX, tokens(np.zeros((2, 1)), V, block=1), [[1.0]])


def test_bad_input_is_named():
    K = np.ones((3, 2))
    with pytest.raises(ShapeError, match="queries = 1 columns: must have 2 columns"):
        enclosed_softmax(SOFTMAX, tokens(K, K), [[1.0]])
    with pytest.raises(ParameterError, match=r"queries\[0, 0\]"):
        enclosed_softmax(SOFTMAX, tokens(K, K), [[np.nan, 1.0]])
    with pytest.raises(ParameterError, match="kernel"):
        enclosed_softmax(LinearKernel(), tokens(K, K), K)
    with pytest.raises(ShapeError, match="no tokens"):
        enclosed_softmax(SOFTMAX, [], K)
