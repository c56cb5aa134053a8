"""The linear-Gaussian latent model: v_l = z phi(k_l) + e_l, e_l ~ N(0, sigma^2 I), z ~ N(0, tau^2).

Keys k_l in R^dk, values v_l in R^dv, z in R^{dv x dphi} with independent entries; lam =
sigma^2/tau^2 and A = Phi^T Phi + lam I. Source: arXiv:2212.14852.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from fractions import Fraction
from typing import Protocol

from bounds.arithmetic.convert import Row, Rows, exact_matrix, exact_vector, texts
from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.linear import dot, ridge
from bounds.attention.kernels import Kernel, LinearKernel, positive
from bounds.errors import ParameterError, ShapeError
from bounds.models.laws import ErrorLaw
from bounds.models.strategy import Description


@dataclass(frozen=True)
class LinearGaussian:
    """The model: prior variance tau^2 > 0, noise variance sigma^2 > 0 and the kernel of phi.

    Raises:
        ParameterError: naming the variance that is not a rational number > 0, or the kernel that
            is none of :mod:`bounds.attention.kernels`.
    """

    prior_variance: Fraction
    noise_variance: Fraction
    kernel: Kernel = dataclass_field(default_factory=LinearKernel)

    def __post_init__(self) -> None:
        for name in ("prior_variance", "noise_variance"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        if not hasattr(self.kernel, "gram"):
            remedy = "must be a kernel of bounds.attention.kernels, such as LinearKernel()"
            raise ParameterError("kernel", repr(self.kernel), remedy)

    @property
    def lam(self) -> Fraction:
        """lam = sigma^2/tau^2, the ridge of CME attention."""
        return self.noise_variance / self.prior_variance


class Tokens(Protocol):
    """What the posterior needs of the tokens: their moments (sufficiency), and the query."""

    @property
    def model(self) -> LinearGaussian:
        """Variances and kernel."""

    @property
    def latent(self) -> Rows | None:
        """The true z (dv x dphi), if known."""

    def second_moment(self, field: Field) -> Matrix:
        """Phi^T Phi (dphi x dphi)."""

    def cross_moment(self, field: Field) -> Matrix:
        """Phi^T V (dphi x dv)."""

    def squared_response(self, field: Field, h: Matrix) -> Scalar:
        """|Phi h|^2 for a dphi x 1 column h."""

    def feature_query(self, field: Field) -> Matrix:
        """phi(q) (dphi x 1)."""


@dataclass(frozen=True)
class LinearGaussianData:
    """A model with its tokens: keys L x dk, values L x dv, a query in R^dk, all rational.

    ``latent`` is the true z (dv x dphi), wanted by error laws only.

    Raises:
        ShapeError, ParameterError: naming the array or entry at fault.
    """

    model: LinearGaussian
    keys: Rows
    values: Rows
    query: Row
    latent: Rows | None = None
    label: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.model, LinearGaussian):
            raise ParameterError("model", repr(self.model), "must be a LinearGaussian(...)")
        object.__setattr__(self, "keys", exact_matrix("keys", self.keys))
        object.__setattr__(self, "values", exact_matrix("values", self.values))
        object.__setattr__(self, "query", exact_vector("query", self.query))
        if len(self.values) != self.L:
            raise ShapeError("values", f"{len(self.values)} rows", f"must have L = {self.L} rows")
        if len(self.query) != self.dk:
            raise ShapeError("query", f"{len(self.query)} entries", f"must have dk = {self.dk}")
        if self.latent is not None:
            object.__setattr__(self, "latent", exact_matrix("latent", self.latent))
            self._check_latent(self.latent)

    def _check_latent(self, latent: Rows) -> None:
        shape = (len(latent), len(latent[0]))
        if shape != (self.dv, self.dphi):
            wanted = f"must be dv x dphi = {self.dv} x {self.dphi}"
            raise ShapeError("latent", f"{shape[0]} x {shape[1]}", wanted)

    @property
    def L(self) -> int:
        """The number of tokens."""
        return len(self.keys)

    @property
    def dk(self) -> int:
        """The dimension of the keys."""
        return len(self.keys[0])

    @property
    def dv(self) -> int:
        """The dimension of the values."""
        return len(self.values[0])

    @property
    def dphi(self) -> int:
        """The dimension of the features; ParameterError when the kernel has no finite ones."""
        dphi = self.model.kernel.feature_dimension(self.dk)
        if dphi is None:
            raise ParameterError("kernel", self.model.kernel, "has no finite feature map here")
        return dphi

    def second_moment(self, field: Field) -> Matrix:
        """Phi^T Phi (dphi x dphi)."""
        Phi = features(field, self)
        return field.matmul(field.transpose(Phi), Phi)

    def cross_moment(self, field: Field) -> Matrix:
        """Phi^T V (dphi x dv)."""
        return field.matmul(field.transpose(features(field, self)), field.matrix(self.values))

    def squared_response(self, field: Field, h: Matrix) -> Scalar:
        """|Phi h|^2 for a dphi x 1 column h."""
        response = field.matmul(features(field, self), h)
        return dot(field, response, response)

    def feature_query(self, field: Field) -> Matrix:
        """phi(q) (dphi x 1); ParameterError when the kernel has no finite feature map."""
        return field.transpose(_finite_features(field, self, (self.query,)))

    def describe(self) -> Description:
        """Every number as exact text, ready for JSON."""
        text: Description = {
            "label": self.label,
            "kernel": repr(self.model.kernel),
            "prior_variance": str(self.model.prior_variance),
            "noise_variance": str(self.model.noise_variance),
            "keys": texts(self.keys),
            "values": texts(self.values),
            "query": [str(entry) for entry in self.query],
        }
        if self.latent is not None:
            text["latent"] = texts(self.latent)
        return text

    def without_token(self, i: int) -> LinearGaussianData:
        """The instance without token i (0 <= i < L); ShapeError when it is the last one."""
        if not 0 <= i < self.L:
            raise ParameterError("i", i, f"must be the index of one of the {self.L} tokens")
        kept = [j for j in range(self.L) if j != i]
        return self._with_tokens(kept)

    def with_token(self, key: Sequence[object], value: Sequence[object]) -> LinearGaussianData:
        """The instance with one more token."""
        k, v = exact_vector("key", key), exact_vector("value", value)
        return replace(self, keys=(*self.keys, k), values=(*self.values, v))

    def permuted(self, order: Sequence[int]) -> LinearGaussianData:
        """The instance with its tokens in another order, a permutation of 0..L-1."""
        if sorted(order) != list(range(self.L)):
            raise ParameterError("order", order, f"must be a permutation of 0..{self.L - 1}")
        return self._with_tokens(order)

    def _with_tokens(self, kept: Sequence[int]) -> LinearGaussianData:
        keys = tuple(self.keys[i] for i in kept)
        return replace(self, keys=keys, values=tuple(self.values[i] for i in kept))


def features(field: Field, data: LinearGaussianData) -> Matrix:
    """Phi (L x dphi); ParameterError when the kernel has no finite feature map."""
    return _finite_features(field, data, data.keys)


def feature_query(field: Field, data: Tokens) -> Matrix:
    """phi(q) (dphi x 1); ParameterError when the kernel has no finite feature map."""
    return data.feature_query(field)


def _finite_features(field: Field, data: LinearGaussianData, points: Rows) -> Matrix:
    Phi = data.model.kernel.features(field, field.matrix(points))
    if Phi is None:
        raise ParameterError("kernel", data.model.kernel, "has no finite feature map here")
    return Phi


def gram(field: Field, data: LinearGaussianData) -> Matrix:
    """kernel(K, K) (L x L)."""
    K = field.matrix(data.keys)
    return data.model.kernel.gram(field, K, K)


def ridge_matrix(field: Field, data: Tokens) -> Matrix:
    """A = Phi^T Phi + lam I (dphi x dphi)."""
    return ridge(field, data.second_moment(field), field.number(data.model.lam))


def posterior_mean(field: Field, data: Tokens) -> Matrix:
    """zbar = E[z | K, V] = V^T Phi A^-1 (dv x dphi)."""
    return field.transpose(field.solve(ridge_matrix(field, data), data.cross_moment(field)))


def posterior_precision(field: Field, data: Tokens) -> Matrix:
    """A/sigma^2 (dphi x dphi): the posterior precision of each row of z."""
    return field.scale(field.number(1 / data.model.noise_variance), ridge_matrix(field, data))


def posterior_covariance(field: Field, data: Tokens) -> Matrix:
    """sigma^2 A^-1 (dphi x dphi): the posterior covariance of each row of z."""
    inverse = field.inverse(ridge_matrix(field, data))
    return field.scale(field.number(data.model.noise_variance), inverse)


def predictive_mean(field: Field, data: LinearGaussianData) -> Matrix:
    """E[v | q, K, V] (dv x 1): zbar phi(q), or V^T (kernel(K,K) + lam I)^-1 kernel(K,q)."""
    if data.model.kernel.feature_dimension(data.dk) is not None:
        return field.matmul(posterior_mean(field, data), feature_query(field, data))
    weights = field.solve(_ridge_gram(field, data), _kernel_query(field, data))
    return field.matmul(field.transpose(field.matrix(data.values)), weights)


def posterior_variance(field: Field, data: LinearGaussianData) -> Scalar:
    """The posterior variance of each entry of z phi(q): sigma^2 phi(q)^T A^-1 phi(q).

    Without finite features the kernel form
    tau^2 (kernel(q,q) - kernel(q,K) (kernel(K,K) + lam I)^-1 kernel(K,q)).
    """
    if data.model.kernel.feature_dimension(data.dk) is None:
        return posterior_variance_kernel(field, data)
    phi = feature_query(field, data)
    h = field.solve(ridge_matrix(field, data), phi)
    spread = field.entry(field.matmul(field.transpose(phi), h), 0, 0)
    return field.number(data.model.noise_variance) * spread


def posterior_variance_kernel(field: Field, data: LinearGaussianData) -> Scalar:
    """tau^2 (kernel(q,q) - kernel(q,K) (kernel(K,K) + lam I)^-1 kernel(K,q)), for any kernel."""
    q, k = field.matrix([data.query]), _kernel_query(field, data)
    at_query = field.entry(data.model.kernel.gram(field, q, q), 0, 0)
    explained = field.matmul(field.transpose(k), field.solve(_ridge_gram(field, data), k))
    return field.number(data.model.prior_variance) * (at_query - field.entry(explained, 0, 0))


def predictive_variance(field: Field, data: LinearGaussianData) -> Scalar:
    """The variance of each entry of a new value at q: posterior_variance + sigma^2."""
    return posterior_variance(field, data) + field.number(data.model.noise_variance)


def attention_error_law(field: Field, data: Tokens) -> ErrorLaw:
    """The law of attn_CME - z phi(q) given keys and z (I4).

    It is N(-lam z A^-1 phi(q), sigma^2 h^T Phi^T Phi h I) with h = A^-1 phi(q).

    Raises:
        ParameterError: when the instance has no latent z, or no finite features.
    """
    if data.latent is None:
        raise ParameterError("latent", None, "the error law needs the true z of the instance")
    h = field.solve(ridge_matrix(field, data), feature_query(field, data))
    bias = field.matmul(field.matrix(data.latent), h)
    return ErrorLaw(
        mean=field.scale(field.number(-data.model.lam), bias),
        variance=field.number(data.model.noise_variance) * data.squared_response(field, h),
    )


def _ridge_gram(field: Field, data: LinearGaussianData) -> Matrix:
    return ridge(field, gram(field, data), field.number(data.model.lam))


def _kernel_query(field: Field, data: LinearGaussianData) -> Matrix:
    K, q = field.matrix(data.keys), field.matrix([data.query])
    return data.model.kernel.gram(field, K, q)
