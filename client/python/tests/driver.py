#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The driver of this SDK for the conformance suite. tests/conformance/README.md has the protocol."""
from __future__ import annotations

import asyncio
import os
import struct
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
sys.dont_write_bytecode = True

import quadrille  # noqa: E402
from quadrille import quadrille_pb2 as pb, wire  # noqa: E402
from quadrille.errors import ContradictionError, code_name  # noqa: E402
from quadrille.fold.relay import Relay  # noqa: E402

WAIT_SECONDS = 20
QUIET = "--quiet" in sys.argv  # keep no events
FLOATS = {"x", "y", "z", "half_x", "half_y", "half_z", "radius", "axis_x", "axis_y", "axis_z", "range", "leave_margin",
          "direction_x", "direction_y", "direction_z", "angle", "visible_range", "relay_range"}
SCALARS = {"room_owned", "session", "scope", "stays", "observer", "bytes_max", "watch", "relay_once", "relay_k"}
OPTIONS = {"connect_ms", "ping_ms", "dead_ms", "backoff_ms", "backoff_max_ms"}


class Driver:
    def __init__(self) -> None:
        self.session: quadrille.Session | None = None
        self.events: dict[str, list[str]] = {}
        self.refusals: list[str] = []
        self.relay: Relay | None = None

    # ---- the session ----

    async def do_connect(self, address: str, fields: dict[str, str]) -> str:
        options = {name: int(value) for name, value in fields.items() if name in OPTIONS}
        self.session = await quadrille.connect(address, token=fields.get("token", ""), name="conformance",
                                               adopt=fields.get("adopt") == "1", timeout=WAIT_SECONDS, **options)
        self.session.on("refused", self.on_refused)
        return "ok"

    def on_refused(self, refusal: quadrille.Refusal) -> None:
        command = {"set_exceptions": "except"}.get(refusal.command, refusal.command)
        place = f"refused {refusal.room or '-'} {command}"
        if not refusal.entries:
            self.refusals.append(f"{place} {refusal.reason}")
        for entry in refusal.entries:
            self.refusals.append(f"{place} {entry.reason} {entry.index} {entry.id}")

    def do_status(self) -> str:
        session = self.session
        return f"ok connects={session.connects} resumes={session.resumes} session={session.number}"

    # ---- rooms ----

    async def do_open(self, name: str, fields: dict[str, str]) -> str:
        bounds = tuple(map(float, fields.pop("bounds").split(","))) if "bounds" in fields else None
        room = await self.session.open(name, bounds=bounds, **{field: int(value) for field, value in fields.items()})
        events: list[str] = []
        self.events[name] = events
        if QUIET:
            return f"ok {room.tick}"
        for event in ("begin", "end", "passed", "enter", "leave", "reset"):
            room.on(event, lambda *values, event=event: events.append(" ".join(map(str, (event, *values)))))
        for event in ("gained", "lost"):
            room.on(event, lambda ids, event=event: events.extend(f"{event} {id}" for id in ids))
        # What was adopted while the room opened came before the handlers.
        events += [f"gained {id}" for id in room.adopted]
        return f"ok {room.tick}"

    def request(self, room: quadrille.Room, command: str, fields: dict[str, str]) -> None:
        values = {name: column(name, text) for name, text in fields.items()}
        ids = values.pop("id", [])
        if command in ("subscribe", "unsubscribe", "view_options"):
            getattr(room, command)(**values)
        elif command == "except":
            room.set_exceptions(values.pop("observer"), **values)
        elif command == "observe":
            relay = [values.pop(name) for name in ("relay_range", "relay_every") if name in values]
            room.observe(ids, relay=list(zip(*relay)) if relay else None, **values)
        else:
            getattr(room, command)(ids, **values)

    async def room_command(self, room: quadrille.Room, command: str, fields: dict[str, str]) -> str:
        if command == "step":
            return f"ok {(await room.step()).number}"
        if command == "sync":
            return f"ok {await room.sync()}"
        if command == "speed":
            return await self.speed(room, *(int(fields[name]) for name in ("count", "moves", "ticks")))
        if command == "query":
            return await self.query(room, fields)
        if command in ("leave", "close"):
            await getattr(room, command)()
        elif command == "settled":
            return f"ok {int(room.settled)}"
        elif command == "pairs":
            print_lines(f"pair {a} {b}" for a, b in room.pairs)
        elif command == "view":
            self.print_view(room)
        elif command == "watchers":
            print_lines(f"watcher {id} {session} {observer}" for id in map(int, fields["id"].split(","))
                        for session, observer in room.watchers(id))
        elif command == "events":
            print_lines(self.events[room.name])
            self.events[room.name].clear()
        else:
            self.request(room, command, fields)
        return "ok"

    async def speed(self, room: quadrille.Room, count: int, moves: int, ticks: int) -> str:
        ids, x = np.arange(count, dtype=np.uint32), np.zeros(count, np.float32)
        if count:
            await room.spawn(ids, x, x)
            for _ in range(2):  # then it is a roster
                room.move(ids, x, x)
            await room.step()
        started, cpu = time.perf_counter(), time.process_time()
        for _ in range(ticks):
            for _ in range(moves):
                room.move(ids, x, x)
                await self.session.drain()
            await room.step()
        return f"ok {time.perf_counter() - started:.6f} {time.process_time() - cpu:.6f}"

    def print_view(self, room: quadrille.Room) -> None:
        for observer in room.views.index:
            view = room.view(observer)
            for id in view:
                is_at = view[id]
                numbers = (is_at.x, is_at.y, is_at.z, is_at.half_x, is_at.half_y, is_at.half_z, is_at.radius)
                print(f"seen {observer} {id} {' '.join(map(repr, numbers))} {is_at.category} {is_at.tag} "
                      f"{is_at.payload.hex() or '-'}")

    async def query(self, room: quadrille.Room, fields: dict[str, str]) -> str:
        limit = int(fields.pop("limit", 0))
        where = {name: tuple(map(float, text.split(","))) for name, text in fields.items()}
        found = await room.query(limit=limit, **where)
        print_lines(f"found {id} {distance!r}" for id, distance in zip(found.ids.tolist(), found.distances.tolist()))
        return f"ok {found.tick}"

    # ---- golden vectors ----

    def do_relay(self, words: list[str]) -> str:
        if words[0] == "state":
            self.relay = Relay(int(words[2]), int(words[1]), int(words[3]))
        elif words[0] == "start":
            self.relay.start(int(words[1]), [struct.unpack(">f", bytes.fromhex(word))[0] for word in words[2:]])
        elif words[0] == "blob":
            try:
                self.relay.read(bytes.fromhex(words[1] if len(words) > 1 else ""))
            except ContradictionError:
                return "error refused"
        else:
            print("at", words[1], *self.relay.at[:, int(words[1])].tolist())
        return "ok"

    def do_decode(self, words: list[str]) -> str:
        seq, kind, message = wire.decode(bytes.fromhex(words[0] if words else ""))
        if seq:
            print(f"seq={seq}")
        if kind is not None:
            print(f"{kind}={{}}")
            descriptor = pb.ServerFrame.DESCRIPTOR.fields_by_name[kind].message_type
            print_message(descriptor, message, kind)
        return "ok"

    def do_encode(self, words: list[str]) -> str:
        fields = dict(word.split("=", 1) for word in words)
        kind = next((name for name in fields if name in wire.CLIENT), None)
        seq, confirm = int(fields.get("seq", 0)), fields.get("confirm") == "true"
        if kind is None:
            frame = pb.ClientFrame(seq=seq, confirm=confirm).SerializeToString()
        else:
            message = fill(wire.CLIENT[kind][0].message_type, fields, kind + ".")
            data = wire.encode(kind, message, seq, confirm)
            frame = data[wire.read_varint(data, 0)[1]:]
        print("frame", frame.hex())
        return "ok"

    # ---- commands ----

    async def carry_out(self, line: str) -> str:
        command, *words = line.split(" ")
        if command in ("relay", "decode", "encode"):
            return getattr(self, "do_" + command)(words)
        name = next((word for word in words if "=" not in word), "")
        fields = dict(word.split("=", 1) for word in words if "=" in word)
        if command == "connect":
            return await self.do_connect(name, fields)
        if command == "status":
            return self.do_status()
        if command == "refusals":
            print_lines(self.refusals)
            self.refusals.clear()
            return "ok"
        if command == "open":
            return await self.do_open(name, fields)
        room = self.session.rooms.get(name)
        if room is None:
            return f"error the room '{name}' is not open"
        return await self.room_command(room, command, fields)

    async def answer(self, line: str) -> str:
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                return await self.carry_out(line)
        except quadrille.RefusedError as error:
            return f"error refused {code_name(error.code)}"
        except TimeoutError as error:
            return f"error not done in time: {error}"
        except quadrille.QuadrilleError as error:
            return f"error {error}"


