// SPDX-License-Identifier: Apache-2.0
//
// A room: requests, their answers, and the sets that the session folds.
import { columnsOf, given, idsOf, type Ids, type Values } from "./columns.js";
import { NewSessionError, QuadrilleError, RefusedError, RoomClosedError, SessionEndedError, type Refusal }
  from "./errors.js";
import type { Tick } from "./fold/tick.js";
import { joined, Log } from "./log.js";
import { Region, Scope, Shape, TickMode, Watch, type RoomOpened, type SnapshotResult, type WhyResult }
  from "./protocol.js";
import type { Request } from "./request.js";
import type { WaitOptions } from "./waiting.js";
import type { Fields } from "./wire.js";

/** An entity to spawn: a box with half extents, or a circle with a radius. The fields are those of Spawn. */
export interface EntityRow {
  id: number;
  x: number;
  y: number;
  z?: number;
  /** All half extents. */
  half?: number;
  halfX?: number;
  halfY?: number;
  halfZ?: number;
  radius?: number;
  axisX?: number;
  axisY?: number;
  axisZ?: number;
  shape?: Shape;
  category?: number;
  mask?: number;
}

/** What changes of an entity. The fields are those of Reshape; absent ones stay as they are. */
export type ReshapeRow = { id: number } & Partial<Omit<EntityRow, "id" | "x" | "y" | "z">>;

/** What observers get and see of an entity. The fields are those of SetDescription. */
export interface DescriptionRow {
  id: number;
  tag?: number | bigint;
  /** Up to 32 bytes. */
  payload?: Uint8Array;
  visibleRange?: number;
  team?: number;
  hidden?: boolean | number;
}

/** An observer. Further fields are those of Observe. */
export interface ObserverRow {
  id: number;
  /** The entity that it moves with; or x, y (and z) of a free one. */
  at?: number;
  x?: number;
  y?: number;
  z?: number;
  /** Of a circle, or of a cone. */
  range?: number;
  /** How much farther an entity may go before it leaves the view. */
  margin?: number;
  /** Half extents of a box. */
  half?: number;
  halfX?: number;
  halfY?: number;
  halfZ?: number;
  /** Of a cone, with `angle`. */
  directionX?: number;
  directionY?: number;
  directionZ?: number;
  /** Between a cone's direction and its side, in radians. */
  angle?: number;
  region?: Region;
  mask?: number;
  limit?: number;
  enterBudget?: number;
  team?: number;
  seesSelf?: boolean | number;
}

/** Where an observer is now, and its direction. */
export type MovedObserverRow = Pick<ObserverRow, "id" | "x" | "y" | "z" | "directionX" | "directionY" | "directionZ">;

/** The same fields as columns, with one value per id or one for all. */
export type ColumnsOf<Row> = { id: ArrayLike<number> } &
  { [Name in Exclude<keyof Row, "id" | "payload">]?: Values<NonNullable<Row[Name]>> };
/** One row, many, or columns. */
export type Batch<Row> = Row | readonly Row[] | ColumnsOf<Row>;

export interface ObserveOptions {
  /** Tiers of positions: how far each goes, and its period in ticks. */
  relay?: readonly { range: number; every: number }[];
}

/** The result of a query. */
export interface Found {
  ids: Uint32Array;
  /** 0 for regions. */
  distances: Float64Array;
  /** The tick that it describes. */
  tick: number;
  /** There are more than the limit. */
  more: boolean;
}

/** Where to look: exactly one of box, circle, nearest and ray. */
export interface QueryOptions extends WaitOptions {
  /** All minima, then all maxima. */
  box?: readonly number[];
  /** The center, then the radius. */
  circle?: readonly number[];
  /** A point. */
  nearest?: readonly number[];
  /** The origin, then the direction. */
  ray?: readonly number[];
  /** Only entities with one of these bits. */
  categories?: number;
  limit?: number;
}

const SPAWN_DEFAULTS = { half: 0, halfX: 0, halfY: 0, halfZ: 0, radius: 0, axisX: 0, axisY: 0, axisZ: 0, category: 1,
  mask: 0xffffffff };
