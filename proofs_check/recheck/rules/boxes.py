"""Covers of a box in several variables: ranges, mean values, faces, wells, integrals."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.recheck.kernel import Rule

RULES: Mapping[str, Rule] = MappingProxyType({})
