# SPDX-License-Identifier: Apache-2.0
"""Reads the relay stream (proto/RELAY.md): each position once per session, in one or two bytes."""
from __future__ import annotations

import numpy as np

from ..errors import ContradictionError

_WIDTH = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24)
_GROUP = 16
SLOTS_MAX = 1 << 24


def _refuse() -> None:
    raise ContradictionError("the bytes are no blob of version 1 of the relay stream for these slots")


class Relay:
    """The state of a stream: for each slot and axis the position in steps, and the change that was sent last."""

    def __init__(self, k: int, axes: int, count: int = 0):
        self.scale, self.axes, self.count = 2.0 ** k, axes, count
        self.at = np.zeros((axes, max(count, 64)), np.int32)
        self.last = np.zeros_like(self.at)

    def start(self, slot: int, position) -> None:
        """Starts a slot at the exact position of an enter or of an exact entry."""
        if slot >= SLOTS_MAX:
            _refuse()
        if slot >= self.at.shape[1]:
            more = ((0, 0), (0, max(slot + 1, 2 * self.at.shape[1]) - self.at.shape[1]))
            self.at, self.last = np.pad(self.at, more), np.pad(self.last, more)
        self.count = max(self.count, slot + 1)
        for axis in range(self.axes):
            steps = np.floor(float(position[axis]) * self.scale)
            self.at[axis, slot] = int(steps) if abs(steps) < 2 ** 30 else 0
            self.last[axis, slot] = 0

    def positions(self, slots: np.ndarray) -> np.ndarray:
        """Float32 positions, one row per axis."""
        return (self.at[:, slots] / self.scale).astype(np.float32)

    def read(self, blob: bytes) -> np.ndarray:
        """Applies a blob. Returns the slots that it names, ascending. After an error the state is of no use."""
        end = len(blob) - 4
        if end < 3 or blob[0] & 0x8F != 1 or blob[end:] != b"\0\0\0\0":
            _refuse()
        slots, at = self._slots(blob, end)
        if len(slots) and int(slots[-1]) >= self.count:
            _refuse()
        bits, widths, at = self._groups(blob, at, end, len(slots))
        if at != end:
            _refuse()
        data = np.frombuffer(blob, np.uint8)
        for axis in range(self.axes):
            starts, width = bits[axis], widths[axis]
            byte = starts >> 3
            loaded = data[byte].astype(np.uint32) | data[byte + 1].astype(np.uint32) << np.uint32(8) \
                | data[byte + 2].astype(np.uint32) << np.uint32(16) | data[byte + 3].astype(np.uint32) << np.uint32(24)
            value = loaded >> (starts & 7).astype(np.uint32) & ((1 << width) - 1).astype(np.uint32)
            change = (value >> np.uint32(1)).astype(np.int32) ^ -(value & np.uint32(1)).astype(np.int32)
            if blob[0] & 16:
                change += self.last[axis, slots]
            self.last[axis, slots] = change
            self.at[axis, slots] += change
        return slots

    def _slots(self, blob: bytes, end: int) -> tuple[np.ndarray, int]:
        kind = blob[0] >> 5 & 3
        first, at = self._varint(blob, 1, end)
        number, at = self._varint(blob, at, end)
        if kind == 0:
            if first + number > self.count:
                _refuse()
            return np.arange(first, first + number), at
        if kind == 1:
            return self._bitmap(blob, at, end, first, number), at + number
        if kind == 2:
            slots, slot = [], first
            for _ in range(number):
                gap, at = self._varint(blob, at, end)
                slot += gap
                slots.append(slot)
                slot += 1
            return np.array(slots, np.int64), at
        spans, slot = [np.empty(0, np.int64)], first
        for _ in range(number):
            gap, at = self._varint(blob, at, end)
            size, at = self._varint(blob, at, end)
            slot += 8 * gap
            spans.append(self._bitmap(blob, at, end, slot, size))
            slot += 8 * size
            at += size
        return np.concatenate(spans), at

    @staticmethod
    def _varint(blob: bytes, at: int, end: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 35, 7):
            if at >= end:
                _refuse()
            byte = blob[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >> 32:
                    _refuse()
                return value, at
        _refuse()
        raise AssertionError

    @staticmethod
    def _bitmap(blob: bytes, at: int, end: int, first: int, size: int) -> np.ndarray:
        if at + size > end:
            _refuse()
        bits = np.unpackbits(np.frombuffer(blob, np.uint8, size, at), bitorder="little")
        return np.flatnonzero(bits) + first

    def _groups(self, blob: bytes, at: int, end: int, count: int):
        """For each axis, the bit at which each value starts, and its width."""
        starts: list[list[int]] = [[] for _ in range(self.axes)]
        widths: list[list[int]] = [[] for _ in range(self.axes)]
        sizes = [min(_GROUP, count - done) for done in range(0, count, _GROUP)]
        for size in sizes:
            if at + self.axes - 1 > end:
                _refuse()
            codes = [blob[at] & 15, blob[at] >> 4]
            if self.axes == 3:
                if blob[at + 1] >> 4:
                    _refuse()
                codes.append(blob[at + 1])
            at += self.axes - 1
            for axis, code in enumerate(codes):
                width = _WIDTH[code]
                starts[axis].append(8 * at)
                widths[axis].append(width)
                at += size * width + 7 >> 3
            if at > end:
                _refuse()
        inside = np.arange(count) % _GROUP
        each = np.array(sizes, np.int64)
        wide = [np.repeat(np.array(column, np.int64), each) for column in widths]
        return [np.repeat(np.array(column, np.int64), each) + inside * width
                for column, width in zip(starts, wide)], wide, at
