"""What people would use instead, each as they would write it: one function a tool.

Every function takes the arrays of a problem and returns (mean, variance) at the queries, variance
None where the tool gives none. Prior variance 1, noise variance lam. Called in a process of its own
by :mod:`quantities`, with one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Answer = tuple[Array, Array | None]


# --- feature space: Phi, V, queries, lam ------------------------------------------------------


def ours_features(route: str | None) -> Callable[..., Answer]:
    """The front door of this package."""

    def tool(Phi: Array, V: Array, queries: Array, lam: float) -> Answer:
        from bounds.large import predictive
        from bounds.models.linear_gaussian import LinearGaussian

        found = predictive(LinearGaussian(1, lam), Phi, V, queries, route=route)
        return found.mean.value, found.variance.value

    return tool


def scipy_qr(Phi: Array, V: Array, queries: Array, lam: float) -> Answer:
    """QR of [Phi; sqrt(lam) I]."""
    from scipy.linalg import qr, solve_triangular

    stack = np.vstack([Phi, np.sqrt(lam) * np.eye(Phi.shape[1])])
    Q, R = qr(stack, mode="economic", check_finite=False, overwrite_a=True)
    X = solve_triangular(R, Q[: len(Phi)].T @ V)
    half = solve_triangular(R, queries.T, trans="T")
    return queries @ X, lam * np.sum(half**2, axis=0)


def scipy_cholesky(Phi: Array, V: Array, queries: Array, lam: float) -> Answer:
    """Cholesky of Phi^T Phi + lam I."""
    from scipy.linalg import cho_factor, cho_solve

    factor = cho_factor(Phi.T @ Phi + lam * np.eye(Phi.shape[1]))
    X = cho_solve(factor, Phi.T @ V)
    spread = np.sum(queries.T * cho_solve(factor, queries.T), axis=0)
    return queries @ X, lam * spread


def sklearn_ridge(solver: str) -> Callable[..., Answer]:
    """scikit-learn's Ridge, without intercept."""

    def tool(Phi: Array, V: Array, queries: Array, lam: float) -> Answer:
        from sklearn.linear_model import Ridge

        ridge = Ridge(alpha=lam, fit_intercept=False, solver=solver).fit(Phi, V)
        return ridge.predict(queries), None

    return tool


# --- kernel space: K, V, queries, lam, bandwidth; kernel(a, b) = exp(-|a - b|^2/(2 bandwidth)) ---


def ours_kernel(route: str | None) -> Callable[..., Answer]:
    """The front door of this package."""

    def tool(K: Array, V: Array, queries: Array, lam: float, bandwidth: float) -> Answer:
        from bounds.attention.kernels import GaussianKernel
        from bounds.large import predictive
        from bounds.models.linear_gaussian import LinearGaussian

        model = LinearGaussian(1, lam, GaussianKernel(bandwidth))
        found = predictive(model, K, V, queries, route=route)
        return found.mean.value, found.variance.value

    return tool


def scipy_in_place(K: Array, V: Array, queries: Array, lam: float, bandwidth: float) -> Answer:
    """Distances, exponential and Cholesky in one L x L array."""
    from scipy.linalg import cho_factor, cho_solve, solve_triangular
    from scipy.spatial.distance import cdist

    gram = np.empty((len(K), len(K)))
    cdist(K, K, "sqeuclidean", out=gram)
    np.multiply(gram, -0.5 / bandwidth, out=gram)
    np.exp(gram, out=gram)
    gram[np.diag_indices_from(gram)] += lam
    factor = cho_factor(gram.T, lower=True, overwrite_a=True, check_finite=False)
    cross = np.exp(-0.5 / bandwidth * cdist(K, queries, "sqeuclidean"))
    half = solve_triangular(factor[0], cross, lower=True, check_finite=False)
    weights = cho_solve(factor, V, check_finite=False)
    return cross.T @ weights, 1.0 - np.sum(half**2, axis=0)


def numpy_inverse(K: Array, V: Array, queries: Array, lam: float, bandwidth: float) -> Answer:
    """The formula as it stands in papers: inv(K + lam I), distances as |a|^2 + |b|^2 - 2ab."""

    def kernel(a: Array, b: Array) -> Array:
        squares = np.sum(a**2, 1)[:, None] + np.sum(b**2, 1) - 2 * a @ b.T
        return np.exp(-squares / (2 * bandwidth))

    inverse = np.linalg.inv(kernel(K, K) + lam * np.eye(len(K)))
    cross = kernel(K, queries)
    return cross.T @ (inverse @ V), 1.0 - np.sum(cross * (inverse @ cross), axis=0)


