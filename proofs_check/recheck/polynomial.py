"""Polynomials with rational coefficients: read from expressions, and signs of them on a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.sequent import Sequent, Side

# A flint fmpq_mpoly; its context names the variables.
Poly = Any

_MOST_TERMS = 20_000
_MOST_PRODUCTS = 2_000_000
_LARGEST_DEGREE = 400
_LARGEST_BITS = 100_000


@dataclass(frozen=True)
class Statement:
    """p >= 0 (> 0) at all real points with every variable in its side where all ``facts`` are >= 0.

    ``facts`` are polynomials with whether they are even > 0; rules may forget them. A polynomial
    has a value everywhere, so nothing is said about definedness.
    """

    poly: Poly
    strict: bool
    sides: Mapping[str, Side]
    facts: tuple[tuple[Poly, bool], ...] = ()

    def showing(self, poly: Poly, strict: bool) -> Statement:
        """Another polynomial on the same region."""
        return replace(self, poly=poly, strict=strict)

    def on(self, poly: Poly, sides: Mapping[str, Side]) -> Statement:
        """Another polynomial on another box, without the facts."""
        return Statement(poly, self.strict, {**self.sides, **sides})


def statement_of(sequent: Sequent) -> Statement:
    """The sequent as a statement about a polynomial; facts that are no polynomials are forgotten.

    Where the goal has a value it is the polynomial.

    Raises:
        Rejected: the goal is no polynomial.
    """
    return about(sequent, polynomial(sequent.goal, ring(sequent.names)))


def about(sequent: Sequent, poly: Poly) -> Statement:
    """A polynomial in the place of the goal; facts that are no polynomials are forgotten."""
    facts = _polynomial_facts(sequent, poly.context())
    return Statement(poly, sequent.strict, dict(sequent.box), facts)


def _polynomial_facts(sequent: Sequent, context: Any) -> tuple[tuple[Poly, bool], ...]:
    found = []
    for fact in sequent.facts:
        try:
            top, bottom = quotient(fact.expression, context)
        except Rejected:
            continue
        if bottom.is_constant():
            found.append((top / bottom.leading_coefficient(), fact.strict))
    return tuple(found)


def ring(names: Sequence[str]) -> Any:
    """The ring of polynomials in the given variables."""
    if len(set(names)) != len(names):
        raise Rejected("a variable occurs twice")
    return fmpq_mpoly_ctx.get(list(names), Ordering.lex)


def polynomial(expression: Expr, context: Any) -> Poly:
    """An expression as a polynomial.

    Raises:
        Rejected: it is none.
    """
    top, bottom = quotient(expression, context)
    if not bottom.is_constant():
        raise Rejected(f"{str(expression)[:60]} is no polynomial")
    return top / bottom.leading_coefficient()


def quotient(expression: Expr, context: Any) -> tuple[Poly, Poly]:
    """(top, bottom): wherever the expression has a value, bottom != 0 and it is top/bottom.

    bottom divides a product of the bases of negative powers; only common factors are cancelled.

    Raises:
        Rejected: other operations than + and * and whole powers occur, or it grows too large.
    """
    one = context.constant(1)
    gens = dict(zip(context.names(), context.gens(), strict=True))
    done: dict[Expr, tuple[Poly, Poly]] = {}
    for node in expression.nodes():
        done[node] = _step(node, [done[arg] for arg in node.args], gens, one)
    return done[expression]


def _step(
    node: Expr, args: list[tuple[Poly, Poly]], gens: Mapping[str, Poly], one: Poly
) -> tuple[Poly, Poly]:
    if node.number is not None:
        return one * rational(node.number), one
    if node.op == "var" and str(node.value) in gens:
        return gens[str(node.value)], one
    if node.op in ("+", "*"):
        join = _sum if node.op == "+" else _product
        total = args[0]
        for arg in args[1:]:
            total = join(total, arg)
        return total
    exponent = node.args[1].number if node.op == "^" else None
    if exponent is None or exponent.denominator != 1:
        raise Rejected(f"{node.op} is no rational operation")
    return _power(args[0], int(exponent), one)


def _sum(a: tuple[Poly, Poly], b: tuple[Poly, Poly]) -> tuple[Poly, Poly]:
    if a[1] == b[1]:
        return _reduced(a[0] + b[0], a[1])
    return _reduced(times(a[0], b[1]) + times(b[0], a[1]), times(a[1], b[1]))


def _product(a: tuple[Poly, Poly], b: tuple[Poly, Poly]) -> tuple[Poly, Poly]:
    return _reduced(times(a[0], b[0]), times(a[1], b[1]))


def _power(base: tuple[Poly, Poly], exponent: int, one: Poly) -> tuple[Poly, Poly]:
    size = abs(exponent)
    top, bottom = base if exponent >= 0 else (base[1], base[0])
    if bottom.is_zero():
        raise Rejected("a division by zero")
    degree = max(p.total_degree() for p in base) if size else 0
    if size > _LARGEST_DEGREE or degree * size > _LARGEST_DEGREE:
        raise Rejected(f"a degree above {_LARGEST_DEGREE}")
    if size > 1 and size * max(map(_bits, base)) > _LARGEST_BITS:
        raise Rejected("the coefficients of a power are too large")
    return _raised(top, size, one), _raised(bottom, size, one)


def _bits(poly: Poly) -> int:
    """The size of the largest coefficient."""
    sizes = (int(c.p).bit_length() + int(c.q).bit_length() for c in poly.coeffs())
    return max(sizes, default=0)


def _raised(poly: Poly, size: int, one: Poly) -> Poly:
    if len(poly) <= 1:
        return poly**size
    total = one
    for _ in range(size):
        total = times(total, poly)
    return total


def times(a: Poly, b: Poly) -> Poly:
    """The product.

    Raises:
        Rejected: it is too large.
    """
    if len(a) * len(b) > _MOST_PRODUCTS:
        raise Rejected("a product of polynomials is too large")
    if a.total_degree() + b.total_degree() > _LARGEST_DEGREE:
        raise Rejected(f"a degree above {_LARGEST_DEGREE}")
    found = a * b
    if len(found) > _MOST_TERMS:
        raise Rejected(f"a polynomial with more than {_MOST_TERMS} terms")
    return found


def _reduced(top: Poly, bottom: Poly) -> tuple[Poly, Poly]:
    if bottom.is_constant():
        return top, bottom
    common = top.gcd(bottom)
    return (top, bottom) if common.is_constant() else (top / common, bottom / common)


def rational(value: Fraction | int) -> Any:
    """The flint rational of a Fraction."""
    value = Fraction(value)
    return fmpq(value.numerator, value.denominator)


def place(context: Any, name: str) -> int:
    """The position of a variable.

    Raises:
        Rejected: there is no such variable.
    """
    names = list(context.names())
    if name not in names:
        raise Rejected(f"{name!r} is no variable here")
    return names.index(name)


def used(poly: Poly) -> list[int]:
    """Positions of the variables that occur."""
    return [i for i, degree in enumerate(poly.degrees()) if degree > 0]


def coefficients_in(poly: Poly, position: int) -> list[Poly]:
    """c_0, c_1, ... with poly = sum c_k x^k for one variable x, which the c_k do not hold."""
    context = poly.context()
    parts: list[dict[tuple[int, ...], Any]] = [{} for _ in range(poly.degrees()[position] + 1)]
    for exponents, value in poly.to_dict().items():
        parts[exponents[position]][(*exponents[:position], 0, *exponents[position + 1 :])] = value
    return [context.from_dict(part) for part in parts]


def composed(poly: Poly, images: Mapping[int, Poly]) -> Poly:
    """The polynomial with some variables (by position) replaced by polynomials of its ring."""
    context = poly.context()
    gens = [images.get(i, gen) for i, gen in enumerate(context.gens())]
    return poly.compose(*gens, ctx=context)
