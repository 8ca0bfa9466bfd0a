// SPDX-License-Identifier: Apache-2.0
//
// What each observer of a session sees in a room, folded from its View frames.
import { ContradictionError } from "../errors.js";
import type { Column, Fields } from "../wire.js";
import { Relay } from "./relay.js";
import { Slots } from "./slots.js";
import { RelayRows, ViewRows } from "./tick.js";

const FLOATS = ["x", "y", "z", "halfX", "halfY", "halfZ", "radius", "axisX", "axisY", "axisZ"] as const;
const NAMES = [...FLOATS, "shape", "category", "tag"] as const;
const FIELDS = new Map(NAMES.map((name) => [name, `enter${name[0]!.toUpperCase()}${name.slice(1)}`]));
const AXES = ["X", "Y", "Z"];
const NONE = new Uint32Array(0);
const ROWS_MIN = 64;

type ViewColumns = { [Name in (typeof FLOATS)[number]]: Float32Array } &
  { shape: Uint8Array; category: Uint32Array; tag: BigUint64Array; slot: Int32Array; mark: Uint32Array };

function columnsOf(capacity: number): ViewColumns {
  const floats = Object.fromEntries(FLOATS.map((name) => [name, new Float32Array(capacity)]));
  return { ...floats, shape: new Uint8Array(capacity).fill(1), category: new Uint32Array(capacity).fill(1),
    tag: new BigUint64Array(capacity), slot: new Int32Array(capacity), mark: new Uint32Array(capacity) } as ViewColumns;
}

/** An entity as one observer knows it: its values at the enter, with the last reported position. */
export interface Seen {
  id: number;
  x: number;
  y: number;
  z: number;
  halfX: number;
  halfY: number;
  halfZ: number;
  radius: number;
  axisX: number;
  axisY: number;
  axisZ: number;
  shape: number;
  category: number;
  tag: bigint;
  payload: Uint8Array;
}

/** An observer of a session that sees an entity. */
export interface Watcher {
  session: number;
  observer: number;
}

/** The entities that one observer sees. */
export class View implements Iterable<number> {
  /** @internal */
  constructor(private readonly views: Views, readonly observer: number) {}

  private get rows(): ReadonlyMap<number, number> {
    return this.views.index.get(this.observer) ?? new Map();
  }

  has(id: number): boolean {
    return this.rows.has(id);
  }

  get size(): number {
    return this.rows.size;
  }

  /** The ids. */
  [Symbol.iterator](): Iterator<number> {
    return this.rows.keys();
  }

  get(id: number): Seen | undefined {
    const row = this.rows.get(id);
    return row === undefined ? undefined : this.views.seen(id, row);
  }

  /** The ids, in the order of `positions`. */
  ids(): Uint32Array {
    return Uint32Array.from(this.rows.keys());
  }

  /** The last reported positions: x, y and z of each id. */
  positions(): Float32Array {
    const out = new Float32Array(3 * this.size);
    let at = 0;
    for (const row of this.rows.values()) {
      for (let axis = 0; axis < 3; axis++) out[at++] = this.views.position(row, axis);
    }
    return out;
  }
}

/** What one frame has changed. */
export interface ViewChanges {
  leaves: ViewRows[];
  enters: ViewRows[];
  relays: RelayRows[];
}

/** All views of a room, and the reverse view. */
export class Views {
  /** observer -> id -> row. */
  index = new Map<number, Map<number, number>>();
  /** entity -> session:observer -> watcher. */
  watchers = new Map<number, Map<string, Watcher>>();
  known = true;
  suspended = false;
  private columns = columnsOf(ROWS_MIN);
  private capacity = ROWS_MIN;
  private used = new Set<string>(); // columns with other values than the default
  private payloads = new Map<number, Uint8Array>(); // by row
  private free: number[] = Array.from({ length: ROWS_MIN }, (_, row) => row);
  private count = 0;
  private slots: Slots | undefined;

  // ---- reading ----

  seen(id: number, row: number): Seen {
    const seen: Fields = { id };
    for (const name of NAMES) seen[name] = this.columns[name][row];
    ["x", "y", "z"].forEach((name, axis) => { seen[name] = this.position(row, axis); });
    seen.payload = this.payloads.get(row) ?? new Uint8Array(0);
    return seen as Seen;
  }

