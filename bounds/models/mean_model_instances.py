"""Deterministic instances of the exchangeable Gaussian mean model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from bounds.arithmetic.convert import Row, Rows
from bounds.draws import Draw, scaled, simpler_rows, without_column
from bounds.errors import ParameterError
from bounds.models.mean_model import MeanModel, MeanModelData


@dataclass(frozen=True)
class MeanPlan:
    """The sizes of an instance and those of its arrays that are not left to chance."""

    L: int = 4
    d: int = 2
    mean: Row | None = None
    prior: Rows | None = None
    noise: Rows | None = None
    tokens: Rows | None = None


Case: TypeAlias = tuple[str, Callable[[Draw], MeanPlan]]


def _diagonal(*entries: Fraction) -> Rows:
    n = range(len(entries))
    return tuple(tuple(entries[i] if i == j else Fraction(0) for j in n) for i in n)


def _covariance(draw: Draw, d: int) -> Rows:
    """B B^T + I/4 for a random lower triangular B, so positive definite."""
    B = [[draw.number() if j <= i else Fraction(0) for j in range(d)] for i in range(d)]
    return tuple(
        tuple(
            sum((x * y for x, y in zip(B[i], B[j], strict=True)), Fraction(int(i == j), 4))
            for j in range(d)
        )
        for i in range(d)
    )


_ONE = Fraction(1)
_TINY, _HUGE = Fraction(1, 10**12), Fraction(10**12)
_NEARLY_ONE = 1 - Fraction(1, 10**6)
_CORRELATED = ((_ONE, _NEARLY_ONE), (_NEARLY_ONE, _ONE))

_NASTY_CASES: tuple[Case, ...] = (
    ("one token", lambda draw: MeanPlan(L=1)),
    ("one dimension", lambda draw: MeanPlan(d=1)),
    ("one token, one dimension", lambda draw: MeanPlan(L=1, d=1)),
    ("tiny noise", lambda draw: MeanPlan(noise=_diagonal(_TINY, _TINY))),
    ("huge noise", lambda draw: MeanPlan(noise=_diagonal(_HUGE, _HUGE))),
    ("tiny prior", lambda draw: MeanPlan(prior=_diagonal(_TINY, _TINY))),
    ("huge prior", lambda draw: MeanPlan(prior=_diagonal(_HUGE, _HUGE))),
    ("equal tokens", lambda draw: MeanPlan(tokens=draw.rows(1, 2) * 4)),
    ("zero tokens", lambda draw: MeanPlan(tokens=((Fraction(0),) * 2,) * 4)),
    ("nearly degenerate prior", lambda draw: MeanPlan(prior=_CORRELATED)),
    ("nearly degenerate noise", lambda draw: MeanPlan(noise=_CORRELATED)),
    ("uneven noise", lambda draw: MeanPlan(noise=_diagonal(Fraction(1, 10**6), _ONE))),
    ("huge tokens", lambda draw: MeanPlan(tokens=scaled(10**6, draw.rows(4, 2)))),
    ("twelve tokens", lambda draw: MeanPlan(L=12)),
    ("independent coordinates", lambda draw: MeanPlan(prior=_diagonal(_ONE, _ONE))),
    ("zero prior mean", lambda draw: MeanPlan(mean=(Fraction(0),) * 2)),
)


@dataclass(frozen=True)
class MeanModelInstances:
    """A strategy: index 0, 1, ... are the named nasty cases, later ones random small rationals."""

    count: int
    seed: int

    def draw(self, index: int, seed: int) -> MeanModelData:
        """The instance (index, seed)."""
        for name, value in (("index", index), ("seed", seed)):
            if value < 0:
                raise ParameterError(name, value, "must be >= 0")
        draw = Draw.at(self.seed, seed, index)
        if index < len(_NASTY_CASES):
            label, plan = _NASTY_CASES[index][0], _NASTY_CASES[index][1](draw)
        else:
            label = f"random {index}"
            plan = MeanPlan(L=draw.integer(1, 5), d=draw.integer(1, 3))
        model = MeanModel(
            plan.mean or draw.row(plan.d),
            plan.prior or _covariance(draw, plan.d),
            plan.noise or _covariance(draw, plan.d),
        )
        return MeanModelData(model, plan.tokens or draw.rows(plan.L, plan.d), label)

    def shrink(self, instance: MeanModelData) -> Iterator[MeanModelData]:
        """Simpler neighbours: fewer tokens or coordinates, then simpler numbers."""
        if instance.L > 1:
            for i in range(instance.L):
                yield instance.without_token(i)
        if instance.d > 1:
            for j in range(instance.d):
                yield _without_coordinate(instance, j)
        for tokens in simpler_rows(instance.tokens):
            yield replace(instance, tokens=tokens)
        for (mean,) in simpler_rows((instance.model.prior_mean,)):
            yield replace(instance, model=replace(instance.model, prior_mean=mean))
        yield from _with_identity_covariances(instance)


def mean_model_instances(count: int = 60, seed: int = 0) -> MeanModelInstances:
    """The standard family of instances of the mean model."""
    if count < 1:
        raise ParameterError("count", count, "must be >= 1")
    return MeanModelInstances(count, seed)


def _without_coordinate(instance: MeanModelData, j: int) -> MeanModelData:
    model = instance.model
    (mean,) = without_column((model.prior_mean,), j)
    smaller = MeanModel(
        mean, _principal(model.prior_covariance, j), _principal(model.noise_covariance, j)
    )
    return replace(instance, model=smaller, tokens=without_column(instance.tokens, j))


def _principal(rows: Rows, j: int) -> Rows:
    """The matrix without row and column j."""
    return without_column((*rows[:j], *rows[j + 1 :]), j)


def _with_identity_covariances(instance: MeanModelData) -> Iterator[MeanModelData]:
    identity = _diagonal(*(_ONE,) * instance.d)
    model = instance.model
    if model.prior_covariance != identity:
        yield replace(instance, model=replace(model, prior_covariance=identity))
    if model.noise_covariance != identity:
        yield replace(instance, model=replace(model, noise_covariance=identity))
