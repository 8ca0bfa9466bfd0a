// SPDX-License-Identifier: Apache-2.0
//
// Folding, and the kept state, against sets and maps. Frames that contradict what was folded are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ContradictionError } from "../src/errors.js";
import { Pairs } from "../src/fold/pairs.js";
import { PairSet } from "../src/fold/pairset.js";
import { PairRows, Tick } from "../src/fold/tick.js";
import { TickQueue } from "../src/fold/ticks.js";
import { Views } from "../src/fold/views.js";
import { Kept } from "../src/kept.js";
import type { Fields } from "../src/wire.js";

let seed = 7;
const random = (end: number) => (seed = Math.imul(seed, 1103515245) + 12345 >>> 0) % 65536 % end;
const column = (values: number[]) => Uint32Array.from(values);

type Rows = [number, number][];

function pairFrame(begins: Rows, ends: Rows = [], fields: Fields = {}): Fields {
  return { ...(begins.length && { beginA: column(begins.map(([a]) => a)), beginB: column(begins.map(([, b]) => b)) }),
    ...(ends.length && { endA: column(ends.map(([a]) => a)), endB: column(ends.map(([, b]) => b)) }), last: true, ...fields };
}

function enters(rows: Rows, fields: Fields = {}): Fields {
  const zeros = new Float32Array(rows.length);
  return { enterObserver: column(rows.map(([observer]) => observer)), enterId: column(rows.map(([, id]) => id)),
    enterX: zeros, enterY: zeros, last: true, ...fields };
}

function begun(): Pairs {
  const pairs = new Pairs();
  const { ends, begins } = pairs.apply(pairFrame([[1, 2], [3, 4]], [], { reset: true }))!;
  assert.deepEqual([[...ends], [...begins].sort()], [[], [[1, 2], [3, 4]]]);
  return pairs;
}

test("pair_set_keeps_what_a_set_keeps", () => {
  const pairs = new PairSet(), model = new Set<string>();
  for (let round = 0; round < 50000; round++) {
    const a = random(60), b = a + 1 + random(20), key = `${a} ${b}`;
    if (random(2)) {
      assert.equal(pairs.add(a, b), !model.has(key));
      model.add(key);
    } else {
      assert.equal(pairs.delete(a, b), model.delete(key));
    }
    assert.equal(pairs.size, model.size);
  }
  const { a, b } = pairs.without(undefined);
  assert.deepEqual([...a].map((first, i) => `${first} ${b[i]}`).sort(), [...model].sort());
});

test("set_of_pairs_is_read_in_any_order", () => {
  const pairs = begun();
  assert.deepEqual([pairs.has(2, 1), pairs.has(3, 4), pairs.has(1, 3), pairs.has(1, 1), pairs.size],
    [true, true, false, false, 2]);
});

test("old_set_stays_until_a_reset_is_complete", () => {
  const pairs = begun();
  assert.equal(pairs.apply(pairFrame([[5, 6]], [], { reset: true, last: false })), undefined);
  assert.deepEqual([[...pairs].sort(), pairs.known], [[[1, 2], [3, 4]], false]);
  const { ends, begins } = pairs.apply(pairFrame([[3, 4]]))!;
  assert.deepEqual([[...ends], [...ends.reasons], [...begins]], [[[1, 2]], [0], [[5, 6]]]);
  assert.deepEqual([...pairs].sort(), [[3, 4], [5, 6]]);
});

test("contradictions_make_the_set_unknown", () => {
  for (const frame of [pairFrame([[1, 2]]), pairFrame([], [[7, 8]]), pairFrame([[5, 6], [5, 6]]), pairFrame([[6, 5]])]) {
    const pairs = begun();
    assert.throws(() => pairs.apply(frame), ContradictionError);
    assert.equal(pairs.known, false);
  }
  assert.throws(() => new Pairs().apply(pairFrame([], [[1, 2]])), ContradictionError);
});

test("views_refuse_contradictions", () => {
  const refuse = (...frames: Fields[]) => {
    const views = new Views(), last = frames.pop()!;
    for (const frame of frames) views.apply(frame, false);
    assert.throws(() => views.apply(last, false), ContradictionError);
  };
  const slots = { enterSlot: column([1]) }, zero = new Float32Array(1);
  refuse(enters([[1, 2]]), enters([[1, 2]]));
  refuse({ leaveObserver: column([1]), leaveId: column([2]), leaveReason: Uint8Array.of(1) });
  refuse(enters([[1, 2]]), { relayObserver: column([1]), relayId: column([3]), relayX: zero, relayY: zero });
  refuse(enters([[1, 2]], slots), enters([[1, 3]], slots));
  refuse(enters([[1, 2]], slots), enters([[1, 3]]));
  refuse(enters([[1, 2]], slots), { relay: Uint8Array.from([17, 0, 1, 0, 0, 0, 0, 0]) });
  refuse(enters([[1, 2]], slots), { exactSlot: column([5]), exactX: zero, exactY: zero });
  refuse({ watcherLeaveEntity: column([1]), watcherLeaveSession: BigUint64Array.of(1n), watcherLeaveObserver: column([1]) });
  refuse({ suspended: true }, enters([[1, 2]]));
});

