"""The results computed in another way: quadrature, plain NumPy, samples, an optimiser, SciPy."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import optimize, stats
from sympy import Symbol, lambdify

from bounds.arithmetic.balls import BallField
from bounds.arithmetic.rationals import RationalField
from bounds.catalog import builtin_catalog
from bounds.theory.inference import i4_attention_error as i4
from bounds.theory.inference import i7_source_condition as i7
from bounds.theory.learning import g8_supervised as g8
from bounds.theory.learning import g9_condition_number as g9
from bounds.theory.lemmas import s1_softmax_lipschitz as s1
from bounds.theory.linear_gaussian import INSTANCES
from bounds.theory.representation import r1_de_finetti as r1
from proofs_check.checker import check
from proofs_check.methods.binding import bind

CATALOG = builtin_catalog()
RNG = np.random.default_rng(20)
BALLS = BallField(200)


def floats(rows):
    return np.array([[float(v) for v in row] for row in rows])


def number(value):
    """A fmpq, a ball or a 1 x 1 matrix of balls as a float."""
    return float(value) if not hasattr(value, "mid") else float(value.mid())


@pytest.mark.parametrize("values", [(0.7,), (0.3, -1.1), (2.0, 1.5, -0.5, 0.1)])
def test_r1_mixture_by_quadrature(values):
    """The integrand of the claim itself, |x - z 1|^2 for the trace, against the closed form."""
    sigma, tau, m = 0.8, 1.3, 0.4
    integrand = r1.mixture.function
    trace = next(iter(integrand.atoms(r1.Trace)))
    squares = Symbol("squares")
    scalar_form = integrand.xreplace({trace: squares})
    assert not scalar_form.has(r1.x)
    f = lambdify((r1.z, squares, r1.L, r1.sigma, r1.tau, r1.m), scalar_form, "mpmath")
    integral = mpmath.quad(
        lambda z: f(z, sum((v - z) ** 2 for v in values), len(values), sigma, tau, m),
        [-mpmath.inf, -1, 0, 1, mpmath.inf],
    )
    covariance = sigma**2 * np.eye(len(values)) + tau**2
    law = stats.multivariate_normal([m] * len(values), covariance)
    assert float(mpmath.log(integral)) == pytest.approx(law.logpdf(values), abs=1e-9)
    wrong = stats.multivariate_normal([m] * len(values), covariance + np.eye(len(values)) / 50)
    assert float(mpmath.log(integral)) != pytest.approx(wrong.logpdf(values), abs=1e-6)


@pytest.mark.parametrize("index", range(0, 60, 5))
def test_i1_i2_i3_against_numpy(index):
    data = INSTANCES.draw(index, 3)
    K, V, q = floats(data.keys), floats(data.values), floats([data.query])[0]
    noise, prior = float(data.model.noise_variance), float(data.model.prior_variance)
    lam, L = noise / prior, len(K)
    gram = K @ K.T + lam * np.eye(L)
    attention = V.T @ np.linalg.solve(gram, K @ q)
    variance = prior * (q @ q - (K @ q) @ np.linalg.solve(gram, K @ q))
    embedding = V.T @ K / L @ np.linalg.solve(K.T @ K / L + lam / L * np.eye(len(q)), q)
    found = {}
    for name in ("I1.push_through", "I2.bound", "I3.embedding"):
        claim = CATALOG[name]
        with BALLS.context():
            found |= {str(k): v for k, v in bind(claim, data, BALLS).items()}
    scale = 1e-6 * (1 + np.abs(V).max() * (1 + np.abs(q).max()))
    if np.linalg.cond(gram) > 1e9:
        pytest.skip("too ill-conditioned for floats")
    for name, other in (("zbar_phi", attention), ("attn", attention), ("cme", embedding)):
        exact = [number(found[name][i, 0]) for i in range(len(other))]
        assert exact == pytest.approx(list(other), rel=1e-5, abs=scale)
    assert number(found["v_q"]) == pytest.approx(variance, rel=1e-4, abs=1e-6 * prior * (q @ q))
    smallest = np.linalg.eigvalsh(K.T @ K)[0]
    assert number(found["lambda_min"]) == pytest.approx(smallest, abs=1e-8 * (1 + np.sum(K * K)))


@pytest.mark.parametrize("index", [20, 25, 31, 40])
def test_i4_law_against_scipy_and_samples(index):
    data = INSTANCES.draw(index, 0)
    K, q, z = floats(data.keys), floats([data.query])[0], floats(data.latent)
    noise = float(data.model.noise_variance)
    lam = noise / float(data.model.prior_variance)
    h = np.linalg.solve(K.T @ K + lam * np.eye(len(q)), q)
    mean, variance = -lam * z @ h, noise * np.sum((K @ h) ** 2)
    if variance == 0:
        pytest.skip("no noise reaches the output")
    rng = np.random.default_rng(index)
    E = math.sqrt(noise) * rng.standard_normal((100_000, len(K), len(z)))
    V = K @ z.T + E
    errors = np.linalg.norm(np.einsum("slv,l->sv", V, K @ h) - z @ q, axis=1)
    for quantile in (0.1, 0.5, 0.9):
        limit = float(np.quantile(errors, quantile))
        with BALLS.context():
            exact = float(i4.exceeds(data, BALLS, BALLS.number(Fraction(limit))).mid())
        other = stats.ncx2.sf(limit**2 / variance, len(z), mean @ mean / variance)
        assert exact == pytest.approx(other, abs=1e-8)
        assert exact == pytest.approx(1 - quantile, abs=6 * math.sqrt(0.25 / 100_000))


@pytest.mark.parametrize(("r", "mu"), [(0.1, 2.0), (0.25, 0.3), (0.5, 1.0), (0.9, 0.05)])
def test_i7_maximum_by_an_optimiser(r, mu):
    filtered = lambdify((i7.s, i7.mu, i7.r), i7.filtered)
    supremum = lambdify((i7.mu, i7.r), i7.supremum)
    place = lambdify((i7.mu, i7.r), i7.attained_at)
    best = optimize.minimize_scalar(
        lambda t: -filtered(math.exp(t), mu, r), bounds=(-20, 20), method="bounded",
        options={"xatol": 1e-9},
    )  # fmt: skip
    assert -best.fun == pytest.approx(supremum(mu, r), rel=1e-9)
    assert math.exp(best.x) == pytest.approx(place(mu, r), rel=1e-3)


def test_g8_risk_of_least_squares_by_samples():
    rng, samples, n, p, level = np.random.default_rng(7), 30_000, 12, 3, 0.7
    half = rng.uniform(-1, 1, (p, p)) + 2 * np.eye(p)
    Z = rng.standard_normal((samples, n, p)) @ half.T
    noise = level * rng.standard_normal((samples, n, 1))
    error = np.linalg.solve(np.swapaxes(Z, 1, 2) @ Z, np.swapaxes(Z, 1, 2) @ noise)[..., 0]
    excess = np.einsum("si,ij,sj->s", error, half @ half.T, error)
    claimed = lambdify((g8.level, g8.n, g8.p), g8.excess)(level, n, p)
    spread = excess.std() / math.sqrt(samples)
    assert abs(excess.mean() - claimed) < 5 * spread
    assert abs(excess.mean() - level**2 * p / n) > 5 * spread
    assert abs(excess.mean() - level**2 * p / (n - p)) > 5 * spread


def test_g8_rank_at_one_token():
    """The printed slip p = d_phi at L = 1: one token has rank 1 in any dimension."""
    rows = ((Fraction(1), Fraction(2), Fraction(-1)),)
    instance = g8.REGRESSION.draw(5, 0)
    point = type(instance)((("Phi", rows), ("sigma", Fraction(1)), ("tau", Fraction(2))))
    field = RationalField()
    assert g8.rank_of(g8.statistic_covariance_of(point, field), field) == 1


@pytest.mark.parametrize("index", range(2, 60, 6))
def test_g9_condition_number_by_numpy(index):
    instance = g9.SEEN_DIRECTIONS.draw(index, 1)
    B, c, e = (floats(instance[name]) for name in ("B", "c", "e"))
    a = B.T @ B @ c
    pinv = np.linalg.pinv(B.T @ B)
    kappa = (a.T @ pinv @ a).item()
    field = RationalField()
    exact_a = g9.in_row_space(instance, field)
    gram = field.matmul(field.transpose(field.matrix(instance["B"])), field.matrix(instance["B"]))
    exact = field.matmul(
        field.transpose(exact_a), field.matmul(field.pseudo_inverse(gram), exact_a)
    )
    assert float(exact[0, 0]) == pytest.approx(kappa, rel=1e-6, abs=1e-9)
    assert (a.T @ e).item() ** 2 <= kappa * np.sum((B @ e) ** 2) * (1 + 1e-9) + 1e-9


def test_s1_ratio_is_near_one_and_never_above():
    ratios = []
    for size in (2, 3, 6):
        x = RNG.normal(size=(2000, size))
        for scale in (1e-3, 1, 10):
            y = x + scale * RNG.choice([-1, 1], size=x.shape)
            p, q = (np.exp(v) / np.exp(v).sum(1, keepdims=True) for v in (x, y))
            ratios.append(np.abs(p - q).sum(1) / np.abs(x - y).max(1))
    assert 0.99 < max(r.max() for r in ratios) <= 1 + 1e-9
    worst = s1.WORST[0]
    with BALLS.context():
        ratio = float((s1.softmax_gap(worst, BALLS) / s1.score_distance(worst, BALLS)).mid())
    assert 1 - 1e-6 < ratio < 1


@pytest.mark.parametrize(("claim_id", "columns"), [("S2.rows", False), ("S2.columns", True)])
def test_s2_printed_witness_by_hand(claim_id, columns):
    witness = check(CATALOG[f"{claim_id}@printed"]).witness
    A = [[Fraction(v) for v in row] for row in witness.instance["A"]]
    x = [Fraction(v) for (v,) in witness.instance["x"]]
    p, u = (Fraction(witness.instance[name]) for name in ("p_inverse", "u_inverse"))
    table = list(zip(*A, strict=True)) if columns else A
    first, second = (u, p) if columns else (p, u)

    def norm(entries, inverse):
        sizes = [abs(float(v)) for v in entries]
        return (
            max(sizes)
            if inverse == 0
            else sum(s ** float(1 / inverse) for s in sizes) ** float(inverse)
        )

    left = norm([sum(a * b for a, b in zip(row, x, strict=True)) for row in A], p)
    right = norm([norm(row, first) for row in table], second) * norm(x, 1 - u)
    assert left > right * (1 + 1e-9)
    right_way = norm([norm(row, second) for row in table], first) * norm(x, 1 - u)
    assert left <= right_way * (1 + 1e-9)
