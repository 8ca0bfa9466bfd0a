// SPDX-License-Identifier: Apache-2.0
//
// Frames, rosters and columns. The golden vectors of the conformance suite test each message.
import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "../src/columns.js";
import { Rosters, ROSTERS_MAX } from "../src/rosters.js";
import { complete, decode, encode, FRAME_BYTES_MAX, MalformedError, Splitter } from "../src/wire.js";

const TICK = Buffer.from("3a12" + "0801" + "1007" + "2001" + "5a04" + "01000000" + "6204" + "02000000", "hex");

test("columns_of_a_frame_are_typed_arrays_at_any_offset", () => {
  for (let shift = 0; shift < 4; shift++) {
    const { seq, kind, fields } = decode(Buffer.concat([Buffer.alloc(shift), TICK]).subarray(shift));
    assert.deepEqual([seq, kind, fields.tick, fields.last], [0, "tick", 7, true]);
    assert.deepEqual([fields.beginA, fields.beginB, fields.endA], [Uint32Array.of(1), Uint32Array.of(2), undefined]);
  }
});

test("columns_that_are_split_or_not_packed_are_joined", () => {
  const column = Buffer.from("5d01000000" + "5a0402000000" + "5a0403000000", "hex"); // field 11: one value, then packed ones
  const { fields } = decode(Buffer.concat([Buffer.from([0x3a, column.length]), column]));
  assert.deepEqual(fields.beginA, Uint32Array.of(1, 2, 3));
});

test("frame_full_of_small_pieces_of_a_column_is_joined", () => {
  const count = 340000, pieces = Buffer.alloc(6 * count), size: number[] = [];
  for (let i = 0; i < count; i++) {
    pieces.set([0x5a, 4], 6 * i); // field 11: one packed value
    pieces.writeUInt32LE(i, 6 * i + 2);
  }
  for (let left = pieces.length; left; left >>>= 7) size.push(left & 127 | (left >= 128 ? 128 : 0));
  const { fields } = decode(Buffer.concat([Buffer.from([0x3a, ...size]), pieces]));
  assert.deepEqual(fields.beginA, Uint32Array.from({ length: count }, (_, i) => i));
});

test("unknown_fields_and_messages_are_skipped", () => {
  const pong = "0803" + "5a09" + "090900000000000000", data = Buffer.from(`f87f05${pong}fa7f0178`, "hex");
  assert.deepEqual(decode(data), { seq: 3, kind: "pong", fields: { data: 9n } });
});

test("broken_bytes_throw_malformed_and_nothing_else", () => {
  for (let size = 1; size < TICK.length; size++) assert.throws(() => decode(TICK.subarray(0, size)), MalformedError);
  let seed = 1;
  const random = (end: number) => (seed = Math.imul(seed, 1103515245) + 12345 >>> 0) % end;
  for (let round = 0; round < 5000; round++) {
    const data = Buffer.from(TICK.subarray(0, 1 + random(TICK.length)));
    data[random(data.length)] = random(256);
    try {
      decode(data);
    } catch (error) {
      assert.ok(error instanceof MalformedError, String(error));
    }
  }
});

test("stream_in_any_pieces_gives_the_same_frames", () => {
  const frames = [0, 1, 127, 128, 5000, 20000].map((size, i) => Buffer.alloc(size, i));
  const length = (size: number) => size < 128 ? [size] : size < 16384 ? [size & 127 | 128, size >> 7] :
    [size & 127 | 128, size >> 7 & 127 | 128, size >> 14];
  const stream = Buffer.concat(frames.flatMap((frame) => [Buffer.from(length(frame.length)), frame]));
  for (const piece of [1, 3, 128, 4096, stream.length]) {
    const splitter = new Splitter(), found: Buffer[] = [];
    for (let at = 0; at < stream.length; at += piece) {
      splitter.feed(stream.subarray(at, at + piece), (frame) => found.push(Buffer.from(frame)));
    }
    assert.deepEqual(found, frames);
  }
});

test("frame_above_the_limit_is_malformed", () => {
  const size = FRAME_BYTES_MAX + 1, length = [size & 127 | 128, size >> 7 & 127 | 128, size >> 14 & 127 | 128, size >> 21];
  assert.throws(() => new Splitter().feed(Uint8Array.from(length), () => undefined), MalformedError);
  assert.throws(() => new Splitter().feed(new Uint8Array(6).fill(255), () => undefined), MalformedError);
});

test("absent_fields_get_their_defaults", () => {
  const list = complete<any>("RoomList", { rooms: [{ name: "a" }] });
  assert.deepEqual(list, { rooms: [{ name: "a", tickMode: 0, tickHz: 0, tick: 0, entities: 0, sessions: 0 }], more: false,
    next: "" });
});

test("frame_has_its_own_copy_of_the_columns", () => {
  const x = Float32Array.of(1), frame = encode("move", { room: 1, id: Uint32Array.of(1), x, y: x });
  const before = Buffer.from(frame);
  x[0] = 2;
  assert.deepEqual(Buffer.from(frame), before);
});

test("rows_become_columns_and_lacking_fields_their_defaults", () => {
  assert.deepEqual(given([{ id: 1, x: 2, half: 1 }, { id: 2, x: 3 }], { half: 0 }), { id: [1, 2], x: [2, 3], half: [1, 0] });
  assert.deepEqual(given({ id: 5, x: 2 }), { id: [5], x: [2] });
  assert.deepEqual(given({ id: [5, 6], x: 2 }), { id: [5, 6], x: 2 });
  assert.throws(() => given([{ id: 1, tag: 2 }, { id: 2 }]), /entry 1 has no tag/);
});

test("ids_that_come_again_get_a_roster_and_others_do_not", () => {
  const rosters = new Rosters(), ids = Uint32Array.from({ length: 10 }, (_, i) => i), others = ids.map((id) => id + 5);
  const none = { registers: false, dropped: [] };
  assert.deepEqual(rosters.find(ids, 1000), none);
  assert.deepEqual(rosters.find(ids, 1000), { roster: 0, registers: true, dropped: [] });
  assert.deepEqual(rosters.find(ids, 1000), { roster: 0, registers: false, dropped: [] });
  assert.deepEqual(rosters.find(others, 1000), none);
  assert.deepEqual(rosters.find(ids.slice().reverse(), 1000), none);
  ids[3] = 77; // the program may change its array
  assert.deepEqual(rosters.find(ids, 1000), none);
});

test("rosters_stay_within_the_limits", () => {
  const rosters = new Rosters();
  for (let first = 0; first < 1000; first += 10) {
    const ids = Uint32Array.from({ length: 10 }, (_, i) => first + i);
    rosters.find(ids, 35);
    const { roster, registers, dropped } = rosters.find(ids, 35);
    assert.deepEqual([registers, dropped.length], [true, first >= 30 ? 1 : 0]);
    assert.ok(roster! < ROSTERS_MAX);
  }
  assert.equal(rosters.find(new Uint32Array(36), 35).roster, undefined);
});
