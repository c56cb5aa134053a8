"""The law of a Gaussian error vector, and the exact probability that the error is large."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.linear import dot, entries, norm
from bounds.arithmetic.shapes import check_symmetric
from bounds.arithmetic.through_balls import ball_precision, from_ball, to_ball, to_ball_matrix
from bounds.errors import ParameterError, ShapeError
from bounds.models.laws.enclosed import gaussian_norm_tail
from bounds.models.laws.noncentral import noncentral_chi_square_sf

_WIDE = 2.0**-24
_LARGEST_DIMENSION = 32


@dataclass(frozen=True)
class ErrorLaw:
    """The law N(mean, variance I) of an error vector; mean dv x 1, variance a scalar >= 0."""

    mean: Matrix
    variance: Scalar


@dataclass(frozen=True)
class GaussianVectorLaw:
    """The law N(mean, covariance) of an error vector; mean dv x 1, covariance dv x dv.

    The covariance is symmetric and positive semidefinite, of any rank.
    """

    mean: Matrix
    covariance: Matrix

    @classmethod
    def of_factor(cls, field: Field, mean: Matrix, factor: Matrix) -> GaussianVectorLaw:
        """The law of factor x + mean for standard Gaussian x; factor dv x m."""
        return cls(mean, field.matmul(factor, field.transpose(factor)))


def error_exceeds(field: Field, law: ErrorLaw | GaussianVectorLaw, threshold: Scalar) -> Scalar:
    """P(|error| > threshold), an enclosure.

    With variance s^2 > 0 this is P(chi'^2_dv(|mean|^2/s^2) > threshold^2/s^2), and with a full
    covariance the tail of a generalized chi-square law. Without noise it is 0 or 1; when the field
    cannot tell whether |mean| > threshold, the enclosure [0, 1]. A variance that may be 0 gives an
    enclosure that holds for every variance in its own.

    Raises:
        ParameterError: naming a variance that is negative, or a covariance that is certainly not
            symmetric or not positive semidefinite.
        ShapeError: when mean and covariance do not fit.
        NotRational: in the rational field, unless the answer is 0 or 1.
    """
    zero, one = field.number(0), field.number(1)
    if isinstance(law, GaussianVectorLaw):
        _check_covariance(field, law)
    elif field.less(law.variance, zero):
        raise ParameterError("variance", field.text(law.variance), "must be >= 0")
    if field.less(threshold, zero):
        return one
    size, limit = dot(field, law.mean, law.mean), threshold * threshold
    if _without_noise(field, law):
        beyond = field.less(limit, size)
        return field.hull(zero, one) if beyond is None else field.number(int(beyond))
    if isinstance(law, GaussianVectorLaw):
        return _anisotropic(field, law, threshold)
    if not field.less(zero, law.variance) or field.less_equal(zero, threshold) is None:
        return _nearly_without_noise(field, law, threshold)
    df = field.shape(law.mean)[0]
    tail = noncentral_chi_square_sf(field, limit / law.variance, df, size / law.variance)
    if df > _LARGEST_DIMENSION or not _wide(field, tail):
        return tail
    # The sum is narrow beside 1, the contour beside the tail itself.
    full = GaussianVectorLaw(law.mean, field.scale(law.variance, field.identity(df)))
    other = _anisotropic(field, full, threshold)
    return other if field.error(other) < field.error(tail) else tail


def _wide(field: Field, tail: Scalar) -> bool:
    return field.error(tail) > _WIDE * abs(field.to_float(tail))


def _check_covariance(field: Field, law: GaussianVectorLaw) -> None:
    n, columns = field.shape(law.mean)
    shape = field.shape(law.covariance)
    if columns != 1:
        raise ShapeError("mean", f"{n} x {columns}", "must be a column, dv x 1")
    if shape != (n, n):
        raise ShapeError("covariance", f"{shape[0]} x {shape[1]}", f"must be {n} x {n}")
    try:
        check_symmetric(field, law.covariance)
    except ParameterError as error:
        raise ParameterError("covariance", error.value, "must be symmetric") from None


def _without_noise(field: Field, law: ErrorLaw | GaussianVectorLaw) -> bool:
    if isinstance(law, ErrorLaw):
        return field.equal(law.variance, field.number(0)) is True
    flat: list[Any] = [x for row in entries(field, law.covariance) for x in row]
    return all(field.equal(x, field.number(0)) is True for x in flat)


def _anisotropic(field: Field, law: GaussianVectorLaw, threshold: Scalar) -> Scalar:
    """The tail in balls; a threshold of open sign has a square that reaches 0, where it is 1."""
    with ball_precision(field):
        S, b = to_ball_matrix(field, law.covariance), to_ball_matrix(field, law.mean)
        r = to_ball(field, threshold)
        tail = gaussian_norm_tail(S, b, r * r, upper=True)
        return from_ball(field, tail, what="the tail of a Gaussian vector")


def _nearly_without_noise(field: Field, law: ErrorLaw, threshold: Scalar) -> Scalar:
    """P(|error| > threshold) for 0 <= variance <= s^2, whatever the variance.

    The error leaves the mean by more than the gap | |mean| - threshold | with probability at most
    Q(dv/2, gap^2/(2 s^2)), which grows with s^2.
    """
    zero, one = field.number(0), field.number(1)
    gap = threshold - norm(field, law.mean)
    largest = Fraction(field.to_float(law.variance)) + Fraction(field.error(law.variance))
    inside = field.less(zero, gap)
    if inside is None or field.equal(gap, zero) or largest <= 0:
        return field.hull(zero, one)
    half_df = field.number(Fraction(field.shape(law.mean)[0], 2))
    leaves = field.gamma_upper(half_df, gap * gap / field.number(2 * largest))
    return field.hull(zero, leaves) if inside else field.hull(one - leaves, one)
