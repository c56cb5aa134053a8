"""Words, their order, and the completion of relations with its record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Eq, Identity, MatrixSymbol, Trace, symbols

from proofs_check.methods.matrix import Fact, prove_identity
from proofs_check.methods.matrix.scalars import ONE, constant, quotient, variable
from proofs_check.methods.matrix.words import UNIT, Alphabet, Letter

n, p, k = symbols("n p k", real=True)
A, B, C = (MatrixSymbol(name, n, n) for name in "ABC")


@pytest.fixture
def alphabet():
    letters = Alphabet()
    size = letters.dimension(n)
    letters.add(Letter("A", size, size))
    letters.add(Letter("u", size, UNIT))
    letters.add(Letter("S", size, size, symmetric=True))
    return letters


def test_sizes_are_compared_after_expansion():
    letters = Alphabet()
    assert letters.dimension(2 * (n + p)) == letters.dimension(2 * n + 2 * p)
    assert letters.dimension(n) != letters.dimension(p)


def test_scalars_are_split_off_at_the_cuts(alphabet):
    a, u, s = 0, 2, 4
    assert alphabet.split((a, u, u ^ 1, s)) == ([], (a, u, u ^ 1, s))
    assert alphabet.split((u, u ^ 1, a, u, u ^ 1)) == ([(u ^ 1, a, u)], (u, u ^ 1))
    assert alphabet.split((u ^ 1, s, u)) == ([(u ^ 1, s, u)], ())


def test_a_scalar_word_and_its_transpose_are_one(alphabet):
    word = (3, 0, 4, 2)
    assert alphabet.scalar_form(word) == alphabet.scalar_form(alphabet.transpose(word))
    assert alphabet.transpose(alphabet.transpose(word)) == word


words = st.lists(st.sampled_from([0, 1, 2, 3, 4]), max_size=4).map(tuple)


@given(words, words, words, words)
def test_the_order_is_kept_by_products(a, b, left, right):
    letters = Alphabet()
    size = letters.dimension(n)
    letters.add(Letter("A", size, size))
    letters.add(Letter("P", size, size, heavy=3))
    letters.add(Letter("u", size, UNIT))
    if letters.order_key(a) < letters.order_key(b):
        assert letters.order_key(left + a + right) < letters.order_key(left + b + right)


def test_ratios_are_in_lowest_terms():
    x, y = variable(0), variable(1)
    assert (x * x - y * y) / (x - y) == x + y
    assert (constant(2) * x) / (constant(4) * x) == constant(1) / constant(2)
    assert (ONE() / (x + y)).substitute(0, ONE() / y) == y / (ONE() + y * y)
    with pytest.raises(ZeroDivisionError):
        quotient(x.num, constant(0).num)


def fact(*conditions):
    return [Fact(f"h{i}", condition) for i, condition in enumerate(conditions)]


def test_the_word_problem_of_a_small_group():
    # The symmetric group on three points: s^2 = t^2 = (s t)^3 = 1.
    one = Identity(n)
    group = fact(Eq(A * A, one), Eq(B * B, one), Eq(A * B * A * B * A * B, one))
    assert prove_identity(A * B * A, B * A * B, group).proved
    assert prove_identity(A * B * A * B, B * A, group).proved
    assert not prove_identity(A * B, B * A, group).proved
    assert not prove_identity(A, one, group).proved


def test_relations_act_inside_scalars_and_traces():
    u, v = MatrixSymbol("u", n, 1), MatrixSymbol("v", n, 1)
    eigen = fact(Eq(A * u, k * u))
    assert prove_identity(Trace(u.T * A.T * v), k * Trace(v.T * u), eigen).proved
    assert prove_identity(Trace(u * v.T * A * A), k * Trace(v.T * A * u), eigen).proved
    assert not prove_identity(Trace(v.T * A.T * u), k * Trace(v.T * u), eigen).proved


def test_used_facts_are_those_of_the_trace():
    facts = fact(Eq(A, B * C), Eq(B * C, C * B), Eq(C * C, C))
    proof = prove_identity(A, C * B, facts)
    assert proof.used == {"h0", "h1"}
    assert any("Eq(A, B*C)" in line for line in proof.trace)


def test_infinite_completions_end_with_the_budget():
    facts = fact(Eq(A * B * A, B * A * B), Eq(A * C * A, C * A * C), Eq(B * C * B, C * B * C))
    proof = prove_identity(A * B * C * A, C * B * A * B, facts, work=2_000)
    assert not proof.proved
    assert proof.work <= 2_100
