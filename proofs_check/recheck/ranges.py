"""Exact ranges of expressions over boxes by monotonicity; ends are exact constants.

The range bounds every value that the expression has on the box: points where a part has no value
are ignored. It never shows that there is a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from proofs_check.recheck.constants import Constants
from proofs_check.recheck.expression import PI, Expr, mul
from proofs_check.recheck.formal import Unclear
from proofs_check.recheck.range_arithmetic import EVERYTHING, Arithmetic, NoValues, Range, rounded
from proofs_check.recheck.range_functions import (
    RULES,
    bounded,
    exponential_range,
    logarithm_range,
)
from proofs_check.recheck.sequent import Side

__all__ = ["EVERYTHING", "Range", "Ranges", "range_of"]

_BITS = 128
_MOST_TERMS = 12


def range_of(expression: Expr, box: Mapping[str, Side]) -> Range:
    """The range of an expression over a box; ``Range()`` where nothing is known."""
    return Ranges(box).of(expression)


class Ranges(Arithmetic):
    """Ranges over one box; parts are remembered."""

    def __init__(self, box: Mapping[str, Side], table: Constants | None = None) -> None:
        super().__init__(Constants() if table is None else table)
        self.box = dict(box)
        self._known: dict[Expr, Range] = {}

    def of(self, expression: Expr) -> Range:
        """The range of an expression."""
        for node in expression.nodes():
            if node not in self._known:
                self._known[node] = self._part(node)
        return self._known[expression]

    def _part(self, node: Expr) -> Range:
        try:
            return self._simple(self._rule(node))
        except (Unclear, NoValues, OverflowError, ZeroDivisionError):
            return EVERYTHING

    def _rule(self, node: Expr) -> Range:
        if node.op == "var":
            return self._variable(str(node.value))
        if node.op == "num" or node == PI:
            value = self.table.of(node)
            return Range(value, value)
        if node.op == "+":
            return self._sum(node)
        if node.op == "*":
            return self._product(node)
        args = [self._known[arg] for arg in node.args]
        if node.op == "^":
            exponent = node.args[1].number
            return self._general(*args) if exponent is None else self.power(args[0], exponent)
        rule = RULES.get(node.op)
        return rule(self, *args) if rule is not None else bounded(self, node.op, args)

    def _variable(self, name: str) -> Range:
        side = self.box.get(name)
        if side is None:
            return EVERYTHING
        low = None if side.low is None else self.table.number(side.low)
        high = None if side.high is None else self.table.number(side.high)
        return Range(low, high, side.open_low, side.open_high)

    def _simple(self, found: Range) -> Range:
        """Ends with too many terms are rounded outwards."""
        for end, down in ((found.low, True), (found.high, False)):
            if end is None or len(end.form.terms) <= _MOST_TERMS:
                continue
            value, strictly = rounded(end, _BITS, down=down)
            near = None if value is None else self.table.number(value)
            if down:
                found = replace(found, low=near, open_low=strictly)
            else:
                found = replace(found, high=near, open_high=strictly)
        return found

    # --- sums and products --------------------------------------------------------------------
    def _sum(self, node: Expr) -> Range:
        """Equal terms are put together first: c u + d u = (c + d) u."""
        counts: dict[Expr, Fraction] = {}
        constant = Fraction(0)
        for term in node.args:
            if term.number is not None:
                constant += term.number
                continue
            factor = Fraction(1)
            if term.op == "*" and term.args[0].number is not None:
                factor, term = term.args[0].number, mul(*term.args[1:])
            counts[term] = counts.get(term, Fraction(0)) + factor
        value = self.table.number(constant)
        total = Range(value, value)
        for term, factor in counts.items():
            if factor:
                part = self._scaled(self._known.get(term) or self.of(term), factor)
                total = self.plus(total, part)
        return total

    def _scaled(self, x: Range, factor: Fraction) -> Range:
        low = None if x.low is None else x.low.scaled(abs(factor))
        high = None if x.high is None else x.high.scaled(abs(factor))
        scaled = Range(low, high, x.open_low, x.open_high)
        return scaled if factor > 0 else -scaled

    def _product(self, node: Expr) -> Range:
        """Powers of equal bases are put together: u^a u^b = u^(a+b) where both have values."""
        exponents: dict[Expr, list[Fraction]] = {}
        constant = Fraction(1)
        for factor in node.args:
            if factor.number is not None:
                constant *= factor.number
                continue
            base, exponent = factor, Fraction(1)
            if factor.op == "^" and factor.args[1].number is not None:
                base, exponent = factor.args[0], factor.args[1].number
            exponents.setdefault(base, []).append(exponent)
        value = self.table.number(constant)
        total = Range(value, value)
        for base, powers in exponents.items():
            part = self._known[base]
            if any(p.denominator > 1 for p in powers):
                part = self.above(part, Fraction(0))
            total = self.times(total, self.power(part, sum(powers, Fraction(0))))
        return total

    def _general(self, base: Range, exponent: Range) -> Range:
        """u^v = exp(v log u) for u > 0; at u = 0 the value, if any, is 0.

        Where u < 0 there is a value if v is whole, which its expression does not tell.
        """
        if not base.nonnegative:
            return EVERYTHING
        logs = logarithm_range(self, base)
        found = exponential_range(self, self.times(exponent, logs))
        if base.positive:
            return found
        return Range(self.table.number(0), found.high, False, found.open_high)
