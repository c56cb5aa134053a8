"""A report as tables for a terminal. Functions return what Rich can print; nothing prints here.

Texts from claims are plain text: they are never read as Rich markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bounds.status import Status
from proofs_check.outcome import Outcome
from proofs_check.report.rows import Kind, Report, Row, needed_action, witness_lines
from proofs_check.verdict import Strength, Tightness

NARROW = 100  # columns; below that a title stands under its id

LONGEST_ID = 24  # a longer id is folded, so that an 80-column terminal shows every column

STYLES = {
    Status.PROVED: "green",
    Status.CONSISTENT: "cyan",
    Status.UNDECIDED: "yellow",
    Status.REFUTED: "bold red",
    Status.ERROR: "bold magenta",
}


def verify_view(report: Report, *, width: int = 120) -> Group:
    """Table of claims, status of the results, findings, what is not as expected, and a summary."""
    claims = report.of(Kind.CLAIM)
    parts: list[RenderableType] = [claims_table(claims, width)] if claims else []
    parts += [*_results(report), *_findings(report), *closing_lines(report)]
    return Group(*parts)


def closing_lines(report: Report) -> list[RenderableType]:
    """What is not as expected and what to do about it, then the summary line."""
    return [*_unmet(report.unmet), Text(), summary_line(report)]


def claims_table(rows: tuple[Row, ...], width: int) -> Table:
    """id, title, status, strength, tightness, time."""
    narrow = width < NARROW
    if narrow:
        table = _bare_table()
        table.add_column("id and title", overflow="fold")
    else:
        table = empty_table("id", "title", [row.id for row in rows])
    table.add_column("status", no_wrap=True)
    table.add_column("strength", min_width=10, max_width=10)
    table.add_column("tightness", overflow="fold", max_width=14 if narrow else 24)
    table.add_column("time", justify="right", no_wrap=True, min_width=7)
    for row in rows:
        name, title = Text(row.id, style="bold"), Text(row.subject.title)
        first = [Text.assemble(name, "\n", title)] if narrow else [name, title]
        table.add_row(
            *first,
            status_text(row.status),
            Text("" if row.verdict.strength is Strength.NONE else str(row.verdict.strength)),
            Text(tightness_text(row.verdict.tightness)),
            Text(f"{row.verdict.seconds:.1f} s"),
        )
    return table


def empty_table(first: str, second: str, ids: Iterable[str]) -> Table:
    """A table without rows. Other columns wrap first: an id is read, copied and searched whole."""
    width = min(max(map(len, (first, *ids))), LONGEST_ID)
    table = _bare_table()
    table.add_column(first, overflow="fold", width=width, style="bold")
    table.add_column(second, overflow="fold")
    return table


def _bare_table() -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)


def status_text(status: Status) -> Text:
    """The status in its colour."""
    return Text(str(status), style=STYLES[status])


def tightness_text(tightness: Tightness | None) -> str:
    """The largest left/right ratio and where it was met: ``0.4987 @ one token``."""
    if tightness is None:
        return ""
    return f"{tightness.ratio:.4g} @ {tightness.where}"


def indented(text: Text, spaces: int) -> Padding:
    """A text moved to the right, also where it wraps."""
    return Padding(text, (0, 0, 0, spaces), expand=False)


def _heading(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _results(report: Report) -> Iterator[RenderableType]:
    weakest = report.results()
    if not weakest:
        return
    yield _heading("Results (each as weak as its weakest part)")
    for status in Status:
        names = [_result_name(name, row) for name, row in weakest.items() if row.status is status]
        if names:
            line = Text.assemble(Text(f"{status:<11}", style=STYLES[status]), "  ".join(names))
            yield indented(line, 2)


def _result_name(result: str, weakest: Row) -> str:
    if weakest.id == result or weakest.status is Status.PROVED:
        return result
    return f"{result} ({weakest.id})"


def _findings(report: Report) -> Iterator[RenderableType]:
    variants = report.of(Kind.VARIANT)
    if variants:
        yield _heading("Findings (statements as printed elsewhere)")
    for row in variants:
        met = "as expected" if row.outcome is Outcome.MET else f"expected {row.subject.expected}"
        lines = [row.subject.source, row.subject.why]
        yield from _block(row, met, [line for line in lines if line], with_witness=True)


def _unmet(rows: tuple[Row, ...]) -> Iterator[RenderableType]:
    if rows:
        yield _heading("Not as expected")
    for row in rows:
        expected = row.subject.expected
        wanted = "" if expected is None else f"expected {expected}"
        if row.status is expected:
            wanted = "a proof is required"
        yield from _block(row, wanted, [row.verdict.summary], row.subject.kind is not Kind.VARIANT)
        yield indented(Text(f"to do: {needed_action(row)}", style="italic"), 4)


def _block(row: Row, remark: str, lines: list[str], with_witness: bool) -> Iterator[RenderableType]:
    tail = f", {remark}" if remark else ""
    yield indented(Text.assemble((row.id, "bold"), "  ", status_text(row.status), tail), 2)
    if with_witness and row.verdict.witness is not None:
        lines = [*lines, *witness_lines(row.verdict.witness)]
    for line in lines:
        yield indented(Text(line), 4)


def summary_line(report: Report) -> Text:
    """How many of each status, whether all is as expected, and what fixes the run."""
    claims, variants = report.of(Kind.CLAIM), report.of(Kind.VARIANT)
    counts = report.counts(claims)
    line = Text(_number(len(claims), "claim"), style="bold")
    for position, (status, number) in enumerate(counts.items()):
        line.append_text(Text.assemble(": " if not position else ", ", f"{number} "))
        line.append_text(status_text(status))
    if variants:
        line.append(f"; {_number(len(variants), 'variant')}")
    if files := report.of(Kind.FILE):
        line.append(f"; {_number(len(files), 'file')} not read", style=STYLES[Status.ERROR])
    unmet = len(report.unmet)
    line.append("; all as expected" if not unmet else f"; {unmet} not as expected")
    return line.append_text(_provenance(report))


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _provenance(report: Report) -> Text:
    seed, precision = report.settings.get("seed"), report.settings.get("precision")
    return Text(f" (seed {seed}, {precision} bits, {report.seconds:.1f} s)", style="dim")


def mutants_view(report: Report) -> Group:
    """Table of mutants, then how many were refuted and how many merely not proved."""
    mutants = report.of(Kind.MUTANT)
    table = empty_table("mutant", "why it is false", [row.id for row in mutants])
    table.add_column("status", no_wrap=True)
    table.add_column("witness", overflow="fold")
    for row in mutants:
        witness = row.verdict.witness
        found = "\n".join(witness_lines(witness)[:2]) if witness else row.verdict.summary
        table.add_row(Text(row.id), Text(row.subject.why), status_text(row.status), Text(found))
    return Group(table, *_unmet(report.unmet), Text(), _mutants_summary(report, mutants))


def _mutants_summary(report: Report, mutants: tuple[Row, ...]) -> Text:
    counts = report.counts(mutants)
    proved, refuted = counts.get(Status.PROVED, 0), counts.get(Status.REFUTED, 0)
    line = Text(f"{_number(len(mutants), 'mutant')}: ", style="bold")
    line.append(f"{refuted} refuted with a witness, ")
    line.append(f"{len(mutants) - refuted - proved} not proved, ")
    line.append(f"{proved} proved", style="bold red" if proved else "")
    line.append(" (none may be)")
    return line.append_text(_provenance(report))
