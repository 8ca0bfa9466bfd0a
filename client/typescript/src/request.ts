// SPDX-License-Identifier: Apache-2.0
//
// Requests, and the entries of the log of those that the server has not carried out.
import { RefusedError, RoomClosedError, SessionEndedError, type RefusedEntry, type Refusal } from "./errors.js";
import type { Log } from "./log.js";
import type { WaitOptions } from "./waiting.js";
import { encode, rowBytes, type Column, type Fields } from "./wire.js";

/** Requests with an answer of their own, which may be lost with a connection. To repeat them changes nothing. */
export const ANSWERED = new Set(["openRoom", "adopt", "getSnapshot", "query", "why", "leaveRoom", "closeRoom",
  "listRooms", "listSessions", "getStats", "subscribe", "unsubscribe"]);

/** A request of the program. Awaiting it waits for the server's first answer: its acceptance, or for a move the tick
 *  that contains it. It rejects with RefusedError if the server refuses the request, or entries of it. */
export class Request implements PromiseLike<void> {
  /** The tick that contains it. */
  tick: number | undefined;
  /** Why the server refused it, or entries of it. */
  refusal: Refusal | undefined;
  /** Entries of the log that are not done. @internal */ parts = 0;
  /** Entries of the log that are not accepted. @internal */ unaccepted = 0;
  /** It will never be carried out. @internal */ closed = false;

  /** @internal */
  constructor(private readonly room: Log, readonly number: number) {}

  /** Waits as `await` does, with a limit. */
  async accepted(wait?: WaitOptions): Promise<void> {
    await this.wait(() => !this.unaccepted || this.tick !== undefined, wait);
  }

  /** Waits until a tick contains the request and the sets are of that tick or later. Returns the tick. */
  async applied(wait?: WaitOptions): Promise<number> {
    await this.wait(() => this.tick !== undefined && this.room.reports, wait);
    return this.tick!;
  }

  then<A = void, B = never>(onDone?: ((value: void) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> {
    return this.accepted().then(onDone, onError);
  }

  private async wait(isDone: () => boolean, wait?: WaitOptions): Promise<void> {
    const { session, name } = this.room;
    await session.waiting.until(() => this.refusal || this.closed || isDone(), wait);
    if (this.refusal) throw new RefusedError(this.refusal);
    if (!this.closed) return;
    if (session.ended) throw new SessionEndedError(session.ended);
    throw new RoomClosedError(`the room '${name}' is closed`);
  }
}

/** Rows of the kept state that a move changes. */
export interface MovedRows {
  version: number;
  /** Positions in the move's columns; undefined: all of them. */
  places: Int32Array | undefined;
  rows: Int32Array;
}

/** One frame of a request in the log. */
export class Entry {
  seq = 0; // 0: not sent in this session of the server
  readonly confirm: boolean;
  restores: boolean; // the session's own
  retried = false; // it was sent in an earlier session of the server
  accepted = false; // the server has it
  refused = new Set<number>();
  roster: number | undefined; // of a move: send positions alone
  moved: MovedRows | undefined; // of a move
  step = 0; // of a step: the tick that it makes
  collected: Fields[] = []; // frames of an answer that has several
  refusals: RefusedEntry[] = [];
  text = ""; // of its refusal
  wantsAnswer = false;
  answer: { value?: any; error?: unknown } | undefined;

  constructor(readonly room: Log | undefined, readonly kind: string, public fields: Fields, readonly request?: Request,
    readonly first = 0) {
    this.confirm = request !== undefined && kind !== "move" && kind !== "step" && !ANSWERED.has(kind);
    this.restores = request === undefined;
  }

  get ids(): Uint32Array | undefined {
    return this.fields.id;
  }

  frame(): Uint8Array {
    const room = this.room?.handle ?? 0;
    if (this.kind === "step") return encode("step", { room, tick: this.step }, this.seq);
    if (this.roster !== undefined) {
      return encode("moveRoster", { ...this.fields, room, roster: this.roster }, this.seq);
    }
    const fields = this.kind === "openRoom" || !this.room ? this.fields : { room, ...this.fields };
    return encode(this.kind, fields, this.seq, this.confirm);
  }

  accept(): void {
    if (!this.request || this.accepted) return;
    this.accepted = true;
    this.request.unaccepted--;
  }

  resolve(value: any): void {
    if (this.wantsAnswer) this.answer ??= { value };
  }

  fail(error: unknown): void {
    if (this.wantsAnswer) this.answer ??= { error };
  }
}

/** The parts of a request that fit in a frame each: the index of the first entry, and the fields. */
export function split(kind: string, fields: Fields, frameBytesMax: number): [number, Fields][] {
  const ids: Uint32Array | undefined = fields.id;
  const each = rowBytes(kind, fields) + (kind === "setDescription" ? 32 : 0);
  const most = Math.max(1, Math.floor((frameBytesMax - 4096) / Math.max(each, 1)));
  if (!ids || ids.length <= most || kind === "setRoster") return [[0, fields]];
  const parts: [number, Fields][] = [];
  let payloadAt = 0;
  for (let first = 0; first < ids.length; first += most) {
    const part: Fields = {};
    for (const [name, value] of Object.entries(fields)) {
      const isColumn = ArrayBuffer.isView(value) && name !== "payload" && !name.startsWith("relay");
      part[name] = isColumn ? (value as Column).subarray(first, first + most) : value;
    }
    if (fields.payload) {
      const bytes = (part.payloadSize as Uint8Array).reduce((sum, size) => sum + size, 0);
      part.payload = fields.payload.subarray(payloadAt, payloadAt += bytes);
    }
    parts.push([first, part]);
  }
  return parts;
}
