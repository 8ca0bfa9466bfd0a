// SPDX-License-Identifier: Apache-2.0
//
// The set of pairs of a room, folded from its Tick frames.
import { ContradictionError } from "../errors.js";
import type { Fields } from "../wire.js";
import { PairSet } from "./pairset.js";
import { PairRows } from "./tick.js";

const NONE = new Uint32Array(0);

/** What a reset has changed. */
export interface Difference {
  ends: PairRows;
  begins: PairRows;
}

/** The pairs that touch at the last tick; while a reset is on its way, those before it. */
export class Pairs implements Iterable<[number, number]> {
  /** Whether it is the set of a whole tick. */
  known = false;
  private set = new PairSet();
  private next: PairSet | undefined; // what a reset has brought so far

  /** Whether a and b touch, in any order. */
  has(a: number, b: number): boolean {
    return a < b ? this.set.has(a, b) : b < a && this.set.has(b, a);
  }

  get size(): number {
    return this.set.size;
  }

  /** All pairs as columns, in no particular order. */
  toColumns(): PairRows {
    const { a, b } = this.set.without(undefined);
    return new PairRows(a, b);
  }

  /** All pairs [a, b], a < b, in no particular order. */
  [Symbol.iterator](): Iterator<[number, number]> {
    return this.toColumns()[Symbol.iterator]();
  }

  /** @internal */
  get inReset(): boolean {
    return this.next !== undefined;
  }

  /** Folds one frame that is no suspension. At the end of a reset, returns its changes. Throws ContradictionError: then
   *  the set is unknown until a reset. @internal */
  apply(fields: Fields): Difference | undefined {
    if (fields.reset) {
      this.next = new PairSet();
    } else if (!this.next && !this.known && !fields.beginA && !fields.endA) {
      return undefined;
    }
    const set = this.next ?? this.set;
    if (!this.change(set, fields)) {
      this.suspend();
      throw new ContradictionError("a pair ends that is not in the set, or begins that is");
    }
    this.known = fields.last === true;
    if (!this.next || !this.known) return undefined;
    const before = this.set, gone = before.without(this.next), come = this.next.without(before);
    this.set = this.next;
    this.next = undefined;
    return { ends: new PairRows(gone.a, gone.b, new Uint8Array(gone.a.length)), begins: new PairRows(come.a, come.b) };
  }

  private change(set: PairSet, fields: Fields): boolean {
    const endA: Uint32Array = fields.endA ?? NONE, endB: Uint32Array = fields.endB ?? NONE;
    const beginA: Uint32Array = fields.beginA ?? NONE, beginB: Uint32Array = fields.beginB ?? NONE;
    if (endA.length !== endB.length || beginA.length !== beginB.length) return false;
    for (let i = 0; i < endA.length; i++) {
      if (!set.delete(endA[i]!, endB[i]!)) return false;
    }
    set.reserve(beginA.length);
    for (let i = 0; i < beginA.length; i++) {
      const a = beginA[i]!, b = beginB[i]!;
      if (a >= b || !set.add(a, b)) return false;
    }
    return true;
  }

  /** Nothing is known until a reset. @internal */
  suspend(): void {
    this.next = new PairSet();
    this.known = false;
  }
}
