# SPDX-License-Identifier: Apache-2.0
"""A server that does nothing, for the speed of clients: it reads and discards moves, and answers each Step at once, in
subscribed rooms with a prepared Tick frame. usage: sink.py EVENTS"""
import random
import socket
import struct
import sys

ROOM, ROOM_PAIRS_SIDE = 300, 100000
BUFFER = 1 << 20
HEAD = 24  # bytes of a frame that are looked at
HELLO, OPEN, SPAWN, SUBSCRIBE, STEP, PING = 2, 3, 7, 12, 15, 17  # fields of ClientFrame
WELCOME, OPENED, TICK, APPLIED, PONG, ACCEPTED = 2, 3, 7, 8, 11, 18  # fields of ServerFrame


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes((value,))


def number(field, value):
    return varint(field << 3) + varint(value)


def chunk(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def frame(seq, field, message):
    data = (number(1, seq) if seq else b"") + chunk(field, message)
    return varint(len(data)) + data


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def pair_columns(count, seed):
    """`count` pairs in order; those of other seeds are others."""
    rng = random.Random(seed)
    pairs = sorted({(rng.randrange(ROOM_PAIRS_SIDE) * 2 + seed, ROOM_PAIRS_SIDE * 2 + rng.randrange(ROOM_PAIRS_SIDE))
                    for _ in range(count)})
    return len(pairs), [struct.pack(f"<{len(pairs)}I", *column) for column in zip(*pairs)]


class Sink:
    def __init__(self, events):
        sets = [pair_columns(events // 2, seed) for seed in (0, 1)]
        self.bodies = []
        for turn in (0, 1):
            (ends, end), (_, begin) = sets[1 - turn], sets[turn]
            self.bodies.append(chunk(8, end[0]) + chunk(9, end[1]) + chunk(10, b"\7" * ends) +
                               chunk(11, begin[0]) + chunk(12, begin[1]))
        self.first = chunk(11, sets[1][1][0]) + chunk(12, sets[1][1][1])
        self.events = sum(count for count, _ in sets)
        self.tick, self.subscribed = 0, False

    def answer(self, seq, field):
        if field == HELLO:
            limits = number(1, 4 << 20) + number(10, 1 << 20)
            self.tick, self.subscribed = 0, False
            return frame(0, WELCOME, number(1, 1) + number(3, 7) + chunk(4, limits) + chunk(5, b"k" * 24))
        if field == OPEN:
            config = number(1, 2) + number(3, 2)
            return frame(seq, OPENED, number(1, ROOM) + chunk(3, config) + b"\x21" + b"\1" * 8 + number(5, self.tick))
        if field == SPAWN:
            return frame(seq, ACCEPTED, number(1, ROOM) + number(8, 1))
        if field == SUBSCRIBE:
            self.subscribed = True
            reset = number(1, ROOM) + number(3, 1) + number(4, 1) + self.first
            return frame(seq, ACCEPTED, number(1, ROOM) + number(8, 1)) + frame(0, TICK, reset)
        if field == PING:
            return frame(seq, PONG, b"")
        if field != STEP:
            return b""
        self.tick += 1
        head = number(1, ROOM) + number(2, self.tick)
        tick = frame(0, TICK, head + number(4, 1) + self.bodies[(self.tick - 1) % 2]) if self.subscribed else b""
        return tick + frame(seq, APPLIED, head + number(3, seq))

    def serve(self, connection):
        buffer = bytearray(BUFFER)
        view, held, skip = memoryview(buffer), 0, 0
        while True:
            size = connection.recv_into(view[held:])
            if size == 0:
                return
            at, end, answers = 0, held + size, []
            while True:
                step = min(skip, end - at)
                at, skip = at + step, skip - step
                if end - at < 5 and not (end > at and buffer[at] < end - at):
                    break
                length, start = read_varint(buffer, at)
                if end - start < min(length, HEAD):
                    break
                seq, inner = read_varint(buffer, start + 1) if buffer[start] == 8 else (0, start)
                answers.append(self.answer(seq, read_varint(buffer, inner)[0] >> 3))
                at, skip = start, length
            held = end - at
            buffer[:held] = buffer[at:end]
            if any(answers):
                connection.sendall(b"".join(answers))


def main():
    sink = Sink(int(sys.argv[1]))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"127.0.0.1:{listener.getsockname()[1]} {sink.events}", flush=True)
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection:
                try:
                    sink.serve(connection)
                except ConnectionError:
                    pass


main()
