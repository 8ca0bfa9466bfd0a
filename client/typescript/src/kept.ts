// SPDX-License-Identifier: Apache-2.0
//
// The entities and the observers of a room that a session restores in a new session of the server.
import { columnsOf } from "./columns.js";
import { Shape } from "./protocol.js";
import type { MovedRows } from "./request.js";
import type { Column, Fields } from "./wire.js";

const PLACE = ["x", "y", "z"];
const SIZES = ["halfX", "halfY", "halfZ", "radius", "axisX", "axisY", "axisZ"];
const SHAPE = [...SIZES, "shape", "category", "mask"];
const DESCRIPTION = ["tag", "team", "visibleRange", "hidden"];
const FLAGS = ["there", "roomOwned", "foreign", "moved", "described", "missing"] as const;
const Z = new Set(["z", "halfZ", "axisZ", "directionZ"]);
const TIERS = new Set(["relayRange", "relayEvery"]);
const ABSENT: Record<string, number | bigint> = { shape: Shape.BOX, category: 1, mask: 0xffffffff, tag: 0n };
const ROWS_MIN = 64;

type Columns = Record<string, Column>;
type Flags = Record<(typeof FLAGS)[number], Uint8Array>;
export type KeptRequest = [kind: string, fields: Fields];

function emptyColumns(capacity: number): Columns {
  const columns: Columns = { id: new Uint32Array(capacity), category: new Uint32Array(capacity),
    mask: new Uint32Array(capacity), team: new Uint32Array(capacity), tag: new BigUint64Array(capacity),
    shape: new Uint8Array(capacity), hidden: new Uint8Array(capacity), visibleRange: new Float32Array(capacity) };
  for (const name of [...PLACE, ...SIZES]) columns[name] = new Float32Array(capacity);
  return columns;
}

function flagsOf(capacity: number): Flags {
  return Object.fromEntries(FLAGS.map((name) => [name, new Uint8Array(capacity)])) as Flags;
}

interface KeptObserver {
  /** The values of Observe, one each. */
  values: Fields;
  tiers: Fields;
  lists: Fields | undefined;
}

/** The state of one room. Entities are columns; a map finds the row of an id. */
export class Kept {
  readonly rows = new Map<number, number>();
  version = 0; // rises when a row gets another entity
  columns = emptyColumns(ROWS_MIN);
  flags = flagsOf(ROWS_MIN);
  readonly observers = new Map<number, KeptObserver>();
  viewOptions: Fields | undefined;
  subscription: Fields | undefined;
  private readonly payloads = new Map<number, Uint8Array>(); // by id
  private capacity = ROWS_MIN;

  // ---- entities ----

  /** Keeps ids that are not kept yet. They are foreign: their shapes are not known. */
  add(ids: number[]): number[] {
    const first = this.rows.size, end = first + ids.length; // rows are dense: the free ones are behind all others
    this.reserve(end);
    for (const [name, column] of Object.entries(this.columns)) (column as any).fill(ABSENT[name] ?? 0, first, end);
    for (const name of FLAGS) this.flags[name].fill(name === "there" || name === "foreign" ? 1 : 0, first, end);
    this.columns.id!.set(ids as any, first);
    const rows = ids.map((id, i) => {
      this.rows.set(id, first + i);
      return first + i;
    });
    this.version++;
    return rows;
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    while (this.capacity < count) this.capacity *= 2;
    const columns = emptyColumns(this.capacity), flags = flagsOf(this.capacity);
    for (const [name, column] of Object.entries(columns)) column.set(this.columns[name] as any);
    for (const name of FLAGS) flags[name].set(this.flags[name]);
    this.columns = columns;
    this.flags = flags;
  }

  remove(ids: Iterable<number>): void {
    const gone = new Set<number>();
    for (const id of ids) {
      const row = this.rows.get(id);
      if (row === undefined) continue;
      gone.add(id);
      this.rows.delete(id);
      this.payloads.delete(id);
      this.fillGap(row, this.rows.size);
    }
    if (!gone.size) return;
    this.version++;
    for (const [key, { values }] of this.observers) {
      if (values.anchored && gone.has(values.entity)) this.observers.delete(key);
    }
  }

  /** The last row takes the place of the free one. */
  private fillGap(row: number, last: number): void {
    if (row !== last) {
      for (const column of [...Object.values(this.columns), ...Object.values(this.flags)]) column[row] = column[last]!;
      this.rows.set(Number(this.columns.id![row]), row);
    }
    this.flags.there[last] = 0;
  }

  /** The rows of those of a move's ids that are kept. */
  rowsOf(ids: Uint32Array): MovedRows {
    const places: number[] = [], rows: number[] = [];
    for (let i = 0; i < ids.length; i++) {
      const row = this.rows.get(ids[i]!);
      if (row === undefined) continue;
      places.push(i);
      rows.push(row);
    }
    return { version: this.version, places: rows.length === ids.length ? undefined : Int32Array.from(places),
      rows: Int32Array.from(rows) };
  }

  isMissing(id: number): boolean {
    const row = this.rows.get(id);
    return row !== undefined && this.flags.missing[row] === 1;
  }