  position(row: number, axis: number): number {
    const { columns, slots } = this, slot = columns.slot[row]!;
    if (slots && slots.updates[slot] !== columns.mark[row]) return slots.places[axis]![slot]!;
    return columns[FLOATS[axis]!][row]!;
  }

  // ---- folding ----

  /** Folds one frame. Throws ContradictionError: then the views are of no use until a reset. */
  apply(fields: Fields, wantsRelays: boolean): ViewChanges {
    const changes: ViewChanges = { leaves: [], enters: [], relays: [] };
    if (fields.suspended) {
      this.forget(changes);
      this.watchers.clear();
      this.suspended = true;
      this.known = false;
      return changes;
    }
    if (fields.reset) {
      this.forget(changes);
      this.suspended = false;
    }
    if (fields.resetWatchers) this.watchers.clear();
    if (this.suspended && (fields.enterId || fields.leaveId)) throw new ContradictionError("views are suspended");
    this.leave(fields, changes);
    this.enter(fields, changes);
    this.move(fields, changes, wantsRelays);
    this.watch(fields);
    this.known = fields.last === true && !this.suspended;
    return changes;
  }

  private forget(changes: ViewChanges): void {
    for (const [observer, rows] of this.index) {
      if (!rows.size) continue;
      const ids = Uint32Array.from(rows.keys());
      changes.leaves.push(new ViewRows(new Uint32Array(ids.length).fill(observer), ids, new Uint8Array(ids.length)));
    }
    this.index = new Map();
    this.payloads = new Map();
    this.free = Array.from({ length: this.capacity }, (_, row) => row);
    this.count = 0;
    this.slots = undefined;
  }

  private rowOf(observer: number, id: number): number {
    const row = this.index.get(observer)?.get(id);
    if (row === undefined) throw new ContradictionError(`the view of ${observer} does not have ${id}`);
    return row;
  }

  private leave(fields: Fields, changes: ViewChanges): void {
    const observers: Uint32Array = fields.leaveObserver ?? NONE, ids: Uint32Array = fields.leaveId ?? NONE;
    for (let i = 0; i < ids.length; i++) {
      const observer = observers[i]!, id = ids[i]!, row = this.rowOf(observer, id);
      this.index.get(observer)!.delete(id);
      this.free.push(row);
      this.payloads.delete(row);
      this.count--;
      this.slots?.leave(observer, id);
    }
    if (ids.length) changes.leaves.push(new ViewRows(observers, ids, fields.leaveReason ?? new Uint8Array(ids.length)));
  }

  private enter(fields: Fields, changes: ViewChanges): void {
    const observers: Uint32Array = fields.enterObserver ?? NONE, ids: Uint32Array = fields.enterId ?? NONE;
    if (!ids.length) return;
    if (this.count === 0) {
      const axes = fields.enterZ ? 3 : 2;
      const relay = fields.relayK === undefined ? undefined : new Relay(fields.relayK, axes);
      this.slots = fields.enterSlot ? new Slots(relay) : undefined;
    }
    if ((this.slots !== undefined) !== (fields.enterSlot !== undefined)) {
      throw new ContradictionError("slots come with all enters or with none");
    }
    const rows = this.takeRows(ids.length);
    this.fill(rows, fields);
    for (let i = 0; i < ids.length; i++) {
      const observer = observers[i]!, id = ids[i]!;
      let seen = this.index.get(observer);
      if (!seen) this.index.set(observer, seen = new Map());
      if (seen.has(id)) throw new ContradictionError(`${id} enters the view of ${observer}, which has it`);
      seen.set(id, rows[i]!);
    }
    this.count += ids.length;
    if (this.slots) this.enterSlots(this.slots, observers, ids, rows, fields);
    if (fields.enterPayload) this.setPayloads(rows, fields);
    changes.enters.push(new ViewRows(observers, ids));
  }

  private takeRows(count: number): number[] {
    while (this.free.length < count) {
      const before = this.columns, size = this.capacity;
      this.capacity *= 2;
      this.columns = columnsOf(this.capacity);
      for (const [name, column] of Object.entries(this.columns)) column.set((before as any)[name]);
      for (let row = size; row < this.capacity; row++) this.free.push(row);
    }
    return this.free.splice(this.free.length - count, count);
  }

