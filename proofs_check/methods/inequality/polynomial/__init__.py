"""Exact proofs for polynomials and rational functions in any number of variables."""
