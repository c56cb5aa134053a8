"""An argument step by step, in words: what is shown, on which region, and by what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bounds.status import Status
from proofs_check.verdict import Evidence, Verdict

Tree = Mapping[str, Any]

_MOST_LINES = 80
_LONGEST_TEXT = 160
_DEEPEST = 12


def steps(verdict: Verdict) -> list[str]:
    """Lines that tell the whole argument, one part of the claim after the other."""
    lines: list[str] = []
    for number, evidence in enumerate(verdict.evidence, start=1):
        lines += _part(evidence, number if len(verdict.evidence) > 1 else None)
    if verdict.example:
        point = ", ".join(f"{name} = {value}" for name, value in verdict.example.items())
        lines.append(f"The hypotheses can be met, for example at {point}.")
    return lines


def _part(evidence: Evidence, number: int | None) -> Iterator[str]:
    details = evidence.details
    hypotheses = [str(one) for one in details.get("hypotheses", ())]
    region = f"wherever {' and '.join(hypotheses)}" if hypotheses else "for all real values"
    prefix = f"Part {number}. " if number is not None else ""
    yield f"{prefix}To show: {details.get('claim', '')}, {region}."
    needs = _definedness(str(details.get("claim", "")))
    if needs and evidence.status is Status.PROVED:
        yield f"Both sides have a value there, since {', '.join(needs)}."
    yield f"{_ENDINGS[evidence.status]} ({evidence.method}): {evidence.summary}."
    yield from _margin(details.get("margin"))
    certificate = details.get("certificate")
    if certificate:
        lines = list(outline(certificate))
        yield from lines[:_MOST_LINES]
        if len(lines) > _MOST_LINES:
            yield f"  ... {len(lines) - _MOST_LINES} more lines; --format json has them all"


def _margin(margin: Mapping[str, Any] | None) -> Iterator[str]:
    if margin is None:
        return
    place = ", ".join(f"{name} = {value}" for name, value in margin["at"].items())
    least = margin.get("at_least", "0")
    if margin["attained"]:
        yield f"The bound is tight: equality holds at {place}."
    elif least == "0":
        yield f"Room: the sides come as close as {margin['at_most']}, at {place}."
    else:
        yield f"Room: the sides differ by at least {least}, and by {margin['at_most']} at {place}."


def _definedness(claim: str) -> list[str]:
    """The conditions under which both sides have a value."""
    from proofs_check.arithmetic.condition import comparisons
    from proofs_check.arithmetic.expand import expanded
    from proofs_check.arithmetic.grammar import parse_condition
    from proofs_check.methods.inequality.definedness import obligations

    sides = [side for c in comparisons(parse_condition(claim)) for side in (c.left, c.right)]
    needs = [need for side in sides for need in obligations(expanded(side))]
    return list(dict.fromkeys(map(str, needs)))


_ENDINGS: Mapping[Status, str] = MappingProxyType(
    {
        Status.PROVED: "Proof",
        Status.REFUTED: "Refutation",
        Status.UNDECIDED: "Not decided",
        Status.ERROR: "Not well posed",
        Status.CONSISTENT: "Evidence",
    }
)


def outline(tree: Tree, depth: int = 0) -> Iterator[str]:
    """The rules of a certificate in words, each under the one that needs it."""
    name = str(tree.get("rule", "?"))
    if depth > _DEEPEST:
        yield f"{'  ' * depth}..."
        return
    told = _TOLD.get(name)
    words = told(tree) if told is not None else [f"By the rule `{name}`."]
    for line in words:
        yield f"{'  ' * depth}- {_cut(line)}"
    below = depth + bool(words)
    for key, value in tree.items():
        if key == "needs":
            yield from _needs(value, depth)
        elif isinstance(value, Mapping) and "rule" in value:
            yield from _labelled(_LABELS.get(key, ""), value, below)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for one in value:
                if isinstance(one, Mapping) and isinstance(one.get("proof", one), Mapping):
                    inner = one if "rule" in one else one.get("proof", {})
                    if "rule" in inner:
                        yield from _labelled("", inner, below)


def _labelled(label: str, tree: Tree, depth: int) -> Iterator[str]:
    if not label:
        yield from outline(tree, depth)
        return
    yield f"{'  ' * depth}{label}"
    yield from outline(tree, depth + 1)


def _needs(needs: Sequence[Tree], depth: int) -> Iterator[str]:
    for need in needs:
        sign = "> 0" if need.get("positive", True) else "< 0"
        yield f"{'  ' * depth}- A value is defined where {_cut(str(need.get('of')))} {sign}:"
        yield from outline(need.get("proof", {}), depth + 1)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 3] + "..."


_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "slope": "the sign of the slope:",
        "bend": "the sign of the second derivative:",
        "face": "the face that remains:",
        "low": "the face at the lower end:",
        "high": "the face at the upper end:",
        "diagonal": "the diagonal:",
        "test": "which alternative applies:",
        "top_proof": "the numerator:",
        "bottom_proof": "the denominator:",
        "positive": "the denominator:",
        "below": "smaller values:",
        "above": "larger values:",
        "wide": "where the goal has a value:",
        "closed": "where the goal has a value:",
        "defined": "where the test has a value:",
    }
)


def _say(text: str) -> Callable[[Tree], list[str]]:
    return lambda tree: [text]


def _with(text: str) -> Callable[[Tree], list[str]]:
    """A sentence with entries of the rule in braces."""
    return lambda tree: [text.format_map(_Entries(tree))]


class _Entries(dict[str, Any]):
    """Entries of a rule for a sentence; one that is missing is a question mark."""

    def __missing__(self, key: str) -> str:
        return "?"


def _line(tree: Tree) -> list[str]:
    """The pieces of an interval, from left to right."""
    found = []
    for piece in tree.get("pieces", ()):
        if not isinstance(piece, Mapping):
            count = len(piece) - 1
            stretches = "in one stretch" if count == 1 else f"in {count} stretches"
            found.append(f"From {piece[0]} to {piece[-1]}: positive by enclosures, {stretches}.")
            continue
        fails = " (a hypothesis fails there)" if "fact" in piece else ""
        point, direction = piece.get("point"), piece.get("direction")
        if direction is None:
            found.append(f"At {point}: the exact value{fails}.")
        elif point is None:
            sign = "" if direction == 1 else "-"
            found.append(
                f"Beyond {sign}{piece.get('start')}, to {sign}infinity: {_how(piece)}{fails}."
            )
        else:
            where = "right" if direction == 1 else "left"
            length = f"1/{piece.get('start')}"
            found.append(f"To the {where} of {point}, up to {length} away: {_how(piece)}{fails}.")
    return found


def _how(piece: Tree) -> str:
    if "order" not in piece:
        return "the exact range"
    return f"the expansion with {piece['order']} exact terms and an enclosed rest"


def _atoms(tree: Tree) -> list[str]:
    atoms = tree.get("atoms") or {}
    names = ", ".join(f"{name} = {text}" for name, text in atoms.items())
    head = f"With {names}, the" if names else "The"
    return [f"{head} goal is the quotient of {tree.get('top')} and {tree.get('bottom')}."]


def _factors(tree: Tree) -> list[str]:
    texts = []
    for factor in tree.get("factors", ()):
        of, power = (
            (factor.get("of"), factor.get("power", 1))
            if isinstance(factor, Mapping)
            else (factor[0], factor[1])
        )
        texts.append(f"({of})^{power}" if power != 1 else f"({of})")
    return [f"The goal is a positive number times {' '.join(texts)}; each factor has its sign."]


_TOLD: Mapping[str, Callable[[Tree], list[str]]] = MappingProxyType(
    {
        "define": lambda tree: [],
        "identity": _say("Both sides are equal: an exact identity."),
        "range": _say("The exact ranges of the parts show the sign."),
        "constant": _say("A number whose sign is exact."),
        "number": _say("A positive number."),
        "atoms": _atoms,
        "quotient": _atoms,
        "put": _with("{name} is {value} by the hypotheses; put it in."),
        "gap": _with("A hypothesis as a variable: {new} >= 0, and {name} = {value}."),
        "weaken": _say("It is enough to show it on a larger region."),
        "tighten": _say("The hypotheses bound the ranges further."),
        "cut": _with("The region is cut where {test} changes its sign."),
        "split": _with("The range of {name} is cut at given numbers; every piece by itself."),
        "farkas": _say("The goal is a combination of hypotheses with multipliers >= 0."),
        "empty": _say("No point meets all hypotheses of this case."),
        "values": _with("{name} = {first}, ..., {last} one by one, and the rest for all reals."),
        "monotone": _with("Monotone in {name}: it is smallest at its {end} end."),
        "concave": _with("Concave in {name}: it is smallest at one of the two ends."),
        "convex": _with("Convex in {name} with slope 0 at {name} = {at}: smallest there."),
        "homogeneous": _with("Homogeneous of degree {degree}: {unit} may be set to 1."),
        "integrated": _with("It vanishes to order {order} at the {end} end of {name}; integrate."),
        "either": _with("Whatever {node} is, each of its alternatives will do."),
        "branch": _with("{node} is the same alternative everywhere."),
        "cases": _with("Two cases for {node}."),
        "smallest": _with("Whatever {node} is, each of its alternatives will do."),
        "rewrite": _with("Written as {goal}."),
        "factors": _factors,
        "polynomial factors": _factors,
        "unrooted": _say("The root is squared away."),
        "expanded": _with("A polynomial in {atom} - {start} >= 0 with coefficients >= 0."),
        "abstracted": _with("{inner} as a variable of its own."),
        "terms": _say("A sum of even powers with coefficients >= 0."),
        "bernstein": _say("Its Bernstein coefficients on the box show the sign."),
        "discriminant": _with("A quadratic in {variable} whose discriminant is <= 0."),
        "squares": _say("Only even powers occur: squares as variables >= 0."),
        "halves": _with("{variable} >= 0 and {variable} <= 0, one after the other."),
        "ordered": _say(
            "In every order of the variables, successive differences have coefficients >= 0."
        ),
        "gram": _say("A sum of squares, with exact Gram matrices, times hypotheses."),
        "univariate polynomial": _say("A rational function of one variable: Sturm's theorem."),
        "level": _with("The derivative is zero, and the value at {point} is 0."),
        "line": _line,
        "boxes": _say("Boxes cover the region; enclosures settle every one of them."),
    }
)
