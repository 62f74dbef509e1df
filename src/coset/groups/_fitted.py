"""A fitted map with what is known of it: callable, invertible where it can be, saved, loaded."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import BadInput, Floats, Map
from .._files import write_whole
from ._affine_map import AffineMap
from ._componentwise import ComponentwiseMap
from ._nonlinear import KernelMap

FORMAT = "coset-map"
SCHEMA = 1


@dataclass(frozen=True, eq=False)
class FittedMap:
    """A map from a to b: `m(a)` applies it, `m.inverse(b)` undoes it, `m.save(path)` keeps it.

    Example:
        >>> turn = FittedMap(AffineMap("orthogonal", np.eye(2)[::-1], np.zeros(2)))
        >>> turn([[1.0, 2.0]]).tolist(), turn.group
        ([[2.0, 1.0]], 'orthogonal')
    """

    map: Map
    about: dict[str, Any] = field(default_factory=dict)
    """Scores, names, sizes and versions, as they were when the map was fitted."""

    @property
    def group(self) -> str:
        """The group that the map belongs to."""
        return self.map.group

    def __call__(self, a: Any) -> Floats:
        """Carry rows of a over to b."""
        return self.map(a)

    def inverse(self, b: Any) -> Floats:
        """Carry rows of b back to a; refused with the reason where there is no inverse."""
        return self.map.inverse(b)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a safetensors file that any reader of the format opens; atomic."""
        from safetensors.numpy import save

        target = Path(path)
        if target.suffix != ".safetensors":
            raise BadInput(f"{target} does not end in .safetensors; a map is saved in that format")
        tensors = {k: np.ascontiguousarray(v) for k, v in self.map.tensors().items()}
        metadata = {
            "format": FORMAT,
            "schema": str(SCHEMA),
            "group": self.group,
            "about": json.dumps(self.about, sort_keys=True),
        }
        write_whole(target, save(tensors, metadata))


def load_map(path: str | os.PathLike[str]) -> FittedMap:
    """A map that `save` wrote."""
    from safetensors import SafetensorError, safe_open

    source = Path(path)
    if not source.is_file():
        raise BadInput(f"{source} is not a file; a map written by coset align or --map is needed")
    try:
        with safe_open(source, framework="np") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise BadInput(f"{source} is not a readable safetensors file: {error}") from error
    if metadata.get("format") != FORMAT:
        raise BadInput(
            f"{source} is a safetensors file but not a map: its metadata lack format={FORMAT!r}; "
            f"write one with coset compare --map FILE or coset.align(...).save(FILE)"
        )
    if int(metadata.get("schema", 0)) > SCHEMA:
        raise BadInput(f"{source} was written by a newer coset; upgrade: pip install -U coset")
    try:
        return FittedMap(_rebuild(metadata["group"], tensors), json.loads(metadata["about"]))
    except (KeyError, ValueError) as error:
        raise BadInput(f"{source} is a damaged map: {error} is missing or malformed") from error


def _rebuild(group: str, tensors: dict[str, NDArray]) -> Map:
    if "columns" in tensors:
        return ComponentwiseMap(
            group,
            tensors["columns"],
            tensors["places"],
            tensors["values"],
            int(tensors["width"][0]),
        )
    if "centres" in tensors:
        return KernelMap(
            group, tensors["matrix"], tensors["offset"], tensors["centres"], tensors["scale"],
            tensors["weights"], float(tensors["decay"][0]),
        )  # fmt: skip
    return AffineMap(group, tensors["matrix"], tensors["offset"])