const OBSERVE_DEFAULTS = { range: 0, margin: 0, half: 0, halfX: 0, halfY: 0, halfZ: 0, directionX: 1, directionY: 0,
  directionZ: 0, angle: 0, mask: 0xffffffff, limit: 0, enterBudget: 0, team: 0, seesSelf: 0 };
const QUERIES: Record<string, [start: string, end: string, endsPerAxis: boolean]> = {
  box: ["min", "max", true], circle: ["", "radius", false], nearest: ["", "", false], ray: ["", "direction", true],
};

/** Made by Session.open. A method that makes a request returns at once, with a Request to await. The request takes
 *  effect at the next tick. */
export class Room extends Log {
  /** Why the room is of no use any more; empty: it is. */
  closed = "";
  /** Ids that connect({ adopt: true }) has taken over while the room was opened. */
  readonly adopted: number[] = [];
  /** Why it could not be opened. @internal */ refusal: Refusal | undefined;
  /** @internal */ epoch = 0n;
  /** Sessions that may have our entities. @internal */ holders: number[] = [];

  protected override get room(): Room {
    return this;
  }

  // ---- entities ----

  /** Adds entities. With `roomOwned` they belong to the room, and stay when the session ends. */
  spawn(entities: Batch<EntityRow>, options: { roomOwned?: boolean } = {}): Request {
    const { half, ...values } = given(this.shaped(entities), SPAWN_DEFAULTS);
    if (half !== undefined) this.setHalf(values, half);
    return this.batch("spawn", values, { roomOwned: options.roomOwned });
  }

  /** Circles, if a radius is given without a shape. */
  private shaped(entities: Batch<EntityRow>): unknown {
    const withShape = (row: EntityRow) => ({ ...row, shape: row.shape ?? (row.radius ? Shape.CIRCLE : Shape.BOX) });
    if (Array.isArray(entities)) {
      return entities.some((row) => row.radius || row.shape) ? entities.map(withShape) : entities;
    }
    const columns = entities as EntityRow;
    return columns.radius !== undefined && columns.shape === undefined ? { ...columns, shape: Shape.CIRCLE } : columns;
  }

  private setHalf(values: Fields, half: unknown): void {
    values.halfX = values.halfY = half;
    if (this.hasZ) values.halfZ = half;
  }

  /** Moves entities. Arrays of uint32 and float32 are not looked at one by one, and may change after the call. If the
   *  same ids move again, they are sent once, as a roster. */
  move(ids: Ids, x: Values, y: Values, z?: Values): Request {
    return this.batch("move", { id: idsOf(ids), x, y, z });
  }

  /** Like move, but pairs that end by it have the reason TELEPORTED. */
  teleport(ids: Ids, x: Values, y: Values, z?: Values): Request {
    return this.batch("teleport", { id: idsOf(ids), x, y, z });
  }

  /** Changes shapes, sizes and filters. */
  reshape(entities: Batch<ReshapeRow>): Request {
    const { half, ...values } = given(entities);
    if (half !== undefined) this.setHalf(values, half);
    return this.batch("reshape", values);
  }

  /** Removes entities. */
  despawn(ids: Ids): Request {
    return this.batch("despawn", { id: idsOf(ids) });
  }

  /** Sets the tag, payload, visibleRange, team and hidden of entities. */
  describe(entities: DescriptionRow | readonly DescriptionRow[] |
    (ColumnsOf<DescriptionRow> & { payloads?: readonly Uint8Array[] })): Request {
    const { payload, payloads = payload, ...values } = given(entities);
    if (payloads === undefined) return this.batch("setDescription", values);
    const bytes = new Uint8Array(payloads.reduce((sum: number, each: Uint8Array) => sum + each.length, 0));
    let at = 0;
    for (const each of payloads) {
      bytes.set(each, at);
      at += each.length;
    }
    const payloadSize = payloads.map((each: Uint8Array) => each.length);
    return this.batch("setDescription", { ...values, payloadSize }, { payload: bytes });
  }

  /** Gives entities to the session of that number; 0: to the room. */
  handOver(ids: Ids, session = 0): Request {
    return this.batch("handOver", { id: idsOf(ids) }, session ? { session } : { roomOwned: true });
  }

  // ---- pairs and views ----

