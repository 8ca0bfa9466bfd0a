// SPDX-License-Identifier: Apache-2.0
//
// A session that outlives its connections.
import type { ConnectionOptions } from "node:tls";
import { codeName, ContradictionError, RefusedError, SessionEndedError, TimeoutError,
  type Refusal } from "./errors.js";
import { Handlers } from "./fold/folding.js";
import { Link } from "./link.js";
import { ErrorCode, TickMode, type Access, type Limits, type RoomConfig, type RoomList, type SessionList, type Stats }
  from "./protocol.js";
import { ANSWERED, Entry } from "./request.js";
import type { Log } from "./log.js";
import { Room } from "./room.js";
import { socketConnector, type Connector } from "./transport.js";
import { Waiting, type WaitOptions } from "./waiting.js";
import { complete, decode, encode, type Fields } from "./wire.js";

const CLOSE_MS = 1000; // for the last bytes of a session that is closed
const FINAL = new Set<number>([ErrorCode.UNAUTHENTICATED, ErrorCode.VERSION]);
const ROOM_FRAMES = new Set(["tick", "view", "applied", "handedOver", "roomClosed", "accepted"]);

/** Why a connection is lost; undefined: it is not. */
interface Lost {
  reason: string | undefined;
}

export type SessionState = "connecting" | "ready" | "lost" | "ended";

export interface ConnectOptions {
  /** Proves who you are, if the server lists tokens. */
  token?: string;
  /** Of your program, for the server's log. */
  name?: string;
  /** Lets the server keep the session for a while after its connection ends (true). */
  resumable?: boolean;
  /** Encrypt: true, or options of node:tls such as `ca`. The certificate must name the host. */
  tls?: boolean | ConnectionOptions;
  /** Take over the entities that earlier sessions of this token have left in a room when it is opened (false). */
  adopt?: boolean;
  /** For the first Welcome, in all attempts (5000); Infinity: no limit. */
  timeoutMs?: number;
  /** Cancels `connect`. */
  signal?: AbortSignal;
  /** For one attempt, Hello included (5000). */
  connectMs?: number;
  /** Ping a server that is silent for so long (2000). */
  pingMs?: number;
  /** Give up the connection of a server that is silent for so long (6000). */
  deadMs?: number;
  /** The longest random wait before the first attempt to connect again (100). It doubles with each attempt. */
  backoffMs?: number;
  /** The longest random wait before any attempt (5000). */
  backoffMaxMs?: number;
  /** Bytes of requests that wait for a connection (64 MiB). Above it they merge into the state that is restored. */
  backlogBytesMax?: number;
  /** Let the server find a program that hangs (true). The program must serve its event loop every 5 s. */
  pings?: boolean;
  /** Another transport than TCP and TLS. */
  transport?: Connector;
}

/** Fields of RoomConfig in quadrille.proto, and short names for the most common ones. */
export interface RoomOptions extends Partial<Omit<RoomConfig, "bounds" | "step" | "join" | "write">> {
  /** All minima, then all maxima: 4 values, or 6 in three dimensions. */
  bounds?: readonly number[];
  /** The room ticks by Step. */
  step?: boolean;
  /** Ticks per second of the room's own clock. */
  hz?: number;
  /** Which sessions may join, write and step. */
  access?: { join?: Access; write?: Access; step?: Access };
}

export interface SessionEvents {
  /** The state has changed. The reason is of a lost or ended session. */
  state: [state: SessionState, reason: string];
  /** The server refuses a request, awaited or not. */
  refused: [refusal: Refusal];
  /** The connection takes more data, after `full` was true. */
  drain: [];
}

