// SPDX-License-Identifier: Apache-2.0
//
// A set of pairs in one flat array: an open hash table with linear probing. No pair takes an object.

const CAPACITY_MIN = 64;

/** Pairs (a, b) with a < b, so b is never 0: a place with b = 0 is free. At most half of the places are taken. */
export class PairSet {
  size = 0;
  private cells = new Uint32Array(2 * CAPACITY_MIN);
  private mask = CAPACITY_MIN - 1;

  private home(a: number, b: number): number {
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
    hash = Math.imul(hash ^ hash >>> 15, 0xc2b2ae35);
    return (hash ^ hash >>> 16) & this.mask;
  }

  /** The place of the pair, or the free one where it belongs. */
  private find(a: number, b: number): number {
    const { cells, mask } = this;
    for (let at = this.home(a, b); ; at = at + 1 & mask) {
      const second = cells[2 * at + 1]!;
      if (second === 0 || (second === b && cells[2 * at] === a)) return at;
    }
  }

  has(a: number, b: number): boolean {
    return this.cells[2 * this.find(a, b) + 1] !== 0;
  }

  /** Makes place for so many more pairs. */
  reserve(more: number): void {
    let capacity = this.mask + 1;
    while (capacity < 2 * (this.size + more)) capacity *= 2;
    if (capacity === this.mask + 1) return;
    const before = this.cells;
    this.cells = new Uint32Array(2 * capacity);
    this.mask = capacity - 1;
    for (let i = 0; i < before.length; i += 2) {
      if (before[i + 1] !== 0) this.put(this.find(before[i]!, before[i + 1]!), before[i]!, before[i + 1]!);
    }
  }

  private put(at: number, a: number, b: number): void {
    this.cells[2 * at] = a;
    this.cells[2 * at + 1] = b;
  }

  /** False if the pair is there already. */
  add(a: number, b: number): boolean {
    if (2 * (this.size + 1) > this.mask + 1) this.reserve(1);
    const at = this.find(a, b);
    if (this.cells[2 * at + 1] !== 0) return false;
    this.put(at, a, b);
    this.size++;
    return true;
  }

  /** False if the pair is not there. */
  delete(a: number, b: number): boolean {
    const { cells, mask } = this;
    let free = this.find(a, b);
    if (cells[2 * free + 1] === 0) return false;
    // Pairs behind the free place that probing would not reach any more move into it.
    for (let at = free + 1 & mask; cells[2 * at + 1] !== 0; at = at + 1 & mask) {
      const home = this.home(cells[2 * at]!, cells[2 * at + 1]!);
      if ((at - home & mask) >= (at - free & mask)) {
        this.put(free, cells[2 * at]!, cells[2 * at + 1]!);
        free = at;
      }
    }
    this.put(free, 0, 0);
    this.size--;
    return true;
  }

  /** The pairs that the other set lacks, as columns. */
  without(other: PairSet | undefined): { a: Uint32Array; b: Uint32Array } {
    const { cells } = this, a = new Uint32Array(this.size), b = new Uint32Array(this.size);
    let count = 0;
    for (let i = 0; i < cells.length; i += 2) {
      if (cells[i + 1] === 0 || other?.has(cells[i]!, cells[i + 1]!)) continue;
      a[count] = cells[i]!;
      b[count++] = cells[i + 1]!;
    }
    return { a: a.subarray(0, count), b: b.subarray(0, count) };
  }
}
