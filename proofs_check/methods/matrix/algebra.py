"""Noncommutative polynomials with scalar coefficients, and the scalar atoms they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bounds.errors import ShapeError
from proofs_check.methods.matrix.outcome import Unsupported
from proofs_check.methods.matrix.scalars import (
    ATOM_LIMIT,
    ONE,
    ZERO,
    Ratio,
    total,
    variable,
)
from proofs_check.methods.matrix.words import UNIT, Alphabet, Word


@dataclass(frozen=True)
class Atom:
    """A scalar that is not taken apart: kind is symbol, constant, word, trace, log, exp, root, det.

    ``data`` is the word of a word or trace; for log, exp, root the argument (a Ratio); ``degree``
    is d in exp(data/d) and data^(1/d). ``inner`` are all atoms that occur inside.
    """

    kind: str
    text: str
    data: Any = None
    degree: int = 1
    inner: frozenset[int] = frozenset()
    positive: bool = False


@dataclass(frozen=True)
class Polynomial:
    """A matrix of shape rows x cols written as a sum of coefficient times word."""

    rows: int
    cols: int
    terms: Mapping[Word, Ratio]

    @property
    def is_zero(self) -> bool:
        return not self.terms

    def __add__(self, other: Polynomial) -> Polynomial:
        if (self.rows, self.cols) != (other.rows, other.cols):
            raise ShapeError("sum", (other.rows, other.cols), "the shapes of a sum must agree")
        result = dict(self.terms)
        for word, value in other.terms.items():
            new = result[word] + value if word in result else value
            if new.is_zero:
                del result[word]
            else:
                result[word] = new
        return Polynomial(self.rows, self.cols, result)

    def scale(self, factor: Ratio) -> Polynomial:
        if factor.is_zero:
            return Polynomial(self.rows, self.cols, {})
        return Polynomial(self.rows, self.cols, {w: c * factor for w, c in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.scale(-ONE())

    def scalar(self) -> Ratio:
        """The value of a 1x1 polynomial."""
        return self.terms.get((), ZERO())

    def key(self) -> tuple[Any, ...]:
        entries = sorted((word, value.key()) for word, value in self.terms.items())
        return (self.rows, self.cols, *entries)


@dataclass
class Algebra:
    """The letters and atoms of one proof, and the operations that need them."""

    alphabet: Alphabet = field(default_factory=Alphabet)
    atoms: list[Atom] = field(default_factory=list)
    _atom_index: dict[Any, int] = field(default_factory=dict)

    def atom(self, key: Any, atom: Atom) -> int:
        """The index of an atom, put in if it is new."""
        index = self._atom_index.get((atom.kind, key))
        if index is None:
            index = len(self.atoms)
            if index >= ATOM_LIMIT:
                raise Unsupported(f"more than {ATOM_LIMIT} different scalars")
            self._atom_index[(atom.kind, key)] = index
            self.atoms.append(atom)
        return index

    def inner(self, value: Ratio) -> frozenset[int]:
        """All atoms that a scalar depends on, however deep."""
        direct = value.atoms()
        return direct.union(*(self.atoms[i].inner for i in direct))

    def inner_of(self, poly: Polynomial) -> frozenset[int]:
        coefficients = (self.inner(value) for value in poly.terms.values())
        words = (self._inner_of_word(word) for word in poly.terms)
        return frozenset().union(*coefficients, *words)

    def _inner_of_word(self, word: Word) -> frozenset[int]:
        return frozenset().union(*(self.alphabet.letter(c).inner for c in word))

    def _word_atom(self, kind: str, word: Word) -> Ratio:
        text = self.alphabet.show(word)
        shown = f"[{text}]" if kind == "word" else f"tr({text})"
        atom = Atom(kind, shown, data=word, inner=self._inner_of_word(word))
        return variable(self.atom(word, atom))

    def scalar_word(self, word: Word) -> Ratio:
        """A 1x1 word without inner cut as a scalar."""
        return self._word_atom("word", self.alphabet.scalar_form(word))

    def normal_word(self, word: Word) -> tuple[Ratio, Word]:
        """Take the scalar factors out of a word."""
        scalars, rest = self.alphabet.split(word)
        factor = ONE()
        for scalar in scalars:
            factor = factor * self.scalar_word(scalar)
        return factor, rest

    def trace_word(self, word: Word) -> Ratio:
        """The trace of a nonempty square word."""
        for i, code in enumerate(word):
            if self.alphabet.rows(code) == UNIT:
                factor, _ = self.normal_word(word[i:] + word[:i])
                return factor
        return self._word_atom("trace", self.alphabet.trace_form(word))

    def monomial(self, rows: int, cols: int, word: Word, value: Ratio) -> Polynomial:
        factor, rest = self.normal_word(word)
        return Polynomial(rows, cols, {rest: factor}).scale(value)

    def of_letter(self, code: int) -> Polynomial:
        return self.monomial(self.alphabet.rows(code), self.alphabet.cols(code), (code,), ONE())

    def identity(self, size: int) -> Polynomial:
        return Polynomial(size, size, {(): ONE()})

    def multiply(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if a.cols != b.rows:
            sizes = (self.alphabet.dimensions[a.cols], self.alphabet.dimensions[b.rows])
            raise ShapeError("product", sizes, "the inner dimensions of a product must agree")
        result = Polynomial(a.rows, b.cols, {})
        for v, c in a.terms.items():
            for w, d in b.terms.items():
                result = result + self.monomial(a.rows, b.cols, v + w, c * d)
        return result

    def sandwich(self, left: Word, poly: Polynomial, right: Word) -> Polynomial:
        """left * poly * right."""
        rows = self.alphabet.rows(left[0]) if left else poly.rows
        cols = self.alphabet.cols(right[-1]) if right else poly.cols
        result = Polynomial(rows, cols, {})
        for word, value in poly.terms.items():
            result = result + self.monomial(rows, cols, left + word + right, value)
        return result

    def transpose(self, poly: Polynomial) -> Polynomial:
        result = Polynomial(poly.cols, poly.rows, {})
        for word, value in poly.terms.items():
            flipped = self.alphabet.transpose(word)
            result = result + self.monomial(poly.cols, poly.rows, flipped, value)
        return result

    def trace(self, poly: Polynomial, size: Ratio) -> Ratio:
        """The trace of a square polynomial; ``size`` is its dimension as a scalar."""
        if poly.rows == UNIT:
            return poly.scalar()
        parts = (c * (self.trace_word(w) if w else size) for w, c in poly.terms.items())
        return total(parts)

    def scalar(self, value: Ratio) -> Polynomial:
        """A scalar as a 1x1 polynomial."""
        return Polynomial(UNIT, UNIT, {} if value.is_zero else {(): value})

    def show_scalar(self, value: Ratio) -> str:
        shown = self._show_flint(value.num)
        return shown if value.den.is_one() else f"({shown})/({self._show_flint(value.den)})"

    def _show_flint(self, polynomial: Any) -> str:
        parts = []
        for exponents, coefficient in polynomial.to_dict().items():
            factors = [
                self.atoms[i].text + (f"^{e}" if e > 1 else "")
                for i, e in enumerate(exponents)
                if e
            ]
            if coefficient != 1 or not factors:
                factors.insert(0, str(coefficient))
            parts.append(" ".join(factors))
        return " + ".join(parts) or "0"

    def show(self, poly: Polynomial) -> str:
        if (poly.rows, poly.cols) == (UNIT, UNIT):
            return self.show_scalar(poly.scalar())
        parts = []
        for word in sorted(poly.terms, key=self.alphabet.order_key):
            value = poly.terms[word]
            factor = "" if value.is_one else f"({self.show_scalar(value)}) "
            parts.append(factor + self.alphabet.show(word))
        return " + ".join(parts) or "0"
