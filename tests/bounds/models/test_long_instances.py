"""Instances of many tokens: exact moments, reproducible, and claims are decided on them."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from bounds import builtin_catalog
from bounds.arithmetic import BallField, FloatField, RationalField
from bounds.arithmetic.linear import entries
from bounds.attention.kernels import FeatureKernel
from bounds.errors import ParameterError
from bounds.models import linear_gaussian as model
from bounds.models.instances import linear_gaussian_instances
from bounds.models.linear_gaussian import LinearGaussianData
from bounds.models.long_instances import with_long_instances
from bounds.parameters import with_parameters
from bounds.points import between
from bounds.status import Status
from proofs_check import check

RATIONAL = RationalField()
FEW = linear_gaussian_instances(count=1)


def long_tokens(L, index=1):
    return with_long_instances(FEW, lengths=(L,)).draw(index, seed=3)


@pytest.mark.parametrize("L", [1, 2, 6, 150])
def test_moments_are_those_of_the_tokens_written_out(L):
    """Every model function gives the same number from the moments as from the tokens."""
    data = long_tokens(L)
    written = data.written_out()
    assert written.L == L
    for function in (
        model.ridge_matrix,
        model.posterior_mean,
        model.posterior_covariance,
        model.feature_query,
    ):
        left, right = (entries(RATIONAL, function(RATIONAL, x)) for x in (data, written))
        assert left == right
    assert model.posterior_variance(RATIONAL, data) == model.posterior_variance(RATIONAL, written)
    left, right = (model.attention_error_law(RATIONAL, x) for x in (data, written))
    assert left.variance == right.variance
    assert entries(RATIONAL, left.mean) == entries(RATIONAL, right.mean)


def test_moments_over_many_blocks_against_whole_numbers_of_python():
    data = long_tokens(40_000)
    second = [[0] * data.dk for _ in range(data.dk)]
    for keys, _ in data.blocks():
        for row in keys.tolist():
            for i, x in enumerate(row):
                for j, y in enumerate(row):
                    second[i][j] += x * y
    grid = Fraction(1, 2**24)
    expected = [[str(x * grid) for x in row] for row in second]
    assert data.describe()["second_moment"] == expected


def test_the_first_tokens_do_not_depend_on_how_many_there_are():
    long, short = long_tokens(50_000), long_tokens(20_000)
    keys = [np.concatenate([k for k, _ in data.blocks()]) for data in (long, short)]
    assert len(keys[1]) == 20_000
    assert (keys[0][:20_000] == keys[1]).all()


def test_keys_are_standard_gaussian_and_values_follow_the_model():
    data = long_tokens(100_000)
    keys, values = (np.concatenate(part) / 2**12 for part in zip(*data.blocks(), strict=True))
    z = np.array(data.latent, dtype=float)
    noise = values - keys @ z.T
    inside = (abs(values) < 7.99).all(axis=1)
    assert np.allclose(keys.T @ keys / len(keys), np.eye(data.dk), atol=0.02)
    assert noise[inside].var() == pytest.approx(float(data.model.noise_variance), rel=0.05)
    assert not (keys[0] == keys[1]).all()


def test_float_and_ball_enclose_the_rational_answer():
    data = long_tokens(1000)
    exact = model.posterior_variance(RATIONAL, data)
    field = BallField(200)
    with field.context():
        ball = model.posterior_variance(field, data)
        assert field.less_equal(field.number(Fraction(int(exact.p), int(exact.q))), ball) is None
        assert ball.rad() < 1e-40
    approx = model.posterior_variance(FloatField(), data)
    assert abs(approx.value - float(Fraction(int(exact.p), int(exact.q)))) <= approx.error


def test_a_description_is_json_and_fixes_the_instance():
    data = long_tokens(500)
    text = data.describe()
    assert json.loads(json.dumps(text)) == text
    again = replace(data, entropy=tuple(int(x) for x in text["entropy"]))
    assert again.describe() == text
    assert replace(data, entropy=(9, 9)).describe() != text


def test_shrinking_ends_in_tokens_written_out():
    strategy = with_long_instances(FEW, lengths=(1000,))
    current = strategy.draw(1, 0)
    steps = 0
    while not isinstance(current, LinearGaussianData):
        current = next(strategy.shrink(current))
        steps += 1
    assert current.L == 1
    assert steps < 10
    assert all(x.L <= 1 for x in strategy.shrink(current))


@pytest.mark.parametrize("L", [0, 2**30 + 1])
def test_lengths_outside_the_range_are_refused(L):
    with pytest.raises(ParameterError, match=f"L = {L}: must be from 1"):
        replace(long_tokens(1), L=L)


def test_what_is_no_strategy_is_refused():
    with pytest.raises(ParameterError, match="LinearKernel"):
        with_long_instances(linear_gaussian_instances(kernel=FeatureKernel(2)))
    with pytest.raises(ParameterError, match="need a length"):
        with_long_instances(FEW, lengths=())


def at_length(claim, L):
    base = with_long_instances(FEW, lengths=(L,), repeats=2)
    if claim.id == "I2.bound":
        return replace(claim, instances=base)
    parameters = {"I5.bound": "share", "I4.tail": "delta"}
    interval = between(0, 1, ends="()")
    return replace(claim, instances=with_parameters(base, **{parameters[claim.id]: interval}))


@pytest.mark.parametrize("name", ["I2.bound", "I4.tail", "I5.bound"])
@pytest.mark.parametrize("L", [1000, 1_000_000])
def test_claims_hold_at_length(name, L):
    found = check(at_length(builtin_catalog()[name], L))
    assert found.status is Status.CONSISTENT, found.summary
    assert found.evidence[-1].details["held"] == (3 if name == "I2.bound" else 6)


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        ("I2.bound", "halved"),
        ("I5.bound", "halved"),
        ("I5.bound", "quadratic_rate"),
        ("I4.tail", "noise_halved"),
    ],
)
def test_mutants_fail_on_long_instances_alone(name, mutant):
    claim = builtin_catalog()[name]
    chosen = next(m for m in claim.mutants if m.name == mutant)
    base = replace(claim.mutated(chosen), instances=at_length(claim, 10_000).instances)
    strategy = base.instances
    long_only = [strategy.draw(i, 0) for i in range(strategy.count)]
    assert any(getattr(x, "data", x).L == 10_000 for x in long_only)
    found = check(base)
    assert found.status is Status.REFUTED, found.summary
