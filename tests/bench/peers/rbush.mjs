// SPDX-License-Identifier: Apache-2.0
//
// rbush, an R-tree: loaded in bulk at each tick, which is faster than moving each entity, then searched once per entity.
import RBush from 'rbush';

const NODE_SIZES = [9, 4, 16];

export default class RBushPeer {
    static settings = NODE_SIZES.length;

    constructor(scene, setting) {
        this.note = `nodes of ${NODE_SIZES[setting]}`;
        this.tree = new RBush(NODE_SIZES[setting]);
        this.items = [];
        for (let id = 0; id < scene.count; id++) {
            this.items.push({minX: 0, minY: 0, maxX: 0, maxY: 0, id});
            this.place(scene, id);
        }
    }

    place(scene, id) {
        const item = this.items[id];
        item.minX = scene.box[4 * id];
        item.minY = scene.box[4 * id + 1];
        item.maxX = scene.box[4 * id + 2];
        item.maxY = scene.box[4 * id + 3];
    }

    tick(scene, found) {
        for (let id = 0; id < scene.moving; id++) {
            this.place(scene, id);
        }
        this.tree.clear();
        this.tree.load(this.items);
        for (const item of this.items) {
            for (const other of this.tree.search(item)) {
                if (other.id > item.id) {
                    found.add(item.id, other.id);
                }
            }
        }
    }
}