  /** Folds the pairs of the room, or with Scope.OWN those of this session's entities. */
  subscribe(options: { scope?: Scope; stays?: boolean } = {}): Request {
    const request = this.request("subscribe", { scope: options.scope ?? Scope.ALL, stays: options.stays });
    this.wantsPairs = this.pairsStale = true;
    return request;
  }

  unsubscribe(): Request {
    const request = this.request("unsubscribe", {});
    this.wantsPairs = this.pairsStale = false;
    return request;
  }

  /** Creates observers, or replaces them. */
  observe(observers: Batch<ObserverRow>, options: ObserveOptions = {}): Request {
    const { at, half, margin, ...values } = given(observers, OBSERVE_DEFAULTS);
    if (at !== undefined) values.entity = at;
    if (margin !== undefined) values.leaveMargin = margin;
    if (half !== undefined) this.setHalf(values, half);
    if (values.region === undefined) {
      if (values.halfX !== undefined) values.region = Region.BOX;
      if (values.directionX !== undefined) values.region = Region.CONE;
    }
    if (options.relay) {
      values.relayRange = options.relay.map((tier) => tier.range);
      values.relayEvery = options.relay.map((tier) => tier.every);
    }
    const request = this.batch("observe", values);
    this.wantsView = true;
    return request;
  }

  /** Moves free observers, and turns cones. */
  moveObservers(observers: Batch<MovedObserverRow>): Request {
    return this.batch("moveObservers", given(observers));
  }

  /** Removes observers. */
  unobserve(ids: Ids): Request {
    return this.batch("unobserve", { id: idsOf(ids) });
  }

  /** Replaces the lists of what an observer always sees, and never sees. */
  setExceptions(observer: number, lists: { show?: ArrayLike<number>; hide?: ArrayLike<number> }): Request {
    return this.request("setExceptions", { observer, show: idsOf(lists.show ?? []), hide: idsOf(lists.hide ?? []) });
  }

  /** Sets all options of this session's views. relayOnce sends each position once for all observers, and with relayK to
   *  half of 2**-relayK units in one or two bytes. */
  viewOptions(options: { bytesMax?: number; watch?: Watch; relayOnce?: boolean; relayK?: number }): Request {
    const request = this.request("setViewOptions", { ...options });
    this.wantsView ||= (options.watch ?? 0) > Watch.NONE;
    return request;
  }

  // ---- ticks ----

  /** Makes the room tick once, even if the connection breaks meanwhile. Resolves to what has changed since the call:
   *  several ticks, if others step the room too. */
  async step(wait?: WaitOptions): Promise<Tick> {
    const request = this.request("step", {}), tick = this.collect();
    this.session.flush();
    try {
      tick.number = await request.applied(wait);
    } finally {
      this.endCollecting(tick);
    }
    tick.late = this.takeLate();
    return tick;
  }

  /** Waits until a tick contains all requests so far that were not refused, and the sets are of that tick or later.
   *  Resolves to the tick. A room that ticks by Step needs a step for that. */
  async sync(wait?: WaitOptions): Promise<number> {
    const last = this.lastRequest;
    const isDone = () => this.isReady && this.reports && !this.isPending(last);
    await this.session.waiting.until(() => this.closed || isDone(), wait);
    if (this.closed) throw this.closedError();
    return this.tick;
  }

  /** Whether the room is open, and pairs and views are both those of its last tick. */
  get settled(): boolean {
    return this.isReady && !this.pairsStale && !this.viewStale && !this.pairs.inReset &&
      (!this.wantsPairs || this.pairs.known) && this.views.known;
  }

  // ---- queries ----

  /** The entities in a box or a circle, near a point, or on a ray, as of the last tick. */
  async query(options: QueryOptions): Promise<Found> {
    const axes = this.hasZ ? ["X", "Y", "Z"] : ["X", "Y"], fields: Fields = {};
    for (const [kind, [start, end, endsPerAxis]] of Object.entries(QUERIES)) {
      const values = options[kind as "box"];
      if (!values) continue;
      const names = axes.map((axis) => start ? start + axis : axis.toLowerCase());
      if (end) names.push(...endsPerAxis ? axes.map((axis) => end + axis) : [end]);
      if (values.length !== names.length) {
        throw new RangeError(`${kind} has ${values.length} values; must be ${names.length}: ${names.join(", ")}`);
      }
      fields[kind] = Object.fromEntries(names.map((name, i) => [name, values[i]]));
    }
    const { categories, limit } = options;
    const result = await this.ask("query", { ...fields, categories, limit }, options);
    const distances = result.distance.length ? result.distance : new Float64Array(result.id.length);
    return { ids: result.id, distances, tick: result.tick, more: result.more };
  }

