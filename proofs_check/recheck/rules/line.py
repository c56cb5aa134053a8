"""Covers of an interval: boxes, exact points, expansions beside points and at infinity."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.recheck.kernel import Rule

RULES: Mapping[str, Rule] = MappingProxyType({})
