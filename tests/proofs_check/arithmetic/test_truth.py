"""Three-valued truth: an undecided comparison is never read as False."""

import itertools

import pytest
import sympy as sp

from bounds.arithmetic.mixed import MixedField
from bounds.arithmetic.rationals import RationalField
from bounds.errors import UndefinedError
from bounds.matrices import permutation
from bounds.symbols import matrix, scalar
from proofs_check.arithmetic.evaluate import UnsupportedExpression
from proofs_check.arithmetic.truth import all_defined, all_of, negated, truth

FIELD, EXACT = MixedField(128), RationalField()
x, y, n = scalar("x"), scalar("y"), scalar("n")
A, B = matrix("A", n, n), matrix("B", n, n)
OPEN = sp.log(x * y) >= sp.log(x) + sp.log(y)  # equal, which balls cannot tell
YES, NO, POLE = x > 1, x > 5, sp.log(-x) > 0
NAMES = {YES: True, NO: False, OPEN: None}


def ask(condition, field=FIELD):
    with field.context():
        return truth(condition, {x: field.number(2), y: field.number(3)}, field)


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        (sp.true, True), (sp.false, False), (YES, True), (NO, False), (OPEN, None),
        (x >= 2, True), (x > 2, False), (x <= 2, True), (x < 2, False),
        (sp.Eq(x, 2), True), (sp.Eq(x, y), False), (sp.Ne(x, y), True), (sp.Ne(x, 2), False),
        (sp.sqrt(x) * sp.sqrt(y) >= sp.sqrt(6), True), (sp.sqrt(x * y) > sp.sqrt(6), False),
        (sp.Eq(sp.sqrt(x * y), sp.sqrt(6)), True), (sp.Not(OPEN), None),
        (sp.Eq(sp.log(x * y), sp.log(x) + sp.log(y)), None),
        (sp.And(YES, sp.Or(NO, YES)), True),
    ],
)  # fmt: skip
def test_conditions(condition, answer):
    assert ask(condition) is answer


@pytest.mark.parametrize(("left", "right"), list(itertools.product(NAMES, repeat=2)))
def test_and_or_are_kleene(left, right):
    a, b = NAMES[left], NAMES[right]
    conjunction = False if False in (a, b) else None if None in (a, b) else True
    disjunction = True if True in (a, b) else None if None in (a, b) else False
    assert ask(sp.And(left, right, evaluate=False)) is conjunction
    assert ask(sp.Or(left, right, evaluate=False)) is disjunction


def test_an_undefined_part_matters_only_if_nothing_else_decides():
    assert ask(sp.And(POLE, NO)) is False
    assert ask(sp.Or(POLE, YES)) is True
    for open_ in (sp.And(POLE, YES), sp.Or(POLE, NO), sp.Not(POLE), POLE):
        with pytest.raises(UndefinedError):
            ask(open_)


def test_helpers():
    assert (negated(True), negated(False), negated(None)) == (False, True, None)
    assert (all_of([]), all_of([True, None]), all_of([None, False])) == (True, None, False)

    def broken():
        raise UndefinedError("no")

    assert all_defined([broken, lambda: False]) is False
    with pytest.raises(UndefinedError):
        all_defined([broken, lambda: True, lambda: None])


def on(rows, predicate, field=EXACT):
    with field.context():
        values = {A: field.matrix(rows), n: field.number(len(rows))}
        return truth(predicate(A), values, field)


@pytest.mark.parametrize(
    ("predicate", "yes", "no"),
    [
        (sp.Q.symmetric, [[1, 2], [2, 0]], [[1, 2], [3, 0]]),
        (sp.Q.orthogonal, [[0, -1], [1, 0]], [[1, 1], [0, 1]]),
        (sp.Q.orthogonal, [[-1]], [[2]]),
        (sp.Q.invertible, [[1, 2], [3, 4]], [[1, 2], [2, 4]]),
        (sp.Q.positive_definite, [[2, 1], [1, 2]], [[1, 2], [2, 1]]),
        (sp.Q.positive_definite, [[1]], [[0]]),
        (sp.Q.positive_definite, [[1]], [[-1]]),
        (permutation, [[0, 1], [1, 0]], [[0, -1], [1, 0]]),
        (permutation, [[1]], [[-1]]),
        (permutation, [[1, 0], [0, 1]], [[1, 0], [1, 0]]),
    ],
)
def test_predicates(predicate, yes, no):
    for field in (EXACT, FIELD):
        assert on(yes, predicate, field) is True
        assert on(no, predicate, field) is False


def test_positive_definite_needs_symmetry():
    assert on([[2, 1], [0, 2]], sp.Q.positive_definite) is False


def test_matrices_of_other_shapes_or_predicates_are_refused():
    values = {A: EXACT.matrix([[1]]), B: EXACT.matrix([[1, 2]])}
    with pytest.raises(UnsupportedExpression, match="shapes"):
        truth(sp.Eq(A, B), values, EXACT)
    with pytest.raises(UnsupportedExpression, match="predicate"):
        truth(sp.Q.triangular(A), values, EXACT)
    with pytest.raises(UnsupportedExpression, match="no rule decides"):
        ask(sp.Symbol("flag"))
