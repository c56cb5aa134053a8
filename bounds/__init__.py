"""What is claimed: bounds of a theory as SymPy expressions, and the exact quantities they bound.

>>> from bounds import builtin_catalog
>>> builtin_catalog()["I1.push_through"].title
'the posterior mean is CME attention'
"""

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
