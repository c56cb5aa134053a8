"""Problems as SMT-LIB text: the denial of a goal, for solvers of nonlinear real arithmetic.

The text asks for a point of the region where the goal fails. Divisors are nonzero and roots are new
variables r >= 0 with r^q = base, so that a model is a point where everything has a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from bounds.errors import BoundsError
from proofs_check.arithmetic.tree import Node
from proofs_check.methods.inequality.problem import Interval, Problem, literal

LARGEST_POWER = 100


class NotExpressible(BoundsError, ValueError):
    """A function that the solver does not know; the message names it."""


@dataclass(frozen=True)
class Dialect:
    """What a solver understands: its logic, its name of pi, and its functions by ours."""

    name: str
    logic: str
    functions: Mapping[str, str]
    pi: str | None = None


_WAVES = {name: name for name in ("exp", "sin", "cos", "tan")}
Z3 = Dialect("z3", "ALL", MappingProxyType({}))
CVC5 = Dialect(
    "cvc5",
    "ALL",
    MappingProxyType({**_WAVES, "asin": "arcsin", "acos": "arccos", "atan": "arctan"}),
    "real.pi",
)
DREAL = Dialect(
    "dreal",
    "QF_NRA",
    MappingProxyType(
        {**_WAVES, "log": "log", "sqrt": "sqrt", "asin": "arcsin", "acos": "arccos"}
        | {"atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh"}
    ),
)


@dataclass
class _Writer:
    """Text of one problem under construction: declarations, conditions, and parts written."""

    dialect: Dialect
    integers: frozenset[str]
    declared: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    done: dict[Node, str] = field(default_factory=dict)
    count: int = 0

    def term(self, node: Node) -> str:
        for part in node.nodes():
            if part not in self.done:
                self.done[part] = self._named(self._written(part))
        return self.done[node]

    def _named(self, text: str) -> str:
        """Long texts get a name, so that shared parts are written once."""
        if len(text) < 80:
            return text
        name = self.fresh()
        self.conditions.append(f"(= {name} {text})")
        return name

    def fresh(self) -> str:
        self.count += 1
        name = f"aux!{self.count}"
        self.declared.append(f"(declare-const {name} Real)")
        return name

    def _written(self, node: Node) -> str:
        args = [self.done[arg] for arg in node.args]
        if node.op == "number" and isinstance(node.value, Fraction):
            return rational_text(node.value)
        if node.op == "symbol":
            return f"(to_real {node.value})" if node.value in self.integers else str(node.value)
        if node.op in ("+", "*"):
            return args[0] if len(args) == 1 else f"({node.op} {' '.join(args)})"
        if node.op == "-":
            return f"(- {args[0]})"
        if node.op == "/":
            if not literal(node.args[1]):
                self.conditions.append(f"(not (= {args[1]} 0.0))")
            return f"(/ {args[0]} {args[1]})"
        if node.op == "^":
            return self._power(node, args[0])
        return self._function(node, args)

    def _power(self, node: Node, base: str) -> str:
        value = literal(node.args[1])
        if value is None or max(abs(value.numerator), value.denominator) > LARGEST_POWER:
            raise NotExpressible(f"{self.dialect.name} has no power {node}")
        if value.denominator != 1:
            base = self._root(base, value.denominator)
        size = abs(int(value.numerator))
        text = "1.0" if size == 0 else base if size == 1 else f"(* {' '.join([base] * size)})"
        if value > 0:
            return text
        self.conditions.append(f"(not (= {base} 0.0))")
        return f"(/ 1.0 {text})"

    def _root(self, base: str, order: int) -> str:
        name = self.fresh()
        self.conditions.append(f"(>= {name} 0.0)")
        self.conditions.append(f"(= (* {' '.join([name] * order)}) {base})")
        return name

    def _function(self, node: Node, args: list[str]) -> str:
        known = self.dialect.functions.get(node.op)
        if known is not None:
            return f"({known} {' '.join(args)})"
        if node.op in ("pi", "e"):
            if node.op == "pi" and self.dialect.pi is not None:
                return self.dialect.pi
            if "exp" in self.dialect.functions and node.op == "e":
                return "(exp 1.0)"
        elif node.op == "sqrt":
            return self._root(args[0], 2)
        elif node.op == "cbrt":
            name = self.fresh()
            self.conditions.append(f"(= (* {name} {name} {name}) {args[0]})")
            return name
        elif node.op == "abs":
            return f"(ite (>= {args[0]} 0.0) {args[0]} (- {args[0]}))"
        elif node.op in ("min", "max"):
            return self._chosen("<=" if node.op == "min" else ">=", args)
        return self._from_exp(node, args)

    def _chosen(self, sign: str, args: list[str]) -> str:
        best = args[0]
        for arg in args[1:]:
            best = self._named(f"(ite ({sign} {best} {arg}) {best} {arg})")
        return best

    def _from_exp(self, node: Node, args: list[str]) -> str:
        """log and the hyperbolic functions where the solver has the exponential."""
        if "exp" in self.dialect.functions:
            if node.op == "log":
                name = self.fresh()
                self.conditions.append(f"(= (exp {name}) {args[0]})")
                return name
            up, down = f"(exp {args[0]})", f"(exp (- {args[0]}))"
            if node.op == "cosh":
                return f"(/ (+ {up} {down}) 2.0)"
            if node.op == "sinh":
                return f"(/ (- {up} {down}) 2.0)"
            if node.op == "tanh":
                return f"(/ (- {up} {down}) (+ {up} {down}))"
        raise NotExpressible(f"{self.dialect.name} has no {node.op}")


def rational_text(value: Fraction) -> str:
    """A rational number in SMT-LIB."""
    size = f"{abs(value.numerator)}.0"
    if value.denominator != 1:
        size = f"(/ {size} {value.denominator}.0)"
    return f"(- {size})" if value < 0 else size


def denial(problem: Problem, dialect: Dialect) -> str:
    """SMT-LIB text that is satisfiable exactly if the goal fails somewhere in the region.

    Raises:
        NotExpressible: the goal or a hypothesis holds a function that the solver lacks.
    """
    writer = _Writer(dialect, problem.integers)
    for name, side in problem.box:
        sort = "Int" if name in problem.integers else "Real"
        writer.declared.append(f"(declare-const {name} {sort})")
        writer.conditions += _range(name, side, whole=name in problem.integers)
    for constraint in problem.constraints:
        sign = ">" if constraint.strict else ">="
        text = writer.term(constraint.expression)
        writer.conditions.append(f"({sign} {text} 0.0)")
    goal = writer.term(problem.goal)
    writer.conditions.append(f"({'<=' if problem.strict else '<'} {goal} 0.0)")
    asserted = [f"(assert {condition})" for condition in writer.conditions]
    return "\n".join([f"(set-logic {dialect.logic})", *writer.declared, *asserted])


def _range(name: str, side: Interval, *, whole: bool) -> list[str]:
    term = f"(to_real {name})" if whole else name
    found = []
    if side.low is not None:
        found.append(f"({'>' if side.open_low else '>='} {term} {rational_text(side.low)})")
    if side.high is not None:
        found.append(f"({'<' if side.open_high else '<='} {term} {rational_text(side.high)})")
    return found
