# SPDX-License-Identifier: Apache-2.0
"""What has changed in a room, as columns."""
from __future__ import annotations

import numpy as np

_REASON = np.uint8


class Tick:
    """The changes up to a tick. Pairs are rows (a, b), entries of views rows (observer, id); all are uint32."""

    def __init__(self, number: int = 0):
        self.number = number  #: the tick
        self.reset = False  #: the set of pairs was replaced: ends and begins are the difference, ends with reason 0
        self.late: list[int] = []  #: in lockstep: the sessions that did not step in time
        self._chunks: dict[str, list] = {}

    def add(self, name: str, chunk) -> None:
        if len(chunk):
            self._chunks.setdefault(name, []).append(chunk)

    def _rows(self, name: str) -> np.ndarray:
        chunks = self._chunks.get(name)
        if not chunks:
            return np.empty((0, 2), np.uint32)
        return chunks[0] if len(chunks) == 1 else np.concatenate(chunks)

    def _reasons(self, name: str) -> np.ndarray:
        return np.concatenate(self._chunks.get(name) or [np.empty(0, _REASON)])

    @property
    def begins(self) -> np.ndarray:
        return self._rows("begins")

    @property
    def ends(self) -> np.ndarray:
        return self._rows("ends")

    @property
    def end_reasons(self) -> np.ndarray:
        """An EndReason per end, or 0."""
        return self._reasons("end_reasons")

    @property
    def passed(self) -> np.ndarray:
        return self._rows("passed")

    @property
    def stays(self) -> np.ndarray:
        return self._rows("stays")

    @property
    def enters(self) -> np.ndarray:
        return self._rows("enters")

    @property
    def leaves(self) -> np.ndarray:
        return self._rows("leaves")

    @property
    def leave_reasons(self) -> np.ndarray:
        """A LeaveReason per leave, or 0 by a reset."""
        return self._reasons("leave_reasons")

    @property
    def relays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions of entities in views: columns of observers and ids, and rows (x, y, z) of float32. They are
        collected if the room has a handler of "relay" or "tick", or an iterator of ticks."""
        chunks = self._chunks.get("relays")
        if not chunks:
            return np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty((0, 3), np.float32)
        observers, ids, places = (np.concatenate(column) for column in zip(*chunks))
        return observers, ids, places

    def merge(self, other: "Tick") -> None:
        """Appends later changes."""
        self.number, self.reset = other.number, self.reset or other.reset
        for name, chunks in other._chunks.items():
            self._chunks.setdefault(name, []).extend(chunks)

    def __bool__(self) -> bool:
        """Whether anything has changed."""
        return bool(self._chunks) or self.reset

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}={sum(map(len, chunks))}" for name, chunks in self._chunks.items()
                           if not name.endswith("reasons") and name != "relays")
        return f"Tick({self.number}{', reset' if self.reset else ''}{', ' + counts if counts else ''})"