function configOf(options: RoomOptions): Partial<RoomConfig> | undefined {
  const { bounds, step, hz, access, ...rest } = options, config: Fields = { ...rest, ...access };
  if (bounds) {
    if (bounds.length !== 4 && bounds.length !== 6) {
      throw new RangeError(`bounds has ${bounds.length} values; must be 4 or 6: all minima, then all maxima`);
    }
    const axes = ["X", "Y", "Z"].slice(0, bounds.length / 2);
    const corner = (end: string, from: number) => axes.map((axis, i) => [`${end}${axis}`, bounds[from + i]]);
    config.bounds = Object.fromEntries([...corner("min", 0), ...corner("max", axes.length)]);
    config.dimensions ??= axes.length;
  }
  if (step) config.tickMode = TickMode.STEP;
  if (hz) config.tickHz = hz;
  return Object.keys(config).length ? config : undefined;
}

/** Connects to "host:port" or "[::1]:port", and waits for the server's Welcome. From then on the session connects again
 *  by itself. Rejects with RefusedError if the server refuses the token or the version, and with TimeoutError. */
export async function connect(address: string, options: ConnectOptions = {}): Promise<Session> {
  const session = new Session(address, options);
  await session.start(options.timeoutMs ?? 5000, options.signal);
  return session;
}

/** Made by `connect`. Call `close` at the end. */
export class Session {
  state: SessionState = "connecting";
  /** Why the connection was lost. */
  problem = "";
  /** Why there is no further attempt; empty: the session goes on. */
  ended = "";
  /** The server's number of the session; it may change. */
  number = 0;
  /** The server's limits. */
  limits: Limits = complete("Limits", {});
  /** How often it connected. */
  connects = 0;
  /** How many of these times it resumed. */
  resumes = 0;
  /** Open rooms by name. */
  readonly rooms = new Map<string, Room>();
  /** @internal */ readonly byHandle = new Map<number, Room>();
  /** @internal */ readonly bySeq = new Map<number, Entry>();
  /** @internal */ readonly waiting = new Waiting();
  /** The log lacks requests that the server may not have: it cannot resume. @internal */ merged = false;
  /** @internal */ resumeMs = 0;
  /** @internal */ readonly hasToken: boolean;
  /** @internal */ readonly adopts: boolean;
  /** @internal */ readonly times;
  private lobby: Entry[] = []; // requests without a room, in order
  private readonly handlers = new Handlers(["state", "refused", "drain"]);
  private readonly connector: Connector;
  private link: Link | undefined;
  private attempt = new AbortController();
  private seq = 0;
  private requests = 0;
  private key: Uint8Array | undefined;
  private refusedHello: Refusal | undefined;
  private attempts = 0;
  private readyAt = 0;

  /** @internal */
  constructor(readonly address: string, private readonly options: ConnectOptions) {
    this.hasToken = (options.token ?? "") !== "";
    this.adopts = options.adopt ?? false;
    this.times = { connectMs: options.connectMs ?? 5000, pingMs: options.pingMs ?? 2000, deadMs: options.deadMs ?? 6000,
      backoffMs: options.backoffMs ?? 100, backoffMaxMs: options.backoffMaxMs ?? 5000,
      backlogBytesMax: options.backlogBytesMax ?? 64 << 20 };
    this.connector = options.transport ?? socketConnector(options.tls === true ? {} : options.tls || undefined);
  }

  // ---- for programs ----

  /** Opens a room now and on each connection, and waits for it. A second call returns the same room. Without options it
   *  only joins. Rejects with RefusedError. */
  async open(name: string, options: RoomOptions = {}, wait?: WaitOptions): Promise<Room> {
    let room = this.rooms.get(name);
    if (!room) {
      if (this.ended) throw new SessionEndedError(this.ended);
      room = new Room(this, name, configOf(options));
      this.rooms.set(name, room);
      if (this.state === "ready") room.restore();
    }
    const opening = room;
    await this.waiting.until(() => opening.isReady || opening.closed || this.ended, wait);
    if (room.refusal) throw new RefusedError(room.refusal);
    if (this.ended) throw new SessionEndedError(this.ended);
    return room;
  }

  /** Calls the handler for each event. Returns the session. */
  on<Event extends keyof SessionEvents>(event: Event, handler: (...values: SessionEvents[Event]) => void): this {
    this.handlers.add(event, handler as (...values: any[]) => void);
    return this;
  }

