"""Where the slope in a variable vanishes for all values of the others: guesses, then identities."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from proofs_check.arithmetic.derivative import minus
from proofs_check.arithmetic.tree import ONE, ZERO, Node, call, literal, number, symbol
from proofs_check.methods.inequality.multivariate import reduce
from proofs_check.methods.inequality.multivariate.normal import Quotient, Table, normal_form
from proofs_check.methods.inequality.polynomial.rational import (
    NotRational,
    Poly,
    coefficients_in,
)
from proofs_check.methods.inequality.problem import Problem

_CONSTANTS = (Fraction(0), Fraction(1), Fraction(1, 2), Fraction(-1))
_DEEPEST = 4


def places(problem: Problem, name: str, slope: Node) -> Iterator[Node]:
    """Expressions in the other variables at which the slope in a variable is proved to be 0."""
    usual = reduce.sampled(slope, problem)
    scale = 1.0 if usual is None else float(np.median(np.abs(usual)))
    for place in _guesses(problem, name, slope):
        there = slope.replaced({name: place})
        found = reduce.sampled(there, problem)
        # Samples on half-lines may lie far out, where rounding hides that the slope is 0.
        if found is not None and np.median(np.abs(found)) > 1e-6 * scale + 1e-12:
            continue
        if reduce.vanishes(there, problem):
            yield place


def _guesses(problem: Problem, name: str, slope: Node) -> Iterator[Node]:
    others = [symbol(n) for n in problem.names if n != name]
    side = problem.interval(name)
    yield from others
    yield from (number(value) for value in _CONSTANTS if side.contains(value))
    seen = {*others, *map(number, _CONSTANTS)}
    for guess in (*solutions(slope, problem, name), *(-o for o in others)):
        if guess not in seen:
            seen.add(guess)
            yield guess
    yield from (ONE - other for other in others)


def solutions(equation: Node, problem: Problem, name: str, depth: int = 0) -> Iterator[Node]:
    """Candidates for the zeros of a tree in one variable, written in the others.

    The numerator must hold the variable in one place only: in A E^k + B the function E of it has
    the value (-B/A)^(1/k), and is inverted. With two terms in it their logarithms are compared.
    """
    found = normal_form(equation, problem.names, reduce.sides(problem))
    if found is None or depth > _DEEPEST:
        return
    table, value = found
    leaves = [*map(symbol, problem.names), *table.nodes]
    degrees = value.top.degrees()
    moving = [i for i, n in enumerate(leaves) if degrees[i] and name in n.symbols()]
    try:
        if len(moving) == 1:
            for level in _levels(table, value.top, moving[0]):
                yield from _inverted(leaves[moving[0]], level, problem, name, depth)
        elif depth == 0:
            ratio = _balanced(table, value.top, moving)
            if ratio is not None:
                log = call("log", table.tree_of(ratio))
                yield from solutions(log, problem, name, depth + 1)
    except NotRational:
        return


def _levels(table: Table, top: Poly, position: int) -> Iterator[Node]:
    """The values of E where A E^k + B = 0."""
    terms = {k: c for k, c in enumerate(coefficients_in(top, position)) if not c.is_zero()}
    k = max(terms)
    if set(terms) - {0, k}:
        return
    ratio = ZERO if 0 not in terms else table.tree_of(table.quotient(-terms[0], terms[k]))
    if k == 1:
        yield ratio
    elif k % 2:
        yield call("cbrt", ratio) if k == 3 else ratio ** number(Fraction(1, k))
    else:
        root = call("sqrt", ratio) if k == 2 else ratio ** number(Fraction(1, k))
        yield from (root, -root)


def _balanced(table: Table, top: Poly, moving: list[int]) -> Quotient | None:
    """-P/Q for a sum P + Q of two parts, each a product of powers of moving leaves and the rest."""
    groups: dict[tuple[int, ...], dict[tuple[int, ...], object]] = {}
    for exponents, coefficient in top.to_dict().items():
        key = tuple(int(exponents[i]) for i in moving)
        groups.setdefault(key, {})[exponents] = coefficient
    if len(groups) != 2:
        return None
    first, second = (table.context.from_dict(terms) for terms in groups.values())
    return table.quotient(-first, second)


def _inverted(leaf: Node, level: Node, problem: Problem, name: str, depth: int) -> Iterator[Node]:
    """The values of the variable at which a function of it has a given value."""
    if leaf == symbol(name):
        yield level
        return
    inner = _argument(leaf, level)
    if inner is not None:
        yield from solutions(leaf.args[0] + minus(inner), problem, name, depth + 1)


def _argument(leaf: Node, level: Node) -> Node | None:
    """What the first argument of a function is where the function has a given value."""
    if leaf.op == "exp":
        return level.args[0] if level.op == "exp" else call("log", level)
    if leaf.op == "log":
        if level == ZERO:
            return ONE
        return level.args[0] if level.op == "log" else call("exp", level)
    if leaf.op == "sqrt":
        return level ** number(2)
    if leaf.op == "cbrt":
        return level ** number(3)
    exponent = literal(leaf.args[1]) if leaf.op == "^" else None
    return level ** number(1 / exponent) if exponent else None
