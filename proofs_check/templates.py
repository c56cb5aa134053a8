"""The text of the claim file that ``proofs-check init`` writes."""

CLAIM_FILE = '''\
"""My claims. Check them with

    proofs-check verify my_claims.py          is every claim as expected?
    proofs-check mutants my_claims.py         does any false neighbour come out PROVED?
    proofs-check show my.log --file my_claims.py

This file is run like any Python file. All that is read from it is the tuple CLAIMS at its end.
"""

from sympy import Identity, log

from bounds import Claim, Mutant, Relation, Source, assume, between, box, matrix, scalar

PAPER = Source("My paper (2025)", "Section 2")

# --- An inequality between scalars ----------------------------------------------------------------
# Symbols come from scalar() and matrix() and are only known to be real. Everything else that a
# claim needs, also the sign of a symbol, is a hypothesis: so it is seen when one is missing.
x = scalar("x")

LOGARITHM = Claim(
    id="my.log",  # result.part; a result is as weak as its weakest part
    title="the logarithm lies below its tangent at 1",
    lhs=log(1 + x),  # plain SymPy, the two sides apart; the relation is <= unless said
    rhs=x,
    hypotheses=(assume("domain", x > -1),),
    # Where instances come from: exact rational points of these ranges, "(" is an open end. They
    # may reach beyond the hypotheses: points that violate one are passed over.
    instances=box(x=between(-1, 10, ends="(]")),
    source=PAPER,
    # Inequalities between scalars are proved by the inequality engine, so PROVED is expected, as
    # it is unless said. One that is only checked on instances would say so here:
    # expected=Status.CONSISTENT,
    # A false neighbour, with the reason why it is false. A check that lets it pass is no check.
    mutants=(
        Mutant(name="half", why="at x = 1: log 2 = 0.69... > 1/2", rhs=x / 2),
    ),
    tags=("scalar",),
)

# --- An identity between matrices of any shape ----------------------------------------------------
# An identity is proved for all n and d at once. Without `instances` it is also tried on exact
# matrices of several shapes, made from its symbols.
n, d, c = scalar("n"), scalar("d"), scalar("c")
X = matrix("X", n, d)

PUSH_THROUGH = Claim(
    id="my.push_through",
    title="ridge regression in feature space and in sample space",
    lhs=X * (X.T * X + c * Identity(d)).inverse(),
    rhs=(X * X.T + c * Identity(n)).inverse() * X,
    relation=Relation.IDENTITY,
    hypotheses=(assume("ridge", c > 0),),  # makes both inverses exist
    source=PAPER,
    mutants=(
        Mutant(
            name="doubled",
            why="at n = d = 1, X = c = 1: the left side is 1/2, the right side 1/3",
            rhs=(X * X.T + 2 * c * Identity(n)).inverse() * X,
        ),
    ),
    tags=("matrix",),
)

CLAIMS = (LOGARITHM, PUSH_THROUGH)
'''
