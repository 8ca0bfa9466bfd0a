# SPDX-License-Identifier: Apache-2.0
"""The requests of a room that the server has not carried out: sent again after a lost connection, or merged into the
state that is restored."""
from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import quadrille_pb2 as pb
from . import restore
from .enums import ErrorCode
from .errors import QuadrilleError, Refusal, RefusedEntry, RefusedError, RoomClosedError
from .fold.folding import Folding
from .kept import Kept
from .request import ANSWERED, Entry, Request, split
from .rosters import Rosters

if TYPE_CHECKING:
    from .room import Room
    from .session import Session

_KEPT = {"spawn", "move", "teleport", "reshape", "despawn", "set_description", "hand_over", "observe", "move_observers",
         "unobserve", "set_exceptions", "set_view_options", "subscribe", "unsubscribe"}
# The methods that make requests of a kind, if they have another name.
COMMANDS = {"open_room": "open", "set_description": "describe", "set_view_options": "view_options"}
FRAME_BYTES_DEFAULT = 4 << 20  # until Welcome


class Log(Folding):
    """The part of a Room that knows its requests."""

    def __init__(self, session: "Session", name: str, config: pb.RoomConfig | None):
        super().__init__()
        self.session, self.name, self.config = session, name, config
        self.handle = 0  #: the server's number of the room; 0: it is not open
        self.is_ready = False
        self.opened = self.lockstep = self.has_z = False
        self.kept, self.rosters = Kept(), Rosters()
        self.give_up_at = 0.0  # when ids that are taken are refused
        self.restorer: asyncio.Task[None] | None = None
        self.log: list[Entry] = []
        self.step_tick = 0  # the last tick that a Step was sent for
        self.last_request = 0
        self._merged: list[Request] = []  # carried out as soon as the restored state is
        self._late: list[int] = []
        self._bytes = 0  # of requests while there is no connection
        self._cached_rows: dict[int, tuple] = {}  # roster -> version, places, rows, ids
        self._prober: asyncio.Task | None = None

    @property
    def _room(self) -> "Room":
        return cast("Room", self)

    def end(self, error: QuadrilleError) -> None:
        raise NotImplementedError

    def open_fields(self) -> dict[str, Any]:
        return {"name": self.name, "config": self.config}

    # ---- making requests ----

    def push(self, kind: str, fields: dict[str, Any]) -> Request:
        request = Request(self._room, self.session.next_request())
        self.last_request = request.number
        limit = self.session.limits.frame_bytes_max or FRAME_BYTES_DEFAULT
        parts = split(kind, fields, limit)
        request.parts = request.unaccepted = len(parts)
        for first, part in parts:
            entry = Entry(self._room, kind, part, request, first)
            if self.is_ready and self.session.state == "ready":
                self._send(entry)
            else:
                self._hold(entry)
            self.log.append(entry)
        if self._bytes > self.session.backlog_bytes_max:
            self.session.merged, self._bytes = True, 0
            self._merge(unsent=True)
        return request

    def _hold(self, entry: Entry) -> None:
        """Keeps an entry for later."""
        self._copy(entry)
        self._bytes += sum(value.nbytes for value in entry.fields.values() if isinstance(value, np.ndarray))

    def restore_request(self, kind: str, fields: dict[str, Any]) -> None:
        """A request of the session's own; none if it would be empty."""
        if "id" in fields and not len(fields["id"]):
            return
        limit = self.session.limits.frame_bytes_max
        for first, part in split(kind, fields, limit):
            entry = Entry(self._room, kind, part, None, first)
            self.log.append(entry)
            if self.session.state == "ready":
                self.session.transmit(entry)

    def _send(self, entry: Entry) -> None:
        if entry.kind == "step":
            self.step_tick = entry.step = max(self.step_tick, self.tick) + 1
        elif entry.kind == "move" and len(entry.fields["id"]):
            self._choose_roster(entry)
        self._copy(entry)
        if entry.roster is not None:
            entry.fields["id"] = self.rosters.ids(entry.roster)
        self.session.transmit(entry)

    def _choose_roster(self, entry: Entry) -> None:
        ids = entry.fields["id"]
        entry.roster, registers, dropped = self.rosters.find(ids, self.session.limits.roster_ids_max)
        settings = [(number, ids[:0]) for number in dropped]
        if registers and entry.roster is not None:
            settings.append((entry.roster, self.rosters.ids(entry.roster)))
        for number, listed in settings:
            setting = Entry(self._room, "set_roster", {"roster": number, "id": listed})
            self.log.append(setting)
            self.session.transmit(setting)

    @staticmethod
    def _copy(entry: Entry) -> None:
        """The program may change its arrays as soon as a call returns."""
        entry.fields = {name: value.copy() if isinstance(value, np.ndarray) and (name != "id" or entry.roster is None)
                        else value for name, value in entry.fields.items()}

    def is_pending(self, number: int) -> bool:
        return any(entry.request and entry.request.number <= number and entry.kind not in ("query", "why")
                   for entry in self.log) or any(request.number <= number for request in self._merged)

    # ---- answers ----

    def take(self, kind: str, seq: int, entry: Entry | None, fields: dict[str, Any]) -> None:
        if kind == "tick":
            self.fold_tick(fields)
        elif kind == "view":
            self.fold_view(fields)
        elif kind == "applied":
            self._applied(seq, fields)
        elif kind == "accepted" and entry is not None:
            self._accepted(entry, fields)
        elif kind == "handed_over":
            if entry is None:
                self.take_handed_over(fields)
            else:
                entry.collected.append(fields)
                if fields.get("last"):
                    entry.resolve(entry.collected)
        elif kind == "room_closed":
            self._room_closed(entry, fields)

    def take_handed_over(self, fields: dict[str, Any]) -> None:
        ids = fields.get("id", np.empty(0, np.uint32)).tolist()
        own = fields.get("to") == self.session.number
        if own:
            self.kept.add([id for id in ids if id not in self.kept.rows])
        else:
            self.kept.remove(ids)
        if ids:
            self._call("gained" if own else "lost", ids)

    def _room_closed(self, entry: Entry | None, fields: dict[str, Any]) -> None:
        if entry is not None:
            entry.resolve(fields)
        elif fields.get("reason") == 1:
            self.end(RoomClosedError(f"another session has closed the room '{self.name}'"))
        else:
            # The server is stopping. The next one gets the room again.
            self.session.by_handle.pop(self.handle, None)
            self.handle, self.is_ready = 0, False

    def _applied(self, seq: int, fields: dict[str, Any]) -> None:
        tick, last = fields.get("tick", 0), fields.get("seq", 0)
        self.tick = max(self.tick, tick)
        self._late += fields["late"].tolist() if "late" in fields else []
        for entry in list(self.log):
            if entry.kind in ANSWERED:
                continue
            if entry.seq > last or (not entry.seq and not entry.restores):
                break
            if entry.seq and (entry.kind != "step" or entry.step <= tick):
                self._done(entry, entry.step or tick)
        # The frames of this tick came before. An Applied that is repeated after a lost connection has no seq: resets
        # follow it.
        if seq:
            self.view_stale = False
        self.view_stale = self.view_stale or fields.get("views_lagging", False)
        self.pairs_stale = self.pairs_stale or fields.get("pairs_lagging", False)

    def take_late(self) -> list[int]:
        late, self._late = self._late, []
        return late

    def _done(self, entry: Entry, tick: int) -> None:
        """The entry is carried out at that tick."""
        if not entry.restores and entry.kind in _KEPT:
            self._keep(entry)
        self._drop(entry)
        if entry.request:
            entry.request.parts -= 1
            if entry.request.parts == 0:
                entry.request.tick = tick
        self._finish_merged(tick)

    def _finish_merged(self, tick: int) -> None:
        if self._merged and not any(entry.restores and entry.kind not in ANSWERED for entry in self.log):
            for request in self._merged:
                request.tick = tick
            self._merged = []

    def _keep(self, entry: Entry) -> None:
        """Applies the entry to the state that is restored."""
        if entry.kind == "move" and not entry.refused:
            if entry.slots is None or entry.slots[0] != self.kept.version:
                entry.slots = self._rows_of(entry)
            _, places, rows = entry.slots
            self.kept.move_rows(entry.fields, places, rows)
        else:
            self.kept.apply(entry.kind, entry.fields, entry.refused, self.session.number)

    def _rows_of(self, entry: Entry) -> tuple[int, Any, np.ndarray]:
        """The rows of a move's entities. Moves of the same roster share them."""
        cached = self._cached_rows.get(entry.roster) if entry.roster is not None else None
        ids = entry.fields["id"]
        if cached and cached[0] == self.kept.version and cached[3] is ids:
            return cached[0], cached[1], cached[2]
        places, rows = self.kept.rows_of(ids.tolist())
        found = (self.kept.version, slice(None) if len(places) == len(ids) else places, rows)
        if entry.roster is not None:
            self._cached_rows[entry.roster] = (*found, ids)
        return found

    def _drop(self, entry: Entry) -> None:
        self.log.remove(entry)
        self.session.by_seq.pop(entry.seq, None)

    # ---- refusals ----

    def _accepted(self, entry: Entry, fields: dict[str, Any]) -> None:
        if "refused_index" in fields:
            entry.collected += self._entries(entry, fields)
            if fields.get("text"):
                entry.text = fields["text"]
        elif entry.kind in ("subscribe", "unsubscribe"):
            self._done(entry, fields.get("tick", 0))
        if fields.get("last") and entry.collected:
            self._refuse(entry, entry.collected[0].code, entry.text, tuple(entry.collected))
        else:
            entry.accept()

    def _entries(self, entry: Entry, fields: dict[str, Any]) -> list[RefusedEntry]:
        """The refused entries of an Accepted frame that are the program's fault."""
        indexes = fields["refused_index"].tolist()
        codes = fields["refused_code"].tolist()
        at_fault = fields["refused_field"].tolist() if "refused_field" in fields else [0] * len(indexes)
        found = []
        for index, code, field in zip(indexes, codes, at_fault):
            entry.refused.add(index)
            if not self._passes(entry, index, code):
                id = int(entry.ids[index]) if entry.ids is not None else 0
                found.append(RefusedEntry(entry.first + index, id, code, field))
        return found

    def _passes(self, entry: Entry, index: int, code: int) -> bool:
        """Whether a refusal follows from a lost connection: an earlier session of the server still has the id."""
        if entry.kind == "spawn" and code == ErrorCode.ID_TAKEN and (entry.restores or entry.retried):
            if entry.fields.get("room_owned"):
                return True  # another session has restored it
            if asyncio.get_running_loop().time() >= self.give_up_at:
                self.kept.remove([int(entry.fields["id"][index])])
                return False
            self.is_missing = True
            self.kept.miss(entry.fields, index)
            return True
        column = entry.fields.get("entity") if entry.kind == "observe" else entry.ids
        row = self.kept.rows.get(int(column[index])) if column is not None else None
        return row is not None and bool(self.kept.flags["missing"][row])

    def _refuse(self, entry: Entry, code: int, text: str, entries: tuple[RefusedEntry, ...]) -> None:
        refusal = Refusal(self.name, COMMANDS.get(entry.kind, entry.kind), code, text, entries)
        if entry.request:
            entry.request.refusal = refusal
        entry.fail(RefusedError(refusal))
        if entry.kind not in ("open_room", "adopt") or not entry.restores:
            self.session.report(refusal)

    def refused(self, entry: Entry, error: dict[str, Any]) -> None:
        """The whole request is refused."""
        code = error.get("code", 0)
        if entry.kind == "step" and self._step_passes(entry, code, error.get("tick_due", 0)):
            return
        if entry.kind == "get_snapshot" and entry.restores:
            entry.resolve([])  # nothing is known of the earlier entities
            return
        if entry.roster is not None and code == ErrorCode.UNKNOWN_ROSTER:
            entry.roster = None
            self.rosters.forget()
            self._send_last(entry)
            return
        if entry.kind == "set_roster":
            self._drop(entry)
            self.rosters.forget()  # moves by them come again by ids
            return
        if entry.kind in ("leave_room", "close_room", "open_room", "adopt") or entry.answer is not None:
            self._refuse(entry, code, error.get("text", ""), ())
            return
        if entry.kind == "set_exceptions" and code == ErrorCode.UNKNOWN_OBSERVER and self._anchor_is_missing(entry):
            self._done(entry, self.tick)
            return
        self._drop(entry)
        self._refuse(entry, code, error.get("text", ""), ())

    def _anchor_is_missing(self, entry: Entry) -> bool:
        observer = self.kept.observers.get(entry.fields["observer"])
        row = self.kept.rows.get(int(observer["entity"])) if observer and observer["anchored"] else None
        return row is not None and bool(self.kept.flags["missing"][row])

    def _step_passes(self, entry: Entry, code: int, due: int) -> bool:
        """Whether the program need not know that its Step was refused."""
        if code not in (ErrorCode.WRONG_TICK, ErrorCode.TICK_OVER):
            return False
        if due:
            self.tick = max(self.tick, due - 1)
        if entry.retried and due > entry.step:
            self._done(entry, entry.step)  # an earlier connection had carried it out
            return True
        if code == ErrorCode.WRONG_TICK and not self.lockstep and due:
            self.step_tick = due  # another session has stepped
            entry.step = due
            self._send_last(entry)
            return True
        return False

    def _send_last(self, entry: Entry) -> None:
        """Sends it under a new number, so it goes to the end of the log."""
        self.log.remove(entry)
        self.log.append(entry)
        self.session.send_again(entry)

    # ---- connections ----

    def connection_lost(self) -> None:
        self.fold_lost()

    def resumed(self) -> None:
        """The server's session goes on. What it has not received is on its way."""
        if not self.handle and not self.restorer:
            self.restorer = asyncio.create_task(restore.run(self._room))  # opened while there was no connection
            return
        for entry in list(self.log):
            if not entry.seq and entry.restores:
                self.session.transmit(entry)
        if self.is_ready:
            probes = [entry for entry in self.log if entry.kind == "step" and entry.seq]
            self.replay()
            if probes:
                self._prober = asyncio.create_task(self._probe(probes))

    async def _probe(self, steps: list[Entry]) -> None:
        """The answer to OpenRoom has the tick: Steps up to it are carried out, even if their answers are lost."""
        try:
            opened = await self.session.call(self._room, "open_room", self.open_fields(), restores=True)
        except (QuadrilleError, ConnectionError):
            return  # the room is closed, or restored in a new session
        self.steps_over(opened.tick)
        for entry in steps:
            if entry in self.log and not self.lockstep:
                self.step_tick = entry.step = max(opened.tick, self.tick) + 1
                self._send_last(entry)
        self.session.notify()

    def restarted(self) -> None:
        """The server's session is new: opens the room again, and restores it."""
        if self.restorer is not None:
            self.restorer.cancel()
        for entry in [entry for entry in self.log if entry.restores]:
            self.log.remove(entry)
            entry.fail(ConnectionError("the server's session is new"))
        for entry in self.log:
            entry.retried = entry.retried or bool(entry.seq)
            entry.seq, entry.roster, entry.refused, entry.collected = 0, None, set(), []
        self.handle, self.is_ready = 0, False
        self.rosters.forget()
        self._merge(unsent=False)
        self.fold_restart()
        self.restorer = asyncio.create_task(restore.run(self._room))

    def _merge(self, unsent: bool) -> None:
        """Merges requests into the state that is restored, except those behind a Step, which belong to a later tick.
        `unsent`: also those that were never sent."""
        for entry in list(self.log):
            if entry.kind == "step" or (not unsent and not entry.retried):
                return
            if entry.kind not in _KEPT or entry.restores:
                continue
            self._keep(entry)
            self._drop(entry)
            if entry.request:
                entry.accept()
                entry.request.parts -= 1
                if entry.request.parts == 0:
                    self._merged.append(entry.request)

    def replay(self) -> None:
        """The room is ready: sends its entries."""
        self._bytes = 0
        for entry in [entry for entry in self.log if not entry.seq]:
            self.log.remove(entry)
            if entry.kind == "step":
                self.step_tick = entry.step = max(self.step_tick, self.tick) + 1
            self.log.append(entry)
            self.session.transmit(entry)
        self._finish_merged(self.tick)

    def steps_over(self, tick: int) -> None:
        """The room has completed that tick: so are its Steps up to that tick, and all requests before them."""
        steps = [i for i, entry in enumerate(self.log) if entry.kind == "step" and 0 < entry.step <= tick]
        last = steps[-1] if steps else -1
        step = self.log[last].step if last >= 0 else 0
        for entry in self.log[:last + 1]:
            if entry.kind not in ANSWERED:
                self._done(entry, step)
        self.tick = max(self.tick, tick)

    def forget(self, error: Exception) -> None:
        """Drops all entries: they will never be carried out."""
        for entry in self.log:
            entry.fail(error)
            if entry.request:
                entry.request.closed = True
            self.session.by_seq.pop(entry.seq, None)
        for request in self._merged:
            request.closed = True
        self.log, self._merged = [], []
