# SPDX-License-Identifier: Apache-2.0
"""One connection: bytes in and out, with backpressure."""
from __future__ import annotations

import asyncio
import ssl
from typing import Callable

from . import wire

# Bytes that wait for the socket: above the first, drain() waits until they are below the second.
HIGH_BYTES, LOW_BYTES = 1 << 20, 1 << 18
GATHER_BYTES = 1 << 16


class Link(asyncio.Protocol):
    def __init__(self, on_frame: Callable[[bytes], None], on_lost: Callable[[str], None]):
        self._on_frame, self._on_lost = on_frame, on_lost
        self._splitter = wire.Splitter()
        self._out: list[bytes] = []
        self._out_bytes = 0
        self._flush_due = False
        self.transport: asyncio.Transport | None = None
        self.full = False
        self.heard = 0.0
        self._loop = asyncio.get_running_loop()
        self.closed: asyncio.Future[None] = self._loop.create_future()

    @staticmethod
    async def open(address: str, tls: ssl.SSLContext | None, on_frame, on_lost) -> "Link":
        host, _, port = address.rpartition(":")
        host = host.strip("[]")
        loop = asyncio.get_running_loop()
        _, link = await loop.create_connection(lambda: Link(on_frame, on_lost), host, int(port), ssl=tls,
                                               server_hostname=host if tls else None)
        return link

    # ---- sending ----

    def send(self, frame: bytes) -> None:
        """Queues a frame. Small frames leave together, at the end of this turn of the loop."""
        self._out.append(frame)
        self._out_bytes += len(frame)
        if self._out_bytes >= GATHER_BYTES:
            self.flush()
        elif not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        self._flush_due = False
        if self._out and self.transport is not None:
            self.transport.write(self._out[0] if len(self._out) == 1 else b"".join(self._out))
        self._out, self._out_bytes = [], 0

    def close(self) -> None:
        if self.transport is not None:
            self.flush()
            self.transport.close()

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    # ---- asyncio.Protocol ----

    def connection_made(self, transport) -> None:
        self.transport = transport
        self.heard = self._loop.time()
        transport.set_write_buffer_limits(HIGH_BYTES, LOW_BYTES)

    def data_received(self, data: bytes) -> None:
        self.heard = self._loop.time()
        try:
            for frame in self._splitter.feed(data):
                self._on_frame(frame)
        except wire.MalformedError as error:
            self._on_lost(f"the server sent bytes that are no frame: {error}")
            self.abort()

    def pause_writing(self) -> None:
        self.full = True

    def resume_writing(self) -> None:
        self.full = False
        self._on_frame(b"")  # drain() looks again

    def connection_lost(self, error: Exception | None) -> None:
        self.transport = None
        if not self.closed.done():
            self.closed.set_result(None)
        self._on_lost(str(error) if error else "the server closed the connection")
