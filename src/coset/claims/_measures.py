"""Scores of codes against latents, by name: what claims are held to."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from .._core import Floats
from .._run import View
from ..metrics import mcc, r2
from ..metrics._kernel_ridge import fit_kernel_ridge

KERNEL_ROWS = 500
"""To fit a kernel regression on, and as many to score it: the search for its settings sees all."""


@dataclass(frozen=True)
class LinearR2:
    """Latents from codes by least squares: held out, mean over latents.

    Args:
        block: first and last latent, where only a block of them is predicted.
        label: of the block, in the name.
        in_sample: fitted and scored on the same rows, as in some publications.
    """

    block: tuple[int, int] | None = None
    label: str = ""
    in_sample: bool = False

    @property
    def name(self) -> str:
        """As in tables."""
        return _named("r2_linear", self.label, "in_sample" if self.in_sample else "")

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        return linear_r2(view.codes, _block(view.latent, self.block), in_sample=self.in_sample)


@dataclass(frozen=True)
class KernelR2:
    """Latents from codes by kernel ridge regression: held out, mean over latents.

    Args:
        block: first and last latent, where only a block of them is predicted.
        label: of the block, in the name.
        rows: to fit on, and as many to score.
    """

    block: tuple[int, int] | None = None
    label: str = ""
    rows: int = KERNEL_ROWS

    @property
    def name(self) -> str:
        """As in tables."""
        return _named("r2_kernel", self.label)

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        return kernel_r2(view.codes, _block(view.latent, self.block), self.rows)


@dataclass(frozen=True)
class Matched:
    """Mean |correlation| of latents with codes after the best matching."""

    correlation: str = "pearson"

    @property
    def name(self) -> str:
        """As in tables."""
        return f"mcc_{self.correlation}"

    def __call__(self, view: View) -> float:
        """The score of one seed."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a constant code counts 0
            return float(mcc(view.latent, view.codes, correlation=self.correlation))


def linear_r2(codes: Floats, latent: Floats, *, in_sample: bool = False) -> float:
    """R² of least squares with an intercept from codes to latents, mean over latents."""
    return r2(codes, latent, folds=2, in_sample=in_sample, average="uniform").ab


def kernel_r2(given: Floats, wanted: Floats, rows: int = KERNEL_ROWS) -> float:
    """R² of kernel ridge regression, mean over what is wanted: fitted on some rows, scored on
    others.
    """
    spread = given.std(0)
    given = (given - given.mean(0)) / np.where(spread > 0, spread, 1.0)
    fitted, scored = slice(0, rows), slice(rows, 2 * rows)
    predict = fit_kernel_ridge(given[fitted], wanted[fitted])
    error = ((wanted[scored] - predict(given[scored])) ** 2).mean(0)
    return float(np.mean(1 - error / wanted[scored].var(0)))


def _block(latent: Floats, block: tuple[int, int] | None) -> Floats:
    return latent if block is None else latent[:, slice(*block)]


def _named(*parts: str) -> str:
    return "_".join(part for part in parts if part)


def relative_gap(found: Floats, truth: Floats) -> float:
    """Mean of |found - truth| / truth."""
    return float(np.mean(np.abs(np.asarray(found) - truth) / np.asarray(truth)))
