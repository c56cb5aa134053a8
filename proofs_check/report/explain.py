"""One claim in full, for `proofs-check show`: what it says, from what, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from bounds.axioms import AXIOMS
from bounds.claim import Claim, Neighbour
from bounds.hypothesis import HypothesisKind
from proofs_check.report.rows import plain, witness_lines
from proofs_check.report.statement import (
    SIGNS,
    latex_statement,
    unicode_expression,
    unicode_hypothesis,
    unicode_statement,
)
from proofs_check.report.terminal import indented, status_text, tightness_text
from proofs_check.verdict import Evidence, Verdict


def claim_view(claim: Claim, *, width: int = 80) -> Group:
    """Everything the claim itself says."""
    return Group(*_claim_lines(claim, width))


def _claim_lines(claim: Claim, width: int) -> Iterator[RenderableType]:
    yield Text.assemble((claim.id, "bold"), f"  {claim.title}")
    yield from _section("Statement", [unicode_statement(claim, width - 2)])
    for kind in HypothesisKind:
        members = [h for h in claim.hypotheses if h.kind is kind]
        lines = [
            f"{h.name}: {unicode_hypothesis(h)}{f'  ({h.place})' if h.place else ''}"
            for h in members
        ]
        yield from _section(f"Hypotheses, {kind}", lines)
    yield from _section("Quantities", [f"{q.symbol}: {q.meaning}" for q in claim.quantities])
    yield from _section("Derivation", list(_derivation_lines(claim)))
    yield from _section("Source", [str(claim.source)])
    yield from _section("Mutants (false neighbours)", _neighbour_lines("~", claim.mutants))
    yield from _section("Variants (as printed)", _neighbour_lines("@", claim.variants))
    yield from _section("Expected", [str(claim.expected)])
    yield from _section("Tags", [", ".join(claim.tags)] if claim.tags else [])


def _section(title: str, lines: list[str]) -> Iterator[RenderableType]:
    if lines:
        yield Text(f"\n{title}", style="bold")
    for line in lines:
        yield indented(Text(line), 2)


def _derivation_lines(claim: Claim) -> Iterator[str]:
    if claim.derivation is None:
        return
    yield unicode_expression(claim.derivation.start)
    for step in claim.derivation.steps:
        note = f": {step.note}" if step.note else ""
        yield f"{SIGNS[step.relation]}  by {step.rule}{note}"
        yield unicode_expression(step.expression)


def _neighbour_lines(mark: str, neighbours: tuple[Neighbour, ...]) -> list[str]:
    return [_neighbour_line(mark, neighbour) for neighbour in neighbours]


def _neighbour_line(mark: str, neighbour: Neighbour) -> str:
    dropped = f" (without: {', '.join(neighbour.drop)})" if neighbour.drop else ""
    return f"{mark}{neighbour.name}: {neighbour.why}{dropped}"


def verdict_view(verdict: Verdict) -> Group:
    """The verdict with its evidence."""
    return Group(*_verdict_lines(verdict))


def _verdict_lines(verdict: Verdict) -> Iterator[RenderableType]:
    head = Text("\nVerdict  ", style="bold")
    yield head.append_text(status_text(verdict.status)).append(f" ({verdict.strength})")
    yield indented(Text(verdict.summary), 2)
    if verdict.evidence:
        yield Text("\nEvidence", style="bold")
    for evidence in verdict.evidence:
        yield indented(_evidence_line(evidence), 2)
        for line in _detail_lines(evidence.details):
            yield indented(Text(line, style="dim"), 4)
    facts = {
        "hypotheses used": ", ".join(verdict.used),
        "proved again without": ", ".join(verdict.unneeded),
        "axioms": ", ".join(verdict.axioms),
        "tightness": tightness_text(verdict.tightness),
        "example that satisfies every hypothesis": plain(verdict.example or "").strip("{}"),
        "settings": plain(verdict.settings).strip("{}"),
        "time": f"{verdict.seconds:.1f} s",
    }
    yield from _section("Details", [f"{name}: {text}" for name, text in facts.items() if text])
    if verdict.witness is not None:
        yield from _section("Witness", list(witness_lines(verdict.witness)))


def _evidence_line(evidence: Evidence) -> Text:
    line = Text(f"- {evidence.method}: ").append_text(status_text(evidence.status))
    return line.append(f", {evidence.summary}" if evidence.summary else "")


def _detail_lines(details: Mapping[str, Any]) -> Iterator[str]:
    """The parts of the details that are worth reading; JSON has them all."""
    for step in details.get("steps", ()):
        yield f"step {step['number']} {step['status']}: {step['reason']}"
    yield from (str(line) for line in details.get("trace", ()))
    kinds = [str(kind) for kind in details.get("kinds", ())]
    named = [kind for kind in kinds if not kind.startswith("random")]
    if kinds:
        yield f"kinds of instances: {', '.join([*named, f'{len(kinds) - len(named)} random'])}"


def latex_view(claim: Claim) -> str:
    """The claim as LaTeX: its statement in a display, then its hypotheses as a list."""
    lines = [rf"% {claim.id}: {claim.title}", r"\[", latex_statement(claim), r"\]"]
    if claim.hypotheses:
        lines.append(r"\begin{itemize}")
        for hypothesis in claim.hypotheses:
            is_formula = hypothesis.kind is HypothesisKind.SCALAR
            text = f"${hypothesis.statement}$" if is_formula else hypothesis.statement
            lines.append(rf"\item {text}")
        lines.append(r"\end{itemize}")
    return "\n".join(lines)


def axiom_lines(ids: tuple[str, ...]) -> Group:
    """The cited results with these ids: statement, source and the test that tries them."""
    parts: list[RenderableType] = []
    for axiom in (AXIOMS[name] for name in ids):
        parts.append(Text(axiom.id, style="bold"))
        lines = (axiom.statement, f"source: {axiom.source}", f"tried by: {axiom.tested_by}")
        parts += [indented(Text(line), 2) for line in lines]
    return Group(*parts)
