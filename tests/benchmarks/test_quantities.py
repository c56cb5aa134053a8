"""Posterior and attention at real sizes: every tool gives the true answer, and its time.

Times only under ``--benchmark-enable``; the whole table is printed by ``python quantities.py``.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from quantities import Measured, best, relative
from quantity_problems import PROBLEMS, truth
from quantity_tools import TOOLS

PACKAGES = {"scikit-learn": "sklearn", "tinygp": "tinygp", "torch": "torch"}
SIZE = 300
CASES = [(name, tool) for name, problem in PROBLEMS.items() for tool in TOOLS[problem.kind]]
# What each problem is there to show, as the largest relative error of the mean.
RIGHT = {
    "features": 2e-15, "features, graded": 5e-15, "features, rotated": 1e-11, "kernel": 1e-12,
    "kernel, offset": 1e-6, "softmax": 1e-14, "softmax, sharp": 1.4e-13,
}  # fmt: skip
# Cholesky squares the condition; an enclosure's middle is only as near as its radius.
WEAKER = {
    ("features, rotated", "feature-cholesky"): 1e-6,
    ("softmax, sharp", "enclosed-softmax"): 1e-11,
}


def installed(tool: str) -> bool:
    package = next((p for name, p in PACKAGES.items() if tool.startswith(name)), None)
    return package is None or find_spec(package) is not None


@pytest.mark.parametrize(("name", "tool"), CASES, ids=[f"{name}: {tool}" for name, tool in CASES])
def test_quantity(benchmark: Any, name: str, tool: str) -> None:
    if not installed(tool):
        pytest.skip("not installed")
    problem = PROBLEMS[name]
    arguments = problem.make(SIZE)
    mean, variance = benchmark(TOOLS[problem.kind][tool], *arguments)
    true_mean, true_variance = truth(problem.kind, arguments)
    assert mean.shape == true_mean.shape
    if tool.startswith("proofs-check"):
        limit = WEAKER.get((name, tool.split()[-1]), RIGHT[name])
        assert relative(mean, true_mean) <= limit
    if variance is not None:
        assert variance.shape == true_variance.shape


def test_the_textbook_formula_loses_what_this_package_keeps() -> None:
    """Keys far from 0: |a|^2 + |b|^2 - 2ab cancels, differences do not."""
    arguments = PROBLEMS["kernel, offset"].make(SIZE)
    true_mean, _ = truth("kernel", arguments)
    lost = relative(TOOLS["kernel"]["numpy inv"](*arguments)[0], true_mean)
    kept = relative(TOOLS["kernel"]["proofs-check"](*arguments)[0], true_mean)
    assert lost > 1000 * kept


def test_the_table_keeps_the_best_round_and_relative_errors() -> None:
    assert best(Measured(2.0), Measured(1.0)).seconds == 1.0
    assert relative(np.array([1.0, 2.0]), np.array([1.0, 4.0])) == 0.5
    assert relative(None, None) is None
