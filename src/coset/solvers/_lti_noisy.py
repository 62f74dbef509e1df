"""Linear dynamics seen through white noise: likeliest parameters, frequency by frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import OptimizeResult, minimize

from .._core import BadInput, Floats
from ._diagonalise import leakage
from ._lti import IdentifiedSystem, identify_system

STEPS = 1000
BANDS = 256
"""Of neighbouring frequencies, whose spectra are averaged."""
NOISES = (1.0, 0.1, 1e-2, 1e-3, 1e-5)
"""Of what the controls add in a step, in the geometric mean over columns: where searches start."""
FIRST_STEPS = 40
"""Of each search, before the best one goes on alone."""
LARGEST = 30.0
"""Of a logarithm."""
TAPERED = 0.05
"""Of a trajectory, at either end."""
Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class NoisySystem:
    """A system, the noise of its observations, and how its controls are told from that noise."""

    system: IdentifiedSystem
    noise: Floats
    """(d,) variances."""
    steps: int
    converged: bool

    def controls(self, trajectories: ArrayLike) -> Floats:
        """(environments, steps - 1, k): the mean of the controls given whole trajectories.

        Args:
            trajectories: (environments, steps, d), environments in the order of the fit.
        """
        rows = _trajectories(trajectories)
        if len(rows) != len(self.system.means):
            raise BadInput(
                f"{len(rows)} trajectories; {len(self.system.means)} are needed, one of each "
                f"environment in the order of the fit"
            )
        at = np.arange(rows.shape[1] // 2 + 1) * 2 * np.pi / rows.shape[1]
        mean = rows.mean(1, keepdims=True)
        system, waves = self.system, np.fft.rfft(rows - mean, axis=1)[..., None]
        _, hidden = _hidden(system.transition, system.mixing, system.variances, at)
        passed = hidden @ np.linalg.solve(hidden + np.diag(self.noise), waves)
        smooth = np.fft.irfft(passed[..., 0], rows.shape[1], axis=1) + mean
        return (smooth[:, 1:] - smooth[:, :-1] @ system.transition.T) @ system.unmixing.T


def identify_noisy_system(
    trajectories: ArrayLike, *, common: bool = False, steps: int = STEPS
) -> NoisySystem:
    """`identify_system` where every observed column has white noise of its own.

    At a frequency ω the observations of environment e have the spectrum
    S_e = G M diag(s_e) Mᵀ G* + diag(noise), G = (I - A e^{-iω})⁻¹. What is minimised is
    Σ_e Σ_ω log det S_e + tr S_e⁻¹ P_e, P_e the observed spectrum: minus Whittle's likelihood, by a
    quasi-Newton method (L-BFGS) that starts from `identify_system` and noise of several sizes.

    Args:
        trajectories: (environments, steps, d), one of each environment.
        common: the noise has one variance, the same in every column. Otherwise it is hard to tell
            whose noise is whose where columns nearly follow from one another.
        steps: at most, of the search that got furthest.

    References:
        rajendran2024, whittle1953
    """
    rows = _trajectories(trajectories)
    count, d = len(rows), rows.shape[2]
    first = identify_system(
        rows[:, :-1].reshape(-1, d), rows[:, 1:].reshape(-1, d),
        np.repeat(np.arange(count), rows.shape[1] - 1),
    )  # fmt: skip
    likelihood = _Likelihood(_Bands.of(rows), first, common)
    tried = [likelihood.descend(start, FIRST_STEPS) for start in likelihood.starts()]
    found = likelihood.descend(min(tried, key=lambda one: one.fun).x, steps)
    transition, mixing, variances, noise = likelihood.parameters(found.x)
    scale = np.sqrt(variances.mean(0))
    mixing, variances = mixing * scale, variances / scale**2
    unmixing = np.linalg.inv(mixing)
    means = rows.mean(1) @ (np.eye(d) - transition).T @ unmixing.T
    errors = leakage(variances, np.full(count, rows.shape[1] - 1.0))
    system = IdentifiedSystem(
        transition, mixing, unmixing, first.labels, means, variances, errors, int(found.nit)
    )
    return NoisySystem(system, noise, int(found.nit), bool(found.success))


@dataclass(frozen=True, eq=False)
class _Bands:
    """Spectra of observations, averaged over bands."""

    at: Floats
    """(bands,) frequencies."""
    weights: Floats
    """(bands,), of sum 1."""
    spectra: Complex
    """(environments, bands, d, d)."""

    @classmethod
    def of(cls, rows: Floats) -> _Bands:
        count = rows.shape[1]
        centred = rows - rows.mean(1, keepdims=True)
        from_start = np.arange(count) + 0.5
        edge = np.minimum(from_start, from_start[::-1]) / (TAPERED * count)
        taper = np.sin(np.pi / 2 * np.minimum(edge, 1.0)) ** 2
        taper /= np.sqrt((taper**2).sum())
        waves = np.fft.rfft(taper[:, None] * centred, axis=1)[:, 1:]
        firsts = np.unique(np.linspace(0, waves.shape[1], BANDS + 1).astype(int))[:-1]
        sizes = np.diff(firsts, append=waves.shape[1])
        products = waves[..., :, None] * waves[..., None, :].conj()
        sums = np.asarray(np.add.reduceat(products, firsts, axis=1), dtype=np.complex128)
        frequencies = 2 * np.pi / count * (1 + np.arange(waves.shape[1]))
        at = np.add.reduceat(frequencies, firsts) / sizes
        return cls(at, sizes / sizes.sum(), sums / sizes[:, None, None])


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """Minus Whittle's likelihood and its gradient, in the basis of the controls first found."""

    bands: _Bands
    first: IdentifiedSystem
    common: bool

    def starts(self) -> list[Floats]:
        """One for each size of the noise, the same for all columns."""
        basis, back = self.first.mixing, self.first.unmixing
        inner = (back @ self.first.transition @ basis).ravel()
        one, logs = np.eye(len(basis)).ravel(), np.log(self.first.variances).ravel()
        count = 1 if self.common else len(basis)
        pushed = np.full(count, np.log(np.diagonal(basis @ basis.T)).mean())
        return [np.concatenate([inner, one, logs, pushed + np.log(part)]) for part in NOISES]

    def descend(self, start: Floats, steps: int) -> OptimizeResult:
        """L-BFGS from a start."""
        free = 2 * len(self.first.mixing) ** 2
        bounds = [(None, None)] * free + [(-LARGEST, LARGEST)] * (len(start) - free)
        options = {"maxiter": steps, "maxfun": 2 * steps, "maxcor": 30, "ftol": 1e-13, "gtol": 1e-7}
        return minimize(self, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)

    def parameters(self, x: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Transition, mixing, variances of controls, and of the noise."""
        basis, back = self.first.mixing, self.first.unmixing
        d = len(basis)
        ends = d * d, 2 * d * d, len(x) - (1 if self.common else d)
        inner, mixing, logs, noise = np.split(x, ends)
        return (
            basis @ inner.reshape(d, d) @ back, basis @ mixing.reshape(d, d),
            np.exp(logs.reshape(-1, d)), np.broadcast_to(np.exp(noise), d),
        )  # fmt: skip

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        transition, mixing, variances, noise = self.parameters(x)
        basis, back = self.first.mixing, self.first.unmixing
        shift = np.exp(-1j * self.bands.at)[:, None, None]
        gain, hidden = _hidden(transition, mixing, variances, self.bands.at)
        inverse = np.linalg.inv(hidden + np.diag(noise))
        fits = inverse @ self.bands.spectra
        weights = self.bands.weights / len(variances)
        value = np.trace(fits, axis1=2, axis2=3).real - np.linalg.slogdet(inverse)[1]
        slope = (inverse - fits @ inverse) * weights[:, None, None]
        of_gain = _adjoint(gain) @ slope
        inner = 2 * (shift * hidden @ slope @ gain).real.sum((0, 1)).T
        pushed = (of_gain @ gain).real.sum(1)
        of_mixing = 2 * (pushed @ mixing * variances[:, None, :]).sum(0)
        of_variances = np.einsum("ji,ejk,ki->ei", mixing, pushed, mixing) * variances
        of_noise = np.diagonal(slope, axis1=2, axis2=3).real.sum((0, 1)) * noise
        of_noise = of_noise.sum(keepdims=True) if self.common else of_noise
        gradient = [basis.T @ inner @ back.T, basis.T @ of_mixing, of_variances, of_noise]
        return float((value @ weights).sum()), np.concatenate([one.ravel() for one in gradient])


def _hidden(
    transition: Floats, mixing: Floats, variances: Floats, at: Floats
) -> tuple[Complex, Complex]:
    """G, and the spectrum without the noise."""
    one = np.eye(len(mixing))
    gain: Complex = np.linalg.inv(one - transition * np.exp(-1j * at)[:, None, None])
    mixed: Complex = gain @ mixing
    return gain, (mixed * variances[:, None, None, :]) @ _adjoint(mixed)


def _adjoint(matrices: Complex) -> Complex:
    return matrices.conj().swapaxes(-1, -2)


def _trajectories(given: ArrayLike) -> Floats:
    rows = np.asarray(given, dtype=float)
    if rows.ndim != 3 or not np.isfinite(rows).all():
        raise BadInput(
            f"trajectories of shape {rows.shape}; (environments, steps, d) is needed, all finite"
        )
    return rows
