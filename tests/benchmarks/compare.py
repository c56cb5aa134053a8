"""The public inequalities against z3, cvc5 and, where it is installed, dReal: one table, one run.

    python tests/benchmarks/compare.py --seconds 20

Every tool gets the same problem and the same limit in a process of its own. A tool is *wrong* when
it contradicts the label of the problem; *cannot say* when it lacks a function of the problem.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from peers import PEERS, ask, available
from test_inequalities import entries, hypotheses_of, problem_of

from proofs_check.methods.smtlib import CVC5, DREAL, Z3, NotExpressible, denial
from proofs_check.workers import Job, Workers

DIALECTS = {"z3": Z3, "cvc5": CVC5, "dreal": DREAL}
WORDS = {"unsat": "proved", "sat": "refuted"}
HEAD = ("tool", "proved", "refuted", "tight proved", "wrong", "undecided", "cannot say", "seconds")


@dataclass(frozen=True)
class Answer:
    """One tool on one problem: ``proved``, ``refuted``, ``undecided`` or ``cannot say``."""

    word: str
    seconds: float


def ours(entry: dict[str, Any], seconds: float, workers: Workers) -> Answer:
    """This package, in a worker like any user's; the checker's time is included."""
    job = Job("proofs_check.inequalities", "prove", (entry["claim"], hypotheses_of(entry)))
    verdict = workers.verdict(job, budget=seconds)
    word = verdict.status.name.lower()
    return Answer(word if word in ("proved", "refuted") else "undecided", verdict.seconds)


def peer(name: str, entry: dict[str, Any], seconds: float) -> Answer:
    """Another solver on the denial of the claim."""
    try:
        text = denial(problem_of(entry), DIALECTS[name])
    except NotExpressible:
        return Answer("cannot say", 0.0)
    answer, spent = ask(name, text, seconds)
    return Answer(WORDS.get(answer, "undecided"), spent)


def row(name: str, answers: Sequence[Answer], truths: Sequence[Any]) -> list[str]:
    """A line of the table."""
    pairs = list(zip(answers, truths, strict=True))
    words = [answer.word for answer in answers]
    right = [a.word for a, truth in pairs if a.word == ("refuted" if truth is False else "proved")]
    tight = sum(a.word == "proved" for a, truth in pairs if truth == "tight")
    wrong = sum(word in ("proved", "refuted") for word in words) - len(right)
    counts = [right.count("proved"), right.count("refuted"), tight, wrong]
    counts += [words.count("undecided"), words.count("cannot say")]
    return [name, *map(str, counts), f"{sum(answer.seconds for answer in answers):.1f}"]


def main() -> int:
    """Run all tools on all problems; 1 when this package was wrong somewhere."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="limit for each problem")
    parser.add_argument("--only", default="", help="problems whose id contains this text")
    options = parser.parse_args()
    problems = [entry for entry in entries() if options.only in entry["id"]]
    truths = [entry["truth"] for entry in problems]
    tools = [name for name in PEERS if available(name)]
    found: dict[str, list[Answer]] = {name: [] for name in ("proofs-check", *tools)}
    with Workers(modules=("proofs_check.inequalities",)) as workers:
        for entry in problems:
            found["proofs-check"].append(ours(entry, options.seconds, workers))
            for name in tools:
                found[name].append(peer(name, entry, options.seconds))
            words = "  ".join(f"{name} {answers[-1].word}" for name, answers in found.items())
            print(f"{entry['id']:<20}{entry['truth']!s:<7}{words}", file=sys.stderr, flush=True)
    rows = [row(name, answers, truths) for name, answers in found.items()]
    for line in (HEAD, *rows):
        print("".join(f"{cell:<14}" for cell in line).rstrip())
    missing = [name for name in PEERS if name not in tools]
    print(f"{len(problems)} problems, at most {options.seconds:g} s each.", end=" ")
    print(f"Not installed here: {', '.join(missing)}." if missing else "")
    return int(rows[0][4] != "0")


if __name__ == "__main__":
    sys.exit(main())
