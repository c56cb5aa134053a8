r"""The exact interval for the probability behind k successes in n trials (Clopper, Pearson 1934).

.. math:: P(\mathrm{Bin}(n, p) \ge k) = I_p(k, n - k + 1),

so the lower end of level a is the a-quantile of Beta(k, n - k + 1) and the upper end the
a-quantile, from above, of Beta(k + 1, n - k). Both come from SciPy's beta quantiles, which keep
their digits at levels where root finding on the binomial tail (``binomtest.proportion_ci``) stops
at an absolute error near 1e-12.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy.special import betainccinv, betaincinv

from bounds.errors import ParameterError

Sides = Literal["both", "lower", "upper"]


@dataclass(frozen=True)
class Proportion:
    """An interval that holds the true probability with probability at least 1 - alpha."""

    lower: float
    upper: float


def clopper_pearson(k: int, n: int, alpha: float, *, sides: Sides = "both") -> Proportion:
    """The interval of level 1 - alpha; one-sided ones reach to 1 (``lower``) or 0 (``upper``).

    Two-sided intervals give alpha/2 to each side. The ends are floats near the exact ones (to 1e-12
    of their size against Arb), not rounded outwards.

    Raises:
        ParameterError: unless 0 <= k <= n, n >= 1, 0 < alpha < 1 and ``sides`` is known.
    """
    for name, value in (("k", k), ("n", n)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise ParameterError(name, repr(value), "must be an integer")
    if n < 1:
        raise ParameterError("n", n, "must be >= 1")
    if not 0 <= k <= n:
        raise ParameterError("k", k, f"must lie in 0..{n}")
    if not 0 < alpha < 1:
        raise ParameterError("alpha", alpha, "must lie strictly between 0 and 1")
    if sides not in ("both", "lower", "upper"):
        raise ParameterError("sides", repr(sides), 'must be "both", "lower" or "upper"')
    level = alpha / 2 if sides == "both" else alpha
    lower = 0.0 if sides == "upper" else _lower_end(k, n, level)
    upper = 1.0 if sides == "lower" else _upper_end(k, n, level)
    return Proportion(lower, upper)


def _lower_end(k: int, n: int, level: float) -> float:
    if k == 0:
        return 0.0
    if k == n:
        return math.pow(level, 1 / n)
    return float(betaincinv(k, n - k + 1, level))


def _upper_end(k: int, n: int, level: float) -> float:
    if k == n:
        return 1.0
    if k == 0:
        return -math.expm1(math.log(level) / n)
    return float(betainccinv(k + 1, n - k, level))
