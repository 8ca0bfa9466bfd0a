# SPDX-License-Identifier: Apache-2.0
"""Opens a room, and brings it to its kept state in a new session of the server. With a token it first takes over the
entities that earlier sessions have left there."""
from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from . import quadrille_pb2 as pb
from .enums import ErrorCode
from .errors import RefusedError

if TYPE_CHECKING:
    from .room import Room

RESPAWN_SECONDS = 0.05
RESPAWN_GRACE_SECONDS = 2.0
SNAPSHOT_MAX = 1 << 20
HOLDERS_MAX = 8


async def run(room: "Room") -> None:
    """Ends when the room is ready. It goes on across connections that resume, and is canceled otherwise."""
    try:
        opened = await _open(room)
        first, fresh = not room.opened, not room.opened or room.epoch != opened.epoch
        room.enter(opened)
        if not fresh:
            room.steps_over(opened.tick)
        room.tick = room.step_tick = opened.tick
        if fresh:
            room.holders = []
        present = await _take_over(room, first)
        room.holders = room.holders[1 - HOLDERS_MAX:] + [room.session.number]
        room.is_missing = False
        room.kept.flags["missing"][:] = False
        room.give_up_at = _now() + room.session.resume_ms / 1000 + opened.config.grace_ms / 1000 + RESPAWN_GRACE_SECONDS
        for kind, fields in room.kept.requests(present, fresh, room.has_z):
            room.restore_request(kind, fields)
        # The answer comes after all refusals.
        await _call(room, "open_room", room.open_fields())
        while room.is_missing:
            await asyncio.sleep(RESPAWN_SECONDS)
            await _respawn(room)
        room.be_ready()
    except RefusedError as error:
        room.be_refused(error.refusal)


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _call(room: "Room", kind: str, fields: dict):
    return await room.session.call(room, kind, fields, restores=True)


async def _open(room: "Room") -> pb.RoomOpened:
    while True:
        try:
            return await _call(room, "open_room", room.open_fields())
        except RefusedError as error:
            passes = error.code == ErrorCode.LIMIT or (room.opened and error.code == ErrorCode.UNKNOWN_ROOM)
            if not passes:
                raise
            await asyncio.sleep(room.session.times["backoff_max"] / 4)


async def _take_over(room: "Room", first: bool) -> set[int]:
    """Adopts from earlier sessions. Returns the ids of own entities that are in the room."""
    session = room.session
    if not session.token:
        return set()
    adopts = [0] if first and session.adopt else []
    adopts += [holder for holder in room.holders if holder != session.number]
    for holder in adopts:
        try:
            handed = await _call(room, "adopt", {"session": holder})
            if holder == 0:
                room.gained(handed)
        except RefusedError as error:
            if holder == 0:
                session.report(error.refusal)
            # Otherwise the session may be gone for long.
    if not adopts:
        return set()
    listed = await _call(room, "get_snapshot", {"limit": SNAPSHOT_MAX, "own": True})
    return {id for frame in listed if "id" in frame for id in frame["id"].tolist()}


async def _respawn(room: "Room") -> None:
    """Spawns entities again whose ids an earlier session of the server still had."""
    await _take_over(room, False)
    room.is_missing = False
    requests = list(room.kept.missing_requests(room.has_z))
    room.kept.flags["missing"][:] = False  # unless it is refused again
    for kind, fields in requests:
        room.restore_request(kind, fields)
    await _call(room, "open_room", room.open_fields())
