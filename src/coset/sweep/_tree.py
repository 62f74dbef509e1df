"""One fixed order of merging, so that who finishes first changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

State = TypeVar("State")


class Tree(Generic[State]):
    """Merges states along a binary tree whose shape depends on the number of leaves only.

    Node `(level, i)` joins `(level - 1, 2 i)` and `(level - 1, 2 i + 1)`; a last node without a
    sibling moves up as it is. A state is merged as soon as its sibling is there, by whoever brings
    the second one, so leaves that arrive nearly in order leave about `log2(leaves)` states waiting.
    Safe to use from several threads.

    Args:
        leaves: how many states will come.
        merge: joins two neighbours, the earlier one first.

    Example:
        >>> tree = Tree(5, lambda left, right: f"({left}{right})")
        >>> for index in (3, 0, 4, 1, 2):
        ...     tree.add(index, "abcde"[index])
        >>> tree.root
        '(((ab)(cd))e)'
    """

    def __init__(self, leaves: int, merge: Callable[[State, State], State]) -> None:
        self._leaves = leaves
        self._merge = merge
        self._lock = Lock()
        self._waiting: dict[tuple[int, int], State] = {}

    def add(self, index: int, state: State) -> None:
        """Bring the state of one leaf, and climb while siblings are there."""
        level, width = 0, self._leaves
        while width > 1:
            sibling = index ^ 1
            if sibling < width:
                with self._lock:
                    if (level, sibling) not in self._waiting:
                        self._waiting[level, index] = state
                        return
                    other = self._waiting.pop((level, sibling))
                pair = (state, other) if index < sibling else (other, state)
                state = self._merge(*pair)
                del other, pair
            level, index, width = level + 1, index // 2, (width + 1) // 2
        self._waiting[level, 0] = state

    @property
    def waiting(self) -> int:
        """How many states are held at this moment."""
        return len(self._waiting)

    @property
    def root(self) -> State:
        """The merged state of all leaves."""
        (state,) = self._waiting.values()
        return state
