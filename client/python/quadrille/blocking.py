# SPDX-License-Identifier: Apache-2.0
"""The same client for programs without async: each call runs the loop until its result is there.

    with quadrille.blocking.connect("127.0.0.1:7400") as session:
        room = session.open("arena", bounds=(0, 0, 100, 100), step=True)
        room.subscribe()
        room.spawn([1, 2], [10, 30], [10, 10], half=1)
        tick = room.step()

Between calls nobody serves the session. So call something at least every few seconds: session.run(0) if there is
nothing else to do. A session that was not served for long resumes by itself. Handlers run inside of calls. One thread
at a time may use a session.
"""
from __future__ import annotations

import asyncio
import inspect
import ssl
from typing import Any, Iterator

from . import session as _session
from .fold.tick import Tick
from .request import Request as _Request
from .room import Room as _Room


def connect(address: str, *, token: str = "", name: str = "", tls: ssl.SSLContext | bool | None = None,
            adopt: bool = False, timeout: float | None = 5.0, **options: Any) -> "Session":
    """As quadrille.connect."""
    loop = asyncio.new_event_loop()
    try:
        # Without the feature "pings", TCP answers for a program that computes.
        inner = loop.run_until_complete(_session.connect(address, token=token, name=name, tls=tls, adopt=adopt,
                                                         timeout=timeout, pings=False, **options))
    except BaseException:
        loop.close()
        raise
    return Session(inner, loop)


class _Facade:
    """Passes everything on. Coroutines become calls with a `timeout` in seconds, None: forever."""

    def __init__(self, inner: Any, loop: asyncio.AbstractEventLoop):
        self._inner, self._loop = inner, loop

    def _wait(self, awaitable: Any, timeout: float | None = None) -> Any:
        async def run():
            async with asyncio.timeout(timeout):
                return await awaitable
        return self._loop.run_until_complete(run())

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if inspect.iscoroutinefunction(value):
            def call(*args: Any, timeout: float | None = None, **fields: Any) -> Any:
                return self._wait(value(*args, **fields), timeout)
            return call
        if not inspect.ismethod(value):
            return value

        def request(*args: Any, **fields: Any) -> Any:
            result = value(*args, **fields)
            if isinstance(result, _Request):
                self._flush()
                return Request(result, self._loop)
            return self if result is self._inner else result
        return request

    def _flush(self) -> None:
        pass


class Request(_Facade):
    """A request. result() waits for the server's first answer, applied() for the tick that contains it."""

    def result(self, timeout: float | None = None) -> None:
        self._wait(self._inner, timeout)


class Room(_Facade):
    """As quadrille.Room."""

    _inner: _Room

    def ticks(self, timeout: float | None = None) -> Iterator[Tick]:
        """Yields a Tick for each frame of changes, until the room is closed or none has come for `timeout` seconds."""
        ticks = self._inner.ticks()
        try:
            while True:
                yield self._wait(anext(ticks), timeout)
        except (StopAsyncIteration, TimeoutError):
            return
        finally:
            self._loop.run_until_complete(ticks.aclose())

    def _flush(self) -> None:
        self._inner.session.flush()


class Session(_Facade):
    """As quadrille.Session."""

    _inner: _session.Session

    def open(self, name: str, *, timeout: float | None = None, **config: Any) -> Room:
        return Room(self._wait(self._inner.open(name, **config), timeout), self._loop)

    def run(self, seconds: float = 0) -> None:
        """Serves the session."""
        self._loop.run_until_complete(asyncio.sleep(seconds))

    def close(self) -> None:
        if not self._loop.is_closed():
            self._loop.run_until_complete(self._inner.close())
            self._loop.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