def column(name: str, text: str):
    if name == "payload":
        return bytes.fromhex(text)
    values = [(float if name in FLOATS else int)(value) for value in text.split(",")] if text else []
    return values[0] if name in SCALARS else values


def print_lines(lines) -> None:
    for line in lines:
        print(line)


# ---- flat text of messages ----


def text_of(field, value) -> str:
    if field.type == field.TYPE_ENUM:
        return field.enum_type.values_by_number[value].name
    if field.type in (field.TYPE_STRING, field.TYPE_BYTES):
        return (value.encode() if isinstance(value, str) else bytes(value)).hex()
    if field.type == field.TYPE_BOOL:
        return "true" if value else "false"
    return repr(value)


def print_message(descriptor, message, path: str) -> None:
    """Prints a dict of wire.decode, or a message of the generated code."""
    for field in descriptor.fields:
        name = f"{path}.{field.name}"
        if isinstance(message, dict):
            value, present = message.get(field.name), field.name in message
        elif wire.is_repeated(field):
            value = getattr(message, field.name)
            present = len(value) > 0
        else:
            value = getattr(message, field.name)
            present = message.HasField(field.name) if field.has_presence else bool(value)
        if not present:
            continue
        if field.type == field.TYPE_MESSAGE:
            many = wire.is_repeated(field)
            print(f"{name}={','.join(['{}'] * len(value) if many else ['{}'])}")
            for i, each in enumerate(value if many else [value]):
                print_message(field.message_type, each, f"{name}[{i}]" if many else name)
        elif wire.is_repeated(field):
            values = value.tolist() if isinstance(value, np.ndarray) else value
            print(f"{name}={','.join(text_of(field, each) for each in values)}")
        elif isinstance(value, np.ndarray):  # one byte per entry
            print(f"{name}={value.tobytes().hex()}")
        else:
            print(f"{name}={text_of(field, value)}")


