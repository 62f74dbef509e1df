"""WAV files and arrays of samples."""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._core import BadInput, Floats
from .._files import write_whole

PEAK = 0.9
"""Of full scale: how loud what is written gets."""


@dataclass(frozen=True, eq=False)
class Sound:
    """Samples per second, and samples (n, channels)."""

    rate: int
    samples: Floats


def read_wav(path: Path) -> Sound:
    """A WAV file of PCM (8, 16, 24, 32 bits) or floating point.

    Args:
        path: of the file.
    """
    from scipy.io import wavfile

    content = path.read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks that are no sound
            rate, samples = wavfile.read(io.BytesIO(content))
    except (ValueError, struct.error, EOFError, UnboundLocalError, ZeroDivisionError) as error:
        reason = " ".join(str(error).split())
        raise BadInput(
            f"{path} cannot be read as a WAV file ({reason}); give PCM or floating point, as "
            f"`ffmpeg -i {path.name} out.wav` writes it"
        ) from None
    if samples.ndim == 1:
        samples = samples[:, None]
    if not len(samples):
        raise BadInput(f"{path} holds no samples; give a recording of some seconds")
    return Sound(int(rate), _scaled(samples))


def write_wav(path: Path, rate: int, samples: Floats) -> None:
    """One channel as PCM of 16 bits, brought to 0.9 of full scale.

    Args:
        path: of the file.
        rate: samples per second.
        samples: (n,), of any scale.
    """
    from scipy.io import wavfile

    loudest = float(np.abs(samples).max()) or 1.0
    whole = np.round(samples * (PEAK / loudest) * 32767).astype(np.int16)
    content = io.BytesIO()
    wavfile.write(content, rate, whole)
    write_whole(path, content.getvalue())


def _scaled(samples: np.ndarray) -> Floats:
    """Full scale is 1, whatever the format."""
    if samples.dtype == np.uint8:
        return (samples.astype(np.float64) - 128) / 128
    if samples.dtype.kind == "i":
        return samples / float(2 ** (8 * samples.dtype.itemsize - 1))
    return samples.astype(np.float64)
