# SPDX-License-Identifier: Apache-2.0
"""What a session restores in a new session of the server: entities, descriptions, observers, options, subscription."""
from __future__ import annotations

from typing import Any, Iterable

import numpy as np

PLACE = ("x", "y", "z")
SIZES = ("half_x", "half_y", "half_z", "radius", "axis_x", "axis_y", "axis_z")
SHAPE = SIZES + ("shape", "category", "mask")
DESCRIPTION = ("tag", "team", "visible_range", "hidden")
_DTYPES = {"id": "u4", **{name: "f4" for name in PLACE + SIZES}, "shape": "u1", "category": "u4", "mask": "u4",
           "tag": "u8", "team": "u4", "visible_range": "f4", "hidden": "u1"}
_FLAGS = ("there", "room_owned", "foreign", "moved", "described", "missing")
_ABSENT = {"shape": 1, "category": 1, "mask": 0xFFFFFFFF}
_Z = {"z", "half_z", "axis_z", "direction_z"}
_OBSERVER_ABSENT = {"region": 1, "mask": 0xFFFFFFFF}
BOX, CAPSULE, CONE = 1, 3, 3


class Kept:
    """The state of one room. Entities are columns; a dict finds the row of an id."""

    def __init__(self) -> None:
        self.rows: dict[int, int] = {}
        self.version = 0  # rises when a row gets another entity
        self.columns = {name: np.zeros(64, dtype) for name, dtype in _DTYPES.items()}
        self.flags = {name: np.zeros(64, bool) for name in _FLAGS}
        self.payloads: dict[int, bytes] = {}  # by id
        self.observers: dict[int, dict[str, Any]] = {}
        self.view_options: dict[str, Any] | None = None
        self.subscription: dict[str, Any] | None = None

    # ---- entities ----

    def add(self, ids: list[int]) -> np.ndarray:
        """The rows of ids that are not kept yet. They are foreign: their shapes are not known."""
        count = len(self.rows)
        while count + len(ids) > len(self.flags["there"]):
            self.columns = {name: np.concatenate((each, np.zeros_like(each))) for name, each in self.columns.items()}
            self.flags = {name: np.concatenate((each, np.zeros_like(each))) for name, each in self.flags.items()}
        # Rows are dense: the free ones are behind all others.
        rows = np.arange(count, count + len(ids))
        self.rows.update(zip(ids, rows.tolist()))
        for name, column in self.columns.items():
            column[rows] = ids if name == "id" else _ABSENT.get(name, 0)
        for name, flag in self.flags.items():
            flag[rows] = name in ("there", "foreign")
        self.version += 1
        return rows

    def remove(self, ids: list[int]) -> None:
        gone = {id: self.rows.pop(id) for id in ids if id in self.rows}
        if not gone:
            return
        before, count = len(self.rows) + len(gone), len(self.rows)
        # The last rows take the places of those that are free.
        free = np.array([row for row in gone.values() if row < count], np.int64)
        last = np.setdiff1d(np.arange(count, before), np.fromiter(gone.values(), np.int64, len(gone)))
        for column in (*self.columns.values(), *self.flags.values()):
            column[free] = column[last]
        self.rows.update(zip(self.columns["id"][free].tolist(), free.tolist()))
        self.flags["there"][count:before] = False
        for id in gone:
            self.payloads.pop(id, None)
        self.version += 1
        for observer in [key for key, is_at in self.observers.items() if is_at["anchored"] and is_at["entity"] in gone]:
            del self.observers[observer]

    def rows_of(self, ids: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
        """(positions in `ids`, rows) of those that are kept."""
        found = [self.rows.get(id, -1) for id in ids]
        rows = np.array(found, np.int64)
        places = np.flatnonzero(rows >= 0)
        return places, rows[places]

    # ---- requests that the server has carried out ----

    def apply(self, kind: str, fields: dict[str, Any], refused: set[int], number: int) -> None:
        """`refused`: entries that do not count. `number`: that of the server's session."""
        action = getattr(self, "_" + kind, None)
        if action:
            action(fields, refused, number)

    def _counts(self, fields: dict[str, Any], refused: set[int]) -> tuple[np.ndarray, np.ndarray]:
        places, rows = self.rows_of(fields["id"].tolist())
        if refused:
            # An entity that is missing now gets what was refused for it, when it is spawned again.
            keep = np.array([place not in refused or bool(self.flags["missing"][row])
                             for place, row in zip(places.tolist(), rows.tolist())], bool)
            places, rows = places[keep], rows[keep]
        return places, rows

    def _set(self, names: Iterable[str], fields: dict[str, Any], places: np.ndarray, rows: np.ndarray) -> None:
        for name in names:
            column = fields.get(name)
            if column is not None:
                self.columns[name][rows] = column[places]

    def _spawn(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        ids = fields["id"].tolist()
        first = {id: i for i, id in reversed(list(enumerate(ids))) if i not in refused and id not in self.rows}
        new = sorted(first.values())
        places, rows = np.array(new, np.int64), self.add([ids[i] for i in new])
        self._set(PLACE + SHAPE, fields, places, rows)
        self.flags["foreign"][rows] = False
        self.flags["room_owned"][rows] = bool(fields.get("room_owned"))

    def miss(self, fields: dict[str, Any], i: int) -> None:
        """The server could not spawn that entry yet."""
        if int(fields["id"][i]) not in self.rows:
            self._spawn({name: column[i:i + 1] if isinstance(column, np.ndarray) else column
                         for name, column in fields.items()}, set(), 0)
        self.flags["missing"][self.rows[int(fields["id"][i])]] = True

    def move_rows(self, fields: dict[str, Any], places: np.ndarray | slice, rows: np.ndarray) -> None:
        for name in PLACE:
            if fields.get(name) is not None:
                self.columns[name][rows] = fields[name][places]
        self.flags["moved"][rows] = True

    def _move(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        self.move_rows(fields, *self._counts(fields, refused))

    _teleport = _move

    def _reshape(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        places, rows = self._counts(fields, refused)
        self._set(SHAPE, fields, places, rows)
        shape = self.columns["shape"][rows]
        for name in SIZES:
            lacks = shape == BOX if name == "radius" else shape != BOX if name.startswith("half") else shape != CAPSULE
            self.columns[name][rows[lacks]] = 0

    def _despawn(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        places, _ = self._counts(fields, refused)
        self.remove(fields["id"][places].tolist())

    def _set_description(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        places, rows = self._counts(fields, refused)
        self._set(DESCRIPTION, fields, places, rows)
        self.flags["described"][rows] = True
        sizes = fields.get("payload_size")
        if sizes is not None:
            ends = np.cumsum(sizes.astype(np.int64))
            for i in places.tolist():
                end = int(ends[i])
                payload = bytes((fields.get("payload") or b"")[end - int(sizes[i]):end])
                self.payloads[int(fields["id"][i])] = payload

    def _hand_over(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        places, rows = self._counts(fields, refused)
        if fields.get("room_owned") or fields.get("session") == number:
            self.flags["room_owned"][rows] = bool(fields.get("room_owned"))
            return
        self.remove(fields["id"][places].tolist())

    # ---- views ----

    def _observe(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        tiers = {name: fields[name] for name in ("relay_range", "relay_every") if fields.get(name) is not None}
        for i, id in enumerate(fields["id"].tolist()):
            if i in refused and not self._waits_for_anchor(fields, i):
                continue
            old = self.observers.get(id, {"lists": None})
            kept = {"anchored": int(fields.get("entity") is not None), "entity": 0, "lists": old["lists"], **tiers}
            kept.update({name: column[i] for name, column in fields.items()
                         if isinstance(column, np.ndarray) and name not in tiers and name != "id"})
            self.observers[id] = kept

    def _waits_for_anchor(self, fields: dict[str, Any], i: int) -> bool:
        entity = fields.get("entity")
        row = self.rows.get(int(entity[i])) if entity is not None else None
        return row is not None and bool(self.flags["missing"][row])

    def _move_observers(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        for i, id in enumerate(fields["id"].tolist()):
            if i not in refused and id in self.observers:
                self.observers[id].update({name: column[i] for name, column in fields.items()
                                           if isinstance(column, np.ndarray) and name != "id"})

    def _unobserve(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        for i, id in enumerate(fields["id"].tolist()):
            if i not in refused:
                self.observers.pop(id, None)

    def _set_exceptions(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        if fields["observer"] in self.observers:
            self.observers[fields["observer"]]["lists"] = fields

    def _set_view_options(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        self.view_options = fields

    def _subscribe(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        self.subscription = fields

    def _unsubscribe(self, fields: dict[str, Any], refused: set[int], number: int) -> None:
        self.subscription = None

    # ---- restoring ----

    def _batch(self, chosen: np.ndarray, names: Iterable[str], has_z: bool) -> dict[str, Any]:
        rows = np.flatnonzero(chosen)
        return {name: self.columns[name][rows] for name in ("id", *names) if has_z or name not in _Z}

    def requests(self, present: set[int], fresh: bool, has_z: bool) -> Iterable[tuple[str, dict[str, Any]]]:
        """The requests that bring a room to this state. `present`: the ids of own entities that are there. `fresh`: it
        is a new room, without entities of the room itself."""
        flags, count = self.flags, len(self.flags["there"])
        is_there = np.zeros(count, bool)
        is_there[[self.rows[id] for id in present if id in self.rows]] = True
        own = flags["there"] & ~flags["foreign"] & ~flags["room_owned"]
        yield "spawn", self._batch(own & ~is_there, PLACE + SHAPE, has_z)
        if fresh:
            of_room = self._batch(flags["there"] & flags["room_owned"] & ~flags["foreign"], PLACE + SHAPE, has_z)
            yield "spawn", {**of_room, "room_owned": True}
        if present:
            yield "teleport", self._batch(is_there & (own | flags["moved"]), PLACE, has_z)
            yield "reshape", self._batch(own & is_there, SHAPE, has_z)
            gone = [id for id in present if id not in self.rows]
            yield "despawn", {"id": np.array(gone, "<u4")}
        yield from self._descriptions(flags["there"] & flags["described"] & (own | fresh))
        yield from self._observers(self.observers, has_z)
        if self.view_options is not None:
            yield "set_view_options", self.view_options
        if self.subscription is not None:
            yield "subscribe", self.subscription

    def missing_requests(self, has_z: bool) -> Iterable[tuple[str, dict[str, Any]]]:
        """The same for entities that could not be spawned, and observers at them."""
        missing = self.flags["there"] & self.flags["missing"]
        ids = set(self.columns["id"][missing].tolist())
        yield "spawn", self._batch(missing, PLACE + SHAPE, has_z)
        yield from self._descriptions(missing & self.flags["described"])
        anchored = {id: is_at for id, is_at in self.observers.items() if is_at["anchored"] and is_at["entity"] in ids}
        yield from self._observers(anchored, has_z)

    def _descriptions(self, chosen: np.ndarray) -> Iterable[tuple[str, dict[str, Any]]]:
        fields = self._batch(chosen, DESCRIPTION, True)
        payloads = [self.payloads.get(id, b"") for id in fields["id"].tolist()]
        fields["payload_size"] = np.array([len(payload) for payload in payloads], np.uint8)
        fields["payload"] = b"".join(payloads)
        yield "set_description", fields

    def _observers(self, observers: dict[int, dict[str, Any]], has_z: bool) -> Iterable[tuple[str, dict[str, Any]]]:
        # One message per observer: each has its own tiers.
        for id, kept in observers.items():
            fields = {"id": np.array([id], "<u4")}
            for name, value in kept.items():
                if name in ("relay_range", "relay_every"):
                    fields[name] = value
                elif name == "anchored":
                    fields[name] = np.array([value], np.uint8)
                elif name == "entity":
                    fields[name] = np.array([value], "<u4")
                elif name != "lists":
                    fields[name] = np.array([value])
            yield "observe", fields
            if kept["lists"] is not None:
                yield "set_exceptions", kept["lists"]
