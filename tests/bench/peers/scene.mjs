// SPDX-License-Identifier: Apache-2.0
//
// The same as scene.h, equal to the last bit: a Float32Array rounds like float, and everything else is double in both.
// scene.h documents the terms.

const WORKLOADS = [
    {name: 'W1', count: 1000, side: 500, spacing: 0, size_min: 10, doublings: 0, speed_max: 5, moving: 1, clustered: 0},
    ...[['W2_1k', 1000], ['W2_10k', 10000], ['W2_100k', 100000], ['W2_1M', 1000000]].map(([name, count]) =>
        ({name, count, side: 0, spacing: 4, size_min: 1, doublings: 0, speed_max: 0.25, moving: 1, clustered: 0})),
    {name: 'W3', count: 100000, side: 0, spacing: 8, size_min: 0.5, doublings: 6, speed_max: 0.25, moving: 0.3,
        clustered: 0},
    {name: 'W4', count: 100000, side: 0, spacing: 4, size_min: 1, doublings: 0, speed_max: 0.25, moving: 1,
        clustered: 0.9},
];
const CLUSTERS = 10;
const CLUSTER_AREA = 0.05;

export function workloadNamed(name) {
    return WORKLOADS.find((workload) => workload.name === name);
}

function powerOfTwo(exponent) {
    let value = 1;
    let factor = 2;
    for (; exponent >= 1; exponent -= 1) {
        value *= 2;
    }
    for (let bit = 0; bit < 24; bit++) {
        factor = Math.sqrt(factor);
        exponent *= 2;
        if (exponent >= 1) {
            value *= factor;
            exponent -= 1;
        }
    }
    return value;
}

function inside(at, half, side) {
    return at < half ? half : at > side - half ? side - half : at;
}

export class Scene {
    constructor(workload, count = workload.count) {
        this.workload = workload;
        this.count = count;
        // As floats, like the fields of scene.h.
        this.moving = Math.trunc(count * Math.fround(workload.moving));
        this.side = Math.fround(workload.side > 0 ? workload.side : workload.spacing * Math.sqrt(count));
        this.x = new Float32Array(count);
        this.y = new Float32Array(count);
        this.half = new Float32Array(count);
        this.speedX = new Float32Array(count);
        this.speedY = new Float32Array(count);
        this.box = new Float32Array(4 * count); // lo_x, lo_y, hi_x, hi_y
        this.random = 20240229;
        this.populate();
    }

    chance() {
        this.random = (this.random + 0x9e3779b9) | 0;
        let z = this.random;
        z = Math.imul(z ^ z >>> 16, 0x21f0aaad);
        z = Math.imul(z ^ z >>> 15, 0x735a2d97);
        z ^= z >>> 15;
        return (z >>> 8) / 16777216;
    }

    bell() {
        let sum = -6;
        for (let i = 0; i < 12; i++) {
            sum += this.chance();
        }
        return sum;
    }

    populate() {
        const load = this.workload;
        const side = this.side;
        const clustered = Math.fround(load.clustered);
        const radius = Math.sqrt(side * side * CLUSTER_AREA / CLUSTERS / 3.141592653589793);
        const centers = [];
        for (let k = 0; k < CLUSTERS; k++) {
            const x = side * (0.05 + 0.9 * this.chance());
            centers.push({x, y: side * (0.05 + 0.9 * this.chance())});
        }
        for (let i = 0; i < this.count; i++) {
            const half = 0.5 * load.size_min * powerOfTwo(load.doublings * this.chance());
            let x = half + this.chance() * (side - 2 * half);
            let y = half + this.chance() * (side - 2 * half);
            if (this.chance() < clustered) {
                const center = centers[Math.trunc(this.chance() * CLUSTERS)];
                let awayX;
                let awayY;
                do {
                    awayX = this.bell() * radius * 0.5;
                    awayY = this.bell() * radius * 0.5;
                } while (awayX * awayX + awayY * awayY > radius * radius);
                x = center.x + awayX;
                y = center.y + awayY;
            }
            this.half[i] = half;
            this.x[i] = inside(x, this.half[i], side);
            this.y[i] = inside(y, this.half[i], side);
            this.speedX[i] = (this.chance() * 2 - 1) * load.speed_max;
            this.speedY[i] = (this.chance() * 2 - 1) * load.speed_max;
            this.place(i);
        }
    }

    place(i) {
        const half = this.half[i];
        this.box[4 * i] = this.x[i] - half;
        this.box[4 * i + 1] = this.y[i] - half;
        this.box[4 * i + 2] = this.x[i] + half;
        this.box[4 * i + 3] = this.y[i] + half;
    }

    bounce(at, speed, i) {
        const half = this.half[i];
        const next = Math.fround(at[i] + speed[i]);
        const end = Math.fround(this.side - half);
        if (next < half || next > end) {
            speed[i] = -speed[i];
            at[i] = next < half ? half : end;
        } else {
            at[i] = next;
        }
    }

    step() {
        for (let i = 0; i < this.moving; i++) {
            this.bounce(this.x, this.speedX, i);
            this.bounce(this.y, this.speedY, i);
            this.place(i);
        }
    }

    checksum() {
        const words = new Uint32Array(this.box.buffer);
        let sum = 0;
        for (let i = 0; i < words.length; i++) {
            sum = Math.imul(sum ^ words[i], 0x01000193);
            sum ^= sum >>> 15;
        }
        return sum >>> 0;
    }
}
