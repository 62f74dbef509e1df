"""Rules that make codes without training, and the measure of dependence."""

from __future__ import annotations

from functools import partial

import jax.numpy as jnp
import numpy as np
import pytest

from coset._run import View
from coset.claims import hyvarinen1999 as paper
from coset.claims._measures import Matched
from coset.claims._recovered import Dependence, Recovered


def view(codes):
    return View(codes, codes)


def test_dependence_is_of_each_code_with_those_before_it():
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(size=(3, 1500))
    alone = np.stack([a, b, c], axis=1)
    assert abs(Dependence()(view(alone))) < paper.INDEPENDENCE
    # every two of these are independent, all three are not
    together = np.stack([a, b, (a + b) % 1], axis=1)
    assert abs(Dependence()(view(together[:, 1:]))) < paper.INDEPENDENCE
    assert Dependence(800)(view(together)) > 0.01
    curved = np.stack([a, (a - 0.5) ** 2], axis=1)
    assert Dependence()(view(curved)) > 0.1


def test_densities_of_observations_are_normalised():
    world = paper.curved(0)
    axis = np.linspace(-10, 10, 201)
    rows = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    found = paper._log_density(world, "normal", jnp.asarray(rows, float))
    assert np.exp(found).sum() * 0.01 == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("law", ["normal", "uniform"])
def test_automorphisms_keep_the_likelihood_and_other_maps_do_not(law):
    latents = np.random.default_rng(0).uniform(0.05, 0.95, size=(200, 2))
    assert paper.LikelihoodGap(law, 1.0)(view(latents)) < 1e-4
    shear = paper.Linear(np.array([[2.0, 0.0], [1.0, 1.0]]))
    assert paper._gap(shear, law, jnp.asarray(latents, float)) > 0.1


def test_a_cell_scores_codes_and_shows_observations_where_they_are_a_floor():
    cell = Recovered(paper.rotated, paper.inverted, (Matched(), Dependence(500)), rows=1000)
    run = cell.run([0, 1])
    assert run.seeds == (0, 1)
    assert min(run.scores["mcc_pearson"].trained) > 0.9999
    assert run.scores["mcc_pearson"].raw == ()
    assert min(run.scores["dependence"].raw) > 0.02 > max(run.scores["dependence"].trained)
    swirled = Recovered(
        paper.curved, partial(paper.swirled, law="normal", turns=1.0), (Matched(),), rows=4000
    )
    # 4 / 25 of the closed form, 6 standard errors
    assert swirled.run([0]).scores["mcc_pearson"].trained[0] == pytest.approx(0.16, abs=0.16)
