"""Exact real constants: formal sums without variables, with rigorous enclosures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import acb, arb, ctx, fmpq

from proofs_check.recheck import enclosures
from proofs_check.recheck.balls import exact, hull, whole_power
from proofs_check.recheck.expression import Expr
from proofs_check.recheck.formal import PI, ZERO, Atom, Form, Power, Unclear, number, vanishing
from proofs_check.recheck.formal_factors import lowest_terms
from proofs_check.recheck.formal_functions import FUNCTIONS, general_power
from proofs_check.recheck.formal_powers import power

Ball = Any
_BITS = (64, 192, 640, 2048)
_LARGEST_WHOLE = 10**100


class Constants:
    """Makes exact constants and remembers what was found of them."""

    def __init__(self) -> None:
        self._forms: dict[Expr, Form] = {}
        self._balls: dict[tuple[Atom, int], Ball] = {}
        self._signs: dict[Form, int | None] = {}

    # --- the public side ---------------------------------------------------------------------
    def of(self, expression: Expr) -> Number:
        """The value of an expression without variables.

        Raises:
            Unclear: it has none, or one that cannot be told.
        """
        return Number(evaluated(self, expression, {}, self._forms), self)

    def number(self, value: Fraction | int) -> Number:
        """A rational number."""
        return Number(number(Fraction(value)), self)

    @property
    def pi(self) -> Number:
        """The number pi."""
        return Number(PI, self)

    # --- signs ----------------------------------------------------------------------------------
    def positive(self, form: Form) -> bool:
        """Whether the value is certainly > 0."""
        return self.sign(form) == 1

    def nonnegative(self, form: Form) -> bool:
        """Whether the value is certainly >= 0."""
        return self.sign(form) in (0, 1)

    def sign(self, form: Form) -> int | None:
        """The sign, None where neither balls nor cancellation tell."""
        value = form.rational
        if value is not None:
            return (value > 0) - (value < 0)
        if form not in self._signs:
            self._signs[form] = self._sign(form)
        return self._signs[form]

    def _sign(self, form: Form) -> int | None:
        for count, bits in enumerate(_BITS):
            with ctx.workprec(bits):
                value = self.ball(form)
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
            if not value.is_finite():
                continue
            if count == 0 and vanishing(form):
                return 0
        return None

    # --- enclosures -------------------------------------------------------------------------------
    def ball(self, form: Form) -> Ball:
        """An enclosure at the precision in force; not finite where there is no value."""
        if not form.complex:
            total = arb(0)
            for monomial, value in form.terms.items():
                term = arb(value)
                for base, exponent in monomial:
                    term *= self._power(base, exponent)
                total += term
            return total
        whole = acb(0)
        for monomial, value in form.terms.items():
            product = acb(arb(value))
            for base, exponent in monomial:
                product *= self._complex_power(base, exponent)
            whole += product
        return whole.real

    def _power(self, base: Atom, exponent: Power) -> Ball:
        key = (base, ctx.prec)
        if key not in self._balls:
            self._balls[key] = self._value(base)
        value = self._balls[key]
        if exponent == 1:
            return value
        if base.kind == "exp":
            return (self.ball(base.form) * _ball(exponent)).exp()
        if exponent == int(exponent):
            return whole_power(value, int(exponent))
        return value ** _ball(exponent)

    def _complex_power(self, base: Atom, exponent: Power) -> Any:
        if base.kind == "i":
            return acb(0, 1) ** int(exponent)
        if base.kind == "cis":
            return acb(0, self.ball(base.form) * _ball(exponent)).exp()
        return acb(self._power(base, exponent))

    def _value(self, base: Atom) -> Ball:
        if base.kind == "prime":
            return arb(base.args[0])
        if base.kind == "pi":
            return arb.pi()
        if base.kind == "var":
            raise Unclear(f"the variable {base.args[0]} has no value")
        balls = [self.ball(form) for form in base.args]
        if base.kind == "sum":
            return balls[0]
        if base.kind == "hurwitz":
            return balls[0].zeta(balls[1]) if balls[1] > 0 else arb.nan()
        if base.kind == "pow":
            return hull(enclosures.power(None, _pair(balls[0]), _pair(balls[1]), False))
        if base.kind == "choose":
            balls = [balls[0], arb(0), *balls[1:]]
        rule = enclosures.RULES[base.kind]
        return hull(rule([_pair(ball) for ball in balls], False))


@dataclass(frozen=True)
class Number:
    """An exact real constant; equal when the formal sums are. ``zero`` False proves nothing."""

    form: Form
    table: Constants

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.form == other.form

    def __hash__(self) -> int:
        return hash(self.form)

    def __str__(self) -> str:
        return self.form.text

    def __add__(self, other: Number) -> Number:
        return Number(self.form + other.form, self.table)

    def __sub__(self, other: Number) -> Number:
        return Number(self.form - other.form, self.table)

    def __mul__(self, other: Number) -> Number:
        return Number(self.form * other.form, self.table)

    def __neg__(self) -> Number:
        return Number(-self.form, self.table)

    def scaled(self, factor: Fraction | int) -> Number:
        """A rational multiple."""
        return Number(self.form.scaled(factor), self.table)

    def inverse(self) -> Number:
        """1/value.

        Raises:
            Unclear: the value is 0, or may be.
        """
        return self.power(Fraction(-1))

    def power(self, exponent: Fraction) -> Number:
        """value^exponent.

        Raises:
            Unclear: it has no value, or that cannot be told.
        """
        sign = self.table.sign(self.form)
        if exponent <= 0 and not sign:
            raise Unclear("a power of zero")
        if exponent.denominator > 1 and (sign is None or sign < 0):
            raise Unclear("a root of a number that is not known to be >= 0")
        if sign == 0:
            return self.table.number(0)
        return Number(power(self.table, self.form, exponent), self.table)

    def apply(self, name: str, *others: Number) -> Number:
        """A function of the value (and of others).

        Raises:
            Unclear: there is no value, or that cannot be told.
        """
        forms = (self.form, *(other.form for other in others))
        result = Number(called(self.table, name, forms), self.table)
        if not result.ball().is_finite():
            raise Unclear(f"{name} has no value here")
        return result

    @property
    def zero(self) -> bool:
        """Whether the value is proved to be exactly 0."""
        return self.table.sign(self.form) == 0

    @property
    def rational(self) -> Fraction | None:
        """The value if the formal sum is a plain number."""
        return self.form.rational

    def sign(self) -> int | None:
        """The sign, None when it cannot be told."""
        return self.table.sign(self.form)

    def ball(self) -> Ball:
        """An enclosure at the precision in force."""
        return self.table.ball(self.form)


def certain_sign(value: Number) -> int:
    """The sign of a constant.

    Raises:
        Unclear: it cannot be told.
    """
    found = value.sign()
    if found is None:
        raise Unclear("a constant that may be zero")
    return found


def called(table: Constants, name: str, forms: tuple[Form, ...]) -> Form:
    """A function of constants, its argument shown to be in the domain."""
    if name in _POSITIVE and table.sign(forms[-1]) != 1:
        raise Unclear(f"{name} of a number that is not known to be > 0")
    if name == "floor":
        return _floor(table, forms[0])
    rule = FUNCTIONS.get(name)
    if rule is None:
        raise Unclear(f"no exact rule for {name}")
    return rule(table, *forms)


_POSITIVE = frozenset({"log", "gamma", "loggamma", "digamma", "trigamma", "hurwitz"})


def _floor(table: Constants, form: Form) -> Form:
    value = lowest_terms(form).rational
    if value is None:
        with ctx.workprec(_BITS[1]):
            ball = table.ball(form)
            low, high = ball.lower().floor(), ball.upper().floor()
        # Whole numbers far beyond may not fit into memory.
        whole = low.unique_fmpz() if abs(low) < _LARGEST_WHOLE else None
        if whole is None or not bool(low == high):
            raise Unclear("floor of a number that may be whole")
        return number(int(whole))
    return number(value.numerator // value.denominator)


def evaluated(
    table: Constants,
    expression: Expr,
    values: Mapping[str, Form],
    known: dict[Expr, Form],
) -> Form:
    """The form of an expression, each part shown to have a value.

    Raises:
        Unclear: a part has none, or that cannot be told.
    """
    for node in expression.nodes():
        if node not in known:
            known[node] = _part(table, node, [known[arg] for arg in node.args], values)
    return known[expression]


def _part(table: Constants, node: Expr, args: list[Form], values: Mapping[str, Form]) -> Form:
    if node.op == "var":
        if node.value not in values:
            raise Unclear(f"the variable {node.value} has no value")
        return values[str(node.value)]
    if node.op in PLAIN:
        return PLAIN[node.op](node, args)
    if node.op == "^":
        literal = node.args[1].number
        if literal is not None:
            return Number(args[0], table).power(literal).form
        base = table.sign(args[0])
        if base == 0 and table.sign(args[1]) == 1:
            return ZERO
        if base != 1:
            raise Unclear("a power of a number that is not known to be > 0")
        return general_power(table, args[0], args[1])
    first = Number(args[0], table)
    return first.apply(node.op, *(Number(arg, table) for arg in args[1:])).form


def _sum(node: Expr, args: list[Form]) -> Form:
    total = args[0]
    for arg in args[1:]:
        total = total + arg
    return total


def _product(node: Expr, args: list[Form]) -> Form:
    total = args[0]
    for arg in args[1:]:
        total = total * arg
    return total


PLAIN: Mapping[str, Callable[[Expr, list[Form]], Form]] = {
    "num": lambda node, args: number(node.number or Fraction(0)),
    "pi": lambda node, args: PI,
    "+": _sum,
    "*": _product,
}


def _pair(ball: Ball) -> tuple[Ball, Ball]:
    return ball, ball


def _ball(exponent: Power) -> Ball:
    if isinstance(exponent, Fraction):
        return exact(exponent)
    return arb(fmpq(exponent))
