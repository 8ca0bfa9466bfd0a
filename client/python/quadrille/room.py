# SPDX-License-Identifier: Apache-2.0
"""A room: requests, their answers, and the sets that the session folds."""
from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import quadrille_pb2 as pb
from . import wire
from .enums import Region, Scope, Shape
from .errors import QuadrilleError, Refusal, RefusedError, RoomClosedError, SessionEndedError
from .fold.tick import Tick
from .log import Log
from .request import Request

if TYPE_CHECKING:
    from .session import Session


class Found(NamedTuple):
    """The result of a query."""

    ids: np.ndarray  #: uint32
    distances: np.ndarray  #: float64, 0 for regions
    tick: int  #: which it describes
    more: bool  #: there are more than the limit


def _columns(kind: str, count: int, values: dict[str, Any]) -> dict[str, Any]:
    """Columns of the field's type, without a copy if the caller's array has it. One value counts for all entries."""
    layout, fields = wire.CLIENT[kind][1], {}
    for name, value in values.items():
        if value is None:
            continue
        column = layout.columns.get(name)
        if column is None:
            fields[name] = value
            continue
        array = np.ascontiguousarray(value, column.dtype)
        if array.shape != (count,) and not name.startswith("relay_"):
            if array.size != 1:
                raise ValueError(f"{name} has {array.size} values; must be {count}, one per id, or 1 for all")
            array = np.full(count, array.reshape(-1)[0], column.dtype)
        fields[name] = array
    return fields


