"""`proofs-check prove`: decide one inequality, in a worker that can be killed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proofs_check.cli.options import (
    LOCAL,
    CacheFolder,
    Executor,
    Jobs,
    NoCache,
    PlainFormat,
    ProofBudget,
    Seed,
    available_cpus,
    chosen_cache,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Group

    from proofs_check.verdict import Verdict

DEFAULT_BUDGET = 20.0


def prove(
    relation: Annotated[
        str, typer.Argument(metavar="RELATION", help="Such as 'log(1+x) <= x'.", show_default=False)
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", "-w", metavar="HYPOTHESIS", help="Such as 'x > -1'; may be given again."
        ),
    ] = None,
    format: Annotated[PlainFormat, typer.Option(help="How it is written.")] = PlainFormat.TABLE,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the argument step by step.")
    ] = False,
    work: Annotated[
        int | None,
        typer.Option(
            "--work", metavar="N", min=1, help="Units each method may spend.", show_default=False
        ),
    ] = None,
    seed: Seed = 0,
    budget: ProofBudget = DEFAULT_BUDGET,
    parts: Annotated[
        int,
        typer.Option(
            "--parts",
            metavar="N",
            min=1,
            max=256,
            help="Cut the region of a hard inequality in several variables into N parts, each "
            "shown alone.",
        ),
    ] = 1,
    jobs: Jobs = None,
    executor: Executor = LOCAL,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            "-c",
            metavar="FILE",
            help="Write the proof to a file that `proofs-check recheck` confirms.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw both sides (one variable) or the room between them (two): .png .svg .pdf",
            show_default=False,
        ),
    ] = None,
    second_opinion: Annotated[
        bool, typer.Option("--second-opinion", help="Ask z3 too (needs the extra `smt`).")
    ] = False,
    cache: CacheFolder = None,
    no_cache: NoCache = False,
) -> int:
    """Prove or refute an inequality for all real values that meet the hypotheses.

    Understood: + - * / **, exp log log2 sqrt cbrt, trigonometric and hyperbolic functions and
    their inverses, erf gamma loggamma besseli lambertw, abs min max floor, pi E; chains
    (0 <= x < 1), and, or, not, implies(a, b); `n in N`, `n in Z`. Numbers are exact: 0.1 is 1/10.

    \b
    Examples:
      proofs-check prove "log(1+x) <= x" --where "x > -1"
      proofs-check prove "2**n >= n + 1" --where "n in N" --explain
      proofs-check prove "x*y <= 1/4" --where "x + y == 1" --format json
      proofs-check prove "exp(x) >= 1 + x" --certificate proof.json
      proofs-check prove "x*exp(-x) <= 3/8" --where "x >= 0" --plot sides.svg

    \b
    Exit codes:
      0  proved
      1  refuted, with an exact point
      2  undecided
      3  an error: undefined inside the region, contradictory hypotheses, wrong use
    """
    from proofs_check.cli.output import require_writable, screen
    from proofs_check.methods.inequality.cases import as_condition, goals
    from proofs_check.report.plot import check_format

    require_writable(certificate)
    if plot is not None:
        check_format(plot)
        require_writable(plot)
    kept = chosen_cache(cache, without=no_cache)
    hypotheses = tuple(where or ())
    goals(as_condition(relation), [as_condition(one) for one in hypotheses])  # errors come first
    options = {"work": work, "seed": seed, "cache": kept, "second_opinion": second_opinion}
    options |= {"margin": True, "parts": parts}
    if parts == 1:
        verdict = _in_worker(relation, hypotheses, options, budget=budget)
    else:
        place = executor, jobs or (available_cpus() if executor == LOCAL else None)
        verdict = _in_worker(relation, hypotheses, options, place, budget=budget)
    _write(certificate, verdict)
    if plot is not None:
        _draw(plot, relation, hypotheses, verdict)
    if format is PlainFormat.JSON:
        typer.echo(_as_json(relation, hypotheses, verdict))
    else:
        screen().print(_view(relation, hypotheses, verdict, explain=explain))
    return _exit_code(verdict)


def _write(path: Path | None, verdict: Verdict) -> None:
    """The certificate to its file; what is not proved has none, and an old file stays."""
    if path is None:
        return
    from proofs_check.cli.output import write_text
    from proofs_check.recheck.file import canonical

    if verdict.certificate is None:
        typer.echo(f"proofs-check: not proved, so {path} is not written", err=True)
    else:
        write_text(path, canonical(verdict.certificate).decode("ascii") + "\n")


def _draw(path: Path, relation: str, hypotheses: Sequence[str], verdict: Verdict) -> None:
    """The picture, with the witness or the place of least room marked."""
    from fractions import Fraction

    from proofs_check.methods.inequality.cases import as_condition
    from proofs_check.report.plot import draw, picture

    marked = None if verdict.witness is None else verdict.witness.instance
    for evidence in verdict.evidence:
        marked = marked or evidence.details.get("margin", {}).get("at")
    point = None if marked is None else {name: Fraction(text) for name, text in marked.items()}
    conditions = [as_condition(one) for one in hypotheses]
    draw(picture(as_condition(relation), conditions, point), path)


def _in_worker(
    relation: str,
    hypotheses: Sequence[str],
    options: Mapping[str, Any],
    place: tuple[str, int | None] | None = None,
    *,
    budget: float,
) -> Verdict:
    """The verdict of a process that can be killed; it has the parts shown at the place, if any."""
    from dataclasses import replace

    from proofs_check.workers import Job, run_job

    given = relation, list(hypotheses)
    job = Job("proofs_check.inequalities", "prove", given, options)
    if place is not None:
        wanted = {**options, "budget": budget}
        job = Job("proofs_check.places", "prove_in_parts", (*given, *place, wanted))
    verdict = run_job(job, budget=budget)
    return replace(verdict, settings={**verdict.settings, "budget": budget})


def _exit_code(verdict: Verdict) -> int:
    from bounds.status import Status
    from proofs_check.cli.errors import TOOL_ERROR

    codes = {Status.PROVED: 0, Status.REFUTED: 1, Status.UNDECIDED: 2}
    return codes.get(verdict.status, TOOL_ERROR)


def _as_json(relation: str, hypotheses: Sequence[str], verdict: Verdict) -> str:
    import json

    from proofs_check.cli.app import tool_version
    from proofs_check.report.json import jsonable

    said = jsonable(verdict)
    del said["certificate"]  # its proofs stand in the evidence; --certificate writes the file
    found = {
        "format": "proofs-check/proof",
        "version": 1,
        "tool": {"name": "proofs-check", "version": tool_version()},
        "relation": relation,
        "hypotheses": list(hypotheses),
        "exit_code": _exit_code(verdict),
        "verdict": said,
    }
    return json.dumps(found, indent=2, sort_keys=True)


def _view(relation: str, hypotheses: Sequence[str], verdict: Verdict, *, explain: bool) -> Group:
    from rich.console import Group, RenderableType
    from rich.text import Text

    from proofs_check.methods.inequality.explain import steps
    from proofs_check.report.rows import witness_lines
    from proofs_check.report.terminal import indented, status_text

    place = f"  where {' and '.join(hypotheses)}" if hypotheses else "  for all real values"
    head = status_text(verdict.status).append(f"  {relation}", style="bold")
    lines: list[RenderableType] = [head.append(place, style="not bold")]
    texts = [verdict.summary]
    if verdict.witness is not None:
        texts = list(witness_lines(verdict.witness))
    methods = ", ".join(dict.fromkeys(evidence.method for evidence in verdict.evidence))
    units = sum(int(evidence.details.get("work", 0)) for evidence in verdict.evidence)
    facts = f"{methods}, {units} work units, " if methods else ""
    texts += [*_room(verdict), *_opinion(verdict), f"{facts}{verdict.seconds:.2f} s"]
    lines += [indented(Text(text), 2) for text in texts]
    if explain and verdict.evidence:
        lines += [Text("\nArgument", style="bold"), *(indented(Text(s), 2) for s in steps(verdict))]
    return Group(*lines)


def _room(verdict: Verdict) -> list[str]:
    """How far apart the sides are where they come closest."""
    for evidence in verdict.evidence:
        margin = evidence.details.get("margin")
        if margin is not None:
            place = ", ".join(f"{name} = {value}" for name, value in margin["at"].items())
            if margin["attained"]:
                return [f"tight: equality at {place}"]
            least = margin.get("at_least", "0")
            return [f"room: between {least} and {margin['at_most']}, the latter at {place}"]
    return []


def _opinion(verdict: Verdict) -> list[str]:
    """What z3 says."""
    said = [e.summary for e in verdict.evidence if e.details.get("opinion")]
    return [f"second opinion: {one}" for one in dict.fromkeys(said)]
