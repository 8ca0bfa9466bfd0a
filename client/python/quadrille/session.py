# SPDX-License-Identifier: Apache-2.0
"""A session that outlives its connections."""
from __future__ import annotations

import asyncio
import functools
import random
import ssl
from typing import Any, Callable

from . import quadrille_pb2 as pb
from . import restore, wire
from .enums import ErrorCode
from .errors import ContradictionError, Refusal, RefusedError, SessionEndedError
from .fold.folding import call
from .link import Link
from .request import ANSWERED, Entry
from .room import Room

CLOSE_SECONDS = 1.0  # for the last bytes of a session that is closed
_FINAL = (ErrorCode.UNAUTHENTICATED, ErrorCode.VERSION)


async def connect(address: str, *, token: str = "", name: str = "", tls: ssl.SSLContext | bool | None = None,
                  adopt: bool = False, timeout: float | None = 5.0, connect_ms: int = 5000, ping_ms: int = 2000,
                  dead_ms: int = 6000, backoff_ms: int = 100, backoff_max_ms: int = 5000,
                  backlog_bytes_max: int = 64 << 20, pings: bool = True) -> "Session":
    """Connects to "host:port" or "[::1]:port", and waits for the server's Welcome for at most `timeout` seconds (None:
    forever). From then on the session connects again by itself.

    token: proves who you are, if the server lists tokens. name: of your program, for the server's log.
    tls: an SSLContext, whose ALPN is set, or True for ssl.create_default_context(). The certificate must name the host.
    adopt: take over the entities that earlier sessions of this token have left in a room, when it is first opened.
    connect_ms: for one attempt, Hello included. ping_ms, dead_ms: ping a server that is silent for so long, and give
    its connection up. backoff_ms, backoff_max_ms: the longest random wait before the first attempt to connect again,
    which doubles up to the second. backlog_bytes_max: of requests that wait for a connection; above it they are merged
    into the state that the session restores. pings: the server finds a program that hangs; it must serve the loop every
    5 s.

    Raises RefusedError if the server refuses the token or the version, and TimeoutError."""
    context = ssl.create_default_context() if tls is True else tls or None
    if context is not None:
        context.set_alpn_protocols(["quadrille/1"])
    session = Session(address, token, name, context, adopt, pings)
    session.times = {"connect": connect_ms / 1000, "ping": ping_ms / 1000, "dead": dead_ms / 1000,
                     "backoff": backoff_ms / 1000, "backoff_max": backoff_max_ms / 1000}
    session.backlog_bytes_max = backlog_bytes_max
    await session.start(timeout)
    return session


