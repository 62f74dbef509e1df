"""Logistic regression that tells pairs that belong together from pairs that do not."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def tell_apart(logits: Float[Array, "n n"]) -> Float[Array, ""]:
    """-mean log σ(own logit) - mean log σ(-other logit): the diagonal belongs together.

    Its minimum over all functions is the logarithm of p(a, b) / (p(a) p(b)).
    """
    n = logits.shape[0]
    others = jnp.where(jnp.eye(n, dtype=bool), 0.0, jax.nn.softplus(logits))
    return jnp.mean(jax.nn.softplus(-jnp.diagonal(logits))) + jnp.sum(others) / (n * (n - 1))
