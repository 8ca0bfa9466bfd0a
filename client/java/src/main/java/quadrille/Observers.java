// SPDX-License-Identifier: Apache-2.0
package quadrille;

import quadrille.v1.Observe;

/** Observers for Room.observe(), or their new places for Room.moveObservers(). */
public final class Observers extends Batch<Observers> {
    private Observers(int[] ids) {
        super(ids);
    }

    /** Observers of these ids, unique among the session's own observers of the room. */
    public static Observers of(int... ids) {
        return new Observers(ids);
    }

    /** The entities that they move with. */
    public Observers anchor(int... entities) {
        return put("entity", entities);
    }

    /** The places of free ones. */
    public Observers at(float[] x, float[] y) {
        return put("x", x).put("y", y);
    }

    /** The places of free ones in a room of three dimensions. */
    public Observers at(float[] x, float[] y, float[] z) {
        return at(x, y).put("z", z);
    }

    /** Of circles and cones. */
    public Observers range(float... range) {
        return put("range", range);
    }

    /** Boxes with these half extents. */
    public Observers half(float[] x, float[] y) {
        return put("half_x", x).put("half_y", y).region(Observe.Region.REGION_BOX);
    }

    /** Boxes with these half extents in a room of three dimensions. */
    public Observers half(float[] x, float[] y, float[] z) {
        return half(x, y).put("half_z", z);
    }

    /** Cones of this direction and angle, with range(). */
    public Observers cone(float[] directionX, float[] directionY, float angle) {
        return put("direction_x", directionX).put("direction_y", directionY).put("angle", new float[] {angle})
                .region(Observe.Region.REGION_CONE);
    }

    /** The region of all of them. */
    public Observers region(Observe.Region region) {
        return put("region", new int[] {region.getNumber()});
    }

    /** How much farther an entity may go before it leaves. */
    public Observers margin(float... margin) {
        return put("leave_margin", margin);
    }

    /** A tier of relays: positions of entities within the range, every so many ticks. Call it once per tier. */
    public Observers relay(float range, int every) {
        float[] ranges = fields.floats("relay_range");
        int[] periods = fields.ints("relay_every");
        int count = periods.length;
        float[] moreRanges = ranges == null ? new float[1] : java.util.Arrays.copyOf(ranges, count + 1);
        int[] morePeriods = java.util.Arrays.copyOf(periods, count + 1);
        moreRanges[count] = range;
        morePeriods[count] = every;
        return put("relay_range", moreRanges).put("relay_every", morePeriods);
    }

    /** The category bits that each sees. */
    public Observers mask(int... bits) {
        return put("mask", bits);
    }

    /** The most entities that each sees; 0: no limit. */
    public Observers limit(int... limit) {
        return put("limit", limit);
    }

    /** 0: none. Each sees its own team, and entities without one. */
    public Observers team(int... teams) {
        return put("team", teams);
    }
}