  /** Removes a handler. */
  off<Event extends keyof SessionEvents>(event: Event, handler: (...values: SessionEvents[Event]) => void): this {
    this.handlers.remove(event, handler as (...values: any[]) => void);
    return this;
  }

  /** Whether `drain` would wait: the server or the network is slow, or away. */
  get full(): boolean {
    return !this.link || this.link.full;
  }

  /** Waits until the connection takes more data. */
  async drain(wait?: WaitOptions): Promise<void> {
    await this.waiting.until(() => this.ended || (this.state === "ready" && !this.full), wait);
    if (this.ended) throw new SessionEndedError(this.ended);
  }

  /** The milliseconds of one round trip. */
  async ping(wait?: WaitOptions): Promise<number> {
    const before = performance.now();
    await this.call(undefined, "ping", { data: 1n }, { wait });
    return performance.now() - before;
  }

  /** The server's rooms by name, behind the name `after`. */
  listRooms(options: { after?: string; limit?: number } & WaitOptions = {}): Promise<RoomList> {
    return this.call(undefined, "listRooms", { after: options.after, limit: options.limit }, { wait: options });
  }

  /** Sessions of this token; all, for an admin. */
  listSessions(options: { room?: Room; after?: number; limit?: number } & WaitOptions = {}): Promise<SessionList> {
    const fields = { room: options.room?.handle, after: options.after, limit: options.limit };
    return this.call(undefined, "listSessions", fields, { wait: options });
  }

  /** Statistics of the server, or also of a room. */
  stats(room?: Room, wait?: WaitOptions): Promise<Stats> {
    return this.call(undefined, "getStats", { room: room?.handle }, { wait });
  }

  /** Leaves all rooms and ends the session. */
  async close(): Promise<void> {
    if (this.ended) return;
    for (const room of this.rooms.values()) {
      if (this.state === "ready" && room.handle) this.transmit(new Entry(room, "leaveRoom", {}));
    }
    const { link } = this;
    this.link = undefined;
    link?.close();
    this.end("the session is closed");
    this.attempt.abort(new SessionEndedError(this.ended));
    if (link) {
      await this.waiting.until(() => link.isClosed, { timeoutMs: CLOSE_MS }).catch(() => undefined);
      link.abort();
    }
  }

  // ---- requests ----

  /** @internal */
  nextRequest(): number {
    return ++this.requests;
  }

  /** @internal */
  notify(): void {
    this.waiting.notify();
  }

  /** Sends an entry for the first time in this session of the server. @internal */
  transmit(entry: Entry): void {
    entry.seq = ++this.seq;
    this.bySeq.set(entry.seq, entry);
    this.link?.send(entry.frame());
  }

  /** Sends an entry under a new number: its answer may be lost. @internal */
  sendAgain(entry: Entry): void {
    this.bySeq.delete(entry.seq);
    entry.collected = [];
    entry.refusals = [];
    this.transmit(entry);
  }

  /** Sends a request with an answer of its own, and waits for the answer. @internal */
  async call(room: Log | undefined, kind: string, fields: Fields,
    { restores = false, wait }: { restores?: boolean; wait?: WaitOptions | undefined } = {}): Promise<any> {
    if (this.ended) throw new SessionEndedError(this.ended);
    const entry = new Entry(room, kind, fields);
    entry.restores = restores;
    entry.wantsAnswer = true;
    (room ? room.log : this.lobby).push(entry);
    if (this.state === "ready" && (restores || !room || room.isReady)) this.transmit(entry);
    try {
      await this.waiting.until(() => entry.answer, wait);
    } finally {
      if (room) room.log = room.log.filter((each) => each !== entry);
      else this.lobby = this.lobby.filter((each) => each !== entry);
      this.bySeq.delete(entry.seq);
    }
    if (entry.answer?.error !== undefined) throw entry.answer.error;
    return entry.answer?.value;
  }

  /** Sends what is queued, without waiting for this turn to end. @internal */
  flush(): void {
    this.link?.flush();
  }

