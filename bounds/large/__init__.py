"""Exact quantities at real sizes: float64 with a bound on the error, and enclosures that prove it.

The routes: :class:`bounds.large.result.Route`. Tokens are rows: keys L x dk, values L x dv, queries
nq x dk; outputs nq x dv.
"""
