"""What a computation at real size returns: the numbers, their error, and how they were found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import ParameterError, ShapeError, UndefinedError

Array = NDArray[np.float64]


class Route(StrEnum):
    """How a quantity was computed; the value is the name by which a caller asks for it.

    The first group computes in float64 with a bound on the error, the second encloses: its bounds
    are proofs, under the assumptions that docs/large.md lists.
    """

    FEATURE_QR = "feature-qr"
    FEATURE_CHOLESKY = "feature-cholesky"
    KERNEL_CHOLESKY = "kernel-cholesky"
    STREAMING_QR = "streaming-qr"
    ONLINE_SOFTMAX = "online-softmax"

    FEATURE_BALLS = "feature-balls"
    KERNEL_RESIDUAL = "kernel-residual"
    KERNEL_BALLS = "kernel-balls"
    RATIONAL = "rational"
    ENCLOSED_SOFTMAX = "enclosed-softmax"

    @property
    def rigorous(self) -> bool:
        """Whether the error of a result of this route is a proof."""
        return self in _RIGOROUS


_RIGOROUS = frozenset(
    (
        Route.FEATURE_BALLS,
        Route.KERNEL_RESIDUAL,
        Route.KERNEL_BALLS,
        Route.RATIONAL,
        Route.ENCLOSED_SOFTMAX,
    )
)


@dataclass(frozen=True, eq=False)
class Computed:
    """An array of float64 numbers with an entrywise bound: ``|true - value| <= error``.

    Args:
        value, error: arrays of one shape, made read-only; every entry finite, errors >= 0.
        route: how it was computed.
        condition: estimate of the condition number of the linear system solved (1 if none was).
        backward_error: size, relative to the data, of the smallest change of the data for which the
            result would be exact (an estimate from above); 0 for results that are enclosed.
        input_unit: relative uncertainty of each input entry that ``error`` takes into account:
            0 for float64 data, which are taken as the numbers they store; 2^-24 for float32.
        balls: what routes know beyond float64: an ``arb_mat``, or the exact ``fmpq_mat``.
    """

    value: Array
    error: Array
    route: Route
    condition: float
    backward_error: float
    input_unit: float = 0.0
    balls: Any = None

    def __post_init__(self) -> None:
        if self.value.shape != self.error.shape:
            shapes = f"{self.value.shape} and {self.error.shape}"
            raise ShapeError("value, error", shapes, "must have one shape")
        finite = np.isfinite(self.value).all() and np.isfinite(self.error).all()
        if not finite or (self.error < 0).any():
            raise UndefinedError(f"the {self.route} route overflows; scale the data, or use balls")
        for name in ("value", "error"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @property
    def rigorous(self) -> bool:
        """Whether ``error`` is a proof; else it is a bound under the usual model of rounding."""
        return self.route.rigorous

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of ``value``."""
        return self.value.shape

    @property
    def relative_error(self) -> float:
        """The largest error over the largest absolute value; infinity when that is 0."""
        size, worst = float(np.abs(self.value).max()), float(self.error.max())
        if worst == 0.0:
            return 0.0
        return worst / size if size else float("inf")


def as_route(name: str | Route | None) -> Route | None:
    """The route asked for; None leaves the choice open. ParameterError lists the names."""
    if name is None:
        return None
    try:
        return Route(name)
    except ValueError:
        names = ", ".join(Route)
        raise ParameterError("route", repr(name), f"must be one of {names}") from None
