"""What every renderer reads: one row a verdict, and the whole run as a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bounds.status import Status, weakest
from proofs_check.outcome import Outcome, exit_code
from proofs_check.verdict import Verdict, Witness

if TYPE_CHECKING:  # a report on one inequality needs no claims, hence no SymPy
    from bounds.catalog import Entry, Origin
    from bounds.claim import Claim


class Kind(StrEnum):
    """What a row is about. FILE is a claim file (or a set of plug-ins) that could not be read."""

    CLAIM = "claim"
    VARIANT = "variant"
    MUTANT = "mutant"
    FILE = "file"


@dataclass(frozen=True)
class Subject:
    """What is to be checked. ``why`` says why a mutant is false, or what a variant changes."""

    kind: Kind
    id: str
    title: str
    result: str
    expected: Status | None = None
    source: str = ""
    why: str = ""
    origin: Origin | None = None


@dataclass(frozen=True)
class Row:
    """A subject with its verdict, and how that stands to what was expected."""

    subject: Subject
    verdict: Verdict
    outcome: Outcome

    @property
    def id(self) -> str:
        """The id of the claim, variant or mutant, or the path of the file."""
        return self.subject.id

    @property
    def status(self) -> Status:
        """The status of the verdict."""
        return self.verdict.status


@dataclass(frozen=True)
class Report:
    """All rows of a run, with the settings that fix it and the seconds it took."""

    rows: tuple[Row, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def of(self, *kinds: Kind) -> tuple[Row, ...]:
        """The rows of these kinds."""
        return tuple(row for row in self.rows if row.subject.kind in kinds)

    @property
    def unmet(self) -> tuple[Row, ...]:
        """The rows that are not as expected."""
        return tuple(row for row in self.rows if row.outcome is not Outcome.MET)

    @property
    def exit_code(self) -> int:
        """See :func:`proofs_check.outcome.exit_code`."""
        return exit_code(row.outcome for row in self.rows)

    def results(self) -> dict[str, Row]:
        """For every result the row of its weakest part, in the order of the rows."""
        parts: dict[str, list[Row]] = {}
        for row in self.of(Kind.CLAIM):
            parts.setdefault(row.subject.result, []).append(row)
        return {result: _weakest(rows) for result, rows in parts.items()}

    def counts(self, rows: Iterable[Row]) -> dict[Status, int]:
        """How many of the rows have each status, strongest first; without the empty ones."""
        found = [row.status for row in rows]
        return {status: found.count(status) for status in Status if status in found}


def _weakest(rows: list[Row]) -> Row:
    low = weakest([row.status for row in rows])
    return next(row for row in rows if row.status is low)


def subject_of(entry: Entry) -> Subject:
    """The claim of a catalogue entry as a subject."""
    return _subject(Kind.CLAIM, entry.claim, entry.origin)


def variants_of(entry: Entry) -> tuple[Subject, ...]:
    """The variants of an entry's claim as subjects."""
    return tuple(
        _subject(Kind.VARIANT, entry.claim.as_printed(variant), entry.origin, variant.why)
        for variant in entry.claim.variants
    )


def mutants_of(entry: Entry) -> tuple[Subject, ...]:
    """The mutants of an entry's claim as subjects."""
    return tuple(
        _subject(Kind.MUTANT, entry.claim.mutated(mutant), entry.origin, mutant.why)
        for mutant in entry.claim.mutants
    )


def _subject(kind: Kind, claim: Claim, origin: Origin, why: str = "") -> Subject:
    return Subject(
        kind=kind,
        id=claim.id,
        title=claim.title,
        result=claim.result,
        expected=None if kind is Kind.MUTANT else claim.expected,
        source=str(claim.source),
        why=why,
        origin=origin,
    )


def witness_lines(witness: Witness) -> tuple[str, ...]:
    """A witness in words: the instance, the two sides there, and what went wrong."""
    instance = ", ".join(f"{name} = {plain(value)}" for name, value in witness.instance.items())
    return (
        f"at {instance}" if instance else "at the only instance",
        f"left {witness.lhs}, right {witness.rhs} ({witness.arithmetic})",
        witness.failure,
    )


def plain(value: Any) -> str:
    """A number, or nested lists of exact texts, without the quotes that Python would print."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(plain(item) for item in value) + "]"
    return str(value)


def needed_action(row: Row) -> str:
    """What the author can do about a row that is not as expected; empty when it is."""
    status, expected = row.status, row.subject.expected
    look = f"`proofs-check show {row.id}{_place(row.subject.origin)}`"
    if row.outcome is Outcome.MET:
        return ""
    if row.subject.kind is Kind.FILE:
        return "correct what the message names, and run again"
    if row.subject.kind is Kind.MUTANT and status is Status.ERROR:
        return f"see {look}; correct the mutant where the message points"
    if row.subject.kind is Kind.MUTANT:
        return "the mutant is true, or the prover is wrong: check the argument of its falsity"
    if status is Status.ERROR:
        return f"see {look}; correct the claim where the message points"
    if status is Status.REFUTED:
        return "correct the statement, or add the hypothesis that the witness violates"
    if row.outcome is Outcome.CONTRADICTED:
        return f"it was expected to be {expected} and is {status}: set its `expected`, or its sides"
    if status is Status.UNDECIDED:
        return f"raise --budget or --precision, or see {look} for what each method found"
    if expected is Status.PROVED:
        return f"set expected=Status.CONSISTENT until a proof is found; {look} says what is missing"
    return f"it has no proof yet: {look} says what is missing; or leave --require-proof out"


def _place(origin: Origin | None) -> str:
    return f" --file {origin.name}" if origin is not None and origin.is_file else ""
