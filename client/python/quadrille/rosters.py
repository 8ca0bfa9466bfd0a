# SPDX-License-Identifier: Apache-2.0
"""Which moves name the same ids again: those send positions alone, through a roster."""
from __future__ import annotations

import numpy as np

ROSTERS_MAX = 16
IDS_MIN = 4  # below that a roster saves next to nothing


class Rosters:
    """The rosters of one room in one session of the server. The least recently used one makes place."""

    def __init__(self) -> None:
        self._rosters: dict[int, np.ndarray] = {}  # number -> ids, the most recently used last
        self._before: np.ndarray | None = None  # ids of the last move without a roster

    def find(self, ids: np.ndarray, ids_max: int) -> tuple[int | None, bool, list[int]]:
        """(the roster of these ids, whether to register it first, rosters to drop before). None: move by ids."""
        for number, known in reversed(self._rosters.items()):
            if len(known) == len(ids) and known[0] == ids[0] and np.array_equal(known, ids):
                self._rosters[number] = self._rosters.pop(number)
                return number, False, []
        again = self._before is not None and np.array_equal(self._before, ids)
        if len(ids) < IDS_MIN or len(ids) > ids_max or not again:
            self._before = ids.copy()
            return None, False, []
        self._before, dropped = None, []
        while len(self._rosters) == ROSTERS_MAX or sum(map(len, self._rosters.values())) + len(ids) > ids_max:
            dropped.append(next(iter(self._rosters)))
            del self._rosters[dropped[-1]]
        number = next(each for each in range(ROSTERS_MAX) if each not in self._rosters)
        self._rosters[number] = ids.copy()
        return number, True, dropped

    def ids(self, number: int) -> np.ndarray:
        """The ids of a roster. Do not change them."""
        return self._rosters[number]

    def forget(self) -> None:
        self._rosters, self._before = {}, None
