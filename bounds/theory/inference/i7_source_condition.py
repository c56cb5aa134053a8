r"""I7: the bias of the regularisation under a source condition.

.. math:: \sup_{s \ge 0} \frac{\mu s^r}{s + \mu} = r^r (1-r)^{1-r} \mu^r \qquad (0 < r < 1),

attained at :math:`s = r\mu/(1-r)`. At r = 0 the supremum is 1; at r = 1 it is mu, not attained;
for r > 1 it is infinite. Source: arXiv:2212.14852, inference (b); constants: derived here.
"""

from sympy import Integer, Rational, log, oo, sqrt

from bounds.arrays import POSITIVE, UNIT_INTERVAL
from bounds.claim import Claim, Mutant
from bounds.hypothesis import assume
from bounds.points import between, box, choices
from bounds.relation import Limit, Relation
from bounds.source import ATTENTION_PAPER
from bounds.status import Status
from bounds.symbols import mu, scalar

SOURCE = ATTENTION_PAPER.at(
    "(b): bias under a source condition", constants="constants: derived here"
)
s, r = scalar("s"), scalar("r")
filtered = mu * s**r / (s + mu)
supremum = r**r * (1 - r) ** (1 - r) * mu**r
attained_at = r * mu / (1 - r)
SPECTRUM = assume("spectrum", s >= 0)
RIDGE = assume("ridge", mu > 0)
SOURCE_CONDITION = assume("source_condition", (r > 0) & (r < 1))
POINTS = box(s=between(0), mu=POSITIVE, r=UNIT_INTERVAL)

SUPREMUM = Claim(
    id="I7.supremum",
    title="mu s^r/(s+mu) <= r^r (1-r)^(1-r) mu^r",
    lhs=filtered,
    rhs=supremum,
    hypotheses=(SPECTRUM, RIDGE, SOURCE_CONDITION),
    instances=POINTS,
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="constant",
            rhs=supremum * Rational(9, 10),
            why="the constant is attained at s = r mu/(1-r)",
            instances=box(s=between(0, 2), mu=between(1, 2), r=UNIT_INTERVAL),
        ),
        Mutant(
            name="exponent",
            rhs=r**r * (1 - r) ** (1 - r) * mu ** (2 * r),
            why="r = 1/2, mu = s = 1/100: 1/20 against 1/200",
        ),
        Mutant(
            name="r_above_one",
            lhs=mu * s**2 / (s + mu),
            rhs=mu**2,
            why="r = 2 is outside the region: at s = 10, mu = 1 the left side is 100/11",
        ),
    ),
    tags=("bias", "bound"),
)

SIMPLE = Claim(
    id="I7.simple",
    title="mu s^r/(s+mu) <= mu^r",
    lhs=filtered,
    rhs=mu**r,
    hypotheses=(SPECTRUM, RIDGE, SOURCE_CONDITION),
    instances=POINTS,
    source=SOURCE,
    expected=Status.CONSISTENT,
    mutants=(
        Mutant(
            name="halved",
            rhs=mu**r / 2,
            instances=box(s=choices("1/99"), mu=choices(1), r=choices("1/100")),
            why="r = 1/100, s = mu/99: the supremum is 0.95 mu^r",
        ),
        Mutant(
            name="any_r",
            drop=("source_condition",),
            instances=box(s=between(10, 20), mu=between(1, 2), r=choices(2, 3)),
            why="r = 2, mu = 1, s = 10: 100/11 against 1",
        ),
    ),
    tags=("bias", "bound"),
)

ROOT = Claim(
    id="I7.root",
    title="at r = 1/2: mu sqrt(s)/(s+mu) <= sqrt(mu)/2",
    lhs=mu * sqrt(s) / (s + mu),
    rhs=sqrt(mu) / 2,
    hypotheses=(SPECTRUM, RIDGE),
    instances=box(s=between(0), mu=POSITIVE),
    source=SOURCE,
    mutants=(
        Mutant(name="constant", rhs=sqrt(mu) * Rational(499, 1000), why="attained at s = mu"),
        Mutant(name="strict", relation=Relation.LT, why="attained at s = mu"),
    ),
    tags=("bias", "bound"),
)

