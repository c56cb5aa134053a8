"""The exchangeable Gaussian mean model: x_l | z ~ N(z, N), z ~ N(m, P), in R^d.

The tokens are independent given z, so (x_1, ..., x_L) is exchangeable and Gaussian, with
covariance I_L (x) N + 1 1^T (x) P (de Finetti's theorem in the Gaussian case).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq_mat

from bounds.arithmetic.convert import Row, Rows, exact_matrix, exact_vector, texts, to_fmpq
from bounds.arithmetic.field import Field, Matrix, Scalar
from bounds.arithmetic.linear import column, entries, quadratic
from bounds.errors import ParameterError, ShapeError
from bounds.models.strategy import Description


@dataclass(frozen=True)
class MeanModel:
    """The model: prior mean m (d), prior covariance P and noise covariance N (d x d).

    Raises:
        ShapeError: when a covariance is not d x d.
        ParameterError: when one is not symmetric (names the pair) or not positive definite.
    """

    prior_mean: Row
    prior_covariance: Rows
    noise_covariance: Rows

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior_mean", exact_vector("prior_mean", self.prior_mean))
        for name in ("prior_covariance", "noise_covariance"):
            rows = exact_matrix(name, getattr(self, name))
            _check_covariance(name, rows, self.d)
            object.__setattr__(self, name, rows)

    @property
    def d(self) -> int:
        """The dimension of the tokens."""
        return len(self.prior_mean)


@dataclass(frozen=True)
class MeanModelData:
    """A mean model with its tokens (L x d), all rational."""

    model: MeanModel
    tokens: Rows
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", exact_matrix("tokens", self.tokens))
        if len(self.tokens[0]) != self.d:
            width = f"{len(self.tokens[0])} columns"
            raise ShapeError("tokens", width, f"must have d = {self.d} columns")

    @property
    def L(self) -> int:
        """The number of tokens."""
        return len(self.tokens)

    @property
    def d(self) -> int:
        """The dimension of the tokens."""
        return self.model.d

    def describe(self) -> Description:
        """Every number as exact text, ready for JSON."""
        return {
            "label": self.label,
            "prior_mean": [str(entry) for entry in self.model.prior_mean],
            "prior_covariance": texts(self.model.prior_covariance),
            "noise_covariance": texts(self.model.noise_covariance),
            "tokens": texts(self.tokens),
        }

    def without_token(self, i: int) -> MeanModelData:
        """The instance without token i (0 <= i < L); ShapeError when it is the last one."""
        if not 0 <= i < self.L:
            raise ParameterError("i", i, f"must be the index of one of the {self.L} tokens")
        return replace(self, tokens=self.tokens[:i] + self.tokens[i + 1 :])


def _check_covariance(name: str, rows: Rows, d: int) -> None:
    if (len(rows), len(rows[0])) != (d, d):
        raise ShapeError(name, f"{len(rows)} x {len(rows[0])}", f"must be d x d = {d} x {d}")
    for i in range(d):
        for j in range(i):
            if rows[i][j] != rows[j][i]:
                pair = f"[{i}, {j}] = {rows[i][j]} but [{j}, {i}] = {rows[j][i]}"
                raise ParameterError(name, pair, "must be symmetric")
    for size in range(1, d + 1):
        # Sylvester: all leading minors are positive.
        if fmpq_mat([[to_fmpq(x) for x in row[:size]] for row in rows[:size]]).det() <= 0:
            reason = f"must be positive definite: its leading {size} x {size} minor is <= 0"
            raise ParameterError(name, texts(rows), reason)


def joint_mean(field: Field, data: MeanModelData) -> Matrix:
    """E[(x_1, ..., x_L)] = 1 (x) m (Ld x 1)."""
    return field.transpose(field.matrix([data.model.prior_mean * data.L]))


def joint_covariance(field: Field, data: MeanModelData) -> Matrix:
    """Cov(x_1, ..., x_L) = I_L (x) N + 1 1^T (x) P (Ld x Ld)."""
    return _joint_covariance(field, data.model, data.L)


def _joint_covariance(field: Field, model: MeanModel, tokens: int) -> Matrix:
    P, N = model.prior_covariance, model.noise_covariance
    places = [(token, i) for token in range(tokens) for i in range(model.d)]
    return field.matrix(
        [[P[i][j] + (N[i][j] if a == b else 0) for b, j in places] for a, i in places]
    )


def log_marginal(field: Field, data: MeanModelData) -> Scalar:
    r"""log p(x_{1:L}) = -(r^T S^-1 r + log det S + Ld log 2 pi)/2 with r = x - joint mean."""
    S = joint_covariance(field, data)
    r = _stacked(field, data) - joint_mean(field, data)
    fit = quadratic(field, r, field.inverse(S))
    size = field.number(data.L * data.d) * field.log(field.number(2) * field.pi())
    return field.number(Fraction(-1, 2)) * (fit + field.log(field.determinant(S)) + size)


def posterior_covariance(field: Field, data: MeanModelData) -> Matrix:
    """Cov(z | x_{1:L}) = (P^-1 + L N^-1)^-1 (d x d)."""
    noise_precision = field.inverse(field.matrix(data.model.noise_covariance))
    prior_precision = field.inverse(field.matrix(data.model.prior_covariance))
    return field.inverse(prior_precision + field.scale(field.number(data.L), noise_precision))


def posterior_mean(field: Field, data: MeanModelData) -> Matrix:
    """E[z | x_{1:L}] = (P^-1 + L N^-1)^-1 (P^-1 m + N^-1 sum_l x_l) (d x 1)."""
    model = data.model
    m = field.transpose(field.matrix([model.prior_mean]))
    total = field.transpose(field.matrix([[sum(x) for x in zip(*data.tokens, strict=True)]]))
    from_prior = field.solve(field.matrix(model.prior_covariance), m)
    from_tokens = field.solve(field.matrix(model.noise_covariance), total)
    return field.matmul(posterior_covariance(field, data), from_prior + from_tokens)


def predictive_mean(field: Field, data: MeanModelData) -> Matrix:
    """E[x_{L+1} | x_{1:L}] = E[z | x_{1:L}] (d x 1)."""
    return posterior_mean(field, data)


def predictive_covariance(field: Field, data: MeanModelData) -> Matrix:
    """Cov(x_{L+1} | x_{1:L}) = Cov(z | x_{1:L}) + N (d x d)."""
    return posterior_covariance(field, data) + field.matrix(data.model.noise_covariance)


def conditional_from_joint(field: Field, data: MeanModelData) -> tuple[Matrix, Matrix]:
    """Mean (d x 1) and covariance (d x d) of x_{L+1} given x_{1:L}, from the joint Gaussian.

    With S the joint covariance of L + 1 tokens: m + S_21 S_11^-1 (x - 1 (x) m) and
    S_22 - S_21 S_11^-1 S_12. It knows nothing of z: an independent second route (R3).
    """
    old = data.L * data.d
    S = entries(field, _joint_covariance(field, data.model, data.L + 1))
    S11 = field.from_scalars([row[:old] for row in S[:old]])
    S12 = field.from_scalars([row[old:] for row in S[:old]])
    S22 = field.from_scalars([row[old:] for row in S[old:]])
    gain = field.transpose(field.solve(S11, S12))
    surprise = _stacked(field, data) - joint_mean(field, data)
    prior_mean = column(field, [field.number(entry) for entry in data.model.prior_mean])
    mean = prior_mean + field.matmul(gain, surprise)
    return mean, S22 - field.matmul(gain, S12)


def _stacked(field: Field, data: MeanModelData) -> Matrix:
    """The column (x_1, ..., x_L)."""
    return field.transpose(field.matrix([[entry for token in data.tokens for entry in token]]))
