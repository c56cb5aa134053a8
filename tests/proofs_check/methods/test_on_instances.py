"""The parts of a claim's instances, put together, say what one pass over them says."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Rational, exp, sympify

from bounds.claim import Claim
from bounds.errors import ClaimDefinitionError
from bounds.hypothesis import assume
from bounds.points import Points, between, box, choices, point
from bounds.quantity import Law, Sampler
from bounds.relation import Relation, Tail
from bounds.source import Source
from bounds.status import Status
from bounds.symbols import scalar
from proofs_check.checker import Settings, check, examination
from proofs_check.methods.coverage import check_coverage
from proofs_check.methods.instances import check_instances
from proofs_check.methods.on_instances import Sweep, settles, strategy_of
from proofs_check.methods.parts import groups
from proofs_check.methods.sampling import BATCH, BATCHES, check_samples, together

x, t, X = scalar("x"), scalar("t"), scalar("X")
POSITIVE = (assume("t", t > 0),)
SAMPLER = Sampler(X, "exponential", lambda instance, rng, size: rng.exponential(size=size))
LAW = Law(X, "exponential", lambda instance, field, threshold: field.exp(-threshold))
BOX = box(61, t=between(0, 3, ends="(]"))


def plain(rhs, strategy):
    return Claim(id="T.p", title="t", lhs=x, rhs=sympify(rhs), source=Source("t"),
                 instances=strategy)  # fmt: skip


def tail(rhs, **how):
    return Claim(id="T.t", title="t", lhs=X, rhs=sympify(rhs), relation=Relation.TAIL,
                 source=Source("t"), tail=Tail(exp(-t), **how), hypotheses=POSITIVE,
                 instances=BOX)  # fmt: skip


CLAIMS = {
    "held": plain(x + 1, box(61, x=between(0, 9))),
    "late": plain(40, Points(tuple(point({"x": n}) for n in range(61)))),
    "law": tail(2 * t, law=LAW),
    "law fails": tail(t * Rational(9, 10), law=LAW),
    "samples": tail(t, sampler=SAMPLER),
    "samples fail": tail(t * Rational(3, 4), sampler=SAMPLER),
}


def whole(claim, settings):
    """The evidence by the function that takes all instances in one go."""
    how = {"seed": settings.seed, "precision": settings.precision}
    if claim.tail is None:
        return check_instances(claim, claim.instances, **how)
    if claim.tail.law is not None:
        return check_coverage(claim, claim.tail, claim.tail.law, claim.instances, **how)
    sampler = claim.tail.sampler
    return check_samples(claim, claim.tail, sampler, claim.instances, alpha=settings.alpha, **how)


@pytest.mark.parametrize("name", CLAIMS)
def test_parts_in_any_order_give_the_evidence_of_one_pass(name):
    settings = Settings(seed=5)
    found = examination(CLAIMS[name], settings)
    tried = {part: found.try_part(part) for part in reversed(found.parts)}
    rows = []
    for group in groups(found.parts):
        new = [row for part in group for row in tried[part]]
        rows += new
        if settles(new, found.level):
            break
    assert found.evidence(tuple(rows)) == whole(CLAIMS[name], settings)
    assert (len(rows) < sum(map(len, tried.values()))) is (name in ("late", "law fails",
                                                                   "samples fail"))  # fmt: skip


def test_the_first_failure_decides_wherever_it_is():
    found = check(CLAIMS["late"])
    assert found.status is Status.REFUTED
    assert found.witness.instance == {"x": "41"}
    assert found.evidence[-1].details["tried"] == 42


def test_batches_have_streams_of_their_own_and_are_counted_together():
    drawn = []

    def note(instance, rng, size):
        drawn.append(rng.exponential(size=size))
        return drawn[-1]

    claim = replace(tail(t, sampler=Sampler(X, "noted", note)), instances=box(2, t=choices(1)))
    found = examination(claim, Settings())
    rows = [row for part in found.parts for row in found.try_part(part)]
    assert len(drawn) == 2 * BATCHES
    assert len({tuple(values[:3]) for values in drawn}) == len(drawn)
    for index, count in enumerate(together(rows)):
        batches = drawn[index::2]
        assert count.samples == BATCHES * BATCH
        assert count.failures == np.count_nonzero(np.concatenate(batches) > 1)


def test_a_sweep_draws_as_many_as_it_is_told():
    claim = CLAIMS["held"]
    assert check(claim, Settings(instances=500)).evidence[-1].details["held"] == 500
    assert check(claim, Settings(instances=2)).evidence[-1].details["held"] == 2
    few, many = strategy_of(claim, 3, 0), strategy_of(claim, 400, 0)
    assert [few.draw(i, 7) for i in range(3)] == [many.draw(i, 7) for i in range(3)]
    assert strategy_of(claim, None, 0) is claim.instances


def test_a_fixed_list_cannot_be_swept_beyond_its_end():
    with pytest.raises(ClaimDefinitionError, match="a fixed list of 61 instances, not 62"):
        strategy_of(CLAIMS["late"], 62, 0)
    assert strategy_of(CLAIMS["late"], 5, 0) == Sweep(CLAIMS["late"].instances, 5)
    found = check(CLAIMS["late"], Settings(instances=62))
    assert found.status is Status.ERROR
    assert "leave --instances out" in found.summary


def test_the_level_is_shared_by_all_instances_of_a_sweep():
    found = examination(CLAIMS["samples"], Settings(instances=1000))
    assert found.level == pytest.approx(1e-9)
