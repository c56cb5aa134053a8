"""Which weighted sums of squares to try for a polynomial: weights, bases, multipliers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement

from proofs_check.methods.inequality.polynomial.rational import Poly, rational, used
from proofs_check.methods.inequality.problem import Interval

_FEW = 3


@dataclass(frozen=True)
class Given:
    """A polynomial that is >= 0 (> 0 when strict) on the region."""

    poly: Poly
    strict: bool
    fact: bool = True


@dataclass(frozen=True)
class Part:
    """A summand, of the multiplier or of the sum: factors of its weight, basis z of its squares."""

    factors: tuple[Given, ...]
    basis: tuple[Poly, ...]
    multiplies: bool = False

    @property
    def strict(self) -> bool:
        """Whether the weight is > 0 on the region."""
        return all(given.strict for given in self.factors)

    def products(self, poly: Poly) -> Iterator[tuple[int, int, Poly]]:
        """(i, j, w z_i z_j), doubled where i < j; times -p in the multiplier."""
        weight = -poly if self.multiplies else poly.context().constant(1)
        for given in self.factors:
            weight = weight * given.poly
        for i, j in combinations_with_replacement(range(len(self.basis)), 2):
            yield i, j, weight * self.basis[i] * self.basis[j] * (1 if i == j else 2)


def ends(poly: Poly, box: Sequence[Interval]) -> Iterator[Given]:
    gens = poly.context().gens()
    for i in used(poly):
        low, high = box[i].low, box[i].high
        if low is not None:
            yield Given(gens[i] - rational(low), box[i].open_low, fact=False)
        if high is not None:
            yield Given(rational(high) - gens[i], box[i].open_high, fact=False)


def relaxations(poly: Poly, givens: Sequence[Given]) -> Iterator[list[Part]]:
    """Plain squares, then weights with one factor, then with two, then multipliers."""
    if poly.total_degree() % 2 == 0:
        yield [Part((), _squares_basis(poly, poly))]
        if not givens:
            yield from _with_multiplier(poly)
            return
    places = sorted({i for p in (poly, *(g.poly for g in givens)) for i in used(p)})
    least = max(poly.total_degree(), *(g.poly.total_degree() for g in givens), 0)
    degree = least + least % 2
    # (factors of a weight, degree of the multiplier)
    steps = ((1, 0), (2, 0), (1, 1), (2, 2))
    for size, extra in steps if len(givens) <= _FEW else steps[:3]:
        yield [
            *_parts(poly, givens, places, size, degree + extra),
            *_multipliers(poly, givens, places, size, extra),
        ]


def _parts(
    poly: Poly, givens: Sequence[Given], places: Sequence[int], size: int, degree: int
) -> Iterator[Part]:
    for k in range(size + 1):
        for weight in combinations(givens, k):
            part = _part(poly, weight, places, degree)
            if part.basis:
                yield part


def _multipliers(
    poly: Poly, givens: Sequence[Given], places: Sequence[int], size: int, degree: int
) -> Iterator[Part]:
    if degree:
        for part in _parts(poly, givens, places, size, degree):
            yield replace(part, multiplies=True)


def _part(poly: Poly, factors: tuple[Given, ...], places: Sequence[int], degree: int) -> Part:
    own = sum(given.poly.total_degree() for given in factors)
    return Part(factors, tuple(_monomials(poly, places, (degree - own) // 2)))


def _monomials(poly: Poly, places: Sequence[int], degree: int) -> Iterator[Poly]:
    gens = poly.context().gens()
    for k in range(degree + 1):
        for chosen in combinations_with_replacement(places, k):
            total = poly.context().constant(1)
            for i in chosen:
                total = total * gens[i]
            yield total


def _with_multiplier(poly: Poly) -> Iterator[list[Part]]:
    """m p is a sum of squares, as is m: of linear forms if p is a form."""
    homogeneous = len({sum(exponents) for exponents in poly.monoms()}) == 1
    basis = tuple(_monomials(poly, used(poly), 1))[homogeneous:]
    generic = poly * sum((z * z for z in basis), poly * 0)
    yield [Part((), _squares_basis(poly, generic)), Part((), basis, multiplies=True)]


def _squares_basis(poly: Poly, target: Poly) -> tuple[Poly, ...]:
    """Monomials of squares that may occur in a sum: each square is in the target, or is cancelled
    by a product.
    """
    support = {tuple(map(int, exponents)) for exponents in target.monoms()}
    half = target.total_degree() // 2
    lows, highs = (
        [f(e[i] for e in support) for i in range(len(next(iter(support))))] for f in (min, max)
    )
    kept = []
    for monomial in _monomials(poly, used(poly), half):
        (exponents,) = (tuple(map(int, e)) for e in monomial.monoms())
        inside = all(a <= 2 * e <= b for a, e, b in zip(lows, exponents, highs, strict=True))
        if inside and 2 * sum(exponents) >= min(map(sum, support)):
            kept.append(exponents)
    while True:
        sums = {tuple(map(sum, zip(a, b, strict=True))) for a, b in combinations(kept, 2)} | support
        slim = [e for e in kept if tuple(2 * k for k in e) in sums]
        if len(slim) == len(kept):
            context = poly.context()
            return tuple(context.from_dict({e: 1}) for e in kept)
        kept = slim
