"""A voice, a plucked string and a bell, made on the spot."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .._core import BadInput, Floats
from ._wav import read_wav

RATE = 22_050
"""Samples per second: what espeak-ng writes."""
SECONDS = 5
SENTENCE = "Which of us is speaking? Every sound in this room reaches every microphone."
VOWELS = {
    "a": (730, 1090, 2440), "e": (530, 1840, 2480), "i": (270, 2290, 3010),
    "o": (570, 840, 2410), "u": (300, 870, 2240),
}  # fmt: skip
"""Resonances of the vocal tract in Hz."""
WIDTH = 90.0
"""Of a resonance, in Hz."""


def sounds(seed: int = 0) -> dict[str, Floats]:
    """Three sounds of mean zero and unit variance, by name; speech is espeak-ng's, where it is.

    Example:
        >>> {name: len(samples) for name, samples in sounds().items() if name != "voice"}
        {'string': 110250, 'bell': 110250}
    """
    rng = np.random.default_rng(seed)
    made = {"voice": _spoken(), "string": _string(rng), "bell": _bell()}
    if made["voice"] is None:
        made["voice"] = _vowels(rng)
    return {name: _standard(samples) for name, samples in made.items() if samples is not None}


def speech() -> str:
    """Who speaks in `sounds`."""
    return "resonances of vowels" if _spoken() is None else "espeak-ng"


def _spoken() -> Floats | None:
    program = shutil.which("espeak-ng")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "voice.wav"
        done = subprocess.run(
            [program, "-s", "150", "-w", str(path), SENTENCE], capture_output=True, check=False
        )
        if done.returncode or not path.is_file():
            return None
        try:
            sound = read_wav(path)
        except BadInput:
            return None
    if sound.rate != RATE:
        return None
    return np.resize(sound.samples[:, 0], RATE * SECONDS)


def _vowels(rng: np.random.Generator) -> Floats:
    """Syllables: a train of pulses, whose pitch wanders, through the resonances of a vowel."""
    from scipy.signal import lfilter

    parts: list[Floats] = []
    length = RATE // 4
    while len(parts) * length < RATE * SECONDS:
        pitch = rng.uniform(95, 150) * np.linspace(1.0, rng.uniform(0.85, 1.15), length)
        phase = np.cumsum(pitch / RATE)
        pulses = np.diff(np.floor(phase), prepend=0.0) + 0.01 * rng.normal(size=length)
        for resonance in VOWELS[rng.choice(list(VOWELS))]:
            radius = np.exp(-np.pi * WIDTH / RATE)
            turn = 2 * radius * np.cos(2 * np.pi * resonance / RATE)
            pulses = lfilter([1.0], [1.0, -turn, radius**2], pulses)
        parts.append(pulses * np.hanning(length) * (rng.random() > 0.15))
    return np.concatenate(parts)[: RATE * SECONDS]


def _string(rng: np.random.Generator) -> Floats:
    """Karplus and Strong: a burst of noise runs around a delay line that smooths it."""
    from scipy.signal import lfilter

    samples = np.zeros(RATE * SECONDS)
    step = int(0.31 * RATE)
    tune = (0, 4, 7, 12, 7, 4, 9, 5)
    for number, start in enumerate(range(0, len(samples), step)):
        delay = round(RATE / (196 * 2 ** (tune[number % len(tune)] / 12)))
        burst = np.zeros(len(samples) - start)
        burst[:delay] = rng.uniform(-1, 1, min(delay, len(burst)))
        loop = np.zeros(delay + 2)
        loop[0], loop[-2:] = 1.0, -0.497
        samples[start:] += lfilter([1.0], loop, burst)
    return samples


def _bell() -> Floats:
    """Partials that are no multiples of one another, dying away at their own speeds."""
    samples = np.zeros(RATE * SECONDS)
    for start in np.arange(0.2, SECONDS, 1.3):
        time = np.arange(len(samples) - int(start * RATE)) / RATE
        for partial, size in zip((0.56, 0.92, 1.19, 1.7, 2.0, 2.74), (1, 0.7, 1, 0.6, 0.5, 0.3)):
            tone = np.sin(2 * np.pi * 523 * partial * time)
            samples[int(start * RATE) :] += size * tone * np.exp(-time * partial * 1.5)
    return samples


def _standard(samples: Floats) -> Floats:
    centred = samples - samples.mean()
    return centred / centred.std()
