"""A second opinion by z3 on what it can express: polynomials, quotients, roots, abs, min, max.

z3 returns no certificate that the checker reads, so its word alone is never a proof. A model is
another matter: rounded to a rational point and confirmed there, it refutes the claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.errors import BoundsError
from proofs_check.methods.inequality.points import refutes
from proofs_check.methods.inequality.problem import Problem
from proofs_check.methods.smtlib import Z3, NotExpressible, denial

WORK = 20_000_000
SECONDS = 20.0
_BITS = (0, 20, 60)


class SolverMissing(BoundsError, ImportError):
    """z3 is not installed; the message says how to get it."""


@dataclass(frozen=True)
class Opinion:
    """``agrees`` (no counterexample exists), ``counterexample`` with a confirmed point, ``doubts``
    (a model that could not be confirmed), ``unknown`` or ``cannot express`` with the reason.
    """

    word: str
    reason: str
    point: Mapping[str, Fraction] | None = None


def second_opinion(problem: Problem, *, work: int = WORK, seconds: float = SECONDS) -> Opinion:
    """What z3 says of the denial of the goal.

    Args:
        work: z3's resource units, which decide the outcome.
        seconds: after which it is stopped in any case (``unknown``).

    Raises:
        SolverMissing: z3 is not installed.
    """
    try:
        import z3
    except ImportError as error:
        raise SolverMissing('z3 is missing; pip install "proofs-check[smt]"') from error
    try:
        text = denial(problem, Z3)
    except NotExpressible as error:
        return Opinion("cannot express", str(error))
    solver: Any = z3.Solver()
    solver.set("rlimit", work)
    solver.set("timeout", int(seconds * 1000))
    try:
        solver.from_string(text)
        answer = str(solver.check())
    except z3.Z3Exception as error:
        return Opinion("unknown", f"z3 stopped: {error}")
    if answer == "unsat":
        return Opinion("agrees", "z3 finds that no counterexample exists")
    if answer == "unknown":
        return Opinion("unknown", f"z3 cannot tell: {solver.reason_unknown()}")
    return _from_model(problem, solver.model())


def _from_model(problem: Problem, model: Any) -> Opinion:
    values = {str(entry): model[entry] for entry in model.decls()}
    for bits in _BITS:
        point = {name: _rational(values.get(name), bits) for name in problem.names}
        if refutes(problem, point):
            return Opinion("counterexample", "z3 found a point that fails", point)
    return Opinion("doubts", "z3 has a model that could not be confirmed at a rational point")


def _rational(value: Any, bits: int) -> Fraction:
    """A model's number: exact if rational, else to 60 digits; then rounded to ``bits``, if any."""
    if value is None:
        return Fraction(0)
    if hasattr(value, "approx"):
        value = value.approx(60)
    fraction = Fraction(str(value.as_fraction()) if hasattr(value, "as_fraction") else str(value))
    return fraction if not bits else Fraction(round(fraction * 2**bits), 2**bits)
