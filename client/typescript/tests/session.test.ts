// SPDX-License-Identifier: Apache-2.0
//
// The API against a real server. The conformance suite tests what is folded, resumed and restored.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { connect, EndReason, ErrorCode, RefusedError, RoomClosedError, SessionEndedError, TimeoutError, type Refusal,
  type Session } from "../src/index.js";
import { firstLine, PACKAGE, Server, YARD } from "./support.js";

let server: Server;
before(async () => { server = await Server.start(); });
after(() => server.stop());

/** Runs a test with a session of its own. */
function withSession(name: string, body: (session: Session) => Promise<void>): void {
  test(name, { timeout: 60000 }, async () => {
    const session = await connect(server.address, { timeoutMs: 30000 });
    try {
      await body(session);
    } finally {
      await session.close();
    }
  });
}

withSession("issue_example_runs_as_it_is_written", async (session) => {
  const room = await session.open("arena", YARD), events: unknown[] = [];
  room.subscribe();
  await room.spawn([{ id: 1, x: 10, y: 10, half: 1 }, { id: 2, x: 30, y: 10, half: 1 }]);
  await room.observe({ id: 7, at: 1, range: 10, margin: 2 });
  room.on("begin", (a, b) => events.push(["begin", a, b])).on("leave", (...values) => events.push(["leave", ...values]));
  const ids = Uint32Array.of(2), xs = Float32Array.of(11.5), ys = Float32Array.of(10);
  room.move(ids, xs, ys);
  const tick = await room.step();
  assert.deepEqual([tick.number, [...tick.begins], [...tick.enters]], [1, [[1, 2]], [[7, 2]]]);
  assert.deepEqual([room.pairs.has(1, 2), room.view(7).has(2), room.view(7).get(2)!.x], [true, true, 11.5]);
  xs[0] = 50; // the array is the program's again
  room.move(ids, xs, ys);
  const next = await room.step();
  assert.deepEqual([[...next.ends.reasons], next.leaves.length, room.pairs.size], [[EndReason.MOVED_APART], 1, 0]);
  assert.deepEqual(events.map((event) => (event as unknown[]).slice(0, 3)), [["begin", 1, 2], ["leave", 7, 2]]);
});

withSession("awaited_refusal_has_code_and_entries", async (session) => {
  const room = await session.open("refusals", YARD), reported: Refusal[] = [];
  session.on("refused", (refusal) => reported.push(refusal));
  await room.spawn({ id: [1, 2], x: [1, 2], y: [1, 2], half: 1 });
  const error = await room.spawn({ id: [3, 2], x: [1, NaN], y: [1, 1], half: 1 }).accepted().catch((each) => each);
  assert.ok(error instanceof RefusedError);
  const [entry] = error.entries;
  assert.deepEqual([entry!.index, entry!.id, entry!.code, entry!.reason], [1, 2, ErrorCode.NOT_FINITE, "NOT_FINITE"]);
  assert.equal(reported.length, 1);
  await assert.rejects(session.open("nowhere"), (each: RefusedError) => each.code === ErrorCode.UNKNOWN_ROOM);
});

withSession("columns_are_checked_before_they_are_sent", async (session) => {
  const room = await session.open("columns", YARD);
  assert.throws(() => room.move([1, 2], [1, 2, 3], [1, 2]), /x has 3 values; must be 2/);
  await assert.rejects(session.open("other", { bounds: [1, 2, 3] }), /bounds has 3 values/);
  await assert.rejects(room.query({ circle: [1, 2] }), /circle has 2 values; must be 3: x, y, radius/);
  assert.throws(() => room.on("begins" as "begin", () => undefined), /the event is 'begins'; must be one of begin/);
});

withSession("move_of_the_same_ids_uses_a_roster_and_the_position_counts", async (session) => {
  const room = await session.open("rosters", YARD), ids = Uint32Array.of(1, 2, 3, 4, 5), y = new Float32Array(5);
  room.spawn({ id: ids, x: [0, 10, 20, 30, 40], y: 0, half: 1 });
  for (let turn = 1; turn <= 4; turn++) {
    const x = Float32Array.from(ids, (id) => id * 10 + turn);
    room.move(ids, x, y);
    x.fill(99);
    await room.step();
    assert.deepEqual([...(await room.snapshot()).x!], [10, 20, 30, 40, 50].map((at) => at + turn));
  }
});

