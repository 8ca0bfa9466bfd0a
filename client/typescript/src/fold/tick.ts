// SPDX-License-Identifier: Apache-2.0
//
// What has changed in a room, as columns.
import { Pieces } from "../wire.js";

/** Pairs: entry i of each column belongs to pair i, and a[i] < b[i]. Iterate for [a, b]. */
export class PairRows implements Iterable<[number, number]> {
  constructor(readonly a: Uint32Array = new Uint32Array(0), readonly b: Uint32Array = new Uint32Array(0),
    /** Of ends: an EndReason each; 0: by a reset. Otherwise empty. */
    readonly reasons: Uint8Array = new Uint8Array(0)) {}

  get length(): number {
    return this.a.length;
  }

  *[Symbol.iterator](): Iterator<[number, number]> {
    for (let i = 0; i < this.a.length; i++) yield [this.a[i]!, this.b[i]!];
  }
}

/** Entries of views: an observer and the id of an entity each. Iterate for [observer, id]. */
export class ViewRows implements Iterable<[number, number]> {
  constructor(readonly observers: Uint32Array = new Uint32Array(0), readonly ids: Uint32Array = new Uint32Array(0),
    /** Of leaves: a LeaveReason each; 0: by a reset. Otherwise empty. */
    readonly reasons: Uint8Array = new Uint8Array(0)) {}

  get length(): number {
    return this.ids.length;
  }

  *[Symbol.iterator](): Iterator<[number, number]> {
    for (let i = 0; i < this.ids.length; i++) yield [this.observers[i]!, this.ids[i]!];
  }
}

/** Positions of entities in views. */
export class RelayRows {
  constructor(readonly observers: Uint32Array = new Uint32Array(0), readonly ids: Uint32Array = new Uint32Array(0),
    readonly x: Float32Array = new Float32Array(0), readonly y: Float32Array = new Float32Array(0),
    readonly z: Float32Array = new Float32Array(0)) {}

  get length(): number {
    return this.ids.length;
  }
}

interface Chunks {
  begins: PairRows[];
  ends: PairRows[];
  passed: PairRows[];
  stays: PairRows[];
  enters: ViewRows[];
  leaves: ViewRows[];
  relays: RelayRows[];
}

/** Several chunks as one; one chunk itself, without a copy. */
function merged<Row extends object>(chunks: Row[], empty: Row): Row {
  if (chunks.length < 2) return chunks[0] ?? empty;
  const columns = new Pieces<string>();
  for (const chunk of chunks) {
    for (const [name, column] of Object.entries(chunk)) columns.add(name, column);
  }
  return Object.assign(Object.create(Object.getPrototypeOf(empty)), Object.fromEntries(columns.joined()));
}

/** The changes up to a tick. */
export class Tick {
  /** The set of pairs was replaced: ends and begins are the difference, and ends have the reason 0. */
  reset = false;
  /** In lockstep: the sessions that did not step in time. */
  late: number[] = [];
  private readonly chunks: Chunks = { begins: [], ends: [], passed: [], stays: [], enters: [], leaves: [], relays: [] };

  /** @param number the tick */
  constructor(public number = 0) {}

  /** Pairs that touch now. */
  get begins(): PairRows {
    return merged(this.chunks.begins, new PairRows());
  }

  /** Pairs that do not touch any more, with reasons. */
  get ends(): PairRows {
    return merged(this.chunks.ends, new PairRows());
  }

  /** In rooms with `swept`: pairs that touched between two ticks only. */
  get passed(): PairRows {
    return merged(this.chunks.passed, new PairRows());
  }

  /** With subscribe({ stays: true }): pairs that touch still. */
  get stays(): PairRows {
    return merged(this.chunks.stays, new PairRows());
  }

  /** Entities that entered views. */
  get enters(): ViewRows {
    return merged(this.chunks.enters, new ViewRows());
  }

  /** Entities that left views, with reasons. */
  get leaves(): ViewRows {
    return merged(this.chunks.leaves, new ViewRows());
  }

  /** Positions of entities in views. The room collects them if it has a handler of "relay" or "tick", or an iterator of
   *  ticks. */
  get relays(): RelayRows {
    return merged(this.chunks.relays, new RelayRows());
  }

  /** Whether anything has changed. */
  get hasChanges(): boolean {
    return this.reset || Object.values(this.chunks).some((chunks) => chunks.length > 0);
  }

  /** @internal */
  add<Name extends keyof Chunks>(name: Name, rows: Chunks[Name][number]): void {
    if (rows.length) (this.chunks[name] as (typeof rows)[]).push(rows);
  }

  /** Appends later changes. @internal */
  merge(other: Tick): void {
    this.number = other.number;
    this.reset ||= other.reset;
    for (const [name, chunks] of Object.entries(other.chunks)) {
      (this.chunks[name as keyof Chunks] as unknown[]).push(...chunks);
    }
  }
}
