"""Expressions of the checker: immutable, flat, and folded only where no definedness is lost.

Operations are ``+`` and ``*`` (any number of arguments), ``^``, and functions. Differences,
quotients, ``sqrt`` and powers of e are written with these: a - b = a + (-1)*b, a/b = a*b^(-1),
sqrt(x) = x^(1/2), e^x = exp(x).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial
from types import MappingProxyType

from proofs_check.recheck.errors import Rejected

# Name -> how many arguments (0: one or more). sign and choose come from derivatives only.
FUNCTIONS: Mapping[str, int] = MappingProxyType(
    {"exp": 1, "log": 1, "sqrt": 1, "cbrt": 1, "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1}
    | {"atan": 1, "sinh": 1, "cosh": 1, "tanh": 1, "erf": 1, "erfc": 1, "gamma": 1, "loggamma": 1}
    | {"digamma": 1, "trigamma": 1, "binomial": 2, "besseli": 2, "lambertw": 1, "abs": 1}
    | {"sign": 1, "floor": 1, "min": 0, "max": 0, "choose": 4}
)
# Parts at which an expression may have a kink, and parts at which it may jump.
KINKS = frozenset({"abs", "min", "max"})
JUMPS = frozenset({"floor", "sign", "choose"})
# Written by derivatives at kinks, where they have several values.
SLOPES_AT_KINKS = frozenset({"sign", "choose"})
_LARGEST_BITS = 20_000
_LONGEST_SHOWN = 1_000
_MOST_FACTORS = 40


@dataclass(frozen=True)
class Expr:
    """``op`` is ``num``, ``var``, ``pi``, ``+``, ``*``, ``^`` or a function; hash and equality are
    structural. Build with the functions of this module, never directly.
    """

    op: str
    args: tuple[Expr, ...] = ()
    value: Fraction | str | None = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.op, self.args, self.value)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Structural; pairs of parts are compared once, or shared parts would cost their number of
        paths, which grows exponentially in derivatives of derivatives.
        """
        if self is other:
            return True
        if not isinstance(other, Expr):
            return NotImplemented
        pending, seen = [(self, other)], set()
        while pending:
            a, b = pending.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            if a._hash != b._hash or a.op != b.op or a.value != b.value:
                return False
            if len(a.args) != len(b.args):
                return False
            seen.add((id(a), id(b)))
            pending.extend(zip(a.args, b.args, strict=True))
        return True

    def __add__(self, other: Expr) -> Expr:
        return add(self, other)

    def __sub__(self, other: Expr) -> Expr:
        return add(self, neg(other))

    def __mul__(self, other: Expr) -> Expr:
        return mul(self, other)

    def __neg__(self) -> Expr:
        return neg(self)

    @property
    def number(self) -> Fraction | None:
        """The value of a rational literal, else None."""
        return self.value if isinstance(self.value, Fraction) else None

    def nodes(self) -> Iterator[Expr]:
        """Every different part, arguments before what uses them."""
        seen: set[Expr] = set()
        stack: list[tuple[Expr, bool]] = [(self, False)]
        while stack:
            node, expanded = stack.pop()
            if node in seen:
                continue
            if expanded:
                seen.add(node)
                yield node
            else:
                stack.append((node, True))
                stack.extend((arg, False) for arg in reversed(node.args))

    def variables(self) -> frozenset[str]:
        """Names of the variables."""
        return frozenset(str(n.value) for n in self.nodes() if n.op == "var")

    def __str__(self) -> str:
        return _text(self)


def num(value: Fraction | int) -> Expr:
    """A rational number."""
    return Expr("num", value=Fraction(value))


def var(name: str) -> Expr:
    """A real variable."""
    return Expr("var", value=name)


ZERO, ONE, MINUS = num(0), num(1), num(-1)
HALF = Fraction(1, 2)
PI = Expr("pi")


