"""Sounds that are known, mixed and separated: what is gained is a number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from .._core import Floats
from ._separate import Recordings, unmix, written
from ._sounds import RATE, sounds, speech
from ._wav import write_wav

MIXING = np.array([[1.0, 0.7, 0.4], [0.6, 1.0, 0.5], [0.3, 0.8, 1.0]])
"""How loud each sound is at each microphone."""


def demo(out: Path) -> Iterator[str]:
    """Mix a voice, a string and a bell, separate them, say how clean they are; yields lines.

    Args:
        out: a folder; what was mixed and what is heard are written beside what is separated.
    """
    known = sounds()
    truth = np.column_stack(list(known.values()))
    heard = Recordings(("heard-1", "heard-2", "heard-3"), RATE, truth @ MIXING.T)
    yield f"A voice ({speech()}), a plucked string and a bell, at three microphones"
    for names, columns in ((known, truth), (heard.names, heard.samples)):
        for name, samples in zip(names, columns.T, strict=True):
            write_wav(out / f"{name}.wav", RATE, samples)
            yield f"{out / name}.wav"
    found = unmix(heard)
    yield from written(heard, found, out)
    ratios = si_sdr(truth, found.codes)
    for row, column in zip(*linear_sum_assignment(-ratios), strict=True):
        before = si_sdr(truth[:, [row]], heard.samples).max()
        name = list(known)[row]
        yield (
            f"{name}: SI-SDR {before:.1f} dB in the best recording, {ratios[row, column]:.1f} dB "
            f"in separated-{column + 1}.wav"
        )


def si_sdr(truth: Floats, found: Floats) -> Floats:
    """Decibels of each true column in each found one (k, m): scale-invariant.

    10 log10(‖a s‖² / ‖a s - ŝ‖²) with a = ŝ·s / ‖s‖², columns centred: 10 log10(ρ² / (1 - ρ²)) for
    a correlation of ρ.

    Example:
        >>> rows = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
        >>> si_sdr(rows[:, :1], rows @ [[2.0], [0.2]]).round(1).tolist()
        [[20.0]]

    References:
        leroux2019
    """
    k = truth.shape[1]
    squared = np.corrcoef(truth, found, rowvar=False)[:k, k:] ** 2
    with np.errstate(divide="ignore"):
        return 10 * (np.log10(squared) - np.log10(np.maximum(1 - squared, 0.0)))
