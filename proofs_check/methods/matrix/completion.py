"""Knuth-Bendix completion of matrix relations, with a checkable record of every step.

Each *line* is a polynomial that is zero under the hypotheses: an original relation (a generator),
or a sum of coefficient * left * (earlier line) * right. Nothing is used that is not on a line.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from proofs_check.methods.matrix.algebra import Algebra, Polynomial
from proofs_check.methods.matrix.outcome import ContradictionError, WorkSpentError
from proofs_check.methods.matrix.scalars import (
    ONE,
    Ratio,
    coefficients_in,
    of_polynomial,
    polynomial_ring,
    used_atoms,
    variable,
)
from proofs_check.methods.matrix.words import UNIT, OrderKey, Word

Names = frozenset[str]
Nonzero = Callable[[Ratio], Names | None]


@dataclass(frozen=True)
class Term:
    """coefficient * left * line * right, or the trace of that product."""

    coefficient: Ratio
    left: Word
    line: int
    right: Word
    traced: bool = False

    def scale(self, factor: Ratio) -> Term:
        return Term(self.coefficient * factor, self.left, self.line, self.right, self.traced)


@dataclass(frozen=True)
class Line:
    """A polynomial that is zero, and why; a line without terms is an original relation."""

    poly: Polynomial
    terms: tuple[Term, ...]
    reason: str = ""
    facts: Names = frozenset()


@dataclass
class System:
    """Relations, the rewriting rules completed from them, and the work left."""

    algebra: Algebra
    budget: int
    lines: list[Line] = field(default_factory=list)
    rules: dict[Word, int] = field(default_factory=dict)
    scalar_rules: dict[int, tuple[Ratio, int]] = field(default_factory=dict)
    power_rules: dict[int, tuple[int, Ratio, int]] = field(default_factory=dict)
    nonzero: Nonzero = field(default=lambda value: frozenset() if value.is_constant else None)
    size: Callable[[int], Ratio] = field(default=lambda index: ONE())
    spent: int = 0
    version: int = 0
    _pairs: list[tuple[int, int, Word, int, Word, Word, int]] = field(default_factory=list)
    _counter: int = 0
    _cache: dict[int, tuple[int, tuple[Ratio, int] | None]] = field(default_factory=dict)

    def spend(self, units: int = 1) -> None:
        self.spent += units
        if self.spent > self.budget:
            raise WorkSpentError(self.budget)

    def _append(self, line: Line) -> int:
        self.lines.append(line)
        return len(self.lines) - 1

    def record(self, poly: Polynomial, terms: tuple[Term, ...]) -> int:
        """Put a derived line on record."""
        return self._append(Line(poly, terms))

    def ancestors(self, lines: Iterable[int]) -> list[int]:
        """The lines that these lines rest on, themselves included, in increasing order."""
        todo, seen = list(lines), set[int]()
        while todo:
            line = todo.pop()
            if line not in seen:
                seen.add(line)
                todo += [term.line for term in self.lines[line].terms]
        return sorted(seen)

    def facts_of(self, lines: Iterable[int]) -> Names:
        return frozenset().union(*(self.lines[i].facts for i in self.ancestors(lines)))

    # --- adding relations -------------------------------------------------------------------

    def assume(self, poly: Polynomial, reason: str, facts: Names = frozenset()) -> None:
        """Add an original relation ``poly = 0`` together with its transpose."""
        flipped = self.algebra.transpose(poly)
        self._insert(self._append(Line(poly, (), reason, facts)))
        if flipped.key() != poly.key():
            self._insert(self._append(Line(flipped, (), f"transpose of: {reason}", facts)))

    def define(self, atom: int, value: Ratio, reason: str, facts: Names = frozenset()) -> None:
        """Add ``atom = value`` and always replace the atom by the value."""
        value, _ = self.reduce_scalar(value)
        poly = self.algebra.scalar(variable(atom) - value)
        self.scalar_rules[atom] = (value, self._append(Line(poly, (), reason, facts)))
        self.version += 1

    def define_power(self, atom: int, degree: int, value: Ratio, reason: str) -> None:
        """Add ``atom^degree = value``; higher powers of the atom are lowered by it."""
        poly = self.algebra.scalar(variable(atom).power(degree) - value)
        self.power_rules[atom] = (degree, value, self._append(Line(poly, (), reason)))
        self.version += 1

    def _insert(self, index: int) -> None:
        poly, terms = self.reduce(self.lines[index].poly)
        if poly.is_zero:
            return
        if terms:
            own = Term(ONE(), (), index, ())
            minus = tuple(t.scale(-ONE()) for t in terms)
            index = self._append(Line(poly, (own, *minus)))
        if (poly.rows, poly.cols) == (UNIT, UNIT):
            self._insert_scalar(index)
        else:
            self._insert_matrix(index)

    def _insert_matrix(self, index: int) -> None:
        poly = self.lines[index].poly
        lead = max(poly.terms, key=self.algebra.alphabet.order_key)
        facts = self.nonzero(poly.terms[lead])
        if facts is None:
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
        return self._append(Line(poly, (Term(inverse, (), index, ()),), "", facts))

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

    def rank(self, atom: int) -> tuple[int, OrderKey]:
        """The order in which scalars are replaced: traces, then words, then all others."""
        info = self.algebra.atoms[atom]
        if info.kind in ("word", "trace"):
            return 1 + (info.kind == "trace"), self.algebra.alphabet.order_key(info.data)
        return 0, ((), 0, atom, ())

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
                self._insert(self._append(Line(poly, tuple(terms))))
        return not self._pairs

    # --- rewriting --------------------------------------------------------------------------

    def find(self, word: Word) -> tuple[int, int, int] | None:
        """(start, end, line) of the first rule whose lead occurs in the word."""
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                line = self.rules.get(word[start:end])
                if line is not None:
                    return start, end, line
        return None

    def reduce(self, poly: Polynomial) -> tuple[Polynomial, tuple[Term, ...]]:
        """(normal form, terms) with poly = normal form + the sum of the terms."""
        terms: list[Term] = []
        done = Polynomial(poly.rows, poly.cols, {})
        while not poly.is_zero:
            word = max(poly.terms, key=self.algebra.alphabet.order_key)
            value, steps = self.reduce_scalar(poly.terms[word])
            terms += [Term(c, word, line, ()) for c, line in steps]
            rest = {w: c for w, c in poly.terms.items() if w != word}
            poly = Polynomial(poly.rows, poly.cols, rest)
            if value.is_zero:
                continue
            found = self.find(word)
            if found is None:
                done = done + Polynomial(poly.rows, poly.cols, {word: value})
                continue
            start, end, line = found
            term = Term(value, word[:start], line, word[end:])
            product = self.algebra.sandwich(term.left, self.lines[line].poly, term.right)
            self.spend(1 + len(product.terms) + len(value.num) // 8)
            terms.append(term)
            whole = Polynomial(poly.rows, poly.cols, {word: value})
            poly = poly + (whole - product.scale(value))
        return done, tuple(terms)

    def reduce_scalar(self, value: Ratio) -> tuple[Ratio, list[tuple[Ratio, int]]]:
        """(normal form, [(cofactor, scalar line)]) with value = normal form + their sum."""
        steps: list[tuple[Ratio, int]] = []
        while True:
            step = self._scalar_step(value)
            if step is None:
                return value, steps
            value, cofactor, line = step
            self.spend(1 + len(value.num) // 8)
            steps.append((cofactor, line))

    def _scalar_step(self, value: Ratio) -> tuple[Ratio, Ratio, int] | None:
        for atom in sorted(value.atoms(), key=self.rank, reverse=True):
            rule = self._atom_rule(atom)
            if rule is not None:
                replacement, line = rule
                try:
                    new = value.substitute(atom, replacement)
                except ZeroDivisionError as error:
                    # A denominator shown nonzero turned out to be zero.
                    raise ContradictionError from error
                return new, (value - new) / (variable(atom) - replacement), line
            if atom in self.power_rules:
                degree, power, line = self.power_rules[atom]
                parts = coefficients_in(value.num, atom)
                if max(parts) >= degree:
                    new = _lower(parts, atom, degree, power) / of_polynomial(value.den)
                    return new, (value - new) / (variable(atom).power(degree) - power), line
        return None

    def _atom_rule(self, atom: int) -> tuple[Ratio, int] | None:
        if atom in self.scalar_rules:
            return self.scalar_rules[atom]
        info = self.algebra.atoms[atom]
        if info.kind not in ("word", "trace"):
            return None
        version, rule = self._cache.get(atom, (-1, None))
        if version != self.version:
            rule = self._search_rule(atom)
            self._cache[atom] = (self.version, rule)
        return rule

    def _search_rule(self, atom: int) -> tuple[Ratio, int] | None:
        """Rewrite a word inside a scalar, in any reading, if that makes the scalar smaller."""
        info = self.algebra.atoms[atom]
        traced = info.kind == "trace"
        for word in self._readings(info.data, traced):
            found = self.find(word)
            if found is None:
                continue
            start, end, line = found
            left, right = word[:start], word[end:]
            product = self.algebra.sandwich(left, self.lines[line].poly, right)
            zero = self._trace(product) if traced else product.scalar()
            solved = self._solve(zero, atom)
            if solved is None:
                continue
            value, slope, facts = solved
            if all(self.rank(a) < self.rank(atom) for a in value.atoms()):
                term = Term(ONE() / slope, left, line, right, traced)
                poly = self.algebra.scalar(variable(atom) - value)
                return value, self._append(Line(poly, (term,), "", facts))
        return None

    def _solve(self, zero: Ratio, atom: int) -> tuple[Ratio, Ratio, Names] | None:
        """(value, slope, facts) with zero = slope * (atom - value), the slope shown nonzero."""
        if atom in used_atoms(zero.den):
            return None
        parts = coefficients_in(zero.num, atom)
        if max(parts, default=0) != 1:
            return None
        slope = of_polynomial(parts[1]) / of_polynomial(zero.den)
        self._cache[atom] = (self.version, None)  # the question must not be asked in its answer
        facts = self.nonzero(slope)
        return None if facts is None else (variable(atom) - zero / slope, slope, facts)

    def _readings(self, word: Word, traced: bool) -> Iterator[Word]:
        for reading in (word, self.algebra.alphabet.transpose(word)):
            yield reading
            if traced:
                yield from (reading[i:] + reading[:i] for i in range(1, len(reading)))

    def _trace(self, poly: Polynomial) -> Ratio:
        return self.algebra.trace(poly, self.size(poly.rows))


def _lower(parts: dict[int, object], atom: int, degree: int, power: Ratio) -> Ratio:
    result = of_polynomial(polynomial_ring().from_dict({}))
    for d, part in parts.items():
        factor = variable(atom).power(d % degree) * power.power(d // degree)
        result = result + of_polynomial(part) * factor
    return result


def _position(part: Word, word: Word) -> int | None:
    starts = range(len(word) - len(part) + 1)
    return next((i for i in starts if word[i : i + len(part)] == part), None)
