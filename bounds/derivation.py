"""A derivation as data: a chain from the left side of a claim to its right side."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bounds.relation import Relation


class Rule(StrEnum):
    """Why a step holds. The checker knows exactly these rules and refuses all others."""

    DEFINITION = "definition"
    ALGEBRA = "algebra"


@dataclass(frozen=True)
class Step:
    """``previous (relation) expression``, by ``rule``; ``note`` says in words what happens."""

    expression: Any
    rule: Rule
    note: str = ""
    relation: Relation = Relation.IDENTITY


@dataclass(frozen=True)
class Derivation:
    """The steps from ``start`` (the claim's left side) to the last expression (its right side)."""

    start: Any
    steps: tuple[Step, ...]
