"""Formal sums: rational multiples of products of rational powers of named quantities (atoms).

An atom is a variable, a prime, pi, i, exp(m) and cis(m) = exp(i m) of a product m, a sum that
stands for itself, or a function of forms. The meaning of a form at a point: every power that occurs
has a value there, and the form is the sum. Adding, multiplying, and cancelling of powers keep the
value wherever both sides had one; that is all the soundness argument of :mod:`normal` needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

from flint import fmpq

from proofs_check.recheck.errors import Rejected

Power = int | Fraction
Coefficient = Any

MOST_TERMS = 3_000
_MOST_PRODUCTS = 40_000
_LARGEST_POWER = 60
_MOST_BITS = 200_000
_LONGEST_TEXT = 20_000


class Unclear(Rejected):
    """A question about formal sums that is too large or cannot be decided; nothing is claimed."""


@dataclass(frozen=True)
class Atom:
    """A named quantity. ``args`` are forms, numbers or names; ``text`` orders atoms."""

    kind: str
    args: tuple[Any, ...]
    text: str = field(compare=False)
    depth: int = field(compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.kind, self.args)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def form(self) -> Form:
        """The first argument, a form."""
        found: Form = self.args[0]
        return found


Monomial = frozenset[tuple[Atom, Power]]
UNIT: Monomial = frozenset()


def atom(kind: str, *args: Any) -> Atom:
    """An atom.

    Raises:
        Unclear: it is nested too deeply.
    """
    forms = [arg for arg in args if isinstance(arg, Form)]
    text = f"{kind}({','.join(arg.text if isinstance(arg, Form) else str(arg) for arg in args)})"
    if len(text) > _LONGEST_TEXT:
        raise Unclear("functions nested too deeply for the normal form")
    return Atom(kind, args, text, 1 + max((f.depth for f in forms), default=0))


@dataclass(frozen=True, eq=False)
class Form:
    """The sum of coefficient * monomial over ``terms``; never changed after it is made."""

    terms: Mapping[Monomial, Coefficient]
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def __hash__(self) -> int:
        if "hash" not in self._cache:
            self._cache["hash"] = hash(frozenset(self.terms))
        return int(self._cache["hash"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self.terms == other.terms

    @property
    def text(self) -> str:
        """A canonical text."""
        if "text" not in self._cache:
            parts = sorted((_text(m), str(c)) for m, c in self.terms.items())
            self._cache["text"] = "+".join(f"{c}{m}" for m, c in parts) or "0"
        return str(self._cache["text"])

    @property
    def depth(self) -> int:
        """How deeply atoms are nested."""
        return max((a.depth for a in self.atoms()), default=0)

    def atoms(self) -> Iterator[Atom]:
        """The atoms that occur, some of them more than once."""
        return (a for monomial in self.terms for a, _ in monomial)

    @property
    def rational(self) -> Fraction | None:
        """The value if the form is a plain number."""
        if not self.terms:
            return Fraction(0)
        value = self.terms.get(UNIT) if len(self.terms) == 1 else None
        return None if value is None else Fraction(int(value.p), int(value.q))

    @property
    def complex(self) -> bool:
        """Whether i or a cis occurs, in the sum or in its denominators."""
        if "complex" not in self._cache:
            self._cache["complex"] = any(
                a.kind in ("i", "cis") or (a.kind == "sum" and a.form.complex) for a in self.atoms()
            )
        return bool(self._cache["complex"])

    def __add__(self, other: Form) -> Form:
        return collected([*self.terms.items(), *other.terms.items()])

    def __sub__(self, other: Form) -> Form:
        return self + other.scaled(-1)

    def __neg__(self) -> Form:
        return self.scaled(-1)

    def scaled(self, factor: Any) -> Form:
        """A rational multiple."""
        value = coefficient(factor)
        return Form({m: c * value for m, c in self.terms.items()}) if value != 0 else ZERO

    def __mul__(self, other: Form) -> Form:
        if len(self.terms) * len(other.terms) > _MOST_PRODUCTS:
            raise Unclear("a product with too many terms")
        plain: dict[Monomial, Coefficient] = {}
        total: Form | None = None
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial, factor, expand = _product(left, right)
                value = a * b if factor is None else a * b * factor
                if not expand:
                    plain[monomial] = plain[monomial] + value if monomial in plain else value
                    continue
                term = Form({monomial: value})
                for base, power in expand:
                    term = term * whole_power(base, power)
                total = term if total is None else total + term
        result = collected(plain.items())
        return result if total is None else result + total


def coefficient(value: Any) -> Coefficient:
    """A rational number of the library."""
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    return fmpq(value) if isinstance(value, int) else value


def checked(value: Coefficient, power: int) -> Coefficient:
    """The number, whose power must not be too large."""
    bits = int(value.p).bit_length() + int(value.q).bit_length()
    if bits * abs(power) > _MOST_BITS:
        raise Unclear("a power of a number that is too large")
    return value


def collected(terms: Iterable[tuple[Monomial, Coefficient]]) -> Form:
    """The sum of terms."""
    found: dict[Monomial, Coefficient] = {}
    for monomial, value in terms:
        found[monomial] = found[monomial] + value if monomial in found else value
    if len(found) > MOST_TERMS:
        raise Unclear(f"a sum of more than {MOST_TERMS} terms")
    return Form({m: c for m, c in found.items() if c != 0})


def number(value: Fraction | int) -> Form:
    """A rational number."""
    return Form({UNIT: coefficient(value)}) if value else ZERO


def single(base: Atom, exponent: Power = 1) -> Form:
    """A power of an atom."""
    return from_powers({base: exponent})


def from_powers(powers: Mapping[Atom, Power]) -> Form:
    """A product of powers of atoms."""
    monomial, factor, expand = _related(dict(powers))
    result = Form({monomial: fmpq(1) if factor is None else factor})
    for base, power in expand:
        result = result * whole_power(base, power)
    return result


def whole_power(base: Form, power: int) -> Form:
    """base^power for power >= 0, multiplied out."""
    if power > _LARGEST_POWER and len(base.terms) > 1:
        raise Unclear("a power too large to multiply out")
    for value in base.terms.values():
        checked(value, power)
    result = ONE
    while power:
        if power & 1:
            result = result * base
        power >>= 1
        base = base * base if power else base
    return result


def _product(
    left: Monomial, right: Monomial
) -> tuple[Monomial, Coefficient | None, list[tuple[Form, int]]]:
    if not left or not right:
        return left or right, None, []
    powers = dict(left)
    special = False
    for base, exponent in right:
        known = powers.get(base)
        if known is None:
            powers[base] = exponent
            continue
        special = special or base.kind in _RELATED
        powers[base] = known + exponent
        if not powers[base]:
            del powers[base]
    return _related(powers) if special else (frozenset(powers.items()), None, [])


_RELATED = frozenset({"prime", "i", "cis", "sum", "abs", "cbrt"})


def _related(
    powers: dict[Atom, Power],
) -> tuple[Monomial, Coefficient | None, list[tuple[Form, int]]]:
    """(monomial, factor, [(sum, n)]) with whole powers taken out: p^1 = p, i^2 = -1, cis(pi) = -1,
    cis(pi)^(1/2) = i, and, for exponents >= 1, 2, 3: (sum)^1, abs(u)^2 = u^2, cbrt(u)^3 = u.
    """
    factor: Coefficient = fmpq(1)
    expand: list[tuple[Form, int]] = []
    for base, exponent in list(powers.items()):
        if base.kind == "cis" and base.form.terms == PI.terms:
            quarters = floor(exponent * 2)
            powers[base] = exponent - Fraction(quarters, 2)
            powers[_I] = powers.get(_I, 0) + quarters
    for base, exponent in list(powers.items()):
        if base.kind not in _RELATED:
            continue
        whole = floor(exponent)
        if base.kind == "prime" and whole:
            if abs(whole) * base.args[0].bit_length() > _MOST_BITS:
                raise Unclear("a power of a number that is too large")
            factor = factor * fmpq(base.args[0]) ** whole
            powers[base] = exponent - whole
        elif base.kind == "i":
            factor = -factor if whole % 4 > 1 else factor
            powers[base] = whole % 2
        elif base.kind in _STEPS and whole >= _STEPS[base.kind]:
            step = _STEPS[base.kind]
            count = whole // step
            expand.append((base.form, count * 2 if base.kind == "abs" else count))
            powers[base] = exponent - step * count
    monomial = frozenset((b, _whole(e)) for b, e in powers.items() if e)
    return monomial, None if factor == 1 else factor, expand


_STEPS = {"sum": 1, "abs": 2, "cbrt": 3}


def _whole(exponent: Power) -> Power:
    return int(exponent) if exponent == floor(exponent) else exponent


def _text(monomial: Monomial) -> str:
    return "".join(sorted(f"*{base.text}^{exponent}" for base, exponent in monomial))


_I = atom("i")
ZERO = Form({})
ONE = number(1)
PI = Form({frozenset([(atom("pi"), 1)]): fmpq(1)})
IMAGINARY = Form({frozenset([(_I, 1)]): fmpq(1)})


def vanishing(form: Form) -> bool:
    """Whether the form is zero wherever it has a value: multiplied out, nothing is left.

    The factor S^n that is multiplied in is not zero where the form has a value when n > 0 (a power
    S^(-n) occurs); a common factor S^n with n > 0 that is taken out leaves a form whose vanishing
    gives that of the product.
    """
    done: set[Atom] = set()
    while form.terms:
        left = {a for a in form.atoms() if a.kind in _STEPS} - done
        if not left:
            return False
        base = max(left, key=lambda a: (a.depth, a.text))
        done.add(base)
        form = shifted(form, base, -lowest(form, base))
    return True


def lowest(form: Form, base: Atom) -> Power:
    """The least exponent of an atom among the terms, 0 where it does not occur."""
    return min(dict(monomial).get(base, 0) for monomial in form.terms)


def shifted(form: Form, base: Atom, exponent: Power) -> Form:
    """The form times a power of an atom, multiplied out."""
    if not exponent:
        return form
    total: Form | None = None
    plain: list[tuple[Monomial, Coefficient]] = []
    for monomial, value in form.terms.items():
        powers = dict(monomial)
        powers[base] = powers.get(base, 0) + exponent
        rest, factor, expand = _related(powers)
        known = value if factor is None else value * factor
        if not expand:
            plain.append((rest, known))
            continue
        term = Form({rest: known})
        for inner, power in expand:
            term = term * whole_power(inner, power)
        total = term if total is None else total + term
    result = collected(plain)
    return result if total is None else result + total
