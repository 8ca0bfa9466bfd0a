from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

ACCESS_ANYBODY: Access
ACCESS_CREATOR: Access
ACCESS_SAME_TOKEN: Access
ACCESS_UNSPECIFIED: Access
DESCRIPTOR: _descriptor.FileDescriptor
END_REASON_DESPAWNED: EndReason
END_REASON_EXPIRED: EndReason
END_REASON_FILTERED: EndReason
END_REASON_MOVED_APART: EndReason
END_REASON_RESIZED: EndReason
END_REASON_ROOM_CLOSED: EndReason
END_REASON_TELEPORTED: EndReason
END_REASON_UNSPECIFIED: EndReason
ERROR_CODE_BAD_REGION: ErrorCode
ERROR_CODE_COLUMNS: ErrorCode
ERROR_CODE_CONFIG_MISMATCH: ErrorCode
ERROR_CODE_FRAME_TOO_LONG: ErrorCode
ERROR_CODE_ID_TAKEN: ErrorCode
ERROR_CODE_INVALID: ErrorCode
ERROR_CODE_LIMIT: ErrorCode
ERROR_CODE_MALFORMED: ErrorCode
ERROR_CODE_NEGATIVE_SIZE: ErrorCode
ERROR_CODE_NOT_ALLOWED: ErrorCode
ERROR_CODE_NOT_FINITE: ErrorCode
ERROR_CODE_NOT_OWNER: ErrorCode
ERROR_CODE_NOT_STEP_MODE: ErrorCode
ERROR_CODE_NO_HELLO: ErrorCode
ERROR_CODE_OBSERVERS_FULL: ErrorCode
ERROR_CODE_QUOTA_ADDRESS: ErrorCode
ERROR_CODE_QUOTA_SESSION: ErrorCode
ERROR_CODE_QUOTA_TOKEN: ErrorCode
ERROR_CODE_ROOM_FULL: ErrorCode
ERROR_CODE_TICK_OVER: ErrorCode
ERROR_CODE_UNAUTHENTICATED: ErrorCode
ERROR_CODE_UNKNOWN_ID: ErrorCode
ERROR_CODE_UNKNOWN_MESSAGE: ErrorCode
ERROR_CODE_UNKNOWN_OBSERVER: ErrorCode
ERROR_CODE_UNKNOWN_ROOM: ErrorCode
ERROR_CODE_UNKNOWN_ROSTER: ErrorCode
ERROR_CODE_UNKNOWN_SHAPE: ErrorCode
ERROR_CODE_UNSPECIFIED: ErrorCode
ERROR_CODE_VERSION: ErrorCode
ERROR_CODE_WRONG_COLUMN: ErrorCode
ERROR_CODE_WRONG_TICK: ErrorCode
INDEX_AUTO: Index
INDEX_BRUTE: Index
INDEX_GRID: Index
INDEX_HASH: Index
INDEX_OCTREE: Index
INDEX_QUADTREE: Index
INDEX_SPARSE: Index
INDEX_UNSPECIFIED: Index
LEAVE_REASON_DESPAWNED: LeaveReason
LEAVE_REASON_EXCEPTED: LeaveReason
LEAVE_REASON_EXPIRED: LeaveReason
LEAVE_REASON_FILTERED: LeaveReason
LEAVE_REASON_HIDDEN: LeaveReason
LEAVE_REASON_LIMIT: LeaveReason
LEAVE_REASON_OBSERVER: LeaveReason
LEAVE_REASON_RANGE: LeaveReason
LEAVE_REASON_ROOM_CLOSED: LeaveReason
LEAVE_REASON_TEAM: LeaveReason
LEAVE_REASON_UNSPECIFIED: LeaveReason
PRUNE_AUTO: Prune
PRUNE_CANDIDATES: Prune
PRUNE_LAZY: Prune
PRUNE_TRAVERSAL: Prune
PRUNE_UNSPECIFIED: Prune
SHAPE_BOX: Shape
SHAPE_CAPSULE: Shape
SHAPE_CIRCLE: Shape
SHAPE_UNSPECIFIED: Shape
SUSPEND_REASON_LIMIT: SuspendReason
SUSPEND_REASON_MEMORY: SuspendReason
SUSPEND_REASON_UNSPECIFIED: SuspendReason
TICK_MODE_CLOCK: TickMode
TICK_MODE_STEP: TickMode
TICK_MODE_UNSPECIFIED: TickMode
VISIBILITY_NOT_ANGLE: Visibility
VISIBILITY_NOT_BUDGET: Visibility
VISIBILITY_NOT_EXCEPTED: Visibility
VISIBILITY_NOT_HIDDEN: Visibility
VISIBILITY_NOT_LIMIT: Visibility
VISIBILITY_NOT_MASK: Visibility
VISIBILITY_NOT_RANGE: Visibility
VISIBILITY_NOT_SELF: Visibility
VISIBILITY_NOT_TEAM: Visibility
VISIBILITY_NOT_YET: Visibility
VISIBILITY_SEEN: Visibility
VISIBILITY_SEEN_BY_MARGIN: Visibility
VISIBILITY_SEEN_BY_SHOW: Visibility
VISIBILITY_UNSPECIFIED: Visibility

class Accepted(_message.Message):
    __slots__ = ["last", "refused_code", "refused_field", "refused_index", "refused_total", "room", "text", "tick"]
    LAST_FIELD_NUMBER: _ClassVar[int]
    REFUSED_CODE_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_FIELD_NUMBER: _ClassVar[int]
    REFUSED_INDEX_FIELD_NUMBER: _ClassVar[int]
    REFUSED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    last: bool
    refused_code: bytes
    refused_field: bytes
    refused_index: _containers.RepeatedScalarFieldContainer[int]
    refused_total: int
    room: int
    text: str
    tick: int
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ..., refused_index: _Optional[_Iterable[int]] = ..., refused_code: _Optional[bytes] = ..., refused_field: _Optional[bytes] = ..., text: _Optional[str] = ..., refused_total: _Optional[int] = ..., last: bool = ...) -> None: ...

class Ack(_message.Message):
    __slots__ = ["room", "tick"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    room: int
    tick: int
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ...) -> None: ...

class Adopt(_message.Message):
    __slots__ = ["room", "session"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    room: int
    session: int
    def __init__(self, room: _Optional[int] = ..., session: _Optional[int] = ...) -> None: ...

class Applied(_message.Message):
    __slots__ = ["late", "late_total", "pairs_lagging", "room", "seq", "tick", "views_lagging"]
    LATE_FIELD_NUMBER: _ClassVar[int]
    LATE_TOTAL_FIELD_NUMBER: _ClassVar[int]
    PAIRS_LAGGING_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    VIEWS_LAGGING_FIELD_NUMBER: _ClassVar[int]
    late: _containers.RepeatedScalarFieldContainer[int]
    late_total: int
    pairs_lagging: bool
    room: int
    seq: int
    tick: int
    views_lagging: bool
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ..., seq: _Optional[int] = ..., late: _Optional[_Iterable[int]] = ..., late_total: _Optional[int] = ..., pairs_lagging: bool = ..., views_lagging: bool = ...) -> None: ...

class Bounds(_message.Message):
    __slots__ = ["max_x", "max_y", "max_z", "min_x", "min_y", "min_z"]
    MAX_X_FIELD_NUMBER: _ClassVar[int]
    MAX_Y_FIELD_NUMBER: _ClassVar[int]
    MAX_Z_FIELD_NUMBER: _ClassVar[int]
    MIN_X_FIELD_NUMBER: _ClassVar[int]
    MIN_Y_FIELD_NUMBER: _ClassVar[int]
    MIN_Z_FIELD_NUMBER: _ClassVar[int]
    max_x: float
    max_y: float
    max_z: float
    min_x: float
    min_y: float
    min_z: float
    def __init__(self, min_x: _Optional[float] = ..., min_y: _Optional[float] = ..., min_z: _Optional[float] = ..., max_x: _Optional[float] = ..., max_y: _Optional[float] = ..., max_z: _Optional[float] = ...) -> None: ...