def parse(field, text: str):
    if field.type == field.TYPE_ENUM:
        return field.enum_type.values_by_name[text].number
    if field.type == field.TYPE_BYTES:
        return bytes.fromhex(text)
    if field.type == field.TYPE_STRING:
        return bytes.fromhex(text).decode()
    if field.type == field.TYPE_BOOL:
        return text == "true"
    return float(text) if field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE) else int(text)


def fill(descriptor, fields: dict[str, str], prefix: str):
    """The fields of wire.encode. Inner messages are of the generated code."""
    found = {}
    for field in descriptor.fields:
        text = fields.get(prefix + field.name)
        if text is None:
            continue
        known = wire.CLIENT.get(prefix[:-1])
        is_column = known is not None and field.name in known[1].columns
        if field.type == field.TYPE_MESSAGE:
            inner = field.message_type._concrete_class()
            for name, value in fill(field.message_type, fields, f"{prefix}{field.name}.").items():
                if hasattr(value, "SerializeToString"):
                    getattr(inner, name).CopyFrom(value)
                else:
                    setattr(inner, name, value)
            found[field.name] = inner
        elif is_column and field.type == field.TYPE_BYTES:
            found[field.name] = np.frombuffer(bytes.fromhex(text), np.uint8)
        elif is_column:
            dtype = known[1].columns[field.name].dtype
            found[field.name] = np.array([parse(field, each) for each in text.split(",")], dtype)
        elif wire.is_repeated(field):
            found[field.name] = [parse(field, each) for each in text.split(",")]
        else:
            found[field.name] = parse(field, text)
    return found


async def main() -> None:
    driver, loop = Driver(), asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while (line := (await reader.readline()).decode().rstrip("\n")) not in ("", "quit"):
        print(await driver.answer(line), flush=True)
    if driver.session is not None:
        await driver.session.close()
    print("ok", flush=True)


asyncio.run(main())
