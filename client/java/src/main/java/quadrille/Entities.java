// SPDX-License-Identifier: Apache-2.0
package quadrille;

import quadrille.v1.Shape;

/** Entities for Room.spawn(), or their new shapes for Room.reshape(). Sizes without a value are 0. */
public final class Entities extends Batch<Entities> {
    private float[] cube; // of half()

    private Entities(int[] ids) {
        super(ids);
    }

    /** Entities of these ids, which are unsigned. */
    public static Entities of(int... ids) {
        return new Entities(ids);
    }

    /** Their centers. */
    public Entities at(float[] x, float[] y) {
        return put("x", x).put("y", y);
    }

    /** Their centers in a room of three dimensions. */
    public Entities at(float[] x, float[] y, float[] z) {
        put("half_z", cube);
        return at(x, y).put("z", z);
    }

    /** The center of one entity. */
    public Entities at(float x, float y) {
        return at(new float[] {x}, new float[] {y});
    }

    /** Squares with these half extents, one for all or one per entity; cubes if z is set. */
    public Entities half(float... half) {
        cube = half;
        put("half_z", fields.has("z") ? half : null);
        return put("half_x", half).put("half_y", half);
    }

    /** Boxes with these half extents. */
    public Entities half(float[] x, float[] y) {
        return put("half_x", x).put("half_y", y);
    }

    /** Boxes with these half extents in a room of three dimensions. */
    public Entities half(float[] x, float[] y, float[] z) {
        return half(x, y).put("half_z", z);
    }

    /** Circles, or spheres, with these radii. */
    public Entities radius(float... radius) {
        return put("radius", radius).shape(Shape.SHAPE_CIRCLE);
    }

    /** The shape of all of them. */
    public Entities shape(Shape shape) {
        return put("shape", new int[] {shape.getNumber()});
    }

    /** The category bits of each. */
    public Entities category(int... bits) {
        return put("category", bits);
    }

    /** The category bits that each pairs with. */
    public Entities mask(int... bits) {
        return put("mask", bits);
    }

    /** The room owns them: any session may change them, and they outlive this session. */
    public Entities roomOwned() {
        return put("room_owned", true);
    }
}
