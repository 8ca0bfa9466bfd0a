# SPDX-License-Identifier: Apache-2.0
"""Folds what the server sends about a room, and reports the changes to the program."""
from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Iterable, Iterator

import numpy as np

from .pairs import Pairs, rows
from .tick import Tick
from .views import View, Views

if TYPE_CHECKING:
    from ..session import Session

EVENTS = ("begin", "end", "passed", "stay", "enter", "leave", "relay", "reset", "tick", "gained", "lost", "closed")
TICKS_MAX = 64  # that wait for an iterator; then they are merged


def call(handlers: Iterable[Callable], event: str, values: tuple[Any, ...]) -> None:
    """Calls handlers. What one raises goes to the loop's exception handler, and not to the connection."""
    for handler in handlers:
        try:
            handler(*values)
        except Exception as error:
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"the handler of '{event}' has raised an exception", "exception": error})


class Folding:
    """The folded sets of a room, and the handlers of their changes."""

    session: "Session"

    def __init__(self) -> None:
        self.steps = False  # it ticks by Step
        self.pairs = Pairs()  #: the pairs that touch
        self.views = Views()
        self.tick = 0  #: the last tick that the session knows of; after a restart of the server it counts from 1
        self.pairs_stale = self.view_stale = False  # a reset is on its way
        self.wants_pairs = self.wants_view = False
        self.is_missing = False  # entities could not be spawned yet
        self._view_resets = False
        self._handlers: dict[str, list[Callable]] = {}
        self._iterators: list[asyncio.Queue[Tick | None]] = []
        self._collectors: list[Tick] = []  # what has changed since each Step that is under way

    # ---- for programs ----

    def on(self, event: str, handler: Callable):
        """Calls the handler for each change, in order. It gets:
        begin, passed, stay: a, b. end: a, b, reason. enter: observer, id. leave: observer, id, reason.
        relay: observer, id, x, y, z. tick: a Tick with the changes of a frame. gained, lost: ids.
        reset, closed: nothing. After a reset, ends and leaves have the reason 0. Returns the room."""
        if event not in EVENTS:
            raise ValueError(f"no event '{event}'; must be one of {', '.join(EVENTS)}")
        self._handlers.setdefault(event, []).append(handler)
        return self

    async def ticks(self) -> AsyncGenerator[Tick, None]:
        """Yields a Tick for each frame of changes, until the room is closed. For a slow program it merges ticks."""
        queue: asyncio.Queue[Tick | None] = asyncio.Queue()
        self._iterators.append(queue)
        try:
            while (tick := await queue.get()) is not None:
                yield tick
        finally:
            self._iterators.remove(queue)

    def view(self, observer: int) -> View:
        """What an observer of this session sees."""
        return View(self.views, observer)

    def watchers(self, id: int) -> set[tuple[int, int]]:
        """The observers that see an entity, as (session, observer). Needs view_options(watch=...)."""
        return self.views.watchers.get(id, set())

    @property
    def reports(self) -> bool:
        """Whether the sets are those of the last tick, as far as a step waits for that."""
        return not self.is_missing and not self.pairs_stale and (self.steps or not self.view_stale)

    # ---- reporting ----

    @property
    def _wants_relays(self) -> bool:
        return bool(self._iterators) or "relay" in self._handlers or "tick" in self._handlers

    def _call(self, event: str, *values: Any) -> None:
        call(self._handlers.get(event, ()), event, values)

    def _call_rows(self, event: str, changed: np.ndarray, *more: np.ndarray) -> None:
        if event in self._handlers:
            for values in zip(*changed.T.tolist(), *(column.tolist() for column in more)):
                self._call(event, *values)

    def _report(self, tick: Tick) -> None:
        if tick.reset:
            self._call("reset")
        for name, event in (("ends", "end"), ("begins", "begin"), ("passed", "passed"), ("stays", "stay"),
                            ("leaves", "leave"), ("enters", "enter")):
            more = {"ends": "end_reasons", "leaves": "leave_reasons"}.get(name)
            if event in self._handlers:
                self._call_rows(event, getattr(tick, name), *([getattr(tick, more)] if more else []))
        if "relay" in self._handlers:
            observers, ids, places = tick.relays
            self._call_rows("relay", np.stack((observers, ids), 1), *places.T)
        self._call("tick", tick)
        for queue in self._iterators:
            if queue.qsize() < TICKS_MAX:
                copy = Tick()
                copy.merge(tick)
                queue.put_nowait(copy)
            else:
                queue._queue[-1].merge(tick)  # type: ignore[attr-defined]
        for news in self._collectors:
            news.merge(tick)

    @contextlib.contextmanager
    def collecting(self) -> Iterator[Tick]:
        """Collects the changes of this time in a Tick."""
        news = Tick()
        self._collectors.append(news)
        try:
            yield news
        finally:
            self._collectors.remove(news)

    # ---- folding ----

    def fold_tick(self, fields: dict[str, Any]) -> None:
        self.tick = max(self.tick, fields.get("tick", 0))
        if fields.get("suspended"):
            self.pairs.suspend()
            self.pairs_stale = False
            return
        was_reset = self.pairs.in_reset or fields.get("reset", False)
        difference = self.pairs.apply(fields)
        tick = Tick(fields.get("tick", 0))
        if difference is not None:
            ended, begun = difference
            tick.reset = True
            tick.add("ends", rows(ended))
            tick.add("end_reasons", np.zeros(len(ended), np.uint8))
            tick.add("begins", rows(begun))
        elif not was_reset:
            for name, column in (("ends", "end"), ("begins", "begin"), ("passed", "passed"), ("stays", "stay")):
                if column + "_a" in fields:
                    tick.add(name, np.stack((fields[column + "_a"], fields[column + "_b"]), 1))
            tick.add("end_reasons", fields.get("end_reason", ()))
        if fields.get("last"):
            self.pairs_stale = False
        if tick or fields.get("last"):
            self._report(tick)

    def fold_view(self, fields: dict[str, Any]) -> None:
        self.tick = max(self.tick, fields.get("tick", 0))
        self._report_view(fields)
        self._view_resets = self._view_resets or fields.get("reset", False)
        if fields.get("suspended") or (self._view_resets and fields.get("last")):
            self._view_resets = self.view_stale = False

    def _report_view(self, fields: dict[str, Any]) -> None:
        changes = self.views.apply(fields, self._wants_relays)
        tick = Tick(fields.get("tick", 0))
        for name, chunks in changes.items():
            for chunk in chunks:
                tick.add(name, chunk)
        if tick:
            self._report(tick)

    def fold_lost(self) -> None:
        """The connection is lost, and with it what a tick has not completed."""
        if not self.views.known and not self.views.suspended:
            self._report_view({"suspended": True})
        self.pairs_stale, self.view_stale, self._view_resets = self.wants_pairs, self.wants_view, False

    def fold_restart(self) -> None:
        """The views of a new session begin empty, without a reset."""
        self._report_view({"suspended": True})
        self._report_view({"reset": True, "reset_watchers": True, "last": True})
        self.pairs.suspend()
        self.view_stale = self.wants_view
