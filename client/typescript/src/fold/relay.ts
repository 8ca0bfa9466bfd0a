// SPDX-License-Identifier: Apache-2.0
//
// Reads the relay stream (proto/RELAY.md): each position once per session, in one or two bytes.
import { ContradictionError } from "../errors.js";

const WIDTH = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24];
const GROUP = 16;
const SLOTS_MAX = 1 << 24;

function refuse(): never {
  throw new ContradictionError("the bytes are no blob of version 1 of the relay stream for these slots");
}

function grown(before: Int32Array | undefined, capacity: number): Int32Array {
  const array = new Int32Array(capacity);
  if (before) array.set(before);
  return array;
}

/** Reads the head of a blob and the slots that it names. */
class BlobReader {
  at = 1;
  readonly end: number; // the zeros begin there
  count = 0; // slots so far

  constructor(readonly blob: Uint8Array, private readonly slots: Int32Array, private readonly started: number) {
    this.end = blob.length - 4;
    if (this.end < 3 || (blob[0]! & 0x8f) !== 1) refuse();
    if (blob[this.end]! | blob[this.end + 1]! | blob[this.end + 2]! | blob[this.end + 3]!) refuse();
  }

  private varint(): number {
    for (let value = 0, unit = 1; unit <= 2 ** 28 && this.at < this.end; unit *= 128) {
      const byte = this.blob[this.at++]!;
      value += (byte & 127) * unit;
      if (byte < 128) return value < 2 ** 32 ? value : refuse();
    }
    return refuse();
  }

  private bitmap(first: number, size: number): void {
    if (!(this.at + size <= this.end)) refuse();
    for (let slot = first, stop = this.at + size; this.at < stop; this.at++, slot += 8) {
      for (let i = slot, bits = this.blob[this.at]!; bits; i++, bits >>= 1) {
        if (!(bits & 1)) continue;
        if (i >= this.started) refuse();
        this.slots[this.count++] = i;
      }
    }
  }

  readSlots(): void {
    const kind = this.blob[0]! >> 5 & 3, first = this.varint(), number = this.varint();
    if (kind === 0) {
      if (first + number > this.started) refuse();
      for (; this.count < number; this.count++) this.slots[this.count] = first + this.count;
    } else if (kind === 1) {
      this.bitmap(first, number);
    } else if (kind === 2) {
      for (let slot = first; this.count < number; slot++) {
        slot += this.varint();
        if (slot >= this.started) refuse();
        this.slots[this.count++] = slot;
      }
    } else {
      for (let i = 0, slot = first; i < number; i++) {
        slot += 8 * this.varint();
        const size = this.varint();
        this.bitmap(slot, size);
        slot += 8 * size;
      }
    }
  }
}

/** The state of a stream: for each slot and axis the position in steps, and the change that was sent last. */
export class Relay {
  readonly scale: number;
  at: Int32Array[] = [];
  /** Those of the last blob, ascending. */
  slots = new Int32Array(0);
  private last: Int32Array[] = [];

  constructor(k: number, readonly axes: number, private count = 0) {
    this.scale = 2 ** k;
    this.reserve(Math.max(count, 64));
  }

  private reserve(capacity: number): void {
    const grow = (before: Int32Array[]) =>
      Array.from({ length: this.axes }, (_, axis) => grown(before[axis], capacity));
    this.at = grow(this.at);
    this.last = grow(this.last);
    this.slots = new Int32Array(capacity);
  }

  /** Starts a slot at the exact position of an enter or of an exact entry. */
  start(slot: number, position: ArrayLike<number>): void {
    if (!(slot < SLOTS_MAX)) refuse();
    if (slot >= this.slots.length) this.reserve(Math.max(slot + 1, 2 * this.slots.length));
    this.count = Math.max(this.count, slot + 1);
    for (let axis = 0; axis < this.axes; axis++) {
      const steps = Math.floor(position[axis]! * this.scale);
      this.at[axis]![slot] = Math.abs(steps) < 2 ** 30 ? steps : 0;
      this.last[axis]![slot] = 0;
    }
  }

  position(axis: number, slot: number): number {
    return this.at[axis]![slot]! / this.scale;
  }

  /** Applies a blob. Returns how many slots it names: see `slots`. After an error the state is of no use. */
  read(blob: Uint8Array): number {
    const reader = new BlobReader(blob, this.slots, this.count);
    reader.readSlots();
    const view = new DataView(blob.buffer, blob.byteOffset, blob.length);
    const predicted = blob[0]! & 16 ? -1 : 0;
    let at = reader.at;
    for (let first = 0; first < reader.count; first += GROUP) {
      const stop = Math.min(first + GROUP, reader.count), codes = [blob[at]! & 15, blob[at]! >> 4, 0];
      if (this.axes === 3) codes[2] = blob[at + 1]!;
      at += this.axes - 1;
      for (let axis = 0; axis < this.axes; axis++) {
        const width = WIDTH[codes[axis]!] ?? refuse(), begin = at;
        at += (stop - first) * width + 7 >> 3;
        if (at > reader.end) refuse();
        this.apply(view, 8 * begin, width, axis, first, stop, predicted);
      }
    }
    if (at !== reader.end) refuse();
    return reader.count;
  }

  /** The values of one axis of a group. */
  private apply(view: DataView, bit: number, width: number, axis: number, first: number, stop: number,
    predicted: number): void {
    const at = this.at[axis]!, last = this.last[axis]!, mask = (1 << width) - 1;
    for (let i = first; i < stop; i++, bit += width) {
      const slot = this.slots[i]!, value = view.getUint32(bit >> 3, true) >>> (bit & 7) & mask;
      at[slot]! += last[slot] = (value >>> 1 ^ -(value & 1)) + (last[slot]! & predicted);
    }
  }
}
