"""Formal sums in lowest terms and as products of irreducible factors.

A power a^q of an atom counts as a power of the generator a^(1/d), d the common denominator of its
exponents. A factorisation is an identity of polynomials and so holds at every point where the form
has a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd, lcm
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from proofs_check.recheck.formal import (
    ONE,
    UNIT,
    Atom,
    Coefficient,
    Form,
    Monomial,
    Power,
    Unclear,
    atom,
    coefficient,
    collected,
    lowest,
    shifted,
    single,
    whole_power,
)

Poly = Any
_MOST_TERMS = 250
_LARGEST_DEGREE = 60


@dataclass(frozen=True)
class Factors:
    """coefficient * prod atom^power * prod sum^exponent; the sums have more than one term."""

    coefficient: Coefficient
    powers: dict[Atom, Power]
    sums: list[tuple[Form, int]]


def factorised(form: Form) -> Factors:
    """The form as a product; with i or cis in it only its common monomial is taken out."""
    form = lowest_terms(form)
    if len(form.terms) == 1 and any(map(_complex, form.atoms())):
        raise Unclear("a number that is not seen to be real")
    powers: dict[Atom, Power] = {}
    for base in set(form.atoms()):
        # i and cis have no sign: they stay inside the sum, which is real
        least = 0 if _complex(base) else lowest(form, base)
        if least:
            powers[base] = least
    rest = form if len(form.terms) != 1 else Form({UNIT: next(iter(form.terms.values()))})
    if len(form.terms) > 1:
        for base, power in powers.items():
            rest = shifted(rest, base, -power)
    if len(rest.terms) <= 1:
        if any(map(_complex, rest.atoms())):
            raise Unclear("a number that is not seen to be real")
        # shifting may have multiplied out to a single term with atoms of its own
        ((monomial, value),) = rest.terms.items() or ((UNIT, coefficient(0)),)
        for base, power in monomial:
            powers[base] = powers.get(base, 0) + power
        return Factors(value, {b: p for b, p in powers.items() if p}, [])
    if rest.complex or not _small(rest):
        value, rest = primitive(rest)
        return Factors(value, powers, [(rest, 1)])
    ring = _Ring(rest)
    lead, parts = ring.poly(rest).factor()
    value, sums = coefficient(lead), []
    for part, exponent in parts:
        inner = ring.form(part)
        if len(inner.terms) == 1:
            ((monomial, factor),) = inner.terms.items()
            value = value * factor ** int(exponent)
            for base, power in monomial:
                powers[base] = powers.get(base, 0) + power * int(exponent)
            continue
        content, inner = primitive(inner)
        value = value * content ** int(exponent)
        sums.append((inner, int(exponent)))
    return Factors(value, {b: p for b, p in powers.items() if p}, sums)


def _complex(base: Atom) -> bool:
    return base.kind in ("i", "cis")


def primitive(form: Form) -> tuple[Coefficient, Form]:
    """(c, form/c) with whole coprime coefficients and a fixed one of the two signs."""
    common, below = 0, 1
    for value in form.terms.values():
        common, below = gcd(common, int(value.p)), lcm(below, int(value.q))
    factor = coefficient(Fraction(common, below))
    scaled = form.scaled(1 / factor)
    flipped = -scaled
    if flipped.text < scaled.text:
        return -factor, flipped
    return factor, scaled


def oriented(form: Form) -> tuple[int, Form]:
    """(1, form) or (-1, -form), the same for form and -form."""
    flipped = -form
    return (-1, flipped) if flipped.text < form.text else (1, form)


def lowest_terms(form: Form) -> Form:
    """The form with common factors of numerator and denominator cancelled."""
    below = {a: lowest(form, a) for a in form.atoms() if a.kind == "sum"}
    below = {a: power for a, power in below.items() if power < 0}
    if not below or form.complex:
        return form
    top, bottom = form, ONE
    for base in sorted(below, key=lambda a: (-a.depth, a.text)):
        count = ceil(-below[base])
        top = shifted(top, base, count)
        bottom = bottom * whole_power(base.form, count)
    if any(a.kind == "sum" and lowest(f, a) < 0 for f in (top, bottom) for a in set(f.atoms())):
        return form
    if not (_small(top) and _small(bottom)) or not top.terms:
        return form if top.terms else top
    monomials = [_inverse_content(top), _inverse_content(bottom)]
    top, bottom = top * monomials[0], bottom * monomials[1]
    ring = _Ring(top, bottom)
    above, under = ring.poly(top), ring.poly(bottom)
    common = above.gcd(under)
    result = ring.form(above / common) * _inverted(monomials[0]) * monomials[1]
    lead, parts = (under / common).factor()
    result = result.scaled(1 / coefficient(lead))
    for part, exponent in parts:
        inner = ring.form(part)
        if len(inner.terms) == 1:
            result = result * whole_power(_inverted(inner), int(exponent))
            continue
        content, inner = primitive(inner)
        result = result.scaled(content ** -int(exponent)) * single(
            atom("sum", inner), -int(exponent)
        )
    return result


def _inverse_content(form: Form) -> Form:
    """The inverse of the powers < 0 that make the form no polynomial."""
    found = {base: lowest(form, base) for base in set(form.atoms())}
    return Form({frozenset((b, -p) for b, p in found.items() if p < 0): coefficient(1)})


def _inverted(form: Form) -> Form:
    ((monomial, value),) = form.terms.items()
    return Form({frozenset((b, -p) for b, p in monomial): 1 / value})


def _small(form: Form) -> bool:
    """Whether the polynomial has few terms and low degrees in the roots that it uses."""
    if len(form.terms) > _MOST_TERMS:
        return False
    scales = _scales(form)
    return all(
        -_LARGEST_DEGREE <= power * scales[base] <= _LARGEST_DEGREE
        for monomial in form.terms
        for base, power in monomial
    )


def _scales(*forms: Form) -> dict[Atom, int]:
    """The common denominators of the exponents of each atom."""
    scales: dict[Atom, int] = {}
    for form in forms:
        for monomial in form.terms:
            for base, power in monomial:
                scales[base] = lcm(scales.get(base, 1), Fraction(power).denominator)
    return scales


class _Ring:
    """Polynomials in the atoms of some forms with exponents >= 0."""

    def __init__(self, *forms: Form) -> None:
        self.scales = _scales(*forms)
        self.bases = sorted(self.scales, key=lambda a: a.text)
        if not self.bases:
            raise Unclear("no atoms")
        names = [f"g{i}" for i in range(len(self.bases))]
        self.context = fmpq_mpoly_ctx.get(names, Ordering.lex)
        self.places = {base: i for i, base in enumerate(self.bases)}

    def poly(self, form: Form) -> Poly:
        """A form as a polynomial."""
        terms = {}
        for monomial, value in form.terms.items():
            exponents = [0] * len(self.bases)
            for base, power in monomial:
                if power < 0:
                    raise Unclear("a negative power")
                exponents[self.places[base]] = int(power * self.scales[base])
            terms[tuple(exponents)] = value
        return self.context.from_dict(terms)

    def form(self, poly: Poly) -> Form:
        """A polynomial as a form."""
        terms = []
        for exponents, value in poly.to_dict().items():
            terms.append((self._monomial(exponents), value))
        return collected(terms)

    def _monomial(self, exponents: tuple[int, ...]) -> Monomial:
        found = []
        for base, exponent in zip(self.bases, exponents, strict=True):
            if exponent:
                power = Fraction(int(exponent), self.scales[base])
                found.append((base, int(power) if power.denominator == 1 else power))
        return frozenset(found)
