"""Symmetric matrices that depend on parameters: the parameters that make all of them definite.

Doubles only search here: a path of Newton steps towards the largest t with Q_j(y) - t I positive
semidefinite. What is found is rounded and verified in rational numbers by the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any

_STEPS = 30
_MOST_FAILURES = 2
_SMALL_PRODUCT = 150_000
_LARGEST_T = 1.0
_GOOD_T = 1e-3
_LAST_WEIGHT = 1e9
_DAMPING = 1e-9


@dataclass(frozen=True)
class Block:
    """Q(y) = constant + sum_k y_k directions[k], with directions as an array (k, n, n)."""

    constant: Array
    directions: Array

    def at(self, y: Array) -> Array:
        """Q(y)."""
        return self.constant + np.tensordot(y, self.directions, axes=1)


@dataclass(frozen=True)
class Centre:
    """Parameters on the path, and t; ``inside``: all matrices are definite, t well above 0."""

    y: Array
    t: float
    inside: bool


def centre(blocks: Sequence[Block], free: int) -> Centre | None:
    """Where the least eigenvalue is largest, as far as the path was followed.

    None when no parameters make all matrices semidefinite, as far as doubles can tell.
    """
    y = np.zeros(free)
    size = sum(len(block.constant) for block in blocks)
    t = min(float(np.linalg.eigvalsh(block.at(y))[0]) for block in blocks) - 1.0
    weight, failures = 1.0, 0
    while weight <= _LAST_WEIGHT and failures < _MOST_FAILURES:
        y, t, done = _newton(blocks, y, t, weight)
        failures += not done
        if t > _GOOD_T and done:
            return Centre(y, t, inside=True)
        if done and t + 2 * (size + 1) / weight < -1e-7:
            return None
        weight *= 8
    return Centre(y, t, inside=False) if t > -1e-5 else None


def _newton(
    blocks: Sequence[Block], y: Array, t: float, weight: float
) -> tuple[Array, float, bool]:
    """Damped Newton steps on -weight t - sum log det(Q_j(y) - t I) - log(1 - t)."""
    for _ in range(_STEPS):
        found = _derivatives(blocks, y, t, weight)
        if found is None:
            return y, t, False
        gradient, hessian = found
        try:
            step = -np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:
            return y, t, False
        decrement = float(-gradient @ step)
        if not np.isfinite(decrement) or decrement < 0:
            return y, t, False
        scale = 1.0 if decrement < 0.1 else 1 / (1 + decrement**0.5)
        while not _allowed(blocks, y + scale * step[:-1], t + scale * step[-1]):
            scale /= 2
            if scale < 1e-9:
                return y, t, False
        y, t = y + scale * step[:-1], t + scale * float(step[-1])
        if decrement < 1e-6:
            return y, t, True
    return y, t, False


def _derivatives(
    blocks: Sequence[Block], y: Array, t: float, weight: float
) -> tuple[Array, Array] | None:
    free = len(y)
    gradient, hessian = np.zeros(free + 1), np.zeros((free + 1, free + 1))
    for block in blocks:
        shifted = block.at(y) - t * np.eye(len(block.constant))
        try:
            inverse = np.linalg.inv(shifted)
        except np.linalg.LinAlgError:
            return None
        turned = np.concatenate([block.directions, -np.eye(len(shifted))[None]]) @ inverse
        gradient -= np.trace(turned, axis1=1, axis2=2)
        hessian += _products(
            turned.reshape(free + 1, -1), turned.transpose(0, 2, 1).reshape(free + 1, -1)
        )
    gradient[-1] += 1 / (_LARGEST_T - t) - weight
    hessian[-1, -1] += 1 / (_LARGEST_T - t) ** 2
    gradient[:-1] += _DAMPING * y
    hessian[np.arange(free), np.arange(free)] += _DAMPING
    if not (np.isfinite(gradient).all() and np.isfinite(hessian).all()):
        return None
    return gradient, hessian


def _products(a: Array, b: Array) -> Array:
    """a b^T in slices so small that no threads are started, whose start costs more than they do."""
    width = max(1, _SMALL_PRODUCT // len(a) ** 2)
    total = np.zeros((len(a), len(b)))
    for start in range(0, a.shape[1], width):
        total += a[:, start : start + width] @ b[:, start : start + width].T
    return total


def _allowed(blocks: Sequence[Block], y: Array, t: float) -> bool:
    if t >= _LARGEST_T:
        return False
    try:
        for block in blocks:
            np.linalg.cholesky(block.at(y) - t * np.eye(len(block.constant)))
    except np.linalg.LinAlgError:
        return False
    return True