def add(*terms: Expr) -> Expr:
    """The sum, flat, its numbers added up."""
    constant, kept = Fraction(0), []
    for term in _flat("+", terms):
        if term.number is None:
            kept.append(term)
        else:
            constant = _checked(constant + term.number)
    if constant or not kept:
        kept.append(num(constant))
    return kept[0] if len(kept) == 1 else Expr("+", tuple(kept))


def mul(*factors: Expr) -> Expr:
    """The product, flat, its numbers multiplied; 0*x stays, as x may be undefined."""
    constant, kept = Fraction(1), []
    for factor in _flat("*", factors):
        if factor.number is None:
            kept.append(factor)
        else:
            constant = _checked(constant * factor.number)
    if constant != 1 or not kept:
        kept.insert(0, num(constant))
    return kept[0] if len(kept) == 1 else Expr("*", tuple(kept))


def _checked(value: Fraction) -> Fraction:
    """A number that is not too large to go on with."""
    if _size(value) > _LARGEST_BITS:
        raise Rejected(f"a number of more than {_LARGEST_BITS} bits")
    return value


def _size(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _flat(op: str, parts: tuple[Expr, ...]) -> Iterator[Expr]:
    for part in parts:
        if part.op == op:
            yield from part.args
        else:
            yield part


def neg(term: Expr) -> Expr:
    """-term."""
    return mul(MINUS, term)


def div(top: Expr, bottom: Expr) -> Expr:
    """top * bottom^(-1)."""
    return mul(top, power(bottom, MINUS))


def power(base: Expr, exponent: Expr) -> Expr:
    """base^exponent; numbers are folded where they have a value, e^x is exp(x)."""
    value, known = exponent.number, base.number
    raised = Expr("^", (base, exponent))
    if base == E:
        return call("exp", exponent)
    if value == 1:
        return base
    if value is not None and known is not None and value.denominator == 1:
        small = _size(known) * abs(value) <= _LARGEST_BITS
        return num(known ** int(value)) if small and (known or value > 0) else raised
    return raised


def call(name: str, *args: Expr) -> Expr:
    """A function of :data:`FUNCTIONS`; sqrt is a power, whole binomials are polynomials."""
    if name == "sqrt":
        return power(args[0], num(HALF))
    if name == "binomial":
        lower = args[1].number
        if lower is not None and lower.denominator == 1 and 0 <= lower <= _MOST_FACTORS:
            return _falling(args[0], int(lower))
    if name in ("min", "max") and len(args) == 1:
        return args[0]
    return Expr(name, args)


def _falling(upper: Expr, lower: int) -> Expr:
    factors = [add(upper, num(-i)) for i in range(lower)]
    return mul(num(Fraction(1, factorial(lower))), *factors)


E = Expr("exp", (ONE,))


def rebuilt(node: Expr, args: tuple[Expr, ...]) -> Expr:
    """The node with other arguments, in canonical form."""
    if args == node.args:
        return node
    if node.op == "+":
        return add(*args)
    if node.op == "*":
        return mul(*args)
    if node.op == "^":
        return power(*args)
    return call(node.op, *args)


def replaced(expression: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """The expression with some of its parts (variables or whole sub-expressions) replaced."""
    done: dict[Expr, Expr] = {}
    for node in expression.nodes():
        found = values.get(node)
        done[node] = rebuilt(node, tuple(done[a] for a in node.args)) if found is None else found
    return done[expression]


def _text(node: Expr) -> str:
    if node.number is not None:
        if _size(node.number) > _LONGEST_SHOWN:
            return f"<a number of {_size(node.number)} bits>"
        return f"({node.number})" if node.number.denominator > 1 else str(node.number)
    if node.op == "var":
        return str(node.value)
    if node.op == "pi":
        return "pi"
    if node.op in ("+", "*"):
        return "(" + f" {node.op} ".join(map(_text, node.args)) + ")"
    if node.op == "^":
        return f"({_text(node.args[0])})**({_text(node.args[1])})"
    return f"{node.op}({', '.join(map(_text, node.args))})"
