// SPDX-License-Identifier: Apache-2.0
//
// Made by tools/generate from proto/quadrille.proto, which documents every field. Do not change it by hand.
import type { DescFile } from "@bufbuild/protobuf";
import { fileDesc } from "@bufbuild/protobuf/codegenv2";

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
  refusedBySessionMemory: number;
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

/** Fields of the type bytes that are no columns. */
export const OPAQUE: ReadonlySet<string> = new Set(["resume", "resume_key", "relay", "payload", "enter_payload"]);

/** quadrille.proto, as the protobuf library describes it. */
export const FILE: DescFile = fileDesc(
  "Cg9xdWFkcmlsbGUucHJvdG8SDHF1YWRyaWxsZS52MSLGCwoLQ2xpZW50RnJhbWUSCwoDc2VxGAEgASgEEiQKBWhlbGxvGAIgASgLMhMucXVhZHJpbGxl" +
  "LnYxLkhlbGxvSAASKwoJb3Blbl9yb29tGAMgASgLMhYucXVhZHJpbGxlLnYxLk9wZW5Sb29tSAASLQoKbGVhdmVfcm9vbRgEIAEoCzIXLnF1YWRyaWxs" +
  "ZS52MS5MZWF2ZVJvb21IABItCgpjbG9zZV9yb29tGAUgASgLMhcucXVhZHJpbGxlLnYxLkNsb3NlUm9vbUgAEi0KCmxpc3Rfcm9vbXMYBiABKAsyFy5x" +
  "dWFkcmlsbGUudjEuTGlzdFJvb21zSAASJAoFc3Bhd24YByABKAsyEy5xdWFkcmlsbGUudjEuU3Bhd25IABIiCgRtb3ZlGAggASgLMhIucXVhZHJpbGxl" +
  "LnYxLk1vdmVIABIqCgh0ZWxlcG9ydBgJIAEoCzIWLnF1YWRyaWxsZS52MS5UZWxlcG9ydEgAEigKB3Jlc2hhcGUYCiABKAsyFS5xdWFkcmlsbGUudjEu" +
  "UmVzaGFwZUgAEigKB2Rlc3Bhd24YCyABKAsyFS5xdWFkcmlsbGUudjEuRGVzcGF3bkgAEiwKCXN1YnNjcmliZRgMIAEoCzIXLnF1YWRyaWxsZS52MS5T" +
  "dWJzY3JpYmVIABIwCgt1bnN1YnNjcmliZRgNIAEoCzIZLnF1YWRyaWxsZS52MS5VbnN1YnNjcmliZUgAEjEKDGdldF9zbmFwc2hvdBgOIAEoCzIZLnF1" +
  "YWRyaWxsZS52MS5HZXRTbmFwc2hvdEgAEiIKBHN0ZXAYDyABKAsyEi5xdWFkcmlsbGUudjEuU3RlcEgAEisKCWdldF9zdGF0cxgQIAEoCzIWLnF1YWRy" +
  "aWxsZS52MS5HZXRTdGF0c0gAEiIKBHBpbmcYESABKAsyEi5xdWFkcmlsbGUudjEuUGluZ0gAEiQKBXF1ZXJ5GBIgASgLMhMucXVhZHJpbGxlLnYxLlF1" +
  "ZXJ5SAASNwoPc2V0X2Rlc2NyaXB0aW9uGBMgASgLMhwucXVhZHJpbGxlLnYxLlNldERlc2NyaXB0aW9uSAASKAoHb2JzZXJ2ZRgUIAEoCzIVLnF1YWRy" +
  "aWxsZS52MS5PYnNlcnZlSAASNQoObW92ZV9vYnNlcnZlcnMYFSABKAsyGy5xdWFkcmlsbGUudjEuTW92ZU9ic2VydmVyc0gAEiwKCXVub2JzZXJ2ZRgW" +
  "IAEoCzIXLnF1YWRyaWxsZS52MS5Vbm9ic2VydmVIABI1Cg5zZXRfZXhjZXB0aW9ucxgXIAEoCzIbLnF1YWRyaWxsZS52MS5TZXRFeGNlcHRpb25zSAAS" +
  "OAoQc2V0X3ZpZXdfb3B0aW9ucxgYIAEoCzIcLnF1YWRyaWxsZS52MS5TZXRWaWV3T3B0aW9uc0gAEiAKA3doeRgZIAEoCzIRLnF1YWRyaWxsZS52MS5X" +
  "aHlIABIrCgloYW5kX292ZXIYGiABKAsyFi5xdWFkcmlsbGUudjEuSGFuZE92ZXJIABIgCgNhY2sYGyABKAsyES5xdWFkcmlsbGUudjEuQWNrSAASJAoF" +
  "YWRvcHQYHCABKAsyEy5xdWFkcmlsbGUudjEuQWRvcHRIABItCgpzZXRfcm9zdGVyGB0gASgLMhcucXVhZHJpbGxlLnYxLlNldFJvc3RlckgAEi8KC21v" +
  "dmVfcm9zdGVyGB4gASgLMhgucXVhZHJpbGxlLnYxLk1vdmVSb3N0ZXJIABIzCg1saXN0X3Nlc3Npb25zGCAgASgLMhoucXVhZHJpbGxlLnYxLkxpc3RT" +
  "ZXNzaW9uc0gAEiIKBHBvbmcYISABKAsyEi5xdWFkcmlsbGUudjEuUG9uZ0gAEi0KCm1vdmVfcm9vbXMYIiABKAsyFy5xdWFkcmlsbGUudjEuTW92ZVJv" +
  "b21zSAASDwoHY29uZmlybRgfIAEoCEIJCgdtZXNzYWdlIpYHCgtTZXJ2ZXJGcmFtZRILCgNzZXEYASABKAQSKAoHd2VsY29tZRgCIAEoCzIVLnF1YWRy" +
  "aWxsZS52MS5XZWxjb21lSAASLwoLcm9vbV9vcGVuZWQYAyABKAsyGC5xdWFkcmlsbGUudjEuUm9vbU9wZW5lZEgAEisKCXJvb21fbGVmdBgEIAEoCzIW" +
  "LnF1YWRyaWxsZS52MS5Sb29tTGVmdEgAEi8KC3Jvb21fY2xvc2VkGAUgASgLMhgucXVhZHJpbGxlLnYxLlJvb21DbG9zZWRIABIrCglyb29tX2xpc3QY" +
  "BiABKAsyFi5xdWFkcmlsbGUudjEuUm9vbUxpc3RIABIiCgR0aWNrGAcgASgLMhIucXVhZHJpbGxlLnYxLlRpY2tIABIoCgdhcHBsaWVkGAggASgLMhUu" +
  "cXVhZHJpbGxlLnYxLkFwcGxpZWRIABI3Cg9zbmFwc2hvdF9yZXN1bHQYCSABKAsyHC5xdWFkcmlsbGUudjEuU25hcHNob3RSZXN1bHRIABIkCgVzdGF0" +
  "cxgKIAEoCzITLnF1YWRyaWxsZS52MS5TdGF0c0gAEiIKBHBvbmcYCyABKAsyEi5xdWFkcmlsbGUudjEuUG9uZ0gAEiQKBWVycm9yGAwgASgLMhMucXVh" +
  "ZHJpbGxlLnYxLkVycm9ySAASJwoHZ29fYXdheRgNIAEoCzIULnF1YWRyaWxsZS52MS5Hb0F3YXlIABIxCgxxdWVyeV9yZXN1bHQYDiABKAsyGS5xdWFk" +
  "cmlsbGUudjEuUXVlcnlSZXN1bHRIABIiCgR2aWV3GA8gASgLMhIucXVhZHJpbGxlLnYxLlZpZXdIABItCgp3aHlfcmVzdWx0GBAgASgLMhcucXVhZHJp" +
  "bGxlLnYxLldoeVJlc3VsdEgAEi8KC2hhbmRlZF9vdmVyGBEgASgLMhgucXVhZHJpbGxlLnYxLkhhbmRlZE92ZXJIABIqCghhY2NlcHRlZBgSIAEoCzIW" +
  "LnF1YWRyaWxsZS52MS5BY2NlcHRlZEgAEjEKDHNlc3Npb25fbGlzdBgTIAEoCzIZLnF1YWRyaWxsZS52MS5TZXNzaW9uTGlzdEgAEiIKBHBpbmcYFCAB" +
  "KAsyEi5xdWFkcmlsbGUudjEuUGluZ0gAEi8KC3Jvb21fc2xvd2VkGBUgASgLMhgucXVhZHJpbGxlLnYxLlJvb21TbG93ZWRIAEIJCgdtZXNzYWdlImwK" +
  "BUhlbGxvEg8KB3ZlcnNpb24YASABKA0SDQoFdG9rZW4YAiABKAkSDgoGY2xpZW50GAMgASgJEhEKCXJlc3VtYWJsZRgEIAEoCBIOCgZyZXN1bWUYBSAB" +
  "KAwSEAoIZmVhdHVyZXMYBiADKAkivQEKB1dlbGNvbWUSDwoHdmVyc2lvbhgBIAEoDRIOCgZzZXJ2ZXIYAiABKAkSDwoHc2Vzc2lvbhgDIAEoBBIkCgZs" +
  "aW1pdHMYBCABKAsyFC5xdWFkcmlsbGUudjEuTGltaXRzEhIKCnJlc3VtZV9rZXkYBSABKAwSDwoHcmVzdW1lZBgGIAEoCBIQCghsYXN0X3NlcRgHIAEo" +
  "BBIRCglyZXN1bWVfbXMYCCABKA0SEAoIZmVhdHVyZXMYCSADKAkioQIKBkxpbWl0cxIXCg9mcmFtZV9ieXRlc19tYXgYASABKA0SEQoJcm9vbXNfbWF4" +
  "GAIgASgNEhQKDGVudGl0aWVzX21heBgDIAEoDRISCgpldmVudHNfbWF4GAQgASgNEhYKDm5hbWVfYnl0ZXNfbWF4GAUgASgNEhcKD3F1ZXVlX2J5dGVz" +
  "X21heBgGIAEoDRITCgtzbG93X21zX21heBgHIAEoDRIVCg1vYnNlcnZlcnNfbWF4GAggASgNEhsKE3Zpc2libGVfZW50cmllc19tYXgYCSABKA0SFgoO" +
  "cm9zdGVyX2lkc19tYXgYCiABKA0SEwoLdGVzdF9idWRnZXQYCyABKA0SGgoSZW1wdHlfY2xvc2VfbXNfbWF4GAwgASgNIp4CCgZHb0F3YXkSKwoGcmVh" +
  "c29uGAEgASgOMhsucXVhZHJpbGxlLnYxLkdvQXdheS5SZWFzb24SDAoEdGV4dBgCIAEoCRITCgtkZWFkbGluZV9tcxgDIAEoDSLDAQoGUmVhc29uEhYK" +
  "ElJFQVNPTl9VTlNQRUNJRklFRBAAEhMKD1JFQVNPTl9TSFVURE9XThABEhMKD1JFQVNPTl9QUk9UT0NPTBACEg8KC1JFQVNPTl9GVUxMEAMSEwoPUkVB" +
  "U09OX1RPT19TTE9XEAQSFQoRUkVBU09OX1RBS0VOX09WRVIQBRIQCgxSRUFTT05fUVVPVEEQBhIUChBSRUFTT05fTk9UX0FMSVZFEAcSEgoOUkVBU09O" +
  "X1JFVk9LRUQQCCIhCgNBY2sSDAoEcm9vbRgBIAEoBBIMCgR0aWNrGAIgASgEIjoKDExpc3RTZXNzaW9ucxIMCgRyb29tGAEgASgEEg0KBWFmdGVyGAIg" +
  "ASgEEg0KBWxpbWl0GAMgASgNIkgKC1Nlc3Npb25MaXN0EisKCHNlc3Npb25zGAEgAygLMhkucXVhZHJpbGxlLnYxLlNlc3Npb25JbmZvEgwKBG1vcmUY" +
  "AiABKAgiXwoLU2Vzc2lvbkluZm8SDwoHc2Vzc2lvbhgBIAEoBBIOCgZjbGllbnQYAiABKAkSEAoIZGV0YWNoZWQYAyABKAgSDQoFcm9vbXMYBCABKA0S" +
  "DgoGYWdlX21zGAUgASgEIhQKBFBpbmcSDAoEZGF0YRgBIAEoBiIUCgRQb25nEgwKBGRhdGEYASABKAYiQgoIT3BlblJvb20SDAoEbmFtZRgBIAEoCRIo" +
  "CgZjb25maWcYAiABKAsyGC5xdWFkcmlsbGUudjEuUm9vbUNvbmZpZyLCBAoKUm9vbUNvbmZpZxISCgpkaW1lbnNpb25zGAEgASgNEiQKBmJvdW5kcxgC" +
  "IAEoCzIULnF1YWRyaWxsZS52MS5Cb3VuZHMSKQoJdGlja19tb2RlGAMgASgOMhYucXVhZHJpbGxlLnYxLlRpY2tNb2RlEg8KB3RpY2tfaHoYBCABKA0S" +
  "DQoFZGVwdGgYBSABKA0SFAoMZW50aXRpZXNfbWF4GAYgASgNEhIKCmV2ZW50c19tYXgYByABKA0SEgoIZ3JhY2VfbXMYCCABKA1IABIYCg5lbXB0eV9j" +
  "bG9zZV9tcxgJIAEoDUgBEiIKBWluZGV4GAogASgOMhMucXVhZHJpbGxlLnYxLkluZGV4EiIKBXBydW5lGAsgASgOMhMucXVhZHJpbGxlLnYxLlBydW5l" +
  "Eg8KBXN3ZXB0GAwgASgISAISEQoJY2VsbF9zaXplGA0gASgCEhUKDW9ic2VydmVyc19tYXgYDiABKA0SGwoTdmlzaWJsZV9lbnRyaWVzX21heBgPIAEo" +
  "DRIPCgd3cml0ZXJzGBAgASgNEhgKEHN0ZXBfZGVhZGxpbmVfbXMYESABKA0SIgoEam9pbhgSIAEoDjIULnF1YWRyaWxsZS52MS5BY2Nlc3MSIwoFd3Jp" +
  "dGUYEyABKA4yFC5xdWFkcmlsbGUudjEuQWNjZXNzEiIKBHN0ZXAYFCABKA4yFC5xdWFkcmlsbGUudjEuQWNjZXNzQgcKBWdyYWNlQg0KC2VtcHR5X2Ns" +
  "b3NlQgcKBXN3ZWVwImIKBkJvdW5kcxINCgVtaW5feBgBIAEoAhINCgVtaW5feRgCIAEoAhINCgVtaW5fehgDIAEoAhINCgVtYXhfeBgEIAEoAhINCgVt" +
  "YXhfeRgFIAEoAhINCgVtYXhfehgGIAEoAiKAAQoKUm9vbU9wZW5lZBIMCgRyb29tGAEgASgEEgwKBG5hbWUYAiABKAkSKAoGY29uZmlnGAMgASgLMhgu" +
  "cXVhZHJpbGxlLnYxLlJvb21Db25maWcSDQoFZXBvY2gYBCABKAYSDAoEdGljaxgFIAEoBBIPCgdjcmVhdGVkGAYgASgIIhkKCUxlYXZlUm9vbRIMCgRy" +
  "b29tGAEgASgEIhgKCFJvb21MZWZ0EgwKBHJvb20YASABKAQiGQoJQ2xvc2VSb29tEgwKBHJvb20YASABKAQiqgEKClJvb21DbG9zZWQSDAoEcm9vbRgB" +
  "IAEoBBIvCgZyZWFzb24YAiABKA4yHy5xdWFkcmlsbGUudjEuUm9vbUNsb3NlZC5SZWFzb24iXQoGUmVhc29uEhYKElJFQVNPTl9VTlNQRUNJRklFRBAA" +
  "EhQKEFJFQVNPTl9SRVFVRVNURUQQARIQCgxSRUFTT05fRU1QVFkQAhITCg9SRUFTT05fU0hVVERPV04QAyI8CgpSb29tU2xvd2VkEgwKBHJvb20YASAB" +
  "KAQSDwoHdGlja19oehgCIAEoDRIPCgd0aWNrX3VzGAMgASgNIikKCUxpc3RSb29tcxINCgVhZnRlchgBIAEoCRINCgVsaW1pdBgCIAEoDSJNCghSb29t" +
  "TGlzdBIlCgVyb29tcxgBIAMoCzIWLnF1YWRyaWxsZS52MS5Sb29tSW5mbxIMCgRtb3JlGAIgASgIEgwKBG5leHQYAyABKAkihgEKCFJvb21JbmZvEgwK" +
  "BG5hbWUYASABKAkSKQoJdGlja19tb2RlGAIgASgOMhYucXVhZHJpbGxlLnYxLlRpY2tNb2RlEg8KB3RpY2tfaHoYAyABKA0SDAoEdGljaxgEIAEoBBIQ" +
  "CghlbnRpdGllcxgFIAEoDRIQCghzZXNzaW9ucxgGIAEoDSL1AQoFU3Bhd24SDAoEcm9vbRgBIAEoBBIKCgJpZBgCIAMoBxIJCgF4GAMgAygCEgkKAXkY" +
  "BCADKAISCQoBehgFIAMoAhIOCgZoYWxmX3gYBiADKAISDgoGaGFsZl95GAcgAygCEg4KBmhhbGZfehgIIAMoAhINCgVzaGFwZRgJIAEoDBIQCghjYXRl" +
  "Z29yeRgKIAMoBxIMCgRtYXNrGAsgAygHEhIKCnJvb21fb3duZWQYDCABKAgSDgoGcmFkaXVzGA0gAygCEg4KBmF4aXNfeBgOIAMoAhIOCgZheGlzX3kY" +
  "DyADKAISDgoGYXhpc196GBAgAygCIkEKBE1vdmUSDAoEcm9vbRgBIAEoBBIKCgJpZBgCIAMoBxIJCgF4GAMgAygCEgkKAXkYBCADKAISCQoBehgFIAMo" +
  "AiJFCghUZWxlcG9ydBIMCgRyb29tGAEgASgEEgoKAmlkGAIgAygHEgkKAXgYAyADKAISCQoBeRgEIAMoAhIJCgF6GAUgAygCIsIBCgdSZXNoYXBlEgwK" +
  "BHJvb20YASABKAQSCgoCaWQYAiADKAcSDgoGaGFsZl94GAMgAygCEg4KBmhhbGZfeRgEIAMoAhIOCgZoYWxmX3oYBSADKAISDQoFc2hhcGUYBiABKAwS" +
  "EAoIY2F0ZWdvcnkYByADKAcSDAoEbWFzaxgIIAMoBxIOCgZyYWRpdXMYCSADKAISDgoGYXhpc194GAogAygCEg4KBmF4aXNfeRgLIAMoAhIOCgZheGlz" +
  "X3oYDCADKAIiIwoHRGVzcGF3bhIMCgRyb29tGAEgASgEEgoKAmlkGAIgAygHIlcKCVNldFJvc3RlchIMCgRyb29tGAEgASgEEg4KBnJvc3RlchgCIAEo" +
  "DRINCgVmaXJzdBgDIAEoDRIKCgJpZBgEIAMoBxIRCglrZWVwX3Jlc3QYBSABKAgiWgoKTW92ZVJvc3RlchIMCgRyb29tGAEgASgEEg4KBnJvc3RlchgC" +
  "IAEoDRINCgVmaXJzdBgDIAEoDRIJCgF4GAQgAygCEgkKAXkYBSADKAISCQoBehgGIAMoAiKHAQoJTW92ZVJvb21zEhEKCXBhcnRfcm9vbRgBIAMoBhIR" +
  "CglwYXJ0X3NpemUYAiADKAcSCgoCaWQYAyADKAcSCQoBeBgEIAMoAhIJCgF5GAUgAygCEgkKAXoYBiADKAISEwoLcGFydF9yb3N0ZXIYByADKAcSEgoK" +
  "cGFydF9maXJzdBgIIAMoByJJCghIYW5kT3ZlchIMCgRyb29tGAEgASgEEgoKAmlkGAIgAygHEg8KB3Nlc3Npb24YAyABKAQSEgoKcm9vbV9vd25lZBgE" +
  "IAEoCCImCgVBZG9wdBIMCgRyb29tGAEgASgEEg8KB3Nlc3Npb24YAiABKAQiegoKSGFuZGVkT3ZlchIMCgRyb29tGAEgASgEEgoKAmlkGAIgAygHEgwK" +
  "BGZyb20YAyABKAQSCgoCdG8YBCABKAQSEQoJY29ubmVjdGVkGAUgAygGEhcKD2Nvbm5lY3RlZF90b3RhbBgGIAEoDRIMCgRsYXN0GAcgASgIIpQBCglT" +
  "dWJzY3JpYmUSDAoEcm9vbRgBIAEoBBIsCgVzY29wZRgCIAEoDjIdLnF1YWRyaWxsZS52MS5TdWJzY3JpYmUuU2NvcGUSDQoFc3RheXMYAyABKAgiPAoF" +
  "U2NvcGUSFQoRU0NPUEVfVU5TUEVDSUZJRUQQABINCglTQ09QRV9BTEwQARINCglTQ09QRV9PV04QAiIbCgtVbnN1YnNjcmliZRIMCgRyb29tGAEgASgE" +
  "IiIKBFN0ZXASDAoEcm9vbRgBIAEoBBIMCgR0aWNrGAIgASgEIvYCCgRUaWNrEgwKBHJvb20YASABKAQSDAoEdGljaxgCIAEoBBINCgVyZXNldBgDIAEo" +
  "CBIMCgRsYXN0GAQgASgIEg8KB3NraXBwZWQYBSABKA0SEQoJc3VzcGVuZGVkGAYgASgIEhcKD3N1c3BlbmRlZF9jb3VudBgHIAEoBBINCgVlbmRfYRgI" +
  "IAMoBxINCgVlbmRfYhgJIAMoBxISCgplbmRfcmVhc29uGAogASgMEg8KB2JlZ2luX2EYCyADKAcSDwoHYmVnaW5fYhgMIAMoBxIOCgZzdGF5X2EYDSAD" +
  "KAcSDgoGc3RheV9iGA4gAygHEhAKCHBhc3NlZF9hGA8gAygHEhAKCHBhc3NlZF9iGBAgAygHEhQKDG1lcmdlZF90aWNrcxgRIAEoBBITCgtwYXNzZWRf" +
  "bG9zdBgSIAEoCBI1ChBzdXNwZW5kZWRfcmVhc29uGBMgASgOMhsucXVhZHJpbGxlLnYxLlN1c3BlbmRSZWFzb24inQEKCEFjY2VwdGVkEgwKBHJvb20Y" +
  "ASABKAQSDAoEdGljaxgCIAEoBBIVCg1yZWZ1c2VkX2luZGV4GAMgAygHEhQKDHJlZnVzZWRfY29kZRgEIAEoDBIVCg1yZWZ1c2VkX2ZpZWxkGAUgASgM" +
  "EgwKBHRleHQYBiABKAkSFQoNcmVmdXNlZF90b3RhbBgHIAEoDRIMCgRsYXN0GAggASgIIoIBCgdBcHBsaWVkEgwKBHJvb20YASABKAQSDAoEdGljaxgC" +
  "IAEoBBILCgNzZXEYAyABKAQSDAoEbGF0ZRgEIAMoBhISCgpsYXRlX3RvdGFsGAUgASgNEhUKDXBhaXJzX2xhZ2dpbmcYBiABKAgSFQoNdmlld3NfbGFn" +
  "Z2luZxgHIAEoCCKTAQoOU2V0RGVzY3JpcHRpb24SDAoEcm9vbRgBIAEoBBIKCgJpZBgCIAMoBxILCgN0YWcYAyADKAYSDwoHcGF5bG9hZBgEIAEoDBIU" +
  "CgxwYXlsb2FkX3NpemUYBSABKAwSFQoNdmlzaWJsZV9yYW5nZRgGIAMoAhIMCgR0ZWFtGAcgAygHEg4KBmhpZGRlbhgIIAEoDCLtAwoHT2JzZXJ2ZRIM" +
  "CgRyb29tGAEgASgEEgoKAmlkGAIgAygHEg4KBnJlZ2lvbhgDIAEoDBIQCghhbmNob3JlZBgEIAEoDBIOCgZlbnRpdHkYBSADKAcSCQoBeBgGIAMoAhIJ" +
  "CgF5GAcgAygCEgkKAXoYCCADKAISDQoFcmFuZ2UYCSADKAISDgoGaGFsZl94GAogAygCEg4KBmhhbGZfeRgLIAMoAhIOCgZoYWxmX3oYDCADKAISEwoL" +
  "ZGlyZWN0aW9uX3gYDSADKAISEwoLZGlyZWN0aW9uX3kYDiADKAISEwoLZGlyZWN0aW9uX3oYDyADKAISDQoFYW5nbGUYECADKAISFAoMbGVhdmVfbWFy" +
  "Z2luGBEgAygCEgwKBG1hc2sYEiADKAcSDQoFbGltaXQYEyADKAcSFAoMZW50ZXJfYnVkZ2V0GBQgAygHEgwKBHRlYW0YFSADKAcSEQoJc2Vlc19zZWxm" +
  "GBYgASgMEhMKC3JlbGF5X3JhbmdlGBcgAygCEhMKC3JlbGF5X2V2ZXJ5GBggAygHIlQKBlJlZ2lvbhIWChJSRUdJT05fVU5TUEVDSUZJRUQQABIRCg1S" +
  "RUdJT05fQ0lSQ0xFEAESDgoKUkVHSU9OX0JPWBACEg8KC1JFR0lPTl9DT05FEAMiiQEKDU1vdmVPYnNlcnZlcnMSDAoEcm9vbRgBIAEoBBIKCgJpZBgC" +
  "IAMoBxIJCgF4GAMgAygCEgkKAXkYBCADKAISCQoBehgFIAMoAhITCgtkaXJlY3Rpb25feBgGIAMoAhITCgtkaXJlY3Rpb25feRgHIAMoAhITCgtkaXJl" +
  "Y3Rpb25fehgIIAMoAiIlCglVbm9ic2VydmUSDAoEcm9vbRgBIAEoBBIKCgJpZBgCIAMoByJLCg1TZXRFeGNlcHRpb25zEgwKBHJvb20YASABKAQSEAoI" +
  "b2JzZXJ2ZXIYAiABKAcSDAoEc2hvdxgDIAMoBxIMCgRoaWRlGAQgAygHIuwBCg5TZXRWaWV3T3B0aW9ucxIMCgRyb29tGAEgASgEEhEKCWJ5dGVzX21h" +
  "eBgCIAEoDRIxCgV3YXRjaBgDIAEoDjIiLnF1YWRyaWxsZS52MS5TZXRWaWV3T3B0aW9ucy5XYXRjaBISCgpyZWxheV9vbmNlGAQgASgIEhEKB3JlbGF5" +
  "X2sYBSABKBFIACJMCgVXYXRjaBIVChFXQVRDSF9VTlNQRUNJRklFRBAAEg4KCldBVENIX05PTkUQARINCglXQVRDSF9PV04QAhINCglXQVRDSF9BTEwQ" +
  "A0IRCg9yZWxheV9wcmVjaXNpb24iiAgKBFZpZXcSDAoEcm9vbRgBIAEoBBIMCgR0aWNrGAIgASgEEgwKBGxhc3QYAyABKAgSDQoFcmVzZXQYBCABKAgS" +
  "FgoOcmVzZXRfd2F0Y2hlcnMYBSABKAgSEQoJc3VzcGVuZGVkGAYgASgIEhYKDmxlYXZlX29ic2VydmVyGAcgAygHEhAKCGxlYXZlX2lkGAggAygHEhQK" +
  "DGxlYXZlX3JlYXNvbhgJIAEoDBIWCg5lbnRlcl9vYnNlcnZlchgKIAMoBxIQCghlbnRlcl9pZBgLIAMoBxIPCgdlbnRlcl94GAwgAygCEg8KB2VudGVy" +
  "X3kYDSADKAISDwoHZW50ZXJfehgOIAMoAhIUCgxlbnRlcl9oYWxmX3gYDyADKAISFAoMZW50ZXJfaGFsZl95GBAgAygCEhQKDGVudGVyX2hhbGZfehgR" +
  "IAMoAhIUCgxlbnRlcl9yYWRpdXMYEiADKAISEwoLZW50ZXJfc2hhcGUYEyABKAwSFgoOZW50ZXJfY2F0ZWdvcnkYFCADKAcSEQoJZW50ZXJfdGFnGBUg" +
  "AygGEhoKEmVudGVyX3BheWxvYWRfc2l6ZRgWIAEoDBIVCg1lbnRlcl9wYXlsb2FkGBcgASgMEhYKDnJlbGF5X29ic2VydmVyGBggAygHEhAKCHJlbGF5" +
  "X2lkGBkgAygHEg8KB3JlbGF5X3gYGiADKAISDwoHcmVsYXlfeRgbIAMoAhIPCgdyZWxheV96GBwgAygCEhwKFHdhdGNoZXJfbGVhdmVfZW50aXR5GB0g" +
  "AygHEh0KFXdhdGNoZXJfbGVhdmVfc2Vzc2lvbhgeIAMoBhIeChZ3YXRjaGVyX2xlYXZlX29ic2VydmVyGB8gAygHEhwKFHdhdGNoZXJfZW50ZXJfZW50" +
  "aXR5GCAgAygHEh0KFXdhdGNoZXJfZW50ZXJfc2Vzc2lvbhghIAMoBhIeChZ3YXRjaGVyX2VudGVyX29ic2VydmVyGCIgAygHEhQKDG1lcmdlZF90aWNr" +
  "cxgjIAEoBBIUCgxlbnRlcl9heGlzX3gYJCADKAISFAoMZW50ZXJfYXhpc195GCUgAygCEhQKDGVudGVyX2F4aXNfehgmIAMoAhI1ChBzdXNwZW5kZWRf" +
  "cmVhc29uGCcgASgOMhsucXVhZHJpbGxlLnYxLlN1c3BlbmRSZWFzb24SEgoKZW50ZXJfc2xvdBgoIAMoBxIRCgdyZWxheV9rGCkgASgRSAASDQoFcmVs" +
  "YXkYKiABKAwSEgoKZXhhY3Rfc2xvdBgrIAMoBxIPCgdleGFjdF94GCwgAygCEg8KB2V4YWN0X3kYLSADKAISDwoHZXhhY3RfehguIAMoAkIRCg9yZWxh" +
  "eV9wcmVjaXNpb24iOwoDV2h5EgwKBHJvb20YASABKAQSCQoBYRgCIAEoBxIQCghvYnNlcnZlchgDIAEoCBIJCgFiGAQgASgHIsABCglXaHlSZXN1bHQS" +
  "DAoEcm9vbRgBIAEoBBIMCgR0aWNrGAIgASgEEg8KB3Nlc3Npb24YAyADKAYSEAoIb2JzZXJ2ZXIYBCADKAcSEgoKdmlzaWJpbGl0eRgFIAEoDBIQCghk" +
  "aXN0YW5jZRgGIAMoARINCgVyYW5nZRgHIAMoAhIUCgxsZWF2ZV9tYXJnaW4YCCADKAISDQoFbGltaXQYCSADKAcSDAoEc2VlbhgKIAMoBxIMCgRtb3Jl" +
  "GAsgASgIIuUDCgVRdWVyeRIMCgRyb29tGAEgASgEEiMKA2JveBgCIAEoCzIULnF1YWRyaWxsZS52MS5Cb3VuZHNIABIsCgZjaXJjbGUYAyABKAsyGi5x" +
  "dWFkcmlsbGUudjEuUXVlcnkuQ2lyY2xlSAASLgoHbmVhcmVzdBgEIAEoCzIbLnF1YWRyaWxsZS52MS5RdWVyeS5OZWFyZXN0SAASJgoDcmF5GAUgASgL" +
  "MhcucXVhZHJpbGxlLnYxLlF1ZXJ5LlJheUgAEhIKCmNhdGVnb3JpZXMYBiABKAcSDQoFbGltaXQYByABKA0aOQoGQ2lyY2xlEgkKAXgYASABKAISCQoB" +
  "eRgCIAEoAhIJCgF6GAMgASgCEg4KBnJhZGl1cxgEIAEoAhpFCgdOZWFyZXN0EgkKAXgYASABKAISCQoBeRgCIAEoAhIJCgF6GAMgASgCEhAKBndpdGhp" +
  "bhgEIAEoAkgAQgcKBWxpbWl0GnUKA1JheRIJCgF4GAEgASgCEgkKAXkYAiABKAISCQoBehgDIAEoAhITCgtkaXJlY3Rpb25feBgEIAEoAhITCgtkaXJl" +
  "Y3Rpb25feRgFIAEoAhITCgtkaXJlY3Rpb25fehgGIAEoAhIOCgZsZW5ndGgYByABKAJCBwoFd2hlcmUiVQoLUXVlcnlSZXN1bHQSDAoEcm9vbRgBIAEo" +
  "BBIMCgR0aWNrGAIgASgEEgoKAmlkGAMgAygHEhAKCGRpc3RhbmNlGAQgAygBEgwKBG1vcmUYBSABKAgiXQoLR2V0U25hcHNob3QSDAoEcm9vbRgBIAEo" +
  "BBIkCgZyZWdpb24YAiABKAsyFC5xdWFkcmlsbGUudjEuQm91bmRzEg0KBWxpbWl0GAMgASgNEgsKA293bhgEIAEoCCKUAgoOU25hcHNob3RSZXN1bHQS" +
  "DAoEcm9vbRgBIAEoBBIMCgR0aWNrGAIgASgEEgoKAmlkGAMgAygHEgkKAXgYBCADKAISCQoBeRgFIAMoAhIJCgF6GAYgAygCEg4KBmhhbGZfeBgHIAMo" +
  "AhIOCgZoYWxmX3kYCCADKAISDgoGaGFsZl96GAkgAygCEg0KBXNoYXBlGAogASgMEhAKCGNhdGVnb3J5GAsgAygHEgwKBG1hc2sYDCADKAcSDAoEbW9y" +
  "ZRgNIAEoCBIMCgRsYXN0GA4gASgIEg4KBnJhZGl1cxgPIAMoAhIOCgZheGlzX3gYECADKAISDgoGYXhpc195GBEgAygCEg4KBmF4aXNfehgSIAMoAiIY" +
  "CghHZXRTdGF0cxIMCgRyb29tGAEgASgEIlkKBVN0YXRzEikKBnNlcnZlchgBIAEoCzIZLnF1YWRyaWxsZS52MS5TZXJ2ZXJTdGF0cxIlCgRyb29tGAIg" +
  "ASgLMhcucXVhZHJpbGxlLnYxLlJvb21TdGF0cyLKCAoLU2VydmVyU3RhdHMSEQoJdXB0aW1lX21zGAEgASgEEhAKCHNlc3Npb25zGAIgASgNEg0KBXJv" +
  "b21zGAMgASgNEg8KB3dvcmtlcnMYBCABKA0SFAoMbWVtb3J5X2J5dGVzGAUgASgEEhgKEG1lbW9yeV9ieXRlc19tYXgYBiABKAQSDQoFdGlja3MYByAB" +
  "KAQSDwoHdXBkYXRlcxgIIAEoBBIOCgZldmVudHMYCSABKAQSEAoIYnl0ZXNfaW4YCiABKAQSEQoJYnl0ZXNfb3V0GAsgASgEEg4KBmVycm9ycxgMIAEo" +
  "BBIQCgh0b29fc2xvdxgNIAEoBBIQCghkZXRhY2hlZBgOIAEoDRIPCgdyZXN1bWVkGA8gASgEEiAKGHJlZnVzZWRfYnlfc2Vzc2lvbl9yb29tcxgQIAEo" +
  "BBIjChtyZWZ1c2VkX2J5X3Nlc3Npb25fZW50aXRpZXMYESABKAQSJAoccmVmdXNlZF9ieV9zZXNzaW9uX29ic2VydmVycxgSIAEoBBIqCiJyZWZ1c2Vk" +
  "X2J5X3Nlc3Npb25fdmlzaWJsZV9lbnRyaWVzGBMgASgEEigKIHJlZnVzZWRfYnlfc2Vzc2lvbl9zdWJzY3JpcHRpb25zGBQgASgEEiEKGXJlZnVzZWRf" +
  "Ynlfc2Vzc2lvbl9tZW1vcnkYHSABKAQSJAoccmVmdXNlZF9ieV90b2tlbl9jb25uZWN0aW9ucxgVIAEoBBIhChlyZWZ1c2VkX2J5X3Rva2VuX2RldGFj" +
  "aGVkGBYgASgEEh4KFnJlZnVzZWRfYnlfdG9rZW5fcm9vbXMYFyABKAQSIQoZcmVmdXNlZF9ieV90b2tlbl9lbnRpdGllcxgYIAEoBBIiChpyZWZ1c2Vk" +
  "X2J5X3Rva2VuX29ic2VydmVycxgZIAEoBBIoCiByZWZ1c2VkX2J5X3Rva2VuX3Zpc2libGVfZW50cmllcxgaIAEoBBImCh5yZWZ1c2VkX2J5X3Rva2Vu" +
  "X3N1YnNjcmlwdGlvbnMYGyABKAQSHwoXcmVmdXNlZF9ieV90b2tlbl9tZW1vcnkYHCABKAQSEwoLbG9nX2Ryb3BwZWQYHiABKAQSFgoObG9nX3N1cHBy" +
  "ZXNzZWQYHyABKAQSEQoJbm90X2FsaXZlGCggASgEEhQKDHJlZnVzZWRfZnVsbBgpIAEoBBIWCg5yZWZ1c2VkX21lbW9yeRgqIAEoBBImCh5yZWZ1c2Vk" +
  "X2J5X2FkZHJlc3NfY29ubmVjdGlvbnMYKyABKAQSIgoacmVmdXNlZF9ieV9hZGRyZXNzX2FjY2VwdHMYLCABKAQSIQoZcmVmdXNlZF9ieV9hZGRyZXNz" +
  "X3Rva2VucxgtIAEoBBIWCg5kcm9wcGVkX3NpbGVudBguIAEoBBIUCgxyb29tc19zbG93ZWQYMiABKA0SGAoQc3VzcGVuZGVkX21lbW9yeRgzIAEoBCLF" +
  "AwoJUm9vbVN0YXRzEgwKBHJvb20YASABKAQSDAoEdGljaxgCIAEoBBIQCghlbnRpdGllcxgDIAEoDRIQCghzZXNzaW9ucxgEIAEoDRIVCg1zdWJzY3Jp" +
  "cHRpb25zGAUgASgNEg8KB3VwZGF0ZXMYBiABKAQSDgoGYmVnaW5zGAcgASgEEgwKBGVuZHMYCCABKAQSFQoNdGlja3Nfc2tpcHBlZBgJIAEoBBINCgVw" +
  "YWlycxgKIAEoBBITCgt0aWNrX3VzX3A1MBgLIAEoAhITCgt0aWNrX3VzX3A5ORgMIAEoAhITCgt0aWNrX3VzX21heBgNIAEoAhIUCgxtZW1vcnlfYnl0" +
  "ZXMYDiABKAQSDQoFZGVwdGgYDyABKA0SIgoFaW5kZXgYECABKA4yEy5xdWFkcmlsbGUudjEuSW5kZXgSDgoGcGFzc2VkGBEgASgEEhUKDWluZGV4X2No" +
  "YW5nZXMYEiABKA0SEQoJb2JzZXJ2ZXJzGBMgASgNEhcKD3Zpc2libGVfZW50cmllcxgUIAEoBBIOCgZlbnRlcnMYFSABKAQSDgoGbGVhdmVzGBYgASgE" +
  "EhEKCXNsb3dlZF9oehgXIAEoDSJpCgVFcnJvchIlCgRjb2RlGAEgASgOMhcucXVhZHJpbGxlLnYxLkVycm9yQ29kZRIMCgR0ZXh0GAIgASgJEgsKA3Nl" +
  "cRgDIAEoBBIMCgRyb29tGAQgASgEEhAKCHRpY2tfZHVlGAggASgEKl8KBkFjY2VzcxIWChJBQ0NFU1NfVU5TUEVDSUZJRUQQABISCg5BQ0NFU1NfQU5Z" +
  "Qk9EWRABEhUKEUFDQ0VTU19TQU1FX1RPS0VOEAISEgoOQUNDRVNTX0NSRUFUT1IQAyqXAQoFSW5kZXgSFQoRSU5ERVhfVU5TUEVDSUZJRUQQABIOCgpJ" +
  "TkRFWF9BVVRPEAESEgoOSU5ERVhfUVVBRFRSRUUQAhIQCgxJTkRFWF9PQ1RSRUUQAxIQCgxJTkRFWF9TUEFSU0UQBBIOCgpJTkRFWF9IQVNIEAUSDgoK" +
  "SU5ERVhfR1JJRBAGEg8KC0lOREVYX0JSVVRFEAcqaQoFUHJ1bmUSFQoRUFJVTkVfVU5TUEVDSUZJRUQQABIOCgpQUlVORV9BVVRPEAESFAoQUFJVTkVf" +
  "Q0FORElEQVRFUxACEhMKD1BSVU5FX1RSQVZFUlNBTBADEg4KClBSVU5FX0xBWlkQBCpOCghUaWNrTW9kZRIZChVUSUNLX01PREVfVU5TUEVDSUZJRUQQ" +
  "ABITCg9USUNLX01PREVfQ0xPQ0sQARISCg5USUNLX01PREVfU1RFUBACKlIKBVNoYXBlEhUKEVNIQVBFX1VOU1BFQ0lGSUVEEAASDQoJU0hBUEVfQk9Y" +
  "EAESEAoMU0hBUEVfQ0lSQ0xFEAISEQoNU0hBUEVfQ0FQU1VMRRADKt0BCglFbmRSZWFzb24SGgoWRU5EX1JFQVNPTl9VTlNQRUNJRklFRBAAEhoKFkVO" +
  "RF9SRUFTT05fUk9PTV9DTE9TRUQQARIWChJFTkRfUkVBU09OX0VYUElSRUQQAhIYChRFTkRfUkVBU09OX0RFU1BBV05FRBADEhcKE0VORF9SRUFTT05f" +
  "RklMVEVSRUQQBBIWChJFTkRfUkVBU09OX1JFU0laRUQQBRIZChVFTkRfUkVBU09OX1RFTEVQT1JURUQQBhIaChZFTkRfUkVBU09OX01PVkVEX0FQQVJU" +
  "EAcqZAoNU3VzcGVuZFJlYXNvbhIeChpTVVNQRU5EX1JFQVNPTl9VTlNQRUNJRklFRBAAEhgKFFNVU1BFTkRfUkVBU09OX0xJTUlUEAESGQoVU1VTUEVO" +
  "RF9SRUFTT05fTUVNT1JZEAIqsAIKC0xlYXZlUmVhc29uEhwKGExFQVZFX1JFQVNPTl9VTlNQRUNJRklFRBAAEhwKGExFQVZFX1JFQVNPTl9ST09NX0NM" +
  "T1NFRBABEhkKFUxFQVZFX1JFQVNPTl9PQlNFUlZFUhACEhgKFExFQVZFX1JFQVNPTl9FWFBJUkVEEAMSGgoWTEVBVkVfUkVBU09OX0RFU1BBV05FRBAE" +
  "EhkKFUxFQVZFX1JFQVNPTl9FWENFUFRFRBAFEhcKE0xFQVZFX1JFQVNPTl9ISURERU4QBhIZChVMRUFWRV9SRUFTT05fRklMVEVSRUQQBxIVChFMRUFW" +
  "RV9SRUFTT05fVEVBTRAIEhYKEkxFQVZFX1JFQVNPTl9SQU5HRRAJEhYKEkxFQVZFX1JFQVNPTl9MSU1JVBAKKv0CCgpWaXNpYmlsaXR5EhoKFlZJU0lC" +
  "SUxJVFlfVU5TUEVDSUZJRUQQABITCg9WSVNJQklMSVRZX1NFRU4QARIbChdWSVNJQklMSVRZX1NFRU5fQllfU0hPVxACEh0KGVZJU0lCSUxJVFlfU0VF" +
  "Tl9CWV9NQVJHSU4QAxIbChdWSVNJQklMSVRZX05PVF9FWENFUFRFRBAEEhkKFVZJU0lCSUxJVFlfTk9UX0hJRERFThAFEhcKE1ZJU0lCSUxJVFlfTk9U" +
  "X1NFTEYQBhIXChNWSVNJQklMSVRZX05PVF9NQVNLEAcSFwoTVklTSUJJTElUWV9OT1RfVEVBTRAIEhgKFFZJU0lCSUxJVFlfTk9UX1JBTkdFEAkSGAoU" +
  "VklTSUJJTElUWV9OT1RfQU5HTEUQChIYChRWSVNJQklMSVRZX05PVF9MSU1JVBALEhkKFVZJU0lCSUxJVFlfTk9UX0JVREdFVBAMEhYKElZJU0lCSUxJ" +
  "VFlfTk9UX1lFVBANKvEGCglFcnJvckNvZGUSGgoWRVJST1JfQ09ERV9VTlNQRUNJRklFRBAAEhgKFEVSUk9SX0NPREVfTUFMRk9STUVEEAESHQoZRVJS" +
  "T1JfQ09ERV9GUkFNRV9UT09fTE9ORxACEhcKE0VSUk9SX0NPREVfTk9fSEVMTE8QAxIWChJFUlJPUl9DT0RFX1ZFUlNJT04QBBIeChpFUlJPUl9DT0RF" +
  "X1VOQVVUSEVOVElDQVRFRBAFEh4KGkVSUk9SX0NPREVfVU5LTk9XTl9NRVNTQUdFEBASFgoSRVJST1JfQ09ERV9JTlZBTElEEBESFgoSRVJST1JfQ09E" +
  "RV9DT0xVTU5TEBISGwoXRVJST1JfQ09ERV9VTktOT1dOX1JPT00QExIeChpFUlJPUl9DT0RFX0NPTkZJR19NSVNNQVRDSBAUEhoKFkVSUk9SX0NPREVf" +
  "Tk9UX0FMTE9XRUQQFRIUChBFUlJPUl9DT0RFX0xJTUlUEBYSHAoYRVJST1JfQ09ERV9OT1RfU1RFUF9NT0RFEBcSGQoVRVJST1JfQ09ERV9XUk9OR19U" +
  "SUNLEBgSGAoURVJST1JfQ09ERV9USUNLX09WRVIQGhIdChlFUlJPUl9DT0RFX1VOS05PV05fUk9TVEVSEBsSHAoYRVJST1JfQ09ERV9RVU9UQV9TRVNT" +
  "SU9OEBwSGgoWRVJST1JfQ09ERV9RVU9UQV9UT0tFThAdEhwKGEVSUk9SX0NPREVfUVVPVEFfQUREUkVTUxAeEhkKFUVSUk9SX0NPREVfVU5LTk9XTl9J" +
  "RBAgEhcKE0VSUk9SX0NPREVfSURfVEFLRU4QIRIYChRFUlJPUl9DT0RFX05PVF9PV05FUhAiEhkKFUVSUk9SX0NPREVfTk9UX0ZJTklURRAjEhwKGEVS" +
  "Uk9SX0NPREVfTkVHQVRJVkVfU0laRRAkEhwKGEVSUk9SX0NPREVfVU5LTk9XTl9TSEFQRRAlEhgKFEVSUk9SX0NPREVfUk9PTV9GVUxMECYSHwobRVJS" +
  "T1JfQ09ERV9VTktOT1dOX09CU0VSVkVSECcSGQoVRVJST1JfQ09ERV9CQURfUkVHSU9OECgSHQoZRVJST1JfQ09ERV9PQlNFUlZFUlNfRlVMTBApEhsK" +
  "F0VSUk9SX0NPREVfV1JPTkdfQ09MVU1OECpCSQoMcXVhZHJpbGxlLnYxQg5RdWFkcmlsbGVQcm90b1ABWhhxdWFkcmlsbGUvdjE7cXVhZHJpbGxldjGq" +
  "AgxRdWFkcmlsbGUuVjFiBnByb3RvMw==",
);
