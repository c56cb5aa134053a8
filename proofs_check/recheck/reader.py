"""Text to expressions and conditions of the checker, by recursive descent; nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.expression import (
    FUNCTIONS,
    PI,
    E,
    Expr,
    add,
    call,
    div,
    mul,
    neg,
    num,
    power,
    var,
)

LONGEST_TEXT = 400_000
DEEPEST = 200
_LARGEST_EXPONENT = 4_000
_LONGEST_NUMBER = 4_000
_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d{1,4})?|\.\d+(?:[eE][+-]?\d{1,4})?)"
    r"|([A-Za-z_][A-Za-z_0-9]*)|(\*\*|<=|>=|==|!=|[-+*/(),<>]))"
)
_ALIASES = {"Abs": "abs", "Min": "min", "Max": "max", "ln": "log"}
_SIGNS = {"<=", ">=", "<", ">", "==", "!="}
_WORDS = {"and", "or", "not", "in", "implies"}


@dataclass(frozen=True)
class Relation:
    """``left sign right`` with sign one of <= < = !=."""

    sign: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Whole:
    """``name in N`` (1, 2, ...) or ``name in Z``."""

    name: str
    integers: str


@dataclass(frozen=True)
class Compound:
    """``and``, ``or``, ``not`` or ``implies`` of conditions."""

    word: str
    parts: tuple[Condition, ...]


Condition = Relation | Whole | Compound
_Found = TypeVar("_Found", Expr, Condition)


def read_expression(text: str) -> Expr:
    """An expression.

    Raises:
        Rejected: the text is none.
    """
    return _read(text, _Reader.sum)


def read_condition(text: str) -> Condition:
    """A relation or hypothesis.

    Raises:
        Rejected: the text is none.
    """
    return _read(text, _Reader.condition)


def _read(text: str, part: Callable[[_Reader], _Found]) -> _Found:
    reader = _Reader(text)
    try:
        found = part(reader)
    except RecursionError:
        raise Rejected("nested too deeply") from None
    reader.end()
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        if not isinstance(text, str) or len(text) > LONGEST_TEXT:
            raise Rejected(f"an expression must be a text of at most {LONGEST_TEXT} characters")
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        token = self.peek()
        if not token or (wanted and token not in wanted):
            raise Rejected(f"{token or 'the end'!r} where {' or '.join(wanted) or 'more'} belongs")
        self.at += 1
        return token

    def end(self) -> None:
        if self.peek():
            raise Rejected(f"{self.peek()!r} is too much")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Rejected(f"nested deeper than {DEEPEST}")

    # --- expressions ------------------------------------------------------------------------
    def sum(self) -> Expr:
        self.deeper()
        terms = [self.product()]
        while self.peek() in ("+", "-"):
            sign = self.take()
            term = self.product()
            terms.append(term if sign == "+" else neg(term))
        self.depth -= 1
        return add(*terms)

    def product(self) -> Expr:
        result = self.factor()
        while self.peek() in ("*", "/"):
            sign = self.take()
            other = self.factor()
            result = mul(result, other) if sign == "*" else div(result, other)
        return result

    def factor(self) -> Expr:
        """Signs bind weaker than powers: -x**2 is -(x**2)."""
        sign = 1
        while self.peek() in ("+", "-"):
            sign = -sign if self.take() == "-" else sign
        result = self.power()
        return result if sign > 0 else neg(result)

    def power(self) -> Expr:
        base = self.atom()
        if self.peek() != "**":
            return base
        self.take("**")
        self.deeper()
        exponent = self.factor()
        self.depth -= 1
        value = exponent.number
        if value is not None and max(abs(value.numerator), value.denominator) > _LARGEST_EXPONENT:
            raise Rejected(f"an exponent beyond {_LARGEST_EXPONENT}")
        return power(base, exponent)

    def atom(self) -> Expr:
        token = self.take()
        if token[0].isdigit() or token[0] == ".":
            if len(token) > _LONGEST_NUMBER:
                raise Rejected(f"a number of more than {_LONGEST_NUMBER} characters")
            return num(Fraction(token))
        if token == "(":
            found = self.sum()
            self.take(")")
            return found
        if not (token[0].isalpha() or token[0] == "_") or token in _WORDS:
            raise Rejected(f"{token!r} where a number, a symbol or a bracket belongs")
        if self.peek() == "(":
            return self.call(token)
        return PI if token == "pi" else E if token == "E" else var(token)

    def call(self, name: str) -> Expr:
        self.take("(")
        args = [self.sum()]
        while self.peek() == ",":
            self.take()
            args.append(self.sum())
        self.take(")")
        name = _ALIASES.get(name, name)
        if name == "log2" and len(args) == 1:
            return div(call("log", args[0]), call("log", num(2)))
        if name not in FUNCTIONS or (FUNCTIONS[name] and len(args) != FUNCTIONS[name]):
            raise Rejected(f"no function {name} of {len(args)} arguments")
        return call(name, *args)

    # --- conditions -------------------------------------------------------------------------
    def condition(self) -> Condition:
        return self.joined("or", lambda: self.joined("and", self.negation))

    def joined(self, word: str, part: Callable[[], Condition]) -> Condition:
        found = [part()]
        while self.peek() == word:
            self.take()
            found.append(part())
        return found[0] if len(found) == 1 else Compound(word, tuple(found))

    def negation(self) -> Condition:
        if self.peek() == "not":
            self.take()
            self.deeper()
            return Compound("not", (self.negation(),))
        if self.peek() == "implies":
            self.take()
            self.take("(")
            first = self.condition()
            self.take(",")
            second = self.condition()
            self.take(")")
            return Compound("implies", (first, second))
        return self.bracket_or_chain()

    def bracket_or_chain(self) -> Condition:
        """A bracket may hold a condition or be part of an expression: the former is tried first."""
        start, depth = self.at, self.depth
        if self.peek() == "(":
            self.deeper()
            try:
                self.take("(")
                found = self.condition()
                self.take(")")
                if self.peek() in ("", ")", ",", "and", "or"):
                    self.depth = depth
                    return found
            except Rejected:
                pass
            self.at, self.depth = start, depth
        return self.chain()

    def chain(self) -> Condition:
        parts: list[Condition] = []
        left = self.sum()
        if self.peek() == "in":
            self.take()
            if left.op != "var":
                raise Rejected("only a symbol can be `in N` or `in Z`")
            return Whole(str(left.value), self.take("N", "Z"))
        while self.peek() in _SIGNS:
            sign = self.take()
            right = self.sum()
            ends = (right, left) if sign in (">", ">=") else (left, right)
            parts.append(Relation({">": "<", ">=": "<=", "==": "="}.get(sign, sign), *ends))
            left = right
        if not parts:
            raise Rejected("a comparison is needed, such as x <= y")
        return parts[0] if len(parts) == 1 else Compound("and", tuple(parts))


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    stripped = text.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None:
            raise Rejected(f"the sign {stripped[at]!r} is unknown")
        token = next(group for group in match.groups() if group)
        found.append(token)
        at = match.end()
        if (
            token[0].isdigit()
            and at < len(stripped)
            and (stripped[at].isalpha() or stripped[at] == "_")
        ):
            raise Rejected(f"a number that runs into letters: {token}{stripped[at]}")
    return found
