// SPDX-License-Identifier: Apache-2.0
//
// Made by tools/generate from proto/quadrille.proto, which documents every field. Do not change it by hand.

export const GoAwayReason = {
  UNSPECIFIED: 0,
  SHUTDOWN: 1,
  PROTOCOL: 2,
  FULL: 3,
  TOO_SLOW: 4,
  TAKEN_OVER: 5,
  QUOTA: 6,
  NOT_ALIVE: 7,
  REVOKED: 8,
} as const;
export type GoAwayReason = (typeof GoAwayReason)[keyof typeof GoAwayReason];

export const RoomClosedReason = {
  UNSPECIFIED: 0,
  REQUESTED: 1,
  EMPTY: 2,
  SHUTDOWN: 3,
} as const;
export type RoomClosedReason = (typeof RoomClosedReason)[keyof typeof RoomClosedReason];

export const Scope = {
  UNSPECIFIED: 0,
  ALL: 1,
  OWN: 2,
} as const;
export type Scope = (typeof Scope)[keyof typeof Scope];

export const Region = {
  UNSPECIFIED: 0,
  CIRCLE: 1,
  BOX: 2,
  CONE: 3,
} as const;
export type Region = (typeof Region)[keyof typeof Region];

export const Watch = {
  UNSPECIFIED: 0,
  NONE: 1,
  OWN: 2,
  ALL: 3,
} as const;
export type Watch = (typeof Watch)[keyof typeof Watch];

export const Access = {
  UNSPECIFIED: 0,
  ANYBODY: 1,
  SAME_TOKEN: 2,
  CREATOR: 3,
} as const;
export type Access = (typeof Access)[keyof typeof Access];

export const Index = {
  UNSPECIFIED: 0,
  AUTO: 1,
  QUADTREE: 2,
  OCTREE: 3,
  SPARSE: 4,
  HASH: 5,
  GRID: 6,
  BRUTE: 7,
} as const;
export type Index = (typeof Index)[keyof typeof Index];

export const Prune = {
  UNSPECIFIED: 0,
  AUTO: 1,
  CANDIDATES: 2,
  TRAVERSAL: 3,
  LAZY: 4,
} as const;
export type Prune = (typeof Prune)[keyof typeof Prune];

export const TickMode = {
  UNSPECIFIED: 0,
  CLOCK: 1,
  STEP: 2,
} as const;
export type TickMode = (typeof TickMode)[keyof typeof TickMode];

export const Shape = {
  UNSPECIFIED: 0,
  BOX: 1,
  CIRCLE: 2,
  CAPSULE: 3,
} as const;
export type Shape = (typeof Shape)[keyof typeof Shape];

export const EndReason = {
  UNSPECIFIED: 0,
  ROOM_CLOSED: 1,
  EXPIRED: 2,
  DESPAWNED: 3,
  FILTERED: 4,
  RESIZED: 5,
  TELEPORTED: 6,
  MOVED_APART: 7,
} as const;
export type EndReason = (typeof EndReason)[keyof typeof EndReason];

export const SuspendReason = {
  UNSPECIFIED: 0,
  LIMIT: 1,
  MEMORY: 2,
} as const;
export type SuspendReason = (typeof SuspendReason)[keyof typeof SuspendReason];

export const LeaveReason = {
  UNSPECIFIED: 0,
  ROOM_CLOSED: 1,
  OBSERVER: 2,
  EXPIRED: 3,
  DESPAWNED: 4,
  EXCEPTED: 5,
  HIDDEN: 6,
  FILTERED: 7,
  TEAM: 8,
  RANGE: 9,
  LIMIT: 10,
} as const;
export type LeaveReason = (typeof LeaveReason)[keyof typeof LeaveReason];

export const Visibility = {
  UNSPECIFIED: 0,
  SEEN: 1,
  SEEN_BY_SHOW: 2,
  SEEN_BY_MARGIN: 3,
  NOT_EXCEPTED: 4,
  NOT_HIDDEN: 5,
  NOT_SELF: 6,
  NOT_MASK: 7,
  NOT_TEAM: 8,
  NOT_RANGE: 9,
  NOT_ANGLE: 10,
  NOT_LIMIT: 11,
  NOT_BUDGET: 12,
  NOT_YET: 13,
} as const;
export type Visibility = (typeof Visibility)[keyof typeof Visibility];

