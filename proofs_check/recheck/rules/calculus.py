"""Monotone, concave and convex variables, homogeneity, integrals from faces."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.recheck.kernel import Rule

RULES: Mapping[str, Rule] = MappingProxyType({})
