"""The named nasty cases of the linear-Gaussian model, as plans that leave the rest to chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from bounds.arithmetic.convert import Row, Rows
from bounds.draws import Draw, scaled


@dataclass(frozen=True)
class Plan:
    """The sizes of an instance and those of its arrays that are not left to chance."""

    L: int = 5
    dk: int = 2
    dv: int = 2
    keys: Rows | None = None
    values: Rows | None = None
    query: Row | None = None
    latent_scale: Fraction | None = None
    prior_variance: Fraction | None = None
    noise_variance: Fraction | None = None


Case: TypeAlias = tuple[str, Callable[[Draw], Plan]]

_ONE = Fraction(1)
_TINY, _HUGE = Fraction(1, 10**12), Fraction(10**12)
_MILLION = 10**6


def _zeros(rows: int, columns: int) -> Rows:
    return ((Fraction(0),) * columns,) * rows


def _collinear(draw: Draw, L: int, dk: int) -> Rows:
    direction = draw.row(dk)
    return tuple(tuple(draw.number() * x for x in direction) for _ in range(L))


def _equal_keys(draw: Draw) -> Plan:
    return Plan(L=4, keys=draw.rows(1, 2) * 4)


def _repeated(draw: Draw) -> Plan:
    return Plan(L=6, keys=draw.rows(2, 2) * 3, values=draw.rows(2, 2) * 3)


def _one_huge(draw: Draw) -> Plan:
    first, *others = draw.rows(5, 2)
    return Plan(keys=(*scaled(_MILLION, (first,)), *others))


def _orthogonal(draw: Draw) -> Plan:
    signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
    return Plan(L=4, keys=scaled(draw.positive(), tuple(tuple(map(Fraction, s)) for s in signs)))


def _orthogonal_many(draw: Draw) -> Plan:
    axes = tuple(tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3))
    return Plan(L=12, dk=3, keys=scaled(draw.positive(), axes * 4))


def _query_is_key(draw: Draw) -> Plan:
    keys = draw.rows(5, 2)
    return Plan(keys=keys, query=keys[0])


def _opposite(draw: Draw) -> Plan:
    keys, values = draw.rows(2, 2), draw.rows(2, 2)
    return Plan(L=4, keys=keys + scaled(-1, keys), values=values * 2)


def _query_orthogonal(draw: Draw) -> Plan:
    a, b = draw.row(2)
    return Plan(L=3, keys=((a, b),) * 3, query=(-b, a))


def _negative_values(draw: Draw) -> Plan:
    return Plan(values=tuple((-draw.positive(), -draw.positive()) for _ in range(5)))


def _huge_and_tiny(draw: Draw) -> Plan:
    large, small = draw.rows(2, 2), draw.rows(2, 2)
    keys = scaled(1000, large) + scaled(Fraction(1, 1000), small)
    return Plan(L=4, keys=keys, prior_variance=_ONE, noise_variance=_TINY)


NASTY_CASES: tuple[Case, ...] = (
    ("one token", lambda draw: Plan(L=1)),
    ("lam = 1e-12", lambda draw: Plan(prior_variance=_ONE, noise_variance=_TINY)),
    ("lam = 1e12", lambda draw: Plan(prior_variance=_ONE, noise_variance=_HUGE)),
    ("collinear keys", lambda draw: Plan(keys=_collinear(draw, 5, 2))),
    ("zero query", lambda draw: Plan(query=_zeros(1, 2)[0])),
    ("one output", lambda draw: Plan(dv=1)),
    ("repeated tokens", _repeated),
    ("all keys equal", _equal_keys),
    ("zero values", lambda draw: Plan(values=_zeros(5, 2))),
    ("fewer tokens than features", lambda draw: Plan(L=2, dk=4)),
    ("as many tokens as features", lambda draw: Plan(L=3, dk=3)),
    ("forty tokens", lambda draw: Plan(L=40)),
    ("one huge token", _one_huge),
    ("orthogonal keys", _orthogonal),
    ("query equal to a key", _query_is_key),
    ("negative values", _negative_values),
    ("tiny keys", lambda draw: Plan(keys=scaled(Fraction(1, _MILLION), draw.rows(5, 2)))),
    ("zero keys", lambda draw: Plan(keys=_zeros(5, 2))),
    ("one zero key", lambda draw: Plan(keys=(*draw.rows(4, 2), *_zeros(1, 2)))),
    ("all dimensions one", lambda draw: Plan(L=1, dk=1, dv=1)),
    (
        "collinear keys, lam = 1e-12",
        lambda draw: Plan(keys=_collinear(draw, 5, 2), prior_variance=_ONE, noise_variance=_TINY),
    ),
    ("equal keys, query orthogonal", _query_orthogonal),
    ("huge query", lambda draw: Plan(query=scaled(_MILLION, (draw.row(2),))[0])),
    ("tiny query", lambda draw: Plan(query=scaled(_TINY, (draw.row(2),))[0])),
    (
        "one token, lam = 1e12",
        lambda draw: Plan(L=1, prior_variance=_TINY, noise_variance=_ONE),
    ),
    ("opposite keys, equal values", _opposite),
    (
        "huge latent",
        lambda draw: Plan(latent_scale=Fraction(_MILLION)),
    ),
    ("zero latent", lambda draw: Plan(latent_scale=Fraction(0))),
    (
        "irrational sigma and tau",
        lambda draw: Plan(prior_variance=Fraction(3), noise_variance=Fraction(2)),
    ),
    ("orthonormal keys, twelve tokens", _orthogonal_many),
    ("huge and tiny keys, lam = 1e-12", _huge_and_tiny),
    ("six key dimensions, two tokens", lambda draw: Plan(L=2, dk=6, dv=1)),
    (
        "lam = 1e12, zero query, zero values",
        lambda draw: Plan(
            query=_zeros(1, 2)[0],
            values=_zeros(5, 2),
            prior_variance=_TINY,
            noise_variance=_ONE,
        ),
    ),
)