def sklearn_kernel_ridge(
    K: Array, V: Array, queries: Array, lam: float, bandwidth: float
) -> Answer:
    """scikit-learn's KernelRidge."""
    from sklearn.kernel_ridge import KernelRidge

    ridge = KernelRidge(alpha=lam, kernel="rbf", gamma=0.5 / bandwidth).fit(K, V)
    return ridge.predict(queries), None


def sklearn_gaussian_process(
    K: Array, V: Array, queries: Array, lam: float, bandwidth: float
) -> Answer:
    """scikit-learn's GaussianProcessRegressor."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    kernel = RBF(np.sqrt(bandwidth), length_scale_bounds="fixed")
    process = GaussianProcessRegressor(kernel, alpha=lam, optimizer=None).fit(K, V)
    mean, deviation = process.predict(queries, return_std=True)
    return mean, np.asarray(deviation).reshape(len(queries), -1)[:, 0] ** 2


def tinygp_process(K: Array, V: Array, queries: Array, lam: float, bandwidth: float) -> Answer:
    """tinygp in float64, factored once, then every output."""
    import jax

    jax.config.update("jax_enable_x64", True)
    from tinygp import GaussianProcess, kernels

    process = GaussianProcess(kernels.ExpSquared(np.sqrt(bandwidth)), K, diag=lam)
    found = [process.condition(column, queries).gp for column in V.T]
    return np.stack([np.asarray(gp.loc) for gp in found], 1), np.asarray(found[0].variance)


# --- softmax attention: K, V, queries, gamma -----------------------------------------------------


def ours_softmax(route: str | None) -> Callable[..., Answer]:
    """The front door of this package."""

    def tool(K: Array, V: Array, queries: Array, gamma: float) -> Answer:
        from bounds.large import softmax_attention

        return softmax_attention(K, V, queries, gamma=gamma, route=route).value, None

    return tool


def numpy_online(K: Array, V: Array, queries: Array, gamma: float) -> Answer:
    """The online rule, block by block, as fast as NumPy does it, without any bound."""
    block = 1024
    scaled = queries.T / gamma
    top = np.full(len(queries), -np.inf)
    total = np.zeros(len(queries))
    summed = np.zeros((len(queries), V.shape[1]))
    for start in range(0, len(K), block):
        scores = K[start : start + block] @ scaled
        new = np.maximum(top, scores.max(axis=0))
        shrink = np.exp(top - new)
        np.subtract(scores, new, out=scores)
        np.exp(scores, out=scores)
        total = total * shrink + scores.sum(axis=0)
        summed = summed * shrink[:, None] + scores.T @ V[start : start + block]
        top = new
    return summed / total[:, None], None


def numpy_textbook(K: Array, V: Array, queries: Array, gamma: float) -> Answer:
    """exp(s - max s) over all tokens at once."""
    scores = queries @ K.T / gamma
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ V / weights.sum(axis=1, keepdims=True), None


def torch_attention(K: Array, V: Array, queries: Array, gamma: float) -> Answer:
    """torch's scaled_dot_product_attention in float64."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    torch.set_num_threads(1)
    q, k, v = (torch.from_numpy(x)[None, None] for x in (queries, K, V))
    return scaled_dot_product_attention(q, k, v, scale=1.0 / gamma)[0, 0].numpy(), None


TOOLS: Mapping[str, Mapping[str, Callable[..., Answer]]] = {
    "features": {
        "proofs-check": ours_features(None),
        "proofs-check feature-qr": ours_features("feature-qr"),
        "proofs-check feature-cholesky": ours_features("feature-cholesky"),
        "scipy qr": scipy_qr,
        "scipy cholesky": scipy_cholesky,
        "scikit-learn Ridge, cholesky": sklearn_ridge("cholesky"),
        "scikit-learn Ridge, svd": sklearn_ridge("svd"),
    },
    "kernel": {
        "proofs-check": ours_kernel(None),
        "proofs-check kernel-residual": ours_kernel("kernel-residual"),
        "scipy cholesky in place": scipy_in_place,
        "numpy inv": numpy_inverse,
        "scikit-learn KernelRidge": sklearn_kernel_ridge,
        "scikit-learn GaussianProcess": sklearn_gaussian_process,
        "tinygp": tinygp_process,
    },
    "softmax": {
        "proofs-check": ours_softmax(None),
        "proofs-check enclosed-softmax": ours_softmax("enclosed-softmax"),
        "numpy online": numpy_online,
        "numpy textbook": numpy_textbook,
        "torch SDPA": torch_attention,
    },
}
