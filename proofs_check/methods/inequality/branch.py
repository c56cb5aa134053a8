"""Proofs in several variables by reduction and by branch and bound on boxes.

The searching is done in doubles over thousands of boxes at a time; every accepted box, every
dropped variable and every well round a minimum is then shown in ball arithmetic. See
:mod:`multi_prove` for the order of arguments.
"""

from __future__ import annotations

from dataclasses import replace

from proofs_check.methods.inequality import multi_prove
from proofs_check.methods.inequality.problem import Problem
from proofs_check.methods.inequality.result import Result

METHOD = "branch and bound"
WORK = multi_prove.WORK
BITS = 64


def prove(problem: Problem, *, work: int = WORK, bits: int = BITS) -> Result:
    """PROVED when goal >= 0 (> 0) is shown on the whole region, else UNDECIDED.

    Args:
        work: boxes and steps that may be spent; the outcome depends on nothing else.
        bits: precision of the ball arithmetic.
    """
    return replace(multi_prove.prove(problem, work=work, bits=bits), method=METHOD)
