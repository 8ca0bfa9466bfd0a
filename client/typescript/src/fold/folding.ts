// SPDX-License-Identifier: Apache-2.0
//
// Folds what the server sends about a room, and reports the changes to the program.
import type { Fields } from "../wire.js";
import { Pairs } from "./pairs.js";
import { PairRows, Tick } from "./tick.js";
import { TickQueue } from "./ticks.js";
import { View, Views, type Watcher } from "./views.js";

/** The events of a room, and what their handlers get. */
export interface RoomEvents {
  /** A pair touches. */
  begin: [a: number, b: number];
  /** A pair does not touch any more. The reason is an EndReason; 0: by a reset. */
  end: [a: number, b: number, reason: number];
  /** A pair touched between two ticks only. */
  passed: [a: number, b: number];
  /** A pair touches still. Needs subscribe({ stays: true }). */
  stay: [a: number, b: number];
  /** An entity enters a view. */
  enter: [observer: number, id: number];
  /** An entity leaves a view. The reason is a LeaveReason; 0: by a reset. */
  leave: [observer: number, id: number, reason: number];
  /** A position of an entity in a view. */
  relay: [observer: number, id: number, x: number, y: number, z: number];
  /** The set of pairs was replaced: what has changed follows as one difference. */
  reset: [];
  /** The changes of a frame. */
  tick: [tick: Tick];
  /** Entities were handed over to this session. */
  gained: [ids: number[]];
  /** Entities were taken from this session. */
  lost: [ids: number[]];
  /** The room is of no use any more. */
  closed: [];
}

const EVENTS = ["begin", "end", "passed", "stay", "enter", "leave", "relay", "reset", "tick", "gained", "lost",
  "closed"];

/** Handlers by event. What a handler throws becomes an uncaught exception, and does not reach the connection. */
export class Handlers {
  private readonly handlers = new Map<string, ((...values: any[]) => void)[]>();

  constructor(private readonly events: readonly string[]) {}

  add(event: string, handler: (...values: any[]) => void): void {
    if (!this.events.includes(event)) {
      throw new TypeError(`the event is '${event}'; must be one of ${this.events.join(", ")}`);
    }
    const handlers = this.handlers.get(event) ?? [];
    this.handlers.set(event, [...handlers, handler]);
  }

  remove(event: string, handler: (...values: any[]) => void): void {
    this.handlers.set(event, (this.handlers.get(event) ?? []).filter((each) => each !== handler));
  }

  has(event: string): boolean {
    return (this.handlers.get(event)?.length ?? 0) > 0;
  }

  call(event: string, ...values: unknown[]): void {
    for (const handler of this.handlers.get(event) ?? []) {
      try {
        handler(...values);
      } catch (error) {
        queueMicrotask(() => { throw error; });
      }
    }
  }
}

/** The folded sets of a room, and the handlers of their changes. */
export class Folding {
  /** The pairs that touch. Call subscribe first. */
  readonly pairs = new Pairs();
  /** The last tick that the session knows of; after a restart of the server it counts from 1. */
  tick = 0;
  /** Whether the room ticks by Step. */
  steps = false;
  /** @internal */ readonly views = new Views();
  /** A reset of the pairs is on its way. @internal */ pairsStale = false;
  /** @internal */ viewStale = false;
  /** @internal */ wantsPairs = false;
  /** @internal */ wantsView = false;
  /** Entities could not be spawned yet. @internal */ isMissing = false;
  private viewResets = false;
  protected readonly handlers = new Handlers(EVENTS);
  protected readonly queues = new Set<TickQueue>();
  private readonly collectors = new Set<Tick>(); // what has changed since each Step that is under way

  // ---- for programs ----

  /** Calls the handler for each change, in order. Returns the room. */
  on<Event extends keyof RoomEvents>(event: Event, handler: (...values: RoomEvents[Event]) => void): this {
    this.handlers.add(event, handler as (...values: any[]) => void);
    return this;
  }

  /** Removes a handler. */
  off<Event extends keyof RoomEvents>(event: Event, handler: (...values: RoomEvents[Event]) => void): this {
    this.handlers.remove(event, handler as (...values: any[]) => void);
    return this;
  }

  /** A Tick for each frame of changes from now on, until the room is closed. For a slow program it merges ticks. */
  ticks(): AsyncIterableIterator<Tick> {
    const queue: TickQueue = new TickQueue(() => this.queues.delete(queue));
    this.queues.add(queue);
    return queue;
  }

  /** What an observer of this session sees. */
  view(observer: number): View {
    return new View(this.views, observer);
  }

