"""Global arguments for polynomials: squares, quadratics in one variable, ordered variables.

Each returns a proof tree or None; the polynomial prover handed in proves the smaller claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import permutations
from typing import Any

from proofs_check.methods.inequality.polynomial.bernstein import Work
from proofs_check.methods.inequality.polynomial.rational import (
    Poly,
    coefficients_in,
    ring,
    text,
    used,
)
from proofs_check.methods.inequality.problem import Interval

Certificate = Any
# (polynomial, strict) -> certificate or None, on the same box
Prover = Callable[[Poly, bool], Certificate | None]

_MOST_VARIABLES_ORDERED = 4
_DEEPEST_ORDERED = 4


def by_factors(poly: Poly, strict: bool, prove: Prover) -> Certificate | None:
    """p = c f_1^e_1 ... f_k^e_k: even powers are >= 0, the others need a sign of their own."""
    content, factors = poly.factor()
    if len(factors) < 2 and all(exponent == 1 for _, exponent in factors):
        return None
    sign = 1 if content > 0 else -1
    parts: list[Certificate] = []
    for factor, exponent in sorted(factors, key=lambda pair: len(pair[0])):
        if exponent % 2 == 0 and not strict:
            parts.append({"of": text(factor), "power": int(exponent)})
            continue
        found = prove(factor, strict)
        turned = None if found is not None else prove(-factor, strict)
        if found is None and turned is None:
            return None
        if found is None and exponent % 2:
            sign = -sign
        part = {"of": text(factor), "power": int(exponent), "positive": found is not None}
        parts.append({**part, "proof": turned if found is None else found})
    return {"rule": "polynomial factors", "factors": parts} if sign > 0 else None


def by_discriminant(poly: Poly, strict: bool, prove: Prover) -> Certificate | None:
    """a x^2 + b x + c >= 0 for all real x if a >= 0, c >= 0 and 4 a c - b^2 >= 0.

    If a = 0 then b = 0. For > 0 the last must be > 0, so that a > 0.
    """
    for position in used(poly):
        if poly.degrees()[position] != 2:
            continue
        c, b, a = coefficients_in(poly, position)
        first = prove(a, False)
        second = prove(c, False) if first is not None else None
        third = prove(4 * a * c - b * b, strict) if second is not None else None
        if third is not None:
            name = poly.context().names()[position]
            proofs = [first, second, third]
            return {"rule": "discriminant", "variable": name, "proofs": proofs}
    return None


def by_order(poly: Poly, strict: bool, box: Sequence[Interval], work: Work) -> Certificate | None:
    """Homogeneous on x >= 0: in each order of the variables, x_a = s, x_b = s + t, ... has
    coefficients >= 0, or the same after repeating (successive differences).
    """
    places = used(poly)
    if strict or not 2 <= len(places) <= _MOST_VARIABLES_ORDERED:
        return None
    if any(box[i].low != 0 or box[i].high is not None for i in places):
        return None
    if len({sum(exponents) for exponents in poly.monoms()}) != 1:
        if len(places) >= _MOST_VARIABLES_ORDERED:
            return None
        poly = _homogenised(poly)
        places = used(poly)
    rests: dict[str, set[str]] = {}
    level = [poly]
    for _ in range(_DEEPEST_ORDERED):
        level = _next_level(level, places, rests, work)
        if any(all(v <= 0 for v in p.coeffs()) for p in level):
            return None
        if not level:
            return {"rule": "ordered"} if _well_founded(rests) else None
    return None


def _homogenised(poly: Poly) -> Poly:
    """With one more variable h >= 0; h = 1 gives the polynomial back."""
    wide = ring([*poly.context().names(), "_h"])
    degree = poly.total_degree()
    return wide.from_dict({(*e, degree - sum(e)): c for e, c in poly.to_dict().items()})


def _next_level(
    level: list[Poly], places: list[int], rests: dict[str, set[str]], work: Work
) -> list[Poly]:
    """The polynomials not met before on which those of the level rest; ``rests`` notes all."""
    found: dict[str, Poly] = {}
    for poly in level:
        below = rests[str(poly)] = set()
        for order in permutations(places):
            work.spend()
            changed = _ordered(poly, order)
            if any(v < 0 for v in changed.coeffs()):
                below.add(str(changed))
                found[str(changed)] = changed
    return [poly for key, poly in found.items() if key not in rests]


def _well_founded(rests: Mapping[str, set[str]]) -> bool:
    """Whether no polynomial rests on itself: only then do its differences end."""
    try:
        tuple(TopologicalSorter(rests).static_order())
    except CycleError:
        return False
    return True


def _ordered(poly: Poly, order: Sequence[int]) -> Poly:
    """x_{order[k]} = s_0 + ... + s_k, where s_k keeps the place of x_{order[k]}."""
    gens = list(poly.context().gens())
    total = poly.context().constant(0)
    images = list(gens)
    for place in order:
        total = total + gens[place]
        images[place] = total
    return poly.compose(*images, ctx=poly.context())