withSession("queries_and_lists_answer", async (session) => {
  const room = await session.open("queries", YARD);
  room.describe({ id: 9, tag: 1 }); // refused, and not awaited
  room.spawn({ id: 1, x: 10, y: 10, radius: 2 });
  await room.describe([{ id: 1, tag: 2n ** 63n, payload: Buffer.from("hi"), team: 0 }]);
  await room.observe({ id: 3, x: 12, y: 10, range: 5 });
  await room.step();
  const { tag, payload } = room.view(3).get(1)!;
  assert.deepEqual([tag, Buffer.from(payload).toString(), [...room.view(3).positions()]], [2n ** 63n, "hi", [10, 10, 0]]);
  assert.deepEqual([...(await room.query({ box: [0, 0, 20, 20] })).ids], [1]);
  const found = await room.query({ ray: [0, 10, 1, 0] });
  assert.deepEqual([[...found.ids], [...found.distances]], [[1], [8]]);
  assert.equal((await room.why(3, 1, { observer: true })).visibility[0], 1);
  assert.ok((await session.listRooms()).rooms.some(({ name }) => name === "queries"));
  assert.equal((await session.stats(room)).room!.entities, 1);
  assert.ok((await session.listSessions({ room })).sessions.some((each) => each.session === session.number));
  assert.ok(await session.ping() > 0);
});

withSession("ticks_of_a_clock_are_iterated_and_sync_waits", async (session) => {
  const room = await session.open("clock", { bounds: [0, 0, 100, 100], hz: 50 });
  room.subscribe();
  room.spawn([{ id: 1, x: 10, y: 10, half: 1 }, { id: 2, x: 11, y: 10, half: 1 }]);
  for await (const tick of room.ticks()) {
    if (!tick.begins.length) continue;
    assert.deepEqual([...tick.begins], [[1, 2]]);
    break;
  }
  room.move(2, 50, 50);
  assert.equal(await room.sync(), room.tick);
  assert.equal(room.pairs.size, 0);
});

withSession("waits_end_by_timeout_and_signal_and_the_request_stays", async (session) => {
  const room = await session.open("waits", YARD), cancel = new AbortController();
  await room.spawn({ id: 1, x: 1, y: 1 });
  const move = room.move(1, 2, 1);
  const aborted = assert.rejects(move.applied({ signal: cancel.signal }), /enough/);
  cancel.abort(new Error("enough"));
  await aborted;
  await assert.rejects(move.applied({ timeoutMs: 5 }), TimeoutError);
  const { number } = await room.step();
  assert.deepEqual([number, await move.applied()], [1, 1]);
});

withSession("handler_that_throws_does_not_reach_the_connection", async (session) => {
  const room = await session.open("throws", YARD);
  const thrown = once(process, "uncaughtException");
  const listeners = process.listeners("uncaughtException").slice(0, -1); // the runner's
  listeners.forEach((listener) => process.off("uncaughtException", listener));
  room.subscribe();
  room.on("begin", () => { throw new Error("of the program"); });
  room.spawn([{ id: 1, x: 1, y: 1 }, { id: 2, x: 1, y: 1 }]);
  await room.step();
  assert.match(String((await thrown)[0]), /of the program/);
  listeners.forEach((listener) => process.on("uncaughtException", listener));
  assert.equal((await room.step()).number, 2);
});

test("calls_after_the_end_reject", { timeout: 60000 }, async () => {
  const session = await connect(server.address), room = await session.open("ending", YARD);
  const left = await session.open("left", YARD);
  await left.leave();
  assert.throws(() => left.move(1, 1, 1), RoomClosedError);
  room.spawn({ id: 1, x: 1, y: 1 });
  const waiting = assert.rejects(room.sync(), SessionEndedError);
  await session.close();
  await waiting;
  await assert.rejects(room.step(), SessionEndedError);
  await assert.rejects(session.drain(), SessionEndedError);
  await assert.rejects(session.ping(), SessionEndedError);
});

test("server_that_is_not_there_times_out_with_the_fix", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await assert.rejects(connect(`127.0.0.1:${port}`, { timeoutMs: 200 }),
    new RegExp(`127.0.0.1:${port}: no session within 200 ms: .*Check the address`));
  await assert.rejects(connect("nowhere", { timeoutMs: 200 }), /the address is 'nowhere'; must be HOST:PORT/);
  const signal = AbortSignal.timeout(50);
  await assert.rejects(connect(`127.0.0.1:${port}`, { signal }), (error) => error === signal.reason);
});

