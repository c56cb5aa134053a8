"""Hypotheses: what each kind of fact adds to the signs, the relations and the known matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy import Q
from sympy.assumptions import AppliedPredicate
from sympy.matrices.expressions import MatrixExpr

from bounds.errors import ShapeError
from bounds.matrices import permutation
from proofs_check.methods.matrix.algebra import Polynomial
from proofs_check.methods.matrix.outcome import (
    ContradictionError,
    SideConditionError,
    Unsupported,
)
from proofs_check.methods.matrix.rewriting import Names
from proofs_check.methods.matrix.scalars import Ratio
from proofs_check.methods.matrix.signs import NONNEGATIVE, NONZERO, POSITIVE, Signs
from proofs_check.methods.matrix.translate import Translator


@dataclass(frozen=True)
class Fact:
    """A hypothesis for the prover: ``name`` is reported back when it is used.

    ``condition`` is an inequality between scalars, an equation between scalars or matrices, a
    predicate (``Q.orthogonal``, ``Q.symmetric``, ``Q.invertible``, ``Q.positive_definite``, which
    includes symmetric, or ``permutation``), or an ``And`` of these.
    """

    name: str
    condition: sympy.Basic


@dataclass
class FactReader:
    """Puts facts into the engine; a fact it cannot use is left out, which is always sound."""

    translator: Translator
    notes: list[str] = field(default_factory=list)
    _relations: dict[type, tuple[Signs, bool]] = field(init=False)
    _predicates: dict[Any, Callable[[Any, Polynomial, Names], None]] = field(init=False)

    def __post_init__(self) -> None:
        self._relations = {
            sympy.StrictGreaterThan: (POSITIVE, False),
            sympy.GreaterThan: (NONNEGATIVE, False),
            sympy.StrictLessThan: (POSITIVE, True),
            sympy.LessThan: (NONNEGATIVE, True),
            sympy.Unequality: (NONZERO, False),
        }
        self._predicates = {
            Q.orthogonal: self._orthogonal,
            Q.symmetric: self._symmetric,
            Q.invertible: self._invertible,
            Q.positive_definite: self._positive_definite,
            permutation: self._permutation,
        }

    def read(self, facts: Sequence[Fact]) -> None:
        """Read all facts: predicates first, then inequalities, then equations.

        A fact that needs another one to make sense (a quotient in it, say) is tried again.
        """
        parts = [(fact, part) for fact in facts for part in _conjuncts(fact.condition)]
        waiting = sorted(parts, key=lambda item: _stage(item[1]))
        causes: dict[str, str] = {}
        while waiting:
            left = []
            for fact, condition in waiting:
                try:
                    self._read_one(condition, frozenset({fact.name}))
                except (SideConditionError, Unsupported, ShapeError) as error:
                    causes[fact.name] = str(error)
                    left.append((fact, condition))
            if len(left) == len(waiting):
                break
            waiting = left
        self.notes += [f"fact {fact.name} left out: {causes[fact.name]}" for fact, _ in waiting]

    def _read_one(self, condition: Any, used: Names) -> None:
        if condition is sympy.S.false:
            raise ContradictionError
        if condition is sympy.S.true:
            return
        if isinstance(condition, sympy.Equality):
            self._equation(condition, used)
        elif type(condition) in self._relations:
            signs, swapped = self._relations[type(condition)]
            left, right = (self.translator.scalar(side) for side in condition.args)
            value = right - left if swapped else left - right
            self.translator.functions.signs.add(value, signs, used)
        elif isinstance(condition, AppliedPredicate) and condition.function in self._predicates:
            (matrix,) = condition.arguments
            poly = self.translator.matrix(matrix)
            if poly.rows != poly.cols:
                raise ShapeError(str(matrix), matrix.shape, "the matrix must be square")
            self._predicates[condition.function](matrix, poly, used)
        else:
            raise Unsupported(f"the hypothesis {condition}")

    # --- equations --------------------------------------------------------------------------

    def _equation(self, condition: Any, used: Names) -> None:
        system, algebra = self.translator.system, self.translator.algebra
        left, right = condition.args
        if isinstance(left, MatrixExpr):
            poly = self.translator.matrix(left) - self.translator.matrix(right)
            system.assume(poly, f"fact: {condition}", used)
            return
        values = (self.translator.scalar(left), self.translator.scalar(right))
        for side, value, other in ((left, *values), (right, *reversed(values))):
            if isinstance(side, sympy.Symbol) and self._solve(condition, value, other, used):
                return
        system.assume(algebra.scalar(values[0] - values[1]), f"fact: {condition}", used)

    def _solve(self, condition: Any, symbol: Ratio, value: Ratio, used: Names) -> bool:
        """Use symbol = value as a definition, when the symbol is still free."""
        system, algebra = self.translator.system, self.translator.algebra
        (atom,) = symbol.atoms()
        value, steps = system.reduce_scalar(value)
        if steps or atom in system.scalar_rules or atom in algebra.inner(value):
            return False
        system.define(atom, value, f"fact: {condition}", used)
        return True

    # --- predicates -------------------------------------------------------------------------

    def _orthogonal(self, matrix: Any, poly: Polynomial, used: Names) -> None:
        algebra, reason = self.translator.algebra, f"fact: {matrix} is orthogonal"
        flipped, one = algebra.transpose(poly), algebra.identity(poly.rows)
        self.translator.system.assume(algebra.multiply(flipped, poly) - one, reason, used)
        self.translator.system.assume(algebra.multiply(poly, flipped) - one, reason, used)
        self.translator.letters.invertible_matrices.append((poly, used))

    def _symmetric(self, matrix: Any, poly: Polynomial, used: Names) -> None:
        flipped = self.translator.algebra.transpose(poly)
        self.translator.system.assume(poly - flipped, f"fact: {matrix} is symmetric", used)

    def _invertible(self, matrix: Any, poly: Polynomial, used: Names) -> None:
        self.translator.letters.invertible_matrices.append((poly, used))

    def _positive_definite(self, matrix: Any, poly: Polynomial, used: Names) -> None:
        self._symmetric(matrix, poly, used)
        definite = self.translator.letters.definite
        definite.matrices.append((poly, used))
        word, one = next(iter(poly.terms.items()), ((), None))
        if len(poly.terms) == 1 and len(word) == 1 and one is not None and one.is_one:
            definite.letters[word[0] & ~1] = used

    def _permutation(self, matrix: Any, poly: Polynomial, used: Names) -> None:
        if not isinstance(matrix, sympy.MatrixSymbol):
            raise Unsupported(f"permutation({matrix}) of anything but a matrix symbol")
        if len(poly.terms) != 1 or () in poly.terms:
            raise Unsupported("a permutation matrix of size 1")
        self._orthogonal(matrix, poly, used)
        algebra, letters = self.translator.algebra, self.translator.letters
        ones = letters.ones_matrix(poly.rows, 0)
        reason = f"fact: {matrix} is a permutation matrix"
        for turned in (poly, algebra.transpose(poly)):
            self.translator.system.assume(algebra.multiply(turned, ones) - ones, reason, used)
        ((code,),) = poly.terms
        letters.permutations[code & ~1] = used


def _conjuncts(condition: Any) -> Iterator[Any]:
    if isinstance(condition, sympy.And):
        for arg in sorted(condition.args, key=str):
            yield from _conjuncts(arg)
    else:
        yield condition


def _stage(condition: Any) -> int:
    if isinstance(condition, AppliedPredicate):
        return 0
    return 2 if isinstance(condition, sympy.Equality) else 1
