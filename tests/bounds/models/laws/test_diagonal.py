"""The nearly diagonal form keeps what an orthogonal change of basis keeps."""

from __future__ import annotations

import numpy as np
from flint import arb, arb_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.arithmetic import BallField
from bounds.models.laws.diagonal import nearly_diagonal

BALL = BallField()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 6))
def test_jacobi_encloses_trace_and_norms(seed: int, n: int) -> None:
    with BALL.context():
        rng = np.random.default_rng(seed)
        A = arb_mat(rng.integers(-2, 3, size=(n, max(1, n - 2))).tolist())
        S, b = A * A.transpose(), arb_mat([[int(x)] for x in rng.integers(-5, 6, size=n)])
        form = nearly_diagonal(S, b)
        assert sum(form.diagonal, arb(0)).overlaps(sum((S[i, i] for i in range(n)), arb(0)))
        squares = sum((x * x for x in form.offsets), arb(0))
        assert squares.overlaps((b.transpose() * b)[0, 0])
        kept = sum((D * x * x for D, x in zip(form.diagonal, form.offsets, strict=True)), arb(0))
        assert (kept + arb(0, form.off * squares)).overlaps((b.transpose() * S * b)[0, 0])
        assert form.off < arb("1e-30")


def test_a_diagonal_matrix_stays() -> None:
    form = nearly_diagonal(arb_mat([[2, 0], [0, 3]]), arb_mat([[1], [4]]))
    assert (form.diagonal, form.offsets, form.off) == ((2, 3), (1, 4), 0)


def test_multiple_eigenvalues_come_out_narrow() -> None:
    with BALL.context():
        S = arb_mat([[2, 1, 1], [1, 2, 1], [1, 1, 2]])
        found = sorted(nearly_diagonal(S, arb_mat([[1], [1], [1]])).diagonal, key=float)
        for x, expected in zip(found, (1, 1, 4), strict=True):
            assert abs(x - expected) < arb("1e-30")
