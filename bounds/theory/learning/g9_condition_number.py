r"""G9: a condition number decides which downstream tasks self-supervised training solves.

Pretraining predicts a masked token with mean :math:`B z` from the others; its excess risk is
:math:`|B e|^2` for an error e of the representation. The downstream excess :math:`(a^T e)^2` obeys

.. math:: (a^T e)^2 \le \kappa\,|B e|^2, \qquad \kappa = a^T (B^T B)^+ a,

when a lies in the row space of B, with equality at :math:`e = (B^T B)^+ a`; and nothing bounds it
(kappa is infinite) when a does not. Source: arXiv:2212.14852, learning (c); constants: exact.
"""

from typing import Any

from sympy import Eq, Trace, ZeroMatrix

from bounds.arithmetic.field import Field
from bounds.arrays import arrays
from bounds.claim import Claim, Mutant
from bounds.derivation import Derivation, Rule, Step
from bounds.hypothesis import assume, on_instances
from bounds.matrices import PseudoInverse
from bounds.points import Point, Points, point
from bounds.quantity import Quantity
from bounds.relation import Relation
from bounds.source import ATTENTION_PAPER
from bounds.status import Status
from bounds.symbols import d_phi, matrix, scalar

SOURCE = ATTENTION_PAPER.at(
    "(c): self-supervised learning and the condition number", constants="constants: exact"
)
m = scalar("m")
B = matrix("B", m, d_phi)
a = matrix("a", d_phi, 1)
c = matrix("c", d_phi, 1)
e = matrix("e", d_phi, 1)
gram = B.T * B
worst = PseudoInverse(gram) * a
kappa = Trace(a.T * PseudoInverse(gram) * a)
ROW_SPACE = on_instances(
    "row_space", "$a = B^T B c$: a lies in the row space of B", condition=Eq(a, gram * c)
)
SEEN = assume("seen", kappa > 0)


def in_row_space(instance: Point, field: Field) -> Any:
    """a = B^T B c, a direction that pretraining sees; or the a that the instance gives itself."""
    given: Any = dict(instance.values).get("a")
    if given is not None:
        return field.matrix(given)
    B_, c_ = field.matrix(instance["B"]), field.matrix(instance["c"])
    return field.matmul(field.transpose(B_), field.matmul(B_, c_))


DIRECTION = Quantity(a, "downstream weights, d_phi x 1", in_row_space)
SEEN_DIRECTIONS = arrays(B, c, e, count=80)

ATTAINED = Claim(
    id="G9.attained",
    title="the condition number is attained at e = (B^T B)^+ a",
    lhs=Trace(a.T * worst) ** 2,
    rhs=kappa * Trace((B * worst).T * (B * worst)),
    relation=Relation.IDENTITY,
    quantities=(DIRECTION,),
    instances=SEEN_DIRECTIONS,
    source=SOURCE,
    mutants=(
        Mutant(
            name="halved",
            rhs=kappa * Trace((B * worst).T * (B * worst)) / 2,
            why="B = a = 1: 1 against 1/2",
        ),
        Mutant(
            name="not_squared",
            lhs=Trace(a.T * worst),
            why="B = 1, a = 2: 4 against 16",
        ),
    ),
    tags=("self-supervised", "identity"),
)

share = Trace(a.T * e) / kappa
remainder = e - share * worst

