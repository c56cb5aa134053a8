"""Whether it is true: provers, instance checks, verdicts and their evidence.

>>> from bounds import builtin_catalog
>>> from proofs_check import Status, check
>>> check(builtin_catalog()["I1.push_through"]).status
<Status.PROVED: 'PROVED'>
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bounds.status import Status
    from proofs_check.checker import Settings, check
    from proofs_check.inequalities import prove
    from proofs_check.verdict import Evidence, Strength, Verdict, Witness

__all__ = ["Evidence", "Settings", "Status", "Strength", "Verdict", "Witness", "check", "prove"]

_HOME = {
    "Status": "bounds.status",
    "Settings": "proofs_check.checker",
    "check": "proofs_check.checker",
    "prove": "proofs_check.inequalities",
    "Evidence": "proofs_check.verdict",
    "Strength": "proofs_check.verdict",
    "Verdict": "proofs_check.verdict",
    "Witness": "proofs_check.verdict",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that ``proofs-check --help`` does not wait for SymPy and SciPy."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)
