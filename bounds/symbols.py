r"""The notation, owned here: every symbol of the theory, with the letter the paper gives it.

Scalars are made with ``real=True`` and nothing more. Sign, range and integrality are hypotheses:
as SymPy assumptions they would simplify silently, and dropping a hypothesis would change nothing.

Shapes: ``Phi`` stacks the features :math:`\phi(k_\ell)^T` as rows (L x d_phi), ``V`` the values
(L x d_v), ``K`` the keys (L x d_k); ``phi`` is the query's feature (d_phi x 1); ``z`` is the latent
(d_v x d_phi). Source: arXiv:2212.14852, notation of Sections 3-5.
"""

from __future__ import annotations

from typing import Any

from sympy import Identity, MatrixSymbol, OneMatrix, Symbol
from sympy.matrices.expressions import MatrixExpr


def scalar(name: str) -> Symbol:
    """A real scalar symbol; every other property is stated as a hypothesis."""
    return Symbol(name, real=True)


def matrix(name: str, rows: Any, cols: Any) -> MatrixSymbol:
    """A real matrix symbol of symbolic shape (rows, cols)."""
    return MatrixSymbol(name, rows, cols)


def ones(rows: Any) -> MatrixExpr:
    """The column vector of ``rows`` ones."""
    return OneMatrix(rows, 1)


# Sizes: number of tokens, dimensions of keys, features and values, number of training samples.
L = scalar("L")
d_k = scalar("d_k")
d_phi = scalar("d_phi")
d_v = scalar("d_v")
n = scalar("n")
p = scalar("p")

# Scales: noise, prior, regularisation lam = sigma^2/tau^2 and mu = lam/L, temperature, failure.
sigma = scalar("sigma")
tau = scalar("tau")
lam = scalar("lambda")
mu = scalar("mu")
gamma = scalar("gamma")
delta = scalar("delta")

# Tokens, query and latent.
Phi = matrix("Phi", L, d_phi)
V = matrix("V", L, d_v)
K = matrix("K", L, d_k)
phi = matrix("phi", d_phi, 1)
q = matrix("q", d_k, 1)
z = matrix("z", d_v, d_phi)

I_L = Identity(L)
I_phi = Identity(d_phi)

# The regularised Gram matrices: A in feature space, K_lam in token space.
A = Phi.T * Phi + lam * I_phi
K_lam = Phi * Phi.T + lam * I_L