class ClientFrame(_message.Message):
    __slots__ = ["ack", "adopt", "close_room", "confirm", "despawn", "get_snapshot", "get_stats", "hand_over", "hello", "leave_room", "list_rooms", "list_sessions", "move", "move_observers", "move_rooms", "move_roster", "observe", "open_room", "ping", "pong", "query", "reshape", "seq", "set_description", "set_exceptions", "set_roster", "set_view_options", "spawn", "step", "subscribe", "teleport", "unobserve", "unsubscribe", "why"]
    ACK_FIELD_NUMBER: _ClassVar[int]
    ADOPT_FIELD_NUMBER: _ClassVar[int]
    CLOSE_ROOM_FIELD_NUMBER: _ClassVar[int]
    CONFIRM_FIELD_NUMBER: _ClassVar[int]
    DESPAWN_FIELD_NUMBER: _ClassVar[int]
    GET_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    GET_STATS_FIELD_NUMBER: _ClassVar[int]
    HAND_OVER_FIELD_NUMBER: _ClassVar[int]
    HELLO_FIELD_NUMBER: _ClassVar[int]
    LEAVE_ROOM_FIELD_NUMBER: _ClassVar[int]
    LIST_ROOMS_FIELD_NUMBER: _ClassVar[int]
    LIST_SESSIONS_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    MOVE_OBSERVERS_FIELD_NUMBER: _ClassVar[int]
    MOVE_ROOMS_FIELD_NUMBER: _ClassVar[int]
    MOVE_ROSTER_FIELD_NUMBER: _ClassVar[int]
    OBSERVE_FIELD_NUMBER: _ClassVar[int]
    OPEN_ROOM_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    RESHAPE_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    SET_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SET_EXCEPTIONS_FIELD_NUMBER: _ClassVar[int]
    SET_ROSTER_FIELD_NUMBER: _ClassVar[int]
    SET_VIEW_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SPAWN_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBE_FIELD_NUMBER: _ClassVar[int]
    TELEPORT_FIELD_NUMBER: _ClassVar[int]
    UNOBSERVE_FIELD_NUMBER: _ClassVar[int]
    UNSUBSCRIBE_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ack: Ack
    adopt: Adopt
    close_room: CloseRoom
    confirm: bool
    despawn: Despawn
    get_snapshot: GetSnapshot
    get_stats: GetStats
    hand_over: HandOver
    hello: Hello
    leave_room: LeaveRoom
    list_rooms: ListRooms
    list_sessions: ListSessions
    move: Move
    move_observers: MoveObservers
    move_rooms: MoveRooms
    move_roster: MoveRoster
    observe: Observe
    open_room: OpenRoom
    ping: Ping
    pong: Pong
    query: Query
    reshape: Reshape
    seq: int
    set_description: SetDescription
    set_exceptions: SetExceptions
    set_roster: SetRoster
    set_view_options: SetViewOptions
    spawn: Spawn
    step: Step
    subscribe: Subscribe
    teleport: Teleport
    unobserve: Unobserve
    unsubscribe: Unsubscribe
    why: Why
    def __init__(self, seq: _Optional[int] = ..., hello: _Optional[_Union[Hello, _Mapping]] = ..., open_room: _Optional[_Union[OpenRoom, _Mapping]] = ..., leave_room: _Optional[_Union[LeaveRoom, _Mapping]] = ..., close_room: _Optional[_Union[CloseRoom, _Mapping]] = ..., list_rooms: _Optional[_Union[ListRooms, _Mapping]] = ..., spawn: _Optional[_Union[Spawn, _Mapping]] = ..., move: _Optional[_Union[Move, _Mapping]] = ..., teleport: _Optional[_Union[Teleport, _Mapping]] = ..., reshape: _Optional[_Union[Reshape, _Mapping]] = ..., despawn: _Optional[_Union[Despawn, _Mapping]] = ..., subscribe: _Optional[_Union[Subscribe, _Mapping]] = ..., unsubscribe: _Optional[_Union[Unsubscribe, _Mapping]] = ..., get_snapshot: _Optional[_Union[GetSnapshot, _Mapping]] = ..., step: _Optional[_Union[Step, _Mapping]] = ..., get_stats: _Optional[_Union[GetStats, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., query: _Optional[_Union[Query, _Mapping]] = ..., set_description: _Optional[_Union[SetDescription, _Mapping]] = ..., observe: _Optional[_Union[Observe, _Mapping]] = ..., move_observers: _Optional[_Union[MoveObservers, _Mapping]] = ..., unobserve: _Optional[_Union[Unobserve, _Mapping]] = ..., set_exceptions: _Optional[_Union[SetExceptions, _Mapping]] = ..., set_view_options: _Optional[_Union[SetViewOptions, _Mapping]] = ..., why: _Optional[_Union[Why, _Mapping]] = ..., hand_over: _Optional[_Union[HandOver, _Mapping]] = ..., ack: _Optional[_Union[Ack, _Mapping]] = ..., adopt: _Optional[_Union[Adopt, _Mapping]] = ..., set_roster: _Optional[_Union[SetRoster, _Mapping]] = ..., move_roster: _Optional[_Union[MoveRoster, _Mapping]] = ..., list_sessions: _Optional[_Union[ListSessions, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., move_rooms: _Optional[_Union[MoveRooms, _Mapping]] = ..., confirm: bool = ...) -> None: ...

class CloseRoom(_message.Message):
    __slots__ = ["room"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    room: int
    def __init__(self, room: _Optional[int] = ...) -> None: ...

class Despawn(_message.Message):
    __slots__ = ["id", "room"]
    ID_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    id: _containers.RepeatedScalarFieldContainer[int]
    room: int
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ["code", "room", "seq", "text", "tick_due"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TICK_DUE_FIELD_NUMBER: _ClassVar[int]
    code: ErrorCode
    room: int
    seq: int
    text: str
    tick_due: int
    def __init__(self, code: _Optional[_Union[ErrorCode, str]] = ..., text: _Optional[str] = ..., seq: _Optional[int] = ..., room: _Optional[int] = ..., tick_due: _Optional[int] = ...) -> None: ...

class GetSnapshot(_message.Message):
    __slots__ = ["limit", "own", "region", "room"]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    limit: int
    own: bool
    region: Bounds
    room: int
    def __init__(self, room: _Optional[int] = ..., region: _Optional[_Union[Bounds, _Mapping]] = ..., limit: _Optional[int] = ..., own: bool = ...) -> None: ...

class GetStats(_message.Message):
    __slots__ = ["room"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    room: int
    def __init__(self, room: _Optional[int] = ...) -> None: ...

class GoAway(_message.Message):
    __slots__ = ["deadline_ms", "reason", "text"]
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_FULL: GoAway.Reason
    REASON_NOT_ALIVE: GoAway.Reason
    REASON_PROTOCOL: GoAway.Reason
    REASON_QUOTA: GoAway.Reason
    REASON_REVOKED: GoAway.Reason
    REASON_SHUTDOWN: GoAway.Reason
    REASON_TAKEN_OVER: GoAway.Reason
    REASON_TOO_SLOW: GoAway.Reason
    REASON_UNSPECIFIED: GoAway.Reason
    TEXT_FIELD_NUMBER: _ClassVar[int]
    deadline_ms: int
    reason: GoAway.Reason
    text: str
    def __init__(self, reason: _Optional[_Union[GoAway.Reason, str]] = ..., text: _Optional[str] = ..., deadline_ms: _Optional[int] = ...) -> None: ...

class HandOver(_message.Message):
    __slots__ = ["id", "room", "room_owned", "session"]
    ID_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    ROOM_OWNED_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    id: _containers.RepeatedScalarFieldContainer[int]
    room: int
    room_owned: bool
    session: int
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., session: _Optional[int] = ..., room_owned: bool = ...) -> None: ...

class HandedOver(_message.Message):
    __slots__ = ["connected", "connected_total", "id", "last", "room", "to"]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_TOTAL_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    connected: _containers.RepeatedScalarFieldContainer[int]
    connected_total: int
    id: _containers.RepeatedScalarFieldContainer[int]
    last: bool
    room: int
    to: int
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., to: _Optional[int] = ..., connected: _Optional[_Iterable[int]] = ..., connected_total: _Optional[int] = ..., last: bool = ..., **kwargs) -> None: ...

class Hello(_message.Message):
    __slots__ = ["client", "features", "resumable", "resume", "token", "version"]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    RESUMABLE_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    client: str
    features: _containers.RepeatedScalarFieldContainer[str]
    resumable: bool
    resume: bytes
    token: str
    version: int
    def __init__(self, version: _Optional[int] = ..., token: _Optional[str] = ..., client: _Optional[str] = ..., resumable: bool = ..., resume: _Optional[bytes] = ..., features: _Optional[_Iterable[str]] = ...) -> None: ...

class LeaveRoom(_message.Message):
    __slots__ = ["room"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    room: int
    def __init__(self, room: _Optional[int] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ["empty_close_ms_max", "entities_max", "events_max", "frame_bytes_max", "name_bytes_max", "observers_max", "queue_bytes_max", "rooms_max", "roster_ids_max", "slow_ms_max", "test_budget", "visible_entries_max"]
    EMPTY_CLOSE_MS_MAX_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_MAX_FIELD_NUMBER: _ClassVar[int]
    EVENTS_MAX_FIELD_NUMBER: _ClassVar[int]
    FRAME_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    NAME_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    OBSERVERS_MAX_FIELD_NUMBER: _ClassVar[int]
    QUEUE_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    ROOMS_MAX_FIELD_NUMBER: _ClassVar[int]
    ROSTER_IDS_MAX_FIELD_NUMBER: _ClassVar[int]
    SLOW_MS_MAX_FIELD_NUMBER: _ClassVar[int]
    TEST_BUDGET_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_ENTRIES_MAX_FIELD_NUMBER: _ClassVar[int]
    empty_close_ms_max: int
    entities_max: int
    events_max: int
    frame_bytes_max: int
    name_bytes_max: int
    observers_max: int
    queue_bytes_max: int
    rooms_max: int
    roster_ids_max: int
    slow_ms_max: int
    test_budget: int
    visible_entries_max: int
    def __init__(self, frame_bytes_max: _Optional[int] = ..., rooms_max: _Optional[int] = ..., entities_max: _Optional[int] = ..., events_max: _Optional[int] = ..., name_bytes_max: _Optional[int] = ..., queue_bytes_max: _Optional[int] = ..., slow_ms_max: _Optional[int] = ..., observers_max: _Optional[int] = ..., visible_entries_max: _Optional[int] = ..., roster_ids_max: _Optional[int] = ..., test_budget: _Optional[int] = ..., empty_close_ms_max: _Optional[int] = ...) -> None: ...

class ListRooms(_message.Message):
    __slots__ = ["after", "limit"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    after: str
    limit: int
    def __init__(self, after: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListSessions(_message.Message):
    __slots__ = ["after", "limit", "room"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    after: int
    limit: int
    room: int
    def __init__(self, room: _Optional[int] = ..., after: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ["id", "room", "x", "y", "z"]
    ID_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    id: _containers.RepeatedScalarFieldContainer[int]
    room: int
    x: _containers.RepeatedScalarFieldContainer[float]
    y: _containers.RepeatedScalarFieldContainer[float]
    z: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ...) -> None: ...

class MoveObservers(_message.Message):
    __slots__ = ["direction_x", "direction_y", "direction_z", "id", "room", "x", "y", "z"]
    DIRECTION_X_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_Y_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_Z_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    direction_x: _containers.RepeatedScalarFieldContainer[float]
    direction_y: _containers.RepeatedScalarFieldContainer[float]
    direction_z: _containers.RepeatedScalarFieldContainer[float]
    id: _containers.RepeatedScalarFieldContainer[int]
    room: int
    x: _containers.RepeatedScalarFieldContainer[float]
    y: _containers.RepeatedScalarFieldContainer[float]
    z: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ..., direction_x: _Optional[_Iterable[float]] = ..., direction_y: _Optional[_Iterable[float]] = ..., direction_z: _Optional[_Iterable[float]] = ...) -> None: ...

class MoveRooms(_message.Message):
    __slots__ = ["id", "part_first", "part_room", "part_roster", "part_size", "x", "y", "z"]
    ID_FIELD_NUMBER: _ClassVar[int]
    PART_FIRST_FIELD_NUMBER: _ClassVar[int]
    PART_ROOM_FIELD_NUMBER: _ClassVar[int]
    PART_ROSTER_FIELD_NUMBER: _ClassVar[int]
    PART_SIZE_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    id: _containers.RepeatedScalarFieldContainer[int]
    part_first: _containers.RepeatedScalarFieldContainer[int]
    part_room: _containers.RepeatedScalarFieldContainer[int]
    part_roster: _containers.RepeatedScalarFieldContainer[int]
    part_size: _containers.RepeatedScalarFieldContainer[int]
    x: _containers.RepeatedScalarFieldContainer[float]
    y: _containers.RepeatedScalarFieldContainer[float]
    z: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, part_room: _Optional[_Iterable[int]] = ..., part_size: _Optional[_Iterable[int]] = ..., id: _Optional[_Iterable[int]] = ..., x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ..., part_roster: _Optional[_Iterable[int]] = ..., part_first: _Optional[_Iterable[int]] = ...) -> None: ...

class MoveRoster(_message.Message):
    __slots__ = ["first", "room", "roster", "x", "y", "z"]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    ROSTER_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    first: int
    room: int
    roster: int
    x: _containers.RepeatedScalarFieldContainer[float]
    y: _containers.RepeatedScalarFieldContainer[float]
    z: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, room: _Optional[int] = ..., roster: _Optional[int] = ..., first: _Optional[int] = ..., x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ...) -> None: ...

class Observe(_message.Message):
    __slots__ = ["anchored", "angle", "direction_x", "direction_y", "direction_z", "enter_budget", "entity", "half_x", "half_y", "half_z", "id", "leave_margin", "limit", "mask", "range", "region", "relay_every", "relay_range", "room", "sees_self", "team", "x", "y", "z"]
    class Region(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ANCHORED_FIELD_NUMBER: _ClassVar[int]
    ANGLE_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_X_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_Y_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_Z_FIELD_NUMBER: _ClassVar[int]
    ENTER_BUDGET_FIELD_NUMBER: _ClassVar[int]
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    HALF_X_FIELD_NUMBER: _ClassVar[int]
    HALF_Y_FIELD_NUMBER: _ClassVar[int]
    HALF_Z_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    LEAVE_MARGIN_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    REGION_BOX: Observe.Region
    REGION_CIRCLE: Observe.Region
    REGION_CONE: Observe.Region
    REGION_FIELD_NUMBER: _ClassVar[int]
    REGION_UNSPECIFIED: Observe.Region
    RELAY_EVERY_FIELD_NUMBER: _ClassVar[int]
    RELAY_RANGE_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SEES_SELF_FIELD_NUMBER: _ClassVar[int]
    TEAM_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    anchored: bytes
    angle: _containers.RepeatedScalarFieldContainer[float]
    direction_x: _containers.RepeatedScalarFieldContainer[float]
    direction_y: _containers.RepeatedScalarFieldContainer[float]
    direction_z: _containers.RepeatedScalarFieldContainer[float]
    enter_budget: _containers.RepeatedScalarFieldContainer[int]
    entity: _containers.RepeatedScalarFieldContainer[int]
    half_x: _containers.RepeatedScalarFieldContainer[float]
    half_y: _containers.RepeatedScalarFieldContainer[float]
    half_z: _containers.RepeatedScalarFieldContainer[float]
    id: _containers.RepeatedScalarFieldContainer[int]
    leave_margin: _containers.RepeatedScalarFieldContainer[float]
    limit: _containers.RepeatedScalarFieldContainer[int]
    mask: _containers.RepeatedScalarFieldContainer[int]
    range: _containers.RepeatedScalarFieldContainer[float]
    region: bytes
    relay_every: _containers.RepeatedScalarFieldContainer[int]
    relay_range: _containers.RepeatedScalarFieldContainer[float]
    room: int
    sees_self: bytes
    team: _containers.RepeatedScalarFieldContainer[int]
    x: _containers.RepeatedScalarFieldContainer[float]
    y: _containers.RepeatedScalarFieldContainer[float]
    z: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., region: _Optional[bytes] = ..., anchored: _Optional[bytes] = ..., entity: _Optional[_Iterable[int]] = ..., x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ..., range: _Optional[_Iterable[float]] = ..., half_x: _Optional[_Iterable[float]] = ..., half_y: _Optional[_Iterable[float]] = ..., half_z: _Optional[_Iterable[float]] = ..., direction_x: _Optional[_Iterable[float]] = ..., direction_y: _Optional[_Iterable[float]] = ..., direction_z: _Optional[_Iterable[float]] = ..., angle: _Optional[_Iterable[float]] = ..., leave_margin: _Optional[_Iterable[float]] = ..., mask: _Optional[_Iterable[int]] = ..., limit: _Optional[_Iterable[int]] = ..., enter_budget: _Optional[_Iterable[int]] = ..., team: _Optional[_Iterable[int]] = ..., sees_self: _Optional[bytes] = ..., relay_range: _Optional[_Iterable[float]] = ..., relay_every: _Optional[_Iterable[int]] = ...) -> None: ...

class OpenRoom(_message.Message):
    __slots__ = ["config", "name"]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    config: RoomConfig
    name: str
    def __init__(self, name: _Optional[str] = ..., config: _Optional[_Union[RoomConfig, _Mapping]] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ["data"]
    DATA_FIELD_NUMBER: _ClassVar[int]
    data: int
    def __init__(self, data: _Optional[int] = ...) -> None: ...

class Pong(_message.Message):
    __slots__ = ["data"]
    DATA_FIELD_NUMBER: _ClassVar[int]
    data: int
    def __init__(self, data: _Optional[int] = ...) -> None: ...

class Query(_message.Message):
    __slots__ = ["box", "categories", "circle", "limit", "nearest", "ray", "room"]
    class Circle(_message.Message):
        __slots__ = ["radius", "x", "y", "z"]
        RADIUS_FIELD_NUMBER: _ClassVar[int]
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        Z_FIELD_NUMBER: _ClassVar[int]
        radius: float
        x: float
        y: float
        z: float
        def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., z: _Optional[float] = ..., radius: _Optional[float] = ...) -> None: ...
    class Nearest(_message.Message):
        __slots__ = ["within", "x", "y", "z"]
        WITHIN_FIELD_NUMBER: _ClassVar[int]
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        Z_FIELD_NUMBER: _ClassVar[int]
        within: float
        x: float
        y: float
        z: float
        def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., z: _Optional[float] = ..., within: _Optional[float] = ...) -> None: ...
    class Ray(_message.Message):
        __slots__ = ["direction_x", "direction_y", "direction_z", "length", "x", "y", "z"]
        DIRECTION_X_FIELD_NUMBER: _ClassVar[int]
        DIRECTION_Y_FIELD_NUMBER: _ClassVar[int]
        DIRECTION_Z_FIELD_NUMBER: _ClassVar[int]
        LENGTH_FIELD_NUMBER: _ClassVar[int]
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        Z_FIELD_NUMBER: _ClassVar[int]
        direction_x: float
        direction_y: float
        direction_z: float
        length: float
        x: float
        y: float
        z: float
        def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., z: _Optional[float] = ..., direction_x: _Optional[float] = ..., direction_y: _Optional[float] = ..., direction_z: _Optional[float] = ..., length: _Optional[float] = ...) -> None: ...
    BOX_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    CIRCLE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NEAREST_FIELD_NUMBER: _ClassVar[int]
    RAY_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    box: Bounds
    categories: int
    circle: Query.Circle
    limit: int
    nearest: Query.Nearest
    ray: Query.Ray
    room: int
    def __init__(self, room: _Optional[int] = ..., box: _Optional[_Union[Bounds, _Mapping]] = ..., circle: _Optional[_Union[Query.Circle, _Mapping]] = ..., nearest: _Optional[_Union[Query.Nearest, _Mapping]] = ..., ray: _Optional[_Union[Query.Ray, _Mapping]] = ..., categories: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class QueryResult(_message.Message):
    __slots__ = ["distance", "id", "more", "room", "tick"]
    DISTANCE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    distance: _containers.RepeatedScalarFieldContainer[float]
    id: _containers.RepeatedScalarFieldContainer[int]
    more: bool
    room: int
    tick: int
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., distance: _Optional[_Iterable[float]] = ..., more: bool = ...) -> None: ...

class Reshape(_message.Message):
    __slots__ = ["axis_x", "axis_y", "axis_z", "category", "half_x", "half_y", "half_z", "id", "mask", "radius", "room", "shape"]
    AXIS_X_FIELD_NUMBER: _ClassVar[int]
    AXIS_Y_FIELD_NUMBER: _ClassVar[int]
    AXIS_Z_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    HALF_X_FIELD_NUMBER: _ClassVar[int]
    HALF_Y_FIELD_NUMBER: _ClassVar[int]
    HALF_Z_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    RADIUS_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    axis_x: _containers.RepeatedScalarFieldContainer[float]
    axis_y: _containers.RepeatedScalarFieldContainer[float]
    axis_z: _containers.RepeatedScalarFieldContainer[float]
    category: _containers.RepeatedScalarFieldContainer[int]
    half_x: _containers.RepeatedScalarFieldContainer[float]
    half_y: _containers.RepeatedScalarFieldContainer[float]
    half_z: _containers.RepeatedScalarFieldContainer[float]
    id: _containers.RepeatedScalarFieldContainer[int]
    mask: _containers.RepeatedScalarFieldContainer[int]
    radius: _containers.RepeatedScalarFieldContainer[float]
    room: int
    shape: bytes
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., half_x: _Optional[_Iterable[float]] = ..., half_y: _Optional[_Iterable[float]] = ..., half_z: _Optional[_Iterable[float]] = ..., shape: _Optional[bytes] = ..., category: _Optional[_Iterable[int]] = ..., mask: _Optional[_Iterable[int]] = ..., radius: _Optional[_Iterable[float]] = ..., axis_x: _Optional[_Iterable[float]] = ..., axis_y: _Optional[_Iterable[float]] = ..., axis_z: _Optional[_Iterable[float]] = ...) -> None: ...

class RoomClosed(_message.Message):
    __slots__ = ["reason", "room"]
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    REASON_EMPTY: RoomClosed.Reason
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_REQUESTED: RoomClosed.Reason
    REASON_SHUTDOWN: RoomClosed.Reason
    REASON_UNSPECIFIED: RoomClosed.Reason
    ROOM_FIELD_NUMBER: _ClassVar[int]
    reason: RoomClosed.Reason
    room: int
    def __init__(self, room: _Optional[int] = ..., reason: _Optional[_Union[RoomClosed.Reason, str]] = ...) -> None: ...

class RoomConfig(_message.Message):
    __slots__ = ["bounds", "cell_size", "depth", "dimensions", "empty_close_ms", "entities_max", "events_max", "grace_ms", "index", "join", "observers_max", "prune", "step", "step_deadline_ms", "swept", "tick_hz", "tick_mode", "visible_entries_max", "write", "writers"]
    BOUNDS_FIELD_NUMBER: _ClassVar[int]
    CELL_SIZE_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    EMPTY_CLOSE_MS_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_MAX_FIELD_NUMBER: _ClassVar[int]
    EVENTS_MAX_FIELD_NUMBER: _ClassVar[int]
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    JOIN_FIELD_NUMBER: _ClassVar[int]
    OBSERVERS_MAX_FIELD_NUMBER: _ClassVar[int]
    PRUNE_FIELD_NUMBER: _ClassVar[int]
    STEP_DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    SWEPT_FIELD_NUMBER: _ClassVar[int]
    TICK_HZ_FIELD_NUMBER: _ClassVar[int]
    TICK_MODE_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_ENTRIES_MAX_FIELD_NUMBER: _ClassVar[int]
    WRITERS_FIELD_NUMBER: _ClassVar[int]
    WRITE_FIELD_NUMBER: _ClassVar[int]
    bounds: Bounds
    cell_size: float
    depth: int
    dimensions: int
    empty_close_ms: int
    entities_max: int
    events_max: int
    grace_ms: int
    index: Index
    join: Access
    observers_max: int
    prune: Prune
    step: Access
    step_deadline_ms: int
    swept: bool
    tick_hz: int
    tick_mode: TickMode
    visible_entries_max: int
    write: Access
    writers: int
    def __init__(self, dimensions: _Optional[int] = ..., bounds: _Optional[_Union[Bounds, _Mapping]] = ..., tick_mode: _Optional[_Union[TickMode, str]] = ..., tick_hz: _Optional[int] = ..., depth: _Optional[int] = ..., entities_max: _Optional[int] = ..., events_max: _Optional[int] = ..., grace_ms: _Optional[int] = ..., empty_close_ms: _Optional[int] = ..., index: _Optional[_Union[Index, str]] = ..., prune: _Optional[_Union[Prune, str]] = ..., swept: bool = ..., cell_size: _Optional[float] = ..., observers_max: _Optional[int] = ..., visible_entries_max: _Optional[int] = ..., writers: _Optional[int] = ..., step_deadline_ms: _Optional[int] = ..., join: _Optional[_Union[Access, str]] = ..., write: _Optional[_Union[Access, str]] = ..., step: _Optional[_Union[Access, str]] = ...) -> None: ...

class RoomInfo(_message.Message):
    __slots__ = ["entities", "name", "sessions", "tick", "tick_hz", "tick_mode"]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    TICK_HZ_FIELD_NUMBER: _ClassVar[int]
    TICK_MODE_FIELD_NUMBER: _ClassVar[int]
    entities: int
    name: str
    sessions: int
    tick: int
    tick_hz: int
    tick_mode: TickMode
    def __init__(self, name: _Optional[str] = ..., tick_mode: _Optional[_Union[TickMode, str]] = ..., tick_hz: _Optional[int] = ..., tick: _Optional[int] = ..., entities: _Optional[int] = ..., sessions: _Optional[int] = ...) -> None: ...

class RoomLeft(_message.Message):
    __slots__ = ["room"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    room: int
    def __init__(self, room: _Optional[int] = ...) -> None: ...

class RoomList(_message.Message):
    __slots__ = ["more", "next", "rooms"]
    MORE_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    ROOMS_FIELD_NUMBER: _ClassVar[int]
    more: bool
    next: str
    rooms: _containers.RepeatedCompositeFieldContainer[RoomInfo]
    def __init__(self, rooms: _Optional[_Iterable[_Union[RoomInfo, _Mapping]]] = ..., more: bool = ..., next: _Optional[str] = ...) -> None: ...

class RoomOpened(_message.Message):
    __slots__ = ["config", "created", "epoch", "name", "room", "tick"]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    config: RoomConfig
    created: bool
    epoch: int
    name: str
    room: int
    tick: int
    def __init__(self, room: _Optional[int] = ..., name: _Optional[str] = ..., config: _Optional[_Union[RoomConfig, _Mapping]] = ..., epoch: _Optional[int] = ..., tick: _Optional[int] = ..., created: bool = ...) -> None: ...

class RoomSlowed(_message.Message):
    __slots__ = ["room", "tick_hz", "tick_us"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    TICK_HZ_FIELD_NUMBER: _ClassVar[int]
    TICK_US_FIELD_NUMBER: _ClassVar[int]
    room: int
    tick_hz: int
    tick_us: int
    def __init__(self, room: _Optional[int] = ..., tick_hz: _Optional[int] = ..., tick_us: _Optional[int] = ...) -> None: ...

class RoomStats(_message.Message):
    __slots__ = ["begins", "depth", "ends", "enters", "entities", "index", "index_changes", "leaves", "memory_bytes", "observers", "pairs", "passed", "room", "sessions", "slowed_hz", "subscriptions", "tick", "tick_us_max", "tick_us_p50", "tick_us_p99", "ticks_skipped", "updates", "visible_entries"]
    BEGINS_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    ENTERS_FIELD_NUMBER: _ClassVar[int]
    ENTITIES_FIELD_NUMBER: _ClassVar[int]
    INDEX_CHANGES_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    LEAVES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    OBSERVERS_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    SLOWED_HZ_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    TICKS_SKIPPED_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    TICK_US_MAX_FIELD_NUMBER: _ClassVar[int]
    TICK_US_P50_FIELD_NUMBER: _ClassVar[int]
    TICK_US_P99_FIELD_NUMBER: _ClassVar[int]
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    begins: int
    depth: int
    ends: int
    enters: int
    entities: int
    index: Index
    index_changes: int
    leaves: int
    memory_bytes: int
    observers: int
    pairs: int
    passed: int
    room: int
    sessions: int
    slowed_hz: int
    subscriptions: int
    tick: int
    tick_us_max: float
    tick_us_p50: float
    tick_us_p99: float
    ticks_skipped: int
    updates: int
    visible_entries: int
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ..., entities: _Optional[int] = ..., sessions: _Optional[int] = ..., subscriptions: _Optional[int] = ..., updates: _Optional[int] = ..., begins: _Optional[int] = ..., ends: _Optional[int] = ..., ticks_skipped: _Optional[int] = ..., pairs: _Optional[int] = ..., tick_us_p50: _Optional[float] = ..., tick_us_p99: _Optional[float] = ..., tick_us_max: _Optional[float] = ..., memory_bytes: _Optional[int] = ..., depth: _Optional[int] = ..., index: _Optional[_Union[Index, str]] = ..., passed: _Optional[int] = ..., index_changes: _Optional[int] = ..., observers: _Optional[int] = ..., visible_entries: _Optional[int] = ..., enters: _Optional[int] = ..., leaves: _Optional[int] = ..., slowed_hz: _Optional[int] = ...) -> None: ...

class ServerFrame(_message.Message):
    __slots__ = ["accepted", "applied", "error", "go_away", "handed_over", "ping", "pong", "query_result", "room_closed", "room_left", "room_list", "room_opened", "room_slowed", "seq", "session_list", "snapshot_result", "stats", "tick", "view", "welcome", "why_result"]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    APPLIED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    GO_AWAY_FIELD_NUMBER: _ClassVar[int]
    HANDED_OVER_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    QUERY_RESULT_FIELD_NUMBER: _ClassVar[int]
    ROOM_CLOSED_FIELD_NUMBER: _ClassVar[int]
    ROOM_LEFT_FIELD_NUMBER: _ClassVar[int]
    ROOM_LIST_FIELD_NUMBER: _ClassVar[int]
    ROOM_OPENED_FIELD_NUMBER: _ClassVar[int]
    ROOM_SLOWED_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    SESSION_LIST_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_RESULT_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    WHY_RESULT_FIELD_NUMBER: _ClassVar[int]
    accepted: Accepted
    applied: Applied
    error: Error
    go_away: GoAway
    handed_over: HandedOver
    ping: Ping
    pong: Pong
    query_result: QueryResult
    room_closed: RoomClosed
    room_left: RoomLeft
    room_list: RoomList
    room_opened: RoomOpened
    room_slowed: RoomSlowed
    seq: int
    session_list: SessionList
    snapshot_result: SnapshotResult
    stats: Stats
    tick: Tick
    view: View
    welcome: Welcome
    why_result: WhyResult
    def __init__(self, seq: _Optional[int] = ..., welcome: _Optional[_Union[Welcome, _Mapping]] = ..., room_opened: _Optional[_Union[RoomOpened, _Mapping]] = ..., room_left: _Optional[_Union[RoomLeft, _Mapping]] = ..., room_closed: _Optional[_Union[RoomClosed, _Mapping]] = ..., room_list: _Optional[_Union[RoomList, _Mapping]] = ..., tick: _Optional[_Union[Tick, _Mapping]] = ..., applied: _Optional[_Union[Applied, _Mapping]] = ..., snapshot_result: _Optional[_Union[SnapshotResult, _Mapping]] = ..., stats: _Optional[_Union[Stats, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ..., go_away: _Optional[_Union[GoAway, _Mapping]] = ..., query_result: _Optional[_Union[QueryResult, _Mapping]] = ..., view: _Optional[_Union[View, _Mapping]] = ..., why_result: _Optional[_Union[WhyResult, _Mapping]] = ..., handed_over: _Optional[_Union[HandedOver, _Mapping]] = ..., accepted: _Optional[_Union[Accepted, _Mapping]] = ..., session_list: _Optional[_Union[SessionList, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., room_slowed: _Optional[_Union[RoomSlowed, _Mapping]] = ...) -> None: ...

class ServerStats(_message.Message):
    __slots__ = ["bytes_in", "bytes_out", "detached", "dropped_silent", "errors", "events", "log_dropped", "log_suppressed", "memory_bytes", "memory_bytes_max", "not_alive", "refused_by_address_accepts", "refused_by_address_connections", "refused_by_address_tokens", "refused_by_session_entities", "refused_by_session_memory", "refused_by_session_observers", "refused_by_session_rooms", "refused_by_session_subscriptions", "refused_by_session_visible_entries", "refused_by_token_connections", "refused_by_token_detached", "refused_by_token_entities", "refused_by_token_memory", "refused_by_token_observers", "refused_by_token_rooms", "refused_by_token_subscriptions", "refused_by_token_visible_entries", "refused_full", "refused_memory", "resumed", "rooms", "rooms_slowed", "sessions", "suspended_memory", "ticks", "too_slow", "updates", "uptime_ms", "workers"]
    BYTES_IN_FIELD_NUMBER: _ClassVar[int]
    BYTES_OUT_FIELD_NUMBER: _ClassVar[int]
    DETACHED_FIELD_NUMBER: _ClassVar[int]
    DROPPED_SILENT_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    LOG_DROPPED_FIELD_NUMBER: _ClassVar[int]
    LOG_SUPPRESSED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    NOT_ALIVE_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_ADDRESS_ACCEPTS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_ADDRESS_CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_ADDRESS_TOKENS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_SESSION_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_SESSION_MEMORY_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_SESSION_OBSERVERS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_SESSION_ROOMS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_SESSION_SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_SESSION_VISIBLE_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_TOKEN_CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_TOKEN_DETACHED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_TOKEN_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_TOKEN_MEMORY_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_TOKEN_OBSERVERS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_TOKEN_ROOMS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_TOKEN_SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_TOKEN_VISIBLE_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FULL_FIELD_NUMBER: _ClassVar[int]
    REFUSED_MEMORY_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    ROOMS_FIELD_NUMBER: _ClassVar[int]
    ROOMS_SLOWED_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_MEMORY_FIELD_NUMBER: _ClassVar[int]
    TICKS_FIELD_NUMBER: _ClassVar[int]
    TOO_SLOW_FIELD_NUMBER: _ClassVar[int]
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    UPTIME_MS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    bytes_in: int
    bytes_out: int
    detached: int
    dropped_silent: int
    errors: int
    events: int
    log_dropped: int
    log_suppressed: int
    memory_bytes: int
    memory_bytes_max: int
    not_alive: int
    refused_by_address_accepts: int
    refused_by_address_connections: int
    refused_by_address_tokens: int
    refused_by_session_entities: int
    refused_by_session_memory: int
    refused_by_session_observers: int
    refused_by_session_rooms: int
    refused_by_session_subscriptions: int
    refused_by_session_visible_entries: int
    refused_by_token_connections: int
    refused_by_token_detached: int
    refused_by_token_entities: int
    refused_by_token_memory: int
    refused_by_token_observers: int
    refused_by_token_rooms: int
    refused_by_token_subscriptions: int
    refused_by_token_visible_entries: int
    refused_full: int
    refused_memory: int
    resumed: int
    rooms: int
    rooms_slowed: int
    sessions: int
    suspended_memory: int
    ticks: int
    too_slow: int
    updates: int
    uptime_ms: int
    workers: int
    def __init__(self, uptime_ms: _Optional[int] = ..., sessions: _Optional[int] = ..., rooms: _Optional[int] = ..., workers: _Optional[int] = ..., memory_bytes: _Optional[int] = ..., memory_bytes_max: _Optional[int] = ..., ticks: _Optional[int] = ..., updates: _Optional[int] = ..., events: _Optional[int] = ..., bytes_in: _Optional[int] = ..., bytes_out: _Optional[int] = ..., errors: _Optional[int] = ..., too_slow: _Optional[int] = ..., detached: _Optional[int] = ..., resumed: _Optional[int] = ..., refused_by_session_rooms: _Optional[int] = ..., refused_by_session_entities: _Optional[int] = ..., refused_by_session_observers: _Optional[int] = ..., refused_by_session_visible_entries: _Optional[int] = ..., refused_by_session_subscriptions: _Optional[int] = ..., refused_by_session_memory: _Optional[int] = ..., refused_by_token_connections: _Optional[int] = ..., refused_by_token_detached: _Optional[int] = ..., refused_by_token_rooms: _Optional[int] = ..., refused_by_token_entities: _Optional[int] = ..., refused_by_token_observers: _Optional[int] = ..., refused_by_token_visible_entries: _Optional[int] = ..., refused_by_token_subscriptions: _Optional[int] = ..., refused_by_token_memory: _Optional[int] = ..., log_dropped: _Optional[int] = ..., log_suppressed: _Optional[int] = ..., not_alive: _Optional[int] = ..., refused_full: _Optional[int] = ..., refused_memory: _Optional[int] = ..., refused_by_address_connections: _Optional[int] = ..., refused_by_address_accepts: _Optional[int] = ..., refused_by_address_tokens: _Optional[int] = ..., dropped_silent: _Optional[int] = ..., rooms_slowed: _Optional[int] = ..., suspended_memory: _Optional[int] = ...) -> None: ...

class SessionInfo(_message.Message):
    __slots__ = ["age_ms", "client", "detached", "rooms", "session"]
    AGE_MS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    DETACHED_FIELD_NUMBER: _ClassVar[int]
    ROOMS_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    age_ms: int
    client: str
    detached: bool
    rooms: int
    session: int
    def __init__(self, session: _Optional[int] = ..., client: _Optional[str] = ..., detached: bool = ..., rooms: _Optional[int] = ..., age_ms: _Optional[int] = ...) -> None: ...

class SessionList(_message.Message):
    __slots__ = ["more", "sessions"]
    MORE_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    more: bool
    sessions: _containers.RepeatedCompositeFieldContainer[SessionInfo]
    def __init__(self, sessions: _Optional[_Iterable[_Union[SessionInfo, _Mapping]]] = ..., more: bool = ...) -> None: ...

class SetDescription(_message.Message):
    __slots__ = ["hidden", "id", "payload", "payload_size", "room", "tag", "team", "visible_range"]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_SIZE_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    TAG_FIELD_NUMBER: _ClassVar[int]
    TEAM_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_RANGE_FIELD_NUMBER: _ClassVar[int]
    hidden: bytes
    id: _containers.RepeatedScalarFieldContainer[int]
    payload: bytes
    payload_size: bytes
    room: int
    tag: _containers.RepeatedScalarFieldContainer[int]
    team: _containers.RepeatedScalarFieldContainer[int]
    visible_range: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., tag: _Optional[_Iterable[int]] = ..., payload: _Optional[bytes] = ..., payload_size: _Optional[bytes] = ..., visible_range: _Optional[_Iterable[float]] = ..., team: _Optional[_Iterable[int]] = ..., hidden: _Optional[bytes] = ...) -> None: ...

class SetExceptions(_message.Message):
    __slots__ = ["hide", "observer", "room", "show"]
    HIDE_FIELD_NUMBER: _ClassVar[int]
    OBSERVER_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SHOW_FIELD_NUMBER: _ClassVar[int]
    hide: _containers.RepeatedScalarFieldContainer[int]
    observer: int
    room: int
    show: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, room: _Optional[int] = ..., observer: _Optional[int] = ..., show: _Optional[_Iterable[int]] = ..., hide: _Optional[_Iterable[int]] = ...) -> None: ...

class SetRoster(_message.Message):
    __slots__ = ["first", "id", "keep_rest", "room", "roster"]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_REST_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    ROSTER_FIELD_NUMBER: _ClassVar[int]
    first: int
    id: _containers.RepeatedScalarFieldContainer[int]
    keep_rest: bool
    room: int
    roster: int
    def __init__(self, room: _Optional[int] = ..., roster: _Optional[int] = ..., first: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., keep_rest: bool = ...) -> None: ...

class SetViewOptions(_message.Message):
    __slots__ = ["bytes_max", "relay_k", "relay_once", "room", "watch"]
    class Watch(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    RELAY_K_FIELD_NUMBER: _ClassVar[int]
    RELAY_ONCE_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    WATCH_ALL: SetViewOptions.Watch
    WATCH_FIELD_NUMBER: _ClassVar[int]
    WATCH_NONE: SetViewOptions.Watch
    WATCH_OWN: SetViewOptions.Watch
    WATCH_UNSPECIFIED: SetViewOptions.Watch
    bytes_max: int
    relay_k: int
    relay_once: bool
    room: int
    watch: SetViewOptions.Watch
    def __init__(self, room: _Optional[int] = ..., bytes_max: _Optional[int] = ..., watch: _Optional[_Union[SetViewOptions.Watch, str]] = ..., relay_once: bool = ..., relay_k: _Optional[int] = ...) -> None: ...

class SnapshotResult(_message.Message):
    __slots__ = ["axis_x", "axis_y", "axis_z", "category", "half_x", "half_y", "half_z", "id", "last", "mask", "more", "radius", "room", "shape", "tick", "x", "y", "z"]
    AXIS_X_FIELD_NUMBER: _ClassVar[int]
    AXIS_Y_FIELD_NUMBER: _ClassVar[int]
    AXIS_Z_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    HALF_X_FIELD_NUMBER: _ClassVar[int]
    HALF_Y_FIELD_NUMBER: _ClassVar[int]
    HALF_Z_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    RADIUS_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    axis_x: _containers.RepeatedScalarFieldContainer[float]
    axis_y: _containers.RepeatedScalarFieldContainer[float]
    axis_z: _containers.RepeatedScalarFieldContainer[float]
    category: _containers.RepeatedScalarFieldContainer[int]
    half_x: _containers.RepeatedScalarFieldContainer[float]
    half_y: _containers.RepeatedScalarFieldContainer[float]
    half_z: _containers.RepeatedScalarFieldContainer[float]
    id: _containers.RepeatedScalarFieldContainer[int]
    last: bool
    mask: _containers.RepeatedScalarFieldContainer[int]
    more: bool
    radius: _containers.RepeatedScalarFieldContainer[float]
    room: int
    shape: bytes
    tick: int
    x: _containers.RepeatedScalarFieldContainer[float]
    y: _containers.RepeatedScalarFieldContainer[float]
    z: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ..., half_x: _Optional[_Iterable[float]] = ..., half_y: _Optional[_Iterable[float]] = ..., half_z: _Optional[_Iterable[float]] = ..., shape: _Optional[bytes] = ..., category: _Optional[_Iterable[int]] = ..., mask: _Optional[_Iterable[int]] = ..., more: bool = ..., last: bool = ..., radius: _Optional[_Iterable[float]] = ..., axis_x: _Optional[_Iterable[float]] = ..., axis_y: _Optional[_Iterable[float]] = ..., axis_z: _Optional[_Iterable[float]] = ...) -> None: ...

class Spawn(_message.Message):
    __slots__ = ["axis_x", "axis_y", "axis_z", "category", "half_x", "half_y", "half_z", "id", "mask", "radius", "room", "room_owned", "shape", "x", "y", "z"]
    AXIS_X_FIELD_NUMBER: _ClassVar[int]
    AXIS_Y_FIELD_NUMBER: _ClassVar[int]
    AXIS_Z_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    HALF_X_FIELD_NUMBER: _ClassVar[int]
    HALF_Y_FIELD_NUMBER: _ClassVar[int]
    HALF_Z_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    RADIUS_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    ROOM_OWNED_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    axis_x: _containers.RepeatedScalarFieldContainer[float]
    axis_y: _containers.RepeatedScalarFieldContainer[float]
    axis_z: _containers.RepeatedScalarFieldContainer[float]
    category: _containers.RepeatedScalarFieldContainer[int]
    half_x: _containers.RepeatedScalarFieldContainer[float]
    half_y: _containers.RepeatedScalarFieldContainer[float]
    half_z: _containers.RepeatedScalarFieldContainer[float]
    id: _containers.RepeatedScalarFieldContainer[int]
    mask: _containers.RepeatedScalarFieldContainer[int]
    radius: _containers.RepeatedScalarFieldContainer[float]
    room: int
    room_owned: bool
    shape: bytes
    x: _containers.RepeatedScalarFieldContainer[float]
    y: _containers.RepeatedScalarFieldContainer[float]
    z: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ..., half_x: _Optional[_Iterable[float]] = ..., half_y: _Optional[_Iterable[float]] = ..., half_z: _Optional[_Iterable[float]] = ..., shape: _Optional[bytes] = ..., category: _Optional[_Iterable[int]] = ..., mask: _Optional[_Iterable[int]] = ..., room_owned: bool = ..., radius: _Optional[_Iterable[float]] = ..., axis_x: _Optional[_Iterable[float]] = ..., axis_y: _Optional[_Iterable[float]] = ..., axis_z: _Optional[_Iterable[float]] = ...) -> None: ...

class Stats(_message.Message):
    __slots__ = ["room", "server"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    room: RoomStats
    server: ServerStats
    def __init__(self, server: _Optional[_Union[ServerStats, _Mapping]] = ..., room: _Optional[_Union[RoomStats, _Mapping]] = ...) -> None: ...

class Step(_message.Message):
    __slots__ = ["room", "tick"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    room: int
    tick: int
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ...) -> None: ...

class Subscribe(_message.Message):
    __slots__ = ["room", "scope", "stays"]
    class Scope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SCOPE_ALL: Subscribe.Scope
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_OWN: Subscribe.Scope
    SCOPE_UNSPECIFIED: Subscribe.Scope
    STAYS_FIELD_NUMBER: _ClassVar[int]
    room: int
    scope: Subscribe.Scope
    stays: bool
    def __init__(self, room: _Optional[int] = ..., scope: _Optional[_Union[Subscribe.Scope, str]] = ..., stays: bool = ...) -> None: ...

class Teleport(_message.Message):
    __slots__ = ["id", "room", "x", "y", "z"]
    ID_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    id: _containers.RepeatedScalarFieldContainer[int]
    room: int
    x: _containers.RepeatedScalarFieldContainer[float]
    y: _containers.RepeatedScalarFieldContainer[float]
    z: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ..., x: _Optional[_Iterable[float]] = ..., y: _Optional[_Iterable[float]] = ..., z: _Optional[_Iterable[float]] = ...) -> None: ...

class Tick(_message.Message):
    __slots__ = ["begin_a", "begin_b", "end_a", "end_b", "end_reason", "last", "merged_ticks", "passed_a", "passed_b", "passed_lost", "reset", "room", "skipped", "stay_a", "stay_b", "suspended", "suspended_count", "suspended_reason", "tick"]
    BEGIN_A_FIELD_NUMBER: _ClassVar[int]
    BEGIN_B_FIELD_NUMBER: _ClassVar[int]
    END_A_FIELD_NUMBER: _ClassVar[int]
    END_B_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    MERGED_TICKS_FIELD_NUMBER: _ClassVar[int]
    PASSED_A_FIELD_NUMBER: _ClassVar[int]
    PASSED_B_FIELD_NUMBER: _ClassVar[int]
    PASSED_LOST_FIELD_NUMBER: _ClassVar[int]
    RESET_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    STAY_A_FIELD_NUMBER: _ClassVar[int]
    STAY_B_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_COUNT_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_REASON_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    begin_a: _containers.RepeatedScalarFieldContainer[int]
    begin_b: _containers.RepeatedScalarFieldContainer[int]
    end_a: _containers.RepeatedScalarFieldContainer[int]
    end_b: _containers.RepeatedScalarFieldContainer[int]
    end_reason: bytes
    last: bool
    merged_ticks: int
    passed_a: _containers.RepeatedScalarFieldContainer[int]
    passed_b: _containers.RepeatedScalarFieldContainer[int]
    passed_lost: bool
    reset: bool
    room: int
    skipped: int
    stay_a: _containers.RepeatedScalarFieldContainer[int]
    stay_b: _containers.RepeatedScalarFieldContainer[int]
    suspended: bool
    suspended_count: int
    suspended_reason: SuspendReason
    tick: int
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ..., reset: bool = ..., last: bool = ..., skipped: _Optional[int] = ..., suspended: bool = ..., suspended_count: _Optional[int] = ..., end_a: _Optional[_Iterable[int]] = ..., end_b: _Optional[_Iterable[int]] = ..., end_reason: _Optional[bytes] = ..., begin_a: _Optional[_Iterable[int]] = ..., begin_b: _Optional[_Iterable[int]] = ..., stay_a: _Optional[_Iterable[int]] = ..., stay_b: _Optional[_Iterable[int]] = ..., passed_a: _Optional[_Iterable[int]] = ..., passed_b: _Optional[_Iterable[int]] = ..., merged_ticks: _Optional[int] = ..., passed_lost: bool = ..., suspended_reason: _Optional[_Union[SuspendReason, str]] = ...) -> None: ...

class Unobserve(_message.Message):
    __slots__ = ["id", "room"]
    ID_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    id: _containers.RepeatedScalarFieldContainer[int]
    room: int
    def __init__(self, room: _Optional[int] = ..., id: _Optional[_Iterable[int]] = ...) -> None: ...

class Unsubscribe(_message.Message):
    __slots__ = ["room"]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    room: int
    def __init__(self, room: _Optional[int] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ["enter_axis_x", "enter_axis_y", "enter_axis_z", "enter_category", "enter_half_x", "enter_half_y", "enter_half_z", "enter_id", "enter_observer", "enter_payload", "enter_payload_size", "enter_radius", "enter_shape", "enter_slot", "enter_tag", "enter_x", "enter_y", "enter_z", "exact_slot", "exact_x", "exact_y", "exact_z", "last", "leave_id", "leave_observer", "leave_reason", "merged_ticks", "relay", "relay_id", "relay_k", "relay_observer", "relay_x", "relay_y", "relay_z", "reset", "reset_watchers", "room", "suspended", "suspended_reason", "tick", "watcher_enter_entity", "watcher_enter_observer", "watcher_enter_session", "watcher_leave_entity", "watcher_leave_observer", "watcher_leave_session"]
    ENTER_AXIS_X_FIELD_NUMBER: _ClassVar[int]
    ENTER_AXIS_Y_FIELD_NUMBER: _ClassVar[int]
    ENTER_AXIS_Z_FIELD_NUMBER: _ClassVar[int]
    ENTER_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    ENTER_HALF_X_FIELD_NUMBER: _ClassVar[int]
    ENTER_HALF_Y_FIELD_NUMBER: _ClassVar[int]
    ENTER_HALF_Z_FIELD_NUMBER: _ClassVar[int]
    ENTER_ID_FIELD_NUMBER: _ClassVar[int]
    ENTER_OBSERVER_FIELD_NUMBER: _ClassVar[int]
    ENTER_PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    ENTER_PAYLOAD_SIZE_FIELD_NUMBER: _ClassVar[int]
    ENTER_RADIUS_FIELD_NUMBER: _ClassVar[int]
    ENTER_SHAPE_FIELD_NUMBER: _ClassVar[int]
    ENTER_SLOT_FIELD_NUMBER: _ClassVar[int]
    ENTER_TAG_FIELD_NUMBER: _ClassVar[int]
    ENTER_X_FIELD_NUMBER: _ClassVar[int]
    ENTER_Y_FIELD_NUMBER: _ClassVar[int]
    ENTER_Z_FIELD_NUMBER: _ClassVar[int]
    EXACT_SLOT_FIELD_NUMBER: _ClassVar[int]
    EXACT_X_FIELD_NUMBER: _ClassVar[int]
    EXACT_Y_FIELD_NUMBER: _ClassVar[int]
    EXACT_Z_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    LEAVE_ID_FIELD_NUMBER: _ClassVar[int]
    LEAVE_OBSERVER_FIELD_NUMBER: _ClassVar[int]
    LEAVE_REASON_FIELD_NUMBER: _ClassVar[int]
    MERGED_TICKS_FIELD_NUMBER: _ClassVar[int]
    RELAY_FIELD_NUMBER: _ClassVar[int]
    RELAY_ID_FIELD_NUMBER: _ClassVar[int]
    RELAY_K_FIELD_NUMBER: _ClassVar[int]
    RELAY_OBSERVER_FIELD_NUMBER: _ClassVar[int]
    RELAY_X_FIELD_NUMBER: _ClassVar[int]
    RELAY_Y_FIELD_NUMBER: _ClassVar[int]
    RELAY_Z_FIELD_NUMBER: _ClassVar[int]
    RESET_FIELD_NUMBER: _ClassVar[int]
    RESET_WATCHERS_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_REASON_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    WATCHER_ENTER_ENTITY_FIELD_NUMBER: _ClassVar[int]
    WATCHER_ENTER_OBSERVER_FIELD_NUMBER: _ClassVar[int]
    WATCHER_ENTER_SESSION_FIELD_NUMBER: _ClassVar[int]
    WATCHER_LEAVE_ENTITY_FIELD_NUMBER: _ClassVar[int]
    WATCHER_LEAVE_OBSERVER_FIELD_NUMBER: _ClassVar[int]
    WATCHER_LEAVE_SESSION_FIELD_NUMBER: _ClassVar[int]
    enter_axis_x: _containers.RepeatedScalarFieldContainer[float]
    enter_axis_y: _containers.RepeatedScalarFieldContainer[float]
    enter_axis_z: _containers.RepeatedScalarFieldContainer[float]
    enter_category: _containers.RepeatedScalarFieldContainer[int]
    enter_half_x: _containers.RepeatedScalarFieldContainer[float]
    enter_half_y: _containers.RepeatedScalarFieldContainer[float]
    enter_half_z: _containers.RepeatedScalarFieldContainer[float]
    enter_id: _containers.RepeatedScalarFieldContainer[int]
    enter_observer: _containers.RepeatedScalarFieldContainer[int]
    enter_payload: bytes
    enter_payload_size: bytes
    enter_radius: _containers.RepeatedScalarFieldContainer[float]
    enter_shape: bytes
    enter_slot: _containers.RepeatedScalarFieldContainer[int]
    enter_tag: _containers.RepeatedScalarFieldContainer[int]
    enter_x: _containers.RepeatedScalarFieldContainer[float]
    enter_y: _containers.RepeatedScalarFieldContainer[float]
    enter_z: _containers.RepeatedScalarFieldContainer[float]
    exact_slot: _containers.RepeatedScalarFieldContainer[int]
    exact_x: _containers.RepeatedScalarFieldContainer[float]
    exact_y: _containers.RepeatedScalarFieldContainer[float]
    exact_z: _containers.RepeatedScalarFieldContainer[float]
    last: bool
    leave_id: _containers.RepeatedScalarFieldContainer[int]
    leave_observer: _containers.RepeatedScalarFieldContainer[int]
    leave_reason: bytes
    merged_ticks: int
    relay: bytes
    relay_id: _containers.RepeatedScalarFieldContainer[int]
    relay_k: int
    relay_observer: _containers.RepeatedScalarFieldContainer[int]
    relay_x: _containers.RepeatedScalarFieldContainer[float]
    relay_y: _containers.RepeatedScalarFieldContainer[float]
    relay_z: _containers.RepeatedScalarFieldContainer[float]
    reset: bool
    reset_watchers: bool
    room: int
    suspended: bool
    suspended_reason: SuspendReason
    tick: int
    watcher_enter_entity: _containers.RepeatedScalarFieldContainer[int]
    watcher_enter_observer: _containers.RepeatedScalarFieldContainer[int]
    watcher_enter_session: _containers.RepeatedScalarFieldContainer[int]
    watcher_leave_entity: _containers.RepeatedScalarFieldContainer[int]
    watcher_leave_observer: _containers.RepeatedScalarFieldContainer[int]
    watcher_leave_session: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ..., last: bool = ..., reset: bool = ..., reset_watchers: bool = ..., suspended: bool = ..., leave_observer: _Optional[_Iterable[int]] = ..., leave_id: _Optional[_Iterable[int]] = ..., leave_reason: _Optional[bytes] = ..., enter_observer: _Optional[_Iterable[int]] = ..., enter_id: _Optional[_Iterable[int]] = ..., enter_x: _Optional[_Iterable[float]] = ..., enter_y: _Optional[_Iterable[float]] = ..., enter_z: _Optional[_Iterable[float]] = ..., enter_half_x: _Optional[_Iterable[float]] = ..., enter_half_y: _Optional[_Iterable[float]] = ..., enter_half_z: _Optional[_Iterable[float]] = ..., enter_radius: _Optional[_Iterable[float]] = ..., enter_shape: _Optional[bytes] = ..., enter_category: _Optional[_Iterable[int]] = ..., enter_tag: _Optional[_Iterable[int]] = ..., enter_payload_size: _Optional[bytes] = ..., enter_payload: _Optional[bytes] = ..., relay_observer: _Optional[_Iterable[int]] = ..., relay_id: _Optional[_Iterable[int]] = ..., relay_x: _Optional[_Iterable[float]] = ..., relay_y: _Optional[_Iterable[float]] = ..., relay_z: _Optional[_Iterable[float]] = ..., watcher_leave_entity: _Optional[_Iterable[int]] = ..., watcher_leave_session: _Optional[_Iterable[int]] = ..., watcher_leave_observer: _Optional[_Iterable[int]] = ..., watcher_enter_entity: _Optional[_Iterable[int]] = ..., watcher_enter_session: _Optional[_Iterable[int]] = ..., watcher_enter_observer: _Optional[_Iterable[int]] = ..., merged_ticks: _Optional[int] = ..., enter_axis_x: _Optional[_Iterable[float]] = ..., enter_axis_y: _Optional[_Iterable[float]] = ..., enter_axis_z: _Optional[_Iterable[float]] = ..., suspended_reason: _Optional[_Union[SuspendReason, str]] = ..., enter_slot: _Optional[_Iterable[int]] = ..., relay_k: _Optional[int] = ..., relay: _Optional[bytes] = ..., exact_slot: _Optional[_Iterable[int]] = ..., exact_x: _Optional[_Iterable[float]] = ..., exact_y: _Optional[_Iterable[float]] = ..., exact_z: _Optional[_Iterable[float]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ["features", "last_seq", "limits", "resume_key", "resume_ms", "resumed", "server", "session", "version"]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    RESUME_KEY_FIELD_NUMBER: _ClassVar[int]
    RESUME_MS_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    features: _containers.RepeatedScalarFieldContainer[str]
    last_seq: int
    limits: Limits
    resume_key: bytes
    resume_ms: int
    resumed: bool
    server: str
    session: int
    version: int
    def __init__(self, version: _Optional[int] = ..., server: _Optional[str] = ..., session: _Optional[int] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., resume_key: _Optional[bytes] = ..., resumed: bool = ..., last_seq: _Optional[int] = ..., resume_ms: _Optional[int] = ..., features: _Optional[_Iterable[str]] = ...) -> None: ...

class Why(_message.Message):
    __slots__ = ["a", "b", "observer", "room"]
    A_FIELD_NUMBER: _ClassVar[int]
    B_FIELD_NUMBER: _ClassVar[int]
    OBSERVER_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    a: int
    b: int
    observer: bool
    room: int
    def __init__(self, room: _Optional[int] = ..., a: _Optional[int] = ..., observer: bool = ..., b: _Optional[int] = ...) -> None: ...

class WhyResult(_message.Message):
    __slots__ = ["distance", "leave_margin", "limit", "more", "observer", "range", "room", "seen", "session", "tick", "visibility"]
    DISTANCE_FIELD_NUMBER: _ClassVar[int]
    LEAVE_MARGIN_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    OBSERVER_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    TICK_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    distance: _containers.RepeatedScalarFieldContainer[float]
    leave_margin: _containers.RepeatedScalarFieldContainer[float]
    limit: _containers.RepeatedScalarFieldContainer[int]
    more: bool
    observer: _containers.RepeatedScalarFieldContainer[int]
    range: _containers.RepeatedScalarFieldContainer[float]
    room: int
    seen: _containers.RepeatedScalarFieldContainer[int]
    session: _containers.RepeatedScalarFieldContainer[int]
    tick: int
    visibility: bytes
    def __init__(self, room: _Optional[int] = ..., tick: _Optional[int] = ..., session: _Optional[_Iterable[int]] = ..., observer: _Optional[_Iterable[int]] = ..., visibility: _Optional[bytes] = ..., distance: _Optional[_Iterable[float]] = ..., range: _Optional[_Iterable[float]] = ..., leave_margin: _Optional[_Iterable[float]] = ..., limit: _Optional[_Iterable[int]] = ..., seen: _Optional[_Iterable[int]] = ..., more: bool = ...) -> None: ...

class Access(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Index(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Prune(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class TickMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Shape(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class EndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class SuspendReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class LeaveReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Visibility(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ErrorCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
