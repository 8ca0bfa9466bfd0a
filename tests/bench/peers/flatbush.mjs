// SPDX-License-Identifier: Apache-2.0
//
// flatbush is a static index: rebuilt at each tick, then searched once per entity.
import Flatbush from 'flatbush';

const NODE_SIZES = [16, 4, 8];

export default class FlatbushPeer {
    static settings = NODE_SIZES.length;

    constructor(scene, setting) {
        this.nodeSize = NODE_SIZES[setting];
        this.note = `nodes of ${this.nodeSize}`;
    }

    tick(scene, found) {
        const box = scene.box;
        const index = new Flatbush(scene.count, this.nodeSize, Float32Array);
        for (let i = 0; i < scene.count; i++) {
            index.add(box[4 * i], box[4 * i + 1], box[4 * i + 2], box[4 * i + 3]);
        }
        index.finish();
        let id;
        // The filter records the pairs, so the list of results stays empty.
        const take = (other) => {
            if (other > id) {
                found.add(id, other);
            }
            return false;
        };
        for (id = 0; id < scene.count; id++) {
            index.search(box[4 * id], box[4 * id + 1], box[4 * id + 2], box[4 * id + 3], take);
        }
    }
}