test("many_entities_grow_the_columns_of_views_and_leave_again", () => {
  const views = new Views(), rows: Rows = Array.from({ length: 1000 }, (_, id) => [id % 7, id]);
  views.apply(enters(rows, { enterX: Float32Array.from(rows, ([, id]) => id) }), false);
  assert.equal(views.seen(500, views.index.get(500 % 7)!.get(500)!).x, 500);
  const half = rows.filter(([, id]) => id % 2 === 0);
  const changes = views.apply({ leaveObserver: column(half.map(([observer]) => observer)),
    leaveId: column(half.map(([, id]) => id)), leaveReason: new Uint8Array(500).fill(4), last: true }, false);
  assert.equal(changes.leaves[0]!.length, 500);
  assert.equal([...views.index.values()].reduce((sum, view) => sum + view.size, 0), 500);
});

test("merged_ticks_have_the_changes_of_both", async () => {
  const tick = (number: number) => {
    const made = new Tick(number);
    made.add("begins", new PairRows(column([number]), column([number + 1])));
    return made;
  };
  const merged = tick(1);
  merged.merge(tick(2));
  assert.deepEqual([merged.number, [...merged.begins]], [2, [[1, 2], [2, 3]]]);
  assert.equal(new Tick(3).hasChanges, false);
  const queue = new TickQueue(() => undefined);
  for (let number = 1; number <= 100; number++) queue.put(tick(number));
  queue.end();
  const lengths: number[] = [];
  for await (const each of queue) lengths.push(each.begins.length);
  assert.deepEqual([lengths.length, lengths[0], lengths[63]], [64, 1, 37]);
});

test("kept_state_is_what_a_map_keeps", () => {
  const kept = new Kept(), model = new Map<number, number>();
  for (let round = 0; round < 2000; round++) {
    const ids = [...new Set(Array.from({ length: 1 + random(40) }, () => random(300)))];
    const values = ids.map(() => random(1000) / 4), refused = new Set(ids.keys());
    for (const i of ids.keys()) if (random(5)) refused.delete(i);
    const kind = ["spawn", "move", "despawn"][random(3)]!;
    const at = Float32Array.from(values);
    kept.apply(kind, { id: column(ids), ...(kind !== "despawn" && { x: at, y: at }) }, refused, 1);
    ids.forEach((id, i) => {
      if (refused.has(i)) return;
      if (kind === "despawn") model.delete(id);
      else if ((kind === "move") === model.has(id)) model.set(id, values[i]!);
    });
    assert.deepEqual(new Map([...kept.rows].map(([id, row]) => [id, kept.columns.x![row]])), model);
    assert.deepEqual([...kept.rows.values()].sort((a, b) => a - b), [...model.keys()].map((_, i) => i));
  }
});

test("requests_bring_a_room_to_the_kept_state", () => {
  const kept = new Kept(), at = Float32Array.of(1, 2, 3), none = new Set<number>();
  kept.apply("spawn", { id: column([1, 2, 3]), x: at, y: at, halfX: at }, none, 1);
  kept.apply("setDescription", { id: column([2, 3]), payload: Buffer.from("abc"), payloadSize: Uint8Array.of(1, 2) },
    new Set([0]), 1);
  kept.apply("observe", { id: column([7]), entity: column([3]), range: Float32Array.of(5), relayRange: Float32Array.of(9),
    relayEvery: column([1]) }, none, 1);
  kept.apply("handOver", { id: column([1]), session: 5 }, none, 1);
  const requests = [...kept.requests(new Set([9]), true, false)].filter(([, fields]) => !fields.id || fields.id.length);
  assert.deepEqual(requests.map(([kind]) => kind), ["spawn", "despawn", "setDescription", "observe"]);
  const [spawn, despawn, description, observe] = requests.map(([, fields]) => fields);
  assert.deepEqual([[...spawn!.id].sort(), "z" in spawn!, [...despawn!.id]], [[2, 3], false, [9]]);
  assert.deepEqual([[...description!.id], Buffer.from(description!.payload).toString()], [[3], "bc"]);
  assert.deepEqual([[...observe!.anchored], [...observe!.relayRange]], [[1], [9]]);
  kept.apply("despawn", { id: column([3]) }, none, 1);
  assert.equal(kept.observers.size, 0);
});