GAP = Claim(
    id="G9.gap",
    title="kappa |B e|^2 - (a.e)^2 is kappa times a square",
    lhs=kappa * Trace((B * e).T * (B * e)) - Trace(a.T * e) ** 2,
    rhs=kappa * Trace((B * remainder).T * (B * remainder)),
    relation=Relation.IDENTITY,
    hypotheses=(ROW_SPACE, SEEN),
    quantities=(DIRECTION,),
    instances=SEEN_DIRECTIONS,
    source=SOURCE,
    derivation=Derivation(
        start=kappa * Trace((B * e).T * (B * e)) - Trace(a.T * e) ** 2,
        steps=(
            Step(
                kappa * (Trace((B * e).T * (B * e)) - 2 * share * Trace(a.T * e))
                + kappa * share**2 * kappa,
                Rule.ALGEBRA,
                "with share = a.e/kappa the last two terms are -2 (a.e)^2 and (a.e)^2",
            ),
            Step(
                kappa
                * (
                    Trace((B * e).T * (B * e))
                    - 2 * share * Trace((B * worst).T * (B * e))
                    + share**2 * Trace((B * worst).T * (B * worst))
                ),
                Rule.ALGEBRA,
                "B^T B (B^T B)^+ a = a in the row space, so a.e = <B e*, B e> and kappa = |B e*|^2",
            ),
            Step(
                kappa * Trace((B * remainder).T * (B * remainder)),
                Rule.ALGEBRA,
                "a square of the remainder e - share e*",
            ),
        ),
    ),
    mutants=(
        Mutant(
            name="without_projection",
            rhs=kappa * Trace((B * e).T * (B * e)),
            why="drops (a.e)^2",
        ),
        Mutant(
            name="twice_projected",
            rhs=kappa
            * Trace(
                (B * (e - 2 * Trace(a.T * e) / kappa * worst)).T
                * (B * (e + Trace(a.T * e) / kappa * worst))
            ),
            why="B = a = e = 1: 0 against -2",
        ),
    ),
    tags=("self-supervised", "identity"),
)

NO_ROW_SPACE = Mutant(
    name="row_space_dropped",
    drop=("row_space",),
    instances=Points(
        (
            point({"B": [[1, 0]], "a": [[0], [1]], "c": [[0], [0]], "e": [[0], [1]]},
                  label="B sees the first coordinate, a needs the second"),
        )
    ),
    why="B = (1 0), a = e = (0 1): kappa formula 0, pretraining excess 0, downstream excess 1",
)  # fmt: skip

BOUND = Claim(
    id="G9.bound",
    title="downstream excess <= kappa times pretraining excess",
    lhs=Trace(a.T * e) ** 2,
    rhs=kappa * Trace((B * e).T * (B * e)),
    hypotheses=(ROW_SPACE,),
    quantities=(DIRECTION,),
    instances=SEEN_DIRECTIONS,
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="halved",
            rhs=kappa * Trace((B * e).T * (B * e)) / 2,
            why="attained, for example at B = a = e = 1",
        ),
        Mutant(name="strict", relation=Relation.LT, why="attained"),
        NO_ROW_SPACE,
    ),
    tags=("self-supervised", "bound"),
)

UNSEEN_DIRECTIONS = arrays(B, a, count=60)
unseen = a - PseudoInverse(B) * B * a

INVISIBLE = Claim(
    id="G9.invisible",
    title="pretraining does not see the part of a outside the row space of B",
    lhs=B * unseen,
    rhs=ZeroMatrix(m, 1),
    relation=Relation.IDENTITY,
    instances=UNSEEN_DIRECTIONS,
    source=SOURCE,
    mutants=(
        Mutant(name="added", lhs=B * (a + PseudoInverse(B) * B * a), why="B = a = 1 gives 2"),
        Mutant(name="whole", lhs=B * a, why="B = a = 1 gives 1"),
    ),
    tags=("self-supervised", "identity"),
)

MISSED = Claim(
    id="G9.missed",
    title="a direction missed by B costs downstream what pretraining cannot see",
    lhs=Trace(a.T * unseen),
    rhs=Trace(unseen.T * unseen),
    relation=Relation.IDENTITY,
    instances=UNSEEN_DIRECTIONS,
    source=SOURCE,
    mutants=(
        Mutant(name="seen", rhs=Trace(a.T * a), why="B = a = 1: 0 against 1"),
        Mutant(name="doubled", rhs=2 * Trace(unseen.T * unseen), why="B = 0, a = 1: 1 against 2"),
    ),
    tags=("self-supervised", "identity"),
)

CLAIMS = (ATTAINED, GAP, BOUND, INVISIBLE, MISSED)
