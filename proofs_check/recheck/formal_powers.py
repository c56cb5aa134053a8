"""Powers, exponentials and logarithms of formal sums.

Each rule gives a form that agrees with the function at every point where the function has a value.
Which factors are > 0 or >= 0 at all those points is asked from a table (:class:`Signs`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from flint import fmpq, fmpz

from proofs_check.recheck.formal import (
    ONE,
    UNIT,
    ZERO,
    Atom,
    Coefficient,
    Form,
    Power,
    Unclear,
    atom,
    checked,
    from_powers,
    number,
    single,
    whole_power,
)
from proofs_check.recheck.formal_factors import factorised, lowest_terms, oriented, primitive

Pieces = list[tuple[Form, Power]]
_LARGEST_FACTORED = 10**24
_MOST_BITS = 10_000


class Signs(Protocol):
    """What is known of forms at all points of a region where they have a value."""

    def positive(self, form: Form) -> bool:
        """Whether every value is certainly > 0."""

    def nonnegative(self, form: Form) -> bool:
        """Whether every value is certainly >= 0."""


def power(signs: Signs, form: Form, exponent: Fraction) -> Form:
    """form^exponent.

    Raises:
        Unclear: it has no value anywhere, or is too large.
    """
    form = lowest_terms(form)
    if exponent == 0:
        return ONE
    if not form.terms:
        if exponent > 0:
            return ZERO
        raise Unclear("a negative power of zero")
    if exponent.denominator == 1:
        if exponent > 0:
            return whole_power(form, int(exponent))
        return _negative_power(signs, form, int(exponent))
    return _root(signs, form, exponent)


def _negative_power(signs: Signs, form: Form, exponent: int) -> Form:
    found = factorised(form)
    result = from_powers({base: p * exponent for base, p in found.powers.items()})
    result = result.scaled(checked(found.coefficient, exponent) ** exponent)
    for inner, count in found.sums:
        sign, base = _upward(signs, inner)
        result = result * _lifted(base, count * exponent).scaled(sign ** abs(count * exponent))
    return result


def _upward(signs: Signs, form: Form) -> tuple[int, Form]:
    """(sign, sign*form) for one choice of sign: positive if known, else by the text."""
    if signs.positive(form):
        return 1, form
    flipped = -form
    return (-1, flipped) if signs.positive(flipped) else oriented(form)


def _lifted(base: Form, exponent: Power) -> Form:
    """base^exponent, base positive, or as a power that is all that is known of it.

    A fractional power of a product is not the product of powers, whose factors may be negative.
    """
    whole = exponent == int(exponent)
    if len(base.terms) == 1:
        ((monomial, value),) = base.terms.items()
        single = len(monomial) == 1 and all(power == 1 for _, power in monomial)
        if whole or (value == 1 and single):
            scale = fmpq(1) if value == 1 else checked(value, int(exponent)) ** int(exponent)
            return from_powers({a: p * exponent for a, p in monomial}).scaled(scale)
    if whole and exponent >= 0:
        return whole_power(base, int(exponent))
    return from_powers({atom("sum", base): exponent})


def _parted(signs: Signs, form: Form) -> tuple[Coefficient, int, Pieces, Pieces, Pieces]:
    """|c|, sign, and the factors that are > 0, that are >= 0, and those of unknown sign:
    form = sign |c| prod base^exponent.
    """
    found = factorised(form)
    sign = 1 if found.coefficient > 0 else -1
    positive: Pieces = []
    weak: Pieces = []
    unknown: Pieces = []
    pieces: Pieces = [(_base(a), p) for a, p in found.powers.items()]
    for base, exponent in [*pieces, *found.sums]:
        whole = exponent == int(exponent)
        for side, oriented_base in ((1, base), (-1, -base)):
            # a power with a fractional exponent has a value only where the base is >= 0
            kind = positive if signs.positive(oriented_base) else None
            if kind is None and (signs.nonnegative(oriented_base) or (side > 0 and not whole)):
                kind = weak
            if kind is not None:
                kind.append((oriented_base, exponent))
                sign *= side if whole and int(exponent) % 2 else 1
                break
        else:
            unknown.append((base, exponent))
    return abs(found.coefficient), sign, positive, weak, unknown


def _base(base: Atom) -> Form:
    return base.form if base.kind == "sum" else Form({frozenset([(base, 1)]): fmpq(1)})


def _root(signs: Signs, form: Form, exponent: Fraction) -> Form:
    """A power with a fractional exponent: form >= 0 (> 0 for a negative exponent) at the points in
    question. Factors that are > 0 are taken out; those that are >= 0 only when nothing of unknown
    sign is left, since sqrt(0 u) has a value also for u < 0.
    """
    size, sign, positive, weak, unknown = _parted(signs, form)
    result = number_power(size, exponent)
    for base, count in positive:
        result = result * _lifted(base, count * exponent)
    if sign > 0 and not unknown:
        for base, count in weak:
            result = result * _lifted(base, count * exponent)
        return result
    if sign > 0 and len(unknown) == 1 and not weak:
        base, count = unknown[0]
        if int(count) % 2 == 0:
            base = absolute(signs, base)
        return result * _lifted(base, count * exponent)
    rest = _joined(sign, [*weak, *unknown])
    if rest.rational is not None:
        raise Unclear("a root of a negative number")
    return result * from_powers({atom("sum", rest): exponent})


def _joined(sign: int, pieces: Pieces) -> Form:
    rest = number(sign)
    for base, count in pieces:
        rest = rest * _lifted(base, count)
    return rest


def number_power(value: Coefficient, exponent: Fraction) -> Form:
    """A power of a positive rational."""
    return from_powers({atom("prime", p): k * exponent for p, k in _primes(value)})


def _primes(value: Coefficient) -> list[tuple[int, int]]:
    """Prime powers of a positive rational; numbers too large to be factored stand as they are."""
    found: list[tuple[int, int]] = []
    for part, sign in ((int(value.p), 1), (int(value.q), -1)):
        if part.bit_length() > _MOST_BITS:
            raise Unclear("a number too large for roots and logarithms")
        if part > _LARGEST_FACTORED:
            found.append((part, sign))
        elif part > 1:
            found += [(int(p), sign * int(k)) for p, k in fmpz(part).factor()]
    return found


# --- exponentials and logarithms ----------------------------------------------------------------
def units(form: Form) -> list[tuple[Fraction, Form]]:
    """(c, m) with the form the sum of the c m: its terms, but those with i or cis in them together,
    so that every m is real.
    """
    found = []
    turning = {}
    for monomial, c in form.terms.items():
        if any(base.kind in ("i", "cis") for base, _ in monomial):
            turning[monomial] = c
        else:
            found.append((_fraction(c), Form({monomial: fmpq(1)})))
    if turning:
        c, rest = primitive(Form(turning))
        found.append((_fraction(c), rest))
    return found


def _fraction(value: Coefficient) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def lone(unit: Form) -> Atom | None:
    """The atom if the form is a single one."""
    if len(unit.terms) != 1:
        return None
    ((monomial, value),) = unit.terms.items()
    if value != 1 or len(monomial) != 1:
        return None
    ((base, exponent),) = monomial
    return base if exponent == 1 else None


def exponential(signs: Signs, form: Form) -> Form:
    """exp of a sum as a product; exp(c log u) = u^c, as u > 0 where log u has a value."""
    result = ONE
    powers: dict[Atom, Power] = {}
    for coefficient, unit in units(lowest_terms(form)):
        base = lone(unit)
        if base is not None and base.kind == "log":
            result = result * power(signs, base.form, coefficient)
        else:
            powers[atom("exp", unit)] = coefficient
    return result * from_powers(powers)


def logarithm(signs: Signs, form: Form) -> Form:
    """log of a product as a sum: of the factors that are > 0, and of what is left, as one."""
    form = lowest_terms(form)
    if not form.terms:
        raise Unclear("the logarithm of zero")
    size, sign, positive, weak, unknown = _parted(signs, form)
    total = ZERO
    for prime, count in _primes(size):
        total = total + log_atom(number(prime)).scaled(count)
    for base, exponent in positive:
        total = total + _log_of(base).scaled(Fraction(exponent))
    rest = [*weak, *unknown]
    if sign > 0 and len(rest) <= 1:
        for base, exponent in rest:
            if exponent == int(exponent) and int(exponent) % 2 == 0:
                base = absolute(signs, base)
            total = total + _log_of(base).scaled(Fraction(exponent))
        return total
    return total + log_atom(_joined(sign, rest))


def _log_of(base: Form) -> Form:
    found = lone(base)
    if found is not None and found.kind == "exp":
        return found.form
    return log_atom(number(found.args[0]) if found is not None and found.kind == "prime" else base)


def log_atom(form: Form) -> Form:
    """The logarithm as a quantity of its own."""
    if form == ONE:
        return ZERO
    return single(atom("log", form))


def sign_of(signs: Signs, form: Form) -> int | None:
    """1 or -1 when that is the sign at all points, 0 for zero."""
    if not form.terms:
        return 0
    if signs.positive(form):
        return 1
    return -1 if signs.positive(-form) else None


def absolute(signs: Signs, form: Form) -> Form:
    """|form| as a product of the absolute values of its factors."""
    form = lowest_terms(form)
    if not form.terms or signs.nonnegative(form):
        return form
    if signs.nonnegative(-form):
        return -form
    size, _, positive, weak, unknown = _parted(signs, form)
    result = Form({UNIT: size})
    for base, exponent in [*positive, *weak]:
        result = result * _lifted(base, exponent)
    for base, exponent in unknown:
        if int(exponent) % 2 == 0:
            result = result * _signed_power(base, int(exponent))
        else:
            result = result * from_powers({atom("abs", oriented(base)[1]): exponent})
    return result


def _signed_power(base: Form, exponent: int) -> Form:
    return _lifted(oriented(base)[1], exponent)
