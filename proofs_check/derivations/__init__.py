"""Derivations checked step by step."""

from proofs_check.derivations.checker import (
    Effort,
    StepVerdict,
    check_derivation,
    derivation_evidence,
)

__all__ = ["Effort", "StepVerdict", "check_derivation", "derivation_evidence"]
