"""The instance families: deterministic, nasty, and shrinking to an end."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.attention.kernels import FeatureKernel
from bounds.draws import simpler_numbers
from bounds.errors import ParameterError
from bounds.models.instances import linear_gaussian_instances
from bounds.models.linear_gaussian import LinearGaussianData
from bounds.models.mean_model_instances import mean_model_instances
from bounds.models.strategy import Strategy

LINEAR: Strategy[LinearGaussianData] = linear_gaussian_instances()


def named(label: str) -> LinearGaussianData:
    return next(data for data in map(draw, range(LINEAR.count)) if data.label == label)


def draw(index: int) -> LinearGaussianData:
    return LINEAR.draw(index, 0)


def test_draws_depend_on_index_and_seed_alone() -> None:
    for family in (linear_gaussian_instances(), mean_model_instances()):
        backwards = [family.draw(index, 7) for index in reversed(range(60))][::-1]
        assert backwards == [family.draw(index, 7) for index in range(60)]
        assert family.draw(50, 0) != family.draw(50, 1)
        assert family.draw(50, 0) != family.draw(51, 0)


def test_the_nasty_cases_are_there() -> None:
    labels = [draw(index).label for index in range(LINEAR.count)]
    assert len(set(labels)) == LINEAR.count
    assert sum(not label.startswith("random") for label in labels) >= 30
    assert named("one token").L == 1
    assert named("lam = 1e-12").model.lam == Fraction(1, 10**12)
    assert named("lam = 1e12").model.lam == Fraction(10**12)
    assert set(named("zero query").query) == {0}
    assert len(set(named("all keys equal").keys)) == 1
    assert named("forty tokens").L == 40
    assert named("fewer tokens than features").dphi > named("fewer tokens than features").L
    collinear = named("collinear keys").keys
    assert all(a[0] * b[1] == a[1] * b[0] for a in collinear for b in collinear)
    orthogonal = named("orthogonal keys")
    columns = list(zip(*orthogonal.keys, strict=True))
    assert sum(a * b for a, b in zip(*columns, strict=True)) == 0
    assert named("query equal to a key").query in named("query equal to a key").keys


def is_square(x: Fraction) -> bool:
    return isqrt(x.numerator) ** 2 == x.numerator and isqrt(x.denominator) ** 2 == x.denominator


def test_deviations_are_mostly_rational_and_latents_always_given() -> None:
    instances = [draw(index) for index in range(LINEAR.count)]
    squares = [
        is_square(data.model.noise_variance) and is_square(data.model.prior_variance)
        for data in instances
    ]
    assert sum(squares) >= LINEAR.count - 2
    assert all(data.latent is not None for data in instances)


def test_needs_hold_for_every_instance() -> None:
    family = linear_gaussian_instances(needs=lambda data: data.dphi <= data.L)
    assert all(family.draw(index, 0).dphi <= family.draw(index, 0).L for index in range(60))
    assert all(s.dphi <= s.L for s in family.shrink(family.draw(2, 0)))


def test_impossible_needs_are_named() -> None:
    with pytest.raises(ParameterError, match=r"^needs = "):
        linear_gaussian_instances(needs=lambda data: data.L < 0).draw(0, 0)


@pytest.mark.parametrize("family", [linear_gaussian_instances(), mean_model_instances()])
def test_bad_indices_are_named(family: Any) -> None:
    with pytest.raises(ParameterError, match="index = -1"):
        family.draw(-1, 0)
    with pytest.raises(ParameterError, match="seed = -1"):
        family.draw(0, -1)


def test_bad_counts_are_named() -> None:
    for build in (linear_gaussian_instances, mean_model_instances):
        with pytest.raises(ParameterError, match="count = 0"):
            build(0)


def smallest(family: Any, instance: Any, bad: Callable[[Any], bool]) -> Any:
    """Greedy shrinking, as a searcher for witnesses does it."""
    while (simpler := next(filter(bad, family.shrink(instance)), None)) is not None:
        instance = simpler
    return instance


def test_shrinking_finds_a_small_witness() -> None:
    witness = smallest(LINEAR, named("forty tokens"), lambda data: data.keys[0][0] >= 0)
    assert (witness.L, witness.dk, witness.dv) == (1, 1, 1)
    assert witness.keys == ((0,),)
    assert witness.model.lam == 1


def test_shrinking_ends_for_every_family() -> None:
    wide = linear_gaussian_instances(kernel=FeatureKernel(2))
    for family in (LINEAR, wide, mean_model_instances()):
        end = smallest(family, family.draw(45, 0), lambda data: True)
        assert end.L == 1
        assert not list(family.shrink(end))


def test_shrunk_instances_stay_valid() -> None:
    for index in range(0, 60, 5):
        for simpler in LINEAR.shrink(draw(index)):
            assert simpler.latent is not None
            assert len(simpler.latent[0]) == simpler.dphi
        mean_family = mean_model_instances()
        assert all(s.d >= 1 for s in mean_family.shrink(mean_family.draw(index, 0)))


@given(st.fractions())
def test_simpler_numbers_end(x: Fraction) -> None:
    while candidates := simpler_numbers(x):
        shorter = candidates[-1]
        assert shorter.denominator + abs(shorter.numerator) < x.denominator + abs(x.numerator)
        x = shorter
    assert x == 0
