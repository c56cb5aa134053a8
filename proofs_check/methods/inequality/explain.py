"""An argument step by step, in words: what is shown, on which region, and by what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bounds.status import Status
from proofs_check.verdict import Evidence, Verdict

_MOST_LINES = 60
_LONGEST_TEXT = 160
_DEEPEST = 6


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
        yield from _outline(certificate)


def _margin(margin: Mapping[str, Any] | None) -> Iterator[str]:
    if margin is None:
        return
    place = ", ".join(f"{name} = {value}" for name, value in margin["at"].items())
    if margin["attained"]:
        yield f"The bound is tight: equality holds at {place}."
    else:
        yield f"Room: the sides come as close as {margin['at_most']}, at {place}."


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


def _outline(certificate: Mapping[str, Any]) -> Iterator[str]:
    """The certificate in words where its kind is known, else as an indented outline."""
    if certificate.get("kind") == "reduced":
        yield f"First {', '.join(str(step) for step in certificate.get('steps', ()))}."
        yield from _outline(certificate.get("proof", {}))
        return
    if certificate.get("kind") == "relaxed":
        yield from _outline(certificate.get("proof", {}))
        return
    if certificate.get("kind") == "cover" and certificate.get("leaves") is not None:
        yield from _cover(certificate)
        return
    lines = list(_lines(certificate, 1))
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"  ... {len(lines) - _MOST_LINES} more lines; --format json has them all"


def _cover(certificate: Mapping[str, Any]) -> Iterator[str]:
    """A cover of an interval: zeros of the goal, what holds beside them, tails, and the rest."""
    for point, *_ in certificate.get("points", ()):
        yield f"  - At {point} the goal was evaluated exactly."
    for side in certificate.get("sides", ()):
        where = "Right" if side.get("direction") == 1 else "Left"
        yield (
            f"  - {where} of {side.get('point')} the expansion of {side.get('shows')} starts with "
            f"the coefficient {side.get('leading')}; an enclosure of the rest settles the sign."
        )
    for tail in certificate.get("tails", ()):
        sign, end = (">=", "") if tail.get("direction") == 1 else ("<=", "-")
        place = f"{sign} {end}{tail.get('start')}"
        yield f"  - For values {place}, to infinity: by the form `{tail.get('form')}`."
    forms: dict[str, list[Sequence[Any]]] = {}
    for leaf in certificate["leaves"]:
        forms.setdefault(str(leaf[2]) if len(leaf) > 2 else "enclosure", []).append(leaf)
    for form, leaves in forms.items():
        first = f"[{leaves[0][0]}, {leaves[0][1]}]"
        count = f"{first} and {len(leaves) - 1} more intervals" if len(leaves) > 1 else first
        yield f"  - On {count}: positive by the form `{form}`."


def _lines(value: Any, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if isinstance(value, Mapping):
        for key, item in value.items():
            text = _inline(item)
            if text is not None:
                yield f"{indent}{key}: {text}"
            elif depth < _DEEPEST:
                yield f"{indent}{key}:"
                yield from _lines(item, depth + 1)
            else:
                yield f"{indent}{key}: ..."
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            text = _inline(item)
            if text is not None:
                yield f"{indent}- {text}"
            elif depth < _DEEPEST:
                yield from _lines(item, depth + 1)
            else:
                yield f"{indent}- ..."
    else:
        yield f"{indent}{str(value)[:_LONGEST_TEXT]}"


def _inline(value: Any) -> str | None:
    """The text of a short value, None for what needs lines of its own."""
    if isinstance(value, Mapping):
        text = ", ".join(f"{key} {_plain(item)}" for key, item in value.items())
        flat = all(not isinstance(item, Mapping | list | tuple) for item in value.values())
        return text if flat and len(text) <= _LONGEST_TEXT else None
    text = _plain(value)
    return text if len(text) <= _LONGEST_TEXT or not isinstance(value, list | tuple) else None


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_plain(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_plain(item)}" for key, item in value.items()) + "}"
    text = str(value)
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 3] + "..."
