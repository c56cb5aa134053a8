r"""S1: softmax is Lipschitz from the largest to the sum norm.

Printed: :math:`|\mathrm{softmax}(x) - \mathrm{softmax}(y)|_1 \le 2|x - y|_\infty` (Edelman et al.
2022). The best constant is 1: the Jacobian's norm is :math:`\max_s 4s(1-s) = 1`, where s is the
weight of a set of tokens.
"""

from fractions import Fraction
from typing import Any

from sympy import Rational

from bounds.arithmetic.field import Field
from bounds.arrays import arrays
from bounds.attention.softmax import softmax
from bounds.claim import Claim, Mutant
from bounds.hypothesis import assume
from bounds.points import Point, box, choices, integers, point
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import EDELMAN_ET_AL
from bounds.status import Status
from bounds.symbols import L, matrix, scalar

x, y = matrix("x", L, 1), matrix("y", L, 1)
TOKENS = assume("tokens", L >= 1)
gap, distance = scalar("softmax_gap"), scalar("score_distance")


def softmax_gap(instance: Point, field: Field) -> Any:
    """|softmax(x) - softmax(y)|_1; exactly 0 when x = y."""
    if instance["x"] == instance["y"]:
        return field.number(0)
    difference = softmax(field, field.matrix(instance["x"])) - softmax(
        field, field.matrix(instance["y"])
    )
    rows, _ = field.shape(difference)
    return sum((field.absolute(field.entry(difference, i, 0)) for i in range(rows)),
               field.number(0))  # fmt: skip


def score_distance(instance: Point, field: Field) -> Any:
    """|x - y|_inf."""
    pairs = zip(instance["x"], instance["y"], strict=True)
    return field.number(max(abs(first - second) for (first,), (second,) in pairs))


QUANTITIES = (
    Quantity(gap, "|softmax(x) - softmax(y)|_1", softmax_gap),
    Quantity(distance, "|x - y|_inf", score_distance),
)
# The worst case: two tokens (or two equal halves), scores close together and moved apart.
WORST = tuple(
    point({"L": size, "x": [[0]] * size, "y": [[h]] * (size // 2) + [[f"-{h}"]] * (size // 2)},
          label=f"{size} tokens, half of them moved by {h}, half by -{h}")
    for size in (2, 4)
    for h in ("1/1000", "1/2", "2")
)  # fmt: skip
INSTANCES = arrays(x, y, sizes={L: integers(1, 6)}, first=WORST, count=100)

PRINTED = Claim(
    id="S1.printed",
    title="|softmax(x) - softmax(y)|_1 <= 2 |x - y|_inf",
    lhs=gap,
    rhs=2 * distance,
    hypotheses=(TOKENS,),
    quantities=QUANTITIES,
    instances=INSTANCES,
    source=EDELMAN_ET_AL.at("Lipschitz constant of softmax"),
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="below_the_best",
            rhs=distance * Rational(9, 10),
            why="two equal scores moved apart by little: ratio near 1",
        ),
        Mutant(name="sign", rhs=-2 * distance, why="the left side is never negative"),
    ),
    tags=("softmax", "lemma", "bound"),
)

SHARP = Claim(
    id="S1.sharp",
    title="|softmax(x) - softmax(y)|_1 <= |x - y|_inf, the best constant",
    lhs=gap,
    rhs=distance,
    hypotheses=(TOKENS,),
    quantities=QUANTITIES,
    instances=INSTANCES,
    source=EDELMAN_ET_AL.at("Lipschitz constant of softmax", constants="constant: derived here"),
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="halved",
            rhs=distance / 2,
            why="x = (0, 0), y = (h, -h): the ratio tends to 1 as h tends to 0",
        ),
        Mutant(
            name="slightly_below",
            rhs=distance * Rational(9999, 10000),
            why="x = (0, 0), y = (h, -h) with h = 1/1000: the ratio is 1 - h^2/3",
        ),
    ),
    tags=("softmax", "lemma", "bound"),
)

weight = scalar("s")

JACOBIAN = Claim(
    id="S1.jacobian",
    title="the Jacobian's norm 4 s (1-s) is at most 1",
    lhs=4 * weight * (1 - weight),
    rhs=1,
    hypotheses=(assume("weight", (weight >= 0) & (weight <= 1)),),
    instances=box(s=choices(*(Fraction(k, 64) for k in range(65)))),
    source=EDELMAN_ET_AL.at("Lipschitz constant of softmax", constants="constant: derived here"),
    mutants=(
        Mutant(name="below", rhs=Rational(999, 1000), why="s = 1/2 attains 1"),
        Mutant(name="strict", relation=Relation.LT, why="s = 1/2 attains 1"),
    ),
    tags=("softmax", "lemma", "bound"),
)

CLAIMS = (PRINTED, SHARP, JACOBIAN)
