// SPDX-License-Identifier: Apache-2.0
//
// The requests of a room that the server has not carried out: sent again after a lost connection, or merged into the
// state that is restored.
import { codeName, NewSessionError, QuadrilleError, RefusedError, RoomClosedError, type RefusedEntry, type Refusal }
  from "./errors.js";
import { Folding } from "./fold/folding.js";
import { Kept } from "./kept.js";
import { ErrorCode, RoomClosedReason, type RoomConfig } from "./protocol.js";
import { ANSWERED, Entry, Request, split, type MovedRows } from "./request.js";
import { Restoration } from "./restore.js";
import type { Room } from "./room.js";
import { Rosters } from "./rosters.js";
import type { Session } from "./session.js";
import { Pieces, type Column, type Fields } from "./wire.js";

const KEPT = new Set(["spawn", "move", "teleport", "reshape", "despawn", "setDescription", "handOver", "observe",
  "moveObservers", "unobserve", "setExceptions", "setViewOptions", "subscribe", "unsubscribe"]);
// The methods that make requests of a kind, if they have another name.
const COMMANDS: Record<string, string> = {
  openRoom: "open", setDescription: "describe", setViewOptions: "viewOptions",
};
const FRAME_BYTES_DEFAULT = 4 << 20; // until Welcome

interface RosterRows {
  ids: Uint32Array;
  moved: MovedRows;
}

/** The part of a Room that knows its requests. */
export abstract class Log extends Folding {
  /** The server's number of the room; 0: it is not open. */
  handle = 0;
  /** Whether the room is open, and restored. */
  isReady = false;
  /** @internal */ opened = false;
  /** @internal */ lockstep = false;
  /** @internal */ hasZ = false;
  /** @internal */ readonly kept = new Kept();
  /** When ids that are taken are refused. @internal */ giveUpAt = 0;
  /** @internal */ restorer: Restoration | undefined;
  /** @internal */ log: Entry[] = [];
  /** The last tick that a Step was sent for. @internal */ stepTick = 0;
  protected lastRequest = 0;
  private readonly rosters = new Rosters();
  private merged: Request[] = []; // carried out as soon as the restored state is
  private late: number[] = [];
  private bytes = 0; // of requests while there is no connection
  private readonly rosterRows = new Map<number, RosterRows>();

  /** @internal */
  constructor(readonly session: Session, readonly name: string,
    private readonly config: Partial<RoomConfig> | undefined) {
    super();
  }

  protected abstract get room(): Room;

  /** @internal */
  abstract end(error: QuadrilleError): void;

  /** @internal */
  openFields(): Fields {
    return { name: this.name, config: this.config };
  }

  // ---- making requests ----

  protected push(kind: string, fields: Fields): Request {
    const request = new Request(this, this.session.nextRequest());
    this.lastRequest = request.number;
    const parts = split(kind, fields, this.session.limits.frameBytesMax || FRAME_BYTES_DEFAULT);
    request.parts = request.unaccepted = parts.length;
    for (const [first, part] of parts) {
      const entry = new Entry(this, kind, part, request, first);
      if (this.isReady && this.session.state === "ready") this.send(entry);
      else this.hold(entry);
      this.log.push(entry);
    }
    if (this.bytes > this.session.times.backlogBytesMax) {
      this.session.merged = true;
      this.bytes = 0;
      this.merge(true);
    }
    return request;
  }

  /** Keeps an entry for later. */
  private hold(entry: Entry): void {
    this.copy(entry);
    for (const value of Object.values(entry.fields)) {
      if (ArrayBuffer.isView(value)) this.bytes += value.byteLength;
    }
  }

  /** A request of the session's own; none if it would be empty. @internal */
  restoreRequest(kind: string, fields: Fields): void {
    if (fields.id && !fields.id.length) return;
    for (const [first, part] of split(kind, fields, this.session.limits.frameBytesMax)) {
      const entry = new Entry(this, kind, part, undefined, first);
      this.log.push(entry);
      if (this.session.state === "ready") this.session.transmit(entry);
    }
  }

  private send(entry: Entry): void {
    if (entry.kind === "step") this.stepTick = entry.step = Math.max(this.stepTick, this.tick) + 1;
    else if (entry.kind === "move" && entry.fields.id.length) this.chooseRoster(entry);
    this.copy(entry);
    if (entry.roster !== undefined) entry.fields.id = this.rosters.ids(entry.roster);
    this.session.transmit(entry);
  }

  private chooseRoster(entry: Entry): void {
    const choice = this.rosters.find(entry.fields.id, this.session.limits.rosterIdsMax);
    entry.roster = choice.roster;
    const settings: [number, Uint32Array][] = choice.dropped.map((roster) => [roster, new Uint32Array(0)]);
    if (choice.registers) settings.push([choice.roster!, this.rosters.ids(choice.roster!)]);
    for (const [roster, id] of settings) {
      const setting = new Entry(this, "setRoster", { roster, id });
      this.log.push(setting);
      this.session.transmit(setting);
    }
  }

