"""Whole-number variables: all real values first, then case by case, with a proof for the tail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from bounds.status import Status
from proofs_check.methods.inequality.problem import Interval, Problem
from proofs_check.methods.inequality.result import Result

Decide = Callable[[Problem], Result]

MOST_CASES = 200
_TAIL_STARTS = (2, 4, 8, 16, 32, 64)


def decide(problem: Problem, decide_part: Decide) -> Result:
    """The decision on a problem with whole-number variables.

    Args:
        decide_part: decides problems with fewer whole-number variables.
    """
    relaxed = decide_part(replace(problem, integers=frozenset()))
    if relaxed.status is Status.PROVED:
        reason = f"{relaxed.reason}; shown for all real values"
        certificate = {"rule": "weaken", "integers": [], "proof": relaxed.certificate}
        return replace(relaxed, reason=reason, certificate=certificate)
    name = min(problem.integers, key=lambda n: (_size(problem.interval(n)), n))
    cases = _cases(problem.interval(name))
    if cases is not None:
        return _all_cases(problem, name, cases, decide_part, tails={})
    return _with_tails(problem, name, decide_part, relaxed)


def _size(interval: Interval) -> Fraction:
    if interval.low is None or interval.high is None:
        return Fraction(10**30)
    return interval.high - interval.low


def first_whole(interval: Interval) -> int | None:
    """The smallest whole number of an interval that is bounded below."""
    if interval.low is None:
        return None
    first = -((-interval.low.numerator) // interval.low.denominator)
    return first + 1 if interval.open_low and first == interval.low else first


def last_whole(interval: Interval) -> int | None:
    """The largest whole number of an interval that is bounded above."""
    if interval.high is None:
        return None
    last = interval.high.numerator // interval.high.denominator
    return last - 1 if interval.open_high and last == interval.high else last


def _cases(interval: Interval) -> range | None:
    first, last = first_whole(interval), last_whole(interval)
    if first is None or last is None or last - first >= MOST_CASES:
        return None
    return range(first, last + 1)


def _fixed(problem: Problem, name: str, interval: Interval, *, whole: bool) -> Problem:
    box = tuple((n, interval if n == name else side) for n, side in problem.box)
    kept = problem.integers if whole else problem.integers - {name}
    return replace(problem, box=box, integers=frozenset(kept))


def _with_tails(problem: Problem, name: str, decide_part: Decide, relaxed: Result) -> Result:
    """Cases up to a start from which the claim holds for all real values."""
    interval = problem.interval(name)
    tails: dict[str, Result] = {}
    first, last = first_whole(interval), last_whole(interval)
    if last is None or (first is not None and last - first >= MOST_CASES):
        last, tails["above"] = _tail(problem, name, decide_part, first, upwards=True)
    if first is None:
        first, tails["below"] = _tail(problem, name, decide_part, last, upwards=False)
    failed = [tail for tail in tails.values() if tail.status is not Status.PROVED]
    if first is None or last is None or failed:
        worst = failed[0] if failed else relaxed
        reason = f"no proof for all real values, nor for large {name} alone: {worst.reason}"
        return Result(Status.UNDECIDED, "whole numbers", reason, work=worst.work)
    return _all_cases(problem, name, range(first, last + 1), decide_part, tails)


def _tail(
    problem: Problem, name: str, decide_part: Decide, near: int | None, *, upwards: bool
) -> tuple[int | None, Result]:
    """The last value before a tail that is proved, and the proof (or the last failure)."""
    result = Result(Status.UNDECIDED, "whole numbers", "no tail was tried")
    for start in _tail_starts(near, upwards):
        side = problem.interval(name)
        end = Fraction(start)
        half = Interval(low=end) if upwards else Interval(high=end)
        result = decide_part(_fixed(problem, name, side.intersected(half), whole=False))
        if result.status is Status.PROVED:
            return start - (1 if upwards else -1), result
    return None, result


def _tail_starts(near: int | None, upwards: bool) -> Iterator[int]:
    for distance in _TAIL_STARTS:
        if upwards:
            yield distance if near is None else near + distance
        else:
            yield -distance if near is None else min(near, 0) - distance


def _all_cases(
    problem: Problem,
    name: str,
    cases: range,
    decide_part: Decide,
    tails: Mapping[str, Result],
) -> Result:
    """Every value by itself; the first that fails or resists decides.

    ``tails`` are proofs for all real values ``below`` and ``above`` the cases.
    """
    proofs: list[Mapping[str, Any]] = []
    work = sum(tail.work for tail in tails.values())
    for value in cases:
        point = Interval(Fraction(value), Fraction(value))
        result = decide_part(_fixed(problem, name, point, whole=False))
        work += result.work
        # A case may hold no point of the region.
        contradictory = result.status is Status.ERROR and "contradictory" in result.reason
        if result.status is not Status.PROVED and not contradictory:
            reason = f"for {name} = {value}: {result.reason}"
            return replace(result, reason=reason, work=work)
        proofs.append(result.certificate)
    parts = [f"{name} from {cases.start} to {cases.stop - 1} one by one"] if cases else []
    if "above" in tails:
        parts.append(f"{name} >= {cases.stop}")
    if "below" in tails:
        parts.append(f"{name} <= {cases.start - 1}")
    certificate = {
        "rule": "values",
        "name": name,
        "first": cases.start,
        "last": cases.stop - 1,
        "proofs": proofs,
        **{key: tail.certificate for key, tail in tails.items()},
    }
    reason = f"shown for {' and '.join(parts)}"
    return Result(Status.PROVED, "cases", reason, certificate=certificate, work=work)


def has_points(proof: Mapping[str, Any]) -> bool:
    """Whether a proof by cases has one in which some point of the region was found."""
    while "proof" in proof and proof["rule"] in ("put", "gap", "weaken"):
        proof = proof["proof"]
    if proof["rule"] != "values":
        return bool(proof["rule"] != "empty")
    return any(map(has_points, proof["proofs"]))
