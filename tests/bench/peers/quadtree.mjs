// SPDX-License-Identifier: Apache-2.0
//
// The linear quadtree of the articles on Morton order, as they describe it for JavaScript, and the brute force that they
// compare it with. One array has a place for every cell of every level. At each tick the array is cleared, and each box
// goes into the smallest cell that contains it, which the XOR of two Morton codes determines. A traversal from the root
// carries the boxes of the cells above, and compares each cell's boxes with each other and with the carried ones. A cell
// is null until something is in it or below it, so the traversal turns back early. Box objects are reused, as the
// article's appendix advises.

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

// 16 bits, each followed by a zero.
function spread(bits) {
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
}

// The number of cells on all levels above.
function cellsAbove(level) {
    return (4 ** level - 1) / 3;
}

export class LinearQuadtree {
    static settings = 5;

    constructor(scene, setting) {
        // From 4^levels = entities / 16 up to 16 cells per entity.
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
        // The highest pair of bits that differs determines the level at which the two corners share a cell.
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