  // ---- requests that the server has carried out ----

  /** `refused`: entries that do not count. `session`: the number of the server's session. */
  apply(kind: string, fields: Fields, refused: Set<number>, session: number): void {
    switch (kind) {
      case "spawn": return this.spawn(fields, refused);
      case "move": case "teleport": return this.move(fields, refused);
      case "reshape": return this.reshape(fields, refused);
      case "despawn": return this.remove(this.counting(fields, refused).map(([i]) => fields.id[i]));
      case "setDescription": return this.describe(fields, refused);
      case "handOver": return this.handOver(fields, refused, session);
      case "observe": return this.observe(fields, refused);
      case "moveObservers": return this.moveObservers(fields, refused);
      case "unobserve": return this.unobserve(fields, refused);
      case "setExceptions": return this.setExceptions(fields);
      case "setViewOptions": this.viewOptions = fields; return;
      case "subscribe": this.subscription = fields; return;
      case "unsubscribe": this.subscription = undefined; return;
    }
  }

  /** The entries that count: index and row. An entity that is missing now gets what was refused for it, when it is
   *  spawned again. */
  private counting(fields: Fields, refused: Set<number>): [number, number][] {
    const found: [number, number][] = [];
    fields.id.forEach((id: number, i: number) => {
      const row = this.rows.get(id);
      if (row !== undefined && (!refused.has(i) || this.flags.missing[row])) found.push([i, row]);
    });
    return found;
  }

  private set(names: string[], fields: Fields, entries: [number, number][]): void {
    for (const name of names) {
      const given = fields[name], column = this.columns[name] as any;
      if (given) for (const [i, row] of entries) column[row] = given[i];
    }
  }

  private spawn(fields: Fields, refused: Set<number>): void {
    const first = new Map<number, number>();
    fields.id.forEach((id: number, i: number) => {
      if (!refused.has(i) && !this.rows.has(id) && !first.has(id)) first.set(id, i);
    });
    const rows = this.add([...first.keys()]), places = [...first.values()];
    this.set([...PLACE, ...SHAPE], fields, rows.map((row, n) => [places[n]!, row]));
    for (const row of rows) {
      this.flags.foreign[row] = 0;
      this.flags.roomOwned[row] = fields.roomOwned ? 1 : 0;
    }
  }

  /** The server could not spawn that entry yet. */
  miss(fields: Fields, i: number): void {
    const id: number = fields.id[i];
    if (!this.rows.has(id)) {
      const one = Object.entries(fields).map(([name, value]) =>
        [name, ArrayBuffer.isView(value) ? (value as Column).subarray(i, i + 1) : value]);
      this.spawn(Object.fromEntries(one), new Set());
    }
    this.flags.missing[this.rows.get(id)!] = 1;
  }

  moveRows(fields: Fields, { places, rows }: MovedRows): void {
    for (const name of PLACE) {
      const given: Float32Array | undefined = fields[name], column = this.columns[name] as Float32Array;
      if (!given) continue;
      if (places) for (let i = 0; i < rows.length; i++) column[rows[i]!] = given[places[i]!]!;
      else for (let i = 0; i < rows.length; i++) column[rows[i]!] = given[i]!;
    }
    const { moved } = this.flags;
    for (let i = 0; i < rows.length; i++) moved[rows[i]!] = 1;
  }

  private move(fields: Fields, refused: Set<number>): void {
    const entries = this.counting(fields, refused);
    this.set(PLACE, fields, entries);
    for (const [, row] of entries) this.flags.moved[row] = 1;
  }

  private reshape(fields: Fields, refused: Set<number>): void {
    const entries = this.counting(fields, refused), { columns } = this;
    this.set(SHAPE, fields, entries);
    for (const [, row] of entries) {
      const shape = columns.shape![row];
      for (const name of SIZES) {
        const lacks = name === "radius" ? shape === Shape.BOX : name.startsWith("half") ? shape !== Shape.BOX :
          shape !== Shape.CAPSULE;
        if (lacks) columns[name]![row] = 0;
      }
    }
  }

  private describe(fields: Fields, refused: Set<number>): void {
    const entries = this.counting(fields, refused);
    this.set(DESCRIPTION, fields, entries);
    for (const [, row] of entries) this.flags.described[row] = 1;
    if (!fields.payloadSize) return;
    const starts = [0];
    for (const size of fields.payloadSize) starts.push(starts[starts.length - 1]! + size);
    for (const [i] of entries) {
      this.payloads.set(fields.id[i], (fields.payload ?? new Uint8Array(0)).slice(starts[i], starts[i + 1]));
    }
  }

  private handOver(fields: Fields, refused: Set<number>, session: number): void {
    const entries = this.counting(fields, refused);
    if (fields.roomOwned || fields.session === session) {
      for (const [, row] of entries) this.flags.roomOwned[row] = fields.roomOwned ? 1 : 0;
    } else {
      this.remove(entries.map(([i]) => fields.id[i]));
    }
  }

  // ---- views ----

