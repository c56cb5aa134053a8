"""Certificates of identities: written by the finder, checked here by expansion alone.

A certificate is a list of lines, each a polynomial: the first are original relations (generators),
every later one equals a sum of coefficient * left * line * right. The last is lhs - rhs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proofs_check.methods.matrix.algebra import Algebra, Polynomial
from proofs_check.methods.matrix.completion import System
from proofs_check.methods.matrix.rewriting import Term
from proofs_check.methods.matrix.scalars import Ratio

FORMAT = 1


def write_certificate(
    system: System, lhs: Polynomial, rhs: Polynomial, goal: int, side_conditions: Sequence[str]
) -> dict[str, Any]:
    """The lines that ``goal`` rests on, renumbered, as JSON-able data."""
    algebra = system.algebra
    order = system.ancestors([goal])
    number = {line: i for i, line in enumerate(order)}
    lines = []
    for index in order:
        line = system.lines[index]
        lines.append(
            {
                "polynomial": _polynomial(line.poly),
                "terms": [_term(term, number[term.line]) for term in line.terms],
                "reason": line.reason,
                "facts": sorted(line.facts),
            }
        )
    sizes = {str(i): _ratio(system.size(i)) for i in sorted(_traced_sizes(system, order))}
    return {
        "format": FORMAT,
        "letters": [_letter(algebra, i) for i in range(len(algebra.alphabet.letters))],
        "dimensions": [str(d) for d in algebra.alphabet.dimensions],
        "sizes": sizes,
        "atoms": [_atom(algebra, i) for i in range(len(algebra.atoms))],
        "lines": lines,
        "lhs": _polynomial(lhs),
        "rhs": _polynomial(rhs),
        "side_conditions": list(side_conditions),
    }


def _traced_sizes(system: System, order: Sequence[int]) -> set[int]:
    """The dimensions of the identity matrices whose trace occurs."""
    alphabet, sizes = system.algebra.alphabet, set[int]()
    for index in order:
        for term in system.lines[index].terms:
            if term.traced:
                word = term.left or term.right
                poly = system.lines[term.line].poly
                sizes.add(alphabet.rows(word[0]) if term.left else poly.rows)
    return sizes - {0}


def _letter(algebra: Algebra, index: int) -> dict[str, Any]:
    letter = algebra.alphabet.letters[index]
    return {
        "name": letter.name,
        "rows": letter.rows,
        "cols": letter.cols,
        "symmetric": letter.symmetric,
    }


def _atom(algebra: Algebra, index: int) -> dict[str, Any]:
    atom = algebra.atoms[index]
    word = list(atom.data) if atom.kind in ("word", "trace") else None
    return {"kind": atom.kind, "text": atom.text, "word": word}


def _polynomial(poly: Polynomial) -> dict[str, Any]:
    terms = [[list(word), _ratio(value)] for word, value in sorted(poly.terms.items(), key=_first)]
    return {"rows": poly.rows, "cols": poly.cols, "terms": terms}


def _first(item: tuple[tuple[int, ...], Ratio]) -> tuple[int, ...]:
    return item[0]


def _term(term: Term, line: int) -> dict[str, Any]:
    return {
        "coefficient": _ratio(term.coefficient),
        "left": list(term.left),
        "line": line,
        "right": list(term.right),
        "traced": term.traced,
    }


def _ratio(value: Ratio) -> list[Any]:
    return [_monomials(value.num), _monomials(value.den)]


def _monomials(polynomial: Any) -> list[Any]:
    return [
        [str(coefficient), [[i, int(e)] for i, e in enumerate(exponents) if e]]
        for exponents, coefficient in polynomial.to_dict().items()
    ]


def summary(certificate: Mapping[str, Any]) -> str:
    """One line about the size of a certificate."""
    derived = sum(1 for line in certificate["lines"] if line["terms"])
    given = sum(1 for line in certificate["lines"] if line["reason"])
    return f"{given} relations, {derived} derived lines"
