// SPDX-License-Identifier: Apache-2.0
//
// What a program sees of broken connections and silent servers, through a proxy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect, type ConnectOptions, type Session } from "../src/index.js";
import { Proxy, Server, YARD } from "./support.js";

const QUICK = { connectMs: 1000, pingMs: 100, deadMs: 400, backoffMs: 2, backoffMaxMs: 20 };
let server: Server;
before(async () => { server = await Server.start(); });
after(() => server.stop());

function withProxy(name: string, options: ConnectOptions, body: (session: Session, proxy: Proxy) => Promise<void>): void {
  test(name, { timeout: 60000 }, async () => {
    const proxy = await Proxy.start(server.address);
    const session = await connect(proxy.address, { timeoutMs: 30000, ...options });
    try {
      await body(session, proxy);
    } finally {
      await session.close();
      await proxy.stop();
    }
  });
}

withProxy("program_sees_states_and_a_reset_and_the_set_goes_on", { backoffMs: 2 }, async (session, proxy) => {
  const states: string[] = [], events: unknown[] = [];
  session.on("state", (state) => states.push(state));
  const room = await session.open("cut", YARD);
  for (const event of ["reset", "begin", "end"] as const) room.on(event, (...values: number[]) => events.push([event, ...values]));
  room.subscribe();
  room.spawn({ id: [1, 2, 3], x: [10, 11, 50], y: 10, half: 1 });
  await room.step();
  assert.deepEqual(events, [["reset"], ["begin", 1, 2]]);
  const { number } = session;
  proxy.cutAfter("up", 0);
  room.move([3], [12], [10]);
  assert.equal((await room.step()).number, 2);
  assert.deepEqual(states, ["lost", "connecting", "ready"]);
  assert.deepEqual([session.number, session.resumes], [number, 1]);
  assert.deepEqual(events[2], ["reset"]);
  assert.deepEqual([...room.pairs].map(String).sort(), ["1,2", "1,3", "2,3"]);
});

withProxy("session_that_is_not_resumable_is_restored", { backoffMs: 2, resumable: false, token: "restored" },
  async (session, proxy) => {
    const room = await session.open("restored", { ...YARD, graceMs: 0 });
    room.subscribe();
    room.spawn({ id: [1, 2], x: [10, 11], y: 10, half: 1 });
    await room.step();
    proxy.cutAfter("up", 0);
    room.move([2], [11.5], [10]);
    await room.step();
    assert.deepEqual([session.connects, session.resumes], [2, 0]);
    assert.deepEqual([[...room.pairs], [...(await room.snapshot()).x!]], [[[1, 2]], [10, 11.5]]);
  });

withProxy("silent_server_is_given_up_and_requests_wait", QUICK, async (session, proxy) => {
  const room = await session.open("silent", YARD);
  room.spawn({ id: 1, x: 1, y: 1 });
  await room.step();
  proxy.hold(true);
  await new Promise<void>((resolve) => session.on("state", (state) => { if (state === "lost") resolve(); }));
  assert.match(session.problem, /silent/);
  let isDone = false;
  const step = room.step().finally(() => { isDone = true; });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(isDone, false);
  proxy.hold(false);
  assert.equal((await step).number, 2);
});

withProxy("backlog_above_its_limit_is_merged_into_the_state", { ...QUICK, token: "backlog", backlogBytesMax: 10000 },
  async (session, proxy) => {
    const room = await session.open("backlog", YARD), ids = Uint32Array.from({ length: 100 }, (_, i) => i);
    room.spawn({ id: ids, x: Array.from(ids, (id) => 5 * id), y: 10, half: 1 });
    await room.step();
    proxy.sever(true);
    await new Promise<void>((resolve) => session.on("state", (state) => { if (state === "lost") resolve(); }));
    let last = room.move(ids, 0, 10);
    for (let turn = 0; turn < 50; turn++) last = room.move(ids, Float32Array.from(ids, (id) => 5 * id + turn), 10);
    assert.ok(room.log.length < 50);
    proxy.sever(false);
    await room.step();
    assert.equal(await last.applied(), room.tick);
    assert.deepEqual([...(await room.snapshot()).x!], Array.from(ids, (id) => 5 * id + 49));
    assert.equal(session.resumes, 0);
  });

withProxy("requests_that_wait_for_an_answer_survive_a_cut", QUICK, async (session, proxy) => {
  const room = await session.open("answers", YARD);
  await room.spawn({ id: 1, x: 1, y: 1 });
  await room.step();
  for (let count = 0; count < 60; count += 3) {
    proxy.cutAfter(count % 2 ? "down" : "up", count);
    const [found, stats] = await Promise.all([room.query({ nearest: [0, 0] }), session.stats(room), session.ping()]);
    assert.deepEqual([[...found.ids], stats.room!.entities], [[1], 1]);
  }
  assert.ok(session.connects > 5);
});
