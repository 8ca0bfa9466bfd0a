// SPDX-License-Identifier: Apache-2.0
//
// Which moves name the same ids again: those send positions alone, through a roster.

export const ROSTERS_MAX = 16;
const IDS_MIN = 4; // below that a roster saves next to nothing

function isSame(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false;
  }
  return true;
}

export interface RosterChoice {
  /** Undefined: move by ids. */
  roster?: number;
  /** Register the roster first. */
  registers: boolean;
  /** Drop these rosters before. */
  dropped: number[];
}

/** The rosters of one room in one session of the server. The least recently used one makes place. */
export class Rosters {
  private rosters = new Map<number, Uint32Array>(); // the most recently used last
  private before: Uint32Array | undefined; // ids of the last move without a roster
  private total = 0;

  find(ids: Uint32Array, idsMax: number): RosterChoice {
    for (const [roster, known] of this.rosters) {
      if (isSame(known, ids)) {
        this.rosters.delete(roster);
        this.rosters.set(roster, known);
        return { roster, registers: false, dropped: [] };
      }
    }
    const again = this.before !== undefined && isSame(this.before, ids);
    if (ids.length < IDS_MIN || ids.length > idsMax || !again) {
      this.before = ids.slice();
      return { registers: false, dropped: [] };
    }
    this.before = undefined;
    const dropped: number[] = [];
    while (this.rosters.size === ROSTERS_MAX || this.total + ids.length > idsMax) {
      const [oldest, known] = this.rosters.entries().next().value!;
      dropped.push(oldest);
      this.total -= known.length;
      this.rosters.delete(oldest);
    }
    let roster = 0;
    while (this.rosters.has(roster)) roster++;
    this.rosters.set(roster, ids.slice());
    this.total += ids.length;
    return { roster, registers: true, dropped };
  }

  /** The ids of a roster. Do not change them. */
  ids(roster: number): Uint32Array {
    return this.rosters.get(roster)!;
  }

  forget(): void {
    this.rosters.clear();
    this.before = undefined;
    this.total = 0;
  }
}
