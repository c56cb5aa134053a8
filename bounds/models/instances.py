"""Deterministic instances of the linear-Gaussian model: named nasty cases, then random ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from bounds.arithmetic.convert import Rows
from bounds.attention.kernels import Kernel, LinearKernel
from bounds.draws import (
    Draw,
    scaled,
    simpler_numbers,
    simpler_rows,
    without_column,
)
from bounds.errors import ParameterError
from bounds.models.linear_gaussian import LinearGaussian, LinearGaussianData
from bounds.models.nasty_cases import NASTY_CASES, Plan

Needs = Callable[[LinearGaussianData], bool]
DataT = TypeVar("DataT", LinearGaussian, LinearGaussianData)
_ATTEMPTS = 500


@dataclass(frozen=True)
class LinearGaussianInstances:
    """A strategy: index 0, 1, ... are the named nasty cases, later ones random small rationals.

    ``needs`` is a property every instance must have (say ``lambda data: data.L >= data.dphi``): a
    case without it is replaced by random draws until one has it.
    """

    count: int
    seed: int
    kernel: Kernel
    needs: Needs | None = None

    def draw(self, index: int, seed: int) -> LinearGaussianData:
        """The instance (index, seed); ParameterError when 500 draws do not meet ``needs``."""
        for name, value in (("index", index), ("seed", seed)):
            if value < 0:
                raise ParameterError(name, value, "must be >= 0")
        for attempt in range(_ATTEMPTS):
            draw = Draw.at(self.seed, seed, index, attempt)
            if attempt == 0 and index < len(NASTY_CASES):
                label, plan = NASTY_CASES[index][0], NASTY_CASES[index][1](draw)
            else:
                label, plan = f"random {index}", _random_plan(draw)
            instance = self._fill(draw, plan, label)
            if self.needs is None or self.needs(instance):
                return instance
        raise ParameterError("needs", self.needs, f"no instance has it in {_ATTEMPTS} draws")

    def _fill(self, draw: Draw, plan: Plan, label: str) -> LinearGaussianData:
        """The instance of a plan; whatever the plan leaves open is random."""
        model = LinearGaussian(
            plan.prior_variance or draw.square(), plan.noise_variance or draw.square(), self.kernel
        )
        keys = plan.keys or draw.rows(plan.L, plan.dk)
        dphi = self.kernel.feature_dimension(plan.dk)
        latent = None if dphi is None else draw.rows(plan.dv, dphi)
        if latent is not None and plan.latent_scale is not None:
            latent = scaled(plan.latent_scale, latent)
        values = plan.values or draw.rows(plan.L, plan.dv)
        query = plan.query or draw.row(plan.dk)
        return LinearGaussianData(model, keys, values, query, latent, label)

    def shrink(self, instance: LinearGaussianData) -> Iterator[LinearGaussianData]:
        """Simpler neighbours: fewer tokens, key coordinates or outputs, then simpler numbers."""
        for simpler in _neighbours(instance):
            if self.needs is None or self.needs(simpler):
                yield simpler


def linear_gaussian_instances(
    count: int = 60,
    seed: int = 0,
    *,
    kernel: Kernel | None = None,
    needs: Needs | None = None,
) -> LinearGaussianInstances:
    """The standard family of linear-Gaussian instances, by default with phi(k) = k."""
    if count < 1:
        raise ParameterError("count", count, "must be >= 1")
    return LinearGaussianInstances(count, seed, kernel or LinearKernel(), needs)


def _random_plan(draw: Draw) -> Plan:
    return Plan(L=draw.integer(1, 7), dk=draw.integer(1, 3), dv=draw.integer(1, 3))


def _neighbours(instance: LinearGaussianData) -> Iterator[LinearGaussianData]:
    yield from _smaller(instance)
    for name in ("keys", "values", "latent"):
        rows = getattr(instance, name)
        for simpler in simpler_rows(rows) if rows is not None else ():
            yield _changed(instance, name, simpler)
    for (query,) in simpler_rows((instance.query,)):
        yield replace(instance, query=query)
    for name in ("prior_variance", "noise_variance"):
        for number in simpler_numbers(getattr(instance.model, name)):
            if number > 0:
                yield replace(instance, model=_changed(instance.model, name, number))


def _changed(data: DataT, name: str, value: Any) -> DataT:
    change: dict[str, Any] = {name: value}
    return replace(data, **change)


def _smaller(instance: LinearGaussianData) -> Iterator[LinearGaussianData]:
    if instance.L > 1:
        for i in range(instance.L):
            yield instance.without_token(i)
    if instance.dk > 1:
        for j in range(instance.dk):
            yield _without_key_coordinate(instance, j)
    if instance.dv > 1:
        for i in range(instance.dv):
            latent = instance.latent
            yield replace(
                instance,
                values=without_column(instance.values, i),
                latent=None if latent is None else (*latent[:i], *latent[i + 1 :]),
            )


def _without_key_coordinate(instance: LinearGaussianData, j: int) -> LinearGaussianData:
    (query,) = without_column((instance.query,), j)
    return replace(
        instance,
        keys=without_column(instance.keys, j),
        query=query,
        latent=_narrower_latent(instance, j),
    )


def _narrower_latent(instance: LinearGaussianData, j: int) -> Rows | None:
    """z without the column of key coordinate j, or cut to the new number of features."""
    if instance.latent is None:
        return None
    dphi = instance.model.kernel.feature_dimension(instance.dk - 1)
    if dphi == instance.dk - 1:
        return without_column(instance.latent, j)
    return tuple(row[:dphi] for row in instance.latent)
