// SPDX-License-Identifier: Apache-2.0
//
// box-intersect finds all pairs of boxes, and keeps nothing between ticks.
import boxIntersect from 'box-intersect';

export default class BoxIntersect {
    constructor(scene) {
        this.note = '';
        this.boxes = [];
        for (let i = 0; i < scene.count; i++) {
            this.boxes.push([0, 0, 0, 0]);
            this.place(scene, i);
        }
    }

    place(scene, i) {
        const box = this.boxes[i];
        for (let k = 0; k < 4; k++) {
            box[k] = scene.box[4 * i + k];
        }
    }

    tick(scene, found) {
        for (let i = 0; i < scene.moving; i++) {
            this.place(scene, i);
        }
        // Returning undefined continues the search.
        boxIntersect(this.boxes, (a, b) => {
            found.add(a, b);
        });
    }
}
