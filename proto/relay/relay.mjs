// SPDX-License-Identifier: Apache-2.0
//
// Reads the relay stream (../RELAY.md) in JavaScript. Copy this file into your client:
//
//     const relay = new Relay(view.relayK, 2);                   // 2 or 3 axes
//     relay.start(slot, x, y);                                   // an enter with a slot, or an exact entry
//     for (let i = 0, n = relay.read(blob); i < n; i++)          // the blob of a frame
//         moved(relay.slots[i], relay.position(0, relay.slots[i]), relay.position(1, relay.slots[i]));
//
// A blob that is not of version 1, or names a slot that did not start, throws a RangeError.

const WIDTH = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24];
const SLOTS_MAX = 2 ** 24;

function refuse() {
    throw new RangeError('relay: the bytes are no blob of version 1 for these slots');
}

export class Relay {
    constructor(k, axes) {
        this.scale = 2 ** k;
        this.axes = axes;
        this.count = 0;                                           // slots below it have started
        this.reserve(64);
    }

    reserve(capacity) {
        const grown = (old) => { const array = new Int32Array(capacity); if (old) array.set(old); return array; };
        this.at = Array.from({ length: this.axes }, (_, axis) => grown(this.at?.[axis]));       // positions in steps
        this.last = Array.from({ length: this.axes }, (_, axis) => grown(this.last?.[axis]));   // the changes sent last
        this.slots = grown();                                     // the slots of the last blob
    }

    start(slot, ...at) {
        if (!(slot < SLOTS_MAX)) refuse();
        if (slot >= this.slots.length) this.reserve(Math.max(slot + 1, 2 * this.slots.length));
        this.count = Math.max(this.count, slot + 1);
        for (let axis = 0; axis < this.axes; axis++) {
            const steps = Math.floor(at[axis] * this.scale);
            this.at[axis][slot] = Math.abs(steps) < 2 ** 30 ? steps : 0;
            this.last[axis][slot] = 0;
        }
    }

    position(axis, slot) { return this.at[axis][slot] / this.scale; }

    read(blob) {
        const { axes, count, slots } = this, end = blob.length - 4;
        const view = new DataView(blob.buffer, blob.byteOffset, blob.length);
        let p = 1, n = 0;
        const varint = () => {
            for (let value = 0, unit = 1; unit <= 2 ** 28 && p < end; unit *= 128) {
                const byte = blob[p++];
                value += (byte & 127) * unit;
                if (byte < 128) return value < 2 ** 32 ? value : refuse();
            }
            return refuse();
        };
        const bits = (first, size) => {
            if (!(p + size <= end)) refuse();
            for (let slot = first, stop = p + size; p < stop; p++, slot += 8)
                for (let i = slot, set = blob[p]; set; i++, set >>= 1)
                    if (set & 1) { if (i >= count) refuse(); slots[n++] = i; }
        };

        if (end < 3 || (blob[0] & 0x8f) !== 1 || view.getUint32(end, true) !== 0) refuse();
        const kind = blob[0] >> 5 & 3, predicted = blob[0] & 16 ? -1 : 0, first = varint(), number = varint();
        if (kind === 0) {                                         // a run
            if (first + number > count) refuse();
            for (; n < number; n++) slots[n] = first + n;
        } else if (kind === 1) {                                  // a bitmap
            bits(first, number);
        } else if (kind === 2) {                                  // gaps
            for (let slot = first; n < number; slot++) {
                slot += varint();
                if (slot >= count) refuse();
                slots[n++] = slot;
            }
        } else {                                                  // spans of a bitmap
            for (let i = 0, slot = first; i < number; i++) {
                slot += 8 * varint();
                const size = varint();
                bits(slot, size);
                slot += 8 * size;
            }
        }
        const [x, y, z] = this.at, [dx, dy, dz] = this.last;
        for (let g = 0; g < n; g += 16) {                         // groups: widths, then the values of each axis
            const stop = Math.min(g + 16, n), wx = WIDTH[blob[p] & 15], wy = WIDTH[blob[p] >> 4];
            const wz = axes === 3 ? WIDTH[blob[p + 1] & 255] : 0;   // undefined if the upper half is not 0
            const mx = (1 << wx) - 1, my = (1 << wy) - 1, mz = (1 << wz) - 1;
            const sized = (width) => (stop - g) * width + 7 >> 3;
            let bx = 8 * (p += axes - 1), by = 8 * (p += sized(wx)), bz = 8 * (p += sized(wy));
            p += sized(wz);
            if (!(p <= end && wz <= 24)) refuse();
            for (let i = g; i < stop; i++, bx += wx, by += wy) {
                const slot = slots[i];
                const a = view.getUint32(bx >> 3, true) >>> (bx & 7) & mx;
                const b = view.getUint32(by >> 3, true) >>> (by & 7) & my;
                x[slot] += dx[slot] = (a >>> 1 ^ -(a & 1)) + (dx[slot] & predicted);
                y[slot] += dy[slot] = (b >>> 1 ^ -(b & 1)) + (dy[slot] & predicted);
            }
            for (let i = g; i < stop && axes === 3; i++, bz += wz) {
                const slot = slots[i], c = view.getUint32(bz >> 3, true) >>> (bz & 7) & mz;
                z[slot] += dz[slot] = (c >>> 1 ^ -(c & 1)) + (dz[slot] & predicted);
            }
        }
        if (p !== end) refuse();
        return n;
    }
}
