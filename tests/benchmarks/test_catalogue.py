"""What the parts of a verification cost, each beside a peer in the same run.

Run them with ``pytest tests/benchmarks --benchmark-enable``; without it each runs once, as a test.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bounds import builtin_catalog
from bounds.arithmetic import BallField, FloatField, RationalField
from bounds.models.instances import linear_gaussian_instances
from bounds.models.linear_gaussian import predictive_mean
from proofs_check.checker import check
from proofs_check.methods.symbolic import facts_of, prove
from proofs_check.verdict import Status

CATALOG = builtin_catalog()
DATA = linear_gaussian_instances().draw(50, 0)


@pytest.mark.benchmark(group="the catalogue is read")
def test_reading_the_catalogue(benchmark: Any) -> None:
    assert len(benchmark(builtin_catalog)) >= 51


@pytest.mark.benchmark(group="proof of I1")
def test_symbolic_proof(benchmark: Any) -> None:
    claim = CATALOG["I1.push_through"]
    assert benchmark(lambda: prove(claim, facts_of(claim), work=50_000)).proved


@pytest.mark.benchmark(group="verdict on I2.bound, 60 instances")
def test_instances(benchmark: Any) -> None:
    assert benchmark(lambda: check(CATALOG["I2.bound"])).status is Status.CONSISTENT


def plain_numpy() -> Any:
    """The peer: the posterior mean at the query without any account of errors."""
    Phi, V = np.array(DATA.keys, dtype=float), np.array(DATA.values, dtype=float)
    A = Phi.T @ Phi + float(DATA.model.lam) * np.eye(Phi.shape[1])
    return V.T @ Phi @ np.linalg.solve(A, np.array(DATA.query, dtype=float))


FIELDS = {"rational": RationalField(), "ball": BallField(128), "float": FloatField()}


@pytest.mark.benchmark(group="posterior mean of one instance")
@pytest.mark.parametrize("name", ["numpy", *FIELDS])
def test_posterior_mean(benchmark: Any, name: str) -> None:
    peer = plain_numpy()
    if name == "numpy":
        assert np.isfinite(benchmark(plain_numpy)).all()
        return
    field = FIELDS[name]

    def compute() -> Any:
        with field.context():
            return predictive_mean(field, DATA)

    found = benchmark(compute)
    with field.context():
        values = [field.to_float(field.entry(found, i, 0)) for i in range(DATA.dv)]
    np.testing.assert_allclose(values, peer, rtol=1e-9)
