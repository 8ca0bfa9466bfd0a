// SPDX-License-Identifier: Apache-2.0
//
// The driver of this SDK for the conformance suite. tests/conformance/README.md has the protocol.
import { createInterface } from "node:readline";
import { connect, QuadrilleError, RefusedError, type Refusal, type Room, type Session } from "../src/index.js";
import { codeName, ContradictionError } from "../src/errors.js";
import { Relay } from "../src/fold/relay.js";
import { CLIENT } from "../src/wire.js";
import { decodeFlat, encodeFlat, snake } from "./flat.js";

const WAIT = { timeoutMs: 20000 };
const QUIET = process.argv.includes("--quiet"); // keep no events
const SCALARS = new Set(["room_owned", "session", "scope", "stays", "observer", "bytes_max", "watch", "relay_once", "relay_k"]);
const EVENTS = ["begin", "end", "passed", "enter", "leave", "reset"] as const;

type Words = Record<string, string>;

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const numbers = (text: string) => text ? text.split(",").map(parseNumber) : [];

function parseNumber(text: string): number {
  return text === "nan" ? NaN : /^-?inf$/.test(text) ? (text[0] === "-" ? -Infinity : Infinity) : Number(text);
}

function bitsToFloat(hex: string): number {
  return new DataView(Uint8Array.from(Buffer.from(hex, "hex")).buffer).getFloat32(0);
}

class Driver {
  private session: Session | undefined;
  private readonly events = new Map<string, string[]>();
  private refusals: string[] = [];
  private relay: Relay | undefined;
  private lines: string[] = [];

  // ---- the session ----

  private async connect(address: string, fields: Words): Promise<string> {
    const { token = "", adopt, ...rest } = fields;
    const times = Object.fromEntries(Object.entries(rest).map(([name, value]) => [camel(name), Number(value)]));
    this.session = await connect(address, { ...times, ...WAIT, token, name: "conformance", adopt: adopt === "1" });
    this.session.on("refused", (refusal) => this.refused(refusal));
    return "ok";
  }

  private refused(refusal: Refusal): void {
    const command = refusal.command === "setExceptions" ? "except" : snake(refusal.command);
    const place = `refused ${refusal.room || "-"} ${command}`;
    if (!refusal.entries.length) this.refusals.push(`${place} ${refusal.reason}`);
    for (const entry of refusal.entries) this.refusals.push(`${place} ${entry.reason} ${entry.index} ${entry.id}`);
  }

  // ---- rooms ----

  private async open(name: string, fields: Words): Promise<string> {
    const { bounds, ...rest } = fields;
    const config = Object.fromEntries(Object.entries(rest).map(([field, value]) => [camel(field), Number(value)]));
    const room = await this.session!.open(name, bounds ? { ...config, bounds: numbers(bounds) } : config, WAIT);
    const events: string[] = [];
    this.events.set(name, events);
    if (QUIET) return `ok ${room.tick}`;
    for (const event of EVENTS) room.on(event, (...values: number[]) => { events.push([event, ...values].join(" ")); });
    for (const event of ["gained", "lost"] as const) {
      room.on(event, (ids) => { events.push(...ids.map((id) => `${event} ${id}`)); });
    }
    // What was adopted while the room opened came before the handlers.
    events.push(...room.adopted.map((id) => `gained ${id}`));
    return `ok ${room.tick}`;
  }

  private request(room: Room, command: string, fields: Words): void {
    const values: Record<string, any> = {};
    for (const [name, text] of Object.entries(fields)) {
      values[camel(name)] = name === "payload" ? Buffer.from(text, "hex") : name === "tag" ? text.split(",").map(BigInt) :
        SCALARS.has(name) ? numbers(text)[0] : numbers(text);
    }
    const { id = [], ...rest } = values;
    switch (command) {
      case "spawn": room.spawn({ id, ...rest } as any, { roomOwned: rest.roomOwned === 1 }); break;
      case "move": case "teleport": room[command](id, rest.x, rest.y, rest.z); break;
      case "despawn": case "unobserve": room[command](id); break;
      case "reshape": room.reshape({ id, ...rest }); break;
      case "moveObservers": room.moveObservers({ id, ...rest }); break;
      case "observe": this.observe(room, id, rest); break;
      case "describe": this.describe(room, id, rest); break;
      case "subscribe": room.subscribe({ ...rest, stays: rest.stays === 1 }); break;
      case "unsubscribe": room.unsubscribe(); break;
      case "except": room.setExceptions(rest.observer, rest); break;
      case "viewOptions": room.viewOptions({ ...rest, relayOnce: rest.relayOnce === 1 }); break;
      case "handOver": room.handOver(id, rest.session); break;
      default: throw new Error(`there is no command '${command}'`);
    }
  }

  private observe(room: Room, id: number[], { relayRange, relayEvery, ...rest }: Record<string, any>): void {
    const relay = relayRange?.map((range: number, i: number) => ({ range, every: relayEvery[i] }));
    room.observe({ id, ...rest }, { relay });
  }

  private describe(room: Room, id: number[], { payload, payloadSize, ...rest }: Record<string, any>): void {
    let at = 0;
    const payloads = payloadSize?.map((size: number) => payload.subarray(at, at += size));
    room.describe({ id, ...rest, payloads });
  }

