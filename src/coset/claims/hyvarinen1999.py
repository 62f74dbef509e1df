"""Independence identifies nothing: independent codes of any data, and maps that keep the law."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from .._assumptions import INDEPENDENT, INJECTIVE
from .._claim import Case, Claim, Scale
from .._core import Floats
from .._run import View
from ..solvers import darmois_normal, darmois_plane, quasi_newton
from ..worlds import (
    Box,
    Flow,
    Laplace,
    Linear,
    Noisy,
    Quantiles,
    Swirl,
    Unbounded,
    Uniform,
    World,
    conformal,
    sheared,
    smooth,
)
from ._measures import KernelR2, Matched
from ._recovered import Dependence, Recovered

PAPER = "hyvarinen1999"
INDEPENDENCE = 0.01
"""Largest alignment of independent codes: 13 deviations of 1,500 rows above chance."""
MARGIN = 0.5
"""By which a rectangle exceeds the draws that it holds, over their range."""
CHECKED = 1000
"""Latents at which volumes are compared."""
DEPENDENCE, RANKS, PLAIN, KEPT = Dependence(), Matched("spearman"), Matched(), KernelR2()


def laplace_log_density(z: Float[Array, " d"]) -> Float[Array, ""]:
    """Of independent Laplace latents of scale 1."""
    return -jnp.sum(jnp.abs(z) + jnp.log(2.0))


def normal_log_density(z: Float[Array, " d"]) -> Float[Array, ""]:
    """Of independent standard normal latents."""
    return jnp.sum(jax.scipy.stats.norm.logpdf(z))


def uniform_log_density(z: Float[Array, " d"]) -> Float[Array, ""]:
    """Of latents in the unit box."""
    return jnp.zeros(())


LAWS = {
    "laplace": laplace_log_density,
    "normal": normal_log_density,
    "uniform": uniform_log_density,
}


def rotated(seed: int) -> World:
    """Two Laplace latents, rotated by 45 degrees."""
    marginal = Noisy(Unbounded(2), Laplace(1.0))
    return smooth(seed, d=2, marginal=marginal, mixing=Linear(np.array([[1, 1], [-1, 1]]) / 2**0.5))


def curved(seed: int, *, d: int = 2, law: str = "normal") -> World:
    """Latents through layers of rotation and coupling."""
    if law == "uniform":
        return conformal(seed, d=d, marginal=Uniform(Box(d)), mixing=Flow(seed, d))
    return smooth(seed, d=d, mixing=Flow(seed, d))


def linear_normal(seed: int, *, d: int = 5) -> World:
    """Normal latents through a matrix."""
    return smooth(seed, d=d, mixing=Linear(sheared(seed, d, 1.0)))


def inverted(world: World, x: Floats) -> Floats:
    """The latents."""
    return np.asarray(_undone(world, jnp.asarray(x, float)), dtype=float)


def unmixed(world: World, x: Floats) -> Floats:
    """Codes of linear independent component analysis."""
    return quasi_newton(x).codes


def of_moments(world: World, x: Floats) -> Floats:
    """Independent codes by the construction for normal laws."""
    return darmois_normal(x)(x)


def of_density(world: World, x: Floats, *, law: str) -> Floats:
    """Independent codes by the construction for the density that the world gives the plane."""

    def log_density(rows: Floats) -> Floats:
        return np.asarray(_log_density(world, law, jnp.asarray(rows, float)), dtype=float)

    low, high = x.min(axis=0), x.max(axis=0)
    reach = MARGIN * (high - low)
    return darmois_plane(log_density, low - reach, high + reach)(x)


def automorphism(law: str, turns: float) -> Swirl | Quantiles:
    """A map of latents that keeps the normal law, or the uniform one."""
    swirl = Swirl(turns)
    return Quantiles(swirl) if law == "uniform" else swirl


def swirled(world: World, x: Floats, *, law: str, turns: float) -> Floats:
    """The latents, mixed by that map."""
    found = _mapped(automorphism(law, turns), _undone(world, jnp.asarray(x, float)))
    return np.asarray(found, dtype=float)


@dataclass(frozen=True)
class LikelihoodGap:
    """Mean |log p(T z) + log|det J_T(z)| - log p(z)|: what the map T changes of any likelihood."""

    law: str
    turns: float
    name: str = "likelihood_gap"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        latents = jnp.asarray(view.latent[:CHECKED], float)
        return float(_gap(automorphism(self.law, self.turns), self.law, latents))


@eqx.filter_jit
def _undone(world: World, x: Array) -> Array:
    found: Array = jax.vmap(world.mixing.inverse)(x)  # type: ignore[attr-defined]
    return found


@eqx.filter_jit
def _mapped(mixing: Swirl | Quantiles, z: Array) -> Array:
    return jax.vmap(mixing)(z)


@eqx.filter_jit
def _log_density(world: World, law: str, x: Array) -> Array:
    """Log p(z) + log|det J| of the inverse, at every row."""
    inverse = world.mixing.inverse  # type: ignore[attr-defined]

    def one(row: Array) -> Array:
        volume = jnp.linalg.slogdet(jax.jacfwd(inverse)(row))[1]
        density: Array = LAWS[law](inverse(row)) + volume
        return density

    return jax.vmap(one)(x)


@eqx.filter_jit
def _gap(mixing: Swirl | Quantiles, law: str, z: Array) -> Array:
    def one(row: Array) -> Array:
        volume = jnp.linalg.slogdet(jax.jacfwd(mixing)(row))[1]
        return jnp.abs(LAWS[law](mixing(row)) + volume - LAWS[law](row))

    return jax.vmap(one)(z).mean()


def darmois_cases(scale: Scale) -> tuple[Case, ...]:
    """Independent uniform codes of three laws; what knows more than independence as controls."""
    measures = (RANKS, DEPENDENCE, KEPT)
    cells = {
        "two rotated Laplace latents": Recovered(
            rotated, partial(of_density, law="laplace"), measures
        ),
        "two normal latents, curved": Recovered(
            curved, partial(of_density, law="normal"), measures
        ),
        "five normal latents, linear": Recovered(linear_normal, of_moments, measures),
    }
    ica = Recovered(rotated, unmixed, (RANKS, DEPENDENCE))
    known = Recovered(curved, inverted, (RANKS, DEPENDENCE))
    return (
        *(
            case
            for name, cell in cells.items()
            for case in (
                Case(f"{name}: codes are independent", "holds", cell, DEPENDENCE.name,
                     ("at_most", INDEPENDENCE)),
                Case(f"{name}: and lose nothing", "holds", cell, KEPT.name, ("at_least", 0.9)),
                Case(f"{name}: and are not the latents", "holds", cell, RANKS.name,
                     ("at_most", 0.9)),
            )
        ),
        Case("two rotated Laplace latents: linear independent codes", "breaks", ica, RANKS.name,
             ("at_least", 0.98), breaks="only linear maps are searched, among which independence "
             "identifies latents that are not normal"),
        Case("two normal latents, curved: the true inverse", "breaks", known, RANKS.name,
             ("at_least", 0.999), breaks="the mixing is known"),
    )  # fmt: skip


def automorphisms_cases(scale: Scale) -> tuple[Case, ...]:
    """Swirls of normal and of uniform latents; none, and one of another law, as controls."""
    shown = {"two normal latents": ("normal", 2), "two uniform latents": ("uniform", 2)}
    if scale != "smoke":
        shown["six normal latents"] = ("normal", 6)
    cases: list[Case] = []
    for name, (law, d) in shown.items():
        gap = LikelihoodGap(law, 1.0)
        cell = Recovered(
            partial(curved, d=d, law=law),
            partial(swirled, law=law, turns=1.0),
            (PLAIN, DEPENDENCE, gap),
        )
        cases += [
            Case(f"{name}: codes are independent", "holds", cell, DEPENDENCE.name,
                 ("at_most", INDEPENDENCE)),
            Case(f"{name}: of the same likelihood", "holds", cell, gap.name, ("at_most", 1e-3)),
            Case(f"{name}: and are not the latents", "holds", cell, PLAIN.name,
                 ("at_most", 0.5)),
        ]  # fmt: skip
    still = Recovered(curved, partial(swirled, law="normal", turns=0.0), (PLAIN,))
    other = Recovered(
        partial(curved, law="uniform"), partial(swirled, law="normal", turns=1.0), (DEPENDENCE,),
        floors=(),
    )  # fmt: skip
    return (
        *cases,
        Case("no swirl", "breaks", still, PLAIN.name, ("at_least", 0.999),
             breaks="the map is the identity"),
        Case("two uniform latents, swirled as normal ones are", "breaks", other, DEPENDENCE.name,
             ("at_least", 2 * INDEPENDENCE),
             breaks="rotations do not keep the law of the latents, so that codes depend"),
    )  # fmt: skip


CLAIMS = (
    Claim(
        name="hyvarinen1999.darmois",
        paper=PAPER,
        says="Distribution functions of each observed column given those before it make "
        "independent codes of any data, without loss, which are not the latents: independence "
        "alone identifies nothing where the mixing may be nonlinear.",
        assumptions=(INDEPENDENT, INJECTIVE),
        cases=darmois_cases,
        differs="The paper proves it and measures nothing.",
    ),
    Claim(
        name="hyvarinen1999.automorphisms",
        paper=PAPER,
        says="Maps that keep the law of the latents and mix them, such as a rotation by an angle "
        "that depends on the radius, change no likelihood: codes that are independent and of the "
        "right law may have little to do with the latents.",
        assumptions=(INDEPENDENT, INJECTIVE),
        cases=automorphisms_cases,
        differs="The paper proves it and measures nothing.",
    ),
)
