"""Polynomials and rational functions read off trees, and their Bernstein coefficients on boxes.

Everything is exact: multivariate polynomials over the rationals (flint) and arrays of integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Any

import numpy as np
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from proofs_check.arithmetic.tree import ONE, Node, number
from proofs_check.methods.inequality.problem import Interval, literal

Poly = Any
Array = Any

MOST_TERMS = 20_000
MOST_COEFFICIENTS = 60_000
LARGEST_POWER = 40


class NotRational(ValueError):
    """The tree is no rational function of its symbols, or too large as one."""


@dataclass(frozen=True)
class Rational:
    """``top/bottom``; every divisor met on the way is kept: each must be shown nonzero."""

    top: Poly
    bottom: Poly
    divisors: tuple[Poly, ...] = ()


def ring(names: Sequence[str]) -> Any:
    """The polynomial ring over the rationals in the given variables."""
    return fmpq_mpoly_ctx.get(list(names) or ["_none"], Ordering.lex)


def rational_function(node: Node, names: Sequence[str]) -> Rational:
    """The tree as a quotient of polynomials.

    Raises:
        NotRational: it holds a function, a constant like pi, or a power that is no small integer.
    """
    context = ring(names)
    gens = dict(zip(names, context.gens(), strict=False))
    one = context.constant(1)
    done: dict[Node, Rational] = {}
    for part in node.nodes():
        done[part] = _step(part, [done[arg] for arg in part.args], gens, one)
        if max(len(done[part].top), len(done[part].bottom)) > MOST_TERMS:
            raise NotRational("more terms than can be handled")
    return done[node]


def _step(node: Node, args: list[Rational], gens: Mapping[str, Poly], one: Poly) -> Rational:
    kept = tuple({str(d): d for arg in args for d in arg.divisors}.values())
    if node.op == "number" and isinstance(node.value, Fraction):
        return Rational(one * rational(node.value), one)
    if node.op == "symbol" and str(node.value) in gens:
        return Rational(gens[str(node.value)], one)
    if node.op == "-":
        return Rational(-args[0].top, args[0].bottom, kept)
    if node.op == "+":
        return _reduced(*_sum(args), kept)
    if node.op == "*":
        return _reduced(*_product(args), kept)
    if node.op == "/":
        return _quotient(args[0], args[1], kept)
    exponent = literal(node.args[1]) if node.op == "^" else None
    if exponent is None or exponent.denominator != 1 or abs(exponent) > LARGEST_POWER:
        raise NotRational(f"{node.op} is not a rational operation")
    size = int(abs(exponent))
    if exponent > 0:
        return Rational(args[0].top ** size, args[0].bottom ** size, kept)
    return _quotient(
        Rational(one, one), Rational(args[0].top ** size, args[0].bottom ** size), kept, args[0].top
    )


def _sum(args: list[Rational]) -> tuple[Poly, Poly]:
    top, bottom = args[0].top, args[0].bottom
    for arg in args[1:]:
        if arg.bottom == bottom:
            top = top + arg.top
        else:
            top, bottom = top * arg.bottom + arg.top * bottom, bottom * arg.bottom
    return top, bottom


def _product(args: list[Rational]) -> tuple[Poly, Poly]:
    top, bottom = args[0].top, args[0].bottom
    for arg in args[1:]:
        top, bottom = top * arg.top, bottom * arg.bottom
    return top, bottom


def _quotient(
    a: Rational, b: Rational, kept: tuple[Poly, ...], divisor: Poly | None = None
) -> Rational:
    divisor = b.top if divisor is None else divisor
    if b.top.is_zero() or divisor.is_zero():
        raise NotRational("a division by zero")
    extra = () if divisor.is_constant() else (divisor,)
    return _reduced(a.top * b.bottom, a.bottom * b.top, (*kept, *extra))


def _reduced(top: Poly, bottom: Poly, divisors: tuple[Poly, ...]) -> Rational:
    if not bottom.is_constant():
        common = top.gcd(bottom)
        if not common.is_constant():
            top, bottom = top / common, bottom / common
    return Rational(top, bottom, divisors)


def rational(value: Fraction | int) -> Any:
    """The flint rational of a Fraction."""
    value = Fraction(value)
    return fmpq(value.numerator, value.denominator)


def fraction(value: Any) -> Fraction:
    """The Fraction of a flint rational."""
    return Fraction(int(value.p), int(value.q))


def text(poly: Poly) -> str:
    """The polynomial in the grammar of claims."""
    return str(poly).replace("^", "**")


def used(poly: Poly) -> list[int]:
    """Positions of the variables that occur."""
    return [i for i, degree in enumerate(poly.degrees()) if degree > 0]


def coefficients_in(poly: Poly, position: int) -> list[Poly]:
    """Coefficients c_0, c_1, ... of the powers of one variable."""
    context = poly.context()
    parts: list[dict[tuple[int, ...], Any]] = [{} for _ in range(poly.degrees()[position] + 1)]
    for exponents, value in poly.to_dict().items():
        reduced = (*exponents[:position], 0, *exponents[position + 1 :])
        parts[exponents[position]][reduced] = value
    return [context.from_dict(part) for part in parts]


def substituted(poly: Poly, position: int, value: Poly) -> Poly:
    """The polynomial with one variable replaced by a polynomial of the same ring."""
    gens = list(poly.context().gens())
    gens[position] = value
    return poly.compose(*gens, ctx=poly.context())


def moved_by(poly: Poly, position: int, start: Fraction) -> Poly:
    """The polynomial in x - start: x replaced by x + start."""
    return substituted(poly, position, poly.context().gens()[position] + rational(start))


def at(poly: Poly, position: int, value: Fraction) -> Poly:
    """The polynomial with one variable set to a number."""
    return substituted(poly, position, poly.context().constant(1) * rational(value))


def bernstein(poly: Poly, positions: Sequence[int], box: Sequence[Interval]) -> Array | None:
    """Integers with the signs of the Bernstein coefficients on the box; one axis per position.

    [a, b] becomes t in [0, 1]; on [a, oo) x = a + t/(1-t), and the polynomial is multiplied by the
    positive (1-t)^d, so that t = 1 stands for infinity. None when a side is the whole line or the
    array would be too large.
    """
    degrees = [poly.degrees()[i] for i in positions]
    size = 1
    for degree in degrees:
        size *= degree + 1
    if size > MOST_COEFFICIENTS:
        return None
    gens = list(poly.context().gens())
    for i in positions:
        side = box[i]
        if side.low is not None:
            width = 1 if side.high is None else side.high - side.low
            gens[i] = gens[i] * rational(width) + rational(side.low)
        elif side.high is not None:
            gens[i] = rational(side.high) - gens[i]
        else:
            return None
    moved = poly.compose(*gens, ctx=poly.context())
    table = _integers(moved, positions, degrees)
    for axis, i in enumerate(positions):
        infinite = box[i].low is None or box[i].high is None
        table = _to_bernstein(table, axis, degrees[axis], infinite)
    return table


def _integers(poly: Poly, positions: Sequence[int], degrees: Sequence[int]) -> Array:
    terms = poly.to_dict()
    scale = lcm(*(int(v.q) for v in terms.values())) if terms else 1
    table = np.zeros([d + 1 for d in degrees], dtype=object)
    for exponents, value in terms.items():
        table[tuple(exponents[i] for i in positions)] = int(value.p) * (scale // int(value.q))
    return table


def _to_bernstein(table: Array, axis: int, degree: int, infinite: bool) -> Array:
    """Power coefficients to (scaled) Bernstein coefficients along one axis."""
    scale = lcm(*(comb(degree, k) for k in range(degree + 1)))
    weights = np.array([scale // comb(degree, k) for k in range(degree + 1)], dtype=object)
    shape = [1] * table.ndim
    shape[axis] = degree + 1
    table = np.moveaxis(table * weights.reshape(shape), axis, 0).copy()
    if not infinite:
        for step in range(1, degree + 1):
            for k in range(degree, step - 1, -1):
                table[k] = table[k] + table[k - 1]
    return np.moveaxis(table, 0, axis)


def horner(poly: Poly, leaves: Sequence[Node]) -> Node:
    """The polynomial as a tree with few operations: the most frequent variable taken out first."""
    return _horner({tuple(map(int, e)): fraction(c) for e, c in poly.to_dict().items()}, leaves)


def _horner(terms: Mapping[tuple[int, ...], Fraction], leaves: Sequence[Node]) -> Node:
    counts = [sum(1 for e in terms if e[i]) for i in range(len(leaves))]
    if not terms or not counts or max(counts) == 0:
        return number(sum(terms.values(), Fraction(0)))
    i = counts.index(max(counts))
    power = min(e[i] for e in terms if e[i])
    inner = {(*e[:i], e[i] - power, *e[i + 1 :]): c for e, c in terms.items() if e[i]}
    rest = {e: c for e, c in terms.items() if not e[i]}
    factor = leaves[i] if power == 1 else leaves[i] ** number(power)
    cofactor = _horner(inner, leaves)
    product = factor if cofactor == ONE else cofactor * factor
    return product if not rest else product + _horner(rest, leaves)