  /** The program may change its arrays as soon as a call returns. */
  private copy(entry: Entry): void {
    const fields: Fields = {};
    for (const [name, value] of Object.entries(entry.fields)) {
      const isShared = name === "id" && entry.roster !== undefined;
      fields[name] = ArrayBuffer.isView(value) && !isShared ? (value as Column).slice() : value;
    }
    entry.fields = fields;
  }

  protected isPending(number: number): boolean {
    return this.log.some(({ request }) => request && request.number <= number) ||
      this.merged.some((request) => request.number <= number);
  }

  // ---- answers ----

  /** @internal */
  take(kind: string, seq: number, entry: Entry | undefined, fields: Fields): void {
    switch (kind) {
      case "tick": return this.foldTick(fields);
      case "view": return this.foldView(fields);
      case "applied": return this.takeApplied(seq, fields);
      case "accepted": if (entry) this.takeAccepted(entry, fields); return;
      case "roomClosed": return this.takeRoomClosed(entry, fields);
      case "handedOver":
        if (!entry) return this.takeHandedOver(fields);
        entry.collected.push(fields);
        if (fields.last) entry.resolve(entry.collected);
    }
  }

  /** @internal */
  takeHandedOver(fields: Fields): void {
    const ids = [...fields.id as Uint32Array ?? []], isOwn = fields.to === this.session.number;
    if (isOwn) this.kept.add(ids.filter((id) => !this.kept.rows.has(id)));
    else this.kept.remove(ids);
    if (ids.length) this.handlers.call(isOwn ? "gained" : "lost", ids);
  }

  private takeRoomClosed(entry: Entry | undefined, fields: Fields): void {
    if (entry) {
      entry.resolve(fields);
    } else if (fields.reason === RoomClosedReason.REQUESTED) {
      this.end(new RoomClosedError(`another session has closed the room '${this.name}'`));
    } else {
      // The server is stopping. The next one gets the room again.
      this.session.byHandle.delete(this.handle);
      this.handle = 0;
      this.isReady = false;
    }
  }

  private takeApplied(seq: number, fields: Fields): void {
    const tick: number = fields.tick ?? 0, last: number = fields.seq ?? 0;
    this.tick = Math.max(this.tick, tick);
    for (const session of fields.late ?? []) this.late.push(Number(session));
    const done: Entry[] = [], rest: Entry[] = [];
    let behind = false;
    for (const entry of this.log) {
      const isAnswered = ANSWERED.has(entry.kind);
      behind ||= !isAnswered && (entry.seq > last || (!entry.seq && !entry.restores));
      const isDone = !behind && !isAnswered && entry.seq && (entry.kind !== "step" || entry.step <= tick);
      (isDone ? done : rest).push(entry);
    }
    this.log = rest;
    for (const entry of done) this.finish(entry, entry.step || tick);
    this.finishMerged(tick);
    // The frames of this tick came before. An Applied that is repeated after a lost connection has no seq, and resets
    // follow it.
    if (seq) this.viewStale = false;
    this.viewStale ||= fields.viewsLagging === true;
    this.pairsStale ||= fields.pairsLagging === true;
  }

  protected takeLate(): number[] {
    const { late } = this;
    this.late = [];
    return late;
  }

  /** The entry is carried out at that tick. */
  private done(entry: Entry, tick: number): void {
    this.log = this.log.filter((each) => each !== entry);
    this.finish(entry, tick);
    this.finishMerged(tick);
  }

  private finish(entry: Entry, tick: number): void {
    if (!entry.restores && KEPT.has(entry.kind)) this.keep(entry);
    this.session.bySeq.delete(entry.seq);
    if (entry.request && --entry.request.parts === 0) entry.request.tick = tick;
  }

  private finishMerged(tick: number): void {
    if (!this.merged.length || this.log.some((entry) => entry.restores && !ANSWERED.has(entry.kind))) return;
    for (const request of this.merged) request.tick = tick;
    this.merged = [];
  }

  /** Applies the entry to the state that is restored. */
  private keep(entry: Entry): void {
    if (entry.kind === "move" && !entry.refused.size) {
      if (entry.moved?.version !== this.kept.version) entry.moved = this.rowsOf(entry);
      this.kept.moveRows(entry.fields, entry.moved!);
    } else {
      this.kept.apply(entry.kind, entry.fields, entry.refused, this.session.number);
    }
  }

