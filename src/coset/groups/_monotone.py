"""Monotone cubics through many curves at once, where SciPy's goes through one grid at a time."""

from __future__ import annotations

import numpy as np

from .._core import Floats


def monotone_cubics(x: Floats, y: Floats, numbers: Floats) -> Floats:
    """Values (k, m) of the cubics through the points of each row, without new extremes.

    Args:
        x: (k, r), strictly increasing along each row, r at least 2.
        y: (k, r).
        numbers: (m,) in [0, r - 1]: 1.25 is a quarter of the way from point 1 to point 2.

    References:
        fritsch1980, fritsch1984
    """
    left = np.minimum(numbers.astype(np.intp), x.shape[1] - 2)
    u = numbers - left
    width = np.diff(x)
    slope = _slopes(width, np.diff(y) / width)
    start, end = y[:, left], y[:, left + 1]
    out, into = (slope[:, place] * width[:, left] for place in (left, left + 1))
    bend = u * (1 - u)
    return start + u**2 * (3 - 2 * u) * (end - start) + bend * ((1 - u) * out - u * into)


def _slopes(width: Floats, chord: Floats) -> Floats:
    """Slope at each point: the weighted harmonic mean of the chords beside it, 0 at a turn."""
    if width.shape[1] == 1:
        return np.repeat(chord, 2, axis=1)
    before, after = width[:, :-1], width[:, 1:]
    weights = 2 * after + before, after + 2 * before
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (weights[0] + weights[1]) / (weights[0] / chord[:, :-1] + weights[1] / chord[:, 1:])
    inner = np.where(chord[:, :-1] * chord[:, 1:] > 0, mean, 0.0)
    first = _end_slope(width[:, 0], width[:, 1], chord[:, 0], chord[:, 1])
    last = _end_slope(width[:, -1], width[:, -2], chord[:, -1], chord[:, -2])
    return np.column_stack([first, inner, last])


def _end_slope(width: Floats, next_width: Floats, chord: Floats, next_chord: Floats) -> Floats:
    """Of the parabola through the last three points, held back so that no new extreme appears."""
    slope = ((2 * width + next_width) * chord - width * next_chord) / (width + next_width)
    slope = np.where(slope * chord > 0, slope, 0.0)
    turns = (chord * next_chord <= 0) & (np.abs(slope) > 3 * np.abs(chord))
    return np.where(turns, 3 * chord, slope)
