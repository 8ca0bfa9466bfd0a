# SPDX-License-Identifier: Apache-2.0
"""What each observer of a session sees in a room, folded from its View frames."""
from __future__ import annotations

from typing import Any, Iterator, NamedTuple

import numpy as np

from ..errors import ContradictionError
from .relay import Relay

_FLOATS = ("x", "y", "z", "half_x", "half_y", "half_z", "radius", "axis_x", "axis_y", "axis_z")
_DTYPES = {**{name: "f4" for name in _FLOATS}, "shape": "u1", "category": "u4", "tag": "u8", "slot": "i8", "mark": "u4"}
_ABSENT = {"shape": 1, "category": 1}
_NONE = np.empty(0, "<u4")


class Seen(NamedTuple):
    """An entity as one observer knows it: its values at the enter, with the last reported position."""

    id: int
    x: float
    y: float
    z: float
    half_x: float
    half_y: float
    half_z: float
    radius: float
    axis_x: float
    axis_y: float
    axis_z: float
    shape: int
    category: int
    tag: int
    payload: bytes


class View:
    """The entities that one observer sees."""

    def __init__(self, views: "Views", observer: int):
        self._views, self.observer = views, observer

    @property
    def _rows(self) -> dict[int, int]:
        return self._views.index.get(self.observer, {})

    def has(self, id: int) -> bool:
        return id in self._rows

    __contains__ = has

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[int]:
        """The ids."""
        return iter(self._rows)

    def __getitem__(self, id: int) -> Seen:
        return self._views.seen(id, self._rows[id])

    def ids(self) -> np.ndarray:
        """The ids as uint32, in the order of `positions`."""
        return np.fromiter(self._rows, np.uint32, len(self._rows))

    def positions(self) -> np.ndarray:
        """The last reported positions as float32, one row (x, y, z) per id."""
        return self._views.positions(np.fromiter(self._rows.values(), np.int64, len(self._rows)))


