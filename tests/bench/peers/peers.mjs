// SPDX-License-Identifier: Apache-2.0
//
// The peers on Node, and the program around them. peer.h documents its options and its output.
//
//     node peers.mjs --list | NAME WORKLOAD WARM TICKS
//
// A peer is a class with constructor(scene, setting), tick(scene, found), which appends all pairs to `found`, and `note`,
// which describes the setting. Its static members are `settings`, their number, and `countMax`, the largest scene.
import {readFileSync} from 'node:fs';

import {BruteForce, LinearQuadtree} from './quadtree.mjs';
import {Scene, workloadNamed} from './scene.mjs';

const GROUP = 8;
const BUDGET_NS = 30e9;
const TUNE_GROUPS = 3;
const TUNE_COUNT_MAX = 10000;

class Pairs {
    constructor() {
        this.id = new Uint32Array(2 * 65536); // two a pair
        this.count = 0;
    }

    add(a, b) {
        const at = 2 * this.count;
        if (at === this.id.length) {
            const larger = new Uint32Array(2 * at);
            larger.set(this.id);
            this.id = larger;
        }
        this.id[at] = a;
        this.id[at + 1] = b;
        this.count++;
    }
}

function hash(low, high, seed) {
    let h = Math.imul(low ^ seed, 0x9e3779b1);
    h = Math.imul((h ^ h >>> 15) + high | 0, 0x85ebca77);
    h = Math.imul(h ^ h >>> 13, 0xc2b2ae3d);
    return h ^ h >>> 16;
}

// Adds the present pairs to the digest of all ticks.
function fold(found, all) {
    const sum = [0, 0];
    for (let i = 0; i < found.count; i++) {
        const a = found.id[2 * i];
        const b = found.id[2 * i + 1];
        sum[0] = sum[0] + hash(Math.min(a, b), Math.max(a, b), 1) | 0;
        sum[1] = sum[1] + hash(Math.min(a, b), Math.max(a, b), 2) | 0;
    }
    for (let k = 0; k < 2; k++) {
        all[k] = Math.imul(all[k] ^ found.count, 0x01000193) + sum[k] | 0;
    }
}

// All threads of the process, since garbage collection is work for the peer.
function ownNs() {
    const {user, system} = process.cpuUsage();
    return (user + system) * 1000;
}

function run(Peer, workload, count, setting, warm, groups) {
    const scene = new Scene(workload, count);
    const peer = new Peer(scene, setting);
    const found = new Pairs();
    const all = [0, 0];
    const times = [];
    let digests = '';
    let group = 0;
    let spent = 0;
    for (let tick = 0; times.length < groups && spent < BUDGET_NS; tick++) {
        scene.step();
        found.count = 0;
        const start = ownNs();
        peer.tick(scene, found);
        const took = ownNs() - start;
        fold(found, all);
        if (tick < warm) {
            continue;
        }
        group += took / GROUP;
        if ((tick - warm) % GROUP === GROUP - 1) {
            spent += group * GROUP;
            times.push(group);
            group = 0;
            all[0] ^= scene.checksum();
            digests += hex(all[0]) + hex(all[1]);
        }
    }
    times.sort((a, b) => a - b);
    return {time: times[times.length >> 1], ticks: times.length * GROUP, digests, note: peer.note};
}

function tune(Peer, workload) {
    const count = workload.count > TUNE_COUNT_MAX ? workload.count / 10 : workload.count;
    let best = 0;
    let bestTime = Infinity;
    for (let setting = 0; Peer.settings > 1 && setting < Peer.settings; setting++) {
        const {time} = run(Peer, workload, count, setting, GROUP, TUNE_GROUPS);
        if (time < bestTime) {
            best = setting;
            bestTime = time;
        }
    }
    return best;
}

function hex(number) {
    return (number >>> 0).toString(16).padStart(8, '0');
}

// Libraries that are not installed are left out.
async function load(module) {
    try {
        const {default: Peer} = await import(`./${module}.mjs`);
        const file = new URL(`./node_modules/${module}/package.json`, import.meta.url);
        return [{name: `${module} (Node)`, Peer, version: JSON.parse(readFileSync(file)).version}];
    } catch (error) {
        if (error.code !== 'ERR_MODULE_NOT_FOUND') {
            throw error;
        }
        return [];
    }
}

const peers = [
    {name: 'article quadtree (Node)', Peer: LinearQuadtree, version: `Node ${process.version}`},
    {name: 'article brute force (Node)', Peer: BruteForce, version: `Node ${process.version}`},
    ...await load('box-intersect'),
    ...await load('flatbush'),
    ...await load('rbush'),
];
const [name, workloadName, warm, ticks] = process.argv.slice(2);
const groups = Math.floor(Number(ticks) / GROUP);

if (name === '--list') {
    for (const peer of peers) {
        console.log(`${peer.name}\t${peer.version}`);
    }
} else {
    const workload = workloadNamed(workloadName);
    const found = peers.find((peer) => peer.name === name);
    if (!workload || !found || !(groups > 0)) {
        console.error('usage: node peers.mjs --list | NAME WORKLOAD WARM TICKS');
        process.exit(2);
    }
    const {Peer} = found;
    if (Peer.countMax && workload.count > Peer.countMax) {
        console.log([name, workload.name, workload.count, 'skipped'].join('\t'));
    } else {
        const result = run(Peer, workload, workload.count, tune(Peer, workload), Number(warm), groups);
        console.log([name, workload.name, workload.count, Math.round(result.time), result.ticks, result.digests,
            result.note].join('\t'));
    }
}
