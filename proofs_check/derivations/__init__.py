"""Derivations checked step by step."""

from proofs_check.derivations.checker import StepVerdict, check_derivation, derivation_evidence

__all__ = ["StepVerdict", "check_derivation", "derivation_evidence"]
