"""Recordings of the same moments in, sounds out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._arrays import refuse_nonfinite
from .._core import BadInput, Floats
from .._files import write_whole
from ..solvers import Unmixed, quasi_newton
from ._wav import read_wav, write_wav

DEPENDENT = 1e-10
"""Share of the largest eigenvalue of their correlations below which recordings say the same."""


@dataclass(frozen=True, eq=False)
class Recordings:
    """What was heard at the same time in several places."""

    names: tuple[str, ...]
    """Of the columns."""
    rate: int
    samples: Floats
    """(n, recordings)."""


def separate(files: Sequence[Path], out: Path, *, voices: int | None = None) -> Iterator[str]:
    """Write each sound as a file of its own, and the matrix as JSON; yields a line for each file.

    Recordings must hear every sound at the same moment: microphones close to each other, or a
    mixing desk. Echoes and delays are no linear map of single samples.

    Args:
        files: several mono files, or files of several channels.
        out: a folder.
        voices: how many sounds; as many as recordings by default.
    """
    heard = recordings(files)
    return written(heard, unmix(heard, voices), out)


def recordings(files: Sequence[Path]) -> Recordings:
    """Every channel of every file; refused where they do not fit together."""
    sounds = [(path, read_wav(path)) for path in files]
    first, leading = sounds[0]
    for path, sound in sounds[1:]:
        if sound.rate != leading.rate:
            raise BadInput(
                f"{first} has {leading.rate} samples per second and {path} has {sound.rate}; "
                f"convert them to one rate first"
            )
        if len(sound.samples) != len(leading.samples):
            raise BadInput(
                f"{first} has {len(leading.samples)} samples and {path} has {len(sound.samples)}; "
                f"recordings of the same moments are needed: cut them to one length"
            )
    names = tuple(
        path.name if sound.samples.shape[1] == 1 else f"{path.name}, channel {channel + 1}"
        for path, sound in sounds
        for channel in range(sound.samples.shape[1])
    )
    samples = np.concatenate([sound.samples for _, sound in sounds], axis=1)
    refuse_nonfinite(samples, " + ".join(map(str, files)))
    for name, column in zip(names, samples.T, strict=True):
        if not np.ptp(column):
            raise BadInput(f"{name} is silent; leave it out, it says nothing about the others")
    if len(names) < 2:
        raise BadInput(
            f"1 recording given ({names[0]}); at least 2 of the same moments are needed: several "
            f"mono files, or one file of several channels"
        )
    return Recordings(names, leading.rate, samples)


def unmix(heard: Recordings, voices: int | None = None) -> Unmixed:
    """The independent sounds of recordings."""
    count = heard.samples.shape[1]
    if voices is not None and voices > count:
        raise BadInput(
            f"{voices} voices in {count} recordings; at least as many recordings as voices are "
            f"needed: give {voices - count} more, or --voices {count}"
        )
    sizes = np.linalg.eigvalsh(np.corrcoef(heard.samples, rowvar=False))
    known = int((sizes > DEPENDENT * sizes[-1]).sum())
    if (voices or count) > known:
        raise BadInput(
            f"of {count} recordings {count - known} follow from the others, so that they tell "
            f"apart {known} at most; give other recordings, or --voices {known}"
        )
    return quasi_newton(heard.samples, voices)


def written(heard: Recordings, found: Unmixed, out: Path) -> Iterator[str]:
    """The files, and a line for each."""
    seconds = len(heard.samples) / heard.rate
    outputs = [f"separated-{number}.wav" for number in range(1, len(found.unmixing) + 1)]
    for name, codes in zip(outputs, found.codes.T, strict=True):
        write_wav(out / name, heard.rate, codes)
        yield f"{out / name}: {seconds:.1f} s at {heard.rate:,} Hz"
    matrix = {
        "schema": 1,
        "says": "separated = unmixing @ (recordings - mean), samples from -1 to 1",
        "recordings": heard.names,
        "separated": outputs,
        "rate": heard.rate,
        "unmixing": found.unmixing.tolist(),
        "mean": found.mean.tolist(),
        "converged": found.converged,
        "gradient_norm": found.gradient_norms[-1],
    }
    path = out / "unmixing.json"
    write_whole(path, (json.dumps(matrix, indent=1) + "\n").encode())
    yield f"{path}: {found.unmixing.shape[0]} × {found.unmixing.shape[1]}"
    if not found.converged:
        yield f"The search ended at a gradient of {found.gradient_norms[-1]:.0e}: listen with care"
