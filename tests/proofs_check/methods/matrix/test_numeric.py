"""Normal forms against plain numbers: random expressions evaluated at random rational matrices."""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import sympy
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from sympy import Identity, MatrixSymbol, Trace, symbols

from bounds.matrices import PseudoInverse
from proofs_check.methods.matrix import Fact, prove_identity
from proofs_check.methods.matrix.identity import new_engine
from proofs_check.methods.matrix.outcome import SideConditionError

n, p, s, t = symbols("n p s t", real=True)
SIZES = {n: 2, p: 3, sympy.S.One: 1}
SHAPES = {
    "A": (n, n),
    "B": (n, p),
    "C": (p, n),
    "u": (n, sympy.S.One),
    "v": (p, sympy.S.One),
}


@dataclass(frozen=True)
class Pair:
    """An expression and its value."""

    expr: object
    value: sympy.Matrix

    @property
    def shape(self):
        return self.expr.shape


def leaf_values(seed):
    """Small rational matrices and scalars, the same for every leaf of one example."""
    random = Random(seed)

    def number():
        return sympy.Rational(random.randint(-3, 3), random.randint(1, 2))

    values = {
        name: sympy.Matrix(SIZES[rows], SIZES[cols], lambda i, j: number())
        for name, (rows, cols) in SHAPES.items()
    }
    return values, {s: number() + 5, t: number() - 7, n: SIZES[n], p: SIZES[p]}


def combine(draw, pool, scalars):
    """One more pair made from those in the pool."""
    kind = draw(st.sampled_from(["add", "multiply", "transpose", "scale", "trace", "ridge"]))
    a = draw(st.sampled_from(pool))
    if kind == "transpose":
        return Pair(a.expr.T, a.value.T)
    if kind == "scale":
        factor = draw(st.sampled_from([s, t, s * t, s - t, 1 / s, sympy.Rational(-2, 3)]))
        return Pair(factor * a.expr, factor.subs(scalars) * a.value)
    if kind == "trace":
        square = Pair(a.expr * a.expr.T, a.value * a.value.T)
        return Pair(Trace(square.expr) * a.expr, square.value.trace() * a.value)
    if kind == "ridge":
        rows = a.shape[0]
        expr = Identity(rows) + a.expr * a.expr.T
        value = sympy.eye(SIZES[rows]) + a.value * a.value.T
        return Pair(expr.I, value.inv())
    fits = [b for b in pool if b.shape == a.shape]
    if kind == "multiply":
        fits = [b for b in pool if b.shape[0] == a.shape[1]]
    if not fits:
        return a
    b = draw(st.sampled_from(fits))
    if kind == "add":
        return Pair(a.expr + b.expr, a.value + b.value)
    return Pair(a.expr * b.expr, a.value * b.value)


@st.composite
def pools(draw, steps=7):
    values, scalars = leaf_values(draw(st.integers(0, 10_000)))
    pool = [Pair(MatrixSymbol(name, *SHAPES[name]), value) for name, value in values.items()]
    inverses = {}
    for _ in range(draw(st.integers(3, steps))):
        new = combine(draw, pool, scalars)
        if isinstance(new.expr, sympy.MatrixBase) or new.expr.is_ZeroMatrix:
            continue
        if isinstance(new.expr, sympy.matrices.expressions.Inverse):
            inverses[f"({new.expr.arg})^-1"] = new.value
        pool.append(new)
    return pool, {**values, **inverses}, scalars


def ratio_value(ratio, atoms):
    def value(polynomial):
        total = Fraction(0)
        for exponents, coefficient in polynomial.to_dict().items():
            term = Fraction(str(coefficient))
            for atom, exponent in enumerate(exponents):
                if exponent:
                    term *= atoms[atom] ** int(exponent)
            total += term
        return total

    return value(ratio.num) / value(ratio.den)