  /** Why the observers at entity a see entity b, or do not. With `observer`: a is an observer of this session. */
  why(a: number, b: number, options: { observer?: boolean } & WaitOptions = {}): Promise<WhyResult> {
    return this.ask("why", { a, b, observer: options.observer }, options);
  }

  /** The present entities, as columns. A column is absent if it is 0 for all of them. */
  async snapshot(options: { own?: boolean; limit?: number } & WaitOptions = {}): Promise<Partial<SnapshotResult>> {
    return joined(await this.ask("getSnapshot", { own: options.own, limit: options.limit }, options));
  }

  private async ask(kind: string, fields: Fields, wait: WaitOptions): Promise<any> {
    if (this.closed) throw this.closedError();
    return this.session.call(this, kind, fields, { wait });
  }

  // ---- the end ----

  /** Leaves the room. The session's entities go after the grace time. */
  leave(wait?: WaitOptions): Promise<void> {
    return this.part("leaveRoom", wait);
  }

  /** Closes the room for all sessions. Allowed to its creator and to admins. Rejects with RefusedError. */
  close(wait?: WaitOptions): Promise<void> {
    return this.part("closeRoom", wait);
  }

  private async part(kind: string, wait?: WaitOptions): Promise<void> {
    if (!this.closed && this.handle) {
      try {
        await this.session.call(this, kind, {}, { restores: true, wait });
      } catch (error) {
        if (!(error instanceof NewSessionError)) throw error; // a new session is not in the room
      }
    }
    this.end(new RoomClosedError(`the room '${this.name}' is closed`));
  }

  /** The room is of no use any more. @internal */
  end(error: QuadrilleError): void {
    if (this.closed) return;
    this.closed = error.message;
    this.isReady = false;
    this.restorer?.cancel();
    this.session.rooms.delete(this.name);
    this.session.byHandle.delete(this.handle);
    this.forget(error);
    for (const queue of [...this.queues]) queue.end();
    this.handlers.call("closed");
    this.session.notify();
  }

  private closedError(): QuadrilleError {
    return this.session.ended ? new SessionEndedError(this.session.ended) : new RoomClosedError(this.closed);
  }

  // ---- making requests ----

  private batch(kind: string, values: Fields, more: Fields = {}): Request {
    const { id, ...columns } = values, ids = idsOf(id);
    return this.request(kind, { id: ids, ...columnsOf(kind, ids.length, columns), ...more });
  }

  private request(kind: string, fields: Fields): Request {
    if (this.closed) throw this.closedError();
    return this.push(kind, fields);
  }

  // ---- for restore.ts ----

  /** The server has opened the room. @internal */
  enter(opened: RoomOpened): void {
    this.handle = opened.room;
    this.opened = true;
    this.epoch = opened.epoch;
    this.steps = opened.config?.tickMode === TickMode.STEP;
    this.lockstep = (opened.config?.writers ?? 0) > 0;
    this.hasZ = opened.config?.dimensions === 3;
    this.session.byHandle.set(this.handle, this);
  }

  /** @internal */
  beReady(): void {
    this.isReady = true;
    this.restorer = undefined;
    this.holders = [this.session.number];
    this.replay();
    this.session.notify();
  }

  /** @internal */
  beRefused(refusal: Refusal): void {
    this.refusal = refusal;
    this.restorer = undefined;
    this.session.report(refusal);
    this.end(new RefusedError(refusal));
  }

  /** Entities were adopted from earlier sessions of the token. @internal */
  gained(frames: Fields[]): void {
    for (const frame of frames) {
      this.takeHandedOver(frame);
      this.adopted.push(...frame.id ?? []);
    }
  }
}
