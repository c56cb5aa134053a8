"""Positive (semi)definite matrices: known letters, Gram words and sums of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from proofs_check.methods.matrix.algebra import Algebra, Polynomial
from proofs_check.methods.matrix.completion import System
from proofs_check.methods.matrix.rewriting import Names
from proofs_check.methods.matrix.scalars import Ratio
from proofs_check.methods.matrix.words import Word

Shown = Callable[[Ratio], Names | None]


@dataclass
class Definiteness:
    """``letters`` are the letters known to be positive definite, with the facts that say so."""

    algebra: Algebra
    system: System
    letters: dict[int, Names] = field(default_factory=dict)
    matrices: list[tuple[Polynomial, Names]] = field(default_factory=list)

    def gram(self, word: Word) -> Names | None:
        """Facts by which the word is u u^T or u S u^T with S positive definite."""
        half, odd = divmod(len(word), 2)
        middle, right = word[half : half + odd], word[half + odd :]
        if self.algebra.alphabet.transpose(right) != word[:half]:
            return None
        return self.letters.get(middle[0] & ~1) if middle else frozenset()

    def semidefinite(self, poly: Polynomial, nonnegative: Shown) -> Names | None:
        """Facts by which every term is a nonnegative multiple of a Gram word."""
        used: Names = frozenset()
        for word, value in poly.terms.items():
            parts = (self.gram(word), nonnegative(value))
            if parts[0] is None or parts[1] is None:
                return None
            used |= parts[0] | parts[1]
        return used

    def positive(self, poly: Polynomial, positive: Shown, nonnegative: Shown) -> Names | None:
        """Facts by which the matrix is a positive definite plus a positive semidefinite one."""
        for base, base_used in self._bases(poly):
            word = max(base.terms, key=self.algebra.alphabet.order_key)
            if word not in poly.terms:
                continue
            factor = poly.terms[word] / base.terms[word]
            shown = positive(factor)
            if shown is None:
                continue
            rest = self.semidefinite(poly - base.scale(factor), nonnegative)
            if rest is not None:
                return base_used | shown | rest
        return None

    def _bases(self, poly: Polynomial) -> list[tuple[Polynomial, Names]]:
        """I, the letters and the matrices known to be positive definite."""
        size = poly.rows
        bases: list[tuple[Polynomial, Names]] = [(self.algebra.identity(size), frozenset())]
        candidates = [(self.algebra.of_letter(c), used) for c, used in self.letters.items()]
        for base, used in candidates + self.matrices:
            normal, terms = self.system.reduce(base)
            if normal.rows == size and not normal.is_zero:
                bases.append((normal, used | self.system.facts_of(t.line for t in terms)))
        return bases