  // ---- the life of connections ----

  /** @internal */
  async start(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    void this.run();
    const limit = Number.isFinite(timeoutMs) ? timeoutMs : undefined;
    try {
      await this.waiting.until(() => this.state === "ready" || this.ended, { timeoutMs: limit, signal });
    } catch (error) {
      const { address, problem } = this;
      await this.close();
      if (!(error instanceof TimeoutError)) throw error;
      throw new TimeoutError(`${address}: no session within ${timeoutMs} ms: ${problem || "no answer"}. Check the ` +
        "address, and that the server runs");
    }
    if (this.refusedHello) throw new RefusedError(this.refusedHello);
    if (this.ended) throw new SessionEndedError(this.ended);
  }

  private async run(): Promise<void> {
    while (!this.ended) {
      this.setState("connecting", "");
      const lost: Lost = { reason: undefined };
      try {
        await this.greet(lost);
        if (this.link) await this.serve(this.link, lost);
      } catch (error) {
        lost.reason ??= error instanceof Error ? error.message : String(error);
      }
      if (this.ended) return;
      this.giveUp(`${this.address}: ${lost.reason ?? "no answer in time"}`);
      if (this.refusedHello) return this.end(this.refusedHello.text);
      await this.waiting.until(() => this.ended, { timeoutMs: Math.random() * this.backoff() }).catch(() => undefined);
      this.attempts++;
    }
  }

  private backoff(): number {
    return Math.min(this.times.backoffMs * 2 ** Math.min(this.attempts, 32), this.times.backoffMaxMs);
  }

