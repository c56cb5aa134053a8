"""The checker of certificates: short, separate from everything that finds proofs, and trusted.

It imports python-flint and the standard library, nothing of this package. Every rule of
:mod:`proofs_check.recheck.rules` says which smaller statements make a statement true; a certificate
is a tree of such rules, and :func:`recheck` accepts it only if every one applies.
"""