  /** The rows of a move's entities. Moves of the same roster share them. */
  private rowsOf(entry: Entry): MovedRows {
    const ids = entry.ids!, { roster } = entry, known = roster === undefined ? undefined : this.rosterRows.get(roster);
    if (known?.ids === ids && known.moved.version === this.kept.version) return known.moved;
    const moved = this.kept.rowsOf(ids);
    if (roster !== undefined) this.rosterRows.set(roster, { ids, moved });
    return moved;
  }

  private drop(entry: Entry): void {
    this.log = this.log.filter((each) => each !== entry);
    this.session.bySeq.delete(entry.seq);
  }

  // ---- refusals ----

  private takeAccepted(entry: Entry, fields: Fields): void {
    if (fields.refusedIndex) {
      entry.refusals.push(...this.refusedEntries(entry, fields));
      if (fields.text) entry.text = fields.text;
    } else if (entry.kind === "subscribe" || entry.kind === "unsubscribe") {
      this.done(entry, fields.tick ?? 0);
    }
    if (fields.last && entry.refusals.length) this.refuse(entry, entry.refusals[0]!.code, entry.text, entry.refusals);
    else entry.accept();
  }

  /** The refused entries of an Accepted frame that are the program's fault. */
  private refusedEntries(entry: Entry, fields: Fields): RefusedEntry[] {
    const found: RefusedEntry[] = [];
    fields.refusedIndex.forEach((index: number, i: number) => {
      const code: number = fields.refusedCode[i], field: number = fields.refusedField?.[i] ?? 0;
      entry.refused.add(index);
      if (this.passes(entry, index, code)) return;
      found.push({ index: entry.first + index, id: entry.ids?.[index] ?? 0, code, reason: codeName(code), field });
    });
    return found;
  }

  /** Whether a refusal follows from a lost connection: an earlier session of the server still has the id. */
  private passes(entry: Entry, index: number, code: number): boolean {
    if (entry.kind === "spawn" && code === ErrorCode.ID_TAKEN && (entry.restores || entry.retried)) {
      if (entry.fields.roomOwned) return true; // another session has restored it
      if (performance.now() >= this.giveUpAt) {
        this.kept.remove([entry.fields.id[index]]);
        return false;
      }
      this.isMissing = true;
      this.kept.miss(entry.fields, index);
      return true;
    }
    const column: Uint32Array | undefined = entry.kind === "observe" ? entry.fields.entity : entry.ids;
    return column !== undefined && this.kept.isMissing(column[index]!);
  }

  private refuse(entry: Entry, code: number, text: string, entries: readonly RefusedEntry[]): void {
    const command = COMMANDS[entry.kind] ?? entry.kind;
    const refusal: Refusal = { room: this.name, command, code, reason: codeName(code), text, entries };
    if (entry.request) entry.request.refusal = refusal;
    entry.fail(new RefusedError(refusal));
    const isOwn = entry.restores && (entry.kind === "openRoom" || entry.kind === "adopt");
    if (!isOwn) this.session.report(refusal);
  }

  /** The whole request is refused. @internal */
  takeError(entry: Entry, error: Fields): void {
    const code: number = error.code ?? 0, text: string = error.text ?? "";
    if (entry.kind === "step" && this.stepPasses(entry, code, error.tickDue ?? 0)) return;
    if (entry.kind === "getSnapshot" && entry.restores) {
      entry.resolve([]); // nothing is known of the earlier entities
    } else if (entry.roster !== undefined && code === ErrorCode.UNKNOWN_ROSTER) {
      entry.roster = undefined;
      this.rosters.forget();
      this.sendLast(entry);
    } else if (entry.kind === "setRoster") {
      this.drop(entry);
      this.rosters.forget(); // moves by them come again by ids
    } else if (entry.wantsAnswer) {
      this.refuse(entry, code, text, []);
    } else if (entry.kind === "setExceptions" && code === ErrorCode.UNKNOWN_OBSERVER && this.anchorIsMissing(entry)) {
      this.done(entry, this.tick);
    } else {
      this.drop(entry);
      this.refuse(entry, code, text, []);
    }
  }

  private anchorIsMissing(entry: Entry): boolean {
    const values = this.kept.observers.get(entry.fields.observer)?.values;
    return values !== undefined && values.anchored !== 0 && this.kept.isMissing(values.entity);
  }

  /** Whether the program need not know that its Step was refused. */
  private stepPasses(entry: Entry, code: number, due: number): boolean {
    if (code !== ErrorCode.WRONG_TICK && code !== ErrorCode.TICK_OVER) return false;
    if (due) this.tick = Math.max(this.tick, due - 1);
    if (entry.retried && due > entry.step) {
      this.done(entry, entry.step); // an earlier connection had carried it out
      return true;
    }
    if (code === ErrorCode.WRONG_TICK && !this.lockstep && due) {
      this.stepTick = entry.step = due; // another session has stepped
      this.sendLast(entry);
      return true;
    }
    return false;
  }