  /** The observers that see an entity. Call viewOptions({ watch }) first. */
  watchers(id: number): Watcher[] {
    return [...this.views.watchers.get(id)?.values() ?? []];
  }

  /** Whether the sets are those of the last tick, as far as a step waits for that. @internal */
  get reports(): boolean {
    return !this.isMissing && !this.pairsStale && (this.steps || !this.viewStale);
  }

  // ---- reporting ----

  private get wantsRelays(): boolean {
    return this.queues.size > 0 || this.handlers.has("relay") || this.handlers.has("tick");
  }

  private report(tick: Tick): void {
    if (tick.reset) this.handlers.call("reset");
    this.reportPairs("end", tick.ends);
    this.reportPairs("begin", tick.begins);
    this.reportPairs("passed", tick.passed);
    this.reportPairs("stay", tick.stays);
    this.reportViews(tick);
    this.handlers.call("tick", tick);
    for (const queue of this.queues) queue.put(tick);
    for (const news of this.collectors) news.merge(tick);
  }

  private reportPairs(event: string, rows: PairRows): void {
    if (!rows.length || !this.handlers.has(event)) return;
    for (let i = 0; i < rows.length; i++) {
      if (event === "end") this.handlers.call(event, rows.a[i], rows.b[i], rows.reasons[i]);
      else this.handlers.call(event, rows.a[i], rows.b[i]);
    }
  }

  private reportViews(tick: Tick): void {
    if (this.handlers.has("leave")) {
      const { observers, ids, reasons } = tick.leaves;
      for (let i = 0; i < ids.length; i++) this.handlers.call("leave", observers[i], ids[i], reasons[i]);
    }
    if (this.handlers.has("enter")) {
      for (const [observer, id] of tick.enters) this.handlers.call("enter", observer, id);
    }
    if (this.handlers.has("relay")) {
      const { observers, ids, x, y, z } = tick.relays;
      for (let i = 0; i < ids.length; i++) this.handlers.call("relay", observers[i], ids[i], x[i], y[i], z[i]);
    }
  }

  /** Collects the changes from now on in a Tick, until `endCollecting`. */
  protected collect(): Tick {
    const news = new Tick();
    this.collectors.add(news);
    return news;
  }

  protected endCollecting(news: Tick): void {
    this.collectors.delete(news);
  }

  // ---- folding ----

  /** @internal */
  foldTick(fields: Fields): void {
    this.tick = Math.max(this.tick, fields.tick ?? 0);
    if (fields.suspended) {
      this.pairs.suspend();
      this.pairsStale = false;
      return;
    }
    const wasReset = this.pairs.inReset || fields.reset === true, difference = this.pairs.apply(fields);
    const tick = new Tick(fields.tick ?? 0);
    if (difference) {
      tick.reset = true;
      tick.add("ends", difference.ends);
      tick.add("begins", difference.begins);
    } else if (!wasReset) {
      if (fields.endA) tick.add("ends", new PairRows(fields.endA, fields.endB, fields.endReason));
      if (fields.beginA) tick.add("begins", new PairRows(fields.beginA, fields.beginB));
      if (fields.passedA) tick.add("passed", new PairRows(fields.passedA, fields.passedB));
      if (fields.stayA) tick.add("stays", new PairRows(fields.stayA, fields.stayB));
    }
    if (fields.last) this.pairsStale = false;
    if (tick.hasChanges || fields.last) this.report(tick);
  }

  /** @internal */
  foldView(fields: Fields): void {
    this.tick = Math.max(this.tick, fields.tick ?? 0);
    this.reportView(fields);
    this.viewResets ||= fields.reset === true;
    if (fields.suspended || (this.viewResets && fields.last)) this.viewResets = this.viewStale = false;
  }

  private reportView(fields: Fields): void {
    const changes = this.views.apply(fields, this.wantsRelays), tick = new Tick(fields.tick ?? 0);
    for (const rows of changes.leaves) tick.add("leaves", rows);
    for (const rows of changes.enters) tick.add("enters", rows);
    for (const rows of changes.relays) tick.add("relays", rows);
    if (tick.hasChanges) this.report(tick);
  }

  /** The connection is lost, and with it what a tick has not completed. */
  protected foldLost(): void {
    if (!this.views.known && !this.views.suspended) this.reportView({ suspended: true });
    this.pairsStale = this.wantsPairs;
    this.viewStale = this.wantsView;
    this.viewResets = false;
  }

  /** The views of a new session begin empty, without a reset. */
  protected foldRestart(): void {
    this.reportView({ suspended: true });
    this.reportView({ reset: true, resetWatchers: true, last: true });
    this.pairs.suspend();
    this.viewStale = this.wantsView;
  }
}
