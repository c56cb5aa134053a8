r"""A symmetric matrix of balls turned into a nearly diagonal one, whatever its eigenvalues.

Multiple and zero eigenvalues cannot be enclosed one by one together with their vectors. Cyclic
Jacobi needs neither: rotations chosen at the midpoints multiply to a matrix Q that is orthogonal
exactly, known in balls, and :math:`Q^T S Q` is enclosed with small off-diagonal entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, arb_mat, ctx

_SWEEPS = 40


@dataclass(frozen=True)
class NearlyDiagonal:
    r"""Q^T S Q = D + E for some orthogonal Q, with D diagonal and :math:`\|E\|_F \le` ``off``.

    ``diagonal`` holds the entries of D, ``offsets`` those of Q^T b, ``off`` an exact ball.
    """

    diagonal: tuple[Any, ...]
    offsets: tuple[Any, ...]
    off: Any


def nearly_diagonal(S: Any, b: Any) -> NearlyDiagonal:
    """Diagonalise S (n x n, symmetric, in balls) and rotate b (n x 1) along."""
    n = S.nrows()
    Q = _rotations(S)
    T = S if Q is None else Q.transpose() * S * Q
    rotated = b if Q is None else Q.transpose() * b
    squares = arb(0)
    for i in range(n):
        for j in range(n):
            if i != j:
                size = T[i, j].abs_upper()
                squares += size * size
    return NearlyDiagonal(
        tuple(T[i, i] for i in range(n)),
        tuple(rotated[i, 0] for i in range(n)),
        squares.sqrt().upper() if squares > 0 else arb(0),
    )


def _rotations(S: Any) -> Any:
    """The orthogonal Q, or None for the identity."""
    n = S.nrows()
    M = [[((S[i, j] + S[j, i]) / 2).mid() for j in range(n)] for i in range(n)]
    Q = [[arb(int(i == j)) for j in range(n)] for i in range(n)]
    rotated = False
    for _ in range(_SWEEPS):
        largest = max((abs(M[i][j]) for i in range(n) for j in range(i)), default=arb(0))
        size = max(abs(M[i][i]) for i in range(n))
        if largest <= size * arb(2) ** (4 - ctx.prec) or largest == 0:
            break
        rotated = True
        for p in range(n):
            for q in range(p + 1, n):
                if M[p][q] != 0:
                    _rotate(M, Q, p, q)
    return arb_mat(Q) if rotated else None


def _rotate(M: list[list[Any]], Q: list[list[Any]], p: int, q: int) -> None:
    """Annihilate M[p][q] by a plane rotation; Q is multiplied by the exact rotation, in balls."""
    tau = ((M[q][q] - M[p][p]) / (2 * M[p][q])).mid()
    root = (1 + tau * tau).sqrt()
    tangent = (1 / (tau + root) if tau >= 0 else 1 / (tau - root)).mid()
    cosine = (1 + tangent * tangent).rsqrt()
    sine = tangent * cosine
    for row in Q:
        row[p], row[q] = cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]
    c, s = cosine.mid(), sine.mid()
    for row in M:
        row[p], row[q] = (c * row[p] - s * row[q]).mid(), (s * row[p] + c * row[q]).mid()
    M[p], M[q] = (
        [(c * x - s * y).mid() for x, y in zip(M[p], M[q], strict=True)],
        [(s * x + c * y).mid() for x, y in zip(M[p], M[q], strict=True)],
    )
    M[p][q] = M[q][p] = arb(0)
