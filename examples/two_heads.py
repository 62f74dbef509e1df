"""Two classifiers trained from two seeds: are their codes and their heads tied?

Softmax classifiers p(y|x) ∝ exp(f(x)·g(y) + β(y)) are trained on scikit-learn's handwritten
digits, twice for every width M of f, from different seeds. The theorem promises f_b = A f_a + c and
g_b = A^{-T} g_a + constant where the predictions agree and K ≥ M + 1; with K = 10 labels that ends
at M = 9. A teacher makes agreement possible: both students learn its probabilities, not the labels
(a width it does not have cannot be learnt exactly). About 12 seconds on one core.

    python examples/two_heads.py

Prints, and then the last pair in words:

                    in all M dimensions         in the determined ones        predictions
     M  steps    tie  chance  in logits   rank   tie  R2 heads  R2 data      KL (nats)
     2    300   0.79    1.01      0.622      2  0.79     0.550    0.608         0.7452
     2   1200   0.74    0.99      0.661      2  0.74     0.500    0.593         0.4129
     4    300   0.66    1.01      0.533      4  0.66     0.604    0.695         0.2037
     4   1200   0.56    1.00      0.477      4  0.56     0.675    0.728         0.1020
     8    300   0.78    1.04      0.295      8  0.78     0.755    0.928         0.0224
     8   1200   0.60    1.05      0.224      8  0.60     0.874    0.961         0.0083
     9    300   1.79    1.09      0.250      9  1.79     0.474    0.970         0.0182
     9   1200   0.51    1.07      0.117      9  0.51     0.937    0.982         0.0042
    12    300   0.84    1.71      0.147      9  0.59     0.934    0.978         0.0062
    12   1200   0.70    1.62      0.094      9  0.35     0.970    0.985         0.0027
    16    300   1.15    1.61      0.164      9  0.49     0.930    0.978         0.0099
    16   1200   0.99    1.54      0.106      9  0.36     0.965    0.984         0.0043
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from coset.audit import Tie, tie

Weights = list[np.ndarray]
HIDDEN = 64


def forward(weights: Weights, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hidden units, codes f (n, M) and log-probabilities (n, K)."""
    w1, b1, w2, b2, g, bias = weights
    hidden = np.tanh(x @ w1 + b1)
    f = hidden @ w2 + b2
    logits = f @ g.T + bias
    top = logits.max(axis=1, keepdims=True)
    return hidden, f, logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))


def train(
    x: np.ndarray, targets: np.ndarray, width: int, *, seed: int, steps: int, decay: float = 0.0
) -> Weights:
    """Adam on the cross-entropy to given probabilities (n, K), all rows at every step."""
    rng = np.random.default_rng(seed)
    labels = targets.shape[1]
    sizes = [(x.shape[1], HIDDEN), (HIDDEN,), (HIDDEN, width), (width,), (labels, width), (labels,)]
    weights = [
        (rng.normal(size=s) / np.sqrt(s[0]) if len(s) > 1 else np.zeros(s)).astype(np.float32)
        for s in sizes
    ]
    first, second = ([np.zeros_like(w) for w in weights] for _ in range(2))
    for step in range(1, steps + 1):
        hidden, f, log_p = forward(weights, x)
        d_logits = (np.exp(log_p) - targets) / len(x)
        d_f = d_logits @ weights[4]
        d_hidden = d_f @ weights[2].T * (1 - hidden**2)
        gradients = [
            x.T @ d_hidden, d_hidden.sum(0), hidden.T @ d_f, d_f.sum(0),
            d_logits.T @ f, d_logits.sum(0),
        ]  # fmt: skip
        rate = 0.02 * 0.5 * (1 + np.cos(np.pi * step / steps))
        for k, gradient in enumerate(gradients):
            gradient = gradient + decay * weights[k]
            first[k] += 0.1 * (gradient - first[k])
            second[k] += 0.001 * (gradient**2 - second[k])
            scale = np.sqrt(second[k] / (1 - 0.999**step)) + 1e-8
            weights[k] -= rate * first[k] / (1 - 0.9**step) / scale
    return weights


def compare(a: Weights, b: Weights, x: np.ndarray) -> Tie:
    """The tie of two classifiers on rows that neither was trained on."""
    return tie(forward(a, x)[1], forward(b, x)[1], (a[4], b[4]), bias_a=a[5], bias_b=b[5])


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training rows, their labels one-hot, and rows held out."""
    x, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    x = (x[order] / 16 - 0.3).astype(np.float32)
    return x[:1200], np.eye(10, dtype=np.float32)[y[order]][:1200], x[1200:]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--widths", type=int, nargs="+", default=[2, 4, 8, 9, 12, 16])
    options.add_argument("--steps", type=int, nargs="+", default=[300, 1200])
    given = options.parse_args()
    x, y, held_out = digits()
    print("                  in all M dimensions         in the determined ones        predictions")
    print("   M  steps    tie  chance  in logits   rank   tie  R2 heads  R2 data      KL (nats)")
    for width in given.widths:
        teacher = train(x, y, width, seed=100, steps=400, decay=1e-3)
        targets = np.exp(forward(teacher, x)[2])
        for steps in given.steps:
            a, b = (train(x, targets, width, seed=seed, steps=steps) for seed in (1, 2))
            found = compare(a, b, held_out)
            print(
                f"{width:4d}{steps:7d}{found.tie:7.2f}{found.tie_chance:8.2f}"
                f"{found.tie_logits:11.3f}{found.rank:7d}{found.tie_subspace:6.2f}"
                f"{found.r2_from_heads_subspace:10.3f}{found.r2_from_data_subspace:9.3f}"
                f"{found.kl:15.4f}",
                flush=True,
            )
    print(f"\nThe last pair: {found.sentence}")


if __name__ == "__main__":
    with threadpool_limits(1):  # matrices this small are slower on many threads
        main()
