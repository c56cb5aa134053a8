"""log, exp, powers, determinants of rank-one updates and Gaussian integrals of scalars.

A logarithm is taken apart only into factors that are each shown positive; an exponential is kept
as a product of atoms exp(t/d), one for each monomial t of the exponent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lcm
from typing import Any

import sympy

from proofs_check.methods.matrix.algebra import Algebra, Atom, Polynomial
from proofs_check.methods.matrix.completion import System
from proofs_check.methods.matrix.outcome import SideConditionError, Unsupported
from proofs_check.methods.matrix.rewriting import Names
from proofs_check.methods.matrix.scalars import (
    ONE,
    ZERO,
    Ratio,
    coefficients_in,
    constant,
    of_polynomial,
    polynomial_ring,
    used_atoms,
    variable,
)
from proofs_check.methods.matrix.signs import NONZERO, POSITIVE, SignOracle

ROOT_LIMIT = 24
POWER_LIMIT = 64


@dataclass
class Functions:
    """The scalar functions; ``used`` and ``notes`` collect the side conditions met."""

    algebra: Algebra
    system: System
    signs: SignOracle
    used: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    _roots: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)

    # --- side conditions --------------------------------------------------------------------

    def reduced(self, value: Ratio) -> Ratio:
        """The normal form under the relations; the facts used are kept."""
        normal, steps = self.system.reduce_scalar(value)
        self.used |= self.system.facts_of(line for _, line in steps)
        return normal

    def _require(self, facts: Names | None, what: str, condition: str) -> None:
        if facts is None:
            raise SideConditionError(what, condition)
        self.used |= facts
        by = ", ".join(sorted(facts)) or "no fact needed"
        self.notes.append(f"{what} is {condition} ({by})")

    def require_nonzero(self, value: Ratio) -> None:
        if not value.is_constant or value.is_zero:
            self._require(self.signs.nonzero(value), self.algebra.show_scalar(value), "nonzero")

    def require_positive(self, value: Ratio) -> None:
        self._require(self.signs.positive(value), self.algebra.show_scalar(value), "positive")

    def divide(self, value: Ratio, divisor: Ratio) -> Ratio:
        """value / divisor once the divisor is shown nonzero."""
        divisor = self.reduced(divisor)
        self.require_nonzero(divisor)
        return value / divisor

    def absolute(self, value: Ratio) -> Ratio:
        """|x| for an x whose sign is shown."""
        for candidate in (value, -value):
            facts = self.signs.nonnegative(candidate)
            if facts is not None:
                self._require(facts, self.algebra.show_scalar(candidate), "not negative")
                return candidate
        raise SideConditionError(self.algebra.show_scalar(value), "of constant sign")

    # --- logarithm --------------------------------------------------------------------------

    def log(self, value: Ratio) -> Ratio:
        """log of a product: the sum of the logs of the factors that are each shown positive."""
        value = self.reduced(value)
        self.require_positive(value)
        result, rest, scale = ZERO(), ONE(), ONE()
        for polynomial, direction in ((value.num, 1), (value.den, -1)):
            number, factors = polynomial.factor()
            scale = scale * constant(number).power(direction)
            for factor, multiplicity in factors:
                base, power = of_polynomial(factor), direction * multiplicity
                known = self.signs.of(base)
                if known.signs == frozenset({-1}):
                    base, scale = -base, scale * constant((-1) ** multiplicity)
                if len(known.signs) == 1:
                    self.used |= known.used
                    result = result + self._log_factor(base) * constant(power)
                else:
                    rest = rest * base.power(power)
        if not rest.is_one:
            return result + self._log_atom(rest * scale)
        return result + self._log_number(scale)

    def _log_factor(self, base: Ratio) -> Ratio:
        """The log of an irreducible positive polynomial."""
        atoms = base.atoms()
        if len(atoms) == 1 and (base - variable(*atoms)).is_zero:
            info = self.algebra.atoms[min(atoms)]
            if info.kind == "exp":
                return info.data * constant(1) / constant(info.degree)  # type: ignore[no-any-return]
            if info.kind == "root":
                return self._log_factor(info.data) / constant(info.degree)
            if info.kind == "constant" and info.text == "E":
                return ONE()
        return self._log_atom(base)

    def _log_atom(self, value: Ratio) -> Ratio:
        text = f"log({self.algebra.show_scalar(value)})"
        atom = Atom("log", text, data=value, inner=self.algebra.inner(value))
        return variable(self.algebra.atom(value.key(), atom))

    def _log_number(self, value: Ratio) -> Ratio:
        number = sympy.Rational(str(value.num.leading_coefficient()))
        result = ZERO()
        for prime, power in sympy.factorrat(number).items():
            result = result + self._log_atom(constant(int(prime))) * constant(int(power))
        return result

    # --- exponential and powers -------------------------------------------------------------

    def exp(self, value: Ratio) -> Ratio:
        """exp of a sum: the product over the monomials of the exponent."""
        value = self.reduced(value)
        result = ONE()
        for exponents, coefficient in value.num.to_dict().items():
            monomial = of_polynomial(polynomial_ring().from_dict({exponents: 1}))
            result = result * self._exp_term(monomial / of_polynomial(value.den), coefficient)
        return result

    def _exp_term(self, monomial: Ratio, coefficient: Any) -> Ratio:
        top, degree = int(coefficient.p), int(coefficient.q)
        if monomial.is_one:
            return self._root(self._constant("E"), top, degree)
        atoms = monomial.atoms()
        if len(atoms) == 1 and (monomial - variable(*atoms)).is_zero:
            info = self.algebra.atoms[min(atoms)]
            if info.kind == "log":
                return self._root(info.data, top, degree)
        return self._rooted("exp", monomial, degree).power(top)

    def _root(self, base: Ratio, top: int, degree: int) -> Ratio:
        """base^(top/degree) for a positive base."""
        whole, part = divmod(top, degree)
        result = base.power(whole)
        return result * self._rooted("root", base, degree).power(part) if part else result

    def _rooted(self, kind: str, data: Ratio, degree: int) -> Ratio:
        """exp(data/degree) or data^(1/degree) as a power of one common atom."""
        key = (kind, data.key())
        atom, old = self._roots.get(key, (-1, 1))
        common = lcm(degree, old)
        if common > ROOT_LIMIT:
            raise Unsupported(f"a root of degree {common}")
        if atom < 0 or common != old:
            fresh = self._new_root(kind, data, common)
            if atom >= 0:
                reason = f"{kind}(x/{old}) = {kind}(x/{common})^{common // old}"
                self.system.power_rules.pop(atom, None)
                self.system.define(atom, variable(fresh).power(common // old), reason)
            atom = fresh
            self._roots[key] = (atom, common)
        return variable(atom).power(common // degree)

    def _new_root(self, kind: str, data: Ratio, degree: int) -> int:
        shown = self.algebra.show_scalar(data)
        text = f"exp({shown} / {degree})" if kind == "exp" else f"({shown})^(1/{degree})"
        text = f"exp({shown})" if kind == "exp" and degree == 1 else text
        inner = self.algebra.inner(data)
        new = Atom(kind, text, data, degree, inner, positive=True)
        atom = self.algebra.atom((data.key(), degree), new)
        if kind == "root":
            self.system.define_power(atom, degree, data, f"definition of {text}")
        return atom

    def _constant(self, name: str) -> Ratio:
        return variable(self.algebra.atom(name, Atom("constant", name, positive=True)))

    def pi(self) -> Ratio:
        return self._constant("pi")

    def e(self) -> Ratio:
        return self._constant("E")

    def power(self, base: Ratio, exponent: Ratio) -> Ratio:
        """base^exponent: an integer power, or exp(exponent log base) for a positive base."""
        if exponent.is_constant and exponent.num.leading_coefficient().q == 1:
            whole = int(exponent.num.leading_coefficient().p)
            if abs(whole) > POWER_LIMIT:
                raise Unsupported(f"a power with exponent {whole}")
            if whole <= 0:
                base = self.reduced(base)
                self.require_nonzero(base)
            return base.power(whole)
        return self.exp(exponent * self.log(base))

    # --- determinant and integral -----------------------------------------------------------

    def determinant(
        self, poly: Polynomial, size: Ratio, definite: Names | None, invertible: Names | None
    ) -> Ratio:
        """det(a I) = a^n; det(a I + c u v^T) = a^n (1 + c v^T u / a) (Sylvester); else an atom."""
        words = [word for word in poly.terms if word]
        value = poly.terms.get((), ZERO())
        cut = self.algebra.alphabet.has_inner_cut(words[0]) if len(words) == 1 else None
        if words and (cut is None or value.is_zero):
            return self._determinant_atom(poly, definite, invertible)
        result = self.power(value, size)
        if not words or cut is None:
            return result
        inner, _ = self.algebra.normal_word(words[0][cut:] + words[0][:cut])
        return result * (ONE() + self.divide(poly.terms[words[0]] * inner, value))

    def _determinant_atom(
        self, poly: Polynomial, definite: Names | None, invertible: Names | None
    ) -> Ratio:
        text = f"det({self.algebra.show(poly)})"
        atom = Atom("det", text, inner=self.algebra.inner_of(poly))
        value = variable(self.algebra.atom(poly.key(), atom))
        if definite is not None:
            self.signs.add(value, POSITIVE, definite)
        elif invertible is not None:
            self.signs.add(value, NONZERO, invertible)
        return value

    def gaussian_integral(self, integrand: Ratio, z: int) -> Ratio:
        """int C exp(-a z^2 + b z + c) dz = C sqrt(pi/a) exp(b^2/(4 a) + c) over the line, a > 0."""
        prefactor, exponent = ONE(), ZERO()
        for polynomial, direction in ((integrand.num, 1), (integrand.den, -1)):
            number, factors = polynomial.factor()
            prefactor = prefactor * constant(number).power(direction)
            for factor, multiplicity in factors:
                base, power = of_polynomial(factor), constant(direction * multiplicity)
                if z in self.algebra.inner(base):
                    exponent = exponent + power * self._exponent_of(base)
                else:
                    prefactor = prefactor * base.power(direction * multiplicity)
        exponent = self.reduced(exponent)
        parts = coefficients_in(exponent.num, z)
        quadratic = max(parts, default=0) <= 2 and z not in used_atoms(exponent.den)
        if not quadratic or any(z in self.algebra.atoms[i].inner for i in exponent.atoms()):
            raise Unsupported("the integrand is not the exponential of a quadratic")
        c, b, a = (
            of_polynomial(parts[d]) / of_polynomial(exponent.den) if d in parts else ZERO()
            for d in range(3)
        )
        a = -a
        self.require_positive(a)
        root = self.exp((self.log(self.pi()) - self.log(a)) / constant(2))
        return prefactor * root * self.exp(b * b / (constant(4) * a) + c)

    def _exponent_of(self, base: Ratio) -> Ratio:
        atoms = base.atoms()
        info = self.algebra.atoms[min(atoms)]
        if len(atoms) != 1 or not (base - variable(*atoms)).is_zero or info.kind != "exp":
            raise Unsupported("an integrand that is not a product of exponentials")
        exponent: Ratio = info.data / constant(info.degree)
        return exponent
