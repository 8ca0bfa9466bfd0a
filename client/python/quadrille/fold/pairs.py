# SPDX-License-Identifier: Apache-2.0
"""The set of pairs of a room, folded from its Tick frames."""
from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from ..errors import ContradictionError

_EMPTY = np.empty(0, "<u4")


def _keys(fields: dict[str, Any], name: str) -> list[int]:
    a, b = fields.get(name + "_a", _EMPTY), fields.get(name + "_b", _EMPTY)
    return (a.astype(np.uint64) << np.uint64(32) | b).tolist()


def rows(keys: set[int]) -> np.ndarray:
    """Rows (a, b) of keys."""
    both = np.fromiter(keys, np.uint64, len(keys))
    return np.stack((both >> np.uint64(32), both & np.uint64(0xFFFFFFFF)), 1).astype(np.uint32)


class Pairs:
    """The pairs that touch at the last tick; while a reset is on its way, those before it."""

    def __init__(self) -> None:
        self._keys: set[int] = set()
        self._next: set[int] | None = None  # what a reset has brought so far
        self.known = False  #: whether it is the set of a whole tick

    def has(self, a: int, b: int) -> bool:
        """Whether a and b touch, in any order."""
        return (min(a, b) << 32 | max(a, b)) in self._keys

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return self.has(*pair)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((key >> 32, key & 0xFFFFFFFF) for key in self._keys)

    def to_array(self) -> np.ndarray:
        """All pairs as rows (a, b) of uint32, in no particular order."""
        return rows(self._keys)

    # ---- for Room ----

    @property
    def in_reset(self) -> bool:
        return self._next is not None

    def apply(self, fields: dict[str, Any]) -> tuple[set[int], set[int]] | None:
        """Folds one frame that is no suspension. At the end of a reset, returns the keys that ended and began by it.
        Raises ContradictionError: then the set is unknown until a reset."""
        if fields.get("reset"):
            self._next = set()
        elif self._next is None and not self.known and "begin_a" not in fields and "end_a" not in fields:
            return None
        keys = self._next if self._next is not None else self._keys
        ends, begins = _keys(fields, "end"), _keys(fields, "begin")
        size = len(keys) - len(ends)
        keys.difference_update(ends)
        fits = len(keys) == size
        keys.update(begins)
        if not fits or len(keys) != size + len(begins):
            self.suspend()
            raise ContradictionError("a pair ends that is not in the set, or begins that is")
        self.known = bool(fields.get("last"))
        if self._next is None or not self.known:
            return None
        before, self._keys, self._next = self._keys, self._next, None
        return before - self._keys, self._keys - before

    def suspend(self) -> None:
        """Nothing is known until a reset."""
        self._next, self.known = set(), False