class Views:
    """All views of a room, and the reverse view."""

    def __init__(self) -> None:
        self.index: dict[int, dict[int, int]] = {}  # observer -> id -> row
        self.watchers: dict[int, set[tuple[int, int]]] = {}  # entity -> (session, observer)
        self.known, self.suspended = True, False
        self._columns = {name: np.zeros(64, dtype) for name, dtype in _DTYPES.items()}
        self._payloads: dict[int, bytes] = {}  # by row
        self._free: list[int] = list(range(64))
        self._count = 0
        self._end_slots()

    def _end_slots(self) -> None:
        self._relay: Relay | None = None
        self._has_slots = False
        self._slots: dict[int, int] = {}  # id -> slot
        self._ids = np.zeros(64, np.int64)  # slot -> id; -1: none
        self._ids[:] = -1
        self._places = np.zeros((3, 64), np.float32)  # of slots
        self._updates = np.zeros(64, np.uint32)  # how often a slot's position has come
        self._viewers: dict[int, set[int]] = {}  # id -> observers

    # ---- reading ----

    def seen(self, id: int, row: int) -> Seen:
        place = self.positions(np.array([row]))[0].tolist()
        values = [self._columns[name][row].item() for name in (*_FLOATS[3:], "shape", "category", "tag")]
        return Seen._make((id, *place, *values, self._payloads.get(row, b"")))

    def positions(self, rows: np.ndarray) -> np.ndarray:
        column = self._columns
        own = np.stack([column[name][rows] for name in "xyz"], 1)
        if not self._has_slots:
            return own
        slots = column["slot"][rows]
        moved = (self._updates[slots] != column["mark"][rows])[:, None]
        return np.where(moved, self._places[:, slots].T, own)

    # ---- folding ----

    def apply(self, fields: dict[str, Any], wants_relays: bool) -> dict[str, list]:
        """Folds one frame. Returns what changed: leaves and enters as (rows of observer and id), leave reasons, and
        relays, if they are wanted. Raises ContradictionError: then the views are empty until a reset."""
        changes: dict[str, list] = {"leaves": [], "leave_reasons": [], "enters": [], "relays": []}
        try:
            if fields.get("suspended"):
                self._forget(changes)
                self.watchers, self.suspended, self.known = {}, True, False
                return changes
            if fields.get("reset"):
                self._forget(changes)
                self.suspended = False
            if fields.get("reset_watchers"):
                self.watchers = {}
            if self.suspended and ("enter_id" in fields or "leave_id" in fields):
                raise ContradictionError("views are suspended")
            self._leave(fields, changes)
            self._enter(fields, changes)
            self._move(fields, changes, wants_relays)
            self._watch(fields)
            self.known = bool(fields.get("last")) and not self.suspended
        except (KeyError, IndexError) as error:
            raise ContradictionError(f"the views do not have {error}") from error
        return changes

    def _forget(self, changes: dict[str, list]) -> None:
        for observer, rows in self.index.items():
            if rows:
                ids = np.fromiter(rows, np.uint32, len(rows))
                changes["leaves"].append(np.stack((np.full_like(ids, observer), ids), 1))
                changes["leave_reasons"].append(np.zeros(len(ids), np.uint8))
        capacity = len(self._columns["x"])
        self.index, self._payloads, self._free, self._count = {}, {}, list(range(capacity)), 0
        self._end_slots()

    def _leave(self, fields: dict[str, Any], changes: dict[str, list]) -> None:
        observers, ids = fields.get("leave_observer", _NONE), fields.get("leave_id", _NONE)
        for observer, id in zip(observers.tolist(), ids.tolist()):
            row = self.index[observer].pop(id)
            self._free.append(row)
            self._payloads.pop(row, None)
            self._count -= 1
            if self._has_slots:
                self._viewers[id].remove(observer)
                if not self._viewers[id]:
                    del self._viewers[id]
                    self._ids[self._slots.pop(id)] = -1
        if len(ids):
            changes["leaves"].append(np.stack((observers, ids), 1))
            changes["leave_reasons"].append(fields["leave_reason"])

    def _enter(self, fields: dict[str, Any], changes: dict[str, list]) -> None:
        observers, ids = fields.get("enter_observer", _NONE), fields.get("enter_id", _NONE)
        if not len(ids):
            return
        if self._count == 0:
            self._end_slots()
            self._has_slots = "enter_slot" in fields
            if "relay_k" in fields:
                self._relay = Relay(fields["relay_k"], 3 if "enter_z" in fields else 2)
        if self._has_slots != ("enter_slot" in fields):
            raise ContradictionError("slots come with all enters or with none")
        rows = self._take_rows(len(ids))
        for name, column in self._columns.items():
            if name not in ("slot", "mark"):
                column[rows] = fields.get("enter_" + name, _ABSENT.get(name, 0))
        for observer, id, row in zip(observers.tolist(), ids.tolist(), rows.tolist()):
            if self.index.setdefault(observer, {}).setdefault(id, row) != row:
                raise ContradictionError(f"{id} enters the view of {observer}, which has it")
        self._count += len(ids)
        if self._has_slots:
            self._enter_slots(observers.tolist(), ids.tolist(), rows, fields)
        if "enter_payload" in fields:
            self._set_payloads(rows, fields)
        changes["enters"].append(np.stack((observers, ids), 1))

    def _take_rows(self, count: int) -> np.ndarray:
        while len(self._free) < count:
            size = len(self._columns["x"])
            self._columns = {name: np.concatenate((column, np.zeros_like(column)))
                             for name, column in self._columns.items()}
            self._free += range(size, 2 * size)
        rows = np.array(self._free[len(self._free) - count:], np.int64)
        del self._free[len(self._free) - count:]
        return rows

    def _set_payloads(self, rows: np.ndarray, fields: dict[str, Any]) -> None:
        at = 0
        for row, size in zip(rows.tolist(), fields["enter_payload_size"].tolist()):
            if size:
                self._payloads[row] = fields["enter_payload"][at:at + size]
            at += size

    def _enter_slots(self, observers: list[int], ids: list[int], rows: np.ndarray, fields: dict[str, Any]) -> None:
        axes = [fields[name] for name in ("enter_x", "enter_y", "enter_z") if name in fields]
        for i, (observer, id, slot) in enumerate(zip(observers, ids, fields["enter_slot"].tolist())):
            if slot:
                self._reserve(slot)
                if self._ids[slot - 1] >= 0 or id in self._slots:
                    raise ContradictionError(f"slot {slot - 1} is in use, or {id} has a slot")
                self._slots[id], self._ids[slot - 1] = slot - 1, id
                if self._relay:
                    self._relay.start(slot - 1, [column[i] for column in axes])
            self._viewers.setdefault(id, set()).add(observer)
        slots = np.fromiter((self._slots[id] for id in ids), np.int64, len(ids))
        self._columns["slot"][rows] = slots
        self._columns["mark"][rows] = self._updates[slots]

    def _reserve(self, count: int) -> None:
        more = max(count, 2 * len(self._ids)) - len(self._ids)
        if count > len(self._ids):
            self._ids = np.pad(self._ids, (0, more), constant_values=-1)
            self._updates = np.pad(self._updates, (0, more))
            self._places = np.pad(self._places, ((0, 0), (0, more)))

    # ---- relays ----

    def _move(self, fields: dict[str, Any], changes: dict[str, list], wants_relays: bool) -> None:
        if "relay_id" in fields:
            self._move_entries(fields, changes, wants_relays)
        if fields.get("relay"):
            if not self._relay:
                raise ContradictionError("a blob of positions without a precision")
            slots = self._relay.read(fields["relay"])
            self._place(slots, self._relay.positions(slots), changes, wants_relays)
        if "exact_slot" in fields:
            slots = fields["exact_slot"].astype(np.int64)
            at = np.stack([fields[name] for name in ("exact_x", "exact_y", "exact_z") if name in fields])
            if self._relay:
                for i, slot in enumerate(slots.tolist()):
                    self._relay.start(slot, at[:, i])
            self._place(slots, at, changes, wants_relays)

    def _move_entries(self, fields: dict[str, Any], changes: dict[str, list], wants_relays: bool) -> None:
        observers, ids = fields["relay_observer"].tolist(), fields["relay_id"].tolist()
        rows = np.fromiter((self.index[observer][id] for observer, id in zip(observers, ids)), np.int64, len(ids))
        for name in "xyz":
            if "relay_" + name in fields:
                self._columns[name][rows] = fields["relay_" + name]
        if wants_relays:
            at = [fields.get("relay_" + name, np.zeros(len(ids), np.float32)) for name in "xyz"]
            changes["relays"].append((fields["relay_observer"], fields["relay_id"], np.stack(at, 1)))

    def _place(self, slots: np.ndarray, at: np.ndarray, changes: dict[str, list], wants_relays: bool) -> None:
        if (self._ids[slots] < 0).any():
            raise ContradictionError("a position of a slot that is not in use")
        self._places[:len(at), slots] = at
        self._updates[slots] += np.uint32(1)
        if wants_relays and len(slots):
            ids = self._ids[slots].tolist()
            viewers = [self._viewers[id] for id in ids]
            counts = [len(each) for each in viewers]
            observers = np.fromiter((observer for each in viewers for observer in each), np.uint32, sum(counts))
            places = self._places[:, np.repeat(slots, counts)].T
            changes["relays"].append((observers, np.repeat(np.array(ids, np.uint32), counts), places))

    # ---- the reverse view ----

    def _watch(self, fields: dict[str, Any]) -> None:
        for name, action in (("leave", set.remove), ("enter", set.add)):
            prefix = f"watcher_{name}_"
            if prefix + "entity" in fields:
                columns = [fields[prefix + column].tolist() for column in ("entity", "session", "observer")]
                for entity, session, observer in zip(*columns):
                    action(self.watchers.setdefault(entity, set()), (session, observer))
