// SPDX-License-Identifier: Apache-2.0
//
// The slots of a room's views: with relay_once, each position comes once for all observers, by slot.
import { ContradictionError } from "../errors.js";
import type { Relay } from "./relay.js";
import { RelayRows } from "./tick.js";

const SLOTS_MIN = 64;

export class Slots {
  /** How often a slot's position has come. */
  updates = new Uint32Array(SLOTS_MIN);
  /** The last position of each slot, by axis. */
  places = [new Float32Array(SLOTS_MIN), new Float32Array(SLOTS_MIN), new Float32Array(SLOTS_MIN)];
  private ids = new Float64Array(SLOTS_MIN).fill(-1); // slot -> id; -1: none
  private byId = new Map<number, number>();
  private viewers = new Map<number, Set<number>>(); // id -> observers

  /** @param relay the state of the stream; undefined: all positions are exact */
  constructor(readonly relay: Relay | undefined) {}

  of(id: number): number {
    const slot = this.byId.get(id);
    if (slot === undefined) throw new ContradictionError(`${id} has no slot`);
    return slot;
  }

  /** `given`: slot + 1, or 0 if the id has one. */
  enter(observer: number, id: number, given: number, position: number[]): void {
    if (given) {
      this.reserve(given);
      if (this.ids[given - 1]! >= 0 || this.byId.has(id)) {
        throw new ContradictionError(`slot ${given - 1} is in use, or ${id} has a slot`);
      }
      this.byId.set(id, given - 1);
      this.ids[given - 1] = id;
      this.relay?.start(given - 1, position);
    }
    const viewers = this.viewers.get(id);
    if (viewers) viewers.add(observer);
    else this.viewers.set(id, new Set([observer]));
  }

  leave(observer: number, id: number): void {
    const viewers = this.viewers.get(id);
    viewers?.delete(observer);
    if (viewers?.size) return;
    this.viewers.delete(id);
    this.ids[this.of(id)] = -1;
    this.byId.delete(id);
  }

  private reserve(count: number): void {
    if (count > 1 << 24) throw new ContradictionError(`slot ${count - 1}; must be below 2^24`);
    if (count <= this.ids.length) return;
    const capacity = Math.max(count, 2 * this.ids.length);
    const ids = new Float64Array(capacity).fill(-1), updates = new Uint32Array(capacity);
    ids.set(this.ids);
    updates.set(this.updates);
    this.ids = ids;
    this.updates = updates;
    this.places = this.places.map((before) => {
      const places = new Float32Array(capacity);
      places.set(before);
      return places;
    });
  }

  /** A position of the slot has come. */
  place(slot: number, position: number[]): void {
    if (!(this.ids[slot]! >= 0)) throw new ContradictionError("a position of a slot that is not in use");
    position.forEach((value, axis) => { this.places[axis]![slot] = value; });
    this.updates[slot]++;
  }

  /** The positions of slots, once per observer that sees the entity. */
  relays(slots: ArrayLike<number>): RelayRows[] {
    const rows: number[][] = [[], [], [], [], []];
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!, id = this.ids[slot]!;
      for (const observer of this.viewers.get(id) ?? []) {
        [observer, id, ...this.places.map((axis) => axis[slot]!)].forEach((value, column) => rows[column]!.push(value));
      }
    }
    const [x, y, z] = rows.slice(2).map((column) => Float32Array.from(column));
    const [observers, ids] = rows.map((column) => Uint32Array.from(column));
    return ids!.length ? [new RelayRows(observers, ids, x, y, z)] : [];
  }
}