class Session:
    """Made by `connect`. Use it as an async context manager, or call `close`."""

    def __init__(self, address: str, token: str, name: str, tls: ssl.SSLContext | None, adopt: bool, pings: bool):
        self.address, self.token, self.name, self.tls, self.adopt, self.pings = address, token, name, tls, adopt, pings
        self.times: dict[str, float] = {}
        self.backlog_bytes_max = 64 << 20
        self.rooms: dict[str, Room] = {}
        self.by_handle: dict[int, Room] = {}
        self.lobby: list[Entry] = []  # requests without a room, in order
        self.by_seq: dict[int, Entry] = {}
        self.state = "connecting"  #: or "ready", "lost", "ended"
        self.problem = ""  #: why the connection was lost
        self.ended = ""  # why there is no further attempt
        self.number = 0  #: Welcome.session; it may change
        self.limits: pb.Limits = pb.Limits()  #: the server's
        self.connects = self.resumes = 0  #: how often it connected, and how many of these times it resumed
        self.merged = False  # the log lacks requests that the server may not have: it cannot resume
        self._seq = self._requests = 0
        self._key, self.resume_ms = b"", 0
        self._link: Link | None = None
        self._lost: asyncio.Future | None = None
        self._waiting: list[asyncio.Future] = []
        self._handlers: dict[str, list[Callable]] = {}
        self._refused_hello: Refusal | None = None
        self._attempts = 0
        self._ready_at = 0.0
        self._runner: asyncio.Task | None = None

    # ---- for programs ----

    async def open(self, name: str, *, bounds=None, step: bool = False, hz: int = 0, dimensions: int = 0,
                   **config: Any) -> Room:
        """Opens a room now and on each connection, and waits for it. A second call returns the same room.

        bounds: (min_x, min_y, max_x, max_y), or six values in three dimensions. step: the room ticks by Step. hz: ticks
        per second of its own clock. config: further fields of RoomConfig in quadrille.proto. Without any of them it
        only joins. Raises RefusedError."""
        if name in self.rooms:
            return await self._opened(self.rooms[name])
        fields = dict(config)
        if bounds is not None:
            if len(bounds) not in (4, 6):
                raise ValueError(f"bounds has {len(bounds)} values; must be 4 or 6: all minima, then all maxima")
            half = len(bounds) // 2
            corners = {f"{end}_{axis}": float(value) for end, values in (("min", bounds[:half]), ("max", bounds[half:]))
                       for axis, value in zip("xyz", values)}
            fields["bounds"] = pb.Bounds(**corners)
            fields["dimensions"] = dimensions or half
        elif dimensions:
            fields["dimensions"] = dimensions
        if step:
            fields["tick_mode"] = pb.TICK_MODE_STEP
        if hz:
            fields["tick_hz"] = hz
        room = self.rooms[name] = Room(self, name, pb.RoomConfig(**fields) if fields else None)
        if self.state == "ready":
            room.restorer = asyncio.create_task(restore.run(room))
        return await self._opened(room)

    async def _opened(self, room: Room) -> Room:
        await self.until(lambda: room.is_ready or room.closed or self.ended)
        if room.refusal:
            raise RefusedError(room.refusal)
        if self.ended:
            raise SessionEndedError(self.ended)
        return room

    def on(self, event: str, handler: Callable) -> "Session":
        """Calls handler(state, reason) at "state", and handler(refusal) at "refused": what the server refuses, whether
        it is awaited or not."""
        if event not in ("state", "refused"):
            raise ValueError(f"no event '{event}'; must be state or refused")
        self._handlers.setdefault(event, []).append(handler)
        return self

    async def drain(self) -> None:
        """Waits until the connection takes more data: the server may be slow, or away."""
        await self.until(lambda: self.ended or (self.state == "ready" and self._link is not None and
                                                not self._link.full))
        if self.ended:
            raise SessionEndedError(self.ended)

    async def ping(self) -> float:
        """The seconds of one round trip."""
        before = asyncio.get_running_loop().time()
        await self.call(None, "ping", {"data": 1})
        return asyncio.get_running_loop().time() - before

    async def list_rooms(self, after: str = "", limit: int = 0) -> pb.RoomList:
        return await self.call(None, "list_rooms", {"after": after, "limit": limit})

    async def list_sessions(self, room: Room | None = None, after: int = 0, limit: int = 0) -> pb.SessionList:
        """Sessions of this token; all, for an admin."""
        handle = room.handle if room else 0
        return await self.call(None, "list_sessions", {"room": handle, "after": after, "limit": limit})

    async def stats(self, room: Room | None = None) -> pb.Stats:
        return await self.call(None, "get_stats", {"room": room.handle if room else 0})

    async def close(self) -> None:
        """Leaves all rooms and ends the session."""
        if self.ended:
            return
        for room in list(self.rooms.values()):
            if self.state == "ready" and room.handle:
                self.transmit(Entry(room, "leave_room", {}))
        self.end("the session is closed")
        link, self._link = self._link, None
        if link is not None:
            link.close()
            await asyncio.wait([link.closed], timeout=CLOSE_SECONDS)
            link.abort()
        if self._runner is not None:
            self._runner.cancel()
            await asyncio.gather(self._runner, return_exceptions=True)

    async def __aenter__(self) -> "Session":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # ---- waiting ----

    async def until(self, is_done: Callable[[], Any]) -> None:
        """Waits until is_done(), which is asked after each frame and each change of the state."""
        while not is_done():
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            await waiting

    def notify(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def emit(self, event: str, *values: Any) -> None:
        call(self._handlers.get(event, ()), event, values)

    # ---- requests ----

    def next_request(self) -> int:
        self._requests += 1
        return self._requests

    def transmit(self, entry: Entry) -> None:
        """Sends an entry for the first time in this session of the server."""
        self._seq += 1
        entry.seq = self._seq
        self.by_seq[entry.seq] = entry
        if self._link is not None:
            self._link.send(entry.frame())

    def send_again(self, entry: Entry) -> None:
        """Sends an entry under a new number: its answer may be lost."""
        self.by_seq.pop(entry.seq, None)
        entry.collected = []
        self.transmit(entry)

    async def call(self, room: Room | None, kind: str, fields: dict[str, Any], restores: bool = False) -> Any:
        """Sends a request with an answer of its own, and waits for the answer."""
        entry = Entry(room, kind, fields)
        entry.restores = restores
        entry.answer = asyncio.get_running_loop().create_future()
        log = room.log if room is not None else self.lobby
        log.append(entry)
        if self.state == "ready" and (restores or room is None or room.is_ready):
            self.transmit(entry)
        try:
            return await entry.answer
        finally:
            if entry in log:
                log.remove(entry)
            self.by_seq.pop(entry.seq, None)

    @property
    def full(self) -> bool:
        """Whether drain() would wait."""
        return self._link is None or self._link.full

    def flush(self) -> None:
        """Sends what is queued, without waiting for this turn of the loop to end."""
        if self._link is not None:
            self._link.flush()

    # ---- the life of connections ----

    async def start(self, timeout: float | None) -> None:
        self._runner = asyncio.create_task(self._run())
        try:
            async with asyncio.timeout(timeout):
                await self.until(lambda: self.state == "ready" or self.ended)
        except TimeoutError:
            await self.close()
            raise TimeoutError(f"{self.address}: no session within {timeout} s: {self.problem or 'no answer'}. Check "
                               "the address, and that the server runs") from None
        if self._refused_hello:
            raise RefusedError(self._refused_hello)
        if self.ended:
            raise SessionEndedError(self.ended)

    async def _run(self) -> None:
        while not self.ended:
            self._set_state("connecting", "")
            lost = self._lost = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(self.times["connect"]):
                    self._link = await Link.open(self.address, self.tls, self._on_frame,
                                                 functools.partial(self._on_lost, lost))
                    self._say_hello()
                    await self.until(lambda: self.state == "ready" or lost.done())
                reason = await self._serve(self._link, lost)
            except (OSError, TimeoutError, ValueError) as error:
                reason = f"{self.address}: {error or 'no answer in time'}"
            if self.ended:
                return
            self._give_up(reason)
            if self._refused_hello:
                self.end(self._refused_hello.text)
                return
            await asyncio.sleep(random.random() * self._backoff())
            self._attempts += 1

    def _backoff(self) -> float:
        return min(self.times["backoff"] * 2 ** min(self._attempts, 32), self.times["backoff_max"])

    async def _serve(self, link: Link, lost: asyncio.Future) -> str:
        """Pings a silent server until the connection is lost. Returns why."""
        loop, ping, dead = asyncio.get_running_loop(), self.times["ping"], self.times["dead"]
        pinged = 0.0
        while not lost.done():
            heard = link.heard
            due = (pinged + max(dead - ping, 0.001)) if pinged > heard else heard + ping
            await asyncio.wait([lost], timeout=max(due - loop.time(), 0.001))
            if lost.done() or link.heard > heard or loop.time() < due:
                continue
            if pinged > heard:
                return f"{self.address}: the server was silent for {loop.time() - heard:.1f} s"
            pinged = loop.time()
            link.send(wire.encode("ping", {}))
        return lost.result()

    def _say_hello(self) -> None:
        resumes = self._key and not self.merged
        hello = {"version": 1, "token": self.token, "client": self.name, "resumable": True,
                 "resume": self._key if resumes else b"", "features": ["pings"] if self.pings else []}
        assert self._link is not None
        self._link.send(wire.encode("hello", hello))
        self._link.flush()

    def _on_lost(self, lost: asyncio.Future, reason: str) -> None:
        if not lost.done():
            lost.set_result(reason)
        self.notify()

    def lose(self, reason: str) -> None:
        """Gives the connection up: a resumed or new session brings resets."""
        if self._lost is not None:
            self._on_lost(self._lost, reason)
        if self._link is not None:
            self._link.abort()

    def _give_up(self, reason: str) -> None:
        now = asyncio.get_running_loop().time()
        if self.state == "ready" and now - self._ready_at >= self._backoff():
            self._attempts = 0
        if self._link is not None:
            self._link.abort()
        self._link, self.problem = None, reason
        for room in self.rooms.values():
            room.connection_lost()
        self._set_state("lost", reason)

    def _set_state(self, state: str, reason: str) -> None:
        self.state = state
        self.emit("state", state, reason)
        self.notify()

    def end(self, reason: str) -> None:
        """There is no further attempt."""
        self.ended = reason
        for room in list(self.rooms.values()):
            room.end(SessionEndedError(reason))
        for entry in self.lobby:
            entry.fail(SessionEndedError(reason))
        self._set_state("ended", reason)

    def _welcome(self, welcome: pb.Welcome) -> None:
        resumed = welcome.resumed and bool(self._key)
        self.connects += 1
        self.resumes += resumed
        self.number, self.limits, self.resume_ms = welcome.session, welcome.limits, welcome.resume_ms
        self._key, self._ready_at = welcome.resume_key, asyncio.get_running_loop().time()
        self.state = "ready"
        if resumed:
            self._resume(welcome.last_seq)
        else:
            self._restart()
        self._set_state("ready", "")

    def _resume(self, last_seq: int) -> None:
        """The server's session goes on: sends what it has not received."""
        logs = [self.lobby] + [room.log for room in self.rooms.values()]
        entries = sorted((entry for log in logs for entry in log if entry.seq), key=lambda entry: entry.seq)
        assert self._link is not None
        for entry in entries:
            if entry.seq > last_seq:
                self._link.send(entry.frame())
        for entry in entries:
            if entry.seq > last_seq:
                continue
            if entry.kind in ANSWERED or entry.room is None:
                self.send_again(entry)
            elif entry.confirm:
                entry.accept()  # its answer is lost
        for room in list(self.rooms.values()):
            room.resumed()
        for entry in [entry for entry in self.lobby if not entry.seq]:
            self.transmit(entry)

    def _restart(self) -> None:
        """The server's session is new."""
        self.merged, self._seq = False, 0
        self.by_seq, self.by_handle = {}, {}
        for room in list(self.rooms.values()):
            room.restarted()
        for entry in self.lobby:
            entry.collected = []
            self.transmit(entry)

    # ---- incoming ----

    def _on_frame(self, data: bytes) -> None:
        if data:
            seq, kind, message = wire.decode(data)
            try:
                self._take(seq, kind, message)
            except ContradictionError as error:
                self.lose(f"a {kind} frame contradicts what was folded: {error}")
        self.notify()

    def _take(self, seq: int, kind: str | None, message: Any) -> None:
        if kind == "welcome":
            self._welcome(message)
        elif kind == "ping":
            if self._link is not None:
                self._link.send(wire.encode("pong", message))
        elif kind == "go_away":
            self.problem = message.get("text", "")
        elif kind == "error":
            self._refused(seq, message)
        elif kind in ("tick", "view", "applied", "handed_over", "room_closed", "accepted"):
            entry = self.by_seq.get(seq)
            room = self.by_handle.get(message.get("room", 0)) or (entry.room if entry is not None else None)
            if room is not None:
                room.take(kind, seq, entry, message)
        elif seq in self.by_seq:
            self._answer(self.by_seq[seq], kind, message)

    def _answer(self, entry: Entry, kind: str | None, message: Any) -> None:
        if kind == "snapshot_result":
            entry.collected.append(message)
            if message.get("last"):
                entry.resolve(entry.collected)
        else:
            entry.resolve(message)

    def _refused(self, seq: int, error: dict[str, Any]) -> None:
        code, text = error.get("code", 0), error.get("text", "")
        entry = self.by_seq.get(seq)
        if entry is not None and entry.room is not None:
            entry.room.refused(entry, error)
            return
        refusal = Refusal("", entry.kind if entry else "session", code, text, ())
        if entry is not None:
            entry.fail(RefusedError(refusal))
        if code in _FINAL:
            self._refused_hello = refusal
        self.report(refusal)

    def report(self, refusal: Refusal) -> None:
        self.emit("refused", refusal)
