"""Which signs can a scalar have, given the facts? Also: which facts the answer rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from proofs_check.methods.matrix.algebra import Algebra
from proofs_check.methods.matrix.completion import System
from proofs_check.methods.matrix.definite import Definiteness
from proofs_check.methods.matrix.outcome import ContradictionError
from proofs_check.methods.matrix.rewriting import Names
from proofs_check.methods.matrix.scalars import (
    Ratio,
    coefficients_in,
    of_polynomial,
    polynomial_ring,
    used_atoms,
    variable,
)

Signs = frozenset[int]
ANY: Signs = frozenset({-1, 0, 1})
POSITIVE: Signs = frozenset({1})
NONNEGATIVE: Signs = frozenset({0, 1})
NONZERO: Signs = frozenset({-1, 1})


@dataclass(frozen=True)
class Known:
    """The possible signs, and the names of the facts used."""

    signs: Signs
    used: Names = frozenset()

    def times(self, other: Known) -> Known:
        signs = frozenset(a * b for a in self.signs for b in other.signs)
        return Known(signs, self.used | other.used)

    def plus(self, other: Known) -> Known:
        pairs = ((a, b) for a in self.signs for b in other.signs)
        sums = (ANY if a * b < 0 else frozenset({a or b}) for a, b in pairs)
        return Known(frozenset().union(*sums), self.used | other.used)

    def power(self, exponent: int) -> Known:
        return Known(frozenset(s**exponent for s in self.signs), self.used)

    def negated(self) -> Known:
        return Known(frozenset(-s for s in self.signs), self.used)

    def sharper(self, other: Known) -> Known:
        """The one that knows more (the first on a tie)."""
        return other if len(other.signs) < len(self.signs) else self


NOTHING = Known(ANY)


@dataclass(frozen=True)
class SignFact:
    """``value`` has one of the signs."""

    value: Ratio
    signs: Signs
    used: Names


@dataclass
class SignOracle:
    """Answers from the facts, from squares and Gram words, and from sums of known signs."""

    algebra: Algebra
    system: System
    definite: Definiteness
    facts: list[SignFact] = field(default_factory=list)
    _reduced: tuple[tuple[int, int], list[tuple[Any, Known]]] | None = None

    def add(self, value: Ratio, signs: Signs, used: Names) -> None:
        self.facts.append(SignFact(value, signs, used))

    def of(self, value: Ratio) -> Known:
        """The signs of num/den, whose denominator is known to be nonzero."""
        value, steps = self.system.reduce_scalar(value)
        used = self.system.facts_of(line for _, line in steps)
        known = self._factored(value.num).times(self._factored(value.den))
        if len(known.signs) > 1:
            known = known.sharper(self._matched(value.num * value.den))
        return Known(known.signs, known.used | used)

    def nonzero(self, value: Ratio) -> Names | None:
        known = self.of(value)
        return known.used if known.signs <= NONZERO else None

    def positive(self, value: Ratio) -> Names | None:
        known = self.of(value)
        return known.used if known.signs <= POSITIVE else None

    def nonnegative(self, value: Ratio) -> Names | None:
        known = self.of(value)
        return known.used if known.signs <= NONNEGATIVE else None

    def _factored(self, polynomial: Any) -> Known:
        if polynomial.is_zero():
            return Known(frozenset({0}))
        scale, factors = polynomial.factor()
        known = Known(frozenset({1 if scale > 0 else -1}))
        for factor, multiplicity in factors:
            known = known.times(self.of_factor(factor).power(multiplicity))
        return known

    def of_factor(self, polynomial: Any) -> Known:
        """The signs of an irreducible polynomial."""
        known = self._matched(polynomial).sharper(self._sum(polynomial, {}))
        if len(known.signs) > 1:
            known = known.sharper(self._shifted(polynomial, {}, 2))
        return known

    def _matched(self, polynomial: Any) -> Known:
        known = NOTHING
        for fact, fact_known in self._fact_polynomials():
            ratio = _proportion(polynomial, fact)
            if ratio is not None:
                signed = fact_known if ratio > 0 else fact_known.negated()
                known = _both(known, signed)
        return known

    def _sum(self, polynomial: Any, shifted: dict[int, Known]) -> Known:
        """Add up the signs of the monomials."""
        known: Known | None = None
        for exponents, coefficient in polynomial.to_dict().items():
            term = Known(frozenset({1 if coefficient > 0 else -1}))
            for atom, exponent in enumerate(exponents):
                if exponent:
                    base = shifted[atom] if atom in shifted else self._atom(atom)
                    term = term.times(base.power(exponent))
            known = term if known is None else known.plus(term)
        return known or Known(frozenset({0}))

    def _shifted(self, polynomial: Any, shifted: dict[int, Known], depth: int) -> Known:
        """Put x = bound + x' (or bound - x') for facts that bound an atom x."""
        known = NOTHING
        for fact, fact_known in self._fact_polynomials() if depth else ():
            if used_atoms(fact) & shifted.keys():
                continue  # the fact speaks of the old x, the polynomial of the new one
            for atom in used_atoms(polynomial) & used_atoms(fact):
                slope = coefficients_in(fact, atom).get(1)
                linear = max(coefficients_in(fact, atom)) == 1
                if not linear or slope is None or not slope.is_constant():
                    continue
                # fact = slope x + rest, so x = (fact - rest)/slope, and fact becomes the new x'.
                rate = of_polynomial(slope)
                rest = of_polynomial(fact) - variable(atom) * rate
                moved = of_polynomial(polynomial).substitute(atom, (variable(atom) - rest) / rate)
                now = {**shifted, atom: fact_known}
                found = self._sum(moved.num, now).sharper(self._shifted(moved.num, now, depth - 1))
                known = known.sharper(found)
        return known

    def _atom(self, atom: int) -> Known:
        info = self.algebra.atoms[atom]
        if info.positive:
            return Known(POSITIVE)
        known = NOTHING
        if info.kind in ("word", "trace"):
            known = self._word(info.data, info.kind)
        for fact, fact_known in self._fact_polynomials():
            if used_atoms(fact) == {atom}:
                known = _both(known, _solve(fact, atom, fact_known))
        return known

    def _word(self, word: Any, kind: str) -> Known:
        used = self.definite.gram(word)
        if used is not None:
            return Known(NONNEGATIVE, used)
        if kind == "word":
            used = self._all_positive(word)
        return NOTHING if used is None else Known(POSITIVE, used)

    def _all_positive(self, word: Any) -> Names | None:
        """A product of elementwise positive matrices is positive when no inner dimension is 0."""
        alphabet = self.algebra.alphabet
        used: Names = frozenset()
        if not all(alphabet.letter(code).positive for code in word):
            return None
        for code in word[:-1]:
            found = self.positive(self.system.size(alphabet.cols(code)))
            if found is None:
                return None
            used |= found
        return used

    def positive_words(self, words: Iterable[Any]) -> Names | None:
        found = [self._all_positive(word) for word in words]
        return None if None in found else frozenset().union(*(f for f in found if f is not None))

    def _fact_polynomials(self) -> list[tuple[Any, Known]]:
        stamp = (self.system.version, len(self.facts))
        if self._reduced is None or self._reduced[0] != stamp:
            self._reduced = (stamp, [p for fact in self.facts for p in self._polynomials(fact)])
        return self._reduced[1]

    def _polynomials(self, fact: SignFact) -> list[tuple[Any, Known]]:
        """num * den has the sign of num/den; where it is not zero, no factor is."""
        value, steps = self.system.reduce_scalar(fact.value)
        used = fact.used | self.system.facts_of(line for _, line in steps)
        product = value.num * value.den
        result = [(product, Known(fact.signs, used))]
        if 0 not in fact.signs and not product.is_zero():
            result += [(factor, Known(NONZERO, used)) for factor, _ in product.factor()[1]]
        return result


def _both(a: Known, b: Known) -> Known:
    """Both hold. The facts of a piece that adds nothing are not counted as used."""
    signs = a.signs & b.signs
    if not signs:
        raise ContradictionError
    if signs == a.signs:
        return a
    return b if signs == b.signs else Known(signs, a.used | b.used)


def _proportion(a: Any, b: Any) -> Any | None:
    """c with a = c b for a rational number c, or None."""
    if a.is_zero() or b.is_zero():
        return None
    ratio = a.leading_coefficient() / b.leading_coefficient()
    return ratio if a == b * polynomial_ring().constant(ratio) else None


def _solve(fact: Any, atom: int, known: Known) -> Known:
    """The signs of x when slope x + rest has known signs, slope and rest being numbers."""
    parts = coefficients_in(fact, atom)
    if max(parts) != 1:
        return NOTHING
    slope = parts[1].leading_coefficient()
    rest = parts[0].leading_coefficient() if 0 in parts else 0
    shifted = known.plus(Known(frozenset({(rest < 0) - (rest > 0)})))
    return shifted if slope > 0 else shifted.negated()
