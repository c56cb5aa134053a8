"""Other regions: substitution, new variables, whole numbers, splitting, weakening."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.recheck.kernel import Rule

RULES: Mapping[str, Rule] = MappingProxyType({})
