// SPDX-License-Identifier: Apache-2.0
//
// Client of a Quadrille server: which entities touch, and which each observer sees, for many rooms at once.
//
//   const session = await connect("127.0.0.1:7400");
//   const room = await session.open("arena", { bounds: [0, 0, 100, 100], step: true });
//   room.subscribe();
//   await room.spawn([{ id: 1, x: 10, y: 10, half: 1 }, { id: 2, x: 30, y: 10, half: 1 }]);
//   room.move([2], [11], [10]);
//   const tick = await room.step();
//   console.log([...tick.begins], room.pairs.has(1, 2));
export { connect, Session } from "./session.js";
export type { ConnectOptions, RoomOptions, SessionEvents, SessionState } from "./session.js";
export { Room } from "./room.js";
export type { Batch, ColumnsOf, DescriptionRow, EntityRow, Found, MovedObserverRow, ObserveOptions, ObserverRow,
  QueryOptions, ReshapeRow } from "./room.js";
export type { Ids, Values } from "./columns.js";
export { Request } from "./request.js";
export { QuadrilleError, RefusedError, RoomClosedError, SessionEndedError, TimeoutError } from "./errors.js";
export type { RefusedEntry, Refusal } from "./errors.js";
export { Pairs } from "./fold/pairs.js";
export { PairRows, RelayRows, Tick, ViewRows } from "./fold/tick.js";
export { View } from "./fold/views.js";
export type { Seen, Watcher } from "./fold/views.js";
export type { RoomEvents } from "./fold/folding.js";
export { socketConnector } from "./transport.js";
export type { Connector, Transport, TransportHandlers } from "./transport.js";
export type { WaitOptions } from "./waiting.js";
export { Access, EndReason, ErrorCode, Index, LeaveReason, Prune, Region, Scope, Shape, TickMode, Visibility, Watch }
  from "./protocol.js";
export type { Limits, RoomInfo, RoomList, RoomStats, ServerStats, SessionInfo, SessionList, SnapshotResult, Stats,
  WhyResult } from "./protocol.js";
