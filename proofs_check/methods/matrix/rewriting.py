"""Rewriting with matrix relations, and the record of what every step rests on.

Each *line* is a polynomial that is zero under the hypotheses: an original relation (a generator),
or a sum of coefficient * left * (earlier line) * right. Nothing is used that is not on a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from proofs_check.methods.matrix.algebra import Algebra, Polynomial
from proofs_check.methods.matrix.outcome import ContradictionError, WorkSpentError
from proofs_check.methods.matrix.scalars import (
    ONE,
    ZERO,
    Ratio,
    coefficients_in,
    of_polynomial,
    used_atoms,
    variable,
)
from proofs_check.methods.matrix.words import OrderKey, Word

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
class Rewriter:
    """Lines, the rewriting rules made from them, and the work left.

    ``rules`` maps the lead of a monic matrix line to the line, ``scalar_rules`` a scalar atom to
    its value and line, ``power_rules`` an atom to (d, value of its d-th power, line).
    ``nonzero`` gives the facts by which a scalar is not zero, ``size`` a dimension as a scalar.
    """

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
    _cache: dict[int, tuple[int, tuple[Ratio, int] | None]] = field(default_factory=dict)

    def spend(self, units: int = 1) -> None:
        self.spent += units
        if self.spent > self.budget:
            raise WorkSpentError(self.budget)

    def append(self, line: Line) -> int:
        self.lines.append(line)
        return len(self.lines) - 1

    def record(self, poly: Polynomial, terms: tuple[Term, ...]) -> int:
        """Put a derived line on record."""
        return self.append(Line(poly, terms))

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

    def rank(self, atom: int) -> tuple[int, OrderKey]:
        """The order in which scalars are replaced: traces, then words, then all others."""
        info = self.algebra.atoms[atom]
        if info.kind in ("word", "trace"):
            return 1 + (info.kind == "trace"), self.algebra.alphabet.order_key(info.data)
        return 0, ((), 0, atom, ())

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
                return value, self.append(Line(poly, (term,), "", facts))
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


def _lower(parts: dict[int, Any], atom: int, degree: int, power: Ratio) -> Ratio:
    result = ZERO()
    for d, part in parts.items():
        factor = variable(atom).power(d % degree) * power.power(d // degree)
        result = result + of_polynomial(part) * factor
    return result
