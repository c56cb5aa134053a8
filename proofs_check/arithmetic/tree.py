"""Our own immutable expression tree: what is written stays as written, nothing is folded away.

SymPy erases definedness when it builds (x/x becomes 1); definedness, size limits and enclosures
therefore run on this tree, and SymPy is built from it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from types import MappingProxyType

# Name of a function -> how many arguments it takes (None: one or more).
FUNCTIONS: Mapping[str, int | None] = MappingProxyType(
    {
        "exp": 1,
        "log": 1,
        "sqrt": 1,
        "cbrt": 1,
        "sin": 1,
        "cos": 1,
        "tan": 1,
        "asin": 1,
        "acos": 1,
        "atan": 1,
        "sinh": 1,
        "cosh": 1,
        "tanh": 1,
        "erf": 1,
        "erfc": 1,
        "gamma": 1,
        "loggamma": 1,
        "digamma": 1,
        "trigamma": 1,
        "binomial": 2,
        "besseli": 2,
        "lambertw": 1,
        "abs": 1,
        "sign": 1,
        "min": None,
        "max": None,
        "floor": 1,
    }
)


@dataclass(frozen=True)
class Node:
    """One node: ``op`` is ``number``, ``symbol``, ``pi``, ``e``, ``+``, ``*``, ``-`` (negation),
    ``/``, ``^`` or the name of a function; ``value`` is the number or the symbol's name.

    Equality and hash are structural; the hash is kept, so that large trees stay cheap as keys.
    """

    op: str
    args: tuple[Node, ...] = ()
    value: Fraction | str | None = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.op, self.args, self.value)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Node], tuple[object, ...]]:
        # Texts have other hashes in other processes.
        return Node, (self.op, self.args, self.value)

    def __eq__(self, other: object) -> bool:
        """Structural; pairs of parts are compared once, or shared parts would cost their number of
        paths, which grows exponentially in derivatives of derivatives.
        """
        if self is other:
            return True
        if not isinstance(other, Node):
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

    def __add__(self, other: Node) -> Node:
        return Node("+", (self, other))

    def __sub__(self, other: Node) -> Node:
        return Node("+", (self, Node("-", (other,))))

    def __mul__(self, other: Node) -> Node:
        return Node("*", (self, other))

    def __truediv__(self, other: Node) -> Node:
        return Node("/", (self, other))

    def __pow__(self, other: Node) -> Node:
        return Node("^", (self, other))

    def __neg__(self) -> Node:
        return Node("-", (self,))

    @property
    def is_number(self) -> bool:
        """Whether the node is a rational literal."""
        return self.op == "number"

    def nodes(self) -> Iterator[Node]:
        """Every different node below this one, arguments before the nodes that use them."""
        seen: set[Node] = set()
        stack: list[tuple[Node, bool]] = [(self, False)]
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

    def symbols(self) -> tuple[str, ...]:
        """Names of the symbols, sorted."""
        return tuple(sorted(str(n.value) for n in self.nodes() if n.op == "symbol"))

    def replaced(self, values: Mapping[str, Node]) -> Node:
        """The tree with symbols replaced by nodes."""
        done: dict[Node, Node] = {}
        for node in self.nodes():
            if node.op == "symbol":
                done[node] = values.get(str(node.value), node)
            else:
                args = tuple(done[arg] for arg in node.args)
                done[node] = node if args == node.args else Node(node.op, args, node.value)
        return done[self]

    def __str__(self) -> str:
        return _text(self, 0)


def number(value: Fraction | int) -> Node:
    """A rational literal."""
    return Node("number", value=Fraction(value))


def symbol(name: str) -> Node:
    """A real variable."""
    return Node("symbol", value=name)


def call(name: str, *args: Node) -> Node:
    """A function of :data:`FUNCTIONS` applied to arguments."""
    return Node(name, args)


LARGEST_LITERAL = 20_000  # bits; a literal beyond that is left as it is written


def literal(node: Node) -> Fraction | None:
    """The rational value of a tree of literals and + - * / and whole powers, else None.

    None also where the value is undefined (1/0, 0**0) or has more than ``LARGEST_LITERAL`` bits.
    """
    done: dict[Node, Fraction | None] = {}
    for part in node.nodes():
        known = [done[arg] for arg in part.args]
        if part.op == "number" and isinstance(part.value, Fraction):
            done[part] = part.value
        elif not known or None in known:
            done[part] = None
        else:
            done[part] = _folded(part.op, [value for value in known if value is not None])
    return done[node]


def _folded(op: str, values: list[Fraction]) -> Fraction | None:
    if sum(map(_bits, values)) > LARGEST_LITERAL:
        return None
    if op == "+":
        return sum(values, Fraction(0))
    if op == "-":
        return -values[0]
    if op == "*":
        return prod(values, start=Fraction(1))
    if op == "/":
        return values[0] / values[1] if values[1] else None
    return _folded_power(*values) if op == "^" else None


def _folded_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    if exponent.denominator != 1 or abs(exponent) * _bits(base) > LARGEST_LITERAL:
        return None
    return base ** int(exponent) if base or exponent > 0 else None


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


ZERO, ONE, TWO = number(0), number(1), number(2)
PI, E = Node("pi"), Node("e")

# How tightly an operator binds; an argument that binds no tighter than its place is bracketed.
_BINDING = MappingProxyType({"+": 2, "-": 4, "*": 4, "/": 4, "^": 6})
_TERM, _SUBTRAHEND, _FIRST_FACTOR, _FACTOR, _POWER = 1, 3, 3, 4, 6


def _text(node: Node, place: int) -> str:
    """The tree as the grammar reads it back, with brackets where they are needed."""
    if node.op == "number":
        text = str(node.value)
        return f"({text})" if place >= _FACTOR and not text.isdigit() else text
    if node.op == "symbol":
        return str(node.value)
    if node.op in ("pi", "e"):
        return "pi" if node.op == "pi" else "E"
    binding = _BINDING.get(node.op)
    if binding is None:
        return f"{node.op}({', '.join(_text(arg, 0) for arg in node.args)})"
    text = _operator(node)
    return f"({text})" if binding <= place else text


def _operator(node: Node) -> str:
    first, others = node.args[0], node.args[1:]
    if node.op == "+":
        return _text(first, _TERM) + "".join(map(_added, others))
    if node.op == "-":
        return "-" + _text(first, _FACTOR)
    if node.op == "^":
        return f"{_text(first, _POWER)}**{_text(others[0], _POWER)}"
    sign = node.op
    return sign.join([_text(first, _FIRST_FACTOR), *(_text(arg, _FACTOR) for arg in others)])


def _added(term: Node) -> str:
    if term.op == "-":
        return f" - {_text(term.args[0], _SUBTRAHEND)}"
    text = _text(term, _TERM)
    return f" - {text[1:]}" if term.op == "number" and text.startswith("-") else f" + {text}"