  private async inRoom(room: Room, command: string, fields: Words): Promise<string> {
    switch (command) {
      case "step": return `ok ${(await room.step(WAIT)).number}`;
      case "sync": return `ok ${await room.sync(WAIT)}`;
      case "speed": return this.speed(room, ...["count", "moves", "ticks"].map((name) => Number(fields[name])) as [number, number, number]);
      case "query": return this.query(room, fields);
      case "leave": case "close": await room[command](WAIT); return "ok";
      case "settled": return `ok ${Number(room.settled)}`;
      case "pairs": for (const [a, b] of room.pairs) this.lines.push(`pair ${a} ${b}`); return "ok";
      case "view": this.printView(room); return "ok";
      case "watchers":
        for (const id of numbers(fields.id!)) {
          for (const { session, observer } of room.watchers(id)) this.lines.push(`watcher ${id} ${session} ${observer}`);
        }
        return "ok";
      case "events": this.lines.push(...this.events.get(room.name)!.splice(0)); return "ok";
      default: this.request(room, camel(command), fields); return "ok";
    }
  }

  private async speed(room: Room, count: number, moves: number, ticks: number): Promise<string> {
    const ids = Uint32Array.from({ length: count }, (_, i) => i), x = new Float32Array(count);
    if (count) {
      await room.spawn({ id: ids, x, y: x });
      for (let i = 0; i < 2; i++) room.move(ids, x, x); // then it is a roster
      await room.step();
    }
    const started = performance.now(), cpu = process.cpuUsage();
    for (let tick = 0; tick < ticks; tick++) {
      for (let i = 0; i < moves; i++) {
        room.move(ids, x, x);
        if (this.session!.full) await this.session!.drain();
      }
      await room.step();
    }
    const { user, system } = process.cpuUsage(cpu);
    return `ok ${((performance.now() - started) / 1000).toFixed(6)} ${((user + system) / 1e6).toFixed(6)}`;
  }

  private printView(room: Room): void {
    for (const observer of room.views.index.keys()) {
      const view = room.view(observer);
      for (const id of view) {
        const { x, y, z, halfX, halfY, halfZ, radius, category, tag, payload } = view.get(id)!;
        const places = [x, y, z, halfX, halfY, halfZ, radius].join(" ");
        this.lines.push(`seen ${observer} ${id} ${places} ${category} ${tag} ${Buffer.from(payload).toString("hex") || "-"}`);
      }
    }
  }

  private async query(room: Room, { limit, ...where }: Words): Promise<string> {
    const places = Object.fromEntries(Object.entries(where).map(([name, text]) => [name, numbers(text)]));
    const found = await room.query({ ...places, limit: Number(limit ?? 0), ...WAIT });
    found.ids.forEach((id, i) => this.lines.push(`found ${id} ${found.distances[i]}`));
    return `ok ${found.tick}`;
  }

  // ---- golden vectors ----

  private playRelay(words: string[]): string {
    const [word, ...values] = words;
    if (word === "state") {
      this.relay = new Relay(Number(values[1]), Number(values[0]), Number(values[2]));
    } else if (word === "start") {
      this.relay!.start(Number(values[0]), values.slice(1).map(bitsToFloat));
    } else if (word === "blob") {
      try {
        this.relay!.read(Buffer.from(values[0] ?? "", "hex"));
      } catch (error) {
        if (error instanceof ContradictionError) return "error refused";
        throw error;
      }
    } else {
      this.lines.push(`at ${values[0]} ${this.relay!.at.map((axis) => axis[Number(values[0])]).join(" ")}`);
    }
    return "ok";
  }

  // ---- commands ----

  private async carryOut(line: string): Promise<string> {
    const [command = "", ...words] = line.split(" ");
    if (command === "relay") return this.playRelay(words);
    const name = words.find((word) => !word.includes("=")) ?? "";
    if (command === "decode") {
      this.lines.push(...decodeFlat(Buffer.from(name, "hex")));
      return "ok";
    }
    const fields: Words = Object.fromEntries(words.filter((word) => word.includes("=")).map((word) => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    }));
    if (command === "encode") {
      this.lines.push(`frame ${encodeFlat(fields, CLIENT)}`);
      return "ok";
    }
    if (command === "connect") return this.connect(name, fields);
    if (command === "status") {
      const { connects, resumes, number } = this.session!;
      return `ok connects=${connects} resumes=${resumes} session=${number}`;
    }
    if (command === "refusals") {
      this.lines.push(...this.refusals.splice(0));
      return "ok";
    }
    if (command === "open") return this.open(name, fields);
    const room = this.session?.rooms.get(name);
    return room ? this.inRoom(room, command, fields) : `error the room '${name}' is not open`;
  }

  /** The lines of an answer. */
  async answer(line: string): Promise<string> {
    this.lines = [];
    try {
      this.lines.push(await this.carryOut(line));
    } catch (error) {
      if (error instanceof RefusedError) this.lines.push(`error refused ${codeName(error.code)}`);
      else if (error instanceof QuadrilleError) this.lines.push(`error ${error.message}`);
      else throw error;
    }
    return `${this.lines.join("\n")}\n`;
  }

  async quit(): Promise<void> {
    await this.session?.close();
  }
}

const driver = new Driver();
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line === "quit") break;
  process.stdout.write(await driver.answer(line));
}
await driver.quit();
process.stdout.write("ok\n");
process.stdin.destroy(); // or it keeps the process