def word_value(alphabet, word, letters, size):
    result = sympy.eye(size)
    for code in word:
        matrix = letters[alphabet.letter(code).name]
        result = result * (matrix.T if code % 2 else matrix)
    return result


def polynomial_value(algebra, poly, letters, scalars):
    alphabet = algebra.alphabet
    sizes = [SIZES[d] for d in alphabet.dimensions]
    atoms = []
    for atom in algebra.atoms:
        if atom.kind == "symbol":
            number = next(v for k, v in scalars.items() if str(k) == atom.text)
        else:
            size = sizes[alphabet.rows(atom.data[0])]
            number = word_value(alphabet, atom.data, letters, size).trace()
        atoms.append(Fraction(str(number)))
    result = sympy.zeros(sizes[poly.rows], sizes[poly.cols])
    for word, coefficient in poly.terms.items():
        factor = sympy.Rational(str(ratio_value(coefficient, atoms)))
        result += factor * word_value(alphabet, word, letters, sizes[poly.rows])
    return result


POSITIVE = Fact("s", s > 0)


@settings(max_examples=60, deadline=None)
@given(pools())
def test_the_translation_and_its_normal_form_keep_the_value(pool_letters_scalars):
    pool, letters, scalars = pool_letters_scalars
    engine = new_engine(50_000)
    engine.functions.signs.add(engine.scalar(s), frozenset({1}), frozenset())
    try:
        poly = engine.matrix(pool[-1].expr)
    except SideConditionError:
        reject()
    assert polynomial_value(engine.algebra, poly, letters, scalars) == pool[-1].value
    engine.system.run(30)
    normal, _ = engine.system.reduce(poly)
    assert polynomial_value(engine.algebra, normal, letters, scalars) == pool[-1].value


@settings(max_examples=60, deadline=None)
@given(pools(), st.data())
def test_what_is_proved_equal_is_equal(pool_letters_scalars, data):
    pool, _, _ = pool_letters_scalars
    a = pool[-1]
    b = data.draw(st.sampled_from([pair for pair in pool if pair.shape == a.shape]))
    proof = prove_identity(a.expr, b.expr, [POSITIVE], work=3_000)
    assert not proof.proved or a.value == b.value


@settings(max_examples=40, deadline=None)
@given(pools(), st.data())
def test_distributing_is_proved_and_a_perturbation_is_not(pool_letters_scalars, data):
    pool, _, _ = pool_letters_scalars
    x = pool[-1].expr
    factors = [q.expr for q in pool if q.shape[0] == x.shape[1]]
    factors.append(MatrixSymbol("F", x.shape[1], n))
    y, z = data.draw(st.sampled_from(factors)), data.draw(st.sampled_from(factors))
    if y.shape != z.shape:
        return
    expanded = x * y + s * (x * z)
    proof = prove_identity(x * (y + s * z), expanded, [POSITIVE])
    assert proof.proved or proof.reason.startswith("cannot show")
    other = MatrixSymbol("W", *expanded.shape)
    assert not prove_identity(x * (y + s * z), expanded + other, [POSITIVE], work=3_000).proved


@settings(max_examples=25, deadline=None)
@given(st.permutations(["A", "B", "C"]), st.booleans())
def test_a_trace_is_cyclic_and_nothing_more(order, flip):
    m = {name: MatrixSymbol(name, n, n) for name in "ABC"}
    product = m[order[0]] * m[order[1]] * m[order[2]]
    cyclic = "".join(order) in "ABCABC"
    other = product.T if flip else product
    proof = prove_identity(Trace(m["A"] * m["B"] * m["C"]), Trace(other), [])
    assert proof.proved == cyclic


def test_penrose_relations_hold_for_a_rank_deficient_matrix():
    B = MatrixSymbol("B", n, p)
    N = Identity(p) - PseudoInverse(B) * B
    assert prove_identity(N * N, N, []).proved
    assert not prove_identity(N, 0 * N + N - N, []).proved
