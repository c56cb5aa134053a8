"""A normal form that proves identities: quotients of polynomials in the variables and in atoms.

Atoms are exponentials, logarithms, roots, sines and the like of normal forms. Every rewriting
(exp(a+b) = exp a exp b; log(ab) = log a + log b for positive factors; sqrt(u)^2 = u; ...) holds on
the whole region where the tree is defined, so a zero numerator proves f = 0 there. The converse
is not claimed: a numerator that is not zero proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

from flint import ctx, fmpz

from proofs_check.arithmetic.tree import ONE, ZERO, Node, number
from proofs_check.methods.inequality import ball_ranges
from proofs_check.methods.inequality.multivariate import functions
from proofs_check.methods.inequality.polynomial.rational import (
    MOST_TERMS,
    NotRational,
    Poly,
    fraction,
    rational,
    ring,
    substituted,
)
from proofs_check.methods.inequality.problem import Interval, literal

MOST_ATOMS = 24
_LARGEST_POWER = 60


class Restart(Exception):
    """An exponential was met with a finer denominator than before."""


@dataclass(frozen=True)
class Quotient:
    """``top/bottom`` over variables and atoms."""

    top: Poly
    bottom: Poly

    def __str__(self) -> str:
        return f"({self.top})/({self.bottom})"


@dataclass
class Table:
    """The ring, the atoms met so far, and what is known of them.

    ``nodes[k]`` is the tree of atom k; ``relations[i] = (q, p)`` says gen_i^q = p;
    ``inner[i]`` is (kind, argument) of an atom; ``scales`` are the denominators of exponentials.
    """

    names: Sequence[str]
    box: Mapping[str, Interval]
    scales: dict[str, int] = field(default_factory=dict)
    atoms: dict[str, int] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    relations: dict[int, tuple[int, Poly]] = field(default_factory=dict)
    inner: dict[int, tuple[str, Quotient]] = field(default_factory=dict)
    memo: dict[Node, Quotient] = field(default_factory=dict)

    def __post_init__(self) -> None:
        extra = [f"_{k}" for k in range(MOST_ATOMS)]
        self.context = ring([*self.names, *extra])
        self.gens = list(self.context.gens())
        self.one = self.context.constant(1)
        self.ranges = {name: ball_ranges.of_interval(side) for name, side in self.box.items()}

    # --- building blocks ---------------------------------------------------------------------
    def constant(self, value: Fraction | int) -> Quotient:
        """A rational number."""
        return Quotient(self.one * rational(value), self.one)

    def atom(self, key: str, node: Node, kind: str, argument: Quotient) -> int:
        """The position of an atom's generator; made when it is new.

        Raises:
            NotRational: too many atoms.
        """
        if key not in self.atoms:
            if len(self.atoms) >= MOST_ATOMS:
                raise NotRational("too many different functions")
            self.atoms[key] = len(self.names) + len(self.atoms)
            self.nodes.append(node)
            self.inner[self.atoms[key]] = (kind, argument)
        return self.atoms[key]

    def quotient(self, top: Poly, bottom: Poly) -> Quotient:
        """top/bottom with relations applied, common factors cancelled, bottom made monic.

        Raises:
            NotRational: the bottom is zero or there are too many terms.
        """
        top, bottom = self.related(top), self.related(bottom)
        if bottom.is_zero():
            raise NotRational("a division by zero")
        if max(len(top), len(bottom)) > MOST_TERMS // 4:
            raise NotRational("more terms than can be handled")
        if not bottom.is_constant():
            common = top.gcd(bottom)
            top, bottom = top / common, bottom / common
        lead = bottom.leading_coefficient()
        return Quotient(top / lead, bottom / lead)

    def related(self, poly: Poly) -> Poly:
        """The polynomial with powers of roots and sines lowered by their relations."""
        for _ in range(_LARGEST_POWER):
            degrees = poly.degrees()
            high = [i for i, (q, _) in self.relations.items() if degrees[i] >= q]
            if not high:
                return poly
            poly = self._lowered(poly, high[0])
        return poly

    def _lowered(self, poly: Poly, position: int) -> Poly:
        power, value = self.relations[position]
        total = self.context.constant(0)
        groups: dict[int, dict[tuple[int, ...], Any]] = {}
        for exponents, coefficient in poly.to_dict().items():
            whole, rest = divmod(exponents[position], power)
            kept = (*exponents[:position], rest, *exponents[position + 1 :])
            groups.setdefault(whole, {})[kept] = coefficient
        for whole, terms in groups.items():
            total = total + self.context.from_dict(terms) * value**whole
        return total

    def rooted(self, value: Quotient) -> Quotient:
        """Variables x of which a root r is an atom written as r^q, so that x and r agree."""
        for position, (power, inner) in self.relations.items():
            for i in range(len(self.names)):
                if inner == self.gens[i]:
                    image = self.gens[position] ** power
                    top = substituted(value.top, i, image)
                    value = Quotient(top, substituted(value.bottom, i, image))
        return value

    def sum(self, a: Quotient, b: Quotient) -> Quotient:
        """a + b."""
        if a.bottom == b.bottom:
            return self.quotient(a.top + b.top, a.bottom)
        return self.quotient(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)

    def product(self, a: Quotient, b: Quotient) -> Quotient:
        """a b."""
        return self.quotient(a.top * b.top, a.bottom * b.bottom)

    def whole_power(self, a: Quotient, n: int) -> Quotient:
        """a^n for a whole n, also negative."""
        if abs(n) > _LARGEST_POWER:
            raise NotRational("a large power")
        if n < 0:
            return self.quotient(a.bottom**-n, a.top**-n)
        return self.quotient(a.top**n, a.bottom**n)

    # --- trees and signs ---------------------------------------------------------------------
    def tree(self, poly: Poly) -> Node:
        """The polynomial as a tree, atoms written out."""
        leaves = [Node("symbol", value=name) for name in self.names] + self.nodes
        terms: list[Node] = []
        for exponents, coefficient in poly.to_dict().items():
            factors = [] if coefficient == 1 else [number(fraction(coefficient))]
            for i, e in enumerate(exponents):
                if e:
                    factors.append(leaves[i] if e == 1 else leaves[i] ** number(int(e)))
            terms.append(_joined("*", factors) if factors else ONE)
        return _joined("+", terms) if terms else ZERO

    def tree_of(self, value: Quotient) -> Node:
        """The quotient as a tree."""
        top = self.tree(value.top)
        return top if value.bottom == 1 else top / self.tree(value.bottom)

    def sign(self, poly: Poly) -> int | None:
        """1 or -1 when the polynomial certainly has that sign (never 0) on the region."""
        if poly.is_constant():
            lead = poly.leading_coefficient()
            return None if poly.is_zero() else (1 if lead > 0 else -1)
        with ctx.workprec(64):
            found = ball_ranges.range_of(self.tree(poly), self.ranges)
        if found.positive or found.negative:
            return 1 if found.positive else -1
        return self._polynomial_sign(poly)

    def _polynomial_sign(self, poly: Poly) -> int | None:
        from proofs_check.methods.inequality.polynomial import method as polynomial
        from proofs_check.methods.inequality.polynomial.bernstein import Work

        if any(poly.degrees()[len(self.names) :]):
            return None
        sides = [self.box[name] for name in self.names] + [Interval()] * MOST_ATOMS
        for sign in (1, -1):
            if polynomial.prove_sign(sign * poly, True, sides, Work(60)) is not None:
                return sign
        return None

    def weak_sign(self, poly: Poly) -> int | None:
        """1 when the polynomial is certainly >= 0 on the region, -1 when <= 0."""
        sign = self.sign(poly)
        if sign is not None or poly.is_constant():
            return sign
        with ctx.workprec(64):
            found = ball_ranges.range_of(self.tree(poly), self.ranges)
        if found.nonnegative or found.high <= 0:
            return 1 if found.nonnegative else -1
        return None

    def parts(
        self, value: Quotient, *, weak: bool = False
    ) -> tuple[Fraction, list[tuple[Poly, int]]] | None:
        """(c, [(f, e), ...]) with value = c prod f^e and every f certainly > 0 (>= 0 if weak)."""
        lead, factors = value.top.factor()
        below, others = value.bottom.factor()
        content = fraction(lead) / fraction(below)
        found: list[tuple[Poly, int]] = []
        for factor, exponent in [*factors, *((f, -e) for f, e in others)]:
            sign = self.weak_sign(factor) if weak else self.sign(factor)
            if sign is None:
                return None
            content = content * sign ** abs(exponent)
            found.append((factor * sign, exponent))
        return content, found

    # --- the normal form ---------------------------------------------------------------------
    def normal(self, node: Node) -> Quotient:
        """The normal form of a tree.

        Raises:
            NotRational: too many atoms or terms, or a division by zero.
            Restart: run again, a denominator has grown.
        """
        for part in node.nodes():
            if part not in self.memo:
                self.memo[part] = self._rule(part, [self.memo[arg] for arg in part.args])
        return self.memo[node]

    def _rule(self, node: Node, args: list[Quotient]) -> Quotient:
        if node.op == "number" and isinstance(node.value, Fraction):
            return self.constant(node.value)
        if node.op == "symbol":
            return Quotient(self.gens[self.names.index(str(node.value))], self.one)
        if node.op in ("+", "*"):
            result = args[0]
            for arg in args[1:]:
                result = self.sum(result, arg) if node.op == "+" else self.product(result, arg)
            return result
        if node.op == "-":
            return Quotient(-args[0].top, args[0].bottom)
        if node.op == "/":
            return self.product(args[0], self.whole_power(args[1], -1))
        if node.op == "^":
            return self._power(node, args)
        rule = functions.RULES.get(node.op)
        return rule(self, *args) if rule is not None else self.plain(node, args)

    def _power(self, node: Node, args: list[Quotient]) -> Quotient:
        exponent = literal(node.args[1])
        if exponent is None:
            return functions.exponential(
                self, self.product(args[1], functions.logarithm(self, args[0]))
            )
        if exponent.denominator == 1:
            return self.whole_power(args[0], int(exponent))
        return functions.root_power(self, args[0], exponent)

    def plain(self, node: Node, args: list[Quotient]) -> Quotient:
        """An atom without rules of its own."""
        written = Node(node.op, tuple(self.tree_of(arg) for arg in args), node.value)
        key = f"{node.op}:{'|'.join(str(arg) for arg in args)}"
        first = args[0] if args else self.constant(0)
        return Quotient(self.gens[self.atom(key, written, node.op, first)], self.one)

    def scaled(self, key: str, value: Fraction) -> int:
        """value * scale as a whole number, for the exponential or angle named ``key``.

        Raises:
            Restart: the scale had to grow.
        """
        scale = self.scales.setdefault(key, 1)
        if (value * scale).denominator != 1:
            self.scales[key] = lcm(scale, value.denominator)
            raise Restart
        return int(value * scale)


def _joined(op: str, args: Sequence[Node]) -> Node:
    return args[0] if len(args) == 1 else Node(op, tuple(args))


def normal_form(
    node: Node, names: Sequence[str], box: Mapping[str, Interval]
) -> tuple[Table, Quotient] | None:
    """Table and normal form of a tree on a box, or None when it is out of reach."""
    scales: dict[str, int] = {}
    for _ in range(12):
        table = Table(names, box, scales)
        try:
            return table, table.normal(node)
        except Restart:
            continue
        except (NotRational, ZeroDivisionError, OverflowError):
            return None
    return None


def is_zero(node: Node, names: Sequence[str], box: Mapping[str, Interval]) -> bool:
    """Whether f = 0 is proved wherever f is defined on the box; False means unknown."""
    if node == ZERO:
        return True
    found = normal_form(node, names, box)
    return found is not None and bool(found[1].top.is_zero())


def prime_powers(value: int) -> list[tuple[int, int]]:
    """Prime factors of a positive whole number; the number itself when it is too large."""
    if value.bit_length() > 80:
        return [(value, 1)]
    return [(int(p), int(e)) for p, e in fmpz(value).factor()]
