"""The same rows as a table, as JSON and as JUnit."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from bounds.status import Status
from proofs_check.outcome import Outcome, judge
from proofs_check.report import json as json_report
from proofs_check.report import junit
from proofs_check.report.rows import Kind, Report, Row, Subject, needed_action
from proofs_check.report.terminal import mutants_view, verify_view
from proofs_check.verdict import Evidence, Strength, Tightness, Verdict, Witness

WITNESS = Witness(
    {"x": "1/2", "K": [["1", "0"], ["0", "2"]]}, "3", "1", "rational", "left exceeds right by 2"
)


def row(
    name: str,
    status: Status,
    expected: Status = Status.PROVED,
    *,
    kind: Kind = Kind.CLAIM,
    title: str = "a title",
    **verdict: Any,
) -> Row:
    found = Verdict(name, status, Strength.NONE, verdict.pop("summary", "summary"), **verdict)
    subject = Subject(kind, name, title, name.split(".")[0], expected, "A paper", "why so")
    return Row(subject, found, judge(expected, status))


def report(*rows: Row) -> Report:
    return Report(rows, {"seed": 0, "precision": 128, "budget": 60.0}, 1.5)


def text_of(view: RenderableType, width: int) -> str:
    buffer = StringIO()
    Console(file=buffer, width=width, color_system=None, highlight=False).print(view)
    return buffer.getvalue()


SAMPLE = report(
    row("I1.a", Status.PROVED, summary="same normal form"),
    row("I1.b", Status.CONSISTENT, Status.CONSISTENT, tightness=Tightness(0.5, "one token")),
    row("S2.swap@printed", Status.REFUTED, Status.REFUTED, kind=Kind.VARIANT, witness=WITNESS),
    row("I2", Status.REFUTED, witness=WITNESS, summary="fails at a corner"),
    row("G8", Status.ERROR, summary="ValueError: [red]bad[/red] & <worse>\x00"),
)


class TestTerminal:
    @pytest.mark.parametrize("width", [80, 120])
    def test_nothing_is_cut_off(self, width: int) -> None:
        shown = text_of(verify_view(SAMPLE, width=width), width)
        assert all(len(line) <= width for line in shown.splitlines())
        for needed in ("I1.b", "CONSISTENT", "0.5 @ one", "time", "0.0 s", "1 variant"):
            assert needed in shown

    def test_results_are_as_weak_as_their_weakest_part(self) -> None:
        assert "CONSISTENT I1 (I1.b)" in text_of(verify_view(SAMPLE), 120)

    def test_findings_show_the_witness(self) -> None:
        shown = text_of(verify_view(SAMPLE), 120)
        findings = shown.split("Findings")[1].split("Not as expected")[0]
        assert "S2.swap@printed  REFUTED, as expected" in findings
        assert "at x = 1/2, K = [[1, 0], [0, 2]]" in findings
        assert "left 3, right 1 (rational)" in findings

    def test_what_is_not_as_expected_has_a_reason_and_a_remedy(self) -> None:
        unmet = text_of(verify_view(SAMPLE), 120).split("Not as expected")[1]
        assert "I2  REFUTED, expected PROVED" in unmet
        assert "fails at a corner" in unmet
        assert "to do: correct the statement" in unmet
        assert "4 claims: 1 PROVED, 1 CONSISTENT, 1 REFUTED, 1 ERROR" in unmet
        assert "2 not as expected" in unmet

    def test_markup_in_claims_is_plain_text(self) -> None:
        shown = text_of(verify_view(report(row("a", Status.PROVED, title="[red]x[/red] [/b]"))), 80)
        assert "[red]x[/red]" in shown

    def test_a_consistent_claim_is_told_why_a_proof_is_missing(self) -> None:
        strict = row("I4", Status.CONSISTENT, Status.CONSISTENT)
        strict = Row(strict.subject, strict.verdict, Outcome.WEAKER)
        assert "a proof is required" in text_of(verify_view(report(strict)), 120)
        assert "--require-proof" in needed_action(strict)

    def test_mutants(self) -> None:
        rows = [
            row("a~half", Status.REFUTED, kind=Kind.MUTANT, witness=WITNESS),
            row("a~sign", Status.UNDECIDED, kind=Kind.MUTANT),
        ]
        rows = [Row(r.subject, r.verdict, Outcome.MET) for r in rows]
        shown = text_of(mutants_view(report(*rows)), 120)
        assert "2 mutants: 1 refuted with a witness, 1 not proved, 0 proved" in shown
        assert "why so" in shown


class TestJson:
    def test_round_trip(self) -> None:
        found = json.loads(json_report.render(SAMPLE, "1.2"))
        assert found["format"] == "proofs-check/verdicts"
        assert found["version"] == 1
        assert found["exit_code"] == 3
        assert found["results"]["I1"] == {"status": "CONSISTENT", "weakest": "I1.b"}
        assert [verdict["id"] for verdict in found["verdicts"]] == [r.id for r in SAMPLE.rows]
        refuted = found["verdicts"][3]
        assert refuted["witness"]["instance"] == {"x": "1/2", "K": [["1", "0"], ["0", "2"]]}
        assert refuted["outcome"] == "contradicted"

    def test_evidence_is_complete_and_sorted(self) -> None:
        evidence = Evidence(
            "instances", Status.CONSISTENT, Strength.ENCLOSURE, "ok", used=frozenset("cab")
        )
        found = json.loads(
            json_report.render(report(row("a", Status.CONSISTENT, evidence=(evidence,))), "1")
        )
        shown = found["verdicts"][0]["evidence"][0]
        assert shown["used"] == ["a", "b", "c"]
        assert set(shown) == set(Evidence.__dataclass_fields__)
        assert list(found) == sorted(found)

    @settings(deadline=None)  # a shared machine may pause at any point
    @given(st.floats())
    def test_there_are_no_bare_infinities(self, ratio: float) -> None:
        def refuse(constant: str) -> None:
            raise AssertionError(constant)

        sample = report(row("a", Status.PROVED, tightness=Tightness(ratio, "x")))
        json.loads(json_report.render(sample, "1"), parse_constant=refuse)


class TestJunit:
    def test_one_case_a_verdict(self) -> None:
        suite = ET.fromstring(junit.render(SAMPLE)).find("testsuite")
        assert suite is not None
        counts = [suite.get(name) for name in ("tests", "failures", "errors")]
        assert counts == ["5", "1", "1"]
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        assert [child.tag for child in cases["I1.a"]] == ["system-out"]
        failure = cases["I2"].find("failure")
        assert failure is not None
        assert failure.text is not None
        assert "at x = 1/2" in failure.text
        error = cases["G8"].find("error")
        assert error is not None
        assert (error.get("message") or "").startswith("ValueError: [red]bad[/red] & <worse>")

    @settings(deadline=None)  # a shared machine may pause at any point
    @given(st.text())
    def test_any_text_gives_xml(self, text: str) -> None:
        sample = report(row("a", Status.REFUTED, title=text, summary=text))
        ET.fromstring(junit.render(sample).encode("utf-8", "surrogatepass"))
