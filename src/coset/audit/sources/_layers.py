"""Which array of several: by name, by the number of a layer, or the only one there is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ._words import bad, listed, near

Shapes = Mapping[str, tuple[int, ...]]


class Part(NamedTuple):
    """An array of a container and, where it is a stack, the layer of it."""

    array: str
    layer: int | None = None


def pick(shapes: Shapes, key: str | None, name: str) -> Part:
    """The array that `key` names: `NAME`, `NAME/NUMBER` in a stack, `NUMBER` in the only stack."""
    if key is None:
        return Part(_only(shapes, name))
    if key in shapes:
        return Part(key)
    array, _, number = key.rpartition("/")
    stacks = [stack for stack, shape in shapes.items() if len(shape) == 3]
    if not array and len(stacks) == 1:
        array = stacks[0]
    if array in stacks and number.isdecimal() and int(number) < shapes[array][0]:
        return Part(array, int(number))
    if list(shapes) == [""]:
        what = f"{shapes[''][0]} layers, from 0" if stacks else "one array without a name"
        raise bad(f"{name} has no part {key!r}: it holds {what}; leave the key out or correct it")
    raise bad(f"{name} has no array {key!r}{near(key, shapes)}; it has {listed(shapes)}")


def stack_parts(shapes: Shapes) -> dict[str, str] | None:
    """Name of the layer → key that opens it, when these arrays are a stack of layers."""
    matrices = {name: shape for name, shape in shapes.items() if len(shape) == 2}
    if len(matrices) > 1 and len({shape[0] for shape in matrices.values()}) == 1:
        return {name: name for name in natural(matrices)}
    stacks = {name: shape for name, shape in shapes.items() if len(shape) == 3}
    if len(stacks) == 1 and not matrices:
        ((array, shape),) = stacks.items()
        prefix = f"{array}/" if array else ""
        return {str(layer): f"{prefix}{layer}" for layer in range(shape[0])}
    return None


def natural(names: Iterable[str]) -> list[str]:
    """Names in the order a person counts.

    Example:
        >>> natural(["part-10", "part-2"])
        ['part-2', 'part-10']
    """
    return sorted(names, key=lambda name: (_counted(name), name))


def _counted(name: str) -> list[tuple[str, int]]:
    return [(text, int(number or 0)) for text, number in re.findall(r"(\D*)(\d*)", name)]


def _only(shapes: Shapes, name: str) -> str:
    for axes in (2, 1, 3):
        found = [array for array, shape in shapes.items() if len(shape) == axes]
        if len(found) == 1:
            return found[0]
        if found:
            raise bad(
                f"{name} holds {len(found)} arrays: {listed(natural(found))}; one is needed: "
                f"choose it with PATH#NAME (or the key option)"
            )
    if len(shapes) == 1:
        return next(iter(shapes))
    raise bad(f"{name} holds no array of rows: it has {listed(shapes) or 'nothing'}")
