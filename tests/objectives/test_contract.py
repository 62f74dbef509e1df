"""Every objective, every law: one row each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import digamma, gammaln

from coset import objectives
from coset._core import BadInput
from coset._lab import (
    AbstractObjective,
    AbstractWorld,
    Batch,
    encode,
    one_of,
    refuse_unmet,
    stacked,
)
from coset.encoders import InBox, Mlp
from coset.objectives import (
    AbsoluteDifference,
    AdaGvae,
    AlignMaxEnt,
    Anisotropic,
    AuxiliaryContrast,
    ByDensity,
    Canonical,
    Cosine,
    CrossEntropy,
    Dot,
    Elbo,
    Ensemble,
    FreeHead,
    InfoNCE,
    IVae,
    KernelEntropy,
    LabelTable,
    LAlpha,
    NearestEntropy,
    NormalByLabel,
    OfBoth,
    OfObservation,
    PermutationContrast,
    Powers,
    Quadratic,
    SameForAll,
    SlowVae,
    SumOfProducts,
    UnitHead,
)

N, D, K, LABELS, FRESH = 12, 5, 4, 6, 9
KEY = jax.random.key(0)


# -- naive references: loops over rows, float64 -------------------------------------------------


def dot(u, v):
    return float(u @ v)


def cosine(u, v):
    return float(u @ v / np.sqrt(u @ u) / np.sqrt(v @ v))


def power(alpha):
    return lambda u, v: -sum(abs(a - b) ** alpha for a, b in zip(u, v, strict=True))


def weighted(precision):
    return lambda u, v: -sum(p * (a - b) ** 2 for p, a, b in zip(precision, u, v, strict=True)) / 2


def infonce(s, *, tau=1.0, negatives="views", inside=True, exclude=True, symmetric=False,
            beta=0.0, mean=False):  # fmt: skip
    def one_way(u, v, w):
        values = []
        for i in range(len(u)):
            others = []
            if negatives in ("views", "both"):
                others += [u[j] for j in range(len(u)) if j != i or not exclude]
            if negatives in ("positives", "both"):
                others += [v[j] for j in range(len(u)) if j != i]
            if negatives == "fresh":
                others += list(w)
            logits = np.array([s(u[i], other) / tau for other in others])
            weights = np.exp(beta * logits)
            weights *= len(others) / weights.sum()
            terms = list(weights * np.exp(logits))
            own = s(u[i], v[i]) / tau
            if inside:
                terms.append(np.exp(own))
            total = np.log(np.mean(terms) * (1 if mean else len(others) + inside))
            values.append(total - own)
        return np.mean(values)

    def naive(codes, labels):
        u, v, w = codes["x"], codes["positive"], codes["negative"]
        return (one_way(u, v, w) + one_way(v, u, w)) / 2 if symmetric else one_way(u, v, w)

    return naive


def squash(x):
    return 1 / (1 + np.exp(-x))


def nearest(c, m):
    n, k = c.shape
    logs = []
    for i in range(n):
        others = sorted(np.sqrt(((c[i] - c[j]) ** 2).sum()) for j in range(n) if j != i)
        logs.append(np.log(others[m - 1]))
    volume = k / 2 * np.log(np.pi) - gammaln(k / 2 + 1)
    return k * np.mean(logs) + volume + digamma(n) - digamma(m)


def kernel(c, h):
    n, k = c.shape
    logs = []
    for i in range(n):
        density = sum(
            np.exp(-((c[i] - c[j]) ** 2).sum() / (2 * h**2)) for j in range(n) if j != i
        ) / ((n - 1) * (2 * np.pi * h**2) ** (k / 2))
        logs.append(np.log(density))
    return -np.mean(logs)


def aligned(entropy, weight, *, squashed=True):
    def naive(codes, labels):
        u, v = codes["x"], codes["positive"]
        if squashed:
            u, v = squash(u), squash(v)
        apart = np.mean([((a - b) ** 2).sum() for a, b in zip(u, v, strict=True)])
        return apart - weight * entropy(u)

    return naive


def cross_entropy(weight, bias=None):
    weight = np.asarray(weight, float)
    bias = np.zeros(len(weight)) if bias is None else np.asarray(bias, float)

    def naive(codes, labels):
        values = []
        for code, label in zip(codes["x"], labels, strict=True):
            p = np.exp([w @ code + b for w, b in zip(weight, bias, strict=True)])
            values.append(-np.log(p[label] / p.sum()))
        return np.mean(values)

    return naive


def canonical(g_of):
    def naive(codes, labels):
        f, g = codes["x"], g_of(codes)
        values = []
        for i in range(len(f)):
            p = np.exp([f[i] @ other for other in g])
            values.append(-np.log(p[i] / p.sum()))
        return np.mean(values)

    return naive


def apart(logit):
    """Logistic regression: the pairs (i, i) against all others."""
    n = len(logit)
    own = [np.log(1 + np.exp(-logit[i, i])) for i in range(n)]
    others = [np.log(1 + np.exp(logit[i, j])) for i in range(n) for j in range(n) if i != j]
    return np.mean(own) + np.mean(others)


def permutation(ratio):
    def naive(codes, labels):
        both = np.concatenate([codes["x"], codes["positive"]])
        both = (both - both.mean(0)) / np.sqrt(both.var(0) + 1e-6)
        u, v = both[:N], both[N:]
        return apart(np.array([[ratio(a, b) for b in v] for a in u]))

    return naive


def laplace_ratio(v, w):
    def ratio(earlier, later):
        total = 0.0
        for k in range(K):
            total += -abs(v * later[k] + w * earlier[k]) + later[k] ** 2
        return total

    return ratio


def curves_ratio(f, g):
    def value(curves, k, r, x):
        terms = np.tanh(np.asarray(curves.slope[k]) * x + np.asarray(curves.shift[k]))
        return float(curves.bias[k, r]) + float(np.asarray(curves.weight[k, r]) @ terms)

    def ratio(earlier, later):
        return sum(
            value(f, k, r, earlier[k]) * value(g, k, r, later[k])
            for k in range(K)
            for r in range(f.bias.shape[1])
        )

    return ratio


def auxiliary(rows, own, order):
    def naive(codes, labels):
        logit = np.zeros((N, N))
        for i, code in enumerate(codes["x"]):
            for j, u in enumerate(labels):
                weights = iter(np.asarray(rows[u], float))
                for k in range(K):
                    for power in range(1, order + 1):
                        logit[i, j] += code[k] ** power * next(weights)
                logit[i, j] += next(weights) + float(own(code.astype(np.float32)))
        return apart(logit)

    return naive


def ensemble(parts):
    def naive(codes, labels):
        total = 0.0
        for weight, (first, end), member in parts:
            some = {name: code[:, first:end] for name, code in codes.items()}
            total += weight * member(some, labels)
        return total

    return naive


def log_density(x, mean, variance):
    """Of a normal law, coordinate by coordinate."""
    return sum(
        -((a - m) ** 2) / (2 * v) - np.log(2 * np.pi * v) / 2
        for a, m, v in zip(x, mean, variance, strict=True)
    )


def normal_kl(mean, variance, centre, spread):
    return sum(
        (v / s + (m - c) ** 2 / s - 1 - np.log(v / s)) / 2
        for m, v, c, s in zip(mean, variance, centre, spread, strict=True)
    )


def elbo(noise, beta, variance, divergence):
    """`variance` of (observation, label); `divergence` of (mean, variance, draw, label)."""
    eps = np.asarray(jax.random.normal(KEY, (N, K)), float)

    def naive(codes, labels):
        values = []
        for x, mean, e, label in zip(codes["seen"], codes["x"], eps, labels, strict=True):
            v = variance(x, label)
            z = mean + np.sqrt(v) * e
            shown = np.asarray(DECODER(jnp.asarray(z, jnp.float32)), float)
            fit = log_density(x, shown, [noise**2] * len(x))
            values.append(beta * divergence(mean, v, z, label) - fit)
        return np.mean(values)

    return naive


def numbers(network, x):
    return np.asarray(network(jnp.asarray(x, jnp.float32)), float)


def shown(x, z, noise):
    return log_density(x, numbers(DECODER, z), [noise**2] * len(x))


def covariance(spread):
    """Of K log-variances, and what lies below the diagonal behind them."""
    lower, rest = np.eye(K), iter(spread[K:])
    for row in range(K):
        for column in range(row):
            lower[row, column] = next(rest)
    return lower, lower @ np.diag(np.exp(spread[:K])) @ lower.T


def elbo_whole(noise):
    eps = np.asarray(jax.random.normal(KEY, (N, K)), float)

    def naive(codes, labels):
        values = []
        for x, mean, e in zip(codes["seen"], codes["x"], eps, strict=True):
            spread = numbers(WHOLE, x)
            lower, whole = covariance(spread)
            z = mean + lower @ (np.exp(spread[:K] / 2) * e)
            kl = (np.trace(whole) + mean @ mean - K - np.linalg.slogdet(whole)[1]) / 2
            values.append(kl - shown(x, z, noise))
        return np.mean(values)

    return naive


def moved(gap, variance):
    """E|a| of a ~ N(gap, variance), by quadrature."""
    t = np.linspace(-9, 9, 9001)
    density = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
    return np.trapezoid(np.abs(gap + np.sqrt(variance) * t) * density, t)


def slow(noise, rate, beta, gamma):
    def naive(codes, labels):
        draws = [np.asarray(jax.random.normal(k, (N, K)), float) for k in jax.random.split(KEY)]
        values = []
        for i in range(N):
            laws, fit = [], 0.0
            for x, mean, eps in (
                (codes["seen"][i], codes["x"][i], draws[0][i]),
                (codes["seen positive"][i], codes["positive"][i], draws[1][i]),
            ):
                v = spread_of(x, None)
                laws.append((mean, v))
                fit += shown(x, mean + np.sqrt(v) * eps, noise)
            (m, v), (m_, v_) = laws
            jump = sum(
                rate * moved(b - a, s + t) - np.log(rate / 2) - np.log(2 * np.pi * np.e * t) / 2
                for a, s, b, t in zip(m, v, m_, v_, strict=True)
            )
            values.append(beta * normal_kl(m, v, 0 * m, 1 + 0 * v) + gamma * jump - fit)
        return np.mean(values)

    return naive


def ada(noise, beta, average, changes=None):
    def naive(codes, labels):
        draws = [np.asarray(jax.random.normal(k, (N, K)), float) for k in jax.random.split(KEY)]
        values = []
        for i in range(N):
            m, m_ = codes["x"][i].copy(), codes["positive"][i].copy()
            v, v_ = (spread_of(codes[name][i], None) for name in ("seen", "seen positive"))
            delta = [
                normal_kl([a], [s], [b], [t]) + normal_kl([b], [t], [a], [s])
                for a, s, b, t in zip(m, v, m_, v_, strict=True)
            ]
            least = (min(delta) + max(delta)) / 2
            if changes is not None:
                least = sorted(delta)[-changes]
            for k in range(K):
                if delta[k] < least:
                    if average == "moments":
                        m[k], v[k] = (m[k] + m_[k]) / 2, (v[k] + v_[k]) / 2
                    else:
                        precision = (1 / v[k] + 1 / v_[k]) / 2
                        m[k] = (m[k] / v[k] + m_[k] / v_[k]) / 2 / precision
                        v[k] = 1 / precision
                    m_[k], v_[k] = m[k], v[k]
            for x, mean, variance, eps in (
                (codes["seen"][i], m, v, draws[0][i]),
                (codes["seen positive"][i], m_, v_, draws[1][i]),
            ):
                kl = normal_kl(mean, variance, 0 * mean, 1 + 0 * variance)
                values.append(beta * kl - shown(x, mean + np.sqrt(variance) * eps, noise))
        return np.mean(values)

    return naive


# -- the table ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    make: Callable[[float], AbstractObjective]
    """From a number that cases may differ in."""
    naive: Callable[[float], Callable]
    requires: tuple[str, ...] = ("positive",)
    fixed: tuple[str, ...] = ()
    """Arrays that are numbers of the case, not learned."""
    drawn: bool = False
    """Each place in a batch has noise of its own, so the order of rows matters."""
    tolerance: float = 1e-5


def plain(similarity, reference, fixed=("log_temperature",), **how):
    """Rows of InfoNCE, whose number is the temperature."""
    words = {
        "positive_in_denominator": "inside",
        "exclude_self": "exclude",
        "hardness": "beta",
    }
    shared = {
        words.get(name, name): value for name, value in how.items() if name != "learned_temperature"
    }
    needs = ("positive", "negative") if how.get("negatives") == "fresh" else ("positive",)
    return Row(
        lambda t: InfoNCE(similarity, t, **how),
        lambda t: infonce(reference, tau=t, **shared),
        needs,
        fixed,
    )


PRECISION = np.array([0.5, 1.0, 2.0, 4.0])
WEIGHT = jax.random.normal(jax.random.key(5), (LABELS, K)) / 2
OTHER = Mlp(jax.random.key(6), D, K, widths=(8,), head=InBox(K))
DECODER = Mlp(jax.random.key(7), K, D, widths=(8,))
SPREAD = Mlp(jax.random.key(8), D, K, widths=(8,))
WHOLE = Mlp(jax.random.key(10), D, K * (K + 1) // 2, widths=(8,))
BOTH_SPREAD = Mlp(jax.random.key(9), D + LABELS, K, widths=(8,))


def spread_of(x, label):
    return np.exp(np.asarray(SPREAD(jnp.asarray(x, jnp.float32)), float))


def spread_of_both(x, label):
    both = np.concatenate([x, np.eye(LABELS)[label]])
    return np.exp(np.asarray(BOTH_SPREAD(jnp.asarray(both, jnp.float32)), float))


def by_label(means):
    """A prior whose tables are not those that it starts with."""
    made = NormalByLabel(LABELS, K, means=means)
    tables = (lambda p: (p.log_variances, p.means)) if means else (lambda p: (p.log_variances,))
    return eqx.tree_at(tables, made, (WEIGHT, 2 * WEIGHT) if means else (WEIGHT,))


class Bent(eqx.Module):
    """A log density with a parameter."""

    scale: jax.Array

    def __call__(self, z):
        return -jnp.sum(jnp.abs(z) ** 3) / self.scale


BENT = Bent(jnp.asarray(2.0))


def bent_estimate(mean, variance, z, label):
    entropy = sum(np.log(2 * np.pi * np.e * v) / 2 for v in variance)
    return sum(abs(a) ** 3 for a in z) / 2 - entropy


def head(kind, number=1.0, *, bias=False):
    made = kind(jax.random.key(5), LABELS, K, bias=bias)
    return eqx.tree_at(lambda h: h.weight, made, number * WEIGHT)


def laplace_pairs(number):
    made = AbsoluteDifference(K)
    return PermutationContrast(eqx.tree_at(lambda r: r.of_later, made, made.of_later * number))


def curved_pairs(number):
    made = SumOfProducts(jax.random.key(7), K, 2)
    slope = made.of_later.slope * number
    return PermutationContrast(eqx.tree_at(lambda r: r.of_later.slope, made, slope))


SIZE = 2 * K + 1
OWN = eqx.nn.MLP(K, "scalar", 8, 1, key=jax.random.key(8))
ROWS = LabelTable(jax.random.key(9), LABELS, SIZE).rows


def told_by_label(number):
    table = eqx.tree_at(lambda t: t.rows, LabelTable(KEY, LABELS, SIZE), number * ROWS)
    return AuxiliaryContrast(Powers(2), table, OWN)


def unit(rows):
    rows = np.asarray(rows, float)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


TABLE = {
    "dot": plain(Dot(), dot),
    "learned temperature": plain(Dot(), dot, (), learned_temperature=True),
    "self": plain(Dot(), dot, exclude_self=False),
    "outside": plain(Dot(), dot, positive_in_denominator=False),
    "self outside": plain(Dot(), dot, positive_in_denominator=False, exclude_self=False),
    "symmetric": plain(Dot(), dot, symmetric=True),
    "mean": plain(Dot(), dot, mean=True),
    "mean outside": plain(Dot(), dot, mean=True, positive_in_denominator=False),
    "positives": plain(Dot(), dot, negatives="positives"),
    "positives outside": plain(
        Dot(), dot, negatives="positives", positive_in_denominator=False, symmetric=True
    ),
    "nt-xent": plain(Cosine(), cosine, negatives="both", symmetric=True),
    "both self": plain(Dot(), dot, negatives="both", exclude_self=False, mean=True),
    "fresh": plain(LAlpha(2), power(2), negatives="fresh", mean=True),
    "fresh outside": plain(
        Cosine(), cosine, negatives="fresh", positive_in_denominator=False, symmetric=True
    ),
    "hard": plain(Dot(), dot, ("log_temperature", "beta"), hardness=1.5),
    "hard self": plain(
        Dot(), dot, ("log_temperature", "beta"), hardness=0.5, exclude_self=False, mean=True
    ),
    "hard both": plain(
        Dot(), dot, ("log_temperature", "beta"), hardness=2, negatives="both", symmetric=True
    ),
    "hard fresh": plain(Dot(), dot, ("log_temperature", "beta"), hardness=2, negatives="fresh"),
    "l1": plain(LAlpha(1), power(1)),
    "l1.5": plain(LAlpha(1.5), power(1.5)),
    "l0.5": plain(LAlpha(0.5), power(0.5)),
    "l3": plain(LAlpha(3), power(3), symmetric=True),
    "anisotropic": plain(Anisotropic(K, precision=PRECISION), weighted(PRECISION)),
    "known precision": plain(
        Anisotropic(K, learned=False, precision=PRECISION),
        weighted(PRECISION),
        ("log_temperature", "similarity.rho"),
    ),
    "quadratic": plain(Quadratic(K, precision=PRECISION), weighted(PRECISION)),
    "max-entropy": Row(
        lambda w: AlignMaxEnt(weight=w),
        lambda w: aligned(lambda c: nearest(c, 1), w),
        fixed=("weight",),
    ),
    "max-entropy third": Row(
        lambda w: AlignMaxEnt(NearestEntropy(3), w, squash=False),
        lambda w: aligned(lambda c: nearest(c, 3), w, squashed=False),
        fixed=("weight",),
    ),
    "max-entropy kernel": Row(
        lambda h: AlignMaxEnt(KernelEntropy(h), 2.0),
        lambda h: aligned(lambda c: kernel(c, h), 2.0),
        fixed=("entropy.bandwidth", "weight"),
    ),
    "cross-entropy": Row(
        lambda t: CrossEntropy(head(FreeHead, t, bias=True)),
        lambda t: cross_entropy(t * WEIGHT, np.zeros(LABELS)),
        ("auxiliary",),
    ),
    "cross-entropy unit": Row(
        lambda t: CrossEntropy(head(UnitHead, t)),
        lambda t: cross_entropy(unit(WEIGHT)),
        ("auxiliary",),
    ),
    "classification": Row(
        lambda t: Canonical(head(FreeHead, t), "labels"),
        lambda t: cross_entropy(t * WEIGHT),
        ("auxiliary",),
    ),
    "n-pair": Row(lambda t: Canonical.n_pair(), lambda t: canonical(lambda c: c["positive"])),
    "cpc": Row(lambda t: Canonical.cpc(OTHER), lambda t: canonical(lambda c: c["other"])),
    "permutation": Row(laplace_pairs, lambda t: permutation(laplace_ratio(t, -1.0))),
    "permutation curves": Row(
        curved_pairs,
        lambda t: permutation(
            curves_ratio(curved_pairs(t).regression.of_earlier, curved_pairs(t).regression.of_later)
        ),
    ),
    "auxiliary": Row(told_by_label, lambda t: auxiliary(t * ROWS, OWN, 2), ("auxiliary",)),
    "ensemble": Row(
        lambda t: Ensemble(
            [InfoNCE(LAlpha(1)), CrossEntropy(head(FreeHead)), InfoNCE()],
            [t, 2.0, 0.5],
            columns=[(0, 3), None, (2, 4)],
        ),
        lambda t: ensemble(
            [
                (t, (0, 3), infonce(power(1))),
                (2.0, (0, K), cross_entropy(WEIGHT)),
                (0.5, (2, 4), infonce(dot)),
            ]
        ),
        ("positive", "auxiliary"),
        ("weights", "objectives[0].log_temperature", "objectives[2].log_temperature"),
    ),
}
TABLE |= {
    "elbo": Row(
        lambda t: Elbo(DECODER, OfObservation(SPREAD), noise=t, beta=3.0),
        lambda t: elbo(t, 3.0, spread_of, lambda m, v, z, u: normal_kl(m, v, 0 * m, 1 + 0 * v)),
        (),
        ("likelihood.log_noise", "beta"),
        drawn=True,
    ),
    "elbo narrow": Row(
        lambda t: Elbo(DECODER, SameForAll(K, start=-30.0), noise=t, learned_noise=True),
        lambda t: elbo(
            t,
            1.0,
            lambda x, u: np.full(K, np.exp(-30.0)),
            lambda m, v, z, u: normal_kl(m, v, 0 * m, 1 + 0 * v),
        ),
        (),
        ("beta",),
    ),
    "elbo by label": Row(
        lambda t: Elbo(DECODER, OfBoth(BOTH_SPREAD, LABELS), by_label(means=True), t),
        lambda t: elbo(
            t,
            1.0,
            spread_of_both,
            lambda m, v, z, u: normal_kl(m, v, 2 * WEIGHT[u], np.exp(WEIGHT[u])),
        ),
        ("auxiliary",),
        ("likelihood.log_noise", "beta"),
        drawn=True,
    ),
    "elbo by density": Row(
        lambda t: Elbo(DECODER, OfObservation(SPREAD), ByDensity(BENT), t),
        lambda t: elbo(t, 1.0, spread_of, bent_estimate),
        (),
        ("likelihood.log_noise", "beta"),
        drawn=True,
    ),
    "elbo whole": Row(
        lambda t: Elbo(DECODER, OfObservation(WHOLE), noise=t),
        elbo_whole,
        (),
        ("likelihood.log_noise", "beta"),
        drawn=True,
    ),
    "ivae": Row(
        lambda t: IVae(DECODER, OfObservation(SPREAD), LABELS, K, t),
        lambda t: elbo(t, 1.0, spread_of, lambda m, v, z, u: normal_kl(m, v, 0 * m, 1 + 0 * v)),
        ("auxiliary",),
        ("elbo.likelihood.log_noise", "elbo.beta"),
        drawn=True,
    ),
    "slow-vae": Row(
        lambda t: SlowVae(DECODER, OfObservation(SPREAD), 2.0, t, beta=0.5, gamma=3.0),
        lambda t: slow(t, 2.0, 0.5, 3.0),
        ("positive",),
        ("likelihood.log_noise", "rate", "beta", "gamma"),
        tolerance=1e-4,
        drawn=True,
    ),
    "ada-gvae": Row(
        lambda t: AdaGvae(DECODER, OfObservation(SPREAD), t, beta=2.0),
        lambda t: ada(t, 2.0, "moments"),
        ("positive",),
        ("likelihood.log_noise", "beta"),
        drawn=True,
    ),
    "ada-ml-vae": Row(
        lambda t: AdaGvae(DECODER, OfObservation(SPREAD), t, average="product", changes=2),
        lambda t: ada(t, 1.0, "product", 2),
        ("positive",),
        ("likelihood.log_noise", "beta"),
        drawn=True,
    ),
}
UNMOVED = {"cross-entropy unit", "n-pair", "cpc"}
"""Rows whose number changes nothing."""


@pytest.fixture(scope="module")
def encoder():
    return Mlp(jax.random.key(1), D, K, widths=(8,), head=InBox(K))


@pytest.fixture(scope="module")
def batch():
    keys = jax.random.split(jax.random.key(2), 4)
    x = jax.random.normal(keys[0], (N, D))
    return Batch(
        x,
        x + 0.3 * jax.random.normal(keys[1], (N, D)),
        jax.random.normal(keys[2], (FRESH, D)),
        jax.random.randint(keys[3], (N,), 0, LABELS),
    )


@pytest.fixture(params=TABLE)
def row(request):
    return TABLE[request.param]


def test_agrees_with_loops_over_rows(row, encoder, batch):
    codes = {
        name: np.asarray(encode(encoder, getattr(batch, name)), float)
        for name in ("x", "positive", "negative")
    }
    codes["seen"] = np.asarray(batch.x, float)
    codes["seen positive"] = np.asarray(batch.positive, float)
    codes["other"] = np.asarray(encode(OTHER, batch.positive), float)
    for number in (0.6, 1.7):
        found = row.make(number)(encoder, batch, key=KEY)
        assert found.shape == ()
        expected = row.naive(number)(codes, np.asarray(batch.auxiliary))
        assert float(found) == pytest.approx(expected, rel=row.tolerance, abs=row.tolerance)


def test_every_parameter_has_a_slope_and_no_fixed_number_has(row, encoder, batch):
    @eqx.filter_grad
    def slope(learner):
        return learner[1](learner[0], batch, key=KEY)

    for path, leaf in jax.tree_util.tree_leaves_with_path(slope((encoder, row.make(0.7)))):
        name = jax.tree_util.keystr(path)
        assert np.isfinite(leaf).all(), name
        learned = name.removeprefix("[1].") not in row.fixed
        assert bool(np.any(leaf != 0)) == learned, name


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if not row.drawn])
def test_order_of_rows_does_not_matter(name, encoder, batch):
    order = np.random.default_rng(0).permutation(N)
    turned = Batch(
        batch.x[order], batch.positive[order], batch.negative[::-1], batch.auxiliary[order]
    )
    objective = TABLE[name].make(0.7)
    values = [float(objective(encoder, one, key=KEY)) for one in (batch, turned)]
    assert values[0] == pytest.approx(values[1], rel=1e-5, abs=1e-6)


def test_other_numbers_do_not_retrace(row, encoder, batch, request):
    @eqx.filter_jit
    @eqx.debug.assert_max_traces(max_traces=1)
    def value(objective, encoder, batch):
        return objective(encoder, batch, key=KEY)

    shifted = replace(batch, x=batch.x + 1)
    values = [value(row.make(t), encoder, b) for t in (0.6, 1.7) for b in (batch, shifted)]
    found = {round(float(one), 5) for one in values}
    assert len(found) == (2 if request.node.callspec.params["row"] in UNMOVED else 4)


def test_seeds_side_by_side_equal_seeds_one_by_one(row, batch):
    encoders = stacked([Mlp(k, D, K, widths=(8,), head=InBox(K)) for k in jax.random.split(KEY, 2)])
    rows = stacked([row.make(0.6), row.make(1.7)])

    def value(learner, batch):
        return learner[1](learner[0], batch, key=KEY)

    together = eqx.filter_vmap(eqx.filter_value_and_grad(value), in_axes=(eqx.if_array(0), None))
    values, slopes = together((encoders, rows), batch)
    for seed in range(2):
        alone = eqx.filter_value_and_grad(value)(one_of((encoders, rows), seed), batch)
        for a, b in zip(
            jax.tree.leaves(one_of((values, slopes), seed)), jax.tree.leaves(alone), strict=True
        ):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=2e-6)


def test_refuses_a_batch_without_what_it_needs(row, encoder, batch):
    bare = Batch(batch.x)
    objective = row.make(0.7)
    full = replace(bare, **{name: getattr(batch, name) for name in row.requires})
    assert np.isfinite(objective(encoder, full, key=KEY))
    for name in row.requires:
        with pytest.raises(BadInput, match=r"got a batch without .*: choose a world"):
            objective(encoder, replace(full, **{name: None}), key=KEY)


class Promises(AbstractWorld):
    """A world that says what it is told to."""

    promises: frozenset

    def sample(self, key, n):
        raise NotImplementedError

    @property
    def satisfies(self):
        return self.promises


def test_runs_where_its_needs_are_met_and_only_there(row):
    objective = row.make(0.7)
    assert objective.needs
    refuse_unmet(Promises(objective.needs), objective)
    for missing in objective.needs:
        with pytest.raises(BadInput) as refusal:
            refuse_unmet(Promises(objective.needs - {missing}), objective)
        assert f"needs a world where {missing.says}; this one does not" in str(refusal.value)


def parts(value):
    """A module and all modules in it."""
    if isinstance(value, eqx.Module):
        yield type(value)
        for inner in vars(value).values():
            yield from parts(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from parts(inner)


def test_every_exported_class_has_a_row():
    named = (getattr(objectives, name) for name in objectives.__all__)
    final = {thing for thing in named if inspect.isclass(thing) and not inspect.isabstract(thing)}
    assert final == {kind for row in TABLE.values() for kind in parts(row.make(0.7))} & final
