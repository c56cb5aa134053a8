"""The letters of a proof and the relations that define them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from proofs_check.methods.matrix.algebra import Algebra, Polynomial
from proofs_check.methods.matrix.completion import System
from proofs_check.methods.matrix.definite import Definiteness
from proofs_check.methods.matrix.functions import Functions
from proofs_check.methods.matrix.outcome import Unsupported
from proofs_check.methods.matrix.rewriting import Names
from proofs_check.methods.matrix.scalars import ONE, ZERO, Ratio
from proofs_check.methods.matrix.words import UNIT, Letter, Word


@dataclass
class LetterFactory:
    """Makes each letter once, with its defining relations.

    ``permutations`` holds the letters known to be permutation matrices, ``invertible_matrices``
    the matrices a fact calls invertible.
    """

    algebra: Algebra
    system: System
    functions: Functions
    definite: Definiteness
    permutations: dict[int, Names] = field(default_factory=dict)
    invertible_matrices: list[tuple[Polynomial, Names]] = field(default_factory=list)
    _codes: dict[Any, int] = field(default_factory=dict)

    def _letter(self, key: Any, letter: Letter) -> tuple[int, bool]:
        """The code of a letter, and whether it is new."""
        if key in self._codes:
            return self._codes[key], False
        self._codes[key] = self.algebra.alphabet.add(letter)
        return self._codes[key], True

    def symbol(self, name: str, rows: int, cols: int) -> Polynomial:
        code, _ = self._letter(("symbol", name, rows, cols), Letter(name, rows, cols))
        return self.algebra.of_letter(code)

    # --- ones -------------------------------------------------------------------------------

    def ones(self, size: int) -> Word:
        """The word of the column of ones; empty for size 1, where it is the scalar 1."""
        if size == UNIT:
            return ()
        name = f"1_{self.algebra.alphabet.dimensions[size]}"
        code, new = self._letter(("ones", size), Letter(name, size, UNIT, positive=True))
        if new:
            count = self.algebra.monomial(UNIT, UNIT, (code ^ 1, code), ONE())
            length = self.algebra.scalar(self.system.size(size))
            self.system.assume(count - length, f"{name}' {name} is its length")
        return (code,)

    def ones_matrix(self, rows: int, cols: int) -> Polynomial:
        return self.algebra.monomial(rows, cols, self._ones_word(rows, cols), ONE())

    def _ones_word(self, rows: int, cols: int) -> Word:
        return self.ones(rows) + self.algebra.alphabet.transpose(self.ones(cols))

    # --- inverses ---------------------------------------------------------------------------

    def positive_definite(self, normal: Polynomial) -> Names | None:
        signs = self.functions.signs
        return self.definite.positive(normal, signs.positive, signs.nonnegative)

    def invertible(self, normal: Polynomial) -> Names | None:
        """Facts by which a square matrix in normal form is invertible."""
        if normal.rows != normal.cols or normal.is_zero:
            return None
        known = self.invertible_matrices + [
            (self.algebra.of_letter(code), used) for code, used in self.permutations.items()
        ]
        for matrix, used in known:
            given, terms = self.system.reduce(matrix)
            multiple = self._multiple(normal, given)
            if multiple is not None:
                return used | multiple | self.system.facts_of(t.line for t in terms)
        definite = self.positive_definite(normal)
        return self._positive_diagonal(normal) if definite is None else definite

    def _multiple(self, normal: Polynomial, given: Polynomial) -> Names | None:
        """Facts by which one matrix is a nonzero multiple of the other (or of its transpose)."""
        for candidate in (given, self.algebra.transpose(given)):
            if normal.terms.keys() != candidate.terms.keys() or normal.is_zero:
                continue
            word = next(iter(normal.terms))
            factor = normal.terms[word] / candidate.terms[word]
            shown = self.functions.signs.nonzero(factor)
            if shown is not None and (normal - candidate.scale(factor)).is_zero:
                return shown
        return None

    def _positive_diagonal(self, normal: Polynomial) -> Names | None:
        """A sum of diagonal letters of positive vectors with positive coefficients."""
        used: Names = frozenset()
        for word, value in normal.terms.items():
            core = self._unpermuted(word)
            key = next((k for k, c in self._codes.items() if core == (c,)), None)
            if key is None or key[0] != "diagonal":
                return None
            vector = self.functions.signs.positive_words([key[1]])
            shown = self.functions.signs.positive(value)
            if vector is None or shown is None or (core != word and len(normal.terms) > 1):
                return None
            used |= vector | shown | frozenset().union(*self.permutations.values())
        return used

    def _unpermuted(self, word: Word) -> Word:
        while len(word) > 1 and word[0] & ~1 in self.permutations:
            word = word[1:]
        while len(word) > 1 and word[-1] & ~1 in self.permutations:
            word = word[:-1]
        return word

    def inverse(self, poly: Polynomial, text: str, definite: Names | None) -> Polynomial:
        """P with M P = P M = I; the caller has shown M invertible, and perhaps definite."""
        code, new = self._defined("inverse", f"({text})^-1", poly)
        if new:
            letter, one = self.algebra.of_letter(code), self.algebra.identity(poly.rows)
            reason = f"inverse of {text}"
            self.system.assume(self.algebra.multiply(poly, letter) - one, reason)
            self.system.assume(self.algebra.multiply(letter, poly) - one, reason)
            if definite is not None:
                self.definite.letters[code] = definite
        return self.algebra.of_letter(code)

    def _defined(self, kind: str, name: str, poly: Polynomial) -> tuple[int, bool]:
        """A heavy letter for a function of a matrix that commutes with transposition."""
        symmetric = self.algebra.transpose(poly).key() == poly.key()
        inner = self.algebra.inner_of(poly)
        letters = (self.algebra.alphabet.letter(c).heavy for word in poly.terms for c in word)
        heavy = 1 + len(poly.terms) + sum(letters)
        letter = Letter(name, poly.cols, poly.rows, symmetric, heavy, inner=inner)
        return self._letter((kind, poly.key()), letter)

    def pseudo_inverse(self, poly: Polynomial, text: str) -> Polynomial:
        """G with the four Penrose relations."""
        if UNIT in (poly.rows, poly.cols) and poly.rows == poly.cols:
            raise Unsupported("the pseudo-inverse of a scalar")
        code, new = self._defined("pseudo-inverse", f"({text})^+", poly)
        letter = self.algebra.of_letter(code)
        if new:
            left, right = (
                self.algebra.multiply(poly, letter),
                self.algebra.multiply(letter, poly),
            )
            reason = f"pseudo-inverse of {text}"
            self.system.assume(self.algebra.multiply(left, poly) - poly, reason)
            self.system.assume(self.algebra.multiply(right, letter) - letter, reason)
            self.system.assume(self.algebra.transpose(left) - left, reason)
            self.system.assume(self.algebra.transpose(right) - right, reason)
        return letter

    # --- elementwise exponential and diagonal matrices --------------------------------------

    def elementwise_exp(self, poly: Polynomial) -> Polynomial:
        """exp.(c 1 1^T + P X Q) = e^c P exp.(X) Q for permutation matrices P, Q."""
        if (poly.rows, poly.cols) == (UNIT, UNIT):
            return self.algebra.scalar(self.functions.exp(poly.scalar()))
        ones = self._ones_word(poly.rows, poly.cols)
        shift = poly.terms.get(ones, ZERO())
        rest = {word: value for word, value in poly.terms.items() if word != ones}
        if not rest:
            return self.ones_matrix(poly.rows, poly.cols).scale(self.functions.exp(shift))
        left, right, core = self._take_permutations(Polynomial(poly.rows, poly.cols, rest))
        inner = self.algebra.sandwich(left, self._exp_letter(core), right)
        return inner.scale(self.functions.exp(shift))

    def _exp_letter(self, poly: Polynomial) -> Polynomial:
        flipped = self.algebra.transpose(poly)
        symmetric = flipped.key() == poly.key()
        turned = flipped.key() < poly.key()
        base = flipped if turned else poly
        name = f"exp.({self.algebra.show(base)})"
        inner = self.algebra.inner_of(base)
        letter = Letter(name, base.rows, base.cols, symmetric, positive=True, inner=inner)
        code, _ = self._letter(("exp", base.key()), letter)
        result = self.algebra.of_letter(code)
        return self.algebra.transpose(result) if turned else result

    def _take_permutations(self, poly: Polynomial) -> tuple[Word, Word, Polynomial]:
        """(left, right, core) with poly = left core right, left and right permutation letters."""
        left: Word = ()
        right: Word = ()
        while len(first := {word[:1] for word in poly.terms}) == 1:
            (code,) = first
            if not code or code[0] & ~1 not in self.permutations:
                break
            left += code
            poly = self._strip(poly, 1, 0)
            self.functions.used |= self.permutations[code[0] & ~1]
        while len(last := {word[-1:] for word in poly.terms}) == 1:
            (code,) = last
            if not code or code[0] & ~1 not in self.permutations:
                break
            right = code + right
            poly = self._strip(poly, 0, 1)
            self.functions.used |= self.permutations[code[0] & ~1]
        return left, right, poly

    def _strip(self, poly: Polynomial, first: int, last: int) -> Polynomial:
        terms = {word[first : len(word) - last]: value for word, value in poly.terms.items()}
        return Polynomial(poly.rows, poly.cols, terms)

    def diagonal(self, poly: Polynomial) -> Polynomial:
        """diag(sum of c v) = sum of c diag(v), diag(P v) = P diag(v) P^T, diag(1) = I."""
        column = self.algebra.transpose(poly) if poly.rows == UNIT else poly
        result = Polynomial(column.rows, column.rows, {})
        for word, value in column.terms.items():
            result = result + self._diagonal_word(column.rows, word, value)
        return result

    def _diagonal_word(self, size: int, word: Word, value: Ratio) -> Polynomial:
        single = Polynomial(size, UNIT, {word: value})
        left, _, core = self._take_permutations(single)
        (word,) = core.terms
        right = self.algebra.alphabet.transpose(left)
        if word == self.ones(size):
            middle = self.algebra.identity(size)
        else:
            middle = self._diagonal_letter(size, word)
        return self.algebra.sandwich(left, middle, right).scale(value)

    def _diagonal_letter(self, size: int, word: Word) -> Polynomial:
        name = f"diag({self.algebra.alphabet.show(word)})"
        vector = Polynomial(size, UNIT, {word: ONE()})
        inner = self.algebra.inner_of(vector)
        letter = Letter(name, size, size, symmetric=True, inner=inner)
        code, new = self._letter(("diagonal", word), letter)
        result = self.algebra.of_letter(code)
        if new:
            one = self.ones_matrix(size, UNIT)
            self.system.assume(
                self.algebra.multiply(result, one) - vector, f"{name} times the ones"
            )
        return result