withSession("drain_waits_for_a_server_that_does_not_read", async (session) => {
  const room = await session.open("drain", YARD), ids = Uint32Array.from({ length: 100000 }, (_, i) => i);
  const at = new Float32Array(100000);
  let drained = 0;
  session.on("drain", () => drained++);
  server.signal("SIGSTOP");
  try {
    await assert.rejects(async () => {
      for (let i = 0; i < 200; i++) { // 160 MB, more than the system's buffers
        room.move(ids, at, at);
        await session.drain({ timeoutMs: 200 });
      }
    }, TimeoutError);
    assert.ok(session.full);
    drained = 0; // the system's buffers may have taken some, one after the other
  } finally {
    server.signal("SIGCONT");
  }
  await session.drain();
  assert.equal(drained, 1);
  await session.ping();
});

// ---- the examples of the README ----

test("hello_prints_what_the_readme_says", { timeout: 60000 }, async () => {
  const out = execFileSync(process.execPath, ["dist/examples/hello.js", server.address], { cwd: PACKAGE, encoding: "utf8" });
  assert.equal(out, "tick 1: 0 pairs, 7 sees []\ntick 2: 0 pairs, 7 sees [2]\n1 touches 2\ntick 3: 1 pairs, 7 sees [2]\n");
  const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
  assert.ok(readme.includes(out), "the README shows another output");
  for (const [, path, block] of readme.matchAll(/```ts client\/typescript\/(\S+)\n(.*?)```/gs)) {
    assert.ok(readFileSync(join(PACKAGE, path!), "utf8").includes(block!), `${path} lacks the README's block`);
  }
});

withSession("gateway_replicates_views_to_players", async (session) => {
  const room = await session.open("demo-2", { bounds: [0, 0, 100, 100], hz: 50 });
  await room.spawn([{ id: 1, x: 7, y: 5, half: 1 }, { id: 2, x: 60, y: 60, half: 1 }]);
  const gateway = spawn(process.execPath, ["dist/examples/gateway.js", server.address, "demo-2", "0"],
    { cwd: PACKAGE, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const player = connectTcp(Number((await firstLine(gateway)).split(":").pop()), "127.0.0.1");
    const lines = createInterface({ input: player })[Symbol.asyncIterator]();
    const next = async () => (await lines.next()).value;
    assert.deepEqual([await next(), await next()], ["you 1000000", "spawn 1 7.000 5.000"]);
    room.move(1, 8, 5.5);
    assert.equal(await next(), "move 1 8.000 5.500");
    player.write("61 61\n");
    assert.deepEqual([await next(), await next()].sort(), ["remove 1", "spawn 2 60.000 60.000"]);
    player.write("up\n");
    assert.equal(await next(), "error: send X and Y, as in: 5 5");
    player.destroy();
  } finally {
    gateway.kill();
    await once(gateway, "exit");
  }
});

// ---- TLS ----

test("certificate_and_token_are_checked", { timeout: 60000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "quadrille-")), at = (name: string) => join(folder, name);
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
    at("key.pem"), "-out", at("cert.pem"), "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
    "subjectAltName=IP:127.0.0.1"], { stdio: "ignore" });
  writeFileSync(at("tokens"), "the-token-of-the-test writer\n", { mode: 0o600 });
  const secure = await Server.start("--tls-cert", at("cert.pem"), "--tls-key", at("key.pem"), "--token-file", at("tokens"));
  try {
    const tls = { ca: readFileSync(at("cert.pem")) };
    const session = await connect(secure.address, { tls, token: "the-token-of-the-test" });
    const room = await session.open("yard", YARD);
    assert.equal((await room.step()).number, 1);
    await session.close();
    await assert.rejects(connect(secure.address, { tls, token: "wrong" }),
      (error: RefusedError) => error.code === ErrorCode.UNAUTHENTICATED);
    await assert.rejects(connect(secure.address, { tls: true, timeoutMs: 500 }), /self-signed certificate/);
  } finally {
    await secure.stop();
    rmSync(folder, { recursive: true });
  }
});
