# SPDX-License-Identifier: Apache-2.0
"""Requests, and the log of those that the server has not carried out."""
from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Generator

import numpy as np

from . import wire
from .errors import Refusal, RefusedError, RoomClosedError, SessionEndedError

if TYPE_CHECKING:
    from .room import Room

# Requests with an answer of their own, which may be lost with a connection. To repeat them changes nothing.
ANSWERED = {"open_room", "adopt", "get_snapshot", "query", "why", "leave_room", "close_room", "list_rooms",
            "list_sessions", "get_stats", "subscribe", "unsubscribe"}


class Request:
    """A request of the program. Awaiting it waits for the server's first answer: its acceptance, or for a move the tick
    that contains it. Raises RefusedError if the server refused the request, or entries of it."""

    def __init__(self, room: "Room", number: int):
        self.room, self.number = room, number
        self.tick: int | None = None  #: the tick that contains it
        self.refusal: Refusal | None = None
        self.parts = self.unaccepted = 0  # entries of the log that are not done, and not accepted
        self.closed = False  # it will never be carried out

    def __await__(self) -> Generator[Any, None, None]:
        yield from self._wait(lambda: not self.unaccepted or self.tick is not None).__await__()

    async def applied(self) -> int:
        """Waits until a tick contains the request and the sets are of that tick or later. Returns the tick."""
        await self._wait(lambda: self.tick is not None and self.room.reports)
        assert self.tick is not None
        return self.tick

    async def _wait(self, is_done) -> None:
        await self.room.session.until(lambda: self.refusal or self.closed or is_done())
        if self.refusal:
            raise RefusedError(self.refusal)
        if self.closed:
            ended = self.room.session.ended
            raise SessionEndedError(ended) if ended else RoomClosedError(f"the room '{self.room.name}' is closed")


class Entry:
    """One frame of a request in the log."""

    def __init__(self, room: "Room | None", kind: str, fields: dict[str, Any], request: Request | None = None,
                 first: int = 0):
        self.room, self.kind, self.fields, self.request, self.first = room, kind, fields, request, first
        self.seq = 0  # 0: not sent in this session of the server
        self.confirm = request is not None and kind not in ("move", "step") and kind not in ANSWERED
        self.restores = request is None  # the session's own
        self.retried = False  # it was sent in an earlier session of the server
        self.accepted = False  # the server has it
        self.refused: set[int] = set()
        self.roster: int | None = None  # of a move: send positions alone
        self.slots: Any = None  # of a move: (version, rows) in Kept
        self.step = 0  # of a step: the tick that it makes
        self.answer: asyncio.Future | None = None
        self.collected: list[Any] = []  # frames of an answer that has several; the refused entries of a batch
        self.text = ""  # of its refusal

    @property
    def ids(self) -> np.ndarray | None:
        return self.fields.get("id")

    def frame(self) -> bytes:
        handle = self.room.handle if self.room is not None else 0
        if self.kind == "step":
            return wire.encode("step", {"room": handle, "tick": self.step}, self.seq)
        if self.roster is not None:
            moved = {"room": handle, "roster": self.roster, **self.fields, "id": None}
            return wire.encode("move_roster", moved, self.seq)
        fields = self.fields if self.kind == "open_room" else {"room": handle, **self.fields}
        return wire.encode(self.kind, fields, self.seq, self.confirm)

    def accept(self) -> None:
        if self.request and not self.accepted:
            self.accepted = True
            self.request.unaccepted -= 1

    def resolve(self, result: Any) -> None:
        if self.answer is not None and not self.answer.done():
            self.answer.set_result(result)

    def fail(self, error: Exception) -> None:
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(error)


def split(kind: str, fields: dict[str, Any], frame_bytes_max: int) -> list[tuple[int, dict[str, Any]]]:
    """(index of the first entry, fields) of parts that fit in a frame."""
    ids = fields.get("id")
    each = wire.row_bytes(kind, fields) + (32 if kind == "set_description" else 0)
    most = max(1, (frame_bytes_max - 4096) // max(each, 1))
    if ids is None or len(ids) <= most or kind in ("set_roster",):
        return [(0, fields)]
    parts = []
    for first in range(0, len(ids), most):
        rows = slice(first, first + most)
        part = {name: value[rows] if isinstance(value, np.ndarray) and not name.startswith("relay_") else value
                for name, value in fields.items()}
        if fields.get("payload") is not None:
            ends = np.cumsum(fields["payload_size"].astype(np.int64))
            start = int(ends[first - 1]) if first else 0
            part["payload"] = fields["payload"][start:int(ends[min(first + most, len(ids)) - 1])]
        parts.append((first, part))
    return parts
