"""What the tests at real sizes share: exact answers in balls, and problems that are hard."""

from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, ctx


def balls(array):
    """The matrix of these floats, exactly."""
    return arb_mat([[arb(float(x)) for x in row] for row in np.atleast_2d(array)])


def middles(matrix):
    return np.array([[float(x.mid()) for x in row] for row in matrix.tolist()])


class Exact:
    """Posterior of (Phi, V, lam) with prior variance 1, to 400 bits."""

    def __init__(self, Phi, V, lam):
        before, ctx.prec = ctx.prec, 400
        try:
            F = balls(Phi)
            one = Fraction(lam)
            self.lam = arb(one.numerator) / arb(one.denominator)
            d = F.ncols()
            ridge = arb_mat([[self.lam if i == j else arb(0) for j in range(d)] for i in range(d)])
            self.A = F.transpose() * F + ridge
            self.X = self.A.solve(F.transpose() * balls(V))
        finally:
            ctx.prec = before

    def predictive(self, queries):
        before, ctx.prec = ctx.prec, 400
        try:
            q = balls(queries)
            H = self.A.solve(q.transpose())
            spread = [
                sum((q[i, k] * H[k, i] for k in range(q.ncols())), arb(0)) for i in range(q.nrows())
            ]
            variance = np.array([float((self.lam * x).mid()) for x in spread])
            return middles(q * self.X), variance
        finally:
            ctx.prec = before


def hard_problem(kind, seed=0, L=150, d=6, dv=3, nq=5):
    """(Phi, V, queries, lam) of a named kind."""
    rng = np.random.default_rng(seed)
    Phi, queries, lam = rng.normal(size=(L, d)), rng.normal(size=(nq, d)), 1e-3
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    if kind in ("graded", "rotated"):
        scales = np.geomspace(1, 1e-5, d)
        turn = turn if kind == "rotated" else np.eye(d)
        Phi, queries, lam = Phi * scales @ turn / np.sqrt(L), queries * scales @ turn, 1e-10
    change = {
        "plain": lambda: (Phi, queries, lam),
        "graded": lambda: (Phi, queries, lam),
        "rotated": lambda: (Phi, queries, lam),
        "tiny lam": lambda: (Phi, queries, L * 1e-12),
        "huge lam": lambda: (Phi, queries, 1e12),
        "offset": lambda: (Phi + 100.0, queries + 100.0, lam),
        "fewer tokens than features": lambda: (Phi[:2], queries, 0.5),
        "one token": lambda: (Phi[:1], queries, 1.0),
        "one feature": lambda: (Phi[:, :1], queries[:, :1], lam),
        "zero keys": lambda: (0 * Phi, queries, lam),
        "zero query": lambda: (Phi, 0 * queries, lam),
        "equal keys": lambda: (np.repeat(Phi[:1], L, axis=0), queries, 1.0),
        "huge scale": lambda: (Phi * 1e80, queries * 1e80, 1e158),
        "tiny scale": lambda: (Phi * 1e-80, queries * 1e-80, 1e-162),
    }
    Phi, queries, lam = (np.ascontiguousarray(x) if np.ndim(x) else x for x in change[kind]())
    V = Phi @ rng.normal(size=(Phi.shape[1], dv))
    V = V + 1e-3 * max(np.abs(V).max(), 1.0 if kind == "zero keys" else 0.0) * rng.normal(
        size=V.shape
    )
    return Phi, V, queries, lam


KINDS = [
    "plain", "graded", "rotated", "tiny lam", "huge lam", "offset", "fewer tokens than features",
    "one token", "one feature", "zero keys", "zero query", "equal keys", "huge scale", "tiny scale",
]  # fmt: skip
