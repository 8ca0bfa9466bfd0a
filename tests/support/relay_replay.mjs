// SPDX-License-Identifier: Apache-2.0
//
// Replays a recording (relay_recording.h) through proto/relay/relay.mjs, and fails if a position differs. With REPEATS
// it reads the blobs so many times more, and prints the best rate.
//
//     node relay_replay.mjs FILE [REPEATS]
import { readFileSync } from 'node:fs';
import { Relay } from '../../proto/relay/relay.mjs';

function float(hex) {
    return new Float32Array(new Uint32Array([parseInt(hex, 16)]).buffer)[0];
}

function hash(relay) {
    let value = 2166136261;
    for (let slot = 0; slot < relay.count; slot++)
        for (let axis = 0; axis < relay.axes; axis++) value = Math.imul(value ^ relay.at[axis][slot], 16777619);
    return value >>> 0;
}

const lines = readFileSync(process.argv[2], 'utf8').split('\n').filter((line) => line !== '').map((line, number) => {
    const [word, ...rest] = line.split(' ');
    switch (word) {
    case 'start': return { word, number, slot: +rest[0], at: rest.slice(1).map(float) };
    case 'blob':
    case 'refuse': return { word, number, bytes: Uint8Array.from(Buffer.from(rest[0] ?? '', 'hex')) };
    default: return { word, number, rest: rest.map(Number) };
    }
});
let best = 0, positions = 0, expected = 0, refused = 0;
for (let round = 0; round <= (+process.argv[3] || 0); round++) {
    let relay, ns = 0n;
    positions = expected = refused = 0;
    for (const { word, number, slot, at, bytes, rest } of lines) {
        const fail = (what) => { throw new Error(`line ${number + 1}: ${what}`); };
        if (word === 'state') {
            relay = new Relay(rest[1], rest[0]);
        } else if (word === 'start') {
            relay.start(slot, ...at);
        } else if (word === 'blob') {
            const begun = process.hrtime.bigint();
            positions += relay.read(bytes);
            ns += process.hrtime.bigint() - begun;
        } else if (word === 'refuse') {
            try { relay.read(bytes); } catch (error) {
                if (!(error instanceof RangeError)) throw error;
                refused++;
                continue;
            }
            fail('the blob was not refused');
        } else if (word === 'at') {
            rest.slice(1).forEach((steps, axis) => {
                if (relay.at[axis][rest[0]] !== steps) fail(`the slot is at ${relay.at[axis][rest[0]]}`);
            });
            expected++;
        } else if (word === 'expect') {
            if (hash(relay) !== rest[0]) fail('the positions differ');
            expected++;
        } else {
            fail(`unknown word ${word}`);
        }
    }
    best = Math.max(best, positions / Number(ns) * 1e3);
}
if (expected === 0) throw new Error('the recording expects nothing');
console.log(`${positions} positions as expected at ${expected} places, ${refused} blobs refused, `
    + `${best.toFixed(1)} M positions per s`);