class Room(Log):
    """Made by Session.open. Ids, positions and all other columns are numpy arrays, lists or single numbers.

    A method that makes a request returns at once, with a Request to await. It takes effect at the next tick."""

    def __init__(self, session: "Session", name: str, config: pb.RoomConfig | None):
        super().__init__(session, name, config)
        self.closed = ""  #: why the room is of no use any more
        self.refusal: Refusal | None = None  # why it could not be opened
        self.epoch = 0
        self.holders: list[int] = []  # sessions that may have our entities
        self.adopted: list[int] = []  #: ids that connect(adopt=True) has taken over while the room was opened

    # ---- entities ----

    def spawn(self, ids, x, y, z=None, *, half=None, radius=None, shape=None, room_owned: bool = False,
              **columns: Any) -> Request:
        """Adds entities: boxes with `half` extents (or half_x, half_y, half_z), or circles with a radius. Further
        columns are those of Spawn in quadrille.proto, such as category and mask."""
        if half is not None:
            columns = {"half_x": half, "half_y": half, "half_z": half if z is not None else None, **columns}
        if radius is not None and shape is None:
            shape = Shape.CIRCLE
        return self._batch("spawn", ids, x=x, y=y, z=z, radius=radius, shape=shape, room_owned=room_owned, **columns)

    def move(self, ids, x, y, z=None) -> Request:
        """Moves entities. Arrays of uint32 and float32 go to the socket without a Python object per entity. If the same
        ids move again, they are sent once, as a roster."""
        return self._batch("move", ids, x=x, y=y, z=z)

    def teleport(self, ids, x, y, z=None) -> Request:
        """Like move, but pairs that end by it have the reason TELEPORTED."""
        return self._batch("teleport", ids, x=x, y=y, z=z)

    def reshape(self, ids, **columns: Any) -> Request:
        """Changes shapes, sizes and filters. Absent columns stay as they are."""
        return self._batch("reshape", ids, **columns)

    def despawn(self, ids) -> Request:
        return self._batch("despawn", ids)

    def describe(self, ids, *, payloads: list[bytes] | None = None, **columns: Any) -> Request:
        """Sets tag, payload, visible_range, team and hidden. `payloads` has up to 32 bytes per entity."""
        if payloads is not None:
            columns["payload"] = b"".join(payloads)
            columns["payload_size"] = [len(payload) for payload in payloads]
        return self._batch("set_description", ids, **columns)

    def hand_over(self, ids, session: int = 0) -> Request:
        """Gives entities to the session of that number; 0: to the room."""
        return self._batch("hand_over", ids, session=session or None, room_owned=not session)

    # ---- pairs and views ----

    def subscribe(self, scope: int = Scope.ALL, stays: bool = False) -> Request:
        """Folds the pairs of the room, or with Scope.OWN those of this session's entities."""
        request = self._request("subscribe", {"scope": int(scope), "stays": stays})
        self.wants_pairs = self.pairs_stale = True
        return request

    def unsubscribe(self) -> Request:
        request = self._request("unsubscribe", {})
        self.wants_pairs = self.pairs_stale = False
        return request

    def observe(self, id, *, at=None, x=None, y=None, z=None, range=None, margin=None, half=None, direction=None,
                angle=None, relay=None, **columns: Any) -> Request:
        """Creates observers, or replaces them.

        at: the entity that it moves with; or x, y (and z) of a free one. range: of a circle. half: of a box. direction
        and angle: with range, of a cone. margin: how much farther an entity may go before it leaves. relay: tiers
        [(range, every)] of positions. Further columns are those of Observe in quadrille.proto."""
        region = columns.pop("region", None)
        if half is not None:
            columns = {"half_x": half, "half_y": half, "half_z": half if self.has_z else None, **columns}
            region = Region.BOX if region is None else region
        if direction is not None:
            columns.update(zip(("direction_x", "direction_y", "direction_z"), direction))
            region = Region.CONE if region is None else region
        if relay is not None:
            columns["relay_range"], columns["relay_every"] = zip(*relay)
        request = self._batch("observe", id, entity=columns.pop("entity", at), x=x, y=y, z=z, range=range,
                              leave_margin=columns.pop("leave_margin", margin), region=region, angle=angle, **columns)
        self.wants_view = True
        return request

    def move_observers(self, ids, x=None, y=None, z=None, **columns: Any) -> Request:
        return self._batch("move_observers", ids, x=x, y=y, z=z, **columns)

    def unobserve(self, ids) -> Request:
        return self._batch("unobserve", ids)

    def set_exceptions(self, observer: int, *, show=(), hide=()) -> Request:
        """Replaces the lists of what an observer always sees, and never sees."""
        return self._request("set_exceptions", {"observer": observer, "show": np.array(show, "<u4"),
                                                "hide": np.array(hide, "<u4")})

    def view_options(self, *, bytes_max: int = 0, watch: int = 0, relay_once: bool = False,
                     relay_k: int | None = None) -> Request:
        """Sets all options of this session's views. relay_once sends each position once for all observers, and with
        relay_k to half of 2**-relay_k units in one or two bytes."""
        request = self._request("set_view_options", {"bytes_max": bytes_max, "watch": int(watch),
                                                     "relay_once": relay_once, "relay_k": relay_k})
        self.wants_view = self.wants_view or watch > 1
        return request

    # ---- ticks ----

    async def step(self) -> Tick:
        """Makes the room tick once, even if the connection breaks meanwhile. Returns what has changed since the call:
        several ticks, if others step the room too."""
        request = self._request("step", {})
        self.session.flush()
        with self.collecting() as tick:
            await request.applied()
        tick.number, tick.late = request.tick or 0, self.take_late()
        return tick

    async def sync(self) -> int:
        """Waits until a tick contains all requests so far that were not refused, and the sets are of that tick or
        later. Returns the tick. A room that ticks by Step needs a step for that."""
        last = self.last_request

        def is_done():
            return self.closed or (self.is_ready and self.reports and not self.is_pending(last))
        await self.session.until(is_done)
        if self.closed:
            raise self._closed_error()
        return self.tick

    @property
    def settled(self) -> bool:
        """Whether the room is open, and both sets are those of its last tick."""
        return (self.is_ready and not self.pairs_stale and not self.view_stale and not self.pairs.in_reset
                and (not self.wants_pairs or self.pairs.known) and self.views.known)

    # ---- queries ----

    async def query(self, *, box=None, circle=None, nearest=None, ray=None, categories: int = 0,
                    limit: int = 0) -> Found:
        """The entities in a box (all minima, then all maxima) or a circle (center, radius), near a point, or on a ray
        (origin, direction), as of the last tick."""
        axes = "xyz" if self.has_z else "xy"
        fields: dict[str, Any] = {"categories": categories, "limit": limit}
        names = {"box": [f"min_{axis}" for axis in axes] + [f"max_{axis}" for axis in axes],
                 "circle": [*axes, "radius"], "nearest": [*axes],
                 "ray": [*axes] + [f"direction_{axis}" for axis in axes]}
        types = {"box": pb.Bounds, "circle": pb.Query.Circle, "nearest": pb.Query.Nearest, "ray": pb.Query.Ray}
        for name, values in (("box", box), ("circle", circle), ("nearest", nearest), ("ray", ray)):
            if values is not None:
                fields[name] = types[name](**dict(zip(names[name], map(float, values))))
        result = await self._ask("query", fields)
        ids = result.get("id", np.empty(0, np.uint32))
        distances = result.get("distance", np.zeros(len(ids)))
        return Found(ids, distances, result.get("tick", 0), result.get("more", False))

    async def why(self, a: int, b: int, *, observer: bool = False) -> dict[str, Any]:
        """Why the observers at entity a see entity b, or do not: the columns of WhyResult in quadrille.proto. With
        `observer`: a is an observer of this session."""
        return await self._ask("why", {"a": a, "b": b, "observer": observer})

    async def snapshot(self, *, own: bool = False, limit: int = 0) -> dict[str, np.ndarray]:
        """The present entities: the columns of SnapshotResult in quadrille.proto."""
        frames = await self._ask("get_snapshot", {"own": own, "limit": limit})
        names = {name for frame in frames for name, value in frame.items() if isinstance(value, np.ndarray)}
        return {name: np.concatenate([frame[name] for frame in frames if name in frame]) for name in names}

    async def _ask(self, kind: str, fields: dict[str, Any]) -> Any:
        if self.closed:
            raise self._closed_error()
        return await self.session.call(self, kind, fields)

    # ---- the end ----

    async def leave(self) -> None:
        """The session's entities go after the grace time."""
        await self._part("leave_room")

    async def close(self) -> None:
        """Closes the room for all sessions. Allowed to its creator and to admins. Raises RefusedError."""
        await self._part("close_room")

    async def _part(self, kind: str) -> None:
        if not self.closed and self.handle:
            try:
                await self.session.call(self, kind, {}, restores=True)
            except ConnectionError:
                pass  # the server's session is new, and not in the room
        self.end(RoomClosedError(f"the room '{self.name}' is closed"))

    def end(self, error: QuadrilleError) -> None:
        """The room is of no use any more."""
        if self.closed:
            return
        self.closed, self.is_ready = str(error), False
        if self.restorer is not None and self.restorer is not asyncio.current_task():
            self.restorer.cancel()
        self.session.rooms.pop(self.name, None)
        self.session.by_handle.pop(self.handle, None)
        self.forget(error)
        for queue in self._iterators:
            queue.put_nowait(None)
        self._call("closed")
        self.session.notify()

    def _closed_error(self) -> QuadrilleError:
        return SessionEndedError(self.session.ended) if self.session.ended else RoomClosedError(self.closed)

    # ---- making requests ----

    def _batch(self, kind: str, ids, **columns: Any) -> Request:
        ids = np.atleast_1d(np.ascontiguousarray(ids, "<u4"))
        return self._request(kind, {"id": ids, **_columns(kind, len(ids), columns)})

    def _request(self, kind: str, fields: dict[str, Any]) -> Request:
        if self.closed:
            raise self._closed_error()
        return self.push(kind, fields)

    # ---- for restore.py ----

    def enter(self, opened: pb.RoomOpened) -> None:
        """The server has opened the room."""
        config = opened.config
        self.handle, self.opened, self.epoch = opened.room, True, opened.epoch
        self.steps = config.tick_mode == pb.TICK_MODE_STEP
        self.lockstep, self.has_z = config.writers > 0, config.dimensions == 3
        self.session.by_handle[self.handle] = self

    def be_ready(self) -> None:
        self.is_ready, self.restorer = True, None
        self.holders = [self.session.number]
        self.replay()
        self.session.notify()

    def be_refused(self, refusal: Refusal) -> None:
        self.refusal, self.restorer = refusal, None
        self.session.report(refusal)
        self.end(RefusedError(refusal))

    def gained(self, frames: list[dict[str, Any]]) -> None:
        """Entities were adopted from earlier sessions of the token."""
        for frame in frames:
            self.take_handed_over(frame)
            self.adopted += frame["id"].tolist() if "id" in frame else []
