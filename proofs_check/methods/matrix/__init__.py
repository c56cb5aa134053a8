"""Identities between matrix expressions of symbolic shape, proved by noncommutative completion."""

from proofs_check.methods.matrix.facts import Fact
from proofs_check.methods.matrix.identity import IdentityProof, prove_identity
from proofs_check.methods.matrix.verify import verify_certificate

__all__ = ["Fact", "IdentityProof", "prove_identity", "verify_certificate"]
