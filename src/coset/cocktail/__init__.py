"""Sounds recorded together, apart again: linear ICA of WAV files."""

from ._demo import demo, si_sdr
from ._separate import separate

__all__ = ["demo", "separate", "si_sdr"]
