"""Trees evaluated on many points at once in floats: to search with, never to decide with.

NaN stands for "no value here"; rounding is not tracked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from proofs_check.arithmetic.tape import Instruction, compile_tape
from proofs_check.arithmetic.tree import Node

Floats = NDArray[np.float64]
_ZERO = np.float64(0.0)


def to_float(value: Fraction) -> float:
    """The nearest float, or an infinity where there is none."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def compile_floats(roots: Sequence[Node]) -> Callable[[Mapping[str, Floats]], list[Floats]]:
    """A function from arrays of one shape, by name, to the arrays of values of ``roots``."""
    tape = compile_tape(roots)

    def run(values: Mapping[str, Floats]) -> list[Floats]:
        results: list[Floats] = []
        with np.errstate(all="ignore"):
            for step in tape.instructions:
                results.append(_result(step, values, results))
        shape = next(iter(values.values())).shape if values else ()
        return [np.broadcast_to(results[i], shape) for i in tape.outputs]

    return run


def _result(step: Instruction, values: Mapping[str, Floats], results: list[Floats]) -> Floats:
    if step.op == "symbol":
        return values[str(step.value)]
    if isinstance(step.value, Fraction):
        return np.asarray(to_float(step.value))
    found: Floats = _RULES[step.op](*[results[i] for i in step.args])
    return found


def _lambertw(x: Floats) -> Floats:
    found: Floats = np.where(x >= -np.exp(-1.0), special.lambertw(x).real, np.nan)
    return found


def _binomial(n: Floats, k: Floats) -> Floats:
    logarithm = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.asarray(np.exp(logarithm))


def _power(base: Floats, exponent: Floats) -> Floats:
    return np.asarray(np.power(base, exponent))


_RULES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "pi": lambda: np.asarray(np.pi),
        "e": lambda: np.asarray(np.e),
        "+": lambda *args: reduce(np.add, args),
        "*": lambda *args: reduce(np.multiply, args),
        "-": np.negative,
        "/": np.divide,
        "^": _power,
        "exp": np.exp,
        "log": lambda x: np.where(x > 0, np.log(x), np.nan),
        "sqrt": np.sqrt,
        "cbrt": np.cbrt,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "erf": special.erf,
        "erfc": special.erfc,
        "gamma": special.gamma,
        "loggamma": lambda x: np.where(x > 0, special.gammaln(x), np.nan),
        "digamma": special.digamma,
        "trigamma": lambda x: special.polygamma(1, x),
        "binomial": _binomial,
        "besseli": special.iv,
        "lambertw": _lambertw,
        "abs": np.abs,
        "sign": np.sign,
        "choose": lambda a, b, if_a, if_b: np.where(a >= b, if_a, if_b),
        "min": lambda *args: reduce(np.minimum, args),
        "max": lambda *args: reduce(np.maximum, args),
        "floor": np.floor,
    }
)
