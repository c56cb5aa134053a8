"""A claim put on instances: which method that is, in parts that any worker can check alone.

Identities and inequalities are checked on each instance (:mod:`.instances`); tails by their exact
law (:mod:`.coverage`), or by samples in batches (:mod:`.sampling`). One process that takes the
parts in turn and many that take one each come to the same evidence, bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bounds.claim import Claim
from bounds.defaults import default_instances
from bounds.errors import ClaimDefinitionError
from bounds.models.strategy import Strategy
from bounds.status import Status
from proofs_check.methods import coverage, instances, sampling
from proofs_check.methods.parts import Part, split
from proofs_check.methods.trial import Trial
from proofs_check.verdict import Evidence, Strength

Row = Trial | coverage.Coverage | sampling.Count
Rows = tuple[Row, ...]


@dataclass(frozen=True)
class Sweep:
    """The first ``count`` instances of another strategy, fewer or more than it says itself."""

    base: Strategy[Any]
    count: int

    def draw(self, index: int, seed: int) -> Any:
        """The same instance as the base's."""
        return self.base.draw(index, seed)

    def shrink(self, instance: Any) -> Iterator[Any]:
        """The same neighbours as the base's."""
        return self.base.shrink(instance)


@dataclass(frozen=True)
class Examination:
    """A claim, the instances it is put on, and how they are drawn and decided."""

    claim: Claim
    strategy: Strategy[Any]
    seed: int
    precision: int
    alpha: float

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its parts, in the order in which they decide; none when there is nothing to check by."""
        tail = self.claim.tail
        if tail is not None and tail.law is None and tail.sampler is None:
            return ()
        return split(self.strategy.count, sampling.BATCHES if self._is_sampled else 1)

    @property
    def level(self) -> float:
        """The statistical level of each instance alone."""
        return self.alpha / max(1, self.strategy.count)

    @property
    def _is_sampled(self) -> bool:
        tail = self.claim.tail
        return tail is not None and tail.law is None and tail.sampler is not None

    def try_part(self, part: Part) -> Rows:
        """What is found on one part."""
        claim, tail, how = self.claim, self.claim.tail, self._how
        if tail is None:
            return instances.try_instances(claim, self.strategy, part.indices, **how)
        if tail.law is not None:
            return coverage.cover(claim, tail, tail.law, self.strategy, part.indices, **how)
        if tail.sampler is not None:
            return sampling.draw_batch(claim, tail, tail.sampler, self.strategy, part, **how)
        return ()

    def evidence(self, rows: Rows) -> Evidence:
        """What the rows of all parts, in their order, say together."""
        if self.claim.tail is None:
            trials = [row for row in rows if isinstance(row, Trial)]
            return instances.instance_evidence(self.claim, self.strategy, trials, **self._how)
        if self.claim.tail.law is not None:
            found = [row for row in rows if isinstance(row, coverage.Coverage)]
            return coverage.coverage_evidence(self.strategy, found, seed=self.seed)
        if self.claim.tail.sampler is not None:
            counts = [row for row in rows if isinstance(row, sampling.Count)]
            return sampling.sample_evidence(self.strategy, counts, seed=self.seed, alpha=self.alpha)
        reason = "no law and no sampler: there is nothing to check the tail with"
        return Evidence("coverage", Status.UNDECIDED, Strength.NONE, reason)

    @property
    def _how(self) -> dict[str, int]:
        return {"seed": self.seed, "precision": self.precision}


def settles(rows: Sequence[Row], level: float) -> bool:
    """Whether the rows of a group of parts decide, so that later groups need not be looked at."""
    if not rows:
        return False
    last = rows[-1]
    if isinstance(last, Trial):
        return instances.decides(last)
    if isinstance(last, coverage.Coverage):
        return last.answer is False
    counts = [row for row in rows if isinstance(row, sampling.Count)]
    return sampling.first_excess(counts, level) is not None


def strategy_of(claim: Claim, count: int | None, seed: int) -> Strategy[Any]:
    """The instances of a claim, ``count`` of them if that is given.

    Raises:
        ClaimDefinitionError: the claim has a fixed list of fewer instances.
    """
    base: Strategy[Any] = claim.instances or default_instances(claim)
    if count is None:
        return base
    if count > base.count:
        try:
            base.draw(count - 1, seed)
        except IndexError as error:
            raise ClaimDefinitionError(
                f"claim {claim.id!r} has a fixed list of {base.count} instances, not {count}; "
                "leave --instances out, or give it a strategy that draws more"
            ) from error
    return Sweep(base, count)
