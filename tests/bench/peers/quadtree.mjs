// SPDX-License-Identifier: Apache-2.0
//
// The linear quadtree as the articles on Morton order describe it for JavaScript, and the brute force they compare it
// with. Every cell of every level has its place in one array. At each tick the array is emptied and each box is put into
// the smallest cell that holds it, which two Morton codes and their XOR tell; then one walk from the root carries the
// boxes of the cells above, and each cell's boxes meet each other and the carried ones. A cell is null until something
// is in it or below it, so that the walk turns back early. Boxes are objects that are kept, as the article's appendix
// advises.

class Box {
    constructor(id) {
        this.id = id;
        this.left = this.top = this.right = this.bottom = 0;
    }

    place(corners) {
        const at = 4 * this.id;
        this.left = corners[at];
        this.top = corners[at + 1];
        this.right = corners[at + 2];
        this.bottom = corners[at + 3];
    }

    overlaps(other) {
        return this.left <= other.right && other.left <= this.right && this.top <= other.bottom &&
            other.top <= this.bottom;
    }
}

function boxesOf(scene) {
    const boxes = [];
    for (let id = 0; id < scene.count; id++) {
        const box = new Box(id);
        box.place(scene.box);
        boxes.push(box);
    }
    return boxes;
}

function placeMoved(boxes, scene) {
    for (let id = 0; id < scene.moving; id++) {
        boxes[id].place(scene.box);
    }
}

// 16 bits, with a zero behind each.
function spread(bits) {
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
}

// Cells on all levels above this one.
function cellsAbove(level) {
    return (4 ** level - 1) / 3;
}

export class LinearQuadtree {
    static settings = 5;

    constructor(scene, setting) {
        // From 4^levels = entities / 16 upwards to 16 cells an entity.
        this.levels = Math.min(10, Math.max(2, Math.round(Math.log(scene.count) / Math.log(4)) + setting - 2));
        this.note = `${this.levels} levels`;
        this.finest = 2 ** this.levels;
        this.finestSide = scene.side / this.finest;
        this.cells = new Array(cellsAbove(this.levels + 1)).fill(null);
        this.boxes = boxesOf(scene);
        this.carried = [];
    }

    codeOf(x, y) {
        const column = Math.min(this.finest - 1, Math.floor(x / this.finestSide));
        const row = Math.min(this.finest - 1, Math.floor(y / this.finestSide));
        return spread(column) | spread(row) << 1;
    }

    register(box) {
        const code = this.codeOf(box.left, box.top);
        const differing = code ^ this.codeOf(box.right, box.bottom);
        // The highest pair of bits that differs says how many levels up the two corners meet.
        const up = differing === 0 ? 0 : (31 - Math.clz32(differing) >> 1) + 1;
        const cell = cellsAbove(this.levels - up) + (code >>> 2 * up);
        for (let at = cell; this.cells[at] === null; at = at - 1 >> 2) {
            this.cells[at] = [];
            if (at === 0) {
                break;
            }
        }
        this.cells[cell].push(box);
    }

    walk(cell, found) {
        const own = this.cells[cell];
        const carried = this.carried;
        for (let i = 0; i < own.length; i++) {
            const box = own[i];
            for (let j = i + 1; j < own.length; j++) {
                if (box.overlaps(own[j])) {
                    found.add(box.id, own[j].id);
                }
            }
            for (let j = 0; j < carried.length; j++) {
                if (box.overlaps(carried[j])) {
                    found.add(box.id, carried[j].id);
                }
            }
        }
        const carriedBefore = carried.length;
        const firstChild = 4 * cell + 1;
        let carries = false;
        for (let child = firstChild; child < firstChild + 4 && child < this.cells.length; child++) {
            if (this.cells[child] === null) {
                continue;
            }
            for (let i = 0; !carries && i < own.length; i++) {
                carried.push(own[i]);
            }
            carries = true;
            this.walk(child, found);
        }
        carried.length = carriedBefore;
    }

    tick(scene, found) {
        placeMoved(this.boxes, scene);
        this.cells.fill(null);
        for (const box of this.boxes) {
            this.register(box);
        }
        this.walk(0, found);
    }
}

export class BruteForce {
    static countMax = 10000;

    constructor(scene) {
        this.note = '';
        this.boxes = boxesOf(scene);
    }

    tick(scene, found) {
        const boxes = this.boxes;
        placeMoved(boxes, scene);
        for (let i = 0; i < boxes.length; i++) {
            for (let j = i + 1; j < boxes.length; j++) {
                if (boxes[i].overlaps(boxes[j])) {
                    found.add(i, j);
                }
            }
        }
    }
}
