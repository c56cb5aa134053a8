"""Whether a claim is put together rightly; every fault names the claim, the part and the remedy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sympy import And, Basic, Symbol
from sympy.logic.boolalg import Boolean

from bounds.axioms import AXIOMS
from bounds.errors import ClaimDefinitionError
from bounds.relation import Relation
from bounds.source import Source
from bounds.status import Status

if TYPE_CHECKING:
    from bounds.claim import Claim

# What SymPy knows of a symbol that is real and nothing more, and of one without any assumption.
PLAIN = (Symbol("x", real=True).assumptions0, Symbol("x").assumptions0)


def check_claim(claim: Claim) -> None:
    """Raise ClaimDefinitionError unless the claim is well formed."""
    for fault in faults(claim):
        raise ClaimDefinitionError(f"claim {claim.id!r}: {fault}")


def faults(claim: Claim) -> Iterator[str]:
    """What is wrong with a claim, up to the first stage with a fault: later ones rely on it."""
    for stage in (_types, _relation, _names, _symbols, _tail, _functions):
        found = list(stage(claim))
        yield from found
        if found:
            return


def _types(claim: Claim) -> Iterator[str]:
    for name in ("lhs", "rhs"):
        side = getattr(claim, name)
        if not isinstance(side, Basic):
            yield f"{name} is {side!r}, not a SymPy expression"
    for name, kind in (("relation", Relation), ("expected", Status), ("source", Source)):
        value = getattr(claim, name)
        if not isinstance(value, kind):
            yield f"{name} is {value!r}; give a {kind.__name__}, such as {_EXAMPLES[name]}"
    for name, item in _TUPLES.items():
        value = getattr(claim, name)
        if not isinstance(value, tuple):
            yield f"{name} must be a tuple; a tuple of one item needs a comma: {name}=(item,)"
        else:
            yield from (f"{name} holds {x!r}; {item[1]}" for x in value if not _is(x, item[0]))


_EXAMPLES = {
    "relation": "Relation.IDENTITY",
    "expected": "Status.CONSISTENT",
    "source": 'Source("My paper", "Theorem 1")',
}
_TUPLES: dict[str, tuple[str, str]] = {
    "hypotheses": ("Hypothesis", "make it with assume, on_instances or structural"),
    "quantities": ("Quantity", "make it with Quantity(symbol, meaning, function)"),
    "mutants": ("Mutant", "make it with Mutant(name=..., why=...)"),
    "variants": ("Variant", "make it with Variant(name=..., why=..., source=..., expected=...)"),
    "tags": ("str", "a tag is a text"),
}


def _is(value: Any, kind: str) -> bool:
    return kind in {base.__name__ for base in type(value).__mro__}


def _relation(claim: Claim) -> Iterator[str]:
    if (claim.relation is Relation.TAIL) != (claim.tail is not None):
        yield "relation TAIL and tail=Tail(...) go together"
    if (claim.relation is Relation.LIMIT) != (claim.limit is not None):
        yield "relation LIMIT and limit=Limit(...) go together"
    conditions = [_is_condition(side) for side in (claim.lhs, claim.rhs)]
    if claim.relation is Relation.IFF and not all(conditions):
        yield "both sides of IFF are conditions, such as Eq(x, 0) or x > 0"
    for hypothesis in claim.hypotheses:
        condition = hypothesis.condition
        if condition is not None and not _is_condition(condition):
            yield (
                f"hypothesis {hypothesis.name!r} is {condition!r}, not a SymPy condition; "
                "write Eq(x, 1) for an equation and (x > 0) & (y > 0) for a conjunction"
            )


def _is_condition(value: Any) -> bool:
    # To SymPy a symbol may stand for a truth value too; here it is a number.
    return isinstance(value, Boolean) and not isinstance(value, Symbol)


def _names(claim: Claim) -> Iterator[str]:
    # Printing a whole expression is slow, so only symbols go by their names.
    symbols = [getattr(q.symbol, "name", q.symbol) for q in claim.quantities]
    groups: dict[str, list[Any]] = {
        "hypothesis": [h.name for h in claim.hypotheses],
        "quantity": symbols,
        "mutant or variant": [n.name for n in claim.neighbours],
    }
    for kind, names in groups.items():
        doubled = sorted({str(name) for name in names if names.count(name) > 1})
        if doubled:
            yield f"{kind} named twice: {', '.join(doubled)}"
    known = groups["hypothesis"]
    for neighbour in claim.neighbours:
        unknown = [name for name in neighbour.drop if name not in known]
        if unknown:
            has = ", ".join(known) or "none"
            yield f"{neighbour.name!r} drops unknown hypotheses {unknown}; there are: {has}"
    axioms = [h.axiom for h in claim.hypotheses if h.axiom not in (None, *AXIOMS)]
    if axioms:
        yield f"unknown axioms {axioms}: the list is closed (bounds.axioms)"
    else:
        yield from _axioms(claim)


def _axioms(claim: Claim) -> Iterator[str]:
    """An axiom gives one form of condition, and only together with the hypotheses it needs."""
    conditions = [h.condition for h in claim.hypotheses if h.condition is not None]
    given = {part for condition in conditions for part in And.make_args(condition)}
    for hypothesis in claim.hypotheses:
        if hypothesis.axiom is None:
            continue
        axiom = AXIOMS[hypothesis.axiom]
        needs = None if hypothesis.condition is None else axiom.needs(hypothesis.condition)
        if needs is None:
            yield f"hypothesis {hypothesis.name!r} is not what the axiom says: {axiom.statement}"
        else:
            missing = [str(need) for need in needs if need not in given]
            if missing:
                yield f"the axiom {axiom.id} needs the hypotheses {', '.join(missing)}"


def _symbols(claim: Claim) -> Iterator[str]:
    scalars = {s for part in claim.parts() for s in part.atoms(Symbol)}
    assuming = sorted({s.name for s in scalars if s.assumptions0 not in PLAIN})
    if assuming:
        yield (
            f"{', '.join(assuming)}: state signs and integrality as hypotheses, not as SymPy "
            "assumptions; scalar(name) makes a plain symbol"
        )
    by_name: dict[str, set[Any]] = {}
    for symbol in claim.free_symbols:
        by_name.setdefault(symbol.name, set()).add(symbol)
    clashing = sorted(name for name, symbols in by_name.items() if len(symbols) > 1)
    if clashing:
        yield f"two different symbols (or shapes) are named {', '.join(clashing)}; rename one"


def _tail(claim: Claim) -> Iterator[str]:
    """The law and the sampler speak of a symbol that the statement is about, and only it is."""
    if claim.tail is None:
        return
    law, sampler = claim.tail.law, claim.tail.sampler
    if law is not None and claim.lhs != law.symbol:
        yield (
            f"the law is that of {law.symbol!r}, but lhs is {claim.lhs}; make lhs the law's symbol "
            "and solve the statement for it"
        )
    if law is not None and _occurs(law.symbol, claim.rhs):
        yield f"rhs contains the law's symbol {law.symbol}; solve the statement for it"
    if sampler is not None and not isinstance(sampler.symbol, Symbol):
        yield f"the sampler's symbol is {sampler.symbol!r}; make it with scalar(name)"
    elif sampler is not None and not any(
        _occurs(sampler.symbol, side) for side in (claim.lhs, claim.rhs)
    ):
        yield f"neither lhs nor rhs contains the sampler's symbol {sampler.symbol}"
    fixed = [h.condition for h in claim.hypotheses if h.condition is not None and not h.axiom]
    fixed += [q.formula for q in claim.quantities if q.formula is not None]
    fixed += [q.symbol for q in claim.quantities] + [claim.tail.failure]
    for source in (law, sampler):
        if source is not None and any(_occurs(source.symbol, part) for part in fixed):
            yield (
                f"{source.symbol} is random, so it has no quantity and stands in no hypothesis, "
                "formula or failure probability"
            )


def _occurs(symbol: Basic, expression: Any) -> bool:
    return symbol in getattr(expression, "free_symbols", ())


def _functions(claim: Claim) -> Iterator[str]:
    wanted: list[tuple[str, Callable[..., Any], int, str]] = [
        (f"quantity {q.symbol}", q.function, 2, "(instance, field)") for q in claim.quantities
    ]
    wanted += [
        (f"hypothesis {h.name}", h.holds, 2, "(instance, field)")
        for h in claim.hypotheses
        if h.holds is not None
    ]
    if claim.tail is not None and claim.tail.law is not None:
        wanted.append(("the law", claim.tail.law.exceeds, 3, "(instance, field, threshold)"))
    if claim.tail is not None and claim.tail.sampler is not None:
        wanted.append(("the sampler", claim.tail.sampler.draw, 3, "(instance, rng, size)"))
    for name, function, count, signature in wanted:
        if not _accepts(function, count):
            yield f"the function of {name} must take {signature}"


def _accepts(function: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # a built-in without a signature: it shows when it is called
        return True
    return True
