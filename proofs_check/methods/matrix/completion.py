"""Knuth-Bendix completion: from relations to rewriting rules that decide more and more.

The order makes inverses heavy, so that push-through, Woodbury and Sherman-Morrison come out as
rules. A relation becomes a rule only when its leading coefficient is shown nonzero.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

from proofs_check.methods.matrix.algebra import Polynomial
from proofs_check.methods.matrix.outcome import ContradictionError
from proofs_check.methods.matrix.rewriting import Line, Names, Rewriter, Term
from proofs_check.methods.matrix.scalars import (
    ONE,
    Ratio,
    coefficients_in,
    of_polynomial,
    used_atoms,
    variable,
)
from proofs_check.methods.matrix.words import UNIT, Word


@dataclass
class System(Rewriter):
    """Relations and what is completed from them.

    ``unsolved`` are the lines whose leading coefficient could not be shown nonzero.
    """

    unsolved: list[int] = field(default_factory=list)
    _pairs: list[tuple[int, int, Word, int, Word, Word, int]] = field(default_factory=list)
    _counter: int = 0

    # --- adding relations -------------------------------------------------------------------

    def assume(self, poly: Polynomial, reason: str, facts: Names = frozenset()) -> None:
        """Add an original relation ``poly = 0`` together with its transpose."""
        flipped = self.algebra.transpose(poly)
        self._insert(self.append(Line(poly, (), reason, facts)))
        if flipped.key() != poly.key():
            self._insert(self.append(Line(flipped, (), f"transpose of: {reason}", facts)))

    def define(self, atom: int, value: Ratio, reason: str, facts: Names = frozenset()) -> None:
        """Add ``atom = value`` and always replace the atom by the value."""
        value, _ = self.reduce_scalar(value)
        poly = self.algebra.scalar(variable(atom) - value)
        self.scalar_rules[atom] = (value, self.append(Line(poly, (), reason, facts)))
        self.version += 1

    def define_power(self, atom: int, degree: int, value: Ratio, reason: str) -> None:
        """Add ``atom^degree = value``; higher powers of the atom are lowered by it."""
        poly = self.algebra.scalar(variable(atom).power(degree) - value)
        self.power_rules[atom] = (degree, value, self.append(Line(poly, (), reason)))
        self.version += 1

    def _insert(self, index: int) -> None:
        poly, terms = self.reduce(self.lines[index].poly)
        if poly.is_zero:
            return
        if terms:
            own = Term(ONE(), (), index, ())
            minus = tuple(t.scale(-ONE()) for t in terms)
            index = self.append(Line(poly, (own, *minus)))
        if (poly.rows, poly.cols) == (UNIT, UNIT):
            self._insert_scalar(index)
        else:
            self._insert_matrix(index)

    def _insert_matrix(self, index: int) -> None:
        poly = self.lines[index].poly
        lead = max(poly.terms, key=self.algebra.alphabet.order_key)
        facts = self.nonzero(poly.terms[lead])
        if facts is None:
            self.unsolved.append(index)
            return
        if not lead:
            raise ContradictionError
        index = self._divide(index, poly.terms[lead], facts)
        contained = [w for w in self.rules if _position(lead, w) is not None]
        old = [self.rules.pop(word) for word in contained]
        self.rules[lead] = index
        self.version += 1
        self._enqueue(lead, index)
        for line in old:
            self._insert(line)

    def _divide(self, index: int, divisor: Ratio, facts: Names) -> int:
        if divisor.is_one:
            return index
        inverse = ONE() / divisor
        poly = self.lines[index].poly.scale(inverse)
        return self.append(Line(poly, (Term(inverse, (), index, ()),), "", facts))

    def _insert_scalar(self, index: int) -> None:
        """Solve a scalar relation for its largest atom, if it occurs linearly."""
        value = self.lines[index].poly.scalar()
        if self.nonzero(of_polynomial(value.num)) is not None:
            raise ContradictionError
        for atom in sorted(used_atoms(value.num), key=self.rank, reverse=True):
            parts = coefficients_in(value.num, atom)
            slope = of_polynomial(parts[max(parts)])
            solved = variable(atom) - of_polynomial(value.num) / slope
            facts = self.nonzero(slope) if max(parts) == 1 else None
            if facts is None or any(self.rank(a) >= self.rank(atom) for a in solved.atoms()):
                continue
            line = self._divide(index, slope / of_polynomial(value.den), facts)
            self.scalar_rules[atom] = (solved, line)
            self.version += 1
            return

    def cancel(self, poly: Polynomial) -> tuple[Polynomial, tuple[Term, ...]]:
        """Like ``reduce``, then eliminate with the unsolved lines, as in Gauss's method."""
        basis: list[int] = []
        for index in self.unsolved:
            line, terms = self._eliminate(*self.reduce(self.lines[index].poly), basis)
            own = Term(ONE(), (), index, ())
            basis.append(self.append(Line(line, (own, *(t.scale(-ONE()) for t in terms)))))
        return self._eliminate(*self.reduce(poly), basis)

    def _eliminate(
        self, poly: Polynomial, terms: tuple[Term, ...], basis: list[int]
    ) -> tuple[Polynomial, tuple[Term, ...]]:
        """Subtract multiples of the lines; no factor may have a denominator that can be zero."""
        for index in basis:
            line = self.lines[index].poly
            if (line.rows, line.cols) != (poly.rows, poly.cols):
                continue
            for word in sorted(line.terms.keys() & poly.terms.keys()):
                factor = poly.terms[word] / line.terms[word]
                facts = self.nonzero(of_polynomial(factor.den))
                if facts is not None:
                    own = Term(factor, (), index, ())
                    scaled = self.append(Line(line.scale(factor), (own,), "", facts))
                    poly = poly - self.lines[scaled].poly
                    terms = (*terms, Term(ONE(), (), scaled, ()))
                    break
        return poly, terms

    # --- critical pairs ---------------------------------------------------------------------

    def _enqueue(self, lead: Word, index: int) -> None:
        for other, line in list(self.rules.items()):
            for k in range(1, min(len(lead), len(other))):
                if lead[-k:] == other[:k]:
                    self._push(lead + other[k:], (), index, other[k:], lead[:-k], line)
                if other != lead and other[-k:] == lead[:k]:
                    self._push(other + lead[k:], (), line, lead[k:], other[:-k], index)
        for left, right in self._across_cut(lead):
            self._push(left + lead + right, left, index, right, (), -1)

    def _across_cut(self, lead: Word) -> Iterator[tuple[Word, Word]]:
        """Vectors to multiply a rule with whose lead has a cut, so that a scalar splits off."""
        alphabet = self.algebra.alphabet
        if not alphabet.has_inner_cut(lead):
            return
        codes = [2 * i for i in range(len(alphabet.letters))]
        codes += [c + 1 for c in codes if not alphabet.letter(c).symmetric]
        for c in codes:
            if alphabet.rows(c) == UNIT and alphabet.cols(c) == alphabet.rows(lead[0]):
                yield (c,), ()
            if alphabet.cols(c) == UNIT and alphabet.rows(c) == alphabet.cols(lead[-1]):
                yield (), (c,)

    def _push(self, word: Word, a: Word, i: int, b: Word, c: Word, j: int) -> None:
        """Queue the pair a line_i b - c line_j (or a line_i b alone), smallest word first."""
        self._counter += 1
        # What splits off a scalar comes first: it often solves for an inverse at once.
        size = len(word) if j >= 0 else 0
        heapq.heappush(self._pairs, (size, self._counter, a, i, b, c, j))

    def run(self, pairs: int) -> bool:
        """Work off critical pairs; True when none is left (the rules are then confluent)."""
        for _ in range(pairs):
            if not self._pairs:
                return True
            _, _, a, i, b, c, j = heapq.heappop(self._pairs)
            live = set(self.rules.values())
            if i not in live or (j >= 0 and j not in live):
                continue
            self.spend()
            poly = self.algebra.sandwich(a, self.lines[i].poly, b)
            terms = [Term(ONE(), a, i, b)]
            if j >= 0:
                poly = poly - self.algebra.sandwich(c, self.lines[j].poly, ())
                terms.append(Term(-ONE(), c, j, ()))
            if not poly.is_zero:
                self._insert(self.append(Line(poly, tuple(terms))))
        return not self._pairs


def _position(part: Word, word: Word) -> int | None:
    starts = range(len(word) - len(part) + 1)
    return next((i for i in starts if word[i : i + len(part)] == part), None)
