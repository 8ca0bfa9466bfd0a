# SPDX-License-Identifier: Apache-2.0
"""Frames: columns go into bytes and come out of them without a Python object per entity.

A table per message, made from the descriptors of the generated code, drives both directions. Messages with messages
inside (Welcome, RoomOpened, lists, statistics) are decoded by the protobuf library.
"""
from __future__ import annotations

import struct
from typing import Any

import numpy as np
from google.protobuf.descriptor import Descriptor, FieldDescriptor as FD

from . import quadrille_pb2 as pb

FRAME_BYTES_MAX = 2 << 20  # of the server's frames
BYTES_BEFORE_HELLO_MAX = 8192

_COLUMNS = {FD.TYPE_FIXED32: "<u4", FD.TYPE_FIXED64: "<u8", FD.TYPE_FLOAT: "<f4", FD.TYPE_DOUBLE: "<f8"}
_FIXED = {FD.TYPE_FIXED32: struct.Struct("<I"), FD.TYPE_FIXED64: struct.Struct("<Q"),
          FD.TYPE_FLOAT: struct.Struct("<f"), FD.TYPE_DOUBLE: struct.Struct("<d")}
_LENGTH = (FD.TYPE_STRING, FD.TYPE_BYTES, FD.TYPE_MESSAGE)
# Columns of one byte per entry: bytes on the wire, numpy.uint8 here. All other bytes stay bytes.
_OPAQUE = {"resume", "resume_key", "relay", "payload", "enter_payload"}


def varint(value: int) -> bytes:
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def is_repeated(field: FD) -> bool:
    # Later versions of protobuf replace `label`.
    if hasattr(field, "is_repeated"):
        return bool(field.is_repeated)
    return getattr(field, "label") == FD.LABEL_REPEATED


def _wire_of_fixed(field: "FD | Field") -> int:
    return 5 if _FIXED[field.type].size == 4 else 1


class Field:
    """How one field of a message is written and read."""

    def __init__(self, field: FD):
        self.name, self.number, self.type = field.name, field.number, field.type
        self.repeated = is_repeated(field)
        self.has_presence = field.containing_oneof is not None or field.type == FD.TYPE_MESSAGE
        self.is_bytes = field.type == FD.TYPE_BYTES and field.name not in _OPAQUE
        self.is_column = self.is_bytes or (self.repeated and field.type in _COLUMNS)
        self.dtype: np.dtype = np.dtype(_COLUMNS.get(field.type, "u1"))  # of a column
        if self.repeated or self.type in _LENGTH:
            wire = 2
        else:
            wire = _wire_of_fixed(field) if self.type in _FIXED else 0
        self.tag = field.number << 3 | wire
        self.tag_bytes = varint(self.tag)

    def encode_scalar(self, value: Any) -> bytes:
        if self.type in _FIXED:
            return _FIXED[self.type].pack(value)
        if self.type == FD.TYPE_SINT32:
            return varint((value << 1 ^ value >> 31) & 0xFFFFFFFF)
        if self.type in _LENGTH:
            data = value.encode() if isinstance(value, str) else \
                value.SerializeToString() if hasattr(value, "SerializeToString") else bytes(value)
            return varint(len(data)) + data
        return varint(int(value))


class Layout:
    """The fields of a message, in the order of their numbers."""

    def __init__(self, descriptor: Descriptor):
        self.fields = [Field(field) for field in sorted(descriptor.fields, key=lambda field: field.number)]
        self.by_tag = {field.tag: field for field in self.fields}
        # A repeated field may come unpacked.
        for field in self.fields:
            if field.repeated and field.type in _FIXED:
                self.by_tag[field.number << 3 | _wire_of_fixed(field)] = field
        self.columns = {field.name: field for field in self.fields if field.is_column}
        self.nested = any(field.type == FD.TYPE_MESSAGE or (field.repeated and not field.is_column)
                          for field in self.fields)


def _messages(frame: Any) -> dict[str, tuple[Any, Layout]]:
    fields = frame.DESCRIPTOR.oneofs_by_name["message"].fields
    return {field.name: (field, Layout(field.message_type)) for field in fields}


CLIENT = _messages(pb.ClientFrame)
SERVER = _messages(pb.ServerFrame)
_SERVER_BY_TAG = {field.number << 3 | 2: (name, layout, getattr(pb, field.message_type.name))
                  for name, (field, layout) in SERVER.items()}
_CONFIRM = pb.ClientFrame.DESCRIPTOR.fields_by_name["confirm"]
_CONFIRM_BYTES = varint(_CONFIRM.number << 3) + b"\x01"


# ---- encoding ----