export const ErrorCode = {
  UNSPECIFIED: 0,
  MALFORMED: 1,
  FRAME_TOO_LONG: 2,
  NO_HELLO: 3,
  VERSION: 4,
  UNAUTHENTICATED: 5,
  UNKNOWN_MESSAGE: 16,
  INVALID: 17,
  COLUMNS: 18,
  UNKNOWN_ROOM: 19,
  CONFIG_MISMATCH: 20,
  NOT_ALLOWED: 21,
  LIMIT: 22,
  NOT_STEP_MODE: 23,
  WRONG_TICK: 24,
  TICK_OVER: 26,
  UNKNOWN_ROSTER: 27,
  QUOTA_SESSION: 28,
  QUOTA_TOKEN: 29,
  QUOTA_ADDRESS: 30,
  UNKNOWN_ID: 32,
  ID_TAKEN: 33,
  NOT_OWNER: 34,
  NOT_FINITE: 35,
  NEGATIVE_SIZE: 36,
  UNKNOWN_SHAPE: 37,
  ROOM_FULL: 38,
  UNKNOWN_OBSERVER: 39,
  BAD_REGION: 40,
  OBSERVERS_FULL: 41,
  WRONG_COLUMN: 42,
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

export interface ClientFrame {
  seq: number;
  hello?: Hello;
  openRoom?: OpenRoom;
  leaveRoom?: LeaveRoom;
  closeRoom?: CloseRoom;
  listRooms?: ListRooms;
  spawn?: Spawn;
  move?: Move;
  teleport?: Teleport;
  reshape?: Reshape;
  despawn?: Despawn;
  subscribe?: Subscribe;
  unsubscribe?: Unsubscribe;
  getSnapshot?: GetSnapshot;
  step?: Step;
  getStats?: GetStats;
  ping?: Ping;
  query?: Query;
  setDescription?: SetDescription;
  observe?: Observe;
  moveObservers?: MoveObservers;
  unobserve?: Unobserve;
  setExceptions?: SetExceptions;
  setViewOptions?: SetViewOptions;
  why?: Why;
  handOver?: HandOver;
  ack?: Ack;
  adopt?: Adopt;
  setRoster?: SetRoster;
  moveRoster?: MoveRoster;
  listSessions?: ListSessions;
  pong?: Pong;
  moveRooms?: MoveRooms;
  confirm: boolean;
}

export interface ServerFrame {
  seq: number;
  welcome?: Welcome;
  roomOpened?: RoomOpened;
  roomLeft?: RoomLeft;
  roomClosed?: RoomClosed;
  roomList?: RoomList;
  tick?: Tick;
  applied?: Applied;
  snapshotResult?: SnapshotResult;
  stats?: Stats;
  pong?: Pong;
  error?: Error;
  goAway?: GoAway;
  queryResult?: QueryResult;
  view?: View;
  whyResult?: WhyResult;
  handedOver?: HandedOver;
  accepted?: Accepted;
  sessionList?: SessionList;
  ping?: Ping;
  roomSlowed?: RoomSlowed;
}

export interface Hello {
  version: number;
  token: string;
  client: string;
  resumable: boolean;
  resume: Uint8Array;
  features: string[];
}

export interface Welcome {
  version: number;
  server: string;
  session: number;
  limits?: Limits;
  resumeKey: Uint8Array;
  resumed: boolean;
  lastSeq: number;
  resumeMs: number;
  features: string[];
}

export interface Limits {
  frameBytesMax: number;
  roomsMax: number;
  entitiesMax: number;
  eventsMax: number;
  nameBytesMax: number;
  queueBytesMax: number;
  slowMsMax: number;
  observersMax: number;
  visibleEntriesMax: number;
  rosterIdsMax: number;
  testBudget: number;
  emptyCloseMsMax: number;
}

export interface GoAway {
  reason: GoAwayReason;
  text: string;
  deadlineMs: number;
}

export interface Ack {
  room: number;
  tick: number;
}

export interface ListSessions {
  room: number;
  after: number;
  limit: number;
}

export interface SessionList {
  sessions: SessionInfo[];
  more: boolean;
}

export interface SessionInfo {
  session: number;
  client: string;
  detached: boolean;
  rooms: number;
  ageMs: number;
}

export interface Ping {
  data: bigint;
}

export interface Pong {
  data: bigint;
}

export interface OpenRoom {
  name: string;
  config?: RoomConfig;
}

export interface RoomConfig {
  dimensions: number;
  bounds?: Bounds;
  tickMode: TickMode;
  tickHz: number;
  depth: number;
  entitiesMax: number;
  eventsMax: number;
  graceMs?: number;
  emptyCloseMs?: number;
  index: Index;
  prune: Prune;
  swept?: boolean;
  cellSize: number;
  observersMax: number;
  visibleEntriesMax: number;
  writers: number;
  stepDeadlineMs: number;
  join: Access;
  write: Access;
  step: Access;
}

export interface Bounds {
  minX: number;
  minY: number;
  minZ: number;
  maxX: number;
  maxY: number;
  maxZ: number;
}

export interface RoomOpened {
  room: number;
  name: string;
  config?: RoomConfig;
  epoch: bigint;
  tick: number;
  created: boolean;
}

export interface LeaveRoom {
  room: number;
}

export interface RoomLeft {
  room: number;
}

export interface CloseRoom {
  room: number;
}

export interface RoomClosed {
  room: number;
  reason: RoomClosedReason;
}

export interface RoomSlowed {
  room: number;
  tickHz: number;
  tickUs: number;
}

export interface ListRooms {
  after: string;
  limit: number;
}

export interface RoomList {
  rooms: RoomInfo[];
  more: boolean;
  next: string;
}

export interface RoomInfo {
  name: string;
  tickMode: TickMode;
  tickHz: number;
  tick: number;
  entities: number;
  sessions: number;
}

export interface Spawn {
  room: number;
  id: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  halfX: Float32Array;
  halfY: Float32Array;
  halfZ: Float32Array;
  shape: Uint8Array;
  category: Uint32Array;
  mask: Uint32Array;
  roomOwned: boolean;
  radius: Float32Array;
  axisX: Float32Array;
  axisY: Float32Array;
  axisZ: Float32Array;
}

export interface Move {
  room: number;
  id: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
}

export interface Teleport {
  room: number;
  id: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
}

export interface Reshape {
  room: number;
  id: Uint32Array;
  halfX: Float32Array;
  halfY: Float32Array;
  halfZ: Float32Array;
  shape: Uint8Array;
  category: Uint32Array;
  mask: Uint32Array;
  radius: Float32Array;
  axisX: Float32Array;
  axisY: Float32Array;
  axisZ: Float32Array;
}

export interface Despawn {
  room: number;
  id: Uint32Array;
}

export interface SetRoster {
  room: number;
  roster: number;
  first: number;
  id: Uint32Array;
  keepRest: boolean;
}

export interface MoveRoster {
  room: number;
  roster: number;
  first: number;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
}

export interface MoveRooms {
  partRoom: BigUint64Array;
  partSize: Uint32Array;
  id: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  partRoster: Uint32Array;
  partFirst: Uint32Array;
}

export interface HandOver {
  room: number;
  id: Uint32Array;
  session: number;
  roomOwned: boolean;
}

export interface Adopt {
  room: number;
  session: number;
}

export interface HandedOver {
  room: number;
  id: Uint32Array;
  from: number;
  to: number;
  connected: BigUint64Array;
  connectedTotal: number;
  last: boolean;
}

export interface Subscribe {
  room: number;
  scope: Scope;
  stays: boolean;
}

export interface Unsubscribe {
  room: number;
}

export interface Step {
  room: number;
  tick: number;
}

export interface Tick {
  room: number;
  tick: number;
  reset: boolean;
  last: boolean;
  skipped: number;
  suspended: boolean;
  suspendedCount: number;
  endA: Uint32Array;
  endB: Uint32Array;
  endReason: Uint8Array;
  beginA: Uint32Array;
  beginB: Uint32Array;
  stayA: Uint32Array;
  stayB: Uint32Array;
  passedA: Uint32Array;
  passedB: Uint32Array;
  mergedTicks: number;
  passedLost: boolean;
  suspendedReason: SuspendReason;
}

export interface Accepted {
  room: number;
  tick: number;
  refusedIndex: Uint32Array;
  refusedCode: Uint8Array;
  refusedField: Uint8Array;
  text: string;
  refusedTotal: number;
  last: boolean;
}

export interface Applied {
  room: number;
  tick: number;
  seq: number;
  late: BigUint64Array;
  lateTotal: number;
  pairsLagging: boolean;
  viewsLagging: boolean;
}

export interface SetDescription {
  room: number;
  id: Uint32Array;
  tag: BigUint64Array;
  payload: Uint8Array;
  payloadSize: Uint8Array;
  visibleRange: Float32Array;
  team: Uint32Array;
  hidden: Uint8Array;
}

export interface Observe {
  room: number;
  id: Uint32Array;
  region: Uint8Array;
  anchored: Uint8Array;
  entity: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  range: Float32Array;
  halfX: Float32Array;
  halfY: Float32Array;
  halfZ: Float32Array;
  directionX: Float32Array;
  directionY: Float32Array;
  directionZ: Float32Array;
  angle: Float32Array;
  leaveMargin: Float32Array;
  mask: Uint32Array;
  limit: Uint32Array;
  enterBudget: Uint32Array;
  team: Uint32Array;
  seesSelf: Uint8Array;
  relayRange: Float32Array;
  relayEvery: Uint32Array;
}

export interface MoveObservers {
  room: number;
  id: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  directionX: Float32Array;
  directionY: Float32Array;
  directionZ: Float32Array;
}

export interface Unobserve {
  room: number;
  id: Uint32Array;
}

export interface SetExceptions {
  room: number;
  observer: number;
  show: Uint32Array;
  hide: Uint32Array;
}

export interface SetViewOptions {
  room: number;
  bytesMax: number;
  watch: Watch;
  relayOnce: boolean;
  relayK?: number;
}

export interface View {
  room: number;
  tick: number;
  last: boolean;
  reset: boolean;
  resetWatchers: boolean;
  suspended: boolean;
  leaveObserver: Uint32Array;
  leaveId: Uint32Array;
  leaveReason: Uint8Array;
  enterObserver: Uint32Array;
  enterId: Uint32Array;
  enterX: Float32Array;
  enterY: Float32Array;
  enterZ: Float32Array;
  enterHalfX: Float32Array;
  enterHalfY: Float32Array;
  enterHalfZ: Float32Array;
  enterRadius: Float32Array;
  enterShape: Uint8Array;
  enterCategory: Uint32Array;
  enterTag: BigUint64Array;
  enterPayloadSize: Uint8Array;
  enterPayload: Uint8Array;
  relayObserver: Uint32Array;
  relayId: Uint32Array;
  relayX: Float32Array;
  relayY: Float32Array;
  relayZ: Float32Array;
  watcherLeaveEntity: Uint32Array;
  watcherLeaveSession: BigUint64Array;
  watcherLeaveObserver: Uint32Array;
  watcherEnterEntity: Uint32Array;
  watcherEnterSession: BigUint64Array;
  watcherEnterObserver: Uint32Array;
  mergedTicks: number;
  enterAxisX: Float32Array;
  enterAxisY: Float32Array;
  enterAxisZ: Float32Array;
  suspendedReason: SuspendReason;
  enterSlot: Uint32Array;
  relayK?: number;
  relay: Uint8Array;
  exactSlot: Uint32Array;
  exactX: Float32Array;
  exactY: Float32Array;
  exactZ: Float32Array;
}

export interface Why {
  room: number;
  a: number;
  observer: boolean;
  b: number;
}

export interface WhyResult {
  room: number;
  tick: number;
  session: BigUint64Array;
  observer: Uint32Array;
  visibility: Uint8Array;
  distance: Float64Array;
  range: Float32Array;
  leaveMargin: Float32Array;
  limit: Uint32Array;
  seen: Uint32Array;
  more: boolean;
}

export interface Query {
  room: number;
  box?: Bounds;
  circle?: QueryCircle;
  nearest?: QueryNearest;
  ray?: QueryRay;
  categories: number;
  limit: number;
}

export interface QueryCircle {
  x: number;
  y: number;
  z: number;
  radius: number;
}

export interface QueryNearest {
  x: number;
  y: number;
  z: number;
  within?: number;
}

export interface QueryRay {
  x: number;
  y: number;
  z: number;
  directionX: number;
  directionY: number;
  directionZ: number;
  length: number;
}

export interface QueryResult {
  room: number;
  tick: number;
  id: Uint32Array;
  distance: Float64Array;
  more: boolean;
}

export interface GetSnapshot {
  room: number;
  region?: Bounds;
  limit: number;
  own: boolean;
}

export interface SnapshotResult {
  room: number;
  tick: number;
  id: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  halfX: Float32Array;
  halfY: Float32Array;
  halfZ: Float32Array;
  shape: Uint8Array;
  category: Uint32Array;
  mask: Uint32Array;
  more: boolean;
  last: boolean;
  radius: Float32Array;
  axisX: Float32Array;
  axisY: Float32Array;
  axisZ: Float32Array;
}

export interface GetStats {
  room: number;
}

export interface Stats {
  server?: ServerStats;
  room?: RoomStats;
}

export interface ServerStats {
  uptimeMs: number;
  sessions: number;
  rooms: number;
  workers: number;
  memoryBytes: number;
  memoryBytesMax: number;
  ticks: number;
  updates: number;
  events: number;
  bytesIn: number;
  bytesOut: number;
  errors: number;
  tooSlow: number;
  detached: number;
  resumed: number;
  refusedBySessionRooms: number;
  refusedBySessionEntities: number;
  refusedBySessionObservers: number;
  refusedBySessionVisibleEntries: number;
  refusedBySessionSubscriptions: number;
  refusedByTokenConnections: number;
  refusedByTokenDetached: number;
  refusedByTokenRooms: number;
  refusedByTokenEntities: number;
  refusedByTokenObservers: number;
  refusedByTokenVisibleEntries: number;
  refusedByTokenSubscriptions: number;
  refusedByTokenMemory: number;
  logDropped: number;
  logSuppressed: number;
  notAlive: number;
  refusedFull: number;
  refusedMemory: number;
  refusedByAddressConnections: number;
  refusedByAddressAccepts: number;
  refusedByAddressTokens: number;
  droppedSilent: number;
  roomsSlowed: number;
  suspendedMemory: number;
}

export interface RoomStats {
  room: number;
  tick: number;
  entities: number;
  sessions: number;
  subscriptions: number;
  updates: number;
  begins: number;
  ends: number;
  ticksSkipped: number;
  pairs: number;
  tickUsP50: number;
  tickUsP99: number;
  tickUsMax: number;
  memoryBytes: number;
  depth: number;
  index: Index;
  passed: number;
  indexChanges: number;
  observers: number;
  visibleEntries: number;
  enters: number;
  leaves: number;
  slowedHz: number;
}

export interface Error {
  code: ErrorCode;
  text: string;
  seq: number;
  room: number;
  tickDue: number;
}

/** Enums by name: the prefix of their values on the wire, and the values. */
export const ENUMS: Record<string, [string, Record<string, number>]> = {
  GoAwayReason: ["REASON_", GoAwayReason],
  RoomClosedReason: ["REASON_", RoomClosedReason],
  Scope: ["SCOPE_", Scope],
  Region: ["REGION_", Region],
  Watch: ["WATCH_", Watch],
  Access: ["ACCESS_", Access],
  Index: ["INDEX_", Index],
  Prune: ["PRUNE_", Prune],
  TickMode: ["TICK_MODE_", TickMode],
  Shape: ["SHAPE_", Shape],
  EndReason: ["END_REASON_", EndReason],
  SuspendReason: ["SUSPEND_REASON_", SuspendReason],
  LeaveReason: ["LEAVE_REASON_", LeaveReason],
  Visibility: ["VISIBILITY_", Visibility],
  ErrorCode: ["ERROR_CODE_", ErrorCode],
};

/** How a field is encoded. */
export const enum Trait {
  COLUMN = 1,
  REPEATED = 2,
  PRESENCE = 4,
}

/** The fields of each message: name, number, kind, traits, and the name of a message or an enum. */
export const MESSAGES: Record<string, [string, number, string, number, string?][]> = {
  ClientFrame: [
    ["seq", 1, "uint64", 0],
    ["hello", 2, "message", 4, "Hello"],
    ["openRoom", 3, "message", 4, "OpenRoom"],
    ["leaveRoom", 4, "message", 4, "LeaveRoom"],
    ["closeRoom", 5, "message", 4, "CloseRoom"],
    ["listRooms", 6, "message", 4, "ListRooms"],
    ["spawn", 7, "message", 4, "Spawn"],
    ["move", 8, "message", 4, "Move"],
    ["teleport", 9, "message", 4, "Teleport"],
    ["reshape", 10, "message", 4, "Reshape"],
    ["despawn", 11, "message", 4, "Despawn"],
    ["subscribe", 12, "message", 4, "Subscribe"],
    ["unsubscribe", 13, "message", 4, "Unsubscribe"],
    ["getSnapshot", 14, "message", 4, "GetSnapshot"],
    ["step", 15, "message", 4, "Step"],
    ["getStats", 16, "message", 4, "GetStats"],
    ["ping", 17, "message", 4, "Ping"],
    ["query", 18, "message", 4, "Query"],
    ["setDescription", 19, "message", 4, "SetDescription"],
    ["observe", 20, "message", 4, "Observe"],
    ["moveObservers", 21, "message", 4, "MoveObservers"],
    ["unobserve", 22, "message", 4, "Unobserve"],
    ["setExceptions", 23, "message", 4, "SetExceptions"],
    ["setViewOptions", 24, "message", 4, "SetViewOptions"],
    ["why", 25, "message", 4, "Why"],
    ["handOver", 26, "message", 4, "HandOver"],
    ["ack", 27, "message", 4, "Ack"],
    ["adopt", 28, "message", 4, "Adopt"],
    ["setRoster", 29, "message", 4, "SetRoster"],
    ["moveRoster", 30, "message", 4, "MoveRoster"],
    ["confirm", 31, "bool", 0],
    ["listSessions", 32, "message", 4, "ListSessions"],
    ["pong", 33, "message", 4, "Pong"],
    ["moveRooms", 34, "message", 4, "MoveRooms"],
  ],
  ServerFrame: [
    ["seq", 1, "uint64", 0],
    ["welcome", 2, "message", 4, "Welcome"],
    ["roomOpened", 3, "message", 4, "RoomOpened"],
    ["roomLeft", 4, "message", 4, "RoomLeft"],
    ["roomClosed", 5, "message", 4, "RoomClosed"],
    ["roomList", 6, "message", 4, "RoomList"],
    ["tick", 7, "message", 4, "Tick"],
    ["applied", 8, "message", 4, "Applied"],
    ["snapshotResult", 9, "message", 4, "SnapshotResult"],
    ["stats", 10, "message", 4, "Stats"],
    ["pong", 11, "message", 4, "Pong"],
    ["error", 12, "message", 4, "Error"],
    ["goAway", 13, "message", 4, "GoAway"],
    ["queryResult", 14, "message", 4, "QueryResult"],
    ["view", 15, "message", 4, "View"],
    ["whyResult", 16, "message", 4, "WhyResult"],
    ["handedOver", 17, "message", 4, "HandedOver"],
    ["accepted", 18, "message", 4, "Accepted"],
    ["sessionList", 19, "message", 4, "SessionList"],
    ["ping", 20, "message", 4, "Ping"],
    ["roomSlowed", 21, "message", 4, "RoomSlowed"],
  ],
  Hello: [
    ["version", 1, "uint32", 0],
    ["token", 2, "string", 0],
    ["client", 3, "string", 0],
    ["resumable", 4, "bool", 0],
    ["resume", 5, "bytes", 0],
    ["features", 6, "string", 2],
  ],
  Welcome: [
    ["version", 1, "uint32", 0],
    ["server", 2, "string", 0],
    ["session", 3, "uint64", 0],
    ["limits", 4, "message", 4, "Limits"],
    ["resumeKey", 5, "bytes", 0],
    ["resumed", 6, "bool", 0],
    ["lastSeq", 7, "uint64", 0],
    ["resumeMs", 8, "uint32", 0],
    ["features", 9, "string", 2],
  ],
  Limits: [
    ["frameBytesMax", 1, "uint32", 0],
    ["roomsMax", 2, "uint32", 0],
    ["entitiesMax", 3, "uint32", 0],
    ["eventsMax", 4, "uint32", 0],
    ["nameBytesMax", 5, "uint32", 0],
    ["queueBytesMax", 6, "uint32", 0],
    ["slowMsMax", 7, "uint32", 0],
    ["observersMax", 8, "uint32", 0],
    ["visibleEntriesMax", 9, "uint32", 0],
    ["rosterIdsMax", 10, "uint32", 0],
    ["testBudget", 11, "uint32", 0],
    ["emptyCloseMsMax", 12, "uint32", 0],
  ],
  GoAway: [
    ["reason", 1, "enum", 0, "GoAwayReason"],
    ["text", 2, "string", 0],
    ["deadlineMs", 3, "uint32", 0],
  ],
  Ack: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
  ],
  ListSessions: [
    ["room", 1, "uint64", 0],
    ["after", 2, "uint64", 0],
    ["limit", 3, "uint32", 0],
  ],
  SessionList: [
    ["sessions", 1, "message", 2, "SessionInfo"],
    ["more", 2, "bool", 0],
  ],
  SessionInfo: [
    ["session", 1, "uint64", 0],
    ["client", 2, "string", 0],
    ["detached", 3, "bool", 0],
    ["rooms", 4, "uint32", 0],
    ["ageMs", 5, "uint64", 0],
  ],
  Ping: [
    ["data", 1, "fixed64", 0],
  ],
  Pong: [
    ["data", 1, "fixed64", 0],
  ],
  OpenRoom: [
    ["name", 1, "string", 0],
    ["config", 2, "message", 4, "RoomConfig"],
  ],
  RoomConfig: [
    ["dimensions", 1, "uint32", 0],
    ["bounds", 2, "message", 4, "Bounds"],
    ["tickMode", 3, "enum", 0, "TickMode"],
    ["tickHz", 4, "uint32", 0],
    ["depth", 5, "uint32", 0],
    ["entitiesMax", 6, "uint32", 0],
    ["eventsMax", 7, "uint32", 0],
    ["graceMs", 8, "uint32", 4],
    ["emptyCloseMs", 9, "uint32", 4],
    ["index", 10, "enum", 0, "Index"],
    ["prune", 11, "enum", 0, "Prune"],
    ["swept", 12, "bool", 4],
    ["cellSize", 13, "float", 0],
    ["observersMax", 14, "uint32", 0],
    ["visibleEntriesMax", 15, "uint32", 0],
    ["writers", 16, "uint32", 0],
    ["stepDeadlineMs", 17, "uint32", 0],
    ["join", 18, "enum", 0, "Access"],
    ["write", 19, "enum", 0, "Access"],
    ["step", 20, "enum", 0, "Access"],
  ],
  Bounds: [
    ["minX", 1, "float", 0],
    ["minY", 2, "float", 0],
    ["minZ", 3, "float", 0],
    ["maxX", 4, "float", 0],
    ["maxY", 5, "float", 0],
    ["maxZ", 6, "float", 0],
  ],
  RoomOpened: [
    ["room", 1, "uint64", 0],
    ["name", 2, "string", 0],
    ["config", 3, "message", 4, "RoomConfig"],
    ["epoch", 4, "fixed64", 0],
    ["tick", 5, "uint64", 0],
    ["created", 6, "bool", 0],
  ],
  LeaveRoom: [
    ["room", 1, "uint64", 0],
  ],
  RoomLeft: [
    ["room", 1, "uint64", 0],
  ],
  CloseRoom: [
    ["room", 1, "uint64", 0],
  ],
  RoomClosed: [
    ["room", 1, "uint64", 0],
    ["reason", 2, "enum", 0, "RoomClosedReason"],
  ],
  RoomSlowed: [
    ["room", 1, "uint64", 0],
    ["tickHz", 2, "uint32", 0],
    ["tickUs", 3, "uint32", 0],
  ],
  ListRooms: [
    ["after", 1, "string", 0],
    ["limit", 2, "uint32", 0],
  ],
  RoomList: [
    ["rooms", 1, "message", 2, "RoomInfo"],
    ["more", 2, "bool", 0],
    ["next", 3, "string", 0],
  ],
  RoomInfo: [
    ["name", 1, "string", 0],
    ["tickMode", 2, "enum", 0, "TickMode"],
    ["tickHz", 3, "uint32", 0],
    ["tick", 4, "uint64", 0],
    ["entities", 5, "uint32", 0],
    ["sessions", 6, "uint32", 0],
  ],
  Spawn: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["x", 3, "float", 3],
    ["y", 4, "float", 3],
    ["z", 5, "float", 3],
    ["halfX", 6, "float", 3],
    ["halfY", 7, "float", 3],
    ["halfZ", 8, "float", 3],
    ["shape", 9, "bytes", 1],
    ["category", 10, "fixed32", 3],
    ["mask", 11, "fixed32", 3],
    ["roomOwned", 12, "bool", 0],
    ["radius", 13, "float", 3],
    ["axisX", 14, "float", 3],
    ["axisY", 15, "float", 3],
    ["axisZ", 16, "float", 3],
  ],
  Move: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["x", 3, "float", 3],
    ["y", 4, "float", 3],
    ["z", 5, "float", 3],
  ],
  Teleport: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["x", 3, "float", 3],
    ["y", 4, "float", 3],
    ["z", 5, "float", 3],
  ],
  Reshape: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["halfX", 3, "float", 3],
    ["halfY", 4, "float", 3],
    ["halfZ", 5, "float", 3],
    ["shape", 6, "bytes", 1],
    ["category", 7, "fixed32", 3],
    ["mask", 8, "fixed32", 3],
    ["radius", 9, "float", 3],
    ["axisX", 10, "float", 3],
    ["axisY", 11, "float", 3],
    ["axisZ", 12, "float", 3],
  ],
  Despawn: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
  ],
  SetRoster: [
    ["room", 1, "uint64", 0],
    ["roster", 2, "uint32", 0],
    ["first", 3, "uint32", 0],
    ["id", 4, "fixed32", 3],
    ["keepRest", 5, "bool", 0],
  ],
  MoveRoster: [
    ["room", 1, "uint64", 0],
    ["roster", 2, "uint32", 0],
    ["first", 3, "uint32", 0],
    ["x", 4, "float", 3],
    ["y", 5, "float", 3],
    ["z", 6, "float", 3],
  ],
  MoveRooms: [
    ["partRoom", 1, "fixed64", 3],
    ["partSize", 2, "fixed32", 3],
    ["id", 3, "fixed32", 3],
    ["x", 4, "float", 3],
    ["y", 5, "float", 3],
    ["z", 6, "float", 3],
    ["partRoster", 7, "fixed32", 3],
    ["partFirst", 8, "fixed32", 3],
  ],
  HandOver: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["session", 3, "uint64", 0],
    ["roomOwned", 4, "bool", 0],
  ],
  Adopt: [
    ["room", 1, "uint64", 0],
    ["session", 2, "uint64", 0],
  ],
  HandedOver: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["from", 3, "uint64", 0],
    ["to", 4, "uint64", 0],
    ["connected", 5, "fixed64", 3],
    ["connectedTotal", 6, "uint32", 0],
    ["last", 7, "bool", 0],
  ],
  Subscribe: [
    ["room", 1, "uint64", 0],
    ["scope", 2, "enum", 0, "Scope"],
    ["stays", 3, "bool", 0],
  ],
  Unsubscribe: [
    ["room", 1, "uint64", 0],
  ],
  Step: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
  ],
  Tick: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
    ["reset", 3, "bool", 0],
    ["last", 4, "bool", 0],
    ["skipped", 5, "uint32", 0],
    ["suspended", 6, "bool", 0],
    ["suspendedCount", 7, "uint64", 0],
    ["endA", 8, "fixed32", 3],
    ["endB", 9, "fixed32", 3],
    ["endReason", 10, "bytes", 1],
    ["beginA", 11, "fixed32", 3],
    ["beginB", 12, "fixed32", 3],
    ["stayA", 13, "fixed32", 3],
    ["stayB", 14, "fixed32", 3],
    ["passedA", 15, "fixed32", 3],
    ["passedB", 16, "fixed32", 3],
    ["mergedTicks", 17, "uint64", 0],
    ["passedLost", 18, "bool", 0],
    ["suspendedReason", 19, "enum", 0, "SuspendReason"],
  ],
  Accepted: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
    ["refusedIndex", 3, "fixed32", 3],
    ["refusedCode", 4, "bytes", 1],
    ["refusedField", 5, "bytes", 1],
    ["text", 6, "string", 0],
    ["refusedTotal", 7, "uint32", 0],
    ["last", 8, "bool", 0],
  ],
  Applied: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
    ["seq", 3, "uint64", 0],
    ["late", 4, "fixed64", 3],
    ["lateTotal", 5, "uint32", 0],
    ["pairsLagging", 6, "bool", 0],
    ["viewsLagging", 7, "bool", 0],
  ],
  SetDescription: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["tag", 3, "fixed64", 3],
    ["payload", 4, "bytes", 0],
    ["payloadSize", 5, "bytes", 1],
    ["visibleRange", 6, "float", 3],
    ["team", 7, "fixed32", 3],
    ["hidden", 8, "bytes", 1],
  ],
  Observe: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["region", 3, "bytes", 1],
    ["anchored", 4, "bytes", 1],
    ["entity", 5, "fixed32", 3],
    ["x", 6, "float", 3],
    ["y", 7, "float", 3],
    ["z", 8, "float", 3],
    ["range", 9, "float", 3],
    ["halfX", 10, "float", 3],
    ["halfY", 11, "float", 3],
    ["halfZ", 12, "float", 3],
    ["directionX", 13, "float", 3],
    ["directionY", 14, "float", 3],
    ["directionZ", 15, "float", 3],
    ["angle", 16, "float", 3],
    ["leaveMargin", 17, "float", 3],
    ["mask", 18, "fixed32", 3],
    ["limit", 19, "fixed32", 3],
    ["enterBudget", 20, "fixed32", 3],
    ["team", 21, "fixed32", 3],
    ["seesSelf", 22, "bytes", 1],
    ["relayRange", 23, "float", 3],
    ["relayEvery", 24, "fixed32", 3],
  ],
  MoveObservers: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
    ["x", 3, "float", 3],
    ["y", 4, "float", 3],
    ["z", 5, "float", 3],
    ["directionX", 6, "float", 3],
    ["directionY", 7, "float", 3],
    ["directionZ", 8, "float", 3],
  ],
  Unobserve: [
    ["room", 1, "uint64", 0],
    ["id", 2, "fixed32", 3],
  ],
  SetExceptions: [
    ["room", 1, "uint64", 0],
    ["observer", 2, "fixed32", 0],
    ["show", 3, "fixed32", 3],
    ["hide", 4, "fixed32", 3],
  ],
  SetViewOptions: [
    ["room", 1, "uint64", 0],
    ["bytesMax", 2, "uint32", 0],
    ["watch", 3, "enum", 0, "Watch"],
    ["relayOnce", 4, "bool", 0],
    ["relayK", 5, "sint32", 4],
  ],
  View: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
    ["last", 3, "bool", 0],
    ["reset", 4, "bool", 0],
    ["resetWatchers", 5, "bool", 0],
    ["suspended", 6, "bool", 0],
    ["leaveObserver", 7, "fixed32", 3],
    ["leaveId", 8, "fixed32", 3],
    ["leaveReason", 9, "bytes", 1],
    ["enterObserver", 10, "fixed32", 3],
    ["enterId", 11, "fixed32", 3],
    ["enterX", 12, "float", 3],
    ["enterY", 13, "float", 3],
    ["enterZ", 14, "float", 3],
    ["enterHalfX", 15, "float", 3],
    ["enterHalfY", 16, "float", 3],
    ["enterHalfZ", 17, "float", 3],
    ["enterRadius", 18, "float", 3],
    ["enterShape", 19, "bytes", 1],
    ["enterCategory", 20, "fixed32", 3],
    ["enterTag", 21, "fixed64", 3],
    ["enterPayloadSize", 22, "bytes", 1],
    ["enterPayload", 23, "bytes", 0],
    ["relayObserver", 24, "fixed32", 3],
    ["relayId", 25, "fixed32", 3],
    ["relayX", 26, "float", 3],
    ["relayY", 27, "float", 3],
    ["relayZ", 28, "float", 3],
    ["watcherLeaveEntity", 29, "fixed32", 3],
    ["watcherLeaveSession", 30, "fixed64", 3],
    ["watcherLeaveObserver", 31, "fixed32", 3],
    ["watcherEnterEntity", 32, "fixed32", 3],
    ["watcherEnterSession", 33, "fixed64", 3],
    ["watcherEnterObserver", 34, "fixed32", 3],
    ["mergedTicks", 35, "uint64", 0],
    ["enterAxisX", 36, "float", 3],
    ["enterAxisY", 37, "float", 3],
    ["enterAxisZ", 38, "float", 3],
    ["suspendedReason", 39, "enum", 0, "SuspendReason"],
    ["enterSlot", 40, "fixed32", 3],
    ["relayK", 41, "sint32", 4],
    ["relay", 42, "bytes", 0],
    ["exactSlot", 43, "fixed32", 3],
    ["exactX", 44, "float", 3],
    ["exactY", 45, "float", 3],
    ["exactZ", 46, "float", 3],
  ],
  Why: [
    ["room", 1, "uint64", 0],
    ["a", 2, "fixed32", 0],
    ["observer", 3, "bool", 0],
    ["b", 4, "fixed32", 0],
  ],
  WhyResult: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
    ["session", 3, "fixed64", 3],
    ["observer", 4, "fixed32", 3],
    ["visibility", 5, "bytes", 1],
    ["distance", 6, "double", 3],
    ["range", 7, "float", 3],
    ["leaveMargin", 8, "float", 3],
    ["limit", 9, "fixed32", 3],
    ["seen", 10, "fixed32", 3],
    ["more", 11, "bool", 0],
  ],
  Query: [
    ["room", 1, "uint64", 0],
    ["box", 2, "message", 4, "Bounds"],
    ["circle", 3, "message", 4, "QueryCircle"],
    ["nearest", 4, "message", 4, "QueryNearest"],
    ["ray", 5, "message", 4, "QueryRay"],
    ["categories", 6, "fixed32", 0],
    ["limit", 7, "uint32", 0],
  ],
  QueryCircle: [
    ["x", 1, "float", 0],
    ["y", 2, "float", 0],
    ["z", 3, "float", 0],
    ["radius", 4, "float", 0],
  ],
  QueryNearest: [
    ["x", 1, "float", 0],
    ["y", 2, "float", 0],
    ["z", 3, "float", 0],
    ["within", 4, "float", 4],
  ],
  QueryRay: [
    ["x", 1, "float", 0],
    ["y", 2, "float", 0],
    ["z", 3, "float", 0],
    ["directionX", 4, "float", 0],
    ["directionY", 5, "float", 0],
    ["directionZ", 6, "float", 0],
    ["length", 7, "float", 0],
  ],
  QueryResult: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
    ["id", 3, "fixed32", 3],
    ["distance", 4, "double", 3],
    ["more", 5, "bool", 0],
  ],
  GetSnapshot: [
    ["room", 1, "uint64", 0],
    ["region", 2, "message", 4, "Bounds"],
    ["limit", 3, "uint32", 0],
    ["own", 4, "bool", 0],
  ],
  SnapshotResult: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
    ["id", 3, "fixed32", 3],
    ["x", 4, "float", 3],
    ["y", 5, "float", 3],
    ["z", 6, "float", 3],
    ["halfX", 7, "float", 3],
    ["halfY", 8, "float", 3],
    ["halfZ", 9, "float", 3],
    ["shape", 10, "bytes", 1],
    ["category", 11, "fixed32", 3],
    ["mask", 12, "fixed32", 3],
    ["more", 13, "bool", 0],
    ["last", 14, "bool", 0],
    ["radius", 15, "float", 3],
    ["axisX", 16, "float", 3],
    ["axisY", 17, "float", 3],
    ["axisZ", 18, "float", 3],
  ],
  GetStats: [
    ["room", 1, "uint64", 0],
  ],
  Stats: [
    ["server", 1, "message", 4, "ServerStats"],
    ["room", 2, "message", 4, "RoomStats"],
  ],
  ServerStats: [
    ["uptimeMs", 1, "uint64", 0],
    ["sessions", 2, "uint32", 0],
    ["rooms", 3, "uint32", 0],
    ["workers", 4, "uint32", 0],
    ["memoryBytes", 5, "uint64", 0],
    ["memoryBytesMax", 6, "uint64", 0],
    ["ticks", 7, "uint64", 0],
    ["updates", 8, "uint64", 0],
    ["events", 9, "uint64", 0],
    ["bytesIn", 10, "uint64", 0],
    ["bytesOut", 11, "uint64", 0],
    ["errors", 12, "uint64", 0],
    ["tooSlow", 13, "uint64", 0],
    ["detached", 14, "uint32", 0],
    ["resumed", 15, "uint64", 0],
    ["refusedBySessionRooms", 16, "uint64", 0],
    ["refusedBySessionEntities", 17, "uint64", 0],
    ["refusedBySessionObservers", 18, "uint64", 0],
    ["refusedBySessionVisibleEntries", 19, "uint64", 0],
    ["refusedBySessionSubscriptions", 20, "uint64", 0],
    ["refusedByTokenConnections", 21, "uint64", 0],
    ["refusedByTokenDetached", 22, "uint64", 0],
    ["refusedByTokenRooms", 23, "uint64", 0],
    ["refusedByTokenEntities", 24, "uint64", 0],
    ["refusedByTokenObservers", 25, "uint64", 0],
    ["refusedByTokenVisibleEntries", 26, "uint64", 0],
    ["refusedByTokenSubscriptions", 27, "uint64", 0],
    ["refusedByTokenMemory", 28, "uint64", 0],
    ["logDropped", 30, "uint64", 0],
    ["logSuppressed", 31, "uint64", 0],
    ["notAlive", 40, "uint64", 0],
    ["refusedFull", 41, "uint64", 0],
    ["refusedMemory", 42, "uint64", 0],
    ["refusedByAddressConnections", 43, "uint64", 0],
    ["refusedByAddressAccepts", 44, "uint64", 0],
    ["refusedByAddressTokens", 45, "uint64", 0],
    ["droppedSilent", 46, "uint64", 0],
    ["roomsSlowed", 50, "uint32", 0],
    ["suspendedMemory", 51, "uint64", 0],
  ],
  RoomStats: [
    ["room", 1, "uint64", 0],
    ["tick", 2, "uint64", 0],
    ["entities", 3, "uint32", 0],
    ["sessions", 4, "uint32", 0],
    ["subscriptions", 5, "uint32", 0],
    ["updates", 6, "uint64", 0],
    ["begins", 7, "uint64", 0],
    ["ends", 8, "uint64", 0],
    ["ticksSkipped", 9, "uint64", 0],
    ["pairs", 10, "uint64", 0],
    ["tickUsP50", 11, "float", 0],
    ["tickUsP99", 12, "float", 0],
    ["tickUsMax", 13, "float", 0],
    ["memoryBytes", 14, "uint64", 0],
    ["depth", 15, "uint32", 0],
    ["index", 16, "enum", 0, "Index"],
    ["passed", 17, "uint64", 0],
    ["indexChanges", 18, "uint32", 0],
    ["observers", 19, "uint32", 0],
    ["visibleEntries", 20, "uint64", 0],
    ["enters", 21, "uint64", 0],
    ["leaves", 22, "uint64", 0],
    ["slowedHz", 23, "uint32", 0],
  ],
  Error: [
    ["code", 1, "enum", 0, "ErrorCode"],
    ["text", 2, "string", 0],
    ["seq", 3, "uint64", 0],
    ["room", 4, "uint64", 0],
    ["tickDue", 8, "uint64", 0],
  ],
};
