r"""The statement of a claim as Unicode text and as LaTeX.

The two sides are printed apart and joined here, so that SymPy cannot fold the relation away.
"""

from __future__ import annotations

from typing import Any

from sympy import latex
from sympy.printing.pretty.pretty import PrettyPrinter
from sympy.printing.pretty.stringpict import prettyForm, stringPict

from bounds.claim import Claim
from bounds.hypothesis import Hypothesis
from bounds.relation import Relation

SIGNS = {
    Relation.LE: "≤",
    Relation.LT: "<",
    Relation.IDENTITY: "=",
    Relation.IFF: "⇔",
    Relation.TAIL: "≤",
    Relation.LIMIT: "=",
}
LATEX_SIGNS = {
    Relation.LE: r"\le",
    Relation.LT: "<",
    Relation.IDENTITY: "=",
    Relation.IFF: r"\iff",
}


def unicode_statement(claim: Claim, width: int = 80) -> str:
    """The statement in two-dimensional Unicode, on two levels where it is wider than ``width``.

    A side that is wider than ``width`` by itself would be torn into unreadable pieces: then the
    statement is written on one line a side, in SymPy's notation.
    """
    left, right = _sides(claim)
    if max(left.width(), right.width() + 2) > width:
        return _linear(claim)
    sign = SIGNS[claim.relation]
    whole = stringPict(*stringPict.next(left, f" {sign} ", right))
    if whole.width() <= width:
        return _text(whole)
    below = stringPict(*stringPict.next(f"{sign} ", right))
    return f"{_text(left)}\n\n{_text(below)}"


def _linear(claim: Claim) -> str:
    sign = SIGNS[claim.relation]
    if claim.tail is not None:
        return f"P({claim.lhs} > {claim.rhs})\n  {sign} {claim.tail.failure}"
    if claim.limit is not None:
        limit = f"lim {claim.limit.variable}→{claim.limit.point}"
        return f"{limit} {claim.lhs}\n  {sign} {claim.rhs}"
    return f"{claim.lhs}\n  {sign} {claim.rhs}"


def _sides(claim: Claim) -> tuple[Any, Any]:
    lhs, rhs = _form(claim.lhs), _form(claim.rhs)
    if claim.tail is not None:
        event = prettyForm(*stringPict.next(lhs, " > ", rhs))
        return prettyForm(*stringPict.next("P", prettyForm(*event.parens()))), _form(
            claim.tail.failure
        )
    if claim.limit is not None:
        variable, point = claim.limit.variable, claim.limit.point
        limit = f"lim {unicode_expression(variable)}→{unicode_expression(point)}  "
        return prettyForm(*stringPict.next(limit, lhs)), rhs
    return lhs, rhs


def _form(expression: Any) -> Any:
    """What SymPy's own printer makes of an expression; its ``str`` when it cannot."""
    printed = PrettyPrinter({"use_unicode": True, "wrap_line": False})._print(expression)
    return printed if isinstance(printed, prettyForm) else prettyForm(str(printed))


def _text(picture: Any) -> str:
    return "\n".join(line.rstrip() for line in picture.picture)


def unicode_expression(expression: Any) -> str:
    """An expression in two-dimensional Unicode."""
    return _text(_form(expression))


def unicode_hypothesis(hypothesis: Hypothesis) -> str:
    """A hypothesis on one line: its condition where that fits on a line, else its statement."""
    if hypothesis.condition is None:
        return hypothesis.statement
    printed = unicode_expression(hypothesis.condition)
    return printed if "\n" not in printed else str(hypothesis.condition)


def latex_statement(claim: Claim) -> str:
    r"""The statement in LaTeX, without surrounding dollars: ``\lambda_{min} \le 1``."""
    lhs, rhs = latex(claim.lhs), latex(claim.rhs)
    if claim.tail is not None:
        failure = latex(claim.tail.failure)
        return rf"\mathbb{{P}}\left({lhs} > {rhs}\right) \le {failure}"
    if claim.limit is not None:
        variable, point = latex(claim.limit.variable), latex(claim.limit.point)
        return rf"\lim_{{{variable} \to {point}}} {lhs} = {rhs}"
    return f"{lhs} {LATEX_SIGNS[claim.relation]} {rhs}"
