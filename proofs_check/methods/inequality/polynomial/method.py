"""Exact proofs for polynomials and rational functions in several variables.

Factors and squares, Bernstein coefficients with exact subdivision (faces of monotone and concave
variables), quadratics in one variable, successive differences for homogeneous ones, sums of squares
with constraints as weights. All data are rational numbers; nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from bounds.status import Status
from proofs_check.methods.inequality.polynomial import gram, squares
from proofs_check.methods.inequality.polynomial.bernstein import Exhausted, Fails, Work, show
from proofs_check.methods.inequality.polynomial.gram_parts import Given
from proofs_check.methods.inequality.polynomial.rational import (
    NotRational,
    Poly,
    Rational,
    bernstein,
    rational_function,
    substituted,
    text,
    used,
)
from proofs_check.methods.inequality.problem import Interval, Problem
from proofs_check.methods.inequality.result import Result

Certificate = Any
METHOD = "polynomial"
WORK = 20_000
_DEEPEST = 6


def prove(problem: Problem, *, work: int = WORK) -> Result:
    """PROVED when goal >= 0 (> 0) follows by exact algebra on the box, else UNDECIDED.

    Constraints are used for sums of squares only, the wholeness of integer variables never: the
    claim is shown on the larger region, and the divisors are shown to be nonzero there.
    """
    counter = Work(work)
    try:
        quotient = rational_function(problem.goal, problem.names)
    except NotRational as error:
        return _undecided(f"no polynomial or rational function: {error}", counter)
    if any(side.empty for _, side in problem.box):
        return _undecided("the region is empty", counter)
    box = tuple(side for _, side in problem.box)
    proof = prove_rational(quotient, problem.strict, box, counter, _facts(problem))
    if proof is None:
        return _undecided("no exact argument found; contact resists", counter)
    return Result(
        Status.PROVED,
        METHOD,
        "exact polynomial argument",
        certificate=_certificate(proof),
        work=counter.spent,
    )


def _undecided(reason: str, counter: Work) -> Result:
    return Result(Status.UNDECIDED, METHOD, reason, work=counter.spent)


def _facts(problem: Problem) -> list[Given]:
    """The constraints that are polynomials."""
    found = []
    for constraint in problem.constraints:
        try:
            quotient = rational_function(constraint.expression, problem.names)
        except NotRational:
            continue
        if quotient.bottom.is_constant():
            poly = quotient.top / quotient.bottom.leading_coefficient()
            found.append(Given(poly, constraint.strict))
    return found


def _certificate(found: Certificate) -> Certificate:
    """A proof of top/bottom as one of the goal; a constant bottom is left out."""
    if found["bottom"] == "1":
        return found["top_proof"]
    return {"rule": "quotient", **found}


def prove_rational(
    quotient: Rational,
    strict: bool,
    box: Sequence[Interval],
    work: Work,
    facts: Sequence[Given] | None = None,
) -> Certificate | None:
    """A proof of top/bottom >= 0 (> 0): divisors nonzero, sign of bottom, sign of top.

    It is {"top": text, "bottom": text, "top_proof": tree, "bottom_proof": tree} with the signs such
    that bottom > 0 and top >= 0 (> 0) are shown; a constant bottom is 1. Texts and trees name the
    generators as the ring does. With ``"rule": "quotient"``, or with ``"rule": "atoms"`` and the
    table of atoms, it is a proof tree of the quotient. Sums of squares, which are dear, are tried
    only if ``facts`` are given, and use them.
    """
    for divisor in quotient.divisors:
        if _nonzero(divisor, box, work) is None:
            return None
    below = _nonzero(quotient.bottom, box, work)
    if below is None:
        return None
    scale = quotient.bottom.leading_coefficient() if quotient.bottom.is_constant() else below[0]
    top, bottom = quotient.top / scale, quotient.bottom / scale
    above = prove_sign(top, strict, box, work)
    if above is None and facts is not None:
        above = gram.prove(top, strict, box, facts, work)
    if above is None:
        return None
    return {"top": text(top), "bottom": text(bottom), "top_proof": above, "bottom_proof": below[1]}


def _nonzero(poly: Poly, box: Sequence[Interval], work: Work) -> tuple[int, Certificate] | None:
    """The sign of a polynomial that is nowhere 0, and a proof that sign * poly > 0."""
    for sign in (1, -1):
        found = prove_sign(sign * poly, True, box, work)
        if found is not None:
            return sign, found
    return None


def prove_sign(
    poly: Poly, strict: bool, box: Sequence[Interval], work: Work, depth: int = 0
) -> Certificate | None:
    """A proof tree of poly >= 0 (> 0) on the box, or None when no argument is found in time.

    It holds for every positive multiple of the polynomial, and names variables as the ring does.
    """
    if poly.is_zero():
        return None if strict else {"rule": "number"}
    if poly.is_constant():
        return {"rule": "number"} if poly.leading_coefficient() > 0 else None
    try:
        for argument in _arguments(poly, strict, box, work, depth):
            if argument is not None:
                return argument
    except Fails:
        return None
    except Exhausted:
        return None
    return None


def _arguments(
    poly: Poly, strict: bool, box: Sequence[Interval], work: Work, depth: int
) -> Iterator[Certificate | None]:
    places = used(poly)
    lines = [i for i in places if box[i].low is None and box[i].high is None]

    def smaller(other: Poly, strictly: bool) -> Certificate | None:
        return prove_sign(other, strictly, box, work, depth + 1)

    yield _even(poly, strict)
    if not lines:
        yield _on_cube(poly, strict, box, places, Work(40), work)
    yield squares.by_factors(poly, strict, smaller) if depth < _DEEPEST else None
    if depth < _DEEPEST and not _odd_at_infinity(poly, lines):
        yield squares.by_discriminant(poly, strict, smaller)
    yield squares.by_order(poly, strict, box, work)
    yield _squares_as_variables(poly, strict, box, work, depth)
    if lines:
        yield _halved(poly, strict, box, lines[0], work, depth)
    else:
        yield _on_cube(poly, strict, box, places, Work(300 if depth else 3000), work)


def _even(poly: Poly, strict: bool) -> Certificate | None:
    """Even powers only, all coefficients >= 0: a sum of squares as it stands."""
    every = all(value > 0 for value in poly.coeffs())
    even = all(e % 2 == 0 for exponents in poly.monoms() for e in exponents)
    constant = any(sum(exponents) == 0 for exponents in poly.monoms())
    return {"rule": "terms"} if every and even and (constant or not strict) else None


def _odd_at_infinity(poly: Poly, lines: Sequence[int]) -> bool:
    return any(poly.degrees()[i] % 2 for i in lines)


def _on_cube(
    poly: Poly, strict: bool, box: Sequence[Interval], places: Sequence[int], own: Work, work: Work
) -> Certificate | None:
    table = bernstein(poly, places, box)
    if table is None:
        return None
    ends = tuple(_ends(box[i]) for i in places)
    try:
        tree = show(table, strict, ends, own)
        return {"rule": "bernstein", "variables": _names(poly, places), "tree": tree}
    except Exhausted:
        return None
    finally:
        work.spend(min(own.spent, own.limit))


def _names(poly: Poly, places: Sequence[int]) -> list[str]:
    names = poly.context().names()
    return [names[i] for i in places]


def _ends(side: Interval) -> tuple[bool, bool]:
    """Closed ends in the order of t: on (-oo, b] t runs from b to -infinity."""
    if side.low is None:
        return (not side.open_high, False)
    return (not side.open_low, side.high is not None and not side.open_high)


def _squares_as_variables(
    poly: Poly, strict: bool, box: Sequence[Interval], work: Work, depth: int
) -> Certificate | None:
    """Where only even powers of x occur, u = x^2 >= 0 is the variable."""
    half = Interval(low=Fraction(0))
    degrees = poly.degrees()
    even = [
        i
        for i in used(poly)
        if (box[i].low in (None, Fraction(0)) and box[i].high is None)
        and not any(exponents[i] % 2 for exponents in poly.monoms())
    ]
    if not even or depth >= _DEEPEST or max(degrees[i] for i in even) < 2:
        return None
    terms = {
        tuple(e // 2 if i in even else e for i, e in enumerate(exponents)): value
        for exponents, value in poly.to_dict().items()
    }
    sides = [
        replace(half, open_low=box[i].low is not None and box[i].open_low) if i in even else side
        for i, side in enumerate(box)
    ]
    found = prove_sign(poly.context().from_dict(terms), strict, sides, work, depth + 1)
    if found is None:
        return None
    return {"rule": "squares", "variables": _names(poly, even), "proof": found}


def _halved(
    poly: Poly, strict: bool, box: Sequence[Interval], place: int, work: Work, depth: int
) -> Certificate | None:
    """A whole line is two half-lines; the left one is reflected."""
    if depth >= _DEEPEST:
        return None
    parts: list[Certificate] = []
    half = Interval(low=Fraction(0))
    sides = [half if i == place else side for i, side in enumerate(box)]
    for image in (poly, substituted(poly, place, -poly.context().gens()[place])):
        found = prove_sign(image, strict, sides, work, depth + 1)
        if found is None:
            return None
        parts.append(found)
    return {"rule": "halves", "variable": _names(poly, [place])[0], "proofs": parts}
