"""What must hold for an expression to have a value: conditions on its parts, inner ones first.

The conditions of all parts of an expression are sufficient together. An inner part has a value once
the conditions before it hold, so these may be used when a later condition is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from types import MappingProxyType

from proofs_check.recheck.expression import (
    HALF,
    MINUS,
    ONE,
    SLOPES_AT_KINKS,
    E,
    Expr,
    add,
    call,
    neg,
    num,
    power,
)
from proofs_check.recheck.normal import sign
from proofs_check.recheck.ranges import Range, Ranges
from proofs_check.recheck.sequent import Side


class Kind(Enum):
    """The relation to 0 that is needed."""

    NONNEGATIVE = ">="
    POSITIVE = ">"
    NONZERO = "!="


@dataclass(frozen=True)
class Obligation:
    """``expression kind 0``."""

    expression: Expr
    kind: Kind

    def __str__(self) -> str:
        return f"{str(self.expression)[:120]} {self.kind.value} 0"


def obligations(expression: Expr) -> list[Obligation]:
    """Conditions under which the expression has a value; none stands before what it relies on."""
    found: dict[Obligation, None] = {}
    for node in expression.nodes():
        for one in conditions(node):
            found[one] = None
    return list(found)


def unshown(expression: Expr, box: Mapping[str, Side]) -> list[Obligation]:
    """The conditions that the ranges of the parts over a box do not show."""
    ranges = Ranges(box)
    return [one for one in obligations(expression) if not met(one, ranges.of(one.expression))]


def met(one: Obligation, found: Range) -> bool:
    """Whether a range shows a condition."""
    if one.kind is Kind.NONZERO:
        return found.positive or found.negative
    return found.positive if one.kind is Kind.POSITIVE else found.nonnegative


def implied(expression: Expr) -> frozenset[Obligation]:
    """Conditions that certainly hold wherever the expression has a value.

    Some conditions are stricter than the domain: gamma and its kin, and binomials, have values
    beyond them, u^v has one for whole v whatever u is, and sign(0) may be read as 0; these are left
    out.
    """
    found: set[Obligation] = set()
    for node in expression.nodes():
        if node.op in _WIDER or (node.op == "^" and node.args[1].number is None):
            continue
        for one in conditions(node):
            found.add(one)
            if one.kind is Kind.POSITIVE:
                found.add(Obligation(one.expression, Kind.NONNEGATIVE))
                found.add(Obligation(one.expression, Kind.NONZERO))
    return frozenset(found)


# These have values beyond their conditions, at arguments that the rules do not know.
GAMMA_KIN = frozenset({"gamma", "digamma", "trigamma", "loggamma", "binomial"})
_WIDER = GAMMA_KIN | SLOPES_AT_KINKS | {"besseli"}


def conditions(node: Expr) -> Iterator[Obligation]:
    """Under which a single operation has a value at arguments that have one."""
    if node.op == "^":
        yield from _power(*node.args)
    rule = _NEEDS.get(node.op)
    if rule is not None:
        for one in rule(node.args):
            if not _plain(one):
                yield one


def _plain(one: Obligation) -> bool:
    value = one.expression.number
    if value is None:
        return False
    return value > 0 or (value == 0 and one.kind is Kind.NONNEGATIVE) or (
        value < 0 and one.kind is Kind.NONZERO
    )  # fmt: skip


def _positive(expression: Expr) -> Obligation:
    return Obligation(expression, Kind.POSITIVE)


def _bessel(args: tuple[Expr, ...]) -> list[Obligation]:
    order = args[0].number
    whole = order is not None and order.denominator == 1
    return [] if whole else [_positive(args[1])]


_NEEDS: Mapping[str, Callable[[tuple[Expr, ...]], list[Obligation]]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("log", "gamma", "loggamma", "digamma", "trigamma"), lambda args: [_positive(args[0])]
        ),
        **dict.fromkeys(
            ("asin", "acos"),
            lambda args: [
                Obligation(add(ONE, neg(args[0])), Kind.NONNEGATIVE),
                Obligation(add(ONE, args[0]), Kind.NONNEGATIVE),
            ],
        ),
        "lambertw": lambda args: [
            Obligation(add(args[0], power(E, MINUS)), Kind.NONNEGATIVE),
        ],
        "tan": lambda args: [Obligation(call("cos", args[0]), Kind.NONZERO)],
        "binomial": lambda args: [
            _positive(add(args[0], ONE)),
            _positive(add(args[1], ONE)),
            _positive(add(args[0], neg(args[1]), ONE)),
        ],
        "besseli": _bessel,
        "sign": lambda args: [Obligation(args[0], Kind.NONZERO)],
        "choose": lambda args: [Obligation(add(args[0], neg(args[1])), Kind.NONZERO)],
    }
)


def _power(base: Expr, exponent: Expr) -> Iterator[Obligation]:
    """x^0 is 1 for every x but 0, where it has no value; other exponents as usual."""
    value = exponent.number
    if value is not None and value.denominator == 1:
        if value <= 0:
            yield from _nonzero(base)
        return
    known = value
    if value is None and not exponent.variables():
        known = Fraction(sign(exponent) or 0)
    kind = Kind.NONNEGATIVE if known is not None and known > 0 else Kind.POSITIVE
    one = Obligation(base, kind)
    if not _plain(one):
        yield one


def _nonzero(node: Expr) -> Iterator[Obligation]:
    """``node != 0`` as conditions on factors, bases and arguments that are equivalent to it."""
    if node.op in ("exp", "cosh", "pi", "gamma"):
        return
    if node.op == "*":
        for arg in node.args:
            yield from _nonzero(arg)
    elif node.op == "^" and node.args[1].number == HALF and node.args[0].op == "*":
        # as a whole: this product must be >= 0 too, so one proof that it is > 0 does for both
        yield Obligation(node.args[0], Kind.NONZERO)
    elif node.op == "^" and _fractional(node.args[1].number):
        yield Obligation(node.args[0], Kind.POSITIVE)
    elif node.op in ("abs", "cbrt", "^"):
        # a power with a value and a base other than 0 is not 0, whatever the exponent
        yield from _nonzero(node.args[0])
    elif node.number is None or node.number == 0:
        yield Obligation(node if node.number is None else num(0), Kind.NONZERO)


def _fractional(value: Fraction | None) -> bool:
    return value is not None and value.denominator > 1
