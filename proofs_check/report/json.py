"""A report as JSON, for other programs. Keys are sorted, so two equal runs differ only in times.

    {
      "format": "proofs-check/verdicts",   what this file is
      "version": 1,                        changes when a key changes its meaning
      "tool": {"name", "version"},
      "settings": {"seed", "precision", "budget", ...},
      "seconds": 12.3,                     wall-clock time of the run
      "exit_code": 0,
      "counts": {"PROVED": 30, ...},       claims only
      "results": {"I2": {"status": "PROVED", "weakest": "I2.bound"}, ...},
      "verdicts": [
        {
          "kind": "claim" | "variant" | "mutant" | "file",
          "id", "title", "result", "source", "why",
          "expected": "PROVED" | ... | null,
          "outcome": "met" | "contradicted" | "weaker" | "broken",
          "status", "strength", "summary", "seconds", "settings",
          "used": [...], "unneeded": [...], "axioms": [...],
          "example": {...} | null,         exact text, one point that satisfies every hypothesis
          "tightness": {"ratio", "where"} | null,
          "witness": {"instance", "lhs", "rhs", "arithmetic", "failure"} | null,
          "evidence": [
            {"method", "status", "strength", "summary", "details", "used", "witness",
             "tightness", "example", "capping"}
          ]
        }
      ]
    }

Numbers of instances are exact text. JSON has no infinities: a float that is not finite is the text
``"inf"``, ``"-inf"`` or ``"nan"``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from proofs_check.report.rows import Kind, Report, Row

FORMAT = "proofs-check/verdicts"
VERSION = 1


def render(report: Report, tool_version: str) -> str:
    """The report as JSON text that ends with a newline."""
    return json.dumps(document(report, tool_version), indent=2, sort_keys=True) + "\n"


def document(report: Report, tool_version: str) -> dict[str, Any]:
    """The report as plain dictionaries, lists, texts and numbers; see the module's text."""
    counts = report.counts(report.of(Kind.CLAIM))
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": {"name": "proofs-check", "version": tool_version},
        "settings": jsonable(report.settings),
        "seconds": round(report.seconds, 3),
        "exit_code": report.exit_code,
        "counts": {str(status): number for status, number in counts.items()},
        "results": {
            result: {"status": str(row.status), "weakest": row.id}
            for result, row in report.results().items()
        },
        "verdicts": [_row(row) for row in report.rows],
    }


def _row(row: Row) -> dict[str, Any]:
    subject, verdict = row.subject, row.verdict
    said = jsonable(verdict)
    del said["claim_id"]  # the same as "id", except for a file
    del said["certificate"]  # a file of its own, if wanted
    return {
        **said,
        "seconds": round(verdict.seconds, 3),
        "kind": str(subject.kind),
        "id": subject.id,
        "title": subject.title,
        "result": subject.result,
        "source": subject.source,
        "why": subject.why,
        "expected": None if subject.expected is None else str(subject.expected),
        "outcome": row.outcome.name.lower(),
    }


def jsonable(value: Any) -> Any:
    """Dataclasses and mappings as dictionaries, sets sorted, enums by value, the rest as text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((jsonable(item) for item in value), key=str)
    if isinstance(value, Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return str(value)