  private observe(fields: Fields, refused: Set<number>): void {
    const tiers = Object.fromEntries(Object.entries(fields).filter(([name]) => TIERS.has(name)));
    fields.id.forEach((id: number, i: number) => {
      const waits = fields.entity && this.isMissing(fields.entity[i]);
      if (refused.has(i) && !waits) return;
      const values = { anchored: fields.entity ? 1 : 0, entity: 0, ...this.valuesAt(fields, i) };
      this.observers.set(id, { values, tiers, lists: this.observers.get(id)?.lists });
    });
  }

  private valuesAt(fields: Fields, i: number): Fields {
    return Object.fromEntries(Object.entries(fields)
      .filter(([name, value]) => ArrayBuffer.isView(value) && name !== "id" && !TIERS.has(name))
      .map(([name, value]) => [name, value[i]]));
  }

  private moveObservers(fields: Fields, refused: Set<number>): void {
    fields.id.forEach((id: number, i: number) => {
      const observer = this.observers.get(id);
      if (observer && !refused.has(i)) Object.assign(observer.values, this.valuesAt(fields, i));
    });
  }

  private unobserve(fields: Fields, refused: Set<number>): void {
    fields.id.forEach((id: number, i: number) => {
      if (!refused.has(i)) this.observers.delete(id);
    });
  }

  private setExceptions(fields: Fields): void {
    const observer = this.observers.get(fields.observer);
    if (observer) observer.lists = fields;
  }

  // ---- restoring ----

  private batch(isChosen: (row: number) => unknown, names: string[], hasZ: boolean): Fields {
    const rows: number[] = [];
    for (let row = 0; row < this.rows.size; row++) {
      if (isChosen(row)) rows.push(row);
    }
    const fields: Fields = {};
    for (const name of ["id", ...names]) {
      const column = this.columns[name] as any;
      if (hasZ || !Z.has(name)) fields[name] = column.constructor.from(rows, (row: number) => column[row]);
    }
    return fields;
  }

  /** The requests that bring a room to this state. `present`: the ids of own entities that are there. `fresh`: it is a
   *  new room, without entities of the room itself. */
  *requests(present: Set<number>, fresh: boolean, hasZ: boolean): Iterable<KeptRequest> {
    const { roomOwned, foreign, moved, described } = this.flags;
    const isThere = (row: number) => present.has(Number(this.columns.id![row]));
    const isOwn = (row: number) => !foreign[row] && !roomOwned[row];
    yield ["spawn", this.batch((row) => isOwn(row) && !isThere(row), [...PLACE, ...SHAPE], hasZ)];
    if (fresh) {
      const ofRoom = this.batch((row) => roomOwned[row] && !foreign[row], [...PLACE, ...SHAPE], hasZ);
      yield ["spawn", { ...ofRoom, roomOwned: true }];
    }
    if (present.size) {
      yield ["teleport", this.batch((row) => isThere(row) && (isOwn(row) || moved[row]), PLACE, hasZ)];
      yield ["reshape", this.batch((row) => isThere(row) && isOwn(row), SHAPE, hasZ)];
      yield ["despawn", { id: Uint32Array.from([...present].filter((id) => !this.rows.has(id))) }];
    }
    yield this.descriptions((row) => described[row] && (isOwn(row) || fresh));
    yield* this.observes(() => true, hasZ);
    if (this.viewOptions) yield ["setViewOptions", this.viewOptions];
    if (this.subscription) yield ["subscribe", this.subscription];
  }

  /** The same for entities that could not be spawned, and observers at them. */
  missingRequests(hasZ: boolean): KeptRequest[] {
    const { missing, described } = this.flags;
    return [["spawn", this.batch((row) => missing[row], [...PLACE, ...SHAPE], hasZ)],
      this.descriptions((row) => missing[row] && described[row]),
      ...this.observes(({ values }) => values.anchored && this.isMissing(values.entity), hasZ)];
  }

  private descriptions(isChosen: (row: number) => unknown): KeptRequest {
    const fields = this.batch(isChosen, DESCRIPTION, true);
    const payloads = [...fields.id as Uint32Array].map((id) => this.payloads.get(id) ?? new Uint8Array(0));
    fields.payloadSize = Uint8Array.from(payloads, (payload) => payload.length);
    fields.payload = Uint8Array.from(payloads.flatMap((payload) => [...payload]));
    return ["setDescription", fields];
  }

  private *observes(isChosen: (observer: KeptObserver) => unknown, hasZ: boolean): Iterable<KeptRequest> {
    // One message per observer: each has its own tiers.
    for (const [id, observer] of this.observers) {
      if (!isChosen(observer)) continue;
      const values = Object.entries(observer.values).filter(([name]) => hasZ || !Z.has(name));
      yield ["observe", { ...columnsOf("observe", 1, { id, ...Object.fromEntries(values) }), ...observer.tiers }];
      if (observer.lists) yield ["setExceptions", observer.lists];
    }
  }

  /** Nothing is missing any more, unless the server refuses it again. */
  forgetMissing(): void {
    this.flags.missing.fill(0);
  }
}

