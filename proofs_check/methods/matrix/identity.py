"""Prove that two matrix or scalar expressions are equal for all shapes, under given facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.matrices.expressions import MatrixExpr

from bounds.errors import ShapeError
from proofs_check.methods.matrix.algebra import Algebra, Polynomial
from proofs_check.methods.matrix.certificate import summary, write_certificate
from proofs_check.methods.matrix.completion import System
from proofs_check.methods.matrix.definite import Definiteness
from proofs_check.methods.matrix.facts import Fact, FactReader
from proofs_check.methods.matrix.functions import Functions
from proofs_check.methods.matrix.letters import LetterFactory
from proofs_check.methods.matrix.outcome import NotProved
from proofs_check.methods.matrix.rewriting import Term
from proofs_check.methods.matrix.signs import SignOracle
from proofs_check.methods.matrix.translate import Translator
from proofs_check.methods.matrix.verify import verify_certificate

PAIRS_PER_ROUND = 40


@dataclass(frozen=True)
class IdentityProof:
    """The outcome. ``certificate`` is empty, and ``reason`` says why, when it is not proved."""

    proved: bool
    used: frozenset[str] = frozenset()
    trace: tuple[str, ...] = ()
    certificate: Mapping[str, Any] = field(default_factory=dict)
    work: int = 0
    reason: str = ""


def prove_identity(
    lhs: sympy.Basic, rhs: sympy.Basic, facts: Sequence[Fact], work: int = 50_000
) -> IdentityProof:
    """Try to prove lhs = rhs for all real matrices and scalars that satisfy the facts.

    Both sides must be shown to be defined: every inverse, quotient, logarithm and power has a side
    condition that the facts must imply. Not proved never means refuted.
    """
    engine = new_engine(work)
    reader = FactReader(engine)
    try:
        reader.read(facts)
        left, right = _side(engine, lhs), _side(engine, rhs)
        terms = _search(engine.system, left - right)
    except (NotProved, ShapeError) as error:
        trace = (*reader.notes, *engine.functions.notes)
        return IdentityProof(False, trace=trace, work=engine.system.spent, reason=str(error))
    return _report(engine, left, right, terms, reader.notes)


def new_engine(work: int) -> Translator:
    """The parts of the prover, wired together, with a fresh work budget."""
    algebra = Algebra()
    system = System(algebra, work)
    definite = Definiteness(algebra, system)
    signs = SignOracle(algebra, system, definite)
    system.nonzero = signs.nonzero
    functions = Functions(algebra, system, signs)
    letters = LetterFactory(algebra, system, functions, definite)
    return Translator(algebra, system, functions, letters)


def _side(engine: Translator, expr: Any) -> Polynomial:
    if isinstance(expr, MatrixExpr):
        return engine.matrix(expr)
    return engine.algebra.scalar(engine.scalar(expr))


def _search(system: System, difference: Polynomial) -> tuple[Term, ...]:
    """The terms that add up to the difference; NotProved when none are found."""
    while True:
        normal, terms = system.reduce(difference)
        if normal.is_zero:
            return terms
        if system.run(PAIRS_PER_ROUND):
            normal, terms = system.cancel(difference)
            if normal.is_zero:
                return terms
            raise NotProved(f"normal forms differ: lhs - rhs = {system.algebra.show(normal)}")


def _report(
    engine: Translator,
    left: Polynomial,
    right: Polynomial,
    terms: tuple[Term, ...],
    notes: Sequence[str],
) -> IdentityProof:
    system, functions = engine.system, engine.functions
    goal = system.record(left - right, terms)
    conditions = list(dict.fromkeys(functions.notes))
    certificate = write_certificate(system, left, right, goal, conditions)
    if not verify_certificate(certificate):
        reason = "the certificate does not check (a fault of the prover)"
        return IdentityProof(False, work=system.spent, reason=reason)
    used = frozenset(functions.used) | system.facts_of([goal])
    relations = [system.lines[i] for i in system.ancestors([goal]) if not system.lines[i].terms]
    relations = [line for line in relations if not line.poly.is_zero]
    show = engine.algebra.show
    trace = (
        *notes,
        *(f"side condition: {condition}" for condition in conditions),
        *(f"relation: {show(line.poly)} = 0 ({line.reason})" for line in relations),
        f"left side: {show(left)}",
        f"right side: {show(right)}",
        f"certificate: {summary(certificate)}",
    )
    return IdentityProof(True, used, trace, certificate, system.spent)