ATTAINED = Claim(
    id="I7.attained",
    title="the supremum is attained at s = r mu/(1-r)",
    lhs=log(filtered.subs(s, attained_at)),
    rhs=log(supremum),
    relation=Relation.IDENTITY,
    hypotheses=(RIDGE, SOURCE_CONDITION),
    instances=box(mu=POSITIVE, r=UNIT_INTERVAL),
    source=SOURCE,
    mutants=(
        Mutant(
            name="elsewhere",
            lhs=log(filtered.subs(s, mu)),
            why="s = mu is the maximiser only at r = 1/2",
        ),
        Mutant(
            name="swapped",
            rhs=log(r ** (1 - r) * (1 - r) ** r * mu**r),
            why="r and 1 - r change places: equal only at r = 1/2",
        ),
    ),
    tags=("bias", "identity"),
)

R_ZERO = Claim(
    id="I7.r_zero",
    title="at r = 0 the supremum is 1",
    lhs=mu / (s + mu),
    rhs=Integer(1),
    hypotheses=(SPECTRUM, RIDGE),
    instances=box(s=between(0), mu=POSITIVE),
    source=SOURCE,
    mutants=(
        Mutant(name="halved", rhs=Rational(1, 2), why="s = 0 gives 1"),
        Mutant(name="strict", relation=Relation.LT, why="s = 0 attains it"),
    ),
    tags=("bias", "bound"),
)

R_ONE = Claim(
    id="I7.r_one",
    title="at r = 1 it stays below mu",
    lhs=mu * s / (s + mu),
    rhs=mu,
    relation=Relation.LT,
    hypotheses=(SPECTRUM, RIDGE),
    instances=box(s=between(0), mu=POSITIVE),
    source=SOURCE,
    mutants=(
        Mutant(name="constant", rhs=mu * Rational(9, 10), why="s = 100 mu gives 100/101 mu"),
        Mutant(name="negative_s", drop=("spectrum",), why="s = -2 mu gives 2 mu",
               instances=box(s=between(-10, -2), mu=between(1, "3/2"))),
    ),
    tags=("bias", "bound"),
)  # fmt: skip

R_ONE_LIMIT = Claim(
    id="I7.r_one_limit",
    title="at r = 1 the supremum mu is approached as s grows",
    lhs=mu * s / (s + mu),
    rhs=mu,
    relation=Relation.LIMIT,
    limit=Limit(s, oo),
    hypotheses=(RIDGE,),
    source=SOURCE,
    mutants=(
        Mutant(name="halved", rhs=mu / 2, why="the limit is mu"),
        Mutant(name="square", lhs=mu * s**2 / (s + mu), why="r = 2 tends to infinity"),
    ),
    tags=("bias", "rate"),
)

R_ABOVE_ONE = Claim(
    id="I7.r_above_one",
    title="for r > 1 it is unbounded: at least mu s^(r-1)/2 once s >= mu",
    lhs=mu * s ** (r - 1) / 2,
    rhs=filtered,
    hypotheses=(RIDGE, assume("large", s >= mu), assume("beyond", r > 1)),
    instances=box(s=between(0, ends="()"), mu=POSITIVE, r=choices("5/4", "3/2", 2, 3)),
    source=SOURCE,
    mutants=(
        Mutant(
            name="without_half",
            lhs=mu * s ** (r - 1),
            why="s^r/(s+mu) is below s^(r-1) for every mu > 0",
        ),
        Mutant(
            name="small_s",
            drop=("large",),
            why="s = mu/100: the left side is larger by about 50",
        ),
    ),
    tags=("bias", "bound"),
)

CLAIMS = (SUPREMUM, SIMPLE, ROOT, ATTAINED, R_ZERO, R_ONE, R_ONE_LIMIT, R_ABOVE_ONE)