  private fill(rows: number[], fields: Fields): void {
    for (const name of NAMES) {
      const given: Column | undefined = fields[FIELDS.get(name)!], column = this.columns[name] as any;
      if (given) {
        this.used.add(name);
        for (let i = 0; i < rows.length; i++) column[rows[i]!] = given[i]!;
      } else if (this.used.has(name)) {
        const absent = name === "tag" ? 0n : name === "shape" || name === "category" ? 1 : 0;
        for (const row of rows) column[row] = absent;
      }
    }
  }

  private setPayloads(rows: number[], fields: Fields): void {
    let at = 0;
    rows.forEach((row, i) => {
      const size: number = fields.enterPayloadSize?.[i] ?? 0;
      if (size) this.payloads.set(row, fields.enterPayload.slice(at, at + size));
      at += size;
    });
  }

  private enterSlots(slots: Slots, observers: Uint32Array, ids: Uint32Array, rows: number[], fields: Fields): void {
    const { slot, mark } = this.columns, axes = AXES.map((axis) => fields[`enter${axis}`]).filter(Boolean);
    for (let i = 0; i < ids.length; i++) {
      slots.enter(observers[i]!, ids[i]!, fields.enterSlot[i], axes.map((column) => column[i]));
    }
    rows.forEach((row, i) => {
      slot[row] = slots.of(ids[i]!);
      mark[row] = slots.updates[slot[row]!]!;
    });
  }

  // ---- relays ----

  private move(fields: Fields, changes: ViewChanges, wantsRelays: boolean): void {
    if (fields.relayId) this.moveEntries(fields, changes, wantsRelays);
    const { slots } = this;
    if (fields.relay?.length) {
      if (!slots?.relay) throw new ContradictionError("a blob of positions without a precision");
      const { relay } = slots, count = relay.read(fields.relay);
      for (let i = 0; i < count; i++) {
        const slot = relay.slots[i]!;
        slots.place(slot, Array.from({ length: relay.axes }, (_, axis) => relay.position(axis, slot)));
      }
      if (wantsRelays) changes.relays.push(...slots.relays(relay.slots.subarray(0, count)));
    }
    if (fields.exactSlot) {
      if (!slots) throw new ContradictionError("a position of a slot without slots");
      const axes = AXES.map((axis) => fields[`exact${axis}`]).filter(Boolean);
      for (let i = 0; i < fields.exactSlot.length; i++) {
        const at = axes.map((column) => column[i]);
        slots.relay?.start(fields.exactSlot[i], at);
        slots.place(fields.exactSlot[i], at);
      }
      if (wantsRelays) changes.relays.push(...slots.relays(fields.exactSlot));
    }
  }

  private moveEntries(fields: Fields, changes: ViewChanges, wantsRelays: boolean): void {
    const observers: Uint32Array = fields.relayObserver ?? NONE, ids: Uint32Array = fields.relayId;
    const at: (Float32Array | undefined)[] = AXES.map((axis) => fields[`relay${axis}`]);
    for (let i = 0; i < ids.length; i++) {
      const row = this.rowOf(observers[i]!, ids[i]!);
      at.forEach((column, axis) => { if (column) this.columns[FLOATS[axis]!][row] = column[i]!; });
    }
    if (wantsRelays) {
      const [x, y, z] = at.map((column) => column ?? new Float32Array(ids.length));
      changes.relays.push(new RelayRows(observers, ids, x, y, z));
    }
  }

  // ---- the reverse view ----

  private watch(fields: Fields): void {
    for (const name of ["Leave", "Enter"]) {
      const entities: Uint32Array = fields[`watcher${name}Entity`] ?? NONE;
      const sessions: BigUint64Array = fields[`watcher${name}Session`], observers = fields[`watcher${name}Observer`];
      for (let i = 0; i < entities.length; i++) {
        this.setWatcher(entities[i]!, Number(sessions[i]), observers[i], name === "Enter");
      }
    }
  }

  private setWatcher(entity: number, session: number, observer: number, sees: boolean): void {
    const key = `${session}:${observer}`;
    let watchers = this.watchers.get(entity);
    if (sees) {
      if (!watchers) this.watchers.set(entity, watchers = new Map());
      watchers.set(key, { session, observer });
      return;
    }
    if (!watchers?.delete(key)) throw new ContradictionError(`${entity} does not have the watcher ${key}`);
    if (!watchers.size) this.watchers.delete(entity);
  }
}
