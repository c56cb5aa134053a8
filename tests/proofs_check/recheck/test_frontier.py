"""Covering a side from left to right: ends that meet, ends that do not, exact comparisons."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.recheck.errors import Rejected
from proofs_check.recheck.frontier import End, Frontier, Piece, before, end_of
from proofs_check.recheck.reader import read_expression
from proofs_check.recheck.sequent import Side


def covered(side: Side, pieces: list[Piece]) -> bool:
    frontier = Frontier(side)
    try:
        for piece in pieces:
            frontier.add(piece)
        frontier.finish()
    except Rejected:
        return False
    return True


def end(text: str, offset: str = "0") -> End:
    return end_of(read_expression(text)).moved(Fraction(offset))


@pytest.mark.parametrize(
    ("first", "second", "truth"),
    [
        (end("1"), end("2"), True),
        (end("2"), end("1"), False),
        (end("1"), end("1"), None),
        (end("sqrt(2)"), end("sqrt(2)", "1/10"), True),
        (end("sqrt(2)"), end("sqrt(2)"), None),
        (end("sqrt(2)"), end("99/70"), True),
        (end("sqrt(2)"), end("141421356237309504880168872420969807856967187/10**44"), False),
        (end("pi"), end("355/113"), True),
        (end("sqrt(2) + sqrt(3)"), end("sqrt(5 + 2*sqrt(6))"), None),
    ],
)
def test_comparisons(first: End, second: End, truth: bool | None) -> None:
    assert before(first, second) is truth


@pytest.mark.parametrize("text", ["x", "log(0)", "1/(1 - 1)", "sign(0)", "asin(2)", "tan(pi/2)"])
def test_ends_must_be_numbers(text: str) -> None:
    with pytest.raises(Rejected):
        end_of(read_expression(text))


_SPOTS = st.integers(min_value=0, max_value=4)


@given(
    st.lists(st.tuples(_SPOTS, _SPOTS, st.booleans(), st.booleans()), max_size=5),
    st.booleans(),
    st.booleans(),
)
def test_accepted_covers_leave_nothing_out(
    data: list[tuple[int, int, bool, bool]], open_low: bool, open_high: bool
) -> None:
    """Ends at 0..4: the points k/2 between stand for all numbers."""
    side = Side(Fraction(1), Fraction(3), open_low, open_high)
    pieces = [Piece(end_of(Fraction(a)), end_of(Fraction(b)), c, d) for a, b, c, d in data]
    if not covered(side, pieces):
        return
    for point in [Fraction(k, 2) for k in range(9)]:
        if side.contains(point):
            assert any(Side(Fraction(a), Fraction(b), c, d).contains(point) for a, b, c, d in data)


@given(st.permutations(range(5)))
def test_pieces_in_order_are_accepted(order: list[int]) -> None:
    pieces = [Piece(end_of(Fraction(k)), end_of(Fraction(k + 1)), open_low=k > 0) for k in order]
    side = Side(Fraction(0), Fraction(5))
    assert covered(side, pieces) is (list(order) == sorted(order))


def test_infinite_ends() -> None:
    left, right = Piece(None, end_of(Fraction(0))), Piece(end_of(Fraction(0)), None, True)
    assert covered(Side(), [left, right])
    assert not covered(Side(), [right, left])
    assert not covered(Side(), [left])
    assert not covered(Side(), [right])
    assert not covered(Side(), [Piece(None, end_of(Fraction(0)), open_high=True), right])
    assert covered(Side(), [Piece(None, None)])
    assert not covered(Side(low=Fraction(0)), [right])
    assert covered(Side(low=Fraction(0), open_low=True), [right])


def test_ends_too_close_to_tell_do_not_meet() -> None:
    first, second = end("sqrt(2)"), end("sqrt(2) + 1/10**400")
    zero, two = end("0"), end("2")
    assert before(first, second) is None
    for closed in (True, False):
        pieces = [Piece(zero, first, open_high=not closed), Piece(second, two)]
        assert not covered(Side(Fraction(0), Fraction(2)), pieces)