def encode(kind: str, fields: dict[str, Any], seq: int = 0, confirm: bool = False) -> bytes:
    """A frame behind its length. Columns are numpy arrays of the field's type; None: absent."""
    envelope, layout = CLIENT[kind]
    parts: list[Any] = []
    size = 0
    for field in layout.fields:
        value = fields.get(field.name)
        if value is None:
            continue
        if field.is_column:
            bytes_of = value.nbytes
            if bytes_of:
                head = field.tag_bytes + varint(bytes_of)
                parts += (head, value)
                size += len(head) + bytes_of
        elif field.repeated:
            for each in value:
                parts.append(field.tag_bytes + field.encode_scalar(each))
                size += len(parts[-1])
        elif value or field.has_presence:
            parts.append(field.tag_bytes + field.encode_scalar(value))
            size += len(parts[-1])
    head = b"\x08" + varint(seq) if seq else b""
    message = varint(envelope.number << 3 | 2) + varint(size)
    tail = _CONFIRM_BYTES if confirm else b""
    if envelope.number > _CONFIRM.number:  # fields go by their numbers
        head, tail = head + tail, b""
    head += message
    return b"".join((varint(len(head) + size + len(tail)), head, *parts, tail))


def row_bytes(kind: str, fields: dict[str, Any]) -> int:
    """The bytes that one entry of a batch takes."""
    columns = CLIENT[kind][1].columns
    return sum(field.dtype.itemsize for name, field in columns.items() if fields.get(name) is not None)


# ---- decoding ----


class MalformedError(ValueError):
    """The bytes are not a frame of this protocol."""


def read_varint(data, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise MalformedError("a varint has more than 10 bytes")


def _skip(data, at: int, wire: int) -> int:
    if wire == 0:
        return read_varint(data, at)[1]
    if wire == 2:
        size, at = read_varint(data, at)
        return at + size
    if wire not in (1, 5):
        raise MalformedError(f"a field has the wire type {wire}; must be 0, 1, 2 or 5")
    return at + (8 if wire == 1 else 4)


def _read_fields(layout: Layout, data: bytes, at: int, end: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    by_tag = layout.by_tag
    while at < end:
        tag, at = read_varint(data, at)
        field = by_tag.get(tag)
        if field is None:
            at = _skip(data, at, tag & 7)
            continue
        wire = tag & 7
        if wire == 2:
            size, at = read_varint(data, at)
            if at + size > end:
                raise MalformedError("a field ends behind its message")
            if field.is_column:
                value: Any = np.frombuffer(data, field.dtype, size // field.dtype.itemsize, at)
                if field.name in found and not field.is_bytes:
                    value = np.concatenate((found[field.name], value))
            else:
                value = data[at:at + size]
                value = value.decode() if field.type == FD.TYPE_STRING else value
            at += size
        elif wire == 0:
            value, at = read_varint(data, at)
            if field.type == FD.TYPE_BOOL:
                value = bool(value)
            elif field.type == FD.TYPE_SINT32:
                value = value >> 1 ^ -(value & 1)
            elif field.type == FD.TYPE_UINT32:
                value &= 0xFFFFFFFF
        else:
            fixed = _FIXED[field.type]
            value = fixed.unpack_from(data, at)[0]
            at += fixed.size
            if field.repeated:
                value = np.append(found.get(field.name, np.empty(0, field.dtype)), np.array([value], field.dtype))
        found[field.name] = value
    return found


def decode(data: bytes) -> tuple[int, str | None, Any]:
    """(seq, kind, message) of a ServerFrame without its length. The message is a dict of the fields that are present;
    for messages with messages inside it is one of the generated code. Kind None: an empty envelope, or a message of a
    later protocol. Raises MalformedError."""
    at, end, seq, kind, message = 0, len(data), 0, None, None
    try:
        while at < end:
            tag, at = read_varint(data, at)
            known = _SERVER_BY_TAG.get(tag)
            if tag == 0x08:
                seq, at = read_varint(data, at)
            elif known:
                kind, layout, generated = known
                size, at = read_varint(data, at)
                if at + size > end:
                    raise MalformedError("a message ends behind its frame")
                message = generated.FromString(data[at:at + size]) if layout.nested else \
                    _read_fields(layout, data, at, at + size)
                at += size
            else:
                at = _skip(data, at, tag & 7)
        if at != end:
            raise MalformedError("a field ends behind its frame")
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise MalformedError(str(error)) from error
    except Exception as error:  # google.protobuf.message.DecodeError
        raise error if isinstance(error, MalformedError) else MalformedError(str(error)) from error
    return seq, kind, message


class Splitter:
    """Cuts the bytes of a connection into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that are complete now, without their lengths. Raises MalformedError."""
        data = self._rest + data if self._rest else data
        at, frames = 0, []
        while at < len(data):
            size = shift = 0
            start = at
            while at < len(data):
                byte = data[at]
                at += 1
                size |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
                if shift > 28:
                    raise MalformedError("the length of a frame has more than 5 bytes")
            else:
                at = start
                break
            if size > FRAME_BYTES_MAX:
                raise MalformedError(f"a frame has {size} bytes; must be at most {FRAME_BYTES_MAX}")
            if at + size > len(data):
                at = start
                break
            frames.append(data[at:at + size])
            at += size
        self._rest = data[at:]
        return frames
