"""A report as JUnit XML, which CI systems show without further help.

One test case a claim or variant; what is not as expected is a failure, an ERROR verdict an error.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from bounds.status import Status
from proofs_check.outcome import Outcome
from proofs_check.report.rows import Report, Row, needed_action, witness_lines

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

# XML 1.0 cannot carry these characters, not even escaped.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """The report as an XML document that ends with a newline."""
    failed = [row for row in report.unmet if row.status is not Status.ERROR]
    broken = [row for row in report.unmet if row.status is Status.ERROR]
    suite = ET.Element(
        "testsuite",
        name="proofs-check",
        tests=str(len(report.rows)),
        failures=str(len(failed)),
        errors=str(len(broken)),
        skipped="0",
        time=f"{report.seconds:.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in sorted(report.settings.items()):
        ET.SubElement(properties, "property", name=_clean(name), value=_clean(str(value)))
    for row in report.rows:
        suite.append(_case(row))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return DECLARATION + ET.tostring(root, encoding="unicode") + "\n"


def _case(row: Row) -> ET.Element:
    case = ET.Element(
        "testcase",
        classname=_clean(f"proofs-check.{row.subject.result or row.subject.kind}"),
        name=_clean(row.id),
        time=f"{row.verdict.seconds:.3f}",
    )
    if row.outcome is not Outcome.MET:
        tag = "error" if row.status is Status.ERROR else "failure"
        fault = ET.SubElement(case, tag, message=_clean(row.verdict.summary), type=str(row.status))
        fault.text = _clean("\n".join(explanation(row)))
    lines = (row.subject.title, f"{row.status} ({row.verdict.strength}): {row.verdict.summary}")
    ET.SubElement(case, "system-out").text = _clean("\n".join(lines))
    return case


def explanation(row: Row) -> tuple[str, ...]:
    """What was found, what was expected, the witness, and what to do."""
    expected = row.subject.expected
    head = f"{row.status}, expected {expected}" if expected is not None else str(row.status)
    witness = witness_lines(row.verdict.witness) if row.verdict.witness is not None else ()
    return (head, row.verdict.summary, *witness, needed_action(row))


def _clean(text: str) -> str:
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
