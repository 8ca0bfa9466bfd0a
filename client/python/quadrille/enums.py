# SPDX-License-Identifier: Apache-2.0
"""The enums of the protocol, with the names of quadrille.proto, which documents each value."""
import enum


class ErrorCode(enum.IntEnum):
    """Why the server refuses something; proto/README.md has causes and fixes."""

    UNSPECIFIED = 0
    MALFORMED = 1
    FRAME_TOO_LONG = 2
    NO_HELLO = 3
    VERSION = 4
    UNAUTHENTICATED = 5
    UNKNOWN_MESSAGE = 16
    INVALID = 17
    COLUMNS = 18
    UNKNOWN_ROOM = 19
    CONFIG_MISMATCH = 20
    NOT_ALLOWED = 21
    LIMIT = 22
    NOT_STEP_MODE = 23
    WRONG_TICK = 24
    TICK_OVER = 26
    UNKNOWN_ROSTER = 27
    QUOTA_SESSION = 28
    QUOTA_TOKEN = 29
    QUOTA_ADDRESS = 30
    UNKNOWN_ID = 32
    ID_TAKEN = 33
    NOT_OWNER = 34
    NOT_FINITE = 35
    NEGATIVE_SIZE = 36
    UNKNOWN_SHAPE = 37
    ROOM_FULL = 38
    UNKNOWN_OBSERVER = 39
    BAD_REGION = 40
    OBSERVERS_FULL = 41
    WRONG_COLUMN = 42


class EndReason(enum.IntEnum):
    """Why a pair ended."""

    UNSPECIFIED = 0
    ROOM_CLOSED = 1
    EXPIRED = 2
    DESPAWNED = 3
    FILTERED = 4
    RESIZED = 5
    TELEPORTED = 6
    MOVED_APART = 7


class LeaveReason(enum.IntEnum):
    """Why an entity left a view."""

    UNSPECIFIED = 0
    ROOM_CLOSED = 1
    OBSERVER = 2
    EXPIRED = 3
    DESPAWNED = 4
    EXCEPTED = 5
    HIDDEN = 6
    FILTERED = 7
    TEAM = 8
    RANGE = 9
    LIMIT = 10


class Shape(enum.IntEnum):
    """The shape of an entity."""

    UNSPECIFIED = 0
    BOX = 1
    CIRCLE = 2
    CAPSULE = 3


class Region(enum.IntEnum):
    """The region of an observer."""

    UNSPECIFIED = 0
    CIRCLE = 1
    BOX = 2
    CONE = 3


class Scope(enum.IntEnum):
    """The pairs of a subscription."""

    UNSPECIFIED = 0
    ALL = 1
    OWN = 2


class Watch(enum.IntEnum):
    """Whose watchers the reverse view has."""

    UNSPECIFIED = 0
    NONE = 1
    OWN = 2
    ALL = 3


class TickMode(enum.IntEnum):
    """The source of a room's ticks."""

    UNSPECIFIED = 0
    CLOCK = 1
    STEP = 2


class Index(enum.IntEnum):
    """How a room finds entities that may touch."""

    UNSPECIFIED = 0
    AUTO = 1
    QUADTREE = 2
    OCTREE = 3
    SPARSE = 4
    HASH = 5
    GRID = 6
    BRUTE = 7