  /** Sends it under a new number, so it goes to the end of the log. */
  private sendLast(entry: Entry): void {
    this.log = this.log.filter((each) => each !== entry);
    this.log.push(entry);
    this.session.sendAgain(entry);
  }

  // ---- connections ----

  /** @internal */
  connectionLost(): void {
    this.foldLost();
  }

  /** The server's session goes on. What it has not received is on its way. @internal */
  resumed(): void {
    if (!this.handle && !this.restorer) {
      this.restore(); // opened while there was no connection
      return;
    }
    for (const entry of [...this.log]) {
      if (!entry.seq && entry.restores) this.session.transmit(entry);
    }
    if (!this.isReady) return;
    const probes = this.log.filter((entry) => entry.kind === "step" && entry.seq);
    this.replay();
    if (probes.length) void this.probe(probes);
  }

  /** @internal */
  restore(): void {
    this.restorer = new Restoration(this.room);
    void this.restorer.run();
  }

  /** The answer to OpenRoom has the tick: Steps up to it are carried out, even if their answers are lost. */
  private async probe(steps: Entry[]): Promise<void> {
    let tick: number;
    try {
      ({ tick } = await this.session.call(this, "openRoom", this.openFields(), { restores: true }));
    } catch (error) {
      if (error instanceof QuadrilleError) return; // the room is closed, or restored in a new session
      throw error;
    }
    this.stepsOver(tick);
    for (const entry of steps) {
      if (!this.log.includes(entry) || this.lockstep) continue;
      this.stepTick = entry.step = Math.max(tick, this.tick) + 1;
      this.sendLast(entry);
    }
    this.session.notify();
  }

  /** The server's session is new: opens the room again, and restores it. @internal */
  restarted(): void {
    this.restorer?.cancel();
    for (const entry of this.log) {
      if (entry.restores) entry.fail(new NewSessionError("the server's session is new"));
    }
    this.log = this.log.filter((entry) => !entry.restores);
    for (const entry of this.log) {
      entry.retried ||= entry.seq !== 0;
      entry.seq = 0;
      entry.roster = undefined;
      entry.refused = new Set();
      entry.refusals = [];
      entry.collected = [];
    }
    this.handle = 0;
    this.isReady = false;
    this.rosters.forget();
    this.merge(false);
    this.foldRestart();
    this.restore();
  }

  /** Merges requests into the state that is restored, except those behind a Step, which belong to a later tick.
   *  `unsent`: also those that were never sent. */
  private merge(unsent: boolean): void {
    for (const entry of [...this.log]) {
      if (entry.kind === "step" || (!unsent && !entry.retried)) return;
      if (!KEPT.has(entry.kind) || entry.restores) continue;
      this.keep(entry);
      this.drop(entry);
      if (!entry.request) continue;
      entry.accept();
      if (--entry.request.parts === 0) this.merged.push(entry.request);
    }
  }

  /** The room is ready: sends its entries. */
  protected replay(): void {
    this.bytes = 0;
    const entries = this.log.filter((entry) => !entry.seq);
    this.log = this.log.filter((entry) => entry.seq);
    for (const entry of entries) {
      if (entry.kind === "step") this.stepTick = entry.step = Math.max(this.stepTick, this.tick) + 1;
      this.log.push(entry);
      this.session.transmit(entry);
    }
    this.finishMerged(this.tick);
  }

  /** The room has completed that tick: so are its Steps up to that tick, and all requests before them. @internal */
  stepsOver(tick: number): void {
    const isOver = (entry: Entry) => entry.kind === "step" && entry.step > 0 && entry.step <= tick;
    const last = this.log.filter(isOver).pop(), end = last ? this.log.indexOf(last) + 1 : 0;
    for (const entry of this.log.slice(0, end)) {
      if (!ANSWERED.has(entry.kind)) this.done(entry, last!.step);
    }
    this.tick = Math.max(this.tick, tick);
  }

  /** Drops all entries: they will never be carried out. */
  protected forget(error: QuadrilleError): void {
    for (const entry of this.log) {
      entry.fail(error);
      if (entry.request) entry.request.closed = true;
      this.session.bySeq.delete(entry.seq);
    }
    for (const request of this.merged) request.closed = true;
    this.log = [];
    this.merged = [];
  }
}

/** The frames of an answer as one. */
export function joined(frames: Fields[]): Fields {
  const columns = new Pieces<string>();
  for (const frame of frames) {
    for (const [name, value] of Object.entries(frame)) {
      if (ArrayBuffer.isView(value)) columns.add(name, value as Column);
    }
  }
  return Object.fromEntries(columns.joined());
}
