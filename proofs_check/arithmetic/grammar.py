"""The strict grammar: text to trees and conditions, over an allow-list; nothing is ever executed.

Numbers are taken exactly as written (0.1 is 1/10). What the grammar does not cover is an error
with its place; it is never guessed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from bounds.errors import BoundsError
from proofs_check.arithmetic.condition import Combination, Comparison, Condition, Membership
from proofs_check.arithmetic.tree import FUNCTIONS, PI, E, Node, call, literal, number, symbol

LONGEST_TEXT = 20_000
DEEPEST = 120
MOST_NODES = 5_000
LONGEST_NUMBER = 400
LARGEST_EXPONENT = 4_000

_ALIASES = MappingProxyType({"Abs": "abs", "Min": "min", "Max": "max", "ln": "log"})
_CONSTANTS = MappingProxyType({"pi": PI, "E": E})
_INTEGERS = ("N", "Z")
_NUMBER = re.compile(r"(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?|\.(\d+)(?:[eE]([+-]?\d{1,4}))?")

_FOREIGN = re.compile(r"[^A-Za-z0-9_+\-*/(),.<>=! ^~%]")
_GLUED = re.compile(  # 2x, 0x1f, 1_000: a number that runs into letters and is no 1e5
    r"(?<![A-Za-z0-9_.])(?!(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+(?![A-Za-z0-9_.]))\d[\d.]*[A-Za-z_]\w*"
)
_REMEDIES = MappingProxyType(
    {"≤": "write <=", "≥": "write >=", "π": "write pi", "·": "write *", "√": "write sqrt(x)",
     "−": "write -", "²": "write **2", "[": "write (", "{": "write (", "&": "write and",
     "|": "write abs(x), or `or`", "∞": "leave the end out: x > 0 has no upper end"}
)  # fmt: skip


class GrammarError(BoundsError, ValueError):
    """A text that the grammar does not cover: says what, where (from 1) and what to write."""

    def __init__(self, text: str, column: int, cause: str) -> None:
        self.text, self.column, self.cause = text, column, cause
        shown = text if len(text) <= 80 else text[:77] + "..."
        super().__init__(f"column {column}: {cause}, in {shown!r}")

    def __reduce__(self) -> tuple[type[GrammarError], tuple[str, int, str]]:
        """Pickled by its three parts, so that a worker can send it."""
        return GrammarError, (self.text, self.column, self.cause)


@dataclass(frozen=True)
class _Reader:
    """One text being read; ``count`` holds the nodes made so far."""

    text: str
    count: list[int]

    def error(self, node: ast.AST, cause: str) -> GrammarError:
        return GrammarError(self.text, getattr(node, "col_offset", 0) + 1, cause)

    # --- expressions ------------------------------------------------------------------------
    def expression(self, node: ast.expr) -> Node:
        self.count[0] += 1
        if self.count[0] > MOST_NODES:
            raise self.error(node, f"more than {MOST_NODES} operations; split the expression")
        if isinstance(node, ast.Constant):
            return number(self.literal(node))
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            inner = self.expression(node.operand)
            return _negated(inner) if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp):
            return self.operation(node)
        if isinstance(node, ast.Call):
            return self.function(node)
        raise self.error(node, f"{type(node).__name__} is not part of an expression")

    def literal(self, node: ast.Constant) -> Fraction:
        """The number as written; Python has made a float of it already, so the text is read."""
        written = self.text[node.col_offset : node.end_col_offset]
        match = _NUMBER.fullmatch(written)
        if match is None or isinstance(node.value, (bool, complex, str, bytes)):
            raise self.error(node, f"{written[:20]!r} is not a number of this grammar")
        if len(written) > LONGEST_NUMBER:
            raise self.error(node, f"a number of more than {LONGEST_NUMBER} characters")
        return Fraction(written)

    def name(self, node: ast.Name) -> Node:
        if node.id in _CONSTANTS:
            return _CONSTANTS[node.id]
        if _ALIASES.get(node.id, node.id) in FUNCTIONS and node.id not in ("gamma",):
            raise self.error(node, f"the function {node.id} needs an argument in brackets")
        return symbol(node.id)

    def operation(self, node: ast.BinOp) -> Node:
        family = _family(node)
        if family is None:
            remedy = "; write ** for powers" if isinstance(node.op, ast.BitXor) else ""
            raise self.error(node, f"the operator {type(node.op).__name__} is unknown{remedy}")
        if family in "+*":
            return self.chain(node, family)
        left, right = self.expression(node.left), self.expression(node.right)
        return _quotient(left, right) if family == "/" else left ** self.exponent(node, right)

    def chain(self, node: ast.BinOp, family: str) -> Node:
        """A sum or product as one node: the left arms that Python nests are walked, not called."""
        parts: list[Node] = []
        arm: ast.expr = node
        while isinstance(arm, ast.BinOp) and _family(arm) == family:
            right = self.expression(arm.right)
            if isinstance(arm.op, ast.Sub):
                parts.append(_negated(right))
            else:
                parts.extend(reversed(right.args) if right.op == family else (right,))
            arm = arm.left
        last = self.expression(arm)
        parts.extend(reversed(last.args) if last.op == family else (last,))
        return Node(family, tuple(reversed(parts)))

    def exponent(self, node: ast.BinOp, written: Node) -> Node:
        """A rational exponent is one number: x**(1/3) is a root, defined at 0."""
        value = literal(written)
        if value is None:
            return written
        if abs(value) > LARGEST_EXPONENT or value.denominator > LARGEST_EXPONENT:
            raise self.error(node, f"an exponent beyond {LARGEST_EXPONENT}")
        return number(value)

    def function(self, node: ast.Call) -> Node:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self.error(node, "only plain calls f(x, y) of known functions are understood")
        name = _ALIASES.get(node.func.id, node.func.id)
        if name == "log2":
            return self.unary(node, "log") / call("log", number(2))
        if name not in FUNCTIONS:
            known = ", ".join(sorted(FUNCTIONS))
            raise self.error(node, f"unknown function {node.func.id}; known are {known}")
        wanted = FUNCTIONS[name]
        if not node.args or (wanted is not None and len(node.args) != wanted):
            raise self.error(node, f"{name} takes {wanted or 'one or more'} argument(s)")
        return call(name, *(self.expression(arg) for arg in node.args))

    def unary(self, node: ast.Call, name: str) -> Node:
        if len(node.args) != 1:
            raise self.error(node, "one argument is needed here")
        return call(name, self.expression(node.args[0]))

    # --- conditions -------------------------------------------------------------------------
    def condition(self, node: ast.expr) -> Condition:
        if isinstance(node, ast.BoolOp):
            word = "and" if isinstance(node.op, ast.And) else "or"
            return Combination(word, tuple(self.condition(part) for part in node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Combination("not", (self.condition(node.operand),))
        if isinstance(node, ast.Call) and self.is_implication(node):
            if len(node.args) != 2:
                raise self.error(node, "implies takes two conditions")
            return Combination("implies", tuple(self.condition(part) for part in node.args))
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        raise self.error(node, "a comparison is needed here, such as x <= y")

    @staticmethod
    def is_implication(node: ast.Call) -> bool:
        return isinstance(node.func, ast.Name) and node.func.id == "implies"

    def comparison(self, node: ast.Compare) -> Condition:
        sides = [node.left, *node.comparators]
        parts: list[Condition] = []
        for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
            if isinstance(operator, ast.In):
                parts.append(self.membership(left, right))
                continue
            if type(operator) not in _SIGNS:
                raise self.error(node, f"the comparison {type(operator).__name__} is unknown")
            sign, swapped = _SIGNS[type(operator)]
            first, second = self.expression(left), self.expression(right)
            ends = (second, first) if swapped else (first, second)
            parts.append(Comparison(sign, *ends))
        return parts[0] if len(parts) == 1 else Combination("and", tuple(parts))

    def membership(self, left: ast.expr, right: ast.expr) -> Membership:
        if not isinstance(left, ast.Name) or not isinstance(right, ast.Name):
            raise self.error(left, "write `n in N` or `n in Z` with a single symbol")
        if right.id not in _INTEGERS:
            raise self.error(right, f"the set {right.id} is unknown; known are N (from 1) and Z")
        return Membership(left.id, right.id)


_FAMILIES: Mapping[type, str] = MappingProxyType(
    {ast.Add: "+", ast.Sub: "+", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}
)


def _negated(node: Node) -> Node:
    """-3 is one number."""
    return number(-node.value) if isinstance(node.value, Fraction) else -node


def _quotient(top: Node, bottom: Node) -> Node:
    """1/3 of two literals is one number."""
    if isinstance(top.value, Fraction) and isinstance(bottom.value, Fraction) and bottom.value:
        return number(top.value / bottom.value)
    return top / bottom


def _family(node: ast.BinOp) -> str | None:
    return _FAMILIES.get(type(node.op))


_SIGNS: Mapping[type, tuple[str, bool]] = MappingProxyType(
    {
        ast.LtE: ("<=", False),
        ast.Lt: ("<", False),
        ast.GtE: ("<=", True),
        ast.Gt: ("<", True),
        ast.Eq: ("=", False),
        ast.NotEq: ("!=", False),
    }
)


def parse_condition(text: str) -> Condition:
    """A relation or hypothesis: ``log(1+x) <= x``, ``0 < x < 1 and n in N``.

    Raises:
        GrammarError: the text is not covered, too long, too deep or too large.
    """
    reader, body = _parsed(text)
    return reader.condition(body)


def parse_expression(text: str) -> Node:
    """An expression: ``sqrt(2*log(1/delta)/n)``.

    Raises:
        GrammarError: the text is not covered, too long, too deep or too large.
    """
    reader, body = _parsed(text)
    return reader.expression(body)


def _parsed(text: str) -> tuple[_Reader, ast.expr]:
    if len(text) > LONGEST_TEXT:
        raise GrammarError(text, LONGEST_TEXT, f"longer than {LONGEST_TEXT} characters")
    text = " ".join(text.split())
    _check_signs(text)
    _check_depth(text)
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise GrammarError(text, error.offset or 1, f"not an expression ({error.msg})") from None
    except (ValueError, MemoryError, RecursionError):
        raise GrammarError(text, 1, "too many terms or too deeply nested; split it") from None
    if _depth(tree.body) > DEEPEST:
        raise GrammarError(text, 1, f"nested deeper than {DEEPEST}")
    return _Reader(text, [0]), tree.body


def _check_signs(text: str) -> None:
    """Only letters, digits and the signs of the grammar reach Python's parser."""
    if not text:
        raise GrammarError(text, 1, "nothing is written here")
    foreign = _FOREIGN.search(text)
    if foreign:
        sign = foreign.group()
        remedy = _REMEDIES.get(sign, "spell it out" if not sign.isascii() else "leave it out")
        raise GrammarError(text, foreign.start() + 1, f"the sign {sign!r} is unknown; {remedy}")
    glued = _GLUED.search(text)
    if glued:
        cause = f"{glued.group()!r} is no number; write 2*x for products, 1e5 for powers of ten"
        raise GrammarError(text, glued.start() + 1, cause)


def _check_depth(text: str) -> None:
    """Brackets and chains of signs are counted before Python's parser sees them."""
    depth = 0
    for column, sign in enumerate(text, start=1):
        depth += (sign == "(") - (sign == ")")
        if depth > DEEPEST:
            raise GrammarError(text, column, f"brackets nested deeper than {DEEPEST}")
    chain = re.search(rf"(?:[-+~]\s*|not\s+){{{DEEPEST},}}", text)
    if chain:
        raise GrammarError(text, chain.start() + 1, "a chain of signs that is too long")


def _depth(root: ast.AST) -> int:
    """Depth of nesting, not counting sums and products, whose left arms nest in Python."""
    deepest = 0
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        for child in ast.iter_child_nodes(node):
            stack.append((child, depth + (0 if _is_arm(node, child) else 1)))
    return deepest


def _is_arm(node: ast.AST, child: ast.AST) -> bool:
    """Whether ``child`` continues the sum or product ``node`` to the left."""
    if not isinstance(node, ast.BinOp) or child is not node.left or _family(node) not in ("+", "*"):
        return False
    return isinstance(child, ast.BinOp) and _family(child) == _family(node)
