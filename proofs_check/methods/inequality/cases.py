"""Relations and hypotheses with and, or, not, implies as plain problems, all of which must hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from proofs_check.arithmetic.condition import Combination, Comparison, Condition, Membership
from proofs_check.arithmetic.expand import expanded
from proofs_check.arithmetic.grammar import parse_condition
from proofs_check.arithmetic.tree import TWO, ZERO, Node, literal
from proofs_check.methods.inequality.problem import Problem, ProblemError, make_problems

MOST_CASES = 64

Clause = tuple[Condition, ...]


@dataclass(frozen=True)
class Goal:
    """One comparison to be shown, as problems, under one case of the hypotheses.

    ``assumed`` are denials of the other parts of an ``or`` in the relation: where they contradict
    the hypotheses, the goal has nothing left to show. ``valued`` says for a certificate that these
    parts have values: problems 0*f >= 0, to be proved before the others.
    """

    comparison: Comparison
    hypotheses: Clause
    assumed: Clause
    problems: tuple[Problem, ...]
    valued: tuple[Problem, ...] = ()


def as_condition(given: Any) -> Condition:
    """A text, a SymPy Boolean or a condition as a condition.

    Raises:
        GrammarError: the text is not covered.
        UnsupportedSympy: the SymPy object has no counterpart.
    """
    if isinstance(given, str):
        return parse_condition(given)
    if isinstance(given, Comparison | Membership | Combination):
        return given
    from proofs_check.methods.inequality.from_sympy import condition_from_sympy

    return condition_from_sympy(given)


def goals(relation: Condition, hypotheses: Sequence[Condition]) -> list[Goal]:
    """What must be shown: every clause of the relation in every case of the hypotheses.

    Raises:
        ProblemError: too many cases, or a part that is not covered (``not (n in N)``).
    """
    cases = _cases(Combination("and", tuple(hypotheses))) if hypotheses else [()]
    found: list[Goal] = []
    for case in cases:
        for clause in _clauses(relation):
            *others, last = clause
            if isinstance(last, Membership):
                raise ProblemError(f"{last} cannot be the claim; give it as a hypothesis")
            shown = _as_inequality(last)
            denied = Combination("and", tuple(denial(other) for other in others))
            valued = _valued(others, shown, case)
            for assumed in _cases(denied):
                problems = make_problems(shown, [*case, *assumed])
                found.append(Goal(shown, case, assumed, problems, valued))
                valued = ()
    return found


def _valued(others: Sequence[Condition], last: Comparison, case: Clause) -> tuple[Problem, ...]:
    """That parts of an ``or`` have values wherever no polynomial part of it holds."""
    parts = [part for part in (*others, last) if isinstance(part, Comparison)]
    plain = [p for p in parts if _polynomial(p) and p.sign in ("<", "<=")]
    region = [*case, *map(denial, plain)]
    found: list[Problem] = []
    for part in parts[: len(others)]:
        if not _polynomial(part):
            gap = expanded(part.right) - expanded(part.left)
            made = make_problems(Comparison("<=", ZERO, gap), region)
            found += [replace(one, goal=Node("*", (ZERO, gap))) for one in made]
    return tuple(found)


def _polynomial(part: Comparison) -> bool:
    """Whether both sides are polynomials, as the checker reads them: they have values everywhere.

    Quotients by numbers are among them.
    """
    return all(_everywhere(expanded(side)) for side in (part.left, part.right))


def _everywhere(node: Node) -> bool:
    if literal(node) is not None or node.op in ("symbol", "pi"):
        return True
    if node.op in ("+", "-", "*"):
        return all(map(_everywhere, node.args))
    if node.op not in ("/", "^") or not _everywhere(node.args[0]):
        return False
    value = literal(node.args[1])
    if node.op == "/":
        return bool(value)
    return value is not None and value.denominator == 1 and value > 0


def _as_inequality(condition: Condition) -> Comparison:
    """a != b is (a - b)^2 > 0."""
    if not isinstance(condition, Comparison):
        raise ProblemError(f"{condition} is not an inequality; write <=, <, >=, > or ==")
    if condition.sign != "!=":
        return condition
    return Comparison("<", ZERO, (condition.left - condition.right) ** TWO)


def denial(condition: Condition) -> Condition:
    """What holds exactly where the condition does not."""
    if isinstance(condition, Membership):
        raise ProblemError(f"not ({condition}) is not covered")
    if isinstance(condition, Comparison):
        if condition.sign in ("=", "!="):
            sign = "!=" if condition.sign == "=" else "="
            return Comparison(sign, condition.left, condition.right)
        return Comparison("<" if condition.sign == "<=" else "<=", condition.right, condition.left)
    if condition.word == "not":
        return condition.parts[0]
    if condition.word == "implies":
        return Combination("and", (condition.parts[0], denial(condition.parts[1])))
    word = "or" if condition.word == "and" else "and"
    return Combination(word, tuple(map(denial, condition.parts)))


def _cases(condition: Condition) -> list[Clause]:
    """Disjunctive normal form: the condition holds exactly if all of one clause does."""
    if isinstance(condition, Comparison) and condition.sign == "!=":
        left, right = condition.left, condition.right
        return [(Comparison("<", left, right),), (Comparison("<", right, left),)]
    if not isinstance(condition, Combination):
        return [(condition,)]
    if condition.word == "not":
        return _cases(denial(condition.parts[0]))
    if condition.word == "implies":
        return _cases(Combination("or", (denial(condition.parts[0]), condition.parts[1])))
    parts = [_cases(part) for part in condition.parts]
    if condition.word == "or":
        return _limited([clause for part in parts for clause in part])
    joined: list[Clause] = [()]
    for part in parts:
        joined = _limited([first + second for first, second in product(joined, part)])
    return joined


def _clauses(condition: Condition) -> list[Clause]:
    """Conjunctive normal form: the condition holds exactly if one part of every clause does."""
    if not isinstance(condition, Combination):
        return [(condition,)]
    if condition.word == "not":
        return _clauses(denial(condition.parts[0]))
    if condition.word == "implies":
        return _clauses(Combination("or", (denial(condition.parts[0]), condition.parts[1])))
    parts = [_clauses(part) for part in condition.parts]
    if condition.word == "and":
        return _limited([clause for part in parts for clause in part])
    joined: list[Clause] = [()]
    for part in parts:
        joined = _limited([first + second for first, second in product(joined, part)])
    return joined


def _limited(clauses: list[Clause]) -> list[Clause]:
    if len(clauses) > MOST_CASES:
        raise ProblemError(f"more than {MOST_CASES} cases of `or`; split the claim")
    return clauses