  /** Connects, says Hello, and waits for Welcome. */
  private async greet(lost: Lost): Promise<void> {
    const attempt = this.attempt = new AbortController();
    const timer = setTimeout(() => {
      lost.reason ??= "no answer in time";
      attempt.abort(new TimeoutError("no answer in time"));
      this.notify();
    }, this.times.connectMs);
    try {
      this.link = await Link.open(this.connector, this.address, attempt.signal, {
        frame: (data) => this.takeFrame(data, lost),
        drain: () => {
          this.handlers.call("drain");
          this.notify();
        },
        lost: (reason) => {
          lost.reason ??= reason;
          this.notify();
        },
      });
      if (this.ended) return this.link.abort();
      this.sayHello(this.link);
      await this.waiting.until(() => this.state === "ready" || lost.reason !== undefined);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Pings a silent server until the connection is lost. */
  private async serve(link: Link, lost: Lost): Promise<void> {
    const { pingMs, deadMs } = this.times;
    let pinged = 0;
    while (lost.reason === undefined && !this.ended) {
      const heard = link.heard, isPinged = pinged > heard;
      const due = isPinged ? pinged + Math.max(deadMs - pingMs, 1) : heard + pingMs;
      const timeoutMs = Math.max(due - performance.now(), 1);
      await this.waiting.until(() => lost.reason !== undefined || this.ended, { timeoutMs }).catch(() => undefined);
      if (lost.reason !== undefined || link.heard > heard || performance.now() < due) continue;
      if (isPinged) {
        lost.reason = `the server was silent for ${((performance.now() - heard) / 1000).toFixed(1)} s`;
      } else {
        pinged = performance.now();
        link.send(encode("ping", {}));
      }
    }
  }

  private sayHello(link: Link): void {
    const { token, name, resumable = true, pings = true } = this.options;
    link.send(encode("hello", { version: 1, token, client: name, resumable, resume: this.merged ? undefined : this.key,
      features: pings ? ["pings"] : [] }));
    link.flush();
  }

  private giveUp(reason: string): void {
    if (this.state === "ready" && performance.now() - this.readyAt >= this.backoff()) this.attempts = 0;
    this.link?.abort();
    this.link = undefined;
    this.problem = reason;
    for (const room of this.rooms.values()) room.connectionLost();
    this.setState("lost", reason);
  }

  private setState(state: SessionState, reason: string): void {
    this.state = state;
    this.handlers.call("state", state, reason);
    this.notify();
  }

  /** There is no further attempt. */
  private end(reason: string): void {
    this.ended = reason;
    for (const room of [...this.rooms.values()]) room.end(new SessionEndedError(reason));
    for (const entry of this.lobby) entry.fail(new SessionEndedError(reason));
    this.setState("ended", reason);
  }

  private welcome(fields: Fields): void {
    const isResumed = fields.resumed === true && this.key !== undefined;
    this.connects++;
    if (isResumed) this.resumes++;
    this.number = fields.session ?? 0;
    this.limits = complete("Limits", fields.limits ?? {});
    this.resumeMs = fields.resumeMs ?? 0;
    this.key = fields.resumeKey?.length ? fields.resumeKey.slice() : undefined;
    this.readyAt = performance.now();
    this.state = "ready";
    if (isResumed) this.resume(fields.lastSeq ?? 0);
    else this.restart();
    this.setState("ready", "");
  }

  /** The server's session goes on: sends what it has not received. */
  private resume(lastSeq: number): void {
    const logs = [this.lobby, ...[...this.rooms.values()].map((room) => room.log)];
    const entries = logs.flat().filter((entry) => entry.seq).sort((a, b) => a.seq - b.seq);
    for (const entry of entries) {
      if (entry.seq > lastSeq) this.link?.send(entry.frame());
    }
    for (const entry of entries) {
      if (entry.seq > lastSeq) continue;
      if (ANSWERED.has(entry.kind) || !entry.room) this.sendAgain(entry);
      else if (entry.confirm) entry.accept(); // its answer is lost
    }
    for (const room of [...this.rooms.values()]) room.resumed();
    for (const entry of this.lobby) {
      if (!entry.seq) this.transmit(entry);
    }
  }

  /** The server's session is new. */
  private restart(): void {
    this.merged = false;
    this.seq = 0;
    this.bySeq.clear();
    this.byHandle.clear();
    for (const room of [...this.rooms.values()]) room.restarted();
    for (const entry of this.lobby) {
      entry.collected = [];
      this.transmit(entry);
    }
  }

  // ---- incoming ----

  private takeFrame(data: Uint8Array, lost: Lost): void {
    if (lost.reason !== undefined || this.ended) return;
    const { seq, kind, fields } = decode(data);
    try {
      if (kind !== undefined) this.take(seq, kind, fields);
    } catch (error) {
      if (!(error instanceof ContradictionError)) throw error;
      // A resumed or new session brings resets.
      lost.reason ??= `a ${kind} frame contradicts what was folded: ${error.message}`;
    }
    this.notify();
  }

  private take(seq: number, kind: string, fields: Fields): void {
    const entry = this.bySeq.get(seq);
    if (kind === "welcome") {
      this.welcome(fields);
    } else if (kind === "ping") {
      this.link?.send(encode("pong", fields));
    } else if (kind === "goAway") {
      this.problem = fields.text ?? "";
    } else if (kind === "error") {
      this.takeError(seq, fields);
    } else if (ROOM_FRAMES.has(kind)) {
      const room = this.byHandle.get(fields.room ?? 0) ?? entry?.room;
      room?.take(kind, seq, entry, fields);
    } else if (kind === "snapshotResult") {
      entry?.collected.push(fields);
      if (fields.last) entry?.resolve(entry.collected);
    } else {
      entry?.resolve(complete(kind[0]!.toUpperCase() + kind.slice(1), fields));
    }
  }

  private takeError(seq: number, error: Fields): void {
    const entry = this.bySeq.get(seq), code: number = error.code ?? 0;
    if (entry?.room) return entry.room.takeError(entry, error);
    const refusal: Refusal = { room: "", command: entry?.kind ?? "session", code, reason: codeName(code),
      text: error.text ?? "", entries: [] };
    entry?.fail(new RefusedError(refusal));
    if (FINAL.has(code)) this.refusedHello = refusal;
    this.report(refusal);
  }

  /** @internal */
  report(refusal: Refusal): void {
    this.handlers.call("refused", refusal);
  }
}

