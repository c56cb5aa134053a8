"""What is claimed: bounds of a theory as SymPy expressions, and the exact quantities they bound.

>>> from bounds import builtin_catalog
>>> builtin_catalog()["I1.push_through"].title
'the posterior mean is CME attention'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bounds.catalog import Catalog, builtin_catalog, load_file
    from bounds.claim import Claim, Mutant, Variant
    from bounds.derivation import Derivation, Rule, Step
    from bounds.hypothesis import Hypothesis, assume, on_instances, structural
    from bounds.points import between, box, integers, point
    from bounds.quantity import Law, Quantity, Sampler
    from bounds.relation import Limit, Relation, Tail
    from bounds.source import Paper, Source
    from bounds.status import Status
    from bounds.symbols import matrix, scalar

__all__ = [
    "Catalog",
    "Claim",
    "Derivation",
    "Hypothesis",
    "Law",
    "Limit",
    "Mutant",
    "Paper",
    "Quantity",
    "Relation",
    "Rule",
    "Sampler",
    "Source",
    "Status",
    "Step",
    "Tail",
    "Variant",
    "assume",
    "between",
    "box",
    "builtin_catalog",
    "integers",
    "load_file",
    "matrix",
    "on_instances",
    "point",
    "scalar",
    "structural",
]

_HOME = {
    "Catalog": "bounds.catalog",
    "builtin_catalog": "bounds.catalog",
    "load_file": "bounds.catalog",
    "Claim": "bounds.claim",
    "Mutant": "bounds.claim",
    "Variant": "bounds.claim",
    "Derivation": "bounds.derivation",
    "Rule": "bounds.derivation",
    "Step": "bounds.derivation",
    "Hypothesis": "bounds.hypothesis",
    "assume": "bounds.hypothesis",
    "on_instances": "bounds.hypothesis",
    "structural": "bounds.hypothesis",
    "between": "bounds.points",
    "box": "bounds.points",
    "integers": "bounds.points",
    "point": "bounds.points",
    "Law": "bounds.quantity",
    "Quantity": "bounds.quantity",
    "Sampler": "bounds.quantity",
    "Limit": "bounds.relation",
    "Relation": "bounds.relation",
    "Tail": "bounds.relation",
    "Paper": "bounds.source",
    "Source": "bounds.source",
    "Status": "bounds.status",
    "matrix": "bounds.symbols",
    "scalar": "bounds.symbols",
}


def __getattr__(name: str) -> Any:
    """Import on first use: an inequality given as text is decided without waiting for SymPy."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """The names above, imported or not."""
    return __all__
