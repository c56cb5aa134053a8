r"""S2: mixed norms of a matrix bound its action, with the indices in the right order.

For exponents from 1 to infinity, with :math:`1/u + 1/v = 1` and columns first, that is with
:math:`\|X\|_{p,q} = (\sum_j \|X_{:,j}\|_p^q)^{1/q}`,

.. math:: |A x|_p \le \|A^T\|_{u,p}\,|x|_v \qquad\text{and}\qquad |A x|_p \le \|A\|_{p,u}\,|x|_v .

Restatements in print carry the indices the other way, :math:`\|A^T\|_{p,u}` and
:math:`\|A\|_{u,p}`; with the columns-first norm those are false, for p < u as
for p > u. Source: Hoelder's inequality.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from sympy import And

from bounds.arithmetic.field import Field, Scalar
from bounds.arrays import arrays
from bounds.claim import Claim, Mutant, Variant
from bounds.hypothesis import assume
from bounds.points import Point, Points, choices, point
from bounds.quantity import Quantity
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import matrix, scalar

rows, cols = scalar("m"), scalar("d")
A, x = matrix("A", rows, cols), matrix("x", cols, 1)
# Exponents by their reciprocals, so that infinity is 0: p = 1/p_inverse.
p_inverse, u_inverse = scalar("p_inverse"), scalar("u_inverse")
# Below 1 an exponent gives no norm: the triangle and Hoelder inequalities turn round.
P_RANGE = assume("p_range", And(p_inverse >= 0, p_inverse <= 1))
U_RANGE = assume("u_range", And(u_inverse >= 0, u_inverse <= 1))
P_ABOVE_U = assume("p_above_u", p_inverse < u_inverse)


def norm(field: Field, entries: Iterable[Scalar], reciprocal: Fraction) -> Scalar:
    """The p-norm with p = 1/reciprocal, infinity for 0; exact for a single entry that is not 0."""
    sizes = [field.absolute(entry) for entry in entries]
    zero = field.number(0)
    nonzero = [size for size in sizes if field.equal(size, zero) is not True]
    if len(nonzero) <= 1:
        return nonzero[0] if nonzero else zero
    if reciprocal == 0:
        largest = nonzero[0]
        for size in nonzero[1:]:
            largest = field.maximum(largest, size)
        return largest
    total = sum((field.power(size, 1 / reciprocal) for size in nonzero), zero)
    return field.power(total, reciprocal)


def mixed_norm(
    field: Field, columns: Iterable[Iterable[Scalar]], p: Fraction, q: Fraction
) -> Scalar:
    """The q-norm of the p-norms of the columns; p and q are reciprocals of the exponents."""
    return norm(field, [norm(field, column, p) for column in columns], q)


def _columns(point: Point, field: Field, *, transposed: bool) -> list[list[Scalar]]:
    table = point["A"] if transposed else tuple(zip(*point["A"], strict=True))
    return [[field.number(entry) for entry in column] for column in table]


def image_norm(point: Point, field: Field) -> Scalar:
    """|A x|_p."""
    vector = [entry for (entry,) in point["x"]]
    image = [sum(a * b for a, b in zip(row, vector, strict=True)) for row in point["A"]]
    return norm(field, [field.number(entry) for entry in image], point["p_inverse"])


def vector_norm(point: Point, field: Field) -> Scalar:
    """|x|_v with 1/v = 1 - 1/u."""
    entries = [field.number(entry) for (entry,) in point["x"]]
    return norm(field, entries, 1 - point["u_inverse"])


def matrix_norm(first: str, second: str, *, transposed: bool) -> Any:
    """The mixed norm of A or A^T with the reciprocals named ``first`` (columns) and ``second``."""

    def compute(point: Point, field: Field) -> Scalar:
        columns = _columns(point, field, transposed=transposed)
        return mixed_norm(field, columns, point[first], point[second])

    return compute


image, size = scalar("Ax_p"), scalar("x_v")
transposed_up, plain_pu = scalar("AT_up"), scalar("A_pu")
transposed_pu, plain_up = scalar("AT_pu"), scalar("A_up")
U, P = "u_inverse", "p_inverse"
QUANTITIES = (
    Quantity(image, "|A x|_p", image_norm),
    Quantity(size, "|x|_v, 1/u + 1/v = 1", vector_norm),
    Quantity(transposed_up, "|A^T|_{u,p}", matrix_norm(U, P, transposed=True)),
    Quantity(plain_pu, "|A|_{p,u}", matrix_norm(P, U, transposed=False)),
    Quantity(transposed_pu, "|A^T|_{p,u}", matrix_norm(P, U, transposed=True)),
    Quantity(plain_up, "|A|_{u,p}", matrix_norm(U, P, transposed=False)),
)
# Not 3 and 3/2: a single column attains the bound with irrational norms, which balls never decide.
EXPONENTS = choices(1, "1/2", 0)
INSTANCES = arrays(
    A,
    x,
    ranges={p_inverse: EXPONENTS, u_inverse: EXPONENTS},
    count=120,
)
PRINTED = Source("restatements of the lemma in print", "indices in the other order")

ROWS = Claim(
    id="S2.rows",
    title="|A x|_p <= |A^T|_{u,p} |x|_v",
    lhs=image,
    rhs=transposed_up * size,
    hypotheses=(P_RANGE, U_RANGE),
    quantities=QUANTITIES,
    instances=INSTANCES,
    source=Source("textbook", "Hoelder's inequality in every row"),
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(name="halved", rhs=transposed_up * size / 2, why="A = x = 1 attains the bound"),
        Mutant(name="no_vector", rhs=transposed_up, why="A = 1, x = 2: 2 against 1"),
        Mutant(
            name="any_u",
            drop=("u_range",),
            instances=Points(
                (point({"A": [[1, 1]], "x": [[0], [1]], "p_inverse": 1, "u_inverse": -1}),)
            ),
            why="u = -1, v = 1/2, A = (1, 1), x = (0, 1): |A x|_1 = 1, but |A^T|_{-1} = 1/2",
        ),
    ),
    variants=(
        Variant(
            name="printed",
            why="A = (1; 1), p < u: |A x|_1 = 2, but the largest column norm of A^T is 1",
            rhs=transposed_pu * size,
            source=PRINTED,
            expected=Status.REFUTED,
        ),
        Variant(
            name="printed_p_above_u",
            why="A = x^T = (1, 1), u = 1: |A x|_p = 2, but |A^T|_{p,1} |x|_inf = 2^(1/p)",
            rhs=transposed_pu * size,
            add=(P_ABOVE_U,),
            source=PRINTED,
            expected=Status.REFUTED,
        ),
    ),
    tags=("norms", "lemma", "bound"),
)

COLUMNS = Claim(
    id="S2.columns",
    title="|A x|_p <= |A|_{p,u} |x|_v",
    lhs=image,
    rhs=plain_pu * size,
    hypotheses=(P_RANGE, U_RANGE),
    quantities=QUANTITIES,
    instances=INSTANCES,
    source=Source("textbook", "triangle inequality over the columns, then Hoelder"),
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(name="halved", rhs=plain_pu * size / 2, why="A = x = 1 attains the bound"),
        Mutant(name="no_vector", rhs=plain_pu, why="A = 1, x = 2: 2 against 1"),
        Mutant(
            name="any_p",
            drop=("p_range",),
            instances=Points(
                (
                    point({
                        "A": [[1, 0], [0, 1]], "x": [[1], [1]],
                        "p_inverse": 2, "u_inverse": "1/2",
                    }),
                )
            ),
            why="p = 1/2, u = 2, A = I, x = (1, 1): 4 against 2",
        ),
    ),
    variants=(
        Variant(
            name="printed",
            why="A = (1; 1), p < u: |A x|_1 = 2, but |A|_{inf,1} = 1; for p > u A = x^T = (1, 1)",
            rhs=plain_up * size,
            source=PRINTED,
            expected=Status.REFUTED,
        ),
        Variant(
            name="printed_p_above_u",
            why="A = x^T = (1, 1), u = 1: |A x|_p = 2, but |A|_{1,p} |x|_inf = 2^(1/p)",
            rhs=plain_up * size,
            add=(P_ABOVE_U,),
            source=PRINTED,
            expected=Status.REFUTED,
        ),
    ),
    tags=("norms", "lemma", "bound"),
)  # fmt: skip

CLAIMS = (ROWS, COLUMNS)
