"""A small run of the random claims, and that the generator keeps its word on what is false."""

from fractions import Fraction

import mpmath
import pytest
from random_claims import Outcome, claim, decide, main, value_at

COUNT = 120


@pytest.mark.parametrize("first", range(0, COUNT, 20))
def test_no_random_claim_is_decided_wrongly(first):
    found = [decide((7, number, 100)) for number in range(first, first + 20)]
    assert [outcome for outcome in found if outcome.wrong] == []
    false = [outcome for outcome in found if not outcome.true]
    assert sum(outcome.status == "REFUTED" for outcome in false) >= len(false) - 2


def test_false_claims_fail_at_their_point():
    checked = 0
    for number in range(1, 400, 2):
        given = claim(11, number)
        assert not given.true
        if given.kind != "value":
            continue
        left, _, right = given.relation.partition(">=" if ">=" in given.relation else ">")
        with mpmath.workdps(50):
            bound = Fraction(right.strip())
            value = value_at(left, given.point)
            assert value < mpmath.mpf(bound.numerator) / bound.denominator
        checked += 1
    assert checked > 80


def test_a_claim_depends_on_seed_and_number_alone():
    assert claim(3, 41) == claim(3, 41)
    assert claim(3, 41) != claim(4, 41)


def test_a_wrong_answer_is_counted(monkeypatch, capsys):
    import random_claims

    bad = Outcome(1, "value", False, "PROVED", True, 0.0)
    monkeypatch.setattr(random_claims, "outcomes", lambda *args, **keywords: iter([bad]))
    monkeypatch.setattr("sys.argv", ["random_claims.py", "--count", "1"])
    assert main() == 1
    assert "wrong 1 of 1" in capsys.readouterr().out
