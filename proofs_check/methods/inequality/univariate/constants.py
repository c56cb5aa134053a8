"""Exact real constants: sums of rationals times products of powers of named numbers.

A constant is sum r_i * prod a_ij^q_ij with rational r, q. The named numbers a are primes, pi,
exp(m), log(n), S^q for a sum S > 0, and values of functions at constants. Equal forms are
equal numbers, so that a form that reduces to the empty sum is *exactly* zero; the converse is not
claimed (then `sign` raises Unclear). Numbers are compared by their balls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb, ctx, fmpq

from bounds.errors import BoundsError
from proofs_check.arithmetic.tape import Instruction, Tape
from proofs_check.methods.inequality.univariate.factors import rational_powers, whole_power

Ball = Any

MOST_TERMS = 40
MOST_PRODUCTS = 300


class Unclear(BoundsError, ArithmeticError):
    """A question about constants (sign, definedness) that could not be answered exactly."""


@dataclass(frozen=True)
class Atom:
    """A named positive or real number; two atoms are the same if their texts are."""

    kind: str
    arg: Any = field(compare=False)
    text: str

    def ball(self) -> Ball:
        """Its enclosure at the precision in force."""
        return _atom_ball(self, ctx.prec)


Monomial = tuple[tuple[Atom, Fraction], ...]


@lru_cache(maxsize=4096)
def _atom_ball(atom: Atom, bits: int) -> Ball:
    if atom.kind == "prime":
        return arb(atom.arg)
    if atom.kind == "pi":
        return arb.pi()
    if atom.kind == "exp":
        return _monomial_ball(atom.arg).exp()
    if atom.kind == "log":
        return atom.arg.ball().log()
    if atom.kind == "sum":
        return atom.arg.ball()
    if atom.kind == "variable":
        return atom.arg.ball()
    if atom.kind == "hurwitz":
        return atom.arg[0].ball().zeta(atom.arg[1].ball())
    steps = [Instruction("symbol", (), str(i)) for i in range(len(atom.arg))]
    call = Instruction(atom.kind, tuple(range(len(atom.arg))), None)
    tape = Tape((*steps, call), (len(atom.arg),))
    return tape.run({str(i): arg.ball() for i, arg in enumerate(atom.arg)})[0]


def _monomial_ball(monomial: Monomial) -> Ball:
    result = arb(1)
    for atom, exponent in monomial:
        base = atom.ball()
        if exponent.denominator == 1:
            result *= whole_power(base, int(exponent))
        else:
            result *= base ** arb(fmpq(exponent.numerator, exponent.denominator))
    return result


@dataclass(frozen=True)
class Constant:
    """The sum of coefficient * monomial, sorted by the text of the monomials."""

    terms: tuple[tuple[Monomial, Fraction], ...]

    @property
    def text(self) -> str:
        """A canonical text, equal exactly for equal forms."""
        return " + ".join(f"{value}{_text(monomial)}" for monomial, value in self.terms) or "0"

    def ball(self) -> Ball:
        """Its enclosure at the precision in force."""
        total = arb(0)
        for monomial, value in self.terms:
            total += arb(fmpq(value.numerator, value.denominator)) * _monomial_ball(monomial)
        return total

    @property
    def rational(self) -> Fraction | None:
        """The value if the form is a plain rational."""
        if not self.terms:
            return Fraction(0)
        monomial, value = self.terms[0]
        return value if len(self.terms) == 1 and not monomial else None

    def __add__(self, other: Constant) -> Constant:
        return _collect([*self.terms, *other.terms])

    def __sub__(self, other: Constant) -> Constant:
        return self + other.scaled(Fraction(-1))

    def __neg__(self) -> Constant:
        return self.scaled(Fraction(-1))

    def __mul__(self, other: Constant) -> Constant:
        if len(self.terms) * len(other.terms) > MOST_PRODUCTS:
            raise Unclear("a product of exact constants with too many terms")
        products = []
        for left, a in self.terms:
            for right, b in other.terms:
                monomial, factor = _times(left, right)
                products.append((monomial, a * b * factor))
        return _collect(products)

    def scaled(self, factor: Fraction) -> Constant:
        """factor times the constant."""
        if factor == 0:
            return ZERO
        return Constant(tuple((monomial, value * factor) for monomial, value in self.terms))

    def sign(self) -> int:
        """-1, 0 or 1.

        Raises:
            Unclear: neither the balls nor the form decide.
        """
        for bits in (ctx.prec, 512):
            with ctx.workprec(bits):
                value = self.ball()
                if value > 0:
                    return 1
                if value < 0:
                    return -1
            if not _expanded(self).terms:
                return 0
        raise Unclear(f"cannot tell whether {self.text} is zero")


def _text(monomial: Monomial) -> str:
    return "".join(f"*{atom.text}^({exponent})" for atom, exponent in monomial)


def _collect(terms: Iterable[tuple[Monomial, Fraction]]) -> Constant:
    found: dict[Monomial, Fraction] = {}
    for monomial, value in terms:
        found[monomial] = found.get(monomial, Fraction(0)) + value
    kept = [(monomial, value) for monomial, value in found.items() if value]
    if len(kept) > 1:
        kept.sort(key=lambda term: _text(term[0]))
    if len(kept) > MOST_TERMS:
        raise Unclear(f"an exact constant grew beyond {MOST_TERMS} terms")
    return Constant(tuple(kept))


def _times(left: Monomial, right: Monomial) -> tuple[Monomial, Fraction]:
    """The product as a monomial and a rational factor (whole powers of primes)."""
    if not left or not right:
        return left or right, Fraction(1)
    powers = dict(left)
    for atom, exponent in right:
        powers[atom] = powers.get(atom, Fraction(0)) + exponent
    return _monomial(powers)


def _monomial(powers: Mapping[Atom, Fraction]) -> tuple[Monomial, Fraction]:
    factor = Fraction(1)
    kept = []
    for atom, exponent in powers.items():
        if atom.kind == "prime":
            whole = exponent.numerator // exponent.denominator
            if abs(whole) > 4000:
                raise Unclear("a power of a constant is too large")
            factor *= Fraction(atom.arg) ** whole
            exponent -= whole
        if exponent:
            kept.append((atom, exponent))
    return tuple(sorted(kept, key=lambda pair: pair[0].text)), factor


ZERO = Constant(())
ONE = Constant((((), Fraction(1)),))


def rational(value: Fraction | int) -> Constant:
    """A rational number."""
    return ZERO if value == 0 else Constant((((), Fraction(value)),))


def _single(atom: Atom, exponent: Fraction = Fraction(1)) -> Constant:
    monomial, factor = _monomial({atom: exponent})
    return Constant(((monomial, factor),))


PI_ATOM = Atom("pi", None, "pi")
PI = _single(PI_ATOM)


def _exp_atom(monomial: Monomial) -> Atom:
    return Atom("exp", monomial, f"exp(1{_text(monomial)})")


E = _single(_exp_atom(()))


def _expanded(value: Constant) -> Constant:
    """The form with powers of sums multiplied out as far as exponents allow, up to a positive
    or at least non-zero common factor; and cos^2 = 1 - sin^2.
    """
    done: set[Atom] = set()
    while True:
        sums = {a for m, _ in value.terms for a, _ in m if a.kind == "sum"} - done
        if not sums:
            break
        atom = max(sums, key=lambda a: (len(a.text), a.text))
        done.add(atom)
        value = _multiplied_out(value, atom)
    cosines = {a for m, _ in value.terms for a, q in m if a.kind == "cos" and q >= 2}
    for atom in cosines:
        value = _pythagoras(value, atom)
    return value


def _multiplied_out(value: Constant, atom: Atom) -> Constant:
    lowest = min(dict(m).get(atom, Fraction(0)) for m, _ in value.terms)
    total = ZERO
    for monomial, coefficient in value.terms:
        powers = dict(monomial)
        exponent = powers.pop(atom, Fraction(0)) - lowest
        whole = exponent.numerator // exponent.denominator
        if exponent - whole:
            powers[atom] = exponent - whole
        if whole > 24:
            raise Unclear("a power of a sum is too large to multiply out")
        rest, factor = _monomial(powers)
        term = Constant(((rest, coefficient * factor),))
        for _ in range(whole):
            term = term * atom.arg
        total = total + term
    return total


def _pythagoras(value: Constant, atom: Atom) -> Constant:
    sine = _single(Atom("sin", atom.arg, _call_text("sin", atom.arg)))
    square = ONE - sine * sine
    total = ZERO
    for monomial, coefficient in value.terms:
        powers = dict(monomial)
        exponent = powers.get(atom, Fraction(0))
        pairs = int(exponent) // 2 if exponent >= 2 else 0
        if pairs:
            powers[atom] = exponent - 2 * pairs
        rest, factor = _monomial(powers)
        term = Constant(((rest, coefficient * factor),))
        for _ in range(pairs):
            term = term * square
        total = total + term
    return total


def _prime(p: int) -> Atom:
    return Atom("prime", p, str(p))


def _split(value: Constant) -> tuple[Fraction, Monomial, Constant]:
    """value = coefficient * monomial * (1 + ...), the coefficient positive."""
    monomial, coefficient = value.terms[0]
    if len(value.terms) == 1:
        return coefficient, monomial, ONE
    size = abs(coefficient)
    inverse, factor = _monomial({atom: -exponent for atom, exponent in monomial})
    reduced = value * Constant(((inverse, factor / size),))
    return size, monomial, reduced


def _positive_atoms(monomial: Monomial) -> bool:
    return all(
        atom.kind in ("prime", "pi", "exp", "sum") or atom.ball() > 0 for atom, _ in monomial
    )


def power(value: Constant, exponent: Fraction) -> Constant:
    """value^exponent; the base must be > 0, or != 0 for a whole exponent (any for >= 0).

    Raises:
        Unclear: the sign of the base cannot be shown, or the base is not allowed.
    """
    if exponent == 0:
        return ONE
    if not value.terms:
        if exponent > 0:
            return ZERO
        raise Unclear("a negative power of zero")
    if exponent.denominator == 1 and 0 < exponent <= 8 and len(value.terms) <= 3:
        result = value
        for _ in range(int(exponent) - 1):
            result = result * value
        return result
    sign = value.sign()
    if sign == 0:
        return power(ZERO, exponent)
    if sign < 0:
        if exponent.denominator != 1:
            raise Unclear("a fractional power of a negative number")
        result = power(-value, exponent)
        return result if int(exponent) % 2 == 0 else -result
    return _positive_power(value, exponent)


def _positive_power(value: Constant, exponent: Fraction) -> Constant:
    coefficient, monomial, rest = _split(value)
    if not _positive_atoms(monomial) or coefficient < 0:
        if exponent.denominator != 1 or len(value.terms) > 1:
            coefficient, monomial, rest = Fraction(1), (), value
        elif coefficient < 0:
            # A product of real numbers that is positive: a whole power goes factor by factor.
            inner = Constant(((monomial, Fraction(1)),))
            flipped = power(rational(coefficient), exponent)
            return flipped * Constant((_whole_power(inner, exponent),))
    powers = {atom: q * exponent for atom, q in monomial}
    for p, k in rational_powers(coefficient).items():
        powers[_prime(p)] = powers.get(_prime(p), Fraction(0)) + k * exponent
    if rest != ONE:
        powers[Atom("sum", rest, f"({rest.text})")] = exponent
    final, factor = _monomial(powers)
    return Constant(((final, factor),))


def _whole_power(value: Constant, exponent: Fraction) -> tuple[Monomial, Fraction]:
    monomial, coefficient = value.terms[0]
    result, factor = _monomial({atom: q * exponent for atom, q in monomial})
    return result, factor * coefficient ** int(exponent)


def log(value: Constant) -> Constant:
    """The logarithm of a positive constant."""
    if value.sign() <= 0:
        raise Unclear("the logarithm of a number that is not positive")
    coefficient, monomial, rest = _split(value)
    if coefficient < 0 or not _positive_atoms(monomial):
        coefficient, monomial, rest = Fraction(1), (), value
    total = ZERO
    for p, k in rational_powers(coefficient).items():
        total = total + _single(_log_atom(rational(p))).scaled(Fraction(k))
    for atom, exponent in monomial:
        total = total + _log_of_atom(atom).scaled(exponent)
    if rest != ONE:
        total = total + _single(_log_atom(rest))
    return total


def _log_atom(value: Constant) -> Atom:
    return Atom("log", value, f"log({value.text})")


def _log_of_atom(atom: Atom) -> Constant:
    if atom.kind == "exp":
        return Constant(((atom.arg, Fraction(1)),))
    if atom.kind == "sum":
        return _single(_log_atom(atom.arg))
    return _single(_log_atom(_single(atom) if atom.kind != "prime" else rational(atom.arg)))


def exp(value: Constant) -> Constant:
    """The exponential."""
    powers: dict[Atom, Fraction] = {}
    result = ONE
    for monomial, coefficient in value.terms:
        first = monomial[0] if len(monomial) == 1 else None
        if first is not None and first[0].kind == "log" and first[1] == 1:
            result = result * power(first[0].arg, coefficient)
        else:
            powers[_exp_atom(monomial)] = coefficient
    final, factor = _monomial(powers)
    return result * Constant(((final, factor),))


def _call_text(name: str, args: tuple[Constant, ...]) -> str:
    return f"{name}({', '.join(arg.text for arg in args)})"


def opaque(name: str, *args: Constant) -> Constant:
    """The value of a function as a number of its own; its ball must be finite."""
    atom = Atom(name, args, _call_text(name, args))
    if not atom.ball().is_finite():
        raise Unclear(f"{atom.text} has no value")
    return _single(atom)
