// SPDX-License-Identifier: Apache-2.0
//
// The ticks that wait for a program which iterates over them.
import { Tick } from "./tick.js";

const TICKS_MAX = 64; // then they are merged

export class TickQueue implements AsyncIterableIterator<Tick> {
  private readonly ticks: Tick[] = [];
  private readonly waiting: ((result: IteratorResult<Tick>) => void)[] = [];
  private ended = false;

  constructor(private readonly onEnd: () => void) {}

  put(tick: Tick): void {
    const waiting = this.waiting.shift();
    if (waiting) {
      waiting({ value: tick, done: false });
    } else if (this.ticks.length < TICKS_MAX) {
      const copy = new Tick();
      copy.merge(tick);
      this.ticks.push(copy);
    } else {
      this.ticks[TICKS_MAX - 1]!.merge(tick);
    }
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd();
    for (const waiting of this.waiting.splice(0)) waiting({ value: undefined, done: true });
  }

  next(): Promise<IteratorResult<Tick>> {
    const tick = this.ticks.shift();
    if (tick) return Promise.resolve({ value: tick, done: false });
    if (this.ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  return(): Promise<IteratorResult<Tick>> {
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
